/* Python's own functions and the methods of its values, as far as programs that generate stages use them. */
#include "frontends/polymage/unknown.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PY_MAX_LIST = 10000000 };

/* Only positional arguments, between `least` and `most` of them. */
static bool check_count(py_interp *py, const py_call *call, unsigned least, unsigned most) {
  for (unsigned i = 0; i < call->n_args; i++)
    if (call->args[i].keyword)
      return py_fail(py, call->args[i].loc, "%s() has no argument '%pS'", call->name,
                     (const void *)call->args[i].keyword),
             false;
  if (call->n_args >= least && call->n_args <= most) return true;
  if (least == most)
    py_fail(py, call->loc, "%s() has %u arguments, it should have %u", call->name, call->n_args, least);
  else
    py_fail(py, call->loc, "%s() has %u arguments, it should have %u to %u", call->name, call->n_args, least,
            most);
  return false;
}

static py_value call_len(py_interp *py, const py_call *call) {
  if (!check_count(py, call, 1, 1)) return PY_POISON;
  py_value v = call->args[0].value;
  if (v.type == VAL_STR) return py_int((int64_t)v.str->len);
  if (v.type == VAL_DICT) return py_int((int64_t)v.dict->len);
  if (v.type == VAL_RANGE || py_is_seq(v)) return py_int((int64_t)py_iterable_len(v));
  return py_fail(py, call->loc,
                 "len() is given %s, it should be given a list, a tuple, a dictionary or a string",
                 py_describe(py, v));
}

static py_value call_range(py_interp *py, const py_call *call) {
  if (!check_count(py, call, 1, 3)) return PY_POISON;
  int64_t bounds[3] = {0, 0, 1};
  for (unsigned i = 0; i < call->n_args; i++) {
    py_value v = call->args[i].value;
    if (!py_is_int(v))
      return py_fail(
          py, call->args[i].loc,
          "range() is given %s, it should be given integers that are known while the program is read%s",
          py_describe(py, v), dsl_is_operand(v) ? py_no_loop : "");
    bounds[call->n_args == 1 ? 1 : i] = py_as_int(v);
  }
  if (bounds[2] == 0) return py_fail(py, call->loc, "the step of range() is 0, it should not be");
  py_range *range = pm_arena_alloc(py->arena, sizeof(*range));
  *range = (py_range){bounds[0], bounds[1], bounds[2]};
  return (py_value){.type = VAL_RANGE, .range = range};
}

static py_value call_str(py_interp *py, const py_call *call) {
  if (!check_count(py, call, 1, 1)) return PY_POISON;
  pm_buf text = {0};
  py_put_str(&text, call->args[0].value);
  if (!py_steps(py, call->loc, text.len / 64)) return pm_buf_free(&text), PY_POISON;
  py_value result = py_string(py->arena, text.data ? text.data : "", text.len);
  pm_buf_free(&text);
  return result;
}

static py_value int_of_string(py_interp *py, const py_call *call, const py_str *s) {
  char *end;
  long long value = strtoll(s->text, &end, 10);
  if (s->len == 0 || *end)
    return py_fail(py, call->loc, "int() is given '%s', it should be given digits", s->text);
  return py_int(value);
}

static py_value call_int(py_interp *py, const py_call *call) {
  if (!check_count(py, call, 1, 1)) return PY_POISON;
  py_value v = call->args[0].value;
  if (py_is_int(v)) return py_int(py_as_int(v));
  if (v.type == VAL_STR) return int_of_string(py, call, v.str);
  if (v.type == VAL_FLOAT && v.f > -9e18 && v.f < 9e18) return py_int((int64_t)v.f);
  return py_fail(py, call->loc,
                 "int() is given %s, it should be given a number; Cast(Int, …) converts values of stages",
                 py_describe(py, v));
}

static py_value call_float(py_interp *py, const py_call *call) {
  if (!check_count(py, call, 1, 1)) return PY_POISON;
  py_value v = call->args[0].value;
  if (py_is_number(v)) return py_float(py_as_float(v));
  return py_fail(py, call->loc,
                 "float() is given %s, it should be given a number; Cast(Float, …) converts values of stages",
                 py_describe(py, v));
}

