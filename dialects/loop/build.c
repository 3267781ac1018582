/* Builders of the ops of loop, buf and vec. */
#include "dialects/loop/access.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/loop.h"
#include "dialects/loop/vec.h"

#include <stdlib.h>
#include <string.h>

static pm_attr unit_if(const pm_builder *b, bool on) {
  return on ? pm_get_unit(pm_module_context(b->module)) : NULL;
}

static pm_attr index_attr(const pm_builder *b, int64_t value) {
  return pm_get_index_attr(pm_module_context(b->module), value);
}

static pm_attr symbol(const pm_builder *b, pm_string name) {
  return name ? pm_get_symbol(pm_module_context(b->module), name) : NULL;
}

/* --- loop --- */

static pm_attr word(const pm_builder *b, const char *text) {
  return text ? pm_get_string_attr(pm_module_context(b->module), pm_str_of(text)) : NULL;
}

pm_op *loop_build_func(pm_builder *b, pm_string name, const char *fp) {
  pm_attr attrs[loop_func_N_ATTRS] = {[loop_func_sym] = symbol(b, name), [loop_func_fp] = word(b, fp)};
  return pm_build(b, &loop_func, NULL, 0, NULL, 0, attrs);
}

pm_value *loop_build_param(pm_builder *b, pm_string name, pm_type type) {
  pm_attr attrs[loop_param_N_ATTRS] = {[loop_param_sym] = symbol(b, name)};
  pm_value *value = pm_res(pm_build(b, &loop_param, NULL, 0, &type, 1, attrs), 0);
  value->name = name;
  return value;
}

pm_value *loop_build_own_param(pm_builder *b, const char *wanted, pm_type type) {
  pm_context *ctx = pm_module_context(b->module);
  pm_string name = pm_get_cstring(ctx, wanted);
  for (unsigned i = 0; pm_lookup_symbol(b->region, name); i++) {
    pm_buf text = {0};
    pm_buf_printf(&text, "%s_%u", wanted, i);
    name = pm_get_string(ctx, (pm_str){text.data, text.len});
    pm_buf_free(&text);
  }
  return loop_build_param(b, name, type);
}

pm_value *loop_build_threads(pm_builder *b) {
  pm_type type = pm_get_index(pm_module_context(b->module));
  return pm_res(pm_build(b, &loop_threads, NULL, 0, &type, 1, NULL), 0);
}

pm_value *loop_build_thread(pm_builder *b) {
  pm_type type = pm_get_index(pm_module_context(b->module));
  return pm_res(pm_build(b, &loop_thread, NULL, 0, &type, 1, NULL), 0);
}

pm_op *loop_build_require(pm_builder *b, pm_value *condition, const char *message) {
  pm_attr attrs[loop_require_N_ATTRS] = {[loop_require_message] = word(b, message)};
  return pm_build(b, &loop_require, &condition, 1, NULL, 0, attrs);
}

pm_op *loop_build_check(pm_builder *b, pm_value *condition, loop_code code) {
  pm_attr attrs[loop_require_N_ATTRS] = {[loop_require_code] = index_attr(b, code)};
  return pm_build(b, &loop_require, &condition, 1, NULL, 0, attrs);
}

pm_op *loop_build_yield(pm_builder *b, pm_value *const *values, unsigned n) {
  return pm_build(b, &loop_yield, values, n, NULL, 0, NULL);
}

pm_op *loop_build_for(pm_builder *b, pm_value *lb, pm_value *ub, const loop_spec *spec) {
  pm_attr attrs[loop_for_N_ATTRS] = {NULL};
  if (spec->like) memcpy(attrs, pm_attrs(spec->like), sizeof attrs);
  if (!spec->like) attrs[loop_for_step] = index_attr(b, spec->step);
  if (!spec->like) attrs[loop_for_simd] = unit_if(b, spec->simd);
  pm_value **operands = pm_xcalloc(spec->n_inits + 2, sizeof *operands);
  pm_type *types = pm_xcalloc(spec->n_inits + 1, sizeof *types);
  operands[0] = lb;
  operands[1] = ub;
  for (unsigned i = 0; i < spec->n_inits; i++) {
    operands[2 + i] = spec->inits[i];
    types[i] = spec->inits[i]->type;
  }
  pm_op *loop = pm_build(b, &loop_for, operands, spec->n_inits + 2, types, spec->n_inits, attrs);
  pm_region *body = pm_region_begin(pm_region_at(loop, loop_for_body));
  pm_add_arg(body, lb->type, spec->counter);
  for (unsigned i = 0; i < spec->n_inits; i++) pm_add_arg(body, types[i], NULL);
  if (spec->like) pm_set_extra(loop, pm_extra(spec->like));
  free(operands);
  free(types);
  return loop;
}

