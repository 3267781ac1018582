#include "dialects/poly/tree.h"

#include "dialects/poly/marks.h"

#include <stdlib.h>
#include <string.h>

static pm_builder inside(pm_builder *b, pm_op *op) {
  return pm_builder_at_end(b->module, pm_region_at(op, 0), b->loc);
}

static pm_op *add(pm_builder *b, const pm_op_desc *desc, const pm_attr *attrs) {
  return pm_build(b, desc, NULL, 0, NULL, 0, attrs);
}

static pm_context *context_of(const pm_builder *b) {
  return pm_module_context(b->module);
}

pm_builder poly_add_schedule(pm_builder *b) {
  return inside(b, add(b, &poly_schedule, NULL));
}

pm_builder poly_add_domain(pm_builder *b, __isl_take isl_union_set *instances) {
  return inside(b, add(b, &poly_domain, (pm_attr[]){isl_attr_of_union_set(context_of(b), instances)}));
}

pm_builder poly_add_sequence(pm_builder *b) {
  return inside(b, add(b, &poly_sequence, NULL));
}

pm_builder poly_add_filter(pm_builder *b, __isl_take isl_union_set *instances) {
  return inside(b, add(b, &poly_filter, (pm_attr[]){isl_attr_of_union_set(context_of(b), instances)}));
}

pm_builder poly_add_tiled_group(pm_builder *b, const int64_t *sizes, size_t n, const int64_t *inner,
                                size_t n_inner) {
  pm_context *ctx = context_of(b);
  pm_builder group = poly_add_mark(b, POLY_MARK_group);
  pm_set_attr(group.region->op, poly_mark_tile, pm_get_index_array(ctx, sizes, n));
  if (inner) pm_set_attr(group.region->op, poly_mark_inner, pm_get_index_array(ctx, inner, n_inner));
  return group;
}

void poly_set_worker(pm_op *mark, const char *worker) {
  pm_set_attr(mark, poly_mark_worker, pm_get_string_attr(pm_op_context(mark), pm_str_of(worker)));
}

pm_builder poly_add_extension(pm_builder *b, __isl_take isl_union_map *map) {
  return inside(b, add(b, &poly_extension, (pm_attr[]){isl_attr_of_union_map(context_of(b), map)}));
}

pm_builder poly_add_expansion(pm_builder *b, __isl_take isl_union_map *map) {
  return inside(b, add(b, &poly_expansion, (pm_attr[]){isl_attr_of_union_map(context_of(b), map)}));
}

__isl_give isl_multi_union_pw_aff *poly_as_read(__isl_take isl_multi_union_pw_aff *schedule) {
  isl_ctx *isl = isl_multi_union_pw_aff_get_ctx(schedule);
  char *text = isl_multi_union_pw_aff_to_str(schedule);
  isl_multi_union_pw_aff_free(schedule);
  schedule = isl_multi_union_pw_aff_read_from_str(isl, text);
  free(text);
  return schedule;
}

pm_builder poly_add_band(pm_builder *b, __isl_take isl_multi_union_pw_aff *schedule, poly_band_info info) {
  pm_context *ctx = context_of(b);
  size_t n = (size_t)isl_multi_union_pw_aff_dim(schedule, isl_dim_set);
  pm_attr attrs[poly_band_N_ATTRS] = {NULL};
  attrs[poly_band_schedule] = isl_attr_of_mupa(ctx, schedule);
  attrs[poly_band_permutable] = info.permutable ? pm_get_unit(ctx) : NULL;
  attrs[poly_band_coincident] = info.coincident ? pm_get_index_array(ctx, info.coincident, n) : NULL;
  attrs[poly_band_tile] = info.tile ? pm_get_index_array(ctx, info.tile, n) : NULL;
  return inside(b, add(b, &poly_band, attrs));
}

pm_op *poly_add_alloc(pm_builder *b, pm_string stage, pm_type type, pm_space space, __isl_take isl_map *at,
                      const int64_t *size, const int64_t *fold, unsigned n) {
  pm_context *ctx = context_of(b);
  pm_attr attrs[poly_alloc_N_ATTRS] = {NULL};
  attrs[poly_alloc_stage] = pm_get_symbol(ctx, stage);
  attrs[poly_alloc_type] = pm_get_type_attr(type);
  attrs[poly_alloc_space] = poly_space_attr(ctx, space);
  attrs[poly_alloc_at] = at ? isl_attr_of_map(ctx, at) : NULL;
  attrs[poly_alloc_size] = at ? pm_get_index_array(ctx, size, n) : NULL;
  attrs[poly_alloc_fold] = at && fold ? pm_get_index_array(ctx, fold, n) : NULL;
  return add(b, &poly_alloc, attrs);
}

