#include "frontends/polymage/session.h"

#include "frontends/polymage/build.h"
#include "frontends/polymage/imports.h"
#include "frontends/polymage/unknown.h"

#include <stdlib.h>
#include <string.h>

typedef struct session {
  py_interp py; /* in which each call succeeds, or leaves nothing that a later one sees */
  dsl_program dsl;
  polymage_given given;
  PM_VEC(py_value) items; /* by their numbers, less 1 */
} session;

static void *open_session(pm_context *ctx, const pm_frontend_input *input) {
  session *s = pm_xcalloc(1, sizeof *s);
  pm_arena *arena = pm_arena_new();
  s->given = polymage_take_options(input);
  s->dsl = (dsl_program){.ctx = ctx, .arena = arena};
  s->py = (py_interp){
      .ctx = ctx, .arena = arena, .options = &s->given.options, .dsl = &s->dsl, .reported = pm_map_new()};
  s->py.const_uses = pm_arena_alloc(arena, (s->given.options.n_consts + 1) * sizeof *s->py.const_uses);
  py_begin_files(&s->py, input->file);
  return s;
}

static void close_session(void *user) {
  session *s = user;
  py_free_files(&s->py);
  PM_VEC_FREE(s->py.missing);
  PM_VEC_FREE(s->py.asked);
  PM_VEC_FREE(s->items);
  pm_map_free(s->py.reported);
  pm_arena *arena = s->py.arena;
  dsl_program_free(&s->dsl);
  polymage_given_free(&s->given);
  pm_arena_free(arena);
  free(s);
}

/* --- values --- */

static py_value to_value(session *s, const pm_host_value *v);

static py_value to_sequence(session *s, const pm_host_value *v) {
  py_value seq = py_new_seq(s->py.arena, v->kind == PM_HOST_LIST ? VAL_LIST : VAL_TUPLE, v->len);
  for (size_t i = 0; i < v->len; i++) py_seq_push(s->py.arena, seq.seq, to_value(s, &v->items[i]));
  return seq;
}

static py_value to_value(session *s, const pm_host_value *v) {
  switch (v->kind) {
  case PM_HOST_NONE:
    return PY_NONE;
  case PM_HOST_BOOL:
    return py_bool(v->i != 0);
  case PM_HOST_INT:
    return py_int(v->i);
  case PM_HOST_FLOAT:
    return py_float(v->f);
  case PM_HOST_TEXT:
    return py_string(s->py.arena, v->text, v->len);
  case PM_HOST_LIST:
  case PM_HOST_TUPLE:
    return to_sequence(s, v);
  case PM_HOST_ITEM:
    return v->i >= 1 && (size_t)v->i <= s->items.len ? s->items.data[v->i - 1] : PY_POISON;
  }
  return PY_POISON;
}

/* False: it is that of an error, after which the session is as it was before. */
static bool give(session *s, py_value value, pm_host_value *result) {
  bool ok = !py_is_poison(value) && !s->py.failed;
  if (!ok) {
    py_demand(&s->py, value);
    py_report_missing(&s->py);
    s->py.missing.len = 0;
    s->py.failed = s->py.stopped = false;
    s->py.last_unknown = NULL;
    pm_map_free(s->py.reported);
    s->py.reported = pm_map_new();
    return false;
  }
  *result = (pm_host_value){.kind = PM_HOST_NONE};
  if (value.type == VAL_BOOL) *result = (pm_host_value){.kind = PM_HOST_BOOL, .i = value.b};
  if (value.type == VAL_INT) *result = (pm_host_value){.kind = PM_HOST_INT, .i = value.i};
  if (value.type == VAL_FLOAT) *result = (pm_host_value){.kind = PM_HOST_FLOAT, .f = value.f};
  if (value.type == VAL_NONE || py_is_number(value)) return true;
  PM_VEC_PUSH(s->items, value);
  *result = (pm_host_value){.kind = PM_HOST_ITEM, .i = (int64_t)s->items.len};
  return true;
}

/* --- statements --- */

static bool find_name(void *user, pm_loc loc, const char *name, pm_host_value *result) {
  session *s = user;
  const py_builtin *builtin = dsl_find_builtin(pm_str_of(name));
  if (!builtin) builtin = py_find_builtin(pm_str_of(name));
  py_value value =
      builtin ? (py_value){.type = VAL_BUILTIN, .builtin = builtin} : dsl_find_constant(pm_str_of(name));
  const char *here = dsl_synonym(pm_str_of(name));
  if (py_is_poison(value) && here)
    value = py_fail(&s->py, loc, "'%s' is not part of the language, %s is", name, here);
  else if (py_is_poison(value))
    value = py_fail(&s->py, loc, "the language has no '%s'", name);
  return give(s, value, result);
}

static bool call_value(void *user, pm_loc loc, const pm_host_value *callee, const pm_host_argument *args,
                       size_t n, pm_host_value *result) {
  session *s = user;
  py_arg *given = pm_arena_alloc(s->py.arena, (n + 1) * sizeof *given);
  for (size_t i = 0; i < n; i++) {
    pm_string keyword = args[i].keyword ? pm_get_cstring(s->py.ctx, args[i].keyword) : NULL;
    given[i] = (py_arg){keyword, loc, to_value(s, &args[i].value)};
  }
  py_call call = {.loc = loc, .args = given, .n_args = (unsigned)n};
  return give(s, py_call_value(&s->py, to_value(s, callee), &call), result);
}

