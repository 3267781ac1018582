#include "dialects/loop/ast_expr.h"

#include "dialects/arith/arith.h"
#include "dialects/isl/take.h"

#include <isl/id.h>
#include <isl/val.h>
#include <stdlib.h>

static pm_context *context_of(const pm_builder *b) {
  return pm_module_context(b->module);
}

static pm_value *unsupported(pm_builder *b, isl_ast_expr *expr) {
  char *text = isl_ast_expr_to_C_str(expr);
  pm_error(context_of(b), b->loc,
           "the expression '%s' of the generated loops has an operation that is not supported",
           text ? text : "?");
  free(text);
  return NULL;
}

static pm_value *too_large(pm_builder *b, isl_ast_expr *expr) {
  char *text = isl_ast_expr_to_C_str(expr);
  pm_error(context_of(b), b->loc, "the generated loops have the number %s, but numbers should fit 64 bits",
           text ? text : "?");
  free(text);
  return NULL;
}

static pm_value *as_index(pm_builder *b, pm_value *v) {
  return v ? arith_build_cast(b, v, pm_get_index(context_of(b))) : NULL;
}

static bool int_of(isl_ast_expr *expr, int64_t *out) {
  if (isl_ast_expr_get_type(expr) != isl_ast_expr_int) return false;
  isl_val *v = isl_ast_expr_get_val(expr);
  *out = 0;
  return isl_take_int_below(v, INT64_MAX, out);
}

static pm_value *value_of_id(const loop_ast_env *env, isl_ast_expr *expr) {
  isl_id *id = isl_ast_expr_get_id(expr);
  pm_value *v = pm_map_get(env->values, id);
  isl_id_free(id);
  return v;
}

/* isl writes a condition that always or never holds as a number. */
static pm_value *as_condition(pm_builder *b, pm_value *v) {
  return pm_is_bool(v->type) ? v : arith_build_cast(b, v, pm_get_i1(context_of(b)));
}

static bool is_condition(enum isl_ast_expr_op_type type, int arg) {
  switch (type) {
  case isl_ast_expr_op_and:
  case isl_ast_expr_op_and_then:
  case isl_ast_expr_op_or:
  case isl_ast_expr_op_or_else:
    return true;
  case isl_ast_expr_op_cond:
  case isl_ast_expr_op_select:
    return arg == 0;
  default:
    return false;
  }
}

typedef PM_VEC(pm_value *) values;

/* False when an argument failed; `args` is the caller's to free either way. */
static bool build_args(pm_builder *b, const loop_ast_env *env, isl_ast_expr *expr, values *args) {
  int n = (int)isl_ast_expr_get_op_n_arg(expr);
  for (int i = 0; i < n; i++) {
    isl_ast_expr *arg = isl_ast_expr_get_op_arg(expr, i);
    pm_value *v = loop_build_ast_expr(b, env, arg);
    isl_ast_expr_free(arg);
    if (!v) return false;
    if (is_condition(isl_ast_expr_op_get_type(expr), i))
      v = as_condition(b, v);
    else if (!pm_is_bool(v->type))
      v = as_index(b, v);
    PM_VEC_PUSH(*args, v);
  }
  return true;
}

/* n-ary max and min of isl as a chain. */
static pm_value *chain(pm_builder *b, const pm_op_desc *desc, const values *args) {
  pm_value *v = args->data[0];
  for (size_t i = 1; i < args->len; i++) v = pm_build_binary(b, desc, v, args->data[i]);
  return v;
}

static const pm_op_desc *binary_desc(enum isl_ast_expr_op_type type) {
  switch (type) {
  case isl_ast_expr_op_and:
  case isl_ast_expr_op_and_then:
    return &arith_andi;
  case isl_ast_expr_op_or:
  case isl_ast_expr_op_or_else:
    return &arith_ori;
  case isl_ast_expr_op_max:
    return &arith_maxi;
  case isl_ast_expr_op_min:
    return &arith_mini;
  case isl_ast_expr_op_add:
    return &arith_addi;
  case isl_ast_expr_op_sub:
    return &arith_subi;
  case isl_ast_expr_op_mul:
    return &arith_muli;
  case isl_ast_expr_op_div:
  case isl_ast_expr_op_fdiv_q:
    return &arith_divi;
  case isl_ast_expr_op_pdiv_q:
    return &arith_trunc_div;
  case isl_ast_expr_op_pdiv_r:
    return &arith_trunc_rem;
  case isl_ast_expr_op_zdiv_r:
    return &arith_remi;
  default:
    return NULL;
  }
}

static bool predicate(enum isl_ast_expr_op_type type, arith_pred *out) {
  switch (type) {
  case isl_ast_expr_op_eq:
    *out = ARITH_EQ;
    return true;
  case isl_ast_expr_op_le:
    *out = ARITH_LE;
    return true;
  case isl_ast_expr_op_lt:
    *out = ARITH_LT;
    return true;
  case isl_ast_expr_op_ge:
    *out = ARITH_GE;
    return true;
  case isl_ast_expr_op_gt:
    *out = ARITH_GT;
    return true;
  default:
    return false;
  }
}

static pm_value *build_op(pm_builder *b, isl_ast_expr *expr, const values *args) {
  enum isl_ast_expr_op_type type = isl_ast_expr_op_get_type(expr);
  arith_pred pred;
  if (predicate(type, &pred)) return arith_build_cmp(b, pred, args->data[0], args->data[1]);
  if (type == isl_ast_expr_op_minus)
    return pm_build_binary(b, &arith_subi, arith_build_index(b, 0), args->data[0]);
  if (type == isl_ast_expr_op_cond || type == isl_ast_expr_op_select)
    return arith_build_select(b, args->data[0], args->data[1], args->data[2]);
  const pm_op_desc *desc = binary_desc(type);
  return desc ? chain(b, desc, args) : unsupported(b, expr);
}

