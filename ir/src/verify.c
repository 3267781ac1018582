/* The verifier. First every op is checked against its rows and its surroundings; then the hooks of the ops
 * run, from the inside out. A hook runs only when all rows hold in the isolated part it stands in and no hook
 * inside it failed: so it may rely on the rows of whatever it looks at. */
#include "ir/verify.h"

#include "ir/src/ir_private.h"

#include <stdlib.h>

typedef struct verifier {
  const pm_op *root;
  pm_map *broken; /* isolated ops, or the root, with a failure of rows inside */
  pm_map *failed; /* ops with a failed hook inside */
  bool ok;
} verifier;

static bool starts_part(const verifier *v, const pm_op *op) {
  return op == v->root || pm_has_trait(op, PM_ISOLATED);
}

/* The isolated op that `op` stands in, the root if there is none. */
static const pm_op *part_around(const verifier *v, const pm_op *op) {
  if (op == v->root) return op;
  const pm_op *at = pm_parent(op);
  while (at && !starts_part(v, at)) at = pm_parent(at);
  return at ? at : v->root;
}

/* --- constraints --- */

static bool type_fits(pm_type_constraint constraint, pm_type t) {
  switch (constraint) {
  case T_ANY:
    return true;
  case T_INT_LIKE:
    return pm_is_int_or_index(t);
  case T_FLOAT_LIKE:
    return pm_is_float(t);
  case T_NUM_LIKE:
    return !pm_is_memref(t) && t->cls != PM_TYPE_CUSTOM;
  case T_BOOL_LIKE:
    return pm_is_bool(t);
  case T_INDEX:
    return pm_is_index(t);
  case T_AFFINE:
    return t->cls == PM_TYPE_SCALAR && pm_is_int_or_index(t);
  case T_SCALAR:
    return t->cls == PM_TYPE_SCALAR;
  case T_VECTOR:
    return t->cls == PM_TYPE_VECTOR;
  case T_MEMREF:
    return pm_is_memref(t);
  case T_VALUE:
    return !pm_is_memref(t);
  case T_ELEMENT:
    return t->cls == PM_TYPE_SCALAR || t->cls == PM_TYPE_CUSTOM;
  case T_CUSTOM:
    return t->cls == PM_TYPE_CUSTOM;
  }
  return false;
}

static const char *type_words(pm_type_constraint constraint) {
  static const char *const words[] = {
      [T_ANY] = "any type",
      [T_INT_LIKE] = "an integer or index (or a vector of these)",
      [T_FLOAT_LIKE] = "a float (or a vector of these)",
      [T_NUM_LIKE] = "an integer, index or float (or a vector of these)",
      [T_BOOL_LIKE] = "i1 (or a vector of these)",
      [T_INDEX] = "index",
      [T_AFFINE] = "a scalar integer or index",
      [T_SCALAR] = "a scalar",
      [T_VECTOR] = "a vector",
      [T_MEMREF] = "a memref",
      [T_VALUE] = "an integer, index or float (or a vector of these, or a type of a dialect)",
      [T_ELEMENT] = "a scalar, or a type of a dialect",
      [T_CUSTOM] = "a type of a dialect",
  };
  return words[constraint];
}

static bool is_int_array(pm_attr a) {
  if (a->cls != PM_ATTR_ARRAY) return false;
  for (uint32_t i = 0; i < a->len; i++)
    if (a->items[i]->cls != PM_ATTR_INT) return false;
  return true;
}

bool pm_attr_fits(pm_attr_constraint constraint, pm_attr a) {
  switch (constraint) {
  case A_ANY:
    return true;
  case A_UNIT:
    return a->cls == PM_ATTR_UNIT;
  case A_INT:
    return a->cls == PM_ATTR_INT;
  case A_BOOL:
    return a->cls == PM_ATTR_INT && pm_is_bool(a->t);
  case A_FLOAT:
    return a->cls == PM_ATTR_FLOAT;
  case A_NUMBER:
    return a->cls == PM_ATTR_INT || a->cls == PM_ATTR_FLOAT;
  case A_STRING:
    return a->cls == PM_ATTR_STRING;
  case A_SYMBOL:
    return a->cls == PM_ATTR_SYMBOL;
  case A_TYPE:
    return a->cls == PM_ATTR_TYPE;
  case A_ARRAY:
    return a->cls == PM_ATTR_ARRAY;
  case A_INTS:
    return is_int_array(a);
  case A_DICT:
    return a->cls == PM_ATTR_DICT;
  case A_MAP:
    return a->cls == PM_ATTR_MAP;
  case A_DENSE:
    return a->cls == PM_ATTR_DENSE;
  case A_CUSTOM:
    return a->cls == PM_ATTR_CUSTOM;
  }
  return false;
}

