/* Intervals of integer values: they show which sums need no wrapping and which dividends are not negative. */
#include "dialects/arith/arith.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/loop.h"
#include "targets/c/c_emit.h"

static const c_range unknown = {INT64_MIN, INT64_MAX};

c_range c_type_range(pm_scalar scalar) {
  const pm_scalar_info *info = pm_get_scalar_info(scalar);
  if (info->is_float || info->bits == 64) return unknown;
  if (scalar == PM_I1) return (c_range){0, 1};
  int64_t half = (int64_t)1 << (info->bits - 1);
  return info->is_signed ? (c_range){-half, half - 1} : (c_range){0, 2 * half - 1};
}

bool c_checked_add(int64_t a, int64_t b, int64_t *out) {
  if (b > 0 ? a > INT64_MAX - b : a < INT64_MIN - b) return false;
  *out = a + b;
  return true;
}

bool c_checked_mul(int64_t a, int64_t b, int64_t *out) {
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

static bool add_ranges(c_range a, c_range b, c_range *out) {
  return c_checked_add(a.lo, b.lo, &out->lo) && c_checked_add(a.hi, b.hi, &out->hi);
}

static bool sub_ranges(c_range a, c_range b, c_range *out) {
  if (b.lo == INT64_MIN) return false;
  return add_ranges(a, (c_range){-b.hi, -b.lo}, out);
}

static bool mul_ranges(c_range a, c_range b, c_range *out) {
  int64_t p[4];
  if (!c_checked_mul(a.lo, b.lo, &p[0]) || !c_checked_mul(a.lo, b.hi, &p[1]) ||
      !c_checked_mul(a.hi, b.lo, &p[2]) || !c_checked_mul(a.hi, b.hi, &p[3]))
    return false;
  *out = (c_range){min64(min64(p[0], p[1]), min64(p[2], p[3])), max64(max64(p[0], p[1]), max64(p[2], p[3]))};
  return true;
}

static c_range range_of(c_emitter *e, const pm_value *v) {
  return c_var_of(e, v)->range;
}

/* The bits below the highest one of a number that is not negative. */
static int64_t mask_above(int64_t v) {
  int64_t mask = 0;
  while (mask < v) mask = mask * 2 + 1;
  return mask;
}

static bool and_range(c_range a, c_range b, c_range *out) {
  if (a.lo < 0 && b.lo < 0) return false;
  int64_t hi = a.lo < 0 ? b.hi : b.lo < 0 ? a.hi : min64(a.hi, b.hi);
  *out = (c_range){0, hi};
  return true;
}

static bool or_range(c_range a, c_range b, c_range *out) {
  if (a.lo < 0 || b.lo < 0) return false;
  *out = (c_range){0, mask_above(max64(a.hi, b.hi))};
  return true;
}

static bool quotient_range(c_range a, c_range b, bool floors, c_range *out) {
  if (b.lo != b.hi || b.lo <= 0) return false;
  *out = floors ? (c_range){pm_floor_div(a.lo, b.lo), pm_floor_div(a.hi, b.lo)}
                : (c_range){a.lo / b.lo, a.hi / b.lo};
  return true;
}

static bool remainder_range(c_range a, c_range b, bool floors, c_range *out) {
  if (b.lo != b.hi || b.lo <= 0) return false;
  int64_t top = b.lo - 1;
  *out = a.lo >= 0 ? (c_range){0, min64(a.hi, top)} : (c_range){floors ? 0 : -top, top};
  return true;
}

static bool shift_range(c_range a, c_range amount, bool left, c_range *out) {
  if (amount.lo != amount.hi || amount.lo < 0 || amount.lo > 62) return false;
  int64_t factor = (int64_t)1 << amount.lo;
  if (left) return mul_ranges(a, (c_range){factor, factor}, out);
  *out = (c_range){pm_floor_div(a.lo, factor), pm_floor_div(a.hi, factor)};
  return true;
}

/* The interval of the exact result of an op of two integers; false when it is not known. */
static bool binary_range(const pm_op *op, c_range a, c_range b, c_range *out) {
  if (pm_is(op, &arith_addi)) return add_ranges(a, b, out);
  if (pm_is(op, &arith_subi)) return sub_ranges(a, b, out);
  if (pm_is(op, &arith_muli)) return mul_ranges(a, b, out);
  if (pm_is(op, &arith_divi) || pm_is(op, &arith_trunc_div))
    return quotient_range(a, b, pm_is(op, &arith_divi), out);
  if (pm_is(op, &arith_remi) || pm_is(op, &arith_trunc_rem))
    return remainder_range(a, b, pm_is(op, &arith_remi), out);
  if (pm_is(op, &arith_andi)) return and_range(a, b, out);
  if (pm_is(op, &arith_ori) || pm_is(op, &arith_xori)) return or_range(a, b, out);
  if (pm_is(op, &arith_shli) || pm_is(op, &arith_shri)) return shift_range(a, b, pm_is(op, &arith_shli), out);
  if (pm_is(op, &arith_mini))
    *out = (c_range){min64(a.lo, b.lo), min64(a.hi, b.hi)};
  else if (pm_is(op, &arith_maxi))
    *out = (c_range){max64(a.lo, b.lo), max64(a.hi, b.hi)};
  else
    return false;
  return true;
}

static bool is_unknown_u64(const pm_value *v) {
  return v->type->scalar == PM_U64 && pm_constant_value(v) == NULL;
}

static c_range clamp(c_range r, c_range to) {
  return (c_range){max64(to.lo, min64(r.lo, to.hi)), min64(to.hi, max64(r.hi, to.lo))};
}

static bool conversion_range(c_emitter *e, const pm_op *op, c_range *out) {
  const pm_value *from = pm_arg(op, 0);
  if (pm_is_float(from->type) || is_unknown_u64(from) || pm_is_bool(pm_res(op, 0)->type)) return false;
  *out = range_of(e, from);
  if (pm_is(op, &arith_sat_cast)) *out = clamp(*out, c_type_range((pm_scalar)pm_res(op, 0)->type->scalar));
  return true;
}

static bool exact_range(c_emitter *e, const pm_op *op, c_range *out) {
  pm_attr constant = pm_constant_value(pm_res(op, 0));
  if (constant) {
    *out = (c_range){constant->i, constant->i};
    return true;
  }
  if (pm_is(op, &arith_cast) || pm_is(op, &arith_sat_cast)) return conversion_range(e, op, out);
  if (pm_is(op, &arith_select)) {
    c_range a = range_of(e, pm_arg(op, arith_select_a)), b = range_of(e, pm_arg(op, arith_select_b));
    *out = (c_range){min64(a.lo, b.lo), max64(a.hi, b.hi)};
    return true;
  }
  if (op->n_operands != 2 || pm_is(op, &arith_cmp) || pm_has_trait(op, PM_READS)) return false;
  if (pm_res(op, 0)->type->scalar == PM_U64) return false;
  return binary_range(op, range_of(e, pm_arg(op, 0)), range_of(e, pm_arg(op, 1)), out);
}

static void find_op_range(c_emitter *e, const pm_op *op) {
  for (unsigned i = 0; i < op->n_results; i++)
    c_var_of(e, pm_res(op, i))->range = c_type_range((pm_scalar)pm_res(op, i)->type->scalar);
  if (op->n_results != 1 || !pm_is_int_or_index(pm_res(op, 0)->type) || !pm_has_trait(op, PM_PURE)) return;
  c_range exact;
  c_var *var = c_var_of(e, pm_res(op, 0));
  if (!exact_range(e, op, &exact) || !c_within(exact, var->range)) return;
  var->range = exact;
  var->exact = true;
}

static void find_arg_ranges(c_emitter *e, const pm_op *op) {
  for (unsigned r = 0; r < op->n_regions; r++)
    for (unsigned i = 0; i < pm_region_at(op, r)->n_args; i++) {
      const pm_value *arg = pm_region_at(op, r)->args[i];
      c_var_of(e, arg)->range = c_type_range((pm_scalar)arg->type->scalar);
    }
  if (!pm_is(op, &loop_for) && !pm_is(op, &loop_parallel)) return;
  c_range lb = range_of(e, pm_arg(op, 0)), ub = range_of(e, pm_arg(op, 1));
  int64_t last = ub.hi == INT64_MIN ? ub.hi : ub.hi - 1;
  c_var_of(e, pm_region_at(op, 0)->args[0])->range = (c_range){lb.lo, max64(lb.lo, last)};
}

static pm_walk visit(void *user, pm_op *op) {
  find_op_range(user, op);
  find_arg_ranges(user, op);
  return PM_WALK_ON;
}

void c_find_ranges(c_emitter *e, const pm_op *func) {
  PM_FOR_OPS(op, pm_region_at(func, loop_func_body))(void) pm_walk_pre(op, visit, e);
}

static bool affine_binary(pm_affine_kind kind, c_range a, c_range b, c_range *out) {
  switch (kind) {
  case PM_AFFINE_ADD:
    return add_ranges(a, b, out);
  case PM_AFFINE_MUL:
    return mul_ranges(a, b, out);
  case PM_AFFINE_FLOORDIV:
    return quotient_range(a, b, true, out);
  case PM_AFFINE_CEILDIV:
    return quotient_range(a, b, true, out) && add_ranges(*out, (c_range){0, 1}, out);
  case PM_AFFINE_MOD:
    return remainder_range(a, b, true, out);
  default:
    return false;
  }
}

c_range c_affine_range(c_emitter *e, pm_affine_expr expr, const pm_use *operands) {
  c_range out;
  if (expr->kind == PM_AFFINE_CONST) return (c_range){expr->value, expr->value};
  if (expr->kind == PM_AFFINE_DIM) return range_of(e, operands[expr->value].value);
  if (!expr->lhs) return unknown;
  c_range a = c_affine_range(e, expr->lhs, operands), b = c_affine_range(e, expr->rhs, operands);
  return affine_binary(expr->kind, a, b, &out) ? out : unknown;
}
