/* tile: overlapped tiling. The stages that leave a group are cut into tiles; of every other stage a tile
 * computes exactly the points that it needs, again where tiles overlap, so that tiles are independent.
 *
 *   filter "{ bx; by }" { mark "group" {
 *     sequence { filter "{ bx }" { band … } filter "{ by }" { band … } } } }
 *   =>
 *   filter "{ by }" { mark "group" {
 *     band "[{ by[x, y] -> [(floor((x)/32))] }, …]" permutable coincident [1, 1] tile [32, 256] {
 *       extension "{ [t, u] -> bx[x, y] : -1 + 32t <= x <= 32 + 32t and … }" {
 *         sequence { filter "{ bx }" { band … } filter "{ by }" { band … } } } } } }
 *
 * The footprint is the tile widened by the exact distances of the reads, step by step, within the stage's
 * domain: a box for each tile, whose corners may be needed by nobody. Where a group was put together by hand
 * and a distance is not bounded, it is the image of the tile through the accesses, made convex. With
 * shape=cone the halo of a stage starts as that of the published construction: a slope for all levels, times
 * the levels above.
 *
 * With `inner` a tile is computed in steps, one after the other, in which each stage takes its turn: inner
 * parallelogram tiles. A stage is shifted against its readers by the greatest distance at which they look
 * ahead, and no more. Steps of one row make the tile a sliding window:
 *
 *       extension … { sequence { filter "{ bx }" { band "x, y" } filter "{ by }" { band "x, y" } } }
 *   =>
 *       extension … { band "[{ bx[x, y] -> [(-1 + x)]; by[x, y] -> [(x)] }]" {
 *         sequence { filter "{ bx }" { band "y" } filter "{ by }" { band "y" } } } }
 *
 * Updates go with their stage: of a stage that a tile computes for itself it runs the points that may reach
 * the cells, and leaves out the loops over cells, which are for threads:
 *
 *       extension "{ [t] -> sum[x] : 4t <= x <= 5 + 4t; [t] -> sum_u0[x] : 32t <= x <= 47 + 32t }" {
 *         sequence { filter "{ sum }" { band … } filter "{ sum_u0 }" { band … } filter "{ by }" { band … } } }
 */
#include "dialects/poly/dependences/distance.h"
#include "dialects/poly/tiling/footprint.h"
#include "dialects/poly/tiling/group_members.h"
#include "dialects/poly/dependences/update_schedule.h"
#include "dialects/poly/tiling/inner_tiles.h"
#include "dialects/poly/tree.h"
#include "dialects/stage/analyses/estimates.h"
#include "dialects/stage/analyses/graph.h"
#include "passes/options.h"

#include <isl/constraint.h>
#include <stdlib.h>

enum { TILE_SHAPE_OVERLAPPED, TILE_SHAPE_CONE }; /* the words of the option `shape` */
enum { OWN_ALL, OWN_TILE, OWN_NONE };            /* of `own` */

typedef struct tiled_stage {
  const stage_node *node;
  pm_op *band;
  isl_map *schedule; /* Stage[…] -> common space; the member's */
  bool live_out;
  unsigned level;             /* reads on the longest path from a stage of the group that reads none */
  isl_map *needed;            /* tile -> Stage[…] */
  int64_t *halo_lo, *halo_hi; /* common space: what is needed is that far from the tile, <= 0 and >= 0 */
  bool halo_known;
  int64_t *shift; /* common space, in which a step is that of the point plus the shift */
  bool *whole;    /* by common dimension: all that the stage has along it is needed */
} tiled_stage;

typedef struct tiled_update {
  const stage_node *node;
  size_t number;
  pm_op *filter;
  isl_map *schedule; /* u[…] -> common space */
  isl_map *needed;   /* tile -> u[…] */
} tiled_update;

typedef struct tiling {
  pm_pass *pass;
  const stage_graph *graph;
  poly_members members;         /* of one group */
  PM_VEC(tiled_stage) stages;   /* of the members, producers first */
  PM_VEC(tiled_update) updates; /* of these stages */
  unsigned n;                   /* common dimensions */
  int64_t *sizes;               /* by common dimension */
  int64_t *origins;             /* by common dimension: tile number 0 begins there */
  unsigned *order;              /* common dimension of each member of the tile band */
  int64_t *steps;               /* by common dimension: the size of a step, 0: all at once */
  unsigned n_stepped;           /* dimensions with steps */
} tiling;

/* Sizes that are asked for, of the innermost dimensions: of a tile, and of its steps in the first of them. */
typedef struct wanted_sizes {
  const int64_t *tile, *inner;
  size_t n_tile, n_inner;
} wanted_sizes;

static tiled_stage *find_stage(const tiling *t, const stage_node *node) {
  int number = poly_member_number(&t->members, node);
  return number < 0 ? NULL : &t->stages.data[number];
}

static tiled_update *find_update(const tiling *t, const stage_node *node, int number) {
  for (size_t i = 0; i < t->updates.len; i++)
    if (t->updates.data[i].node == node && (int)t->updates.data[i].number == number)
      return &t->updates.data[i];
  return NULL;
}

/* Where the points stand that read, and which of them a tile runs: those of the stage, or of an update; NULL
 * when the group does not run them. Borrowed. */
static isl_map *reader_schedule(const tiling *t, const stage_access *access) {
  const tiled_stage *s = find_stage(t, access->consumer);
  const tiled_update *u = find_update(t, access->consumer, access->update_index);
  return access->update_index < 0 ? (s ? s->schedule : NULL) : u ? u->schedule : NULL;
}

static isl_map *reader_points(const tiling *t, const stage_access *access) {
  const tiled_stage *s = find_stage(t, access->consumer);
  const tiled_update *u = find_update(t, access->consumer, access->update_index);
  return access->update_index < 0 ? (s ? s->needed : NULL) : u ? u->needed : NULL;
}

/* Its values are needed outside the tile; those of a stage that nobody reads are kept too. */
static bool leaves(const tiling *t, const stage_node *node) {
  if (node->is_output || !node->readers.len) return true;
  for (size_t i = 0; i < node->readers.len; i++)
    if (poly_member_number(&t->members, node->readers.data[i]->consumer) < 0) return true;
  return false;
}

/* --- reading a group --- */

