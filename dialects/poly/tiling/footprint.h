/* Where the points of stages are in the common space, and what a tile computes of the stages of a group:
 * boxes around the tile, in numbers. */
#ifndef PM_DIALECTS_POLY_TILING_FOOTPRINT_H
#define PM_DIALECTS_POLY_TILING_FOOTPRINT_H

#include "dialects/poly/tiling/alignment.h"

/* Strides, first and last points of the stages of an alignment, each found when it is asked for. */
typedef struct poly_footprints poly_footprints;
extern const pm_analysis_desc poly_footprints_analysis;
#define POLY_FOOTPRINTS(pass) ((poly_footprints *)pm_pass_analysis(pass, &poly_footprints_analysis))
const poly_alignment *poly_alignment_of_footprints(const poly_footprints *footprints);

/* --- of a stage with a schedule, along common dimension `d`; `usual` is what an integer parameter without
 * estimate counts as --- */
/* Common coordinates from a point to the next; 1 where the stage lacks the dimension. */
int64_t poly_stride_along(poly_footprints *footprints, const stage_node *node, unsigned d);
/* The least coordinate at the estimates; false when it has none or lacks the dimension. */
bool poly_first_along(poly_footprints *footprints, const stage_node *node, int64_t usual, unsigned d,
                      int64_t *first);
/* Coordinates from the first to the last at the estimates, at least 1, by common dimension. */
const double *poly_extents_of(poly_footprints *footprints, const stage_node *node, int64_t usual);

/* --- of a tile --- */
/* Along a common dimension, which the stage may lack. */
typedef struct poly_stretch {
  bool has;
  int64_t from, to; /* common coordinates of the first point and the last, from the first of the tile */
  int64_t points;   /* of the stage from there to there, at most */
} poly_stretch;

/* Of one stage. Arrays are by common dimension. */
typedef struct poly_footprint {
  const stage_node *node;
  const int64_t *halo_lo, *halo_hi; /* what the tile needs around it, <= 0 and >= 0 */
  const bool *whole;                /* it needs all that there is */
  poly_stretch *along;              /* the result */
} poly_footprint;

/* The size of a tile along a dimension in which none is cut. */
enum { POLY_UNTILED = INT32_MAX };

/* Sets the results, of a tile that no border of the picture cuts. Along a dimension in which a stage has no
 * more points than such a tile needs it is the tile in the middle, cut where stages begin and end. `sizes`
 * are those of the tile in n dimensions, and tiles begin at multiples of them from the `origins` on. */
void poly_find_footprints(poly_footprints *footprints, int64_t usual, const poly_footprint *stages,
                          size_t n_stages, unsigned n, const int64_t *sizes, const int64_t *origins);

#endif
