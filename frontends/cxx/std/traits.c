/* <limits> and <type_traits>: what is asked of types. */
#include "frontends/cxx/expressions/expressions.h"
#include "frontends/cxx/std/std.h"
#include "frontends/cxx/types/types.h"
#include "frontends/cxx/values/values.h"

#include <float.h>
#include <math.h>

/* --- numeric_limits<T>::name() --- */

static bool is_called(pm_string name, const char *text) {
  return strcmp(name->text, text) == 0;
}

static cv limit_of_float(const cx_call *c, pm_scalar type, const char *name) {
  bool single = type == PM_F32;
  if (strcmp(name, "max") == 0) return cv_float(type, single ? FLT_MAX : DBL_MAX);
  if (strcmp(name, "lowest") == 0) return cv_float(type, single ? -FLT_MAX : -DBL_MAX);
  if (strcmp(name, "min") == 0) return cv_float(type, single ? FLT_MIN : DBL_MIN);
  if (strcmp(name, "epsilon") == 0) return cv_float(type, single ? FLT_EPSILON : DBL_EPSILON);
  if (strcmp(name, "infinity") == 0) return cv_float(type, INFINITY);
  return cx_fail(c->in, c->loc, "numeric_limits::%s is not supported for this type", name);
}

static cv limit_of_int(const cx_call *c, pm_scalar type, const char *name) {
  unsigned bits = cx_bits(type);
  bool is_unsigned = cx_is_unsigned(type);
  uint64_t ones = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
  if (strcmp(name, "max") == 0) return cv_int(type, (int64_t)(is_unsigned ? ones : ones >> 1));
  if (strcmp(name, "min") == 0 || strcmp(name, "lowest") == 0)
    return cv_int(type, is_unsigned ? 0 : -(int64_t)(ones >> 1) - 1);
  if (strcmp(name, "epsilon") == 0) return cv_int(type, 0);
  return cx_fail(c->in, c->loc, "numeric_limits::%s is not supported for this type", name);
}

cv std_limit(const cx_call *c) {
  pm_scalar type;
  const cx_node *of = c->at && c->at->n_items > 0 ? c->at->items[0] : NULL;
  const char *name = strrchr(c->name->text, ':') + 1;
  if (!of || !cx_scalar_of(c->in, of, &type) || (cx_is_float(type) && cx_bits(type) < 32))
    return cx_fail(c->in, c->loc, "numeric_limits has no type of numbers in <>");
  return cx_is_float(type) ? limit_of_float(c, type, name) : limit_of_int(c, type, name);
}

/* --- traits --- */

/* Of the name `trait<T>::value` or `trait_v<T>`: what comes before; NULL: it is another name. */
static pm_string trait_name(cx_interp *in, pm_string name, const char *member, const char *end) {
  size_t len = name->len, n = strlen(member), m = strlen(end);
  if (len > n && strcmp(name->text + len - n, member) == 0)
    return pm_get_string(in->ctx, (pm_str){name->text, len - n});
  if (len > m && strcmp(name->text + len - m, end) == 0)
    return pm_get_string(in->ctx, (pm_str){name->text, len - m});
  return NULL;
}

static const cx_node *type_argument(cx_interp *in, const cx_node *n, unsigned i) {
  if (i >= n->n_items) return NULL;
  cx_node *type = pm_arena_memdup(in->arena, n->items[i], sizeof(*type));
  if (type->kind == CX_NAME) type->kind = CX_TYPE;
  return type->kind == CX_TYPE ? cx_resolve(in, type) : NULL;
}

bool std_find_trait(cx_interp *in, const cx_node *n, cv *out) {
  pm_string trait = n->n_items > 0 ? trait_name(in, n->name, "::value", "_v") : NULL;
  const cx_node *type = trait ? type_argument(in, n, 0) : NULL;
  pm_scalar scalar;
  if (n->n_items > 0 && is_called(n->name, "numeric_limits::digits") &&
      cx_scalar_of(in, type_argument(in, n, 0), &scalar)) {
    int digits = scalar == PM_F32 ? FLT_MANT_DIG : scalar == PM_F64 ? DBL_MANT_DIG : (int)cx_bits(scalar);
    *out = cv_int(PM_I32, digits - (!cx_is_float(scalar) && !cx_is_unsigned(scalar)));
    return true;
  }
  if (!type) return false;
  bool is_scalar = cx_scalar_of(in, type, &scalar), is_float = is_scalar && cx_is_float(scalar);
  if (is_called(trait, "is_same"))
    *out = cv_bool(type_argument(in, n, 1) && cx_same_type(type, type_argument(in, n, 1)));
  else if (is_called(trait, "is_floating_point"))
    *out = cv_bool(is_float);
  else if (is_called(trait, "is_integral"))
    *out = cv_bool(is_scalar && !is_float);
  else if (is_called(trait, "is_arithmetic"))
    *out = cv_bool(is_scalar);
  else if (is_called(trait, "is_signed"))
    *out = cv_bool(is_scalar && (is_float || !cx_is_unsigned(scalar)));
  else if (is_called(trait, "is_unsigned"))
    *out = cv_bool(is_scalar && !is_float && cx_is_unsigned(scalar));
  else
    return false;
  return true;
}

/* --- types of types --- */

static const cx_node *of_other_sign(cx_interp *in, const cx_node *type, bool is_signed) {
  pm_scalar scalar;
  if (!type || !cx_scalar_of(in, type, &scalar) || cx_is_float(scalar)) return NULL;
  return cx_type_of_value(in, cv_int(cx_integer(cx_bits(scalar), is_signed), 0));
}

const cx_node *std_meant(cx_interp *in, const cx_node *type) {
  pm_string trait = type->n_items > 0 ? trait_name(in, type->name, "::type", "_t") : NULL;
  if (!trait) return NULL;
  if (is_called(trait, "conditional") || is_called(trait, "enable_if")) {
    bool yes = false, chooses = is_called(trait, "conditional");
    cv v = type->items[0]->kind == CX_TYPE ? cx_eval(in, &(cx_node){.kind = CX_NAME,
                                                                    .name = type->items[0]->name,
                                                                    .loc = type->loc,
                                                                    .items = type->items[0]->items,
                                                                    .n_items = type->items[0]->n_items})
                                           : cx_eval(in, type->items[0]);
    if (v.kind == CV_POISON || !cx_to_bool(in, type->loc, v, &yes)) return NULL;
    if (!chooses && !yes) return NULL;
    if (!chooses && type->n_items < 2)
      return cx_resolve(in, &(cx_node){.kind = CX_TYPE, .name = pm_get_cstring(in->ctx, "void")});
    return type_argument(in, type, chooses ? (yes ? 1 : 2) : 1);
  }
  const cx_node *of = type_argument(in, type, 0);
  if (!of) return NULL;
  if (is_called(trait, "make_unsigned")) return of_other_sign(in, of, false);
  if (is_called(trait, "make_signed")) return of_other_sign(in, of, true);
  if (is_called(trait, "remove_reference") || is_called(trait, "remove_const") ||
      is_called(trait, "remove_cv") || is_called(trait, "decay") || is_called(trait, "remove_cvref"))
    return cx_bare_type(in, of);
  return NULL;
}
