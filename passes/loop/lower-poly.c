/* lower-poly: a scheduled pipeline becomes a loop.func. The loops are read off the tree where its shape
 * allows that (dialects/poly/lower/scan.h); isl_ast_build makes the others. The bodies of the cases are put
 * in their place, reads and yields becoming loads and stores of the allocated buffers.
 *
 *   stage.pipeline @p { … poly.schedule { poly.domain "{ f[x] : 0 <= x < R }" {
 *     poly.alloc @f : f32 in "output"
 *     poly.band "[{ f[x] -> [(x)] }]" { } } } }
 *   =>
 *   loop.func @p { %R = loop.param @R : i32 … %f = buf.output @f(%n) : memref<?xf32>
 *     loop.for %i0 = %c0 to %n step 1 { … buf.store %v, %f[%i0] : memref<?xf32> } }
 */
#include "dialects/isl/budget.h"
#include "dialects/poly/check/check_marks.h"
#include "dialects/poly/check/well_formed.h"
#include "passes/loop/lower-poly/lowering.h"

#include <isl/id.h>
#include <stdlib.h>

/* Loops that are read off take little time for an operation of isl: they may take several budgets, and more
 * where there are many statements. */
enum { BUDGETS = 6, STATEMENTS_OF_A_BUDGET = 128 };

/* --- the parts of the tree, one after the other --- */

/* Statistics: how many parts needed the AST generation. */
static void count_part(lowering *l, bool by_isl) {
  pm_pass_stat(l->pass, "parts read off", !by_isl);
  pm_pass_stat(l->pass, "parts by isl", by_isl);
}

/* Of a statement, or itself. */
static const stage_node *stage_named(const lowering *l, pm_string name) {
  const stage_statement *s = stage_find_statement(l->statements, name);
  return s ? s->node : stage_graph_find(l->graph, name);
}

static const stage_node *first_stage(const lowering *l, isl_union_set *domain) {
  poly_names names = {0};
  poly_stage_names(l->ctx, domain, &names);
  const stage_node *node = names.len ? stage_named(l, names.data[0]) : NULL;
  PM_VEC_FREE(names);
  return node;
}

/* False, and nothing is built, when isl does not find loops; `why` says so then. */
static bool lower_part_by_isl(lowering *l, pm_builder b, pm_op *node, isl_union_set *domain, pm_buf *why) {
  bool wide = false;
  isl_quota_open(l->graph->isl, l->operations);
  isl_schedule *tree = poly_to_isl_schedule(node, domain, l->statements, &l->sites, &wide);
  isl_ast_node *loops = tree ? lower_generate_ast(l, node, tree, wide) : NULL;
  bool spent = isl_quota_close(l->graph->isl);
  if (spent || l->unplaced) {
    isl_ctx_reset_error(l->graph->isl);
    isl_ast_node_free(loops);
    if (spent)
      pm_buf_printf(why, "exact loops take more than %lu operations of isl", l->operations);
    else
      pm_buf_printf(why, "isl does not tell where the box of @%s begins",
                    pm_sym_at(l->unplaced, poly_alloc_stage)->text);
    if (spent) l->operations = l->operations / 4 + 1;
    l->unplaced = NULL;
    return false;
  }
  if (wide) pm_pass_stat(l->pass, "parts without strides", 1);
  if (!loops) l->failed = true;
  lower_from_ast(l, b, loops);
  return true;
}

static void lower_scan(lowering *l, pm_builder b, poly_scan *loops) {
  pm_pass_stat(l->pass, "loops with full tiles", poly_separate_full_tiles(l->arena, loops));
  lower_from_tree(l, b, loops);
}

/* `why` there are no exact loops. */
static void lower_part_under_guards(lowering *l, pm_builder b, pm_op *node, isl_set *context,
                                    isl_union_set *domain, const char *why) {
  const stage_node *first = first_stage(l, domain);
  const pm_op *place = first ? first->op : node;
  poly_scan *loops = poly_scan_guarded(l->arena, l->statements, context, domain, node);
  pm_pass_stat(l->pass, "parts under guards", 1);
  if (loops) {
    pm_pass_remark(
        l->pass, place->loc, PM_REMARK_MISSED, NULL, 0,
        "the loops of @%s, and of what is in the same loops, go over convex sets around the points, with "
        "conditions inside: %s",
        first ? first->name->text : "", why);
    lower_scan(l, b, loops);
    return;
  }
  l->failed = true;
  pm_op_error(place, "has no loops: %s, and there are no simple bounds around its points", why);
}

/* NULL where the loops are not read off the tree, or not soon: the time for that is by statement. */
static poly_scan *read_off(lowering *l, pm_op *node, isl_set *context, isl_union_set *domain) {
  unsigned long budgets = BUDGETS + (unsigned long)isl_union_set_n_set(domain) / STATEMENTS_OF_A_BUDGET;
  isl_quota_open(l->graph->isl, budgets * (unsigned long)pm_opt_int(l->pass, lower_poly_opt_operations));
  poly_scan *loops = poly_scan_tree(l->arena, l->statements, context, domain, node);
  return isl_quota_close(l->graph->isl) ? NULL : loops;
}

