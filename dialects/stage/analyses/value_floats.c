/* Floats in eighths: instances -> the numbers from the floor of 8 * value to its ceiling, or more. What is
 * computed of coordinates and params keeps its bounds by them: clamp(v, 0, 1) * (n - 1), x * 0.5f + 3.
 * Eighths up to 2^21, of a float, are exact, and rounding does not pass one: what may be beyond is any
 * number. */
#include "dialects/isl/linear.h"
#include "dialects/stage/analyses/graph.h"
#include "dialects/stage/analyses/values_private.h"

#include "dialects/arith/arith.h"
#include "dialects/math/math.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
  MAX_DEPTH = 64,      /* of operations that are followed */
  MAX_FACTOR = 1 << 20 /* of a number that is multiplied, and of its denominator */
};

/* --- sets --- */

static isl_map *read_map(const body_state *b, const char *text) {
  pm_context *ctx = pm_op_context(b->body);
  return isl_map_copy(isl_peek_map(pm_get_custom(ctx, &isl_map_kind, PM_NO_LOC, pm_str_of(text))));
}

/* Integers up to which all eighths are numbers of the type, as a power of 2. */
static unsigned exact_bits(pm_type type) {
  return type->scalar == PM_F64 ? 50 : type->scalar == PM_F32 ? 21 : 0;
}

static isl_set *exact_eighths(const body_state *b, unsigned bits) {
  isl_val *limit = isl_val_2exp(isl_val_int_from_ui(b->values->isl, bits + 3));
  return values_between(b->values, isl_val_neg(isl_val_copy(limit)), limit);
}

static isl_set *with_small(isl_set *set, enum isl_dim_type type, unsigned bits) {
  isl_val *limit = isl_val_2exp(isl_val_int_from_ui(isl_set_get_ctx(set), bits));
  for (unsigned i = 0; i < (unsigned)isl_set_dim(set, type); i++) {
    set = isl_set_upper_bound_val(set, type, i, isl_val_copy(limit));
    set = isl_set_lower_bound_val(set, type, i, isl_val_neg(isl_val_copy(limit)));
  }
  isl_val_free(limit);
  return set;
}

/* Where domains are not known yet, coordinates and params are some that floats hold, as those that are found
 * have to be. */
static isl_set *small_instances(const body_state *b, unsigned bits) {
  isl_set *set = isl_set_copy(values_instances_of(b)->assumed);
  if (b->values->coordinate_bits == STAGE_COORDINATE_BITS) return set;
  return with_small(with_small(set, isl_dim_param, bits - 1), isl_dim_set, bits - 2);
}

/* Takes the numbers that they should be. */
static bool are_within(const body_state *b, isl_map *numbers, unsigned bits, isl_set *allowed) {
  isl_set *image = isl_set_apply(small_instances(b, bits), isl_map_copy(numbers));
  image = values_with_params(b, image);
  bool are = linear_decide_subset(image, allowed);
  isl_set_free(image);
  isl_set_free(allowed);
  return are;
}

static bool is_exact(const body_state *b, isl_map *numbers, unsigned bits) {
  return bits > 0 && are_within(b, numbers, bits, exact_eighths(b, bits));
}

bool values_fit_if_small(const body_state *b, isl_map *numbers, pm_type from, pm_type to) {
  unsigned bits = exact_bits(from);
  return bits > 0 && are_within(b, numbers, bits, values_of_type(to));
}

static isl_map *any_number(const body_state *b) {
  return isl_map_from_domain_and_range(isl_set_copy(values_instances_of(b)->around),
                                       isl_set_universe(isl_space_set_alloc(b->values->isl, 0, 1)));
}

/* The numbers (taken) where they are exact ones of the type; else any. */
static isl_map *exact_or_any(const body_state *b, isl_map *numbers, pm_type type) {
  if (is_exact(b, numbers, exact_bits(type))) return values_simplify(numbers);
  isl_map_free(numbers);
  return any_number(b);
}

/* --- operations --- */

static isl_map *around(const body_state *b, const pm_value *value, unsigned depth);

static isl_map *apply(const body_state *b, isl_map *numbers, const char *text) {
  return values_simplify(isl_map_apply_range(numbers, read_map(b, text)));
}

static isl_map *of_both(const body_state *b, isl_map *x, isl_map *y, const char *text) {
  return values_simplify(isl_map_apply_range(linear_flat_range_product(x, y), read_map(b, text)));
}

static isl_map *sum_around(const body_state *b, const pm_op *op, unsigned depth) {
  bool adds = pm_is(op, &arith_addf);
  return of_both(b, around(b, pm_arg(op, 0), depth), around(b, pm_arg(op, 1), depth),
                 adds ? "{ [x, y] -> [x + y] }" : "{ [x, y] -> [x - y] }");
}

