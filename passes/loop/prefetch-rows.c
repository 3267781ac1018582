/* prefetch-rows: a loop with `prefetch` around vector loops over rows prefetches the rows that its next
 * iteration will touch.
 *
 *   loop.for %x = %a to %b step 1 prefetch 8 {|  loop.for %x = %a to %b step 1 {
 *     loop.for %y = %c to %d step 1 simd {   |    loop.for %0 = %c to %d step 128 {
 *                                            |      %1 = arith.mini (%0 + 128), %d
 *                                            |      loop.for %2 = %0 to %1 step 16 {
 *                                            |        buf.prefetch %in[%x + 2, %2]
 *                                            |        buf.prefetch %out[%x + 1, %2] {write}
 *                                            |      }
 *                                            |      loop.for %y = %0 to %1 step 1 simd {
 *       %v = buf.load %in[%x, %y]            |        %v = buf.load %in[%x, %y]
 *       %w = buf.load %in[%x + 1, %y]        |        %w = buf.load %in[%x + 1, %y]
 *       %s = arith.addf %v, %w : f32         |        %s = arith.addf %v, %w : f32
 *       buf.store %s, %out[%x, %y]           |        buf.store %s, %out[%x, %y]
 *     }                                      |      }
 *   }                                        |    }
 *                                            |  }
 *
 * (Mowry, Lam, Gupta, ASPLOS 1992, "Design and Evaluation of a Compiler Algorithm for Prefetching": the
 * iterations whose accesses miss, split off by strips.) The rows of a tile are short and far from one
 * another, so that processors, whose own prefetching follows a row and stops at pages, wait for the first
 * lines of each. A row is asked for when nothing in an iteration of the loop around comes to it, but the next
 * iteration will, or, of rows x / d, the one d further on; in memory of the caller and in whole arrays, not
 * in scratchpads. Nor is it asked for when a loop further out, from plane to plane, has come to its plane in
 * the iteration before. A loop over a few planes in between comes back to each of them, so that a row of a
 * plane is asked for there. The lines are asked for some at a time, since a processor waits when it has more
 * to bring; for the same reason a row is asked for by the vector loop beside that computes most, if it goes
 * along. Short rows are asked for some iterations ahead (Mowry's prefetch distance).
 */
#include "dialects/arith/arith.h"
#include "dialects/loop/access.h"
#include "dialects/loop/analyses/indices.h"
#include "dialects/loop/analyses/loops.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/loop.h"
#include "dialects/loop/rewrite/phase.h"
#include "dialects/machine/machine.h"
#include "passes/options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PERIOD = 64, MIN_STRIP = 64, MAX_PLANES = 4, MAX_MORE = 3 };

/* What a vector loop reads or writes in a row of an array. */
typedef struct row {
  pm_op *loop;   /* the vector loop */
  pm_op *asking; /* the vector loop that asks for it, */
  int64_t shift; /* at its own points and so many more */
  loop_access access;
  pm_affine_expr *at, *next; /* indices but the last, in this iteration of the loop around and the next one
                                with other rows;
                                numbers of values are dimensions */
  int64_t bytes;             /* from a point of the loop to the next */
  int64_t ahead; /* by so much the counter of the loop around is more in that, or in a later one that is
                    asked for */
} row;

typedef PM_VEC(row) row_list;

typedef struct prefetching {
  pm_pass *pass;
  pm_context *ctx;
  pm_arena *arena;
  const pm_op *around;
  const pm_value *counter; /* of the loop around */
  int64_t step;
  loop_list inside;                /* the vector loops inside, through planes at most */
  PM_VEC(const pm_value *) values; /* by number */
  row_list rows;                   /* that they may ask for */
  row_list reached;                /* `at` is where an access anywhere inside is */
  row_list asked;                  /* `next` is what was asked for */
} prefetching;

