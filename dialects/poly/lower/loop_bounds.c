#include "dialects/poly/lower/loop_bounds.h"

#include "dialects/isl/budget.h"
#include "dialects/isl/linear.h"
#include "dialects/isl/take.h"

#include <isl/mat.h>
#include <isl/val.h>
#include <stdlib.h>

/* One constraint: constant, parameters, dimensions outside, levels, divisions. */
typedef struct row {
  int64_t *c;
  bool equality;
  int level; /* the innermost that it has; -1: none */
} row;

typedef struct reader {
  pm_context *ctx;
  pm_arena *arena;
  isl_basic_set *set, *known; /* known: in the space of the set */
  const unsigned *order;
  unsigned n_params, n_outer, n_levels, n_divs;
  pm_affine_expr *quotients; /* of each division: what it is of parameters alone, else NULL */
  row *rows;
  unsigned n_rows;
  poly_condition *exact; /* the quotients that levels are have no rest */
  unsigned n_exact;
  bool shadows; /* an outer loop goes where real numbers have inner iterations */
} reader;

static unsigned first_div(const reader *r) {
  return 1 + r->n_params + r->n_outer + r->n_levels;
}

static unsigned column_of_level(const reader *r, unsigned level) {
  return 1 + r->n_params + r->n_outer + level;
}

/* Constants of conditions that only say what params have at most are larger (2^40). */
static const int64_t MOST_CONSTANT = (int64_t)1 << 48;

/* A tile of 2^30 points, read at twice its coordinates, has numbers beyond 31 bits. What is computed with
 * these is proven to fit 64 (lower-poly). */
static const int64_t MOST_FACTOR = (int64_t)1 << 36;

static bool is_small(const reader *r, unsigned column, int64_t value) {
  int64_t limit = column == 0 && r->shadows ? MOST_CONSTANT : MOST_FACTOR;
  return value > -limit && value < limit;
}

static bool small_value(__isl_take isl_val *value, int64_t *out) {
  *out = 0;
  return isl_take_int_below(value, MOST_FACTOR, out);
}

/* Where a column of isl's matrix, whose dimensions are in the order of the set, goes. */
static unsigned target_column(const reader *r, unsigned column) {
  unsigned first = 1 + r->n_params + r->n_outer;
  if (column < first || column >= first + r->n_levels) return column;
  for (unsigned k = 0; k < r->n_levels; k++)
    if (r->order[k] == column - 1 - r->n_params) return column_of_level(r, k);
  return column;
}

static unsigned n_columns(const reader *r) {
  return first_div(r) + r->n_divs;
}

static void find_level(const reader *r, row *at) {
  at->level = -1;
  for (unsigned k = 0; k < r->n_levels; k++)
    if (at->c[column_of_level(r, k)]) at->level = (int)k;
}

static bool add_rows(reader *r, __isl_take isl_mat *matrix, bool equality) {
  unsigned n_rows = (unsigned)isl_mat_rows(matrix);
  bool ok = true;
  for (unsigned i = 0; i < n_rows && ok; i++) {
    row *at = &r->rows[r->n_rows++];
    *at = (row){pm_arena_alloc(r->arena, n_columns(r) * sizeof *at->c), equality, -1};
    for (unsigned k = 0; k < n_columns(r) && ok; k++) {
      unsigned column = target_column(r, k);
      ok = isl_take_int_below(isl_mat_get_element_val(matrix, (int)i, (int)k), INT64_MAX, &at->c[column]) &&
           is_small(r, column, at->c[column]);
    }
    find_level(r, at);
  }
  isl_mat_free(matrix);
  return ok;
}

static pm_affine_expr floor_of(pm_context *ctx, __isl_take isl_aff *aff);

/* Divisions of parameters alone, which are as good as parameters. */
static void find_quotients(reader *r) {
  unsigned n_dims = (unsigned)isl_basic_set_dim(r->set, isl_dim_set);
  r->n_divs = (unsigned)isl_basic_set_dim(r->set, isl_dim_div);
  r->quotients = pm_arena_alloc(r->arena, (r->n_divs + 1) * sizeof *r->quotients);
  for (unsigned i = 0; i < r->n_divs; i++) {
    isl_aff *dividend = isl_basic_set_get_div(r->set, (int)i);
    if (dividend && isl_aff_involves_dims(dividend, isl_dim_in, 0, n_dims) == isl_bool_false)
      r->quotients[i] = floor_of(r->ctx, isl_aff_copy(dividend));
    if (!dividend) isl_ctx_reset_error(isl_basic_set_get_ctx(r->set));
    isl_aff_free(dividend);
  }
}

