/* Rows of systems of linear constraints, for those who make systems and ask them. */
#ifndef PM_DIALECTS_ISL_LINEAR_ROWS_H
#define PM_DIALECTS_ISL_LINEAR_ROWS_H

#include "dialects/isl/linear.h"

#include <isl/mat.h>

/* The same params in one order, and as many dimensions. */
bool linear_same_dims(isl_basic_set *a, isl_basic_set *b);
/* The columns are those of a system. */
__isl_give isl_mat *linear_equalities(isl_basic_set *set);
__isl_give isl_mat *linear_inequalities(isl_basic_set *set);
/* False when the number is too large for the sums of products that come of it. */
bool linear_read_cell(isl_mat *matrix, int row, int column, int64_t *out);
/* True: the row is at least 0 at every point, of an equality 0. The row may come back with other signs. */
bool linear_implies_row(linear_system *s, int64_t *row, bool equality);
/* True: the number divides the row at every point. */
bool linear_is_multiple(linear_system *s, const int64_t *row, int64_t of);
/* A low value that the row has at some point, perhaps the least; false when none is found. */
bool linear_low_value(linear_system *s, const int64_t *row, int64_t *low);

#endif
