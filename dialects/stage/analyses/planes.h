/* Planes: points of a case that differ in one dimension, of which there are few, the channels of a picture.
 */
#ifndef PM_DIALECTS_STAGE_ANALYSES_PLANES_H
#define PM_DIALECTS_STAGE_ANALYSES_PLANES_H

#include "dialects/stage/analyses/graph.h"

/* How many planes the case of the stage with the set has along the dimension when they are worth being
 * computed together, point by point of a row: all rows have them, much of what they read they have in common,
 * and their operations, those that differ from point to point, are few. 0: they are not. */
int64_t stage_planes_along(const stage_node *node, const pm_op *case_op, __isl_keep isl_set *set,
                           unsigned dim);
/* The cases are of one plane each along the dimension, over the same points of others, and are worth being
 * computed together: they read much in common, or are next to one another in memory. */
bool stage_are_plane_cases(const stage_node *node, size_t i, size_t k, unsigned dim);
/* Some two are. */
bool stage_has_plane_cases(const stage_node *node, unsigned dim);
/* The dimension's planes are next to one another in the array of an output. */
bool stage_is_interleaved_along(const stage_node *node, unsigned dim);
/* Reads of two cases that are of one point, where the points of the cases are the same: coordinates and
 * params alone lead to it. */
bool stage_reads_alike(const pm_op *a, const pm_op *b);

#endif
