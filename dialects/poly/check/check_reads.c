#include "dialects/poly/check/check_reads.h"

#include "dialects/isl/linear.h"
#include "dialects/isl/take.h"
#include "dialects/poly/check/check_conflicts.h"
#include "dialects/poly/check/check_updates.h"
#include "dialects/poly/check/instance_text.h"
#include "dialects/poly/tree.h"

#include <stdlib.h>

/* In each iteration of the first `from` loops, `then` makes the access after `first` has computed what
 * it goes to, if `first` computes that there: by the sequence that parts them, or by the members of one band.
 */
static bool is_after(const poly_occurrence *first, const poly_occurrence *then, const stage_access *access,
                     unsigned from) {
  poly_meeting at = poly_meeting_of(first, then);
  if (at.depth == from) return at.before;
  const poly_stage_band *a = poly_serial_band_at(first, from), *b = poly_serial_band_at(then, from);
  if (!a || !b || a->band != b->band || at.depth != from + poly_band_members(a->band)) return false;
  isl_space *members = isl_space_range(isl_map_get_space(a->members));
  isl_map *early = at.before ? isl_map_lex_lt(members) : isl_map_lex_le(members);
  early = isl_map_apply_range(isl_map_copy(b->members), early);
  early = isl_map_apply_range(early, isl_map_reverse(isl_map_copy(a->members)));
  return stage_take_is_empty(then->node->facts, isl_map_intersect(isl_map_copy(access->relation), early));
}

/* Known to be convex: no union, no division. */
static bool is_convex(isl_map *map) {
  isl_basic_map_list *parts = isl_map_get_basic_map_list(map);
  bool convex = isl_basic_map_list_n_basic_map(parts) == 1;
  isl_basic_map *only = convex ? isl_basic_map_list_get_basic_map(parts, 0) : NULL;
  convex = convex && isl_basic_map_dim(only, isl_dim_div) == 0;
  isl_basic_map_free(only);
  isl_basic_map_list_free(parts);
  return convex;
}

static bool is_convex_set(isl_set *set) {
  isl_map *map = isl_map_from_range(isl_set_copy(set));
  bool convex = is_convex(map);
  isl_map_free(map);
  return convex;
}

/* All that `then` reads from the memory is computed by `first` before, seen from the loops around the memory
 * alone. With no other writer, a read between two others is not looked at: they are. */
static bool is_computed_before(stage_interior_reads *interior, const poly_occurrence *first,
                               const poly_occurrence *then, size_t number, bool only_writer) {
  const stage_access *access = then->node->reads.data[number];
  unsigned from = poly_private_depth(then->reads[number]);
  if (!is_after(first, then, access, from)) return false;
  isl_map *done = poly_roughly_executed_in(first, from, then);
  if (only_writer && is_convex(done) && stage_is_interior_read(interior, then->node, number)) {
    isl_map_free(done);
    return true;
  }
  isl_map *readers = poly_roughly_executed_in(then, from, then);
  readers = isl_map_apply_range(readers, isl_map_copy(access->relation));
  return stage_is_subset(then->node->facts, readers, done);
}

/* { [t] -> [S[x] -> P[p]] } of the accesses in `missing`, { [t] -> P[p] }, which is taken. */
static __isl_give isl_map *with_consumer(const poly_occurrence *o, const stage_access *access,
                                         __isl_take isl_map *missing) {
  isl_map *pairs = isl_map_reverse(isl_map_domain_map(isl_map_copy(access->relation)));
  pairs = isl_map_apply_range(poly_executed(o), pairs);
  return isl_map_intersect_range_factor_range(pairs, missing);
}

static void report_missing(const poly_occurrence *o, const stage_access *access,
                           __isl_take isl_map *missing) {
  isl_map *pairs = stage_possible(o->node->facts, with_consumer(o, access, missing));
  isl_space *space = isl_map_get_space(pairs);
  unsigned first = (unsigned)isl_space_dim(space, isl_dim_param) + o->depth;
  isl_point *point = isl_witness(pairs);
  pm_buf text = {0};
  first = poly_put_instance(&text, o, point, first);
  pm_buf_puts(&text, " reads ");
  poly_put_point(&text, access->producer, point, first);
  poly_put_for_params(&text, space, point);
  pm_op_error(access->read,
              "of @%s: %s, but the schedule does not compute that before it, in the memory it reads",
              access->producer->name->text, text.data);
  pm_buf_free(&text);
  isl_point_free(point);
  isl_space_free(space);
}

