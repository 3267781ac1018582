/* Declarations: variables, arrays, enumerations, functions, other names of types. */
#include "frontends/cxx/expressions/expressions.h"
#include "frontends/cxx/names/names.h"
#include "frontends/cxx/statements/statements.h"
#include "frontends/cxx/types/types.h"
#include "frontends/cxx/values/values.h"

#include <stdlib.h>
#include <string.h>

/* --- arrays --- */

/* The name of an item of an array; without a name none. */
static pm_string numbered(cx_interp *in, pm_string name, int64_t i) {
  pm_buf text = {0};
  if (!name) return NULL;
  pm_buf_printf(&text, "%s_%lld", name->text, (long long)i);
  pm_string result = pm_get_string(in->ctx, (pm_str){text.data, text.len});
  pm_buf_free(&text);
  return result;
}

/* Arrays: nested lists of what the type makes. */
static cv make_array(cx_interp *in, const cx_node *type, const cx_node *d, unsigned level, pm_string hint) {
  int64_t n;
  cv list = cx_new_list(in, CV_LIST);
  if (level == d->n_items) return cx_construct(in, d->loc, type, &cx_no_arguments, false, hint);
  if (!d->items[level]) return list;
  if (!cx_to_int(in, d->items[level]->loc, cx_eval(in, d->items[level]), &n, "the length of the array"))
    return cv_poison;
  if (n < 0 || n > CX_MAX_ITEMS)
    return cx_fail(in, d->loc, "the length of the array is %lld, it should be 0 to %d", (long long)n,
                   CX_MAX_ITEMS);
  for (int64_t i = 0; i < n && cx_may_go_on(in, d->loc); i++) {
    cv item = make_array(in, type, d, level + 1, numbered(in, hint, i));
    if (item.kind == CV_POISON) return item;
    cx_append(in, list, item);
    if (level + 1 == d->n_items) list.list->items.data[i]->type = type;
  }
  return list;
}

/* `(…)` behind a name: a CALL of nothing. */
static bool is_in_parentheses(const cx_node *value) {
  return value->kind == CX_CALL && !value->a;
}

/* The items of a list in braces go to the array's, at that level, each as one of the type; what is not given
 * is as the array has it. False after a diagnostic. */
static bool fill_array(cx_interp *in, const cx_node *type, const cx_node *d, unsigned level, cv array,
                       cv given) {
  if (array.kind != CV_LIST) return false; /* of inner arrays, which was reported */
  uint32_t n = given.list->items.len;
  bool is_inner = level + 1 < d->n_items;
  for (uint32_t i = array.list->items.len; i < n && !d->items[level] && cx_may_go_on(in, d->loc); i++)
    cx_append(in, array, is_inner ? make_array(in, type, d, level + 1, NULL) : cv_void);
  if (n > array.list->items.len) {
    cx_fail(in, d->loc, "%u values are here, the array has %u", n, array.list->items.len);
    return false;
  }
  for (uint32_t i = 0; i < n; i++) {
    cx_cell *cell = array.list->items.data[i];
    cv v = given.list->items.data[i]->value;
    if (is_inner && v.kind != CV_LIST) {
      cx_fail(in, d->loc, "this is %s, a list in braces should be here", cv_describe(in, v));
      return false;
    }
    if (is_inner && !fill_array(in, type, d, level + 1, cell->value, v)) return false;
    if (is_inner) continue;
    cell->value = cx_convert(in, d->loc, type, v);
    cell->type = type;
  }
  return true;
}

cv cx_make_array(cx_interp *in, const cx_node *type, const cx_node *d, const cv *values) {
  pm_scalar scalar;
  cv array = make_array(in, type, d, 0, cx_scalar_of(in, type, &scalar) ? NULL : d->name);
  if (!values || array.kind == CV_POISON) return array;
  if (values->kind != CV_LIST)
    return values->kind == CV_POISON ? *values : cx_fail(in, d->loc, "a list should be here");
  return fill_array(in, type, d, 0, array, *values) ? array : cv_poison;
}

