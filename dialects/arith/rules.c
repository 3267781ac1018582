/* Rewrite rules of arith. The measure they reduce, lexicographically: the number of selects, that of subi
 * with a constant on the right, the number of commutative ops with a constant on the left only, the sum over
 * all ops of the depth of the chain of constant additions or multiplications, or of bitcasts, below them, the
 * number of bitcasts. */
#include "dialects/arith/arith.h"
#include "dialects/arith/eval.h"
#include "ir/rewrite.h"

/* op(c, x) => op(x, c) */
static bool constant_to_right(pm_rewriter *rw, pm_op *op) {
  pm_value *l = pm_arg(op, 0), *r = pm_arg(op, 1);
  if (!pm_constant_value(l) || pm_constant_value(r)) return false;
  pm_rw_set_operand(rw, op, 0, r);
  pm_rw_set_operand(rw, op, 1, l);
  pm_rw_changed(rw, op);
  return true;
}

/* The constant op(c, d) where op is that of `like`. */
static pm_attr combine(const pm_op *like, pm_attr c, pm_attr d) {
  pm_lane l = pm_lane_of_attr(c), r = pm_lane_of_attr(d), result = {.i = 0};
  const pm_lane *args[] = {&l, &r};
  bool known = pm_eval_lanes(like, args, &result, 1);
  return known ? pm_attr_of_lane(pm_res(like, 0)->type, result) : NULL;
}

/* op(op(x, c), d) => op(x, op(c, d)) */
static bool reassociate(pm_rewriter *rw, pm_op *op) {
  pm_op *inner = pm_def(pm_arg(op, 0));
  if (!pm_is(inner, op->desc)) return false;
  pm_attr c = pm_constant_value(pm_arg(inner, 1)), d = pm_constant_value(pm_arg(op, 1));
  if (!c || !d || pm_constant_value(pm_arg(inner, 0))) return false;
  pm_value *constant = pm_rw_constant(rw, combine(op, c, d));
  if (!constant) return false;
  pm_rw_replace_one(rw, op, pm_build_binary(pm_rw_builder(rw), op->desc, pm_arg(inner, 0), constant));
  return true;
}

bool arith_addi_constant_right(pm_rewriter *rw, pm_op *op) {
  return constant_to_right(rw, op);
}
bool arith_muli_constant_right(pm_rewriter *rw, pm_op *op) {
  return constant_to_right(rw, op);
}
bool arith_mini_constant_right(pm_rewriter *rw, pm_op *op) {
  return constant_to_right(rw, op);
}
bool arith_maxi_constant_right(pm_rewriter *rw, pm_op *op) {
  return constant_to_right(rw, op);
}
bool arith_addi_reassociate(pm_rewriter *rw, pm_op *op) {
  return reassociate(rw, op);
}
bool arith_muli_reassociate(pm_rewriter *rw, pm_op *op) {
  return reassociate(rw, op);
}

/* subi(x, c) => addi(x, -c) */
bool arith_subi_constant_to_add(pm_rewriter *rw, pm_op *op) {
  pm_attr c = pm_constant_value(pm_arg(op, arith_subi_rhs));
  if (!c || pm_constant_value(pm_arg(op, arith_subi_lhs))) return false;
  pm_type type = pm_res(op, 0)->type;
  pm_value *negated = pm_rw_constant(rw, pm_get_int(type, (int64_t)(0 - (uint64_t)c->i)));
  if (!negated) return false;
  pm_rw_replace_one(rw, op,
                    pm_build_binary(pm_rw_builder(rw), &arith_addi, pm_arg(op, arith_subi_lhs), negated));
  return true;
}

/* --- conversions --- */

/* What the value is converted from when it is a conversion of integers that keeps all values, or NULL. What
 * is computed of nothing, a parameter, stays the index that it is converted to: bounds of sizes are linear.
 */
static pm_value *kept_by_cast(const pm_value *value) {
  const pm_op *cast = pm_def(value);
  if (!pm_is(cast, &arith_cast)) return NULL;
  pm_value *from = pm_arg(cast, 0);
  const pm_scalar_info *narrow = pm_get_scalar_info(from->type->scalar);
  const pm_scalar_info *wide = pm_get_scalar_info(value->type->scalar);
  if (!pm_is_int(from->type) || !pm_is_int_or_index(value->type) || narrow->bits < 8) return NULL;
  bool keeps = narrow->bits < wide->bits && (wide->is_signed || !narrow->is_signed);
  bool is_size = pm_is_index(value->type) && (pm_is_arg(from) || !pm_def(from)->n_operands);
  return keeps && !is_size ? from : NULL;
}

/* The value in the narrower type: what it is converted from, or a constant of it; or NULL. */
static pm_value *narrowed(pm_rewriter *rw, pm_value *value, pm_type type) {
  pm_value *from = kept_by_cast(value);
  pm_attr constant = pm_constant_value(value);
  if (from) return from->type == type ? from : NULL;
  if (!constant || constant->cls != PM_ATTR_INT) return NULL;
  pm_attr narrow = pm_get_int(type, constant->i);
  return narrow->i == constant->i ? pm_rw_constant(rw, narrow) : NULL;
}

