/* Classes with arguments of templates, and objects: their members, and the constructors that fill them. */
#include "frontends/cxx/expressions/expressions.h"
#include "frontends/cxx/names/names.h"
#include "frontends/cxx/statements/statements.h"
#include "frontends/cxx/types/types.h"
#include "frontends/cxx/values/values.h"

enum { MAX_INSTANCES = 1000 };

/* --- instances --- */

/* The arguments of a special case suit the given ones: parameters of its own stand for anything, once found
 * for the same. */
static bool suits_special(cx_interp *in, const cx_node *special, const cx_node *pattern, const cx_node *given,
                          cx_scope *found) {
  for (uint32_t i = 0; special->t && pattern->name && i < special->t->n_items; i++) {
    if (special->t->items[i]->name != pattern->name || pattern->n_items > 0) continue;
    if (pattern->is_pointer && !given->is_pointer) return false;
    cx_node *one = pm_arena_memdup(in->arena, given, sizeof(*one));
    if (pattern->is_pointer) one->is_pointer = false;
    cv value = one->kind == CX_TYPE ? (cv){.kind = CV_CLASS, .node = one} : cx_eval(in, one);
    cx_declare(in, found, pattern->name, value);
    return true;
  }
  if (pattern->kind == CX_TYPE && pattern->n_items > 0 && given->kind == CX_TYPE &&
      given->n_items == pattern->n_items) {
    bool same = cx_last_part(in, pattern->name) == given->name && pattern->is_pointer == given->is_pointer;
    for (uint32_t i = 0; same && i < pattern->n_items; i++)
      same = suits_special(in, special, pattern->items[i], given->items[i], found);
    return same;
  }
  if (pattern->kind == CX_TYPE) return cx_same_type(cx_resolve(in, pattern), given);
  cv a = cx_eval(in, pattern), b = given->kind == CX_TYPE ? cv_void : cx_eval(in, given);
  return a.kind == b.kind && a.i == b.i;
}

/* The special case of the template for these arguments, with what its own parameters are in `found`; else the
 * template. */
static const cx_node *chosen_case(cx_interp *in, const cx_class_info *info, const cx_node *type,
                                  cx_scope **found) {
  cx_scope *outside = in->scope;
  in->scope = info->scope;
  const cx_node *chosen = NULL;
  for (uint32_t i = 0; i < info->special.len; i++) {
    const cx_node *special = info->special.data[i];
    cx_scope *scope = cx_push_scope(in, info->scope);
    bool suits = special->s->n_items <= type->n_items;
    for (uint32_t k = 0; suits && k < special->s->n_items; k++)
      suits = suits_special(in, special, special->s->items[k], type->items[k], scope);
    bool is_better = suits && (!chosen || special->t->n_items < chosen->t->n_items);
    if (is_better) chosen = special, *found = scope;
  }
  in->scope = outside;
  return chosen;
}

/* Static members, types and enumerations of the class get their names; members are evaluated when they are
 * needed. */
static void declare_static(cx_interp *in, cx_instance *instance) {
  for (uint32_t i = 0; i < instance->node->n_items; i++) {
    const cx_node *m = instance->node->items[i];
    if (m->kind == CX_ENUM || m->kind == CX_ALIAS || m->kind == CX_CLASS) cx_run(in, m);
    if (m->kind != CX_DECLARE || !m->is_static) continue;
    for (uint32_t k = 0; k < m->n_items; k++) {
      cx_cell *cell = cx_new_cell(in, (cv){.kind = CV_VOID, .number = k});
      cell->pending = m;
      cell->scope = instance->names;
      cx_bind(in, instance->names, m->items[k]->name, cell, m->items[k]->loc);
    }
  }
}

void cx_evaluate_member(cx_interp *in, cx_cell *cell) {
  const cx_node *m = cell->pending, *d = m->items[cell->value.number];
  cx_scope *outside = in->scope;
  cell->pending = NULL;
  in->scope = cell->scope;
  cell->value = cx_declared_value(in, m->a, d);
  cell->type = d->n_items > 0 ? NULL : cx_resolve(in, m->a);
  cell->is_const = m->a->is_const && !m->a->is_pointer;
  in->scope = outside;
}

