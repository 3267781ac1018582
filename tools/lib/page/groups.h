/* What a poly.schedule says of its stages: groups, tiles, storage; for pictures. */
#ifndef PM_TOOLS_PAGE_GROUPS_H
#define PM_TOOLS_PAGE_GROUPS_H

#include "dialects/stage/analyses/graph.h"

typedef struct pm_groups {
  const stage_graph *graph;
  PM_VEC(pm_op *) marks;  /* poly.mark "group", in the order in which they run */
  PM_VEC(pm_op *) allocs; /* poly.alloc */
  int *group_of;          /* by node: index in marks, -1 without a group */
} pm_groups;

/* Of the graph's pipeline, which may have no schedule yet; the graph must live as long. */
pm_groups pm_groups_find(const stage_graph *graph);
void pm_groups_free(pm_groups *groups);
/* "group 2, tiles of 32 x 256", by dimension of the last stage that leaves it; groups count from 1. */
void pm_put_group_title(pm_buf *out, const pm_groups *groups, size_t group);
/* `64`, or `all`: an extent of a box. */
void pm_put_extent(pm_buf *out, int64_t extent);
/* Bytes of the boxes that the tiles of a group keep, all together. */
int64_t pm_group_scratch_bytes(const pm_groups *groups, size_t group);

#endif
