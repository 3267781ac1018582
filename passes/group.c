/* group: which stages are computed tile by tile together.
 *
 *   poly.sequence { filter "{ bx }" { mark "group" { sequence { filter "{ bx }" { band … } } } }
 *                   filter "{ by }" { mark "group" { sequence { filter "{ by }" { band … } } } } }
 *   =>
 *   poly.sequence { filter "{ bx; by }" { mark "group" { sequence { filter "{ bx }" { band … }
 *                                                                   filter "{ by }" { band … } } } } }
 *
 * Stages are taken from the outputs backwards, so that all readers of a stage have their group when it is
 * looked at; it joins the group of its readers or starts one of its own. strategy=greedy is Algorithm 2 of
 * the PolyMage thesis (one consuming group, recomputation below a threshold); strategy=all joins wherever it
 * is legal; strategy=dp takes the partition that costs least (dialects/poly/cost/partition.h), and its groups
 * say in what tiles. Legal is:
 *   - dependences inside a group are constant distances in the common space;
 *   - a stage that is also needed outside its group is computed once: nothing in the group reads it at a
 *     distance;
 *   - the cells that updates reach follow from the places of their points, along some dimensions at least;
 *     along others a tile has all cells, so that their number is bounded and the stage is needed in the group
 *     only;
 *   - the groups stay free of cycles.
 */
#include "dialects/poly/dependences/distance.h"
#include "dialects/poly/cost/partition.h"
#include "dialects/poly/dependences/update_schedule.h"
#include "dialects/poly/cost/stage_shape.h"
#include "dialects/poly/tiling/inner_tiles.h"
#include "dialects/poly/tree.h"
#include "dialects/stage/analyses/estimates.h"
#include "dialects/stage/analyses/graph.h"
#include "passes/options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum strategy { STRATEGY_NONE, STRATEGY_ALL, STRATEGY_GREEDY, STRATEGY_DP, STRATEGY_RANDOM };

/* The distances producer minus consumer, by common dimension, over all reads of one stage by another. */
typedef struct edge {
  unsigned producer, consumer;
  bool bounded;
  int64_t *min, *max;
  bool *free; /* the producer lacks the dimension, and no number bounds the distances */
} edge;

/* An update of a stage that may be in a group. */
typedef struct updating {
  isl_map *schedule; /* u[…] -> common space */
  double points;     /* at the estimates */
} updating;

typedef struct member {
  const stage_node *node;
  PM_VEC(pm_op *) filters;    /* in the tree that the pass found: the stage's, then its updates' */
  isl_map *schedule;          /* Stage[…] -> common space */
  int group;                  /* -1: none yet */
  int64_t *halo_lo, *halo_hi; /* points needed around the tile of its group, <= 0 and >= 0 */
  bool *has;                  /* the common dimensions that the stage has */
  const char *alone;          /* why it is computed whole; NULL: it may be in a group */
  bool *scattered;            /* its updates reach any cell along the common dimension */
  bool *whole;                /* a tile of its group needs all that it has along the common dimension */
  int64_t *span;  /* common coordinates of its domain, 0: no number bounds them; -1: not asked yet */
  double *extent; /* see extent_of; NULL: not asked yet */
  PM_VEC(updating) updates;
  PM_VEC(edge *) readers;
} member;

typedef poly_indices indices;

/* The tiles of a group: of the common dimensions from `first` on. Without sizes the pass tile decides. */
typedef struct tiles {
  unsigned first;
  int64_t *sizes; /* of all common dimensions, in the arena; NULL: none */
  int64_t inner;  /* the steps along `first`; 0: none */
} tiles;

typedef struct grouping {
  pm_pass *pass;
  const stage_graph *graph;
  unsigned n_common;
  member *of;             /* by node index; inputs have no band */
  PM_VEC(indices) groups; /* members, last stage first; an id is never reused */
  PM_VEC(tiles) tiles;    /* of each group */
  const int64_t *named;   /* option `tile`, for judging overlap: sizes of the innermost dimensions */
  size_t n_named;
} grouping;

/* --- dependence distances --- */

static edge *edge_between(grouping *g, unsigned producer, unsigned consumer) {
  member *p = &g->of[producer];
  for (size_t i = 0; i < p->readers.len; i++)
    if (p->readers.data[i]->consumer == consumer) return p->readers.data[i];
  pm_arena *arena = pm_pass_arena(g->pass);
  edge *e = pm_arena_alloc(arena, sizeof *e);
  *e = (edge){.producer = producer, .consumer = consumer, .bounded = true};
  e->min = pm_arena_alloc(arena, g->n_common * sizeof *e->min);
  e->max = pm_arena_alloc(arena, g->n_common * sizeof *e->max);
  e->free = pm_arena_alloc(arena, g->n_common * sizeof *e->free);
  PM_VEC_PUSH(p->readers, e);
  return e;
}

/* Where the points stand that read; NULL for updates that are computed whole. Borrowed. */
static isl_map *reader_schedule(const grouping *g, const stage_access *access) {
  const member *reader = &g->of[access->consumer->index];
  if (access->update_index < 0) return reader->schedule;
  return reader->updates.len ? reader->updates.data[access->update_index].schedule : NULL;
}

static void find_edges(grouping *g) {
  for (size_t i = 0; i < g->graph->accesses.len; i++) {
    const stage_access *access = g->graph->accesses.data[i];
    if (access->producer->is_input || access->producer == access->consumer) continue;
    edge *e = edge_between(g, access->producer->index, access->consumer->index);
    isl_map *reader = reader_schedule(g, access);
    e->bounded = reader &&
                 poly_widen_distances_but_free(access->relation, reader, g->of[e->producer].schedule,
                                               g->n_common, e->min, e->max, e->free) &&
                 e->bounded;
  }
}

/* --- reading the tree --- */

/* The one stage of an innermost filter, or the one whose update it lets through; NULL for other filters. */
static stage_node *owner_of(const grouping *g, pm_op *filter) {
  poly_names names = {0};
  size_t number;
  poly_stage_names(g->graph->ctx, isl_peek_union_set(filter->attrs[poly_filter_instances]), &names);
  stage_node *node = names.len == 1 ? stage_graph_find(g->graph, names.data[0]) : NULL;
  if (names.len == 1 && !node) node = stage_graph_find_update(g->graph, names.data[0], &number);
  PM_VEC_FREE(names);
  return node;
}

