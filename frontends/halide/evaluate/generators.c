/* Generators: which there are, and what runs them. */
#include "frontends/cxx/expressions/expressions.h"
#include "frontends/cxx/names/names.h"
#include "frontends/cxx/statements/statements.h"
#include "frontends/cxx/types/types.h"
#include "frontends/halide/evaluate/evaluate.h"

#include <string.h>

static bool is_called(const cx_node *n, const char *name) {
  return n && n->name && strcmp(n->name->text, name) == 0;
}

/* --- macros --- */

/* HalideExtern_2(int, f, int, float): the function f, which is said to be missing where it is called. */
static void refuse_extern(cx_interp *in, const cx_node *n) {
  static const char message[] = "extern functions are not supported";
  if (n->n_items < 2 || n->items[1]->kind != CX_NAME) return;
  cx_node *refused = pm_arena_memdup(in->arena, n, sizeof(*n));
  refused->kind = CX_REFUSED;
  refused->name = n->items[1]->name;
  refused->text = (pm_str){message, sizeof(message) - 1};
  CX_PUSH(in->arena, in->refused, refused);
}

/* The class that a name stands for, as a closed TYPE (types/types.h); NULL after a diagnostic. */
static const cx_node *class_behind(cx_interp *in, const cx_node *name) {
  cx_node *named = pm_arena_memdup(in->arena, name, sizeof(*named));
  named->kind = CX_TYPE;
  const cx_node *type = cx_resolve(in, named), *node = cx_class_named(in, type);
  if (node && node->kind == CX_CLASS) return type;
  cx_unknown_name(in, name->loc, name->name, "class");
  return NULL;
}

/* HALIDE_REGISTER_GENERATOR(Class, name) */
static void register_generator(cx_interp *in, const cx_node *n) {
  const cx_node *type = class_behind(in, n->items[0]);
  if (!type) return;
  pm_string given = n->n_items > 1 && n->items[1]->kind == CX_NAME ? n->items[1]->name : type->name;
  h_state *state = h_state_of(in);
  const char *wanted = state->options->generator;
  bool has_stub = n->n_items > 2 && n->items[2]->kind == CX_NAME;
  h_generator row = {given, type, NULL, has_stub ? n->items[2]->name : given};
  CX_PUSH(in->arena, state->generators, row);
  if (wanted && strcmp(wanted, given->text) != 0 && strcmp(wanted, type->name->text) != 0) return;
  state->generator = type;
  state->generator_name = given;
}

static h_generator *find_generator(const h_state *state, pm_string name) {
  for (uint32_t i = 0; i < state->generators.len; i++)
    if (state->generators.data[i].name == name) return &state->generators.data[i];
  return NULL;
}

/* HALIDE_REGISTER_GENERATOR_ALIAS(name, of, {{"param", "value"}, …}): with other values of its
 * GeneratorParams. */
static void register_alias(cx_interp *in, const cx_node *n) {
  h_state *state = h_state_of(in);
  const cx_node *name = n->items[0], *of = n->n_items > 1 ? n->items[1] : NULL;
  const h_generator *known = of && of->kind == CX_NAME ? find_generator(state, of->name) : NULL;
  if (!known) {
    if (of && of->kind == CX_NAME) cx_unknown_name(in, of->loc, of->name, "generator");
    return;
  }
  h_generator row = {name->name, known->type, n->n_items > 2 ? n->items[2] : NULL, name->name};
  CX_PUSH(in->arena, state->generators, row);
  const char *wanted = state->options->generator;
  if (!wanted || strcmp(wanted, name->name->text) != 0) return;
  state->generator = known->type;
  state->generator_name = name->name;
}

