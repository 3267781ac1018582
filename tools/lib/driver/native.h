/* Calls of a program that a target has loaded into this process, by libffi. */
#ifndef PM_TOOLS_DRIVER_NATIVE_H
#define PM_TOOLS_DRIVER_NATIVE_H

#include "dialects/arith/call.h"
#include "dialects/stage/analyses/graph.h"
#include "targets/target.h"
#include "tools/lib/message.h"

typedef struct pm_native pm_native;
/* What the target compiles for this process, in `file`: the exit code, after messages if it is not 0. */
int pm_native_compile(const pm_target *target, const pm_target_output *text, const pm_build_options *options,
                      const char *tool, pm_buf *file) PM_MUST_USE;
/* Such a file, ready to call; NULL after messages, with the exit code in `code`. The signature is borrowed
 * for the life of the result. */
pm_native *pm_native_new(const stage_signature *sig, const pm_target *target, const pm_buf *file,
                         const char *entry, const pm_build_options *options, const char *tool, int *code);
/* The same without messages: they are added to the report. */
pm_native *pm_native_try(const stage_signature *sig, const pm_target *target, const pm_buf *file,
                         const char *entry, const pm_build_options *options, pm_report *report);
/* The same of a shared object in which `entry` is a function of that signature. */
pm_native *pm_native_open(const stage_signature *sig, const char *path, const char *entry, int threads,
                          const char *tool, int *code);
void pm_native_free(pm_native *native);
/* 0, or the code that the function returned: its text is pm_native_strerror. */
int pm_native_call(pm_native *native, const pm_call *call);
/* The same with arrays that stay on the target's device between such calls, if it has one: each is sent when
 * a call has it for the first time, known by where it is on the host, and pm_native_wait waits for the calls.
 */
int pm_native_call_there(pm_native *native, const pm_call *call);
int pm_native_wait(pm_native *native);
/* Brings what is on the device of these arrays to the host. */
int pm_native_fetch(pm_native *native, const pm_array *arrays, size_t n);
/* Nothing is on the device any more. */
void pm_native_forget(pm_native *native);
bool pm_native_has_device(const pm_native *native);
/* Begins or ends to time the kernels of the device, on which nothing is afterwards. */
int pm_native_profile(pm_native *native, bool on);
/* While they are timed: from zero again. */
int pm_native_reset_times(pm_native *native);
/* Of a kernel by its number, since then; false: it has not so many. */
bool pm_native_kernel_times(pm_native *native, int number, pm_kernel_times *times);
/* NULL when the program has no texts. */
const char *pm_native_strerror(pm_native *native, int code);
/* 0 when the target does not say. */
int64_t pm_native_scratch_bytes(pm_native *native, const pm_call *call);
/* The threads that a call uses at most. */
int pm_native_threads(const pm_native *native);

/* Prints what a hook reported; the exit code of its outcome. Frees the report. */
int pm_finish_hook(pm_outcome outcome, pm_report *report, const char *tool);

/* Monotonic. */
double pm_clock_seconds(void);

#endif
