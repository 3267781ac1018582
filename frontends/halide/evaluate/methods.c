/* Members of the classes that Halide brings. */
#include "frontends/halide/evaluate/evaluate.h"
#include "frontends/halide/program/schedule.h"

#include <string.h>

static bool is_named(const cx_call *c, const char *name) {
  return strcmp(c->name->text, name) == 0;
}

static cv text_of(const cx_call *c, pm_string text) {
  return cv_text(c->in->ctx, text->text, text->len);
}

static cv self_of(const cx_call *c) {
  return c->self;
}

static cv ignored(const cx_call *c) {
  return c->self;
}

static cv host_int(int64_t i) {
  return cv_int(PM_I32, i);
}

/* --- estimates and bounds --- */

static void estimate_extent(const cx_call *c, h_symbol *s, unsigned d, pm_loc loc, cv extent) {
  int64_t n;
  if (extent.kind == HV_PARAM ||
      (extent.kind == HV_EXPR && h_expr_of(extent) && h_expr_of(extent)->op != HX_INT))
    return;
  if (!cx_to_int(c->in, loc, extent, &n, "the estimate")) return;
  h_extent(h_program_of(c->in), c->loc, s, d);
  s->extents[d]->has_estimate = true;
  s->extents[d]->estimate = n;
}

static bool has_extents(const h_symbol *s) {
  return s->kind == H_BUFFER || (s->kind == H_FUNC && s->is_output && s->is_declared);
}

/* set_estimates({{min, extent}, …}) */
static cv set_estimates(const cx_call *c) {
  if (!cx_takes(c, 1, 1) || !has_extents(h_symbol_of(c->self)) || c->args[0].kind != CV_LIST) return c->self;
  const cx_list *list = c->args[0].list;
  for (uint32_t d = 0; d < list->items.len && d < h_symbol_of(c->self)->n_dims; d++) {
    cv pair = list->items.data[d]->value;
    if (pair.kind == CV_LIST && pair.list->items.len == 2)
      estimate_extent(c, h_symbol_of(c->self), d, c->locs[0], pair.list->items.data[1]->value);
  }
  return c->self;
}

/* The dimension of an output that a Var is; n_dims: none. */
static unsigned dim_of_var(const h_symbol *s, cv var) {
  unsigned d = 0;
  while (d < s->n_dims && !(s->is_defined && var.kind == HV_VAR && s->pure.args[d]->var == h_var_of(var)))
    d++;
  return d;
}

/* set_estimate(var, min, extent) */
static cv func_set_estimate(const cx_call *c) {
  h_symbol *s = h_symbol_of(c->self);
  unsigned d = c->n_args == 3 ? dim_of_var(s, c->args[0]) : s->n_dims;
  if (d < s->n_dims && has_extents(s)) estimate_extent(c, s, d, c->locs[2], c->args[2]);
  return c->self;
}

/* They hold in every call where the symbol is a buffer or becomes an output (lower.c). */
static void set_bound(const cx_call *c, h_symbol *s, unsigned d, cv low, cv extent) {
  int64_t n;
  hx *l = h_to_expr(c->in, c->loc, low), *e = l ? h_to_expr(c->in, c->loc, extent) : NULL;
  if (!e) return;
  if (hx_is_int(e, &n) && (n < 1 || n > INT32_MAX)) {
    cx_fail(c->in, c->loc, "the extent is %lld, it should be 1 to %d", (long long)n, INT32_MAX);
    return;
  }
  s->bound_min[d] = l;
  s->bound[d] = e;
}

/* bound(var, min, extent): what the caller promises. */
static cv func_bound(const cx_call *c) {
  h_symbol *s = h_symbol_of(c->self);
  unsigned d = c->n_args == 3 ? dim_of_var(s, c->args[0]) : s->n_dims;
  if (d < s->n_dims) set_bound(c, s, d, c->args[1], c->args[2]);
  return c->self;
}

/* --- Funcs --- */

static cv func_name(const cx_call *c) {
  return text_of(c, h_symbol_of(c->self)->name);
}

/* Those of a buffer have the names of `_`. */
static cv func_args(const cx_call *c) {
  const h_symbol *s = h_symbol_of(c->self);
  cv list = cx_new_list(c->in, CV_LIST);
  if (!h_check_ready(c->in, c->loc, s)) return cv_poison;
  for (unsigned d = 0; d < s->n_dims; d++) {
    const h_var *var = s->is_defined ? s->pure.args[d]->var : h_implicit_var(h_program_of(c->in), d);
    cx_append(c->in, list, hv_var(var));
  }
  return list;
}

