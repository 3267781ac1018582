/* vectorize: vector loops that look values up are loops of vectors.
 *
 *   loop.for %i = %a to %b step 1 simd {               |  loop.for %i = %a to %e step 8 {
 *     %k = buf.load %in[%i] : memref<?xi32>            |    %k = vec.load %in[%i] : memref<?xi32>, vector<8xi32>
 *     %v = buf.load %t[%k] : memref<?xf32>             |    %g = vec.gather %t[0] [%k] : … into vector<16xf32>
 *     %w = buf.load %t[%k + 1]                         |    %v = vec.shuffle %g, %g [0, 2, 4, 6, 8, 10, 12, 14]
 *                                                      |    %w = vec.shuffle %g, %g [1, 3, 5, 7, 9, 11, 13, 15]
 *     %s = arith.addf %v, %w : f32                     |    %s = arith.addf %v, %w : vector<8xf32>
 *     buf.store %s, %out[%i]                           |    vec.store %s, %out[%i]
 *   }                                                  |  }
 *                                                      |  loop.for %i = %e to %b step 1 { … as it was … }
 *
 * Compilers make such loops of scalar look-ups, or of one gather for each. Elements that are next to each
 * other are gathered together, as one integer of their bytes: for processors that costs as much as one of
 * them. What several iterations load or store next to each other, every second element say, is one vector,
 * whose lanes are shuffled. The iterations may be run in any order and at once.
 */
#include "passes/vector/vectorize/lanes.h"
#include "dialects/arith/arith.h"
#include "dialects/loop/analyses/indices.h"
#include "dialects/loop/analyses/loops.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/loop.h"
#include "dialects/loop/vec.h"
#include "dialects/machine/machine.h"
#include "passes/options.h"

#include <stdlib.h>

enum { LEAST_LANES = 4, MOST_LANES = 16, MOST_PLACES = 4 };

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

static bool is_plain(const pm_op *op) {
  if (pm_is(op, &buf_load)) return !pm_attr_at(op, buf_load_stage);
  return pm_is(op, &buf_store) && !pm_attr_at(op, buf_store_stage) && !pm_attr_at(op, buf_store_nontemporal);
}

static void see_type(vectorizing *v, pm_type type) {
  int64_t bytes = pm_is_index(type) ? 0 : pm_element_bytes(type);
  v->widest = bytes > v->widest ? bytes : v->widest;
}

/* False: the access has no such place. */
static bool add_access(vectorizing *v, pm_op *op) {
  body_access a = {.op = op};
  if (!is_plain(op) || !loop_find_access(op, &a.access) || a.access.buffer->type->strides) return false;
  if (!place_find(&a.access, v->loop, &a.at)) return false;
  a.steady = place_find_step(&a.at, v->loop, &a.step);
  v->lookups += !a.steady && a.access.reads;
  see_type(v, pm_elem_type(a.access.buffer->type));
  PM_VEC_PUSH(v->accesses, a);
  return true;
}

static bool add_ops(vectorizing *v) {
  PM_FOR_OPS(op, body_of(v)) {
    if (pm_has_trait(op, PM_TERMINATOR)) continue;
    if (!has_lanes(op) && !add_access(v, op)) return false;
    if (op->n_results) see_type(v, pm_res(op, 0)->type);
  }
  return true;
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

static bool make_group(vectorizing *v, size_t first, int64_t number, int64_t n) {
  body_access *members[MOST_PLACES];
  for (int64_t k = 0; k < n; k++) {
    members[k] = find_at(v, first, number + k);
    if (!members[k]) return false;
  }
  for (int64_t k = 0; k < n; k++) {
    members[k]->grouped = true;
    members[k]->first = first;
    members[k]->n = n;
    members[k]->lane = k;
  }
  return true;
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
    if (!a->grouped) (void)make_group(v, i, a->at.number, 1);
  }
}

/* --- which loops --- */

static bool missed(const vectorizing *v, const char *why) {
  pm_pass_remark(v->pass, v->loop->loc, PM_REMARK_MISSED, (pm_remark_arg[]){{"lookups", (double)v->lookups}},
                 1, "a loop with %lld table reads is no loop of vectors: %s", (long long)v->lookups, why);
  return false;
}

/* Those of a whole group go to consecutive elements. */
static bool stores_in_rows(const vectorizing *v) {
  for (size_t i = 0; i < v->accesses.len; i++) {
    const body_access *a = &v->accesses.data[i];
    if (!a->access.reads && (!a->steady || a->step != a->n)) return false;
  }
  return true;
}

