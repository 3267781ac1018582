/* strip-rows: vector loops are cut into strips, each with its prefetches ahead of it; a result that goes past
 * the caches is computed in memory of its own and copied.
 *
 *   loop.for %y = %c to %d step 1 simd prefetch 8 { |  loop.for %p = %c to %d step 2048 {
 *     buf.prefetch %in[%x + 2, %y]                  |    %q = arith.mini (%p + 2048), %d
 *     …                                             |    %row = buf.alloc align 64 : memref<2048xf32, stack>
 *     buf.store %v, %out[%x, %y] {nontemporal}      |    loop.for %s = %p to %q step 128 {
 *   }                                               |      %t = arith.mini (%s + 128), %q
 *                                                   |      loop.for %k = %s to %t step 16 {
 *                                                   |        buf.prefetch %in[%x + 2, %k]
 *                                                   |      }
 *                                                   |      loop.for %y = %s to %t step 1 simd {
 *                                                   |        …
 *                                                   |        buf.store %v, %row[%y - %p]
 *                                                   |      }
 *                                                   |    }
 *                                                   |    loop.for %k = %p to %q step 1 simd {
 *                                                   |      %1 = buf.load %row[%k - %p]
 *                                                   |      buf.store %1, %out[%x, %k] {nontemporal}
 *                                                   |    }
 *                                                   |  }
 *
 * The schedule says what is prefetched, and how many lines at a time (mark-prefetch), and what goes past the
 * caches (mark-nontemporal); other passes may have changed the loop since. Targets make of a loop that copies
 * so what their processor has for it (loop_find_streaming). A row of the memory beyond the caches should come
 * in one go: a vector of it at a time, between loads of other rows, it takes longer than through the caches,
 * and so do several results in one loop, and short rows. What may be longer than `most` bytes is computed in
 * pieces of whole strips and lines.
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

enum { MIN_STRIP = 64 };

typedef struct stripping {
  pm_pass *pass;
  pm_op *loop;                /* the vector loop */
  PM_VEC(pm_op *) prefetches; /* in it, one for a row */
  PM_VEC(int64_t) bytes;      /* of each, from a point of the loop to the next */
  pm_op *store;               /* that goes past the caches; NULL: none does */
  int64_t element;            /* bytes that it stores */
  pm_value *lb, *ub;          /* of the row, or of the piece of it */
  int64_t length;             /* points of the row, at most; 0: not known */
  bool always;                /* it always has as many */
  bool changed;               /* the loop has lost something */
} stripping;

static void find_length(stripping *s) {
  int64_t trips = 0;
  s->lb = pm_arg(s->loop, loop_for_lb);
  s->ub = pm_arg(s->loop, loop_for_ub);
  s->always = loop_find_trips(s->loop, &trips) && trips > 0;
  s->length = s->always || (loop_find_most_trips(s->loop, &trips) && trips > 0) ? trips : 0;
}

/* --- prefetches --- */

/* The rows are one, and the places in them less than a line apart. */
static bool same_row(const pm_op *a, const pm_op *b) {
  loop_access one, two;
  if (!loop_find_place(a, &one) || !loop_find_place(b, &two) || one.buffer != two.buffer) return false;
  uint32_t n = one.map->n_results;
  if (one.map->n_dims != two.map->n_dims || !n) return false;
  for (uint32_t i = 0; i < one.map->n_dims; i++)
    if (one.indices[i].value != two.indices[i].value) return false;
  for (uint32_t i = 0; i + 1 < n; i++)
    if (one.map->results[i] != two.map->results[i]) return false;
  pm_affine_expr minus = pm_affine_mul(one.map->results[n - 1], pm_affine_const(one.map->ctx, -1));
  pm_affine_expr difference = pm_affine_normalize(pm_affine_add(two.map->results[n - 1], minus));
  return difference->kind == PM_AFFINE_CONST && llabs(difference->value) < PM_LINE_BYTES;
}

/* But for the counter of the loop. */
static bool has_fixed_indices(const stripping *s, const loop_access *place) {
  for (uint32_t i = 0; i < loop_n_indices(place); i++) {
    const pm_value *v = place->indices[i].value;
    if (v != loop_counter_of(s->loop) && loop_changes_in(v, s->loop)) return false;
  }
  return true;
}

