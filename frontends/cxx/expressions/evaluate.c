/* Expressions to values. */
#include "frontends/cxx/expressions/expressions.h"
#include "frontends/cxx/names/names.h"
#include "frontends/cxx/statements/statements.h"
#include "frontends/cxx/types/types.h"
#include "frontends/cxx/values/values.h"

bool cx_holds(cx_interp *in, const cx_node *condition, bool *out) {
  return cx_to_bool(in, condition->loc, cx_eval(in, condition), out);
}

/* --- names and members --- */

static cv enumerator(cx_interp *in, const cx_node *enumeration, uint32_t number) {
  int64_t value = -1, given;
  for (uint32_t i = 0; i <= number; i++) {
    const cx_node *item = enumeration->items[i];
    value = pm_wrap_add(value, 1);
    if (item->b && cx_to_int(in, item->loc, cx_eval(in, item->b), &given, "the value of an enumerator"))
      value = given;
  }
  return cv_int(PM_I32, value);
}

static bool find_qualified(cx_interp *in, pm_string name, cv *out) {
  cx_qualified q;
  if (!cx_find_qualified(in, name, &q)) return false;
  *out = q.node->kind == CX_ENUM ? enumerator(in, q.node, q.number)
                                 : cx_declared_value(in, q.node->a, q.node->items[q.number]);
  return true;
}

static cv eval_name(cx_interp *in, const cx_node *n) {
  cv value;
  const cx_cell *cell = cx_find(in->scope, n->name);
  if (cell) return cell->value;
  if (find_qualified(in, n->name, &value)) return value;
  for (const cx_library *l = in->library; l; l = l->base)
    if (l->find_name && l->find_name(in, n->name, &value)) return value;
  return cx_unknown_name(in, n->loc, n->name, "name");
}

cv cx_behind(cv v) {
  for (int i = 0; i < 100 && v.kind == CV_POINTER && v.cell; i++) v = v.cell->value;
  if (v.kind == CV_ITERATOR && v.number < v.list->items.len)
    return cx_behind(v.list->items.data[v.number]->value);
  return v;
}

static cv eval_member(cx_interp *in, const cx_node *n) {
  cv value, base = cx_behind(cx_eval(in, n->a));
  if (base.kind == CV_POISON) return base;
  const cx_cell *cell = cx_member_cell(in, base, n->name);
  if (cell) return cell->value;
  const cx_class *of = cx_class_of(in, base);
  if (of && of->member && of->member(in, n->loc, base, n->name, &value)) return value;
  if (base.kind == CV_IGNORED) return base;
  return cx_fail(in, n->loc, "%s has no member '%s'", cv_describe(in, base), n->name->text);
}

/* --- operators --- */

static cv eval_logical(cx_interp *in, const cx_node *n) {
  cv a = cx_eval(in, n->a);
  bool left, right, is_host = cv_is_number(a) || a.kind == CV_POINTER;
  if (a.kind == CV_POISON) return a;
  if (is_host) {
    if (!cx_to_bool(in, n->a->loc, a, &left)) return cv_poison;
    if (left == (n->op == CX_OP_OR)) return cv_bool(left);
    cv b = cx_eval(in, n->b);
    if (!cv_is_number(b) && b.kind != CV_POINTER) return cx_binary(in, n->loc, n->op, cv_bool(left), b);
    return cx_to_bool(in, n->b->loc, b, &right) ? cv_bool(right) : cv_poison;
  }
  return cx_binary(in, n->loc, n->op, a, cx_eval(in, n->b));
}

static cv eval_binary(cx_interp *in, const cx_node *n) {
  if (n->op == CX_OP_AND || n->op == CX_OP_OR) return eval_logical(in, n);
  cv a = cx_eval(in, n->a), b = cx_eval(in, n->b);
  if (n->op == CX_OP_SHL && a.kind == CV_IGNORED) return a; /* std::cout << … */
  return cx_binary(in, n->loc, n->op, a, b);
}

static cv eval_unary(cx_interp *in, const cx_node *n) {
  if (n->op == CX_OP_INC || n->op == CX_OP_DEC) return cx_eval_step(in, n);
  if (n->op == CX_OP_BIT_AND) {
    cx_cell *cell = cx_place(in, n->a);
    return cell ? (cv){.kind = CV_POINTER, .cell = cell} : cv_poison;
  }
  cv a = cx_eval(in, n->a);
  if (n->op != CX_OP_MUL || a.kind == CV_POISON) return cx_unary(in, n->loc, n->op, a);
  if (a.kind == CV_POINTER && a.cell) return a.cell->value;
  if (a.kind == CV_ITERATOR && a.number < a.list->items.len) return a.list->items.data[a.number]->value;
  if (a.kind == CV_ITERATOR)
    return cx_fail(in, n->loc, "the iterator is at the end of the list, no item is there");
  return a.kind == CV_OBJECT
             ? a
             : cx_fail(in, n->loc, "this is %s, a pointer should be here", cv_describe(in, a));
}

