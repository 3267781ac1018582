/* What names of types mean. */
#include "frontends/cxx/library.h"
#include "frontends/cxx/names/names.h"
#include "frontends/cxx/types/types.h"
#include "frontends/cxx/values/values.h"

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

/* --- closing --- */

static bool is_built_in(const cx_node *type) {
  pm_scalar scalar;
  return cx_is_named(type, "auto") || cx_is_named(type, "void") || cx_scalar_of_name(type->name, &scalar);
}

/* What the name is, unless it is one of a type. */
static bool find_value(cx_interp *in, const cx_node *n, cv *out) {
  cx_found found;
  if (is_built_in(n)) return false;
  if (cx_look_up(in, n, &found)) {
    *out = found.cell ? found.cell->value : cv_void;
    return found.cell && found.cell->value.kind != CV_CLASS;
  }
  cx_node name = *n;
  name.kind = CX_NAME;
  for (const cx_library *l = in->library; l; l = l->base)
    if (l->find_name && l->find_name(in, &name, out)) return true;
  return false;
}

cx_node *cx_closed_argument(cx_interp *in, cx_node *n) {
  cv v;
  bool is_name = n && (n->kind == CX_TYPE || n->kind == CX_NAME) && n->name;
  bool is_value = is_name && find_value(in, n, &v);
  if (is_name && !is_value) {
    cx_node *type = pm_arena_memdup(in->arena, n, sizeof(*n));
    type->kind = CX_TYPE;
    return (cx_node *)cx_resolve(in, type);
  }
  if (!n || n->kind == CX_FUNCTION || n->kind == CX_INDEX || n->kind == CX_INT) return n;
  if (!is_value) v = in->eval(in, n);
  if (v.kind != CV_INT) return n;
  cx_node number = {.kind = CX_INT, .loc = n->loc, .i = v.i};
  number.is_unsigned = cx_is_unsigned((pm_scalar)v.scalar);
  number.is_long = cx_bits((pm_scalar)v.scalar) == 64;
  return pm_arena_memdup(in->arena, &number, sizeof(number));
}

static void close_arguments(cx_interp *in, cx_node *type) {
  if (type->n_items > 0) type->items = cx_closed_arguments(in, type->items, type->n_items, &type->n_items);
}

/* What another name stands for: `info` says where it is declared. */
static const cx_node *behind_alias(cx_interp *in, const cx_node *alias, const cx_node *type) {
  const cx_class_info *info = cx_info(in, alias);
  cx_scope *outside = in->scope, *scope = cx_push_scope(in, info ? info->scope : in->globals);
  cx_bind_arguments(in, scope, alias->t, type->items, type->n_items);
  in->scope = scope;
  const cx_node *meant = cx_resolve(in, alias->a);
  in->scope = outside;
  return meant;
}

static const cx_node *with_marks(cx_interp *in, const cx_node *meant, const cx_node *type) {
  if (meant->kind != CX_TYPE || (!type->is_const && !type->is_reference && !type->is_pointer)) return meant;
  cx_node *n = pm_arena_memdup(in->arena, meant, sizeof(*n));
  n->is_const |= type->is_const;
  n->is_pointer |= type->is_pointer;
  n->is_reference |= type->is_reference;
  n->is_rvalue =
      n->is_reference && (meant->is_reference ? meant->is_rvalue && type->is_rvalue : type->is_rvalue);
  return n;
}

const cx_node *cx_with_defaults(cx_interp *in, const cx_node *type) {
  const cx_class_info *info = cx_info(in, type->c);
  const cx_node *params = type->c->t;
  if (!info || !params || type->n_items >= params->n_items) return type;
  cx_scope *outside = in->scope, *scope = cx_push_scope(in, info->scope);
  cx_node *all = pm_arena_memdup(in->arena, type, sizeof(*all));
  all->items = pm_arena_alloc(in->arena, params->n_items * sizeof(*all->items));
  if (type->n_items > 0) memcpy(all->items, type->items, type->n_items * sizeof(*all->items));
  cx_bind_arguments(in, scope, params, type->items, type->n_items);
  in->scope = scope;
  for (; all->n_items < params->n_items && params->items[all->n_items]->b; all->n_items++)
    all->items[all->n_items] = cx_closed_argument(in, params->items[all->n_items]->b);
  in->scope = outside;
  return all;
}

const cx_node *cx_resolve(cx_interp *in, const cx_node *type) {
  cx_found found;
  if (!type || type->kind != CX_TYPE || !type->name || type->c || is_built_in(type)) return type;
  bool known = cx_look_up(in, type, &found) && found.cell && found.cell->value.kind == CV_CLASS;
  const cx_node *node = known ? found.cell->value.node : NULL;
  for (const cx_library *l = in->library; l && !node; l = l->base) {
    const cx_node *meant = l->meant ? l->meant(in, type) : NULL;
    if (meant) return with_marks(in, meant, type);
  }
  if (!node && type->n_items == 0) return type;
  if (node && node->kind == CX_TYPE) return with_marks(in, node, type);
  cx_node *closed = pm_arena_memdup(in->arena, type, sizeof(*closed));
  close_arguments(in, closed);
  if (node && node->kind == CX_ALIAS) return with_marks(in, behind_alias(in, node, closed), type);
  if (!node) return closed;
  /* Inside of a template its name is that of the class with the arguments at hand. */
  const cx_instance *current = cx_current_class(in);
  for (const cx_scope *s = in->scope; s && closed->n_items == 0 && !type->is_braced; s = s->outer) {
    current = s->instance;
    if (!current || !current->type || current->type->name != node->name || !current->type->n_items) continue;
    closed->items = current->type->items;
    closed->n_items = current->type->n_items;
  }
  closed->c = (cx_node *)node;
  closed->name = node->name;
  return closed->n_items > 0 ? cx_with_defaults(in, closed) : closed;
}

