/* Members of what Halide and C++ bring. */
#include "frontends/halide/schedule.h"

#include <stdlib.h>
#include <string.h>

typedef hv (*method)(const h_call *call);

typedef struct method_row {
  const char *name;
  method call;
} method_row;

static bool is_named(const h_call *c, const char *name) {
  return strcmp(c->name->text, name) == 0;
}

static hv text_of(const h_call *c, pm_string text) {
  return hv_text(c->in->ctx, text->text, text->len);
}

static hv self_of(const h_call *c) {
  return c->self;
}

static bool needs(const h_call *c, unsigned n) {
  if (c->n_args == n) return true;
  h_fail(c->in, c->loc, "%s has %u %s, it should have %u", c->name->text, c->n_args,
         c->n_args == 1 ? "argument" : "arguments", n);
  return false;
}

static hv ignored(const h_call *c) {
  return c->self;
}

static hv host_int(int64_t i) {
  return hv_int(PM_I32, i);
}

static hv type_value(pm_scalar type) {
  return (hv){.kind = HV_TYPE, .scalar = (uint8_t)type};
}

/* --- estimates and bounds --- */

static void estimate_extent(const h_call *c, h_symbol *s, unsigned d, pm_loc loc, hv extent) {
  int64_t n;
  if (extent.kind == HV_PARAM || (extent.kind == HV_EXPR && extent.expr && extent.expr->op != HX_INT)) return;
  if (!h_to_int(c->in, loc, extent, &n, "the estimate")) return;
  h_extent(&c->in->program, c->loc, s, d);
  s->extents[d]->has_estimate = true;
  s->extents[d]->estimate = n;
}

static bool has_extents(const h_symbol *s) {
  return s->kind == H_BUFFER || (s->kind == H_FUNC && s->is_output && s->is_declared);
}

/* set_estimates({{min, extent}, …}) */
static hv set_estimates(const h_call *c) {
  if (!needs(c, 1) || !has_extents(c->self.symbol) || c->args[0].kind != HV_LIST) return c->self;
  const hv_list *list = c->args[0].list;
  for (uint32_t d = 0; d < list->items.len && d < c->self.symbol->n_dims; d++) {
    hv pair = list->items.data[d]->value;
    if (pair.kind == HV_LIST && pair.list->items.len == 2)
      estimate_extent(c, c->self.symbol, d, c->locs[0], pair.list->items.data[1]->value);
  }
  return c->self;
}

/* The dimension of an output that a Var is; n_dims: none. */
static unsigned dim_of_var(const h_symbol *s, hv var) {
  unsigned d = 0;
  while (d < s->n_dims && !(s->is_defined && var.kind == HV_VAR && s->pure.args[d]->var == var.var)) d++;
  return d;
}

/* set_estimate(var, min, extent) */
static hv func_set_estimate(const h_call *c) {
  h_symbol *s = c->self.symbol;
  unsigned d = c->n_args == 3 ? dim_of_var(s, c->args[0]) : s->n_dims;
  if (d < s->n_dims && has_extents(s)) estimate_extent(c, s, d, c->locs[2], c->args[2]);
  return c->self;
}

/* They hold in every call where the symbol is a buffer or becomes an output (lower.c). */
static void set_bound(const h_call *c, h_symbol *s, unsigned d, hv low, hv extent) {
  int64_t n;
  hx *l = h_to_expr(c->in, c->loc, low), *e = l ? h_to_expr(c->in, c->loc, extent) : NULL;
  if (!e) return;
  if (hx_is_int(e, &n) && (n < 1 || n > INT32_MAX)) {
    h_fail(c->in, c->loc, "the extent is %lld, it should be 1 to %d", (long long)n, INT32_MAX);
    return;
  }
  s->bound_min[d] = l;
  s->bound[d] = e;
}

/* bound(var, min, extent): what the caller promises. */
static hv func_bound(const h_call *c) {
  h_symbol *s = c->self.symbol;
  unsigned d = c->n_args == 3 ? dim_of_var(s, c->args[0]) : s->n_dims;
  if (d < s->n_dims) set_bound(c, s, d, c->args[1], c->args[2]);
  return c->self;
}

/* --- Funcs --- */

static hv func_name(const h_call *c) {
  return text_of(c, c->self.symbol->name);
}

