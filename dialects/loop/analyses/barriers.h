/* Where the items of a group have to wait for each other. */
#ifndef PM_DIALECTS_LOOP_ANALYSES_BARRIERS_H
#define PM_DIALECTS_LOOP_ANALYSES_BARRIERS_H

#include "ir/ir.h"

/* The ops of a kernel ahead of which a loop.barrier is missing, if a group has several items: outermost loops
 * of items, what one item runs, and loads outside of these. A set that the caller frees. */
pm_map *loop_find_missing_barriers(const pm_op *kernel);

#endif