static bool read_rows(reader *r) {
  find_quotients(r);
  isl_mat *eq = isl_basic_set_equalities_matrix(r->set, isl_dim_cst, isl_dim_param, isl_dim_set, isl_dim_div);
  isl_mat *ineq =
      isl_basic_set_inequalities_matrix(r->set, isl_dim_cst, isl_dim_param, isl_dim_set, isl_dim_div);
  r->n_rows = 0;
  r->rows = pm_arena_alloc(r->arena, (size_t)(isl_mat_rows(eq) + isl_mat_rows(ineq) + 1) * sizeof *r->rows);
  bool ok = add_rows(r, eq, true);
  return add_rows(r, ineq, false) && ok;
}

/* --- expressions --- */

/* Whether the division of the column is one of dimensions too, or one that isl does not name. */
static bool is_open(const reader *r, unsigned column) {
  return column >= first_div(r) && !r->quotients[column - first_div(r)];
}

/* constant + parameters + the first n dimensions, dimensions in front. */
static pm_affine_expr linear(pm_context *ctx, const int64_t *c, unsigned n_params, unsigned n_dims) {
  pm_affine_expr sum = pm_affine_const(ctx, 0);
  for (unsigned i = 0; i < n_dims; i++)
    if (c[1 + n_params + i])
      sum =
          pm_affine_add(sum, pm_affine_mul(pm_affine_dim(ctx, i), pm_affine_const(ctx, c[1 + n_params + i])));
  for (unsigned i = 0; i < n_params; i++)
    if (c[1 + i])
      sum = pm_affine_add(sum, pm_affine_mul(pm_affine_sym(ctx, i), pm_affine_const(ctx, c[1 + i])));
  return pm_affine_addc(sum, c[0]);
}

/* The same of a row without open divisions. */
static pm_affine_expr linear_of(const reader *r, const int64_t *c) {
  pm_affine_expr sum = linear(r->ctx, c, r->n_params, r->n_outer + r->n_levels);
  for (unsigned i = 0; i < r->n_divs; i++)
    if (c[first_div(r) + i])
      sum = pm_affine_add(sum, pm_affine_mul(r->quotients[i], pm_affine_const(r->ctx, c[first_div(r) + i])));
  return sum;
}

/* The row divided by d > 0, rounded down or up; exact where d divides all coefficients. */
static pm_affine_expr quotient(const reader *r, int64_t *c, int64_t d, bool up) {
  bool divides = true;
  for (unsigned i = 1; i < n_columns(r); i++) divides = divides && c[i] % d == 0;
  if (!divides)
    return pm_affine_binary(up ? PM_AFFINE_CEILDIV : PM_AFFINE_FLOORDIV, linear_of(r, c),
                            pm_affine_const(r->ctx, d));
  for (unsigned i = 1; i < n_columns(r); i++) c[i] /= d;
  c[0] = up ? pm_ceil_div(c[0], d) : pm_floor_div(c[0], d);
  return linear_of(r, c);
}

/* A copy of the row times `factor`, without open divisions and the column. */
static int64_t *rest_of(const reader *r, const row *from, int64_t factor, unsigned without) {
  unsigned n = n_columns(r);
  int64_t *c = pm_arena_alloc(r->arena, n * sizeof *c);
  for (unsigned i = 0; i < n; i++) c[i] = i == without || is_open(r, i) ? 0 : factor * from->c[i];
  return c;
}

static poly_condition condition_of(const reader *r, const row *from, int64_t sign) {
  unsigned n = n_columns(r);
  int64_t *left = pm_arena_alloc(r->arena, n * sizeof *left);
  int64_t *right = pm_arena_alloc(r->arena, n * sizeof *right);
  for (unsigned i = 0; i < n; i++) {
    int64_t v = sign * from->c[i];
    left[i] = i > 0 && v > 0 ? v : 0;
    right[i] = i == 0 || v < 0 ? -v : 0;
  }
  return (poly_condition){linear_of(r, left), linear_of(r, right)};
}

/* --- one level --- */

static bool has_divs(const reader *r, const row *at) {
  for (unsigned i = 0; i < r->n_divs; i++)
    if (at->c[first_div(r) + i] && !r->quotients[i]) return true;
  return false;
}

/* The step of an equality `level = rest + step * division` whose division is in no other constraint; 1
 * without a division, 0 when it is in others. */
