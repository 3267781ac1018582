/* What would keep a computed index inside the domain of what it reads. */
#ifndef PM_PASSES_CHECK_BOUNDS_ADVICE_H
#define PM_PASSES_CHECK_BOUNDS_ADVICE_H

#include "dialects/stage/analyses/graph.h"

/* `clamp it, Min(Max(index, 0), R - 1)`, of the first index of the relation that leaves the domain, and,
 * where an image may have values with which none does, `, or declare what photo contains, --range photo=0:1`.
 * The relation is that of the access, a stage.read or stage.combine, and `types` what the params may be. */
void bounds_put_advice(pm_buf *out, pm_op *access, isl_map *relation, const stage_node *producer,
                       isl_set *types);

#endif
