/* The math dialect: all is in the rows; folds evaluate constants with the functions that the interpreters
 * call. */
#include "dialects/math/math.h"

#include "dialects/arith/eval.h"

#define PM_DIALECT math
#define PM_DIALECT_DEF "dialects/math/math.def"
#include "ir/define_ops.h"
#undef PM_DIALECT
#undef PM_DIALECT_DEF

const pm_dialect math_dialect = {
    .name = "math", .ops = math_op_table, .doc = "functions of floats, those of the C library"};

#define FOLD(op)                                                                                             \
  bool math_##op##_fold(pm_op *o, const pm_attr *operands, pm_fold_result *out) {                            \
    return arith_fold_constants(o, operands, out);                                                           \
  }

FOLD(sqrt)
FOLD(exp)
FOLD(log)
FOLD(sin)
FOLD(cos)
FOLD(tan)
FOLD(abs)
FOLD(floor)
FOLD(ceil)
FOLD(round)
FOLD(pow)
