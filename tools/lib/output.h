/* From computed arrays to files. */
#ifndef PM_TOOLS_OUTPUT_H
#define PM_TOOLS_OUTPUT_H

#include "dialects/stage/graph.h"
#include "tools/lib/image.h"

/* How values become the u8 samples of a PNG or PNM. u8 and u16 stages are written as they are unless AUTO. */
typedef enum pm_scale_out {
  PM_SCALE_255,  /* floats: 0..1 to 0..255; other integers are refused */
  PM_SCALE_NONE, /* the value itself, clamped to 0..255 and rounded */
  PM_SCALE_AUTO  /* smallest to 0, greatest to 255 */
} pm_scale_out;

/* The file's bytes for an output, appended to `bytes`; NaN becomes 0 in pictures. Rank 3 whose first extent
 * is the constant 1, 3 or 4 is planar and becomes interleaved. PFM and NPY hold the values exactly. */
bool pm_encode_output(const char *path, const stage_arg *arg, const pm_array *array, pm_scale_out scale,
                      pm_buf *bytes, pm_buf *error) PM_MUST_USE;

/* An output's file may be one for each call of --repeat: `%d` or `%03d` in its name is the number of the
 * call. */
bool pm_is_step_path(const char *path);
/* The name for that call; to be freed. */
char *pm_step_path(const char *path, size_t call);

#endif
