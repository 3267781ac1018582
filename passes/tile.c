/* tile: overlapped tiling. The stages that leave a group are cut into tiles; of every other stage a tile
 * computes exactly the points that it needs, again where tiles overlap, so that tiles are independent.
 *
 *   filter "{ bx; by }" { mark "group" { sequence { filter "{ bx }" { band … } filter "{ by }" { band … } } }
 * }
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
 */
#include "dialects/poly/distance.h"
#include "dialects/poly/tree.h"
#include "dialects/stage/graph.h"
#include "passes/options.h"

#include <isl/constraint.h>
#include <stdlib.h>

enum { TILE_SHAPE_OVERLAPPED, TILE_SHAPE_CONE }; /* the words of the option `shape` */

typedef struct tiled_stage {
  const stage_node *node;
  pm_op *band;
  isl_map *schedule; /* Stage[…] -> common space */
  bool live_out;
  unsigned level;             /* reads on the longest path from a stage of the group that reads none */
  isl_map *needed;            /* tile -> Stage[…] */
  int64_t *halo_lo, *halo_hi; /* common space: what is needed is that far from the tile, <= 0 and >= 0 */
  bool halo_known;
} tiled_stage;

typedef struct tiling {
  pm_pass *pass;
  const stage_graph *graph;
  PM_VEC(tiled_stage) stages; /* of one group, producers first */
  unsigned n;                 /* common dimensions */
  int64_t *sizes;             /* by common dimension */
  unsigned *order;            /* common dimension of each member of the tile band */
} tiling;

static tiled_stage *find_stage(const tiling *t, const stage_node *node) {
  for (size_t i = 0; i < t->stages.len; i++)
    if (t->stages.data[i].node == node) return &t->stages.data[i];
  return NULL;
}

/* Its values are needed outside the tile; those of a stage that nobody reads are kept too. */
static bool leaves(const tiling *t, const stage_node *node) {
  if (node->is_output || !node->readers.len) return true;
  for (size_t i = 0; i < node->readers.len; i++)
    if (!find_stage(t, node->readers.data[i]->consumer)) return true;
  return false;
}

/* --- reading a group --- */

static void add_member(tiling *t, pm_op *filter) {
  poly_names names = {0};
  poly_stage_names(t->graph->ctx, isl_peek_union_set(filter->attrs[poly_filter_instances]), &names);
  const stage_node *node = names.len == 1 ? stage_graph_find(t->graph, names.data[0]) : NULL;
  pm_op *band = poly_child(filter);
  if (node && pm_is(band, &poly_band))
    PM_VEC_PUSH(t->stages,
                ((tiled_stage){.node = node, .band = band, .schedule = poly_band_map(band, node->name)}));
  PM_VEC_FREE(names);
}

/* False when the group does not have the shape that the pass group leaves. */
static bool read_group(tiling *t, pm_op *mark) {
  pm_op *sequence = poly_child(mark);
  if (!pm_is(sequence, &poly_sequence)) return false;
  size_t n_filters = 0;
  PM_FOR_OPS(filter, pm_region_at(sequence, 0)) {
    n_filters++;
    add_member(t, filter);
  }
  if (!n_filters || t->stages.len != n_filters) return false;
  t->n = poly_band_members(t->stages.data[0].band);
  for (size_t i = 0; i < t->stages.len; i++) {
    tiled_stage *s = &t->stages.data[i];
    s->live_out = leaves(t, s->node);
    s->halo_lo = pm_arena_alloc(pm_pass_arena(t->pass), t->n * sizeof *s->halo_lo);
    s->halo_hi = pm_arena_alloc(pm_pass_arena(t->pass), t->n * sizeof *s->halo_hi);
    s->halo_known = true;
  }
  return true;
}

static void free_tiling(tiling *t) {
  for (size_t i = 0; i < t->stages.len; i++) {
    isl_map_free(t->stages.data[i].schedule);
    isl_map_free(t->stages.data[i].needed);
  }
  PM_VEC_FREE(t->stages);
}

/* --- tile sizes --- */

static void find_distances(const tiling *t, int64_t *min, int64_t *max) {
  for (size_t i = 0; i < t->stages.len; i++) {
    const stage_node *producer = t->stages.data[i].node;
    for (size_t k = 0; k < producer->readers.len; k++) {
      const stage_access *access = producer->readers.data[k];
      const tiled_stage *reader = find_stage(t, access->consumer);
      if (reader)
        poly_widen_distances(access->relation, reader->schedule, t->stages.data[i].schedule, t->n, min, max);
    }
  }
}

