/* The pipeline's ops: parameters, inputs, stages with their cases, outputs. */
#include "frontends/polymage/lower.h"

#include <isl/map.h>
#include <isl/set.h>
#include <stdlib.h>
#include <string.h>

#include "dialects/arith/arith.h"
#include "dialects/isl/isl_dialect.h"
#include "dialects/stage/boundary.h"
#include "dialects/stage/analyses/graph.h"
#include "ir/verify.h"

static void lower_params(lowering *l) {
  for (size_t i = 0; i < l->program->symbols.len; i++) {
    const dsl_symbol *s = l->program->symbols.data[i];
    if (s->kind != DSL_PARAMETER) continue;
    l->builder.loc = s->loc;
    pm_type type = pm_get_scalar(l->ctx, s->type);
    pm_attr attrs[stage_param_N_ATTRS] = {[stage_param_sym] = pm_get_symbol(l->ctx, s->name)};
    pm_value *value = pm_res(pm_build(&l->builder, &stage_param, NULL, 0, &type, 1, attrs), 0);
    value->name = s->name;
    pm_map_set(l->params, s, value);
  }
}

static void lower_inputs(lowering *l) {
  for (size_t i = 0; i < l->program->symbols.len; i++) {
    const dsl_symbol *s = l->program->symbols.data[i];
    if (s->kind != DSL_IMAGE) continue;
    pm_attr domain = lower_image_domain(l, s);
    l->failed |= !domain;
    if (!domain) continue;
    l->builder.loc = s->loc;
    pm_attr attrs[stage_input_N_ATTRS] = {[stage_input_sym] = pm_get_symbol(l->ctx, s->name),
                                          [stage_input_type] =
                                              pm_get_type_attr(pm_get_scalar(l->ctx, s->type)),
                                          [stage_input_domain] = domain,
                                          [stage_input_boundary] = lower_boundary(l, s)};
    pm_build(&l->builder, &stage_input, NULL, 0, NULL, 0, attrs);
  }
}

static bool lower_guards_of(lowering *l, const lower_guards *guards) {
  for (size_t i = 0; i < guards->len; i++) {
    pm_value *condition = lower_condition(l, guards->data[i]);
    if (!condition) return false;
    l->builder.loc = guards->data[i]->loc;
    pm_build(&l->builder, &stage_guard, &condition, 1, NULL, 0, NULL);
  }
  return true;
}

/* Makes the op the body at work; the builder that was is the result. */
static pm_builder enter_body(lowering *l, pm_op *op, pm_region *body) {
  pm_builder outside = l->builder;
  for (unsigned d = 0; d < l->domain->n_dims; d++) pm_add_arg(body, pm_get_index(l->ctx), l->dims[d]);
  l->case_body = body;
  l->case_stamp++;
  l->builder = pm_builder_at_end(l->module, body, op->loc);
  return outside;
}

static void yield(lowering *l, pm_loc loc, pm_value *value) {
  l->builder.loc = loc;
  pm_build(&l->builder, &stage_yield, &value, 1, NULL, 0, NULL);
}

static bool lower_value_of(lowering *l, const dsl_case *branch, const lower_guards *guards) {
  if (!lower_guards_of(l, guards)) return false;
  pm_value *value = lower_value(l, branch->value, pm_get_scalar(l->ctx, l->stage->type));
  if (value) yield(l, branch->loc, value);
  return value != NULL;
}

static pm_op *new_case(lowering *l, pm_op *func, pm_loc loc, pm_attr set) {
  pm_builder outside = pm_builder_at_end(l->module, pm_region_at(func, stage_func_cases), loc);
  pm_attr attrs[stage_case_N_ATTRS] = {[stage_case_set] = set};
  return pm_build(&outside, &stage_case, NULL, 0, NULL, 0, attrs);
}

/* The case's op; *set becomes its set, or NULL when a test at each point cuts it further. */
static pm_op *lower_case(lowering *l, pm_op *func, pm_attr domain, const dsl_case *branch, pm_attr *set) {
  lower_guards guards = {0};
  pm_op *op = NULL;
  bool ok = false;
  *set = lower_case_set(l, domain, branch, &guards);
  if (*set) {
    op = new_case(l, func, branch->loc, *set);
    pm_builder outside = enter_body(l, op, pm_region_at(op, stage_case_body));
    ok = lower_value_of(l, branch, &guards);
    l->builder = outside;
  }
  if (guards.len > 0) *set = NULL;
  PM_VEC_FREE(guards);
  return ok ? op : NULL;
}

