/* From a file to the array of an input: text, NPY, raw samples, pictures. docs/pm-run.md has the rules. */
#ifndef PM_TOOLS_IMAGES_PICTURE_H
#define PM_TOOLS_IMAGES_PICTURE_H

#include "dialects/stage/analyses/graph.h"
#include "tools/lib/images/convert.h"
#include "tools/lib/images/raw.h"
#include "tools/lib/images/sizes.h"

/* What a picture becomes whose channels do not fit. */
typedef enum pm_channels {
  PM_CHANNELS_KEEP, /* it is refused */
  PM_CHANNELS_GRAY, /* .299 R + .587 G + .114 B; alpha is dropped */
  PM_CHANNELS_RGB,  /* gray is all three; alpha is dropped */
  PM_CHANNELS_RGBA  /* gray is all three; alpha is opaque where there is none */
} pm_channels_mode;

typedef struct pm_picture_options {
  pm_channels_mode channels;
  bool bgr; /* the program has blue first */
  pm_pad_mode pad;
  int64_t pad_width;
  pm_scale_in scale;
  int64_t limit_mb; /* of a decoded picture; 0: the default */
} pm_picture_options;

/* Reads the file of an input, or the input's channel of it; `raw` is its layout if it is declared to be raw,
 * else NULL. A picture matches an input of rank 2 if it is gray, and one of rank 3 whose first or last extent
 * is the constant number of its channels, planar or interleaved, or without constant extents, planar. `out`
 * owns its data. False with a message that has both sides. */
bool pm_read_input(const pm_named *file, const stage_arg *arg, const pm_raw_layout *raw,
                   const pm_picture_options *options, pm_array *out, pm_buf *error) PM_MUST_USE;

#endif
