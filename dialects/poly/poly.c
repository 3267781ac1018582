#include "dialects/poly/poly.h"

#include "dialects/poly/marks.h"
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

/* --- memory spaces --- */

static const char output_space[] = "output";

/* The object is the row of the space. */
static void *parse_space(pm_context *ctx, pm_loc loc, pm_str text) {
  pm_space space;
  return pm_parse_space(ctx, loc, text, output_space, &space) ? (void *)pm_get_space_info(space) : NULL;
}

const pm_attr_kind poly_space_kind = {
    .name = "poly.space", .parse = parse_space, .doc = "a memory space, or output: the caller's array"};

pm_attr poly_space_attr(pm_context *ctx, pm_space space) {
  const char *name = space ? pm_get_space_info(space)->name : output_space;
  return pm_get_custom(ctx, &poly_space_kind, (pm_loc){0}, pm_str_of(name));
}

pm_space poly_space_of(const pm_op *alloc) {
  const pm_space_info *info = pm_attr_at(alloc, poly_alloc_space)->object;
  return (pm_space)(info - pm_get_space_info(PM_SPACE_NONE));
}

static const pm_attr_kind *const poly_attr_kinds[] = {&poly_space_kind, NULL};

const pm_dialect poly_dialect = {
    .name = "poly",
    .ops = poly_op_table,
    .attr_kinds = poly_attr_kinds,
    .doc = "schedule trees of isl over the instances of stages, and where their values live",
};

/* --- text --- */

/* The region, after the attributes that the op's rows do not know: a dictionary alone would look like the
 * region. */
