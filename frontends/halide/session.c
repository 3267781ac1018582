/* Programs that are made by calls: what the evaluation of C++ does with values of Halide's classes, one
 * statement at a time. */
#include "frontends/halide/session.h"

#include "frontends/cxx/expressions/expressions.h"
#include "frontends/cxx/types/types.h"
#include "frontends/halide/evaluate/evaluate.h"
#include "frontends/halide/lower/lower.h"

#include <stdlib.h>
#include <string.h>

/* A name of Halide's, or a value. */
typedef struct item {
  enum { IS_VALUE, IS_FUNCTION, IS_TYPE } kind;
  pm_string name;
  cv value;
} item;

typedef struct session {
  cx_interp in; /* in which each call succeeds, or is forgotten */
  h_state state;
  halide_given given;
  unsigned errors;    /* before the call at work */
  PM_VEC(item) items; /* by their numbers, less 1 */
} session;

static void *open_session(pm_context *ctx, const pm_frontend_input *input) {
  session *s = pm_xcalloc(1, sizeof *s);
  s->given = halide_take_options(input);
  h_begin(&s->in, &s->state, ctx, &s->given.options, input->file);
  s->state.program.has_origins = true;
  halide_set_words(ctx);
  return s;
}

static void close_session(void *user) {
  session *s = user;
  h_end(&s->in);
  halide_given_free(&s->given);
  PM_VEC_FREE(s->items);
  free(s);
}

/* --- values --- */

static cv to_value(session *s, const pm_host_value *v);

static cv to_list(session *s, const pm_host_value *v) {
  cv list = cx_new_list(&s->in, CV_LIST);
  for (size_t i = 0; i < v->len; i++) cx_append(&s->in, list, to_value(s, &v->items[i]));
  return list;
}

static const item *item_of(const session *s, const pm_host_value *v) {
  bool is_item = v->kind == PM_HOST_ITEM && v->i >= 1 && (size_t)v->i <= s->items.len;
  return is_item ? &s->items.data[v->i - 1] : NULL;
}

/* A float of the host is one of 32 bits, as in Halide's own binding for Python. */
static cv to_value(session *s, const pm_host_value *v) {
  bool is_wide = v->i < INT32_MIN || v->i > INT32_MAX;
  switch (v->kind) {
  case PM_HOST_NONE:
    return cv_void;
  case PM_HOST_BOOL:
    return hv_expr(hx_int(h_program_of(&s->in), PM_NO_LOC, PM_I1, v->i));
  case PM_HOST_INT:
    return cv_int(is_wide ? PM_I64 : PM_I32, v->i);
  case PM_HOST_FLOAT:
    return cv_float(PM_F32, v->f);
  case PM_HOST_TEXT:
    return cv_text(s->in.ctx, v->text, v->len);
  case PM_HOST_LIST:
  case PM_HOST_TUPLE:
    return to_list(s, v);
  case PM_HOST_ITEM:
    return item_of(s, v) && item_of(s, v)->kind == IS_VALUE ? item_of(s, v)->value : cv_poison;
  }
  return cv_poison;
}

static void begin(session *s) {
  s->errors = pm_error_count(s->in.ctx);
  s->in.steps = 0;
}

/* After an error the same one is news again. */
static bool refuse(session *s, pm_loc loc) {
  if (pm_error_count(s->in.ctx) == s->errors) cx_fail(&s->in, loc, "this has no value");
  pm_map_free(s->in.reports.known);
  s->in.reports.known = pm_map_new();
  s->in.reports.ended = s->in.stopped = false;
  s->in.failures = 0;
  return false;
}

static bool give_item(session *s, item made, pm_host_value *result) {
  PM_VEC_PUSH(s->items, made);
  *result = (pm_host_value){.kind = PM_HOST_ITEM, .i = (int64_t)s->items.len};
  return true;
}

