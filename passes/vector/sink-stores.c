/* sink-stores: in vector loops, stores come behind the loads that follow them, as far as these are from other
 * memory.
 *
 *   loop.for %i = %a to %b step 1 simd {   |  loop.for %i = %a to %b step 1 simd {
 *     %v = buf.load %x[%i]                 |    %v = buf.load %x[%i]
 *     buf.store %v, %y[%i]                 |    %w = buf.load %x[%i + 1]
 *     %w = buf.load %x[%i + 1]             |    buf.store %v, %y[%i]
 *     buf.store %w, %z[%i]                 |    buf.store %w, %z[%i]
 *   }                                      |  }
 *
 * Statements that share a loop come one after the other, each with its stores. A load that two of them share
 * stays in a register for both where no store stands between them.
 */
#include "dialects/loop/analyses/indices.h"
#include "dialects/loop/analyses/loops.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/loop.h"
#include "passes/options.h"

#include <stdlib.h>

/* A load from other memory than that of the store, or an op that knows of none. */
static bool may_pass(const pm_op *store, const pm_op *op) {
  if (pm_is(op, &buf_load))
    return !loop_share_memory(pm_arg(store, buf_store_buffer), pm_arg(op, buf_load_buffer));
  return pm_is(op, &buf_prefetch) || (pm_has_trait(op, PM_PURE) && !op->n_regions);
}

/* The last load behind the store that it may come behind of; NULL when there is none. */
static pm_op *last_load(pm_op *store) {
  pm_op *last = NULL;
  for (pm_op *op = store->next; op && may_pass(store, op); op = op->next)
    if (pm_is(op, &buf_load)) last = op;
  return last;
}

/* Later stores first, so that those ahead find them out of the way. */
static int64_t sink(pm_op *loop) {
  int64_t moved = 0;
  pm_region *body = pm_region_at(loop, loop_for_body);
  for (pm_op *op = body->last, *before; op; op = before) {
    before = pm_prev(op);
    pm_op *load = pm_is(op, &buf_store) ? last_load(op) : NULL;
    if (!load) continue;
    pm_move_before(op, body, load->next);
    moved++;
  }
  return moved;
}

pm_result pass_sink_stores(pm_pass *pass) {
  loop_list loops = {0};
  int64_t moved = 0;
  loop_list_vector_loops(pm_pass_root(pass), &loops);
  for (size_t i = 0; i < loops.len; i++) moved += sink(loops.data[i]);
  PM_VEC_FREE(loops);
  pm_pass_stat(pass, "stores moved", moved);
  return moved ? PM_CHANGED : PM_UNCHANGED;
}
