/* Questions about isl objects that are made for the question: these functions take them. Where isl does not
 * answer (budget.h), they say no. */
#ifndef PM_DIALECTS_ISL_TAKE_H
#define PM_DIALECTS_ISL_TAKE_H

#include "dialects/isl/isl_dialect.h"

bool isl_take_is_empty(__isl_take isl_map *map);
bool isl_take_is_subset(__isl_take isl_map *a, __isl_take isl_map *b);
bool isl_take_is_injective(__isl_take isl_map *map);
/* isl_set_drop_unused_params and isl_map_drop_unused_params, which take params away one by one. */
__isl_give isl_set *isl_with_used_params(__isl_take isl_set *set);
__isl_give isl_map *isl_map_with_used_params(__isl_take isl_map *map);
/* The spaces (taken) have the same params in one order. */
bool isl_have_equal_params(__isl_take isl_space *a, __isl_take isl_space *b);
/* The union of a list of sets of one space. Halves are united first: isl_set_union sorts all parts. */
__isl_give isl_set *isl_take_union(__isl_take isl_set_list *sets, __isl_take isl_space *space);
/* isl_set_coalesce, or the set as it is. Of many parts those that are near each other in the set are compared
 * first, and all only when few are left. */
__isl_give isl_set *isl_coalesce(__isl_take isl_set *set);
/* The integer of an absolute value below `limit` that the value is, in *out; else false, and *out as it was.
 */
bool isl_take_int_below(__isl_take isl_val *value, int64_t limit, int64_t *out);

#endif
