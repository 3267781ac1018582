/* Sizes as cost models take them: each param has its estimate, or a usual value without one. */
#ifndef PM_DIALECTS_STAGE_ANALYSES_ESTIMATES_H
#define PM_DIALECTS_STAGE_ANALYSES_ESTIMATES_H

#include "dialects/stage/analyses/graph.h"

/* Of the param of that number; of a derived one what it is for those of the others. */
int64_t stage_estimate_of(const stage_graph *graph, size_t param, int64_t usual);
/* The set with its params at their estimates; may be empty. */
__isl_give isl_set *stage_at_estimates(const stage_graph *graph, __isl_take isl_set *set, int64_t usual);
__isl_give isl_map *stage_map_at_estimates(const stage_graph *graph, __isl_take isl_map *map, int64_t usual);
/* Values between the least and the greatest of dimension `d`, 0 for an empty set, HUGE_VAL where there is
 * no least or no greatest; at most those more that remainders of coordinates leave out. */
double stage_extent(__isl_keep isl_set *set, unsigned d);

#endif
