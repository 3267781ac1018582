/* Turns ops into instructions whose operands are addresses of lanes. */
#include <stdlib.h>

#include "dialects/arith/arith.h"
#include "dialects/loop/access.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/call.h"
#include "dialects/loop/interpreter/interp_private.h"
#include "dialects/loop/loop.h"
#include "dialects/loop/vec.h"

static unsigned lanes_of(pm_type type) {
  return type->cls == PM_TYPE_VECTOR ? type->lanes : 1;
}

pm_lane *interp_lane_of(interp *in, const pm_value *value) {
  pm_lane *lane = pm_map_get(in->lanes, value);
  if (lane) return lane;
  lane = pm_arena_alloc(in->arena, lanes_of(value->type) * sizeof(*lane));
  pm_map_set(in->lanes, value, lane);
  return lane;
}

interp_buffer *interp_buffer_of(interp *in, const pm_value *value) {
  interp_buffer *buffer = pm_map_get(in->buffers, value);
  if (buffer) return buffer;
  buffer = pm_arena_alloc(in->arena, sizeof(*buffer));
  buffer->value = value;
  buffer->scalar = (pm_scalar)value->type->scalar;
  buffer->rank = value->type->rank;
  buffer->cell_bytes = pm_scalar_bytes(buffer->scalar);
  pm_map_set(in->buffers, value, buffer);
  PM_VEC_PUSH(in->all, buffer);
  return buffer;
}

/* Addresses of operands first..; the memrefs among them are left out. */
static void build_args(interp *in, const pm_op *op, interp_inst *inst) {
  inst->args = pm_arena_alloc(in->arena, (op->n_operands + 1u) * sizeof(*inst->args));
  for (unsigned i = 0; i < op->n_operands; i++)
    if (!pm_is_memref(pm_arg(op, i)->type)) inst->args[inst->n_args++] = interp_lane_of(in, pm_arg(op, i));
}

static void build_outs(interp *in, const pm_op *op, interp_inst *inst) {
  inst->outs = pm_arena_alloc(in->arena, (op->n_results + 1u) * sizeof(*inst->outs));
  for (unsigned i = 0; i < op->n_results; i++)
    if (!pm_is_memref(pm_res(op, i)->type)) inst->outs[inst->n_outs++] = interp_lane_of(in, pm_res(op, i));
}

static const unsigned *build_lane_counts(interp *in, const pm_op *op) {
  unsigned *counts = pm_arena_alloc(in->arena, (op->n_results + 1u) * sizeof(*counts));
  for (unsigned i = 0; i < op->n_results; i++) counts[i] = lanes_of(pm_res(op, i)->type);
  return counts;
}

static void build_region_args(interp *in, const pm_region *region, interp_inst *inst) {
  inst->region_args = pm_arena_alloc(in->arena, (region->n_args + 1) * sizeof(*inst->region_args));
  for (uint32_t i = 0; i < region->n_args; i++) inst->region_args[i] = interp_lane_of(in, region->args[i]);
}

static const interp_index *build_indices(interp *in, pm_affine_map map) {
  uint32_t n = map->n_dims + map->n_syms;
  interp_index *indices = pm_arena_alloc(in->arena, (map->n_results + 1) * sizeof(*indices));
  for (uint32_t k = 0; k < map->n_results; k++) {
    int64_t *coeffs = pm_arena_alloc(in->arena, (n + 1) * sizeof(*coeffs));
    int64_t *zeros = pm_arena_alloc(in->arena, (n + 1) * sizeof(*zeros));
    indices[k].expr = map->results[k];
    if (!map->n_syms && pm_affine_dim_coeffs(map->results[k], coeffs, map->n_dims))
      indices[k].coeffs = coeffs;
    indices[k].constant = pm_affine_eval(map->results[k], zeros, zeros);
  }
  return indices;
}

