/* Steps inside a tile (docs/tiling.md): what a group must be for them, as `group` prices it and `tile` makes
 * it.
 */
#ifndef PM_DIALECTS_POLY_TILING_INNER_TILES_H
#define PM_DIALECTS_POLY_TILING_INNER_TILES_H

#include "dialects/stage/analyses/graph.h"

/* A group of fewer stages has no use for steps. */
enum { POLY_LEAST_STEPPED = 2 };

/* Why a tile of a group that the stage is in cannot be computed in steps; NULL when nothing in the stage
 * itself stands against it. `has_dimensions`: those of the steps. Besides, poly_widen_distances must bound
 * all distances between stages of the group. */
const char *poly_why_no_steps(const stage_node *node, bool has_dimensions);

#endif
