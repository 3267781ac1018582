#include "dialects/poly/tiling/footprint.h"
#include "dialects/poly/dependences/distance.h"

#include <isl/aff.h>
#include <isl/ilp.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/stride_info.h>
#include <isl/val.h>

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

int64_t poly_stride_along(isl_map *schedule, unsigned d) {
  return lattice_along(schedule, d).stride;
}

bool poly_first_along(isl_map *schedule, isl_set *domain, unsigned d, int64_t *first) {
  unsigned n = (unsigned)isl_map_dim(schedule, isl_dim_out);
  if (isl_set_is_empty(domain) == isl_bool_true || !poly_has_dimension(schedule, n, d)) return false;
  isl_set *common = isl_set_apply(isl_set_copy(domain), isl_map_copy(schedule));
  *first = take_number(isl_set_dim_min_val(common, (int)d));
  return true;
}

/* From the first point of the stage to the last; an empty one has none. */
static void find_extent(const poly_footprint *f, unsigned n) {
  isl_set *common = isl_set_apply(isl_set_copy(f->domain), isl_map_copy(f->schedule));
  bool empty = isl_set_is_empty(common) == isl_bool_true;
  for (unsigned d = 0; d < n; d++) {
    f->along[d] = (poly_stretch){.has = !empty && poly_has_dimension(f->schedule, n, d)};
    if (!f->along[d].has) continue;
    f->along[d].from = take_number(isl_set_dim_min_val(isl_set_copy(common), (int)d));
    f->along[d].to = take_number(isl_set_dim_max_val(isl_set_copy(common), (int)d));
  }
  isl_set_free(common);
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
  if (w.cut && first <= last) w.origin += pm_floor_div(first + (last - first) / 2 - origin, size) * size;
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

void poly_find_footprints(const poly_footprint *stages, size_t n_stages, unsigned n, const int64_t *sizes,
                          const int64_t *origins) {
  for (size_t i = 0; i < n_stages; i++) find_extent(&stages[i], n);
  for (unsigned d = 0; d < n; d++) {
    window w = window_along(stages, n_stages, d, sizes[d], origins[d]);
    for (size_t i = 0; i < n_stages; i++)
      if (stages[i].along[d].has) fit_to_window(&stages[i], &w, lattice_along(stages[i].schedule, d));
  }
}
