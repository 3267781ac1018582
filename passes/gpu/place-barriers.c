/* place-barriers: the items of a group wait for each other ahead of what conflicts with what others did.
 *
 *   loop.parallel %x = … items {                  |  loop.parallel %x = … items {
 *     buf.store %v, %t[%x]                        |    buf.store %v, %t[%x]
 *   }                                             |  }
 *                                                 |  loop.barrier
 *   loop.parallel %y = … items {                  |  loop.parallel %y = … items {
 *     %u = buf.load %t[7 - %y]                    |    %u = buf.load %t[7 - %y]
 *   }                                             |  }
 *
 * dialects/loop/analyses/barriers.c finds these places. A group of one item has none.
 */
#include "dialects/loop/analyses/barriers.h"
#include "dialects/loop/analyses/items.h"
#include "dialects/loop/call.h"
#include "dialects/loop/loop.h"
#include "passes/options.h"

typedef struct placing {
  pm_map *missing; /* ops of a kernel ahead of which a barrier is missing */
  int64_t placed;
} placing;

static pm_walk place_ahead(void *user, pm_op *op) {
  placing *p = user;
  if (!pm_map_has(p->missing, op)) return PM_WALK_ON;
  pm_builder b = pm_builder_before(op);
  (void)pm_build(&b, &loop_barrier, NULL, 0, NULL, 0, NULL);
  p->placed++;
  return PM_WALK_ON;
}

static pm_walk place_in_kernel(void *user, pm_op *op) {
  placing *p = user;
  if (!pm_is(op, &loop_call) || !loop_has_several_items(loop_find_launch(op))) return PM_WALK_ON;
  pm_op *kernel = loop_find_callee(op);
  p->missing = loop_find_missing_barriers(kernel);
  (void)pm_walk_pre(kernel, place_ahead, p);
  pm_map_free(p->missing);
  return PM_WALK_ON;
}

pm_result pass_place_barriers(pm_pass *pass) {
  placing p = {0};
  (void)pm_walk_pre(pm_pass_root(pass), place_in_kernel, &p);
  pm_pass_stat(pass, "barriers", p.placed);
  return p.placed ? PM_CHANGED : PM_UNCHANGED;
}