static cv declared_array(cx_interp *in, const cx_node *type, const cx_node *d) {
  if (!d->b) return cx_make_array(in, type, d, NULL);
  if (is_in_parentheses(d->b)) return cx_fail(in, d->b->loc, "(…) is here, {…} should hold the values");
  cv given = cx_eval(in, d->b);
  return cx_make_array(in, type, d, &given);
}

/* --- variables --- */

/* A constant of a number that is given from outside. */
static bool is_given(cx_interp *in, const cx_node *type, const cx_node *d, cv *out) {
  pm_scalar scalar;
  if (!type->is_const || !in->n_consts || !d->name || !cx_scalar_of(in, type, &scalar)) return false;
  for (size_t i = 0; i < in->n_consts; i++) {
    cx_given *given = &in->consts[i];
    char *end;
    if (strcmp(given->name, d->name->text) != 0) continue;
    given->is_used = true;
    if (!given->text) {
      cv of_library = cv_poison;
      cx_node name = {.kind = CX_NAME, .loc = d->loc, .name = d->name};
      (void)in->library->find_name(in, &name, &of_library);
      cv said = cx_eval(in, d->b);
      if (said.kind == CV_INT) given->in_place_of = said.i;
      *out = cx_convert(in, d->loc, type, of_library);
      return true;
    }
    double value = strtod(given->text, &end);
    *out = *end ? cx_fail(in, d->loc, "--const %s=%s: a number should be given", given->name, given->text)
                : cx_convert(in, d->loc, type, cv_float(PM_F64, value));
    return true;
  }
  return false;
}

cv cx_declared_value(cx_interp *in, const cx_node *type, const cx_node *d) {
  cv given;
  if (d->b && is_given(in, type, d, &given)) return given;
  if (d->n_items > 0) return declared_array(in, type, d);
  if (!d->b) return cx_construct(in, d->loc, type, &cx_no_arguments, false, d->name);
  bool in_parentheses = is_in_parentheses(d->b);
  if (in_parentheses || (d->b->kind == CX_LIST && !cx_is_named(type, "auto"))) {
    cx_arguments a = cx_eval_arguments(in, d->b->items, d->b->n_items);
    if (!a.ok) return cv_poison;
    return cx_construct(in, d->loc, type, &a, !in_parentheses, d->name);
  }
  pm_string outer = in->declared;
  in->declared = d->name;
  cv v = cx_eval(in, d->b);
  in->declared = outer;
  return cx_convert(in, d->b->loc, type, cx_copy_as(in, type, v));
}

static void declare_binding(cx_interp *in, const cx_node *type, const cx_node *d) {
  bool wrapped = d->b && is_in_parentheses(d->b) && d->b->n_items == 1;
  cv v = d->b ? cx_behind(cx_eval(in, wrapped ? d->b->items[0] : d->b)) : cv_poison;
  if (!type->is_reference) v = cx_copy(in, v);
  for (uint32_t i = 0; i < d->n_items; i++) {
    cx_cell *cell = NULL;
    if (cx_is_sequence(in, v) && i < v.list->items.len) cell = v.list->items.data[i];
    if (v.kind == CV_OBJECT && i < v.object->members->names.len) cell = v.object->members->names.data[i].cell;
    if (!cell && v.kind != CV_POISON)
      cx_fail(in, d->items[i]->loc, "%s has no part for '%s'", cv_describe(in, v), d->items[i]->name->text);
    cx_bind(in, in->scope, d->items[i]->name, cell ? cell : cx_new_cell(in, cv_poison), d->items[i]->loc);
  }
}

/* A second variable of one scope, which is none. */
static bool is_redeclared(cx_interp *in, cx_scope *into, const cx_node *d) {
  const cx_scope *s = cx_declaring(into);
  if (s->cells && !pm_map_has(s->cells, d->name)) return false;
  for (uint32_t i = 0; i < s->names.len; i++) {
    const cx_binding *b = &s->names.data[i];
    if (b->name != d->name || b->loc.line == 0 || (into->object && b->owner != into->instance)) continue;
    cx_fail(in, d->loc, "'%s' is declared twice", d->name->text);
    pm_note(in->ctx, b->loc, "it is declared here before");
    return true;
  }
  return false;
}

