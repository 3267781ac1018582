/* Private functions, which loop.call calls. Their loop.param and buf.argument ops, in the order of the text,
 * are what a call gives. */
#ifndef PM_DIALECTS_LOOP_CALL_H
#define PM_DIALECTS_LOOP_CALL_H

#include "ir/ir.h"

bool loop_is_private(const pm_op *func);
/* The type of what the function gives, or NULL. */
pm_type loop_result_of(const pm_op *func);
/* The function that the call calls; NULL when there is none of that name beside the function around it. */
pm_op *loop_find_callee(const pm_op *call);
/* The arguments of a private function, one after the other; NULL at the end. */
bool loop_is_argument(const pm_op *op);
pm_op *loop_first_argument(const pm_op *func);
pm_op *loop_next_argument(const pm_op *argument);

#endif