static void find_bands(grouping *g, pm_op *schedule) {
  poly_ops filters = {0};
  poly_collect(schedule, &poly_filter, &filters);
  for (size_t i = 0; i < filters.len; i++) {
    pm_op *child = poly_child(filters.data[i]);
    stage_node *node = !child || pm_is(child, &poly_band) ? owner_of(g, filters.data[i]) : NULL;
    if (!node) continue;
    member *m = &g->of[node->index];
    PM_VEC_PUSH(m->filters, filters.data[i]);
    isl_map *map = child ? poly_band_map(child, node->name) : NULL;
    if (!map) continue;
    isl_map_free(m->schedule);
    m->schedule = map;
    g->n_common = poly_band_members(child);
  }
  PM_VEC_FREE(filters);
}

static bool is_extended(pm_op *schedule) {
  poly_ops extensions = {0};
  poly_collect(schedule, &poly_extension, &extensions);
  bool any = extensions.len > 0;
  PM_VEC_FREE(extensions);
  return any;
}

/* Every stage has a band of its own, as align-scale leaves it. */
static bool complete(const grouping *g, pm_op *schedule) {
  if (is_extended(schedule))
    return pm_op_error(schedule, "is tiled already, but group needs the tree that align-scale makes");
  for (size_t i = 0; i < g->graph->nodes.len; i++) {
    const stage_node *node = g->graph->nodes.data[i];
    if (!node->is_input && !g->of[i].schedule)
      return pm_error(
          g->graph->ctx, node->op->loc,
          "@%pS has no band of its own in the schedule; group needs the tree that align-scale makes",
          (const void *)node->name);
  }
  return true;
}

/* --- legality and cost of joining --- */

static bool is_live_out(const grouping *g, unsigned stage, int group) {
  const member *m = &g->of[stage];
  if (m->node->is_output) return true;
  for (size_t i = 0; i < m->readers.len; i++)
    if (g->of[m->readers.data[i]->consumer].group != group) return true;
  return false;
}

static bool is_zero(const grouping *g, const int64_t *lo, const int64_t *hi) {
  for (unsigned d = 0; d < g->n_common; d++)
    if (lo[d] || hi[d]) return false;
  return true;
}

/* The halo of a stage from those of its readers in the group: exact for constant distances. */
static void find_halo(const grouping *g, unsigned stage, int group, int64_t *lo, int64_t *hi) {
  const member *m = &g->of[stage];
  for (unsigned d = 0; d < g->n_common; d++) {
    lo[d] = hi[d] = 0;
    m->whole[d] = m->scattered[d];
  }
  for (size_t i = 0; i < m->readers.len; i++) {
    const edge *e = m->readers.data[i];
    const member *reader = &g->of[e->consumer];
    if (reader->group != group) continue;
    for (unsigned d = 0; d < g->n_common; d++) {
      if (reader->halo_lo[d] + e->min[d] < lo[d]) lo[d] = reader->halo_lo[d] + e->min[d];
      if (reader->halo_hi[d] + e->max[d] > hi[d]) hi[d] = reader->halo_hi[d] + e->max[d];
      m->whole[d] = m->whole[d] || reader->whole[d] || e->free[d];
    }
  }
}

static const char *why_not_aligned(const grouping *g, unsigned stage, int group) {
  const member *m = &g->of[stage];
  for (size_t i = 0; i < m->readers.len; i++)
    if (g->of[m->readers.data[i]->consumer].group == group && !m->readers.data[i]->bounded)
      return "a dependence between them is not a constant distance";
  return NULL;
}

/* Another group between the stage and `group`? Depth-first over readers, with a stack of its own. */
static bool reaches_around(const grouping *g, unsigned stage, int group) {
  bool *seen = pm_xcalloc(g->graph->nodes.len, sizeof *seen);
  indices stack = {0};
  bool found = false;
  PM_VEC_PUSH(stack, stage);
  while (stack.len && !found) {
    const member *m = &g->of[PM_VEC_POP(stack)];
    for (size_t i = 0; i < m->readers.len && !found; i++) {
      unsigned next = m->readers.data[i]->consumer;
      bool inside = g->of[next].group == group;
      found = inside && m->node->index != stage;
      if (inside || seen[next]) continue;
      seen[next] = true;
      const indices *mates = &g->groups.data[g->of[next].group];
      for (size_t k = 0; k < mates->len; k++) PM_VEC_PUSH(stack, mates->data[k]);
    }
  }
  PM_VEC_FREE(stack);
  free(seen);
  return found;
}

static bool any_of(const bool *flags, unsigned n) {
  for (unsigned d = 0; d < n; d++)
    if (flags[d]) return true;
  return false;
}

/* The flags say so of a common dimension that the stage has. */
static bool is_along_any(const grouping *g, const member *m, const bool *flags) {
  for (unsigned d = 0; d < g->n_common; d++)
    if (flags[d] && m->has[d]) return true;
  return false;
}

/* Why no other stage joins the group that the stage started, in which it is a live-out. */
static const char *why_closed(const grouping *g, unsigned first) {
  const member *m = &g->of[first];
  if (m->alone) return "the other is computed whole";
  return is_along_any(g, m, m->scattered)
             ? "the updates of the other, which leaves the group, reach cells of all tiles"
             : NULL;
}

static int64_t span_of(const member *m, unsigned d) {
  if (m->span[d] < 0) m->span[d] = poly_span_along(m->schedule, m->node->domain, d);
  return m->span[d];
}

/* What is needed whole along a dimension has a number of points there that a scratchpad can have. */
static const char *why_unbounded(const grouping *g, const member *m) {
  for (unsigned d = 0; d < g->n_common; d++)
    if (m->whole[d] && m->has[d] && !span_of(m, d))
      return "updates need all of it along a dimension that no number bounds";
  return NULL;
}

static bool stays_inside(const grouping *g, unsigned stage, unsigned d) {
  const member *m = &g->of[stage];
  return m->has[d] && !m->halo_lo[d] && !m->halo_hi[d] && !m->whole[d];
}

static bool all_stay_inside(const grouping *g, const indices *members, unsigned d) {
  for (size_t i = 0; i < members->len; i++)
    if (!stays_inside(g, members->data[i], d)) return false;
  return true;
}

/* What the pass tile will take: an outer dimension that the option does not name is walked point by point
 * where no dependence crosses it and all stages have it. */
static int64_t tile_of(const grouping *g, unsigned stage, const indices *members, unsigned d) {
  if (d + g->n_named >= g->n_common) return g->named[d + g->n_named - g->n_common];
  bool free_of_dependences = stays_inside(g, stage, d) && all_stay_inside(g, members, d);
  return free_of_dependences || !g->n_named ? 1 : g->named[0];
}

/* Coordinates along a dimension in which a tile computes a stage: with its halo, or without. What is needed
 * whole is shared by the tiles there. */
static double width(const member *m, const int64_t *tile, unsigned d, bool halo) {
  if (!m->whole[d]) return (double)(tile[d] + (halo ? m->halo_hi[d] - m->halo_lo[d] : 0));
  int64_t span = span_of(m, d);
  return (double)(halo || span < tile[d] ? span : tile[d]);
}

