/* Functions of floats: instructions where the processor has them, else the C library's, so that the bits are
 * those of C and of the interpreters. Outside of strict floating point, loops may call the library's
 * functions on vectors (libmvec, errors below 4 units in the last place). */
#include "dialects/math/math.h"
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

static LLVMValueRef declare(ll_emitter *e, const char *name, LLVMTypeRef type) {
  LLVMValueRef function = LLVMGetNamedFunction(e->module, name);
  if (function) return function;
  function = ll_external(e, name, type);
  LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                          ll_attribute(e, "willreturn", 0));
  LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                          ll_attribute(e, "memory", 0));
  return function;
}

/* A variant that libmvec has: `isa` is the letter of the vector function ABI of x86-64. */
typedef struct vector_variant {
  char isa;
  unsigned bits;
} vector_variant;

static const vector_variant variants[] = {{'b', 128}, {'d', 256}, {'e', 512}};

/* `_ZGVdN8v_expf`, declared, and added to `list`. */
static void add_variant(ll_emitter *e, const pm_op *op, const vector_variant *variant, const char *scalar,
                        pm_buf *list) {
  LLVMTypeRef type = ll_scalar_type(e, ll_scalar_of(pm_res(op, 0)));
  unsigned lanes = variant->bits / ll_info_of(pm_res(op, 0))->bits;
  pm_buf name = {0};
  pm_buf_printf(&name, "_ZGV%cN%uv%s_%s", variant->isa, lanes, op->n_operands == 2 ? "v" : "", scalar);
  (void)declare(e, name.data, function_type(op, LLVMVectorType(type, lanes)));
  pm_buf_printf(list, "%s%s", list->len ? "," : "", name.data);
  pm_buf_free(&name);
}

/* Lets the loop vectorizer call the variants. */
static void allow_variants(ll_emitter *e, const pm_op *op, const char *scalar, LLVMValueRef call) {
  static const char key[] = "vector-function-abi-variant";
  pm_buf list = {0};
  for (size_t i = 0; i < PM_COUNT(variants); i++) add_variant(e, op, &variants[i], scalar, &list);
  LLVMAddCallSiteAttribute(
      call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
      LLVMCreateStringAttribute(e->ctx, key, sizeof key - 1, list.data, (unsigned)list.len));
  pm_buf_free(&list);
}

/* Strict: the library's own bits, also for what LLVM could compute or simplify itself. */
static LLVMValueRef call_library(ll_emitter *e, const pm_op *op, LLVMValueRef *args) {
  LLVMTypeRef type = ll_scalar_type(e, ll_scalar_of(pm_res(op, 0)));
  pm_buf name = {0};
  pm_buf_printf(&name, "%s%s", word_of(op), type == e->f32 ? "f" : "");
  LLVMValueRef call = ll_call(e, declare(e, name.data, function_type(op, type)), args, op->n_operands);
  if (e->strict)
    LLVMAddCallSiteAttribute(call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                             ll_attribute(e, "nobuiltin", 0));
  else
    allow_variants(e, op, name.data, call);
  pm_buf_free(&name);
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
