/* Folds: constants are evaluated by the same code that the interpreters run; identities hold for every value
 * of the type, those of floats bit for bit (but for the payload of a NaN). */
#include "dialects/arith/arith.h"
#include "dialects/arith/eval.h"

#include <math.h>

static bool give_value(pm_fold_result *out, pm_value *value) {
  out->value = value;
  return true;
}

static bool give_int(pm_fold_result *out, const pm_op *op, int64_t value) {
  out->attr = pm_get_int(pm_res(op, 0)->type, value);
  return true;
}

/* The constant is `value` wrapped to its own type: -1 is all ones of an unsigned type too. */
static bool is_int(pm_attr constant, int64_t value) {
  return constant && constant->cls == PM_ATTR_INT && constant == pm_get_int(constant->t, value);
}

/* The same float, by its bits: 0.0 is not -0.0. */
static bool is_float(pm_attr constant, double value) {
  return constant && constant->cls == PM_ATTR_FLOAT && constant == pm_get_float(constant->t, value);
}

static bool same_operands(const pm_op *op) {
  return pm_arg(op, 0) == pm_arg(op, 1);
}

bool arith_constant_fold(pm_op *op, const pm_attr *operands, pm_fold_result *out) {
  (void)operands;
  pm_attr value = pm_attr_at(op, arith_constant_value);
  pm_type type = pm_res(op, 0)->type;
  out->attr = value->cls == PM_ATTR_INT ? pm_get_int(type, value->i) : pm_get_float(type, value->f);
  return true;
}

/* x + 0 => x */
bool arith_addi_fold(pm_op *op, const pm_attr *operands, pm_fold_result *out) {
  if (is_int(operands[1], 0)) return give_value(out, pm_arg(op, 0));
  if (is_int(operands[0], 0)) return give_value(out, pm_arg(op, 1));
  return pm_fold_constants(op, operands, out);
}

/* x - 0 => x, x - x => 0 */
bool arith_subi_fold(pm_op *op, const pm_attr *operands, pm_fold_result *out) {
  if (is_int(operands[1], 0)) return give_value(out, pm_arg(op, 0));
  if (same_operands(op)) return give_int(out, op, 0);
  return pm_fold_constants(op, operands, out);
}

/* x * 1 => x, x * 0 => 0 */
bool arith_muli_fold(pm_op *op, const pm_attr *operands, pm_fold_result *out) {
  if (is_int(operands[0], 0) || is_int(operands[1], 0)) return give_int(out, op, 0);
  if (is_int(operands[1], 1)) return give_value(out, pm_arg(op, 0));
  if (is_int(operands[0], 1)) return give_value(out, pm_arg(op, 1));
  return pm_fold_constants(op, operands, out);
}

/* x / 1 => x, x / 0 => 0, 0 / x => 0; x / x is 0 for x = 0 and stays */
static bool fold_quotient(pm_op *op, const pm_attr *operands, pm_fold_result *out) {
  if (is_int(operands[1], 0) || is_int(operands[0], 0)) return give_int(out, op, 0);
  if (is_int(operands[1], 1)) return give_value(out, pm_arg(op, 0));
  return pm_fold_constants(op, operands, out);
}

/* x % 1 => 0, x % 0 => 0, 0 % x => 0, x % x => 0 */
static bool fold_remainder(pm_op *op, const pm_attr *operands, pm_fold_result *out) {
  bool zero = is_int(operands[1], 0) || is_int(operands[1], 1) || is_int(operands[0], 0) || same_operands(op);
  return zero ? give_int(out, op, 0) : pm_fold_constants(op, operands, out);
}

bool arith_divi_fold(pm_op *op, const pm_attr *operands, pm_fold_result *out) {
  return fold_quotient(op, operands, out);
}

bool arith_trunc_div_fold(pm_op *op, const pm_attr *operands, pm_fold_result *out) {
  return fold_quotient(op, operands, out);
}

bool arith_remi_fold(pm_op *op, const pm_attr *operands, pm_fold_result *out) {
  return fold_remainder(op, operands, out);
}