typedef struct operator_row {
  const char *text;
  size_t n;
  py_value (*apply)(py_interp *py, pm_loc loc, py_tok op, py_value a, py_value b);
  py_tok token;
} operator_row;

static py_value negate(py_interp *py, pm_loc loc, py_tok op, py_value a, py_value b) {
  (void)op;
  (void)b;
  return dsl_negate(py, loc, a);
}

static py_value invert(py_interp *py, pm_loc loc, py_tok op, py_value a, py_value b) {
  (void)op;
  (void)b;
  return dsl_invert(py, loc, a);
}

static py_value element(py_interp *py, pm_loc loc, py_tok op, py_value a, py_value b) {
  (void)op;
  return py_index(py, loc, a, b);
}

/* `b` says what should be in place of the test. */
static py_value truth(py_interp *py, pm_loc loc, py_tok op, py_value a, py_value b) {
  (void)op;
  return py_truth(py, loc, a, b.type == VAL_STR ? b.str->text : "");
}

static py_value attribute(py_interp *py, pm_loc loc, py_tok op, py_value a, py_value b) {
  (void)op;
  return dsl_get_attribute(py, loc, a, pm_get_cstring(py->ctx, b.type == VAL_STR ? b.str->text : ""));
}

/* As `assert` does. */
static py_value require(py_interp *py, pm_loc loc, py_tok op, py_value a, py_value b) {
  (void)op;
  (void)b;
  if (a.type == VAL_COND) {
    PM_VEC_PUSH(py->dsl->constraints, a.expr);
    return PY_NONE;
  }
  py_value holds = py_truth(py, loc, a, "");
  if (holds.type == VAL_BOOL && !holds.b)
    return py_fail(py, loc, "what is required does not hold, it should");
  return holds;
}

static py_value count(py_interp *py, pm_loc loc, py_tok op, py_value a, py_value b) {
  (void)op;
  (void)b;
  py_value all = py_iterable(py, loc, a);
  return py_is_poison(all) ? all : py_int((int64_t)py_iterable_len(all));
}

static const operator_row operators[] = {
    {"+", 2, py_binary, TOK_PLUS},     {"-", 2, py_binary, TOK_MINUS},  {"*", 2, py_binary, TOK_STAR},
    {"/", 2, py_binary, TOK_SLASH},    {"//", 2, py_binary, TOK_FLOOR}, {"%", 2, py_binary, TOK_PERCENT},
    {"**", 2, py_binary, TOK_POWER},   {"<<", 2, py_binary, TOK_SHL},   {">>", 2, py_binary, TOK_SHR},
    {"&", 2, py_binary, TOK_AMP},      {"|", 2, py_binary, TOK_BAR},    {"^", 2, py_binary, TOK_CARET},
    {"<", 2, py_compare, TOK_LT},      {"<=", 2, py_compare, TOK_LE},   {">", 2, py_compare, TOK_GT},
    {">=", 2, py_compare, TOK_GE},     {"==", 2, py_compare, TOK_EQ},   {"!=", 2, py_compare, TOK_NE},
    {"-", 1, negate, TOK_MINUS},       {"~", 1, invert, TOK_TILDE},     {"[]", 2, element, TOK_LBRACKET},
    {"len", 1, count, TOK_NAME},       {"bool", 2, truth, TOK_NAME},    {".", 2, attribute, TOK_DOT},
    {"require", 1, require, TOK_NAME},
};

static bool apply(void *user, pm_loc loc, const char *word, const pm_host_value *operands, size_t n,
                  pm_host_value *result) {
  session *s = user;
  for (size_t i = 0; i < PM_COUNT(operators); i++) {
    const operator_row *row = &operators[i];
    if (row->n != n || strcmp(row->text, word) != 0) continue;
    py_value a = to_value(s, &operands[0]), b = n > 1 ? to_value(s, &operands[1]) : PY_NONE;
    return give(s, row->apply(&s->py, loc, row->token, a, b), result);
  }
  return give(s, py_fail(&s->py, loc, "the language has no '%s' of %zu operands", word, n), result);
}

static bool set_attribute(void *user, pm_loc loc, const pm_host_value *object, const char *name,
                          const pm_host_value *value) {
  session *s = user;
  pm_host_value none;
  bool ok = dsl_set_attribute(&s->py, loc, to_value(s, object), pm_get_cstring(s->py.ctx, name),
                              to_value(s, value));
  return give(s, ok ? PY_NONE : PY_POISON, &none);
}

static void name_item(void *user, const pm_host_value *item, const char *name) {
  session *s = user;
  (void)dsl_name_value(s->py.ctx, to_value(s, item), name);
}

static pm_module *finish(void *user, pm_loc loc, const pm_host_value *outputs, const char *name) {
  session *s = user;
  polymage_options options = s->given.options;
  if (name) options.pipeline_name = name;
  s->py.options = &options;
  pm_module *module = polymage_finish(&s->py, loc, to_value(s, outputs));
  s->py.options = &s->given.options;
  return module;
}

const pm_session_hooks polymage_session = {.open = open_session,
                                           .close = close_session,
                                           .find = find_name,
                                           .call = call_value,
                                           .apply = apply,
                                           .set = set_attribute,
                                           .name = name_item,
                                           .finish = finish};
