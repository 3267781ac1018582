/* The entries for boxes of the outputs, in the header: `f_region` takes windows of the arrays, checks that
 * they have what the boxes need, and calls the function of the region with addresses and strides; `f_needs`
 * gives the box of one array. */
#include "dialects/loop/buf.h"
#include "dialects/loop/call.h"
#include "targets/abi/abi.h"

#include <stdlib.h>

extern const char abi_window_types[]; /* targets/abi/window_types.inc */

void abi_put_window_types(c_emitter *e) {
  c_put(e, "%s\n", abi_window_types);
}

/* --- what there is beside the function --- */

static const pm_op *whole_of(const pm_op *func) {
  pm_string name = pm_sym_at(func, loop_func_region);
  return name ? pm_lookup_symbol(func->region, name) : NULL;
}

bool abi_has_region(const pm_op *func) {
  const pm_op *whole = whole_of(func);
  abi_arrays arrays = abi_arrays_of(func);
  bool has = pm_is(whole, &loop_func) && abi_companion_of(whole, "_needs_at") &&
             abi_companion_of(whole, "_extent") && abi_fit_buffers(&arrays);
  PM_VEC_FREE(arrays);
  return has;
}

static size_t count_params(const pm_op *func) {
  size_t n = 0;
  PM_FOR_OPS(op, pm_region_at(func, loop_func_body)) n += pm_is(op, &loop_param);
  return n;
}

typedef struct entry {
  c_emitter *e;
  const pm_op *func, *whole;
  const char *name; /* of the whole one */
  abi_arrays arrays;
  size_t scalars;           /* params that the whole one has, ahead of the bounds */
  const char *box, *bounds; /* what the caller gives, and what is computed: the same, or around it */
} entry;

/* The dimension is of planes, which have no bounds. */
static bool is_of_planes(const pm_op *array, unsigned d) {
  pm_type type = pm_res(array, 0)->type;
  unsigned open = 0;
  for (unsigned i = 0; i < d; i++) open += type->dims[i] == PM_DYNAMIC;
  return type->dims[d] != PM_DYNAMIC || pm_constant_value(pm_arg(array, open));
}

static unsigned rank_of(const pm_op *array) {
  return pm_res(array, 0)->type->rank;
}

/* Elements of one tuple have one box, for each output one behind the other. -1: it is an input. */
static int box_of(const entry *x, size_t array) {
  int at = 0;
  if (pm_is(x->arrays.data[array], &buf_input)) return -1;
  for (size_t i = 0; i < array; i++) {
    const pm_op *output = x->arrays.data[i], *next = x->arrays.data[i + 1];
    if (!pm_is(output, &buf_output)) continue;
    pm_string stage = pm_sym_at(output, buf_output_stage);
    bool together = stage && stage == pm_sym_at(next, buf_output_stage);
    if (!together) at += 2 * (int)rank_of(output);
  }
  return at;
}

/* The first of the outputs whose bounds are those of the array: itself, or one ahead of it. */
static size_t first_of_box(const entry *x, size_t array) {
  const pm_op *output = x->arrays.data[array];
  pm_string shared = pm_is(output, &buf_output) ? pm_sym_at(output, buf_output_box) : NULL;
  for (size_t i = 0; shared && i < array; i++) {
    const pm_op *ahead = x->arrays.data[i];
    if (!pm_is(ahead, &buf_output)) continue;
    pm_string stage = pm_sym_at(ahead, buf_output_stage);
    if ((stage ? stage : pm_sym_at(ahead, buf_output_sym)) == shared) return i;
  }
  return array;
}

static bool shares_boxes(const entry *x) {
  for (size_t i = 0; i < x->arrays.len; i++)
    if (first_of_box(x, i) != i) return true;
  return false;
}

static entry entry_of(const pm_op *func) {
  entry x = {.func = func, .whole = whole_of(func), .arrays = abi_arrays_of(func)};
  x.scalars = count_params(x.whole);
  return x;
}

