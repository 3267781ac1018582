/* Private to tools/lib/image*.c: one reader and one writer a format. Readers get the whole file and the
 * array's `data` unset; on failure nothing stays allocated and `error` has what is wrong, without the file's
 * name. */
#ifndef PM_TOOLS_IMAGES_IMAGE_CODECS_H
#define PM_TOOLS_IMAGES_IMAGE_CODECS_H

#include "tools/lib/images/image.h"
#include "tools/lib/message.h"

typedef struct pm_bytes {
  const unsigned char *data;
  size_t len, pos;
  pm_picture_limit limit;
} pm_bytes;
static inline size_t pm_bytes_left(const pm_bytes *in) {
  return in->len - in->pos;
}

bool pm_png_read(pm_bytes in, pm_array *out, pm_buf *error);
bool pm_pnm_read(pm_bytes in, pm_array *out, pm_buf *error);
bool pm_pfm_read(pm_bytes in, pm_array *out, pm_buf *error);
bool pm_npy_read(pm_bytes in, pm_array *out, pm_buf *error);

bool pm_png_write(const pm_array *array, pm_buf *bytes, pm_buf *error);
bool pm_pnm_write(const pm_array *array, pm_buf *bytes, pm_buf *error);
bool pm_pfm_write(const pm_array *array, pm_buf *bytes, pm_buf *error);
bool pm_npy_write(const pm_array *array, pm_buf *bytes, pm_buf *error);

/* Channels of a picture: 1 for rank 2, the last extent for rank 3, 0 for what is none. */
int64_t pm_channels(const pm_array *array);
/* True when `in` has at least the array's bytes left; else a message about a truncated file. Also false, with
 * a message, when the bytes cannot be counted. */
bool pm_has_bytes(const pm_bytes *in, const pm_array *array, pm_buf *error);

#endif
