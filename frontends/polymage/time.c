/* A TStencil as a chain of stages: each step is the definition once, reading the step before in place of the
 * input. The steps ahead of the last cover the whole input, because the last reads its ghosts. */
#include <stdlib.h>

#include "frontends/polymage/dsl.h"

typedef PM_VEC(const dsl_expr *) expr_stack;

static void visit(dsl_program *program, dsl_expr *e, expr_stack *stack) {
  if (!e || e->visited == program->walk) return;
  e->visited = program->walk;
  PM_VEC_PUSH(*stack, e);
}

/* What a stencil below `e` lies on; NULL when there is none. */
static dsl_symbol *stencil_input(dsl_program *program, dsl_expr *e) {
  expr_stack stack = {0};
  dsl_symbol *input = NULL;
  program->walk++;
  visit(program, e, &stack);
  while (stack.len > 0 && !input) {
    const dsl_expr *at = PM_VEC_POP(stack);
    if (at->op == DSL_STENCIL) input = at->args[0]->symbol;
    for (uint32_t i = at->n_args; i-- > 0;) visit(program, at->args[i], &stack);
  }
  PM_VEC_FREE(stack);
  return input;
}

/* The input of a TStencil; NULL after a diagnostic. */
static dsl_symbol *find_input(dsl_program *program, const dsl_symbol *stage) {
  dsl_symbol *input = NULL;
  const void *name = stage->name;
  for (size_t i = 0; i < stage->cases.len && !input; i++)
    input = stencil_input(program, stage->cases.data[i]->value);
  if (!input)
    pm_error(
        program->ctx, stage->loc,
        "the definition of the TStencil %pS has no Stencil, it should have one on what the steps start with",
        name);
  else if (input == stage)
    pm_error(program->ctx, stage->loc,
             "the TStencil %pS lies on itself, it should lie on what it starts with", name);
  else if (input->n_dims != stage->n_dims)
    pm_error(program->ctx, stage->loc,
             "the TStencil %pS has %u dimensions, %pS, which it starts with, has %u; they should be as many",
             name, stage->n_dims, (const void *)input->name, input->n_dims);
  else
    return input;
  return NULL;
}

static dsl_symbol *new_step(dsl_program *program, const dsl_symbol *last, int64_t number) {
  dsl_symbol *step = dsl_new_symbol(program, DSL_FUNCTION, last->loc);
  pm_buf name = {0};
  pm_buf_printf(&name, "%s_t%lld", last->name->text, (long long)number);
  step->given = pm_get_string(program->ctx, (pm_str){name.data, name.len});
  pm_buf_free(&name);
  step->type = last->type;
  step->n_dims = last->n_dims;
  step->has_domain = true;
  step->domain = last->domain;
  step->time_input = last->time_input;
  for (size_t i = 0; i < last->cases.len; i++) PM_VEC_PUSH(step->cases, last->cases.data[i]);
  return step;
}

static bool make_steps(dsl_program *program, dsl_symbol *last) {
  if (!last->has_domain || last->cases.len == 0) return true;
  last->time_input = find_input(program, last);
  if (!last->time_input) return false;
  last->is_last_step = true;
  last->time_before = last->time_input;
  for (int64_t t = 1; t < last->time_steps; t++) {
    dsl_symbol *step = new_step(program, last, t);
    step->time_before = last->time_before;
    last->time_before = step;
  }
  return true;
}

bool dsl_make_time_steps(dsl_program *program) {
  bool ok = true;
  size_t n = program->symbols.len;
  for (size_t i = 0; i < n; i++)
    if (program->symbols.data[i]->time_steps > 0) ok &= make_steps(program, program->symbols.data[i]);
  return ok;
}
