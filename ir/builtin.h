/* builtin.module. Registered by pm_context_new. */
#ifndef PM_IR_BUILTIN_H
#define PM_IR_BUILTIN_H

#define PM_DIALECT builtin
#define PM_DIALECT_DEF "ir/builtin.def"
#include "ir/declare_ops.h"
#undef PM_DIALECT
#undef PM_DIALECT_DEF

extern const pm_dialect builtin_dialect;

#endif
