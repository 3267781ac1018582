/* From C to a function in this process: a private directory, the system's C compiler, dlopen, libffi. */
#ifndef PM_TOOLS_DRIVER_NATIVE_H
#define PM_TOOLS_DRIVER_NATIVE_H

#include "dialects/arith/call.h"
#include "dialects/stage/analyses/graph.h"
#include "targets/target.h"
#include "tools/lib/driver/work_dir.h"

typedef struct pm_cc_options {
  const char *tool;   /* for messages */
  const char *cc;     /* NULL: cc; may have arguments, separated by spaces */
  const char *cflags; /* NULL: PM_CC_FLAGS, and of pm_cc_tuning what the compiler knows */
  const char *fp;     /* strict, contract, fast */
  bool keep;          /* leave the directory and say where it is */
} pm_cc_options;

typedef enum pm_cc_kind { PM_CC_SHARED, PM_CC_OBJECT, PM_CC_ASSEMBLY } pm_cc_kind;

/* Writes `base`.c and `base`.h into `dir` and compiles to dir/`base`.{so,o,s}, whose path goes to `result`
 * (freed by the caller; set also on failure or NULL). PM_EXIT_OK; PM_EXIT_INPUT when the compiler cannot be
 * run or the process is about to be killed; PM_EXIT_BUG when it refuses the program, with its messages
 * printed. */
int pm_compile_c(const pm_work_dir *dir, const char *base, const pm_target_output *c, pm_cc_kind kind,
                 const pm_cc_options *options, char **result);

typedef struct pm_native pm_native;
/* A compiled pipeline, ready to call; NULL after messages, with the exit code in `code`. The signature is
 * borrowed for the life of the result. `threads` 0: as OpenMP decides. */
pm_native *pm_native_new(const stage_signature *sig, const pm_target_output *c, const char *base,
                         const pm_cc_options *options, int threads, int *code);
void pm_native_free(pm_native *native);
/* 0, or the code that the function returned: its text is pm_native_strerror. */
int pm_native_call(pm_native *native, const pm_call *call);
const char *pm_native_strerror(pm_native *native, int code);
int64_t pm_native_scratch_bytes(pm_native *native, const pm_call *call);
/* Processor time of the C compiler. */
double pm_native_cc_seconds(const pm_native *native);
/* omp_get_max_threads, 1 without OpenMP. */
int pm_native_threads(const pm_native *native);

/* Monotonic. */
double pm_clock_seconds(void);

#endif
