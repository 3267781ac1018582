/* The work-items of a group: launches of kernels, and which items run an op. */
#ifndef PM_DIALECTS_LOOP_ANALYSES_ITEMS_H
#define PM_DIALECTS_LOOP_ANALYSES_ITEMS_H

#include "ir/ir.h"

/* The outermost loop.parallel around a loop.call: the call runs in a group for each iteration of the nest.
 * NULL: there is none. */
pm_op *loop_find_launch(const pm_op *call);
/* The launch has the work-items of its groups. */
bool loop_has_group(const pm_op *launch);
/* They are several; no launch, NULL, has none. */
bool loop_has_several_items(const pm_op *launch);
/* Loops of items are around the op. */
bool loop_is_in_items(const pm_op *op);
/* Levels of loops of items at and below the op. */
unsigned loop_item_depth(const pm_op *op);
/* The op, outside of loops of items, stores, gives no value, and has no loop of items and no barrier inside:
 * one item runs it. */
bool loop_is_for_one(const pm_op *op);

#endif
