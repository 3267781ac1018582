/* Loops of the AST that isl generates of a schedule. */
#include "passes/loop/lower-poly/lowering.h"

#include "dialects/isl/budget.h"
#include "dialects/isl/take.h"

#include <isl/id.h>
#include <isl/id_to_ast_expr.h>
#include <isl/options.h>
#include <isl/val.h>
#include <stdlib.h>
#include <string.h>

static const int64_t MOST_STEP = (int64_t)1 << 61;

static void lower_call(lowering *l, pm_builder b, const stage_statement *statement, isl_ast_expr *call) {
  unsigned n = (unsigned)isl_set_dim(statement->set, isl_dim_set);
  pm_affine_expr *coords = pm_arena_alloc(l->arena, (n + 1) * sizeof *coords);
  for (unsigned d = 0; d < n && !l->failed; d++) {
    isl_ast_expr *arg = isl_ast_expr_get_op_arg(call, (int)d + 1);
    coords[d] = affine_of_ast(&l->pool, &b, &l->env, arg);
    isl_ast_expr_free(arg);
    if (!coords[d]) l->failed = true;
  }
  if (!l->failed) lower_instance(l, b, statement, coords);
}

const stage_statement *lower_called_statement(const lowering *l, isl_ast_expr *call) {
  isl_ast_expr *callee = isl_ast_expr_get_op_arg(call, 0);
  isl_id *id = isl_ast_expr_get_id(callee);
  const stage_statement *statement =
      stage_find_statement(l->statements, pm_get_cstring(l->ctx, isl_id_get_name(id)));
  isl_id_free(id);
  isl_ast_expr_free(callee);
  return statement;
}

/* Where the call is noted to be at too many points, the inside of a loop.if that leaves out what is not in
 * the statement's set. */
static pm_builder at_its_points(lowering *l, pm_builder b, isl_ast_node *node) {
  isl_id *note = isl_ast_node_get_annotation(node);
  if (!note) return b;
  isl_ast_expr *points = l->conditions.data[(size_t)(uintptr_t)isl_id_get_user(note) - 1];
  isl_id_free(note);
  pm_value *condition = ast_build_value(&b, &l->env, points);
  if (!condition) {
    l->failed = true;
    return b;
  }
  lower_note_value(l, condition);
  pm_op *op = loop_build_if(&b, condition);
  return pm_builder_at_end(b.module, pm_region_begin(pm_region_at(op, loop_if_then)), b.loc);
}

static void lower_user(lowering *l, pm_builder b, isl_ast_node *node) {
  isl_ast_expr *call = isl_ast_node_user_get_expr(node);
  const stage_statement *statement = lower_called_statement(l, call);
  b.loc = statement->node->op->loc;
  b = at_its_points(l, b, node);
  if (!l->failed) lower_call(l, b, statement, call);
  isl_ast_expr_free(call);
}

/* --- loops --- */

/* `<word>:<number>` names a site; NULL: it does not. */
static const poly_site *site_named(const lowering *l, const char *name, const char *word) {
  size_t n = strlen(word);
  bool is = strncmp(name, word, n) == 0 && name[n] == ':';
  return is ? &l->sites.data[strtoul(name + n + 1, NULL, 10)] : NULL;
}

/* Takes the node. */
static void lower_taken(lowering *l, pm_builder b, __isl_take isl_ast_node *node,
                        const poly_loop_marks *marks) {
  if (node) lower_node(l, b, node, marks);
  isl_ast_node_free(node);
}

/* The first value that a loop does not reach: the condition is `i < e` or `i <= e`. */
static pm_value *upper_bound(lowering *l, pm_builder *b, isl_ast_node *node) {
  isl_ast_expr *cond = isl_ast_node_for_get_cond(node);
  isl_ast_expr *bound = isl_ast_expr_get_op_arg(cond, 1);
  pm_value *v = ast_build_value(b, &l->env, bound);
  if (v && isl_ast_expr_op_get_type(cond) == isl_ast_expr_op_le)
    v = pm_build_binary(b, &arith_addi, v, arith_build_index(b, 1));
  isl_ast_expr_free(bound);
  isl_ast_expr_free(cond);
  return v;
}

static pm_value *lower_bound(lowering *l, pm_builder *b, isl_ast_node *node) {
  isl_ast_expr *init = isl_ast_node_for_get_init(node);
  pm_value *v = ast_build_value(b, &l->env, init);
  isl_ast_expr_free(init);
  return v;
}

