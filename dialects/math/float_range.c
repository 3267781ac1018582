#include "dialects/math/float_range.h"

#include "dialects/arith/arith.h"
#include "dialects/math/math.h"

#include <math.h>

float_range float_range_any(void) {
  return (float_range){-HUGE_VAL, HUGE_VAL, true};
}

float_range float_range_of(double low, double high) {
  return (float_range){low, high, false};
}

float_range float_range_union(float_range a, float_range b) {
  return (float_range){fmin(a.low, b.low), fmax(a.high, b.high), a.nan || b.nan};
}

/* Rounding is monotonic, so that the rounded bounds bound what is rounded. */
float_range float_range_round(float_range range, pm_type type) {
  range.low = pm_get_float(type, range.low)->f;
  range.high = pm_get_float(type, range.high)->f;
  return range;
}

static bool is_finite(float_range a) {
  return isfinite(a.low) && isfinite(a.high) && !a.nan;
}

/* Some units in the last place, as a part of a number. */
static double slack_of(pm_type type) {
  switch (type->scalar) {
  case PM_F64:
    return 0x1p-50;
  case PM_F32:
    return 0x1p-21;
  case PM_F16:
    return 0x1p-8;
  default:
    return 0x1p-5;
  }
}

static float_range widen_by(float_range a, double amount) {
  return (float_range){a.low - amount, a.high + amount, a.nan};
}

static double magnitude(float_range a) {
  return fmax(fabs(a.low), fabs(a.high));
}

static float_range widen_relative(float_range a, pm_type type) {
  double slack = slack_of(type);
  return (float_range){a.low - fabs(a.low) * slack, a.high + fabs(a.high) * slack, a.nan};
}

/* It is a product, or what is read, which may become one when stages are inlined. */
static bool may_be_product(const pm_value *value) {
  static const pm_op_desc *const ops[] = {&arith_mulf, &arith_negf, &arith_select};
  if (pm_def(value) && pm_has_trait(pm_def(value), PM_READS)) return true;
  for (size_t i = 0; i < PM_COUNT(ops); i++)
    if (pm_is(pm_def(value), ops[i])) return true;
  return false;
}

/* A product that is added may keep more digits than its type has. */
static float_range as_addend(const pm_value *value, float_range a, float_mode mode) {
  return mode != FLOAT_STRICT && may_be_product(value) ? widen_relative(a, value->type) : a;
}

static float_range sum_of(const pm_op *op, float_range a, float_range b, float_mode mode) {
  if (!is_finite(a) || !is_finite(b)) return float_range_any();
  a = as_addend(pm_arg(op, 0), a, mode);
  b = as_addend(pm_arg(op, 1), b, mode);
  float_range sum = pm_is(op, &arith_addf) ? float_range_of(a.low + b.low, a.high + b.high)
                                           : float_range_of(a.low - b.high, a.high - b.low);
  if (mode != FLOAT_FAST) return sum;
  return widen_by(sum, (magnitude(a) + magnitude(b)) * slack_of(pm_res(op, 0)->type));
}

static float_range hull_of(const double *corners) {
  float_range hull = float_range_of(corners[0], corners[0]);
  for (unsigned i = 1; i < 4; i++) hull = float_range_union(hull, float_range_of(corners[i], corners[i]));
  return hull;
}

static float_range product_of(const pm_op *op, float_range a, float_range b, float_mode mode) {
  if (!is_finite(a) || !is_finite(b)) return float_range_any();
  float_range product =
      hull_of((const double[]){a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
  return mode == FLOAT_FAST ? widen_relative(product, pm_res(op, 0)->type) : product;
}

static float_range quotient_of(const pm_op *op, float_range a, float_range b, float_mode mode) {
  if (!is_finite(a) || !is_finite(b) || (b.low <= 0 && b.high >= 0)) return float_range_any();
  float_range quotient =
      hull_of((const double[]){a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high});
  return mode == FLOAT_FAST ? widen_relative(quotient, pm_res(op, 0)->type) : quotient;
}

/* The right operand when either is NaN. */
static float_range smaller_of(float_range a, float_range b) {
  return (float_range){fmin(a.low, b.low), a.nan ? b.high : fmin(a.high, b.high), b.nan};
}

static float_range larger_of(float_range a, float_range b) {
  return (float_range){a.nan ? b.low : fmax(a.low, b.low), fmax(a.high, b.high), b.nan};
}

static float_range absolute_of(float_range a) {
  bool crosses = a.low <= 0 && a.high >= 0;
  return (float_range){crosses ? 0 : fmin(fabs(a.low), fabs(a.high)), magnitude(a), a.nan};
}

static float_range each_bound(float_range a, double (*function)(double)) {
  return (float_range){function(a.low), function(a.high), a.nan};
}

static float_range root_of(float_range a) {
  bool negative = a.low < 0;
  return (float_range){negative ? 0 : sqrt(a.low), a.high < 0 ? 0 : sqrt(a.high), a.nan || negative};
}

static float_range binary(const pm_op *op, float_range a, float_range b, float_mode mode) {
  if (pm_is(op, &arith_addf) || pm_is(op, &arith_subf)) return sum_of(op, a, b, mode);
  if (pm_is(op, &arith_mulf)) return product_of(op, a, b, mode);
  if (pm_is(op, &arith_divf)) return quotient_of(op, a, b, mode);
  if (pm_is(op, &arith_minf)) return smaller_of(a, b);
  if (pm_is(op, &arith_maxf)) return larger_of(a, b);
  if (pm_is(op, &math_atan2)) return (float_range){-3.142, 3.142, a.nan || b.nan};
  return float_range_any();
}

/* The bounds of functions are rounded outward by more than the errors of any library. */
static float_range unary(const pm_op *op, float_range a) {
  if (pm_is(op, &arith_negf)) return (float_range){-a.high, -a.low, a.nan};
  if (pm_is(op, &math_abs)) return absolute_of(a);
  if (pm_is(op, &math_floor)) return each_bound(a, floor);
  if (pm_is(op, &math_ceil)) return each_bound(a, ceil);
  if (pm_is(op, &math_round)) return each_bound(a, round);
  if (pm_is(op, &math_trunc)) return each_bound(a, trunc);
  if (pm_is(op, &math_rint)) return each_bound(a, rint);
  if (pm_is(op, &math_sqrt)) return root_of(a);
  if (pm_is(op, &arith_cast)) return a;
  if (pm_is(op, &math_sin) || pm_is(op, &math_cos)) return (float_range){-1.001, 1.001, true};
  if (pm_is(op, &math_tanh)) return (float_range){-1.001, 1.001, a.nan};
  if (pm_is(op, &math_asin)) return (float_range){-1.571, 1.571, true};
  if (pm_is(op, &math_acos)) return (float_range){-0.001, 3.142, true};
  if (pm_is(op, &math_atan)) return (float_range){-1.571, 1.571, a.nan};
  return float_range_any();
}

float_range float_range_of_op(const pm_op *op, const float_range *operands, float_mode mode) {
  float_range range = float_range_any();
  if (op->n_operands == 1) range = unary(op, operands[0]);
  if (op->n_operands == 2) range = binary(op, operands[0], operands[1], mode);
  if (pm_is(op, &arith_select)) range = float_range_union(operands[1], operands[2]);
  return float_range_round(range, pm_res(op, 0)->type);
}
