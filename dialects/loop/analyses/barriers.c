/* Where the items of a group have to wait for each other: ahead of what touches cells that another item may
 * have written, or reads or writes what another may write then. Loops of items, and what stands in none, are
 * the steps of a group; between two that are in conflict stands a barrier, in all ways from one to the other.
 *
 * Two accesses of one array are not in conflict if their places always differ: so do the even and the odd
 * columns of a plane that two steps write. It is the GCD test with the ranges of counters (Banerjee,
 * "Dependence Analysis for Supercomputing", 1988): with as many terms as a number divides left out, the rest
 * has a range without a multiple of the number.
 */
#include "dialects/loop/analyses/barriers.h"

#include <stdlib.h>

#include "dialects/loop/access.h"
#include "dialects/loop/analyses/indices.h"
#include "dialects/loop/analyses/items.h"
#include "dialects/loop/analyses/linear.h"
#include "dialects/loop/analyses/loops.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/loop.h"

typedef PM_VEC(const pm_op *) accesses;

/* What steps have touched since the last barrier. */
typedef struct touched {
  accesses read, written;
} touched;

typedef struct placing {
  pm_map *missing; /* op -> op: a barrier ahead of it */
  bool changed;
} placing;

static void free_touched(touched *t) {
  PM_VEC_FREE(t->read);
  PM_VEC_FREE(t->written);
}

/* --- places that differ --- */

/* Of two places. */
typedef struct difference {
  PM_VEC(loop_term) fixed, free; /* the same for all of a group; what iterations of loops change */
  int64_t number;
} difference;

static void free_difference(difference *d) {
  PM_VEC_FREE(d->fixed);
  PM_VEC_FREE(d->free);
}

static const pm_op *loop_around(const pm_op *op) {
  while (op && !loop_is_loop(op)) op = pm_parent(op);
  return op;
}

/* The loop whose iterations may change the value, or NULL. */
static const pm_op *changing_loop(const pm_value *value) {
  return loop_around(pm_is_arg(value) ? pm_value_region(value)->op : pm_parent(pm_def(value)));
}

static void add_difference(difference *d, const loop_linear *place, int64_t sign) {
  d->number += sign * place->number;
  for (size_t i = 0; i < place->terms.len; i++) {
    loop_term term = {place->terms.data[i].value, sign * place->terms.data[i].factor};
    if (changing_loop(term.value))
      PM_VEC_PUSH(d->free, term);
    else
      PM_VEC_PUSH(d->fixed, term);
  }
}

/* Adds a bound of a loop, if it is the same for all of a group: what changes from one iteration of a loop
 * around to the next would cancel here, though the two accesses may be in different ones. */
static bool add_bound(loop_linear *sum, const pm_value *bound, int64_t factor) {
  loop_linear terms = {0};
  bool same = true;
  loop_linear_add(&terms, bound, 1);
  for (size_t i = 0; i < terms.terms.len && same; i++) same = !changing_loop(terms.terms.data[i].value);
  loop_linear_free(&terms);
  if (same) loop_linear_add(sum, bound, factor);
  return same;
}

/* Adds the greatest that the term may be; false when it is not one of counters between such bounds. */
static bool add_greatest(loop_linear *sum, const loop_term *term) {
  const pm_op *loop = pm_is_arg(term->value) ? changing_loop(term->value) : NULL;
  if (!loop || loop_counter_of(loop) != term->value) return false;
  bool last = term->factor > 0;
  if (last) sum->number -= term->factor;
  return add_bound(sum, pm_arg(loop, last ? 1 : 0), term->factor);
}

/* The greatest value of the difference (of its negative), but for terms that are multiples of `by`. */
static bool find_greatest(const difference *d, int64_t sign, int64_t by, int64_t *most) {
  loop_linear sum = {.number = sign * d->number};
  bool ok = true;
  for (size_t i = 0; i < d->fixed.len; i++)
    if (d->fixed.data[i].factor % by)
      loop_linear_add(&sum, d->fixed.data[i].value, sign * d->fixed.data[i].factor);
  for (size_t i = 0; i < d->free.len && ok; i++) {
    loop_term term = {d->free.data[i].value, sign * d->free.data[i].factor};
    if (term.factor % by) ok = add_greatest(&sum, &term);
  }
  ok = ok && loop_linear_most(&sum, most);
  loop_linear_free(&sum);
  return ok;
}

/* No multiple of `by` is among what the rest of the difference may be. */
static bool is_never_multiple(const difference *d, int64_t by) {
  int64_t high, low;
  if (!find_greatest(d, 1, by, &high) || !find_greatest(d, -1, by, &low)) return false;
  low = -low;
  int64_t multiple = high - ((high % by) + by) % by;
  return multiple < low;
}

static bool is_never_zero(const difference *d) {
  bool never = is_never_multiple(d, INT64_C(1) << 40);
  for (size_t i = 0; i < d->free.len && !never; i++) {
    int64_t factor = d->free.data[i].factor, by = factor < 0 ? -factor : factor;
    never = by > 1 && is_never_multiple(d, by);
  }
  return never;
}

