/* Statements, names and calls. */
#include "frontends/polymage/imports.h"
#include "frontends/polymage/unknown.h"

#include <stdlib.h>
#include <string.h>

enum {
  PY_MAX_DEPTH = 2000, /* of expressions inside expressions, over all running functions */
  PY_MAX_CALLS = 200,  /* of functions inside functions */
  PY_MAX_STEPS = 20000000,
  PY_MAX_PROBED = 200000, /* steps in statements that are left out */
  PY_MAX_PROBES = 4,      /* of them inside others */
  PY_STEPS_A_CHECK = 4096
};
#define PY_MAX_BYTES ((size_t)1 << 30)

typedef enum flow { FLOW_NEXT, FLOW_BREAK, FLOW_CONTINUE, FLOW_RETURN } flow;

typedef struct frame {
  py_env *env;
  py_value result;
} frame;

static flow run_block(py_interp *py, frame *f, const py_node *block);

/* --- errors and limits --- */

static bool is_new_place(py_interp *py, pm_loc loc) {
  const void *place = (const void *)(((uintptr_t)loc.file << 48 ^ (uintptr_t)loc.line << 16 ^ loc.col) + 1);
  if (pm_map_has(py->reported, place)) return false;
  pm_map_set(py->reported, place, NULL);
  return true;
}

/* What the set-up has and the language has not. */
static py_value leave_out(py_interp *py, pm_loc loc, const char *text) {
  if (is_new_place(py, loc))
    pm_remark(py->ctx, loc, PM_REMARK_MISSED, "polymage", NULL, 0, "left out: %s", text);
  return py_not_known(py, loc, "%s", text);
}

py_value py_fail(py_interp *py, pm_loc loc, const char *fmt, ...) {
  if (py->built || py->probing) return PY_POISON;
  py->failed |= !py->in_setup;
  if (py->stopped || (!py->in_setup && !is_new_place(py, loc))) return PY_POISON;
  pm_buf text = {0};
  py_value result = PY_POISON;
  va_list args;
  va_start(args, fmt);
  pm_vformat(&text, fmt, args);
  va_end(args);
  if (py->in_setup)
    result = leave_out(py, loc, text.data);
  else
    pm_error(py->ctx, loc, "%s", text.data);
  pm_buf_free(&text);
  return result;
}

void py_warn(py_interp *py, pm_loc loc, const char *fmt, ...) {
  if (py->built || py->probing || py->in_setup || py->stopped || !is_new_place(py, loc)) return;
  pm_buf text = {0};
  va_list args;
  va_start(args, fmt);
  pm_vformat(&text, fmt, args);
  va_end(args);
  pm_warning(py->ctx, loc, "%s", text.data);
  pm_buf_free(&text);
}

/* An error of the whole program, the set-up included. */
static void stop(py_interp *py, pm_loc loc, const char *message) {
  py->in_setup = false;
  py_fail(py, loc, "%s", message);
  py->stopped = true;
}

bool py_steps(py_interp *py, pm_loc loc, size_t count) {
  if (py->stopped) return false;
  if (py->probing) return (py->probed += count) <= PY_MAX_PROBED;
  bool check = py->steps / PY_STEPS_A_CHECK != (py->steps + count) / PY_STEPS_A_CHECK;
  py->steps += count;
  if (py->steps > PY_MAX_STEPS)
    stop(py, loc, "the program is still running after 20000000 steps, it should end");
  else if (check && pm_arena_bytes(py->arena) > PY_MAX_BYTES)
    stop(py, loc, "the program's values take more than 1 GiB, they should be smaller");
  return !py->stopped;
}

bool py_looked(py_interp *py, pm_loc loc, const py_look *look) {
  if (!py_steps(py, loc, look->work)) return false;
  if (look->too_deep)
    py_fail(py, loc, "this looks into lists that are nested more than %d deep, they should be flatter",
            (int)PY_MAX_CONTAINED);
  return !look->too_deep;
}

/* --- names --- */

static py_value *find_variable(py_env *env, pm_string name) {
  for (; env; env = env->parent) {
    py_value *v = py_dict_get_name(&env->vars, name);
    if (v) return v;
  }
  return NULL;
}

static void set_variable(py_interp *py, py_env *env, pm_string name, py_value value) {
  if (env == py->globals) py_note_assignment(py, name->text, value);
  py_dict_set_name(py->arena, &env->vars, name, value);
}

static pm_str name_text(pm_string name) {
  return (pm_str){name->text, name->len};
}

static void consider(pm_str wanted, const char *candidate, const char **best, unsigned *distance) {
  unsigned d = pm_edit_distance(wanted, pm_str_of(candidate), *distance);
  if (d >= *distance) return;
  *best = candidate;
  *distance = d;
}

/* Names that differ in that many letters, or more, are not meant for each other. */
static unsigned least_distance(pm_str name) {
  return name.len < 3 ? 1 : name.len < 4 ? 2 : name.len < 8 ? 3 : 4;
}

