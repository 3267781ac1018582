/* Which parameters a pipeline has: those of its images and of the stages that are needed. */
#include <stdlib.h>

#include "frontends/polymage/dsl.h"

typedef struct marker {
  dsl_program *program;
  PM_VEC(dsl_expr *) stack;
} marker;

static void visit(marker *m, dsl_expr *e) {
  if (!e || e->visited == m->program->walk) return;
  e->visited = m->program->walk;
  PM_VEC_PUSH(m->stack, e);
}

/* The weights and the factor of a stencil are in what it stands for. */
static dsl_symbol *next_parameter(marker *m) {
  while (m->stack.len > 0) {
    const dsl_expr *e = PM_VEC_POP(m->stack);
    if (e->op == DSL_STENCIL) visit(m, e->stencil->expanded);
    for (uint32_t i = 0; i < e->n_args; i++) visit(m, e->args[i]);
    if (e->op == DSL_SYMBOL && e->symbol->kind == DSL_PARAMETER) return e->symbol;
  }
  return NULL;
}

static void visit_domain(marker *m, const dsl_domain *domain) {
  for (unsigned d = 0; d < domain->n_dims; d++) {
    visit(m, domain->intervals[d]->lower);
    visit(m, domain->intervals[d]->upper);
  }
}

static void visit_case(marker *m, const dsl_case *branch) {
  visit(m, branch->condition);
  visit(m, branch->value);
  visit(m, branch->target);
}

static void visit_symbol(marker *m, const dsl_symbol *s) {
  for (unsigned d = 0; s->kind == DSL_IMAGE && d < s->n_dims; d++) visit(m, s->extents[d]);
  if (s->kind != DSL_FUNCTION || !s->needed) return;
  visit_domain(m, &s->domain);
  visit_domain(m, &s->reduction);
  for (size_t i = 0; i < s->cases.len; i++) visit_case(m, s->cases.data[i]);
  for (size_t i = 0; i < s->updates.len; i++) visit_case(m, s->updates.data[i]);
}

void dsl_mark_parameters(dsl_program *program) {
  marker m = {.program = program};
  program->walk++;
  for (size_t i = 0; i < program->symbols.len; i++) {
    visit_symbol(&m, program->symbols.data[i]);
    for (dsl_symbol *s; (s = next_parameter(&m));) s->needed = true;
  }
  PM_VEC_FREE(m.stack);
}

bool dsl_is_needed(dsl_program *program, dsl_expr *condition) {
  marker m = {.program = program};
  bool needed = true;
  program->walk++;
  visit(&m, condition);
  for (dsl_symbol *s; (s = next_parameter(&m));) needed &= s->needed;
  PM_VEC_FREE(m.stack);
  return needed;
}
