/* What a caller passes to a pipeline: the arguments of the emitted function and the boxes of its arrays. */
#include "dialects/stage/analyses/graph.h"

#include "dialects/isl/take.h"

#include <isl/aff.h>
#include <isl/ilp.h>
#include <isl/map.h>
#include <isl/val.h>

static unsigned rank_of(const pm_op *op) {
  return (unsigned)isl_set_dim(isl_peek_set(stage_domain_of(op)), isl_dim_set);
}

static pm_string output_name(const pm_op *op) {
  return pm_sym_at(op, stage_output_stage);
}

static void add_arrays(stage_signature *sig, pm_op *pipeline, const pm_op *output) {
  pm_op *func = pm_lookup_symbol(pm_region_at(pipeline, stage_pipeline_body), output_name(output));
  pm_type type = stage_type_of(func);
  for (unsigned i = 0; i < pm_tuple_len(type); i++)
    PM_VEC_PUSH(sig->outputs, ((stage_arg){func, stage_element_name(func, i), pm_tuple_at(type, i), i,
                                           rank_of(func), pm_attr_at(output, stage_output_order)}));
}

void stage_signature_get(pm_op *pipeline, stage_signature *out) {
  *out = (stage_signature){.name = pm_sym_at(pipeline, stage_pipeline_sym)};
  PM_FOR_OPS(op, pm_region_at(pipeline, stage_pipeline_body)) {
    if (pm_is(op, &stage_param) && !pm_attr_at(op, stage_param_derived))
      PM_VEC_PUSH(out->params,
                  ((stage_arg){op, pm_sym_at(op, stage_param_sym), pm_res(op, 0)->type, 0, 0, NULL}));
    else if (pm_is(op, &stage_input))
      PM_VEC_PUSH(out->inputs, ((stage_arg){op, stage_name_of(op), stage_type_of(op), 0, rank_of(op), NULL}));
    else if (pm_is(op, &stage_output))
      add_arrays(out, pipeline, op);
  }
}

void stage_signature_free(stage_signature *sig) {
  PM_VEC_FREE(sig->params);
  PM_VEC_FREE(sig->inputs);
  PM_VEC_FREE(sig->outputs);
}

unsigned stage_dim_of(pm_attr order, unsigned d) {
  return order ? (unsigned)order->items[d]->i : d;
}

/* --- derived params --- */

isl_set *stage_param_function(const pm_op *param) {
  pm_attr derived = pm_is(param, &stage_param) ? pm_attr_at(param, stage_param_derived) : NULL;
  if (!derived) return NULL;
  const char *name = pm_sym_at(param, stage_param_sym)->text;
  isl_set *set = isl_set_reset_tuple_id(isl_set_copy(isl_peek_set(derived)));
  set = isl_set_move_dims(set, isl_dim_param, (unsigned)isl_set_dim(set, isl_dim_param), isl_dim_set, 0, 1);
  return isl_set_params(
      isl_set_set_dim_name(set, isl_dim_param, (unsigned)isl_set_dim(set, isl_dim_param) - 1, name));
}

bool stage_check_derived(const pm_op *param, const pm_map *symbols) {
  pm_attr derived = pm_attr_at(param, stage_param_derived);
  if (!derived) return true;
  isl_set *set = isl_peek_set(derived);
  if (!set) return pm_op_error(param, "is derived from %pA; it should be an isl.set", (const void *)derived);
  if (!pm_is_int(pm_res(param, stage_param_value)->type))
    return pm_op_error(param, "is derived, but no integer");
  if (isl_set_dim(set, isl_dim_set) != 1)
    return pm_op_error(param, "is derived from a set of %d dimensions; it should have one",
                       (int)isl_set_dim(set, isl_dim_set));
  for (unsigned i = 0; i < (unsigned)isl_set_dim(set, isl_dim_param); i++) {
    const char *name = isl_set_get_dim_name(set, isl_dim_param, i);
    const pm_op *of = pm_map_get(symbols, pm_get_cstring(pm_op_context(param), name));
    if (!pm_is(of, &stage_param) || of == param)
      return pm_op_error(param, "is derived from %s, which is no stage.param before it", name);
  }
  isl_map *function = isl_map_from_range(isl_set_copy(set));
  bool single = isl_map_is_single_valued(function) == isl_bool_true;
  isl_map_free(function);
  return single || pm_op_error(param, "is derived from a set that has several numbers for some params");
}

static int position_of(isl_set *set, const pm_op *param) {
  return isl_set_find_dim_by_name(set, isl_dim_param, pm_sym_at(param, stage_param_sym)->text);
}

/* The last param of the pipeline that the set knows; no further op is looked at. */
static const pm_op *last_param(const pm_op *pipeline, isl_set *set) {
  unsigned left = (unsigned)isl_set_dim(set, isl_dim_param);
  const pm_op *last = NULL;
  for (const pm_op *op = pm_region_at(pipeline, stage_pipeline_body)->first; op && left > 0; op = op->next)
    if (pm_is(op, &stage_param) && position_of(set, op) >= 0) {
      last = op;
      left--;
    }
  return last;
}

/* The last ones first: each may be derived of those before. */
isl_set *stage_without_derived(const pm_op *pipeline, isl_set *set) {
  for (const pm_op *op = last_param(pipeline, set); op; op = pm_prev(op)) {
    if (!pm_is(op, &stage_param) || !pm_attr_at(op, stage_param_derived) || position_of(set, op) < 0)
      continue;
    set = isl_set_intersect_params(set, stage_param_function(op));
    set = isl_set_coalesce(isl_set_project_out(set, isl_dim_param, (unsigned)position_of(set, op), 1));
  }
  return set;
}