/* The value of a buffer at _0, _1 … */
static cv buffer_value(const cx_call *c) {
  h_symbol *s = h_symbol_of(c->self);
  h_ref ref = {.symbol = s, .loc = c->loc, .placeholder = 0};
  return hv_expr_or_poison(h_read(c->in, c->loc, &ref, 0));
}

static cv func_values(const cx_call *c) {
  const h_symbol *s = h_symbol_of(c->self);
  if (s->kind == H_BUFFER && is_named(c, "value")) return buffer_value(c);
  if (!s->is_defined && s->is_wrong) return cv_poison;
  if (!s->is_defined) return cx_fail(c->in, c->loc, "%s is not defined yet", s->name->text);
  if (is_named(c, "value")) return hv_expr(s->pure.values[0]);
  cv tuple = cx_new_list(c->in, HV_TUPLE);
  for (unsigned i = 0; i < s->n_elements; i++) cx_append(c->in, tuple, hv_expr(s->pure.values[i]));
  return tuple;
}

static cv func_defined(const cx_call *c) {
  return cv_bool(h_symbol_of(c->self)->kind != H_FUNC || h_symbol_of(c->self)->is_defined);
}

static cv func_dimensions(const cx_call *c) {
  return h_check_ready(c->in, c->loc, h_symbol_of(c->self)) ? host_int(h_symbol_of(c->self)->n_dims)
                                                            : cv_poison;
}

static cv func_type(const cx_call *c) {
  const h_symbol *s = h_symbol_of(c->self);
  return h_check_ready(c->in, c->loc, s) ? hv_type((pm_scalar)s->types[0]) : cv_poison;
}

static cv func_types(const cx_call *c) {
  const h_symbol *s = h_symbol_of(c->self);
  cv list = cx_new_list(c->in, CV_LIST);
  if (!h_check_ready(c->in, c->loc, s)) return cv_poison;
  for (unsigned i = 0; i < s->n_elements; i++) cx_append(c->in, list, hv_type((pm_scalar)s->types[i]));
  return list;
}

static cv func_outputs(const cx_call *c) {
  return host_int(h_symbol_of(c->self)->n_elements);
}

static cv func_update(const cx_call *c) {
  int64_t i = 0;
  if (c->n_args > 0 && !cx_to_int(c->in, c->locs[0], c->args[0], &i, "the number of the update"))
    return cv_poison;
  if (h_symbol_of(c->self)->is_wrong) return cv_poison;
  if (i < 0 || i >= (int64_t)h_symbol_of(c->self)->updates.len)
    return cx_fail(c->in, c->loc, "%s has %u updates, number %lld is asked for",
                   h_symbol_of(c->self)->name->text, h_symbol_of(c->self)->updates.len, (long long)i);
  return (cv){.kind = HV_STAGE, .own = h_symbol_of(c->self), .number = (uint32_t)i + 1};
}

/* update_value(i), update_values(i), update_args(i) */
static cv func_update_parts(const cx_call *c) {
  cv stage = func_update(c);
  if (stage.kind == CV_POISON) return stage;
  const h_symbol *s = h_symbol_of(stage);
  const h_definition *d = &s->updates.data[stage.number - 1];
  if (is_named(c, "update_value")) return hv_expr(d->values[0]);
  bool is_args = is_named(c, "update_args");
  cv list = cx_new_list(c->in, is_args ? CV_LIST : HV_TUPLE);
  for (unsigned i = 0; i < (is_args ? s->n_dims : s->n_elements); i++)
    cx_append(c->in, list, hv_expr(is_args ? d->args[i] : d->values[i]));
  return list;
}

/* rvars(), rvars(i): of update i. */
static cv func_rvars(const cx_call *c) {
  cv list = cx_new_list(c->in, CV_LIST), stage = func_update(c);
  if (stage.kind == CV_POISON) return stage;
  const h_rdom *r = h_symbol_of(stage)->updates.data[stage.number - 1].rdom;
  for (unsigned i = 0; r && i < r->n_dims; i++) cx_append(c->in, list, hv_var(&r->vars[i]));
  return list;
}

