/* The loop dialect: see loop.def for its ops. */
#ifndef PM_DIALECTS_LOOP_H
#define PM_DIALECTS_LOOP_H

#define PM_DIALECT loop
#define PM_DIALECT_DEF "dialects/loop/loop.def"
#include "ir/declare_ops.h"
#undef PM_DIALECT
#undef PM_DIALECT_DEF

#include "ir/builder.h"

extern const pm_dialect loop_dialect;

/* A loop.if without results, whose regions are not begun. */
pm_op *loop_build_if(pm_builder *b, pm_value *condition);

#endif
