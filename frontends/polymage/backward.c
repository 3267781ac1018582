/* Recurrences that go backward: a stage that reads itself at later points. Points are computed in
 * lexicographic order, so the stage is stored under negated variables, where these points are earlier ones:
 *
 *   s(x) = s(x + 1) + f(x)  =>  s_backward(minus_x) = s_backward(minus_x - 1) + f(-minus_x)
 *                               s(x) = s_backward(-x)
 */
#include <stdlib.h>

#include "frontends/polymage/dsl.h"

typedef PM_VEC(dsl_expr *) expr_stack;

enum { DIRECTION_MAX_DEPTH = 64 };

static void visit(dsl_program *program, dsl_expr *e, expr_stack *stack) {
  if (!e || e->visited == program->walk) return;
  e->visited = program->walk;
  PM_VEC_PUSH(*stack, e);
}

/* --- which dimensions go backward --- */

/* Appends the reads of the stage itself in what the stack holds; false after a diagnostic. */
static bool find_self_reads(dsl_program *program, const dsl_symbol *stage, expr_stack *stack,
                            expr_stack *out) {
  while (stack->len > 0) {
    dsl_expr *e = PM_VEC_POP(*stack);
    if (e->op == DSL_STENCIL) {
      dsl_expr *expanded = dsl_expand_stencil(program, e, &stage->domain);
      if (!expanded) return false;
      visit(program, expanded, stack);
      continue;
    }
    if (e->op == DSL_READ && e->symbol == stage && e->n_args == stage->n_dims) PM_VEC_PUSH(*out, e);
    for (uint32_t i = 0; i < e->n_args; i++) visit(program, e->args[i], stack);
  }
  return true;
}

static bool self_reads(dsl_program *program, const dsl_symbol *stage, expr_stack *out) {
  expr_stack stack = {0};
  bool ok = true;
  program->walk++;
  for (size_t i = 0; i < stage->cases.len && ok; i++) {
    visit(program, stage->cases.data[i]->condition, &stack);
    visit(program, stage->cases.data[i]->value, &stack);
    ok = find_self_reads(program, stage, &stack, out);
  }
  PM_VEC_FREE(stack);
  return ok;
}

/* The sum of a variable, as often as `count` says, and a number. */
typedef struct offset {
  int64_t count, number;
} offset;

static bool offset_of(const dsl_expr *e, const dsl_symbol *variable, int64_t sign, unsigned depth,
                      offset *sum) {
  if (depth > DIRECTION_MAX_DEPTH) return false;
  switch (e->op) {
  case DSL_INT:
    if (e->i < -INT32_MAX || e->i > INT32_MAX) return false;
    sum->number += sign * e->i;
    return true;
  case DSL_SYMBOL:
    sum->count += sign;
    return e->symbol == variable;
  case DSL_NEG:
    return offset_of(e->args[0], variable, -sign, depth + 1, sum);
  case DSL_ADD:
  case DSL_SUB:
    return offset_of(e->args[0], variable, sign, depth + 1, sum) &&
           offset_of(e->args[1], variable, e->op == DSL_ADD ? sign : -sign, depth + 1, sum);
  default:
    return false;
  }
}

/* How far the read goes along a dimension: read(… x + 2 …) 2. False when that is not known. */
static bool distance(const dsl_symbol *stage, const dsl_expr *read, unsigned d, int64_t *out) {
  offset sum = {0, 0};
  bool known = offset_of(read->args[d], stage->domain.variables[d], 1, 0, &sum) && sum.count == 1;
  *out = sum.number;
  return known;
}

/* The dimensions along which the reads go forward, a bit each: of each read the first one along which it goes
 * anywhere counts, since its order is decided there. Reads whose distance is not known say nothing, and
 * neither does a dimension along which reads go both ways: the order of such a stage is checked like any
 * other. */
static uint32_t backward_dimensions(const dsl_symbol *stage, expr_stack *reads) {
  uint32_t backward = 0;
  for (unsigned d = 0; d < stage->n_dims; d++) {
    bool earlier = false, later = false;
    size_t left = 0;
    for (size_t i = 0; i < reads->len; i++) {
      int64_t by;
      if (!distance(stage, reads->data[i], d, &by)) continue;
      earlier |= by < 0;
      later |= by > 0;
      if (by == 0) reads->data[left++] = reads->data[i];
    }
    reads->len = left;
    if (later && earlier) return backward;
    if (later) backward |= UINT32_C(1) << d;
  }
  return backward;
}

