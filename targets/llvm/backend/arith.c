/* Integers and floats. LLVM's min and max intrinsics, comparisons and selections are those of arith, floats
 * included, where an operand may be NaN: minf is `a < b ? a : b`. */
#include "dialects/arith/arith.h"
#include "targets/llvm/backend/emit.h"

static bool is_unsigned(const pm_value *v) {
  return !ll_info_of(v)->is_signed;
}

static bool is_bool(const pm_value *v) {
  return ll_scalar_of(v) == PM_I1;
}

void ll_emit_constant(ll_emitter *e, const pm_op *op) {
  (void)e;
  (void)op;
}

/* --- integers --- */

/* Of i1, which is one bit without sign, a sum is the exclusive or. LLVM's own operations on i1 say the same.
 */
static LLVMOpcode wrapping_opcode(const pm_op *op) {
  if (pm_is(op, &arith_muli)) return LLVMMul;
  return pm_is(op, &arith_addi) ? LLVMAdd : LLVMSub;
}

/* The ranges of the function show that the result fits: it overflows neither way. */
static void mark_exact(const ll_emitter *e, const pm_op *op, LLVMValueRef value) {
  const pm_value *v = pm_res(op, 0);
  if (!LLVMIsABinaryOperator(value) || !loop_is_exact(e->ranges, v)) return;
  if (is_unsigned(v))
    LLVMSetNUW(value, true);
  else
    LLVMSetNSW(value, true);
}

void ll_emit_wrapping(ll_emitter *e, const pm_op *op) {
  LLVMValueRef value =
      LLVMBuildBinOp(e->builder, wrapping_opcode(op), ll_arg(e, op, 0), ll_arg(e, op, 1), "");
  mark_exact(e, op, value);
  ll_set(e, pm_res(op, 0), value);
}

void ll_emit_addsat(ll_emitter *e, const pm_op *op) {
  LLVMValueRef args[] = {ll_arg(e, op, 0), ll_arg(e, op, 1)};
  ll_set(e, pm_res(op, 0), ll_intrinsic(e, "llvm.sadd.sat", e->i64, args, 2));
}

void ll_emit_mulsat(ll_emitter *e, const pm_op *op) {
  LLVMValueRef args[] = {ll_arg(e, op, 0), ll_arg(e, op, 1)};
  LLVMValueRef pair = ll_intrinsic(e, "llvm.smul.with.overflow", e->i64, args, 2);
  LLVMValueRef signs = LLVMBuildXor(e->builder, args[0], args[1], "");
  LLVMValueRef negative = LLVMBuildICmp(e->builder, LLVMIntSLT, signs, ll_i64(e, 0), "");
  LLVMValueRef limit = LLVMBuildSelect(e->builder, negative, ll_i64(e, INT64_MIN), ll_i64(e, INT64_MAX), "");
  LLVMValueRef overflows = LLVMBuildExtractValue(e->builder, pair, 1, "");
  LLVMValueRef product = LLVMBuildExtractValue(e->builder, pair, 0, "");
  ll_set(e, pm_res(op, 0), LLVMBuildSelect(e->builder, overflows, limit, product, ""));
}

void ll_emit_int_extremum(ll_emitter *e, const pm_op *op) {
  bool min = pm_is(op, &arith_mini);
  const pm_value *v = pm_res(op, 0);
  LLVMValueRef args[] = {ll_arg(e, op, 0), ll_arg(e, op, 1)};
  const char *name = is_unsigned(v) ? (min ? "llvm.umin" : "llvm.umax") : (min ? "llvm.smin" : "llvm.smax");
  ll_set(e, pm_res(op, 0), ll_intrinsic(e, name, ll_type(e, v->type), args, 2));
}

void ll_emit_bitwise(ll_emitter *e, const pm_op *op) {
  LLVMOpcode opcode = pm_is(op, &arith_andi) ? LLVMAnd : pm_is(op, &arith_ori) ? LLVMOr : LLVMXor;
  ll_set(e, pm_res(op, 0), LLVMBuildBinOp(e->builder, opcode, ll_arg(e, op, 0), ll_arg(e, op, 1), ""));
}

/* An amount from the width on, which is read as unsigned, is poison in LLVM: then the shift is not selected,
 * or it is by one less than the width, which leaves the signs. */
