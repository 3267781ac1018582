/* The cost function of DP-fusion (Jangda and Bondhugula, TOPLAS 42(3), 2020, Algorithm 2 and section 4.2),
 * with the weights of Table 2 for the Xeon. As in the published code, not the text, data that enter and leave
 * a group are counted for the whole picture, the cleanup tiles as a share of the cores, and a stage that
 * stays alone costs more than any group. Unlike there, values count with their size, all data that enter
 * count, the overlap is the volume that is computed twice, and stages that lack a dimension are computed
 * again along it; the points of updates count as values for their cells, and no group runs them more than
 * twice, whatever a lonely stage costs.
 */
#include "dialects/poly/cost/cost.h"

#include <math.h>
#include <string.h>

static const double live_weight = 1, cleanup_weight = 100, overlap_weight = 46875, extent_weight = 1.5;
static const double alone_cost = 2147483647, whole_cost = 1;
static const double innermost_tile = 256;

static double least(double a, double b) {
  return a < b ? a : b;
}

static double greatest(double a, double b) {
  return a > b ? a : b;
}

/* Bytes of a member that a tile computes, with its halo or without. */
static double computed(const poly_cost_group *g, const poly_cost_member *m, const int64_t *sizes, bool halo) {
  double bytes = m->shape->bytes;
  for (unsigned d = 0; d < g->n_dims; d++) {
    double wide = (double)(sizes[d] + (halo ? m->halo_hi[d] - m->halo_lo[d] : 0));
    if (m->shape->has[d]) bytes *= least(m->shape->extent[d], wide / m->shape->stride[d]);
  }
  return bytes;
}

/* The tile's part of a member when no value is computed twice. */
static double owned(const poly_cost_group *g, const poly_cost_member *m, const int64_t *sizes) {
  double bytes = computed(g, m, sizes, false);
  for (unsigned d = 0; d < g->n_dims; d++)
    if (!m->shape->has[d]) bytes *= least(1, (double)sizes[d] / poly_group_span(g, d));
  return bytes;
}

static double tile_bytes(const poly_cost_group *g, const int64_t *sizes) {
  double sum = 0;
  for (size_t i = 0; i < g->n_members; i++) sum += computed(g, &g->members[i], sizes, false);
  return sum;
}

static double overlap_bytes(const poly_cost_group *g, const int64_t *sizes) {
  double sum = 0;
  for (size_t i = 0; i < g->n_members; i++)
    sum += computed(g, &g->members[i], sizes, true) - owned(g, &g->members[i], sizes);
  return sum;
}

/* Values that are computed for one cell of a stage: its own, and one at each point of an update. */
static double values_of_cell(const poly_stage_shape *s) {
  return 1 + s->update.points * s->bytes / s->whole;
}

/* Bytes that are computed twice, of those that are computed in a tile. */
static double overlap_share(const poly_cost_group *g, const int64_t *sizes) {
  double twice = 0, all = 0;
  for (size_t i = 0; i < g->n_members; i++) {
    const poly_cost_member *m = &g->members[i];
    double values = values_of_cell(m->shape);
    twice += values * (computed(g, m, sizes, true) - owned(g, m, sizes));
    all += values * computed(g, m, sizes, false);
  }
  return twice / all;
}

static double whole_bytes(const poly_cost_group *g) {
  double sum = 0;
  for (size_t i = 0; i < g->n_members; i++) sum += g->members[i].shape->whole;
  return sum;
}

static double live_bytes(const poly_cost_group *g) {
  double sum = 0;
  for (size_t i = 0; i < g->n_members; i++) sum += g->members[i].live_out ? g->members[i].shape->whole : 0;
  for (size_t i = 0; i < g->n_live_ins; i++) sum += g->live_ins[i]->whole;
  return sum;
}

/* --- tile sizes --- */

/* Bytes that the members have for one point of the common space. */
static double bytes_of_point(const poly_cost_group *g) {
  double sum = 0;
  for (size_t i = 0; i < g->n_members; i++) {
    double bytes = g->members[i].shape->bytes;
    for (unsigned d = 0; d < g->n_dims; d++)
      if (g->members[i].shape->has[d]) bytes /= g->members[i].shape->stride[d];
    sum += bytes;
  }
  return sum;
}

/* A dimension without reuse counts as one where one read is repeated. */
static double reuse(const poly_cost_group *g, unsigned d) {
  double sum = 0;
  for (size_t i = 0; i < g->n_members; i++) sum += g->members[i].shape->reuse[d];
  return greatest(sum, 1);
}