/* Those of a buffer have the names of `_`. */
static hv func_args(const h_call *c) {
  const h_symbol *s = c->self.symbol;
  hv list = hv_new_list(c->in, HV_LIST);
  if (!h_check_ready(c->in, c->loc, s)) return hv_poison;
  for (unsigned d = 0; d < s->n_dims; d++) {
    const h_var *var = s->is_defined ? s->pure.args[d]->var : h_implicit_var(&c->in->program, d);
    hv_append(c->in, list, (hv){.kind = HV_VAR, .var = var});
  }
  return list;
}

static hv func_values(const h_call *c) {
  const h_symbol *s = c->self.symbol;
  if (!s->is_defined && s->is_wrong) return hv_poison;
  if (!s->is_defined) return h_fail(c->in, c->loc, "%s is not defined yet", s->name->text);
  if (is_named(c, "value")) return hv_expr(s->pure.values[0]);
  hv tuple = hv_new_list(c->in, HV_TUPLE);
  for (unsigned i = 0; i < s->n_elements; i++) hv_append(c->in, tuple, hv_expr(s->pure.values[i]));
  return tuple;
}

static hv func_defined(const h_call *c) {
  return hv_bool(c->self.symbol->kind != H_FUNC || c->self.symbol->is_defined);
}

static hv func_dimensions(const h_call *c) {
  return h_check_ready(c->in, c->loc, c->self.symbol) ? host_int(c->self.symbol->n_dims) : hv_poison;
}

static hv func_type(const h_call *c) {
  const h_symbol *s = c->self.symbol;
  return h_check_ready(c->in, c->loc, s) ? type_value((pm_scalar)s->types[0]) : hv_poison;
}

static hv func_types(const h_call *c) {
  const h_symbol *s = c->self.symbol;
  hv list = hv_new_list(c->in, HV_LIST);
  if (!h_check_ready(c->in, c->loc, s)) return hv_poison;
  for (unsigned i = 0; i < s->n_elements; i++) hv_append(c->in, list, type_value((pm_scalar)s->types[i]));
  return list;
}

static hv func_outputs(const h_call *c) {
  return host_int(c->self.symbol->n_elements);
}

static hv func_update(const h_call *c) {
  int64_t i = 0;
  if (c->n_args > 0 && !h_to_int(c->in, c->locs[0], c->args[0], &i, "the number of the update"))
    return hv_poison;
  if (c->self.symbol->is_wrong) return hv_poison;
  if (i < 0 || i >= (int64_t)c->self.symbol->updates.len)
    return h_fail(c->in, c->loc, "%s has %u updates, number %lld is asked for", c->self.symbol->name->text,
                  c->self.symbol->updates.len, (long long)i);
  return (hv){.kind = HV_STAGE, .symbol = c->self.symbol, .number = (uint32_t)i + 1};
}

static hv func_n_updates(const h_call *c) {
  uint32_t n = c->self.symbol->updates.len;
  return is_named(c, "has_update_definitions") ? hv_bool(n > 0) : host_int(n);
}

/* rename(old, new): a loop that directives have made, under another name. */
static hv func_rename(const h_call *c) {
  struct h_schedule *schedule = c->self.symbol->schedule;
  if (!needs(c, 2)) return hv_poison;
  for (unsigned i = 0; i < 2; i++)
    if (c->args[i].kind != HV_VAR)
      return h_fail(c->in, c->locs[i], "this is %s, a Var should be here", hv_describe(c->args[i]));
  if (c->in->options->no_schedule) return c->self;
  for (uint32_t i = 0; schedule && i < schedule->pure.loops.len; i++) {
    h_loop *loop = &schedule->pure.loops.data[i];
    if (loop->var != c->args[0].var) continue;
    loop->var = c->args[1].var;
    return c->self;
  }
  return h_fail(c->in, c->locs[0], "%s is no loop of %s that a directive has made",
                c->args[0].var->name->text, c->self.symbol->name->text);
}

static hv func_realize(const h_call *c) {
  return h_fail(c->in, c->loc, "%s is for a program that runs; output(%s) says what this one computes",
                c->name->text, c->self.symbol->name->text);
}

static hv extern_stage(const h_call *c) {
  return h_fail(c->in, c->loc, "extern stages are not supported");
}

/* --- dimensions of buffers and outputs --- */

static hv dim_at(const h_call *c, h_symbol *s, int64_t d) {
  if (!h_check_ready(c->in, c->loc, s)) return hv_poison;
  if (d < 0 || d >= (int64_t)s->n_dims)
    return h_fail(c->in, c->loc, "%s has %u dimensions, number %lld is asked for", s->name->text, s->n_dims,
                  (long long)d);
  if (s->kind == H_FUNC && !s->is_output)
    return h_fail(c->in, c->loc, "%s is neither an input nor an output, it has no extents", s->name->text);
  return (hv){.kind = HV_DIM, .symbol = s, .number = (uint32_t)d};
}

