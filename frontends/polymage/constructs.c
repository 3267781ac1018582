/* The functions of PolyMage's language that make expressions: Condition, Stencil, Select … and the tables of
 * names. */
#include "frontends/polymage/arguments.h"
#include "frontends/polymage/build.h"

#include <stdlib.h>
#include <string.h>

enum { DSL_MAX_KERNEL = 100000 };

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

/* --- operators --- */

typedef struct operator_row {
  py_tok token;
  dsl_op op;
} operator_row;

static const operator_row operator_rows[] = {
    {TOK_PLUS, DSL_ADD},    {TOK_MINUS, DSL_SUB},   {TOK_STAR, DSL_MUL},        {TOK_SLASH, DSL_DIV},
    {TOK_PERCENT, DSL_MOD}, {TOK_AMP, DSL_BIT_AND}, {TOK_FLOOR, DSL_FLOOR_DIV}, {TOK_BAR, DSL_BIT_OR},
    {TOK_SHL, DSL_SHL},     {TOK_SHR, DSL_SHR},     {TOK_CARET, DSL_BIT_XOR},   {TOK_EQ, DSL_EQ},
    {TOK_NE, DSL_NE},       {TOK_LT, DSL_LT},       {TOK_LE, DSL_LE},           {TOK_GT, DSL_GT},
    {TOK_GE, DSL_GE},
};

static bool find_operator(py_tok token, dsl_op *op) {
  for (size_t i = 0; i < PM_COUNT(operator_rows); i++) {
    if (operator_rows[i].token != token) continue;
    *op = operator_rows[i].op;
    return true;
  }
  return false;
}

static py_value binary_expr(py_interp *py, pm_loc loc, dsl_op op, const char *what, py_value a, py_value b) {
  dsl_expr *args[2] = {dsl_to_expr(py, loc, a, what), dsl_to_expr(py, loc, b, what)};
  return args[0] && args[1] ? dsl_expr_value(dsl_new(py->dsl, op, loc, args, 2)) : PY_POISON;
}

static py_value join_conditions(py_interp *py, pm_loc loc, py_tok token, py_value a, py_value b) {
  dsl_expr *args[2] = {a.expr, b.expr};
  if (token == TOK_AMP || token == TOK_BAR)
    return dsl_expr_value(dsl_new(py->dsl, token == TOK_AMP ? DSL_AND : DSL_OR, loc, args, 2));
  return py_fail(py, loc, "%s is applied to two conditions, '&' or '|' should join them", py_tok_text(token));
}

/* `x > 0 & y` compares x with the bits of 0 and y, as in Python, so most often parentheses are what is
 * missing. */
static py_value join_mixed(py_interp *py, pm_loc loc, py_tok token, py_value other) {
  return py_fail(py, loc,
                 "%s joins a condition and %s, two conditions should be: parentheses around a comparison, or "
                 "Select(condition, 1, 0) for a number",
                 py_tok_text(token), py_describe(py, other));
}

/* The number by which these bits are a product, a quotient or a remainder; NULL when there is none. */
static dsl_expr *power_of_bits(py_interp *py, pm_loc loc, dsl_op op, const dsl_expr *right) {
  enum { MAX_AMOUNT = 30 };
  if (right->op != DSL_INT || right->i < 0) return NULL;
  if (op == DSL_BIT_AND && (right->i & (right->i + 1)) == 0 && right->i < (int64_t)1 << MAX_AMOUNT)
    return dsl_new_int(py->dsl, loc, right->i + 1);
  if ((op == DSL_SHL || op == DSL_SHR) && right->i <= MAX_AMOUNT)
    return dsl_new_int(py->dsl, loc, (int64_t)1 << right->i);
  return NULL;
}

static py_value bits_expr(py_interp *py, pm_loc loc, dsl_op op, const char *what, py_value a, py_value b) {
  bool mask_first = op == DSL_BIT_AND && py_is_int(a);
  py_value v = binary_expr(py, loc, op, what, mask_first ? b : a, mask_first ? a : b);
  if (!py_is_poison(v)) v.expr->power = power_of_bits(py, loc, op, v.expr->args[1]);
  return v;
}