static bool build_access(interp *in, const pm_op *op, const loop_access *access, interp_inst *inst) {
  inst->kind = pm_is(op, &buf_atomic) ? INTERP_ATOMIC : access->reads ? INTERP_LOAD : INTERP_STORE;
  if (inst->kind == INTERP_ATOMIC)
    inst->kernel =
        pm_find_kernel_of(buf_atomic_join(op), (pm_scalar)pm_arg(op, buf_atomic_value)->type->scalar);
  inst->buffer = interp_buffer_of(in, access->buffer);
  inst->stage = buf_stage_of(op);
  inst->indices = build_indices(in, access->map);
  inst->n_indices = access->map->n_results;
  inst->n_dims = access->map->n_dims;
  inst->first_index = inst->n_args - loop_n_indices(access);
  if (loop_n_indices(access) <= 64) return true;
  return pm_op_error(op, "has %u index operands, but the interpreter takes 64", loop_n_indices(access));
}

static bool check_array(const pm_op *op, const interp_buffer *buffer) {
  pm_type type = buffer->value->type;
  if (pm_elem_type(type)->cls == PM_TYPE_CUSTOM)
    return pm_op_error(op, "has elements of type %pT, but the interpreter stores numbers",
                       (const void *)pm_elem_type(type));
  if (buffer->rank <= PM_MAX_RANK) return true;
  return pm_op_error(op, "has rank %u, but the interpreter takes %d", buffer->rank, PM_MAX_RANK);
}

static bool build_array(interp *in, const pm_op *op, interp_inst *inst) {
  inst->kind = pm_is(op, &buf_constant) ? INTERP_HOLD : INTERP_BIND;
  inst->buffer = interp_buffer_of(in, pm_res(op, 0));
  return check_array(op, inst->buffer);
}

static bool build_argument(interp *in, const pm_op *op, interp_inst *inst) {
  inst->kind = INTERP_MATCH;
  inst->buffer = interp_buffer_of(in, pm_res(op, 0));
  return true;
}

/* The function is built for each call, with the buffers that this one gives. */
static bool build_call(interp *in, const pm_op *op, interp_inst *inst) {
  pm_op *callee = loop_find_callee(op), *argument = loop_first_argument(callee);
  unsigned *n_lanes = pm_arena_alloc(in->arena, (op->n_operands + 1u) * sizeof *n_lanes);
  unsigned n = 0;
  inst->kind = INTERP_CALL;
  inst->region_args = pm_arena_alloc(in->arena, (op->n_operands + 1u) * sizeof *inst->region_args);
  for (unsigned i = 0; i < op->n_operands; i++, argument = loop_next_argument(argument)) {
    const pm_value *value = pm_res(argument, 0);
    if (pm_is_memref(value->type)) {
      pm_map_set(in->buffers, value, interp_buffer_of(in, pm_arg(op, i)));
      continue;
    }
    n_lanes[n] = lanes_of(value->type);
    inst->region_args[n++] = interp_lane_of(in, value);
  }
  inst->n_lanes = n_lanes;
  return interp_build(in, pm_region_at(callee, loop_func_body), &inst->body[0]);
}

static bool build_alloc(interp *in, const pm_op *op, interp_inst *inst) {
  interp_shared *shared = op->n_results > 1 ? pm_arena_alloc(in->arena, sizeof *shared) : NULL;
  inst->kind = INTERP_ALLOC;
  inst->allocated = pm_arena_alloc(in->arena, op->n_results * sizeof(interp_buffer *));
  for (unsigned i = 0; i < op->n_results; i++) {
    inst->allocated[i] = interp_buffer_of(in, pm_res(op, i));
    inst->allocated[i]->shared = shared;
    if (!check_array(op, inst->allocated[i])) return false;
  }
  return true;
}

static bool build_loop(interp *in, const pm_op *op, interp_inst *inst) {
  inst->kind = INTERP_LOOP;
  inst->step = pm_int_at(op, pm_is(op, &loop_for) ? (unsigned)loop_for_step : (unsigned)loop_parallel_step);
  inst->n_lanes = build_lane_counts(in, op);
  build_region_args(in, pm_region_at(op, 0), inst);
  return interp_build(in, pm_region_at(op, 0), &inst->body[0]);
}

