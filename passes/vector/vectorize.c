/* vectorize: vector loops are loops of vectors.
 *
 *   loop.for %i = %a to %b step 1 simd {               |  loop.for %i = %a to %e step 8 {
 *     %k = buf.load %in[%i] : memref<?xi32>            |    %k = vec.load %in[%i] : memref<?xi32>, vector<8xi32>
 *     %v = buf.load %t[%k] : memref<?xf32>             |    %g = vec.gather %t[0] [%k] : … into vector<16xf32>
 *     %w = buf.load %t[%k + 1]                         |    %v = vec.shuffle %g, %g [0, 2, 4, 6, 8, 10, 12, 14]
 *                                                      |    %w = vec.shuffle %g, %g [1, 3, 5, 7, 9, 11, 13, 15]
 *     %s = arith.addf %v, %w : f32                     |    %s = arith.addf %v, %w : vector<8xf32>
 *     buf.store %s, %out[%i]                           |    vec.store %s, %out[%i]
 *   }                                                  |  }
 *                                                      |  loop.for %i = %e to %b step 8 unroll 1 {
 *                                                      |    %j = arith.mini %i, %b - 8
 *                                                      |    … the same from %j on …
 *                                                      |  }
 *                                                      |  loop.for … step 1 unroll 1 { … as it was … }
 *
 * The last vector begins where it ends with the row: its first iterations are run again, and store the same.
 * Where they load what they store, and in rows shorter than a vector, the last iterations are scalar. Short
 * bodies compute several vectors at once.
 *
 * What several iterations load or store next to each other, every second element say, is one vector, whose
 * lanes are shuffled (Nuzman, Rosen and Zaks, Auto-vectorization of interleaved data for SIMD, PLDI 2006).
 * Elements that are next to each other are gathered together, as one integer of their bytes: for processors
 * that costs as much as one of them. The iterations may be run in any order and at once.
 */
#include "passes/vector/vectorize/lanes.h"
#include "dialects/arith/arith.h"
#include "dialects/loop/analyses/indices.h"
#include "dialects/loop/analyses/loops.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/loop.h"
#include "dialects/loop/rewrite/phase.h"
#include "dialects/loop/vec.h"
#include "dialects/machine/machine.h"
#include "passes/options.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_LANES = 4, MOST_LANES = 64, MOST_PLACES = 4 };

/* An access of the body. Those of one buffer at places next to each other share a vector: they are a group,
 * of which the first one of the body knows the size, and each its lane. */
typedef struct body_access {
  pm_op *op;
  loop_access access;
  place at;
  bool steady; /* it moves by `step` elements from each iteration to the next */
  int64_t step;
  bool grouped;
  size_t first;    /* of the group: number in the list */
  int64_t n, lane; /* accesses of the group */
  bool windowed;   /* its places in a vector are known from that of lane 0: */
  quotient window; /* they differ from it by a quotient of the number of the lane */
} body_access;

typedef struct vectorizing {
  pm_pass *pass;
  const loop_ranges *ranges;
  pm_op *loop;
  PM_VEC(body_access) accesses;
  int64_t lookups, widest;
  bool done;
} vectorizing;

static const pm_region *body_of(const vectorizing *v) {
  return pm_region_at(v->loop, loop_for_body);
}

/* --- what is in the body --- */

static bool has_lanes(const pm_op *op) {
  return pm_has_trait(op, PM_CONSTANT) ||
         (pm_has_trait(op, PM_PURE) && op->n_results == 1 && op->desc->kernel &&
          op->desc->cost != PM_COST_CALL && !op->n_regions && op->desc->results[0].constraint != T_INDEX);
}

/* It computes, loads or stores an element. */
static bool is_computed(const pm_op *op) {
  return !pm_has_trait(op, PM_CONSTANT) && !pm_has_trait(op, PM_TERMINATOR) &&
         (!op->n_results || !pm_is_index(pm_res(op, 0)->type));
}

