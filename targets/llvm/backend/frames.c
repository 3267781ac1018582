/* Memory that functions allocate, failures, and what gives memory back (dialects/loop/analyses/frames.h). The
 * address of what a frame owns is in an alloca of the function, null while there is none; LLVM makes
 * registers of them. */
#include "dialects/loop/analyses/frames.h"

#include "dialects/loop/analyses/scratch.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/loop.h"
#include "targets/lib/checks.h"
#include "targets/llvm/backend/emit.h"

#include <stdlib.h>

static LLVMValueRef runtime(ll_emitter *e, const char *name, LLVMValueRef *args, unsigned n) {
  return ll_call(e, LLVMGetNamedFunction(e->module, name), args, n);
}

static LLVMValueRef slot_of(const ll_emitter *e, const pm_op *alloc) {
  return pm_map_get(e->body.values, alloc);
}

static void make_slot(ll_emitter *e, const pm_op *alloc) {
  LLVMValueRef slot = ll_alloca(e, e->pointer, 0, "owned");
  pm_map_set(e->body.values, alloc, slot);
  LLVMBuildStore(e->builder, LLVMConstNull(e->pointer), slot);
}

static LLVMValueRef load_slot(ll_emitter *e, const pm_op *alloc) {
  return LLVMBuildLoad2(e->builder, e->pointer, slot_of(e, alloc), "");
}

/* --- failures --- */

static void store_status(ll_emitter *e, LLVMValueRef code) {
  LLVMValueRef store = LLVMBuildStore(e->builder, code, e->body.frame.status);
  if (e->body.frame.parallel) LLVMSetOrdering(store, LLVMAtomicOrderingMonotonic);
}

void ll_check(ll_emitter *e, LLVMValueRef condition, LLVMValueRef code) {
  LLVMBasicBlockRef fail = ll_new_block(e, "fail"), go_on = ll_new_block(e, "go_on");
  LLVMBuildCondBr(e->builder, condition, go_on, fail);
  ll_begin_block(e, fail);
  store_status(e, code);
  LLVMBuildBr(e->builder, e->body.frame.end);
  ll_begin_block(e, go_on);
}

void ll_emit_require(ll_emitter *e, const pm_op *op) {
  ll_check(e, ll_arg(e, op, loop_require_condition), ll_int(e->i32, pm_int_at(op, loop_require_code)));
}

/* --- frames --- */

void ll_frame_begin(ll_emitter *e, const pm_region *region, LLVMValueRef status, bool parallel) {
  loop_allocs list = {0};
  loop_list_frame_allocs(region, &list);
  e->body.frame = (ll_frame){region, ll_new_block(e, "end"), status, parallel};
  for (size_t i = 0; i < list.len; i++) make_slot(e, list.data[i]);
  PM_VEC_FREE(list);
}

static LLVMValueRef kept_blocks(ll_emitter *e) {
  pm_buf name = {0};
  pm_buf_printf(&name, "%s_kept", e->name);
  LLVMValueRef kept = LLVMGetNamedGlobal(e->module, name.data);
  pm_buf_free(&name);
  return kept;
}

void ll_frame_end(ll_emitter *e) {
  loop_allocs list = {0};
  loop_list_frame_allocs(e->body.frame.region, &list);
  LLVMBuildBr(e->builder, e->body.frame.end);
  ll_begin_block(e, e->body.frame.end);
  for (size_t i = list.len; i-- > 0;) {
    LLVMValueRef block = load_slot(e, list.data[i]);
    if (pm_is(list.data[i], &buf_workspace)) {
      LLVMValueRef args[] = {kept_blocks(e), block};
      (void)runtime(e, "pm.keep", args, 2);
    } else {
      (void)runtime(e, "free", &block, 1);
    }
  }
  PM_VEC_FREE(list);
}

/* --- memory --- */

static void set_arrays(ll_emitter *e, const pm_op *alloc, LLVMValueRef memory) {
  for (unsigned i = 0; i < alloc->n_results; i++) ll_set(e, pm_res(alloc, i), memory);
}

