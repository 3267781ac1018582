#include "tools/lib/images/image_codecs.h"

#include "tools/lib/images/matrix_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct codec {
  pm_image_format format;
  const char *magic;
  size_t magic_len;
  bool (*read)(pm_bytes in, pm_array *out, pm_buf *error);
} codec;

static const codec codecs[] = {
    {PM_IMAGE_PNG, "\x89PNG\r\n\x1a\n", 8, pm_png_read},
    {PM_IMAGE_PNM, "P2", 2, pm_pnm_read},
    {PM_IMAGE_PNM, "P3", 2, pm_pnm_read},
    {PM_IMAGE_PNM, "P5", 2, pm_pnm_read},
    {PM_IMAGE_PNM, "P6", 2, pm_pnm_read},
    {PM_IMAGE_PFM, "PF", 2, pm_pfm_read},
    {PM_IMAGE_PFM, "Pf", 2, pm_pfm_read},
    {PM_IMAGE_NPY, "\x93NUMPY", 6, pm_npy_read},
};

static const codec *find_codec(const char *data, size_t len) {
  for (size_t i = 0; i < PM_COUNT(codecs); i++)
    if (len >= codecs[i].magic_len && memcmp(data, codecs[i].magic, codecs[i].magic_len) == 0)
      return &codecs[i];
  return NULL;
}

int64_t pm_channels(const pm_array *array) {
  if (array->rank == 2) return 1;
  return array->rank == 3 ? array->extents[2] : 0;
}

bool pm_has_bytes(const pm_bytes *in, const pm_array *array, pm_buf *error) {
  int64_t bytes = pm_array_bytes(array);
  if (bytes >= 0 && (uint64_t)bytes <= pm_bytes_left(in)) return true;
  pm_buf shape = {0};
  pm_put_extents(&shape, array->rank, array->extents);
  if (bytes < 0)
    pm_failf(error, "the size %s does not fit 62 bits", shape.data);
  else
    pm_failf(error, "truncated: %s elements of %s need %lld bytes, but %zu are left in the file", shape.data,
             pm_get_scalar_info(array->scalar)->name, (long long)bytes, pm_bytes_left(in));
  pm_buf_free(&shape);
  return false;
}

bool pm_image_decode(const char *name, const char *data, size_t len, pm_picture_limit limit, pm_array *out,
                     pm_image_format *format, pm_buf *error) {
  const codec *c = find_codec(data, len);
  if (len == 0) return pm_failf(error, "'%s' is empty", name);
  if (!c)
    return pm_failf(
        error, "'%s' is none of PNG, PNM (P2, P3, P5, P6), PFM and NPY; text of numbers ends in .txt or .csv",
        name);
  if (format) *format = c->format;
  pm_buf why = {0};
  bool ok = c->read((pm_bytes){(const unsigned char *)data, len, 0, limit}, out, &why);
  if (!ok) pm_failf(error, "cannot read '%s': %s", name, why.data);
  pm_buf_free(&why);
  return ok;
}

static size_t most_samples(const char *path) {
  struct stat file;
  bool regular =
      (strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, &file) : stat(path, &file)) == 0 && S_ISREG(file.st_mode);
  return regular ? (size_t)pm_memory_limit() : (size_t)1 << 30;
}

char *pm_read_samples(const char *path, size_t *len, pm_buf *error) {
  char *bytes = pm_read_file(path, most_samples(path), len);
  if (!bytes) pm_failf(error, "cannot open '%s': %s", path, strerror(errno));
  return bytes;
}

bool pm_image_read(const char *path, pm_picture_limit limit, pm_array *out, pm_image_format *format,
                   pm_buf *error) {
  size_t len = 0;
  char *data = pm_read_samples(path, &len, error);
  if (!data) return false;
  bool ok = pm_image_decode(path, data, len, limit, out, format, error);
  free(data);
  return ok;
}

pm_image_format pm_image_format_of(const char *path) {
  static const struct {
    const char *end;
    pm_image_format format;
  } ends[] = {{".png", PM_IMAGE_PNG}, {".pgm", PM_IMAGE_PNM}, {".ppm", PM_IMAGE_PNM}, {".pnm", PM_IMAGE_PNM},
              {".pfm", PM_IMAGE_PFM}, {".npy", PM_IMAGE_NPY}, {".txt", PM_IMAGE_TXT}, {".csv", PM_IMAGE_CSV}};
  const char *dot = strrchr(path, '.');
  for (size_t i = 0; dot && i < PM_COUNT(ends); i++)
    if (strcasecmp(dot, ends[i].end) == 0) return ends[i].format;
  return PM_IMAGE_UNKNOWN;
}

static bool encode(pm_image_format format, const pm_array *array, pm_buf *bytes, pm_buf *error) {
  switch (format) {
  case PM_IMAGE_PNG:
    return pm_png_write(array, bytes, error);
  case PM_IMAGE_PNM:
    return pm_pnm_write(array, bytes, error);
  case PM_IMAGE_PFM:
    return pm_pfm_write(array, bytes, error);
  case PM_IMAGE_NPY:
    return pm_npy_write(array, bytes, error);
  case PM_IMAGE_TXT:
    return pm_matrix_text_write(array, ' ', bytes, error);
  case PM_IMAGE_CSV:
    return pm_matrix_text_write(array, ',', bytes, error);
  case PM_IMAGE_UNKNOWN:
    break;
  }
  return pm_failf(error, "its name ends in none of " PM_IMAGE_ENDS);
}

bool pm_image_encode(pm_image_format format, const char *name, const pm_array *array, pm_buf *bytes,
                     pm_buf *error) {
  pm_buf why = {0};
  bool ok = encode(format, array, bytes, &why);
  if (!ok) pm_failf(error, "cannot write '%s': %s", name, why.data);
  pm_buf_free(&why);
  return ok;
}

bool pm_write_bytes(const char *path, const pm_buf *bytes, pm_buf *error) {
  if (pm_write_file(path, bytes->data ? bytes->data : "", bytes->len)) return true;
  return pm_failf(error, "cannot write '%s': %s", path, strerror(errno));
}

bool pm_write_all_bytes(char *const *paths, const pm_buf *bytes, size_t n, pm_buf *error) {
  pm_file *files = pm_xcalloc(n + 1, sizeof *files);
  size_t count = 0, failed;
  for (size_t i = 0; i < n; i++)
    if (paths[i]) files[count++] = (pm_file){paths[i], bytes[i].data ? bytes[i].data : "", bytes[i].len};
  bool ok = pm_write_files(files, count, &failed);
  if (!ok) pm_failf(error, "cannot write '%s': %s", files[failed].path, strerror(errno));
  free(files);
  return ok;
}

bool pm_check_output(const char *path, pm_buf *error) {
  return !path || pm_can_write(path) || pm_failf(error, "cannot write '%s': %s", path, strerror(errno));
}

bool pm_image_write(const char *path, const pm_array *array, pm_buf *error) {
  pm_buf bytes = {0};
  bool ok = pm_image_encode(pm_image_format_of(path), path, array, &bytes, error) &&
            pm_write_bytes(path, &bytes, error);
  pm_buf_free(&bytes);
  return ok;
}
