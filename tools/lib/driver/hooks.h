/* What targets report, as messages and exit codes of a tool. */
#ifndef PM_TOOLS_DRIVER_HOOKS_H
#define PM_TOOLS_DRIVER_HOOKS_H

#include "pm/native.h"
#include "tools/lib/message.h"

/* Prints what a hook reported; the exit code of its outcome. Frees the report. */
int pm_finish_hook(pm_outcome outcome, pm_report *report, const char *tool);
/* What the target compiles for this process, in `file`: the exit code, after messages if it is not 0. */
int pm_tool_compile(const pm_target *target, const pm_target_output *text, const pm_build_options *options,
                    const char *tool, pm_buf *file) PM_MUST_USE;
/* pm_native_new and pm_native_open: NULL after messages, with the exit code in `code`. */
pm_native *pm_tool_load(const stage_signature *sig, const pm_target *target, const pm_buf *file,
                        const char *entry, const pm_build_options *options, const char *tool, int *code);
pm_native *pm_tool_open(const stage_signature *sig, const char *path, const char *entry, int threads,
                        const char *tool, int *code);

#endif