static bool gathers_words(const vectorizing *v) {
  for (size_t i = 0; i < v->accesses.len; i++) {
    const body_access *a = &v->accesses.data[i];
    int64_t bytes = pm_element_bytes(pm_elem_type(a->access.buffer->type));
    if (a->access.reads && !a->steady && !a->windowed && bytes < PM_LEAST_GATHERED_BYTES) return false;
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

static unsigned lanes_in(const vectorizing *v, int64_t bytes) {
  int64_t lanes = v->widest ? bytes / v->widest : 0, trips;
  if (lanes > MOST_LANES) lanes = MOST_LANES;
  return loop_find_most_trips(v->loop, &trips) && trips < lanes ? 0 : (unsigned)lanes;
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

/* Of the first place of the group. */
static pm_value *build_whole_load(emission *e, const body_access *a) {
  lanes *l = &e->l;
  bool row = a->steady && a->step == a->n;
  pm_type type = pm_get_vector(pm_elem_type(a->access.buffer->type), (unsigned)(l->n * a->n));
  pm_value *buffer = (pm_value *)a->access.buffer, *vector, *offsets = NULL;
  place_operands operands = {0};
  place base;
  if (row)
    base = lanes_first(l, &a->at);
  else
    offsets = lanes_find_offsets(l, &a->at, &base);
  pm_affine_map map = place_build_map(pm_module_context(l->in.module), &base, &operands);
  if (row)
    vector = vec_build_load(&l->in, type, buffer, map, operands.data);
  else if (offsets)
    vector = vec_build_gather(&l->in, type, offsets, buffer, map, operands.data);
  else
    vector = vec_build_splat(&l->in, buf_build_load(&l->in, buffer, map, operands.data), l->n);
  PM_VEC_FREE(operands);
  place_free(&base);
  return vector;
}

/* The elements from that of lane 0 on to that of the last lane, each in its lanes. */
static pm_value *build_window(emission *e, const body_access *a) {
  lanes *l = &e->l;
  int64_t chosen[MOST_LANES];
  for (unsigned k = 0; k < l->n; k++) chosen[k] = (a->window.rest + k * a->window.step) / a->window.divisor;
  int64_t elements = chosen[l->n - 1] + 1;
  pm_value *buffer = (pm_value *)a->access.buffer, *vector;
  place_operands operands = {0};
  place base = lanes_first(l, &a->at);
  pm_affine_map map = place_build_map(pm_module_context(l->in.module), &base, &operands);
  if (elements == 1) {
    vector = vec_build_splat(&l->in, buf_build_load(&l->in, buffer, map, operands.data), l->n);
  } else {
    pm_type type = pm_get_vector(pm_elem_type(buffer->type), (unsigned)elements);
    vector = vec_build_load(&l->in, type, buffer, map, operands.data);
    vector = vec_build_shuffle(&l->in, vector, vector, chosen, l->n);
  }
  PM_VEC_FREE(operands);
  place_free(&base);
  return vector;
}

static void emit_load(emission *e, const body_access *a, size_t number) {
  if (a->first != number) return;
  if (a->windowed) {
    lanes_set(&e->l, pm_res(a->op, 0), build_window(e, a));
    return;
  }
  pm_value *whole = build_whole_load(e, member(e, number, 0));
  for (int64_t k = 0; k < a->n; k++)
    lanes_set(&e->l, pm_res(member(e, number, k)->op, 0), every_nth(e, whole, a->n, k));
}

/* What the accesses of the group store, by turns. */
static pm_value *interleave(emission *e, size_t first, int64_t n) {
  int64_t chosen[MOST_LANES * MOST_PLACES];
  pm_value *all = e->stored.data[member(e, first, 0) - e->v->accesses.data];
  for (int64_t k = 1; k < n; k++) {
    pm_value *next = e->stored.data[member(e, first, k) - e->v->accesses.data];
    unsigned len = (unsigned)(e->l.n * (k + 1));
    for (unsigned i = 0; i < len; i++) chosen[i] = i;
    all = vec_build_shuffle(&e->l.in, all, next, chosen, len);
  }
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

static void emit(const vectorizing *v, unsigned n) {
  int64_t trips;
  bool whole = loop_find_trips(v->loop, &trips) && trips % n == 0;
  emission e = {.v = v, .l = lanes_begin(v->ranges, v->loop, n)};
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
  if (whole)
    pm_op_erase(v->loop);
  else
    loop_make_scalar(v->loop);
}

static bool vectorize(vectorizing *v, int64_t bytes) {
  bool plain = add_ops(v);
  if (!v->lookups) return false;
  if (!plain) return missed(v, "its body is not straight");
  unsigned n = lanes_in(v, bytes);
  if (n < LEAST_LANES) return missed(v, "it has too few iterations, or too wide numbers");
  for (size_t i = 0; i < v->accesses.len; i++) find_window(v, &v->accesses.data[i], n);
  if (!gathers_words(v)) return missed(v, "processors gather no elements of 8 or 16 bits");
  find_groups(v);
  if (!stores_in_rows(v)) return missed(v, "its stores are not to consecutive elements");
  pm_pass_remark(v->pass, v->loop->loc, PM_REMARK_PASSED,
                 (pm_remark_arg[]){{"lookups", (double)v->lookups}, {"lanes", (double)n}}, 2,
                 "a loop with %lld table reads computes vectors of %u iterations", (long long)v->lookups, n);
  emit(v, n);
  return true;
}

pm_result pass_vectorize(pm_pass *pass) {
  loop_list loops = {0};
  int64_t changed = 0;
  loop_list_vector_loops(pm_pass_root(pass), &loops);
  for (size_t i = 0; i < loops.len; i++) {
    vectorizing v = {
        .pass = pass, .ranges = pm_pass_analysis(pass, &loop_ranges_analysis), .loop = loops.data[i]};
    changed += vectorize(&v, pm_opt_int(pass, vectorize_opt_bytes));
    for (size_t k = 0; k < v.accesses.len; k++) place_free(&v.accesses.data[k].at);
    PM_VEC_FREE(v.accesses);
  }
  PM_VEC_FREE(loops);
  pm_pass_stat(pass, "loops vectorized", changed);
  return changed ? PM_CHANGED : PM_UNCHANGED;
}