static void find_part_params(lowering *l, isl_set *context) {
  unsigned n = (unsigned)isl_set_dim(context, isl_dim_param);
  l->part_params = pm_arena_alloc(l->arena, (n + 1) * sizeof *l->part_params);
  for (unsigned i = 0; i < n; i++) {
    const char *name = isl_set_get_dim_name(context, isl_dim_param, i);
    l->part_params[i] = l->params[isl_set_find_dim_by_name(l->graph->context, isl_dim_param, name)];
  }
}

static void lower_part(lowering *l, pm_builder b, pm_op *node, isl_union_set *domain) {
  isl_set *context = poly_scan_context(l->statements, domain, node);
  find_part_params(l, context);
  poly_scan *loops = read_off(l, node, context, domain);
  pm_buf why = {0};
  count_part(l, !loops);
  if (loops)
    lower_scan(l, b, loops);
  else if (!lower_part_by_isl(l, b, node, domain, &why))
    lower_part_under_guards(l, b, node, context, domain, why.data);
  isl_set_free(context);
  pm_buf_free(&why);
}

typedef struct restriction {
  isl_union_set *domain, *part;
} restriction;

static isl_stat restrict_set(__isl_take isl_set *set, void *user) {
  restriction *r = user;
  isl_set *all = isl_union_set_extract_set(r->domain, isl_set_get_space(set));
  r->part = isl_union_set_add_set(r->part, isl_set_intersect(all, set));
  return isl_stat_ok;
}

/* What of the domain passes the filter. */
static __isl_give isl_union_set *passing(isl_union_set *domain, const pm_op *filter) {
  restriction r = {domain, isl_union_set_empty(isl_union_set_get_space(domain))};
  isl_union_set_foreach_set(isl_peek_union_set(pm_attr_at(filter, poly_filter_instances)), restrict_set, &r);
  return r.part;
}

static bool has_boxes(const pm_op *node) {
  PM_FOR_OPS(op, pm_region_at(node, 0))
  if (pm_is(op, &poly_alloc) && poly_alloc_has_box(op)) return true;
  return false;
}

static void say_part(const lowering *l, int64_t number, isl_union_set *domain) {
  poly_names names = {0};
  pm_map *said = pm_map_new();
  pm_buf text = {0};
  poly_stage_names(l->ctx, domain, &names);
  for (size_t i = 0; i < names.len; i++) {
    const stage_node *node = stage_named(l, names.data[i]);
    if (!node || pm_map_get(said, node)) continue;
    pm_buf_printf(&text, "%s@%s", text.len ? ", " : "", node->name->text);
    pm_map_set(said, node, &names);
  }
  pm_pass_remark(l->pass, l->graph->pipeline->loc, PM_REMARK_ANALYSIS,
                 (pm_remark_arg[]){{"part", (double)number}}, 1, "part %lld computes %s", (long long)number,
                 text.len ? text.data : "nothing");
  pm_buf_free(&text);
  pm_map_free(said);
  PM_VEC_FREE(names);
}

/* Where a part is to be built that calls may leave out. */
static pm_builder limit_part(lowering *l, pm_builder b, int64_t number, isl_union_set *domain) {
  say_part(l, number, domain);
  pm_value *is_in = arith_build_cmp(&b, ARITH_GT, l->until, arith_build_int(&b, l->until->type, number));
  return pm_builder_at_end(b.module, pm_region_begin(pm_region_at(loop_build_if(&b, is_in), loop_if_then)),
                           b.loc);
}

static void lower_schedule(lowering *l, pm_builder b, pm_op *schedule) {
  pm_op *domain = poly_child(schedule), *child = poly_child(domain);
  isl_union_set *instances = isl_peek_union_set(pm_attr_at(domain, poly_domain_instances));
  if (has_boxes(domain) || !poly_has_filters(child)) {
    lower_part(l, l->until ? limit_part(l, b, 0, instances) : b, domain, instances);
    return;
  }
  int64_t number = 0;
  PM_FOR_OPS(filter, pm_region_at(child, 0)) {
    if (l->failed) return;
    isl_union_set *part = passing(instances, filter);
    lower_part(l, l->until ? limit_part(l, b, number++, part) : b, filter, part);
    isl_union_set_free(part);
  }
}

/* --- the function --- */

static pm_op *new_func(lowering *l) {
  pm_builder b = pm_builder_before(l->graph->pipeline);
  pm_attr attrs[loop_func_N_ATTRS] = {NULL};
  attrs[loop_func_sym] = pm_attr_at(l->graph->pipeline, stage_pipeline_sym);
  attrs[loop_func_version] = pm_attr_at(l->graph->pipeline, stage_pipeline_version);
  attrs[loop_func_region] = pm_attr_at(l->graph->pipeline, stage_pipeline_region);
  attrs[loop_func_fp] = pm_attr_at(l->graph->pipeline, stage_pipeline_fp);
  return pm_build(&b, &loop_func, NULL, 0, NULL, 0, attrs);
}