static int64_t step_of(const reader *r, const row *at) {
  int64_t step = 1;
  for (unsigned i = first_div(r); i < first_div(r) + r->n_divs; i++) {
    if (!at->c[i] || !is_open(r, i)) continue;
    if (step != 1) return 0;
    step = at->c[i] < 0 ? -at->c[i] : at->c[i];
    for (unsigned k = 0; k < r->n_rows; k++)
      if (&r->rows[k] != at && r->rows[k].c[i]) return 0;
  }
  return step;
}

/* The equality of a level; NULL when there is none, with *simple false when there are several. */
static const row *equality_of(const reader *r, int level, bool *simple) {
  const row *found = NULL;
  for (unsigned i = 0; i < r->n_rows; i++) {
    if (r->rows[i].level != level || !r->rows[i].equality) continue;
    if (found) *simple = false;
    found = &r->rows[i];
  }
  return found;
}

/* The row a * level + rest >= 0 as a bound of the level, or with level = first + step * n of the number n. */
static pm_affine_expr bound_of(const reader *r, const row *at, int64_t a, const int64_t *first,
                               int64_t step) {
  int64_t *c = rest_of(r, at, a > 0 ? -1 : 1, column_of_level(r, (unsigned)at->level));
  int64_t size = a > 0 ? a : -a;
  for (unsigned i = 0; i < n_columns(r) && step > 1; i++) c[i] -= size * first[i];
  return quotient(r, c, size * step, a > 0);
}

static bool add_bound(const reader *r, const row *at, const int64_t *first, poly_level *out) {
  if (has_divs(r, at)) return false;
  unsigned column = column_of_level(r, (unsigned)at->level);
  int64_t a = at->c[column];
  pm_affine_expr bound = bound_of(r, at, a, first, out->step);
  if (a > 0)
    out->lower[out->n_lower++] = bound;
  else
    out->upper[out->n_upper++] = bound;
  return true;
}

static bool has_levels(const reader *r, const int64_t *c) {
  for (unsigned k = 0; k < r->n_levels; k++)
    if (c[column_of_level(r, k)]) return true;
  return false;
}

/* rest / d, and the condition that d > 0 divides rest. */
static pm_affine_expr exact_quotient(const reader *r, int64_t *rest, int64_t d, poly_condition *exact) {
  pm_affine_expr dividend = linear_of(r, rest);
  pm_affine_expr value = quotient(r, rest, d, false);
  *exact = (poly_condition){pm_affine_mul(value, pm_affine_const(r->ctx, d)), dividend};
  return value;
}

/* The value or the step that the equality gives the level, and `first`, a value that it may take; false for
 * other equalities. */
static bool read_equality(reader *r, const row *equality, poly_level *out, int64_t **first) {
  unsigned column = column_of_level(r, (unsigned)equality->level);
  int64_t a = equality->c[column];
  *first = rest_of(r, equality, a > 0 ? -1 : 1, column);
  if (a < 0) a = -a;
  out->step = a == 1 ? step_of(r, equality) : 1;
  if (!out->step || (out->step == 1 && has_divs(r, equality))) return false;
  if (out->step > 1) {
    (*first)[0] -= pm_floor_div((*first)[0], out->step) * out->step;
    out->first = linear_of(r, *first);
    return true;
  }
  if (a == 1)
    out->fixed = linear_of(r, *first);
  else if (!has_levels(r, *first))
    out->fixed = exact_quotient(r, *first, a, &r->exact[r->n_exact++]);
  return out->fixed != NULL;
}

/* The bounds of a level from the rows in which it is innermost. */
static bool read_level(reader *r, int level, poly_level *out) {
  bool simple = true;
  const row *equality = equality_of(r, level, &simple);
  int64_t *first = NULL;
  *out = (poly_level){.step = 1};
  if (!simple || (equality && !read_equality(r, equality, out, &first))) return false;
  out->lower = pm_arena_alloc(r->arena, (r->n_rows + 1) * sizeof(pm_affine_expr));
  out->upper = pm_arena_alloc(r->arena, (r->n_rows + 1) * sizeof(pm_affine_expr));
  for (unsigned i = 0; i < r->n_rows; i++) {
    if (r->rows[i].level != level || r->rows[i].equality) continue;
    if (out->fixed || !add_bound(r, &r->rows[i], first, out)) return false;
  }
  return out->fixed || (out->n_lower && out->n_upper);
}

