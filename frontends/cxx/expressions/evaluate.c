/* Expressions to values. */
#include "frontends/cxx/expressions/expressions.h"
#include "frontends/cxx/names/names.h"
#include "frontends/cxx/statements/statements.h"
#include "frontends/cxx/types/types.h"
#include "frontends/cxx/values/values.h"

/* An object by its conversion to bool, or to a number. */
static cv to_condition(cx_interp *in, pm_loc loc, cv v) {
  cv result;
  cx_node type = {.kind = CX_TYPE, .name = pm_get_cstring(in->ctx, "bool")};
  return v.kind == CV_OBJECT && cx_convert_object(in, loc, &type, v, &result) ? result : cx_inner(v);
}

cv cx_eval_condition(cx_interp *in, const cx_node *condition) {
  return to_condition(in, condition->loc, cx_eval(in, condition));
}

bool cx_holds(cx_interp *in, const cx_node *condition, bool *out) {
  return cx_to_bool(in, condition->loc, cx_eval_condition(in, condition), out);
}

/* --- names and members --- */

static bool member_of_library(cx_interp *in, pm_loc loc, cv v, pm_string name, cv *out) {
  const cx_class *of = cx_class_of(in, v);
  return of && of->member && of->member(in, loc, v, name, out);
}

bool cx_eval_inherited(cx_interp *in, const cx_node *n, const cx_found *found, cv *out) {
  cx_cell *inner = found && found->is_qualified ? NULL : cx_nearer_inner(in, found);
  if (!inner || n->is_global || n->is_of_library || cx_qualifier(in, n)) return false;
  const cx_cell *cell = cx_member_cell(in, inner->value, n->name);
  if (!cell) return member_of_library(in, n->loc, inner->value, n->name, out);
  *out = cell->value;
  return true;
}

static cv eval_name(cx_interp *in, const cx_node *n) {
  cv value;
  cx_found found;
  bool is_found = cx_look_up(in, n, &found);
  if (cx_eval_inherited(in, n, is_found ? &found : NULL, &value)) return value;
  if (is_found && found.cell && found.cell->value.kind == CV_PACK)
    return cx_fail(in, n->loc, "'%s' is a pack, '...' should follow what has it", n->name->text);
  if (is_found && found.cell) return found.cell->value;
  for (const cx_library *l = in->library; l; l = l->base)
    if (l->find_name && l->find_name(in, n, &value)) return value;
  if (cx_has_function(&(cx_call){.in = in, .loc = n->loc, .name = n->name}))
    return (cv){.kind = CV_BUILTIN, .text = n->name};
  return cx_unknown_name(in, n->loc, n->name, "name");
}

cv cx_behind(cv v) {
  for (int i = 0; i < 100 && v.kind == CV_POINTER && v.cell; i++) {
    uint32_t part = v.number;
    v = v.cell->value;
    if (v.kind == CV_OBJECT && part > 0) v.number = part;
  }
  if (v.kind == CV_ITERATOR && v.number < v.list->items.len)
    return cx_behind(v.list->items.data[v.number]->value);
  return v;
}

cv cx_eval_member(cx_interp *in, const cx_node *n, cx_cell **cell) {
  cv value, base = cx_behind(cx_eval(in, n->a));
  *cell = NULL;
  if (base.kind == CV_POISON) return base;
  if (n->is_pointer && base.kind == CV_OBJECT) base = cx_behind_arrow(in, n->loc, base);
  *cell = cx_member_cell(in, base, n->name);
  if (*cell) return (*cell)->value;
  base = cx_inner(base);
  if (member_of_library(in, n->loc, base, n->name, &value)) return value;
  if (base.kind == CV_IGNORED) return base;
  return cx_fail(in, n->loc, "%s has no member '%s'", cv_describe(in, base), n->name->text);
}

/* --- operators --- */

/* What stands behind `&&` or `||` where it is not known whether it is evaluated: what it changes is changed
 * where it is. */
