/* Functions that Halide brings: of Exprs, by its definitions, and of Funcs. */
#include "frontends/cxx/names/names.h"
#include "frontends/cxx/std/std.h"
#include "frontends/cxx/types/types.h"
#include "frontends/halide/evaluate/functions.h"
#include "frontends/halide/program/schedule.h"

#include <math.h>
#include <string.h>

/* f<T>(…) */
static bool template_type(const cx_call *c, pm_scalar *type) {
  return c->at && c->at->n_items > 0 && cx_scalar_of(c->in, c->at->items[0], type);
}

/* What stands in <> is a scalar type, if there is something. */
static bool check_template(const cx_call *c) {
  pm_scalar type;
  if (!c->at || c->at->n_items == 0 || template_type(c, &type)) return true;
  const cx_node *given = c->at->items[0];
  cx_fail(c->in, given->loc, "%s has %s in <>, it should have a type of numbers, as uint8_t is",
          c->name->text, given->kind == CX_TYPE && given->name ? given->name->text : "no type");
  return false;
}

/* f<T>(e) or f(type, e): the type and the number of the argument behind it. */
static bool type_and_value(const cx_call *c, pm_scalar *type, unsigned *value) {
  *value = 0;
  if (!check_template(c)) return false;
  if (template_type(c, type)) return cx_takes(c, 1, 1);
  if (!cx_takes(c, 2, 2) || !h_to_type(c->in, c->locs[0], c->args[0], type)) return false;
  *value = 1;
  return true;
}

/* --- casts --- */

static cv do_cast(const cx_call *c) {
  pm_scalar type;
  unsigned i;
  if (!type_and_value(c, &type, &i)) return cv_poison;
  hx *e = arg(c, i);
  return e ? hv_expr(cast_to(c, type, e)) : cv_poison;
}