/* --- the stage under negated variables --- */

typedef struct turning {
  dsl_program *program;
  const dsl_symbol *stage; /* as it was */
  dsl_symbol *turned;
  pm_map *done; /* dsl_expr -> what it is in the turned stage */
} turning;

static dsl_expr *negated(dsl_program *program, dsl_expr *e) {
  return dsl_new(program, DSL_NEG, e->loc, &e, 1);
}

static bool is_backward(const dsl_symbol *turned, unsigned d) {
  return turned->backward >> d & 1;
}

static dsl_expr *turned_use(const turning *t, dsl_expr *e) {
  for (unsigned d = 0; d < t->stage->n_dims; d++)
    if (is_backward(t->turned, d) && t->stage->domain.variables[d] == e->symbol)
      return negated(t->program, dsl_new_use(t->program, e->loc, t->turned->domain.variables[d]));
  return e;
}

/* Its arguments are done. */
static dsl_expr *turned_node(const turning *t, dsl_expr *e) {
  if (e->op == DSL_STENCIL) return pm_map_get(t->done, e->stencil->expanded);
  if (e->op == DSL_SYMBOL) return turned_use(t, e);
  if (e->n_args == 0) return e;
  dsl_expr **args = pm_arena_alloc(t->program->arena, e->n_args * sizeof(*args));
  bool self = e->op == DSL_READ && e->symbol == t->stage;
  for (uint32_t i = 0; i < e->n_args; i++) {
    args[i] = pm_map_get(t->done, e->args[i]);
    if (self && is_backward(t->turned, i)) args[i] = negated(t->program, args[i]);
  }
  dsl_expr *copy = dsl_new(t->program, e->op, e->loc, args, e->n_args);
  copy->i = e->i;
  copy->symbol = self ? t->turned : copy->symbol;
  return copy;
}

/* Pushes what is not done of the parts of an expression. */
static bool push_parts(const turning *t, const dsl_expr *e, expr_stack *stack) {
  size_t before = stack->len;
  if (e->op == DSL_STENCIL) {
    if (!pm_map_has(t->done, e->stencil->expanded)) PM_VEC_PUSH(*stack, e->stencil->expanded);
    return stack->len > before;
  }
  for (uint32_t i = 0; i < e->n_args; i++)
    if (!pm_map_has(t->done, e->args[i])) PM_VEC_PUSH(*stack, e->args[i]);
  return stack->len > before;
}

static dsl_expr *turned_expr(const turning *t, dsl_expr *e) {
  expr_stack stack = {0};
  if (!e) return NULL;
  PM_VEC_PUSH(stack, e);
  while (stack.len > 0) {
    dsl_expr *top = PM_VEC_LAST(stack);
    if (!pm_map_has(t->done, top) && push_parts(t, top, &stack)) continue;
    if (!pm_map_has(t->done, top)) pm_map_set(t->done, top, turned_node(t, top));
    (void)PM_VEC_POP(stack);
  }
  PM_VEC_FREE(stack);
  return pm_map_get(t->done, e);
}

static dsl_expr *binary(dsl_program *program, dsl_op op, dsl_expr *a, dsl_expr *b) {
  dsl_expr *args[2] = {a, b};
  return dsl_new(program, op, a->loc, args, 2);
}

/* The last point of an interval: lower + (upper - lower) // step * step. */
static dsl_expr *last_point(dsl_program *program, const dsl_interval *i) {
  if (i->step == 1) return i->upper;
  dsl_expr *step = dsl_new_int(program, i->loc, i->step);
  dsl_expr *steps = binary(program, DSL_FLOOR_DIV, binary(program, DSL_SUB, i->upper, i->lower), step);
  return binary(program, DSL_ADD, i->lower, binary(program, DSL_MUL, steps, step));
}

static dsl_interval *turned_interval(dsl_program *program, const dsl_interval *i) {
  dsl_interval turned = {.loc = i->loc, .step = i->step};
  turned.lower = negated(program, last_point(program, i));
  turned.upper = negated(program, i->lower);
  return pm_arena_memdup(program->arena, &turned, sizeof(turned));
}

