/* Values that are not known, and what depends on them. */
#include "frontends/polymage/unknown.h"

#include <stdarg.h>
#include <string.h>

/* Frees the text. */
static py_value new_unknown(py_interp *py, pm_loc loc, pm_buf *text, const py_constant *constant) {
  py_unknown unknown = {loc, pm_arena_strndup(py->arena, text->data, text->len), constant};
  pm_buf_free(text);
  py->last_unknown = pm_arena_memdup(py->arena, &unknown, sizeof(unknown));
  return (py_value){.type = VAL_POISON, .unknown = py->last_unknown};
}

py_value py_not_known(py_interp *py, pm_loc loc, const char *fmt, ...) {
  pm_buf text = {0};
  va_list args;
  va_start(args, fmt);
  pm_vformat(&text, fmt, args);
  va_end(args);
  return new_unknown(py, loc, &text, NULL);
}

/* --- constants --- */

static bool has_constant(const py_constant *const *constants, size_t n, const char *name) {
  for (size_t i = 0; i < n; i++)
    if (strcmp(constants[i]->name, name) == 0) return true;
  return false;
}

static void ask(py_interp *py, const py_constant *constant) {
  if (!py->in_setup && !has_constant(py->asked.data, py->asked.len, constant->name))
    PM_VEC_PUSH(py->asked, constant);
}

void py_miss_constant(py_interp *py, const py_constant *constant) {
  if (py->built || py->stopped) return;
  ask(py, constant);
  py->failed = true;
  if (!py->probing && !has_constant(py->missing.data, py->missing.len, constant->name))
    PM_VEC_PUSH(py->missing, constant);
}

static void put_paths(pm_buf *out, const py_interp *py) {
  size_t n = py->missing.len;
  for (size_t i = 0; i < n; i++)
    pm_buf_printf(out, "%s'%s'", i == 0 ? "" : i + 1 < n ? ", " : " and ", py->missing.data[i]->path);
}

static void put_option(pm_buf *out, const py_constant *constant) {
  pm_buf_printf(out, "%s--const %s=<value>", out->len ? " " : "", constant->name);
}

static bool are_undefined(const py_interp *py) {
  for (size_t i = 0; i < py->missing.len; i++)
    if (!py->missing.data[i]->undefined) return false;
  return true;
}

/* Of what was asked for, what may be needed besides. */
static void drop_missing(py_interp *py) {
  size_t kept = 0;
  for (size_t i = 0; i < py->asked.len; i++)
    if (!has_constant(py->missing.data, py->missing.len, py->asked.data[i]->name))
      py->asked.data[kept++] = py->asked.data[i];
  py->asked.len = kept;
}

void py_report_missing(py_interp *py) {
  size_t n = py->missing.len;
  if (n == 0) return;
  pm_buf names = {0}, options = {0}, more = {0};
  drop_missing(py);
  put_paths(&names, py);
  for (size_t i = 0; i < n; i++) put_option(&options, py->missing.data[i]);
  for (size_t i = 0; i < py->asked.len; i++) put_option(&more, py->asked.data[i]);
  const char *also = more.len ? "; the program also asks for " : "";
  const char *it = n == 1 ? "it" : "them";
  pm_loc loc = py->missing.data[0]->loc;
  if (are_undefined(py))
    pm_error(py->ctx, loc, "%s %s not defined, %s or %s should define %s%s%s", names.data,
             n == 1 ? "is" : "are", n == 1 ? "an assignment" : "assignments", options.data, it, also,
             more.len ? more.data : "");
  else
    pm_error(py->ctx, loc, "%s %s, %s should give %s%s%s", names.data,
             n == 1 ? "has no value" : "have no values", options.data, it, also, more.len ? more.data : "");
  for (size_t i = 1; i < n; i++)
    pm_note(py->ctx, py->missing.data[i]->loc, "'%s' is asked for here", py->missing.data[i]->path);
  for (size_t i = 0; i < py->asked.len; i++)
    pm_note(py->ctx, py->asked.data[i]->loc, "'%s' is asked for here", py->asked.data[i]->path);
  pm_buf_free(&more);
  pm_buf_free(&names);
  pm_buf_free(&options);
}

/* --- what is not known --- */

py_value py_demand(py_interp *py, py_value v) {
  if (!py_is_unknown(v) || py->in_setup) return v;
  if (v.unknown->constant) {
    py_miss_constant(py, v.unknown->constant);
    return PY_POISON;
  }
  /* Once, however many places need it. */
  pm_string text = pm_get_cstring(py->ctx, v.unknown->text);
  if (pm_map_has(py->reported, text)) return PY_POISON;
  pm_map_set(py->reported, text, NULL);
  return py_fail(py, v.unknown->loc, "%s", v.unknown->text);
}

py_value py_need(py_interp *py, pm_loc loc, py_value v) {
  if (v.type == VAL_LIST && v.seq->unknown) return (py_value){.type = VAL_POISON, .unknown = v.seq->unknown};
  if (v.type != VAL_DICT || !v.dict->open || v.dict->len > 0) return v;
  py_constant constant = {loc, v.dict->path, v.dict->dotted, false};
  const py_constant *kept = pm_arena_memdup(py->arena, &constant, sizeof(constant));
  pm_buf text = {0};
  pm_buf_printf(&text, "'%s' has no value, --const %s=<value> should give it", kept->path, kept->name);
  ask(py, kept);
  return new_unknown(py, loc, &text, kept);
}

