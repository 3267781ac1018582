#include "tools/lib/semantics/call.h"

#include <stdlib.h>
#include <string.h>

static bool allocate(pm_array *arrays, size_t n, pm_buf *error) {
  for (size_t i = 0; i < n; i++)
    if (!pm_array_allocate(&arrays[i], error)) return false;
  return true;
}

/* The sizes come from the params alone: the solver is told of no inputs. */
static bool find_params(pm_trial *t, const pm_named_list *params, const pm_size_choice *choice,
                        pm_buf *error) {
  stage_signature without_inputs = t->sig;
  without_inputs.inputs.len = 0;
  return pm_solve_sizes(t->op, &without_inputs, params, NULL, choice, &t->params, error);
}

bool pm_trial_begin(pm_trial *t, pm_op *op, const pm_named_list *params, const pm_size_choice *choice,
                    pm_buf *error) {
  *t = (pm_trial){.op = op};
  pm_callable_signature(op, &t->sig);
  t->inputs = pm_xcalloc(t->sig.inputs.len + 1, sizeof *t->inputs);
  t->outputs = pm_xcalloc(t->sig.outputs.len + 1, sizeof *t->outputs);
  if (!find_params(t, params, choice, error) ||
      !pm_callable_shapes(op, &t->sig, &t->params, t->inputs, t->outputs, error) ||
      !allocate(t->inputs, t->sig.inputs.len, error) || !allocate(t->outputs, t->sig.outputs.len, error))
    return false;
  for (size_t i = 0; i < t->sig.inputs.len; i++) pm_fill_random(&t->inputs[i], 0, i);
  return true;
}

void pm_trial_end(pm_trial *t) {
  if (t->inputs) pm_arrays_free(t->inputs, t->sig.inputs.len);
  if (t->outputs) pm_arrays_free(t->outputs, t->sig.outputs.len);
  pm_params_free(&t->params);
  stage_signature_free(&t->sig);
}

bool pm_trial_new_outputs(const pm_trial *t, pm_array **out, pm_buf *error) {
  *out = pm_xcalloc(t->sig.outputs.len + 1, sizeof **out);
  for (size_t i = 0; i < t->sig.outputs.len; i++) {
    (*out)[i] = t->outputs[i];
    (*out)[i].data = NULL;
  }
  return allocate(*out, t->sig.outputs.len, error);
}

/* --- running --- */

pm_call pm_trial_call(const pm_trial *t, const pm_array *outputs) {
  return (pm_call){.params = t->params.lanes,
                   .n_params = t->params.n,
                   .inputs = t->inputs,
                   .n_inputs = t->sig.inputs.len,
                   .outputs = outputs,
                   .n_outputs = t->sig.outputs.len};
}

bool pm_trial_run(const pm_trial *t, pm_op *op, const pm_array *outputs, const loop_interp_options *options) {
  pm_call call = pm_trial_call(t, outputs);
  return pm_callable_interpret(op, &call, options);
}

bool pm_trial_run_again(const pm_trial *t, pm_op *op, pm_array *outputs, const loop_interp_options *options) {
  for (size_t i = 0; i < t->sig.outputs.len; i++)
    memset(outputs[i].data, 0x5a, (size_t)pm_array_bytes(&outputs[i]));
  return pm_trial_run(t, op, outputs, options);
}