/* Common coordinates of a stage at the estimates, at least 1, by dimension. */
static const double *extent_of(const grouping *g, unsigned stage) {
  member *m = &g->of[stage];
  if (m->extent) return m->extent;
  isl_set *space =
      stage_at_estimates(g->graph, isl_set_copy(m->node->domain), pm_opt_int(g->pass, group_opt_size));
  space = isl_set_apply(space, isl_map_copy(m->schedule));
  m->extent = pm_arena_alloc(pm_pass_arena(g->pass), g->n_common * sizeof *m->extent);
  for (unsigned d = 0; d < g->n_common; d++) m->extent[d] = fmax(1, stage_extent(space, d));
  isl_set_free(space);
  return m->extent;
}

static double points_of_updates(const member *m) {
  double points = 0;
  for (size_t i = 0; i < m->updates.len; i++) points += m->updates.data[i].points;
  return points;
}

/* Points of a stage and its updates that one tile computes; of what it lacks a dimension for, along which
 * there are `tiles` that all need it, its share. */
static double volume(const grouping *g, unsigned stage, const double *tiles, const int64_t *tile, bool halo) {
  const member *m = &g->of[stage];
  double cells = 1, density = 1;
  for (unsigned d = 0; d < g->n_common; d++) {
    if (m->has[d])
      cells *= width(m, tile, d, halo);
    else if (m->whole[d] && !halo)
      cells /= tiles[d];
  }
  if (!m->updates.len) return cells;
  const double *extent = extent_of(g, stage);
  for (unsigned d = 0; d < g->n_common; d++) density /= extent[d];
  return cells * (1 + density * points_of_updates(m));
}

/* Tiles into which the stage and its updates are cut, at the estimates. */
static double count_tiles(const grouping *g, unsigned stage, const int64_t *tile) {
  const member *m = &g->of[stage];
  const double *extent = extent_of(g, stage);
  double tiles = 1;
  for (unsigned d = 0; d < g->n_common; d++)
    if (m->has[d] && !m->whole[d]) tiles *= ceil(extent[d] / (double)tile[d]);
  return tiles;
}

/* Whether the updates of a stage are work for many threads, but the tiles of the group would be few. */
static bool has_few_tiles(const grouping *g, unsigned stage, int group) {
  const int64_t much = 65536, few = 16;
  const member *m = &g->of[stage];
  if (points_of_updates(m) < much) return false;
  int64_t *tile = pm_xmalloc(g->n_common * sizeof *tile);
  for (unsigned d = 0; d < g->n_common; d++) tile[d] = tile_of(g, stage, &g->groups.data[group], d);
  bool is = count_tiles(g, stage, tile) < few;
  free(tile);
  return is;
}

/* Why the group would be none with the stage in it, whatever the other groups are; finds its halo. */
static const char *why_no_group(const grouping *g, unsigned stage, int group) {
  const member *m = &g->of[stage];
  const char *reason = m->alone;
  if (!reason) reason = why_closed(g, g->groups.data[group].data[0]);
  if (!reason) reason = why_not_aligned(g, stage, group);
  if (reason) return reason;
  find_halo(g, stage, group, m->halo_lo, m->halo_hi);
  bool kept = is_zero(g, m->halo_lo, m->halo_hi) && !any_of(m->whole, g->n_common);
  if (is_live_out(g, stage, group) && !kept)
    return "it is needed outside the group too, and the group reads it at a distance";
  reason = why_unbounded(g, m);
  return reason ? reason
         : has_few_tiles(g, stage, group)
             ? "its updates have many points, for which the group has too few tiles"
             : NULL;
}

static const char *why_illegal(const grouping *g, unsigned stage, int group) {
  const char *reason = why_no_group(g, stage, group);
  if (reason) return reason;
  return reaches_around(g, stage, group) ? "another group stands between them" : NULL;
}

/* Percent of the group's work in one tile that the neighbouring tiles do too, with `stage` in it. */
static double overlap_with(const grouping *g, unsigned stage, int group) {
  const indices *members = &g->groups.data[group];
  int64_t *tile = pm_xmalloc(g->n_common * sizeof *tile);
  for (unsigned d = 0; d < g->n_common; d++) tile[d] = tile_of(g, stage, members, d);
  double *tiles = pm_xmalloc(g->n_common * sizeof *tiles);
  const double *extent = extent_of(g, members->data[0]);
  for (unsigned d = 0; d < g->n_common; d++) tiles[d] = ceil(extent[d] / (double)tile[d]);
  double done = volume(g, stage, tiles, tile, true), needed = volume(g, stage, tiles, tile, false);
  for (size_t i = 0; i < members->len; i++) {
    done += volume(g, members->data[i], tiles, tile, true);
    needed += volume(g, members->data[i], tiles, tile, false);
  }
  free(tiles);
  free(tile);
  return 100 * (done / needed - 1);
}

/* --- joining --- */

static void refuse(grouping *g, unsigned stage, int group, const char *reason) {
  const stage_node *last = g->of[g->groups.data[group].data[0]].node;
  pm_pass_remark(g->pass, g->of[stage].node->op->loc, PM_REMARK_MISSED, NULL, 0,
                 "@%pS is not computed together with @%pS: %s", (const void *)g->of[stage].node->name,
                 (const void *)last->name, reason);
}

static void join(grouping *g, unsigned stage, int group) {
  g->of[stage].group = group;
  PM_VEC_PUSH(g->groups.data[group], stage);
}

static void start_group(grouping *g, unsigned stage) {
  indices one = {0};
  PM_VEC_PUSH(one, stage);
  g->of[stage].group = (int)g->groups.len;
  PM_VEC_PUSH(g->groups, one);
  PM_VEC_PUSH(g->tiles, ((tiles){0}));
  member *m = &g->of[stage];
  for (unsigned d = 0; d < g->n_common; d++) {
    m->halo_lo[d] = m->halo_hi[d] = 0;
    m->whole[d] = m->scattered[d];
  }
}

/* The one group of all readers, or -1. */
static int only_reading_group(const grouping *g, unsigned stage) {
  const member *m = &g->of[stage];
  int group = -1;
  for (size_t i = 0; i < m->readers.len; i++) {
    int other = g->of[m->readers.data[i]->consumer].group;
    if (group >= 0 && other != group) return -1;
    group = other;
  }
  return group;
}

