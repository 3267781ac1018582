/* Dense arrays of the tools: allocation under a limit of memory, layouts and conversions of pictures.
 *
 * A picture is a pm_array of rank 2 [rows][columns] or 3; colour is interleaved [rows][columns][channels] as
 * files have it, or planar [channels][rows][columns] as pipelines like it. */
#ifndef PM_TOOLS_IMAGES_ARRAY_H
#define PM_TOOLS_IMAGES_ARRAY_H

#include "dialects/arith/call.h"

/* Bytes that one array may take: the memory of this machine. */
int64_t pm_memory_limit(void);
/* Allocates zeroed `data` (never NULL afterwards) for the scalar and extents that are set; false with a
 * message when that overflows, is above the limit, or fails. */
bool pm_array_allocate(pm_array *array, pm_buf *error) PM_MUST_USE;
void pm_array_release(pm_array *array);
/* Of rank and extents; the scalars may differ. */
bool pm_same_shape(const pm_array *a, const pm_array *b);
/* Elements before the one at `index`, in the order of the array. */
int64_t pm_array_position(const pm_array *array, const int64_t *index);
/* "480 x 640", "a single value" for rank 0. */
void pm_put_extents(pm_buf *out, unsigned rank, const int64_t *extents);

/* Each makes a new array in `out` from a picture of rank 3 and leaves `in`; false with a message for want of
 * memory. */
bool pm_to_planar(const pm_array *in, pm_array *out, pm_buf *error) PM_MUST_USE;
bool pm_to_interleaved(const pm_array *in, pm_array *out, pm_buf *error) PM_MUST_USE;
/* Interleaved colour (3 channels or more; those after the third are dropped) to rank 2 by .299 R + .587 G +
 * .114 B in f32; in f64 for f64 and integers that are not u8 or u16. Rounded for integers. */
bool pm_to_gray(const pm_array *in, pm_array *out, pm_buf *error) PM_MUST_USE;

/* A picture of rank 2 or 3 whose first row and column are where EXIF's and TIFF's tag Orientation says, 1 to
 * 8 (1: top and left; others count as 1), as a new array with the top row first. */
bool pm_turn_upright(const pm_array *in, unsigned orientation, pm_array *out, pm_buf *error) PM_MUST_USE;

/* Channels 0 and 2 of interleaved colour change places. */
void pm_swap_red_blue(pm_array *array);
/* The greatest sample of the type at `out`: 255, 65535, 1 for floats. */
void pm_put_opaque(pm_scalar scalar, void *out);

typedef enum pm_pad_mode { PM_PAD_ZERO, PM_PAD_EDGE, PM_PAD_MIRROR } pm_pad_mode;
/* A ring of `width` elements around dimensions first_dim and first_dim + 1. PM_PAD_MIRROR repeats the edge.
 */
bool pm_pad(const pm_array *in, unsigned first_dim, int64_t width, pm_pad_mode mode, pm_array *out,
            pm_buf *error) PM_MUST_USE;

#endif
