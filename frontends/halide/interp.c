/* Statements and expressions of the host code. */
#include "frontends/halide/interp.h"

#include <stdlib.h>
#include <string.h>

typedef enum flow { FLOW_NEXT, FLOW_BREAK, FLOW_CONTINUE, FLOW_RETURN } flow;

static flow run(h_interp *in, const cx_node *n);
static hv_cell *place(h_interp *in, const cx_node *n);

bool h_may_go_on(h_interp *in, pm_loc loc) {
  if (in->stopped) return false;
  bool too_long = ++in->steps > H_MAX_STEPS,
       too_large = pm_arena_bytes(in->arena) + in->text_bytes > H_MAX_BYTES;
  if (too_long)
    pm_error(in->ctx, loc, "the host code takes more than %d steps, it should end before", H_MAX_STEPS);
  else if (too_large)
    pm_error(in->ctx, loc, "the host code takes more than 1 GB, it should take less");
  if (too_long || too_large || in->program.is_too_deep) in->stopped = true;
  return !in->stopped;
}

static bool truth(h_interp *in, const cx_node *n, bool *out) {
  return h_to_bool(in, n->loc, h_eval(in, n), out);
}

/* --- names --- */

/* `a::b`: the part before the last `::`, or NULL. */
static pm_string scope_of(pm_context *ctx, pm_string name) {
  const char *last = NULL;
  for (const char *p = name->text; (p = strstr(p, "::")); p += 2) last = p;
  return last ? pm_get_string(ctx, (pm_str){name->text, (size_t)(last - name->text)}) : NULL;
}

static pm_string last_part(pm_context *ctx, pm_string name) {
  const char *last = name->text;
  for (const char *p = name->text; (p = strstr(p, "::")); p += 2) last = p + 2;
  return pm_get_cstring(ctx, last);
}

static bool find_enumerator(h_interp *in, const cx_node *node, pm_string member, hv *out) {
  int64_t next = 0;
  for (uint32_t i = 0; i < node->n_items; i++, next = pm_wrap_add(next, 1)) {
    const cx_node *item = node->items[i];
    int64_t value;
    if (item->b && h_to_int(in, item->loc, h_eval(in, item->b), &value, "the value of an enumerator"))
      next = value;
    if (item->name == member) {
      *out = hv_int(PM_I32, next);
      return true;
    }
  }
  return false;
}

static hv declared_value(h_interp *in, const cx_node *type, const cx_node *d);

/* An enumerator of a class, or a member that is static or constant. */
static bool find_member(h_interp *in, const cx_node *class_node, pm_string member, hv *out) {
  for (uint32_t i = 0; i < class_node->n_items; i++) {
    const cx_node *m = class_node->items[i];
    if (m->kind == CX_ENUM && !m->is_scoped && find_enumerator(in, m, member, out)) return true;
    for (uint32_t k = 0; m->kind == CX_DECLARE && (m->is_static || m->a->is_const) && k < m->n_items; k++) {
      if (m->items[k]->name != member || !m->items[k]->b) continue;
      *out = declared_value(in, m->a, m->items[k]);
      return true;
    }
  }
  return false;
}

/* Enumerators of enums of the program and of its classes, static members. */
static bool find_qualified(h_interp *in, pm_string name, hv *out) {
  pm_string outer = scope_of(in->ctx, name);
  const hv_cell *cell = outer ? hv_find(in->scope, outer) : NULL;
  if (!cell || cell->value.kind != HV_CLASS) return false;
  const cx_node *node = cell->value.node;
  pm_string member = last_part(in->ctx, name);
  return node->kind == CX_ENUM    ? find_enumerator(in, node, member, out)
         : node->kind == CX_CLASS ? find_member(in, node, member, out)
                                  : false;
}

/* The declaration of the name, which was not understood; NULL: there is none such. */
static const cx_node *refused_declaration(const h_interp *in, pm_string name) {
  for (uint32_t i = 0; i < in->refused.len; i++)
    if (in->refused.data[i]->name == name) return in->refused.data[i];
  return NULL;
}

static const char *nearest_name(h_interp *in, pm_string name) {
  const char *best = NULL;
  unsigned distance = h_max_edits(name) + 1;
  for (const hv_scope *s = in->scope; s; s = s->outer)
    for (uint32_t i = 0; i < s->names.len; i++) {
      pm_string other = s->names.data[i].name;
      unsigned d =
          pm_edit_distance((pm_str){name->text, name->len}, (pm_str){other->text, other->len}, distance);
      if (d == 0 || d >= distance) continue;
      distance = d;
      best = other->text;
    }
  return best;
}

/* Reports the name once: from here on it is poison. */
static hv unknown_name(h_interp *in, pm_loc loc, pm_string name, const char *what) {
  const cx_node *refused = refused_declaration(in, name);
  const char *near = refused ? NULL : nearest_name(in, name);
  if (in->stopped) return hv_poison;
  if (!near && !refused) near = h_nearest_function(in, name);
  if (refused) {
    h_fail(in, refused->loc, "%.*s", (int)refused->text.len, refused->text.ptr);
    pm_note(in->ctx, loc, "the %s '%s' is needed here", what, name->text);
  } else if (near) {
    h_fail(in, loc, "the %s '%s' is not known, '%s' is the nearest one", what, name->text, near);
  } else {
    h_fail(in, loc, "the %s '%s' is not known here", what, name->text);
  }
  hv_declare(in, in->globals, name, hv_poison);
  return hv_poison;
}

static hv eval_name(h_interp *in, const cx_node *n) {
  hv value;
  const hv_cell *cell = hv_find(in->scope, n->name);
  if (cell) return cell->value;
  if (find_qualified(in, n->name, &value) || h_find_word(in, n->name, &value)) return value;
  return unknown_name(in, n->loc, n->name, "name");
}

/* --- members --- */

/* What `.` and `->` lead to: behind pointers. */
static hv behind(hv v) {
  for (int i = 0; i < 100 && v.kind == HV_POINTER && v.cell; i++) v = v.cell->value;
  if (v.kind == HV_ITERATOR && v.number < v.list->items.len)
    return behind(v.list->items.data[v.number]->value);
  return v;
}

static hv_cell *member_cell(h_interp *in, const cx_node *n, hv base) {
  if (base.kind == HV_OBJECT) {
    const hv_scope *s = base.object->members;
    for (uint32_t i = 0; i < s->names.len; i++)
      if (s->names.data[i].name == n->name) return s->names.data[i].cell;
    return NULL;
  }
  if (base.kind == HV_LIST && base.list->items.len == 2) {
    bool first = strcmp(n->name->text, "first") == 0 || strcmp(n->name->text, "min") == 0,
         second =
             strcmp(n->name->text, "second") == 0 || strcmp(n->name->text, "extent") == 0; /* of a Range */
    if (first || second) return base.list->items.data[second];
  }
  (void)in;
  return NULL;
}

/* r.x: a dimension of an RDom. */
static bool rdom_member(h_interp *in, pm_loc loc, hv base, pm_string name, hv *out) {
  static const char names[] = "xyzw";
  if (base.kind != HV_RDOM || name->len != 1 || !strchr(names, name->text[0])) return false;
  unsigned d = (unsigned)(strchr(names, name->text[0]) - names);
  if (!base.rdom || d >= base.rdom->n_dims)
    *out = h_fail(in, loc, "the RDom has %u dimensions, .%s is not one of them",
                  base.rdom ? base.rdom->n_dims : 0, name->text);
  else
    *out = (hv){.kind = HV_VAR, .var = &base.rdom->vars[d]};
  return true;
}

static hv eval_member(h_interp *in, const cx_node *n) {
  hv value, base = behind(h_eval(in, n->a));
  if (base.kind == HV_POISON) return base;
  const hv_cell *cell = member_cell(in, n, base);
  if (cell) return cell->value;
  if (rdom_member(in, n->loc, base, n->name, &value)) return value;
  if (base.kind == HV_IGNORED) return base;
  if (base.kind == HV_TARGET) {
    h_call call = {.in = in, .loc = n->loc, .name = n->name, .self = base};
    bool found;
    value = h_call_method(&call, &found);
    if (found) return value;
  }
  return h_fail(in, n->loc, "%s has no member '%s'", hv_describe(base), n->name->text);
}

