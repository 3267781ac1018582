/* The pipeline's ops: parameters, inputs, stages with their cases, outputs. */
#include "frontends/polymage/lower.h"

#include <isl/map.h>
#include <isl/set.h>
#include <stdlib.h>
#include <string.h>

#include "dialects/arith/arith.h"
#include "dialects/isl/isl_dialect.h"
#include "dialects/isl/linear.h"
#include "dialects/stage/boundary.h"
#include "dialects/stage/analyses/graph.h"
#include "ir/verify.h"

static void lower_params(lowering *l) {
  for (size_t i = 0; i < l->program->symbols.len; i++) {
    const dsl_symbol *s = l->program->symbols.data[i];
    if (s->kind != DSL_PARAMETER) continue;
    l->builder.loc = s->loc;
    pm_map_set(l->params, s, stage_build_param(&l->builder, s->name, pm_get_scalar(l->ctx, s->type)));
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
    stage_build_input(&l->builder, s->name, pm_get_scalar(l->ctx, s->type), domain, lower_boundary(l, s));
  }
}

static bool emit_guards(lowering *l, const kit_guards *guards) {
  for (size_t i = 0; i < guards->len; i++) {
    dsl_expr *guard = (dsl_expr *)guards->data[i];
    pm_value *condition = lower_condition(l, guard);
    if (!condition) return false;
    l->builder.loc = guard->loc;
    stage_build_guard(&l->builder, condition);
  }
  return true;
}

/* Makes the op the body at work; the builder that was is the result. */
static pm_builder enter_body(lowering *l, pm_op *op) {
  pm_builder outside = l->builder;
  l->case_body = stage_begin_body(op, l->dims.names, l->dims.n);
  l->case_stamp++;
  l->builder = pm_builder_at_end(l->module, l->case_body, op->loc);
  return outside;
}

static void yield(lowering *l, pm_loc loc, pm_value *value) {
  l->builder.loc = loc;
  stage_build_yield(&l->builder, &value, 1);
}

static bool lower_value_of(lowering *l, const dsl_case *branch, const kit_guards *guards) {
  if (!emit_guards(l, guards)) return false;
  pm_value *value = lower_value(l, branch->value, pm_get_scalar(l->ctx, l->stage->type));
  if (value) yield(l, branch->loc, value);
  return value != NULL;
}

