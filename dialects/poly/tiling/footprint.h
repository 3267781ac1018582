/* What a tile computes of the stages of a group: boxes around the tile, in numbers, for those who explain
 * tiles. */
#ifndef PM_DIALECTS_POLY_TILING_FOOTPRINT_H
#define PM_DIALECTS_POLY_TILING_FOOTPRINT_H

#include "dialects/stage/analyses/graph.h"

/* Along a common dimension, which the stage may lack. */
typedef struct poly_stretch {
  bool has;
  int64_t from, to; /* common coordinates of the first point and the last, from the first of the tile */
  int64_t points;   /* of the stage from there to there, at most */
} poly_stretch;

/* Of one stage. Arrays are by common dimension. */
typedef struct poly_footprint {
  isl_map *schedule;                /* Stage[…] -> common space */
  isl_set *domain;                  /* at the estimates, without params */
  const int64_t *halo_lo, *halo_hi; /* what the tile needs around it, <= 0 and >= 0 */
  const bool *whole;                /* it needs all that there is */
  poly_stretch *along;              /* the result */
} poly_footprint;

/* Sets the results, of a tile that no border of the picture cuts. Along a dimension in which a stage has no
 * more points than such a tile needs it is the tile in the middle, cut where stages begin and end. `sizes`
 * are those of the tile in n dimensions, and tiles begin at multiples of them from the `origins` on. */
void poly_find_footprints(const poly_footprint *stages, size_t n_stages, unsigned n, const int64_t *sizes,
                          const int64_t *origins);

/* The least common coordinate of a stage's points, of a domain without params; false when it has none or
 * lacks the dimension. An unbounded one begins at 0. */
bool poly_first_along(isl_map *schedule, isl_set *domain, unsigned d, int64_t *first);
/* Common coordinates from a point of a stage to the next; 1 where it lacks the dimension. */
int64_t poly_stride_along(isl_map *schedule, unsigned d);

#endif