/* A prefetch that goes along a row is kept, one for each row; others are erased. */
static void take_prefetch(stripping *s, pm_op *op) {
  loop_access place;
  int64_t factor;
  bool along = loop_find_place(op, &place) && place.map->n_results > 0 && has_fixed_indices(s, &place);
  pm_affine_expr last = along ? place.map->results[place.map->n_results - 1] : NULL;
  along = along && loop_find_factor(&place, last, loop_counter_of(s->loop), &factor) && factor > 0 &&
          factor <= PM_LINE_BYTES;
  bool is_row = along;
  for (size_t i = 0; i < s->prefetches.len && along; i++) along = !same_row(s->prefetches.data[i], op);
  if (!along) {
    if (!is_row)
      pm_pass_remark(s->pass, op->loc, PM_REMARK_MISSED, NULL, 0,
                     "a prefetch is dropped, since it does not run along a row with its vector loop");
    pm_op_erase(op);
    s->changed = true;
    return;
  }
  int64_t bytes = factor * (int64_t)pm_element_bytes(place.buffer->type);
  PM_VEC_PUSH(s->prefetches, op);
  PM_VEC_PUSH(s->bytes, bytes < PM_LINE_BYTES ? bytes : PM_LINE_BYTES);
}

static void take_prefetches(stripping *s) {
  PM_FOR_OPS(op, pm_region_at(s->loop, loop_for_body))
  if (pm_is(op, &buf_prefetch)) take_prefetch(s, op);
}

/* Points in a strip, no fewer than some vectors: those of `lines` lines of the widest row; of a constant
 * number of points from half as many on what divides it, or else so many more that a few are not left. */
static int64_t strip_of(const stripping *s) {
  int64_t widest = 1, lines = pm_int_at(s->loop, loop_for_prefetch), trips = s->always ? s->length : 0;
  for (size_t i = 0; i < s->bytes.len; i++) widest = s->bytes.data[i] > widest ? s->bytes.data[i] : widest;
  int64_t line = PM_LINE_BYTES / widest, least = line > MIN_STRIP ? line : MIN_STRIP;
  for (int64_t some = lines; some >= (lines + 1) / 2 && trips > 0; some--)
    if (trips % (some * line) == 0 && some * line >= least) return some * line;
  int64_t strip = lines * line > least ? lines * line : least;
  int64_t strips = trips / strip, left = trips % strip;
  if (!strips || left >= strip / 4) return strip;
  return ((trips + strips - 1) / strips + line - 1) / line * line;
}

/* --- what goes past the caches --- */

typedef struct stores {
  stripping *s;
  unsigned n;    /* to results, and past the caches */
  bool accessed; /* the loop has another access of what it stores past the caches, or runs a function */
} stores;

static bool is_result(const pm_value *buffer) {
  return !pm_is_arg(buffer) && pm_is(pm_def(buffer), &buf_output);
}

static bool is_nontemporal(const pm_op *op) {
  return pm_is(op, &buf_store) && pm_attr_at(op, buf_store_nontemporal);
}

static pm_walk find_store(void *user, pm_op *op) {
  stores *f = user;
  loop_access access;
  f->accessed |= pm_is(op, &loop_call);
  if (!loop_find_access(op, &access) || access.reads) return PM_WALK_ON;
  f->n += is_nontemporal(op) || is_result(access.buffer);
  if (is_nontemporal(op)) f->s->store = op;
  return PM_WALK_ON;
}

static pm_walk find_other(void *user, pm_op *op) {
  stores *f = user;
  loop_access access;
  bool other = op != f->s->store && loop_find_access(op, &access);
  f->accessed |= other && loop_share_memory(access.buffer, pm_arg(f->s->store, buf_store_buffer));
  return PM_WALK_ON;
}

static pm_walk forget(void *user, pm_op *op) {
  (void)user;
  if (pm_is(op, &buf_store)) pm_set_attr(op, buf_store_nontemporal, NULL);
  return PM_WALK_ON;
}

/* Why the loop, which has stores to go past the caches, does not do that; NULL: it does. */
static const char *why_not(const stripping *s, const stores *f) {
  if (f->n > 1) return "it stores several results, which takes longer with them";
  if (f->accessed) return "it has another access of what it stores";
  if (pm_parent(s->store) != s->loop) return "not all of its row is stored";
  return loop_goes_along_row(s->store, s->loop, s->loop) ? NULL : "the elements of its row are not adjacent";
}

