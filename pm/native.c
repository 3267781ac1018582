#include "pm/native.h"

#include "targets/lib/library.h"

#include <ffi.h>
#include <stdlib.h>

typedef union scalar_cell {
  uint8_t bytes[8];
  int64_t i;
  double d;
} scalar_cell;

/* An array of the host that is on the device, too. */
typedef struct there {
  const void *host;
  void *array;
} there;

struct pm_native {
  void (*close)(const pm_loaded *loaded);
  pm_loaded loaded; /* without an entry: not yet */
  ffi_cif entry_cif, scratch_cif, extent_cif, device_cif, region_cif, needs_cif;
  ffi_cif entry_ws_cif, region_ws_cif, region_scratch_cif;
  size_t n_params, n_args, n_bounds;
  pm_scalar *params; /* types */
  ffi_type **types;  /* of a queue, and of all arguments */
  ffi_type **extent_types, **needs_types;
  ffi_type **ws_types, **region_ws_types; /* of a workspace, of its bytes, and of all arguments */
  scalar_cell *scalars;
  void **pointers; /* n_args array addresses; the first n_params are unused */
  void **values;   /* n_args addresses of arguments, behind that of `queue` */
  void *queue;     /* NULL: the device's own */
  PM_VEC(there) there;
};

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

/* The calling conventions of the function and of its _scratch_bytes, which takes the scalars only. */
static bool prepare_calls(pm_native *native, const stage_signature *sig, pm_buf *error) {
  native->n_params = sig->params.len;
  native->n_args = sig->params.len + sig->inputs.len + sig->outputs.len;
  native->params = pm_xcalloc(native->n_params, sizeof *native->params);
  native->types = pm_xcalloc(native->n_args + 1, sizeof *native->types);
  native->types[0] = &ffi_type_pointer;
  native->extent_types = pm_xcalloc(native->n_params + 2, sizeof *native->extent_types);
  native->scalars = pm_xcalloc(native->n_args + 1, sizeof *native->scalars);
  native->pointers = pm_xcalloc(native->n_args + 1, sizeof *native->pointers);
  native->values = pm_xcalloc(native->n_args + 1, sizeof *native->values);
  native->values[0] = &native->queue;
  for (size_t i = 0; i < native->n_args; i++) {
    bool scalar = i < native->n_params;
    if (scalar) native->params[i] = (pm_scalar)sig->params.data[i].type->scalar;
    native->types[i + 1] = scalar ? ffi_type_of(native->params[i]) : &ffi_type_pointer;
    native->values[i + 1] = scalar ? (void *)&native->scalars[i] : (void *)&native->pointers[i];
    if (!native->types[i + 1])
      return pm_failf(error, "@%s cannot be passed to C", sig->params.data[i].name->text);
    if (scalar) native->extent_types[i] = native->types[i + 1];
  }
  native->extent_types[native->n_params] = native->extent_types[native->n_params + 1] = &ffi_type_sint32;
  if (ffi_prep_cif(&native->entry_cif, FFI_DEFAULT_ABI, (unsigned)native->n_args, &ffi_type_sint,
                   native->types + 1) ||
      ffi_prep_cif(&native->device_cif, FFI_DEFAULT_ABI, (unsigned)native->n_args + 1, &ffi_type_sint,
                   native->types) ||
      ffi_prep_cif(&native->extent_cif, FFI_DEFAULT_ABI, (unsigned)native->n_params + 2, &ffi_type_sint64,
                   native->extent_types) ||
      ffi_prep_cif(&native->scratch_cif, FFI_DEFAULT_ABI, (unsigned)native->n_params, &ffi_type_sint64,
                   native->types + 1))
    return pm_failf(error, "libffi refuses the signature of @%s: this is a bug", sig->name->text);
  return true;
}

static bool prepare_workspace(pm_native *native, pm_buf *error) {
  native->ws_types = pm_xcalloc(native->n_args + 2, sizeof *native->ws_types);
  native->ws_types[0] = &ffi_type_pointer;
  native->ws_types[1] = &ffi_type_sint64;
  for (size_t i = 0; i < native->n_args; i++) native->ws_types[2 + i] = native->types[1 + i];
  return ffi_prep_cif(&native->entry_ws_cif, FFI_DEFAULT_ABI, (unsigned)native->n_args + 2, &ffi_type_sint,
                      native->ws_types) == FFI_OK ||
         pm_failf(error, "libffi refuses a workspace: this is a bug");
}

