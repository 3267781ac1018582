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
#include "dialects/loop/buf.h"
#include "dialects/loop/loop.h"
#include "dialects/loop/loops.h"
#include "passes/options.h"

#include <stdlib.h>

enum { LINE_BYTES = 64 };

typedef struct streaming {
  pm_pass *pass;
  pm_op *loop;   /* the vector loop */
  pm_op *row;    /* it, or the loop over its strips */
  pm_op *store;  /* of the result */
  int64_t bytes; /* of an element */
} streaming;

static pm_value *counter_of(const pm_op *loop) {
  return pm_region_at(loop, loop_for_body)->args[0];
}

/* Elements that the row always has; 0: that changes. */
static int64_t length_of(const pm_op *row) {
  loop_sum begin = loop_sum_of(pm_arg(row, loop_for_lb), 0), end = loop_sum_of(pm_arg(row, loop_for_ub), 0);
  int64_t length = loop_less(end.added, begin.added);
  return begin.base == end.base && length > 0 && length <= INT32_MAX ? length : 0;
}

/* A strip ends where the next one begins, and the last one with the row. */
static bool are_strips(const pm_op *strips, const pm_value *end) {
  int64_t step = pm_int_at(strips, loop_for_step);
  const pm_op *def = end->is_arg ? NULL : pm_def(end);
  bool cut = def && pm_is(def, &arith_mini);
  if (cut && pm_arg(def, 1) != pm_arg(strips, loop_for_ub)) return false;
  if (!cut && (!length_of(strips) || length_of(strips) % step)) return false;
  loop_sum sum = loop_sum_of(cut ? pm_arg(def, 0) : end, 0);
  return sum.base == counter_of(strips) && sum.added == step;
}

/* The loop over strips of the vector loop, when it has nothing else that computes; else the loop itself. */
static pm_op *row_of(pm_op *loop) {
  pm_op *strips = pm_parent(loop);
  bool along = pm_is(strips, &loop_for) && !strips->n_results && !pm_attr_at(strips, loop_for_simd) &&
               pm_arg(loop, loop_for_lb) == counter_of(strips) &&
               are_strips(strips, pm_arg(loop, loop_for_ub));
  if (!along) return loop;
  PM_FOR_OPS(op, pm_region_at(strips, loop_for_body)) {
    bool prefetches = pm_is(op, &loop_for) && pm_region_at(op, loop_for_body)->first &&
                      pm_is(pm_region_at(op, loop_for_body)->first, &buf_prefetch);
    if (op != loop && !prefetches && !pm_is(op, &buf_prefetch) && !pm_has_trait(op, PM_PURE)) return loop;
  }
  return strips;
}

static bool is_result(const pm_value *buffer) {
  return !buffer->is_arg && pm_is(pm_def(buffer), &buf_output);
}

typedef struct search {
  streaming *s;
  unsigned n; /* accesses to results */
} search;

static pm_walk find_store(void *user, pm_op *op) {
  search *f = user;
  loop_access access;
  if (!loop_find_access(op, &access) || !is_result(access.buffer)) return PM_WALK_ON;
  f->n++;
  f->s->store = op;
  return PM_WALK_ON;
}

/* The values that the place is computed of are there behind the row, and its cells are next to each other. */
static bool is_row(const streaming *s) {
  loop_access access;
  if (!loop_find_access(s->store, &access)) return false;
  for (uint32_t i = 0; i < loop_n_indices(&access); i++) {
    const pm_value *v = access.indices[i].value;
    if (v != counter_of(s->loop) && pm_is_ancestor(s->row, pm_value_region(v)->op)) return false;
  }
  return loop_goes_along(&access, counter_of(s->loop));
}

static const char *why_not(streaming *s, int64_t least) {
  search f = {s, 0};
  pm_walk_pre(s->loop, find_store, &f);
  if (!f.n) return "";
  if (f.n > 1) return "several rows of results in turn take longer so";
  if (!pm_is(s->store, &buf_store) || pm_parent(s->store) != s->loop) return "not all of its row is stored";
  s->bytes = (int64_t)pm_element_bytes(pm_arg(s->store, buf_store_buffer)->type);
  if (!is_row(s)) return "the cells of its row are not next to each other";
  int64_t length = length_of(s->row);
  return length && length < (least + s->bytes - 1) / s->bytes ? "rows as short take longer so" : NULL;
}

/* --- rewriting --- */

static void forget_prefetches(const pm_op *root, const pm_value *buffer) {
  const pm_region *body = pm_region_at(root, loop_for_body);
  for (pm_op *op = body->first, *next; op; op = next) {
    next = op->next;
    if (pm_is(op, &loop_for)) forget_prefetches(op, buffer);
    if (pm_is(op, &buf_prefetch) && pm_arg(op, buf_prefetch_buffer) == buffer) pm_op_erase(op);
  }
}

typedef struct replacing {
  const pm_value *old;
  pm_value *by;
} replacing;

static pm_walk replace_in(void *user, pm_op *op) {
  const replacing *r = user;
  for (unsigned i = 0; i < op->n_operands; i++)
    if (pm_arg(op, i) == r->old) pm_set_operand(op, i, r->by);
  return PM_WALK_ON;
}