/* The next loop, with conditions between the two at most; NULL when there is none. */
static pm_op *next_around(const pm_op *loop) {
  pm_op *op = pm_parent(loop);
  while (pm_is(op, &loop_if)) op = pm_parent(op);
  return pm_is(op, &loop_for) ? op : NULL;
}

/* A loop over a few planes inside another, which comes back to each of them: what is asked for a plane ahead
 * would be of none behind the last one. */
static bool goes_through_planes(const pm_op *loop) {
  int64_t trips;
  return loop_find_trips(loop, &trips) && trips <= MAX_PLANES && next_around(loop);
}

/* The loop around that goes from row to row; NULL when there is none. */
static pm_op *loop_around(const pm_op *loop) {
  pm_op *around = next_around(loop);
  while (around && goes_through_planes(around)) around = next_around(around);
  return around;
}

/* The value is the counter of a loop over planes between the loop and the one that goes from row to row. */
static bool counts_planes(const prefetching *p, const pm_value *value, const pm_op *loop) {
  for (const pm_op *op = next_around(loop); op != p->around; op = next_around(op))
    if (loop_counter_of(op) == value) return true;
  return false;
}

/* --- rows --- */

/* Not the memory of one thread, which caches hold. */
static bool is_array(const pm_value *buffer) {
  pm_space space = buffer->type->space;
  return space == PM_SPACE_NONE || (space == PM_SPACE_HEAP && !pm_parent_of(pm_def(buffer), &loop_parallel));
}

/* Both count the same planes, one after the other. */
static bool count_alike(const pm_value *a, const pm_value *b) {
  if (a == b) return true;
  const pm_op *one = a->is_arg ? pm_value_region(a)->op : NULL,
              *other = b->is_arg ? pm_value_region(b)->op : NULL;
  if (!pm_is(one, &loop_for) || !pm_is(other, &loop_for)) return false;
  if (pm_is_ancestor(one, other) || pm_is_ancestor(other, one)) return false;
  if (!goes_through_planes(one) || !goes_through_planes(other)) return false;
  return pm_arg(one, loop_for_lb) == pm_arg(other, loop_for_lb) &&
         pm_arg(one, loop_for_ub) == pm_arg(other, loop_for_ub) &&
         pm_int_at(one, loop_for_step) == pm_int_at(other, loop_for_step);
}

static uint32_t number_of(prefetching *p, const pm_value *value) {
  for (size_t i = 0; i < p->values.len; i++)
    if (count_alike(p->values.data[i], value)) return (uint32_t)i;
  PM_VEC_PUSH(p->values, value);
  return (uint32_t)p->values.len - 1;
}

static bool has_index(const row *r, const pm_value *value) {
  for (uint32_t i = 0; i < r->access.map->n_dims; i++)
    if (r->access.indices[i].value == value) return true;
  return false;
}

/* The array is the same in all iterations, and the indices change with the two loops only, and with all loops
 * over planes between them. */
static bool is_known(const prefetching *p, const row *r) {
  if (pm_is_ancestor(p->around, pm_value_region(r->access.buffer)->op)) return false;
  for (const pm_op *op = next_around(r->loop); op != p->around; op = next_around(op))
    if (!has_index(r, loop_counter_of(op))) return false;
  for (uint32_t i = 0; i < r->access.map->n_dims; i++) {
    const pm_value *v = r->access.indices[i].value;
    bool counts = v == p->counter || v == loop_counter_of(r->loop) || counts_planes(p, v, r->loop);
    if (!counts && pm_is_ancestor(p->around, pm_value_region(v)->op)) return false;
  }
  return true;
}

/* Copies the expressions but the last, with dims replaced by `dims`. */
static pm_affine_expr *leading(const prefetching *p, const row *r, const pm_affine_expr *dims) {
  uint32_t n = r->access.map->n_results - 1;
  pm_affine_expr *copy = pm_arena_alloc(p->arena, (n + 1) * sizeof(pm_affine_expr));
  for (uint32_t i = 0; i < n; i++)
    copy[i] = pm_affine_divide_out(pm_affine_substitute(r->access.map->results[i], dims, NULL));
  return copy;
}

