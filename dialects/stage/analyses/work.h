/* How much a stage computes at a point: what cost models count. */
#ifndef PM_DIALECTS_STAGE_ANALYSES_WORK_H
#define PM_DIALECTS_STAGE_ANALYSES_WORK_H

#include "dialects/stage/analyses/graph.h"

/* Points that the pass unroll-phases computes at a time, at most. */

/* Per point, the mean over the points. An operation whose operands are of several widths counts with the
 * widest. Constants, params, indices of reads that are affine, and what is the same for a whole row are free.
 */
typedef struct stage_work {
  double ops;              /* sums, products, comparisons, conversions, … */
  double op_bytes;         /* their widths together */
  double conversions;      /* those of them that conversions between floats and narrower integers are */
  double conversion_bytes; /* their widths together */
  double divisions;        /* quotients and roots, no quotients of integers by constants, which are `ops` */
  double calls;            /* exp, pow, … */
  double loads; /* reads of points that are next to one another for neighbours in a row, or a few apart, as
                   channels of pixels are */
  double load_bytes;   /* what they take from memory, and the uneven ones: half of their widths */
  double shared_bytes; /* those of load_bytes that another one of PM_JAMMED_ROWS rows loads, too */
  double row_bytes; /* the widths of the values that are read at a point, one of each row; of pixels whole */
  double repeated_bytes; /* those of them that are not the first row of their stage: other points read them,
                            too */
  double strided;        /* reads and writes of points further apart */
  double uneven;  /* reads where neighbours have the same point or one further apart by turns, which a few
                      points repeat: x / 2 */
  double gathers; /* reads at indices that are computed, and cells that updates change at such */
  double chained; /* sums of floats into one cell all along a row, whose order is to be kept */
  double points;  /* at which something is computed; not a mean */
} stage_work;

/* Operations of a conversion: between floats and integers of fewer bits, of which a vector has more lanes,
 * one more for each time that it is taken apart, or put together, in halves. */
double stage_conversion_ops(pm_type from, pm_type to);
/* One case or update: at one of its points, which are `step` apart in a row; without `points`. */
stage_work stage_body_work(const pm_op *case_or_update, int64_t step);
/* The same at points of the set of the case or update. */
stage_work stage_work_in(const pm_op *case_or_update, isl_set *set);
/* Points of a set at the estimates: those of its box that its congruences let through. */
double stage_points_in(const stage_graph *graph, isl_set *set, int64_t usual);
/* The cases alone, of all points of the domain; params without estimate count as `usual`. */
stage_work stage_case_work(const stage_graph *graph, const stage_node *node, int64_t usual);
/* The updates together, per point of their sets. */
stage_work stage_update_work(const stage_graph *graph, const stage_node *node, int64_t usual);

#endif
