/* What remarks say in numbers of a stage or a group. */
#ifndef PM_TOOLS_PAGE_FACTS_H
#define PM_TOOLS_PAGE_FACTS_H

#include "tools/lib/driver/remarks.h"

typedef PM_VEC(const pm_kept_remark *) pm_remark_refs;

/* The last of these remarks that the pass made with a number of that name; NULL: there is none. */
const pm_kept_remark *pm_find_remark(const pm_remark_refs *remarks, const char *pass, const char *key);

/* What the pass group predicts, of a group or of a stage in it; times in ns. */
typedef struct pm_prediction {
  bool known;
  double time, compute, traffic, pages, start, least, bytes, recomputation, tasks;
} pm_prediction;

/* Of a group, from the remarks of the last of its stages. */
pm_prediction pm_group_prediction(const pm_remark_refs *remarks);
pm_prediction pm_stage_prediction(const pm_remark_refs *remarks);

/* What the pass tile says of a stage, along a dimension that the stages of its group have in common, and of
 * which a tile begins at 0. */
typedef struct pm_tile_stretch {
  bool has;
  double from, to, points;
  double ahead; /* in the loop over steps, of what nobody in the group reads */
} pm_tile_stretch;

/* A stage in a tile of its group. */
typedef struct pm_tile_part {
  PM_VEC(pm_tile_stretch) along; /* by common dimension; none when nothing is known */
  double slices, alive;          /* of a ring; 0: it has none */
} pm_tile_part;

/* To be freed. */
pm_tile_part pm_tile_part_of(const pm_remark_refs *remarks);
void pm_tile_part_free(pm_tile_part *part);
/* Coordinates from a point to the next, 1 of a single one. */
double pm_stretch_stride(const pm_tile_stretch *s);

#endif
