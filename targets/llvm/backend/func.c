/* Functions by the ABI of docs/design.md: f, f_ws and f_release where a workspace is, f_strerror, functions
 * that give a number, and private ones. */
#include "dialects/loop/analyses/frames.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/call.h"
#include "dialects/loop/loop.h"
#include "targets/abi/abi.h"
#include "targets/llvm/backend/emit.h"

#include <stdlib.h>
#include <string.h>

/* --- signatures --- */

typedef PM_VEC(const pm_op *) argument_list;

/* In the order of the call: scalars, inputs, outputs. */
static argument_list arguments_of(const pm_op *func) {
  argument_list list = {0};
  ABI_FOR_ARGUMENTS(op, func)
  PM_VEC_PUSH(list, op);
  return list;
}

/* With workspace and its bytes ahead. */
static LLVMTypeRef signature_of(const ll_emitter *e, const pm_op *func, bool with_workspace) {
  argument_list list = arguments_of(func);
  PM_VEC(LLVMTypeRef) types = {0};
  LLVMTypeRef result = loop_result_of(func) ? ll_cell_type(e, loop_result_of(func)) : e->i32;
  if (with_workspace) {
    PM_VEC_PUSH(types, e->pointer);
    PM_VEC_PUSH(types, e->i64);
  }
  for (size_t i = 0; i < list.len; i++) PM_VEC_PUSH(types, ll_cell_type(e, pm_res(list.data[i], 0)->type));
  LLVMTypeRef type = LLVMFunctionType(result, types.data, (unsigned)types.len, false);
  PM_VEC_FREE(list);
  PM_VEC_FREE(types);
  return type;
}

static void mark_arguments(ll_emitter *e, LLVMValueRef function, const pm_op *func, unsigned first) {
  argument_list list = arguments_of(func);
  for (size_t i = 0; i < list.len; i++) {
    const pm_value *v = pm_res(list.data[i], 0);
    LLVMValueRef argument = LLVMGetParam(function, first + (unsigned)i);
    pm_string sym = pm_attr_at(list.data[i], 0)->s;
    LLVMSetValueName2(argument, sym->text, sym->len);
    if (!pm_is_memref(v->type)) continue;
    LLVMAttributeIndex place = first + (unsigned)i + 1;
    LLVMAddAttributeAtIndex(function, place, ll_attribute(e, "noalias", 0));
    if (buf_is_read_only(list.data[i]))
      LLVMAddAttributeAtIndex(function, place, ll_attribute(e, "readonly", 0));
  }
  PM_VEC_FREE(list);
}

void ll_mark_function(ll_emitter *e, LLVMValueRef function) {
  static const char *const names[] = {"nounwind", "mustprogress"};
  for (size_t i = 0; i < PM_COUNT(names); i++)
    LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            ll_attribute(e, names[i], 0));
}

/* `f`, `f_ws` … */
static LLVMValueRef find(const ll_emitter *e, const pm_op *func, const char *end) {
  pm_buf name = {0};
  pm_buf_printf(&name, "%s%s", abi_symbol_of(func), end);
  LLVMValueRef function = LLVMGetNamedFunction(e->module, name.data);
  pm_buf_free(&name);
  return function;
}

static LLVMValueRef add(ll_emitter *e, const pm_op *func, const char *end, LLVMTypeRef type) {
  pm_buf name = {0};
  pm_buf_printf(&name, "%s%s", abi_symbol_of(func), end);
  LLVMValueRef function = LLVMAddFunction(e->module, name.data, type);
  pm_buf_free(&name);
  ll_mark_function(e, function);
  if (loop_is_private(func)) LLVMSetLinkage(function, LLVMInternalLinkage);
  return function;
}

/* The function that has the body. */
static const char *end_of_body(const pm_op *func) {
  return abi_workspace_of(func) ? "_ws" : "";
}