/* 0 when it is too large. */
static int64_t step_of(isl_ast_node *node) {
  isl_ast_expr *inc = isl_ast_node_for_get_inc(node);
  int64_t step = 0;
  isl_take_int_below(isl_ast_expr_get_val(inc), MOST_STEP, &step);
  isl_ast_expr_free(inc);
  return step;
}

/* A loop that isl found to run once. */
static void lower_degenerate(lowering *l, pm_builder b, isl_ast_node *node, isl_id *iterator,
                             const poly_loop_marks *marks) {
  poly_loop_marks inside = poly_marks_inside(marks);
  pm_value *v = lower_bound(l, &b, node);
  if (!v) {
    l->failed = true;
    return;
  }
  pm_map_set(l->env.values, iterator, v);
  lower_taken(l, b, isl_ast_node_for_get_body(node), &inside);
}

static void lower_loop(lowering *l, pm_builder b, isl_ast_node *node, isl_id *iterator,
                       const poly_loop_marks *marks) {
  pm_value *lb = lower_full_bound(l, &b, false), *ub = lower_full_bound(l, &b, true);
  lb = lb ? lb : lower_bound(l, &b, node);
  ub = ub ? ub : upper_bound(l, &b, node);
  int64_t step = step_of(node);
  if (!step)
    pm_error(l->ctx, b.loc, "the generated loops have a step of 2^61 or more, but it should be less");
  if (!lb || !ub || !step) {
    l->failed = true;
    return;
  }
  pm_string name = pm_get_cstring(l->ctx, isl_id_get_name(iterator));
  pm_op *loop = lower_build_loop(l, &b, lb, ub, step, name, marks);
  pm_map_set(l->env.values, iterator, pm_region_at(loop, 0)->args[0]);
  l->isolated = marks->of[POLY_MARK_isolate] ? loop : NULL;
  poly_loop_marks inside = poly_marks_inside(marks);
  lower_taken(l, pm_builder_at_end(b.module, pm_region_at(loop, 0), b.loc), isl_ast_node_for_get_body(node),
              &inside);
}

static void lower_for(lowering *l, pm_builder b, isl_ast_node *node, const poly_loop_marks *marks) {
  isl_ast_expr *expr = isl_ast_node_for_get_iterator(node);
  isl_id *iterator = isl_ast_expr_get_id(expr);
  l->loops_met++;
  if (isl_ast_node_for_is_degenerate(node) == isl_bool_true)
    lower_degenerate(l, b, node, iterator, marks);
  else
    lower_loop(l, b, node, iterator, marks);
  isl_id_free(iterator);
  isl_ast_expr_free(expr);
}

static void lower_if(lowering *l, pm_builder b, isl_ast_node *node, const poly_loop_marks *marks) {
  isl_ast_expr *cond = isl_ast_node_if_get_cond(node);
  pm_value *condition = ast_build_value(&b, &l->env, cond);
  isl_ast_expr_free(cond);
  if (!condition) {
    l->failed = true;
    return;
  }
  lower_note_value(l, condition);
  pm_op *op = loop_build_if(&b, condition);
  pm_region *then = pm_region_begin(pm_region_at(op, loop_if_then));
  lower_taken(l, pm_builder_at_end(b.module, then, b.loc), isl_ast_node_if_get_then_node(node), marks);
  if (isl_ast_node_if_has_else_node(node) != isl_bool_true) return;
  pm_region *otherwise = pm_region_begin(pm_region_at(op, loop_if_else));
  lower_taken(l, pm_builder_at_end(b.module, otherwise, b.loc), isl_ast_node_if_get_else_node(node), marks);
}

static void lower_block(lowering *l, pm_builder b, isl_ast_node *node, const poly_loop_marks *marks) {
  isl_ast_node_list *children = isl_ast_node_block_get_children(node);
  int n = (int)isl_ast_node_list_n_ast_node(children);
  for (int i = 0; i < n && !l->failed; i++)
    lower_taken(l, b, isl_ast_node_list_get_ast_node(children, i), marks);
  isl_ast_node_list_free(children);
}

static pm_affine_expr *origin_of(lowering *l, pm_builder b, const placed_alloc *p) {
  pm_affine_expr *origin = pm_arena_alloc(l->arena, (p->n + 1) * sizeof *origin);
  b.loc = p->alloc->loc;
  for (unsigned d = 0; d < p->n; d++) {
    origin[d] = affine_of_ast(&l->pool, &b, &l->env, p->origin[d]);
    if (!origin[d]) l->failed = true;
  }
  return origin;
}