bool arith_trunc_rem_fold(pm_op *op, const pm_attr *operands, pm_fold_result *out) {
  return fold_remainder(op, operands, out);
}

/* The least and the greatest value of an integer type, as its lanes hold them. */
static int64_t least(pm_type type) {
  const pm_scalar_info *info = pm_get_scalar_info(type->scalar);
  return info->is_signed ? INT64_MIN >> (64 - info->bits) : 0;
}

static int64_t greatest(pm_type type) {
  const pm_scalar_info *info = pm_get_scalar_info(type->scalar);
  if (info->is_signed) return INT64_MAX >> (64 - info->bits);
  return (int64_t)(UINT64_MAX >> (64 - info->bits));
}

/* For an op that is idempotent and has a neutral element `one` and an absorbing element `zero`:
 * x . one => x, x . zero => zero, x . x => x */
static bool fold_lattice(pm_op *op, const pm_attr *operands, int64_t one, int64_t zero, pm_fold_result *out) {
  if (same_operands(op) || is_int(operands[1], one)) return give_value(out, pm_arg(op, 0));
  if (is_int(operands[0], one)) return give_value(out, pm_arg(op, 1));
  if (is_int(operands[0], zero) || is_int(operands[1], zero)) return give_int(out, op, zero);
  return pm_fold_constants(op, operands, out);
}

bool arith_mini_fold(pm_op *op, const pm_attr *operands, pm_fold_result *out) {
  pm_type type = pm_res(op, 0)->type;
  return fold_lattice(op, operands, greatest(type), least(type), out);
}

bool arith_maxi_fold(pm_op *op, const pm_attr *operands, pm_fold_result *out) {
  pm_type type = pm_res(op, 0)->type;
  return fold_lattice(op, operands, least(type), greatest(type), out);
}

bool arith_andi_fold(pm_op *op, const pm_attr *operands, pm_fold_result *out) {
  return fold_lattice(op, operands, -1, 0, out);
}

bool arith_ori_fold(pm_op *op, const pm_attr *operands, pm_fold_result *out) {
  return fold_lattice(op, operands, 0, -1, out);
}

/* x ^ 0 => x, x ^ x => 0 */
bool arith_xori_fold(pm_op *op, const pm_attr *operands, pm_fold_result *out) {
  if (same_operands(op)) return give_int(out, op, 0);
  if (is_int(operands[1], 0)) return give_value(out, pm_arg(op, 0));
  if (is_int(operands[0], 0)) return give_value(out, pm_arg(op, 1));
  return pm_fold_constants(op, operands, out);
}

/* x << 0 => x, 0 << x => 0 */
static bool fold_shift(pm_op *op, const pm_attr *operands, pm_fold_result *out) {
  if (is_int(operands[1], 0)) return give_value(out, pm_arg(op, 0));
  if (is_int(operands[0], 0)) return give_int(out, op, 0);
  return pm_fold_constants(op, operands, out);
}

bool arith_shli_fold(pm_op *op, const pm_attr *operands, pm_fold_result *out) {
  return fold_shift(op, operands, out);
}
bool arith_shri_fold(pm_op *op, const pm_attr *operands, pm_fold_result *out) {
  return fold_shift(op, operands, out);
}

/* x + -0.0 => x; x + 0.0 is 0.0 for x = -0.0 and stays */
bool arith_addf_fold(pm_op *op, const pm_attr *operands, pm_fold_result *out) {
  if (is_float(operands[1], -0.0)) return give_value(out, pm_arg(op, 0));
  if (is_float(operands[0], -0.0)) return give_value(out, pm_arg(op, 1));
  return pm_fold_constants(op, operands, out);
}

/* x - 0.0 => x */
bool arith_subf_fold(pm_op *op, const pm_attr *operands, pm_fold_result *out) {
  if (is_float(operands[1], 0.0)) return give_value(out, pm_arg(op, 0));
  return pm_fold_constants(op, operands, out);
}