static bool join_greedily(grouping *g, unsigned stage) {
  int group = only_reading_group(g, stage);
  if (group < 0) return false;
  const char *reason = why_illegal(g, stage, group);
  if (!reason && g->groups.data[group].len >= (size_t)pm_opt_int(g->pass, group_opt_max_size))
    reason = "the group has max-size stages already";
  if (!reason && overlap_with(g, stage, group) > (double)pm_opt_int(g->pass, group_opt_overlap))
    reason = "too much of a tile would be computed again";
  if (reason) {
    refuse(g, stage, group, reason);
    return false;
  }
  double overlap = overlap_with(g, stage, group);
  const stage_node *last = g->of[g->groups.data[group].data[0]].node;
  pm_pass_remark(
      g->pass, g->of[stage].node->op->loc, PM_REMARK_PASSED, (pm_remark_arg[]){{"overlap_percent", overlap}},
      1, "@%pS is computed together with @%pS; %.1f %% of the tile's work is done again by its neighbours",
      (const void *)g->of[stage].node->name, (const void *)last->name, overlap);
  join(g, stage, group);
  return true;
}

static bool join_anywhere(grouping *g, unsigned stage) {
  const member *m = &g->of[stage];
  const char *reason = NULL;
  int refused = -1;
  for (size_t i = 0; i < m->readers.len; i++) {
    int group = g->of[m->readers.data[i]->consumer].group;
    reason = why_illegal(g, stage, group);
    refused = group;
    if (reason) continue;
    join(g, stage, group);
    return true;
  }
  if (refused >= 0) refuse(g, stage, refused, reason);
  return false;
}

static void form_by_steps(grouping *g, unsigned strategy) {
  for (size_t i = g->graph->nodes.len; i-- > 0;) {
    if (g->graph->nodes.data[i]->is_input) continue;
    unsigned stage = (unsigned)i;
    bool joined = strategy == STRATEGY_GREEDY ? join_greedily(g, stage)
                  : strategy == STRATEGY_ALL  ? join_anywhere(g, stage)
                                              : false;
    if (!joined) start_group(g, stage);
  }
}

/* --- the partition that costs least --- */

/* A group as a cost function is told of it; the memory is that of the group before. */
typedef struct description {
  PM_VEC(poly_cost_member) members;
  PM_VEC(const poly_stage_shape *) live_ins;
  PM_VEC(unsigned) reads; /* of all members, one after the other */
} description;

typedef struct pricing {
  grouping *g;
  const poly_cost_function *function;
  poly_machine machine;
  indices stage_of;               /* node index of each stage of the problem */
  const poly_stage_shape **shape; /* by node index */
  indices *producers;             /* by node index: what the stage reads, once each */
  description described;          /* the group that was priced last */
  poly_cost price;                /* of it */
  poly_prediction *parts;         /* by member, producers first, of a group that is settled */
  uint64_t *listed;               /* by node index: the number of the price that listed it last */
  unsigned *number;               /* by node index: in that price, among members and live-ins */
  uint64_t prices;
} pricing;

static int last_group(const grouping *g) {
  return (int)g->groups.len - 1;
}

/* All members have the dimension, and some depend on one another along it, but at bounded distances. */
static bool is_to_be_tiled(const grouping *g, const indices *members, unsigned d) {
  bool depends = false;
  for (size_t i = 0; i < members->len; i++) {
    const member *m = &g->of[members->data[i]];
    if (!m->has[d] || m->whole[d]) return false;
    depends = depends || m->halo_lo[d] || m->halo_hi[d];
  }
  return depends;
}

/* Sizes are of the two innermost dimensions, and of outer ones from the first along which members depend on
 * one another; those before it have few points, and no loop over them should be the parallel one. */
static unsigned first_tiled(const grouping *g, const indices *members) {
  unsigned first = 0;
  while (first + 2 < g->n_common && !is_to_be_tiled(g, members, first)) first++;
  return first;
}

/* The dimension of the outermost tile loop: the first along which no number bounds the live-outs. */
static unsigned outer_tiled(const grouping *g, const indices *members, unsigned first) {
  for (unsigned d = first; d < g->n_common; d++)
    for (size_t i = 0; i < members->len; i++) {
      const member *m = &g->of[members->data[i]];
      if (is_live_out(g, members->data[i], m->group) && !span_of(m, d)) return d;
    }
  return first;
}

/* The number of what is read among the members or, then, the live-ins, which it may be added to. */
static unsigned number_of_read(pricing *p, unsigned producer, size_t n_members) {
  if (p->listed[producer] != p->prices) {
    p->listed[producer] = p->prices;
    p->number[producer] = (unsigned)(n_members + p->described.live_ins.len);
    PM_VEC_PUSH(p->described.live_ins, p->shape[producer]);
  }
  return p->number[producer];
}

/* Numbers the members from 0, producers first. */
static void number_members(pricing *p, const indices *members) {
  p->prices++;
  for (size_t i = 0; i < members->len; i++) {
    unsigned stage = members->data[members->len - 1 - i];
    p->listed[stage] = p->prices;
    p->number[stage] = (unsigned)i;
  }
}

/* Appends what the member reads, once each; returns how many. */
static size_t list_reads(pricing *p, const indices *members, unsigned stage) {
  const indices *producers = &p->producers[stage];
  for (size_t k = 0; k < producers->len; k++)
    PM_VEC_PUSH(p->described.reads, number_of_read(p, producers->data[k], members->len));
  return producers->len;
}

/* Stages that are computed whole, and points without dimensions, have no tiles to choose. */
static bool has_tiles(const grouping *g, const indices *members) {
  const member *m = &g->of[members->data[0]];
  return g->n_common > 0 && !m->alone && (members->len > 1 || !m->updates.len);
}

/* The upper halos as cost functions see them: what is needed whole has one of its whole extent. */
static const int64_t *halo_above(const grouping *g, const member *m) {
  if (!is_along_any(g, m, m->whole)) return m->halo_hi;
  int64_t *above = pm_arena_alloc(pm_pass_arena(g->pass), g->n_common * sizeof *above);
  for (unsigned d = 0; d < g->n_common; d++)
    above[d] = m->halo_hi[d] + (m->whole[d] && m->has[d] ? span_of(m, d) : 0);
  return above;
}

static void describe(pricing *p, const indices *members) {
  const grouping *g = p->g;
  description *of = &p->described;
  of->members.len = of->live_ins.len = of->reads.len = 0;
  number_members(p, members);
  for (size_t i = 0; i < members->len; i++) {
    unsigned stage = members->data[members->len - 1 - i];
    const member *m = &g->of[stage];
    PM_VEC_PUSH(of->members,
                ((poly_cost_member){p->shape[stage], m->halo_lo, halo_above(g, m),
                                    is_live_out(g, stage, m->group), NULL, list_reads(p, members, stage)}));
  }
  const unsigned *at = of->reads.data;
  for (size_t i = 0; i < members->len; at += of->members.data[i++].n_reads) of->members.data[i].reads = at;
}

