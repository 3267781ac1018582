/* Folded memories keep each point as long as it is needed. */
#ifndef PM_DIALECTS_POLY_CHECK_CHECK_FOLDED_H
#define PM_DIALECTS_POLY_CHECK_CHECK_FOLDED_H

#include "dialects/poly/check/occurrences.h"

/* No cell that points share is overwritten between the write of one and its last read, nor written by two of
 * them in no certain order. Decided first by the steps of the one serial band right inside of the allocation:
 * the points that are at least a turn of the ring away are not written between the step of a point and that
 * of its reads. Only where this does not hold, the whole order is looked at. False after a diagnostic. */
bool poly_check_folded(const poly_occurrences *all, const poly_memory *m);

#endif
