/* Functions that Halide and C++ bring: of Exprs, by Halide's definitions, and of numbers of the host code. */
#include "frontends/halide/interp.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 100 }; /* arguments */

typedef hv (*library_function)(const h_call *call);

static hv made(hx *e) {
  return e ? hv_expr(e) : hv_poison;
}

static h_program *program_of(const h_call *c) {
  return &c->in->program;
}

static pm_scalar type_of_expr(const hx *e) {
  return (pm_scalar)e->type;
}

static hx *arg(const h_call *c, unsigned i) {
  return h_to_expr(c->in, c->locs[i], c->args[i]);
}

static bool needs(const h_call *c, unsigned least, unsigned most) {
  if (c->n_args >= least && c->n_args <= most) return true;
  if (least == most)
    h_fail(c->in, c->loc, "%s has %u %s, it should have %u", c->name->text, c->n_args,
           c->n_args == 1 ? "argument" : "arguments", least);
  else if (most == MANY)
    h_fail(c->in, c->loc, "%s has %u %s, it should have %u or more", c->name->text, c->n_args,
           c->n_args == 1 ? "argument" : "arguments", least);
  else
    h_fail(c->in, c->loc, "%s has %u %s, it should have %u to %u", c->name->text, c->n_args,
           c->n_args == 1 ? "argument" : "arguments", least, most);
  return false;
}

static bool all_numbers(const h_call *c) {
  for (unsigned i = 0; i < c->n_args; i++)
    if (!hv_is_number(c->args[i])) return false;
  return c->n_args > 0;
}

/* f<T>(…) */
static bool template_type(const h_call *c, pm_scalar *type) {
  return c->at && c->at->n_items > 0 && h_scalar_of(c->in, c->at->items[0], type);
}

/* What stands in <> is a scalar type, if there is something. */
static bool check_template(const h_call *c) {
  pm_scalar type;
  if (!c->at || c->at->n_items == 0 || template_type(c, &type)) return true;
  const cx_node *given = c->at->items[0];
  h_fail(c->in, given->loc, "%s has %s in <>, it should have a type of numbers, as uint8_t is", c->name->text,
         given->kind == CX_TYPE && given->name ? given->name->text : "no type");
  return false;
}

/* f<T>(e) or f(type, e): the type and the number of the argument behind it. */
static bool type_and_value(const h_call *c, pm_scalar *type, unsigned *value) {
  *value = 0;
  if (!check_template(c)) return false;
  if (template_type(c, type)) return needs(c, 1, 1);
  if (!needs(c, 2, 2) || !h_to_type(c->in, c->locs[0], c->args[0], type)) return false;
  *value = 1;
  return true;
}

static hx *int_of(const h_call *c, pm_scalar type, int64_t i) {
  return hx_int(program_of(c), c->loc, type, i);
}

static hx *node1(const h_call *c, hx_op op, hx *a) {
  return hx_node(program_of(c), c->loc, op, type_of_expr(a), &a, 1);
}

static hx *node2(const h_call *c, hx_op op, hx *a, hx *b) {
  return hx_node2(program_of(c), c->loc, op, a, b);
}

static hx *compare(const h_call *c, hx_op op, hx *a, hx *b) {
  return hx_node(program_of(c), c->loc, op, PM_I1, (hx *[]){a, b}, 2);
}

static hx *select3(const h_call *c, hx *condition, hx *a, hx *b) {
  return hx_node(program_of(c), c->loc, HX_SELECT, type_of_expr(a), (hx *[]){condition, a, b}, 3);
}

static hx *cast_to(const h_call *c, pm_scalar type, hx *e) {
  return hx_cast(program_of(c), c->loc, type, e);
}

/* --- casts --- */

static hv do_cast(const h_call *c) {
  pm_scalar type;
  unsigned i;
  if (!type_and_value(c, &type, &i)) return hv_poison;
  hx *e = arg(c, i);
  return e ? hv_expr(cast_to(c, type, e)) : hv_poison;
}

static hx *saturated(const h_call *c, pm_scalar type, hx *e) {
  if (e->type == type) return e;
  if (hx_is_float_type(type)) return cast_to(c, type, e);
  return hx_node(program_of(c), c->loc, HX_SAT_CAST, type, &e, 1);
}

static hv do_saturating_cast(const h_call *c) {
  pm_scalar type;
  unsigned i;
  if (!type_and_value(c, &type, &i)) return hv_poison;
  hx *e = arg(c, i);
  return e ? hv_expr(saturated(c, type, e)) : hv_poison;
}

/* u8, i16_sat, f32 … */
static bool concise_type(const char *name, pm_scalar *type, bool *saturates) {
  static const struct {
    const char *name;
    pm_scalar type;
  } names[] = {{"i8", PM_I8},   {"i16", PM_I16}, {"i32", PM_I32}, {"i64", PM_I64}, {"u8", PM_U8},
               {"u16", PM_U16}, {"u32", PM_U32}, {"u64", PM_U64}, {"f32", PM_F32}, {"f64", PM_F64}};
  for (size_t i = 0; i < PM_COUNT(names); i++) {
    size_t n = strlen(names[i].name);
    if (strncmp(name, names[i].name, n) != 0) continue;
    *type = names[i].type;
    *saturates = strcmp(name + n, "_sat") == 0;
    if (!name[n] || *saturates) return true;
  }
  return false;
}

static hv do_concise(const h_call *c) {
  pm_scalar type = PM_I32;
  bool saturates = false;
  concise_type(c->name->text, &type, &saturates);
  if (!needs(c, 1, 1)) return hv_poison;
  hx *e = arg(c, 0);
  if (!e) return hv_poison;
  return hv_expr(saturates ? saturated(c, type, e) : cast_to(c, type, e));
}

/* Between types of one size. */
static hv do_reinterpret(const h_call *c) {
  pm_scalar type;
  unsigned i;
  if (!type_and_value(c, &type, &i)) return hv_poison;
  hx *e = arg(c, i);
  if (!e) return hv_poison;
  if (hx_bits(type) != hx_bits(type_of_expr(e)))
    return h_fail(c->in, c->loc, "reinterpret is from %s to %s, it should be between types of one size",
                  hx_type_name(type_of_expr(e)), hx_type_name(type));
  if (!hx_is_float_type(type) && !hx_is_float_type(type_of_expr(e))) return hv_expr(cast_to(c, type, e));
  return hv_expr(hx_node(program_of(c), c->loc, HX_BITCAST, type, &e, 1));
}

