/* Diamond tiling of time iteration, along one dimension of space.
 *
 *   mark "group" { sequence { filter "{ u1 }" { band "[{ u1[x] -> [x] }]" } filter "{ u2 }" { … } } }
 *   =>
 *   mark "group" {
 *     band "[{ u1[x] -> [floor((x + 1)/32) + floor((1 - x)/32)]; u2[x] -> [floor((x + 2)/32) + …] }]" {
 *       band "[{ u1[x] -> [floor((x + 1)/32)]; u2[x] -> [floor((x + 2)/32)] }]" coincident [1] tile [32] {
 *         sequence { filter "{ u1 }" { band … } filter "{ u2 }" { band … } } } } }
 *
 * With a time for each point that grows by at least the distance of every read, time + place and time -
 * place never grow against a dependence; tiles of the same sum do not depend on one another (Bandishti,
 * Pananilath, Bondhugula, "Tiling stencil computations to maximize parallelism", SC 2012). The time is a
 * number for each stage, in a group of several; in a stage that reads itself it is a multiple of the
 * dimension that all its reads go back in. Every stage is stored whole,
 * those of one size in turn (the pass share-storage).
 */
#include "dialects/poly/tiling/shapes.h"

#include <isl/aff.h>
#include <isl/val.h>
#include <stdlib.h>

typedef struct diamonds {
  pm_pass *pass;
  const stage_graph *graph;
  stage_distances *distances;
  const poly_members *members;
  unsigned dim; /* of space, common; in a group of several the first one that tile sizes are for */
  int64_t size;
  int64_t *time; /* by member */
  int64_t slope; /* time of a step of the dimension `step`; 0: time is that of the stage alone */
  unsigned step; /* common dimension */
} diamonds;

static int64_t greatest(int64_t a, int64_t b) {
  return a > b ? a : b;
}

static bool report_distance(const diamonds *d, const stage_access *access) {
  pm_pass_remark(d->pass, access->read->loc, PM_REMARK_MISSED, NULL, 0,
                 "@%pS has no diamond tiles: it reads @%pS at no constant distance",
                 (const void *)access->consumer->name, (const void *)access->producer->name);
  return false;
}

/* --- several stages --- */

static bool delay(diamonds *d, size_t reader, const stage_access *access) {
  int producer = poly_member_number(d->members, access->producer);
  int64_t lo, hi;
  if (producer < 0) return true;
  if (!poly_member_distance(d->distances, d->members, access, d->dim, &lo, &hi))
    return report_distance(d, access);
  if (lo <= hi) d->time[reader] = greatest(d->time[reader], d->time[producer] + greatest(hi, -lo));
  return true;
}

/* Each stage as late after its producers as its reads are far; false after a remark. */
static bool find_times(diamonds *d) {
  for (size_t i = 0; i < d->members->list.len; i++) {
    const stage_node *node = d->members->list.data[i].node;
    for (size_t k = 0; k < node->reads.len; k++)
      if (!delay(d, i, node->reads.data[k])) return false;
  }
  return true;
}

/* --- one stage that reads itself --- */

/* All reads of itself go back in the dimension `step`. */
static bool goes_back(const diamonds *d, const stage_node *node, unsigned step) {
  for (size_t i = 0; i < node->self_reads.len; i++) {
    int64_t lo, hi;
    if (!poly_member_distance(d->distances, d->members, node->self_reads.data[i], step, &lo, &hi) || hi > -1)
      return false;
  }
  return true;
}

/* How far a read goes along the space for each step back, rounded up. */
static bool find_slope(diamonds *d, const stage_access *access) {
  int64_t lo, hi, first, last;
  if (!poly_member_distance(d->distances, d->members, access, d->dim, &lo, &hi))
    return report_distance(d, access);
  if (!poly_member_distance(d->distances, d->members, access, d->step, &first, &last))
    return report_distance(d, access);
  if (lo <= hi) d->slope = greatest(d->slope, pm_ceil_div(greatest(hi, -lo), -last));
  return true;
}

/* The outermost dimension in which all its reads of itself go back is time, the next one space; false after a
 * remark. */
