/* Functions of the C library under other names, while passes run, and their variants on vectors. */
#include "targets/llvm/backend/backend.h"

#include <llvm-c/Core.h>
#include <stdlib.h>
#include <string.h>

static const char hidden[] = "pm.";

static const LLVMAttributeIndex of_function = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;

static bool is_of_library(LLVMValueRef function) {
  return LLVMGetStringAttributeAtIndex(function, of_function, LL_LIBRARY, (unsigned)strlen(LL_LIBRARY)) !=
         NULL;
}

/* --- vectors that the machine has --- */

/* Assembly of a sum of vectors of 512 bits: what registers it has tells more than names of processors. */
static LLVMMemoryBufferRef make_probe(const ll_program *p) {
  LLVMModuleRef module = LLVMModuleCreateWithNameInContext("probe", p->ctx);
  LLVMTypeRef vector = LLVMVectorType(LLVMInt32TypeInContext(p->ctx), 16);
  LLVMValueRef f = LLVMAddFunction(module, "f", LLVMFunctionType(vector, &vector, 1, false));
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(p->ctx);
  LLVMMemoryBufferRef text = NULL;
  pm_buf error = {0};
  LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(p->ctx, f, "entry"));
  LLVMBuildRet(builder, LLVMBuildAdd(builder, LLVMGetParam(f, 0), LLVMGetParam(f, 0), ""));
  LLVMDisposeBuilder(builder);
  ll_set_machine(module, p->machine);
  ll_program probe = {.ctx = p->ctx, .module = module, .machine = p->machine};
  text = ll_generate(&probe, LLVMAssemblyFile, &error);
  LLVMDisposeModule(module);
  pm_buf_free(&error);
  return text;
}

/* 512, 256 with integers, or 128 on x86-64; 0 where libmvec has nothing. */
static unsigned vector_bits(const ll_program *p) {
  const char *triple = LLVMGetTarget(p->module);
  if (strncmp(triple, "x86_64", 6) != 0 || !strstr(triple, "linux-gnu")) return 0;
  LLVMMemoryBufferRef text = make_probe(p);
  if (!text) return 0;
  const char *words = LLVMGetBufferStart(text);
  unsigned bits = strstr(words, "zmm") ? 512 : strstr(words, "ymm") ? 256 : 128;
  LLVMDisposeMemoryBuffer(text);
  return bits;
}

/* --- variants --- */

/* By the vector function ABI of x86-64. */
static const struct variant {
  char isa;
  unsigned bits;
} variants[] = {{'b', 128}, {'d', 256}, {'e', 512}};

/* What LLVM knows of the one on scalars. */
static void copy_attributes(LLVMValueRef from, LLVMValueRef to) {
  static const char *const words[] = {"nounwind", "willreturn", "memory"};
  for (size_t i = 0; i < PM_COUNT(words); i++) {
    unsigned kind = LLVMGetEnumAttributeKindForName(words[i], strlen(words[i]));
    LLVMAddAttributeAtIndex(to, of_function, LLVMGetEnumAttributeAtIndex(from, of_function, kind));
  }
}

/* `_ZGVdN8v_expf`, which is declared. */
static void put_variant(const ll_program *p, LLVMValueRef function, const struct variant *v, const char *name,
                        pm_buf *list) {
  LLVMTypeRef scalar = LLVMGetReturnType(LLVMGlobalGetValueType(function));
  unsigned lanes = v->bits / (LLVMGetTypeKind(scalar) == LLVMFloatTypeKind ? 32 : 64);
  LLVMTypeRef vector = LLVMVectorType(scalar, lanes), types[] = {vector, vector};
  unsigned n = LLVMCountParams(function);
  pm_buf symbol = {0};
  pm_buf_printf(&symbol, "_ZGV%cN%uv%s_%s", v->isa, lanes, n == 2 ? "v" : "", name);
  if (!LLVMGetNamedFunction(p->module, symbol.data))
    copy_attributes(function,
                    LLVMAddFunction(p->module, symbol.data, LLVMFunctionType(vector, types, n, false)));
  pm_buf_printf(list, "%s_ZGV%cN%uv%s_%s%s(%s)", list->len ? "," : "", v->isa, lanes, n == 2 ? "v" : "",
                hidden, name, symbol.data);
  pm_buf_free(&symbol);
}

/* What the loop vectorizer reads at a call. */
static LLVMAttributeRef variants_of(const ll_program *p, LLVMValueRef function, const char *name,
                                    unsigned bits) {
  static const char key[] = "vector-function-abi-variant";
  pm_buf list = {0};
  for (size_t i = 0; i < PM_COUNT(variants); i++)
    if (variants[i].bits <= bits) put_variant(p, function, &variants[i], name, &list);
  LLVMAttributeRef made =
      LLVMCreateStringAttribute(p->ctx, key, sizeof key - 1, list.data ? list.data : "", (unsigned)list.len);
  pm_buf_free(&list);
  return made;
}

/* --- calls --- */

/* libmvec has them all since glibc 2.35. */
static bool has_variants(const char *name) {
  static const char *const words[] = {"exp",  "log",  "sin",  "cos",   "tan",   "asin",  "acos",  "atan",
                                      "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "atan2", "pow"};
  for (size_t i = 0; i < PM_COUNT(words); i++) {
    size_t len = strlen(words[i]);
    if (!strncmp(name, words[i], len) && (!name[len] || !strcmp(name + len, "f"))) return true;
  }
  return false;
}

static bool may_vary(LLVMValueRef call) {
  return LLVMGetCallSiteStringAttribute(call, of_function, LL_VARIANTS, (unsigned)strlen(LL_VARIANTS)) !=
         NULL;
}

static bool has_varying_calls(LLVMValueRef function) {
  for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use))
    if (LLVMIsACallInst(LLVMGetUser(use)) && may_vary(LLVMGetUser(use))) return true;
  return false;
}

static void change_calls(const ll_program *p, LLVMValueRef function, const char *name, unsigned bits) {
  static const char word[] = "nobuiltin";
  unsigned kind = LLVMGetEnumAttributeKindForName(word, sizeof word - 1);
  bool varies = bits && has_variants(name) && has_varying_calls(function);
  LLVMAttributeRef vary = varies ? variants_of(p, function, name, bits) : NULL;
  for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef call = LLVMGetUser(use);
    if (!LLVMIsACallInst(call)) continue;
    LLVMRemoveCallSiteEnumAttribute(call, of_function, kind);
    if (vary && may_vary(call)) LLVMAddCallSiteAttribute(call, of_function, vary);
  }
}

static bool needs_variants(LLVMModuleRef module) {
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    if (is_of_library(f) && has_varying_calls(f)) return true;
  return false;
}

void ll_hide_library(ll_program *p) {
  unsigned bits = needs_variants(p->module) ? vector_bits(p) : 0;
  for (LLVMValueRef f = LLVMGetFirstFunction(p->module); f; f = LLVMGetNextFunction(f)) {
    size_t len;
    if (!is_of_library(f)) continue;
    char *name = pm_xstrdup(LLVMGetValueName2(f, &len));
    pm_buf other = {0};
    pm_buf_printf(&other, "%s%s", hidden, name);
    LLVMSetValueName2(f, other.data, other.len);
    change_calls(p, f, name, bits);
    pm_buf_free(&other);
    free(name);
  }
}

void ll_show_library(LLVMModuleRef module) {
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
    size_t len;
    if (!is_of_library(f)) continue;
    char *name = pm_xstrdup(LLVMGetValueName2(f, &len) + strlen(hidden));
    LLVMSetValueName2(f, name, strlen(name));
    free(name);
  }
}
