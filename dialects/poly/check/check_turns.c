#include "dialects/poly/check/check_turns.h"

#include "dialects/isl/linear.h"
#include "dialects/isl/take.h"
#include "dialects/poly/check/instance_text.h"

#include <stdlib.h>

/* One stage after the other in the cells of an array. */
typedef struct takeover {
  const poly_occurrences *all;
  const stage_node *first, *then;
} takeover;

/* An occurrence that writes, or reads, points of the first stage before an occurrence of the other is sure to
 * be later. */
typedef struct collision {
  const poly_occurrence *user, *writer;
  isl_map *points; /* iterations of the user -> points of the first stage; NULL: there are none */
  bool reads;
} collision;

static bool is_whole(const poly_memory *m) {
  return m && m->whole;
}

static __isl_give isl_id *name_of(const stage_node *node) {
  return isl_set_get_tuple_id(node->domain);
}

/* { S[x] -> first[p] } of all reads of the first stage's array in what occurs; NULL: there are none. */
static __isl_give isl_map *reads_of(const takeover *t, const poly_occurrence *o) {
  isl_map *all = NULL;
  for (size_t i = 0; i < o->node->reads.len; i++) {
    const stage_access *access = o->node->reads.data[i];
    if (access->producer != t->first || !poly_makes(o, access) || !is_whole(o->reads[i])) continue;
    isl_map *one = isl_map_copy(access->relation);
    all = all ? isl_map_union(all, one) : one;
  }
  return all;
}

/* { [t] -> first[p] }: the points that `user` uses at t, given as { [t] -> first[p] }, which is taken, where
 * the writer's instance p is not sure to be later. */
static __isl_give isl_map *not_later(const takeover *t, const poly_occurrence *user,
                                     const poly_occurrence *writer, __isl_take isl_map *used) {
  if (poly_is_all_before(user, writer)) {
    isl_space *space = isl_map_get_space(used);
    isl_map_free(used);
    return isl_map_empty(space);
  }
  isl_map *until = isl_map_reverse(poly_executed(writer));
  if (user->node == t->then)
    until = isl_map_from_domain_and_range(isl_map_domain(until), isl_map_domain(isl_map_copy(used)));
  else
    until = isl_map_apply_range(until, isl_map_reverse(poly_not_before(user, writer, 0)));
  until = isl_map_set_tuple_id(isl_map_reverse(until), isl_dim_out, name_of(t->first));
  return isl_map_intersect(used, until);
}

/* Whether there is one of the user with some writer; takes `used`. */
static bool collides(const takeover *t, const poly_occurrence *user, bool reads, __isl_take isl_map *used,
                     collision *out) {
  const poly_occurrence_list *writers = &t->all->stages[t->then->index];
  for (size_t i = 0; i < writers->len && !out->points; i++) {
    if (!is_whole(writers->data[i]->writes)) continue;
    isl_map *points = not_later(t, user, writers->data[i], isl_map_copy(used));
    if (stage_is_empty(user->node->facts, points))
      isl_map_free(points);
    else
      *out = (collision){user, writers->data[i], points, reads};
  }
  isl_map_free(used);
  return out->points != NULL;
}

/* Whether some use of the first stage is not before the other one; its points are the caller's. */
static bool find_collision(const takeover *t, collision *out) {
  *out = (collision){0};
  for (size_t i = 0; i < t->all->all.len; i++) {
    const poly_occurrence *o = t->all->all.data[i];
    isl_map *reads = reads_of(t, o);
    if (reads && collides(t, o, true, isl_map_apply_range(poly_executed(o), reads), out)) return true;
    bool writes = o->node == t->first && is_whole(o->writes);
    if (writes && collides(t, o, false, poly_executed(o), out)) return true;
  }
  return false;
}

/* { first[p] }: points that no occurrence computes in the array. */
static __isl_give isl_map *missing_points(const takeover *t) {
  const poly_occurrence_list *writers = &t->all->stages[t->first->index];
  isl_map *missing = isl_map_from_range(isl_set_copy(t->first->domain));
  for (size_t i = 0; i < writers->len; i++)
    if (is_whole(writers->data[i]->writes))
      missing = stage_subtract(t->first->facts, missing,
                               isl_map_from_range(isl_map_range(poly_executed_in(writers->data[i], 0))));
  return missing;
}