static const char *nearest_name(py_env *env, pm_str name) {
  unsigned distance = least_distance(name);
  const char *best = NULL;
  for (; env; env = env->parent)
    for (size_t i = 0; i < env->vars.len; i++)
      consider(name, env->vars.entries[i].key.module->text, &best, &distance);
  const char *builtin = dsl_nearest(name, &distance);
  best = builtin ? builtin : best;
  builtin = py_nearest_builtin(name, &distance);
  return builtin ? builtin : best;
}

/* The module from which the name was imported without being there, or NULL. */
static const char *imported_from(py_env *env, pm_string name) {
  while (env->parent) env = env->parent;
  const py_value *module = py_dict_get_name(&env->missing, name);
  return module ? module->module->text : NULL;
}

static const char not_in_module[] = "'%pS' of the module %s is not part of the language (docs/polymage.md), "
                                    "and the program's folder has no such "
                                    "file: a def should replace it";

static py_value report_undefined(py_interp *py, py_env *env, pm_loc loc, pm_string name, bool called) {
  const char *module = imported_from(env, name), *here = dsl_synonym(name_text(name));
  const char *nearest = module || here ? NULL : nearest_name(env, name_text(name));
  const void *text = name;
  if (here) return py_fail(py, loc, "'%pS' is not part of the language, %s is", text, here);
  if (module) return py_fail(py, loc, not_in_module, text, module);
  if (nearest) return py_fail(py, loc, "'%pS' is not defined, '%s' is the nearest name", text, nearest);
  if (called) return py_fail(py, loc, "'%pS' is not defined, a def or an import should define it", text);
  if (py->in_setup)
    return py_fail(py, loc, "'%pS' is not defined, an assignment or --const %pS=<value> should define it",
                   text, text);
  py_constant constant = {loc, name->text, name->text, true};
  py_miss_constant(py, pm_arena_memdup(py->arena, &constant, sizeof(constant)));
  return PY_POISON;
}

static py_value undefined(py_interp *py, py_env *env, pm_loc loc, pm_string name, bool called) {
  py_value unknown = report_undefined(py, env, loc, name, called);
  while (env->parent) env = env->parent;
  if (!py->in_setup) set_variable(py, env, name, PY_POISON);
  return unknown;
}

/* What the language itself calls so; false when nothing. */
static bool find_language_name(pm_str name, py_value *value) {
  *value = dsl_find_constant(name);
  if (py_is_poison(*value)) *value = py_find_constant(name);
  if (!py_is_poison(*value)) return true;
  const py_builtin *builtin = dsl_find_builtin(name);
  if (!builtin) builtin = py_find_builtin(name);
  *value = (py_value){.type = VAL_BUILTIN, .builtin = builtin};
  return builtin != NULL;
}

static py_value eval_name(py_interp *py, py_env *env, const py_node *n, bool called) {
  const py_value *variable = find_variable(env, n->name);
  if (variable) py_note_use(py, n->name->text);
  if (variable) return *variable;
  py_value value;
  if (find_language_name(name_text(n->name), &value)) return value;
  return undefined(py, env, n->loc, n->name, called);
}

/* A module, or a name that nothing defines, which is taken for one: the prefix of the language's names. A
 * path that is deeper than what is evaluated is none: each level of it asks this. */
static bool is_module_path(py_env *env, const py_node *n) {
  for (int depth = 0; n->kind == NODE_ATTR && depth < PY_MAX_DEPTH; depth++) n = n->a;
  if (n->kind != NODE_NAME) return false;
  const py_value *variable = find_variable(env, n->name);
  py_value value;
  return variable ? variable->type == VAL_MODULE : !find_language_name(name_text(n->name), &value);
}

static py_value eval_module_attr(py_interp *py, py_env *env, const py_node *n) {
  py_value value;
  if (find_language_name(name_text(n->name), &value)) return value;
  const py_node *root = n->a;
  while (root->kind == NODE_ATTR) root = root->a;
  if (!find_variable(env, root->name)) return undefined(py, env, root->loc, root->name, true);
  unsigned distance = least_distance(name_text(n->name));
  const char *nearest = dsl_nearest(name_text(n->name), &distance), *here = dsl_synonym(name_text(n->name));
  const void *name = n->name;
  if (here) return py_fail(py, n->loc, "'%pS' is not part of the language, %s is", name, here);
  if (nearest) return py_fail(py, n->loc, "'%pS' is not part of the language, '%s' is", name, nearest);
  const py_value *module = find_variable(env, root->name);
  return py_fail(py, n->loc, not_in_module, name, module->module->text);
}

static py_value eval_attr(py_interp *py, py_env *env, const py_node *n) {
  if (is_module_path(env, n->a)) return eval_module_attr(py, env, n);
  py_value base = py_eval(py, env, n->a);
  if (py_is_poison(base)) return base;
  if (base.type == VAL_FILE) return py_file_name(py, n->loc, base.file, n->name);
  if (base.type == VAL_DICT && base.dict->open && py_is_poison(py_find_method(py, base, n->name)))
    return py_index(py, n->loc, base, py_string(py->arena, n->name->text, n->name->len));
  py_value method = py_find_method(py, base, n->name);
  return py_is_poison(method) ? dsl_get_attribute(py, n->loc, base, n->name) : method;
}

