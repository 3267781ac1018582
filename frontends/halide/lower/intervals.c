#include "frontends/halide/lower/intervals.h"

#include "dialects/isl/linear.h"
#include "dialects/stage/stage.h"
#include "ir/support.h"

#include <isl/constraint.h>
#include <isl/map.h>
#include <isl/space.h>
#include <isl/val.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BOUNDS = 4 }; /* on each side of an interval */

/* --- parts --- */

static double coefficient(isl_constraint *c, enum isl_dim_type type, unsigned i) {
  isl_val *v = isl_constraint_get_coefficient_val(c, type, (int)i);
  double value = isl_val_get_d(v);
  isl_val_free(v);
  return value;
}

/* Where a bound ends when pictures have the usual extents. */
static double usual_end(isl_constraint *c) {
  isl_val *constant = isl_constraint_get_constant_val(c);
  double sum = isl_val_get_d(constant);
  isl_val_free(constant);
  isl_space *space = isl_constraint_get_space(c);
  for (unsigned i = 0; i < (unsigned)isl_space_dim(space, isl_dim_param); i++)
    sum += H_USUAL_EXTENT * coefficient(c, isl_dim_param, i);
  isl_space_free(space);
  return -sum / coefficient(c, isl_dim_set, 0);
}

static bool is_bound(isl_constraint *c, bool above) {
  double by = coefficient(c, isl_dim_set, 0);
  return by != 0 && (isl_constraint_is_equality(c) == isl_bool_true || (by < 0) == above);
}

typedef PM_VEC(isl_set *) part_list; /* convex ones */

static void free_parts(part_list *list) {
  for (size_t i = 0; i < list->len; i++) isl_set_free(list->data[i]);
  PM_VEC_FREE(*list);
}

static isl_stat add_part(isl_basic_set *part, void *user) {
  part_list *list = user;
  isl_set *set = isl_set_from_basic_set(part);
  bool is_new = true;
  for (size_t i = 0; i < list->len && is_new; i++)
    is_new = isl_set_plain_is_equal(list->data[i], set) != isl_bool_true;
  if (is_new)
    PM_VEC_PUSH(*list, set);
  else
    isl_set_free(set);
  return isl_stat_ok;
}

static isl_set *union_of(isl_space *space, const part_list *list) {
  isl_set *all = isl_set_empty(space);
  for (size_t i = 0; i < list->len; i++) all = isl_set_union(all, isl_set_copy(list->data[i]));
  return all;
}

isl_set *h_with_parts(isl_set *known, isl_set *line) {
  part_list list = {0};
  if (known) isl_set_foreach_basic_set(known, add_part, &list);
  isl_set_foreach_basic_set(line, add_part, &list);
  isl_set *all = union_of(isl_set_get_space(line), &list);
  free_parts(&list);
  isl_set_free(known);
  isl_set_free(line);
  return all;
}

/* --- half lines --- */

isl_set *h_meet(isl_set *a, isl_set *b) {
  if (isl_set_n_basic_set(a) != 1 || isl_set_n_basic_set(b) != 1) return isl_set_intersect(a, b);
  a = isl_set_align_params(a, isl_set_get_space(b));
  b = isl_set_align_params(b, isl_set_get_space(a));
  isl_basic_set *x = isl_set_simple_hull(a), *y = isl_set_simple_hull(b);
  return isl_set_from_basic_set(isl_basic_set_intersect(x, y));
}

/* The inequality of a constraint that is a bound on that side. */
static isl_constraint *inequality(isl_constraint *c, bool above) {
  if (isl_constraint_is_equality(c) != isl_bool_true) return c;
  bool turns = (coefficient(c, isl_dim_set, 0) > 0) == above;
  isl_aff *aff = isl_constraint_get_aff(c);
  isl_constraint_free(c);
  return isl_inequality_from_aff(turns ? isl_aff_neg(aff) : aff);
}

/* What a part says of one side. */
typedef struct half_line {
  isl_set *points;  /* that some point of the part is beyond; NULL: of another half line */
  part_list bounds; /* a half line each */
} half_line;

typedef struct half_list {
  bool above;
  isl_set *params;
  PM_VEC(half_line) lines;
} half_list;

