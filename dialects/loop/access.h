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
