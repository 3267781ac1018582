/* The buf dialect: see buf.def for its ops. */
#ifndef PM_DIALECTS_BUF_H
#define PM_DIALECTS_BUF_H

#define PM_DIALECT buf
#define PM_DIALECT_DEF "dialects/loop/buf.def"
#include "ir/declare_ops.h"
#undef PM_DIALECT
#undef PM_DIALECT_DEF

extern const pm_dialect buf_dialect;

/* The number of extents, and then strides, that the type of an array leaves open: operands of its op. */
unsigned buf_open_sizes(pm_type type);
/* The operand of a buf.alloc with which the extents of its result `i` begin. */
unsigned buf_first_extent(const pm_op *alloc, unsigned i);

#endif