static hv do_type_of(const h_call *c) {
  pm_scalar type;
  if (!check_template(c)) return hv_poison;
  if (template_type(c, &type)) return (hv){.kind = HV_TYPE, .scalar = (uint8_t)type};
  return h_fail(c->in, c->loc, "type_of has nothing in <>, it should have a type of numbers");
}

/* --- functions of floats --- */

typedef struct float_function {
  const char *name;
  hx_op op;
  double (*host)(double);
} float_function;

static const float_function float_functions[] = {
    {"sqrt", HX_SQRT, sqrt},     {"exp", HX_EXP, exp},        {"log", HX_LOG, log},
    {"sin", HX_SIN, sin},        {"cos", HX_COS, cos},        {"tan", HX_TAN, tan},
    {"floor", HX_FLOOR, floor},  {"ceil", HX_CEIL, ceil},     {"sqrtf", HX_SQRT, sqrt},
    {"expf", HX_EXP, exp},       {"logf", HX_LOG, log},       {"sinf", HX_SIN, sin},
    {"cosf", HX_COS, cos},       {"tanf", HX_TAN, tan},       {"floorf", HX_FLOOR, floor},
    {"ceilf", HX_CEIL, ceil},    {"fast_exp", HX_EXP, exp},   {"fast_log", HX_LOG, log},
    {"fast_sin", HX_SIN, sin},   {"fast_cos", HX_COS, cos},   {"asin", HX_ASIN, asin},
    {"acos", HX_ACOS, acos},     {"atan", HX_ATAN, atan},     {"sinh", HX_SINH, sinh},
    {"cosh", HX_COSH, cosh},     {"tanh", HX_TANH, tanh},     {"asinh", HX_ASINH, asinh},
    {"acosh", HX_ACOSH, acosh},  {"atanh", HX_ATANH, atanh},  {"asinf", HX_ASIN, asin},
    {"acosf", HX_ACOS, acos},    {"atanf", HX_ATAN, atan},    {"sinhf", HX_SINH, sinh},
    {"coshf", HX_COSH, cosh},    {"tanhf", HX_TANH, tanh},    {"asinhf", HX_ASINH, asinh},
    {"acoshf", HX_ACOSH, acosh}, {"atanhf", HX_ATANH, atanh}, {"trunc", HX_TRUNC, trunc},
    {"truncf", HX_TRUNC, trunc}};

static const float_function *find_float_function(const char *name) {
  for (size_t i = 0; i < PM_COUNT(float_functions); i++)
    if (strcmp(float_functions[i].name, name) == 0) return &float_functions[i];
  return NULL;
}

/* Doubles stay, all else is computed as a float. */
static hx *as_float(const h_call *c, hx *e) {
  return e->type == PM_F64 ? e : cast_to(c, PM_F32, e);
}

static double host_double(hv v) {
  return v.kind == HV_FLOAT                         ? v.f
         : hx_is_unsigned_type((pm_scalar)v.scalar) ? (double)(uint64_t)v.i
                                                    : (double)v.i;
}

/* The type of a function of C++ on this number. */
static pm_scalar host_type(const h_call *c, hv v) {
  size_t n = c->name->len;
  bool single = c->name->text[n - 1] == 'f' && !(n == 4 && strcmp(c->name->text, "erff") == 0);
  return single || (v.kind == HV_FLOAT && v.scalar == PM_F32) ? PM_F32 : PM_F64;
}

static hv do_float_function(const h_call *c) {
  const float_function *f = find_float_function(c->name->text);
  if (!needs(c, 1, 1)) return hv_poison;
  if (hv_is_number(c->args[0])) return hv_float(host_type(c, c->args[0]), f->host(host_double(c->args[0])));
  hx *e = arg(c, 0);
  return e ? hv_expr(node1(c, f->op, as_float(c, e))) : hv_poison;
}

/* Of Exprs to the nearest integer, halves to the even one; of numbers of C++ halves away from zero. */
static hv do_round(const h_call *c) {
  if (!needs(c, 1, 1)) return hv_poison;
  if (hv_is_number(c->args[0])) return hv_float(host_type(c, c->args[0]), round(host_double(c->args[0])));
  hx *e = arg(c, 0);
  return e ? hv_expr(node1(c, HX_RINT, as_float(c, e))) : hv_poison;
}

/* lround, lrint … of numbers. */
static hv do_host_round(const h_call *c) {
  int64_t whole;
  if (!needs(c, 1, 1)) return hv_poison;
  if (!hv_is_number(c->args[0]))
    return h_fail(c->in, c->loc, "%s is of numbers, %s is here", c->name->text, hv_describe(c->args[0]));
  double value = host_double(c->args[0]);
  hv rounded = hv_float(PM_F64, strstr(c->name->text, "rint") ? rint(value) : round(value));
  if (hv_as_int(rounded, &whole)) return hv_int(PM_I64, whole);
  return h_fail(c->in, c->loc, "the number is too large for an integer");
}

static hv do_fract(const h_call *c) {
  hx *e = needs(c, 1, 1) ? arg(c, 0) : NULL;
  if (!e) return hv_poison;
  e = as_float(c, e);
  return hv_expr(node2(c, HX_SUB, e, node1(c, HX_TRUNC, e)));
}

static hx *integer_power(const h_call *c, hx *e, int64_t n) {
  pm_scalar type = type_of_expr(e);
  if (n == 0) return int_of(c, type, 1);
  if (n == 1) return e;
  if (n < 0) return node2(c, HX_DIV, int_of(c, type, 1), integer_power(c, e, -n));
  hx *root = integer_power(c, e, n >> 1);
  hx *square = node2(c, HX_MUL, root, root);
  return n & 1 ? node2(c, HX_MUL, square, e) : square;
}

static hv do_pow(const h_call *c) {
  int64_t n;
  if (!needs(c, 2, 2)) return hv_poison;
  if (all_numbers(c)) {
    bool single = c->args[0].scalar == PM_F32 && c->args[0].kind == HV_FLOAT &&
                  (c->args[1].kind == HV_INT || c->args[1].scalar == PM_F32);
    return hv_float(single ? PM_F32 : PM_F64, pow(host_double(c->args[0]), host_double(c->args[1])));
  }
  hx *a = arg(c, 0), *b = arg(c, 1);
  if (!a || !b) return hv_poison;
  if (hx_is_int(b, &n) && n > -INT32_MAX && n <= INT32_MAX) return hv_expr(integer_power(c, a, n));
  a = as_float(c, a);
  return hv_expr(node2(c, HX_POW, a, cast_to(c, type_of_expr(a), b)));
}

