/* Loops of one thread, and conditions. A loop is emitted as its test ahead of it and at its end, the form
 * that LLVM's loop passes bring all loops to. */
#include "targets/llvm/backend/emit.h"

#include "dialects/loop/analyses/frames.h"
#include "dialects/loop/loop.h"

#include <stdlib.h>

/* --- loops --- */

/* The counter never passes the largest number: step 1 ends below the bound, and a larger one does where the
 * bound is known to be small. That of a thread's share may be by less than a step above the loop's. */
static bool counter_fits(const ll_emitter *e, const pm_op *op, int64_t step) {
  arith_range ub = loop_range_of(e->ranges, pm_arg(op, 1));
  return step == 1 || (ub.known && step <= INT64_MAX / 4 && ub.hi <= INT64_MAX - 2 * step);
}

static LLVMValueRef next_number(ll_emitter *e, const pm_op *op, LLVMValueRef i, int64_t step) {
  LLVMValueRef by = ll_i64(e, step);
  return counter_fits(e, op, step) ? LLVMBuildNSWAdd(e->builder, i, by, "")
                                   : LLVMBuildAdd(e->builder, i, by, "");
}

static void join(LLVMValueRef phi, LLVMValueRef value, LLVMBasicBlockRef from) {
  LLVMAddIncoming(phi, &value, &from, 1);
}

static LLVMValueRef init_of(ll_emitter *e, const pm_op *op, unsigned i) {
  return ll_arg(e, op, loop_for_inits + i);
}

static void begin_carried(ll_emitter *e, const pm_op *op, LLVMBasicBlockRef before) {
  const pm_region *body = pm_region_at(op, 0);
  for (unsigned i = 0; i < op->n_results; i++) {
    LLVMValueRef phi = LLVMBuildPhi(e->builder, ll_type(e, pm_res(op, i)->type), "");
    join(phi, init_of(e, op, i), before);
    ll_set(e, body->args[i + 1], phi);
  }
}

/* Behind the loop: what it was begun with, or left. */
static void end_carried(ll_emitter *e, const pm_op *op, LLVMBasicBlockRef before, LLVMBasicBlockRef latch) {
  const pm_op *yield = op->n_results ? pm_terminator(pm_region_at(op, 0)) : NULL;
  for (unsigned i = 0; i < op->n_results; i++) {
    LLVMValueRef last = ll_arg(e, yield, i), phi = ll_value(e, pm_region_at(op, 0)->args[i + 1]);
    join(phi, last, latch);
    LLVMValueRef result = LLVMBuildPhi(e->builder, LLVMTypeOf(last), "");
    join(result, init_of(e, op, i), before);
    join(result, last, latch);
    ll_set(e, pm_res(op, i), result);
  }
}

/* On several threads an iteration is a frame. */
static void emit_iteration(ll_emitter *e, const pm_op *op) {
  const pm_region *region = pm_region_at(op, 0);
  bool frame = loop_runs_on_threads(op);
  if (frame) ll_frame_begin(e, region, e->body.frame.status, true);
  ll_emit_region(e, region);
  if (frame) ll_frame_end(e);
}

void ll_emit_loop(ll_emitter *e, const pm_op *op, const ll_loop *l) {
  const pm_region *region = pm_region_at(op, 0);
  LLVMBasicBlockRef before = LLVMGetInsertBlock(e->builder), body = ll_new_block(e, "loop"),
                    done = ll_new_block(e, "done");
  bool vector = ll_is_vector_loop(op);
  ll_set(e, region->args[0], l->lb);
  LLVMBuildCondBr(e->builder, LLVMBuildICmp(e->builder, LLVMIntSLT, l->lb, l->ub, ""), body, done);
  ll_begin_block(e, body);
  LLVMValueRef i = LLVMBuildPhi(e->builder, e->i64, "");
  join(i, l->lb, before);
  ll_set(e, region->args[0], i);
  begin_carried(e, op, before);
  if (vector) ll_enter_vector_loop(e);
  emit_iteration(e, op);
  LLVMBasicBlockRef latch = LLVMGetInsertBlock(e->builder);
  LLVMValueRef next = next_number(e, op, i, l->step);
  LLVMValueRef more = LLVMBuildICmp(e->builder, LLVMIntSLT, next, l->ub, "");
  LLVMValueRef jump = LLVMBuildCondBr(e->builder, more, body, done);
  join(i, next, latch);
  ll_mark_loop(e, jump, op);
  if (vector) ll_leave_vector_loop(e);
  ll_begin_block(e, done);
  end_carried(e, op, before, latch);
}

void ll_emit_for(ll_emitter *e, const pm_op *op) {
  loop_streaming copy;
  if (loop_find_streaming(op, &copy)) {
    ll_emit_streaming(e, op, &copy);
    return;
  }
  const ll_loop bounds = {ll_arg(e, op, loop_for_lb), ll_arg(e, op, loop_for_ub),
                          pm_int_at(op, loop_for_step)};
  ll_emit_loop(e, op, &bounds);
}

/* --- conditions --- */

static LLVMBasicBlockRef emit_arm(ll_emitter *e, const pm_region *region, LLVMBasicBlockRef block,
                                  LLVMBasicBlockRef end) {
  ll_begin_block(e, block);
  ll_emit_region(e, region);
  LLVMBasicBlockRef last = LLVMGetInsertBlock(e->builder);
  LLVMBuildBr(e->builder, end);
  return last;
}

static void join_arms(ll_emitter *e, const pm_op *op, LLVMBasicBlockRef then, LLVMBasicBlockRef other) {
  for (unsigned i = 0; i < op->n_results; i++) {
    LLVMValueRef phi = LLVMBuildPhi(e->builder, ll_type(e, pm_res(op, i)->type), "");
    join(phi, ll_arg(e, pm_terminator(pm_region_at(op, loop_if_then)), i), then);
    join(phi, ll_arg(e, pm_terminator(pm_region_at(op, loop_if_else)), i), other);
    ll_set(e, pm_res(op, i), phi);
  }
}

void ll_emit_if(ll_emitter *e, const pm_op *op) {
  bool has_else = pm_region_at(op, loop_if_else)->present;
  LLVMBasicBlockRef then = ll_new_block(e, "then"), end = NULL;
  LLVMBasicBlockRef other = has_else ? ll_new_block(e, "else") : NULL;
  end = ll_new_block(e, "end");
  LLVMBuildCondBr(e->builder, ll_arg(e, op, loop_if_condition), then, has_else ? other : end);
  then = emit_arm(e, pm_region_at(op, loop_if_then), then, end);
  if (has_else) other = emit_arm(e, pm_region_at(op, loop_if_else), other, end);
  ll_begin_block(e, end);
  join_arms(e, op, then, other);
}