static bool is_plain(const pm_op *op) {
  if (buf_stage_of(op)) return false;
  return pm_is(op, &buf_load) || (pm_is(op, &buf_store) && !pm_attr_at(op, buf_store_nontemporal));
}

static void see_type(vectorizing *v, pm_type type) {
  int64_t bytes = pm_is_index(type) ? 0 : pm_element_bytes(type);
  v->widest = bytes > v->widest ? bytes : v->widest;
}

/* Returns NULL, or why the loop can be none of vectors. */
static const char *add_access(vectorizing *v, pm_op *op) {
  body_access a = {.op = op};
  if (op->n_regions) return "there are conditions or loops in it";
  if (op->desc->cost == PM_COST_CALL) return "it calls functions";
  if (!loop_find_access(op, &a.access) || !is_plain(op))
    return "it does more than to load, compute and store";
  if (a.access.buffer->type->strides && a.access.map->n_results > 1)
    return "an array has strides that are not known";
  if (!place_find(&a.access, v->loop, &a.at)) return "an index is no sum of products";
  a.steady = place_find_step(&a.at, v->loop, &a.step);
  v->lookups += !a.steady && a.access.reads;
  see_type(v, pm_elem_type(a.access.buffer->type));
  PM_VEC_PUSH(v->accesses, a);
  return NULL;
}

static const char *add_ops(vectorizing *v) {
  PM_FOR_OPS(op, body_of(v)) {
    if (pm_has_trait(op, PM_TERMINATOR)) continue;
    const char *obstacle = has_lanes(op) ? NULL : add_access(v, op);
    if (obstacle) return obstacle;
    if (op->n_results) see_type(v, pm_res(op, 0)->type);
  }
  return NULL;
}

/* --- what shares a vector --- */

static bool are_alike(const body_access *a, const body_access *b) {
  return a->access.buffer == b->access.buffer && a->access.reads == b->access.reads &&
         place_same_terms(&a->at, &b->at);
}

/* Between the two an access of other places may be of what they access, and one of them writes. */
static bool is_barred(const vectorizing *v, size_t first, size_t last) {
  const body_access *a = &v->accesses.data[first];
  for (size_t i = first + 1; i < last; i++) {
    const body_access *b = &v->accesses.data[i];
    if ((a->access.reads && b->access.reads) || are_alike(a, b)) continue;
    if (loop_share_memory(a->access.buffer, b->access.buffer)) return true;
  }
  return false;
}

/* An access like `first` at this number, behind it and in no group; NULL: there is none that may share its
 * vector. */
static body_access *find_at(const vectorizing *v, size_t first, int64_t number) {
  for (size_t i = first; i < v->accesses.len; i++) {
    body_access *a = &v->accesses.data[i];
    if (!a->grouped && a->at.number == number && are_alike(a, &v->accesses.data[first]))
      return is_barred(v, first, i) ? NULL : a;
  }
  return NULL;
}

static void join_group(body_access *a, size_t first, int64_t number, int64_t n) {
  a->grouped = true;
  a->first = first;
  a->n = n;
  a->lane = a->at.number - number;
}

/* All places from this number on. */
static bool make_group(vectorizing *v, size_t first, int64_t number, int64_t n) {
  body_access *members[MOST_PLACES];
  for (int64_t k = 0; k < n; k++) {
    members[k] = find_at(v, first, number + k);
    if (!members[k]) return false;
  }
  for (int64_t k = 0; k < n; k++) join_group(members[k], first, number, n);
  return true;
}

/* Those that are read: what a vector loads between them is in the array as they are. */
static void make_part(vectorizing *v, size_t first, int64_t n) {
  int64_t number = v->accesses.data[first].at.number - n + 1;
  while (!find_at(v, first, number)) number++;
  for (int64_t k = 0; k < n; k++) {
    body_access *a = find_at(v, first, number + k);
    if (a) join_group(a, first, number, n);
  }
}

