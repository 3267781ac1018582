/* What declarations and calls of Halide's types make. */
#include "frontends/cxx/expressions/expressions.h"
#include "frontends/cxx/types/types.h"
#include "frontends/halide/evaluate/evaluate.h"

#include <string.h>

bool h_is_tag(const cx_node *type) {
  return strncmp(type->name->text, "Trace::", 7) == 0;
}

/* --- one type each --- */

static pm_string name_argument(const cx_making *m, unsigned i) {
  return i < m->n_args && m->args[i].kind == CV_STRING ? m->args[i].text : NULL;
}

static cv make_func(const cx_making *m) {
  if (m->n_args > 1 || (m->n_args == 1 && !name_argument(m, 0))) {
    if (m->n_args == 1) return cx_convert(m->in, m->locs[0], m->type, m->args[0]);
    if (m->args[0].kind != HV_TYPE)
      return cx_fail(m->in, m->loc, "a Func is made from its name, or its type");
  }
  pm_string name = name_argument(m, m->n_args > 0 ? m->n_args - 1 : 0);
  h_symbol *s = h_new_symbol(h_program_of(m->in), H_FUNC, m->loc, name ? name->text : NULL);
  if (!name && m->hint) s->name = m->hint;
  return hv_symbol(s);
}

static cv make_var(const cx_making *m) {
  h_program *p = h_program_of(m->in);
  pm_string name = name_argument(m, 0);
  if (name) return hv_var(h_get_var(p, name));
  if (m->n_args > 0 && m->args[0].kind == CV_IGNORED) return m->args[0];
  if (m->n_args > 0) return h_to_var(m->in, m->loc, m->args[0]);
  h_var *var = pm_arena_alloc(p->arena, sizeof(*var));
  var->name = m->hint ? m->hint : h_unique_name(p, "v");
  return hv_var(var);
}

/* The pairs {min, extent} of a list of lists. */
static bool read_regions(const cx_making *m, cv list, hx **out, unsigned *n) {
  for (uint32_t i = 0; i < list.list->items.len; i++) {
    cv pair = list.list->items.data[i]->value;
    if (pair.kind != CV_LIST || pair.list->items.len != 2 || *n + 2 > 2 * HX_MAX_DIMS) return false;
    for (unsigned k = 0; k < 2; k++) {
      hx *e = h_to_expr(m->in, m->loc, pair.list->items.data[k]->value);
      if (!e) return false;
      out[(*n)++] = e;
    }
  }
  return true;
}

/* A buffer, or an output whose shape is known. */
static bool has_points(cv v) {
  if (v.kind == HV_BUFFER) return true;
  return v.kind == HV_FUNC && h_symbol_of(v)->is_output &&
         (h_symbol_of(v)->is_declared || h_symbol_of(v)->is_defined);
}

/* RDom(buffer): all of its points. */
static bool read_buffer(const cx_making *m, h_symbol *buffer, hx **out, unsigned *n) {
  for (unsigned d = 0; d < buffer->n_dims; d++) {
    out[(*n)++] = hx_int(h_program_of(m->in), m->loc, PM_I32, h_min(buffer, d));
    out[(*n)++] = h_extent(h_program_of(m->in), m->loc, buffer, d);
  }
  return true;
}

static bool read_bounds(const cx_making *m, unsigned n_args, hx **out, unsigned *n) {
  if (n_args == 1 && m->args[0].kind == CV_LIST) return read_regions(m, m->args[0], out, n);
  if (n_args == 1 && has_points(m->args[0])) return read_buffer(m, h_symbol_of(m->args[0]), out, n);
  if (n_args > 2 * HX_MAX_DIMS) return false;
  for (unsigned i = 0; i < n_args; i++) {
    hx *e = h_to_expr(m->in, m->locs[i], m->args[i]);
    if (!e) return false;
    out[(*n)++] = hx_cast(h_program_of(m->in), e->loc, PM_I32, e);
  }
  return *n % 2 == 0;
}

