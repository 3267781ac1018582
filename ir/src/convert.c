#include "ir/convert.h"

#include "ir/diag.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_FOR_EACH = 64, MOST_BESIDES = 1024 }; /* conversions, before they are taken to have no end */

typedef PM_VEC(pm_value *) value_list;

struct pm_converter {
  const pm_conversion *how;
  pm_arena *arena;
  pm_map *parts; /* pm_value -> pm_parts */
  pm_map *gone;  /* converted ops, which are erased in the end */
  pm_map *kept;  /* what join and split have made, which stays */
  PM_VEC(pm_op *) dead;
  pm_builder b;
  int64_t converted, most;
};

/* --- parts --- */

static bool is_legal_type(const pm_converter *c, pm_type type) {
  pm_type parts[PM_MOST_PARTS];
  return c->how->types(type, parts) == 1 && parts[0] == type;
}

static void set_parts(pm_converter *c, pm_value *value, pm_value *const *values, unsigned n) {
  pm_parts *parts = pm_arena_alloc(c->arena, sizeof *parts);
  *parts = (pm_parts){pm_arena_memdup(c->arena, values, n * sizeof(pm_value *)), n};
  pm_map_set(c->parts, value, parts);
}

/* Uses of a value of a legal type are replaced at once; others when what uses it is converted. */
static void take_parts(pm_converter *c, pm_value *value, pm_value *const *values, unsigned n) {
  if (n == 1 && values[0]->type == value->type)
    pm_replace_uses(value, values[0]);
  else
    set_parts(c, value, values, n);
}

/* The ops from `from` to the one ahead of `end`. */
static void keep(pm_converter *c, pm_op *from, const pm_op *end) {
  for (pm_op *op = from; op != end; op = op->next) pm_map_set(c->kept, op, op);
}

/* Of a result of an op that stays. */
static void split(pm_converter *c, pm_value *value) {
  pm_type types[PM_MOST_PARTS];
  pm_value *parts[PM_MOST_PARTS];
  unsigned n = c->how->types(value->type, types);
  pm_op *op = pm_def(value), *next = op->next;
  pm_builder b = next ? pm_builder_before(next) : pm_builder_at_end(c->b.module, op->region, op->loc);
  c->how->split(&b, value, parts);
  keep(c, op->next, next);
  set_parts(c, value, parts, n);
}

pm_parts pm_cv_parts(pm_converter *c, const pm_value *asked) {
  pm_value *value = (pm_value *)asked;
  const pm_parts *found = pm_map_get(c->parts, value);
  if (!found && is_legal_type(c, value->type)) set_parts(c, value, &value, 1);
  if (!found && !pm_map_has(c->parts, value)) split(c, value);
  return *(const pm_parts *)pm_map_get(c->parts, value);
}

pm_builder *pm_cv_builder(pm_converter *c) {
  return &c->b;
}

void pm_cv_replace(pm_converter *c, pm_op *op, pm_value *const *parts) {
  pm_type types[PM_MOST_PARTS];
  for (unsigned i = 0; i < op->n_results; i++) {
    unsigned n = c->how->types(pm_res(op, i)->type, types);
    take_parts(c, pm_res(op, i), parts, n);
    parts += n;
  }
  pm_map_set(c->gone, op, op);
  PM_VEC_PUSH(c->dead, op);
}

/* --- what is legal --- */

static bool has_legal_types(const pm_converter *c, const pm_op *op) {
  bool legal = true;
  for (unsigned i = 0; i < op->n_operands; i++) legal = legal && is_legal_type(c, pm_arg(op, i)->type);
  for (unsigned i = 0; i < op->n_results; i++) legal = legal && is_legal_type(c, pm_res(op, i)->type);
  for (unsigned r = 0; r < op->n_regions; r++)
    for (uint32_t i = 0; i < pm_region_at(op, r)->n_args; i++)
      legal = legal && is_legal_type(c, pm_region_at(op, r)->args[i]->type);
  return legal;
}

static pm_legality legality_of(const pm_converter *c, const pm_op *op) {
  pm_legality legality = c->how->legality ? c->how->legality(op) : PM_LEGAL_TYPES;
  if (legality != PM_LEGAL_TYPES) return legality;
  return has_legal_types(c, op) ? PM_LEGAL : PM_ILLEGAL;
}

