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
 *
 * shape=split and shape=diamond are other tiles (dialects/poly/tiling/shapes.h); a group that cannot be cut
 * so has overlapped ones. A group may say its own sizes and shape, and keeps the tiles that it has already.
 */
#include "dialects/machine/machine.h"
#include "dialects/poly/tiling/cone.h"
#include "dialects/poly/tiling/footprint.h"
#include "dialects/poly/tiling/group_members.h"
#include "dialects/poly/tiling/plan.h"
#include "dialects/poly/tiling/shapes.h"
#include "dialects/stage/dependences/update_schedule.h"
#include "passes/options.h"

#include <isl/constraint.h>
#include <stdlib.h>
#include <string.h>

/* The words of the option `shape`, and of a mark's. */
enum { SHAPE_OVERLAPPED, SHAPE_CONE, SHAPE_SPLIT, SHAPE_DIAMOND };
enum { OWN_ALL, OWN_TILE, OWN_NONE }; /* of `own` */
enum { WORKER_GROUP, WORKER_ITEM };   /* of `worker` */
enum { MANY_PARTS = 16 };

typedef struct tiled_stage {
  const stage_node *node;
  const poly_planned *plan;
  pm_op *band;
  isl_map *schedule; /* Stage[…] -> common space; the plan's */
  bool live_out;
  isl_map *needed; /* tile -> Stage[…] */
  int64_t *shift;  /* common space, in which a step is that of the point plus the shift */
} tiled_stage;

typedef struct tiled_update {
  const stage_node *node;
  size_t number;
  pm_op *filter;
  isl_map *schedule; /* u[…] -> common space; the plan's */
  isl_map *needed;   /* tile -> u[…] */
} tiled_update;

typedef struct tiling {
  pm_pass *pass;
  const stage_graph *graph;
  poly_plan *plan;
  const poly_members *members;            /* of one group */
  PM_VEC(tiled_stage) stages;             /* of the members, producers first */
  PM_VEC(tiled_update) updates;           /* of these stages */
  unsigned n, n_tiled;                    /* common dimensions, and those in which tiles are cut */
  const int64_t *sizes, *origins, *steps; /* the plan's */
  unsigned n_stepped;                     /* the plan's */
  unsigned *order;                        /* common dimension of each member of the tile band */
} tiling;

/* Sizes that are asked for, of the innermost dimensions: of a tile, and of its steps in the first of them. */
typedef struct wanted_sizes {
  const int64_t *tile, *inner;
  size_t n_tile, n_inner;
} wanted_sizes;

static tiled_stage *find_stage(const tiling *t, const stage_node *node) {
  int number = poly_member_number(t->members, node);
  return number < 0 ? NULL : &t->stages.data[number];
}

static tiled_update *find_update(const tiling *t, const stage_node *node, int number) {
  for (size_t i = 0; i < t->updates.len; i++)
    if (t->updates.data[i].node == node && (int)t->updates.data[i].number == number)
      return &t->updates.data[i];
  return NULL;
}

/* Which points that read a tile runs: those of the stage, or of an update; NULL when the group does not run
 * them. Borrowed. */
static isl_map *reader_points(const tiling *t, const stage_access *access) {
  const tiled_stage *s = find_stage(t, access->consumer);
  const tiled_update *u = find_update(t, access->consumer, access->update_index);
  return access->update_index < 0 ? (s ? s->needed : NULL) : u ? u->needed : NULL;
}

/* --- reading a group --- */

static tiled_update update_of_member(const tiling *t, const poly_member_update *m) {
  const poly_aligned *stage = t->plan->all->of[m->node->index].at;
  return (tiled_update){.node = m->node,
                        .number = m->number,
                        .filter = m->filter,
                        .schedule = m->number < stage->updates.len ? stage->updates.data[m->number] : NULL};
}

/* The member stands in the common space as the plan says, and behind what it reads. */
static bool is_in_place(const tiling *t, size_t number) {
  const poly_member *m = &t->members->list.data[number];
  isl_map *schedule = t->plan->all->of[m->node->index].at->schedule;
  if (!schedule || isl_map_dim(m->schedule, isl_dim_out) != (isl_size)t->n) return false;
  return isl_map_plain_is_equal(m->schedule, schedule) == isl_bool_true;
}

