#include "dialects/poly/tiling/alignment.h"

#include "dialects/isl/linear.h"

#include "dialects/stage/analyses/planes.h"
#include "dialects/stage/dependences/self_dependences.h"
#include "dialects/stage/dependences/summed_planes.h"
#include "dialects/stage/dependences/update_schedule.h"

#include <stdlib.h>

/* --- reading the tree --- */

/* The stage of an innermost filter that lets just one through; NULL for others. */
static stage_node *stage_of_filter(const stage_graph *graph, const pm_op *filter) {
  poly_names names = {0};
  poly_stage_names(graph->ctx, isl_peek_union_set(pm_attr_at(filter, poly_filter_instances)), &names);
  stage_node *node = names.len == 1 ? stage_graph_find(graph, names.data[0]) : NULL;
  PM_VEC_FREE(names);
  return node;
}

static void read_band(poly_alignment *a, const stage_node *node, const pm_op *band) {
  isl_map *map = poly_band_map(band, node->name);
  if (!map) return;
  isl_map_free(a->of[node->index].schedule);
  a->of[node->index].schedule = map;
  if (poly_band_members(band) > a->n) a->n = poly_band_members(band);
}

static void read_bands(poly_alignment *a) {
  pm_op *schedule = poly_find_schedule(a->graph->pipeline);
  poly_ops filters = {0};
  if (schedule) poly_collect(schedule, &poly_filter, &filters);
  for (size_t i = 0; i < filters.len; i++) {
    pm_op *band = poly_child(filters.data[i]);
    stage_node *node = band && pm_is(band, &poly_band) ? stage_of_filter(a->graph, filters.data[i]) : NULL;
    if (node) read_band(a, node, band);
  }
  PM_VEC_FREE(filters);
}

static void read_arrays(poly_alignment *a) {
  pm_op *schedule = poly_find_schedule(a->graph->pipeline), *domain = schedule ? poly_child(schedule) : NULL;
  if (!domain) return;
  PM_FOR_OPS(op, pm_region_at(domain, 0)) {
    if (!pm_is(op, &poly_alloc) || pm_attr_at(op, poly_alloc_at)) continue;
    const stage_node *node = stage_graph_find(a->graph, pm_sym_at(op, poly_alloc_stage));
    if (node) a->of[node->index].is_array = true;
  }
}

/* --- stages --- */

static unsigned dims_of(const poly_aligned *s) {
  return (unsigned)isl_map_dim(s->schedule, isl_dim_out);
}

/* Along the dimension the update is of one cell, the same for all points and parameters. */
static bool find_cell(isl_map *update, unsigned d, int64_t *cell) {
  int64_t last;
  isl_set *cells = isl_map_range(isl_map_copy(update));
  bool one = linear_dim_range(cells, d, cell, &last) == LINEAR_FOUND && *cell == last;
  isl_set_free(cells);
  return one;
}

static bool are_side_by_side(const poly_aligned *s, unsigned d) {
  int64_t first = 0, cell;
  bool differ = false;
  for (size_t i = 0; i < s->updates.len; i++) {
    if (!find_cell(s->updates.data[i], d, &cell)) return false;
    if (i == 0) first = cell;
    differ = differ || cell != first;
  }
  return differ;
}

/* Rows of the stage, which have no less than some points for all that is known, run along the dimension:
 * single points of them would come to each line of memory again and again. */
static bool runs_along_rows(const poly_aligned *s, unsigned d) {
  enum { LEAST_ROW = 8 };
  return stage_schedule_involves(s->schedule, d, s->node->n_dims - 1) &&
         (!poly_span_of(s, d) || poly_span_of(s, d) >= LEAST_ROW);
}

/* Planes along the dimension are worth being computed together. */
static bool has_planes(const poly_aligned *s, unsigned d) {
  for (unsigned k = 0; k + 1 < s->node->n_dims; k++) {
    if (!stage_schedule_involves(s->schedule, d, k)) continue;
    if (stage_has_plane_cases(s->node, k)) return true;
    for (size_t i = 0; i < s->node->cases.len; i++)
      if (stage_planes_along(s->node, s->node->cases.data[i].op, s->node->cases.data[i].set, k) > 0)
        return true;
  }
  return false;
}

