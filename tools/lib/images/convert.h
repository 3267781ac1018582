/* From the elements of a file to those of an input. */
#ifndef PM_TOOLS_IMAGES_CONVERT_H
#define PM_TOOLS_IMAGES_CONVERT_H

#include "tools/lib/images/array.h"

/* What the samples of a picture become. */
typedef enum pm_scale_in_kind {
  PM_SCALE_IN_UNIT, /* 0..1 in float inputs; the same number in integer inputs */
  PM_SCALE_IN_NONE, /* the same number */
  PM_SCALE_IN_FULL, /* 0..1 in float inputs; the whole range of integer inputs, rounded; 0..1 of float samples
                     */
  PM_SCALE_IN_WHITE /* as UNIT, with `white` for the greatest sample */
} pm_scale_in_kind;
typedef struct pm_scale_in {
  pm_scale_in_kind kind;
  double white;
} pm_scale_in;

/* u8 and u16 become anything but i1; other integers need NONE or WHITE to become floats, and FULL is not for
 * them. Floats become f32 and f64, rounded; with FULL integers of up to 32 bits, where 0..1 is the whole
 * range, values outside are clamped and NaN is 0. */
bool pm_can_convert(pm_scalar from, pm_scalar to, const pm_scale_in *scale);
/* A new array in `out`. False with a message when an integer does not fit its type, or for want of memory. */
bool pm_convert(const pm_array *in, pm_scalar to, const pm_scale_in *scale, pm_array *out,
                pm_buf *error) PM_MUST_USE;

/* The same numbers in another type: a new array in `out`, or false with a message that names the first number
 * that the type does not hold. f16 and bf16 are only copied. */
bool pm_convert_exact(const pm_array *in, pm_scalar to, pm_array *out, pm_buf *error) PM_MUST_USE;

/* Turns the bytes of every element around, in place. */
void pm_swap_bytes(pm_array *array);

#endif