/* Of doubles where the first is one. */
static hv do_atan2(const h_call *c) {
  if (!needs(c, 2, 2)) return hv_poison;
  if (all_numbers(c)) {
    bool single = host_type(c, c->args[0]) == PM_F32 && host_type(c, c->args[1]) == PM_F32;
    return hv_float(single ? PM_F32 : PM_F64, atan2(host_double(c->args[0]), host_double(c->args[1])));
  }
  hx *y = arg(c, 0), *x = y ? arg(c, 1) : NULL;
  if (!x) return hv_poison;
  y = as_float(c, y);
  return hv_expr(node2(c, HX_ATAN2, y, cast_to(c, type_of_expr(y), x)));
}

static hv do_hypot(const h_call *c) {
  hx *a = needs(c, 2, 2) ? arg(c, 0) : NULL, *b = a ? arg(c, 1) : NULL;
  if (!b) return hv_poison;
  hx *aa = hx_binary(program_of(c), c->loc, HX_MUL, a, a),
     *bb = hx_binary(program_of(c), c->loc, HX_MUL, b, b);
  return hv_expr(node1(c, HX_SQRT, as_float(c, hx_binary(program_of(c), c->loc, HX_ADD, aa, bb))));
}

static hv do_fast_inverse(const h_call *c) {
  hx *e = needs(c, 1, 1) ? arg(c, 0) : NULL;
  if (!e) return hv_poison;
  e = as_float(c, e);
  if (strcmp(c->name->text, "fast_inverse_sqrt") == 0) e = node1(c, HX_SQRT, e);
  return hv_expr(node2(c, HX_DIV, hx_float(program_of(c), c->loc, type_of_expr(e), 1), e));
}

static hv do_is_nan(const h_call *c) {
  hx *e = needs(c, 1, 1) ? arg(c, 0) : NULL;
  if (!e) return hv_poison;
  if (!hx_is_float_type(type_of_expr(e))) return h_fail(c->in, c->loc, "%s is of floats", c->name->text);
  hx *zero = hx_float(program_of(c), c->loc, type_of_expr(e), 0);
  hx *difference = node2(c, HX_SUB, e, e); /* NaN of infinities and NaNs */
  if (strcmp(c->name->text, "is_nan") == 0) return hv_expr(compare(c, HX_NE, e, e));
  if (strcmp(c->name->text, "is_finite") == 0) return hv_expr(compare(c, HX_EQ, difference, zero));
  return hv_expr(node2(c, HX_BIT_AND, compare(c, HX_EQ, e, e), compare(c, HX_NE, difference, difference)));
}

/* --- min, max, clamp, select --- */

static hv host_extreme(const h_call *c, bool is_max) {
  hv best = c->args[0];
  for (unsigned i = 1; i < c->n_args; i++) {
    hv less = h_binary(c->in, c->loc, CX_OP_LT, is_max ? best : c->args[i], is_max ? c->args[i] : best);
    if (less.kind == HV_INT && less.i) best = c->args[i];
  }
  return best;
}

static hv do_extreme(const h_call *c) {
  bool is_max = strcmp(c->name->text, "max") == 0;
  if (!needs(c, 2, MANY)) return hv_poison;
  if (all_numbers(c)) return host_extreme(c, is_max);
  hv last = c->args[c->n_args - 1];
  for (unsigned i = c->n_args - 1; i > 0; i--) {
    hx *a, *b;
    pm_loc loc = c->locs[hv_is_number(c->args[i - 1]) ? i - 1 : i];
    if (!h_to_exprs(c->in, loc, c->args[i - 1], last, &a, &b)) return hv_poison;
    last = made(hx_binary(program_of(c), c->loc, is_max ? HX_MAX : HX_MIN, a, b));
  }
  return last;
}

static bool can_represent(pm_scalar wide, pm_scalar narrow) {
  if (wide == narrow) return true;
  if (hx_is_float_type(wide)) {
    unsigned digits = wide == PM_F64 ? 53 : wide == PM_F32 ? 24 : 11;
    return hx_is_float_type(narrow) ? hx_bits(narrow) < hx_bits(wide) : hx_bits(narrow) <= digits;
  }
  if (hx_is_float_type(narrow)) return false;
  if (hx_is_unsigned_type(wide)) return hx_is_unsigned_type(narrow) && hx_bits(wide) >= hx_bits(narrow);
  return hx_is_unsigned_type(narrow) ? hx_bits(wide) > hx_bits(narrow) : hx_bits(wide) >= hx_bits(narrow);
}

/* The value in a type that keeps it; NULL: it may not. */
static hx *lossless(const h_call *c, pm_scalar type, hx *e) {
  if (can_represent(type, type_of_expr(e))) return cast_to(c, type, e);
  if (e->op == HX_CAST && can_represent(type_of_expr(e), type_of_expr(e->args[0])))
    return lossless(c, type, e->args[0]);
  if (e->op != HX_INT && e->op != HX_FLOAT) return NULL;
  hx *same = cast_to(c, type, e), *back = cast_to(c, type_of_expr(e), same);
  return hx_same(back, e) ? same : NULL;
}

static hv do_clamp(const h_call *c) {
  if (!needs(c, 3, 3)) return hv_poison;
  if (all_numbers(c)) {
    hv low[] = {c->args[0], c->args[1]};
    h_call two = *c;
    two.args = low;
    two.n_args = 2;
    hv high[] = {host_extreme(&two, true), c->args[2]};
    two.args = high;
    return host_extreme(&two, false);
  }
  hx *e = arg(c, 0), *bounds[2];
  for (unsigned i = 0; e && i < 2; i++) {
    hx *bound = arg(c, i + 1);
    if (!bound) return hv_poison;
    bounds[i] = lossless(c, type_of_expr(e), bound);
    if (!bounds[i])
      return h_fail(c->in, c->locs[i + 1],
                    "the bound has type %s, which the type %s of what is clamped may not keep; "
                    "a cast should say what is meant",
                    hx_type_name(type_of_expr(bound)), hx_type_name(type_of_expr(e)));
  }
  if (!e) return hv_poison;
  hx *clamped = node2(c, HX_MAX, node2(c, HX_MIN, e, bounds[1]), bounds[0]);
  clamped->is_clamp = true;
  return hv_expr(clamped);
}

/* Without bounds that are not defined. */
static hv do_promise(const h_call *c) {
  return do_clamp(c);
}

