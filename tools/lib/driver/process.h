/* What a tool does with its process: exit codes, signals, and what a crash of ours leaves behind. */
#ifndef PM_TOOLS_DRIVER_PROCESS_H
#define PM_TOOLS_DRIVER_PROCESS_H

#include "ir/pass.h"

/* First in main. Wrong options exit with PM_EXIT_USAGE; --version is known; a file too large for `ulimit -f`
 * is an error of write instead of a signal; a fatal signal (a bug of ours, also when the stack is full) ends
 * like a panic: one line, then the exit code PM_EXIT_BUG. A signal that somebody handles already, as
 * sanitizers do, stays theirs. */
void pm_tool_begin(void);

/* What this process has computed until now, in seconds; no matter what else the machine does. */
double pm_processor_seconds(void);
/* The same of the programs that it ran and that have ended. */
double pm_children_seconds(void);

/* pm_run_passes, which a fatal signal does not end without a reproducer: the one that `config` asks for,
 * else, as after a panic, the IR as it is given and the whole pipeline in
 * <TMPDIR>/<tool>-crash-<process>.pmir, where TMPDIR is /tmp unless set. One call at a time in a process. */
bool pm_run_guarded(const char *tool, pm_pass_manager *passes, pm_module *module,
                    const pm_run_config *config) PM_MUST_USE;

#endif
