/* pack-accesses: loads and stores of cells next to each other become those of vectors.
 *
 *   loop.parallel … {                          |  %0 = arith.remi %m, %c2 : index
 *                                              |  %1 = arith.cmp eq, %0, %c0 : index
 *                                              |  loop.if %1 {
 *                                              |    loop.parallel … {
 *     %x = buf.load %a[%i, %j * 2]             |      %v = vec.load %a[%i, %j * 2] {align = 8}
 *     %y = buf.load %a[%i, %j * 2 + 1]         |      %x = vec.extract %v[0] …
 *     …                                        |      …
 *                                              |    }
 *                                              |  } else {
 *   }                                          |    loop.parallel … { as it was } }
 *
 * It is done in loops for many threads or items, which run one beside the other: on devices whose items take
 * turns at memory, where one access of several cells is worth as many. A vector has as many cells as the
 * factors of what the last index is computed from have in common, up to 16 bytes, so that it stands at a
 * multiple of its size where rows have multiples of it; a loop for others is beside it. Arrays begin at
 * multiples of 16 bytes. Loads are of arrays that the loop does not write, and two cells of a vector make
 * one, for whatever else is in it is in the same row; stores are of all cells of a vector, with no access to
 * the array between (Larsen, Amarasinghe, PLDI 2000, "Exploiting Superword Level Parallelism", for memory
 * alone). An array of one row may have any size where all cells of its vectors are accessed.
 */
#include "dialects/arith/arith.h"
#include "dialects/loop/analyses/indices.h"
#include "dialects/loop/analyses/linear.h"
#include "dialects/loop/analyses/loops.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/loop.h"
#include "dialects/loop/vec.h"
#include "dialects/machine/machine.h"
#include "passes/options.h"

#include <stdlib.h>

enum { MOST_LANES = 16, MOST_RANK = 8 };

/* One access, in linear form. */
typedef struct place {
  pm_op *op;
  loop_access access;
  loop_linear index[MOST_RANK];
  unsigned rank;
  int64_t lanes;
} place;

/* Accesses of the cells of one vector, by lane. */
typedef struct pack {
  pm_op *lane[MOST_LANES];
  pm_op *first, *last; /* as they stand */
  int64_t lanes;
  int64_t first_lane; /* of `first`, and of `last` */
  int64_t last_lane;
} pack;

/* Rows of the array have a multiple of so many cells. */
typedef struct demand {
  const pm_value *array;
  int64_t lanes;
} demand;

typedef PM_VEC(place) place_list;

typedef struct packing {
  pm_op *loop; /* for threads, the outermost */
  PM_VEC(pack) packs;
  PM_VEC(demand) demands;
  int64_t loads, stores;
} packing;

/* --- places --- */

static bool is_written(const packing *p, const pm_value *array) {
  PM_FOR_USES(use, array)
  if (pm_is_ancestor(p->loop, pm_user(use)) && pm_has_trait(pm_user(use), PM_WRITES)) return true;
  return false;
}

/* The power of two that divides all factors of the index, no more than a vector has cells. */
static int64_t lanes_of(const loop_linear *index, int64_t bytes) {
  int64_t lanes = PM_ITEM_ACCESS_BYTES / bytes < MOST_LANES ? PM_ITEM_ACCESS_BYTES / bytes : MOST_LANES;
  for (size_t i = 0; i < index->terms.len; i++)
    while (index->terms.data[i].factor % lanes) lanes /= 2;
  return lanes;
}

static void free_place(place *at) {
  for (unsigned d = 0; d < at->rank; d++) loop_linear_free(&at->index[d]);
}

/* The op accesses one cell of an array from outside of the loop, which may be one of a vector. */
static bool find_place(const packing *p, pm_op *op, place *at) {
  *at = (place){.op = op};
  if (!(pm_is(op, &buf_load) || pm_is(op, &buf_store)) || buf_stage_of(op)) return false;
  if (!loop_find_access(op, &at->access)) return false;
  const pm_value *array = at->access.buffer;
  pm_type type = array->type;
  size_t bytes = pm_element_bytes(pm_elem_type(type));
  if (loop_changes_in(array, p->loop) || type->strides || pm_is_bool(pm_elem_type(type)) || bytes > 8)
    return false;
  if (type->rank < 1 || type->rank > MOST_RANK || at->access.map->n_results != type->rank) return false;
  if (pm_is(op, &buf_load) && is_written(p, array)) return false;
  for (; at->rank < type->rank; at->rank++)
    if (!loop_linear_add_index(&at->index[at->rank], &at->access, at->access.map->results[at->rank])) {
      at->rank++;
      free_place(at);
      return false;
    }
  const loop_linear *last = &at->index[type->rank - 1];
  at->lanes = last->terms.len ? lanes_of(last, (int64_t)bytes) : 1;
  if (type->dims[type->rank - 1] != PM_DYNAMIC)
    while (type->dims[type->rank - 1] % at->lanes) at->lanes /= 2;
  if (at->lanes < 2) free_place(at);
  return at->lanes >= 2;
}

