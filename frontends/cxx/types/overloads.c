/* Which function of several is called [over.match]: conversions of arguments are ranked, one function is to
 * be better than every other. Arguments of templates are deduced from types of values [temp.deduct]. */
#include "frontends/cxx/library.h"
#include "frontends/cxx/names/names.h"
#include "frontends/cxx/types/types.h"
#include "frontends/cxx/values/values.h"

/* --- ranks --- */

static bool converts(cx_interp *in, const cx_node *type, const cx_argument *a);

static bool is_lvalue(const cx_argument *a) {
  if (a->cell || !a->node) return true;
  if (a->node->kind == CX_CALL) return a->value.kind >= CV_LIBRARY; /* the library may return a reference */
  switch (a->node->kind) {
  case CX_NAME:
  case CX_MEMBER:
  case CX_INDEX:
  case CX_ASSIGN:
  case CX_TERNARY:
    return true;
  case CX_UNARY:
    return a->node->op == CX_OP_MUL || a->node->op == CX_OP_INC || a->node->op == CX_OP_DEC;
  default:
    return false;
  }
}

static cx_rank rank_of_scalar(cx_interp *in, pm_scalar type, const cx_argument *a) {
  cv number, v = a->value;
  bool is_address = v.kind == CV_POINTER || (v.kind == CV_STRING && v.scalar == 1);
  if (is_address || v.kind == CV_ITERATOR) return type == PM_I1 ? CX_CONVERSION : CX_NO_MATCH;
  if (!cv_is_number(v) && cx_constant(in, cx_inner(v), &number)) return CX_USER;
  if (!cv_is_number(v)) return CX_NO_MATCH;
  if (v.kind == CV_INT && v.number > 0) {
    if (in->enums.data[v.number - 1]->is_scoped) return CX_NO_MATCH;
    return type == PM_I32 ? CX_PROMOTION : CX_CONVERSION;
  }
  if (v.scalar == type) return CX_EXACT;
  bool is_small = v.kind == CV_INT && cx_bits((pm_scalar)v.scalar) < 32;
  if ((is_small && type == PM_I32) || (v.kind == CV_FLOAT && v.scalar == PM_F32 && type == PM_F64))
    return CX_PROMOTION;
  return CX_CONVERSION;
}

/* char is a type of its own, although its numbers are those of int8_t. */
static bool is_char(const cx_argument *a) {
  bool is_literal = a->node && a->node->kind == CX_CHAR;
  const cx_node *type = a->cell ? a->cell->type : NULL;
  return is_literal || (type && type->kind == CX_TYPE && type->name && cx_is_named(type, "char"));
}

static const cx_node *type_of_argument(cx_interp *in, const cx_argument *a) {
  const cx_node *type = cx_type_of_value(in, a->value);
  if (!cv_is_number(a->value) || !is_char(a)) return type;
  cx_node *plain = pm_arena_memdup(in->arena, type, sizeof(*type));
  plain->name = pm_get_cstring(in->ctx, "char");
  return plain;
}

/* The object is of the class, or of one that derives from it. */
static cx_rank rank_of_object(cx_interp *in, const cx_node *type, cv object) {
  cx_line line = cx_line_of(in, object.object->instance);
  for (uint32_t i = 0; i < line.items.len; i++)
    if (line.items.data[i]->node == type->c &&
        (type->n_items == 0 || cx_same_type(cx_bare_type(in, type), line.items.data[i]->type)))
      return i == 0 ? CX_EXACT : (cx_rank)(CX_CONVERSION - (int)i);
  return CX_NO_MATCH;
}

static cx_rank rank_of_class(cx_interp *in, const cx_node *type, const cx_argument *a) {
  cv v = a->value;
  if (type->c->kind == CX_ENUM) {
    bool is_one = v.kind == CV_INT && v.number > 0 && in->enums.data[v.number - 1] == type->c;
    return is_one ? CX_EXACT : CX_NO_MATCH;
  }
  cx_rank rank = v.kind == CV_OBJECT ? rank_of_object(in, type, v) : CX_NO_MATCH;
  return rank == CX_NO_MATCH && converts(in, type, a) ? CX_USER : rank;
}