static size_t count_strides(const stage_arg *arrays, size_t n_arrays) {
  size_t n = 0;
  for (size_t i = 0; i < n_arrays; i++) n += arrays[i].n_dims > 0 ? arrays[i].n_dims - 1 : 0;
  return n;
}

/* Those of the functions for boxes. */
static bool prepare_region(pm_native *native, const stage_signature *sig, const abi_region *region,
                           pm_buf *error) {
  size_t n_strides = count_strides(sig->inputs.data, sig->inputs.len) +
                     count_strides(sig->outputs.data, sig->outputs.len),
         n = native->n_params;
  native->n_bounds = region->bounds.len;
  native->region_ws_types =
      pm_xcalloc(native->n_args + native->n_bounds + n_strides + 2, sizeof *native->region_ws_types);
  native->region_ws_types[0] = &ffi_type_pointer;
  native->region_ws_types[1] = &ffi_type_sint64;
  ffi_type **types = native->region_ws_types + 2;
  native->needs_types = pm_xcalloc(n + native->n_bounds + 3, sizeof *native->needs_types);
  for (size_t i = 0; i < n; i++) types[i] = native->types[i + 1];
  for (size_t i = 0; i < native->n_bounds; i++) types[n++] = ffi_type_of(region->bounds.data[i].type);
  for (size_t i = 0; i < n; i++) native->needs_types[i] = types[i];
  for (size_t i = 0; i < 3; i++) native->needs_types[n + i] = &ffi_type_sint32;
  if (ffi_prep_cif(&native->needs_cif, FFI_DEFAULT_ABI, (unsigned)n + 3, &ffi_type_sint64,
                   native->needs_types))
    return pm_failf(error, "libffi refuses the signature of @%s: this is a bug", sig->name->text);
  for (size_t i = 0; i < n_strides; i++) types[n++] = &ffi_type_sint64;
  if (ffi_prep_cif(&native->region_scratch_cif, FFI_DEFAULT_ABI, (unsigned)n, &ffi_type_sint64, types))
    return pm_failf(error, "libffi refuses the signature of @%s: this is a bug", sig->name->text);
  for (size_t i = native->n_params; i < native->n_args; i++) types[n++] = &ffi_type_pointer;
  if (ffi_prep_cif(&native->region_cif, FFI_DEFAULT_ABI, (unsigned)n, &ffi_type_sint, types) ||
      ffi_prep_cif(&native->region_ws_cif, FFI_DEFAULT_ABI, (unsigned)n + 2, &ffi_type_sint,
                   native->region_ws_types))
    return pm_failf(error, "libffi refuses the signature of @%s: this is a bug", sig->name->text);
  return true;
}

/* All that takes memory comes before what a fault could not release. */
static pm_native *new_native(const stage_signature *sig, const abi_region *region,
                             void (*close)(const pm_loaded *loaded), pm_outcome *outcome, pm_report *report) {
  pm_native *native = pm_xcalloc(1, sizeof *native);
  native->close = close;
  bool ok = prepare_calls(native, sig, &report->error) && prepare_workspace(native, &report->error) &&
            (!region || prepare_region(native, sig, region, &report->error));
  *outcome = ok ? PM_OUTCOME_OK : PM_OUTCOME_BUG;
  return native;
}

/* NULL where it was not opened. */
static pm_native *finish(pm_native *native, pm_outcome outcome) {
  if (outcome == PM_OUTCOME_OK) return native;
  native->loaded.entry = NULL;
  pm_native_free(native);
  return NULL;
}

pm_native *pm_native_new(const stage_signature *sig, const abi_region *region, const pm_target *target,
                         const pm_buf *file, const char *entry, const pm_build_options *options,
                         pm_outcome *outcome, pm_report *report) {
  pm_native *native = new_native(sig, region, target->close, outcome, report);
  if (*outcome == PM_OUTCOME_OK) *outcome = target->open(file, entry, options, &native->loaded, report);
  return finish(native, *outcome);
}

