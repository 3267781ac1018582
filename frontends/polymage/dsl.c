/* PolyMage's objects as data: making them, expanding stencils, finding what a stage reads. */
#include "frontends/polymage/dsl.h"

#include <stdlib.h>
#include <string.h>

void dsl_program_free(dsl_program *program) {
  for (size_t i = 0; i < program->symbols.len; i++) {
    PM_VEC_FREE(program->symbols.data[i]->cases);
    PM_VEC_FREE(program->symbols.data[i]->updates);
  }
  PM_VEC_FREE(program->symbols);
  PM_VEC_FREE(program->constraints);
}

const char *dsl_describe(const dsl_symbol *symbol) {
  switch (symbol->kind) {
  case DSL_PARAMETER:
    return "a parameter";
  case DSL_VARIABLE:
    return "a variable";
  case DSL_IMAGE:
    return symbol->values ? "a table" : "an image";
  case DSL_FUNCTION:
    return "a stage";
  }
  return "a symbol";
}

void dsl_put_symbol(pm_buf *out, const dsl_symbol *symbol) {
  const char *kind = dsl_describe(symbol);
  if (symbol->given && symbol->given->len > 0)
    pm_buf_printf(out, "the%s %s", strchr(kind, ' '), symbol->given->text);
  else
    pm_buf_puts(out, kind);
}

/* --- expressions --- */

dsl_expr *dsl_new(dsl_program *program, dsl_op op, pm_loc loc, dsl_expr *const *args, unsigned n_args) {
  dsl_expr *e = pm_arena_alloc(program->arena, sizeof(*e));
  e->op = op;
  e->loc = loc;
  e->n_args = n_args;
  if (n_args > 0) e->args = pm_arena_memdup(program->arena, args, n_args * sizeof(*args));
  for (unsigned i = 0; i < n_args; i++)
    if (args[i]->depth > e->depth) e->depth = args[i]->depth;
  e->depth++;
  return e;
}

dsl_expr *dsl_new_int(dsl_program *program, pm_loc loc, int64_t value) {
  dsl_expr *e = dsl_new(program, DSL_INT, loc, NULL, 0);
  e->i = value;
  return e;
}

dsl_expr *dsl_new_real(dsl_program *program, pm_loc loc, double value) {
  dsl_expr *e = dsl_new(program, DSL_REAL, loc, NULL, 0);
  e->f = value;
  return e;
}

dsl_expr *dsl_new_read(dsl_program *program, pm_loc loc, dsl_symbol *symbol, dsl_expr *const *args,
                       unsigned n_args) {
  dsl_expr *e = dsl_new(program, DSL_READ, loc, args, n_args);
  e->symbol = symbol;
  return e;
}

dsl_expr *dsl_new_use(dsl_program *program, pm_loc loc, dsl_symbol *symbol) {
  dsl_expr *e = dsl_new(program, DSL_SYMBOL, loc, NULL, 0);
  e->symbol = symbol;
  return e;
}

dsl_symbol *dsl_new_symbol(dsl_program *program, dsl_symbol_kind kind, pm_loc loc) {
  dsl_symbol *symbol = pm_arena_alloc(program->arena, sizeof(*symbol));
  symbol->kind = kind;
  symbol->loc = loc;
  symbol->type = PM_I32;
  symbol->index = (unsigned)program->symbols.len;
  PM_VEC_PUSH(program->symbols, symbol);
  return symbol;
}

/* --- stencils --- */

/* index + offset */
static dsl_expr *shifted(dsl_program *program, pm_loc loc, dsl_expr *index, int64_t offset) {
  if (offset == 0) return index;
  dsl_expr *args[2] = {index, dsl_new_int(program, loc, offset < 0 ? -offset : offset)};
  return dsl_new(program, offset < 0 ? DSL_SUB : DSL_ADD, loc, args, 2);
}

/* weights[at] * f(indices shifted to that weight) */
static dsl_expr *stencil_term(dsl_program *program, const dsl_expr *e, const dsl_symbol *producer,
                              dsl_expr *const *indices, unsigned n_indices, size_t at) {
  const dsl_stencil *s = e->stencil;
  dsl_expr **shift = pm_arena_memdup(program->arena, indices, n_indices * sizeof(*indices));
  size_t rest = at;
  for (unsigned d = s->rank; d-- > 0; rest /= (size_t)s->extents[d]) {
    int64_t offset = (int64_t)(rest % (size_t)s->extents[d]) - s->origin[d];
    unsigned i = n_indices - s->rank + d;
    shift[i] = shifted(program, e->loc, indices[i], offset);
  }
  dsl_expr *read = dsl_new_read(program, e->loc, (dsl_symbol *)producer, shift, n_indices);
  dsl_expr *weight = s->weights[at];
  if (weight->op == DSL_INT && weight->i == 1) return read;
  dsl_expr *args[2] = {weight, read};
  return dsl_new(program, DSL_MUL, e->loc, args, 2);
}

static bool is_zero(const dsl_expr *weight) {
  return (weight->op == DSL_INT && weight->i == 0) || (weight->op == DSL_REAL && weight->f == 0);
}

static dsl_expr *stencil_sum(dsl_program *program, const dsl_expr *e, dsl_expr *const *indices,
                             unsigned n_indices) {
  const dsl_stencil *s = e->stencil;
  size_t n = 1;
  for (unsigned d = 0; d < s->rank; d++) n *= (size_t)s->extents[d];
  const dsl_symbol *producer = e->args[0]->symbol;
  dsl_expr *sum = NULL;
  for (size_t k = 0; k < n; k++) {
    if (is_zero(s->weights[k])) continue;
    dsl_expr *term = stencil_term(program, e, producer, indices, n_indices, k);
    dsl_expr *args[2] = {sum, term};
    sum = sum ? dsl_new(program, DSL_ADD, e->loc, args, 2) : term;
  }
  if (!sum) sum = dsl_new_int(program, e->loc, 0);
  if (!s->factor || (s->factor->op == DSL_INT && s->factor->i == 1)) return sum;
  dsl_expr *args[2] = {s->factor, sum};
  return dsl_new(program, DSL_MUL, e->loc, args, 2);
}

