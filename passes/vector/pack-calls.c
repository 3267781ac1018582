/* pack-calls: vector loops call functions of vectors.
 *
 *   loop.for %i = %a to %b step 1 simd {       |  loop.for %i = %a to %e step 2 {
 *     %x = buf.load %in[%i] : memref<?xf64>    |    %x = buf.load %in[%i]
 *                                              |    %y = buf.load %in[%i + 1]
 *                                              |    %v = vec.splat %x    %w = vec.insert %y, %v[1]
 *     %s = math.sin %x : f64                   |    %r = math.sin %w : vector<2xf64>
 *                                              |    %s = vec.extract %r[0]    %t = vec.extract %r[1]
 *     buf.store %s, %out[%i] : memref<?xf64>   |    buf.store %s, %out[%i]
 *                                              |    buf.store %t, %out[%i + 1]
 *   }                                          |  }
 *                                              |  loop.for %i = %e to %b step 1 simd { … as it was … }
 *
 * For languages that have functions of vectors, but no way to say that calls in a loop are one. All else
 * stays an operation of scalars; those that are alike stand next to one another, as lanes of a vector do. The
 * iterations may be run in any order and at once. A vector has `bytes` of the widest numbers that a function
 * is called with.
 *
 * Where that would be too much, an iteration that has as many calls of a function, none of which waits for
 * another, makes vectors of its own calls: the ops are put in the order of the calls that they wait for,
 * stores behind all else (Larsen, Amarasinghe, PLDI 2000, "Exploiting Superword Level Parallelism").
 */
#include "dialects/loop/analyses/loops.h"
#include "dialects/loop/loop.h"
#include "dialects/loop/rewrite/phase.h"
#include "dialects/loop/vec.h"
#include "dialects/machine/machine.h"
#include "passes/options.h"

#include <stdlib.h>

enum { MOST_LANES = PM_WIDEST_VECTOR_BYTES / 4, MOST_OPS = 10000 }; /* of a body that is looked at */

static bool is_call(const pm_op *op) {
  return op->desc->cost == PM_COST_CALL && op->n_results == 1 && pm_is_float(pm_res(op, 0)->type) &&
         pm_res(op, 0)->type->cls == PM_TYPE_SCALAR;
}

static bool are_alike(const pm_op *a, const pm_op *b) {
  return a->desc == b->desc && pm_res(a, 0)->type == pm_res(b, 0)->type;
}

/* The lanes of vectors for calls like this. */
static int64_t lanes_of(const pm_op *call, int64_t bytes) {
  int64_t lanes = bytes / pm_element_bytes(pm_res(call, 0)->type);
  return lanes <= MOST_LANES ? lanes : MOST_LANES;
}

/* --- a call --- */

typedef PM_VEC(pm_value *) value_list;

/* The function of `call` on vectors. `values` has its operands one after the other, each in all lanes; it is
 * freed. */
static pm_value *build_packed(pm_builder *b, const pm_op *call, value_list values, int64_t lanes) {
  value_list operands = {0};
  pm_type type = pm_get_vector(pm_res(call, 0)->type, (unsigned)lanes);
  for (unsigned i = 0; i < call->n_operands; i++)
    PM_VEC_PUSH(operands, vec_build_from_elements(b, &values.data[i * lanes], (unsigned)lanes));
  pm_op *packed = pm_build(b, call->desc, operands.data, call->n_operands, &type, 1, NULL);
  PM_VEC_FREE(operands);
  PM_VEC_FREE(values);
  return pm_res(packed, 0);
}

/* --- calls of several iterations --- */

typedef struct packing {
  pm_builder in;
  loop_phase phases[MOST_LANES];
  int64_t lanes;
} packing;

static pm_value *value_in(const packing *p, int64_t lane, pm_value *value) {
  pm_map *copies = p->phases[lane].copies;
  return pm_map_has(copies, value) ? pm_map_get(copies, value) : value;
}