static py_value call_abs(py_interp *py, const py_call *call) {
  if (!check_count(py, call, 1, 1)) return PY_POISON;
  py_value v = call->args[0].value;
  if (v.type == VAL_FLOAT) return py_float(v.f < 0 ? -v.f : v.f);
  if (py_is_int(v)) return py_as_int(v) < 0 ? py_binary(py, call->loc, TOK_MINUS, py_int(0), v) : v;
  return py_fail(py, call->loc, "abs() is given %s, it should be given a number; Abs is for values of stages",
                 py_describe(py, v));
}

/* --- the functions of the module math --- */

/* Argument `i` as a float; false after a diagnostic. */
static bool number_argument(py_interp *py, const py_call *call, unsigned i, const char *of_stages,
                            double *out) {
  py_value v = call->args[i].value;
  if (py_is_number(v)) {
    *out = py_as_float(v);
    return true;
  }
  return py_fail(py, call->args[i].loc, "%s() is given %s, it should be given a number; %s", call->name,
                 py_describe(py, v), of_stages),
         false;
}

static py_value integer_of(py_interp *py, const py_call *call, double value) {
  if (value > -9e18 && value < 9e18) return py_int((int64_t)value);
  return py_fail(py, call->loc, "the result of %s() does not fit 64 bits, it should", call->name);
}

static py_value call_ceil(py_interp *py, const py_call *call) {
  double x;
  if (!check_count(py, call, 1, 1)) return PY_POISON;
  if (!number_argument(py, call, 0, "Cast(Int, …) is for values of stages", &x)) return PY_POISON;
  return integer_of(py, call, ceil(x));
}
static py_value call_floor(py_interp *py, const py_call *call) {
  double x;
  if (!check_count(py, call, 1, 1)) return PY_POISON;
  if (!number_argument(py, call, 0, "Cast(Int, …) is for values of stages", &x)) return PY_POISON;
  return integer_of(py, call, floor(x));
}

static py_value call_sqrt(py_interp *py, const py_call *call) {
  double x;
  if (!check_count(py, call, 1, 1)) return PY_POISON;
  if (!number_argument(py, call, 0, "Sqrt is for values of stages", &x)) return PY_POISON;
  if (!(x >= 0)) return py_fail(py, call->loc, "sqrt() is given %g, it should be given 0 or more", x);
  return py_float(sqrt(x));
}

static py_value apply(py_interp *py, const py_call *call, double (*function)(double), const char *of_stages) {
  double x;
  if (!check_count(py, call, 1, 1) || !number_argument(py, call, 0, of_stages, &x)) return PY_POISON;
  return py_float(function(x));
}

static py_value call_exp(py_interp *py, const py_call *call) {
  return apply(py, call, exp, "Exp is for values of stages");
}
static py_value call_sin(py_interp *py, const py_call *call) {
  return apply(py, call, sin, "Sin is for values of stages");
}
static py_value call_cos(py_interp *py, const py_call *call) {
  return apply(py, call, cos, "Cos is for values of stages");
}

static py_value call_pow(py_interp *py, const py_call *call) {
  if (!check_count(py, call, 2, 2)) return PY_POISON;
  return py_binary(py, call->loc, TOK_POWER, call->args[0].value, call->args[1].value);
}

/* log(x) or log(x, base) */
static py_value call_log(py_interp *py, const py_call *call) {
  static const char of_stages[] = "Log is for values of stages";
  double x, base = 0;
  if (!check_count(py, call, 1, 2) || !number_argument(py, call, 0, of_stages, &x)) return PY_POISON;
  if (call->n_args == 2 && !number_argument(py, call, 1, of_stages, &base)) return PY_POISON;
  if (!(x > 0)) return py_fail(py, call->loc, "log() is given %g, it should be given more than 0", x);
  if (call->n_args == 2 && !(base > 0 && base != 1))
    return py_fail(py, call->args[1].loc, "the base of log() is %g, it should be above 0 and not 1", base);
  if (call->n_args == 1) return py_float(log(x));
  return py_float(base == 2 ? log2(x) : base == 10 ? log10(x) : log(x) / log(base));
}

/* --- functions of several values --- */