/* The constant that a case is everywhere, or NULL. */
static pm_attr constant_of_case(const pm_op *op) {
  const pm_op *yield = pm_terminator(pm_region_at(op, stage_case_body));
  return yield ? pm_constant_value(pm_arg(yield, 0)) : NULL;
}

/* Borders of published programs meet in the corners with one value: the later case gives way. */
static bool give_way(lowering *l, const pm_op *a, pm_attr set_a, pm_op *b, pm_attr *set_b) {
  pm_attr value = constant_of_case(a);
  if (!value || value != constant_of_case(b) || !set_a || !*set_b) return false;
  isl_set *rest = isl_set_subtract(isl_set_copy(isl_peek_set(*set_b)), isl_set_copy(isl_peek_set(set_a)));
  *set_b = isl_attr_of_set(l->ctx, isl_set_coalesce(rest));
  pm_set_attr(b, stage_case_set, *set_b);
  return true;
}

static bool check_overlaps(lowering *l, const dsl_symbol *stage, pm_op *const *ops, pm_attr *sets) {
  for (size_t b = 1; b < stage->cases.len; b++)
    for (size_t a = 0; a < b; a++)
      if (!lower_is_disjoint(l, sets[a], sets[b]) && !give_way(l, ops[a], sets[a], ops[b], &sets[b]) &&
          !lower_check_disjoint(l, stage->cases.data[a], sets[a], stage->cases.data[b], sets[b]))
        return false;
  return true;
}

static bool lower_cases(lowering *l, const dsl_symbol *stage, pm_op *func, pm_attr domain) {
  pm_attr *sets = pm_xcalloc(stage->cases.len + 1, sizeof(*sets));
  pm_op **ops = pm_xcalloc(stage->cases.len + 1, sizeof(pm_op *));
  bool ok = true;
  for (size_t i = 0; i < stage->cases.len; i++) {
    ops[i] = lower_case(l, func, domain, stage->cases.data[i], &sets[i]);
    ok = ok && ops[i];
  }
  ok = ok && check_overlaps(l, stage, ops, sets);
  free(sets);
  free(ops);
  return ok;
}

/* --- updates --- */

static bool is_logical(const dsl_case *update) {
  return strcmp(update->combine, "and") == 0 || strcmp(update->combine, "or") == 0;
}

static void combine(lowering *l, const dsl_case *update, pm_affine_map map, const lower_values *operands) {
  pm_attr attrs[stage_combine_N_ATTRS] = {[stage_combine_kind] =
                                              pm_get_string_attr(l->ctx, pm_str_of(update->combine)),
                                          [stage_combine_map] = pm_get_map_attr(map)};
  l->builder.loc = update->loc;
  pm_build(&l->builder, &stage_combine, operands->data, (unsigned)operands->len, NULL, 0, attrs);
}

static bool lower_update_body(lowering *l, const dsl_case *update, const lower_guards *guards) {
  lower_values operands = {0};
  pm_affine_map map;
  pm_type type = pm_get_scalar(l->ctx, l->stage->type);
  if (!lower_guards_of(l, guards)) return false;
  pm_value *value = lower_value(l, update->value, type);
  PM_VEC_PUSH(operands, value);
  bool ok = value && lower_indices(l, update->target, &map, &operands);
  if (ok) combine(l, update, map, &operands);
  PM_VEC_FREE(operands);
  return ok;
}

static bool lower_update(lowering *l, pm_op *func, pm_attr domain, const dsl_case *update) {
  lower_guards guards = {0};
  if (is_logical(update) && pm_is_float(pm_get_scalar(l->ctx, l->stage->type)))
    return pm_error(l->ctx, update->loc, "the operation is '%s', the type of %pS should be an integer",
                    update->combine, (const void *)l->stage->name);
  pm_attr set = lower_case_set(l, domain, update, &guards);
  bool ok = set != NULL;
  if (ok) {
    pm_builder inside = pm_builder_at_end(l->module, pm_region_at(func, stage_func_cases), update->loc);
    pm_attr attrs[stage_update_N_ATTRS] = {[stage_update_set] = set};
    pm_op *op = pm_build(&inside, &stage_update, NULL, 0, NULL, 0, attrs);
    pm_builder outside = enter_body(l, op, pm_region_at(op, stage_update_body));
    ok = lower_update_body(l, update, &guards);
    l->builder = outside;
  }
  PM_VEC_FREE(guards);
  return ok;
}

