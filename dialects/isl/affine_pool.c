#include "dialects/isl/affine_pool.h"

#include "dialects/arith/arith.h"
#include "dialects/isl/take.h"

#include <isl/val.h>
#include <stdlib.h>

void affine_pool_init(affine_pool *pool) {
  *pool = (affine_pool){.numbers = pm_map_new()};
}

void affine_pool_free(affine_pool *pool) {
  PM_VEC_FREE(pool->operands);
  pm_map_free(pool->numbers);
}

pm_affine_expr affine_pool_expr(affine_pool *pool, pm_value *value) {
  pm_attr constant = pm_constant_value(value);
  pm_context *ctx = value->type->ctx;
  if (constant && constant->cls == PM_ATTR_INT) return pm_affine_const(ctx, constant->i);
  size_t number = (size_t)(uintptr_t)pm_map_get(pool->numbers, value);
  if (!number) {
    PM_VEC_PUSH(pool->operands, value);
    number = pool->operands.len;
    pm_map_set(pool->numbers, value, (void *)(uintptr_t)number);
  }
  return pm_affine_dim(ctx, (uint32_t)(number - 1));
}

static bool affine_kind(enum isl_ast_expr_op_type type, pm_affine_kind *kind) {
  switch (type) {
  case isl_ast_expr_op_mul:
    *kind = PM_AFFINE_MUL;
    return true;
  case isl_ast_expr_op_div:
  case isl_ast_expr_op_fdiv_q:
  case isl_ast_expr_op_pdiv_q:
    *kind = PM_AFFINE_FLOORDIV;
    return true;
  case isl_ast_expr_op_pdiv_r:
    *kind = PM_AFFINE_MOD;
    return true;
  default:
    return false;
  }
}

/* The op on two affine arguments, or NULL when that is not affine. */
static pm_affine_expr combine(isl_ast_expr *expr, pm_affine_expr l, pm_affine_expr r) {
  enum isl_ast_expr_op_type type = isl_ast_expr_op_get_type(expr);
  pm_affine_expr minus_one = pm_affine_const(l->ctx, -1);
  pm_affine_kind kind;
  if (type == isl_ast_expr_op_add) return pm_affine_add(l, r);
  if (type == isl_ast_expr_op_sub) return pm_affine_add(l, pm_affine_mul(r, minus_one));
  if (!affine_kind(type, &kind)) return NULL;
  if (kind == PM_AFFINE_MUL) {
    bool swap = l->kind == PM_AFFINE_CONST;
    if (!swap && r->kind != PM_AFFINE_CONST) return NULL;
    return swap ? pm_affine_mul(r, l) : pm_affine_mul(l, r);
  }
  return r->kind == PM_AFFINE_CONST && r->value > 0 ? pm_affine_binary(kind, l, r) : NULL;
}

static bool may_be_affine(isl_ast_expr *expr) {
  enum isl_ast_expr_op_type type = isl_ast_expr_op_get_type(expr);
  pm_affine_kind kind;
  return type == isl_ast_expr_op_add || type == isl_ast_expr_op_sub || type == isl_ast_expr_op_minus ||
         affine_kind(type, &kind);
}

static pm_affine_expr affine_of_arg(affine_pool *pool, pm_builder *b, const ast_env *env, isl_ast_expr *expr,
                                    int i) {
  isl_ast_expr *arg = isl_ast_expr_get_op_arg(expr, i);
  pm_affine_expr e = affine_of_ast(pool, b, env, arg);
  isl_ast_expr_free(arg);
  return e;
}

static pm_affine_expr affine_of_op(affine_pool *pool, pm_builder *b, const ast_env *env, isl_ast_expr *expr) {
  pm_affine_expr l = affine_of_arg(pool, b, env, expr, 0);
  if (!l) return NULL;
  if (isl_ast_expr_op_get_type(expr) == isl_ast_expr_op_minus)
    return pm_affine_mul(l, pm_affine_const(l->ctx, -1));
  pm_affine_expr r = affine_of_arg(pool, b, env, expr, 1);
  return r ? combine(expr, l, r) : NULL;
}

pm_affine_expr affine_of_ast(affine_pool *pool, pm_builder *b, const ast_env *env, isl_ast_expr *expr) {
  int64_t constant;
  if (ast_find_number(expr, &constant)) return pm_affine_const(pm_module_context(b->module), constant);
  if (isl_ast_expr_get_type(expr) == isl_ast_expr_id) {
    pm_value *v = ast_value_of_id(env, expr);
    if (v) return affine_pool_expr(pool, v);
  } else if (isl_ast_expr_get_type(expr) == isl_ast_expr_op && may_be_affine(expr)) {
    pm_affine_expr e = affine_of_op(pool, b, env, expr);
    if (e) return e;
  }
  pm_value *v = ast_build_value(b, env, expr);
  return v ? affine_pool_expr(pool, v) : NULL;
}

/* --- maps over used values only --- */

typedef struct renumbering {
  const affine_pool *pool;
  affine_values *operands;
  pm_affine_expr *to; /* by pool dimension, NULL: not used yet */
} renumbering;

static void number_dims(renumbering *r, pm_affine_expr e) {
  if (e->lhs) {
    number_dims(r, e->lhs);
    number_dims(r, e->rhs);
  } else if (e->kind == PM_AFFINE_DIM && !r->to[e->value]) {
    r->to[e->value] = pm_affine_dim(e->ctx, (uint32_t)r->operands->len);
    PM_VEC_PUSH(*r->operands, r->pool->operands.data[e->value]);
  }
}

pm_affine_map affine_pool_map(const affine_pool *pool, pm_context *ctx, const pm_affine_expr *exprs,
                              unsigned n, affine_values *operands) {
  operands->len = 0;
  renumbering r = {pool, operands, pm_xcalloc(pool->operands.len, sizeof *r.to)};
  pm_affine_expr *results = pm_xmalloc(n * sizeof *results);
  for (unsigned i = 0; i < n; i++) {
    number_dims(&r, exprs[i]);
    results[i] = pm_affine_substitute(exprs[i], r.to, NULL);
  }
  pm_affine_map map = pm_get_affine_map(ctx, (uint32_t)operands->len, 0, results, n);
  free(results);
  free(r.to);
  return map;
}

static const pm_op_desc *desc_of_kind(pm_affine_kind kind) {
  return kind == PM_AFFINE_ADD        ? &arith_addi
         : kind == PM_AFFINE_MUL      ? &arith_muli
         : kind == PM_AFFINE_FLOORDIV ? &arith_divi
                                      : &arith_remi;
}

/* ceildiv(a, c) = floordiv(a + c - 1, c) */
static pm_affine_expr without_ceildiv(pm_affine_expr e) {
  return pm_affine_binary(PM_AFFINE_FLOORDIV, pm_affine_addc(e->lhs, e->rhs->value - 1), e->rhs);
}

pm_value *affine_build_value(pm_builder *b, const affine_pool *pool, pm_affine_expr e) {
  if (e->kind == PM_AFFINE_CONST) return arith_build_index(b, e->value);
  if (e->kind == PM_AFFINE_DIM)
    return arith_build_cast(b, pool->operands.data[e->value], pm_get_index(e->ctx));
  if (e->kind == PM_AFFINE_CEILDIV) return affine_build_value(b, pool, without_ceildiv(e));
  pm_value *l = affine_build_value(b, pool, e->lhs);
  pm_value *r = affine_build_value(b, pool, e->rhs);
  return pm_build_binary(b, desc_of_kind(e->kind), l, r);
}
