/* What a stage reads of another, as text for pictures. */
#ifndef PM_TOOLS_PAGE_ACCESSES_H
#define PM_TOOLS_PAGE_ACCESSES_H

#include "dialects/stage/analyses/graph.h"

typedef PM_VEC(const stage_access *) pm_access_list;

/* Empties `out` and fills it with the reads that `consumer` makes of `producer` (which may be itself), in the
 * order of the text; with `body`, a stage.case or stage.update, only those of it. */
void pm_collect_accesses(pm_access_list *out, const stage_node *consumer, const stage_node *producer,
                         const pm_op *body);

/* All of them together, of one producer, a dimension after the other. Offsets from the point, `(0, -1..1)`,
 * when each index is that of its dimension and a constant; indices otherwise, `(x * 2 + 0..1, y floordiv 2)`,
 * where "·" is a computed value. Alternatives of a dimension are joined by " | ", and only two are put. */
void pm_put_accesses(pm_buf *out, const pm_access_list *accesses);
/* Those that occur of point, stencil, strided, computed and affine (indices permuted, reversed, or constant),
 * joined by ", ", and behind them the boundary modes: "stencil, boundary clamp". */
void pm_put_access_kinds(pm_buf *out, const pm_access_list *accesses);
/* True when some index is a function of other values than the point and the parameters. */
bool pm_accesses_are_computed(const pm_access_list *accesses);

#endif
