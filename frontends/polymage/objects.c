/* What a pipeline is made of: Parameter, Image, Function, Reduction … and the attributes of stages. */
#include "frontends/polymage/arguments.h"
#include "frontends/polymage/unknown.h"

#include <stdlib.h>
#include <string.h>

/* --- constructors --- */

bool dsl_set_estimate(py_interp *py, pm_loc loc, dsl_symbol *parameter, py_value value) {
  const pm_scalar_info *type = pm_get_scalar_info(parameter->type);
  value = py_need(py, loc, value);
  if (py_is_unknown(value))
    return pm_remark(py->ctx, loc, PM_REMARK_MISSED, "polymage", NULL, 0, "an estimate is left out: %s",
                     value.unknown->text),
           true;
  if (py_is_poison(value)) return false;
  if (type->is_float)
    return py_fail(py, loc, "a parameter of type %s has an estimate, only one of integers should",
                   dsl_type_name(parameter->type)),
           false;
  if (!py_is_int(value))
    return py_fail(py, loc, "the estimate is %s, it should be an integer", py_describe(py, value)), false;
  if (!dsl_holds(parameter->type, value))
    return py_fail(py, loc, "the estimate is %lld, it should be a value of type %s",
                   (long long)py_as_int(value), dsl_type_name(parameter->type)),
           false;
  parameter->has_estimate = true;
  parameter->estimate = py_as_int(value);
  return true;
}

static py_value call_parameter(py_interp *py, const py_call *call) {
  dsl_given g;
  static const char expected[] = "Parameter(type, \"name\")";
  static const char *const keywords[] = {"estimate", NULL};
  if (!dsl_sort_arguments(py, call, &g, 0, 0, keywords, expected)) return PY_POISON;
  if (!g.type)
    return py_fail(py, call->loc, "a parameter has no type%s; it should be %s", dsl_its_name(py, &g),
                   expected);
  dsl_symbol *s = dsl_new_symbol(py->dsl, DSL_PARAMETER, call->loc);
  s->type = g.type->value.scalar;
  dsl_set_name(py, s, g.name);
  if (g.estimate) (void)dsl_set_estimate(py, g.estimate->loc, s, g.estimate->value);
  return dsl_symbol_value(s);
}

static py_value call_variable(py_interp *py, const py_call *call) {
  dsl_given g;
  if (!dsl_sort_arguments(py, call, &g, 0, 0, dsl_no_keywords, "Variable(Int, \"name\")")) return PY_POISON;
  dsl_symbol *s = dsl_new_symbol(py->dsl, DSL_VARIABLE, call->loc);
  dsl_set_name(py, s, g.name);
  return dsl_symbol_value(s);
}

/* --- boundaries --- */

static bool is_mode(py_value v) {
  static const char *const words[] = {"none", "clamp", "repeat", "mirror", "mirror101"};
  if (py_is_number(v)) return true;
  for (size_t i = 0; v.type == VAL_STR && i < PM_COUNT(words); i++)
    if (strcmp(v.str->text, words[i]) == 0) return true;
  return false;
}

static bool check_mode(py_interp *py, pm_loc loc, py_value v) {
  static const char expected[] = "it should be 'none', 'clamp', 'repeat', 'mirror', 'mirror101' or a number";
  if (is_mode(v)) return true;
  if (v.type == VAL_STR) return py_fail(py, loc, "the boundary is '%s', %s", v.str->text, expected), false;
  if (!py_is_poison(v)) py_fail(py, loc, "the boundary is %s, %s", py_describe(py, v), expected);
  return false;
}

static bool set_boundary(py_interp *py, pm_loc loc, dsl_symbol *symbol, py_value value) {
  size_t n = py_is_seq(value) ? value.seq->len : 0;
  if (!py_is_seq(value) && !check_mode(py, loc, value)) return false;
  for (size_t i = 0; i < n; i++)
    if (!check_mode(py, loc, value.seq->items[i])) return false;
  symbol->boundary = value;
  return true;
}

bool dsl_set_given_boundary(py_interp *py, dsl_symbol *symbol, const dsl_given *g) {
  return !g->boundary || set_boundary(py, g->boundary->loc, symbol, g->boundary->value);
}

/* --- images and intervals --- */