static tiled_stage stage_of_member(const tiling *t, const poly_member *m) {
  pm_arena *arena = pm_pass_arena(t->pass);
  tiled_stage s = {.node = m->node, .band = m->band, .schedule = m->schedule, .halo_known = true};
  s.halo_lo = pm_arena_alloc(arena, t->n * sizeof *s.halo_lo);
  s.halo_hi = pm_arena_alloc(arena, t->n * sizeof *s.halo_hi);
  s.shift = pm_arena_alloc(arena, t->n * sizeof *s.shift);
  s.whole = pm_arena_alloc(arena, t->n * sizeof *s.whole);
  s.live_out = leaves(t, s.node);
  poly_find_whole(s.node, s.schedule, t->n, s.whole);
  return s;
}

static tiled_update update_of_member(const tiling *t, const poly_member_update *m) {
  const poly_member *stage = &t->members.list.data[poly_member_number(&t->members, m->node)];
  return (tiled_update){.node = m->node,
                        .number = m->number,
                        .filter = m->filter,
                        .schedule = poly_update_schedule(m->node, m->number, stage->schedule)};
}

/* False when the group does not have the shape that the pass group leaves. */
static bool read_group(tiling *t, pm_op *mark) {
  if (!poly_find_members(t->graph, mark, &t->members)) return false;
  t->n = t->members.n_dims;
  for (size_t i = 0; i < t->members.list.len; i++)
    PM_VEC_PUSH(t->stages, stage_of_member(t, &t->members.list.data[i]));
  for (size_t i = 0; i < t->members.updates.len; i++)
    PM_VEC_PUSH(t->updates, update_of_member(t, &t->members.updates.data[i]));
  return true;
}

static void free_tiling(tiling *t) {
  for (size_t i = 0; i < t->updates.len; i++) {
    isl_map_free(t->updates.data[i].schedule);
    isl_map_free(t->updates.data[i].needed);
  }
  PM_VEC_FREE(t->updates);
  for (size_t i = 0; i < t->stages.len; i++) isl_map_free(t->stages.data[i].needed);
  PM_VEC_FREE(t->stages);
  poly_free_members(&t->members);
}

/* --- tile sizes --- */

static void find_distances(const tiling *t, int64_t *min, int64_t *max) {
  for (size_t i = 0; i < t->stages.len; i++) {
    const stage_node *producer = t->stages.data[i].node;
    for (size_t k = 0; k < producer->readers.len; k++) {
      const stage_access *access = producer->readers.data[k];
      isl_map *reader = reader_schedule(t, access);
      if (reader) poly_widen_distances(access->relation, reader, t->stages.data[i].schedule, t->n, min, max);
    }
  }
}

static bool all_stages_have(const tiling *t, unsigned dim) {
  for (size_t i = 0; i < t->stages.len; i++)
    if (!poly_has_dimension(t->stages.data[i].schedule, t->n, dim)) return false;
  return true;
}

static bool any_whole(const tiling *t, unsigned dim) {
  for (size_t i = 0; i < t->stages.len; i++)
    if (t->stages.data[i].whole[dim]) return true;
  return false;
}

/* The option names the innermost dimensions. An outer one becomes a loop over single points where no
 * dependence crosses it and all stages have it (the channels of a picture), else it takes the first size. */
static void choose_sizes(tiling *t, const int64_t *option, size_t n_option) {
  pm_arena *arena = pm_pass_arena(t->pass);
  int64_t *min = pm_arena_alloc(arena, t->n * sizeof *min), *max = pm_arena_alloc(arena, t->n * sizeof *max);
  t->sizes = pm_arena_alloc(arena, t->n * sizeof *t->sizes);
  find_distances(t, min, max);
  for (unsigned d = 0; d < t->n; d++) {
    bool named = d + n_option >= t->n;
    bool free_of_dependences = min[d] == 0 && max[d] == 0 && all_stages_have(t, d) && !any_whole(t, d);
    t->sizes[d] = named ? option[d + n_option - t->n] : free_of_dependences ? 1 : option[0];
  }
}

static isl_set *domain_at_estimates(const tiling *t, const stage_node *node) {
  isl_set *domain =
      stage_at_estimates(t->graph, isl_set_copy(node->domain), pm_opt_int(t->pass, tile_opt_size));
  return isl_set_project_out_all_params(domain);
}

/* The least coordinate of the stages that leave the group, at the estimates; 0 when they have no points. */
static int64_t first_along(const tiling *t, unsigned dim) {
  bool found = false;
  int64_t first = 0, at;
  for (size_t i = 0; i < t->stages.len; i++) {
    const tiled_stage *s = &t->stages.data[i];
    isl_set *domain = s->live_out ? domain_at_estimates(t, s->node) : NULL;
    if (domain && poly_first_along(s->schedule, domain, dim, &at) && (!found || at < first)) {
      first = at;
      found = true;
    }
    isl_set_free(domain);
  }
  return first;
}

/* Tiles begin where the stages that leave the group begin, so that sizes which are parts of the extent make
 * as many tiles; and the points of scaled stages stand alike in all tiles. Single points count from 0. */
static void choose_origins(tiling *t) {
  t->origins = pm_arena_alloc(pm_pass_arena(t->pass), t->n * sizeof *t->origins);
  for (unsigned d = 0; d < t->n; d++) {
    int64_t unit = 1;
    for (size_t i = 0; i < t->stages.len; i++) {
      int64_t stride = poly_stride_along(t->stages.data[i].schedule, d);
      unit = unit / pm_gcd(unit, stride) * stride;
    }
    if (t->sizes[d] > 1) t->origins[d] = pm_floor_div(first_along(t, d), unit) * unit;
  }
}

/* No number bounds how many points the stages that leave the group have along the dimension. */
static bool is_long(const tiling *t, unsigned dim) {
  for (size_t i = 0; i < t->stages.len; i++) {
    const tiled_stage *s = &t->stages.data[i];
    if (s->live_out && !poly_span_along(s->schedule, s->node->domain, dim)) return true;
  }
  return false;
}

/* Tiles of the first named dimension outermost, or of the first of them along which no number bounds them, so
 * that there are many of them for the threads. */
