/* What a stage reads of another, as text for pictures. */
#ifndef PM_TOOLS_ACCESSES_H
#define PM_TOOLS_ACCESSES_H

#include "dialects/stage/graph.h"

typedef PM_VEC(const stage_access *) pm_access_list;

/* Empties `out` and fills it with the reads that `consumer` makes of `producer` (which may be itself), in the
 * order of the text; with `body`, a stage.case or stage.update, only those of it. */
void pm_collect_accesses(pm_access_list *out, const stage_node *consumer, const stage_node *producer,
                         const pm_op *body);

/* All of them together, of one producer, a dimension after the other:
 *   (0, -1..1)                 offsets from the point, when each index is that of its dimension and a
 * constant (x * 2 + 0..1, y floordiv 2) indices, otherwise; "·" is a computed value Alternatives of a
 * dimension are joined by " | ", and only the first two are put. */
void pm_put_accesses(pm_buf *out, const pm_access_list *accesses);
/* point, stencil, strided, computed, affine (indices permuted, reversed, or constant): those that occur,
 * joined by ", ". */
void pm_put_access_kinds(pm_buf *out, const pm_access_list *accesses);
/* True when all are affine. */
bool pm_accesses_are_affine(const pm_access_list *accesses);

#endif
