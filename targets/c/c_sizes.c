/* The sizes of arrays that are computed. */
#include "dialects/loop/buf.h"
#include "targets/c/c_emit.h"

/* The operand that gives the extent of dimension k, or NULL for a constant one. */
static const pm_value *extent_operand(pm_type type, const pm_use *extents, unsigned k) {
  unsigned n = 0;
  if (type->dims[k] != PM_DYNAMIC) return NULL;
  for (unsigned i = 0; i < k; i++) n += type->dims[i] == PM_DYNAMIC;
  return extents[n].value;
}

static void put_extent(c_emitter *e, pm_type type, const pm_use *extents, unsigned k, int min) {
  const pm_value *operand = extent_operand(type, extents, k);
  if (operand)
    c_expr(e, operand, min);
  else
    c_integer(e, type->dims[k], PM_INDEX, min);
}

/* The operand of a stride that the type leaves open, behind those of extents, or NULL. */
static const pm_value *stride_operand(pm_type type, const pm_use *extents, unsigned k) {
  unsigned n = 0;
  if (type->strides[k] != PM_DYNAMIC) return NULL;
  for (unsigned i = 0; i < type->rank; i++) n += type->dims[i] == PM_DYNAMIC;
  for (unsigned i = 0; i < k; i++) n += type->strides[i] == PM_DYNAMIC;
  return extents[n].value;
}

static void put_stride(c_emitter *e, pm_type type, const pm_use *extents, unsigned k, int min) {
  const pm_value *operand = stride_operand(type, extents, k);
  if (operand)
    c_expr(e, operand, min);
  else
    c_integer(e, type->strides[k], PM_INDEX, min);
}

void c_byte_count(c_emitter *e, pm_type type, const pm_use *extents) {
  if (type->strides) {
    c_put(e, "pm_size(pm_size(sizeof(%s), ", c_type_name(e, pm_elem_type(type)));
    put_extent(e, type, extents, 0, C_TERNARY);
    c_put(e, "), ");
    put_stride(e, type, extents, 0, C_TERNARY);
    c_put(e, ")");
    c_program_of(e)->uses_size = true;
    return;
  }
  for (unsigned k = 0; k < type->rank; k++) c_put(e, "pm_size(");
  c_put(e, "sizeof(%s)", c_type_name(e, pm_elem_type(type)));
  for (unsigned k = 0; k < type->rank; k++) {
    c_put(e, ", ");
    put_extent(e, type, extents, k, C_TERNARY);
    c_put(e, ")");
  }
  if (type->rank) c_program_of(e)->uses_size = true;
}

void c_alloc_bytes(c_emitter *e, const pm_op *alloc) {
  const char *larger = alloc->n_results > 1 ? c_use_helper(e, C_MAX, PM_I64) : NULL;
  for (unsigned i = 0; i + 1 < alloc->n_results; i++) c_put(e, "%s(", larger);
  for (unsigned i = 0; i < alloc->n_results; i++) {
    if (i) c_put(e, ", ");
    c_byte_count(e, pm_res(alloc, i)->type, &alloc->operands[buf_first_extent(alloc, i)]);
    if (i) c_put(e, ")");
  }
}