static void choose_order(tiling *t, size_t n_option) {
  t->order = pm_arena_alloc(pm_pass_arena(t->pass), t->n * sizeof *t->order);
  unsigned named = n_option < t->n ? t->n - (unsigned)n_option : 0, first = named, k = 0;
  while (first < t->n && !is_long(t, first)) first++;
  if (first == t->n) first = named;
  t->order[k++] = first;
  for (unsigned d = 0; d < t->n; d++)
    if (d != first) t->order[k++] = d;
}

/* --- footprints --- */

/* Common space -> tile: floor((c - origin) / size), members in t->order. */
static __isl_give isl_multi_aff *to_tile(const tiling *t, __isl_take isl_space *common) {
  isl_local_space *local = isl_local_space_from_space(isl_space_copy(common));
  isl_multi_aff *ma = isl_multi_aff_zero(isl_space_map_from_set(common));
  for (unsigned k = 0; k < t->n; k++) {
    unsigned d = t->order[k];
    isl_aff *aff = isl_aff_var_on_domain(isl_local_space_copy(local), isl_dim_set, d);
    aff = isl_aff_add_constant_val(aff, isl_val_int_from_si(t->graph->isl, -t->origins[d]));
    aff = isl_aff_scale_down_val(aff, isl_val_int_from_si(t->graph->isl, t->sizes[d]));
    ma = isl_multi_aff_set_aff(ma, (int)k, isl_aff_floor(aff));
  }
  isl_local_space_free(local);
  return ma;
}

/* tile -> the points of a live-out, or of its update, in it */
static __isl_give isl_map *owned(const tiling *t, isl_map *schedule, isl_set *points) {
  isl_map *tile = isl_map_from_multi_aff(to_tile(t, isl_space_range(isl_map_get_space(schedule))));
  isl_map *map = isl_map_reverse(isl_map_apply_range(isl_map_copy(schedule), tile));
  return isl_map_intersect_range(map, isl_set_copy(points));
}

/* The halo of a producer holds that of its reader, moved by the distances of the read. What is whole in the
 * reader is in the producer. */
static void widen_halo(const tiling *t, tiled_stage *producer, const tiled_stage *reader,
                       const stage_access *access) {
  pm_arena *arena = pm_pass_arena(t->pass);
  int64_t *min = pm_arena_alloc(arena, t->n * sizeof *min), *max = pm_arena_alloc(arena, t->n * sizeof *max);
  bool bounded = poly_widen_distances_but_free(access->relation, reader_schedule(t, access),
                                               producer->schedule, t->n, min, max, producer->whole);
  producer->halo_known = producer->halo_known && reader->halo_known && bounded;
  for (unsigned d = 0; d < t->n; d++) {
    if (reader->halo_lo[d] + min[d] < producer->halo_lo[d])
      producer->halo_lo[d] = reader->halo_lo[d] + min[d];
    if (reader->halo_hi[d] + max[d] > producer->halo_hi[d])
      producer->halo_hi[d] = reader->halo_hi[d] + max[d];
    producer->whole[d] = producer->whole[d] || reader->whole[d];
  }
}

/* sign * (common dimension - first point of tile member k) + constant >= 0 */
static __isl_give isl_map *bound_from_tile(const tiling *t, __isl_take isl_map *map, unsigned k, int sign,
                                           int64_t constant) {
  unsigned d = t->order[k];
  isl_constraint *c = isl_constraint_alloc_inequality(isl_local_space_from_space(isl_map_get_space(map)));
  c = isl_constraint_set_coefficient_si(c, isl_dim_out, (int)d, sign);
  c = isl_constraint_set_coefficient_si(c, isl_dim_in, (int)k, -sign * (int)t->sizes[d]);
  c = isl_constraint_set_constant_val(c, isl_val_int_from_si(t->graph->isl, constant - sign * t->origins[d]));
  return isl_map_add_constraint(map, c);
}

/* tile -> the points of a stage in the tile and its halo */
static __isl_give isl_map *tile_and_halo(const tiling *t, const tiled_stage *s) {
  isl_multi_aff *tile = to_tile(t, isl_space_range(isl_map_get_space(s->schedule)));
  isl_map *map = isl_map_universe(isl_space_reverse(isl_multi_aff_get_space(tile)));
  isl_multi_aff_free(tile);
  for (unsigned k = 0; k < t->n; k++) {
    unsigned d = t->order[k];
    if (s->whole[d]) continue;
    map = bound_from_tile(t, map, k, 1, -s->halo_lo[d]);
    map = bound_from_tile(t, map, k, -1, t->sizes[d] - 1 + s->halo_hi[d]);
  }
  return isl_map_apply_range(map, isl_map_reverse(isl_map_copy(s->schedule)));
}

/* tile -> the points of a stage that its readers in the tile need, made convex. */
static __isl_give isl_map *read_points(const tiling *t, const tiled_stage *s) {
  isl_map *all = NULL;
  for (size_t i = 0; i < s->node->readers.len; i++) {
    const stage_access *access = s->node->readers.data[i];
    isl_map *points = reader_points(t, access);
    if (!points) continue;
    isl_map *more = isl_map_apply_range(isl_map_copy(points), isl_map_copy(access->relation));
    all = all ? isl_map_union(all, more) : more;
  }
  all = isl_map_coalesce(all);
  return isl_map_n_basic_map(all) > 1 ? isl_map_from_basic_map(isl_map_simple_hull(all)) : all;
}

/* tile -> the points of a stage that it computes for its own use: those within the distances of the reads,
 * by which the group was judged too. Without such distances, what is read. */
static __isl_give isl_map *brought(const tiling *t, const tiled_stage *s) {
  isl_map *map = s->halo_known ? tile_and_halo(t, s) : read_points(t, s);
  return isl_map_intersect_range(map, isl_set_copy(s->node->domain));
}

/* --- the cone of the PolyMage thesis, section 3.4, Algorithm 1, with whole slopes as in the published code
 * --- */

/* Sets the levels; the greatest. */
static unsigned find_levels(tiling *t) {
  unsigned height = 0;
  for (size_t i = 0; i < t->stages.len; i++) {
    tiled_stage *s = &t->stages.data[i];
    for (size_t k = 0; k < s->node->reads.len; k++) {
      const tiled_stage *producer = find_stage(t, s->node->reads.data[k]->producer);
      if (producer && producer->level + 1 > s->level) s->level = producer->level + 1;
    }
    if (s->level > height) height = s->level;
  }
  return height;
}

