/* Objects: their members, and the constructors that fill them. */
#include "frontends/cxx/expressions/expressions.h"
#include "frontends/cxx/names/names.h"
#include "frontends/cxx/statements/statements.h"
#include "frontends/cxx/types/types.h"
#include "frontends/cxx/values/values.h"

/* The types of a template get the names that its class has for them, around its members. */
static void bind_template(cx_interp *in, cx_scope *scope, const cx_node *class_node, const cx_node *type) {
  for (uint32_t i = 0; class_node->a && type && i < class_node->a->n_items && i < type->n_items; i++) {
    const cx_node *given = cx_resolve(in, type->items[i]);
    cv value = given->kind == CX_TYPE ? (cv){.kind = CV_CLASS, .node = given} : cx_eval(in, given);
    cx_declare(in, scope, class_node->a->items[i]->name, value);
  }
}

static void add_members(cx_interp *in, const cx_node *class_node, unsigned depth) {
  if (depth > 20) return;
  for (uint32_t i = 0; class_node->c && i < class_node->c->n_items; i++) {
    const cx_node *base = cx_find_class(in, class_node->c->items[i]->name);
    if (base) bind_template(in, in->scope->outer, base, class_node->c->items[i]);
    if (base) add_members(in, base, depth + 1);
  }
  for (uint32_t i = 0; i < class_node->n_items; i++) {
    const cx_node *m = class_node->items[i];
    if (m->kind == CX_DECLARE || m->kind == CX_ENUM || m->kind == CX_ALIAS || m->kind == CX_CLASS)
      cx_run(in, m);
  }
}

/* member(value), … of a constructor. */
static void initialise(cx_interp *in, const cx_node *inits, cx_object *object) {
  for (uint32_t i = 0; inits && i < inits->n_items; i++) {
    const cx_node *call = inits->items[i];
    cx_cell *cell = cx_find(object->members, call->a->name);
    cx_arguments a = cx_eval_arguments(in, call->items, call->n_items);
    if (!cell || !a.ok) continue;
    if (cell->type)
      cell->value = cx_construct(in, call->loc, cell->type, a.values, a.locs, a.n, call->is_braced, NULL);
    else if (a.n == 1)
      cell->value = cx_copy(in, a.values[0]);
  }
}

static void construct_object(cx_interp *in, pm_loc loc, cx_object *object, const cx_node *constructor,
                             const cx_arguments *args) {
  cx_scope *scope = cx_push_scope(in, object->members);
  in->scope = scope;
  if (!cx_bind_parameters(in, loc, constructor, scope, args)) return;
  initialise(in, constructor->c, object);
  if (constructor->b) cx_run(in, constructor->b);
}

/* T{a, b}: the members in their order. */
static void fill_members(cx_interp *in, pm_loc loc, cx_object *object, const cv *args, const pm_loc *locs,
                         unsigned n_args) {
  cx_scope *s = object->members;
  if (n_args > s->names.len) {
    cx_fail(in, loc, "%u values are given, the struct has %u members", n_args, s->names.len);
    return;
  }
  for (unsigned i = 0; i < n_args; i++) {
    cx_cell *cell = s->names.data[i].cell;
    cell->value = cx_convert(in, locs[i], cell->type, cx_copy(in, args[i]));
  }
}

static cx_object *begin_object(cx_interp *in, const cx_node *class_node, const cx_node *type) {
  cx_object *object = pm_arena_alloc(in->arena, sizeof(*object));
  object->node = class_node;
  object->is_of_library = cx_is_of_library(in, class_node);
  object->members = cx_push_scope(in, cx_push_scope(in, in->globals));
  object->members->object = object;
  bind_template(in, object->members->outer, class_node, type);
  in->scope = object->members;
  add_members(in, class_node, 0);
  return object;
}

cv cx_new_object(cx_interp *in, pm_loc loc, const cx_node *class_node, const cx_node *type, cv *args,
                 const pm_loc *locs, unsigned n_args, bool is_braced) {
  cx_scope *outside = in->scope;
  if (class_node->kind != CX_CLASS) return cx_fail(in, loc, "no object can be made of this type");
  if (!cx_enter_call(in, loc)) {
    cx_leave_call(in);
    return cv_poison;
  }
  cx_object *object = begin_object(in, class_node, type);
  const cx_node *constructor = cx_find_constructor(class_node, n_args);
  if (constructor)
    construct_object(in, loc, object, constructor,
                     &(cx_arguments){.values = args, .locs = locs, .n = n_args, .ok = true});
  else if (n_args > 0 && is_braced)
    fill_members(in, loc, object, args, locs, n_args);
  else if (n_args > 0)
    cx_fail(in, loc, "%s has no constructor of %u arguments",
            class_node->name ? class_node->name->text : "the class", n_args);
  in->scope = outside;
  cx_leave_call(in);
  return (cv){.kind = CV_OBJECT, .object = object};
}
