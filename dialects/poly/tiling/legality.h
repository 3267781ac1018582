/* Which stages may be computed tile by tile together, and how much of a tile its neighbours compute again. */
#ifndef PM_DIALECTS_POLY_TILING_LEGALITY_H
#define PM_DIALECTS_POLY_TILING_LEGALITY_H

#include "dialects/poly/tiling/plan.h"

/* Tile sizes of the innermost dimensions, for judging. */
typedef struct poly_named_sizes {
  const int64_t *sizes;
  size_t n;
} poly_named_sizes;

/* Why the group would be none with the stage in it, whatever the other groups are; NULL: it would. Finds the
 * halo of the stage, which no group has yet. */
const char *poly_why_no_group(const poly_plan *plan, unsigned node, poly_named_sizes named);
/* The same among the other groups: no other one may have to run between the stage and its group. */
const char *poly_why_illegal(const poly_plan *plan, unsigned node, poly_named_sizes named);
/* Percent of the group's work in one tile that the neighbouring tiles do too, with the stage in it. */
double poly_overlap_with(const poly_plan *plan, unsigned node, poly_named_sizes named);

#endif