static py_value call_image(py_interp *py, const py_call *call) {
  dsl_given g;
  static const char expected[] = "Image(type, \"name\", [extents])";
  static const char *const keywords[] = {"dims", "name", "typ", "boundary", NULL};
  if (!dsl_sort_arguments(py, call, &g, 1, 0, keywords, expected)) return PY_POISON;
  if (g.types) return py_fail(py, g.types->loc, "an image has tuples, it should have single values");
  if (!g.type || g.n_seqs == 0)
    return py_fail(py, call->loc, "an image has no %s%s; it should be %s", g.type ? "extents" : "type",
                   dsl_its_name(py, &g), expected);
  const py_seq *extents = g.seqs[0]->value.seq;
  if (extents->len == 0 || extents->len > DSL_MAX_DIMS)
    return py_fail(py, g.seqs[0]->loc, "an image has %zu dimensions, it should have 1 to %d", extents->len,
                   (int)DSL_MAX_DIMS);
  dsl_symbol *s = dsl_new_symbol(py->dsl, DSL_IMAGE, call->loc);
  s->type = g.type->value.scalar;
  s->n_dims = (unsigned)extents->len;
  s->has_domain = true;
  s->extents = pm_arena_alloc(py->arena, extents->len * sizeof(*s->extents));
  for (size_t i = 0; i < extents->len; i++)
    if (!(s->extents[i] = dsl_to_expr(py, g.seqs[0]->loc, extents->items[i], "an extent"))) return PY_POISON;
  dsl_set_name(py, s, g.name);
  return dsl_set_given_boundary(py, s, &g) ? dsl_symbol_value(s) : PY_POISON;
}

static bool check_step(py_interp *py, const py_arg *step) {
  static const char rule[] = "it should be an integer of at least 1";
  if (!py_is_int(step->value))
    return py_fail(py, step->loc, "the step of an interval is %s, %s", py_describe(py, step->value), rule),
           false;
  long long n = py_as_int(step->value);
  if (n < 1) return py_fail(py, step->loc, "the step of an interval is %lld, %s", n, rule), false;
  if (n > INT32_MAX)
    return py_fail(py, step->loc, "the step of an interval is %lld, it should be at most %d", n, INT32_MAX),
           false;
  return true;
}

static py_value call_interval(py_interp *py, const py_call *call) {
  dsl_given g;
  static const char expected[] = "Interval(type, lower, upper, step)";
  if (!dsl_sort_arguments(py, call, &g, 0, 3, dsl_no_keywords, expected)) return PY_POISON;
  if (g.n_values < 2)
    return py_fail(py, call->loc, "an interval has %u bound%s, it should be %s", g.n_values,
                   py_plural(g.n_values), expected);
  if (g.n_values == 3 && !check_step(py, g.values[2])) return PY_POISON;
  dsl_interval *interval = pm_arena_alloc(py->arena, sizeof(*interval));
  interval->loc = call->loc;
  interval->lower = dsl_to_expr(py, g.values[0]->loc, g.values[0]->value, "a bound");
  interval->upper = dsl_to_expr(py, g.values[1]->loc, g.values[1]->value, "a bound");
  interval->step = g.n_values == 3 ? py_as_int(g.values[2]->value) : 1;
  return interval->lower && interval->upper ? (py_value){.type = VAL_INTERVAL, .interval = interval}
                                            : PY_POISON;
}

/* --- stages --- */

static const char domain_form[] = "([variables], [intervals])";

static bool set_variables(py_interp *py, pm_loc loc, dsl_domain *out, const py_seq *variables) {
  for (size_t i = 0; i < variables->len; i++) {
    py_value v = variables->items[i];
    if (py_is_poison(v)) return false;
    if (v.type != VAL_SYMBOL || v.symbol->kind != DSL_VARIABLE)
      return py_fail(py, loc, "dimension %zu of the domain is named by %s, it should be by a variable: %s", i,
                     py_describe(py, v), domain_form),
             false;
    for (size_t j = 0; j < i; j++)
      if (out->variables[j] == v.symbol)
        return py_fail(py, loc,
                       "dimensions %zu and %zu of the domain have the variable %s, each should have its own",
                       j, i, v.symbol->given ? v.symbol->given->text : "of one name"),
               false;
    out->variables[i] = v.symbol;
  }
  return true;
}

