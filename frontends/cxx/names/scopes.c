/* Scopes, and names that are in none. */
#include "frontends/cxx/library.h"
#include "frontends/cxx/names/names.h"

#include <string.h>

cx_cell *cx_new_cell(cx_interp *in, cv value) {
  cx_cell *cell = pm_arena_alloc(in->arena, sizeof(*cell));
  cell->value = value;
  return cell;
}

cx_scope *cx_declaring(cx_scope *scope) {
  return scope->object ? scope->object->members : scope;
}

void cx_bind(cx_interp *in, cx_scope *scope, pm_string name, cx_cell *cell, pm_loc loc) {
  cx_binding b = {name, cell, loc, scope->object ? scope->instance : NULL};
  scope = cx_declaring(scope);
  CX_PUSH(in->arena, scope->names, b);
  if (scope->cells) pm_map_set(scope->cells, name, cell);
}

cx_cell *cx_declare(cx_interp *in, cx_scope *scope, pm_string name, cv value) {
  cx_cell *cell = cx_new_cell(in, value);
  cx_bind(in, scope, name, cell, PM_NO_LOC);
  return cell;
}

cx_scope *cx_push_scope(cx_interp *in, cx_scope *outer) {
  cx_scope *scope = pm_arena_alloc(in->arena, sizeof(*scope));
  scope->outer = outer;
  return scope;
}

cx_scope *cx_push_local_scope(cx_interp *in, cx_scope *outer) {
  cx_scope *scope = cx_push_scope(in, outer);
  scope->is_local = true;
  return scope;
}

cx_object *cx_current_object(const cx_interp *in) {
  for (const cx_scope *s = in->scope; s; s = s->outer)
    if (s->instance) return s->object;
  return NULL;
}

const cx_instance *cx_current_class(const cx_interp *in) {
  const cx_scope *s = in->scope;
  while (s && !s->instance) s = s->outer;
  return s ? s->instance : NULL;
}

/* --- names without `::` --- */

static cx_cell *own_cell(const cx_scope *scope, pm_string name) {
  if (scope->cells) return pm_map_get(scope->cells, name);
  for (uint32_t i = scope->names.len; i > 0; i--)
    if (scope->names.data[i - 1].name == name) return scope->names.data[i - 1].cell;
  return NULL;
}

static void add_found(cx_interp *in, cx_scope *scope, pm_string name, cx_found *out) {
  cx_cell *cell = own_cell(scope, name);
  if (!cell) return;
  if (!out->cell) out->cell = cell, out->scope = scope;
  CX_PUSH(in->arena, out->also, scope);
}

/* The namespaces that the scope uses, and those that these use. */
static void add_used(cx_interp *in, const cx_scope *scope, const cx_scope *level, pm_string name,
                     unsigned depth, cx_found *out) {
  for (uint32_t i = 0; i < scope->used.len && depth < 20; i++) {
    const cx_scope *around = scope->used.data[i];
    while (around && around != level) around = around->outer;
    if (around || !level) add_found(in, scope->used.data[i], name, out);
    add_used(in, scope->used.data[i], level, name, depth + 1, out);
  }
}

bool cx_find_here(cx_interp *in, cx_scope *scope, pm_string name, cx_found *out) {
  *out = (cx_found){0};
  if (scope->instance && cx_find_in_class(in, scope->instance, scope->object, name, out)) return true;
  *out = (cx_found){0};
  add_found(in, scope, name, out);
  if (!out->cell) add_used(in, scope, NULL, name, 0, out);
  return out->cell;
}

/* From the scope outwards. What a namespace has that is used is seen in the nearest scope around both it and
 * the place of its use [namespace.udir]. What the program adds to the library's namespaces comes last. */
static bool find_unqualified(cx_interp *in, cx_scope *from, pm_string name, cx_found *out) {
  for (cx_scope *s = from; s; s = s->outer) {
    *out = (cx_found){0};
    if (s->instance && cx_find_in_class(in, s->instance, s->object, name, out)) return true;
    *out = (cx_found){0};
    add_found(in, s, name, out);
    if (!s->is_local && !s->instance)
      for (const cx_scope *inner = from; inner != s->outer; inner = inner->outer)
        add_used(in, inner, s, name, 0, out);
    if (out->cell) return true;
  }
  return cx_find_here(in, in->extension, name, out);
}

