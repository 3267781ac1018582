/* How long arrays are, as functions of the scalars of a call. */
#ifndef PM_PM_EXTENTS_H
#define PM_PM_EXTENTS_H

#include "dialects/stage/analyses/graph.h"
#include "pm/pm.h"

/* The extent of a dimension of a domain, defined where the domain is not empty. */
__isl_give isl_pw_aff *pm_extent_function(isl_set *domain, unsigned dim);
/* Takes a number of isl; false: it is no integer of 64 bits. */
bool pm_take_int(__isl_take isl_val *val, int64_t *out) PM_MUST_USE;
/* `R + 2`; where it is one of several sums, all of them: `R or C`. */
void pm_put_extent_text(pm_buf *out, isl_set *domain, unsigned dim);

/* An extent as callers are told it. `sum` has a factor for each scalar of the signature and then a constant;
 * NULL: it is no such sum. */
typedef struct pm_extent {
  int64_t *sum;
  char *text;
} pm_extent;
/* Of all dimensions of all arrays in turn, the inputs first. */
typedef PM_VEC(pm_extent) pm_extents;

pm_extents pm_extents_of(const stage_signature *sig);
/* The copy is in the heap that is used. */
pm_extents pm_extents_copy(const pm_extents *extents, size_t n_scalars);
void pm_extents_free(pm_extents *extents);
/* The sum for these scalars; false: it does not fit 64 bits. */
bool pm_sum_at(const int64_t *sum, size_t n_scalars, const pm_argument *scalars, int64_t *value) PM_MUST_USE;

#endif
