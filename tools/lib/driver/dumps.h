/* The IR after each run of a pass: the files of --dump-ir, the diffs of --print-changed=diff. */
#ifndef PM_TOOLS_DRIVER_DUMPS_H
#define PM_TOOLS_DRIVER_DUMPS_H

#include "ir/pass.h"

typedef struct pm_dumps pm_dumps;

/* For one run of a pipeline: sets the config's `after_run`. `folder`, which is made, gets 000-input.pmir,
 * 001-<pass>.pmir … and index.html; NULL: no files. `diffs` gets what each pass changed; NULL: none. Both
 * NULL: gives NULL, and the config is as it was. */
pm_dumps *pm_dumps_new(const char *folder, pm_buf *diffs, pm_run_config *config);
/* Ends index.html, which has all runs so far at any time. NULL is allowed. */
void pm_dumps_free(pm_dumps *dumps);

#endif
