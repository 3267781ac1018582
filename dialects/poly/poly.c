#include "dialects/poly/poly.h"

#include "dialects/poly/tree.h"

#include "dialects/isl/isl_dialect.h"
#include "ir/text.h"

#include <stdlib.h>
#include <string.h>

#define PM_DIALECT poly
#define PM_DIALECT_DEF "dialects/poly/poly.def"
#include "ir/define_ops.h"
#undef PM_DIALECT
#undef PM_DIALECT_DEF

const pm_dialect poly_dialect = {
    .name = "poly",
    .ops = poly_op_table,
    .doc = "schedule trees of isl over the instances of stages, and where their values live",
};

/* --- text --- */

/* The region, after the attributes that the op's rows do not know: a dictionary alone would look like the
 * region. */
static void print_body(pm_printer *p, const pm_op *op) {
  const char *known[8] = {NULL};
  for (unsigned i = 0; i < op->desc->n_attrs && i + 1 < PM_COUNT(known); i++)
    known[i] = op->desc->attrs[i].name;
  if (op->extra) {
    pm_p(p, " attributes");
    pm_p_attr_dict(p, op, known);
  }
  pm_p(p, " ");
  pm_p_region(p, pm_region_at(op, 0), true);
}

static bool parse_body(pm_parser *p, pm_op_state *state) {
  if (pm_q_opt_word(p, "attributes") && !pm_q_opt_attr_dict(p, state)) return false;
  return pm_q_region(p, state, 0, NULL);
}

static void print_leading_attr(pm_printer *p, const pm_op *op) {
  pm_p(p, " ");
  pm_p_attr(p, pm_attr_at(op, 0));
  print_body(p, op);
}

static bool parse_leading_attr(pm_parser *p, pm_op_state *state, const char *name) {
  return pm_q_attr_into(p, state, name, NULL) && parse_body(p, state);
}

/* ` word [1, 2]`, nothing when absent. */
static void print_ints(pm_printer *p, const char *word, pm_attr ints) {
  if (!ints) return;
  pm_p(p, " %s [", word);
  for (uint32_t i = 0; i < ints->len; i++) pm_p(p, "%s%lld", i > 0 ? ", " : "", (long long)ints->items[i]->i);
  pm_p(p, "]");
}

/* `[1, 2]` as an array of index integers. */
static bool parse_ints(pm_parser *p, pm_op_state *state, const char *name) {
  PM_VEC(int64_t) ints = {0};
  bool ok = pm_q_punct(p, "[");
  if (ok && !pm_q_opt_punct(p, "]")) {
    do {
      int64_t value = 0;
      ok = pm_q_int(p, &value);
      PM_VEC_PUSH(ints, value);
    } while (ok && pm_q_opt_punct(p, ","));
    ok = ok && pm_q_punct(p, "]");
  }
  if (ok)
    pm_state_attr(pm_q_context(p), state, name, pm_get_index_array(pm_q_context(p), ints.data, ints.len));
  PM_VEC_FREE(ints);
  return ok;
}

static bool parse_opt_ints(pm_parser *p, pm_op_state *state, const char *name) {
  return !pm_q_opt_word(p, name) || parse_ints(p, state, name);
}

static bool parse_opt_int(pm_parser *p, pm_op_state *state, const char *name) {
  int64_t value;
  if (!pm_q_opt_word(p, name)) return true;
  if (!pm_q_int(p, &value)) return false;
  pm_state_attr(pm_q_context(p), state, name, pm_get_index_attr(pm_q_context(p), value));
  return true;
}

/* --- shape of the tree --- */

static bool is_node(const pm_op *op) {
  static const pm_op_desc *const nodes[] = {&poly_band,      &poly_sequence,  &poly_set, &poly_filter,
                                            &poly_extension, &poly_expansion, &poly_mark};
  for (size_t i = 0; i < PM_COUNT(nodes); i++)
    if (pm_is(op, nodes[i])) return true;
  return false;
}