/* A member reads one that stands behind it: false after a diagnostic that names both. */
static bool is_ordered(const tiling *t) {
  for (size_t i = 0; i < t->members->list.len; i++) {
    const poly_member *m = &t->members->list.data[i];
    for (size_t k = 0; k < m->node->reads.len; k++) {
      const stage_node *producer = m->node->reads.data[k]->producer;
      int at = poly_member_number(t->members, producer);
      if (at <= (int)i) continue;
      pm_op_error(m->filter, "puts @%pS before @%pS, which it reads", (const void *)m->node->name,
                  (const void *)producer->name);
      pm_note(t->graph->ctx, t->members->list.data[at].filter->loc, "@%pS is here",
              (const void *)producer->name);
      return false;
    }
  }
  return true;
}

static void plan_members(tiling *t) {
  size_t n = t->members->list.len;
  for (size_t i = n; i-- > 0;) {
    unsigned node = t->members->list.data[i].node->index;
    poly_find_halo(t->plan, &t->plan->all->of[node]);
    poly_plan_join(t->plan, node);
  }
  for (size_t i = 0; i < n; i++) {
    const poly_member *m = &t->members->list.data[i];
    const poly_planned *plan = &t->plan->all->of[m->node->index];
    PM_VEC_PUSH(t->stages, ((tiled_stage){.node = m->node,
                                          .plan = plan,
                                          .band = m->band,
                                          .schedule = plan->at->schedule,
                                          .live_out = poly_is_live_out(t->plan, plan)}));
  }
  for (size_t i = 0; i < t->members->updates.len; i++)
    PM_VEC_PUSH(t->updates, update_of_member(t, &t->members->updates.data[i]));
}

/* False after a diagnostic: the group has not the shape that the pass group leaves. */
static bool read_group(tiling *t, pm_op *mark) {
  bool ok = t->members != NULL;
  t->n = t->plan->n = ok ? t->members->n_dims : 0;
  for (size_t i = 0; ok && i < t->members->list.len; i++) ok = is_in_place(t, i);
  if (!ok)
    return pm_op_error(mark, "does not hold a sequence with one filter and one band a stage, which the pass "
                             "group makes");
  if (!is_ordered(t)) return false;
  plan_members(t);
  return poly_check_arrays(t->plan, mark);
}

static void free_tiling(tiling *t) {
  for (size_t i = 0; i < t->updates.len; i++) isl_map_free(t->updates.data[i].needed);
  PM_VEC_FREE(t->updates);
  for (size_t i = 0; i < t->stages.len; i++) isl_map_free(t->stages.data[i].needed);
  PM_VEC_FREE(t->stages);
  poly_plan_clear(t->plan);
  poly_plan_free(t->plan);
}

/* --- tiles --- */

/* Tiles of the first named dimension outermost, or of the first of them along which no number bounds them. */
static void choose_order(tiling *t, size_t n_named) {
  unsigned named = n_named < t->n ? t->n - (unsigned)n_named : 0;
  unsigned first = poly_outermost_tiled(t->plan, named);
  t->order = pm_arena_alloc(pm_pass_arena(t->pass), t->n * sizeof *t->order);
  t->order[t->n_tiled++] = first;
  for (unsigned d = 0; d < t->n; d++)
    if (d != first && !t->plan->untiled[d]) t->order[t->n_tiled++] = d;
}

static void choose_tiles(tiling *t, const wanted_sizes *wanted) {
  poly_plan *plan = t->plan;
  plan->sizes = pm_arena_alloc(pm_pass_arena(t->pass), t->n * sizeof *plan->sizes);
  poly_usual_sizes(plan, NULL, wanted->tile, wanted->n_tile, plan->sizes);
  choose_order(t, wanted->n_tile);
  poly_choose_origins(plan);
  t->sizes = plan->sizes;
  t->origins = plan->origins;
}

/* --- footprints --- */

