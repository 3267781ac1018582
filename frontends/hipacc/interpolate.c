/* Accessors whose region has another size than the space: the nearest pixel, and linear, cubic and Lanczos
 * interpolation. Positions are affine where the scale is a dyadic number, so that the stage stays affine. */
#include "frontends/hipacc/hipacc.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_TAPS = 6 };

/* Along one dimension: the index of the first tap, from the region's beginning, and the weights of all. */
typedef struct taps {
  unsigned n;
  cv index[MOST_TAPS], weights[MOST_TAPS];
} taps;

static cv single(double f) {
  return cv_float(PM_F32, f);
}

static cv number(int64_t n) {
  return cv_int(PM_I32, n);
}

/* The position in the space with its offset; NULL: it is not affine, or may be below 0. */
static pm_affine_expr affine_of(cv position, cv offset) {
  const px_number *n = position.kind == PX_NUMBER ? position.own : NULL;
  return n && cv_is_number(offset) && offset.i >= 0 ? n->affine : NULL;
}

/* size / space, as a fraction in lowest terms where it is known; false: the call decides it. */
static bool find_ratio(hp_state *s, hp_size size, hp_size space, int64_t *p, int64_t *q) {
  enum { MOST_RATIO = 64 };
  if (!hp_is_known(size, p) || !hp_is_known(space, q)) {
    int64_t n = 1;
    while (n <= MOST_RATIO && !hp_is_same(s, size, hp_times(space, n)) &&
           !hp_is_same(s, space, hp_times(size, n)))
      n++;
    if (n > MOST_RATIO || !hp_require_exact(s, size) || !hp_require_exact(s, space)) return false;
    bool grows = hp_is_same(s, size, hp_times(space, n));
    *p = grows ? n : 1, *q = grows ? 1 : n;
    return true;
  }
  int64_t common = pm_gcd(*p, *q);
  *p /= common, *q /= common;
  return true;
}

/* Of the size of the region and the space along one dimension. */
typedef struct scale {
  bool is_known, is_dyadic; /* p / q; a number of which floats have all bits */
  int64_t p, q;
  hp_size size, space;
} scale;

static scale find_scale(cx_interp *in, hp_size size, hp_size space) {
  hp_state *s = hp_state_of(in);
  scale out = {.size = size, .space = space};
  int64_t n, m;
  bool is_large = hp_is_known(size, &n) && hp_is_known(space, &m) && (n >= 1 << 20 || m >= 1 << 20);
  out.is_known = find_ratio(s, size, space, &out.p, &out.q);
  out.is_dyadic = out.is_known && (out.q & (out.q - 1)) == 0 && !is_large;
  return out;
}

/* floor((a * e + c) / by), and what is left over `by`, as a float. */
static void divide(cx_interp *in, pm_loc loc, pm_affine_expr e, int64_t a, int64_t c, int64_t by,
                   cv *quotient, cv *rest) {
  int64_t common = pm_gcd(pm_gcd(a, llabs(c)), by);
  a /= common, c /= common, by /= common;
  pm_affine_expr sum = pm_affine_addc(pm_affine_mul(e, pm_affine_const(in->ctx, a)), c),
                 divisor = pm_affine_const(in->ctx, by);
  *quotient = px_affine(in, pm_affine_divide_out(pm_affine_binary(PM_AFFINE_FLOORDIV, sum, divisor)));
  if (!rest) return;
  int64_t fixed = ((c % by) + by) % by;
  if (a % by == 0)
    *rest = single((double)fixed / (double)by);
  else
    *rest =
        px_operate(in, loc, CX_OP_MUL,
                   px_convert(in, loc, PM_F32, px_affine(in, pm_affine_binary(PM_AFFINE_MOD, sum, divisor))),
                   single(1 / (double)by));
}

/* X = s / 2 + s * position, in float. */
static cv mapped(cx_interp *in, pm_loc loc, const scale *a, cv position) {
  cv p = px_convert(in, loc, PM_F32, position);
  cv s = a->is_known ? single((float)a->p / (float)a->q)
                     : px_operate(in, loc, CX_OP_DIV, px_convert(in, loc, PM_F32, px_affine(in, a->size)),
                                  px_convert(in, loc, PM_F32, px_affine(in, a->space)));
  return px_operate(in, loc, CX_OP_ADD, px_operate(in, loc, CX_OP_DIV, s, single(2)),
                    px_operate(in, loc, CX_OP_MUL, s, p));
}

