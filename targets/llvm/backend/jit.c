/* The program as functions of this process: an object file in memory, linked by LLVM's ORC. */
#include "targets/llvm/backend/backend.h"

#include "ir/fault.h"

#include <dlfcn.h>
#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/LLJITUtils.h>
#include <llvm-c/Object.h>
#include <llvm-c/Orc.h>
#include <llvm-c/Target.h>
#include <stdlib.h>
#include <string.h>

/* What is open: the handle of pm_loaded. */
typedef struct jit {
  LLVMOrcLLJITRef lljit;
  void *openmp;           /* libgomp, or NULL */
  PM_VEC(char *) symbols; /* those that the object has or calls */
} jit;

/* Takes the error. */
static bool failed(LLVMErrorRef error, const char *what, pm_buf *out) {
  if (error) ll_put_error(out, what, error);
  return error;
}

/* --- what the program calls --- */

static void list_symbols(jit *j, LLVMBinaryRef object) {
  LLVMSymbolIteratorRef at = LLVMObjectFileCopySymbolIterator(object);
  for (; !LLVMObjectFileIsSymbolIteratorAtEnd(object, at); LLVMMoveToNextSymbol(at)) {
    const char *name = LLVMGetSymbolName(at);
    if (name && *name) PM_VEC_PUSH(j->symbols, pm_xstrdup(name));
  }
  LLVMDisposeSymbolIterator(at);
}

/* False with a line in `error`: it is no object file. */
static bool read_symbols(jit *j, LLVMMemoryBufferRef file, pm_buf *error) {
  char *message = NULL;
  LLVMBinaryRef object = LLVMCreateBinary(file, NULL, &message);
  if (object) list_symbols(j, object);
  if (object) LLVMDisposeBinary(object);
  if (!object) pm_buf_printf(error, "LLVM does not read the object file: %s", message);
  if (message) LLVMDisposeMessage(message);
  return object != NULL;
}

static bool begins(const char *name, const char *start) {
  return strncmp(name, start, strlen(start)) == 0;
}

static bool has_symbol(const jit *j, const char *start) {
  for (size_t i = 0; i < j->symbols.len; i++)
    if (begins(j->symbols.data[i], start)) return true;
  return false;
}

