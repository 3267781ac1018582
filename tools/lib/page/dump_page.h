/* index.html of --dump-ir: the runs of passes, with what each changed in the IR. */
#ifndef PM_TOOLS_PAGE_DUMP_PAGE_H
#define PM_TOOLS_PAGE_DUMP_PAGE_H

#include "ir/pass.h"

/* The parts of the page, in order: a head, a row for each run, an end. */
void pm_put_dump_head(pm_buf *out);
/* `file` is a link to the IR after the run, NULL: there is none. `before` and `after` are the texts of the
 * module around the run. */
void pm_put_dump_row(pm_buf *out, const pm_pass_run *run, const char *file, pm_str before, pm_str after);
void pm_put_dump_end(pm_buf *out);

#endif