static pm_string name_around(pm_context *ctx, const char *before, pm_string name, const char *behind) {
  pm_buf text = {0};
  pm_buf_printf(&text, "%s%s%s", before, name->text, behind);
  pm_string result = pm_get_string(ctx, (pm_str){text.data, text.len});
  pm_buf_free(&text);
  return result;
}

static void turn_domain(const turning *t) {
  dsl_program *program = t->program;
  dsl_domain *domain = &t->turned->domain;
  size_t n = t->stage->n_dims;
  domain->n_dims = t->stage->n_dims;
  domain->variables =
      pm_arena_memdup(program->arena, t->stage->domain.variables, n * sizeof(*domain->variables));
  domain->intervals =
      pm_arena_memdup(program->arena, t->stage->domain.intervals, n * sizeof(*domain->intervals));
  for (unsigned d = 0; d < n; d++) {
    if (!is_backward(t->turned, d)) continue;
    dsl_symbol *variable = dsl_new_symbol(program, DSL_VARIABLE, t->stage->loc);
    variable->given = name_around(program->ctx, "minus_", t->stage->domain.variables[d]->name, "");
    domain->variables[d] = variable;
    domain->intervals[d] = turned_interval(program, t->stage->domain.intervals[d]);
  }
}

static void turn_cases(const turning *t) {
  for (size_t i = 0; i < t->stage->cases.len; i++) {
    dsl_case branch = *t->stage->cases.data[i];
    branch.condition = turned_expr(t, branch.condition);
    branch.value = turned_expr(t, branch.value);
    PM_VEC_PUSH(t->turned->cases, pm_arena_memdup(t->program->arena, &branch, sizeof(branch)));
  }
}

static dsl_expr *elements_of(dsl_program *program, dsl_expr *read) {
  unsigned n = read->symbol->n_elems;
  dsl_expr **elems = pm_arena_alloc(program->arena, n * sizeof(*elems));
  for (unsigned i = 0; i < n; i++) {
    elems[i] = dsl_new(program, DSL_ELEMENT, read->loc, &read, 1);
    elems[i]->i = i;
  }
  return dsl_new(program, DSL_TUPLE, read->loc, elems, n);
}

/* s(x) = s_backward(-x) */
static void read_back(const turning *t, dsl_symbol *stage) {
  dsl_program *program = t->program;
  dsl_expr **point = pm_arena_alloc(program->arena, stage->n_dims * sizeof(*point));
  for (unsigned d = 0; d < stage->n_dims; d++) {
    point[d] = dsl_new_use(program, stage->loc, stage->domain.variables[d]);
    if (is_backward(t->turned, d)) point[d] = negated(program, point[d]);
  }
  dsl_expr *read = dsl_new_read(program, stage->loc, t->turned, point, stage->n_dims);
  dsl_case whole = {.loc = stage->loc, .value = stage->n_elems ? elements_of(program, read) : read};
  stage->cases.len = 0;
  PM_VEC_PUSH(stage->cases, pm_arena_memdup(program->arena, &whole, sizeof(whole)));
}

static void turn(dsl_program *program, dsl_symbol *stage, uint32_t backward) {
  turning t = {program, stage, dsl_new_symbol(program, DSL_FUNCTION, stage->loc), pm_map_new()};
  t.turned->given = name_around(program->ctx, "", stage->name, "_backward");
  t.turned->type = stage->type;
  t.turned->elems = stage->elems;
  t.turned->n_elems = stage->n_elems;
  t.turned->n_dims = stage->n_dims;
  t.turned->has_domain = true;
  t.turned->boundary = stage->boundary;
  t.turned->default_value = stage->default_value;
  t.turned->backward = backward;
  turn_domain(&t);
  turn_cases(&t);
  read_back(&t, stage);
  pm_map_free(t.done);
}

bool dsl_turn_recurrences(dsl_program *program) {
  bool ok = true;
  size_t n = program->symbols.len;
  for (size_t i = 0; i < n; i++) {
    dsl_symbol *stage = program->symbols.data[i];
    expr_stack reads = {0};
    if (stage->kind != DSL_FUNCTION || !stage->has_domain || stage->time_input || stage->updates.len > 0)
      continue;
    bool known = self_reads(program, stage, &reads);
    uint32_t backward = known ? backward_dimensions(stage, &reads) : 0;
    ok = ok && known;
    if (backward) turn(program, stage, backward);
    PM_VEC_FREE(reads);
  }
  return ok;
}
