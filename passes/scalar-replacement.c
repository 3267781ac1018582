/* scalar-replacement: a cell that a loop reads and writes in every iteration becomes a carried value.
 *
 *   loop.for %j = %lb to %n step 1 {        |  %0 = arith.cmp lt, %lb, %n : index
 *                                           |  loop.if %0 {
 *                                           |    %w = buf.load %s[%i] : memref<?xi32>
 *     %v = buf.load %b[%j] : memref<?xi32>  |    %1 = loop.for %j = … carry(%2 = %w) : (i32) {
 *     %w = buf.load %s[%i] : memref<?xi32>  |      %v = buf.load %b[%j] : memref<?xi32>
 *     %x = arith.addi %w, %v : i32          |      %x = arith.addi %2, %v : i32
 *     buf.store %x, %s[%i] : memref<?xi32>  |      loop.yield %x : i32
 *                                           |    }
 *                                           |    buf.store %1, %s[%i] : memref<?xi32>
 *   }                                       |  }
 *
 * (Callahan, Carr, Kennedy, PLDI 1990, "Improving Register Allocation for Subscripted Variables".) It is done
 * when all accesses of the loop to that buffer are of that one cell and stand directly in its body, the first
 * one reads, and the indices do not change: buffers do not overlap. Innermost loops first, so that a cell may
 * leave several loops. What the loop computes, and in which order, stays the same.
 */
#include "dialects/arith/arith.h"
#include "dialects/loop/access.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/loop.h"
#include "dialects/loop/loops.h"
#include "passes/options.h"

#include <stdlib.h>
#include <string.h>

typedef struct cell {
  pm_op *load, *store; /* the first that reads it and one that writes it */
} cell;

typedef PM_VEC(cell) cells;

static bool same_place(const loop_access *a, const loop_access *b) {
  if (a->map != b->map) return false;
  for (uint32_t i = 0; i < loop_n_indices(a); i++)
    if (a->indices[i].value != b->indices[i].value) return false;
  return true;
}

/* The place that the op accesses is the same in all iterations. */
static bool is_invariant(const loop_access *access, const pm_op *loop) {
  if (loop_changes_in(access->buffer, loop)) return false;
  for (uint32_t i = 0; i < loop_n_indices(access); i++)
    if (loop_changes_in(access->indices[i].value, loop)) return false;
  return true;
}

/* The op uses a scalar of the place, directly in the body. */
static bool is_scalar_access(const pm_op *op, const pm_op *loop, const loop_access *place) {
  loop_access access;
  return pm_parent(op) == loop && (pm_is(op, &buf_load) || pm_is(op, &buf_store)) &&
         loop_find_access(op, &access) && same_place(&access, place);
}

/* Another array that shares the memory of the buffer is used in the loop. */
static bool shares_memory(const pm_op *loop, const pm_value *buffer) {
  const pm_op *def = pm_def(buffer);
  for (unsigned i = 0; def && i < def->n_results; i++) PM_FOR_USES(use, pm_res(def, i))
  if (pm_res(def, i) != buffer && pm_is_ancestor(loop, use->owner)) return true;
  return false;
}

/* All uses of the buffer in the loop are of the place that `store` writes, and the first one reads it. */
static bool find_cell(const pm_op *loop, pm_op *store, cell *out) {
  loop_access place;
  pm_op *first = store;
  if (!loop_find_access(store, &place) || !is_invariant(&place, loop)) return false;
  if (shares_memory(loop, place.buffer)) return false;
  PM_FOR_USES(use, place.buffer) {
    if (!pm_is_ancestor(loop, use->owner)) continue;
    if (!is_scalar_access(use->owner, loop, &place)) return false;
    if (pm_op_is_before(use->owner, first)) first = use->owner;
  }
  *out = (cell){first, store};
  return pm_is(first, &buf_load);
}

/* One for each buffer. */
static void find_cells(const pm_op *loop, cells *found) {
  pm_map *seen = pm_map_new();
  cell c;
  PM_FOR_OPS(op, pm_region_at(loop, loop_for_body)) {
    if (!pm_is(op, &buf_store) || pm_map_has(seen, pm_arg(op, buf_store_buffer))) continue;
    pm_map_set(seen, pm_arg(op, buf_store_buffer), op);
    if (find_cell(loop, op, &c)) PM_VEC_PUSH(*found, c);
  }
  pm_map_free(seen);
}

