/* Reads of a stencil that lie between other reads. */
#ifndef PM_DIALECTS_STAGE_DEPENDENCES_INTERIOR_READS_H
#define PM_DIALECTS_STAGE_DEPENDENCES_INTERIOR_READS_H

#include "dialects/stage/analyses/graph.h"

/* What is known of the stages of a graph, found when it is first asked for. */
typedef struct stage_interior_reads {
  pm_arena *arena;
  bool **known; /* by node index, of its reads by number; NULL as long as nobody asked */
} stage_interior_reads;

stage_interior_reads stage_begin_interior_reads(pm_arena *arena, const stage_graph *graph);
/* At every instance the read goes to a point between those of two other reads of the stage, on a line along a
 * dimension: a convex set that all reads but these go to has their points too. */
bool stage_is_interior_read(stage_interior_reads *interior, const stage_node *node, size_t read);

#endif
