/* The poly dialect: see poly.def for its ops. */
#ifndef PM_DIALECTS_POLY_H
#define PM_DIALECTS_POLY_H

#define PM_DIALECT poly
#define PM_DIALECT_DEF "dialects/poly/poly.def"
#include "ir/declare_ops.h"
#undef PM_DIALECT
#undef PM_DIALECT_DEF

/* #poly.space<"heap">: a memory space, or "output", the caller's array. */
extern const pm_attr_kind poly_space_kind;
pm_attr poly_space_attr(pm_context *ctx, pm_space space);

#endif