/* --- calls --- */

typedef struct arguments {
  hv *values;
  hv_cell **cells; /* where they are kept, for parameters by reference; NULL: nowhere */
  pm_loc *locs;
  unsigned n;
  bool ok;
} arguments;

static bool is_place(const cx_node *n) {
  return n->kind == CX_NAME || n->kind == CX_MEMBER || n->kind == CX_INDEX;
}

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
static hv_cell *argument_cell(h_interp *in, const cx_node *n) {
  if (n->kind == CX_NAME) return hv_find(in->scope, n->name);
  if (!is_place(n) || !is_repeatable(n)) return NULL;
  hv base = behind(h_eval(in, n->a));
  if (n->kind == CX_MEMBER) return member_cell(in, n, base);
  return base.kind == HV_LIST || base.kind == HV_MAP ? place(in, n) : NULL;
}

static arguments eval_arguments(h_interp *in, cx_node *const *items, unsigned n) {
  arguments a = {.n = n, .ok = true};
  a.values = pm_arena_alloc(in->arena, (n + 1) * sizeof(hv));
  a.cells = pm_arena_alloc(in->arena, (n + 1) * sizeof(hv_cell *));
  a.locs = pm_arena_alloc(in->arena, (n + 1) * sizeof(pm_loc));
  for (unsigned i = 0; i < n; i++) {
    hv_cell *cell = argument_cell(in, items[i]);
    a.cells[i] = cell;
    a.values[i] = cell ? cell->value : h_eval(in, items[i]);
    a.locs[i] = items[i]->loc;
    if (a.values[i].kind == HV_POISON) a.ok = false;
  }
  return a;
}

static void bind_parameter(h_interp *in, hv_scope *scope, const cx_node *param, hv value, hv_cell *cell,
                           pm_loc loc) {
  if (!param->name) return;
  bool by_reference = param->a && param->a->is_reference;
  if (by_reference && cell && !param->a->is_const) {
    hv_bind(in, scope, param->name, cell, param->loc);
    return;
  }
  hv converted = h_convert(in, loc, param->a, by_reference ? value : hv_copy(in, value));
  hv_declare(in, scope, param->name, converted)->type = param->a;
}

static unsigned least_arguments(const cx_node *function) {
  unsigned n = 0;
  for (uint32_t i = 0; i < function->n_items; i++)
    if (!function->items[i]->b) n = i + 1;
  return n;
}

static bool bind_parameters(h_interp *in, pm_loc loc, const cx_node *function, hv_scope *scope,
                            const hv *args, hv_cell *const *cells, const pm_loc *locs, unsigned n_args) {
  if (n_args > function->n_items || n_args < least_arguments(function)) {
    h_fail(in, loc, "the call has %u %s, it should have %u", n_args, n_args == 1 ? "argument" : "arguments",
           n_args < least_arguments(function) ? least_arguments(function) : function->n_items);
    pm_note(in->ctx, function->loc, "it is defined here");
    return false;
  }
  for (uint32_t i = 0; i < function->n_items; i++) {
    const cx_node *param = function->items[i];
    hv value = i < n_args ? args[i] : h_eval(in, param->b);
    bind_parameter(in, scope, param, value, i < n_args && cells ? cells[i] : NULL,
                   i < n_args ? locs[i] : param->loc);
  }
  return true;
}

static bool enter(h_interp *in, pm_loc loc) {
  if (in->depth++ < H_MAX_CALLS) return true;
  h_fail(in, loc, "calls are nested more than %d deep, the functions should not call each other for ever",
         H_MAX_CALLS);
  in->stopped = true;
  return false;
}

static const cx_node *return_type(const cx_node *function) {
  return function->kind == CX_FUNCTION ? function->a : NULL;
}

/* What the body has returned, as the function says; `errors` counts those before. */
static hv returned(h_interp *in, pm_loc loc, const cx_node *function, unsigned errors) {
  const cx_node *type = return_type(function);
  bool wants = type && type->kind == CX_TYPE && type->name && strcmp(type->name->text, "void") != 0 &&
               strcmp(type->name->text, "auto") != 0;
  if (in->result.kind != HV_VOID) return h_convert(in, loc, type, in->result);
  if (!wants) return hv_void;
  if (pm_error_count(in->ctx) > errors || in->stopped) return hv_poison;
  h_fail(in, loc, "the function returns nothing, it should return %s", type->name->text);
  pm_note(in->ctx, function->loc, "it is defined here");
  return hv_poison;
}

hv h_call_function(h_interp *in, pm_loc loc, const hv_function *function, hv_object *self, hv *args,
                   hv_cell *const *cells, const pm_loc *locs, unsigned n_args) {
  const cx_node *node = function->node;
  hv_scope *outside = in->scope;
  hv result = hv_poison;
  unsigned errors = pm_error_count(in->ctx);
  if (!node->b) return h_fail(in, loc, "the function '%s' is declared, but not defined", node->name->text);
  if (enter(in, loc)) {
    hv_scope *scope = hv_push_scope(in, self ? self->members : function->scope);
    in->scope = scope;
    if (bind_parameters(in, loc, node, scope, args, cells, locs, n_args)) {
      in->result = hv_void;
      run(in, node->b);
      result = returned(in, loc, node, errors);
      in->result = hv_void;
    }
  }
  in->depth--;
  in->scope = outside;
  return result;
}

hv h_call_value(h_interp *in, pm_loc loc, hv callee, hv *args, const pm_loc *locs, unsigned n_args) {
  callee = behind(callee);
  switch (callee.kind) {
  case HV_FUNCTION:
    return h_call_function(in, loc, callee.function, NULL, args, NULL, locs, n_args);
  case HV_FUNC:
  case HV_BUFFER:
    return h_call_symbol(in, loc, callee.symbol, args, locs, n_args);
  case HV_IGNORED:
  case HV_POISON:
    return callee;
  default:
    return h_fail(in, loc, "this is %s, a function or a Func should be called", hv_describe(callee));
  }
}

static hv call_value_with(h_interp *in, pm_loc loc, hv callee, const arguments *a) {
  callee = behind(callee);
  if (callee.kind == HV_FUNCTION)
    return h_call_function(in, loc, callee.function, NULL, a->values, a->cells, a->locs, a->n);
  if (callee.kind == HV_CLASS) return h_fail(in, loc, "a class is called here, which makes no value");
  return h_call_value(in, loc, callee, a->values, a->locs, a->n);
}

/* The object whose member function runs, or NULL. */
static hv_object *current_object(const h_interp *in) {
  for (const hv_scope *s = in->scope; s; s = s->outer)
    if (s->object) return s->object;
  return NULL;
}

const cx_node *h_find_class(h_interp *in, pm_string name) {
  const hv_cell *cell = hv_find(in->globals, name);
  return cell && cell->value.kind == HV_CLASS ? cell->value.node : NULL;
}

static bool takes(const cx_node *f, unsigned n_args) {
  return n_args <= f->n_items && n_args >= least_arguments(f);
}

/* The body may stand outside of the class. */
static const cx_node *definition_outside(h_interp *in, const cx_node *class_node, const cx_node *declared) {
  pm_buf name = {0};
  pm_buf_printf(&name, "%s::%s", class_node->name->text, declared->name->text);
  const hv_cell *cell = hv_find(in->globals, pm_get_string(in->ctx, (pm_str){name.data, name.len}));
  pm_buf_free(&name);
  return cell && cell->value.kind == HV_FUNCTION ? cell->value.function->node : declared;
}