static void keep_visible(const entry *x) {
  pm_buf needs = {0};
  pm_buf_printf(&needs, "%s_needs", x->name);
  abi_keep_visible(x->e, x->func, needs.data);
  pm_buf_free(&needs);
  abi_keep_visible(x->e, x->func, abi_func_name(x->e, x->func));
  abi_keep_visible(x->e, x->func, abi_func_name(x->e, abi_companion_of(x->whole, "_needs_at")));
  abi_keep_visible(x->e, x->func, abi_func_name(x->e, abi_companion_of(x->whole, "_extent")));
}

static entry begin_entry(c_emitter *e, const pm_op *func) {
  entry x = entry_of(func);
  x.e = e;
  x.name = abi_func_name(e, x.whole);
  keep_visible(&x);
  x.box = abi_local(e, "box");
  x.bounds = shares_boxes(&x) ? abi_local(e, "pm_hull") : x.box;
  return x;
}

/* --- text --- */

static void put_params(const entry *x, bool types) {
  size_t n = 0;
  PM_FOR_OPS(op, pm_region_at(x->func, loop_func_body)) {
    if (!pm_is(op, &loop_param) || n++ >= x->scalars) continue;
    if (types) c_put(x->e, "%s ", c_type_name(x->e, pm_res(op, 0)->type));
    c_put(x->e, "%s, ", c_var_of(x->e, pm_res(op, 0))->name);
  }
}

/* Calls `each` with the params of the bounds, in order, and the place in the box that each is of. */
static void for_bounds(const entry *x,
                       void (*each)(const entry *x, const pm_op *param, int place, void *user), void *user) {
  const pm_op *param = pm_region_at(x->func, loop_func_body)->first;
  for (size_t n = 0; n < x->scalars; param = param->next) n += pm_is(param, &loop_param);
  for (size_t i = 0; i < x->arrays.len; i++) {
    int box = box_of(x, i);
    bool again = (i > 0 && box >= 0 && box == box_of(x, i - 1)) || first_of_box(x, i) != i;
    for (unsigned k = 0; box >= 0 && !again && k < 2 * rank_of(x->arrays.data[i]); k++) {
      if (is_of_planes(x->arrays.data[i], k / 2)) continue;
      while (!pm_is(param, &loop_param)) param = param->next;
      each(x, param, box + (int)k, user);
      param = param->next;
    }
  }
}

static void put_bound(const entry *x, const pm_op *param, int place, void *user) {
  (void)user;
  c_put(x->e, "(%s)%s[%d], ", c_type_name(x->e, pm_res(param, 0)->type), x->bounds, place);
}

/* `(int32_t)box[0], (int32_t)box[1], ` */
static void put_bounds(const entry *x) {
  for_bounds(x, put_bound, NULL);
}

/* ` || (int32_t)box[0] != box[0]` */
static void put_misfit(const entry *x, const pm_op *param, int place, void *user) {
  (void)user;
  c_put(x->e, "\n    || (%s)%s[%d] != %s[%d]", c_type_name(x->e, pm_res(param, 0)->type), x->bounds, place,
        x->bounds, place);
}

/* Where the box of each array begins, -1 of an input. */
static void put_boxes(const entry *x) {
  for (size_t i = 0; i < x->arrays.len; i++) c_put(x->e, "%s%d", i ? ", " : "", box_of(x, i));
}

/* The boxes that are computed, where several outputs have one. `ranks` are that many numbers apart. */
static void put_hull(const entry *x, const char *boxes, const char *ranks, int step) {
  c_emitter *e = x->e;
  size_t n = x->arrays.len;
  int len = box_of(x, n - 1) + 2 * (int)rank_of(x->arrays.data[n - 1]);
  if (x->bounds == x->box) return;
  const char *firsts = abi_local(e, "pm_firsts");
  c_put(e, "  static const int32_t %s[%zu] = {", firsts, n);
  for (size_t i = 0; i < n; i++) c_put(e, "%s%zu", i ? ", " : "", first_of_box(x, i));
  c_put(e, "};\n  int64_t %s[%d];\n  pm_boxes_hull(%s, %s, %s, %s, %d, %zu, %d, %s);\n", x->bounds, len,
        x->box, boxes, firsts, ranks, step, n, len, x->bounds);
}

