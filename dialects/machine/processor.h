/* What the processor that this runs on has. */
#ifndef PM_DIALECTS_MACHINE_PROCESSOR_H
#define PM_DIALECTS_MACHINE_PROCESSOR_H

#include <stdbool.h>

typedef struct pm_processor {
  bool is_amd, is_intel;
  bool has_avx, has_avx2, has_avx512f; /* and the system keeps their registers */
} pm_processor;

/* All false but on x86. It is asked at the first call: where a hypervisor answers, that takes longer than all
 * that a tool does before it reads a program, and what the compiler offers for this asks at the start of a
 * process. */
const pm_processor *pm_host_processor(void);

#endif
