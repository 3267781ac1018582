/* The vec dialect: see vec.def for its ops. */
#ifndef PM_DIALECTS_VEC_H
#define PM_DIALECTS_VEC_H

#define PM_DIALECT vec
#define PM_DIALECT_DEF "dialects/loop/vec.def"
#include "ir/declare_ops.h"
#undef PM_DIALECT
#undef PM_DIALECT_DEF

#include "dialects/loop/access.h"
#include "ir/builder.h"

/* Kinds of vec.reduce: rows of reduce.def. */
typedef enum vec_kind {
#define KIND(id, word, ints, floats) VEC_##id,
#include "dialects/loop/reduce.def"
#undef KIND
  VEC_N_KINDS
} vec_kind;
vec_kind vec_kind_of(const pm_op *reduce);
/* The op of arith that joins two lanes; NULL when the kind is none for floats. */
const pm_op_desc *vec_reduce_op(const pm_op *reduce);
/* Of integers: the op of the kind with the name, and the name of the kind with the op; NULL: there is none.
 */
const pm_op_desc *vec_op_named(pm_string kind);
const char *vec_name_of_op(const pm_op_desc *op);
/* The consecutive elements that each offset of a vec.gather gives. */
unsigned vec_gather_run(const pm_op *gather);
/* Joins the lanes of the operand, from lane 0 on. */
void vec_reduce_lanes(const pm_op *reduce, const pm_lane *lanes, pm_lane *out);

/* --- builders: `indices` has the dimensions of the map, and then its symbols; `type` is that of the vector
 * --- */
pm_value *vec_build_load(pm_builder *b, pm_type type, pm_value *buffer, pm_affine_map map,
                         pm_value *const *indices);
pm_op *vec_build_store(pm_builder *b, pm_value *value, pm_value *buffer, pm_affine_map map,
                       pm_value *const *indices);
/* From where, or to where, the map of another access leads. */
pm_value *vec_build_load_at(pm_builder *b, pm_type type, const loop_access *access, pm_affine_map map);
pm_op *vec_build_store_at(pm_builder *b, pm_value *value, const loop_access *access, pm_affine_map map);
pm_value *vec_build_maskedload(pm_builder *b, pm_value *mask, pm_value *pass_thru, pm_value *buffer,
                               pm_affine_map map, pm_value *const *indices);
pm_op *vec_build_maskedstore(pm_builder *b, pm_value *mask, pm_value *value, pm_value *buffer,
                             pm_affine_map map, pm_value *const *indices);
pm_value *vec_build_gather(pm_builder *b, pm_type type, pm_value *offsets, pm_value *buffer,
                           pm_affine_map map, pm_value *const *indices);
pm_value *vec_build_maskedgather(pm_builder *b, pm_value *offsets, pm_value *mask, pm_value *pass_thru,
                                 pm_value *buffer, pm_affine_map map, pm_value *const *indices);
pm_value *vec_build_splat(pm_builder *b, pm_value *scalar, unsigned lanes);
pm_value *vec_build_from_elements(pm_builder *b, pm_value *const *elements, unsigned n);
pm_value *vec_build_step(pm_builder *b, pm_type type);
/* Lane k is number lanes[k] of x followed by y. */
pm_value *vec_build_shuffle(pm_builder *b, pm_value *x, pm_value *y, const int64_t *lanes, unsigned n);
pm_value *vec_build_extract(pm_builder *b, pm_value *vector, int64_t lane);
pm_value *vec_build_insert(pm_builder *b, pm_value *scalar, pm_value *vector, int64_t lane);

#endif
