/* Dependence distances of reads in the common space of a schedule. */
#ifndef PM_DIALECTS_STAGE_DEPENDENCES_DISTANCE_H
#define PM_DIALECTS_STAGE_DEPENDENCES_DISTANCE_H

#include "dialects/stage/analyses/graph.h"

/* The distances of the reads of one pipeline: each is found when it is asked for first, and known then
 * between all schedules that differ from those in constants and factors alone. They depend on the stages, not
 * on the schedule tree. */
typedef struct stage_distances stage_distances;
extern const pm_analysis_desc stage_distances_analysis;
#define STAGE_DISTANCES(pass) ((stage_distances *)pm_pass_analysis(pass, &stage_distances_analysis))

/* Widens min[0..n) and max[0..n) by the distances producer - consumer of a read. `consumer` and `producer`
 * (borrowed) map instances of both to the n common dimensions. False when a distance is not bounded by a
 * number; a read of nothing changes nothing. `unbounded` NULL, or n entries: those of the dimensions with
 * such distances are set. */
bool stage_widen_distances(stage_distances *of, const stage_access *access, isl_map *consumer,
                           isl_map *producer, int64_t *min, int64_t *max, bool *unbounded);
/* The stages whose reads they are. */
const stage_graph *stage_graph_of_distances(const stage_distances *of);
/* Adds to the pass' statistics how often distances of a read were computed, not known, since this was called
 * last.
 */
void stage_count_distances(pm_pass *pass);
/* A stage whose instances `schedule` (borrowed) maps to n common dimensions has dimension `dim` of them: it
 * is not one number for all instances. */
bool stage_has_dimension(isl_map *schedule, unsigned n, unsigned dim);

#endif
