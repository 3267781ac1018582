/* Systems of linear constraints over integers, in 64 bits: a simplex tableau without isl's large numbers. It
 * sees rational reasons, constraints by what divides their coefficients, and integers near a vertex. What is
 * shown here is so; what is not (also since a number got too large) has to be asked of isl. */
#ifndef PM_DIALECTS_ISL_LINEAR_H
#define PM_DIALECTS_ISL_LINEAR_H

#include "dialects/isl/isl_dialect.h"

typedef struct linear_system linear_system;

/* The constraints of a set (borrowed), NULL when a number is too large. The columns are 1, the params, the
 * dimensions and the divisions, which are further integer dimensions, as for isl's own integer programming.
 */
linear_system *linear_system_new(isl_basic_set *set);
void linear_system_free(linear_system *s);
unsigned linear_n_columns(const linear_system *s);
/* True: the set has no points. */
bool linear_is_empty(const linear_system *s);
/* True: a point of the set was found. */
bool linear_has_point(linear_system *s);
/* True: row . (1, params, dimensions, divisions) >= 0 at every point. */
bool linear_implies(linear_system *s, const int64_t *row);

typedef enum linear_answer { LINEAR_UNKNOWN, LINEAR_FOUND, LINEAR_NONE } linear_answer;

/* The least value of the row over the points, in *least when it is found. LINEAR_NONE: there are points, and
 * the row has no least value over them. */
linear_answer linear_least(linear_system *s, const int64_t *row, int64_t *least);

/* Of the points of the set, which is borrowed, with params: the values of a dimension, or those of the
 * function, rounded down, go from *low to *high; values of a dimension for the same params differ by at most
 * *difference. LINEAR_NONE: there are points, and no bound. */
linear_answer linear_dim_range(isl_set *set, unsigned dim, int64_t *low, int64_t *high);
linear_answer linear_floor_range(isl_set *set, isl_aff *function, int64_t *low, int64_t *high);

/* A box around the points of a set, which is borrowed, for all params: INT64_MIN and INT64_MAX where no
 * number is found. */
typedef struct linear_box {
  unsigned n;
  int64_t *low, *high; /* n each, of one allocation */
} linear_box;

linear_box linear_box_of(isl_set *set);
void linear_box_free(linear_box box);
/* Of sets with as many dimensions: they have no point in common. */
bool linear_are_apart(const linear_box *a, const linear_box *b);

/* True: values of the function, rounded down, at two points of the set are found to differ by `n` at least.
 */
bool linear_floors_differ(isl_set *set, isl_aff *function, int64_t n);
linear_answer linear_greatest_difference(isl_set *set, unsigned dim, int64_t *difference);

/* True: the first, borrowed, is shown to be a part of the second. Of sets and maps that are unions, each
 * basic set is to be a part of one of the other's. */
bool linear_is_subset(isl_basic_set *part, isl_basic_set *whole);
bool linear_set_is_subset(isl_set *part, isl_set *whole);
bool linear_map_is_subset(isl_map *part, isl_map *whole);
bool linear_range_is_subset(isl_map *map, isl_set *range);
/* --- Questions that isl is asked only when nothing is shown. Where it does not answer (budget.h), sets are
 * no parts of others and not empty, and nothing is subtracted. --- */

/* isl_set_is_subset and isl_set_is_equal. */
bool linear_decide_subset(isl_set *part, isl_set *whole);
bool linear_decide_equal(isl_set *a, isl_set *b);

/* isl_map_is_empty and isl_set_is_empty. False for NULL. */
bool linear_map_is_empty(isl_map *map);
bool linear_set_is_empty(isl_set *set);

/* isl_set_intersect_params, which looks for an integer point: isl does where none is found here, for as long
 * as it takes. */
__isl_give isl_set *linear_intersect_params(__isl_take isl_set *set, __isl_take isl_set *params);

/* isl_map_flat_domain_product and isl_map_flat_range_product, which do the same. */
__isl_give isl_map *linear_flat_domain_product(__isl_take isl_map *a, __isl_take isl_map *b);
__isl_give isl_map *linear_flat_range_product(__isl_take isl_map *a, __isl_take isl_map *b);

/* isl_map_subtract, isl_map_subtract_range and isl_set_subtract, where the difference is expected to be
 * empty.
 */
__isl_give isl_map *linear_subtract(__isl_take isl_map *map, __isl_take isl_map *minus);
__isl_give isl_map *linear_subtract_range(__isl_take isl_map *map, __isl_take isl_set *minus);
__isl_give isl_set *linear_set_subtract(__isl_take isl_set *set, __isl_take isl_set *minus);

/* `set` (taken) without the constraints that `known` (borrowed) and those left imply, as isl_basic_set_gist,
 * which is asked where there are divisions or large numbers; as it is where isl does not answer. */
__isl_give isl_basic_set *linear_gist(__isl_take isl_basic_set *set, isl_basic_set *known);

#endif