/* --- boxes --- */

pm_string stage_box_of(const pm_op *pipeline, pm_string output) {
  PM_FOR_OPS(op, pm_region_at(pipeline, stage_pipeline_body))
  if (pm_is(op, &stage_output) && pm_sym_at(op, stage_output_stage) == output &&
      pm_attr_at(op, stage_output_box))
    return pm_sym_at(op, stage_output_box);
  return output;
}

static isl_val *param_value(isl_ctx *isl, const pm_op *param, int64_t value) {
  if (pm_res(param, 0)->type->scalar == PM_U64) return isl_val_int_from_ui(isl, (unsigned long)value);
  return isl_val_int_from_si(isl, (long)value);
}

static isl_set *with_value(isl_set *set, const pm_op *param, int64_t value) {
  int at = position_of(set, param);
  return at < 0 ? set
                : isl_set_fix_val(set, isl_dim_param, (unsigned)at,
                                  param_value(isl_set_get_ctx(set), param, value));
}

bool stage_derive(const pm_op *param, const int64_t *before, int64_t *value) {
  isl_set *numbers = isl_set_copy(isl_peek_set(pm_attr_at(param, stage_param_derived)));
  const pm_op *pipeline = pm_parent((pm_op *)param);
  size_t i = 0;
  for (const pm_op *op = pm_region_at(pipeline, stage_pipeline_body)->first; op != param; op = op->next)
    if (pm_is(op, &stage_param)) numbers = with_value(numbers, op, before[i++]);
  return isl_take_int_below(isl_set_dim_max_val(numbers, 0), (int64_t)1 << STAGE_COORDINATE_BITS, value);
}

/* `set` (taken) at the given values; looks no further in the pipeline than the last param that the set knows.
 */
static isl_set *fix_params(pm_op *pipeline, isl_set *set, const int64_t *params) {
  const pm_op *last = last_param(pipeline, set);
  PM_VEC(int64_t) values = {0};
  for (pm_op *op = pm_region_at(pipeline, stage_pipeline_body)->first; last && op != last->next;
       op = op->next) {
    if (!pm_is(op, &stage_param)) continue;
    int64_t value = 0;
    if (!pm_attr_at(op, stage_param_derived))
      value = *params++;
    else
      (void)stage_derive(op, values.data, &value);
    PM_VEC_PUSH(values, value);
    set = with_value(set, op, value);
  }
  PM_VEC_FREE(values);
  return set;
}

static bool dim_bounds(isl_set *set, unsigned dim, int64_t *lower, int64_t *extent) {
  int64_t low = 0, high = 0;
  if (!isl_take_int_below(isl_set_dim_min_val(isl_set_copy(set), (int)dim),
                          (int64_t)1 << STAGE_COORDINATE_BITS, &low))
    return false;
  if (!isl_take_int_below(isl_set_dim_max_val(isl_set_copy(set), (int)dim),
                          (int64_t)1 << STAGE_COORDINATE_BITS, &high))
    return false;
  *lower = low;
  *extent = high - low + 1;
  return true;
}

/* Parts without points at the given values are left out: isl takes some of them for points in an extreme. */
static isl_set *domain_at(pm_op *pipeline, const pm_op *array, const int64_t *params) {
  return isl_set_coalesce(fix_params(pipeline, isl_set_copy(isl_peek_set(stage_domain_of(array))), params));
}

bool stage_box_at(pm_op *pipeline, pm_op *array, const int64_t *params, int64_t *extents, int64_t *lower) {
  isl_set *set = domain_at(pipeline, array, params);
  unsigned n = (unsigned)isl_set_dim(set, isl_dim_set);
  bool empty = isl_set_is_empty(set) == isl_bool_true, ok = true;
  for (unsigned i = 0; ok && i < n; i++) {
    int64_t low = 0, extent = 0;
    ok = empty || dim_bounds(set, i, &low, &extent);
    extents[i] = extent;
    if (lower) lower[i] = low;
  }
  isl_set_free(set);
  if (ok) return true;
  return pm_op_error(
      array, "has a domain without bounds, or a coordinate of more than %d bits, for these parameters",
      STAGE_COORDINATE_BITS);
}

/* The bound, taken, is one number wherever there are points. */
static bool is_number(isl_pw_aff *bound, isl_val *number) {
  isl_aff *same = isl_aff_val_on_domain_space(isl_pw_aff_get_domain_space(bound), isl_val_copy(number));
  isl_set *other = isl_pw_aff_ne_set(bound, isl_pw_aff_from_aff(same));
  bool is = isl_set_is_empty(other) == isl_bool_true;
  isl_set_free(other);
  return is;
}

bool stage_is_of_planes(isl_set *domain, unsigned d) {
  isl_val *first = isl_set_dim_min_val(isl_set_copy(domain), (int)d),
          *last = isl_set_dim_max_val(isl_set_copy(domain), (int)d);
  bool few = isl_val_is_int(first) == isl_bool_true && isl_val_is_int(last) == isl_bool_true &&
             is_number(isl_set_dim_min(isl_set_copy(domain), (int)d), first) &&
             is_number(isl_set_dim_max(isl_set_copy(domain), (int)d), last);
  isl_val *span = isl_val_sub(last, first);
  few = few && isl_val_cmp_si(span, STAGE_MOST_PLANES) < 0;
  isl_val_free(span);
  return few;
}
