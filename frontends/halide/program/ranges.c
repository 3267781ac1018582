/* What an expression may be at all, by the types and bounds of its parts. */
#include "frontends/halide/program/program.h"

#include <math.h>

enum { MAX_NODES = 2000 };

static hx_range anything(const hx *e) {
  pm_scalar type = (pm_scalar)e->type;
  if (cx_is_float(type)) return (hx_range){-INFINITY, INFINITY};
  double most = ldexp(1, (int)cx_bits(type) - !cx_is_unsigned(type));
  return (hx_range){cx_is_unsigned(type) ? 0 : -most, most - 1};
}

/* Integers wrap outside of their type, floats are rounded. */
static hx_range within(const hx *e, hx_range r) {
  hx_range all = anything(e);
  if (!(r.low <= r.high)) return all;
  if (!cx_is_float((pm_scalar)e->type)) return r.low >= all.low && r.high <= all.high ? r : all;
  return (hx_range){r.low - fabs(r.low) * 1e-6, r.high + fabs(r.high) * 1e-6};
}

static hx_range of_corners(hx_range a, hx_range b, double (*f)(double, double)) {
  double c[] = {f(a.low, b.low), f(a.low, b.high), f(a.high, b.low), f(a.high, b.high)};
  hx_range r = {c[0], c[0]};
  for (int i = 0; i < 4; i++) {
    if (c[i] != c[i]) return (hx_range){-INFINITY, INFINITY};
    r.low = fmin(r.low, c[i]);
    r.high = fmax(r.high, c[i]);
  }
  return r;
}

static double times(double a, double b) {
  return a * b;
}

static double over(double a, double b) {
  return a / b;
}

static hx_range quotient(const hx *e, hx_range a, hx_range b) {
  if (b.low <= 0 && b.high >= 0) return anything(e);
  hx_range r = of_corners(a, b, over);
  return cx_is_float((pm_scalar)e->type) ? r : (hx_range){floor(r.low), ceil(r.high)};
}

static hx_range rising(hx_range r, double (*f)(double)) {
  return (hx_range){f(r.low), f(r.high)};
}

static hx_range of_param(const hx *e) {
  const h_symbol *s = e->symbol;
  hx_range r = anything(e);
  bool is_wide = cx_bits((pm_scalar)e->type) > 32 || e->type == PM_U32;
  if (cx_is_float((pm_scalar)e->type) || (is_wide && !s->is_index)) return r;
  if (s->has_low) r.low = fmax(r.low, floor(s->low));
  if (s->has_high) r.high = fmin(r.high, ceil(s->high));
  if (is_wide) r = (hx_range){fmax(r.low, INT32_MIN), fmin(r.high, INT32_MAX)};
  return r;
}

static hx_range of_one(const hx *e, hx_range a) {
  switch (e->op) {
  case HX_CAST:
    return cx_is_float((pm_scalar)e->type) ? a : rising(a, trunc);
  case HX_FLOOR:
    return rising(a, floor);
  case HX_CEIL:
    return rising(a, ceil);
  case HX_TRUNC:
    return rising(a, trunc);
  case HX_RINT:
    return rising(a, rint);
  case HX_EXP:
    return rising(a, exp);
  case HX_SQRT:
    return a.low >= 0 ? rising(a, sqrt) : anything(e);
  case HX_ABS:
    return (hx_range){a.low > 0 ? a.low : a.high < 0 ? -a.high : 0, fmax(fabs(a.low), fabs(a.high))};
  default:
    return anything(e);
  }
}

static hx_range of_two(const hx *e, hx_range a, hx_range b) {
  switch (e->op) {
  case HX_ADD:
    return (hx_range){a.low + b.low, a.high + b.high};
  case HX_SUB:
    return (hx_range){a.low - b.high, a.high - b.low};
  case HX_MUL:
    return of_corners(a, b, times);
  case HX_DIV:
    return quotient(e, a, b);
  case HX_MIN:
    return (hx_range){fmin(a.low, b.low), fmin(a.high, b.high)};
  case HX_MAX:
    return (hx_range){fmax(a.low, b.low), fmax(a.high, b.high)};
  default:
    return anything(e);
  }
}

/* Of as many nodes as the budget has. */
static hx_range range_of(int *budget, const hx *e) {
  if (--*budget < 0) return anything(e);
  if (e->op == HX_INT) return (hx_range){(double)e->i, (double)e->i};
  if (e->op == HX_FLOAT) return (hx_range){e->f, e->f};
  if (e->op == HX_PARAM) return of_param(e);
  if (e->op == HX_SELECT) {
    hx_range a = range_of(budget, e->args[1]), b = range_of(budget, e->args[2]);
    return (hx_range){fmin(a.low, b.low), fmax(a.high, b.high)};
  }
  if (e->op == HX_CALL || e->n_args == 0 || e->n_args > 2) return anything(e);
  hx_range a = range_of(budget, e->args[0]);
  return within(e, e->n_args == 1 ? of_one(e, a) : of_two(e, a, range_of(budget, e->args[1])));
}

hx_range hx_range_of(const hx *e) {
  int budget = MAX_NODES;
  return range_of(&budget, e);
}