static bool give(session *s, pm_loc loc, cv value, pm_host_value *result) {
  if (value.kind == CV_POISON || pm_error_count(s->in.ctx) > s->errors) return refuse(s, loc);
  *result = (pm_host_value){.kind = PM_HOST_NONE};
  switch (value.kind) {
  case CV_VOID:
    return true;
  case CV_INT:
    result->kind = value.scalar == PM_I1 ? PM_HOST_BOOL : PM_HOST_INT;
    result->i = value.i;
    return true;
  case CV_FLOAT:
    *result = (pm_host_value){.kind = PM_HOST_FLOAT, .f = value.f};
    return true;
  case CV_STRING:
    *result = (pm_host_value){.kind = PM_HOST_TEXT, .text = value.text->text, .len = value.text->len};
    return true;
  default:
    return give_item(s, (item){.value = value}, result);
  }
}

/* --- names and calls --- */

/* Names of Halide's, in the words of C++: "Func", "sqrt", "TailStrategy::RoundUp". */
static bool find_name(void *user, pm_loc loc, const char *text, pm_host_value *result) {
  session *s = user;
  pm_string name = pm_get_cstring(s->in.ctx, text);
  cx_node node = {.kind = CX_NAME, .name = name, .loc = loc};
  item found = {.name = name};
  begin(s);
  if (halide_library.find_name(&s->in, &node, &found.value)) return give(s, loc, found.value, result);
  bool is_function = cx_has_function(&(cx_call){.in = &s->in, .loc = loc, .name = name});
  found.kind = is_function ? IS_FUNCTION : IS_TYPE;
  if (is_function || h_is_type(name)) return give_item(s, found, result);
  cx_fail(&s->in, loc, "'%s' is no name of Halide's that is known here", text);
  return refuse(s, loc);
}

typedef struct arguments {
  cv *values;
  pm_loc *locs;
  unsigned n;
} arguments;

static arguments take_arguments(session *s, pm_loc loc, const pm_host_argument *args, size_t n) {
  arguments a = {.values = pm_arena_alloc(s->in.arena, (n + 1) * sizeof(*a.values)),
                 .locs = pm_arena_alloc(s->in.arena, (n + 1) * sizeof(*a.locs)),
                 .n = (unsigned)n};
  for (size_t i = 0; i < n; i++) {
    a.values[i] = to_value(s, &args[i].value);
    a.locs[i] = loc;
    if (args[i].keyword) cx_fail(&s->in, loc, "arguments have no names here, '%s' has", args[i].keyword);
  }
  return a;
}

/* A Param of a type that is a value: an Input<Expr>, as those that a generator adds. */
static const cx_node *type_named(session *s, pm_loc loc, pm_string name) {
  bool is_param = strcmp(name->text, "Param") == 0;
  cx_node *type = pm_arena_alloc(s->in.arena, sizeof(*type)), *of = NULL;
  *type = (cx_node){.kind = CX_TYPE, .loc = loc, .name = name};
  if (!is_param) return type;
  type->name = pm_get_cstring(s->in.ctx, "Input");
  type->items = pm_arena_alloc(s->in.arena, sizeof(*type->items));
  type->items[0] = of = pm_arena_alloc(s->in.arena, sizeof(*of));
  type->n_items = 1;
  *of = (cx_node){.kind = CX_TYPE, .loc = loc, .name = pm_get_cstring(s->in.ctx, "Expr")};
  return type;
}

static cv call_method(session *s, pm_loc loc, cv self, const char *name, const arguments *a) {
  bool found;
  cx_call call = {.in = &s->in,
                  .loc = loc,
                  .name = pm_get_cstring(s->in.ctx, name),
                  .self = self,
                  .args = a->values,
                  .locs = a->locs,
                  .n_args = a->n};
  if (self.kind == CV_POISON || self.kind == CV_IGNORED) return self;
  cv value = cx_call_method(&call, &found);
  return found ? value
               : cx_fail(&s->in, loc, "%s has no member '%s'", cv_describe(&s->in, self), call.name->text);
}

