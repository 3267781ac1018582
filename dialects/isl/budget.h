/* isl's work is counted: some questions have answers whose search has no useful bound. Counts are the same on
 * every machine: isl's operations, and the numbers that it takes memory for, since an operation on large
 * systems is thousands of these. There is one quota at a time, and one budget, which may stand between the
 * questions of a quota: that then counts isl's operations anew, but goes on with the numbers. */
#ifndef PM_DIALECTS_ISL_BUDGET_H
#define PM_DIALECTS_ISL_BUDGET_H

#include "dialects/isl/isl_dialect.h"

/* GMP takes its numbers by functions that count, once in a process: each context comes here before it has
 * numbers, so that no thread takes some while they change. */
void isl_count_numbers(void);
/* From here on isl has that many of both. Then each of its functions fails, and gives NULL. */
void isl_budget_begin(isl_ctx *isl, unsigned long operations);
/* Whether nothing is left, which is so until the end. */
bool isl_budget_is_spent(isl_ctx *isl);
/* The same, and the end of it: isl is without a bound again, and has forgotten the error. */
bool isl_budget_end(isl_ctx *isl);

/* A budget for many questions. Its functions fail only between `ask` and `answered`, so that all else has
 * what it works on. Without a quota every question is answered, however long it takes. */
void isl_quota_open(isl_ctx *isl, unsigned long operations);
void isl_ask(isl_ctx *isl);
/* False: what isl gave since is NULL, or an error, for want of operations. */
bool isl_answered(isl_ctx *isl);
/* Some question has not been answered. */
bool isl_quota_is_spent(isl_ctx *isl);
/* The same, and the end of it. */
bool isl_quota_close(isl_ctx *isl);

#endif
