/* stream-rows: vector loops with `stream` compute what they have of a row of a result in memory of their own,
 * and copy it past the caches when it is whole.
 *
 *   loop.for %y = %c to %d step 1 simd stream { |  %row = buf.alloc align 64 : memref<512xf32, stack>
 *     …                                         |  loop.for %y = %c to %d step 1 simd {
 *     buf.store %v, %out[%x, %y]                |    …
 *   }                                           |    buf.store %v, %row[%y - %c]
 *                                               |  }
 *                                               |  loop.for %k = %c to %d step 1 simd {
 *                                               |    %1 = buf.load %row[%k - %c]
 *                                               |    buf.store %1, %out[%x, %k] {nontemporal}
 *                                               |  }
 *
 * Targets make of a loop that copies so what their processor has for it (loop_find_streaming). A row of the
 * memory beyond the caches should come in one go: a vector of it at a time, between loads of other rows, it
 * takes longer than through the caches, and so do two results in turn, and the lines at the ends of a row, of
 * which another tile has the rest. So it is done for a loop that stores one result, of `least` bytes of a row
 * at once; what may be longer than `most` is computed in pieces. The strips that prefetch-rows has made of a
 * row are one.
 */
#include "dialects/arith/arith.h"
#include "dialects/loop/access.h"
#include "dialects/loop/analyses/indices.h"
#include "dialects/loop/analyses/loops.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/loop.h"
#include "dialects/machine/machine.h"
#include "passes/options.h"

#include <stdlib.h>

typedef struct streaming {
  pm_op *loop;   /* the vector loop */
  pm_op *row;    /* it, or the loop over its strips */
  pm_op *store;  /* of the result */
  int64_t bytes; /* of an element */
} streaming;

/* What a row ends at, less what it begins at, when these differ by a number; 0: they do not, or that is no
 * length. */
static int64_t difference(loop_sum begin, loop_sum end) {
  int64_t length = loop_less(end.added, begin.added);
  return begin.base == end.base && length > 0 && length <= INT32_MAX ? length : 0;
}

/* Elements that the row has at most; 0: nobody knows. *always: it has as many each time. */
static int64_t length_of(const pm_op *row, bool *always) {
  loop_sum begin = loop_sum_of(pm_arg(row, loop_for_lb), 0), end = loop_sum_of(pm_arg(row, loop_for_ub), 0);
  int64_t length = difference(begin, end);
  *always = length > 0;
  const pm_op *def = end.base && !end.base->is_arg ? pm_def(end.base) : NULL;
  for (unsigned i = 0; !length && def && pm_is(def, &arith_mini) && i < 2; i++)
    length = difference(begin, loop_sum_of(pm_arg(def, i), end.added));
  return length;
}

/* A strip ends where the next one begins, and the last one with the row. */
static bool are_strips(const pm_op *strips, const pm_value *end) {
  int64_t step = pm_int_at(strips, loop_for_step), length;
  const pm_op *def = end->is_arg ? NULL : pm_def(end);
  bool cut = def && pm_is(def, &arith_mini), always;
  if (cut && pm_arg(def, 1) != pm_arg(strips, loop_for_ub)) return false;
  length = length_of(strips, &always);
  if (!cut && (!always || length % step)) return false;
  loop_sum sum = loop_sum_of(cut ? pm_arg(def, 0) : end, 0);
  return sum.base == loop_counter_of(strips) && sum.added == step;
}

static bool only_prefetches(const pm_op *op) {
  if (!pm_is(op, &loop_for) || op->n_results) return pm_is(op, &buf_prefetch) || pm_has_trait(op, PM_PURE);
  bool only = true;
  PM_FOR_OPS(in, pm_region_at(op, loop_for_body)) only = only && only_prefetches(in);
  return only;
}

/* The loop over strips of the vector loop, when it has nothing else that computes; else the loop itself. */
static pm_op *row_of(pm_op *loop) {
  pm_op *strips = pm_parent(loop);
  bool along = pm_is(strips, &loop_for) && !strips->n_results && !pm_attr_at(strips, loop_for_simd) &&
               pm_arg(loop, loop_for_lb) == loop_counter_of(strips) &&
               are_strips(strips, pm_arg(loop, loop_for_ub));
  if (!along) return loop;
  PM_FOR_OPS(op, pm_region_at(strips, loop_for_body))
  if (op != loop && !only_prefetches(op)) return loop;
  return strips;
}

