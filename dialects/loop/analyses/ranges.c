/* Ranges of the integers in a function. */
#include "dialects/loop/analyses/ranges.h"

#include "dialects/loop/access.h"
#include "dialects/loop/analyses/loops.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/call.h"
#include "dialects/loop/loop.h"
#include "dialects/loop/vec.h"

#include <stdlib.h>

typedef struct value_range {
  arith_range range;
  bool exact;
} value_range;

struct loop_ranges {
  pm_arena *arena;
  pm_map *values; /* pm_value -> value_range, of those about which more is known than their type */
};

static void set_range(loop_ranges *r, const pm_value *value, arith_range range, bool exact) {
  value_range *known = pm_arena_alloc(r->arena, sizeof *known);
  *known = (value_range){range, exact};
  pm_map_set(r->values, value, known);
}

arith_range loop_range_of(const loop_ranges *r, const pm_value *value) {
  const value_range *known = pm_map_get(r->values, value);
  return known ? known->range : arith_range_of_type((pm_scalar)value->type->scalar);
}

bool loop_is_exact(const loop_ranges *r, const pm_value *value) {
  const value_range *known = pm_map_get(r->values, value);
  return known && known->exact;
}

static void find_op_range(loop_ranges *r, const pm_op *op) {
  arith_range operands[3] = {0};
  if (op->n_results != 1 || !pm_has_trait(op, PM_PURE) || op->n_operands > PM_COUNT(operands)) return;
  for (unsigned i = 0; i < op->n_operands; i++) operands[i] = loop_range_of(r, pm_arg(op, i));
  arith_range exact = arith_range_of_op(op, operands);
  if (arith_range_fits(exact, (pm_scalar)pm_res(op, 0)->type->scalar))
    set_range(r, pm_res(op, 0), exact, true);
}

static void find_known_range(loop_ranges *r, const pm_op *op) {
  loop_access access;
  if (!(pm_is(op, &buf_load) || pm_is(op, &vec_load) || pm_is(op, &vec_gather))) return;
  pm_attr values = loop_find_access(op, &access) ? buf_known_values(access.buffer) : NULL;
  arith_range range =
      values && !pm_is_float(pm_res(op, 0)->type) ? arith_range_of_dense(values) : arith_unknown_range();
  if (range.known) set_range(r, pm_res(op, 0), range, false);
}

static void find_counter_range(loop_ranges *r, const pm_op *op) {
  if (!op->desc->loop_like || !op->desc->loop_like->counts) return;
  arith_range lb = loop_range_of(r, pm_arg(op, 0)), ub = loop_range_of(r, pm_arg(op, 1));
  int64_t last = ub.hi == INT64_MIN ? ub.hi : ub.hi - 1;
  arith_range counter = {true, lb.lo, last > lb.lo ? last : lb.lo};
  set_range(r, pm_region_at(op, 0)->args[0], counter, false);
}

static pm_walk visit(void *user, pm_op *op) {
  find_op_range(user, op);
  find_counter_range(user, op);
  find_known_range(user, op);
  return PM_WALK_ON;
}

loop_ranges *loop_find_ranges(const pm_op *func, const loop_known_range *known, size_t n_known) {
  loop_ranges *r = pm_xcalloc(1, sizeof *r);
  *r = (loop_ranges){pm_arena_new(), pm_map_new()};
  for (size_t i = 0; i < n_known; i++) set_range(r, known[i].value, known[i].range, false);
  PM_FOR_OPS(op, pm_region_at(func, loop_func_body))(void) pm_walk_pre(op, visit, r);
  return r;
}

/* --- arguments of private functions --- */

typedef PM_VEC(loop_known_range) range_list;

typedef struct call_search {
  const pm_op *callee;
  PM_VEC(const pm_op *) calls;
} call_search;