static bool narrow(pm_rewriter *rw, pm_op *op) {
  pm_value *x = kept_by_cast(pm_arg(op, 0));
  pm_value *y = x ? narrowed(rw, pm_arg(op, 1), x->type) : NULL;
  if (!y) return false;
  pm_value *result = pm_build_binary(pm_rw_builder(rw), op->desc, x, y);
  pm_rw_replace_one(rw, op, arith_build_cast(pm_rw_builder(rw), result, pm_res(op, 0)->type));
  return true;
}

bool arith_mini_narrow(pm_rewriter *rw, pm_op *op) {
  return narrow(rw, op);
}
bool arith_maxi_narrow(pm_rewriter *rw, pm_op *op) {
  return narrow(rw, op);
}

bool arith_cast_of_cast(pm_rewriter *rw, pm_op *op) {
  pm_value *from = kept_by_cast(pm_arg(op, 0));
  if (!from) return false;
  pm_rw_replace_one(rw, op, arith_build_cast(pm_rw_builder(rw), from, pm_res(op, 0)->type));
  return true;
}

/* --- distances --- */

/* The op is `0 - value`. */
static bool is_negative_of(const pm_value *op, const pm_value *value) {
  const pm_op *minus = pm_def(op);
  pm_attr zero = pm_is(minus, &arith_subi) ? pm_constant_value(pm_arg(minus, arith_subi_lhs)) : NULL;
  return zero && zero->cls == PM_ATTR_INT && zero->i == 0 && pm_arg(minus, arith_subi_rhs) == value;
}

/* What the op is the absolute value of, a choice by its sign; or NULL. */
static pm_value *find_signed(const pm_op *op) {
  const pm_op *cmp = pm_def(pm_arg(op, arith_select_condition));
  if (!pm_is(cmp, &arith_cmp)) return NULL;
  pm_value *value = pm_arg(cmp, arith_cmp_lhs);
  pm_attr zero = pm_constant_value(pm_arg(cmp, arith_cmp_rhs));
  arith_pred pred = arith_cmp_pred(cmp);
  if (!zero || zero->cls != PM_ATTR_INT || zero->i != 0 || pred == ARITH_EQ || pred == ARITH_NE) return NULL;
  if (!pm_is_index(value->type) && !pm_get_scalar_info(value->type->scalar)->is_signed) return NULL;
  bool below = pred == ARITH_LT || pred == ARITH_LE;
  pm_value *kept = pm_arg(op, below ? arith_select_b : arith_select_a);
  pm_value *turned = pm_arg(op, below ? arith_select_a : arith_select_b);
  return kept == value && is_negative_of(turned, value) ? value : NULL;
}

/* The integer type without sign that has as many bits. */
static pm_type without_sign(pm_context *ctx, pm_type type) {
  static const pm_scalar types[][2] = {{PM_I8, PM_U8}, {PM_I16, PM_U16}, {PM_I32, PM_U32}};
  for (size_t i = 0; i < PM_COUNT(types); i++)
    if (type->scalar == types[i][0]) return pm_get_scalar(ctx, types[i][1]);
  return type;
}

/* All of it has the narrower type, as the difference has not; where that has a sign, the distance wraps, and
 * is right without it. */
bool arith_select_distance(pm_rewriter *rw, pm_op *op) {
  pm_value *value = find_signed(op);
  const pm_op *minus = value ? pm_def(value) : NULL;
  if (!pm_is(minus, &arith_subi)) return false;
  pm_value *x = kept_by_cast(pm_arg(minus, 0)), *y = kept_by_cast(pm_arg(minus, 1));
  if (!x || !y || x->type != y->type || x->type->cls != PM_TYPE_SCALAR) return false;
  pm_builder *b = pm_rw_builder(rw);
  pm_value *most = pm_build_binary(b, &arith_maxi, x, y), *least = pm_build_binary(b, &arith_mini, x, y);
  pm_value *distance = pm_build_binary(b, &arith_subi, most, least);
  distance = arith_build_cast(b, distance, without_sign(pm_op_context(op), x->type));
  pm_rw_replace_one(rw, op, arith_build_cast(b, distance, pm_res(op, 0)->type));
  return true;
}

/* --- bits --- */

bool arith_bitcast_of_bitcast(pm_rewriter *rw, pm_op *op) {
  const pm_op *inner = pm_def(pm_arg(op, 0));
  if (!pm_is(inner, &arith_bitcast)) return false;
  pm_value *from = pm_arg(inner, 0);
  pm_op *outer = pm_build(pm_rw_builder(rw), &arith_bitcast, &from, 1, &pm_res(op, 0)->type, 1, NULL);
  pm_rw_replace_one(rw, op, pm_res(outer, 0));
  return true;
}

bool arith_bitcast_of_integer(pm_rewriter *rw, pm_op *op) {
  pm_value *from = pm_arg(op, 0);
  pm_type to = pm_res(op, 0)->type;
  if (pm_is_float(from->type) || pm_is_float(to)) return false;
  pm_rw_replace_one(rw, op, arith_build_cast(pm_rw_builder(rw), from, to));
  return true;
}