static int64_t lane_of(const place *at) {
  return pm_floor_mod(at->index[at->rank - 1].number, at->lanes);
}

/* Both are of one vector. */
static bool are_together(const place *a, const place *b) {
  if (a->op->desc != b->op->desc || a->access.buffer != b->access.buffer) return false;
  for (unsigned d = 0; d < a->rank; d++) {
    if (!loop_linear_same_terms(&a->index[d], &b->index[d])) return false;
    if (d + 1 < a->rank && a->index[d].number != b->index[d].number) return false;
  }
  return a->index[a->rank - 1].number - lane_of(a) == b->index[a->rank - 1].number - lane_of(b);
}

/* --- packs --- */

static pm_walk stop_at_access(void *user, pm_op *op) {
  loop_access access;
  return loop_find_access(op, &access) && loop_share_memory(access.buffer, user) ? PM_WALK_STOP : PM_WALK_ON;
}

/* Nothing between the ops but those of the pack accesses the array. */
static bool is_alone(const pack *k, pm_value *array) {
  for (pm_op *op = k->first; op != k->last; op = op->next) {
    bool own = false;
    for (int64_t i = 0; i < k->lanes; i++) own = own || k->lane[i] == op;
    if (!own && (pm_is(op, &loop_call) || !pm_walk_pre(op, stop_at_access, array))) return false;
  }
  return true;
}

/* Where only some cells of a vector are accessed, the others must be there; where rows follow each other,
 * each must begin where a vector does. */
static void demand_rows(packing *p, const pm_value *array, int64_t lanes, bool all) {
  unsigned rank = array->type->rank;
  if ((rank < 2 && all) || array->type->dims[rank - 1] != PM_DYNAMIC) return;
  for (size_t i = 0; i < p->demands.len; i++) {
    demand *d = &p->demands.data[i];
    if (d->array != array) continue;
    if (lanes > d->lanes) d->lanes = lanes;
    return;
  }
  PM_VEC_PUSH(p->demands, ((demand){array, lanes}));
}

/* The pack of place number `i` with those behind it, which are then no longer of others: their lanes are 0.
 */
static void add_pack(packing *p, place_list *places, size_t i) {
  place *at = &places->data[i];
  bool loads = pm_is(at->op, &buf_load);
  pack k = {.first = at->op, .last = at->op, .lanes = at->lanes, .first_lane = lane_of(at)};
  int64_t n = 0;
  for (size_t j = i; j < places->len; j++) {
    place *other = &places->data[j];
    if (!other->lanes || !are_together(at, other) || k.lane[lane_of(other)]) continue;
    k.lane[lane_of(other)] = k.last = other->op;
    k.last_lane = lane_of(other);
    n++;
    if (j != i) other->lanes = 0;
  }
  if (loads ? n < 2 : n < k.lanes || !is_alone(&k, (pm_value *)at->access.buffer)) return;
  demand_rows(p, at->access.buffer, k.lanes, n == k.lanes);
  PM_VEC_PUSH(p->packs, k);
}

static void find_packs(packing *p, pm_region *region) {
  place_list places = {0};
  place at;
  PM_FOR_OPS(op, region) {
    for (unsigned r = 0; r < op->n_regions; r++)
      if (pm_region_at(op, r)->present) find_packs(p, pm_region_at(op, r));
    if (find_place(p, op, &at)) PM_VEC_PUSH(places, at);
  }
  for (size_t i = 0; i < places.len; i++)
    if (places.data[i].lanes) add_pack(p, &places, i);
  for (size_t i = 0; i < places.len; i++) free_place(&places.data[i]);
  PM_VEC_FREE(places);
}

/* --- rewriting --- */

/* The map of an access, so many cells before along the last dimension. */
static pm_affine_map map_before(const loop_access *access, int64_t cells) {
  pm_affine_map map = access->map;
  pm_affine_expr results[MOST_RANK];
  for (uint32_t r = 0; r < map->n_results; r++) results[r] = map->results[r];
  results[map->n_results - 1] = pm_affine_normalize(pm_affine_addc(results[map->n_results - 1], -cells));
  return pm_get_affine_map(map->ctx, map->n_dims, map->n_syms, results, map->n_results);
}

static pm_attr align_of(const packing *p, const loop_access *access, int64_t lanes) {
  int64_t bytes = lanes * (int64_t)pm_element_bytes(pm_elem_type(access->buffer->type));
  return pm_get_index_attr(pm_op_context(p->loop), bytes);
}

