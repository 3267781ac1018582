/* Lanes of vectors. */
#include "dialects/loop/vec.h"
#include "targets/llvm/backend/emit.h"

#include <stdlib.h>

void ll_emit_splat(ll_emitter *e, const pm_op *op) {
  const pm_value *v = pm_res(op, 0);
  LLVMTypeRef type = ll_type(e, v->type);
  LLVMValueRef first =
      LLVMBuildInsertElement(e->builder, LLVMGetPoison(type), ll_arg(e, op, 0), ll_int(e->i32, 0), "");
  LLVMValueRef zeros = LLVMConstNull(LLVMVectorType(e->i32, v->type->lanes));
  ll_set(e, v, LLVMBuildShuffleVector(e->builder, first, LLVMGetPoison(type), zeros, ""));
}

static LLVMValueRef vector_of(LLVMTypeRef element, const int64_t *numbers, uint32_t n) {
  PM_VEC(LLVMValueRef) lanes = {0};
  for (uint32_t i = 0; i < n; i++)
    PM_VEC_PUSH(lanes, numbers[i] < 0 ? LLVMGetPoison(element) : ll_int(element, numbers[i]));
  LLVMValueRef vector = LLVMConstVector(lanes.data, n);
  PM_VEC_FREE(lanes);
  return vector;
}

void ll_emit_step(ll_emitter *e, const pm_op *op) {
  const pm_value *v = pm_res(op, 0);
  int64_t *numbers = pm_xcalloc(v->type->lanes, sizeof *numbers);
  for (uint32_t i = 0; i < v->type->lanes; i++) numbers[i] = i;
  ll_set(e, v, vector_of(ll_scalar_type(e, ll_scalar_of(v)), numbers, v->type->lanes));
  free(numbers);
}

/* The vector with as many lanes as `n`, which are not fewer; the new ones are never chosen. */
static LLVMValueRef widened(ll_emitter *e, LLVMValueRef vector, uint32_t lanes, uint32_t n) {
  if (lanes == n) return vector;
  int64_t *numbers = pm_xcalloc(n, sizeof *numbers);
  for (uint32_t i = 0; i < n; i++) numbers[i] = i < lanes ? (int64_t)i : -1;
  LLVMValueRef mask = vector_of(e->i32, numbers, n);
  free(numbers);
  return LLVMBuildShuffleVector(e->builder, vector, LLVMGetPoison(LLVMTypeOf(vector)), mask, "");
}

/* LLVM wants operands of one type: the shorter one is widened, and lanes of b are counted from there. */
void ll_emit_shuffle(ll_emitter *e, const pm_op *op) {
  pm_attr lanes = pm_attr_at(op, vec_shuffle_lanes);
  uint32_t na = pm_arg(op, vec_shuffle_a)->type->lanes, nb = pm_arg(op, vec_shuffle_b)->type->lanes;
  uint32_t n = na > nb ? na : nb;
  int64_t *numbers = pm_xcalloc(lanes->len, sizeof *numbers);
  for (uint32_t i = 0; i < lanes->len; i++) {
    int64_t from = lanes->items[i]->i;
    numbers[i] = from < na ? from : from - na + n;
  }
  LLVMValueRef a = widened(e, ll_arg(e, op, vec_shuffle_a), na, n);
  LLVMValueRef b = widened(e, ll_arg(e, op, vec_shuffle_b), nb, n);
  LLVMValueRef mask = vector_of(e->i32, numbers, lanes->len);
  free(numbers);
  ll_set(e, pm_res(op, 0), LLVMBuildShuffleVector(e->builder, a, b, mask, ""));
}

void ll_emit_elements(ll_emitter *e, const pm_op *op) {
  LLVMValueRef vector = LLVMGetPoison(ll_type(e, pm_res(op, 0)->type));
  for (unsigned i = 0; i < op->n_operands; i++)
    vector = LLVMBuildInsertElement(e->builder, vector, ll_arg(e, op, i), ll_int(e->i32, i), "");
  ll_set(e, pm_res(op, 0), vector);
}