/* A row of the level has an outer level too: what it says of that is found by elimination. */
static bool is_coupled(const reader *r, int level) {
  for (unsigned i = 0; i < r->n_rows; i++)
    for (int k = 0; r->rows[i].level == level && k < level; k++)
      if (r->rows[i].c[column_of_level(r, (unsigned)k)]) return true;
  return false;
}

/* Leaves what the rows of a level say of outer ones; false when isl does not tell, which it does not of
 * divisions that it cannot name. */
static bool eliminate(reader *r, int level) {
  isl_ctx *isl = isl_basic_set_get_ctx(r->set);
  isl_ask(isl);
  isl_set *set = isl_set_eliminate(isl_set_from_basic_set(r->set), isl_dim_set, r->order[level], 1);
  r->set = isl_set_simple_hull(r->shadows ? isl_set_remove_divs(set) : set);
  (void)isl_answered(isl);
  if (r->set) r->set = linear_gist(r->set, r->known);
  if (r->set) return read_rows(r);
  isl_ctx_reset_error(isl);
  return false;
}

/* `rest + step * division = 0`: the step divides the rest. */
static bool add_divisibility(const reader *r, const row *at, poly_nest *nest) {
  int64_t step = at->equality ? step_of(r, at) : 0;
  if (step > 1)
    exact_quotient(r, rest_of(r, at, 1, n_columns(r)), step, &nest->conditions[nest->n_conditions++]);
  return step > 1;
}

/* --- numbers of which there is one --- */

/* The only division of the row, -1 for several. */
static int only_div(const reader *r, const row *at) {
  int found = -1;
  for (unsigned i = 0; i < r->n_divs; i++) {
    if (!at->c[first_div(r) + i] || r->quotients[i]) continue;
    if (found >= 0) return -1;
    found = (int)i;
  }
  return found;
}

/* All that is known of the division are bounds of it, in which no level is. */
static bool is_only_bounded(const reader *r, unsigned div) {
  for (unsigned i = 0; i < r->n_rows; i++) {
    const row *at = &r->rows[i];
    if (!at->c[first_div(r) + div]) continue;
    if (at->level >= 0 || at->equality || only_div(r, at) != (int)div) return false;
  }
  return true;
}

/* Numbers between the bounds -low / a and up / b of two rows a e + low >= 0 and -b e + up >= 0 always exist:
 * the distance of the bounds is a number, and that is large enough. */
static bool are_apart(const reader *r, const row *low, const row *up, int64_t a, int64_t b) {
  for (unsigned i = 1; i < n_columns(r); i++)
    if (!is_open(r, i) && b * low->c[i] + a * up->c[i]) return false;
  return b * low->c[0] + a * up->c[0] >= (a - 1) * (b - 1);
}

/* There is a number between each lower and each upper bound. */
static void add_existence(reader *r, unsigned div) {
  unsigned column = first_div(r) + div;
  for (unsigned i = 0; i < r->n_rows; i++)
    for (unsigned k = 0; k < r->n_rows; k++) {
      const row *low = &r->rows[i], *up = &r->rows[k];
      int64_t a = low->c[column], b = -up->c[column];
      if (a <= 0 || b <= 0 || are_apart(r, low, up, a, b)) continue;
      r->exact[r->n_exact++] = (poly_condition){quotient(r, rest_of(r, up, 1, column), b, false),
                                                quotient(r, rest_of(r, low, -1, column), a, true)};
    }
}

/* Puts conditions in place of divisions that isl cannot name, each of which stands for any number that some
 * rows let be; false when they are more than that. */
static bool replace_unnamed(reader *r) {
  isl_basic_set *named = isl_basic_set_remove_unknown_divs(isl_basic_set_copy(r->set));
  bool ok = isl_basic_set_dim(named, isl_dim_div) == isl_basic_set_dim(r->set, isl_dim_div);
  if (!ok && isl_basic_set_dim(named, isl_dim_div) == 0 && read_rows(r)) {
    ok = true;
    r->exact = pm_arena_alloc(r->arena, ((size_t)r->n_rows * r->n_rows + r->n_levels + 1) * sizeof *r->exact);
    for (unsigned i = 0; i < r->n_divs && ok; i++) ok = r->quotients[i] || is_only_bounded(r, i);
    for (unsigned i = 0; i < r->n_divs && ok; i++)
      if (!r->quotients[i]) add_existence(r, i);
  }
  isl_basic_set_free(r->set);
  r->set = named;
  return ok;
}