static void pack_loads(packing *p, const pack *k) {
  loop_access access;
  (void)loop_find_access(k->first, &access);
  pm_builder b = pm_builder_before(k->first);
  pm_type type = pm_get_vector(pm_elem_type(access.buffer->type), (uint32_t)k->lanes);
  pm_value *vector = vec_build_load_at(&b, type, &access, map_before(&access, k->first_lane));
  pm_set_attr(pm_def(vector), vec_load_align, align_of(p, &access, k->lanes));
  pm_value *lanes[MOST_LANES] = {NULL};
  for (int64_t i = 0; i < k->lanes; i++)
    if (k->lane[i]) lanes[i] = vec_build_extract(&b, vector, i);
  for (int64_t i = 0; i < k->lanes; i++) {
    if (!lanes[i]) continue;
    pm_replace_op(k->lane[i], &lanes[i]);
    p->loads++;
  }
}

static void pack_stores(packing *p, const pack *k) {
  loop_access access;
  (void)loop_find_access(k->last, &access);
  pm_builder b = pm_builder_before(k->last);
  pm_value *cells[MOST_LANES];
  for (int64_t i = 0; i < k->lanes; i++) cells[i] = pm_arg(k->lane[i], buf_store_value);
  pm_value *vector = vec_build_from_elements(&b, cells, (unsigned)k->lanes);
  pm_op *store = vec_build_store_at(&b, vector, &access, map_before(&access, k->last_lane));
  pm_set_attr(store, vec_store_align, align_of(p, &access, k->lanes));
  for (int64_t i = 0; i < k->lanes; i++) pm_op_erase(k->lane[i]);
  p->stores += k->lanes;
}

static pm_value *extent_of_rows(const pm_value *array) {
  const pm_op *def = pm_def(array);
  unsigned at = pm_is(def, &buf_alloc) ? buf_first_extent(def, pm_value_index(array)) : 0;
  return pm_arg(def, at + buf_open_sizes(array->type) - 1);
}

/* Rows of all arrays have whole vectors, or NULL, for always. */
static pm_value *build_condition(packing *p, pm_builder *b) {
  pm_value *all = NULL;
  for (size_t i = 0; i < p->demands.len; i++) {
    pm_value *rest = pm_build_binary(b, &arith_remi, extent_of_rows(p->demands.data[i].array),
                                     arith_build_index(b, p->demands.data[i].lanes));
    pm_value *whole = arith_build_cmp(b, ARITH_EQ, rest, arith_build_index(b, 0));
    all = all ? pm_build_binary(b, &arith_andi, all, whole) : whole;
  }
  return all;
}

/* The loop as it is now is for rows that have other sizes. */
static void keep_beside(packing *p) {
  pm_builder b = pm_builder_before(p->loop);
  pm_value *condition = build_condition(p, &b);
  if (!condition) return;
  pm_op *versions = loop_build_if(&b, condition);
  pm_region *then = pm_region_begin(pm_region_at(versions, loop_if_then));
  pm_region *other = pm_region_begin(pm_region_at(versions, loop_if_else));
  pm_insert(other, NULL, pm_clone(pm_module_of(p->loop), p->loop, NULL));
  pm_move_before(p->loop, then, NULL);
}

static void pack_loop(packing *p) {
  p->packs.len = p->demands.len = 0;
  find_packs(p, pm_region_at(p->loop, loop_parallel_body));
  if (!p->packs.len) return;
  keep_beside(p);
  for (size_t i = 0; i < p->packs.len; i++) {
    const pack *k = &p->packs.data[i];
    if (pm_is(k->first, &buf_load))
      pack_loads(p, k);
    else
      pack_stores(p, k);
  }
}

typedef PM_VEC(pm_op *) op_list;

static pm_walk list_loop(void *user, pm_op *op) {
  op_list *list = user;
  if (!pm_is(op, &loop_parallel)) return PM_WALK_ON;
  PM_VEC_PUSH(*list, op);
  return PM_WALK_SKIP;
}

pm_result pass_pack_accesses(pm_pass *pass) {
  packing p = {0};
  op_list loops = {0};
  (void)pm_walk_pre(pm_pass_root(pass), list_loop, &loops);
  for (size_t i = 0; i < loops.len; i++) {
    p.loop = loops.data[i];
    pack_loop(&p);
  }
  PM_VEC_FREE(loops);
  PM_VEC_FREE(p.packs);
  PM_VEC_FREE(p.demands);
  pm_pass_stat(pass, "loads packed", p.loads);
  pm_pass_stat(pass, "stores packed", p.stores);
  return p.loads + p.stores ? PM_CHANGED : PM_UNCHANGED;
}
