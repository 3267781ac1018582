/* Where the items of a group have to wait for each other: ahead of what touches memory that another item may
 * have written, or reads or writes what another may write then. Loops of items, and what stands in none, are
 * the steps of a group; between two that are in conflict stands a barrier, in all ways from one to the other.
 */
#include <stdlib.h>

#include "dialects/loop/access.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/loop.h"
#include "dialects/loop/loops.h"
#include "targets/opencl/opencl_emit.h"

typedef PM_VEC(const pm_value *) arrays;

/* What steps have touched since the last barrier. */
typedef struct touched {
  arrays read, written;
} touched;

typedef struct placing {
  pm_map *barriers; /* op -> op: one stands ahead of it */
  bool changed;
} placing;

static void free_touched(touched *t) {
  PM_VEC_FREE(t->read);
  PM_VEC_FREE(t->written);
}

static bool meets(const arrays *list, const pm_value *array) {
  for (size_t i = 0; i < list->len; i++)
    if (list->data[i] == array || loop_share_memory(list->data[i], array)) return true;
  return false;
}

static bool meet(const arrays *a, const arrays *b) {
  for (size_t i = 0; i < a->len; i++)
    if (meets(b, a->data[i])) return true;
  return false;
}

static void add(arrays *list, const pm_value *array) {
  for (size_t i = 0; i < list->len; i++)
    if (list->data[i] == array) return;
  PM_VEC_PUSH(*list, array);
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
  if (pm_is(def, &buf_constant) || (pm_is(def, &buf_alloc) && opencl_is_in_items(def))) return PM_WALK_ON;
  add(access.reads ? &t->read : &t->written, access.buffer);
  return PM_WALK_ON;
}

static void do_step(placing *p, pm_op *op, touched *since) {
  touched now = {0};
  (void)pm_walk_pre(op, touch, &now);
  bool conflict = meet(&since->written, &now.read) || meet(&since->written, &now.written) ||
                  meet(&since->read, &now.written);
  if (conflict && !pm_map_has(p->barriers, op)) {
    pm_map_set(p->barriers, op, op);
    p->changed = true;
  }
  if (pm_map_has(p->barriers, op)) since->read.len = since->written.len = 0;
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
    bool step = loop_is_of_items(op) || opencl_is_for_one(op);
    if (!step && pm_is(op, &loop_if))
      do_if(p, op, since);
    else if (!step && loop_is_loop(op))
      do_loop(p, op, since);
    else
      do_step(p, op, since);
  }
}

pm_map *opencl_place_barriers(pm_op *kernel) {
  placing p = {.barriers = pm_map_new(), .changed = true};
  while (p.changed) {
    touched since = {0};
    p.changed = false;
    do_region(&p, pm_region_at(kernel, loop_func_body), &since);
    free_touched(&since);
  }
  return p.barriers;
}
