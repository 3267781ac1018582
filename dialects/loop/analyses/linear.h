/* Indices as sums of multiples of values, through the ops that they are computed by. */
#ifndef PM_DIALECTS_LOOP_ANALYSES_LINEAR_H
#define PM_DIALECTS_LOOP_ANALYSES_LINEAR_H

#include "dialects/loop/access.h"

typedef struct loop_term {
  const pm_value *value;
  int64_t factor; /* not 0 */
} loop_term;

/* The terms, of values that differ, and a number. Sums wrap, as those of indices do. */
typedef struct loop_linear {
  PM_VEC(loop_term) terms;
  int64_t number;
  unsigned taken; /* ops that were taken apart: 256 at most, since sums may be shared */
} loop_linear;

void loop_linear_free(loop_linear *sum);
/* Adds factor * value. Sums, differences and multiples, of index type, are taken apart. */
void loop_linear_add(loop_linear *sum, const pm_value *value, int64_t factor);
/* Adds an index of the access; false when it divides, or multiplies values: the sum is of no use then. */
bool loop_linear_add_index(loop_linear *sum, const loop_access *access, pm_affine_expr index);
/* The least number that the sum is known not to exceed, through the minima and maxima among its terms; false
 * when it may be anything. */
bool loop_linear_most(const loop_linear *sum, int64_t *most);
/* They differ by a number only. */
bool loop_linear_same_terms(const loop_linear *a, const loop_linear *b);

#endif
