/* licm: moves what does not change in a loop out of it.
 *
 * Pure ops go as far out as what they use lets them, also out of conditions inside loops: a pure op may be
 * computed although nobody asks. Loops and conditions that only compute go out of loops. What a loop is, ops
 * say (pm_loop_like), also those of plugins.
 *
 *                                                |  %0 = arith.addi %x, %y : i32
 *   loop.for %i = %lb to %ub step 1 {            |  loop.for %i = %lb to %ub step 1 {
 *     loop.if %c {                               |    loop.if %c {
 *       %0 = arith.addi %x, %y : i32             |
 *       buf.store %0, %b[%i] : memref<?xi32>     |      buf.store %0, %b[%i] : memref<?xi32>
 *     }                                          |    }
 *   }                                            |  }
 *
 * Loads go out of the loops around them as far as nothing there writes to the buffer, with `loads`.
 *
 *   loop.for %i = %a to %b step 1 {               |  %0 = arith.cmp lt, %a, %b : index
 *                                                 |  %m_0 = loop.if %0 : (f32) {
 *     %w = buf.load %m[%c] : memref<?xf32>        |    %w = buf.load %m[%c] : memref<?xf32>
 *                                                 |    loop.yield %w : f32
 *                                                 |  } else { … loop.yield %zero : f32 }
 *                                                 |  loop.for %i = %a to %b step 1 {
 *     %x = arith.mulf %w, %v : f32                |    %x = arith.mulf %m_0, %v : f32
 *     …                                           |    …
 *   }                                             |  }
 *
 * A cell is loaded only where one of the loops' iterations would have loaded it: the condition says that all
 * of them run, and is left out where that is known. Buffers do not overlap, which the IR knows and text in C
 * cannot say of an array of bytes.
 */
#include "passes/options.h"

#include "dialects/arith/arith.h"
#include "dialects/loop/analyses/loops.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/loop.h"
#include "ir/rewrite.h"

#include <stdlib.h>

typedef PM_VEC(pm_op *) op_list;

/* --- pure ops --- */

static pm_walk list_pure(void *user, pm_op *op) {
  op_list *list = user;
  if (pm_has_trait(op, PM_PURE) && op->n_regions == 0) PM_VEC_PUSH(*list, op);
  return PM_WALK_ON;
}

static bool uses_value_of(const pm_op *op, const pm_op *around) {
  for (unsigned i = 0; i < op->n_operands; i++)
    if (pm_value_region(pm_arg(op, i))->op == around) return true;
  return false;
}

static bool is_loop_like(const pm_op *op) {
  return op->desc->loop_like != NULL;
}

/* The outermost loop below the root that the op can be moved out of, through loops and conditions only; or
 * NULL. What an op uses stands in one of the regions around it, so each is asked on the way up. */
static pm_op *outermost_exit(const pm_op *op, const pm_op *root) {
  pm_op *exit = NULL;
  for (pm_op *around = pm_parent(op); around && around != root; around = pm_parent(around)) {
    if (!pm_has_trait(around, PM_RECURSIVE_EFFECTS) || uses_value_of(op, around)) break;
    if (is_loop_like(around)) exit = around;
  }
  return exit;
}

/* Moves pure ops; gives their number. */
static int64_t move_pure(pm_op *root) {
  op_list pure = {0};
  int64_t moved = 0;
  pm_walk_pre(root, list_pure, &pure);
  for (size_t i = 0; i < pure.len; i++) {
    pm_op *exit = outermost_exit(pure.data[i], root);
    if (!exit || !pm_may_rewrite(pure.data[i], "moved out of a loop")) continue;
    pm_move_before(pure.data[i], exit->region, exit);
    moved++;
  }
  PM_VEC_FREE(pure);
  return moved;
}

/* --- whole loops --- */

typedef struct body_check {
  const pm_op *root, *loop;
} body_check;

/* Nothing in the op has effects or uses what the loop around it changes. */
static pm_walk check_op(void *user, pm_op *op) {
  const body_check *c = user;
  if (op != c->root && !pm_has_trait(op, PM_PURE | PM_RECURSIVE_EFFECTS | PM_TERMINATOR)) return PM_WALK_STOP;
  for (unsigned i = 0; i < op->n_operands; i++)
    if (loop_changes_in(pm_arg(op, i), c->loop) &&
        !pm_is_ancestor(c->root, pm_value_region(pm_arg(op, i))->op))
      return PM_WALK_STOP;
  return PM_WALK_ON;
}

