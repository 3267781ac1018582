#include "tools/lib/driver/native.h"

#include "tools/lib/driver/message.h"
#include "tools/lib/driver/process.h"

#include <dlfcn.h>
#include <ffi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef union scalar_cell {
  uint8_t bytes[8];
  int64_t i;
  double d;
} scalar_cell;

struct pm_native {
  const stage_signature *sig;
  void *library;
  void (*entry)(void), (*scratch)(void);
  const char *(*describe)(int);
  int (*max_threads)(void);
  ffi_cif entry_cif, scratch_cif;
  size_t n_params, n_args;
  ffi_type **types;
  scalar_cell *scalars;
  void **pointers; /* n_args array addresses; the first n_params are unused */
  void **values;   /* n_args addresses of arguments */
  double cc_seconds;
};

double pm_clock_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static ffi_type *ffi_type_of(pm_scalar scalar) {
  switch (scalar) {
  case PM_I1:
  case PM_U8:
    return &ffi_type_uint8;
  case PM_I8:
    return &ffi_type_sint8;
  case PM_I16:
    return &ffi_type_sint16;
  case PM_U16:
    return &ffi_type_uint16;
  case PM_I32:
    return &ffi_type_sint32;
  case PM_U32:
    return &ffi_type_uint32;
  case PM_I64:
  case PM_INDEX:
    return &ffi_type_sint64;
  case PM_U64:
    return &ffi_type_uint64;
  case PM_F32:
    return &ffi_type_float;
  case PM_F64:
    return &ffi_type_double;
  default:
    return NULL;
  }
}

/* A function by name: C has no cast from object to function pointers, POSIX lets the bits be copied. */
static bool find_function(void *library, const char *name, const char *suffix, void *function) {
  pm_buf symbol = {0};
  pm_buf_printf(&symbol, "%s%s", name, suffix);
  void *found = dlsym(library, symbol.data);
  pm_buf_free(&symbol);
  *(void **)function = found;
  return found != NULL;
}

static bool find_functions(pm_native *native, const char *name, pm_buf *error) {
  find_function(native->library, "omp_get_max_threads", "", &native->max_threads);
  if (!find_function(native->library, name, "", &native->entry) ||
      !find_function(native->library, name, "_scratch_bytes", &native->scratch) ||
      !find_function(native->library, name, "_strerror", &native->describe))
    return pm_failf(error, "the compiled program lacks a function of '%s': this is a bug", name);
  return true;
}

static void set_threads(pm_native *native, int threads) {
  void (*set)(int) = NULL;
  if (threads > 0 && find_function(native->library, "omp_set_num_threads", "", &set)) set(threads);
}

/* The calling conventions of the function and of its _scratch_bytes, which takes the scalars only. */
static bool prepare_calls(pm_native *native, pm_buf *error) {
  const stage_signature *sig = native->sig;
  native->n_params = sig->params.len;
  native->n_args = sig->params.len + sig->inputs.len + sig->outputs.len;
  native->types = pm_xcalloc(native->n_args + 1, sizeof *native->types);
  native->scalars = pm_xcalloc(native->n_args + 1, sizeof *native->scalars);
  native->pointers = pm_xcalloc(native->n_args + 1, sizeof *native->pointers);
  native->values = pm_xcalloc(native->n_args + 1, sizeof *native->values);
  for (size_t i = 0; i < native->n_args; i++) {
    bool scalar = i < native->n_params;
    native->types[i] = scalar ? ffi_type_of((pm_scalar)sig->params.data[i].type->scalar) : &ffi_type_pointer;
    native->values[i] = scalar ? (void *)&native->scalars[i] : (void *)&native->pointers[i];
    if (!native->types[i])
      return pm_failf(error, "@%s cannot be passed to C", sig->params.data[i].name->text);
  }
  if (ffi_prep_cif(&native->entry_cif, FFI_DEFAULT_ABI, (unsigned)native->n_args, &ffi_type_sint,
                   native->types) ||
      ffi_prep_cif(&native->scratch_cif, FFI_DEFAULT_ABI, (unsigned)native->n_params, &ffi_type_sint64,
                   native->types))
    return pm_failf(error, "libffi refuses the signature of @%s: this is a bug", sig->name->text);
  return true;
}

/* The library stays mapped when it is closed: OpenMP's threads live on inside its runtime. Those of LLVM
 * would spin for 200 ms after a call, beside what a program of another compiler does next: for 1 ms, unless
 * the user says otherwise. */
static bool load(pm_native *native, const char *path, const char *name, pm_buf *error) {
  setenv("KMP_BLOCKTIME", "1", 0);
  native->library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!native->library) return pm_failf(error, "cannot load the compiled program: %s", dlerror());
  return find_functions(native, name, error) && prepare_calls(native, error);
}

static int load_or_report(pm_native *native, const char *path, const pm_target_output *c, int threads,
                          const char *tool) {
  pm_buf error = {0};
  bool ok = load(native, path, c->entry.data, &error);
  if (ok)
    set_threads(native, threads);
  else
    pm_print_error(tool, &error);
  return ok ? PM_EXIT_OK : PM_EXIT_BUG;
}

pm_native *pm_native_new(const stage_signature *sig, const pm_target_output *c, const char *base,
                         const pm_cc_options *options, int threads, int *code) {
  pm_work_dir dir;
  char *path = NULL;
  *code = PM_EXIT_INPUT;
  if (!pm_work_dir_init(&dir, options->tool)) return NULL;
  pm_native *native = pm_xcalloc(1, sizeof *native);
  native->sig = sig;
  double begin = pm_children_seconds();
  *code = pm_compile_c(&dir, base, c, PM_CC_SHARED, options, &path);
  native->cc_seconds = pm_children_seconds() - begin;
  if (*code == PM_EXIT_OK) *code = load_or_report(native, path, c, threads, options->tool);
  free(path);
  pm_work_dir_free(&dir, options->keep);
  if (*code == PM_EXIT_OK) return native;
  pm_native_free(native);
  return NULL;
}

void pm_native_free(pm_native *native) {
  if (!native) return;
  if (native->library) dlclose(native->library);
  free(native->types);
  free(native->scalars);
  free(native->pointers);
  free(native->values);
  free(native);
}

static void set_scalars(pm_native *native, const pm_call *call) {
  for (size_t i = 0; i < native->n_params; i++)
    arith_store_lanes((pm_scalar)native->sig->params.data[i].type->scalar, &call->params[i],
                      &native->scalars[i], 1, 1);
}

int pm_native_call(pm_native *native, const pm_call *call) {
  ffi_arg result = 0;
  set_scalars(native, call);
  void **pointer = native->pointers + native->n_params;
  for (size_t i = 0; i < call->n_inputs; i++) *pointer++ = call->inputs[i].data;
  for (size_t i = 0; i < call->n_outputs; i++) *pointer++ = call->outputs[i].data;
  ffi_call(&native->entry_cif, native->entry, &result, native->values);
  return (int)result;
}

const char *pm_native_strerror(pm_native *native, int code) {
  return native->describe(code);
}

int64_t pm_native_scratch_bytes(pm_native *native, const pm_call *call) {
  int64_t result = 0;
  set_scalars(native, call);
  ffi_call(&native->scratch_cif, native->scratch, &result, native->values);
  return result;
}

double pm_native_cc_seconds(const pm_native *native) {
  return native->cc_seconds;
}

int pm_native_threads(const pm_native *native) {
  return native->max_threads ? native->max_threads() : 1;
}