void h_run_macro(cx_interp *in, const cx_node *n) {
  const char *name = n->name->text;
  if (strncmp(name, "HalideExtern_", 13) == 0 || strncmp(name, "HalidePureExtern_", 17) == 0)
    refuse_extern(in, n);
  if (n->n_items < 1 || n->items[0]->kind != CX_NAME) return;
  if (strcmp(name, "HALIDE_REGISTER_GENERATOR_ALIAS") == 0)
    register_alias(in, n);
  else if (strcmp(name, "HALIDE_REGISTER_GENERATOR") == 0)
    register_generator(in, n);
}

/* --- the generator of the program --- */

typedef CX_VEC(cx_cell *) members;

static void add_members(cx_interp *in, const cx_object *object, unsigned depth, members *out) {
  for (uint32_t i = 0; i < object->members->names.len && depth < 20; i++) {
    cx_cell *cell = object->members->names.data[i].cell;
    if (cell->value.kind == CV_OBJECT && !cell->value.object->instance->is_of_library)
      add_members(in, cell->value.object, depth + 1, out);
    else
      CX_PUSH(in->arena, *out, cell);
  }
}

/* Those of objects in it, too: a port may be in one, or be what its class derives from. */
static members members_of(cx_interp *in, const cx_object *object) {
  members all = {0};
  add_members(in, object, 0, &all);
  return all;
}

static bool has_symbol(cv v) {
  return v.kind == HV_FUNC || v.kind == HV_BUFFER || v.kind == HV_PARAM;
}

static void register_port(cx_interp *in, cv v, bool inputs) {
  for (uint32_t i = 0; v.kind == CV_LIST && v.list->own && i < v.list->items.len; i++)
    register_port(in, v.list->items.data[i]->value, inputs);
  if (!has_symbol(v)) return;
  h_symbol *s = h_symbol_of(v);
  if (inputs && s->is_input) CX_PUSH(in->arena, h_program_of(in)->inputs, s);
  if (!inputs && s->is_output) CX_PUSH(in->arena, h_program_of(in)->outputs, s);
  if (inputs && s->is_input && s->kind == H_BUFFER && !s->is_declared)
    cx_fail(in, s->loc,
            "the %s of %s is not known, <Buffer<uint8_t, 2>> says it, or --const %s.type=uint8 and %s.dim=2",
            s->has_types  ? "number of dimensions"
            : s->has_rank ? "type"
                          : "type and number of dimensions",
            s->name->text, s->name->text, s->name->text);
}

static void register_ports(cx_interp *in, const cx_object *object, bool inputs) {
  members all = members_of(in, object);
  for (uint32_t i = 0; i < all.len; i++) register_port(in, all.data[i]->value, inputs);
}

/* The class that a generator program without HALIDE_REGISTER_GENERATOR has. */
static const cx_node *only_generator(cx_interp *in) {
  const cx_node *found = NULL;
  for (uint32_t i = 0; i < in->classes.len; i++)
    if (cx_is_of_library(in, in->classes.data[i])) found = in->classes.data[i];
  return found;
}

/* What an alias says of its GeneratorParams, where the command line says nothing. */
static void take_alias_values(cx_interp *in, const h_generator *g) {
  cv list = g && g->values ? cx_eval(in, g->values) : cv_void;
  for (uint32_t i = 0; list.kind == CV_LIST && i < list.list->items.len; i++) {
    cv pair = list.list->items.data[i]->value;
    bool is_pair = pair.kind == CV_LIST && pair.list->items.len == 2;
    cv name = is_pair ? pair.list->items.data[0]->value : cv_void,
       value = is_pair ? pair.list->items.data[1]->value : cv_void;
    if (name.kind == CV_STRING && value.kind == CV_STRING)
      h_add_constant(in, g->values->loc, name.text->text, value.text->text);
    else
      cx_fail(in, g->values->loc, "the values of an alias should be {\"NAME\", \"VALUE\"}");
  }
}