static bool is_tuple(hv v) {
  return v.kind == HV_TUPLE || (v.kind == HV_REF && !v.ref->has_element && v.ref->symbol->n_elements > 1);
}

static hv as_tuple(const h_call *c, hv v) {
  static const cx_node type = {.kind = CX_TYPE};
  cx_node *tuple = pm_arena_memdup(c->in->arena, &type, sizeof(type));
  tuple->name = pm_get_cstring(c->in->ctx, "Tuple");
  return h_convert(c->in, c->loc, tuple, v);
}

static hv select_tuples(const h_call *c, hv condition, hv a, hv b) {
  a = as_tuple(c, a);
  b = as_tuple(c, b);
  if (a.kind != HV_TUPLE || b.kind != HV_TUPLE) return hv_poison;
  uint32_t n = a.list->items.len;
  if (n != b.list->items.len)
    return h_fail(c->in, c->loc, "the values of the select have %u and %u elements, they should have as many",
                  n, b.list->items.len);
  hv tuple = hv_new_list(c->in, HV_TUPLE);
  for (uint32_t i = 0; i < n; i++) {
    hv which = condition.kind == HV_TUPLE && i < condition.list->items.len
                   ? condition.list->items.data[i]->value
                   : condition;
    hx *test = h_to_expr(c->in, c->loc, which);
    hx *e = test ? hx_select(program_of(c), c->loc, test, a.list->items.data[i]->value.expr,
                             b.list->items.data[i]->value.expr)
                 : NULL;
    if (!e) return hv_poison;
    hv_append(c->in, tuple, hv_expr(e));
  }
  return tuple;
}

static hv do_select(const h_call *c) {
  if (c->n_args < 3 || c->n_args % 2 == 0)
    return h_fail(c->in, c->loc,
                  "select takes conditions, each with its value, and a last value; %u arguments are given",
                  c->n_args);
  hv value = c->args[c->n_args - 1];
  for (unsigned i = c->n_args - 1; i >= 2; i -= 2) {
    if (is_tuple(value) || is_tuple(c->args[i - 1])) {
      value = select_tuples(c, c->args[i - 2], c->args[i - 1], value);
      if (value.kind == HV_POISON) return value;
      continue;
    }
    hx *test = arg(c, i - 2), *a = arg(c, i - 1), *b = h_to_expr(c->in, c->locs[i], value);
    if (!test || !a || !b) return hv_poison;
    hx *e = hx_select(program_of(c), c->loc, test, a, b);
    if (!e) return hv_poison;
    value = hv_expr(e);
  }
  return value;
}

static hv do_mux(const h_call *c) {
  if (!needs(c, 2, 2)) return hv_poison;
  hx *id = arg(c, 0);
  hv list = c->args[1];
  if (is_tuple(list)) list = as_tuple(c, list);
  if ((list.kind != HV_LIST && list.kind != HV_TUPLE) || list.list->items.len == 0)
    return h_fail(c->in, c->locs[1], "mux takes a list of values");
  uint32_t n = list.list->items.len;
  hv value = list.list->items.data[n - 1]->value;
  if (!id) return hv_poison;
  for (uint32_t i = n - 1; i > 0; i--) {
    hx *test = hx_binary(program_of(c), c->loc, HX_EQ, id, int_of(c, type_of_expr(id), i - 1));
    hv one = list.list->items.data[i - 1]->value;
    if (is_tuple(one) || is_tuple(value)) {
      value = select_tuples(c, hv_expr(test), one, value);
      if (value.kind == HV_POISON) return value;
      continue;
    }
    hx *a = h_to_expr(c->in, c->locs[1], one), *b = h_to_expr(c->in, c->locs[1], value);
    if (!a || !b) return hv_poison;
    if (a->type != b->type)
      return h_fail(c->in, c->locs[1], "the values of mux have types %s and %s, they should have one",
                    hx_type_name(type_of_expr(a)), hx_type_name(type_of_expr(b)));
    value = hv_expr(select3(c, test, a, b));
  }
  if (n == 1 && !is_tuple(value)) return made(h_to_expr(c->in, c->locs[1], value));
  return value;
}

/* --- distances and averages --- */

static pm_scalar unsigned_of(pm_scalar type) {
  return hx_is_float_type(type) ? type : hx_integer(hx_bits(type), false);
}

static hv host_abs(hv v) {
  if (v.kind == HV_FLOAT) return hv_float((pm_scalar)v.scalar, fabs(v.f));
  bool is_unsigned = hx_is_unsigned_type((pm_scalar)v.scalar);
  int64_t size = !is_unsigned && v.i < 0 ? (int64_t)(0 - (uint64_t)v.i) : v.i;
  return hv_int(hx_bits((pm_scalar)v.scalar) < 32 ? PM_I32 : (pm_scalar)v.scalar, size);
}

static hv do_abs(const h_call *c) {
  if (!needs(c, 1, 1)) return hv_poison;
  if (all_numbers(c)) return host_abs(c->args[0]);
  hx *e = arg(c, 0);
  if (!e) return hv_poison;
  pm_scalar type = type_of_expr(e);
  if (hx_is_float_type(type)) return hv_expr(node1(c, HX_ABS, e));
  if (hx_is_unsigned_type(type)) return hv_expr(e);
  hx *zero = int_of(c, type, 0), *negative = node2(c, HX_SUB, zero, e);
  return hv_expr(cast_to(c, unsigned_of(type), select3(c, compare(c, HX_LT, e, zero), negative, e)));
}

/* Two operands of one type. */
static bool matched(const h_call *c, hx **a, hx **b) {
  if (!needs(c, 2, 2)) return false;
  *a = arg(c, 0);
  *b = *a ? arg(c, 1) : NULL;
  if (!*b) return false;
  hx_match(program_of(c), a, b);
  return true;
}

static hv do_absd(const h_call *c) {
  hx *a, *b;
  if (!matched(c, &a, &b)) return hv_poison;
  pm_scalar type = type_of_expr(a);
  if (hx_is_float_type(type)) return hv_expr(node1(c, HX_ABS, node2(c, HX_SUB, a, b)));
  hx *difference = node2(c, HX_SUB, node2(c, HX_MAX, a, b), node2(c, HX_MIN, a, b));
  return hv_expr(cast_to(c, unsigned_of(type), difference));
}

static bool is_narrow_integer(const h_call *c, const hx *e) {
  if (!hx_is_float_type(type_of_expr(e)) && hx_bits(type_of_expr(e)) < 64) return true;
  h_fail(c->in, c->loc, "%s of type %s is not supported, integers of 8 to 32 bits should be here",
         c->name->text, hx_type_name(type_of_expr(e)));
  return false;
}