/* --- weights --- */

static cv square(cx_interp *in, pm_loc loc, cv d) {
  return px_operate(in, loc, CX_OP_MUL, d, d);
}

/* K(d) where d < 1, or 1 <= d < 2. */
static cv cubic(cx_interp *in, pm_loc loc, cv d, bool is_near) {
  cv d2 = square(in, loc, d), d3 = px_operate(in, loc, CX_OP_MUL, d2, d);
  if (is_near)
    return px_operate(in, loc, CX_OP_ADD,
                      px_operate(in, loc, CX_OP_SUB, px_operate(in, loc, CX_OP_MUL, single(1.5), d3),
                                 px_operate(in, loc, CX_OP_MUL, single(2.5), d2)),
                      single(1));
  cv high = px_operate(in, loc, CX_OP_ADD, px_operate(in, loc, CX_OP_MUL, single(-0.5), d3),
                       px_operate(in, loc, CX_OP_MUL, single(2.5), d2));
  return px_operate(in, loc, CX_OP_ADD,
                    px_operate(in, loc, CX_OP_SUB, high, px_operate(in, loc, CX_OP_MUL, single(4), d)),
                    single(2));
}

static cv sine(cx_interp *in, pm_loc loc, cv v) {
  cx_call c = {
      .in = in, .loc = loc, .name = pm_get_cstring(in->ctx, "sinf"), .args = &v, .locs = &loc, .n_args = 1};
  return cv_is_number(v) ? single(sinf((float)v.f)) : px_math(in, c.name)(&c);
}

/* 3 sin(pi d / 3) sin(pi d) / (pi d)^2, which is 1 at 0, and 0 from 3 on. */
static cv lanczos(cx_interp *in, pm_loc loc, cv d) {
  const double pi = 3.14159265358979323846;
  cv at = px_operate(in, loc, CX_OP_MUL, single(pi), d);
  cv up =
      px_operate(in, loc, CX_OP_MUL, single(3),
                 px_operate(in, loc, CX_OP_MUL, sine(in, loc, px_operate(in, loc, CX_OP_DIV, at, single(3))),
                            sine(in, loc, at)));
  cv is_zero = px_operate(in, loc, CX_OP_EQ, d, single(0)),
     is_far = px_operate(in, loc, CX_OP_GE, d, single(3));
  cv below = cx_is_unknown(in, is_zero) || is_zero.i
                 ? cx_choose_value(in, loc, is_zero, single(1), square(in, loc, at))
                 : square(in, loc, at);
  if (!cx_is_unknown(in, is_zero))
    return is_zero.i ? single(1) : is_far.i ? single(0) : px_operate(in, loc, CX_OP_DIV, up, below);
  cv value = cx_choose_value(in, loc, is_zero, single(1), px_operate(in, loc, CX_OP_DIV, up, below));
  return cx_choose_value(in, loc, is_far, single(0), value);
}

/* Of tap `t`, f behind tap 0. */
static cv weight(cx_interp *in, pm_loc loc, char mode, cv f, int t) {
  cv d =
      t <= 0 ? px_operate(in, loc, CX_OP_ADD, f, single(-t)) : px_operate(in, loc, CX_OP_SUB, single(t), f);
  if (mode == 'C') return cubic(in, loc, d, t == 0 || t == 1);
  if (mode == '3') return lanczos(in, loc, d);
  return t == 0 ? px_operate(in, loc, CX_OP_SUB, single(1), f) : f;
}

/* --- taps --- */

/* Positions below 0 are 0. An exact one needs not be compared with it where none is below, and where linear
 * interpolation has the edge as both taps: their weights add up to 1 without rounding if those along the
 * other dimension are exact, too. */
