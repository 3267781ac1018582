/* Operators: on numbers of the host code by C++'s rules, on Exprs by Halide's. */
#include "frontends/halide/interp.h"

#include <math.h>
#include <string.h>

/* --- numbers --- */

/* The type in which C++ computes with both. */
static pm_scalar usual_type(hv a, hv b) {
  pm_scalar s = (pm_scalar)a.scalar, t = (pm_scalar)b.scalar;
  if (a.kind == HV_FLOAT || b.kind == HV_FLOAT) {
    if (a.kind == b.kind) return s > t ? s : t;
    return a.kind == HV_FLOAT ? s : t;
  }
  if (hx_bits(s) < 32 || s == PM_I32) s = PM_I32;
  if (hx_bits(t) < 32 || t == PM_I32) t = PM_I32;
  if (hx_bits(s) == hx_bits(t)) return hx_is_unsigned_type(s) ? s : t;
  return hx_bits(s) > hx_bits(t) ? s : t;
}

static double as_double(hv v) {
  if (v.kind == HV_FLOAT) return v.f;
  return hx_is_unsigned_type((pm_scalar)v.scalar) ? (double)(uint64_t)v.i : (double)v.i;
}

static hv compared(cx_op op, bool less, bool equal, bool ordered) {
  switch (op) {
  case CX_OP_LT:
    return hv_bool(less);
  case CX_OP_LE:
    return hv_bool(less || equal);
  case CX_OP_GT:
    return hv_bool(ordered && !less && !equal);
  case CX_OP_GE:
    return hv_bool(ordered && !less);
  case CX_OP_EQ:
    return hv_bool(equal);
  default:
    return hv_bool(!equal);
  }
}

static bool is_comparison(cx_op op) {
  return op >= CX_OP_LT && op <= CX_OP_NE;
}

static hv bad_operator(h_interp *in, pm_loc loc, cx_op op, hv a, hv b) {
  return h_fail(in, loc, "the operands of '%s' are %s and %s, which it does not take", cx_op_text(op),
                hv_describe(a), hv_describe(b));
}

static hv binary_floats(h_interp *in, pm_loc loc, cx_op op, hv a, hv b) {
  pm_scalar type = usual_type(a, b);
  double x = as_double(a), y = as_double(b);
  if (is_comparison(op)) return compared(op, x < y, x == y, x == x && y == y);
  switch (op) {
  case CX_OP_ADD:
    return hv_float(type, x + y);
  case CX_OP_SUB:
    return hv_float(type, x - y);
  case CX_OP_MUL:
    return hv_float(type, x * y);
  case CX_OP_DIV:
    return hv_float(type, x / y);
  default:
    return bad_operator(in, loc, op, a, b);
  }
}

static hv divide_ints(h_interp *in, pm_loc loc, cx_op op, pm_scalar type, int64_t a, int64_t b) {
  if (b == 0) return h_fail(in, loc, "the divisor is 0, it should not be");
  if (hx_is_unsigned_type(type)) {
    uint64_t x = (uint64_t)a, y = (uint64_t)b;
    return hv_int(type, (int64_t)(op == CX_OP_DIV ? x / y : x % y));
  }
  if (b == -1) return hv_int(type, op == CX_OP_DIV ? (int64_t)(0 - (uint64_t)a) : 0);
  return hv_int(type, op == CX_OP_DIV ? a / b : a % b);
}

/* The type of a shift is that of its left operand. */
static hv shift_ints(h_interp *in, pm_loc loc, cx_op op, hv a, int64_t by) {
  pm_scalar type = usual_type(a, hv_int(PM_I32, 0));
  if (by < 0 || by >= (int64_t)hx_bits(type))
    return h_fail(in, loc, "the amount of the shift is %lld, it should be 0 to %u", (long long)by,
                  hx_bits(type) - 1);
  if (op == CX_OP_SHL) return hv_int(type, (int64_t)((uint64_t)a.i << by));
  return hv_int(type, hx_is_unsigned_type(type) ? (int64_t)((uint64_t)a.i >> by) : a.i >> by);
}

static hv binary_ints(h_interp *in, pm_loc loc, cx_op op, hv a, hv b) {
  pm_scalar type = usual_type(a, b);
  int64_t x = hv_int(type, a.i).i, y = hv_int(type, b.i).i;
  bool less = hx_is_unsigned_type(type) ? (uint64_t)x < (uint64_t)y : x < y;
  if (is_comparison(op)) return compared(op, less, x == y, true);
  switch (op) {
  case CX_OP_ADD:
    return hv_int(type, pm_wrap_add(x, y));
  case CX_OP_SUB:
    return hv_int(type, (int64_t)((uint64_t)x - (uint64_t)y));
  case CX_OP_MUL:
    return hv_int(type, pm_wrap_mul(x, y));
  case CX_OP_DIV:
  case CX_OP_MOD:
    return divide_ints(in, loc, op, type, x, y);
  case CX_OP_SHL:
  case CX_OP_SHR:
    return shift_ints(in, loc, op, a, b.i);
  case CX_OP_BIT_AND:
    return hv_int(type, x & y);
  case CX_OP_BIT_OR:
    return hv_int(type, x | y);
  case CX_OP_BIT_XOR:
    return hv_int(type, x ^ y);
  default:
    return bad_operator(in, loc, op, a, b);
  }
}

