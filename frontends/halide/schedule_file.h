/* Schedules in files, in the words of Halide, for programs of any language. */
#ifndef PM_FRONTENDS_HALIDE_SCHEDULE_FILE_H
#define PM_FRONTENDS_HALIDE_SCHEDULE_FILE_H

#include "ir/ir.h"

/* A name of what the pipeline computes: it is another when a stage is another. Demands and schedules do not
 * count. */
uint64_t halide_hash_of(pm_op *pipeline);

/* Puts what the file says in place of the demands of the pipeline. Stages have their names, and their
 * dimensions those of their domains, the last one first, as Vars. A line `// algorithm HASH` that is not that
 * of the pipeline is a warning. `has_groups`: the target has groups of work-items. False after diagnostics.
 */
bool halide_apply_schedule(pm_op *pipeline, const char *path, bool has_groups);

/* What was decided, as such a text: `scheduled` is what the passes up to group made of a copy of
 * `pipeline`. A group without words is a comment. False after a diagnostic: there is no schedule. */
bool halide_put_schedule(pm_buf *out, pm_op *pipeline, pm_op *scheduled);

#endif