pm_op *poly_find_schedule(const pm_op *pipeline) {
  PM_FOR_OPS(op, pm_region_at(pipeline, 0))
  if (pm_is(op, &poly_schedule)) return op;
  return NULL;
}

pm_op *poly_child(const pm_op *node) {
  PM_FOR_OPS(op, pm_region_at(node, 0))
  if (!pm_is(op, &poly_alloc)) return op;
  return NULL;
}

bool poly_has_filters(const pm_op *node) {
  return pm_is(node, &poly_sequence) || pm_is(node, &poly_set);
}

bool poly_holds_only(const pm_op *node, const pm_op *child) {
  const pm_region *inside = pm_region_at(node, 0);
  return inside->first == child && inside->last == child;
}

bool poly_is_coincident(const pm_op *band) {
  pm_attr coincident = pm_attr_at(band, poly_band_coincident);
  bool all = coincident && coincident->len > 0;
  for (uint32_t i = 0; all && i < coincident->len; i++) all = coincident->items[i]->i != 0;
  return all;
}

unsigned poly_band_members(const pm_op *band) {
  return (unsigned)isl_multi_union_pw_aff_dim(isl_peek_mupa(pm_attr_at(band, poly_band_schedule)),
                                              isl_dim_set);
}

bool poly_has_worker(const pm_op *mark, const char *worker) {
  pm_attr said = pm_attr_at(mark, poly_mark_worker);
  return said && strcmp(said->s->text, worker) == 0;
}

static isl_stat stop_at_quotient(__isl_take isl_set *where, __isl_take isl_aff *aff, void *user) {
  bool *divides = user;
  *divides = isl_aff_dim(aff, isl_dim_div) > 0;
  isl_set_free(where);
  isl_aff_free(aff);
  return *divides ? isl_stat_error : isl_stat_ok;
}

static isl_stat stop_at_quotients(__isl_take isl_pw_aff *function, void *user) {
  isl_stat result = isl_pw_aff_foreach_piece(function, stop_at_quotient, user);
  isl_pw_aff_free(function);
  return result;
}

bool poly_goes_over_pieces(const pm_op *band) {
  bool divides = false;
  isl_multi_union_pw_aff *all = isl_peek_mupa(pm_attr_at(band, poly_band_schedule));
  unsigned n = poly_band_members(band);
  isl_union_pw_aff *last = n ? isl_multi_union_pw_aff_get_union_pw_aff(all, (int)n - 1) : NULL;
  if (last) (void)isl_union_pw_aff_foreach_pw_aff(last, stop_at_quotients, &divides);
  isl_union_pw_aff_free(last);
  return divides;
}

void poly_permute_band(pm_op *band, const unsigned *order) {
  isl_multi_union_pw_aff *old = isl_peek_mupa(pm_attr_at(band, poly_band_schedule));
  isl_multi_union_pw_aff *permuted = isl_multi_union_pw_aff_copy(old);
  pm_attr of_old = pm_attr_at(band, poly_band_coincident);
  unsigned n = poly_band_members(band);
  PM_VEC(pm_attr) list = {0};
  for (unsigned k = 0; k < n; k++) {
    isl_union_pw_aff *member = isl_multi_union_pw_aff_get_union_pw_aff(old, (int)order[k]);
    permuted = isl_multi_union_pw_aff_set_union_pw_aff(permuted, (int)k, member);
    if (of_old) PM_VEC_PUSH(list, of_old->items[order[k]]);
  }
  pm_set_attr(band, poly_band_schedule, isl_attr_of_mupa(pm_op_context(band), permuted));
  if (of_old) pm_set_attr(band, poly_band_coincident, pm_get_array(pm_op_context(band), list.data, list.len));
  PM_VEC_FREE(list);
}

typedef struct extraction {
  const char *stage;
  isl_map *found;
  isl_aff *function;
} extraction;

static bool is_of(const extraction *x, const char *name) {
  return name && strcmp(name, x->stage) == 0;
}

static isl_stat take_if_stage(__isl_take isl_map *map, void *user) {
  extraction *x = user;
  if (!x->found && is_of(x, isl_map_get_tuple_name(map, isl_dim_in)))
    x->found = map;
  else
    isl_map_free(map);
  return isl_stat_ok;
}

static isl_stat take_if_function(__isl_take isl_pw_aff *member, void *user) {
  extraction *x = user;
  isl_space *space = isl_pw_aff_get_domain_space(member);
  bool fits =
      is_of(x, isl_space_get_tuple_name(space, isl_dim_set)) && isl_pw_aff_isa_aff(member) == isl_bool_true;
  isl_space_free(space);
  if (fits)
    x->function = isl_pw_aff_as_aff(member);
  else
    isl_pw_aff_free(member);
  return isl_stat_ok;
}