/* Adds the farthest reads of the stages of a level, before and after, to the sums. */
static void add_level(const tiling *t, unsigned level, int64_t *before, int64_t *after) {
  pm_arena *arena = pm_pass_arena(t->pass);
  int64_t *min = pm_arena_alloc(arena, t->n * sizeof *min), *max = pm_arena_alloc(arena, t->n * sizeof *max);
  for (size_t i = 0; i < t->stages.len; i++) {
    const tiled_stage *producer = &t->stages.data[i];
    for (size_t k = 0; k < producer->node->readers.len && producer->level == level; k++) {
      const stage_access *access = producer->node->readers.data[k];
      isl_map *reader = reader_schedule(t, access);
      if (reader) (void)poly_widen_distances(access->relation, reader, producer->schedule, t->n, min, max);
    }
  }
  for (unsigned d = 0; d < t->n; d++) {
    before[d] += min[d];
    after[d] += max[d];
  }
}

/* The least slopes of both hyperplanes that hold the sums of every level; `left` <= 0 <= `right`. */
static void find_slopes(const tiling *t, unsigned height, int64_t *left, int64_t *right) {
  pm_arena *arena = pm_pass_arena(t->pass);
  int64_t *before = pm_arena_alloc(arena, t->n * sizeof *before);
  int64_t *after = pm_arena_alloc(arena, t->n * sizeof *after);
  for (unsigned depth = 1; depth <= height; depth++) {
    add_level(t, height - depth, before, after);
    for (unsigned d = 0; d < t->n; d++) {
      if (pm_floor_div(before[d], depth) < left[d]) left[d] = pm_floor_div(before[d], depth);
      if (pm_ceil_div(after[d], depth) > right[d]) right[d] = pm_ceil_div(after[d], depth);
    }
  }
}

static void explain_cone(const tiling *t, pm_loc loc, unsigned height, const int64_t *left,
                         const int64_t *right) {
  pm_buf text = {0};
  for (unsigned d = 0; d < t->n; d++)
    pm_buf_printf(&text, "%s%lld..%lld", d ? ", " : "", (long long)left[d], (long long)right[d]);
  pm_pass_remark(t->pass, loc, PM_REMARK_ANALYSIS, (pm_remark_arg[]){{"height", height}}, 1,
                 "the tiles are cones of height %u with slopes %s", height, text.data);
  pm_buf_free(&text);
}

/* A stage that leaves the group and is read in it by one that does not; NULL: none. What a cone computes more
 * than is needed would read points of it that another tile computes. */
static const tiled_stage *live_out_read_inside(const tiling *t) {
  for (size_t i = 0; i < t->stages.len; i++) {
    const tiled_stage *s = &t->stages.data[i];
    for (size_t k = 0; s->live_out && k < s->node->readers.len; k++) {
      const tiled_stage *reader = find_stage(t, s->node->readers.data[k]->consumer);
      if (reader && !reader->live_out) return s;
    }
  }
  return NULL;
}

static void refuse_cone(const tiling *t, pm_loc loc, const tiled_stage *read) {
  pm_pass_remark(t->pass, loc, PM_REMARK_MISSED, NULL, 0,
                 "the tiles are not cones: @%pS leaves the group and is read in it",
                 (const void *)read->node->name);
}

/* Every halo is that of the cone at the stage's level. There the thesis lets points be computed from values
 * that no tile has, since the tile needs neither; here find_footprints widens the halo of what they read. */
static void start_with_cone(tiling *t, pm_loc loc) {
  const tiled_stage *read = live_out_read_inside(t);
  if (read) {
    refuse_cone(t, loc, read);
    return;
  }
  pm_arena *arena = pm_pass_arena(t->pass);
  unsigned height = find_levels(t);
  int64_t *left = pm_arena_alloc(arena, t->n * sizeof *left);
  int64_t *right = pm_arena_alloc(arena, t->n * sizeof *right);
  find_slopes(t, height, left, right);
  for (size_t i = 0; i < t->stages.len; i++) {
    tiled_stage *s = &t->stages.data[i];
    for (unsigned d = 0; d < t->n && !s->live_out; d++) {
      s->halo_lo[d] = left[d] * (int64_t)(height - s->level);
      s->halo_hi[d] = right[d] * (int64_t)(height - s->level);
    }
  }
  if (height) explain_cone(t, loc, height, left, right);
}

/* Of the updates of a stage whose cells are known, the points that a tile runs. */
static void find_update_points(const tiling *t, const tiled_stage *s) {
  for (size_t i = 0; i < t->updates.len; i++) {
    tiled_update *u = &t->updates.data[i];
    if (u->node != s->node) continue;
    u->needed = s->live_out ? owned(t, u->schedule, u->node->updates.data[u->number].set)
                            : poly_points_reaching(u->node, u->number, s->needed);
  }
}

/* Consumers first: when a stage is reached, all that need it have been. */
static void find_footprints(tiling *t) {
  for (size_t i = t->stages.len; i-- > 0;) {
    tiled_stage *s = &t->stages.data[i];
    s->needed = s->live_out ? owned(t, s->schedule, s->node->domain) : brought(t, s);
    find_update_points(t, s);
    for (size_t k = 0; k < s->node->reads.len; k++) {
      const stage_access *access = s->node->reads.data[k];
      tiled_stage *producer = find_stage(t, access->producer);
      bool runs = reader_schedule(t, access) != NULL;
      if (producer && !producer->live_out && runs) widen_halo(t, producer, s, access);
    }
  }
}

/* --- steps inside a tile --- */

static void explain_one_step(const tiling *t, const stage_node *stage, const char *why) {
  pm_pass_remark(t->pass, stage->op->loc, PM_REMARK_MISSED, NULL, 0,
                 "a tile is computed in one step: @%pS %s", (const void *)stage->name, why);
}

/* Lets the points of the producer that are the farthest ahead come no later than the reader; false after a
 * remark when they have no greatest distance. */
