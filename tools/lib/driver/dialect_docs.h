/* Documentation from the rows: what `pm-opt --print-dialect-docs`, `--list-dialects`, `--list-passes`
 * and `--list-frontends` print. */
#ifndef PM_TOOLS_DRIVER_DIALECT_DOCS_H
#define PM_TOOLS_DRIVER_DIALECT_DOCS_H

#include "ir/context.h"

/* Markdown: a chapter a dialect, a section an op with its traits, rows and laws. */
void pm_print_dialect_docs(pm_context *ctx, pm_buf *out);
/* The section of an op, without its heading. */
void pm_put_op_docs(const pm_op_desc *op, pm_buf *out);
/* `name  number of ops  doc`, one a line. */
void pm_list_dialects(pm_context *ctx, pm_buf *out);
/* Each pass with what it runs on, its meaning, and its options. */
void pm_list_passes(pm_context *ctx, pm_buf *out);
/* Each frontend with the files that it reads, its meaning, and its options. */
void pm_list_frontends(const pm_context *ctx, pm_buf *out);

#endif
