/* isl's work is counted: some questions have answers whose search has no useful bound. */
#ifndef PM_DIALECTS_ISL_BUDGET_H
#define PM_DIALECTS_ISL_BUDGET_H

#include "dialects/isl/isl_dialect.h"

/* From here on isl makes that many operations, and takes memory for that many numbers: an operation on large
 * systems is thousands of these. Then each of its functions fails, and gives NULL. Counts are the same on
 * every machine. Budgets do not nest. */
void isl_budget_begin(isl_ctx *isl, unsigned long operations);
/* Whether nothing is left, which is so until the end. */
bool isl_budget_is_spent(isl_ctx *isl);
/* The same, and the end of it: isl is without a bound again, and has forgotten the error. */
bool isl_budget_end(isl_ctx *isl);

#endif
