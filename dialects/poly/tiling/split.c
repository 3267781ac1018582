/* Split tiling: tiles that shrink from stage to stage by what their readers need around them are
 * computed first, all at the same time; then the wedges between two tiles, which grow. Nothing is computed
 * twice, and every stage is stored whole, those of one size in turn (the pass share-storage).
 *
 *   mark "group" { sequence { filter "{ bx }" { band … } filter "{ by }" { band … } } }
 *   =>
 *   mark "group" { sequence {
 *     filter "{ bx[x, y]; by[x, y] : 1 <= x mod 64 <= 62 }" {
 *       band "[{ bx[x, y] -> [floor(x/64)] }, …]" coincident [1] tile [64] { sequence { … } } }
 *     filter "{ by[x, y] : x mod 64 < 1 or x mod 64 > 62 }" {
 *       band "[{ by[x, y] -> [floor((x + 1)/64)] }]" coincident [1] tile [64] { sequence { … } } } } }
 *
 * As in Grosser et al., "Split tiling for GPUs" (GPGPU-6, 2013), along one dimension. A stage loses, on each
 * side of a tile, what its producers lose there and the distance of the read.
 */
#include "dialects/poly/tiling/shapes.h"

#include <isl/constraint.h>
#include <stdlib.h>

typedef struct wedge {
  int64_t before, after; /* points that a tile of the stage loses at its begin and end */
} wedge;

typedef struct splitting {
  pm_pass *pass;
  const stage_graph *graph;
  stage_distances *distances;
  const poly_members *members;
  unsigned dim;
  int64_t size;
  wedge *wedges;         /* by member */
  int64_t before, after; /* the greatest of them */
} splitting;

/* --- how much each stage loses --- */

static bool widen_wedge(splitting *s, size_t reader, const stage_access *access) {
  int producer = poly_member_number(s->members, access->producer);
  int64_t lo, hi;
  if (producer < 0) return true;
  if (!poly_member_distance(s->distances, s->members, access, s->dim, &lo, &hi)) {
    pm_pass_remark(s->pass, access->read->loc, PM_REMARK_MISSED, NULL, 0,
                   "the group of @%pS is not split: it reads @%pS at no constant distance",
                   (const void *)access->consumer->name, (const void *)access->producer->name);
    return false;
  }
  wedge *w = &s->wedges[reader], from = s->wedges[producer];
  if (lo <= hi && from.before - lo > w->before) w->before = from.before - lo;
  if (lo <= hi && from.after + hi > w->after) w->after = from.after + hi;
  return true;
}

static bool find_wedges(splitting *s) {
  s->wedges = pm_arena_alloc(pm_pass_arena(s->pass), s->members->list.len * sizeof *s->wedges);
  for (size_t i = 0; i < s->members->list.len; i++) {
    const stage_node *node = s->members->list.data[i].node;
    for (size_t k = 0; k < node->reads.len; k++)
      if (!widen_wedge(s, i, node->reads.data[k])) return false;
    if (s->wedges[i].before > s->before) s->before = s->wedges[i].before;
    if (s->wedges[i].after > s->after) s->after = s->wedges[i].after;
  }
  return true;
}

/* --- the two phases --- */

static __isl_give isl_aff *add_number(const splitting *s, __isl_take isl_aff *aff, int64_t number) {
  return isl_aff_add_constant_val(aff, isl_val_int_from_si(s->graph->isl, number));
}

/* floor((position + shift) / size) */
static __isl_give isl_aff *tile_of(const splitting *s, const poly_member *m, int64_t shift) {
  isl_aff *aff = add_number(s, poly_member_position(m, s->dim), shift);
  return isl_aff_floor(isl_aff_scale_down_val(aff, isl_val_int_from_si(s->graph->isl, s->size)));
}

/* isl prints a set of all points that has divisions as something that it does not parse. */
static __isl_give isl_set *without_divisions(__isl_take isl_set *set) {
  isl_set *all = isl_set_universe(isl_set_get_space(set));
  if (isl_set_is_equal(set, all) != isl_bool_true) {
    isl_set_free(all);
    return set;
  }
  isl_set_free(set);
  return all;
}