/* The scratchpad holds the values of its stage in what is below the mark. */
static void lower_alloc(lowering *l, pm_builder b, isl_ast_node *node, const poly_loop_marks *marks) {
  isl_id *note = isl_ast_node_get_annotation(node);
  const placed_alloc *p = &l->placed.data[(size_t)(uintptr_t)isl_id_get_user(note) - 1];
  isl_id_free(note);
  lower_buffer *at = lower_buffer_of(l, p->alloc), outside = *at;
  lower_scratchpad(l, b, p->alloc, origin_of(l, b, p));
  if (!l->failed) lower_taken(l, b, isl_ast_node_mark_get_node(node), marks);
  *at = outside;
}

poly_loop_marks lower_marks_at(const lowering *l, isl_ast_node *node, const poly_loop_marks *marks) {
  isl_id *id = isl_ast_node_mark_get_id(node);
  const char *name = isl_id_get_name(id);
  poly_loop_marks inside = strcmp(name, "end") ? *marks : poly_marks_inside(marks);
  const poly_site *mark = site_named(l, name, "mark");
  if (mark) poly_take_mark(&inside, mark->op);
  isl_id_free(id);
  return inside;
}

static void lower_mark(lowering *l, pm_builder b, isl_ast_node *node, const poly_loop_marks *marks) {
  isl_id *id = isl_ast_node_mark_get_id(node);
  poly_loop_marks inside = lower_marks_at(l, node, marks);
  if (site_named(l, isl_id_get_name(id), "alloc"))
    lower_alloc(l, b, node, marks);
  else
    lower_taken(l, b, isl_ast_node_mark_get_node(node), &inside);
  isl_id_free(id);
}

/* What a loop over tiles has besides its memory may get two versions. */
static bool is_separated(lowering *l, pm_builder b, isl_ast_node *node, const poly_loop_marks *marks) {
  pm_op *tile = l->isolated;
  if (!tile || isl_ast_node_get_type(node) == isl_ast_node_mark) return false;
  l->isolated = NULL;
  return lower_full_tiles(l, b, tile, node, marks);
}

void lower_node(lowering *l, pm_builder b, isl_ast_node *node, const poly_loop_marks *marks) {
  if (l->failed || is_separated(l, b, node, marks)) return;
  switch (isl_ast_node_get_type(node)) {
  case isl_ast_node_for:
    lower_for(l, b, node, marks);
    break;
  case isl_ast_node_if:
    lower_if(l, b, node, marks);
    break;
  case isl_ast_node_block:
    lower_block(l, b, node, marks);
    break;
  case isl_ast_node_mark:
    lower_mark(l, b, node, marks);
    break;
  case isl_ast_node_user:
    lower_user(l, b, node);
    break;
  default:
    l->failed = true;
  }
}

/* --- generating the AST --- */

/* The build's schedule space as the outer dimensions, for instances that all come from an extension. */
static __isl_give isl_map *all_loops(isl_ast_build *build) {
  return isl_map_flatten_range(
      isl_map_identity(isl_space_map_from_set(isl_ast_build_get_schedule_space(build))));
}

/* The first point of a site's box as a function of the build's schedule space. That space leaves out loops
 * that isl found to run once, so the way goes over the instances: space -> instances -> outer dimensions ->
 * point. */
static __isl_give isl_pw_multi_aff *first_point(isl_ast_build *build, const poly_site *site) {
  isl_union_map *outer =
      isl_union_map_apply_domain(isl_union_map_copy(site->prefix), isl_ast_build_get_schedule(build));
  isl_map *map = isl_union_map_is_empty(outer) == isl_bool_true
                     ? all_loops(build)
                     : isl_map_from_union_map(isl_union_map_copy(outer));
  isl_union_map_free(outer);
  map = isl_map_apply_range(map, isl_map_copy(isl_peek_map(pm_attr_at(site->op, poly_alloc_at))));
  return isl_pw_multi_aff_coalesce(isl_pw_multi_aff_from_map(isl_map_coalesce(map)));
}