void ll_declare_function(ll_emitter *e, const pm_op *func) {
  bool with_workspace = abi_workspace_of(func) != NULL;
  LLVMValueRef function = add(e, func, end_of_body(func), signature_of(e, func, with_workspace));
  mark_arguments(e, function, func, with_workspace ? 2 : 0);
  if (with_workspace) {
    LLVMTypeRef blocks = LLVMArrayType2(e->pointer, 8);
    pm_buf name = {0};
    pm_buf_printf(&name, "%s_kept", abi_symbol_of(func));
    LLVMValueRef kept = LLVMAddGlobal(e->module, blocks, name.data);
    LLVMSetInitializer(kept, LLVMConstNull(blocks));
    LLVMSetLinkage(kept, LLVMInternalLinkage);
    pm_buf_free(&name);
  }
}

/* --- bodies --- */

void ll_begin_body(ll_emitter *e, LLVMValueRef function) {
  e->body = (ll_body){.function = function, .values = pm_map_new()};
  e->body.entry = ll_new_block(e, "entry");
  ll_begin_block(e, ll_new_block(e, "begin"));
  ll_debug_function(e, function);
}

void ll_end_body(ll_emitter *e, LLVMBasicBlockRef first) {
  LLVMPositionBuilderAtEnd(e->builder, e->body.entry);
  LLVMBuildBr(e->builder, first);
  pm_map_free(e->body.values);
}

static void set_arguments(ll_emitter *e, const pm_op *func, unsigned first) {
  argument_list list = arguments_of(func);
  for (size_t i = 0; i < list.len; i++) {
    const pm_value *v = pm_res(list.data[i], 0);
    ll_set(e, v, ll_from_cell(e, LLVMGetParam(e->body.function, first + (unsigned)i), v->type));
  }
  PM_VEC_FREE(list);
}

static void emit_status_body(ll_emitter *e, const pm_op *func) {
  const pm_region *body = pm_region_at(func, loop_func_body);
  LLVMValueRef status = ll_alloca(e, e->i32, 0, "status");
  LLVMBuildStore(e->builder, ll_int(e->i32, 0), status);
  ll_frame_begin(e, body, status, false);
  ll_emit_region(e, body);
  ll_frame_end(e);
  LLVMBuildRet(e->builder, LLVMBuildLoad2(e->builder, e->i32, status, ""));
}

static void emit_result_body(ll_emitter *e, const pm_op *func) {
  const pm_region *body = pm_region_at(func, loop_func_body);
  ll_emit_region(e, body);
  LLVMBuildRet(e->builder, ll_to_cell(e, pm_arg(pm_terminator(body), 0)));
}

static void emit_body(ll_emitter *e, const pm_op *func) {
  LLVMValueRef function = find(e, func, end_of_body(func));
  ll_begin_body(e, function);
  LLVMBasicBlockRef first = LLVMGetInsertBlock(e->builder);
  set_arguments(e, func, abi_workspace_of(func) ? 2 : 0);
  if (loop_result_of(func))
    emit_result_body(e, func);
  else
    emit_status_body(e, func);
  ll_end_body(e, first);
}

/* --- what callers find beside it --- */

/* f is f_ws without memory of the caller. */
static void emit_plain(ll_emitter *e, const pm_op *func) {
  LLVMValueRef inner = find(e, func, "_ws"), outer = add(e, func, "", signature_of(e, func, false));
  PM_VEC(LLVMValueRef) args = {0};
  mark_arguments(e, outer, func, 0);
  LLVMAddAttributeAtIndex(inner, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                          ll_attribute(e, "noinline", 0));
  ll_begin_block(e, LLVMAppendBasicBlockInContext(e->ctx, outer, "entry"));
  PM_VEC_PUSH(args, LLVMConstNull(e->pointer));
  PM_VEC_PUSH(args, ll_i64(e, 0));
  for (unsigned i = 0; i < LLVMCountParams(outer); i++) PM_VEC_PUSH(args, LLVMGetParam(outer, i));
  LLVMBuildRet(e->builder, ll_call(e, inner, args.data, (unsigned)args.len));
  PM_VEC_FREE(args);
}

/* The linker, or the hook that unloads, calls it at the end: llvm.global_dtors has it. */
static void emit_release(ll_emitter *e, const pm_op *func) {
  LLVMValueRef release = add(e, func, "_release", LLVMFunctionType(e->nothing, NULL, 0, false));
  pm_buf name = {0};
  pm_buf_printf(&name, "%s_kept", abi_symbol_of(func));
  LLVMValueRef kept = LLVMGetNamedGlobal(e->module, name.data);
  pm_buf_free(&name);
  ll_begin_block(e, LLVMAppendBasicBlockInContext(e->ctx, release, "entry"));
  (void)ll_call(e, LLVMGetNamedFunction(e->module, "pm.release"), &kept, 1);
  LLVMBuildRetVoid(e->builder);
  PM_VEC_PUSH(e->releases, release);
}

