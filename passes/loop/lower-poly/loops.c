/* Loops that say what their marks said. */
#include "passes/loop/lower-poly/lowering.h"

bool lower_is_vector(const pm_op *loop) {
  return pm_is(loop, &loop_for) && pm_attr_at(loop, loop_for_simd);
}

/* Attributes of loops that say what the marks of the tree said: the value of the mark, or that there is one.
 */
typedef struct carried_mark {
  poly_mark_kind mark;
  unsigned value; /* of poly.mark; its name: that there is one */
  const pm_op_desc *loop;
  unsigned slot;
  enum { ANY_LOOP, SERIAL_LOOP, VECTOR_LOOP } of;
} carried_mark;

static const carried_mark carried[] = {
    {POLY_MARK_parallel, poly_mark_schedule, &loop_parallel, loop_parallel_schedule, ANY_LOOP},
    {POLY_MARK_group, poly_mark_items, &loop_parallel, loop_parallel_group, ANY_LOOP},
    {POLY_MARK_item, poly_mark_name, &loop_parallel, loop_parallel_items, ANY_LOOP},
    {POLY_MARK_vector, poly_mark_name, &loop_for, loop_for_simd, ANY_LOOP},
    {POLY_MARK_vector, poly_mark_width, &loop_for, loop_for_width, ANY_LOOP},
    {POLY_MARK_unroll, poly_mark_times, &loop_for, loop_for_unroll, SERIAL_LOOP},
    {POLY_MARK_jam, poly_mark_rows, &loop_for, loop_for_jam, SERIAL_LOOP},
    {POLY_MARK_prefetch, poly_mark_lines, &loop_for, loop_for_prefetch, VECTOR_LOOP},
};

static pm_attr carried_value(const carried_mark *row, const pm_op *mark) {
  return row->value == poly_mark_name ? pm_get_unit(pm_op_context(mark)) : pm_attr_at(mark, row->value);
}

/* What a group says of its launch is of the loops that are launched. */
static bool is_of_loop(const carried_mark *row, const pm_op *loop, const poly_loop_marks *marks) {
  bool vector = lower_is_vector(loop);
  if (!pm_is(loop, row->loop) || (row->of == SERIAL_LOOP && vector) || (row->of == VECTOR_LOOP && !vector))
    return false;
  return row->mark != POLY_MARK_group || marks->of[POLY_MARK_parallel];
}

pm_op *lower_build_loop(const lowering *l, pm_builder *b, pm_value *lb, pm_value *ub, int64_t step,
                        pm_string counter, const poly_loop_marks *marks) {
  pm_op *loop = marks->of[POLY_MARK_parallel] || marks->of[POLY_MARK_item]
                    ? loop_build_parallel(b, lb, ub, step, counter)
                    : loop_build_for(b, lb, ub, &(loop_spec){.step = step, .counter = counter});
  for (size_t i = 0; i < PM_COUNT(carried); i++) {
    const pm_op *mark = marks->of[carried[i].mark];
    if (mark && is_of_loop(&carried[i], loop, marks))
      pm_set_attr(loop, carried[i].slot, carried_value(&carried[i], mark));
  }
  if (lower_is_vector(loop)) {
    poly_loop_marks *kept = pm_arena_alloc(l->arena, sizeof *kept);
    *kept = *marks;
    pm_map_set(l->marks, loop, kept);
  }
  return loop;
}

const poly_loop_marks *lower_vector_marks(const lowering *l, const pm_region *region) {
  for (const pm_op *op = region->op; op; op = pm_parent(op)) {
    const poly_loop_marks *marks = pm_map_get(l->marks, op);
    if (marks) return marks;
  }
  return NULL;
}

/* --- fences --- */

static pm_walk stop_at_threads(void *user, pm_op *op) {
  (void)user;
  return pm_is(op, &loop_parallel) ? PM_WALK_STOP : PM_WALK_ON;
}

/* Whether threads are started beside the op, by what comes with it in an iteration or an arm. */
static bool starts_threads_beside(const pm_op *op) {
  PM_FOR_OPS(other, op->region)
  if (!pm_walk_pre(other, stop_at_threads, NULL)) return true;
  return false;
}

/* As far out as no other thread can be there to read what the loop has stored: at the end of an iteration of
 * a loop on threads, behind what stands beside such loops, or behind the outermost loop. */
static void build_fence(pm_op *loop) {
  pm_op *up = loop;
  while (!pm_is(pm_parent(up), &loop_func) && !pm_is(pm_parent(up), &loop_parallel) &&
         !starts_threads_beside(up))
    up = pm_parent(up);
  pm_op *before = pm_is(pm_parent(up), &loop_parallel) && !starts_threads_beside(up) ? NULL : up->next;
  const pm_op *last = before ? before : up->region->last;
  if (pm_is(last, &buf_fence)) return;
  pm_builder b = pm_builder_at_end(pm_module_of(loop), up->region, up->loc);
  b.before = before;
  pm_build(&b, &buf_fence, NULL, 0, NULL, 0, NULL);
}

static pm_walk build_fences(void *user, pm_op *op) {
  lowering *l = user;
  const poly_loop_marks *marks = pm_is(op, &loop_for) ? pm_map_get(l->marks, op) : NULL;
  if (marks && marks->of[POLY_MARK_nontemporal]) build_fence(op);
  return PM_WALK_ON;
}

void lower_fences(lowering *l) {
  pm_walk_post(l->func, build_fences, l);
}