/* --- calls --- */

static int parameter_index(const py_node *function, pm_string name) {
  for (uint32_t i = 0; i < function->n_items; i++)
    if (function->items[i]->name == name) return (int)i;
  return -1;
}

static bool bind_keyword(py_interp *py, const py_node *function, const py_arg *arg, py_value *values,
                         bool *set) {
  int at = parameter_index(function, arg->keyword);
  if (at < 0)
    return py_fail(py, arg->loc, "%s has no parameter '%pS', it should be called as %s",
                   py_function_text(py, function, false), (const void *)arg->keyword,
                   py_function_text(py, function, true)),
           false;
  if (set[at])
    return py_fail(py, arg->loc, "'%pS' is given twice, once should do", (const void *)arg->keyword), false;
  values[at] = arg->value;
  set[at] = true;
  return true;
}

/* Arguments to parameters: by name, or the next that is free. */
static bool bind(py_interp *py, const py_function *function, const py_call *call, py_value *values,
                 bool *set) {
  const py_node *n = function->node;
  uint32_t next = 0;
  for (unsigned i = 0; i < call->n_args; i++) {
    const py_arg *arg = &call->args[i];
    if (arg->keyword) {
      if (!bind_keyword(py, n, arg, values, set)) return false;
      continue;
    }
    while (next < n->n_items && set[next]) next++;
    if (next == n->n_items)
      return py_fail(py, arg->loc, "%s is given %u argument%s, it should be called as %s",
                     py_function_text(py, n, false), call->n_args, py_plural(call->n_args),
                     py_function_text(py, n, true)),
             false;
    values[next] = arg->value;
    set[next++] = true;
  }
  return true;
}

static bool fill_defaults(py_interp *py, const py_function *function, const py_call *call, py_value *values,
                          const bool *set) {
  for (uint32_t i = 0; i < function->node->n_items; i++) {
    const py_node *parameter = function->node->items[i];
    if (set[i]) continue;
    if (!parameter->a)
      return py_fail(py, call->loc, "%s is given nothing for '%pS', it should be called as %s",
                     py_function_text(py, function->node, false), (const void *)parameter->name,
                     py_function_text(py, function->node, true)),
             false;
    values[i] = function->defaults[i];
  }
  return true;
}

py_value py_call_function(py_interp *py, pm_loc loc, const py_function *function, const py_value *args) {
  const py_node *n = function->node;
  if (py->probing && py->call_depth >= PY_MAX_CALLS) return PY_POISON;
  if (py->call_depth >= PY_MAX_CALLS) {
    stop(py, loc, "functions call each other more than 200 deep, the recursion should end");
    return PY_POISON;
  }
  py_env *env = pm_arena_alloc(py->arena, sizeof(*env));
  env->parent = function->env;
  for (uint32_t i = 0; i < n->n_items; i++) set_variable(py, env, n->items[i]->name, args[i]);
  py->call_depth++;
  bool skipped_outside = py->skipped;
  py->skipped = false;
  frame f = {.env = env, .result = PY_NONE};
  if (n->kind == NODE_LAMBDA)
    f.result = py_eval(py, env, n->a);
  else if (run_block(py, &f, n->a) != FLOW_RETURN && py->skipped)
    f.result = PY_POISON;
  py->skipped = skipped_outside;
  py->call_depth--;
  return f.result;
}

static py_value call_with(py_interp *py, const py_function *function, const py_call *call) {
  size_t n = function->node->n_items;
  py_value *values = pm_arena_alloc(py->arena, (n + 1) * sizeof(*values));
  bool *set = pm_arena_alloc(py->arena, n + 1);
  if (!bind(py, function, call, values, set) || !fill_defaults(py, function, call, values, set))
    return PY_POISON;
  return py_call_function(py, call->loc, function, values);
}

/* Some of its arguments do not matter. */
static bool takes_unknown(const py_builtin *builtin) {
  static const char *const names[] = {"buildPipeline", "zeros", "ones"};
  for (size_t i = 0; i < PM_COUNT(names); i++)
    if (strcmp(builtin->name, names[i]) == 0) return true;
  return false;
}

static py_value call_builtin(py_interp *py, const py_builtin *builtin, const py_call *call) {
  py_call named = *call;
  named.name = builtin->name;
  py_value unknown = takes_unknown(builtin) ? PY_NONE : py_first_unknown_of(py, call, false);
  if (py_is_poison(unknown)) return unknown;
  unsigned errors = pm_error_count(py->ctx);
  py_value result = builtin->call(py, &named);
  bool in_silence = py_is_poison(result) && !py_is_unknown(result) && pm_error_count(py->ctx) == errors;
  if (in_silence) unknown = py_first_unknown_of(py, call, true);
  return py_is_unknown(unknown) ? unknown : result;
}

static py_value read_symbol(py_interp *py, const py_call *call, dsl_symbol *symbol) {
  py_value unknown = py_first_unknown_of(py, call, false);
  return py_is_poison(unknown) ? unknown : dsl_read(py, call, symbol);
}

