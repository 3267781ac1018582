/* Functions of arithmetic: distances, averages, wide and saturating sums, shifts, interpolation, bits. By
 * Halide's definitions. */
#include "frontends/halide/evaluate/functions.h"

#include <math.h>
#include <string.h>

/* --- distances, sums and averages --- */

/* Two operands of one type. */
static bool matched(const cx_call *c, hx **a, hx **b) {
  if (!cx_takes(c, 2, 2)) return false;
  *a = arg(c, 0);
  *b = *a ? arg(c, 1) : NULL;
  if (!*b) return false;
  hx_match(program_of(c), a, b);
  return true;
}

cv h_absd(const cx_call *c) {
  hx *a, *b;
  if (!matched(c, &a, &b)) return cv_poison;
  pm_scalar type = type_of_expr(a);
  if (cx_is_float(type)) return hv_expr(node1(c, HX_ABS, node2(c, HX_SUB, a, b)));
  hx *difference = node2(c, HX_SUB, node2(c, HX_MAX, a, b), node2(c, HX_MIN, a, b));
  return hv_expr(cast_to(c, unsigned_of(type), difference));
}

static bool is_narrow_integer(const cx_call *c, const hx *e) {
  if (!cx_is_float(type_of_expr(e)) && cx_bits(type_of_expr(e)) < 64) return true;
  cx_fail(c->in, c->loc, "%s of type %s is not supported, integers of 8 to 32 bits should be here",
          c->name->text, hx_type_name(type_of_expr(e)));
  return false;
}

static pm_scalar widened(pm_scalar type) {
  if (type == PM_F32) return PM_F64;
  return cx_integer(cx_bits(type) * 2, !cx_is_unsigned(type));
}

cv h_widening(const cx_call *c) {
  const char *what = strrchr(c->name->text, '_') + 1;
  hx_op op = strcmp(what, "add") == 0 ? HX_ADD : strcmp(what, "sub") == 0 ? HX_SUB : HX_MUL;
  bool right = strncmp(c->name->text, "widen_right", 11) == 0;
  hx *a, *b;
  if (!cx_takes(c, 2, 2) || !(a = arg(c, 0)) || !(b = arg(c, 1))) return cv_poison;
  if (right) {
    pm_scalar wide = type_of_expr(a);
    return hv_expr(node2(c, op, a, cast_to(c, wide, b)));
  }
  bool is_signed = !cx_is_unsigned(type_of_expr(a)) || !cx_is_unsigned(type_of_expr(b));
  if (op != HX_MUL) hx_match(program_of(c), &a, &b);
  unsigned bits = cx_bits(type_of_expr(a)) > cx_bits(type_of_expr(b)) ? cx_bits(type_of_expr(a))
                                                                      : cx_bits(type_of_expr(b));
  bool is_float = cx_is_float(type_of_expr(a)) || cx_is_float(type_of_expr(b));
  if (!is_float && (!is_narrow_integer(c, a) || !is_narrow_integer(c, b))) return cv_poison;
  pm_scalar wide = is_float ? widened(type_of_expr(a)) : cx_integer(bits * 2, is_signed || op == HX_SUB);
  return hv_expr(node2(c, op, cast_to(c, wide, a), cast_to(c, wide, b)));
}

cv h_saturating(const cx_call *c) {
  bool is_add = strcmp(c->name->text, "saturating_add") == 0;
  hx *a, *b;
  if (!matched(c, &a, &b)) return cv_poison;
  pm_scalar type = type_of_expr(a);
  if (cx_is_float(type)) return hv_expr(node2(c, is_add ? HX_ADD : HX_SUB, a, b));
  if (!is_narrow_integer(c, a)) return cv_poison;
  pm_scalar wide = cx_integer(cx_bits(type) * 2, true);
  return hv_expr(
      saturated(c, type, node2(c, is_add ? HX_ADD : HX_SUB, cast_to(c, wide, a), cast_to(c, wide, b))));
}

