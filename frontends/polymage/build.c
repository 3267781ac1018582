/* Which function builds the pipeline, what it is called with, and what it gives to buildPipeline. */
#include "frontends/polymage/build.h"

#include <stdlib.h>
#include <string.h>

#include "frontends/polymage/arguments.h"
#include "frontends/polymage/imports.h"
#include "frontends/polymage/unknown.h"

/* --- the function --- */

/* A use of `name` below `n`, but not inside the function of that name. */
static bool mentions(const py_node *n, pm_string name) {
  for (; n; n = n->a) {
    if (n->kind == NODE_DEF && n->name == name) return false;
    if (n->kind == NODE_NAME && n->name == name) return true;
    if (n->b && mentions(n->b, name)) return true;
    if (n->c && mentions(n->c, name)) return true;
    for (uint32_t i = 0; i < n->n_items; i++)
      if (n->items[i] && mentions(n->items[i], name)) return true;
  }
  return false;
}

static bool calls_pipeline(py_interp *py, const py_node *function) {
  pm_string name = pm_get_cstring(py->ctx, "buildPipeline");
  for (uint32_t i = 0; i < function->a->n_items; i++)
    if (mentions(function->a->items[i], name)) return true;
  return false;
}

typedef PM_VEC(const py_node *) builders;

/* Functions at top level that nothing else uses; with `last`, those that call buildPipeline. */
static void find_candidates(py_interp *py, const py_node *program, bool last, builders *out) {
  for (uint32_t i = 0; i < program->n_items; i++) {
    const py_node *n = program->items[i];
    if (n->kind == NODE_DEF && !mentions(program, n->name) && (!last || calls_pipeline(py, n)))
      PM_VEC_PUSH(*out, n);
  }
}

static const py_node *report_several(py_interp *py, const builders *found) {
  const py_node *first = found->data[0], *second = found->data[1];
  py_fail(py, second->loc,
          "the functions %pS and %pS could both build the pipeline, --function=%pS should say which",
          (const void *)first->name, (const void *)second->name, (const void *)first->name);
  return NULL;
}

/* The only function that nothing uses, or the only one of these that calls buildPipeline. */
static const py_node *find_builder(py_interp *py, const py_node *program) {
  builders all = {0}, last = {0};
  find_candidates(py, program, true, &last);
  find_candidates(py, program, false, &all);
  const builders *found = last.len > 0 ? &last : &all;
  const py_node *builder = found->len == 1 ? found->data[0] : NULL;
  if (found->len > 1)
    report_several(py, found);
  else if (!builder)
    py_fail(py, (pm_loc){.file = program->loc.file},
            "the program defines no stage, it should, at top level or in one function");
  PM_VEC_FREE(all);
  PM_VEC_FREE(last);
  return builder;
}

static const py_node *find_named(py_interp *py, const py_node *program, const char *name) {
  const char *nearest = NULL;
  unsigned distance = 4;
  for (uint32_t i = 0; i < program->n_items; i++) {
    const py_node *n = program->items[i];
    if (n->kind != NODE_DEF) continue;
    if (strcmp(n->name->text, name) == 0) return n;
    unsigned d = pm_edit_distance(pm_str_of(name), (pm_str){n->name->text, n->name->len}, distance);
    if (d >= distance) continue;
    distance = d;
    nearest = n->name->text;
  }
  pm_loc file = {.file = program->loc.file};
  if (nearest)
    py_fail(py, file, "--function %s: no function of the program is named '%s', '%s' is the nearest name",
            name, name, nearest);
  else
    py_fail(py, file, "--function %s: no function is named '%s', it should be one at the program's top level",
            name, name);
  return NULL;
}

/* --- the set-up --- */

/* PolyMage's programs fill a dictionary before the pipeline is built: init_all(app_data) in init.py. Much of
 * it reads files and arguments, which is not known here. */
static py_value run_setup(py_interp *py, pm_loc loc) {
  const py_value *init = NULL;
  py->in_setup = true;
  py_file *file = py_import(py, loc, "init");
  if (file) init = py_dict_get_name(&file->env.vars, pm_get_cstring(py->ctx, "init_all"));
  py_value data = PY_NONE;
  if (init && init->type == VAL_FUNCTION && init->function->node->n_items == 1) {
    const char *name = init->function->node->items[0]->name->text;
    data = py_new_open_dict(py->arena, name, name);
    py_call_function(py, loc, init->function, &data);
  }
  py->in_setup = false;
  return data;
}

/* Some parameter has no value but what the program would bring. */
static bool needs_setup(py_interp *py, const py_node *builder) {
  py_value value;
  for (uint32_t i = 0; i < builder->n_items; i++)
    if (!builder->items[i]->a && !py_find_const(py, builder->items[i]->name->text, &value)) return true;
  return false;
}

/* An item that the set-up gave a value. */
static const py_value *find_set(py_interp *py, py_value data, pm_string name) {
  uint64_t hash;
  py_look look = {0};
  if (data.type != VAL_DICT) return NULL;
  py_value key = py_string(py->arena, name->text, name->len);
  if (!py_hash(key, &hash, &look)) return NULL;
  const py_value *found = py_dict_get(data.dict, key, hash);
  return found && !py_is_poison(py_need(py, PM_NO_LOC, *found)) ? found : NULL;
}

