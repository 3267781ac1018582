/* The target null: prints the name of every op, one a line, indented by depth. It is the skeleton of a
 * target: docs/add-a-target.md walks through it. */
#include "dialects/arith/arith.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/loop.h"
#include "dialects/math/math.h"
#include "ir/builtin.h"
#include "targets/target.h"

/* How deep the op stands below the module. */
static unsigned depth_of(const pm_op *op) {
  unsigned depth = 0;
  for (const pm_op *up = pm_parent(op); up; up = pm_parent(up)) depth++;
  return depth;
}

static pm_walk print_op(void *user, pm_op *op) {
  pm_buf *out = user;
  pm_buf_printf(out, "%*s%s\n", (int)(2 * depth_of(op)), "", op->desc->name);
  return PM_WALK_ON;
}

static bool null_emit(pm_module *module, const char *header_name, pm_target_output *out) {
  (void)header_name;
  (void)pm_walk_pre(pm_module_op(module), print_op, &out->source);
  return true;
}

static const pm_op_desc *const accepted[] = {
    &builtin_module, &loop_func,      &loop_param,      &loop_call,       &buf_argument,
    &loop_require,   &loop_for,       &loop_parallel,   &loop_if,         &loop_yield,
    &buf_input,      &buf_output,     &buf_alloc,       &buf_load,        &buf_store,
    &buf_prefetch,   &arith_constant, &arith_addi,      &arith_subi,      &arith_muli,
    &arith_divi,     &arith_remi,     &arith_trunc_div, &arith_trunc_rem, &arith_mini,
    &arith_maxi,     &arith_andi,     &arith_ori,       &arith_xori,      &arith_shli,
    &arith_shri,     &arith_addf,     &arith_subf,      &arith_mulf,      &arith_divf,
    &arith_negf,     &arith_minf,     &arith_maxf,      &arith_cmp,       &arith_select,
    &arith_cast,     &arith_sat_cast, &math_sqrt,       &math_exp,        &math_log,
    &math_sin,       &math_cos,       &math_tan,        &math_abs,        &math_floor,
    &math_ceil,      &math_round,     &math_pow,        &math_fma,        NULL};

const pm_target null_target = {
    .name = "null",
    .extension = "txt",
    .doc = "the names of the ops: the skeleton to copy",
    .lowering = "",
    .ops = accepted,
    .emit = null_emit,
};