static const cx_node *find_method_for(h_interp *in, const cx_node *class_node, pm_string name, int n_args) {
  const cx_node *any = NULL;
  for (uint32_t i = 0; i < class_node->n_items; i++) {
    const cx_node *m = class_node->items[i];
    if (m->kind != CX_FUNCTION || m->name != name || !m->a) continue;
    if (!any || (n_args >= 0 && takes(m, (unsigned)n_args) && !takes(any, (unsigned)n_args))) any = m;
  }
  if (any) return any->b ? any : definition_outside(in, class_node, any);
  for (uint32_t i = 0; class_node->c && i < class_node->c->n_items; i++) {
    const cx_node *base = h_find_class(in, class_node->c->items[i]->name);
    if (base && base != class_node && (any = find_method_for(in, base, name, n_args))) return any;
  }
  return NULL;
}

const cx_node *h_find_method(h_interp *in, const cx_node *class_node, pm_string name) {
  return find_method_for(in, class_node, name, -1);
}

static bool call_own_method(h_interp *in, pm_loc loc, hv_object *object, pm_string name, const arguments *a,
                            hv *out) {
  const cx_node *method = object ? find_method_for(in, object->node, name, (int)a->n) : NULL;
  if (!method) return false;
  hv_function function = {method, in->globals};
  *out = h_call_function(in, loc, &function, object, a->values, a->cells, a->locs, a->n);
  return true;
}

hv h_call_member(h_interp *in, pm_loc loc, hv_object *object, const char *name) {
  arguments none = {.ok = true};
  hv result = hv_void;
  call_own_method(in, loc, object, pm_get_cstring(in->ctx, name), &none, &result);
  return result;
}

static bool is_type_name(h_interp *in, const cx_node *n) {
  static const char *const names[] = {
      "Func",  "Var",    "RVar",   "RDom",   "Expr",      "Tuple", "UInt",  "Int",   "Float",
      "Bool",  "Type",   "string", "vector", "LoopLevel", "array", "map",   "pair",  "ImageParam",
      "Param", "Target", "Range",  "Region", "Pipeline",  "Stage", "tuple", "Buffer"};
  pm_scalar scalar;
  const hv_cell *cell = hv_find(in->scope, n->name);
  if (cell) return cell->value.kind == HV_CLASS;
  for (size_t i = 0; i < PM_COUNT(names); i++)
    if (strcmp(names[i], n->name->text) == 0) return true;
  return h_scalar_of_name(n->name, &scalar) || h_is_port(n->name);
}

/* How well a value suits a parameter of that type: 0, not at all; 2, it is one. */
static unsigned suits(h_interp *in, const cx_node *type, hv v) {
  pm_scalar scalar;
  if (!type || !type->name || strcmp(type->name->text, "auto") == 0) return 1;
  if (h_scalar_of(in, type, &scalar)) return !hv_is_number(v) ? 0 : v.scalar == scalar ? 2 : 1;
  const char *name = type->name->text;
  bool is_func = v.kind == HV_FUNC || v.kind == HV_BUFFER;
  if (strcmp(name, "Func") == 0) return is_func ? 2 : 0;
  if (strcmp(name, "Var") == 0) return v.kind == HV_VAR ? 2 : 0;
  if (strcmp(name, "Expr") == 0)
    return v.kind == HV_EXPR ? 2 : !is_func && v.kind != HV_LIST && v.kind != HV_STRING;
  if (strcmp(name, "Tuple") == 0) return v.kind == HV_TUPLE ? 2 : v.kind == HV_REF || v.kind == HV_LIST;
  if (strcmp(name, "vector") == 0) return v.kind == HV_LIST ? 2 : 0;
  if (strcmp(name, "string") == 0) return v.kind == HV_STRING ? 2 : 0;
  if (strcmp(name, "RDom") == 0) return v.kind == HV_RDOM ? 2 : 0;
  return 1;
}

/* Of an overload that cannot be called so 0. */
static unsigned suitability(h_interp *in, const cx_node *function, const arguments *a) {
  unsigned sum = 1;
  if (!takes(function, a->n)) return 0;
  for (unsigned i = 0; i < a->n; i++) {
    unsigned one = suits(in, function->items[i]->a, a->values[i]);
    if (one == 0) return 0;
    sum += one;
  }
  return sum;
}

/* Of the functions of that name the one whose parameters suit best; else what was found. */
static hv choose_overload(h_interp *in, pm_string name, hv found, const arguments *a) {
  if (found.kind != HV_FUNCTION || found.function->node->kind != CX_FUNCTION) return found;
  unsigned best = suitability(in, found.function->node, a);
  in->steps += in->globals->names.len / 64; /* which are looked at one after the other */
  for (const hv_scope *s = in->scope; s; s = s->outer)
    for (uint32_t i = 0; i < s->names.len; i++) {
      hv other = s->names.data[i].cell->value;
      if (s->names.data[i].name != name || other.kind != HV_FUNCTION) continue;
      unsigned suitable = suitability(in, other.function->node, a);
      if (suitable <= best) continue;
      best = suitable;
      found = other;
    }
  return found;
}

static hv call_named(h_interp *in, const cx_node *n, const arguments *a) {
  pm_string name = n->a->name;
  hv value;
  bool found;
  const hv_cell *cell = hv_find(in->scope, name);
  if (cell && cell->value.kind != HV_CLASS)
    return call_value_with(in, n->loc, choose_overload(in, name, cell->value, a), a);
  if (call_own_method(in, n->loc, current_object(in), name, a, &value)) return value;
  if (is_type_name(in, n->a)) {
    cx_node type = {
        .kind = CX_TYPE, .loc = n->a->loc, .name = name, .items = n->a->items, .n_items = n->a->n_items};
    cx_node *kept = pm_arena_memdup(in->arena, &type, sizeof(type));
    return h_construct(in, n->loc, kept, a->values, a->locs, a->n, false, NULL);
  }
  h_call call = {in, n->a->loc, name, hv_void, a->values, a->locs, a->n, n->a};
  value = h_call_library(&call, &found);
  if (!found) value = h_call_stub(&call, &found);
  return found ? value : unknown_name(in, n->a->loc, name, "function");
}

static hv unknown_method(h_interp *in, const cx_node *n, hv self) {
  const char *near = h_nearest_method(self, n->name);
  if (near)
    return h_fail(in, n->loc, "%s has no member '%s', '%s' is the nearest one", hv_describe(self),
                  n->name->text, near);
  return h_fail(in, n->loc, "%s has no member '%s'", hv_describe(self), n->name->text);
}

static hv call_method(h_interp *in, const cx_node *n, const arguments *a) {
  const cx_node *m = n->a;
  hv value, self = m->a->kind == CX_THIS ? h_eval(in, m->a) : behind(h_eval(in, m->a));
  bool found;
  if (self.kind == HV_POISON || !a->ok) return hv_poison;
  self = behind(self);
  if (self.kind == HV_OBJECT && call_own_method(in, m->loc, self.object, m->name, a, &value)) return value;
  const hv_cell *cell = member_cell(in, m, self);
  if (cell) return call_value_with(in, n->loc, cell->value, a);
  if (self.kind == HV_IGNORED) return self;
  h_call call = {in, m->loc, m->name, self, a->values, a->locs, a->n, m};
  value = h_call_method(&call, &found);
  return found ? value : unknown_method(in, m, self);
}

/* What the call is, which may be the place of an element of a Buffer. */
static hv eval_call_place(h_interp *in, const cx_node *n) {
  arguments a = eval_arguments(in, n->items, n->n_items);
  if (n->a->kind == CX_MEMBER) return call_method(in, n, &a);
  if (!a.ok) return hv_poison;
  if (n->a->kind == CX_NAME) return call_named(in, n, &a);
  return call_value_with(in, n->loc, h_eval(in, n->a), &a);
}

static hv eval_call(h_interp *in, const cx_node *n) {
  hv v = eval_call_place(in, n);
  return v.kind == HV_REF && v.ref->is_host ? h_table_value(in, v.ref) : v;
}

/* --- indexing --- */

