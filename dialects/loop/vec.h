/* The vec dialect: see vec.def for its ops. */
#ifndef PM_DIALECTS_VEC_H
#define PM_DIALECTS_VEC_H

#define PM_DIALECT vec
#define PM_DIALECT_DEF "dialects/loop/vec.def"
#include "ir/declare_ops.h"
#undef PM_DIALECT
#undef PM_DIALECT_DEF

extern const pm_dialect vec_dialect;

#endif
