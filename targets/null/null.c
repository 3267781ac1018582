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

static const pm_target_form forms[] = {{&builtin_module, PM_FORM_SCALAR},  {&loop_func, PM_FORM_SCALAR},
                                       {&loop_param, PM_FORM_SCALAR},      {&loop_require, PM_FORM_SCALAR},
                                       {&loop_for, PM_FORM_SCALAR},        {&loop_parallel, PM_FORM_SCALAR},
                                       {&loop_if, PM_FORM_SCALAR},         {&loop_yield, PM_FORM_SCALAR},
                                       {&buf_input, PM_FORM_SCALAR},       {&buf_output, PM_FORM_SCALAR},
                                       {&buf_constant, PM_FORM_SCALAR},    {&buf_alloc, PM_FORM_SCALAR},
                                       {&buf_load, PM_FORM_SCALAR},        {&buf_store, PM_FORM_SCALAR},
                                       {&buf_prefetch, PM_FORM_SCALAR},    {&buf_fence, PM_FORM_SCALAR},
                                       {&arith_constant, PM_FORM_SCALAR},  {&arith_addi, PM_FORM_SCALAR},
                                       {&arith_subi, PM_FORM_SCALAR},      {&arith_muli, PM_FORM_SCALAR},
                                       {&arith_divi, PM_FORM_SCALAR},      {&arith_remi, PM_FORM_SCALAR},
                                       {&arith_trunc_div, PM_FORM_SCALAR}, {&arith_trunc_rem, PM_FORM_SCALAR},
                                       {&arith_mini, PM_FORM_SCALAR},      {&arith_maxi, PM_FORM_SCALAR},
                                       {&arith_andi, PM_FORM_SCALAR},      {&arith_ori, PM_FORM_SCALAR},
                                       {&arith_xori, PM_FORM_SCALAR},      {&arith_shli, PM_FORM_SCALAR},
                                       {&arith_shri, PM_FORM_SCALAR},      {&arith_addf, PM_FORM_SCALAR},
                                       {&arith_subf, PM_FORM_SCALAR},      {&arith_mulf, PM_FORM_SCALAR},
                                       {&arith_divf, PM_FORM_SCALAR},      {&arith_negf, PM_FORM_SCALAR},
                                       {&arith_minf, PM_FORM_SCALAR},      {&arith_maxf, PM_FORM_SCALAR},
                                       {&arith_cmp, PM_FORM_SCALAR},       {&arith_select, PM_FORM_SCALAR},
                                       {&arith_cast, PM_FORM_SCALAR},      {&arith_sat_cast, PM_FORM_SCALAR},
                                       {&arith_bitcast, PM_FORM_SCALAR},   {&math_sqrt, PM_FORM_SCALAR},
                                       {&math_exp, PM_FORM_SCALAR},        {&math_log, PM_FORM_SCALAR},
                                       {&math_sin, PM_FORM_SCALAR},        {&math_cos, PM_FORM_SCALAR},
                                       {&math_tan, PM_FORM_SCALAR},        {&math_asin, PM_FORM_SCALAR},
                                       {&math_acos, PM_FORM_SCALAR},       {&math_atan, PM_FORM_SCALAR},
                                       {&math_atan2, PM_FORM_SCALAR},      {&math_sinh, PM_FORM_SCALAR},
                                       {&math_cosh, PM_FORM_SCALAR},       {&math_tanh, PM_FORM_SCALAR},
                                       {&math_asinh, PM_FORM_SCALAR},      {&math_acosh, PM_FORM_SCALAR},
                                       {&math_atanh, PM_FORM_SCALAR},      {&math_abs, PM_FORM_SCALAR},
                                       {&math_floor, PM_FORM_SCALAR},      {&math_ceil, PM_FORM_SCALAR},
                                       {&math_round, PM_FORM_SCALAR},      {&math_trunc, PM_FORM_SCALAR},
                                       {&math_rint, PM_FORM_SCALAR},       {&math_pow, PM_FORM_SCALAR},
                                       {&math_fma, PM_FORM_SCALAR},        {&loop_call, PM_FORM_SCALAR},
                                       {&buf_argument, PM_FORM_SCALAR},    {NULL, 0}};

static const pm_target_file files[] = {{"txt", PM_FILE_SOURCE, false}, {NULL, PM_FILE_SOURCE, false}};

const pm_target null_target = {
    .name = "null",
    .doc = "the names of the ops: the skeleton to copy",
    .schedule = "schedule",
    .lower = "lower-poly,dispatch-versions,canonicalize,cse,dce",
    .has = PM_TARGET_HEAP | PM_TARGET_STACK | PM_TARGET_THREAD_MEMORY,
    .forms = forms,
    .files = files,
    .only_by_name = true,
    .emit = null_emit,
};