static cv do_saturating_cast(const cx_call *c) {
  pm_scalar type;
  unsigned i;
  if (!type_and_value(c, &type, &i)) return cv_poison;
  hx *e = arg(c, i);
  return e ? hv_expr(saturated(c, type, e)) : cv_poison;
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

static cv do_concise(const cx_call *c) {
  pm_scalar type = PM_I32;
  bool saturates = false;
  concise_type(c->name->text, &type, &saturates);
  if (!cx_takes(c, 1, 1)) return cv_poison;
  hx *e = arg(c, 0);
  if (!e) return cv_poison;
  return hv_expr(saturates ? saturated(c, type, e) : cast_to(c, type, e));
}

/* Between types of one size. */
static cv do_reinterpret(const cx_call *c) {
  pm_scalar type;
  unsigned i;
  if (!type_and_value(c, &type, &i)) return cv_poison;
  hx *e = arg(c, i);
  if (!e) return cv_poison;
  if (cx_bits(type) != cx_bits(type_of_expr(e)))
    return cx_fail(c->in, c->loc, "reinterpret is from %s to %s, it should be between types of one size",
                   hx_type_name(type_of_expr(e)), hx_type_name(type));
  if (!cx_is_float(type) && !cx_is_float(type_of_expr(e))) return hv_expr(cast_to(c, type, e));
  return hv_expr(hx_node(program_of(c), c->loc, HX_BITCAST, type, &e, 1));
}

static cv do_type_of(const cx_call *c) {
  pm_scalar type;
  if (!check_template(c)) return cv_poison;
  if (template_type(c, &type)) return hv_type(type);
  return cx_fail(c->in, c->loc, "type_of has nothing in <>, it should have a type of numbers");
}

/* --- functions of floats --- */

typedef struct float_function {
  const char *name;
  hx_op op;
} float_function;

static const float_function float_functions[] = {
    {"sqrt", HX_SQRT},    {"exp", HX_EXP},      {"log", HX_LOG},      {"sin", HX_SIN},
    {"cos", HX_COS},      {"tan", HX_TAN},      {"floor", HX_FLOOR},  {"ceil", HX_CEIL},
    {"sqrtf", HX_SQRT},   {"expf", HX_EXP},     {"logf", HX_LOG},     {"sinf", HX_SIN},
    {"cosf", HX_COS},     {"tanf", HX_TAN},     {"floorf", HX_FLOOR}, {"ceilf", HX_CEIL},
    {"fast_exp", HX_EXP}, {"fast_log", HX_LOG}, {"fast_sin", HX_SIN}, {"fast_cos", HX_COS},
    {"asin", HX_ASIN},    {"acos", HX_ACOS},    {"atan", HX_ATAN},    {"sinh", HX_SINH},
    {"cosh", HX_COSH},    {"tanh", HX_TANH},    {"asinh", HX_ASINH},  {"acosh", HX_ACOSH},
    {"atanh", HX_ATANH},  {"asinf", HX_ASIN},   {"acosf", HX_ACOS},   {"atanf", HX_ATAN},
    {"sinhf", HX_SINH},   {"coshf", HX_COSH},   {"tanhf", HX_TANH},   {"asinhf", HX_ASINH},
    {"acoshf", HX_ACOSH}, {"atanhf", HX_ATANH}, {"trunc", HX_TRUNC},  {"truncf", HX_TRUNC}};

static const float_function *find_float_function(const char *name) {
  for (size_t i = 0; i < PM_COUNT(float_functions); i++)
    if (strcmp(float_functions[i].name, name) == 0) return &float_functions[i];
  return NULL;
}

/* What C++'s function of that name makes of the arguments. */
static cv of_numbers(const cx_call *c, const char *name) {
  bool found;
  cx_call call = *c;
  call.name = pm_get_cstring(c->in->ctx, name);
  return cx_call_library(&call, &found);
}

/* Doubles stay, all else is computed as a float. */
static hx *as_float(const cx_call *c, hx *e) {
  return e->type == PM_F64 ? e : cast_to(c, PM_F32, e);
}

static cv do_float_function(const cx_call *c) {
  const float_function *f = find_float_function(c->name->text);
  if (!cx_takes(c, 1, 1)) return cv_poison;
  if (cx_all_numbers(c)) return of_numbers(c, f->name + strlen("fast_")); /* the others are C++'s */
  hx *e = arg(c, 0);
  return e ? hv_expr(node1(c, f->op, as_float(c, e))) : cv_poison;
}

/* To the nearest integer, halves to the even one. */
static cv do_round(const cx_call *c) {
  hx *e = cx_takes(c, 1, 1) ? arg(c, 0) : NULL;
  return e ? hv_expr(node1(c, HX_RINT, as_float(c, e))) : cv_poison;
}

static cv do_fract(const cx_call *c) {
  hx *e = cx_takes(c, 1, 1) ? arg(c, 0) : NULL;
  if (!e) return cv_poison;
  e = as_float(c, e);
  return hv_expr(node2(c, HX_SUB, e, node1(c, HX_TRUNC, e)));
}

static hx *integer_power(const cx_call *c, hx *e, int64_t n) {
  pm_scalar type = type_of_expr(e);
  if (n == 0) return int_of(c, type, 1);
  if (n == 1) return e;
  if (n < 0) return node2(c, HX_DIV, int_of(c, type, 1), integer_power(c, e, -n));
  hx *root = integer_power(c, e, n >> 1);
  hx *square = node2(c, HX_MUL, root, root);
  return n & 1 ? node2(c, HX_MUL, square, e) : square;
}

static cv do_pow(const cx_call *c) {
  int64_t n;
  if (!cx_takes(c, 2, 2)) return cv_poison;
  if (cx_all_numbers(c)) return of_numbers(c, "pow"); /* fast_pow */
  hx *a = arg(c, 0), *b = arg(c, 1);
  if (!a || !b) return cv_poison;
  if (hx_is_int(b, &n) && n > -INT32_MAX && n <= INT32_MAX) return hv_expr(integer_power(c, a, n));
  a = as_float(c, a);
  return hv_expr(node2(c, HX_POW, a, cast_to(c, type_of_expr(a), b)));
}

/* Of doubles where the first is one. */
static cv do_atan2(const cx_call *c) {
  if (!cx_takes(c, 2, 2)) return cv_poison;
  hx *y = arg(c, 0), *x = y ? arg(c, 1) : NULL;
  if (!x) return cv_poison;
  y = as_float(c, y);
  return hv_expr(node2(c, HX_ATAN2, y, cast_to(c, type_of_expr(y), x)));
}

static cv do_hypot(const cx_call *c) {
  hx *a = cx_takes(c, 2, 2) ? arg(c, 0) : NULL, *b = a ? arg(c, 1) : NULL;
  if (!b) return cv_poison;
  hx *aa = hx_binary(program_of(c), c->loc, HX_MUL, a, a),
     *bb = hx_binary(program_of(c), c->loc, HX_MUL, b, b);
  return hv_expr(node1(c, HX_SQRT, as_float(c, hx_binary(program_of(c), c->loc, HX_ADD, aa, bb))));
}

static cv do_fast_inverse(const cx_call *c) {
  hx *e = cx_takes(c, 1, 1) ? arg(c, 0) : NULL;
  if (!e) return cv_poison;
  e = as_float(c, e);
  if (strcmp(c->name->text, "fast_inverse_sqrt") == 0) e = node1(c, HX_SQRT, e);
  return hv_expr(node2(c, HX_DIV, hx_float(program_of(c), c->loc, type_of_expr(e), 1), e));
}

static cv do_is_nan(const cx_call *c) {
  hx *e = cx_takes(c, 1, 1) ? arg(c, 0) : NULL;
  if (!e) return cv_poison;
  if (!cx_is_float(type_of_expr(e))) return cx_fail(c->in, c->loc, "%s takes floats", c->name->text);
  hx *zero = hx_float(program_of(c), c->loc, type_of_expr(e), 0);
  hx *difference = node2(c, HX_SUB, e, e); /* NaN of infinities and NaNs */
  if (strcmp(c->name->text, "is_nan") == 0) return hv_expr(compare(c, HX_NE, e, e));
  if (strcmp(c->name->text, "is_finite") == 0) return hv_expr(compare(c, HX_EQ, difference, zero));
  return hv_expr(node2(c, HX_BIT_AND, compare(c, HX_EQ, e, e), compare(c, HX_NE, difference, difference)));
}

/* --- min, max, abs, clamp, select --- */

static cv do_extreme(const cx_call *c) {
  bool is_max = strcmp(c->name->text, "max") == 0;
  if (!cx_takes(c, 2, CX_MANY)) return cv_poison;
  cv last = c->args[c->n_args - 1];
  for (unsigned i = c->n_args - 1; i > 0; i--) {
    hx *a, *b;
    pm_loc loc = c->locs[cv_is_number(c->args[i - 1]) ? i - 1 : i];
    if (!h_to_exprs(c->in, loc, c->args[i - 1], last, &a, &b)) return cv_poison;
    last = hv_expr_or_poison(hx_binary(program_of(c), c->loc, is_max ? HX_MAX : HX_MIN, a, b));
  }
  return last;
}

bool h_can_represent(pm_scalar wide, pm_scalar narrow) {
  if (wide == narrow) return true;
  if (cx_is_float(wide)) {
    unsigned digits = wide == PM_F64 ? 53 : wide == PM_F32 ? 24 : 11;
    return cx_is_float(narrow) ? cx_bits(narrow) < cx_bits(wide) : cx_bits(narrow) <= digits;
  }
  if (cx_is_float(narrow)) return false;
  if (cx_is_unsigned(wide)) return cx_is_unsigned(narrow) && cx_bits(wide) >= cx_bits(narrow);
  return cx_is_unsigned(narrow) ? cx_bits(wide) > cx_bits(narrow) : cx_bits(wide) >= cx_bits(narrow);
}

hx *h_lossless(const cx_call *c, pm_scalar type, hx *e) {
  if (h_can_represent(type, type_of_expr(e))) return cast_to(c, type, e);
  if (e->op == HX_CAST && h_can_represent(type_of_expr(e), type_of_expr(e->args[0])))
    return h_lossless(c, type, e->args[0]);
  if (e->op != HX_INT && e->op != HX_FLOAT) return NULL;
  hx *same = cast_to(c, type, e), *back = cast_to(c, type_of_expr(e), same);
  return hx_same(back, e) ? same : NULL;
}

static cv do_clamp(const cx_call *c) {
  if (!cx_takes(c, 3, 3)) return cv_poison;
  hx *e = arg(c, 0), *bounds[2];
  for (unsigned i = 0; e && i < 2; i++) {
    hx *bound = arg(c, i + 1);
    if (!bound) return cv_poison;
    bounds[i] = h_lossless(c, type_of_expr(e), bound);
    if (!bounds[i])
      return cx_fail(c->in, c->locs[i + 1],
                     "the bound has type %s, which the type %s of what is clamped may not keep; "
                     "a cast should say what is meant",
                     hx_type_name(type_of_expr(bound)), hx_type_name(type_of_expr(e)));
  }
  if (!e) return cv_poison;
  hx *clamped = node2(c, HX_MAX, node2(c, HX_MIN, e, bounds[1]), bounds[0]);
  hx_mark_clamp(clamped);
  return hv_expr(clamped);
}

/* Without bounds that are not defined. */
static cv do_promise(const cx_call *c) {
  return cx_all_numbers(c) ? of_numbers(c, "clamp") : do_clamp(c);
}

static bool is_tuple(cv v) {
  return v.kind == HV_TUPLE ||
         (v.kind == HV_REF && !h_ref_of(v)->has_element && h_ref_of(v)->symbol->n_elements > 1);
}

static cv select_tuples(const cx_call *c, cv condition, cv a, cv b) {
  a = h_to_tuple(c->in, c->loc, a);
  b = h_to_tuple(c->in, c->loc, b);
  if (a.kind != HV_TUPLE || b.kind != HV_TUPLE) return cv_poison;
  uint32_t n = a.list->items.len;
  if (n != b.list->items.len)
    return cx_fail(c->in, c->loc,
                   "the values of the select have %u and %u elements, they should have as many", n,
                   b.list->items.len);
  cv tuple = cx_new_list(c->in, HV_TUPLE);
  for (uint32_t i = 0; i < n; i++) {
    cv which = condition.kind == HV_TUPLE && i < condition.list->items.len
                   ? condition.list->items.data[i]->value
                   : condition;
    hx *test = h_to_expr(c->in, c->loc, which);
    hx *e = test ? hx_select(program_of(c), c->loc, test, h_expr_of(a.list->items.data[i]->value),
                             h_expr_of(b.list->items.data[i]->value))
                 : NULL;
    if (!e) return cv_poison;
    cx_append(c->in, tuple, hv_expr(e));
  }
  return tuple;
}

static cv do_select(const cx_call *c) {
  if (c->n_args < 3 || c->n_args % 2 == 0)
    return cx_fail(c->in, c->loc,
                   "select takes conditions, each with its value, and a last value; %u arguments are given",
                   c->n_args);
  cv value = c->args[c->n_args - 1];
  for (unsigned i = c->n_args - 1; i >= 2; i -= 2) {
    if (is_tuple(value) || is_tuple(c->args[i - 1])) {
      value = select_tuples(c, c->args[i - 2], c->args[i - 1], value);
      if (value.kind == CV_POISON) return value;
      continue;
    }
    hx *test = arg(c, i - 2), *a = arg(c, i - 1), *b = h_to_expr(c->in, c->locs[i], value);
    if (!test || !a || !b) return cv_poison;
    hx *e = hx_select(program_of(c), c->loc, test, a, b);
    if (!e) return cv_poison;
    value = hv_expr(e);
  }
  return value;
}

static cv do_mux(const cx_call *c) {
  if (!cx_takes(c, 2, 2)) return cv_poison;
  hx *id = arg(c, 0);
  cv list = c->args[1];
  if (is_tuple(list)) list = h_to_tuple(c->in, c->loc, list);
  if ((list.kind != CV_LIST && list.kind != HV_TUPLE) || list.list->items.len == 0)
    return cx_fail(c->in, c->locs[1], "mux takes a list of values");
  uint32_t n = list.list->items.len;
  cv value = list.list->items.data[n - 1]->value;
  if (!id) return cv_poison;
  for (uint32_t i = n - 1; i > 0; i--) {
    hx *test = hx_binary(program_of(c), c->loc, HX_EQ, id, int_of(c, type_of_expr(id), i - 1));
    cv one = list.list->items.data[i - 1]->value;
    if (is_tuple(one) || is_tuple(value)) {
      value = select_tuples(c, hv_expr(test), one, value);
      if (value.kind == CV_POISON) return value;
      continue;
    }
    hx *a = h_to_expr(c->in, c->locs[1], one), *b = h_to_expr(c->in, c->locs[1], value);
    if (!a || !b) return cv_poison;
    if (a->type != b->type)
      return cx_fail(c->in, c->locs[1], "the values of mux have types %s and %s, they should have one",
                     hx_type_name(type_of_expr(a)), hx_type_name(type_of_expr(b)));
    value = hv_expr(select3(c, test, a, b));
  }
  if (n == 1 && !is_tuple(value)) return hv_expr_or_poison(h_to_expr(c->in, c->locs[1], value));
  return value;
}

static cv do_abs(const cx_call *c) {
  hx *e = cx_takes(c, 1, 1) ? arg(c, 0) : NULL;
  if (!e) return cv_poison;
  pm_scalar type = type_of_expr(e);
  if (cx_is_float(type)) return hv_expr(node1(c, HX_ABS, e));
  if (cx_is_unsigned(type)) return hv_expr(e);
  hx *zero = int_of(c, type, 0), *negative = node2(c, HX_SUB, zero, e);
  return hv_expr(cast_to(c, unsigned_of(type), select3(c, compare(c, HX_LT, e, zero), negative, e)));
}

/* --- what leaves a value as it is --- */

static cv do_same(const cx_call *c) {
  if (!cx_takes(c, 1, CX_MANY)) return cv_poison;
  if (is_tuple(c->args[0])) return c->args[0];
  return hv_expr_or_poison(arg(c, 0));
}

/* require(condition, value, …) */
/* is_const(e), is_const_zero(e), is_const_one(e): an Expr that is a number, through casts. */
static cv do_is_const(const cx_call *c) {
  const hx *e = cx_takes(c, 1, 1) ? arg(c, 0) : NULL;
  if (!e) return cv_poison;
  while (e->op == HX_CAST) e = e->args[0];
  bool is_number = e->op == HX_INT || e->op == HX_FLOAT;
  double wanted = strcmp(c->name->text, "is_const_one") == 0;
  if (strcmp(c->name->text, "is_const") == 0) return cv_bool(is_number);
  return cv_bool(is_number && (e->op == HX_INT ? (double)e->i : e->f) == wanted);
}

/* What stands behind it, `<< "why"`, is left out. */
static cv do_user_assert(const cx_call *c) {
  cv result = cx_std_assert(c);
  return result.kind == CV_VOID ? (cv){.kind = CV_IGNORED} : result;
}

static cv do_require(const cx_call *c) {
  return cx_takes(c, 2, CX_MANY) ? hv_expr_or_poison(arg(c, 1)) : cv_poison;
}

static cv do_print_when(const cx_call *c) {
  return cx_takes(c, 2, CX_MANY) ? hv_expr_or_poison(arg(c, 1)) : cv_poison;
}

/* replace_all(text, what, by), split_string(text, where): Halide::Internal's, for strings that are
 * parameters. */
static cv do_text(const cx_call *c) {
  bool splits = strcmp(c->name->text, "split_string") == 0;
  if (!cx_takes(c, splits ? 2 : 3, splits ? 2 : 3)) return cv_poison;
  for (unsigned i = 0; i < c->n_args; i++)
    if (c->args[i].kind != CV_STRING || (i == 1 && c->args[i].text->len == 0))
      return cx_fail(c->in, c->locs[i], "this is %s, a string should be here",
                     cv_describe(c->in, c->args[i]));
  pm_string what = c->args[1].text;
  const char *rest = c->args[0].text->text, *at;
  cv parts = cx_new_list(c->in, CV_LIST);
  pm_buf text = {0};
  for (; (at = strstr(rest, what->text)); rest = at + what->len) {
    pm_buf_put(&text, rest, (size_t)(at - rest));
    if (!splits) pm_buf_puts(&text, c->args[2].text->text);
    if (!splits) continue;
    cx_append(c->in, parts, cv_text(c->in->ctx, text.data ? text.data : "", text.len));
    text.len = 0;
  }
  pm_buf_puts(&text, rest);
  cv last = cv_text(c->in->ctx, text.data ? text.data : "", text.len);
  c->in->text_bytes += text.len;
  pm_buf_free(&text);
  if (splits) cx_append(c->in, parts, last);
  return splits ? parts : last;
}

static cv do_undef(const cx_call *c) {
  pm_scalar type;
  if (!check_template(c)) return cv_poison;
  if (template_type(c, &type)) return hv_expr(hx_undef(h_program_of(c->in), c->loc, type));
  if (!cx_takes(c, 1, 1) || !h_to_type(c->in, c->locs[0], c->args[0], &type)) return cv_poison;
  return hv_expr(hx_undef(h_program_of(c->in), c->loc, type));
}

/* lambda(x, y, e): a Func; `_` among its Vars is for those that e has. */
static cv do_lambda(const cx_call *c) {
  unsigned n = c->n_args - 1;
  if (!cx_takes(c, 1, HX_MAX_DIMS + 1)) return cv_poison;
  for (unsigned i = 0; i < n; i++)
    if (c->args[i].kind != HV_VAR)
      return cx_fail(c->in, c->locs[i], "this is %s, a Var should be here", cv_describe(c->in, c->args[i]));
  hx *e = arg(c, n);
  h_symbol *s = e ? h_new_symbol(program_of(c), H_FUNC, c->loc, NULL) : NULL;
  cv left = s ? h_call_symbol(c->in, c->loc, s, c->args, c->locs, n) : cv_poison;
  if (left.kind == CV_POISON) return left;
  return h_define(c->in, c->loc, h_ref_of(left), CX_OP_NONE, hv_expr(e)) ? hv_symbol(s) : cv_poison;
}

/* --- what is no Expr --- */

static cv do_root_level(const cx_call *c) {
  return h_root_level(c->in);
}

static cv do_inlined_level(const cx_call *c) {
  return h_new_level(c->in, c->loc, NULL, 0);
}

static cv do_outermost(const cx_call *c) {
  return hv_var(h_get_var(h_program_of(c->in), pm_get_cstring(c->in->ctx, H_OUTERMOST)));
}

static cv do_tag(const cx_call *c) {
  (void)c;
  return (cv){.kind = CV_IGNORED};
}

/* Not even with --schedule=none, which leaves directives out: bounds that the program says beside them hold.
 */
static cv do_autoscheduler(const cx_call *c) {
  return cv_bool(h_state_of(c->in)->has_autoscheduler);
}

/* simple_autoschedule(f, …), apply_autoscheduler(target, …): what asks for a schedule. */
static cv do_schedule_all(const cx_call *c) {
  pm_remark(c->in->ctx, c->loc, PM_REMARK_MISSED, "halide", NULL, 0,
            "%s is not followed: the optimizer decides the schedule by itself", c->name->text);
  return (cv){.kind = CV_IGNORED};
}

/* add_requirement(condition, …) */
static cv do_add_requirement(const cx_call *c) {
  hx *condition;
  if (!cx_takes(c, 1, CX_MANY) || !(condition = arg(c, 0))) return cv_poison;
  CX_PUSH(c->in->arena, program_of(c)->requirements, condition);
  return cv_void;
}

static cv do_user_context(const cx_call *c) {
  return cx_fail(c->in, c->loc, "calls have no user context, which extern stages are given");
}

static cv do_derivative(const cx_call *c) {
  return cx_fail(c->in, c->loc, "derivatives are not supported");
}

/* Of the generator: for schedules that an autoscheduler has written. */
static cv do_get_pipeline(const cx_call *c) {
  return cx_new_list(c->in, HV_PIPELINE);
}

/* Var::implicit(i): _0, _1 … */
static cv do_implicit(const cx_call *c) {
  int64_t i;
  if (!cx_takes(c, 1, 1) || !cx_to_int(c->in, c->locs[0], c->args[0], &i, "the number")) return cv_poison;
  if (i < 0 || i >= HX_MAX_DIMS)
    return cx_fail(c->in, c->locs[0], "the number is %lld, it should be 0 to %d", (long long)i,
                   HX_MAX_DIMS - 1);
  return hv_var(h_implicit_var(program_of(c), (unsigned)i));
}

static cv do_target(const cx_call *c) {
  (void)c;
  return (cv){.kind = HV_TARGET};
}

/* natural_vector_size<T>(), natural_vector_size(type): of vectors of 32 bytes. */
cv h_vector_size(const cx_call *c) {
  pm_scalar type;
  if (!template_type(c, &type) && (!cx_takes(c, 1, 1) || !h_to_type(c->in, c->locs[0], c->args[0], &type)))
    return cv_poison;
  return cv_int(PM_I32, 32 / (int64_t)pm_scalar_bytes(type));
}

static cv do_create(const cx_call *c) {
  const cx_node *type = c->at && c->at->n_items > 0 ? c->at->items[0] : NULL;
  if (!type || !type->name || !cx_find_class(c->in, type->name))
    return cx_fail(c->in, c->loc, "create has no class of the program in <>");
  return h_create_generator(c->in, c->loc, type);
}

static cv do_output(const cx_call *c) {
  if (!cx_takes(c, 1, CX_MANY)) return cv_poison;
  for (unsigned i = 0; i < c->n_args; i++) {
    if (c->args[i].kind != HV_FUNC)
      return cx_fail(c->in, c->locs[i], "this is %s, a Func should be here", cv_describe(c->in, c->args[i]));
    h_add_output(c->in, h_symbol_of(c->args[i]));
  }
  return cv_void;
}

static cv do_unsupported(const cx_call *c) {
  return cx_fail(c->in, c->loc, "%s is not supported", c->name->text);
}

/* --- the table --- */

/* ConciseCasts::u8 */
static cx_handler concise_cast(const char *name) {
  pm_scalar type;
  bool saturates;
  const char *last = strstr(name, "ConciseCasts::") == name ? name + 14 : name;
  return concise_type(last, &type, &saturates) ? do_concise : NULL;
}

cx_handler h_other_function(const cx_interp *in, pm_string name) {
  if (find_float_function(name->text)) return do_float_function;
  cx_handler cast = concise_cast(name->text);
  return cast ? cast : h_stub(in, name);
}

const cx_row h_functions[] = {{"cast", do_cast},
                              {"make_const", do_cast},
                              {"saturating_cast", do_saturating_cast},
                              {"reinterpret", do_reinterpret},
                              {"type_of", do_type_of},
                              {"round", do_round},
                              {"roundf", do_round},
                              {"halide_type_of", do_type_of},
                              {"fast_integer_divide", h_fast_division},
                              {"fast_integer_modulo", h_fast_division},
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
                              {"absd", h_absd},
                              {"widening_add", h_widening},
                              {"widening_sub", h_widening},
                              {"widening_mul", h_widening},
                              {"widen_right_add", h_widening},
                              {"widen_right_sub", h_widening},
                              {"widen_right_mul", h_widening},
                              {"saturating_add", h_saturating},
                              {"saturating_sub", h_saturating},
                              {"halving_add", h_halving},
                              {"halving_sub", h_halving},
                              {"rounding_halving_add", h_halving},
                              {"rounding_shift_right", h_rounding_shift},
                              {"rounding_shift_left", h_rounding_shift},
                              {"widening_shift_left", h_widening_shift},
                              {"widening_shift_right", h_widening_shift},
                              {"mul_shift_right", h_mul_shift},
                              {"rounding_mul_shift_right", h_mul_shift},
                              {"div_round_to_zero", h_rounded_division},
                              {"mod_round_to_zero", h_rounded_division},
                              {"lerp", h_lerp},
                              {"popcount", h_bits},
                              {"count_leading_zeros", h_bits},
                              {"count_trailing_zeros", h_bits},
                              {"likely", do_same},
                              {"likely_if_innermost", do_same},
                              {"strict_float", do_same},
                              {"memoize_tag", do_same},
                              {"print", do_same},
                              {"print_func", do_tag},
                              {"print_when", do_print_when},
                              {"require", do_require},
                              {"undef", do_undef},
                              {"replace_all", do_text},
                              {"split_string", do_text},
                              {"lambda", do_lambda},
                              {"_halide_user_assert", do_user_assert},
                              {"simplify", do_same},
                              {"is_const", do_is_const},
                              {"is_const_zero", do_is_const},
                              {"is_const_one", do_is_const},
                              {"get_target", do_target},
                              {"get_target_from_environment", do_target},
                              {"Var::implicit", do_implicit},
                              {"get_host_target", do_target},
                              {"get_jit_target_from_environment", do_target},
                              {"using_autoscheduler", do_autoscheduler},
                              {"auto_schedule", do_autoscheduler},
                              {"get_auto_schedule", do_autoscheduler},
                              {"simple_autoschedule", do_schedule_all},
                              {"add_input", h_add_port},
                              {"add_output", h_add_port},
                              {"add_requirement", do_add_requirement},
                              {"trace_pipeline", do_tag},
                              {"get_pipeline", do_get_pipeline},
                              {"user_context_value", do_user_context},
                              {"propagate_adjoints", do_derivative},
                              {"propagate_tangents", do_derivative},
                              {"tuple_select", do_select},
                              {"natural_vector_size", h_vector_size},
                              {"create", do_create},
                              {"output", do_output},
                              {"LoopLevel::inlined", do_inlined_level},
                              {"LoopLevel::root", do_root_level},
                              {"Var::outermost", do_outermost},
                              {"context", do_tag}, /* of generators, for stubs */
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
                              {"extract_bits", do_unsupported},
                              {NULL, NULL}};
