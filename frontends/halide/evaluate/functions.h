/* What the functions of Halide are written with: operations on Exprs, at the place of a call. */
#ifndef PM_FRONTENDS_HALIDE_FUNCTIONS_H
#define PM_FRONTENDS_HALIDE_FUNCTIONS_H

#include "frontends/halide/evaluate/evaluate.h"

static inline h_program *program_of(const cx_call *c) {
  return h_program_of(c->in);
}

static inline pm_scalar type_of_expr(const hx *e) {
  return (pm_scalar)e->type;
}

static inline hx *arg(const cx_call *c, unsigned i) {
  return h_to_expr(c->in, c->locs[i], c->args[i]);
}

static inline hx *int_of(const cx_call *c, pm_scalar type, int64_t i) {
  return hx_int(program_of(c), c->loc, type, i);
}

static inline hx *node1(const cx_call *c, hx_op op, hx *a) {
  return hx_node(program_of(c), c->loc, op, type_of_expr(a), &a, 1);
}

static inline hx *node2(const cx_call *c, hx_op op, hx *a, hx *b) {
  return hx_node2(program_of(c), c->loc, op, a, b);
}

static inline hx *compare(const cx_call *c, hx_op op, hx *a, hx *b) {
  return hx_node(program_of(c), c->loc, op, PM_I1, (hx *[]){a, b}, 2);
}

static inline hx *select3(const cx_call *c, hx *condition, hx *a, hx *b) {
  return hx_node(program_of(c), c->loc, HX_SELECT, type_of_expr(a), (hx *[]){condition, a, b}, 3);
}

static inline hx *cast_to(const cx_call *c, pm_scalar type, hx *e) {
  return hx_cast(program_of(c), c->loc, type, e);
}

/* Numbers outside of the type become its least or greatest. */
static inline hx *saturated(const cx_call *c, pm_scalar type, hx *e) {
  if (e->type == type) return e;
  if (cx_is_float(type)) return cast_to(c, type, e);
  return hx_node(program_of(c), c->loc, HX_SAT_CAST, type, &e, 1);
}

/* The unsigned type of that size; of floats the type itself. */
static inline pm_scalar unsigned_of(pm_scalar type) {
  return cx_is_float(type) ? type : cx_integer(cx_bits(type), false);
}

/* functions.c: the value in a type that keeps it; NULL: it may not. */
hx *h_lossless(const cx_call *c, pm_scalar type, hx *e);

/* arithmetic.c: absd; widening_add, widen_right_add …; saturating_add; halving_add; rounding_shift_left;
 * widening_shift_left; mul_shift_right; div_round_to_zero; fast_integer_divide; lerp; popcount … */
cv h_absd(const cx_call *c);
cv h_widening(const cx_call *c);
cv h_saturating(const cx_call *c);
cv h_halving(const cx_call *c);
cv h_rounding_shift(const cx_call *c);
cv h_widening_shift(const cx_call *c);
cv h_mul_shift(const cx_call *c);
cv h_rounded_division(const cx_call *c);
cv h_lerp(const cx_call *c);
cv h_fast_division(const cx_call *c);
cv h_bits(const cx_call *c);

#endif
