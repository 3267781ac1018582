#define _GNU_SOURCE /* dladdr */
#include "targets/lib/library.h"

#include "ir/fault.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* A function by name: C has no cast from object to function pointers, POSIX lets the bits be copied. */
static bool find_function(void *library, const char *name, const char *suffix, void *function) {
  pm_buf symbol = {0};
  pm_buf_printf(&symbol, "%s%s", name, suffix);
  void *found = dlsym(library, symbol.data);
  pm_buf_free(&symbol);
  *(void **)function = found;
  return found != NULL;
}

/* All or none. */
static void find_device(pm_loaded *loaded, const char *name) {
  pm_device_calls *d = &loaded->device;
  bool all = find_function(loaded->handle, name, "_device", &d->entry) &&
             find_function(loaded->handle, name, "_device_array", &d->array) &&
             find_function(loaded->handle, name, "_device_free", &d->free) &&
             find_function(loaded->handle, name, "_device_write", &d->write) &&
             find_function(loaded->handle, name, "_device_read", &d->read) &&
             find_function(loaded->handle, name, "_device_wait", &d->wait) &&
             find_function(loaded->handle, name, "_profile", &d->profile) &&
             find_function(loaded->handle, name, "_kernel_times", &d->times);
  if (!all) *d = (pm_device_calls){0};
}

/* A pipeline may be called `f_release`, so that is found only beside `f_ws`. */
static void find_workspaces(pm_loaded *loaded, const char *name) {
  if (find_function(loaded->handle, name, "_ws", &loaded->entry_ws))
    find_function(loaded->handle, name, "_release", &loaded->release);
  if (!find_function(loaded->handle, name, "_region_at_ws", &loaded->region_ws)) return;
  find_function(loaded->handle, name, "_region_at_release", &loaded->release_region);
  find_function(loaded->handle, name, "_region_at_scratch_bytes", &loaded->region_scratch_bytes);
}

static void find_threads(pm_loaded *loaded) {
  if (find_function(loaded->handle, "pm_get_threads", "", &loaded->max_threads)) {
    find_function(loaded->handle, "pm_begin_call", "", &loaded->begin_call);
    find_function(loaded->handle, "pm_end_call", "", &loaded->end_call);
  } else if (find_function(loaded->handle, "omp_get_max_threads", "", &loaded->max_threads)) {
    find_function(loaded->handle, "omp_set_num_threads", "", &loaded->set_threads);
  }
}

static bool find_functions(pm_loaded *loaded, const char *name) {
  find_device(loaded, name);
  find_threads(loaded);
  find_function(loaded->handle, name, "_scratch_bytes", &loaded->scratch_bytes);
  find_function(loaded->handle, name, "_extent", &loaded->extent);
  find_function(loaded->handle, name, "_strerror", &loaded->describe);
  find_function(loaded->handle, name, "_region_at", &loaded->region);
  find_function(loaded->handle, name, "_region_at_strerror", &loaded->describe_region);
  find_function(loaded->handle, name, "_needs_at", &loaded->needs);
  find_workspaces(loaded, name);
  return find_function(loaded->handle, name, "", &loaded->entry);
}

static void set_threads(const pm_loaded *loaded, int threads) {
  void (*set)(int) = NULL;
  if (threads > 0 && (find_function(loaded->handle, "pm_set_threads", "", &set) ||
                      find_function(loaded->handle, "omp_set_num_threads", "", &set)))
    set(threads);
}

/* By a path with a slash, since dlopen looks for other names where the system has its libraries. */
static void *open_file(const char *path) {
  pm_buf file = {0};
  pm_buf_printf(&file, "%s%s", strchr(path, '/') ? "" : "./", path);
  void *handle = dlopen(file.data, RTLD_NOW | RTLD_LOCAL);
  pm_buf_free(&file);
  return handle;
}

/* OpenMP's runtime stays mapped when the library is closed: its threads live on. */
static void keep_runtime(void *library) {
  Dl_info where;
  const void *function = dlsym(library, "omp_get_max_threads");
  void *runtime = function && dladdr(function, &where) && where.dli_fname
                      ? dlopen(where.dli_fname, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)
                      : NULL;
  if (runtime) dlclose(runtime);
}

static void close_handle(void *handle) {
  dlclose(handle);
}

static bool find_all(pm_loaded *loaded, const char *called, const char *entry, int threads, pm_buf *error) {
  keep_runtime(loaded->handle);
  if (find_functions(loaded, entry)) {
    set_threads(loaded, threads);
    return true;
  }
  pm_buf_printf(error, "%s has no function '%s'", called, entry);
  return false;
}

bool pm_open_library(const char *path, const char *called, const char *entry, int threads, pm_loaded *loaded,
                     pm_buf *error) {
  pm_cleanup closing;
  *loaded = (pm_loaded){.handle = open_file(path)};
  if (!loaded->handle) {
    pm_buf_printf(error, "%s cannot be loaded: %s", called, dlerror());
    return false;
  }
  pm_cleanup_add(&closing, close_handle, loaded->handle);
  bool ok = find_all(loaded, called, entry, threads, error);
  pm_cleanup_remove(&closing);
  if (!ok) pm_close_library(loaded);
  return ok;
}

void pm_close_library(const pm_loaded *loaded) {
  dlclose(loaded->handle);
}