/* --- Exprs --- */

static hv expr_or_poison(hx *e) {
  return e ? hv_expr(e) : hv_poison;
}

/* The amount of a shift and the operands of `&` keep their own types. */
static hv bit_exprs(h_interp *in, pm_loc loc, cx_op op, hv a, hv b) {
  hx *left, *right;
  if (op == CX_OP_SHL || op == CX_OP_SHR) {
    left = h_to_expr(in, loc, a);
    right = h_to_expr(in, loc, b);
    if (!left || !right) return hv_poison;
    return expr_or_poison(hx_shift(&in->program, loc, op == CX_OP_SHL ? HX_SHL : HX_SHR, left, right));
  }
  if (!h_to_exprs(in, loc, a, b, &left, &right)) return hv_poison;
  hx_op bit = op == CX_OP_BIT_AND ? HX_BIT_AND : op == CX_OP_BIT_OR ? HX_BIT_OR : HX_BIT_XOR;
  return expr_or_poison(hx_bitwise(&in->program, loc, bit, left, right));
}

/* && and || beside a bool that is known. */
static hv as_condition(h_interp *in, pm_loc loc, hv v) {
  return v.kind == HV_INT && v.scalar == PM_I1 ? hv_expr(hx_int(&in->program, loc, PM_I1, v.i)) : v;
}

static hv binary_exprs(h_interp *in, pm_loc loc, cx_op op, hv a, hv b) {
  static const struct {
    cx_op op;
    hx_op is;
  } ops[] = {{CX_OP_ADD, HX_ADD},  {CX_OP_SUB, HX_SUB}, {CX_OP_MUL, HX_MUL}, {CX_OP_DIV, HX_DIV},
             {CX_OP_MOD, HX_MOD},  {CX_OP_LT, HX_LT},   {CX_OP_LE, HX_LE},   {CX_OP_GT, HX_GT},
             {CX_OP_GE, HX_GE},    {CX_OP_EQ, HX_EQ},   {CX_OP_NE, HX_NE},   {CX_OP_AND, HX_BIT_AND},
             {CX_OP_OR, HX_BIT_OR}};
  hx *left, *right;
  if (op == CX_OP_AND || op == CX_OP_OR) {
    a = as_condition(in, loc, a);
    b = as_condition(in, loc, b);
  }
  for (size_t i = 0; i < PM_COUNT(ops); i++) {
    if (ops[i].op != op) continue;
    if (!h_to_exprs(in, loc, a, b, &left, &right)) return hv_poison;
    return expr_or_poison(hx_binary(&in->program, loc, ops[i].is, left, right));
  }
  return bit_exprs(in, loc, op, a, b);
}

static bool is_expr_like(hv v) {
  switch (v.kind) {
  case HV_EXPR:
  case HV_VAR:
  case HV_PARAM:
  case HV_REF:
  case HV_RDOM:
    return true;
  default:
    return false;
  }
}

/* --- other values --- */

static hv join_texts(h_interp *in, pm_loc loc, hv a, hv b) {
  pm_buf text = {0};
  if (a.text->len + b.text->len > H_MAX_TEXT)
    return h_fail(in, loc, "the string has more than %d characters, it should not grow further", H_MAX_TEXT);
  in->text_bytes += a.text->len + b.text->len;
  pm_buf_put(&text, a.text->text, a.text->len);
  pm_buf_put(&text, b.text->text, b.text->len);
  hv joined = hv_text(in->ctx, text.data, text.len);
  pm_buf_free(&text);
  return joined;
}

static bool is_same_list(h_interp *in, pm_loc loc, const hv_list *a, const hv_list *b) {
  bool same = a->items.len == b->items.len;
  for (uint32_t i = 0; same && i < a->items.len && h_may_go_on(in, loc); i++) {
    hv one = h_binary(in, loc, CX_OP_EQ, a->items.data[i]->value, b->items.data[i]->value);
    same = one.kind == HV_INT && one.i;
  }
  return same;
}

static bool is_same_other(hv a, hv b) {
  switch (a.kind) {
  case HV_TYPE:
    return a.scalar == b.scalar;
  case HV_STRING:
  case HV_WORD:
    return a.text == b.text;
  case HV_POINTER:
    return a.cell == b.cell;
  case HV_ITERATOR:
    return a.list == b.list && a.number == b.number;
  default:
    return false;
  }
}