/* The right operand is the result where the left one is NaN. */
static isl_map *extreme_around(const body_state *b, const pm_op *op, unsigned depth) {
  isl_map *x = around(b, pm_arg(op, 0), depth), *y = around(b, pm_arg(op, arith_select_a), depth),
          *right = isl_map_copy(y);
  isl_map *result = of_both(b, x, y,
                            pm_is(op, &arith_minf) ? "{ [x, y] -> [x] : x <= y; [x, y] -> [y] : y < x }"
                                                   : "{ [x, y] -> [x] : x >= y; [x, y] -> [y] : y > x }");
  if (values_state_of(b, pm_arg(op, 0))->range.nan) return values_simplify(isl_map_union(result, right));
  isl_map_free(right);
  return result;
}

static isl_map *choice_around(const body_state *b, const pm_op *op, unsigned depth) {
  return values_simplify(isl_map_union(around(b, pm_arg(op, arith_select_a), depth),
                                       around(b, pm_arg(op, arith_select_b), depth)));
}

/* Factors from low / den to high / den. */
typedef struct factor {
  int64_t low, high, den;
} factor;

/* The closest one with a denominator of at most 2^12 that is a power of 2: false where it is too large. */
static bool factor_of(float_range range, factor *out) {
  if (range.nan || !(fabs(range.low) < MAX_FACTOR) || !(fabs(range.high) < MAX_FACTOR)) return false;
  int64_t den = 1;
  while (den < 4096 && (floor(range.low * (double)den) != range.low * (double)den ||
                        floor(range.high * (double)den) != range.high * (double)den))
    den *= 2;
  *out = (factor){(int64_t)floor(range.low * (double)den), (int64_t)ceil(range.high * (double)den), den};
  return true;
}

/* One over it: exact where it is an integer. */
static bool inverse_factor_of(float_range range, factor *out) {
  if (range.nan || (range.low <= 0 && range.high >= 0)) return false;
  double n = range.low;
  if (n == range.high && floor(n) == n && fabs(n) < MAX_FACTOR) {
    *out = n > 0 ? (factor){1, 1, (int64_t)n} : (factor){-1, -1, -(int64_t)n};
    return true;
  }
  return factor_of(float_range_of(1 / range.high, 1 / range.low), out);
}

static void put_piece(pm_buf *text, const char *low, int64_t low_times, const char *high, int64_t high_times,
                      int64_t den, const char *condition) {
  long long d = (long long)den;
  pm_buf_printf(text, "%s[x, y] -> [c] : x <= y and %lld c >= %lld %s - %lld and %lld c <= %lld %s + %lld%s",
                text->len > 2 ? "; " : "", d, (long long)low_times, low, d - 1, d, (long long)high_times,
                high, d - 1, condition);
}

/* From the least to the greatest product of a number from x to y and a factor. */
static void put_products(pm_buf *text, factor by) {
  pm_buf_puts(text, "{ ");
  if (by.low >= 0) {
    put_piece(text, "x", by.low, "y", by.high, by.den, " and x >= 0");
    put_piece(text, "x", by.high, "y", by.high, by.den, " and x < 0 and y >= 0");
    put_piece(text, "x", by.high, "y", by.low, by.den, " and y < 0");
  } else if (by.high <= 0) {
    put_piece(text, "y", by.low, "x", by.high, by.den, " and x >= 0");
    put_piece(text, "y", by.low, "x", by.low, by.den, " and x < 0 and y >= 0");
    put_piece(text, "y", by.high, "x", by.low, by.den, " and y < 0");
  } else {
    put_piece(text, "x", by.high, "x", by.low, by.den, "");
    put_piece(text, "x", by.high, "y", by.high, by.den, "");
    put_piece(text, "y", by.low, "x", by.low, by.den, "");
    put_piece(text, "y", by.low, "y", by.high, by.den, "");
  }
  pm_buf_puts(text, " }");
}

static isl_map *scaled(const body_state *b, isl_map *numbers, factor by) {
  pm_buf text = {0};
  put_products(&text, by);
  isl_map *result = of_both(b, numbers, isl_map_copy(numbers), text.data);
  pm_buf_free(&text);
  return result;
}

static isl_map *product_around(const body_state *b, const pm_op *op, unsigned depth) {
  isl_map *result = any_number(b);
  for (unsigned i = 0; i < 2; i++) {
    factor by;
    if (!factor_of(values_state_of(b, pm_arg(op, 1 - i))->range, &by)) continue;
    isl_map *numbers = around(b, pm_arg(op, i), depth);
    if (by.low != by.high) numbers = values_without_divisions(numbers);
    result = isl_map_intersect(result, scaled(b, numbers, by));
  }
  return result;
}

