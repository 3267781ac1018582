/* The math dialect: see math.def for its ops. */
#ifndef PM_DIALECTS_MATH_H
#define PM_DIALECTS_MATH_H

#define PM_DIALECT math
#define PM_DIALECT_DEF "dialects/math/math.def"
#include "ir/declare_ops.h"
#undef PM_DIALECT
#undef PM_DIALECT_DEF

#endif
