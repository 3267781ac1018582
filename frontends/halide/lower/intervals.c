#include "frontends/halide/lower/intervals.h"

#include "dialects/isl/linear.h"
#include "ir/support.h"

#include <isl/constraint.h>
#include <isl/map.h>
#include <isl/space.h>
#include <isl/val.h>
#include <math.h>
#include <stdlib.h>

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
  isl_set *all = halves_of(&list, isl_set_get_space(line), n == 1 ? H_MOST_BOUNDS : 1);
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

/* --- intervals that are known --- */

pm_string h_text_of(pm_context *ctx, isl_set *line) {
  char *text = isl_set_to_str(line);
  pm_string kept = text ? pm_get_cstring(ctx, text) : NULL;
  free(text);
  return kept;
}

isl_set *h_find_interval(const h_intervals *known, h_interval of) {
  for (size_t i = 0; i < known->len; i++) {
    const h_interval *k = &known->data[i];
    if (k->line == of.line && k->context == of.context && k->way == of.way) return isl_set_copy(k->around);
  }
  return NULL;
}

void h_keep_interval(h_intervals *known, h_interval found) {
  if (!found.line || !found.around) return;
  found.context = isl_set_copy(found.context);
  found.around = isl_set_copy(found.around);
  PM_VEC_PUSH(*known, found);
}

void h_free_intervals(h_intervals *known) {
  for (size_t i = 0; i < known->len; i++) {
    isl_set_free(known->data[i].context);
    isl_set_free(known->data[i].around);
  }
  PM_VEC_FREE(*known);
}
