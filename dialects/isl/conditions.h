/* What holds of the points of a set, as one writes it. */
#ifndef PM_DIALECTS_ISL_CONDITIONS_H
#define PM_DIALECTS_ISL_CONDITIONS_H

#include "dialects/isl/isl_dialect.h"

#include <isl/aff.h>

/* `R >= 3 and 4 <= y <= C - 5`: isl's conditions without the space, products with their sign, constants
 * behind what they are added to; `names` has one for each dimension of the set, and may be NULL when there is
 * none. "anything" of a set without conditions, "nothing" of an empty one. A union is what holds of all its
 * parts without what lies between them, where that is shorter: `R > 0, but not 64 <= R <= 127`. */
void isl_put_conditions(pm_buf *out, const isl_set *set, const pm_string *names);

/* `R + 2`: a sum of params and a constant; false when it has quotients, and `out` then ends anywhere. */
bool isl_put_sum(pm_buf *out, __isl_keep isl_aff *aff);

#endif
