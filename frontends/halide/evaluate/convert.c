/* Values as Exprs and types, and as values of Halide's classes. */
#include "frontends/cxx/types/types.h"
#include "frontends/cxx/expressions/expressions.h"
#include "frontends/halide/evaluate/evaluate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- Exprs --- */

static hx *not_expr(cx_interp *in, pm_loc loc, cv v) {
  const char *hint = "";
  if (v.kind == HV_EXPR) {
    cx_fail(in, loc, "this Expr is not defined, it should have a value before it is used");
    return NULL;
  }
  if (v.kind == HV_FUNC || v.kind == HV_BUFFER) hint = ", as f(x, y) is";
  if (v.kind != CV_POISON) cx_fail(in, loc, "this is %s, an Expr should be here%s", cv_describe(in, v), hint);
  return NULL;
}

/* A bool of C++ is an int where an Expr is wanted. */
static hx *int_expr(cx_interp *in, pm_loc loc, cv v) {
  return hx_int(h_program_of(in), loc, v.scalar == PM_I1 ? PM_I32 : (pm_scalar)v.scalar, v.i);
}

static hx *rdom_expr(cx_interp *in, pm_loc loc, cv v) {
  if (h_rdom_of(v) && h_rdom_of(v)->n_dims == 1) return hx_var(h_program_of(in), loc, &h_rdom_of(v)->vars[0]);
  cx_fail(in, loc, "an RDom of %u dimensions is here, one of them should be, as r.x",
          h_rdom_of(v) ? h_rdom_of(v)->n_dims : 0);
  return NULL;
}

static hx *ref_expr(cx_interp *in, const h_ref *ref) {
  unsigned n = ref->symbol->n_elements;
  if (ref->has_element || n == 1) return h_read(in, ref->loc, ref, ref->element);
  cx_fail(in, ref->loc, "%s has values of %u elements, [0] to [%u] should choose one",
          ref->symbol->name->text, n, n - 1);
  return NULL;
}

static hx *param_expr(cx_interp *in, pm_loc loc, h_symbol *s) {
  h_program *p = h_program_of(in);
  pm_scalar type = (pm_scalar)s->types[0];
  hx *e = hx_param(p, loc, s);
  bool is_known = s->has_low && s->has_high && s->low == s->high;
  if (is_known && cx_is_float(type)) return hx_float(p, loc, type, s->low);
  hx_range all = hx_range_of(e);
  if (is_known && s->low >= all.low && s->low <= all.high && s->low == floor(s->low))
    return hx_int(p, loc, type, (int64_t)s->low);
  if (!cx_is_float(type)) return e;
  if (s->has_high) e = hx_node2(p, loc, HX_MIN, e, hx_float(p, loc, type, s->high));
  if (s->has_low) e = hx_node2(p, loc, HX_MAX, e, hx_float(p, loc, type, s->low));
  return e;
}

/* C++ finds two ways from a double to an Expr, as a float and as an int, and takes neither. */
static hx *float_expr(cx_interp *in, pm_loc loc, cv v) {
  if (v.scalar == PM_F32) return hx_float(h_program_of(in), loc, PM_F32, v.f);
  char text[32];
  snprintf(text, sizeof(text), "%g", v.f);
  bool is_whole = strcspn(text, ".en") == strlen(text);
  if (is_whole) snprintf(text, sizeof(text), "%.1f", v.f);
  cx_fail(in, loc, "%s is a double, which is ambiguous as an Expr; %sf or Expr(%s) should be here", text,
          text, text);
  return NULL;
}

hx *h_to_expr(cx_interp *in, pm_loc loc, cv v) {
  switch (v.kind) {
  case CV_INT:
    return int_expr(in, loc, v);
  case CV_FLOAT:
    return float_expr(in, loc, v);
  case HV_EXPR:
    return h_expr_of(v) ? h_expr_of(v) : not_expr(in, loc, v);
  case HV_VAR:
    return hx_var(h_program_of(in), loc, h_var_of(v));
  case HV_PARAM:
    return param_expr(in, loc, h_symbol_of(v));
  case HV_RDOM:
    return rdom_expr(in, loc, v);
  case HV_REF:
    return ref_expr(in, h_ref_of(v));
  case HV_TUPLE:
    if (v.list->items.len == 1) return h_to_expr(in, loc, v.list->items.data[0]->value);
    return not_expr(in, loc, v);
  case CV_LIST: /* {e} */
    if (v.list->items.len == 1) return h_to_expr(in, loc, v.list->items.data[0]->value);
    return not_expr(in, loc, v);
  default:
    return not_expr(in, loc, v);
  }
}

