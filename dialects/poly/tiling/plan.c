#include "dialects/poly/tiling/plan.h"

#include "dialects/machine/machine.h"
#include "dialects/stage/analyses/estimates.h"
#include "dialects/stage/analyses/work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

poly_plans *poly_plans_new(poly_footprints *footprints, pm_arena *arena, int64_t usual) {
  const poly_alignment *alignment = poly_alignment_of_footprints(footprints);
  size_t n_nodes = alignment->graph->nodes.len;
  unsigned n = alignment->n;
  poly_plans *all = pm_arena_alloc(arena, sizeof *all);
  *all = (poly_plans){alignment, footprints, arena, usual, pm_arena_alloc(arena, n_nodes * sizeof *all->of)};
  for (size_t i = 0; i < n_nodes; i++)
    all->of[i] = (poly_planned){.at = &alignment->of[i],
                                .halo_lo = pm_arena_alloc(arena, n * sizeof(int64_t)),
                                .halo_hi = pm_arena_alloc(arena, n * sizeof(int64_t)),
                                .whole = pm_arena_alloc(arena, n * sizeof(bool)),
                                .halo_known = true,
                                .update_points = -1};
  return all;
}

/* --- members --- */

poly_plan *poly_plan_new(poly_plans *all) {
  poly_plan *plan = pm_xcalloc(1, sizeof *plan);
  plan->all = all;
  plan->n = all->alignment->n;
  plan->untiled = pm_xcalloc(plan->n + 1, sizeof *plan->untiled);
  return plan;
}

void poly_plan_free(poly_plan *plan) {
  PM_VEC_FREE(plan->nodes);
  free(plan->untiled);
  free(plan);
}

static poly_planned *member(const poly_plan *plan, size_t i) {
  return &plan->all->of[plan->nodes.data[i]];
}

const poly_planned *poly_plan_at(const poly_plan *plan, size_t i) {
  return member(plan, i);
}

static const poly_planned *planned(const poly_plan *plan, const poly_aligned *stage) {
  return &plan->all->of[stage->node->index];
}

void poly_plan_join(poly_plan *plan, unsigned node) {
  poly_planned *stage = &plan->all->of[node];
  stage->in = plan;
  PM_VEC_PUSH(plan->nodes, node);
  for (unsigned d = 0; d < plan->n; d++) plan->untiled[d] = plan->untiled[d] || stage->at->carried[d];
}

void poly_plan_clear(poly_plan *plan) {
  for (size_t i = 0; i < plan->nodes.len; i++) member(plan, i)->in = NULL;
  plan->nodes.len = 0;
  memset(plan->untiled, 0, plan->n * sizeof *plan->untiled);
}

bool poly_is_made_again(const poly_plan *plan, const poly_planned *stage) {
  const poly_aligned *at = stage->at;
  bool inside = false, again = false;
  for (size_t i = 0; i < at->readers.len && stage->made_again; i++) {
    bool is_inside = planned(plan, at->readers.data[i]->consumer)->in == plan;
    if (!is_inside && !stage->made_again[i]) return false;
    inside = inside || is_inside;
    again = again || !is_inside;
  }
  return inside && again && !poly_is_live_out(plan, stage);
}

/* A reader outside of the group needs it, or one inside that others make again. */
static bool is_needed_by(const poly_plan *plan, const poly_planned *stage, size_t i) {
  const poly_planned *reader = planned(plan, stage->at->readers.data[i]->consumer);
  if (reader->in == plan) return reader->made_again && poly_is_made_again(plan, reader);
  return !stage->made_again || !stage->made_again[i];
}

bool poly_is_live_out(const poly_plan *plan, const poly_planned *stage) {
  const poly_aligned *at = stage->at;
  bool inside = false;
  if (at->node->is_output || at->is_array) return true;
  for (size_t i = 0; i < at->readers.len; i++) {
    if (is_needed_by(plan, stage, i)) return true;
    inside = inside || planned(plan, at->readers.data[i]->consumer)->in == plan;
  }
  return !inside;
}

