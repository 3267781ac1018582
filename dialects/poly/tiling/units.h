/* What a schedule tree decides of groups already, and what it leaves open. The children of the outermost
 * sequence, in whatever order dependences allow, are
 * - a stage that is free: a filter of it alone, with its band, or with a mark "group" without attributes
 * around it and its updates, as align-scale leaves it;
 * - a part that stays as it is: a mark "group" of several stages or with attributes, a part that is tiled,
 * all other nodes;
 * - a sequence without a mark: its children are parts that stay, in the order that they have. */
#ifndef PM_DIALECTS_POLY_TILING_UNITS_H
#define PM_DIALECTS_POLY_TILING_UNITS_H

#include "dialects/poly/indices.h"
#include "dialects/poly/tiling/alignment.h"

typedef struct poly_unit {
  pm_op *fixed;       /* the filter of a part that stays; NULL: a free stage */
  poly_indices nodes; /* indices of its stages, ascending */
  int after;          /* the unit that a sequence puts before it; -1: none */
} poly_unit;

/* A child of the outermost sequence. */
typedef struct poly_top {
  pm_op *filter;
  int unit; /* the last that is in it */
} poly_top;

typedef struct poly_units {
  const poly_alignment *alignment;
  PM_VEC(poly_unit) list; /* producers first */
  int *of;                /* by node index: the unit that the stage is in; -1: an input */
  poly_ops *filters;      /* by node index, of free stages: the stage's, then its updates' */
  PM_VEC(poly_top) tops;  /* in the order of the tree */
  bool any_fixed;
} poly_units;

/* Fails when a stage is missing in the tree, or has no band where it is free; or units have no order, and two
 * of them are named. No pass that changes the tree keeps it. */
extern const pm_analysis_desc poly_units_analysis;
#define POLY_UNITS(pass) ((const poly_units *)pm_pass_analysis(pass, &poly_units_analysis))
/* The units that read a unit or are put after it, once each. */
void poly_unit_followers(const poly_units *units, unsigned unit, poly_indices *out);

#endif