static hv buffer_dim(const h_call *c) {
  int64_t d;
  if (!needs(c, 1) || !h_to_int(c->in, c->locs[0], c->args[0], &d, "the number of a dimension"))
    return hv_poison;
  return dim_at(c, c->self.symbol, d);
}

static hv extent_of(const h_call *c, hv dim) {
  return dim.kind == HV_DIM ? hv_expr(h_extent(&c->in->program, c->loc, dim.symbol, dim.number)) : hv_poison;
}

static hv last_of(const h_call *c, hv dim) {
  hv extent = extent_of(c, dim);
  return h_binary(c->in, c->loc, CX_OP_SUB, extent, host_int(1));
}

/* width(), height(), channels() */
static hv buffer_extent(const h_call *c) {
  int64_t d = is_named(c, "width") ? 0 : is_named(c, "height") ? 1 : 2;
  if (is_named(c, "extent") &&
      (!needs(c, 1) || !h_to_int(c->in, c->locs[0], c->args[0], &d, "the number of a dimension")))
    return hv_poison;
  return extent_of(c, dim_at(c, c->self.symbol, d));
}

static hv buffer_side(const h_call *c) {
  bool along_x = is_named(c, "left") || is_named(c, "right");
  hv dim = dim_at(c, c->self.symbol, along_x ? 0 : 1);
  if (dim.kind == HV_POISON) return dim;
  if (is_named(c, "left") || is_named(c, "top")) return hv_expr(hx_int(&c->in->program, c->loc, PM_I32, 0));
  return last_of(c, dim);
}

static hv dim_stride(const h_call *c);

static hv buffer_stride(const h_call *c) {
  h_call of_dim = *c;
  of_dim.self = buffer_dim(c);
  return of_dim.self.kind == HV_DIM ? dim_stride(&of_dim) : hv_poison;
}

static hv dim_value(const h_call *c) {
  if (is_named(c, "extent")) return extent_of(c, c->self);
  if (is_named(c, "max")) return last_of(c, c->self);
  return hv_expr(hx_int(&c->in->program, c->loc, PM_I32, 0));
}

static hv dim_set_bounds(const h_call *c) {
  if (needs(c, 2)) set_bound(c, c->self.symbol, c->self.number, c->args[0], c->args[1]);
  return c->self;
}

static hv dim_set_extent(const h_call *c) {
  if (needs(c, 1)) set_bound(c, c->self.symbol, c->self.number, host_int(0), c->args[0]);
  return c->self;
}

static hv dim_set_min(const h_call *c) {
  int64_t n;
  if (!needs(c, 1) || !h_to_int(c->in, c->locs[0], c->args[0], &n, "the min")) return hv_poison;
  return n == 0 ? c->self
                : h_fail(c->in, c->loc, "the min is %lld, dimensions of buffers begin at 0", (long long)n);
}

/* Arrays are dense: x has the stride 1. */
static hv dim_stride(const h_call *c) {
  hv stride = host_int(1);
  for (unsigned d = 0; d < c->self.number && stride.kind != HV_POISON; d++)
    stride = h_binary(c->in, c->loc, CX_OP_MUL, stride,
                      extent_of(c, (hv){.kind = HV_DIM, .symbol = c->self.symbol, .number = d}));
  return stride.kind == HV_INT ? hv_expr(hx_int(&c->in->program, c->loc, PM_I32, stride.i)) : stride;
}

static hv dim_set_estimate(const h_call *c) {
  if (needs(c, 2)) estimate_extent(c, c->self.symbol, c->self.number, c->locs[1], c->args[1]);
  return c->self;
}

/* --- parameters --- */

static hv param_set_estimate(const h_call *c) {
  h_symbol *s = c->self.symbol;
  if (!needs(c, 1) || !hv_is_number(c->args[0])) return c->self;
  s->has_estimate = c->args[0].kind == HV_INT;
  s->estimate = c->args[0].i;
  return c->self;
}

static hv param_set_range(const h_call *c) {
  h_symbol *s = c->self.symbol;
  bool low = !is_named(c, "set_max_value"), high = !is_named(c, "set_min_value");
  if (!needs(c, (unsigned)low + (unsigned)high)) return hv_poison;
  for (unsigned i = 0; i < c->n_args; i++) {
    if (!hv_is_number(c->args[i]))
      return h_fail(c->in, c->locs[i], "this is %s, a number should be here", hv_describe(c->args[i]));
    double value = c->args[i].kind == HV_INT ? (double)c->args[i].i : c->args[i].f;
    if (low && i == 0)
      s->has_low = true, s->low = value;
    else
      s->has_high = true, s->high = value;
  }
  return c->self;
}