static pm_walk list_call(void *user, pm_op *op) {
  call_search *s = user;
  if (pm_is(op, &loop_call) && loop_find_callee(op) == s->callee) PM_VEC_PUSH(s->calls, op);
  return PM_WALK_ON;
}

static arith_range hull(arith_range a, arith_range b) {
  if (!a.known || !b.known) return arith_unknown_range();
  return (arith_range){true, a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
}

/* The scalars that the call gives are added to what others give, if it is not the first. */
static void add_call(range_list *list, const pm_op *call, const pm_op *callee, const loop_ranges *caller,
                     bool first) {
  unsigned i = 0;
  size_t at = 0;
  for (const pm_op *a = loop_first_argument(callee); a; a = loop_next_argument(a), i++) {
    if (!pm_is_int_or_index(pm_res(a, 0)->type)) continue;
    loop_known_range given = {pm_res(a, 0), loop_range_of(caller, pm_arg(call, i))};
    if (first)
      PM_VEC_PUSH(*list, given);
    else
      list->data[at].range = hull(list->data[at].range, given.range);
    at++;
  }
}

static range_list find_given(const pm_op *func, const loop_known_range *known, size_t n_known) {
  range_list list = {0};
  bool first = true;
  PM_FOR_OPS(op, func->region) {
    call_search s = {.callee = func};
    if (pm_is(op, &loop_func) && op != func) (void)pm_walk_pre(op, list_call, &s);
    loop_ranges *caller = s.calls.len ? loop_find_called_ranges(op, known, n_known) : NULL;
    for (size_t i = 0; i < s.calls.len; i++, first = false)
      add_call(&list, s.calls.data[i], func, caller, first);
    loop_ranges_free(caller);
    PM_VEC_FREE(s.calls);
  }
  return list;
}

loop_ranges *loop_find_called_ranges(const pm_op *func, const loop_known_range *known, size_t n_known) {
  range_list list = {0};
  if (loop_is_private(func)) list = find_given(func, known, n_known);
  for (size_t i = 0; i < n_known; i++) PM_VEC_PUSH(list, known[i]);
  loop_ranges *r = loop_find_ranges(func, list.data, list.len);
  PM_VEC_FREE(list);
  return r;
}

void loop_ranges_free(loop_ranges *r) {
  if (!r) return;
  pm_map_free(r->values);
  pm_arena_free(r->arena);
  free(r);
}

static void *compute(pm_op *func, const void *base) {
  (void)base;
  return loop_find_ranges(func, NULL, 0);
}

static void free_result(void *result) {
  loop_ranges_free(result);
}

const pm_analysis_desc loop_ranges_analysis = {"loop-ranges", compute, free_result, NULL, NULL};

/* --- affine expressions --- */

static arith_range of_division(pm_affine_kind kind, arith_range a, arith_range b) {
  if (kind == PM_AFFINE_MOD) return arith_range_rem(a, b, true);
  arith_range floor = arith_range_div(a, b, true);
  return kind == PM_AFFINE_CEILDIV ? arith_range_add(floor, (arith_range){true, 0, 1}) : floor;
}

arith_range loop_combined_range(pm_affine_kind kind, arith_range a, arith_range b) {
  if (kind == PM_AFFINE_ADD) return arith_range_add(a, b);
  return kind == PM_AFFINE_MUL ? arith_range_mul(a, b) : of_division(kind, a, b);
}

arith_range loop_affine_range(const loop_ranges *r, pm_affine_expr expr, const pm_use *operands,
                              uint32_t n_dims) {
  if (expr->kind == PM_AFFINE_CONST) return (arith_range){true, expr->value, expr->value};
  if (!expr->lhs)
    return loop_range_of(r, operands[expr->value + (expr->kind == PM_AFFINE_SYM ? n_dims : 0)].value);
  arith_range a = loop_affine_range(r, expr->lhs, operands, n_dims),
              b = loop_affine_range(r, expr->rhs, operands, n_dims);
  return loop_combined_range(expr->kind, a, b);
}
