/* Types, constants, values, calls. */
#include "targets/llvm/backend/emit.h"

#include <stdlib.h>
#include <string.h>

/* --- types --- */

LLVMTypeRef ll_scalar_type(const ll_emitter *e, pm_scalar scalar) {
  const pm_scalar_info *info = pm_get_scalar_info(scalar);
  if (scalar == PM_F32) return e->f32;
  if (scalar == PM_F64) return e->f64;
  return LLVMIntTypeInContext(e->ctx, info->bits);
}

LLVMTypeRef ll_type_like(LLVMTypeRef scalar, pm_type like) {
  return like->cls == PM_TYPE_VECTOR ? LLVMVectorType(scalar, like->lanes) : scalar;
}

LLVMTypeRef ll_type(const ll_emitter *e, pm_type type) {
  if (type->cls == PM_TYPE_MEMREF) return e->pointer;
  return ll_type_like(ll_scalar_type(e, (pm_scalar)type->scalar), type);
}

LLVMTypeRef ll_cell_type(const ll_emitter *e, pm_type type) {
  if (type->cls == PM_TYPE_MEMREF) return e->pointer;
  return type->scalar == PM_I1 ? ll_type_like(e->i8, type) : ll_type(e, type);
}

/* --- constants --- */

static bool is_vector_type(LLVMTypeRef type) {
  return LLVMGetTypeKind(type) == LLVMVectorTypeKind;
}

static LLVMTypeRef lane_type(LLVMTypeRef type) {
  return is_vector_type(type) ? LLVMGetElementType(type) : type;
}

LLVMValueRef ll_splat_constant(LLVMTypeRef type, LLVMValueRef number) {
  PM_VEC(LLVMValueRef) lanes = {0};
  if (!is_vector_type(type)) return number;
  unsigned n = LLVMGetVectorSize(type);
  for (unsigned i = 0; i < n; i++) PM_VEC_PUSH(lanes, number);
  LLVMValueRef vector = LLVMConstVector(lanes.data, n);
  PM_VEC_FREE(lanes);
  return vector;
}

LLVMValueRef ll_int(LLVMTypeRef type, int64_t value) {
  return ll_splat_constant(type, LLVMConstInt(lane_type(type), (unsigned long long)value, true));
}

LLVMValueRef ll_real(LLVMTypeRef type, double value) {
  return ll_splat_constant(type, LLVMConstReal(lane_type(type), value));
}

LLVMValueRef ll_i64(const ll_emitter *e, int64_t value) {
  return ll_int(e->i64, value);
}

LLVMValueRef ll_number(const ll_emitter *e, pm_scalar scalar, pm_number number) {
  LLVMTypeRef type = ll_scalar_type(e, scalar);
  return pm_get_scalar_info(scalar)->is_float ? ll_real(type, number.f) : ll_int(type, number.i);
}

/* --- values --- */

static LLVMValueRef constant_of(const ll_emitter *e, pm_attr attr, pm_type type) {
  pm_number number = attr->cls == PM_ATTR_FLOAT ? (pm_number){.f = attr->f} : (pm_number){.i = attr->i};
  return ll_splat_constant(ll_type(e, type), ll_number(e, (pm_scalar)type->scalar, number));
}

LLVMValueRef ll_value(ll_emitter *e, const pm_value *v) {
  pm_attr constant = pm_constant_value(v);
  if (constant && constant->cls != PM_ATTR_DENSE) return constant_of(e, constant, v->type);
  LLVMValueRef value = pm_map_get(e->body.values, v);
  if (!value) pm_panic(pm_def(v), "has a value that is used before the target 'llvm' made it");
  return value;
}

LLVMValueRef ll_arg(ll_emitter *e, const pm_op *op, unsigned i) {
  return ll_value(e, pm_arg(op, i));
}

void ll_set(ll_emitter *e, const pm_value *v, LLVMValueRef value) {
  pm_map_set(e->body.values, v, value);
}

LLVMValueRef ll_float(const ll_emitter *e, LLVMValueRef value) {
  if (e->fast_math && LLVMIsAInstruction(value) && LLVMCanValueUseFastMathFlags(value))
    LLVMSetFastMathFlags(value, e->fast_math);
  return value;
}

LLVMValueRef ll_to_cell(ll_emitter *e, const pm_value *v) {
  LLVMValueRef value = ll_value(e, v);
  if (ll_scalar_of(v) != PM_I1 || pm_is_memref(v->type)) return value;
  return LLVMBuildZExt(e->builder, value, ll_cell_type(e, v->type), "");
}

LLVMValueRef ll_from_cell(ll_emitter *e, LLVMValueRef cell, pm_type type) {
  if (type->scalar != PM_I1 || pm_is_memref(type)) return cell;
  return LLVMBuildICmp(e->builder, LLVMIntNE, cell, ll_int(LLVMTypeOf(cell), 0), "");
}

/* --- functions --- */

LLVMAttributeRef ll_attribute(const ll_emitter *e, const char *name, uint64_t value) {
  return LLVMCreateEnumAttribute(e->ctx, LLVMGetEnumAttributeKindForName(name, strlen(name)), value);
}

LLVMValueRef ll_call(ll_emitter *e, LLVMValueRef function, LLVMValueRef *args, unsigned n) {
  return LLVMBuildCall2(e->builder, LLVMGlobalGetValueType(function), function, args, n, "");
}

LLVMValueRef ll_intrinsic_of(ll_emitter *e, const char *name, LLVMTypeRef *types, unsigned n_types,
                             LLVMValueRef *args, unsigned n) {
  unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
  return ll_call(e, LLVMGetIntrinsicDeclaration(e->module, id, types, n_types), args, n);
}

LLVMValueRef ll_intrinsic(ll_emitter *e, const char *name, LLVMTypeRef type, LLVMValueRef *args, unsigned n) {
  return ll_intrinsic_of(e, name, &type, 1, args, n);
}

LLVMValueRef ll_external(ll_emitter *e, const char *name, LLVMTypeRef type) {
  LLVMValueRef function = LLVMGetNamedFunction(e->module, name);
  if (function) return function;
  function = LLVMAddFunction(e->module, name, type);
  LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                          ll_attribute(e, "nounwind", 0));
  return function;
}

/* --- blocks --- */

LLVMBasicBlockRef ll_new_block(ll_emitter *e, const char *name) {
  return LLVMAppendBasicBlockInContext(e->ctx, e->body.function, name);
}

void ll_begin_block(ll_emitter *e, LLVMBasicBlockRef block) {
  LLVMPositionBuilderAtEnd(e->builder, block);
}

LLVMValueRef ll_alloca(ll_emitter *e, LLVMTypeRef type, unsigned align, const char *name) {
  LLVMBasicBlockRef here = LLVMGetInsertBlock(e->builder);
  LLVMPositionBuilderAtEnd(e->builder, e->body.entry);
  LLVMValueRef memory = LLVMBuildAlloca(e->builder, type, name);
  if (align) LLVMSetAlignment(memory, align);
  LLVMPositionBuilderAtEnd(e->builder, here);
  return memory;
}
