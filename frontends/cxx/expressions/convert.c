/* Values as those of a type, and what declarations make. */
#include "frontends/cxx/expressions/expressions.h"
#include "frontends/cxx/statements/statements.h"
#include "frontends/cxx/types/types.h"
#include "frontends/cxx/values/values.h"

#include <math.h>

/* --- conversions --- */

/* The number that a value is known to be, where it is another kind of value. */
static cv as_number(const cx_interp *in, cv v) {
  cv number;
  if (cx_constant(in, v, &number)) return number;
  return v.kind == CV_LIST && v.list->items.len == 1 ? v.list->items.data[0]->value : v;
}

static cv to_scalar(cx_interp *in, pm_loc loc, pm_scalar type, cv v) {
  int64_t whole;
  v = as_number(in, v);
  if (type == PM_I1 && v.kind == CV_POINTER) return cv_bool(v.cell != NULL);
  if (type == PM_I1 && v.kind == CV_STRING && v.scalar == 1) return cv_bool(true); /* an address */
  if (v.kind == CV_POISON) return v;
  cv result;
  if (!cv_is_number(v) && in->library->to_scalar && in->library->to_scalar(in, loc, type, v, &result))
    return result;
  if (!cv_is_number(v))
    return cx_fail(in, loc, "this is %s, a number that is known while the program is compiled should be here",
                   cv_describe(in, v));
  if (cx_is_float(type)) return cv_float(type, cv_rounded(type, v));
  if (v.kind == CV_INT) return cv_int(type, v.i);
  if (type == PM_I1) return cv_bool(v.f != 0);
  if (cv_as_int(v, &whole)) return cv_int(type, whole);
  return cx_fail(in, loc, "this is %g, it should be near an integer", v.f == v.f ? v.f : NAN);
}

static cv to_enum(cx_interp *in, pm_loc loc, const cx_node *node, cv v) {
  if (!cv_is_number(v))
    return cx_fail(in, loc, "this is %s, %s should be here", cv_describe(in, v), node->name->text);
  cv one = v.kind == CV_INT ? v : to_scalar(in, loc, PM_I32, v);
  if (one.kind != CV_INT) return cv_poison;
  one.number = cx_enum_number(in, node);
  return one;
}

/* The object as one of a base: a reference to the base in it, or a copy of what the base has. */
static cv to_base(cx_interp *in, const cx_node *type, uint32_t part, cv v) {
  if (type->is_reference || type->is_pointer || v.object->instance->is_of_library) {
    v.number = part + 1;
    return v;
  }
  return cx_copy_object(in, v, part);
}

static cv to_class(cx_interp *in, pm_loc loc, const cx_node *node, const cx_node *type, cv v) {
  cx_argument argument = {.value = v};
  cv result;
  if (node->kind == CX_ENUM) return to_enum(in, loc, node, v);
  if (v.kind == CV_POINTER || v.kind == CV_IGNORED) return v;
  for (uint32_t i = 0; v.kind == CV_OBJECT && i < v.object->parts.len; i++)
    if (v.object->parts.data[i]->instance->node == node) return i == 0 ? v : to_base(in, type, i, v);
  if (v.kind == CV_OBJECT && cx_convert_object(in, loc, type, v, &result)) return result;
  if (v.kind == CV_LIST) {
    cv *args = pm_arena_alloc(in->arena, (v.list->items.len + 1) * sizeof(cv));
    pm_loc *locs = pm_arena_alloc(in->arena, (v.list->items.len + 1) * sizeof(pm_loc));
    for (uint32_t i = 0; i < v.list->items.len; i++) args[i] = v.list->items.data[i]->value, locs[i] = loc;
    cx_arguments all = {.values = args, .locs = locs, .n = v.list->items.len, .ok = true};
    return cx_new_object(in, loc, node, type, &all, true);
  }
  cx_arguments all = cx_values_as_arguments(in, loc, &v, 1);
  if (cx_rank_of(in, cx_bare_type(in, type), &argument) != CX_NO_MATCH)
    return cx_new_object(in, loc, node, type, &all, false);
  return cx_fail(in, loc, "this is %s, %s should be here", cv_describe(in, v),
                 node->name ? node->name->text : "an object");
}