static LLVMValueRef bytes_of(ll_emitter *e, const pm_op *alloc) {
  const pm_value *bytes = buf_alloc_bytes(alloc);
  return bytes ? ll_value(e, bytes) : ll_i64(e, loop_constant_alloc_bytes(alloc));
}

static LLVMValueRef alloc_bytes(ll_emitter *e, const pm_op *alloc) {
  LLVMValueRef bytes = bytes_of(e, alloc);
  return runtime(e, "pm.alloc", &bytes, 1);
}

/* Several arrays may be on the stack at one place. An iteration gets the same place each time. */
static void lifetime(ll_emitter *e, const pm_op *alloc, const char *name) {
  LLVMValueRef args[] = {ll_i64(e, -1), ll_value(e, pm_res(alloc, 0))};
  (void)ll_intrinsic(e, name, e->pointer, args, 2);
}

static void emit_stack(ll_emitter *e, const pm_op *alloc) {
  int64_t bytes = loop_constant_alloc_bytes(alloc);
  LLVMTypeRef type = LLVMArrayType2(e->i8, (uint64_t)(bytes ? bytes : 1));
  set_arrays(e, alloc, ll_alloca(e, type, PM_MEMORY_ALIGN, "scratch"));
  lifetime(e, alloc, "llvm.lifetime.start");
}

static void emit_place(ll_emitter *e, const pm_op *alloc) {
  LLVMValueRef offset = ll_value(e, buf_alloc_offset(alloc));
  LLVMValueRef memory = ll_value(e, buf_alloc_workspace(alloc));
  set_arrays(e, alloc, LLVMBuildInBoundsGEP2(e->builder, e->i8, memory, &offset, 1, ""));
}

void ll_emit_alloc(ll_emitter *e, const pm_op *op) {
  loop_owner owner = loop_owner_of(op);
  if (owner == LOOP_OWNER_THREAD) return;
  if (buf_alloc_workspace(op)) {
    emit_place(e, op);
  } else if (owner == LOOP_OWNER_FRAME) {
    LLVMValueRef memory = alloc_bytes(e, op);
    LLVMBuildStore(e->builder, memory, slot_of(e, op));
    set_arrays(e, op, memory);
  } else {
    emit_stack(e, op);
  }
}

/* The caller's memory, or a block that is kept or new. */
void ll_emit_workspace(ll_emitter *e, const pm_op *op) {
  LLVMValueRef function = e->body.function;
  LLVMValueRef args[] = {kept_blocks(e), slot_of(e, op), LLVMGetParam(function, 0), LLVMGetParam(function, 1),
                         ll_arg(e, op, buf_workspace_bytes)};
  ll_set(e, pm_res(op, 0), runtime(e, "pm.workspace", args, 5));
}

static void end_alloc(ll_emitter *e, const pm_op *op) {
  loop_owner owner = loop_owner_of(op);
  if (owner == LOOP_OWNER_NONE && !buf_alloc_workspace(op)) lifetime(e, op, "llvm.lifetime.end");
  if (owner != LOOP_OWNER_FRAME || op->region == e->body.frame.region) return;
  LLVMValueRef block = load_slot(e, op);
  (void)runtime(e, "free", &block, 1);
  LLVMBuildStore(e->builder, LLVMConstNull(e->pointer), slot_of(e, op));
}

void ll_free_region(ll_emitter *e, const pm_region *region) {
  for (const pm_op *op = region->last; op; op = pm_prev(op))
    if (pm_is(op, &buf_alloc)) end_alloc(e, op);
}

/* --- memory of threads --- */

void ll_alloc_thread_memory(ll_emitter *e, const pm_op *parallel) {
  loop_allocs list = {0};
  loop_list_thread_allocs(parallel, &list);
  for (size_t i = 0; i < list.len; i++) set_arrays(e, list.data[i], alloc_bytes(e, list.data[i]));
  PM_VEC_FREE(list);
}

void ll_free_thread_memory(ll_emitter *e, const pm_op *parallel) {
  loop_allocs list = {0};
  loop_list_thread_allocs(parallel, &list);
  for (size_t i = list.len; i-- > 0;) {
    LLVMValueRef block = ll_value(e, pm_res(list.data[i], 0));
    (void)runtime(e, "free", &block, 1);
  }
  PM_VEC_FREE(list);
}
