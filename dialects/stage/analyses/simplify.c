#include "dialects/stage/analyses/simplify.h"

#include "dialects/arith/arith.h"

#include <string.h>

/* --- decisions --- */

typedef struct decider {
  const stage_graph *graph;
  stage_values *values;
  pm_arena *arena;
  isl_set *set;
  stage_decisions *decisions;
} decider;

static unsigned param_index(const stage_graph *graph, const char *name) {
  unsigned i = 0;
  while (strcmp(pm_sym_at(graph->params.data[i], stage_param_sym)->text, name) != 0) i++;
  return i;
}

/* The function over the arguments of the body and then all params of the pipeline; NULL when it has none. */
static pm_affine_expr expr_over_params(const decider *c, isl_aff *aff) {
  pm_context *ctx = c->graph->ctx;
  pm_affine_expr expr = stage_expr_of_aff(ctx, aff);
  if (!expr) return NULL;
  unsigned n_args = (unsigned)isl_aff_dim(aff, isl_dim_in), n = (unsigned)isl_aff_dim(aff, isl_dim_param);
  pm_affine_expr *dims = pm_arena_alloc(c->arena, (n_args + n + 1) * sizeof *dims);
  for (unsigned i = 0; i < n_args; i++) dims[i] = pm_affine_dim(ctx, i);
  for (unsigned i = 0; i < n; i++)
    dims[n_args + i] =
        pm_affine_dim(ctx, n_args + param_index(c->graph, isl_aff_get_dim_name(aff, isl_dim_param, i)));
  return pm_affine_normalize(pm_affine_substitute(expr, dims, NULL));
}

static bool divides(pm_affine_expr expr) {
  if (expr->kind < PM_AFFINE_ADD) return false;
  return expr->kind > PM_AFFINE_MUL || divides(expr->lhs) || divides(expr->rhs);
}

/* Some value of the expression is neither an argument of the body nor a param. */
static bool is_computed(const pm_op *op, pm_affine_expr expr) {
  if (expr->kind == PM_AFFINE_DIM) {
    const pm_value *value = pm_arg(op, stage_index_operand(op) + (unsigned)expr->value);
    return !pm_is_arg(value) && !pm_is(pm_def(value), &stage_param);
  }
  return expr->kind >= PM_AFFINE_ADD && (is_computed(op, expr->lhs) || is_computed(op, expr->rhs));
}

/* A coordinate that is written with divisions gets another form only without them. */
static void decide_index(decider *c, const stage_site *site, isl_aff *value) {
  pm_affine_expr before = stage_index_map(site->op)->results[site->index];
  pm_affine_expr expr = expr_over_params(c, value);
  if (expr && (is_computed(site->op, before) || !divides(expr)))
    PM_VEC_PUSH(*c->decisions, ((stage_decision){STAGE_SET_INDEX, site->position, site->index, expr}));
}

static void decide_condition(decider *c, const stage_site *site, isl_aff *value) {
  isl_val *number = isl_aff_get_constant_val(value);
  bool constant = isl_aff_is_cst(value) == isl_bool_true;
  bool holds = isl_val_is_zero(number) == isl_bool_false;
  isl_val_free(number);
  if (!constant) return;
  stage_decision d = {STAGE_TAKE_OPERAND, site->position,
                      holds ? (unsigned)arith_select_a : (unsigned)arith_select_b, NULL};
  if (pm_is(site->op, &stage_guard)) d.kind = holds ? STAGE_DROP_GUARD : STAGE_DROP_BODY;
  PM_VEC_PUSH(*c->decisions, d);
}

/* On the set the operand is always that function. */
static bool is_always(const decider *c, const stage_site *site, unsigned operand, isl_aff *value) {
  isl_map *relation =
      stage_value_relation(c->values, pm_arg(site->op, operand), stage_body_of(site->op)).relation;
  isl_map *function = isl_map_from_aff(isl_aff_copy(value));
  relation = isl_map_intersect_domain(relation, isl_set_copy(c->set));
  bool always = isl_map_is_subset(relation, function) == isl_bool_true;
  isl_map_free(relation);
  isl_map_free(function);
  return always;
}

static void decide_choice(decider *c, const stage_site *site, isl_aff *value) {
  for (unsigned i = 0; i < 2; i++) {
    if (!is_always(c, site, i, value)) continue;
    PM_VEC_PUSH(*c->decisions, ((stage_decision){STAGE_TAKE_OPERAND, site->position, i, NULL}));
    return;
  }
}

static void decide_site(decider *c, const stage_site *site, isl_aff *value) {
  if (pm_is(site->op, &stage_read) || pm_is(site->op, &stage_combine))
    decide_index(c, site, value);
  else if (pm_is(site->op, &stage_guard) || pm_is(site->op, &arith_select))
    decide_condition(c, site, value);
  else
    decide_choice(c, site, value);
}

/* A guard of the body never holds: nothing else matters. */
static void keep_only_drop(stage_decisions *decisions, size_t first) {
  for (size_t i = first; i < decisions->len; i++)
    if (decisions->data[i].kind == STAGE_DROP_BODY) {
      decisions->data[first] = decisions->data[i];
      decisions->len = first + 1;
      return;
    }
}

