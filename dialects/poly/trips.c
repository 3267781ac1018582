#include "dialects/poly/trips.h"

#include "dialects/isl/linear.h"
#include "dialects/poly/lower/loop_bounds.h"
#include "dialects/poly/tree.h"

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
static unsigned only_dim(const int64_t *factors, unsigned n) {
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
  *c = (counting){linear ? only_dim(factors, n) : n, 0, divided ? function->rhs->value : 1};
  if (c->coord < n) c->factor = factors[c->coord];
  free(factors);
  return c->factor > 0;
}

/* Values of a coordinate that are brought at once are at most so far apart; INT64_MAX: nobody knows. */
static int64_t brought_apart(const poly_occurrence *o, unsigned coord) {
  int64_t difference;
  isl_map *map = isl_map_copy(o->brought);
  unsigned n_params = (unsigned)isl_map_dim(map, isl_dim_param);
  map =
      isl_map_move_dims(map, isl_dim_param, n_params, isl_dim_in, 0, (unsigned)isl_map_dim(map, isl_dim_in));
  isl_set *set = isl_map_range(map);
  bool found = linear_greatest_difference(set, coord, &difference) == LINEAR_FOUND;
  isl_set_free(set);
  return found ? difference : INT64_MAX;
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
