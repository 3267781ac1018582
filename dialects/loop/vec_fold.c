/* Folds and rules of vec. The measure that the rules reduce, lexicographically: the number of masked
 * accesses, that of gathers, that of lists of elements, that of inserts and shuffles above each extract and
 * insert. */
#include "dialects/loop/access.h"
#include "dialects/loop/vec.h"
#include "ir/rewrite.h"

#include <stdlib.h>

/* --- folds --- */

static bool give_value(pm_fold_result *out, pm_value *value) {
  out->value = value;
  return true;
}

/* The number of `constant`, a scalar or a splat, as a constant of `type`, which has the same elements. */
static bool give_number(pm_fold_result *out, pm_attr constant, pm_type type) {
  out->attr = constant->cls == PM_ATTR_INT ? pm_get_int(type, constant->i) : pm_get_float(type, constant->f);
  return true;
}

static bool is_mask_of(pm_attr mask, bool value) {
  return mask && (mask->i != 0) == value;
}

/* maskedload(b, false, p) => p */
bool vec_maskedload_fold(pm_op *op, const pm_attr *operands, pm_fold_result *out) {
  return is_mask_of(operands[vec_maskedload_mask], false) &&
         give_value(out, pm_arg(op, vec_maskedload_pass_thru));
}

/* maskedgather(b, o, false, p) => p */
bool vec_maskedgather_fold(pm_op *op, const pm_attr *operands, pm_fold_result *out) {
  return is_mask_of(operands[vec_maskedgather_mask], false) &&
         give_value(out, pm_arg(op, vec_maskedgather_pass_thru));
}

/* splat(c) => the constant vector c */
bool vec_splat_fold(pm_op *op, const pm_attr *operands, pm_fold_result *out) {
  return operands[0] && give_number(out, operands[0], pm_res(op, 0)->type);
}

/* from_elements(extract(v, 0), extract(v, 1), …) => v, and the constant vector c of one constant c */
bool vec_from_elements_fold(pm_op *op, const pm_attr *operands, pm_fold_result *out) {
  pm_type type = pm_res(op, 0)->type;
  pm_op *first = pm_def(pm_arg(op, 0));
  pm_value *source = pm_is(first, &vec_extract) ? pm_arg(first, vec_extract_source) : NULL;
  bool whole = source && source->type == type, same = operands[0] != NULL;
  for (unsigned i = 0; i < op->n_operands; i++) {
    pm_op *def = pm_def(pm_arg(op, i));
    whole = whole && pm_is(def, &vec_extract) && pm_arg(def, vec_extract_source) == source &&
            pm_int_at(def, vec_extract_lane) == i;
    same = same && operands[i] == operands[0];
  }
  if (whole) return give_value(out, source);
  return same && give_number(out, operands[0], type);
}

/* All lanes are first, first + 1, … */
static bool are_consecutive(pm_attr lanes, int64_t first) {
  for (uint32_t i = 0; i < lanes->len; i++)
    if (lanes->items[i]->i != first + (int64_t)i) return false;
  return true;
}

/* The operand that all lanes come from, 0 or 1; -1 when they come from both. */
static int only_source(const pm_op *op) {
  pm_attr lanes = pm_attr_at(op, vec_shuffle_lanes);
  int64_t n = pm_arg(op, vec_shuffle_a)->type->lanes;
  int source = lanes->items[0]->i >= n;
  for (uint32_t i = 1; i < lanes->len; i++)
    if ((lanes->items[i]->i >= n) != source) return -1;
  return source;
}

/* shuffle(a, b, 0 1 …) => a, shuffle(a, b, n n+1 …) => b, shuffle(c, _) => c of a constant,
 * shuffle(splat(x), splat(x)) => splat(x) */
bool vec_shuffle_fold(pm_op *op, const pm_attr *operands, pm_fold_result *out) {
  pm_value *a = pm_arg(op, vec_shuffle_a), *b = pm_arg(op, vec_shuffle_b);
  pm_attr lanes = pm_attr_at(op, vec_shuffle_lanes);
  pm_type type = pm_res(op, 0)->type;
  int source = only_source(op);
  if (a->type == type && are_consecutive(lanes, 0)) return give_value(out, a);
  if (b->type == type && are_consecutive(lanes, a->type->lanes)) return give_value(out, b);
  if (source >= 0 && operands[source]) return give_number(out, operands[source], type);
  if (source < 0 && operands[0] && operands[1] && a->type == b->type && operands[0] == operands[1])
    return give_number(out, operands[0], type);
  if (source < 0 && a != b) return false;
  pm_value *from = source == 1 ? b : a;
  return from->type == type && pm_is(pm_def(from), &vec_splat) && give_value(out, from);
}

/* extract(c, i) => c, extract(splat(x), i) => x, extract(insert(s, v, i), i) => s, extract(step, i) => i,
 * extract(from_elements(x0, x1, …), i) => xi */
