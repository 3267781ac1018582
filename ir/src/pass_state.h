/* The passes known to a context, in the order of their registration. Private to ir/src. */
#ifndef PM_IR_SRC_PASS_STATE_H
#define PM_IR_SRC_PASS_STATE_H

#include "ir/pass.h"

typedef struct pm_pass_registry {
  const pm_pass_desc **data; /* owned by the context: PM_VEC_FREE at its end */
  size_t len, cap;
} pm_pass_registry;

#endif