static pm_scalar widened(pm_scalar type) {
  if (type == PM_F32) return PM_F64;
  return hx_integer(hx_bits(type) * 2, !hx_is_unsigned_type(type));
}

static hv do_widening(const h_call *c) {
  const char *what = strrchr(c->name->text, '_') + 1;
  hx_op op = strcmp(what, "add") == 0 ? HX_ADD : strcmp(what, "sub") == 0 ? HX_SUB : HX_MUL;
  bool right = strncmp(c->name->text, "widen_right", 11) == 0;
  hx *a, *b;
  if (!needs(c, 2, 2) || !(a = arg(c, 0)) || !(b = arg(c, 1))) return hv_poison;
  if (right) {
    pm_scalar wide = type_of_expr(a);
    return hv_expr(node2(c, op, a, cast_to(c, wide, b)));
  }
  bool is_signed = !hx_is_unsigned_type(type_of_expr(a)) || !hx_is_unsigned_type(type_of_expr(b));
  if (op != HX_MUL) hx_match(program_of(c), &a, &b);
  unsigned bits = hx_bits(type_of_expr(a)) > hx_bits(type_of_expr(b)) ? hx_bits(type_of_expr(a))
                                                                      : hx_bits(type_of_expr(b));
  bool is_float = hx_is_float_type(type_of_expr(a)) || hx_is_float_type(type_of_expr(b));
  if (!is_float && (!is_narrow_integer(c, a) || !is_narrow_integer(c, b))) return hv_poison;
  pm_scalar wide = is_float ? widened(type_of_expr(a)) : hx_integer(bits * 2, is_signed || op == HX_SUB);
  return hv_expr(node2(c, op, cast_to(c, wide, a), cast_to(c, wide, b)));
}

static hv do_saturating(const h_call *c) {
  bool is_add = strcmp(c->name->text, "saturating_add") == 0;
  hx *a, *b;
  if (!matched(c, &a, &b)) return hv_poison;
  pm_scalar type = type_of_expr(a);
  if (hx_is_float_type(type)) return hv_expr(node2(c, is_add ? HX_ADD : HX_SUB, a, b));
  if (!is_narrow_integer(c, a)) return hv_poison;
  pm_scalar wide = hx_integer(hx_bits(type) * 2, true);
  return hv_expr(
      saturated(c, type, node2(c, is_add ? HX_ADD : HX_SUB, cast_to(c, wide, a), cast_to(c, wide, b))));
}

/* (a + b) / 2 and its like, without overflow. */
static hv do_halving(const h_call *c) {
  bool is_sub = strcmp(c->name->text, "halving_sub") == 0;
  bool rounds = strcmp(c->name->text, "rounding_halving_add") == 0;
  hx *a, *b;
  if (!matched(c, &a, &b) || !is_narrow_integer(c, a)) return hv_poison;
  pm_scalar type = type_of_expr(a),
            wide = hx_integer(hx_bits(type) * 2, !hx_is_unsigned_type(type) || is_sub);
  hx *sum = node2(c, is_sub ? HX_SUB : HX_ADD, cast_to(c, wide, a), cast_to(c, wide, b));
  if (rounds) sum = node2(c, HX_ADD, sum, int_of(c, wide, 1));
  hx *half = node2(c, HX_SHR, sum, int_of(c, unsigned_of(wide), 1));
  return hv_expr(cast_to(c, type, half));
}

/* x >> q, to the nearest integer, halves up. By q <= 0, x << -q. */
static hx *rounding_shift(const h_call *c, hx *wide, hx *q) {
  pm_scalar type = type_of_expr(wide);
  hx *amount = cast_to(c, type, q), *zero = int_of(c, type, 0), *one = int_of(c, type, 1);
  hx *half = node2(c, HX_SHL, one, cast_to(c, unsigned_of(type), node2(c, HX_SUB, amount, one)));
  hx *is_positive = compare(c, HX_GT, amount, zero);
  hx *biased = node2(c, HX_ADD, wide, select3(c, is_positive, half, zero));
  hx *down = node2(c, HX_SHR, biased, cast_to(c, unsigned_of(type), amount));
  hx *up = node2(c, HX_SHL, wide, cast_to(c, unsigned_of(type), node2(c, HX_SUB, zero, amount)));
  return select3(c, is_positive, down, up);
}

static hv do_rounding_shift(const h_call *c) {
  bool is_left = strcmp(c->name->text, "rounding_shift_left") == 0;
  hx *a, *b;
  if (!needs(c, 2, 2) || !(a = arg(c, 0)) || !(b = arg(c, 1)) || !is_narrow_integer(c, a) ||
      !is_narrow_integer(c, b))
    return hv_poison;
  pm_scalar type = type_of_expr(a), wide = hx_integer(hx_bits(type) * 2, true);
  hx *q = cast_to(c, wide, b);
  if (is_left) q = node2(c, HX_SUB, int_of(c, wide, 0), q);
  return hv_expr(cast_to(c, type, rounding_shift(c, cast_to(c, wide, a), q)));
}

static hv do_widening_shift(const h_call *c) {
  bool is_left = strcmp(c->name->text, "widening_shift_left") == 0;
  hx *a, *b;
  if (!needs(c, 2, 2) || !(a = arg(c, 0)) || !(b = arg(c, 1)) || !is_narrow_integer(c, a)) return hv_poison;
  hx *wide = cast_to(c, widened(type_of_expr(a)), a);
  return made(hx_shift(program_of(c), c->loc, is_left ? HX_SHL : HX_SHR, wide, b));
}

static hv do_mul_shift(const h_call *c) {
  hx *a, *b, *q;
  if (!needs(c, 3, 3) || !(a = arg(c, 0)) || !(b = arg(c, 1)) || !(q = arg(c, 2))) return hv_poison;
  hx_match(program_of(c), &a, &b);
  if (!is_narrow_integer(c, a)) return hv_poison;
  pm_scalar type = type_of_expr(a), wide = widened(type);
  hx *product = node2(c, HX_MUL, cast_to(c, wide, a), cast_to(c, wide, b));
  q = cast_to(c, wide, q);
  hx *shifted = strcmp(c->name->text, "mul_shift_right") == 0
                    ? node2(c, HX_SHR, product, cast_to(c, unsigned_of(wide), q))
                    : rounding_shift(c, product, q);
  return hv_expr(saturated(c, type, shifted));
}

