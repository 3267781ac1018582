/* lay-out-items: how many work-items a group has, and in which rows and columns they run nested loops.
 *
 *   loop.parallel %g = … {                        |  loop.parallel %g = … group [8, 32] {
 *     loop.call @f_0(%g)                          |    loop.call @f_0(%g)
 *   }                                             |  }
 *   loop.func private @f_0 {                      |  loop.func private @f_0 {
 *     loop.parallel %x = %c0 to %c18 … items {    |    loop.parallel %x = … items layout [14, 18] {
 *       loop.parallel %y = %c0 to %c18 … items {  |      loop.parallel %y = … items {
 *
 * A group without nested loops of items has one row of them, a kernel without such loops groups of one item.
 * A layout is for as many columns as suit the iterations of the inner loop: 256 items as 8 rows of 32 take 3
 * rounds for 18 x 18 iterations, as 14 rows of 18 they take 2; for 38 x 37 they take 10, and as 13 rows of 19
 * they take 6. Groups whose items the schedule has chosen stay as they are.
 */
#include "dialects/loop/analyses/items.h"
#include "dialects/loop/analyses/linear.h"
#include "dialects/loop/analyses/loops.h"
#include "dialects/loop/call.h"
#include "dialects/loop/loop.h"
#include "passes/options.h"

typedef struct laying {
  int64_t items, columns; /* of a group of nested loops */
  int64_t groups, layouts;
} laying;

/* --- rounds --- */

enum { MOST = 1 << 20 };

/* At most so many; MOST: that is not known. */
static int64_t most_iterations(const pm_op *loop) {
  loop_linear length = {0};
  int64_t most, step = pm_int_at(loop, loop_parallel_step);
  loop_linear_add(&length, pm_arg(loop, 1), 1);
  loop_linear_add(&length, pm_arg(loop, 0), -1);
  bool known = loop_linear_most(&length, &most) && most < MOST;
  loop_linear_free(&length);
  if (!known) return MOST;
  return most > 0 ? (most + step - 1) / step : 0;
}

typedef struct inner_loops {
  const pm_op *outer;
  int64_t longest;
} inner_loops;

static pm_walk find_longest(void *user, pm_op *op) {
  inner_loops *loops = user;
  if (op == loops->outer || !loop_is_of_items(op)) return PM_WALK_ON;
  int64_t iterations = most_iterations(op);
  if (iterations > loops->longest) loops->longest = iterations;
  return PM_WALK_ON;
}

/* Of all items, until the last is done. */
static int64_t count_rounds(int64_t rows, int64_t columns, int64_t items, int64_t across) {
  int64_t along = items / across;
  return (rows + along - 1) / along * ((columns + across - 1) / across);
}

/* The columns of items with which the nest is done earliest: the usual ones, or a part of the longest inner
 * loop. */
static int64_t best_columns(const laying *l, pm_op *loop) {
  inner_loops inner = {loop, 0};
  (void)pm_walk_pre(loop, find_longest, &inner);
  int64_t rows = most_iterations(loop), best = l->columns;
  if (inner.longest == MOST || inner.longest <= 0) return best;
  for (int64_t parts = 1; parts <= 4; parts++) {
    int64_t across = (inner.longest + parts - 1) / parts;
    if (across <= l->items && count_rounds(rows, inner.longest, l->items, across) <
                                  count_rounds(rows, inner.longest, l->items, best))
      best = across;
  }
  return best;
}

/* --- decisions --- */

static pm_attr pair(const pm_op *op, int64_t rows, int64_t columns) {
  return pm_get_index_array(pm_op_context(op), (int64_t[]){rows, columns}, 2);
}

static pm_walk lay_out_nest(void *user, pm_op *op) {
  laying *l = user;
  if (!loop_is_of_items(op)) return PM_WALK_ON;
  int64_t columns = loop_item_depth(op) == 2 ? best_columns(l, op) : l->columns;
  if (columns == l->columns) return PM_WALK_SKIP;
  pm_set_attr(op, loop_parallel_layout, pair(op, l->items / columns, columns));
  l->layouts++;
  return PM_WALK_SKIP;
}

static void choose_group(laying *l, pm_op *launch, pm_op *kernel) {
  unsigned depth = loop_item_depth(kernel);
  int64_t row = depth ? l->items : 1;
  pm_attr line = pm_get_index_array(pm_op_context(launch), &row, 1);
  pm_set_attr(launch, loop_parallel_group,
              depth > 1 ? pair(launch, l->items / l->columns, l->columns) : line);
  l->groups++;
  if (depth > 1) (void)pm_walk_pre(kernel, lay_out_nest, l);
}

static pm_walk lay_out_launch(void *user, pm_op *op) {
  pm_op *launch = pm_is(op, &loop_call) ? loop_find_launch(op) : NULL;
  if (launch && !loop_has_group(launch)) choose_group(user, launch, loop_find_callee(op));
  return PM_WALK_ON;
}

pm_result pass_lay_out_items(pm_pass *pass) {
  int64_t items = pm_opt_int(pass, lay_out_items_opt_items), warp = pm_opt_int(pass, lay_out_items_opt_warp);
  laying l = {.columns = warp < items ? warp : items};
  l.items = items / l.columns * l.columns;
  (void)pm_walk_pre(pm_pass_root(pass), lay_out_launch, &l);
  pm_pass_stat(pass, "groups", l.groups);
  pm_pass_stat(pass, "layouts", l.layouts);
  return l.groups ? PM_CHANGED : PM_UNCHANGED;
}
