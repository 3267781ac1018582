/* How large affine functions become: what is emitted has 64 bits, isl's numbers have no end. */
#ifndef PM_DIALECTS_ISL_MAGNITUDE_H
#define PM_DIALECTS_ISL_MAGNITUDE_H

#include "dialects/isl/isl_dialect.h"

/* Functions have to stay below 2^ISL_NUMBER_BITS in absolute value: sums of two, and one more, fit 64 bits.
 */
enum { ISL_NUMBER_BITS = 62 };

/* Whether the function has a number of that many bits or more, in divisions too. Borrows it. */
bool isl_has_numbers(isl_pw_aff *function, unsigned bits);
/* Whether the function has a number of 2^20 or more, in divisions too: without one it is small where
 * coordinates are. Borrows it. */
bool isl_has_large_numbers(isl_pw_aff *function);
bool isl_aff_has_large_numbers(isl_aff *function);
/* Whether the function leaves these bits at an integer point of its domain, parameters included, which should
 * be bounded there, or has a number that does. Only a function with large numbers is looked at. */
bool isl_take_is_too_large(__isl_take isl_pw_aff *function);
/* The same of a function on points, both borrowed. */
bool isl_is_too_large_on(isl_aff *function, isl_set *points);

#endif