static bool build_if(interp *in, const pm_op *op, interp_inst *inst) {
  inst->kind = INTERP_IF;
  return interp_build(in, pm_region_at(op, loop_if_then), &inst->body[0]) &&
         interp_build(in, pm_region_at(op, loop_if_else), &inst->body[1]);
}

static bool build_yield(interp *in, const pm_op *op, interp_inst *inst) {
  if (pm_is(pm_parent(op), &loop_func)) {
    inst->kind = INTERP_RESULT;
    return true;
  }
  inst->kind = INTERP_YIELD;
  inst->n_lanes = build_lane_counts(in, pm_parent(op));
  build_outs(in, pm_parent(op), inst);
  return true;
}

/* What its regions have is built once, too. */
static bool build_hook(interp *in, const pm_op *op, interp_inst *inst) {
  inst->kind = INTERP_HOOK;
  for (unsigned i = 0; i < op->n_regions; i++) {
    interp_block *block = pm_arena_alloc(in->arena, sizeof *block);
    pm_map_set(in->blocks, pm_region_at(op, i), block);
    if (!interp_build(in, pm_region_at(op, i), block)) return false;
  }
  return true;
}

static bool build_eval(const pm_op *op, interp_inst *inst) {
  inst->kind = INTERP_EVAL;
  inst->lanes = op->n_results ? lanes_of(pm_res(op, 0)->type) : 1;
  inst->kernel = pm_find_kernel(op);
  if (pm_is(op, &arith_select) && lanes_of(pm_arg(op, 0)->type) != inst->lanes) inst->kind = INTERP_CHOOSE;
  return inst->kernel || pm_op_error(op, "is not an op that the interpreter of the loop dialect knows");
}

static int64_t align_of(const pm_op *op) {
  pm_attr align = pm_is(op, &vec_load)    ? pm_attr_at(op, vec_load_align)
                  : pm_is(op, &vec_store) ? pm_attr_at(op, vec_store_align)
                                          : NULL;
  return align ? align->i : 1;
}

/* Accesses, and what else is in vec; false with *done false when the op is none of these. */
static bool build_memory_or_vector(interp *in, const pm_op *op, interp_inst *inst, bool *done) {
  loop_access access;
  bool accesses = loop_find_access(op, &access);
  inst->run = interp_find_vector_run(op);
  *done = accesses || inst->run;
  if (accesses && !build_access(in, op, &access, inst)) return false;
  if (inst->run) inst->kind = INTERP_VECTOR;
  inst->align = align_of(op);
  return *done;
}

static bool build_inst(interp *in, const pm_op *op, interp_inst *inst) {
  bool done;
  inst->op = op;
  build_args(in, op, inst);
  if (pm_is(op, &loop_yield)) return build_yield(in, op, inst);
  build_outs(in, op, inst);
  if (op->desc->interpret) return build_hook(in, op, inst);
  if (pm_is(op, &loop_for) || pm_is(op, &loop_parallel)) return build_loop(in, op, inst);
  if (pm_is(op, &loop_if)) return build_if(in, op, inst);
  bool ok = build_memory_or_vector(in, op, inst, &done);
  if (done) return ok;
  if (pm_is(op, &buf_input) || pm_is(op, &buf_output) || pm_is(op, &buf_constant))
    return build_array(in, op, inst);
  if (pm_is(op, &buf_alloc)) return build_alloc(in, op, inst);
  if (pm_is(op, &buf_workspace)) inst->kind = INTERP_WORKSPACE;
  if (pm_is(op, &buf_argument)) return build_argument(in, op, inst);
  if (pm_is(op, &loop_call)) return build_call(in, op, inst);
  if (!pm_is(op, &loop_require) && !pm_is(op, &buf_workspace)) return build_eval(op, inst);
  if (pm_is(op, &loop_require)) inst->kind = INTERP_REQUIRE;
  return true;
}

/* Ops of which nothing is left in the run: values known before it (constants, parameters, the one thread and
 * its number, that there is memory), hints, what orders the items of a group, and terminators whose operands
 * the hook of the op around reads. */
