/* Buffers, and accesses of one cell. */
#include "targets/llvm/backend/emit.h"

#include "dialects/arith/arith.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/loop.h"

#include <stdlib.h>

/* --- places --- */

loop_access ll_access(const pm_op *op) {
  loop_access access;
  if (!loop_find_place(op, &access)) pm_panic(op, "is no access");
  return access;
}

/* An index operand, in 64 bits. */
static LLVMValueRef index_operand(ll_emitter *e, const pm_value *v) {
  LLVMValueRef value = ll_value(e, v);
  if (ll_info_of(v)->bits == 64) return value;
  return ll_info_of(v)->is_signed ? LLVMBuildSExt(e->builder, value, e->i64, "")
                                  : LLVMBuildZExt(e->builder, value, e->i64, "");
}

/* Sums and products of an index do not wrap: lower-memref sees to that. */
LLVMValueRef ll_affine(ll_emitter *e, pm_affine_expr expr, const loop_access *access) {
  if (expr->kind == PM_AFFINE_CONST) return ll_i64(e, expr->value);
  if (expr->kind == PM_AFFINE_DIM) return index_operand(e, access->indices[expr->value].value);
  if (expr->kind == PM_AFFINE_SYM)
    return index_operand(e, access->indices[access->map->n_dims + expr->value].value);
  LLVMValueRef lhs = ll_affine(e, expr->lhs, access), rhs = ll_affine(e, expr->rhs, access);
  return expr->kind == PM_AFFINE_MUL ? LLVMBuildNSWMul(e->builder, lhs, rhs, "")
                                     : LLVMBuildNSWAdd(e->builder, lhs, rhs, "");
}

LLVMValueRef ll_place(ll_emitter *e, const loop_access *access) {
  return access->map->n_results ? ll_affine(e, access->map->results[0], access) : ll_i64(e, 0);
}

LLVMValueRef ll_address(ll_emitter *e, const loop_access *access, bool inside) {
  LLVMTypeRef cell = ll_cell_type(e, pm_elem_type(access->buffer->type));
  LLVMValueRef base = ll_value(e, access->buffer), place = ll_place(e, access);
  return inside ? LLVMBuildInBoundsGEP2(e->builder, cell, base, &place, 1, "")
                : LLVMBuildGEP2(e->builder, cell, base, &place, 1, "");
}

/* --- accesses --- */

void ll_emit_load(ll_emitter *e, const pm_op *op) {
  const loop_access access = ll_access(op);
  const pm_value *v = pm_res(op, 0);
  LLVMValueRef cell = LLVMBuildLoad2(e->builder, ll_cell_type(e, v->type), ll_address(e, &access, true), "");
  ll_mark_access(e, cell, op, access.buffer);
  ll_set(e, v, ll_from_cell(e, cell, v->type));
}

void ll_emit_store(ll_emitter *e, const pm_op *op) {
  const loop_access access = ll_access(op);
  LLVMValueRef cell = ll_to_cell(e, pm_arg(op, buf_store_value));
  ll_mark_access(e, LLVMBuildStore(e->builder, cell, ll_address(e, &access, true)), op, access.buffer);
}

static LLVMAtomicRMWBinOp atomic_op(const pm_op *op) {
  const pm_op_desc *join = buf_atomic_join(op);
  bool is_signed = ll_info_of(pm_arg(op, buf_atomic_value))->is_signed;
  if (join == &arith_mini) return is_signed ? LLVMAtomicRMWBinOpMin : LLVMAtomicRMWBinOpUMin;
  if (join == &arith_maxi) return is_signed ? LLVMAtomicRMWBinOpMax : LLVMAtomicRMWBinOpUMax;
  if (join == &arith_andi) return LLVMAtomicRMWBinOpAnd;
  return join == &arith_ori ? LLVMAtomicRMWBinOpOr : LLVMAtomicRMWBinOpAdd;
}

/* Other threads see it behind the end of the loop that is parallel, no earlier. */
void ll_emit_atomic(ll_emitter *e, const pm_op *op) {
  const loop_access access = ll_access(op);
  LLVMValueRef address = ll_address(e, &access, true), value = ll_arg(e, op, buf_atomic_value);
  LLVMValueRef made =
      LLVMBuildAtomicRMW(e->builder, atomic_op(op), address, value, LLVMAtomicOrderingMonotonic, false);
  ll_mark_access(e, made, op, access.buffer);
}

