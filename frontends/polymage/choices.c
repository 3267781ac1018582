/* Select(x > 0, f(x - 1), 0) on x >= 0 reads f only where x > 0. Both arms of a select are computed, so a
 * case whose arm reads outside of a domain becomes two: one where the condition holds, one where it does not.
 * Other selects stay: they are cheaper. */
#include <stdlib.h>

#include <isl/set.h>

#include "dialects/stage/analyses/graph.h"
#include "frontends/polymage/lower.h"
#include "ir/verify.h"

typedef PM_VEC(dsl_expr *) expr_stack;

/* A case, and a read in it that leaves a domain. */
typedef struct bad_case {
  pm_op *op;
  const dsl_symbol *stage;
  pm_loc read;
} bad_case;

typedef PM_VEC(bad_case) bad_cases;

/* --- the choice --- */

static void visit(dsl_program *program, dsl_expr *e, expr_stack *stack) {
  if (!e || e->visited == program->walk) return;
  e->visited = program->walk;
  PM_VEC_PUSH(*stack, e);
}

static void visit_parts(dsl_program *program, const dsl_expr *e, expr_stack *stack) {
  for (uint32_t i = e->n_args; i-- > 0;) visit(program, e->args[i], stack);
  if (e->op == DSL_STENCIL) visit(program, e->stencil->expanded, stack);
}

static bool same_place(pm_loc a, pm_loc b) {
  return a.file == b.file && a.line == b.line && a.col == b.col;
}

/* One of the arms has the read. */
static bool has_read(dsl_program *program, const dsl_expr *select, pm_loc read) {
  expr_stack stack = {0};
  bool found = false;
  program->walk++;
  visit(program, select->args[1], &stack);
  visit(program, select->args[2], &stack);
  while (stack.len > 0 && !found) {
    const dsl_expr *e = PM_VEC_POP(stack);
    found = (e->op == DSL_READ || e->op == DSL_STENCIL) && same_place(e->loc, read);
    visit_parts(program, e, &stack);
  }
  PM_VEC_FREE(stack);
  return found;
}

static bool is_affine(const lowering *l, const dsl_expr *condition) {
  kit_exprs body = lower_body(l);
  kit_refusal refusal;
  pm_buf text = {0};
  bool affine = kit_put_condition(&body, condition, &text, &refusal);
  pm_buf_free(&text);
  return affine;
}

static void collect_selects(dsl_program *program, dsl_expr *value, expr_stack *out) {
  expr_stack stack = {0};
  program->walk++;
  visit(program, value, &stack);
  while (stack.len > 0) {
    dsl_expr *e = PM_VEC_POP(stack);
    if (e->op == DSL_SELECT) PM_VEC_PUSH(*out, e);
    visit_parts(program, e, &stack);
  }
  PM_VEC_FREE(stack);
}

/* The condition of a choice that may keep the read inside, outer ones first; NULL when there is none. */
static dsl_expr *find_condition(lowering *l, dsl_expr *value, pm_loc read) {
  expr_stack selects = {0};
  dsl_expr *condition = NULL;
  collect_selects(l->program, value, &selects);
  for (size_t i = 0; i < selects.len && !condition; i++) {
    const dsl_expr *select = selects.data[i];
    if (is_affine(l, select->args[0]) && has_read(l->program, select, read)) condition = select->args[0];
  }
  PM_VEC_FREE(selects);
  return condition;
}

/* --- the two cases --- */

typedef struct known_condition {
  const dsl_expr *condition;
  bool holds;
} known_condition;

static dsl_expr *chosen_arm(const void *user, dsl_expr *e) {
  const known_condition *known = user;
  if (e->op != DSL_SELECT || e->args[0] != known->condition) return NULL;
  return e->args[known->holds ? 1 : 2];
}

/* The part of the case's set where the condition is as it is said to be. */
static pm_attr part_of(lowering *l, pm_op *op, const known_condition *known) {
  kit_exprs body = lower_body(l);
  kit_guards guards = {0};
  pm_attr whole = pm_attr_at(op, stage_case_set);
  pm_attr part = kit_case_set(&l->kit, &body, whole, op->loc, known->condition, &guards);
  PM_VEC_FREE(guards);
  if (!part || known->holds) return part;
  isl_set *rest = isl_set_subtract(isl_set_copy(isl_peek_set(whole)), isl_set_copy(isl_peek_set(part)));
  return isl_attr_of_set(l->ctx, isl_set_coalesce(rest));
}

static bool add_part(lowering *l, pm_op *op, const dsl_case *branch, const known_condition *known) {
  pm_attr set = part_of(l, op, known);
  if (!set) return false;
  if (isl_set_is_empty(isl_peek_set(set)) == isl_bool_true) return true;
  dsl_case *part = pm_arena_memdup(l->program->arena, branch, sizeof(*branch));
  part->value = dsl_substitute(l->program, branch->value, chosen_arm, known);
  pm_op *made = lower_part_of_case(l, pm_parent(op), set, part);
  if (made) pm_move_before(made, op->region, op);
  return made != NULL;
}

/* False when it has no choice that could help. */
static bool split(lowering *l, const bad_case *bad, bool *ok) {
  const dsl_case *branch = pm_map_get(l->cases, bad->op);
  l->stage = bad->stage;
  if (!branch || !lower_domain(l, bad->stage->loc, &bad->stage->domain)) return false;
  dsl_expr *condition = find_condition(l, branch->value, bad->read);
  if (!condition) return false;
  kit_forget(&l->kit, pm_parent(bad->op));
  *ok &= add_part(l, bad->op, branch, &(known_condition){condition, true}) &&
         add_part(l, bad->op, branch, &(known_condition){condition, false});
  pm_map_remove(l->cases, bad->op);
  pm_op_erase(bad->op);
  return true;
}

/* --- the cases --- */

static const dsl_symbol *stage_named(const lowering *l, pm_string name) {
  for (size_t i = 0; i < l->program->symbols.len; i++) {
    const dsl_symbol *s = l->program->symbols.data[i];
    if (s->kind == DSL_FUNCTION && s->name == name) return s;
  }
  return NULL;
}

/* The steps of a TStencil keep the points that they cannot compute anyway. */
static void find_bad(lowering *l, pm_op *pipeline, bad_cases *out) {
  stage_graph *graph = kit_graph(&l->kit, pipeline);
  for (size_t i = 0; graph && i < graph->accesses.len; i++) {
    const stage_access *access = graph->accesses.data[i];
    if (access->case_index < 0 || !kit_leaves_domain(&l->kit, access)) continue;
    const dsl_symbol *stage = stage_named(l, access->consumer->name);
    pm_op *op = pm_parent(access->read);
    if (stage && !stage->time_input) PM_VEC_PUSH(*out, ((bad_case){op, stage, access->read->loc}));
  }
  stage_graph_free(graph);
}

/* One choice of each case, by the first read that has one. Reads of a case follow each other. */
static bool split_all(lowering *l, const bad_cases *found, bool *ok) {
  bool changed = false;
  const pm_op *done = NULL;
  for (size_t i = 0; i < found->len && *ok; i++) {
    if (found->data[i].op == done || !split(l, &found->data[i], ok)) continue;
    done = found->data[i].op;
    changed = true;
  }
  return changed;
}

bool lower_choices(lowering *l, pm_op *pipeline) {
  bool ok = true, changed = l->program->n_selects > 0;
  while (ok && changed) {
    bad_cases found = {0};
    find_bad(l, pipeline, &found);
    changed = split_all(l, &found, &ok);
    PM_VEC_FREE(found);
    ok = ok && (!changed || pm_verify_module(l->module));
  }
  return ok;
}
