/* What passes ask of the indices of accesses: how they depend on a value, and after how many of its steps
 * they come again. */
#ifndef PM_DIALECTS_LOOP_ANALYSES_INDICES_H
#define PM_DIALECTS_LOOP_ANALYSES_INDICES_H

#include "dialects/loop/access.h"

bool loop_index_mentions(const loop_access *access, pm_affine_expr index, const pm_value *value);
/* What the value is multiplied by in the index; false when the index is not linear. */
bool loop_find_factor(const loop_access *access, pm_affine_expr index, const pm_value *value,
                      int64_t *factor);
/* From one value of the counter to the next, the access goes to the next cell of a row. */
bool loop_goes_along(const loop_access *access, const pm_value *counter);
/* The least k such that the index at value + k * step differs from that at the value by the same number
 * wherever that is; 0 when none up to `most` is found. */
int64_t loop_index_period(const loop_access *access, pm_affine_expr index, const pm_value *value,
                          int64_t step, int64_t most);
/* Arrays that one op makes may share memory; those of different ops do not overlap. */
bool loop_share_memory(const pm_value *a, const pm_value *b);
/* The least common multiple of periods; 0 when one of them is 0, or it is more than `most`. */
int64_t loop_joint_period(int64_t a, int64_t b, int64_t most);
/* What is left of the index divided by the period, which is above 0; -1 when that is not known. */
int64_t loop_find_remainder(const pm_value *value, int64_t period);

#endif
