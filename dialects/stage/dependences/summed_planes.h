/* Updates that sum over a dimension of what they read: each of its planes is needed for itself. */
#ifndef PM_DIALECTS_STAGE_DEPENDENCES_SUMMED_PLANES_H
#define PM_DIALECTS_STAGE_DEPENDENCES_SUMMED_PLANES_H

#include "dialects/stage/analyses/graph.h"

/* An update's instances -> the plane of the producer that they read, which is one coordinate of theirs but
 * for a constant, and no cell depends on that coordinate. `planes` (borrowed): points of the producer ->
 * planes. NULL when it is not so, or the read stands in a case. The caller's. */
__isl_give isl_map *stage_summed_planes(const stage_access *access, isl_map *planes);

#endif
