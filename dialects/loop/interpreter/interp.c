/* Runs instructions, one after the other; a loop or condition runs its block by a nested call. */
#include "dialects/loop/interpreter/interp.h"

#include <stdlib.h>
#include <string.h>

#include "dialects/loop/buf.h"
#include "dialects/loop/call.h"
#include "dialects/loop/interpreter/interp_private.h"
#include "dialects/loop/loop.h"

static bool run_block(interp *in, const interp_block *block);

/* An op that runs is a step, and so is an iteration, which may have no op. */
static bool take_step(interp *in, const pm_op *op) {
  if (!in->options.max_steps || in->steps++ < in->options.max_steps) return true;
  pm_op_error(op, "is where the interpreter stopped after %lld steps", (long long)in->options.max_steps);
  interp_note_loops(in, op);
  return false;
}

static bool run_load(interp *in, const interp_inst *inst) {
  int64_t indices[PM_MAX_RANK];
  interp_find_indices(inst, indices);
  const void *cell = interp_read_cell(in, inst, indices);
  if (!cell) return false;
  arith_load_lanes(inst->buffer->scalar, cell, 1, inst->outs[0], 1);
  return true;
}

static bool run_store(interp *in, const interp_inst *inst) {
  int64_t indices[PM_MAX_RANK];
  interp_find_indices(inst, indices);
  void *cell = interp_write_cell(in, inst, indices);
  if (!cell) return false;
  arith_store_lanes(inst->buffer->scalar, inst->args[0], cell, 1, 1);
  return true;
}

static bool run_atomic(interp *in, const interp_inst *inst) {
  int64_t indices[PM_MAX_RANK];
  pm_lane cell_lane;
  interp_find_indices(inst, indices);
  void *cell = interp_join_cell(in, inst, indices);
  if (!cell) return false;
  arith_load_lanes(inst->buffer->scalar, cell, 1, &cell_lane, 1);
  inst->kernel((const pm_lane *const[]){&cell_lane, inst->args[0]}, &cell_lane, 1);
  arith_store_lanes(inst->buffer->scalar, &cell_lane, cell, 1, 1);
  return true;
}

static void copy_lanes(pm_lane *to, const pm_lane *from, unsigned n) {
  if (n == 1)
    *to = *from;
  else
    memmove(to, from, n * sizeof(*to));
}

/* A scalar condition decides over whole vectors. */
static void run_choose(const interp_inst *inst) {
  copy_lanes(inst->outs[0], inst->args[inst->args[0]->i ? 1 : 2], inst->lanes);
}

/* The next value of the counter, or false at the end of the 64-bit range. */
static bool advance(int64_t *i, int64_t step, int64_t ub) {
  if (*i > INT64_MAX - step || *i + step >= ub) return false;
  *i += step;
  return true;
}

/* The loop's iterations may run in any order and at once. */
static bool is_unordered(const pm_op *loop) {
  return pm_is(loop, &loop_parallel) || pm_attr_at(loop, loop_for_simd) || pm_attr_at(loop, loop_for_jam);
}

/* NULL: too many of them run. */
static interp_level *begin_level(interp *in, const pm_op *loop) {
  if (in->n_levels == INTERP_MAX_LEVELS) {
    pm_op_error(loop, "is nested deeper than %d", INTERP_MAX_LEVELS);
    return NULL;
  }
  interp_level *level = &in->levels[in->n_levels++];
  *level = (interp_level){loop, in->iterations + 1, 0};
  return level;
}

static bool run_loop(interp *in, const interp_inst *inst) {
  int64_t i = inst->args[0]->i, ub = inst->args[1]->i;
  bool unordered = is_unordered(inst->op);
  for (unsigned k = 0; k < inst->n_outs; k++) copy_lanes(inst->outs[k], inst->args[2 + k], inst->n_lanes[k]);
  if (i >= ub) return true;
  interp_level *level = unordered ? begin_level(in, inst->op) : NULL;
  if (unordered && !level) return false;
  PM_VEC_PUSH(in->loops, inst);
  do {
    if (level) level->current = ++in->iterations;
    inst->region_args[0]->i = i;
    for (unsigned k = 0; k < inst->n_outs; k++)
      copy_lanes(inst->region_args[k + 1], inst->outs[k], inst->n_lanes[k]);
    if (!take_step(in, inst->op) || !run_block(in, &inst->body[0])) return false;
  } while (advance(&i, inst->step, ub));
  (void)PM_VEC_POP(in->loops);
  in->n_levels -= unordered;
  return true;
}

/* All values are read before any is written: a yield may pass on what it replaces. */
static void run_yield(const interp_inst *inst) {
  pm_lane few[8], *values = few;
  unsigned n = 0, at = 0;
  for (unsigned k = 0; k < inst->n_args; k++) n += inst->n_lanes[k];
  if (n > PM_COUNT(few)) values = pm_xmalloc(n * sizeof(*values));
  for (unsigned k = 0; k < inst->n_args; at += inst->n_lanes[k++])
    copy_lanes(&values[at], inst->args[k], inst->n_lanes[k]);
  at = 0;
  for (unsigned k = 0; k < inst->n_args; at += inst->n_lanes[k++])
    copy_lanes(inst->outs[k], &values[at], inst->n_lanes[k]);
  if (values != few) free(values);
}

