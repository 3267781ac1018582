/* Calls of functions for boxes of the outputs, as the header's NAME_region and NAME_needs make them. */
#include "dialects/loop/buf.h"
#include "dialects/loop/call.h"
#include "pm/function.h"

#include <stdlib.h>
#include <string.h>

#include "targets/abi/buffer_types.inc"
#include "targets/abi/window_types.inc"

/* One call: the addresses of all arguments, scalars, bounds and what is behind these, with room for two more
 * ahead, and what they are the addresses of. */
typedef struct frame {
  const pm_function *f;
  const int64_t *box;
  int64_t *hull; /* what is computed for it */
  pm_scalar_cell *cells;
  void **values;
  pm_window *windows;
} frame;

static const pm_parameter *array_of(const pm_function *f, size_t array) {
  return &f->parameters[f->n_scalars + array];
}

/* Room for the strides, and for what `needs` takes. False: there is no memory. It is freed with `windows`. */
static bool new_frame(const pm_function *f, const int64_t *box, frame *c) {
  size_t n_cells = f->n_scalars + f->n_bounds, n_values = 2 + n_cells + 3 + 8 * f->n_arrays,
         len = pm_function_box(f);
  size_t bytes = f->n_arrays * sizeof *c->windows + n_cells * sizeof *c->cells +
                 n_values * sizeof *c->values + len * sizeof *c->hull;
  c->f = f;
  c->box = box;
  c->windows = calloc(1, bytes);
  if (!c->windows) return false;
  void **all = (void **)(c->windows + f->n_arrays);
  c->values = all + 2;
  c->cells = (pm_scalar_cell *)(all + n_values);
  c->hull = (int64_t *)(c->cells + n_cells);
  pm_boxes_hull(box, f->boxes, f->firsts, f->ranks, 1, (int32_t)f->n_arrays, (int32_t)len, c->hull);
  return true;
}

/* 0 or a code. Extents are asked for ahead of it: what these take are the same addresses. */
static int set_bounds(frame *c) {
  const pm_function *f = c->f;
  for (size_t i = 0; i < f->n_bounds; i++) {
    c->values[f->n_scalars + i] = &c->cells[f->n_scalars + i];
    if (!pm_set_integer(&c->cells[f->n_scalars + i], f->bounds[i].type, c->hull[f->bounds[i].place]))
      return LOOP_BAD_BOX;
  }
  return 0;
}

static int set_scalars(frame *c, const pm_argument *scalars) {
  return pm_set_scalars(c->f, scalars, c->cells, c->values) ? 0 : PM_CALL_BAD_SCALAR;
}

static int64_t needs(const frame *c, size_t array, int32_t d, int32_t end) {
  return pm_native_needs_at(c->f->native, c->values, (int32_t)array, d, end);
}

static bool are_empty(const frame *c) {
  return pm_boxes_are_empty(c->box, c->f->boxes, c->f->ranks, 1, (int32_t)c->f->n_arrays);
}

/* What the caller's array should have. */
static void get_needs(const frame *c, size_t array, int64_t *lo, int64_t *hi) {
  int box = c->f->boxes[array];
  bool nothing = box < 0 && are_empty(c);
  for (int32_t d = 0; d < array_of(c->f, array)->dimensions; d++) {
    lo[d] = nothing ? 0 : box < 0 ? needs(c, array, d, 0) : c->box[box + 2 * d];
    hi[d] = nothing ? 0 : box < 0 ? needs(c, array, d, 1) : c->box[box + 2 * d + 1];
  }
}

/* Boxes are inside of their outputs. */
static int check_boxes(const frame *c) {
  for (size_t a = 0; a < c->f->n_arrays; a++)
    for (int32_t d = 0; c->f->boxes[a] >= 0 && d < array_of(c->f, a)->dimensions; d++) {
      int64_t lo = c->box[c->f->boxes[a] + 2 * d], hi = c->box[c->f->boxes[a] + 2 * d + 1];
      if (lo < 0 || hi < lo || hi > pm_native_extent_at(c->f->native, c->values, (int32_t)a, d))
        return LOOP_BAD_BOX;
    }
  return 0;
}

/* As buf_pixel_of. */
static int32_t pixel_of(const pm_function *f, size_t array) {
  int32_t rank = array_of(f, array)->dimensions;
  const int64_t *sum = rank > 1 ? pm_function_extent_sum(f, array, (size_t)rank - 1) : NULL;
  for (size_t i = 0; sum && i < f->n_scalars; i++)
    if (sum[i]) return 0;
  return sum && sum[f->n_scalars] > 0 && sum[f->n_scalars] <= BUF_MOST_CHANNELS ? (int32_t)sum[f->n_scalars]
                                                                                : 0;
}

static int begin_window(const frame *c, size_t array, const pm_buffer *buffer) {
  const pm_parameter *p = array_of(c->f, array);
  const int32_t row[5] = {p->type, p->dimensions, (int32_t)pm_scalar_bytes((pm_scalar)p->type),
                          p->kind == PM_INPUT, pixel_of(c->f, array)};
  int64_t lo[8], hi[8];
  pm_window *w = &c->windows[array];
  get_needs(c, array, lo, hi);
  for (int32_t d = 0; d < p->dimensions; d++) {
    w->lo[d] = needs(c, array, d, 0);
    w->hi[d] = needs(c, array, d, 1);
  }
  return pm_window_begin(w, buffer, row, lo, hi);
}