pm_op *loop_carry(pm_builder *b, pm_op *old, pm_value *const *values, unsigned n) {
  unsigned n_before = old->n_results;
  pm_region *from = pm_region_at(old, loop_for_body);
  pm_value **inits = pm_xcalloc(n_before + n + 1, sizeof *inits);
  for (unsigned i = 0; i < n_before; i++) inits[i] = pm_arg(old, loop_for_inits + i);
  for (unsigned i = 0; i < n; i++) inits[n_before + i] = values[i];
  loop_spec spec = {.like = old, .counter = from->args[0]->name, .inits = inits, .n_inits = n_before + n};
  pm_op *made = loop_build_for(b, pm_arg(old, loop_for_lb), pm_arg(old, loop_for_ub), &spec);
  pm_region *to = pm_region_at(made, loop_for_body);
  for (unsigned i = 0; i <= n_before; i++) pm_replace_uses(from->args[i], to->args[i]);
  pm_splice(to, from);
  free(inits);
  return made;
}

pm_op *loop_build_parallel(pm_builder *b, pm_value *lb, pm_value *ub, int64_t step, pm_string counter) {
  pm_attr attrs[loop_parallel_N_ATTRS] = {[loop_parallel_step] = index_attr(b, step)};
  pm_op *loop = pm_build(b, &loop_parallel, (pm_value *[]){lb, ub}, 2, NULL, 0, attrs);
  pm_add_arg(pm_region_begin(pm_region_at(loop, loop_parallel_body)), lb->type, counter);
  return loop;
}

pm_builder loop_inside(pm_op *loop) {
  return pm_builder_at_end(pm_module_of(loop), pm_region_at(loop, 0), loop->loc);
}

/* --- accesses: their last operands are the dimensions of the map --- */

enum { MAX_BEFORE_INDICES = 4 };

static pm_op *build_access(pm_builder *b, const pm_op_desc *desc, pm_value *const *before, unsigned n_before,
                           pm_affine_map map, pm_value *const *indices, pm_type type, const pm_attr *attrs) {
  unsigned n_indices = map->n_dims + map->n_syms, n = n_before + n_indices;
  pm_value **operands = pm_xcalloc(n + 1, sizeof *operands);
  memcpy(operands, before, n_before * sizeof *operands);
  if (n_indices) memcpy(operands + n_before, indices, n_indices * sizeof *operands);
  pm_op *op = pm_build(b, desc, operands, n, &type, type ? 1 : 0, attrs);
  free(operands);
  return op;
}

pm_value *buf_build_load(pm_builder *b, pm_value *buffer, pm_affine_map map, pm_value *const *indices) {
  pm_attr attrs[buf_load_N_ATTRS] = {[buf_load_map] = pm_get_map_attr(map)};
  pm_type type = pm_get_scalar(pm_module_context(b->module), (pm_scalar)buffer->type->scalar);
  return pm_res(build_access(b, &buf_load, &buffer, 1, map, indices, type, attrs), 0);
}

pm_op *buf_build_store(pm_builder *b, pm_value *value, pm_value *buffer, pm_affine_map map,
                       pm_value *const *indices) {
  pm_attr attrs[buf_store_N_ATTRS] = {[buf_store_map] = pm_get_map_attr(map)};
  return build_access(b, &buf_store, (pm_value *[]){value, buffer}, 2, map, indices, NULL, attrs);
}

pm_op *buf_build_atomic(pm_builder *b, const pm_op_desc *join, pm_value *value, pm_value *buffer,
                        pm_affine_map map, pm_value *const *indices) {
  const char *kind = vec_name_of_op(join);
  pm_attr attrs[buf_atomic_N_ATTRS] = {
      [buf_atomic_kind] = pm_get_string_attr(pm_module_context(b->module), (pm_str){kind, strlen(kind)}),
      [buf_atomic_map] = pm_get_map_attr(map)};
  return build_access(b, &buf_atomic, (pm_value *[]){value, buffer}, 2, map, indices, NULL, attrs);
}

