#include "dialects/poly/tiling/ring.h"

#include "dialects/isl/take.h"
#include "dialects/poly/tree.h"
#include "dialects/stage/dependences/distance.h"

/* The one division with a factor, -1 when there is none, -2 when there are several or the factor is not 1. */
static int only_division(isl_aff *aff) {
  int found = -1;
  for (int i = 0; i < (int)isl_aff_dim(aff, isl_dim_div); i++) {
    int64_t factor = 0;
    bool whole = isl_take_int_below(isl_aff_get_coefficient_val(aff, isl_dim_div, i), INT32_MAX, &factor);
    if (whole && factor == 0) continue;
    if (!whole || factor != 1 || found != -1) return -2;
    found = i;
  }
  return found;
}

/* floor(e / h) + c, which is taken, gives e + h c and *height = h; an affine function is divided by 1. NULL
 * when it is neither. */
static __isl_give isl_aff *undivided(__isl_take isl_aff *aff, int64_t *height) {
  int division = only_division(aff);
  *height = 1;
  if (division == -1) return aff;
  isl_aff *inside = division >= 0 ? isl_aff_get_div(aff, division) : NULL;
  if (!inside || only_division(inside) != -1 ||
      !isl_take_int_below(isl_aff_get_denominator_val(inside), INT32_MAX, height)) {
    isl_aff_free(inside);
    isl_aff_free(aff);
    return NULL;
  }
  aff = isl_aff_add(isl_aff_set_coefficient_si(aff, isl_dim_div, division, 0), inside);
  return isl_aff_scale_val(aff, isl_val_int_from_si(isl_aff_get_ctx(aff), (long)*height));
}

/* The one dimension with a factor, if there is just one. */
static void read_stride(isl_aff *before, poly_inner_tile *step) {
  unsigned found = 0, n = (unsigned)isl_aff_dim(before, isl_dim_in);
  for (unsigned d = 0; d < n; d++) {
    int64_t factor = 1;
    if (!isl_take_int_below(isl_aff_get_coefficient_val(before, isl_dim_in, (int)d), INT32_MAX, &factor))
      found++;
    if (factor == 0) continue;
    found++;
    step->dim = d;
    step->stride = factor < 0 ? -factor : factor;
  }
  if (found != 1) step->stride = 0;
}

typedef struct reading {
  const stage_graph *graph;
  const pm_op *band;
  poly_inner_tiles *out;
  const stage_node *node; /* of the piece at hand */
  int update;
} reading;

static isl_stat read_piece(__isl_take isl_set *where, __isl_take isl_aff *aff, void *user) {
  reading *r = user;
  poly_inner_tile step = {.band = r->band, .node = r->node, .update = r->update};
  isl_aff *before = undivided(aff, &step.height);
  if (before) {
    read_stride(before, &step);
    step.before = before;
    PM_VEC_PUSH(*r->out, step);
  }
  isl_set_free(where);
  return isl_stat_ok;
}

/* Whose instances have the name, which may be NULL. */
static void find_instances(reading *r, const char *name) {
  pm_string of = name ? pm_get_cstring(r->graph->ctx, name) : NULL;
  size_t number = 0;
  r->node = of ? stage_graph_find_update(r->graph, of, &number) : NULL;
  r->update = r->node ? (int)number : -1;
  if (of && !r->node) r->node = stage_graph_find(r->graph, of);
}

static isl_stat read_step(__isl_take isl_pw_aff *member, void *user) {
  reading *r = user;
  isl_space *space = isl_pw_aff_get_domain_space(member);
  const char *name = isl_space_get_tuple_name(space, isl_dim_set);
  find_instances(r, name);
  isl_space_free(space);
  if (r->node && isl_pw_aff_n_piece(member) == 1) isl_pw_aff_foreach_piece(member, read_piece, r);
  isl_pw_aff_free(member);
  return isl_stat_ok;
}