/* set_type(type), set_dimensions(n): of ports that leave it open. */
static hv port_set_shape(const h_call *c) {
  h_symbol *s = c->self.symbol;
  pm_scalar type;
  int64_t n;
  if (!needs(c, 1)) return hv_poison;
  if (is_named(c, "set_type")) {
    if (!h_to_type(c->in, c->locs[0], c->args[0], &type)) return hv_poison;
    s->types[0] = (uint8_t)type;
    s->has_types = true;
  } else {
    if (!h_to_int(c->in, c->locs[0], c->args[0], &n, "the number of dimensions")) return hv_poison;
    if (n < 0 || n > HX_MAX_DIMS)
      return h_fail(c->in, c->locs[0], "the number of dimensions is %lld, it should be 0 to %d", (long long)n,
                    HX_MAX_DIMS);
    s->n_dims = (unsigned)n;
    s->has_rank = true;
  }
  s->is_declared = s->has_types && s->has_rank;
  return c->self;
}

/* --- Exprs, types, RDoms, Vars --- */

static hv expr_type(const h_call *c) {
  hx *e = h_to_expr(c->in, c->loc, c->self);
  return e ? type_value((pm_scalar)e->type) : hv_poison;
}

static hv expr_defined(const h_call *c) {
  return hv_bool(c->self.kind != HV_EXPR || c->self.expr);
}

static hv var_name(const h_call *c) {
  return text_of(c, c->self.var->name);
}

static hv type_bits(const h_call *c) {
  unsigned bits = c->self.number == HV_NO_BITS ? 0 : hx_bits((pm_scalar)c->self.scalar);
  return host_int(is_named(c, "bytes") ? (bits + 7) / 8 : bits);
}

static hv type_is(const h_call *c) {
  pm_scalar type = (pm_scalar)c->self.scalar;
  bool is_float = hx_is_float_type(type), is_unsigned = hx_is_unsigned_type(type);
  if (is_named(c, "is_float")) return hv_bool(is_float);
  if (is_named(c, "is_bool")) return hv_bool(type == PM_I1);
  if (is_named(c, "is_uint")) return hv_bool(is_unsigned);
  if (is_named(c, "is_int")) return hv_bool(!is_float && !is_unsigned);
  return hv_bool(!is_float);
}

static hv type_with_bits(const h_call *c) {
  pm_scalar type = (pm_scalar)c->self.scalar;
  int64_t bits = hx_bits(type);
  if (is_named(c, "widen"))
    bits *= 2;
  else if (is_named(c, "narrow"))
    bits /= 2;
  else if (!needs(c, 1) || !h_to_int(c->in, c->locs[0], c->args[0], &bits, "the number of bits"))
    return hv_poison;
  bool is_float = hx_is_float_type(type);
  if (is_float ? bits != 32 && bits != 64 : bits != 1 && bits != 8 && bits != 16 && bits != 32 && bits != 64)
    return h_fail(c->in, c->loc, "there is no type like %s of %lld bits", hx_type_name(type),
                  (long long)bits);
  if (is_float) return type_value(bits == 32 ? PM_F32 : PM_F64);
  return type_value(hx_integer((unsigned)bits, !hx_is_unsigned_type(type)));
}

static hv type_with_code(const h_call *c) {
  pm_scalar type = (pm_scalar)c->self.scalar;
  if (!needs(c, 1)) return hv_poison;
  const char *code = c->args[0].kind == HV_WORD ? c->args[0].text->text : "";
  bool is_float = strcmp(code, "Type::Float") == 0 || strcmp(code, "halide_type_float") == 0,
       is_int = strcmp(code, "Type::Int") == 0 || strcmp(code, "halide_type_int") == 0;
  if (!is_float && !is_int && strcmp(code, "Type::UInt") != 0 && strcmp(code, "halide_type_uint") != 0)
    return h_fail(c->in, c->locs[0], "Type::Int, Type::UInt or Type::Float should be here");
  if (!is_float) return type_value(hx_integer(hx_bits(type), is_int));
  if (hx_bits(type) == 32 || hx_bits(type) == 64) return type_value(hx_bits(type) == 32 ? PM_F32 : PM_F64);
  return h_fail(c->in, c->loc, "there is no float of %u bits here", hx_bits(type));
}