/* How many places next to each other a vector has: what an access steps over, or what is gathered at once. */
static int64_t places_of(const body_access *a) {
  if (a->windowed) return 1;
  int64_t bytes = pm_element_bytes(pm_elem_type(a->access.buffer->type));
  if (a->steady) return a->step > 1 && a->step <= MOST_PLACES ? a->step : 1;
  return a->access.reads && bytes < PM_MOST_GATHERED_BYTES ? PM_MOST_GATHERED_BYTES / bytes : 1;
}

static void find_groups(vectorizing *v) {
  for (size_t i = 0; i < v->accesses.len; i++) {
    body_access *a = &v->accesses.data[i];
    int64_t n = places_of(a);
    for (int64_t k = 0; k < n && !a->grouped; k++) (void)make_group(v, i, a->at.number - k, n);
    if (!a->grouped) make_part(v, i, a->steady && a->access.reads ? n : 1);
  }
}

/* --- which loops --- */

/* Those of a whole group go to consecutive elements. */
static bool stores_in_rows(const vectorizing *v) {
  for (size_t i = 0; i < v->accesses.len; i++) {
    const body_access *a = &v->accesses.data[i];
    if (!a->access.reads && (!a->steady || a->step != a->n)) return false;
  }
  return true;
}

/* Neither the same element in all iterations, nor a row or a window of them. */
static bool is_gathered(const body_access *a) {
  bool row = a->steady && a->step >= 0 && a->step <= MOST_PLACES;
  return a->access.reads && !row && !a->windowed;
}

static bool gathers_words(const vectorizing *v) {
  for (size_t i = 0; i < v->accesses.len; i++) {
    const body_access *a = &v->accesses.data[i];
    int64_t bytes = pm_element_bytes(pm_elem_type(a->access.buffer->type));
    if (is_gathered(a) && bytes < PM_LEAST_GATHERED_BYTES) return false;
  }
  return true;
}

/* A place that moves with one quotient, which leaves the same in lane 0 of each vector of `n` lanes. */
static void find_window(const vectorizing *v, body_access *a, int64_t n) {
  const place_term *only = NULL;
  size_t varying = 0;
  for (size_t i = 0; i < a->at.terms.len; i++) {
    if (!loop_changes_in(a->at.terms.data[i].value, v->loop)) continue;
    only = &a->at.terms.data[i];
    varying++;
  }
  a->windowed = a->access.reads && varying == 1 && !only->by && only->factor == 1 &&
                place_find_quotient(v->loop, only->value, &a->window) && a->window.rest >= 0 &&
                n * a->window.step % a->window.divisor == 0 && a->window.step <= a->window.divisor;
}

/* Of a vector, at most; fewer where there are fewer iterations. */
static unsigned lanes_in(const vectorizing *v, int64_t bytes) {
  pm_attr width = pm_attr_at(v->loop, loop_for_width);
  int64_t lanes = v->widest ? bytes / v->widest : 0, trips;
  if (width) lanes = width->i;
  if (lanes > MOST_LANES) lanes = MOST_LANES;
  return loop_find_most_trips(v->loop, &trips) && trips < lanes ? 0 : (unsigned)lanes;
}

/* Elements at linear places, sums and products of them, and nothing else. */
static bool is_stencil(const vectorizing *v) {
  for (size_t i = 0; i < v->accesses.len; i++)
    if (!v->accesses.data[i].steady || v->accesses.data[i].step > 1) return false;
  PM_FOR_OPS(op, body_of(v))
  if (is_computed(op) && op->desc->kernel && op->desc->cost != PM_COST_OP) return false;
  return true;
}

/* Of a short body the counting, and the places of the elements, are a large part of the instructions: an
 * iteration computes several vectors. Longer ones need more registers than there are, but for stencils, whose
 * values live briefly. Where rows are known to be short, more would be left for their ends. */
