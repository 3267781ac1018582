/* Reads of a stencil that lie between other reads. */
#ifndef PM_DIALECTS_POLY_DEPENDENCES_INTERIOR_READS_H
#define PM_DIALECTS_POLY_DEPENDENCES_INTERIOR_READS_H

#include "dialects/stage/analyses/graph.h"

/* What is known of the stages of a graph, found when it is first asked for. */
typedef struct poly_interior_reads {
  pm_arena *arena;
  bool **known; /* by node index, of its reads by number; NULL as long as nobody asked */
} poly_interior_reads;

poly_interior_reads poly_begin_interior_reads(pm_arena *arena, const stage_graph *graph);
/* At every instance the read goes to a point on the line between those of two other reads of the stage: a
 * convex set that all reads but these go to has their points too. */
bool poly_is_interior_read(poly_interior_reads *interior, const stage_node *node, size_t read);

#endif
