/* The functions of PolyMage's language that programs call: Parameter, Function, Stencil, Select … */
#include "frontends/polymage/interp.h"

#include <stdlib.h>
#include <string.h>

enum { DSL_MAX_DIMS = 8, DSL_MAX_KERNEL = 100000 };

typedef struct type_name {
  const char *name;
  pm_scalar scalar;
} type_name;

static const type_name type_names[] = {
    {"Int", PM_I32},  {"UInt", PM_U32}, {"Short", PM_I16}, {"UShort", PM_U16}, {"Char", PM_I8},
    {"UChar", PM_U8}, {"Long", PM_I64}, {"ULong", PM_U64}, {"Float", PM_F32},  {"Double", PM_F64},
};

const char *dsl_type_name(pm_scalar type) {
  for (size_t i = 0; i < PM_COUNT(type_names); i++)
    if (type_names[i].scalar == type) return type_names[i].name;
  return pm_get_scalar_info(type)->name;
}

py_value dsl_find_constant(pm_str name) {
  for (size_t i = 0; i < PM_COUNT(type_names); i++)
    if (pm_str_is(name, type_names[i].name))
      return (py_value){.type = VAL_TYPE, .scalar = type_names[i].scalar};
  return PY_POISON;
}

static py_value expr_value(dsl_expr *e) {
  return (py_value){.type = dsl_is_cond(e->op) ? VAL_COND : VAL_EXPR, .expr = e};
}
static py_value symbol_value(dsl_symbol *s) {
  return (py_value){.type = VAL_SYMBOL, .symbol = s};
}

bool dsl_is_operand(py_value v) {
  return v.type == VAL_EXPR || v.type == VAL_COND || v.type == VAL_SYMBOL;
}

/* The value as an expression, `what` being its role in messages; NULL after a diagnostic. */
static dsl_expr *to_expr(py_interp *py, pm_loc loc, py_value v, const char *what) {
  switch (v.type) {
  case VAL_POISON:
    return NULL;
  case VAL_BOOL:
  case VAL_INT:
    return dsl_new_int(py->dsl, loc, py_as_int(v));
  case VAL_FLOAT:
    return dsl_new_real(py->dsl, loc, v.f);
  case VAL_EXPR:
    return v.expr;
  case VAL_SYMBOL:
    if (dsl_is_scalar(v.symbol)) return dsl_new_use(py->dsl, loc, v.symbol);
    py_fail(py, loc, "%s is %s without indices, they should follow in parentheses", what, py_describe(v));
    return NULL;
  case VAL_COND:
    py_fail(py, loc, "%s is a condition, Select should make a value of it", what);
    return NULL;
  default:
    py_fail(py, loc, "%s is %s, it should be a number or an expression", what, py_describe(v));
    return NULL;
  }
}

static dsl_expr *to_cond(py_interp *py, pm_loc loc, py_value v) {
  if (v.type == VAL_COND) return v.expr;
  if (!py_is_poison(v))
    py_fail(py, loc, "the condition is %s, Condition(left, '<', right) should make it", py_describe(v));
  return NULL;
}

/* --- operators --- */

static bool arithmetic_op(py_tok token, dsl_op *op) {
  switch (token) {
  case TOK_PLUS:
    *op = DSL_ADD;
    return true;
  case TOK_MINUS:
    *op = DSL_SUB;
    return true;
  case TOK_STAR:
    *op = DSL_MUL;
    return true;
  case TOK_SLASH:
    *op = DSL_DIV;
    return true;
  case TOK_FLOOR:
    *op = DSL_FLOOR_DIV;
    return true;
  case TOK_PERCENT:
    *op = DSL_MOD;
    return true;
  default:
    return false;
  }
}

static py_value binary_expr(py_interp *py, pm_loc loc, dsl_op op, py_value a, py_value b) {
  dsl_expr *args[2] = {to_expr(py, loc, a, "an operand"), to_expr(py, loc, b, "an operand")};
  return args[0] && args[1] ? expr_value(dsl_new(py->dsl, op, loc, args, 2)) : PY_POISON;
}

static py_value join_conditions(py_interp *py, pm_loc loc, dsl_op op, py_value a, py_value b) {
  dsl_expr *args[2] = {to_cond(py, loc, a), to_cond(py, loc, b)};
  return args[0] && args[1] ? expr_value(dsl_new(py->dsl, op, loc, args, 2)) : PY_POISON;
}