py_value py_call_value(py_interp *py, py_value callee, const py_call *call) {
  switch (callee.type) {
  case VAL_POISON:
    return callee;
  case VAL_FUNCTION:
    return call_with(py, callee.function, call);
  case VAL_BUILTIN:
    return call_builtin(py, callee.builtin, call);
  case VAL_METHOD:
    return py_call_method(py, callee.method, call);
  case VAL_SYMBOL:
    if (callee.symbol->kind == DSL_IMAGE || callee.symbol->kind == DSL_FUNCTION)
      return read_symbol(py, call, callee.symbol);
    break;
  default:
    break;
  }
  if (py_is_seq(callee))
    return py_fail(py, call->loc, "%s is called, Table(type, values) should make what is read at points",
                   py_describe(py, callee));
  return py_fail(py, call->loc, "%s is called, a stage, an image or a function should be%s",
                 py_describe(py, callee),
                 callee.type == VAL_NONE ? "; what a function without 'return' gives is None" : "");
}

static py_value eval_call(py_interp *py, py_env *env, const py_node *n) {
  py_value callee = n->a->kind == NODE_NAME ? eval_name(py, env, n->a, true) : py_eval(py, env, n->a);
  py_arg *args = pm_arena_alloc(py->arena, (n->n_items + 1) * sizeof(*args));
  for (uint32_t i = 0; i < n->n_items; i++) {
    const py_node *item = n->items[i];
    bool keyword = item->kind == NODE_KEYWORD;
    args[i] = (py_arg){keyword ? item->name : NULL, item->loc, py_eval(py, env, keyword ? item->a : item)};
  }
  py_call call = {.loc = n->loc, .args = args, .n_args = n->n_items};
  return py_call_value(py, callee, &call);
}

static py_value eval_function(py_interp *py, py_env *env, const py_node *n) {
  py_function *function = pm_arena_alloc(py->arena, sizeof(*function));
  function->node = n;
  function->env = env;
  function->defaults = pm_arena_alloc(py->arena, (n->n_items + 1) * sizeof(py_value));
  for (uint32_t i = 0; i < n->n_items; i++)
    if (n->items[i]->a) function->defaults[i] = py_eval(py, env, n->items[i]->a);
  return (py_value){.type = VAL_FUNCTION, .function = function};
}

/* --- expressions --- */

static const char test_by_case[] = "Case(condition, value) or Select(condition, a, b) should test it";

static py_value eval_items(py_interp *py, py_env *env, const py_node *n) {
  py_value list = py_new_seq(py->arena, n->kind == NODE_LIST ? VAL_LIST : VAL_TUPLE, n->n_items);
  for (uint32_t i = 0; i < n->n_items; i++) py_seq_push(py->arena, list.seq, py_eval(py, env, n->items[i]));
  return list;
}

static py_value eval_dict(py_interp *py, py_env *env, const py_node *n) {
  py_value dict = {.type = VAL_DICT, .dict = pm_arena_alloc(py->arena, sizeof(py_dict))};
  for (uint32_t i = 0; i + 1 < n->n_items; i += 2) {
    py_value key = py_eval(py, env, n->items[i]);
    py_value value = py_eval(py, env, n->items[i + 1]);
    if (py_is_poison(key) || !py_set_item(py, n->items[i]->loc, dict, key, value)) return PY_POISON;
  }
  return dict;
}

/* The chain of left operands is walked without recursion: sums may have thousands of terms. */
static py_value eval_binary(py_interp *py, py_env *env, const py_node *n) {
  PM_VEC(const py_node *) spine = {0};
  for (; n->kind == NODE_BINARY; n = n->a) PM_VEC_PUSH(spine, n);
  py_value left = py_eval(py, env, n);
  while (spine.len > 0) {
    const py_node *op = PM_VEC_POP(spine);
    py_value right = py_eval(py, env, op->b);
    left = py_binary(py, op->loc, op->op, left, right);
  }
  PM_VEC_FREE(spine);
  return left;
}

static py_value eval_unary(py_interp *py, py_env *env, const py_node *n) {
  py_value v = py_eval(py, env, n->a);
  if (py_is_poison(v)) return v;
  if (n->op == TOK_PLUS && (py_is_number(v) || dsl_is_operand(v))) return v;
  if (n->op == TOK_TILDE && py_is_int(v)) return py_int(~py_as_int(v));
  if (n->op == TOK_MINUS && v.type == VAL_FLOAT) return py_float(-v.f);
  if (n->op == TOK_MINUS && py_is_int(v)) return py_binary(py, n->loc, TOK_MINUS, py_int(0), v);
  if (n->op == TOK_MINUS && dsl_is_operand(v)) return dsl_negate(py, n->loc, v);
  if (n->op == TOK_TILDE && dsl_is_operand(v)) return dsl_invert(py, n->loc, v);
  return py_fail(py, n->loc, "the operand of %s is %s, a number should be", py_tok_text(n->op),
                 py_describe(py, v));
}