static isl_map *quotient_around(const body_state *b, const pm_op *op, unsigned depth) {
  factor by;
  if (!inverse_factor_of(values_state_of(b, pm_arg(op, 1))->range, &by)) return any_number(b);
  return scaled(b, around(b, pm_arg(op, 0), depth), by);
}

/* Sums that a fast mode orders anew are at most one integer away, where there are few digits behind it. */
static isl_map *rounded(const body_state *b, isl_map *numbers, pm_type type) {
  if (b->values->mode != FLOAT_FAST) return exact_or_any(b, numbers, type);
  if (exact_bits(type) < 4 || !is_exact(b, numbers, exact_bits(type) - 4)) {
    isl_map_free(numbers);
    return any_number(b);
  }
  return apply(b, numbers, "{ [x] -> [c] : x - 1 <= c <= x + 1 }");
}

static isl_map *cast_around(const body_state *b, const pm_op *op, unsigned depth) {
  const value_state *from = values_state_of(b, pm_arg(op, 0));
  isl_map *numbers = from->relation ? apply(b, isl_map_copy(from->relation), "{ [v] -> [8 v] }")
                                    : around(b, pm_arg(op, 0), depth);
  return exact_or_any(b, numbers, pm_res(op, 0)->type);
}

/* What eighths become; NULL: not by this op. */
static const char *rounding_text(const pm_op *op) {
  if (pm_is(op, &math_floor)) return "{ [x] -> [8 * floor(x/8)] }";
  if (pm_is(op, &math_ceil)) return "{ [x] -> [-8 * floor(-x/8)] }";
  if (pm_is(op, &math_trunc))
    return "{ [x] -> [8 * floor(x/8)] : x >= 0; [x] -> [-8 * floor(-x/8)] : x < 0 }";
  if (pm_is(op, &math_round) || pm_is(op, &math_rint))
    return "{ [x] -> [c] : x - 4 <= c <= x + 4 and c mod 8 = 0 }";
  return NULL;
}

static isl_map *around_result(const body_state *b, const pm_op *op, unsigned depth) {
  pm_type type = pm_res(op, 0)->type;
  if (pm_is(op, &arith_cast)) return cast_around(b, op, depth);
  if (pm_is(op, &arith_addf) || pm_is(op, &arith_subf)) return rounded(b, sum_around(b, op, depth), type);
  if (pm_is(op, &arith_mulf)) return rounded(b, product_around(b, op, depth), type);
  if (pm_is(op, &arith_divf)) return rounded(b, quotient_around(b, op, depth), type);
  if (pm_is(op, &arith_minf) || pm_is(op, &arith_maxf)) return extreme_around(b, op, depth);
  if (pm_is(op, &arith_select)) return choice_around(b, op, depth);
  if (rounding_text(op)) return apply(b, around(b, pm_arg(op, 0), depth), rounding_text(op));
  return any_number(b);
}

/* The numbers (taken) within the range of the value, unless it is that of coordinates which are not known
 * yet. */
static isl_map *within_range(const body_state *b, isl_map *numbers, float_range range) {
  char text[128];
  if (!(fabs(range.low) < 0x1p31) || !(fabs(range.high) < 0x1p31)) return numbers;
  snprintf(text, sizeof text, "{ [x] -> [x] : %.0f <= x <= %.0f }", floor(8 * range.low),
           ceil(8 * range.high));
  return apply(b, numbers, text);
}

/* Of long chains, which have no end otherwise, a basic relation is kept. Of those that follow from reads, as
 * sums of many pixels, it is the same everywhere, so that params bound it, not coordinates. */
static isl_map *shortened(const body_state *b, isl_map *numbers, bool of_reads) {
  if (!values_is_long(numbers)) return numbers;
  return values_without_divisions(of_reads ? values_everywhere(b, isl_map_range(numbers)) : numbers);
}

static isl_map *find_around(const body_state *b, const pm_value *value, unsigned depth) {
  const pm_op *op = pm_def(value);
  bool follows = op && depth < MAX_DEPTH && !pm_is(op, &stage_read) && !pm_is(op, &stage_param);
  const value_state *state = values_state_of(b, value);
  isl_map *numbers = follows ? around_result(b, op, depth + 1) : any_number(b);
  return within_range(b, shortened(b, numbers, state->of_reads), state->range);
}

/* Found once; the caller's. */
static isl_map *around(const body_state *b, const pm_value *value, unsigned depth) {
  value_state *state = values_state_of(b, value);
  if (!state->around) state->around = find_around(b, value, depth);
  return isl_map_copy(state->around);
}

isl_map *values_truncated(const body_state *b, const pm_value *value) {
  return apply(b, around(b, value, 0), "{ [x] -> [floor(x/8)] : x >= 0; [x] -> [-floor(-x/8)] : x < 0 }");
}
