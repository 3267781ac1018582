/* Iterations of a loop next to one another in the body of another one. */
#ifndef PM_DIALECTS_LOOP_REWRITE_PHASE_H
#define PM_DIALECTS_LOOP_REWRITE_PHASE_H

#include "ir/builder.h"

/* Where the counter is factor * base + offset. */
typedef struct loop_phase {
  const pm_value *counter;
  pm_value *base;
  int64_t factor, offset;
  pm_map *copies; /* values of the loop to those of this phase */
} loop_phase;

/* Computes the counter at the builder, for what is no access. The caller frees the phase. */
loop_phase loop_phase_begin(pm_builder *b, const pm_value *counter, pm_value *base, int64_t factor,
                            int64_t offset);
/* Copies the ops from `op` up to `until`, NULL for the end of the region, to the builder's place. They lose
 * their names, since other phases have the same. The maps of accesses are written in `base`. */
void loop_phase_copy(const loop_phase *phase, pm_builder *b, const pm_op *op, const pm_op *until);
void loop_phase_free(loop_phase *phase);

/* Where a loop from `lb` on ends that has as many iterations as `times` divides, of those up to `ub`. */
pm_value *loop_end_of_whole(pm_builder *b, pm_value *lb, pm_value *ub, int64_t step, int64_t times);
/* Puts a loop in front of a loop.for that carries nothing: it has all its iterations but the last ones,
 * `times` of them in one, which the caller puts into its body. The loop itself has those that are left. */
pm_builder loop_split_whole(pm_op *loop, int64_t times);
/* The same with their bodies, in the order of the iterations. A loop that is known to have `times` of them is
 * erased, as there is none any more. */
void loop_unroll(pm_op *loop, int64_t times);

#endif