/* --- the same op with other types --- */

/* The row of an operand or result, of which one row may be variadic. */
static bool is_of_variadic(unsigned i, unsigned n, int variadic, unsigned rows) {
  return variadic >= 0 && i >= (unsigned)variadic && i < n - (rows - 1 - (unsigned)variadic);
}

static bool takes_parts(unsigned n_parts, unsigned i, unsigned n, int variadic, unsigned rows) {
  return n_parts == 1 || (n_parts && is_of_variadic(i, n, variadic, rows));
}

static bool add_operands(pm_converter *c, pm_op *op, pm_op_state *state) {
  for (unsigned i = 0; i < op->n_operands; i++) {
    pm_parts parts = pm_cv_parts(c, pm_arg(op, i));
    if (!takes_parts(parts.n, i, op->n_operands, op->desc->variadic_arg, op->desc->n_args)) return false;
    for (unsigned k = 0; k < parts.n; k++) PM_VEC_PUSH(state->operands, parts.values[k]);
  }
  return true;
}

static bool add_results(pm_converter *c, const pm_op *op, pm_op_state *state) {
  for (unsigned i = 0; i < op->n_results; i++) {
    pm_type types[PM_MOST_PARTS];
    unsigned n = c->how->types(pm_res(op, i)->type, types);
    if (!takes_parts(n, i, op->n_results, op->desc->variadic_result, op->desc->n_results)) return false;
    for (unsigned k = 0; k < n; k++) {
      PM_VEC_PUSH(state->results, types[k]);
      PM_VEC_PUSH(state->result_names, n == 1 ? pm_res(op, i)->name : NULL);
    }
  }
  return true;
}

static bool has_convertible_args(const pm_converter *c, const pm_op *op) {
  pm_type types[PM_MOST_PARTS];
  for (unsigned r = 0; r < op->n_regions; r++)
    for (uint32_t i = 0; i < pm_region_at(op, r)->n_args; i++)
      if (!c->how->types(pm_region_at(op, r)->args[i]->type, types)) return false;
  return true;
}

static void move_region(pm_converter *c, pm_region *from, pm_region *to) {
  pm_region_begin(to);
  for (uint32_t i = 0; i < from->n_args; i++) {
    pm_type types[PM_MOST_PARTS];
    pm_value *parts[PM_MOST_PARTS];
    unsigned n = c->how->types(from->args[i]->type, types);
    for (unsigned k = 0; k < n; k++) parts[k] = pm_add_arg(to, types[k], n == 1 ? from->args[i]->name : NULL);
    take_parts(c, from->args[i], parts, n);
  }
  pm_splice(to, from);
}

static void copy_attrs(pm_op *to, const pm_op *from) {
  for (unsigned i = 0; i < from->desc->n_attrs; i++) pm_set_attr(to, i, pm_attr_at(from, i));
  for (uint32_t i = 0; pm_extra(from) && i < pm_extra(from)->len; i++)
    pm_set_attr_named(to, pm_extra(from)->names[i]->text, pm_extra(from)->items[i]);
}

static void replace_by(pm_converter *c, pm_op *op, pm_op *made) {
  value_list parts = {0};
  pm_insert(op->region, op, made);
  copy_attrs(made, op);
  for (unsigned r = 0; r < op->n_regions; r++)
    if (pm_region_at(op, r)->present) move_region(c, pm_region_at(op, r), pm_region_at(made, r));
  for (unsigned i = 0; i < made->n_results; i++) PM_VEC_PUSH(parts, pm_res(made, i));
  pm_cv_replace(c, op, parts.data);
  PM_VEC_FREE(parts);
}

/* False: a type of it cannot be converted, or becomes several where the op takes one. */
static bool convert_types(pm_converter *c, pm_op *op) {
  pm_op_state state = {.desc = op->desc, .loc = op->loc, .n_regions = op->n_regions};
  bool ok = add_operands(c, op, &state) && add_results(c, op, &state) && has_convertible_args(c, op);
  if (ok) replace_by(c, op, pm_op_new(c->b.module, &state));
  pm_op_state_free(&state);
  return ok;
}