/* Allocations first, then at most one node. */
static bool verify_child(const pm_op *op) {
  unsigned nodes = 0;
  PM_FOR_OPS(child, pm_region_at(op, 0)) {
    if (!is_node(child) && !pm_is(child, &poly_alloc))
      return pm_op_error(child,
                         "stands in '%s', which should hold allocations and one node of a schedule tree",
                         op->desc->name);
    if (nodes > 0 && is_node(child))
      return pm_op_error(child, "is a second child of '%s', which should have one", op->desc->name);
    if (nodes > 0)
      return pm_op_error(child, "stands after the child of '%s', but allocations should come first",
                         op->desc->name);
    nodes += is_node(child);
  }
  return true;
}

static bool verify_filters(const pm_op *op) {
  if (!pm_region_at(op, 0)->first)
    return pm_op_error(op, "is empty, but should have at least one 'poly.filter'");
  PM_FOR_OPS(child, pm_region_at(op, 0))
  if (!pm_is(child, &poly_filter))
    return pm_op_error(child, "stands in '%s', which should hold only 'poly.filter'", op->desc->name);
  return true;
}

static bool verify_kind(const pm_op *op, unsigned slot, const pm_attr_kind *kind) {
  pm_attr attr = pm_attr_at(op, slot);
  if (!attr || (attr->cls == PM_ATTR_CUSTOM && attr->kind == kind)) return true;
  return pm_op_error(op, "has %pA as its %s, but it should be a #%s", (const void *)attr,
                     op->desc->attrs[slot].name, kind->name);
}

/* The integers are as many as `n` and within the range, or absent. */
static bool verify_ints(const pm_op *op, unsigned slot, unsigned n, int64_t low, int64_t high) {
  pm_attr ints = pm_attr_at(op, slot);
  const char *name = op->desc->attrs[slot].name;
  if (!ints) return true;
  if (ints->len != n)
    return pm_op_error(op, "has %u entries of '%s', but should have %u", ints->len, name, n);
  for (uint32_t i = 0; i < ints->len; i++)
    if (ints->items[i]->i < low || ints->items[i]->i > high)
      return pm_op_error(op, "has %lld in '%s', but entries should be in %lld..%lld",
                         (long long)ints->items[i]->i, name, (long long)low, (long long)high);
  return true;
}

static bool verify_word(const pm_op *op, unsigned slot, const char *const *words) {
  const char *have = pm_sym_at(op, slot)->text;
  pm_buf list = {0};
  for (const char *const *word = words; *word; word++) {
    if (strcmp(have, *word) == 0) {
      pm_buf_free(&list);
      return true;
    }
    pm_buf_printf(&list, "%s\"%s\"", word == words ? "" : ", ", *word);
  }
  pm_op_error(op, "has \"%s\" as its %s, but should have one of %s", have, op->desc->attrs[slot].name,
              list.data);
  pm_buf_free(&list);
  return false;
}

/* --- schedule --- */

void poly_schedule_print(pm_printer *p, const pm_op *op) {
  if (pm_attr_at(op, poly_schedule_expanded)) pm_p(p, " expanded");
  print_body(p, op);
}

bool poly_schedule_parse(pm_parser *p, pm_op_state *state) {
  pm_context *ctx = pm_q_context(p);
  if (pm_q_opt_word(p, "expanded")) pm_state_attr(ctx, state, "expanded", pm_get_unit(ctx));
  return parse_body(p, state);
}

bool poly_schedule_verify(const pm_op *op) {
  const pm_region *body = pm_region_at(op, poly_schedule_body);
  if (pm_is(body->first, &poly_domain) && body->first == body->last) return true;
  return pm_op_error(op, "should hold one 'poly.domain' and nothing else");
}

/* --- domain --- */

void poly_domain_print(pm_printer *p, const pm_op *op) {
  print_leading_attr(p, op);
}

bool poly_domain_parse(pm_parser *p, pm_op_state *state) {
  return parse_leading_attr(p, state, "instances");
}

bool poly_domain_verify(const pm_op *op) {
  if (!pm_is(pm_parent(op), &poly_schedule)) return pm_op_error(op, "should stand in a 'poly.schedule'");
  return verify_kind(op, poly_domain_instances, &isl_union_set_kind) && verify_child(op);
}

/* --- band --- */