py_value dsl_binary(py_interp *py, pm_loc loc, py_tok token, py_value a, py_value b) {
  dsl_op op;
  bool joins = token == TOK_AMP || token == TOK_BAR || token == TOK_CARET;
  if (joins && a.type == VAL_COND && b.type == VAL_COND) return join_conditions(py, loc, token, a, b);
  if (joins && a.type == VAL_COND) return join_mixed(py, loc, token, b);
  if (joins && b.type == VAL_COND) return join_mixed(py, loc, token, a);
  bool divides = token == TOK_SLASH || token == TOK_FLOOR || token == TOK_PERCENT;
  if (divides && py_is_int(b) && py_as_int(b) == 0) py_warn(py, loc, "the divisor is 0, it should not be");
  if (find_operator(token, &op))
    return op >= DSL_BIT_AND ? bits_expr(py, loc, op, py_tok_operand(token), a, b)
                             : binary_expr(py, loc, op, py_tok_operand(token), a, b);
  return py_fail(py, loc, "%s is applied to %s, Pow(base, exponent) should be written", py_tok_text(token),
                 py_describe(py, dsl_is_operand(a) ? a : b));
}

/* Stages and images have no value of their own: == and != ask whether they are the same one. */
py_value dsl_compare(py_interp *py, pm_loc loc, py_tok token, py_value a, py_value b) {
  dsl_op op;
  bool whole = (a.type == VAL_SYMBOL && !dsl_is_scalar(a.symbol)) ||
               (b.type == VAL_SYMBOL && !dsl_is_scalar(b.symbol));
  py_look look = {0};
  if (whole && (token == TOK_EQ || token == TOK_NE))
    return py_bool(py_equal(a, b, &look) == (token == TOK_EQ));
  if (!find_operator(token, &op)) return PY_POISON;
  return binary_expr(py, loc, op, py_tok_operand(token), a, b);
}

py_value dsl_negate(py_interp *py, pm_loc loc, py_value a) {
  dsl_expr *arg = dsl_to_expr(py, loc, a, "the operand of '-'");
  return arg ? dsl_expr_value(dsl_new(py->dsl, DSL_NEG, loc, &arg, 1)) : PY_POISON;
}

py_value dsl_invert(py_interp *py, pm_loc loc, py_value a) {
  if (a.type == VAL_COND)
    return py_fail(py, loc, "'~' is applied to a condition, the opposite condition should be written");
  dsl_expr *arg = dsl_to_expr(py, loc, a, "the operand of '~'");
  return arg ? dsl_expr_value(dsl_new(py->dsl, DSL_BIT_NOT, loc, &arg, 1)) : PY_POISON;
}

py_value dsl_read(py_interp *py, const py_call *call, dsl_symbol *symbol) {
  bool known = symbol->kind == DSL_IMAGE || symbol->has_domain;
  const char *name = py_describe(py, dsl_symbol_value(symbol));
  if (known && call->n_args != symbol->n_dims)
    return py_fail(py, call->loc, "%s is read with %u ind%s, it should be with %u, one a dimension", name,
                   call->n_args, call->n_args == 1 ? "ex" : "ices", symbol->n_dims);
  if (call->n_args == 0 || call->n_args > DSL_MAX_DIMS)
    return py_fail(py, call->loc, "%s is read with %u indices, it should be with 1 to %d", name, call->n_args,
                   (int)DSL_MAX_DIMS);
  dsl_expr *args[DSL_MAX_DIMS];
  for (unsigned i = 0; i < call->n_args; i++) {
    if (call->args[i].keyword)
      return py_fail(py, call->args[i].loc, "an index is named '%pS', indices should be in their order",
                     (const void *)call->args[i].keyword);
    args[i] = dsl_to_expr(py, call->args[i].loc, call->args[i].value, "an index");
    if (!args[i]) return PY_POISON;
  }
  return dsl_expr_value(dsl_new_read(py->dsl, call->loc, symbol, args, call->n_args));
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
  if (!dsl_check_positional(py, call, 3, "Condition(left, '<', right), or left < right alone"))
    return PY_POISON;
  py_value relation = call->args[1].value;
  if (relation.type != VAL_STR || !relation_op(relation.str->text, &op))
    return py_fail(py, call->args[1].loc,
                   "the relation is %s, it should be one of '==' '!=' '<' '<=' '>' '>='",
                   py_describe(py, relation));
  dsl_expr *args[2] = {dsl_to_expr(py, call->args[0].loc, call->args[0].value, "the left side"),
                       dsl_to_expr(py, call->args[2].loc, call->args[2].value, "the right side")};
  return args[0] && args[1] ? dsl_expr_value(dsl_new(py->dsl, op, call->loc, args, 2)) : PY_POISON;
}

/* An update keeps its own condition beside the one given here. */
static py_value restrict_update(py_interp *py, const py_call *call, dsl_expr *condition, dsl_case update) {
  dsl_expr *both[2] = {condition, update.condition};
  update.condition = both[1] ? dsl_new(py->dsl, DSL_AND, call->loc, both, 2) : condition;
  update.loc = call->loc;
  return dsl_case_value(py, &update);
}

