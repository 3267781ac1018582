/* What the marks of a schedule tree say together. */
#ifndef PM_DIALECTS_POLY_CHECK_CHECK_MARKS_H
#define PM_DIALECTS_POLY_CHECK_CHECK_MARKS_H

#include "dialects/poly/marks.h"
#include "dialects/stage/analyses/statements.h"

/* The marks of a loop stand above the band whose first member it is, with nothing but marks between, each
 * once, and one loop can be all that they say; no loop for threads is inside a vector loop; memory of a
 * thread is inside a loop for threads. Rows that are prefetched are affine functions of instances in the
 * loop; what goes past the caches is a result that the loop stores and does not read. False after
 * diagnostics. */
bool poly_check_marks(const stage_statements *statements, pm_op *schedule);

#endif
