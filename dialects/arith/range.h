/* Intervals of integers, and what the ops of arith make of them.
 *
 * A range that is known holds every number that a value may be. Ops are taken as exact: what they give before
 * it wraps at the width of the type. */
#ifndef PM_DIALECTS_ARITH_RANGE_H
#define PM_DIALECTS_ARITH_RANGE_H

#include "ir/ir.h"

/* Bounds are INT64_MIN and INT64_MAX where the functions below give an unknown one. */
typedef pm_range arith_range;

arith_range arith_unknown_range(void);
/* What a type holds; unknown for u64, half of whose numbers are above INT64_MAX, and for floats. */
arith_range arith_range_of_type(pm_scalar scalar);
/* What the integers of a DENSE are; unknown for a u64 above INT64_MAX. */
arith_range arith_range_of_dense(pm_attr dense);
/* The range is known, and the type holds all of it. */
bool arith_range_fits(arith_range range, pm_scalar scalar);

/* Unknown when an operand is, or when a bound leaves 64 bits. */
arith_range arith_range_add(arith_range a, arith_range b);
arith_range arith_range_sub(arith_range a, arith_range b);
arith_range arith_range_mul(arith_range a, arith_range b);
/* Quotient and remainder by one number above 0, rounded down or toward 0; unknown for other divisors. */
arith_range arith_range_div(arith_range a, arith_range b, bool floors);
arith_range arith_range_rem(arith_range a, arith_range b, bool floors);

/* The exact result of an op whose operands have these ranges, one each; unknown for ops that say nothing, and
 * for what is no integer. */
arith_range arith_range_of_op(const pm_op *op, const arith_range *operands);

/* False when the result does not fit 64 bits. */
bool arith_checked_add(int64_t a, int64_t b, int64_t *out);
bool arith_checked_mul(int64_t a, int64_t b, int64_t *out);

#endif
