/* The width of masks: that of what was compared. */
#include "dialects/arith/arith.h"
#include "dialects/loop/access.h"
#include "targets/c/c_emit.h"

static bool is_mask(const pm_value *v) {
  return v->type->cls == PM_TYPE_VECTOR && pm_is_bool(v->type);
}

unsigned c_mask_bits(c_emitter *e, const pm_value *v) {
  unsigned bits = c_var_of(e, v)->mask_bits;
  return bits ? bits : C_MEMORY_MASK_BITS;
}

/* What the operand gives; 0 for a constant mask, which takes any width, and for what is no vector. */
static unsigned width_from(c_emitter *e, const pm_value *v) {
  if (v->type->cls != PM_TYPE_VECTOR) return 0;
  if (!is_mask(v)) return pm_get_scalar_info((pm_scalar)v->type->scalar)->bits;
  return pm_constant_value(v) ? 0 : c_mask_bits(e, v);
}

static unsigned find_width(c_emitter *e, const pm_op *op) {
  loop_access access;
  unsigned width = 0;
  if (op->n_regions || loop_find_access(op, &access)) return C_MEMORY_MASK_BITS;
  for (unsigned i = pm_is(op, &arith_select) ? 1 : 0; i < op->n_operands && !width; i++)
    width = width_from(e, pm_arg(op, i));
  return width;
}

static pm_walk visit(void *user, pm_op *op) {
  c_emitter *e = user;
  for (unsigned i = 0; i < op->n_results; i++)
    if (is_mask(pm_res(op, i))) c_var_of(e, pm_res(op, i))->mask_bits = find_width(e, op);
  return PM_WALK_ON;
}

void c_find_mask_widths(c_emitter *e, const pm_op *func) {
  (void)pm_walk_pre((pm_op *)func, visit, e);
}
