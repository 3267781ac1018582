/* The system's C compiler: from the text of a target to a shared object, an object or assembly. */
#ifndef PM_TARGETS_LIB_CC_H
#define PM_TARGETS_LIB_CC_H

#include "targets/lib/work_dir.h"
#include "targets/target.h"

/* Writes base.c and base.h into `dir` and compiles them to dir/base.`extension` (so, o or s), whose path goes
 * to `result` (freed by the caller; set also on failure). Of the options: --cc (NULL: cc; may have arguments,
 * separated by spaces), --cflags (NULL: PM_CC_FLAGS, and of pm_cc_tuning what the compiler knows), fp. */
pm_outcome pm_compile_c(const pm_work_dir *dir, const pm_target_output *c, const char *extension,
                        const pm_build_options *options, char **result, pm_report *report);

/* Hooks for targets whose text is C. */
pm_outcome pm_cc_compile(const pm_target_output *c, const char *extension, const pm_build_options *options,
                         pm_buf *file, pm_report *report);
pm_outcome pm_cc_open(const pm_buf *file, const char *entry, const pm_build_options *options,
                      pm_loaded *loaded, pm_report *report);
void pm_cc_close(const pm_loaded *loaded);
void pm_cc_put_versions(const pm_build_options *options, pm_buf *out);

#endif