/* Points that lie lo..hi behind the first point of their tile number floor((position + shift) / size). */
static __isl_give isl_set *between(const splitting *s, const poly_member *m, int64_t shift, int64_t lo,
                                   int64_t hi) {
  isl_aff *start = isl_aff_scale_val(tile_of(s, m, shift), isl_val_int_from_si(s->graph->isl, s->size));
  isl_aff *offset = isl_aff_sub(poly_member_position(m, s->dim), start);
  isl_pw_aff *low = isl_pw_aff_from_aff(add_number(s, isl_aff_copy(offset), -lo));
  isl_pw_aff *high = isl_pw_aff_from_aff(add_number(s, isl_aff_neg(offset), hi));
  return without_divisions(isl_set_intersect(isl_pw_aff_nonneg_set(low), isl_pw_aff_nonneg_set(high)));
}

static __isl_give isl_set *points_of_phase(const splitting *s, size_t number, bool wedges) {
  const poly_member *m = &s->members->list.data[number];
  const wedge *w = &s->wedges[number];
  if (wedges) return between(s, m, s->after, -w->after, w->before - 1);
  return between(s, m, 0, w->before, s->size - 1 - w->after);
}

static bool takes_part(const splitting *s, size_t number, bool wedges) {
  return !wedges || s->wedges[number].before + s->wedges[number].after > 0;
}

static __isl_give isl_union_set *all_points(const splitting *s, bool wedges) {
  isl_union_set *all = isl_union_set_empty(isl_set_get_space(s->graph->context));
  for (size_t i = 0; i < s->members->list.len; i++)
    if (takes_part(s, i, wedges)) all = isl_union_set_add_set(all, points_of_phase(s, i, wedges));
  return all;
}

static __isl_give isl_multi_union_pw_aff *tiles_of_phase(const splitting *s, bool wedges) {
  isl_union_pw_aff *all = isl_union_pw_aff_empty(isl_set_get_space(s->graph->context));
  for (size_t i = 0; i < s->members->list.len; i++)
    if (takes_part(s, i, wedges))
      all = isl_union_pw_aff_add_pw_aff(
          all, isl_pw_aff_from_aff(tile_of(s, &s->members->list.data[i], wedges ? s->after : 0)));
  return isl_multi_union_pw_aff_from_union_pw_aff(all);
}

/* A copy of the stage's filter and band. */
static void add_stage(const poly_member *m, pm_builder *b) {
  pm_insert(b->region, b->before, pm_clone(b->module, m->filter, NULL));
}

static void add_phase(const splitting *s, pm_builder *b, bool wedges) {
  pm_builder inner = poly_add_filter(b, all_points(s, wedges));
  inner = poly_add_band(&inner, tiles_of_phase(s, wedges),
                        (poly_band_info){true, (const int64_t[]){1}, (const int64_t[]){s->size}});
  inner = poly_add_sequence(&inner);
  for (size_t i = 0; i < s->members->list.len; i++)
    if (takes_part(s, i, wedges)) add_stage(&s->members->list.data[i], &inner);
}

/* --- one group --- */

static void explain(const splitting *s, pm_op *mark) {
  const poly_member *last = &s->members->list.data[s->members->list.len - 1];
  pm_remark_arg args[] = {{"stages", (double)s->members->list.len},
                          {"size", (double)s->size},
                          {"before", (double)s->before},
                          {"after", (double)s->after}};
  pm_pass_remark(s->pass, mark->loc, PM_REMARK_PASSED, args, 4,
                 "%zu stages computed in split tiles of %lld, the last is @%pS; it loses %lld points before "
                 "and %lld after",
                 s->members->list.len, (long long)s->size, (const void *)last->node->name,
                 (long long)s->before, (long long)s->after);
}

static void split(splitting *s, pm_op *mark) {
  pm_op *sequence = poly_child(mark);
  pm_builder b = pm_builder_before(sequence);
  b.loc = mark->loc;
  b = poly_add_sequence(&b);
  add_phase(s, &b, false);
  if (s->before + s->after > 0) add_phase(s, &b, true);
  pm_op_erase(sequence);
  explain(s, mark);
}

static bool is_ordered(const poly_members *members) {
  for (size_t i = 0; i < members->list.len; i++)
    if (members->list.data[i].node->updates.len || members->list.data[i].node->self_reads.len) return true;
  return false;
}

bool poly_tile_split(pm_pass *pass, const stage_graph *graph, pm_op *mark, const poly_members *members,
                     const int64_t *sizes, size_t n_sizes) {
  splitting s = {.pass = pass, .graph = graph, .distances = STAGE_DISTANCES(pass), .members = members};
  if (members->list.len < 2 || !members->n_dims || is_ordered(members)) return false;
  s.dim = poly_first_sized_of(members, sizes, n_sizes, &s.size);
  if (!find_wedges(&s)) return false;
  if (s.size < s.before + s.after) s.size = s.before + s.after;
  split(&s, mark);
  return true;
}
