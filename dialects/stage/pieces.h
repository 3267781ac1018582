/* Updates whose contributions are combined in pieces, and the pieces then: what rfactor and split-reductions
 * have in common. */
#ifndef PM_DIALECTS_STAGE_PIECES_H
#define PM_DIALECTS_STAGE_PIECES_H

#include "dialects/stage/analyses/graph.h"

/* The body of the update reads the stage that it changes. */
bool stage_update_reads_itself(const stage_node *node, size_t number);
/* Why the contributions to a cell may not be combined in any order and grouping; NULL: they may, but for what
 * the body reads of its own stage. */
const char *stage_why_in_order(const pm_op *combine);
/* The default of a func that the combine begins with: of a tuple one for each element. */
pm_attr stage_combine_identities(const pm_op *combine);
/* The first `n` arguments of the body become the first indices of its combine. */
void stage_prepend_indices(pm_op *combine, unsigned n);
/* At the end of a body whose last `n_dims` arguments are a cell: combines the values, one for each element,
 * into it, as `like` does. */
void stage_build_combine_like(pm_builder *b, const pm_op *like, pm_value *const *values, unsigned n_dims);

#endif
