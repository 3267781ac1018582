/* The emitted C as functions of this process: a shared object of the system's C compiler, opened by dlopen.
 */
#include "targets/c/cc.h"

#include <dlfcn.h>
#include <stdlib.h>

/* A function by name: C has no cast from object to function pointers, POSIX lets the bits be copied. */
static bool find_function(void *library, const char *name, const char *suffix, void *function) {
  pm_buf symbol = {0};
  pm_buf_printf(&symbol, "%s%s", name, suffix);
  void *found = dlsym(library, symbol.data);
  pm_buf_free(&symbol);
  *(void **)function = found;
  return found != NULL;
}

static bool find_functions(pm_loaded *loaded, const char *name) {
  find_function(loaded->handle, "omp_get_max_threads", "", &loaded->max_threads);
  return find_function(loaded->handle, name, "", &loaded->entry) &&
         find_function(loaded->handle, name, "_scratch_bytes", &loaded->scratch_bytes) &&
         find_function(loaded->handle, name, "_strerror", &loaded->describe);
}

static void set_threads(const pm_loaded *loaded, int threads) {
  void (*set)(int) = NULL;
  if (threads > 0 && find_function(loaded->handle, "omp_set_num_threads", "", &set)) set(threads);
}

/* The library stays mapped when it is closed: OpenMP's threads live on inside its runtime. Those of LLVM
 * would spin for 200 ms after a call, beside what a program of another compiler does next: for 1 ms, unless
 * the user says otherwise. */
static pm_outcome open_library(const char *path, const char *name, int threads, pm_loaded *loaded,
                               pm_report *report) {
  setenv("KMP_BLOCKTIME", "1", 0);
  loaded->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!loaded->handle) {
    pm_buf_printf(&report->error, "cannot load what the C compiler made: %s", dlerror());
    return PM_OUTCOME_REFUSED;
  }
  if (find_functions(loaded, name)) {
    set_threads(loaded, threads);
    return PM_OUTCOME_OK;
  }
  pm_buf_printf(&report->error, "the compiled program lacks a function of '%s': this is a bug", name);
  c_unload(loaded);
  return PM_OUTCOME_BUG;
}

pm_outcome c_load(const pm_target_output *c, const pm_build_options *options, pm_loaded *loaded,
                  pm_report *report) {
  pm_work_dir dir;
  char *path = NULL;
  *loaded = (pm_loaded){0};
  if (!pm_work_dir_init(&dir, &report->error)) return PM_OUTCOME_REFUSED;
  pm_outcome outcome = pm_compile_c(&dir, c, "so", options, &path, report);
  if (outcome == PM_OUTCOME_OK) outcome = open_library(path, c->entry.data, options->threads, loaded, report);
  free(path);
  pm_work_dir_free(&dir, options->kept_by);
  return outcome;
}

void c_unload(const pm_loaded *loaded) {
  dlclose(loaded->handle);
}
