/* Systems that were solved, by their constraints: passes ask the same of a set, and of sets like it. */
#ifndef PM_DIALECTS_ISL_LINEAR_MEMO_H
#define PM_DIALECTS_ISL_LINEAR_MEMO_H

#include "dialects/isl/linear_rows.h"

typedef struct linear_memo linear_memo;

linear_memo *linear_memo_new(void);
/* Before isl's context. NULL: nothing. */
void linear_memo_free(linear_memo *memo);
/* The memo of an isl_ctx of ours; NULL: there is none, as for an isl_ctx of others. */
linear_memo *linear_memo_of(isl_ctx *isl);
/* The system with these rows (borrowed), before any question; borrowed until the next is added. NULL: it is
 * not there. */
const linear_system *linear_memo_find(linear_memo *memo, isl_mat *equalities, isl_mat *inequalities);
/* Takes all. */
void linear_memo_add(linear_memo *memo, __isl_take isl_mat *equalities, __isl_take isl_mat *inequalities,
                     linear_system *system);

#endif