/* --- halos --- */

static int64_t ahead(const poly_edge *e, unsigned d) {
  return e->hi[d] > 0 ? e->hi[d] : 0;
}

static int64_t behind(const poly_edge *e, unsigned d) {
  return e->lo[d] < 0 ? e->lo[d] : 0;
}

static bool is_tiled_with(const poly_plan *plan, const poly_planned *stage, unsigned d) {
  return !plan->untiled[d] && !stage->at->carried[d];
}

static bool is_bounded(const poly_plan *plan, const poly_planned *stage, const poly_edge *e) {
  bool bounded = e->aligned;
  for (unsigned d = 0; d < plan->n; d++)
    bounded = bounded && (!e->unbounded[d] || poly_edge_is_free(e, d) || !is_tiled_with(plan, stage, d));
  return bounded;
}

bool poly_is_read_anywhere(const poly_plan *plan, const poly_planned *stage) {
  for (size_t i = 0; i < stage->at->readers.len; i++) {
    const poly_edge *e = stage->at->readers.data[i];
    if (planned(plan, e->consumer)->in == plan && !is_bounded(plan, stage, e)) return true;
  }
  return false;
}

static void widen_by_reader(const poly_plan *plan, poly_planned *stage, const poly_planned *reader,
                            const poly_edge *e) {
  stage->halo_known = stage->halo_known && reader->halo_known && is_bounded(plan, stage, e);
  for (unsigned d = 0; d < plan->n; d++) {
    int64_t lo = reader->halo_lo[d] + behind(e, d), hi = reader->halo_hi[d] + ahead(e, d);
    if (lo < stage->halo_lo[d]) stage->halo_lo[d] = lo;
    if (hi > stage->halo_hi[d]) stage->halo_hi[d] = hi;
    stage->whole[d] = stage->whole[d] || reader->whole[d] || poly_edge_is_free(e, d);
  }
}

static void clear_halo(const poly_plan *plan, poly_planned *stage) {
  for (unsigned d = 0; d < plan->n; d++) stage->halo_lo[d] = stage->halo_hi[d] = 0;
  memcpy(stage->whole, stage->at->scattered, plan->n * sizeof *stage->whole);
  stage->halo_known = true;
}

/* By the readers; at least what it has. */
static void widen_halo(const poly_plan *plan, poly_planned *stage) {
  stage->halo_known = true;
  memcpy(stage->whole, stage->at->scattered, plan->n * sizeof *stage->whole);
  for (size_t i = 0; i < stage->at->readers.len; i++) {
    const poly_edge *e = stage->at->readers.data[i];
    const poly_planned *reader = planned(plan, e->consumer);
    if (reader->in == plan) widen_by_reader(plan, stage, reader, e);
  }
}

void poly_find_halo(const poly_plan *plan, poly_planned *stage) {
  clear_halo(plan, stage);
  widen_halo(plan, stage);
}

void poly_widen_halos(const poly_plan *plan) {
  for (size_t i = 0; i < plan->nodes.len; i++) {
    if (poly_is_live_out(plan, member(plan, i)))
      clear_halo(plan, member(plan, i));
    else
      widen_halo(plan, member(plan, i));
  }
}

void poly_find_halos(const poly_plan *plan) {
  for (size_t i = 0; i < plan->nodes.len; i++) clear_halo(plan, member(plan, i));
  poly_widen_halos(plan);
}

bool poly_stays_inside(const poly_plan *plan, const poly_planned *stage) {
  for (unsigned d = 0; d < plan->n; d++)
    if (is_tiled_with(plan, stage, d) && (stage->halo_lo[d] || stage->halo_hi[d] || stage->whole[d]))
      return false;
  return true;
}

/* A stage that leaves the group, but not by what stands outside. */
static bool is_placed_wrongly(const poly_plan *plan, const poly_planned *m) {
  return m->at->is_array && !m->at->node->is_output && m->halo_known && !poly_stays_inside(plan, m);
}

