/* Files of pictures and numbers; formats.def lists the formats, and the head of image_NAME.c says what one
 * holds.
 *
 * Read arrays are rank 2 [rows][columns] or rank 3 [rows][columns][channels], top row first; an NPY has any
 * rank up to PM_MAX_RANK. Samples narrower than a byte are stretched to 0..255; PNM samples are scaled from
 * their maximum to 255 or 65535. Every reader checks sizes against the file and the memory of the machine
 * before it allocates.
 */
#ifndef PM_TOOLS_IMAGES_IMAGE_H
#define PM_TOOLS_IMAGES_IMAGE_H

#include "tools/lib/images/array.h"

/* A format of files; image_format.h has what is in it. */
typedef struct pm_image_format pm_image_format;

/* The bytes of a file of samples or numbers, to be freed; NULL with a message. A file may be as large as the
 * memory of this machine; what comes from a pipe or a device, which may have no end, 1 GiB. */
char *pm_read_samples(const char *path, size_t *len, pm_buf *error);
/* What a compressed picture may take: `bytes`, or PM_PICTURE_RATIO times its file if that is more. */
enum { PM_PICTURE_RATIO = 64, PM_PICTURE_MB = 256 };
typedef struct pm_picture_limit {
  int64_t bytes;      /* 0: PM_PICTURE_MB megabytes */
  const char *option; /* that raises it, for the message, as "--picture-limit"; NULL: none does */
} pm_picture_limit;

/* By the file's first bytes, which a text of numbers has not. False with a message that names the file; `out`
 * owns its data otherwise. `format` may be NULL. */
bool pm_image_read(const char *path, pm_picture_limit limit, pm_array *out, const pm_image_format **format,
                   pm_buf *error) PM_MUST_USE;
bool pm_image_decode(const char *name, const char *data, size_t len, pm_picture_limit limit, pm_array *out,
                     const pm_image_format **format, pm_buf *error) PM_MUST_USE;

/* By the end of the name; NULL when no format has it. */
const pm_image_format *pm_image_format_of(const char *path);
/* The same to write to; NULL with a message that has all ends. */
const pm_image_format *pm_image_format_to(const char *path, pm_buf *error) PM_MUST_USE;
/* The bytes of the file, appended to `bytes`; the array must have a type and shape that the format holds.
 * `name` is for messages. */
bool pm_image_encode(const pm_image_format *format, const char *name, const pm_array *array, pm_buf *bytes,
                     pm_buf *error) PM_MUST_USE;
/* Encodes by the name's format and writes all or nothing. */
bool pm_image_write(const char *path, const pm_array *array, pm_buf *error) PM_MUST_USE;
/* pm_write_file, pm_write_files and pm_can_write with a message; a path that is NULL is none. */
bool pm_write_bytes(const char *path, const pm_buf *bytes, pm_buf *error) PM_MUST_USE;
bool pm_write_all_bytes(char *const *paths, const pm_buf *bytes, size_t n, pm_buf *error) PM_MUST_USE;
bool pm_check_output(const char *path, pm_buf *error) PM_MUST_USE;

#endif
