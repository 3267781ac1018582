/* What pm_function is, for what makes them. */
#ifndef PM_PM_FUNCTION_H
#define PM_PM_FUNCTION_H

#include "ir/fault.h"
#include "pm/native.h"
#include "pm/pm.h"

/* All that it points to is in its heap, but the struct itself is not. */
struct pm_function {
  pm_heap *heap;
  pm_native *native;
  const char *name;
  pm_parameter *parameters;
  size_t n_scalars, n_arrays;
};

/* Fills in all but the heap and the native function. */
void pm_function_describe(pm_function *f, const stage_signature *sig);

#endif