static cx_rank rank_of_pointer(cx_interp *in, const cx_node *type, const cx_argument *a) {
  cv v = a->value;
  if (a->node && a->node->kind == CX_LIST && v.kind == CV_LIST && v.list->items.len > 1) return CX_NO_MATCH;
  if (v.kind == CV_STRING) return v.scalar == 1 && cx_is_named(type, "char") ? CX_EXACT : CX_NO_MATCH;
  if (v.kind == CV_INT) return v.i == 0 && a->node && a->node->kind == CX_INT ? CX_CONVERSION : CX_NO_MATCH;
  if (v.kind == CV_POINTER && !v.cell) return CX_CONVERSION;
  if (v.kind == CV_POINTER && cx_is_inner_type(in, type, v.cell->value)) return CX_CONVERSION;
  if (v.kind == CV_POINTER && v.cell->value.kind == CV_OBJECT && type->c) {
    const cx_instance *of = v.cell->value.object->instance;
    return of->node == type->c ? CX_EXACT : cx_derives(of, type->c) ? CX_CONVERSION : CX_NO_MATCH;
  }
  pm_scalar wanted;
  if (v.kind == CV_POINTER && cx_is_named(type, "void")) return CX_CONVERSION;
  if (v.kind == CV_POINTER && cv_is_number(v.cell->value) && cx_scalar_of_name(type->name, &wanted))
    return wanted == (pm_scalar)v.cell->value.scalar ? CX_EXACT : CX_NO_MATCH;
  bool may_point = v.kind == CV_POINTER || v.kind == CV_ITERATOR || (v.kind == CV_LIST && !v.list->of) ||
                   v.kind == CV_FUNCTION || v.kind == CV_BUILTIN ||
                   (v.kind == CV_OBJECT && a->node && a->node->kind == CX_THIS);
  return may_point ? CX_EXACT : CX_NO_MATCH;
}

static bool suits_library(cx_interp *in, const cx_node *type, cv v, unsigned *how) {
  for (const cx_library *l = in->library; l; l = l->base)
    if (l->suits && l->suits(type, v, how)) return true;
  return false;
}

bool cx_is_inner_type(cx_interp *in, const cx_node *type, cv object) {
  const cx_cell *inner = cx_inner_cell(object);
  unsigned how;
  if (!inner || !type || type->c || !type->name) return false;
  bool is_named = inner->type->name == type->name &&
                  (type->n_items == 0 || cx_same_type(cx_bare_type(in, type), inner->type));
  return is_named || (suits_library(in, type, inner->value, &how) && how == 2);
}

/* By the class of the library that the object's class derives from, as one base more; else as it would be
 * without that class. */
static cx_rank rank_of_inner(cx_interp *in, const cx_node *type, const cx_argument *a) {
  unsigned how;
  if (cx_is_inner_type(in, type, a->value))
    return (cx_rank)(CX_CONVERSION - (int)cx_line_of(in, a->value.object->instance).items.len);
  bool is_user = suits_library(in, type, cx_inner(a->value), &how) && how > 0;
  return is_user || converts(in, type, a) ? CX_USER : CX_NO_MATCH;
}

/* {a, b} becomes a list of a type where each of its items becomes one. */
static bool are_items(cx_interp *in, const cx_node *type, cv v) {
  bool is_made = v.kind == CV_LIST && !v.list->of && !v.list->own && type->n_items == 1;
  bool suit = true;
  for (uint32_t i = 0; is_made && i < v.list->items.len && suit; i++) {
    cx_argument item = {v.list->items.data[i]->value, NULL, NULL};
    suit = cx_rank_of(in, type->items[0], &item) != CX_NO_MATCH;
  }
  return suit;
}

static cx_rank rank_of_library_type(cx_interp *in, const cx_node *type, const cx_argument *a) {
  unsigned how;
  if (cx_inner_cell(a->value)) return rank_of_inner(in, type, a);
  if (suits_library(in, type, a->value, &how)) {
    if (how == 0 || !are_items(in, type, a->value)) return converts(in, type, a) ? CX_USER : CX_NO_MATCH;
    return how == 2 ? CX_EXACT : CX_USER;
  }
  if (a->value.kind == CV_OBJECT) return converts(in, type, a) ? CX_USER : CX_NO_MATCH;
  return CX_CONVERSION;
}

static cx_rank rank_of_value(cx_interp *in, const cx_node *type, const cx_argument *a) {
  pm_scalar scalar;
  if (a->value.kind == CV_POISON || a->value.kind == CV_IGNORED) return CX_EXACT;
  if (!type || type->kind != CX_TYPE || !type->name || cx_is_named(type, "auto")) return CX_EXACT;
  if (type->is_pointer) return rank_of_pointer(in, type, a);
  if (type->c) return rank_of_class(in, type, a);
  if (cx_scalar_of_name(type->name, &scalar)) {
    cx_rank rank = rank_of_scalar(in, scalar, a);
    bool is_number = cv_is_number(a->value);
    if (is_number && rank == CX_EXACT && is_char(a) != cx_is_named(type, "char")) rank = CX_CONVERSION;
    return rank == CX_NO_MATCH && a->value.kind == CV_OBJECT && converts(in, type, a) ? CX_USER : rank;
  }
  return rank_of_library_type(in, type, a);
}

