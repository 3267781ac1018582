/* The vec dialect: text forms, verification and folds of vectors. */
#include "dialects/loop/vec.h"

#include <stdlib.h>

#include "dialects/loop/access.h"

#define PM_DIALECT vec
#define PM_DIALECT_DEF "dialects/loop/vec.def"
#include "ir/define_ops.h"
#undef PM_DIALECT
#undef PM_DIALECT_DEF

const pm_dialect vec_dialect = {
    .name = "vec",
    .ops = vec_op_table,
    .doc = "vectors: their loads and stores, with masks and without, and the moving of lanes",
};

/* --- checks --- */

/* The access of a vector of `type`, which must have a dimension to lie along. */
static bool verify_access(const pm_op *op, unsigned map, unsigned buffer, unsigned indices, pm_type type) {
  if (!loop_verify_access(op, map, buffer, indices, pm_elem_type(type))) return false;
  pm_type memref = pm_arg(op, buffer)->type;
  if (memref->strides && memref->strides[memref->rank - 1] != 1)
    return pm_op_error(op, "goes along the last dimension of %pT, which should have stride 1",
                       (const void *)memref);
  if (memref->rank) return true;
  return pm_op_error(op, "goes along the last dimension of %pT, which should have rank 1 or more",
                     (const void *)pm_arg(op, buffer)->type);
}

static bool verify_mask(const pm_op *op, unsigned mask, pm_type type) {
  pm_type have = pm_arg(op, mask)->type, want = pm_with_scalar(type, PM_I1);
  if (have == want) return true;
  return pm_op_error(op, "has a mask of type %pT, which should be %pT", (const void *)have,
                     (const void *)want);
}

static bool verify_pass_thru(const pm_op *op, unsigned pass_thru) {
  pm_type have = pm_arg(op, pass_thru)->type, want = pm_res(op, 0)->type;
  if (have == want) return true;
  return pm_op_error(op, "has a pass-through value of type %pT, which should be %pT", (const void *)have,
                     (const void *)want);
}

static bool verify_offset_type(const pm_op *op, pm_type have) {
  if (pm_is_int_or_index(have) && !pm_is_bool(have)) return true;
  return pm_op_error(op, "has offsets of type %pT, which should be integers or index", (const void *)have);
}

static bool verify_offsets(const pm_op *op, unsigned offsets, pm_type type) {
  pm_type have = pm_arg(op, offsets)->type;
  if (!verify_offset_type(op, have)) return false;
  if (have->lanes == type->lanes) return true;
  return pm_op_error(op, "has %u offsets for %u lanes, which should be equal", have->lanes, type->lanes);
}

/* A scalar of type `have` is a lane of `vector`. */
static bool verify_element(const pm_op *op, pm_type have, pm_type vector) {
  if (have == pm_elem_type(vector)) return true;
  return pm_op_error(op, "has a scalar of type %pT, but %pT has elements of type %pT", (const void *)have,
                     (const void *)vector, (const void *)pm_elem_type(vector));
}

static bool verify_lane(const pm_op *op, int64_t lane, uint32_t lanes) {
  if (lane >= 0 && lane < lanes) return true;
  return pm_op_error(op, "has the lane number %lld, which should be from 0 to %u", (long long)lane,
                     lanes - 1);
}

bool vec_load_verify(const pm_op *op) {
  return verify_access(op, vec_load_map, vec_load_buffer, vec_load_indices, pm_res(op, 0)->type) &&
         loop_verify_align(op, vec_load_align);
}

bool vec_store_verify(const pm_op *op) {
  return verify_access(op, vec_store_map, vec_store_buffer, vec_store_indices,
                       pm_arg(op, vec_store_value)->type) &&
         loop_verify_align(op, vec_store_align);
}

bool vec_maskedload_verify(const pm_op *op) {
  pm_type type = pm_res(op, 0)->type;
  return verify_access(op, vec_maskedload_map, vec_maskedload_buffer, vec_maskedload_indices, type) &&
         verify_mask(op, vec_maskedload_mask, type) && verify_pass_thru(op, vec_maskedload_pass_thru);
}

bool vec_maskedstore_verify(const pm_op *op) {
  pm_type type = pm_arg(op, vec_maskedstore_value)->type;
  return verify_access(op, vec_maskedstore_map, vec_maskedstore_buffer, vec_maskedstore_indices, type) &&
         verify_mask(op, vec_maskedstore_mask, type);
}

