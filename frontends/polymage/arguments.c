/* The arguments of the language's functions: what they are, and what they are as expressions. */
#include "frontends/polymage/arguments.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

py_value dsl_expr_value(dsl_expr *e) {
  return (py_value){.type = dsl_is_cond(e->op) ? VAL_COND : VAL_EXPR, .expr = e};
}
py_value dsl_symbol_value(dsl_symbol *s) {
  return (py_value){.type = VAL_SYMBOL, .symbol = s};
}

bool dsl_is_operand(py_value v) {
  return v.type == VAL_EXPR || v.type == VAL_COND || v.type == VAL_SYMBOL;
}

dsl_expr *dsl_to_expr(py_interp *py, pm_loc loc, py_value v, const char *what) {
  switch (v.type) {
  case VAL_POISON:
    return NULL;
  case VAL_BOOL:
  case VAL_INT:
    return dsl_new_int(py->dsl, loc, py_as_int(v));
  case VAL_FLOAT:
    return dsl_new_real(py->dsl, loc, v.f);
  case VAL_EXPR:
    if (!dsl_is_tuple_read(v)) return v.expr;
    py_fail(py, loc, "%s is a tuple, an element of it should be taken, as in f(x)[0]", what);
    return NULL;
  case VAL_SYMBOL:
    if (dsl_is_scalar(v.symbol)) return dsl_new_use(py->dsl, loc, v.symbol);
    py_fail(py, loc, "%s is %s without indices, they should follow in parentheses: %s(…)", what,
            py_describe(py, v), v.symbol->given ? v.symbol->given->text : "f");
    return NULL;
  case VAL_COND:
    py_fail(py, loc, "%s is a condition, Select(condition, 1, 0) should make a value of it", what);
    return NULL;
  default:
    py_fail(py, loc, "%s is %s, it should be a number or an expression", what, py_describe(py, v));
    return NULL;
  }
}

static bool holds_int(const pm_scalar_info *type, int64_t i) {
  if (!type->is_signed) return i >= 0 && (type->bits == 64 || i < INT64_C(1) << type->bits);
  return type->bits == 64 || (i >= -(INT64_C(1) << (type->bits - 1)) && i < INT64_C(1) << (type->bits - 1));
}

bool dsl_holds(pm_scalar type, py_value number) {
  const pm_scalar_info *info = pm_get_scalar_info(type);
  double f = py_as_float(number);
  if (info->is_float) return type != PM_F32 || !isfinite(f) || fabs(f) <= FLT_MAX;
  if (number.type != VAL_FLOAT) return holds_int(info, py_as_int(number));
  double low = info->is_signed ? -ldexp(1, (int)info->bits - 1) : 0;
  return f >= low && f < ldexp(1, (int)info->bits - (info->is_signed ? 1 : 0));
}

dsl_expr *dsl_to_cond(py_interp *py, pm_loc loc, py_value v) {
  if (v.type == VAL_COND) return v.expr;
  if (!py_is_poison(v))
    py_fail(py, loc, "the condition is %s, it should be a comparison: x < 3, or Condition(x, '<', 3)",
            py_describe(py, v));
  return NULL;
}

/* --- arguments by what they are --- */

bool dsl_is_keyword(const py_arg *arg, const char *const *accepted) {
  if (!arg->keyword) return true;
  for (; *accepted; accepted++)
    if (strcmp(arg->keyword->text, *accepted) == 0) return true;
  return false;
}

/* The string "const" behind the name, for those that know the keyword: the stage is a table. It says nothing
 * of its values. */
static bool is_hint(const py_arg *arg, const dsl_given *out, const char *const *keywords) {
  if (!out->name || arg->value.type != VAL_STR || strcmp(arg->value.str->text, "const") != 0) return false;
  for (; *keywords; keywords++)
    if (strcmp(*keywords, "const") == 0) return true;
  return false;
}