static void end_window(const frame *c, size_t array, const pm_buffer *buffer, int code) {
  const pm_parameter *p = array_of(c->f, array);
  int64_t lo[8], hi[8];
  if (!code && c->windows[array].copy && p->kind == PM_OUTPUT) {
    get_needs(c, array, lo, hi);
    pm_window_copy(&c->windows[array], buffer, lo, hi, (int64_t)pm_scalar_bytes((pm_scalar)p->type), 1);
  }
  free(c->windows[array].copy);
}

/* The end of what it sets. */
static void **set_strides(const frame *c) {
  const pm_function *f = c->f;
  void **at = c->values + f->n_scalars + f->n_bounds;
  for (size_t a = 0; a < f->n_arrays; a++)
    for (int32_t d = 0; d + 1 < array_of(f, a)->dimensions; d++) *at++ = &c->windows[a].stride[d];
  return at;
}

static int call_windows(const frame *c, const pm_call_options *options) {
  const pm_function *f = c->f;
  void **at = set_strides(c);
  for (size_t a = 0; a < f->n_arrays; a++) *at++ = &c->windows[a].data;
  return options ? pm_run_call(&(pm_running){f, c->values, true}, options)
                 : pm_native_region_at(f->native, c->values);
}

static int compute(frame *c, const pm_call_options *options, const pm_argument *scalars,
                   const pm_buffer *const *arrays) {
  int code = set_scalars(c, scalars);
  if (!code) code = check_boxes(c);
  if (code || are_empty(c)) return code;
  code = set_bounds(c);
  for (size_t a = 0; a < c->f->n_arrays && !code; a++) code = begin_window(c, a, arrays[a]);
  if (!code) code = call_windows(c, options);
  for (size_t a = 0; a < c->f->n_arrays; a++) end_window(c, a, arrays[a], code);
  return code;
}

size_t pm_function_box(const pm_function *f) {
  size_t n = 0;
  for (size_t a = 0; f && f->boxes && a < f->n_arrays; a++)
    if (f->boxes[a] >= 0) n = (size_t)f->boxes[a] + 2 * (size_t)array_of(f, a)->dimensions;
  return n;
}

int pm_function_box_place(const pm_function *f, size_t array) {
  return f->boxes && array < f->n_arrays ? f->boxes[array] : -1;
}

int pm_function_needs(const pm_function *f, const pm_argument *scalars, const int64_t *box, size_t array,
                      int64_t *lo, int64_t *hi) {
  frame c;
  if (!f || (f->n_scalars && !scalars) || !box || !lo || !hi) return PM_CALL_NULL;
  if (!f->boxes) return PM_CALL_NO_BOXES;
  if (array >= f->n_arrays) return PM_CALL_WRONG_COUNT;
  if (!new_frame(f, box, &c)) return PM_CALL_NO_MEMORY;
  int code = set_scalars(&c, scalars);
  if (!code) code = set_bounds(&c);
  if (!code) get_needs(&c, array, lo, hi);
  free(c.windows);
  return code;
}

/* What `get` gives for the box, 0 of an empty one, or a code, negated. */
static int64_t ask(const pm_function *f, const pm_argument *scalars, const int64_t *box,
                   int64_t (*get)(const frame *c)) {
  frame c;
  if (!f || (f->n_scalars && !scalars) || !box) return -PM_CALL_NULL;
  if (!f->boxes) return -PM_CALL_NO_BOXES;
  if (!new_frame(f, box, &c)) return -PM_CALL_NO_MEMORY;
  int code = set_scalars(&c, scalars);
  if (!code) code = set_bounds(&c);
  int64_t number = code ? -code : are_empty(&c) ? 0 : get(&c);
  free(c.windows);
  return number;
}

static int64_t bytes_of(const frame *c) {
  (void)set_strides(c);
  return pm_native_region_bytes_at(c->f->native, c->values);
}

static int64_t points_of(const frame *c) {
  return pm_native_needs_at(c->f->native, c->values, LOOP_POINTS, 0, 0);
}

int64_t pm_function_region_bytes(const pm_function *f, const pm_argument *scalars, const int64_t *box) {
  return ask(f, scalars, box, bytes_of);
}

int64_t pm_function_region_points(const pm_function *f, const pm_argument *scalars, const int64_t *box) {
  return ask(f, scalars, box, points_of);
}

int pm_function_region_with(const pm_function *f, const pm_call_options *options, const pm_argument *scalars,
                            size_t n_scalars, const int64_t *box, const pm_buffer *const *arrays,
                            size_t n_arrays) {
  frame c;
  if (!f || (n_scalars && !scalars) || !arrays || !box) return PM_CALL_NULL;
  if (!f->boxes) return PM_CALL_NO_BOXES;
  if (n_scalars != f->n_scalars || n_arrays != f->n_arrays) return PM_CALL_WRONG_COUNT;
  if (!new_frame(f, box, &c)) return PM_CALL_NO_MEMORY;
  int code = compute(&c, options, scalars, arrays);
  free(c.windows);
  return code;
}

int pm_function_region(const pm_function *f, const pm_argument *scalars, size_t n_scalars, const int64_t *box,
                       const pm_buffer *const *arrays, size_t n_arrays) {
  return pm_function_region_with(f, NULL, scalars, n_scalars, box, arrays, n_arrays);
}

const char *pm_function_region_strerror(const pm_function *f, int code) {
  const char *text = pm_call_code_text(code);
  if (!text && f) text = pm_native_region_strerror(f->native, code);
  return text ? text : "unknown error";
}
