/* Values of the host code as Exprs, numbers and types; what declarations make. */
#include "frontends/halide/interp.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_named(const cx_node *type, const char *name) {
  return strcmp(type->name->text, name) == 0;
}

/* --- scalar types --- */

bool h_scalar_of_name(pm_string name, pm_scalar *out) {
  static const struct {
    const char *name;
    pm_scalar type;
  } names[] = {{"int", PM_I32},      {"float", PM_F32},     {"double", PM_F64},    {"bool", PM_I1},
               {"int8_t", PM_I8},    {"int16_t", PM_I16},   {"int32_t", PM_I32},   {"int64_t", PM_I64},
               {"uint8_t", PM_U8},   {"uint16_t", PM_U16},  {"uint32_t", PM_U32},  {"uint64_t", PM_U64},
               {"size_t", PM_U64},   {"char", PM_I8},       {"float16_t", PM_F16}, {"bfloat16_t", PM_BF16},
               {"intptr_t", PM_I64}, {"ptrdiff_t", PM_I64}, {"uintptr_t", PM_U64}};
  for (size_t i = 0; i < PM_COUNT(names); i++)
    if (strcmp(names[i].name, name->text) == 0) {
      *out = names[i].type;
      return true;
    }
  return false;
}

const cx_node *h_resolve(h_interp *in, const cx_node *type) {
  for (int i = 0; type && type->name && i < 20; i++) {
    const hv_cell *cell = hv_find(in->scope, type->name);
    if (!cell || cell->value.kind != HV_CLASS || cell->value.node->kind != CX_TYPE) return type;
    type = cell->value.node;
  }
  return type;
}

bool h_scalar_of(h_interp *in, const cx_node *type, pm_scalar *out) {
  type = h_resolve(in, type);
  return type && !type->is_pointer && type->kind != CX_INT && type->name && h_scalar_of_name(type->name, out);
}

/* --- Exprs --- */

static hx *not_expr(h_interp *in, pm_loc loc, hv v) {
  const char *hint = "";
  if (v.kind == HV_EXPR) {
    h_fail(in, loc, "this Expr is not defined, it should have a value before it is used");
    return NULL;
  }
  if (v.kind == HV_FUNC || v.kind == HV_BUFFER) hint = ", as f(x, y) is";
  if (v.kind != HV_POISON) h_fail(in, loc, "this is %s, an Expr should be here%s", hv_describe(v), hint);
  return NULL;
}

/* A bool of C++ is an int where an Expr is wanted. */
static hx *int_expr(h_interp *in, pm_loc loc, hv v) {
  return hx_int(&in->program, loc, v.scalar == PM_I1 ? PM_I32 : (pm_scalar)v.scalar, v.i);
}

static hx *rdom_expr(h_interp *in, pm_loc loc, hv v) {
  if (v.rdom && v.rdom->n_dims == 1) return hx_var(&in->program, loc, &v.rdom->vars[0]);
  h_fail(in, loc, "an RDom of %u dimensions is here, one of them should be, as r.x",
         v.rdom ? v.rdom->n_dims : 0);
  return NULL;
}

static hx *ref_expr(h_interp *in, const hv_ref *ref) {
  unsigned n = ref->symbol->n_elements;
  if (ref->has_element || n == 1) return h_read(in, ref->loc, ref, ref->element);
  h_fail(in, ref->loc, "%s has values of %u elements, [0] to [%u] should choose one", ref->symbol->name->text,
         n, n - 1);
  return NULL;
}

static hx *param_expr(h_interp *in, pm_loc loc, h_symbol *s) {
  h_program *p = &in->program;
  pm_scalar type = (pm_scalar)s->types[0];
  hx *e = hx_param(p, loc, s);
  bool is_known = s->has_low && s->has_high && s->low == s->high;
  if (is_known && hx_is_float_type(type)) return hx_float(p, loc, type, s->low);
  if (is_known && type == PM_I32 && s->low >= INT32_MIN && s->low <= INT32_MAX && s->low == floor(s->low))
    return hx_int(p, loc, type, (int64_t)s->low);
  if (!hx_is_float_type(type)) return e;
  if (s->has_high) e = hx_node2(p, loc, HX_MIN, e, hx_float(p, loc, type, s->high));
  if (s->has_low) e = hx_node2(p, loc, HX_MAX, e, hx_float(p, loc, type, s->low));
  return e;
}

