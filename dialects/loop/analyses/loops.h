/* What passes ask of loops: which can be vectors, which values change in one. */
#ifndef PM_DIALECTS_LOOP_ANALYSES_LOOPS_H
#define PM_DIALECTS_LOOP_ANALYSES_LOOPS_H

#include "ir/ir.h"

typedef PM_VEC(pm_op *) loop_list;

/* The op is loop.for or loop.parallel: lower and upper bound are its first operands, the counter is the first
 * argument of its region. */
bool loop_is_loop(const pm_op *op);
pm_value *loop_counter_of(const pm_op *loop);
/* The op is a loop.parallel whose iterations are dealt out to the items of a group. */
bool loop_is_of_items(const pm_op *op);
/* The op is a loop of step 1 whose iterations may be run in any order and at once: a vector loop that carries
 * nothing. */
bool loop_has_free_iterations(const pm_op *op);
/* The loop is no vector loop any more: it loses `simd`, and what only such loops have. */
void loop_make_scalar(pm_op *loop);
/* Erases what the region prefetches. */
void loop_drop_prefetches(pm_region *region);
/* Appends the loops at and below `root` that have free iterations, outer ones first. */
void loop_list_vector_loops(pm_op *root, loop_list *list);
/* The op accesses the next cell of a row in each next iteration of the loop, and the place depends on nothing
 * else that changes in `around`, which is the loop or around it. */
bool loop_goes_along_row(const pm_op *op, const pm_op *loop, const pm_op *around);
/* The value is defined inside the loop: otherwise it is the same in all iterations. */
bool loop_changes_in(const pm_value *value, const pm_op *loop);

/* base + added, which wraps; without a base a number. */
typedef struct loop_sum {
  const pm_value *base;
  int64_t added;
} loop_sum;

/* The value and `added`: numbers that are added to it are taken apart. */
loop_sum loop_sum_of(const pm_value *value, int64_t added);
/* a - b, which wraps. */
int64_t loop_less(int64_t a, int64_t b);
/* The values differ by a number, ub - lb, whose magnitude is less than 2^31. */
bool loop_find_length(const pm_value *lb, const pm_value *ub, int64_t *length);
/* A loop between these bounds is known to have no iteration. */
bool loop_is_empty(const pm_value *lb, const pm_value *ub);
/* The bounds of the loop.for differ by a number, so that it always has as many iterations, fewer than 2^31.
 */
bool loop_find_trips(const pm_op *loop, int64_t *trips);
/* The same of the upper bound, or of what it is the minimum of, and of the lower one, or what it is the
 * maximum of: so many iterations at most. */
bool loop_find_most_trips(const pm_op *loop, int64_t *most);
/* A loop that only copies cells next to each other to cells next to each other past the caches, from where
 * they do not overlap: a simd loop of one buf.load and one buf.store with `nontemporal` of what it has
 * loaded. */
typedef struct loop_streaming {
  const pm_op *load, *store;
} loop_streaming;
bool loop_find_streaming(const pm_op *loop, loop_streaming *copy);
/* Appends the stages whose values are stored at and below the op, each once, `Ix, Iy, harris`: first those of
 * memory that lives there alone, then those that others see. */
void loop_put_stages(pm_op *op, pm_buf *out);

#endif
