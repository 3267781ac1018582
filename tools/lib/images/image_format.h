/* What a format of files is: its names, first bytes, reader and writer. formats.def lists the formats; the
 * file image_NAME.c of one has all that is particular to it. */
#ifndef PM_TOOLS_IMAGES_IMAGE_FORMAT_H
#define PM_TOOLS_IMAGES_IMAGE_FORMAT_H

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

/* What a file has, which decides how it meets an input or an output. */
typedef enum pm_image_content {
  PM_IMAGE_SAMPLES, /* a picture of u8 or u16: values become samples when they are written */
  PM_IMAGE_FLOATS,  /* a picture of floats: values are written as they are */
  PM_IMAGE_VALUES,  /* a picture of any type: values are written as they are, unless samples are asked for */
  PM_IMAGE_NUMBERS, /* an array of any rank */
  PM_IMAGE_TEXT     /* numbers whose type the reader says: tools/lib/images/matrix_text.h */
} pm_image_content;

/* The reader gets the whole file and the array's `data` unset; on failure nothing stays allocated and `error`
 * has what is wrong, without the file's name. The writer appends to `bytes`. */
struct pm_image_format {
  const char *name; /* as messages have it */
  pm_image_content content;
  const char *ends[4]; /* of names, NULL behind the last */
  struct {
    const char *bytes;
    size_t len;
  } magics[4];                                             /* the first bytes of a file; of text none */
  bool (*read)(pm_bytes in, pm_array *out, pm_buf *error); /* NULL for text */
  bool (*write)(const pm_array *array, pm_buf *bytes, pm_buf *error);
};
/* A row of `magics`. */
#define PM_MAGIC(text)                                                                                       \
  { text, sizeof(text) - 1 }

/* What other programs do for pictures that are refused, in messages. */
#define PM_TO_RGB "convert it to RGB, as ImageMagick does: convert IN -colorspace sRGB OUT.tif"
#define PM_TO_PAGES "convert it to a file a page, as ImageMagick does: convert IN page-%%d.tif"

#define FORMAT(name) extern const pm_image_format pm_format_##name;
#include "tools/lib/images/formats.def"
#undef FORMAT

/* Channels of a picture: 1 for rank 2, the last extent for rank 3, 0 for what is none. */
int64_t pm_channels(const pm_array *array);
/* True when `in` has at least the array's bytes left; else a message about a truncated file. Also false, with
 * a message, when the bytes cannot be counted. */
bool pm_has_bytes(const pm_bytes *in, const pm_array *array, pm_buf *error);
/* Writes n bytes to the place `at` of a buffer, which grows as far as that is needed; a gap is filled by
 * zeros. */
void pm_put_at(pm_buf *bytes, size_t at, const void *data, size_t n);
/* The bytes that a file like `in` may take when it is decoded (pm_picture_limit). */
int64_t pm_most_of(const pm_bytes *in);
/* True when a file like `in` may take that many bytes when it is decoded (pm_picture_limit); -1: more than
 * can be counted. Else a message that names the option. */
bool pm_may_take(const pm_bytes *in, int64_t bytes, pm_buf *error);

#endif