static cx_branch begin_right(cx_interp *in, const cx_node *n, cv left) {
  return cx_begin_branch(in, n->loc, n->op == CX_OP_AND ? left : cx_not(in, n->loc, left));
}

static void end_right(cx_interp *in, const cx_node *n, cv left, const cx_branch *branch) {
  cx_changes changes = cx_end_branch(in, branch);
  if (!changes.len) return;
  cx_join(in, n->loc, n->op == CX_OP_AND ? left : cx_not(in, n->loc, left), &changes, NULL);
}

static cv eval_logical(cx_interp *in, const cx_node *n) {
  cv a = cx_eval(in, n->a), result;
  if (a.kind == CV_OBJECT && cx_call_binary(in, n->loc, n->op, a, cx_eval(in, n->b), NULL, &result))
    return result;
  if (a.kind == CV_OBJECT) a = to_condition(in, n->a->loc, a);
  bool left, right, is_host = cv_is_number(a) || a.kind == CV_POINTER;
  if (a.kind == CV_POISON) return a;
  if (is_host) {
    if (!cx_to_bool(in, n->a->loc, a, &left)) return cv_poison;
    if (left == (n->op == CX_OP_OR)) return cv_bool(left);
    cv b = to_condition(in, n->b->loc, cx_eval(in, n->b));
    if (!cv_is_number(b) && b.kind != CV_POINTER) return cx_binary(in, n->loc, n->op, cv_bool(left), b);
    return cx_to_bool(in, n->b->loc, b, &right) ? cv_bool(right) : cv_poison;
  }
  if (!cx_is_unknown(in, a))
    return cx_binary(in, n->loc, n->op, a, cx_as_operand(in, n->b->loc, cx_eval(in, n->b)));
  cx_branch branch = begin_right(in, n, a);
  cv b = cx_as_operand(in, n->b->loc, cx_eval(in, n->b));
  end_right(in, n, a, &branch);
  return cx_binary(in, n->loc, n->op, a, b);
}

static cv eval_binary(cx_interp *in, const cx_node *n) {
  if (n->op == CX_OP_AND || n->op == CX_OP_OR) return eval_logical(in, n);
  cv a = cx_eval(in, n->a), b = cx_eval(in, n->b);
  if (n->op == CX_OP_COMMA) return b;
  if (n->op == CX_OP_SHL && a.kind == CV_IGNORED) return a; /* std::cout << … */
  return cx_operate(in, n->loc, n->op, a, b, (const cx_node *const[]){n->a, n->b});
}

static cv eval_unary(cx_interp *in, const cx_node *n) {
  if (n->op == CX_OP_INC || n->op == CX_OP_DEC) return cx_eval_step(in, n);
  if (n->op == CX_OP_BIT_AND) {
    cx_cell *cell = cx_place(in, n->a);
    return cell ? (cv){.kind = CV_POINTER, .cell = cell} : cv_poison;
  }
  cx_cell *cell;
  if (n->op == CX_OP_MUL) return cx_eval_pointed(in, n, &cell);
  cv result, a = cx_eval(in, n->a);
  if (cx_call_unary(in, n->loc, n->op, a, n->a, &result)) return result;
  if (n->op == CX_OP_NOT) a = to_condition(in, n->a->loc, a);
  a = cx_as_operand(in, n->a->loc, a);
  return cx_unary(in, n->loc, n->op, a);
}