py_value dsl_binary(py_interp *py, pm_loc loc, py_tok token, py_value a, py_value b) {
  dsl_op op;
  if (token == TOK_AMP) return join_conditions(py, loc, DSL_AND, a, b);
  if (token == TOK_BAR) return join_conditions(py, loc, DSL_OR, a, b);
  if (arithmetic_op(token, &op)) return binary_expr(py, loc, op, a, b);
  if (token == TOK_POWER)
    return py_fail(py, loc, "'**' is applied to %s, Pow(base, exponent) should be",
                   py_describe(dsl_is_operand(a) ? a : b));
  return py_fail(py, loc, "%s is applied to %s, which has only + - * / %%", py_tok_text(token),
                 py_describe(dsl_is_operand(a) ? a : b));
}

static bool comparison_op(py_tok token, dsl_op *op) {
  switch (token) {
  case TOK_EQ:
    *op = DSL_EQ;
    return true;
  case TOK_NE:
    *op = DSL_NE;
    return true;
  case TOK_LT:
    *op = DSL_LT;
    return true;
  case TOK_LE:
    *op = DSL_LE;
    return true;
  case TOK_GT:
    *op = DSL_GT;
    return true;
  case TOK_GE:
    *op = DSL_GE;
    return true;
  default:
    return false;
  }
}

/* Stages and images have no value of their own: == and != ask whether they are the same one. */
py_value dsl_compare(py_interp *py, pm_loc loc, py_tok token, py_value a, py_value b) {
  dsl_op op;
  bool whole = (a.type == VAL_SYMBOL && !dsl_is_scalar(a.symbol)) ||
               (b.type == VAL_SYMBOL && !dsl_is_scalar(b.symbol));
  if (whole && (token == TOK_EQ || token == TOK_NE)) return py_bool(py_equal(a, b) == (token == TOK_EQ));
  if (!comparison_op(token, &op)) return PY_POISON;
  return binary_expr(py, loc, op, a, b);
}

py_value dsl_negate(py_interp *py, pm_loc loc, py_value a) {
  dsl_expr *arg = to_expr(py, loc, a, "the operand of '-'");
  return arg ? expr_value(dsl_new(py->dsl, DSL_NEG, loc, &arg, 1)) : PY_POISON;
}

py_value dsl_read(py_interp *py, const py_call *call, dsl_symbol *symbol) {
  bool known = symbol->kind == DSL_IMAGE || symbol->has_domain;
  if (known && call->n_args != symbol->n_dims)
    return py_fail(py, call->loc, "%s is read with %u indices, it has %u dimensions", dsl_describe(symbol),
                   call->n_args, symbol->n_dims);
  if (call->n_args == 0 || call->n_args > DSL_MAX_DIMS)
    return py_fail(py, call->loc, "%s is read with %u indices, it should have 1 to %d", dsl_describe(symbol),
                   call->n_args, (int)DSL_MAX_DIMS);
  dsl_expr *args[DSL_MAX_DIMS];
  for (unsigned i = 0; i < call->n_args; i++) {
    if (call->args[i].keyword)
      return py_fail(py, call->args[i].loc, "an index has a name, it should have none");
    args[i] = to_expr(py, call->args[i].loc, call->args[i].value, "an index");
    if (!args[i]) return PY_POISON;
  }
  return expr_value(dsl_new_read(py->dsl, call->loc, symbol, args, call->n_args));
}

/* --- arguments by what they are --- */

/* What a constructor was given; each at most once, found by its kind or by its keyword. */
typedef struct given {
  const py_arg *type, *name, *seqs[2], *values[3];
  unsigned n_seqs, n_values;
} given;

static bool is_keyword(const py_arg *arg, const char *const *accepted) {
  if (!arg->keyword) return true;
  for (; *accepted; accepted++)
    if (strcmp(arg->keyword->text, *accepted) == 0) return true;
  return false;
}

static bool sort_argument(const py_arg *arg, given *out, unsigned max_seqs, unsigned max_values) {
  if (arg->value.type == VAL_TYPE && !out->type)
    out->type = arg;
  else if (arg->value.type == VAL_STR && !out->name)
    out->name = arg;
  else if (py_is_seq(arg->value) && out->n_seqs < max_seqs)
    out->seqs[out->n_seqs++] = arg;
  else if ((py_is_number(arg->value) || dsl_is_operand(arg->value)) && out->n_values < max_values)
    out->values[out->n_values++] = arg;
  else
    return false;
  return true;
}

static const char *const no_keywords[] = {NULL};

