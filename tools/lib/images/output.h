/* From computed arrays to files. */
#ifndef PM_TOOLS_IMAGES_OUTPUT_H
#define PM_TOOLS_IMAGES_OUTPUT_H

#include "dialects/stage/analyses/graph.h"
#include "tools/lib/images/image.h"

/* How values become samples of a PNG, PNM or JPEG. Without any option u8 and u16 stages are written as they
 * are, and others get samples of 8 bits. A TIFF gets samples if an option asks for them. */
typedef enum pm_scale_out_kind {
  PM_SCALE_UNIT, /* 0..1 of floats, and the range of u8 and u16, to the whole range of samples; other integers
                    are refused */
  PM_SCALE_NONE, /* the value itself, clamped and rounded */
  PM_SCALE_AUTO, /* smallest to 0, greatest to the greatest sample */
  PM_SCALE_WHITE /* 0..white to the whole range */
} pm_scale_out_kind;
typedef struct pm_output_options {
  pm_scale_out_kind scale;
  double white;
  int depth;  /* bits of a sample, 8 or 16; 0: those of u8 and u16, else 8 */
  bool asked; /* an option says how samples are made */
  bool bgr;   /* the program has blue first */
} pm_output_options;

/* The file's bytes for an output, appended to `bytes`; NaN becomes 0 in pictures. Planes become interleaved;
 * which extent of rank 3 is the channels is in docs/pm-run.md, and a message where that is not known. PFM,
 * NPY, text and, without options, TIFF hold the values exactly. */
bool pm_encode_output(const char *path, const stage_arg *arg, const pm_array *array,
                      const pm_output_options *options, pm_buf *bytes, pm_buf *error) PM_MUST_USE;

/* A picture [rows][columns][n] of n arrays [rows][columns]; false with a message unless their types and sizes
 * agree. */
bool pm_join_channels(const stage_arg *const *args, const pm_array *const *planes, size_t n, pm_array *out,
                      pm_buf *error) PM_MUST_USE;

/* An output's file may be one for each call of --repeat: `%d` or `%03d` in its name is the number of the
 * call. */
bool pm_is_step_path(const char *path);
/* The name for that call; to be freed. */
char *pm_step_path(const char *path, size_t call);

#endif