static py_value call_case(py_interp *py, const py_call *call) {
  if (!dsl_check_positional(py, call, 2, "Case(condition, expression)")) return PY_POISON;
  dsl_expr *condition = dsl_to_cond(py, call->args[0].loc, call->args[0].value);
  py_value what = call->args[1].value;
  if (condition && what.type == VAL_CASE && what.branch->target)
    return restrict_update(py, call, condition, *what.branch);
  dsl_expr *value = dsl_to_value(py, call->args[1].loc, what, "the value of a case");
  dsl_case branch = {.loc = call->loc, .condition = condition, .value = value};
  return condition && value ? dsl_case_value(py, &branch) : PY_POISON;
}

/* --- updates --- */

typedef struct operation_name {
  const char *name, *word;
} operation_name;

static const operation_name operation_names[] = {
    {"Sum", "sum"}, {"Prod", "product"}, {"Mul", "product"},   {"Min", "min"},       {"Max", "max"},
    {"And", "and"}, {"Or", "or"},        {"ArgMin", "argmin"}, {"ArgMax", "argmax"},
};

/* The word of stage.combine; NULL when the value names no operation. */
static const char *operation_of(py_value v) {
  for (size_t i = 0; v.type == VAL_BUILTIN && i < PM_COUNT(operation_names); i++)
    if (strcmp(v.builtin->name, operation_names[i].name) == 0) return operation_names[i].word;
  return NULL;
}

bool dsl_is_whole_combination(const char *word) {
  return strncmp(word, "arg", 3) == 0;
}

/* One operation, or a tuple of those of single values; false after a diagnostic. */
static bool set_operations(py_interp *py, const py_arg *given, dsl_case *update) {
  py_value v = given->value;
  size_t n = v.type == VAL_TUPLE ? v.seq->len : 1;
  const char **words = pm_arena_alloc(py->arena, (n + 1) * sizeof(*words));
  for (size_t i = 0; i < n; i++) {
    py_value operation = v.type == VAL_TUPLE ? v.seq->items[i] : v;
    words[i] = operation_of(operation);
    if (!words[i] || (n > 1 && dsl_is_whole_combination(words[i])))
      return py_fail(py, given->loc, "the operation is %s, it should be one of Sum Prod Mul Min Max And Or%s",
                     words[i] ? words[i] : py_describe(py, operation), n > 1 ? "" : " ArgMin ArgMax"),
             false;
  }
  update->combine = words;
  update->n_combine = (unsigned)n;
  return n > 0;
}

static py_value call_reduce(py_interp *py, const py_call *call) {
  static const char expected[] = "Reduce(h(x), value, Sum)";
  if (!dsl_check_positional(py, call, 3, expected)) return PY_POISON;
  py_value target = call->args[0].value;
  if (target.type != VAL_EXPR || target.expr->op != DSL_READ)
    return py_fail(py, call->args[0].loc, "%s goes to %s, it should go to a point of a reduction: %s",
                   call->name, py_describe(py, target), expected);
  dsl_case update = {.loc = call->loc, .target = target.expr};
  if (!set_operations(py, &call->args[2], &update)) return PY_POISON;
  update.value = dsl_to_value(py, call->args[1].loc, call->args[1].value, "the value of an update");
  return update.value ? dsl_case_value(py, &update) : PY_POISON;
}

static py_value call_operation(py_interp *py, const py_call *call) {
  return py_fail(py, call->loc, "%s is called, it should be the operation of Reduce(h(x), value, %s)",
                 call->name, call->name);
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
    return py_fail(py, loc, "the kernel is %s, it should be a list of lists of numbers",
                   py_describe(py, kernel)),
           false;
  return true;
}

