/* Include once in one .c file of a dialect, after its header, with PM_DIALECT and PM_DIALECT_DEF defined (and
 * undefined afterwards): defines the kernels of its FLOAT_LANES and INT_LANES rows. */
#include "dialects/arith/kernels.h"

#define FLOAT_LANES(op, cost, single, whole) ARITH_KERNELS(op, single, whole, single)
#define INT_LANES(op, cost, any, u64) ARITH_INT_KERNELS(op, any, u64)
#include "ir/op_rows.h"