/* --- rewriting --- */

static bool runs_always(const pm_op *loop) {
  pm_attr lb = pm_constant_value(pm_arg(loop, loop_for_lb)),
          ub = pm_constant_value(pm_arg(loop, loop_for_ub));
  return lb && ub && lb->i < ub->i;
}

/* Where it is known that the loop runs: in front of it, or in a condition that is made there. */
static pm_builder enter_condition(pm_op *loop) {
  pm_builder b = pm_builder_before(loop);
  if (runs_always(loop)) return b;
  pm_value *some = arith_build_cmp(&b, ARITH_LT, pm_arg(loop, loop_for_lb), pm_arg(loop, loop_for_ub));
  pm_op *taken = loop_build_if(&b, some);
  return pm_builder_at_end(loop->module, pm_region_begin(pm_region_at(taken, loop_if_then)), loop->loc);
}

/* Loads the cells, and makes the loop that carries them, still without ops. */
static pm_op *build_loop(pm_builder *b, const pm_op *old, const cells *found) {
  PM_VEC(pm_value *) inits = {0};
  for (size_t i = 0; i < found->len; i++) {
    pm_op *load = pm_clone(old->module, found->data[i].load, NULL);
    pm_insert(b->region, b->before, load);
    PM_VEC_PUSH(inits, pm_res(load, 0));
  }
  pm_op *loop = loop_build_for(b, pm_arg(old, loop_for_lb), pm_arg(old, loop_for_ub),
                               &(loop_spec){.like = old,
                                            .counter = pm_region_at(old, loop_for_body)->args[0]->name,
                                            .inits = inits.data,
                                            .n_inits = (unsigned)inits.len});
  PM_VEC_FREE(inits);
  return loop;
}

/* Replaces the accesses to the cell's buffer in the body by `value`, and gives what it is at the end. */
static pm_value *carry(pm_region *body, const cell *c, pm_value *value) {
  const pm_value *buffer = pm_arg(c->store, buf_store_buffer);
  PM_FOR_OPS(op, body) {
    if (pm_is(op, &buf_load) && pm_arg(op, buf_load_buffer) == buffer) {
      pm_replace_op(op, &value);
    } else if (pm_is(op, &buf_store) && pm_arg(op, buf_store_buffer) == buffer) {
      value = pm_arg(op, buf_store_value);
      if (op != c->store) pm_op_erase(op);
    }
  }
  return value;
}

/* Moves the body; a store of each cell goes behind the new loop. The yield is made first, so that what it
 * uses may be replaced. */
static void move_body(pm_builder *b, pm_op *loop, pm_op *old, const cells *found) {
  pm_region *from = pm_region_at(old, loop_for_body), *to = pm_region_at(loop, loop_for_body);
  pm_replace_uses(from->args[0], to->args[0]);
  pm_splice(to, from);
  pm_builder end = pm_builder_at_end(loop->module, to, loop->loc);
  pm_op *yield = loop_build_yield(&end, to->args + 1, loop->n_results);
  for (unsigned i = 0; i < loop->n_results; i++) {
    pm_op *store = found->data[i].store;
    pm_set_operand(yield, i, carry(to, &found->data[i], to->args[i + 1]));
    pm_move_before(store, b->region, b->before);
    pm_set_operand(store, buf_store_value, pm_res(loop, i));
  }
}

static pm_walk visit(void *user, pm_op *op) {
  int64_t *replaced = user;
  if (!pm_is(op, &loop_for) || op->n_results || pm_attr_at(op, loop_for_simd)) return PM_WALK_ON;
  cells found = {0};
  find_cells(op, &found);
  if (found.len) {
    pm_builder b = enter_condition(op);
    pm_op *loop = build_loop(&b, op, &found);
    move_body(&b, loop, op, &found);
    pm_op_erase(op);
  }
  *replaced += (int64_t)found.len;
  PM_VEC_FREE(found);
  return PM_WALK_ON;
}

pm_result pass_scalar_replacement(pm_pass *p) {
  int64_t replaced = 0;
  pm_walk_post(pm_pass_root(p), visit, &replaced);
  pm_pass_stat(p, "cells replaced", replaced);
  return replaced ? PM_CHANGED : PM_UNCHANGED;
}
