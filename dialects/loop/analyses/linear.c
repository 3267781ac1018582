#include "dialects/loop/analyses/linear.h"

#include "dialects/arith/arith.h"

#include <stdlib.h>

enum { MOST_TAKEN = 256 };

static int64_t plus(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t times(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a * (uint64_t)b);
}

void loop_linear_free(loop_linear *sum) {
  PM_VEC_FREE(sum->terms);
  *sum = (loop_linear){0};
}

static void add_term(loop_linear *sum, const pm_value *value, int64_t factor) {
  size_t i = 0;
  while (i < sum->terms.len && sum->terms.data[i].value != value) i++;
  if (i == sum->terms.len) PM_VEC_PUSH(sum->terms, ((loop_term){value, 0}));
  sum->terms.data[i].factor = plus(sum->terms.data[i].factor, factor);
  if (sum->terms.data[i].factor) return;
  sum->terms.data[i] = PM_VEC_LAST(sum->terms);
  sum->terms.len--;
}

/* The op multiplies one of its operands, *value, by a number. */
static bool find_multiple(const pm_op *op, const pm_value **value, int64_t *number) {
  for (unsigned i = 0; pm_is(op, &arith_muli) && i < 2; i++) {
    pm_attr constant = pm_constant_value(pm_arg(op, i));
    if (!constant) continue;
    *value = pm_arg(op, 1 - i);
    *number = constant->i;
    return true;
  }
  return false;
}

void loop_linear_add(loop_linear *sum, const pm_value *value, int64_t factor) {
  pm_attr constant = pm_constant_value(value);
  const pm_op *op = value->type->scalar == PM_INDEX && sum->taken < MOST_TAKEN ? pm_def(value) : NULL;
  const pm_value *of;
  int64_t number;
  if (constant) {
    sum->number = plus(sum->number, times(constant->i, factor));
  } else if (op && (pm_is(op, &arith_addi) || pm_is(op, &arith_subi))) {
    sum->taken++;
    loop_linear_add(sum, pm_arg(op, 0), factor);
    loop_linear_add(sum, pm_arg(op, 1), pm_is(op, &arith_addi) ? factor : times(factor, -1));
  } else if (op && find_multiple(op, &of, &number)) {
    sum->taken++;
    loop_linear_add(sum, of, times(factor, number));
  } else if (factor) {
    add_term(sum, value, factor);
  }
}

static bool add_expr(loop_linear *sum, const loop_access *access, pm_affine_expr e, int64_t factor) {
  switch (e->kind) {
  case PM_AFFINE_CONST:
    sum->number = plus(sum->number, times(e->value, factor));
    return true;
  case PM_AFFINE_DIM:
    loop_linear_add(sum, access->indices[e->value].value, factor);
    return true;
  case PM_AFFINE_SYM:
    loop_linear_add(sum, access->indices[access->map->n_dims + e->value].value, factor);
    return true;
  case PM_AFFINE_ADD:
    return add_expr(sum, access, e->lhs, factor) && add_expr(sum, access, e->rhs, factor);
  case PM_AFFINE_MUL:
    return e->rhs->kind == PM_AFFINE_CONST && add_expr(sum, access, e->lhs, times(factor, e->rhs->value));
  default:
    return false;
  }
}

bool loop_linear_add_index(loop_linear *sum, const loop_access *access, pm_affine_expr index) {
  return add_expr(sum, access, index, 1);
}

static int64_t factor_of(const loop_linear *sum, const pm_value *value) {
  for (size_t i = 0; i < sum->terms.len; i++)
    if (sum->terms.data[i].value == value) return sum->terms.data[i].factor;
  return 0;
}

bool loop_linear_same_terms(const loop_linear *a, const loop_linear *b) {
  if (a->terms.len != b->terms.len) return false;
  for (size_t i = 0; i < a->terms.len; i++)
    if (factor_of(b, a->terms.data[i].value) != a->terms.data[i].factor) return false;
  return true;
}

/* The sum is at most what it is with either operand in place of the term. */
static bool is_limit(const loop_term *term) {
  return (term->factor > 0 && pm_is(pm_def(term->value), &arith_mini)) ||
         (term->factor < 0 && pm_is(pm_def(term->value), &arith_maxi));
}

/* `depth`: so many terms are taken apart at most. */
static bool find_most(const loop_linear *sum, unsigned depth, int64_t *most) {
  size_t at = 0;
  bool found = false;
  *most = sum->number;
  if (!sum->terms.len) return true;
  while (at < sum->terms.len && !is_limit(&sum->terms.data[at])) at++;
  for (unsigned side = 0; side < 2 && depth && at < sum->terms.len; side++) {
    loop_linear with = {.number = sum->number};
    int64_t other;
    for (size_t i = 0; i < sum->terms.len; i++)
      loop_linear_add(&with,
                      i == at ? pm_arg(pm_def(sum->terms.data[i].value), side) : sum->terms.data[i].value,
                      sum->terms.data[i].factor);
    if (find_most(&with, depth - 1, &other)) {
      if (!found || other < *most) *most = other;
      found = true;
    }
    loop_linear_free(&with);
  }
  return found;
}

bool loop_linear_most(const loop_linear *sum, int64_t *most) {
  enum { DEPTH = 6 };
  return find_most(sum, DEPTH, most);
}