/* Takes the part. */
static isl_set *points_before(const half_list *list, isl_basic_set *convex) {
  const char *order = list->above ? "{ [v] -> [w] : w <= v }" : "{ [v] -> [w] : w >= v }";
  isl_map *before = isl_map_read_from_str(isl_basic_set_get_ctx(convex), order);
  isl_set *part = isl_set_from_basic_set(convex);
  part = linear_intersect_params(part, isl_set_copy(list->params));
  return isl_set_remove_divs(isl_set_apply(part, before));
}

static isl_stat add_half(isl_basic_set *part, void *user) {
  half_list *list = user;
  isl_constraint_list *all = isl_basic_set_get_constraint_list(part);
  half_line line = {.points = points_before(list, part)};
  for (int i = 0; i < (int)isl_constraint_list_n_constraint(all); i++) {
    isl_constraint *c = isl_constraint_list_get_at(all, i);
    if (is_bound(c, list->above)) {
      c = inequality(c, list->above);
      PM_VEC_PUSH(line.bounds, isl_set_from_basic_set(isl_basic_set_from_constraint(c)));
    } else {
      isl_constraint_free(c);
    }
  }
  isl_constraint_list_free(all);
  PM_VEC_PUSH(list->lines, line);
  return isl_stat_ok;
}

static void drop_line(half_line *line) {
  line->points = isl_set_free(line->points);
  free_parts(&line->bounds);
}

/* Drops what is in another half line. */
static void drop_covered(half_list *list) {
  for (size_t i = 0; i < list->lines.len; i++) {
    half_line *line = &list->lines.data[i];
    bool covered = false;
    for (size_t k = 0; k < list->lines.len && !covered; k++) {
      const half_line *other = &list->lines.data[k];
      covered = k != i && other->points && linear_set_is_subset(line->points, other->points);
    }
    if (covered) drop_line(line);
  }
}

/* Drops the bounds that another one implies. */
static void drop_implied(const half_list *list, part_list *bounds) {
  for (size_t i = bounds->len; i-- > 0;) {
    bool is_implied = false;
    for (size_t k = 0; k < bounds->len && !is_implied; k++) {
      if (k == i) continue;
      isl_set *closer = linear_intersect_params(isl_set_copy(bounds->data[k]), isl_set_copy(list->params));
      is_implied = linear_set_is_subset(closer, bounds->data[i]);
      isl_set_free(closer);
    }
    if (!is_implied) continue;
    isl_set_free(bounds->data[i]);
    bounds->data[i] = bounds->data[--bounds->len];
  }
}

static isl_stat see_end(isl_constraint *c, void *user) {
  *(double *)user = usual_end(c);
  isl_constraint_free(c);
  return isl_stat_ok;
}

static double end_of(isl_set *half) {
  isl_basic_set *part = isl_set_simple_hull(isl_set_copy(half));
  double end = 0;
  isl_basic_set_foreach_constraint(part, see_end, &end);
  isl_basic_set_free(part);
  return end;
}

/* Of the bounds the `most` that are closest as a rule. */
static void keep_closest(const half_list *list, part_list *bounds, size_t most) {
  while (bounds->len > most) {
    size_t furthest = 0;
    for (size_t i = 1; i < bounds->len; i++) {
      double more = end_of(bounds->data[i]) - end_of(bounds->data[furthest]);
      if (list->above ? more > 0 : more < 0) furthest = i;
    }
    isl_set_free(bounds->data[furthest]);
    bounds->data[furthest] = bounds->data[--bounds->len];
  }
}

/* What is left of the list, with that many bounds of each. */
static isl_set *halves_of(half_list *list, isl_space *space, size_t most) {
  part_list halves = {0};
  for (size_t i = 0; i < list->lines.len; i++) {
    half_line *line = &list->lines.data[i];
    if (!line->points) continue;
    drop_implied(list, &line->bounds);
    keep_closest(list, &line->bounds, most);
    isl_set *half = isl_set_universe(isl_set_get_space(line->points));
    for (size_t k = 0; k < line->bounds.len; k++) half = h_meet(half, isl_set_copy(line->bounds.data[k]));
    isl_set_foreach_basic_set(half, add_part, &halves);
    isl_set_free(half);
    drop_line(line);
  }
  PM_VEC_FREE(list->lines);
  isl_set *all = union_of(space, &halves);
  free_parts(&halves);
  return all;
}