static cv func_n_updates(const cx_call *c) {
  uint32_t n = h_symbol_of(c->self)->updates.len;
  return is_named(c, "has_update_definitions") ? cv_bool(n > 0) : host_int(n);
}

/* rename(old, new): a loop that directives have made, under another name. */
static cv func_rename(const cx_call *c) {
  struct h_schedule *schedule = h_symbol_of(c->self)->schedule;
  if (!cx_takes(c, 2, 2)) return cv_poison;
  for (unsigned i = 0; i < 2; i++)
    if (c->args[i].kind != HV_VAR)
      return cx_fail(c->in, c->locs[i], "this is %s, a Var should be here", cv_describe(c->in, c->args[i]));
  if (h_state_of(c->in)->options->no_schedule) return c->self;
  for (uint32_t i = 0; schedule && i < schedule->pure.loops.len; i++) {
    h_loop *loop = &schedule->pure.loops.data[i];
    if (loop->var != h_var_of(c->args[0])) continue;
    loop->var = h_var_of(c->args[1]);
    return c->self;
  }
  return cx_fail(c->in, c->locs[0], "%s is no loop of %s that a directive has made",
                 h_var_of(c->args[0])->name->text, h_symbol_of(c->self)->name->text);
}

static cv func_realize(const cx_call *c) {
  return cx_fail(c->in, c->loc, "%s is for a program that runs; output(%s) says what this one computes",
                 c->name->text, h_symbol_of(c->self)->name->text);
}

static cv pipeline_run(const cx_call *c) {
  return cx_fail(c->in, c->loc, "%s is for a program that runs; output(…) says what this one computes",
                 c->name->text);
}

/* get_func(i), which schedules are about that an autoscheduler has written. */
static cv pipeline_func(const cx_call *c) {
  pm_remark(c->in->ctx, c->loc, PM_REMARK_MISSED, "halide", NULL, 0,
            "%s is not followed, nor what is said of its Func: Funcs have no numbers here", c->name->text);
  return (cv){.kind = CV_IGNORED};
}

static cv pipeline_ask(const cx_call *c) {
  pm_remark(c->in->ctx, c->loc, PM_REMARK_MISSED, "halide", NULL, 0,
            "%s is not followed: the optimizer decides the schedule by itself", c->name->text);
  return c->self;
}

static cv extern_stage(const cx_call *c) {
  h_symbol_of(c->self)->is_wrong = true;
  return cx_fail(c->in, c->loc, "extern stages are not supported, %s is one",
                 h_symbol_of(c->self)->name->text);
}

/* --- dimensions of buffers and outputs --- */

static cv dim_at(const cx_call *c, h_symbol *s, int64_t d) {
  if (!h_check_ready(c->in, c->loc, s)) return cv_poison;
  if (d < 0 || d >= (int64_t)s->n_dims)
    return cx_fail(c->in, c->loc, "%s has %u dimensions, number %lld is asked for", s->name->text, s->n_dims,
                   (long long)d);
  if (s->kind == H_FUNC && !s->is_output)
    return cx_fail(c->in, c->loc, "%s is neither an input nor an output, it has no extents", s->name->text);
  return (cv){.kind = HV_DIM, .own = s, .number = (uint32_t)d};
}

static cv buffer_dim(const cx_call *c) {
  int64_t d;
  if (!cx_takes(c, 1, 1) || !cx_to_int(c->in, c->locs[0], c->args[0], &d, "the number of a dimension"))
    return cv_poison;
  return dim_at(c, h_symbol_of(c->self), d);
}

/* Of a Buffer whose elements the program gives it is a number of the host code. */
static cv extent_of(const cx_call *c, cv dim) {
  if (dim.kind == HV_DIM && h_symbol_of(dim)->table)
    return host_int(h_symbol_of(dim)->table->extents[dim.number]);
  return dim.kind == HV_DIM ? hv_expr(h_extent(h_program_of(c->in), c->loc, h_symbol_of(dim), dim.number))
                            : cv_poison;
}

static cv min_of(const cx_call *c, cv dim) {
  if (dim.kind != HV_DIM) return cv_poison;
  int64_t min = h_min(h_symbol_of(dim), dim.number);
  return h_symbol_of(dim)->table ? host_int(min) : hv_expr(hx_int(h_program_of(c->in), c->loc, PM_I32, min));
}