bool vec_gather_verify(const pm_op *op) {
  pm_type type = pm_res(op, 0)->type, offsets = pm_arg(op, vec_gather_offsets)->type;
  if (!verify_access(op, vec_gather_map, vec_gather_buffer, vec_gather_indices, type) ||
      !verify_offset_type(op, offsets))
    return false;
  if (type->lanes % offsets->lanes == 0) return true;
  return pm_op_error(op, "has %u offsets for %u lanes, of which they should be a divisor", offsets->lanes,
                     type->lanes);
}

unsigned vec_gather_run(const pm_op *gather) {
  return pm_res((pm_op *)gather, 0)->type->lanes / pm_arg(gather, vec_gather_offsets)->type->lanes;
}

bool vec_maskedgather_verify(const pm_op *op) {
  pm_type type = pm_res(op, 0)->type;
  return verify_access(op, vec_maskedgather_map, vec_maskedgather_buffer, vec_maskedgather_indices, type) &&
         verify_offsets(op, vec_maskedgather_offsets, type) && verify_mask(op, vec_maskedgather_mask, type) &&
         verify_pass_thru(op, vec_maskedgather_pass_thru);
}

bool vec_scatter_verify(const pm_op *op) {
  pm_type type = pm_arg(op, vec_scatter_value)->type;
  return verify_access(op, vec_scatter_map, vec_scatter_buffer, vec_scatter_indices, type) &&
         verify_offsets(op, vec_scatter_offsets, type);
}

bool vec_maskedscatter_verify(const pm_op *op) {
  pm_type type = pm_arg(op, vec_maskedscatter_value)->type;
  return verify_access(op, vec_maskedscatter_map, vec_maskedscatter_buffer, vec_maskedscatter_indices,
                       type) &&
         verify_offsets(op, vec_maskedscatter_offsets, type) && verify_mask(op, vec_maskedscatter_mask, type);
}

bool vec_splat_verify(const pm_op *op) {
  return verify_element(op, pm_arg(op, 0)->type, pm_res(op, 0)->type);
}

bool vec_from_elements_verify(const pm_op *op) {
  pm_type type = pm_res(op, 0)->type;
  if (op->n_operands != type->lanes)
    return pm_op_error(op, "has %u elements for %u lanes, which should be equal", op->n_operands,
                       type->lanes);
  for (unsigned i = 0; i < op->n_operands; i++)
    if (!verify_element(op, pm_arg(op, i)->type, type)) return false;
  return true;
}

bool vec_step_verify(const pm_op *op) {
  pm_type type = pm_res(op, 0)->type;
  const pm_scalar_info *info = pm_get_scalar_info((pm_scalar)type->scalar);
  if (info->is_float || pm_is_bool(type))
    return pm_op_error(op, "has a result of type %pT, which should be of integers or index",
                       (const void *)type);
  unsigned digits = info->bits - (info->is_signed ? 1u : 0u);
  if (digits >= 32 || (type->lanes - 1) >> digits == 0) return true;
  return pm_op_error(op, "has %u lanes, but the elements of %pT hold no number above %u", type->lanes,
                     (const void *)type, (1u << digits) - 1);
}

bool vec_shuffle_verify(const pm_op *op) {
  pm_type a = pm_arg(op, vec_shuffle_a)->type, b = pm_arg(op, vec_shuffle_b)->type;
  pm_type type = pm_res(op, 0)->type;
  pm_attr lanes = pm_attr_at(op, vec_shuffle_lanes);
  if (pm_elem_type(a) != pm_elem_type(b) || pm_elem_type(a) != pm_elem_type(type))
    return pm_op_error(op, "mixes %pT and %pT into %pT, which should have one type of elements",
                       (const void *)a, (const void *)b, (const void *)type);
  if (lanes->len != type->lanes)
    return pm_op_error(op, "chooses %u lanes for a result of %u, which should be equal", lanes->len,
                       type->lanes);
  for (uint32_t i = 0; i < lanes->len; i++)
    if (!verify_lane(op, lanes->items[i]->i, a->lanes + b->lanes)) return false;
  return true;
}

bool vec_extract_verify(const pm_op *op) {
  pm_type source = pm_arg(op, vec_extract_source)->type;
  return verify_element(op, pm_res(op, 0)->type, source) &&
         verify_lane(op, pm_int_at(op, vec_extract_lane), source->lanes);
}

