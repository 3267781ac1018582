/* What a group of stages costs when it is tiled, and the tiles that it is to have. */
#ifndef PM_DIALECTS_POLY_COST_COST_H
#define PM_DIALECTS_POLY_COST_COST_H

#include "dialects/machine/machine.h"
#include "dialects/stage/analyses/work.h"

/* A read at indices that are each a number, or a multiple of one common coordinate and a number. */
typedef struct poly_lattice_read {
  const void *array;   /* the node */
  unsigned n;          /* its dimensions, and by them */
  const int *dim;      /* the common dimension; -1: the index is a number */
  const double *steps; /* of the index from a common coordinate to the next */
} poly_lattice_read;

/* A stage, at the estimates of the params. Arrays have an entry for each common dimension. */
typedef struct poly_stage_shape {
  const void *array;    /* the node */
  double bytes;         /* of a value */
  double whole;         /* bytes of all values */
  const bool *has;      /* the common dimensions that the stage has */
  const bool *together; /* those of which a tile has more than single points; NULL: none */
  const double *extent; /* points, at least 1; 1 where it lacks the dimension */
  const double *stride; /* common coordinates from a point to the next */
  const double
      *reuse; /* reads of a point in the middle that the next point repeats; for functions that want it */
  const double *spread; /* points from the first to the last that a point reads of one stage */
  int row;              /* the common dimension that its rows run along; -1: none */
  bool own_order;    /* it reads itself: its loops are in the order of its dimensions, the rows innermost */
  int turns;         /* that along which rows are computed in turn, as their cells wait; -1: none */
  stage_work work;   /* of its cases, at a point; zeros for an input */
  stage_work update; /* of its updates */
  double n_updates;
  double cells;     /* iterations of parallel loops over cells that the updates have when it is whole; or 1 */
  bool is_external; /* an input or an output, whose array is the caller's */
  const poly_lattice_read *reads; /* of its cases */
  size_t n_reads;
} poly_stage_shape;

typedef struct poly_cost_member {
  const poly_stage_shape *shape;
  const int64_t *halo_lo, *halo_hi; /* needed around the tile, in common coordinates: <= 0 and >= 0 */
  bool live_out;
  int plane;             /* a tile of one step keeps one point of it along this dimension; -1: none such */
  const unsigned *reads; /* once each: numbers of members, then n_members + number of a live-in */
  size_t n_reads;
} poly_cost_member;

/* A group that is to be priced. */
typedef struct poly_cost_group {
  unsigned n_dims; /* common dimensions */
  /* Before it tiles have one point, or the size of `first` where a member lacks the dimension or is whole. */
  unsigned first;
  unsigned outer;                  /* the dimension whose tiles the threads share, `first` or a later one
                                      unless these are untiled */
  bool is_whole;                   /* one stage, computed whole; or without dimensions */
  int64_t most_rows;               /* of a step that tiles can be computed in; 0: they cannot */
  const bool *untiled;             /* the common dimensions of which a tile has all; NULL: none */
  const int64_t *given;            /* tile sizes that it has; NULL: they are to be chosen */
  const poly_cost_member *members; /* producers first */
  size_t n_members;
  const poly_stage_shape *const *live_ins; /* stages and inputs that the members read, without them */
  size_t n_live_ins;
} poly_cost_group;

/* Where a predicted time goes, in ns; zeros when the cost function predicts none. Of a member: its part,
 * which leaves out what no member has for itself (starting tiles and loops, memory of a core, addresses of
 * pages). */
typedef struct poly_prediction {
  double time;          /* all of it */
  double compute;       /* of one core: operations, in loops over rows */
  double traffic;       /* of one core, beyond the first cache, where it is not hidden by computing */
  double pages;         /* first use of memory that is allocated in the call */
  double start;         /* of parallel loops, tiles and rows */
  double bytes;         /* between the group and arrays */
  double least;         /* time for what must be moved, each array once: where it is read first, or written */
  double recomputation; /* points that are computed, over points that there are; at least 1 */
  double tasks;         /* iterations of the parallel loop */
} poly_prediction;

typedef struct poly_cost {
  double cost;    /* less is better; HUGE_VAL: not to be had */
  int64_t *sizes; /* of tiles, in common coordinates, at least 1: n_dims of them, the caller's array */
  int64_t inner;  /* the steps that a tile is computed in, along dimension `first`; 0: in one */
  bool of_items;  /* a tile is one work-item's, on a device */
  poly_prediction predicted;
  poly_prediction *parts; /* by member, the caller's array of zeros; NULL: they are not wanted */
} poly_cost;

/* Sets all of *out, and the sizes unless the group is computed whole. */
typedef void poly_cost_fn(const poly_cost_group *group, const pm_machine *machine, poly_cost *out);

typedef struct poly_cost_function {
  const char *name;
  poly_cost_fn *cost;
  bool wants_reuse; /* of shapes */
  bool has_items;   /* it says whose a tile is */
} poly_cost_function;

/* NULL after a diagnostic that names those there are. */
const poly_cost_function *poly_cost_named(pm_context *ctx, const char *name);

/* What a point of a stage takes of one core, in ns, where its loop is a vector loop that makes its calls one
 * by one; `stored`: bytes. */
double poly_point_ns(const pm_machine *machine, const stage_work *work, double stored);

/* What it takes to store a value of so many bytes in the memory of a tile, in the second cache, and to fetch
 * it from there; ns. */
double poly_keep_ns(const pm_machine *machine, double bytes);

/* --- for cost functions --- */
/* Common coordinates that the members span. */
double poly_group_span(const poly_cost_group *group, unsigned dim);
/* Common coordinates from a point to the next of the member that is the sparsest along some dimension. */
double poly_greatest_stride(const poly_cost_group *group);
/* A tile has all of the dimension. */
bool poly_is_untiled(const poly_cost_group *group, unsigned dim);
/* Every member has the dimension, in parts that may be single points, and no halo along it. */
bool poly_all_are_cut(const poly_cost_group *group, unsigned dim);

poly_cost_fn poly_cost_jb, poly_cost_roofline, poly_cost_device;

#endif