/* `expected` says in words what the constructor takes. */
static bool sort_arguments(py_interp *py, const py_call *call, given *out, unsigned max_seqs,
                           unsigned max_values, const char *const *keywords, const char *expected) {
  *out = (given){0};
  for (unsigned i = 0; i < call->n_args; i++) {
    const py_arg *arg = &call->args[i];
    if (!is_keyword(arg, keywords))
      return py_fail(py, arg->loc, "%s has no argument '%pS', it should be %s", call->name,
                     (const void *)arg->keyword, expected),
             false;
    if (!sort_argument(arg, out, max_seqs, max_values))
      return py_fail(py, arg->loc, "%s is given %s, it should be %s", call->name, py_describe(arg->value),
                     expected),
             false;
  }
  return true;
}

static void set_name(py_interp *py, dsl_symbol *symbol, const py_arg *name) {
  if (!name) return;
  symbol->given = pm_get_string(py->ctx, (pm_str){name->value.str->text, name->value.str->len});
  symbol->explicit_name = true;
}

/* --- constructors --- */

static py_value call_parameter(py_interp *py, const py_call *call) {
  given g;
  static const char expected[] = "Parameter(type, \"name\")";
  if (!sort_arguments(py, call, &g, 0, 0, no_keywords, expected)) return PY_POISON;
  if (!g.type) return py_fail(py, call->loc, "a parameter has no type, it should be %s", expected);
  dsl_symbol *s = dsl_new_symbol(py->dsl, DSL_PARAMETER, call->loc);
  s->type = g.type->value.scalar;
  set_name(py, s, g.name);
  return symbol_value(s);
}

static py_value call_variable(py_interp *py, const py_call *call) {
  given g;
  if (!sort_arguments(py, call, &g, 0, 0, no_keywords, "Variable(Int, \"name\")")) return PY_POISON;
  dsl_symbol *s = dsl_new_symbol(py->dsl, DSL_VARIABLE, call->loc);
  set_name(py, s, g.name);
  return symbol_value(s);
}

static py_value call_image(py_interp *py, const py_call *call) {
  given g;
  static const char expected[] = "Image(type, \"name\", [extents])";
  static const char *const keywords[] = {"dims", "name", "typ", NULL};
  if (!sort_arguments(py, call, &g, 1, 0, keywords, expected)) return PY_POISON;
  if (!g.type || g.n_seqs == 0)
    return py_fail(py, call->loc, "an image has no %s, it should be %s", g.type ? "extents" : "type",
                   expected);
  const py_seq *extents = g.seqs[0]->value.seq;
  if (extents->len == 0 || extents->len > DSL_MAX_DIMS)
    return py_fail(py, g.seqs[0]->loc, "an image has %zu dimensions, it should have 1 to %d", extents->len,
                   (int)DSL_MAX_DIMS);
  dsl_symbol *s = dsl_new_symbol(py->dsl, DSL_IMAGE, call->loc);
  s->type = g.type->value.scalar;
  s->n_dims = (unsigned)extents->len;
  s->has_domain = true;
  s->extents = pm_arena_alloc(py->arena, extents->len * sizeof(*s->extents));
  for (size_t i = 0; i < extents->len; i++)
    if (!(s->extents[i] = to_expr(py, g.seqs[0]->loc, extents->items[i], "an extent"))) return PY_POISON;
  set_name(py, s, g.name);
  return symbol_value(s);
}

static py_value call_interval(py_interp *py, const py_call *call) {
  given g;
  static const char expected[] = "Interval(type, lower, upper, step)";
  if (!sort_arguments(py, call, &g, 0, 3, no_keywords, expected)) return PY_POISON;
  if (g.n_values < 2)
    return py_fail(py, call->loc, "an interval has %u bounds, it should be %s", g.n_values, expected);
  if (g.n_values == 3 && (!py_is_int(g.values[2]->value) || py_as_int(g.values[2]->value) < 1))
    return py_fail(py, g.values[2]->loc,
                   "the step of an interval is %s, it should be an integer of at least 1",
                   py_describe(g.values[2]->value));
  dsl_interval *interval = pm_arena_alloc(py->arena, sizeof(*interval));
  interval->loc = call->loc;
  interval->lower = to_expr(py, g.values[0]->loc, g.values[0]->value, "a bound");
  interval->upper = to_expr(py, g.values[1]->loc, g.values[1]->value, "a bound");
  interval->step = g.n_values == 3 ? py_as_int(g.values[2]->value) : 1;
  return interval->lower && interval->upper ? (py_value){.type = VAL_INTERVAL, .interval = interval}
                                            : PY_POISON;
}

