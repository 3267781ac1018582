/* How large affine functions become: what is emitted has 64 bits, isl's numbers have no end. */
#ifndef PM_DIALECTS_ISL_MAGNITUDE_H
#define PM_DIALECTS_ISL_MAGNITUDE_H

#include "dialects/isl/isl_dialect.h"

/* Functions have to stay below 2^ISL_NUMBER_BITS in absolute value: sums of two, and one more, fit 64 bits.
 */
enum { ISL_NUMBER_BITS = 62 };

/* Whether the function leaves these bits at an integer point of its domain, parameters included, which should
 * be bounded there. Only a function with a number of 2^20 or more, in divisions too, is looked at: others are
 * small where coordinates are. */
bool isl_take_is_too_large(__isl_take isl_pw_aff *function);

#endif
