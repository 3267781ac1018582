/* Scopes, and names that are in none. */
#include "frontends/cxx/library.h"
#include "frontends/cxx/names/names.h"

cx_cell *cx_new_cell(cx_interp *in, cv value) {
  cx_cell *cell = pm_arena_alloc(in->arena, sizeof(*cell));
  cell->value = value;
  return cell;
}

cx_cell *cx_find(const cx_scope *scope, pm_string name) {
  for (; scope && !scope->cells; scope = scope->outer)
    for (uint32_t i = scope->names.len; i > 0; i--)
      if (scope->names.data[i - 1].name == name) return scope->names.data[i - 1].cell;
  return scope ? pm_map_get(scope->cells, name) : NULL;
}

void cx_bind(cx_interp *in, cx_scope *scope, pm_string name, cx_cell *cell, pm_loc loc) {
  cx_binding b = {name, cell, loc};
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

cx_cell *cx_find_member(const cx_object *object, pm_string name) {
  const cx_scope *s = object->members;
  for (uint32_t i = 0; i < s->names.len; i++)
    if (s->names.data[i].name == name) return s->names.data[i].cell;
  return NULL;
}

cx_object *cx_current_object(const cx_interp *in) {
  for (const cx_scope *s = in->scope; s; s = s->outer)
    if (s->object) return s->object;
  return NULL;
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
  for (const cx_scope *s = in->scope; s; s = s->outer)
    for (uint32_t i = 0; i < s->names.len; i++) cx_look_at(&nearest, s->names.data[i].name->text);
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
  cx_declare(in, in->globals, name, cv_poison);
  return cv_poison;
}