bool vec_extract_fold(pm_op *op, const pm_attr *operands, pm_fold_result *out) {
  pm_op *def = pm_def(pm_arg(op, vec_extract_source));
  pm_attr lane = pm_attr_at(op, vec_extract_lane);
  pm_type type = pm_res(op, 0)->type;
  if (operands[0]) return give_number(out, operands[0], type);
  if (pm_is(def, &vec_splat)) return give_value(out, pm_arg(def, 0));
  if (pm_is(def, &vec_step)) return give_number(out, lane, type);
  if (pm_is(def, &vec_from_elements)) return give_value(out, pm_arg(def, (unsigned)lane->i));
  if (!pm_is(def, &vec_insert) || pm_int_at(def, vec_insert_lane) != lane->i) return false;
  return give_value(out, pm_arg(def, vec_insert_source));
}

/* insert(extract(v, i), v, i) => v, insert(c, c, i) => c of a constant, insert(x, splat(x), i) => splat(x) */
bool vec_insert_fold(pm_op *op, const pm_attr *operands, pm_fold_result *out) {
  pm_value *scalar = pm_arg(op, vec_insert_source), *vector = pm_arg(op, vec_insert_dest);
  pm_op *def = pm_def(scalar), *vector_def = pm_def(vector);
  int64_t lane = pm_int_at(op, vec_insert_lane);
  if (pm_is(def, &vec_extract) && pm_arg(def, 0) == vector && pm_int_at(def, vec_extract_lane) == lane)
    return give_value(out, vector);
  if (pm_is(vector_def, &vec_splat) && pm_arg(vector_def, 0) == scalar) return give_value(out, vector);
  if (!operands[0] || !operands[1]) return false;
  pm_fold_result splat = {0};
  give_number(&splat, operands[0], vector->type);
  return splat.attr == operands[1] && give_value(out, vector);
}

/* --- rules --- */

/* The same access with `vectors` (n of them, NULL left out) around its buffer as `desc` wants them, in the
 * order of its rows. NULL when `desc` has no result. */
static pm_op *build_access(pm_rewriter *rw, const pm_op *op, const pm_op_desc *desc, pm_value *const *leading,
                           unsigned n) {
  loop_access access;
  PM_VEC(pm_value *) operands = {0};
  if (!loop_find_access(op, &access)) pm_panic(op, "is no access");
  for (unsigned i = 0; i < n; i++) PM_VEC_PUSH(operands, leading[i]);
  for (uint32_t i = 0; i < loop_n_indices(&access); i++) PM_VEC_PUSH(operands, access.indices[i].value);
  pm_attr *attrs = pm_xcalloc(desc->n_attrs, sizeof *attrs);
  attrs[0] = pm_get_map_attr(access.map);
  pm_type type = op->n_results ? pm_res(op, 0)->type : NULL;
  pm_op *made =
      pm_build(pm_rw_builder(rw), desc, operands.data, (unsigned)operands.len, &type, op->n_results, attrs);
  free(attrs);
  PM_VEC_FREE(operands);
  return made;
}

static bool is_known_mask(const pm_op *op, unsigned mask, bool value) {
  return is_mask_of(pm_constant_value(pm_arg(op, mask)), value);
}

bool vec_maskedload_all(pm_rewriter *rw, pm_op *op) {
  if (!is_known_mask(op, vec_maskedload_mask, true)) return false;
  pm_value *leading[] = {pm_arg(op, vec_maskedload_buffer)};
  pm_rw_replace_one(rw, op, pm_res(build_access(rw, op, &vec_load, leading, 1), 0));
  return true;
}

bool vec_maskedstore_all(pm_rewriter *rw, pm_op *op) {
  if (!is_known_mask(op, vec_maskedstore_mask, true)) return false;
  pm_value *leading[] = {pm_arg(op, vec_maskedstore_value), pm_arg(op, vec_maskedstore_buffer)};
  (void)build_access(rw, op, &vec_store, leading, 2);
  pm_rw_erase(rw, op);
  return true;
}

bool vec_maskedstore_none(pm_rewriter *rw, pm_op *op) {
  if (!is_known_mask(op, vec_maskedstore_mask, false)) return false;
  pm_rw_erase(rw, op);
  return true;
}

bool vec_gather_consecutive(pm_rewriter *rw, pm_op *op) {
  if (vec_gather_run(op) != 1 || !pm_is(pm_def(pm_arg(op, vec_gather_offsets)), &vec_step)) return false;
  pm_value *leading[] = {pm_arg(op, vec_gather_buffer)};
  pm_rw_replace_one(rw, op, pm_res(build_access(rw, op, &vec_load, leading, 1), 0));
  return true;
}

bool vec_maskedgather_all(pm_rewriter *rw, pm_op *op) {
  if (!is_known_mask(op, vec_maskedgather_mask, true)) return false;
  pm_value *leading[] = {pm_arg(op, vec_maskedgather_buffer), pm_arg(op, vec_maskedgather_offsets)};
  pm_rw_replace_one(rw, op, pm_res(build_access(rw, op, &vec_gather, leading, 2), 0));
  return true;
}