/* A literal of int takes the type of the other operand, which must keep its value. */
static hx *fitted(cx_interp *in, pm_loc loc, cv number, const hx *other) {
  hx *e = hx_int(h_program_of(in), loc, (pm_scalar)other->type, number.i);
  if (e->op == HX_FLOAT || e->i == number.i) return e;
  cx_fail(in, loc, "%lld does not fit %s, the type of the other operand; a cast should say what is meant",
          (long long)number.i, hx_type_name((pm_scalar)other->type));
  return NULL;
}

static bool is_plain_int(cv v) {
  return v.kind == CV_INT && v.scalar != PM_I64 && v.scalar != PM_U64 && v.scalar != PM_U32;
}

bool h_to_exprs(cx_interp *in, pm_loc loc, cv a, cv b, hx **left, hx **right) {
  *left = *right = NULL;
  if (is_plain_int(a) && !is_plain_int(b)) {
    *right = h_to_expr(in, loc, b);
    *left = *right ? fitted(in, loc, a, *right) : NULL;
  } else if (is_plain_int(b) && !is_plain_int(a)) {
    *left = h_to_expr(in, loc, a);
    *right = *left ? fitted(in, loc, b, *left) : NULL;
  } else {
    *left = h_to_expr(in, loc, a);
    *right = h_to_expr(in, loc, b);
  }
  return *left && *right;
}

bool h_constant(cv v, cv *number) {
  if (v.kind != HV_EXPR || !h_expr_of(v) || h_expr_of(v)->op != HX_INT) return false;
  *number = cv_int((pm_scalar)h_expr_of(v)->type, h_expr_of(v)->i);
  return true;
}

/* --- types --- */

bool h_to_type(cx_interp *in, pm_loc loc, cv v, pm_scalar *out) {
  if (v.kind == HV_TYPE && v.number == HV_NO_BITS) {
    cx_fail(in, loc, "the type has 0 bits, it should have 1 or more");
    return false;
  }
  if (v.kind == HV_TYPE) *out = (pm_scalar)v.scalar;
  if (v.kind != HV_TYPE && v.kind != CV_POISON)
    cx_fail(in, loc, "this is %s, a Type should be here, as UInt(8)", cv_describe(in, v));
  return v.kind == HV_TYPE;
}

/* --- values of Halide's classes --- */

cv h_to_tuple(cx_interp *in, pm_loc loc, cv v) {
  cv tuple = cx_new_list(in, HV_TUPLE);
  if (v.kind == HV_REF && !h_ref_of(v)->has_element && h_ref_of(v)->symbol->n_elements > 1) {
    for (unsigned i = 0; i < h_ref_of(v)->symbol->n_elements; i++) {
      hx *e = h_read(in, loc, h_ref_of(v), i);
      if (!e) return cv_poison;
      cx_append(in, tuple, hv_expr(e));
    }
    return tuple;
  }
  if (v.kind != CV_LIST && v.kind != HV_TUPLE) {
    hx *e = h_to_expr(in, loc, v);
    if (!e) return cv_poison;
    cx_append(in, tuple, hv_expr(e));
    return tuple;
  }
  for (uint32_t i = 0; i < v.list->items.len; i++) {
    hx *e = h_to_expr(in, loc, v.list->items.data[i]->value);
    if (!e) return cv_poison;
    cx_append(in, tuple, hv_expr(e));
  }
  return tuple;
}

cv h_to_expr_value(cx_interp *in, pm_loc loc, cv v) {
  if (v.kind == HV_EXPR) return v;
  if (v.kind == CV_LIST && v.list->items.len == 0) return hv_expr(NULL);
  hx *e = h_to_expr(in, loc, v);
  return e ? hv_expr(e) : cv_poison;
}

static cv to_pipeline(cx_interp *in, pm_loc loc, const cx_node *type, cv v) {
  if (v.kind == HV_PIPELINE) return v;
  cx_arguments a = cx_values_as_arguments(in, loc, &v, 1);
  return cx_construct(in, loc, type, &a, false, NULL);
}

static cv to_func(cx_interp *in, pm_loc loc, cv v) {
  if (v.kind == HV_FUNC || v.kind == HV_BUFFER) return v;
  if (v.kind == HV_EXPR || v.kind == HV_REF) {
    hx *e = h_to_expr(in, loc, v);
    return e ? h_new_func(in, loc, NULL, NULL, 0, &e, 1) : cv_poison;
  }
  return cx_fail(in, loc, "this is %s, a Func should be here", cv_describe(in, v));
}