static taps find_taps(cx_interp *in, pm_loc loc, const hp_accessor *a, const scale *s, cv position, cv offset,
                      bool all_dyadic) {
  static const struct {
    char mode;
    int first;
    unsigned n;
  } rows[] = {{'N', 0, 1}, {'L', 0, 2}, {'C', -1, 4}, {'3', -2, 6}};
  taps out = {0};
  cv index, rest = single(0);
  unsigned row = 0;
  while (rows[row].mode != a->interpolation) row++;
  position = px_operate(in, loc, CX_OP_ADD, position, offset);
  pm_affine_expr e = affine_of(position, number(0));
  bool clamps = a->rule == HP_NONE || a->rule == HP_CLAMP,
       exact = e && offset.kind == CV_INT && offset.i >= 0 && s->is_dyadic,
       floor_serves = exact && (s->p >= s->q || (row == 1 && clamps && all_dyadic));
  if (row == 0 && exact) {
    divide(in, loc, e, 2 * s->p, s->p, 2 * s->q, &index, NULL);
  } else if (row == 0) {
    index = px_convert(in, loc, PM_I32, mapped(in, loc, s, position));
  } else if (floor_serves) {
    divide(in, loc, e, 2 * s->p, s->p - s->q, 2 * s->q, &index, &rest);
  } else {
    cv b = px_operate(in, loc, CX_OP_SUB, mapped(in, loc, s, position), single(0.5));
    b = px_extreme(in, loc, true, b, single(0));
    index = px_convert(in, loc, PM_I32, b);
    rest = px_operate(in, loc, CX_OP_SUB, b, px_convert(in, loc, PM_F32, index));
  }
  out.n = rows[row].n;
  for (unsigned i = 0; i < out.n; i++) {
    out.index[i] = px_operate(in, loc, CX_OP_ADD, index, number(rows[row].first + (int)i));
    out.weights[i] = row ? weight(in, loc, a->interpolation, rest, rows[row].first + (int)i) : single(1);
  }
  return out;
}

static cv lane_of(cv v, unsigned i) {
  return v.kind == PX_VECTOR ? v.list->items.data[i]->value : v;
}

static cv sum_of(cx_interp *in, pm_loc loc, const taps *rows, const taps *columns, const cv *pixels,
                 unsigned lane) {
  cv sum = single(0);
  for (unsigned j = 0; j < rows->n; j++)
    for (unsigned i = 0; i < columns->n; i++) {
      cv w = px_operate(in, loc, CX_OP_MUL, rows->weights[j], columns->weights[i]);
      cv p = px_convert(in, loc, PM_F32, lane_of(pixels[j * columns->n + i], lane));
      cv product = px_operate(in, loc, CX_OP_MUL, w, p);
      sum = i + j == 0 ? product : px_operate(in, loc, CX_OP_ADD, sum, product);
    }
  return sum;
}

cv hp_interpolate(cx_interp *in, pm_loc loc, const hp_accessor *a, cv dx, cv dy) {
  const hp_rect *space = &hp_state_of(in)->run->space->region;
  cv pixels[MOST_TAPS * MOST_TAPS], lanes[PX_LANES];
  scale down = find_scale(in, a->region.height, space->height),
        along = find_scale(in, a->region.width, space->width);
  bool dyadic = down.is_dyadic && along.is_dyadic;
  taps rows = find_taps(in, loc, a, &down, hp_position_in(in, false), dy, dyadic);
  taps columns = find_taps(in, loc, a, &along, hp_position_in(in, true), dx, dyadic);
  for (unsigned j = 0; j < rows.n; j++)
    for (unsigned i = 0; i < columns.n; i++) {
      cv *p = &pixels[j * columns.n + i];
      *p = hp_read_region(in, loc, a, rows.index[j], columns.index[i], a->rule == HP_NONE);
      if (p->kind == CV_POISON) return cv_poison;
    }
  if (a->interpolation == 'N') return pixels[0];
  for (unsigned i = 0; i < a->image->lanes; i++)
    lanes[i] = px_convert(in, loc, a->image->type, sum_of(in, loc, &rows, &columns, pixels, i));
  return a->image->lanes > 1 ? px_vector(in, a->image->type, lanes) : lanes[0];
}
