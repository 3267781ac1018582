/* Operators of C++ on its values. What one of the library's is an operand of is the library's to compute. */
#include "frontends/cxx/library.h"
#include "frontends/cxx/values/values.h"

#include <string.h>

/* --- numbers --- */

pm_scalar cx_usual_type(cv a, cv b) {
  pm_scalar s = (pm_scalar)a.scalar, t = (pm_scalar)b.scalar;
  if (a.kind == CV_FLOAT || b.kind == CV_FLOAT) {
    if (a.kind == b.kind) return s > t ? s : t;
    return a.kind == CV_FLOAT ? s : t;
  }
  if (cx_bits(s) < 32 || s == PM_I32) s = PM_I32;
  if (cx_bits(t) < 32 || t == PM_I32) t = PM_I32;
  if (cx_bits(s) == cx_bits(t)) return cx_is_unsigned(s) ? s : t;
  return cx_bits(s) > cx_bits(t) ? s : t;
}

static cv compared(cx_op op, bool less, bool equal, bool ordered) {
  switch (op) {
  case CX_OP_LT:
    return cv_bool(less);
  case CX_OP_LE:
    return cv_bool(less || equal);
  case CX_OP_GT:
    return cv_bool(ordered && !less && !equal);
  case CX_OP_GE:
    return cv_bool(ordered && !less);
  case CX_OP_EQ:
    return cv_bool(equal);
  default:
    return cv_bool(!equal);
  }
}

static bool is_comparison(cx_op op) {
  return op >= CX_OP_LT && op <= CX_OP_NE;
}

static cv bad_operator(cx_interp *in, pm_loc loc, cx_op op, cv a, cv b) {
  return cx_fail(in, loc, "the operands of '%s' are %s and %s, which it does not take", cx_op_text(op),
                 cv_describe(in, a), cv_describe(in, b));
}

static cv binary_floats(cx_interp *in, pm_loc loc, cx_op op, cv a, cv b) {
  pm_scalar type = cx_usual_type(a, b);
  double x = cv_rounded(type, a), y = cv_rounded(type, b);
  if (is_comparison(op)) return compared(op, x < y, x == y, x == x && y == y);
  switch (op) {
  case CX_OP_ADD:
    return cv_float(type, x + y);
  case CX_OP_SUB:
    return cv_float(type, x - y);
  case CX_OP_MUL:
    return cv_float(type, x * y);
  case CX_OP_DIV:
    return cv_float(type, x / y);
  default:
    return bad_operator(in, loc, op, a, b);
  }
}

static cv divide_ints(cx_interp *in, pm_loc loc, cx_op op, pm_scalar type, int64_t a, int64_t b) {
  if (b == 0) return cx_fail(in, loc, "the divisor is 0, it should not be");
  if (cx_is_unsigned(type)) {
    uint64_t x = (uint64_t)a, y = (uint64_t)b;
    return cv_int(type, (int64_t)(op == CX_OP_DIV ? x / y : x % y));
  }
  if (b == -1) return cv_int(type, op == CX_OP_DIV ? (int64_t)(0 - (uint64_t)a) : 0);
  return cv_int(type, op == CX_OP_DIV ? a / b : a % b);
}

/* The type of a shift is that of its left operand. */
static cv shift_ints(cx_interp *in, pm_loc loc, cx_op op, cv a, int64_t by) {
  pm_scalar type = cx_usual_type(a, cv_int(PM_I32, 0));
  if (by < 0 || by >= (int64_t)cx_bits(type))
    return cx_fail(in, loc, "the amount of the shift is %lld, it should be 0 to %u", (long long)by,
                   cx_bits(type) - 1);
  if (op == CX_OP_SHL) return cv_int(type, (int64_t)((uint64_t)a.i << by));
  return cv_int(type, cx_is_unsigned(type) ? (int64_t)((uint64_t)a.i >> by) : a.i >> by);
}

