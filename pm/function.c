/* Calls of functions that programs have become. */
#include "pm/function.h"

#include <stdlib.h>
#include <string.h>

#include "targets/abi/buffer_types.inc"

_Static_assert((int)PM_TYPE_INDEX == (int)PM_INDEX && (int)PM_TYPE_F32 == (int)PM_F32,
               "types of buffers are numbered as those of the IR");

/* --- what it is --- */

static void describe_all(const stage_arg *args, size_t n, pm_parameter_kind kind, pm_parameter **at) {
  for (size_t i = 0; i < n; i++)
    *(*at)++ = (pm_parameter){.kind = kind,
                              .name = pm_xstrdup(args[i].name->text),
                              .type = (int32_t)args[i].type->scalar,
                              .dimensions = kind == PM_SCALAR ? 0 : (int32_t)args[i].n_dims};
}

static void describe_region(pm_function *f, const abi_region *region) {
  f->n_bounds = region->bounds.len;
  f->bounds = pm_xcalloc(f->n_bounds, sizeof *f->bounds);
  f->boxes = pm_xcalloc(f->n_arrays, sizeof *f->boxes);
  for (size_t i = 0; i < f->n_bounds; i++) f->bounds[i] = region->bounds.data[i];
  f->firsts = pm_xcalloc(f->n_arrays, sizeof *f->firsts);
  f->ranks = pm_xcalloc(f->n_arrays, sizeof *f->ranks);
  for (size_t i = 0; i < f->n_arrays; i++) {
    f->boxes[i] = region->boxes.data[i];
    f->firsts[i] = region->firsts.data[i];
    f->ranks[i] = f->parameters[f->n_scalars + i].dimensions;
  }
}

void pm_function_describe(pm_function *f, const stage_signature *sig, const pm_extents *extents,
                          const abi_region *region) {
  f->n_scalars = sig->params.len;
  f->n_arrays = sig->inputs.len + sig->outputs.len;
  f->name = pm_xstrdup(sig->name->text);
  f->parameters = pm_xcalloc(f->n_scalars + f->n_arrays, sizeof *f->parameters);
  pm_parameter *at = f->parameters;
  describe_all(sig->params.data, sig->params.len, PM_SCALAR, &at);
  describe_all(sig->inputs.data, sig->inputs.len, PM_INPUT, &at);
  describe_all(sig->outputs.data, sig->outputs.len, PM_OUTPUT, &at);
  f->extents = pm_extents_copy(extents, f->n_scalars);
  f->first_extents = pm_xcalloc(f->n_arrays + 1, sizeof *f->first_extents);
  for (size_t i = 0; i < f->n_arrays; i++)
    f->first_extents[i + 1] = f->first_extents[i] + (size_t)f->parameters[f->n_scalars + i].dimensions;
  if (region) describe_region(f, region);
}

const char *pm_function_name(const pm_function *f) {
  return f ? f->name : "";
}

size_t pm_function_parameters(const pm_function *f) {
  return f ? f->n_scalars + f->n_arrays : 0;
}

int pm_function_parameter(const pm_function *f, size_t number, pm_parameter *parameter) {
  if (number >= pm_function_parameters(f) || !parameter) return 0;
  *parameter = f->parameters[number];
  return 1;
}

const char *pm_function_strerror(const pm_function *f, int code) {
  const char *text = pm_call_code_text(code);
  if (!text && f) text = pm_native_strerror(f->native, code);
  return text ? text : "unknown error";
}

const char *pm_call_code_text(int code) {
  switch (code) {
  case 0:
    return "no error";
  case PM_CALL_WRONG_COUNT:
    return "the call has fewer or more scalars or arrays than the function";
  case PM_CALL_BAD_SCALAR:
    return "the type of a scalar does not have its value";
  case PM_CALL_NULL:
    return "the function, or what is no array, is a null pointer";
  case PM_CALL_NO_BOXES:
    return "the function computes no boxes";
  case PM_CALL_WORKSPACE_IN_USE:
    return "the workspace is in use by another call: each call that runs at the same time needs its own";
  case PM_CALL_BAD_THREADS:
    return "the number of threads is negative";
  case PM_CALL_NO_EVENTS:
    return "the function was made with parallel = \"openmp\", whose threads do not tell what they do";
  default:
    return NULL;
  }
}

/* --- arguments --- */

