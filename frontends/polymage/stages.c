/* The pipeline's ops: parameters, inputs, stages with their cases, outputs. */
#include "frontends/polymage/lower.h"

#include <stdlib.h>
#include <string.h>

#include "dialects/arith/arith.h"
#include "dialects/isl/isl_dialect.h"
#include "dialects/stage/stage.h"
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
                                          [stage_input_domain] = domain};
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

static bool lower_body(lowering *l, const dsl_case *branch, const lower_guards *guards) {
  for (unsigned d = 0; d < l->stage->n_dims; d++) pm_add_arg(l->case_body, pm_get_index(l->ctx), l->dims[d]);
  l->case_stamp++;
  if (!lower_guards_of(l, guards)) return false;
  pm_value *value = lower_value(l, branch->value, pm_get_scalar(l->ctx, l->stage->type));
  if (!value) return false;
  l->builder.loc = branch->loc;
  pm_build(&l->builder, &stage_yield, &value, 1, NULL, 0, NULL);
  return true;
}

/* The case's op; *set becomes its set, or NULL when a test at each point cuts it further. */
static bool lower_case(lowering *l, pm_region *cases, pm_attr domain, const dsl_case *branch, pm_attr *set) {
  lower_guards guards = {0};
  *set = lower_case_set(l, domain, branch, &guards);
  bool ok = *set != NULL;
  if (ok) {
    pm_builder outside = pm_builder_at_end(l->module, cases, branch->loc);
    pm_attr attrs[stage_case_N_ATTRS] = {[stage_case_set] = *set};
    pm_op *op = pm_build(&outside, &stage_case, NULL, 0, NULL, 0, attrs);
    pm_builder pipeline = l->builder;
    l->case_body = pm_region_at(op, stage_case_body);
    l->builder = pm_builder_at_end(l->module, l->case_body, branch->loc);
    ok = lower_body(l, branch, &guards);
    l->builder = pipeline;
  }
  if (guards.len > 0) *set = NULL;
  PM_VEC_FREE(guards);
  return ok;
}

static bool check_overlaps(lowering *l, const dsl_symbol *stage, const pm_attr *sets) {
  for (size_t b = 1; b < stage->cases.len; b++)
    for (size_t a = 0; a < b; a++)
      if (!lower_check_disjoint(l, stage->cases.data[a], sets[a], stage->cases.data[b], sets[b]))
        return false;
  return true;
}

static bool lower_cases(lowering *l, const dsl_symbol *stage, pm_op *func, pm_attr domain) {
  pm_attr *sets = pm_xcalloc(stage->cases.len, sizeof(*sets));
  bool ok = true;
  for (size_t i = 0; i < stage->cases.len; i++)
    ok &= lower_case(l, pm_region_at(func, stage_func_cases), domain, stage->cases.data[i], &sets[i]);
  ok = ok && check_overlaps(l, stage, sets);
  free(sets);
  return ok;
}

static bool lower_stage(lowering *l, const dsl_symbol *stage) {
  l->stage = stage;
  pm_attr domain = lower_stage_domain(l, stage);
  if (!domain) return false;
  l->builder.loc = stage->loc;
  pm_attr attrs[stage_func_N_ATTRS] = {[stage_func_sym] = pm_get_symbol(l->ctx, stage->name),
                                       [stage_func_type] =
                                           pm_get_type_attr(pm_get_scalar(l->ctx, stage->type)),
                                       [stage_func_domain] = domain};
  pm_op *func = pm_build(&l->builder, &stage_func, NULL, 0, NULL, 0, attrs);
  return lower_cases(l, stage, func, domain);
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
  if (!l.failed && pm_verify_module(l.module)) return l.module;
  pm_module_free(l.module);
  return NULL;
}