void poly_band_print(pm_printer *p, const pm_op *op) {
  pm_p(p, " ");
  pm_p_attr(p, pm_attr_at(op, poly_band_schedule));
  if (pm_attr_at(op, poly_band_permutable)) pm_p(p, " permutable");
  print_ints(p, "coincident", pm_attr_at(op, poly_band_coincident));
  print_ints(p, "tile", pm_attr_at(op, poly_band_tile));
  print_body(p, op);
}

bool poly_band_parse(pm_parser *p, pm_op_state *state) {
  pm_context *ctx = pm_q_context(p);
  if (!pm_q_attr_into(p, state, "schedule", NULL)) return false;
  if (pm_q_opt_word(p, "permutable")) pm_state_attr(ctx, state, "permutable", pm_get_unit(ctx));
  return parse_opt_ints(p, state, "coincident") && parse_opt_ints(p, state, "tile") && parse_body(p, state);
}

bool poly_band_verify(const pm_op *op) {
  if (!verify_kind(op, poly_band_schedule, &isl_mupa_kind)) return false;
  unsigned n =
      (unsigned)isl_multi_union_pw_aff_dim(isl_peek_mupa(pm_attr_at(op, poly_band_schedule)), isl_dim_set);
  return verify_ints(op, poly_band_coincident, n, 0, 1) && verify_ints(op, poly_band_tile, n, 1, INT64_MAX) &&
         verify_child(op);
}

/* --- sequence and set --- */

void poly_sequence_print(pm_printer *p, const pm_op *op) {
  print_body(p, op);
}

bool poly_sequence_parse(pm_parser *p, pm_op_state *state) {
  return parse_body(p, state);
}

bool poly_sequence_verify(const pm_op *op) {
  return verify_filters(op);
}

void poly_set_print(pm_printer *p, const pm_op *op) {
  print_body(p, op);
}

bool poly_set_parse(pm_parser *p, pm_op_state *state) {
  return parse_body(p, state);
}

bool poly_set_verify(const pm_op *op) {
  return verify_filters(op);
}

/* --- filter --- */

void poly_filter_print(pm_printer *p, const pm_op *op) {
  print_leading_attr(p, op);
}

bool poly_filter_parse(pm_parser *p, pm_op_state *state) {
  return parse_leading_attr(p, state, "instances");
}

bool poly_filter_verify(const pm_op *op) {
  return verify_kind(op, poly_filter_instances, &isl_union_set_kind) && verify_child(op);
}

/* --- extension --- */

void poly_extension_print(pm_printer *p, const pm_op *op) {
  print_leading_attr(p, op);
}

bool poly_extension_parse(pm_parser *p, pm_op_state *state) {
  return parse_leading_attr(p, state, "map");
}

bool poly_extension_verify(const pm_op *op) {
  return verify_kind(op, poly_extension_map, &isl_union_map_kind) && verify_child(op);
}

/* --- expansion --- */

void poly_expansion_print(pm_printer *p, const pm_op *op) {
  print_leading_attr(p, op);
}

bool poly_expansion_parse(pm_parser *p, pm_op_state *state) {
  return parse_leading_attr(p, state, "map");
}

bool poly_expansion_verify(const pm_op *op) {
  PM_FOR_OPS(child, pm_region_at(op, 0))
  if (pm_is(child, &poly_alloc))
    return pm_op_error(child, "stands in a 'poly.expansion', but memory should be that of a stage");
  return verify_kind(op, poly_expansion_map, &isl_union_map_kind) && verify_child(op);
}

/* --- mark --- */

void poly_mark_print(pm_printer *p, const pm_op *op) {
  pm_p(p, " ");
  pm_p_attr(p, pm_attr_at(op, poly_mark_name));
  print_ints(p, "tile", pm_attr_at(op, poly_mark_tile));
  print_ints(p, "inner", pm_attr_at(op, poly_mark_inner));
  if (pm_attr_at(op, poly_mark_shape)) {
    pm_p(p, " shape ");
    pm_p_attr(p, pm_attr_at(op, poly_mark_shape));
  }
  print_body(p, op);
}

static bool parse_shape(pm_parser *p, pm_op_state *state) {
  return !pm_q_opt_word(p, "shape") || pm_q_attr_into(p, state, "shape", NULL);
}

bool poly_mark_parse(pm_parser *p, pm_op_state *state) {
  return pm_q_attr_into(p, state, "name", NULL) && parse_opt_ints(p, state, "tile") &&
         parse_opt_ints(p, state, "inner") && parse_shape(p, state) && parse_body(p, state);
}

