/* Stages as cost functions see them. */
#ifndef PM_DIALECTS_POLY_SHAPE_H
#define PM_DIALECTS_POLY_SHAPE_H

#include "dialects/poly/cost.h"
#include "dialects/stage/graph.h"

/* The shape of a stage whose band in n common dimensions is `schedule`, or of an input (NULL: it has none of
 * them); params without estimate count as `usual`. In the arena. */
const poly_stage_shape *poly_stage_shape_of(pm_arena *arena, const stage_graph *graph, const stage_node *node,
                                            isl_map *schedule, unsigned n, int64_t usual);

#endif
