/* The poly dialect: see poly.def for its ops. */
#ifndef PM_DIALECTS_POLY_H
#define PM_DIALECTS_POLY_H

#define PM_DIALECT poly
#define PM_DIALECT_DEF "dialects/poly/poly.def"
#include "ir/declare_ops.h"
#undef PM_DIALECT
#undef PM_DIALECT_DEF

extern const pm_dialect poly_dialect;

#endif