static cv binary_ints(cx_interp *in, pm_loc loc, cx_op op, cv a, cv b) {
  pm_scalar type = cx_usual_type(a, b);
  int64_t x = cv_int(type, a.i).i, y = cv_int(type, b.i).i;
  bool less = cx_is_unsigned(type) ? (uint64_t)x < (uint64_t)y : x < y;
  if (is_comparison(op)) return compared(op, less, x == y, true);
  switch (op) {
  case CX_OP_ADD:
    return cv_int(type, pm_wrap_add(x, y));
  case CX_OP_SUB:
    return cv_int(type, (int64_t)((uint64_t)x - (uint64_t)y));
  case CX_OP_MUL:
    return cv_int(type, pm_wrap_mul(x, y));
  case CX_OP_DIV:
  case CX_OP_MOD:
    return divide_ints(in, loc, op, type, x, y);
  case CX_OP_SHL:
  case CX_OP_SHR:
    return shift_ints(in, loc, op, a, b.i);
  case CX_OP_BIT_AND:
    return cv_int(type, x & y);
  case CX_OP_BIT_OR:
    return cv_int(type, x | y);
  case CX_OP_BIT_XOR:
    return cv_int(type, x ^ y);
  default:
    return bad_operator(in, loc, op, a, b);
  }
}

/* --- other values --- */

static cv join_texts(cx_interp *in, pm_loc loc, cv a, cv b) {
  pm_buf text = {0};
  if (a.text->len + b.text->len > CX_MAX_TEXT)
    return cx_fail(in, loc, "the string has more than %d characters, it should not grow further",
                   CX_MAX_TEXT);
  in->text_bytes += a.text->len + b.text->len;
  pm_buf_put(&text, a.text->text, a.text->len);
  pm_buf_put(&text, b.text->text, b.text->len);
  cv joined = cv_text(in->ctx, text.data, text.len);
  pm_buf_free(&text);
  return joined;
}

static bool is_character(cv v) {
  return v.kind == CV_INT && v.scalar == PM_I8;
}

static cv text_of(cx_interp *in, cv character) {
  char c = (char)character.i;
  return cv_text(in->ctx, &c, 1);
}

static bool is_same_list(cx_interp *in, pm_loc loc, const cx_list *a, const cx_list *b) {
  bool same = a->items.len == b->items.len;
  for (uint32_t i = 0; same && i < a->items.len && cx_may_go_on(in, loc); i++) {
    cv one = cx_binary(in, loc, CX_OP_EQ, a->items.data[i]->value, b->items.data[i]->value);
    same = one.kind == CV_INT && one.i;
  }
  return same;
}

/* In the order of the first items that differ; a shorter one that has all items comes first. */
static cv compare_lists(cx_interp *in, pm_loc loc, cx_op op, const cx_list *a, const cx_list *b) {
  for (uint32_t i = 0; i < a->items.len && i < b->items.len && cx_may_go_on(in, loc); i++) {
    cv x = a->items.data[i]->value, y = b->items.data[i]->value;
    cv less = cx_binary(in, loc, CX_OP_LT, x, y), greater = cx_binary(in, loc, CX_OP_LT, y, x);
    if (less.kind != CV_INT || greater.kind != CV_INT) return cv_poison;
    if (less.i || greater.i) return compared(op, less.i, false, true);
  }
  return compared(op, a->items.len < b->items.len, a->items.len == b->items.len, true);
}

static bool is_same_other(cv a, cv b) {
  switch (a.kind) {
  case CV_STRING:
    return a.text == b.text;
  case CV_POINTER:
    return a.cell == b.cell;
  case CV_ITERATOR:
    return a.list == b.list && a.number == b.number;
  default:
    return false;
  }
}

/* it + 1, end - it; false: it is something else. */
static bool move_iterator(cx_interp *in, pm_loc loc, cx_op op, cv a, cv b, cv *out) {
  if (a.kind != CV_ITERATOR || (op != CX_OP_ADD && op != CX_OP_SUB)) return false;
  if (b.kind == CV_ITERATOR && op == CX_OP_SUB)
    return *out = cv_int(PM_I64, (int64_t)a.number - b.number), true;
  if (b.kind != CV_INT) return false;
  bool near = b.i >= -CX_MAX_ITEMS && b.i <= CX_MAX_ITEMS;
  int64_t to = near ? (int64_t)a.number + (op == CX_OP_ADD ? b.i : -b.i) : -1;
  *out = a;
  out->number = (uint32_t)to;
  if (to < 0 || to > (int64_t)a.list->items.len) *out = cx_fail(in, loc, "the iterator leaves the list");
  return true;
}