void ll_emit_extract(ll_emitter *e, const pm_op *op) {
  LLVMValueRef lane = ll_int(e->i32, pm_int_at(op, vec_extract_lane));
  ll_set(e, pm_res(op, 0), LLVMBuildExtractElement(e->builder, ll_arg(e, op, vec_extract_source), lane, ""));
}

void ll_emit_insert(ll_emitter *e, const pm_op *op) {
  LLVMValueRef lane = ll_int(e->i32, pm_int_at(op, vec_insert_lane));
  ll_set(e, pm_res(op, 0),
         LLVMBuildInsertElement(e->builder, ll_arg(e, op, vec_insert_dest), ll_arg(e, op, vec_insert_source),
                                lane, ""));
}

/* --- reductions --- */

/* LLVM's reductions of integers, whose order says nothing. Those of i1 are those of one bit without sign. */
static const char *const signed_reductions[VEC_N_KINDS] = {
    [VEC_REDUCE_ADD] = "llvm.vector.reduce.add",  [VEC_REDUCE_MUL] = "llvm.vector.reduce.mul",
    [VEC_REDUCE_MIN] = "llvm.vector.reduce.smin", [VEC_REDUCE_MAX] = "llvm.vector.reduce.smax",
    [VEC_REDUCE_AND] = "llvm.vector.reduce.and",  [VEC_REDUCE_OR] = "llvm.vector.reduce.or"};
static const char *const unsigned_reductions[VEC_N_KINDS] = {
    [VEC_REDUCE_ADD] = "llvm.vector.reduce.add",  [VEC_REDUCE_MUL] = "llvm.vector.reduce.mul",
    [VEC_REDUCE_MIN] = "llvm.vector.reduce.umin", [VEC_REDUCE_MAX] = "llvm.vector.reduce.umax",
    [VEC_REDUCE_AND] = "llvm.vector.reduce.and",  [VEC_REDUCE_OR] = "llvm.vector.reduce.or"};

/* From lane 0 on; -0 + x is x, and 1 * x. In another order where the rules for floats allow it. */
static LLVMValueRef reduce_floats(ll_emitter *e, vec_kind kind, LLVMValueRef vector) {
  LLVMTypeRef type = LLVMGetElementType(LLVMTypeOf(vector));
  bool sum = kind == VEC_REDUCE_ADD;
  LLVMTypeRef types[] = {LLVMTypeOf(vector)};
  LLVMValueRef args[] = {ll_real(type, sum ? -0.0 : 1.0), vector};
  return ll_float(
      e, ll_intrinsic_of(e, sum ? "llvm.vector.reduce.fadd" : "llvm.vector.reduce.fmul", types, 1, args, 2));
}

/* `r < lane ? r : lane`, in order: what NaN does depends on it. */
static LLVMValueRef reduce_float_extremum(ll_emitter *e, vec_kind kind, LLVMValueRef vector, uint32_t n) {
  LLVMRealPredicate pred = kind == VEC_REDUCE_MIN ? LLVMRealOLT : LLVMRealOGT;
  LLVMValueRef result = LLVMBuildExtractElement(e->builder, vector, ll_int(e->i32, 0), "");
  for (uint32_t i = 1; i < n; i++) {
    LLVMValueRef lane = LLVMBuildExtractElement(e->builder, vector, ll_int(e->i32, i), "");
    result = LLVMBuildSelect(e->builder, LLVMBuildFCmp(e->builder, pred, result, lane, ""), result, lane, "");
  }
  return result;
}

void ll_emit_reduce(ll_emitter *e, const pm_op *op) {
  const pm_value *v = pm_arg(op, vec_reduce_source);
  LLVMValueRef vector = ll_arg(e, op, vec_reduce_source), result;
  vec_kind kind = vec_kind_of(op);
  const char *const *names = ll_info_of(v)->is_signed ? signed_reductions : unsigned_reductions;
  if (!ll_info_of(v)->is_float)
    result = ll_intrinsic(e, names[kind], LLVMTypeOf(vector), &vector, 1);
  else if (kind == VEC_REDUCE_ADD || kind == VEC_REDUCE_MUL)
    result = reduce_floats(e, kind, vector);
  else
    result = reduce_float_extremum(e, kind, vector, v->type->lanes);
  ll_set(e, pm_res(op, 0), result);
}
