/* Which dimensions of a stage or update carry dependences of it on itself. */
#ifndef PM_DIALECTS_POLY_CARRIED_H
#define PM_DIALECTS_POLY_CARRIED_H

#include "dialects/stage/graph.h"

/* coincident[d] (n_dims entries) = 1 when the points of a stage that differ only from dimension d on may be
 * computed in any order of d: no read of the stage by itself has a distance in d, or outer dimensions carry
 * all of them. */
void poly_stage_coincidence(const stage_node *node, int64_t *coincident);
/* The same for the points of an update: two of them depend on each other when they reach one cell, or one
 * reads what the other changes. */
void poly_update_coincidence(const stage_node *node, size_t update, int64_t *coincident);

#endif