static hv_cell *map_cell(h_interp *in, pm_loc loc, hv map, hv key) {
  hv_cell *known = h_map_find(in, loc, map, key);
  if (known) return known;
  if (map.list->items.len >= H_MAX_ITEMS) {
    h_fail(in, loc, "the map has %d entries, it should not grow further", H_MAX_ITEMS);
    return NULL;
  }
  hv pair = hv_new_list(in, HV_LIST);
  const cx_node *of = map.list->of;
  hv_append(in, pair, key);
  hv_append(in, pair, of ? h_construct(in, loc, of, NULL, NULL, 0, false, NULL) : hv_void);
  hv_append(in, map, pair);
  pair.list->items.data[1]->type = of;
  return pair.list->items.data[1];
}

static hv_cell *list_cell(h_interp *in, pm_loc loc, hv list, hv index) {
  int64_t i;
  if (!h_to_int(in, loc, index, &i, "the index")) return NULL;
  if (i >= 0 && i < (int64_t)list.list->items.len) return list.list->items.data[i];
  if (list.list->items.len == 0)
    h_fail(in, loc, "the list has no items, number %lld is asked for", (long long)i);
  else
    h_fail(in, loc, "the index is %lld, it should be 0 to %u", (long long)i, list.list->items.len - 1);
  return NULL;
}

static hv index_ref(h_interp *in, pm_loc loc, hv base, hv index) {
  int64_t i;
  if (!h_to_int(in, loc, index, &i, "the number of an element")) return hv_poison;
  hv_ref *ref = pm_arena_memdup(in->arena, base.ref, sizeof(*base.ref));
  ref->has_element = true;
  if (i < 0 || i >= HX_MAX_ELEMENTS) return h_fail(in, loc, "the element %lld is asked for", (long long)i);
  ref->element = (unsigned)i;
  return (hv){.kind = HV_REF, .ref = ref};
}

static hv index_rdom(h_interp *in, pm_loc loc, hv base, hv index) {
  int64_t i;
  if (!h_to_int(in, loc, index, &i, "the number of a dimension")) return hv_poison;
  if (base.rdom && i >= 0 && i < (int64_t)base.rdom->n_dims)
    return (hv){.kind = HV_VAR, .var = &base.rdom->vars[i]};
  return h_fail(in, loc, "the RDom has %u dimensions, number %lld is asked for",
                base.rdom ? base.rdom->n_dims : 0, (long long)i);
}

static hv eval_index(h_interp *in, const cx_node *n) {
  hv base = behind(h_eval(in, n->a)), index = h_eval(in, n->b);
  if (base.kind == HV_POISON || index.kind == HV_POISON) return hv_poison;
  const hv_cell *cell = NULL;
  switch (base.kind) {
  case HV_LIST:
  case HV_TUPLE:
    cell = list_cell(in, n->loc, base, index);
    break;
  case HV_MAP:
    cell = map_cell(in, n->loc, base, index);
    break;
  case HV_REF:
    return index_ref(in, n->loc, base, index);
  case HV_RDOM:
    return index_rdom(in, n->loc, base, index);
  case HV_IGNORED:
    return base;
  default:
    return h_fail(in, n->loc, "%s has no elements", hv_describe(base));
  }
  return cell ? cell->value : hv_poison;
}

/* --- places --- */

/* Where the value of an expression is kept; NULL after a diagnostic. */
static hv_cell *place(h_interp *in, const cx_node *n) {
  hv base;
  hv_cell *cell = NULL;
  switch (n->kind) {
  case CX_NAME:
    cell = hv_find(in->scope, n->name);
    if (!cell) unknown_name(in, n->loc, n->name, "name");
    return cell;
  case CX_MEMBER:
    base = behind(h_eval(in, n->a));
    cell = member_cell(in, n, base);
    if (!cell && base.kind == HV_IGNORED) return hv_new_cell(in, base);
    if (!cell && base.kind != HV_POISON)
      h_fail(in, n->loc, "%s has no member '%s'", hv_describe(base), n->name->text);
    return cell;
  case CX_INDEX: {
    base = behind(h_eval(in, n->a));
    hv index = h_eval(in, n->b);
    if (base.kind == HV_POISON || index.kind == HV_POISON) return NULL;
    if (base.kind == HV_LIST || base.kind == HV_TUPLE) return list_cell(in, n->loc, base, index);
    if (base.kind == HV_MAP) return map_cell(in, n->loc, base, index);
    if (base.kind == HV_IGNORED) return hv_new_cell(in, base);
    h_fail(in, n->loc, "%s has no elements", hv_describe(base));
    return NULL;
  }
  case CX_UNARY:
    if (n->op == CX_OP_MUL) {
      base = h_eval(in, n->a);
      if (base.kind == HV_POINTER && base.cell) return base.cell;
      if (base.kind == HV_ITERATOR && base.number < base.list->items.len)
        return base.list->items.data[base.number];
    }
    if (n->op == CX_OP_INC || n->op == CX_OP_DEC) {
      h_eval(in, n);
      return place(in, n->a);
    }
    break;
  case CX_ASSIGN:
    h_eval(in, n);
    return place(in, n->a);
  default:
    break;
  }
  h_fail(in, n->loc, "this cannot be assigned to");
  return NULL;
}

static bool is_of_type_of(const h_symbol *f, const h_symbol *output) {
  if (!output->is_declared) return true;
  if (f->n_dims != output->n_dims || f->n_elements != output->n_elements) return false;
  return memcmp(f->types, output->types, f->n_elements * sizeof(*f->types)) == 0;
}

/* output = f: f is the output. What was said of the output is said of it, where nothing else was. */
static hv become_output(h_interp *in, h_symbol *f, const h_symbol *output) {
  for (uint32_t i = 0; i < in->program.outputs.len; i++)
    if (in->program.outputs.data[i] == output) in->program.outputs.data[i] = f;
  f->is_output = f->is_declared = true;
  f->is_named = output->is_named;
  f->name = output->name;
  for (unsigned d = 0; d < f->n_dims; d++) {
    f->extents[d] = output->extents[d];
    if (!output->bound[d]) continue;
    f->bound_min[d] = output->bound_min[d];
    f->bound[d] = output->bound[d];
  }
  return hv_symbol(f);
}

/* output = f, where f is an output already, a buffer, or of another type, which is an error: a copy. */
static hv define_output(h_interp *in, pm_loc loc, h_symbol *output, hv func) {
  const h_symbol *f = func.symbol;
  hv vars[HX_MAX_DIMS];
  pm_loc locs[HX_MAX_DIMS];
  if (!h_check_ready(in, loc, f)) return hv_poison;
  for (unsigned d = 0; d < f->n_dims; d++) {
    h_var *var = pm_arena_alloc(in->arena, sizeof(*var));
    var->name = f->is_defined ? f->pure.args[d]->var->name : h_unique_name(&in->program, "v");
    vars[d] = (hv){.kind = HV_VAR, .var = var};
    locs[d] = loc;
  }
  hv left = h_call_symbol(in, loc, output, vars, locs, f->n_dims);
  hv right = h_call_symbol(in, loc, func.symbol, vars, locs, f->n_dims);
  int64_t definitions = in->program.n_definitions; /* Halide makes none here */
  bool ok = h_define(in, loc, left.ref, CX_OP_NONE, right);
  in->program.n_definitions = definitions;
  return ok ? hv_symbol(output) : hv_poison;
}

static hv assign_cell(h_interp *in, pm_loc loc, hv_cell *cell, cx_op op, hv value) {
  if (value.kind == HV_POISON) {
    cell->value = value;
    return value;
  }
  if (cell->is_const) return h_fail(in, loc, "what is assigned to is const");
  bool to_output = cell->value.kind == HV_FUNC && cell->value.symbol->is_output && op == CX_OP_NONE;
  if (to_output && (value.kind == HV_FUNC || value.kind == HV_BUFFER)) {
    const h_symbol *f = value.symbol, *output = cell->value.symbol;
    bool may_be = f->is_defined && !f->is_output && !f->has_boundary && !output->is_defined;
    if (!may_be || !is_of_type_of(f, output)) return define_output(in, loc, cell->value.symbol, value);
    return cell->value = become_output(in, value.symbol, output);
  }
  if (op != CX_OP_NONE && cell->value.kind == HV_EXPR && cell->value.expr && value.kind != HV_IGNORED) {
    hx *e = h_to_expr(in, loc, value);
    if (!e) return hv_poison;
    value = hv_expr(hx_cast(&in->program, loc, (pm_scalar)cell->value.expr->type, e));
  }
  if (op != CX_OP_NONE) value = h_binary(in, loc, op, cell->value, value);
  value = h_convert(in, loc, cell->type, op == CX_OP_NONE ? hv_copy(in, value) : value);
  cell->value = value;
  return value;
}