/* Exactly `n` arguments without names. */
static bool check_positional(py_interp *py, const py_call *call, unsigned n, const char *expected) {
  for (unsigned i = 0; i < call->n_args; i++)
    if (call->args[i].keyword)
      return py_fail(py, call->args[i].loc, "%s has no argument '%pS', it should be %s", call->name,
                     (const void *)call->args[i].keyword, expected),
             false;
  if (call->n_args == n) return true;
  py_fail(py, call->loc, "%s has %u arguments, it should be %s", call->name, call->n_args, expected);
  return false;
}

static bool relation_op(const char *text, dsl_op *op) {
  static const char *const texts[] = {"==", "!=", "<", "<=", ">", ">="};
  for (size_t i = 0; i < PM_COUNT(texts); i++) {
    if (strcmp(text, texts[i]) != 0) continue;
    *op = (dsl_op)(DSL_EQ + i);
    return true;
  }
  return false;
}

static py_value call_condition(py_interp *py, const py_call *call) {
  dsl_op op;
  if (!check_positional(py, call, 3, "Condition(left, '<', right)")) return PY_POISON;
  py_value relation = call->args[1].value;
  if (relation.type != VAL_STR || !relation_op(relation.str->text, &op))
    return py_fail(py, call->args[1].loc,
                   "the relation is %s, it should be one of '==' '!=' '<' '<=' '>' '>='",
                   relation.type == VAL_STR ? relation.str->text : py_describe(relation));
  dsl_expr *args[2] = {to_expr(py, call->args[0].loc, call->args[0].value, "the left side"),
                       to_expr(py, call->args[2].loc, call->args[2].value, "the right side")};
  return args[0] && args[1] ? expr_value(dsl_new(py->dsl, op, call->loc, args, 2)) : PY_POISON;
}

static py_value case_value(py_interp *py, pm_loc loc, dsl_expr *condition, dsl_expr *value) {
  dsl_case *branch = pm_arena_alloc(py->arena, sizeof(*branch));
  *branch = (dsl_case){.loc = loc, .condition = condition, .value = value};
  return (py_value){.type = VAL_CASE, .branch = branch};
}

static py_value call_case(py_interp *py, const py_call *call) {
  if (!check_positional(py, call, 2, "Case(condition, expression)")) return PY_POISON;
  dsl_expr *condition = to_cond(py, call->args[0].loc, call->args[0].value);
  dsl_expr *value = to_expr(py, call->args[1].loc, call->args[1].value, "the value of a case");
  return condition && value ? case_value(py, call->loc, condition, value) : PY_POISON;
}

/* --- stages --- */

static bool set_variables(py_interp *py, pm_loc loc, dsl_symbol *stage, const py_seq *variables) {
  for (size_t i = 0; i < variables->len; i++) {
    py_value v = variables->items[i];
    if (py_is_poison(v)) return false;
    if (v.type != VAL_SYMBOL || v.symbol->kind != DSL_VARIABLE)
      return py_fail(py, loc, "dimension %zu of the domain is named by %s, a variable should name it", i,
                     py_describe(v)),
             false;
    for (size_t j = 0; j < i; j++)
      if (stage->variables[j] == v.symbol)
        return py_fail(py, loc,
                       "dimensions %zu and %zu of the domain have one variable, each should have its own", j,
                       i),
               false;
    stage->variables[i] = v.symbol;
  }
  return true;
}

static bool set_intervals(py_interp *py, pm_loc loc, dsl_symbol *stage, const py_seq *intervals) {
  for (size_t i = 0; i < intervals->len; i++) {
    py_value v = intervals->items[i];
    if (py_is_poison(v)) return false;
    if (v.type != VAL_INTERVAL)
      return py_fail(py, loc, "dimension %zu of the domain goes over %s, it should go over an interval", i,
                     py_describe(v)),
             false;
    stage->intervals[i] = v.interval;
  }
  return true;
}

