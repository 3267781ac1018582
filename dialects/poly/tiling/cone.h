/* Tiles as cones: the PolyMage thesis, section 3.4, Algorithm 1, with whole slopes as in the published code.
 */
#ifndef PM_DIALECTS_POLY_TILING_CONE_H
#define PM_DIALECTS_POLY_TILING_CONE_H

#include "dialects/poly/tiling/plan.h"

typedef struct poly_cone {
  unsigned height;       /* reads on the longest path in the group */
  int64_t *left, *right; /* slopes of both hyperplanes, by common dimension: left <= 0 <= right */
} poly_cone;

/* Makes every halo that of the cone at the stage's level at least. There the thesis lets points be computed
 * from values that no tile has, since the tile needs neither; here the halo of what they read is wider. NULL;
 * or, with nothing changed, a stage that leaves the group and is read in it by one that does not: what a cone
 * computes more than is needed would read points of it that another tile computes. */
const stage_node *poly_widen_to_cone(poly_plan *plan, poly_cone *out);

#endif
