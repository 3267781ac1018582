#include "dialects/poly/lower/guards.h"

#include "dialects/isl/budget.h"
#include "dialects/isl/hull.h"
#include "dialects/isl/linear.h"
#include "dialects/isl/take.h"

#include <isl/constraint.h>
#include <isl/val.h>

/* isl's operations for the divisions of a set. */
enum { OPERATIONS = 200000 };

/* Larger numbers are not looked for in what is known; the greatest that params have are 2^40. */
static const int64_t MOST = (int64_t)1 << 48;

bool poly_is_plain(isl_set *set) {
  return isl_set_n_basic_set(set) <= 1 && isl_set_involves_locals(set) == isl_bool_false;
}

__isl_give isl_set *poly_plain_around(__isl_take isl_set *set, isl_set *context) {
  if (poly_is_plain(set)) return set;
  return isl_set_from_basic_set(isl_hull_within(isl_set_coalesce(isl_set_remove_divs(set)), context));
}

__isl_give isl_set *poly_first_dims(__isl_take isl_set *set, unsigned n) {
  set = isl_set_project_out(set, isl_dim_set, n, (unsigned)isl_set_dim(set, isl_dim_set) - n);
  return isl_set_from_basic_set(isl_set_simple_hull(isl_set_remove_divs(set)));
}

/* --- guards --- */

typedef struct guard {
  pm_context *ctx;
  pm_arena *arena;
  isl_basic_set *known;
  linear_system *system; /* of `known`; NULL when it has large numbers */
  unsigned n_params, n_dims;
  int64_t *row; /* constant, parameters, dimensions */
  poly_nest *nests, *nest;
  unsigned n_nests;
  bool always;
} guard;

/* The constraint without its divisions; false when it has some, or large numbers. */
static bool read_row(guard *g, isl_constraint *c) {
  static const enum isl_dim_type types[] = {isl_dim_param, isl_dim_set};
  for (int i = 0; i < (int)isl_constraint_dim(c, isl_dim_div); i++) {
    isl_val *v = isl_constraint_get_coefficient_val(c, isl_dim_div, i);
    bool zero = isl_val_is_zero(v) == isl_bool_true;
    isl_val_free(v);
    if (!zero) return false;
  }
  int64_t *at = g->row;
  bool ok = isl_take_int_below(isl_constraint_get_constant_val(c), MOST, at++);
  for (unsigned t = 0; t < 2; t++)
    for (int i = 0; i < (int)isl_constraint_dim(c, types[t]) && ok; i++)
      ok = isl_take_int_below(isl_constraint_get_coefficient_val(c, types[t], i), MOST, at++);
  return ok;
}

/* The constraint holds wherever `known` does. */
static bool is_known(guard *g, isl_constraint *c) {
  if (!g->system || !read_row(g, c) || !linear_implies(g->system, g->row)) return false;
  if (isl_constraint_is_equality(c) != isl_bool_true) return true;
  for (unsigned i = 0; i < 1 + g->n_params + g->n_dims; i++) g->row[i] = -g->row[i];
  return linear_implies(g->system, g->row);
}

static isl_stat add_condition(__isl_take isl_constraint *c, void *user) {
  guard *g = user;
  isl_stat status = isl_stat_ok;
  if (isl_constraint_is_div_constraint(c) != isl_bool_true && !is_known(g, c)) {
    isl_aff *aff = isl_constraint_get_aff(c);
    pm_affine_expr e = poly_affine_of_aff(g->ctx, aff), zero = pm_affine_const(g->ctx, 0);
    isl_aff_free(aff);
    if (e) g->nest->conditions[g->nest->n_conditions++] = (poly_condition){e, zero};
    if (e && isl_constraint_is_equality(c) == isl_bool_true)
      g->nest->conditions[g->nest->n_conditions++] = (poly_condition){zero, e};
    if (!e) status = isl_stat_error;
  }
  isl_constraint_free(c);
  return status;
}

static isl_stat add_alternative(__isl_take isl_basic_set *part, void *user) {
  guard *g = user;
  g->nest = &g->nests[g->n_nests++];
  size_t most = 2 * (size_t)isl_basic_set_n_constraint(part) + 1;
  g->nest->conditions = pm_arena_alloc(g->arena, most * sizeof *g->nest->conditions);
  isl_stat status = isl_basic_set_foreach_constraint(part, add_condition, g);
  g->always = g->always || (status == isl_stat_ok && !g->nest->n_conditions);
  isl_basic_set_free(part);
  return status;
}

static isl_stat has_no_name(__isl_take isl_basic_set *part, void *user) {
  bool *any = user;
  isl_size n = isl_basic_set_dim(part, isl_dim_div);
  isl_basic_set *named = isl_basic_set_remove_unknown_divs(part);
  *any = *any || isl_basic_set_dim(named, isl_dim_div) != n;
  isl_basic_set_free(named);
  return isl_stat_ok;
}

/* The set with a function for each of its divisions; NULL when that takes too long. */
static __isl_give isl_set *with_named(__isl_take isl_set *set) {
  isl_ctx *isl = isl_set_get_ctx(set);
  bool nameless = false;
  isl_set_foreach_basic_set(set, has_no_name, &nameless);
  if (!nameless) return set;
  isl_budget_begin(isl, OPERATIONS);
  set = isl_set_compute_divs(set);
  isl_budget_end(isl);
  return set;
}

static bool read_guard(guard *g, isl_set *set) {
  unsigned n = (unsigned)isl_set_n_basic_set(set);
  g->system = linear_system_new(g->known);
  g->row = pm_arena_alloc(g->arena, (1 + g->n_params + g->n_dims) * sizeof *g->row);
  g->nests = pm_arena_alloc(g->arena, (n + 1) * sizeof *g->nests);
  bool ok = isl_set_foreach_basic_set(set, add_alternative, g) == isl_stat_ok;
  if (g->system) linear_system_free(g->system);
  return ok;
}

/* Of no points: 0 >= 1. */
static void never(guard *g) {
  poly_condition *no = pm_arena_alloc(g->arena, sizeof *no);
  *no = (poly_condition){pm_affine_const(g->ctx, 0), pm_affine_const(g->ctx, 1)};
  g->nests[g->n_nests++] = (poly_nest){.conditions = no, .n_conditions = 1};
}

bool poly_find_guard(pm_context *ctx, pm_arena *arena, __isl_take isl_set *set, isl_basic_set *known,
                     poly_nest **nests, unsigned *n_nests) {
  guard g = {.ctx = ctx, .arena = arena, .known = known};
  set = with_named(set);
  g.n_params = (unsigned)isl_basic_set_dim(known, isl_dim_param);
  g.n_dims = (unsigned)isl_basic_set_dim(known, isl_dim_set);
  bool ok = set && isl_set_dim(set, isl_dim_param) == (isl_size)g.n_params && read_guard(&g, set);
  if (ok && !g.n_nests) never(&g);
  *nests = g.nests;
  *n_nests = g.always ? 0 : g.n_nests;
  isl_set_free(set);
  return ok;
}
