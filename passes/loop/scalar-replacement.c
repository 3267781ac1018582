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
 * when all accesses of the loop to that buffer are of that one cell, or of others that it never is, and those
 * of the cell stand directly in its body, the first one reads, and the indices do not change: buffers do not
 * overlap. Innermost loops first, so that a cell may leave several loops. What the loop computes, and in
 * which order, stays the same.
 *
 * Without the condition a loop that does not run stores what the cell has already. That is the same where the
 * cell is the iteration's own: it has stored it ahead, inside of the same parallel loop, and the array shares
 * memory with no other. Then a cell leaves nests of loops that may not run; and what is stored right ahead of
 * the loop is what the carried value begins with, in place of that store.
 *
 *   buf.store %zero, %s[%i]           |  %2 = loop.for %j = … carry(%0 = %zero) {
 *   loop.for %j = … {                 |    %1 = loop.for %k = … carry(%v = %0) { … }
 *     loop.for %k = … {               |    loop.yield %1
 *       %v = buf.load %s[%i] … } }    |  }
 *                                     |  buf.store %2, %s[%i]
 *
 * Loops that have no such cell, of a recurrence: what an iteration reads, and one of those before stored, is
 * carried from there; the stores stay.
 *
 *   loop.for %j = %lb to %n step 1 {           |    %w = buf.load %a[%lb - 1] : memref<?xi32>
 *     %w = buf.load %a[%j - 1] : memref<?xi32> |    loop.for %j = … carry(%1 = %w) : (i32) {
 *     %v = buf.load %b[%j] : memref<?xi32>     |      %v = buf.load %b[%j] : memref<?xi32>
 *     %x = arith.addi %w, %v : i32             |      %x = arith.addi %1, %v : i32
 *     buf.store %x, %a[%j] : memref<?xi32>     |      buf.store %x, %a[%j] : memref<?xi32>
 *   }                                          |      loop.yield %x : i32
 *
 * With `loads`, what an iteration reads that one of those before has read is carried, too: of an array that
 * the loop does not write, up to so many values.
 */
#include "dialects/arith/arith.h"
#include "dialects/loop/analyses/indices.h"
#include "dialects/loop/analyses/linear.h"
#include "dialects/loop/analyses/loops.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/loop.h"
#include "dialects/loop/rewrite/phase.h"
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

/* The index of `b` is that of `a` and a number, whatever values they are computed from. */
static bool find_difference(const loop_access *a, const loop_access *b, uint32_t r, int64_t *difference) {
  loop_linear one = {0}, other = {0};
  bool ok = loop_linear_add_index(&one, a, a->map->results[r]) &&
            loop_linear_add_index(&other, b, b->map->results[r]) && loop_linear_same_terms(&one, &other);
  *difference = loop_less(other.number, one.number);
  loop_linear_free(&one);
  loop_linear_free(&other);
  return ok;
}

static bool mentions_changing(const loop_access *access, uint32_t r, const pm_op *loop) {
  for (uint32_t i = 0; i < loop_n_indices(access); i++) {
    const pm_value *value = access->indices[i].value;
    if (loop_changes_in(value, loop) && loop_index_mentions(access, access->map->results[r], value))
      return true;
  }
  return false;
}

/* No iterations of the loop access one cell by both. */
static bool are_apart(const loop_access *a, const loop_access *b, const pm_op *loop) {
  int64_t difference;
  for (uint32_t r = 0; r < a->map->n_results; r++)
    if (!mentions_changing(a, r, loop) && find_difference(a, b, r, &difference) && difference != 0)
      return true;
  return false;
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
  if (pm_res(def, i) != buffer && pm_is_ancestor(loop, pm_user(use))) return true;
  return false;
}

/* The op accesses cells that are never the place. */
static bool is_elsewhere(const pm_op *op, const pm_op *loop, const loop_access *place) {
  loop_access access;
  return loop_find_access(op, &access) && are_apart(&access, place, loop);
}

/* All uses of the buffer in the loop are of the place that `store` writes, but for those of cells apart from
 * it, and the first one reads it. */
static bool find_cell(const pm_op *loop, pm_op *store, cell *out) {
  loop_access place;
  pm_op *first = store;
  if (!loop_find_access(store, &place) || !is_invariant(&place, loop)) return false;
  if (shares_memory(loop, place.buffer)) return false;
  PM_FOR_USES(use, place.buffer) {
    if (!pm_is_ancestor(loop, pm_user(use)) || is_elsewhere(pm_user(use), loop, &place)) continue;
    if (!is_scalar_access(pm_user(use), loop, &place)) return false;
    if (pm_op_is_before(pm_user(use), first)) first = pm_user(use);
  }
  *out = (cell){first, store};
  return pm_is(first, &buf_load);
}

static bool is_of_cell(const pm_op *op, const cell *c) {
  loop_access access, place;
  return loop_find_access(op, &access) && loop_find_access(c->store, &place) &&
         access.buffer == place.buffer && same_place(&access, &place);
}

/* One for each place. */
static void find_cells(const pm_op *loop, cells *found) {
  cell c;
  PM_FOR_OPS(op, pm_region_at(loop, loop_for_body)) {
    bool known = !pm_is(op, &buf_store);
    for (size_t i = 0; i < found->len && !known; i++) known = is_of_cell(op, &found->data[i]);
    if (!known && find_cell(loop, op, &c)) PM_VEC_PUSH(*found, c);
  }
}

/* --- rewriting --- */

static bool runs_always(const pm_op *loop) {
  pm_attr lb = pm_constant_value(pm_arg(loop, loop_for_lb)),
          ub = pm_constant_value(pm_arg(loop, loop_for_ub));
  return lb && ub && lb->i < ub->i;
}

/* A store to the cell is always done ahead of the op, by the same iteration of parallel loops. */
static bool is_stored_ahead(const pm_op *op, const cell *c) {
  for (; op && !pm_is(op, &loop_parallel); op = pm_parent(op))
    for (const pm_op *before = pm_prev(op); before; before = pm_prev(before))
      if (pm_is(before, &buf_store) && is_of_cell(before, c)) return true;
  return false;
}

/* The array shares its memory with another, whose contents a store to it makes unspecified. */
static bool has_sharers(const cell *c) {
  return pm_def(pm_arg(c->store, buf_store_buffer))->n_results > 1;
}

static bool all_are_stored(const pm_op *loop, const cells *found) {
  bool all = true;
  for (size_t i = 0; i < found->len && all; i++)
    all = !has_sharers(&found->data[i]) && is_stored_ahead(loop, &found->data[i]);
  return all;
}

/* Where it is known that the loop runs: in front of it, or in a condition that is made there. */
static pm_builder enter_condition(pm_op *loop) {
  pm_builder b = pm_builder_before(loop);
  if (runs_always(loop)) return b;
  pm_value *some = arith_build_cmp(&b, ARITH_LT, pm_arg(loop, loop_for_lb), pm_arg(loop, loop_for_ub));
  pm_op *taken = loop_build_if(&b, some);
  return pm_builder_at_end(pm_module_of(loop), pm_region_begin(pm_region_at(taken, loop_if_then)), loop->loc);
}

/* The op uses no memory, or cells of other buffers, or others of the buffer. */
static bool leaves_alone(const pm_op *op, const loop_access *place, const pm_op *loop) {
  loop_access access;
  if (op->desc->traits & PM_PURE) return true;
  if ((!pm_is(op, &buf_load) && !pm_is(op, &buf_store)) || !loop_find_access(op, &access)) return false;
  return access.buffer == place->buffer ? are_apart(&access, place, loop)
                                        : !loop_share_memory(access.buffer, place->buffer);
}

/* What a store right ahead gives the cell, and the loop's store will replace; NULL: there is none. */
static pm_value *take_stored(const pm_builder *b, const cell *c, const pm_op *loop) {
  pm_op *op = b->before ? pm_prev(b->before) : NULL; /* NULL: in a condition */
  loop_access place;
  if (!loop_find_access(c->store, &place)) return NULL;
  while (op && leaves_alone(op, &place, loop)) op = pm_prev(op);
  if (!op || !pm_is(op, &buf_store) || !is_of_cell(op, c)) return NULL;
  pm_value *value = pm_arg(op, buf_store_value);
  pm_op_erase(op);
  return value;
}

static pm_value *load_cell(pm_builder *b, const cell *c) {
  pm_op *load = pm_clone(b->module, c->load, NULL);
  pm_insert(b->region, b->before, load);
  return pm_res(load, 0);
}

/* Makes the loop that carries the cells, from what they have ahead of it; its yield is not there yet. */
static pm_op *build_loop(pm_builder *b, pm_op *old, const cells *found) {
  PM_VEC(pm_value *) inits = {0};
  for (size_t i = 0; i < found->len; i++) PM_VEC_PUSH(inits, take_stored(b, &found->data[i], old));
  for (size_t i = 0; i < found->len; i++)
    if (!inits.data[i]) inits.data[i] = load_cell(b, &found->data[i]);
  pm_op *loop = loop_carry(b, old, inits.data, (unsigned)inits.len);
  PM_VEC_FREE(inits);
  return loop;
}

/* Replaces the accesses to the cell in the body by `value`, and gives what it is at the end. */
static pm_value *carry(pm_region *body, const cell *c, pm_value *value) {
  PM_FOR_OPS(op, body) {
    if (pm_is(op, &buf_load) && is_of_cell(op, c)) {
      pm_replace_op(op, &value);
    } else if (pm_is(op, &buf_store) && is_of_cell(op, c)) {
      value = pm_arg(op, buf_store_value);
      if (op != c->store) pm_op_erase(op);
    }
  }
  return value;
}

/* A store of each cell goes behind the new loop. The yield is made first, so that what it uses may be
 * replaced. */
static void carry_all(pm_builder *b, pm_op *loop, const cells *found) {
  pm_region *to = pm_region_at(loop, loop_for_body);
  pm_builder end = pm_builder_at_end(pm_module_of(loop), to, loop->loc);
  pm_op *yield = loop_build_yield(&end, to->args + 1, loop->n_results);
  for (unsigned i = 0; i < loop->n_results; i++) {
    pm_op *store = found->data[i].store;
    pm_set_operand(yield, i, carry(to, &found->data[i], to->args[i + 1]));
    pm_move_before(store, b->region, b->before);
    pm_set_operand(store, buf_store_value, pm_res(loop, i));
  }
}

/* --- recurrences --- */

enum { MOST_BEFORE = 4 }; /* iterations from a store to the reads of it */

/* What a store, or a load, leaves for later iterations: the loads of what it had 1, 2, … iterations before.
 */
typedef struct chain {
  pm_op *source;
  pm_op *loads[MOST_BEFORE + 1]; /* by the number of iterations; the first of those alike */
  unsigned n;                    /* the greatest; each from 1 on has a load */
} chain;

typedef PM_VEC(chain) chains;

/* By how many iterations the load comes behind the one that stores what it reads; 0: not known, or by none.
 */
static int64_t iterations_between(const loop_access *store, const loop_access *load, const pm_op *loop) {
  const pm_value *counter = pm_region_at(loop, loop_for_body)->args[0];
  int64_t step = pm_int_at(loop, loop_for_step), between = 0, difference, factor;
  for (uint32_t r = 0; r < store->map->n_results; r++) {
    if (!find_difference(load, store, r, &difference) ||
        !loop_find_factor(store, store->map->results[r], counter, &factor))
      return 0;
    if (factor == 0 && difference != 0) return 0;
    if (factor == 0) continue;
    /* the step is at least 1, and small: a product that wraps is no difference of places */
    if (factor < INT32_MIN || factor > INT32_MAX || step > INT32_MAX || difference % (factor * step) != 0)
      return 0;
    int64_t n = difference / (factor * step);
    if (n < 1 || n > MOST_BEFORE || (between && n != between)) return 0;
    between = n;
  }
  return between;
}

static bool has_fixed_operands(const loop_access *access, const pm_op *loop) {
  const pm_value *counter = pm_region_at(loop, loop_for_body)->args[0];
  for (uint32_t i = 0; i < loop_n_indices(access); i++) {
    const pm_value *value = access->indices[i].value;
    if (value != counter && loop_changes_in(value, loop)) return false;
  }
  return true;
}

/* Nothing else in the loop writes cells that the store writes. */
static bool writes_alone(const pm_op *store, const loop_access *place, const pm_op *loop) {
  loop_access other;
  PM_FOR_USES(use, place->buffer) {
    if (pm_user(use) == store || !pm_is_ancestor(loop, pm_user(use)) || pm_is(pm_user(use), &buf_load))
      continue;
    if (!loop_find_access(pm_user(use), &other) || !are_apart(&other, place, loop)) return false;
  }
  return true;
}

/* The loads of the loop's body that read what the place was so many iterations before. */
static void list_loads(const pm_op *loop, const loop_access *place, chain *out) {
  loop_access read;
  PM_FOR_OPS(op, pm_region_at(loop, loop_for_body)) {
    if (!pm_is(op, &buf_load) || pm_arg(op, buf_load_buffer) != place->buffer) continue;
    if (!loop_find_access(op, &read) || !has_fixed_operands(&read, loop)) continue;
    int64_t n = iterations_between(place, &read, loop);
    if (n && !out->loads[n]) out->loads[n] = op;
    if (n > out->n) out->n = (unsigned)n;
  }
}

static bool find_place(const pm_op *loop, const pm_op *source, loop_access *place) {
  return loop_find_access(source, place) && !loop_changes_in(place->buffer, loop) &&
         has_fixed_operands(place, loop) && !shares_memory(loop, place->buffer);
}

static bool find_chain(const pm_op *loop, pm_op *store, chain *out) {
  loop_access place;
  *out = (chain){.source = store};
  if (!find_place(loop, store, &place) || !writes_alone(store, &place, loop)) return false;
  list_loads(loop, &place, out);
  for (unsigned k = 1; k <= out->n; k++)
    if (!out->loads[k]) return false;
  return out->n > 0;
}

static bool is_written(const pm_op *loop, const pm_value *buffer) {
  PM_FOR_USES(use, buffer)
  if (pm_is_ancestor(loop, pm_user(use)) && !pm_is(pm_user(use), &buf_load)) return true;
  return false;
}

/* Both are of one cell in every iteration. */
static bool is_always_same(const loop_access *a, const loop_access *b) {
  int64_t difference;
  for (uint32_t r = 0; r < a->map->n_results; r++)
    if (!find_difference(a, b, r, &difference) || difference != 0) return false;
  return true;
}

/* The load reads what another read in an iteration before, or ahead of it in the same one. */
static bool is_behind(const pm_op *loop, const pm_op *load, const loop_access *place) {
  loop_access other;
  bool ahead = true;
  PM_FOR_OPS(op, pm_region_at(loop, loop_for_body)) {
    if (op == load) ahead = false;
    if (op == load || !pm_is(op, &buf_load) || pm_arg(op, buf_load_buffer) != place->buffer) continue;
    if (!find_place(loop, op, &other)) continue;
    if (iterations_between(&other, place, loop) || (ahead && is_always_same(&other, place))) return true;
  }
  return false;
}

/* The load is the first that reads what it reads; its chain ends where an iteration reads nothing. */
static bool find_load_chain(const pm_op *loop, pm_op *load, chain *out) {
  loop_access place;
  *out = (chain){.source = load};
  if (!find_place(loop, load, &place) || is_written(loop, place.buffer) || is_behind(loop, load, &place))
    return false;
  list_loads(loop, &place, out);
  for (unsigned k = 1; k <= out->n; k++)
    if (!out->loads[k]) out->n = k - 1;
  return out->n > 0;
}

/* Loads what the first iteration reads. */
static pm_value *load_first(pm_builder *b, const pm_op *loop, const pm_op *load) {
  loop_phase phase =
      loop_phase_begin(b, pm_region_at(loop, loop_for_body)->args[0], pm_arg(loop, loop_for_lb), 1, 0);
  loop_phase_copy(&phase, b, load, load->next);
  loop_phase_free(&phase);
  return pm_res(b->before ? pm_prev(b->before) : b->region->last, 0);
}

/* Carries what the chains say through a loop in place of the old one. */
static void carry_chains(pm_builder *b, pm_op *old, const chains *found) {
  PM_VEC(pm_value *) inits = {0}, next = {0};
  for (size_t i = 0; i < found->len; i++)
    for (unsigned k = 1; k <= found->data[i].n; k++)
      PM_VEC_PUSH(inits, load_first(b, old, found->data[i].loads[k]));
  pm_op *loop = loop_carry(b, old, inits.data, (unsigned)inits.len);
  pm_region *to = pm_region_at(loop, loop_for_body);
  pm_value **carried = to->args + 1;
  for (size_t i = 0; i < found->len; i++) {
    const chain *c = &found->data[i];
    PM_VEC_PUSH(next,
                pm_is(c->source, &buf_load) ? pm_res(c->source, 0) : pm_arg(c->source, buf_store_value));
    for (unsigned k = 1; k < c->n; k++) PM_VEC_PUSH(next, carried[k - 1]);
    carried += c->n;
  }
  pm_builder end = loop_inside(loop);
  loop_build_yield(&end, next.data, (unsigned)next.len);
  carried = to->args + 1;
  for (size_t i = 0; i < found->len; i++)
    for (unsigned k = 1; k <= found->data[i].n; k++) pm_replace_op(found->data[i].loads[k], carried++);
  PM_VEC_FREE(inits);
  PM_VEC_FREE(next);
  pm_op_erase(old);
}

/* At most so many values of loads are carried. */
static void find_chains(const pm_op *loop, int64_t loads, chains *found) {
  chain c;
  PM_FOR_OPS(op, pm_region_at(loop, loop_for_body)) {
    if (pm_is(op, &buf_store) && find_chain(loop, op, &c)) PM_VEC_PUSH(*found, c);
    if (!loads || !pm_is(op, &buf_load) || !find_load_chain(loop, op, &c) || c.n > loads) continue;
    PM_VEC_PUSH(*found, c);
    loads -= c.n;
  }
}

static int64_t carry_recurrences(pm_op *loop, int64_t loads) {
  chains found = {0};
  int64_t carried = 0;
  find_chains(loop, loads, &found);
  for (size_t i = 0; i < found.len; i++) carried += found.data[i].n;
  if (found.len) {
    pm_builder b = enter_condition(loop);
    carry_chains(&b, loop, &found);
  }
  PM_VEC_FREE(found);
  return carried;
}

static int64_t carry_cells(pm_op *loop, const cells *found) {
  pm_builder b = all_are_stored(loop, found) ? pm_builder_before(loop) : enter_condition(loop);
  pm_op *carrying = build_loop(&b, loop, found);
  carry_all(&b, carrying, found);
  pm_op_erase(loop);
  return (int64_t)found->len;
}

typedef struct visitor {
  int64_t loads, replaced;
} visitor;

static pm_walk visit(void *user, pm_op *op) {
  visitor *v = user;
  if (!pm_is(op, &loop_for) || op->n_results || pm_attr_at(op, loop_for_simd)) return PM_WALK_ON;
  cells found = {0};
  find_cells(op, &found);
  v->replaced += found.len ? carry_cells(op, &found) : carry_recurrences(op, v->loads);
  PM_VEC_FREE(found);
  return PM_WALK_ON;
}

pm_result pass_scalar_replacement(pm_pass *p) {
  visitor v = {.loads = pm_opt_int(p, scalar_replacement_opt_loads)};
  pm_walk_post(pm_pass_root(p), visit, &v);
  pm_pass_stat(p, "elements replaced", v.replaced);
  return v.replaced ? PM_CHANGED : PM_UNCHANGED;
}