bool poly_check_arrays(const poly_plan *plan, const pm_op *mark) {
  for (size_t i = 0; i < plan->nodes.len; i++) {
    const poly_planned *m = poly_plan_at(plan, i);
    const stage_node *node = m->at->node, *last = poly_plan_at(plan, 0)->at->node;
    if (!is_placed_wrongly(plan, m)) continue;
    pm_op_error(mark,
                "computes @%pS in tiles with @%pS, which need it at a distance, but the schedule stores it "
                "in a whole array",
                (const void *)node->name, (const void *)last->name);
    pm_note(plan->all->alignment->graph->ctx, poly_array_of(mark, node->name)->loc, "@%pS is stored here",
            (const void *)node->name);
    return false;
  }
  return true;
}

/* --- tiles --- */

static bool is_untiled(const poly_plan *plan) {
  for (unsigned d = 0; d < plan->n; d++)
    if (!plan->untiled[d]) return false;
  return true;
}

bool poly_plan_is_whole(const poly_plan *plan) {
  const poly_aligned *at = poly_plan_at(plan, 0)->at;
  bool by_itself = at->node->updates.len || at->node->self_reads.len;
  return is_untiled(plan) || at->alone || (plan->nodes.len == 1 && by_itself);
}

/* The stage has the dimension in parts, which may be single points, and no stage of the group, or `more`,
 * reads it at a distance along it. */
static bool is_point_by_point(const poly_plan *plan, const poly_planned *stage, const poly_planned *more,
                              unsigned d) {
  const poly_aligned *at = stage->at;
  if (!at->has[d] || at->scattered[d] || at->together[d]) return false;
  for (size_t i = 0; i < at->readers.len; i++) {
    const poly_edge *e = at->readers.data[i];
    const poly_planned *reader = planned(plan, e->consumer);
    if ((reader->in == plan || reader == more) && !poly_edge_is_zero(e, d)) return false;
  }
  return true;
}

static bool all_are_point_by_point(const poly_plan *plan, const poly_planned *more, unsigned d) {
  if (more && !is_point_by_point(plan, more, more, d)) return false;
  for (size_t i = 0; i < plan->nodes.len; i++)
    if (!is_point_by_point(plan, poly_plan_at(plan, i), more, d)) return false;
  return true;
}

void poly_usual_sizes(const poly_plan *plan, const poly_planned *more, const int64_t *named, size_t n_named,
                      int64_t *sizes) {
  for (unsigned d = 0; d < plan->n; d++) {
    if (plan->untiled[d] || (more && more->at->carried[d]))
      sizes[d] = POLY_UNTILED;
    else if (d + n_named >= plan->n)
      sizes[d] = named[d + n_named - plan->n];
    else
      sizes[d] = !n_named || all_are_point_by_point(plan, more, d) ? 1 : named[0];
  }
}

/* All members have the dimension, and some depend on one another along it, but at bounded distances. */
static bool is_to_be_tiled(const poly_plan *plan, unsigned d) {
  bool depends = false;
  if (plan->untiled[d]) return false;
  for (size_t i = 0; i < plan->nodes.len; i++) {
    const poly_planned *m = poly_plan_at(plan, i);
    if (!m->at->has[d] || m->whole[d]) return false;
    depends = depends || m->halo_lo[d] || m->halo_hi[d];
  }
  return depends;
}

unsigned poly_first_sized(const poly_plan *plan) {
  unsigned first = 0;
  while (first + 2 < plan->n && !is_to_be_tiled(plan, first)) first++;
  return first;
}

/* No number bounds how many points the live-outs have along the dimension. */
static bool is_long(const poly_plan *plan, unsigned d) {
  for (size_t i = 0; i < plan->nodes.len; i++) {
    const poly_planned *m = poly_plan_at(plan, i);
    if (poly_is_live_out(plan, m) && !poly_span_of(m->at, d)) return true;
  }
  return false;
}

