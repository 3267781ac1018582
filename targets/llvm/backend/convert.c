/* Conversions. */
#include "dialects/arith/arith.h"
#include "targets/llvm/backend/emit.h"

#include <float.h>

/* A conversion of numbers of one shape. */
typedef struct conversion {
  ll_emitter *e;
  const pm_scalar_info *from, *to;
  LLVMTypeRef from_type, to_type;
  pm_type shape;
  LLVMValueRef value;
} conversion;

static conversion conversion_of(ll_emitter *e, const pm_op *op) {
  const pm_value *from = pm_arg(op, 0), *to = pm_res(op, 0);
  return (conversion){.e = e,
                      .from = ll_info_of(from),
                      .to = ll_info_of(to),
                      .from_type = ll_type(e, from->type),
                      .to_type = ll_type(e, to->type),
                      .shape = to->type,
                      .value = ll_arg(e, op, 0)};
}

static LLVMValueRef cast(const conversion *c, LLVMOpcode opcode) {
  return LLVMBuildCast(c->e->builder, opcode, c->value, c->to_type, "");
}

static LLVMTypeRef integers(const conversion *c, unsigned bits) {
  return ll_type_like(LLVMIntTypeInContext(c->e->ctx, bits), c->shape);
}

/* Through 32 bits where the type has fewer, as C does. LLVM's result out of range is poison: freeze makes it
 * some number. */
static LLVMValueRef float_to_int(const conversion *c) {
  LLVMBuilderRef builder = c->e->builder;
  bool narrow = c->to->bits < 32;
  LLVMTypeRef wide = narrow ? integers(c, 32) : c->to_type;
  LLVMOpcode opcode = narrow || c->to->is_signed ? LLVMFPToSI : LLVMFPToUI;
  LLVMValueRef number = LLVMBuildFreeze(builder, LLVMBuildCast(builder, opcode, c->value, wide, ""), "");
  return narrow ? LLVMBuildTrunc(builder, number, c->to_type, "") : number;
}

static LLVMValueRef to_bool(const conversion *c) {
  LLVMBuilderRef builder = c->e->builder;
  return c->from->is_float ? LLVMBuildFCmp(builder, LLVMRealUNE, c->value, ll_real(c->from_type, 0), "")
                           : LLVMBuildICmp(builder, LLVMIntNE, c->value, ll_int(c->from_type, 0), "");
}

static LLVMValueRef int_to_int(const conversion *c) {
  if (c->to->bits == c->from->bits) return c->value;
  return cast(c, c->to->bits < c->from->bits ? LLVMTrunc : c->from->is_signed ? LLVMSExt : LLVMZExt);
}

static LLVMValueRef convert(const conversion *c) {
  if (c->to->bits == 1) return c->from->bits == 1 ? c->value : to_bool(c);
  if (c->from->is_float && c->to->is_float) {
    if (c->from->bits == c->to->bits) return c->value;
    return cast(c, c->to->bits < c->from->bits ? LLVMFPTrunc : LLVMFPExt);
  }
  if (c->from->is_float) return float_to_int(c);
  if (c->to->is_float) return cast(c, c->from->is_signed ? LLVMSIToFP : LLVMUIToFP);
  return int_to_int(c);
}

void ll_emit_conversion(ll_emitter *e, const pm_op *op) {
  const conversion c = conversion_of(e, op);
  ll_set(e, pm_res(op, 0), convert(&c));
}

void ll_emit_bitcast(ll_emitter *e, const pm_op *op) {
  const conversion c = conversion_of(e, op);
  ll_set(e, pm_res(op, 0), cast(&c, LLVMBitCast));
}

/* --- saturation --- */

static int64_t least_of(const pm_scalar_info *info) {
  return info->is_signed ? -(INT64_C(1) << (info->bits - 2)) * 2 : 0;
}