/* (a + b) / 2 and its like, without overflow. */
cv h_halving(const cx_call *c) {
  bool is_sub = strcmp(c->name->text, "halving_sub") == 0;
  bool rounds = strcmp(c->name->text, "rounding_halving_add") == 0;
  hx *a, *b;
  if (!matched(c, &a, &b) || !is_narrow_integer(c, a)) return cv_poison;
  pm_scalar type = type_of_expr(a), wide = cx_integer(cx_bits(type) * 2, !cx_is_unsigned(type) || is_sub);
  hx *sum = node2(c, is_sub ? HX_SUB : HX_ADD, cast_to(c, wide, a), cast_to(c, wide, b));
  if (rounds) sum = node2(c, HX_ADD, sum, int_of(c, wide, 1));
  hx *half = node2(c, HX_SHR, sum, int_of(c, unsigned_of(wide), 1));
  return hv_expr(cast_to(c, type, half));
}

/* x >> q, to the nearest integer, halves up. By q <= 0, x << -q. */
static hx *rounding_shift(const cx_call *c, hx *wide, hx *q) {
  pm_scalar type = type_of_expr(wide);
  hx *amount = cast_to(c, type, q), *zero = int_of(c, type, 0), *one = int_of(c, type, 1);
  hx *half = node2(c, HX_SHL, one, cast_to(c, unsigned_of(type), node2(c, HX_SUB, amount, one)));
  hx *is_positive = compare(c, HX_GT, amount, zero);
  hx *biased = node2(c, HX_ADD, wide, select3(c, is_positive, half, zero));
  hx *down = node2(c, HX_SHR, biased, cast_to(c, unsigned_of(type), amount));
  hx *up = node2(c, HX_SHL, wide, cast_to(c, unsigned_of(type), node2(c, HX_SUB, zero, amount)));
  return select3(c, is_positive, down, up);
}

cv h_rounding_shift(const cx_call *c) {
  bool is_left = strcmp(c->name->text, "rounding_shift_left") == 0;
  hx *a, *b;
  if (!cx_takes(c, 2, 2) || !(a = arg(c, 0)) || !(b = arg(c, 1)) || !is_narrow_integer(c, a) ||
      !is_narrow_integer(c, b))
    return cv_poison;
  pm_scalar type = type_of_expr(a), wide = cx_integer(cx_bits(type) * 2, true);
  hx *q = cast_to(c, wide, b);
  if (is_left) q = node2(c, HX_SUB, int_of(c, wide, 0), q);
  return hv_expr(cast_to(c, type, rounding_shift(c, cast_to(c, wide, a), q)));
}

cv h_widening_shift(const cx_call *c) {
  bool is_left = strcmp(c->name->text, "widening_shift_left") == 0;
  hx *a, *b;
  if (!cx_takes(c, 2, 2) || !(a = arg(c, 0)) || !(b = arg(c, 1)) || !is_narrow_integer(c, a))
    return cv_poison;
  hx *wide = cast_to(c, widened(type_of_expr(a)), a);
  return hv_expr_or_poison(hx_shift(program_of(c), c->loc, is_left ? HX_SHL : HX_SHR, wide, b));
}

cv h_mul_shift(const cx_call *c) {
  hx *a, *b, *q;
  if (!cx_takes(c, 3, 3) || !(a = arg(c, 0)) || !(b = arg(c, 1)) || !(q = arg(c, 2))) return cv_poison;
  hx_match(program_of(c), &a, &b);
  if (!is_narrow_integer(c, a)) return cv_poison;
  pm_scalar type = type_of_expr(a), wide = widened(type);
  hx *product = node2(c, HX_MUL, cast_to(c, wide, a), cast_to(c, wide, b));
  q = cast_to(c, wide, q);
  hx *shifted = strcmp(c->name->text, "mul_shift_right") == 0
                    ? node2(c, HX_SHR, product, cast_to(c, unsigned_of(wide), q))
                    : rounding_shift(c, product, q);
  return hv_expr(saturated(c, type, shifted));
}