/* What only copies is as it should be. */
static void take_store(stripping *s) {
  stores f = {s, 0, false};
  loop_streaming copy;
  pm_walk_pre(s->loop, find_store, &f);
  if (!s->store) return;
  if (loop_find_streaming(s->loop, &copy)) {
    s->store = NULL;
    return;
  }
  pm_walk_pre(s->loop, find_other, &f);
  s->element = (int64_t)pm_element_bytes(pm_arg(s->store, buf_store_buffer)->type);
  const char *why = why_not(s, &f);
  if (why)
    pm_pass_remark(s->pass, s->loop->loc, PM_REMARK_MISSED, NULL, 0,
                   "a vector loop stores results without non-temporal stores: %s", why);
  else
    pm_pass_remark(s->pass, s->loop->loc, PM_REMARK_PASSED, NULL, 0,
                   "a vector loop stores its row of a result with non-temporal stores");
  if (!why) return;
  pm_walk_pre(s->loop, forget, NULL);
  s->store = NULL;
  s->changed = true;
}

/* --- rewriting --- */

/* A loop over the lines of each row; rows of the same width share one. */
static void build_prefetches(const stripping *s, pm_builder *b, pm_value *lb, pm_value *ub) {
  for (size_t i = 0; i < s->prefetches.len; i++) {
    bool done = false;
    for (size_t k = 0; k < i; k++) done = done || s->bytes.data[k] == s->bytes.data[i];
    if (done) continue;
    pm_op *lines = loop_build_for(b, lb, ub, &(loop_spec){.step = PM_LINE_BYTES / s->bytes.data[i]});
    pm_builder in = loop_inside(lines);
    for (size_t k = i; k < s->prefetches.len; k++) {
      if (s->bytes.data[k] != s->bytes.data[i]) continue;
      pm_map *map = pm_map_new();
      pm_map_set(map, loop_counter_of(s->loop), in.region->args[0]);
      pm_op *copy = pm_clone(pm_module_of(s->loop), s->prefetches.data[k], map);
      copy->loc = s->loop->loc;
      pm_insert(in.region, NULL, copy);
      pm_map_free(map);
    }
  }
}

/* A loop over parts of so many points, around the vector loop, which goes over the part: from *lb to *ub.
 * Gives the builder inside, ahead of the vector loop. */
static pm_builder cut(const stripping *s, int64_t points, bool divides, pm_value **lb, pm_value **ub) {
  pm_builder b = pm_builder_before(s->loop);
  pm_builder in = loop_inside(loop_build_for(&b, *lb, *ub, &(loop_spec){.step = points}));
  pm_value *begin = in.region->args[0];
  pm_value *end = pm_build_binary(&in, &arith_addi, begin, arith_build_index(&in, points));
  if (!divides) end = pm_build_binary(&in, &arith_mini, end, *ub);
  pm_move_before(s->loop, in.region, NULL);
  in.before = s->loop;
  *lb = begin;
  *ub = end;
  return in;
}

/* The vector loop goes over strips of the row, or of the piece of it. */
static void strip(const stripping *s, int64_t points, bool whole) {
  pm_value *lb = s->lb, *ub = s->ub;
  pm_builder b = pm_builder_before(s->loop);
  bool one = whole && s->always && s->length <= points;
  if (!one) b = cut(s, points, whole && s->always && s->length % points == 0, &lb, &ub);
  build_prefetches(s, &b, lb, ub);
  pm_set_operand(s->loop, loop_for_lb, lb);
  pm_set_operand(s->loop, loop_for_ub, ub);
}

static pm_value *build_memory(pm_builder *b, pm_type element, int64_t elements) {
  pm_value *memory = buf_build_alloc(b, pm_get_memref(element, 1, &elements, PM_SPACE_STACK), NULL, NULL);
  pm_set_attr(pm_def(memory), buf_alloc_align,
              pm_get_index_attr(pm_module_context(b->module), PM_LINE_BYTES));
  return memory;
}

/* Copies the row, or the piece of it, behind the vector loop. */
static void build_copy(const stripping *s, pm_value *memory) {
  pm_context *ctx = pm_op_context(s->loop);
  pm_value *counter = loop_counter_of(s->loop);
  pm_builder b = pm_builder_before(s->loop);
  b.before = s->loop->next;
  loop_spec spec = {.step = 1, .simd = true, .counter = counter->name};
  pm_op *copy = loop_build_for(&b, s->lb, s->ub, &spec);
  pm_builder in = loop_inside(copy);
  pm_map *map = pm_map_new();
  pm_map_set(map, counter, in.region->args[0]);
  pm_value *element =
      buf_build_load(&in, memory, buf_offset_map(ctx), (pm_value *[]){in.region->args[0], s->lb});
  pm_op *store = pm_clone(pm_module_of(copy), s->store, map);
  pm_set_operand(store, buf_store_value, element);
  pm_insert(in.region, NULL, store);
  pm_map_free(map);
}