static bool set_intervals(py_interp *py, pm_loc loc, dsl_domain *out, const py_seq *intervals) {
  for (size_t i = 0; i < intervals->len; i++) {
    py_value v = intervals->items[i];
    if (py_is_poison(v)) return false;
    if (v.type != VAL_INTERVAL)
      return py_fail(py, loc, "dimension %zu of the domain goes over %s, it should go over an interval: %s",
                     i, py_describe(py, v), domain_form),
             false;
    out->intervals[i] = v.interval;
  }
  return true;
}

/* ([x, y], [row, col]) */
static bool read_domain(py_interp *py, pm_loc loc, dsl_domain *out, py_value domain) {
  if (py_is_poison(domain)) return false;
  if (!py_is_seq(domain) || domain.seq->len != 2)
    return py_fail(py, loc, "the domain is %s, it should be %s", py_describe(py, domain), domain_form), false;
  py_value variables = domain.seq->items[0], intervals = domain.seq->items[1];
  if (py_is_poison(variables) || py_is_poison(intervals)) return false;
  if (!py_is_seq(variables) || !py_is_seq(intervals))
    return py_fail(py, loc, "the domain is %s, it should be of two lists: %s", py_describe(py, domain),
                   domain_form),
           false;
  size_t n = variables.seq->len;
  if (n != intervals.seq->len)
    return py_fail(py, loc, "the domain has %zu variable%s and %zu interval%s, there should be as many", n,
                   py_plural(n), intervals.seq->len, py_plural(intervals.seq->len)),
           false;
  if (n == 0 || n > DSL_MAX_DIMS)
    return py_fail(py, loc, "the domain has %zu dimensions, it should have 1 to %d", n, (int)DSL_MAX_DIMS),
           false;
  out->variables = pm_arena_alloc(py->arena, n * sizeof(*out->variables));
  out->intervals = pm_arena_alloc(py->arena, n * sizeof(*out->intervals));
  if (!set_variables(py, loc, out, variables.seq) || !set_intervals(py, loc, out, intervals.seq))
    return false;
  out->n_dims = (unsigned)n;
  return true;
}

static bool set_domain(py_interp *py, pm_loc loc, dsl_symbol *stage, py_value domain) {
  if (!read_domain(py, loc, &stage->domain, domain)) return false;
  stage->n_dims = stage->domain.n_dims;
  stage->has_domain = true;
  return true;
}

/* A stage with the type and the name given; NULL after a diagnostic. */
static dsl_symbol *new_stage(py_interp *py, const py_call *call, const dsl_given *g, const char *expected) {
  if (!g->type && !g->types) {
    py_fail(py, call->loc, "a stage has no type%s; it should be %s", dsl_its_name(py, g), expected);
    return NULL;
  }
  dsl_symbol *s = dsl_new_symbol(py->dsl, DSL_FUNCTION, call->loc);
  if (g->types)
    dsl_set_types(py, s, g->types->value);
  else
    s->type = g->type->value.scalar;
  dsl_set_name(py, s, g->name);
  s->broken = !dsl_set_given_boundary(py, s, g);
  return s;
}

static py_value finished(dsl_symbol *stage, bool ok) {
  stage->broken |= !ok;
  return ok ? dsl_symbol_value(stage) : PY_POISON;
}

static py_value call_function(py_interp *py, const py_call *call) {
  dsl_given g;
  static const char expected[] = "Function(([variables], [intervals]), type, \"name\")";
  static const char *const keywords[] = {"varDom", "variableDomain", "typ", "name",
                                         "const",  "boundary",       NULL};
  if (!dsl_sort_arguments(py, call, &g, 1, 0, keywords, expected)) return PY_POISON;
  dsl_symbol *s = new_stage(py, call, &g, expected);
  return s ? finished(s, g.n_seqs == 0 || set_domain(py, g.seqs[0]->loc, s, g.seqs[0]->value)) : PY_POISON;
}

static const char *const reduction_words[] = {"redDom", "reductionDomain", NULL};