static bool lower_updates(lowering *l, const dsl_symbol *stage, pm_op *func) {
  if (stage->updates.len == 0) return true;
  pm_attr domain = lower_domain(l, stage->loc, &stage->reduction);
  bool ok = domain != NULL;
  for (size_t i = 0; i < stage->updates.len && domain; i++)
    ok &= lower_update(l, func, domain, stage->updates.data[i]);
  return ok;
}

/* --- one step of a TStencil --- */

/* Where the read goes, by its boundary modes too; without the names of tuples. */
static isl_map *relation_of_step_read(pm_op *read, isl_set *whole) {
  bool affine;
  stage_boundary boundary;
  pm_op *before =
      pm_lookup_symbol(pm_parent_of(read, &stage_func)->region, pm_sym_at(read, stage_read_stage));
  isl_map *relation = stage_read_relation(read, &affine);
  relation = isl_map_reset_tuple_id(isl_map_reset_tuple_id(relation, isl_dim_in), isl_dim_out);
  if (!stage_boundary_of_read(read, before, &boundary)) return relation;
  return stage_boundary_relation(relation, &boundary, whole);
}

/* The part of the set where all that the case reads of the step before is among `whole`. */
static isl_set *applicable(pm_op *branch, const dsl_symbol *before, pm_attr set, pm_attr whole) {
  isl_set *result = isl_set_copy(isl_peek_set(set));
  isl_set *inside = isl_set_reset_tuple_id(isl_set_copy(isl_peek_set(whole)));
  PM_FOR_OPS(op, pm_region_at(branch, stage_case_body)) {
    if (!pm_is(op, &stage_read) || pm_sym_at(op, stage_read_stage) != before->name) continue;
    isl_map *wrong = isl_map_subtract_range(relation_of_step_read(op, inside), isl_set_copy(inside));
    result = isl_set_subtract(result, isl_map_domain(wrong));
  }
  isl_set_free(inside);
  return result;
}

/* An error of a condition is reported for the last step only, since all have it. */
/* An error of the condition is reported for the last step only, since all have it. */
static bool lower_step_case(lowering *l, const dsl_symbol *step, pm_op *func, pm_attr within, pm_attr whole,
                            const dsl_case *branch, isl_set **rest) {
  pm_attr set;
  pm_op *op = lower_case(l, func, within, branch, &set);
  if (!op) return false;
  if (!set && step->is_last_step)
    pm_error(l->ctx, branch->loc, "the condition of a TStencil is not affine, it should be");
  if (!set) return false;
  isl_set *here = isl_set_coalesce(applicable(op, step->time_before, set, whole));
  *rest = isl_set_subtract(*rest, isl_set_copy(here));
  pm_set_attr(op, stage_case_set, isl_attr_of_set(l->ctx, here));
  return true;
}

static pm_affine_map identity(pm_context *ctx, unsigned n_dims) {
  pm_affine_expr exprs[LOWER_MAX_DIMS];
  for (unsigned d = 0; d < n_dims; d++) exprs[d] = pm_affine_dim(ctx, d);
  return pm_get_affine_map(ctx, n_dims, 0, exprs, n_dims);
}

/* Where the definition says nothing, the value before stays. */
static void lower_ghosts(lowering *l, const dsl_symbol *step, pm_op *func, pm_attr set) {
  const dsl_symbol *before = step->time_before;
  pm_op *op = new_case(l, func, step->loc, set);
  pm_builder outside = enter_body(l, op, pm_region_at(op, stage_case_body));
  pm_type type = pm_get_scalar(l->ctx, before->type);
  pm_attr attrs[stage_read_N_ATTRS] = {[stage_read_stage] = pm_get_symbol(l->ctx, before->name),
                                       [stage_read_map] = pm_get_map_attr(identity(l->ctx, step->n_dims))};
  pm_op *read = pm_build(&l->builder, &stage_read, l->case_body->args, step->n_dims, &type, 1, attrs);
  pm_value *value = lower_in_range(l, before, pm_res(read, 0));
  yield(l, step->loc, arith_build_cast(&l->builder, value, pm_get_scalar(l->ctx, step->type)));
  l->builder = outside;
}

static bool lower_step(lowering *l, const dsl_symbol *step, pm_op *func, pm_attr own, pm_attr whole) {
  isl_set *both = isl_set_intersect(isl_set_copy(isl_peek_set(own)), isl_set_copy(isl_peek_set(whole)));
  isl_set *rest = step->is_last_step ? isl_set_copy(both) : isl_set_copy(isl_peek_set(whole));
  pm_attr within = isl_attr_of_set(l->ctx, isl_set_remove_redundancies(both));
  bool ok = true;
  for (size_t i = 0; i < step->cases.len && ok; i++)
    ok = lower_step_case(l, step, func, within, whole, step->cases.data[i], &rest);
  rest = isl_set_coalesce(rest);
  if (ok && !isl_set_is_empty(rest))
    lower_ghosts(l, step, func, isl_attr_of_set(l->ctx, rest));
  else
    isl_set_free(rest);
  return ok;
}

