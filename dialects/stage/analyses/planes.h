/* Planes: points of a case that differ in one dimension, of which there are few, the channels of a picture.
 */
#ifndef PM_DIALECTS_STAGE_ANALYSES_PLANES_H
#define PM_DIALECTS_STAGE_ANALYSES_PLANES_H

#include "dialects/stage/analyses/graph.h"

/* How many planes the case with the set has along the dimension when they are worth being computed together,
 * point by point of a row: all rows have them, much of what they read they have in common, and their
 * operations, those that differ from point to point, are few. 0: they are not. */
int64_t stage_planes_along(const pm_op *case_op, __isl_keep isl_set *set, unsigned dim);

#endif