static void pack_iterations(packing *p, const pm_op *call) {
  value_list values = {0};
  for (unsigned i = 0; i < call->n_operands; i++)
    for (int64_t k = 0; k < p->lanes; k++) PM_VEC_PUSH(values, value_in(p, k, pm_arg(call, i)));
  pm_value *result = build_packed(&p->in, call, values, p->lanes);
  for (int64_t k = 0; k < p->lanes; k++)
    pm_map_set(p->phases[k].copies, pm_res(call, 0), vec_build_extract(&p->in, result, k));
}

static void pack_loop(pm_op *loop, int64_t lanes) {
  const pm_region *body = pm_region_at(loop, loop_for_body);
  packing p = {.in = loop_split_whole(loop, lanes), .lanes = lanes};
  pm_value *base = p.in.region->args[0];
  for (int64_t k = 0; k < lanes; k++) p.phases[k] = loop_phase_begin(&p.in, body->args[0], base, 1, k);
  PM_FOR_OPS(op, body) {
    if (is_call(op)) {
      pack_iterations(&p, op);
      continue;
    }
    for (int64_t k = 0; k < lanes; k++) loop_phase_copy(&p.phases[k], &p.in, op, op->next);
  }
  for (int64_t k = 0; k < lanes; k++) loop_phase_free(&p.phases[k]);
}

/* --- calls of one iteration --- */

typedef PM_VEC(pm_op *) op_list;

/* How many calls, one after the other, each op waits for. */
typedef struct waits {
  op_list ops; /* as they stood */
  PM_VEC(unsigned) of;
  pm_map *number; /* ops to where they are in the list, and one */
  unsigned most;
} waits;

static void add_op(waits *w, pm_op *op) {
  unsigned wait = 0;
  for (unsigned i = 0; i < op->n_operands; i++) {
    const pm_op *from = pm_is_arg(pm_arg(op, i)) ? NULL : pm_def(pm_arg(op, i));
    size_t number = from ? (size_t)(uintptr_t)pm_map_get(w->number, from) : 0;
    if (!number) continue;
    unsigned behind = w->of.data[number - 1] + is_call(from);
    wait = behind > wait ? behind : wait;
  }
  PM_VEC_PUSH(w->ops, op);
  PM_VEC_PUSH(w->of, wait);
  pm_map_set(w->number, op, (void *)(uintptr_t)w->ops.len);
  w->most = wait > w->most ? wait : w->most;
}

static bool is_load(const pm_op *op) {
  return pm_has_trait(op, PM_READS) && !pm_has_trait(op, PM_WRITES);
}

/* Anything but values and loads, as stores. */
static bool comes_last(const pm_op *op) {
  return !pm_has_trait(op, PM_PURE) && !is_load(op);
}

/* Stores come last, in their order; false when something else stands behind one that may not pass it. */
static bool find_waits(const pm_op *loop, waits *w) {
  bool stores = false;
  PM_FOR_OPS(op, pm_region_at(loop, loop_for_body)) {
    if (stores && is_load(op)) return false;
    stores = stores || comes_last(op);
    add_op(w, op);
  }
  for (size_t i = 0; i < w->ops.len; i++)
    if (comes_last(w->ops.data[i])) w->of.data[i] = w->most + 1;
  return true;
}

static void free_waits(waits *w) {
  PM_VEC_FREE(w->ops);
  PM_VEC_FREE(w->of);
  pm_map_free(w->number);
}

/* Call number `from` and those behind it that are like it and wait for as many calls. */
static void list_alike(const waits *w, size_t from, op_list *out) {
  for (size_t i = from; i < w->ops.len; i++)
    if (w->ops.data[i] && w->of.data[i] == w->of.data[from] && is_call(w->ops.data[i]) &&
        are_alike(w->ops.data[i], w->ops.data[from]))
      PM_VEC_PUSH(*out, w->ops.data[i]);
}

static bool has_vectors(const waits *w, int64_t bytes) {
  bool has = false;
  for (size_t i = 0; i < w->ops.len && !has; i++) {
    op_list alike = {0};
    if (!is_call(w->ops.data[i])) continue;
    list_alike(w, i, &alike);
    int64_t lanes = lanes_of(w->ops.data[i], bytes);
    has = lanes > 1 && (int64_t)alike.len >= lanes;
    PM_VEC_FREE(alike);
  }
  return has;
}