/* A member of the band on the stage's instances, where that is one function on all of them; else NULL. */
static __isl_give isl_aff *member_function(isl_multi_union_pw_aff *schedule, int member, const char *stage) {
  extraction x = {.stage = stage};
  isl_union_pw_aff *all = isl_multi_union_pw_aff_get_union_pw_aff(schedule, member);
  isl_union_pw_aff_foreach_pw_aff(all, take_if_function, &x);
  isl_union_pw_aff_free(all);
  return x.function;
}

/* The map when all members are such functions; else NULL. */
static __isl_give isl_map *map_of_functions(isl_multi_union_pw_aff *schedule, const char *stage) {
  int n = (int)isl_multi_union_pw_aff_dim(schedule, isl_dim_set);
  isl_aff_list *list = isl_aff_list_alloc(isl_multi_union_pw_aff_get_ctx(schedule), n);
  isl_aff *function = NULL;
  for (int i = 0; i < n && (function = member_function(schedule, i, stage)); i++)
    list = isl_aff_list_add(list, function);
  if (!function) {
    isl_aff_list_free(list);
    return NULL;
  }
  isl_aff *first = isl_aff_list_get_aff(list, 0);
  isl_space *domain = isl_aff_get_domain_space(first), *range = isl_multi_union_pw_aff_get_space(schedule);
  isl_aff_free(first);
  range = isl_space_align_params(range, isl_space_copy(domain));
  domain = isl_space_align_params(domain, isl_space_copy(range));
  isl_space *both = isl_space_map_from_domain_and_range(domain, range);
  return isl_map_from_multi_aff(isl_multi_aff_from_aff_list(both, list));
}

__isl_give isl_map *poly_band_map(const pm_op *band, pm_string stage) {
  extraction x = {.stage = stage->text};
  isl_multi_union_pw_aff *schedule = isl_peek_mupa(pm_attr_at(band, poly_band_schedule));
  isl_map *map = map_of_functions(schedule, stage->text);
  if (map) return map;
  isl_union_map *all = isl_union_map_from_multi_union_pw_aff(isl_multi_union_pw_aff_copy(schedule));
  isl_union_map_foreach_map(all, take_if_stage, &x);
  isl_union_map_free(all);
  return x.found;
}

__isl_give isl_union_set *poly_instances_of(const pm_op *op) {
  unsigned slot = pm_is(op, &poly_extension) ? (unsigned)poly_extension_map : (unsigned)poly_expansion_map;
  return isl_union_map_range(isl_union_map_copy(isl_peek_union_map(pm_attr_at(op, slot))));
}

typedef struct collection {
  const pm_op_desc *desc;
  poly_ops *out;
} collection;

static pm_walk collect_one(void *user, pm_op *op) {
  collection *c = user;
  if (pm_is(op, c->desc)) PM_VEC_PUSH(*c->out, op);
  return PM_WALK_ON;
}

void poly_collect(pm_op *root, const pm_op_desc *desc, poly_ops *out) {
  pm_walk_pre(root, collect_one, &(collection){desc, out});
}

static pm_walk add_names(void *user, pm_op *op) {
  poly_names *names = user;
  if (pm_is(op, &poly_band)) poly_band_names(op, names);
  if (pm_is(op, &poly_filter))
    poly_stage_names(pm_op_context(op), isl_peek_union_set(pm_attr_at(op, poly_filter_instances)), names);
  return PM_WALK_ON;
}

void poly_collect_atomic(pm_op *schedule, pm_map *names) {
  poly_ops marks = {0};
  poly_names below = {0};
  poly_collect(schedule, &poly_mark, &marks);
  for (size_t i = 0; i < marks.len; i++)
    if (poly_is_mark(marks.data[i], POLY_MARK_atomic)) pm_walk_pre(marks.data[i], add_names, &below);
  for (size_t i = 0; i < below.len; i++) pm_map_set(names, below.data[i], (void *)below.data[i]);
  PM_VEC_FREE(marks);
  PM_VEC_FREE(below);
}

pm_op *poly_find_alloc(const pm_op *node, pm_string stage) {
  for (; node && !pm_is(node, &poly_schedule); node = pm_parent(node)) {
    PM_FOR_OPS(op, node->region)
    if (pm_is(op, &poly_alloc) && pm_sym_at(op, poly_alloc_stage) == stage) return op;
  }
  return NULL;
}

pm_op *poly_array_of(const pm_op *node, pm_string stage) {
  pm_op *alloc = poly_find_alloc(node, stage);
  return alloc && !pm_attr_at(alloc, poly_alloc_at) ? alloc : NULL;
}

