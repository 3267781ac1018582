/* Affine expressions over a pool of values. */
#ifndef PM_DIALECTS_ISL_AFFINE_POOL_H
#define PM_DIALECTS_ISL_AFFINE_POOL_H

#include "dialects/isl/ast_values.h"

/* Values that affine expressions range over: dimension i stands for operands.data[i]. */
typedef struct affine_pool {
  PM_VEC(pm_value *) operands;
  pm_map *numbers; /* pm_value -> dimension + 1 */
} affine_pool;
void affine_pool_init(affine_pool *pool);
void affine_pool_free(affine_pool *pool);
pm_affine_expr affine_pool_expr(affine_pool *pool, pm_value *value);
/* The expression in affine form; parts that are not affine are built as values at the builder. NULL after a
 * diagnostic. */
pm_affine_expr affine_of_ast(affine_pool *pool, pm_builder *b, const ast_env *env, isl_ast_expr *expr);
/* A map of `n` expressions over the pool, with its dimensions renumbered to those in use; their values are
 * appended to `operands` (PM_VEC of pm_value *, cleared first). */
typedef PM_VEC(pm_value *) affine_values;
pm_affine_map affine_pool_map(const affine_pool *pool, pm_context *ctx, const pm_affine_expr *exprs,
                              unsigned n, affine_values *operands);
/* The value of one expression over the pool, as arith ops of type index. */
pm_value *affine_build_value(pm_builder *b, const affine_pool *pool, pm_affine_expr expr);

#endif
