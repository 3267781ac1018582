#include "dialects/loop/analyses/items.h"

#include "dialects/loop/analyses/loops.h"
#include "dialects/loop/loop.h"

pm_op *loop_find_launch(const pm_op *call) {
  pm_op *launch = NULL;
  for (pm_op *up = pm_parent(call); up; up = pm_parent(up))
    if (pm_is(up, &loop_parallel)) launch = up;
  return launch;
}

bool loop_has_group(const pm_op *launch) {
  pm_attr group = pm_attr_at(launch, loop_parallel_group);
  return group && group->len;
}

bool loop_has_several_items(const pm_op *launch) {
  pm_attr group = launch ? pm_attr_at(launch, loop_parallel_group) : NULL;
  for (size_t d = 0; group && d < group->len; d++)
    if (group->items[d]->i > 1) return true;
  return false;
}

bool loop_is_in_items(const pm_op *op) {
  for (const pm_op *up = pm_parent(op); up; up = pm_parent(up))
    if (loop_is_of_items(up)) return true;
  return false;
}

unsigned loop_item_depth(const pm_op *op) {
  unsigned most = 0;
  for (unsigned r = 0; r < op->n_regions; r++) PM_FOR_OPS(inside, pm_region_at(op, r)) {
      unsigned depth = loop_item_depth(inside);
      if (depth > most) most = depth;
    }
  return most + loop_is_of_items(op);
}

static pm_walk stop_at_barrier(void *user, pm_op *op) {
  (void)user;
  return pm_is(op, &loop_barrier) ? PM_WALK_STOP : PM_WALK_ON;
}

static pm_walk stop_at_store(void *user, pm_op *op) {
  (void)user;
  return pm_has_trait(op, PM_WRITES) ? PM_WALK_STOP : PM_WALK_ON;
}

bool loop_is_for_one(const pm_op *op) {
  return !op->n_results && !loop_item_depth(op) && pm_walk_pre((pm_op *)op, stop_at_barrier, NULL) &&
         !pm_walk_pre((pm_op *)op, stop_at_store, NULL);
}