/* The first in its node that has the same attribute there; itself when it has none. */
static const pm_op *first_alike(const pm_op *alloc, unsigned slot) {
  pm_attr number = pm_attr_at(alloc, slot);
  for (const pm_op *op = alloc->region->first; number && op != alloc; op = op->next)
    if (pm_is(op, &poly_alloc) && pm_attr_at(op, slot) == number) return op;
  return alloc;
}

const pm_op *poly_first_of_pool(const pm_op *alloc) {
  return first_alike(alloc, poly_alloc_pool);
}

const pm_op *poly_first_of_turn(const pm_op *alloc) {
  return first_alike(alloc, poly_alloc_turn);
}

static int64_t box_cells(const pm_op *alloc) {
  pm_attr size = pm_attr_at(alloc, poly_alloc_size);
  int64_t cells = 1;
  for (uint32_t i = 0; i < size->len; i++)
    if (size->items[i]->i) cells = pm_wrap_mul(cells, size->items[i]->i);
  return cells;
}

bool poly_box_is_open(const pm_op *alloc, unsigned dim) {
  return !pm_attr_at(alloc, poly_alloc_size)->items[dim]->i;
}

bool poly_box_is_any_open(const pm_op *alloc) {
  pm_attr size = pm_attr_at(alloc, poly_alloc_size);
  for (uint32_t d = 0; size && d < size->len; d++)
    if (poly_box_is_open(alloc, d)) return true;
  return false;
}

int64_t poly_box_bytes(const pm_op *alloc) {
  if (!pm_attr_at(alloc, poly_alloc_size)) return -1;
  return pm_wrap_mul(box_cells(alloc), (int64_t)pm_element_bytes(pm_attr_at(alloc, poly_alloc_type)->t));
}

/* Of element `i` of the tuples; -1 when it has fewer. */
static int64_t element_bytes(const pm_op *alloc, unsigned i) {
  pm_type type = pm_attr_at(alloc, poly_alloc_type)->t;
  if (i >= pm_tuple_len(type)) return -1;
  return pm_wrap_mul(box_cells(alloc), (int64_t)pm_element_bytes(pm_tuple_at(type, i)));
}

int64_t poly_memory_bytes(const pm_op *alloc) {
  pm_attr pool = pm_attr_at(alloc, poly_alloc_pool);
  if (!pm_attr_at(alloc, poly_alloc_size) || poly_first_of_pool(alloc) != alloc) return 0;
  if (!pool) return poly_box_bytes(alloc);
  int64_t total = 0, most = 0;
  for (unsigned i = 0; most >= 0; i++) {
    most = -1;
    for (const pm_op *op = alloc; op; op = op->next) {
      if (!pm_is(op, &poly_alloc) || pm_attr_at(op, poly_alloc_pool) != pool) continue;
      int64_t bytes = element_bytes(op, i);
      if (bytes > most) most = bytes;
    }
    if (most > 0) total = pm_wrap_add(total, most);
  }
  return total;
}

typedef struct naming {
  pm_context *ctx;
  poly_names *out;
} naming;

static isl_stat push_name(__isl_take isl_set *set, void *user) {
  naming *n = user;
  const char *name = isl_set_get_tuple_name(set);
  if (name) PM_VEC_PUSH(*n->out, pm_get_cstring(n->ctx, name));
  isl_set_free(set);
  return isl_stat_ok;
}

void poly_stage_names(pm_context *ctx, isl_union_set *instances, poly_names *out) {
  isl_union_set_foreach_set(instances, push_name, &(naming){ctx, out});
}

void poly_band_names(const pm_op *band, poly_names *out) {
  isl_multi_union_pw_aff *m =
      isl_multi_union_pw_aff_copy(isl_peek_mupa(pm_attr_at(band, poly_band_schedule)));
  isl_union_set *instances = isl_multi_union_pw_aff_domain(m);
  poly_stage_names(pm_op_context(band), instances, out);
  isl_union_set_free(instances);
}

static pm_walk stop_at_mark(void *user, pm_op *op) {
  return poly_is_mark(op, *(const poly_mark_kind *)user) ? PM_WALK_STOP : PM_WALK_ON;
}

pm_op *poly_mark_below(pm_op *node, poly_mark_kind kind) {
  pm_op *child = poly_child(node);
  if (!child || !pm_walk_pre(child, stop_at_mark, &kind)) return NULL;
  pm_builder b = pm_builder_before(child);
  b = poly_add_mark(&b, kind);
  pm_move_before(child, b.region, NULL);
  return b.region->op;
}