/* Some member of the group reads the stage at distances that no number bounds. */
static bool has_free_reader(const grouping *g, const member *m) {
  for (size_t i = 0; i < m->readers.len; i++) {
    const edge *e = m->readers.data[i];
    if (g->of[e->consumer].group == m->group && any_of(e->free, g->n_common)) return true;
  }
  return false;
}

/* The pass tile can make steps along the dimension. */
static bool may_step(const grouping *g, const indices *members, unsigned d) {
  if (!pm_opt_bool(g->pass, group_opt_inner) || members->len < POLY_LEAST_STEPPED || d >= g->n_common)
    return false;
  for (size_t i = 0; i < members->len; i++) {
    const member *m = &g->of[members->data[i]];
    if (poly_why_no_steps(m->node, m->has[d]) || has_free_reader(g, m)) return false;
  }
  return true;
}

/* Of a group in which halos are known, with the tile sizes that are given or, without, the best; in p->price.
 */
static void price_group(pricing *p, const indices *members, unsigned first, const int64_t *given) {
  const grouping *g = p->g;
  describe(p, members);
  poly_cost_group group = {.n_dims = g->n_common,
                           .first = first,
                           .outer = outer_tiled(g, members, first),
                           .is_whole = !has_tiles(g, members),
                           .may_step = may_step(g, members, first),
                           .given = given,
                           .members = p->described.members.data,
                           .n_members = members->len,
                           .live_ins = p->described.live_ins.data,
                           .n_live_ins = p->described.live_ins.len};
  p->function->cost(&group, &p->machine, &p->price);
}

static void price(pricing *p) {
  const indices *members = &PM_VEC_LAST(p->g->groups);
  price_group(p, members, first_tiled(p->g, members), NULL);
}

/* The stages of the problem become the last group; false when they may not be one. */
static bool assemble(const pricing *p, const unsigned *stages, size_t n) {
  grouping *g = p->g;
  start_group(g, p->stage_of.data[stages[n - 1]]);
  for (size_t i = n - 1; i-- > 0;) {
    unsigned stage = p->stage_of.data[stages[i]];
    if (why_no_group(g, stage, last_group(g))) return false;
    join(g, stage, last_group(g));
  }
  return true;
}

static void drop_last_group(grouping *g) {
  indices members = PM_VEC_POP(g->groups);
  for (size_t i = 0; i < members.len; i++) g->of[members.data[i]].group = -1;
  PM_VEC_FREE(members);
  g->tiles.len--;
}

static bool judge(void *user, const unsigned *stages, size_t n, double *cost) {
  pricing *p = user;
  bool legal = assemble(p, stages, n);
  if (legal) {
    price(p);
    *cost = p->price.cost;
  }
  drop_last_group(p->g);
  return legal;
}

static void put_tiles(const grouping *g, const tiles *t, pm_buf *out) {
  pm_buf_puts(out, t->sizes ? ", in tiles of " : "");
  for (unsigned d = t->first; t->sizes && d < g->n_common; d++)
    pm_buf_printf(out, "%s%lld", d > t->first ? "x" : "", (long long)t->sizes[d]);
  if (t->inner) pm_buf_printf(out, " in steps of %lld", (long long)t->inner);
}

static void put_prediction(const poly_prediction *of, pm_buf *out) {
  if (of->time <= 0) return;
  pm_buf_printf(out,
                "; predicted are %.3g ms (computing %.3g, moving %.3g, new memory %.3g, starting %.3g), "
                "%.0f %% of the roofline, %.3g MB moved, %.2f times the points, %.0f tasks",
                of->time / 1e6, of->compute / 1e6, of->traffic / 1e6, of->pages / 1e6, of->start / 1e6,
                100 * of->least / of->time, of->bytes / 1e6, of->recomputation, of->tasks);
}

enum { PREDICTED = 9 };

static void put_predicted(const poly_prediction *of, pm_remark_arg *args) {
  const pm_remark_arg all[PREDICTED] = {
      {"time", of->time},   {"compute", of->compute}, {"traffic", of->traffic},
      {"pages", of->pages}, {"start", of->start},     {"least", of->least},
      {"bytes", of->bytes}, {"tasks", of->tasks},     {"recomputation", of->recomputation}};
  memcpy(args, all, sizeof all);
}

static void explain_group(const grouping *g, const indices *members, const tiles *t, const poly_cost *price) {
  const stage_node *last = g->of[members->data[0]].node;
  const poly_prediction *of = &price->predicted;
  pm_buf tiles = {0}, prediction = {0};
  put_tiles(g, t, &tiles);
  put_prediction(of, &prediction);
  pm_remark_arg args[2 + PREDICTED] = {{"stages", (double)members->len}, {"cost", price->cost}};
  put_predicted(of, args + 2);
  pm_pass_remark(g->pass, last->op->loc, PM_REMARK_PASSED, args, of->time > 0 ? PM_COUNT(args) : 2,
                 "%zu stage%s one group%s, at a cost of %.6g, the last is @%pS%s", members->len,
                 members->len == 1 ? " is" : "s are", tiles.len ? tiles.data : "", price->cost,
                 (const void *)last->name, prediction.len ? prediction.data : "");
  pm_buf_free(&tiles);
  pm_buf_free(&prediction);
}

/* What the members take of the time; the parts stand producers first. */
static void explain_members(const grouping *g, const pricing *p, const indices *members) {
  double all = p->price.predicted.time;
  for (size_t i = 0; all > 0 && i < members->len; i++) {
    const member *m = &g->of[members->data[members->len - 1 - i]];
    const poly_prediction *of = &p->parts[i];
    pm_remark_arg args[PREDICTED + 2];
    put_predicted(of, args);
    args[PREDICTED] = (pm_remark_arg){"share", 100 * of->time / all};
    args[PREDICTED + 1] = (pm_remark_arg){"whole", p->shape[m->node->index]->whole};
    pm_pass_remark(g->pass, m->node->op->loc, PM_REMARK_ANALYSIS, args, PM_COUNT(args),
                   "@%pS takes %.3g ms, %.0f %% of its group: %.3g MB moved, %.2f times its points",
                   (const void *)m->node->name, of->time / 1e6, 100 * of->time / all, of->bytes / 1e6,
                   of->recomputation);
  }
}

/* What the group computes in memories of its tiles, of the dimension, has a number of points along it. */
static bool has_bounded_memory(const grouping *g, const indices *members, unsigned d) {
  for (size_t i = 0; i < members->len; i++) {
    const member *m = &g->of[members->data[i]];
    if (m->has[d] && !is_live_out(g, members->data[i], m->group) && !span_of(m, d)) return false;
  }
  return true;
}

/* A tile that has all of a dimension at the estimates has all of it for other parameters too, where a member
 * lacks the dimension and would be computed again by each tile, and no memory grows with it. */
