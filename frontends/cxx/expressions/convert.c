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
  if (v.kind == CV_POISON) return v;
  if (!cv_is_number(v))
    return cx_fail(in, loc, "this is %s, a number that is known while the program is compiled should be here",
                   cv_describe(in, v));
  if (cx_is_float(type)) return cv_float(type, cv_as_double(v));
  if (v.kind == CV_INT) return cv_int(type, v.i);
  if (type == PM_I1) return cv_bool(v.f != 0);
  if (cv_as_int(v, &whole)) return cv_int(type, whole);
  return cx_fail(in, loc, "this is %g, it should be near an integer", v.f == v.f ? v.f : NAN);
}

static cv to_class(cx_interp *in, pm_loc loc, const cx_node *node, const cx_node *type, cv v) {
  if (node->kind == CX_ENUM)
    return cv_is_number(v)
               ? v
               : cx_fail(in, loc, "this is %s, %s should be here", cv_describe(in, v), node->name->text);
  if (v.kind == CV_OBJECT || v.kind == CV_POINTER || v.kind == CV_IGNORED) return v;
  if (v.kind == CV_LIST) {
    cv *args = pm_arena_alloc(in->arena, (v.list->items.len + 1) * sizeof(cv));
    pm_loc *locs = pm_arena_alloc(in->arena, (v.list->items.len + 1) * sizeof(pm_loc));
    for (uint32_t i = 0; i < v.list->items.len; i++) args[i] = v.list->items.data[i]->value, locs[i] = loc;
    return cx_new_object(in, loc, node, type, args, locs, v.list->items.len, true);
  }
  return cx_fail(in, loc, "this is %s, %s should be here", cv_describe(in, v),
                 node->name ? node->name->text : "an object");
}

static bool is_any(const cx_node *type) {
  return cx_is_named(type, "auto") || cx_is_named(type, "void");
}

cv cx_convert(cx_interp *in, pm_loc loc, const cx_node *type, cv v) {
  pm_scalar scalar;
  cv result;
  type = cx_resolve(in, type);
  if (!type || type->kind != CX_TYPE || !type->name || v.kind == CV_POISON) return v;
  if (type->is_pointer || v.kind == CV_IGNORED || is_any(type)) return v;
  if (cx_scalar_of_name(type->name, &scalar)) return to_scalar(in, loc, scalar, v);
  const cx_node *node = cx_class_named(in, type);
  if (node) return to_class(in, loc, node, type, v);
  for (const cx_library *l = in->library; l; l = l->base)
    if (l->convert && l->convert(in, loc, type, v, &result)) return result;
  return cx_fail(in, loc, "the type '%s' is not known here", type->name->text);
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
  if (node->kind == CX_ENUM) return m->n_args > 0 ? m->args[0] : cv_int(PM_I32, 0);
  if (m->n_args == 1 && m->args[0].kind == CV_OBJECT) return cx_copy(m->in, m->args[0]);
  return cx_new_object(m->in, m->loc, node, m->type, m->args, m->locs, m->n_args, m->is_braced);
}

/* Of a type with a name. */
static cv make(const cx_making *m) {
  pm_scalar scalar;
  cv result;
  if (cx_scalar_of_name(m->type->name, &scalar)) return make_scalar(m, scalar);
  const cx_node *node = cx_class_named(m->in, m->type);
  if (node) return make_of_class(m, node);
  for (const cx_library *l = m->in->library; l; l = l->base)
    if (l->construct && l->construct(m, &result)) return result;
  if (m->n_args == 1) return cx_convert(m->in, m->locs[0], m->type, m->args[0]);
  if (cx_is_named(m->type, "auto")) return (cv){.kind = CV_POINTER};
  return cx_fail(m->in, m->loc, "the type '%s' is not known here", m->type->name->text);
}

cv cx_construct(cx_interp *in, pm_loc loc, const cx_node *type, cv *args, const pm_loc *locs, unsigned n_args,
                bool is_braced, pm_string hint) {
  type = cx_resolve(in, type);
  for (unsigned i = 0; i < n_args; i++)
    if (args[i].kind == CV_POISON) return cv_poison;
  bool is_function = type && type->kind == CX_FUNCTION && type->is_pointer;
  if (!is_function && (!type || type->kind != CX_TYPE || !type->name))
    return cx_fail(in, type ? type->loc : loc, "this is no type, a type should be here");
  if (type->is_pointer) return n_args > 0 ? args[0] : (cv){.kind = CV_POINTER};
  return make(&(cx_making){in, loc, type, args, locs, n_args, is_braced, hint});
}