static bool is_result(const pm_value *buffer) {
  return !buffer->is_arg && pm_is(pm_def(buffer), &buf_output);
}

typedef struct search {
  streaming *s;
  unsigned n;      /* stores to results */
  bool read, runs; /* the loop loads from the one that it stores, or runs a function */
} search;

static pm_walk find_store(void *user, pm_op *op) {
  search *f = user;
  loop_access access;
  f->runs |= pm_is(op, &loop_call);
  if (!loop_find_access(op, &access) || access.reads || !is_result(access.buffer)) return PM_WALK_ON;
  f->n++;
  f->s->store = op;
  return PM_WALK_ON;
}

static pm_walk find_load(void *user, pm_op *op) {
  search *f = user;
  loop_access access, store;
  if (!loop_find_access(op, &access) || !access.reads || !loop_find_access(f->s->store, &store))
    return PM_WALK_ON;
  f->read |= loop_share_memory(access.buffer, store.buffer);
  return PM_WALK_ON;
}

/* "": it stores no result. */
static const char *why_not(streaming *s, int64_t least) {
  search f = {s, 0, false, false};
  pm_walk_pre(s->loop, find_store, &f);
  if (!f.n) return "";
  pm_walk_pre(s->loop, find_load, &f);
  if (f.n > 1) return "several rows of results in turn take longer so";
  if (f.read || f.runs) return "what it stores may be read in it";
  if (!pm_is(s->store, &buf_store) || pm_parent(s->store) != s->loop) return "not all of its row is stored";
  s->bytes = (int64_t)pm_element_bytes(pm_arg(s->store, buf_store_buffer)->type);
  if (!loop_goes_along_row(s->store, s->loop, s->row))
    return "the cells of its row are not next to each other";
  bool always;
  int64_t length = length_of(s->row, &always);
  return length && length < (least + s->bytes - 1) / s->bytes ? "rows as short take longer so" : NULL;
}

/* --- rewriting --- */

static void forget_prefetches(const pm_region *region, const pm_value *buffer) {
  for (pm_op *op = region->first, *next; op; op = next) {
    next = op->next;
    if (pm_is(op, &loop_for) && only_prefetches(op))
      forget_prefetches(pm_region_at(op, loop_for_body), buffer);
    if (pm_is(op, &buf_prefetch) && pm_arg(op, buf_prefetch_buffer) == buffer) pm_op_erase(op);
  }
}

/* In pieces of so many elements, whole strips; gives the builder inside. Where a strip ends follows from
 * where it begins. */
static pm_builder cut(const streaming *s, int64_t piece) {
  pm_builder b = pm_builder_before(s->row);
  pm_value *ub = pm_arg(s->row, loop_for_ub);
  pm_op *pieces = loop_build_for(&b, pm_arg(s->row, loop_for_lb), ub, &(loop_spec){.step = piece});
  pm_builder in = loop_inside(pieces);
  pm_value *begin = in.region->args[0];
  pm_value *end = pm_build_binary(&in, &arith_addi, begin, arith_build_index(&in, piece));
  end = pm_build_binary(&in, &arith_mini, end, ub);
  pm_move_before(s->row, in.region, NULL);
  pm_set_operand(s->row, loop_for_lb, begin);
  pm_set_operand(s->row, loop_for_ub, end);
  in.before = s->row;
  return in;
}

static pm_value *build_memory(pm_builder *b, pm_type element, int64_t cells) {
  pm_value *memory = buf_build_alloc(b, pm_get_memref(element, 1, &cells, PM_SPACE_STACK), NULL, NULL);
  pm_set_attr(pm_def(memory), buf_alloc_align,
              pm_get_index_attr(pm_module_context(b->module), PM_LINE_BYTES));
  return memory;
}

static pm_op *build_copy(const streaming *s, pm_value *memory, pm_value *lb, pm_value *ub) {
  pm_context *ctx = pm_op_context(s->loop);
  pm_value *counter = loop_counter_of(s->loop);
  pm_builder b = pm_builder_before(s->row);
  b.before = s->row->next;
  pm_op *copy = loop_build_for(&b, lb, ub, &(loop_spec){.step = 1, .simd = true, .counter = counter->name});
  pm_builder in = loop_inside(copy);
  pm_map *map = pm_map_new();
  pm_map_set(map, counter, in.region->args[0]);
  pm_map_set(map, pm_arg(s->store, buf_store_value),
             buf_build_load(&in, memory, buf_offset_map(ctx), (pm_value *[]){in.region->args[0], lb}));
  pm_op *store = pm_clone(copy->module, s->store, map);
  pm_set_attr(store, buf_store_nontemporal, pm_get_unit(ctx));
  pm_insert(in.region, NULL, store);
  pm_map_free(map);
  return copy;
}

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