/* The case's op; *set becomes its set, or NULL when a test at each point cuts it further. */
static pm_op *lower_case(lowering *l, pm_op *func, pm_attr domain, const dsl_case *branch, pm_attr *set) {
  kit_guards guards = {0};
  pm_op *op = NULL;
  bool ok = false;
  kit_exprs body = lower_body(l);
  *set = kit_case_set(&l->kit, &body, domain, branch->loc, branch->condition, &guards);
  if (*set) {
    op = stage_build_case(func, branch->loc, *set);
    pm_builder outside = enter_body(l, op);
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
  for (size_t later = 1; later < stage->cases.len; later++)
    for (size_t earlier = 0; earlier < later; earlier++) {
      kit_case a = {sets[earlier], stage->cases.data[earlier]->loc};
      kit_case b = {sets[later], stage->cases.data[later]->loc};
      if (!kit_is_disjoint(&l->kit, &a, &b) &&
          !give_way(l, ops[earlier], sets[earlier], ops[later], &sets[later]) &&
          !kit_check_disjoint(&l->kit, stage->name, &a, &b))
        return false;
    }
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

static bool lower_update_body(lowering *l, const dsl_case *update, const kit_guards *guards) {
  lower_values operands = {0};
  pm_affine_map map;
  pm_type type = pm_get_scalar(l->ctx, l->stage->type);
  if (!emit_guards(l, guards)) return false;
  pm_value *value = lower_value(l, update->value, type);
  PM_VEC_PUSH(operands, value);
  bool ok = value && lower_indices(l, update->target, &map, &operands);
  l->builder.loc = update->loc;
  if (ok) stage_build_combine(&l->builder, update->combine, map, operands.data, (unsigned)operands.len);
  PM_VEC_FREE(operands);
  return ok;
}

static bool lower_update(lowering *l, pm_op *func, pm_attr domain, const dsl_case *update) {
  kit_guards guards = {0};
  if (is_logical(update) && pm_is_float(pm_get_scalar(l->ctx, l->stage->type)))
    return pm_error(l->ctx, update->loc, "the operation is '%s', the type of %pS should be an integer",
                    update->combine, (const void *)l->stage->name);
  kit_exprs body = lower_body(l);
  pm_attr set = kit_case_set(&l->kit, &body, domain, update->loc, update->condition, &guards);
  bool ok = set != NULL;
  if (ok) {
    pm_builder outside = enter_body(l, stage_build_update(func, update->loc, set));
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

/* --- the default --- */

static bool has_case_everywhere(const dsl_symbol *stage) {
  for (size_t i = 0; i < stage->cases.len; i++)
    if (!stage->cases.data[i]->condition) return true;
  return false;
}

static const pm_op *combine_of(const pm_op *update) {
  return pm_terminator(pm_region_at(update, stage_update_body));
}

static bool is_zero(pm_attr number) {
  return number->cls == PM_ATTR_FLOAT ? number->f == 0 : number->i == 0;
}

/* What changes no value that it is combined with; NULL for 0, which all begin with. */
static pm_attr neutral_number(const pm_op *update) {
  pm_attr number = stage_combine_identity(combine_of(update), 0);
  return is_zero(number) ? NULL : number;
}

static bool different_operations(lowering *l, const dsl_symbol *stage, const pm_op *update,
                                 const pm_op *first) {
  const void *name = stage->name;
  pm_error(l->ctx, update->loc,
           "this update of %pS begins with another number than the one before it, %pS.default should give "
           "the number to begin with",
           name, name);
  pm_note(l->ctx, first->loc, "the update before it");
  return false;
}

/* The value before the updates when the program gives none: what changes no value it is combined with, so
 * that an element is what its updates alone give. */
static bool set_neutral_default(lowering *l, const dsl_symbol *stage, pm_op *func) {
  const pm_op *first = NULL;
  if (!py_is_poison(stage->default_value) || has_case_everywhere(stage)) return true;
  PM_FOR_OPS(update, pm_region_at(func, stage_func_cases)) {
    if (!pm_is(update, &stage_update)) continue;
    first = first ? first : update;
    if (neutral_number(update) != neutral_number(first)) return different_operations(l, stage, update, first);
  }
  if (first && neutral_number(first)) pm_set_attr(func, stage_func_default, neutral_number(first));
  return true;
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
    isl_map *wrong = linear_subtract_range(relation_of_step_read(op, inside), isl_set_copy(inside));
    isl_set *from = isl_map_domain(wrong);
    if (isl_set_plain_is_empty(from) == isl_bool_true)
      isl_set_free(from);
    else
      result = isl_set_subtract(result, from);
  }
  isl_set_free(inside);
  return result;
}

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
  pm_affine_expr exprs[KIT_MAX_DIMS];
  for (unsigned d = 0; d < n_dims; d++) exprs[d] = pm_affine_dim(ctx, d);
  return pm_get_affine_map(ctx, n_dims, 0, exprs, n_dims);
}

/* Where the definition says nothing, the value before stays. */
static void lower_ghosts(lowering *l, const dsl_symbol *step, pm_op *func, pm_attr set) {
  const dsl_symbol *before = step->time_before;
  pm_op *op = stage_build_case(func, step->loc, set);
  pm_builder outside = enter_body(l, op);
  pm_type type = pm_get_scalar(l->ctx, before->type);
  pm_value *read = stage_build_read(&l->builder, before->name, type, identity(l->ctx, step->n_dims),
                                    l->case_body->args, NULL);
  pm_value *value = lower_in_range(l, before, read);
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
  pm_op *func =
      stage_build_func(&l->builder, stage->name, type, domain, number_of(stage->default_value, type));
  if (whole) return lower_step(l, stage, func, own, whole);
  return lower_cases(l, stage, func, domain) && lower_updates(l, stage, func) &&
         set_neutral_default(l, stage, func);
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
    stage_build_output(&l->builder, live_outs->data[i]->name);
  }
}

static void lower_all(lowering *l, pm_loc loc, const dsl_symbols *live_outs) {
  const char *wanted = l->options->pipeline_name;
  pm_builder top = pm_builder_at_end(l->module, pm_module_body(l->module), loc);
  lower_context(l);
  pm_string name = wanted ? kit_identifier(l->ctx, wanted) : live_outs->data[0]->name;
  pm_op *pipeline = stage_build_pipeline(&top, name, l->kit.context, l->options->fp);
  l->builder = pm_builder_at_end(l->module, pm_region_at(pipeline, stage_pipeline_body), loc);
  lower_params(l);
  if (!l->failed) lower_inputs(l);
  lower_stages(l);
  lower_outputs(l, live_outs);
  if (!l->failed) kit_narrow_boundaries(&l->kit, pipeline);
  l->failed = l->failed || !pm_verify_module(l->module);
  if (!l->failed) kit_narrow_reads(&l->kit, pipeline);
}

pm_module *lower_program(dsl_program *program, const polymage_options *options, pm_loc loc,
                         const dsl_symbols *live_outs) {
  lowering l = {.ctx = program->ctx, .program = program, .options = options};
  l.bounds = (lower_view){&l, false};
  l.body = (lower_view){&l, true};
  l.module = pm_module_new(l.ctx, loc);
  l.params = pm_map_new();
  kit_init(&l.kit, l.ctx);
  lower_all(&l, loc, live_outs);
  pm_map_free(l.params);
  kit_free(&l.kit);
  if (!l.failed) return l.module;
  pm_module_free(l.module);
  return NULL;
}
