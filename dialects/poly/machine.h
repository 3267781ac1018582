/* The machine that code is made for, as cost models see it. */
#ifndef PM_DIALECTS_POLY_MACHINE_H
#define PM_DIALECTS_POLY_MACHINE_H

#include "ir/context.h"

typedef struct poly_machine {
  int64_t cores;        /* threads that run at the same time */
  int64_t vector_bytes; /* of a vector register */
  int64_t l1_bytes;     /* of the first data cache, of one core */
  int64_t l2_bytes;
  int64_t l3_bytes; /* shared; 0: there is none */
} poly_machine;

/* What this computer says of itself; where it says nothing of a cache, 32 KB, 256 KB and none. */
poly_machine poly_host_machine(void);
/* "host", or a file with a JSON object of all fields by name: { "cores": 16, "vector_bytes": 32, "l1_bytes":
 * 32768, … }. False after a diagnostic. */
bool poly_machine_named(pm_context *ctx, const char *host_or_file, poly_machine *out) PM_MUST_USE;

#endif