bool pm_set_integer(pm_scalar_cell *cell, pm_scalar type, int64_t value) {
  const pm_scalar_info *info = pm_get_scalar_info(type);
  size_t bytes = pm_scalar_bytes(type);
  unsigned bits = type == PM_I1 ? 1 : (unsigned)bytes * 8;
  bool is_unsigned = info->name[0] == 'u' || bits == 1;
  cell->u64 = (uint64_t)value;
  if (bits == 64) return !is_unsigned || value >= 0;
  int64_t low = is_unsigned ? 0 : -((int64_t)1 << (bits - 1));
  int64_t high = ((int64_t)1 << (bits - (is_unsigned ? 0 : 1))) - 1;
  if (value < low || value > high) return false;
  if (bytes == 1) cell->u8 = (uint8_t)value;
  if (bytes == 2) cell->u16 = (uint16_t)value;
  if (bytes == 4) cell->u32 = (uint32_t)value;
  return true;
}

static bool set_scalar(pm_scalar_cell *cell, int32_t type, pm_argument argument) {
  if (type == PM_TYPE_F32)
    cell->f32 = (float)argument.f;
  else if (type == PM_TYPE_F64)
    cell->f64 = argument.f;
  else
    return pm_set_integer(cell, (pm_scalar)type, argument.i);
  return true;
}

bool pm_set_scalars(const pm_function *f, const pm_argument *scalars, pm_scalar_cell *cells, void **values) {
  for (size_t i = 0; i < f->n_scalars; i++) {
    values[i] = &cells[i];
    if (!set_scalar(&cells[i], f->parameters[i].type, scalars[i])) return false;
  }
  return true;
}

/* --- calls --- */

/* One call: the addresses of all arguments, with room for two more ahead and two behind the scalars, and what
 * they are the addresses of. */
typedef struct frame {
  const pm_function *f;
  const pm_argument *scalars;
  const pm_buffer *const *buffers;
  pm_scalar_cell *cells;
  void **values, **data, **copies;
  int64_t (*extents)[8];
  void *block;                 /* what is too much for the room */
  _Alignas(8) char room[2048]; /* that most calls have enough of */
} frame;

/* False: there is no memory. */
static bool begin_frame(frame *c, const pm_function *f, const pm_argument *scalars,
                        const pm_buffer *const *buffers) {
  size_t n = f->n_scalars + f->n_arrays + 4,
         bytes = n * (sizeof *c->cells + 3 * sizeof(void *) + sizeof *c->extents);
  c->block = bytes > sizeof c->room ? malloc(bytes) : NULL;
  if (bytes > sizeof c->room && !c->block) return false;
  c->f = f;
  c->scalars = scalars;
  c->buffers = buffers;
  void **all = c->block ? c->block : (void **)c->room;
  c->values = all + 2;
  c->data = all + n;
  c->copies = c->data + n;
  c->cells = (pm_scalar_cell *)(c->copies + n);
  c->extents = (int64_t(*)[8])(c->cells + n);
  for (size_t i = 0; i < f->n_arrays; i++) c->copies[i] = NULL;
  return true;
}

static void end_frame(frame *c) {
  free(c->block);
}

static int64_t extent_at(const frame *c, size_t array, int32_t dimension) {
  const pm_extent *extent = &c->f->extents.data[c->f->first_extents[array] + (size_t)dimension];
  int64_t value;
  if (extent->sum && pm_sum_at(extent->sum, c->f->n_scalars, c->scalars, &value)) return value;
  return pm_native_extent_at(c->f->native, c->values, (int32_t)array, dimension);
}

static int begin_array(frame *c, size_t i) {
  const pm_parameter *p = &c->f->parameters[c->f->n_scalars + i];
  for (int32_t d = 0; d < p->dimensions; d++) c->extents[i][d] = extent_at(c, i, d);
  return pm_buffer_begin(c->buffers[i], p->type, (int64_t)pm_scalar_bytes((pm_scalar)p->type), p->dimensions,
                         c->extents[i], p->kind == PM_INPUT, &c->data[i], &c->copies[i]);
}

static void end_array(frame *c, size_t i, int code) {
  const pm_parameter *p = &c->f->parameters[c->f->n_scalars + i];
  if (!code && c->copies[i] && p->kind == PM_OUTPUT)
    pm_buffer_copy(c->buffers[i], c->extents[i], (int64_t)pm_scalar_bytes((pm_scalar)p->type), c->copies[i],
                   1);
  free(c->copies[i]);
}