static cv make_rdom(const cx_making *m) {
  static const char *const dims[] = {"x", "y", "z", "w", "5", "6", "7", "8"};
  h_program *p = h_program_of(m->in);
  hx *bounds[2 * HX_MAX_DIMS];
  unsigned n = 0, n_args = m->n_args;
  if (n_args == 0) return hv_rdom(NULL);
  if (m->args[0].kind == HV_RDOM) return m->args[0];
  pm_string name = name_argument(m, n_args - 1);
  unsigned errors = pm_error_count(m->in->ctx);
  if (!read_bounds(m, name ? n_args - 1 : n_args, bounds, &n)) {
    if (pm_error_count(m->in->ctx) > errors) return cv_poison;
    return cx_fail(m->in, m->loc,
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
  return hv_rdom(r);
}

/* UInt(8), Float(32): Types. */
static cv make_type(const cx_making *m) {
  int64_t bits;
  if (cx_is_named(m->type, "Bool")) return (cv){.kind = HV_TYPE, .scalar = PM_I1};
  if (m->n_args == 0 || !cx_to_int(m->in, m->locs[0], m->args[0], &bits, "the number of bits"))
    return cv_poison;
  bool is_float = cx_is_named(m->type, "Float");
  if (is_float && (bits == 32 || bits == 64))
    return (cv){.kind = HV_TYPE, .scalar = bits == 32 ? PM_F32 : PM_F64};
  if (bits == 0) return (cv){.kind = HV_TYPE, .scalar = PM_I32, .number = HV_NO_BITS};
  if (is_float && bits == 16) return (cv){.kind = HV_TYPE, .scalar = PM_F16};
  if (!is_float && (bits == 1 || bits == 8 || bits == 16 || bits == 32 || bits == 64))
    return (cv){.kind = HV_TYPE, .scalar = (uint8_t)cx_integer((unsigned)bits, cx_is_named(m->type, "Int"))};
  return cx_fail(m->in, m->locs[0], "%s(%lld) is not a type of this compiler, %s should be its bits",
                 m->type->name->text, (long long)bits, is_float ? "32 or 64" : "1, 8, 16, 32 or 64");
}

static cv make_tuple(const cx_making *m) {
  if (m->n_args == 1) return h_to_tuple(m->in, m->loc, m->args[0]);
  return h_to_tuple(m->in, m->loc, cx_list_of_args(m));
}

/* Of a double too, where the program says so. */
static cv make_expr(const cx_making *m) {
  if (m->n_args == 0 || m->args[0].kind == CV_STRING) return hv_expr(NULL); /* a text is no value here */
  if (m->args[0].kind != CV_FLOAT) return h_to_expr_value(m->in, m->locs[0], m->args[0]);
  return hv_expr(hx_float(h_program_of(m->in), m->locs[0], (pm_scalar)m->args[0].scalar, m->args[0].f));
}

/* Region(n): as many Ranges that are not defined. */
static cv make_region(const cx_making *m) {
  int64_t n = 0;
  cv region = cx_new_list(m->in, CV_LIST);
  if (m->n_args != 1 || m->args[0].kind != CV_INT) return cx_list_of_args(m);
  if (!cx_to_int(m->in, m->locs[0], m->args[0], &n, "the number of dimensions")) return cv_poison;
  if (n < 0 || n > HX_MAX_DIMS)
    return cx_fail(m->in, m->loc, "the number of dimensions is %lld, it should be 0 to %d", (long long)n,
                   HX_MAX_DIMS);
  for (int64_t i = 0; i < n; i++) {
    cv range = cx_new_list(m->in, CV_LIST);
    cx_append(m->in, range, hv_expr(NULL));
    cx_append(m->in, range, hv_expr(NULL));
    cx_append(m->in, region, range);
  }
  return region;
}

static cv make_type_value(const cx_making *m) {
  return m->n_args > 0 ? m->args[0] : hv_type(PM_I32);
}

static cv make_target(const cx_making *m) {
  (void)m;
  return (cv){.kind = HV_TARGET};
}

static cv make_level(const cx_making *m) {
  return h_new_level(m->in, m->loc, m->args, m->n_args);
}

/* Pipeline(f), Pipeline({f, g}) */
static cv make_pipeline(const cx_making *m) {
  cv list = cx_new_list(m->in, HV_PIPELINE);
  cv given = m->n_args == 1 ? m->args[0] : cx_list_of_args(m);
  if (given.kind == HV_PIPELINE) return given;
  for (uint32_t i = 0; given.kind == CV_LIST && i < given.list->items.len; i++)
    cx_append(m->in, list, given.list->items.data[i]->value);
  if (given.kind != CV_LIST) cx_append(m->in, list, given);
  for (uint32_t i = 0; i < list.list->items.len; i++)
    if (list.list->items.data[i]->value.kind != HV_FUNC)
      return cx_fail(m->in, m->loc, "the Pipeline is made from %s, a Func or a list of Funcs should be here",
                     cv_describe(m->in, list.list->items.data[i]->value));
  return list;
}

/* Tags of traces, and what only derivatives, extern stages and other schedulers take. */
static cv make_ignored(const cx_making *m) {
  bool is_value = m->n_args == 1 && m->args[0].kind != CV_LIST && m->args[0].kind != HV_FUNC;
  return is_value ? m->args[0] : (cv){.kind = CV_IGNORED};
}

/* --- all of them --- */

typedef struct maker {
  const char *type;
  cv (*make)(const cx_making *m);
} maker;

static const maker makers[] = {{"Func", make_func},
                               {"Var", make_var},
                               {"RVar", make_var},
                               {"RDom", make_rdom},
                               {"Expr", make_expr},
                               {"Tuple", make_tuple},
                               {"UInt", make_type},
                               {"Int", make_type},
                               {"Float", make_type},
                               {"Bool", make_type},
                               {"Type", make_type_value},
                               {"Target", make_target},
                               {"LoopLevel", make_level},
                               {"Pipeline", make_pipeline},
                               {"Stage", make_ignored},
                               {"Derivative", make_ignored},
                               {"ExternFuncArgument", make_ignored},
                               {"SimpleAutoscheduleOptions", make_ignored},
                               {"Region", make_region}};

static const maker *find_maker(pm_string name) {
  for (size_t i = 0; i < PM_COUNT(makers); i++)
    if (strcmp(makers[i].type, name->text) == 0) return &makers[i];
  return NULL;
}

bool h_is_type(pm_string name) {
  bool is_other = strcmp(name->text, "Buffer") == 0 || strcmp(name->text, "Range") == 0;
  return is_other || find_maker(name) || h_is_port(name) || h_is_stub_type(name);
}

bool h_construct(const cx_making *m, cv *out) {
  const maker *maker = find_maker(m->type->name);
  if (h_is_stub_type(m->type->name)) return h_make_stub_value(m, out);
  if (maker)
    *out = maker->make(m);
  else if (h_is_port(m->type->name))
    *out = h_new_port(m);
  else if (h_is_tag(m->type))
    *out = make_ignored(m);
  else if (cx_is_named(m->type, "Buffer") && (m->n_args != 1 || m->args[0].kind != HV_BUFFER))
    *out = h_new_table(m);
  else if (cx_is_named(m->type, "Range") && m->n_args != 1)
    *out = cx_list_of_args(m);
  else
    return false;
  return true;
}