/* What comes from outside: a --const of that name, the set-up's dictionary or an item of it, the parameter's
 * default, or an empty dictionary. */
static py_value outside_argument(py_interp *py, const py_function *function, uint32_t i, py_value data) {
  const py_node *parameter = function->node->items[i];
  const char *name = parameter->name->text;
  py_value value;
  if (py_find_const(py, name, &value)) return value;
  if (data.type == VAL_DICT && strcmp(data.dict->dotted, name) == 0) return data;
  const py_value *set = find_set(py, data, parameter->name);
  if (set) return *set;
  return parameter->a ? function->defaults[i] : py_new_open_dict(py->arena, name, name);
}

py_value build_by_function(py_interp *py, const py_node *program) {
  const char *wanted = py->options->function;
  const py_node *builder = wanted ? find_named(py, program, wanted) : find_builder(py, program);
  const py_value *value = builder ? py_dict_get_name(&py->globals->vars, builder->name) : NULL;
  if (!value || value->type != VAL_FUNCTION) return PY_POISON;
  py_value data = needs_setup(py, builder) ? run_setup(py, builder->loc) : PY_NONE;
  const py_function *function = value->function;
  py_value *args = pm_arena_alloc(py->arena, (builder->n_items + 1) * sizeof(*args));
  for (uint32_t i = 0; i < builder->n_items; i++) args[i] = outside_argument(py, function, i, data);
  return py_call_function(py, builder->loc, function, args);
}

/* --- buildPipeline --- */

static const py_arg *find_argument(const py_call *call, const char *name) {
  for (unsigned i = 0; i < call->n_args; i++)
    if (call->args[i].keyword && strcmp(call->args[i].keyword->text, name) == 0) return &call->args[i];
  return NULL;
}

/* A constraint is a condition of parameters. One with a value that is not known holds of fewer sizes than the
 * pipeline then does. */
static void add_constraint(py_interp *py, pm_loc loc, py_value v) {
  if (v.type == VAL_COND)
    PM_VEC_PUSH(py->dsl->constraints, v.expr);
  else if (py_is_unknown(v))
    pm_remark(py->ctx, loc, PM_REMARK_MISSED, "polymage", NULL, 0, "a constraint is left out: %s",
              v.unknown->text);
  else if (!py_is_poison(v))
    py_fail(py, loc, "a constraint is %s, Condition(parameter, '==', value) should make it",
            py_describe(py, v));
}

static void add_constraints(py_interp *py, const py_arg *arg) {
  if (!arg || arg->value.type == VAL_NONE) return;
  if (!py_is_seq(arg->value)) {
    add_constraint(py, arg->loc, arg->value);
    return;
  }
  for (size_t i = 0; i < arg->value.seq->len; i++) add_constraint(py, arg->loc, arg->value.seq->items[i]);
}

/* (parameter, value), as estimate= of the parameter. */
static void add_estimate(py_interp *py, pm_loc loc, py_value v) {
  bool pair = py_is_seq(v) && v.seq->len == 2 && v.seq->items[0].type == VAL_SYMBOL &&
              v.seq->items[0].symbol->kind == DSL_PARAMETER;
  if (pair)
    (void)dsl_set_estimate(py, loc, v.seq->items[0].symbol, v.seq->items[1]);
  else if (!py_is_poison(py_first_unknown(py, loc, v)))
    py_fail(py, loc, "an estimate is %s, it should be (parameter, value)", py_describe(py, v));
}

static void add_estimates(py_interp *py, const py_arg *arg) {
  if (!arg || arg->value.type == VAL_NONE || py_is_poison(arg->value)) return;
  if (!py_is_seq(arg->value))
    py_fail(py, arg->loc, "the estimates are %s, they should be a list of (parameter, value)",
            py_describe(py, arg->value));
  for (size_t i = 0; py_is_seq(arg->value) && i < arg->value.seq->len; i++)
    add_estimate(py, arg->loc, arg->value.seq->items[i]);
}

/* buildPipeline([outputs], param_estimates=[…], param_constraints=[…], pipe_name="…"): what else it is given,
 * tile sizes and options, is for PolyMage's own optimizer. */
static py_value call_build_pipeline(py_interp *py, const py_call *call) {
  const py_arg *outputs = call->n_args > 0 && !call->args[0].keyword ? &call->args[0] : NULL;
  const py_arg *name = find_argument(call, "pipe_name");
  if (!outputs) outputs = find_argument(call, "outputs");
  if (!outputs)
    return py_fail(py, call->loc, "buildPipeline has no outputs, it should be buildPipeline([stages])");
  if (py->probing) return PY_NONE;
  add_constraints(py, find_argument(call, "param_constraints"));
  add_estimates(py, find_argument(call, "param_estimates"));
  py->pipeline = (py_pipeline){.loc = outputs->loc, .outputs = outputs->value};
  if (name && name->value.type == VAL_STR && name->value.str->len > 0)
    py->pipeline.name = name->value.str->text;
  py->built = !py->in_setup;
  py->stopped |= py->built;
  return PY_NONE;
}

const py_builtin build_functions[] = {{"buildPipeline", call_build_pipeline}, {NULL, NULL}};
