/* What ops compute lane by lane: constant folding and the interpreters run the same kernels.
 *
 * Lanes: an array of n values of one scalar type, each in a pm_lane slot: integers sign- or zero-extended
 * from their type (u64 as its bits), i1 as 0 or 1, f32 rounded to f32 and held as a float, f64 as a double.
 * f16 and bf16 are held as float, rounded after each operation.
 */
#ifndef PM_IR_LANES_H
#define PM_IR_LANES_H

#include "ir/ir.h"

/* The loop for an op whose first operand has that scalar type; NULL when the op does not take the type. It
 * depends on descriptor, types and attributes only. */
pm_kernel pm_find_kernel(const pm_op *op);
/* The same for an op whose operands and result have one type, without an op at hand. */
pm_kernel pm_find_kernel_of(const pm_op_desc *desc, pm_scalar scalar);
/* Evaluates one op on n lanes: args[k][0..n) are the lanes of operand k; a NULL entry is not allowed; out may
 * be one of the args. False when the op has no kernel. */
bool pm_eval_lanes(const pm_op *op, const pm_lane *const *args, pm_lane *out, size_t n);
/* The fold of an op with a kernel whose operands are all constants: evaluates one lane. False when one is
 * not. */
bool pm_fold_constants(pm_op *op, const pm_attr *operands, pm_fold_result *out);
/* The value of an INT or FLOAT attribute in the form its type asks for, and that of a number of a DENSE. */
pm_lane pm_lane_of_attr(pm_attr attr);
pm_lane pm_lane_of_number(pm_scalar scalar, pm_number number);
pm_attr pm_attr_of_lane(pm_type type, pm_lane lane);

#endif