static bool bound_shift(const tiling *t, tiled_stage *producer, const tiled_stage *reader,
                        const stage_access *access) {
  pm_arena *arena = pm_pass_arena(t->pass);
  int64_t *min = pm_arena_alloc(arena, t->n * sizeof *min), *max = pm_arena_alloc(arena, t->n * sizeof *max);
  for (unsigned d = 0; d < t->n; d++) max[d] = INT64_MIN;
  if (!poly_widen_distances(access->relation, reader->schedule, producer->schedule, t->n, min, max)) {
    pm_pass_remark(t->pass, access->read->loc, PM_REMARK_MISSED, NULL, 0,
                   "a tile is computed in one step: the distances between @%pS and @%pS are not bounded",
                   (const void *)producer->node->name, (const void *)reader->node->name);
    return false;
  }
  for (unsigned d = 0; d < t->n; d++)
    if (max[d] != INT64_MIN && reader->shift[d] - max[d] < producer->shift[d])
      producer->shift[d] = reader->shift[d] - max[d];
  return true;
}

/* Each stage as late as its readers allow; those that nobody in the group reads are not shifted. False after
 * a remark. */
static bool find_shifts(tiling *t) {
  for (size_t i = t->stages.len; i-- > 0;) {
    tiled_stage *s = &t->stages.data[i];
    for (unsigned d = 0; d < t->n; d++) s->shift[d] = INT64_MAX;
    for (size_t k = 0; k < s->node->readers.len; k++) {
      const stage_access *access = s->node->readers.data[k];
      const tiled_stage *reader = find_stage(t, access->consumer);
      if (reader && !bound_shift(t, s, reader, access)) return false;
    }
    for (unsigned d = 0; d < t->n; d++)
      if (s->shift[d] == INT64_MAX) s->shift[d] = 0;
  }
  return true;
}

static bool has_steps(const tiling *t, const tiled_stage *s) {
  for (unsigned d = 0; d < t->n; d++)
    if (t->steps[d] && !poly_has_dimension(s->schedule, t->n, d)) return false;
  return true;
}

/* Every stage allows steps; false after a remark. */
static bool all_allow_steps(const tiling *t) {
  for (size_t i = 0; i < t->stages.len; i++) {
    const tiled_stage *s = &t->stages.data[i];
    const char *why = poly_why_no_steps(s->node, has_steps(t, s));
    if (!why) continue;
    explain_one_step(t, s->node, why);
    return false;
  }
  return true;
}

/* The sizes from the first tiled dimension on. A group of one stage has no use for steps. */
static void choose_steps(tiling *t, const wanted_sizes *sizes) {
  t->steps = pm_arena_alloc(pm_pass_arena(t->pass), t->n * sizeof *t->steps);
  if (t->stages.len < POLY_LEAST_STEPPED || !sizes->n_inner) return;
  unsigned first = sizes->n_tile < t->n ? t->n - (unsigned)sizes->n_tile : 0;
  for (size_t i = 0; i < sizes->n_inner; i++) t->steps[first + i] = sizes->inner[i];
  if (all_allow_steps(t) && find_shifts(t)) t->n_stepped = (unsigned)sizes->n_inner;
}

/* A point of the stage -> its step in a dimension: floor((c + shift) / size), where as many steps make up a
 * tile as their size has room for: c counts from where tiles begin, but for whole steps. */
static __isl_give isl_map *to_step(const tiling *t, const tiled_stage *s, unsigned d) {
  isl_space *common = isl_space_range(isl_map_get_space(s->schedule));
  isl_aff *aff = isl_aff_var_on_domain(isl_local_space_from_space(common), isl_dim_set, d);
  int64_t shift = s->shift[d] - pm_floor_mod(t->origins[d], t->steps[d]);
  aff = isl_aff_add_constant_val(aff, isl_val_int_from_si(t->graph->isl, shift));
  aff = isl_aff_scale_down_val(aff, isl_val_int_from_si(t->graph->isl, t->steps[d]));
  return isl_map_apply_range(isl_map_copy(s->schedule), isl_map_from_aff(isl_aff_floor(aff)));
}

/* The steps of all stages in a dimension. */
static __isl_give isl_multi_union_pw_aff *step_member(const tiling *t, unsigned d) {
  isl_multi_union_pw_aff *all = NULL;
  for (size_t i = 0; i < t->stages.len; i++) {
    isl_map *map = to_step(t, &t->stages.data[i], d);
    isl_multi_union_pw_aff *one = isl_multi_union_pw_aff_from_union_map(isl_union_map_from_map(map));
    all = all ? isl_multi_union_pw_aff_union_add(all, one) : one;
  }
  return all;
}

/* The band of the steps, which are serial: a step uses what others before it computed. */
static pm_builder add_steps(const tiling *t, pm_builder *b) {
  isl_multi_union_pw_aff *all = NULL;
  for (unsigned d = 0; d < t->n; d++) {
    if (!t->steps[d]) continue;
    isl_multi_union_pw_aff *one = step_member(t, d);
    all = all ? isl_multi_union_pw_aff_flat_range_product(all, one) : one;
  }
  const int64_t *coincident = pm_arena_alloc(pm_pass_arena(t->pass), t->n * sizeof *coincident);
  return poly_add_band(b, all, (poly_band_info){.permutable = true, .coincident = coincident});
}

/* The band without the dimensions that a step has one point of; nothing when none is left. */
static void add_rest_of_band(const tiling *t, pm_builder *b, const pm_op *band) {
  isl_multi_union_pw_aff *rest = isl_multi_union_pw_aff_copy(isl_peek_mupa(band->attrs[poly_band_schedule]));
  pm_attr list = band->attrs[poly_band_coincident];
  int64_t *coincident = pm_arena_alloc(pm_pass_arena(t->pass), t->n * sizeof *coincident);
  unsigned n = 0;
  for (unsigned d = 0; d < t->n; d++) {
    if (t->steps[d] != 1)
      coincident[n++] = list && list->items[d]->i;
    else
      rest = isl_multi_union_pw_aff_drop_dims(rest, isl_dim_set, n, 1);
  }
  if (n)
    poly_add_band(
        b, rest, (poly_band_info){band->attrs[poly_band_permutable] != NULL, list ? coincident : NULL, NULL});
  else
    isl_multi_union_pw_aff_free(rest);
}

static void drop_single_points(const tiling *t) {
  for (size_t i = 0; i < t->stages.len; i++) {
    pm_op *band = t->stages.data[i].band;
    pm_builder b = pm_builder_before(band);
    add_rest_of_band(t, &b, band);
    pm_op_erase(band);
  }
}

