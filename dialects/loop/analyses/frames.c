/* Who gives memory back, and what may fail. */
#include "dialects/loop/analyses/frames.h"

#include <stdlib.h>

#include "dialects/loop/buf.h"
#include "dialects/loop/call.h"
#include "dialects/loop/loop.h"

bool loop_runs_on_threads(const pm_op *op) {
  return pm_is(op, &loop_parallel) && !pm_parent_of(op, &loop_parallel);
}

static pm_walk stop_at_threads(void *user, pm_op *op) {
  (void)user;
  return loop_runs_on_threads(op) || pm_is(op, &loop_threads) ? PM_WALK_STOP : PM_WALK_ON;
}

bool loop_has_threads(const pm_op *root) {
  return !pm_walk_pre((pm_op *)root, stop_at_threads, NULL);
}

loop_owner loop_owner_of(const pm_op *alloc) {
  pm_space space = pm_res(alloc, 0)->type->space;
  if (pm_is(alloc, &buf_workspace)) return LOOP_OWNER_FRAME;
  if (space == PM_SPACE_STACK || buf_alloc_workspace(alloc)) return LOOP_OWNER_NONE;
  bool once = space == PM_SPACE_THREAD && loop_runs_on_threads(pm_parent(alloc));
  return once ? LOOP_OWNER_THREAD : LOOP_OWNER_FRAME;
}

static bool is_owned_by(const pm_op *op, loop_owner owner) {
  return (pm_is(op, &buf_alloc) || pm_is(op, &buf_workspace)) && loop_owner_of(op) == owner;
}

void loop_list_frame_allocs(const pm_region *frame, loop_allocs *list) {
  PM_FOR_OPS(op, frame) {
    if (is_owned_by(op, LOOP_OWNER_FRAME)) PM_VEC_PUSH(*list, op);
    if (loop_runs_on_threads(op)) continue;
    for (unsigned i = 0; i < op->n_regions; i++) loop_list_frame_allocs(pm_region_at(op, i), list);
  }
}

void loop_list_thread_allocs(const pm_op *parallel, loop_allocs *list) {
  PM_FOR_OPS(op, pm_region_at(parallel, loop_parallel_body))
  if (is_owned_by(op, LOOP_OWNER_THREAD)) PM_VEC_PUSH(*list, op);
}

static bool fails(const pm_op *op) {
  return pm_is(op, &loop_require) || (pm_is(op, &loop_call) && loop_may_fail(loop_find_callee(op)));
}

static pm_walk stop_at_failure(void *user, pm_op *op) {
  (void)user;
  return fails(op) ? PM_WALK_STOP : PM_WALK_ON;
}

bool loop_may_fail(const pm_op *op) {
  return !pm_walk_pre((pm_op *)op, stop_at_failure, NULL);
}

bool loop_frame_may_fail(const pm_region *frame) {
  PM_FOR_OPS(op, frame) {
    if (fails(op)) return true;
    if (loop_runs_on_threads(op)) continue;
    for (unsigned i = 0; i < op->n_regions; i++)
      if (loop_frame_may_fail(pm_region_at(op, i))) return true;
  }
  return false;
}