cv cx_eval_pointed(cx_interp *in, const cx_node *n, cx_cell **cell) {
  cv result, a = cx_eval(in, n->a);
  *cell = NULL;
  in->result_cell = NULL;
  if (a.kind == CV_POISON || n->a->kind == CX_THIS) return a;
  if (cx_call_unary(in, n->loc, n->op, a, n->a, &result)) {
    *cell = in->result_cell;
    return result;
  }
  if (a.kind == CV_POINTER && !a.cell)
    return cx_fail(in, n->loc, "this is a null pointer, which points to nothing");
  if (a.kind == CV_ITERATOR && a.number >= a.list->items.len)
    return cx_fail(in, n->loc, "the iterator is at the end of the list, no item is there");
  if (a.kind == CV_LIST && a.list->items.len == 0) return cx_fail(in, n->loc, "the array has no items");
  if (a.kind == CV_POINTER) *cell = a.cell;
  if (a.kind == CV_ITERATOR) *cell = a.list->items.data[a.number];
  if (a.kind == CV_LIST) *cell = a.list->items.data[0];
  if (!*cell && a.kind != CV_OBJECT)
    return cx_fail(in, n->loc, "this is %s, a pointer should be here", cv_describe(in, a));
  return !*cell ? a : cx_behind(a).kind == CV_OBJECT ? cx_behind(a) : (*cell)->value;
}

/* A number of the type that the expression has, which is not evaluated; poison where it is none or not known.
 */
static cv number_like(cx_interp *in, const cx_node *n) {
  cv a, b;
  pm_scalar type;
  switch (n->kind) {
  case CX_NAME:
  case CX_INT:
  case CX_FLOAT:
  case CX_CHAR:
  case CX_BOOL:
  case CX_THIS:
    return cx_eval(in, n);
  case CX_MEMBER:
    return n->a->kind == CX_NAME || n->a->kind == CX_THIS ? cx_eval(in, n) : cv_poison;
  case CX_CAST:
  case CX_CONSTRUCT:
    return cx_scalar_of(in, n->a, &type) ? cv_one(type) : cv_poison;
  case CX_UNARY:
    a = number_like(in, n->a);
    if (n->op == CX_OP_NOT) return cv_bool(true);
    return cv_is_number(a) &&
                   (n->op == CX_OP_SUB || n->op == CX_OP_ADD || (n->op == CX_OP_BIT_NOT && a.kind == CV_INT))
               ? cx_unary(in, n->loc, n->op, a)
               : cv_poison;
  case CX_BINARY:
  case CX_TERNARY:
    a = number_like(in, n->kind == CX_BINARY ? n->a : n->b);
    b = number_like(in, n->kind == CX_BINARY ? n->b : n->c);
    if (!cv_is_number(a) || !cv_is_number(b)) return cv_poison;
    if (n->kind == CX_BINARY &&
        ((n->op >= CX_OP_LT && n->op <= CX_OP_NE) || n->op == CX_OP_AND || n->op == CX_OP_OR))
      return cv_bool(true);
    if (n->op == CX_OP_SHL || n->op == CX_OP_SHR) b = a;
    if (n->kind == CX_TERNARY && a.scalar == b.scalar) return a;
    return cv_one(cx_usual_type(a, b));
  default:
    return cv_poison;
  }
}

static bool is_closed(void *user) {
  (void)user;
  return false;
}

/* What the expression would be, of which the type counts: nothing that it does remains. */
static cv try_eval(cx_interp *in, const cx_node *n) {
  unsigned outer = in->is_trial;
  in->is_trial = outer + 1;
  if (!outer) pm_set_diag_gate(in->ctx, is_closed, NULL);
  cx_branch branch = cx_begin_branch(in, n->loc, cv_bool(false));
  cv v = cx_eval(in, n);
  (void)cx_end_branch(in, &branch);
  if (!outer) pm_set_diag_gate(in->ctx, NULL, NULL);
  in->is_trial = outer;
  return v;
}

static bool is_number(const cx_interp *in, cv v) {
  return cv_is_number(v) || cx_is_unknown(in, v);
}

