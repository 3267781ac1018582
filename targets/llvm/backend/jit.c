/* The program as functions of this process: an object file in memory, linked by LLVM's ORC. */
#include "targets/lib/work_dir.h"
#include "targets/llvm/backend/backend.h"

#include <dlfcn.h>
#include <errno.h>
#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/LLJITUtils.h>
#include <llvm-c/Orc.h>
#include <stdlib.h>
#include <string.h>

/* What is loaded: the handle of pm_loaded. */
typedef struct jit {
  LLVMOrcLLJITRef lljit;
  void *openmp;            /* libgomp, or NULL */
  PM_VEC(char *) releases; /* functions to call before it is unloaded */
} jit;

/* Takes the error. */
static bool failed(LLVMErrorRef error, const char *what, pm_buf *out) {
  if (!error) return false;
  char *message = LLVMGetErrorMessage(error);
  pm_buf_printf(out, "%s: %s", what, message);
  LLVMDisposeErrorMessage(message);
  return true;
}

/* --- what the program calls --- */

static bool declares(LLVMModuleRef module, const char *start) {
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
    size_t len;
    if (LLVMIsDeclaration(f) && !strncmp(LLVMGetValueName2(f, &len), start, strlen(start))) return true;
  }
  return false;
}

/* The functions of a library become visible to the program. It is opened here first, for a message. */
static bool add_library(jit *j, const char *name, void **handle, pm_buf *error) {
  LLVMOrcDefinitionGeneratorRef generator = NULL;
  *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!*handle) {
    pm_buf_printf(error, "the program needs a library that cannot be loaded: %s", dlerror());
    return false;
  }
  char prefix = LLVMOrcLLJITGetGlobalPrefix(j->lljit);
  if (failed(LLVMOrcCreateDynamicLibrarySearchGeneratorForPath(&generator, name, prefix, NULL, NULL),
             "LLVM's JIT", error))
    return false;
  LLVMOrcJITDylibAddGenerator(LLVMOrcLLJITGetMainJITDylib(j->lljit), generator);
  return true;
}

static bool add_libraries(jit *j, LLVMModuleRef module, pm_buf *error) {
  void *other;
  if (!add_library(j, "libc.so.6", &other, error) || !add_library(j, "libm.so.6", &other, error))
    return false;
  if ((declares(module, "GOMP_") || declares(module, "omp_")) &&
      !add_library(j, "libgomp.so.1", &j->openmp, error))
    return false;
  return !declares(module, "_ZGV") || add_library(j, "libmvec.so.1", &other, error);
}

/* --- loading --- */

/* The functions of llvm.global_dtors, which nobody else would call. */
static void list_releases(jit *j, LLVMModuleRef module) {
  static const char end[] = "_release";
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
    size_t len;
    const char *name = LLVMGetValueName2(f, &len);
    bool is_release = len >= sizeof end && !strcmp(name + len - (sizeof end - 1), end);
    if (is_release && LLVMGetLinkage(f) == LLVMExternalLinkage && !LLVMIsDeclaration(f))
      PM_VEC_PUSH(j->releases, pm_xstrdup(name));
  }
}

static void *address_of(const jit *j, const char *name, const char *end) {
  LLVMOrcExecutorAddress address = 0;
  pm_buf symbol = {0};
  pm_buf_printf(&symbol, "%s%s", name, end);
  LLVMErrorRef error = LLVMOrcLLJITLookup(j->lljit, &address, symbol.data);
  if (error) LLVMConsumeError(error);
  pm_buf_free(&symbol);
  return error ? NULL : (void *)(uintptr_t)address;
}

/* C has no cast from object to function pointers, POSIX lets the bits be copied. */
static void set_function(void *function, void *address) {
  *(void **)function = address;
}

static bool find_functions(const jit *j, LLVMModuleRef module, const char *entry, pm_loaded *loaded,
                           pm_buf *error) {
  static const struct {
    const char *end;
    size_t offset;
  } rows[] = {{"", offsetof(pm_loaded, entry)},
              {"_scratch_bytes", offsetof(pm_loaded, scratch_bytes)},
              {"_strerror", offsetof(pm_loaded, describe)}};
  for (size_t i = 0; i < PM_COUNT(rows); i++) {
    pm_buf name = {0};
    pm_buf_printf(&name, "%s%s", entry, rows[i].end);
    bool there = LLVMGetNamedFunction(module, name.data) != NULL;
    void *address = there ? address_of(j, name.data, "") : NULL;
    pm_buf_free(&name);
    if (i == 0 && !there) {
      pm_buf_printf(error, "the program has no function '%s'", entry);
      return false;
    }
    if (there && !address) {
      pm_buf_printf(error, "LLVM's JIT does not link '%s%s'", entry, rows[i].end);
      return false;
    }
    set_function((char *)loaded + rows[i].offset, address);
  }
  return true;
}