pm_affine_map buf_offset_map(pm_context *ctx) {
  pm_affine_expr minus = pm_affine_mul(pm_affine_dim(ctx, 1), pm_affine_const(ctx, -1));
  pm_affine_expr offset = pm_affine_add(pm_affine_dim(ctx, 0), minus);
  return pm_get_affine_map(ctx, 2, 0, &offset, 1);
}

pm_op *buf_build_prefetch(pm_builder *b, pm_value *buffer, pm_affine_map map, pm_value *const *indices,
                          bool write) {
  pm_attr attrs[buf_prefetch_N_ATTRS] = {
      [buf_prefetch_map] = pm_get_map_attr(map), [buf_prefetch_write] = unit_if(b, write)};
  return build_access(b, &buf_prefetch, &buffer, 1, map, indices, NULL, attrs);
}

/* --- buf: arrays --- */

pm_value *buf_build_input(pm_builder *b, pm_string name, pm_type type, pm_value *const *extents) {
  pm_attr attrs[buf_input_N_ATTRS] = {[buf_input_sym] = symbol(b, name)};
  return pm_res(pm_build(b, &buf_input, extents, buf_open_sizes(type), &type, 1, attrs), 0);
}

pm_value *buf_build_output(pm_builder *b, pm_string name, pm_type type, pm_value *const *extents) {
  pm_attr attrs[buf_output_N_ATTRS] = {[buf_output_sym] = symbol(b, name)};
  return pm_res(pm_build(b, &buf_output, extents, buf_open_sizes(type), &type, 1, attrs), 0);
}

pm_value *buf_build_constant(pm_builder *b, pm_string name, pm_attr values) {
  pm_attr attrs[buf_constant_N_ATTRS] = {
      [buf_constant_sym] = symbol(b, name), [buf_constant_values] = values};
  return pm_res(pm_build(b, &buf_constant, NULL, 0, &values->t, 1, attrs), 0);
}

pm_value *buf_build_alloc(pm_builder *b, pm_type type, pm_value *const *extents, pm_string stage) {
  pm_attr attrs[buf_alloc_N_ATTRS] = {[buf_alloc_stage] = symbol(b, stage)};
  return pm_res(pm_build(b, &buf_alloc, extents, buf_open_sizes(type), &type, 1, attrs), 0);
}

pm_value *buf_build_workspace(pm_builder *b, pm_value *bytes) {
  pm_type type = buf_workspace_type(pm_module_context(b->module));
  return pm_res(pm_build(b, &buf_workspace, &bytes, 1, &type, 1, NULL), 0);
}

pm_value *buf_build_nonnull(pm_builder *b, pm_value *buffer) {
  pm_type type = pm_get_i1(pm_module_context(b->module));
  return pm_res(pm_build(b, &buf_nonnull, &buffer, 1, &type, 1, NULL), 0);
}

/* --- vec --- */

pm_value *vec_build_load(pm_builder *b, pm_type type, pm_value *buffer, pm_affine_map map,
                         pm_value *const *indices) {
  pm_attr attrs[vec_load_N_ATTRS] = {[vec_load_map] = pm_get_map_attr(map)};
  return pm_res(build_access(b, &vec_load, &buffer, 1, map, indices, type, attrs), 0);
}

pm_op *vec_build_store(pm_builder *b, pm_value *value, pm_value *buffer, pm_affine_map map,
                       pm_value *const *indices) {
  pm_attr attrs[vec_store_N_ATTRS] = {[vec_store_map] = pm_get_map_attr(map)};
  return build_access(b, &vec_store, (pm_value *[]){value, buffer}, 2, map, indices, NULL, attrs);
}

static pm_value **indices_of(const loop_access *access) {
  pm_value **values = pm_xcalloc(loop_n_indices(access) + 1, sizeof *values);
  for (uint32_t i = 0; i < loop_n_indices(access); i++) values[i] = access->indices[i].value;
  return values;
}

pm_value *vec_build_load_at(pm_builder *b, pm_type type, const loop_access *access, pm_affine_map map) {
  pm_value **indices = indices_of(access);
  pm_value *vector = vec_build_load(b, type, (pm_value *)access->buffer, map, indices);
  free(indices);
  return vector;
}

