#include "dialects/poly/tiling/footprint.h"

#include "dialects/isl/linear.h"
#include "dialects/stage/analyses/estimates.h"

#include <isl/aff.h>
#include <isl/ilp.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/stride_info.h>
#include <isl/val.h>
#include <stdlib.h>

static int64_t take_number(__isl_take isl_val *v) {
  int64_t number = isl_val_is_int(v) == isl_bool_true ? isl_val_get_num_si(v) : 0;
  isl_val_free(v);
  return number;
}

/* Common coordinates of the points of a stage: stride * k + offset. */
typedef struct lattice {
  int64_t stride, offset;
} lattice;

static lattice lattice_along(isl_map *schedule, unsigned d) {
  isl_set *all = isl_map_range(isl_map_copy(schedule));
  unsigned behind = (unsigned)isl_set_dim(all, isl_dim_set) - d - 1;
  all = isl_set_project_out(isl_set_project_out(all, isl_dim_set, d + 1, behind), isl_dim_set, 0, d);
  isl_stride_info *info = isl_set_get_stride_info(all, 0);
  isl_aff *offset = isl_stride_info_get_offset(info);
  lattice l = {take_number(isl_stride_info_get_stride(info)), take_number(isl_aff_get_constant_val(offset))};
  isl_aff_free(offset);
  isl_stride_info_free(info);
  isl_set_free(all);
  return l.stride > 1 ? l : (lattice){1, 0};
}

/* --- what is known of stages --- */

/* Along a common dimension. */
typedef struct line {
  bool asked_lattice, asked_ends;
  lattice lattice;
  bool any;            /* it has points, at the estimates */
  int64_t first, last; /* coordinates of these */
} line;

typedef struct known {
  int64_t usual;   /* that the ends are of */
  isl_set *common; /* the points in the common space, at the estimates; NULL: not asked for */
  line *lines;     /* by common dimension */
  double *extents; /* NULL: not asked for */
} known;

struct poly_footprints {
  const poly_alignment *alignment;
  pm_arena *arena;
  known *of; /* by node index */
};

static void *new_footprints(pm_op *root, const void *base) {
  (void)root;
  const poly_alignment *alignment = base;
  poly_footprints *f = pm_xcalloc(1, sizeof *f);
  *f = (poly_footprints){.alignment = alignment, .arena = pm_arena_new()};
  f->of = pm_arena_alloc(f->arena, alignment->graph->nodes.len * sizeof *f->of);
  for (size_t i = 0; i < alignment->graph->nodes.len; i++)
    f->of[i].lines = pm_arena_alloc(f->arena, alignment->n * sizeof *f->of[i].lines);
  return f;
}

static void free_footprints(void *result) {
  poly_footprints *f = result;
  for (size_t i = 0; i < f->alignment->graph->nodes.len; i++) isl_set_free(f->of[i].common);
  pm_arena_free(f->arena);
  free(f);
}

const pm_analysis_desc poly_footprints_analysis = {"footprints", new_footprints, free_footprints, NULL,
                                                   &poly_alignment_analysis};

const poly_alignment *poly_alignment_of_footprints(const poly_footprints *f) {
  return f->alignment;
}

/* With params that have no estimate as `usual`; what is known for another such number is forgotten. */
static known *known_at(poly_footprints *f, const stage_node *node, int64_t usual) {
  known *k = &f->of[node->index];
  if (k->common && k->usual == usual) return k;
  isl_set_free(k->common);
  isl_set *points = stage_at_estimates(f->alignment->graph, isl_set_copy(node->domain), usual);
  points = isl_set_project_out_all_params(points);
  k->common = isl_set_apply(points, isl_map_copy(f->alignment->of[node->index].schedule));
  k->usual = usual;
  k->extents = NULL;
  for (unsigned d = 0; d < f->alignment->n; d++) k->lines[d].asked_ends = false;
  return k;
}

static const line *line_of(poly_footprints *f, const stage_node *node, unsigned d) {
  line *l = &f->of[node->index].lines[d];
  if (!l->asked_lattice) l->lattice = lattice_along(f->alignment->of[node->index].schedule, d);
  l->asked_lattice = true;
  return l;
}

