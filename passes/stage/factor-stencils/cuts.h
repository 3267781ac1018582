/* Masks as sums of shifted copies of one row. */
#ifndef PM_PASSES_STAGE_FACTOR_STENCILS_CUTS_H
#define PM_PASSES_STAGE_FACTOR_STENCILS_CUTS_H

#include "passes/stage/factor-stencils/sums.h"

/* A mask w is sum over rows r of factor_r * pattern(. - r) plus the rest: pattern is along `axis`, and r is 0
 * there. Of rank 1, a mask has no rest. The rows are all whole points of the box from `low` to `high`. Every
 * tap of a shifted pattern is one of the mask. */
typedef struct stencil_cut {
  unsigned axis;
  PM_VEC(stencil_tap) pattern, rows, rest;
  int64_t low[PM_MAX_RANK], high[PM_MAX_RANK];
} stencil_cut;

/* The cut along the axis with the fewest taps, where it has fewer than the stencil; false without one, and
 * for masks of many thousand taps.
 * Weights of integers stay whole numbers; those of floats (`bits` of a mantissa, else 0) may be rounded anew.
 */
bool stencil_find_cut(const stencil *s, unsigned axis, int bits, stencil_cut *cut);
void stencil_cut_free(stencil_cut *cut);

#endif
