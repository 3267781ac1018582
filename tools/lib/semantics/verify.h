/* Whether passes keep what a program computes: the interpreters run it before and after, at sizes next to the
 * borders of tiles. A wrong result is traced to the pass, the rewrite, and the op that stores it. */
#ifndef PM_TOOLS_SEMANTICS_VERIFY_H
#define PM_TOOLS_SEMANTICS_VERIFY_H

#include "tools/lib/images/sizes.h"
#include "tools/lib/semantics/states.h"

enum { PM_VERIFY_OPS = 150000000 };
typedef struct pm_verify_options {
  const char *tool;            /* names the file of a reproducer */
  const char *reproducer;      /* its path; NULL: as pm_write_culprit has it */
  const pm_named_list *params; /* NULL or empty: sizes at borders */
  double most_ops;             /* that the program computes before any pass, at all sizes together */
  bool is_brief;               /* what all passes leave in the end, and the error without notes and a file */
} pm_verify_options;
typedef struct pm_verified {
  int64_t calls, sizes; /* calls that were compared, sizes at which there were some */
  bool accesses;        /* what differs is an access out of bounds */
  char bad[200];        /* NAME=VALUE,… at which they differ; empty: they do not, or it has no room */
} pm_verified;

/* False after diagnostics: what a pass leaves computes something else than the module did, or no call of a
 * program can be interpreted. The first such pass is found by halving; a schedule is lowered to loops for
 * that, on a copy. Floats of pipelines that are not strict may differ by 1e-5 of the greatest. */
bool pm_verify_states(pm_states *states, const pm_verify_options *options, pm_verified *count) PM_MUST_USE;

#endif
