/* The arith dialect: see arith.def for its ops. */
#ifndef PM_DIALECTS_ARITH_H
#define PM_DIALECTS_ARITH_H

#define PM_DIALECT arith
#define PM_DIALECT_DEF "dialects/arith/arith.def"
#include "ir/declare_ops.h"
#undef PM_DIALECT
#undef PM_DIALECT_DEF

#include "ir/builder.h"

typedef enum arith_pred { ARITH_EQ, ARITH_NE, ARITH_LT, ARITH_LE, ARITH_GT, ARITH_GE } arith_pred;
arith_pred arith_cmp_pred(const pm_op *cmp);
const char *arith_pred_name(arith_pred pred);

pm_value *arith_build_constant(pm_builder *b, pm_attr value);
pm_value *arith_build_index(pm_builder *b, int64_t value);
/* The number of an integer type that changes none: op(identity, v) = v, of arith.addi, muli, mini, maxi, andi
 * and ori. */
pm_attr arith_int_identity(const pm_op_desc *op, pm_type type);
pm_value *arith_build_int(pm_builder *b, pm_type type, int64_t value);
pm_value *arith_build_float(pm_builder *b, pm_type type, double value);
/* The operand itself when the type is that already. */
/* The type, i32 or i64, through which arith.cast makes integers of this type of floats. */
pm_scalar arith_scalar_through(pm_scalar to);
pm_value *arith_build_cast(pm_builder *b, pm_value *v, pm_type type);
pm_value *arith_build_cmp(pm_builder *b, arith_pred pred, pm_value *l, pm_value *r);
pm_value *arith_build_select(pm_builder *b, pm_value *c, pm_value *x, pm_value *y);
/* For pm_greedy_config.materialize. */
pm_value *arith_materialize(pm_builder *b, pm_attr value);

#endif
