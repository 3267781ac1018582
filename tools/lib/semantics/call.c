#include "tools/lib/semantics/call.h"

#include "dialects/loop/buf.h"
#include "dialects/loop/call.h"
#include "dialects/loop/loop.h"
#include "dialects/stage/interpreter/interp.h"
#include "tools/lib/images/image.h"

#include <stdlib.h>
#include <string.h>

/* --- inputs --- */

/* Something in 0..255 that looks random, the same on every machine; floats are divided by 255. */
static pm_lane synthetic(pm_scalar scalar, uint64_t argument, uint64_t position) {
  uint64_t key[2] = {argument, position};
  int64_t value = (int64_t)(pm_hash_bytes(key, sizeof key, 0) & 255);
  if (scalar == PM_F64) return (pm_lane){.d = (double)value / 255};
  if (pm_get_scalar_info(scalar)->is_float) return (pm_lane){.f = (float)value / 255.0f};
  if (scalar == PM_I1) return (pm_lane){.i = value & 1};
  return (pm_lane){.i = scalar == PM_I8 ? value - 128 : value};
}

static void fill_synthetic(pm_array *array, uint64_t argument) {
  int64_t n = pm_array_count(array);
  size_t bytes = pm_scalar_bytes(array->scalar);
  for (int64_t i = 0; i < n; i++) {
    pm_lane lane = synthetic(array->scalar, argument, (uint64_t)i);
    arith_store_lanes(array->scalar, &lane, (char *)array->data + (size_t)i * bytes, 1, 1);
  }
}

/* --- signatures and shapes --- */

/* The first op of that kind at the top of the module that can be run from outside, or NULL. */
static pm_op *first_op(pm_module *module, const pm_op_desc *desc) {
  PM_FOR_OPS(op, pm_module_body(module))
  if (pm_is(op, desc) && !(desc == &loop_func && loop_is_private(op))) return op;
  return NULL;
}

pm_op *pm_find_callable(pm_module *module) {
  pm_op *pipeline = first_op(module, &stage_pipeline);
  return pipeline ? pipeline : first_op(module, &loop_func);
}

static stage_arg loop_arg(pm_op *op, unsigned sym) {
  pm_type type = pm_res(op, 0)->type;
  pm_type scalar = pm_get_scalar(pm_op_context(op), (pm_scalar)type->scalar);
  return (stage_arg){op, pm_sym_at(op, sym), scalar, 0, type->rank, NULL};
}

static void get_loop_signature(pm_op *func, stage_signature *sig) {
  *sig = (stage_signature){.name = pm_sym_at(func, loop_func_sym)};
  PM_FOR_OPS(op, pm_region_at(func, loop_func_body)) {
    if (pm_is(op, &loop_param)) PM_VEC_PUSH(sig->params, loop_arg(op, loop_param_sym));
    if (pm_is(op, &buf_input)) PM_VEC_PUSH(sig->inputs, loop_arg(op, buf_input_sym));
    if (pm_is(op, &buf_output)) PM_VEC_PUSH(sig->outputs, loop_arg(op, buf_output_sym));
  }
  if (loop_result_of(func)) {
    stage_arg result = {func, sig->name, loop_result_of(func), 0, 0, NULL};
    PM_VEC_PUSH(sig->outputs, result);
  }
}

void pm_trial_signature(pm_op *op, stage_signature *sig) {
  if (pm_is(op, &stage_pipeline))
    stage_signature_get(op, sig);
  else
    get_loop_signature(op, sig);
}

static bool find_stage_shapes(pm_trial *t, pm_buf *error) {
  for (size_t i = 0; i < t->sig.inputs.len; i++) {
    const stage_arg *arg = &t->sig.inputs.data[i];
    t->inputs[i] = (pm_array){.scalar = (pm_scalar)arg->type->scalar, .rank = arg->n_dims};
    if (!stage_box_at(t->op, arg->op, t->params.values, t->inputs[i].extents, NULL)) return false;
  }
  for (size_t i = 0; i < t->sig.outputs.len; i++)
    if (!pm_output_shape(t->op, &t->sig.outputs.data[i], &t->params, &t->outputs[i], error)) return false;
  return true;
}

static bool find_shapes(pm_trial *t, pm_buf *error) {
  if (pm_is(t->op, &stage_pipeline)) return find_stage_shapes(t, error);
  return loop_find_shapes(t->op, t->params.lanes, t->params.n, t->inputs, t->outputs);
}

static bool allocate(pm_array *arrays, size_t n, pm_buf *error) {
  for (size_t i = 0; i < n; i++)
    if (!pm_array_allocate(&arrays[i], error)) return false;
  return true;
}

/* The sizes come from the params alone: the solver is told of no inputs. */
static bool find_params(pm_trial *t, const pm_named_list *params, pm_buf *error) {
  stage_signature without_inputs = t->sig;
  without_inputs.inputs.len = 0;
  return pm_solve_sizes(t->op, &without_inputs, params, NULL, &t->params, error);
}

bool pm_trial_begin(pm_trial *t, pm_op *op, const pm_named_list *params, pm_buf *error) {
  *t = (pm_trial){.op = op};
  pm_trial_signature(op, &t->sig);
  t->inputs = pm_xcalloc(t->sig.inputs.len + 1, sizeof *t->inputs);
  t->outputs = pm_xcalloc(t->sig.outputs.len + 1, sizeof *t->outputs);
  if (!find_params(t, params, error) || !find_shapes(t, error) ||
      !allocate(t->inputs, t->sig.inputs.len, error) || !allocate(t->outputs, t->sig.outputs.len, error))
    return false;
  for (size_t i = 0; i < t->sig.inputs.len; i++) fill_synthetic(&t->inputs[i], i);
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
  return pm_is(op, &stage_pipeline) ? stage_interpret(op, &call) : loop_interpret(op, &call, options);
}

bool pm_trial_run_again(const pm_trial *t, pm_op *op, pm_array *outputs, const loop_interp_options *options) {
  for (size_t i = 0; i < t->sig.outputs.len; i++)
    memset(outputs[i].data, 0x5a, (size_t)pm_array_bytes(&outputs[i]));
  return pm_trial_run(t, op, outputs, options);
}
