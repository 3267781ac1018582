/* Numbers that are hard on operations. */
#ifndef PM_TOOLS_CHECK_TARGET_DATA_H
#define PM_TOOLS_CHECK_TARGET_DATA_H

#include "dialects/arith/call.h"
#include "tools/lib/check_target/program.h"

/* How many there are, of which the first floats are finite. */
enum { PM_CHECK_SAMPLES = 24, PM_CHECK_FINITE = 18 };
/* Number i of them, modulo their number; of i1 any number, of which the last bit counts. */
pm_lane pm_check_sample(pm_scalar scalar, uint64_t i);
/* Fills input number `input`. Plain data stay as they are. */
void pm_check_fill(const pm_array *array, size_t input, pm_check_data data);

#endif
