#include "dialects/poly/tiling/legality.h"

#include <math.h>
#include <stdlib.h>

static const poly_planned *reader_of(const poly_plan *plan, const poly_edge *e) {
  return &plan->all->of[e->consumer->node->index];
}

/* Tiles can be cut in a dimension that all stages have. */
static const char *why_untiled(const poly_plan *plan, const poly_planned *m) {
  for (unsigned d = 0; d < plan->n; d++) {
    bool tiled = !plan->untiled[d] && !m->at->carried[d] && m->at->has[d];
    for (size_t i = 0; i < plan->nodes.len; i++) tiled = tiled && poly_plan_at(plan, i)->at->has[d];
    if (tiled) return NULL;
  }
  return "stages that read themselves leave no dimension in which tiles could be cut";
}

/* Why no other stage joins the group that the stage started, in which it is a live-out. */
static const char *why_closed(const poly_plan *plan, const poly_planned *first) {
  if (first->at->alone) return "the other is not tiled";
  return poly_has_any(first->at, plan->n, first->at->scattered)
             ? "the updates of the other, a live-out of the group, reach elements of all tiles"
             : NULL;
}

/* What is needed whole along a dimension has a number of points there that a scratchpad can have. */
static const char *why_unbounded(const poly_plan *plan, const poly_planned *m) {
  for (unsigned d = 0; d < plan->n; d++)
    if (m->whole[d] && !plan->untiled[d] && m->at->has[d] && !poly_span_of(m->at, d))
      return "updates need all of it along an unbounded dimension";
  return NULL;
}

/* Tiles into which the stage and its updates are cut, at the estimates. */
static double count_tiles(const poly_plan *plan, unsigned node, const int64_t *tile) {
  const poly_planned *m = &plan->all->of[node];
  const double *extent = poly_extents(plan->all, node);
  double tiles = 1;
  for (unsigned d = 0; d < plan->n; d++)
    if (m->at->has[d] && !m->whole[d]) tiles *= ceil(extent[d] / (double)tile[d]);
  return tiles;
}

/* The updates of a stage are work for many threads, but the tiles of the group would be few. */
static bool has_few_tiles(const poly_plan *plan, unsigned node, poly_named_sizes named) {
  const int64_t much = 65536, few = 16;
  if (poly_update_points(plan->all, node) < much) return false;
  int64_t *tile = pm_xmalloc(plan->n * sizeof *tile);
  poly_usual_sizes(plan, &plan->all->of[node], named.sizes, named.n, tile);
  bool is = count_tiles(plan, node, tile) < few;
  free(tile);
  return is;
}

static bool reads_itself(const poly_plan *plan) {
  bool any = false;
  for (unsigned d = 0; d < plan->n; d++) any = any || plan->untiled[d];
  return any;
}

const char *poly_why_no_group(const poly_plan *plan, unsigned node, poly_named_sizes named) {
  poly_planned *m = &plan->all->of[node];
  const char *reason = m->at->alone;
  if (!reason) reason = why_closed(plan, poly_plan_at(plan, 0));
  if (!reason && poly_is_read_anywhere(plan, m))
    reason = "a dependence between them is not a constant distance";
  if (!reason && (reads_itself(plan) || m->at->node->self_reads.len)) reason = why_untiled(plan, m);
  if (reason) return reason;
  poly_find_halo(plan, m);
  if (poly_is_live_out(plan, m) && !poly_stays_inside(plan, m))
    return m->at->is_array && !m->at->node->is_output
               ? "the schedule stores it in a whole array, and the group reads it at a distance"
               : "it is needed outside the group too, and the group reads it at a distance";
  reason = why_unbounded(plan, m);
  return reason ? reason
         : has_few_tiles(plan, node, named)
             ? "its updates have many points, for which the group has too few tiles"
             : NULL;
}

/* --- other groups --- */

typedef struct search {
  const poly_plan *plan;
  unsigned start;
  bool *seen;
  poly_indices stack;
} search;

