#include "dialects/poly/trips.h"

#include "dialects/isl/linear.h"
#include "dialects/isl/take.h"
#include "dialects/poly/lower/loop_bounds.h"
#include "dialects/poly/tree.h"

#include <isl/constraint.h>
#include <stdlib.h>

/* Instances -> the value of the loop; NULL when what brought them is inside the loop. */
static __isl_give isl_map *member_map(const poly_occurrence *o, unsigned loop) {
  const poly_stage_band *band = poly_band_over(o, loop);
  if (!band) return NULL;
  unsigned member = loop - band->depth, n = poly_band_members(band->band);
  isl_map *map = isl_map_copy(band->members);
  map = isl_map_project_out(map, isl_dim_out, member + 1, n - member - 1);
  return isl_map_project_out(map, isl_dim_out, 0, member);
}

/* The loops outside -> the value of the loop. */
static __isl_give isl_map *value_map(const poly_occurrence *o, unsigned loop) {
  isl_map *member = member_map(o, loop);
  return member ? isl_map_apply_range(poly_executed_in(o, loop), member) : NULL;
}

/* The function that the map (taken) is, or NULL. */
static pm_affine_expr function_of(const poly_occurrence *o, __isl_take isl_map *map) {
  pm_affine_expr expr = NULL;
  if (map) map = isl_map_align_params(map, stage_facts_params(o->node->facts));
  bool found = map && poly_affine_of_map(pm_op_context(o->node->op), map, &expr);
  isl_map_free(map);
  return found ? expr : NULL;
}

pm_affine_expr poly_only_value(const poly_occurrence *o, unsigned loop) {
  isl_map *values = value_map(o, loop);
  return function_of(o, values ? isl_map_from_basic_map(isl_map_affine_hull(values)) : NULL);
}

void poly_values_at(const poly_occurrence *o, pm_affine_expr *values) {
  for (unsigned l = 0; l < o->depth; l++) values[l] = function_of(o, member_map(o, l));
}

/* --- trips --- */

/* floor((factor * coordinate + …) / divisor): what a loop that changes with one coordinate does. */
typedef struct counting {
  unsigned coord;
  int64_t factor, divisor;
} counting;

/* The one dimension that the expression changes with, up to `n`; n: there is none, or several. */
static unsigned only_factor(const int64_t *factors, unsigned n) {
  unsigned only = n;
  for (unsigned k = 0; k < n; k++) {
    if (!factors[k]) continue;
    if (only < n) return n;
    only = k;
  }
  return only;
}

static bool find_counting(const poly_occurrence *o, pm_affine_expr function, counting *c) {
  unsigned n = poly_occurrence_dims(o);
  if (!function) return false;
  bool divided = function->kind == PM_AFFINE_FLOORDIV && function->rhs->kind == PM_AFFINE_CONST;
  int64_t *factors = pm_xcalloc(n + 1, sizeof *factors);
  bool linear = pm_affine_dim_coeffs(divided ? function->lhs : function, factors, n);
  *c = (counting){linear ? only_factor(factors, n) : n, 0, divided ? function->rhs->value : 1};
  if (c->coord < n) c->factor = factors[c->coord];
  free(factors);
  return c->factor > 0;
}

/* What a set (taken) says of one dimension alone. */
static __isl_give isl_set *only_dim(__isl_take isl_set *set, unsigned dim) {
  unsigned behind = (unsigned)isl_set_dim(set, isl_dim_set) - dim - 1;
  set = isl_set_drop_constraints_involving_dims(set, isl_dim_set, dim + 1, behind);
  set = isl_set_drop_constraints_involving_dims(set, isl_dim_set, 0, dim);
  return isl_set_project_out(isl_set_project_out(set, isl_dim_set, dim + 1, behind), isl_dim_set, 0, dim);
}

/* The bounds of the one dimension of a basic set, without divisions. */
typedef struct bounds {
  PM_VEC(isl_aff *) lower, upper;
} bounds;

static isl_stat add_bound(__isl_take isl_constraint *c, void *user) {
  bounds *all = user;
  unsigned n_divs = (unsigned)isl_constraint_dim(c, isl_dim_div);
  if (isl_constraint_involves_dims(c, isl_dim_set, 0, 1) == isl_bool_true &&
      isl_constraint_involves_dims(c, isl_dim_div, 0, n_divs) == isl_bool_false) {
    bool both = isl_constraint_is_equality(c) == isl_bool_true;
    bool lower = isl_constraint_is_lower_bound(c, isl_dim_set, 0) == isl_bool_true;
    if (both || lower) PM_VEC_PUSH(all->lower, isl_constraint_get_bound(c, isl_dim_set, 0));
    if (both || !lower) PM_VEC_PUSH(all->upper, isl_constraint_get_bound(c, isl_dim_set, 0));
  }
  isl_constraint_free(c);
  return isl_stat_ok;
}