static void keep_whole(const grouping *g, const indices *members, int64_t *sizes) {
  const int64_t whole = INT64_C(1) << 30;
  const double *extent = extent_of(g, members->data[0]);
  for (unsigned d = 0; d < g->n_common; d++)
    for (size_t i = 0; i < members->len; i++) {
      const member *m = &g->of[members->data[i]];
      if (m->whole[d] && !m->has[d] && (double)sizes[d] >= extent[d] && has_bounded_memory(g, members, d))
        sizes[d] = whole;
    }
}

/* The stages of the problem become a group for good, with its tiles. */
static void settle(pricing *p, const indices *stages) {
  grouping *g = p->g;
  if (!assemble(p, stages->data, stages->len))
    pm_panic(pm_pass_root(g->pass), "a group that was judged legal is not");
  p->price.parts = p->parts;
  price(p);
  p->price.parts = NULL;
  const indices *members = &PM_VEC_LAST(g->groups);
  tiles *t = &PM_VEC_LAST(g->tiles);
  t->first = first_tiled(g, members);
  t->inner = p->price.inner;
  if (has_tiles(g, members)) {
    t->sizes = pm_arena_memdup(pm_pass_arena(g->pass), p->price.sizes, g->n_common * sizeof *p->price.sizes);
    keep_whole(g, members, t->sizes);
  }
  explain_group(g, members, t, &p->price);
  explain_members(g, p, members);
}

/* For what sizes of the picture, and for what machine. */
static void explain_assumptions(const pricing *p) {
  const poly_machine *m = &p->machine;
  const stage_graph *graph = p->g->graph;
  pm_buf text = {0};
  for (size_t i = 0; i < graph->params.len; i++) {
    const pm_op *param = graph->params.data[i];
    if (!pm_is_int(pm_res(param, 0)->type)) continue;
    int64_t value = pm_attr_at(param, stage_param_estimate) ? pm_int_at(param, stage_param_estimate)
                                                            : pm_opt_int(p->g->pass, group_opt_size);
    pm_buf_printf(&text, "%s = %lld, ", pm_sym_at(param, stage_param_sym)->text, (long long)value);
  }
  pm_pass_remark(
      p->g->pass, pm_pass_root(p->g->pass)->loc, PM_REMARK_ANALYSIS,
      (pm_remark_arg[]){{"cores", (double)m->cores},
                        {"vector bytes", (double)m->vector_bytes},
                        {"cache 1", (double)m->l1_bytes},
                        {"cache 2", (double)m->l2_bytes},
                        {"cache 3", (double)m->l3_bytes}},
      5, "groups are judged for %s%lld core%s, vectors of %lld bytes, caches of %lld, %lld and %lld kB",
      text.len ? text.data : "", (long long)m->cores, m->cores == 1 ? "" : "s", (long long)m->vector_bytes,
      (long long)m->l1_bytes / 1024, (long long)m->l2_bytes / 1024, (long long)m->l3_bytes / 1024);
  pm_buf_free(&text);
}

static void explain_sum(const pricing *p, size_t n_groups, double cost) {
  pm_pass *pass = p->g->pass;
  explain_assumptions(p);
  pm_pass_remark(pass, pm_pass_root(pass)->loc, PM_REMARK_ANALYSIS,
                 (pm_remark_arg[]){{"groups", (double)n_groups}, {"cost", cost}}, 2,
                 "%zu stage%s in %zu group%s cost %.6g", p->stage_of.len, p->stage_of.len == 1 ? "" : "s",
                 n_groups, n_groups == 1 ? "" : "s", cost);
}

static void explain_search(const pricing *p, const poly_partition *found) {
  pm_pass *pass = p->g->pass;
  pm_pass_stat(pass, "states", (int64_t)found->states);
  pm_pass_stat(pass, "groups judged", (int64_t)found->judged);
  explain_sum(p, found->groups.len, found->cost);
  pm_pass_remark(pass, pm_pass_root(pass)->loc, PM_REMARK_ANALYSIS,
                 (pm_remark_arg[]){{"states", (double)found->states}, {"judged", (double)found->judged}}, 2,
                 "%llu states in %u round%s, %llu groups judged", (unsigned long long)found->states,
                 found->rounds, found->rounds == 1 ? "" : "s", (unsigned long long)found->judged);
  if (found->exhausted)
    pm_pass_remark(pass, pm_pass_root(pass)->loc, PM_REMARK_MISSED, NULL, 0,
                   "more than %lld states in a round: of the sets of stages that are grouped already, only "
                   "the cheapest of "
                   "each size were continued, and other groups may cost less",
                   (long long)pm_opt_int(pass, group_opt_states));
}

static void free_lists(indices *lists, size_t n) {
  for (size_t i = 0; i < n; i++) PM_VEC_FREE(lists[i]);
  free(lists);
}

/* The readers of each stage of the problem, by their numbers in it. */
static indices *readers_in_problem(const pricing *p) {
  const grouping *g = p->g;
  unsigned *number = pm_xcalloc(g->graph->nodes.len, sizeof *number);
  indices *readers = pm_xcalloc(p->stage_of.len, sizeof *readers);
  for (unsigned i = 0; i < p->stage_of.len; i++) number[p->stage_of.data[i]] = i;
  for (unsigned i = 0; i < p->stage_of.len; i++) {
    const member *m = &g->of[p->stage_of.data[i]];
    for (size_t k = 0; k < m->readers.len; k++) PM_VEC_PUSH(readers[i], number[m->readers.data[k]->consumer]);
  }
  free(number);
  return readers;
}

static void partition(pricing *p) {
  poly_partition_problem problem = {.n = (unsigned)p->stage_of.len, .judge = judge, .user = p};
  problem.limit = (unsigned)pm_opt_int(p->g->pass, group_opt_max_size);
  problem.budget = (uint64_t)pm_opt_int(p->g->pass, group_opt_states);
  indices *readers = readers_in_problem(p);
  problem.readers = readers;
  poly_partition found;
  poly_partition_find(&problem, &found);
  for (size_t i = 0; i < found.groups.len; i++) settle(p, &found.groups.data[i]);
  explain_search(p, &found);
  poly_partition_free(&found);
  free_lists(readers, problem.n);
}

/* What each stage reads, once each. */
static indices *producers_of_all(const grouping *g) {
  indices *producers = pm_xcalloc(g->graph->nodes.len, sizeof *producers);
  bool *seen = pm_xcalloc(g->graph->nodes.len, sizeof *seen);
  for (size_t i = 0; i < g->graph->nodes.len; i++) {
    const stage_node *node = g->graph->nodes.data[i];
    for (size_t k = 0; k < node->reads.len; k++) {
      unsigned producer = node->reads.data[k]->producer->index;
      if (!seen[producer]) PM_VEC_PUSH(producers[i], producer);
      seen[producer] = true;
    }
    for (size_t k = 0; k < producers[i].len; k++) seen[producers[i].data[k]] = false;
  }
  free(seen);
  return producers;
}