/* A value of an index as an expression: a constant, or the dimension of its number. */
static pm_affine_expr expression_of(prefetching *p, const pm_value *value) {
  loop_sum sum = loop_sum_of(value, 0);
  return sum.base ? pm_affine_dim(p->ctx, number_of(p, value)) : pm_affine_const(p->ctx, sum.added);
}

/* The values of the indices as expressions. */
static pm_affine_expr *numbers_of(prefetching *p, const row *r) {
  uint32_t n = r->access.map->n_dims;
  pm_affine_expr *dims = pm_arena_alloc(p->arena, (n + 1) * sizeof(pm_affine_expr));
  for (uint32_t i = 0; i < n; i++) dims[i] = expression_of(p, r->access.indices[i].value);
  return dims;
}

/* Where the row is when a counter is so many more. */
static pm_affine_expr *places_ahead(prefetching *p, const row *r, const pm_value *counter, int64_t more) {
  pm_affine_expr *dims = numbers_of(p, r);
  for (uint32_t i = 0; i < r->access.map->n_dims; i++)
    if (r->access.indices[i].value == counter) dims[i] = pm_affine_addc(dims[i], more);
  return leading(p, r, dims);
}

static void find_places(prefetching *p, row *r) {
  r->at = leading(p, r, numbers_of(p, r));
  r->next = places_ahead(p, r, p->counter, r->ahead);
}

/* Whether the op goes along a row of an array, from a point to the next. */
static bool find_row(prefetching *p, pm_op *loop, const pm_op *op, row *r) {
  *r = (row){.loop = loop};
  int64_t factor;
  if (!(pm_is(op, &buf_load) || pm_is(op, &buf_store)) || !loop_find_access(op, &r->access)) return false;
  const pm_affine_map map = r->access.map;
  if (map->n_results < 2 || !is_array(r->access.buffer) || !is_known(p, r)) return false;
  int64_t period = 1;
  for (uint32_t i = 0; i + 1 < map->n_results; i++) {
    if (loop_index_mentions(&r->access, map->results[i], loop_counter_of(loop))) return false;
    int64_t one = loop_index_period(&r->access, map->results[i], p->counter, p->step, MAX_PERIOD);
    period = loop_joint_period(period, one, MAX_PERIOD);
  }
  pm_affine_expr last = map->results[map->n_results - 1];
  if (loop_index_mentions(&r->access, last, p->counter)) return false;
  if (!loop_find_factor(&r->access, last, loop_counter_of(loop), &factor)) return false;
  if (factor < 1 || factor > PM_LINE_BYTES || !period) return false;
  r->bytes = factor * (int64_t)pm_element_bytes(r->access.buffer->type);
  r->ahead = period * p->step;
  if (r->bytes > PM_LINE_BYTES) return false;
  find_places(p, r);
  return true;
}

typedef struct walk {
  prefetching *p;
  pm_op *loop;
} walk;

static pm_walk add_row(void *user, pm_op *op) {
  const walk *w = user;
  row r;
  if (find_row(w->p, w->loop, op, &r)) PM_VEC_PUSH(w->p->rows, r);
  return PM_WALK_ON;
}

static bool same_place(const row *a, const pm_affine_expr *at, const row *b, const pm_affine_expr *other) {
  if (a->access.buffer != b->access.buffer) return false;
  for (uint32_t i = 0; i + 1 < a->access.map->n_results; i++)
    if (at[i] != other[i]) return false;
  return true;
}

/* An iteration to come has the row, this one does not, and nobody has asked for it. */
static bool is_new(const prefetching *p, const row *r) {
  for (size_t i = 0; i < p->reached.len; i++)
    if (same_place(r, r->next, &p->reached.data[i], p->reached.data[i].at)) return false;
  for (size_t i = 0; i < p->asked.len; i++)
    if (same_place(r, r->next, &p->asked.data[i], p->asked.data[i].next)) return false;
  return true;
}