/* ComputeTileSizes: the innermost dimension as long as the hardware likes it, the volume that is left shared
 * in proportion to the reuse. */
static void tiles_in(const poly_cost_group *g, double footprint, int64_t *sizes) {
  unsigned last = g->n_dims - 1, n_shared = last - g->first;
  sizes[last] =
      (int64_t)least(poly_group_span(g, last), poly_is_untiled(g, last) ? HUGE_VAL : innermost_tile);
  double volume = footprint / bytes_of_point(g) / (double)sizes[last], most = 1;
  for (unsigned d = g->first; d < last; d++) most = greatest(most, reuse(g, d));
  for (unsigned d = 0; d < g->first; d++) volume /= poly_all_are_cut(g, d) ? 1 : poly_group_span(g, d);
  for (unsigned d = g->first; d < last; d++) volume *= most / reuse(g, d);
  double longest = n_shared ? pow(volume, 1.0 / n_shared) : 0;
  for (unsigned d = g->first; d < last; d++)
    sizes[d] = (int64_t)greatest(1, least(poly_group_span(g, d), floor(longest * reuse(g, d) / most)));
  for (unsigned d = 0; d < g->first; d++)
    sizes[d] = poly_all_are_cut(g, d) ? 1 : (int64_t)least(poly_group_span(g, d), (double)sizes[g->first]);
  for (unsigned d = 0; d < last; d++)
    if (poly_is_untiled(g, d)) sizes[d] = (int64_t)poly_group_span(g, d);
}

/* --- cost --- */

/* How much the extents of the members that have the dimension differ, in bytes; *mean is added what they are.
 */
static double deviation_along(const poly_cost_group *g, unsigned d, double *mean) {
  double n = 0, sum = 0, squares = 0, bytes = 0;
  for (size_t i = 0; i < g->n_members; i++) {
    const poly_stage_shape *s = g->members[i].shape;
    if (!s->has[d]) continue;
    n++;
    sum += s->extent[d];
    squares += s->extent[d] * s->extent[d];
    bytes += s->bytes;
  }
  if (n == 0) return 0;
  *mean += sum / n * bytes / n;
  return sqrt(greatest(0, squares / n - sum / n * sum / n)) * bytes / n;
}

/* Nothing under a tenth of the extents. */
static double difference_of_extents(const poly_cost_group *g) {
  double deviations = 0, means = 0;
  for (unsigned d = 0; d < g->n_dims; d++) deviations += deviation_along(g, d, &means);
  return deviations > 0.1 * means ? deviations : 0;
}

static double cost_of(const poly_cost_group *g, const pm_machine *machine, const int64_t *sizes) {
  double tile = tile_bytes(g, sizes), cores = (double)machine->cores;
  double n_tiles = ceil(whole_bytes(g) / tile);
  return live_weight * live_bytes(g) / tile - cleanup_weight * fmod(n_tiles + cores - 1, cores) / cores +
         overlap_weight * overlap_share(g, sizes) + extent_weight * difference_of_extents(g);
}

/* Some update runs more than twice as often as it has points. */
static bool repeats_updates(const poly_cost_group *g, const int64_t *sizes) {
  for (size_t i = 0; i < g->n_members; i++) {
    const poly_cost_member *m = &g->members[i];
    if (m->shape->update.points > 0 && computed(g, m, sizes, true) > 2 * owned(g, m, sizes)) return true;
  }
  return false;
}

void poly_cost_jb(const poly_cost_group *g, const pm_machine *machine, poly_cost *out) {
  *out = (poly_cost){.cost = whole_cost, .sizes = out->sizes};
  if (g->is_whole) return;
  if (g->given) {
    memcpy(out->sizes, g->given, g->n_dims * sizeof *g->given);
    out->cost = g->n_members == 1 ? alone_cost : cost_of(g, machine, out->sizes);
    return;
  }
  double share = whole_bytes(g) / (double)machine->cores;
  tiles_in(g, least(share, (double)machine->l1_bytes), out->sizes);
  if (overlap_bytes(g, out->sizes) > tile_bytes(g, out->sizes))
    tiles_in(g, least(share, (double)machine->l2_bytes), out->sizes);
  out->cost = g->n_members == 1                ? alone_cost
              : repeats_updates(g, out->sizes) ? HUGE_VAL
                                               : cost_of(g, machine, out->sizes);
}
