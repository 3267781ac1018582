#include "dialects/stage/analyses/estimates.h"

#include "dialects/isl/linear.h"

#include <isl/ilp.h>
#include <isl/val.h>
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

__isl_give isl_map *stage_map_at_estimates(const stage_graph *graph, __isl_take isl_map *map, int64_t usual) {
  for (unsigned i = (unsigned)isl_map_dim(map, isl_dim_param); i-- > 0;) {
    int64_t value = estimate_of(graph, isl_map_get_dim_name(map, isl_dim_param, i), usual);
    map = isl_map_fix_val(map, isl_dim_param, i, isl_val_int_from_si(graph->isl, (long)value));
  }
  return map;
}

__isl_give isl_set *stage_at_estimates(const stage_graph *graph, __isl_take isl_set *set, int64_t usual) {
  for (unsigned i = (unsigned)isl_set_dim(set, isl_dim_param); i-- > 0;) {
    int64_t value = estimate_of(graph, isl_set_get_dim_name(set, isl_dim_param, i), usual);
    set = isl_set_fix_val(set, isl_dim_param, i, isl_val_int_from_si(graph->isl, (long)value));
  }
  return set;
}

double stage_extent(__isl_keep isl_set *set, unsigned d) {
  int64_t low, high;
  if (linear_dim_range(set, d, &low, &high) == LINEAR_FOUND) return (double)(high - low + 1);
  if (isl_set_is_empty(set) == isl_bool_true) return 0;
  isl_val *lo = isl_set_dim_min_val(isl_set_copy(set), (int)d);
  isl_val *hi = isl_set_dim_max_val(isl_set_copy(set), (int)d);
  double n = isl_val_get_d(hi) - isl_val_get_d(lo) + 1;
  isl_val_free(lo);
  isl_val_free(hi);
  return n;
}