pm_value *loop_build_ast_expr(pm_builder *b, const loop_ast_env *env, isl_ast_expr *expr) {
  int64_t constant;
  if (int_of(expr, &constant)) return arith_build_index(b, constant);
  if (isl_ast_expr_get_type(expr) == isl_ast_expr_int) return too_large(b, expr);
  if (isl_ast_expr_get_type(expr) == isl_ast_expr_id) {
    pm_value *v = value_of_id(env, expr);
    return v ? as_index(b, v) : unsupported(b, expr);
  }
  if (isl_ast_expr_get_type(expr) != isl_ast_expr_op) return unsupported(b, expr);
  values args = {0};
  pm_value *result = build_args(b, env, expr, &args) ? build_op(b, expr, &args) : NULL;
  PM_VEC_FREE(args);
  return result;
}

/* --- affine expressions over a pool of values --- */

void loop_pool_init(loop_affine_pool *pool) {
  *pool = (loop_affine_pool){.numbers = pm_map_new()};
}

void loop_pool_free(loop_affine_pool *pool) {
  PM_VEC_FREE(pool->operands);
  pm_map_free(pool->numbers);
}

pm_affine_expr loop_pool_expr(loop_affine_pool *pool, pm_value *value) {
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

static pm_affine_expr affine_of_arg(loop_affine_pool *pool, pm_builder *b, const loop_ast_env *env,
                                    isl_ast_expr *expr, int i) {
  isl_ast_expr *arg = isl_ast_expr_get_op_arg(expr, i);
  pm_affine_expr e = loop_affine_of_ast(pool, b, env, arg);
  isl_ast_expr_free(arg);
  return e;
}

static pm_affine_expr affine_of_op(loop_affine_pool *pool, pm_builder *b, const loop_ast_env *env,
                                   isl_ast_expr *expr) {
  pm_affine_expr l = affine_of_arg(pool, b, env, expr, 0);
  if (!l) return NULL;
  if (isl_ast_expr_op_get_type(expr) == isl_ast_expr_op_minus)
    return pm_affine_mul(l, pm_affine_const(l->ctx, -1));
  pm_affine_expr r = affine_of_arg(pool, b, env, expr, 1);
  return r ? combine(expr, l, r) : NULL;
}

pm_affine_expr loop_affine_of_ast(loop_affine_pool *pool, pm_builder *b, const loop_ast_env *env,
                                  isl_ast_expr *expr) {
  int64_t constant;
  if (int_of(expr, &constant)) return pm_affine_const(context_of(b), constant);
  if (isl_ast_expr_get_type(expr) == isl_ast_expr_id) {
    pm_value *v = value_of_id(env, expr);
    if (v) return loop_pool_expr(pool, v);
  } else if (isl_ast_expr_get_type(expr) == isl_ast_expr_op && may_be_affine(expr)) {
    pm_affine_expr e = affine_of_op(pool, b, env, expr);
    if (e) return e;
  }
  pm_value *v = loop_build_ast_expr(b, env, expr);
  return v ? loop_pool_expr(pool, v) : NULL;
}

/* --- maps over used values only --- */

typedef struct renumbering {
  const loop_affine_pool *pool;
  loop_values *operands;
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

pm_affine_map loop_pool_map(const loop_affine_pool *pool, pm_context *ctx, const pm_affine_expr *exprs,
                            unsigned n, loop_values *operands) {
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

static void set_operands_from(pm_op *op, unsigned first, const loop_values *operands) {
  while (op->n_operands > first + operands->len) pm_remove_operand(op, op->n_operands - 1u);
  for (size_t i = 0; i < operands->len; i++)
    if (first + i < op->n_operands)
      pm_set_operand(op, first + (unsigned)i, operands->data[i]);
    else
      pm_add_operand(op, operands->data[i]);
}

void loop_set_place(pm_op *op, const loop_access *access, pm_affine_expr index, const loop_affine_pool *pool,
                    const loop_values *symbols) {
  unsigned first = op->n_operands - loop_n_indices(access);
  loop_values operands = {0};
  pm_affine_map map = loop_pool_map(pool, index->ctx, &index, 1, &operands);
  uint32_t n_dims = map->n_dims, n_syms = (uint32_t)symbols->len;
  for (size_t i = 0; i < symbols->len; i++) PM_VEC_PUSH(operands, symbols->data[i]);
  set_operands_from(op, first, &operands);
  loop_set_access_map(op, pm_get_affine_map(index->ctx, n_dims, n_syms, map->results, 1));
  PM_VEC_FREE(operands);
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

pm_value *loop_build_affine(pm_builder *b, const loop_affine_pool *pool, pm_affine_expr e) {
  if (e->kind == PM_AFFINE_CONST) return arith_build_index(b, e->value);
  if (e->kind == PM_AFFINE_DIM) return as_index(b, pool->operands.data[e->value]);
  if (e->kind == PM_AFFINE_CEILDIV) return loop_build_affine(b, pool, without_ceildiv(e));
  pm_value *l = loop_build_affine(b, pool, e->lhs);
  pm_value *r = loop_build_affine(b, pool, e->rhs);
  return pm_build_binary(b, desc_of_kind(e->kind), l, r);
}