static void put_needs(const entry *x) {
  c_emitter *e = x->e;
  const char *array = abi_local(e, "array"), *nothing = abi_local(e, "pm_nothing"), *lo = abi_local(e, "lo"),
             *hi = abi_local(e, "hi"), *ranks = abi_local(e, "pm_ranks"), *boxes = abi_local(e, "pm_boxes"),
             *d = abi_local(e, "pm_d"), *begin = abi_local(e, "pm_box");
  const char *name = abi_func_name(e, abi_companion_of(x->whole, "_needs_at"));
  c_put(
      e,
      "/* The elements of an array that %s_region needs for these boxes, or stores: of each dimension those "
      "from\n"
      " * lo on and before hi, none where these are equal. An input has no bounds but 0 where all boxes are "
      "empty,\n"
      " * or one has bounds that sizes cannot have, for which %s_region returns an error code.\n"
      " * Arrays are counted from 0, in the order of a "
      "call. "
      "*/\n",
      x->name, x->name);
  c_put(e, "PM_BUFFER_ENTRY void %s_needs(", x->name);
  put_params(x, true);
  c_put(e, "const int64_t *%s, int32_t %s, int64_t *%s, int64_t *%s)\n{\n", x->box, array, lo, hi);
  c_put(e, "  static const int32_t %s[%zu] = {", ranks, x->arrays.len);
  for (size_t i = 0; i < x->arrays.len; i++) c_put(e, "%s%u", i ? ", " : "", rank_of(x->arrays.data[i]));
  c_put(e, "}, %s[%zu] = {", boxes, x->arrays.len);
  put_boxes(x);
  c_put(e, "};\n");
  put_hull(x, boxes, ranks, 1);
  c_put(e, "  const int %s = pm_boxes_are_empty(%s, %s, %s, 1, %zu)", nothing, x->box, boxes, ranks,
        x->arrays.len);
  for_bounds(x, put_misfit, NULL);
  c_put(e, ";\n");
  c_put(e, "  const int32_t %s = %s[%s];\n  for (int32_t %s = 0; %s < %s[%s]; %s++) {\n", begin, boxes, array,
        d, d, ranks, array, d);
  for (int end = 0; end < 2; end++) {
    c_put(e, "    %s[%s] = %s >= 0 ? %s[%s + 2 * %s + %d] : %s ? 0 : %s(", end ? hi : lo, d, begin, x->box,
          begin, d, end, nothing, name);
    put_params(x, false);
    put_bounds(x);
    c_put(e, "%s, %s, %d);\n", array, d, end);
  }
  c_put(e, "  }\n}\n\n");
}

/* The params of the strides stand behind those of the boxes, inputs first. */
static void put_strides(const entry *x, const char *windows) {
  for (size_t i = 0; i < x->arrays.len; i++)
    for (unsigned d = 0; d + 1 < rank_of(x->arrays.data[i]); d++)
      c_put(x->e, "%s[%zu].stride[%u], ", windows, i, d);
}

static void put_arrays(const entry *x, const char *windows) {
  for (size_t i = 0; i < x->arrays.len; i++) {
    const pm_op *array = x->arrays.data[i];
    c_put(x->e, "%s(%s%s *)%s[%zu].data", i ? ", " : "", pm_is(array, &buf_input) ? "const " : "",
          c_type_name(x->e, pm_elem_type(pm_res(array, 0)->type)), windows, i);
  }
}

/* Whether a bound has another value in the type of its param. */
static void put_width_check(const entry *x, const pm_op *param, int place, void *status) {
  c_put(x->e, "  if ((%s)%s[%d] != %s[%d]) %s = %d;\n", c_type_name(x->e, pm_res(param, 0)->type), x->bounds,
        place, x->bounds, place, (const char *)status, LOOP_BAD_BOX);
}

/* Locals of the function. */
typedef struct region_names {
  const char *rows, *buffers, *windows, *status, *boxes, *lo, *hi, *a, *d, *from, *to;
} region_names;