/* Goes on from a stage and all of its group. */
static void push_group(search *s, unsigned node) {
  const poly_plan *in = s->plan->all->of[node].in;
  s->seen[node] = true;
  if (!in) PM_VEC_PUSH(s->stack, node);
  for (size_t i = 0; in && i < in->nodes.len; i++) PM_VEC_PUSH(s->stack, in->nodes.data[i]);
}

/* A reader of the stage is in the group, and the stage is not the one that is to join. */
static bool visit(search *s, unsigned node) {
  const poly_aligned *at = s->plan->all->of[node].at;
  for (size_t i = 0; i < at->readers.len; i++) {
    const poly_planned *reader = reader_of(s->plan, at->readers.data[i]);
    unsigned next = reader->at->node->index;
    if (reader->in == s->plan && node != s->start) return true;
    if (reader->in != s->plan && !s->seen[next]) push_group(s, next);
  }
  return false;
}

/* Another group between the stage and `plan`? Depth-first over readers, with a stack of its own. */
static bool reaches_around(const poly_plan *plan, unsigned node) {
  search s = {.plan = plan, .start = node};
  bool found = false;
  s.seen = pm_xcalloc(plan->all->alignment->graph->nodes.len, sizeof *s.seen);
  PM_VEC_PUSH(s.stack, node);
  while (s.stack.len && !found) found = visit(&s, PM_VEC_POP(s.stack));
  PM_VEC_FREE(s.stack);
  free(s.seen);
  return found;
}

const char *poly_why_illegal(const poly_plan *plan, unsigned node, poly_named_sizes named) {
  const char *reason = poly_why_no_group(plan, node, named);
  if (reason) return reason;
  return reaches_around(plan, node) ? "another group comes between them" : NULL;
}

/* --- overlap --- */

/* Coordinates along a dimension in which a tile computes a stage: with its halo, or without. What is needed
 * whole is shared by the tiles there. */
static double width(const poly_plan *plan, const poly_planned *m, const int64_t *tile, unsigned d,
                    bool halo) {
  if (tile[d] == POLY_UNTILED) return poly_extents(plan->all, m->at->node->index)[d];
  if (!m->whole[d]) return (double)(tile[d] + (halo ? m->halo_hi[d] - m->halo_lo[d] : 0));
  int64_t span = poly_span_of(m->at, d);
  return (double)(halo || span < tile[d] ? span : tile[d]);
}

/* Points of a stage and its updates that one tile computes; of what it lacks a dimension for, along which
 * there are `tiles` that all need it, its share. */
static double volume(const poly_plan *plan, unsigned node, const double *tiles, const int64_t *tile,
                     bool halo) {
  const poly_planned *m = &plan->all->of[node];
  double cells = 1, density = 1;
  for (unsigned d = 0; d < plan->n; d++) {
    if (m->at->has[d])
      cells *= width(plan, m, tile, d, halo);
    else if (m->whole[d] && !halo)
      cells /= tiles[d];
  }
  if (!m->at->updates.len) return cells;
  const double *extent = poly_extents(plan->all, node);
  for (unsigned d = 0; d < plan->n; d++) density /= extent[d];
  return cells * (1 + density * poly_update_points(plan->all, node));
}

double poly_overlap_with(const poly_plan *plan, unsigned node, poly_named_sizes named) {
  int64_t *tile = pm_xmalloc(plan->n * sizeof *tile);
  double *tiles = pm_xmalloc(plan->n * sizeof *tiles);
  poly_usual_sizes(plan, &plan->all->of[node], named.sizes, named.n, tile);
  const double *extent = poly_extents(plan->all, plan->nodes.data[0]);
  for (unsigned d = 0; d < plan->n; d++) tiles[d] = ceil(extent[d] / (double)tile[d]);
  double done = volume(plan, node, tiles, tile, true), needed = volume(plan, node, tiles, tile, false);
  for (size_t i = 0; i < plan->nodes.len; i++) {
    done += volume(plan, plan->nodes.data[i], tiles, tile, true);
    needed += volume(plan, plan->nodes.data[i], tiles, tile, false);
  }
  free(tiles);
  free(tile);
  return 100 * (done / needed - 1);
}