/* ([x, y], [row, col]) */
static bool set_domain(py_interp *py, pm_loc loc, dsl_symbol *stage, py_value domain) {
  static const char expected[] = "([variables], [intervals])";
  if (py_is_poison(domain)) return false;
  if (!py_is_seq(domain) || domain.seq->len != 2)
    return py_fail(py, loc, "the domain is %s, it should be %s", py_describe(domain), expected), false;
  py_value variables = domain.seq->items[0], intervals = domain.seq->items[1];
  if (py_is_poison(variables) || py_is_poison(intervals)) return false;
  if (!py_is_seq(variables) || !py_is_seq(intervals))
    return py_fail(py, loc, "the domain is not of two lists, it should be %s", expected), false;
  size_t n = variables.seq->len;
  if (n != intervals.seq->len)
    return py_fail(py, loc, "the domain has %zu variables and %zu intervals, there should be as many", n,
                   intervals.seq->len),
           false;
  if (n == 0 || n > DSL_MAX_DIMS)
    return py_fail(py, loc, "the domain has %zu dimensions, it should have 1 to %d", n, (int)DSL_MAX_DIMS),
           false;
  stage->variables = pm_arena_alloc(py->arena, n * sizeof(*stage->variables));
  stage->intervals = pm_arena_alloc(py->arena, n * sizeof(*stage->intervals));
  if (!set_variables(py, loc, stage, variables.seq) || !set_intervals(py, loc, stage, intervals.seq))
    return false;
  stage->n_dims = (unsigned)n;
  stage->has_domain = true;
  return true;
}

static py_value call_function(py_interp *py, const py_call *call) {
  given g;
  static const char expected[] = "Function(([variables], [intervals]), type, \"name\")";
  static const char *const keywords[] = {"varDom", "variableDomain", "typ", "name", NULL};
  if (!sort_arguments(py, call, &g, 1, 0, keywords, expected)) return PY_POISON;
  if (!g.type) return py_fail(py, call->loc, "a stage has no type, it should be %s", expected);
  dsl_symbol *s = dsl_new_symbol(py->dsl, DSL_FUNCTION, call->loc);
  s->type = g.type->value.scalar;
  set_name(py, s, g.name);
  if (g.n_seqs > 0 && !set_domain(py, g.seqs[0]->loc, s, g.seqs[0]->value)) s->broken = true;
  return s->broken ? PY_POISON : symbol_value(s);
}

static bool add_definition(py_interp *py, pm_loc loc, dsl_symbol *stage, py_value value) {
  if (value.type == VAL_CASE) {
    PM_VEC_PUSH(stage->cases, value.branch);
    return true;
  }
  dsl_expr *e = to_expr(py, loc, value, "the definition");
  if (!e) return false;
  PM_VEC_PUSH(stage->cases, case_value(py, e->loc, NULL, e).branch);
  return true;
}

static bool define(py_interp *py, pm_loc loc, dsl_symbol *stage, py_value value) {
  if (!py_is_seq(value)) return add_definition(py, loc, stage, value);
  for (size_t i = 0; i < value.seq->len; i++)
    if (!add_definition(py, loc, stage, value.seq->items[i])) return false;
  return true;
}

bool dsl_set_attribute(py_interp *py, pm_loc loc, py_value object, pm_string name, py_value value) {
  if (object.type != VAL_SYMBOL || object.symbol->kind != DSL_FUNCTION)
    return py_fail(py, loc, "the attribute '%pS' of %s is set, only a stage has attributes that can be set",
                   (const void *)name, py_describe(object)),
           false;
  dsl_symbol *stage = object.symbol;
  const char *text = name->text;
  bool ok;
  if (strcmp(text, "defn") == 0 || strcmp(text, "definition") == 0)
    ok = define(py, loc, stage, value);
  else if (strcmp(text, "variableDomain") == 0 || strcmp(text, "varDom") == 0)
    ok = set_domain(py, loc, stage, value);
  else if (strcmp(text, "reductionDomain") == 0 || strcmp(text, "redDom") == 0 ||
           strcmp(text, "default") == 0)
    return py_fail(py, loc, "'%s' belongs to a reduction, which is not supported yet", text), false;
  else
    return py_fail(
               py, loc,
               "a stage has no attribute '%s', it has 'defn', 'definition', 'varDom' and 'variableDomain'",
               text),
           false;
  stage->broken |= !ok;
  return ok;
}

py_value dsl_get_attribute(py_interp *py, pm_loc loc, py_value object, pm_string name) {
  return py_fail(py, loc, "the attribute '%pS' of %s is read, which has none that can be read",
                 (const void *)name, py_describe(object));
}

/* --- stencils --- */

/* The extents of nested lists, from the first item of each; false when they are too deep or empty. */
static bool kernel_extents(py_interp *py, pm_loc loc, py_value kernel, int64_t *extents, unsigned *rank) {
  *rank = 0;
  for (; py_is_seq(kernel); kernel = kernel.seq->items[0]) {
    if (*rank == DSL_MAX_DIMS || kernel.seq->len == 0)
      return py_fail(py, loc,
                     "the kernel is empty or nested too deep, it should be a list of lists of numbers"),
             false;
    extents[(*rank)++] = (int64_t)kernel.seq->len;
  }
  if (py_is_poison(kernel)) return false;
  if (*rank == 0)
    return py_fail(py, loc, "the kernel is %s, it should be a list of lists of numbers", py_describe(kernel)),
           false;
  return true;
}