static void put_signature(const entry *x) {
  c_emitter *e = x->e;
  c_put(e,
        "/* Computes a box of each output of %s; sizes, and the indices that the boxes have, are those of "
        "whole "
        "arrays.\n"
        " * `%s` has, for each output in turn, of each dimension the first index and the one behind the "
        "last. An "
        "array is\n"
        " * a window of the whole one: it has the elements that %s_needs gives, and may have more. Rows of "
        "adjacent\n"
        " * elements are used where they are, others are copied. A box with an empty dimension is empty: of "
        "its output "
        "nothing\n"
        " * is stored, but there is an array. Returns 0, or an error code that %s_strerror explains. */\n",
        x->name, x->box, x->name, abi_func_name(e, x->func));
  c_put(e, "PM_BUFFER_ENTRY int %s_region(", x->name);
  put_params(x, true);
  c_put(e, "const int64_t *%s", x->box);
  for (size_t i = 0; i < x->arrays.len; i++)
    c_put(e, ", const pm_buffer *%s", c_var_of(e, pm_res(x->arrays.data[i], 0))->name);
  c_put(e, ")\n{\n");
}

static void put_locals(const entry *x, const region_names *l) {
  c_emitter *e = x->e;
  size_t n = x->arrays.len;
  c_put(e, "  static const int32_t %s[%zu][5] = {", l->rows, n);
  for (size_t i = 0; i < n; i++) {
    c_put(e, "%s", i ? ", " : "");
    abi_put_row(e, x->arrays.data[i]);
  }
  c_put(e, "}, %s[%zu] = {", l->boxes, n);
  put_boxes(x);
  c_put(e, "};\n  const pm_buffer *const %s[%zu] = {", l->buffers, n);
  for (size_t i = 0; i < n; i++)
    c_put(e, "%s%s", i ? ", " : "", c_var_of(e, pm_res(x->arrays.data[i], 0))->name);
  c_put(e, "};\n  pm_window %s[%zu];\n  int %s = 0;\n", l->windows, n, l->status);
}

/* Boxes are inside of their outputs; where all are empty nothing is done. */
static void put_box_check(const entry *x, const region_names *l) {
  c_emitter *e = x->e;
  c_put(e, "  for (int32_t %s = 0; %s < %zu; %s++)\n", l->a, l->a, x->arrays.len, l->a);
  c_put(e, "    for (int32_t %s = 0; %s[%s] >= 0 && %s < %s[%s][1]; %s++) {\n", l->d, l->boxes, l->a, l->d,
        l->rows, l->a, l->d);
  c_put(e, "      const int64_t %s = %s[%s[%s] + 2 * %s], %s = %s[%s[%s] + 2 * %s + 1];\n", l->lo, x->box,
        l->boxes, l->a, l->d, l->hi, x->box, l->boxes, l->a, l->d);
  c_put(e, "      if (%s < 0 || %s < %s || %s > %s(", l->lo, l->hi, l->lo, l->hi,
        abi_func_name(e, abi_companion_of(x->whole, "_extent")));
  put_params(x, false);
  c_put(e, "%s, %s)) return %d;\n    }\n", l->a, l->d, LOOP_BAD_BOX);
  c_put(e, "  if (pm_boxes_are_empty(%s, %s, &%s[0][1], 5, %zu)) return 0;\n", x->box, l->boxes, l->rows,
        x->arrays.len);
  pm_buf ranks = {0};
  pm_buf_printf(&ranks, "&%s[0][1]", l->rows);
  put_hull(x, l->boxes, ranks.data, 5);
  pm_buf_free(&ranks);
  for_bounds(x, put_width_check, (void *)l->status);
}

/* `f_needs(R, box, a, from, to);` */
static void put_needs_call(const entry *x, const region_names *l) {
  c_put(x->e, "%s_needs(", x->name);
  put_params(x, false);
  c_put(x->e, "%s, %s, %s, %s);\n", x->box, l->a, l->from, l->to);
}