static unsigned vectors_at_once(const vectorizing *v, unsigned lanes) {
  enum { TINY = 3, SHORT = 7, STENCIL = 40, SHORT_ROW = 128 };
  int64_t trips, ops = 0;
  PM_FOR_OPS(op, body_of(v)) ops += is_computed(op);
  unsigned n = ops <= TINY ? 4 : ops <= SHORT || (ops <= STENCIL && is_stencil(v)) ? 2 : 1;
  while (n * lanes > MOST_LANES && n > 1) n /= 2;
  bool whole = loop_find_trips(v->loop, &trips) && trips % (n * lanes) == 0;
  return !whole && loop_find_most_trips(v->loop, &trips) && trips < SHORT_ROW ? 1 : n;
}

/* --- rewriting --- */

typedef struct emission {
  const vectorizing *v;
  lanes l;
  PM_VEC(pm_value *) stored; /* of each access that stores: what it does */
} emission;

/* Lane k is lane k * n + from. */
static pm_value *every_nth(emission *e, pm_value *vector, int64_t n, int64_t from) {
  int64_t chosen[MOST_LANES];
  if (n == 1) return vector;
  for (unsigned k = 0; k < e->l.n; k++) chosen[k] = k * n + from;
  return vec_build_shuffle(&e->l.in, vector, vector, chosen, e->l.n);
}

static const body_access *member(const emission *e, size_t first, int64_t lane) {
  for (size_t i = first; i < e->v->accesses.len; i++) {
    const body_access *a = &e->v->accesses.data[i];
    if (a->first == first && a->lane == lane) return a;
  }
  return NULL;
}

static pm_value *load_at(emission *e, const body_access *a, const place *at, int64_t elements) {
  lanes *l = &e->l;
  pm_value *buffer = (pm_value *)a->access.buffer, *loaded;
  place_operands operands = {0};
  pm_affine_map map = place_build_map(pm_module_context(l->in.module), at, &operands);
  pm_type type = pm_get_vector(pm_elem_type(buffer->type), (unsigned)elements);
  if (elements == 1)
    loaded = vec_build_splat(&l->in, buf_build_load(&l->in, buffer, map, operands.data), l->n);
  else
    loaded = vec_build_load(&l->in, type, buffer, map, operands.data);
  PM_VEC_FREE(operands);
  return loaded;
}

static pm_value *join(emission *e, pm_value *all, pm_value *next) {
  int64_t chosen[MOST_LANES * MOST_PLACES];
  unsigned len = (unsigned)(all->type->lanes + next->type->lanes);
  for (unsigned i = 0; i < len; i++) chosen[i] = i;
  return vec_build_shuffle(&e->l.in, all, next, chosen, len);
}

/* How many places are behind the last one of the group that is read. */
static int64_t unread(const emission *e, size_t first, int64_t n) {
  int64_t last = n - 1;
  while (!member(e, first, last)) last--;
  return n - 1 - last;
}

/* The elements from that of lane 0 on, n for each iteration; nothing behind the last one that is read, so
 * that the last one of several vectors may begin earlier. */
static void emit_row(emission *e, const body_access *a, size_t number) {
  int64_t n = e->l.n, back = unread(e, number, a->n), chosen[MOST_LANES];
  place at = lanes_first(&e->l, &member(e, number, 0)->at);
  pm_value *all = load_at(e, a, &at, back ? n : n * a->n);
  for (int64_t k = 1; k < a->n && back; k++) {
    at.number += k < a->n - 1 ? n : n - back;
    all = join(e, all, load_at(e, a, &at, n));
  }
  place_free(&at);
  for (size_t i = number; i < e->v->accesses.len; i++) {
    const body_access *b = &e->v->accesses.data[i];
    if (b->first != number) continue;
    for (int64_t k = 0; k < n; k++) {
      chosen[k] = k * a->n + b->lane;
      if (chosen[k] >= n * (a->n - 1)) chosen[k] += back;
    }
    lanes_set(&e->l, pm_res(b->op, 0),
              a->n == 1 ? all : vec_build_shuffle(&e->l.in, all, all, chosen, e->l.n));
  }
}