/* Sizes of the buffer's type, the open ones taken from the operands from `first` on. */
static void find_sizes(const interp_inst *inst, pm_type type, unsigned first, interp_sizes *sizes) {
  for (unsigned k = 0; k < type->rank; k++)
    sizes->extents[k] = type->dims[k] == PM_DYNAMIC ? inst->args[first++]->i : type->dims[k];
  for (unsigned k = 0; type->strides && k < type->rank; k++)
    sizes->strides[k] = type->strides[k] == PM_DYNAMIC ? inst->args[first++]->i : type->strides[k];
}

static bool run_alloc(interp *in, const interp_inst *inst) {
  interp_sizes sizes;
  for (unsigned i = 0; i < inst->op->n_results; i++) {
    find_sizes(inst, pm_res(inst->op, i)->type, buf_first_extent(inst->op, i), &sizes);
    if (!interp_allocate(in, inst->allocated[i], inst->op, &sizes)) return false;
  }
  return !buf_alloc_workspace(inst->op) || interp_find_place(in, inst);
}

static bool run_bind(const interp_inst *inst) {
  interp_sizes sizes;
  find_sizes(inst, inst->buffer->value->type, 0, &sizes);
  return interp_adopt(inst->buffer, inst->op, inst->array, &sizes);
}

static bool run_match(const interp_inst *inst) {
  interp_sizes sizes;
  find_sizes(inst, pm_res(inst->op, 0)->type, 0, &sizes);
  return interp_match(inst->buffer, inst->op, &sizes);
}

static bool run_call(interp *in, const interp_inst *inst) {
  for (unsigned k = 0; k < inst->n_args; k++)
    copy_lanes(inst->region_args[k], inst->args[k], inst->n_lanes[k]);
  return run_block(in, &inst->body[0]);
}

static bool run_require(const interp_inst *inst) {
  if (inst->args[0]->i) return true;
  pm_string message = pm_sym_at(inst->op, loop_require_message);
  const char *text = message ? message->text : loop_code_text(pm_int_at(inst->op, loop_require_code));
  return pm_op_error(inst->op, "does not hold for this call: %s", text);
}

/* The value of the function. */
static void run_result(const interp *in, const interp_inst *inst) {
  const pm_array *out = in->call->outputs;
  if (out->data == in->options.watched) *in->options.writer = inst->op;
  arith_store_lanes(out->scalar, inst->args[0], out->data, 1, 1);
}

/* --- for the hooks of ops --- */

static pm_lane *lanes_for_op(pm_interpreter *in, const pm_value *value) {
  return interp_lane_of((interp *)in, value);
}

static bool run_for_op(pm_interpreter *in, const pm_region *region) {
  interp *self = (interp *)in;
  return run_block(self, pm_map_get(self->blocks, region));
}

static interp_inst access_for_op(interp *in, const pm_op *op, const pm_value *memref) {
  return (interp_inst){.op = op, .buffer = interp_buffer_of(in, memref), .n_indices = memref->type->rank};
}

static bool load_for_op(pm_interpreter *in, const pm_op *op, const pm_value *memref, const int64_t *indices,
                        pm_lane *out) {
  interp_inst inst = access_for_op((interp *)in, op, memref);
  const void *cell = interp_read_cell((interp *)in, &inst, indices);
  if (cell) arith_load_lanes(inst.buffer->scalar, cell, 1, out, 1);
  return cell != NULL;
}

static bool store_for_op(pm_interpreter *in, const pm_op *op, const pm_value *memref, const int64_t *indices,
                         const pm_lane *value) {
  interp_inst inst = access_for_op((interp *)in, op, memref);
  void *cell = interp_write_cell((interp *)in, &inst, indices);
  if (cell) arith_store_lanes(inst.buffer->scalar, value, cell, 1, 1);
  return cell != NULL;
}

static const pm_interpreter for_ops = {lanes_for_op, run_for_op, load_for_op, store_for_op};

