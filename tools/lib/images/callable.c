#include "tools/lib/images/callable.h"

#include "dialects/arith/arith.h"
#include "dialects/isl/isl_dialect.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/call.h"
#include "dialects/loop/loop.h"
#include "dialects/stage/interpreter/interp.h"
#include "tools/lib/message.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* --- which --- */

static bool is_pipeline(const pm_op *op) {
  return pm_is(op, &stage_pipeline);
}

static bool is_called_from_outside(const pm_op *op) {
  return is_pipeline(op) || (pm_is(op, &loop_func) && !loop_is_private(op));
}

static bool stands_alone(const pm_op *op) {
  return !pm_attr_at(op, loop_func_of) && !pm_attr_at(op, loop_func_version) &&
         !pm_attr_at(op, loop_func_region);
}

typedef struct callables {
  pm_op *pipeline, *func, *other; /* the first of each; the others are of a func */
  unsigned pipelines, funcs, others;
} callables;

static callables count_callables(pm_module *module) {
  callables c = {0};
  PM_FOR_OPS(op, pm_module_body(module)) {
    if (!is_called_from_outside(op)) continue;
    if (is_pipeline(op)) {
      if (!c.pipelines++) c.pipeline = op;
    } else if (stands_alone(op)) {
      if (!c.funcs++) c.func = op;
    } else {
      if (!c.others++) c.other = op;
    }
  }
  if (c.funcs) return c;
  c.func = c.other;
  c.funcs = c.others;
  return c;
}

pm_op *pm_first_callable(pm_module *module, unsigned *n) {
  callables c = count_callables(module);
  *n = c.pipelines ? c.pipelines : c.funcs;
  return c.pipelines ? c.pipeline : c.func;
}

pm_op *pm_only_callable(pm_module *module, const char *file, pm_buf *error) {
  callables c = count_callables(module);
  if (c.pipelines == 1) return c.pipeline;
  if (!c.pipelines && c.funcs == 1) return c.func;
  if (!c.pipelines && !c.funcs)
    pm_failf(error, "'%s' has neither a stage.pipeline nor a loop.func", file);
  else if (c.pipelines)
    pm_failf(error, "'%s' has %u pipelines (stage.pipeline), but this needs exactly one", file, c.pipelines);
  else
    pm_failf(error, "'%s' has %u functions (loop.func), but this needs exactly one", file, c.funcs);
  return NULL;
}

static bool refuse_result(pm_op *func, pm_buf *error) {
  pm_buf type = {0};
  pm_print_type(&type, loop_result_of(func));
  pm_failf(error, "@%s returns %s, but callers have arrays for what a function computes",
           pm_sym_at(func, loop_func_sym)->text, type.data);
  pm_buf_free(&type);
  return false;
}

bool pm_is_called_with_arrays(pm_op *func, pm_buf *error) {
  if (is_pipeline(func)) return true;
  if (loop_result_of(func)) return refuse_result(func, error);
  PM_FOR_OPS(op, pm_region_at(func, loop_func_body)) {
    bool is_array = pm_is(op, &buf_input) || pm_is(op, &buf_output);
    if (!is_array || pm_elem_type(pm_res(op, 0)->type)->cls != PM_TYPE_CUSTOM) continue;
    pm_buf type = {0};
    pm_print_type(&type, pm_res(op, 0)->type);
    pm_failf(error, "@%s is %s, but callers have arrays of numbers",
             pm_sym_at(op, pm_is(op, &buf_input) ? buf_input_sym : buf_output_sym)->text, type.data);
    pm_buf_free(&type);
    return false;
  }
  return true;
}

pm_string pm_callable_name(const pm_op *op) {
  return pm_sym_at(op, is_pipeline(op) ? stage_pipeline_sym : loop_func_sym);
}

/* --- signatures --- */

