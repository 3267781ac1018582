/* Calls of a stage.pipeline or loop.func, which its interpreter runs: sizes, inputs and outputs. */
#ifndef PM_TOOLS_SEMANTICS_CALL_H
#define PM_TOOLS_SEMANTICS_CALL_H

#include "tools/lib/images/bind.h"
#include "tools/lib/images/callable.h"

typedef struct pm_trial {
  pm_op *op; /* that can be called */
  stage_signature sig;
  pm_params params;
  pm_array *inputs, *outputs; /* one for each of sig's */
} pm_trial;

/* The signature, params and shapes of a call, and memory for it; inputs have values that look random, the
 * same on every machine. `params` are NAME=VALUE; `choice` is of those that are missing, or NULL: all must be
 * there. To be ended in any case; false with a message, or after a diagnostic. */
bool pm_trial_begin(pm_trial *trial, pm_op *op, const pm_named_list *params, const pm_size_choice *choice,
                    pm_buf *error) PM_MUST_USE;
void pm_trial_end(pm_trial *trial);
/* Zeroed arrays like the trial's outputs, to be freed by pm_arrays_free. */
bool pm_trial_new_outputs(const pm_trial *trial, pm_array **out, pm_buf *error) PM_MUST_USE;
/* The call that fills these outputs; it borrows all. */
pm_call pm_trial_call(const pm_trial *trial, const pm_array *outputs);
/* Runs an op that takes the same arguments. `options` are for a loop.func, or NULL. False after a diagnostic.
 */
bool pm_trial_run(const pm_trial *trial, pm_op *op, const pm_array *outputs,
                  const loop_interp_options *options) PM_MUST_USE;
/* The same, into arrays that begin with a pattern: an element that nobody writes shows. */
bool pm_trial_run_again(const pm_trial *trial, pm_op *op, pm_array *outputs,
                        const loop_interp_options *options) PM_MUST_USE;

#endif