bool vec_insert_verify(const pm_op *op) {
  pm_type type = pm_res(op, 0)->type, dest = pm_arg(op, vec_insert_dest)->type;
  if (dest != type)
    return pm_op_error(op, "has a result of type %pT, which should be %pT", (const void *)type,
                       (const void *)dest);
  return verify_element(op, pm_arg(op, vec_insert_source)->type, type) &&
         verify_lane(op, pm_int_at(op, vec_insert_lane), type->lanes);
}

/* --- text of accesses --- */

/* Between the buffer and the indices an access has `n` vectors, the first of them in brackets when it is
 * offsets: `%b[%i] [%offsets], %mask, %pass {…} : memref<…>, t, t, t into t`. */
typedef struct access_form {
  unsigned n;
  bool offsets, into;
} access_form;

static const access_form maskedload_form = {2, false, true}, maskedstore_form = {2, false, false},
                         gather_form = {1, true, true}, maskedgather_form = {3, true, true},
                         scatter_form = {2, true, false}, maskedscatter_form = {3, true, false};

static void print_types(pm_printer *p, const pm_op *op, unsigned buffer) {
  static const char *const shown[] = {"map", NULL};
  pm_p_attr_dict(p, op, shown);
  pm_p(p, " : %pT", (const void *)pm_arg(op, buffer)->type);
}

/* For ops whose map is slot 0 and whose buffer is operand 0. */
static void print_access(pm_printer *p, const pm_op *op, access_form form) {
  pm_p(p, " ");
  loop_print_place(p, op, 0, 0, 1 + form.n);
  for (unsigned i = 1; i <= form.n; i++) {
    bool bracket = form.offsets && i == 1;
    pm_p(p, bracket ? " [" : ", ");
    pm_p_value(p, pm_arg(op, i));
    if (bracket) pm_p(p, "]");
  }
  print_types(p, op, 0);
  for (unsigned i = 1; i <= form.n; i++) pm_p(p, ", %pT", (const void *)pm_arg(op, i)->type);
  if (form.into) pm_p(p, " into %pT", (const void *)pm_res(op, 0)->type);
}

static bool parse_result_type(pm_parser *p, pm_op_state *state) {
  pm_type type = NULL;
  if (!pm_q_type(p, &type)) return false;
  PM_VEC_PUSH(state->results, type);
  return true;
}

static bool parse_vectors(pm_parser *p, access_form form, pm_operand_ref *vectors) {
  for (unsigned i = 0; i < form.n; i++) {
    bool bracket = form.offsets && i == 0;
    if (!pm_q_punct(p, bracket ? "[" : ",") || !pm_q_operand(p, &vectors[i])) return false;
    if (bracket && !pm_q_punct(p, "]")) return false;
  }
  return true;
}

static bool parse_access_parts(pm_parser *p, pm_op_state *state, access_form form, loop_place *place) {
  pm_operand_ref vectors[3];
  pm_type types[3];
  if (!loop_parse_place(p, state, place) || !parse_vectors(p, form, vectors) ||
      !loop_parse_memref(p, state, place))
    return false;
  for (unsigned i = 0; i < form.n; i++)
    if (!pm_q_punct(p, ",") || !pm_q_type(p, &types[i])) return false;
  if (form.into && (!pm_q_word(p, "into") || !parse_result_type(p, state))) return false;
  if (!pm_q_resolve(p, &place->buffer, place->type, state)) return false;
  for (unsigned i = 0; i < form.n; i++)
    if (!pm_q_resolve(p, &vectors[i], types[i], state)) return false;
  return pm_q_resolve_affine(p, &place->indices, state);
}

static bool parse_access(pm_parser *p, pm_op_state *state, access_form form) {
  loop_place place = {0};
  bool ok = parse_access_parts(p, state, form, &place);
  PM_VEC_FREE(place.indices);
  return ok;
}

void vec_load_print(pm_printer *p, const pm_op *op) {
  pm_p(p, " ");
  loop_print_place(p, op, vec_load_map, vec_load_buffer, vec_load_indices);
  print_types(p, op, vec_load_buffer);
  pm_p(p, ", %pT", (const void *)pm_res(op, 0)->type);
}