static void put_windows(const entry *x, const region_names *l) {
  c_emitter *e = x->e;
  size_t n = x->arrays.len;
  c_put(e, "  for (int32_t %s = 0; %s < %zu; %s++) %s[%s].copy = NULL;\n", l->a, l->a, n, l->a, l->windows,
        l->a);
  c_put(e, "  for (int32_t %s = 0; %s < %zu && %s == 0; %s++) {\n    int64_t %s[8], %s[8];\n    ", l->a, l->a,
        n, l->status, l->a, l->from, l->to);
  put_needs_call(x, l);
  c_put(e, "    for (int32_t %s = 0; %s < %s[%s][1]; %s++) {\n", l->d, l->d, l->rows, l->a, l->d);
  for (int end = 0; end < 2; end++) {
    c_put(e, "      %s[%s].%s[%s] = %s(", l->windows, l->a, end ? "hi" : "lo", l->d,
          abi_func_name(e, abi_companion_of(x->whole, "_needs_at")));
    put_params(x, false);
    put_bounds(x);
    c_put(e, "%s, %s, %d);\n", l->a, l->d, end);
  }
  c_put(e, "    }\n    %s = pm_window_begin(&%s[%s], %s[%s], %s[%s], %s, %s);\n  }\n", l->status, l->windows,
        l->a, l->buffers, l->a, l->rows, l->a, l->from, l->to);
}

static void put_call(const entry *x, const region_names *l) {
  c_put(x->e, "  if (%s == 0)\n    %s = %s(", l->status, l->status, abi_func_name(x->e, x->func));
  put_params(x, false);
  put_bounds(x);
  put_strides(x, l->windows);
  put_arrays(x, l->windows);
  c_put(x->e, ");\n");
}

static void put_copies_back(const entry *x, const region_names *l) {
  c_emitter *e = x->e;
  c_put(e, "  for (int32_t %s = 0; %s < %zu; %s++) {\n    int64_t %s[8], %s[8];\n", l->a, l->a, x->arrays.len,
        l->a, l->from, l->to);
  c_put(e, "    if (%s == 0 && %s[%s].copy != NULL && !%s[%s][3]) {\n      ", l->status, l->windows, l->a,
        l->rows, l->a);
  put_needs_call(x, l);
  c_put(e, "      pm_window_copy(&%s[%s], %s[%s], %s, %s, %s[%s][2], 1);\n    }\n", l->windows, l->a,
        l->buffers, l->a, l->from, l->to, l->rows, l->a);
  c_put(e, "    free(%s[%s].copy);\n  }\n", l->windows, l->a);
}

static void put_region(const entry *x) {
  c_emitter *e = x->e;
  region_names l = {.rows = abi_local(e, "pm_rows"),
                    .buffers = abi_local(e, "pm_buffers"),
                    .windows = abi_local(e, "pm_windows"),
                    .status = abi_local(e, "pm_status"),
                    .boxes = abi_local(e, "pm_boxes"),
                    .lo = abi_local(e, "pm_lo"),
                    .hi = abi_local(e, "pm_hi"),
                    .a = abi_local(e, "pm_a"),
                    .d = abi_local(e, "pm_d"),
                    .from = abi_local(e, "pm_from"),
                    .to = abi_local(e, "pm_to")};
  put_signature(x);
  put_locals(x, &l);
  put_box_check(x, &l);
  put_windows(x, &l);
  put_call(x, &l);
  put_copies_back(x, &l);
  c_put(e, "  return %s;\n}\n\n", l.status);
}

void abi_put_region(c_emitter *e, const pm_op *func) {
  entry x = begin_entry(e, func);
  put_needs(&x);
  put_region(&x);
  PM_VEC_FREE(x.arrays);
}

/* --- for who has no header --- */

static void list_bound(const entry *x, const pm_op *param, int place, void *region) {
  (void)x;
  PM_VEC_PUSH(((abi_region *)region)->bounds,
              ((abi_bound){(pm_scalar)pm_res(param, 0)->type->scalar, place}));
}

bool abi_region_of(pm_module *module, abi_region *region) {
  *region = (abi_region){0};
  PM_FOR_OPS(op, pm_module_body(module)) {
    if (!pm_is(op, &loop_func) || !abi_has_region(op)) continue;
    entry x = entry_of(op);
    for_bounds(&x, list_bound, region);
    for (size_t i = 0; i < x.arrays.len; i++) PM_VEC_PUSH(region->boxes, box_of(&x, i));
    for (size_t i = 0; i < x.arrays.len; i++) PM_VEC_PUSH(region->firsts, (int32_t)first_of_box(&x, i));
    PM_VEC_FREE(x.arrays);
    return true;
  }
  return false;
}