/* False after a diagnostic; else to be closed. */
static bool open_pricing(grouping *g, pricing *p) {
  pm_context *ctx = pm_pass_context(g->pass);
  pm_arena *arena = pm_pass_arena(g->pass);
  size_t n = g->graph->nodes.len;
  *p = (pricing){.g = g, .function = poly_cost_named(ctx, pm_opt_str(g->pass, group_opt_cost))};
  if (!p->function || !poly_machine_named(ctx, pm_opt_str(g->pass, group_opt_machine), &p->machine))
    return false;
  p->shape = pm_arena_alloc(arena, n * sizeof *p->shape);
  p->listed = pm_arena_alloc(arena, n * sizeof *p->listed);
  p->number = pm_arena_alloc(arena, n * sizeof *p->number);
  p->price.sizes = pm_arena_alloc(arena, g->n_common * sizeof *p->price.sizes);
  p->parts = pm_arena_alloc(arena, n * sizeof *p->parts);
  poly_shape_options options = {pm_opt_int(g->pass, group_opt_size), p->function->wants_reuse};
  for (unsigned i = 0; i < n; i++) {
    p->shape[i] =
        poly_stage_shape_of(arena, g->graph, g->of[i].node, g->of[i].schedule, g->n_common, &options);
    if (!g->of[i].node->is_input) PM_VEC_PUSH(p->stage_of, i);
  }
  p->producers = producers_of_all(g);
  return true;
}

static void close_pricing(pricing *p) {
  free_lists(p->producers, p->g->graph->nodes.len);
  PM_VEC_FREE(p->stage_of);
  PM_VEC_FREE(p->described.members);
  PM_VEC_FREE(p->described.live_ins);
  PM_VEC_FREE(p->described.reads);
}

/* False after a diagnostic. */
static bool form_cheapest(grouping *g) {
  pricing p;
  if (!open_pricing(g, &p)) return false;
  partition(&p);
  close_pricing(&p);
  return true;
}

/* What the pass tile takes of a group that says no sizes. */
static void usual_sizes(const grouping *g, const indices *members, int64_t *sizes) {
  for (unsigned d = 0; d < g->n_common; d++) sizes[d] = tile_of(g, members->data[0], members, d);
}

/* Says what the groups cost that were formed by steps. False after a diagnostic. */
static bool appraise(grouping *g) {
  pricing p;
  double cost = 0;
  if (!open_pricing(g, &p)) return false;
  for (size_t i = 0; i < g->groups.len; i++) {
    const indices *members = &g->groups.data[i];
    tiles shown = {.first = 0,
                   .sizes = pm_arena_alloc(pm_pass_arena(g->pass), g->n_common * sizeof *shown.sizes)};
    usual_sizes(g, members, shown.sizes);
    p.price.parts = p.parts;
    price_group(&p, members, g->n_named < g->n_common ? g->n_common - (unsigned)g->n_named : 0, shown.sizes);
    explain_group(g, members, has_tiles(g, members) ? &shown : &(tiles){0}, &p.price);
    explain_members(g, &p, members);
    cost += p.price.cost;
  }
  explain_sum(&p, g->groups.len, cost);
  close_pricing(&p);
  return true;
}

/* --- groups and tiles by lot --- */

/* A number below n that depends on the seed, on the stage and on what it is for. */
static uint64_t lot(const grouping *g, unsigned stage, uint64_t purpose, uint64_t n) {
  uint64_t key[2] = {stage, purpose};
  return pm_hash_bytes(key, sizeof key, (uint64_t)pm_opt_int(g->pass, group_opt_seed)) % n;
}

/* Three of four that may join the group of a reader do; the reader comes by lot too. */
static bool join_randomly(grouping *g, unsigned stage) {
  const member *m = &g->of[stage];
  size_t n = m->readers.len, first = n ? lot(g, stage, 0, n) : 0;
  if (lot(g, stage, 1, 4) == 0) return false;
  for (size_t i = 0; i < n; i++) {
    int group = g->of[m->readers.data[(first + i) % n]->consumer].group;
    if (why_illegal(g, stage, group)) continue;
    join(g, stage, group);
    return true;
  }
  return false;
}

static void draw_tiles(grouping *g, size_t group) {
  static const int64_t sizes[] = {1, 2, 3, 5, 8, 17, 64, 1000};
  const indices *members = &g->groups.data[group];
  unsigned stage = members->data[0];
  tiles *t = &g->tiles.data[group];
  if (!has_tiles(g, members) || lot(g, stage, 2, 2)) return;
  t->first = first_tiled(g, members);
  t->sizes = pm_arena_alloc(pm_pass_arena(g->pass), g->n_common * sizeof *t->sizes);
  for (unsigned d = 0; d < g->n_common; d++)
    t->sizes[d] = sizes[lot(g, stage, 3 + d, sizeof sizes / sizeof *sizes)];
}

static void explain_drawn(const grouping *g, size_t group) {
  const indices *members = &g->groups.data[group];
  const stage_node *last = g->of[members->data[0]].node;
  pm_buf text = {0};
  put_tiles(g, &g->tiles.data[group], &text);
  pm_pass_remark(g->pass, last->op->loc, PM_REMARK_PASSED,
                 (pm_remark_arg[]){{"stages", (double)members->len}}, 1,
                 "%zu stage%s one group%s by lot, the last is @%pS", members->len,
                 members->len == 1 ? " is" : "s are", text.data, (const void *)last->name);
  pm_buf_free(&text);
}

static void form_randomly(grouping *g) {
  for (size_t i = g->graph->nodes.len; i-- > 0;)
    if (!g->graph->nodes.data[i]->is_input && !join_randomly(g, (unsigned)i)) start_group(g, (unsigned)i);
  for (size_t k = 0; k < g->groups.len; k++) {
    draw_tiles(g, k);
    explain_drawn(g, k);
  }
}

/* False after a diagnostic. */
static bool form_groups(grouping *g) {
  unsigned strategy = pm_opt_enum(g->pass, group_opt_strategy);
  if (strategy == STRATEGY_DP) return form_cheapest(g);
  if (strategy == STRATEGY_RANDOM)
    form_randomly(g);
  else
    form_by_steps(g, strategy);
  return !pm_opt_bool(g->pass, group_opt_appraise) || appraise(g);
}

/* --- the new tree --- */