/* What a name or an element has, without a diagnostic; poison where it takes more than a look. */
static hv look_up(const h_interp *in, const cx_node *n) {
  const hv_cell *cell = n->kind == CX_NAME ? hv_find(in->scope, n->name) : NULL;
  if (n->kind == CX_INT) return hv_int(PM_I64, n->i);
  if (n->kind != CX_INDEX) return cell ? cell->value : hv_poison;
  hv list = look_up(in, n->a), index = look_up(in, n->b);
  bool known =
      list.kind == HV_LIST && index.kind == HV_INT && index.i >= 0 && index.i < (int64_t)list.list->items.len;
  return known ? list.list->items.data[index.i]->value : hv_poison;
}

/* The Func that would have been defined, had its arguments been right: f(…), f[i](…). */
static void mark_wrong(const h_interp *in, const cx_node *callee) {
  hv v = look_up(in, callee);
  if (v.kind == HV_FUNC) v.symbol->is_wrong = true;
}

/* A Func that is called on the left is defined; what else is there keeps the value. */
static hv eval_assign(h_interp *in, const cx_node *n) {
  if (n->a->kind == CX_CALL || (n->a->kind == CX_INDEX && n->a->a->kind == CX_CALL)) {
    hv left = n->a->kind == CX_CALL ? eval_call_place(in, n->a) : h_eval(in, n->a), right = h_eval(in, n->b);
    if (left.kind == HV_REF) {
      h_define(in, n->loc, left.ref, n->op, right);
      return left;
    }
    if (left.kind == HV_POISON && n->a->kind == CX_CALL) mark_wrong(in, n->a->a);
    if (left.kind != HV_POISON && left.kind != HV_IGNORED && n->a->kind == CX_CALL)
      return h_fail(in, n->loc, "this cannot be assigned to, f(x, y) = … defines a Func");
    if (n->a->kind == CX_CALL) return left;
  }
  hv right = h_eval(in, n->b);
  hv_cell *cell = place(in, n->a);
  return cell ? assign_cell(in, n->loc, cell, n->op, right) : hv_poison;
}

static hv eval_step(h_interp *in, const cx_node *n) {
  hv_cell *cell = place(in, n->a);
  if (!cell) return hv_poison;
  hv before = cell->value;
  hv after = assign_cell(in, n->loc, cell, n->op == CX_OP_INC ? CX_OP_ADD : CX_OP_SUB, hv_int(PM_I32, 1));
  return n->kind == CX_POSTFIX ? before : after;
}

/* --- expressions --- */

static hv eval_logical(h_interp *in, const cx_node *n) {
  hv a = h_eval(in, n->a);
  bool left, right, is_host = hv_is_number(a) || a.kind == HV_POINTER;
  if (a.kind == HV_POISON) return a;
  if (is_host) {
    if (!h_to_bool(in, n->a->loc, a, &left)) return hv_poison;
    if (left == (n->op == CX_OP_OR)) return hv_bool(left);
    hv b = h_eval(in, n->b);
    if (!hv_is_number(b) && b.kind != HV_POINTER) return h_binary(in, n->loc, n->op, hv_bool(left), b);
    return h_to_bool(in, n->b->loc, b, &right) ? hv_bool(right) : hv_poison;
  }
  return h_binary(in, n->loc, n->op, a, h_eval(in, n->b));
}

static hv eval_binary(h_interp *in, const cx_node *n) {
  if (n->op == CX_OP_AND || n->op == CX_OP_OR) return eval_logical(in, n);
  hv a = h_eval(in, n->a), b = h_eval(in, n->b);
  if (n->op == CX_OP_SHL && a.kind == HV_IGNORED) return a; /* std::cout << … */
  return h_binary(in, n->loc, n->op, a, b);
}

static hv eval_unary(h_interp *in, const cx_node *n) {
  if (n->op == CX_OP_INC || n->op == CX_OP_DEC) return eval_step(in, n);
  if (n->op == CX_OP_BIT_AND) {
    hv_cell *cell = place(in, n->a);
    return cell ? (hv){.kind = HV_POINTER, .cell = cell} : hv_poison;
  }
  hv a = h_eval(in, n->a);
  if (n->op != CX_OP_MUL || a.kind == HV_POISON) return h_unary(in, n->loc, n->op, a);
  if (a.kind == HV_POINTER && a.cell) return a.cell->value;
  if (a.kind == HV_ITERATOR && a.number < a.list->items.len) return a.list->items.data[a.number]->value;
  if (a.kind == HV_ITERATOR)
    return h_fail(in, n->loc, "the iterator is at the end of the list, no item is there");
  return a.kind == HV_OBJECT ? a : h_fail(in, n->loc, "this is %s, a pointer should be here", hv_describe(a));
}

static hv eval_ternary(h_interp *in, const cx_node *n) {
  bool yes;
  if (!truth(in, n->a, &yes)) return hv_poison;
  return h_eval(in, yes ? n->b : n->c);
}

static hv eval_list(h_interp *in, const cx_node *n) {
  hv list = hv_new_list(in, HV_LIST);
  for (uint32_t i = 0; i < n->n_items; i++) {
    hv item = h_eval(in, n->items[i]);
    if (item.kind == HV_POISON) return item;
    hv_append(in, list, hv_copy(in, item));
  }
  return list;
}

static hv eval_construct(h_interp *in, const cx_node *n) {
  arguments a = eval_arguments(in, n->items, n->n_items);
  return a.ok ? h_construct(in, n->loc, n->a, a.values, a.locs, a.n, n->is_braced, NULL) : hv_poison;
}

static hv eval_lambda(h_interp *in, const cx_node *n) {
  hv_function f = {n, in->scope};
  return (hv){.kind = HV_FUNCTION, .function = pm_arena_memdup(in->arena, &f, sizeof(f))};
}

static hv eval_sizeof(h_interp *in, const cx_node *n) {
  pm_scalar type;
  if (n->a->kind == CX_TYPE || n->a->kind == CX_NAME) {
    cx_node named = {.kind = CX_TYPE, .name = n->a->name, .loc = n->loc};
    if (h_scalar_of(in, &named, &type)) return hv_int(PM_U64, (int64_t)pm_scalar_bytes(type));
  }
  hv v = n->a->kind == CX_TYPE ? hv_void : h_eval(in, n->a);
  if (hv_is_number(v)) return hv_int(PM_U64, (int64_t)pm_scalar_bytes((pm_scalar)v.scalar));
  return h_fail(in, n->loc, "the size of this is not known here, that of a number is");
}

static hv eval_this(h_interp *in, const cx_node *n) {
  hv_object *object = current_object(in);
  if (object) return (hv){.kind = HV_OBJECT, .object = object};
  return h_fail(in, n->loc, "there is no object here");
}

static hv eval_cast(h_interp *in, const cx_node *n) {
  hv v = h_eval(in, n->b);
  return h_construct(in, n->loc, n->a, &v, &n->b->loc, 1, false, NULL);
}

