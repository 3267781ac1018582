/* Places of accesses with one index, as sums of products that tell apart what changes in a loop. */
#ifndef PM_PASSES_VECTOR_VECTORIZE_PLACE_H
#define PM_PASSES_VECTOR_VECTORIZE_PLACE_H

#include "dialects/loop/access.h"

/* factor * value * by, where `by` is the same in all iterations, or NULL for 1. */
typedef struct place_term {
  pm_value *value, *by;
  int64_t factor; /* not 0 */
} place_term;

/* The sum of the terms and the number; it wraps as indices do. place_free frees it. */
typedef struct place {
  PM_VEC(place_term) terms;
  int64_t number;
} place;

/* The one index of the access. False when it divides, or multiplies two values that change in the loop; then
 * there is nothing to free. */
bool place_find(const loop_access *access, const pm_op *loop, place *out);
void place_free(place *p);
place place_copy(const place *p);
void place_add(place *p, place_term term);
/* They differ by a number only. */
bool place_same_terms(const place *a, const place *b);
/* By how many elements the place moves from each iteration to the next; false: it depends on other values
 * that change in the loop. */
bool place_find_step(const place *p, const pm_op *loop, int64_t *step);
/* An index that is (step * counter + what is the same in all iterations) / divisor, rounded down, with small
 * numbers, `step` of at least 0. */
typedef struct quotient {
  pm_value *dividend;
  int64_t step, divisor;
  int64_t rest; /* that the division leaves in the first iteration; -1: not known */
} quotient;
bool place_find_quotient(const pm_op *loop, pm_value *value, quotient *out);
/* The place as a map of one result; `operands` are appended, dimensions and then symbols. */
typedef PM_VEC(pm_value *) place_operands;
pm_affine_map place_build_map(pm_context *ctx, const place *p, place_operands *operands);

#endif
