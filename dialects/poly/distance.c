#include "dialects/poly/distance.h"

#include <isl/ilp.h>
#include <isl/val.h>

/* Takes the value; false when it is not a number of moderate size. */
static bool small_int(__isl_take isl_val *val, int64_t *out) {
  bool ok = isl_val_is_int(val) == isl_bool_true && isl_val_cmp_si(val, INT32_MAX) < 0 &&
            isl_val_cmp_si(val, -INT32_MAX) > 0;
  if (ok) *out = isl_val_get_num_si(val);
  isl_val_free(val);
  return ok;
}

static bool widen(isl_set *deltas, unsigned dim, int64_t *min, int64_t *max) {
  isl_local_space *local = isl_local_space_from_space(isl_set_get_space(deltas));
  isl_aff *coordinate = isl_aff_var_on_domain(local, isl_dim_set, dim);
  int64_t lo = 0, hi = 0;
  bool ok = small_int(isl_set_min_val(deltas, coordinate), &lo) &&
            small_int(isl_set_max_val(deltas, coordinate), &hi);
  isl_aff_free(coordinate);
  if (lo < *min) *min = lo;
  if (hi > *max) *max = hi;
  return ok;
}

bool poly_widen_distances(isl_map *relation, isl_map *consumer, isl_map *producer, unsigned n, int64_t *min,
                          int64_t *max) {
  return poly_widen_distances_but_free(relation, consumer, producer, n, min, max, NULL);
}

/* Notes the dimension as free when the producer lacks it. */
static bool is_free(isl_map *producer, unsigned n, unsigned dim, bool *free) {
  if (!free || poly_has_dimension(producer, n, dim)) return false;
  return free[dim] = true;
}

bool poly_widen_distances_but_free(isl_map *relation, isl_map *consumer, isl_map *producer, unsigned n,
                                   int64_t *min, int64_t *max, bool *free) {
  isl_map *common = isl_map_apply_domain(isl_map_copy(relation), isl_map_copy(consumer));
  common = isl_map_apply_range(common, isl_map_copy(producer));
  isl_set *deltas = isl_set_project_out_all_params(isl_map_deltas(common));
  bool bounded = true;
  if (isl_set_is_empty(deltas) != isl_bool_true)
    for (unsigned d = 0; d < n; d++)
      bounded = (widen(deltas, d, &min[d], &max[d]) || is_free(producer, n, d, free)) && bounded;
  isl_set_free(deltas);
  return bounded;
}

bool poly_has_dimension(isl_map *schedule, unsigned n, unsigned dim) {
  isl_map *one = isl_map_project_out(isl_map_copy(schedule), isl_dim_out, dim + 1, n - dim - 1);
  one = isl_map_project_out(one, isl_dim_out, 0, dim);
  isl_val *constant = isl_map_plain_get_val_if_fixed(one, isl_dim_out, 0);
  bool fixed = isl_val_is_int(constant) == isl_bool_true;
  isl_val_free(constant);
  isl_map_free(one);
  return !fixed;
}
