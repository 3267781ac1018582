/* Whole arrays that are one: their stages have its cells in turn. */
#ifndef PM_DIALECTS_POLY_CHECK_CHECK_TURNS_H
#define PM_DIALECTS_POLY_CHECK_CHECK_TURNS_H

#include "dialects/poly/check/occurrences.h"

/* `then` may write the cells of `first`, which has the same domain: in each cell, the write of `first` and
 * all its reads come before the write of `then`, and all points of `first` are computed, so that what is
 * before `first` in a cell is before `then`. Reads by `then` itself do not count as before: the loops of a
 * stage need not keep an order. */
bool poly_may_follow(const poly_occurrences *all, const stage_node *first, const stage_node *then);
/* That holds for each two allocations of one turn that follow one another. False after a diagnostic. */
bool poly_check_turns(const poly_occurrences *all);

#endif