/* Groups in an order in which producers come first (Kahn); ties by the position of the group's last stage. */
static void order_groups(const grouping *g, indices *order) {
  size_t n = g->groups.len;
  unsigned *missing = pm_xcalloc(n, sizeof *missing);
  for (size_t s = 0; s < g->graph->nodes.len; s++)
    for (size_t i = 0; i < g->of[s].readers.len; i++) {
      int reader = g->of[g->of[s].readers.data[i]->consumer].group;
      if (reader != g->of[s].group) missing[reader]++;
    }
  indices ready = {0};
  for (size_t k = 0; k < n; k++)
    if (!missing[k]) PM_VEC_PUSH(ready, (unsigned)k);
  while (ready.len) {
    unsigned group = PM_VEC_POP(ready);
    PM_VEC_PUSH(*order, group);
    const indices *members = &g->groups.data[group];
    for (size_t m = 0; m < members->len; m++) {
      const member *stage = &g->of[members->data[m]];
      for (size_t i = 0; i < stage->readers.len; i++) {
        int reader = g->of[stage->readers.data[i]->consumer].group;
        if (reader != (int)group && --missing[reader] == 0) PM_VEC_PUSH(ready, (unsigned)reader);
      }
    }
  }
  PM_VEC_FREE(ready);
  free(missing);
}

static int ascending(const void *a, const void *b) {
  unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
  return (x > y) - (x < y);
}

/* The stages and their updates. */
static __isl_give isl_union_set *instances_of(const grouping *g, const indices *members) {
  isl_union_set *all = isl_union_set_empty(isl_set_get_space(g->graph->context));
  for (size_t i = 0; i < members->len; i++) {
    const member *m = &g->of[members->data[i]];
    for (size_t k = 0; k < m->filters.len; k++)
      all = isl_union_set_union(
          all, isl_union_set_copy(isl_peek_union_set(m->filters.data[k]->attrs[poly_filter_instances])));
  }
  return all;
}

static void add_group(const grouping *g, pm_builder *sequence, unsigned group) {
  indices *members = &g->groups.data[group];
  const tiles *t = &g->tiles.data[group];
  qsort(members->data, members->len, sizeof *members->data, ascending);
  sequence->loc = g->of[PM_VEC_LAST(*members)].node->op->loc;
  pm_builder b = poly_add_filter(sequence, instances_of(g, members));
  b = t->sizes ? poly_add_tiled_group(&b, t->sizes + t->first, g->n_common - t->first,
                                      t->inner ? &t->inner : NULL, t->inner > 0)
               : poly_add_mark(&b, "group");
  b = poly_add_sequence(&b);
  for (size_t i = 0; i < members->len; i++) {
    const member *m = &g->of[members->data[i]];
    for (size_t k = 0; k < m->filters.len; k++)
      pm_insert(b.region, NULL, pm_clone(b.module, m->filters.data[k], NULL));
  }
}

static void rebuild(grouping *g, pm_op *old) {
  pm_op *old_domain = poly_child(old);
  pm_builder b = pm_builder_before(old);
  pm_builder inner = poly_add_schedule(&b);
  inner = poly_add_domain(&inner,
                          isl_union_set_copy(isl_peek_union_set(old_domain->attrs[poly_domain_instances])));
  inner = poly_add_sequence(&inner);
  indices order = {0};
  order_groups(g, &order);
  for (size_t i = 0; i < order.len; i++) add_group(g, &inner, order.data[i]);
  PM_VEC_FREE(order);
  pm_op_erase(old);
}

static void find_updates(const grouping *g, member *m) {
  poly_find_whole(m->node, m->schedule, g->n_common, m->scattered);
  for (size_t i = 0; i < m->node->updates.len; i++) {
    updating u = {
        poly_update_schedule(m->node, i, m->schedule),
        stage_points_in(g->graph, m->node->updates.data[i].set, pm_opt_int(g->pass, group_opt_size))};
    PM_VEC_PUSH(m->updates, u);
  }
}

static void init_member(const grouping *g, member *m, const stage_node *node) {
  pm_arena *arena = pm_pass_arena(g->pass);
  m->node = node;
  m->group = -1;
  m->halo_lo = pm_arena_alloc(arena, g->n_common * sizeof *m->halo_lo);
  m->halo_hi = pm_arena_alloc(arena, g->n_common * sizeof *m->halo_hi);
  m->has = pm_arena_alloc(arena, g->n_common * sizeof *m->has);
  m->scattered = pm_arena_alloc(arena, g->n_common * sizeof *m->scattered);
  m->whole = pm_arena_alloc(arena, g->n_common * sizeof *m->whole);
  m->span = pm_arena_alloc(arena, g->n_common * sizeof *m->span);
  m->alone = poly_why_whole(node);
  for (unsigned d = 0; m->schedule && d < g->n_common; d++) {
    m->has[d] = poly_has_dimension(m->schedule, g->n_common, d);
    m->span[d] = -1;
  }
  if (m->schedule && !m->alone && node->updates.len) find_updates(g, m);
}

static void init_members(grouping *g) {
  for (size_t i = 0; i < g->graph->nodes.len; i++) init_member(g, &g->of[i], g->graph->nodes.data[i]);
}

static void free_grouping(grouping *g) {
  for (size_t i = 0; i < g->graph->nodes.len; i++) {
    isl_map_free(g->of[i].schedule);
    for (size_t k = 0; k < g->of[i].updates.len; k++) isl_map_free(g->of[i].updates.data[k].schedule);
    PM_VEC_FREE(g->of[i].updates);
    PM_VEC_FREE(g->of[i].readers);
    PM_VEC_FREE(g->of[i].filters);
  }
  for (size_t i = 0; i < g->groups.len; i++) PM_VEC_FREE(g->groups.data[i]);
  PM_VEC_FREE(g->groups);
  PM_VEC_FREE(g->tiles);
}

pm_result pass_group(pm_pass *pass) {
  const stage_graph *graph = stage_graph_expanded(pass);
  if (!graph) return PM_FAILED;
  pm_op *schedule = poly_need_schedule(pm_pass_root(pass));
  if (!schedule) return PM_FAILED;
  grouping g = {.pass = pass, .graph = graph};
  g.of = pm_arena_alloc(pm_pass_arena(pass), graph->nodes.len * sizeof *g.of);
  g.n_common = 0;
  find_bands(&g, schedule);
  bool ok = complete(&g, schedule);
  if (ok) {
    init_members(&g);
    g.named = pm_opt_ints(pass, group_opt_tile, &g.n_named);
    find_edges(&g);
    ok = form_groups(&g);
  }
  if (ok) {
    pm_pass_stat(pass, "groups", (int64_t)g.groups.len);
    rebuild(&g, schedule);
  }
  free_grouping(&g);
  return ok ? PM_CHANGED : PM_FAILED;
}
