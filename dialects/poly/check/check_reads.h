/* Each read of an occurrence comes after the write of what it goes to. */
#ifndef PM_DIALECTS_POLY_CHECK_CHECK_READS_H
#define PM_DIALECTS_POLY_CHECK_CHECK_READS_H

#include "dialects/poly/check/occurrences.h"
#include "dialects/stage/dependences/interior_reads.h"

/* All reads in what occurs here stay inside of inputs; what they read of stages was computed before, in the
 * memory that they read, with all updates, and by no other iteration of a parallel or vector loop. Of the
 * reads of one producer, the first that fails is reported. False after a diagnostic. */
bool poly_check_reads(const poly_occurrences *all, stage_interior_reads *interior, const poly_occurrence *o);

#endif