/* Of one array. */
static bool are_apart(const loop_access *a, const loop_access *b) {
  bool apart = false;
  if (a->map->n_results != b->map->n_results) return false;
  for (uint32_t r = 0; r < a->map->n_results && !apart; r++) {
    loop_linear one = {0}, other = {0};
    difference d = {0};
    bool linear = loop_linear_add_index(&one, a, a->map->results[r]) &&
                  loop_linear_add_index(&other, b, b->map->results[r]);
    if (linear) add_difference(&d, &one, 1);
    if (linear) add_difference(&d, &other, -1);
    apart = linear && is_never_zero(&d);
    free_difference(&d);
    loop_linear_free(&one);
    loop_linear_free(&other);
  }
  return apart;
}

/* --- steps --- */

static bool is_of_one_cell(const pm_op *op) {
  return pm_is(op, &buf_load) || pm_is(op, &buf_store);
}

static bool may_meet(const pm_op *one, const pm_op *other) {
  loop_access a, b;
  (void)loop_find_access(one, &a);
  (void)loop_find_access(other, &b);
  if (a.buffer != b.buffer) return loop_share_memory(a.buffer, b.buffer);
  return !is_of_one_cell(one) || !is_of_one_cell(other) || !are_apart(&a, &b);
}

static bool meet(const accesses *a, const accesses *b) {
  for (size_t i = 0; i < a->len; i++)
    for (size_t k = 0; k < b->len; k++)
      if (may_meet(a->data[i], b->data[k])) return true;
  return false;
}

static void add(accesses *list, const pm_op *access) {
  for (size_t i = 0; i < list->len; i++)
    if (list->data[i] == access) return;
  PM_VEC_PUSH(*list, access);
}

static void add_all(touched *to, const touched *from) {
  for (size_t i = 0; i < from->read.len; i++) add(&to->read, from->read.data[i]);
  for (size_t i = 0; i < from->written.len; i++) add(&to->written, from->written.data[i]);
}

/* An item has the memory of its own that is made in a loop of items. */
static pm_walk touch(void *user, pm_op *op) {
  touched *t = user;
  loop_access access;
  if (!loop_find_access(op, &access)) return PM_WALK_ON;
  const pm_op *def = pm_def(access.buffer);
  if (pm_is(def, &buf_constant) || (pm_is(def, &buf_alloc) && loop_is_in_items(def))) return PM_WALK_ON;
  add(access.reads ? &t->read : &t->written, op);
  return PM_WALK_ON;
}

static void forget(touched *since) {
  since->read.len = since->written.len = 0;
}

static void do_step(placing *p, pm_op *op, touched *since) {
  touched now = {0};
  (void)pm_walk_pre(op, touch, &now);
  bool conflict = meet(&since->written, &now.read) || meet(&since->written, &now.written) ||
                  meet(&since->read, &now.written);
  if (conflict && !pm_map_has(p->missing, op)) {
    pm_map_set(p->missing, op, op);
    p->changed = true;
  }
  if (pm_map_has(p->missing, op)) forget(since);
  add_all(since, &now);
  free_touched(&now);
}

static void do_region(placing *p, const pm_region *region, touched *since);

/* What its iterations leave, the next ones find; it may have none. */
static void do_loop(placing *p, const pm_op *loop, touched *since) {
  touched before = {0};
  add_all(&before, since);
  do_region(p, pm_region_at(loop, 0), since);
  do_region(p, pm_region_at(loop, 0), since);
  add_all(since, &before);
  free_touched(&before);
}

static void do_if(placing *p, const pm_op *op, touched *since) {
  touched after = {0};
  for (unsigned r = 0; r < op->n_regions; r++) {
    touched inside = {0};
    add_all(&inside, since);
    if (pm_region_at(op, r)->present) do_region(p, pm_region_at(op, r), &inside);
    add_all(&after, &inside);
    free_touched(&inside);
  }
  add_all(since, &after);
  free_touched(&after);
}

static void do_region(placing *p, const pm_region *region, touched *since) {
  PM_FOR_OPS(op, region) {
    bool step = loop_is_of_items(op) || loop_is_for_one(op);
    if (pm_is(op, &loop_barrier))
      forget(since);
    else if (!step && pm_is(op, &loop_if))
      do_if(p, op, since);
    else if (!step && loop_is_loop(op))
      do_loop(p, op, since);
    else
      do_step(p, op, since);
  }
}

pm_map *loop_find_missing_barriers(const pm_op *kernel) {
  placing p = {.missing = pm_map_new(), .changed = true};
  while (p.changed) {
    touched since = {0};
    p.changed = false;
    do_region(&p, pm_region_at(kernel, loop_func_body), &since);
    free_touched(&since);
  }
  return p.missing;
}