/* The op, which computes by loops or conditions, gives the same in each iteration of the loop around it. */
static bool can_move_whole(pm_op *op, const pm_op *loop) {
  body_check c = {op, loop};
  return is_loop_like(loop) && pm_has_trait(loop, PM_RECURSIVE_EFFECTS) &&
         pm_has_trait(op, PM_RECURSIVE_EFFECTS) && op->n_results && pm_walk_pre(op, check_op, &c);
}

static pm_walk list_regions(void *user, pm_op *op) {
  op_list *list = user;
  if (op->n_regions && op->n_results) PM_VEC_PUSH(*list, op);
  return PM_WALK_ON;
}

/* Moves pure ops with regions, outer ones first, out of loops alone: they may take long. Gives their number.
 */
static int64_t move_whole(pm_op *root) {
  op_list whole = {0};
  int64_t moved = 0;
  pm_walk_pre(root, list_regions, &whole);
  for (size_t i = 0; i < whole.len; i++) {
    pm_op *op = whole.data[i], *exit = NULL;
    for (pm_op *loop = pm_parent(op); loop && loop != root && can_move_whole(op, loop);
         loop = pm_parent(loop))
      exit = loop;
    if (!exit || !pm_may_rewrite(op, "moved out of a loop")) continue;
    pm_move_before(op, exit->region, exit);
    moved++;
  }
  PM_VEC_FREE(whole);
  return moved;
}

/* --- loads --- */

static bool written_in(const pm_value *buffer, const pm_op *loop) {
  PM_FOR_USES(use, buffer)
  if (pm_writes_operand(pm_user(use), pm_operand_number(use)) && pm_is_ancestor(loop, pm_user(use)))
    return true;
  return false;
}

static bool load_is_invariant(const pm_op *load, const pm_op *loop) {
  for (unsigned i = 0; i < load->n_operands; i++)
    if (loop_changes_in(pm_arg(load, i), loop)) return false;
  return !written_in(pm_arg(load, buf_load_buffer), loop);
}

/* Whether `loop` runs can be told before `around` begins, which it stands in directly. */
static bool can_ask_before(const pm_op *loop, const pm_op *around) {
  for (unsigned i = 0; i < loop->desc->loop_like->n_bounds; i++)
    if (loop_changes_in(pm_arg(loop, i), around)) return false;
  return true;
}

/* What is loaded ahead of it need not be handed over to it. */
static bool can_be_left(const pm_op *op) {
  const pm_loop_like *loop_like = op->desc->loop_like;
  return loop_like && (!loop_like->hands_over || !loop_like->hands_over(op));
}

/* The outermost of the loops directly around each other that the load can leave; NULL when there is none. */
static pm_op *exit_of(const pm_op *load) {
  pm_op *exit = NULL;
  for (pm_op *loop = pm_parent(load); can_be_left(loop) && load_is_invariant(load, loop);
       loop = pm_parent(loop)) {
    for (const pm_op *inner = pm_parent(load); inner != loop; inner = pm_parent(inner))
      if (!can_ask_before(inner, loop)) return exit;
    exit = loop;
  }
  return exit;
}

/* --- rewriting --- */

/* All loops from `inner` to `exit` run at least once; NULL when that is known. */
static pm_value *build_condition(pm_builder *b, const pm_op *inner, const pm_op *exit) {
  pm_value *all = NULL;
  for (const pm_op *loop = inner;; loop = pm_parent(loop)) {
    pm_value *runs = loop->desc->loop_like->runs(b, loop);
    if (runs) all = all ? pm_build_binary(b, &arith_andi, all, runs) : runs;
    if (loop == exit) return all;
  }
}

static pm_value *build_zero(pm_builder *b, pm_type type) {
  return pm_is_float(type) ? arith_build_float(b, type, 0) : arith_build_int(b, type, 0);
}

static void build_yield(pm_builder *b, pm_value *const *values, size_t n) {
  pm_build(b, &loop_yield, values, (unsigned)n, NULL, 0, NULL);
}

/* Moves the loads into a condition that yields their values, which are called as the buffers are, or zeros
 * that nobody uses. */
