/* Reads of a stencil that lie between other reads. */
#ifndef PM_DIALECTS_POLY_BETWEEN_H
#define PM_DIALECTS_POLY_BETWEEN_H

#include "dialects/stage/graph.h"

/* between[i] (one a read of the stage, by number) = at every instance the read goes to a point on the line
 * between those of two other reads: a convex set that all reads but these go to has their points too. */
void poly_find_between(pm_arena *arena, const stage_node *node, bool *between);

#endif