/* Of a pointer to a base of the object: functions are looked for from there. */
static cv to_pointer(cx_interp *in, const cx_node *type, cv v) {
  bool is_this = v.kind == CV_OBJECT,
       points = v.kind == CV_POINTER && v.cell && v.cell->value.kind == CV_OBJECT;
  if ((is_this || points) && cx_is_inner_type(in, type, is_this ? v : v.cell->value))
    return (cv){.kind = CV_POINTER, .cell = cx_inner_cell(is_this ? v : v.cell->value)};
  if (!type->c || (!is_this && !points)) return v;
  const cx_object *object = is_this ? v.object : v.cell->value.object;
  v.number = 0;
  for (uint32_t i = 1; i < object->parts.len; i++)
    if (object->parts.data[i]->instance->node == type->c) v.number = i + 1;
  return v;
}

static bool is_any(const cx_node *type) {
  return cx_is_named(type, "auto") || cx_is_named(type, "void");
}

cv cx_convert(cx_interp *in, pm_loc loc, const cx_node *type, cv v) {
  pm_scalar scalar;
  cv result;
  type = cx_resolve(in, type);
  if (!type || type->kind != CX_TYPE || !type->name || v.kind == CV_POISON) return v;
  if (v.kind == CV_IGNORED || is_any(type)) return v;
  if (type->is_pointer) return to_pointer(in, type, v);
  if (type->c) return to_class(in, loc, type->c, type, v);
  if (cx_is_inner_type(in, type, v)) v = cx_inner(v);
  if (cx_convert_object(in, loc, type, v, &result)) return result;
  bool is_scalar = cx_scalar_of_name(type->name, &scalar);
  if (is_scalar || cx_is_own_type(in, type)) v = cx_inner(v);
  if (is_scalar) return to_scalar(in, loc, scalar, v);
  for (const cx_library *l = in->library; l; l = l->base)
    if (l->convert && l->convert(in, loc, type, v, &result)) return result;
  return cx_fail(in, loc, "the type '%s' is not known here", type->name->text);
}

cx_cell *cx_referred(cx_interp *in, const cx_node *type, cx_cell *cell) {
  type = cx_resolve(in, type);
  bool is_inner = cell && type && type->kind == CX_TYPE && cx_is_inner_type(in, type, cell->value);
  return is_inner ? cx_inner_cell(cell->value) : cell;
}

cv cx_copy_as(cx_interp *in, const cx_node *type, cv v) {
  return type && type->is_pointer && v.kind == CV_LIST ? v : cx_copy(in, v);
}

/* A reference to a base of the object: its functions are looked for from there. */
static bool is_base_reference(cx_interp *in, const cx_node *type, cv value) {
  const cx_node *class_node = value.kind == CV_OBJECT ? cx_class_named(in, type) : NULL;
  return class_node && class_node != cx_taken_for(value)->node;
}

/* Another number: a value of its own. */
static bool is_other_scalar(cx_interp *in, const cx_node *type, cv value) {
  pm_scalar scalar;
  return cv_is_number(value) && cx_scalar_of(in, type, &scalar) && scalar != (pm_scalar)value.scalar;
}

cx_cell *cx_bind_reference(cx_interp *in, cx_scope *into, pm_string name, const cx_node *type, cv value,
                           cx_cell *cell, pm_loc loc) {
  if (cell && !is_base_reference(in, type, value) && !is_other_scalar(in, type, value)) {
    cx_bind(in, into, name, cx_referred(in, type, cell), loc);
    return NULL;
  }
  const cx_node *closed = cx_resolve(in, type);
  cell = cx_new_cell(in, cx_convert(in, loc, closed, value));
  cell->type = closed;
  cx_bind(in, into, name, cell, loc);
  return cell;
}