static hv type_extreme(const h_call *c) {
  pm_scalar type = (pm_scalar)c->self.scalar;
  h_program *p = &c->in->program;
  return hv_expr(is_named(c, "max") ? hx_greatest(p, c->loc, type) : hx_least(p, c->loc, type));
}

static hv rdom_where(const h_call *c) {
  if (!needs(c, 1)) return hv_poison;
  if (!c->self.rdom) return h_fail(c->in, c->loc, "the RDom is not defined");
  hx *e = h_to_expr(c->in, c->locs[0], c->args[0]);
  if (!e) return hv_poison;
  if (e->type != PM_I1)
    return h_fail(c->in, c->locs[0], "the predicate has type %s, it should be a bool",
                  hx_type_name((pm_scalar)e->type));
  H_PUSH(c->in->arena, c->self.rdom->predicates, e);
  return hv_void;
}

static hv rdom_dimensions(const h_call *c) {
  return host_int(c->self.rdom ? c->self.rdom->n_dims : 0);
}

static hv rdom_defined(const h_call *c) {
  return hv_bool(c->self.rdom != NULL);
}

static hv rvar_bound(const h_call *c) {
  const h_rdom *r = c->self.var->rdom;
  if (!r) return h_fail(c->in, c->loc, "a Var has no %s", c->name->text);
  return hv_expr(is_named(c, "min") ? r->min[c->self.var->dim] : r->extent[c->self.var->dim]);
}

/* --- containers --- */

static hv list_size(const h_call *c) {
  uint32_t n = c->self.list->items.len;
  return is_named(c, "empty") ? hv_bool(n == 0) : hv_int(PM_U64, n);
}

/* What emplace_back makes of its arguments. */
static hv new_item(const h_call *c) {
  const cx_node *of = c->self.list->of;
  if (!of || !is_named(c, "emplace_back"))
    return needs(c, 1) ? h_convert(c->in, c->locs[0], of, hv_copy(c->in, c->args[0])) : hv_poison;
  return h_construct(c->in, c->loc, of, c->args, c->locs, c->n_args, false, NULL);
}

static hv list_push(const h_call *c) {
  if (c->self.list->items.len >= H_MAX_ITEMS)
    return h_fail(c->in, c->loc, "the list has %d items, it should not grow further", H_MAX_ITEMS);
  hv item = new_item(c);
  if (item.kind == HV_POISON) return item;
  hv_append(c->in, c->self, item);
  c->self.list->items.data[c->self.list->items.len - 1]->type = c->self.list->of;
  return hv_void;
}

static hv list_pop(const h_call *c) {
  if (c->self.list->items.len == 0) return h_fail(c->in, c->loc, "the list has no items");
  c->self.list->items.len--;
  return hv_void;
}

static hv list_clear(const h_call *c) {
  c->self.list->items.len = 0;
  return hv_void;
}

static hv list_end(const h_call *c) {
  uint32_t n = c->self.list->items.len;
  if (n == 0) return h_fail(c->in, c->loc, "the list has no items");
  return c->self.list->items.data[is_named(c, "back") ? n - 1 : 0]->value;
}

static hv list_at(const h_call *c) {
  int64_t i;
  if (!needs(c, 1) || !h_to_int(c->in, c->locs[0], c->args[0], &i, "the index")) return hv_poison;
  uint32_t n = c->self.list->items.len;
  if (i >= 0 && i < (int64_t)n) return c->self.list->items.data[i]->value;
  if (n == 0) return h_fail(c->in, c->loc, "the list has no items, number %lld is asked for", (long long)i);
  return h_fail(c->in, c->loc, "the index is %lld, it should be 0 to %u", (long long)i, n - 1);
}

static hv list_resize(const h_call *c) {
  int64_t n;
  if (c->n_args == 0 || !h_to_int(c->in, c->locs[0], c->args[0], &n, "the length")) return hv_poison;
  if (n < 0 || n > H_MAX_ITEMS)
    return h_fail(c->in, c->loc, "the length is %lld, it should be 0 to %d", (long long)n, H_MAX_ITEMS);
  if (n < (int64_t)c->self.list->items.len) c->self.list->items.len = (uint32_t)n;
  while ((int64_t)c->self.list->items.len < n && h_may_go_on(c->in, c->loc)) {
    hv item = c->n_args > 1 ? hv_copy(c->in, c->args[1]) : hv_void;
    if (c->self.list->port)
      item = h_new_port_item(c->in, c->self.list);
    else if (c->n_args == 1 && c->self.list->of)
      item = h_construct(c->in, c->loc, c->self.list->of, NULL, NULL, 0, false, NULL);
    hv_append(c->in, c->self, item);
    c->self.list->items.data[c->self.list->items.len - 1]->type = c->self.list->of;
  }
  return hv_void;
}