static void find_updates(poly_aligned *s) {
  stage_find_whole(s->node, s->schedule, dims_of(s), s->scattered);
  for (size_t i = 0; i < s->node->updates.len; i++)
    PM_VEC_PUSH(s->updates, stage_update_schedule(s->node, i, s->schedule));
  for (unsigned d = 0; d < dims_of(s); d++) s->together[d] = s->together[d] || are_side_by_side(s, d);
}

/* A common dimension depends on a dimension of the stage along which it reads itself. */
static void find_carried(poly_aligned *s) {
  unsigned row = s->node->n_dims - 1;
  for (unsigned k = 0; k < s->node->n_dims; k++)
    for (unsigned d = 0; d < dims_of(s) && !stage_is_free(s->node, k); d++)
      s->carried[d] = s->carried[d] || stage_schedule_involves(s->schedule, d, k);
  bool waits = s->node->n_dims > 1 && !stage_is_free(s->node, row) && stage_is_free(s->node, row - 1);
  for (unsigned d = 0; d < dims_of(s) && waits; d++)
    if (stage_schedule_involves(s->schedule, d, row - 1)) s->turns = (int)d;
}

static void find_stage(poly_alignment *a, const stage_node *node) {
  poly_aligned *s = &a->of[node->index];
  s->node = node;
  s->turns = -1;
  s->alone = stage_why_whole(node);
  s->has = pm_arena_alloc(a->arena, a->n * sizeof *s->has);
  s->scattered = pm_arena_alloc(a->arena, a->n * sizeof *s->scattered);
  s->carried = pm_arena_alloc(a->arena, a->n * sizeof *s->carried);
  s->together = pm_arena_alloc(a->arena, a->n * sizeof *s->together);
  s->spans = pm_arena_alloc(a->arena, a->n * sizeof *s->spans);
  for (unsigned d = 0; s->schedule && d < dims_of(s); d++) {
    s->has[d] = stage_has_dimension(s->schedule, dims_of(s), d);
    s->spans[d] = -1;
  }
  for (unsigned d = 0; s->schedule && node->n_dims && d < dims_of(s); d++)
    s->together[d] = s->has[d] && (runs_along_rows(s, d) || has_planes(s, d));
  if (s->schedule && node->self_reads.len) find_carried(s);
  if (s->schedule && !s->alone && node->updates.len) find_updates(s);
}

int64_t poly_span_of(const poly_aligned *stage, unsigned d) {
  if (stage->spans[d] < 0)
    stage->spans[d] =
        stage_span_along(pm_op_context(stage->node->op), stage->schedule, stage->node->domain, d);
  return stage->spans[d];
}

bool poly_has_any(const poly_aligned *stage, unsigned n, const bool *flags) {
  for (unsigned d = 0; d < n; d++)
    if (flags[d] && stage->has[d]) return true;
  return false;
}

/* --- dependences --- */

static poly_edge *edge_between(poly_alignment *a, poly_aligned *producer, const poly_aligned *consumer) {
  for (size_t i = 0; i < producer->readers.len; i++)
    if (producer->readers.data[i]->consumer == consumer) return producer->readers.data[i];
  poly_edge *e = pm_arena_alloc(a->arena, sizeof *e);
  *e = (poly_edge){.producer = producer, .consumer = consumer, .aligned = true};
  e->lo = pm_arena_alloc(a->arena, a->n * sizeof *e->lo);
  e->hi = pm_arena_alloc(a->arena, a->n * sizeof *e->hi);
  e->unbounded = pm_arena_alloc(a->arena, a->n * sizeof *e->unbounded);
  e->summed = pm_arena_alloc(a->arena, a->n * sizeof *e->summed);
  for (unsigned d = 0; d < a->n; d++) {
    e->lo[d] = INT64_MAX;
    e->hi[d] = INT64_MIN;
    e->summed[d] = true;
  }
  PM_VEC_PUSH(producer->readers, e);
  return e;
}

/* Where the points stand that read; NULL for updates of a stage that is alone. Borrowed. */
static isl_map *reader_schedule(const poly_aligned *reader, const stage_access *access) {
  if (access->update_index < 0) return reader->schedule;
  return reader->updates.len ? reader->updates.data[access->update_index] : NULL;
}

