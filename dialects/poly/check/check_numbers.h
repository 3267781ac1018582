/* The numbers that the loops of a schedule tree count with. */
#ifndef PM_DIALECTS_POLY_CHECK_CHECK_NUMBERS_H
#define PM_DIALECTS_POLY_CHECK_CHECK_NUMBERS_H

#include "dialects/stage/analyses/graph.h"
#include "dialects/stage/analyses/statements.h"

/* The members of all bands, and their numbers, stay below 2^ISL_NUMBER_BITS on the instances of their stages,
 * for all parameter values, and the numbers of boxes' corners below 2^31; false after diagnostics. What other
 * sums of these loops become is for lower-poly to see, which makes them. */
bool poly_check_numbers(const stage_graph *graph, const stage_statements *statements, pm_op *schedule);

#endif