cv h_rounded_division(const cx_call *c) {
  hx *a, *b;
  if (!matched(c, &a, &b)) return cv_poison;
  bool is_div = strcmp(c->name->text, "div_round_to_zero") == 0;
  if (cx_is_float(type_of_expr(a)))
    return cx_fail(c->in, c->loc, "%s takes integers, the operands have type %s", c->name->text,
                   hx_type_name(type_of_expr(a)));
  bool rounds_down = hx_range_of(a).low >= 0 && hx_range_of(b).low >= 0; /* as / and % do then */
  hx_op op = rounds_down ? (is_div ? HX_DIV : HX_MOD) : is_div ? HX_TRUNC_DIV : HX_TRUNC_MOD;
  return hv_expr(node2(c, op, a, b));
}

/* --- lerp: docs/halide.md has its definition --- */

/* A weight of floats or unsigned integers, in the unsigned type of what is interpolated. */
static hx *integer_weight(const cx_call *c, pm_scalar type, hx *weight) {
  h_program *p = program_of(c);
  unsigned bits = cx_bits(type), given = cx_bits(type_of_expr(weight));
  if (cx_is_float(type_of_expr(weight))) {
    if (bits == 32) {
      hx *all = hx_float(p, c->loc, PM_F64, 65535.0 * 65537.0);
      return cast_to(c, type, node2(c, HX_MUL, all, cast_to(c, PM_F64, weight)));
    }
    hx *most = hx_float(p, c->loc, type_of_expr(weight), bits == 8 ? 255 : 65535);
    return cast_to(c, type, node2(c, HX_MUL, most, weight));
  }
  for (; given < bits; given *= 2) {
    pm_scalar wide = cx_integer(given * 2, false);
    weight = node2(c, HX_MUL, cast_to(c, wide, weight), int_of(c, wide, ((int64_t)1 << given) + 1));
  }
  for (; given > bits; given /= 2)
    weight =
        cast_to(c, cx_integer(given / 2, false),
                node2(c, HX_DIV, weight, int_of(c, type_of_expr(weight), ((int64_t)1 << (given / 2)) + 1)));
  return weight;
}

static hx *integer_lerp(const cx_call *c, hx *a, hx *b, hx *weight) {
  pm_scalar result = type_of_expr(a), type = unsigned_of(result), wide = cx_integer(2 * cx_bits(type), false);
  bool is_signed = result != type;
  hx *most = int_of(c, type, -1), *bias = cast_to(c, type, hx_least(program_of(c), c->loc, result));
  if (is_signed) {
    a = node2(c, HX_SUB, cast_to(c, type, a), bias);
    b = node2(c, HX_SUB, cast_to(c, type, b), bias);
  }
  hx *w = integer_weight(c, type, weight), *rest = node2(c, HX_SUB, most, w);
  hx *sum = node2(c, HX_ADD, node2(c, HX_MUL, cast_to(c, wide, a), cast_to(c, wide, rest)),
                  node2(c, HX_MUL, cast_to(c, wide, b), cast_to(c, wide, w)));
  hx *divisor = cast_to(c, wide, most),
     *half = cast_to(c, wide, int_of(c, type, hx_int(program_of(c), c->loc, wide, most->i)->i / 2));
  hx *value = cast_to(c, type, node2(c, HX_DIV, node2(c, HX_ADD, sum, half), divisor));
  return is_signed ? cast_to(c, result, node2(c, HX_ADD, value, bias)) : value;
}

static hx *float_lerp(const cx_call *c, hx *a, hx *b, hx *weight) {
  h_program *p = program_of(c);
  pm_scalar type = type_of_expr(a);
  if (!cx_is_float(type_of_expr(weight))) {
    double most = ldexp(1, (int)cx_bits(type_of_expr(weight))) - 1;
    weight = node2(c, HX_DIV, cast_to(c, type, weight), hx_float(p, c->loc, type, most));
  }
  hx *rest = hx_binary(p, c->loc, HX_SUB, hx_float(p, c->loc, type, 1), weight);
  hx *sum = hx_binary(p, c->loc, HX_ADD, hx_binary(p, c->loc, HX_MUL, a, rest),
                      hx_binary(p, c->loc, HX_MUL, b, weight));
  return cast_to(c, type, sum);
}

/* fast_integer_divide(a, b), fast_integer_modulo: those of the operators; b fits an
 * uint8. */