isl_set *h_half_lines(isl_set *line, isl_set *params, bool below) {
  half_list list = {.above = below, .params = params};
  isl_set_foreach_basic_set(line, add_half, &list);
  drop_covered(&list);
  size_t n = 0;
  for (size_t i = 0; i < list.lines.len; i++) n += list.lines.data[i].points != NULL;
  isl_set *all = halves_of(&list, isl_set_get_space(line), n == 1 ? MOST_BOUNDS : 1);
  if (n <= 1) return all;
  isl_set_foreach_basic_set(all, add_half, &list);
  drop_covered(&list);
  isl_set_free(all);
  return halves_of(&list, isl_set_get_space(line), 1);
}

/* by v <= e becomes by v >= e - by + 1, and the other way round. */
static isl_constraint *turned(isl_constraint *c) {
  isl_val *by = isl_val_abs(isl_constraint_get_coefficient_val(c, isl_dim_set, 0));
  isl_aff *aff = isl_aff_neg(isl_constraint_get_aff(c));
  aff = isl_aff_add_constant_val(aff, isl_val_sub_ui(by, 1));
  isl_constraint_free(c);
  return isl_inequality_from_aff(aff);
}

static isl_stat turn(isl_constraint *c, void *user) {
  isl_set **all = user;
  *all = h_meet(*all, isl_set_from_basic_set(isl_basic_set_from_constraint(turned(c))));
  return isl_stat_ok;
}

static isl_stat turn_all(isl_basic_set *part, void *user) {
  isl_stat ok = isl_basic_set_foreach_constraint(part, turn, user);
  isl_basic_set_free(part);
  return ok;
}

isl_set *h_beyond(isl_set *half_lines) {
  isl_set *all = isl_set_universe(isl_set_get_space(half_lines));
  isl_set_foreach_basic_set(half_lines, turn_all, &all);
  return all;
}

/* --- inside of another interval --- */

/* The bound of the interval on that side: of several that which is closest as a rule. NULL: there is none. */
static isl_constraint *usual_bound(isl_set *line, bool above) {
  if (isl_set_n_basic_set(line) != 1 || isl_set_involves_locals(line) == isl_bool_true) return NULL;
  isl_basic_set *part = isl_set_simple_hull(isl_set_copy(line));
  isl_constraint_list *all = isl_basic_set_get_constraint_list(part);
  isl_constraint *found = NULL;
  for (int i = 0; i < (int)isl_constraint_list_n_constraint(all); i++) {
    isl_constraint *c = isl_constraint_list_get_at(all, i);
    bool is_closer = is_bound(c, above) &&
                     (!found || (above ? usual_end(c) < usual_end(found) : usual_end(c) > usual_end(found)));
    if (is_closer) {
      isl_constraint_free(found);
      found = isl_constraint_copy(c);
    }
    isl_constraint_free(c);
  }
  isl_constraint_list_free(all);
  isl_basic_set_free(part);
  return found ? inequality(found, above) : NULL;
}

/* The params for which the line's end on that side is no further than the other's, whose coefficient is 1. */
static isl_set *side_inside(isl_set *line, isl_set *whole, bool above) {
  isl_constraint *end = usual_bound(line, above), *limit = usual_bound(whole, above);
  if (!end || !limit || fabs(coefficient(limit, isl_dim_set, 0)) != 1) {
    isl_constraint_free(end);
    isl_constraint_free(limit);
    return NULL;
  }
  isl_constraint *at = isl_equality_from_aff(isl_constraint_get_aff(limit));
  isl_constraint_free(limit);
  isl_set *inside = isl_set_from_basic_set(isl_basic_set_from_constraint(at));
  inside = h_meet(inside, isl_set_from_basic_set(isl_basic_set_from_constraint(turned(end))));
  return isl_set_params(inside);
}

isl_set *h_inside(isl_set *line, isl_set *whole) {
  isl_set *lower = side_inside(line, whole, false), *upper = lower ? side_inside(line, whole, true) : NULL;
  if (upper) return h_meet(lower, upper);
  isl_set_free(lower);
  return NULL;
}

