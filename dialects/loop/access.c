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
                            &op->operands[rows[i].indices], pm_has_trait(op, PM_READS)};
    return true;
  }
  return false;
}

void loop_set_access_map(pm_op *op, pm_affine_map map) {
  for (size_t i = 0; i < PM_COUNT(rows); i++)
    if (rows[i].desc == op->desc) pm_set_attr(op, rows[i].map, pm_get_map_attr(map));
}

/* --- indices --- */

bool loop_index_mentions(const loop_access *access, pm_affine_expr index, const pm_value *value) {
  if (!index) return false;
  if (index->kind == PM_AFFINE_DIM) return access->indices[index->value].value == value;
  if (index->kind == PM_AFFINE_SYM) return access->indices[access->map->n_dims + index->value].value == value;
  return loop_index_mentions(access, index->lhs, value) || loop_index_mentions(access, index->rhs, value);
}

bool loop_find_factor(const loop_access *access, pm_affine_expr index, const pm_value *value,
                      int64_t *factor) {
  uint32_t n = access->map->n_dims;
  int64_t *terms = pm_xcalloc(n + 1, sizeof *terms);
  bool linear = pm_affine_dim_coeffs(index, terms, n);
  for (uint32_t i = 0; i < access->map->n_syms; i++) linear &= access->indices[n + i].value != value;
  *factor = 0;
  for (uint32_t i = 0; i < n && linear; i++)
    if (access->indices[i].value == value) *factor += terms[i];
  free(terms);
  return linear;
}

/* What the value is multiplied by, in a sum of its products with constants and of what does not mention it.
 */
static bool find_part(const loop_access *access, pm_affine_expr index, const pm_value *value,
                      int64_t *factor) {
  *factor = 0;
  if (!loop_index_mentions(access, index, value)) return true;
  *factor = 1;
  if (index->kind == PM_AFFINE_DIM || index->kind == PM_AFFINE_SYM) return true;
  bool sum = index->kind == PM_AFFINE_ADD;
  if (!sum && (index->kind != PM_AFFINE_MUL || index->rhs->kind != PM_AFFINE_CONST)) return false;
  int64_t left, right = 0;
  bool found =
      find_part(access, index->lhs, value, &left) && (!sum || find_part(access, index->rhs, value, &right));
  *factor = sum ? left + right : left * index->rhs->value;
  return found;
}

pm_affine_map loop_offset_map(pm_context *ctx) {
  pm_affine_expr minus = pm_affine_mul(pm_affine_dim(ctx, 1), pm_affine_const(ctx, -1));
  pm_affine_expr place = pm_affine_add(pm_affine_dim(ctx, 0), minus);
  return pm_get_affine_map(ctx, 2, 0, &place, 1);
}

bool loop_goes_along(const loop_access *access, const pm_value *counter) {
  const pm_affine_map map = access->map;
  int64_t factor;
  for (uint32_t i = 0; i < map->n_results; i++) {
    bool last = i + 1 == map->n_results;
    if (!find_part(access, map->results[i], counter, &factor) || factor != (last ? 1 : 0)) return false;
  }
  return map->n_results > 0;
}

bool loop_share_memory(const pm_value *a, const pm_value *b) {
  return a == b || (pm_def(a) && pm_def(a) == pm_def(b));
}

int64_t loop_joint_period(int64_t a, int64_t b, int64_t most) {
  if (a == 0 || b == 0) return 0;
  int64_t lcm = a / pm_gcd(a, b) * b;
  return lcm > most ? 0 : lcm;
}

int64_t loop_index_period(const loop_access *access, pm_affine_expr index, const pm_value *value,
                          int64_t step, int64_t most) {
  int64_t factor;
  if (!loop_index_mentions(access, index, value) || index->kind == PM_AFFINE_DIM) return 1;
  if (index->kind == PM_AFFINE_ADD || index->kind == PM_AFFINE_MUL)
    return loop_joint_period(loop_index_period(access, index->lhs, value, step, most),
                             loop_index_period(access, index->rhs, value, step, most), most);
  if (!loop_find_factor(access, index->lhs, value, &factor) || index->rhs->kind != PM_AFFINE_CONST) return 0;
  int64_t divisor = index->rhs->value / pm_gcd(index->rhs->value, factor);
  return loop_joint_period(1, divisor / pm_gcd(divisor, step), most);
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
  pm_p_map(p, pm_attr_at(op, map)->map, &op->operands[indices]);
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