cx_rank cx_rank_of(cx_interp *in, const cx_node *type, const cx_argument *a) {
  type = cx_resolve(in, type);
  cx_rank rank = rank_of_value(in, type, a);
  bool is_const = type && type->is_const && !type->is_pointer; /* of a pointer: what it points to */
  if (rank == CX_NO_MATCH || !type || type->kind != CX_TYPE || !type->is_reference || is_const) return rank;
  if (type->is_rvalue) return is_lvalue(a) && a->cell && !cx_is_named(type, "auto") ? CX_NO_MATCH : rank;
  bool fits = rank == CX_EXACT || (rank > CX_USER && a->value.kind == CV_OBJECT) ||
              (rank != CX_EXACT && a->value.kind >= CV_LIBRARY);
  if (a->node && a->node->kind == CX_STRING && type->is_pointer) return CX_NO_MATCH; /* an array */
  return is_lvalue(a) && !(a->cell && a->cell->is_const) && fits ? rank : CX_NO_MATCH;
}

/* --- conversions of classes --- */

/* A conversion takes one step by a class: its own argument is converted as numbers are [over.best.ics]. */
static bool suits_directly(cx_interp *in, const cx_node *type, const cx_argument *a) {
  type = cx_resolve(in, type);
  if (type && type->kind == CX_TYPE && type->c && type->c->kind == CX_CLASS &&
      (a->value.kind != CV_OBJECT || rank_of_object(in, type, a->value) == CX_NO_MATCH))
    return false;
  return cx_rank_of(in, type, a) > CX_USER;
}

/* Members of the class and its bases, as many as T{…} may fill at most. */
static uint32_t count_members(const cx_instance *instance, unsigned depth) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < instance->bases.len && depth < 20; i++)
    n += count_members(instance->bases.data[i], depth + 1);
  for (uint32_t i = 0; i < instance->node->n_items; i++) {
    const cx_node *m = instance->node->items[i];
    if (m->kind == CX_DECLARE && !m->is_static) n += m->n_items;
  }
  return n;
}

/* The class is made of {a, b}: by a constructor, or as an aggregate. */
static bool is_made_of(cx_interp *in, const cx_node *type, const cx_list *list) {
  const cx_instance *instance = in->instantiate(in, type->loc, type->c, type);
  cx_scope *outside = in->scope;
  bool is_aggregate = true, has = false;
  if (!instance || instance->node->kind != CX_CLASS) return false;
  in->scope = instance->names;
  for (uint32_t i = 0; i < instance->node->n_items && !has; i++) {
    const cx_node *m = instance->node->items[i];
    if (m->kind != CX_FUNCTION || m->a) continue;
    is_aggregate &= m->is_defaulted;
    has = m->t || cx_takes_arguments(m, list->items.len);
    for (uint32_t k = 0; has && !m->t && k < list->items.len; k++) {
      const cx_argument item = {.value = list->items.data[k]->value};
      has = cx_rank_of(in, m->items[k]->a, &item) != CX_NO_MATCH;
    }
  }
  in->scope = outside;
  return has || (is_aggregate && list->items.len <= count_members(instance, 0));
}

static bool has_constructor(cx_interp *in, const cx_node *type, const cx_argument *a) {
  const cx_instance *instance = in->instantiate(in, type->loc, type->c, type);
  cx_scope *outside = in->scope;
  bool has = false;
  if (!instance || instance->node->kind != CX_CLASS) return false;
  in->scope = instance->names;
  for (uint32_t i = 0; i < instance->node->n_items && !has; i++) {
    const cx_node *m = instance->node->items[i];
    has = m->kind == CX_FUNCTION && !m->a && !m->is_explicit && !m->t && cx_takes_arguments(m, 1) &&
          suits_directly(in, m->items[0]->a, a);
  }
  in->scope = outside;
  return has;
}

/* The object has a conversion to a type, as which it then suits. */
static bool has_conversion(cx_interp *in, const cx_node *type, cv v) {
  cx_line line = cx_line_of(in, v.object->instance);
  cx_scope *outside = in->scope;
  bool has = false;
  for (uint32_t i = 0; i < line.items.len && !has; i++) {
    in->scope = line.items.data[i]->names;
    for (uint32_t k = 0; k < line.items.data[i]->node->n_items && !has; k++) {
      const cx_node *m = line.items.data[i]->node->items[k];
      if (m->kind != CX_FUNCTION || !m->a || strcmp(m->name->text, "operator") != 0) continue;
      const cx_node *to = cx_resolve(in, m->a);
      pm_scalar scalar;
      has = cx_same_type(cx_bare_type(in, to), cx_bare_type(in, type)) ||
            (cx_scalar_of(in, to, &scalar) && cx_scalar_of(in, type, &scalar));
    }
  }
  in->scope = outside;
  return has;
}