/* --- construction --- */

cv cx_list_of_args(const cx_making *m) {
  cv list = cx_new_list(m->in, CV_LIST);
  for (unsigned i = 0; i < m->n_args; i++) cx_append(m->in, list, m->args[i]);
  return list;
}

static cv make_scalar(const cx_making *m, pm_scalar type) {
  if (m->n_args == 0) return cx_is_float(type) ? cv_float(type, 0) : cv_int(type, 0);
  if (m->n_args == 1) return cx_convert(m->in, m->locs[0], m->type, m->args[0]);
  return cx_fail(m->in, m->loc, "%s is made from one value, %u are given", m->type->name->text, m->n_args);
}

static cv make_of_class(const cx_making *m, const cx_node *node) {
  if (node->kind == CX_ENUM)
    return to_enum(m->in, m->loc, node, m->n_args > 0 ? m->args[0] : cv_int(PM_I32, 0));
  if (m->n_args == 1 && m->args[0].kind == CV_OBJECT && cx_derives(m->args[0].object->instance, node))
    return cx_convert(m->in, m->loc, m->type, cx_copy(m->in, m->args[0]));
  return cx_new_object(m->in, m->loc, node, m->type, m->all, m->is_braced);
}

/* A type of the library takes objects for what they have of it. */
static const cx_making *with_inner(const cx_making *m) {
  bool is_own = cx_is_own_type(m->in, m->type), has_inner = false;
  cx_making own = *m;
  cx_arguments all = m->all ? *m->all : cx_no_arguments;
  own.args = all.values = pm_arena_alloc(m->in->arena, (m->n_args + 1) * sizeof(cv));
  for (unsigned i = 0; i < m->n_args; i++) {
    bool is_one = cx_inner_cell(m->args[i]) &&
                  (is_own || (m->n_args == 1 && cx_is_inner_type(m->in, m->type, m->args[i])));
    own.args[i] = is_one ? cx_inner(m->args[i]) : m->args[i];
    has_inner |= is_one;
  }
  if (!has_inner) return m;
  own.all = pm_arena_memdup(m->in->arena, &all, sizeof(all));
  return pm_arena_memdup(m->in->arena, &own, sizeof(own));
}

/* Of a type with a name. */
static cv make(const cx_making *m) {
  pm_scalar scalar;
  cv result;
  if (m->type->c) return make_of_class(m, m->type->c);
  bool is_base = m->n_args == 1 && cx_is_inner_type(m->in, m->type, m->args[0]);
  if (m->n_args == 1 && !is_base && cx_convert_object(m->in, m->loc, m->type, m->args[0], &result))
    return result;
  if (cx_scalar_of_name(m->type->name, &scalar)) return make_scalar(m, scalar);
  m = with_inner(m);
  for (const cx_library *l = m->in->library; l; l = l->base)
    if (l->construct && l->construct(m, &result)) return result;
  if (m->n_args == 1) return cx_convert(m->in, m->locs[0], m->type, m->args[0]);
  if (cx_is_named(m->type, "auto")) return (cv){.kind = CV_POINTER};
  return cx_fail(m->in, m->loc, "the type '%s' is not known here", m->type->name->text);
}

cv cx_construct(cx_interp *in, pm_loc loc, const cx_node *type, const cx_arguments *args, bool is_braced,
                pm_string hint) {
  type = cx_resolve(in, type);
  for (unsigned i = 0; i < args->n; i++)
    if (args->values[i].kind == CV_POISON) return cv_poison;
  bool is_function = type && type->kind == CX_FUNCTION && type->is_pointer;
  if (!is_function && (!type || type->kind != CX_TYPE || !type->name))
    return cx_fail(in, type ? type->loc : loc, "this is no type, a type should be here");
  if (type->is_pointer)
    return args->n > 0 ? cx_convert(in, loc, type, args->values[0]) : (cv){.kind = CV_POINTER};
  return make(&(cx_making){in, loc, type, args->values, args->locs, args->n, args, is_braced, hint});
}
