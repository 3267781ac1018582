/* What names of types mean. */
#include "frontends/cxx/library.h"
#include "frontends/cxx/names/names.h"
#include "frontends/cxx/types/types.h"

bool cx_scalar_of_name(pm_string name, pm_scalar *out) {
  static const struct {
    const char *name;
    pm_scalar type;
  } names[] = {{"int", PM_I32},      {"float", PM_F32},     {"double", PM_F64},    {"bool", PM_I1},
               {"int8_t", PM_I8},    {"int16_t", PM_I16},   {"int32_t", PM_I32},   {"int64_t", PM_I64},
               {"uint8_t", PM_U8},   {"uint16_t", PM_U16},  {"uint32_t", PM_U32},  {"uint64_t", PM_U64},
               {"size_t", PM_U64},   {"char", PM_I8},       {"float16_t", PM_F16}, {"bfloat16_t", PM_BF16},
               {"intptr_t", PM_I64}, {"ptrdiff_t", PM_I64}, {"uintptr_t", PM_U64}};
  for (size_t i = 0; i < PM_COUNT(names); i++)
    if (strcmp(names[i].name, name->text) == 0) {
      *out = names[i].type;
      return true;
    }
  return false;
}

const cx_node *cx_resolve(const cx_interp *in, const cx_node *type) {
  for (int i = 0; type && type->name && i < 20; i++) {
    const cx_cell *cell = cx_find(in->scope, type->name);
    if (!cell || cell->value.kind != CV_CLASS || cell->value.node->kind != CX_TYPE) return type;
    type = cell->value.node;
  }
  return type;
}

bool cx_scalar_of(const cx_interp *in, const cx_node *type, pm_scalar *out) {
  type = cx_resolve(in, type);
  return type && !type->is_pointer && type->kind != CX_INT && type->name &&
         cx_scalar_of_name(type->name, out);
}

const cx_node *cx_class_named(const cx_interp *in, const cx_node *type) {
  const cx_cell *cell = cx_find(in->scope, type->name);
  bool is = cell && cell->value.kind == CV_CLASS && cell->value.node->kind != CX_TYPE;
  return is ? cell->value.node : NULL;
}

bool cx_is_type_name(const cx_interp *in, pm_string name) {
  pm_scalar scalar;
  const cx_cell *cell = cx_find(in->scope, name);
  if (cell) return cell->value.kind == CV_CLASS;
  for (const cx_library *l = in->library; l; l = l->base)
    if (l->is_type && l->is_type(name)) return true;
  return cx_scalar_of_name(name, &scalar);
}