static bool flatten(py_interp *py, pm_loc loc, py_value kernel, const int64_t *extents, unsigned rank,
                    dsl_expr **weights, size_t *n) {
  if (rank == 0) {
    weights[*n] = to_expr(py, loc, kernel, "a weight");
    return weights[(*n)++] != NULL;
  }
  if (py_is_poison(kernel)) return false;
  if (!py_is_seq(kernel) || (int64_t)kernel.seq->len != extents[0])
    return py_fail(py, loc, "the rows of the kernel differ in length, they should be equally long"), false;
  for (size_t i = 0; i < kernel.seq->len; i++)
    if (!flatten(py, loc, kernel.seq->items[i], extents + 1, rank - 1, weights, n)) return false;
  return true;
}

static bool set_kernel(py_interp *py, const py_arg *kernel, dsl_stencil *s) {
  int64_t extents[DSL_MAX_DIMS];
  if (!kernel_extents(py, kernel->loc, kernel->value, extents, &s->rank)) return false;
  size_t total = 1, n = 0;
  for (unsigned d = 0; d < s->rank; d++) {
    total *= (size_t)extents[d];
    if (total > DSL_MAX_KERNEL)
      return py_fail(py, kernel->loc, "the kernel has more than %d weights", (int)DSL_MAX_KERNEL), false;
  }
  dsl_expr **weights = pm_arena_alloc(py->arena, total * sizeof(*weights));
  s->extents = pm_arena_memdup(py->arena, extents, s->rank * sizeof(*extents));
  s->weights = weights;
  return flatten(py, kernel->loc, kernel->value, extents, s->rank, weights, &n);
}

/* The middle, or what `origin` says. */
static bool set_origin(py_interp *py, const py_arg *origin, dsl_stencil *s) {
  int64_t *values = pm_arena_alloc(py->arena, s->rank * sizeof(*values));
  s->origin = values;
  for (unsigned d = 0; d < s->rank; d++) values[d] = (s->extents[d] - 1) / 2;
  if (!origin || origin->value.type == VAL_NONE) return true;
  py_value v = origin->value;
  if (!py_is_seq(v) || v.seq->len != s->rank)
    return py_fail(py, origin->loc, "the origin is %s, it should be a list of %u integers", py_describe(v),
                   s->rank),
           false;
  for (unsigned d = 0; d < s->rank; d++) {
    py_value item = v.seq->items[d];
    if (!py_is_int(item) || py_as_int(item) < -1000000 || py_as_int(item) > 1000000)
      return py_fail(py, origin->loc, "the origin has %s, it should have small integers", py_describe(item)),
             false;
    values[d] = py_as_int(item);
  }
  return true;
}

/* What the stencil reads, as a read; its indices stay open when only the stage or image is named. */
static dsl_expr *stencil_read(py_interp *py, const py_arg *what, const py_arg *indices, bool *implicit) {
  py_value v = what->value;
  *implicit = false;
  if (v.type == VAL_EXPR && v.expr->op == DSL_READ && !indices) return v.expr;
  if (v.type != VAL_SYMBOL || dsl_is_scalar(v.symbol)) {
    py_fail(py, what->loc, "the stencil lies on %s, it should lie on a stage or an image", py_describe(v));
    return NULL;
  }
  *implicit = !indices;
  if (*implicit) return dsl_new_read(py->dsl, what->loc, v.symbol, NULL, 0);
  const py_seq *seq = indices->value.seq;
  py_arg *args = pm_arena_alloc(py->arena, (seq->len + 1) * sizeof(*args));
  for (size_t i = 0; i < seq->len; i++) args[i] = (py_arg){NULL, indices->loc, seq->items[i]};
  py_call read = {.loc = what->loc, .args = args, .n_args = (unsigned)seq->len};
  for (size_t i = 0; i < seq->len; i++)
    if (py_is_poison(args[i].value)) return NULL;
  py_value value = dsl_read(py, &read, v.symbol);
  return py_is_poison(value) ? NULL : value.expr;
}

enum { STENCIL_OF, STENCIL_FACTOR, STENCIL_KERNEL, STENCIL_ORIGIN, STENCIL_N };