static void set_threads(const jit *j, int threads, pm_loaded *loaded) {
  void (*set)(int) = NULL;
  if (!j->openmp) return;
  set_function(&loaded->max_threads, dlsym(j->openmp, "omp_get_max_threads"));
  set_function(&set, dlsym(j->openmp, "omp_set_num_threads"));
  if (threads > 0 && set) set(threads);
}

/* Debuggers are told of the lines, where they are kept. By functions of LLVM that ORC looks for in the
 * process: its shared object has been loaded for us alone. */
static bool support_debuggers(const jit *j, pm_buf *error) {
  (void)dlopen("libLLVM.so.19.1", RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
  return !failed(LLVMOrcLLJITEnableDebugSupport(j->lljit), "LLVM's JIT", error);
}

static bool start(jit *j, const pm_build_options *options, pm_buf *error) {
  LLVMOrcLLJITBuilderRef builder = LLVMOrcCreateLLJITBuilder();
  if (failed(LLVMOrcCreateLLJIT(&j->lljit, builder), "LLVM's JIT does not start", error)) return false;
  return !options->flags || support_debuggers(j, error);
}

/* A file of that extension in the folder. */
static bool keep_file(const pm_work_dir *dir, const char *base, const char *extension, const char *bytes,
                      size_t len, pm_buf *error) {
  char *path = pm_work_dir_file(dir, base, extension);
  bool ok = pm_write_file(path, bytes, len);
  if (!ok) pm_buf_printf(error, "cannot write '%s': %s", path, strerror(errno));
  free(path);
  return ok;
}

/* The text and the object, where the user wants to see what is on the way. */
static bool keep_files(const pm_target_output *text, LLVMMemoryBufferRef code,
                       const pm_build_options *options, pm_buf *error) {
  pm_work_dir dir;
  if (!options->kept_by) return true;
  if (!pm_work_dir_init(&dir, error)) return false;
  bool ok = keep_file(&dir, options->base, "ll", text->source.data, text->source.len, error) &&
            keep_file(&dir, options->base, "o", LLVMGetBufferStart(code), LLVMGetBufferSize(code), error);
  pm_work_dir_free(&dir, options->kept_by);
  return ok;
}

/* Its code, linked. */
static bool link(jit *j, ll_program *program, const pm_target_output *text, const pm_build_options *options,
                 pm_loaded *loaded, pm_buf *error) {
  LLVMMemoryBufferRef code = ll_generate(program, LLVMObjectFile, error);
  if (!code) return false;
  if (!keep_files(text, code, options, error)) {
    LLVMDisposeMemoryBuffer(code);
    return false;
  }
  LLVMOrcJITDylibRef dylib = LLVMOrcLLJITGetMainJITDylib(j->lljit);
  if (failed(LLVMOrcLLJITAddObjectFile(j->lljit, dylib, code), "LLVM's JIT", error)) return false;
  return find_functions(j, program->module, text->entry.data, loaded, error);
}

static void free_jit(jit *j) {
  if (j->lljit) LLVMConsumeError(LLVMOrcDisposeLLJIT(j->lljit));
  for (size_t i = 0; i < j->releases.len; i++) free(j->releases.data[i]);
  PM_VEC_FREE(j->releases);
  free(j);
}

/* Without the destructors that a linker would want: ll_unload does what they do. */
static void take_destructors(jit *j, LLVMModuleRef module) {
  LLVMValueRef all = LLVMGetNamedGlobal(module, "llvm.global_dtors");
  list_releases(j, module);
  if (all) LLVMDeleteGlobal(all);
}

pm_outcome ll_load(const pm_target_output *text, const pm_build_options *options, pm_loaded *loaded,
                   pm_report *report) {
  jit *j = pm_xcalloc(1, sizeof *j);
  ll_program program;
  pm_buf *error = &report->error;
  *loaded = (pm_loaded){0};
  bool ok = ll_read_program(&program, &text->source, options, error);
  if (ok) take_destructors(j, program.module);
  ok = ok && ll_optimize(&program, error) && start(j, options, error) &&
       add_libraries(j, program.module, error) && link(j, &program, text, options, loaded, error);
  ll_free_program(&program);
  if (ok) {
    set_threads(j, options->threads, loaded);
    loaded->handle = j;
  } else {
    free_jit(j);
  }
  return ok ? PM_OUTCOME_OK : PM_OUTCOME_REFUSED;
}

void ll_unload(const pm_loaded *loaded) {
  jit *j = loaded->handle;
  for (size_t i = 0; i < j->releases.len; i++) {
    void (*release)(void) = NULL;
    set_function(&release, address_of(j, j->releases.data[i], ""));
    if (release) release();
  }
  free_jit(j);
}