/* As far out as no other thread can be there to read what the copy has stored: at the end of an iteration of
 * a loop on threads, behind what stands beside such loops, or behind the outermost loop. */
static void build_fence(pm_op *copy) {
  pm_op *up = copy;
  while (!pm_is(pm_parent(up), &loop_func) && !pm_is(pm_parent(up), &loop_parallel) &&
         !starts_threads_beside(up))
    up = pm_parent(up);
  pm_op *before = pm_is(pm_parent(up), &loop_parallel) && !starts_threads_beside(up) ? NULL : up->next;
  const pm_op *last = before ? before : up->region->last;
  if (pm_is(last, &buf_fence)) return;
  pm_builder b = pm_builder_at_end(copy->module, up->region, up->loc);
  b.before = before;
  pm_build(&b, &buf_fence, NULL, 0, NULL, 0, NULL);
}

/* Whole lines, and whole strips. */
static int64_t piece_of(const streaming *s, int64_t most) {
  int64_t line = PM_LINE_BYTES / s->bytes > 0 ? PM_LINE_BYTES / s->bytes : 1,
          step = pm_int_at(s->row, loop_for_step);
  int64_t unit = loop_joint_period(line, step, INT32_MAX), pieces = unit ? most / (unit * s->bytes) : 0;
  return pieces * unit;
}

static void stream(streaming *s, int64_t most) {
  bool always;
  int64_t length = length_of(s->row, &always), piece = piece_of(s, most);
  bool whole = length && length * s->bytes <= most;
  if (!whole && !piece) { /* strips are as long */
    s->row = s->loop;
    length = length_of(s->row, &always);
    piece = piece_of(s, most);
    whole = length && length * s->bytes <= most;
  }
  pm_value *buffer = pm_arg(s->store, buf_store_buffer), *counter = loop_counter_of(s->loop);
  forget_prefetches(s->row->region, buffer);
  if (s->row != s->loop) forget_prefetches(s->loop->region, buffer);
  pm_builder b = whole ? pm_builder_before(s->row) : cut(s, piece);
  pm_value *lb = pm_arg(s->row, loop_for_lb), *ub = pm_arg(s->row, loop_for_ub);
  pm_value *memory = build_memory(&b, pm_elem_type(buffer->type), whole ? length : piece);
  pm_op *copy = build_copy(s, memory, lb, ub);
  pm_builder at = pm_builder_before(s->store);
  buf_build_store(&at, pm_arg(s->store, buf_store_value), memory, buf_offset_map(pm_op_context(s->loop)),
                  (pm_value *[]){counter, lb});
  pm_op_erase(s->store);
  build_fence(copy);
}

static bool visit(pm_pass *pass, pm_op *loop) {
  streaming s = {.loop = loop, .row = row_of(loop)};
  const char *why = why_not(&s, pm_opt_int(pass, stream_rows_opt_least));
  pm_set_attr(loop, loop_for_stream, NULL);
  if (why && *why)
    pm_pass_remark(pass, loop->loc, PM_REMARK_MISSED, NULL, 0,
                   "a vector loop stores results through the caches: %s", why);
  if (why) return false;
  pm_pass_remark(pass, loop->loc, PM_REMARK_PASSED, NULL, 0,
                 "a vector loop stores its row of a result past the caches");
  stream(&s, pm_opt_int(pass, stream_rows_opt_most));
  return true;
}

pm_result pass_stream_rows(pm_pass *pass) {
  loop_list loops = {0};
  int64_t n = 0, marked = 0;
  loop_list_vector_loops(pm_pass_root(pass), &loops);
  for (size_t i = 0; i < loops.len; i++) {
    if (!pm_attr_at(loops.data[i], loop_for_stream)) continue;
    marked++;
    n += visit(pass, loops.data[i]);
  }
  PM_VEC_FREE(loops);
  pm_pass_stat(pass, "rows streamed", n);
  return marked ? PM_CHANGED : PM_UNCHANGED;
}