/* --const autoscheduler=NAME, and auto_schedule=true of older ones: each generator has these. */
static bool wants_autoscheduler(cx_interp *in) {
  const char *name = h_given_constant(in, "autoscheduler"), *old = h_given_constant(in, "auto_schedule");
  return (name && *name) || (old && strcmp(old, "true") == 0);
}

/* --- build(), which generators had before generate() --- */

static bool add_built(cx_interp *in, pm_loc loc, cv v) {
  if (v.kind == HV_PIPELINE || v.kind == CV_LIST) {
    bool ok = true;
    for (uint32_t i = 0; i < v.list->items.len; i++) ok &= add_built(in, loc, v.list->items.data[i]->value);
    return ok;
  }
  if (v.kind == HV_FUNC) h_add_output(in, h_symbol_of(v));
  if (v.kind != HV_FUNC && v.kind != CV_POISON)
    cx_fail(in, loc, "build() returns %s, it should return a Func or a Pipeline", cv_describe(in, v));
  return v.kind == HV_FUNC;
}

/* NULL: the class has no function of that name. */
static const cx_node *method_of(cx_interp *in, cx_object *object, const char *name) {
  cx_candidates found = {0};
  cx_add_methods(in, object->instance, object, pm_get_cstring(in->ctx, name), &found);
  return found.len > 0 ? found.data[0].node : NULL;
}

/* Defines the outputs: by generate(), or by build(), whose result they are. */
static void define_outputs(cx_interp *in, pm_loc loc, cx_object *object) {
  const cx_node *build = method_of(in, object, "build");
  if (!build || method_of(in, object, "generate")) {
    cx_call_member(in, loc, object, "generate");
    cx_call_member(in, loc, object, "schedule");
    return;
  }
  cv result = cx_call_member(in, loc, object, "build");
  if (!in->stopped) add_built(in, build->loc, result);
}

void h_run_generator(cx_interp *in, pm_loc loc) {
  h_state *state = h_state_of(in);
  const char *wanted = state->options->generator;
  const cx_node *node = state->generator ? state->generator->c : only_generator(in);
  if (wanted && !state->generator) {
    pm_error(in->ctx, loc, "--generator %s: no generator of the program is named so", wanted);
    return;
  }
  if (!node) return;
  if (!state->generator_name) state->generator_name = node->name;
  take_alias_values(in, find_generator(state, state->generator_name));
  state->has_autoscheduler = wants_autoscheduler(in);
  cv object = cx_new_object(in, node->loc, node, state->generator, &cx_no_arguments, false);
  if (object.kind != CV_OBJECT) return;
  cx_call_member(in, node->loc, object.object, "configure");
  register_ports(in, object.object, true);
  define_outputs(in, node->loc, object.object);
  register_ports(in, object.object, false);
}

/* --- generators that others make --- */

static void make_local(cv v) {
  for (uint32_t i = 0; v.kind == CV_LIST && v.list->own && i < v.list->items.len; i++)
    make_local(v.list->items.data[i]->value);
  if (v.kind == HV_FUNC) h_symbol_of(v)->is_output = h_symbol_of(v)->is_declared = false;
}

cv h_create_generator(cx_interp *in, pm_loc loc, const cx_node *type) {
  const cx_node *of = class_behind(in, type);
  if (!of) return cv_poison;
  cv object = cx_new_object(in, loc, of->c, of, &cx_no_arguments, false);
  if (object.kind != CV_OBJECT) return object;
  members all = members_of(in, object.object);
  for (uint32_t i = 0; i < all.len; i++) make_local(all.data[i]->value);
  return object;
}

static bool is_input(cv v) {
  if (v.kind == CV_LIST) return v.list->own && !h_is_port_of_outputs(v.list);
  return (v.kind == HV_BUFFER || v.kind == HV_PARAM) && h_symbol_of(v)->is_input;
}