static stage_arg loop_arg(pm_op *op, unsigned sym) {
  pm_type type = pm_res(op, 0)->type;
  return (stage_arg){op, pm_sym_at(op, sym), pm_elem_type(type), 0, type->rank, NULL};
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

void pm_callable_signature(pm_op *op, stage_signature *sig) {
  if (is_pipeline(op))
    stage_signature_get(op, sig);
  else
    get_loop_signature(op, sig);
}

bool pm_param_estimate(const pm_op *param, int64_t *value) {
  unsigned attr = pm_is(param, &stage_param) ? stage_param_estimate : loop_param_estimate;
  if (!pm_attr_at(param, attr)) return false;
  *value = pm_int_at(param, attr);
  return true;
}

/* --- domains --- */

/* A word that isl reads as a name. */
static bool is_name(const char *text) {
  if (!isalpha((unsigned char)*text) && *text != '_') return false;
  while (isalnum((unsigned char)*text) || *text == '_') text++;
  return !*text;
}

static bool put_affine(pm_buf *out, const pm_value *value);

static bool put_two(pm_buf *out, const char *before, const pm_op *op, const char *between) {
  pm_buf_puts(out, before);
  if (!put_affine(out, pm_arg(op, 0))) return false;
  pm_buf_puts(out, between);
  if (!put_affine(out, pm_arg(op, 1))) return false;
  pm_buf_puts(out, ")");
  return true;
}

/* The value as isl's text over the params; false: it is not affine, or not known to be. */
static bool put_affine(pm_buf *out, const pm_value *value) {
  const pm_op *op = pm_def(value);
  pm_attr constant = pm_constant_value(value);
  if (!op || !pm_is_int_or_index(value->type)) return false;
  if (constant) return pm_buf_printf(out, "(%lld)", (long long)constant->i), true;
  if (pm_is(op, &loop_param) && is_name(pm_sym_at(op, loop_param_sym)->text))
    return pm_buf_puts(out, pm_sym_at(op, loop_param_sym)->text), true;
  if (pm_is(op, &arith_cast)) return put_affine(out, pm_arg(op, 0));
  if (pm_is(op, &arith_addi)) return put_two(out, "(", op, " + ");
  if (pm_is(op, &arith_subi)) return put_two(out, "(", op, " - ");
  if (pm_is(op, &arith_maxi)) return put_two(out, "max(", op, ", ");
  if (pm_is(op, &arith_mini)) return put_two(out, "min(", op, ", ");
  return false;
}

/* The extent of a dimension; `unknown` gets a name where that is not affine. */
static void put_extent(pm_buf *out, pm_buf *unknown, const pm_op *array, unsigned dim, const pm_value *size) {
  pm_type type = pm_res(array, 0)->type;
  pm_buf affine = {0};
  if (!size) {
    pm_buf_printf(out, "%lld", (long long)type->dims[dim]);
  } else if (put_affine(&affine, size)) {
    pm_buf_puts(out, affine.data);
  } else {
    pm_string name = pm_sym_at(array, pm_is(array, &buf_input) ? buf_input_sym : buf_output_sym);
    const char *word = is_name(name->text) ? name->text : "array";
    pm_buf_printf(out, "%s_extent_%u", word, dim);
    pm_buf_printf(unknown, ", %s_extent_%u", word, dim);
  }
  pm_buf_free(&affine);
}

/* "R, C, " of the integer params around the op. */
static void put_params(pm_buf *out, const pm_op *array) {
  unsigned n = 0;
  PM_FOR_OPS(op, array->region)
  if (pm_is(op, &loop_param) && pm_is_int_or_index(pm_res(op, 0)->type) &&
      is_name(pm_sym_at(op, loop_param_sym)->text))
    pm_buf_printf(out, "%s%s", n++ ? ", " : "", pm_sym_at(op, loop_param_sym)->text);
}

/* `[R, C] -> { [i0, i1] : 0 <= i0 < R + 2 and 0 <= i1 < C }`, of a buf.input or buf.output. */
static void put_domain(pm_buf *out, const pm_op *array) {
  unsigned rank = pm_res(array, 0)->type->rank, dynamic = 0;
  pm_buf dims = {0}, bounds = {0}, params = {0};
  put_params(&params, array);
  for (unsigned d = 0; d < rank; d++) {
    bool is_given = pm_res(array, 0)->type->dims[d] >= 0;
    pm_buf_printf(&dims, "%si%u", d ? ", " : "", d);
    pm_buf_printf(&bounds, "%s0 <= i%u < ", d ? " and " : " : ", d);
    put_extent(&bounds, &params, array, d, is_given ? NULL : pm_arg(array, dynamic++));
  }
  const char *names = params.data ? params.data : "";
  pm_buf_printf(out, "[%s] -> { [%s]%s }", *names == ',' ? names + 2 : names, dims.data ? dims.data : "",
                bounds.data ? bounds.data : "");
  pm_buf_free(&dims);
  pm_buf_free(&bounds);
  pm_buf_free(&params);
}

pm_attr pm_array_domain(const pm_op *op) {
  if (stage_is_array(op)) return stage_domain_of(op);
  pm_context *ctx = pm_op_context(op);
  pm_buf text = {0};
  if (pm_is(op, &loop_func))
    pm_buf_puts(&text, "{ [] }");
  else
    put_domain(&text, op);
  isl_set *set = isl_set_read_from_str(pm_isl_ctx(ctx), text.data);
  pm_buf_free(&text);
  return isl_attr_of_set(ctx, set);
}

/* --- shapes --- */

bool pm_output_shape(pm_op *pipeline, const stage_arg *output, const pm_params *params, pm_array *out,
                     pm_buf *error) {
  *out = (pm_array){.scalar = (pm_scalar)output->type->scalar, .rank = output->n_dims};
  if (output->n_dims > PM_MAX_RANK)
    return pm_failf(error, "output @%s has %u dimensions, but %d are possible", output->name->text,
                    output->n_dims, PM_MAX_RANK);
  int64_t box[PM_MAX_RANK];
  if (!stage_box_at(pipeline, output->op, params->values, box, NULL))
    return pm_failf(error, "output @%s has no size that can be allocated", output->name->text);
  for (unsigned d = 0; d < output->n_dims; d++) out->extents[d] = box[stage_dim_of(output->order, d)];
  return true;
}

static bool find_input_shape(pm_op *pipeline, const stage_arg *input, const pm_params *params, pm_array *out,
                             pm_buf *error) {
  *out = (pm_array){.scalar = (pm_scalar)input->type->scalar, .rank = input->n_dims};
  return (input->n_dims <= PM_MAX_RANK &&
          stage_box_at(pipeline, input->op, params->values, out->extents, NULL)) ||
         pm_failf(error, "input @%s has no size that can be allocated", input->name->text);
}

static bool find_stage_shapes(pm_op *pipeline, const stage_signature *sig, const pm_params *params,
                              pm_array *inputs, pm_array *outputs, pm_buf *error) {
  for (size_t i = 0; i < sig->inputs.len; i++)
    if (!find_input_shape(pipeline, &sig->inputs.data[i], params, &inputs[i], error)) return false;
  for (size_t i = 0; i < sig->outputs.len; i++)
    if (!pm_output_shape(pipeline, &sig->outputs.data[i], params, &outputs[i], error)) return false;
  return true;
}

bool pm_callable_shapes(pm_op *op, const stage_signature *sig, const pm_params *params, pm_array *inputs,
                        pm_array *outputs, pm_buf *error) {
  if (is_pipeline(op)) return find_stage_shapes(op, sig, params, inputs, outputs, error);
  return loop_find_shapes(op, params->lanes, params->n, inputs, outputs);
}

/* --- calls --- */

bool pm_callable_interpret(pm_op *op, const pm_call *call, const loop_interp_options *options) {
  return is_pipeline(op) ? stage_interpret(op, call) : loop_interpret(op, call, options);
}

static pm_lane random_lane(pm_scalar scalar, uint64_t seed, uint64_t argument, uint64_t position) {
  uint64_t key[2] = {argument, position};
  int64_t value = (int64_t)(pm_hash_bytes(key, sizeof key, seed) & 255);
  if (scalar == PM_F64) return (pm_lane){.d = (double)value / 255};
  if (pm_get_scalar_info(scalar)->is_float) return (pm_lane){.f = (float)value / 255.0f};
  if (scalar == PM_I1) return (pm_lane){.i = value & 1};
  return (pm_lane){.i = scalar == PM_I8 ? value - 128 : value};
}

void pm_fill_random(pm_array *array, uint64_t seed, uint64_t argument) {
  int64_t n = pm_array_count(array);
  size_t bytes = pm_scalar_bytes(array->scalar);
  for (int64_t i = 0; i < n; i++) {
    pm_lane lane = random_lane(array->scalar, seed, argument, (uint64_t)i);
    arith_store_lanes(array->scalar, &lane, (char *)array->data + (size_t)i * bytes, 1, 1);
  }
}