static cv last_of(const cx_call *c, cv dim) {
  cv end = extent_of(c, dim);
  int64_t min = dim.kind == HV_DIM ? h_min(h_symbol_of(dim), dim.number) : 0;
  if (min != 0) end = cx_binary(c->in, c->loc, CX_OP_ADD, end, host_int(min));
  return cx_binary(c->in, c->loc, CX_OP_SUB, end, host_int(1));
}

/* width(), height(), channels() */
static cv buffer_extent(const cx_call *c) {
  int64_t d = is_named(c, "width") ? 0 : is_named(c, "height") ? 1 : 2;
  return extent_of(c, dim_at(c, h_symbol_of(c->self), d));
}

/* extent(d), min(d), max(d) */
static cv buffer_bound(const cx_call *c) {
  cv dim = buffer_dim(c);
  if (is_named(c, "extent")) return extent_of(c, dim);
  if (dim.kind == CV_POISON) return dim;
  return is_named(c, "min") ? min_of(c, dim) : last_of(c, dim);
}

static cv buffer_size(const cx_call *c) {
  const h_symbol *s = h_symbol_of(c->self);
  return s->table ? cv_int(PM_U64, (int64_t)s->table->n)
                  : cx_fail(c->in, c->loc, "the number of elements of %s is not known here", s->name->text);
}

static cv buffer_side(const cx_call *c) {
  bool along_x = is_named(c, "left") || is_named(c, "right");
  cv dim = dim_at(c, h_symbol_of(c->self), along_x ? 0 : 1);
  if (dim.kind == CV_POISON) return dim;
  return is_named(c, "left") || is_named(c, "top") ? min_of(c, dim) : last_of(c, dim);
}

static cv dim_stride(const cx_call *c);

static cv buffer_stride(const cx_call *c) {
  cx_call of_dim = *c;
  of_dim.self = buffer_dim(c);
  return of_dim.self.kind == HV_DIM ? dim_stride(&of_dim) : cv_poison;
}

static cv dim_value(const cx_call *c) {
  if (is_named(c, "extent")) return extent_of(c, c->self);
  return is_named(c, "max") ? last_of(c, c->self) : min_of(c, c->self);
}

static cv dim_set_bounds(const cx_call *c) {
  if (cx_takes(c, 2, 2)) set_bound(c, h_symbol_of(c->self), c->self.number, c->args[0], c->args[1]);
  return c->self;
}

static cv dim_set_extent(const cx_call *c) {
  if (cx_takes(c, 1, 1)) set_bound(c, h_symbol_of(c->self), c->self.number, host_int(0), c->args[0]);
  return c->self;
}

static cv dim_set_min(const cx_call *c) {
  int64_t n;
  if (!cx_takes(c, 1, 1) || !cx_to_int(c->in, c->locs[0], c->args[0], &n, "the min")) return cv_poison;
  return n == 0 ? c->self
                : cx_fail(c->in, c->loc, "the min is %lld, dimensions of buffers begin at 0", (long long)n);
}

/* Arrays are dense: x has the stride 1. */
static cv dim_stride(const cx_call *c) {
  cv stride = host_int(1);
  for (unsigned d = 0; d < c->self.number && stride.kind != CV_POISON; d++)
    stride = cx_binary(c->in, c->loc, CX_OP_MUL, stride,
                       extent_of(c, (cv){.kind = HV_DIM, .own = h_symbol_of(c->self), .number = d}));
  bool is_host = h_symbol_of(c->self)->table != NULL;
  return stride.kind == CV_INT && !is_host ? hv_expr(hx_int(h_program_of(c->in), c->loc, PM_I32, stride.i))
                                           : stride;
}

/* --- what said it before there was dim(d): set_bounds(d, min, extent), set_extent(d, n), set_min(d, n) ---
 */

static cv buffer_set(const cx_call *c) {
  cx_call of_dim = *c;
  int64_t d;
  if (!cx_takes(c, 2, 3) || !cx_to_int(c->in, c->locs[0], c->args[0], &d, "the number of a dimension"))
    return cv_poison;
  of_dim.self = dim_at(c, h_symbol_of(c->self), d);
  of_dim.args++;
  of_dim.locs++;
  of_dim.n_args--;
  if (of_dim.self.kind == CV_POISON) return cv_poison;
  cv done = is_named(c, "set_bounds")   ? dim_set_bounds(&of_dim)
            : is_named(c, "set_extent") ? dim_set_extent(&of_dim)
            : is_named(c, "set_min")    ? dim_set_min(&of_dim)
                                        : of_dim.self;
  return done.kind == CV_POISON ? done : c->self;
}