/* Common space -> tile: floor((c - origin) / size), members in t->order. */
static __isl_give isl_multi_aff *to_tile(const tiling *t, __isl_take isl_space *common) {
  isl_local_space *local = isl_local_space_from_space(isl_space_copy(common));
  isl_space *tile = isl_space_drop_dims(isl_space_copy(common), isl_dim_set, 0, t->n - t->n_tiled);
  isl_multi_aff *ma = isl_multi_aff_zero(isl_space_map_from_domain_and_range(common, tile));
  for (unsigned k = 0; k < t->n_tiled; k++) {
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
  for (unsigned k = 0; k < t->n_tiled; k++) {
    unsigned d = t->order[k];
    if (s->plan->whole[d]) continue;
    map = bound_from_tile(t, map, k, 1, -s->plan->halo_lo[d]);
    map = bound_from_tile(t, map, k, -1, t->sizes[d] - 1 + s->plan->halo_hi[d]);
  }
  return isl_map_apply_range(map, isl_map_reverse(isl_map_copy(s->schedule)));
}

static __isl_give isl_map *made_convex(__isl_take isl_map *map) {
  map = isl_map_coalesce(map);
  return isl_map_n_basic_map(map) > 1 ? isl_map_from_basic_map(isl_map_simple_hull(map)) : map;
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
    if (isl_map_n_basic_map(all) > MANY_PARTS) all = made_convex(all); /* which takes their square */
  }
  return made_convex(all);
}

/* tile -> the points of a stage that it computes for its own use: those within the distances of the reads,
 * by which the group was judged too. Without such distances, what is read. */
static __isl_give isl_map *brought(const tiling *t, const tiled_stage *s) {
  isl_map *map = s->plan->halo_known ? tile_and_halo(t, s) : read_points(t, s);
  return isl_map_intersect_range(map, isl_set_copy(s->node->domain));
}

/* --- cones --- */

static void explain_cone(const tiling *t, pm_loc loc, const poly_cone *cone) {
  pm_buf text = {0};
  for (unsigned d = 0; d < t->n; d++)
    pm_buf_printf(&text, "%s%lld..%lld", d ? ", " : "", (long long)cone->left[d], (long long)cone->right[d]);
  pm_pass_remark(t->pass, loc, PM_REMARK_ANALYSIS, (pm_remark_arg[]){{"height", cone->height}}, 1,
                 "the tiles are cones of height %u with slopes %s", cone->height, text.data);
  pm_buf_free(&text);
}

/* Halos are those of the cone at least. */
static void widen_to_cone(const tiling *t, pm_loc loc) {
  poly_cone cone;
  const stage_node *read = poly_widen_to_cone(t->plan, &cone);
  if (read)
    pm_pass_remark(t->pass, loc, PM_REMARK_MISSED, NULL, 0,
                   "the tiles are not cones: @%pS leaves the group and is read in it",
                   (const void *)read->name);
  else if (cone.height)
    explain_cone(t, loc, &cone);
}

/* Of the updates of a stage whose cells are known, the points that a tile runs. */
static void find_update_points(const tiling *t, const tiled_stage *s) {
  for (size_t i = 0; i < t->updates.len; i++) {
    tiled_update *u = &t->updates.data[i];
    if (u->node != s->node) continue;
    u->needed = s->live_out ? owned(t, u->schedule, u->node->updates.data[u->number].set)
                            : stage_update_instances(u->node, u->number, s->needed);
  }
}

/* Consumers first: when a stage is reached, all that need it have been. */
static void find_footprints(tiling *t) {
  for (size_t i = t->stages.len; i-- > 0;) {
    tiled_stage *s = &t->stages.data[i];
    s->needed = s->live_out ? owned(t, s->schedule, s->node->domain) : brought(t, s);
    find_update_points(t, s);
  }
}

/* --- steps inside a tile --- */

static void explain_one_step(const tiling *t, const poly_obstacle *obstacle) {
  const stage_access *read = obstacle->read;
  if (read)
    pm_pass_remark(t->pass, read->read->loc, PM_REMARK_MISSED, NULL, 0,
                   "a tile is computed in one step: the distances between @%pS and @%pS are not bounded",
                   (const void *)read->producer->name, (const void *)read->consumer->name);
  else
    pm_pass_remark(t->pass, obstacle->stage->op->loc, PM_REMARK_MISSED, NULL, 0,
                   "a tile is computed in one step: @%pS %s", (const void *)obstacle->stage->name,
                   obstacle->why);
}