/* --- images of boxes --- */

/* floor((constant + sum of coefs * params) / by) + offset */
typedef struct bound {
  int64_t by, offset, constant, *coefs;
} bound;

/* On one side; the closest is that of the interval. */
typedef struct bounds {
  unsigned n;
  bound at[MOST_BOUNDS];
} bounds;

typedef struct span {
  bounds low, high;
} span;

typedef struct box {
  isl_space *space; /* of the instances; borrowed */
  unsigned n_params, n_dims;
  span *spans; /* by dimension */
  PM_VEC(int64_t *) memory;
  const stage_access *access;
} box;

enum { LARGEST = 1 << 30 };

static bool is_small(int64_t i) {
  return i > -LARGEST && i < LARGEST;
}

static bool is_small_bound(const box *b, const bound *e) {
  bool small = is_small(e->by) && is_small(e->offset) && is_small(e->constant);
  for (unsigned i = 0; i < b->n_params; i++) small = small && is_small(e->coefs[i]);
  return small;
}

static bound new_bound(box *b, int64_t constant) {
  bound e = {.by = 1, .constant = constant, .coefs = pm_xcalloc(b->n_params + 1, sizeof(int64_t))};
  PM_VEC_PUSH(b->memory, e.coefs);
  return e;
}

/* The integer; out of all bounds where it is large. */
static int64_t take_int(isl_val *v) {
  int64_t i =
      isl_val_is_int(v) == isl_bool_true && isl_val_cmp_si(v, LARGEST) < 0 && isl_val_cmp_si(v, -LARGEST) > 0
          ? isl_val_get_num_si(v)
          : LARGEST;
  isl_val_free(v);
  return i;
}

/* The constraint as a bound of the dimension, which its coefficient is `by` of. */
static bound bound_of(box *b, isl_constraint *c, int64_t by) {
  bound e = new_bound(b, take_int(isl_constraint_get_constant_val(c)));
  int64_t sign = by > 0 ? -1 : 1;
  e.by = by > 0 ? by : -by;
  e.constant *= sign;
  for (unsigned i = 0; i < b->n_params; i++)
    e.coefs[i] = sign * take_int(isl_constraint_get_coefficient_val(c, isl_dim_param, (int)i));
  if (by > 0) e.constant += by - 1; /* rounded up */
  return e;
}

static bool add_bound(bounds *all, bound one) {
  if (all->n == MOST_BOUNDS) return false;
  all->at[all->n++] = one;
  return true;
}

/* Bounds of each dimension by itself. */
static bool read_constraint(box *b, isl_constraint *c) {
  int at = -1;
  int64_t by = 0;
  for (unsigned d = 0; d < b->n_dims; d++) {
    int64_t one = take_int(isl_constraint_get_coefficient_val(c, isl_dim_set, (int)d));
    if (one != 0 && at >= 0) return false;
    if (one != 0) at = (int)d, by = one;
  }
  if (at < 0) return true;
  span *s = &b->spans[at];
  bool is_equality = isl_constraint_is_equality(c) == isl_bool_true;
  if (is_equality && by != 1 && by != -1) return false;
  return ((by < 0 && !is_equality) || add_bound(&s->low, bound_of(b, c, by))) &&
         ((by > 0 && !is_equality) || add_bound(&s->high, bound_of(b, c, by)));
}

static bool read_box(box *b, isl_set *instances) {
  isl_basic_set_list *parts = isl_set_get_basic_set_list(instances);
  bool ok = isl_basic_set_list_n_basic_set(parts) == 1;
  isl_basic_set *part = ok ? isl_basic_set_list_get_at(parts, 0) : NULL;
  ok = ok && isl_basic_set_dim(part, isl_dim_div) == 0;
  isl_constraint_list *all = ok ? isl_basic_set_get_constraint_list(part) : NULL;
  for (int i = 0; ok && i < (int)isl_constraint_list_n_constraint(all); i++) {
    isl_constraint *c = isl_constraint_list_get_at(all, i);
    ok = read_constraint(b, c);
    isl_constraint_free(c);
  }
  for (unsigned d = 0; ok && d < b->n_dims; d++) ok = b->spans[d].low.n && b->spans[d].high.n;
  isl_constraint_list_free(all);
  isl_basic_set_free(part);
  isl_basic_set_list_free(parts);
  return ok;
}

