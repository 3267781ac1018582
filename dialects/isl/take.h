/* Questions about isl objects that are made for the question: these functions take them. */
#ifndef PM_DIALECTS_ISL_TAKE_H
#define PM_DIALECTS_ISL_TAKE_H

#include "dialects/isl/isl_dialect.h"

bool isl_take_is_empty(__isl_take isl_map *map);
bool isl_take_is_subset(__isl_take isl_map *a, __isl_take isl_map *b);
/* The integer of an absolute value below `limit` that the value is, in *out; else false, and *out as it was.
 */
bool isl_take_int_below(__isl_take isl_val *value, int64_t limit, int64_t *out);

#endif