static cv buffer_set_min(const cx_call *c) {
  return h_symbol_of(c->self)->table ? h_set_table_mins(c) : buffer_set(c);
}

/* image.set(buffer): what a program that runs reads. */
static cv image_set(const cx_call *c) {
  bool is_input = c->self.kind == HV_BUFFER && h_symbol_of(c->self)->is_input;
  return is_input ? cv_void : cx_fail(c->in, c->loc, "%s has no member 'set'", cv_describe(c->in, c->self));
}

static cv dim_set_estimate(const cx_call *c) {
  if (cx_takes(c, 2, 2)) estimate_extent(c, h_symbol_of(c->self), c->self.number, c->locs[1], c->args[1]);
  return c->self;
}

/* --- parameters --- */

static cv param_set_estimate(const cx_call *c) {
  h_symbol *s = h_symbol_of(c->self);
  if (!cx_takes(c, 1, 1) || !cv_is_number(c->args[0])) return c->self;
  s->has_estimate = c->args[0].kind == CV_INT;
  s->estimate = c->args[0].i;
  return c->self;
}

/* ports.set_estimate(i, value) */
static cv array_set_estimate(const cx_call *c) {
  cx_call of_one = *c;
  int64_t i;
  if (!cx_takes(c, 2, 2) || !cx_to_int(c->in, c->locs[0], c->args[0], &i, "the number of an input"))
    return cv_poison;
  const cx_list *list = c->self.list;
  if (i < 0 || i >= (int64_t)list->items.len)
    return cx_fail(c->in, c->loc, "there is no number %lld among %u inputs", (long long)i, list->items.len);
  if (list->items.data[i]->value.kind != HV_PARAM) return cv_void; /* another generator gave it */
  of_one.self = list->items.data[i]->value;
  of_one.args++;
  of_one.locs++;
  of_one.n_args = 1;
  return param_set_estimate(&of_one);
}

/* min_value(), max_value(): not defined where nothing is said. */
static cv param_bound(const cx_call *c) {
  const h_symbol *s = h_symbol_of(c->self);
  bool is_low = is_named(c, "min_value");
  double value = is_low ? s->low : s->high;
  pm_scalar type = (pm_scalar)s->types[0];
  if (!(is_low ? s->has_low : s->has_high)) return hv_expr(NULL);
  return hv_expr(cx_is_float(type) ? hx_float(h_program_of(c->in), c->loc, type, value)
                                   : hx_int(h_program_of(c->in), c->loc, type, (int64_t)value));
}

/* What a Param is before a call says it. */
static cv param_get(const cx_call *c) {
  const h_symbol *s = h_symbol_of(c->self);
  pm_scalar type = (pm_scalar)s->types[0];
  return cx_is_float(type) ? cv_float(type, s->initial) : cv_int(type, (int64_t)s->initial);
}

static cv param_set_range(const cx_call *c) {
  h_symbol *s = h_symbol_of(c->self);
  bool low = !is_named(c, "set_max_value"), high = !is_named(c, "set_min_value");
  unsigned n = (unsigned)low + high;
  if (!cx_takes(c, n, n)) return cv_poison;
  for (unsigned i = 0; i < c->n_args; i++) {
    if (!cv_is_number(c->args[i]))
      return cx_fail(c->in, c->locs[i], "this is %s, a number should be here",
                     cv_describe(c->in, c->args[i]));
    double value = c->args[i].kind == CV_INT ? (double)c->args[i].i : c->args[i].f;
    if (low && i == 0)
      s->has_low = true, s->low = value;
    else
      s->has_high = true, s->high = value;
  }
  return c->self;
}

