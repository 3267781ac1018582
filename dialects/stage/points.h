/* The points of a set, for the interpreter of the stage dialect. */
#ifndef PM_DIALECTS_STAGE_POINTS_H
#define PM_DIALECTS_STAGE_POINTS_H

#include "dialects/arith/call.h"
#include "dialects/isl/isl_dialect.h"

enum { STAGE_CHUNK = 256 };

/* Up to STAGE_CHUNK points. A row has the points origin + (0, .., 0, k) for 0 <= k < n; else the point number
 * k is coords[0][k], coords[1][k] .. */
typedef struct stage_points {
  size_t n;
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

/* Calls `see` with every point of a set without parameters (taken) once, in no particular order. */
stage_points_result stage_each_point(__isl_take isl_set *set, stage_points_fn see, void *user);

#endif