/* The number in the type in which it is computed with what `other` would be; as it is where that is none. */
static cv in_common_type(cx_interp *in, pm_loc loc, cv v, const cx_node *other) {
  cv like = number_like(in, other), out = v;
  if (!cv_is_number(like) && in->library->is_unknown) like = try_eval(in, other);
  if (!is_number(in, like) || like.scalar == v.scalar) return v;
  pm_scalar type = cx_usual_type(cv_one((pm_scalar)v.scalar), cv_one((pm_scalar)like.scalar));
  if (cx_is_unknown(in, v)) return in->library->to_scalar(in, loc, type, v, &out) ? out : v;
  return cx_convert(in, loc, cx_type_of_value(in, cv_one(type)), v);
}

/* Of two numbers the result has the type in which both are computed with [expr.cond]. */
static cv choose_operand(cx_interp *in, const cx_node *n, cv condition) {
  cx_branch branch = cx_begin_branch(in, n->loc, condition);
  cv a = cx_eval(in, n->b);
  cx_changes yes = cx_end_branch(in, &branch);
  branch = cx_begin_branch(in, n->loc, cx_not(in, n->loc, condition));
  cv b = cx_eval(in, n->c);
  cx_changes no = cx_end_branch(in, &branch);
  cx_join(in, n->loc, condition, &yes, &no);
  bool wrong = a.kind == CV_POISON || b.kind == CV_POISON;
  return wrong ? cv_poison : cx_choose_value(in, n->loc, condition, a, b);
}

cv cx_eval_ternary(cx_interp *in, const cx_node *n, cx_cell **cell) {
  bool yes;
  *cell = NULL;
  cv condition = cx_eval_condition(in, n->a);
  if (cx_is_unknown(in, condition)) return choose_operand(in, n, condition);
  if (!cx_to_bool(in, n->a->loc, condition, &yes)) return cv_poison;
  cv v = cx_eval_place(in, yes ? n->b : n->c, cell);
  if (!is_number(in, v)) return v;
  cv common = in_common_type(in, n->loc, v, yes ? n->c : n->b);
  if (common.scalar != v.scalar) *cell = NULL;
  return common;
}

/* --- other expressions --- */

static cv eval_list(cx_interp *in, const cx_node *n) {
  cv list = cx_new_list(in, CV_LIST);
  cx_arguments all = cx_eval_arguments(in, n->items, n->n_items);
  for (uint32_t i = 0; i < all.n; i++) {
    if (all.values[i].kind == CV_POISON) return all.values[i];
    cx_append(in, list, cx_copy(in, all.values[i]));
  }
  return all.ok ? list : cv_poison;
}

static cv eval_construct(cx_interp *in, const cx_node *n) {
  cx_arguments a = cx_eval_arguments(in, n->items, n->n_items);
  return a.ok ? cx_construct(in, n->loc, n->a, &a, n->is_braced, NULL) : cv_poison;
}

/* sizeof...(a) */
static cv eval_length(cx_interp *in, const cx_node *n) {
  const cx_cell *pack = cx_find(in, in->scope, n->a->name);
  if (!pack || pack->value.kind != CV_PACK)
    return cx_fail(in, n->a->loc, "'%s' is no pack, sizeof... should have one", n->a->name->text);
  return cv_int(PM_U64, pack->value.list->items.len);
}

/* Of no operands [temp.variadic]. */
static cv empty_fold(cx_interp *in, const cx_node *n) {
  if (n->op == CX_OP_AND || n->op == CX_OP_OR) return cv_bool(n->op == CX_OP_AND);
  if (n->op == CX_OP_COMMA) return cv_void;
  return cx_fail(in, n->loc, "the pack is empty, '%s' should have an operand", cx_op_text(n->op));
}

/* What a fold is made of, from the left: what the pattern stands for, and the other operand before or behind
 * it. */
typedef struct fold {
  const cx_node *pattern, *other; /* or NULL */
  bool from_right;                /* a op (b op c); `other` is behind */
  cx_expansion e;
  uint32_t n;
} fold;