static void free_bounds(bounds *all) {
  for (size_t i = 0; i < all->lower.len; i++) isl_aff_free(all->lower.data[i]);
  for (size_t i = 0; i < all->upper.len; i++) isl_aff_free(all->upper.data[i]);
  PM_VEC_FREE(all->lower);
  PM_VEC_FREE(all->upper);
}

/* Takes the least number that an upper bound is more than a lower one. */
static void take_length(const isl_aff *lower, const isl_aff *upper, int64_t *least) {
  int64_t length = 0;
  isl_aff *difference = isl_aff_sub(isl_aff_copy((isl_aff *)upper), isl_aff_copy((isl_aff *)lower));
  bool is_number = isl_aff_is_cst(difference) == isl_bool_true;
  isl_val *value = isl_val_floor(isl_aff_get_constant_val(difference));
  if (is_number && isl_take_int_below(value, INT32_MAX, &length) && length < *least) *least = length;
  if (!is_number) isl_val_free(value);
  isl_aff_free(difference);
}

static isl_stat widen(__isl_take isl_basic_set *set, void *user) {
  int64_t *apart = user, least = INT64_MAX;
  bounds all = {{0}, {0}};
  isl_basic_set_foreach_constraint(set, add_bound, &all);
  for (size_t i = 0; i < all.lower.len; i++)
    for (size_t k = 0; k < all.upper.len; k++) take_length(all.lower.data[i], all.upper.data[k], &least);
  free_bounds(&all);
  isl_basic_set_free(set);
  *apart = least > *apart ? least : *apart;
  return isl_stat_ok;
}

/* Values of a coordinate that are brought at once are at most so far apart, as their bounds say; INT64_MAX:
 * these say nothing. */
static int64_t brought_apart(const poly_occurrence *o, unsigned coord) {
  int64_t apart = 0;
  isl_map *map = isl_map_copy(o->brought);
  unsigned n_params = (unsigned)isl_map_dim(map, isl_dim_param);
  map =
      isl_map_move_dims(map, isl_dim_param, n_params, isl_dim_in, 0, (unsigned)isl_map_dim(map, isl_dim_in));
  isl_set *set = only_dim(isl_map_range(map), coord);
  isl_set_foreach_basic_set(set, widen, &apart);
  isl_set_free(set);
  return apart;
}

/* The loop counts one coordinate: loops outside, and what is brought, say how far apart its values are. */
static bool find_apart(const poly_occurrence *o, unsigned loop, const pm_affine_expr *values,
                       const counting *c, int64_t *apart) {
  counting outer;
  *apart = brought_apart(o, c->coord);
  for (unsigned l = 0; l < loop; l++) {
    if (!find_counting(o, values[l], &outer) || outer.coord != c->coord) continue;
    int64_t same = (outer.divisor - 1) / outer.factor;
    *apart = same < *apart ? same : *apart;
  }
  return *apart < INT32_MAX;
}

/* By the iterations of the loops outside. */
static int64_t exact_trips(const poly_occurrence *o, unsigned loop) {
  int64_t difference = 0;
  isl_map *values = value_map(o, loop);
  if (!values) return 0;
  unsigned n_params = (unsigned)isl_map_dim(values, isl_dim_param);
  values = isl_map_move_dims(values, isl_dim_param, n_params, isl_dim_in, 0, loop);
  isl_set *set = isl_map_range(values);
  bool found = linear_greatest_difference(set, 0, &difference) == LINEAR_FOUND;
  isl_set_free(set);
  return found ? difference + 1 : 0;
}

int64_t poly_most_trips(const poly_occurrence *o, unsigned loop, const pm_affine_expr *values) {
  counting c;
  int64_t apart;
  if (!find_counting(o, values[loop], &c) || c.divisor > 1) return exact_trips(o, loop);
  return find_apart(o, loop, values, &c, &apart) ? apart * c.factor + 1 : 0;
}

/* Borders make loops shorter, so that the least difference of two values is found where neither is cut: the
 * first of `loop` less the last of the other. */
bool poly_begins_later(const poly_occurrence *o, unsigned loop, const poly_occurrence *other,
                       unsigned other_loop, const pm_affine_expr *other_values, unsigned shared,
                       int64_t *later) {
  int64_t low, high, trips = poly_most_trips(other, other_loop, other_values);
  isl_map *mine = member_map(o, loop), *others = member_map(other, other_loop);
  bool found = mine && others && trips;
  if (found) {
    isl_map *from = isl_map_apply_range(poly_executed_in(other, shared), isl_map_copy(others));
    isl_map *to = isl_map_apply_range(poly_executed_in(o, shared), isl_map_copy(mine));
    isl_set *differences = isl_set_remove_divs(isl_map_deltas(isl_map_apply_domain(to, from)));
    found = linear_dim_range(differences, 0, &low, &high) == LINEAR_FOUND;
    if (found) *later = low + trips - 1;
    isl_set_free(differences);
  }
  isl_map_free(mine);
  isl_map_free(others);
  return found;
}
