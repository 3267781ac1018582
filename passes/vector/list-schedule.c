/* list-schedule: in vector loops that keep more values than there are registers, ops come in an order in
 * which fewer are kept.
 *
 *   loop.for %i = %a to %b step 1 simd {   |  loop.for %i = %a to %b step 1 simd ordered {
 *     %x = buf.load %f[%i]                 |    %x = buf.load %f[%i]
 *     %y = buf.load %f[%i + 1]             |    %xx = arith.mulf %x, %x
 *     %xx = arith.mulf %x, %x              |    %u = buf.load %g[%i]
 *     %yy = arith.mulf %y, %y              |    %xu = arith.mulf %x, %u
 *     %s = arith.addf %xx, %yy             |    %y = buf.load %f[%i + 1]
 *     %u = buf.load %g[%i]                 |    %yy = arith.mulf %y, %y
 *     %v = buf.load %g[%i + 1]             |    %s = arith.addf %xx, %yy
 *     %xu = arith.mulf %x, %u              |    %v = buf.load %g[%i + 1]
 *     %yv = arith.mulf %y, %v              |    %yv = arith.mulf %y, %v
 *     %t = arith.addf %xu, %yv             |    %t = arith.addf %xu, %yv
 *     …                                    |    …
 *
 * Sums over windows are computed one after the other, as they are written, and what several of them read
 * stays for all of them. In that order more values are kept than there are registers. It is list
 * scheduling: of the ops whose operands are there, the one next behind which the fewest values are kept, the
 * first one of equals. Loads come where they are first used; what one op alone reads it reads from memory.
 */
#include "dialects/arith/arith.h"
#include "dialects/loop/analyses/indices.h"
#include "dialects/loop/analyses/loops.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/loop.h"
#include "passes/options.h"

#include <stdlib.h>

enum { MAX_OPS = 256 };

typedef struct item {
  pm_op *op;
  unsigned users, left; /* ops that read the result, and those of them that are not placed yet */
  bool placed, ready;
  unsigned counted; /* for which candidate it was last */
} item;

typedef struct ordering {
  pm_op *loop;
  item *items; /* in the order of the body, without its terminator */
  size_t n;
  pm_map *items_of; /* pm_op -> item */
  PM_VEC(item *) order;
  unsigned count; /* candidates so far */
  int kept, most; /* values that are kept behind the last one in the order, and most of them anywhere */
} ordering;

static pm_region *body_of(const pm_op *loop) {
  return pm_region_at(loop, loop_for_body);
}

static item *item_of(const ordering *o, const pm_value *value) {
  const pm_op *def = pm_def(value);
  return def ? pm_map_get(o->items_of, def) : NULL;
}

/* The first operand of the op that is this one. */
static bool is_first(const pm_op *op, unsigned i) {
  for (unsigned k = 0; k < i; k++)
    if (pm_arg(op, k) == pm_arg(op, i)) return false;
  return true;
}

/* Loads, indices and constants are placed with the first op that needs them. */
static bool comes_along(const pm_op *op) {
  return op->n_results == 1 && (pm_is(op, &buf_load) || pm_is_index(pm_res((pm_op *)op, 0)->type) ||
                                pm_constant_value(pm_res((pm_op *)op, 0)));
}

/* In a register of vectors: what one op reads from memory is in none. */
static bool takes_register(const item *it) {
  pm_op *op = it->op;
  if (op->n_results != 1 || pm_is_index(pm_res(op, 0)->type) || pm_constant_value(pm_res(op, 0)))
    return false;
  return it->users > (pm_is(op, &buf_load) ? 1 : 0);
}

/* --- which loops --- */

static bool is_stored_to(const ordering *o, const pm_op *load) {
  for (size_t i = 0; i < o->n; i++)
    if (pm_is(o->items[i].op, &buf_store) &&
        loop_share_memory(pm_arg(o->items[i].op, buf_store_buffer), pm_arg(load, buf_load_buffer)))
      return true;
  return false;
}

/* Its loads may be anywhere, and nothing else than stores has an order beside that of the values. */
static bool is_free(const ordering *o) {
  for (size_t i = 0; i < o->n; i++) {
    const pm_op *op = o->items[i].op;
    if (op->n_regions || op->n_results > 1) return false;
    if (pm_is(op, &buf_load) ? is_stored_to(o, op) : !pm_is(op, &buf_store) && !pm_has_trait(op, PM_PURE))
      return false;
  }
  return true;
}

/* False when there are too many ops. */
static bool list_items(ordering *o) {
  PM_FOR_OPS(op, body_of(o->loop)) o->n += !pm_has_trait(op, PM_TERMINATOR);
  if (o->n > MAX_OPS) return false;
  o->items = pm_xcalloc(o->n + 1, sizeof *o->items);
  size_t n = 0;
  PM_FOR_OPS(op, body_of(o->loop)) {
    if (pm_has_trait(op, PM_TERMINATOR)) continue;
    o->items[n].op = op;
    pm_map_set(o->items_of, op, &o->items[n++]);
    for (unsigned i = 0; i < op->n_operands; i++) {
      item *of = is_first(op, i) ? item_of(o, pm_arg(op, i)) : NULL;
      if (of) of->users++;
    }
  }
  return true;
}