static bool converts(cx_interp *in, const cx_node *type, const cx_argument *a) {
  if (a->value.kind == CV_OBJECT && has_conversion(in, type, a->value)) return true;
  if (!type->c || type->c->kind != CX_CLASS) return false;
  return a->value.kind == CV_LIST ? is_made_of(in, type, a->value.list) : has_constructor(in, type, a);
}

/* --- deduction --- */

typedef CX_VEC(cx_node *) cx_pack;

typedef struct deduction {
  const cx_node *params; /* of the template */
  cx_node **found;       /* by the parameter; NULL: not yet */
  cx_pack *packs;        /* by the parameter, of packs */
  bool failed;
} deduction;

static int param_named(const deduction *d, const cx_node *n) {
  bool is_name = n && (n->kind == CX_TYPE || n->kind == CX_NAME) && n->name && n->n_items == 0;
  for (uint32_t i = 0; is_name && i < d->params->n_items; i++)
    if (d->params->items[i]->name == n->name) return (int)i;
  return -1;
}

static void found_argument(deduction *d, int i, const cx_node *type) {
  if (d->found[i] && !cx_same_type(d->found[i], type)) d->failed = true;
  if (!d->found[i]) d->found[i] = (cx_node *)type;
}

/* `Ts...` in the arguments of a type: what is left of them. */
static void deduce_rest(cx_interp *in, deduction *d, const cx_node *pattern, const cx_node *type,
                        uint32_t from) {
  int p = param_named(d, pattern);
  if (p < 0 || !d->params->items[p]->is_long || d->packs[p].len > 0) return;
  for (uint32_t i = from; i < type->n_items; i++) CX_PUSH(in->arena, d->packs[p], type->items[i]);
}

static void deduce_type(cx_interp *in, deduction *d, const cx_node *pattern, const cx_node *type,
                        unsigned depth) {
  int i = param_named(d, pattern);
  if (!pattern || !type || depth > 20) return;
  if (i >= 0) {
    if (type->kind != CX_TYPE || !type->name || !cx_is_named(type, "auto")) found_argument(d, i, type);
    return;
  }
  for (uint32_t k = 0;
       pattern->kind == CX_TYPE && type->kind == CX_TYPE && k < pattern->n_items && k <= type->n_items; k++)
    if (pattern->items[k]->kind == CX_EXPANSION)
      deduce_rest(in, d, pattern->items[k]->a, type, k);
    else if (k < type->n_items)
      deduce_type(in, d, pattern->items[k], type->items[k], depth + 1);
}

/* `T &&` takes what is kept somewhere by reference [temp.deduct.call]. */
static const cx_node *forwarded(cx_interp *in, const cx_node *pattern, const cx_argument *a,
                                const cx_node *type) {
  if (!pattern->is_rvalue || pattern->is_const || !a->cell || cx_is_named(type, "auto")) return type;
  cx_node *reference = pm_arena_memdup(in->arena, type, sizeof(*type));
  reference->is_reference = true;
  reference->is_const |= a->cell->is_const && !reference->is_pointer;
  return reference;
}

/* From what an argument is to what the parameters of the template are. */
static void deduce(cx_interp *in, deduction *d, const cx_node *pattern, const cx_argument *a) {
  if (!pattern || pattern->kind != CX_TYPE || !pattern->name) return;
  int i = param_named(d, pattern);
  cv v = a->value;
  if (i >= 0 && !pattern->is_pointer) {
    const cx_node *type = forwarded(in, pattern, a, type_of_argument(in, a));
    if (!d->found[i] || !cx_is_named(type, "auto")) found_argument(d, i, type);
    return;
  }
  if (pattern->is_pointer && v.kind == CV_POINTER && v.cell) v = v.cell->value;
  if (i >= 0) {
    found_argument(d, i, cx_type_of_value(in, v));
    return;
  }
  if (v.kind == CV_OBJECT && pattern->n_items > 0) {
    cx_line line = cx_line_of(in, v.object->instance);
    for (uint32_t k = 0; k < line.items.len; k++)
      if (line.items.data[k]->node->name == cx_last_part(in, pattern->name)) {
        deduce_type(in, d, pattern, line.items.data[k]->type, 0);
        return;
      }
    const cx_cell *inner = cx_inner_cell(v);
    d->failed = !inner || inner->type->name != pattern->name;
    if (!d->failed) deduce_type(in, d, pattern, inner->type, 0);
  } else if (v.kind == CV_LIST && pattern->n_items == 1 && v.list->of) {
    deduce_type(in, d, pattern->items[0], v.list->of, 0);
  } else if (v.kind == CV_LIST && pattern->n_items > 0) {
    bool is_pair = pattern->n_items == v.list->items.len;
    for (uint32_t k = 0; k < pattern->n_items && k < v.list->items.len; k++)
      if (is_pair || k == 0)
        deduce_type(in, d, pattern->items[k], cx_type_of_value(in, v.list->items.data[k]->value), 0);
  }
}

