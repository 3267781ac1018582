/* Operators on values of Halide's classes, by its rules. */
#include "frontends/halide/evaluate/evaluate.h"

/* The amount of a shift and the operands of `&` keep their own types. An amount that is a number of C++ is
 * one of the left operand's bits. */
static cv bit_exprs(cx_interp *in, pm_loc loc, cx_op op, cv a, cv b) {
  hx *left, *right;
  if (op == CX_OP_SHL || op == CX_OP_SHR) {
    left = h_to_expr(in, loc, a);
    right = b.kind == CV_INT ? hx_int(h_program_of(in), loc, PM_I32, b.i) : h_to_expr(in, loc, b);
    if (!left || !right) return cv_poison;
    if (b.kind != CV_INT && right->op == HX_INT) hx_widen(h_program_of(in), &left, right);
    return hv_expr_or_poison(hx_shift(h_program_of(in), loc, op == CX_OP_SHL ? HX_SHL : HX_SHR, left, right));
  }
  if (!h_to_exprs(in, loc, a, b, &left, &right)) return cv_poison;
  hx_op bit = op == CX_OP_BIT_AND ? HX_BIT_AND : op == CX_OP_BIT_OR ? HX_BIT_OR : HX_BIT_XOR;
  return hv_expr_or_poison(hx_bitwise(h_program_of(in), loc, bit, left, right));
}

/* && and || beside a bool that is known. */
static cv as_condition(cx_interp *in, pm_loc loc, cv v) {
  return v.kind == CV_INT && v.scalar == PM_I1 ? hv_expr(hx_int(h_program_of(in), loc, PM_I1, v.i)) : v;
}

static cv binary_exprs(cx_interp *in, pm_loc loc, cx_op op, cv a, cv b) {
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
    if (!h_to_exprs(in, loc, a, b, &left, &right)) return cv_poison;
    return hv_expr_or_poison(hx_binary(h_program_of(in), loc, ops[i].is, left, right));
  }
  return bit_exprs(in, loc, op, a, b);
}

static bool is_expr_like(cv v) {
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

/* Two values of one kind that are no Exprs; those of Funcs are not compared. */
static bool compare_others(cx_op op, cv a, cv b, cv *out) {
  bool comparable = a.kind == b.kind && a.kind != HV_FUNC && a.kind != HV_BUFFER;
  if (!comparable || (op != CX_OP_EQ && op != CX_OP_NE)) return false;
  bool same = (a.kind == HV_TYPE && a.scalar == b.scalar) || (a.kind == HV_WORD && a.text == b.text);
  *out = cv_bool(same == (op == CX_OP_EQ));
  return true;
}

bool h_binary(cx_interp *in, pm_loc loc, cx_op op, cv a, cv b, cv *out) {
  bool exprs = is_expr_like(a) ? is_expr_like(b) || cv_is_number(b) : is_expr_like(b) && cv_is_number(a);
  if (!exprs) return compare_others(op, a, b, out);
  *out = binary_exprs(in, loc, op, a, b);
  return true;
}

/* NULL with *known false: the operator does not take the operand. */
static hx *unary_expr(h_program *p, pm_loc loc, cx_op op, hx *e, bool *known) {
  *known = op != CX_OP_BIT_NOT || !cx_is_float((pm_scalar)e->type);
  if (op == CX_OP_ADD) return e;
  if (op == CX_OP_SUB) return hx_negate(p, loc, e);
  if (op == CX_OP_NOT) return hx_not(p, loc, e);
  if (op == CX_OP_BIT_NOT && *known)
    return hx_node2(p, loc, HX_BIT_XOR, e, hx_int(p, loc, (pm_scalar)e->type, -1));
  return NULL;
}

bool h_unary(cx_interp *in, pm_loc loc, cx_op op, cv a, cv *out) {
  bool known = true;
  if (!is_expr_like(a)) return false;
  hx *e = h_to_expr(in, loc, a);
  *out = hv_expr_or_poison(e ? unary_expr(h_program_of(in), loc, op, e, &known) : NULL);
  return known;
}