static bool sort_argument(const py_arg *arg, dsl_given *out, unsigned max_seqs, unsigned max_values) {
  if (arg->keyword && strcmp(arg->keyword->text, "boundary") == 0)
    out->boundary = arg;
  else if (arg->keyword && strcmp(arg->keyword->text, "estimate") == 0)
    out->estimate = arg;
  else if (arg->value.type == VAL_TYPE && !out->type)
    out->type = arg;
  else if (dsl_is_tuple_of_types(arg->value) && !out->types)
    out->types = arg;
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

const char *const dsl_no_keywords[] = {NULL};

/* --- arguments in messages --- */

const char *dsl_argument(const py_interp *py, const py_call *call, const py_arg *arg) {
  const char *value = py_describe(py, arg->value);
  if (arg->keyword)
    return py_format(py, "the argument %s of %s is %s", arg->keyword->text, call->name, value);
  return py_format(py, "argument %u of %s is %s", (unsigned)(arg - call->args) + 1, call->name, value);
}

const char *dsl_meant_type(const py_interp *py, py_value v) {
  if (v.type != VAL_BUILTIN) return "";
  const char *name = v.builtin->name;
  const char *type = py_format(py, "%c%s", toupper((unsigned char)name[0]), name + 1);
  if (dsl_find_constant(pm_str_of(type)).type != VAL_TYPE) return "";
  return py_format(py, ", %s is a type", type);
}

/* What an argument of its kind is already; may be empty. */
static const char *taken_by(const py_interp *py, const py_arg *arg, const dsl_given *out) {
  if (arg->value.type == VAL_STR && out->name)
    return py_format(py, ", %s is the name already", py_describe(py, out->name->value));
  if (arg->value.type == VAL_TYPE && out->type)
    return py_format(py, ", %s is it already", py_describe(py, out->type->value));
  return "";
}

const char *dsl_its_name(const py_interp *py, const dsl_given *g) {
  return g->name ? py_format(py, ", %s is its name", py_describe(py, g->name->value)) : "";
}

static bool no_such_argument(py_interp *py, const py_call *call, const py_arg *arg, const char *expected) {
  py_fail(py, arg->loc, "%s has no argument '%pS', it should be %s", call->name, (const void *)arg->keyword,
          expected);
  return false;
}

/* --- sorting --- */

bool dsl_sort_arguments(py_interp *py, const py_call *call, dsl_given *out, unsigned max_seqs,
                        unsigned max_values, const char *const *keywords, const char *expected) {
  *out = (dsl_given){0};
  for (unsigned i = 0; i < call->n_args; i++) {
    const py_arg *arg = &call->args[i];
    if (!dsl_is_keyword(arg, keywords)) return no_such_argument(py, call, arg, expected);
    if (!is_hint(arg, out, keywords) && !sort_argument(arg, out, max_seqs, max_values))
      return py_fail(py, arg->loc, "%s%s%s; it should be %s", dsl_argument(py, call, arg),
                     taken_by(py, arg, out), dsl_meant_type(py, arg->value), expected),
             false;
  }
  return true;
}

void dsl_set_name(py_interp *py, dsl_symbol *symbol, const py_arg *name) {
  if (!name) return;
  symbol->given = pm_get_string(py->ctx, (pm_str){name->value.str->text, name->value.str->len});
  symbol->explicit_name = true;
}

bool dsl_check_positional(py_interp *py, const py_call *call, unsigned n, const char *expected) {
  if (!expected) expected = py_format(py, "%s(expression)", call->name);
  for (unsigned i = 0; i < call->n_args; i++)
    if (call->args[i].keyword) return no_such_argument(py, call, &call->args[i], expected);
  if (call->n_args == n) return true;
  py_fail(py, call->loc, "%s has %u argument%s, it should be %s", call->name, call->n_args,
          py_plural(call->n_args), expected);
  return false;
}

py_value dsl_case_value(py_interp *py, const dsl_case *branch) {
  return (py_value){.type = VAL_CASE, .branch = pm_arena_memdup(py->arena, branch, sizeof(*branch))};
}
