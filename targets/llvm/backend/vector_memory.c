/* Vectors from and to memory. Masks have a byte a lane there. What a false lane would touch may lie outside,
 * so that no address of a masked access is said to be inside its array. */
#include "dialects/loop/vec.h"
#include "targets/llvm/backend/emit.h"

static unsigned cell_bytes(const pm_value *vector) {
  return (unsigned)pm_scalar_bytes(ll_scalar_of(vector));
}

static unsigned align_of(const pm_value *vector, pm_attr align) {
  unsigned least = cell_bytes(vector);
  return align && align->i > least ? (unsigned)align->i : least;
}

void ll_emit_vector_load(ll_emitter *e, const pm_op *op) {
  const loop_access access = ll_access(op);
  const pm_value *v = pm_res(op, 0);
  LLVMValueRef cells = LLVMBuildLoad2(e->builder, ll_cell_type(e, v->type), ll_address(e, &access, true), "");
  LLVMSetAlignment(cells, align_of(v, pm_attr_at(op, vec_load_align)));
  ll_mark_access(e, cells, op, access.buffer);
  ll_set(e, v, ll_from_cell(e, cells, v->type));
}

void ll_emit_vector_store(ll_emitter *e, const pm_op *op) {
  const loop_access access = ll_access(op);
  const pm_value *v = pm_arg(op, vec_store_value);
  LLVMValueRef store = LLVMBuildStore(e->builder, ll_to_cell(e, v), ll_address(e, &access, true));
  LLVMSetAlignment(store, align_of(v, pm_attr_at(op, vec_store_align)));
  ll_mark_access(e, store, op, access.buffer);
}

static LLVMValueRef align_argument(const ll_emitter *e, const pm_value *vector) {
  return ll_int(e->i32, cell_bytes(vector));
}

void ll_emit_maskedload(ll_emitter *e, const pm_op *op) {
  const loop_access access = ll_access(op);
  const pm_value *v = pm_res(op, 0);
  LLVMTypeRef types[] = {ll_cell_type(e, v->type), e->pointer};
  LLVMValueRef args[] = {ll_address(e, &access, false), align_argument(e, v),
                         ll_arg(e, op, vec_maskedload_mask),
                         ll_to_cell(e, pm_arg(op, vec_maskedload_pass_thru))};
  LLVMValueRef cells = ll_intrinsic_of(e, "llvm.masked.load", types, 2, args, 4);
  ll_mark_access(e, cells, op, access.buffer);
  ll_set(e, v, ll_from_cell(e, cells, v->type));
}

void ll_emit_maskedstore(ll_emitter *e, const pm_op *op) {
  const loop_access access = ll_access(op);
  const pm_value *v = pm_arg(op, vec_maskedstore_value);
  LLVMTypeRef types[] = {ll_cell_type(e, v->type), e->pointer};
  LLVMValueRef args[] = {ll_to_cell(e, v), ll_address(e, &access, false), align_argument(e, v),
                         ll_arg(e, op, vec_maskedstore_mask)};
  ll_mark_access(e, ll_intrinsic_of(e, "llvm.masked.store", types, 2, args, 4), op, access.buffer);
}

/* --- by offsets --- */

/* Offsets without sign become 64 bits wide; LLVM takes others by their sign. */
static LLVMValueRef offsets_of(ll_emitter *e, const pm_value *offsets) {
  LLVMValueRef value = ll_value(e, offsets);
  if (ll_info_of(offsets)->is_signed || ll_info_of(offsets)->bits == 64) return value;
  return LLVMBuildZExt(e->builder, value, ll_type_like(e->i64, offsets->type), "");
}

static LLVMValueRef addresses(ll_emitter *e, const loop_access *access, const pm_value *offsets) {
  LLVMTypeRef cell = ll_cell_type(e, pm_elem_type(access->buffer->type));
  LLVMValueRef base = ll_address(e, access, false), numbers = offsets_of(e, offsets);
  return LLVMBuildGEP2(e->builder, cell, base, &numbers, 1, "");
}

static LLVMTypeRef pointers_like(const ll_emitter *e, const pm_value *vector) {
  return ll_type_like(e->pointer, vector->type);
}

static LLVMValueRef all_lanes(const ll_emitter *e, const pm_value *vector) {
  return LLVMConstAllOnes(ll_type_like(e->i1, vector->type));
}

/* A run of elements is one integer. */
static void emit_gather_of_runs(ll_emitter *e, const pm_op *op, unsigned run) {
  const loop_access access = ll_access(op);
  const pm_value *v = pm_res(op, 0), *offsets = pm_arg(op, vec_gather_offsets);
  LLVMTypeRef whole = LLVMIntTypeInContext(e->ctx, run * cell_bytes(v) * 8);
  LLVMTypeRef types[] = {ll_type_like(whole, offsets->type), pointers_like(e, offsets)};
  LLVMValueRef args[] = {addresses(e, &access, offsets), align_argument(e, v), all_lanes(e, offsets),
                         LLVMGetPoison(types[0])};
  LLVMValueRef cells = ll_intrinsic_of(e, "llvm.masked.gather", types, 2, args, 4);
  ll_mark_access(e, cells, op, access.buffer);
  cells = LLVMBuildBitCast(e->builder, cells, ll_cell_type(e, v->type), "");
  ll_set(e, v, ll_from_cell(e, cells, v->type));
}

void ll_emit_gather(ll_emitter *e, const pm_op *op) {
  const loop_access access = ll_access(op);
  const pm_value *v = pm_res(op, 0);
  bool masked = pm_is(op, &vec_maskedgather);
  LLVMTypeRef cell = ll_cell_type(e, v->type), types[] = {cell, pointers_like(e, v)};
  unsigned run = masked ? 1 : vec_gather_run(op);
  if (run > 1) {
    emit_gather_of_runs(e, op, run);
    return;
  }
  const pm_value *offsets =
      pm_arg(op, masked ? (unsigned)vec_maskedgather_offsets : (unsigned)vec_gather_offsets);
  LLVMValueRef mask = masked ? ll_arg(e, op, vec_maskedgather_mask) : all_lanes(e, v);
  LLVMValueRef others = masked ? ll_to_cell(e, pm_arg(op, vec_maskedgather_pass_thru)) : LLVMGetPoison(cell);
  LLVMValueRef args[] = {addresses(e, &access, offsets), align_argument(e, v), mask, others};
  LLVMValueRef cells = ll_intrinsic_of(e, "llvm.masked.gather", types, 2, args, 4);
  ll_mark_access(e, cells, op, access.buffer);
  ll_set(e, v, ll_from_cell(e, cells, v->type));
}

/* LLVM's scatter goes from lane 0 on, too. */
void ll_emit_scatter(ll_emitter *e, const pm_op *op) {
  const loop_access access = ll_access(op);
  bool masked = pm_is(op, &vec_maskedscatter);
  const pm_value *v = pm_arg(op, masked ? (unsigned)vec_maskedscatter_value : (unsigned)vec_scatter_value);
  const pm_value *offsets =
      pm_arg(op, masked ? (unsigned)vec_maskedscatter_offsets : (unsigned)vec_scatter_offsets);
  LLVMTypeRef types[] = {ll_cell_type(e, v->type), pointers_like(e, v)};
  LLVMValueRef mask = masked ? ll_arg(e, op, vec_maskedscatter_mask) : all_lanes(e, v);
  LLVMValueRef args[] = {ll_to_cell(e, v), addresses(e, &access, offsets), align_argument(e, v), mask};
  ll_mark_access(e, ll_intrinsic_of(e, "llvm.masked.scatter", types, 2, args, 4), op, access.buffer);
}