/* The domain with a keyword is what that says; without, the variables' comes first. */
static bool set_reduction_domains(py_interp *py, dsl_symbol *s, const dsl_given *g) {
  for (int positional = 0; positional < 2; positional++)
    for (unsigned i = 0; i < g->n_seqs; i++) {
      const py_arg *arg = g->seqs[i];
      if (!arg->keyword != (positional != 0)) continue;
      bool reduction = arg->keyword ? dsl_is_keyword(arg, reduction_words) : s->has_domain;
      if (!(reduction ? read_domain(py, arg->loc, &s->reduction, arg->value)
                      : set_domain(py, arg->loc, s, arg->value)))
        return false;
    }
  return true;
}

static py_value call_reduction(py_interp *py, const py_call *call) {
  dsl_given g;
  static const char expected[] = "Reduction(varDom, redDom, type, \"name\")";
  static const char *const keywords[] = {"varDom", "variableDomain", "redDom",   "reductionDomain",
                                         "typ",    "name",           "boundary", NULL};
  if (!dsl_sort_arguments(py, call, &g, 2, 0, keywords, expected)) return PY_POISON;
  dsl_symbol *s = new_stage(py, call, &g, expected);
  if (!s) return PY_POISON;
  s->is_reduction = true;
  return finished(s, set_reduction_domains(py, s, &g));
}

/* The number of steps makes the stages, so a parameter must have a value here. */
static py_value number_of_steps(py_interp *py, const py_arg *arg) {
  const dsl_symbol *s = arg->value.type == VAL_SYMBOL ? arg->value.symbol : NULL;
  py_value value;
  if (!s || s->kind != DSL_PARAMETER || !s->given) return arg->value;
  if (py_find_const(py, s->given->text, &value)) return value;
  return py_fail(py, arg->loc,
                 "the number of steps is the parameter %pS, --const %pS=<integer> should give it",
                 (const void *)s->given, (const void *)s->given);
}

static bool set_steps(py_interp *py, dsl_symbol *stage, const py_arg *arg) {
  enum { MAX_TIME_STEPS = 10000 };
  py_value steps = number_of_steps(py, arg);
  if (py_is_poison(steps)) return false;
  stage->time_steps = py_is_int(steps) ? py_as_int(steps) : 0;
  if (stage->time_steps >= 1 && stage->time_steps <= MAX_TIME_STEPS) return true;
  stage->time_steps = 0;
  py_fail(py, arg->loc, "the number of steps is %s, it should be an integer of 1 to %d",
          py_describe(py, steps), (int)MAX_TIME_STEPS);
  return false;
}

/* Stencil(f, [x, y], kernel, origin) as the definition. */
static bool define_by_kernel(py_interp *py, const py_call *call, dsl_symbol *stage) {
  py_value variables = call->args[1].value.seq->items[0];
  py_arg args[] = {call->args[0], {NULL, call->args[1].loc, variables}, call->args[2], call->args[4]};
  py_call stencil = {.loc = call->loc, .name = "TStencil", .args = args, .n_args = PM_COUNT(args)};
  py_value value = dsl_find_builtin(pm_str_of("Stencil"))->call(py, &stencil);
  return !py_is_poison(value) && dsl_define(py, call->loc, stage, value);
}

/* TStencil(f, ([x, y], [row, col]), kernel, "name", origin, steps): PolyMage's first form. */
static py_value call_kernel_steps(py_interp *py, const py_call *call) {
  static const char expected[] = "TStencil(f, ([variables], [intervals]), kernel, \"name\", origin, steps)";
  if (!dsl_check_positional(py, call, 6, expected)) return PY_POISON;
  if (call->args[3].value.type != VAL_STR)
    return py_fail(py, call->args[3].loc, "%s; it should be %s", dsl_argument(py, call, &call->args[3]),
                   expected);
  dsl_symbol *s = dsl_new_symbol(py->dsl, DSL_FUNCTION, call->loc);
  s->type = call->args[0].value.symbol->type;
  dsl_set_name(py, s, &call->args[3]);
  return finished(s, set_domain(py, call->args[1].loc, s, call->args[1].value) &&
                         set_steps(py, s, &call->args[5]) && define_by_kernel(py, call, s));
}