/* Points of a piece: whole lines, one at least, and whole strips if there is room. */
static int64_t piece_of(const stripping *s, int64_t points, int64_t most) {
  int64_t line = PM_LINE_BYTES / s->element > 0 ? PM_LINE_BYTES / s->element : 1;
  int64_t unit = loop_joint_period(line, points, INT32_MAX), n = unit ? most / (unit * s->element) : 0;
  int64_t lines = most / (line * s->element);
  return n ? n * unit : (lines ? lines : 1) * line;
}

/* The row is computed in memory of its own; false: in pieces. */
static bool store_aside(stripping *s, int64_t points) {
  int64_t most = pm_opt_int(s->pass, strip_rows_opt_most);
  bool whole = s->length && s->length * s->element <= most;
  int64_t piece = whole ? s->length : piece_of(s, points, most);
  pm_builder b = pm_builder_before(s->loop);
  if (!whole) b = cut(s, piece, s->always && s->length % piece == 0, &s->lb, &s->ub);
  pm_set_operand(s->loop, loop_for_lb, s->lb);
  pm_set_operand(s->loop, loop_for_ub, s->ub);
  pm_value *memory = build_memory(&b, pm_elem_type(pm_arg(s->store, buf_store_buffer)->type), piece);
  build_copy(s, memory);
  pm_builder at = pm_builder_before(s->store);
  buf_build_store(&at, pm_arg(s->store, buf_store_value), memory, buf_offset_map(pm_op_context(s->loop)),
                  (pm_value *[]){loop_counter_of(s->loop), s->lb});
  pm_op_erase(s->store);
  return whole;
}

static bool visit(pm_pass *pass, pm_op *loop) {
  stripping s = {.pass = pass, .loop = loop};
  bool marked = pm_attr_at(loop, loop_for_prefetch) != NULL;
  find_length(&s);
  take_prefetches(&s);
  take_store(&s);
  int64_t points = marked && s.prefetches.len ? strip_of(&s) : 1;
  bool whole = !s.store || store_aside(&s, points);
  if (marked && s.prefetches.len) strip(&s, points, whole);
  for (size_t i = 0; i < s.prefetches.len; i++) pm_op_erase(s.prefetches.data[i]);
  pm_set_attr(loop, loop_for_prefetch, NULL);
  pm_pass_stat(pass, "rows prefetched", (int64_t)s.prefetches.len);
  pm_pass_stat(pass, "rows stored past the caches", s.store != NULL);
  bool changed = marked || s.changed || s.prefetches.len || s.store;
  PM_VEC_FREE(s.prefetches);
  PM_VEC_FREE(s.bytes);
  return changed;
}

typedef struct dropping {
  pm_pass *pass;
  bool changed;
} dropping;

/* In a loop with simd that is no plain vector loop, or under a condition in one, a prefetch would be one for
 * each element. */
static pm_walk drop_prefetch(void *user, pm_op *op) {
  dropping *d = user;
  if (pm_is(op, &loop_for) && pm_attr_at(op, loop_for_prefetch)) {
    pm_set_attr(op, loop_for_prefetch, NULL);
    d->changed = true;
  }
  const pm_op *up = pm_is(op, &buf_prefetch) ? pm_parent(op) : NULL;
  while (up && !(pm_is(up, &loop_for) && pm_attr_at(up, loop_for_simd))) up = pm_parent(up);
  if (!up) return PM_WALK_ON;
  pm_pass_remark(d->pass, op->loc, PM_REMARK_MISSED, NULL, 0,
                 "a prefetch is dropped: its vector loop has steps, or the prefetch is under a condition");
  pm_op_erase(op);
  d->changed = true;
  return PM_WALK_ON;
}

pm_result pass_strip_rows(pm_pass *pass) {
  loop_list loops = {0};
  bool changed = false;
  loop_list_vector_loops(pm_pass_root(pass), &loops);
  for (size_t i = 0; i < loops.len; i++) changed = visit(pass, loops.data[i]) || changed;
  PM_VEC_FREE(loops);
  dropping d = {pass, changed};
  pm_walk_post(pm_pass_root(pass), drop_prefetch, &d);
  return d.changed ? PM_CHANGED : PM_UNCHANGED;
}