/* A Type, or a list of them for values of several elements. */
static bool set_types(const cx_call *c, h_symbol *s) {
  bool is_list = c->args[0].kind == CV_LIST;
  uint32_t n = is_list ? c->args[0].list->items.len : 1;
  pm_scalar type;
  if (n == 0 || n > HX_MAX_ELEMENTS || (n > 1 && s->kind == H_BUFFER)) {
    cx_fail(c->in, c->locs[0], "%u types are here, 1%s should be", n, s->kind == H_BUFFER ? "" : " to 16");
    return false;
  }
  for (uint32_t i = 0; i < n; i++) {
    cv one = is_list ? c->args[0].list->items.data[i]->value : c->args[0];
    if (!h_to_type(c->in, c->locs[0], one, &type)) return false;
    s->types[i] = (uint8_t)type;
  }
  s->n_elements = n;
  return true;
}

/* set_type(type), set_type({types}), set_dimensions(n): of ports that leave it open. */
static cv port_set_shape(const cx_call *c) {
  h_symbol *s = h_symbol_of(c->self);
  int64_t n;
  if (!cx_takes(c, 1, 1)) return cv_poison;
  if (is_named(c, "set_type")) {
    if (!set_types(c, s)) return cv_poison;
    s->has_types = true;
  } else {
    if (!cx_to_int(c->in, c->locs[0], c->args[0], &n, "the number of dimensions")) return cv_poison;
    if (n < 0 || n > HX_MAX_DIMS)
      return cx_fail(c->in, c->locs[0], "the number of dimensions is %lld, it should be 0 to %d",
                     (long long)n, HX_MAX_DIMS);
    s->n_dims = (unsigned)n;
    s->has_rank = true;
  }
  s->is_declared = s->has_types && s->has_rank;
  return c->self;
}

/* --- Exprs, RDoms, Vars --- */

static cv expr_type(const cx_call *c) {
  hx *e = h_to_expr(c->in, c->loc, c->self);
  return e ? hv_type((pm_scalar)e->type) : cv_poison;
}

static cv expr_defined(const cx_call *c) {
  return cv_bool(c->self.kind != HV_EXPR || h_expr_of(c->self));
}

static cv var_name(const cx_call *c) {
  return text_of(c, h_var_of(c->self)->name);
}

static cv rdom_where(const cx_call *c) {
  if (!cx_takes(c, 1, 1)) return cv_poison;
  if (!h_rdom_of(c->self)) return cx_fail(c->in, c->loc, "the RDom is not defined");
  hx *e = h_to_expr(c->in, c->locs[0], c->args[0]);
  if (!e) return cv_poison;
  if (e->type != PM_I1)
    return cx_fail(c->in, c->locs[0], "the predicate has type %s, it should be a bool",
                   hx_type_name((pm_scalar)e->type));
  CX_PUSH(c->in->arena, h_rdom_of(c->self)->predicates, e);
  return cv_void;
}

static cv rdom_dimensions(const cx_call *c) {
  return host_int(h_rdom_of(c->self) ? h_rdom_of(c->self)->n_dims : 0);
}

static cv rdom_defined(const cx_call *c) {
  return cv_bool(h_rdom_of(c->self) != NULL);
}

static cv rvar_bound(const cx_call *c) {
  const h_rdom *r = h_var_of(c->self)->rdom;
  if (!r) return cx_fail(c->in, c->loc, "a Var has no %s", c->name->text);
  return hv_expr(is_named(c, "min") ? r->min[h_var_of(c->self)->dim] : r->extent[h_var_of(c->self)->dim]);
}

/* --- lists --- */

static cv list_as_vector(const cx_call *c) {
  cv copy = c->self;
  copy.kind = CV_LIST;
  return cx_copy(c->in, copy);
}

/* --- targets --- */

/* A function that is called with sizes asks for none. */
static bool has_feature(const cx_call *c, cv feature) {
  if (feature.kind != HV_WORD) return false;
  if (strcmp(feature.text->text, "Target::OpenCL") == 0) return h_program_of(c->in)->has_groups;
  return strcmp(feature.text->text, "Target::NoBoundsQuery") == 0;
}

/* All that are asked for, as words or a list of them, or one of them. */
static cv target_has(const cx_call *c) {
  bool is_list = c->n_args > 0 && c->args[0].kind == CV_LIST, any = strstr(c->name->text, "any") != NULL;
  size_t n = is_list ? c->args[0].list->items.len : c->n_args > 0 ? 1 : 0, has = 0;
  for (size_t i = 0; i < n; i++)
    has += has_feature(c, is_list ? c->args[0].list->items.data[i]->value : c->args[0]);
  return cv_bool(any ? has > 0 : n > 0 && has == n);
}