static const stage_node *last_stage(const tiling *t) {
  const stage_node *last = t->stages.data[0].node;
  for (size_t i = 1; i < t->stages.len; i++)
    if (t->stages.data[i].node->index > last->index) last = t->stages.data[i].node;
  return last;
}

static void explain_steps(const tiling *t, pm_loc loc) {
  pm_buf text = {0};
  int64_t most = 0;
  for (unsigned d = 0; d < t->n; d++) {
    if (!t->steps[d]) continue;
    pm_buf_printf(&text, "%s%lld", text.len ? "x" : "", (long long)t->steps[d]);
    for (size_t i = 0; i < t->stages.len; i++)
      if (-t->stages.data[i].shift[d] > most) most = -t->stages.data[i].shift[d];
  }
  unsigned first = 0;
  while (!t->steps[first]) first++;
  pm_pass_remark(t->pass, loc, PM_REMARK_PASSED,
                 (pm_remark_arg[]){{"ahead", (double)most}, {"step", (double)t->steps[first]}}, 2,
                 "a tile is computed in steps of %s, stages at most %lld points ahead, the last is @%pS",
                 text.data, (long long)most, (const void *)last_stage(t)->name);
  pm_buf_free(&text);
}

/* --- the new tree --- */

static __isl_give isl_set *universe_of(const tiled_update *u) {
  return isl_set_universe(isl_set_get_space(u->node->updates.data[u->number].set));
}

static __isl_give isl_union_set *live_outs(const tiling *t) {
  isl_union_set *all = isl_union_set_empty(isl_set_get_space(t->graph->context));
  for (size_t i = 0; i < t->stages.len; i++)
    if (t->stages.data[i].live_out)
      all = isl_union_set_add_set(all, isl_set_universe(isl_set_get_space(t->stages.data[i].node->domain)));
  for (size_t i = 0; i < t->updates.len; i++)
    if (find_stage(t, t->updates.data[i].node)->live_out)
      all = isl_union_set_add_set(all, universe_of(&t->updates.data[i]));
  return all;
}

/* Adds the tile of each instance, which the schedule takes to the common space. */
static __isl_give isl_multi_union_pw_aff *
add_to_tiles(const tiling *t, __isl_take isl_multi_union_pw_aff *all, isl_map *schedule) {
  isl_multi_aff *tile = to_tile(t, isl_space_range(isl_map_get_space(schedule)));
  isl_map *map = isl_map_apply_range(isl_map_copy(schedule), isl_map_from_multi_aff(tile));
  isl_multi_union_pw_aff *one = isl_multi_union_pw_aff_from_union_map(isl_union_map_from_map(map));
  return all ? isl_multi_union_pw_aff_union_add(all, one) : one;
}

static __isl_give isl_multi_union_pw_aff *tile_schedule(const tiling *t) {
  isl_multi_union_pw_aff *all = NULL;
  for (size_t i = 0; i < t->stages.len; i++) {
    const tiled_stage *s = &t->stages.data[i];
    if (s->live_out) all = add_to_tiles(t, all, s->schedule);
  }
  for (size_t i = 0; i < t->updates.len; i++) {
    const tiled_update *u = &t->updates.data[i];
    if (find_stage(t, u->node)->live_out) all = add_to_tiles(t, all, u->schedule);
  }
  return all;
}

/* Adds what a tile runs of stages and updates to an extension, which may be NULL. */
static __isl_give isl_union_map *add_needed(__isl_take isl_union_map *all, isl_map *needed) {
  isl_union_map *one = isl_union_map_from_map(isl_map_copy(needed));
  return all ? isl_union_map_union(all, one) : one;
}

/* NULL when the tile computes nothing but live-outs. */
static __isl_give isl_union_map *extension(const tiling *t) {
  isl_union_map *all = NULL;
  for (size_t i = 0; i < t->stages.len; i++) {
    const tiled_stage *s = &t->stages.data[i];
    if (!s->live_out) all = add_needed(all, s->needed);
  }
  for (size_t i = 0; i < t->updates.len; i++) {
    const tiled_update *u = &t->updates.data[i];
    if (!find_stage(t, u->node)->live_out) all = add_needed(all, u->needed);
  }
  return all;
}

/* The filter of an update without its loops over cells. */
static pm_op *without_cells(pm_op *filter) {
  pm_op *outer = poly_child(filter), *inner = outer ? poly_child(outer) : NULL;
  if (!inner || !pm_is(inner, &poly_band)) return filter;
  pm_move_before(inner, outer->region, outer);
  pm_op_erase(outer);
  return filter;
}

/* The filters of a stage and its updates, in the order in which they run. */
static void move_filters(const tiling *t, const tiled_stage *s, const pm_builder *sequence) {
  pm_move_before(pm_parent(s->band), sequence->region, NULL);
  for (size_t i = 0; i < t->updates.len; i++)
    if (t->updates.data[i].node == s->node)
      pm_move_before(without_cells(t->updates.data[i].filter), sequence->region, NULL);
}

static void add_tiles(const tiling *t, pm_builder *b) {
  pm_arena *arena = pm_pass_arena(t->pass);
  int64_t *coincident = pm_arena_alloc(arena, t->n * sizeof *coincident);
  int64_t *sizes = pm_arena_alloc(arena, t->n * sizeof *sizes);
  for (unsigned k = 0; k < t->n; k++) {
    coincident[k] = 1;
    sizes[k] = t->sizes[t->order[k]];
  }
  pm_builder inner = poly_add_band(b, tile_schedule(t), (poly_band_info){true, coincident, sizes});
  isl_union_map *producers = extension(t);
  if (producers) inner = poly_add_extension(&inner, producers);
  if (t->n_stepped) inner = add_steps(t, &inner);
  inner = poly_add_sequence(&inner);
  for (size_t i = 0; i < t->stages.len; i++) move_filters(t, &t->stages.data[i], &inner);
  if (t->n_stepped) drop_single_points(t);
}