/* The live-outs have the dimension. */
static bool is_of_live_outs(const poly_plan *plan, unsigned d) {
  for (size_t i = 0; i < plan->nodes.len; i++) {
    const poly_planned *m = poly_plan_at(plan, i);
    if (poly_is_live_out(plan, m) && m->at->has[d]) return true;
  }
  return false;
}

unsigned poly_outermost_tiled(const poly_plan *plan, unsigned first) {
  for (unsigned d = first; d < plan->n; d++)
    if (!plan->untiled[d] && is_long(plan, d)) return d;
  for (unsigned d = first; d < plan->n; d++)
    if (!plan->untiled[d] && is_of_live_outs(plan, d)) return d;
  unsigned tiled = first;
  while (tiled < plan->n && plan->untiled[tiled]) tiled++;
  if (tiled == plan->n) tiled = first;
  while (tiled > 0 && plan->untiled[tiled]) tiled--;
  return tiled;
}

/* The least coordinate of the live-outs, at the estimates; 0 when they have no points. */
static int64_t first_along(const poly_plan *plan, unsigned d) {
  bool found = false;
  int64_t first = 0, at;
  for (size_t i = 0; i < plan->nodes.len; i++) {
    const poly_planned *m = poly_plan_at(plan, i);
    if (!poly_is_live_out(plan, m)) continue;
    if (poly_first_along(plan->all->footprints, m->at->node, plan->all->usual, d, &at) &&
        (!found || at < first)) {
      first = at;
      found = true;
    }
  }
  return first;
}

void poly_choose_origins(poly_plan *plan) {
  plan->origins = pm_arena_alloc(plan->all->arena, plan->n * sizeof *plan->origins);
  for (unsigned d = 0; d < plan->n; d++) {
    int64_t unit = 1;
    for (size_t i = 0; i < plan->nodes.len; i++) {
      int64_t stride = poly_stride_along(plan->all->footprints, poly_plan_at(plan, i)->at->node, d);
      if (poly_plan_at(plan, i)->at->turns == (int)d) stride *= PM_INTERLEAVED_ROWS;
      unit = unit / pm_gcd(unit, stride) * stride;
    }
    if (plan->sizes[d] > 1 && !plan->untiled[d])
      plan->origins[d] = pm_floor_div(first_along(plan, d), unit) * unit;
  }
}

/* --- steps inside a tile --- */

static bool has_all(const poly_aligned *stage, unsigned first, unsigned end) {
  for (unsigned d = first; d < end; d++)
    if (!stage->has[d]) return false;
  return true;
}

/* Of the stage itself; NULL: nothing. */
static const char *why_no_steps(const poly_aligned *stage, unsigned first, unsigned end) {
  if (stage->node->updates.len) return "has updates";
  if (stage->node->self_reads.len) return "reads itself";
  return has_all(stage, first, end) ? NULL : "lacks the dimension of the steps";
}

static bool is_unbounded(const poly_edge *e, unsigned first, unsigned end) {
  for (unsigned d = first; d < end; d++)
    if (e->unbounded[d]) return true;
  return !e->aligned;
}

/* A read by a member whose distances are not bounded along the dimensions, or NULL. */
static const stage_access *loose_read(const poly_plan *plan, const poly_aligned *stage, unsigned first,
                                      unsigned end) {
  for (size_t i = 0; i < stage->readers.len; i++) {
    const poly_edge *e = stage->readers.data[i];
    if (e->loose && is_unbounded(e, first, end) && planned(plan, e->consumer)->in == plan) return e->loose;
  }
  return NULL;
}

bool poly_may_step(const poly_plan *plan, unsigned first, unsigned end, poly_obstacle *out) {
  for (size_t i = plan->nodes.len; i-- > 0;) {
    const poly_aligned *at = poly_plan_at(plan, i)->at;
    *out = (poly_obstacle){at->node, why_no_steps(at, first, end), NULL};
    if (out->why) return false;
  }
  for (size_t i = 0; i < plan->nodes.len; i++) {
    const poly_aligned *at = poly_plan_at(plan, i)->at;
    *out = (poly_obstacle){at->node, NULL, loose_read(plan, at, first, end)};
    if (out->read) return false;
  }
  return true;
}