/* The elements from that of lane 0 on to that of the last lane, each in its lanes. */
static pm_value *build_window(emission *e, const body_access *a) {
  int64_t chosen[MOST_LANES];
  for (unsigned k = 0; k < e->l.n; k++) chosen[k] = (a->window.rest + k * a->window.step) / a->window.divisor;
  int64_t elements = chosen[e->l.n - 1] + 1;
  place at = lanes_first(&e->l, &a->at);
  pm_value *loaded = load_at(e, a, &at, elements);
  place_free(&at);
  return elements == 1 ? loaded : vec_build_shuffle(&e->l.in, loaded, loaded, chosen, e->l.n);
}

/* Of all places of the group, by turns; the same ones in all lanes where nothing changes. */
static pm_value *build_gather(emission *e, const body_access *a) {
  lanes *l = &e->l;
  place at;
  pm_value *offsets = lanes_find_offsets(l, &a->at, &at), *loaded;
  if (offsets) {
    pm_type type = pm_get_vector(pm_elem_type(a->access.buffer->type), (unsigned)(l->n * a->n));
    place_operands operands = {0};
    pm_affine_map map = place_build_map(pm_module_context(l->in.module), &at, &operands);
    loaded = vec_build_gather(&l->in, type, offsets, (pm_value *)a->access.buffer, map, operands.data);
    PM_VEC_FREE(operands);
  } else {
    loaded = load_at(e, a, &at, 1);
  }
  place_free(&at);
  return loaded;
}

static void emit_load(emission *e, const body_access *a, size_t number) {
  if (a->first != number) return;
  if (a->windowed) {
    lanes_set(&e->l, pm_res(a->op, 0), build_window(e, a));
  } else if (a->steady && a->step == a->n) {
    emit_row(e, a, number);
  } else {
    pm_value *all = build_gather(e, member(e, number, 0));
    for (int64_t k = 0; k < a->n; k++)
      lanes_set(&e->l, pm_res(member(e, number, k)->op, 0), every_nth(e, all, a->n, k));
  }
}

/* What the accesses of the group store, by turns. */
static pm_value *interleave(emission *e, size_t first, int64_t n) {
  int64_t chosen[MOST_LANES * MOST_PLACES];
  pm_value *all = e->stored.data[member(e, first, 0) - e->v->accesses.data];
  for (int64_t k = 1; k < n; k++)
    all = join(e, all, e->stored.data[member(e, first, k) - e->v->accesses.data]);
  for (unsigned i = 0; i < e->l.n * n; i++) chosen[i] = i % n * e->l.n + i / n;
  return n == 1 ? all : vec_build_shuffle(&e->l.in, all, all, chosen, (unsigned)(e->l.n * n));
}

/* With the last one of the group. */
static void emit_store(emission *e, const body_access *a, size_t number) {
  e->stored.data[number] = lanes_of(&e->l, pm_arg(a->op, buf_store_value));
  for (size_t i = number + 1; i < e->v->accesses.len; i++)
    if (e->v->accesses.data[i].first == a->first) return;
  place_operands operands = {0};
  place base = lanes_first(&e->l, &member(e, a->first, 0)->at);
  pm_affine_map map = place_build_map(pm_module_context(e->l.in.module), &base, &operands);
  pm_value *all = interleave(e, a->first, a->n);
  vec_build_store(&e->l.in, all, (pm_value *)a->access.buffer, map, operands.data);
  PM_VEC_FREE(operands);
  place_free(&base);
}

/* An iteration that is run again stores the same: it loads nothing that it stores. Windows are of whole
 * vectors. */