/* False after a diagnostic. */
static bool check_input(stage_interior_reads *interior, const poly_occurrence *o, size_t number) {
  const stage_access *access = o->node->reads.data[number];
  isl_set *domain = access->producer->domain;
  if (stage_is_interior_read(interior, o->node, number) && is_convex_set(domain)) return true;
  isl_set *all = isl_map_range(isl_map_copy(access->relation));
  stage_facts *facts = o->node->facts;
  if (stage_is_subset(facts, isl_map_from_range(all), isl_map_from_range(isl_set_copy(domain)))) return true;
  isl_map *outside = stage_subtract_range(facts, poly_points_read(o, access), isl_set_copy(domain));
  char *point = poly_sample_point(access->producer, outside);
  if (!point) return true;
  pm_op_error(access->read, "of @%s goes to %s, but should stay inside the input",
              access->producer->name->text, point);
  free(point);
  return false;
}

/* One writer computes all that is read, with what is done elsewhere before. Where it has all points of the
 * stage then, in a memory for all loops, no other one computes any. */
static bool computes_all_before(const poly_occurrences *all, stage_interior_reads *interior,
                                const poly_occurrence *writer, const poly_occurrence *o, size_t number) {
  const poly_occurrence *completed = poly_completed(all, writer, o, o->reads[number]);
  bool in_one = completed != writer && completed->complete && poly_private_depth(o->reads[number]) == 0;
  bool only = in_one || all->stages[writer->node->index].len == 1;
  return is_computed_before(interior, completed, o, number, only);
}

/* Some writer does so; what is found once is noted. Statements by themselves are parts of a stage, not asked
 * alone. */
static bool is_computed(const poly_occurrences *all, stage_interior_reads *interior, const poly_occurrence *o,
                        size_t number) {
  const poly_occurrence_list *writers = &all->stages[o->node->reads.data[number]->producer->index];
  for (size_t i = 0; i < writers->len && !o->computed[number]; i++)
    o->computed[number] = writers->data[i]->writes == o->reads[number] && !writers->data[i]->statement &&
                          computes_all_before(all, interior, writers->data[i], o, number);
  return o->computed[number];
}

/* What is read is computed before; false after a diagnostic. */
static bool check_computed(const poly_occurrences *all, stage_interior_reads *interior,
                           const poly_occurrence *o, size_t number) {
  const stage_access *access = o->node->reads.data[number];
  const poly_memory *m = o->reads[number];
  const poly_occurrence_list *writers = &all->stages[access->producer->index];
  if (o->together && o->together->reads[number] == m && is_computed(all, interior, o->together, number))
    return true;
  if (is_computed(all, interior, o, number)) return true;
  isl_map *missing = poly_points_read(o, access);
  for (size_t i = 0; i < writers->len; i++)
    if (writers->data[i]->writes == m)
      missing = poly_subtract_earlier(missing, poly_completed(all, writers->data[i], o, m), o, m);
  if (stage_is_empty(o->node->facts, missing)) {
    isl_map_free(missing);
    return true;
  }
  report_missing(o, access, missing);
  return false;
}

/* False after a diagnostic. */
static bool check_read(const poly_occurrences *all, stage_interior_reads *interior, const poly_occurrence *o,
                       size_t number) {
  const stage_access *access = o->node->reads.data[number];
  const poly_memory *m = o->reads[number];
  const poly_occurrence_list *writers = &all->stages[access->producer->index];
  bool ok = true;
  for (size_t i = 0; ok && i < writers->len; i++)
    if (poly_may_share(writers->data[i]->writes, m) && poly_may_conflict(writers->data[i], o, true))
      ok = poly_check_conflicts(writers->data[i], o, poly_points_read(o, access));
  return ok && poly_check_updates_done(all, o, access, m) && check_computed(all, interior, o, number);
}

bool poly_check_reads(const poly_occurrences *all, stage_interior_reads *interior, const poly_occurrence *o) {
  pm_map *reported = pm_map_new();
  bool ok = true;
  for (size_t i = 0; i < o->node->reads.len; i++) {
    const stage_access *access = o->node->reads.data[i];
    if (!poly_makes(o, access) || pm_map_has(reported, access->producer)) continue;
    bool input = access->producer->is_input;
    if (input ? check_input(interior, o, i) : check_read(all, interior, o, i)) continue;
    if (!input) pm_map_set(reported, access->producer, NULL);
    ok = false;
  }
  pm_map_free(reported);
  return ok;
}
