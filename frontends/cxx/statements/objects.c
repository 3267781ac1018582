/* Classes with arguments of templates, and objects: their members, and the constructors that fill them. */
#include "frontends/cxx/expressions/expressions.h"
#include "frontends/cxx/names/names.h"
#include "frontends/cxx/statements/statements.h"
#include "frontends/cxx/types/types.h"
#include "frontends/cxx/values/values.h"

enum { MAX_INSTANCES = 1000 };

/* --- instances --- */

/* `Ts...` at the end of a special case: a pack of its own for all that is left. */
static bool take_rest(cx_interp *in, const cx_node *special, const cx_node *pattern, const cx_node *type,
                      uint32_t from, cx_scope *found) {
  for (uint32_t i = 0; i < special->t->n_items; i++) {
    const cx_node *param = special->t->items[i];
    if (!param->is_long || param->name != pattern->name || pattern->n_items > 0) continue;
    cx_declare(in, found, param->name, cx_pack_of(in, param, type->items + from, type->n_items - from));
    return true;
  }
  return false;
}

static bool ends_with_pack(const cx_node *arguments) {
  return arguments->n_items > 0 && arguments->items[arguments->n_items - 1]->kind == CX_EXPANSION;
}

static bool suits_special(cx_interp *in, const cx_node *special, const cx_node *pattern, const cx_node *given,
                          cx_scope *found);