static hv eval_node(h_interp *in, const cx_node *n) {
  switch (n->kind) {
  case CX_NAME:
    return eval_name(in, n);
  case CX_INT:
    return hv_int(n->is_long ? (n->is_unsigned ? PM_U64 : PM_I64) : n->is_unsigned ? PM_U32 : PM_I32, n->i);
  case CX_FLOAT:
    return hv_float(n->is_single ? PM_F32 : PM_F64, n->f);
  case CX_STRING:
    return hv_text(in->ctx, n->text.ptr, n->text.len);
  case CX_CHAR:
    return hv_int(PM_I8, n->i);
  case CX_BOOL:
    return hv_bool(n->i);
  case CX_NULLPTR:
    return (hv){.kind = HV_POINTER};
  case CX_THIS:
    return eval_this(in, n);
  case CX_MEMBER:
    return eval_member(in, n);
  case CX_INDEX:
    return eval_index(in, n);
  case CX_CALL:
    return eval_call(in, n);
  case CX_CONSTRUCT:
    return eval_construct(in, n);
  case CX_LIST:
    return eval_list(in, n);
  case CX_UNARY:
    return eval_unary(in, n);
  case CX_POSTFIX:
    return eval_step(in, n);
  case CX_BINARY:
    return eval_binary(in, n);
  case CX_ASSIGN:
    return eval_assign(in, n);
  case CX_TERNARY:
    return eval_ternary(in, n);
  case CX_LAMBDA:
    return eval_lambda(in, n);
  case CX_CAST:
    return eval_cast(in, n);
  case CX_SIZEOF:
    return eval_sizeof(in, n);
  case CX_TYPE:
    return h_fail(in, n->loc, "the type '%s' is here, a value should be", n->name->text);
  default:
    return h_fail(in, n->loc, "%.*s", (int)n->text.len, n->text.ptr);
  }
}

hv h_eval(h_interp *in, const cx_node *n) {
  if (!h_may_go_on(in, n->loc)) return hv_poison;
  if (in->nesting >= H_MAX_NESTING) {
    in->stopped = !pm_error(in->ctx, n->loc, "the expression is nested more than %d deep", H_MAX_NESTING);
    return hv_poison;
  }
  in->nesting++;
  hv v = eval_node(in, n);
  in->nesting--;
  return v;
}

/* --- declarations --- */

/* The name of an item of an array; without a name none. */
static pm_string numbered(h_interp *in, pm_string name, int64_t i) {
  pm_buf text = {0};
  if (!name) return NULL;
  pm_buf_printf(&text, "%s_%lld", name->text, (long long)i);
  pm_string result = pm_get_string(in->ctx, (pm_str){text.data, text.len});
  pm_buf_free(&text);
  return result;
}

/* Arrays: nested lists of what the type makes. */
static hv make_array(h_interp *in, const cx_node *type, const cx_node *d, unsigned level, pm_string hint) {
  int64_t n;
  hv list = hv_new_list(in, HV_LIST);
  if (level == d->n_items) return h_construct(in, d->loc, type, NULL, NULL, 0, false, hint);
  if (!d->items[level]) return list;
  if (!h_to_int(in, d->items[level]->loc, h_eval(in, d->items[level]), &n, "the length of the array"))
    return hv_poison;
  if (n < 0 || n > H_MAX_ITEMS)
    return h_fail(in, d->loc, "the length of the array is %lld, it should be 0 to %d", (long long)n,
                  H_MAX_ITEMS);
  for (int64_t i = 0; i < n && h_may_go_on(in, d->loc); i++) {
    hv item = make_array(in, type, d, level + 1, numbered(in, hint, i));
    if (item.kind == HV_POISON) return item;
    hv_append(in, list, item);
    if (level + 1 == d->n_items) list.list->items.data[i]->type = type;
  }
  return list;
}

/* The items of a list in braces for an array of `levels` dimensions, each as one of the type. */
static hv convert_items(h_interp *in, const cx_node *type, hv list, unsigned levels, pm_loc loc) {
  for (uint32_t i = 0; i < list.list->items.len; i++) {
    hv_cell *cell = list.list->items.data[i];
    bool inner = levels > 1 && cell->value.kind == HV_LIST;
    cell->value =
        inner ? convert_items(in, type, cell->value, levels - 1, loc) : h_convert(in, loc, type, cell->value);
    if (!inner) cell->type = type;
  }
  return list;
}

/* `(…)` behind a name: a CALL of nothing. */
static bool is_in_parentheses(const cx_node *value) {
  return value->kind == CX_CALL && !value->a;
}

static hv declared_array(h_interp *in, const cx_node *type, const cx_node *d) {
  pm_scalar scalar;
  hv array = make_array(in, type, d, 0, h_scalar_of(in, type, &scalar) ? NULL : d->name);
  if (!d->b || array.kind == HV_POISON) return array;
  if (is_in_parentheses(d->b)) return h_fail(in, d->b->loc, "(…) is here, {…} should hold the values");
  hv given = h_eval(in, d->b);
  if (given.kind != HV_LIST)
    return given.kind == HV_POISON ? given : h_fail(in, d->loc, "a list should be here");
  given = convert_items(in, type, given, d->n_items, d->loc);
  if (!d->items[0]) return given;
  if (given.list->items.len > array.list->items.len)
    return h_fail(in, d->b->loc, "%u values are here, the array has %u", given.list->items.len,
                  array.list->items.len);
  for (uint32_t i = 0; i < given.list->items.len; i++) array.list->items.data[i] = given.list->items.data[i];
  return array;
}

/* Of a function of a class, not of the class. */
static bool is_in_member_function(const h_interp *in) {
  const hv_scope *s = in->scope;
  if (s->object) return false;
  while (s && !s->object) s = s->outer;
  return s;
}

static hv declared_value(h_interp *in, const cx_node *type, const cx_node *d) {
  if (type && type->kind == CX_TYPE && type->name && h_is_port(type->name) && is_in_member_function(in))
    return h_fail(in, d->loc, "%s %s is declared in a function, but should be a member of the generator",
                  type->name->text, d->name->text);
  if (d->n_items > 0) return declared_array(in, type, d);
  if (!d->b) return h_construct(in, d->loc, type, NULL, NULL, 0, false, d->name);
  bool in_parentheses = is_in_parentheses(d->b);
  if (in_parentheses || (d->b->kind == CX_LIST && strcmp(type->name->text, "auto") != 0)) {
    arguments a = eval_arguments(in, d->b->items, d->b->n_items);
    if (!a.ok) return hv_poison;
    return h_construct(in, d->loc, type, a.values, a.locs, a.n, !in_parentheses, d->name);
  }
  hv v = h_eval(in, d->b);
  return h_convert(in, d->b->loc, type, hv_copy(in, v));
}

static void declare_binding(h_interp *in, const cx_node *d) {
  bool wrapped = d->b && is_in_parentheses(d->b) && d->b->n_items == 1;
  hv v = d->b ? h_eval(in, wrapped ? d->b->items[0] : d->b) : hv_poison;
  for (uint32_t i = 0; i < d->n_items; i++) {
    hv item = hv_poison;
    if ((v.kind == HV_LIST || v.kind == HV_TUPLE) && i < v.list->items.len)
      item = v.list->items.data[i]->value;
    hv_declare(in, in->scope, d->items[i]->name, item);
  }
}

/* A second variable of one scope, which is none; a class may have one of the name of its base's. */
static bool is_redeclared(h_interp *in, const cx_node *d) {
  const hv_scope *s = in->scope;
  if (s->cells && !pm_map_has(s->cells, d->name)) return false;
  for (uint32_t i = 0; !s->object && i < s->names.len; i++) {
    const hv_binding *b = &s->names.data[i];
    if (b->name != d->name || b->loc.line == 0) continue;
    h_fail(in, d->loc, "'%s' is declared twice", d->name->text);
    pm_note(in->ctx, b->loc, "it is declared here before");
    return true;
  }
  return false;
}