/* C++ finds two ways from a double to an Expr, as a float and as an int, and takes neither. */
static hx *float_expr(h_interp *in, pm_loc loc, hv v) {
  if (v.scalar == PM_F32) return hx_float(&in->program, loc, PM_F32, v.f);
  char text[32];
  snprintf(text, sizeof(text), "%g", v.f);
  bool is_whole = strcspn(text, ".en") == strlen(text);
  if (is_whole) snprintf(text, sizeof(text), "%.1f", v.f);
  h_fail(in, loc, "%s is a double, which is ambiguous as an Expr; %sf or Expr(%s) should be here", text, text,
         text);
  return NULL;
}

hx *h_to_expr(h_interp *in, pm_loc loc, hv v) {
  switch (v.kind) {
  case HV_INT:
    return int_expr(in, loc, v);
  case HV_FLOAT:
    return float_expr(in, loc, v);
  case HV_EXPR:
    return v.expr ? v.expr : not_expr(in, loc, v);
  case HV_VAR:
    return hx_var(&in->program, loc, v.var);
  case HV_PARAM:
    return param_expr(in, loc, v.symbol);
  case HV_RDOM:
    return rdom_expr(in, loc, v);
  case HV_REF:
    return ref_expr(in, v.ref);
  case HV_TUPLE:
    if (v.list->items.len == 1) return h_to_expr(in, loc, v.list->items.data[0]->value);
    return not_expr(in, loc, v);
  case HV_LIST: /* {e} */
    if (v.list->items.len == 1) return h_to_expr(in, loc, v.list->items.data[0]->value);
    return not_expr(in, loc, v);
  default:
    return not_expr(in, loc, v);
  }
}

/* A literal of int takes the type of the other operand, which must keep its value. */
static hx *fitted(h_interp *in, pm_loc loc, hv number, const hx *other) {
  hx *e = hx_int(&in->program, loc, (pm_scalar)other->type, number.i);
  if (e->op == HX_FLOAT || e->i == number.i) return e;
  h_fail(in, loc, "%lld does not fit %s, the type of the other operand; a cast should say what is meant",
         (long long)number.i, hx_type_name((pm_scalar)other->type));
  return NULL;
}

static bool is_plain_int(hv v) {
  return v.kind == HV_INT && v.scalar != PM_I64 && v.scalar != PM_U64 && v.scalar != PM_U32;
}