static cv call_item(session *s, pm_loc loc, const item *callee, const arguments *a) {
  bool found;
  cx_call call = {.in = &s->in,
                  .loc = loc,
                  .name = callee->name,
                  .self = callee->value,
                  .args = a->values,
                  .locs = a->locs,
                  .n_args = a->n};
  cx_arguments all = {.values = a->values, .locs = a->locs, .n = a->n, .ok = true};
  const cx_class *class = callee->kind == IS_VALUE ? cx_class_of(&s->in, callee->value) : NULL;
  if (callee->kind == IS_FUNCTION) return cx_call_library(&call, &found);
  if (callee->kind == IS_TYPE)
    return cx_construct(&s->in, loc, type_named(s, loc, callee->name), &all, false, NULL);
  if (class && class->call) return class->call(&call);
  return cx_fail(&s->in, loc, "this is %s, a function or a Func should be called",
                 cv_describe(&s->in, callee->value));
}

/* The callee is an item, or an object and the name of a method. */
static bool call_value(void *user, pm_loc loc, const pm_host_value *callee, const pm_host_argument *args,
                       size_t n, pm_host_value *result) {
  session *s = user;
  begin(s);
  arguments a = take_arguments(s, loc, args, n);
  bool is_method = callee->kind == PM_HOST_TUPLE && callee->len == 2 && callee->items[1].kind == PM_HOST_TEXT;
  if (pm_error_count(s->in.ctx) > s->errors) return refuse(s, loc);
  if (is_method)
    return give(s, loc, call_method(s, loc, to_value(s, &callee->items[0]), callee->items[1].text, &a),
                result);
  const item *called = item_of(s, callee);
  bool is_double = called && called->kind == IS_FUNCTION && strcmp(called->name->text, "f64") == 0;
  if (is_double && n == 1 && args[0].value.kind == PM_HOST_FLOAT)
    a.values[0] = hv_expr(hx_float(h_program_of(&s->in), loc, PM_F64, args[0].value.f));
  return give(s, loc, called ? call_item(s, loc, called, &a) : cv_poison, result);
}

/* --- operators --- */

/* In operators a bool of the host is an int, as in Halide's own binding for Python. */
static cv to_operand(session *s, const pm_host_value *v) {
  return v->kind == PM_HOST_BOOL ? cv_int(PM_I32, v->i) : to_value(s, v);
}

static cv define(session *s, pm_loc loc, cx_op op, cv left, cv right) {
  if (left.kind != HV_REF)
    return cx_fail(&s->in, loc, "this is %s, a call of a Func should be defined", cv_describe(&s->in, left));
  h_ref ref = *h_ref_of(left);
  return h_define(&s->in, loc, &ref, op, right) ? cv_void : cv_poison;
}

static cv operate(session *s, pm_loc loc, cx_op op, cv a, cv b) {
  return cx_binary(&s->in, loc, op, a, b);
}

/* Of floats the quotient is rounded down, that of integers is so already. */
static cv floor_quotient(session *s, pm_loc loc, cx_op op, cv a, cv b) {
  cv quotient = cx_binary(&s->in, loc, op, a, b);
  bool found;
  if (quotient.kind != HV_EXPR || !cx_is_float((pm_scalar)h_expr_of(quotient)->type)) return quotient;
  return cx_call_library(&(cx_call){.in = &s->in,
                                    .loc = loc,
                                    .name = pm_get_cstring(s->in.ctx, "floor"),
                                    .args = &quotient,
                                    .locs = &loc,
                                    .n_args = 1},
                         &found);
}

static cv unary(session *s, pm_loc loc, cx_op op, cv a, cv b) {
  (void)b;
  return cx_unary(&s->in, loc, op, a);
}

static cv element(session *s, pm_loc loc, cx_op op, cv a, cv b) {
  (void)op;
  return cx_index_value(&s->in, loc, a, b);
}

static cv member(session *s, pm_loc loc, cx_op op, cv a, cv b) {
  const cx_class *class = cx_class_of(&s->in, a);
  cv value;
  (void)op;
  if (class && class->member && class->member(&s->in, loc, a, b.text, &value)) return value;
  return cx_fail(&s->in, loc, "%s has no member '%s'", cv_describe(&s->in, a), b.text->text);
}