/* The argument of a template that a call has in <>, closed; NULL: it is a type and should be a value, or the
 * other way round. */
static cx_node *given_argument(cx_interp *in, const cx_node *param, cx_node *one) {
  bool is_type = !param->a, is_name = one->kind == CX_NAME || one->kind == CX_TYPE;
  if (is_type != (is_name && (one->c || cx_is_type_name(in, one)))) return NULL;
  if (is_name) {
    one = pm_arena_memdup(in->arena, one, sizeof(*one));
    one->kind = is_type ? CX_TYPE : CX_NAME;
  }
  return cx_closed_argument(in, one);
}

/* One more argument that the call has in <>, in the place of the parameter or, of a pack, at its end. */
static bool take_given(cx_interp *in, deduction *d, uint32_t *i, cx_node *one) {
  if (*i >= d->params->n_items) return true;
  const cx_node *param = d->params->items[*i];
  cx_node *closed = given_argument(in, param, one);
  if (!closed) return false;
  if (param->is_long)
    CX_PUSH(in->arena, d->packs[*i], closed);
  else
    d->found[(*i)++] = closed;
  return true;
}

/* Those of the call; *n is how many parameters have them. */
static bool take_all_given(cx_interp *in, deduction *d, const cx_node *given, uint32_t *n) {
  uint32_t n_given = given ? given->n_last : 0;
  bool ok = true;
  *n = 0;
  for (uint32_t i = 0; i < n_given && ok; i++) {
    cx_node *one = given->items[given->n_items - n_given + i];
    cx_expansion e;
    if (one->kind != CX_EXPANSION) {
      ok = take_given(in, d, n, one);
      continue;
    }
    ok = cx_begin_expansion(in, one->loc, one->a, &e);
    for (uint32_t k = 0; k < e.n && ok; k++) {
      cx_expand_to(in, &e, k);
      ok = take_given(in, d, n, one->a);
    }
    cx_end_expansion(in, &e);
  }
  return ok;
}

/* What a pack is for the k-th of its arguments. */
static void deduce_of_pack(cx_interp *in, deduction *d, const cx_node *pattern, const cx_argument *a,
                           uint32_t k) {
  for (uint32_t i = 0; i < d->params->n_items; i++)
    if (d->params->items[i]->is_long) d->found[i] = k < d->packs[i].len ? d->packs[i].data[k] : NULL;
  int direct = param_named(d, pattern);
  if (direct < 0 || !d->found[direct]) deduce(in, d, pattern, a);
  for (uint32_t i = 0; i < d->params->n_items; i++) {
    if (!d->params->items[i]->is_long) continue;
    if (d->found[i] && k >= d->packs[i].len) CX_PUSH(in->arena, d->packs[i], d->found[i]);
    d->found[i] = NULL;
  }
}

static void deduce_all(cx_interp *in, deduction *d, const cx_candidate *c, const cx_argument *args,
                       unsigned n_args, uint32_t n_given) {
  const cx_node *f = c->node;
  uint32_t n_single = f->n_items - cx_has_pack(f);
  for (unsigned i = 0; i < n_args && !d->failed; i++) {
    const cx_node *pattern = f->items[i < n_single ? i : n_single]->a;
    bool is_list = args[i].node && args[i].node->kind == CX_LIST; /* nothing is deduced from {…} */
    int direct = param_named(d, pattern);
    if (i >= n_single && !is_list)
      deduce_of_pack(in, d, pattern, &args[i], i - n_single);
    else if (!is_list && (direct < 0 || (uint32_t)direct >= n_given))
      deduce(in, d, pattern, &args[i]);
  }
}

