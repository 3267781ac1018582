/* The plan of a group: which stages it has, what a tile needs around it of each, in what tiles and steps it
 * is computed. The pass group prices it, the pass tile carries it out. */
#ifndef PM_DIALECTS_POLY_TILING_PLAN_H
#define PM_DIALECTS_POLY_TILING_PLAN_H

#include "dialects/poly/indices.h"
#include "dialects/poly/tiling/footprint.h"

typedef struct poly_plan poly_plan;

/* A stage and the group that it is in. Arrays are by common dimension. */
typedef struct poly_planned {
  const poly_aligned *at;
  poly_plan *in;              /* NULL: none yet */
  int64_t *halo_lo, *halo_hi; /* what a tile needs around it, <= 0 and >= 0 */
  bool *whole;                /* a tile needs all that it has */
  bool halo_known;            /* the distances to all readers in the group are bounded where tiles are cut */
  double update_points;       /* of its updates, at the estimates; < 0: not asked yet */
  const bool
      *made_again; /* by reader: in another group it makes what it reads of the stage again; NULL: none */
} poly_planned;

/* All stages of a pipeline, each in at most one group. */
typedef struct poly_plans {
  const poly_alignment *alignment;
  poly_footprints *footprints;
  pm_arena *arena;
  int64_t usual;    /* what an integer parameter without estimate counts as */
  poly_planned *of; /* by node index */
} poly_plans;

struct poly_plan {
  poly_plans *all;
  unsigned number;    /* among the groups of whoever made it */
  unsigned n;         /* common dimensions */
  poly_indices nodes; /* indices of the members, readers first */
  bool *untiled;      /* by common dimension: a member reads itself along it, so that a tile has all of it */
  /* The rest is chosen by the functions below; arrays are by common dimension, NULL as long as not chosen. */
  unsigned first;     /* the first dimension that sizes are for */
  unsigned outer;     /* the dimension of the outermost tile loop */
  int64_t *sizes;     /* of a tile */
  int64_t *origins;   /* tile number 0 begins there */
  int64_t *steps;     /* the size of a step, 0: all at once */
  unsigned n_stepped; /* dimensions with steps */
  const char *worker; /* of the mark group */
};

/* A group of fewer stages has no use for steps. In one of more stages, which are of many scales, each step
 * asks for most of them whether it is theirs, and isl takes long for their loops. */
enum { POLY_LEAST_STEPPED = 2, POLY_MOST_STEPPED = 32 };

/* In the arena, which outlives all. */
poly_plans *poly_plans_new(poly_footprints *footprints, pm_arena *arena, int64_t usual);
/* --- members --- */
/* An empty group; its members are to be freed. */
poly_plan *poly_plan_new(poly_plans *all);
void poly_plan_free(poly_plan *plan);
const poly_planned *poly_plan_at(const poly_plan *plan, size_t i);
/* Adds a stage, after those that read it, with the halo that it has. */
void poly_plan_join(poly_plan *plan, unsigned node);
/* The stages have no group any more. */
void poly_plan_clear(poly_plan *plan);
/* The group computes and reads the stage, and all that read it outside make it again. */
bool poly_is_made_again(const poly_plan *plan, const poly_planned *stage);
/* Its values are needed outside the group that it is in or would be in, where they are not made again; those
 * that nobody reads, those that the tree stores in an array, and what is read to make others again are kept
 * too. */
bool poly_is_live_out(const poly_plan *plan, const poly_planned *stage);

/* --- halos --- */
/* The halo of a stage from those of its readers in the group, exact for constant distances. */
void poly_find_halo(const poly_plan *plan, poly_planned *stage);
/* Of all members, of which those that leave the group have none: a tile computes what it owns of them. */
void poly_find_halos(const poly_plan *plan);
/* The same, but at least the halos that the others have. */
void poly_widen_halos(const poly_plan *plan);

/* No number bounds how far some reader in the group is from the stage along a dimension in which tiles are
 * cut, or would be with both in one group. */
bool poly_is_read_anywhere(const poly_plan *plan, const poly_planned *stage);
/* A tile needs nothing of the stage but what it owns. */
bool poly_stays_inside(const poly_plan *plan, const poly_planned *stage);
/* The tree stores no member whole that a tile would have to compute for itself; false after a diagnostic that
 * names the group's mark and the allocation. Of halos as poly_find_halo gives them. */
bool poly_check_arrays(const poly_plan *plan, const pm_op *mark);

/* --- tiles --- */
/* No tile can compute a part of its one stage, no dimension is left to cut, or there is none. */
bool poly_plan_is_whole(const poly_plan *plan);
/* The sizes of a tile when those of the n_named innermost dimensions are given. An outer one becomes a loop
 * over single points where no dependence crosses it and all stages have it (the channels of a picture), else
 * it takes the first size; POLY_UNTILED where a member reads itself. `more` is one more stage of the group,
 * or NULL. */
void poly_usual_sizes(const poly_plan *plan, const poly_planned *more, const int64_t *named, size_t n_named,
                      int64_t *sizes);
/* The first dimension of those that sizes are chosen for: the two innermost ones, and outer ones from the
 * first along which members depend on one another. Those before it have few points, and no loop over them
 * should be the parallel one. */
unsigned poly_first_sized(const poly_plan *plan);
/* The dimension of the outermost tile loop: of those in which tiles are cut the first from `first` on along
 * which no number bounds the live-outs, so that there are many tiles for the threads; else the first that
 * they have, or one before `first`. Of a plan that is not whole. */
unsigned poly_outermost_tiled(const poly_plan *plan, unsigned first);
/* Sets where tiles begin: where the live-outs begin, so that sizes which are parts of the extent make as many
 * tiles, and the points of scaled stages stand alike in all tiles. Single points count from 0. */
void poly_choose_origins(poly_plan *plan);

/* --- steps inside a tile (docs/tiling.md) --- */
/* What stands against them: the stage itself, or a read of one stage of the group by another. */
typedef struct poly_obstacle {
  const stage_node *stage;
  const char *why;
  const stage_access *read; /* its distances are not bounded; NULL: it is the stage */
} poly_obstacle;
/* A tile can be computed in steps along the dimensions from `first` to `end`, which is not one of them. */
bool poly_may_step(const poly_plan *plan, unsigned first, unsigned end, poly_obstacle *out);
/* shifts[i], by common dimension, of member i of a group that may have steps: the step of a point is that of
 * the point plus the shift. Each stage is as late as its readers allow; one that nobody in the group reads is
 * not shifted. In the arena. */
int64_t **poly_find_shifts(const poly_plan *plan);

/* plane[i], by number of the member, readers first: the common dimension along which a tile computes the
 * member plane by plane for sums over it (the pass tile-reductions), and keeps one; -1: none. NULL: no stage
 * of the pipeline. In the arena. */
int *poly_find_planes(const poly_plan *plan);

/* --- at the estimates --- */
/* Common coordinates of a stage by dimension, at least 1. */
const double *poly_extents(poly_plans *all, unsigned node);
double poly_update_points(poly_plans *all, unsigned node);

#endif