cv h_fast_division(const cx_call *c) {
  hx *a = cx_takes(c, 2, 2) ? arg(c, 0) : NULL, *b = a ? arg(c, 1) : NULL;
  if (!b) return cv_poison;
  bool is_quotient = strcmp(c->name->text, "fast_integer_divide") == 0;
  bool is_plain = is_quotient && b->op == HX_INT; /* Halide divides by a constant as `/` does */
  if (cx_is_float(type_of_expr(a)) && !is_plain)
    return cx_fail(c->in, c->locs[0], "%s takes integers", c->name->text);
  hx *divisor = h_lossless(c, PM_U8, b);
  if (!divisor)
    return cx_fail(c->in, c->locs[1], "the divisor has type %s, it should be uint8",
                   hx_type_name(type_of_expr(b)));
  hx *result = node2(c, is_quotient ? HX_DIV : HX_MOD, a, cast_to(c, type_of_expr(a), divisor));
  return hv_expr(result);
}

cv h_lerp(const cx_call *c) {
  int64_t n;
  hx *a, *b, *w;
  if (!cx_takes(c, 3, 3) || !(a = arg(c, 0)) || !(b = arg(c, 1)) || !(w = arg(c, 2))) return cv_poison;
  if (hx_is_int(a, &n)) a = cast_to(c, type_of_expr(b), a);
  if (hx_is_int(b, &n)) b = cast_to(c, type_of_expr(a), b);
  if (a->type != b->type)
    return cx_fail(c->in, c->loc, "the values of lerp have types %s and %s, they should have one",
                   hx_type_name(type_of_expr(a)), hx_type_name(type_of_expr(b)));
  if (!cx_is_float(type_of_expr(w)) && !cx_is_unsigned(type_of_expr(w)))
    return cx_fail(c->in, c->locs[2], "the weight of lerp has type %s, it should be unsigned or a float",
                   hx_type_name(type_of_expr(w)));
  if (cx_is_float(type_of_expr(a))) return hv_expr(float_lerp(c, a, b, w));
  if (!is_narrow_integer(c, a) || a->type == PM_I1) return cv_poison;
  return hv_expr(integer_lerp(c, a, b, w));
}

/* --- bits --- */

/* Sums of neighbours: of single bits, of pairs, … */
static hx *count_bits(const cx_call *c, hx *e) {
  pm_scalar type = type_of_expr(e);
  unsigned bits = cx_bits(type);
  for (unsigned width = 1; width < bits; width *= 2) {
    uint64_t mask = 0;
    for (unsigned at = 0; at < bits; at += 2 * width) mask |= (((uint64_t)1 << width) - 1) << at;
    hx *low = int_of(c, type, (int64_t)mask), *shift = int_of(c, type, width);
    e = node2(c, HX_ADD, node2(c, HX_BIT_AND, e, low), node2(c, HX_BIT_AND, node2(c, HX_SHR, e, shift), low));
  }
  return e;
}

cv h_bits(const cx_call *c) {
  hx *e = cx_takes(c, 1, 1) ? arg(c, 0) : NULL;
  if (!e) return cv_poison;
  pm_scalar result = type_of_expr(e), type = unsigned_of(result);
  if (cx_is_float(result)) return cx_fail(c->in, c->loc, "%s takes integers", c->name->text);
  e = cast_to(c, type, e);
  if (strcmp(c->name->text, "count_leading_zeros") == 0) {
    for (unsigned by = 1; by < cx_bits(type); by *= 2)
      e = node2(c, HX_BIT_OR, e, node2(c, HX_SHR, e, int_of(c, type, by)));
    e = node2(c, HX_SUB, int_of(c, type, cx_bits(type)), count_bits(c, e));
  } else if (strcmp(c->name->text, "count_trailing_zeros") == 0) {
    hx *lowest = node2(c, HX_BIT_AND, e, node2(c, HX_SUB, int_of(c, type, 0), e));
    e = count_bits(c, node2(c, HX_SUB, lowest, int_of(c, type, 1)));
  } else {
    e = count_bits(c, e);
  }
  return hv_expr(cast_to(c, result, e));
}