/* False: some distance is not bounded. */
static bool widen_edge(poly_edge *e, stage_distances *distances, const stage_access *access) {
  isl_map *reader = reader_schedule(e->consumer, access), *producer = e->producer->schedule;
  if (!reader || !producer || isl_map_dim(reader, isl_dim_out) != isl_map_dim(producer, isl_dim_out))
    return e->aligned = false;
  return stage_widen_distances(distances, access, reader, producer, e->lo, e->hi, e->unbounded);
}

/* Each coordinate of the common space is a plane of the producer. */
static void narrow_sums(poly_edge *e, const stage_access *access) {
  isl_map *schedule = access->update_index < 0 ? NULL : e->producer->schedule;
  unsigned n = schedule ? dims_of(e->producer) : 0;
  for (unsigned d = 0; d < n; d++) {
    if (!e->summed[d]) continue;
    isl_map *planes = isl_map_project_out(isl_map_copy(schedule), isl_dim_out, d + 1, n - d - 1);
    planes = isl_map_project_out(planes, isl_dim_out, 0, d);
    isl_map *read = e->producer->has[d] ? stage_summed_planes(access, planes) : NULL;
    e->summed[d] = read != NULL;
    isl_map_free(planes);
    isl_map_free(read);
  }
}

static void forget_sums(poly_edge *e, unsigned n) {
  for (unsigned d = 0; d < n; d++) e->summed[d] = false;
}

static void find_edges(poly_alignment *a, stage_distances *distances) {
  for (size_t i = 0; i < a->graph->accesses.len; i++) {
    const stage_access *access = a->graph->accesses.data[i];
    if (access->producer->is_input || access->producer == access->consumer) continue;
    poly_aligned *producer = &a->of[access->producer->index];
    poly_edge *e = edge_between(a, producer, &a->of[access->consumer->index]);
    if (!widen_edge(e, distances, access) && !e->loose) e->loose = access;
    if (access->update_index < 0)
      forget_sums(e, a->n);
    else
      narrow_sums(e, access);
  }
}

static bool has_sums(const poly_aligned *s, unsigned n) {
  for (size_t i = 0; i < s->readers.len; i++)
    for (unsigned d = 0; d < n; d++)
      if (s->readers.data[i]->summed[d]) return true;
  return false;
}

bool poly_edge_is_zero(const poly_edge *edge, unsigned d) {
  return edge->lo[d] >= 0 && edge->hi[d] <= 0;
}

bool poly_edge_is_free(const poly_edge *edge, unsigned d) {
  return edge->unbounded[d] && !edge->producer->has[d];
}

/* --- as an analysis --- */

static void *compute(pm_op *root, const void *base) {
  (void)root;
  stage_distances *distances = (stage_distances *)base;
  poly_alignment *a = pm_xcalloc(1, sizeof *a);
  a->graph = stage_graph_of_distances(distances);
  a->arena = pm_arena_new();
  a->of = pm_arena_alloc(a->arena, a->graph->nodes.len * sizeof *a->of);
  read_bands(a);
  read_arrays(a);
  for (size_t i = 0; i < a->graph->nodes.len; i++) find_stage(a, a->graph->nodes.data[i]);
  find_edges(a, distances);
  for (size_t i = 0; i < a->graph->nodes.len; i++) a->any_sums = a->any_sums || has_sums(&a->of[i], a->n);
  return a;
}

static void free_stage(poly_aligned *s) {
  isl_map_free(s->schedule);
  for (size_t i = 0; i < s->updates.len; i++) isl_map_free(s->updates.data[i]);
  PM_VEC_FREE(s->updates);
  PM_VEC_FREE(s->readers);
}

static void free_alignment(void *result) {
  poly_alignment *a = result;
  for (size_t i = 0; i < a->graph->nodes.len; i++) free_stage(&a->of[i]);
  pm_arena_free(a->arena);
  free(a);
}

static bool is_equal(const void *one, const void *other) {
  const poly_alignment *a = one, *b = other;
  if (a->n != b->n) return false;
  for (size_t i = 0; i < a->graph->nodes.len; i++) {
    isl_map *x = a->of[i].schedule, *y = b->of[i].schedule;
    if (!x != !y || a->of[i].is_array != b->of[i].is_array || (x && isl_map_is_equal(x, y) != isl_bool_true))
      return false;
  }
  return true;
}

const pm_analysis_desc poly_alignment_analysis = {"alignment", compute, free_alignment, is_equal,
                                                  &stage_distances_analysis};