/* Each of the arguments; `has_defaults`: only the given ones may have those at the end. */
static bool suit_special(cx_interp *in, const cx_node *special, const cx_node *pattern, const cx_node *given,
                         bool has_defaults, cx_scope *found) {
  bool has_rest = ends_with_pack(pattern);
  uint32_t n = pattern->n_items - has_rest;
  bool suits = n == given->n_items || (n < given->n_items && (has_rest || has_defaults));
  for (uint32_t i = 0; i < n && suits; i++)
    suits = suits_special(in, special, pattern->items[i], given->items[i], found);
  return suits && (!has_rest || take_rest(in, special, pattern->items[n]->a, given, n, found));
}

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
  if (pattern->kind == CX_TYPE && pattern->n_items > 0 && given->kind == CX_TYPE) {
    bool same = cx_last_part(in, pattern->name) == given->name && pattern->is_pointer == given->is_pointer;
    return same && suit_special(in, special, pattern, given, false, found);
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
  const cx_node *chosen = NULL, *params = info->node->t;
  bool of_pack = params && params->n_items > 0 && params->items[params->n_items - 1]->is_long;
  for (uint32_t i = 0; i < info->special.len; i++) {
    const cx_node *special = info->special.data[i];
    cx_scope *scope = cx_push_scope(in, info->scope);
    bool suits = suit_special(in, special, special->s, type, !of_pack, scope);
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

static bool is_type_of_library(const cx_interp *in, pm_string name) {
  for (const cx_library *l = in->library; l; l = l->base)
    if (l->is_type && l->is_type(name)) return true;
  return false;
}

/* Objects of the class have a value of the type. */
static void set_inner(cx_interp *in, cx_instance *instance, const cx_node *type) {
  pm_buf name = {0};
  if (instance->inner_type) {
    cx_fail(in, type->loc, "the class derives from %s and %s, it should derive from one of them",
            instance->inner_type->name->text, type->name->text);
    return;
  }
  pm_buf_printf(&name, "base %s", type->name->text); /* that no member can have */
  instance->inner_type = cx_bare_type(in, type);
  instance->inner_name = pm_get_string(in->ctx, (pm_str){name.data, name.len});
  instance->inner_at = instance->bases.len;
  pm_buf_free(&name);
}

static void add_base(cx_interp *in, cx_instance *instance, const cx_node *given) {
  const cx_node *type = cx_resolve(in, given);
  cx_instance *base = type->c ? cx_instantiate(in, type->loc, type->c, type) : NULL;
  if (base && base != instance) {
    CX_PUSH(in->arena, instance->bases, base);
    instance->is_of_library |= base->is_of_library;
  } else if (type->name && in->library->is_base && in->library->is_base(type->name)) {
    instance->is_of_library = true;
  } else if (!base && type->name && !type->c && is_type_of_library(in, type->name)) {
    set_inner(in, instance, type);
  }
}

static void find_bases(cx_interp *in, cx_instance *instance) {
  const cx_node *bases = instance->node->c;
  for (uint32_t i = 0; bases && i < bases->n_items; i++) {
    cx_expansion e;
    if (bases->items[i]->kind != CX_EXPANSION) {
      add_base(in, instance, bases->items[i]);
      continue;
    }
    bool ok = cx_begin_expansion(in, bases->items[i]->loc, bases->items[i]->a, &e);
    for (uint32_t k = 0; ok && k < e.n; k++) {
      cx_expand_to(in, &e, k);
      add_base(in, instance, bases->items[i]->a);
    }
    cx_end_expansion(in, &e);
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

cx_instance *cx_instantiate(cx_interp *in, pm_loc loc, const cx_node *node, const cx_node *type) {
  if (node->kind == CX_TYPE || node->kind == CX_ALIAS) {
    const cx_node *meant = closed_type(in, node, type);
    if (!meant || !meant->c || meant->c == node) return NULL;
    return cx_instantiate(in, loc, meant->c, meant);
  }
  cx_class_info *info = cx_info(in, node);
  if (!info) return NULL;
  const cx_node *closed = cx_with_defaults(in, closed_type(in, node, type));
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
  if (instance->node->is_incomplete) {
    cx_fail(in, loc, "the template '%s' is declared, but not defined", node->name->text);
    return NULL;
  }
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

/* --- objects --- */

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

/* A constructor that a copy is made with; NULL: there is none but the one that copies each member. */
static const cx_node *copy_constructor(const cx_instance *instance) {
  for (uint32_t i = 0; i < instance->node->n_items; i++) {
    const cx_node *m = instance->node->items[i];
    if (m->kind != CX_FUNCTION || m->a || m->n_items == 0 || cx_least_arguments(m) > 1 || m->t) continue;
    const cx_node *type = m->items[0]->a;
    if (type && (type->is_reference || type->is_rvalue) && type->name == instance->node->name) return m;
  }
  return NULL;
}

/* `member(other.member)` */
static bool copies_member(const cx_node *constructor, const cx_node *init) {
  const cx_node *value = init->n_items == 1 ? init->items[0] : NULL;
  return value && value->kind == CX_MEMBER && value->name == init->a->name && value->a->kind == CX_NAME &&
         value->a->name == constructor->items[0]->name;
}

static bool copies_each_member(const cx_instance *instance, const cx_node *constructor) {
  uint32_t n_members = 0, n_copied = 0;
  for (uint32_t i = 0; i < instance->node->n_items; i++) {
    const cx_node *m = instance->node->items[i];
    if (m->kind == CX_DECLARE && !m->is_static) n_members += m->n_items;
  }
  for (uint32_t i = 0; constructor->c && i < constructor->c->n_items; i++)
    n_copied += copies_member(constructor, constructor->c->items[i]);
  return constructor->b && constructor->b->n_items == 0 && instance->bases.len == 0 && n_copied == n_members;
}

/* How often a program copies is not followed, so a copy has to be one of each member. */
static void check_copy(cx_interp *in, const cx_instance *instance) {
  const cx_node *constructor = copy_constructor(instance);
  if (!constructor || constructor->is_deleted) return;
  const cx_node *node = cx_defined(in, instance, constructor);
  if (!copies_each_member(instance, node))
    cx_fail(in, node->loc,
            "a constructor that copies otherwise than each member is not supported; it should be the default "
            "one, or a function should copy");
}

static bool is_reference_member(const cx_binding *b) {
  for (uint32_t i = 0; b->owner && i < b->owner->node->n_items; i++) {
    const cx_node *m = b->owner->node->items[i];
    if (m->kind != CX_DECLARE || m->is_static || !m->a->is_reference) continue;
    for (uint32_t k = 0; k < m->n_items; k++)
      if (m->items[k]->name == b->name) return true;
  }
  return false;
}

/* What the object has as one of the class, for another one. */
static void copy_members(cx_interp *in, const cx_object *from, const cx_instance *instance, cx_object *to) {
  check_copy(in, instance);
  for (uint32_t i = 0; i < from->members->names.len; i++) {
    const cx_binding *b = &from->members->names.data[i];
    if (!cx_is_base(b->owner, instance)) continue;
    cx_binding own = *b;
    if (!is_reference_member(b)) {
      own.cell = cx_new_cell(in, cx_copy(in, b->cell->value));
      own.cell->type = b->cell->type;
      own.cell->is_const = b->cell->is_const;
    }
    CX_PUSH(in->arena, to->members->names, own);
  }
}

cv cx_copy_object(cx_interp *in, cv v, uint32_t part) {
  const cx_instance *instance = v.object->parts.data[part]->instance;
  cx_object *object = new_object(in, instance);
  copy_members(in, v.object, instance, object);
  return (cv){.kind = CV_OBJECT, .object = object};
}

/* --- construction --- */

/* One object, or a base of it, on its way from nothing. */
typedef struct making {
  cx_object *object;
  const cx_instance *instance;
  const cx_node *inits;      /* `: member(value), Base(value)` of its constructor; or NULL */
  const cx_arguments *given; /* T{a, b}: the values of the members in their order; or NULL */
  unsigned *n_used;          /* of them */
  const cx_node *from;       /* Base, whose constructor `using Base::Base` brings, for `inherited`; or NULL */
  const cx_arguments *inherited;
  unsigned depth;
} making;

/* False: no constructor suits. */
static bool construct(cx_interp *in, pm_loc loc, const making *m, const cx_arguments *args, bool is_braced);

/* `Base(args)` of a constructor names that class; without <> its template. */
static bool names_class(cx_interp *in, const cx_node *name, const cx_instance *instance) {
  cx_node type = *name;
  type.kind = CX_TYPE;
  const cx_node *closed = cx_resolve(in, &type);
  if (closed->kind != CX_TYPE || !closed->c) return false;
  if (!name->is_braced && closed->n_items == 0) return closed->c == instance->type->c;
  return cx_instantiate(in, name->loc, closed->c, closed) == instance;
}

/* The base that it names; NULL: it is a member. */
static const cx_instance *base_named(cx_interp *in, const cx_instance *instance, const cx_node *name) {
  for (uint32_t i = 0; i < instance->bases.len; i++)
    if (names_class(in, name, instance->bases.data[i])) return instance->bases.data[i];
  return NULL;
}

/* `Base(args)` of a constructor names the class of the library that the class derives from. */
static bool names_inner(cx_interp *in, const cx_instance *instance, const cx_node *name) {
  cx_node type = *name;
  type.kind = CX_TYPE;
  const cx_node *closed = instance->inner_type ? cx_resolve(in, &type) : NULL;
  return closed && !closed->c && closed->name == instance->inner_type->name;
}

static const cx_node *init_of(const making *m, pm_string member) {
  for (uint32_t i = 0; m->inits && i < m->inits->n_items; i++)
    if (m->inits->items[i]->a->name == member) return m->inits->items[i];
  return NULL;
}

/* `Base(args)`, or without arguments; of T{a, b} what it needs of them. */
static void make_base(cx_interp *in, const making *m, cx_instance *base) {
  making part = {.object = m->object, .instance = base, .depth = m->depth + 1};
  const cx_node *call = NULL;
  for (uint32_t i = 0; m->inits && i < m->inits->n_items && !call; i++)
    if (base_named(in, m->instance, m->inits->items[i]->a) == base) call = m->inits->items[i];
  cx_arguments a = call ? cx_eval_arguments(in, call->items, call->n_items) : (cx_arguments){.ok = true};
  if (m->from && base_named(in, m->instance, m->from) == base) a = *m->inherited;
  if (m->given && *m->n_used < m->given->n) {
    cv first = m->given->values[*m->n_used];
    if (first.kind == CV_OBJECT && cx_is_base(base, first.object->instance)) {
      copy_members(in, first.object, base, m->object);
      ++*m->n_used;
      return;
    }
    part.given = m->given;
    part.n_used = m->n_used;
  }
  if (a.ok)
    (void)construct(in, call ? call->loc : m->instance->node->loc, &part, &a, call && call->is_braced);
}

static cv make_object(cx_interp *in, pm_loc loc, const cx_instance *instance, const cx_arguments *args,
                      bool is_braced, const making *around);

static bool is_aggregate(const cx_instance *instance) {
  for (uint32_t i = 0; i < instance->node->n_items; i++) {
    const cx_node *m = instance->node->items[i];
    if (m->kind == CX_FUNCTION && !m->a && !m->is_defaulted) return false;
  }
  return true;
}

/* The next one of T{a, b}. An aggregate takes as many as it has members where they are not in braces of their
 * own. */
static cv given_value(cx_interp *in, const making *m, const cx_node *type) {
  cv value = m->given->values[*m->n_used];
  pm_loc loc = m->given->locs[*m->n_used];
  const cx_instance *instance =
      type->c && type->c->kind == CX_CLASS && !type->is_pointer && !type->is_reference
          ? in->instantiate(in, loc, type->c, type)
          : NULL;
  bool is_one = value.kind == CV_LIST || value.kind == CV_OBJECT || !instance;
  if (!is_one && is_aggregate(instance)) return make_object(in, loc, instance, &cx_no_arguments, true, m);
  ++*m->n_used;
  return cx_convert(in, loc, type, cx_copy(in, value));
}

static cv given_array(cx_interp *in, const making *m, const cx_node *type, const cx_node *d) {
  cv array = cx_make_array(in, type, d, NULL), value = m->given->values[*m->n_used];
  if (value.kind == CV_LIST) {
    ++*m->n_used;
    value = cx_copy(in, value);
    return cx_make_array(in, type, d, &value);
  }
  for (uint32_t i = 0; array.kind == CV_LIST && i < array.list->items.len && *m->n_used < m->given->n; i++)
    array.list->items.data[i]->value = given_value(in, m, cx_resolve(in, type));
  return array;
}

/* The value of the library in the object. */
static void make_inner(cx_interp *in, const making *m) {
  const cx_node *type = m->instance->inner_type, *call = NULL;
  for (uint32_t i = 0; m->inits && i < m->inits->n_items && !call; i++)
    if (names_inner(in, m->instance, m->inits->items[i]->a)) call = m->inits->items[i];
  cx_arguments a = call ? cx_eval_arguments(in, call->items, call->n_items) : cx_no_arguments;
  if (m->from && names_inner(in, m->instance, m->from)) a = *m->inherited;
  pm_loc loc = call ? call->loc : m->instance->node->loc;
  bool is_given = m->given && *m->n_used < m->given->n;
  cv value = is_given ? given_value(in, m, type)
             : a.ok   ? cx_construct(in, loc, type, &a, call && call->is_braced, NULL)
                      : cv_poison;
  cx_cell *cell = cx_new_cell(in, value);
  cell->type = type;
  cx_bind(in, cx_part(m->object, m->instance), m->instance->inner_name, cell, PM_NO_LOC);
}

/* The value is that of the constructor, the next one of T{a, b}, or what its declaration says. */
static void make_member(cx_interp *in, const making *m, const cx_node *type, const cx_node *d) {
  cx_scope *part = cx_part(m->object, m->instance), *outside = in->scope;
  const cx_node *init = d->name ? init_of(m, d->name) : NULL;
  if (init) {
    cx_node own = *d, *value = pm_arena_memdup(in->arena, init, sizeof(*init));
    if (init->is_braced)
      value->kind = CX_LIST;
    else
      value->a = NULL;
    own.b = type->is_reference && init->n_items == 1 ? init->items[0] : value;
    cx_declare_into(in, part, type, pm_arena_memdup(in->arena, &own, sizeof(own)));
    return;
  }
  if (m->given && *m->n_used < m->given->n) {
    cx_cell *cell = cx_new_cell(in, cv_poison);
    in->scope = part;
    cell->type = d->n_items > 0 ? NULL : cx_resolve(in, type);
    cell->value = d->n_items > 0 ? given_array(in, m, type, d) : given_value(in, m, cell->type);
    cell->is_const = type->is_const && !type->is_pointer && !type->is_reference;
    cx_bind(in, part, d->name, cell, d->loc);
  } else {
    in->scope = part;
    cx_declare_into(in, part, type, d);
  }
  in->scope = outside;
}

/* What is in front of `(` or `{` should be a member or a base. */
static void check_inits(cx_interp *in, const making *m) {
  for (uint32_t i = 0; m->inits && i < m->inits->n_items && !m->instance->is_of_library; i++) {
    const cx_node *name = m->inits->items[i]->a;
    cx_found found;
    bool is_member = cx_find_in_class(in, m->instance, m->object, name->name, &found) && found.cell;
    if (!is_member && !base_named(in, m->instance, name) && !names_inner(in, m->instance, name))
      cx_fail(in, m->inits->items[i]->loc, "%s has no member or base '%s'", m->instance->node->name->text,
              name->name->text);
  }
}

/* Bases, then members, in the order of their declarations [class.base.init]. */
static void make_parts(cx_interp *in, const making *m) {
  const cx_instance *instance = m->instance;
  cx_scope *outside = in->scope;
  for (uint32_t i = 0; i <= instance->bases.len; i++) {
    if (instance->inner_type && instance->inner_at == i) make_inner(in, m);
    if (i < instance->bases.len) make_base(in, m, instance->bases.data[i]);
  }
  for (uint32_t i = 0; i < instance->node->n_items; i++) {
    const cx_node *item = instance->node->items[i];
    bool is_member = item->kind == CX_DECLARE && !item->is_static;
    for (uint32_t k = 0; is_member && k < item->n_items; k++) make_member(in, m, item->a, item->items[k]);
    if (item->kind != CX_REFUSED && item->kind != CX_MACRO) continue;
    in->scope = cx_part(m->object, instance);
    cx_run(in, item);
    in->scope = outside;
  }
  check_inits(in, m);
}

/* Without a constructor. */
static void fill(cx_interp *in, pm_loc loc, const making *m, const cx_arguments *args, bool is_braced) {
  making own = *m;
  unsigned n_used = 0;
  if (m->given) { /* of one around, whose values go on here */
    in->scope = cx_part(m->object, m->instance);
    make_parts(in, m);
    return;
  }
  const char *name = m->instance->node->name ? m->instance->node->name->text : "the class";
  if (args->n > 0 && !is_braced) {
    cx_fail(in, loc, "%s has no constructor of %u %s", name, args->n,
            args->n == 1 ? "argument" : "arguments");
    return;
  }
  if (args->n > 0) {
    own.given = args;
    own.n_used = &n_used;
  }
  in->scope = cx_part(m->object, m->instance);
  make_parts(in, &own);
  if (n_used < args->n) cx_fail(in, loc, "%u values are given, %s has %u members", args->n, name, n_used);
}

/* What stands before `::Base` in `using Base::Base`, where no constructor of the class itself suits; NULL:
 * there is none. */
static const cx_node *inherited_from(cx_interp *in, const cx_instance *instance, const cx_candidates *own,
                                     const cx_arguments *args) {
  const cx_node *from = NULL;
  cx_candidate c;
  cx_rank worst;
  for (uint32_t i = 0; i < instance->node->n_items && !from; i++) {
    const cx_node *m = instance->node->items[i];
    const cx_node *before = m->kind == CX_USING && m->name && m->a ? cx_qualifier(in, m->a) : NULL;
    if (before && cx_last_part(in, before->name) == m->name) from = before;
  }
  bool suits = from && cx_choose(in, own, cx_ranked(in, args), args->n, NULL, &c, &worst) != CX_NONE_SUITS;
  return suits || args->n == 0 ? NULL : from;
}

static bool construct(cx_interp *in, pm_loc loc, const making *m, const cx_arguments *args, bool is_braced) {
  bool suits = true;
  const cx_instance *instance = m->instance;
  cx_candidates all = {0};
  cx_candidate c;
  cx_scope *outside = in->scope;
  const cx_node *from;
  const cx_instance *outer = m->object->making;
  if (m->depth > 20) return false;
  m->object->making = instance;
  bool is_copy = args->n == 1 && args->values[0].kind == CV_OBJECT &&
                 cx_is_base(instance, args->values[0].object->instance);
  cx_add_constructors(in, instance, m->object, &all);
  if (is_copy) {
    copy_members(in, args->values[0].object, instance, m->object);
  } else if ((from = inherited_from(in, instance, &all, args))) {
    making own = *m;
    own.from = from;
    own.inherited = args;
    in->scope = cx_part(m->object, instance);
    make_parts(in, &own);
  } else if (is_aggregate(instance)) {
    fill(in, loc, m, args, is_braced);
  } else if (cx_choose_function(in, loc, instance->node->name ? instance->node->name->text : "the class",
                                &all, args, NULL, &c)) {
    const cx_node *node = cx_defined(in, instance, c.node);
    const cx_node *first = node->c && node->c->n_items == 1 ? node->c->items[0] : NULL;
    making own = *m;
    own.inits = node->c;
    in->scope = cx_push_local_scope(in, c.scope);
    suits = cx_bind_parameters(in, loc, node, c.node, in->scope, args);
    if (suits) {
      if (first && first->a->name == instance->node->name &&
          names_class(in, first->a, instance)) { /* another constructor makes all */
        cx_arguments a = cx_eval_arguments(in, first->items, first->n_items);
        own.inits = NULL;
        own.depth++;
        if (a.ok) (void)construct(in, first->loc, &own, &a, first->is_braced);
      } else {
        make_parts(in, &own);
      }
      if (node->b) cx_run(in, node->b);
    }
    in->result = cv_void;
  } else {
    suits = false;
  }
  m->object->making = outer;
  in->scope = outside;
  return suits;
}

static cv make_object(cx_interp *in, pm_loc loc, const cx_instance *instance, const cx_arguments *args,
                      bool is_braced, const making *around) {
  if (!cx_enter_call(in, loc)) {
    cx_leave_call(in);
    return cv_poison;
  }
  making m = {.object = new_object(in, instance), .instance = instance};
  if (around) m.given = around->given, m.n_used = around->n_used;
  bool suits = construct(in, loc, &m, args, is_braced);
  cx_leave_call(in);
  if (!suits) return cv_poison;
  return (cv){.kind = CV_OBJECT, .object = m.object};
}

cv cx_new_object(cx_interp *in, pm_loc loc, const cx_node *class_node, const cx_node *type,
                 const cx_arguments *args, bool is_braced) {
  const cx_instance *instance =
      class_node->kind == CX_ENUM ? NULL : cx_instantiate(in, loc, class_node, type);
  if (!instance) return cx_fail(in, loc, "no object can be made of this type");
  return make_object(in, loc, instance, args, is_braced, NULL);
}
