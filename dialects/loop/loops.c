/* Questions about loops. */
#include "dialects/loop/loops.h"

#include "dialects/arith/arith.h"
#include "dialects/loop/access.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/loop.h"

bool loop_is_loop(const pm_op *op) {
  return pm_is(op, &loop_for) || pm_is(op, &loop_parallel);
}

bool loop_is_of_items(const pm_op *op) {
  return pm_is(op, &loop_parallel) && pm_attr_at(op, loop_parallel_items);
}

bool loop_has_free_iterations(const pm_op *op) {
  return pm_is(op, &loop_for) && pm_attr_at(op, loop_for_simd) && !op->n_results &&
         pm_attr_at(op, loop_for_step)->i == 1;
}

static pm_walk add_vector_loop(void *user, pm_op *op) {
  loop_list *list = user;
  if (loop_has_free_iterations(op)) PM_VEC_PUSH(*list, op);
  return PM_WALK_ON;
}

void loop_list_vector_loops(pm_op *root, loop_list *list) {
  pm_walk_pre(root, add_vector_loop, list);
}

bool loop_changes_in(const pm_value *value, const pm_op *loop) {
  return pm_is_ancestor(loop, pm_value_region(value)->op);
}

int64_t loop_less(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a - (uint64_t)b);
}

loop_sum loop_sum_of(const pm_value *value, int64_t added) {
  for (;;) {
    pm_attr number = pm_constant_value(value);
    if (number) return (loop_sum){NULL, loop_less(added, loop_less(0, number->i))};
    const pm_op *op = value->is_arg ? NULL : pm_def(value);
    pm_attr right = op && pm_is(op, &arith_addi) ? pm_constant_value(pm_arg(op, arith_addi_rhs)) : NULL;
    if (!right) return (loop_sum){value, added};
    value = pm_arg(op, arith_addi_lhs);
    added = loop_less(added, loop_less(0, right->i));
  }
}

bool loop_find_trips(const pm_op *loop, int64_t *trips) {
  loop_sum begin = loop_sum_of(pm_arg(loop, loop_for_lb), 0), end = loop_sum_of(pm_arg(loop, loop_for_ub), 0);
  int64_t length = loop_less(end.added, begin.added), step = pm_int_at(loop, loop_for_step);
  if (begin.base != end.base || length > INT32_MAX || length < INT32_MIN) return false;
  *trips = length > 0 ? (length - 1) / step + 1 : 0;
  return true;
}

static bool goes_along(const pm_op *op, const pm_value *counter) {
  loop_access access;
  return loop_find_access(op, &access) && loop_goes_along(&access, counter);
}

bool loop_find_streaming(const pm_op *loop, loop_streaming *copy) {
  if (!loop_has_free_iterations(loop)) return false;
  const pm_region *body = pm_region_at(loop, loop_for_body);
  const pm_op *load = body->first, *store = load ? load->next : NULL;
  if (!store || (store->next && !pm_has_trait(store->next, PM_TERMINATOR))) return false;
  if (!pm_is(load, &buf_load) || !pm_is(store, &buf_store) || !pm_attr_at(store, buf_store_nontemporal))
    return false;
  if (pm_arg(store, buf_store_value) != pm_res(load, 0)) return false;
  if (loop_share_memory(pm_arg(load, buf_load_buffer), pm_arg(store, buf_store_buffer))) return false;
  *copy = (loop_streaming){load, store};
  return goes_along(load, body->args[0]) && goes_along(store, body->args[0]);
}