static bool may_run_again(const vectorizing *v) {
  for (size_t i = 0; i < v->accesses.len; i++) {
    const body_access *a = &v->accesses.data[i];
    if (a->windowed) return false;
    for (size_t k = 0; k < v->accesses.len && a->access.reads; k++) {
      const loop_access *b = &v->accesses.data[k].access;
      if (!b->reads && loop_share_memory(a->access.buffer, b->buffer)) return false;
    }
  }
  return true;
}

static void unroll_by(pm_op *loop, int64_t times) {
  pm_set_attr(loop, loop_for_unroll, pm_get_int(pm_get_scalar(pm_op_context(loop), PM_INDEX), times));
}

/* The iterations from this value of the counter on. */
static void emit_body(const vectorizing *v, unsigned n, pm_builder in, pm_value *counter) {
  emission e = {.v = v, .l = lanes_begin(v->ranges, v->loop, n, in, counter)};
  for (size_t i = 0; i < v->accesses.len; i++) PM_VEC_PUSH(e.stored, NULL);
  for (size_t i = 0; i < v->accesses.len; i++) {
    const body_access *a = &v->accesses.data[i];
    e.l.in.loc = a->op->loc;
    if (a->access.reads)
      emit_load(&e, a, i);
    else
      emit_store(&e, a, i);
  }
  PM_VEC_FREE(e.stored);
  lanes_end(&e.l);
}

/* As many iterations at a time as there are left. */
static void emit_whole(const vectorizing *v, unsigned n) {
  pm_builder in = loop_split_whole(v->loop, n);
  emit_body(v, n, in, in.region->args[0]);
}

/* What is left of a loop that began at `lb`: the last vector begins where it ends with the last iteration,
 * unless there are too few for one. */
static void emit_rest(const vectorizing *v, unsigned n, pm_value *lb) {
  pm_builder b = pm_builder_before(v->loop);
  loop_spec spec = {.step = n, .counter = loop_counter_of(v->loop)->name};
  pm_value *from = pm_arg(v->loop, loop_for_lb), *ub = pm_arg(v->loop, loop_for_ub), *end = ub;
  pm_value *last = pm_build_binary(&b, &arith_subi, ub, arith_build_index(&b, n));
  int64_t length;
  if (!loop_find_length(lb, ub, &length) || length < n)
    end = arith_build_select(&b, arith_build_cmp(&b, ARITH_LE, lb, last), ub, from);
  pm_op *rest = loop_build_for(&b, from, end, &spec);
  pm_builder in = loop_inside(rest);
  emit_body(v, n, in, pm_build_binary(&in, &arith_mini, in.region->args[0], last));
  unroll_by(rest, 1);
  pm_set_operand(v->loop, loop_for_lb, end);
}

static bool is_done(const vectorizing *v) {
  return loop_is_empty(pm_arg(v->loop, loop_for_lb), pm_arg(v->loop, loop_for_ub));
}

/* Loads of elements that two vectors stored wait for both of them: for so few iterations that is not worth
 * it. */
static bool ends_with_few(const vectorizing *v, int64_t lanes) {
  enum { FEW = 2 };
  int64_t trips;
  return loop_find_trips(v->loop, &trips) && trips % lanes <= FEW;
}

static void emit(const vectorizing *v, unsigned n) {
  unsigned most = n * vectors_at_once(v, n);
  pm_value *lb = pm_arg(v->loop, loop_for_lb);
  emit_whole(v, most);
  if (!is_done(v) && may_run_again(v) && !ends_with_few(v, n))
    emit_rest(v, n, lb);
  else if (!is_done(v) && most > n)
    emit_whole(v, n);
  if (is_done(v)) {
    pm_op_erase(v->loop);
  } else {
    loop_make_scalar(v->loop);
    unroll_by(v->loop, 1);
  }
}

/* --- loops that stay --- */

