/* The buf dialect: see buf.def for its ops. */
#ifndef PM_DIALECTS_BUF_H
#define PM_DIALECTS_BUF_H

#define PM_DIALECT buf
#define PM_DIALECT_DEF "dialects/loop/buf.def"
#include "ir/declare_ops.h"
#undef PM_DIALECT
#undef PM_DIALECT_DEF

extern const pm_dialect buf_dialect;

#endif
