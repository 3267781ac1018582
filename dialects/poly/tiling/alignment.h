/* The stages of a pipeline in the common space of their schedule: what groups and tiles are decided by. */
#ifndef PM_DIALECTS_POLY_TILING_ALIGNMENT_H
#define PM_DIALECTS_POLY_TILING_ALIGNMENT_H

#include "dialects/poly/tree.h"
#include "dialects/stage/dependences/distance.h"

typedef struct poly_aligned poly_aligned;

/* The dependences of one stage on another, over all reads. Arrays are by common dimension. */
typedef struct poly_edge {
  const poly_aligned *producer, *consumer;
  bool aligned;              /* both stand in the common space */
  int64_t *lo, *hi;          /* producer minus consumer; lo > hi: nothing is read */
  bool *unbounded;           /* no number bounds the distances */
  bool *summed;              /* all reads are made by updates that sum over the dimension */
  const stage_access *loose; /* the first read whose distances have no bounds in a dimension; NULL: none */
} poly_edge;

/* Arrays are by common dimension. */
struct poly_aligned {
  const stage_node *node;
  isl_map *schedule; /* Stage[…] -> common space; NULL: an input, or a stage without a band of its own */
  bool *has;         /* it is not one number for all points */
  bool *scattered;   /* updates may reach any cell along it */
  bool *carried;     /* the stage may read itself at a distance along it */
  bool *together;    /* a tile has more than single points: rows run along it, or updates stand side by side
                        (each is of one cell along it, and not all of the same), or planes read in common */
  int turns;      /* the stage reads itself along its rows, PM_INTERLEAVED_ROWS of which are computed in turn
                     along this dimension; -1: not so */
  int64_t *spans; /* see poly_span_of */
  bool is_array;  /* the tree stores all of it in an array */
  const char *alone;         /* why no tile can compute a part of the stage; NULL: it can */
  PM_VEC(isl_map *) updates; /* u[…] -> common space, by number; none of a stage that is alone */
  PM_VEC(poly_edge *) readers;
};

typedef struct poly_alignment {
  const stage_graph *graph;
  unsigned n;       /* common dimensions */
  poly_aligned *of; /* by node index */
  bool any_sums;    /* some edge is `summed` */
  pm_arena *arena;
} poly_alignment;

/* Of the tree's innermost bands, and its whole arrays. A pass that leaves these as they are keeps it. */
extern const pm_analysis_desc poly_alignment_analysis;
#define POLY_ALIGNMENT(pass) ((const poly_alignment *)pm_pass_analysis(pass, &poly_alignment_analysis))

/* Common coordinates from the first to the last point, for all parameter values; 0: no number bounds them. */
int64_t poly_span_of(const poly_aligned *stage, unsigned d);
/* The stage has a common dimension that the flags say. */
bool poly_has_any(const poly_aligned *stage, unsigned n, const bool *flags);
/* The distances are all 0 along the dimension. */
bool poly_edge_is_zero(const poly_edge *edge, unsigned d);
/* No number bounds the distances, and the producer lacks the dimension: all that it has is read. */
bool poly_edge_is_free(const poly_edge *edge, unsigned d);

#endif