pm_op *vec_build_store_at(pm_builder *b, pm_value *value, const loop_access *access, pm_affine_map map) {
  pm_value **indices = indices_of(access);
  pm_op *store = vec_build_store(b, value, (pm_value *)access->buffer, map, indices);
  free(indices);
  return store;
}

pm_value *vec_build_maskedload(pm_builder *b, pm_value *mask, pm_value *pass_thru, pm_value *buffer,
                               pm_affine_map map, pm_value *const *indices) {
  pm_attr attrs[vec_maskedload_N_ATTRS] = {[vec_maskedload_map] = pm_get_map_attr(map)};
  pm_value *before[] = {buffer, mask, pass_thru};
  return pm_res(build_access(b, &vec_maskedload, before, 3, map, indices, pass_thru->type, attrs), 0);
}

pm_op *vec_build_maskedstore(pm_builder *b, pm_value *mask, pm_value *value, pm_value *buffer,
                             pm_affine_map map, pm_value *const *indices) {
  pm_attr attrs[vec_maskedstore_N_ATTRS] = {[vec_maskedstore_map] = pm_get_map_attr(map)};
  return build_access(b, &vec_maskedstore, (pm_value *[]){buffer, mask, value}, 3, map, indices, NULL, attrs);
}

pm_value *vec_build_gather(pm_builder *b, pm_type type, pm_value *offsets, pm_value *buffer,
                           pm_affine_map map, pm_value *const *indices) {
  pm_attr attrs[vec_gather_N_ATTRS] = {[vec_gather_map] = pm_get_map_attr(map)};
  return pm_res(build_access(b, &vec_gather, (pm_value *[]){buffer, offsets}, 2, map, indices, type, attrs),
                0);
}

pm_value *vec_build_maskedgather(pm_builder *b, pm_value *offsets, pm_value *mask, pm_value *pass_thru,
                                 pm_value *buffer, pm_affine_map map, pm_value *const *indices) {
  pm_attr attrs[vec_maskedgather_N_ATTRS] = {[vec_maskedgather_map] = pm_get_map_attr(map)};
  pm_value *before[MAX_BEFORE_INDICES] = {buffer, offsets, mask, pass_thru};
  return pm_res(build_access(b, &vec_maskedgather, before, 4, map, indices, pass_thru->type, attrs), 0);
}

pm_value *vec_build_splat(pm_builder *b, pm_value *scalar, unsigned lanes) {
  pm_type type = pm_get_vector(scalar->type, lanes);
  return pm_res(pm_build(b, &vec_splat, &scalar, 1, &type, 1, NULL), 0);
}

pm_value *vec_build_from_elements(pm_builder *b, pm_value *const *elements, unsigned n) {
  pm_type type = pm_get_vector(elements[0]->type, n);
  return pm_res(pm_build(b, &vec_from_elements, elements, n, &type, 1, NULL), 0);
}

pm_value *vec_build_step(pm_builder *b, pm_type type) {
  return pm_res(pm_build(b, &vec_step, NULL, 0, &type, 1, NULL), 0);
}

pm_value *vec_build_shuffle(pm_builder *b, pm_value *x, pm_value *y, const int64_t *lanes, unsigned n) {
  pm_context *ctx = pm_module_context(b->module);
  pm_attr attrs[vec_shuffle_N_ATTRS] = {[vec_shuffle_lanes] = pm_get_index_array(ctx, lanes, n)};
  pm_type element = pm_get_scalar(ctx, (pm_scalar)x->type->scalar), type = pm_get_vector(element, n);
  return pm_res(pm_build(b, &vec_shuffle, (pm_value *[]){x, y}, 2, &type, 1, attrs), 0);
}

pm_value *vec_build_extract(pm_builder *b, pm_value *vector, int64_t lane) {
  pm_attr attrs[vec_extract_N_ATTRS] = {[vec_extract_lane] = index_attr(b, lane)};
  pm_type type = pm_get_scalar(pm_module_context(b->module), (pm_scalar)vector->type->scalar);
  return pm_res(pm_build(b, &vec_extract, &vector, 1, &type, 1, attrs), 0);
}

pm_value *vec_build_insert(pm_builder *b, pm_value *scalar, pm_value *vector, int64_t lane) {
  pm_attr attrs[vec_insert_N_ATTRS] = {[vec_insert_lane] = index_attr(b, lane)};
  return pm_res(pm_build(b, &vec_insert, (pm_value *[]){scalar, vector}, 2, &vector->type, 1, attrs), 0);
}