/* --- stages --- */

static pm_attr number_of(py_value v, pm_type type) {
  return py_is_poison(v) ? NULL : lower_number(v, type);
}

static bool lower_stage(lowering *l, const dsl_symbol *stage) {
  l->stage = stage;
  pm_type type = pm_get_scalar(l->ctx, stage->type);
  pm_attr own = lower_domain(l, stage->loc, &stage->domain), domain = own, whole = NULL;
  if (own && stage->time_input) {
    whole = lower_shape(l, stage->time_input);
    if (!stage->is_last_step) domain = whole;
  }
  if (!domain) return false;
  l->builder.loc = stage->loc;
  pm_attr attrs[stage_func_N_ATTRS] = {[stage_func_sym] = pm_get_symbol(l->ctx, stage->name),
                                       [stage_func_type] = pm_get_type_attr(type),
                                       [stage_func_domain] = domain,
                                       [stage_func_default] = number_of(stage->default_value, type)};
  pm_op *func = pm_build(&l->builder, &stage_func, NULL, 0, NULL, 0, attrs);
  if (whole) return lower_step(l, stage, func, own, whole);
  return lower_cases(l, stage, func, domain) && lower_updates(l, stage, func);
}

static void lower_stages(lowering *l) {
  for (size_t i = 0; i < l->program->symbols.len; i++) {
    const dsl_symbol *s = l->program->symbols.data[i];
    if (s->kind == DSL_FUNCTION && s->needed) l->failed |= !lower_stage(l, s);
  }
}

static void lower_outputs(lowering *l, const dsl_symbols *live_outs) {
  for (size_t i = 0; i < live_outs->len; i++) {
    l->builder.loc = live_outs->data[i]->loc;
    pm_attr attrs[stage_output_N_ATTRS] = {[stage_output_stage] =
                                               pm_get_symbol(l->ctx, live_outs->data[i]->name)};
    pm_build(&l->builder, &stage_output, NULL, 0, NULL, 0, attrs);
  }
}

static pm_op *new_pipeline(lowering *l, pm_loc loc, pm_string name) {
  pm_builder top = pm_builder_at_end(l->module, pm_module_body(l->module), loc);
  const char *fp = l->options->fp;
  pm_attr attrs[stage_pipeline_N_ATTRS] = {
      [stage_pipeline_sym] = pm_get_symbol(l->ctx, name), [stage_pipeline_context] = l->context};
  if (fp) attrs[stage_pipeline_fp] = pm_get_string_attr(l->ctx, pm_str_of(fp));
  return pm_build(&top, &stage_pipeline, NULL, 0, NULL, 0, attrs);
}

static void lower_all(lowering *l, pm_loc loc, const dsl_symbols *live_outs) {
  const char *wanted = l->options->pipeline_name;
  lower_param_tuple(l);
  l->context = lower_context(l);
  pm_string name = wanted ? lower_identifier(l->ctx, wanted) : live_outs->data[0]->name;
  pm_op *pipeline = new_pipeline(l, loc, name);
  l->builder = pm_builder_at_end(l->module, pm_region_at(pipeline, stage_pipeline_body), loc);
  lower_params(l);
  if (!l->failed) lower_inputs(l);
  lower_stages(l);
  lower_outputs(l, live_outs);
  if (!l->failed) lower_narrow_boundaries(l, pipeline);
  pm_set_attr(pipeline, stage_pipeline_context, l->context);
  l->failed = l->failed || !pm_verify_module(l->module);
  if (l->failed) return;
  lower_narrow_reads(l, pipeline);
  pm_set_attr(pipeline, stage_pipeline_context, l->context);
}

pm_module *lower_program(dsl_program *program, const polymage_options *options, pm_loc loc,
                         const dsl_symbols *live_outs) {
  lowering l = {.ctx = program->ctx, .program = program, .options = options};
  l.module = pm_module_new(l.ctx, loc);
  l.params = pm_map_new();
  l.case_sets = pm_map_new();
  lower_all(&l, loc, live_outs);
  pm_map_free(l.params);
  pm_map_free(l.case_sets);
  pm_buf_free(&l.param_tuple);
  if (!l.failed) return l.module;
  pm_module_free(l.module);
  return NULL;
}