static hv as_list(const h_call *c) {
  hv copy = c->self;
  copy.kind = HV_LIST;
  return hv_copy(c->in, copy);
}

static hv map_at(const h_call *c) {
  if (!needs(c, 1)) return hv_poison;
  const hv_cell *cell = h_map_find(c->in, c->loc, c->self, c->args[0]);
  if (is_named(c, "count") || is_named(c, "contains")) return hv_int(PM_U64, cell != NULL);
  return cell ? cell->value : h_fail(c->in, c->loc, "the map has no such key");
}

static hv map_insert(const h_call *c) {
  hv pair = hv_new_list(c->in, HV_LIST);
  if (c->n_args == 1 && c->args[0].kind == HV_LIST && c->args[0].list->items.len == 2)
    pair = hv_copy(c->in, c->args[0]);
  for (unsigned i = 0; i < c->n_args && c->n_args == 2; i++)
    hv_append(c->in, pair, hv_copy(c->in, c->args[i]));
  if (pair.list->items.len != 2) return h_fail(c->in, c->loc, "a key and a value should be inserted");
  if (c->self.list->items.len >= H_MAX_ITEMS)
    return h_fail(c->in, c->loc, "the map has %d entries, it should not grow further", H_MAX_ITEMS);
  if (!h_map_find(c->in, c->loc, c->self, pair.list->items.data[0]->value)) hv_append(c->in, c->self, pair);
  return hv_void;
}

/* --- strings --- */

static hv text_size(const h_call *c) {
  return is_named(c, "empty") ? hv_bool(c->self.text->len == 0) : hv_int(PM_U64, (int64_t)c->self.text->len);
}

static hv text_substr(const h_call *c) {
  int64_t from = 0, n = (int64_t)c->self.text->len;
  if (c->n_args > 0 && !h_to_int(c->in, c->locs[0], c->args[0], &from, "the first character"))
    return hv_poison;
  if (c->n_args > 1 && !h_to_int(c->in, c->locs[1], c->args[1], &n, "the length")) return hv_poison;
  if (from < 0 || n < 0 || from > (int64_t)c->self.text->len)
    return h_fail(c->in, c->loc, "the string has %u characters, %lld is outside", (unsigned)c->self.text->len,
                  (long long)from);
  if (n > (int64_t)c->self.text->len - from) n = (int64_t)c->self.text->len - from;
  c->in->text_bytes += (size_t)n;
  return hv_text(c->in->ctx, c->self.text->text + from, (size_t)n);
}

static hv no_iterator(const h_call *c) {
  (void)c;
  return (hv){.kind = HV_IGNORED};
}

/* --- targets --- */

/* A function that is called with sizes asks for none. */
static bool has_feature(const h_call *c, hv feature) {
  if (feature.kind != HV_WORD) return false;
  if (strcmp(feature.text->text, "Target::OpenCL") == 0) return c->in->program.has_groups;
  return strcmp(feature.text->text, "Target::NoBoundsQuery") == 0;
}

/* All that are asked for, as words or a list of them, or one of them. */
static hv target_has(const h_call *c) {
  bool is_list = c->n_args > 0 && c->args[0].kind == HV_LIST, any = strstr(c->name->text, "any") != NULL;
  size_t n = is_list ? c->args[0].list->items.len : c->n_args > 0 ? 1 : 0, has = 0;
  for (size_t i = 0; i < n; i++)
    has += has_feature(c, is_list ? c->args[0].list->items.data[i]->value : c->args[0]);
  return hv_bool(any ? has > 0 : n > 0 && has == n);
}

static hv target_has_gpu(const h_call *c) {
  return hv_bool(c->in->program.has_groups);
}

static hv target_true(const h_call *c) {
  (void)c;
  return hv_bool(true);
}

static hv target_vector_size(const h_call *c) {
  bool found;
  return h_call_library(c, &found);
}

static hv target_word(const h_call *c) {
  const char *word = is_named(c, "arch") ? "Target::X86" : "Target::Linux";
  if (is_named(c, "bits")) return host_int(64);
  return (hv){.kind = HV_WORD, .text = pm_get_cstring(c->in->ctx, word)};
}

/* --- tables --- */