const char *pm_attr_words(pm_attr_constraint constraint) {
  static const char *const words[] = {
      [A_ANY] = "an attribute",
      [A_UNIT] = "unit",
      [A_INT] = "an integer",
      [A_BOOL] = "true or false",
      [A_FLOAT] = "a float",
      [A_NUMBER] = "a number",
      [A_STRING] = "a string",
      [A_SYMBOL] = "a symbol",
      [A_TYPE] = "a type",
      [A_ARRAY] = "an array",
      [A_INTS] = "an array of integers",
      [A_DICT] = "a dictionary",
      [A_MAP] = "an affine map",
      [A_DENSE] = "dense numbers",
      [A_CUSTOM] = "a dialect's attribute",
  };
  return words[constraint];
}

/* --- rows --- */

static bool check_count(const pm_op *op, const char *what, unsigned has, unsigned rows, bool variadic) {
  unsigned least = rows - (variadic ? 1 : 0);
  if (variadic ? has >= least : has == least) return true;
  return pm_op_error(op, "has %u %s%s, but should have %s%u", has, what, has == 1 ? "" : "s",
                     variadic ? "at least " : "", least);
}

/* The row of value `i` of `n`, when row `variadic` (or -1) takes as many as are left over. */
static unsigned row_of(unsigned i, unsigned n, unsigned rows, int variadic) {
  if (variadic < 0 || i < (unsigned)variadic) return i;
  unsigned extra = n + 1 - rows;
  return i < (unsigned)variadic + extra ? (unsigned)variadic : i + 1 - extra;
}

static bool check_type(const pm_op *op, const char *what, unsigned i, const pm_row *row, pm_type type) {
  if (type_fits((pm_type_constraint)row->constraint, type)) return true;
  return pm_op_error(op, "%s #%u '%s' has type %pT, but should be %s", what, i, row->name, (const void *)type,
                     type_words((pm_type_constraint)row->constraint));
}

static bool check_values(const pm_op *op) {
  const pm_op_desc *d = op->desc;
  bool ok = check_count(op, "operand", op->n_operands, d->n_args, d->variadic_arg >= 0);
  ok &= check_count(op, "result", op->n_results, d->n_results, d->variadic_result >= 0);
  if (!ok) return false;
  for (unsigned i = 0; i < op->n_operands; i++)
    ok &= check_type(op, "operand", i, &d->args[row_of(i, op->n_operands, d->n_args, d->variadic_arg)],
                     pm_arg(op, i)->type);
  for (unsigned i = 0; i < op->n_results; i++)
    ok &= check_type(op, "result", i, &d->results[row_of(i, op->n_results, d->n_results, d->variadic_result)],
                     pm_res(op, i)->type);
  return ok;
}

static bool check_attrs(const pm_op *op) {
  bool ok = true;
  for (unsigned i = 0; i < op->desc->n_attrs; i++) {
    const pm_row *row = &op->desc->attrs[i];
    pm_attr attr = pm_attr_at(op, i);
    if (!attr && !row->optional)
      ok = pm_op_error(op, "has no attribute '%s', but should have %s there", row->name,
                       pm_attr_words((pm_attr_constraint)row->constraint));
    else if (attr && !pm_attr_fits((pm_attr_constraint)row->constraint, attr))
      ok = pm_op_error(op, "attribute '%s' is %pA, but should be %s", row->name, (const void *)attr,
                       pm_attr_words((pm_attr_constraint)row->constraint));
  }
  return ok;
}

