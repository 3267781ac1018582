#include "dialects/poly/tiling/cone.h"

static const poly_planned *reader_of(const poly_plan *plan, const poly_edge *e) {
  return &plan->all->of[e->consumer->node->index];
}

/* By node index: reads on the longest path from a stage of the group that reads none. */
static unsigned *find_levels(const poly_plan *plan, unsigned *height) {
  unsigned *levels =
      pm_arena_alloc(plan->all->arena, plan->all->alignment->graph->nodes.len * sizeof *levels);
  *height = 0;
  for (size_t i = plan->nodes.len; i-- > 0;) {
    const poly_aligned *at = poly_plan_at(plan, i)->at;
    unsigned level = levels[at->node->index];
    if (level > *height) *height = level;
    for (size_t k = 0; k < at->readers.len; k++) {
      const poly_planned *reader = reader_of(plan, at->readers.data[k]);
      unsigned *above = &levels[reader->at->node->index];
      if (reader->in == plan && level + 1 > *above) *above = level + 1;
    }
  }
  return levels;
}

/* Widens by the farthest reads of a stage in the group, before and after. */
static void widen_by_reads(const poly_plan *plan, const poly_aligned *stage, int64_t *min, int64_t *max) {
  for (size_t k = 0; k < stage->readers.len; k++) {
    const poly_edge *e = stage->readers.data[k];
    if (reader_of(plan, e)->in != plan) continue;
    for (unsigned d = 0; d < plan->n; d++) {
      if (e->lo[d] < min[d]) min[d] = e->lo[d];
      if (e->hi[d] > max[d]) max[d] = e->hi[d];
    }
  }
}

/* Adds the farthest reads of the stages of a level to the sums. */
static void add_level(const poly_plan *plan, const unsigned *levels, unsigned level, int64_t *before,
                      int64_t *after) {
  pm_arena *arena = plan->all->arena;
  int64_t *min = pm_arena_alloc(arena, plan->n * sizeof *min);
  int64_t *max = pm_arena_alloc(arena, plan->n * sizeof *max);
  for (size_t i = 0; i < plan->nodes.len; i++)
    if (levels[plan->nodes.data[i]] == level) widen_by_reads(plan, poly_plan_at(plan, i)->at, min, max);
  for (unsigned d = 0; d < plan->n; d++) {
    before[d] += min[d];
    after[d] += max[d];
  }
}

/* The least slopes of both hyperplanes that hold the sums of every level. */
static void find_slopes(const poly_plan *plan, const unsigned *levels, poly_cone *cone) {
  pm_arena *arena = plan->all->arena;
  int64_t *before = pm_arena_alloc(arena, plan->n * sizeof *before);
  int64_t *after = pm_arena_alloc(arena, plan->n * sizeof *after);
  cone->left = pm_arena_alloc(arena, plan->n * sizeof *cone->left);
  cone->right = pm_arena_alloc(arena, plan->n * sizeof *cone->right);
  for (unsigned depth = 1; depth <= cone->height; depth++) {
    add_level(plan, levels, cone->height - depth, before, after);
    for (unsigned d = 0; d < plan->n; d++) {
      int64_t left = pm_floor_div(before[d], depth), right = pm_ceil_div(after[d], depth);
      if (left < cone->left[d]) cone->left[d] = left;
      if (right > cone->right[d]) cone->right[d] = right;
    }
  }
}

static const stage_node *live_out_read_inside(const poly_plan *plan) {
  for (size_t i = plan->nodes.len; i-- > 0;) {
    const poly_planned *m = poly_plan_at(plan, i);
    for (size_t k = 0; poly_is_live_out(plan, m) && k < m->at->readers.len; k++) {
      const poly_planned *reader = reader_of(plan, m->at->readers.data[k]);
      if (reader->in == plan && !poly_is_live_out(plan, reader)) return m->at->node;
    }
  }
  return NULL;
}

const stage_node *poly_widen_to_cone(poly_plan *plan, poly_cone *out) {
  const stage_node *read = live_out_read_inside(plan);
  if (read) return read;
  const unsigned *levels = find_levels(plan, &out->height);
  find_slopes(plan, levels, out);
  for (size_t i = 0; i < plan->nodes.len; i++) {
    unsigned node = plan->nodes.data[i];
    const poly_planned *m = &plan->all->of[node];
    for (unsigned d = 0; d < plan->n; d++) {
      m->halo_lo[d] = out->left[d] * (int64_t)(out->height - levels[node]);
      m->halo_hi[d] = out->right[d] * (int64_t)(out->height - levels[node]);
    }
  }
  poly_widen_halos(plan);
  return NULL;
}