static void take_shifts(tiling *t) {
  int64_t **shifts = poly_find_shifts(t->plan);
  for (size_t i = 0; i < t->stages.len; i++) t->stages.data[i].shift = shifts[t->stages.len - 1 - i];
}

/* The sizes from the first tiled dimension on. A group of one stage has no use for steps. */
static void choose_steps(tiling *t, const wanted_sizes *wanted) {
  poly_plan *plan = t->plan;
  poly_obstacle obstacle;
  if (t->stages.len < POLY_LEAST_STEPPED || !wanted->n_inner) return;
  unsigned first = wanted->n_tile < t->n ? t->n - (unsigned)wanted->n_tile : 0;
  if (!poly_may_step(plan, first, first + (unsigned)wanted->n_inner, &obstacle)) {
    explain_one_step(t, &obstacle);
    return;
  }
  plan->steps = pm_arena_alloc(pm_pass_arena(t->pass), t->n * sizeof *plan->steps);
  for (size_t i = 0; i < wanted->n_inner; i++) plan->steps[first + i] = wanted->inner[i];
  plan->n_stepped = (unsigned)wanted->n_inner;
  t->steps = plan->steps;
  t->n_stepped = plan->n_stepped;
  take_shifts(t);
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
  pm_attr schedule = pm_attr_at(band, poly_band_schedule), list = pm_attr_at(band, poly_band_coincident);
  isl_multi_union_pw_aff *rest = isl_multi_union_pw_aff_copy(isl_peek_mupa(schedule));
  int64_t *coincident = pm_arena_alloc(pm_pass_arena(t->pass), t->n * sizeof *coincident);
  unsigned n = 0;
  for (unsigned d = 0; d < t->n; d++) {
    if (t->steps[d] != 1)
      coincident[n++] = list && list->items[d]->i;
    else
      rest = isl_multi_union_pw_aff_drop_dims(rest, isl_dim_set, n, 1);
  }
  bool permutable = pm_attr_at(band, poly_band_permutable);
  if (n)
    poly_add_band(b, rest, (poly_band_info){permutable, list ? coincident : NULL, NULL});
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
  for (unsigned k = 0; k < t->n_tiled; k++) {
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

/* --- the order in a tile --- */

/* The dimension of the stage that the member of its schedule is; -1: none, -2: several. */
static int dim_of_member(isl_map *schedule, unsigned member) {
  int only = -1;
  for (int k = 0; k < (int)isl_map_dim(schedule, isl_dim_in); k++)
    if (stage_schedule_involves(schedule, member, (unsigned)k)) only = only == -1 ? k : -2;
  return only;
}

/* The common space has the dimensions of a stage that reads itself in the order of its readers; its loops are
 * in its own, that of its rows. */
static void restore_order(pm_pass *pass, const poly_member *m) {
  unsigned n = poly_band_members(m->band), n_placed = 0;
  unsigned *order = pm_arena_alloc(pm_pass_arena(pass), (n + 1) * sizeof *order);
  for (int dim = -1; dim < (int)m->node->n_dims; dim++)
    for (unsigned k = 0; k < n; k++)
      if (dim_of_member(m->schedule, k) == dim) order[n_placed++] = k;
  bool differs = false;
  for (unsigned k = 0; k < n_placed; k++) differs = differs || order[k] != k;
  if (differs && n_placed == n) poly_permute_band(m->band, order);
}

static void restore_orders(pm_pass *pass, const poly_members *members) {
  for (size_t i = 0; members && i < members->list.len; i++)
    if (members->list.data[i].node->self_reads.len) restore_order(pass, &members->list.data[i]);
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
  for (unsigned k = 0; k < t->n_tiled; k++)
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
      "the part of @%pS that a tile computes has no bounding box: the distance of a read is not bounded",
      (const void *)node->name);
}

static void explain_footprints(const tiling *t) {
  if (!pm_wants_remarks(t->graph->ctx)) return;
  pm_arena *arena = pm_pass_arena(t->pass);
  size_t n = t->stages.len;
  poly_footprint *parts = pm_arena_alloc(arena, n * sizeof *parts);
  for (size_t i = 0; i < n; i++) {
    const tiled_stage *s = &t->stages.data[i];
    parts[i] = (poly_footprint){s->node, s->plan->halo_lo, s->plan->halo_hi, s->plan->whole,
                                pm_arena_alloc(arena, t->n * sizeof *parts[i].along)};
  }
  poly_find_footprints(t->plan->all->footprints, t->plan->all->usual, parts, n, t->n, t->sizes, t->origins);
  for (size_t i = 0; i < n; i++) {
    if (t->stages.data[i].plan->halo_known)
      explain_footprint(t, &t->stages.data[i], parts[i].along);
    else
      explain_no_box(t, t->stages.data[i].node);
  }
}

/* Without the first n of the inner sizes, as far as there are. */
static void drop_inner(wanted_sizes *sizes, size_t n) {
  size_t unused = n < sizes->n_inner ? n : sizes->n_inner;
  if (unused) sizes->inner += unused;
  sizes->n_inner -= unused;
}

/* The sizes of the dimensions that the group has. */
static wanted_sizes sizes_of_dims(const wanted_sizes *all, unsigned n) {
  size_t unused = all->n_tile > n ? all->n_tile - n : 0;
  wanted_sizes sizes = {all->tile + unused, all->inner, all->n_tile - unused, all->n_inner};
  drop_inner(&sizes, unused);
  return sizes;
}

static void change_tree(const tiling *t, pm_op *mark) {
  pm_op *sequence = poly_child(mark);
  pm_builder b = pm_builder_before(sequence);
  b.loc = mark->loc;
  add_tiles(t, &b);
  pm_op_erase(sequence);
  pm_set_attr(pm_parent(mark), poly_filter_instances, isl_attr_of_union_set(t->graph->ctx, live_outs(t)));
}

/* The shape that the group says, else that of the pass. */
static unsigned shape_of(pm_pass *pass, const pm_op *mark) {
  static const char *const words[] = {"overlapped", "cone", "split", "diamond"};
  pm_attr own = pm_attr_at(mark, poly_mark_shape);
  for (unsigned i = 0; own && i < PM_COUNT(words); i++)
    if (strcmp(own->s->text, words[i]) == 0) return i;
  return pm_opt_enum(pass, tile_opt_shape);
}

/* Groups that say nothing of it have the worker of the pass; all have where their own sizes are left aside,
 * too. */
static void decide_worker(pm_pass *pass, pm_op *mark) {
  bool item = pm_opt_enum(pass, tile_opt_worker) == WORKER_ITEM,
       own = pm_opt_enum(pass, tile_opt_own) != OWN_NONE;
  if (own && pm_attr_at(mark, poly_mark_worker)) return;
  if (item)
    poly_set_worker(mark, "item");
  else
    pm_set_attr(mark, poly_mark_worker, NULL);
}

static void carry_out(tiling *t, pm_op *mark, const wanted_sizes *wanted) {
  wanted_sizes sizes = sizes_of_dims(wanted, t->n);
  choose_tiles(t, &sizes);
  choose_steps(t, &sizes);
  poly_find_halos(t->plan);
  if (shape_of(t->pass, mark) == SHAPE_CONE) widen_to_cone(t, mark->loc);
  find_footprints(t);
  change_tree(t, mark);
  decide_worker(t->pass, mark);
  explain(t, mark->loc);
  if (t->n_stepped) explain_steps(t, mark->loc);
  explain_footprints(t);
}

/* Of a mark; without members it has not the form that the pass group leaves. */
typedef struct group {
  pm_op *mark;
  const poly_members *members;
} group;

static void explain_untiled(const tiling *t, pm_loc loc) {
  pm_pass_remark(t->pass, loc, PM_REMARK_MISSED, NULL, 0,
                 "the group of @%pS is not tiled: stages that read themselves leave no dimension for it",
                 (const void *)last_stage(t)->name);
}

/* Dimensions of which a tile has all are not tiled. */
static void leave_whole(tiling *t, const wanted_sizes *wanted) {
  wanted_sizes sizes = sizes_of_dims(wanted, t->n);
  for (size_t i = 0; i < sizes.n_tile; i++)
    if (sizes.tile[i] == POLY_UNTILED) t->plan->untiled[t->n - sizes.n_tile + i] = true;
}

/* Adds to *brought the stages that are no longer of the domain; false after a diagnostic. */
static bool tile_group(pm_pass *pass, poly_plans *plans, const group *g, const wanted_sizes *wanted,
                       isl_union_set **brought) {
  tiling t = {
      .pass = pass, .graph = plans->alignment->graph, .plan = poly_plan_new(plans), .members = g->members};
  bool ok = read_group(&t, g->mark);
  if (ok) leave_whole(&t, wanted);
  if (ok && t.n && poly_plan_is_whole(t.plan)) {
    explain_untiled(&t, g->mark->loc);
  } else if (ok && t.n) {
    carry_out(&t, g->mark, wanted);
    *brought = add_brought(*brought, &t);
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

/* The stage that keeps a group as it is, and why: it is alone and has updates or reads itself, or it cannot
 * be computed tile by tile; NULL for most groups. */
static const stage_node *untiled_stage(const stage_graph *graph, const pm_op *mark, const char **reason) {
  const pm_op *filter = pm_parent(mark);
  if (!pm_is(filter, &poly_filter)) return NULL;
  poly_names names = {0};
  size_t n_stages = 0;
  const stage_node *found = NULL, *own_loops = NULL;
  poly_stage_names(graph->ctx, isl_peek_union_set(pm_attr_at(filter, poly_filter_instances)), &names);
  for (size_t i = 0; i < names.len && !found; i++) {
    const stage_node *node = stage_graph_find(graph, names.data[i]);
    n_stages += node != NULL;
    *reason = node ? stage_why_whole(node) : NULL;
    found = *reason ? node : NULL;
    own_loops = node && (node->updates.len || node->self_reads.len) ? node : own_loops;
  }
  PM_VEC_FREE(names);
  if (found || n_stages > 1) return found;
  *reason = own_loops && own_loops->updates.len ? "it has updates, and no other stage is computed with it"
                                                : "it reads itself, and no other stage is computed with it";
  return own_loops;
}

/* The integers of an attribute that a group may have, in the arena. */
static int64_t *integers_of(pm_pass *pass, pm_attr list) {
  int64_t *ints = pm_arena_alloc(pm_pass_arena(pass), (list->len + 1) * sizeof *ints);
  for (uint32_t i = 0; i < list->len; i++) ints[i] = list->items[i]->i;
  return ints;
}

/* The group has tiles from another pass. */
static bool is_tiled(pm_op *mark) {
  poly_ops bands = {0};
  poly_collect(mark, &poly_band, &bands);
  bool tiled = false;
  for (size_t i = 0; i < bands.len && !tiled; i++) tiled = pm_attr_at(bands.data[i], poly_band_tile) != NULL;
  PM_VEC_FREE(bands);
  return tiled;
}

/* Those that are 0 become those of the pass; it has one at least. */
static const int64_t *decided_sizes(int64_t *own, size_t n, const wanted_sizes *usual) {
  for (size_t i = 0; i < n; i++)
    if (!own[i]) own[i] = i + usual->n_tile >= n ? usual->tile[i + usual->n_tile - n] : usual->tile[0];
  return own;
}

/* The sizes that the group says, where it does and these are wanted; else those of the pass, of the
 * dimensions that the group is tiled in. */
static wanted_sizes sizes_of_group(pm_pass *pass, const pm_op *mark, const wanted_sizes *sizes) {
  wanted_sizes own = *sizes;
  int which = pm_opt_enum(pass, tile_opt_own);
  if (which == OWN_NONE) return own;
  pm_attr tile = pm_attr_at(mark, poly_mark_tile), inner = pm_attr_at(mark, poly_mark_inner);
  if (tile && tile->len) {
    own.tile = decided_sizes(integers_of(pass, tile), tile->len, sizes);
    own.n_tile = tile->len;
  }
  if (inner && which == OWN_ALL) {
    own.inner = integers_of(pass, inner);
    own.n_inner = inner->len;
  } else if (own.n_tile < sizes->n_tile) {
    drop_inner(&own, sizes->n_tile - own.n_tile);
  }
  return own;
}

/* The group got split or diamond tiles. */
static bool has_other_shape(pm_pass *pass, const stage_graph *graph, const group *g,
                            const wanted_sizes *sizes) {
  static poly_tile_shape *const shapes[] = {
      [SHAPE_CONE] = NULL, [SHAPE_SPLIT] = poly_tile_split, [SHAPE_DIAMOND] = poly_tile_diamond};
  poly_tile_shape *shape = g->members ? shapes[shape_of(pass, g->mark)] : NULL;
  return shape && shape(pass, graph, g->mark, g->members, sizes->tile, sizes->n_tile);
}

static bool tile_or_leave(pm_pass *pass, poly_plans *plans, const group *g, const wanted_sizes *sizes,
                          isl_union_set **brought) {
  pm_op *mark = g->mark;
  if (is_tiled(mark)) return true;
  const char *reason;
  const stage_node *whole = untiled_stage(plans->alignment->graph, mark, &reason);
  wanted_sizes own = sizes_of_group(pass, mark, sizes);
  if (own.n_inner > own.n_tile)
    return pm_op_error(mark,
                       "has %zu sizes of steps, but is tiled in %zu dimensions; there should be no more "
                       "than these",
                       own.n_inner, own.n_tile);
  if (has_other_shape(pass, plans->alignment->graph, g, &own)) return true;
  bool ok = whole || tile_group(pass, plans, g, &own, brought);
  if (whole)
    pm_pass_remark(pass, whole->op->loc, PM_REMARK_MISSED, NULL, 0, "@%pS is not tiled: %s",
                   (const void *)whole->name, reason);
  if (ok) restore_orders(pass, g->members);
  return ok;
}

static bool tile_groups(pm_pass *pass, poly_plans *plans, pm_op *schedule, const wanted_sizes *sizes) {
  const stage_graph *graph = plans->alignment->graph;
  const poly_groups *groups = POLY_GROUPS(pass);
  isl_union_set *brought = isl_union_set_empty(isl_set_get_space(graph->context));
  bool ok = true;
  for (size_t i = 0; i < poly_group_count(groups) && ok; i++) {
    group g = {poly_group_at(groups, i), poly_members_at(groups, i)};
    ok = tile_or_leave(pass, plans, &g, sizes, &brought);
  }
  pm_op *domain = poly_child(schedule);
  isl_union_set *left = isl_union_set_copy(isl_peek_union_set(pm_attr_at(domain, poly_domain_instances)));
  pm_set_attr(domain, poly_domain_instances,
              isl_attr_of_union_set(graph->ctx, isl_union_set_subtract(left, brought)));
  return ok;
}

pm_result pass_tile(pm_pass *pass) {
  wanted_sizes sizes;
  sizes.tile = pm_opt_ints(pass, tile_opt_sizes, &sizes.n_tile);
  sizes.inner = pm_opt_ints(pass, tile_opt_inner, &sizes.n_inner);
  const stage_graph *graph = STAGE_GRAPH(pass);
  if (!graph || !valid_sizes(pass, sizes.tile, sizes.n_tile) ||
      !valid_sizes(pass, sizes.inner, sizes.n_inner))
    return PM_FAILED;
  pm_op *schedule = poly_find_schedule(pm_pass_root(pass));
  if (!sizes.n_tile) return PM_UNCHANGED;
  poly_plans *plans =
      poly_plans_new(POLY_FOOTPRINTS(pass), pm_pass_arena(pass), pm_usual_size(pm_pass_root(pass)));
  bool ok = tile_groups(pass, plans, schedule, &sizes);
  stage_count_distances(pass);
  return ok ? PM_CHANGED : PM_FAILED;
}
