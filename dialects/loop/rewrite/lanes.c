/* Vectors of the iterations of a loop. */
#include "dialects/loop/rewrite/lanes.h"

#include "dialects/loop/access.h"
#include "dialects/loop/analyses/loops.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/vec.h"

#include <stdlib.h>

typedef PM_VEC(pm_value *) value_list;

static pm_value *scalar_in(const loop_lanes *l, pm_value *value) {
  pm_value *copy = pm_map_get(l->phase->copies, value);
  return copy ? copy : value;
}

/* Where lane 0 of an access goes: the map, and its operands in `indices`. */
static pm_affine_map place_in(const loop_lanes *l, const loop_access *access, value_list *indices) {
  pm_affine_map map = access->map;
  PM_VEC(pm_affine_expr) dims = {0}, results = {0};
  for (uint32_t i = 0; i < map->n_dims; i++) {
    pm_value *index = access->indices[i].value;
    bool in_lanes = index == loop_counter_of(l->loop), in_phase = index == l->phase->counter;
    int64_t offset = in_lanes ? l->offset : in_phase ? l->phase->offset : 0;
    PM_VEC_PUSH(dims, pm_affine_addc(pm_affine_dim(map->ctx, i), offset));
    PM_VEC_PUSH(*indices, in_lanes ? l->base : in_phase ? l->phase->base : scalar_in(l, index));
  }
  for (uint32_t r = 0; r < map->n_results; r++)
    PM_VEC_PUSH(results, pm_affine_divide_out(pm_affine_substitute(map->results[r], dims.data, NULL)));
  map = pm_get_affine_map(map->ctx, map->n_dims, map->n_syms, results.data, map->n_results);
  PM_VEC_FREE(dims);
  PM_VEC_FREE(results);
  return map;
}

static pm_type vector_of(const loop_lanes *l, pm_type type) {
  return pm_get_vector(pm_elem_type(type), l->lanes);
}

pm_value *loop_lanes_load(const loop_lanes *l, pm_builder *b, const pm_op *load) {
  loop_access access;
  value_list indices = {0};
  (void)loop_find_access(load, &access);
  pm_affine_map map = place_in(l, &access, &indices);
  pm_type type = vector_of(l, access.buffer->type);
  pm_value *loaded = vec_build_load(b, type, pm_arg(load, buf_load_buffer), map, indices.data);
  PM_VEC_FREE(indices);
  return loaded;
}

void loop_lanes_store(const loop_lanes *l, pm_builder *b, const pm_op *store, pm_value *vector) {
  loop_access access;
  value_list indices = {0};
  (void)loop_find_access(store, &access);
  pm_affine_map map = place_in(l, &access, &indices);
  vec_build_store(b, vector, pm_arg(store, buf_store_buffer), map, indices.data);
  PM_VEC_FREE(indices);
}

void loop_lanes_prefetch(const loop_lanes *l, pm_builder *b, const pm_op *prefetch) {
  loop_access place;
  value_list indices = {0};
  (void)loop_find_place(prefetch, &place);
  pm_affine_map map = place_in(l, &place, &indices);
  buf_build_prefetch(b, pm_arg(prefetch, buf_prefetch_buffer), map, indices.data,
                     pm_attr_at(prefetch, buf_prefetch_write));
  PM_VEC_FREE(indices);
}

pm_value *loop_lanes_value(const loop_lanes *l, pm_builder *b, pm_value *value) {
  pm_value *vector = pm_map_get(l->vectors, value);
  return vector ? vector : vec_build_splat(b, scalar_in(l, value), l->lanes);
}

pm_value *loop_lanes_compute(const loop_lanes *l, pm_builder *b, const pm_op *op) {
  value_list operands = {0};
  for (unsigned i = 0; i < op->n_operands; i++) PM_VEC_PUSH(operands, loop_lanes_value(l, b, pm_arg(op, i)));
  pm_type type = vector_of(l, pm_res(op, 0)->type);
  pm_op *made = pm_build(b, op->desc, operands.data, op->n_operands, &type, 1, pm_attrs(op));
  PM_VEC_FREE(operands);
  return pm_res(made, 0);
}