static int64_t common_multiple(int64_t a, int64_t b) {
  int64_t x = a, y = b;
  while (y) {
    int64_t rest = x % y;
    x = y;
    y = rest;
  }
  return a / x * b;
}

/* One height for all from number `from` on: isl writes floor((2y + 2)/4) as floor((y + 1)/2). Those that have
 * no common one of moderate size are left as they are. */
static void equate_heights(poly_inner_tiles *steps, size_t from) {
  int64_t height = 1;
  for (size_t i = from; i < steps->len; i++)
    if (height < INT32_MAX) height = common_multiple(height, steps->data[i].height);
  for (size_t i = from; i < steps->len && height < INT32_MAX; i++) {
    poly_inner_tile *step = &steps->data[i];
    int64_t factor = height / step->height;
    isl_val *by = isl_val_int_from_si(isl_aff_get_ctx(step->before), (long)factor);
    step->before = isl_aff_scale_val(step->before, by);
    step->stride *= factor;
    step->height = height;
  }
}

void poly_find_inner_tiles(const stage_graph *graph, const pm_op *band, poly_inner_tiles *out) {
  isl_multi_union_pw_aff *schedule = isl_peek_mupa(pm_attr_at(band, poly_band_schedule));
  if (isl_multi_union_pw_aff_dim(schedule, isl_dim_set) == 0) return;
  isl_union_pw_aff *outermost = isl_multi_union_pw_aff_get_union_pw_aff(schedule, 0);
  size_t from = out->len;
  isl_union_pw_aff_foreach_pw_aff(outermost, read_step, &(reading){graph, band, out, NULL, -1});
  isl_union_pw_aff_free(outermost);
  equate_heights(out, from);
}

void poly_free_inner_tiles(poly_inner_tiles *steps) {
  for (size_t i = 0; i < steps->len; i++) isl_aff_free(steps->data[i].before);
  PM_VEC_FREE(*steps);
}

static const poly_inner_tile *step_of(const poly_inner_tiles *steps, const stage_node *node, int update) {
  for (size_t i = 0; i < steps->len; i++)
    if (steps->data[i].node == node && steps->data[i].update == update) return &steps->data[i];
  return NULL;
}

/* How much later than its producer a read comes, at most, before the division. */
static bool add_reads(stage_distances *distances, const poly_inner_tiles *steps, const poly_inner_tile *from,
                      const stage_access *access, int64_t *latest) {
  const poly_inner_tile *to = step_of(steps, access->consumer, access->update_index);
  int64_t min = -*latest, max = 0;
  if (!to || to->band != from->band || to->height != from->height) return false;
  isl_map *consumer = isl_map_from_aff(isl_aff_copy(to->before));
  isl_map *producer = isl_map_from_aff(isl_aff_copy(from->before));
  bool bounded = stage_widen_distances(distances, access, consumer, producer, &min, &max, NULL);
  isl_map_free(consumer);
  isl_map_free(producer);
  *latest = -min;
  return bounded;
}

/* The step of point p is floor((stride p + c) / height), that of its last read at most floor((stride p + c +
 * latest) / height); those of p + slices come later for every c, when stride * slices >= latest + height. */
bool poly_find_ring(stage_distances *distances, const poly_inner_tiles *steps, const stage_node *producer,
                    poly_ring *out) {
  const poly_inner_tile *from = step_of(steps, producer, -1);
  int64_t latest = 0;
  if (!from || from->stride == 0) return false;
  for (size_t i = 0; i < producer->readers.len; i++)
    if (!add_reads(distances, steps, from, producer->readers.data[i], &latest)) return false;
  for (size_t i = 0; i < producer->self_reads.len; i++)
    if (!add_reads(distances, steps, from, producer->self_reads.data[i], &latest)) return false;
  *out = (poly_ring){from->dim, (latest + from->height - 1) / from->stride + 1};
  return true;
}