static bool is_static(interp *in, const pm_op *op) {
  if (pm_has_trait(op, PM_TERMINATOR) && pm_parent(op)->desc->interpret) return true;
  if (pm_is(op, &loop_param) || pm_is(op, &buf_prefetch) || pm_is(op, &buf_fence) || pm_is(op, &loop_barrier))
    return true;
  if (pm_is(op, &loop_threads) || pm_is(op, &buf_nonnull) || pm_is(op, &loop_thread)) {
    interp_lane_of(in, pm_res(op, 0))->i = !pm_is(op, &loop_thread);
    return true;
  }
  if (!pm_is(op, &arith_constant)) return false;
  pm_lane value = pm_lane_of_attr(pm_attr_at(op, arith_constant_value)),
          *lanes = interp_lane_of(in, pm_res(op, 0));
  for (unsigned i = 0; i < lanes_of(pm_res(op, 0)->type); i++) lanes[i] = value;
  return true;
}

bool interp_build(interp *in, const pm_region *region, interp_block *block) {
  size_t n = 0;
  PM_FOR_OPS(op, region) n++;
  block->insts = pm_arena_alloc(in->arena, (n + 1) * sizeof(*block->insts));
  PM_FOR_OPS(op, region)
  if (!is_static(in, op) && !build_inst(in, op, &block->insts[block->n++])) return false;
  return true;
}

/* --- the call --- */

static bool check_count(const pm_op *func, size_t have, size_t want, const char *what) {
  return have == want || pm_op_error(func, "has %zu %s, but the call gives %zu", want, what, have);
}

static size_t count_ops(const pm_op *func, const pm_op_desc *desc) {
  size_t n = 0;
  PM_FOR_OPS(op, pm_region_at(func, loop_func_body)) n += pm_is(op, desc);
  return n;
}

static bool bind_array(interp *in, const pm_op *op, const pm_array *array) {
  pm_type type = pm_res(op, 0)->type;
  if (array->scalar != (pm_scalar)type->scalar || array->rank != type->rank)
    return pm_op_error(op, "has the type %pT, but the array given for it has rank %u and elements %s",
                       (const void *)type, array->rank, pm_get_scalar_info(array->scalar)->name);
  interp_buffer *buffer = interp_buffer_of(in, pm_res(op, 0));
  int64_t count = pm_array_count(array);
  if (count < 0) return pm_op_error(op, "has more elements than there is memory for");
  if (pm_is(op, &buf_input)) return true;
  buffer->shadow = calloc(count ? (size_t)count : 1, sizeof(*buffer->shadow));
  return buffer->shadow || pm_op_error(op, "has more elements than there is memory for");
}

/* What a function with a result gives: the only output, of rank 0. */
static bool check_result(const pm_op *func, const pm_array *output) {
  pm_type type = loop_result_of(func);
  if (!type || (output->scalar == (pm_scalar)type->scalar && !output->rank)) return true;
  return pm_op_error(func,
                     "gives a number of type %pT, but the array given for it has rank %u and elements %s",
                     (const void *)type, output->rank, pm_get_scalar_info(output->scalar)->name);
}

bool interp_bind_call(interp *in, const pm_op *func) {
  const pm_call *call = in->call;
  const pm_array *input = call->inputs, *output = call->outputs;
  const pm_lane *param = call->params;
  if (!check_count(func, call->n_params, count_ops(func, &loop_param), "parameters") ||
      !check_count(func, call->n_inputs, count_ops(func, &buf_input), "inputs") ||
      !check_count(func, call->n_outputs, count_ops(func, &buf_output) + (loop_result_of(func) != NULL),
                   "outputs") ||
      !check_result(func, output))
    return false;
  PM_FOR_OPS(op, pm_region_at(func, loop_func_body)) {
    if (pm_is(op, &loop_param)) *interp_lane_of(in, pm_res(op, 0)) = *param++;
    if (pm_is(op, &buf_input) && !bind_array(in, op, input++)) return false;
    if (pm_is(op, &buf_output) && !bind_array(in, op, output++)) return false;
  }
  return true;
}
