#include "dialects/stage/analyses/estimates.h"

#include "dialects/isl/linear.h"

#include <isl/ilp.h>
#include <isl/map.h>
#include <isl/mat.h>
#include <isl/set.h>
#include <isl/val.h>
#include <math.h>
#include <string.h>

/* `before`: those of the params before it. */
static int64_t find_estimate(const pm_op *param, const int64_t *before, int64_t usual) {
  int64_t value;
  if (pm_attr_at(param, stage_param_derived)) return stage_derive(param, before, &value) ? value : usual;
  return pm_attr_at(param, stage_param_estimate) ? pm_int_at(param, stage_param_estimate) : usual;
}

int64_t stage_estimate_of(const stage_graph *graph, size_t param, int64_t usual) {
  struct stage_estimates *known = graph->estimates;
  for (; known->n <= param || known->usual != usual; known->n++) {
    if (known->usual != usual) known->n = 0;
    known->usual = usual;
    known->values[known->n] = find_estimate(graph->params.data[known->n], known->values, usual);
  }
  return known->values[param];
}

static int64_t estimate_of(const stage_graph *graph, const char *param, int64_t usual) {
  for (size_t i = 0; i < graph->params.len; i++)
    if (strcmp(pm_sym_at(graph->params.data[i], stage_param_sym)->text, param) == 0)
      return stage_estimate_of(graph, i, usual);
  return usual;
}

/* Beyond so many, isl takes less for all at once than for one after the other. */
enum { FEW_PARAMS = 6 };

static bool has_param(isl_set *set, unsigned i) {
  return isl_set_involves_dims(set, isl_dim_param, i, 1) != isl_bool_false;
}

static isl_val *value_at_estimates(const stage_graph *graph, isl_set *set, unsigned i, int64_t usual) {
  int64_t value = estimate_of(graph, isl_set_get_dim_name(set, isl_dim_param, i), usual);
  return isl_val_int_from_si(graph->isl, (long)value);
}

/* Each of the n params that the set has is its estimate: a row of a matrix, over 1 and all params. */
static isl_set *estimates_for(const stage_graph *graph, isl_set *set, unsigned n, int64_t usual) {
  unsigned n_params = (unsigned)isl_set_dim(set, isl_dim_param), row = 0;
  isl_mat *equal = isl_mat_alloc(graph->isl, n, n_params + 1),
          *none = isl_mat_alloc(graph->isl, 0, n_params + 1);
  for (unsigned i = 0; i < n_params; i++) {
    if (!has_param(set, i)) continue;
    for (unsigned k = 0; k < n_params; k++)
      equal = isl_mat_set_element_si(equal, (int)row, (int)k + 1, k == i ? -1 : 0);
    equal = isl_mat_set_element_val(equal, (int)row++, 0, value_at_estimates(graph, set, i, usual));
  }
  isl_space *params = isl_space_params(isl_set_get_space(set));
  return isl_set_from_basic_set(isl_basic_set_from_constraint_matrices(
      params, equal, none, isl_dim_cst, isl_dim_param, isl_dim_set, isl_dim_div));
}

__isl_give isl_set *stage_at_estimates(const stage_graph *graph, __isl_take isl_set *set, int64_t usual) {
  unsigned n_params = (unsigned)isl_set_dim(set, isl_dim_param), n = 0;
  for (unsigned i = 0; i < n_params; i++) n += has_param(set, i);
  if (n > FEW_PARAMS) {
    isl_set *estimates = estimates_for(graph, set, n, usual);
    return linear_intersect_params(set, isl_set_params(estimates));
  }
  for (unsigned i = n_params; i-- > 0;)
    if (has_param(set, i))
      set = isl_set_fix_val(set, isl_dim_param, i, value_at_estimates(graph, set, i, usual));
  return set;
}

__isl_give isl_map *stage_map_at_estimates(const stage_graph *graph, __isl_take isl_map *map, int64_t usual) {
  return isl_set_unwrap(stage_at_estimates(graph, isl_map_wrap(map), usual));
}

double stage_extent(__isl_keep isl_set *set, unsigned d) {
  int64_t low, high;
  if (linear_dim_range(set, d, &low, &high) == LINEAR_FOUND) return (double)(high - low + 1);
  isl_set *box = isl_set_remove_divs(isl_set_copy(set));
  bool empty = isl_set_is_empty(box) == isl_bool_true;
  isl_val *lo = isl_set_dim_min_val(isl_set_copy(box), (int)d);
  isl_val *hi = isl_set_dim_max_val(box, (int)d);
  bool bounded = isl_val_is_int(lo) == isl_bool_true && isl_val_is_int(hi) == isl_bool_true;
  double n = empty ? 0 : bounded ? isl_val_get_d(hi) - isl_val_get_d(lo) + 1 : HUGE_VAL;
  isl_val_free(lo);
  isl_val_free(hi);
  return n;
}