bool cx_scalar_of(cx_interp *in, const cx_node *type, pm_scalar *out) {
  type = cx_resolve(in, type);
  return type && !type->is_pointer && type->kind == CX_TYPE && type->name && !type->c &&
         cx_scalar_of_name(type->name, out);
}

const cx_node *cx_class_named(cx_interp *in, const cx_node *type) {
  if (!type->c) type = cx_resolve(in, type);
  return type->kind == CX_TYPE ? type->c : NULL;
}

bool cx_is_type_name(cx_interp *in, const cx_node *name) {
  pm_scalar scalar;
  cx_found found;
  if (cx_look_up(in, name, &found)) return found.cell && found.cell->value.kind == CV_CLASS;
  for (const cx_library *l = in->library; l; l = l->base)
    if (l->is_type && l->is_type(name->name)) return true;
  return cx_scalar_of_name(name->name, &scalar);
}

/* --- types of values and of arguments --- */

bool cx_same_type(const cx_node *a, const cx_node *b) {
  if (!a || !b) return a == b;
  if (a->kind == CX_INT && b->kind == CX_INT) return a->i == b->i;
  bool same = a->kind == b->kind && a->name == b->name && a->c == b->c && a->n_items == b->n_items &&
              a->is_pointer == b->is_pointer && a->is_reference == b->is_reference &&
              a->is_rvalue == b->is_rvalue &&
              (a->is_const == b->is_const || (!a->is_reference && !a->is_pointer));
  for (uint32_t i = 0; i < a->n_items && same; i++) same = cx_same_type(a->items[i], b->items[i]);
  return same;
}

const cx_node *cx_bare_type(cx_interp *in, const cx_node *type) {
  if (!type->is_const && !type->is_reference && !type->is_pointer) return type;
  cx_node *bare = pm_arena_memdup(in->arena, type, sizeof(*bare));
  bare->is_const = bare->is_reference = bare->is_rvalue = bare->is_pointer = false;
  return bare;
}

static const char *name_of_scalar(pm_scalar type) {
  static const char *const names[] = {
      [PM_I1] = "bool",        [PM_I8] = "int8_t",     [PM_I16] = "int16_t",  [PM_I32] = "int",
      [PM_I64] = "int64_t",    [PM_U8] = "uint8_t",    [PM_U16] = "uint16_t", [PM_U32] = "uint32_t",
      [PM_U64] = "uint64_t",   [PM_F16] = "float16_t", [PM_F32] = "float",    [PM_F64] = "double",
      [PM_BF16] = "bfloat16_t"};
  return names[type];
}

static const cx_node *named_type(cx_interp *in, const char *name) {
  cx_node type = {.kind = CX_TYPE, .name = pm_get_cstring(in->ctx, name)};
  return pm_arena_memdup(in->arena, &type, sizeof(type));
}

static const cx_node *type_of_list(cx_interp *in, cv v) {
  if (!v.list->of) return named_type(in, "auto");
  cx_node *type = (cx_node *)named_type(in, "vector");
  type->items = pm_arena_memdup(in->arena, &v.list->of, sizeof(v.list->of));
  type->n_items = 1;
  return type;
}

const cx_node *cx_type_of_value(cx_interp *in, cv v) {
  const cx_class *of = cx_class_of(in, v);
  if (v.kind == CV_INT && v.number > 0) {
    cx_node type = {.kind = CX_TYPE, .name = in->enums.data[v.number - 1]->name};
    type.c = (cx_node *)in->enums.data[v.number - 1];
    return pm_arena_memdup(in->arena, &type, sizeof(type));
  }
  if (cv_is_number(v)) return named_type(in, name_of_scalar((pm_scalar)v.scalar));
  if (v.kind == CV_STRING && v.scalar == 0) return named_type(in, "string");
  if (v.kind == CV_LIST) return type_of_list(in, v);
  if (v.kind == CV_OBJECT) return v.object->instance->type;
  if (v.kind == CV_POINTER && v.cell) {
    cx_node *type = pm_arena_memdup(in->arena, cx_type_of_value(in, v.cell->value), sizeof(*type));
    type->is_pointer = true;
    return type;
  }
  return named_type(in, of && of->type ? of->type : "auto");
}

cv cx_value_of_argument(cx_interp *in, const cx_node *param, const cx_node *argument) {
  pm_scalar scalar;
  if (argument->kind == CX_TYPE) return (cv){.kind = CV_CLASS, .node = cx_resolve(in, argument)};
  cv value = in->eval(in, argument);
  if (value.kind == CV_INT && param->a && cx_scalar_of(in, param->a, &scalar) && !cx_is_float(scalar))
    value = cv_int(scalar, value.i);
  return value;
}

bool cx_bind_arguments(cx_interp *in, cx_scope *scope, const cx_node *params, cx_node *const *given,
                       uint32_t n) {
  cx_scope *outside = in->scope;
  bool complete = true;
  in->scope = scope;
  for (uint32_t i = 0; params && i < params->n_items; i++) {
    const cx_node *param = params->items[i];
    if (param->is_long && param->name) {
      cx_declare(in, scope, param->name, cx_pack_of(in, param, n > i ? given + i : NULL, n > i ? n - i : 0));
      continue;
    }
    const cx_node *argument = i < n ? given[i] : param->b ? cx_closed_argument(in, param->b) : NULL;
    if (!param->name) continue;
    if (!argument) {
      complete = false;
      continue;
    }
    cx_declare(in, scope, param->name, cx_value_of_argument(in, param, argument));
  }
  in->scope = outside;
  return complete;
}