static const line *ends_of(poly_footprints *f, const stage_node *node, int64_t usual, unsigned d) {
  known *k = known_at(f, node, usual);
  line *l = &k->lines[d];
  if (l->asked_ends) return l;
  l->asked_ends = l->any = true;
  if (linear_dim_range(k->common, d, &l->first, &l->last) == LINEAR_FOUND) return l;
  l->any = isl_set_is_empty(k->common) != isl_bool_true;
  l->first = l->any ? take_number(isl_set_dim_min_val(isl_set_copy(k->common), (int)d)) : 0;
  l->last = l->any ? take_number(isl_set_dim_max_val(isl_set_copy(k->common), (int)d)) : 0;
  return l;
}

int64_t poly_stride_along(poly_footprints *f, const stage_node *node, unsigned d) {
  return line_of(f, node, d)->lattice.stride;
}

bool poly_first_along(poly_footprints *f, const stage_node *node, int64_t usual, unsigned d, int64_t *first) {
  const poly_aligned *at = &f->alignment->of[node->index];
  if (!at->has[d]) return false;
  const line *l = ends_of(f, node, usual, d);
  *first = l->first;
  return l->any;
}

const double *poly_extents_of(poly_footprints *f, const stage_node *node, int64_t usual) {
  known *k = known_at(f, node, usual);
  if (k->extents) return k->extents;
  k->extents = pm_arena_alloc(f->arena, f->alignment->n * sizeof *k->extents);
  for (unsigned d = 0; d < f->alignment->n; d++) {
    const line *l = ends_of(f, node, usual, d);
    k->extents[d] = l->any && l->last > l->first ? (double)(l->last - l->first + 1) : 1;
  }
  return k->extents;
}

/* --- of a tile --- */

/* From the first point of the stage to the last; an empty one has none. */
static void find_extent(poly_footprints *all, const poly_footprint *f, int64_t usual, unsigned n) {
  for (unsigned d = 0; d < n; d++) {
    const line *l = all->alignment->of[f->node->index].has[d] ? ends_of(all, f->node, usual, d) : NULL;
    f->along[d] = (poly_stretch){.has = l && l->any};
    if (f->along[d].has) f->along[d].from = l->first;
    if (f->along[d].has) f->along[d].to = l->last;
  }
}

/* A dimension of the tile. */
typedef struct window {
  unsigned d;
  int64_t size, origin;
  bool cut; /* by the borders of the picture */
} window;

static window window_along(const poly_footprint *stages, size_t n_stages, unsigned d, int64_t size,
                           int64_t origin) {
  window w = {.d = d, .size = size, .origin = origin};
  int64_t first = INT64_MAX, last = INT64_MIN;
  for (size_t i = 0; i < n_stages; i++) {
    const poly_footprint *f = &stages[i];
    const poly_stretch *s = &f->along[d];
    if (!s->has) continue;
    w.cut = w.cut || f->whole[d] || size - 1 + f->halo_hi[d] - f->halo_lo[d] >= s->to - s->from;
    if (s->from < first) first = s->from;
    if (s->to > last) last = s->to;
  }
  if (w.cut && first <= last && size != POLY_UNTILED)
    w.origin += pm_floor_div(first + (last - first) / 2 - origin, size) * size;
  return w;
}

/* From the extent of the stage to its part in the tile. */
static void fit_to_window(const poly_footprint *f, const window *w, lattice l) {
  poly_stretch *s = &f->along[w->d];
  int64_t from = w->origin + f->halo_lo[w->d], to = w->origin + w->size - 1 + f->halo_hi[w->d];
  if (!w->cut || (!f->whole[w->d] && s->from < from)) s->from = from;
  if (!w->cut || (!f->whole[w->d] && s->to > to)) s->to = to;
  if (w->cut || w->size % l.stride == 0) {
    s->from = pm_ceil_div(s->from - l.offset, l.stride) * l.stride + l.offset;
    s->to = pm_floor_div(s->to - l.offset, l.stride) * l.stride + l.offset;
  }
  s->points = s->to < s->from ? 0 : (s->to - s->from) / l.stride + 1;
  s->from -= w->origin;
  s->to -= w->origin;
}

void poly_find_footprints(poly_footprints *all, int64_t usual, const poly_footprint *stages, size_t n_stages,
                          unsigned n, const int64_t *sizes, const int64_t *origins) {
  for (size_t i = 0; i < n_stages; i++) find_extent(all, &stages[i], usual, n);
  for (unsigned d = 0; d < n; d++) {
    window w = window_along(stages, n_stages, d, sizes[d], origins[d]);
    for (size_t i = 0; i < n_stages; i++)
      if (stages[i].along[d].has) fit_to_window(&stages[i], &w, line_of(all, stages[i].node, d)->lattice);
  }
}
