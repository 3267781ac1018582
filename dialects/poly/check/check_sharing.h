/* Allocations that share memory are used one after the other. */
#ifndef PM_DIALECTS_POLY_CHECK_CHECK_SHARING_H
#define PM_DIALECTS_POLY_CHECK_CHECK_SHARING_H

#include "dialects/poly/check/occurrences.h"

/* Of the memories with the same `pool` of one node, all uses of one come before the next one, by the sequence
 * below the node, but for those with one `turn`. False after diagnostics. */
bool poly_check_sharing(const poly_occurrences *all);

#endif