/* --- planes --- */

/* An access in a loop from plane to plane, and a row when that loop is an iteration further on. */
typedef struct earlier {
  prefetching *p;
  pm_op *loop;
  const row *row;
  const pm_affine_expr *ahead;
  bool found;
} earlier;

/* The index changes with the counter of a loop inside of the one from plane to plane, and not with its own.
 */
static bool goes_through(const earlier *e, const loop_access *access, pm_affine_expr index) {
  if (loop_index_mentions(access, index, loop_counter_of(e->loop))) return false;
  for (uint32_t i = 0; i < access->map->n_dims; i++) {
    const pm_value *v = access->indices[i].value;
    if (v->is_arg && loop_changes_in(v, e->loop) && loop_index_mentions(access, index, v)) return true;
  }
  return false;
}

/* The access goes through the rows among which the row will be. */
static pm_walk find_earlier(void *user, pm_op *op) {
  earlier *e = user;
  const loop_access *mine = &e->row->access;
  row other = {0};
  if (!loop_find_access(op, &other.access) || other.access.buffer != mine->buffer) return PM_WALK_ON;
  other.at = leading(e->p, &other, numbers_of(e->p, &other));
  bool same = true;
  for (uint32_t i = 0; i + 1 < mine->map->n_results && same; i++)
    same = e->ahead[i] == other.at[i] || (goes_through(e, mine, mine->map->results[i]) &&
                                          goes_through(e, &other.access, other.access.map->results[i]));
  e->found = same;
  return same ? PM_WALK_STOP : PM_WALK_ON;
}

/* A loop around the one that goes from row to row, from plane to plane, has come to the plane an iteration
 * before: a tile is computed in steps so that caches still have it. */
static bool was_reached(prefetching *p, const row *r) {
  earlier e = {.p = p, .row = r};
  for (e.loop = next_around(p->around); e.loop && !e.found; e.loop = next_around(e.loop)) {
    const pm_value *counter = loop_counter_of(e.loop);
    int64_t step = pm_int_at(e.loop, loop_for_step);
    if (!has_index(r, counter) || step > INT32_MAX) continue;
    e.ahead = places_ahead(p, r, counter, step);
    pm_walk_pre(e.loop, find_earlier, &e);
  }
  return e.found;
}

/* What an iteration comes to, and what it asks for already. */
static pm_walk add_reached(void *user, pm_op *op) {
  prefetching *p = user;
  bool asks = pm_is(op, &buf_prefetch);
  row r = {0};
  if (asks)
    r.access = (loop_access){pm_arg(op, buf_prefetch_buffer), pm_attr_at(op, buf_prefetch_map)->map,
                             &op->operands[buf_prefetch_indices], true};
  else if (!loop_find_access(op, &r.access))
    return PM_WALK_ON;
  if (r.access.map->n_results < 2 || !is_array(r.access.buffer)) return PM_WALK_ON;
  r.at = r.next = leading(p, &r, numbers_of(p, &r));
  if (asks)
    PM_VEC_PUSH(p->asked, r);
  else
    PM_VEC_PUSH(p->reached, r);
  return PM_WALK_ON;
}

/* --- which loop asks --- */

/* Operations, of which divisions and calls take the time of several. */
static pm_walk add_time(void *user, pm_op *op) {
  int64_t *time = user;
  pm_cost cost = op->desc->cost;
  *time += cost == PM_COST_CALL ? 16 : cost == PM_COST_DIVISION || cost == PM_COST_INTEGER_DIVISION ? 8 : 1;
  return PM_WALK_ON;
}

static int64_t time_of(pm_op *loop) {
  int64_t time = 0;
  pm_walk_pre(loop, add_time, &time);
  return time;
}