/* The arguments, or the items of the only one, as a list. */
static py_value candidates(py_interp *py, const py_call *call) {
  if (call->n_args == 1) return py_iterable(py, call->loc, call->args[0].value);
  py_value list = py_new_seq(py->arena, VAL_LIST, call->n_args);
  for (unsigned i = 0; i < call->n_args; i++) py_seq_push(py->arena, list.seq, call->args[i].value);
  return list;
}

static py_value extreme(py_interp *py, const py_call *call, py_tok better) {
  if (!check_count(py, call, 1, 1000)) return PY_POISON;
  py_value items = candidates(py, call), best = PY_POISON;
  if (py_is_poison(items)) return items;
  for (size_t i = 0; i < py_iterable_len(items); i++) {
    py_value v = py_iterable_at(items, i);
    if (!py_is_number(v))
      return py_fail(py, call->loc,
                     "%s() is given %s, it should be given numbers; %s is for values of stages", call->name,
                     py_describe(py, v), better == TOK_LT ? "Min" : "Max");
    if (!py_step(py, call->loc)) return PY_POISON;
    py_value is_better = i == 0 ? py_bool(true) : py_compare(py, call->loc, better, v, best);
    if (is_better.type == VAL_BOOL && is_better.b) best = v;
  }
  return py_is_poison(best)
             ? py_fail(py, call->loc, "%s() is given nothing, it should be given a number", call->name)
             : best;
}

static py_value call_min(py_interp *py, const py_call *call) {
  return extreme(py, call, TOK_LT);
}
static py_value call_max(py_interp *py, const py_call *call) {
  return extreme(py, call, TOK_GT);
}

static py_value call_sum(py_interp *py, const py_call *call) {
  if (!check_count(py, call, 1, 1)) return PY_POISON;
  py_value items = py_iterable(py, call->loc, call->args[0].value), total = py_int(0);
  if (py_is_poison(items)) return items;
  for (size_t i = 0; i < py_iterable_len(items); i++) {
    if (!py_step(py, call->loc)) return PY_POISON;
    py_value item = py_iterable_at(items, i);
    total = i == 0 ? item : py_binary(py, call->loc, TOK_PLUS, total, item);
  }
  return total;
}

static py_value copy_items(py_interp *py, const py_call *call, py_type type) {
  if (!check_count(py, call, 0, 1)) return PY_POISON;
  if (call->n_args == 0) return py_new_seq(py->arena, type, 0);
  py_value items = py_iterable(py, call->loc, call->args[0].value);
  if (py_is_poison(items)) return items;
  if (py_iterable_len(items) > PY_MAX_LIST) return py_fail(py, call->loc, "the list is too long");
  if (!py_steps(py, call->loc, py_iterable_len(items) / 8)) return PY_POISON;
  py_value copy = py_new_seq(py->arena, type, py_iterable_len(items));
  for (size_t i = 0; i < py_iterable_len(items); i++)
    py_seq_push(py->arena, copy.seq, py_iterable_at(items, i));
  return copy;
}

static py_value call_list(py_interp *py, const py_call *call) {
  return copy_items(py, call, VAL_LIST);
}
static py_value call_tuple(py_interp *py, const py_call *call) {
  return copy_items(py, call, VAL_TUPLE);
}

static py_value call_reversed(py_interp *py, const py_call *call) {
  if (!check_count(py, call, 1, 1)) return PY_POISON;
  py_value copy = copy_items(py, call, VAL_LIST);
  if (py_is_poison(copy)) return copy;
  py_value *items = copy.seq->items;
  for (size_t i = 0, j = copy.seq->len; i + 1 < j; i++) {
    py_value item = items[--j];
    items[j] = items[i];
    items[i] = item;
  }
  return copy;
}

static py_value call_dict(py_interp *py, const py_call *call) {
  if (!check_count(py, call, 0, 0)) return PY_POISON;
  return (py_value){.type = VAL_DICT, .dict = pm_arena_alloc(py->arena, sizeof(py_dict))};
}

static py_value pair(py_interp *py, py_value a, py_value b) {
  py_value tuple = py_new_seq(py->arena, VAL_TUPLE, 2);
  py_seq_push(py->arena, tuple.seq, a);
  py_seq_push(py->arena, tuple.seq, b);
  return tuple;
}

