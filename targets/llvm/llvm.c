/* The target llvm: LLVM's IR, and machine code without a C compiler. What calls LLVM is in backend/, a shared
 * object beside the library that is opened when a hook is called, so that tools start as fast without it. */
#include "targets/llvm/llvm.h"

#include "dialects/arith/arith.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/loop.h"
#include "dialects/loop/vec.h"
#include "dialects/math/math.h"
#include "ir/builtin.h"
#include "targets/lib/host.h"
#include "targets/lib/object.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- the shared object --- */

static char *backend_path(void) {
  return pm_beside_library(LLVM_BACKEND_INSTALLED, LLVM_BACKEND_FILE);
}

/* It stays loaded: LLVM does not take its own shared object out of a process. */
static void *open_path(const char *path) {
  return dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

/* Whether LLVM's shared object is where it was at the build, or where a package of Python has it, by the
 * folder of `path`. */
static bool finds_llvm(const char *path) {
  static const char *const files[] = {PM_LLVM_FILES};
  bool found = false;
  for (size_t i = 0; i < PM_COUNT(files) && !found; i++) {
    pm_buf file = {0};
    const char *slash = files[i][0] == '/' ? NULL : strrchr(path, '/');
    pm_buf_printf(&file, "%.*s%s", slash ? (int)(slash + 1 - path) : 0, path, files[i]);
    found = access(file.data, R_OK) == 0;
    pm_buf_free(&file);
  }
  return found;
}

/* A package may be installed without LLVM. It is loaded here only where it is in no usual place: else a
 * thread does that later. */
static bool llvm_is_there(void) {
  char *path = backend_path();
  bool is = access(path, R_OK) == 0 && (finds_llvm(path) || open_path(path));
  free(path);
  return is;
}

/* To link LLVM to this process takes as long as to compile a small program, and needs nothing of it. */
static struct {
  pthread_t thread;
  bool begun;
} loading;

static void *load_in_thread(void *none) {
  char *path = backend_path();
  (void)open_path(path);
  free(path);
  return none;
}

static void llvm_load(bool wait) {
  if (wait && !loading.begun) return; /* the usual case of other threads, which write nothing then */
  if (wait) (void)pthread_join(loading.thread, NULL);
  loading.begun = !wait && (loading.begun || !pthread_create(&loading.thread, NULL, load_in_thread, NULL));
}

/* NULL with a line in `error`. */
static const llvm_backend *open_backend(pm_buf *error) {
  llvm_load(true);
  char *path = backend_path();
  bool built = access(path, R_OK) == 0;
  errno = 0;
  void *handle = built ? open_path(path) : NULL;
  const llvm_backend *backend = handle ? dlsym(handle, LLVM_BACKEND_SYMBOL) : NULL;
  const char *why = built && !backend ? dlerror() : NULL;
  if (why && (errno == ENOMEM || pm_tells_of_memory(why))) pm_out_of_memory();
  if (!built)
    pm_buf_printf(
        error,
        "the target 'llvm' is not installed: there is no '%s' (of Debian, libpm-llvm; cmake makes it where "
        "LLVM is, as llvm-19-dev)",
        path);
  else if (!backend)
    pm_buf_printf(error, "the target 'llvm' cannot be loaded: %s", why ? why : "");
  free(path);
  return backend;
}

/* --- hooks --- */

static bool llvm_emit(pm_module *module, const char *header_name, pm_target_output *out) {
  pm_buf error = {0};
  const llvm_backend *backend = open_backend(&error);
  if (backend) return backend->emit(module, header_name, out);
  (void)pm_error(pm_module_context(module), PM_NO_LOC, "%s", error.data);
  pm_buf_free(&error);
  return false;
}

static pm_outcome llvm_compile(const pm_target_output *text, const char *extension,
                               const pm_build_options *options, pm_buf *file, pm_report *report) {
  const llvm_backend *backend = open_backend(&report->error);
  return backend ? backend->compile(text, extension, options, file, report) : PM_OUTCOME_REFUSED;
}

static bool llvm_is_ready(pm_buf *error) {
  return open_backend(error);
}

static void llvm_enter_child(void) {
  pm_buf error = {0};
  const llvm_backend *backend = open_backend(&error);
  if (backend) backend->enter_child();
  pm_buf_free(&error);
}

/* The shared object, which has what is made of the text; code by another build of the same LLVM is as good.
 */
static void llvm_put_versions(const pm_build_options *options, pm_buf *out) {
  (void)options;
  char *path = backend_path();
  pm_put_file_version(out, path);
  pm_put_processor(out);
  free(path);
}

/* --- the row --- */

static const pm_target_form forms[] = {
#define FORM(op, classes, emitter) {&op, classes},
#include "targets/llvm/forms.def"
    {NULL, 0}};

static const pm_target_file files[] = {{"ll", PM_FILE_SOURCE, true},   {"h", PM_FILE_HEADER, false},
                                       {"o", PM_FILE_COMPILED, true},  {"s", PM_FILE_COMPILED, false},
                                       {"bc", PM_FILE_COMPILED, true}, {"so", PM_FILE_COMPILED, true},
                                       {"a", PM_FILE_COMPILED, true},  {NULL, PM_FILE_SOURCE, false}};

const pm_target llvm_target = {
    .name = "llvm",
    .doc = "LLVM's IR, and machine code of it without a C compiler",
    .schedule = "schedule",
    .lower = "lower",
    /* clang-format off */
    .finish = PM_STEPS(
      PM_STEP("narrow-integers", "LLVM widens narrow integers, and narrows none in vectors")
      PM_STEP("canonicalize", "casts of casts")
      PM_STEP("lower-memref", "LLVM has pointers")
      PM_STEP("cse", "offsets of rows are equal for several accesses")
      PM_STEP("licm{loads=false}", "and leave the inner loop")
      PM_STEP("vectorize", "the one index tells which elements are next to each other")
      PM_STEP("sink-shuffles", "vectors are what it is about")
      PM_STEP("narrow-lookups", "the one index is what is narrowed")
      PM_STEP("place-memory", "memory is one workspace of a call")
      PM_STEP("lower-abi", "what may fail in a call has codes then")),
    /* clang-format on */
    .has =
        PM_TARGET_THREADS | PM_TARGET_HEAP | PM_TARGET_STACK | PM_TARGET_THREAD_MEMORY | PM_TARGET_PROCESSORS,
    .parallel = "pool",
    .forms = forms,
    .files = files,
    .emit = llvm_emit,
    .compile = llvm_compile,
    .opens = LLVM_JIT_EXTENSION,
    .open = pm_object_open,
    .close = pm_object_close,
    .in_process = true,
    .is_there = llvm_is_there,
    .load = llvm_load,
    .is_ready = llvm_is_ready,
    .enter_child = llvm_enter_child,
    .put_versions = llvm_put_versions,
};