/* In pieces of so many elements; gives the builder inside. */
static pm_builder cut(const streaming *s, int64_t piece) {
  pm_builder b = pm_builder_before(s->row);
  pm_value *ub = pm_arg(s->row, loop_for_ub);
  pm_op *pieces = loop_build_for(&b, pm_arg(s->row, loop_for_lb), ub, &(loop_spec){.step = piece});
  pm_builder in = loop_inside(pieces);
  pm_value *begin = in.region->args[0];
  pm_value *end = pm_build_binary(&in, &arith_addi, begin, arith_build_index(&in, piece));
  end = pm_build_binary(&in, &arith_mini, end, ub);
  pm_move_before(s->row, in.region, NULL);
  replacing r = {ub, end};
  pm_walk_pre(s->row, replace_in, &r);
  pm_set_operand(s->row, loop_for_lb, begin);
  in.before = s->row;
  return in;
}

/* (i, c) -> i - c */
static pm_affine_map place_map(pm_context *ctx) {
  pm_affine_expr minus = pm_affine_mul(pm_affine_dim(ctx, 1), pm_affine_const(ctx, -1));
  pm_affine_expr place = pm_affine_add(pm_affine_dim(ctx, 0), minus);
  return pm_get_affine_map(ctx, 2, 0, &place, 1);
}

static pm_value *build_memory(pm_builder *b, pm_type element, int64_t cells) {
  pm_value *memory = buf_build_alloc(b, pm_get_memref(element, 1, &cells, PM_SPACE_STACK), NULL, NULL);
  pm_set_attr(pm_def(memory), buf_alloc_align, pm_get_index_attr(pm_module_context(b->module), LINE_BYTES));
  return memory;
}

static void build_copy(const streaming *s, pm_value *memory, pm_value *lb, pm_value *ub) {
  pm_context *ctx = pm_op_context(s->loop);
  pm_value *counter = counter_of(s->loop);
  pm_builder b = pm_builder_before(s->row);
  b.before = s->row->next;
  pm_op *copy = loop_build_for(&b, lb, ub, &(loop_spec){.step = 1, .simd = true, .counter = counter->name});
  pm_builder in = loop_inside(copy);
  pm_map *map = pm_map_new();
  pm_map_set(map, counter, in.region->args[0]);
  pm_map_set(map, pm_arg(s->store, buf_store_value),
             buf_build_load(&in, memory, place_map(ctx), (pm_value *[]){in.region->args[0], lb}));
  pm_op *store = pm_clone(copy->module, s->store, map);
  pm_set_attr(store, buf_store_nontemporal, pm_get_unit(ctx));
  pm_insert(in.region, NULL, store);
  pm_map_free(map);
}

/* Behind the iterations of the innermost loop on threads around, or else behind the outermost loop. */
static void build_fence(pm_op *op) {
  pm_op *outermost = op;
  for (pm_op *up = op; up && !pm_is(up, &loop_func); up = pm_parent(up)) {
    if (pm_is(up, &loop_parallel)) {
      pm_region *body = pm_region_at(up, loop_parallel_body);
      if (!body->last || !pm_is(body->last, &buf_fence)) {
        pm_builder b = pm_builder_at_end(op->module, body, up->loc);
        pm_build(&b, &buf_fence, NULL, 0, NULL, 0, NULL);
      }
      return;
    }
    outermost = up;
  }
  if (outermost->next && pm_is(outermost->next, &buf_fence)) return;
  pm_builder b = pm_builder_before(outermost);
  b.before = outermost->next;
  pm_build(&b, &buf_fence, NULL, 0, NULL, 0, NULL);
}

static void stream(const streaming *s, int64_t most) {
  int64_t line = LINE_BYTES / s->bytes > 0 ? LINE_BYTES / s->bytes : 1;
  int64_t step = pm_int_at(s->row, loop_for_step), unit = step > line ? step : line;
  int64_t piece = (most / s->bytes + unit - 1) / unit * unit, length = length_of(s->row);
  pm_value *buffer = pm_arg(s->store, buf_store_buffer), *counter = counter_of(s->loop);
  bool whole = length && length <= piece;
  pm_builder b = whole ? pm_builder_before(s->row) : cut(s, piece);
  pm_value *lb = pm_arg(s->row, loop_for_lb), *ub = pm_arg(s->row, loop_for_ub);
  pm_value *memory = build_memory(&b, pm_elem_type(buffer->type), whole ? length : piece);
  build_copy(s, memory, lb, ub);
  pm_builder at = pm_builder_before(s->store);
  buf_build_store(&at, pm_arg(s->store, buf_store_value), memory, place_map(pm_op_context(s->loop)),
                  (pm_value *[]){counter, lb});
  pm_op_erase(s->store);
  if (s->row != s->loop) forget_prefetches(s->row, buffer);
  build_fence(s->row);
}

static bool visit(pm_pass *pass, pm_op *loop) {
  streaming s = {.pass = pass, .loop = loop, .row = row_of(loop)};
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
