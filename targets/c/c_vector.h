/* Vectors in C: what the files that print them share.
 *
 *   c_vector_types.c    types, and functions of vectors from templates
 *   c_vector.c          arithmetic, choices, conversions, lanes
 *   c_vector_memory.c   loads and stores
 */
#ifndef PM_TARGETS_C_VECTOR_H
#define PM_TARGETS_C_VECTOR_H

#include "targets/c/c_emit.h"

/* --- c_vector_types.c --- */

/* What the templates stand for. $R: the result's vector type, $A $B $C those of the parameters a, b, c; $e
 * and $t: the elements of R and of A; $a $b $c $r: lane k; $U $M: A with unsigned, with signed integers; $u:
 * the unsigned element of A, $W at least 32 bits of it, $w its width; $n: the number of lanes; $x: extra; $d:
 * ` + k % run` where an offset is that of a run. */
typedef struct c_shape {
  c_emitter *e;
  pm_scalar r, a, b, c;
  uint32_t lanes, run; /* of all but b, which has a lane for each `run` of them */
  const char *extra;
} c_shape;

/* A function of vectors. */
typedef struct c_template {
  const char *result, *params;
  const char *native; /* the body with vector extensions, or NULL: the same loop */
  const char *start;  /* first value of r */
  const char *lane;   /* what happens to lane k */
} c_template;

bool c_is_vector(const pm_value *value);
/* A vector of i1. */
bool c_is_mask(const pm_value *value);
unsigned c_bits_of(pm_scalar scalar);
/* The lanes of a mask of that width, and of a value, in C. */
pm_scalar c_mask_scalar(unsigned bits);
pm_scalar c_lane_scalar(c_emitter *e, const pm_value *value);
/* `masks` for a mask, else `numbers`. */
const char *c_lane_word(const pm_value *vector, const char *numbers, const char *masks);
/* The extensions have vectors of so many lanes. */
bool c_is_native(uint32_t lanes);
/* The text, which is freed, as a string of the context. */
pm_string c_keep_text(c_emitter *e, pm_buf *text);
/* `pm_f32x8`, which will be defined. */
const char *c_use_vector_type(c_emitter *e, pm_scalar scalar, uint32_t lanes);
/* `pm_<what>_f32x8`, for functions that the type of one operand determines, and `pm_<what>_f32x8_i32x8`. */
const char *c_define_by_one(const c_shape *s, const char *what, pm_scalar scalar, const c_template *f);
const char *c_define_by_two(const c_shape *s, const char *what, pm_scalar first, pm_scalar second,
                            const c_template *f);

/* --- c_vector.c --- */
/* The mask with lanes of that width. */
void c_put_mask(c_emitter *e, const pm_value *mask, pm_scalar want);
/* A value whose elements in C are to be `want`: only masks are converted. */
void c_put_lanes(c_emitter *e, const pm_value *value, pm_scalar want);

#endif