static py_value first_unknown(py_interp *py, pm_loc loc, py_value v, unsigned depth) {
  enum { MAX_DEPTH = 4 };
  v = py_need(py, loc, v);
  if (!py_is_seq(v) || depth == MAX_DEPTH) return v;
  py_value found = v;
  for (size_t i = 0; i < v.seq->len; i++) {
    py_value item = first_unknown(py, loc, v.seq->items[i], depth + 1);
    if (py_is_poison(item) && !py_is_poison(found)) found = item;
  }
  return found;
}

py_value py_first_unknown(py_interp *py, pm_loc loc, py_value v) {
  return first_unknown(py, loc, v, 0);
}

py_value py_first_unknown_of(py_interp *py, const py_call *call, bool deep) {
  py_value found = PY_NONE;
  for (unsigned i = 0; i < call->n_args; i++) {
    const py_arg *arg = &call->args[i];
    py_value v = deep ? py_first_unknown(py, arg->loc, arg->value) : py_need(py, arg->loc, arg->value);
    if (py_is_poison(v) && !py_is_poison(found)) found = v;
  }
  return found;
}

/* --- statements that may not run --- */

/* Any of the keys, where it is not known which. */
static void forget_keys(py_interp *py, py_dict *dict, py_value key, py_value why) {
  uint64_t hash;
  py_look look = {0};
  dict->unknown = why.unknown;
  if (py_hash(key, &hash, &look)) {
    py_dict_set(py->arena, dict, key, hash, why);
    return;
  }
  for (size_t i = 0; i < dict->len; i++) dict->entries[i].value = why;
}

void py_forget_items(py_interp *py, py_value v, py_value why) {
  if (v.type == VAL_LIST) v.seq->unknown = why.unknown;
  if (v.type == VAL_DICT && !v.dict->open) forget_keys(py, v.dict, why, why);
}

static py_value *variable(py_env *env, const py_node *n) {
  if (n->kind != NODE_NAME) return NULL;
  for (; env; env = env->parent) {
    py_value *v = py_dict_get_name(&env->vars, n->name);
    if (v) return v;
  }
  return NULL;
}

void py_forget_arguments(py_interp *py, py_env *env, const py_node *call, py_value result) {
  if (!py->in_setup || !py_is_unknown(result) || call->kind != NODE_CALL) return;
  const py_value *self = call->a->kind == NODE_ATTR ? variable(env, call->a->a) : NULL;
  const py_value *callee = variable(env, call->a);
  if (self && self->type == VAL_LIST) py_forget_items(py, *self, result);
  for (uint32_t i = 0; i < call->n_items && !(callee && callee->type == VAL_FUNCTION); i++) {
    const py_value *v = variable(env, call->items[i]);
    if (v && v->type == VAL_LIST) py_forget_items(py, *v, result);
  }
}

/* In the set-up: an item of what the program made, or of what comes from outside. */
static bool forget_item(py_interp *py, py_env *env, const py_node *target, py_value why) {
  if (!py->in_setup) return false;
  py_value base = py_eval(py, env, target->a), key = target->b ? py_eval(py, env, target->b) : PY_POISON;
  if (base.type == VAL_LIST) py_forget_items(py, base, why);
  if (base.type != VAL_DICT) return true;
  if (base.dict->open && !py_is_poison(key))
    py_set_item(py, target->loc, base, key, why);
  else
    forget_keys(py, base.dict, key, why);
  return true;
}

static bool forget_attribute(py_interp *py, py_env *env, const py_node *target, py_value why) {
  if (!py->in_setup) return false;
  py_value base = py_eval(py, env, target->a);
  if (base.type == VAL_SYMBOL) base.symbol->unknown = why.unknown;
  return true;
}

static bool forget_target(py_interp *py, py_env *env, const py_node *target, py_value why) {
  bool ok = true;
  switch (target->kind) {
  case NODE_NAME:
    py_dict_set_name(py->arena, &env->vars, target->name, why);
    return true;
  case NODE_TUPLE:
  case NODE_LIST:
    for (uint32_t i = 0; i < target->n_items; i++) ok &= forget_target(py, env, target->items[i], why);
    return ok;
  case NODE_INDEX:
    return forget_item(py, env, target, why);
  case NODE_ATTR:
    return forget_attribute(py, env, target, why);
  default:
    return py->in_setup;
  }
}

static bool forget_all(py_interp *py, py_env *env, const py_node *n, py_value why) {
  bool ok = true;
  for (uint32_t i = 0; i < n->n_items; i++)
    ok &= n->kind == NODE_BLOCK ? py_forget(py, env, n->items[i], why)
                                : forget_target(py, env, n->items[i], why);
  return ok;
}

bool py_forget(py_interp *py, py_env *env, const py_node *n, py_value why) {
  if (!n) return true;
  bool first;
  switch (n->kind) {
  case NODE_BLOCK:
  case NODE_ASSIGN:
    return forget_all(py, env, n, why);
  case NODE_AUGMENT:
    /* A list is changed in place. */
    if (variable(env, n->a)) py_forget_items(py, *variable(env, n->a), why);
    return forget_target(py, env, n->a, why);
  case NODE_IF:
    first = py_forget(py, env, n->b, why);
    return py_forget(py, env, n->c, why) && first;
  case NODE_WHILE:
    return py_forget(py, env, n->b, why);
  case NODE_FOR:
    first = forget_target(py, env, n->a, why);
    return py_forget(py, env, n->c, why) && first;
  case NODE_DEF:
    py_dict_set_name(py->arena, &env->vars, n->name, why);
    return true;
  case NODE_PASS:
  case NODE_ASSERT:
    return true;
  case NODE_EXPR:
    return py->in_setup || n->a->kind == NODE_STRING;
  default:
    return false;
  }
}
