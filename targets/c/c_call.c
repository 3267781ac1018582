/* Private functions: which of them are emitted, their declarations, and calls. */
#include "dialects/loop/analyses/frames.h"
#include "dialects/loop/call.h"
#include "dialects/loop/loop.h"
#include "targets/c/c_emit.h"

/* Adds the functions that the op calls, at any depth, to the set. */
static pm_walk add_called(void *called, pm_op *op) {
  pm_op *callee = pm_is(op, &loop_call) ? loop_find_callee(op) : NULL;
  if (!callee || pm_map_has(called, callee)) return PM_WALK_ON;
  pm_map_set(called, callee, callee);
  return pm_walk_pre(callee, add_called, called);
}

void c_find_called(c_emitter *e) {
  PM_FOR_OPS(op, pm_module_body(abi_program_of(e)->module))
  if (pm_is(op, &loop_func) && !loop_is_private(op))
    (void)pm_walk_pre(op, add_called, c_program_of(e)->called);
}

bool c_is_emitted(c_emitter *e, const pm_op *func) {
  return pm_is(func, &loop_func) && (!loop_is_private(func) || pm_map_has(c_program_of(e)->called, func));
}

/* No variable hides a function. */
static void reserve_names(c_emitter *e) {
  PM_FOR_OPS(func, pm_module_body(abi_program_of(e)->module))
  if (c_is_emitted(e, func) && loop_is_private(func))
    (void)c_new_name(&e->names, pm_str_of(abi_func_name(e, func)));
}

void c_declare_private(c_emitter *e) {
  bool any = false;
  reserve_names(e);
  PM_FOR_OPS(func, pm_module_body(abi_program_of(e)->module)) {
    if (!c_is_emitted(e, func) || !loop_is_private(func)) continue;
    size_t scope = c_open_scope(&e->names);
    abi_name_arguments(e, func);
    c_begin(e);
    c_put(e, "static int %s", abi_func_name(e, func));
    abi_parameters(e, func, ABI_DECLARED);
    c_put(e, ";");
    c_end(e);
    c_close_scope(&e->names, scope);
    any = true;
  }
  if (any) c_put(e, "\n");
}

/* In the order of the parameters: scalars first. */
static void put_arguments(c_emitter *e, const pm_op *call) {
  unsigned n = 0;
  for (int arrays = 0; arrays <= 1; arrays++)
    for (unsigned i = 0; i < call->n_operands; i++) {
      if (pm_is_memref(pm_arg(call, i)->type) != (arrays == 1)) continue;
      if (n++) c_put(e, ", ");
      c_expr(e, pm_arg(call, i), C_TERNARY);
    }
}

static void put_call(c_emitter *e, const pm_op *call) {
  c_put(e, "%s(", abi_func_name(e, loop_find_callee(call)));
  put_arguments(e, call);
  c_put(e, ");");
}

void c_emit_call(c_emitter *e, const pm_op *call) {
  if (!loop_may_fail(call)) {
    c_begin(e);
    c_put(e, "(void)");
    put_call(e, call);
    c_end(e);
    return;
  }
  size_t scope = c_open_scope(&e->names);
  const char *code = c_new_name(&e->names, PM_STR("failed"));
  c_line(e, "{");
  e->indent++;
  c_begin(e);
  c_put(e, "const int %s = ", code);
  put_call(e, call);
  c_end(e);
  c_begin(e);
  c_put(e, "if (%s != 0) ", code);
  c_fail(e, code);
  c_end(e);
  e->indent--;
  c_line(e, "}");
  c_close_scope(&e->names, scope);
}