static cv eval_ternary(cx_interp *in, const cx_node *n) {
  bool yes;
  if (!cx_holds(in, n->a, &yes)) return cv_poison;
  return cx_eval(in, yes ? n->b : n->c);
}

/* --- other expressions --- */

static cv eval_list(cx_interp *in, const cx_node *n) {
  cv list = cx_new_list(in, CV_LIST);
  for (uint32_t i = 0; i < n->n_items; i++) {
    cv item = cx_eval(in, n->items[i]);
    if (item.kind == CV_POISON) return item;
    cx_append(in, list, cx_copy(in, item));
  }
  return list;
}

static cv eval_construct(cx_interp *in, const cx_node *n) {
  cx_arguments a = cx_eval_arguments(in, n->items, n->n_items);
  return a.ok ? cx_construct(in, n->loc, n->a, a.values, a.locs, a.n, n->is_braced, NULL) : cv_poison;
}

static cv eval_lambda(cx_interp *in, const cx_node *n) {
  cx_function f = {n, in->scope};
  return (cv){.kind = CV_FUNCTION, .function = pm_arena_memdup(in->arena, &f, sizeof(f))};
}

static cv eval_sizeof(cx_interp *in, const cx_node *n) {
  pm_scalar type;
  if (n->a->kind == CX_TYPE || n->a->kind == CX_NAME) {
    cx_node named = {.kind = CX_TYPE, .name = n->a->name, .loc = n->loc};
    if (cx_scalar_of(in, &named, &type)) return cv_int(PM_U64, (int64_t)pm_scalar_bytes(type));
  }
  cv v = n->a->kind == CX_TYPE ? cv_void : cx_eval(in, n->a);
  if (cv_is_number(v)) return cv_int(PM_U64, (int64_t)pm_scalar_bytes((pm_scalar)v.scalar));
  return cx_fail(in, n->loc, "the size of this is not known here, that of a number is");
}

static cv eval_this(cx_interp *in, const cx_node *n) {
  cx_object *object = cx_current_object(in);
  if (object) return (cv){.kind = CV_OBJECT, .object = object};
  return cx_fail(in, n->loc, "there is no object here");
}

static cv eval_cast(cx_interp *in, const cx_node *n) {
  cv v = cx_eval(in, n->b);
  return cx_construct(in, n->loc, n->a, &v, &n->b->loc, 1, false, NULL);
}

static cv eval_node(cx_interp *in, const cx_node *n) {
  switch (n->kind) {
  case CX_NAME:
    return eval_name(in, n);
  case CX_INT:
    return cv_int(n->is_long ? (n->is_unsigned ? PM_U64 : PM_I64) : n->is_unsigned ? PM_U32 : PM_I32, n->i);
  case CX_FLOAT:
    return cv_float(n->is_single ? PM_F32 : PM_F64, n->f);
  case CX_STRING:
    return cv_text(in->ctx, n->text.ptr, n->text.len);
  case CX_CHAR:
    return cv_int(PM_I8, n->i);
  case CX_BOOL:
    return cv_bool(n->i);
  case CX_NULLPTR:
    return (cv){.kind = CV_POINTER};
  case CX_THIS:
    return eval_this(in, n);
  case CX_MEMBER:
    return eval_member(in, n);
  case CX_INDEX:
    return cx_eval_index(in, n);
  case CX_CALL:
    return cx_eval_call(in, n);
  case CX_CONSTRUCT:
    return eval_construct(in, n);
  case CX_LIST:
    return eval_list(in, n);
  case CX_UNARY:
    return eval_unary(in, n);
  case CX_POSTFIX:
    return cx_eval_step(in, n);
  case CX_BINARY:
    return eval_binary(in, n);
  case CX_ASSIGN:
    return cx_eval_assign(in, n);
  case CX_TERNARY:
    return eval_ternary(in, n);
  case CX_LAMBDA:
    return eval_lambda(in, n);
  case CX_CAST:
    return eval_cast(in, n);
  case CX_SIZEOF:
    return eval_sizeof(in, n);
  case CX_TYPE:
    return cx_fail(in, n->loc, "the type '%s' is here, a value should be", n->name->text);
  default:
    return cx_fail(in, n->loc, "%.*s", (int)n->text.len, n->text.ptr);
  }
}

cv cx_eval(cx_interp *in, const cx_node *n) {
  if (!cx_may_go_on(in, n->loc) || !cx_may_nest(in, n->loc, "expression")) return cv_poison;
  in->nesting++;
  cv v = eval_node(in, n);
  in->nesting--;
  return v;
}