static bool check_regions(const pm_op *op) {
  if (!check_count(op, "region", op->n_regions, op->desc->n_regions, false)) return false;
  bool ok = true;
  for (unsigned i = 0; i < op->n_regions; i++)
    if (!pm_region_at(op, i)->present && !op->desc->regions[i].optional)
      ok = pm_op_error(op, "has no region '%s', but should have one", op->desc->regions[i].name);
  return ok;
}

static bool same_types(const pm_op *op, pm_type type, unsigned first_operand, bool results) {
  for (unsigned i = first_operand; i < op->n_operands; i++)
    if (pm_arg(op, i)->type != type)
      return pm_op_error(op, "operand #%u has type %pT, but should have type %pT as the first one", i,
                         (const void *)pm_arg(op, i)->type, (const void *)type);
  for (unsigned i = 0; results && i < op->n_results; i++)
    if (pm_res(op, i)->type != type)
      return pm_op_error(op, "result #%u has type %pT, but should have type %pT as the operands", i,
                         (const void *)pm_res(op, i)->type, (const void *)type);
  return true;
}

static bool check_same_types(const pm_op *op) {
  bool all = pm_has_trait(op, PM_SAME_TYPE);
  if (!all && !pm_has_trait(op, PM_SAME_OPERANDS)) return true;
  if (op->n_operands) return same_types(op, pm_arg(op, 0)->type, 1, all);
  return !all || !op->n_results || same_types(op, pm_res(op, 0)->type, 0, true);
}

/* --- values and the order of ops --- */

static const void *address_in(uintptr_t word) {
  return (const void *)(word & ~(uintptr_t)PM_LINK_BITS);
}

static bool is_listed(const pm_op *op, const pm_use *use) {
  const uintptr_t *listed_at = address_in(use->link);
  const pm_use *next = pm_next_use(use);
  if (pm_user(use) != op || !listed_at || address_in(*listed_at) != use) return false;
  return !next || (address_in(next->link) == &use->next && next->value == use->value);
}

/* The nearest isolated op whose regions hold `op` but not the definition of `value`, or NULL. */
static const pm_op *isolated_between(const pm_value *value, const pm_op *op) {
  const pm_region *defined = pm_value_region(value);
  for (const pm_op *at = op; at && at->region != defined; at = pm_parent(at)) {
    const pm_op *parent = pm_parent(at);
    if (parent && pm_has_trait(parent, PM_ISOLATED)) return parent;
  }
  return NULL;
}

static pm_loc loc_of(const pm_value *value) {
  return pm_is_arg(value) ? pm_value_region(value)->op->loc : pm_def(value)->loc;
}

static bool undominated(const pm_op *op, unsigned i) {
  const pm_value *value = pm_arg(op, i);
  const pm_op *def = pm_def(value);
  if (def && !def->region)
    return pm_op_error(op, "operand #%u is a value of '%s', which is not in the module", i, def->desc->name);
  if (def && def == op)
    pm_op_error(op, "operand #%u '%pV' is the op's own result", i, (const void *)value);
  else if (def && def->region == op->region)
    pm_op_error(op, "operand #%u '%pV' is used before its definition", i, (const void *)value);
  else
    pm_op_error(op, "operand #%u '%pV' is not visible here", i, (const void *)value);
  pm_note(pm_op_context(op), loc_of(value), "defined here");
  return false;
}

static bool crosses_isolation(const pm_op *op, unsigned i, const pm_op *barrier) {
  pm_op_error(op, "operand #%u '%pV' is defined outside of '%s', which sees no values of the outside", i,
              (const void *)pm_arg(op, i), barrier->desc->name);
  pm_note(pm_op_context(op), loc_of(pm_arg(op, i)), "defined here");
  return false;
}

static bool in_sequence(const pm_op *op) {
  return op->region && pm_kind_of_region(op->region) == R_SEQUENCE;
}

static bool check_operand(const pm_op *op, unsigned i, bool sequence) {
  const pm_value *value = pm_arg(op, i);
  const pm_region *region = pm_value_region(value);
  if (region && region == op->region)
    return pm_is_arg(value) || !sequence || pm_op_is_before(pm_def(value), op) || undominated(op, i);
  const pm_op *barrier = region ? isolated_between(value, op) : NULL;
  if (barrier) return crosses_isolation(op, i, barrier);
  return (region && pm_dominates(value, op)) || undominated(op, i);
}