cv h_to_var(cx_interp *in, pm_loc loc, cv v) {
  if (v.kind == HV_VAR) return v;
  if (v.kind == CV_STRING) return hv_var(h_get_var(h_program_of(in), v.text));
  if (v.kind == HV_RDOM && h_rdom_of(v) && h_rdom_of(v)->n_dims == 1) return hv_var(&h_rdom_of(v)->vars[0]);
  return cx_fail(in, loc, "this is %s, a Var should be here", cv_describe(in, v));
}

/* Types whose values are taken as they are. */
static bool is_open_type(const cx_node *type) {
  static const char *const names[] = {"RVar",
                                      "RDom",
                                      "Type",
                                      "Target",
                                      "Stage",
                                      "Param",
                                      "ImageParam",
                                      "Buffer",
                                      "Runtime::Buffer",
                                      "LoopLevel",
                                      "FuncRef",
                                      "Region",
                                      "Range",
                                      "TailStrategy",
                                      "VarOrRVar",
                                      "MachineParams",
                                      "AutoschedulerParams",
                                      "Dimension",
                                      "ExternFuncArgument",
                                      "Derivative",
                                      "SimpleAutoscheduleOptions"};
  for (size_t i = 0; i < PM_COUNT(names); i++)
    if (cx_is_named(type, names[i])) return true;
  return h_is_port(type->name);
}

bool h_convert(cx_interp *in, pm_loc loc, const cx_node *type, cv v, cv *out) {
  bool is_one = v.kind == CV_LIST && v.list->items.len == 1;
  cv item = is_one ? v.list->items.data[0]->value : v;
  if (is_open_type(type) || h_is_stub_type(type->name))
    *out = v;
  else if (h_is_tag(type))
    *out = (cv){.kind = CV_IGNORED};
  else if (cx_is_named(type, "Expr"))
    *out = h_to_expr_value(in, loc, item);
  else if (cx_is_named(type, "Func") || cx_is_named(type, "OutputImageParam"))
    *out = to_func(in, loc, item);
  else if (cx_is_named(type, "Pipeline"))
    *out = to_pipeline(in, loc, type, v);
  else if (cx_is_named(type, "Var"))
    *out = h_to_var(in, loc, item);
  else if (cx_is_named(type, "Tuple"))
    *out = h_to_tuple(in, loc, v);
  else
    return false;
  return true;
}

/* --- overloads --- */

static bool is_func(cv v) {
  return v.kind == HV_FUNC || v.kind == HV_BUFFER;
}

static unsigned suits_expr(cv v) {
  return v.kind == HV_EXPR ? 2 : !is_func(v) && v.kind != CV_LIST && v.kind != CV_STRING;
}

/* f(x, y), which is no element of a Tuple. */
static bool is_ref(cv v) {
  return v.kind == HV_REF && !h_ref_of(v)->has_element;
}

static unsigned suits_func(cv v) {
  return v.kind == HV_FUNC ? 2 : v.kind == HV_BUFFER;
}

/* A call of a Func becomes a Tuple, an Expr only where the program says so. */
static unsigned suits_tuple(cv v) {
  return v.kind == HV_TUPLE ? 2 : is_ref(v) || v.kind == CV_LIST;
}

bool h_suits(const cx_node *type, cv v, unsigned *how) {
  static const struct {
    const char *name;
    hv_kind kind;
  } kinds[] = {{"Var", HV_VAR},       {"RVar", HV_VAR},          {"RDom", HV_RDOM},    {"Type", HV_TYPE},
               {"Target", HV_TARGET}, {"ImageParam", HV_BUFFER}, {"Buffer", HV_BUFFER}};
  for (size_t i = 0; i < PM_COUNT(kinds); i++)
    if (cx_is_named(type, kinds[i].name)) return *how = v.kind == kinds[i].kind ? 2 : 0, true;
  if (cx_is_named(type, "Func"))
    *how = suits_func(v);
  else if (cx_is_named(type, "FuncRef"))
    *how = is_ref(v) ? 2 : 0;
  else if (cx_is_named(type, "Expr"))
    *how = suits_expr(v);
  else if (cx_is_named(type, "Tuple"))
    *how = suits_tuple(v);
  else
    return false;
  return true;
}
