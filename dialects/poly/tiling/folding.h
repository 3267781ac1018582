/* Folded memories: a poly.alloc some of whose dimensions are rings. */
#ifndef PM_DIALECTS_POLY_TILING_FOLDING_H
#define PM_DIALECTS_POLY_TILING_FOLDING_H

#include "dialects/isl/isl_dialect.h"
#include "dialects/poly/poly.h"

/* Points share cells. */
bool poly_alloc_is_folded(const pm_op *alloc);
/* { P[p] -> P[p'] : p' is another point in the cell of p }, in the space (taken) of the stage's points. */
__isl_give isl_map *poly_same_cell(const pm_op *alloc, __isl_take isl_space *points);
/* More than that, without divisions: p' agrees with p where nothing is folded, and in a folded dimension it
 * is at least the size of the ring away. */
__isl_give isl_map *poly_turn_apart(const pm_op *alloc, __isl_take isl_space *points);

#endif
