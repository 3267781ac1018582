/* Programs, compiled by a target and called in child processes, several at a time. */
#ifndef PM_TOOLS_CHECK_TARGET_RUN_H
#define PM_TOOLS_CHECK_TARGET_RUN_H

#include "pm/compile.h"
#include "tools/lib/check_target/program.h"

typedef struct pm_check_options {
  const char *tool;
  pm_context *ctx;
  const pm_target *target;
  pm_choices choices;     /* of the target's passes */
  pm_build_options build; /* of its compiler */
  unsigned jobs;          /* children at a time */
  double seconds;         /* that a child may take */
} pm_check_options;

typedef enum pm_check_verdict {
  PM_CHECK_NONE, /* not tried */
  PM_CHECK_PASS,
  PM_CHECK_FAIL,
  PM_CHECK_REFUSED,  /* the target has no form of it */
  PM_CHECK_UNEMITTED /* it has, but its passes or the hook `emit` refuse it with a diagnostic */
} pm_check_verdict;

typedef struct pm_check_result {
  pm_check_verdict verdict;
  char *text; /* what is wrong or refused, without an end; NULL of what passes */
} pm_check_result;

/* A result for each program, to be freed by pm_check_results_free. A program that crashes, or takes too long,
 * fails alone. NULL after a message: the system makes no processes, or somebody asks to stop. */
pm_check_result *pm_check_run(const pm_check_options *options, const pm_check_programs *programs);
void pm_check_results_free(pm_check_result *results, size_t n);
/* The passes that the program's module runs through, to be freed; NULL after diagnostics. */
char *pm_check_passes(const pm_check_options *options, bool is_pipeline);

#endif