static int call_arrays(frame *c, const pm_call_options *options) {
  const pm_function *f = c->f;
  int code = 0;
  for (size_t i = 0; i < f->n_arrays && !code; i++) code = begin_array(c, i);
  for (size_t i = 0; i < f->n_arrays; i++) c->values[f->n_scalars + i] = &c->data[i];
  if (!code)
    code = options ? pm_run_call(&(pm_running){f, c->values, false}, options)
                   : pm_native_call_at(f->native, c->values);
  for (size_t i = 0; i < f->n_arrays; i++) end_array(c, i, code);
  return code;
}

int pm_function_call_with(const pm_function *f, const pm_call_options *options, const pm_argument *scalars,
                          size_t n_scalars, const pm_buffer *const *arrays, size_t n_arrays) {
  frame c;
  if (!f || (n_scalars && !scalars) || (n_arrays && !arrays)) return PM_CALL_NULL;
  if (n_scalars != f->n_scalars || n_arrays != f->n_arrays) return PM_CALL_WRONG_COUNT;
  if (!begin_frame(&c, f, scalars, arrays)) return PM_CALL_NO_MEMORY;
  int code = pm_set_scalars(f, scalars, c.cells, c.values) ? call_arrays(&c, options) : PM_CALL_BAD_SCALAR;
  end_frame(&c);
  return code;
}

int pm_function_call(const pm_function *f, const pm_argument *scalars, size_t n_scalars,
                     const pm_buffer *const *arrays, size_t n_arrays) {
  return pm_function_call_with(f, NULL, scalars, n_scalars, arrays, n_arrays);
}

/* --- sizes --- */

/* The number that `get` finds, or -1. */
static int64_t ask(const pm_function *f, const pm_argument *scalars,
                   int64_t (*get)(const frame *c, size_t array, int32_t dimension), size_t array,
                   int32_t dimension) {
  frame c;
  if ((f->n_scalars && !scalars) || !begin_frame(&c, f, scalars, NULL)) return -1;
  int64_t number = pm_set_scalars(f, scalars, c.cells, c.values) ? get(&c, array, dimension) : -1;
  end_frame(&c);
  return number;
}

static bool has_dimension(const pm_function *f, size_t array, size_t dimension) {
  return f && array < f->n_arrays && dimension < (size_t)f->parameters[f->n_scalars + array].dimensions;
}

int64_t pm_function_extent(const pm_function *f, const pm_argument *scalars, size_t array, size_t dimension) {
  return has_dimension(f, array, dimension) ? ask(f, scalars, extent_at, array, (int32_t)dimension) : -1;
}

const char *pm_function_extent_text(const pm_function *f, size_t array, size_t dimension) {
  return has_dimension(f, array, dimension) ? f->extents.data[f->first_extents[array] + dimension].text
                                            : NULL;
}

const int64_t *pm_function_extent_sum(const pm_function *f, size_t array, size_t dimension) {
  return has_dimension(f, array, dimension) ? f->extents.data[f->first_extents[array] + dimension].sum : NULL;
}

static int64_t scratch_bytes_at(const frame *c, size_t array, int32_t dimension) {
  (void)array, (void)dimension;
  return pm_native_scratch_bytes_at(c->f->native, c->values);
}

int64_t pm_function_scratch_bytes(const pm_function *f, const pm_argument *scalars) {
  return f ? ask(f, scalars, scratch_bytes_at, 0, 0) : -1;
}

/* --- the end --- */

static void close_all(void *user) {
  pm_function *f = user;
  for (size_t i = 0; i < f->n_scalars + f->n_arrays; i++) free((char *)f->parameters[i].name);
  free(f->parameters);
  pm_extents_free(&f->extents);
  free(f->first_extents);
  free(f->bounds);
  free(f->boxes);
  free(f->firsts);
  free(f->ranks);
  free((char *)f->name);
  pm_native_free(f->native);
}

/* What a fault leaves goes with the heap. */
void pm_function_free(pm_function *f) {
  pm_fault fault;
  if (!f) return;
  if (f->parameters) (void)!pm_protect(f->heap, close_all, NULL, f, &fault);
  pm_heap_free(f->heap);
  free(f);
}