/* The scope around a function template with its arguments; NULL: they do not follow from the call. */
static cx_scope *with_arguments(cx_interp *in, const cx_candidate *c, const cx_argument *args,
                                unsigned n_args, const cx_node *given) {
  const cx_node *params = c->node->t;
  deduction d = {.params = params,
                 .found = pm_arena_alloc(in->arena, (params->n_items + 1) * sizeof(cx_node *)),
                 .packs = pm_arena_alloc(in->arena, (params->n_items + 1) * sizeof(cx_pack))};
  cx_scope *outside = in->scope, *scope = cx_push_scope(in, c->scope);
  scope->has_arguments = true;
  uint32_t n_given;
  if (!take_all_given(in, &d, given, &n_given)) return NULL;
  in->scope = c->scope;
  deduce_all(in, &d, c, args, n_args, n_given);
  in->scope = outside;
  bool has_all = !d.failed;
  for (uint32_t i = 0; i < params->n_items && has_all; i++) {
    cx_node one = {.kind = CX_BLOCK, .items = &params->items[i], .n_items = 1};
    bool is_pack = params->items[i]->is_long;
    has_all = cx_bind_arguments(in, scope, &one, is_pack ? d.packs[i].data : &d.found[i],
                                is_pack ? d.packs[i].len : d.found[i] != NULL);
  }
  return has_all ? scope : NULL;
}

/* The function with a parameter for each argument of its pack; NULL: there are fewer or more of them. */
static const cx_node *with_parameters(cx_interp *in, const cx_candidate *c, unsigned n_args) {
  const cx_node *f = c->node, *pattern = f->items[f->n_items - 1]->a;
  cx_scope *outside = in->scope;
  cx_expansion e;
  in->scope = c->scope;
  bool ok = cx_begin_expansion(in, f->loc, pattern, &e) && e.n + f->n_items - 1 == n_args;
  cx_node **types = pm_arena_alloc(in->arena, (e.n + 1) * sizeof(*types));
  for (uint32_t k = 0; k < e.n && ok; k++) {
    cx_expand_to(in, &e, k);
    types[k] = (cx_node *)cx_resolve(in, pattern);
  }
  in->scope = outside;
  return ok ? cx_with_parameters(in, f, types, e.n) : NULL;
}

/* --- candidates --- */

static void add(cx_interp *in, const cx_node *node, cx_scope *scope, cx_object *object,
                const cx_instance *instance, cx_candidates *out) {
  cx_candidate c = {node, scope, object, instance};
  for (uint32_t i = 0; i < out->len; i++)
    if (out->data[i].node == node) return;
  CX_PUSH(in->arena, *out, c);
}

/* What `using Base::name` brings: functions that the class itself has with the same parameters hide the
 * base's. */
static void add_inherited(cx_interp *in, const cx_instance *instance, cx_object *object, pm_string name,
                          cx_candidates *out) {
  cx_candidates all = {0};
  for (uint32_t k = 0; k < instance->bases.len; k++)
    cx_add_methods(in, instance->bases.data[k], object, name, &all);
  for (uint32_t i = 0; i < all.len; i++) {
    bool is_hidden = false;
    for (uint32_t k = 0; k < instance->node->n_items && !is_hidden; k++) {
      const cx_node *own = instance->node->items[k];
      is_hidden =
          own->kind == CX_FUNCTION && own->name == name && cx_same_parameters(in, own, all.data[i].node);
    }
    if (!is_hidden) add(in, all.data[i].node, all.data[i].scope, object, all.data[i].instance, out);
  }
}

void cx_add_methods(cx_interp *in, const cx_instance *instance, cx_object *object, pm_string name,
                    cx_candidates *out) {
  cx_scope *scope = object ? cx_part(object, instance) : instance->names;
  bool found = false;
  for (uint32_t i = 0; i < instance->node->n_items; i++) {
    const cx_node *m = instance->node->items[i];
    if (m->kind == CX_USING && m->name == name && m->a) {
      add_inherited(in, instance, object, name, out);
    }
    if (m->kind != CX_FUNCTION || m->name != name || !m->a || m->is_friend) continue;
    found = true;
    add(in, m, scope, object, instance, out);
  }
  for (uint32_t k = 0; !found && k < instance->bases.len; k++)
    cx_add_methods(in, instance->bases.data[k], object, name, out);
}

void cx_add_constructors(cx_interp *in, const cx_instance *instance, cx_object *object, cx_candidates *out) {
  for (uint32_t i = 0; i < instance->node->n_items; i++) {
    const cx_node *m = instance->node->items[i];
    if (m->kind == CX_FUNCTION && !m->a) add(in, m, cx_part(object, instance), object, instance, out);
  }
}

static void add_of_scope(cx_interp *in, const cx_scope *scope, pm_string name, cx_candidates *out) {
  if (scope->cells && !pm_map_has(scope->cells, name)) return;
  in->steps += scope->names.len / 64;
  for (uint32_t i = 0; i < scope->names.len; i++) {
    cv v = scope->names.data[i].cell->value;
    if (scope->names.data[i].name != name || v.kind != CV_FUNCTION || v.function->node->kind != CX_FUNCTION)
      continue;
    add(in, v.function->node, v.function->scope, NULL, NULL, out);
  }
}