static cv binary_others(cx_interp *in, pm_loc loc, cx_op op, cv a, cv b) {
  cv moved;
  if (move_iterator(in, loc, op, a, b, &moved)) return moved;
  if (op == CX_OP_ADD && is_character(a) && b.kind == CV_STRING) a = text_of(in, a);
  if (op == CX_OP_ADD && is_character(b) && a.kind == CV_STRING) b = text_of(in, b);
  if (a.kind == CV_STRING && b.kind == CV_STRING && op == CX_OP_ADD) return join_texts(in, loc, a, b);
  if (a.kind == CV_STRING && b.kind == CV_STRING && is_comparison(op)) {
    int order = strcmp(a.text->text, b.text->text);
    return compared(op, order < 0, order == 0, true);
  }
  if (a.kind == CV_LIST && b.kind == CV_LIST && (op == CX_OP_EQ || op == CX_OP_NE))
    return cv_bool(is_same_list(in, loc, a.list, b.list) == (op == CX_OP_EQ));
  if (a.kind == CV_LIST && b.kind == CV_LIST && is_comparison(op))
    return compare_lists(in, loc, op, a.list, b.list);
  if (a.kind == b.kind && a.kind < CV_LIBRARY && (op == CX_OP_EQ || op == CX_OP_NE))
    return cv_bool(is_same_other(a, b) == (op == CX_OP_EQ));
  if (a.kind == CV_IGNORED || b.kind == CV_IGNORED) return (cv){.kind = CV_IGNORED};
  return bad_operator(in, loc, op, a, b);
}

cv cx_binary(cx_interp *in, pm_loc loc, cx_op op, cv a, cv b) {
  cv result;
  bool is_own = a.kind >= CV_LIBRARY || b.kind >= CV_LIBRARY;
  if (a.kind == CV_POISON || b.kind == CV_POISON) return cv_poison;
  if (cv_is_number(a) && cv_is_number(b))
    return a.kind == CV_INT && b.kind == CV_INT ? binary_ints(in, loc, op, a, b)
                                                : binary_floats(in, loc, op, a, b);
  for (const cx_library *l = in->library; l; l = l->base)
    if ((is_own || !l->classes) && l->binary && l->binary(in, loc, op, a, b, &result)) return result;
  return binary_others(in, loc, op, a, b);
}

/* --- one operand --- */

static cv bad_operand(cx_interp *in, pm_loc loc, cx_op op, cv a) {
  return cx_fail(in, loc, "the operand of '%s' is %s, which it does not take", cx_op_text(op),
                 cv_describe(in, a));
}

static cv unary_number(cx_interp *in, pm_loc loc, cx_op op, cv a) {
  pm_scalar type = cx_usual_type(a, cv_int(PM_I32, 0));
  if (op == CX_OP_ADD) return a.kind == CV_INT ? cv_int(type, a.i) : a;
  if (op == CX_OP_SUB && a.kind == CV_FLOAT) return cv_float((pm_scalar)a.scalar, -a.f);
  if (op == CX_OP_SUB) return cv_int(type, (int64_t)(0 - (uint64_t)a.i));
  if (op == CX_OP_BIT_NOT && a.kind == CV_INT) return cv_int(type, ~a.i);
  return bad_operand(in, loc, op, a);
}

cv cx_unary(cx_interp *in, pm_loc loc, cx_op op, cv a) {
  cv result;
  bool truth;
  if (a.kind == CV_POISON) return a;
  if (a.kind >= CV_LIBRARY && in->library->unary && in->library->unary(in, loc, op, a, &result))
    return result;
  if (op == CX_OP_NOT) return cx_to_bool(in, loc, a, &truth) ? cv_bool(!truth) : cv_poison;
  return cv_is_number(a) ? unary_number(in, loc, op, a) : bad_operand(in, loc, op, a);
}
