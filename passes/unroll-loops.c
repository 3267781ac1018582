/* unroll-loops: loops that say so take several iterations at a time.
 *
 *   loop.for %i = %a to %b step 1 unroll 2 {   |  loop.for %i = %a to %e step 2 {
 *     … %i …                                   |    … %i …
 *                                              |    … %i + 1 …
 *   }                                          |  }
 *                                              |  loop.for %i = %e to %b step 1 { … %i … }
 *
 * The order of the iterations stays, and what is left over is a loop behind.
 */
#include "dialects/loop/loop.h"
#include "dialects/loop/phase.h"
#include "passes/options.h"

static pm_walk unroll(void *user, pm_op *op) {
  int64_t *unrolled = user;
  if (!pm_is(op, &loop_for) || op->n_results || !pm_attr_at(op, loop_for_unroll)) return PM_WALK_ON;
  int64_t times = pm_int_at(op, loop_for_unroll);
  pm_set_attr(op, loop_for_unroll, NULL);
  loop_unroll(op, times);
  ++*unrolled;
  return PM_WALK_ON;
}

/* Inner loops first. */
pm_result pass_unroll_loops(pm_pass *pass) {
  int64_t unrolled = 0;
  pm_walk_post(pm_pass_root(pass), unroll, &unrolled);
  pm_pass_stat(pass, "loops unrolled", unrolled);
  return unrolled ? PM_CHANGED : PM_UNCHANGED;
}
