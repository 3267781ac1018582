#include "tools/lib/images/image_format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

static const pm_image_format *const formats[] = {
#define FORMAT(name) &pm_format_##name,
#include "tools/lib/images/formats.def"
#undef FORMAT
};

static bool has_magic(const pm_image_format *format, const char *data, size_t len) {
  for (size_t i = 0; i < PM_COUNT(format->magics) && format->magics[i].bytes; i++)
    if (len >= format->magics[i].len && memcmp(data, format->magics[i].bytes, format->magics[i].len) == 0)
      return true;
  return false;
}

static const pm_image_format *find_format(const char *data, size_t len) {
  for (size_t i = 0; i < PM_COUNT(formats); i++)
    if (has_magic(formats[i], data, len)) return formats[i];
  return NULL;
}

/* "PNG, PNM and NPY" of those that files are known by. */
static void put_formats(pm_buf *out) {
  size_t last = 0, n = 0;
  for (size_t i = 0; i < PM_COUNT(formats); i++)
    if (formats[i]->read) last = i;
  for (size_t i = 0; i < PM_COUNT(formats); i++)
    if (formats[i]->read)
      pm_buf_printf(out, "%s%s", !n++ ? "" : i == last ? " and " : ", ", formats[i]->name);
}

/* ".png, .npy and .csv" of all. */
static void put_ends(pm_buf *out) {
  size_t n = 0;
  for (size_t i = 0; i < PM_COUNT(formats); i++)
    for (const char *const *end = formats[i]->ends; *end; end++)
      pm_buf_printf(out, "%s%s", !n++ ? "" : i + 1 == PM_COUNT(formats) && !end[1] ? " and " : ", ", *end);
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

void pm_put_at(pm_buf *bytes, size_t at, const void *data, size_t n) {
  while (bytes->len < at) pm_buf_putc(bytes, 0);
  size_t over = bytes->len - at < n ? bytes->len - at : n;
  if (over > 0) memcpy(bytes->data + at, data, over);
  pm_buf_put(bytes, (const char *)data + over, n - over);
}

int64_t pm_most_of(const pm_bytes *in) {
  int64_t most = in->limit.bytes ? in->limit.bytes : (int64_t)PM_PICTURE_MB * 1000000;
  return in->len > (uint64_t)(most / PM_PICTURE_RATIO) ? (int64_t)in->len * PM_PICTURE_RATIO : most;
}

bool pm_may_take(const pm_bytes *in, int64_t bytes, pm_buf *error) {
  pm_picture_limit limit = in->limit;
  int64_t most = pm_most_of(in);
  if (bytes >= 0 && bytes <= most) return true;
  if (bytes < 0) return pm_failf(error, "its header asks for more than 2^62 bytes of memory");
  pm_buf text = {0};
  pm_buf_puts(&text, "its header asks for ");
  pm_put_bytes(&text, (double)bytes);
  pm_buf_puts(&text, " of memory, a file of this size may ask for ");
  pm_put_bytes(&text, (double)most);
  if (limit.option) pm_buf_printf(&text, "; give %s=%lld", limit.option, (long long)bytes / 1000000 + 1);
  pm_failf(error, "%s", text.data);
  pm_buf_free(&text);
  return false;
}

static bool unknown_format(const char *name, pm_buf *error) {
  pm_buf known = {0};
  put_formats(&known);
  pm_failf(error, "'%s' is none of %s; convert it to one of them; text of numbers ends in .txt or .csv", name,
           known.data);
  pm_buf_free(&known);
  return false;
}

bool pm_image_decode(const char *name, const char *data, size_t len, pm_picture_limit limit, pm_array *out,
                     const pm_image_format **format, pm_buf *error) {
  const pm_image_format *found = find_format(data, len);
  if (len == 0) return pm_failf(error, "'%s' is empty", name);
  if (!found) return unknown_format(name, error);
  if (format) *format = found;
  pm_buf why = {0};
  bool ok = found->read((pm_bytes){(const unsigned char *)data, len, 0, limit}, out, &why);
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

bool pm_image_read(const char *path, pm_picture_limit limit, pm_array *out, const pm_image_format **format,
                   pm_buf *error) {
  size_t len = 0;
  char *data = pm_read_samples(path, &len, error);
  if (!data) return false;
  bool ok = pm_image_decode(path, data, len, limit, out, format, error);
  free(data);
  return ok;
}

static bool ends_in(const pm_image_format *format, const char *dot) {
  for (const char *const *end = format->ends; *end; end++)
    if (strcasecmp(dot, *end) == 0) return true;
  return false;
}

const pm_image_format *pm_image_format_of(const char *path) {
  const char *dot = strrchr(path, '.');
  for (size_t i = 0; dot && i < PM_COUNT(formats); i++)
    if (ends_in(formats[i], dot)) return formats[i];
  return NULL;
}

const pm_image_format *pm_image_format_to(const char *path, pm_buf *error) {
  const pm_image_format *format = pm_image_format_of(path);
  if (format) return format;
  pm_buf known = {0};
  put_ends(&known);
  pm_failf(error, "cannot write '%s': its name ends in none of %s", path, known.data);
  pm_buf_free(&known);
  return NULL;
}

bool pm_image_encode(const pm_image_format *format, const char *name, const pm_array *array, pm_buf *bytes,
                     pm_buf *error) {
  pm_buf why = {0};
  bool ok = format->write(array, bytes, &why);
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
  const pm_image_format *format = pm_image_format_to(path, error);
  bool ok =
      format && pm_image_encode(format, path, array, &bytes, error) && pm_write_bytes(path, &bytes, error);
  pm_buf_free(&bytes);
  return ok;
}
