/* Lists of stages, groups … by number. */
#ifndef PM_DIALECTS_POLY_INDICES_H
#define PM_DIALECTS_POLY_INDICES_H

#include "ir/support.h"

typedef PM_VEC(unsigned) poly_indices;

#endif
