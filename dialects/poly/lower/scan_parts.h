/* What the two ways of scanning share: loops that are exact (scan.c), and those over more points than there
 * are, with conditions inside (scan_guarded.c). */
#ifndef PM_DIALECTS_POLY_LOWER_SCAN_PARTS_H
#define PM_DIALECTS_POLY_LOWER_SCAN_PARTS_H

#include "dialects/poly/lower/scan.h"

typedef struct scanner {
  pm_context *ctx;
  pm_arena *arena;
  const stage_statements *statements;
  const stage_graph *graph;
  isl_set *context; /* of the params that there are; symbols count these */
  pm_op *root;      /* below which all of the scanned tree is */
  bool guarded;
  bool ok;
} scanner;

/* The instances of a statement, or of a stage that is expanded further below, that reach a node. */
typedef struct run {
  pm_string tuple;
  const stage_node *node;
  const stage_statement *statement; /* NULL: of a stage */
  isl_map *executed;   /* loops around -> instances, one basic map; guarded: a plain one around */
  isl_map_list *exact; /* guarded: what holds besides, of the outermost loops */
} run;

typedef struct scope {
  PM_VEC(run) runs;
  unsigned depth;
  isl_basic_set *known;  /* of the loops around */
  poly_loop_marks marks; /* of the next loop */
  poly_scan *parent;
} scope;

/* With the params of the context alone, in its order; others say nothing of it. */
__isl_give isl_set *poly_scan_params(const scanner *s, __isl_take isl_set *set);
__isl_give isl_map *poly_scan_params_of_map(const scanner *s, __isl_take isl_map *map);
poly_scan *poly_scan_add(scanner *s, poly_scan *parent, poly_scan_kind kind);
/* The parent itself where the nest has no conditions. */
poly_scan *poly_scan_add_conditions(scanner *s, poly_scan *parent, const poly_nest *nest);
poly_scan *poly_scan_add_loop(scanner *s, poly_scan *parent, const poly_level **levels, unsigned n_levels,
                              unsigned depth);
/* Whatever meets all conditions of one of the nests; the parent itself without nests. */
poly_scan *poly_scan_add_alternatives(scanner *s, poly_scan *parent, const poly_nest *nests, unsigned n);
/* All points of the statements of a run, in the tuple of the run. */
__isl_give isl_set *poly_scan_points(const scanner *s, const run *r);

/* --- guarded --- */
/* The run of what is brought, a map from the loops around to instances (taken). */
run poly_guarded_run(const scanner *s, run r, __isl_take isl_map *brought);
/* { [band] -> [loops] }: a loop counts the steps of a member that goes in strides for all runs. */
__isl_give isl_map *poly_guarded_steps(const scanner *s, const pm_op *band, const scope *at);
/* Inside the band, whose loops count `steps` (borrowed); false when no instance of the run is scheduled by
 * it. */
bool poly_guarded_band(const scanner *s, const pm_op *band, isl_map *steps, unsigned depth, run *r);
/* Only what the filter has. */
void poly_guarded_filter(const scanner *s, run *r, __isl_take isl_set *filter);
/* Iterations of the loops around it, plain. */
__isl_give isl_set *poly_guarded_iterations(const scanner *s, const run *r);
/* The same, by the convex parts of the points. */
__isl_give isl_set *poly_guarded_parts(const scanner *s, const run *r);
/* Enters the iterations of the loops around that have an instance of a run: plain ones around, under a guard
 * where others are among these. */
__isl_give isl_set *poly_guarded_enter(scanner *s, scope *at);
/* The statements of the runs. */
void poly_guarded_leaf(scanner *s, const scope *at);

#endif