static py_value call_enumerate(py_interp *py, const py_call *call) {
  if (!check_count(py, call, 1, 1)) return PY_POISON;
  py_value items = py_iterable(py, call->loc, call->args[0].value);
  if (py_is_poison(items)) return items;
  py_value list = py_new_seq(py->arena, VAL_LIST, 0);
  for (size_t i = 0; i < py_iterable_len(items) && py_step(py, call->loc); i++)
    py_seq_push(py->arena, list.seq, pair(py, py_int((int64_t)i), py_iterable_at(items, i)));
  return list;
}

static py_value call_zip(py_interp *py, const py_call *call) {
  if (!check_count(py, call, 2, 2)) return PY_POISON;
  py_value a = py_iterable(py, call->args[0].loc, call->args[0].value);
  py_value b = py_iterable(py, call->args[1].loc, call->args[1].value);
  if (py_is_poison(a) || py_is_poison(b)) return PY_POISON;
  py_value list = py_new_seq(py->arena, VAL_LIST, 0);
  for (size_t i = 0; i < py_iterable_len(a) && i < py_iterable_len(b) && py_step(py, call->loc); i++)
    py_seq_push(py->arena, list.seq, pair(py, py_iterable_at(a, i), py_iterable_at(b, i)));
  return list;
}

/* numpy's arrays of one dimension, as lists: the coefficients of a program. What follows the number of items,
 * a type, is not looked at. */
static py_value fill(py_interp *py, const py_call *call, double value) {
  py_value n = call->n_args > 0 ? py_need(py, call->args[0].loc, call->args[0].value) : PY_NONE;
  if (py_is_seq(n) && n.seq->len == 1) n = n.seq->items[0];
  if (py_is_poison(n)) return n;
  if (!py_is_int(n) || py_as_int(n) < 0 || py_as_int(n) > PY_MAX_LIST)
    return py_fail(py, call->loc, "%s() is given %s, it should be given the number of items of one dimension",
                   call->name, py_describe(py, n));
  if (!py_steps(py, call->loc, (size_t)py_as_int(n) / 8)) return PY_POISON;
  py_value list = py_new_seq(py->arena, VAL_LIST, (size_t)py_as_int(n));
  for (int64_t i = 0; i < py_as_int(n); i++) py_seq_push(py->arena, list.seq, py_float(value));
  return list;
}

static py_value call_zeros(py_interp *py, const py_call *call) {
  return fill(py, call, 0);
}
static py_value call_ones(py_interp *py, const py_call *call) {
  return fill(py, call, 1);
}

/* What is not here is not known: bool() of a --const is its truth. */
static py_value call_bool(py_interp *py, const py_call *call) {
  if (!check_count(py, call, 1, 1)) return PY_POISON;
  return py_truth(py, call->loc, call->args[0].value, "Select or Case should test it");
}

static const py_builtin builtins[] = {
    {"bool", call_bool}, {"zeros", call_zeros}, {"ones", call_ones},
    {"len", call_len},   {"range", call_range}, {"xrange", call_range},
    {"str", call_str},   {"int", call_int},     {"float", call_float},
    {"abs", call_abs},   {"min", call_min},     {"max", call_max},
    {"sum", call_sum},   {"list", call_list},   {"tuple", call_tuple},
    {"dict", call_dict}, {"zip", call_zip},     {"enumerate", call_enumerate},
    {"ceil", call_ceil}, {"floor", call_floor}, {"reversed", call_reversed},
    {"log", call_log},   {"sqrt", call_sqrt},   {"exp", call_exp},
    {"sin", call_sin},   {"cos", call_cos},     {"pow", call_pow},
};

py_value py_find_constant(pm_str name) {
  static const double pi = 3.14159265358979323846;
  return pm_str_is(name, "pi") ? py_float(pi) : PY_POISON;
}

const py_builtin *py_find_builtin(pm_str name) {
  for (size_t i = 0; i < PM_COUNT(builtins); i++)
    if (pm_str_is(name, builtins[i].name)) return &builtins[i];
  return NULL;
}