static cx_cell *ready(cx_interp *in, cx_cell *cell) {
  if (cell && cell->pending) in->evaluate_member(in, cell);
  return cell;
}

cx_cell *cx_find(cx_interp *in, cx_scope *scope, pm_string name) {
  cx_found found;
  return find_unqualified(in, scope, name, &found) ? ready(in, found.cell) : NULL;
}

/* --- A::b --- */

pm_string cx_last_part(cx_interp *in, pm_string name) {
  const char *last = name->text;
  for (const char *p = name->text; (p = strstr(p, "::")); p += 2) last = p + 2;
  return last == name->text ? name : pm_get_cstring(in->ctx, last);
}

const cx_node *cx_qualifier(cx_interp *in, const cx_node *name) {
  const char *last = NULL;
  for (const char *p = name->name->text; (p = strstr(p, "::")); p += 2) last = p;
  if (!last) return NULL;
  cx_node *n = pm_arena_memdup(in->arena, name, sizeof(*n));
  n->name = pm_get_string(in->ctx, (pm_str){name->name->text, (size_t)(last - name->name->text)});
  n->n_items -= n->n_last;
  n->n_last = 0;
  return n;
}

/* The scope of a namespace, or the names of a class, which is what stands before `::`. */
static bool find_in_named(cx_interp *in, const cx_node *before, const cx_found *named, pm_string name,
                          cx_found *out) {
  cv v = named->cell ? named->cell->value : cv_void;
  if (v.kind == CV_NAMESPACE) return cx_find_here(in, v.scope, name, out);
  if (v.kind != CV_CLASS) return false;
  const cx_instance *instance = in->instantiate(in, before->loc, v.node, before);
  cx_object *object = cx_current_object(in);
  if (!instance) return false;
  if (object && !cx_is_base(instance, object->instance)) object = NULL;
  return cx_find_in_class(in, instance, object, name, out);
}

bool cx_look_up(cx_interp *in, const cx_node *n, cx_found *out) {
  const cx_node *before = cx_qualifier(in, n);
  cx_found outer;
  bool found;
  *out = (cx_found){0};
  if (before)
    found =
        cx_look_up(in, before, &outer) && find_in_named(in, before, &outer, cx_last_part(in, n->name), out);
  else if (n->is_of_library)
    found = cx_find_here(in, in->extension, n->name, out);
  else
    found = find_unqualified(in, n->is_global ? in->globals : in->scope, n->name, out);
  if (found) ready(in, out->cell);
  out->is_qualified = before || n->is_global;
  return found;
}

/* --- names that are not known --- */

/* The declaration of the name, which was not understood; NULL: there is none such. */
static const cx_node *refused_declaration(const cx_interp *in, pm_string name) {
  for (uint32_t i = 0; i < in->refused.len; i++)
    if (in->refused.data[i]->name == name) return in->refused.data[i];
  return NULL;
}

static const char *nearest_declared(const cx_interp *in, pm_string name) {
  cx_nearest nearest = cx_begin_nearest(name);
  for (cx_scope *s = in->scope; s; s = s->outer) {
    const cx_scope *names = cx_declaring(s);
    for (uint32_t i = 0; i < names->names.len; i++) cx_look_at(&nearest, names->names.data[i].name->text);
  }
  return nearest.best;
}

cv cx_unknown_name(cx_interp *in, pm_loc loc, pm_string name, const char *what) {
  const cx_node *refused = refused_declaration(in, name);
  const char *near = refused ? NULL : nearest_declared(in, name);
  if (in->stopped) return cv_poison;
  if (!near && !refused) near = cx_nearest_function(in, name);
  if (refused) {
    cx_fail(in, refused->loc, "%.*s", (int)refused->text.len, refused->text.ptr);
    pm_note(in->ctx, loc, "the %s '%s' is needed here", what, name->text);
  } else if (near) {
    cx_fail(in, loc, "the %s '%s' is not known, '%s' is the nearest one", what, name->text, near);
  } else {
    cx_fail(in, loc, "the %s '%s' is not known here", what, name->text);
  }
  if (!strstr(name->text, "::")) cx_declare(in, in->globals, name, cv_poison);
  return cv_poison;
}
