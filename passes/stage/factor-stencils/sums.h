/* Weighted sums in the body of a case, and which of their terms are one expression at several points. */
#ifndef PM_PASSES_STAGE_FACTOR_STENCILS_SUMS_H
#define PM_PASSES_STAGE_FACTOR_STENCILS_SUMS_H

#include "dialects/arith/call.h"
#include "dialects/arith/range.h"
#include "ir/builder.h"

/* Of an expression at the point plus `at`: entries for the arguments of the body. */
typedef struct stencil_tap {
  int64_t at[PM_MAX_RANK];
  double weight; /* of integers a whole number of at most 31 bits */
} stencil_tap;

/* One expression, which is `leaf` at the point plus `origin`, and the taps that a sum has of it, in
 * lexicographic order, each place once, without weights of 0. What it reads first is read at the point
 * itself.
 */
typedef struct stencil {
  pm_value *leaf;
  int64_t origin[PM_MAX_RANK];
  PM_VEC(stencil_tap) taps;
} stencil;

typedef struct stencil_term {
  pm_value *value;
  double weight;
} stencil_term;

/* What `root` computes: the stencils and the other terms together, modulo 2^bits of integers. */
typedef struct stencil_sum {
  pm_value *root;
  PM_VEC(stencil) stencils;
  PM_VEC(stencil_term) others;
} stencil_sum;
typedef PM_VEC(stencil_sum) stencil_sums;

/* Adds the sums in the body whose results no other one takes in, of integers, with `floats` those of floats
 * as well, whose terms are then taken apart as if they were real numbers. Terms that two sums use stay whole.
 */
void stencil_collect_sums(pm_region *body, bool floats, stencil_sums *sums);
void stencil_sums_free(stencil_sums *sums);

/* What an integer may be by the conversion that it comes from, or as a constant; else all of its type. */
arith_range stencil_range_of(const pm_value *value);
/* The expression at the point `args` + `at`, built there. */
pm_value *stencil_build(pm_builder *b, const stencil *s, const int64_t *at, pm_value *const *args);

#endif