static bool is_short(int64_t apart) {
  return apart >= -MIN_STRIP && apart <= MIN_STRIP;
}

/* Whether b is a and no more than a strip; the lesser, or greater, of two such, too. */
static bool is_near(const pm_value *a, const pm_value *b) {
  loop_sum of_a = loop_sum_of(a, 0), of_b = loop_sum_of(b, 0);
  if (!is_short(loop_less(of_a.added, of_b.added))) return false;
  if (of_a.base == of_b.base) return true;
  const pm_op *x = of_a.base ? pm_def(of_a.base) : NULL, *y = of_b.base ? pm_def(of_b.base) : NULL;
  if (!x || !y || x->desc != y->desc || !(pm_is(x, &arith_mini) || pm_is(x, &arith_maxi))) return false;
  return is_near(pm_arg(x, 0), pm_arg(y, 0)) && is_near(pm_arg(x, 1), pm_arg(y, 1));
}

/* Whether a bound is near a value, or is the greater (of: arith_maxi) or lesser of some one of which is. */
static bool bounds_near(const pm_value *bound, const pm_value *value, const pm_op_desc *of) {
  const pm_value *base = loop_sum_of(bound, 0).base;
  const pm_op *def = base ? pm_def(base) : NULL;
  if (!def || def->desc != of) return is_near(bound, value);
  return bounds_near(pm_arg(def, 0), value, of) || bounds_near(pm_arg(def, 1), value, of);
}

/* Whether the condition holds in all iterations of the loop around but some of the first or last: the counter
 * is at least about where it begins, at most about where it ends. */
static bool is_usual(const prefetching *p, const pm_value *condition) {
  const pm_op *def = pm_def(condition);
  if (def && pm_is(def, &arith_andi)) return is_usual(p, pm_arg(def, 0)) && is_usual(p, pm_arg(def, 1));
  if (!def || !pm_is(def, &arith_cmp)) return false;
  arith_pred pred = arith_cmp_pred(def);
  bool left = loop_sum_of(pm_arg(def, 0), 0).base == p->counter;
  bool right = loop_sum_of(pm_arg(def, 1), 0).base == p->counter;
  if (pred < ARITH_LT || left == right) return false;
  bool less = (pred == ARITH_LT || pred == ARITH_LE) == left;
  const pm_value *value = pm_arg(def, left);
  return less ? bounds_near(pm_arg(p->around, loop_for_ub), value, &arith_mini)
              : bounds_near(pm_arg(p->around, loop_for_lb), value, &arith_maxi);
}

/* Whether the loop, in the same one as `own`, runs in nearly all iterations in which that does. */
static bool runs_with(const prefetching *p, const pm_op *own, const pm_op *loop) {
  const pm_op *mine = pm_parent(own);
  for (const pm_op *in = loop, *op; pm_is(op = pm_parent(in), &loop_if) && op != mine; in = op) {
    if (in->region != pm_region_at(op, loop_if_then)) return false;
    const pm_value *condition = pm_arg(op, loop_if_condition);
    bool same = pm_is(mine, &loop_if) && own->region == pm_region_at(mine, loop_if_then) &&
                pm_arg(mine, loop_if_condition) == condition;
    if (!same && !is_usual(p, condition)) return false;
  }
  return true;
}

/* Whether the loop `other` runs where `own` does, at nearly the same points, the first of which is *shift
 * before. */
static bool goes_along(const prefetching *p, const pm_op *own, const pm_op *other, int64_t *shift) {
  loop_sum begin = loop_sum_of(pm_arg(own, loop_for_lb), 0),
           others = loop_sum_of(pm_arg(other, loop_for_lb), 0);
  if (begin.base != others.base || next_around(own) != next_around(other)) return false;
  *shift = loop_less(begin.added, others.added);
  return is_short(*shift) && is_near(pm_arg(own, loop_for_ub), pm_arg(other, loop_for_ub)) &&
         runs_with(p, own, other);
}

