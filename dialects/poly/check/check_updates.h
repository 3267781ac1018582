/* Updates and recurrences run every point once, in an order that keeps their dependences. */
#ifndef PM_DIALECTS_POLY_CHECK_CHECK_UPDATES_H
#define PM_DIALECTS_POLY_CHECK_CHECK_UPDATES_H

#include "dialects/poly/check/occurrences.h"

/* All of these: false after diagnostics. */

/* An update runs each of its points, once in a memory; the values before it are complete and not computed
 * again, earlier updates of a cell come before, and its own points keep the order of their dependences. */
bool poly_check_update(const poly_occurrences *all, poly_occurrence *o);
/* A stage.update, of a mark "atomic", does something to a cell that can be done in one step. */
bool poly_check_atomic(const pm_op *update);
/* The memory of an update, after the pass storage, is one in which it finds all cells that it changes and
 * reads. */
bool poly_check_update_memory(const poly_occurrence *o);
/* The points that a stage reads of itself are computed before. */
bool poly_check_recurrence(const poly_occurrences *all, const poly_occurrence *o);
/* Every point of an update that may reach a cell comes before `reader` reads it in memory `m`. */
bool poly_check_updates_done(const poly_occurrences *all, const poly_occurrence *reader,
                             const stage_access *access, const poly_memory *m);

#endif