/* Gives the Inputs their values, in their order, and runs the generator. */
static cv apply(cx_interp *in, pm_loc loc, cx_object *object, const cv *args, unsigned n_args) {
  unsigned n = 0, declared = object->members->names.len;
  cx_call_member(in, loc, object, "configure");
  for (uint32_t i = declared; i < object->members->names.len; i++)
    make_local(object->members->names.data[i].cell->value);
  members all = members_of(in, object);
  for (uint32_t i = 0; i < all.len && n < n_args; i++)
    if (is_input(all.data[i]->value)) all.data[i]->value = args[n++];
  if (n < n_args) return cx_fail(in, loc, "the generator has %u inputs, %u are given", n, n_args);
  cx_call_member(in, loc, object, "generate");
  for (uint32_t i = 0; i < all.len; i++) /* which may have become longer */
    if (all.data[i]->value.kind == CV_LIST && h_is_port_of_outputs(all.data[i]->value.list))
      make_local(all.data[i]->value);
  cx_call_member(in, loc, object, "schedule");
  return cv_void;
}

/* generator->apply(inputs…) */
cv h_apply_generator(const cx_call *c) {
  if (!c->self.object->instance->is_of_library) return cx_fail(c->in, c->loc, "only generators have apply");
  return apply(c->in, c->loc, c->self.object, c->args, c->n_args);
}

/* --- stubs --- */

static const char *behind_scope(pm_string name) {
  const char *last = NULL;
  for (const char *p = name->text; (p = strstr(p, "::")); p += 2) last = p + 2;
  return last;
}

/* The stub's class is the name or ends with it, as `A::Stub` does with `Stub`. */
static bool is_stub_named(pm_string stub, const char *name, size_t len) {
  const char *tail = stub->text + stub->len - len;
  return len <= stub->len && strncmp(tail, name, len) == 0 &&
         (len == stub->len || (tail - stub->text > 2 && tail[-1] == ':'));
}

/* The generator whose stub has what is named `name::member`; NULL: there is none. */
static const cx_node *stub_of(const cx_interp *in, pm_string name, const char *member) {
  const h_state *state = h_state_of(in);
  const char *last = behind_scope(name);
  if (!last || strcmp(last, member) != 0) return NULL;
  size_t len = (size_t)(last - name->text) - 2;
  for (uint32_t i = 0; i < state->generators.len; i++) {
    const h_generator *one = &state->generators.data[i];
    bool is_name = one->name->len == len && strncmp(one->name->text, name->text, len) == 0;
    if (is_name || is_stub_named(one->stub, name->text, len)) return one->type;
  }
  return NULL;
}

bool h_is_stub_type(pm_string name) {
  static const char *const types[] = {"Inputs", "GeneratorParams", "Outputs"};
  const char *last = behind_scope(name);
  for (size_t i = 0; last && i < PM_COUNT(types); i++)
    if (strcmp(types[i], last) == 0) return true;
  return false;
}

/* An object of the generator that holds values for another one: Inputs are open until they are given. */
static cv new_stub_value(cx_interp *in, pm_loc loc, const cx_node *of) {
  unsigned n_definitions = h_program_of(in)->n_definitions;
  cv object = h_create_generator(in, loc, of);
  if (object.kind != CV_OBJECT) return object;
  members all = members_of(in, object.object);
  for (uint32_t i = 0; i < all.len; i++)
    if (is_input(all.data[i]->value) && all.data[i]->value.kind != CV_LIST) all.data[i]->value = cv_void;
  h_program_of(in)->n_definitions = n_definitions;
  return object;
}

bool h_make_stub_value(const cx_making *m, cv *out) {
  const cx_node *inputs = stub_of(m->in, m->type->name, "Inputs"),
                *params = stub_of(m->in, m->type->name, "GeneratorParams");
  if (!inputs && !params) return false;
  if (m->n_args == 1 && m->args[0].kind == CV_OBJECT)
    *out = m->args[0];
  else if (m->n_args > 0 && inputs)
    *out = cx_list_of_args(m);
  else if (m->n_args > 0)
    *out = cx_fail(m->in, m->loc, "GeneratorParams are set by their names");
  else
    *out = new_stub_value(m->in, m->loc, inputs ? inputs : params);
  return true;
}