/* a + b, of which one at least is no quotient. */
static bool add_bounds(box *b, const bound *x, const bound *y, bound *out) {
  if (x->by != 1 && y->by != 1) return false;
  if (x->by == 1 && y->by != 1) {
    const bound *swap = x;
    x = y;
    y = swap;
  }
  *out = new_bound(b, x->constant + (y->constant + y->offset) * x->by);
  out->by = x->by;
  out->offset = x->offset;
  for (unsigned i = 0; i < b->n_params; i++) out->coefs[i] = x->coefs[i] + y->coefs[i] * x->by;
  return is_small_bound(b, out);
}

/* by * floor(e / den) is at most by * e / den, and at least by * (e - den + 1) / den. */
static bool scale_bound(box *b, const bound *x, int64_t by, bool above, bound *out) {
  if (x->by != 1 && by < 0) return false;
  *out = new_bound(b, x->constant * by);
  out->by = x->by;
  out->offset = x->offset * by;
  for (unsigned i = 0; i < b->n_params; i++) out->coefs[i] = x->coefs[i] * by;
  if (!above && x->by != 1 && by != 1) out->constant += (x->by - 1) * (1 - by);
  return is_small_bound(b, out);
}

static bool scale_low(box *b, const bound *x, int64_t by, bound *out) {
  return scale_bound(b, x, by, false, out);
}

static bool scale_high(box *b, const bound *x, int64_t by, bound *out) {
  return scale_bound(b, x, by, true, out);
}

/* A quotient of a number is one. */
static void evaluate(const box *b, bound *e) {
  for (unsigned i = 0; i < b->n_params; i++)
    if (e->coefs[i]) return;
  e->constant = pm_floor_div(e->constant, e->by) + e->offset;
  e->by = 1;
  e->offset = 0;
}

static bool divide_bound(box *b, const bound *x, int64_t by, bound *out) {
  *out = new_bound(b, x->constant + x->offset * x->by);
  out->by = x->by * by;
  for (unsigned i = 0; i < b->n_params; i++) out->coefs[i] = x->coefs[i];
  evaluate(b, out);
  return is_small_bound(b, out);
}

/* Each of the bounds, by a number. */
static bool map_bounds(box *b, const bounds *x, int64_t by, bool (*f)(box *, const bound *, int64_t, bound *),
                       bounds *out) {
  bounds all = {.n = x->n};
  for (unsigned i = 0; i < x->n; i++)
    if (!f(b, &x->at[i], by, &all.at[i])) return false;
  *out = all;
  return true;
}

/* Each with each. */
static bool sum_bounds(box *b, const bounds *x, const bounds *y, bounds *out) {
  bounds all = {0};
  bound sum;
  for (unsigned i = 0; i < x->n; i++)
    for (unsigned k = 0; k < y->n; k++)
      if (!add_bounds(b, &x->at[i], &y->at[k], &sum) || !add_bound(&all, sum)) return false;
  *out = all;
  return true;
}

static span one_number(box *b, int64_t value) {
  bounds one = {.n = 1, .at = {new_bound(b, value)}};
  return (span){one, one};
}

/* A coordinate of the instances, or a param. */
static bool span_of_operand(box *b, const pm_value *value, span *out) {
  if (value->is_arg && value->index < b->n_dims) {
    *out = b->spans[value->index];
    return true;
  }
  const pm_op *param = value->is_arg ? NULL : pm_def((pm_value *)value);
  if (!pm_is(param, &stage_param)) return false;
  int at = isl_space_find_dim_by_name(b->space, isl_dim_param, pm_sym_at(param, stage_param_sym)->text);
  if (at < 0) return false;
  *out = one_number(b, 0);
  out->low.at[0].coefs[at] = 1; /* and of the upper bound, which is the same */
  return true;
}