/* Sizes of tiles, of a group only. */
static bool verify_tile_sizes(const pm_op *op, unsigned slot, int64_t least) {
  pm_attr sizes = pm_attr_at(op, slot);
  if (sizes && strcmp(op->attrs[poly_mark_name]->s->text, "group") != 0)
    return pm_op_error(op, "has sizes of '%s', but only a group has them", op->desc->attrs[slot].name);
  return !sizes || verify_ints(op, slot, sizes->len, least, INT32_MAX);
}

static bool verify_shape(const pm_op *op) {
  static const char *const shapes[] = {"overlapped", "cone", "split", "diamond", NULL};
  if (!op->attrs[poly_mark_shape]) return true;
  if (strcmp(op->attrs[poly_mark_name]->s->text, "group") != 0)
    return pm_op_error(op, "has a shape of tiles, but only a group has one");
  return verify_word(op, poly_mark_shape, shapes);
}

bool poly_mark_verify(const pm_op *op) {
  static const char *const names[] = {"group", "parallel", "vector", NULL};
  return verify_word(op, poly_mark_name, names) && verify_tile_sizes(op, poly_mark_tile, 0) &&
         verify_tile_sizes(op, poly_mark_inner, 1) && verify_shape(op) && verify_child(op);
}

/* --- alloc --- */

void poly_alloc_print(pm_printer *p, const pm_op *op) {
  static const char *const printed[] = {"stage", "type", "space", "at", "size", "fold", "pool", "turn", NULL};
  pm_p(p, " ");
  pm_p_symbol(p, pm_sym_at(op, poly_alloc_stage));
  pm_p(p, " : %pT in ", (const void *)pm_attr_at(op, poly_alloc_type)->t);
  pm_p_attr(p, pm_attr_at(op, poly_alloc_space));
  if (pm_attr_at(op, poly_alloc_at)) {
    pm_p(p, " at ");
    pm_p_attr(p, pm_attr_at(op, poly_alloc_at));
  }
  print_ints(p, "size", pm_attr_at(op, poly_alloc_size));
  print_ints(p, "fold", pm_attr_at(op, poly_alloc_fold));
  if (pm_attr_at(op, poly_alloc_pool)) pm_p(p, " pool %lld", (long long)pm_int_at(op, poly_alloc_pool));
  if (pm_attr_at(op, poly_alloc_turn)) pm_p(p, " turn %lld", (long long)pm_int_at(op, poly_alloc_turn));
  pm_p_attr_dict(p, op, printed);
}

bool poly_alloc_parse(pm_parser *p, pm_op_state *state) {
  pm_context *ctx = pm_q_context(p);
  pm_string stage;
  pm_type type;
  if (!pm_q_symbol(p, &stage) || !pm_q_punct(p, ":") || !pm_q_type_or_tuple(p, &type) || !pm_q_word(p, "in"))
    return false;
  pm_state_attr(ctx, state, "stage", pm_get_symbol(ctx, stage));
  pm_state_attr(ctx, state, "type", pm_get_type_attr(type));
  if (!pm_q_attr_into(p, state, "space", NULL)) return false;
  if (pm_q_opt_word(p, "at") && !pm_q_attr_into(p, state, "at", NULL)) return false;
  return parse_opt_ints(p, state, "size") && parse_opt_ints(p, state, "fold") &&
         parse_opt_int(p, state, "pool") && parse_opt_int(p, state, "turn") && pm_q_opt_attr_dict(p, state);
}

/* Sizes of at least 1, which make at most 2^40 cells. */
static bool verify_sizes(const pm_op *op, unsigned n) {
  const int64_t most = INT64_C(1) << 40;
  pm_attr size = pm_attr_at(op, poly_alloc_size);
  if (!verify_ints(op, poly_alloc_size, n, 1, most)) return false;
  int64_t cells = 1;
  for (unsigned i = 0; i < n; i++) {
    if (cells > most / size->items[i]->i)
      return pm_op_error(op, "has a box of more than %lld cells, but should have fewer", (long long)most);
    cells *= size->items[i]->i;
  }
  return true;
}