static py_value eval_compare(py_interp *py, py_env *env, const py_node *n) {
  py_value a = py_eval(py, env, n->a);
  py_value b = py_eval(py, env, n->b);
  py_value result = py_compare(py, n->loc, n->op, a, b);
  return n->negated && result.type == VAL_BOOL ? py_bool(!result.b) : result;
}

/* x > 0 & y > 0 is the chain x > (0 & y) > 0. */
static bool is_chain_of_joins(const py_node *n) {
  const py_node *middle = n->b->kind == NODE_COMPARE ? n->b->a : NULL;
  return middle && middle->kind == NODE_BINARY && (middle->op == TOK_AMP || middle->op == TOK_BAR);
}

static const char *instead_of_and_or(const py_node *n) {
  if (n->kind == NODE_OR) return "'|' should replace 'or', as in (x < 1) | (x > 8)";
  if (n->op == TOK_AND) return "'&' should replace 'and', as in (x > 1) & (y > 1)";
  if (is_chain_of_joins(n))
    return "comparisons that '&' and '|' join should be in parentheses, as in (x > 0) & (y > 0)";
  return "comparisons in a chain should be joined by '&', as in (0 <= x) & (x < 9)";
}

static py_value eval_and_or(py_interp *py, py_env *env, const py_node *n) {
  py_value left = py_eval(py, env, n->a);
  py_value truth = py_truth(py, n->a->loc, left, instead_of_and_or(n));
  if (py_is_poison(truth)) return truth;
  return truth.b == (n->kind == NODE_AND) ? py_eval(py, env, n->b) : left;
}

static py_value eval_not(py_interp *py, py_env *env, const py_node *n) {
  py_value truth = py_truth(py, n->loc, py_eval(py, env, n->a),
                            "the opposite comparison should be written, x <= 1 for not x > 1");
  return py_is_poison(truth) ? truth : py_bool(!truth.b);
}

static py_value eval_ternary(py_interp *py, py_env *env, const py_node *n) {
  py_value truth = py_truth(py, n->a->loc, py_eval(py, env, n->a), "Select(condition, a, b) should test it");
  return py_is_poison(truth) ? truth : py_eval(py, env, truth.b ? n->b : n->c);
}

static bool assign(py_interp *py, py_env *env, const py_node *target, py_value value);

/* All conditions hold: 1, one does not: 0, an error: -1. */
static int clause_holds(py_interp *py, py_env *env, const py_node *clause) {
  for (uint32_t i = 0; i < clause->n_items; i++) {
    py_value truth = py_truth(py, clause->items[i]->loc, py_eval(py, env, clause->items[i]), test_by_case);
    if (py_is_poison(truth)) return -1;
    if (!truth.b) return 0;
  }
  return 1;
}

static bool run_clauses(py_interp *py, py_env *env, const py_node *n, uint32_t clause, py_seq *out,
                        py_value *why) {
  if (clause == n->n_items) {
    py_seq_push(py->arena, out, py_eval(py, env, n->a));
    return true;
  }
  const py_node *c = n->items[clause];
  py_value items = py_iterable(py, c->b->loc, py_eval(py, env, c->b));
  if (py_is_poison(items)) *why = items;
  if (py_is_poison(items)) return false;
  for (size_t i = 0; i < py_iterable_len(items); i++) {
    if (!py_step(py, c->loc) || !assign(py, env, c->a, py_iterable_at(items, i))) return false;
    int holds = clause_holds(py, env, c);
    if (holds < 0 || (holds > 0 && !run_clauses(py, env, n, clause + 1, out, why))) return false;
  }
  return true;
}

static py_value eval_comprehension(py_interp *py, py_env *env, const py_node *n) {
  py_env *inner = pm_arena_alloc(py->arena, sizeof(*inner));
  inner->parent = env;
  py_value list = py_new_seq(py->arena, VAL_LIST, 0), why = PY_POISON;
  return run_clauses(py, inner, n, 0, list.seq, &why) ? list : why;
}

static py_value eval_index(py_interp *py, py_env *env, const py_node *n) {
  py_value base = py_eval(py, env, n->a);
  py_value key = py_eval(py, env, n->b);
  return py_index(py, n->loc, base, key);
}

static py_value eval_inside(py_interp *py, py_env *env, const py_node *n) {
  switch (n->kind) {
  case NODE_NAME:
    return eval_name(py, env, n, false);
  case NODE_INT:
    return py_int(n->i);
  case NODE_FLOAT:
    return py_float(n->f);
  case NODE_STRING:
    return py_string(py->arena, n->text.ptr, n->text.len);
  case NODE_BOOL:
    return py_bool(n->i != 0);
  case NODE_LIST:
  case NODE_TUPLE:
    return eval_items(py, env, n);
  case NODE_DICT:
    return eval_dict(py, env, n);
  case NODE_ATTR:
    return eval_attr(py, env, n);
  case NODE_INDEX:
    return eval_index(py, env, n);
  case NODE_CALL:
    return eval_call(py, env, n);
  case NODE_UNARY:
    return eval_unary(py, env, n);
  case NODE_BINARY:
    return eval_binary(py, env, n);
  case NODE_COMPARE:
    return eval_compare(py, env, n);
  case NODE_AND:
  case NODE_OR:
    return eval_and_or(py, env, n);
  case NODE_NOT:
    return eval_not(py, env, n);
  case NODE_TERNARY:
    return eval_ternary(py, env, n);
  case NODE_LAMBDA:
    return eval_function(py, env, n);
  case NODE_COMPREHENSION:
    return eval_comprehension(py, env, n);
  default:
    return PY_NONE;
  }
}