static bool has_updates(const takeover *t) {
  return t->first->updates.len || t->then->updates.len;
}

bool poly_may_follow(const poly_occurrences *all, const stage_node *first, const stage_node *then) {
  takeover t = {all, first, then};
  collision c = {0};
  bool may =
      !has_updates(&t) && stage_take_is_empty(first->facts, missing_points(&t)) && !find_collision(&t, &c);
  isl_map_free(c.points);
  return may;
}

/* --- diagnostics --- */

/* { [t] -> [S[x] -> first[p]] } of the reads that collide. */
static __isl_give isl_map *with_reader(const takeover *t, const collision *c) {
  isl_map *pairs = isl_map_reverse(isl_map_domain_map(reads_of(t, c->user)));
  pairs = isl_map_apply_range(poly_executed(c->user), pairs);
  return isl_map_intersect_range_factor_range(pairs, isl_map_copy(c->points));
}

static void report_read(const takeover *t, const pm_op *alloc, const collision *c) {
  isl_map *pairs = stage_possible(t->first->facts, with_reader(t, c));
  isl_space *space = isl_map_get_space(pairs);
  unsigned first = (unsigned)isl_space_dim(space, isl_dim_param) + c->user->depth;
  isl_point *point = isl_witness(pairs);
  pm_buf text = {0}, by = {0};
  first = poly_put_instance(&by, c->user, point, first);
  poly_put_point(&text, t->then, point, first);
  pm_buf_puts(&text, " overwrites the element of ");
  poly_put_point(&text, t->first, point, first);
  pm_buf_printf(&text, ", which %s still reads", by.data);
  poly_put_for_params(&text, space, point);
  pm_op_error(alloc, "of @%s: %s", t->then->name->text, text.data);
  pm_buf_free(&by);
  pm_buf_free(&text);
  isl_point_free(point);
  isl_space_free(space);
}

static void report_write(const takeover *t, const pm_op *alloc, const collision *c) {
  char *point = poly_sample_point(t->first, isl_map_copy(c->points));
  pm_op_error(alloc, "of @%s overwrites the array of @%s in place, but its write does not follow that of %s",
              t->then->name->text, t->first->name->text, point ? point : "it");
  free(point);
}

static bool check_computed(const takeover *t, const pm_op *alloc) {
  char *point = poly_sample_point(t->first, missing_points(t));
  if (!point) return true;
  pm_op_error(alloc, "of @%s overwrites the array of @%s in place, but %s is not computed",
              t->then->name->text, t->first->name->text, point);
  free(point);
  return false;
}

static bool check_takeover(const takeover *t, const pm_op *alloc) {
  collision c;
  if (has_updates(t))
    return pm_op_error(alloc, "of @%s overwrites the array of @%s in place, but one of them has updates",
                       t->then->name->text, t->first->name->text);
  if (!check_computed(t, alloc)) return false;
  if (!find_collision(t, &c)) return true;
  if (c.reads)
    report_read(t, alloc, &c);
  else
    report_write(t, alloc, &c);
  isl_map_free(c.points);
  return false;
}

/* --- all turns --- */

/* The allocation ahead of this one that has the same turn; NULL: it is the first. */
static const pm_op *before_in_turn(const pm_op *alloc) {
  pm_attr turn = pm_attr_at(alloc, poly_alloc_turn);
  for (const pm_op *op = turn ? pm_prev(alloc) : NULL; op; op = pm_prev(op))
    if (pm_is(op, &poly_alloc) && pm_attr_at(op, poly_alloc_turn) == turn) return op;
  return NULL;
}

static const stage_node *stage_of(const poly_occurrences *all, const pm_op *alloc) {
  return stage_graph_find(all->graph, pm_sym_at(alloc, poly_alloc_stage));
}

bool poly_check_turns(const poly_occurrences *all) {
  bool ok = true;
  for (size_t i = 0; i < all->memories.len; i++) {
    const pm_op *alloc = all->memories.data[i]->alloc, *before = before_in_turn(alloc);
    if (before)
      ok = check_takeover(&(takeover){all, stage_of(all, before), stage_of(all, alloc)}, alloc) && ok;
  }
  return ok;
}