/* x * 1.0 => x */
bool arith_mulf_fold(pm_op *op, const pm_attr *operands, pm_fold_result *out) {
  if (is_float(operands[1], 1.0)) return give_value(out, pm_arg(op, 0));
  if (is_float(operands[0], 1.0)) return give_value(out, pm_arg(op, 1));
  return pm_fold_constants(op, operands, out);
}

/* x / 1.0 => x */
bool arith_divf_fold(pm_op *op, const pm_attr *operands, pm_fold_result *out) {
  if (is_float(operands[1], 1.0)) return give_value(out, pm_arg(op, 0));
  return pm_fold_constants(op, operands, out);
}

/* -(-x) => x */
bool arith_negf_fold(pm_op *op, const pm_attr *operands, pm_fold_result *out) {
  pm_op *inner = pm_def(pm_arg(op, arith_negf_operand));
  if (pm_is(inner, &arith_negf)) return give_value(out, pm_arg(inner, arith_negf_operand));
  return pm_fold_constants(op, operands, out);
}

/* min(x, x) => x, also for a NaN */
static bool fold_idempotent(pm_op *op, const pm_attr *operands, pm_fold_result *out) {
  if (same_operands(op)) return give_value(out, pm_arg(op, 0));
  return pm_fold_constants(op, operands, out);
}

bool arith_minf_fold(pm_op *op, const pm_attr *operands, pm_fold_result *out) {
  return fold_idempotent(op, operands, out);
}

bool arith_maxf_fold(pm_op *op, const pm_attr *operands, pm_fold_result *out) {
  return fold_idempotent(op, operands, out);
}

/* The comparison of a value with itself is known unless it may be a NaN and the predicate cares. */
static bool fold_cmp_with_itself(pm_op *op, pm_fold_result *out) {
  arith_pred pred = arith_cmp_pred(op);
  bool strict = pred == ARITH_LT || pred == ARITH_GT;
  if (pm_is_float(pm_arg(op, arith_cmp_lhs)->type)) return strict && give_int(out, op, 0);
  return give_int(out, op, pred == ARITH_EQ || pred == ARITH_LE || pred == ARITH_GE);
}

typedef struct range {
  int64_t least, most;
} range;

static bool is_within(pm_type inner, pm_type outer) {
  return least(inner) >= least(outer) && greatest(inner) <= greatest(outer);
}

/* The values that an operand may have: one, those of its type, or of the narrower one that it was cast from.
 * False for floats, and for what a lane does not hold in order. */
static bool find_range(const pm_op *op, unsigned i, const pm_attr *operands, range *out) {
  pm_type type = pm_arg(op, i)->type;
  if (!pm_is_int(type) || greatest(type) < 0) return false;
  const pm_op *def = pm_def(pm_arg(op, i));
  pm_type from = pm_is(def, &arith_cast) ? pm_arg(def, 0)->type : type;
  if (pm_is_int(from) && greatest(from) >= 0 && is_within(from, type)) type = from;
  *out = operands[i] ? (range){operands[i]->i, operands[i]->i} : (range){least(type), greatest(type)};
  return true;
}

/* 1 and 0 where all values of `a` compare so with all of `b`, -1 where some do and some do not. */
static int compare_ranges(arith_pred pred, range a, range b) {
  switch (pred) {
  case ARITH_LT:
    return a.most < b.least ? 1 : a.least >= b.most ? 0 : -1;
  case ARITH_LE:
    return a.most <= b.least ? 1 : a.least > b.most ? 0 : -1;
  case ARITH_GT:
    return compare_ranges(ARITH_LT, b, a);
  case ARITH_GE:
    return compare_ranges(ARITH_LE, b, a);
  case ARITH_EQ:
    return a.most < b.least || b.most < a.least ? 0 : -1;
  case ARITH_NE:
    return a.most < b.least || b.most < a.least ? 1 : -1;
  }
  return -1;
}

