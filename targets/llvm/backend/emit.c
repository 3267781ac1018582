/* The hook that emits: checks, and the text of a module of LLVM's IR. */
#include "targets/llvm/backend/emit.h"

#include "dialects/arith/arith.h"
#include "dialects/loop/analyses/frames.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/call.h"
#include "dialects/loop/loop.h"
#include "dialects/loop/vec.h"
#include "dialects/math/math.h"
#include "ir/builtin.h"
#include "targets/abi/abi.h"
#include "targets/lib/checks.h"
#include "ir/fault.h"
#include "targets/llvm/backend/backend.h"

#include <llvm-c/Analysis.h>
#include <stdlib.h>

/* --- checks --- */

static bool has_type(pm_scalar scalar) {
  return scalar != PM_F16 && scalar != PM_BF16;
}

/* --- ops --- */

void ll_emit_nothing(ll_emitter *e, const pm_op *op) {
  (void)e;
  (void)op;
}

static const struct form {
  const pm_op_desc *op;
  void (*emit)(ll_emitter *e, const pm_op *op);
} forms[] = {
#define FORM(op, classes, emitter) {&op, ll_emit_##emitter},
#include "targets/llvm/forms.def"
};

void ll_emit_op(ll_emitter *e, const pm_op *op) {
  for (size_t i = 0; i < PM_COUNT(forms); i++)
    if (forms[i].op == op->desc) {
      ll_debug_op(e, op);
      forms[i].emit(e, op);
      return;
    }
  pm_panic(op, "has no form in the target 'llvm'");
}

void ll_emit_region(ll_emitter *e, const pm_region *region) {
  PM_FOR_OPS(op, region) ll_emit_op(e, op);
  ll_free_region(e, region);
}

/* --- the module --- */

static pm_walk count_group(void *user, pm_op *op) {
  unsigned *n = user;
  *n += ll_is_vector_loop(op);
  return PM_WALK_ON;
}

static void begin(ll_emitter *e, pm_module *module, bool pool) {
  unsigned groups = 0;
  e->pm = pm_module_context(module);
  e->arena = pm_arena_new();
  e->ctx = LLVMContextCreate();
  (void)pm_walk_pre(pm_module_op(module), count_group, &groups);
  e->i1 = LLVMInt1TypeInContext(e->ctx);
  e->i8 = LLVMInt8TypeInContext(e->ctx);
  e->i32 = LLVMInt32TypeInContext(e->ctx);
  e->i64 = LLVMInt64TypeInContext(e->ctx);
  e->f32 = LLVMFloatTypeInContext(e->ctx);
  e->f64 = LLVMDoubleTypeInContext(e->ctx);
  e->pointer = LLVMPointerTypeInContext(e->ctx, 0);
  e->nothing = LLVMVoidTypeInContext(e->ctx);
  e->builder = LLVMCreateBuilderInContext(e->ctx);
  e->pool = pool;
  ll_make_module(e, groups);
}

/* Also of what has just begun. */
static void end(void *user) {
  ll_emitter *e = user;
  free(e->groups);
  PM_VEC_FREE(e->inside);
  PM_VEC_FREE(e->releases);
  if (e->builder) LLVMDisposeBuilder(e->builder);
  if (e->module) LLVMDisposeModule(e->module);
  if (e->ctx) LLVMContextDispose(e->ctx);
  pm_arena_free(e->arena);
}

/* What runs when the program is unloaded: `llvm.global_dtors`. */
static void add_releases(ll_emitter *e) {
  LLVMTypeRef types[] = {e->i32, e->pointer, e->pointer},
              type = LLVMStructTypeInContext(e->ctx, types, 3, false);
  PM_VEC(LLVMValueRef) rows = {0};
  for (size_t i = 0; i < e->releases.len; i++) {
    enum { USUAL_PRIORITY = 65535 };
    LLVMValueRef fields[] = {ll_int(e->i32, USUAL_PRIORITY), e->releases.data[i], LLVMConstNull(e->pointer)};
    PM_VEC_PUSH(rows, LLVMConstStructInContext(e->ctx, fields, 3, false));
  }
  if (rows.len) {
    LLVMValueRef array = LLVMConstArray2(type, rows.data, rows.len);
    LLVMValueRef all = LLVMAddGlobal(e->module, LLVMTypeOf(array), "llvm.global_dtors");
    LLVMSetInitializer(all, array);
    LLVMSetLinkage(all, LLVMAppendingLinkage);
  }
  PM_VEC_FREE(rows);
}

static void emit_functions(ll_emitter *e, pm_module *module) {
  if (e->pool) PM_VEC_PUSH(e->releases, LLVMGetNamedFunction(e->module, "pm_end_threads"));
  PM_FOR_OPS(op, pm_module_body(module))
  if (pm_is(op, &loop_func)) ll_declare_function(e, op);
  PM_FOR_OPS(op, pm_module_body(module))
  if (pm_is(op, &loop_func)) ll_emit_function(e, op);
  add_releases(e);
}

/* What LLVM refuses is a mistake of ours. */
static void print_module(const ll_emitter *e, const pm_module *module, pm_buf *out) {
  char *message = NULL;
  if (LLVMVerifyModule(e->module, LLVMReturnStatusAction, &message))
    pm_panic(pm_module_op((pm_module *)module), "becomes LLVM IR that does not verify: %s", message);
  LLVMDisposeMessage(message);
  char *text = LLVMPrintModuleToString(e->module);
  pm_buf_puts(out, text);
  LLVMDisposeMessage(text);
}

bool ll_emit(pm_module *module, const char *header_name, pm_target_output *out) {
  ll_emitter e = {0};
  bool pool = pm_uses_pool(&llvm_target, module) && loop_has_threads(pm_module_op(module));
  if (!pm_check_emittable(module, "llvm", has_type) ||
      !abi_declare_functions(module, header_name, pool, out, NULL))
    return false;
  pm_cleanup ending;
  pm_cleanup_add(&ending, end, &e);
  begin(&e, module, pool);
  ll_begin_debug(&e);
  emit_functions(&e, module);
  ll_end_debug(&e);
  print_module(&e, module, &out->source);
  pm_cleanup_remove(&ending);
  end(&e);
  return true;
}

const llvm_backend pm_llvm_backend = {ll_emit, ll_compile, ll_enter_child};