static void print_body(pm_printer *p, const pm_op *op) {
  const char *known[8] = {NULL};
  for (unsigned i = 0; i < op->desc->n_attrs && i + 1 < PM_COUNT(known); i++)
    known[i] = op->desc->attrs[i].name;
  if (pm_extra(op)) {
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
      return pm_op_error(child, "is in '%s', which should hold allocations and one node of a schedule tree",
                         op->desc->name);
    if (nodes > 0 && is_node(child))
      return pm_op_error(child, "is a second child of '%s', which should have one", op->desc->name);
    if (nodes > 0)
      return pm_op_error(child, "is after the child of '%s', but allocations should come first",
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
    return pm_op_error(child, "is in '%s', which should hold only 'poly.filter'", op->desc->name);
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
  if (!pm_is(pm_parent(op), &poly_schedule)) return pm_op_error(op, "should be in a 'poly.schedule'");
  return verify_kind(op, poly_domain_instances, &isl_union_set_kind) && verify_child(op);
}

/* --- band --- */

void poly_band_print(pm_printer *p, const pm_op *op) {
  pm_p(p, " ");
  pm_p_attr(p, pm_attr_at(op, poly_band_schedule));
  pm_p_word_attrs(p, op, poly_band_permutable, 3);
  print_body(p, op);
}

bool poly_band_parse(pm_parser *p, pm_op_state *state) {
  return pm_q_attr_into(p, state, "schedule", NULL) &&
         pm_q_opt_word_attrs(p, state, poly_band_permutable, 3) && parse_body(p, state);
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
    return pm_op_error(child, "is in a 'poly.expansion', but memory should belong to a stage");
  return verify_kind(op, poly_expansion_map, &isl_union_map_kind) && verify_child(op);
}

/* --- mark --- */

enum { FIRST_VALUE = poly_mark_name + 1, N_VALUES = poly_mark_N_ATTRS - FIRST_VALUE };

void poly_mark_print(pm_printer *p, const pm_op *op) {
  pm_p(p, " ");
  pm_p_attr(p, pm_attr_at(op, poly_mark_name));
  pm_p_word_attrs(p, op, FIRST_VALUE, N_VALUES);
  print_body(p, op);
}

bool poly_mark_parse(pm_parser *p, pm_op_state *state) {
  return pm_q_attr_into(p, state, "name", NULL) && pm_q_opt_word_attrs(p, state, FIRST_VALUE, N_VALUES) &&
         parse_body(p, state);
}

bool poly_mark_verify(const pm_op *op) {
  return poly_verify_mark(op) && verify_child(op);
}

/* --- alloc --- */

static pm_str space_name(const pm_op *alloc) {
  pm_string name = pm_attr_at(alloc, poly_alloc_space)->s;
  return (pm_str){name->text, name->len};
}

void poly_alloc_print(pm_printer *p, const pm_op *op) {
  static const char *const printed[] = {"stage", "type", "space", "at", "size", "fold", "pool", "turn", NULL};
  pm_p(p, " ");
  pm_p_symbol(p, pm_sym_at(op, poly_alloc_stage));
  pm_p(p, " : %pT in ", (const void *)pm_attr_at(op, poly_alloc_type)->t);
  pm_p_attr(p, pm_get_string_attr(pm_op_context(op), space_name(op)));
  pm_p_word_attrs(p, op, poly_alloc_at, 5);
  pm_p_attr_dict(p, op, printed);
}

/* `"heap"` */
static bool parse_alloc_space(pm_parser *p, pm_op_state *state) {
  pm_loc loc = pm_q_loc(p);
  pm_string name;
  if (!pm_q_string(p, &name)) return false;
  pm_attr space = pm_get_custom(pm_q_context(p), &poly_space_kind, loc, (pm_str){name->text, name->len});
  if (space) pm_state_attr(pm_q_context(p), state, "space", space);
  return space != NULL;
}

bool poly_alloc_parse(pm_parser *p, pm_op_state *state) {
  pm_context *ctx = pm_q_context(p);
  pm_string stage;
  pm_type type;
  if (!pm_q_symbol(p, &stage) || !pm_q_punct(p, ":") || !pm_q_type_or_tuple(p, &type) || !pm_q_word(p, "in"))
    return false;
  pm_state_attr(ctx, state, "stage", pm_get_symbol(ctx, stage));
  pm_state_attr(ctx, state, "type", pm_get_type_attr(type));
  if (!parse_alloc_space(p, state)) return false;
  return pm_q_opt_word_attrs(p, state, poly_alloc_at, 5) && pm_q_opt_attr_dict(p, state);
}

/* Sizes of at least 1, which make at most 2^40 cells, or 0 for all that the stage has. */
static bool verify_sizes(const pm_op *op, unsigned n) {
  const int64_t most = INT64_C(1) << 40;
  pm_attr size = pm_attr_at(op, poly_alloc_size);
  if (!verify_ints(op, poly_alloc_size, n, 0, most)) return false;
  int64_t cells = 1;
  for (unsigned i = 0; i < n; i++) {
    if (!size->items[i]->i && poly_space_of(op) != PM_SPACE_HEAP)
      return pm_op_error(op, "has a size of 0, all that the stage has, in \"%s\", but should be in \"heap\"",
                         pm_attr_at(op, poly_alloc_space)->s->text);
    if (!size->items[i]->i) continue;
    if (cells > most / size->items[i]->i)
      return pm_op_error(op, "has a box of more than %lld elements, but should have fewer", (long long)most);
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

/* Whether boxes, or whole arrays, may live in its space. */
static bool verify_space(const pm_op *op, bool box) {
  pm_space space = poly_space_of(op);
  unsigned flag = box ? PM_SPACE_BOXES : PM_SPACE_ARRAYS;
  if (space ? (pm_get_space_info(space)->flags & flag) != 0 : !box) return true;
  pm_buf list = {0};
  pm_put_spaces(&list, flag, "\"");
  pm_op_error(op, "has \"%s\" as its space, but should have %s%s", pm_attr_at(op, poly_alloc_space)->s->text,
              box ? "" : "\"output\" or ", list.data);
  pm_buf_free(&list);
  return false;
}

/* A box of its own is a scratchpad; what has none is a whole array. */
static bool verify_box(const pm_op *op) {
  isl_map *at = isl_peek_map(pm_attr_at(op, poly_alloc_at));
  bool has_size = pm_attr_at(op, poly_alloc_size) != NULL;
  if ((at != NULL) != has_size)
    return pm_op_error(op, "has only one of 'at' and 'size', but should have both or none");
  if (!verify_space(op, at)) return false;
  return !at || verify_sizes(op, (unsigned)isl_map_dim(at, isl_dim_out));
}

/* What shares memory is in one space: boxes, or whole arrays in the domain. */
static bool verify_pool(const pm_op *op) {
  if (!pm_attr_at(op, poly_alloc_pool)) return true;
  bool whole = !pm_attr_at(op, poly_alloc_at);
  if (!poly_space_of(op)) return pm_op_error(op, "has a pool, but the caller's array shares nothing");
  if (whole && !pm_is(pm_parent(op), &poly_domain))
    return pm_op_error(op, "is a whole array with a pool, which should be in the poly.domain");
  const pm_op *other = poly_first_of_pool(op);
  if (other == op ||
      (poly_space_of(other) == poly_space_of(op) && whole == !pm_attr_at(other, poly_alloc_at)))
    return true;
  return pm_op_error(op,
                     "of @%s is in pool %lld with @%s, but both should be boxes or whole arrays of one space",
                     pm_sym_at(op, poly_alloc_stage)->text, (long long)pm_int_at(op, poly_alloc_pool),
                     pm_sym_at(other, poly_alloc_stage)->text);
}

/* One array is in one memory; that its stages have one domain is for those to say who know it. */
static bool verify_turn(const pm_op *op) {
  if (!pm_attr_at(op, poly_alloc_turn)) return true;
  bool whole = !pm_attr_at(op, poly_alloc_at) && poly_space_of(op) == PM_SPACE_HEAP;
  if (!whole || !pm_is(pm_parent(op), &poly_domain))
    return pm_op_error(op, "has a 'turn', but only whole arrays in \"heap\" should, in the poly.domain");
  const pm_op *other = poly_first_of_turn(op);
  if (pm_attr_at(op, poly_alloc_type) == pm_attr_at(other, poly_alloc_type) &&
      pm_attr_at(op, poly_alloc_pool) == pm_attr_at(other, poly_alloc_pool))
    return true;
  return pm_op_error(op,
                     "of @%s shares 'turn' %lld with @%s, but both should have one type and one pool or none",
                     pm_sym_at(op, poly_alloc_stage)->text, (long long)pm_int_at(op, poly_alloc_turn),
                     pm_sym_at(other, poly_alloc_stage)->text);
}

bool poly_alloc_verify(const pm_op *op) {
  if (!is_node(pm_parent(op)) && !pm_is(pm_parent(op), &poly_domain))
    return pm_op_error(op, "should be in a node of a schedule tree");
  return verify_kind(op, poly_alloc_space, &poly_space_kind) &&
         verify_kind(op, poly_alloc_at, &isl_map_kind) && verify_box(op) && verify_fold(op) &&
         verify_pool(op) && verify_turn(op);
}

/* --- demands --- */

static bool is_func(const pm_op *op) {
  return op && strcmp(op->desc->name, "stage.func") == 0;
}

static const pm_op *find_func(const pm_op *demand, pm_string name) {
  PM_FOR_OPS(op, demand->region)
  if (is_func(op) && pm_attr_named(op, "sym")->s == name) return op;
  return NULL;
}

/* Of an attribute that may be of any form. */
static bool names_stage(const pm_attr symbols, pm_string stage) {
  for (size_t i = 0; symbols && symbols->cls == PM_ATTR_ARRAY && i < symbols->len; i++) {
    const pm_attr symbol = symbols->items[i];
    if (symbol && symbol->cls == PM_ATTR_SYMBOL && symbol->s == stage) return true;
  }
  return false;
}

/* Another demand says the same sort of thing of the stage. */
static bool is_demanded_twice(const pm_op *op, const pm_attr stage) {
  PM_FOR_OPS(other, op->region) {
    if (!pm_is(other, &poly_demand) || other == op) continue;
    if (poly_demand_is_again(other) != poly_demand_is_again(op)) continue;
    if (names_stage(pm_attr_at(other, poly_demand_stages), stage->s)) return true;
  }
  return false;
}

/* An array of symbols of stages, none of them twice. */
static bool verify_stages(const pm_op *op, const pm_attr stages) {
  if (stages->cls != PM_ATTR_ARRAY || stages->len == 0)
    return pm_op_error(op, "should have an array of symbols of stages");
  for (size_t i = 0; i < stages->len; i++) {
    const pm_attr stage = stages->items[i];
    if (!stage || stage->cls != PM_ATTR_SYMBOL || !find_func(op, stage->s))
      return pm_op_error(op, "names %pA, which is no stage.func of the pipeline", (const void *)stage);
    for (size_t k = 0; k < i; k++)
      if (stages->items[k] == stage) return pm_op_error(op, "names @%pS twice", (const void *)stage->s);
  }
  return true;
}

bool poly_demand_verify(const pm_op *op) {
  pm_attr stages = pm_attr_at(op, poly_demand_stages), how = pm_attr_at(op, poly_demand_how),
          readers = pm_attr_at(op, poly_demand_readers);
  bool together = strcmp(how->s->text, "together") == 0;
  if (!together && !poly_demand_is_inline(op) && !poly_demand_is_again(op))
    return pm_op_error(op, "has how = %pA, it should be \"together\", \"inline\" or \"again\"",
                       (const void *)how);
  if (strcmp(pm_parent(op) ? pm_parent(op)->desc->name : "", "stage.pipeline") != 0)
    return pm_op_error(op, "should be in a stage.pipeline");
  if (!verify_stages(op, stages)) return false;
  for (size_t i = 0; i < stages->len; i++)
    if (is_demanded_twice(op, stages->items[i]))
      return pm_op_error(op, "names @%pS, which another demand names already",
                         (const void *)stages->items[i]->s);
  if (poly_demand_is_again(op) != (readers != NULL))
    return pm_op_error(op, "should have readers if it is \"again\", and only then");
  if (readers && !verify_stages(op, readers)) return false;
  pm_attr tile = pm_attr_at(op, poly_demand_tile), inner = pm_attr_at(op, poly_demand_inner),
          items = pm_attr_at(op, poly_demand_items);
  if ((tile || inner) && !together) return pm_op_error(op, "makes no group, it should have no tiles");
  if (items && !tile) return pm_op_error(op, "has items, it should have a tile that they compute");
  if (inner && (!tile || inner->len > tile->len))
    return pm_op_error(op, "has more sizes of steps than of tiles");
  return verify_ints(op, poly_demand_tile, tile ? (unsigned)tile->len : 0, 0, INT64_MAX) &&
         verify_ints(op, poly_demand_inner, inner ? (unsigned)inner->len : 0, 1, INT64_MAX) &&
         verify_ints(op, poly_demand_items, items ? (unsigned)items->len : 0, 1, INT32_MAX);
}

static pm_attr symbols_of(pm_context *ctx, const pm_string *names, size_t n) {
  pm_attr *symbols = pm_xcalloc(n + 1, sizeof *symbols);
  for (size_t i = 0; i < n; i++) symbols[i] = pm_get_symbol(ctx, names[i]);
  pm_attr all = pm_get_array(ctx, symbols, n);
  free(symbols);
  return all;
}

pm_op *poly_add_demand(pm_builder *b, const char *how, const pm_string *stages, size_t n, const int64_t *tile,
                       size_t n_tile, const int64_t *inner, size_t n_inner) {
  pm_context *ctx = pm_module_context(b->module);
  pm_attr attrs[poly_demand_N_ATTRS] = {[poly_demand_how] = pm_get_string_attr(ctx, pm_str_of(how)),
                                        [poly_demand_stages] = symbols_of(ctx, stages, n)};
  if (tile) attrs[poly_demand_tile] = pm_get_index_array(ctx, tile, n_tile);
  if (inner) attrs[poly_demand_inner] = pm_get_index_array(ctx, inner, n_inner);
  return pm_build(b, &poly_demand, NULL, 0, NULL, 0, attrs);
}

pm_op *poly_add_demand_again(pm_builder *b, pm_string stage, const pm_string *readers, size_t n) {
  pm_context *ctx = pm_module_context(b->module);
  pm_attr attrs[poly_demand_N_ATTRS] = {[poly_demand_how] = pm_get_string_attr(ctx, pm_str_of("again")),
                                        [poly_demand_stages] = symbols_of(ctx, &stage, 1),
                                        [poly_demand_readers] = symbols_of(ctx, readers, n)};
  return pm_build(b, &poly_demand, NULL, 0, NULL, 0, attrs);
}

static bool is_how(const pm_op *op, const char *how) {
  return op && pm_is(op, &poly_demand) && strcmp(pm_attr_at(op, poly_demand_how)->s->text, how) == 0;
}

bool poly_demand_is_inline(const pm_op *op) {
  return is_how(op, "inline");
}

bool poly_demand_is_again(const pm_op *op) {
  return is_how(op, "again");
}

bool poly_demand_has_reader(const pm_op *demand, pm_string reader) {
  return names_stage(pm_attr_at(demand, poly_demand_readers), reader);
}

bool poly_has_demands(const pm_op *pipeline) {
  PM_FOR_OPS(op, pm_region_at(pipeline, 0))
  if (pm_is(op, &poly_demand)) return true;
  return false;
}

pm_op *poly_find_demand(const pm_op *pipeline, pm_string stage) {
  PM_FOR_OPS(op, pm_region_at(pipeline, 0))
  if (pm_is(op, &poly_demand) && !poly_demand_is_again(op) &&
      names_stage(pm_attr_at(op, poly_demand_stages), stage))
    return op;
  return NULL;
}

/* Puts `into` in the place of the stage, where it is not named already; false: nobody is named any more. */
static bool replace_symbol(pm_op *demand, unsigned slot, pm_string stage, const pm_string *into, size_t n) {
  pm_attr old = pm_attr_at(demand, slot);
  PM_VEC(pm_string) names = {0};
  for (size_t i = 0; i < old->len; i++)
    if (old->items[i]->s != stage) PM_VEC_PUSH(names, old->items[i]->s);
  for (size_t i = 0; i < n; i++) {
    bool known = false;
    for (size_t k = 0; k < names.len; k++) known = known || names.data[k] == into[i];
    if (!known) PM_VEC_PUSH(names, into[i]);
  }
  bool any = names.len > 0;
  if (any)
    pm_set_attr(demand, slot, symbols_of(pm_module_context(pm_module_of(demand)), names.data, names.len));
  PM_VEC_FREE(names);
  return any;
}

void poly_drop_from_demand(pm_op *demand, pm_string stage) {
  if (!replace_symbol(demand, poly_demand_stages, stage, NULL, 0)) pm_op_erase(demand);
}

void poly_forget_stage(pm_op *pipeline, pm_string stage, const pm_string *into, size_t n) {
  pm_op *next = NULL;
  for (pm_op *op = pm_region_at(pipeline, 0)->first; op; op = next) {
    next = op->next;
    if (!pm_is(op, &poly_demand)) continue;
    if (poly_demand_has_reader(op, stage) && !replace_symbol(op, poly_demand_readers, stage, into, n)) {
      pm_op_erase(op);
      continue;
    }
    if (names_stage(pm_attr_at(op, poly_demand_stages), stage)) poly_drop_from_demand(op, stage);
  }
}