static bool has_function(const jit *j, const char *name) {
  for (size_t i = 0; i < j->symbols.len; i++)
    if (strcmp(j->symbols.data[i], name) == 0) return true;
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

static bool uses_pool(const jit *j) {
  return has_function(j, "pm_parallel") || has_function(j, "pm_get_threads");
}

static bool add_libraries(jit *j, pm_buf *error) {
  void *other;
  if (!add_library(j, "libc.so.6", &other, error) || !add_library(j, "libm.so.6", &other, error))
    return false;
  if (uses_pool(j) &&
      !ll_add_pool(LLVMOrcLLJITGetMainJITDylib(j->lljit), LLVMOrcLLJITGetExecutionSession(j->lljit), error))
    return false;
  if ((has_symbol(j, "GOMP_") || has_symbol(j, "omp_")) && !add_library(j, "libgomp.so.1", &j->openmp, error))
    return false;
  return !has_symbol(j, "_ZGV") || add_library(j, "libmvec.so.1", &other, error);
}

/* --- opening --- */

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

static bool find_functions(const jit *j, const char *entry, pm_loaded *loaded, pm_buf *error) {
  static const struct {
    const char *end;
    size_t offset;
  } rows[] = {{"", offsetof(pm_loaded, entry)},
              {"_scratch_bytes", offsetof(pm_loaded, scratch_bytes)},
              {"_extent", offsetof(pm_loaded, extent)},
              {"_strerror", offsetof(pm_loaded, describe)},
              {"_region_at", offsetof(pm_loaded, region)},
              {"_region_at_strerror", offsetof(pm_loaded, describe_region)},
              {"_needs_at", offsetof(pm_loaded, needs)},
              {"_ws", offsetof(pm_loaded, entry_ws)},
              {"_region_at_ws", offsetof(pm_loaded, region_ws)},
              {"_region_at_scratch_bytes", offsetof(pm_loaded, region_scratch_bytes)},
              {"_release", offsetof(pm_loaded, release)},
              {"_region_at_release", offsetof(pm_loaded, release_region)}};
  for (size_t i = 0; i < PM_COUNT(rows); i++) {
    pm_buf name = {0};
    pm_buf_printf(&name, "%s%s", entry, rows[i].end);
    bool there = has_function(j, name.data);
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
  /* A pipeline may be called `f_release`. */
  if (!loaded->entry_ws) loaded->release = NULL;
  if (!loaded->region_ws) loaded->release_region = NULL;
  return true;
}

static void set_threads(const jit *j, int threads, pm_loaded *loaded) {
  if (uses_pool(j)) {
    ll_find_pool(loaded);
    ll_set_pool_threads(threads);
  }
  if (!j->openmp) return;
  set_function(&loaded->max_threads, dlsym(j->openmp, "omp_get_max_threads"));
  set_function(&loaded->set_threads, dlsym(j->openmp, "omp_set_num_threads"));
  if (threads > 0 && loaded->set_threads) loaded->set_threads(threads);
}

/* Debuggers are told of the lines, where they are kept. By functions of LLVM that ORC looks for in the
 * process: its shared object has been loaded for us alone. */
static bool support_debuggers(const jit *j, pm_buf *error) {
  (void)dlopen("libLLVM.so.19.1", RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
  return !failed(LLVMOrcLLJITEnableDebugSupport(j->lljit), "LLVM's JIT", error);
}

static bool start(jit *j, const pm_build_options *options, pm_buf *error) {
  LLVMInitializeNativeTarget();
  LLVMInitializeNativeAsmPrinter();
  LLVMOrcLLJITBuilderRef builder = LLVMOrcCreateLLJITBuilder();
  if (failed(LLVMOrcCreateLLJIT(&j->lljit, builder), "LLVM's JIT does not start", error)) return false;
  return !options->flags || support_debuggers(j, error);
}

/* The code, linked. */
static bool link(jit *j, LLVMMemoryBufferRef file, const char *entry, pm_loaded *loaded, pm_buf *error) {
  LLVMOrcJITDylibRef dylib = LLVMOrcLLJITGetMainJITDylib(j->lljit);
  LLVMMemoryBufferRef own = LLVMCreateMemoryBufferWithMemoryRangeCopy(LLVMGetBufferStart(file),
                                                                      LLVMGetBufferSize(file), "pipeline");
  if (failed(LLVMOrcLLJITAddObjectFile(j->lljit, dylib, own), "LLVM's JIT", error)) return false;
  return find_functions(j, entry, loaded, error);
}

static void free_jit(void *user) {
  jit *j = user;
  if (j->lljit) LLVMConsumeError(LLVMOrcDisposeLLJIT(j->lljit));
  for (size_t i = 0; i < j->symbols.len; i++) free(j->symbols.data[i]);
  PM_VEC_FREE(j->symbols);
  free(j);
}

pm_outcome ll_open(const pm_buf *file, const char *entry, const pm_build_options *options, pm_loaded *loaded,
                   pm_report *report) {
  jit *j = pm_xcalloc(1, sizeof *j);
  pm_buf *error = &report->error;
  *loaded = (pm_loaded){0};
  pm_cleanup freeing;
  pm_cleanup_add(&freeing, free_jit, j);
  LLVMMemoryBufferRef bytes = LLVMCreateMemoryBufferWithMemoryRange(file->data, file->len, "pipeline", false);
  bool ok = read_symbols(j, bytes, error) && start(j, options, error) && add_libraries(j, error) &&
            link(j, bytes, entry, loaded, error);
  LLVMDisposeMemoryBuffer(bytes);
  pm_cleanup_remove(&freeing);
  if (ok) {
    set_threads(j, options->threads, loaded);
    loaded->handle = j;
  } else {
    free_jit(j);
  }
  return ok ? PM_OUTCOME_OK : PM_OUTCOME_REFUSED;
}

static bool ends_in(const char *name, const char *end) {
  size_t len = strlen(name), n = strlen(end);
  return len >= n && strcmp(name + len - n, end) == 0;
}

/* `f_release` gives back what calls of `f_ws` have kept; a pipeline may have that name itself. */
static bool is_release(const jit *j, const char *name) {
  static const char end[] = "_release";
  if (!ends_in(name, end)) return false;
  pm_buf with_workspace = {0};
  pm_buf_printf(&with_workspace, "%.*s_ws", (int)(strlen(name) - strlen(end)), name);
  bool is = has_function(j, with_workspace.data);
  pm_buf_free(&with_workspace);
  return is;
}

/* Calls the functions that give back what calls have kept. */
void ll_close(const pm_loaded *loaded) {
  jit *j = loaded->handle;
  for (size_t i = 0; i < j->symbols.len; i++) {
    void (*release)(void) = NULL;
    if (!is_release(j, j->symbols.data[i])) continue;
    set_function(&release, address_of(j, j->symbols.data[i], ""));
    if (release) release();
  }
  free_jit(j);
}