static bool place_stencil_arguments(py_interp *py, const py_call *call, const py_arg **slots) {
  static const char *const names[STENCIL_N] = {"input", "factor", "kernel", "origin"};
  static const char expected[] = "Stencil(f(x, y), factor, kernel, origin)";
  unsigned next = 0;
  for (unsigned i = 0; i < call->n_args; i++) {
    unsigned at = 0;
    if (call->args[i].keyword)
      while (at < STENCIL_N && strcmp(call->args[i].keyword->text, names[at]) != 0) at++;
    else
      for (at = next; at < STENCIL_N && slots[at];) at++;
    if (at == STENCIL_N || slots[at])
      return py_fail(py, call->args[i].loc,
                     "Stencil has an argument too many or of another name, it should be %s", expected),
             false;
    slots[at] = &call->args[i];
  }
  if (slots[STENCIL_OF] && slots[STENCIL_KERNEL]) return true;
  py_fail(py, call->loc, "Stencil has %u arguments, it should be %s", call->n_args, expected);
  return false;
}

static py_value call_stencil(py_interp *py, const py_call *call) {
  const py_arg *slots[STENCIL_N] = {NULL};
  if (!place_stencil_arguments(py, call, slots)) return PY_POISON;
  const py_arg *second = slots[STENCIL_FACTOR];
  const py_arg *indices = second && py_is_seq(second->value) ? second : NULL;
  dsl_stencil *s = pm_arena_alloc(py->arena, sizeof(*s));
  dsl_expr *read = stencil_read(py, slots[STENCIL_OF], indices, &s->implicit);
  if (!read || !set_kernel(py, slots[STENCIL_KERNEL], s) || !set_origin(py, slots[STENCIL_ORIGIN], s))
    return PY_POISON;
  if (second && !indices && !(s->factor = to_expr(py, second->loc, second->value, "the factor")))
    return PY_POISON;
  dsl_expr *e = dsl_new(py->dsl, DSL_STENCIL, call->loc, &read, 1);
  e->stencil = s;
  return expr_value(e);
}

/* --- functions of values --- */

static py_value call_select(py_interp *py, const py_call *call) {
  if (!check_positional(py, call, 3, "Select(condition, a, b)")) return PY_POISON;
  dsl_expr *args[3] = {to_cond(py, call->args[0].loc, call->args[0].value),
                       to_expr(py, call->args[1].loc, call->args[1].value, "an arm"),
                       to_expr(py, call->args[2].loc, call->args[2].value, "an arm")};
  return args[0] && args[1] && args[2] ? expr_value(dsl_new(py->dsl, DSL_SELECT, call->loc, args, 3))
                                       : PY_POISON;
}

static py_value call_cast(py_interp *py, const py_call *call) {
  if (!check_positional(py, call, 2, "Cast(type, expression)")) return PY_POISON;
  if (call->args[0].value.type != VAL_TYPE)
    return py_fail(py, call->args[0].loc, "Cast is to %s, it should be to a type",
                   py_describe(call->args[0].value));
  dsl_expr *arg = to_expr(py, call->args[1].loc, call->args[1].value, "the operand");
  if (!arg) return PY_POISON;
  dsl_expr *e = dsl_new(py->dsl, DSL_CAST, call->loc, &arg, 1);
  e->type = call->args[0].value.scalar;
  return expr_value(e);
}

static py_value call_unary(py_interp *py, const py_call *call, dsl_op op) {
  if (!check_positional(py, call, 1, "given one expression")) return PY_POISON;
  dsl_expr *arg = to_expr(py, call->args[0].loc, call->args[0].value, "the operand");
  return arg ? expr_value(dsl_new(py->dsl, op, call->loc, &arg, 1)) : PY_POISON;
}

/* Two or more operands, to the left; numbers that are known stay numbers. */
static py_value call_extreme(py_interp *py, const py_call *call, dsl_op op) {
  if (call->n_args < 2 || call->args[0].keyword)
    return py_fail(py, call->loc, "%s has %u arguments, it should have two expressions", call->name,
                   call->n_args);
  py_value result = call->args[0].value;
  for (unsigned i = 1; i < call->n_args; i++) {
    py_value v = call->args[i].value;
    if (py_is_number(result) && py_is_number(v)) {
      py_value less = py_compare(py, call->loc, TOK_LT, v, result);
      if (less.b == (op == DSL_MIN)) result = v;
    } else {
      result = binary_expr(py, call->loc, op, result, v);
    }
  }
  return result;
}

