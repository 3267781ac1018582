/* The points of all Funcs while they are looked for (domains.c), and which calls they allow (calls.c). */
#ifndef PM_FRONTENDS_HALIDE_INFERENCE_H
#define PM_FRONTENDS_HALIDE_INFERENCE_H

#include "dialects/stage/analyses/graph.h"
#include "frontends/halide/lower/intervals.h"
#include "frontends/halide/lower/lower.h"

#include <isl/set.h>

/* How a domain is found where what readers need along a dimension has several ends on a side. */
typedef enum h_bounds {
  H_PARTS, /* exact: one part for each, as long as they are few */
  H_HULLS, /* bounds that hold for all of them */
  H_ENDS   /* the least or the greatest of them becomes a param of the pipeline */
} h_bounds;

/* What all sizes are taken for. */
typedef enum h_pictures { H_SMALL, H_USUAL, H_N_EXTENTS } h_pictures;

/* A bound along one dimension that is the least or the greatest of several: a param of the pipeline, which
 * the call computes. */
typedef struct h_end {
  pm_string name;
  pm_loc loc;
  const stage_node *node;
  unsigned dim;      /* Halide's */
  isl_set *function; /* one number for all params before it */
  int64_t usual[H_N_EXTENTS];
} h_end;
typedef PM_VEC(h_end) h_ends;

typedef struct h_inference {
  h_lowering *l;
  stage_graph *graph;
  h_bounds bounds;
  bool is_trial;     /* of which no diagnostics are given */
  isl_set **needed;  /* by node and dimension: what readers need along it, or NULL */
  isl_set **domains; /* by node; tuples as the nodes' */
  bool *waits;       /* by node: a reader, or one of its readers, becomes a part of others */
  isl_set *context;
  h_facts facts; /* the context's, as it was when they were needed */
  h_ends ends;
  h_intervals intervals;
  isl_set *sizes; /* the bounds of each param by itself */
  pm_map *funcs;  /* name of a node -> its symbol */
  /* at which isl's operations came to their end, or NULL */
  const stage_node *costly;
  const stage_access *costly_read;
  PM_VEC(const stage_access *) left_out; /* reads of inputs that all calls that are taken do without */
} h_inference;

/* The instances of a reader whose domain is known. */
__isl_give isl_set *h_instances_of(const h_inference *f, const stage_access *a);
/* The points along one dimension. */
__isl_give isl_set *h_line_along(__isl_keep isl_set *points, unsigned d);
/* The points of the box around the set, when pictures have the extent. */
double h_points_at(const h_inference *f, __isl_keep isl_set *set, h_pictures pictures);
bool h_has_computed_reader(const stage_node *node);

/* The params of the context for which all that is read of the inputs is in them. */
__isl_give isl_set *h_sizes_with_inputs(h_inference *f);
/* Says why there are none; false. */
bool h_report_input(const h_inference *f);
/* Reads that no call comes to: the sizes lack those for which it would. */
void h_find_left_out(h_inference *f, __isl_keep isl_set *sizes);
void h_warn_of_left_out(const h_inference *f);
/* Of the sizes those for which floats in indices are exact. */
__isl_give isl_set *h_with_float_limits(const h_inference *f, __isl_take isl_set *context);
/* The estimates of extents of outputs fit those of the inputs. */
void h_fit_estimates(const h_inference *f);
void h_warn_of_memory(const h_inference *f);

#endif