/* The cell need not be there: its address is no place in an array for LLVM either. */
void ll_emit_prefetch(ll_emitter *e, const pm_op *op) {
  enum { KEEP = 3, DATA = 1 };
  const loop_access access = ll_access(op);
  LLVMValueRef args[] = {ll_address(e, &access, false),
                         ll_int(e->i32, pm_attr_at(op, buf_prefetch_write) != NULL), ll_int(e->i32, KEEP),
                         ll_int(e->i32, DATA)};
  (void)ll_intrinsic(e, "llvm.prefetch", e->pointer, args, 4);
}

static LLVMValueRef address_of(ll_emitter *e, const pm_op *op) {
  const loop_access access = ll_access(op);
  return ll_address(e, &access, false);
}

/* The addresses are those of the first iteration, where there is one. */
void ll_emit_streaming(ll_emitter *e, const pm_op *loop, const loop_streaming *copy) {
  LLVMValueRef lb = ll_arg(e, loop, loop_for_lb), ub = ll_arg(e, loop, loop_for_ub);
  LLVMBasicBlockRef some = ll_new_block(e, "stream"), done = ll_new_block(e, "done");
  LLVMBuildCondBr(e->builder, LLVMBuildICmp(e->builder, LLVMIntSLT, lb, ub, ""), some, done);
  ll_begin_block(e, some);
  ll_set(e, pm_region_at(loop, loop_for_body)->args[0], lb);
  int64_t size = (int64_t)pm_element_bytes(pm_res(copy->load, 0)->type);
  LLVMValueRef bytes = LLVMBuildMul(e->builder, LLVMBuildSub(e->builder, ub, lb, ""), ll_i64(e, size), "");
  LLVMValueRef args[] = {address_of(e, copy->store), address_of(e, copy->load), bytes};
  (void)ll_call(e, LLVMGetNamedFunction(e->module, "pm.stream"), args, PM_COUNT(args));
  LLVMBuildBr(e->builder, done);
  ll_begin_block(e, done);
}

void ll_emit_fence(ll_emitter *e, const pm_op *op) {
  (void)op;
  LLVMBuildFence(e->builder, LLVMAtomicOrderingSequentiallyConsistent, false, "");
}

void ll_emit_nonnull(ll_emitter *e, const pm_op *op) {
  ll_set(e, pm_res(op, 0), LLVMBuildIsNotNull(e->builder, ll_arg(e, op, buf_nonnull_buffer), ""));
}

/* --- constants --- */

static LLVMValueRef number_at(const ll_emitter *e, pm_attr values, uint32_t i) {
  pm_scalar scalar = (pm_scalar)values->t->scalar;
  return scalar == PM_I1 ? ll_int(e->i8, values->numbers[i].i) : ll_number(e, scalar, values->numbers[i]);
}

void ll_emit_dense(ll_emitter *e, const pm_op *op) {
  enum { ALIGN = 64 };
  const pm_value *v = pm_res(op, buf_constant_buffer);
  pm_attr values = pm_attr_at(op, buf_constant_values);
  LLVMTypeRef cell = ll_cell_type(e, pm_elem_type(v->type));
  PM_VEC(LLVMValueRef) numbers = {0};
  for (uint32_t i = 0; i < values->len; i++) PM_VEC_PUSH(numbers, number_at(e, values, i));
  LLVMValueRef array = LLVMConstArray2(cell, numbers.data, values->len);
  LLVMValueRef global = LLVMAddGlobal(e->module, LLVMTypeOf(array), "constant");
  PM_VEC_FREE(numbers);
  LLVMSetInitializer(global, array);
  LLVMSetGlobalConstant(global, true);
  LLVMSetLinkage(global, LLVMPrivateLinkage);
  LLVMSetUnnamedAddress(global, LLVMGlobalUnnamedAddr);
  LLVMSetAlignment(global, ALIGN);
  ll_set(e, v, global);
}