static bool all_stages_have(const tiling *t, unsigned dim) {
  for (size_t i = 0; i < t->stages.len; i++)
    if (!poly_has_dimension(t->stages.data[i].schedule, t->n, dim)) return false;
  return true;
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
    bool free_of_dependences = min[d] == 0 && max[d] == 0 && all_stages_have(t, d);
    t->sizes[d] = named ? option[d + n_option - t->n] : free_of_dependences ? 1 : option[0];
  }
}

/* Tiles of the first named dimension outermost, so that there are many of them for the threads. */
static void choose_order(tiling *t, size_t n_option) {
  t->order = pm_arena_alloc(pm_pass_arena(t->pass), t->n * sizeof *t->order);
  unsigned first = n_option < t->n ? t->n - (unsigned)n_option : 0;
  unsigned k = 0;
  t->order[k++] = first;
  for (unsigned d = 0; d < t->n; d++)
    if (d != first) t->order[k++] = d;
}

/* --- footprints --- */

/* Common space -> tile: floor(c / size), members in t->order. */
static __isl_give isl_multi_aff *to_tile(const tiling *t, __isl_take isl_space *common) {
  isl_local_space *local = isl_local_space_from_space(isl_space_copy(common));
  isl_multi_aff *ma = isl_multi_aff_zero(isl_space_map_from_set(common));
  for (unsigned k = 0; k < t->n; k++) {
    isl_aff *aff = isl_aff_var_on_domain(isl_local_space_copy(local), isl_dim_set, t->order[k]);
    aff = isl_aff_scale_down_val(aff, isl_val_int_from_si(t->graph->isl, t->sizes[t->order[k]]));
    ma = isl_multi_aff_set_aff(ma, (int)k, isl_aff_floor(aff));
  }
  isl_local_space_free(local);
  return ma;
}

/* tile -> the points of a live-out in it */
static __isl_give isl_map *owned(const tiling *t, const tiled_stage *s) {
  isl_map *tile = isl_map_from_multi_aff(to_tile(t, isl_space_range(isl_map_get_space(s->schedule))));
  isl_map *map = isl_map_reverse(isl_map_apply_range(isl_map_copy(s->schedule), tile));
  return isl_map_intersect_range(map, isl_set_copy(s->node->domain));
}

/* The halo of a producer holds that of its reader, moved by the distances of the read. */
static void widen_halo(const tiling *t, tiled_stage *producer, const tiled_stage *reader,
                       const stage_access *access) {
  pm_arena *arena = pm_pass_arena(t->pass);
  int64_t *min = pm_arena_alloc(arena, t->n * sizeof *min), *max = pm_arena_alloc(arena, t->n * sizeof *max);
  bool bounded = poly_widen_distances(access->relation, reader->schedule, producer->schedule, t->n, min, max);
  producer->halo_known = producer->halo_known && reader->halo_known && bounded;
  for (unsigned d = 0; d < t->n; d++) {
    if (reader->halo_lo[d] + min[d] < producer->halo_lo[d])
      producer->halo_lo[d] = reader->halo_lo[d] + min[d];
    if (reader->halo_hi[d] + max[d] > producer->halo_hi[d])
      producer->halo_hi[d] = reader->halo_hi[d] + max[d];
  }
}

/* sign * (common dimension - first point of tile member k) + constant >= 0 */
static __isl_give isl_map *bound_from_tile(const tiling *t, __isl_take isl_map *map, unsigned k, int sign,
                                           int64_t constant) {
  int64_t size = t->sizes[t->order[k]];
  isl_constraint *c = isl_constraint_alloc_inequality(isl_local_space_from_space(isl_map_get_space(map)));
  c = isl_constraint_set_coefficient_si(c, isl_dim_out, (int)t->order[k], sign);
  c = isl_constraint_set_coefficient_si(c, isl_dim_in, (int)k, -sign * (int)size);
  c = isl_constraint_set_constant_val(c, isl_val_int_from_si(t->graph->isl, constant));
  return isl_map_add_constraint(map, c);
}