static void find_bases(cx_interp *in, cx_instance *instance) {
  const cx_node *bases = instance->node->c;
  for (uint32_t i = 0; bases && i < bases->n_items; i++) {
    const cx_node *type = cx_resolve(in, bases->items[i]);
    cx_instance *base = type->c ? cx_instantiate(in, type->loc, type->c, type) : NULL;
    if (base && base != instance) {
      CX_PUSH(in->arena, instance->bases, base);
      instance->is_of_library |= base->is_of_library;
    } else if (type->name && in->library->is_base && in->library->is_base(type->name)) {
      instance->is_of_library = true;
    }
  }
}

static const cx_node *closed_type(cx_interp *in, const cx_node *node, const cx_node *type) {
  cx_node *named =
      type ? pm_arena_memdup(in->arena, type, sizeof(*type)) : pm_arena_alloc(in->arena, sizeof(*named));
  named->kind = CX_TYPE;
  named->is_const = named->is_reference = named->is_rvalue = named->is_pointer = false;
  if (node->kind == CX_TYPE) return cx_resolve(in, node);
  if (!type) named->loc = node->loc;
  if (!named->c) {
    named->name = named->name ? named->name : node->name;
    const cx_node *closed = type ? cx_resolve(in, named) : named;
    named = pm_arena_memdup(in->arena, closed, sizeof(*closed));
  }
  named->c = (cx_node *)node;
  named->name = node->name;
  return named;
}

/* The arguments with the defaults of those that are not given. */
static const cx_node *with_defaults(cx_interp *in, const cx_class_info *info, const cx_node *type) {
  const cx_node *params = info->node->t;
  cx_scope *outside = in->scope, *scope = cx_push_scope(in, info->scope);
  if (!params || type->n_items >= params->n_items) return type;
  cx_node *all = pm_arena_memdup(in->arena, type, sizeof(*all));
  all->items = pm_arena_alloc(in->arena, params->n_items * sizeof(*all->items));
  if (type->n_items > 0) memcpy(all->items, type->items, type->n_items * sizeof(*all->items));
  cx_bind_arguments(in, scope, params, type->items, type->n_items);
  in->scope = scope;
  for (; all->n_items < params->n_items && params->items[all->n_items]->b; all->n_items++) {
    cx_node *given = params->items[all->n_items]->b;
    all->items[all->n_items] = given->kind == CX_TYPE ? (cx_node *)cx_resolve(in, given) : given;
  }
  in->scope = outside;
  return all;
}

cx_instance *cx_instantiate(cx_interp *in, pm_loc loc, const cx_node *node, const cx_node *type) {
  if (node->kind == CX_TYPE || node->kind == CX_ALIAS) {
    const cx_node *meant = closed_type(in, node, type);
    if (!meant || !meant->c || meant->c == node) return NULL;
    return cx_instantiate(in, loc, meant->c, meant);
  }
  cx_class_info *info = cx_info(in, node);
  if (!info) return NULL;
  const cx_node *closed = with_defaults(in, info, closed_type(in, node, type));
  for (uint32_t i = 0; i < info->instances.len; i++)
    if (cx_same_type(info->instances.data[i]->type, closed)) return info->instances.data[i];
  if (info->instances.len >= MAX_INSTANCES) {
    cx_fail(in, loc, "the template '%s' has more than %d cases, it should not need itself for ever",
            node->name->text, MAX_INSTANCES);
    in->stopped = true;
    return NULL;
  }
  cx_instance *instance = pm_arena_alloc(in->arena, sizeof(*instance));
  cx_scope *outside = in->scope, *own = NULL;
  const cx_node *special = chosen_case(in, info, closed, &own);
  instance->node = special ? special : node;
  instance->type = closed;
  instance->names = cx_push_scope(in, special ? own : info->scope);
  instance->names->instance = instance;
  CX_PUSH(in->arena, info->instances, instance);
  if (special && !cx_info(in, special)) cx_new_info(in, special)->scope = info->scope;
  if (node->t && !special &&
      !cx_bind_arguments(in, instance->names, node->t, closed->items, closed->n_items) && closed->n_items > 0)
    cx_fail(in, loc, "the template '%s' has %u arguments, it should have %u", node->name->text,
            closed->n_items, node->t->n_items);
  in->scope = instance->names;
  if (instance->node->kind == CX_CLASS) {
    find_bases(in, instance);
    declare_static(in, instance);
  } else {
    cx_declare_enumerators(in, instance->node);
  }
  in->scope = outside;
  return instance;
}

