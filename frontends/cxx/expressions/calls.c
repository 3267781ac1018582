/* Calls: of functions and lambdas of the program, of members, and of what the library brings. */
#include "frontends/cxx/expressions/expressions.h"
#include "frontends/cxx/names/names.h"
#include "frontends/cxx/statements/statements.h"
#include "frontends/cxx/types/types.h"
#include "frontends/cxx/values/values.h"

/* --- arguments --- */

typedef struct arguments {
  CX_VEC(cv) values;
  CX_VEC(cx_cell *) cells;
  CX_VEC(cx_node *) nodes;
  CX_VEC(pm_loc) locs;
  bool ok;
} arguments;

static void eval_argument(cx_interp *in, cx_node *n, arguments *out) {
  cx_cell *cell;
  cv value = cx_eval_place(in, n, &cell);
  CX_PUSH(in->arena, out->values, value);
  CX_PUSH(in->arena, out->cells, cell);
  CX_PUSH(in->arena, out->nodes, n);
  CX_PUSH(in->arena, out->locs, n->loc);
  out->ok &= value.kind != CV_POISON;
}

cx_arguments cx_eval_arguments(cx_interp *in, cx_node *const *items, unsigned n) {
  arguments all = {.ok = true};
  for (unsigned i = 0; i < n; i++) {
    cx_expansion e;
    if (items[i]->kind != CX_EXPANSION) {
      eval_argument(in, items[i], &all);
      continue;
    }
    all.ok &= cx_begin_expansion(in, items[i]->loc, items[i]->a, &e);
    for (uint32_t k = 0; k < e.n && all.ok; k++) {
      cx_expand_to(in, &e, k);
      eval_argument(in, items[i]->a, &all);
    }
    cx_end_expansion(in, &e);
  }
  return (cx_arguments){all.values.data, all.cells.data, all.nodes.data,
                        all.locs.data,   all.values.len, all.ok};
}

const cx_arguments cx_no_arguments = {.ok = true};

cx_arguments cx_arguments_of(const cx_call *c) {
  return (cx_arguments){.values = c->args, .cells = c->cells, .locs = c->locs, .n = c->n_args, .ok = true};
}

cx_arguments cx_values_as_arguments(cx_interp *in, pm_loc loc, cv *values, unsigned n) {
  pm_loc *locs = pm_arena_alloc(in->arena, (n + 1) * sizeof *locs);
  for (unsigned i = 0; i < n; i++) locs[i] = loc;
  return (cx_arguments){.values = values, .locs = locs, .n = n, .ok = true};
}

const cx_argument *cx_ranked(cx_interp *in, const cx_arguments *a) {
  cx_argument *all = pm_arena_alloc(in->arena, (a->n + 1) * sizeof(*all));
  for (unsigned i = 0; i < a->n; i++)
    all[i] = (cx_argument){a->values[i], a->cells ? a->cells[i] : NULL, a->nodes ? a->nodes[i] : NULL};
  return all;
}

/* --- parameters --- */

static void bind_parameter(cx_interp *in, cx_scope *scope, const cx_node *param, cv value, cx_cell *cell,
                           pm_loc loc) {
  if (!param->name) return;
  bool by_reference = param->a && param->a->is_reference;
  if (by_reference && !param->a->is_const && cell) {
    (void)cx_bind_reference(in, scope, param->name, param->a, value, cell, param->loc);
    return;
  }
  const cx_class *of = cx_class_of(in, value);
  bool is_pixel = cv_is_number(value) || cx_is_unknown(in, value) || (of && of->is_list);
  if (by_reference && !param->a->is_const && !param->a->is_rvalue && is_pixel && in->library->is_unknown) {
    cx_fail(in, loc, "this is %s, a variable should be here: the parameter '%s' is a reference",
            cv_describe(in, value), param->name->text);
    value = cv_poison;
  }
  const cx_node *type = cx_resolve(in, param->a);
  cv converted = cx_convert(in, loc, type, by_reference ? value : cx_copy_as(in, type, value));
  cx_cell *own = cx_declare(in, scope, param->name, converted);
  own->type = type;
  own->is_const = param->a && param->a->is_const && !param->a->is_pointer;
}