/* A ring has as many cells as the box. */
static bool verify_fold(const pm_op *op) {
  pm_attr size = pm_attr_at(op, poly_alloc_size), fold = pm_attr_at(op, poly_alloc_fold);
  if (!fold) return true;
  if (!size) return pm_op_error(op, "has 'fold' without 'size', but only a box should be folded");
  if (!verify_ints(op, poly_alloc_fold, size->len, 0, INT64_MAX)) return false;
  for (unsigned i = 0; i < size->len; i++)
    if (fold->items[i]->i != 0 && fold->items[i]->i != size->items[i]->i)
      return pm_op_error(op, "has %lld in 'fold' for a size of %lld, but should have that or 0",
                         (long long)fold->items[i]->i, (long long)size->items[i]->i);
  return true;
}

/* A box of its own is a scratchpad; what has none is a whole array. */
static bool verify_box(const pm_op *op) {
  static const char *const boxes[] = {"heap", "stack", "thread", NULL};
  static const char *const arrays[] = {"output", "heap", NULL};
  isl_map *at = isl_peek_map(pm_attr_at(op, poly_alloc_at));
  bool has_size = pm_attr_at(op, poly_alloc_size) != NULL;
  if ((at != NULL) != has_size)
    return pm_op_error(op, "has only one of 'at' and 'size', but should have both or none");
  if (!verify_word(op, poly_alloc_space, at ? boxes : arrays)) return false;
  return !at || verify_sizes(op, (unsigned)isl_map_dim(at, isl_dim_out));
}

/* What shares memory is in one space: boxes, or whole arrays in the domain. */
static bool verify_pool(const pm_op *op) {
  if (!pm_attr_at(op, poly_alloc_pool)) return true;
  const char *space = pm_sym_at(op, poly_alloc_space)->text;
  bool whole = !pm_attr_at(op, poly_alloc_at);
  if (strcmp(space, "output") == 0)
    return pm_op_error(op, "has a pool, but the caller's array shares nothing");
  if (whole && !pm_is(pm_parent(op), &poly_domain))
    return pm_op_error(op, "is a whole array with a pool, which should stand in the poly.domain");
  const pm_op *other = poly_first_of_pool(op);
  if (other == op || (pm_sym_at(other, poly_alloc_space) == pm_sym_at(op, poly_alloc_space) &&
                      whole == !pm_attr_at(other, poly_alloc_at)))
    return true;
  return pm_op_error(op,
                     "of @%s is in pool %lld with @%s, but both should be boxes or whole arrays of one space",
                     pm_sym_at(op, poly_alloc_stage)->text, (long long)pm_int_at(op, poly_alloc_pool),
                     pm_sym_at(other, poly_alloc_stage)->text);
}

/* One array is in one memory; that its stages have one domain is for those to say who know it. */
static bool verify_turn(const pm_op *op) {
  if (!pm_attr_at(op, poly_alloc_turn)) return true;
  bool whole = !pm_attr_at(op, poly_alloc_at) && strcmp(pm_sym_at(op, poly_alloc_space)->text, "heap") == 0;
  if (!whole || !pm_is(pm_parent(op), &poly_domain))
    return pm_op_error(op, "has a turn, but only whole arrays in \"heap\" should, in the poly.domain");
  const pm_op *other = poly_first_of_turn(op);
  if (pm_attr_at(op, poly_alloc_type) == pm_attr_at(other, poly_alloc_type) &&
      pm_attr_at(op, poly_alloc_pool) == pm_attr_at(other, poly_alloc_pool))
    return true;
  return pm_op_error(op,
                     "of @%s takes turn %lld with @%s, but both should have one type and one pool or none",
                     pm_sym_at(op, poly_alloc_stage)->text, (long long)pm_int_at(op, poly_alloc_turn),
                     pm_sym_at(other, poly_alloc_stage)->text);
}

bool poly_alloc_verify(const pm_op *op) {
  if (!is_node(pm_parent(op)) && !pm_is(pm_parent(op), &poly_domain))
    return pm_op_error(op, "should stand in a node of a schedule tree");
  return verify_kind(op, poly_alloc_at, &isl_map_kind) && verify_box(op) && verify_fold(op) &&
         verify_pool(op) && verify_turn(op);
}
