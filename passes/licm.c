/* licm: moves pure ops whose operands do not change out of loops, also out of conditions inside them: a pure
 * op may be computed although nobody asks.
 *
 *                                                |  %0 = arith.addi %x, %y : i32
 *   loop.for %i = %lb to %ub step 1 {            |  loop.for %i = %lb to %ub step 1 {
 *     loop.if %c {                               |    loop.if %c {
 *       %0 = arith.addi %x, %y : i32             |
 *       buf.store %0, %b[%i] : memref<?xi32>     |      buf.store %0, %b[%i] : memref<?xi32>
 *     }                                          |    }
 *   }                                            |  }
 */
#include "passes/options.h"

#include "dialects/loop/loop.h"

#include <stdlib.h>

typedef PM_VEC(pm_op *) op_list;

static bool is_loop(const pm_op *op) {
  return pm_is(op, &loop_for) || pm_is(op, &loop_parallel);
}

static pm_walk list_pure(void *user, pm_op *op) {
  op_list *list = user;
  if (pm_has_trait(op, PM_PURE) && op->n_regions == 0) PM_VEC_PUSH(*list, op);
  return PM_WALK_ON;
}

static bool uses_value_of(const pm_op *op, const pm_op *around) {
  for (unsigned i = 0; i < op->n_operands; i++)
    if (pm_value_region(pm_arg(op, i))->op == around) return true;
  return false;
}

/* The outermost loop below the root that the op can be moved out of, through loops and conditions only; or
 * NULL. What an op uses stands in one of the regions around it, so each is asked on the way up. */
static pm_op *outermost_exit(const pm_op *op, const pm_op *root) {
  pm_op *exit = NULL;
  for (pm_op *around = pm_parent(op); around && around != root; around = pm_parent(around)) {
    if (!pm_has_trait(around, PM_RECURSIVE_EFFECTS) || uses_value_of(op, around)) break;
    if (is_loop(around)) exit = around;
  }
  return exit;
}

pm_result pass_licm(pm_pass *p) {
  op_list pure = {0};
  int64_t moved = 0;
  pm_walk_pre(pm_pass_root(p), list_pure, &pure);
  for (size_t i = 0; i < pure.len; i++) {
    pm_op *exit = outermost_exit(pure.data[i], pm_pass_root(p));
    if (!exit) continue;
    pm_move_before(pure.data[i], exit->region, exit);
    moved++;
  }
  PM_VEC_FREE(pure);
  pm_pass_stat(p, "ops moved", moved);
  return moved ? PM_CHANGED : PM_UNCHANGED;
}
