/* Indices of reads, taken apart into an affine map and what it is a map of. */
#include "frontends/kit/kit.h"

#include <stdlib.h>

/* An index is taken apart as long as it is not larger than this. */
enum { INDEX_MAX_NODES = 256, INDEX_MAX_DEPTH = 64 };

typedef struct planner {
  pm_context *ctx;
  const kit_exprs *x;
  kit_guards operands;
  unsigned nodes;
} planner;

static kit_node show(const planner *p, const void *expr) {
  return p->x->show(p->x->user, expr);
}

static bool is_same(const planner *p, const void *known, const void *expr) {
  if (known == expr) return true;
  kit_node a = show(p, known), b = show(p, expr);
  return a.kind == KIT_NAME && b.kind == KIT_NAME && a.name == b.name;
}

/* The expression as one dimension of the map. */
static pm_affine_expr plan_operand(planner *p, const void *expr) {
  for (size_t i = 0; i < p->operands.len; i++)
    if (is_same(p, p->operands.data[i], expr)) return pm_affine_dim(p->ctx, (uint32_t)i);
  PM_VEC_PUSH(p->operands, expr);
  return pm_affine_dim(p->ctx, (uint32_t)p->operands.len - 1);
}

static bool is_small(pm_affine_expr e) {
  return e->kind == PM_AFFINE_CONST && e->value > -INT32_MAX && e->value < INT32_MAX;
}

static pm_affine_expr plan(planner *p, const void *expr, unsigned depth);

static pm_affine_expr negated(planner *p, pm_affine_expr e) {
  return pm_affine_mul(e, pm_affine_const(p->ctx, -1));
}

/* A product, quotient or remainder with a constant; otherwise one operand. */
static pm_affine_expr plan_scaled(planner *p, const void *expr, const kit_node *e, unsigned depth) {
  size_t before = p->operands.len;
  pm_affine_expr a = plan(p, e->args[0], depth + 1), b = plan(p, e->args[1], depth + 1);
  if (e->kind == KIT_MUL && is_small(b)) return pm_affine_mul(a, b);
  if (e->kind == KIT_MUL && is_small(a)) return pm_affine_mul(b, a);
  if (e->kind != KIT_MUL && is_small(b) && b->value != 0) {
    pm_affine_expr size = pm_affine_const(p->ctx, b->value < 0 ? -b->value : b->value);
    if (e->kind == KIT_MOD) return pm_affine_binary(PM_AFFINE_MOD, a, size);
    if (b->value < 0) a = negated(p, a);
    return pm_affine_binary(PM_AFFINE_FLOORDIV, a, size);
  }
  p->operands.len = before;
  return plan_operand(p, expr);
}

static pm_affine_expr plan(planner *p, const void *expr, unsigned depth) {
  kit_node e = show(p, expr);
  if (++p->nodes > INDEX_MAX_NODES || depth > INDEX_MAX_DEPTH) return plan_operand(p, expr);
  switch (e.kind) {
  case KIT_INT:
    return pm_affine_const(p->ctx, e.value);
  case KIT_ADD:
  case KIT_SUB: {
    pm_affine_expr a = plan(p, e.args[0], depth + 1), b = plan(p, e.args[1], depth + 1);
    return pm_affine_add(a, e.kind == KIT_ADD ? b : negated(p, b));
  }
  case KIT_NEG:
    return negated(p, plan(p, e.args[0], depth + 1));
  case KIT_MUL:
  case KIT_DIV:
  case KIT_MOD:
    return plan_scaled(p, expr, &e, depth);
  default:
    return plan_operand(p, expr);
  }
}

kit_index kit_plan_indices(const kit *k, const kit_exprs *x, const void *const *indices, unsigned n,
                           pm_arena *arena) {
  planner p = {.ctx = k->ctx, .x = x};
  pm_affine_expr exprs[KIT_MAX_DIMS];
  for (unsigned i = 0; i < n; i++) exprs[i] = plan(&p, indices[i], 0);
  kit_index index = {.n_operands = (unsigned)p.operands.len};
  if (p.operands.len > 0)
    index.operands = pm_arena_memdup(arena, p.operands.data, p.operands.len * sizeof *p.operands.data);
  index.map = pm_get_affine_map(k->ctx, index.n_operands, 0, exprs, n);
  PM_VEC_FREE(p.operands);
  return index;
}
