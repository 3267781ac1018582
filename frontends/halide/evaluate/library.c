/* The library of Halide's programs: its table for the evaluation of C++, its names, and its values. */
#include "frontends/cxx/program.h"
#include "frontends/cxx/std/std.h"
#include "frontends/halide/evaluate/evaluate.h"

#include <string.h>

/* --- values --- */

cv hv_expr(hx *e) {
  return (cv){.kind = HV_EXPR, .own = e};
}

cv hv_expr_or_poison(hx *e) {
  return e ? hv_expr(e) : cv_poison;
}

cv hv_type(pm_scalar type) {
  return (cv){.kind = HV_TYPE, .scalar = (uint8_t)type};
}

cv hv_var(const h_var *var) {
  return (cv){.kind = HV_VAR, .own = (void *)var};
}

cv hv_rdom(h_rdom *rdom) {
  return (cv){.kind = HV_RDOM, .own = rdom};
}

cv hv_symbol(h_symbol *s) {
  static const hv_kind kinds[] = {[H_FUNC] = HV_FUNC, [H_BUFFER] = HV_BUFFER, [H_PARAM] = HV_PARAM};
  return (cv){.kind = (uint16_t)kinds[s->kind], .own = s};
}

cv hv_ref(h_ref *ref) {
  return (cv){.kind = HV_REF, .own = ref};
}

cv hv_level(struct h_level *level) {
  return (cv){.kind = HV_LEVEL, .own = level};
}

/* --- what values do --- */

static const char *describe_expr(cv v) {
  return h_expr_of(v) ? "an Expr" : "an Expr that is not defined";
}

static cv call_symbol(const cx_call *c) {
  return h_call_symbol(c->in, c->loc, h_symbol_of(c->self), c->args, c->locs, c->n_args);
}

static cv index_ref(cx_interp *in, pm_loc loc, cv self, cv index) {
  int64_t i;
  if (!cx_to_int(in, loc, index, &i, "the number of an element")) return cv_poison;
  if (i < 0 || i >= HX_MAX_ELEMENTS) return cx_fail(in, loc, "the element %lld is asked for", (long long)i);
  h_ref *ref = pm_arena_memdup(in->arena, h_ref_of(self), sizeof(*ref));
  ref->has_element = true;
  ref->element = (unsigned)i;
  return hv_ref(ref);
}

static cv index_rdom(cx_interp *in, pm_loc loc, cv self, cv index) {
  const h_rdom *r = h_rdom_of(self);
  int64_t i;
  if (!cx_to_int(in, loc, index, &i, "the number of a dimension")) return cv_poison;
  if (r && i >= 0 && i < (int64_t)r->n_dims) return hv_var(&r->vars[i]);
  return cx_fail(in, loc, "the RDom has %u dimensions, number %lld is asked for", r ? r->n_dims : 0,
                 (long long)i);
}

/* r.x: a dimension of an RDom. */
static bool member_of_rdom(cx_interp *in, pm_loc loc, cv self, pm_string name, cv *out) {
  static const char names[] = "xyzw";
  const h_rdom *r = h_rdom_of(self);
  if (name->len != 1 || !strchr(names, name->text[0])) return false;
  unsigned d = (unsigned)(strchr(names, name->text[0]) - names);
  if (!r || d >= r->n_dims)
    *out =
        cx_fail(in, loc, "the RDom has %u dimensions, .%s is not one of them", r ? r->n_dims : 0, name->text);
  else
    *out = hv_var(&r->vars[d]);
  return true;
}

/* The Outputs that a stub returns, of one output: it is the Func itself. */
static bool member_of_func(cx_interp *in, pm_loc loc, cv self, pm_string name, cv *out) {
  (void)in, (void)loc;
  *out = self;
  return h_symbol_of(self)->is_named && h_symbol_of(self)->name == name;
}

/* target.arch */
static bool member_of_target(cx_interp *in, pm_loc loc, cv self, pm_string name, cv *out) {
  bool found;
  *out = cx_call_method(&(cx_call){.in = in, .loc = loc, .name = name, .self = self}, &found);
  return found;
}

/* {min, extent}: a Range. */
static cx_cell *member_of_list(cv self, pm_string name) {
  bool low = strcmp(name->text, "min") == 0, extent = strcmp(name->text, "extent") == 0;
  bool is_range = self.kind == CV_LIST && self.list->items.len == 2;
  return is_range && (low || extent) ? self.list->items.data[extent] : NULL;
}

static cv load_ref(cx_interp *in, cv self) {
  return h_ref_of(self)->is_host ? h_table_value(in, h_ref_of(self)) : self;
}

static void assign_ref(cx_interp *in, pm_loc loc, cv left, cx_op op, cv right) {
  h_define(in, loc, h_ref_of(left), op, right);
}

/* An Expr that is changed keeps its type. */
static bool store_expr(cx_interp *in, pm_loc loc, cx_cell *cell, cx_op op, cv *value, cv *result) {
  const hx *old = h_expr_of(cell->value);
  if (op == CX_OP_NONE || !old || value->kind == CV_IGNORED) return false;
  hx *e = h_to_expr(in, loc, *value);
  *result = cv_poison;
  if (e) *value = hv_expr(hx_cast(h_program_of(in), loc, (pm_scalar)old->type, e));
  return !e;
}

static bool store_func(cx_interp *in, pm_loc loc, cx_cell *cell, cx_op op, cv *value, cv *result) {
  return op == CX_OP_NONE && h_assign_output(in, loc, cell, *value, result);
}

static void mark_failed(cv callee) {
  if (callee.kind == HV_FUNC) h_symbol_of(callee)->is_wrong = true;
}

