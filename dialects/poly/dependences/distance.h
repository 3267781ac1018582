/* Dependence distances in the common space of a schedule. */
#ifndef PM_DIALECTS_POLY_DEPENDENCES_DISTANCE_H
#define PM_DIALECTS_POLY_DEPENDENCES_DISTANCE_H

#include "dialects/isl/isl_dialect.h"

/* Widens min[0..n) and max[0..n) by the distances producer - consumer of a read. `relation` maps consumer
 * instances to producer instances; `consumer` and `producer` map instances to the n common dimensions; all
 * are borrowed. False when a distance is not bounded by a number; an empty relation changes nothing. */
bool poly_widen_distances(isl_map *relation, isl_map *consumer, isl_map *producer, unsigned n, int64_t *min,
                          int64_t *max);
/* The same; but a dimension that the producer lacks may have distances that are not bounded: lacking[dim] is
 * set then, and they do not count. */
bool poly_widen_distances_but_free(isl_map *relation, isl_map *consumer, isl_map *producer, unsigned n,
                                   int64_t *min, int64_t *max, bool *lacking);
/* A stage whose instances `schedule` (borrowed) maps to n common dimensions has dimension `dim` of them: it
 * is not one number for all instances. */
bool poly_has_dimension(isl_map *schedule, unsigned n, unsigned dim);

#endif