static bool read_conditions(const reader *r, poly_nest *nest) {
  nest->conditions = pm_arena_alloc(r->arena, (2 * r->n_rows + r->n_exact + 1) * sizeof *nest->conditions);
  for (unsigned i = 0; i < r->n_exact; i++) nest->conditions[nest->n_conditions++] = r->exact[i];
  for (unsigned i = 0; i < r->n_rows; i++) {
    const row *at = &r->rows[i];
    if (at->level >= 0) continue;
    if (has_divs(r, at)) {
      if (!add_divisibility(r, at, nest)) return false;
      continue;
    }
    nest->conditions[nest->n_conditions++] = condition_of(r, at, 1);
    if (at->equality) nest->conditions[nest->n_conditions++] = condition_of(r, at, -1);
  }
  return true;
}

static bool read_nest(reader *r, poly_nest *nest) {
  if (!read_rows(r)) return false;
  for (int level = (int)r->n_levels - 1; level >= 0; level--) {
    if (!read_level(r, level, &nest->levels[level])) return false;
    if (is_coupled(r, level) && !eliminate(r, level)) return false;
  }
  return read_conditions(r, nest);
}

static bool find_nest(reader r, isl_basic_set *known, poly_nest *nest) {
  pm_arena *arena = r.arena;
  unsigned n = r.n_levels;
  r.exact = pm_arena_alloc(arena, (n + 1) * sizeof *r.exact);
  r.known = isl_basic_set_add_dims(isl_basic_set_copy(known), isl_dim_set, n);
  r.n_params = (unsigned)isl_basic_set_dim(r.set, isl_dim_param);
  bool replaced = replace_unnamed(&r);
  r.set = linear_gist(r.set, r.known);
  *nest = (poly_nest){.n_levels = n, .levels = pm_arena_alloc(arena, (n + 1) * sizeof *nest->levels)};
  nest->empty = isl_basic_set_plain_is_empty(r.set) == isl_bool_true;
  bool same_params = r.n_params == (unsigned)isl_basic_set_dim(known, isl_dim_param);
  bool found = nest->empty || (replaced && same_params && read_nest(&r, nest));
  isl_basic_set_free(r.set);
  isl_basic_set_free(r.known);
  return found;
}

bool poly_find_nest(pm_context *ctx, pm_arena *arena, __isl_take isl_basic_set *set, isl_basic_set *known,
                    const unsigned *order, unsigned n, poly_nest *nest) {
  unsigned n_outer = (unsigned)isl_basic_set_dim(known, isl_dim_set);
  reader r = {.ctx = ctx, .arena = arena, .set = set, .order = order, .n_outer = n_outer, .n_levels = n};
  return find_nest(r, known, nest);
}

bool poly_find_plain_nest(pm_context *ctx, pm_arena *arena, __isl_take isl_basic_set *set,
                          isl_basic_set *known, const unsigned *order, unsigned n, poly_nest *nest) {
  unsigned n_outer = (unsigned)isl_basic_set_dim(known, isl_dim_set);
  reader r = {.ctx = ctx, .arena = arena, .set = set, .order = order, .n_outer = n_outer, .n_levels = n};
  r.shadows = true;
  return find_nest(r, known, nest);
}

/* floor(aff / d); takes the aff, whose coefficients are integers after the multiplication with d. */
static pm_affine_expr floor_of(pm_context *ctx, __isl_take isl_aff *aff) {
  isl_val *denominator = isl_aff_get_denominator_val(aff);
  int64_t d = 0;
  bool small = small_value(isl_val_copy(denominator), &d);
  aff = isl_aff_scale_val(aff, denominator);
  pm_affine_expr dividend = small ? poly_affine_of_aff(ctx, aff) : NULL;
  isl_aff_free(aff);
  if (!dividend || d == 1) return dividend;
  return pm_affine_binary(PM_AFFINE_FLOORDIV, dividend, pm_affine_const(ctx, d));
}

/* Adds to `sum` the divisions of the aff times their coefficients. */
static pm_affine_expr add_divs(pm_context *ctx, isl_aff *aff, pm_affine_expr sum) {
  for (int i = 0; i < (int)isl_aff_dim(aff, isl_dim_div) && sum; i++) {
    int64_t c = 0;
    bool small = small_value(isl_aff_get_coefficient_val(aff, isl_dim_div, i), &c);
    if (small && !c) continue;
    pm_affine_expr floor = small ? floor_of(ctx, isl_aff_get_div(aff, i)) : NULL;
    sum = floor ? pm_affine_add(sum, pm_affine_mul(floor, pm_affine_const(ctx, c))) : NULL;
  }
  return sum;
}