pm_native *pm_native_open(const stage_signature *sig, const char *path, const char *entry, int threads,
                          pm_outcome *outcome, pm_report *report) {
  pm_native *native = new_native(sig, NULL, pm_close_library, outcome, report);
  pm_buf called = {0};
  pm_buf_printf(&called, "'%s'", path);
  if (*outcome == PM_OUTCOME_OK &&
      !pm_open_library(path, called.data, entry, threads, &native->loaded, &report->error))
    *outcome = PM_OUTCOME_REFUSED;
  pm_buf_free(&called);
  return finish(native, *outcome);
}

void pm_native_free(pm_native *native) {
  if (!native) return;
  if (native->loaded.entry) pm_native_forget(native);
  if (native->loaded.entry) native->close(&native->loaded);
  PM_VEC_FREE(native->there);
  free(native->params);
  free(native->types);
  free(native->extent_types);
  free(native->ws_types);
  free(native->region_ws_types);
  free(native->needs_types);
  free(native->scalars);
  free(native->pointers);
  free(native->values);
  free(native);
}

static void set_scalars(pm_native *native, const pm_call *call) {
  for (size_t i = 0; i < native->n_params; i++)
    arith_store_lanes(native->params[i], &call->params[i], &native->scalars[i], 1, 1);
}

int pm_native_call(pm_native *native, const pm_call *call) {
  ffi_arg result = 0;
  set_scalars(native, call);
  void **pointer = native->pointers + native->n_params;
  for (size_t i = 0; i < call->n_inputs; i++) *pointer++ = call->inputs[i].data;
  for (size_t i = 0; i < call->n_outputs; i++) *pointer++ = call->outputs[i].data;
  ffi_call(&native->entry_cif, native->loaded.entry, &result, native->values + 1);
  return (int)result;
}

int pm_native_call_at(const pm_native *native, void **values) {
  ffi_arg result = 0;
  ffi_cif cif = native->entry_cif;
  ffi_call(&cif, native->loaded.entry, &result, values);
  return (int)result;
}

int64_t pm_native_extent_at(const pm_native *native, void **values, int32_t array, int32_t dimension) {
  int64_t result = 0;
  ffi_cif cif = native->extent_cif;
  values[native->n_params] = &array;
  values[native->n_params + 1] = &dimension;
  ffi_call(&cif, native->loaded.extent, &result, values);
  return result;
}

int pm_native_region_at(const pm_native *native, void **values) {
  ffi_arg result = 0;
  ffi_cif cif = native->region_cif;
  ffi_call(&cif, native->loaded.region, &result, values);
  return (int)result;
}

int64_t pm_native_needs_at(const pm_native *native, void **values, int32_t array, int32_t dimension,
                           int32_t end) {
  int64_t result = 0;
  ffi_cif cif = native->needs_cif;
  void **more = values + native->n_params + native->n_bounds;
  more[0] = &array;
  more[1] = &dimension;
  more[2] = &end;
  ffi_call(&cif, native->loaded.needs, &result, values);
  return result;
}

int64_t pm_native_scratch_bytes_at(const pm_native *native, void **values) {
  int64_t result = 0;
  ffi_cif cif = native->scratch_cif;
  if (native->loaded.scratch_bytes) ffi_call(&cif, native->loaded.scratch_bytes, &result, values);
  return result;
}

int64_t pm_native_region_bytes_at(const pm_native *native, void **values) {
  int64_t result = 0;
  ffi_cif cif = native->region_scratch_cif;
  if (native->loaded.region_scratch_bytes)
    ffi_call(&cif, native->loaded.region_scratch_bytes, &result, values);
  return result;
}

/* --- other memory and other threads --- */

static int call_in(ffi_cif cif, void (*function)(void), void **values, void *memory, int64_t bytes) {
  ffi_arg result = 0;
  values[-2] = &memory;
  values[-1] = &bytes;
  ffi_call(&cif, function, &result, values - 2);
  return (int)result;
}

int pm_native_call_in(const pm_native *native, void **values, void *memory, int64_t bytes) {
  return call_in(native->entry_ws_cif, native->loaded.entry_ws, values, memory, bytes);
}

int pm_native_region_in(const pm_native *native, void **values, void *memory, int64_t bytes) {
  return call_in(native->region_ws_cif, native->loaded.region_ws, values, memory, bytes);
}

bool pm_native_has_workspace(const pm_native *native, bool of_region) {
  return of_region ? native->loaded.region_ws && native->loaded.region_scratch_bytes
                   : native->loaded.entry_ws && native->loaded.scratch_bytes;
}

