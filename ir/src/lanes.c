/* The way from ops and attributes to kernels. */
#include "ir/lanes.h"

enum { MAX_OPERANDS = 3 };

pm_kernel pm_find_kernel(const pm_op *op) {
  pm_kernel_hook hook = op->desc->kernel;
  return hook ? hook(op, (pm_scalar)pm_arg(op, 0)->type->scalar) : NULL;
}

pm_kernel pm_find_kernel_of(const pm_op_desc *desc, pm_scalar scalar) {
  bool one_type = desc->kernel && (desc->traits & PM_SAME_TYPE);
  return one_type ? desc->kernel(NULL, scalar) : NULL;
}

bool pm_eval_lanes(const pm_op *op, const pm_lane *const *args, pm_lane *out, size_t n) {
  pm_kernel kernel = pm_find_kernel(op);
  if (kernel) kernel(args, out, n);
  return kernel != NULL;
}

pm_lane pm_lane_of_number(pm_scalar scalar, pm_number number) {
  pm_lane lane = {.i = 0};
  if (!pm_get_scalar_info(scalar)->is_float)
    lane.i = number.i;
  else if (scalar == PM_F64)
    lane.d = number.f;
  else
    lane.f = (float)number.f;
  return lane;
}

pm_lane pm_lane_of_attr(pm_attr attr) {
  pm_number number = attr->cls == PM_ATTR_INT ? (pm_number){.i = attr->i} : (pm_number){.f = attr->f};
  return pm_lane_of_number((pm_scalar)attr->t->scalar, number);
}

pm_attr pm_attr_of_lane(pm_type type, pm_lane lane) {
  if (!pm_is_float(type)) return pm_get_int(type, lane.i);
  return pm_get_float(type, type->scalar == PM_F64 ? lane.d : (double)lane.f);
}

bool pm_fold_constants(pm_op *op, const pm_attr *operands, pm_fold_result *out) {
  pm_lane lanes[MAX_OPERANDS], result;
  const pm_lane *args[MAX_OPERANDS];
  if (op->n_operands > MAX_OPERANDS) return false;
  for (unsigned i = 0; i < op->n_operands; i++) {
    if (!operands[i]) return false;
    lanes[i] = pm_lane_of_attr(operands[i]);
    args[i] = &lanes[i];
  }
  if (!pm_eval_lanes(op, args, &result, 1)) return false;
  out->attr = pm_attr_of_lane(pm_res(op, 0)->type, result);
  return true;
}