static bool check_operands(const verifier *v, const pm_op *op) {
  bool ok = true, sequence = op->n_operands && in_sequence(op);
  for (unsigned i = 0; i < op->n_operands; i++) {
    if (!pm_arg(op, i) || !is_listed(op, &pm_operands(op)[i]))
      return pm_op_error(op, "operand #%u is not among the uses of its value", i);
    if (op != v->root) ok &= check_operand(op, i, sequence);
  }
  return ok;
}

/* --- regions --- */

static bool check_terminators(const pm_region *region) {
  bool ok = true;
  for (const pm_op *op = region->first; op; op = op->next)
    if (op->next && pm_has_trait(op, PM_TERMINATOR))
      ok = pm_op_error(op, "should be the last op of its region");
  return ok;
}

static pm_string symbol_of(const pm_op *op) {
  pm_attr sym = pm_has_trait(op, PM_SYMBOL) ? pm_attr_named(op, "sym") : NULL;
  return sym && sym->cls == PM_ATTR_SYMBOL ? sym->s : NULL;
}

static bool check_symbol(pm_map *seen, const pm_op *op, pm_string name) {
  const pm_op *other = pm_map_get(seen, name);
  if (!other) {
    pm_map_set(seen, name, (void *)op);
    return true;
  }
  pm_error(pm_op_context(op), op->loc, "%pO has the name of another op of its region", (const void *)op);
  pm_note(pm_op_context(op), other->loc, "the other one");
  return false;
}

static bool check_symbols(const pm_region *region) {
  pm_map *seen = NULL;
  bool ok = true;
  for (const pm_op *op = region->first; op; op = op->next) {
    pm_string name = symbol_of(op);
    if (!name) continue;
    if (!seen) seen = pm_map_new();
    ok &= check_symbol(seen, op, name);
  }
  if (seen) pm_map_free(seen);
  return ok;
}

static bool check_inside(const pm_op *op) {
  bool ok = true;
  for (unsigned i = 0; i < op->n_regions; i++) {
    ok &= check_terminators(pm_region_at(op, i));
    ok &= check_symbols(pm_region_at(op, i));
  }
  return ok;
}

/* --- the two walks --- */

static void mark_broken(verifier *v, const pm_op *op) {
  v->ok = false;
  pm_map_set(v->broken, part_around(v, op), NULL);
  if (starts_part(v, op)) pm_map_set(v->broken, op, NULL);
}

/* Values only when the op's operands are in order. */
static bool check_rows(const pm_op *op, bool ok) {
  ok = ok && check_values(op);
  ok &= check_attrs(op);
  ok &= check_regions(op);
  return ok && check_same_types(op);
}

static pm_walk check_op(void *user, pm_op *op) {
  verifier *v = user;
  bool ok = check_operands(v, op);
  if (!pm_has_trait(op, PM_UNREGISTERED)) ok &= check_rows(op, ok);
  ok &= check_inside(op);
  if (!ok) mark_broken(v, op);
  return PM_WALK_ON;
}

static bool may_run_hook(const verifier *v, const pm_op *op) {
  if (v->ok) return true;
  return !pm_map_has(v->broken, part_around(v, op)) && !pm_map_has(v->broken, op) &&
         !pm_map_has(v->failed, op);
}

static void mark_failed_around(verifier *v, const pm_op *op) {
  v->ok = false;
  while (op != v->root) {
    op = pm_parent(op);
    pm_map_set(v->failed, op, NULL);
  }
}

static pm_walk run_hook(void *user, pm_op *op) {
  verifier *v = user;
  if (op->desc->verify && may_run_hook(v, op) && !op->desc->verify(op)) mark_failed_around(v, op);
  return PM_WALK_ON;
}

bool pm_verify(pm_op *root) {
  verifier v = {.root = root, .broken = pm_map_new(), .failed = pm_map_new(), .ok = true};
  pm_walk_pre(root, check_op, &v);
  pm_walk_post(root, run_hook, &v);
  pm_map_free(v.broken);
  pm_map_free(v.failed);
  return v.ok;
}