/* u8 <= 255 => true, an i1 that was cast > 1 => false, and so on */
static bool fold_cmp_by_range(pm_op *op, const pm_attr *operands, pm_fold_result *out) {
  range a, b;
  if (!find_range(op, arith_cmp_lhs, operands, &a) || !find_range(op, arith_cmp_rhs, operands, &b))
    return false;
  int known = compare_ranges(arith_cmp_pred(op), a, b);
  return known >= 0 && give_int(out, op, known);
}

/* (x | c) == d => false where c has a bit that d has not, (x & c) == d => false where d has one that c has
 * not, and the opposite for != */
static bool fold_cmp_of_bits(pm_op *op, const pm_attr *operands, pm_fold_result *out) {
  arith_pred pred = arith_cmp_pred(op);
  const pm_op *bits = pm_def(pm_arg(op, arith_cmp_lhs)), *constant;
  pm_attr other = operands[arith_cmp_rhs];
  if ((pred != ARITH_EQ && pred != ARITH_NE) || !other ||
      !(pm_is(bits, &arith_ori) || pm_is(bits, &arith_andi)))
    return false;
  constant = pm_def(pm_arg(bits, 1));
  if (!pm_is(constant, &arith_constant)) return false;
  int64_t c = pm_attr_at(constant, arith_constant_value)->i, d = other->i;
  bool never = pm_is(bits, &arith_ori) ? (c & ~d) != 0 : (d & ~c) != 0;
  return never && give_int(out, op, pred == ARITH_NE);
}

/* x < x => false, i <= i => true for integers, and so on */
bool arith_cmp_fold(pm_op *op, const pm_attr *operands, pm_fold_result *out) {
  if (same_operands(op) && fold_cmp_with_itself(op, out)) return true;
  if (fold_cmp_by_range(op, operands, out) || fold_cmp_of_bits(op, operands, out)) return true;
  return pm_fold_constants(op, operands, out);
}

/* select(c, x, x) => x, select(true, x, y) => x, select(false, x, y) => y, select(c, true, false) => c */
bool arith_select_fold(pm_op *op, const pm_attr *operands, pm_fold_result *out) {
  pm_value *condition = pm_arg(op, arith_select_condition);
  pm_value *a = pm_arg(op, arith_select_a), *b = pm_arg(op, arith_select_b);
  if (a == b) return give_value(out, a);
  if (operands[arith_select_condition]) return give_value(out, operands[arith_select_condition]->i ? a : b);
  bool is_condition = condition->type == a->type && pm_is_bool(a->type);
  if (is_condition && is_int(operands[arith_select_a], 1) && is_int(operands[arith_select_b], 0))
    return give_value(out, condition);
  return false;
}

static bool fold_conversion(pm_op *op, const pm_attr *operands, pm_fold_result *out) {
  if (pm_arg(op, 0)->type == pm_res(op, 0)->type) return give_value(out, pm_arg(op, 0));
  return pm_fold_constants(op, operands, out);
}

/* cast(x : T) : T => x */
bool arith_cast_fold(pm_op *op, const pm_attr *operands, pm_fold_result *out) {
  return fold_conversion(op, operands, out);
}

bool arith_sat_cast_fold(pm_op *op, const pm_attr *operands, pm_fold_result *out) {
  return fold_conversion(op, operands, out);
}

/* bitcast(x : T) : T => x, bitcast(bitcast(x : T)) : T => x; a constant that is a NaN would lose the bits */
bool arith_bitcast_fold(pm_op *op, const pm_attr *operands, pm_fold_result *out) {
  pm_type type = pm_res(op, 0)->type;
  pm_value *from = pm_arg(op, 0);
  const pm_op *inner = pm_def(from);
  if (from->type == type) return give_value(out, from);
  if (pm_is(inner, &arith_bitcast) && pm_arg(inner, 0)->type == type)
    return give_value(out, pm_arg(inner, 0));
  if (!pm_fold_constants(op, operands, out)) return false;
  if (out->attr->cls == PM_ATTR_FLOAT && isnan(out->attr->f)) out->attr = NULL;
  return out->attr != NULL;
}
