/* dce: erases ops without effect whose results are unused, and what only they used.
 *
 *   %0 = buf.load %b[%i] : memref<?xf32>         |
 *   %1 = arith.addf %0, %0 : f32                 |
 *   loop.for %j = %lb to %ub step 1 {            |
 *     %2 = arith.mulf %1, %1 : f32               |
 *   }                                            |
 *   buf.store %v, %b[%i] : memref<?xf32>         |  buf.store %v, %b[%i] : memref<?xf32>
 */
#include "passes/options.h"

#include <stdlib.h>

typedef struct dce {
  PM_VEC(pm_op *) ops; /* in the order of the text: what is inside an op comes after it */
  pm_map *has_effect;  /* the ops that have one, or hold one that has */
} dce;

static bool has_own_effect(const pm_op *op) {
  if (pm_has_trait(op, PM_WRITES)) return true;
  return !pm_has_trait(op, PM_PURE | PM_READS | PM_ALLOCATES | PM_RECURSIVE_EFFECTS | PM_TERMINATOR);
}

static pm_walk list_op(void *user, pm_op *op) {
  dce *d = user;
  PM_VEC_PUSH(d->ops, op);
  return PM_WALK_ON;
}

/* Inside before outside, so that an effect reaches every op around it. */
static void find_effects(dce *d) {
  for (size_t i = d->ops.len; i-- > 1;) {
    pm_op *op = d->ops.data[i];
    if (has_own_effect(op)) pm_map_set(d->has_effect, op, op);
    if (pm_map_has(d->has_effect, op)) pm_map_set(d->has_effect, pm_parent(op), op);
  }
}

static bool is_unused(const pm_op *op) {
  for (unsigned i = 0; i < op->n_results; i++)
    if (!pm_unused(pm_res(op, i))) return false;
  return true;
}

/* Backwards, users come before what they use: one sweep finds all. The root (number 0) stays. */
static int64_t erase_dead(dce *d) {
  int64_t erased = 0;
  for (size_t i = d->ops.len; i-- > 1;) {
    pm_op *op = d->ops.data[i];
    if (pm_has_trait(op, PM_TERMINATOR) || pm_map_has(d->has_effect, op) || !is_unused(op)) continue;
    pm_op_erase(op);
    erased++;
  }
  return erased;
}

pm_result pass_dce(pm_pass *p) {
  dce d = {.has_effect = pm_map_new()};
  pm_walk_pre(pm_pass_root(p), list_op, &d);
  find_effects(&d);
  int64_t erased = erase_dead(&d);
  pm_map_free(d.has_effect);
  PM_VEC_FREE(d.ops);
  pm_pass_stat(p, "ops erased", erased);
  return erased ? PM_CHANGED : PM_UNCHANGED;
}
