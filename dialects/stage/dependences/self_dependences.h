/* Which dimensions of a stage or update carry dependences of it on itself. */
#ifndef PM_DIALECTS_STAGE_DEPENDENCES_SELF_DEPENDENCES_H
#define PM_DIALECTS_STAGE_DEPENDENCES_SELF_DEPENDENCES_H

#include "dialects/stage/analyses/graph.h"

/* coincident[d] (n_dims entries) = 1 when the points of a stage that differ only from dimension d on may be
 * computed in any order of d: no read of the stage by itself has a distance in d, or outer dimensions carry
 * all of them. */
void stage_coincidence(const stage_node *node, int64_t *coincident);
/* No read of the stage by one of its cases has a distance in dimension `d`: points that differ in it do not
 * depend on each other, whatever the order of the others is. */
bool stage_is_free(const stage_node *node, unsigned d);
/* No read of the stage by one of its cases is of a point further on in dimension `d`. */
bool stage_goes_forward(const stage_node *node, unsigned d);
/* The same as stage_coincidence for the points of an update: two of them depend on each other when they
 * reach one cell, or one reads what the other changes. */
void stage_update_coincidence(const stage_node *node, size_t update, int64_t *coincident);

#endif
