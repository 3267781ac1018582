/* Builders of the dialect's ops. */
#include "dialects/stage/stage.h"

#include "dialects/arith/arith.h"

#include <stdlib.h>

static pm_attr symbol(const pm_builder *b, pm_string name) {
  return pm_get_symbol(pm_module_context(b->module), name);
}

static pm_attr word(const pm_builder *b, const char *text) {
  return text ? pm_get_string_attr(pm_module_context(b->module), pm_str_of(text)) : NULL;
}

static pm_op *build(pm_builder *b, const pm_op_desc *desc, const pm_attr *attrs) {
  return pm_build(b, desc, NULL, 0, NULL, 0, attrs);
}

pm_op *stage_build_pipeline(pm_builder *b, pm_string name, pm_attr context, const char *fp) {
  pm_attr attrs[stage_pipeline_N_ATTRS] = {[stage_pipeline_sym] = symbol(b, name),
                                           [stage_pipeline_context] = context,
                                           [stage_pipeline_fp] = word(b, fp)};
  return build(b, &stage_pipeline, attrs);
}

pm_value *stage_build_param(pm_builder *b, pm_string name, pm_type type) {
  pm_attr attrs[stage_param_N_ATTRS] = {[stage_param_sym] = symbol(b, name)};
  pm_value *value = pm_res(pm_build(b, &stage_param, NULL, 0, &type, 1, attrs), 0);
  value->name = name;
  return value;
}

pm_string stage_unused_name(const pm_op *array, const char *end) {
  pm_context *ctx = pm_op_context(array);
  pm_buf text = {0};
  pm_buf_printf(&text, "%s_%s", stage_name_of(array)->text, end);
  while (pm_lookup_symbol(array->region, pm_get_cstring(ctx, text.data))) pm_buf_putc(&text, '_');
  pm_string name = pm_get_cstring(ctx, text.data);
  pm_buf_free(&text);
  return name;
}

pm_affine_map stage_own_point(pm_context *ctx, unsigned n_dims) {
  pm_affine_expr *dims = pm_xcalloc(n_dims + 1, sizeof *dims);
  for (unsigned d = 0; d < n_dims; d++) dims[d] = pm_affine_dim(ctx, d);
  pm_affine_map map = pm_get_affine_map(ctx, n_dims, 0, dims, n_dims);
  free(dims);
  return map;
}

pm_op *stage_build_input(pm_builder *b, pm_string name, pm_type type, pm_attr domain, pm_attr boundary) {
  pm_attr attrs[stage_input_N_ATTRS] = {[stage_input_sym] = symbol(b, name),
                                        [stage_input_type] = pm_get_type_attr(type),
                                        [stage_input_domain] = domain,
                                        [stage_input_boundary] = boundary};
  return build(b, &stage_input, attrs);
}

pm_op *stage_build_constant(pm_builder *b, pm_string name, pm_attr values, pm_attr boundary) {
  pm_attr attrs[stage_constant_N_ATTRS] = {[stage_constant_sym] = symbol(b, name),
                                           [stage_constant_values] = values,
                                           [stage_constant_boundary] = boundary};
  return build(b, &stage_constant, attrs);
}

pm_op *stage_build_func(pm_builder *b, pm_string name, pm_type type, pm_attr domain, pm_attr fallback) {
  pm_attr attrs[stage_func_N_ATTRS] = {[stage_func_sym] = symbol(b, name),
                                       [stage_func_type] = pm_get_type_attr(type),
                                       [stage_func_domain] = domain,
                                       [stage_func_default] = fallback};
  return build(b, &stage_func, attrs);
}

static pm_builder end_of_func(pm_op *func, pm_loc loc) {
  return pm_builder_at_end(pm_module_of(func), pm_region_at(func, stage_func_cases), loc);
}

pm_op *stage_build_case(pm_op *func, pm_loc loc, pm_attr set) {
  pm_attr attrs[stage_case_N_ATTRS] = {[stage_case_set] = set};
  pm_builder b = end_of_func(func, loc);
  return build(&b, &stage_case, attrs);
}

pm_op *stage_build_update(pm_op *func, pm_loc loc, pm_attr set) {
  pm_attr attrs[stage_update_N_ATTRS] = {[stage_update_set] = set};
  pm_builder b = end_of_func(func, loc);
  return build(&b, &stage_update, attrs);
}

pm_region *stage_begin_body(pm_op *op, const pm_string *names, unsigned n_dims) {
  pm_region *body = pm_region_at(op, pm_is(op, &stage_case) ? stage_case_body : stage_update_body);
  for (unsigned d = 0; d < n_dims; d++) pm_add_arg(body, pm_get_index(pm_op_context(op)), names[d]);
  return body;
}

pm_value *stage_build_read(pm_builder *b, pm_string stage, pm_type type, pm_affine_map map,
                           pm_value *const *operands, pm_attr boundary) {
  pm_attr attrs[stage_read_N_ATTRS] = {[stage_read_stage] = symbol(b, stage),
                                       [stage_read_map] = pm_get_map_attr(map),
                                       [stage_read_boundary] = boundary};
  unsigned n = pm_tuple_len(type);
  pm_type *types = pm_xcalloc(n, sizeof(*types));
  for (unsigned i = 0; i < n; i++) types[i] = pm_tuple_at(type, i);
  pm_op *read = pm_build(b, &stage_read, operands, map->n_dims, types, n, attrs);
  free(types);
  return pm_res(read, 0);
}

void stage_build_guard(pm_builder *b, pm_value *condition) {
  pm_build(b, &stage_guard, &condition, 1, NULL, 0, NULL);
}

void stage_build_yield(pm_builder *b, pm_value *const *values, unsigned n) {
  pm_build(b, &stage_yield, values, n, NULL, 0, NULL);
}

pm_op *stage_build_combine(pm_builder *b, const char *how, pm_affine_map map, pm_value *const *args,
                           unsigned n_args) {
  pm_attr attrs[stage_combine_N_ATTRS] = {
      [stage_combine_kind] = word(b, how), [stage_combine_map] = pm_get_map_attr(map)};
  return pm_build(b, &stage_combine, args, n_args, NULL, 0, attrs);
}

pm_value *stage_build_better(pm_builder *b, const pm_op *combine, pm_value *const *values,
                             pm_value *const *cells) {
  stage_combine_op op = STAGE_ARGMIN;
  pm_value *better = NULL, *equal = NULL;
  for (unsigned i = 0; i < stage_combine_len(combine); i++) {
    stage_combine_op_of(combine, i, &op);
    pm_value *here = arith_build_cmp(b, op == STAGE_ARGMAX ? ARITH_GT : ARITH_LT, values[i], cells[i]);
    if (equal) here = pm_build_binary(b, &arith_andi, equal, here);
    better = better ? pm_build_binary(b, &arith_ori, better, here) : here;
    if (i + 1 == stage_combine_len(combine)) break;
    pm_value *same = arith_build_cmp(b, ARITH_EQ, values[i], cells[i]);
    equal = equal ? pm_build_binary(b, &arith_andi, equal, same) : same;
  }
  return better;
}

pm_op *stage_build_output(pm_builder *b, pm_string stage) {
  pm_attr attrs[stage_output_N_ATTRS] = {[stage_output_stage] = symbol(b, stage)};
  return build(b, &stage_output, attrs);
}