/* The first point of a scratchpad in terms of the loops around it, kept as the annotation of the mark. */
static __isl_give isl_ast_node *note_alloc(__isl_take isl_ast_node *node, __isl_keep isl_ast_build *build,
                                           void *user) {
  lowering *l = user;
  if (isl_budget_is_spent(l->graph->isl) || l->unplaced) return isl_ast_node_free(node);
  isl_id *id = isl_ast_node_mark_get_id(node);
  const poly_site *site = site_named(l, isl_id_get_name(id), "alloc");
  isl_id_free(id);
  if (!site) return node;
  placed_alloc p = {.alloc = site->op, .n = pm_attr_at(site->op, poly_alloc_size)->len};
  p.origin = pm_arena_alloc(l->arena, (p.n + 1) * sizeof *p.origin);
  isl_pw_multi_aff *first = first_point(build, site);
  bool found = first != NULL;
  for (unsigned d = 0; d < p.n; d++) {
    p.origin[d] = isl_ast_build_expr_from_pw_aff(build, isl_pw_multi_aff_get_pw_aff(first, (int)d));
    found = found && p.origin[d];
  }
  isl_pw_multi_aff_free(first);
  PM_VEC_PUSH(l->placed, p);
  if (!found) {
    l->unplaced = site->op;
    return isl_ast_node_free(node);
  }
  isl_id *note = isl_id_alloc(l->graph->isl, "alloc", (void *)(uintptr_t)l->placed.len);
  return isl_ast_node_set_annotation(node, note);
}

/* Iterator names of our own: an id with a user pointer cannot be taken for a parameter of the same name. */
static __isl_give isl_id_list *iterator_names(lowering *l) {
  enum { MOST = 64 };
  isl_id_list *list = isl_id_list_alloc(l->graph->isl, MOST);
  for (int i = 0; i < MOST; i++) {
    char name[16];
    snprintf(name, sizeof name, "i%d", i);
    isl_id *id = isl_id_alloc(l->graph->isl, name, l);
    PM_VEC_PUSH(l->iterators, isl_id_copy(id));
    list = isl_id_list_add(list, id);
  }
  return list;
}

/* As a comparison, where it is the constant 0; NULL, where it is the constant 1. */
static __isl_give isl_ast_expr *as_comparison(__isl_take isl_ast_expr *condition) {
  if (isl_ast_expr_get_type(condition) != isl_ast_expr_int) return condition;
  isl_val *value = isl_ast_expr_get_val(condition);
  bool never = isl_val_is_zero(value) == isl_bool_true;
  isl_ctx *ctx = isl_ast_expr_get_ctx(condition);
  isl_val_free(value);
  if (never) return isl_ast_expr_eq(condition, isl_ast_expr_from_val(isl_val_one(ctx)));
  isl_ast_expr_free(condition);
  return NULL;
}

/* Which of its calls are instances of the statement, kept as the annotation of the call. */
static __isl_give isl_ast_node *note_points(__isl_take isl_ast_node *node, __isl_keep isl_ast_build *build,
                                            void *user) {
  lowering *l = user;
  if (isl_budget_is_spent(l->graph->isl)) return isl_ast_node_free(node);
  isl_ast_expr *call = isl_ast_node_user_get_expr(node);
  isl_union_set *points = isl_union_set_from_set(isl_set_copy(lower_called_statement(l, call)->set));
  isl_ast_expr_free(call);
  points = isl_union_set_apply(points, isl_ast_build_get_schedule(build));
  isl_set *when = isl_union_set_extract_set(points, isl_ast_build_get_schedule_space(build));
  isl_union_set_free(points);
  isl_ast_expr *condition = isl_ast_build_expr_from_set(build, when);
  if (!condition) return isl_ast_node_free(node);
  condition = as_comparison(condition);
  if (!condition) return node;
  PM_VEC_PUSH(l->conditions, condition);
  isl_id *note = isl_id_alloc(l->graph->isl, "points", (void *)(uintptr_t)l->conditions.len);
  return isl_ast_node_set_annotation(node, note);
}

__isl_give isl_ast_node *lower_generate_ast(lowering *l, const pm_op *place, __isl_take isl_schedule *tree,
                                            bool wide) {
  isl_options_set_ast_build_detect_min_max(l->graph->isl, 1);
  isl_ast_build *build = isl_ast_build_from_context(isl_set_copy(l->graph->context));
  build = isl_ast_build_set_iterators(build, iterator_names(l));
  build = isl_ast_build_set_after_each_mark(build, note_alloc, l);
  if (wide) build = isl_ast_build_set_at_each_domain(build, note_points, l);
  isl_ask(l->graph->isl);
  isl_ast_node *loops = isl_ast_build_node_from_schedule(build, tree);
  bool answered = isl_answered(l->graph->isl);
  isl_ast_build_free(build);
  if (!answered) return isl_ast_node_free(loops);
  if (!loops && !l->unplaced) pm_op_error(place, "cannot be turned into loops: %s", pm_isl_error(l->ctx));
  return loops;
}

void lower_from_ast(lowering *l, pm_builder b, __isl_take isl_ast_node *loops) {
  lower_taken(l, b, loops, &(poly_loop_marks){{NULL}});
}
