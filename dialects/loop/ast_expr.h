/* isl's AST expressions as values of the loop dialect. */
#ifndef PM_DIALECTS_LOOP_AST_EXPR_H
#define PM_DIALECTS_LOOP_AST_EXPR_H

#include "dialects/loop/access.h"
#include "ir/builder.h"

#include <isl/ast.h>

/* What the identifiers of the expressions stand for: isl_id -> pm_value (any integer type). */
typedef struct loop_ast_env {
  pm_map *values; /* isl_id * (kept alive by somebody else) -> pm_value * */
} loop_ast_env;

/* The value: index for numbers, i1 for conditions. NULL after a diagnostic at the builder's location when the
 * expression has an operation that is none of integers. The expression is borrowed. */
pm_value *loop_build_ast_expr(pm_builder *b, const loop_ast_env *env, isl_ast_expr *expr);

/* Values that affine expressions range over: dimension i stands for operands.data[i]. */
typedef struct loop_affine_pool {
  PM_VEC(pm_value *) operands;
  pm_map *numbers; /* pm_value -> dimension + 1 */
} loop_affine_pool;
void loop_pool_init(loop_affine_pool *pool);
void loop_pool_free(loop_affine_pool *pool);
pm_affine_expr loop_pool_expr(loop_affine_pool *pool, pm_value *value);
/* The expression in affine form; parts that are not affine are built as values at the builder. NULL after a
 * diagnostic. */
pm_affine_expr loop_affine_of_ast(loop_affine_pool *pool, pm_builder *b, const loop_ast_env *env,
                                  isl_ast_expr *expr);
/* A map of `n` expressions over the pool, with its dimensions renumbered to those in use; their values are
 * appended to `operands` (PM_VEC of pm_value *, cleared first). */
typedef PM_VEC(pm_value *) loop_values;
pm_affine_map loop_pool_map(const loop_affine_pool *pool, pm_context *ctx, const pm_affine_expr *exprs,
                            unsigned n, loop_values *operands);
/* The op, with this access, has one index: an expression over the pool and the symbols. */
void loop_set_place(pm_op *op, const loop_access *access, pm_affine_expr index, const loop_affine_pool *pool,
                    const loop_values *symbols);
/* The value of one expression over the pool, as arith ops of type index. */
pm_value *loop_build_affine(pm_builder *b, const loop_affine_pool *pool, pm_affine_expr expr);

#endif
