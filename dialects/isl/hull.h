/* A convex set around a union. */
#ifndef PM_DIALECTS_ISL_HULL_H
#define PM_DIALECTS_ISL_HULL_H

#include "dialects/isl/isl_dialect.h"

/* The simple hull of the set (taken) where the context (borrowed, a set of params) holds. It has no bounds
 * that come of bounds of the context: for { [x] : x < C } and { [x] : x < 2 } with C <= 2^40 it is no hull
 * that x < 2^40. */
__isl_give isl_basic_set *isl_hull_within(__isl_take isl_set *set, isl_set *context);

#endif