/* The function on the set when it has one piece there, on all of it, else NULL. */
static isl_aff *only_piece(const stage_graph *graph, isl_pw_aff *function, isl_set *set) {
  stage_pieces pieces = {0};
  isl_set *known = stage_facts_around_both(graph->facts, isl_set_copy(set), function);
  stage_pieces_on(function, known, &pieces);
  bool whole = stage_is_one_piece(&pieces, known);
  isl_set_free(known);
  isl_aff *value = whole ? isl_aff_copy(pieces.data[0].value) : NULL;
  stage_pieces_free(&pieces);
  return value;
}

void stage_decide(const stage_graph *graph, stage_values *values, const stage_sites *sites, isl_set *set,
                  pm_arena *arena, stage_decisions *out) {
  decider c = {graph, values, arena, set, out};
  size_t first = out->len, n = sites->functions.len;
  isl_aff **pieces = pm_arena_alloc(arena, (n + 1) * sizeof *pieces);
  for (size_t i = 0; i < n; i++) pieces[i] = only_piece(graph, sites->functions.data[i], set);
  for (size_t i = 0; i < sites->list.len; i++)
    if (pieces[sites->list.data[i].function])
      decide_site(&c, &sites->list.data[i], pieces[sites->list.data[i].function]);
  for (size_t i = 0; i < n; i++) isl_aff_free(pieces[i]);
  keep_only_drop(out, first);
}

/* --- changes --- */

/* Gives the read or combine the results over its operands, the arguments of its body and all params. */
static void set_map(const stage_graph *graph, pm_op *op, const pm_affine_expr *results, unsigned n_results) {
  const pm_region *body = pm_region_at(stage_body_of(op), 0);
  unsigned first = stage_index_operand(op);
  stage_operands values = {0}, operands = {0};
  for (unsigned i = first; i < op->n_operands; i++) PM_VEC_PUSH(values, pm_arg(op, i));
  for (unsigned i = 0; i < body->n_args; i++) PM_VEC_PUSH(values, body->args[i]);
  for (size_t i = 0; i < graph->params.len; i++) PM_VEC_PUSH(values, pm_res(graph->params.data[i], 0));
  pm_affine_map map = stage_map_over(graph->ctx, values.data, values.len, results, n_results, &operands);
  unsigned slot = pm_is(op, &stage_read) ? (unsigned)stage_read_map : (unsigned)stage_combine_map;
  pm_set_attr(op, slot, pm_get_map_attr(map));
  while (op->n_operands > first) pm_remove_operand(op, op->n_operands - 1u);
  for (size_t i = 0; i < operands.len; i++) pm_add_operand(op, operands.data[i]);
  PM_VEC_FREE(values);
  PM_VEC_FREE(operands);
}

static void set_index(const stage_graph *graph, pm_arena *arena, pm_op *op, const stage_decision *d) {
  pm_affine_map map = stage_index_map(op);
  uint32_t n_known = pm_region_at(stage_body_of(op), 0)->n_args + (uint32_t)graph->params.len;
  pm_affine_expr *results = pm_arena_memdup(arena, map->results, map->n_results * sizeof *results);
  pm_affine_expr *dims = pm_arena_alloc(arena, (n_known + 1) * sizeof *dims);
  for (uint32_t i = 0; i < n_known; i++) dims[i] = pm_affine_dim(graph->ctx, map->n_dims + i);
  results[d->number] = pm_affine_substitute(d->expr, dims, NULL);
  set_map(graph, op, results, map->n_results);
}

/* The ops are changed in the order of the text, so an operand is what was made of it. */
static void apply(const stage_graph *graph, pm_arena *arena, pm_op *op, const stage_decision *d) {
  pm_value *operand = d->kind == STAGE_TAKE_OPERAND ? pm_arg(op, d->number) : NULL;
  if (d->kind == STAGE_SET_INDEX)
    set_index(graph, arena, op, d);
  else if (d->kind == STAGE_TAKE_OPERAND)
    pm_replace_op(op, &operand);
  else if (d->kind == STAGE_DROP_GUARD)
    pm_op_erase(op);
  else
    pm_op_erase(stage_body_of(op));
}

static bool is_unused(const pm_op *op) {
  for (unsigned i = 0; i < op->n_results; i++)
    if (!pm_unused(pm_res(op, i))) return false;
  return pm_has_trait(op, PM_PURE) || pm_is(op, &stage_read);
}

static void erase_unused_ops(pm_op *body) {
  for (pm_op *op = pm_region_at(body, 0)->last, *before; op; op = before) {
    before = pm_prev(op);
    if (is_unused(op)) pm_op_erase(op);
  }
}

void stage_apply(const stage_graph *graph, pm_op *body, pm_arena *arena, const stage_decisions *decisions) {
  PM_VEC(pm_op *) ops = {0};
  bool dropped = false;
  PM_FOR_OPS(op, pm_region_at(body, 0)) PM_VEC_PUSH(ops, op);
  for (size_t i = 0; i < decisions->len; i++) {
    apply(graph, arena, ops.data[decisions->data[i].position], &decisions->data[i]);
    dropped = dropped || decisions->data[i].kind == STAGE_DROP_BODY;
  }
  PM_VEC_FREE(ops);
  if (!dropped && decisions->len > 0) erase_unused_ops(body);
}