static LLVMValueRef text_of(ll_emitter *e, const char *text) {
  return LLVMBuildGlobalStringPtr(e->builder, text, "text");
}

static void add_case(ll_emitter *e, LLVMValueRef function, LLVMValueRef choice, int64_t code,
                     const char *text) {
  LLVMBasicBlockRef block = LLVMAppendBasicBlockInContext(e->ctx, function, "case");
  LLVMAddCase(choice, ll_int(e->i32, code), block);
  ll_begin_block(e, block);
  LLVMBuildRet(e->builder, text_of(e, text));
}

static void add_requires(ll_emitter *e, const pm_op *func, LLVMValueRef function, LLVMValueRef choice) {
  PM_FOR_OPS(op, pm_region_at(func, loop_func_body)) {
    const char *text = pm_is(op, &loop_require) ? abi_require_text(op) : NULL;
    if (text) add_case(e, function, choice, pm_int_at(op, loop_require_code), text);
  }
}

static void emit_strerror(ll_emitter *e, const pm_op *func) {
  LLVMValueRef function = add(e, func, "_strerror", LLVMFunctionType(e->pointer, &e->i32, 1, false));
  LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(e->ctx, function, "entry"),
                    other = LLVMAppendBasicBlockInContext(e->ctx, function, "other");
  ll_begin_block(e, entry);
  LLVMValueRef choice = LLVMBuildSwitch(e->builder, LLVMGetParam(function, 0), other, LOOP_FIRST_REQUIRE);
  ll_begin_block(e, other);
  LLVMBuildRet(e->builder, text_of(e, "unknown error"));
  add_case(e, function, choice, 0, "no error");
  for (int code = 1; code < LOOP_FIRST_REQUIRE; code++)
    if (loop_may_give(func, code)) add_case(e, function, choice, code, loop_code_text(code));
  add_requires(e, func, function, choice);
}

static void set_rules(ll_emitter *e, const pm_op *func) {
  pm_string fp = pm_sym_at(func, loop_func_fp);
  e->strict = fp && !strcmp(fp->text, "strict");
  bool fast = fp && !strcmp(fp->text, "fast");
  e->fast_math = e->strict ? LLVMFastMathNone : fast ? LLVMFastMathAll : LLVMFastMathAllowContract;
}

void ll_emit_function(ll_emitter *e, const pm_op *func) {
  e->func = func;
  e->name = abi_symbol_of(func);
  e->outlined = 0;
  e->ranges = loop_find_called_ranges(func, NULL, 0);
  set_rules(e, func);
  ll_begin_aliases(e);
  emit_body(e, func);
  ll_debug_nothing(e);
  ll_end_aliases(e);
  loop_ranges_free(e->ranges);
  if (loop_is_private(func) || loop_result_of(func)) return;
  emit_strerror(e, func);
  if (!abi_workspace_of(func)) return;
  emit_plain(e, func);
  emit_release(e, func);
}

/* --- calls --- */

/* In the order of the parameters: scalars first. */
void ll_emit_call(ll_emitter *e, const pm_op *call) {
  PM_VEC(LLVMValueRef) args = {0};
  LLVMValueRef callee = find(e, loop_find_callee(call), "");
  for (int arrays = 0; arrays <= 1; arrays++)
    for (unsigned i = 0; i < call->n_operands; i++)
      if (pm_is_memref(pm_arg(call, i)->type) == (arrays == 1))
        PM_VEC_PUSH(args, ll_to_cell(e, pm_arg(call, i)));
  LLVMValueRef code = ll_call(e, callee, args.data, (unsigned)args.len);
  PM_VEC_FREE(args);
  if (loop_may_fail(call))
    ll_check(e, LLVMBuildICmp(e->builder, LLVMIntEQ, code, ll_int(e->i32, 0), ""), code);
}
