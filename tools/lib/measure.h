/* What pm-run --bench measures and prints. */
#ifndef PM_TOOLS_MEASURE_H
#define PM_TOOLS_MEASURE_H

#include "tools/lib/iterate.h"
#include "tools/lib/native.h"
#include "tools/lib/progress.h"

typedef struct pm_times {
  double first, min, median; /* seconds: of the first call, then of a round of `repeat` calls */
  size_t n;                  /* rounds after the first call */
} pm_times;

typedef struct pm_bench {
  pm_op *pipeline;
  pm_native *native, *naive; /* naive may be NULL */
  pm_iteration *it;
  size_t repeat;          /* calls of a round */
  double compile_seconds; /* without the C compiler */
  pm_times times[2];      /* of native and naive; one whose `first` is 0 gets a first call */
} pm_bench;

/* Runs the functions in turn, round after round: `rounds` times, or for about a second each when that is 0.
 * The code that a call failed with, else 0 and the times are set. */
int pm_measure(pm_bench *bench, size_t rounds, pm_progress *progress);
/* Prints them to stdout. */
void pm_print_bench(const pm_bench *bench);

#endif