dsl_expr *dsl_expand_stencil(dsl_program *program, dsl_expr *e, const dsl_domain *at) {
  dsl_stencil *s = e->stencil;
  if (s->expanded && (!s->implicit || s->expanded_for == at)) return s->expanded;
  const dsl_expr *read = e->args[0];
  dsl_expr **indices = read->args;
  unsigned n = read->n_args;
  if (s->implicit) {
    n = at->n_dims;
    indices = pm_arena_alloc(program->arena, (n + 1) * sizeof(*indices));
    for (unsigned i = 0; i < n; i++) indices[i] = dsl_new_use(program, e->loc, at->variables[i]);
  }
  if (s->rank > n) {
    pm_string name = read->symbol->name ? read->symbol->name : read->symbol->given;
    const char *what = s->implicit ? "the domain it goes over" : name ? name->text : "what it lies on";
    pm_error(program->ctx, e->loc, "the kernel has %u dimensions, it should have at most %u as %s", s->rank,
             n, what);
    return NULL;
  }
  s->expanded = stencil_sum(program, e, indices, n);
  s->expanded_for = at;
  return s->expanded;
}

/* --- reads --- */

typedef PM_VEC(dsl_expr *) expr_stack;

static void visit(dsl_program *program, dsl_expr *e, expr_stack *stack) {
  if (!e || e->visited == program->walk) return;
  e->visited = program->walk;
  PM_VEC_PUSH(*stack, e);
}

typedef struct collector {
  dsl_program *program;
  const dsl_symbol *stage;
  expr_stack stack;
  pm_map *seen;
  dsl_symbols *out;
} collector;

static void add_read(collector *c, dsl_symbol *symbol) {
  symbol = dsl_read_by(c->stage, symbol);
  if (pm_map_has(c->seen, symbol)) return;
  pm_map_set(c->seen, symbol, NULL);
  PM_VEC_PUSH(*c->out, symbol);
}

/* What is reached from the stack; false after a diagnostic. */
static bool collect(collector *c, const dsl_domain *at) {
  while (c->stack.len > 0) {
    dsl_expr *e = PM_VEC_POP(c->stack);
    if (e->op == DSL_STENCIL) {
      dsl_expr *expanded = dsl_expand_stencil(c->program, e, at);
      if (!expanded) return false;
      visit(c->program, expanded, &c->stack);
      continue;
    }
    if (e->op == DSL_READ) add_read(c, e->symbol);
    for (uint32_t i = 0; i < e->n_args; i++) visit(c->program, e->args[i], &c->stack);
  }
  return true;
}

static bool collect_case(collector *c, const dsl_case *branch, const dsl_domain *at) {
  visit(c->program, branch->condition, &c->stack);
  visit(c->program, branch->value, &c->stack);
  for (uint32_t i = 0; branch->target && i < branch->target->n_args; i++)
    visit(c->program, branch->target->args[i], &c->stack);
  return collect(c, at);
}

bool dsl_collect_reads(dsl_program *program, dsl_symbol *stage, dsl_symbols *out) {
  collector c = {.program = program, .stage = stage, .seen = pm_map_new(), .out = out};
  bool ok = true;
  program->walk++;
  if (stage->time_input) add_read(&c, stage->time_input);
  for (size_t i = 0; i < stage->cases.len && ok; i++)
    ok = collect_case(&c, stage->cases.data[i], &stage->domain);
  program->walk++;
  for (size_t i = 0; i < stage->updates.len && ok; i++)
    ok = collect_case(&c, stage->updates.data[i], &stage->reduction);
  pm_map_free(c.seen);
  PM_VEC_FREE(c.stack);
  return ok;
}

/* --- names --- */

static bool may_hold_symbols(py_value v) {
  return v.type == VAL_DICT || py_is_seq(v) || (v.type == VAL_SYMBOL && !v.symbol->given);
}

static size_t name_inside(pm_context *ctx, py_value value, const char *name, unsigned depth);

static size_t name_item(pm_context *ctx, py_value item, const char *base, py_value key, unsigned depth) {
  if (!may_hold_symbols(item)) return 1;
  pm_buf name = {0};
  pm_buf_printf(&name, "%s_", base);
  py_put_str(&name, key);
  size_t looked_at = name_inside(ctx, item, name.data, depth + 1);
  pm_buf_free(&name);
  return looked_at;
}

static size_t name_inside(pm_context *ctx, py_value value, const char *name, unsigned depth) {
  enum { MAX_NAMED_DEPTH = 4 };
  size_t looked_at = 1;
  if (depth > MAX_NAMED_DEPTH) return looked_at;
  if (value.type == VAL_SYMBOL && !value.symbol->given) value.symbol->given = pm_get_cstring(ctx, name);
  if (py_is_seq(value))
    for (size_t i = 0; i < value.seq->len; i++)
      looked_at += name_item(ctx, value.seq->items[i], name, py_int((int64_t)i), depth);
  if (value.type == VAL_DICT)
    for (size_t i = 0; i < value.dict->len; i++)
      looked_at += name_item(ctx, value.dict->entries[i].value, name, value.dict->entries[i].key, depth);
  return looked_at;
}

size_t dsl_name_value(pm_context *ctx, py_value value, const char *name) {
  return name_inside(ctx, value, name, 0);
}