void cx_add_candidates(cx_interp *in, const cx_found *found, pm_string name, cx_candidates *out) {
  if (found->instance) cx_add_methods(in, found->instance, found->object, name, out);
  for (uint32_t i = 0; i < found->also.len; i++) add_of_scope(in, found->also.data[i], name, out);
}

void cx_add_operators(cx_interp *in, pm_string name, const cx_argument *args, unsigned n,
                      cx_candidates *out) {
  cx_found found;
  cx_scope *outside = in->scope;
  while (in->scope->instance || (in->scope->is_local && in->scope->outer)) in->scope = in->scope->outer;
  if (cx_look_up(in, &(cx_node){.kind = CX_NAME, .name = name}, &found))
    cx_add_candidates(in, &found, name, out);
  in->scope = outside;
  add_of_scope(in, in->extension, name, out);
  for (unsigned i = 0; i < n; i++) {
    if (args[i].value.kind != CV_OBJECT) continue;
    cx_line line = cx_line_of(in, args[i].value.object->instance);
    for (uint32_t k = 0; k < line.items.len; k++) {
      const cx_class_info *info = cx_info(in, line.items.data[k]->node);
      if (info) add_of_scope(in, cx_declaring(info->scope), name, out);
      for (uint32_t m = 0; m < line.items.data[k]->node->n_items; m++) {
        const cx_node *member = line.items.data[k]->node->items[m];
        if (member->kind == CX_FUNCTION && member->name == name && member->is_friend && member->b)
          add(in, member, line.items.data[k]->names, NULL, NULL, out);
      }
    }
  }
}

/* --- the choice --- */

typedef struct suitable {
  cx_candidate candidate;
  cx_rank *ranks;
  cx_rank worst;
} suitable;

/* The ranks of the arguments; false: it cannot be called so. */
static bool rank_all(cx_interp *in, const cx_argument *args, unsigned n_args, suitable *s) {
  cx_scope *outside = in->scope;
  in->scope = s->candidate.scope;
  s->ranks = pm_arena_alloc(in->arena, (n_args + 1) * sizeof(cx_rank));
  s->worst = CX_EXACT;
  for (unsigned i = 0; i < n_args && s->worst != CX_NO_MATCH; i++) {
    s->ranks[i] = cx_rank_of(in, s->candidate.node->items[i]->a, &args[i]);
    if (s->ranks[i] < s->worst) s->worst = s->ranks[i];
  }
  in->scope = outside;
  return s->worst != CX_NO_MATCH;
}

/* How much of a pattern is no parameter of the template: the more, the more special it is. */
static unsigned specificity(const cx_node *params, const cx_node *type) {
  deduction d = {.params = params};
  unsigned sum = 0;
  if (!type) return 0;
  sum += type->is_pointer + (param_named(&d, type) < 0);
  for (uint32_t i = 0; type->kind == CX_TYPE && i < type->n_items; i++)
    sum += specificity(params, type->items[i]);
  return sum;
}

static unsigned special_of(const cx_node *function) {
  unsigned sum = 0;
  for (uint32_t i = 0; i < function->n_items; i++)
    if (!function->items[i]->is_static) sum += specificity(function->t, function->items[i]->a);
  return sum;
}

/* Of parameters that are const references and others, the other one suits what is no constant better. */
static int compare_references(cx_interp *in, const suitable *a, const suitable *b, unsigned i) {
  const cx_node *p = a->candidate.node->items[i]->a, *q = b->candidate.node->items[i]->a;
  (void)in;
  if (!p || !q || !p->is_reference || !q->is_reference) return 0;
  if (p->is_rvalue != q->is_rvalue) return p->is_rvalue ? 1 : -1;
  return p->is_const == q->is_const ? 0 : p->is_const ? -1 : 1;
}

/* Above 0: a is better; below: b is. */
static int compare(cx_interp *in, const suitable *a, const suitable *b, unsigned n_args) {
  bool better = false, worse = false;
  for (unsigned i = 0; i < n_args; i++) {
    int by =
        a->ranks[i] != b->ranks[i] ? (a->ranks[i] > b->ranks[i] ? 1 : -1) : compare_references(in, a, b, i);
    better |= by > 0;
    worse |= by < 0;
  }
  const cx_node *f = a->candidate.node, *g = b->candidate.node;
  bool of_objects = a->candidate.object && b->candidate.object && !f->is_static && !g->is_static;
  better |= of_objects && !f->is_const && g->is_const;
  worse |= of_objects && f->is_const && !g->is_const;
  if (better != worse) return better ? 1 : -1;
  if (better) return 0;
  if (!f->t != !g->t) return g->t ? 1 : -1;
  int by_pack = f->is_long == g->is_long ? 0 : f->is_long ? -1 : 1;
  if (!f->t) return by_pack;
  unsigned s = special_of(f), t = special_of(g);
  if (s == t && by_pack) return by_pack;
  if (s == t && f->t->n_items != g->t->n_items) return f->t->n_items < g->t->n_items ? 1 : -1;
  return s == t ? 0 : s > t ? 1 : -1;
}

