/* The arguments of one call of a pipeline, for the interpreters: the same order as the emitted function's. */
#ifndef PM_DIALECTS_ARITH_CALL_H
#define PM_DIALECTS_ARITH_CALL_H

#include "dialects/arith/eval.h"

enum { PM_MAX_RANK = 16 };

/* A dense row-major array; owned by the caller. */
typedef struct pm_array {
  pm_scalar scalar;
  unsigned rank;
  int64_t extents[PM_MAX_RANK];
  void *data;
} pm_array;

/* Elements, or -1 when the product does not fit 62 bits. */
int64_t pm_array_count(const pm_array *array);
/* Bytes of the elements; -1 when they do not fit 62 bits. */
int64_t pm_array_bytes(const pm_array *array);

typedef struct pm_call {
  const pm_lane *params; /* in the form of their types */
  size_t n_params;
  const pm_array *inputs;
  size_t n_inputs;
  const pm_array *outputs; /* data is written */
  size_t n_outputs;
} pm_call;

#endif
