/* What the ops that access a buffer by an affine map share: buf.load, buf.store, and the accesses of vec.
 *
 * The map gives an index for each dimension of the buffer, or, as lower-memref leaves it, one index alone:
 * the place of the cell in row-major order, `%b[%i * symbol(%n) + %j]`. Its sums and products do not wrap. */
#ifndef PM_DIALECTS_LOOP_ACCESS_H
#define PM_DIALECTS_LOOP_ACCESS_H

#include "ir/text.h"

typedef struct loop_access {
  const pm_value *buffer;
  pm_affine_map map;
  const pm_use *indices; /* operands of the map, dimensions and then symbols; the last operands of the op */
  bool reads;            /* otherwise it writes */
} loop_access;

/* The attribute, which may be absent, is a power of two from 1 to LOOP_MAX_ALIGN. */
enum { LOOP_MAX_ALIGN = 4096 };
bool loop_verify_align(const pm_op *op, unsigned slot);

/* What the op, one that verifies, accesses; false when it is no access. */
bool loop_find_access(const pm_op *op, loop_access *access);
/* The same for buf.prefetch too, which touches no cell. */
bool loop_find_place(const pm_op *op, loop_access *access);
/* Dimensions and symbols. */
static inline uint32_t loop_n_indices(const loop_access *access) {
  return access->map->n_dims + access->map->n_syms;
}
/* Gives an access another map, of as many dimensions and symbols. */
void loop_set_access_map(pm_op *op, pm_affine_map map);

/* --- one index of an access, by a value among its operands --- */
bool loop_index_mentions(const loop_access *access, pm_affine_expr index, const pm_value *value);
/* What the value is multiplied by in the index; false when the index is not linear. */
bool loop_find_factor(const loop_access *access, pm_affine_expr index, const pm_value *value,
                      int64_t *factor);
/* (i, c) -> i - c: in memory for a piece of a row that begins at c. */
pm_affine_map loop_offset_map(pm_context *ctx);
/* From one value of the counter to the next, the access goes to the next cell of a row. */
bool loop_goes_along(const loop_access *access, const pm_value *counter);
/* The least k such that the index at value + k * step differs from that at the value by the same number
 * wherever that is; 0 when none up to `most` is found. */
int64_t loop_index_period(const loop_access *access, pm_affine_expr index, const pm_value *value,
                          int64_t step, int64_t most);
/* Arrays that one op makes may share memory; those of different ops do not overlap. */
bool loop_share_memory(const pm_value *a, const pm_value *b);
/* The least common multiple of periods; 0 when one of them is 0, or it is more than `most`. */
int64_t loop_joint_period(int64_t a, int64_t b, int64_t most);

/* --- for hooks --- */
/* The map, in attribute slot `map`, fits the buffer, operand number `buffer`, and the operands from `indices`
 * on; the elements are of type `element`; what is written is no input. */
bool loop_verify_access(const pm_op *op, unsigned map, unsigned buffer, unsigned indices, pm_type element);
/* `%b[%i, %j]` */
void loop_print_place(pm_printer *p, const pm_op *op, unsigned map, unsigned buffer, unsigned indices);

typedef struct loop_place {
  pm_operand_ref buffer;
  pm_operand_refs indices; /* the caller frees it */
  pm_type type;            /* of the buffer */
} loop_place;

/* `%b[%i, %j]`: the map becomes the attribute "map"; operands are not resolved. */
bool loop_parse_place(pm_parser *p, pm_op_state *state, loop_place *place);
/* ` {…} : memref<…>`, into place->type. */
bool loop_parse_memref(pm_parser *p, pm_op_state *state, loop_place *place);

#endif
