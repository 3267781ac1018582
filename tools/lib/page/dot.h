/* A pipeline as a picture: text for graphviz. */
#ifndef PM_TOOLS_PAGE_DOT_H
#define PM_TOOLS_PAGE_DOT_H

#include "ir/ir.h"

/* The stage graph: one node a stage with type and extents, one edge a pair of stages with what is read, and
 * one box a group when the pipeline is scheduled that far. False after a diagnostic. */
bool pm_put_dot(pm_buf *out, pm_op *pipeline) PM_MUST_USE;

#endif