static pm_string name_of(const cx_object *object, const cx_cell *cell) {
  for (uint32_t i = 0; i < object->members->names.len; i++)
    if (object->members->names.data[i].cell == cell) return object->members->names.data[i].name;
  return NULL;
}

/* The values that Inputs, in their order, or GeneratorParams have. */
static bool take_values(cx_interp *in, pm_loc loc, cx_object *object, cv from, bool of_params,
                        members *inputs) {
  if (from.kind != CV_OBJECT || from.object->instance != object->instance) {
    cx_fail(in, loc, "this is %s, %s of the stub should be here", cv_describe(in, from),
            of_params ? "GeneratorParams" : "Inputs");
    return false;
  }
  members own = members_of(in, object), given = members_of(in, from.object);
  for (uint32_t i = 0; i < own.len && i < given.len; i++) {
    bool is_param = is_called(own.data[i]->type, "GeneratorParam");
    if (of_params && is_param) own.data[i]->value = given.data[i]->value;
    if (of_params || !is_input(own.data[i]->value)) continue;
    cv value = given.data[i]->value;
    if (value.kind == CV_VOID || (value.kind == CV_LIST && value.list->own)) {
      pm_string name = name_of(from.object, given.data[i]);
      cx_fail(in, loc, "the input %s is not given", name ? name->text : "of a member");
      return false;
    }
    CX_PUSH(in->arena, *inputs, given.data[i]);
  }
  return true;
}

/* The output, where it is one; else the object, whose members they are. */
static cv outputs_of(cx_interp *in, cv object) {
  cv one = cv_void;
  unsigned n = 0;
  members all = members_of(in, object.object);
  for (uint32_t i = 0; i < all.len; i++) {
    const cx_cell *cell = all.data[i];
    bool is_output =
        cell->type && (is_called(cell->type, "Output") || is_called(cell->type, "GeneratorOutput"));
    if (is_output && n++ == 0) one = cell->value;
  }
  return n == 1 ? one : object;
}

/* name::generate(context, inputs), and GeneratorParams behind them. */
static cv call_stub(const cx_call *c) {
  cx_interp *in = c->in;
  bool is_list = c->n_args > 1 && c->args[1].kind == CV_LIST;
  members inputs = {0};
  if (c->n_args < 2 || c->n_args > 3 || (!is_list && c->args[1].kind != CV_OBJECT))
    return cx_fail(in, c->loc, "%s takes the generator that calls it and the inputs in {}", c->name->text);
  cv object = h_create_generator(in, c->loc, stub_of(in, c->name, "generate"));
  if (object.kind != CV_OBJECT) return cv_poison;
  if (is_list)
    for (uint32_t i = 0; i < c->args[1].list->items.len; i++)
      CX_PUSH(in->arena, inputs, c->args[1].list->items.data[i]);
  else if (!take_values(in, c->locs[1], object.object, c->args[1], false, &inputs))
    return cv_poison;
  bool has_params = c->n_args > 2 && (c->args[2].kind != CV_LIST || c->args[2].list->items.len > 0);
  if (has_params && !take_values(in, c->locs[2], object.object, c->args[2], true, NULL)) return cv_poison;
  cv *args = pm_arena_alloc(in->arena, (inputs.len + 1) * sizeof(cv));
  for (uint32_t i = 0; i < inputs.len; i++) args[i] = inputs.data[i]->value;
  cv result = apply(in, c->loc, object.object, args, inputs.len);
  return result.kind == CV_POISON ? result : outputs_of(in, object);
}

cx_handler h_stub(const cx_interp *in, pm_string name) {
  return stub_of(in, name, "generate") ? call_stub : NULL;
}
