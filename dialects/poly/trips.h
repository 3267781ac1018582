/* How often the loops of a schedule tree run. */
#ifndef PM_DIALECTS_POLY_TRIPS_H
#define PM_DIALECTS_POLY_TRIPS_H

#include "dialects/poly/check/occurrences.h"
#include "ir/affine.h"

/* The values of the loops around the occurrence at an instance, over its coordinates as dims and the params
 * of the context as symbols. NULL for a loop whose value is a function in pieces, or that is around what
 * brought the instance. */
void poly_values_at(const poly_occurrence *o, pm_affine_expr *values);
/* Loop number `loop` takes values less than so many apart, for the same values of the loops outside: at most
 * so many iterations. 0: there is no such number, or none is found. `values` are those of poly_values_at. */
int64_t poly_most_trips(const poly_occurrence *o, unsigned loop, const pm_affine_expr *values);
/* Loop number `loop` around `o` begins, in the same iterations of the first `shared` loops as loop number
 * `other_loop` around `other`, so much later, where neither is cut by a border; false: no number is found.
 * `other_values` are those of poly_values_at. */
bool poly_begins_later(const poly_occurrence *o, unsigned loop, const poly_occurrence *other,
                       unsigned other_loop, const pm_affine_expr *other_values, unsigned shared,
                       int64_t *later);
/* The value of a loop that the loops outside determine, over these as dims and the params of the context as
 * symbols; NULL when none is found. */
pm_affine_expr poly_only_value(const poly_occurrence *o, unsigned loop);

#endif
