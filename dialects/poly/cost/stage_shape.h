/* Stages as cost functions see them. */
#ifndef PM_DIALECTS_POLY_COST_STAGE_SHAPE_H
#define PM_DIALECTS_POLY_COST_STAGE_SHAPE_H

#include "dialects/poly/cost/cost.h"
#include "dialects/stage/analyses/graph.h"

typedef struct poly_shape_options {
  int64_t usual; /* what params without estimate count as */
  bool reuse;    /* is wanted; else it is 0 */
} poly_shape_options;

/* The shape of a stage whose band in n common dimensions is `schedule`, or of an input (NULL: it has none of
 * them). In the arena; `together`, of its updates, is kept. */
const poly_stage_shape *poly_stage_shape_of(pm_arena *arena, const stage_graph *graph, const stage_node *node,
                                            isl_map *schedule, unsigned n, const bool *together, int turns,
                                            const poly_shape_options *options);

/* Some reads of both are at the same places of an array, up to a number, for the same common coordinates: in
 * one tile they are of the same cells. */
bool poly_read_together(const poly_stage_shape *a, const poly_stage_shape *b);

#endif
