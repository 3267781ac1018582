#include "passes/vector/vectorize/place.h"

#include "dialects/arith/arith.h"
#include "dialects/loop/analyses/indices.h"
#include "dialects/loop/analyses/loops.h"
#include "dialects/loop/loop.h"

#include <stdlib.h>

/* Ops that are taken apart: sums are shared in a graph of ops, and would be copied without end. */
enum { MOST_TAKEN = 256 };

static int64_t times(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a * (uint64_t)b);
}

void place_free(place *p) {
  PM_VEC_FREE(p->terms);
  *p = (place){0};
}

static size_t find_term(const place *p, const pm_value *value, const pm_value *by) {
  size_t i = 0;
  while (i < p->terms.len && (p->terms.data[i].value != value || p->terms.data[i].by != by)) i++;
  return i;
}

void place_add(place *p, place_term term) {
  size_t i = find_term(p, term.value, term.by);
  if (i == p->terms.len) PM_VEC_PUSH(p->terms, ((place_term){term.value, term.by, 0}));
  p->terms.data[i].factor = loop_less(p->terms.data[i].factor, times(term.factor, -1));
  if (p->terms.data[i].factor) return;
  p->terms.data[i] = PM_VEC_LAST(p->terms);
  p->terms.len--;
}

place place_copy(const place *p) {
  place copy = {.number = p->number};
  for (size_t i = 0; i < p->terms.len; i++) PM_VEC_PUSH(copy.terms, p->terms.data[i]);
  return copy;
}

typedef struct finder {
  const pm_op *loop;
  const loop_access *access;
  place *out;
  unsigned taken; /* ops that were taken apart */
} finder;

static bool add_value(finder *f, place_term term);

/* A product of which one operand is a number or, for the first time, the same in all iterations. */
static bool add_product(finder *f, const pm_op *op, place_term term) {
  for (unsigned i = 0; i < 2; i++) {
    pm_value *other = pm_arg(op, i);
    pm_attr number = pm_constant_value(other);
    if (!number && (term.by || loop_changes_in(other, f->loop))) continue;
    if (number)
      term.factor = times(term.factor, number->i);
    else
      term.by = other;
    return add_value(f, (place_term){pm_arg(op, 1 - i), term.by, term.factor});
  }
  place_add(f->out, term);
  return true;
}

static bool add_value(finder *f, place_term term) {
  pm_attr number = pm_constant_value(term.value);
  const pm_op *op =
      loop_changes_in(term.value, f->loop) && !pm_is_arg(term.value) ? pm_def(term.value) : NULL;
  if (!term.factor) return true;
  if (number && term.by) return add_value(f, (place_term){term.by, NULL, times(term.factor, number->i)});
  if (number) {
    f->out->number = loop_less(f->out->number, times(times(term.factor, number->i), -1));
    return true;
  }
  if (op && pm_is_index(term.value->type) && f->taken < MOST_TAKEN) {
    f->taken++;
    if (pm_is(op, &arith_addi) || pm_is(op, &arith_subi)) {
      int64_t sign = pm_is(op, &arith_addi) ? 1 : -1;
      return add_value(f, (place_term){pm_arg(op, 0), term.by, term.factor}) &&
             add_value(f, (place_term){pm_arg(op, 1), term.by, times(term.factor, sign)});
    }
    if (pm_is(op, &arith_muli)) return add_product(f, op, term);
  }
  place_add(f->out, term);
  return true;
}

static bool add_expr(finder *f, pm_affine_expr e, pm_value *by, int64_t factor) {
  uint32_t symbols = f->access->map->n_dims;
  pm_value *symbol;
  switch (e->kind) {
  case PM_AFFINE_CONST:
    if (by) return add_value(f, (place_term){by, NULL, times(factor, e->value)});
    f->out->number = loop_less(f->out->number, times(times(factor, e->value), -1));
    return true;
  case PM_AFFINE_DIM:
    return add_value(f, (place_term){f->access->indices[e->value].value, by, factor});
  case PM_AFFINE_SYM:
    return add_value(f, (place_term){f->access->indices[symbols + e->value].value, by, factor});
  case PM_AFFINE_ADD:
    return add_expr(f, e->lhs, by, factor) && add_expr(f, e->rhs, by, factor);
  case PM_AFFINE_MUL:
    if (e->rhs->kind == PM_AFFINE_CONST) return add_expr(f, e->lhs, by, times(factor, e->rhs->value));
    if (e->rhs->kind != PM_AFFINE_SYM || by) return false;
    symbol = f->access->indices[symbols + e->rhs->value].value;
    return !loop_changes_in(symbol, f->loop) && add_expr(f, e->lhs, symbol, factor);
  default:
    return false;
  }
}