void ll_emit_shift(ll_emitter *e, const pm_op *op) {
  const pm_value *v = pm_res(op, 0);
  LLVMTypeRef type = ll_type(e, v->type);
  LLVMValueRef value = ll_arg(e, op, 0), amount = ll_arg(e, op, 1), result;
  LLVMValueRef width = ll_int(type, ll_info_of(v)->bits), last = ll_int(type, ll_info_of(v)->bits - 1);
  bool left = pm_is(op, &arith_shli);
  if (is_bool(v)) {
    result = LLVMBuildAnd(e->builder, value, LLVMBuildNot(e->builder, amount, ""), "");
  } else if (!left && !is_unsigned(v)) {
    LLVMValueRef args[] = {amount, last};
    result = LLVMBuildAShr(e->builder, value, ll_intrinsic(e, "llvm.umin", type, args, 2), "");
  } else {
    LLVMValueRef fits = LLVMBuildICmp(e->builder, LLVMIntULT, amount, width, "");
    LLVMValueRef shifted = LLVMBuildBinOp(e->builder, left ? LLVMShl : LLVMLShr, value, amount, "");
    result = LLVMBuildSelect(e->builder, fits, shifted, ll_int(type, 0), "");
  }
  ll_set(e, v, result);
}

/* --- floats --- */

void ll_emit_float_binary(ll_emitter *e, const pm_op *op) {
  LLVMOpcode opcode = pm_is(op, &arith_addf)   ? LLVMFAdd
                      : pm_is(op, &arith_subf) ? LLVMFSub
                      : pm_is(op, &arith_mulf) ? LLVMFMul
                                               : LLVMFDiv;
  LLVMValueRef value = LLVMBuildBinOp(e->builder, opcode, ll_arg(e, op, 0), ll_arg(e, op, 1), "");
  ll_set(e, pm_res(op, 0), ll_float(e, value));
}

void ll_emit_negation(ll_emitter *e, const pm_op *op) {
  ll_set(e, pm_res(op, 0), ll_float(e, LLVMBuildFNeg(e->builder, ll_arg(e, op, 0), "")));
}

void ll_emit_float_extremum(ll_emitter *e, const pm_op *op) {
  LLVMValueRef a = ll_arg(e, op, 0), b = ll_arg(e, op, 1);
  LLVMRealPredicate pred = pm_is(op, &arith_minf) ? LLVMRealOLT : LLVMRealOGT;
  LLVMValueRef first = ll_float(e, LLVMBuildFCmp(e->builder, pred, a, b, ""));
  ll_set(e, pm_res(op, 0), ll_float(e, LLVMBuildSelect(e->builder, first, a, b, "")));
}

/* --- comparisons and choices --- */

void ll_emit_comparison(ll_emitter *e, const pm_op *op) {
  static const LLVMRealPredicate floats[] = {
      [ARITH_EQ] = LLVMRealOEQ, [ARITH_NE] = LLVMRealUNE, [ARITH_LT] = LLVMRealOLT,
      [ARITH_LE] = LLVMRealOLE, [ARITH_GT] = LLVMRealOGT, [ARITH_GE] = LLVMRealOGE};
  static const LLVMIntPredicate ints[][2] = {
      [ARITH_EQ] = {LLVMIntEQ, LLVMIntEQ},   [ARITH_NE] = {LLVMIntNE, LLVMIntNE},
      [ARITH_LT] = {LLVMIntSLT, LLVMIntULT}, [ARITH_LE] = {LLVMIntSLE, LLVMIntULE},
      [ARITH_GT] = {LLVMIntSGT, LLVMIntUGT}, [ARITH_GE] = {LLVMIntSGE, LLVMIntUGE}};
  arith_pred pred = arith_cmp_pred(op);
  const pm_value *lhs = pm_arg(op, arith_cmp_lhs);
  LLVMValueRef a = ll_arg(e, op, arith_cmp_lhs), b = ll_arg(e, op, arith_cmp_rhs);
  LLVMValueRef value = pm_is_float(lhs->type)
                           ? ll_float(e, LLVMBuildFCmp(e->builder, floats[pred], a, b, ""))
                           : LLVMBuildICmp(e->builder, ints[pred][is_unsigned(lhs)], a, b, "");
  ll_set(e, pm_res(op, 0), value);
}

void ll_emit_selection(ll_emitter *e, const pm_op *op) {
  LLVMValueRef value = LLVMBuildSelect(e->builder, ll_arg(e, op, arith_select_condition),
                                       ll_arg(e, op, arith_select_a), ll_arg(e, op, arith_select_b), "");
  ll_set(e, pm_res(op, 0), pm_is_float(pm_res(op, 0)->type) ? ll_float(e, value) : value);
}
