/* Questions about loops. */
#include "dialects/loop/loops.h"

#include "dialects/loop/loop.h"

bool loop_is_loop(const pm_op *op) {
  return pm_is(op, &loop_for) || pm_is(op, &loop_parallel);
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