bool vec_maskedgather_consecutive(pm_rewriter *rw, pm_op *op) {
  if (!pm_is(pm_def(pm_arg(op, vec_maskedgather_offsets)), &vec_step)) return false;
  pm_value *leading[] = {pm_arg(op, vec_maskedgather_buffer), pm_arg(op, vec_maskedgather_mask),
                         pm_arg(op, vec_maskedgather_pass_thru)};
  pm_rw_replace_one(rw, op, pm_res(build_access(rw, op, &vec_maskedload, leading, 3), 0));
  return true;
}

bool vec_scatter_consecutive(pm_rewriter *rw, pm_op *op) {
  if (!pm_is(pm_def(pm_arg(op, vec_scatter_offsets)), &vec_step)) return false;
  pm_value *leading[] = {pm_arg(op, vec_scatter_value), pm_arg(op, vec_scatter_buffer)};
  (void)build_access(rw, op, &vec_store, leading, 2);
  pm_rw_erase(rw, op);
  return true;
}

bool vec_maskedscatter_all(pm_rewriter *rw, pm_op *op) {
  if (!is_known_mask(op, vec_maskedscatter_mask, true)) return false;
  pm_value *leading[] = {pm_arg(op, vec_maskedscatter_buffer), pm_arg(op, vec_maskedscatter_offsets),
                         pm_arg(op, vec_maskedscatter_value)};
  (void)build_access(rw, op, &vec_scatter, leading, 3);
  pm_rw_erase(rw, op);
  return true;
}

bool vec_maskedscatter_none(pm_rewriter *rw, pm_op *op) {
  if (!is_known_mask(op, vec_maskedscatter_mask, false)) return false;
  pm_rw_erase(rw, op);
  return true;
}

bool vec_maskedscatter_consecutive(pm_rewriter *rw, pm_op *op) {
  if (!pm_is(pm_def(pm_arg(op, vec_maskedscatter_offsets)), &vec_step)) return false;
  pm_value *leading[] = {pm_arg(op, vec_maskedscatter_buffer), pm_arg(op, vec_maskedscatter_mask),
                         pm_arg(op, vec_maskedscatter_value)};
  (void)build_access(rw, op, &vec_maskedstore, leading, 3);
  pm_rw_erase(rw, op);
  return true;
}

bool vec_from_elements_same(pm_rewriter *rw, pm_op *op) {
  pm_value *scalar = pm_arg(op, 0);
  for (unsigned i = 1; i < op->n_operands; i++)
    if (pm_arg(op, i) != scalar) return false;
  pm_rw_replace_one(rw, op, vec_build_splat(pm_rw_builder(rw), scalar, op->n_operands));
  return true;
}

static void replace_extract(pm_rewriter *rw, pm_op *op, pm_value *vector, int64_t lane) {
  pm_attr number = pm_get_index_attr(pm_op_context(op), lane);
  pm_type type = pm_res(op, 0)->type;
  pm_rw_replace_one(rw, op,
                    pm_res(pm_build(pm_rw_builder(rw), &vec_extract, &vector, 1, &type, 1, &number), 0));
}

bool vec_extract_of_insert(pm_rewriter *rw, pm_op *op) {
  pm_op *insert = pm_def(pm_arg(op, vec_extract_source));
  int64_t lane = pm_int_at(op, vec_extract_lane);
  if (!pm_is(insert, &vec_insert) || pm_int_at(insert, vec_insert_lane) == lane) return false;
  replace_extract(rw, op, pm_arg(insert, vec_insert_dest), lane);
  return true;
}

bool vec_extract_of_shuffle(pm_rewriter *rw, pm_op *op) {
  pm_op *shuffle = pm_def(pm_arg(op, vec_extract_source));
  if (!pm_is(shuffle, &vec_shuffle)) return false;
  int64_t n = pm_arg(shuffle, vec_shuffle_a)->type->lanes;
  int64_t lane = pm_attr_at(shuffle, vec_shuffle_lanes)->items[pm_int_at(op, vec_extract_lane)]->i;
  replace_extract(rw, op, pm_arg(shuffle, lane < n ? vec_shuffle_a : vec_shuffle_b),
                  lane < n ? lane : lane - n);
  return true;
}

bool vec_insert_of_insert(pm_rewriter *rw, pm_op *op) {
  pm_op *inner = pm_def(pm_arg(op, vec_insert_dest));
  if (!pm_is(inner, &vec_insert) || pm_int_at(inner, vec_insert_lane) != pm_int_at(op, vec_insert_lane))
    return false;
  pm_rw_set_operand(rw, op, vec_insert_dest, pm_arg(inner, vec_insert_dest));
  pm_rw_changed(rw, op);
  return true;
}