static py_value call_time_stencil(py_interp *py, const py_call *call) {
  dsl_given g;
  py_value first = call->n_args > 0 ? call->args[0].value : PY_NONE;
  if (first.type == VAL_SYMBOL && !dsl_is_scalar(first.symbol)) return call_kernel_steps(py, call);
  static const char expected[] = "TStencil(([variables], [intervals]), type, \"name\", steps)";
  static const char *const keywords[] = {"varDom",    "variableDomain", "typ", "name",
                                         "timesteps", "boundary",       NULL};
  if (!dsl_sort_arguments(py, call, &g, 1, 1, keywords, expected)) return PY_POISON;
  if (g.n_values == 0)
    return py_fail(py, call->loc, "a TStencil has no number of steps, it should be %s", expected);
  dsl_symbol *s = new_stage(py, call, &g, expected);
  if (!s) return PY_POISON;
  if (g.types) return py_fail(py, g.types->loc, "a TStencil reads tuples, it should read single values");
  return finished(s, set_steps(py, s, g.values[0]) &&
                         (g.n_seqs == 0 || set_domain(py, g.seqs[0]->loc, s, g.seqs[0]->value)));
}

/* --- attributes of stages --- */

static bool check_combination(py_interp *py, const dsl_symbol *stage, const dsl_case *update) {
  bool whole = dsl_is_whole_combination(update->combine[0]);
  if (!dsl_check_elements(py, stage, update->value)) return false;
  if (whole && !stage->n_elems)
    return py_fail(py, update->loc,
                   "ArgMin and ArgMax go to a reduction of single values, its type should be a tuple: "
                   "(Float, Int)"),
           false;
  if (update->n_combine > 1 && update->n_combine != stage->n_elems)
    return py_fail(py, update->loc,
                   "%u operations are given, there should be one for each value, or one for all",
                   update->n_combine),
           false;
  return true;
}

static bool add_update(py_interp *py, pm_loc loc, dsl_symbol *stage, dsl_case *update) {
  if (!stage->is_reduction)
    return py_fail(py, loc,
                   "a stage that is no reduction is updated, Reduction or Accumulator should make it"),
           false;
  if (update->target->symbol != stage)
    return py_fail(py, update->loc,
                   "the update goes to another stage, it should go to the one that it defines"),
           false;
  if (!check_combination(py, stage, update)) return false;
  PM_VEC_PUSH(stage->updates, update);
  return true;
}

/* A case without a condition leaves no point for another one like it. */
static bool is_defined_already(py_interp *py, const dsl_symbol *stage, const dsl_expr *value) {
  const dsl_case *first = NULL;
  for (size_t i = 0; i < stage->cases.len && !first; i++)
    if (!stage->cases.data[i]->condition) first = stage->cases.data[i];
  if (!first) return false;
  unsigned errors = pm_error_count(py->ctx);
  py_fail(py, value->loc,
          "%s has a definition for all points already, Case(condition, value) should say where each holds",
          py_describe(py, dsl_symbol_value((dsl_symbol *)stage)));
  if (pm_error_count(py->ctx) > errors) pm_note(py->ctx, first->loc, "the first definition is here");
  return true;
}

static bool add_definition(py_interp *py, pm_loc loc, dsl_symbol *stage, py_value value) {
  if (value.type == VAL_CASE && value.branch->target) return add_update(py, loc, stage, value.branch);
  if (value.type == VAL_CASE) {
    if (!dsl_check_elements(py, stage, value.branch->value)) return false;
    PM_VEC_PUSH(stage->cases, value.branch);
    return true;
  }
  dsl_expr *e = dsl_to_value(py, loc, value, "the definition");
  if (!e || !dsl_check_elements(py, stage, e) || is_defined_already(py, stage, e)) return false;
  dsl_case everywhere = {.loc = e->loc, .value = e};
  PM_VEC_PUSH(stage->cases, dsl_case_value(py, &everywhere).branch);
  return true;
}

bool dsl_define(py_interp *py, pm_loc loc, dsl_symbol *stage, py_value value) {
  py_value unknown = py_demand(py, py_first_unknown(py, loc, value));
  if (py_is_unknown(unknown)) stage->unknown = unknown.unknown;
  bool is_one = stage->n_elems ? value.type != VAL_LIST : !py_is_seq(value);
  if (is_one) return add_definition(py, loc, stage, value);
  for (size_t i = 0; i < value.seq->len; i++)
    if (!add_definition(py, loc, stage, value.seq->items[i])) return false;
  return true;
}