static const method_row func_rows[] = {{"name", func_name},
                                       {"args", func_args},
                                       {"value", func_values},
                                       {"values", func_values},
                                       {"defined", func_defined},
                                       {"dimensions", func_dimensions},
                                       {"type", func_type},
                                       {"types", func_types},
                                       {"output_type", func_type},
                                       {"output_types", func_types},
                                       {"outputs", func_outputs},
                                       {"update", func_update},
                                       {"num_update_definitions", func_n_updates},
                                       {"has_update_definitions", func_n_updates},
                                       {"rename", func_rename},
                                       {"realize", func_realize},
                                       {"compile_jit", func_realize},
                                       {"compile_to_lowered_stmt", func_realize},
                                       {"compile_to_static_library", func_realize},
                                       {"compile_to_file", func_realize},
                                       {"print_loop_nest", ignored},
                                       {"define_extern", extern_stage},
                                       {"dim", buffer_dim},
                                       {"width", buffer_extent},
                                       {"height", buffer_extent},
                                       {"channels", buffer_extent},
                                       {"extent", buffer_extent},
                                       {"left", buffer_side},
                                       {"right", buffer_side},
                                       {"top", buffer_side},
                                       {"bottom", buffer_side},
                                       {"set_estimate", func_set_estimate},
                                       {"set_estimates", set_estimates},
                                       {"bound", func_bound},
                                       {"add_trace_tag", ignored},
                                       {"stride", buffer_stride},
                                       {"fill", h_fill_table},
                                       {"set_type", port_set_shape},
                                       {"set_dimensions", port_set_shape},
                                       {NULL, NULL}};

static const method_row dim_rows[] = {{"extent", dim_value},
                                      {"min", dim_value},
                                      {"max", dim_value},
                                      {"set_bounds", dim_set_bounds},
                                      {"set_extent", dim_set_extent},
                                      {"set_min", dim_set_min},
                                      {"stride", dim_stride},
                                      {"set_stride", ignored},
                                      {"set_estimate", dim_set_estimate},
                                      {"set_bounds_estimate", dim_set_estimate},
                                      {"dim", buffer_dim},
                                      {NULL, NULL}};

static const method_row param_rows[] = {{"name", func_name},
                                        {"type", func_type},
                                        {"set_estimate", param_set_estimate},
                                        {"set_range", param_set_range},
                                        {"set_min_value", param_set_range},
                                        {"set_max_value", param_set_range},
                                        {"set", ignored},
                                        {NULL, NULL}};

static const method_row expr_rows[] = {{"type", expr_type},    {"defined", expr_defined},
                                       {"as_vector", ignored}, {"set_estimate", ignored},
                                       {"set_range", ignored}, {NULL, NULL}};

static const method_row var_rows[] = {
    {"name", var_name}, {"min", rvar_bound}, {"extent", rvar_bound}, {"type", expr_type}, {NULL, NULL}};

static const method_row type_rows[] = {
    {"bits", type_bits},         {"bytes", type_bits},          {"is_float", type_is},
    {"is_int", type_is},         {"is_uint", type_is},          {"is_bool", type_is},
    {"is_int_or_uint", type_is}, {"with_bits", type_with_bits}, {"with_code", type_with_code},
    {"widen", type_with_bits},   {"narrow", type_with_bits},    {"element_of", self_of},
    {"max", type_extreme},       {"min", type_extreme},         {NULL, NULL}};

static const method_row rdom_rows[] = {{"where", rdom_where},
                                       {"dimensions", rdom_dimensions},
                                       {"defined", rdom_defined},
                                       {"type", expr_type},
                                       {NULL, NULL}};

static const method_row list_rows[] = {{"size", list_size},
                                       {"empty", list_size},
                                       {"push_back", list_push},
                                       {"emplace_back", list_push},
                                       {"pop_back", list_pop},
                                       {"clear", list_clear},
                                       {"back", list_end},
                                       {"front", list_end},
                                       {"at", list_at},
                                       {"resize", list_resize},
                                       {"reserve", ignored},
                                       {"as_vector", as_list},
                                       {"begin", h_list_iterator},
                                       {"end", h_list_iterator},
                                       {"insert", h_list_insert},
                                       {NULL, NULL}};

static const method_row map_rows[] = {{"size", list_size},     {"empty", list_size}, {"at", map_at},
                                      {"count", map_at},       {"contains", map_at}, {"insert", map_insert},
                                      {"emplace", map_insert}, {NULL, NULL}};