static bool find_steps(diamonds *d) {
  const stage_node *node = d->members->list.data[0].node;
  while (d->step + 1 < d->members->n_dims && !goes_back(d, node, d->step)) d->step++;
  if (d->step + 1 == d->members->n_dims) {
    pm_pass_remark(
        d->pass, node->op->loc, PM_REMARK_MISSED, NULL, 0,
        "@%pS has no diamond tiles: before its last dimension there is none in which all its reads "
        "of itself go back",
        (const void *)node->name);
    return false;
  }
  d->dim = d->step + 1;
  d->slope = 1;
  for (size_t i = 0; i < node->self_reads.len; i++)
    if (!find_slope(d, node->self_reads.data[i])) return false;
  return true;
}

/* --- the tiles --- */

static __isl_give isl_aff *time_of(const diamonds *d, size_t number) {
  const poly_member *m = &d->members->list.data[number];
  isl_aff *time = poly_member_position(m, d->step);
  time = isl_aff_scale_val(time, isl_val_int_from_si(d->graph->isl, d->slope));
  return isl_aff_add_constant_val(time, isl_val_int_from_si(d->graph->isl, d->time[number]));
}

/* floor((time + sign * place) / size) */
static __isl_give isl_aff *line_of(const diamonds *d, size_t number, int sign) {
  isl_aff *place = poly_member_position(&d->members->list.data[number], d->dim);
  if (sign < 0) place = isl_aff_neg(place);
  isl_aff *sum = isl_aff_add(time_of(d, number), place);
  return isl_aff_floor(isl_aff_scale_down_val(sum, isl_val_int_from_si(d->graph->isl, d->size)));
}

/* The tile among those of the wave, or the wave itself: the sum of both numbers. */
static __isl_give isl_multi_union_pw_aff *numbers(const diamonds *d, bool wave) {
  isl_union_pw_aff *all = isl_union_pw_aff_empty(isl_set_get_space(d->graph->context));
  for (size_t i = 0; i < d->members->list.len; i++) {
    isl_aff *aff = line_of(d, i, 1);
    if (wave) aff = isl_aff_add(aff, line_of(d, i, -1));
    all = isl_union_pw_aff_add_pw_aff(all, isl_pw_aff_from_aff(aff));
  }
  return poly_as_read(isl_multi_union_pw_aff_from_union_pw_aff(all));
}

static void explain(const diamonds *d, pm_op *mark) {
  const poly_member *last = &d->members->list.data[d->members->list.len - 1];
  pm_remark_arg args[] = {{"stages", (double)d->members->list.len}, {"size", (double)d->size}};
  pm_pass_remark(d->pass, mark->loc, PM_REMARK_PASSED, args, 2,
                 "%zu stage%s computed in diamond tiles of %lld, the last is @%pS", d->members->list.len,
                 d->members->list.len == 1 ? "" : "s", (long long)d->size, (const void *)last->node->name);
}

static void add_tiles(const diamonds *d, pm_op *mark) {
  pm_op *sequence = poly_child(mark);
  pm_builder b = pm_builder_before(sequence);
  b.loc = mark->loc;
  b = poly_add_band(&b, numbers(d, true), (poly_band_info){true, (const int64_t[]){0}, NULL});
  b = poly_add_band(&b, numbers(d, false),
                    (poly_band_info){true, (const int64_t[]){1}, (const int64_t[]){d->size}});
  pm_move_before(sequence, b.region, NULL);
  explain(d, mark);
}

/* --- one group --- */

/* Some member has other points than those of its cases, or is not one step among several. */
static bool has_other_loops(const diamonds *d) {
  for (size_t i = 0; i < d->members->list.len; i++) {
    const stage_node *node = d->members->list.data[i].node;
    if (node->updates.len || (d->members->list.len > 1 && node->self_reads.len)) return true;
  }
  return false;
}

static bool iterates(const diamonds *d) {
  return d->members->list.len > 1 || d->members->list.data[0].node->self_reads.len > 0;
}

bool poly_tile_diamond(pm_pass *pass, const stage_graph *graph, pm_op *mark, const poly_members *members,
                       const int64_t *sizes, size_t n_sizes) {
  diamonds d = {.pass = pass, .graph = graph, .distances = STAGE_DISTANCES(pass), .members = members};
  if (!members->n_dims || !iterates(&d) || has_other_loops(&d)) return false;
  d.time = pm_arena_alloc(pm_pass_arena(pass), members->list.len * sizeof *d.time);
  d.dim = poly_first_sized_of(members, sizes, n_sizes, &d.size);
  bool changed = members->list.len > 1 ? find_times(&d) : find_steps(&d);
  if (changed) add_tiles(&d, mark);
  return changed;
}