py_value py_eval(py_interp *py, py_env *env, const py_node *n) {
  if (!py_step(py, n->loc)) return PY_POISON;
  if (py->depth >= PY_MAX_DEPTH)
    return py_fail(py, n->loc, "the evaluation is nested more than %d deep", (int)PY_MAX_DEPTH);
  py->depth++;
  py_value v = eval_inside(py, env, n);
  py->depth--;
  return v;
}

/* --- assignment --- */

/* `level[l]` with l = 2 as level_2. */
static void put_target_name(py_interp *py, py_env *env, const py_node *target, pm_buf *out) {
  if (target->kind == NODE_NAME) {
    pm_buf_puts(out, target->name->text);
    return;
  }
  put_target_name(py, env, target->a, out);
  pm_buf_putc(out, '_');
  if (target->kind == NODE_ATTR)
    pm_buf_puts(out, target->name->text);
  else
    py_put_str(out, py_eval(py, env, target->b));
}

static bool is_plain_target(const py_node *target) {
  for (; target->kind == NODE_ATTR || target->kind == NODE_INDEX; target = target->a) continue;
  return target->kind == NODE_NAME;
}

static void name_after(py_interp *py, py_env *env, const py_node *target, py_value value) {
  if (!is_plain_target(target)) return;
  if (value.type != VAL_SYMBOL && value.type != VAL_DICT && !py_is_seq(value)) return;
  if (value.type == VAL_SYMBOL && value.symbol->given) return;
  pm_buf name = {0};
  put_target_name(py, env, target, &name);
  (void)py_steps(py, target->loc, dsl_name_value(py->ctx, value, name.data));
  pm_buf_free(&name);
}

static bool assign_all(py_interp *py, py_env *env, const py_node *target, py_value value) {
  py_value items = py_is_poison(value) ? value : py_iterable(py, target->loc, value);
  if (!py_is_poison(items) && py_iterable_len(items) != target->n_items) {
    py_fail(py, target->loc, "%zu values are assigned to %u names, there should be as many",
            py_iterable_len(items), (unsigned)target->n_items);
    items = PY_POISON;
  }
  for (uint32_t i = 0; i < target->n_items; i++)
    assign(py, env, target->items[i], py_is_poison(items) ? items : py_iterable_at(items, i));
  return !py_is_poison(items);
}

static bool assign_item(py_interp *py, py_env *env, const py_node *target, py_value value) {
  py_value base = py_eval(py, env, target->a);
  py_value key = py_need(py, target->loc, py_eval(py, env, target->b));
  if (py_is_poison(base) || py_is_poison(key)) {
    py->lost |= !py_is_unknown(base) && !py_is_unknown(key);
    if (py_is_unknown(key)) py_forget_items(py, base, key);
    return false;
  }
  name_after(py, env, target, value);
  return py_set_item(py, target->loc, base, key, value);
}

static bool assign_attribute(py_interp *py, const py_node *target, py_value base, py_value value) {
  if (py_is_poison(base)) return py_demand(py, py_first_unknown(py, target->loc, value)), false;
  if (base.type == VAL_DICT && base.dict->open)
    return py_set_item(py, target->loc, base, py_string(py->arena, target->name->text, target->name->len),
                       value);
  return dsl_set_attribute(py, target->loc, base, target->name, value);
}

static bool assign(py_interp *py, py_env *env, const py_node *target, py_value value) {
  switch (target->kind) {
  case NODE_NAME:
    name_after(py, env, target, value);
    set_variable(py, env, target->name, value);
    return true;
  case NODE_ATTR:
    return assign_attribute(py, target, py_eval(py, env, target->a), value);
  case NODE_INDEX:
    return assign_item(py, env, target, value);
  default:
    return assign_all(py, env, target, value);
  }
}

static void augment(py_interp *py, py_env *env, const py_node *n) {
  py_value old = py_eval(py, env, n->a);
  py_value amount = py_eval(py, env, n->b);
  assign(py, env, n->a, py_binary(py, n->loc, n->op, old, amount));
}

/* --- what an error leaves out --- */

static void poison_target(py_interp *py, py_env *env, const py_node *target) {
  if (target->kind == NODE_NAME) set_variable(py, env, target->name, PY_POISON);
  if (target->kind != NODE_TUPLE && target->kind != NODE_LIST) return;
  for (uint32_t i = 0; i < target->n_items; i++) poison_target(py, env, target->items[i]);
}

