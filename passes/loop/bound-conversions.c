/* bound-conversions: floats that become integers are brought into the integers' range, where floating point
 * is strict: what a processor or a language makes of others differs.
 *
 *   %i = arith.cast %x : (f32) -> u8    |  %0 = math.abs %x : f32
 *                                       |  %1 = arith.constant 2.1474836e+09 : f32
 *                                       |  %2 = arith.cmp lt, %0, %1 : f32
 *                                       |  %3 = arith.constant -2.1474836e+09 : f32
 *                                       |  %4 = arith.select %2, %x, %3 : f32
 *                                       |  %5 = arith.cast %4 : (f32) -> i32
 *                                       |  %6 = arith.cast %5 : (i32) -> u8
 *
 * This is the rule of arith.cast in operations that targets agree on. Left alone is what is in the range of
 * its type by the ops that compute it. */
#include "passes/options.h"

#include "dialects/arith/arith.h"
#include "dialects/loop/loop.h"
#include "dialects/math/math.h"
#include "dialects/math/float_range.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- ranges --- */

enum { MAX_DEPTH = 100 }; /* of ops that a range is followed through */

typedef struct known_range {
  float_range range;
  struct known_range *before;
} known_range;

typedef struct bounder {
  pm_pass *pass;
  pm_map *ranges; /* pm_value -> known_range */
  known_range *last;
  int64_t bounded, split;
} bounder;

static const pm_scalar_info *info_of(const pm_value *value) {
  return pm_get_scalar_info(pm_is_index(value->type) ? PM_I64 : (pm_scalar)value->type->scalar);
}

static float_range range_of_integers(const pm_value *value) {
  const pm_scalar_info *info = info_of(value);
  double end = ldexp(1, (int)(info->bits - info->is_signed));
  return float_range_of(info->is_signed ? -end : 0, end);
}

static float_range range_of(bounder *b, const pm_value *value, unsigned depth);

static float_range find_range(bounder *b, const pm_value *value, unsigned depth) {
  enum { MOST_OPERANDS = 3 };
  const pm_op *op = pm_def(value);
  pm_attr constant = pm_constant_value(value);
  float_range operands[MOST_OPERANDS];
  if (constant && constant->cls == PM_ATTR_FLOAT)
    return isnan(constant->f) ? float_range_any() : float_range_of(constant->f, constant->f);
  if (!op || op->n_regions || !op->n_operands || op->n_operands > MOST_OPERANDS || depth >= MAX_DEPTH)
    return float_range_any();
  if (pm_is(op, &arith_cast) && pm_is_int_or_index(pm_arg(op, 0)->type))
    return float_range_round(range_of_integers(pm_arg(op, 0)), value->type);
  for (unsigned i = 0; i < op->n_operands; i++) {
    bool is_float = pm_is_float(pm_arg(op, i)->type);
    operands[i] = is_float ? range_of(b, pm_arg(op, i), depth + 1) : float_range_any();
  }
  return float_range_of_op(op, operands, FLOAT_STRICT);
}

static float_range range_of(bounder *b, const pm_value *value, unsigned depth) {
  known_range *known = pm_map_get(b->ranges, value);
  if (known) return known->range;
  known = pm_xcalloc(1, sizeof *known);
  *known = (known_range){find_range(b, value, depth), b->last};
  b->last = known;
  pm_map_set(b->ranges, value, known);
  return known->range;
}

/* The float, cut off toward zero, is a number of the type. */
static bool fits(const pm_scalar_info *info, float_range range) {
  double end = ldexp(1, (int)(info->bits - info->is_signed));
  return !range.nan && range.high < end && (info->is_signed ? range.low >= -end : range.low > -1);
}

/* --- conversions --- */

static pm_value *float_like(pm_builder *b, const pm_value *like, double number) {
  return arith_build_float(b, like->type, number);
}

/* u64: what only it holds becomes the number with the same bits in i64. */
static pm_value *build_wrapped(pm_builder *b, pm_value *x) {
  pm_value *half = float_like(b, x, 0x1p63), *end = float_like(b, x, 0x1p64);
  pm_value *not_less = arith_build_cmp(b, ARITH_GE, x, half), *less = arith_build_cmp(b, ARITH_LT, x, end);
  pm_value *large = pm_build_binary(b, &arith_andi, not_less, less);
  return arith_build_select(b, large, pm_build_binary(b, &arith_subf, x, end), x);
}

/* `x`, or -end where its absolute value is not less than `end`. */
static pm_value *build_bounded(pm_builder *b, pm_value *x, double end) {
  pm_value *size = pm_build_unary(b, &math_abs, x), *limit = float_like(b, x, end);
  pm_value *inside = arith_build_cmp(b, ARITH_LT, size, limit);
  return arith_build_select(b, inside, x, float_like(b, x, -end));
}

static void rewrite(bounder *b, pm_op *op) {
  pm_context *ctx = pm_op_context(op);
  pm_builder builder = pm_builder_before(op);
  pm_value *x = pm_arg(op, 0);
  pm_type to = pm_res(op, 0)->type;
  pm_scalar through = arith_scalar_through((pm_scalar)(pm_is_index(to) ? PM_I64 : to->scalar));
  float_range range = range_of(b, x, 0);
  bool bounded = !fits(pm_get_scalar_info(through), range);
  if (pm_get_scalar_info((pm_scalar)x->type->scalar)->bits < 32)
    x = arith_build_cast(&builder, x, pm_get_scalar(ctx, PM_F32));
  if (to->scalar == PM_U64 && bounded) x = build_wrapped(&builder, x);
  if (bounded) x = build_bounded(&builder, x, through == PM_I32 ? 0x1p31 : 0x1p63);
  pm_value *number = arith_build_cast(&builder, x, pm_get_scalar(ctx, through));
  number = arith_build_cast(&builder, number, to);
  pm_replace_op(op, &number);
  b->bounded += bounded;
  b->split += !bounded;
}

static bool converts(const pm_op *op) {
  if (!pm_is(op, &arith_cast) || !pm_is_float(pm_arg(op, 0)->type)) return false;
  pm_type to = pm_res(op, 0)->type;
  return pm_is_int_or_index(to) && to->scalar != PM_I1;
}

static pm_walk bound(void *user, pm_op *op) {
  bounder *b = user;
  if (converts(op) && !fits(info_of(pm_res(op, 0)), range_of(b, pm_arg(op, 0), 0))) rewrite(b, op);
  return PM_WALK_ON;
}

static bool is_strict(const pm_op *func) {
  pm_string fp = pm_attr_at(func, loop_func_fp) ? pm_sym_at(func, loop_func_fp) : NULL;
  return fp && strcmp(fp->text, "strict") == 0;
}

pm_result pass_bound_conversions(pm_pass *p) {
  bounder b = {.pass = p};
  if (!is_strict(pm_pass_root(p))) return PM_UNCHANGED;
  b.ranges = pm_map_new();
  pm_walk_post(pm_pass_root(p), bound, &b);
  pm_map_free(b.ranges);
  for (known_range *next, *k = b.last; k; k = next) {
    next = k->before;
    free(k);
  }
  pm_pass_stat(p, "conversions bounded", b.bounded);
  pm_pass_stat(p, "conversions split", b.split);
  return b.bounded + b.split ? PM_CHANGED : PM_UNCHANGED;
}