static bool begin_fold(cx_interp *in, const cx_node *n, fold *out) {
  out->from_right = n->a && cx_has_packs(in, n->a);
  out->pattern = out->from_right || !n->b ? n->a : n->b;
  out->other = out->pattern == n->a ? n->b : n->a;
  bool ok = cx_begin_expansion(in, n->loc, out->pattern, &out->e);
  out->n = out->e.n + (out->other != NULL);
  return ok;
}

static cv eval_operand(cx_interp *in, const fold *f, uint32_t i) {
  uint32_t place = f->from_right ? f->n - 1 : 0;
  if (f->other && i == place) return cx_eval(in, f->other);
  cx_expand_to(in, &f->e, f->other && !f->from_right ? i - 1 : i);
  cv v = cx_eval(in, f->pattern);
  cx_end_expansion(in, &f->e);
  return v;
}

/* `&&` and `||`: what stands behind what decides is not evaluated. */
static cv eval_logical_fold(cx_interp *in, const cx_node *n, const fold *f) {
  cv v = to_condition(in, n->loc, eval_operand(in, f, 0));
  bool left;
  for (uint32_t i = 0; i < f->n && v.kind != CV_POISON; i++) {
    bool is_host = cv_is_number(v) || v.kind == CV_POINTER;
    if (is_host && !cx_to_bool(in, n->loc, v, &left)) return cv_poison;
    if (is_host) v = cv_bool(left);
    if (i + 1 == f->n || (is_host && left == (n->op == CX_OP_OR))) return v;
    cx_branch branch = {0};
    bool is_unknown = cx_is_unknown(in, v);
    if (is_unknown) branch = begin_right(in, n, v);
    cv next = to_condition(in, n->loc, eval_operand(in, f, i + 1));
    if (is_unknown) end_right(in, n, v, &branch);
    v = is_host && cv_is_number(next) ? next : cx_binary(in, n->loc, n->op, v, next);
  }
  return v;
}

static cv combined(cx_interp *in, const cx_node *n, cv a, cv b) {
  if (n->op == CX_OP_COMMA) return b;
  if (n->op == CX_OP_SHL && a.kind == CV_IGNORED) return a;
  return cx_operate(in, n->loc, n->op, a, b, NULL);
}

static cv eval_fold(cx_interp *in, const cx_node *n) {
  fold f;
  if (!begin_fold(in, n, &f)) return cv_poison;
  if (f.n == 0) return empty_fold(in, n);
  if (n->op == CX_OP_AND || n->op == CX_OP_OR) return eval_logical_fold(in, n, &f);
  cv *values = pm_arena_alloc(in->arena, f.n * sizeof(cv));
  for (uint32_t i = 0; i < f.n; i++) {
    values[i] = eval_operand(in, &f, i);
    if (values[i].kind == CV_POISON) return cv_poison;
  }
  cv v = values[f.from_right ? f.n - 1 : 0];
  for (uint32_t i = 1; i < f.n; i++)
    v = f.from_right ? combined(in, n, values[f.n - 1 - i], v) : combined(in, n, v, values[i]);
  return v;
}

/* Of a number, and of an array of some; 0: not known. */
static int64_t size_of(cv v) {
  if (cv_is_number(v)) return (int64_t)pm_scalar_bytes((pm_scalar)v.scalar);
  bool is_array = v.kind == CV_LIST && !v.list->of && v.list->items.len;
  return is_array ? size_of(v.list->items.data[0]->value) * (int64_t)v.list->items.len : 0;
}

static cv eval_sizeof(cx_interp *in, const cx_node *n) {
  pm_scalar type;
  if (n->is_long) return eval_length(in, n);
  if (n->a->kind == CX_TYPE || n->a->kind == CX_NAME) {
    cx_node named = {.kind = CX_TYPE, .name = n->a->name, .loc = n->loc};
    if (cx_scalar_of(in, &named, &type)) return cv_int(PM_U64, (int64_t)pm_scalar_bytes(type));
  }
  cv v = n->a->kind == CX_TYPE ? cv_void : cx_eval(in, n->a);
  if (v.kind == CV_POISON || size_of(v)) return v.kind == CV_POISON ? v : cv_int(PM_U64, size_of(v));
  return cx_fail(in, n->loc,
                 "the size of this is not known here, that of a number or of an array of some is");
}