const char *py_nearest_builtin(pm_str name, unsigned *distance) {
  const char *best = NULL;
  for (size_t i = 0; i < PM_COUNT(builtins); i++) {
    unsigned d = pm_edit_distance(name, pm_str_of(builtins[i].name), *distance);
    if (d >= *distance) continue;
    *distance = d;
    best = builtins[i].name;
  }
  return best;
}

/* --- methods --- */

typedef struct py_method_row {
  py_type self;
  const char *name;
  py_value (*call)(py_interp *py, py_value self, const py_call *call);
} py_method_row;

static py_value list_append(py_interp *py, py_value self, const py_call *call) {
  if (!check_count(py, call, 1, 1)) return PY_POISON;
  py_seq_push(py->arena, self.seq, call->args[0].value);
  return PY_NONE;
}

static py_value list_extend(py_interp *py, py_value self, const py_call *call) {
  if (!check_count(py, call, 1, 1)) return PY_POISON;
  py_value items = py_iterable(py, call->loc, call->args[0].value);
  py->lost |= py_is_poison(items);
  if (py_is_poison(items)) return items;
  size_t n = py_iterable_len(items);
  if (n > PY_MAX_LIST) return py_fail(py, call->loc, "the list is too long");
  if (!py_steps(py, call->loc, n / 8)) return PY_POISON;
  for (size_t i = 0; i < n; i++) py_seq_push(py->arena, self.seq, py_iterable_at(items, i));
  return PY_NONE;
}

static py_value dict_keys(py_interp *py, py_value self, const py_call *call) {
  if (!check_count(py, call, 0, 0) || !py_steps(py, call->loc, self.dict->len)) return PY_POISON;
  py_value list = py_new_seq(py->arena, VAL_LIST, self.dict->len);
  for (size_t i = 0; i < self.dict->len; i++) py_seq_push(py->arena, list.seq, self.dict->entries[i].key);
  return list;
}

static py_value dict_values(py_interp *py, py_value self, const py_call *call) {
  if (!check_count(py, call, 0, 0) || !py_steps(py, call->loc, self.dict->len)) return PY_POISON;
  py_value list = py_new_seq(py->arena, VAL_LIST, self.dict->len);
  for (size_t i = 0; i < self.dict->len; i++) py_seq_push(py->arena, list.seq, self.dict->entries[i].value);
  return list;
}

static py_value dict_items(py_interp *py, py_value self, const py_call *call) {
  if (!check_count(py, call, 0, 0) || !py_steps(py, call->loc, self.dict->len)) return PY_POISON;
  py_value list = py_new_seq(py->arena, VAL_LIST, self.dict->len);
  for (size_t i = 0; i < self.dict->len; i++)
    py_seq_push(py->arena, list.seq, pair(py, self.dict->entries[i].key, self.dict->entries[i].value));
  return list;
}

static py_value definition_append(py_interp *py, py_value self, const py_call *call) {
  if (!check_count(py, call, 1, 1)) return PY_POISON;
  return dsl_define(py, call->loc, self.symbol, call->args[0].value) ? PY_NONE : PY_POISON;
}

static const py_method_row methods[] = {
    {VAL_LIST, "append", list_append},
    {VAL_LIST, "extend", list_extend},
    {VAL_DICT, "keys", dict_keys},
    {VAL_DICT, "values", dict_values},
    {VAL_DICT, "items", dict_items},
    {VAL_DEFINITION, "append", definition_append},
    {VAL_DEFINITION, "extend", definition_append},
};

py_value py_find_method(py_interp *py, py_value base, pm_string name) {
  for (size_t i = 0; i < PM_COUNT(methods); i++) {
    if (methods[i].self != base.type || strcmp(methods[i].name, name->text) != 0) continue;
    py_method *method = pm_arena_alloc(py->arena, sizeof(*method));
    method->self = pm_arena_memdup(py->arena, &base, sizeof(base));
    method->row = &methods[i];
    return (py_value){.type = VAL_METHOD, .method = method};
  }
  return PY_POISON;
}

py_value py_call_method(py_interp *py, const py_method *method, const py_call *call) {
  py_call named = *call;
  named.name = method->row->name;
  return method->row->call(py, *method->self, &named);
}