/* How many values there are. */
static cv count(session *s, pm_loc loc, cx_op op, cv a, cv b) {
  (void)op, (void)b;
  if (a.kind == HV_TUPLE || a.kind == CV_LIST) return cv_int(PM_I32, a.list->items.len);
  bool is_ref = a.kind == HV_REF && !h_ref_of(a)->has_element;
  const h_symbol *of = is_ref ? h_ref_of(a)->symbol : a.kind == HV_FUNC ? h_symbol_of(a) : NULL;
  if (!of) return cv_int(PM_I32, 1);
  return h_check_ready(&s->in, loc, of) ? cv_int(PM_I32, of->n_elements) : cv_poison;
}

/* "uint8": of an expression, or of an element of a Func. */
static cv type_of(session *s, pm_loc loc, cx_op op, cv a, cv b) {
  int64_t i = 0;
  (void)op;
  if (b.kind != CV_VOID && !cx_to_int(&s->in, loc, b, &i, "the number of an element")) return cv_poison;
  if (a.kind != HV_FUNC && a.kind != HV_BUFFER) {
    hx *e = h_to_expr(&s->in, loc, a);
    return e ? cv_text(s->in.ctx, hx_type_name((pm_scalar)e->type), strlen(hx_type_name((pm_scalar)e->type)))
             : cv_poison;
  }
  const h_symbol *f = h_symbol_of(a);
  if (!h_check_ready(&s->in, loc, f)) return cv_poison;
  if (i < 0 || i >= (int64_t)f->n_elements)
    return cx_fail(&s->in, loc, "%s has %u elements, element %lld is asked for", f->name->text, f->n_elements,
                   (long long)i);
  const char *text = hx_type_name((pm_scalar)f->types[i]);
  return cv_text(s->in.ctx, text, strlen(text));
}

static bool set_side(session *s, pm_loc loc, h_symbol *of, unsigned d, cv side) {
  h_program *p = h_program_of(&s->in);
  bool is_pair = side.kind == CV_LIST && side.list->items.len == 2;
  cv low = is_pair ? side.list->items.data[0]->value : cv_void,
     n = is_pair ? side.list->items.data[1]->value : cv_void;
  int64_t extent;
  if (!is_pair || !cx_to_int(&s->in, loc, low, &of->origin[d], "the min")) return false;
  if (n.kind == CV_VOID || of->bound[d]) return true;
  if (!cx_to_int(&s->in, loc, n, &extent, "the extent")) return false;
  if (extent < 1 || extent > INT32_MAX) {
    cx_fail(&s->in, loc, "the extent of %s is %lld, it should be 1 to %d", of->name->text, (long long)extent,
            INT32_MAX);
    return false;
  }
  of->bound_min[d] = hx_int(p, loc, PM_I32, of->origin[d]);
  of->bound[d] = hx_int(p, loc, PM_I32, extent);
  return true;
}

/* The box of an output or a buffer: for each dimension the min, which else is 0, and the extent or nothing.
 */
static cv set_box(session *s, pm_loc loc, cx_op op, cv a, cv b) {
  bool has_points = a.kind == HV_FUNC || a.kind == HV_BUFFER;
  (void)op;
  if (!has_points || b.kind != CV_LIST || b.list->items.len > HX_MAX_DIMS)
    return cx_fail(&s->in, loc, "%s has no such box", cv_describe(&s->in, a));
  for (uint32_t d = 0; d < b.list->items.len; d++)
    if (!set_side(s, loc, h_symbol_of(a), d, b.list->items.data[d]->value)) return cv_poison;
  return cv_void;
}

typedef struct operator_row {
  const char *text;
  size_t n;
  cv (*apply)(session *s, pm_loc loc, cx_op op, cv a, cv b);
  cx_op op;
} operator_row;