static void load_if(pm_builder *b, pm_value *condition, const op_list *loads) {
  PM_VEC(pm_value *) values = {0}, zeros = {0};
  PM_VEC(pm_type) types = {0};
  for (size_t i = 0; i < loads->len; i++) PM_VEC_PUSH(types, pm_res(loads->data[i], 0)->type);
  pm_op *chosen = pm_build(b, &loop_if, &condition, 1, types.data, (unsigned)types.len, NULL);
  pm_region *then = pm_region_begin(pm_region_at(chosen, loop_if_then));
  pm_region *otherwise = pm_region_begin(pm_region_at(chosen, loop_if_else));
  pm_builder in = pm_builder_at_end(b->module, then, b->loc),
             out = pm_builder_at_end(b->module, otherwise, b->loc);
  for (size_t i = 0; i < loads->len; i++) {
    pm_res(chosen, (unsigned)i)->name = pm_arg(loads->data[i], buf_load_buffer)->name;
    pm_replace_uses(pm_res(loads->data[i], 0), pm_res(chosen, (unsigned)i));
    pm_move_before(loads->data[i], then, NULL);
    PM_VEC_PUSH(values, pm_res(loads->data[i], 0));
    PM_VEC_PUSH(zeros, build_zero(&out, types.data[i]));
  }
  build_yield(&in, values.data, values.len);
  build_yield(&out, zeros.data, zeros.len);
  PM_VEC_FREE(values);
  PM_VEC_FREE(zeros);
  PM_VEC_FREE(types);
}

/* Loads that stand directly in `inner` and can leave `exit`. */
static void hoist(const pm_op *inner, pm_op *exit, const op_list *loads) {
  pm_builder b = pm_builder_before(exit);
  pm_value *condition = build_condition(&b, inner, exit);
  if (condition) {
    load_if(&b, condition, loads);
    return;
  }
  for (size_t i = 0; i < loads->len; i++) pm_move_before(loads->data[i], exit->region, exit);
}

/* Those of the loads that leave the same loop as the first one go together; the others remain in the list. */
static pm_op *take_first_exit(op_list *loads, op_list *taken) {
  pm_op *exit = exit_of(loads->data[0]);
  size_t kept = 0;
  for (size_t i = 0; i < loads->len; i++) {
    pm_op *load = loads->data[i];
    if (exit_of(load) == exit)
      PM_VEC_PUSH(*taken, load);
    else
      loads->data[kept++] = load;
  }
  loads->len = kept;
  return exit;
}

/* The number of loads that left the loop; those that are indexed by others may follow the next time. */
static int64_t hoist_from(pm_op *loop) {
  op_list loads = {0};
  PM_FOR_OPS(op, pm_region_at(loop, 0))
  if (pm_is(op, &buf_load) && pm_res(op, 0)->type->cls == PM_TYPE_SCALAR && exit_of(op))
    PM_VEC_PUSH(loads, op);
  int64_t moved = (int64_t)loads.len;
  while (loads.len) {
    op_list together = {0};
    pm_op *exit = take_first_exit(&loads, &together);
    hoist(loop, exit, &together);
    PM_VEC_FREE(together);
  }
  PM_VEC_FREE(loads);
  return moved;
}

static pm_walk list_loops(void *user, pm_op *op) {
  op_list *list = user;
  if (can_be_left(op)) PM_VEC_PUSH(*list, op);
  return PM_WALK_ON;
}

/* Moves loads; gives their number. */
static int64_t move_loads(pm_op *root) {
  op_list loops = {0};
  int64_t moved = 0;
  pm_walk_post(root, list_loops, &loops);
  for (size_t i = 0; i < loops.len; i++)
    for (int64_t n; (n = hoist_from(loops.data[i])) > 0;) moved += n;
  PM_VEC_FREE(loops);
  return moved;
}

/* What has moved lets others follow. Gives the number of ops. */
static int64_t move_all_pure(pm_op *root) {
  int64_t moved = 0;
  for (int64_t n; (n = move_pure(root) + move_whole(root)) > 0;) moved += n;
  return moved;
}

static bool may_move_loads(pm_pass *p) {
  return pm_opt_bool(p, licm_opt_loads) && !pm_has_unregistered(pm_pass_context(p));
}

/* Loads that left a loop let pure ops follow, and those the loads that they index. */
pm_result pass_licm(pm_pass *p) {
  pm_op *root = pm_pass_root(p);
  int64_t pure = move_all_pure(root), loads = 0;
  for (int64_t n; may_move_loads(p) && (n = move_loads(root)) > 0;) {
    loads += n;
    pure += move_all_pure(root);
  }
  pm_pass_stat(p, "ops moved", pure);
  pm_pass_stat(p, "loads moved", loads);
  return pure || loads ? PM_CHANGED : PM_UNCHANGED;
}
