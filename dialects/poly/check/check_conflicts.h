/* Loops that are marked parallel or vector carry no dependences. */
#ifndef PM_DIALECTS_POLY_CHECK_CHECK_CONFLICTS_H
#define PM_DIALECTS_POLY_CHECK_CHECK_CONFLICTS_H

#include "dialects/poly/check/occurrences.h"

/* Iterations of a loop around both run at the same time and share what `a` writes; loops in which each point
 * is computed once count only when `b` reads. */
bool poly_may_conflict(const poly_occurrence *a, const poly_occurrence *b, bool reads);
/* No loop that is parallel or vector carries a dependence from what `a` writes to what `b` touches; false
 * after a diagnostic. Takes `touched`, iterations of `b` -> points of a's stage. */
bool poly_check_conflicts(const poly_occurrence *a, const poly_occurrence *b, __isl_take isl_map *touched);

#endif