/* --- orders --- */

static void begin(ordering *o) {
  for (size_t i = 0; i < o->n; i++) {
    o->items[i].placed = false;
    o->items[i].left = o->items[i].users;
  }
  o->order.len = 0;
  o->kept = o->most = 0;
}

static void place(ordering *o, item *it) {
  const pm_op *op = it->op;
  for (unsigned i = 0; i < op->n_operands; i++) {
    item *of = item_of(o, pm_arg(op, i));
    if (of && !of->placed) place(o, of);
  }
  PM_VEC_PUSH(o->order, it);
  it->placed = true;
  for (unsigned i = 0; i < op->n_operands; i++) {
    item *of = is_first(op, i) ? item_of(o, pm_arg(op, i)) : NULL;
    if (of && --of->left == 0 && takes_register(of)) o->kept--;
  }
  if (takes_register(it)) o->kept++;
  if (o->kept > o->most) o->most = o->kept;
}

/* Whether all that the op needs is placed, or comes along with it. */
static bool is_ready(const ordering *o, const item *it) {
  for (unsigned i = 0; i < it->op->n_operands; i++) {
    const item *of = item_of(o, pm_arg(it->op, i));
    if (of && !of->placed && !(comes_along(of->op) && of->ready)) return false;
  }
  return true;
}

/* In the order of the body, in which operands come first. */
static void find_ready(ordering *o) {
  for (size_t i = 0; i < o->n; i++) o->items[i].ready = !o->items[i].placed && is_ready(o, &o->items[i]);
}

/* How many values more are kept behind it, and what comes along with it, than ahead of that. */
static int cost_of(ordering *o, item *it) {
  int cost = takes_register(it);
  it->counted = o->count;
  for (unsigned i = 0; i < it->op->n_operands; i++) {
    item *of = is_first(it->op, i) ? item_of(o, pm_arg(it->op, i)) : NULL;
    if (!of) continue;
    if (!of->placed && of->counted != o->count) cost += cost_of(o, of);
    if (of->left == 1 && takes_register(of)) cost--;
  }
  return cost;
}

/* The best one of those that are ready; stores stay in order. NULL at the end. */
static item *next_of(ordering *o) {
  item *best = NULL;
  bool stored = true;
  int least = 0;
  find_ready(o);
  for (size_t i = 0; i < o->n; i++) {
    item *it = &o->items[i];
    bool stores = pm_is(it->op, &buf_store);
    if (it->ready && !comes_along(it->op) && (stored || !stores)) {
      o->count++;
      int cost = cost_of(o, it);
      if (!best || cost < least) best = it, least = cost;
    }
    stored = stored && (it->placed || !stores);
  }
  return best;
}

/* That of the body, but for what comes along. */
static void place_as_written(ordering *o) {
  begin(o);
  for (size_t i = 0; i < o->n; i++)
    if (!comes_along(o->items[i].op)) place(o, &o->items[i]);
}

/* In the end, what nobody needs. */
static void place_by_cost(ordering *o) {
  begin(o);
  for (item *it; (it = next_of(o));) place(o, it);
  for (size_t i = 0; i < o->n; i++)
    if (!o->items[i].placed) place(o, &o->items[i]);
}

static void rewrite(const ordering *o) {
  pm_region *body = body_of(o->loop);
  pm_op *end = body->last && pm_has_trait(body->last, PM_TERMINATOR) ? body->last : NULL;
  for (size_t i = 0; i < o->order.len; i++) pm_move_before(o->order.data[i]->op, body, end);
  pm_set_attr(o->loop, loop_for_ordered, pm_get_unit(pm_op_context(o->loop)));
}

static bool order_loop(pm_op *loop, int64_t registers) {
  ordering o = {.loop = loop, .items_of = pm_map_new()};
  bool ordered = false;
  if (list_items(&o) && is_free(&o)) {
    place_as_written(&o);
    int written = o.most;
    if (written > registers) place_by_cost(&o);
    ordered = o.most < written;
  }
  if (ordered) rewrite(&o);
  pm_map_free(o.items_of);
  PM_VEC_FREE(o.order);
  free(o.items);
  return ordered;
}

pm_result pass_list_schedule(pm_pass *p) {
  loop_list loops = {0};
  int64_t n = 0;
  loop_list_vector_loops(pm_pass_root(p), &loops);
  for (size_t i = 0; i < loops.len; i++)
    n += order_loop(loops.data[i], pm_opt_int(p, list_schedule_opt_registers));
  PM_VEC_FREE(loops);
  pm_pass_stat(p, "loops ordered", n);
  return n ? PM_CHANGED : PM_UNCHANGED;
}