void pm_native_release(const pm_native *native) {
  if (native->loaded.release) native->loaded.release();
  if (native->loaded.release_region) native->loaded.release_region();
}

/* OpenMP's numbers are of the thread that calls. */
void pm_native_begin(const pm_native *native, pm_native_way *way) {
  const pm_loaded *l = &native->loaded;
  way->before = 0;
  if (l->begin_call) {
    l->begin_call(way->room, way->threads, way->tell, way->user);
  } else if (l->set_threads && l->max_threads && way->threads > 0) {
    way->before = l->max_threads();
    l->set_threads(way->threads < way->before ? way->threads : way->before);
  }
}

void pm_native_end(const pm_native *native, pm_native_way *way) {
  const pm_loaded *l = &native->loaded;
  if (l->begin_call)
    l->end_call(way->room);
  else if (way->before)
    l->set_threads(way->before);
}

bool pm_native_has_extents(const pm_native *native) {
  return native->loaded.extent != NULL;
}

/* --- arrays on the device --- */

static void *find_there(const pm_native *native, const void *host) {
  for (size_t i = 0; i < native->there.len; i++)
    if (native->there.data[i].host == host) return native->there.data[i].array;
  return NULL;
}

/* Where the array is on the device. What a call does not write of an output is what the host has. */
static int bring(pm_native *native, const pm_array *a, void **array) {
  const pm_device_calls *device = &native->loaded.device;
  *array = find_there(native, a->data);
  if (*array) return 0;
  size_t bytes = (size_t)pm_array_bytes(a);
  *array = device->array(bytes);
  if (!*array) return PM_DEVICE_FAILED;
  PM_VEC_PUSH(native->there, ((there){a->data, *array}));
  return device->write(*array, a->data, bytes);
}

int pm_native_call_there(pm_native *native, const pm_call *call) {
  ffi_arg result = 0;
  if (!native->loaded.device.entry) return pm_native_call(native, call);
  set_scalars(native, call);
  void **pointer = native->pointers + native->n_params;
  int code = 0;
  for (size_t i = 0; !code && i < call->n_inputs; i++) code = bring(native, &call->inputs[i], pointer++);
  for (size_t i = 0; !code && i < call->n_outputs; i++) code = bring(native, &call->outputs[i], pointer++);
  if (code) return code;
  ffi_call(&native->device_cif, native->loaded.device.entry, &result, native->values);
  return (int)result;
}

int pm_native_wait(pm_native *native) {
  return native->loaded.device.entry ? native->loaded.device.wait() : 0;
}

int pm_native_fetch(pm_native *native, const pm_array *arrays, size_t n) {
  int code = 0;
  for (size_t i = 0; !code && i < n; i++) {
    void *array = find_there(native, arrays[i].data);
    if (array) code = native->loaded.device.read(array, arrays[i].data, (size_t)pm_array_bytes(&arrays[i]));
  }
  return code;
}

void pm_native_forget(pm_native *native) {
  for (size_t i = 0; i < native->there.len; i++) native->loaded.device.free(native->there.data[i].array);
  native->there.len = 0;
}

int pm_native_profile(pm_native *native, bool on) {
  pm_native_forget(native);
  return native->loaded.device.entry ? native->loaded.device.profile(on) : 0;
}

int pm_native_reset_times(pm_native *native) {
  return native->loaded.device.profile(1);
}

bool pm_native_has_device(const pm_native *native) {
  return native->loaded.device.entry != NULL;
}

bool pm_native_kernel_times(pm_native *native, int number, pm_kernel_times *times) {
  return native->loaded.device.entry && native->loaded.device.times(number, times);
}

const char *pm_native_strerror(const pm_native *native, int code) {
  return native->loaded.describe ? native->loaded.describe(code) : NULL;
}

const char *pm_native_region_strerror(const pm_native *native, int code) {
  return native->loaded.describe_region ? native->loaded.describe_region(code) : NULL;
}

int64_t pm_native_scratch_bytes(pm_native *native, const pm_call *call) {
  int64_t result = 0;
  if (!native->loaded.scratch_bytes) return 0;
  set_scalars(native, call);
  ffi_call(&native->scratch_cif, native->loaded.scratch_bytes, &result, native->values + 1);
  return result;
}

int pm_native_threads(const pm_native *native) {
  return native->loaded.max_threads ? native->loaded.max_threads() : 1;
}