/* --- members --- */

/* Of the bases first. Each is evaluated where the names are those of its class. */
static void add_members(cx_interp *in, cx_object *object, const cx_instance *instance, unsigned depth) {
  if (depth > 20) return;
  for (uint32_t i = 0; i < instance->bases.len; i++)
    add_members(in, object, instance->bases.data[i], depth + 1);
  in->scope = cx_part(object, instance);
  for (uint32_t i = 0; i < instance->node->n_items; i++) {
    const cx_node *m = instance->node->items[i];
    if ((m->kind == CX_DECLARE && !m->is_static) || m->kind == CX_REFUSED || m->kind == CX_MACRO)
      cx_run(in, m);
  }
}

static cx_object *new_object(cx_interp *in, const cx_instance *instance) {
  cx_object *object = pm_arena_alloc(in->arena, sizeof(*object));
  cx_line line = cx_line_of(in, instance);
  object->instance = instance;
  object->members = cx_push_scope(in, NULL);
  for (uint32_t i = 0; i < line.items.len; i++) {
    cx_scope *part = cx_push_scope(in, line.items.data[i]->names->outer);
    part->instance = line.items.data[i];
    part->object = object;
    CX_PUSH(in->arena, object->parts, part);
  }
  return object;
}

cv cx_copy_object(cx_interp *in, cv v, uint32_t part) {
  const cx_object *from = v.object;
  cx_object *object = new_object(in, from->parts.data[part]->instance);
  for (uint32_t i = 0; i < from->members->names.len; i++) {
    const cx_binding *b = &from->members->names.data[i];
    if (part > 0 && !cx_is_base(b->owner, object->instance)) continue;
    cx_binding own = *b;
    own.cell = cx_new_cell(in, cx_copy(in, b->cell->value));
    own.cell->type = b->cell->type;
    own.cell->is_const = b->cell->is_const;
    CX_PUSH(in->arena, object->members->names, own);
  }
  return (cv){.kind = CV_OBJECT, .object = object};
}

/* --- construction --- */

static void construct(cx_interp *in, pm_loc loc, cx_object *object, const cx_instance *instance,
                      const cx_arguments *args, bool is_braced, unsigned depth);

/* The base that `Base(args)` of a constructor names; NULL: it is a member. */
static const cx_instance *base_named(cx_interp *in, const cx_instance *instance, const cx_node *name) {
  cx_node type = *name;
  type.kind = CX_TYPE;
  const cx_node *node = cx_class_named(in, &type);
  for (uint32_t i = 0; node && i < instance->bases.len; i++)
    if (instance->bases.data[i]->node == node) return instance->bases.data[i];
  return NULL;
}

/* member(value), Base(value), Class(value) of a constructor; bases that are not named are made without
 * arguments. */
