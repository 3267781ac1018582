/* Intervals of floats: never narrower than what the ops compute. */
#ifndef PM_DIALECTS_MATH_FLOAT_RANGE_H
#define PM_DIALECTS_MATH_FLOAT_RANGE_H

#include "ir/ir.h"

typedef struct float_range {
  double low, high; /* may be infinite */
  bool nan;         /* may be NaN too */
} float_range;

typedef enum float_mode { FLOAT_STRICT, FLOAT_CONTRACT, FLOAT_FAST } float_mode;

float_range float_range_any(void);
float_range float_range_of(double low, double high);
float_range float_range_union(float_range a, float_range b);
/* Rounded to the type; a bound that it does not hold becomes infinite. */
float_range float_range_round(float_range range, pm_type type);
/* Result of a float op of arith or math with a float result, from the ranges of its operands (in their
 * order); any float for an op that is not known. `mode` widens what the compiler may round otherwise; a fast
 * one is held to have no NaN where minf and maxf would hide it. */
float_range float_range_of_op(const pm_op *op, const float_range *operands, float_mode mode);

#endif