/* tile -> the points of a stage in the tile and its halo */
static __isl_give isl_map *tile_and_halo(const tiling *t, const tiled_stage *s) {
  isl_multi_aff *tile = to_tile(t, isl_space_range(isl_map_get_space(s->schedule)));
  isl_map *map = isl_map_universe(isl_space_reverse(isl_multi_aff_get_space(tile)));
  isl_multi_aff_free(tile);
  for (unsigned k = 0; k < t->n; k++) {
    unsigned d = t->order[k];
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
    const tiled_stage *reader = find_stage(t, access->consumer);
    if (!reader) continue;
    isl_map *more = isl_map_apply_range(isl_map_copy(reader->needed), isl_map_copy(access->relation));
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
      const tiled_stage *reader = find_stage(t, access->consumer);
      if (reader)
        (void)poly_widen_distances(access->relation, reader->schedule, producer->schedule, t->n, min, max);
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

/* Every halo is that of the cone at the stage's level. There the thesis lets points be computed from values
 * that no tile has, since the tile needs neither; here find_footprints widens the halo of what they read. */
static void start_with_cone(tiling *t, pm_loc loc) {
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

/* Consumers first: when a stage is reached, all that need it have been. */
static void find_footprints(tiling *t) {
  for (size_t i = t->stages.len; i-- > 0;) {
    tiled_stage *s = &t->stages.data[i];
    s->needed = s->live_out ? owned(t, s) : brought(t, s);
    for (size_t k = 0; k < s->node->reads.len; k++) {
      const stage_access *access = s->node->reads.data[k];
      tiled_stage *producer = find_stage(t, access->producer);
      if (producer && !producer->live_out) widen_halo(t, producer, s, access);
    }
  }
}

/* --- the new tree --- */

static __isl_give isl_union_set *live_outs(const tiling *t) {
  isl_union_set *all = isl_union_set_empty(isl_set_get_space(t->graph->context));
  for (size_t i = 0; i < t->stages.len; i++)
    if (t->stages.data[i].live_out)
      all = isl_union_set_add_set(all, isl_set_universe(isl_set_get_space(t->stages.data[i].node->domain)));
  return all;
}

static __isl_give isl_multi_union_pw_aff *tile_schedule(const tiling *t) {
  isl_multi_union_pw_aff *all = NULL;
  for (size_t i = 0; i < t->stages.len; i++) {
    const tiled_stage *s = &t->stages.data[i];
    if (!s->live_out) continue;
    isl_map *map = isl_map_copy(s->schedule);
    map =
        isl_map_apply_range(map, isl_map_from_multi_aff(to_tile(t, isl_space_range(isl_map_get_space(map)))));
    isl_multi_union_pw_aff *one = isl_multi_union_pw_aff_from_union_map(isl_union_map_from_map(map));
    all = all ? isl_multi_union_pw_aff_union_add(all, one) : one;
  }
  return all;
}

/* NULL when the tile computes nothing but live-outs. */
static __isl_give isl_union_map *extension(const tiling *t) {
  isl_union_map *all = NULL;
  for (size_t i = 0; i < t->stages.len; i++) {
    const tiled_stage *s = &t->stages.data[i];
    if (s->live_out) continue;
    isl_union_map *one = isl_union_map_from_map(isl_map_copy(s->needed));
    all = all ? isl_union_map_union(all, one) : one;
  }
  return all;
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
  inner = poly_add_sequence(&inner);
  for (size_t i = 0; i < t->stages.len; i++)
    pm_move_before(pm_parent(t->stages.data[i].band), inner.region, NULL);
}

/* Adds the stages that the extension brings. */
static __isl_give isl_union_set *add_brought(__isl_take isl_union_set *brought, const tiling *t) {
  for (size_t i = 0; i < t->stages.len; i++)
    if (!t->stages.data[i].live_out)
      brought =
          isl_union_set_add_set(brought, isl_set_universe(isl_set_get_space(t->stages.data[i].node->domain)));
  return brought;
}

static const stage_node *last_stage(const tiling *t) {
  const stage_node *last = t->stages.data[0].node;
  for (size_t i = 1; i < t->stages.len; i++)
    if (t->stages.data[i].node->index > last->index) last = t->stages.data[i].node;
  return last;
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

/* Adds to *brought the stages that are no longer of the domain; false after a diagnostic. */
static bool tile_group(pm_pass *pass, const stage_graph *graph, pm_op *mark, const int64_t *option,
                       size_t n_option, isl_union_set **brought) {
  tiling t = {.pass = pass, .graph = graph};
  bool ok = read_group(&t, mark);
  if (!ok)
    pm_op_error(mark,
                "does not hold a sequence with one filter and one band a stage, which the pass group makes");
  if (ok && t.n) {
    size_t unused = n_option > t.n ? n_option - t.n : 0;
    choose_sizes(&t, option + unused, n_option - unused);
    choose_order(&t, n_option);
    if (pm_opt_enum(pass, tile_opt_shape) == TILE_SHAPE_CONE) start_with_cone(&t, mark->loc);
    find_footprints(&t);
    *brought = add_brought(*brought, &t);
    pm_op *sequence = poly_child(mark);
    pm_builder b = pm_builder_before(sequence);
    b.loc = mark->loc;
    add_tiles(&t, &b);
    pm_op_erase(sequence);
    pm_set_attr(pm_parent(mark), poly_filter_instances, isl_attr_of_union_set(graph->ctx, live_outs(&t)));
    explain(&t, mark->loc);
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

/* The stage of a group that has updates or reads itself, which keeps the group as it is; NULL for most
 * groups. */
static const stage_node *ordered_stage(const stage_graph *graph, const pm_op *mark) {
  const pm_op *filter = pm_parent(mark);
  if (!pm_is(filter, &poly_filter)) return NULL;
  poly_names names = {0};
  const stage_node *found = NULL;
  poly_stage_names(graph->ctx, isl_peek_union_set(filter->attrs[poly_filter_instances]), &names);
  for (size_t i = 0; i < names.len && !found; i++) {
    const stage_node *node = stage_graph_find(graph, names.data[i]);
    if (node && (node->updates.len || node->self_reads.len)) found = node;
  }
  PM_VEC_FREE(names);
  return found;
}

/* The sizes that the group says, where it does and these are wanted; else those of the pass. */
static bool tile_by_own(pm_pass *pass, const stage_graph *graph, pm_op *mark, const int64_t *sizes,
                        size_t n_sizes, isl_union_set **brought) {
  pm_attr own = pm_opt_bool(pass, tile_opt_own) ? pm_attr_at(mark, poly_mark_tile) : NULL;
  if (!own || !own->len) return tile_group(pass, graph, mark, sizes, n_sizes, brought);
  int64_t *said = pm_arena_alloc(pm_pass_arena(pass), own->len * sizeof *said);
  for (uint32_t i = 0; i < own->len; i++) said[i] = own->items[i]->i;
  return tile_group(pass, graph, mark, said, own->len, brought);
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

static bool tile_or_leave(pm_pass *pass, const stage_graph *graph, pm_op *mark, const int64_t *sizes,
                          size_t n_sizes, isl_union_set **brought) {
  if (is_tiled(mark)) return true;
  const stage_node *ordered = ordered_stage(graph, mark);
  if (!ordered) return tile_by_own(pass, graph, mark, sizes, n_sizes, brought);
  pm_pass_remark(pass, ordered->op->loc, PM_REMARK_MISSED, NULL, 0, "@%pS is computed whole: %s",
                 (const void *)ordered->name, ordered->updates.len ? "it has updates" : "it reads itself");
  return true;
}

static bool tile_groups(pm_pass *pass, const stage_graph *graph, pm_op *schedule, const int64_t *sizes,
                        size_t n_sizes) {
  poly_ops marks = {0};
  poly_collect(schedule, &poly_mark, &marks);
  isl_union_set *brought = isl_union_set_empty(isl_set_get_space(graph->context));
  bool ok = true;
  for (size_t i = 0; i < marks.len && ok; i++)
    if (poly_is_mark(marks.data[i], "group"))
      ok = tile_or_leave(pass, graph, marks.data[i], sizes, n_sizes, &brought);
  PM_VEC_FREE(marks);
  pm_op *domain = poly_child(schedule);
  isl_union_set *left = isl_union_set_copy(isl_peek_union_set(domain->attrs[poly_domain_instances]));
  pm_set_attr(domain, poly_domain_instances,
              isl_attr_of_union_set(graph->ctx, isl_union_set_subtract(left, brought)));
  return ok;
}

pm_result pass_tile(pm_pass *pass) {
  size_t n_sizes;
  const int64_t *sizes = pm_opt_ints(pass, tile_opt_sizes, &n_sizes);
  const stage_graph *graph = stage_graph_expanded(pass);
  if (!graph || !valid_sizes(pass, sizes, n_sizes)) return PM_FAILED;
  pm_op *schedule = poly_need_schedule(pm_pass_root(pass));
  if (!schedule) return PM_FAILED;
  if (!n_sizes) return PM_UNCHANGED;
  poly_erase_allocs(schedule);
  return tile_groups(pass, graph, schedule, sizes, n_sizes) ? PM_CHANGED : PM_FAILED;
}
