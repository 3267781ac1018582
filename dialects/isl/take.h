/* Questions about isl objects that are made for the question: these functions take them. Where isl does not
 * answer (budget.h), they say no. */
#ifndef PM_DIALECTS_ISL_TAKE_H
#define PM_DIALECTS_ISL_TAKE_H

#include "dialects/isl/isl_dialect.h"

bool isl_take_is_empty(__isl_take isl_map *map);
bool isl_take_is_subset(__isl_take isl_map *a, __isl_take isl_map *b);
bool isl_take_is_injective(__isl_take isl_map *map);
/* isl_set_coalesce, or the set as it is. */
__isl_give isl_set *isl_coalesce(__isl_take isl_set *set);
/* The integer of an absolute value below `limit` that the value is, in *out; else false, and *out as it was.
 */
bool isl_take_int_below(__isl_take isl_val *value, int64_t limit, int64_t *out);

#endif
