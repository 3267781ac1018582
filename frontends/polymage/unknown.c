/* Values that are not known, and what depends on them. */
#include "frontends/polymage/unknown.h"

#include <stdarg.h>

py_value py_not_known(py_interp *py, pm_loc loc, const char *fmt, ...) {
  pm_buf text = {0};
  va_list args;
  va_start(args, fmt);
  pm_vformat(&text, fmt, args);
  va_end(args);
  py_unknown *unknown = pm_arena_alloc(py->arena, sizeof(*unknown));
  *unknown = (py_unknown){loc, pm_arena_strndup(py->arena, text.data, text.len)};
  pm_buf_free(&text);
  py->last_unknown = unknown;
  return (py_value){.type = VAL_POISON, .unknown = unknown};
}

py_value py_demand(py_interp *py, py_value v) {
  if (!py_is_unknown(v) || py->in_setup) return v;
  /* Once, however many places need it. */
  pm_string text = pm_get_cstring(py->ctx, v.unknown->text);
  if (pm_map_has(py->reported, text)) return PY_POISON;
  pm_map_set(py->reported, text, NULL);
  return py_fail(py, v.unknown->loc, "%s", v.unknown->text);
}

py_value py_need(py_interp *py, pm_loc loc, py_value v) {
  if (v.type == VAL_LIST && v.seq->unknown) return (py_value){.type = VAL_POISON, .unknown = v.seq->unknown};
  if (v.type != VAL_DICT || !v.dict->open || v.dict->len > 0) return v;
  return py_not_known(py, loc, "'%s' has no value, --const %s=<value> should give it", v.dict->path,
                      v.dict->dotted);
}

static py_value first_unknown(py_interp *py, pm_loc loc, py_value v, unsigned depth) {
  enum { MAX_DEPTH = 4 };
  v = py_need(py, loc, v);
  if (!py_is_seq(v) || depth == MAX_DEPTH) return v;
  for (size_t i = 0; i < v.seq->len; i++) {
    py_value item = first_unknown(py, loc, v.seq->items[i], depth + 1);
    if (py_is_poison(item)) return item;
  }
  return v;
}

py_value py_first_unknown(py_interp *py, pm_loc loc, py_value v) {
  return first_unknown(py, loc, v, 0);
}

py_value py_first_unknown_of(py_interp *py, const py_call *call, bool deep) {
  for (unsigned i = 0; i < call->n_args; i++) {
    const py_arg *arg = &call->args[i];
    py_value v = deep ? py_first_unknown(py, arg->loc, arg->value) : py_need(py, arg->loc, arg->value);
    if (py_is_poison(v)) return v;
  }
  return PY_NONE;
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
  py_value base = py_eval(py, env, target->a), key = py_eval(py, env, target->b);
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