/* Lets the points of the stage that are the farthest ahead come no later than the reader. */
static void bound_shift(int64_t *shift, const int64_t *reader, const poly_edge *e, unsigned n) {
  for (unsigned d = 0; d < n; d++)
    if (!e->unbounded[d] && e->lo[d] <= e->hi[d] && reader[d] - e->hi[d] < shift[d])
      shift[d] = reader[d] - e->hi[d];
}

int64_t **poly_find_shifts(const poly_plan *plan) {
  pm_arena *arena = plan->all->arena;
  int64_t **by_node = pm_arena_alloc(arena, plan->all->alignment->graph->nodes.len * sizeof *by_node);
  int64_t **shifts = pm_arena_alloc(arena, plan->nodes.len * sizeof *shifts);
  for (size_t i = 0; i < plan->nodes.len; i++) {
    const poly_aligned *at = poly_plan_at(plan, i)->at;
    int64_t *shift = shifts[i] = pm_arena_alloc(arena, plan->n * sizeof *shift);
    for (unsigned d = 0; d < plan->n; d++) shift[d] = INT64_MAX;
    for (size_t k = 0; k < at->readers.len; k++) {
      const poly_edge *e = at->readers.data[k];
      const int64_t *reader = by_node[e->consumer->node->index];
      if (reader) bound_shift(shift, reader, e, plan->n);
    }
    for (unsigned d = 0; d < plan->n; d++)
      if (shift[d] == INT64_MAX) shift[d] = 0;
    by_node[at->node->index] = shift;
  }
  return shifts;
}

/* --- planes --- */

/* The stage is read along the dimension by sums over it, or in its own plane by stages that are. */
static bool is_read_in_planes(const poly_aligned *at, const int *plane_of, int d) {
  for (size_t i = 0; i < at->readers.len; i++) {
    const poly_edge *e = at->readers.data[i];
    bool in_plane = plane_of[e->consumer->node->index] == d && poly_edge_is_zero(e, (unsigned)d);
    if (!e->summed[d] && !in_plane) return false;
  }
  return true;
}

static int plane_along(const poly_plan *plan, const poly_planned *m, const int *plane_of) {
  const poly_aligned *at = m->at;
  if (poly_is_live_out(plan, m) || at->node->updates.len || at->node->self_reads.len) return -1;
  for (unsigned d = 0; d + 1 < plan->n; d++)
    if (at->has[d] && is_read_in_planes(at, plane_of, (int)d)) return (int)d;
  return -1;
}

int *poly_find_planes(const poly_plan *plan) {
  if (!plan->all->alignment->any_sums) return NULL;
  pm_arena *arena = plan->all->arena;
  size_t n_nodes = plan->all->alignment->graph->nodes.len;
  int *planes = pm_arena_alloc(arena, (plan->nodes.len + 1) * sizeof *planes);
  int *plane_of = pm_arena_alloc(arena, (n_nodes + 1) * sizeof *plane_of);
  for (size_t i = 0; i < n_nodes; i++) plane_of[i] = -1;
  for (size_t i = 0; i < plan->nodes.len; i++) {
    const poly_planned *m = poly_plan_at(plan, i);
    planes[i] = plane_of[m->at->node->index] = plane_along(plan, m, plane_of);
  }
  return planes;
}

/* --- at the estimates --- */

const double *poly_extents(poly_plans *all, unsigned node) {
  return poly_extents_of(all->footprints, all->of[node].at->node, all->usual);
}

double poly_update_points(poly_plans *all, unsigned node) {
  poly_planned *m = &all->of[node];
  if (m->update_points >= 0) return m->update_points;
  m->update_points = 0;
  for (size_t i = 0; i < m->at->updates.len; i++)
    m->update_points += stage_points_in(all->alignment->graph, m->at->node->updates.data[i].set, all->usual);
  return m->update_points;
}