static void declare(h_interp *in, const cx_node *type, const cx_node *d) {
  if (!d->name) {
    declare_binding(in, d);
    return;
  }
  if (is_redeclared(in, d)) return;
  if (type->is_reference && d->b && is_place(d->b)) {
    hv_cell *cell = place(in, d->b);
    hv_bind(in, in->scope, d->name, cell ? cell : hv_new_cell(in, hv_poison), d->loc);
    return;
  }
  hv_cell *cell = hv_new_cell(in, declared_value(in, type, d));
  hv_bind(in, in->scope, d->name, cell, d->loc);
  cell->type = d->n_items > 0 ? NULL : h_resolve(in, type); /* elsewhere its name may mean another one */
  cell->is_const = type->is_const && !type->is_pointer && !type->is_reference;
}

static void run_declare(h_interp *in, const cx_node *n) {
  for (uint32_t i = 0; i < n->n_items; i++) declare(in, n->a, n->items[i]);
}

static void declare_enum(h_interp *in, const cx_node *n) {
  int64_t next = 0;
  if (n->name) hv_declare(in, in->scope, n->name, (hv){.kind = HV_CLASS, .node = n});
  for (uint32_t i = 0; !n->is_scoped && i < n->n_items; i++, next = pm_wrap_add(next, 1)) {
    int64_t value;
    if (n->items[i]->b && h_to_int(in, n->items[i]->loc, h_eval(in, n->items[i]->b), &value, "an enumerator"))
      next = value;
    hv_declare(in, in->scope, n->items[i]->name, hv_int(PM_I32, next));
  }
}

/* The definition with the defaults that the declaration has. */
static const cx_node *with_defaults(h_interp *in, const cx_node *definition, const cx_node *declared) {
  cx_node *n = pm_arena_memdup(in->arena, definition, sizeof(*n));
  if (n->n_items == 0) return n;
  n->items = pm_arena_memdup(in->arena, n->items, n->n_items * sizeof(*n->items));
  for (uint32_t i = 0; i < n->n_items && i < declared->n_items; i++) {
    if (n->items[i]->b || !declared->items[i]->b) continue;
    n->items[i] = pm_arena_memdup(in->arena, n->items[i], sizeof(*n->items[i]));
    n->items[i]->b = declared->items[i]->b;
  }
  return n;
}

static void declare_function(h_interp *in, const cx_node *n) {
  hv_cell *known = n->b ? hv_find(in->scope, n->name) : NULL;
  bool completes = known && known->value.kind == HV_FUNCTION && !known->value.function->node->b;
  hv_function f = {completes ? with_defaults(in, n, known->value.function->node) : n, in->scope};
  hv value = {.kind = HV_FUNCTION, .function = pm_arena_memdup(in->arena, &f, sizeof(f))};
  if (completes)
    known->value = value;
  else
    hv_declare(in, in->scope, n->name, value);
}

/* using name = type, and using A::name. */
static void declare_alias(h_interp *in, const cx_node *n) {
  if (n->a && n->a->kind == CX_TYPE) hv_declare(in, in->scope, n->name, (hv){.kind = HV_CLASS, .node = n->a});
}

static void declare_class(h_interp *in, const cx_node *n) {
  H_PUSH(in->arena, in->classes, n);
  if (n->name) hv_declare(in, in->scope, n->name, (hv){.kind = HV_CLASS, .node = n});
}

/* --- objects --- */

/* The types of a template get the names that its class has for them, around its members. */
static void bind_template(h_interp *in, hv_scope *scope, const cx_node *class_node, const cx_node *type) {
  for (uint32_t i = 0; class_node->a && type && i < class_node->a->n_items && i < type->n_items; i++) {
    const cx_node *given = h_resolve(in, type->items[i]);
    hv value = given->kind == CX_TYPE ? (hv){.kind = HV_CLASS, .node = given} : h_eval(in, given);
    hv_declare(in, scope, class_node->a->items[i]->name, value);
  }
}

static void add_members(h_interp *in, const cx_node *class_node, unsigned depth) {
  if (depth > 20) return;
  for (uint32_t i = 0; class_node->c && i < class_node->c->n_items; i++) {
    const cx_node *base = h_find_class(in, class_node->c->items[i]->name);
    if (base) bind_template(in, in->scope->outer, base, class_node->c->items[i]);
    if (base) add_members(in, base, depth + 1);
  }
  for (uint32_t i = 0; i < class_node->n_items; i++) {
    const cx_node *m = class_node->items[i];
    if (m->kind == CX_DECLARE || m->kind == CX_ENUM || m->kind == CX_ALIAS || m->kind == CX_CLASS) run(in, m);
  }
}

static const cx_node *find_constructor(const cx_node *class_node, unsigned n_args) {
  for (uint32_t i = 0; i < class_node->n_items; i++) {
    const cx_node *m = class_node->items[i];
    if (m->kind == CX_FUNCTION && !m->a && takes(m, n_args)) return m;
  }
  return NULL;
}

/* member(value), … of a constructor. */
static void initialise(h_interp *in, const cx_node *inits, hv_object *object) {
  for (uint32_t i = 0; inits && i < inits->n_items; i++) {
    const cx_node *call = inits->items[i];
    hv_cell *cell = hv_find(object->members, call->a->name);
    arguments a = eval_arguments(in, call->items, call->n_items);
    if (!cell || !a.ok) continue;
    if (cell->type)
      cell->value = h_construct(in, call->loc, cell->type, a.values, a.locs, a.n, call->is_braced, NULL);
    else if (a.n == 1)
      cell->value = hv_copy(in, a.values[0]);
  }
}

static void construct_object(h_interp *in, pm_loc loc, hv_object *object, const cx_node *constructor,
                             hv *args, const pm_loc *locs, unsigned n_args) {
  hv_scope *scope = hv_push_scope(in, object->members);
  in->scope = scope;
  if (!bind_parameters(in, loc, constructor, scope, args, NULL, locs, n_args)) return;
  initialise(in, constructor->c, object);
  if (constructor->b) run(in, constructor->b);
}

/* T{a, b}: the members in their order. */
static void fill_members(h_interp *in, pm_loc loc, hv_object *object, const hv *args, const pm_loc *locs,
                         unsigned n_args) {
  hv_scope *s = object->members;
  if (n_args > s->names.len) {
    h_fail(in, loc, "%u values are given, the struct has %u members", n_args, s->names.len);
    return;
  }
  for (unsigned i = 0; i < n_args; i++) {
    hv_cell *cell = s->names.data[i].cell;
    cell->value = h_convert(in, locs[i], cell->type, hv_copy(in, args[i]));
  }
}

hv h_new_object(h_interp *in, pm_loc loc, const cx_node *class_node, const cx_node *type, hv *args,
                const pm_loc *locs, unsigned n_args, bool is_braced) {
  hv_scope *outside = in->scope;
  if (class_node->kind != CX_CLASS) return h_fail(in, loc, "no object can be made of this type");
  if (!enter(in, loc)) {
    in->depth--;
    return hv_poison;
  }
  hv_object *object = pm_arena_alloc(in->arena, sizeof(*object));
  object->node = class_node;
  object->is_generator = h_is_generator(in, class_node);
  object->members = hv_push_scope(in, hv_push_scope(in, in->globals));
  object->members->object = object;
  bind_template(in, object->members->outer, class_node, type);
  in->scope = object->members;
  add_members(in, class_node, 0);
  const cx_node *constructor = find_constructor(class_node, n_args);
  if (constructor)
    construct_object(in, loc, object, constructor, args, locs, n_args);
  else if (n_args > 0 && is_braced)
    fill_members(in, loc, object, args, locs, n_args);
  else if (n_args > 0)
    h_fail(in, loc, "%s has no constructor of %u arguments",
           class_node->name ? class_node->name->text : "the class", n_args);
  in->scope = outside;
  in->depth--;
  return (hv){.kind = HV_OBJECT, .object = object};
}

/* --- statements --- */

static flow run_items(h_interp *in, const cx_node *n) {
  for (uint32_t i = 0; i < n->n_items && !in->stopped; i++) {
    flow f = run(in, n->items[i]);
    if (f != FLOW_NEXT) return f;
  }
  return FLOW_NEXT;
}

static flow run_block(h_interp *in, const cx_node *n) {
  hv_scope *outside = in->scope;
  in->scope = hv_push_scope(in, outside);
  flow f = run_items(in, n);
  in->scope = outside;
  return f;
}