/* Adds the stages that the extension brings. */
static __isl_give isl_union_set *add_brought(__isl_take isl_union_set *brought, const tiling *t) {
  for (size_t i = 0; i < t->stages.len; i++)
    if (!t->stages.data[i].live_out)
      brought =
          isl_union_set_add_set(brought, isl_set_universe(isl_set_get_space(t->stages.data[i].node->domain)));
  for (size_t i = 0; i < t->updates.len; i++)
    if (!find_stage(t, t->updates.data[i].node)->live_out)
      brought = isl_union_set_add_set(brought, universe_of(&t->updates.data[i]));
  return brought;
}

static void explain(const tiling *t, pm_loc loc) {
  pm_buf text = {0};
  for (unsigned k = 0; k < t->n; k++)
    pm_buf_printf(&text, "%s%lld", k ? "x" : "", (long long)t->sizes[t->order[k]]);
  pm_pass_remark(t->pass, loc, PM_REMARK_PASSED, (pm_remark_arg[]){{"stages", (double)t->stages.len}}, 1,
                 "%zu stage%s computed in tiles of %s, the last is @%pS", t->stages.len,
                 t->stages.len == 1 ? "" : "s", text.data, (const void *)last_stage(t)->name);
  pm_buf_free(&text);
}

/* --- the part of a stage in a tile, for remarks --- */

typedef PM_VEC(pm_remark_arg) remark_args;

/* `points 1`: of the common dimension, counted from the outermost. */
static void add_number(const tiling *t, remark_args *args, const char *what, unsigned d, int64_t value) {
  pm_buf key = {0};
  pm_buf_printf(&key, "%s %u", what, d);
  PM_VEC_PUSH(*args, ((pm_remark_arg){pm_get_cstring(t->graph->ctx, key.data)->text, (double)value}));
  pm_buf_free(&key);
}

/* `259x578 points of @Ix, from (-1, -1) to (257, 576)`: text and numbers. */
static void put_footprint(const tiling *t, const tiled_stage *s, const poly_stretch *along, pm_buf *text,
                          remark_args *args) {
  pm_buf from = {0}, to = {0};
  unsigned n = 0;
  for (unsigned d = 0; d < t->n; d++) {
    if (!along[d].has) continue;
    pm_buf_printf(text, "%s%lld", n ? "x" : "", (long long)along[d].points);
    pm_buf_printf(&from, "%s%lld", n ? ", " : "", (long long)along[d].from);
    pm_buf_printf(&to, "%s%lld", n++ ? ", " : "", (long long)along[d].to);
    add_number(t, args, "points", d, along[d].points);
    add_number(t, args, "from", d, along[d].from);
    add_number(t, args, "to", d, along[d].to);
    if (t->n_stepped && t->steps[d]) add_number(t, args, "ahead", d, -s->shift[d]);
  }
  const char *what = n ? " points" : s->node->n_dims ? "no point" : "one point";
  pm_buf_printf(text, "%s of @%s", what, s->node->name->text);
  if (n) pm_buf_printf(text, ", from (%s) to (%s)", from.data, to.data);
  pm_buf_free(&from);
  pm_buf_free(&to);
}

static void explain_footprint(const tiling *t, const tiled_stage *s, const poly_stretch *along) {
  pm_buf text = {0};
  remark_args args = {0};
  PM_VEC_PUSH(args, ((pm_remark_arg){"dims", t->n}));
  put_footprint(t, s, along, &text, &args);
  pm_pass_remark(t->pass, s->node->op->loc, PM_REMARK_ANALYSIS, args.data, args.len,
                 "a tile that begins at 0 computes %s", text.data);
  PM_VEC_FREE(args);
  pm_buf_free(&text);
}

static void explain_no_box(const tiling *t, const stage_node *node) {
  pm_pass_remark(
      t->pass, node->op->loc, PM_REMARK_MISSED, NULL, 0,
      "what a tile computes of @%pS is no box around it: a distance at which it is read is not bounded",
      (const void *)node->name);
}

static void explain_footprints(const tiling *t) {
  if (!pm_wants_remarks(t->graph->ctx)) return;
  pm_arena *arena = pm_pass_arena(t->pass);
  size_t n = t->stages.len;
  poly_footprint *parts = pm_arena_alloc(arena, n * sizeof *parts);
  for (size_t i = 0; i < n; i++) {
    const tiled_stage *s = &t->stages.data[i];
    parts[i] = (poly_footprint){s->schedule, domain_at_estimates(t, s->node),
                                s->halo_lo,  s->halo_hi,
                                s->whole,    pm_arena_alloc(arena, t->n * sizeof *parts[i].along)};
  }
  poly_find_footprints(parts, n, t->n, t->sizes, t->origins);
  for (size_t i = 0; i < n; i++) {
    if (t->stages.data[i].halo_known)
      explain_footprint(t, &t->stages.data[i], parts[i].along);
    else
      explain_no_box(t, t->stages.data[i].node);
    isl_set_free(parts[i].domain);
  }
}

/* The sizes of the dimensions that the group has. */
static wanted_sizes sizes_of_dims(const wanted_sizes *all, unsigned n) {
  size_t unused = all->n_tile > n ? all->n_tile - n : 0;
  size_t unused_inner = unused < all->n_inner ? unused : all->n_inner;
  return (wanted_sizes){all->tile + unused, all->inner + unused_inner, all->n_tile - unused,
                        all->n_inner - unused_inner};
}

static void change_tree(const tiling *t, pm_op *mark) {
  pm_op *sequence = poly_child(mark);
  pm_builder b = pm_builder_before(sequence);
  b.loc = mark->loc;
  add_tiles(t, &b);
  pm_op_erase(sequence);
  pm_set_attr(pm_parent(mark), poly_filter_instances, isl_attr_of_union_set(t->graph->ctx, live_outs(t)));
}

/* Adds to *brought the stages that are no longer of the domain; false after a diagnostic. */
static bool tile_group(pm_pass *pass, const stage_graph *graph, pm_op *mark, const wanted_sizes *all,
                       isl_union_set **brought) {
  tiling t = {.pass = pass, .graph = graph};
  bool ok = read_group(&t, mark);
  if (!ok)
    pm_op_error(mark,
                "does not hold a sequence with one filter and one band a stage, which the pass group makes");
  if (ok && t.n) {
    wanted_sizes sizes = sizes_of_dims(all, t.n);
    choose_sizes(&t, sizes.tile, sizes.n_tile);
    choose_order(&t, sizes.n_tile);
    choose_origins(&t);
    choose_steps(&t, &sizes);
    if (pm_opt_enum(pass, tile_opt_shape) == TILE_SHAPE_CONE) start_with_cone(&t, mark->loc);
    find_footprints(&t);
    *brought = add_brought(*brought, &t);
    change_tree(&t, mark);
    explain(&t, mark->loc);
    if (t.n_stepped) explain_steps(&t, mark->loc);
    explain_footprints(&t);
  }
  free_tiling(&t);
  return ok;
}

