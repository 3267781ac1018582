/* The target c, for targets that build on it: C that is compiled in another way, or for another machine. */
#ifndef PM_TARGETS_C_C_H
#define PM_TARGETS_C_C_H

#include "targets/target.h"

extern const pm_target c_target;

#endif
