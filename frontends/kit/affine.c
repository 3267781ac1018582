/* Expressions and conditions in isl's notation. */
#include "frontends/kit/kit.h"

#include <stdlib.h>

/* An expression is looked through only so far, because shared parts are written out again each time. */
enum { AFFINE_MAX_NODES = 2000, AFFINE_MAX_DEPTH = 300 };

typedef struct affine_text {
  const kit_exprs *x;
  pm_buf *out;
  unsigned nodes;
  kit_refusal *refusal;
} affine_text;

static kit_node show(const kit_exprs *x, const void *expr) {
  return x->show(x->user, expr);
}

static bool put_expr(affine_text *t, const void *expr, unsigned depth);

static bool refuse(affine_text *t, const kit_node *e, const char *why) {
  *t->refusal = (kit_refusal){e->loc, why};
  return false;
}

bool kit_constant(const kit_exprs *x, const void *expr, int64_t *value) {
  kit_node e = show(x, expr);
  bool negative = e.kind == KIT_NEG;
  if (negative) e = show(x, e.args[0]);
  if (e.kind != KIT_INT || e.value == INT64_MIN) return false;
  *value = negative ? -e.value : e.value;
  return true;
}

static bool is_compound(const kit_node *e) {
  return e->kind == KIT_ADD || e->kind == KIT_SUB || e->kind == KIT_NEG ||
         (e->kind == KIT_INT && e->value < 0);
}

static bool put_operand(affine_text *t, const void *expr, unsigned depth, bool parens) {
  if (parens) pm_buf_putc(t->out, '(');
  if (!put_expr(t, expr, depth + 1)) return false;
  if (parens) pm_buf_putc(t->out, ')');
  return true;
}

static bool put_sum(affine_text *t, const kit_node *e, unsigned depth) {
  kit_node right = show(t->x, e->args[1]);
  if (!put_operand(t, e->args[0], depth, false)) return false;
  pm_buf_puts(t->out, e->kind == KIT_ADD ? " + " : " - ");
  return put_operand(t, e->args[1], depth, is_compound(&right));
}

static bool put_product(affine_text *t, const kit_node *e, unsigned depth) {
  int64_t factor;
  const void *other = e->args[1];
  if (!kit_constant(t->x, e->args[0], &factor)) {
    other = e->args[0];
    if (!kit_constant(t->x, e->args[1], &factor)) return refuse(t, e, "a product of two expressions");
  }
  pm_buf_printf(t->out, factor < 0 ? "(%lld)*" : "%lld*", (long long)factor);
  return put_operand(t, other, depth, true);
}

static bool put_quotient(affine_text *t, const kit_node *e, unsigned depth) {
  int64_t divisor;
  if (!kit_constant(t->x, e->args[1], &divisor) || divisor == 0)
    return refuse(t, e, "a division by something else than a constant");
  pm_buf_puts(t->out, divisor < 0 ? "floor(-(" : "floor((");
  if (!put_expr(t, e->args[0], depth + 1)) return false;
  pm_buf_printf(t->out, ")/%lld)", (long long)(divisor < 0 ? -divisor : divisor));
  return true;
}

static bool put_remainder(affine_text *t, const kit_node *e, unsigned depth) {
  int64_t divisor;
  if (!kit_constant(t->x, e->args[1], &divisor) || divisor == 0)
    return refuse(t, e, "a remainder of a division by something else than a constant");
  pm_buf_puts(t->out, "((");
  if (!put_expr(t, e->args[0], depth + 1)) return false;
  pm_buf_printf(t->out, ") mod %lld)", (long long)(divisor < 0 ? -divisor : divisor));
  return true;
}

static bool put_extreme(affine_text *t, const kit_node *e, unsigned depth) {
  pm_buf_puts(t->out, e->kind == KIT_MIN ? "min(" : "max(");
  if (!put_expr(t, e->args[0], depth)) return false;
  pm_buf_puts(t->out, ", ");
  if (!put_expr(t, e->args[1], depth)) return false;
  pm_buf_puts(t->out, ")");
  return true;
}

static bool put_expr(affine_text *t, const void *expr, unsigned depth) {
  kit_node e = show(t->x, expr);
  if (++t->nodes > AFFINE_MAX_NODES || depth > AFFINE_MAX_DEPTH)
    return refuse(t, &e, "too long an expression");
  switch (e.kind) {
  case KIT_INT:
    pm_buf_printf(t->out, "%lld", (long long)e.value);
    return true;
  case KIT_NAME:
    pm_buf_puts(t->out, e.name);
    return true;
  case KIT_ADD:
  case KIT_SUB:
    return put_sum(t, &e, depth);
  case KIT_NEG:
    pm_buf_putc(t->out, '-');
    return put_operand(t, e.args[0], depth, true);
  case KIT_MUL:
    return put_product(t, &e, depth);
  case KIT_DIV:
    return put_quotient(t, &e, depth);
  case KIT_MOD:
    return put_remainder(t, &e, depth);
  case KIT_MIN:
  case KIT_MAX:
    return put_extreme(t, &e, depth + 1);
  case KIT_OTHER:
    return refuse(t, &e, e.why);
  default:
    return refuse(t, &e, "a condition");
  }
}

static bool put_condition(affine_text *t, const void *expr, unsigned depth) {
  static const char *const relations[] = {" = ", " != ", " < ", " <= ", " > ", " >= "};
  kit_node e = show(t->x, expr);
  if (e.kind == KIT_AND || e.kind == KIT_OR) {
    if (++t->nodes > AFFINE_MAX_NODES || depth > AFFINE_MAX_DEPTH)
      return refuse(t, &e, "too long a condition");
    pm_buf_putc(t->out, '(');
    if (!put_condition(t, e.args[0], depth + 1)) return false;
    pm_buf_puts(t->out, e.kind == KIT_AND ? " and " : " or ");
    if (!put_condition(t, e.args[1], depth + 1)) return false;
    pm_buf_putc(t->out, ')');
    return true;
  }
  if (e.kind < KIT_EQ) return refuse(t, &e, e.kind == KIT_OTHER ? e.why : "no condition");
  if (!put_expr(t, e.args[0], depth + 1)) return false;
  pm_buf_puts(t->out, relations[e.kind - KIT_EQ]);
  return put_expr(t, e.args[1], depth + 1);
}

bool kit_put_affine(const kit_exprs *x, const void *expr, pm_buf *out, kit_refusal *refusal) {
  affine_text t = {.x = x, .out = out, .refusal = refusal};
  return put_expr(&t, expr, 0);
}

bool kit_put_condition(const kit_exprs *x, const void *condition, pm_buf *out, kit_refusal *refusal) {
  affine_text t = {.x = x, .out = out, .refusal = refusal};
  return put_condition(&t, condition, 0);
}
