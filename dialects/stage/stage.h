/* The stage dialect: see stage.def for its ops. */
#ifndef PM_DIALECTS_STAGE_H
#define PM_DIALECTS_STAGE_H

#define PM_DIALECT stage
#define PM_DIALECT_DEF "dialects/stage/stage.def"
#include "ir/declare_ops.h"
#undef PM_DIALECT
#undef PM_DIALECT_DEF

extern const pm_dialect stage_dialect;

#endif
