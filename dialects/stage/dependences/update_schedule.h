/* Updates in tiles: where their points stand in the common space of a schedule. A point stands where the cell
 * is that it reaches. Along some dimensions of the stage the cell may follow from values, not from the place
 * of the point; there each point may reach every cell, and a tile takes the whole extent. */
#ifndef PM_DIALECTS_STAGE_DEPENDENCES_UPDATE_SCHEDULE_H
#define PM_DIALECTS_STAGE_DEPENDENCES_UPDATE_SCHEDULE_H

#include "dialects/stage/analyses/graph.h"

/* Why the stage cannot be computed tile by tile with others; NULL when it can, as all stages without updates
 * and reads of themselves. */
const char *stage_why_whole(const stage_node *node);
/* whole[d], for n common dimensions, into which `schedule` (borrowed) maps the stage: some update may reach
 * any cell along it. */
void stage_find_whole(const stage_node *node, isl_map *schedule, unsigned n, bool *whole);
/* Instances of the update -> common space; 0 along whole dimensions. */
__isl_give isl_map *stage_update_schedule(const stage_node *node, size_t number, isl_map *schedule);
/* The instances of the update that may reach one of the cells { [t] -> Stage[…] }, which hold all cells along
 * whole dimensions or none: { [t] -> u[…] }. */
__isl_give isl_map *stage_update_instances(const stage_node *node, size_t number, isl_map *cells);
/* Common coordinates from the first to the last point of the domain, along dimension `d`, for all
 * parameter values; 0 when no number bounds them. */
int64_t stage_span_along(pm_context *ctx, isl_map *schedule, isl_set *domain, unsigned d);
/* The place along dimension `d` depends on dimension `k` of the instances; the map is borrowed. */
bool stage_schedule_involves(isl_map *schedule, unsigned d, unsigned k);

#endif