/* The parameter of the option `until`. */
static void find_until(lowering *l) {
  const char *name = pm_opt_str(l->pass, lower_poly_opt_until);
  if (l->failed || !*name) return;
  l->until = pm_map_get(l->param_values, pm_get_cstring(l->ctx, name));
  l->failed = !l->until || !pm_is_int(l->until->type);
  if (l->failed)
    pm_op_error(l->graph->pipeline, "has no integer parameter '%s', which the option `until` names", name);
}

static void fill_func(lowering *l, pm_op *schedule) {
  pm_builder b = pm_builder_at_end(pm_module_of(l->func), pm_region_at(l->func, 0), l->func->loc);
  lower_arrays(l, &b, schedule);
  find_until(l);
  if (!l->failed) lower_schedule(l, b, schedule);
  if (!l->failed) lower_fences(l);
}

static void free_lowering(lowering *l) {
  for (size_t i = 0; i < l->placed.len; i++)
    for (unsigned d = 0; d < l->placed.data[i].n; d++) isl_ast_expr_free(l->placed.data[i].origin[d]);
  for (size_t i = 0; i < l->conditions.len; i++) isl_ast_expr_free(l->conditions.data[i]);
  PM_VEC_FREE(l->conditions);
  for (size_t i = 0; i < l->iterators.len; i++) isl_id_free(l->iterators.data[i]);
  PM_VEC_FREE(l->placed);
  PM_VEC_FREE(l->noted_values);
  PM_VEC_FREE(l->noted_exprs);
  PM_VEC_FREE(l->iterators);
  poly_sites_free(&l->sites);
  affine_pool_free(&l->pool);
  pm_map_free(l->env.values);
  pm_map_free(l->scratch);
  pm_map_free(l->atomic);
  pm_map_free(l->open);
  pm_map_free(l->marks);
  pm_map_free(l->param_values);
}

static lowering new_lowering(pm_pass *pass, pm_op *pipeline, const stage_graph *graph) {
  lowering l = {.pass = pass, .ctx = graph->ctx, .graph = graph, .arena = pm_pass_arena(pass)};
  l.operations = (unsigned long)pm_opt_int(pass, lower_poly_opt_operations);
  l.statements = pm_pass_analysis_of(pass, pipeline, &stage_statements_analysis);
  l.env.values = pm_map_new();
  l.scratch = pm_map_new();
  l.atomic = pm_map_new();
  l.open = pm_map_new();
  l.marks = pm_map_new();
  l.param_values = pm_map_new();
  affine_pool_init(&l.pool);
  l.buffers = pm_arena_alloc(l.arena, graph->nodes.len * sizeof *l.buffers);
  l.params =
      pm_arena_alloc(l.arena, ((size_t)isl_set_dim(graph->context, isl_dim_param) + 1) * sizeof *l.params);
  return l;
}

/* What was built fits; `ok`: it was. */
static bool finish_func(lowering *l, bool ok) {
  ok = ok && !l->failed && lower_check_fits(l);
  if (!ok && pm_error_count(l->ctx) == 0)
    pm_op_error(l->graph->pipeline, "cannot be lowered: %s", pm_isl_error(l->ctx));
  free_lowering(l);
  return ok;
}

static bool lower_pipeline(pm_pass *pass, pm_op *pipeline, pm_op *schedule) {
  const stage_graph *graph = pm_pass_analysis_of(pass, pipeline, &stage_graph_analysis);
  if (!graph) return false;
  lowering l = new_lowering(pass, pipeline, graph);
  bool ok = poly_check_tree(l.statements, schedule) && poly_check_marks(l.statements, schedule);
  if (ok) {
    poly_collect_atomic(schedule, l.atomic);
    l.func = new_func(&l);
    fill_func(&l, schedule);
  }
  ok = finish_func(&l, ok);
  if (ok && pm_attr_at(pipeline, stage_pipeline_region) && !pm_attr_at(pipeline, stage_pipeline_version)) {
    l = new_lowering(pass, pipeline, graph);
    bool built = lower_build_needs(&l);
    ok = finish_func(&l, built);
  }
  if (ok) pm_op_erase(pipeline);
  return ok;
}

pm_result pass_lower_poly(pm_pass *pass) {
  bool changed = false;
  PM_FOR_OPS(op, pm_region_at(pm_pass_root(pass), 0)) {
    if (!pm_is(op, &stage_pipeline)) continue;
    if (!lower_pipeline(pass, op, poly_find_schedule(op))) return PM_FAILED;
    changed = true;
  }
  return changed ? PM_CHANGED : PM_UNCHANGED;
}
