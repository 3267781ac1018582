/* Expressions with parts of them replaced. Walks keep their own stack: programs build expressions of any
 * depth. */
#include <stdlib.h>

#include "frontends/polymage/dsl.h"

typedef struct replacing {
  dsl_program *program;
  dsl_replacement replace;
  const void *user;
  pm_map *made; /* of what was seen */
  PM_VEC(dsl_expr *) stack;
} replacing;

static dsl_expr *made_of(const replacing *r, const dsl_expr *e) {
  return pm_map_get(r->made, e);
}

/* Parts that are not made yet go on the stack; true when there are none. */
static bool push_parts(replacing *r, dsl_expr *e) {
  size_t before = r->stack.len;
  for (uint32_t i = 0; i < e->n_args; i++)
    if (!made_of(r, e->args[i])) PM_VEC_PUSH(r->stack, e->args[i]);
  return r->stack.len == before;
}

/* The expression itself where no part changed. */
static dsl_expr *rebuild(replacing *r, dsl_expr *e) {
  bool changed = false;
  for (uint32_t i = 0; i < e->n_args; i++) changed |= made_of(r, e->args[i]) != e->args[i];
  if (!changed) return e;
  dsl_expr *copy = pm_arena_memdup(r->program->arena, e, sizeof(*e));
  copy->args = pm_arena_alloc(r->program->arena, e->n_args * sizeof(*copy->args));
  for (uint32_t i = 0; i < e->n_args; i++) copy->args[i] = made_of(r, e->args[i]);
  if (e->op == DSL_STENCIL) {
    copy->stencil = pm_arena_memdup(r->program->arena, e->stencil, sizeof(*e->stencil));
    copy->stencil->expanded = NULL;
  }
  copy->visited = 0;
  copy->emitted = NULL;
  return copy;
}

static void make(replacing *r, dsl_expr *e) {
  dsl_expr *instead = r->replace(r->user, e);
  if (instead && instead != e && !made_of(r, instead)) {
    PM_VEC_PUSH(r->stack, instead);
    return;
  }
  if (instead && instead != e) {
    pm_map_set(r->made, e, made_of(r, instead));
  } else if (push_parts(r, e)) {
    pm_map_set(r->made, e, rebuild(r, e));
  } else {
    return;
  }
  r->stack.len--;
}

dsl_expr *dsl_substitute(dsl_program *program, dsl_expr *e, dsl_replacement replace, const void *user) {
  replacing r = {.program = program, .replace = replace, .user = user, .made = pm_map_new()};
  if (e) PM_VEC_PUSH(r.stack, e);
  while (r.stack.len > 0) {
    dsl_expr *top = r.stack.data[r.stack.len - 1];
    if (made_of(&r, top))
      r.stack.len--;
    else
      make(&r, top);
  }
  dsl_expr *result = e ? made_of(&r, e) : NULL;
  PM_VEC_FREE(r.stack);
  pm_map_free(r.made);
  return result;
}