/* it + 1, end - it; false: it is something else. */
static bool move_iterator(h_interp *in, pm_loc loc, cx_op op, hv a, hv b, hv *out) {
  if (a.kind != HV_ITERATOR || (op != CX_OP_ADD && op != CX_OP_SUB)) return false;
  if (b.kind == HV_ITERATOR && op == CX_OP_SUB)
    return *out = hv_int(PM_I64, (int64_t)a.number - b.number), true;
  if (b.kind != HV_INT) return false;
  bool near = b.i >= -H_MAX_ITEMS && b.i <= H_MAX_ITEMS;
  int64_t to = near ? (int64_t)a.number + (op == CX_OP_ADD ? b.i : -b.i) : -1;
  *out = a;
  out->number = (uint32_t)to;
  if (to < 0 || to > (int64_t)a.list->items.len) *out = h_fail(in, loc, "the iterator leaves the list");
  return true;
}

static hv binary_others(h_interp *in, pm_loc loc, cx_op op, hv a, hv b) {
  hv moved;
  if (move_iterator(in, loc, op, a, b, &moved)) return moved;
  if (a.kind == HV_STRING && b.kind == HV_STRING && op == CX_OP_ADD) return join_texts(in, loc, a, b);
  if (a.kind == HV_STRING && b.kind == HV_STRING && is_comparison(op)) {
    int order = strcmp(a.text->text, b.text->text);
    return compared(op, order < 0, order == 0, true);
  }
  if (a.kind == HV_LIST && b.kind == HV_LIST && (op == CX_OP_EQ || op == CX_OP_NE))
    return hv_bool(is_same_list(in, loc, a.list, b.list) == (op == CX_OP_EQ));
  if (a.kind == b.kind && (op == CX_OP_EQ || op == CX_OP_NE) && a.kind != HV_FUNC && a.kind != HV_BUFFER)
    return hv_bool(is_same_other(a, b) == (op == CX_OP_EQ));
  if (a.kind == HV_IGNORED || b.kind == HV_IGNORED) return (hv){.kind = HV_IGNORED};
  return bad_operator(in, loc, op, a, b);
}

hv h_binary(h_interp *in, pm_loc loc, cx_op op, hv a, hv b) {
  if (a.kind == HV_POISON || b.kind == HV_POISON) return hv_poison;
  if (hv_is_number(a) && hv_is_number(b))
    return a.kind == HV_INT && b.kind == HV_INT ? binary_ints(in, loc, op, a, b)
                                                : binary_floats(in, loc, op, a, b);
  bool exprs = is_expr_like(a) ? is_expr_like(b) || hv_is_number(b) : is_expr_like(b) && hv_is_number(a);
  return exprs ? binary_exprs(in, loc, op, a, b) : binary_others(in, loc, op, a, b);
}

static hv unary_number(h_interp *in, pm_loc loc, cx_op op, hv a) {
  hv zero = hv_int(PM_I32, 0);
  pm_scalar type = usual_type(a, zero);
  if (op == CX_OP_ADD) return a.kind == HV_INT ? hv_int(type, a.i) : a;
  if (op == CX_OP_SUB && a.kind == HV_FLOAT) return hv_float((pm_scalar)a.scalar, -a.f);
  if (op == CX_OP_SUB) return hv_int(type, (int64_t)(0 - (uint64_t)a.i));
  if (op == CX_OP_BIT_NOT && a.kind == HV_INT) return hv_int(type, ~a.i);
  return h_fail(in, loc, "the operand of '%s' is %s, which it does not take", cx_op_text(op), hv_describe(a));
}

hv h_unary(h_interp *in, pm_loc loc, cx_op op, hv a) {
  bool truth;
  if (a.kind == HV_POISON) return a;
  if (op == CX_OP_NOT && !is_expr_like(a)) return h_to_bool(in, loc, a, &truth) ? hv_bool(!truth) : hv_poison;
  if (hv_is_number(a)) return unary_number(in, loc, op, a);
  if (!is_expr_like(a))
    return h_fail(in, loc, "the operand of '%s' is %s, which it does not take", cx_op_text(op),
                  hv_describe(a));
  hx *e = h_to_expr(in, loc, a);
  if (!e) return hv_poison;
  if (op == CX_OP_ADD) return hv_expr(e);
  if (op == CX_OP_SUB) return hv_expr(hx_negate(&in->program, loc, e));
  if (op == CX_OP_NOT) return expr_or_poison(hx_not(&in->program, loc, e));
  if (op == CX_OP_BIT_NOT && !hx_is_float_type((pm_scalar)e->type)) {
    hx *ones = hx_int(&in->program, loc, (pm_scalar)e->type, -1);
    return hv_expr(hx_node2(&in->program, loc, HX_BIT_XOR, e, ones));
  }
  return h_fail(in, loc, "the operand of '%s' is %s, which it does not take", cx_op_text(op), hv_describe(a));
}