static void fill_cell(cx_interp *in, cx_cell *cell, const cx_node *type, const cx_node *d) {
  cell->value = cx_declared_value(in, type, d);
  cell->type = d->n_items > 0 ? NULL : cx_resolve(in, type); /* elsewhere its name may mean another one */
  cell->is_const = type->is_const && !type->is_pointer && !type->is_reference;
  if (type->is_pointer && cell->value.kind == CV_POINTER)
    cell->value = cx_convert(in, d->loc, type, cell->value);
}

/* int A::b = 3: a static member, or a variable of a namespace. */
static void define_outside(cx_interp *in, const cx_node *type, const cx_node *d) {
  cx_node name = *d;
  name.kind = CX_NAME;
  name.n_items = 0;
  cx_found found;
  if (!cx_look_up(in, &name, &found) || !found.cell) {
    cx_unknown_name(in, d->loc, d->name, "name");
    return;
  }
  cx_scope *outside = in->scope;
  in->scope = found.scope;
  if (d->b) fill_cell(in, found.cell, type, d);
  in->scope = outside;
}

/* A static variable, which each instance of a template has for itself. */
typedef struct static_variable {
  const cx_scope *arguments;   /* of the function template; NULL: it is none */
  const cx_instance *instance; /* the class whose function it is of, or NULL */
  cx_cell *cell;
  struct static_variable *next;
} static_variable;

static bool have_equal_arguments(const cx_scope *a, const cx_scope *b) {
  bool equal = a == b || (a && b && a->names.len == b->names.len);
  for (uint32_t i = 0; equal && a != b && i < a->names.len; i++) {
    cv x = a->names.data[i].cell->value, y = b->names.data[i].cell->value;
    bool are_types =
        x.kind == CV_CLASS && y.kind == CV_CLASS && x.node->kind == CX_TYPE && y.node->kind == CX_TYPE;
    equal = x.kind == y.kind && (are_types ? cx_same_type(x.node, y.node) : x.i == y.i);
  }
  return equal;
}

static static_variable *find_static(cx_interp *in, const cx_node *d) {
  static_variable own = {NULL, NULL, NULL, pm_map_get(in->statics, d)}, *known = own.next;
  for (const cx_scope *s = in->scope; s; s = s->outer) {
    if (s->has_arguments && !own.arguments) own.arguments = s;
    if (s->instance && !own.instance) own.instance = s->instance;
  }
  while (known && !(known->instance == own.instance && have_equal_arguments(known->arguments, own.arguments)))
    known = known->next;
  if (known) return known;
  known = pm_arena_memdup(in->arena, &own, sizeof(own));
  pm_map_set(in->statics, d, known);
  return known;
}

/* The variable of a function that all calls share. */
static void declare_static(cx_interp *in, const cx_node *type, const cx_node *d) {
  if (is_redeclared(in, in->scope, d)) return;
  static_variable *v = find_static(in, d);
  if (!v->cell) {
    v->cell = cx_new_cell(in, cv_void);
    fill_cell(in, v->cell, type, d);
    v->cell->is_static = true;
  }
  cx_bind(in, in->scope, d->name, v->cell, d->loc);
}

/* `extern int n;` is what a namespace around has, before or behind it. */
static void declare_extern(cx_interp *in, const cx_node *d) {
  cx_scope *around = in->scope;
  while (around->is_local) around = around->outer;
  if (around == in->scope) return;
  cx_cell *cell = cx_find(in, around, d->name);
  if (cell)
    cx_bind(in, in->scope, d->name, cell, d->loc);
  else
    cx_unknown_name(in, d->loc, d->name, "variable");
}

/* int &r = n. What is kept nowhere is a value of its own, which a reference that is not const cannot be to.
 */
static void declare_reference(cx_interp *in, cx_scope *into, const cx_node *type, const cx_node *closed,
                              const cx_node *d) {
  const cx_node *init = is_in_parentheses(d->b) && d->b->n_items == 1 ? d->b->items[0] : d->b;
  cx_cell *cell;
  cv v = cx_eval_place(in, init, &cell);
  bool is_own = v.kind == CV_OBJECT || v.kind >= CV_LIBRARY || cx_is_named(closed, "auto");
  if (v.kind != CV_POISON && !cell && !is_own && !closed->is_const && !type->is_const && !closed->is_rvalue)
    v = cx_fail(
        in, init->loc,
        "this is %s that is kept nowhere, a reference should be to a variable, a member or an element",
        cv_describe(in, v));
  cx_bind_reference(in, into, d->name, type, v, cell, d->loc);
}