static cv target_has_gpu(const cx_call *c) {
  return cv_bool(h_program_of(c->in)->has_groups);
}

static cv target_true(const cx_call *c) {
  (void)c;
  return cv_bool(true);
}

static cv target_text(const cx_call *c) {
  static const char text[] = "x86-64-linux";
  return cv_text(c->in->ctx, text, sizeof(text) - 1);
}

/* supports_device_api(api) */
static cv target_has_device(const cx_call *c) {
  bool is_word = c->n_args > 0 && c->args[0].kind == HV_WORD;
  const char *word = is_word ? c->args[0].text->text : "";
  if (strcmp(word, "DeviceAPI::None") == 0 || strcmp(word, "DeviceAPI::Host") == 0) return cv_bool(true);
  return cv_bool(strcmp(word, "DeviceAPI::OpenCL") == 0 && h_program_of(c->in)->has_groups);
}

static cv target_word(const cx_call *c) {
  const char *word = is_named(c, "arch") ? "Target::X86" : "Target::Linux";
  if (is_named(c, "bits")) return host_int(64);
  return (cv){.kind = HV_WORD, .text = pm_get_cstring(c->in->ctx, word)};
}

/* --- tables --- */

static const cx_row func_rows[] = {{"name", func_name},
                                   {"args", func_args},
                                   {"value", func_values},
                                   {"values", func_values},
                                   {"defined", func_defined},
                                   {"has_pure_definition", func_defined},
                                   {"dimensions", func_dimensions},
                                   {"type", func_type},
                                   {"types", func_types},
                                   {"output_type", func_type},
                                   {"output_types", func_types},
                                   {"outputs", func_outputs},
                                   {"update", func_update},
                                   {"rvars", func_rvars},
                                   {"update_value", func_update_parts},
                                   {"update_values", func_update_parts},
                                   {"update_args", func_update_parts},
                                   {"num_update_definitions", func_n_updates},
                                   {"has_update_definitions", func_n_updates},
                                   {"rename", func_rename},
                                   {"realize", func_realize},
                                   {"compile_jit", func_realize},
                                   {"compile_to_lowered_stmt", func_realize},
                                   {"compile_to_static_library", func_realize},
                                   {"compile_to_file", func_realize},
                                   {"compile_to", func_realize},
                                   {"compile_to_assembly", func_realize},
                                   {"compile_to_bitcode", func_realize},
                                   {"compile_to_c", func_realize},
                                   {"compile_to_callable", func_realize},
                                   {"compile_to_header", func_realize},
                                   {"compile_to_llvm_assembly", func_realize},
                                   {"compile_to_module", func_realize},
                                   {"compile_to_object", func_realize},
                                   {"infer_input_bounds", func_realize},
                                   {"print_loop_nest", ignored},
                                   {"define_extern", extern_stage},
                                   {"dim", buffer_dim},
                                   {"output_buffer", self_of},
                                   {"width", buffer_extent},
                                   {"height", buffer_extent},
                                   {"channels", buffer_extent},
                                   {"extent", buffer_bound},
                                   {"min", buffer_bound},
                                   {"max", buffer_bound},
                                   {"number_of_elements", buffer_size},
                                   {"set_bounds", buffer_set},
                                   {"set_extent", buffer_set},
                                   {"set_stride", buffer_set},
                                   {"set_min", buffer_set_min},
                                   {"translate", h_translate_table},
                                   {"set", image_set},
                                   {"estimate", func_set_estimate},
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

static const cx_row dim_rows[] = {{"extent", dim_value},
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

static const cx_row param_rows[] = {{"name", func_name},
                                    {"type", func_type},
                                    {"set_estimate", param_set_estimate},
                                    {"set_range", param_set_range},
                                    {"set_min_value", param_set_range},
                                    {"set_max_value", param_set_range},
                                    {"set", ignored},
                                    {"get", param_get},
                                    {"min_value", param_bound},
                                    {"max_value", param_bound},
                                    {NULL, NULL}};

/* f(x, y).function(): f */
static cv ref_function(const cx_call *c) {
  return cx_takes(c, 0, 0) ? hv_symbol(h_ref_of(c->self)->symbol) : cv_poison;
}

static const cx_row ref_rows[] = {{"type", expr_type},
                                  {"defined", expr_defined},
                                  {"as_vector", ignored},
                                  {"function", ref_function},
                                  {NULL, NULL}};

static const cx_row expr_rows[] = {{"type", expr_type},    {"defined", expr_defined},
                                   {"as_vector", ignored}, {"set_estimate", ignored},
                                   {"set_range", ignored}, {NULL, NULL}};

static const cx_row var_rows[] = {
    {"name", var_name}, {"min", rvar_bound}, {"extent", rvar_bound}, {"type", expr_type}, {NULL, NULL}};

static const cx_row rdom_rows[] = {{"where", rdom_where},
                                   {"dimensions", rdom_dimensions},
                                   {"defined", rdom_defined},
                                   {"type", expr_type},
                                   {NULL, NULL}};

static const cx_row list_rows[] = {
    {"as_vector", list_as_vector}, {"set_estimate", array_set_estimate}, {NULL, NULL}};

static const cx_row target_rows[] = {{"has_gpu_feature", target_has_gpu},
                                     {"has_feature", target_has},
                                     {"features_any_of", target_has},
                                     {"features_all_of", target_has},
                                     {"has_large_buffers", target_has},
                                     {"supports_type", target_true},
                                     {"supports_device_api", target_has_device},
                                     {"to_string", target_text},
                                     {"natural_vector_size", h_vector_size},
                                     {"arch", target_word},
                                     {"os", target_word},
                                     {"bits", target_word},
                                     {"with_feature", self_of},
                                     {"without_feature", self_of},
                                     {NULL, NULL}};

static const cx_row pipeline_rows[] = {{"realize", pipeline_run},
                                       {"compile_jit", pipeline_run},
                                       {"compile_to_lowered_stmt", pipeline_run},
                                       {"compile_to_static_library", pipeline_run},
                                       {"compile_to_file", pipeline_run},
                                       {"compile_to", pipeline_run},
                                       {"compile_to_assembly", pipeline_run},
                                       {"compile_to_bitcode", pipeline_run},
                                       {"compile_to_c", pipeline_run},
                                       {"compile_to_callable", pipeline_run},
                                       {"compile_to_header", pipeline_run},
                                       {"compile_to_llvm_assembly", pipeline_run},
                                       {"compile_to_module", pipeline_run},
                                       {"compile_to_object", pipeline_run},
                                       {"infer_input_bounds", pipeline_run},
                                       {"get_func", pipeline_func},
                                       {"apply_autoscheduler", pipeline_ask},
                                       {"auto_schedule", pipeline_ask},
                                       {"print_loop_nest", ignored},
                                       {"trace_pipeline", ignored},
                                       {NULL, NULL}};

static const cx_row object_rows[] = {{"apply", h_apply_generator}, {NULL, NULL}};
static const cx_row level_rows[] = {{"set", h_set_level}, {NULL, NULL}};
/* Also of an Input of a generator that another gave a number. */
static const cx_row value_rows[] = {
    {"value", self_of}, {"set", h_set_param}, {"set_estimate", ignored}, {NULL, NULL}};
static const cx_row string_rows[] = {{"value", self_of}, {"set", h_set_param}, {NULL, NULL}};

const cx_row *h_methods(unsigned kind) {
  static const cx_row *const rows[] = {
      [CV_POISON] = value_rows,  [CV_VOID] = value_rows,        [CV_INT] = value_rows,
      [CV_FLOAT] = value_rows,   [CV_STRING] = string_rows,     [CV_LIST] = list_rows,
      [CV_OBJECT] = object_rows, [CV_FUNCTION] = value_rows,    [CV_CLASS] = value_rows,
      [CV_IGNORED] = value_rows, [CV_POINTER] = value_rows,     [CV_ITERATOR] = value_rows,
      [HV_TYPE] = h_type_rows,   [HV_EXPR] = expr_rows,         [HV_VAR] = var_rows,
      [HV_RDOM] = rdom_rows,     [HV_FUNC] = func_rows,         [HV_BUFFER] = func_rows,
      [HV_PARAM] = param_rows,   [HV_REF] = ref_rows,           [HV_DIM] = dim_rows,
      [HV_STAGE] = value_rows,   [HV_WORD] = value_rows,        [HV_TARGET] = target_rows,
      [HV_LEVEL] = level_rows,   [HV_PIPELINE] = pipeline_rows, [HV_END] = NULL};
  return rows[kind];
}