static hv do_rounded_division(const h_call *c) {
  hx *a, *b;
  if (!matched(c, &a, &b)) return hv_poison;
  bool is_div = strcmp(c->name->text, "div_round_to_zero") == 0;
  if (hx_is_float_type(type_of_expr(a)))
    return h_fail(c->in, c->loc, "%s is of integers, the operands have type %s", c->name->text,
                  hx_type_name(type_of_expr(a)));
  return hv_expr(node2(c, is_div ? HX_TRUNC_DIV : HX_TRUNC_MOD, a, b));
}

/* --- lerp: docs/halide.md has its definition --- */

/* A weight of floats or unsigned integers, in the unsigned type of what is interpolated. */
static hx *integer_weight(const h_call *c, pm_scalar type, hx *weight) {
  h_program *p = program_of(c);
  unsigned bits = hx_bits(type), given = hx_bits(type_of_expr(weight));
  if (hx_is_float_type(type_of_expr(weight))) {
    if (bits == 32) {
      hx *all = hx_float(p, c->loc, PM_F64, 65535.0 * 65537.0);
      return cast_to(c, type, node2(c, HX_MUL, all, cast_to(c, PM_F64, weight)));
    }
    hx *most = hx_float(p, c->loc, type_of_expr(weight), bits == 8 ? 255 : 65535);
    return cast_to(c, type, node2(c, HX_MUL, most, weight));
  }
  for (; given < bits; given *= 2) {
    pm_scalar wide = hx_integer(given * 2, false);
    weight = node2(c, HX_MUL, cast_to(c, wide, weight), int_of(c, wide, ((int64_t)1 << given) + 1));
  }
  for (; given > bits; given /= 2)
    weight =
        cast_to(c, hx_integer(given / 2, false),
                node2(c, HX_DIV, weight, int_of(c, type_of_expr(weight), ((int64_t)1 << (given / 2)) + 1)));
  return weight;
}

static hx *integer_lerp(const h_call *c, hx *a, hx *b, hx *weight) {
  pm_scalar result = type_of_expr(a), type = unsigned_of(result), wide = hx_integer(2 * hx_bits(type), false);
  bool is_signed = result != type;
  hx *most = int_of(c, type, -1), *bias = cast_to(c, type, hx_least(program_of(c), c->loc, result));
  if (is_signed) {
    a = node2(c, HX_SUB, cast_to(c, type, a), bias);
    b = node2(c, HX_SUB, cast_to(c, type, b), bias);
  }
  hx *w = integer_weight(c, type, weight), *rest = node2(c, HX_SUB, most, w);
  hx *sum = node2(c, HX_ADD, node2(c, HX_MUL, cast_to(c, wide, a), cast_to(c, wide, rest)),
                  node2(c, HX_MUL, cast_to(c, wide, b), cast_to(c, wide, w)));
  hx *divisor = cast_to(c, wide, most),
     *half = cast_to(c, wide, int_of(c, type, hx_int(program_of(c), c->loc, wide, most->i)->i / 2));
  hx *value = cast_to(c, type, node2(c, HX_DIV, node2(c, HX_ADD, sum, half), divisor));
  return is_signed ? cast_to(c, result, node2(c, HX_ADD, value, bias)) : value;
}

static hx *float_lerp(const h_call *c, hx *a, hx *b, hx *weight) {
  h_program *p = program_of(c);
  pm_scalar type = type_of_expr(a);
  if (!hx_is_float_type(type_of_expr(weight))) {
    double most = ldexp(1, (int)hx_bits(type_of_expr(weight))) - 1;
    weight = node2(c, HX_DIV, cast_to(c, type, weight), hx_float(p, c->loc, type, most));
  }
  hx *rest = hx_binary(p, c->loc, HX_SUB, hx_float(p, c->loc, type, 1), weight);
  hx *sum = hx_binary(p, c->loc, HX_ADD, hx_binary(p, c->loc, HX_MUL, a, rest),
                      hx_binary(p, c->loc, HX_MUL, b, weight));
  return cast_to(c, type, sum);
}

/* fast_integer_divide(a, b), fast_integer_modulo: those of the operators; b is an uint8. */
static hv do_fast_division(const h_call *c) {
  hx *a = needs(c, 2, 2) ? arg(c, 0) : NULL, *b = a ? arg(c, 1) : NULL;
  if (!b) return hv_poison;
  if (hx_is_float_type(type_of_expr(a))) return h_fail(c->in, c->locs[0], "%s is of integers", c->name->text);
  if (type_of_expr(b) != PM_U8)
    return h_fail(c->in, c->locs[1], "the divisor has type %s, it should be uint8",
                  hx_type_name(type_of_expr(b)));
  bool is_quotient = strcmp(c->name->text, "fast_integer_divide") == 0;
  hx *result = node2(c, is_quotient ? HX_DIV : HX_MOD, a, cast_to(c, type_of_expr(a), b));
  return hv_expr(result);
}

static hv do_lerp(const h_call *c) {
  int64_t n;
  hx *a, *b, *w;
  if (!needs(c, 3, 3) || !(a = arg(c, 0)) || !(b = arg(c, 1)) || !(w = arg(c, 2))) return hv_poison;
  if (hx_is_int(a, &n)) a = cast_to(c, type_of_expr(b), a);
  if (hx_is_int(b, &n)) b = cast_to(c, type_of_expr(a), b);
  if (a->type != b->type)
    return h_fail(c->in, c->loc, "the values of lerp have types %s and %s, they should have one",
                  hx_type_name(type_of_expr(a)), hx_type_name(type_of_expr(b)));
  if (!hx_is_float_type(type_of_expr(w)) && !hx_is_unsigned_type(type_of_expr(w)))
    return h_fail(c->in, c->locs[2], "the weight of lerp has type %s, it should be unsigned or a float",
                  hx_type_name(type_of_expr(w)));
  if (hx_is_float_type(type_of_expr(a))) return hv_expr(float_lerp(c, a, b, w));
  if (!is_narrow_integer(c, a) || a->type == PM_I1) return hv_poison;
  return hv_expr(integer_lerp(c, a, b, w));
}

/* --- bits --- */