bool cx_bind_parameters(cx_interp *in, pm_loc loc, const cx_node *function, const cx_node *declared,
                        cx_scope *scope, const cx_arguments *args) {
  unsigned least = cx_least_arguments(declared);
  cv pack = cx_new_list(in, CV_PACK);
  if (!cx_takes_arguments(declared, args->n)) {
    cx_fail(in, loc, "the call has %u %s, it should have %u", args->n,
            args->n == 1 ? "argument" : "arguments", args->n < least ? least : function->n_items);
    pm_note(in->ctx, function->loc, "it is defined here");
    return false;
  }
  for (uint32_t i = 0; i < function->n_items; i++) {
    const cx_node *param = function->items[i];
    bool given = i < args->n;
    cv value = given ? args->values[i] : cx_eval(in, declared->items[i]->b);
    bind_parameter(in, scope, param, value, given && args->cells ? args->cells[i] : NULL,
                   given ? args->locs[i] : param->loc);
    if (param->is_static && param->name)
      CX_PUSH(in->arena, pack.list->items, scope->names.data[scope->names.len - 1].cell);
  }
  if (function->is_long && function->s->name) cx_declare(in, scope, function->s->name, pack);
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

static bool is_void(const cx_node *type) {
  return !type || type->kind != CX_TYPE || !type->name || strcmp(type->name->text, "void") == 0 ||
         strcmp(type->name->text, "auto") == 0;
}

/* What the body has returned, as the function says; `errors` counts those before. */
static cv returned(cx_interp *in, pm_loc loc, const cx_node *function, unsigned errors) {
  const cx_node *type = function->a;
  if (in->result.kind != CV_VOID) return cx_convert(in, loc, type, in->result);
  if (is_void(type) || strcmp(function->kind == CX_FUNCTION ? function->name->text : "", "main") == 0)
    return cv_void;
  if (pm_error_count(in->ctx) > errors || in->stopped) return cv_poison;
  cx_fail(in, loc, "the function returns nothing, it should return %s", type->name->text);
  pm_note(in->ctx, function->loc, "it is defined here");
  return cv_poison;
}

/* A lambda whose last parameter is a pack. */
static cv call_with_pack(cx_interp *in, pm_loc loc, const cx_candidate *c, const cx_arguments *args) {
  cx_candidate own = *c;
  uint32_t n_single = c->node->n_items - 1;
  own.node = cx_with_parameters(in, c->node, NULL, args->n > n_single ? args->n - n_single : 0);
  return cx_call_candidate(in, loc, &own, args);
}

enum { MOST_TRIALS = 4 };

/* A number of the type that the function returns; poison where that is no number. */
static cv number_of_function(cx_interp *in, const cx_candidate *c) {
  cx_scope *outside = in->scope;
  pm_scalar type;
  in->scope = cx_push_local_scope(in, c->scope);
  bool is = c->node->a && cx_scalar_of(in, c->node->a, &type);
  in->scope = outside;
  return is ? cv_one(type) : cv_poison;
}

cv cx_call_candidate(cx_interp *in, pm_loc loc, const cx_candidate *c, const cx_arguments *args) {
  if (cx_has_pack(c->node)) return call_with_pack(in, loc, c, args);
  const cx_node *node = cx_defined(in, c->instance, c->node);
  cx_scope *outside = in->scope;
  cv result = cv_poison;
  unsigned errors = pm_error_count(in->ctx);
  bool says_type = node->a && !cx_is_named(node->a, "auto");
  if (in->is_trial && (says_type || in->is_trial > MOST_TRIALS)) return number_of_function(in, c);
  if (in->library->passes_over && in->library->passes_over(in, node, args, &result)) return result;
  if (c->node->is_deleted) return cx_fail(in, loc, "the function '%s' is deleted", node->name->text);
  if (!node->b) return cx_fail(in, loc, "the function '%s' is declared, but not defined", node->name->text);
  in->is_trial += in->is_trial > 0;
  if (cx_enter_call(in, loc)) {
    in->scope = cx_push_local_scope(in, c->scope);
    if (cx_bind_parameters(in, loc, node, c->node, in->scope, args)) {
      bool outer = in->returns_place, was_const = in->in_const_function;
      in->in_const_function = c->object && node->is_const;
      in->returns_place = node->a && node->a->is_reference && !node->a->is_const;
      in->result = cv_void;
      in->result_cell = NULL;
      cx_run(in, node->b);
      result = returned(in, loc, node, errors);
      if (!in->returns_place) in->result_cell = NULL;
      in->returns_place = outer;
      in->in_const_function = was_const;
      in->result = cv_void;
    }
  }
  cx_leave_call(in);
  in->is_trial -= in->is_trial > 0;
  in->scope = outside;
  return result;
}

/* --- the function to call --- */

static const char *described_arguments(cx_interp *in, const cx_arguments *args) {
  pm_buf text = {0};
  for (unsigned i = 0; i < args->n; i++)
    pm_buf_printf(&text, "%s%s",
                  i == 0             ? ""
                  : i + 1 == args->n ? " and "
                                     : ", ",
                  cv_describe(in, args->values[i]));
  const char *kept = args->n > 0 ? pm_arena_strndup(in->arena, text.data, text.len) : "no arguments";
  pm_buf_free(&text);
  return kept;
}

static void note_candidates(cx_interp *in, const cx_candidates *candidates) {
  for (uint32_t i = 0; i < candidates->len && i < 10; i++)
    pm_note(in->ctx, candidates->data[i].node->loc, "this is one of them");
}

bool cx_choose_function(cx_interp *in, pm_loc loc, const char *name, const cx_candidates *candidates,
                        const cx_arguments *args, const cx_node *given, cx_candidate *out) {
  cx_rank worst;
  unsigned errors = pm_error_count(in->ctx);
  cx_choice choice = cx_choose(in, candidates, cx_ranked(in, args), args->n, given, out, &worst);
  if (choice == CX_ONE_SUITS) return true;
  const cx_node *only = candidates->len == 1 ? candidates->data[0].node : NULL;
  if (choice == CX_NONE_SUITS && only && !only->t && !cx_has_pack(only)) {
    *out = candidates->data[0]; /* the call says what is wrong with it */
    return true;
  }
  if (choice == CX_NONE_SUITS && only && only->t)
    cx_fail(in, loc, "'%s' is a template that does not suit %s", name, described_arguments(in, args));
  else if (choice == CX_NONE_SUITS)
    cx_fail(in, loc, "no function '%s' suits %s", name, described_arguments(in, args));
  else
    cx_fail(in, loc, "several functions '%s' suit %s equally well", name, described_arguments(in, args));
  if (pm_error_count(in->ctx) > errors) note_candidates(in, candidates);
  return false;
}

const cx_instance *cx_taken_for(cv object) {
  const cx_object *o = object.object;
  return object.number > 0 && object.number <= o->parts.len ? o->parts.data[object.number - 1]->instance
                                                            : o->instance;
}

const cx_instance *cx_base_named(cx_interp *in, cv object, const cx_node *name) {
  const cx_node *wanted =
      cx_class_named(in, &(cx_node){.kind = CX_TYPE, .name = name->name, .loc = name->loc});
  cx_line line = cx_line_of(in, object.object->instance);
  for (uint32_t i = 0; i < line.items.len; i++)
    if (line.items.data[i]->node == wanted) return line.items.data[i];
  return cx_taken_for(object);
}

static bool is_virtual(cx_interp *in, const cx_instance *instance, const cx_node *function) {
  cx_line line = cx_line_of(in, instance);
  if (function->is_virtual) return true;
  for (uint32_t i = 1; i < line.items.len; i++)
    for (uint32_t k = 0; k < line.items.data[i]->node->n_items; k++) {
      const cx_node *m = line.items.data[i]->node->items[k];
      if (m->kind == CX_FUNCTION && m->name == function->name && m->is_virtual &&
          cx_same_parameters(in, m, function))
        return true;
    }
  return false;
}

/* Of a virtual function the one that the object's own class has, or its nearest base. */
static void override(cx_interp *in, cx_candidate *c) {
  if (!c->object || !c->instance || c->node->t || !is_virtual(in, c->instance, c->node)) return;
  cx_line line = cx_line_of(in, c->object->making ? c->object->making : c->object->instance);
  for (uint32_t i = 0; i < line.items.len; i++)
    for (uint32_t k = 0; k < line.items.data[i]->node->n_items; k++) {
      const cx_node *m = line.items.data[i]->node->items[k];
      if (m->kind != CX_FUNCTION || m->name != c->node->name || !m->a || !cx_same_parameters(in, m, c->node))
        continue;
      *c = (cx_candidate){m, cx_part(c->object, line.items.data[i]), c->object, line.items.data[i]};
      return;
    }
}

static cv call_chosen(cx_interp *in, pm_loc loc, const char *name, const cx_candidates *candidates,
                      const cx_arguments *args, const cx_node *given, bool is_qualified) {
  cx_candidate c;
  if (!cx_choose_function(in, loc, name, candidates, args, given, &c)) return cv_poison;
  if (!is_qualified) override(in, &c);
  return cx_call_candidate(in, loc, &c, args);
}

/* What the class has itself hides what the library's has, unless `using Base::name` stands beside it: then it
 * has to suit. */
static bool is_hidden(cx_interp *in, const cx_instance *of, pm_string name, const cx_candidates *candidates,
                      const cx_arguments *args) {
  const cx_instance *owner = cx_inner_owner(of);
  cx_candidate c;
  cx_rank worst;
  return !owner || !cx_uses_name(owner, name) ||
         cx_choose(in, candidates, cx_ranked(in, args), args->n, NULL, &c, &worst) != CX_NONE_SUITS;
}

bool cx_call_own(cx_interp *in, pm_loc loc, cv object, const char *name, const cx_arguments *args, cv *out) {
  cx_candidates candidates = {0};
  pm_string text = pm_get_cstring(in->ctx, name);
  cx_add_methods(in, cx_taken_for(object), object.object, text, &candidates);
  if (candidates.len == 0 || !is_hidden(in, cx_taken_for(object), text, &candidates, args)) return false;
  *out = call_chosen(in, loc, name, &candidates, args, NULL, false);
  return true;
}

/* --- what is called --- */

static cv call_value(cx_interp *in, pm_loc loc, cv callee, const cx_arguments *a) {
  const char *should = in->library->callables;
  cv result;
  callee = cx_behind(callee);
  const cx_class *of = cx_class_of(in, callee);
  if (of && of->call)
    return of->call(
        &(cx_call){.in = in, .loc = loc, .self = callee, .args = a->values, .locs = a->locs, .n_args = a->n});
  switch (callee.kind) {
  case CV_FUNCTION:
    return cx_call_candidate(in, loc,
                             &(cx_candidate){callee.function->node, callee.function->scope, NULL, NULL}, a);
  case CV_BUILTIN: {
    cx_call call = {in, loc, callee.text, cv_void, a->values, a->locs, a->n, NULL, a->cells};
    bool found;
    return cx_call_library(&call, &found);
  }
  case CV_OBJECT:
    if (cx_call_own(in, loc, callee, "operator()", a, &result)) return result;
    if (cx_inner_cell(callee)) return call_value(in, loc, cx_inner(callee), a);
    return cx_fail(in, loc, "the class '%s' has no operator()", callee.object->instance->node->name->text);
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

cv cx_call_member(cx_interp *in, pm_loc loc, cx_object *object, const char *name) {
  cv self = {.kind = CV_OBJECT, .object = object}, result = cv_void;
  if (cx_call_own(in, loc, self, name, &cx_no_arguments, &result)) return result;
  const cx_cell *cell = cx_member_cell(in, self, pm_get_cstring(in->ctx, name));
  bool is_callable = cell && (cell->value.kind == CV_FUNCTION || cell->value.kind == CV_OBJECT);
  return is_callable ? call_value(in, loc, cell->value, &cx_no_arguments) : cv_void;
}

cv cx_call_with(const cx_call *call, cv callee, cv *args, unsigned n) {
  cx_arguments a = cx_values_as_arguments(call->in, call->loc, args, n);
  cv v = call_value(call->in, call->loc, callee, &a);
  call->in->result_cell = NULL; /* it is the place of no call of the program */
  return v;
}

/* `T(args)` of what was read as a name. */
static cv construct_named(cx_interp *in, const cx_node *n, const cx_arguments *a) {
  cx_node *type = pm_arena_memdup(in->arena, n->a, sizeof(*type));
  type->kind = CX_TYPE;
  return cx_construct(in, n->loc, type, a, false, NULL);
}

static void as_operands(cx_interp *in, const cx_arguments *a) {
  for (unsigned i = 0; i < a->n; i++) a->values[i] = cx_as_operand(in, a->locs[i], a->values[i]);
}

/* An argument is of a type of the library, whose functions are looked for then, too [basic.lookup.argdep]. */
static bool concerns_library(const cx_arguments *a) {
  for (unsigned i = 0; i < a->n; i++)
    if (a->values[i].kind >= CV_LIBRARY) return true;
  return false;
}

/* Functions of namespaces of the arguments' classes. */
static void add_associated(cx_interp *in, pm_string name, const cx_arguments *a, cx_candidates *candidates) {
  bool has_object = false;
  for (unsigned i = 0; i < a->n; i++) has_object |= a->values[i].kind == CV_OBJECT;
  cx_candidates more = {0};
  if (!has_object) return;
  cx_add_operators(in, name, cx_ranked(in, a), a->n, &more);
  for (uint32_t i = 0; i < more.len; i++) {
    bool known = false;
    for (uint32_t k = 0; k < candidates->len; k++) known |= candidates->data[k].node == more.data[i].node;
    if (!known) CX_PUSH(in->arena, *candidates, more.data[i]);
  }
}

/* --- members that the library's class has, which one of the program derives from --- */

static const char *const operators_called[] = {"operator()", "operator[]", "operator="};

static bool has_inner_member(const cx_call *call) {
  for (size_t i = 0; i < PM_COUNT(operators_called); i++)
    if (strcmp(operators_called[i], call->name->text) == 0) return true;
  return cx_has_method(call);
}

/* By its name, `call->self` being the value; it may be an operator's. */
static cv call_inner(const cx_call *call, cx_cell *cell, const cx_arguments *a) {
  cx_interp *in = call->in;
  bool found;
  if (strcmp(call->name->text, "operator()") == 0) return call_value(in, call->loc, call->self, a);
  if (strcmp(call->name->text, "operator[]") == 0 && a->n == 1)
    return cx_index_value(in, call->loc, call->self, a->values[0]);
  if (strcmp(call->name->text, "operator=") == 0 && a->n == 1)
    return cx_assign(in, call->loc, cell, CX_OP_NONE, a->values[0]);
  as_operands(in, a);
  return cx_call_method(call, &found);
}

/* The inner value of the object at hand that `Base::` leads to: Base is the class of the library, or a class
 * of the program that derives from it. */
static cx_cell *inner_named(cx_interp *in, const cx_node *before) {
  cx_cell *cell = cx_nearer_inner(in, NULL);
  cx_node type = *before;
  type.kind = CX_TYPE;
  const cx_node *closed = cell ? cx_resolve(in, &type) : NULL;
  if (!closed) return NULL;
  if (!closed->c) return closed->name == cell->type->name ? cell : NULL;
  const cx_instance *named = in->instantiate(in, before->loc, closed->c, closed);
  bool leads = named && cx_is_base(named, cx_current_class(in)) && cx_inner_owner(named);
  return leads ? cell : NULL;
}

/* `name(args)` in a member function, which is the library's where the class has none such; and
 * `Base::name(args)`. */
static bool call_inherited(cx_interp *in, const cx_call *call, const cx_found *f, const cx_arguments *a,
                           cv *out) {
  const cx_node *before = cx_qualifier(in, call->at);
  bool is_outside = !before && (call->at->is_global || call->at->is_of_library);
  if (is_outside || (before && (f || cx_has_function(call)))) return false;
  cx_cell *cell = before ? inner_named(in, before) : cx_nearer_inner(in, f);
  if (!cell) return false;
  cx_call own = *call;
  own.name = cx_last_part(in, call->name);
  own.self = cell->value;
  if (!has_inner_member(&own)) return false;
  *out = call_inner(&own, cell, a);
  return true;
}

static bool is_plain_function(const cx_found *f) {
  return f->instance || (f->cell && f->cell->value.kind == CV_FUNCTION &&
                         f->cell->value.function->node->kind == CX_FUNCTION);
}

/* The library's function is meant rather than those that the program has of the name. */
static bool prefers_library(cx_interp *in, const cx_call *call, const cx_found *f,
                            const cx_candidates *candidates, const cx_arguments *a) {
  cx_candidate c;
  cx_rank worst = CX_NO_MATCH;
  bool is_near = f->scope != in->globals && f->scope != in->extension;
  if (f->is_qualified && cx_has_function(call) &&
      cx_choose(in, candidates, cx_ranked(in, a), a->n, call->at, &c, &worst) == CX_NONE_SUITS)
    return true; /* the library has something of that name, too */
  if (f->is_qualified || f->instance || (is_near && !concerns_library(a)) || !cx_has_function(call))
    return false;
  return cx_choose(in, candidates, cx_ranked(in, a), a->n, call->at, &c, &worst) == CX_NONE_SUITS ||
         (worst <= CX_USER && (cx_all_numbers(call) || is_near));
}

/* The object may not be changed: it is const, or a member of one, or that of a const function. */
static bool is_constant(cx_interp *in, const cx_node *n) {
  cx_found found;
  if (n->kind == CX_NAME) return cx_look_up(in, n, &found) && found.cell && found.cell->is_const;
  if (n->kind == CX_THIS) return in->in_const_function;
  return n->kind == CX_MEMBER && !n->is_pointer && is_constant(in, n->a);
}

/* The functions that a const object has. */
static void keep_const(cx_candidates *all) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < all->len; i++)
    if (all->data[i].node->is_const || all->data[i].node->is_static) all->data[n++] = all->data[i];
  if (n > 0) all->len = n;
}

static cv call_named(cx_interp *in, const cx_node *n, const cx_arguments *a) {
  const cx_node *name = n->a;
  cx_call call = {in, name->loc, name->name, cv_void, a->values, a->locs, a->n, name, a->cells};
  cx_candidates candidates = {0};
  cx_found f;
  bool is_found = cx_look_up(in, name, &f), found;
  cv value;
  if (call_inherited(in, &call, is_found ? &f : NULL, a, &value)) return value;
  if (is_found && f.cell && f.cell->value.kind == CV_CLASS) return construct_named(in, n, a);
  if (is_found && !is_plain_function(&f)) return call_value(in, n->loc, f.cell->value, a);
  if (is_found) cx_add_candidates(in, &f, cx_last_part(in, name->name), &candidates);
  if (is_found && f.instance && in->in_const_function) keep_const(&candidates);
  if (!is_found || (!f.instance && !f.is_qualified)) add_associated(in, name->name, a, &candidates);
  if (candidates.len > 0 && !(is_found && prefers_library(in, &call, &f, &candidates, a)))
    return call_chosen(in, n->loc, name->name->text, &candidates, a, name, is_found && f.is_qualified);
  if (!is_found && cx_is_type_name(in, name)) return construct_named(in, n, a);
  if (!cx_takes_objects(&call)) as_operands(in, a);
  value = cx_call_library(&call, &found);
  return found ? value : cx_unknown_name(in, name->loc, name->name, "function");
}

static cv unknown_method(cx_interp *in, const cx_node *n, cv self) {
  if (self.kind == CV_POISON) return self;
  const char *near = cx_nearest_method(in, self, n->name);
  if (near)
    return cx_fail(in, n->loc, "%s has no member '%s', '%s' is the nearest one", cv_describe(in, self),
                   n->name->text, near);
  return cx_fail(in, n->loc, "%s has no member '%s'", cv_describe(in, self), n->name->text);
}

/* The class of the library that the object's class derives from. */
static bool names_inner(cx_interp *in, const cx_node *name, cv object) {
  cx_node type = *name;
  type.kind = CX_TYPE;
  return cx_is_inner_type(in, cx_resolve(in, &type), object);
}

/* The functions `name` or `Base::name` of an object. */
static bool call_object(cx_interp *in, const cx_node *n, cv self, const cx_arguments *a, cv *out) {
  const cx_node *m = n->a, *before = cx_qualifier(in, m);
  const cx_instance *from = cx_taken_for(self);
  cx_candidates candidates = {0};
  if (before) {
    from = cx_base_named(in, self, before);
    if (names_inner(in, before, self)) return false;
  }
  cx_add_methods(in, from, self.object, cx_last_part(in, m->name), &candidates);
  if (candidates.len == 0 || !is_hidden(in, from, m->name, &candidates, a)) return false;
  if (is_constant(in, m->a)) keep_const(&candidates);
  *out = call_chosen(in, m->loc, m->name->text, &candidates, a, m, before);
  return true;
}

static cv call_method(cx_interp *in, const cx_node *n, const cx_arguments *a) {
  const cx_node *m = n->a;
  cv value, whole = cx_eval(in, m->a), self = m->a->kind == CX_THIS ? whole : cx_behind(whole);
  bool found;
  if (self.kind == CV_POISON || !a->ok) return cv_poison;
  if (whole.kind == CV_POINTER && !m->is_pointer) { /* of a class that is a pointer */
    cx_call call = {in, m->loc, m->name, whole, a->values, a->locs, a->n, m, a->cells};
    value = cx_call_method(&call, &found);
    if (found) return value;
  }
  self = cx_behind(self);
  if (m->is_pointer && self.kind == CV_OBJECT) self = cx_behind_arrow(in, m->loc, self);
  if (self.kind == CV_OBJECT && call_object(in, n, self, a, &value)) return value;
  const cx_cell *cell = cx_member_cell(in, self, m->name);
  if (cell) return call_value(in, n->loc, cell->value, a);
  if (self.kind == CV_IGNORED) return self;
  cx_cell *inner = cx_inner_cell(self);
  cx_call call = {in, m->loc, m->name, cx_inner(self), a->values, a->locs, a->n, m, a->cells};
  if (inner) call.name = cx_last_part(in, m->name);
  if (inner && has_inner_member(&call)) return call_inner(&call, inner, a);
  if (self.kind >= CV_LIBRARY) as_operands(in, a);
  value = cx_call_method(&call, &found);
  return found ? value : unknown_method(in, m, call.self);
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
