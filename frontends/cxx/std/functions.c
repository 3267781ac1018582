/* Functions of numbers, of texts and of pairs. */
#include "frontends/cxx/expressions/expressions.h"
#include "frontends/cxx/std/std.h"
#include "frontends/cxx/values/values.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- of floats --- */

/* Of one or of two arguments; each has a name for floats, which ends in `f`, too. */
typedef struct float_function {
  const char *name;
  double (*of_double)(double);
  float (*of_float)(float);
  double (*of_doubles)(double, double);
  float (*of_floats)(float, float);
} float_function;

#define ONE(name)                                                                                            \
  { #name, name, name##f, NULL, NULL }
#define TWO(name)                                                                                            \
  { #name, NULL, NULL, name, name##f }
static const float_function float_functions[] = {
    ONE(fabs),  ONE(sqrt),     ONE(cbrt), ONE(exp),       ONE(exp2),  ONE(expm1),    ONE(log),   ONE(log2),
    ONE(log10), ONE(log1p),    ONE(sin),  ONE(cos),       ONE(tan),   ONE(asin),     ONE(acos),  ONE(atan),
    ONE(sinh),  ONE(cosh),     ONE(tanh), ONE(asinh),     ONE(acosh), ONE(atanh),    ONE(floor), ONE(ceil),
    ONE(trunc), ONE(round),    ONE(rint), ONE(nearbyint), ONE(erf),   TWO(pow),      TWO(atan2), TWO(fmod),
    TWO(hypot), TWO(copysign), TWO(fmin), TWO(fmax),      TWO(fdim),  TWO(remainder)};
#undef ONE
#undef TWO

static const float_function *find_float_function(const char *name, bool *is_single) {
  size_t len = strlen(name);
  for (size_t i = 0; i < PM_COUNT(float_functions); i++) {
    size_t n = strlen(float_functions[i].name);
    if (strncmp(float_functions[i].name, name, n) != 0) continue;
    *is_single = len == n + 1 && name[n] == 'f';
    if (len == n || *is_single) return &float_functions[i];
  }
  return NULL;
}

/* All arguments are numbers, which is reported where one is not. */
static bool takes_numbers(const cx_call *c, unsigned least, unsigned most) {
  if (!cx_takes(c, least, most)) return false;
  for (unsigned i = 0; i < c->n_args; i++) {
    if (cv_is_number(c->args[i])) continue;
    cx_fail(c->in, c->loc, "%s takes numbers that are known while the program is compiled, %s is here",
            c->name->text, cv_describe(c->in, c->args[i]));
    return false;
  }
  return true;
}

/* Computed in float where all arguments are floats; an integer counts as a double [cmath.syn]. */
static cv do_float_function(const cx_call *c) {
  bool single;
  const float_function *f = find_float_function(c->name->text, &single);
  unsigned n = f->of_double ? 1 : 2;
  if (!takes_numbers(c, n, n)) return cv_poison;
  cv a = c->args[0], b = c->args[n - 1];
  single |= a.kind == CV_FLOAT && a.scalar == PM_F32 && b.kind == CV_FLOAT && b.scalar == PM_F32;
  double x = cv_as_double(a), y = cv_as_double(b);
  if (!single) return cv_float(PM_F64, n == 1 ? f->of_double(x) : f->of_doubles(x, y));
  return cv_float(PM_F32, n == 1 ? f->of_float((float)x) : f->of_floats((float)x, (float)y));
}

/* lround, lrint … */
static cv do_whole_round(const cx_call *c) {
  int64_t whole;
  if (!takes_numbers(c, 1, 1)) return cv_poison;
  double value = cv_as_double(c->args[0]);
  cv rounded = cv_float(PM_F64, strstr(c->name->text, "rint") ? rint(value) : round(value));
  if (cv_as_int(rounded, &whole)) return cv_int(PM_I64, whole);
  return cx_fail(c->in, c->loc, "the number is too large for an integer");
}

/* --- of numbers --- */

static cv extreme(const cx_call *c, bool is_max, const cv *values, unsigned n) {
  cv best = values[0];
  for (unsigned i = 1; i < n; i++) {
    cv less = cx_binary(c->in, c->loc, CX_OP_LT, is_max ? best : values[i], is_max ? values[i] : best);
    if (less.kind == CV_INT && less.i) best = values[i];
  }
  return best;
}

static cv do_extreme(const cx_call *c) {
  bool is_max = strcmp(c->name->text, "max") == 0;
  const cx_node *type = c->at && c->at->n_items == 1 ? c->at->items[0] : NULL;
  if (!takes_numbers(c, 2, CX_MANY)) return cv_poison;
  for (unsigned i = 0; i < c->n_args && type; i++)
    c->args[i] = cx_convert(c->in, c->locs[i], type, c->args[i]);
  return extreme(c, is_max, c->args, c->n_args);
}

static cv do_clamp(const cx_call *c) {
  if (!takes_numbers(c, 3, 3)) return cv_poison;
  cv bounds[] = {extreme(c, true, c->args, 2), c->args[2]};
  return extreme(c, false, bounds, 2);
}

static cv do_abs(const cx_call *c) {
  if (!takes_numbers(c, 1, 1)) return cv_poison;
  cv v = c->args[0];
  if (v.kind == CV_FLOAT) return cv_float((pm_scalar)v.scalar, fabs(v.f));
  bool is_unsigned = cx_is_unsigned((pm_scalar)v.scalar);
  int64_t size = !is_unsigned && v.i < 0 ? (int64_t)(0 - (uint64_t)v.i) : v.i;
  return cv_int(cx_bits((pm_scalar)v.scalar) < 32 ? PM_I32 : (pm_scalar)v.scalar, size);
}

cx_handler std_number_function(pm_string name) {
  static const cx_row rows[] = {
      {"min", do_extreme}, {"max", do_extreme}, {"clamp", do_clamp}, {"abs", do_abs}};
  bool single;
  for (size_t i = 0; i < PM_COUNT(rows); i++)
    if (strcmp(rows[i].name, name->text) == 0) return rows[i].call;
  return find_float_function(name->text, &single) ? do_float_function : NULL;
}

/* --- of other values --- */

/* min and max of {a, b, …}, and of what `<` compares. */
static cv do_extreme_of_list(const cx_call *c) {
  bool is_max = strcmp(c->name->text, "max") == 0, of_list = c->n_args == 1 && c->args[0].kind == CV_LIST;
  uint32_t n = of_list ? c->args[0].list->items.len : c->n_args;
  if (n == 0 || (!of_list && !cx_takes(c, 2, 2)))
    return cx_fail(c->in, c->loc, "%s takes two values, or a list of some", c->name->text);
  cv best = of_list ? c->args[0].list->items.data[0]->value : c->args[0];
  for (uint32_t i = 1; i < n && cx_may_go_on(c->in, c->loc); i++) {
    cv v = of_list ? c->args[0].list->items.data[i]->value : c->args[i];
    bool yes = false;
    cv less = cx_operate(c->in, c->loc, CX_OP_LT, is_max ? best : v, is_max ? v : best, NULL);
    if (less.kind == CV_POISON || !cx_to_bool(c->in, c->loc, less, &yes)) return cv_poison;
    if (yes) best = v;
  }
  return best;
}

static cv do_move(const cx_call *c) {
  return cx_takes(c, 1, 1) ? c->args[0] : cv_poison;
}

/* forward<T>(x): x itself where T is a reference. */
static cv do_forward(const cx_call *c) {
  const cx_node *of = c->at && c->at->n_items > 0 ? cx_resolve(c->in, c->at->items[0]) : NULL;
  if (!cx_takes(c, 1, 1)) return cv_poison;
  if (of && of->is_reference && !of->is_rvalue && c->cells) c->in->result_cell = c->cells[0];
  return c->args[0];
}

static cv do_to_string(const cx_call *c) {
  char text[64];
  if (!cx_takes(c, 1, 1)) return cv_poison;
  if (c->args[0].kind == CV_STRING) return c->args[0];
  if (!cv_is_number(c->args[0]))
    return cx_fail(c->in, c->loc, "to_string takes numbers, %s is here", cv_describe(c->in, c->args[0]));
  if (c->args[0].kind == CV_INT)
    snprintf(text, sizeof(text), "%lld", (long long)c->args[0].i);
  else
    snprintf(text, sizeof(text), "%f", c->args[0].f);
  return cv_text(c->in->ctx, text, strlen(text));
}

static cv do_make_pair(const cx_call *c) {
  cv pair = cx_new_list(c->in, CV_LIST);
  for (unsigned i = 0; i < c->n_args; i++) cx_append(c->in, pair, cx_copy(c->in, c->args[i]));
  return pair;
}

cv cx_std_assert(const cx_call *c) {
  bool holds;
  if (!cx_takes(c, 1, 1) || !cx_to_bool(c->in, c->locs[0], c->args[0], &holds)) return cv_poison;
  return holds ? cv_void : cx_fail(c->in, c->loc, "the assertion does not hold");
}

static cv do_nothing(const cx_call *c) {
  (void)c;
  return cv_void;
}

const cx_row std_functions[] = {{"min", do_extreme_of_list},
                                {"max", do_extreme_of_list},
                                {"lround", do_whole_round},
                                {"llround", do_whole_round},
                                {"lrint", do_whole_round},
                                {"llrint", do_whole_round},
                                {"move", do_move},
                                {"forward", do_forward},
                                {"to_string", do_to_string},
                                {"make_pair", do_make_pair},
                                {"distance", std_distance},
                                {"find", std_find},
                                {"reverse", std_reverse},
                                {"assert", cx_std_assert},
                                {"get", std_get},
                                {"max_element", std_extreme_item},
                                {"min_element", std_extreme_item},
                                {"count", std_count},
                                {"count_if", std_count},
                                {"all_of", std_holds},
                                {"any_of", std_holds},
                                {"none_of", std_holds},
                                {"find_if", std_find_if},
                                {"for_each", std_for_each},
                                {"transform", std_transform},
                                {"make_unique", std_make_pointer},
                                {"make_shared", std_make_pointer},
                                {"make_tuple", do_make_pair},
                                {"make_optional", do_move},
                                {"numeric_limits::max", std_limit},
                                {"numeric_limits::min", std_limit},
                                {"numeric_limits::lowest", std_limit},
                                {"numeric_limits::epsilon", std_limit},
                                {"numeric_limits::infinity", std_limit},
                                {"swap", std_swap},
                                {"sort", std_sort},
                                {"stable_sort", std_sort},
                                {"accumulate", std_accumulate},
                                {"iota", std_iota},
                                {"fill", std_fill},
                                {"replace", std_replace},
                                {"replace_if", std_replace},
                                {"stoi", std_to_number},
                                {"stol", std_to_number},
                                {"stoll", std_to_number},
                                {"stof", std_to_number},
                                {"stod", std_to_number},
                                {"tolower", std_of_character},
                                {"toupper", std_of_character},
                                {"isdigit", std_of_character},
                                {"isalpha", std_of_character},
                                {"isalnum", std_of_character},
                                {"isspace", std_of_character},
                                {"printf", do_nothing},
                                {"fprintf", do_nothing},
                                {NULL, NULL}};
