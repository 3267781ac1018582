/* The loops behind arith_eval, one a op and scalar type; private to dialects/arith. */
#ifndef PM_DIALECTS_ARITH_KERNELS_H
#define PM_DIALECTS_ARITH_KERNELS_H

#include "dialects/arith/eval.h"

/* The kernels of one op by the scalar type of its first operand; NULL where the op does not take that type.
 */
typedef struct arith_kernel_row {
  const pm_op_desc *desc;
  arith_kernel by_scalar[PM_N_SCALARS];
} arith_kernel_row;

/* NULL-terminated (desc). */
extern const arith_kernel_row arith_int_kernels[];
extern const arith_kernel_row arith_float_kernels[];
extern const arith_kernel_row arith_math_kernels[];

arith_kernel arith_find_select_kernel(void);
/* By predicate and scalar type of the operands. */
arith_kernel arith_find_cmp_kernel(unsigned pred, pm_scalar scalar);
/* By scalar types; never NULL for cast, NULL for a saturating cast to a float. */
arith_kernel arith_find_cast_kernel(pm_scalar from, pm_scalar to);
arith_kernel arith_find_sat_cast_kernel(pm_scalar from, pm_scalar to);

/* Round to nearest, ties to even, to the 16-bit formats; the result is exact in a float. */
float arith_round_f16(double value);
float arith_round_bf16(double value);
/* The bits of a value that was rounded to the format, and back. */
uint16_t arith_f16_bits(float value);
float arith_f16_value(uint16_t bits);
uint16_t arith_bf16_bits(float value);
float arith_bf16_value(uint16_t bits);

#endif
