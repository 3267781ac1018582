/* Calls: of functions and lambdas of the program, of members, and of what the library brings. */
#include "frontends/cxx/expressions/expressions.h"
#include "frontends/cxx/names/names.h"
#include "frontends/cxx/statements/statements.h"
#include "frontends/cxx/types/types.h"
#include "frontends/cxx/values/values.h"

/* --- arguments --- */

/* It may be evaluated again: nothing is called and nothing assigned to. */
static bool is_repeatable(const cx_node *n) {
  switch (n->kind) {
  case CX_NAME:
  case CX_INT:
  case CX_THIS:
    return true;
  case CX_MEMBER:
    return is_repeatable(n->a);
  case CX_UNARY:
    return n->op != CX_OP_INC && n->op != CX_OP_DEC && is_repeatable(n->a);
  case CX_INDEX:
  case CX_BINARY:
    return is_repeatable(n->a) && is_repeatable(n->b);
  default:
    return false;
  }
}

/* A place for a parameter by reference, where the argument is one. */
static cx_cell *argument_cell(cx_interp *in, const cx_node *n) {
  if (n->kind == CX_NAME) return cx_find(in->scope, n->name);
  if (!cx_is_place(n) || !is_repeatable(n)) return NULL;
  cv base = cx_behind(cx_eval(in, n->a));
  if (n->kind == CX_MEMBER) return cx_member_cell(in, base, n->name);
  return base.kind == CV_LIST || base.kind == CV_MAP ? cx_place(in, n) : NULL;
}

cx_arguments cx_eval_arguments(cx_interp *in, cx_node *const *items, unsigned n) {
  cv *values = pm_arena_alloc(in->arena, (n + 1) * sizeof(*values));
  cx_cell **cells = pm_arena_alloc(in->arena, (n + 1) * sizeof(cx_cell *));
  pm_loc *locs = pm_arena_alloc(in->arena, (n + 1) * sizeof(*locs));
  bool ok = true;
  for (unsigned i = 0; i < n; i++) {
    cells[i] = argument_cell(in, items[i]);
    values[i] = cells[i] ? cells[i]->value : cx_eval(in, items[i]);
    locs[i] = items[i]->loc;
    ok &= values[i].kind != CV_POISON;
  }
  return (cx_arguments){values, cells, locs, n, ok};
}

/* --- parameters --- */

static void bind_parameter(cx_interp *in, cx_scope *scope, const cx_node *param, cv value, cx_cell *cell,
                           pm_loc loc) {
  if (!param->name) return;
  bool by_reference = param->a && param->a->is_reference;
  if (by_reference && cell && !param->a->is_const) {
    cx_bind(in, scope, param->name, cell, param->loc);
    return;
  }
  cv converted = cx_convert(in, loc, param->a, by_reference ? value : cx_copy(in, value));
  cx_declare(in, scope, param->name, converted)->type = param->a;
}

bool cx_bind_parameters(cx_interp *in, pm_loc loc, const cx_node *function, cx_scope *scope,
                        const cx_arguments *args) {
  unsigned least = cx_least_arguments(function);
  if (!cx_takes_arguments(function, args->n)) {
    cx_fail(in, loc, "the call has %u %s, it should have %u", args->n,
            args->n == 1 ? "argument" : "arguments", args->n < least ? least : function->n_items);
    pm_note(in->ctx, function->loc, "it is defined here");
    return false;
  }
  for (uint32_t i = 0; i < function->n_items; i++) {
    const cx_node *param = function->items[i];
    bool given = i < args->n;
    cv value = given ? args->values[i] : cx_eval(in, param->b);
    bind_parameter(in, scope, param, value, given && args->cells ? args->cells[i] : NULL,
                   given ? args->locs[i] : param->loc);
  }
  return true;
}

/* --- functions of the program --- */

bool cx_enter_call(cx_interp *in, pm_loc loc) {
  if (in->depth++ < CX_MAX_CALLS) return true;
  cx_fail(in, loc, "calls are nested more than %d deep, the functions should not call each other for ever",
          CX_MAX_CALLS);
  in->stopped = true;
  return false;
}

void cx_leave_call(cx_interp *in) {
  in->depth--;
}

static const cx_node *return_type(const cx_node *function) {
  return function->kind == CX_FUNCTION ? function->a : NULL;
}

/* What the body has returned, as the function says; `errors` counts those before. */
static cv returned(cx_interp *in, pm_loc loc, const cx_node *function, unsigned errors) {
  const cx_node *type = return_type(function);
  bool wants = type && type->kind == CX_TYPE && type->name && strcmp(type->name->text, "void") != 0 &&
               strcmp(type->name->text, "auto") != 0;
  if (in->result.kind != CV_VOID) return cx_convert(in, loc, type, in->result);
  if (!wants) return cv_void;
  if (pm_error_count(in->ctx) > errors || in->stopped) return cv_poison;
  cx_fail(in, loc, "the function returns nothing, it should return %s", type->name->text);
  pm_note(in->ctx, function->loc, "it is defined here");
  return cv_poison;
}