static const operator_row operators[] = {
    {"+", 2, operate, CX_OP_ADD},     {"-", 2, operate, CX_OP_SUB},     {"*", 2, operate, CX_OP_MUL},
    {"/", 2, operate, CX_OP_DIV},     {"%", 2, operate, CX_OP_MOD},     {"//", 2, floor_quotient, CX_OP_DIV},
    {"<<", 2, operate, CX_OP_SHL},    {">>", 2, operate, CX_OP_SHR},    {"&", 2, operate, CX_OP_BIT_AND},
    {"|", 2, operate, CX_OP_BIT_OR},  {"^", 2, operate, CX_OP_BIT_XOR}, {"<", 2, operate, CX_OP_LT},
    {"<=", 2, operate, CX_OP_LE},     {">", 2, operate, CX_OP_GT},      {">=", 2, operate, CX_OP_GE},
    {"==", 2, operate, CX_OP_EQ},     {"!=", 2, operate, CX_OP_NE},     {"-", 1, unary, CX_OP_SUB},
    {"~", 1, unary, CX_OP_BIT_NOT},   {"!", 1, unary, CX_OP_NOT},       {"[]", 2, element, CX_OP_NONE},
    {".", 2, member, CX_OP_NONE},     {"len", 1, count, CX_OP_NONE},    {"box", 2, set_box, CX_OP_NONE},
    {"type", 1, type_of, CX_OP_NONE}, {"type", 2, type_of, CX_OP_NONE}, {"=", 2, define, CX_OP_NONE},
    {"+=", 2, define, CX_OP_ADD},     {"-=", 2, define, CX_OP_SUB},     {"*=", 2, define, CX_OP_MUL},
    {"/=", 2, define, CX_OP_DIV},
};

static bool apply(void *user, pm_loc loc, const char *word, const pm_host_value *operands, size_t n,
                  pm_host_value *result) {
  session *s = user;
  begin(s);
  for (size_t i = 0; i < PM_COUNT(operators); i++) {
    const operator_row *row = &operators[i];
    if (row->n != n || strcmp(row->text, word) != 0) continue;
    bool is_definition = row->apply == define;
    cv a = to_operand(s, &operands[0]), b = n == 1          ? cv_void
                                            : is_definition ? to_value(s, &operands[1])
                                                            : to_operand(s, &operands[1]);
    return give(s, loc, row->apply(s, loc, row->op, a, b), result);
  }
  cx_fail(&s->in, loc, "there is no '%s' of %zu operands", word, n);
  return refuse(s, loc);
}

static bool set_attribute(void *user, pm_loc loc, const pm_host_value *object, const char *name,
                          const pm_host_value *value) {
  session *s = user;
  (void)value;
  begin(s);
  cx_fail(&s->in, loc, "%s has no member '%s' that is assigned to", cv_describe(&s->in, to_value(s, object)),
          name);
  return refuse(s, loc);
}

static void name_item(void *user, const pm_host_value *object, const char *name) {
  session *s = user;
  cv value = to_value(s, object);
  if (value.kind != HV_FUNC || h_symbol_of(value)->is_named) return;
  h_symbol_of(value)->name = pm_get_cstring(s->in.ctx, name);
  h_symbol_of(value)->is_named = true;
}

/* --- the end --- */

static bool add_output(session *s, pm_loc loc, cv output) {
  if (output.kind != HV_FUNC) {
    cx_fail(&s->in, loc, "this is %s, a Func should be computed", cv_describe(&s->in, output));
    return false;
  }
  if (h_symbol_of(output)->is_output) {
    cx_fail(&s->in, loc, "%s is among the outputs twice", h_symbol_of(output)->name->text);
    return false;
  }
  h_add_output(&s->in, h_symbol_of(output));
  return true;
}

static pm_module *finish(void *user, pm_loc loc, const pm_host_value *outputs, const char *name) {
  session *s = user;
  cv given = to_value(s, outputs);
  bool is_list = given.kind == CV_LIST, ok = true;
  for (uint32_t i = 0; ok && is_list && i < given.list->items.len; i++)
    ok = add_output(s, loc, given.list->items.data[i]->value);
  if (!is_list) ok = add_output(s, loc, given);
  return ok ? lower_halide(&s->state.program, &s->given.options, loc,
                           name ? name : s->given.options.pipeline_name)
            : NULL;
}

const pm_session_hooks halide_session = {.open = open_session,
                                         .close = close_session,
                                         .find = find_name,
                                         .call = call_value,
                                         .apply = apply,
                                         .set = set_attribute,
                                         .name = name_item,
                                         .finish = finish};
