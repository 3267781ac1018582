/* Loops around the points of a set, read off its constraints. */
#ifndef PM_DIALECTS_POLY_LOWER_LOOP_BOUNDS_H
#define PM_DIALECTS_POLY_LOWER_LOOP_BOUNDS_H

#include "dialects/isl/isl_dialect.h"

/* left >= right */
typedef struct poly_condition {
  pm_affine_expr left, right;
} poly_condition;

/* One loop: from the largest of `lower` to the smallest of `upper`, both included. With a step other than 1
 * the bounds are those of a number n, and the loop's value is first + step * n. */
typedef struct poly_level {
  pm_affine_expr *lower, *upper;
  unsigned n_lower, n_upper;
  int64_t step;
  pm_affine_expr first; /* NULL: the step is 1 */
  pm_affine_expr fixed; /* the only value, without bounds; NULL for a loop */
} poly_level;

/* Expressions are over the dimensions outside, those of the levels behind them, and the parameters of the
 * set as symbols. */
typedef struct poly_nest {
  bool empty;                 /* there is no point */
  poly_condition *conditions; /* what must hold outside, besides what is known */
  unsigned n_conditions;
  poly_level *levels;
  unsigned n_levels;
} poly_nest;

/* The loops that visit each point of `set` (taken) once, in lexicographic order of its dimensions order[0],
 * …, order[n - 1], which follow the dimensions outside; of these `known` (borrowed) holds. An outer loop may
 * have iterations in which the inner ones have none. False when a bound is not read off so simply (divisions
 * other than a constant step and those of parameters alone, no bound at all, numbers of more than 36 bits).
 * Memory is from the arena. */
bool poly_find_nest(pm_context *ctx, pm_arena *arena, __isl_take isl_basic_set *set, isl_basic_set *known,
                    const unsigned *order, unsigned n, poly_nest *nest);

/* The same of a set without divisions, in bounded time: more often an outer loop has iterations in which the
 * inner ones have none. Constants of 48 bits are read. */
bool poly_find_plain_nest(pm_context *ctx, pm_arena *arena, __isl_take isl_basic_set *set,
                          isl_basic_set *known, const unsigned *order, unsigned n, poly_nest *nest);

/* The affine function that `aff` (borrowed) is, of dimensions and parameters, with its divisions; NULL when
 * it has fractions outside of these or large numbers. */
pm_affine_expr poly_affine_of_aff(pm_context *ctx, isl_aff *aff);
/* The affine functions that a map (borrowed) is, one for each dimension of its range, as above. False: it is
 * no function, or one in pieces. */
bool poly_affine_of_map(pm_context *ctx, isl_map *map, pm_affine_expr *exprs);
/* The map from points of `from` to those of `to` (spaces of sets with the same params, taken) that has one
 * expression for each dimension of `to`: over the dimensions of `from`, with the params as symbols. */
__isl_give isl_map *poly_map_of_affine(__isl_take isl_space *from, __isl_take isl_space *to,
                                       const pm_affine_expr *exprs);

#endif