/* Of the object, where it is a member's. */
static cv call_function(cx_interp *in, pm_loc loc, const cx_function *function, cx_object *self,
                        const cx_arguments *args) {
  const cx_node *node = function->node;
  cx_scope *outside = in->scope;
  cv result = cv_poison;
  unsigned errors = pm_error_count(in->ctx);
  if (!node->b) return cx_fail(in, loc, "the function '%s' is declared, but not defined", node->name->text);
  if (cx_enter_call(in, loc)) {
    cx_scope *scope = cx_push_scope(in, self ? self->members : function->scope);
    in->scope = scope;
    if (cx_bind_parameters(in, loc, node, scope, args)) {
      in->result = cv_void;
      cx_run(in, node->b);
      result = returned(in, loc, node, errors);
      in->result = cv_void;
    }
  }
  cx_leave_call(in);
  in->scope = outside;
  return result;
}

static bool call_own_method(cx_interp *in, pm_loc loc, cx_object *object, pm_string name,
                            const cx_arguments *a, cv *out) {
  const cx_node *method = object ? cx_find_method(in, object->node, name, a->n) : NULL;
  if (!method) return false;
  *out = call_function(in, loc, &(cx_function){method, in->globals}, object, a);
  return true;
}

cv cx_call_member(cx_interp *in, pm_loc loc, cx_object *object, const char *name) {
  cv result = cv_void;
  call_own_method(in, loc, object, pm_get_cstring(in->ctx, name), &(cx_arguments){.ok = true}, &result);
  return result;
}

/* --- what is called --- */

static cv call_value(cx_interp *in, pm_loc loc, cv callee, const cx_arguments *a) {
  const char *should = in->library->callables;
  callee = cx_behind(callee);
  const cx_class *of = cx_class_of(in, callee);
  if (of && of->call)
    return of->call(
        &(cx_call){.in = in, .loc = loc, .self = callee, .args = a->values, .locs = a->locs, .n_args = a->n});
  switch (callee.kind) {
  case CV_FUNCTION:
    return call_function(in, loc, callee.function, NULL, a);
  case CV_CLASS:
    return cx_fail(in, loc, "a class is called here, which makes no value");
  case CV_IGNORED:
  case CV_POISON:
    return callee;
  default:
    return cx_fail(in, loc, "this is %s, %s should be called", cv_describe(in, callee),
                   should ? should : "a function");
  }
}

/* `T(args)` of what was read as a name. */
static cv construct_named(cx_interp *in, const cx_node *n, const cx_arguments *a) {
  cx_node *type = pm_arena_memdup(in->arena, n->a, sizeof(*type));
  type->kind = CX_TYPE;
  return cx_construct(in, n->loc, type, a->values, a->locs, a->n, false, NULL);
}

static cv call_named(cx_interp *in, const cx_node *n, const cx_arguments *a) {
  pm_string name = n->a->name;
  cv value;
  bool found;
  const cx_cell *cell = cx_find(in->scope, name);
  if (cell && cell->value.kind != CV_CLASS)
    return call_value(in, n->loc, cx_choose_overload(in, name, cell->value, a->values, a->n), a);
  if (call_own_method(in, n->loc, cx_current_object(in), name, a, &value)) return value;
  if (cx_is_type_name(in, name)) return construct_named(in, n, a);
  cx_call call = {in, n->a->loc, name, cv_void, a->values, a->locs, a->n, n->a};
  value = cx_call_library(&call, &found);
  return found ? value : cx_unknown_name(in, n->a->loc, name, "function");
}

static cv unknown_method(cx_interp *in, const cx_node *n, cv self) {
  const char *near = cx_nearest_method(in, self, n->name);
  if (near)
    return cx_fail(in, n->loc, "%s has no member '%s', '%s' is the nearest one", cv_describe(in, self),
                   n->name->text, near);
  return cx_fail(in, n->loc, "%s has no member '%s'", cv_describe(in, self), n->name->text);
}

static cv call_method(cx_interp *in, const cx_node *n, const cx_arguments *a) {
  const cx_node *m = n->a;
  cv value, self = m->a->kind == CX_THIS ? cx_eval(in, m->a) : cx_behind(cx_eval(in, m->a));
  bool found;
  if (self.kind == CV_POISON || !a->ok) return cv_poison;
  self = cx_behind(self);
  if (self.kind == CV_OBJECT && call_own_method(in, m->loc, self.object, m->name, a, &value)) return value;
  const cx_cell *cell = cx_member_cell(in, self, m->name);
  if (cell) return call_value(in, n->loc, cell->value, a);
  if (self.kind == CV_IGNORED) return self;
  cx_call call = {in, m->loc, m->name, self, a->values, a->locs, a->n, m};
  value = cx_call_method(&call, &found);
  return found ? value : unknown_method(in, m, self);
}

cv cx_eval_call_place(cx_interp *in, const cx_node *n) {
  cx_arguments a = cx_eval_arguments(in, n->items, n->n_items);
  if (n->a->kind == CX_MEMBER) return call_method(in, n, &a);
  if (!a.ok) return cv_poison;
  if (n->a->kind == CX_NAME) return call_named(in, n, &a);
  return call_value(in, n->loc, cx_eval(in, n->a), &a);
}

cv cx_eval_call(cx_interp *in, const cx_node *n) {
  cv v = cx_eval_call_place(in, n);
  const cx_class *of = cx_class_of(in, v);
  return of && of->load ? of->load(in, v) : v;
}