bool h_to_exprs(h_interp *in, pm_loc loc, hv a, hv b, hx **left, hx **right) {
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

/* --- numbers --- */

bool h_to_int(h_interp *in, pm_loc loc, hv v, int64_t *out, const char *what) {
  if (hv_is_number(v) && hv_as_int(v, out)) return true;
  if (hv_is_number(v)) {
    h_fail(in, loc, "%s is %g, it should be an integer", what, v.f == v.f ? v.f : NAN);
    return false;
  }
  if (v.kind == HV_EXPR && v.expr && hx_is_int(v.expr, out)) return true;
  if (v.kind != HV_POISON)
    h_fail(in, loc, "%s is %s, it should be an integer that is known while the program is compiled", what,
           hv_describe(v));
  return false;
}

bool h_to_bool(h_interp *in, pm_loc loc, hv v, bool *out) {
  switch (v.kind) {
  case HV_INT:
    *out = v.i != 0;
    return true;
  case HV_FLOAT:
    *out = v.f != 0;
    return true;
  case HV_POINTER:
    *out = v.cell != NULL;
    return true;
  case HV_POISON:
    return false;
  default:
    h_fail(in, loc,
           "the condition is %s, it should be known while the program is compiled; select(…) chooses at each "
           "point",
           hv_describe(v));
    return false;
  }
}

bool h_to_type(h_interp *in, pm_loc loc, hv v, pm_scalar *out) {
  if (v.kind == HV_TYPE && v.number == HV_NO_BITS) {
    h_fail(in, loc, "the type has 0 bits, it should have 1 or more");
    return false;
  }
  if (v.kind == HV_TYPE) *out = (pm_scalar)v.scalar;
  if (v.kind != HV_TYPE && v.kind != HV_POISON)
    h_fail(in, loc, "this is %s, a Type should be here, as UInt(8)", hv_describe(v));
  return v.kind == HV_TYPE;
}

static hv to_scalar(h_interp *in, pm_loc loc, pm_scalar type, hv v) {
  if (v.kind == HV_EXPR && v.expr && v.expr->op == HX_INT) v = hv_int((pm_scalar)v.expr->type, v.expr->i);
  if (v.kind == HV_LIST && v.list->items.len == 1) v = v.list->items.data[0]->value;
  if (type == PM_I1 && v.kind == HV_POINTER) return hv_bool(v.cell != NULL);
  if (!hv_is_number(v) && v.kind != HV_POISON)
    return h_fail(in, loc, "this is %s, a number that is known while the program is compiled should be here",
                  hv_describe(v));
  if (v.kind == HV_POISON) return v;
  if (hx_is_float_type(type)) {
    double f = v.kind == HV_FLOAT                         ? v.f
               : hx_is_unsigned_type((pm_scalar)v.scalar) ? (double)(uint64_t)v.i
                                                          : (double)v.i;
    return hv_float(type, f);
  }
  if (v.kind == HV_INT) return hv_int(type, v.i);
  if (type == PM_I1) return hv_bool(v.f != 0);
  int64_t whole;
  if (hv_as_int(v, &whole)) return hv_int(type, whole);
  return h_fail(in, loc, "this is %g, it should be near an integer", v.f == v.f ? v.f : NAN);
}

/* --- conversions to declared types --- */

static const cx_node *argument_of(const cx_node *type, unsigned i) {
  return i < type->n_items ? type->items[i] : NULL;
}

static bool is_list_type(const cx_node *type) {
  return is_named(type, "vector") || is_named(type, "array") || is_named(type, "initializer_list") ||
         is_named(type, "pair") || is_named(type, "tuple") || is_named(type, "set");
}

static hv to_list(h_interp *in, pm_loc loc, const cx_node *type, hv v) {
  if (v.kind == HV_TUPLE || v.kind == HV_MAP) return v;
  if (v.kind != HV_LIST) return h_fail(in, loc, "this is %s, a list should be here", hv_describe(v));
  bool is_pair = is_named(type, "pair") || is_named(type, "tuple");
  for (uint32_t i = 0; i < v.list->items.len; i++) {
    hv_cell *item = v.list->items.data[i];
    const cx_node *of = argument_of(type, is_pair ? i : 0);
    item->value = h_convert(in, loc, of, item->value);
    item->type = of;
  }
  if (!is_pair) v.list->of = argument_of(type, 0);
  return v;
}

static hv to_map(h_interp *in, pm_loc loc, const cx_node *type, hv v) {
  if (v.kind == HV_MAP) return v;
  if (v.kind != HV_LIST) return h_fail(in, loc, "this is %s, a map should be here", hv_describe(v));
  hv map = hv_new_list(in, HV_MAP);
  map.list->of = argument_of(type, 1);
  for (uint32_t i = 0; i < v.list->items.len; i++) {
    hv pair = v.list->items.data[i]->value;
    if (pair.kind != HV_LIST || pair.list->items.len != 2)
      return h_fail(in, loc, "an entry of a map is %s, it should be {key, value}", hv_describe(pair));
    pair = hv_copy(in, pair);
    for (unsigned k = 0; k < 2; k++)
      pair.list->items.data[k]->value =
          h_convert(in, loc, argument_of(type, k), pair.list->items.data[k]->value);
    hv_append(in, map, pair);
  }
  return map;
}

static hv to_tuple(h_interp *in, pm_loc loc, hv v) {
  hv tuple = hv_new_list(in, HV_TUPLE);
  if (v.kind == HV_REF && !v.ref->has_element && v.ref->symbol->n_elements > 1) {
    for (unsigned i = 0; i < v.ref->symbol->n_elements; i++) {
      hx *e = h_read(in, loc, v.ref, i);
      if (!e) return hv_poison;
      hv_append(in, tuple, hv_expr(e));
    }
    return tuple;
  }
  if (v.kind != HV_LIST && v.kind != HV_TUPLE) {
    hx *e = h_to_expr(in, loc, v);
    if (!e) return hv_poison;
    hv_append(in, tuple, hv_expr(e));
    return tuple;
  }
  for (uint32_t i = 0; i < v.list->items.len; i++) {
    hx *e = h_to_expr(in, loc, v.list->items.data[i]->value);
    if (!e) return hv_poison;
    hv_append(in, tuple, hv_expr(e));
  }
  return tuple;
}

static hv to_expr_value(h_interp *in, pm_loc loc, hv v) {
  if (v.kind == HV_EXPR) return v;
  if (v.kind == HV_LIST && v.list->items.len == 0) return hv_expr(NULL);
  hx *e = h_to_expr(in, loc, v);
  return e ? hv_expr(e) : hv_poison;
}

static hv to_func(h_interp *in, pm_loc loc, hv v) {
  if (v.kind == HV_FUNC || v.kind == HV_BUFFER) return v;
  if (v.kind == HV_EXPR || v.kind == HV_REF) {
    hx *e = h_to_expr(in, loc, v);
    return e ? h_new_func(in, loc, NULL, NULL, 0, &e, 1) : hv_poison;
  }
  return h_fail(in, loc, "this is %s, a Func should be here", hv_describe(v));
}

/* Types whose values are taken as they are. */
static bool is_open_type(const cx_node *type) {
  static const char *const names[] = {"auto",          "RVar",
                                      "RDom",          "Type",
                                      "Target",        "Stage",
                                      "Param",         "ImageParam",
                                      "Buffer",        "Runtime::Buffer",
                                      "function",      "LoopLevel",
                                      "FuncRef",       "Region",
                                      "Range",         "TailStrategy",
                                      "VarOrRVar",     "unique_ptr",
                                      "shared_ptr",    "Pipeline",
                                      "MachineParams", "AutoschedulerParams",
                                      "Dimension",     "void"};
  for (size_t i = 0; i < PM_COUNT(names); i++)
    if (is_named(type, names[i])) return true;
  size_t len = type->name->len;
  bool is_iterator = len > 8 && strcmp(type->name->text + len - 8, "iterator") == 0;
  return is_iterator || h_is_port(type->name);
}

static bool is_class_value(const hv_cell *cell) {
  return cell && cell->value.kind == HV_CLASS && cell->value.node->kind != CX_TYPE;
}

static hv to_class(h_interp *in, pm_loc loc, const cx_node *node, const cx_node *type, hv v) {
  if (node->kind == CX_ENUM)
    return hv_is_number(v)
               ? v
               : h_fail(in, loc, "this is %s, %s should be here", hv_describe(v), node->name->text);
  if (v.kind == HV_OBJECT || v.kind == HV_POINTER || v.kind == HV_IGNORED) return v;
  if (v.kind == HV_LIST) {
    hv *args = pm_arena_alloc(in->arena, (v.list->items.len + 1) * sizeof(hv));
    pm_loc *locs = pm_arena_alloc(in->arena, (v.list->items.len + 1) * sizeof(pm_loc));
    for (uint32_t i = 0; i < v.list->items.len; i++) args[i] = v.list->items.data[i]->value, locs[i] = loc;
    return h_new_object(in, loc, node, type, args, locs, v.list->items.len, true);
  }
  return h_fail(in, loc, "this is %s, %s should be here", hv_describe(v),
                node->name ? node->name->text : "an object");
}

static hv to_var(h_interp *in, pm_loc loc, hv v) {
  if (v.kind == HV_VAR) return v;
  if (v.kind == HV_STRING) return (hv){.kind = HV_VAR, .var = h_get_var(&in->program, v.text)};
  if (v.kind == HV_RDOM && v.rdom && v.rdom->n_dims == 1)
    return (hv){.kind = HV_VAR, .var = &v.rdom->vars[0]};
  return h_fail(in, loc, "this is %s, a Var should be here", hv_describe(v));
}

static bool is_tag(const cx_node *type) {
  return strncmp(type->name->text, "Trace::", 7) == 0;
}

hv h_convert(h_interp *in, pm_loc loc, const cx_node *type, hv v) {
  pm_scalar scalar;
  type = h_resolve(in, type);
  if (!type || type->kind != CX_TYPE || !type->name || v.kind == HV_POISON) return v;
  if (type->is_pointer || v.kind == HV_IGNORED) return v;
  if (h_scalar_of_name(type->name, &scalar)) return to_scalar(in, loc, scalar, v);
  if (is_open_type(type)) return v;
  if (is_tag(type)) return (hv){.kind = HV_IGNORED};
  const hv_cell *cell = hv_find(in->scope, type->name);
  if (is_class_value(cell)) return to_class(in, loc, cell->value.node, type, v);
  if (v.kind == HV_LIST && v.list->items.len == 1 && !is_list_type(type) && !is_named(type, "map") &&
      !is_named(type, "unordered_map") && !is_named(type, "Tuple"))
    v = v.list->items.data[0]->value;
  if (is_named(type, "Expr")) return to_expr_value(in, loc, v);
  if (is_named(type, "Func") || is_named(type, "OutputImageParam")) return to_func(in, loc, v);
  if (is_named(type, "Var")) return to_var(in, loc, v);
  if (is_named(type, "Tuple")) return to_tuple(in, loc, v);
  if (is_list_type(type)) return to_list(in, loc, type, v);
  if (is_named(type, "map") || is_named(type, "unordered_map")) return to_map(in, loc, type, v);
  if (is_named(type, "string") || is_named(type, "string_view"))
    return v.kind == HV_STRING ? v : h_fail(in, loc, "this is %s, a string should be here", hv_describe(v));
  return h_fail(in, loc, "the type '%s' is not known here", type->name->text);
}

/* --- construction --- */

typedef struct making {
  h_interp *in;
  pm_loc loc;
  const cx_node *type;
  hv *args;
  const pm_loc *locs;
  unsigned n_args;
  bool is_braced;
  pm_string hint;
} making;

static pm_string name_argument(const making *m, unsigned i) {
  return i < m->n_args && m->args[i].kind == HV_STRING ? m->args[i].text : NULL;
}

static hv make_func(const making *m) {
  if (m->n_args > 1 || (m->n_args == 1 && !name_argument(m, 0))) {
    if (m->n_args == 1) return h_convert(m->in, m->locs[0], m->type, m->args[0]);
    if (m->args[0].kind != HV_TYPE) return h_fail(m->in, m->loc, "a Func is made from its name, or its type");
  }
  pm_string name = name_argument(m, m->n_args > 0 ? m->n_args - 1 : 0);
  h_symbol *s = h_new_symbol(&m->in->program, H_FUNC, m->loc, name ? name->text : NULL);
  if (!name && m->hint) s->name = m->hint;
  return hv_symbol(s);
}

static hv make_var(const making *m) {
  h_program *p = &m->in->program;
  pm_string name = name_argument(m, 0);
  if (name) return (hv){.kind = HV_VAR, .var = h_get_var(p, name)};
  if (m->n_args > 0) return to_var(m->in, m->loc, m->args[0]);
  h_var *var = pm_arena_alloc(p->arena, sizeof(*var));
  var->name = m->hint ? m->hint : h_unique_name(p, "v");
  return (hv){.kind = HV_VAR, .var = var};
}

/* The pairs {min, extent} of a list of lists. */
static bool read_regions(const making *m, hv list, hx **out, unsigned *n) {
  for (uint32_t i = 0; i < list.list->items.len; i++) {
    hv pair = list.list->items.data[i]->value;
    if (pair.kind != HV_LIST || pair.list->items.len != 2 || *n + 2 > 2 * HX_MAX_DIMS) return false;
    for (unsigned k = 0; k < 2; k++) {
      hx *e = h_to_expr(m->in, m->loc, pair.list->items.data[k]->value);
      if (!e) return false;
      out[(*n)++] = e;
    }
  }
  return true;
}

/* RDom(buffer): all of its points. */
static bool read_buffer(const making *m, h_symbol *buffer, hx **out, unsigned *n) {
  for (unsigned d = 0; d < buffer->n_dims; d++) {
    out[(*n)++] = hx_int(&m->in->program, m->loc, PM_I32, 0);
    out[(*n)++] = h_extent(&m->in->program, m->loc, buffer, d);
  }
  return true;
}

static bool read_bounds(const making *m, unsigned n_args, hx **out, unsigned *n) {
  if (n_args == 1 && m->args[0].kind == HV_LIST) return read_regions(m, m->args[0], out, n);
  if (n_args == 1 && m->args[0].kind == HV_BUFFER) return read_buffer(m, m->args[0].symbol, out, n);
  if (n_args > 2 * HX_MAX_DIMS) return false;
  for (unsigned i = 0; i < n_args; i++) {
    hx *e = h_to_expr(m->in, m->locs[i], m->args[i]);
    if (!e) return false;
    out[(*n)++] = hx_cast(&m->in->program, e->loc, PM_I32, e);
  }
  return *n % 2 == 0;
}

static hv make_rdom(const making *m) {
  static const char *const dims[] = {"x", "y", "z", "w", "5", "6", "7", "8"};
  h_program *p = &m->in->program;
  hx *bounds[2 * HX_MAX_DIMS];
  unsigned n = 0, n_args = m->n_args;
  if (n_args == 0) return (hv){.kind = HV_RDOM};
  if (m->args[0].kind == HV_RDOM) return m->args[0];
  pm_string name = name_argument(m, n_args - 1);
  unsigned errors = pm_error_count(m->in->ctx);
  if (!read_bounds(m, name ? n_args - 1 : n_args, bounds, &n)) {
    if (pm_error_count(m->in->ctx) > errors) return hv_poison;
    return h_fail(m->in, m->loc,
                  "an RDom should be made from a min and an extent for each of at most %d dimensions",
                  HX_MAX_DIMS);
  }
  h_rdom *r = pm_arena_alloc(p->arena, sizeof(*r));
  r->loc = m->loc;
  r->name = name ? name : m->hint ? m->hint : h_unique_name(p, "r");
  r->n_dims = n / 2;
  for (unsigned d = 0; d < r->n_dims; d++) {
    pm_buf text = {0};
    pm_buf_printf(&text, "%s_%s", r->name->text, dims[d]);
    r->vars[d] = (h_var){pm_get_string(p->ctx, (pm_str){text.data, text.len}), r, d};
    pm_buf_free(&text);
    r->min[d] = bounds[2 * d];
    r->extent[d] = bounds[2 * d + 1];
  }
  return (hv){.kind = HV_RDOM, .rdom = r};
}

static hv list_of_args(const making *m) {
  hv list = hv_new_list(m->in, HV_LIST);
  for (unsigned i = 0; i < m->n_args; i++) hv_append(m->in, list, m->args[i]);
  return list;
}

/* vector<T>(n), vector<T>(n, value), vector<T>{a, b}, a copy of another. */
static hv make_list(const making *m) {
  const cx_node *of = argument_of(m->type, 0);
  if (m->n_args == 1 && !m->is_braced && m->args[0].kind == HV_LIST)
    return h_convert(m->in, m->loc, m->type, hv_copy(m->in, m->args[0]));
  if (m->is_braced || is_named(m->type, "pair") || is_named(m->type, "tuple"))
    return h_convert(m->in, m->loc, m->type, list_of_args(m));
  if (m->n_args == 2 && m->args[0].kind == HV_ITERATOR && m->args[1].kind == HV_ITERATOR)
    return h_convert(m->in, m->loc, m->type, h_copy_range(m->in, m->loc, m->args[0], m->args[1]));
  int64_t n = 0;
  if (is_named(m->type, "array") && argument_of(m->type, 1)) {
    if (!h_to_int(m->in, m->loc, h_eval(m->in, m->type->items[1]), &n, "the length of an array"))
      return hv_poison;
  } else if (m->n_args > 0 && !h_to_int(m->in, m->locs[0], m->args[0], &n, "the length of a vector")) {
    return hv_poison;
  }
  if (n < 0 || n > H_MAX_ITEMS)
    return h_fail(m->in, m->loc, "the length is %lld, it should be 0 to %d", (long long)n, H_MAX_ITEMS);
  hv list = hv_new_list(m->in, HV_LIST);
  list.list->of = of;
  for (int64_t i = 0; i < n && h_may_go_on(m->in, m->loc); i++) {
    hv item = m->n_args > 1 ? h_convert(m->in, m->loc, of, hv_copy(m->in, m->args[1]))
                            : h_construct(m->in, m->loc, of, NULL, NULL, 0, false, NULL);
    hv_append(m->in, list, item);
    list.list->items.data[i]->type = of;
  }
  return list;
}

static hv make_scalar(const making *m, pm_scalar type) {
  if (m->n_args == 0) return hx_is_float_type(type) ? hv_float(type, 0) : hv_int(type, 0);
  if (m->n_args == 1) return h_convert(m->in, m->locs[0], m->type, m->args[0]);
  return h_fail(m->in, m->loc, "%s is made from one value, %u are given", m->type->name->text, m->n_args);
}

/* UInt(8), Float(32): Types. */
static hv make_type(const making *m) {
  int64_t bits;
  if (is_named(m->type, "Bool")) return (hv){.kind = HV_TYPE, .scalar = PM_I1};
  if (m->n_args == 0 || !h_to_int(m->in, m->locs[0], m->args[0], &bits, "the number of bits"))
    return hv_poison;
  bool is_float = is_named(m->type, "Float");
  if (is_float && (bits == 32 || bits == 64))
    return (hv){.kind = HV_TYPE, .scalar = bits == 32 ? PM_F32 : PM_F64};
  if (bits == 0) return (hv){.kind = HV_TYPE, .scalar = PM_I32, .number = HV_NO_BITS};
  if (is_float && bits == 16) return (hv){.kind = HV_TYPE, .scalar = PM_F16};
  if (!is_float && (bits == 1 || bits == 8 || bits == 16 || bits == 32 || bits == 64))
    return (hv){.kind = HV_TYPE, .scalar = (uint8_t)hx_integer((unsigned)bits, is_named(m->type, "Int"))};
  return h_fail(m->in, m->locs[0], "%s(%lld) is not a type of this compiler, %s should be its bits",
                m->type->name->text, (long long)bits, is_float ? "32 or 64" : "1, 8, 16, 32 or 64");
}

static hv make_tuple(const making *m) {
  if (m->n_args == 1) return to_tuple(m->in, m->loc, m->args[0]);
  return to_tuple(m->in, m->loc, list_of_args(m));
}

/* Of a double too, where the program says so. */
static hv make_expr(const making *m) {
  if (m->n_args == 0) return hv_expr(NULL);
  if (m->args[0].kind != HV_FLOAT) return to_expr_value(m->in, m->locs[0], m->args[0]);
  return hv_expr(hx_float(&m->in->program, m->locs[0], (pm_scalar)m->args[0].scalar, m->args[0].f));
}

/* Region(n): as many Ranges that are not defined. */
static hv make_region(const making *m) {
  int64_t n = 0;
  hv region = hv_new_list(m->in, HV_LIST);
  if (m->n_args != 1 || m->args[0].kind != HV_INT) return list_of_args(m);
  if (!h_to_int(m->in, m->locs[0], m->args[0], &n, "the number of dimensions")) return hv_poison;
  if (n < 0 || n > HX_MAX_DIMS)
    return h_fail(m->in, m->loc, "the number of dimensions is %lld, it should be 0 to %d", (long long)n,
                  HX_MAX_DIMS);
  for (int64_t i = 0; i < n; i++) {
    hv range = hv_new_list(m->in, HV_LIST);
    hv_append(m->in, range, hv_expr(NULL));
    hv_append(m->in, range, hv_expr(NULL));
    hv_append(m->in, region, range);
  }
  return region;
}

static hv make_one(const making *m) {
  h_interp *in = m->in;
  if (is_named(m->type, "Func")) return make_func(m);
  if (is_named(m->type, "Var") || is_named(m->type, "RVar")) return make_var(m);
  if (is_named(m->type, "RDom")) return make_rdom(m);
  if (is_named(m->type, "Expr")) return make_expr(m);
  if (is_named(m->type, "Tuple")) return make_tuple(m);
  if (is_list_type(m->type)) return make_list(m);
  if (is_named(m->type, "map") || is_named(m->type, "unordered_map"))
    return to_map(in, m->loc, m->type, list_of_args(m));
  if (is_named(m->type, "UInt") || is_named(m->type, "Int") || is_named(m->type, "Float") ||
      is_named(m->type, "Bool"))
    return make_type(m);
  if (is_named(m->type, "string")) return m->n_args > 0 ? m->args[0] : hv_text(in->ctx, "", 0);
  if (is_named(m->type, "Type")) return m->n_args > 0 ? m->args[0] : (hv){.kind = HV_TYPE, .scalar = PM_I32};
  if (is_named(m->type, "Target")) return (hv){.kind = HV_TARGET};
  if (is_named(m->type, "LoopLevel")) return h_new_level(in, m->loc, m->args, m->n_args);
  if (is_named(m->type, "Buffer") && (m->n_args != 1 || m->args[0].kind != HV_BUFFER))
    return h_new_table(in, m->loc, m->type, m->args, m->locs, m->n_args, m->hint);
  if (is_named(m->type, "Pipeline") || is_named(m->type, "Stage") || is_tag(m->type))
    return m->n_args == 1 && m->args[0].kind != HV_LIST && m->args[0].kind != HV_FUNC
               ? m->args[0]
               : (hv){.kind = HV_IGNORED};
  if (is_named(m->type, "Region")) return make_region(m);
  if (m->n_args == 1) return h_convert(in, m->locs[0], m->type, m->args[0]);
  if (is_named(m->type, "auto") || is_named(m->type, "unique_ptr") || is_named(m->type, "shared_ptr"))
    return (hv){.kind = HV_POINTER};
  if (is_named(m->type, "Range")) return list_of_args(m);
  return h_fail(in, m->loc, "the type '%s' is not known here", m->type->name->text);
}

hv h_construct(h_interp *in, pm_loc loc, const cx_node *type, hv *args, const pm_loc *locs, unsigned n_args,
               bool is_braced, pm_string hint) {
  pm_scalar scalar;
  type = h_resolve(in, type);
  for (unsigned i = 0; i < n_args; i++)
    if (args[i].kind == HV_POISON) return hv_poison;
  if (type && type->kind == CX_FUNCTION && type->is_pointer)
    return n_args > 0 ? args[0] : (hv){.kind = HV_POINTER};
  if (!type || type->kind != CX_TYPE || !type->name)
    return h_fail(in, type ? type->loc : loc, "no value is of this, a type should be here");
  if (type->is_pointer) return n_args > 0 ? args[0] : (hv){.kind = HV_POINTER};
  making m = {in, loc, type, args, locs, n_args, is_braced, hint};
  if (h_scalar_of_name(type->name, &scalar)) return make_scalar(&m, scalar);
  if (h_is_port(type->name)) return h_new_port(in, loc, type, args, locs, n_args, hint);
  const hv_cell *cell = hv_find(in->scope, type->name);
  if (is_class_value(cell) && cell->value.node->kind == CX_ENUM)
    return n_args > 0 ? args[0] : hv_int(PM_I32, 0);
  if (is_class_value(cell)) {
    if (n_args == 1 && args[0].kind == HV_OBJECT) return hv_copy(in, args[0]);
    return h_new_object(in, loc, cell->value.node, type, args, locs, n_args, is_braced);
  }
  return make_one(&m);
}