/* Of n values, or of one. */
static cv eval_new(cx_interp *in, const cx_node *n) {
  cv count, array;
  int64_t len;
  if (!n->b) {
    cx_arguments a = cx_eval_arguments(in, n->items, n->n_items);
    cv v = a.ok ? cx_construct(in, n->loc, n->a, &a, false, NULL) : cv_poison;
    return v.kind == CV_POISON ? v : (cv){.kind = CV_POINTER, .cell = cx_new_cell(in, v)};
  }
  count = cx_eval(in, n->b);
  if (in->library->new_array && in->library->new_array(in, n->loc, n->a, count, &array)) return array;
  if (!cx_to_int(in, n->b->loc, count, &len, "the number of values")) return cv_poison;
  if (len < 0 || len > CX_MAX_ITEMS)
    return cx_fail(in, n->b->loc, "%lld values are asked for, there may be 0 to %d", (long long)len,
                   CX_MAX_ITEMS);
  array = cx_new_list(in, CV_LIST);
  array.list->of = cx_resolve(in, n->a);
  for (int64_t i = 0; i < len; i++)
    cx_append(in, array, cx_construct(in, n->loc, n->a, &cx_no_arguments, false, NULL));
  return array;
}

static cv eval_string(cx_interp *in, const cx_node *n) {
  cv text = cv_text(in->ctx, n->text.ptr, n->text.len);
  text.scalar = 1; /* a literal */
  return text;
}

static cv eval_this(cx_interp *in, const cx_node *n) {
  cx_object *object = cx_current_object(in);
  const cx_instance *of = cx_current_class(in);
  if (!object) return cx_fail(in, n->loc, "there is no object here");
  cv self = {.kind = CV_OBJECT, .object = object};
  for (uint32_t i = 1; i < object->parts.len; i++)
    if (object->parts.data[i]->instance == of) self.number = i + 1;
  return self;
}

static cv eval_cast(cx_interp *in, const cx_node *n) {
  cv v = cx_eval(in, n->b);
  cx_arguments a = cx_values_as_arguments(in, n->b->loc, &v, 1);
  return cx_construct(in, n->loc, n->a, &a, false, NULL);
}

static cv eval_node(cx_interp *in, const cx_node *n) {
  cx_cell *cell;
  switch (n->kind) {
  case CX_NAME:
    return eval_name(in, n);
  case CX_INT:
    return cv_int(n->is_long ? (n->is_unsigned ? PM_U64 : PM_I64) : n->is_unsigned ? PM_U32 : PM_I32, n->i);
  case CX_FLOAT:
    return cv_float(n->is_single ? PM_F32 : PM_F64, n->f);
  case CX_STRING:
    return eval_string(in, n);
  case CX_CHAR:
    return cv_int(PM_I8, n->i);
  case CX_BOOL:
    return cv_bool(n->i);
  case CX_NULLPTR:
    return (cv){.kind = CV_POINTER};
  case CX_THIS:
    return eval_this(in, n);
  case CX_MEMBER:
    return cx_eval_member(in, n, &cell);
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
    return cx_eval_ternary(in, n, &cell);
  case CX_LAMBDA:
    return cx_eval_lambda(in, n);
  case CX_CAST:
    return eval_cast(in, n);
  case CX_SIZEOF:
    return eval_sizeof(in, n);
  case CX_NEW:
    return eval_new(in, n);
  case CX_DELETE:
    return cx_eval(in, n->a).kind == CV_POISON ? cv_poison : cv_void;
  case CX_FOLD:
    return eval_fold(in, n);
  case CX_EXPANSION:
    return cx_fail(in, n->loc, "'...' is here, it should be in a list of arguments");
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
