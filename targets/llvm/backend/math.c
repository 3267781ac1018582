/* Functions of floats: instructions where the processor has them, else the C library's, so that the bits are
 * those of C and of the interpreters. Outside of strict floating point, loops may call the library's
 * functions on vectors (libmvec, errors below 4 units in the last place). */
#include "dialects/math/math.h"
#include "targets/llvm/backend/backend.h"
#include "targets/llvm/backend/emit.h"

#include <string.h>

/* `sqrt` of `math.sqrt` */
static const char *word_of(const pm_op *op) {
  return strchr(op->desc->name, '.') + 1;
}

void ll_emit_intrinsic(ll_emitter *e, const pm_op *op) {
  LLVMValueRef args[3];
  pm_buf name = {0};
  for (unsigned i = 0; i < op->n_operands; i++) args[i] = ll_arg(e, op, i);
  pm_buf_printf(&name, "llvm.%s%s", pm_is(op, &math_abs) ? "f" : "", word_of(op));
  LLVMValueRef value = ll_intrinsic(e, name.data, ll_type(e, pm_res(op, 0)->type), args, op->n_operands);
  ll_set(e, pm_res(op, 0), ll_float(e, value));
  pm_buf_free(&name);
}

/* --- the C library --- */

static LLVMTypeRef function_type(const pm_op *op, LLVMTypeRef type) {
  LLVMTypeRef parameters[] = {type, type};
  return LLVMFunctionType(type, parameters, op->n_operands, false);
}

static void add_string(const ll_emitter *e, LLVMValueRef function, const char *key) {
  LLVMAttributeRef attribute = LLVMCreateStringAttribute(e->ctx, key, (unsigned)strlen(key), "", 0);
  LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, attribute);
}

static LLVMValueRef declare(ll_emitter *e, const char *name, LLVMTypeRef type) {
  static const char *const words[] = {"willreturn", "memory"};
  LLVMValueRef function = LLVMGetNamedFunction(e->module, name);
  if (function) return function;
  function = ll_external(e, name, type);
  for (size_t i = 0; i < PM_COUNT(words); i++)
    LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            ll_attribute(e, words[i], 0));
  add_string(e, function, LL_LIBRARY);
  return function;
}

/* Calls that are not strict may be of the library's functions on vectors. */
static LLVMValueRef call_library(ll_emitter *e, const pm_op *op, LLVMValueRef *args) {
  LLVMTypeRef type = ll_scalar_type(e, ll_scalar_of(pm_res(op, 0)));
  pm_buf name = {0};
  pm_buf_printf(&name, "%s%s", word_of(op), type == e->f32 ? "f" : "");
  LLVMValueRef call = ll_call(e, declare(e, name.data, function_type(op, type)), args, op->n_operands);
  pm_buf_free(&name);
  LLVMAttributeIndex place = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
  LLVMAddCallSiteAttribute(call, place, ll_attribute(e, "nobuiltin", 0));
  if (!e->strict)
    LLVMAddCallSiteAttribute(
        call, place, LLVMCreateStringAttribute(e->ctx, LL_VARIANTS, (unsigned)strlen(LL_VARIANTS), "", 0));
  return ll_float(e, call);
}

static LLVMValueRef call_by_lanes(ll_emitter *e, const pm_op *op) {
  const pm_value *v = pm_res(op, 0);
  LLVMValueRef result = LLVMGetPoison(ll_type(e, v->type));
  for (uint32_t lane = 0; lane < v->type->lanes; lane++) {
    LLVMValueRef number = ll_int(e->i32, lane), args[2];
    for (unsigned i = 0; i < op->n_operands; i++)
      args[i] = LLVMBuildExtractElement(e->builder, ll_arg(e, op, i), number, "");
    result = LLVMBuildInsertElement(e->builder, result, call_library(e, op, args), number, "");
  }
  return result;
}

void ll_emit_library_call(ll_emitter *e, const pm_op *op) {
  LLVMValueRef args[2];
  if (ll_is_vector(pm_res(op, 0))) {
    ll_set(e, pm_res(op, 0), call_by_lanes(e, op));
    return;
  }
  for (unsigned i = 0; i < op->n_operands; i++) args[i] = ll_arg(e, op, i);
  ll_set(e, pm_res(op, 0), call_library(e, op, args));
}
