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
 * For compilers that know functions of vectors, but not that calls in a loop are one. All else stays an
 * operation of scalars, of which they make vectors, since those that are alike stand next to one another. The
 * iterations may be run in any order and at once. A vector has `bytes` of the widest numbers that a function
 * is called with.
 */
#include "dialects/loop/loop.h"
#include "dialects/loop/loops.h"
#include "dialects/loop/phase.h"
#include "dialects/loop/vec.h"
#include "passes/options.h"

#include <stdlib.h>

enum { MOST_LANES = 64 / 4 };

static bool is_call(const pm_op *op) {
  return op->desc->cost == PM_COST_CALL && op->n_results == 1 && pm_is_float(pm_res(op, 0)->type) &&
         pm_res(op, 0)->type->cls == PM_TYPE_SCALAR;
}

/* The lanes of vectors for the calls of the body; 0: there are none, or other regions. */
static int64_t find_lanes(const pm_op *loop, int64_t bytes, int64_t max_ops) {
  int64_t widest = 0, n = 0;
  PM_FOR_OPS(op, pm_region_at(loop, loop_for_body)) {
    int64_t width = is_call(op) ? pm_element_bytes(pm_res(op, 0)->type) : 0;
    widest = width > widest ? width : widest;
    n++;
    if (op->n_regions) return 0;
  }
  int64_t lanes = widest ? bytes / widest : 0;
  return lanes > 1 && lanes <= MOST_LANES && n <= max_ops / lanes ? lanes : 0;
}

/* --- the loop of vectors --- */

typedef struct packing {
  pm_builder in;
  loop_phase phases[MOST_LANES];
  int64_t lanes;
} packing;

static pm_value *value_in(const packing *p, int64_t lane, pm_value *value) {
  pm_map *copies = p->phases[lane].copies;
  return pm_map_has(copies, value) ? pm_map_get(copies, value) : value;
}

static pm_value *gather(packing *p, pm_value *value) {
  pm_value *first = value_in(p, 0, value), *vector = vec_build_splat(&p->in, first, (unsigned)p->lanes);
  for (int64_t k = 1; k < p->lanes; k++) {
    pm_value *lane = value_in(p, k, value);
    if (lane != first) vector = vec_build_insert(&p->in, lane, vector, k);
  }
  return vector;
}

static void pack(packing *p, pm_op *call) {
  pm_map *vectors = pm_map_new();
  for (unsigned i = 0; i < call->n_operands; i++)
    if (!pm_map_has(vectors, pm_arg(call, i)))
      pm_map_set(vectors, pm_arg(call, i), gather(p, pm_arg(call, i)));
  pm_op *packed = pm_clone(p->in.module, call, vectors);
  pm_value *result = pm_res(packed, 0);
  result->type = pm_get_vector(result->type, (unsigned)p->lanes);
  result->name = NULL;
  pm_insert(p->in.region, p->in.before, packed);
  for (int64_t k = 0; k < p->lanes; k++)
    pm_map_set(p->phases[k].copies, pm_res(call, 0), vec_build_extract(&p->in, result, k));
  pm_map_free(vectors);
}

static void pack_loop(pm_op *loop, int64_t lanes) {
  const pm_region *body = pm_region_at(loop, loop_for_body);
  packing p = {.in = loop_split_whole(loop, lanes), .lanes = lanes};
  pm_value *base = p.in.region->args[0];
  for (int64_t k = 0; k < lanes; k++) p.phases[k] = loop_phase_begin(&p.in, body->args[0], base, 1, k);
  PM_FOR_OPS(op, body) {
    if (is_call(op)) {
      pack(&p, op);
      continue;
    }
    for (int64_t k = 0; k < lanes; k++) loop_phase_copy(&p.phases[k], &p.in, op, op->next);
  }
  for (int64_t k = 0; k < lanes; k++) loop_phase_free(&p.phases[k]);
}

pm_result pass_pack_calls(pm_pass *pass) {
  loop_list loops = {0};
  int64_t packed = 0;
  loop_list_vector_loops(pm_pass_root(pass), &loops);
  for (size_t i = 0; i < loops.len; i++) {
    int64_t trips, lanes = find_lanes(loops.data[i], pm_opt_int(pass, pack_calls_opt_bytes),
                                      pm_opt_int(pass, pack_calls_opt_max_ops));
    if (!lanes || (loop_find_trips(loops.data[i], &trips) && trips < lanes)) continue;
    pack_loop(loops.data[i], lanes);
    packed++;
  }
  PM_VEC_FREE(loops);
  pm_pass_stat(pass, "loops packed", packed);
  return packed ? PM_CHANGED : PM_UNCHANGED;
}