static const method_row text_rows[] = {{"size", text_size},     {"length", text_size}, {"empty", text_size},
                                       {"substr", text_substr}, {"c_str", self_of},    {"begin", no_iterator},
                                       {"end", no_iterator},    {NULL, NULL}};

static const method_row target_rows[] = {{"has_gpu_feature", target_has_gpu},
                                         {"has_feature", target_has},
                                         {"features_any_of", target_has},
                                         {"features_all_of", target_has},
                                         {"has_large_buffers", target_has},
                                         {"supports_type", target_true},
                                         {"natural_vector_size", target_vector_size},
                                         {"arch", target_word},
                                         {"os", target_word},
                                         {"bits", target_word},
                                         {"with_feature", self_of},
                                         {"without_feature", self_of},
                                         {NULL, NULL}};

static const method_row object_rows[] = {{"apply", h_apply_generator}, {NULL, NULL}};
static const method_row level_rows[] = {{"set", h_set_level}, {NULL, NULL}};
static const method_row value_rows[] = {{"value", self_of}, {NULL, NULL}};

static const method_row *rows_of(hv_kind kind) {
  switch (kind) {
  case HV_FUNC:
  case HV_BUFFER:
    return func_rows;
  case HV_DIM:
    return dim_rows;
  case HV_PARAM:
    return param_rows;
  case HV_EXPR:
  case HV_REF:
    return expr_rows;
  case HV_VAR:
    return var_rows;
  case HV_TYPE:
    return type_rows;
  case HV_RDOM:
    return rdom_rows;
  case HV_LIST:
  case HV_TUPLE:
    return list_rows;
  case HV_MAP:
    return map_rows;
  case HV_STRING:
    return text_rows;
  case HV_TARGET:
    return target_rows;
  case HV_LEVEL:
    return level_rows;
  case HV_OBJECT:
    return object_rows;
  default:
    return value_rows;
  }
}

static bool has_directives(hv_kind kind) {
  return kind == HV_FUNC || kind == HV_BUFFER || kind == HV_STAGE;
}

hv h_call_method(const h_call *call, bool *found) {
  *found = true;
  for (const method_row *row = rows_of(call->self.kind); row->name; row++)
    if (strcmp(row->name, call->name->text) == 0) return row->call(call);
  if (has_directives(call->self.kind)) return h_direct(call, found);
  *found = false;
  return hv_poison;
}

typedef struct nearest {
  pm_string name;
  const char *best;
  unsigned distance;
} nearest;

static void look_at(nearest *n, const char *name) {
  unsigned d = pm_edit_distance((pm_str){n->name->text, n->name->len}, pm_str_of(name), n->distance);
  if (d == 0 || d >= n->distance) return;
  n->distance = d;
  n->best = name;
}

const char *h_nearest_method(hv self, pm_string name) {
  nearest n = {.name = name, .distance = h_max_edits(name) + 1};
  for (const method_row *row = rows_of(self.kind); row->name; row++) look_at(&n, row->name);
  if (!n.best && has_directives(self.kind)) n.best = h_nearest_directive(name);
  return n.best;
}

/* --- words --- */

static bool begins(const char *text, const char *with) {
  return strncmp(text, with, strlen(with)) == 0;
}

bool h_find_word(h_interp *in, pm_string name, hv *out) {
  static const char *const enums[] = {
      "TailStrategy::", "LoopAlignStrategy::", "Target::",    "MemoryType::",   "PrefetchBoundStrategy::",
      "Type::",         "Partition::",         "DeviceAPI::", "NameMangling::", "halide_type_"};
  static const char *const ignored_names[] = {"cout", "cerr", "endl", "stdout", "stderr"};
  const char *text = name->text;
  for (size_t i = 0; i < PM_COUNT(enums); i++)
    if (begins(text, enums[i])) {
      *out = (hv){.kind = HV_WORD, .text = name};
      return true;
    }
  for (size_t i = 0; i < PM_COUNT(ignored_names); i++)
    if (strcmp(text, ignored_names[i]) == 0) {
      *out = (hv){.kind = HV_IGNORED};
      return true;
    }
  if (text[0] == '_' && (!text[1] || (text[1] >= '0' && text[1] <= '9' && !text[2]))) {
    *out = (hv){.kind = HV_VAR, .var = h_get_var(&in->program, name)};
    return true;
  }
  if (strcmp(text, "target") == 0) { /* of generators */
    *out = (hv){.kind = HV_TARGET};
    return true;
  }
  if (strcmp(text, "M_PI") == 0) {
    *out = hv_float(PM_F64, 3.14159265358979323846);
    return true;
  }
  return false;
}
