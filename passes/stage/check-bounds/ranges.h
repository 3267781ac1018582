/* What an image would have to contain so that a computed index stays inside a domain. */
#ifndef PM_PASSES_CHECK_BOUNDS_RANGES_H
#define PM_PASSES_CHECK_BOUNDS_RANGES_H

#include "dialects/stage/analyses/graph.h"

/* Elements of an input from `low` to `high`. */
typedef struct found_range {
  const char *input;
  double low, high;
} found_range;

/* For a stage.read or stage.combine that leaves the domain of `producer` for some params of `types`. Finds
 * the widest range around the values that it finds first, near 0, of an input that the index depends on, with
 * which the proof succeeds: by what the ops of the program make of those values, in isl and as intervals of
 * floats. False when there is none, or one with which the index is a single number, or when it would take
 * more than some hundred tries. */
bool bounds_find_range(pm_op *access, const stage_node *producer, isl_set *types, found_range *out);

#endif