/* Whether the loop may store its row past the caches. */
static bool may_stream(const prefetching *p, const pm_op *loop) {
  bool stores = false;
  for (size_t i = 0; i < p->rows.len; i++)
    stores = stores || (p->rows.data[i].loop == loop && !p->rows.data[i].access.reads);
  return stores && pm_attr_at(loop, loop_for_stream);
}

/* A loop that computes much waits less for what it asks for than one that goes through memory. Each row is
 * asked for by the loop that has the most to do for each row that it asks for (D'Hondt's method); by the one
 * that comes to it, where no other has more. */
static void choose_asking(const prefetching *p, row *rows, size_t n) {
  size_t n_loops = p->inside.len;
  int64_t *asked = pm_xcalloc(2 * n_loops, sizeof *asked), *time = asked + n_loops;
  for (size_t k = 0; k < n_loops; k++) time[k] = time_of(p->inside.data[k]);
  for (size_t i = 0; i < n; i++) {
    row *r = &rows[i];
    size_t best = 0;
    double most = 0;
    for (size_t k = 0; k < n_loops; k++) {
      pm_op *loop = p->inside.data[k];
      int64_t shift = 0;
      double share = (double)time[k] / (double)(1 + asked[k]);
      if (share < most || (share == most && loop != r->loop)) continue;
      if (loop != r->loop && (may_stream(p, loop) || !goes_along(p, r->loop, loop, &shift))) continue;
      most = share;
      best = k;
      r->asking = loop;
      r->shift = shift;
    }
    asked[best]++;
  }
  free(asked);
}

/* --- how far ahead --- */

/* Points that the loop goes to in an iteration of the loop around; 0 when that is not known. */
static double points_of(const prefetching *p, const pm_op *loop) {
  double points = 1;
  int64_t trips;
  for (const pm_op *op = loop; op != p->around; op = next_around(op))
    points *= loop_find_trips(op, &trips) ? (double)trips : 0;
  return points;
}

/* How many iterations of the loop around ahead a row is asked for. One, when what is computed until it is
 * used takes the time that memory needs, or when the loops wait for all that they ask for rather than for the
 * first of it; else as many as take that time. Loops of an unknown number of points are those along borders,
 * most often, and count for nothing; a row of unknown length is asked for one ahead. */
static int64_t iterations_ahead(const prefetching *p, const row *r, const row *rows, size_t n) {
  int64_t chosen = pm_opt_int(p->pass, prefetch_rows_opt_ahead);
  double all = 0, between = 0, bytes = 0;
  bool asked = false, used = false;
  if (chosen || !r->access.reads) return chosen ? chosen : 1;
  for (size_t k = 0; k < p->inside.len; k++) {
    pm_op *loop = p->inside.data[k];
    asked = asked || loop == r->asking;
    used = used || loop == r->loop;
    if (!runs_with(p, r->loop, loop)) continue;
    double points = points_of(p, loop), time = points * (double)time_of(loop);
    if (!time && loop == r->loop) return 1;
    all += time;
    between += time * (asked + !used);
    for (size_t i = 0; i < n; i++) bytes += rows[i].asking == loop ? points * (double)rows[i].bytes : 0;
  }
  if (between >= PM_MEMORY_OPS || bytes * PM_MEMORY_BYTE_OPS > all) return 1;
  return 1 + (int64_t)fmin(ceil((PM_MEMORY_OPS - between) / all), MAX_MORE);
}

static void choose_ahead(const prefetching *p, row *rows, size_t n) {
  for (size_t i = 0; i < n; i++) rows[i].ahead *= iterations_ahead(p, &rows[i], rows, n);
}

/* --- rewriting --- */

