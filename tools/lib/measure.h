/* What pm-run --bench measures and prints. */
#ifndef PM_TOOLS_MEASURE_H
#define PM_TOOLS_MEASURE_H

#include "tools/lib/bind.h"
#include "tools/lib/native.h"

typedef struct pm_times {
  double first, min, median; /* seconds of a call */
  size_t n;                  /* calls after the first */
} pm_times;

/* Calls each function in turn, round after round: `rounds` times after the first call, or for about a second
 * each when that is 0. Entries without a first call (first == 0) get one. The error code of a call that
 * fails, else 0. */
int pm_measure(pm_native *const *natives, size_t n, const pm_call *call, size_t rounds, pm_times *times);

/* Bytes that any program must move: the inputs read and the outputs written once. */
double pm_compulsory_bytes(const pm_arguments *args);
/* Bytes of all stages but the outputs, each stored whole; -1 after a diagnostic. */
double pm_intermediate_bytes(pm_op *pipeline, const pm_params *params);

#endif