/* Sums of neighbours: of single bits, of pairs, … */
static hx *count_bits(const h_call *c, hx *e) {
  pm_scalar type = type_of_expr(e);
  unsigned bits = hx_bits(type);
  for (unsigned width = 1; width < bits; width *= 2) {
    uint64_t mask = 0;
    for (unsigned at = 0; at < bits; at += 2 * width) mask |= (((uint64_t)1 << width) - 1) << at;
    hx *low = int_of(c, type, (int64_t)mask), *shift = int_of(c, type, width);
    e = node2(c, HX_ADD, node2(c, HX_BIT_AND, e, low), node2(c, HX_BIT_AND, node2(c, HX_SHR, e, shift), low));
  }
  return e;
}

static hv do_bits(const h_call *c) {
  hx *e = needs(c, 1, 1) ? arg(c, 0) : NULL;
  if (!e) return hv_poison;
  pm_scalar result = type_of_expr(e), type = unsigned_of(result);
  if (hx_is_float_type(result)) return h_fail(c->in, c->loc, "%s is of integers", c->name->text);
  e = cast_to(c, type, e);
  if (strcmp(c->name->text, "count_leading_zeros") == 0) {
    for (unsigned by = 1; by < hx_bits(type); by *= 2)
      e = node2(c, HX_BIT_OR, e, node2(c, HX_SHR, e, int_of(c, type, by)));
    e = node2(c, HX_SUB, int_of(c, type, hx_bits(type)), count_bits(c, e));
  } else if (strcmp(c->name->text, "count_trailing_zeros") == 0) {
    hx *lowest = node2(c, HX_BIT_AND, e, node2(c, HX_SUB, int_of(c, type, 0), e));
    e = count_bits(c, node2(c, HX_SUB, lowest, int_of(c, type, 1)));
  } else {
    e = count_bits(c, e);
  }
  return hv_expr(cast_to(c, result, e));
}

/* --- what leaves a value as it is --- */

static hv do_same(const h_call *c) {
  if (!needs(c, 1, MANY)) return hv_poison;
  if (is_tuple(c->args[0])) return c->args[0];
  return made(arg(c, 0));
}

/* require(condition, value, …) */
static hv do_require(const h_call *c) {
  return needs(c, 2, MANY) ? made(arg(c, 1)) : hv_poison;
}

static hv do_print_when(const h_call *c) {
  return needs(c, 2, MANY) ? made(arg(c, 1)) : hv_poison;
}

static hv do_undef(const h_call *c) {
  pm_scalar type;
  if (!check_template(c)) return hv_poison;
  if (template_type(c, &type)) return hv_expr(int_of(c, type, 0));
  if (!needs(c, 1, 1) || !h_to_type(c->in, c->locs[0], c->args[0], &type)) return hv_poison;
  return hv_expr(int_of(c, type, 0));
}

static hv do_lambda(const h_call *c) {
  const h_var *vars[HX_MAX_DIMS];
  unsigned n = 0;
  if (!needs(c, 1, HX_MAX_DIMS + 1)) return hv_poison;
  for (; n + 1 < c->n_args; n++) {
    if (c->args[n].kind != HV_VAR)
      return h_fail(c->in, c->locs[n], "this is %s, a Var should be here", hv_describe(c->args[n]));
    vars[n] = c->args[n].var;
  }
  hx *e = arg(c, n);
  return e ? h_new_func(c->in, c->loc, NULL, vars, n, &e, 1) : hv_poison;
}

/* --- the host --- */

static hv do_move(const h_call *c) {
  return needs(c, 1, 1) ? c->args[0] : hv_poison;
}

static hv do_to_string(const h_call *c) {
  char text[64];
  if (!needs(c, 1, 1)) return hv_poison;
  if (c->args[0].kind == HV_STRING) return c->args[0];
  if (!hv_is_number(c->args[0]))
    return h_fail(c->in, c->loc, "to_string is of numbers, %s is here", hv_describe(c->args[0]));
  if (c->args[0].kind == HV_INT)
    snprintf(text, sizeof(text), "%lld", (long long)c->args[0].i);
  else
    snprintf(text, sizeof(text), "%f", c->args[0].f);
  return hv_text(c->in->ctx, text, strlen(text));
}

static hv do_make_pair(const h_call *c) {
  hv pair = hv_new_list(c->in, HV_LIST);
  for (unsigned i = 0; i < c->n_args; i++) hv_append(c->in, pair, hv_copy(c->in, c->args[i]));
  return pair;
}

static hv do_assert(const h_call *c) {
  bool holds;
  if (!needs(c, 1, 1) || !h_to_bool(c->in, c->locs[0], c->args[0], &holds)) return hv_poison;
  return holds ? hv_void : h_fail(c->in, c->loc, "the assertion does not hold");
}

static hv do_nothing(const h_call *c) {
  (void)c;
  return hv_void;
}

static hv do_root_level(const h_call *c) {
  return h_root_level(c->in);
}

static hv do_inlined_level(const h_call *c) {
  return h_new_level(c->in, c->loc, NULL, 0);
}

static hv do_tag(const h_call *c) {
  (void)c;
  return (hv){.kind = HV_IGNORED};
}

/* Not even with --schedule=none, which leaves directives out: bounds that the program says beside them hold.
 */
static hv do_autoscheduler(const h_call *c) {
  (void)c;
  return hv_bool(false);
}

static hv do_target(const h_call *c) {
  (void)c;
  return (hv){.kind = HV_TARGET};
}

/* natural_vector_size<T>(), natural_vector_size(type): of vectors of 32 bytes. */
static hv do_vector_size(const h_call *c) {
  pm_scalar type;
  if (!template_type(c, &type) && (!needs(c, 1, 1) || !h_to_type(c->in, c->locs[0], c->args[0], &type)))
    return hv_poison;
  return hv_int(PM_I32, 32 / (int64_t)pm_scalar_bytes(type));
}

static hv do_create(const h_call *c) {
  const cx_node *type = c->at && c->at->n_items > 0 ? c->at->items[0] : NULL;
  if (!type || !type->name || !h_find_class(c->in, type->name))
    return h_fail(c->in, c->loc, "create has no class of the program in <>");
  return h_create_generator(c->in, c->loc, type);
}

static hv do_output(const h_call *c) {
  if (!needs(c, 1, MANY)) return hv_poison;
  for (unsigned i = 0; i < c->n_args; i++) {
    if (c->args[i].kind != HV_FUNC)
      return h_fail(c->in, c->locs[i], "this is %s, a Func should be here", hv_describe(c->args[i]));
    h_symbol *s = c->args[i].symbol;
    if (!s->is_output) H_PUSH(c->in->arena, c->in->program.outputs, s);
    s->is_output = true;
  }
  return hv_void;
}

