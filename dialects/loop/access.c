/* Text forms and checks of accesses; the table of what is one. */
#include "dialects/loop/access.h"

#include "dialects/loop/buf.h"
#include "dialects/loop/vec.h"

#include <stdlib.h>

static const struct access_row {
  const pm_op_desc *desc;
  unsigned map, buffer, indices;
} rows[] = {
    {&buf_load, buf_load_map, buf_load_buffer, buf_load_indices},
    {&buf_store, buf_store_map, buf_store_buffer, buf_store_indices},
    {&vec_load, vec_load_map, vec_load_buffer, vec_load_indices},
    {&vec_store, vec_store_map, vec_store_buffer, vec_store_indices},
    {&vec_maskedload, vec_maskedload_map, vec_maskedload_buffer, vec_maskedload_indices},
    {&vec_maskedstore, vec_maskedstore_map, vec_maskedstore_buffer, vec_maskedstore_indices},
    {&vec_gather, vec_gather_map, vec_gather_buffer, vec_gather_indices},
    {&vec_maskedgather, vec_maskedgather_map, vec_maskedgather_buffer, vec_maskedgather_indices},
    {&vec_scatter, vec_scatter_map, vec_scatter_buffer, vec_scatter_indices},
    {&vec_maskedscatter, vec_maskedscatter_map, vec_maskedscatter_buffer, vec_maskedscatter_indices},
    {&buf_atomic, buf_atomic_map, buf_atomic_buffer, buf_atomic_indices},
    {&buf_prefetch, buf_prefetch_map, buf_prefetch_buffer, buf_prefetch_indices},
};

bool loop_find_access(const pm_op *op, loop_access *access) {
  return !pm_is(op, &buf_prefetch) && loop_find_place(op, access);
}

bool loop_find_place(const pm_op *op, loop_access *access) {
  for (size_t i = 0; i < PM_COUNT(rows); i++) {
    if (rows[i].desc != op->desc) continue;
    *access = (loop_access){pm_arg(op, rows[i].buffer), pm_attr_at(op, rows[i].map)->map,
                            &pm_operands(op)[rows[i].indices], pm_has_trait(op, PM_READS)};
    return true;
  }
  return false;
}

void loop_set_access_map(pm_op *op, pm_affine_map map) {
  for (size_t i = 0; i < PM_COUNT(rows); i++)
    if (rows[i].desc == op->desc) pm_set_attr(op, rows[i].map, pm_get_map_attr(map));
}

/* --- checks --- */

static bool verify_no_input(const pm_op *op, const pm_op *array) {
  if (!buf_is_read_only(array) || !pm_has_trait(op, PM_WRITES)) return true;
  pm_op_error(op, "writes to %pO, which is only read", (const void *)array);
  pm_note(pm_op_context(op), array->loc, "the array is declared here");
  return false;
}

bool loop_verify_access(const pm_op *op, unsigned map_slot, unsigned buffer, unsigned indices,
                        pm_type element) {
  pm_affine_map map = pm_attr_at(op, map_slot)->map;
  pm_type type = pm_arg(op, buffer)->type;
  unsigned n_indices = op->n_operands - indices;
  if (!verify_no_input(op, pm_def(pm_arg(op, buffer)))) return false;
  if (map->n_results != type->rank && (map->n_results != 1 || !type->rank))
    return pm_op_error(op, "has %u indices, but %pT has rank %u", map->n_results, (const void *)type,
                       type->rank);
  if (map->n_dims + map->n_syms != n_indices)
    return pm_op_error(op, "has %u index operands, but its map has %u dimensions and %u symbols", n_indices,
                       map->n_dims, map->n_syms);
  if (pm_elem_type(type) != element)
    return pm_op_error(op, "has an element of type %pT, but the buffer is %pT", (const void *)element,
                       (const void *)type);
  return true;
}

bool loop_verify_align(const pm_op *op, unsigned slot) {
  pm_attr align = pm_attr_at(op, slot);
  if (!align || (align->i > 0 && align->i <= LOOP_MAX_ALIGN && (align->i & (align->i - 1)) == 0)) return true;
  return pm_op_error(op, "has align = %lld, which should be a power of two from 1 to %d", (long long)align->i,
                     LOOP_MAX_ALIGN);
}

/* --- text --- */

void loop_print_place(pm_printer *p, const pm_op *op, unsigned map, unsigned buffer, unsigned indices) {
  pm_p_value(p, pm_arg(op, buffer));
  pm_p(p, "[");
  pm_p_map(p, pm_attr_at(op, map)->map, &pm_operands(op)[indices]);
  pm_p(p, "]");
}

bool loop_parse_place(pm_parser *p, pm_op_state *state, loop_place *place) {
  pm_context *ctx = pm_q_context(p);
  pm_affine_map map;
  if (!pm_q_operand(p, &place->buffer) || !pm_q_punct(p, "[")) return false;
  if (pm_q_opt_punct(p, "]"))
    map = pm_get_affine_map(ctx, 0, 0, NULL, 0);
  else if (!pm_q_map(p, &map, &place->indices) || !pm_q_punct(p, "]"))
    return false;
  pm_state_attr(ctx, state, "map", pm_get_map_attr(map));
  return true;
}

bool loop_parse_memref(pm_parser *p, pm_op_state *state, loop_place *place) {
  if (!pm_q_opt_attr_dict(p, state) || !pm_q_punct(p, ":")) return false;
  pm_loc loc = pm_q_loc(p);
  if (!pm_q_type(p, &place->type)) return false;
  if (pm_is_memref(place->type)) return true;
  pm_buf text = {0};
  pm_print_type(&text, place->type);
  pm_q_error(p, loc, "the type %s of the buffer should be a memref", text.data);
  pm_buf_free(&text);
  return false;
}