/* The names that the statements would set have no value any more. */
static void skip(py_interp *py, py_env *env, const py_node *n) {
  py->skipped = py->lost = true;
  for (; n; n = n->kind == NODE_IF ? n->c : NULL) {
    if (n->kind == NODE_ASSIGN || n->kind == NODE_BLOCK)
      for (uint32_t i = 0; i < n->n_items; i++)
        n->kind == NODE_BLOCK ? skip(py, env, n->items[i]) : poison_target(py, env, n->items[i]);
    if (n->kind == NODE_AUGMENT || n->kind == NODE_FOR) poison_target(py, env, n->a);
    if (n->kind == NODE_FOR) skip(py, env, n->c);
    if (n->kind == NODE_IF || n->kind == NODE_WHILE) skip(py, env, n->b);
    if (n->kind == NODE_DEF) set_variable(py, env, n->name, PY_POISON);
  }
}

/* The parts of a statement that is left out for lack of a constant are run once, in silence, for the other
 * constants that they ask for. What they change does not matter: no pipeline is made. */
static void probe(py_interp *py, const frame *f, const py_node *n) {
  if (py->probing >= PY_MAX_PROBES) return;
  py->probing++;
  frame inner = *f;
  if (n->kind == NODE_FOR) poison_target(py, f->env, n->a);
  if (n->kind == NODE_FOR) run_block(py, &inner, n->c);
  for (; n && n->kind == NODE_IF; n = n->c) run_block(py, &inner, n->b);
  if (n && n->kind == NODE_WHILE) run_block(py, &inner, n->b);
  if (n && n->kind == NODE_BLOCK) run_block(py, &inner, n);
  py->probing--;
}

/* `why` keeps the statement from being run. Where it is not known, and the statement only sets names, these
 * are not known either; the function ends where more depends on it. */
static flow leave(py_interp *py, frame *f, const py_node *n, py_value why) {
  if (py_is_unknown(why) && py_forget(py, f->env, n, why)) return FLOW_NEXT;
  if (py_is_unknown(why) && py->in_setup) {
    f->result = why;
    return FLOW_RETURN;
  }
  py_demand(py, why);
  if (py->missing.len > 0) probe(py, f, n);
  skip(py, f->env, n->kind == NODE_WHILE ? n->b : n);
  return FLOW_NEXT;
}

/* --- statements --- */

static flow run_if(py_interp *py, frame *f, const py_node *n) {
  for (; n && n->kind == NODE_IF; n = n->c) {
    py_value truth = py_truth(py, n->a->loc, py_eval(py, f->env, n->a), test_by_case);
    if (py_is_poison(truth)) return leave(py, f, n, truth);
    if (truth.b) return run_block(py, f, n->b);
  }
  return n ? run_block(py, f, n) : FLOW_NEXT;
}

static flow run_while(py_interp *py, frame *f, const py_node *n) {
  for (;;) {
    py_value truth = py_truth(py, n->a->loc, py_eval(py, f->env, n->a), test_by_case);
    if (py_is_poison(truth)) return leave(py, f, n, truth);
    if (!truth.b) return FLOW_NEXT;
    flow flow = run_block(py, f, n->b);
    if (flow == FLOW_BREAK || py->stopped) return FLOW_NEXT;
    if (flow == FLOW_RETURN) return flow;
  }
}

static flow run_for(py_interp *py, frame *f, const py_node *n) {
  py_value items = py_iterable(py, n->b->loc, py_eval(py, f->env, n->b));
  if (py_is_poison(items)) return leave(py, f, n, items);
  for (size_t i = 0; i < py_iterable_len(items); i++) {
    if (!py_step(py, n->loc)) return FLOW_NEXT;
    assign(py, f->env, n->a, py_iterable_at(items, i));
    flow flow = run_block(py, f, n->c);
    if (flow == FLOW_BREAK) return FLOW_NEXT;
    if (flow == FLOW_RETURN) return flow;
  }
  return FLOW_NEXT;
}

/* What is known is true; the condition on parameters is one that every call satisfies; outside of a set-up a
 * warning tells of what is not known. The second part of an
 * `and` is only looked at when the first holds. */
static bool holds_in_calls(py_interp *py, py_env *env, const py_node *condition, bool in_setup) {
  if (condition->kind == NODE_AND)
    return holds_in_calls(py, env, condition->a, in_setup) && holds_in_calls(py, env, condition->b, in_setup);
  py_value v = py_eval(py, env, condition);
  if (v.type == VAL_COND) {
    PM_VEC_PUSH(py->dsl->constraints, v.expr);
    return true;
  }
  py_value truth = py_truth(py, condition->loc, v, "a condition of parameters alone should be asserted");
  if (py_is_unknown(truth) && !in_setup)
    pm_warning(py->ctx, truth.unknown->loc, "the assertion is not checked: %s", truth.unknown->text);
  return truth.type != VAL_BOOL || truth.b;
}

