/* How many slices of a producer are alive at once while a serial band walks over a tile: the size of the ring
 * that they can live in. */
#ifndef PM_DIALECTS_POLY_TILING_RING_H
#define PM_DIALECTS_POLY_TILING_RING_H

#include "dialects/stage/dependences/distance.h"

/* The outermost member of a band on one stage, or on one of its updates: floor(before / height), `before` an
 * affine function of the instances; the height is the same for all of the band. */
typedef struct poly_inner_tile {
  const pm_op *band;
  const stage_node *node;
  int update; /* -1: the points of the stage */
  isl_aff *before;
  int64_t height;
  unsigned dim;   /* the one dimension that `before` is a function of, */
  int64_t stride; /* and its factor; 0: there is no such dimension */
} poly_inner_tile;
typedef PM_VEC(poly_inner_tile) poly_inner_tiles;

/* Adds the steps of a serial band, of all stages and updates on which its outermost member is such a
 * function.
 */
void poly_find_inner_tiles(const stage_graph *graph, const pm_op *band, poly_inner_tiles *out);
void poly_free_inner_tiles(poly_inner_tiles *steps);

typedef struct poly_ring {
  unsigned dim;
  int64_t slices; /* alive at once, of those that differ in dimension `dim` */
} poly_ring;

/* The ring of a stage that all its readers, in the same band, read at bounded distances: a slice is alive
 * from the step that computes it to the last that reads it, both included. False when its steps are no
 * function of one dimension, or a reader has none or is not bounded. */
bool poly_find_ring(stage_distances *distances, const poly_inner_tiles *steps, const stage_node *producer,
                    poly_ring *out);

#endif