void cx_declare_into(cx_interp *in, cx_scope *into, const cx_node *type, const cx_node *d) {
  if (is_redeclared(in, into, d)) return;
  const cx_node *closed = cx_resolve(in, type);
  bool is_listed = d->b && (d->b->kind == CX_LIST || (is_in_parentheses(d->b) && d->b->n_items != 1));
  if ((type->is_reference || closed->is_reference) && d->b && d->n_items == 0 && !is_listed) {
    declare_reference(in, into, type, closed, d);
    return;
  }
  cx_cell *cell = cx_new_cell(in, cv_void);
  bool may_call_itself = d->b && d->b->kind == CX_LAMBDA;
  if (may_call_itself) cx_bind(in, into, d->name, cell, d->loc);
  fill_cell(in, cell, type, d);
  if (!may_call_itself) cx_bind(in, into, d->name, cell, d->loc);
}

static bool may_declare(cx_interp *in, const cx_node *type, const cx_node *d) {
  bool has_name = type && type->kind == CX_TYPE && type->name;
  return !has_name || !in->library->may_declare || in->library->may_declare(in, type, d);
}

static void declare_variable(cx_interp *in, const cx_node *n, const cx_node *d) {
  const cx_node *type = n->a;
  if (n->is_incomplete && !d->b && d->name)
    declare_extern(in, d);
  else if (d->name && !may_declare(in, type, d))
    cx_declare(in, in->scope, d->name, cv_poison);
  else if (!d->name)
    declare_binding(in, type, d);
  else if (strstr(d->name->text, "::"))
    define_outside(in, type, d);
  else if (n->is_static && in->scope->is_local)
    declare_static(in, type, d);
  else
    cx_declare_into(in, in->scope, type, d);
}

void cx_declare_variables(cx_interp *in, const cx_node *n) {
  for (uint32_t i = 0; i < n->n_items; i++) declare_variable(in, n, n->items[i]);
}

/* --- enumerations, functions, types --- */

void cx_declare_enumerators(cx_interp *in, const cx_node *n) {
  int64_t next = 0;
  for (uint32_t i = 0; i < n->n_items; i++, next = pm_wrap_add(next, 1)) {
    int64_t value;
    if (n->items[i]->b &&
        cx_to_int(in, n->items[i]->loc, cx_eval(in, n->items[i]->b), &value, "an enumerator"))
      next = value;
    cv one = cv_int(PM_I32, next);
    if (n->name) one.number = cx_enum_number(in, n);
    cx_declare(in, in->scope, n->items[i]->name, one)->is_const = true;
  }
}

void cx_declare_enum(cx_interp *in, const cx_node *n) {
  if (n->name) {
    cx_new_info(in, n);
    cx_declare(in, in->scope, n->name, (cv){.kind = CV_CLASS, .node = n});
  }
  if (!n->is_scoped) cx_declare_enumerators(in, n);
}