static void sort_ops(const waits *w, pm_region *body) {
  for (unsigned wait = 0; wait <= w->most + 1; wait++)
    for (int calls = 0; calls < 2; calls++)
      for (size_t i = 0; i < w->ops.len; i++)
        if (w->of.data[i] == wait && is_call(w->ops.data[i]) == calls)
          pm_move_before(w->ops.data[i], body, NULL);
}

/* Calls that are alike and stand next to one another, with nothing but calls between them. */
static void pack_calls(pm_op *const *calls, int64_t lanes) {
  pm_builder b = pm_builder_before(calls[lanes - 1]);
  value_list values = {0};
  for (unsigned i = 0; i < calls[0]->n_operands; i++)
    for (int64_t k = 0; k < lanes; k++) PM_VEC_PUSH(values, pm_arg(calls[k], i));
  pm_value *result = build_packed(&b, calls[0], values, lanes);
  for (int64_t k = 0; k < lanes; k++) {
    pm_value *lane = vec_build_extract(&b, result, k);
    pm_replace_op(calls[k], &lane);
  }
}

/* All whole vectors of them. */
static void pack_alike(waits *w, size_t from, int64_t bytes) {
  op_list alike = {0};
  list_alike(w, from, &alike);
  int64_t lanes = lanes_of(w->ops.data[from], bytes), n = lanes > 1 ? (int64_t)alike.len / lanes * lanes : 0;
  for (size_t i = 0; i < alike.len; i++) {
    size_t number = (size_t)(uintptr_t)pm_map_get(w->number, alike.data[i]);
    w->ops.data[number - 1] = NULL;
  }
  for (int64_t first = 0; first < n; first += lanes) pack_calls(&alike.data[first], lanes);
  PM_VEC_FREE(alike);
}

static bool pack_in_iteration(pm_op *loop, int64_t bytes) {
  waits w = {.number = pm_map_new()};
  bool may = find_waits(loop, &w) && has_vectors(&w, bytes);
  if (may) {
    sort_ops(&w, pm_region_at(loop, loop_for_body));
    for (size_t i = 0; i < w.ops.len; i++)
      if (w.ops.data[i] && is_call(w.ops.data[i])) pack_alike(&w, i, bytes);
    loop_make_scalar(loop);
  }
  free_waits(&w);
  return may;
}

/* --- the pass --- */

static bool may_be_packed(const pm_op *loop) {
  bool calls = false;
  int64_t n = 0;
  PM_FOR_OPS(op, pm_region_at(loop, loop_for_body)) {
    if (op->n_regions || ++n > MOST_OPS) return false;
    calls = calls || is_call(op);
  }
  return calls;
}

/* The lanes of vectors of the widest calls of the body; 0: too many ops would be in it. */
static int64_t lanes_of_loop(const pm_op *loop, int64_t bytes, int64_t max_ops) {
  int64_t lanes = MOST_LANES, n = 0;
  PM_FOR_OPS(op, pm_region_at(loop, loop_for_body)) {
    int64_t of = is_call(op) ? lanes_of(op, bytes) : lanes;
    lanes = of < lanes ? of : lanes;
    n++;
  }
  return lanes > 1 && n <= max_ops / lanes ? lanes : 0;
}

static bool pack(pm_op *loop, int64_t bytes, int64_t max_ops) {
  if (!may_be_packed(loop)) return false;
  int64_t lanes = lanes_of_loop(loop, bytes, max_ops), trips;
  if (lanes && loop_find_trips(loop, &trips) && trips < lanes) lanes = 0;
  if (!lanes) return pack_in_iteration(loop, bytes);
  pack_loop(loop, lanes);
  return true;
}

pm_result pass_pack_calls(pm_pass *pass) {
  loop_list loops = {0};
  int64_t packed = 0, bytes = pm_opt_int(pass, pack_calls_opt_bytes);
  loop_list_vector_loops(pm_pass_root(pass), &loops);
  for (size_t i = 0; i < loops.len; i++)
    packed += pack(loops.data[i], bytes, pm_opt_int(pass, pack_calls_opt_max_ops));
  PM_VEC_FREE(loops);
  pm_pass_stat(pass, "loops packed", packed);
  return packed ? PM_CHANGED : PM_UNCHANGED;
}
