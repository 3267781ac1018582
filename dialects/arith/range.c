/* Intervals of integers. */
#include "dialects/arith/range.h"

#include "dialects/arith/arith.h"

#include <math.h>

bool arith_checked_add(int64_t a, int64_t b, int64_t *out) {
  if (b > 0 ? a > INT64_MAX - b : a < INT64_MIN - b) return false;
  *out = a + b;
  return true;
}

bool arith_checked_mul(int64_t a, int64_t b, int64_t *out) {
  uint64_t x = a < 0 ? 0 - (uint64_t)a : (uint64_t)a, y = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;
  if (x && y > (uint64_t)INT64_MAX / x) return false;
  *out = (a < 0) != (b < 0) ? -(int64_t)(x * y) : (int64_t)(x * y);
  return true;
}

static int64_t min64(int64_t a, int64_t b) {
  return a < b ? a : b;
}
static int64_t max64(int64_t a, int64_t b) {
  return a > b ? a : b;
}

arith_range arith_unknown_range(void) {
  return (arith_range){false, INT64_MIN, INT64_MAX};
}

static arith_range between(int64_t lo, int64_t hi) {
  return (arith_range){true, lo, hi};
}

arith_range arith_range_of_type(pm_scalar scalar) {
  const pm_scalar_info *info = pm_get_scalar_info(scalar);
  if (info->is_float || scalar == PM_U64) return arith_unknown_range();
  if (info->bits == 64) return between(INT64_MIN, INT64_MAX);
  if (scalar == PM_I1) return between(0, 1);
  int64_t half = (int64_t)1 << (info->bits - 1);
  return info->is_signed ? between(-half, half - 1) : between(0, 2 * half - 1);
}

arith_range arith_range_of_dense(pm_attr dense) {
  arith_range range = between(dense->numbers[0].i, dense->numbers[0].i);
  for (size_t i = 1; i < dense->len; i++)
    range = between(min64(range.lo, dense->numbers[i].i), max64(range.hi, dense->numbers[i].i));
  return arith_range_fits(range, (pm_scalar)dense->t->scalar) ? range : arith_unknown_range();
}

bool arith_range_fits(arith_range range, pm_scalar scalar) {
  arith_range all = arith_range_of_type(scalar);
  if (scalar == PM_U64) return range.known && range.lo >= 0;
  return range.known && all.known && range.lo >= all.lo && range.hi <= all.hi;
}

/* --- arithmetic --- */

arith_range arith_range_add(arith_range a, arith_range b) {
  int64_t lo, hi;
  bool known = a.known && b.known && arith_checked_add(a.lo, b.lo, &lo) && arith_checked_add(a.hi, b.hi, &hi);
  return known ? between(lo, hi) : arith_unknown_range();
}

arith_range arith_range_sub(arith_range a, arith_range b) {
  if (b.lo == INT64_MIN) return arith_unknown_range();
  return arith_range_add(a, (arith_range){b.known, -b.hi, -b.lo});
}

arith_range arith_range_mul(arith_range a, arith_range b) {
  int64_t p[4];
  bool known = a.known && b.known && arith_checked_mul(a.lo, b.lo, &p[0]) &&
               arith_checked_mul(a.lo, b.hi, &p[1]) && arith_checked_mul(a.hi, b.lo, &p[2]) &&
               arith_checked_mul(a.hi, b.hi, &p[3]);
  if (!known) return arith_unknown_range();
  return between(min64(min64(p[0], p[1]), min64(p[2], p[3])), max64(max64(p[0], p[1]), max64(p[2], p[3])));
}

static bool is_one_above_zero(arith_range r) {
  return r.known && r.lo == r.hi && r.lo > 0;
}

arith_range arith_range_div(arith_range a, arith_range b, bool floors) {
  if (!a.known || !is_one_above_zero(b)) return arith_unknown_range();
  return floors ? between(pm_floor_div(a.lo, b.lo), pm_floor_div(a.hi, b.lo))
                : between(a.lo / b.lo, a.hi / b.lo);
}

arith_range arith_range_rem(arith_range a, arith_range b, bool floors) {
  if (!is_one_above_zero(b)) return arith_unknown_range();
  int64_t top = b.lo - 1;
  if (a.known && a.lo >= 0) return between(0, min64(a.hi, top));
  return between(floors ? 0 : -top, top);
}

static arith_range least_of(arith_range a, arith_range b) {
  return (arith_range){a.known && b.known, min64(a.lo, b.lo), min64(a.hi, b.hi)};
}

static arith_range greatest_of(arith_range a, arith_range b) {
  return (arith_range){a.known && b.known, max64(a.lo, b.lo), max64(a.hi, b.hi)};
}

static arith_range either_of(arith_range a, arith_range b) {
  return (arith_range){a.known && b.known, min64(a.lo, b.lo), max64(a.hi, b.hi)};
}

/* --- bits --- */

static bool is_negative_nowhere(arith_range r) {
  return r.known && r.lo >= 0;
}

static arith_range and_of(arith_range a, arith_range b) {
  if (!is_negative_nowhere(a)) return is_negative_nowhere(b) ? between(0, b.hi) : arith_unknown_range();
  return between(0, is_negative_nowhere(b) ? min64(a.hi, b.hi) : a.hi);
}

