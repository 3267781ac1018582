/* What a tool does with its process: exit codes, signals, and what a crash of ours leaves behind. */
#ifndef PM_TOOLS_DRIVER_PROCESS_H
#define PM_TOOLS_DRIVER_PROCESS_H

#include "pm/compile.h"

/* First in main. Wrong options exit with PM_EXIT_USAGE; --version is known; the threads
 * of LLVM's OpenMP spin for 1 ms after a call unless the user says otherwise, not for 200 ms beside what the
 * next program does; a file too large for `ulimit -f`
 * is an error of write instead of a signal; faults, and fatal signals (a bug of ours, also when the stack is
 * full), end with one line and the exit code PM_EXIT_BUG. A signal that somebody handles already, as
 * sanitizers do, stays theirs. */
void pm_tool_begin(void);

/* `<TMPDIR>/NAME`, with /tmp where TMPDIR is not set. The caller's. */
char *pm_temporary_path(const char *fmt, ...) PM_PRINTF(1, 2);

/* Monotonic. */
double pm_clock_seconds(void);
/* What this process has computed until now, in seconds; no matter what else the machine does. */
double pm_processor_seconds(void);
/* The same of the programs that it ran and that have ended. */
double pm_children_seconds(void);

/* pm_run_passes, which a fatal signal does not end without a reproducer: the one that `config` asks for,
 * else, as after a panic, the IR as it is given and the whole pipeline in
 * <TMPDIR>/<tool>-crash-<process>.pmir, where TMPDIR is /tmp unless set. One call at a time in a process. */
bool pm_run_guarded(const char *tool, pm_pass_manager *passes, pm_module *module,
                    const pm_run_config *config) PM_MUST_USE;
/* The same of pm_run_text. */
bool pm_run_text_guarded(const char *tool, pm_module *module, const char *text, const pm_choices *choices,
                         const pm_run_config *config) PM_MUST_USE;

/* From then on, a run of a pass in which the process computes for more than *seconds ends the tool with
 * PM_EXIT_BUG: with the pass, the number of its run, and a reproducer as after a crash. 0: there is no limit.
 * `seconds` must live as long as the config. */
void pm_limit_passes(pm_run_config *config, const double *seconds);
/* The argument of --pass-timeout: from a thousandth of a second to a million seconds; else false. */
bool pm_read_timeout(const char *text, double *seconds);

#endif