static bool run_inst(interp *in, const interp_inst *inst) {
  switch (inst->kind) {
  case INTERP_EVAL:
    inst->kernel(inst->args, inst->outs[0], inst->lanes);
    return true;
  case INTERP_CHOOSE:
    run_choose(inst);
    return true;
  case INTERP_VECTOR:
    return inst->run(in, inst);
  case INTERP_LOAD:
    return run_load(in, inst);
  case INTERP_STORE:
    return run_store(in, inst);
  case INTERP_ATOMIC:
    return run_atomic(in, inst);
  case INTERP_LOOP:
    return run_loop(in, inst);
  case INTERP_IF:
    return run_block(in, &inst->body[inst->args[0]->i ? 0 : 1]);
  case INTERP_YIELD:
    run_yield(inst);
    return true;
  case INTERP_RESULT:
    run_result(in, inst);
    return true;
  case INTERP_ALLOC:
    return run_alloc(in, inst);
  case INTERP_WORKSPACE:
    in->workspace = inst->args[0]->i;
    return true;
  case INTERP_BIND:
    return run_bind(inst);
  case INTERP_HOLD:
    return interp_hold(inst->buffer, inst->op);
  case INTERP_MATCH:
    return run_match(inst);
  case INTERP_CALL:
    return run_call(in, inst);
  case INTERP_REQUIRE:
    return run_require(inst);
  case INTERP_HOOK:
    return inst->op->desc->interpret(&in->for_ops, inst->op);
  }
  return false;
}

static bool run_block(interp *in, const interp_block *block) {
  for (size_t i = 0; i < block->n; i++)
    if (!take_step(in, block->insts[i].op) || !run_inst(in, &block->insts[i])) return false;
  return true;
}

/* Gives each array of the caller to the instruction that declares it. */
static void give_arrays(const interp *in, interp_block *block) {
  const pm_array *input = in->call->inputs, *output = in->call->outputs;
  for (size_t i = 0; i < block->n; i++) {
    interp_inst *inst = &block->insts[i];
    if (inst->kind == INTERP_BIND) inst->array = pm_is(inst->op, &buf_input) ? input++ : output++;
  }
}

static bool run_func(interp *in, const pm_op *func) {
  interp_block body = {0};
  if (!interp_bind_call(in, func) || !interp_build(in, pm_region_at(func, loop_func_body), &body))
    return false;
  give_arrays(in, &body);
  return run_block(in, &body);
}

static interp new_interp(const pm_call *call) {
  return (interp){.for_ops = for_ops,
                  .arena = pm_arena_new(),
                  .lanes = pm_map_new(),
                  .buffers = pm_map_new(),
                  .blocks = pm_map_new(),
                  .call = call};
}

static void free_interp(interp *in) {
  for (size_t i = 0; i < in->all.len; i++) interp_free_buffer(in->all.data[i]);
  PM_VEC_FREE(in->all);
  PM_VEC_FREE(in->loops);
  PM_VEC_FREE(in->places);
  pm_map_free(in->lanes);
  pm_map_free(in->buffers);
  pm_map_free(in->blocks);
  pm_arena_free(in->arena);
}

bool loop_interpret(pm_op *func, const pm_call *call, const loop_interp_options *options) {
  interp in = new_interp(call);
  if (options) in.options = *options;
  bool ok = pm_is(func, &loop_func) && !loop_is_private(func)
                ? run_func(&in, func)
                : pm_op_error(func, "is not a loop.func for callers outside");
  free_interp(&in);
  return ok;
}

/* --- shapes --- */

/* Extents are scalars at the top of the function, of which every one is computed; nothing else is done. */
static void find_all_extents(const interp_block *body, pm_array *input, pm_array *output) {
  for (size_t i = 0; i < body->n; i++) {
    const interp_inst *inst = &body->insts[i];
    if (inst->kind == INTERP_EVAL) inst->kernel(inst->args, inst->outs[0], inst->lanes);
    if (inst->kind == INTERP_CHOOSE) run_choose(inst);
    if (inst->kind != INTERP_BIND) continue;
    pm_array *array = pm_is(inst->op, &buf_input) ? input++ : output++;
    interp_sizes sizes;
    find_sizes(inst, inst->buffer->value->type, 0, &sizes);
    memcpy(array->extents, sizes.extents, array->rank * sizeof *sizes.extents);
  }
}

static void set_type(pm_array *array, const pm_op *op) {
  pm_type type = pm_res(op, 0)->type;
  *array = (pm_array){.scalar = (pm_scalar)type->scalar, .rank = type->rank};
}

bool loop_find_shapes(pm_op *func, const pm_lane *params, size_t n_params, pm_array *inputs,
                      pm_array *outputs) {
  pm_call call = {.params = params, .n_params = n_params, .inputs = inputs, .outputs = outputs};
  PM_FOR_OPS(op, pm_region_at(func, loop_func_body)) {
    if (pm_is(op, &buf_input)) set_type(&inputs[call.n_inputs++], op);
    if (pm_is(op, &buf_output)) set_type(&outputs[call.n_outputs++], op);
  }
  if (loop_result_of(func))
    outputs[call.n_outputs++] = (pm_array){.scalar = (pm_scalar)loop_result_of(func)->scalar};
  interp in = new_interp(&call);
  interp_block body = {0};
  bool ok = interp_bind_call(&in, func) && interp_build(&in, pm_region_at(func, loop_func_body), &body);
  if (ok) find_all_extents(&body, inputs, outputs);
  free_interp(&in);
  return ok;
}