pm_affine_expr poly_affine_of_aff(pm_context *ctx, isl_aff *aff) {
  unsigned n_params = (unsigned)isl_aff_dim(aff, isl_dim_param),
           n_dims = (unsigned)isl_aff_dim(aff, isl_dim_in);
  int64_t *c = pm_xcalloc(1 + n_params + n_dims, sizeof *c);
  bool ok = isl_take_int_below(isl_aff_get_constant_val(aff), MOST_CONSTANT, &c[0]);
  for (unsigned i = 0; i < n_params && ok; i++)
    ok = small_value(isl_aff_get_coefficient_val(aff, isl_dim_param, (int)i), &c[1 + i]);
  for (unsigned i = 0; i < n_dims && ok; i++)
    ok = small_value(isl_aff_get_coefficient_val(aff, isl_dim_in, (int)i), &c[1 + n_params + i]);
  pm_affine_expr expr = ok ? add_divs(ctx, aff, linear(ctx, c, n_params, n_dims)) : NULL;
  free(c);
  return expr;
}

typedef struct only_piece {
  pm_context *ctx;
  pm_affine_expr expr;
} only_piece;

static isl_stat take_piece(__isl_take isl_set *where, __isl_take isl_aff *aff, void *user) {
  only_piece *p = user;
  p->expr = poly_affine_of_aff(p->ctx, aff);
  isl_set_free(where);
  isl_aff_free(aff);
  return isl_stat_ok;
}

bool poly_affine_of_map(pm_context *ctx, isl_map *map, pm_affine_expr *exprs) {
  if (isl_map_is_single_valued(map) != isl_bool_true) return false;
  isl_pw_multi_aff *all = isl_pw_multi_aff_from_map(isl_map_copy(map));
  bool found = true;
  for (unsigned d = 0; d < (unsigned)isl_map_dim(map, isl_dim_out) && found; d++) {
    only_piece p = {ctx, NULL};
    isl_pw_aff *one = isl_pw_multi_aff_get_pw_aff(all, (int)d);
    if (isl_pw_aff_n_piece(one) == 1) isl_pw_aff_foreach_piece(one, take_piece, &p);
    isl_pw_aff_free(one);
    exprs[d] = p.expr;
    found = p.expr != NULL;
  }
  isl_pw_multi_aff_free(all);
  return found;
}

static __isl_give isl_aff *aff_of(isl_local_space *over, pm_affine_expr e) {
  isl_ctx *isl = isl_local_space_get_ctx(over);
  if (e->kind == PM_AFFINE_CONST) {
    isl_local_space *copy = isl_local_space_copy(over);
    return isl_aff_val_on_domain(copy, isl_val_int_from_si(isl, (long)e->value));
  }
  if (e->kind == PM_AFFINE_DIM || e->kind == PM_AFFINE_SYM) {
    enum isl_dim_type type = e->kind == PM_AFFINE_DIM ? isl_dim_set : isl_dim_param;
    return isl_aff_var_on_domain(isl_local_space_copy(over), type, (unsigned)e->value);
  }
  isl_aff *left = aff_of(over, e->lhs);
  if (e->kind == PM_AFFINE_ADD) return isl_aff_add(left, aff_of(over, e->rhs));
  isl_val *by = isl_val_int_from_si(isl, (long)e->rhs->value);
  if (e->kind == PM_AFFINE_MUL) return isl_aff_scale_val(left, by);
  if (e->kind == PM_AFFINE_MOD) return isl_aff_mod_val(left, by);
  left = isl_aff_scale_down_val(left, by);
  return e->kind == PM_AFFINE_FLOORDIV ? isl_aff_floor(left) : isl_aff_ceil(left);
}

__isl_give isl_map *poly_map_of_affine(__isl_take isl_space *from, __isl_take isl_space *to,
                                       const pm_affine_expr *exprs) {
  unsigned n = (unsigned)isl_space_dim(to, isl_dim_set);
  isl_local_space *over = isl_local_space_from_space(isl_space_copy(from));
  isl_multi_aff *all = isl_multi_aff_zero(isl_space_map_from_domain_and_range(from, to));
  for (unsigned d = 0; d < n; d++) all = isl_multi_aff_set_aff(all, (int)d, aff_of(over, exprs[d]));
  isl_local_space_free(over);
  return isl_map_from_multi_aff(all);
}
