/* isl's AST expressions as values of the arith dialect. */
#ifndef PM_DIALECTS_ISL_AST_VALUES_H
#define PM_DIALECTS_ISL_AST_VALUES_H

#include "ir/builder.h"

#include <isl/ast.h>

/* What the identifiers of the expressions stand for: isl_id -> pm_value (any integer type). */
typedef struct ast_env {
  pm_map *values; /* isl_id * (kept alive by somebody else) -> pm_value * */
} ast_env;

/* The value: index for numbers, i1 for conditions. NULL after a diagnostic at the builder's location when the
 * expression has an operation that is none of integers. The expression is borrowed. */
pm_value *ast_build_value(pm_builder *b, const ast_env *env, isl_ast_expr *expr);
/* What an expression that is an identifier stands for; NULL: nothing. */
pm_value *ast_value_of_id(const ast_env *env, isl_ast_expr *expr);
/* The expression is a number of 64 bits. */
bool ast_find_number(isl_ast_expr *expr, int64_t *number);

#endif