bool vec_load_parse(pm_parser *p, pm_op_state *state) {
  loop_place place = {0};
  bool ok = loop_parse_place(p, state, &place) && loop_parse_memref(p, state, &place) && pm_q_punct(p, ",") &&
            parse_result_type(p, state) && pm_q_resolve(p, &place.buffer, place.type, state) &&
            pm_q_resolve_affine(p, &place.indices, state);
  PM_VEC_FREE(place.indices);
  return ok;
}

void vec_store_print(pm_printer *p, const pm_op *op) {
  pm_p(p, " ");
  pm_p_value(p, pm_arg(op, vec_store_value));
  pm_p(p, ", ");
  loop_print_place(p, op, vec_store_map, vec_store_buffer, vec_store_indices);
  print_types(p, op, vec_store_buffer);
  pm_p(p, ", %pT", (const void *)pm_arg(op, vec_store_value)->type);
}

bool vec_store_parse(pm_parser *p, pm_op_state *state) {
  loop_place place = {0};
  pm_operand_ref value;
  pm_type type = NULL;
  bool ok = pm_q_operand(p, &value) && pm_q_punct(p, ",") && loop_parse_place(p, state, &place) &&
            loop_parse_memref(p, state, &place) && pm_q_punct(p, ",") && pm_q_type(p, &type) &&
            pm_q_resolve(p, &value, type, state) && pm_q_resolve(p, &place.buffer, place.type, state) &&
            pm_q_resolve_affine(p, &place.indices, state);
  PM_VEC_FREE(place.indices);
  return ok;
}

void vec_maskedload_print(pm_printer *p, const pm_op *op) {
  print_access(p, op, maskedload_form);
}
bool vec_maskedload_parse(pm_parser *p, pm_op_state *state) {
  return parse_access(p, state, maskedload_form);
}
void vec_maskedstore_print(pm_printer *p, const pm_op *op) {
  print_access(p, op, maskedstore_form);
}
bool vec_maskedstore_parse(pm_parser *p, pm_op_state *state) {
  return parse_access(p, state, maskedstore_form);
}
void vec_gather_print(pm_printer *p, const pm_op *op) {
  print_access(p, op, gather_form);
}
bool vec_gather_parse(pm_parser *p, pm_op_state *state) {
  return parse_access(p, state, gather_form);
}
void vec_maskedgather_print(pm_printer *p, const pm_op *op) {
  print_access(p, op, maskedgather_form);
}
bool vec_maskedgather_parse(pm_parser *p, pm_op_state *state) {
  return parse_access(p, state, maskedgather_form);
}

void vec_scatter_print(pm_printer *p, const pm_op *op) {
  print_access(p, op, scatter_form);
}
bool vec_scatter_parse(pm_parser *p, pm_op_state *state) {
  return parse_access(p, state, scatter_form);
}
void vec_maskedscatter_print(pm_printer *p, const pm_op *op) {
  print_access(p, op, maskedscatter_form);
}
bool vec_maskedscatter_parse(pm_parser *p, pm_op_state *state) {
  return parse_access(p, state, maskedscatter_form);
}

/* --- text of the others --- */

void vec_step_print(pm_printer *p, const pm_op *op) {
  pm_p_attr_dict(p, op, NULL);
  pm_p(p, " : %pT", (const void *)pm_res(op, 0)->type);
}

bool vec_step_parse(pm_parser *p, pm_op_state *state) {
  return pm_q_opt_attr_dict(p, state) && pm_q_punct(p, ":") && parse_result_type(p, state);
}

void vec_shuffle_print(pm_printer *p, const pm_op *op) {
  static const char *const shown[] = {"lanes", NULL};
  pm_attr lanes = pm_attr_at(op, vec_shuffle_lanes);
  pm_p(p, " ");
  pm_p_values(p, pm_operands(op), op->n_operands);
  pm_p(p, " [");
  for (uint32_t i = 0; i < lanes->len; i++) pm_p(p, "%s%lld", i ? ", " : "", (long long)lanes->items[i]->i);
  pm_p(p, "]");
  pm_p_attr_dict(p, op, shown);
  pm_p(p, " : %pT, %pT", (const void *)pm_arg(op, vec_shuffle_a)->type,
       (const void *)pm_arg(op, vec_shuffle_b)->type);
}