static flow run_if(h_interp *in, const cx_node *n) {
  hv_scope *outside = in->scope;
  bool yes;
  flow f = FLOW_NEXT;
  in->scope = hv_push_scope(in, outside);
  if (n->n_items > 0) run(in, n->items[0]);
  if (truth(in, n->a, &yes)) {
    if (yes) f = run(in, n->b);
    if (!yes && n->c) f = run(in, n->c);
  }
  in->scope = outside;
  return f;
}

/* The flow behind a round of a loop; false: the loop ends, with *f. */
static bool goes_on(flow *f) {
  if (*f == FLOW_RETURN) return false;
  bool more = *f != FLOW_BREAK;
  *f = FLOW_NEXT;
  return more;
}

static flow run_for(h_interp *in, const cx_node *n) {
  hv_scope *outside = in->scope;
  bool yes = true;
  flow f = FLOW_NEXT;
  in->scope = hv_push_scope(in, outside);
  if (n->n_items > 0 && n->items[0]) run(in, n->items[0]);
  while (h_may_go_on(in, n->loc)) {
    if (n->a && (!truth(in, n->a, &yes) || !yes)) break;
    f = run(in, n->c);
    if (!goes_on(&f)) break;
    if (n->b) h_eval(in, n->b);
  }
  in->scope = outside;
  return f;
}

static flow run_range_for(h_interp *in, const cx_node *n) {
  hv_scope *outside = in->scope;
  hv list = behind(h_eval(in, n->a));
  flow f = FLOW_NEXT;
  if (list.kind == HV_POISON || list.kind == HV_IGNORED) return f;
  if (list.kind != HV_LIST && list.kind != HV_MAP && list.kind != HV_TUPLE) {
    h_fail(in, n->a->loc, "this is %s, a list should be here", hv_describe(list));
    return f;
  }
  const cx_node *type = n->items[0]->a, *d = n->items[0]->items[0];
  for (uint32_t i = 0; i < list.list->items.len && h_may_go_on(in, n->loc); i++) {
    hv_cell *item = list.list->items.data[i];
    in->scope = hv_push_scope(in, outside);
    if (!d->name && item->value.kind == HV_LIST) {
      for (uint32_t k = 0; k < d->n_items && k < item->value.list->items.len; k++)
        hv_bind(in, in->scope, d->items[k]->name, item->value.list->items.data[k], d->loc);
    } else if (d->name && type->is_reference) {
      hv_bind(in, in->scope, d->name, item, d->loc);
    } else if (d->name) {
      hv_declare(in, in->scope, d->name, h_convert(in, n->a->loc, type, hv_copy(in, item->value)))->type =
          type;
    }
    f = run(in, n->c);
    if (!goes_on(&f)) break;
  }
  in->scope = outside;
  return f;
}

static flow run_while(h_interp *in, const cx_node *n) {
  bool yes = true;
  flow f = FLOW_NEXT;
  while (h_may_go_on(in, n->loc)) {
    if (!n->is_do && (!truth(in, n->a, &yes) || !yes)) break;
    f = run(in, n->c);
    if (!goes_on(&f)) break;
    if (n->is_do && (!truth(in, n->a, &yes) || !yes)) break;
  }
  return f;
}

/* The number of the item behind the label that the value chooses, or that of the default. */
static uint32_t chosen_label(h_interp *in, const cx_node *body, hv value) {
  uint32_t found = body->n_items;
  for (uint32_t i = 0; i < body->n_items; i++) {
    const cx_node *label = body->items[i];
    if (label->kind != CX_LABEL) continue;
    if (!label->a) {
      found = i;
      continue;
    }
    hv same = h_binary(in, label->loc, CX_OP_EQ, value, h_eval(in, label->a));
    if (same.kind == HV_INT && same.i) return i;
  }
  return found;
}

static flow run_switch(h_interp *in, const cx_node *n) {
  hv_scope *outside = in->scope;
  hv value = h_eval(in, n->a);
  flow f = FLOW_NEXT;
  if (value.kind == HV_POISON) return f;
  in->scope = hv_push_scope(in, outside);
  for (uint32_t i = chosen_label(in, n->c, value); i < n->c->n_items && f == FLOW_NEXT && !in->stopped; i++)
    f = run(in, n->c->items[i]);
  in->scope = outside;
  return f == FLOW_BREAK ? FLOW_NEXT : f;
}

/* HalideExtern_2(int, f, int, float): the function f, which is said to be missing where it is called. */
static void refuse_extern(h_interp *in, const cx_node *n) {
  static const char message[] = "extern functions are not supported";
  if (n->n_items < 2 || n->items[1]->kind != CX_NAME) return;
  cx_node *refused = pm_arena_memdup(in->arena, n, sizeof(*n));
  refused->kind = CX_REFUSED;
  refused->name = n->items[1]->name;
  refused->text = (pm_str){message, sizeof(message) - 1};
  H_PUSH(in->arena, in->refused, refused);
}

static void run_macro(h_interp *in, const cx_node *n) {
  const char *name = n->name->text;
  if (strncmp(name, "HalideExtern_", 13) == 0 || strncmp(name, "HalidePureExtern_", 17) == 0)
    refuse_extern(in, n);
  if (strncmp(name, "HALIDE_REGISTER_GENERATOR", 25) != 0) return;
  if (n->n_items < 1 || n->items[0]->kind != CX_NAME) return;
  const cx_node *class_node = h_find_class(in, n->items[0]->name);
  if (!class_node) {
    unknown_name(in, n->items[0]->loc, n->items[0]->name, "class");
    return;
  }
  pm_string given = n->n_items > 1 && n->items[1]->kind == CX_NAME ? n->items[1]->name : class_node->name;
  const char *wanted = in->options->generator;
  h_generator row = {given, n->items[0]};
  H_PUSH(in->arena, in->generators, row);
  if (wanted && strcmp(wanted, given->text) != 0 && strcmp(wanted, class_node->name->text) != 0) return;
  in->generator = n->items[0];
  in->generator_name = given;
}

static flow run(h_interp *in, const cx_node *n) {
  if (!h_may_go_on(in, n->loc)) return FLOW_RETURN;
  switch (n->kind) {
  case CX_DECLARE:
    run_declare(in, n);
    return FLOW_NEXT;
  case CX_EXPRESSION:
    h_eval(in, n->a);
    return FLOW_NEXT;
  case CX_IF:
    return run_if(in, n);
  case CX_FOR:
    return run_for(in, n);
  case CX_RANGE_FOR:
    return run_range_for(in, n);
  case CX_WHILE:
    return run_while(in, n);
  case CX_SWITCH:
    return run_switch(in, n);
  case CX_LABEL:
  case CX_INCLUDE:
    return FLOW_NEXT;
  case CX_BREAK:
    return FLOW_BREAK;
  case CX_CONTINUE:
    return FLOW_CONTINUE;
  case CX_RETURN:
    in->result = n->a ? h_eval(in, n->a) : hv_void;
    return FLOW_RETURN;
  case CX_BLOCK:
    return run_block(in, n);
  case CX_FUNCTION:
    declare_function(in, n);
    return FLOW_NEXT;
  case CX_CLASS:
    declare_class(in, n);
    return FLOW_NEXT;
  case CX_ENUM:
    declare_enum(in, n);
    return FLOW_NEXT;
  case CX_ALIAS:
    declare_alias(in, n);
    return FLOW_NEXT;
  case CX_MACRO:
    run_macro(in, n);
    return FLOW_NEXT;
  case CX_REFUSED:
    if (n->name && in->scope == in->globals)
      H_PUSH(in->arena, in->refused, n);
    else
      h_fail(in, n->loc, "%.*s", (int)n->text.len, n->text.ptr);
    return FLOW_NEXT;
  default:
    h_eval(in, n);
    return FLOW_NEXT;
  }
}

void h_run(h_interp *in, const cx_node *block) {
  run_items(in, block);
}