/* All bits up to the highest one of a number that is not negative. */
static int64_t bits_up_to(int64_t v) {
  int64_t mask = 0;
  while (mask < v) mask = mask * 2 + 1;
  return mask;
}

static arith_range or_of(arith_range a, arith_range b) {
  if (!is_negative_nowhere(a) || !is_negative_nowhere(b)) return arith_unknown_range();
  return between(0, bits_up_to(max64(a.hi, b.hi)));
}

static arith_range shifted(arith_range a, arith_range amount, bool left) {
  if (!amount.known || amount.lo != amount.hi || amount.lo < 0 || amount.lo > 62)
    return arith_unknown_range();
  int64_t factor = (int64_t)1 << amount.lo;
  return left ? arith_range_mul(a, between(factor, factor))
              : arith_range_div(a, between(factor, factor), true);
}

/* --- ops --- */

static arith_range of_binary(const pm_op *op, arith_range a, arith_range b) {
  if (pm_is(op, &arith_addi)) return arith_range_add(a, b);
  if (pm_is(op, &arith_subi)) return arith_range_sub(a, b);
  if (pm_is(op, &arith_muli)) return arith_range_mul(a, b);
  if (pm_is(op, &arith_divi)) return arith_range_div(a, b, true);
  if (pm_is(op, &arith_trunc_div)) return arith_range_div(a, b, false);
  if (pm_is(op, &arith_remi)) return arith_range_rem(a, b, true);
  if (pm_is(op, &arith_trunc_rem)) return arith_range_rem(a, b, false);
  if (pm_is(op, &arith_andi)) return and_of(a, b);
  if (pm_is(op, &arith_ori) || pm_is(op, &arith_xori)) return or_of(a, b);
  if (pm_is(op, &arith_shli)) return shifted(a, b, true);
  if (pm_is(op, &arith_shri)) return shifted(a, b, false);
  if (pm_is(op, &arith_mini)) return least_of(a, b);
  return pm_is(op, &arith_maxi) ? greatest_of(a, b) : arith_unknown_range();
}

static arith_range normal(arith_range r) {
  return r.known ? r : arith_unknown_range();
}

/* Saturated to what the type holds, of which u64 shows half. */
static arith_range clamped(arith_range r, pm_scalar scalar) {
  arith_range all = scalar == PM_U64 ? between(0, INT64_MAX) : arith_range_of_type(scalar);
  if (!r.known) return r;
  return between(max64(all.lo, min64(r.lo, all.hi)), min64(all.hi, max64(r.hi, all.lo)));
}

/* Between constants on the right of minf and maxf, of which one, not NaN, is the result where the other is
 * NaN. */
static bool find_limits(const pm_value *value, double *lo, double *hi) {
  const pm_op *op = pm_def(value);
  bool least = pm_is(op, &arith_minf);
  pm_attr limit = least || pm_is(op, &arith_maxf) ? pm_constant_value(pm_arg(op, 1)) : NULL;
  if (!limit || limit->cls != PM_ATTR_FLOAT || isnan(limit->f)) return false;
  if (!find_limits(pm_arg(op, 0), lo, hi)) *lo = -HUGE_VAL, *hi = HUGE_VAL;
  *lo = least ? fmin(*lo, limit->f) : fmax(*lo, limit->f);
  *hi = least ? fmin(*hi, limit->f) : fmax(*hi, limit->f);
  return true;
}

/* Of a float that is brought between two numbers, which are small enough. */
static arith_range of_limited(const pm_value *value) {
  static const double most = 0x1p62;
  double lo, hi;
  if (!find_limits(value, &lo, &hi) || lo < -most || hi > most) return arith_unknown_range();
  return between((int64_t)lo, (int64_t)hi);
}

static arith_range of_conversion(const pm_op *op, arith_range from) {
  if (pm_is_float(pm_arg(op, 0)->type)) from = of_limited(pm_arg(op, 0));
  pm_scalar to = (pm_scalar)pm_res(op, 0)->type->scalar;
  if (to == PM_I1) return between(0, 1);
  return normal(pm_is(op, &arith_sat_cast) ? clamped(from, to) : from);
}

arith_range arith_range_of_op(const pm_op *op, const arith_range *operands) {
  if (op->n_results != 1 || !pm_is_int_or_index(pm_res(op, 0)->type)) return arith_unknown_range();
  pm_attr constant = pm_constant_value(pm_res(op, 0));
  if (constant) {
    bool shown = pm_res(op, 0)->type->scalar != PM_U64 || constant->i >= 0;
    return shown ? between(constant->i, constant->i) : arith_unknown_range();
  }
  if (op->desc->range) return normal(op->desc->range(op, operands));
  if (pm_is(op, &arith_cast) || pm_is(op, &arith_sat_cast)) return of_conversion(op, operands[0]);
  if (pm_is(op, &arith_select)) return normal(either_of(operands[arith_select_a], operands[arith_select_b]));
  return op->n_operands == 2 ? normal(of_binary(op, operands[0], operands[1])) : arith_unknown_range();
}