/* What a compiler would load or store lane by lane, and the functions that it would call on vectors. */
typedef struct lane_counter {
  const vectorizing *v;
  int64_t accesses, calls;
} lane_counter;

static pm_walk count_lanes(void *user, pm_op *op) {
  lane_counter *count = user;
  loop_access access;
  count->calls += op->desc->cost == PM_COST_CALL;
  if (!loop_find_access(op, &access)) return PM_WALK_ON;
  int64_t step, bytes = pm_element_bytes(pm_elem_type(access.buffer->type));
  place at;
  bool placed = place_find(&access, count->v->loop, &at);
  bool steady = placed && place_find_step(&at, count->v->loop, &step);
  if (placed) place_free(&at);
  count->accesses += !steady && !(access.reads && bytes >= PM_LEAST_GATHERED_BYTES);
  return PM_WALK_ON;
}

/* Compilers may still make vectors of it, with functions on vectors; those are worth such accesses, if there
 * may be any: not where floats are strict. */
static bool gains_by_lanes(const vectorizing *v) {
  lane_counter count = {.v = v};
  pm_string fp = pm_sym_at(pm_pass_root(v->pass), loop_func_fp);
  pm_walk_pre(v->loop, count_lanes, &count);
  return count.accesses <= (fp && !strcmp(fp->text, "strict") ? 0 : count.calls);
}

/* True: the loop is changed, to one without vectors. */
static bool leave_loop(const vectorizing *v, const char *why) {
  pm_pass_remark(v->pass, v->loop->loc, PM_REMARK_MISSED, (pm_remark_arg[]){{"lookups", (double)v->lookups}},
                 1, "the loop is no loop of vectors: %s", why);
  if (gains_by_lanes(v)) return false;
  loop_make_scalar(v->loop);
  return true;
}

static bool vectorize(vectorizing *v, int64_t bytes) {
  const char *obstacle = add_ops(v);
  if (obstacle) return leave_loop(v, obstacle);
  unsigned n = lanes_in(v, bytes);
  if (n < LEAST_LANES) return leave_loop(v, "it has too few iterations, or too wide numbers");
  for (size_t i = 0; i < v->accesses.len; i++) find_window(v, &v->accesses.data[i], n);
  if (!gathers_words(v)) return leave_loop(v, "processors gather no elements of 8 or 16 bits");
  find_groups(v);
  if (!stores_in_rows(v)) return leave_loop(v, "its stores are not to consecutive elements");
  pm_pass_remark(v->pass, v->loop->loc, PM_REMARK_PASSED,
                 (pm_remark_arg[]){{"lookups", (double)v->lookups}, {"lanes", (double)n}}, 2,
                 "the loop computes vectors of %u iterations; it has %lld table reads", n,
                 (long long)v->lookups);
  emit(v, n);
  v->done = true;
  return true;
}

pm_result pass_vectorize(pm_pass *pass) {
  loop_list loops = {0};
  int64_t done = 0;
  bool changed = false;
  pm_machine machine = {.vector_bytes = pm_opt_int(pass, vectorize_opt_bytes)};
  if (!machine.vector_bytes && !pm_code_machine_of(pm_pass_root(pass), &machine)) return PM_FAILED;
  loop_list_vector_loops(pm_pass_root(pass), &loops);
  for (size_t i = 0; i < loops.len; i++) {
    vectorizing v = {
        .pass = pass, .ranges = pm_pass_analysis(pass, &loop_ranges_analysis), .loop = loops.data[i]};
    changed |= vectorize(&v, machine.vector_bytes);
    done += v.done;
    for (size_t k = 0; k < v.accesses.len; k++) place_free(&v.accesses.data[k].at);
    PM_VEC_FREE(v.accesses);
  }
  PM_VEC_FREE(loops);
  pm_pass_stat(pass, "loops vectorized", done);
  return changed ? PM_CHANGED : PM_UNCHANGED;
}