bool place_find(const loop_access *access, const pm_op *loop, place *out) {
  *out = (place){0};
  finder f = {loop, access, out, 0};
  if (access->map->n_results == 1 && add_expr(&f, access->map->results[0], NULL, 1)) return true;
  place_free(out);
  return false;
}

bool place_same_terms(const place *a, const place *b) {
  if (a->terms.len != b->terms.len) return false;
  for (size_t i = 0; i < a->terms.len; i++) {
    const place_term *term = &a->terms.data[i];
    size_t other = find_term(b, term->value, term->by);
    if (other == b->terms.len || b->terms.data[other].factor != term->factor) return false;
  }
  return true;
}

bool place_find_step(const place *p, const pm_op *loop, int64_t *step) {
  *step = 0;
  for (size_t i = 0; i < p->terms.len; i++) {
    const place_term *term = &p->terms.data[i];
    if (!loop_changes_in(term->value, loop)) continue;
    if (term->value != loop_counter_of(loop) || term->by) return false;
    *step = term->factor;
  }
  return true;
}

/* What the divisor leaves of the place in the first iteration, or -1. */
static int64_t rest_of(const place *p, const pm_op *loop, int64_t divisor) {
  int64_t rest = pm_floor_mod(p->number, divisor);
  for (size_t i = 0; i < p->terms.len; i++) {
    const place_term *term = &p->terms.data[i];
    const pm_value *first = term->value == loop_counter_of(loop) ? pm_arg(loop, loop_for_lb) : term->value;
    int64_t of = term->by ? -1 : loop_find_remainder(first, divisor);
    if (of < 0) return -1;
    rest = (rest + pm_floor_mod(term->factor, divisor) * of) % divisor;
  }
  return rest;
}

bool place_find_quotient(const pm_op *loop, pm_value *value, quotient *out) {
  enum { MOST = 1 << 16 };
  const pm_op *op = pm_def(value);
  pm_attr divisor = pm_is(op, &arith_divi) ? pm_constant_value(pm_arg(op, 1)) : NULL;
  if (!divisor || divisor->i < 1 || divisor->i > MOST || !pm_is_index(value->type)) return false;
  *out = (quotient){pm_arg(op, 0), 0, divisor->i, -1};
  place dividend = {0};
  finder f = {loop, NULL, &dividend, 0};
  bool found = add_value(&f, (place_term){out->dividend, NULL, 1}) &&
               place_find_step(&dividend, loop, &out->step) && out->step >= 0 && out->step <= MOST;
  if (found) out->rest = rest_of(&dividend, loop, divisor->i);
  place_free(&dividend);
  return found;
}

pm_affine_map place_build_map(pm_context *ctx, const place *p, place_operands *operands) {
  pm_affine_expr sum = pm_affine_const(ctx, p->number);
  uint32_t n_symbols = 0;
  for (size_t i = 0; i < p->terms.len; i++) {
    const place_term *term = &p->terms.data[i];
    pm_affine_expr product = pm_affine_dim(ctx, (uint32_t)i);
    if (term->by) product = pm_affine_mul(product, pm_affine_sym(ctx, n_symbols++));
    sum = pm_affine_add(sum, pm_affine_mul(product, pm_affine_const(ctx, term->factor)));
    PM_VEC_PUSH(*operands, term->value);
  }
  for (size_t i = 0; i < p->terms.len; i++)
    if (p->terms.data[i].by) PM_VEC_PUSH(*operands, p->terms.data[i].by);
  return pm_get_affine_map(ctx, (uint32_t)p->terms.len, n_symbols, &sum, 1);
}
