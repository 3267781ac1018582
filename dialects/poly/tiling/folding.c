#include "dialects/poly/tiling/folding.h"

#include <isl/constraint.h>

static int64_t fold_of(const pm_op *alloc, unsigned d) {
  pm_attr fold = pm_attr_at(alloc, poly_alloc_fold);
  return fold ? fold->items[d]->i : 0;
}

bool poly_alloc_is_folded(const pm_op *alloc) {
  pm_attr fold = pm_attr_at(alloc, poly_alloc_fold);
  for (uint32_t d = 0; fold && d < fold->len; d++)
    if (fold_of(alloc, d)) return true;
  return false;
}

/* { p -> p' : sign (p'_d - p_d) >= least } */
static __isl_give isl_map *add_distance(__isl_take isl_map *pairs, unsigned d, int sign, int64_t least) {
  isl_local_space *local = isl_local_space_from_space(isl_map_get_space(pairs));
  isl_constraint *far = isl_constraint_alloc_inequality(local);
  far = isl_constraint_set_coefficient_si(far, isl_dim_out, (int)d, sign);
  far = isl_constraint_set_coefficient_si(far, isl_dim_in, (int)d, -sign);
  far = isl_constraint_set_constant_val(far, isl_val_int_from_si(isl_map_get_ctx(pairs), (long)-least));
  return isl_map_add_constraint(pairs, far);
}

/* The pairs of points that agree where nothing is folded. */
static __isl_give isl_map *agreeing(const pm_op *alloc, __isl_take isl_space *points) {
  isl_map *pairs = isl_map_universe(isl_space_map_from_set(points));
  unsigned n = (unsigned)isl_map_dim(pairs, isl_dim_in);
  for (unsigned d = 0; d < n; d++)
    if (!fold_of(alloc, d)) pairs = isl_map_equate(pairs, isl_dim_in, (int)d, isl_dim_out, (int)d);
  return pairs;
}

__isl_give isl_map *poly_turn_apart(const pm_op *alloc, __isl_take isl_space *points) {
  isl_map *pairs = agreeing(alloc, points), *apart = isl_map_empty(isl_map_get_space(pairs));
  unsigned n = (unsigned)isl_map_dim(pairs, isl_dim_in);
  for (unsigned d = 0; d < n; d++) {
    if (!fold_of(alloc, d)) continue;
    apart = isl_map_union(apart, add_distance(isl_map_copy(pairs), d, 1, fold_of(alloc, d)));
    apart = isl_map_union(apart, add_distance(isl_map_copy(pairs), d, -1, fold_of(alloc, d)));
  }
  isl_map_free(pairs);
  return apart;
}

/* { p -> p' : p'_d and p_d are the same modulo `fold` } */
static __isl_give isl_map *congruent(__isl_take isl_space *points, unsigned d, int64_t fold) {
  isl_val *size = isl_val_int_from_si(isl_space_get_ctx(points), (long)fold);
  isl_aff *cell = isl_aff_var_on_domain(isl_local_space_from_space(points), isl_dim_set, d);
  isl_map *cells = isl_map_from_aff(isl_aff_mod_val(cell, size));
  return isl_map_apply_range(cells, isl_map_reverse(isl_map_copy(cells)));
}

__isl_give isl_map *poly_same_cell(const pm_op *alloc, __isl_take isl_space *points) {
  isl_map *same = poly_turn_apart(alloc, isl_space_copy(points));
  unsigned n = (unsigned)isl_map_dim(same, isl_dim_in);
  for (unsigned d = 0; d < n; d++)
    if (fold_of(alloc, d))
      same = isl_map_intersect(same, congruent(isl_space_copy(points), d, fold_of(alloc, d)));
  isl_space_free(points);
  return same;
}