/* --- ops --- */

static bool apply_rules(pm_converter *c, pm_op *op) {
  for (const pm_conversion_rule *rule = c->how->rules; rule->op; rule++) {
    if (rule->op != op->desc) continue;
    c->b = pm_builder_before(op);
    if (rule->apply(c, op)) return true;
  }
  return false;
}

/* A rule may have asked for parts that nothing gives. */
static bool has_parts(const pm_converter *c, const pm_op *op) {
  for (unsigned i = 0; i < op->n_operands; i++) {
    const pm_value *value = pm_arg(op, i);
    if (is_legal_type(c, value->type) || pm_map_has(c->parts, value) || (c->how->split && pm_def(value)))
      continue;
    return pm_op_error(op, "has an operand of type %pT, which no rule converts", (const void *)value->type);
  }
  return true;
}

static bool convert_op(pm_converter *c, pm_op *op) {
  bool by_types = c->how->legality ? c->how->legality(op) == PM_LEGAL_TYPES : true;
  if (!has_parts(c, op)) return false;
  c->b = pm_builder_before(op);
  if (++c->converted > c->most) return pm_op_error(op, "is converted again and again by rules");
  return apply_rules(c, op) || (by_types && convert_types(c, op)) ||
         pm_op_error(op, "is not legal, and no rule converts it");
}

/* Operands of an op that stays have their old types. */
static bool join_operands(pm_converter *c, pm_op *op) {
  for (unsigned i = 0; i < op->n_operands; i++) {
    pm_value *value = pm_arg(op, i);
    if (!pm_map_has(c->parts, value) || is_legal_type(c, value->type)) continue;
    if (!c->how->join)
      return pm_op_error(op, "stays, but nothing makes its operand of type %pT", (const void *)value->type);
    pm_builder b = pm_builder_before(op);
    pm_op *before = pm_prev(op);
    pm_set_operand(op, i, c->how->join(&b, value->type, pm_cv_parts(c, value)));
    keep(c, before ? before->next : op->region->first, op);
  }
  return true;
}

static bool convert_region(pm_converter *c, pm_region *region);

static bool convert_regions(pm_converter *c, pm_op *op) {
  for (unsigned r = 0; r < op->n_regions; r++)
    if (!convert_region(c, pm_region_at(op, r))) return false;
  return true;
}

/* What a conversion puts before the op is visited, too. */
static bool convert_region(pm_converter *c, pm_region *region) {
  for (pm_op *op = region->first, *before = NULL; op;) {
    bool done = pm_map_has(c->gone, op) || pm_map_has(c->kept, op);
    if (!done && legality_of(c, op) == PM_ILLEGAL) {
      if (!convert_op(c, op)) return false;
    } else {
      if (!done && !(join_operands(c, op) && convert_regions(c, op))) return false;
      before = op;
    }
    op = before ? before->next : region->first;
  }
  return true;
}

/* The last one first: what uses a value was converted behind it. */
static bool erase_dead(pm_converter *c) {
  for (size_t i = c->dead.len; i-- > 0;) {
    pm_op *op = c->dead.data[i];
    for (unsigned k = 0; k < op->n_results; k++)
      if (!pm_unused(pm_res(op, k)))
        return pm_op_error(pm_user(pm_uses(pm_res(op, k))), "uses a value of %pO, which is converted",
                           (const void *)op);
    pm_op_erase(op);
  }
  return true;
}

bool pm_convert_ops(pm_op *root, const pm_conversion *how, int64_t *converted) {
  pm_converter c = {.how = how,
                    .arena = pm_arena_new(),
                    .parts = pm_map_new(),
                    .gone = pm_map_new(),
                    .kept = pm_map_new(),
                    .b = pm_builder_before(root),
                    .most = pm_count_ops(root) * MOST_FOR_EACH + MOST_BESIDES};
  bool ok = convert_regions(&c, root) && erase_dead(&c);
  *converted = c.converted;
  PM_VEC_FREE(c.dead);
  pm_map_free(c.gone);
  pm_map_free(c.kept);
  pm_map_free(c.parts);
  pm_arena_free(c.arena);
  return ok;
}