/* Of types whose greatest number is an int64_t. */
static int64_t greatest_of(const pm_scalar_info *info) {
  unsigned bits = (unsigned)(info->bits - info->is_signed);
  return (int64_t)((UINT64_C(1) << bits) - 1);
}

static LLVMValueRef limit_int(const conversion *c, const char *signed_name, const char *unsigned_name,
                              LLVMValueRef value, int64_t limit) {
  LLVMValueRef args[] = {value, ll_int(c->from_type, limit)};
  return ll_intrinsic(c->e, c->from->is_signed ? signed_name : unsigned_name, c->from_type, args, 2);
}

/* The limits that lie inside the type of the operand, and a conversion that then loses nothing. */
static LLVMValueRef saturate_int(conversion c) {
  const pm_scalar_info *f = c.from, *t = c.to;
  if (t->bits == 1 && f->bits > 1)
    return LLVMBuildICmp(c.e->builder, f->is_signed ? LLVMIntSGT : LLVMIntNE, c.value, ll_int(c.from_type, 0),
                         "");
  if (f->is_signed && (!t->is_signed || t->bits < f->bits))
    c.value = limit_int(&c, "llvm.smax", "llvm.umax", c.value, least_of(t));
  if (f->bits - f->is_signed > t->bits - t->is_signed)
    c.value = limit_int(&c, "llvm.smin", "llvm.umin", c.value, greatest_of(t));
  return int_to_int(&c);
}

/* All numbers of the type are numbers of the float type. */
static bool holds_exactly(const pm_scalar_info *number, const pm_scalar_info *integer) {
  return integer->bits - integer->is_signed <= (number->bits == 64 ? DBL_MANT_DIG : FLT_MANT_DIG);
}

static LLVMValueRef limit_float(const conversion *c, LLVMRealPredicate pred, LLVMValueRef value,
                                int64_t limit) {
  LLVMValueRef bound = ll_real(c->from_type, (double)limit);
  return LLVMBuildSelect(c->e->builder, LLVMBuildFCmp(c->e->builder, pred, value, bound, ""), value, bound,
                         "");
}

/* Brought between the limits, which NaN leaves as the lower one, and converted: NaN gives 0. */
static LLVMValueRef saturate_by_limits(conversion c) {
  LLVMBuilderRef builder = c.e->builder;
  LLVMValueRef number = c.value;
  bool narrow = c.to->bits < 32;
  LLVMTypeRef wide = narrow ? integers(&c, 32) : c.to_type;
  number = limit_float(&c, LLVMRealOGT, number, least_of(c.to));
  number = limit_float(&c, LLVMRealOLT, number, greatest_of(c.to));
  number = LLVMBuildCast(builder, narrow || c.to->is_signed ? LLVMFPToSI : LLVMFPToUI, number, wide, "");
  if (c.to->is_signed) {
    LLVMValueRef exists = LLVMBuildFCmp(builder, LLVMRealORD, c.value, c.value, "");
    number = LLVMBuildSelect(builder, exists, number, ll_int(wide, 0), "");
  }
  return narrow ? LLVMBuildTrunc(builder, number, c.to_type, "") : number;
}

static LLVMValueRef saturate_float(const conversion *c) {
  if (c->to->bits == 1)
    return LLVMBuildFCmp(c->e->builder, LLVMRealOGE, c->value, ll_real(c->from_type, 1), "");
  if (holds_exactly(c->from, c->to)) return saturate_by_limits(*c);
  LLVMTypeRef types[] = {c->to_type, c->from_type};
  LLVMValueRef args[] = {c->value};
  return ll_intrinsic_of(c->e, c->to->is_signed ? "llvm.fptosi.sat" : "llvm.fptoui.sat", types, 2, args, 1);
}

void ll_emit_saturation(ll_emitter *e, const pm_op *op) {
  const conversion c = conversion_of(e, op);
  ll_set(e, pm_res(op, 0), c.from->is_float ? saturate_float(&c) : saturate_int(c));
}