static bool flatten(py_interp *py, pm_loc loc, py_value kernel, const int64_t *extents, unsigned rank,
                    dsl_expr **weights, size_t *n) {
  if (rank == 0) {
    weights[*n] = dsl_to_expr(py, loc, kernel, "a weight");
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
  if (!py_is_seq(v))
    return py_fail(py, origin->loc, "the origin is %s, it should be a list of %u integers",
                   py_describe(py, v), s->rank),
           false;
  if (v.seq->len != s->rank)
    return py_fail(py, origin->loc, "the origin has %zu dimension%s, it should have %u as the kernel",
                   (size_t)v.seq->len, py_plural(v.seq->len), s->rank),
           false;
  for (unsigned d = 0; d < s->rank; d++) {
    py_value item = v.seq->items[d];
    if (!py_is_int(item) || py_as_int(item) < -1000000 || py_as_int(item) > 1000000)
      return py_fail(py, origin->loc, "the origin has %s, it should have small integers",
                     py_describe(py, item)),
             false;
    values[d] = py_as_int(item);
  }
  return true;
}

/* What the stencil reads, as a read; its indices stay open when only the stage or image is named. */
static dsl_expr *stencil_read(py_interp *py, const py_arg *what, const py_arg *indices, bool *implicit) {
  py_value v = what->value;
  *implicit = false;
  if (dsl_is_tuple_read(v) || (v.type == VAL_SYMBOL && v.symbol->n_elems)) {
    py_fail(py, what->loc, "the stencil lies on a stage of tuples, it should lie on one of single values");
    return NULL;
  }
  if (v.type == VAL_EXPR && v.expr->op == DSL_READ && !indices) return v.expr;
  if (v.type != VAL_SYMBOL || dsl_is_scalar(v.symbol)) {
    py_fail(py, what->loc, "the stencil lies on %s, it should lie on a stage or an image",
            py_describe(py, v));
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

/* PolyMage's own names of these have a line before them. */
static bool is_stencil_keyword(const char *keyword, const char *name) {
  return strcmp(keyword[0] == '_' ? keyword + 1 : keyword, name) == 0;
}

static bool place_stencil_arguments(py_interp *py, const py_call *call, const py_arg **slots) {
  static const char *const names[STENCIL_N] = {"input", "factor", "kernel", "origin"};
  static const char expected[] = "Stencil(f(x, y), factor, kernel, origin)";
  unsigned next = 0;
  for (unsigned i = 0; i < call->n_args; i++) {
    unsigned at = 0;
    if (call->args[i].keyword)
      while (at < STENCIL_N && !is_stencil_keyword(call->args[i].keyword->text, names[at])) at++;
    else
      for (at = next; at < STENCIL_N && slots[at];) at++;
    if (at == STENCIL_N || slots[at])
      return py_fail(py, call->args[i].loc, "%s; it should be %s", dsl_argument(py, call, &call->args[i]),
                     expected),
             false;
    slots[at] = &call->args[i];
  }
  if (slots[STENCIL_OF] && slots[STENCIL_KERNEL]) return true;
  py_fail(py, call->loc, "Stencil has no %s, it should be %s",
          slots[STENCIL_OF] ? "kernel" : "stage to lie on", expected);
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
  if (second && !indices && !(s->factor = dsl_to_expr(py, second->loc, second->value, "the factor")))
    return PY_POISON;
  dsl_expr *e = dsl_new(py->dsl, DSL_STENCIL, call->loc, &read, 1);
  e->stencil = s;
  return dsl_expr_value(e);
}

/* --- functions of values --- */

static py_value call_select(py_interp *py, const py_call *call) {
  if (!dsl_check_positional(py, call, 3, "Select(condition, a, b)")) return PY_POISON;
  py->dsl->n_selects++;
  dsl_expr *args[3] = {dsl_to_cond(py, call->args[0].loc, call->args[0].value),
                       dsl_to_expr(py, call->args[1].loc, call->args[1].value, "an arm"),
                       dsl_to_expr(py, call->args[2].loc, call->args[2].value, "an arm")};
  return args[0] && args[1] && args[2] ? dsl_expr_value(dsl_new(py->dsl, DSL_SELECT, call->loc, args, 3))
                                       : PY_POISON;
}

static py_value call_cast(py_interp *py, const py_call *call) {
  if (!dsl_check_positional(py, call, 2, "Cast(type, expression)")) return PY_POISON;
  if (call->args[0].value.type != VAL_TYPE)
    return py_fail(py, call->args[0].loc, "Cast is to %s%s; it should be Cast(type, expression)",
                   py_describe(py, call->args[0].value), dsl_meant_type(py, call->args[0].value));
  dsl_expr *arg = dsl_to_expr(py, call->args[1].loc, call->args[1].value, "the operand");
  if (!arg) return PY_POISON;
  dsl_expr *e = dsl_new(py->dsl, DSL_CAST, call->loc, &arg, 1);
  e->type = call->args[0].value.scalar;
  return dsl_expr_value(e);
}

static py_value call_unary(py_interp *py, const py_call *call, dsl_op op) {
  if (!dsl_check_positional(py, call, 1, NULL)) return PY_POISON;
  dsl_expr *arg = dsl_to_expr(py, call->args[0].loc, call->args[0].value, "the operand");
  return arg ? dsl_expr_value(dsl_new(py->dsl, op, call->loc, &arg, 1)) : PY_POISON;
}

/* Two or more operands, to the left; numbers that are known stay numbers. */
static py_value call_extreme(py_interp *py, const py_call *call, dsl_op op) {
  if (call->n_args < 2 || call->args[0].keyword)
    return py_fail(py, call->loc, "%s has %u argument%s, it should be %s(a, b)", call->name, call->n_args,
                   py_plural(call->n_args), call->name);
  py_value result = call->args[0].value;
  for (unsigned i = 1; i < call->n_args; i++) {
    py_value v = call->args[i].value;
    if (py_is_number(result) && py_is_number(v)) {
      py_value less = py_compare(py, call->loc, TOK_LT, v, result);
      if (less.b == (op == DSL_MIN)) result = v;
    } else {
      result = binary_expr(py, call->loc, op, "an operand", result, v);
    }
  }
  return result;
}

static py_value call_pow(py_interp *py, const py_call *call) {
  if (!dsl_check_positional(py, call, 2, "Pow(base, exponent)")) return PY_POISON;
  return binary_expr(py, call->loc, DSL_POW, "an operand", call->args[0].value, call->args[1].value);
}

static dsl_expr *to_single(py_interp *py, pm_loc loc, py_value v) {
  dsl_expr *arg = dsl_to_expr(py, loc, v, "the operand");
  if (!arg) return NULL;
  dsl_expr *e = dsl_new(py->dsl, DSL_CAST, loc, &arg, 1);
  e->type = PM_F32;
  return e;
}

static py_value call_powf(py_interp *py, const py_call *call) {
  if (!dsl_check_positional(py, call, 2, "Powf(base, exponent)")) return PY_POISON;
  dsl_expr *args[2] = {to_single(py, call->args[0].loc, call->args[0].value),
                       to_single(py, call->args[1].loc, call->args[1].value)};
  return args[0] && args[1] ? dsl_expr_value(dsl_new(py->dsl, DSL_POW, call->loc, args, 2)) : PY_POISON;
}

static py_value call_sqrtf(py_interp *py, const py_call *call) {
  if (!dsl_check_positional(py, call, 1, "Sqrtf(expression)")) return PY_POISON;
  dsl_expr *arg = to_single(py, call->args[0].loc, call->args[0].value);
  return arg ? dsl_expr_value(dsl_new(py->dsl, DSL_SQRT, call->loc, &arg, 1)) : PY_POISON;
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

/* Each call of it in the program is another sequence over the points. */
static py_value call_random(py_interp *py, const py_call *call) {
  if (!dsl_check_positional(py, call, 0, "RandomFloat()")) return PY_POISON;
  dsl_expr *e = dsl_new(py->dsl, DSL_RANDOM, call->loc, NULL, 0);
  e->i = (int64_t)py->dsl->n_random++;
  return dsl_expr_value(e);
}

static const py_builtin expression_functions[] = {
    {"Condition", call_condition},
    {"Case", call_case},
    {"Reduce", call_reduce},
    {"Accumulate", call_reduce},
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
    {"RandomFloat", call_random},
    {"Sum", call_operation},
    {"Prod", call_operation},
    {"Mul", call_operation},
    {"And", call_operation},
    {"Or", call_operation},
    {"ArgMin", call_operation},
    {"ArgMax", call_operation},
    {NULL, NULL},
};

static const py_builtin *const function_tables[] = {expression_functions, dsl_object_functions,
                                                    build_functions};

const py_builtin *dsl_find_builtin(pm_str name) {
  for (size_t t = 0; t < PM_COUNT(function_tables); t++)
    for (const py_builtin *f = function_tables[t]; f->name; f++)
      if (pm_str_is(name, f->name)) return f;
  return NULL;
}

static void consider(pm_str name, const char *candidate, const char **best, unsigned *distance) {
  unsigned d = pm_edit_distance(name, pm_str_of(candidate), *distance);
  if (d >= *distance) return;
  *distance = d;
  *best = candidate;
}

const char *dsl_nearest(pm_str name, unsigned *distance) {
  const char *best = NULL;
  for (size_t t = 0; t < PM_COUNT(function_tables); t++)
    for (const py_builtin *f = function_tables[t]; f->name; f++) consider(name, f->name, &best, distance);
  for (size_t i = 0; i < PM_COUNT(type_names); i++) consider(name, type_names[i].name, &best, distance);
  return best;
}
