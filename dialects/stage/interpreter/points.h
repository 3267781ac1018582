/* The points of a set, for the interpreter of the stage dialect. */
#ifndef PM_DIALECTS_STAGE_INTERPRETER_POINTS_H
#define PM_DIALECTS_STAGE_INTERPRETER_POINTS_H

#include "dialects/arith/call.h"
#include "dialects/isl/isl_dialect.h"

enum { STAGE_CHUNK = 256 };

/* Up to STAGE_CHUNK points of one set, in lexicographic order. A row has the points origin + (0, .., 0, k)
 * for 0 <= k < n; else the point number k is coords[0][k], coords[1][k] .. */
typedef struct stage_points {
  size_t n;
  unsigned set; /* number of the set that they are of */
  bool row;
  int64_t origin[PM_MAX_RANK];
  const pm_lane *coords[PM_MAX_RANK];
} stage_points;

typedef bool (*stage_points_fn)(void *user, const stage_points *points);

typedef enum stage_points_result {
  STAGE_POINTS_DONE,
  STAGE_POINTS_STOPPED, /* the callback returned false */
  STAGE_POINTS_FAILED   /* the set is unbounded, or its numbers are too large for 64 bits */
} stage_points_result;

/* Calls `see` with every point of each set once, the points of all sets together in lexicographic order; a
 * point of several sets comes in the order of the sets. The sets (borrowed) have no parameters and one number
 * of dimensions. */
stage_points_result stage_each_point(isl_set *const *sets, size_t n_sets, stage_points_fn see, void *user);

#endif