static py_value call_pow(py_interp *py, const py_call *call) {
  if (!check_positional(py, call, 2, "Pow(base, exponent)")) return PY_POISON;
  return binary_expr(py, call->loc, DSL_POW, call->args[0].value, call->args[1].value);
}

static dsl_expr *to_single(py_interp *py, pm_loc loc, py_value v) {
  dsl_expr *arg = to_expr(py, loc, v, "the operand");
  if (!arg) return NULL;
  dsl_expr *e = dsl_new(py->dsl, DSL_CAST, loc, &arg, 1);
  e->type = PM_F32;
  return e;
}

static py_value call_powf(py_interp *py, const py_call *call) {
  if (!check_positional(py, call, 2, "Powf(base, exponent)")) return PY_POISON;
  dsl_expr *args[2] = {to_single(py, call->args[0].loc, call->args[0].value),
                       to_single(py, call->args[1].loc, call->args[1].value)};
  return args[0] && args[1] ? expr_value(dsl_new(py->dsl, DSL_POW, call->loc, args, 2)) : PY_POISON;
}

static py_value call_sqrtf(py_interp *py, const py_call *call) {
  if (!check_positional(py, call, 1, "Sqrtf(expression)")) return PY_POISON;
  dsl_expr *arg = to_single(py, call->args[0].loc, call->args[0].value);
  return arg ? expr_value(dsl_new(py->dsl, DSL_SQRT, call->loc, &arg, 1)) : PY_POISON;
}

static py_value call_min(py_interp *py, const py_call *call) {
  return call_extreme(py, call, DSL_MIN);
}
static py_value call_max(py_interp *py, const py_call *call) {
  return call_extreme(py, call, DSL_MAX);
}
static py_value call_exp(py_interp *py, const py_call *call) {
  return call_unary(py, call, DSL_EXP);
}
static py_value call_log(py_interp *py, const py_call *call) {
  return call_unary(py, call, DSL_LOG);
}
static py_value call_sin(py_interp *py, const py_call *call) {
  return call_unary(py, call, DSL_SIN);
}
static py_value call_cos(py_interp *py, const py_call *call) {
  return call_unary(py, call, DSL_COS);
}
static py_value call_sqrt(py_interp *py, const py_call *call) {
  return call_unary(py, call, DSL_SQRT);
}
static py_value call_abs(py_interp *py, const py_call *call) {
  return call_unary(py, call, DSL_ABS);
}

static py_value call_not_yet(py_interp *py, const py_call *call) {
  return py_fail(py, call->loc, "%s is not supported yet, stages are pure functions defined by cases",
                 call->name);
}

static const py_builtin constructs[] = {
    {"Parameter", call_parameter},
    {"Variable", call_variable},
    {"Image", call_image},
    {"Interval", call_interval},
    {"Condition", call_condition},
    {"Case", call_case},
    {"Function", call_function},
    {"Stencil", call_stencil},
    {"Select", call_select},
    {"Cast", call_cast},
    {"Min", call_min},
    {"Max", call_max},
    {"Pow", call_pow},
    {"Powf", call_powf},
    {"Exp", call_exp},
    {"Log", call_log},
    {"Sin", call_sin},
    {"Cos", call_cos},
    {"Sqrt", call_sqrt},
    {"Sqrtf", call_sqrtf},
    {"Abs", call_abs},
    {"TStencil", call_not_yet},
    {"Reduction", call_not_yet},
    {"Accumulator", call_not_yet},
    {"Reduce", call_not_yet},
    {"Accumulate", call_not_yet},
    {"RandomFloat", call_not_yet},
    {"Sum", call_not_yet},
    {"Prod", call_not_yet},
    {"Mul", call_not_yet},
    {"And", call_not_yet},
    {"Or", call_not_yet},
};

const py_builtin *dsl_find_builtin(pm_str name) {
  for (size_t i = 0; i < PM_COUNT(constructs); i++)
    if (pm_str_is(name, constructs[i].name)) return &constructs[i];
  return NULL;
}

const char *dsl_nearest(pm_str name, unsigned *distance) {
  const char *best = NULL;
  for (size_t i = 0; i < PM_COUNT(constructs) + PM_COUNT(type_names); i++) {
    const char *candidate =
        i < PM_COUNT(constructs) ? constructs[i].name : type_names[i - PM_COUNT(constructs)].name;
    unsigned d = pm_edit_distance(name, pm_str_of(candidate), *distance);
    if (d >= *distance) continue;
    *distance = d;
    best = candidate;
  }
  return best;
}