/* The definition with the defaults that the declaration has. */
static const cx_node *with_defaults(cx_interp *in, const cx_node *definition, const cx_node *declared) {
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

static bool has_same_template(const cx_node *a, const cx_node *b) {
  bool same = (!a->t && !b->t) || (a->t && b->t && a->t->n_items == b->t->n_items);
  for (uint32_t i = 0; same && a->t && i < a->t->n_items; i++) /* both a type, or both a value */
    same = !a->t->items[i]->a == !b->t->items[i]->a && a->t->items[i]->is_long == b->t->items[i]->is_long;
  return same;
}

/* The function of the scope that has the name and the parameters; NULL: there is none. */
static cx_cell *find_declared(cx_interp *in, const cx_scope *s, pm_string name, const cx_node *n) {
  if (s->cells && !pm_map_has(s->cells, name)) return NULL;
  for (uint32_t i = 0; i < s->names.len; i++) {
    cv v = s->names.data[i].cell->value;
    if (s->names.data[i].name == name && v.kind == CV_FUNCTION && v.function->node->kind == CX_FUNCTION &&
        has_same_template(v.function->node, n) && cx_same_parameters(in, v.function->node, n))
      return s->names.data[i].cell;
  }
  return NULL;
}

/* A prototype and its definition are one function of an overload set, in either order. */
static void declare_in(cx_interp *in, cx_scope *scope, pm_string name, const cx_node *n) {
  cx_scope *outside = in->scope;
  in->scope = scope;
  cx_cell *known = find_declared(in, scope, name, n);
  in->scope = outside;
  const cx_node *other = known ? known->value.function->node : NULL;
  if (other && !n->b) return;
  bool completes = other && !other->b;
  if (other && other->b) {
    cx_fail(in, n->loc, "'%s' is defined twice", name->text);
    pm_note(in->ctx, other->loc, "it is defined here before");
    return;
  }
  cx_function f = {completes ? with_defaults(in, n, other) : n, scope};
  cv value = {.kind = CV_FUNCTION, .function = pm_arena_memdup(in->arena, &f, sizeof(f))};
  if (n->t) cx_new_info(in, f.node)->scope = scope;
  if (completes)
    known->value = value;
  else
    cx_declare(in, scope, name, value);
}

/* template <> int f<int>(…): beside the template. */
static void declare_special(cx_interp *in, const cx_node *n) {
  const cx_scope *s = in->scope;
  for (uint32_t i = 0; i < s->names.len; i++) {
    cv v = s->names.data[i].cell->value;
    if (s->names.data[i].name != n->name || v.kind != CV_FUNCTION || !v.function->node->t) continue;
    for (uint32_t k = 0; k < v.function->node->t->n_items; k++)
      if (v.function->node->t->items[k]->is_long)
        cx_fail(in, n->loc,
                "a special case of a function with a pack is not supported, a function beside it is");
    CX_PUSH(in->arena, cx_info(in, v.function->node)->special, n);
    return;
  }
  cx_fail(in, n->loc, "'%s' is a special case of a template that is not known", n->name->text);
}

/* A::f of a class or a namespace. */
static void declare_outside(cx_interp *in, const cx_node *before, const cx_node *n) {
  cx_found found;
  bool known = cx_look_up(in, before, &found) && found.cell;
  cv v = known ? found.cell->value : cv_void;
  cx_class_info *info = v.kind == CV_CLASS ? cx_info(in, v.node) : NULL;
  if (v.kind == CV_NAMESPACE)
    declare_in(in, v.scope, cx_last_part(in, n->name), n);
  else if (info)
    CX_PUSH(in->arena, info->outside, n);
  else if (v.kind != CV_POISON)
    cx_unknown_name(in, n->loc, before->name, "class");
}

void cx_declare_function(cx_interp *in, const cx_node *n) {
  const cx_node *before = cx_qualifier(in, n);
  bool is_special = n->t && n->t->n_items == 0;
  if (before)
    declare_outside(in, before, n);
  else if (is_special && n->s)
    declare_special(in, n);
  else if (is_special) { /* its arguments follow from its parameters: it is preferred to the template */
    cx_node *plain = pm_arena_memdup(in->arena, n, sizeof(*n));
    plain->t = NULL;
    declare_in(in, in->scope, n->name, plain);
  } else {
    declare_in(in, in->scope, n->name, n);
  }
}

/* using name = type, typedef. */
void cx_declare_alias(cx_interp *in, const cx_node *n) {
  if (!n->a || n->a->kind != CX_TYPE) return;
  if (n->t) cx_new_info(in, n);
  cx_declare(in, in->scope, n->name, (cv){.kind = CV_CLASS, .node = n->t ? n : cx_resolve(in, n->a)});
}

/* `template <…> struct A;`, which may have special cases before it is defined, if it ever is. */
static void declare_incomplete(cx_interp *in, const cx_node *n) {
  if (!n->t || n->s || cx_find_class(in, n->name)) return;
  cx_new_info(in, n);
  cx_declare(in, in->scope, n->name, (cv){.kind = CV_CLASS, .node = n});
}

/* The definition takes the place of the declaration. */
static bool complete(cx_interp *in, const cx_node *n) {
  cx_found found;
  bool is = n->name && cx_look_up(in, &(cx_node){.kind = CX_NAME, .name = n->name}, &found) && found.cell &&
            found.cell->value.kind == CV_CLASS && found.cell->value.node->is_incomplete;
  if (!is) return false;
  cx_class_info *info = cx_info(in, found.cell->value.node), *own = cx_new_info(in, n);
  own->special = info->special;
  found.cell->value.node = n;
  return true;
}

void cx_declare_class(cx_interp *in, const cx_node *n) {
  if (n->is_incomplete) {
    declare_incomplete(in, n);
    return;
  }
  CX_PUSH(in->arena, in->classes, n);
  if (n->s) {
    const cx_node *primary = cx_find_class(in, n->name);
    cx_class_info *info = primary ? cx_info(in, primary) : NULL;
    if (info)
      CX_PUSH(in->arena, info->special, n);
    else
      cx_fail(in, n->loc, "'%s' is a special case of a template that is not known", n->name->text);
    return;
  }
  if (complete(in, n)) return;
  cx_found found = {0};
  bool known = n->name && cx_find_here(in, in->scope, n->name, &found) && found.cell &&
               found.cell->value.kind == CV_CLASS && found.scope == in->scope;
  if (known) cx_fail(in, n->loc, "the class '%s' is defined twice", n->name->text);
  cx_new_info(in, n);
  if (n->name) cx_declare(in, in->scope, n->name, (cv){.kind = CV_CLASS, .node = n});
}

/* --- namespaces --- */

/* The namespace of the scope, which may be opened again. */
static cx_scope *open_namespace(cx_interp *in, pm_string name) {
  const cx_scope *s = in->scope;
  for (uint32_t i = 0; i < s->names.len; i++)
    if (s->names.data[i].name == name && s->names.data[i].cell->value.kind == CV_NAMESPACE)
      return s->names.data[i].cell->value.scope;
  cx_scope *scope = cx_push_scope(in, in->scope);
  cx_declare(in, in->scope, name, (cv){.kind = CV_NAMESPACE, .scope = scope});
  return scope;
}

void cx_declare_namespace(cx_interp *in, const cx_node *n) {
  cx_scope *outside = in->scope;
  cx_found found;
  if (n->a) {
    if (cx_look_up(in, n->a, &found) && found.cell && found.cell->value.kind == CV_NAMESPACE)
      cx_bind(in, in->scope, n->name, found.cell, n->loc);
    else
      cx_fail(in, n->a->loc, "the namespace '%s' is not known here", n->a->name->text);
    return;
  }
  in->scope = n->is_of_library ? in->extension : open_namespace(in, n->name);
  cx_run_items(in, n);
  in->scope = outside;
}

static bool is_of_library(const cx_interp *in, const cx_node *name) {
  for (const cx_library *l = in->library; l; l = l->base) {
    for (size_t i = 0; l->namespaces && l->namespaces[i]; i++)
      if (strcmp(l->namespaces[i], name->name->text) == 0) return true;
    for (size_t i = 0; l->functions && l->functions[i].name; i++)
      if (strncmp(l->functions[i].name, name->name->text, name->name->len) == 0 &&
          strncmp(l->functions[i].name + name->name->len, "::", 2) == 0)
        return true;
  }
  return name->is_of_library || strcmp(name->name->text, "std") == 0;
}

/* using namespace A, using A::b */
void cx_declare_using(cx_interp *in, const cx_node *n) {
  cx_found found;
  bool known = cx_look_up(in, n->a, &found);
  if (!n->name && known && found.cell && found.cell->value.kind == CV_NAMESPACE) {
    CX_PUSH(in->arena, in->scope->used, found.cell->value.scope);
  } else if (!n->name) {
    if (!is_of_library(in, n->a))
      cx_fail(in, n->a->loc, "the namespace '%s' is not known here", n->a->name->text);
  } else if (known && found.cell && found.scope != in->scope) {
    for (uint32_t i = 0; i < found.scope->names.len; i++)
      if (found.scope->names.data[i].name == n->name)
        cx_bind(in, in->scope, n->name, found.scope->names.data[i].cell, PM_NO_LOC);
  }
}