static bool set_tuple_default(py_interp *py, pm_loc loc, dsl_symbol *stage, py_value value) {
  bool ok = value.type == VAL_TUPLE && value.seq->len == stage->n_elems;
  for (size_t i = 0; ok && i < value.seq->len; i++) ok = py_is_number(value.seq->items[i]);
  if (!ok)
    return py_fail(py, loc, "the default is %s, it should be a tuple of %u numbers", py_describe(py, value),
                   stage->n_elems),
           false;
  stage->default_value = value;
  return true;
}

static bool set_default(py_interp *py, pm_loc loc, dsl_symbol *stage, py_value value) {
  if (py_is_poison(value)) return false;
  if (stage->n_elems) return set_tuple_default(py, loc, stage, value);
  if (!py_is_number(value))
    return py_fail(py, loc, "the default is %s, it should be a number", py_describe(py, value)), false;
  if (!dsl_holds(stage->type, value))
    py_warn(py, loc, "the default is %s, it should be one that the type %s holds", py_describe(py, value),
            dsl_type_name(stage->type));
  stage->default_value = value;
  return true;
}

static bool set_reduction_domain(py_interp *py, pm_loc loc, dsl_symbol *stage, py_value value) {
  if (stage->is_reduction) return read_domain(py, loc, &stage->reduction, value);
  return py_fail(py, loc,
                 "a stage that is no reduction gets a reduction domain, Reduction or Accumulator "
                 "should make it"),
         false;
}

typedef struct attribute_row {
  const char *name;
  bool (*set)(py_interp *py, pm_loc loc, dsl_symbol *stage, py_value value);
} attribute_row;

static const attribute_row attribute_rows[] = {
    {"defn", dsl_define},
    {"definition", dsl_define},
    {"variableDomain", set_domain},
    {"varDom", set_domain},
    {"reductionDomain", set_reduction_domain},
    {"redDom", set_reduction_domain},
    {"default", set_default},
    {"boundary", set_boundary},
};

static py_value no_attribute(py_interp *py, pm_loc loc, py_value object, pm_string name) {
  const char *what = py_describe(py, object), *should = "what docs/polymage.md lists should do it";
  if (object.type == VAL_SYMBOL && object.symbol->kind == DSL_FUNCTION)
    should = "it should be 'defn', 'default', 'boundary', 'varDom' or 'redDom', or a long name of these";
  else if (object.type == VAL_SYMBOL && object.symbol->kind == DSL_IMAGE)
    should = "the parameters of its extents should be used";
  return py_fail(py, loc, "%s has no attribute '%pS', %s", what, (const void *)name, should);
}

bool dsl_set_attribute(py_interp *py, pm_loc loc, py_value object, pm_string name, py_value value) {
  if (object.type != VAL_SYMBOL || object.symbol->kind != DSL_FUNCTION)
    return py_fail(py, loc, "the attribute '%pS' of %s is set, it should be that of a stage",
                   (const void *)name, py_describe(py, object)),
           false;
  for (size_t i = 0; i < PM_COUNT(attribute_rows); i++) {
    if (strcmp(attribute_rows[i].name, name->text) != 0) continue;
    bool ok = attribute_rows[i].set(py, loc, object.symbol, value);
    object.symbol->broken |= !ok;
    return ok;
  }
  no_attribute(py, loc, object, name);
  return false;
}

py_value dsl_get_attribute(py_interp *py, pm_loc loc, py_value object, pm_string name) {
  bool is_stage = object.type == VAL_SYMBOL && object.symbol->kind == DSL_FUNCTION;
  if (is_stage && (strcmp(name->text, "defn") == 0 || strcmp(name->text, "definition") == 0))
    return (py_value){.type = VAL_DEFINITION, .symbol = object.symbol};
  return no_attribute(py, loc, object, name);
}

const py_builtin dsl_object_functions[] = {
    {"Parameter", call_parameter},   {"Variable", call_variable},
    {"Image", call_image},           {"Interval", call_interval},
    {"Function", call_function},     {"Reduction", call_reduction},
    {"Accumulator", call_reduction}, {"TStencil", call_time_stencil},
    {"Table", dsl_call_table},       {NULL, NULL},
};