/* Asks for the place of the row in an iteration ahead, with `at` for the counter of the loop that asks. */
static void build_prefetch(const prefetching *p, pm_builder *b, const row *r, pm_value *at) {
  const pm_affine_map map = r->access.map;
  PM_VEC(pm_value *) indices = {0};
  PM_VEC(pm_affine_expr) dims = {0}, results = {0};
  for (uint32_t i = 0; i < map->n_dims; i++) {
    pm_value *v = r->access.indices[i].value;
    pm_affine_expr dim = pm_affine_dim(p->ctx, i);
    PM_VEC_PUSH(indices, v == loop_counter_of(r->loop) ? at : v);
    int64_t more = v == p->counter ? r->ahead : v == loop_counter_of(r->loop) ? r->shift : 0;
    PM_VEC_PUSH(dims, more ? pm_affine_addc(dim, more) : dim);
  }
  for (uint32_t i = 0; i < map->n_results; i++)
    PM_VEC_PUSH(results, pm_affine_divide_out(pm_affine_substitute(map->results[i], dims.data, NULL)));
  pm_affine_map ahead = pm_get_affine_map(p->ctx, map->n_dims, 0, results.data, map->n_results);
  buf_build_prefetch(b, (pm_value *)r->access.buffer, ahead, indices.data, !r->access.reads);
  PM_VEC_FREE(indices);
  PM_VEC_FREE(dims);
  PM_VEC_FREE(results);
}

/* A loop over the lines of each row; rows of the same width share one. */
static void build_prefetches(const prefetching *p, pm_builder *b, const row *rows, size_t n, pm_value *lb,
                             pm_value *ub) {
  for (size_t i = 0; i < n; i++) {
    bool done = false;
    for (size_t k = 0; k < i; k++) done = done || rows[k].bytes == rows[i].bytes;
    if (done) continue;
    pm_op *loop = loop_build_for(b, lb, ub, &(loop_spec){.step = PM_LINE_BYTES / rows[i].bytes});
    pm_builder in = loop_inside(loop);
    for (size_t k = i; k < n; k++)
      if (rows[k].bytes == rows[i].bytes) build_prefetch(p, &in, &rows[k], in.region->args[0]);
  }
}

/* Iterations in a strip, no fewer than some vectors: those of `lines` lines of the widest row; of a constant
 * number of iterations from half as many on what divides it, or else so many more that a few are not left. */
static int64_t strip_of(const row *rows, size_t n, int64_t lines, int64_t trips) {
  int64_t widest = 1;
  for (size_t i = 0; i < n; i++) widest = rows[i].bytes > widest ? rows[i].bytes : widest;
  int64_t line = PM_LINE_BYTES / widest, least = line > MIN_STRIP ? line : MIN_STRIP;
  for (int64_t some = lines; some >= (lines + 1) / 2 && trips > 0; some--)
    if (trips % (some * line) == 0 && some * line >= least) return some * line;
  int64_t strip = lines * line > least ? lines * line : least;
  int64_t strips = trips / strip, left = trips % strip;
  if (!strips || left >= strip / 4) return strip;
  return ((trips + strips - 1) / strips + line - 1) / line * line;
}

static void prefetch(const prefetching *p, pm_op *loop, const row *rows, size_t n) {
  int64_t trips = 0;
  if (!loop_find_trips(loop, &trips)) trips = 0;
  int64_t strip = strip_of(rows, n, pm_int_at(p->around, loop_for_prefetch), trips);
  pm_value *lb = pm_arg(loop, loop_for_lb), *ub = pm_arg(loop, loop_for_ub);
  pm_builder b = pm_builder_before(loop);
  pm_pass_remark(p->pass, loop->loc, PM_REMARK_PASSED,
                 (pm_remark_arg[]){{"rows", (double)n}, {"strip", (double)strip}}, 2,
                 "a vector loop asks for %zu rows of arrays that iterations to come of the loop around it "
                 "reach, in strips "
                 "of %lld points",
                 n, (long long)strip);
  if (trips > 0 && trips <= strip) {
    build_prefetches(p, &b, rows, n, lb, ub);
    return;
  }
  pm_builder in = loop_inside(loop_build_for(&b, lb, ub, &(loop_spec){.step = strip}));
  pm_value *begin = in.region->args[0];
  pm_value *end = pm_build_binary(&in, &arith_addi, begin, arith_build_index(&in, strip));
  if (!trips || trips % strip) end = pm_build_binary(&in, &arith_mini, end, ub);
  build_prefetches(p, &in, rows, n, begin, end);
  pm_move_before(loop, in.region, NULL);
  pm_set_operand(loop, loop_for_lb, begin);
  pm_set_operand(loop, loop_for_ub, end);
}