static bool initialise(cx_interp *in, const cx_node *inits, cx_object *object, const cx_instance *instance,
                       unsigned depth) {
  uint32_t n = inits ? inits->n_items : 0;
  if (n == 1 && inits->items[0]->a->name == instance->node->name) { /* another constructor does it all */
    cx_arguments a = cx_eval_arguments(in, inits->items[0]->items, inits->items[0]->n_items);
    if (a.ok)
      construct(in, inits->items[0]->loc, object, instance, &a, inits->items[0]->is_braced, depth + 1);
    return false;
  }
  for (uint32_t k = 0; k < instance->bases.len; k++) {
    const cx_node *call = NULL;
    for (uint32_t i = 0; i < n; i++)
      if (base_named(in, instance, inits->items[i]->a) == instance->bases.data[k]) call = inits->items[i];
    cx_arguments a = call ? cx_eval_arguments(in, call->items, call->n_items) : (cx_arguments){.ok = true};
    if (a.ok)
      construct(in, call ? call->loc : instance->node->loc, object, instance->bases.data[k], &a,
                call && call->is_braced, depth + 1);
  }
  for (uint32_t i = 0; i < n; i++) {
    const cx_node *call = inits->items[i];
    cx_found found;
    bool is_member = cx_find_in_class(in, instance, object, call->a->name, &found) && found.cell;
    if (base_named(in, instance, call->a)) continue;
    cx_arguments a = cx_eval_arguments(in, call->items, call->n_items);
    if (!is_member || !a.ok) continue;
    if (found.cell->type && found.cell->type->is_reference && a.n == 1 && a.cells[0])
      cx_bind(in, cx_part(object, instance), call->a->name, a.cells[0], call->loc);
    else if (found.cell->type)
      found.cell->value =
          cx_construct(in, call->loc, found.cell->type, a.values, a.locs, a.n, call->is_braced, NULL);
    else if (a.n == 1)
      found.cell->value = cx_copy(in, a.values[0]);
  }
  return true;
}

/* T{a, b}: the members in their order. */
static void fill_members(cx_interp *in, pm_loc loc, cx_object *object, const cx_arguments *args) {
  cx_scope *s = object->members;
  if (args->n > s->names.len) {
    cx_fail(in, loc, "%u values are given, the struct has %u members", args->n, s->names.len);
    return;
  }
  for (unsigned i = 0; i < args->n; i++) {
    cx_cell *cell = s->names.data[i].cell;
    cell->value = cx_convert(in, args->locs[i], cell->type, cx_copy(in, args->values[i]));
  }
}

static bool has_constructor(const cx_candidates *all) {
  return all->len > 0;
}

static void construct(cx_interp *in, pm_loc loc, cx_object *object, const cx_instance *instance,
                      const cx_arguments *args, bool is_braced, unsigned depth) {
  cx_candidates all = {0};
  cx_candidate c;
  cx_scope *outside = in->scope;
  if (depth > 20) return;
  cx_add_constructors(in, instance, object, &all);
  const char *name = instance->node->name ? instance->node->name->text : "the class";
  if (!has_constructor(&all)) {
    in->scope = cx_part(object, instance);
    initialise(in, NULL, object, instance, depth);
    in->scope = outside;
    bool is_copy = args->n == 1 && args->values[0].kind == CV_OBJECT;
    if (args->n > 0 && is_braced && !is_copy)
      fill_members(in, loc, object, args);
    else if (args->n > 0)
      cx_fail(in, loc, "%s has no constructor of %u arguments", name, args->n);
    return;
  }
  if (!cx_choose_function(in, loc, name, &all, args, NULL, &c)) return;
  const cx_node *node = cx_defined(in, instance, c.node);
  in->scope = cx_push_local_scope(in, c.scope);
  if (cx_bind_parameters(in, loc, node, c.node, in->scope, args) &&
      initialise(in, node->c, object, instance, depth) && node->b)
    cx_run(in, node->b);
  in->result = cv_void;
  in->scope = outside;
}

cv cx_new_object(cx_interp *in, pm_loc loc, const cx_node *class_node, const cx_node *type, cv *args,
                 const pm_loc *locs, unsigned n_args, bool is_braced) {
  cx_scope *outside = in->scope;
  if (class_node->kind == CX_ENUM) return cx_fail(in, loc, "no object can be made of this type");
  const cx_instance *instance = cx_instantiate(in, loc, class_node, type);
  if (!instance) return cx_fail(in, loc, "no object can be made of this type");
  if (!cx_enter_call(in, loc)) {
    cx_leave_call(in);
    return cv_poison;
  }
  cx_object *object = new_object(in, instance);
  add_members(in, object, instance, 0);
  in->scope = outside;
  construct(in, loc, object, instance, &(cx_arguments){.values = args, .locs = locs, .n = n_args, .ok = true},
            is_braced, 0);
  in->scope = outside;
  cx_leave_call(in);
  return (cv){.kind = CV_OBJECT, .object = object};
}