static bool valid_sizes(pm_pass *pass, const int64_t *sizes, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (sizes[i] < 1 || sizes[i] > INT32_MAX)
      return pm_op_error(pm_pass_root(pass), "cannot be tiled by %lld: a tile size is at least 1",
                         (long long)sizes[i]);
  return true;
}

/* The stage that keeps a group as it is, and why: it is alone and has updates, or it cannot be computed tile
 * by tile; NULL for most groups. */
static const stage_node *untiled_stage(const stage_graph *graph, const pm_op *mark, const char **reason) {
  const pm_op *filter = pm_parent(mark);
  if (!pm_is(filter, &poly_filter)) return NULL;
  poly_names names = {0};
  size_t n_stages = 0;
  const stage_node *found = NULL, *updated = NULL;
  poly_stage_names(graph->ctx, isl_peek_union_set(filter->attrs[poly_filter_instances]), &names);
  for (size_t i = 0; i < names.len && !found; i++) {
    const stage_node *node = stage_graph_find(graph, names.data[i]);
    n_stages += node != NULL;
    *reason = node ? poly_why_whole(node) : NULL;
    found = *reason ? node : NULL;
    updated = node && node->updates.len ? node : updated;
  }
  PM_VEC_FREE(names);
  if (found || n_stages > 1) return found;
  *reason = "it has updates, and no other stage is computed with it";
  return updated;
}

/* The integers of an attribute that a group may have, in the arena. */
static const int64_t *integers_of(pm_pass *pass, pm_attr list) {
  int64_t *ints = pm_arena_alloc(pm_pass_arena(pass), (list->len + 1) * sizeof *ints);
  for (uint32_t i = 0; i < list->len; i++) ints[i] = list->items[i]->i;
  return ints;
}

/* The group has tiles from another pass. */
static bool is_tiled(pm_op *mark) {
  poly_ops bands = {0};
  poly_collect(mark, &poly_band, &bands);
  bool tiled = false;
  for (size_t i = 0; i < bands.len && !tiled; i++) tiled = bands.data[i]->attrs[poly_band_tile] != NULL;
  PM_VEC_FREE(bands);
  return tiled;
}

/* The sizes that the group says, where it does and these are wanted; else those of the pass, of the
 * dimensions that the group is tiled in. */
static wanted_sizes sizes_of_group(pm_pass *pass, const pm_op *mark, const wanted_sizes *sizes) {
  wanted_sizes own = *sizes;
  int which = pm_opt_enum(pass, tile_opt_own);
  if (which == OWN_NONE) return own;
  pm_attr tile = mark->attrs[poly_mark_tile], inner = mark->attrs[poly_mark_inner];
  if (tile && tile->len) {
    own.tile = integers_of(pass, tile);
    own.n_tile = tile->len;
  }
  if (inner && which == OWN_ALL) {
    own.inner = integers_of(pass, inner);
    own.n_inner = inner->len;
  } else if (own.n_tile < sizes->n_tile) {
    size_t unused = sizes->n_tile - own.n_tile;
    unused = unused < own.n_inner ? unused : own.n_inner;
    own.inner += unused;
    own.n_inner -= unused;
  }
  return own;
}

static bool tile_or_leave(pm_pass *pass, const stage_graph *graph, pm_op *mark, const wanted_sizes *sizes,
                          isl_union_set **brought) {
  if (is_tiled(mark)) return true;
  const char *reason;
  const stage_node *whole = untiled_stage(graph, mark, &reason);
  wanted_sizes own = sizes_of_group(pass, mark, sizes);
  if (own.n_inner > own.n_tile)
    return pm_op_error(mark,
                       "has %zu sizes of steps, but is tiled in %zu dimensions; there should be no more "
                       "than these",
                       own.n_inner, own.n_tile);
  if (!whole) return tile_group(pass, graph, mark, &own, brought);
  pm_pass_remark(pass, whole->op->loc, PM_REMARK_MISSED, NULL, 0, "@%pS is computed whole: %s",
                 (const void *)whole->name, reason);
  return true;
}

static bool tile_groups(pm_pass *pass, const stage_graph *graph, pm_op *schedule, const wanted_sizes *sizes) {
  poly_ops marks = {0};
  poly_collect(schedule, &poly_mark, &marks);
  isl_union_set *brought = isl_union_set_empty(isl_set_get_space(graph->context));
  bool ok = true;
  for (size_t i = 0; i < marks.len && ok; i++)
    if (poly_is_mark(marks.data[i], "group")) ok = tile_or_leave(pass, graph, marks.data[i], sizes, &brought);
  PM_VEC_FREE(marks);
  pm_op *domain = poly_child(schedule);
  isl_union_set *left = isl_union_set_copy(isl_peek_union_set(domain->attrs[poly_domain_instances]));
  pm_set_attr(domain, poly_domain_instances,
              isl_attr_of_union_set(graph->ctx, isl_union_set_subtract(left, brought)));
  return ok;
}

pm_result pass_tile(pm_pass *pass) {
  wanted_sizes sizes;
  sizes.tile = pm_opt_ints(pass, tile_opt_sizes, &sizes.n_tile);
  sizes.inner = pm_opt_ints(pass, tile_opt_inner, &sizes.n_inner);
  const stage_graph *graph = stage_graph_expanded(pass);
  if (!graph || !valid_sizes(pass, sizes.tile, sizes.n_tile) ||
      !valid_sizes(pass, sizes.inner, sizes.n_inner))
    return PM_FAILED;
  pm_op *schedule = poly_need_schedule(pm_pass_root(pass));
  if (!schedule) return PM_FAILED;
  if (!sizes.n_tile) return PM_UNCHANGED;
  poly_erase_allocs(schedule);
  return tile_groups(pass, graph, schedule, &sizes) ? PM_CHANGED : PM_FAILED;
}