static hv do_unsupported(const h_call *c) {
  return h_fail(c->in, c->loc, "%s is not supported", c->name->text);
}

/* --- the table --- */

typedef struct library_row {
  const char *name;
  library_function call;
} library_row;

static const library_row rows[] = {{"cast", do_cast},
                                   {"saturating_cast", do_saturating_cast},
                                   {"reinterpret", do_reinterpret},
                                   {"type_of", do_type_of},
                                   {"round", do_round},
                                   {"roundf", do_round},
                                   {"lround", do_host_round},
                                   {"llround", do_host_round},
                                   {"lrint", do_host_round},
                                   {"llrint", do_host_round},
                                   {"halide_type_of", do_type_of},
                                   {"fast_integer_divide", do_fast_division},
                                   {"fast_integer_modulo", do_fast_division},
                                   {"fract", do_fract},
                                   {"pow", do_pow},
                                   {"powf", do_pow},
                                   {"fast_pow", do_pow},
                                   {"atan2", do_atan2},
                                   {"atan2f", do_atan2},
                                   {"hypot", do_hypot},
                                   {"fast_inverse", do_fast_inverse},
                                   {"fast_inverse_sqrt", do_fast_inverse},
                                   {"is_nan", do_is_nan},
                                   {"is_inf", do_is_nan},
                                   {"is_finite", do_is_nan},
                                   {"min", do_extreme},
                                   {"max", do_extreme},
                                   {"clamp", do_clamp},
                                   {"unsafe_promise_clamped", do_promise},
                                   {"select", do_select},
                                   {"mux", do_mux},
                                   {"abs", do_abs},
                                   {"fabs", do_abs},
                                   {"absd", do_absd},
                                   {"widening_add", do_widening},
                                   {"widening_sub", do_widening},
                                   {"widening_mul", do_widening},
                                   {"widen_right_add", do_widening},
                                   {"widen_right_sub", do_widening},
                                   {"widen_right_mul", do_widening},
                                   {"saturating_add", do_saturating},
                                   {"saturating_sub", do_saturating},
                                   {"halving_add", do_halving},
                                   {"halving_sub", do_halving},
                                   {"rounding_halving_add", do_halving},
                                   {"rounding_shift_right", do_rounding_shift},
                                   {"rounding_shift_left", do_rounding_shift},
                                   {"widening_shift_left", do_widening_shift},
                                   {"widening_shift_right", do_widening_shift},
                                   {"mul_shift_right", do_mul_shift},
                                   {"rounding_mul_shift_right", do_mul_shift},
                                   {"div_round_to_zero", do_rounded_division},
                                   {"mod_round_to_zero", do_rounded_division},
                                   {"lerp", do_lerp},
                                   {"popcount", do_bits},
                                   {"count_leading_zeros", do_bits},
                                   {"count_trailing_zeros", do_bits},
                                   {"likely", do_same},
                                   {"likely_if_innermost", do_same},
                                   {"strict_float", do_same},
                                   {"memoize_tag", do_same},
                                   {"print", do_same},
                                   {"print_when", do_print_when},
                                   {"require", do_require},
                                   {"undef", do_undef},
                                   {"lambda", do_lambda},
                                   {"move", do_move},
                                   {"forward", do_move},
                                   {"to_string", do_to_string},
                                   {"make_pair", do_make_pair},
                                   {"distance", h_distance},
                                   {"find", h_find},
                                   {"reverse", h_reverse},
                                   {"assert", do_assert},
                                   {"_halide_user_assert", do_assert},
                                   {"printf", do_nothing},
                                   {"fprintf", do_nothing},
                                   {"replace", do_nothing},
                                   {"get_target", do_target},
                                   {"get_host_target", do_target},
                                   {"get_jit_target_from_environment", do_target},
                                   {"using_autoscheduler", do_autoscheduler},
                                   {"auto_schedule", do_autoscheduler},
                                   {"natural_vector_size", do_vector_size},
                                   {"create", do_create},
                                   {"output", do_output},
                                   {"LoopLevel::inlined", do_inlined_level},
                                   {"LoopLevel::root", do_root_level},
                                   {"Var::outermost", do_tag},
                                   {"sum", h_reduce},
                                   {"product", h_reduce},
                                   {"maximum", h_reduce},
                                   {"minimum", h_reduce},
                                   {"saturating_sum", h_reduce},
                                   {"argmin", h_reduce},
                                   {"argmax", h_reduce},
                                   {"BoundaryConditions::repeat_edge", h_add_boundary},
                                   {"BoundaryConditions::constant_exterior", h_add_boundary},
                                   {"BoundaryConditions::repeat_image", h_add_boundary},
                                   {"BoundaryConditions::mirror_image", h_add_boundary},
                                   {"BoundaryConditions::mirror_interior", h_add_boundary},
                                   {"repeat_edge", h_add_boundary},
                                   {"constant_exterior", h_add_boundary},
                                   {"repeat_image", h_add_boundary},
                                   {"mirror_image", h_add_boundary},
                                   {"mirror_interior", h_add_boundary},
                                   {"random_float", h_random},
                                   {"random_uint", h_random},
                                   {"random_int", h_random},
                                   {"erf", do_unsupported},
                                   {"extern", do_unsupported},
                                   {"gather", do_unsupported},
                                   {"scatter", do_unsupported},
                                   {"concat_bits", do_unsupported},
                                   {"extract_bits", do_unsupported}};

static library_function find_function(const char *name) {
  pm_scalar type;
  bool saturates;
  for (size_t i = 0; i < PM_COUNT(rows); i++)
    if (strcmp(rows[i].name, name) == 0) return rows[i].call;
  if (find_float_function(name)) return do_float_function;
  /* ConciseCasts::u8 */
  const char *last = strstr(name, "ConciseCasts::") == name ? name + 14 : name;
  return concise_type(last, &type, &saturates) ? do_concise : NULL;
}

hv h_call_library(const h_call *call, bool *found) {
  library_function f = find_function(call->name->text);
  *found = f != NULL;
  return f ? f(call) : hv_poison;
}

const char *h_nearest_function(h_interp *in, pm_string name) {
  const char *best = NULL;
  unsigned distance = h_max_edits(name) + 1;
  (void)in;
  for (size_t i = 0; i < PM_COUNT(rows); i++) {
    unsigned d = pm_edit_distance((pm_str){name->text, name->len}, pm_str_of(rows[i].name), distance);
    if (d == 0 || d >= distance) continue;
    distance = d;
    best = rows[i].name;
  }
  return best;
}