static void run_assert(py_interp *py, py_env *env, const py_node *n) {
  if (py->probing) return;
  bool in_setup = py->in_setup;
  py->in_setup = true;
  bool holds = holds_in_calls(py, env, n->a, in_setup);
  py->in_setup = in_setup;
  if (holds || py->lost) return;
  py_value message = n->b ? py_eval(py, env, n->b) : PY_NONE;
  if (message.type == VAL_STR)
    py_fail(py, n->loc, "the assertion does not hold, it should: %s", message.str->text);
  else
    py_fail(py, n->loc, "the assertion does not hold, it should");
}

static void run_assign(py_interp *py, py_env *env, const py_node *n) {
  py_value value = py_eval(py, env, n->a);
  for (uint32_t i = 0; i < n->n_items; i++) assign(py, env, n->items[i], value);
}

/* The call of a function of an imported module that the language has not, nor one of a similar name:
 * sys.path.insert(0, "..") */
static bool is_foreign_call(py_env *env, const py_node *n) {
  if (n->kind != NODE_CALL || n->a->kind != NODE_ATTR) return false;
  pm_str name = name_text(n->a->name);
  unsigned distance = least_distance(name);
  const py_node *root = n->a;
  while (root->kind == NODE_ATTR) root = root->a;
  const py_value *module = root->kind == NODE_NAME ? find_variable(env, root->name) : NULL;
  py_value value;
  return module && module->type == VAL_MODULE && !find_language_name(name, &value) &&
         !dsl_nearest(name, &distance);
}

/* In the set-up: what it would set is not known. */
static void run_refused(py_interp *py, py_env *env, const py_node *n) {
  py_value why = py_fail(py, n->loc, "%s", n->text.ptr);
  for (uint32_t i = 0; i < n->n_items && py_is_unknown(why); i++) py_forget(py, env, n->items[i], why);
}

static void leave_call(py_interp *py, const py_node *callee) {
  if (py->probing) return;
  static const char text[] = "'%pS' is not part of the language, this call is left out";
  if (strcmp(pm_source_name(py->ctx, callee->loc.file), py->files.data[0]->path->text) == 0)
    pm_warning(py->ctx, callee->loc, text, (const void *)callee->name);
  else
    pm_remark(py->ctx, callee->loc, PM_REMARK_MISSED, "polymage", NULL, 0, text, (const void *)callee->name);
}

static void run_expression(py_interp *py, py_env *env, const py_node *n) {
  py_value result = PY_NONE;
  if (!is_foreign_call(env, n)) {
    result = py_eval(py, env, n);
  } else {
    leave_call(py, n->a);
    if (py->in_setup) result = py_not_known(py, n->loc, "this call is left out");
  }
  py_forget_arguments(py, env, n, result);
}

/* Once: what would be run after buildPipeline. */
static void note_rest(py_interp *py, const py_node *n) {
  if (n->kind == NODE_RETURN || n->kind == NODE_PASS || py->rest_noted) return;
  pm_remark(py->ctx, n->loc, PM_REMARK_MISSED, "polymage", NULL, 0,
            "this and what follows is left out, the pipeline is built");
  py->rest_noted = true;
}

static flow run_statement(py_interp *py, frame *f, const py_node *n) {
  if (py->built) note_rest(py, n);
  if (!py_step(py, n->loc)) return FLOW_RETURN;
  switch (n->kind) {
  case NODE_EXPR:
    run_expression(py, f->env, n->a);
    return FLOW_NEXT;
  case NODE_ASSIGN:
    run_assign(py, f->env, n);
    return FLOW_NEXT;
  case NODE_AUGMENT:
    augment(py, f->env, n);
    return FLOW_NEXT;
  case NODE_IF:
    return run_if(py, f, n);
  case NODE_WHILE:
    return run_while(py, f, n);
  case NODE_FOR:
    return run_for(py, f, n);
  case NODE_DEF:
    set_variable(py, f->env, n->name, eval_function(py, f->env, n));
    return FLOW_NEXT;
  case NODE_RETURN:
    f->result = n->a ? py_eval(py, f->env, n->a) : PY_NONE;
    return FLOW_RETURN;
  case NODE_BREAK:
    return FLOW_BREAK;
  case NODE_CONTINUE:
    return FLOW_CONTINUE;
  case NODE_ASSERT:
    run_assert(py, f->env, n);
    return FLOW_NEXT;
  case NODE_IMPORT:
    if (!py->probing) py_run_import(py, f->env, n);
    return FLOW_NEXT;
  case NODE_FROM:
    if (!py->probing) py_run_from(py, f->env, n);
    return FLOW_NEXT;
  case NODE_REFUSED:
    run_refused(py, f->env, n);
    return FLOW_NEXT;
  default:
    return FLOW_NEXT;
  }
}

static flow run_block(py_interp *py, frame *f, const py_node *block) {
  for (uint32_t i = 0; i < block->n_items; i++) {
    flow flow = run_statement(py, f, block->items[i]);
    if (flow != FLOW_NEXT) return flow;
  }
  return FLOW_NEXT;
}

void py_run(py_interp *py, py_env *env, const py_node *program) {
  frame f = {.env = env, .result = PY_NONE};
  run_block(py, &f, program);
}
