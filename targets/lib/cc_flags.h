/* The flags that the C compiler gets where the user names none. */
#ifndef PM_TARGETS_LIB_CC_FLAGS_H
#define PM_TARGETS_LIB_CC_FLAGS_H

#include "ir/support.h"

#define PM_CC_FLAGS "-O3 -march=native -fopenmp"

/* The i-th words of flags that suit this processor beyond PM_CC_FLAGS, NULL behind the last; a compiler may
 * not know them. */
const char *pm_cc_tuning(size_t i);

#endif