static bool span_of(box *b, pm_affine_expr e, span *out) {
  const pm_op *read = b->access->read;
  span x, y;
  if (e->kind == PM_AFFINE_CONST) {
    *out = one_number(b, e->value);
    return is_small(e->value);
  }
  if (e->kind == PM_AFFINE_DIM)
    return span_of_operand(b, pm_arg(read, stage_index_operand(read) + (unsigned)e->value), out);
  if (e->kind < PM_AFFINE_ADD || !span_of(b, e->lhs, &x)) return false;
  bool by_number = e->rhs->kind == PM_AFFINE_CONST && is_small(e->rhs->value);
  int64_t by = by_number ? e->rhs->value : 0;
  switch (e->kind) {
  case PM_AFFINE_ADD:
    return span_of(b, e->rhs, &y) && sum_bounds(b, &x.low, &y.low, &out->low) &&
           sum_bounds(b, &x.high, &y.high, &out->high);
  case PM_AFFINE_MUL:
    return by_number && map_bounds(b, by < 0 ? &x.high : &x.low, by, scale_low, &out->low) &&
           map_bounds(b, by < 0 ? &x.low : &x.high, by, scale_high, &out->high);
  case PM_AFFINE_FLOORDIV:
    return by > 0 && map_bounds(b, &x.low, by, divide_bound, &out->low) &&
           map_bounds(b, &x.high, by, divide_bound, &out->high);
  case PM_AFFINE_MOD:
    if (by <= 0) return false;
    out->low = one_number(b, 0).low;
    out->high = one_number(b, by - 1).high;
    return true;
  default:
    return false;
  }
}

/* by * v <= …, or >= */
static isl_constraint *constraint_of(const box *b, isl_local_space *line, const bound *e, bool above) {
  isl_ctx *isl = isl_local_space_get_ctx(line);
  isl_constraint *c = isl_constraint_alloc_inequality(isl_local_space_copy(line));
  int64_t sign = above ? 1 : -1, constant = e->constant + e->offset * e->by - (above ? 0 : e->by - 1);
  c = isl_constraint_set_coefficient_val(c, isl_dim_set, 0, isl_val_int_from_si(isl, (long)(-sign * e->by)));
  c = isl_constraint_set_constant_val(c, isl_val_int_from_si(isl, (long)(sign * constant)));
  for (unsigned i = 0; i < b->n_params; i++)
    c = isl_constraint_set_coefficient_val(c, isl_dim_param, (int)i,
                                           isl_val_int_from_si(isl, (long)(sign * e->coefs[i])));
  return c;
}

static isl_set *line_of(const box *b, const span *s) {
  isl_space *space = isl_space_add_dims(isl_space_set_from_params(isl_space_params(isl_space_copy(b->space))),
                                        isl_dim_set, 1);
  isl_local_space *line = isl_local_space_from_space(isl_space_copy(space));
  isl_basic_set *part = isl_basic_set_universe(space);
  for (unsigned i = 0; i < s->low.n; i++)
    part = isl_basic_set_add_constraint(part, constraint_of(b, line, &s->low.at[i], false));
  for (unsigned i = 0; i < s->high.n; i++)
    part = isl_basic_set_add_constraint(part, constraint_of(b, line, &s->high.at[i], true));
  isl_local_space_free(line);
  return isl_set_from_basic_set(part);
}

bool h_affine_image(const stage_access *access, isl_set *instances, isl_set **lines) {
  if (!access->affine || stage_has_computed_index(access->read) ||
      pm_attr_at(access->read, stage_read_boundary))
    return false;
  box b = {.space = isl_set_get_space(instances), .access = access};
  b.n_params = (unsigned)isl_space_dim(b.space, isl_dim_param);
  b.n_dims = (unsigned)isl_space_dim(b.space, isl_dim_set);
  b.spans = pm_xcalloc(b.n_dims + 1, sizeof *b.spans);
  pm_affine_map map = stage_index_map(access->read);
  bool ok = read_box(&b, instances);
  unsigned n = 0;
  for (span s; ok && n < map->n_results; n++) {
    ok = span_of(&b, map->results[n], &s);
    if (!ok) break;
    lines[n] = line_of(&b, &s);
  }
  for (unsigned d = 0; !ok && d < n; d++) isl_set_free(lines[d]);
  for (size_t i = 0; i < b.memory.len; i++) free(b.memory.data[i]);
  PM_VEC_FREE(b.memory);
  free(b.spans);
  isl_space_free(b.space);
  return ok;
}