/* A special case of the template for the arguments that it has. */
static const cx_node *special_case(cx_interp *in, const suitable *s) {
  const cx_class_info *info = s->candidate.node->t ? cx_info(in, s->candidate.node) : NULL;
  cx_scope *outside = in->scope;
  const cx_node *found = NULL;
  for (uint32_t i = 0; info && i < info->special.len && !found; i++) {
    const cx_node *one = info->special.data[i], *params = s->candidate.node->t;
    bool same = one->s && one->s->n_items <= params->n_items;
    for (uint32_t k = 0; same && k < one->s->n_items; k++) {
      cv v = cx_find(in, s->candidate.scope, params->items[k]->name)->value;
      in->scope = info->scope;
      const cx_node *wanted = one->s->items[k]->kind == CX_TYPE ? cx_resolve(in, one->s->items[k]) : NULL;
      cv constant = wanted ? cv_void : in->eval(in, one->s->items[k]);
      same = wanted ? v.kind == CV_CLASS && cx_same_type(wanted, v.node)
                    : v.kind == constant.kind && v.i == constant.i;
      in->scope = outside;
    }
    if (same) found = one;
  }
  return found;
}

cx_choice cx_choose(cx_interp *in, const cx_candidates *candidates, const cx_argument *args, unsigned n_args,
                    const cx_node *given, cx_candidate *out, cx_rank *worst) {
  CX_VEC(suitable) all = {0};
  for (uint32_t i = 0; i < candidates->len; i++) {
    suitable s = {.candidate = candidates->data[i]};
    const cx_node *node = s.candidate.node;
    if (!cx_takes_arguments(node, n_args) || (given && given->n_last > 0 && !node->t)) continue;
    if (node->t && !(s.candidate.scope = with_arguments(in, &s.candidate, args, n_args, given))) continue;
    if (cx_has_pack(node) && !(s.candidate.node = with_parameters(in, &s.candidate, n_args))) continue;
    if (rank_all(in, args, n_args, &s)) CX_PUSH(in->arena, all, s);
  }
  uint32_t best = 0;
  for (uint32_t i = 1; i < all.len; i++)
    if (compare(in, &all.data[i], &all.data[best], n_args) > 0) best = i;
  if (all.len == 0) return CX_NONE_SUITS;
  *out = all.data[best].candidate;
  *worst = all.data[best].worst;
  const cx_node *special = special_case(in, &all.data[best]);
  if (special) out->node = special;
  for (uint32_t i = 0; i < all.len; i++)
    if (i != best && compare(in, &all.data[best], &all.data[i], n_args) <= 0) return CX_SEVERAL_SUIT;
  return CX_ONE_SUITS;
}

/* --- functions that are declared and defined --- */

bool cx_same_parameters(cx_interp *in, const cx_node *a, const cx_node *b) {
  bool same = a->n_items == b->n_items;
  for (uint32_t i = 0; i < a->n_items && same; i++) {
    const cx_node *s = cx_resolve(in, a->items[i]->a), *t = cx_resolve(in, b->items[i]->a);
    same = cx_same_type(s, t) && a->items[i]->is_long == b->items[i]->is_long;
  }
  return same && a->is_const == b->is_const;
}

const cx_node *cx_defined(cx_interp *in, const cx_instance *instance, const cx_node *function) {
  const cx_class_info *info = instance ? cx_info(in, instance->node) : NULL;
  cx_scope *outside = in->scope;
  const cx_node *found = NULL, *only = NULL;
  unsigned n = 0;
  if (function->b || !info) return function;
  in->scope = instance->names;
  for (uint32_t i = 0; i < info->outside.len && !found; i++) {
    const cx_node *other = info->outside.data[i];
    if (cx_last_part(in, other->name) != cx_last_part(in, function->name) ||
        other->n_items != function->n_items || !other->a != !function->a)
      continue;
    n++;
    only = other;
    if (cx_same_parameters(in, function, other)) found = other;
  }
  in->scope = outside;
  if (!found && n == 1) found = only; /* of a template, whose parameters may be named otherwise there */
  return found ? found : function;
}
