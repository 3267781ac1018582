/* What a group of stages costs when it is tiled, and the tiles that it is to have. */
#ifndef PM_DIALECTS_POLY_COST_H
#define PM_DIALECTS_POLY_COST_H

#include "dialects/poly/machine.h"

/* A stage, at the estimates of the params. Arrays have an entry for each common dimension. */
typedef struct poly_stage_shape {
  double bytes;         /* of a value */
  double whole;         /* bytes of all values */
  const bool *has;      /* the common dimensions that the stage has */
  const double *extent; /* points, at least 1; 1 where it lacks the dimension */
  const double *stride; /* common coordinates from a point to the next */
  const double *reuse;  /* reads of a point in the middle that the next point repeats */
} poly_stage_shape;

typedef struct poly_cost_member {
  const poly_stage_shape *shape;
  const int64_t *halo_lo, *halo_hi; /* needed around the tile, in common coordinates: <= 0 and >= 0 */
  bool live_out;
} poly_cost_member;

/* A group that may be tiled. */
typedef struct poly_cost_group {
  unsigned n_dims; /* common dimensions, at least 1 */
  unsigned
      first; /* before it, tiles have one point, or the size of `first` where a member lacks the dimension */
  const poly_cost_member *members;
  size_t n_members;
  const poly_stage_shape *const *live_ins; /* stages and inputs that the members read, without them */
  size_t n_live_ins;
} poly_cost_group;

/* Gives the cost of the group, less being better and HUGE_VAL not to be had, and tile sizes (n_dims of them,
 * at least 1) in common coordinates. A group that cannot be tiled, alone for its updates, is never asked
 * for. */
typedef double poly_cost_fn(const poly_cost_group *group, const poly_machine *machine, int64_t *sizes);

typedef struct poly_cost_function {
  const char *name;
  poly_cost_fn *cost;
} poly_cost_function;

/* NULL after a diagnostic that names those there are. */
const poly_cost_function *poly_cost_named(pm_context *ctx, const char *name);

poly_cost_fn poly_cost_jb;

#endif
