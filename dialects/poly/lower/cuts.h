/* Bounds of loops that only the borders of a picture cut: where a tile is full. */
#ifndef PM_DIALECTS_POLY_LOWER_CUTS_H
#define PM_DIALECTS_POLY_LOWER_CUTS_H

#include "dialects/poly/marks.h"
#include "ir/affine.h"

/* The bound of a loop is the greatest (lower) or least (upper, included) of n expressions, of which number
 * `of_tile` is of the tile and the others are of the picture. */
typedef struct poly_cut {
  const void *loop; /* which loop: the caller's */
  bool upper;
  unsigned of_tile, n;
  pm_affine_expr *exprs;
  int64_t work; /* what the loop computes */
  /* In a full tile: */
  bool never;   /* the bound is that of the picture, since other cuts say so */
  bool implied; /* it is that of the tile, since other cuts say so */
} poly_cut;

typedef PM_VEC(poly_cut) poly_cuts;

/* Versions of full tiles are made of loops with such marks: vector loops, and those that will be unrolled. */
bool poly_may_be_full(const poly_loop_marks *marks);
/* Decides which bounds are those of the tile in a full tile, the loops that compute most first: not all can
 * be at once. False when no loop is full then. */
bool poly_decide_cuts(poly_cuts *cuts);
/* NULL: the bound is no cut. */
const poly_cut *poly_find_cut(const poly_cuts *cuts, const void *loop, bool upper);
/* Where the bound is that of the tile, and not `other`: *less is at most *more. */
void poly_order_of_cut(const poly_cut *cut, unsigned other, pm_affine_expr *less, pm_affine_expr *more);
/* In a full tile `upper` is more than `lower`. */
bool poly_is_more_in_full(const poly_cuts *cuts, pm_affine_expr lower, pm_affine_expr upper);

#endif
