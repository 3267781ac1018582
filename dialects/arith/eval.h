/* What the scalar ops of arith and math compute, written once: constant folding and both reference
 * interpreters use it.
 *
 * Lanes: an array of n values of one scalar type, each in a pm_lane slot: integers sign- or zero-extended
 * from their type (u64 as its bits), i1 as 0 or 1, f32 rounded to f32 and held as a float, f64 as a double.
 * f16 and bf16 are held as float, rounded after each operation.
 */
#ifndef PM_DIALECTS_ARITH_EVAL_H
#define PM_DIALECTS_ARITH_EVAL_H

#include "ir/ir.h"

typedef union pm_lane {
  int64_t i;
  float f;  /* f16, bf16, f32 */
  double d; /* f64 */
} pm_lane;

/* Evaluates one op of arith or math (not constant) on n lanes: args[k][0..n) are the lanes of operand k; a
 * NULL entry is not allowed; out may be one of the args. False when the op is not one of arith or math. */
bool arith_eval(const pm_op *op, const pm_lane *const *args, pm_lane *out, size_t n);
/* The loop that arith_eval runs for this op, for callers that evaluate an op many times; NULL when the op is
 * not one of arith or math. It depends on the op's descriptor, types and attributes only. */
typedef void (*arith_kernel)(const pm_lane *const *args, pm_lane *out, size_t n);
arith_kernel arith_find_kernel(const pm_op *op);
/* The same for an op of arith or math whose operands and result have one type, without an op at hand. */
arith_kernel arith_find_kernel_of(const pm_op_desc *desc, pm_scalar scalar);
/* The fold of an op of arith or math whose operands are all constants: evaluates one lane. False when one is
 * not. */
bool arith_fold_constants(pm_op *op, const pm_attr *operands, pm_fold_result *out);
/* The value of an INT or FLOAT attribute in the form its type asks for. */
pm_lane arith_lane_of_attr(pm_attr attr);
pm_attr arith_attr_of_lane(pm_type type, pm_lane lane);
/* Memory cells <-> lanes: n elements of the scalar type, `stride` elements apart. */
void arith_load_lanes(pm_scalar scalar, const void *cells, int64_t stride, pm_lane *out, size_t n);
void arith_store_lanes(pm_scalar scalar, const pm_lane *lanes, void *cells, int64_t stride, size_t n);

#endif