/* `[0, 9, …]` into the attribute "lanes"; *n of them, at least 1. */
static bool parse_lanes(pm_parser *p, pm_op_state *state, uint32_t *n) {
  PM_VEC(int64_t) lanes = {0};
  int64_t lane = 0;
  bool ok = pm_q_punct(p, "[");
  do {
    ok = ok && pm_q_int(p, &lane);
    if (ok) PM_VEC_PUSH(lanes, lane);
  } while (ok && pm_q_opt_punct(p, ","));
  ok = ok && pm_q_punct(p, "]");
  if (ok)
    pm_state_attr(pm_q_context(p), state, "lanes",
                  pm_get_index_array(pm_q_context(p), lanes.data, lanes.len));
  *n = (uint32_t)lanes.len;
  PM_VEC_FREE(lanes);
  return ok;
}

bool vec_shuffle_parse(pm_parser *p, pm_op_state *state) {
  pm_operand_ref a, b;
  pm_type a_type = NULL, b_type = NULL;
  uint32_t n = 0;
  if (!pm_q_operand(p, &a) || !pm_q_punct(p, ",") || !pm_q_operand(p, &b) || !parse_lanes(p, state, &n) ||
      !pm_q_opt_attr_dict(p, state) || !pm_q_punct(p, ":"))
    return false;
  pm_loc loc = pm_q_loc(p);
  if (!pm_q_type(p, &a_type) || !pm_q_punct(p, ",") || !pm_q_type(p, &b_type)) return false;
  if (a_type->cls != PM_TYPE_VECTOR) return pm_q_error(p, loc, "a shuffle takes vectors");
  PM_VEC_PUSH(state->results, pm_get_vector(pm_elem_type(a_type), n));
  return pm_q_resolve(p, &a, a_type, state) && pm_q_resolve(p, &b, b_type, state);
}

/* `%v[3]`; the number becomes the attribute "lane". */
static bool parse_lane(pm_parser *p, pm_op_state *state, pm_operand_ref *vector) {
  pm_context *ctx = pm_q_context(p);
  int64_t lane = 0;
  if (!pm_q_operand(p, vector) || !pm_q_punct(p, "[") || !pm_q_int(p, &lane) || !pm_q_punct(p, "]"))
    return false;
  pm_state_attr(ctx, state, "lane", pm_get_index_attr(ctx, lane));
  return pm_q_opt_attr_dict(p, state) && pm_q_punct(p, ":");
}

static void print_lane(pm_printer *p, const pm_op *op, unsigned vector, unsigned lane) {
  static const char *const shown[] = {"lane", NULL};
  pm_p_value(p, pm_arg(op, vector));
  pm_p(p, "[%lld]", (long long)pm_int_at(op, lane));
  pm_p_attr_dict(p, op, shown);
}

void vec_extract_print(pm_printer *p, const pm_op *op) {
  pm_p(p, " ");
  print_lane(p, op, vec_extract_source, vec_extract_lane);
  pm_p(p, " : %pT from %pT", (const void *)pm_res(op, 0)->type,
       (const void *)pm_arg(op, vec_extract_source)->type);
}

bool vec_extract_parse(pm_parser *p, pm_op_state *state) {
  pm_operand_ref vector;
  pm_type type = NULL;
  return parse_lane(p, state, &vector) && parse_result_type(p, state) && pm_q_word(p, "from") &&
         pm_q_type(p, &type) && pm_q_resolve(p, &vector, type, state);
}

void vec_insert_print(pm_printer *p, const pm_op *op) {
  pm_p(p, " ");
  pm_p_value(p, pm_arg(op, vec_insert_source));
  pm_p(p, ", ");
  print_lane(p, op, vec_insert_dest, vec_insert_lane);
  pm_p(p, " : %pT into %pT", (const void *)pm_arg(op, vec_insert_source)->type,
       (const void *)pm_res(op, 0)->type);
}

bool vec_insert_parse(pm_parser *p, pm_op_state *state) {
  pm_operand_ref scalar, vector;
  pm_type element = NULL, type = NULL;
  if (!pm_q_operand(p, &scalar) || !pm_q_punct(p, ",") || !parse_lane(p, state, &vector) ||
      !pm_q_type(p, &element) || !pm_q_word(p, "into") || !pm_q_type(p, &type))
    return false;
  PM_VEC_PUSH(state->results, type);
  return pm_q_resolve(p, &scalar, element, state) && pm_q_resolve(p, &vector, type, state);
}