static void ask_in(const prefetching *p, pm_op *loop, const row *rows, size_t n) {
  row_list mine = {0};
  for (size_t i = 0; i < n; i++)
    if (rows[i].asking == loop) PM_VEC_PUSH(mine, rows[i]);
  if (mine.len) prefetch(p, loop, mine.data, mine.len);
  PM_VEC_FREE(mine);
}

/* The vector loops in `around`, or in a loop over planes there, which are taken out of the list: from number
 * `first` on. */
static int64_t visit(pm_pass *pass, loop_list *loops, size_t first, pm_op *around) {
  prefetching p = {
      .pass = pass, .ctx = pm_module_context(around->module), .arena = pm_pass_arena(pass), .around = around};
  p.counter = loop_counter_of(around);
  p.step = pm_int_at(around, loop_for_step);
  for (size_t i = first; i < loops->len; i++) {
    walk w = {&p, loops->data[i]};
    if (!w.loop || loop_around(w.loop) != around) continue;
    pm_walk_pre(w.loop, add_row, &w);
    PM_VEC_PUSH(p.inside, w.loop);
    loops->data[i] = NULL;
  }
  pm_walk_pre(around, add_reached, &p);
  size_t asked = p.asked.len;
  for (size_t i = 0; i < p.rows.len; i++)
    if (is_new(&p, &p.rows.data[i]) && !was_reached(&p, &p.rows.data[i]))
      PM_VEC_PUSH(p.asked, p.rows.data[i]);
  size_t n = p.asked.len - asked;
  if (n) {
    choose_asking(&p, &p.asked.data[asked], n);
    choose_ahead(&p, &p.asked.data[asked], n);
  }
  for (size_t i = 0; i < p.inside.len && n; i++) ask_in(&p, p.inside.data[i], &p.asked.data[asked], n);
  PM_VEC_FREE(p.inside);
  PM_VEC_FREE(p.asked);
  PM_VEC_FREE(p.rows);
  PM_VEC_FREE(p.reached);
  PM_VEC_FREE(p.values);
  return (int64_t)n;
}

/* Once is enough. */
static pm_walk forget(void *user, pm_op *op) {
  bool *marked = user;
  if (!pm_is(op, &loop_for) || !pm_attr_at(op, loop_for_prefetch)) return PM_WALK_ON;
  pm_set_attr(op, loop_for_prefetch, NULL);
  *marked = true;
  return PM_WALK_ON;
}

pm_result pass_prefetch_rows(pm_pass *pass) {
  loop_list loops = {0};
  int64_t n = 0;
  bool marked = false;
  loop_list_vector_loops(pm_pass_root(pass), &loops);
  for (size_t i = 0; i < loops.len; i++) {
    pm_op *around = loops.data[i] ? loop_around(loops.data[i]) : NULL;
    if (!around || !pm_attr_at(around, loop_for_prefetch) || pm_int_at(around, loop_for_step) > INT32_MAX)
      continue;
    n += visit(pass, &loops, i, around);
  }
  PM_VEC_FREE(loops);
  pm_walk_pre(pm_pass_root(pass), forget, &marked);
  pm_pass_stat(pass, "rows prefetched", n);
  return marked ? PM_CHANGED : PM_UNCHANGED;
}