#define OF(kind) [HV_##kind - CV_LIBRARY]
static const cx_class classes[] = {
    OF(TYPE) = {.type = "Type", .what = "a Type"},
    OF(EXPR) = {.type = "Expr", .describe = describe_expr, .store = store_expr},
    OF(VAR) = {.what = "a Var"},
    OF(RDOM) = {.type = "RDom", .what = "an RDom", .index = index_rdom, .member = member_of_rdom},
    OF(FUNC) = {.type = "Func",
                .what = "a Func",
                .call = call_symbol,
                .store = store_func,
                .member = member_of_func},
    OF(BUFFER) = {.what = "a buffer", .call = call_symbol},
    OF(PARAM) = {.what = "a parameter"},
    OF(REF) = {.type = "FuncRef",
               .what = "a call of a Func",
               .index = index_ref,
               .load = load_ref,
               .assign = assign_ref},
    OF(TUPLE) = {.type = "Tuple", .what = "a Tuple", .is_list = true},
    OF(DIM) = {.what = "a dimension"},
    OF(STAGE) = {.type = "Stage", .what = "a stage of a Func"},
    OF(WORD) = {.what = "an enumerator"},
    OF(TARGET) = {.type = "Target", .what = "a Target", .member = member_of_target},
    OF(LEVEL) = {.type = "LoopLevel", .what = "a LoopLevel"},
    OF(PIPELINE) = {.type = "Pipeline", .what = "a Pipeline"}};
#undef OF

/* --- names --- */

static const char *const namespaces[] = {"Halide", "Internal", NULL};

static bool is_header(const char *name) {
  static const char *const known[] = {"Halide.h", "HalideBuffer.h", "HalideRuntime.h"};
  for (size_t i = 0; i < PM_COUNT(known); i++)
    if (strcmp(known[i], name) == 0) return true;
  return strncmp(name, "halide_", 7) == 0;
}

static const char *option_of_header(const char *name) {
  return strcmp(name, "hipacc.hpp") == 0 ? "--from=hipacc" : NULL;
}

/* `blur.stub.h`, which Halide makes of a generator: the generator is read in its place. */
static char *generator_of_stub(const char *name, unsigned number) {
  static const char end[] = ".stub.h";
  static const char *const ends[] = {"cpp", "cc", "cxx"};
  size_t len = strlen(name), without = len - strlen(end);
  pm_buf path = {0};
  if (number >= PM_COUNT(ends) || len <= strlen(end) || strcmp(name + without, end) != 0) return NULL;
  pm_buf_printf(&path, "%.*s_generator.%s", (int)without, name, ends[number]);
  return pm_buf_take(&path);
}

static bool is_base(pm_string name) {
  return strcmp(name->text, "Generator") == 0;
}

static bool is_word(pm_string name) {
  static const char *const enums[] = {
      "TailStrategy::", "LoopAlignStrategy::", "Target::",    "MemoryType::",   "PrefetchBoundStrategy::",
      "Type::",         "Partition::",         "DeviceAPI::", "NameMangling::", "halide_type_"};
  for (size_t i = 0; i < PM_COUNT(enums); i++)
    if (strncmp(name->text, enums[i], strlen(enums[i])) == 0) return true;
  return false;
}

static bool find_name(cx_interp *in, const cx_node *n, cv *out) {
  pm_string name = n->name;
  unsigned number;
  bool is_target = strcmp(name->text, "target") == 0; /* of generators */
  bool is_auto = strcmp(name->text, "auto_schedule") == 0;
  if (is_word(name))
    *out = (cv){.kind = HV_WORD, .text = name};
  else if (strcmp(name->text, "_") == 0 || h_is_implicit(name, &number))
    *out = hv_var(h_get_var(h_program_of(in), name));
  else if (is_target)
    *out = (cv){.kind = HV_TARGET};
  else if (is_auto) /* of generators before there was using_autoscheduler() */
    *out = cv_bool(h_state_of(in)->has_autoscheduler);
  else
    return false;
  return true;
}

/* --- the table --- */

const cx_library halide_library = {.base = &cx_std,
                                   .namespaces = namespaces,
                                   .functions = h_functions,
                                   .other_function = h_other_function,
                                   .find_name = find_name,
                                   .run_macro = h_run_macro,
                                   .is_header = is_header,
                                   .option_of_header = option_of_header,
                                   .header_in_place = generator_of_stub,
                                   .is_type = h_is_type,
                                   .is_base = is_base,
                                   .convert = h_convert,
                                   .construct = h_construct,
                                   .suits = h_suits,
                                   .may_declare = h_may_declare,
                                   .classes = classes,
                                   .methods = h_methods,
                                   .other_method = h_directive,
                                   .nearest_method = h_nearest_directive,
                                   .member_cell = member_of_list,
                                   .unary = h_unary,
                                   .binary = h_binary,
                                   .constant = h_constant,
                                   .new_item = h_new_port_item,
                                   .mark_failed = mark_failed,
                                   .callables = "a function or a Func",
                                   .condition = "; select(…) chooses at each point",
                                   .assignment = ", f(x, y) = … defines a Func"};

void h_begin(cx_interp *in, h_state *state, pm_context *ctx, const halide_options *options,
             const char *path) {
  cx_begin(in, ctx, &halide_library, state, path);
  *state = (h_state){.options = options};
  state->program = (h_program){.ctx = ctx,
                               .arena = in->arena,
                               .vars = pm_map_new(),
                               .reports = &in->reports,
                               .has_groups = options->has_groups};
  in->folders = options->folders;
  in->n_folders = options->n_folders;
}

void h_end(cx_interp *in) {
  pm_map_free(h_program_of(in)->vars);
  cx_end(in);
}
