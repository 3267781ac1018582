#include "tools/lib/images/raw.h"

#include "tools/lib/images/convert.h"
#include "tools/lib/message.h"
#include "tools/lib/images/image.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool read_count(const char **at, int64_t *value) {
  char *end;
  errno = 0;
  *value = strtoll(*at, &end, 10);
  if (end == *at || **at < '0' || **at > '9' || errno || *value > INT64_MAX >> 2) return false;
  *at = end;
  return true;
}

static bool read_extents(const char **at, pm_array *shape) {
  do {
    if (shape->rank == PM_MAX_RANK || !read_count(at, &shape->extents[shape->rank])) return false;
    if (shape->extents[shape->rank++] == 0) return false;
  } while (**at == 'x' && ++*at);
  return true;
}

static bool read_type(const char **at, pm_raw_layout *out) {
  static const pm_scalar scalars[] = {PM_U8,  PM_I8,  PM_U16, PM_I16, PM_U32,
                                      PM_I32, PM_U64, PM_I64, PM_F32, PM_F64};
  for (size_t i = 0; i < PM_COUNT(scalars); i++) {
    const char *name = pm_get_scalar_info(scalars[i])->name;
    if (strncmp(*at, name, strlen(name)) != 0) continue;
    *at += strlen(name);
    out->shape.scalar = scalars[i];
    out->big_endian = strncmp(*at, "be", 2) == 0;
    *at += out->big_endian ? 2 : 0;
    return true;
  }
  return false;
}

bool pm_raw_layout_parse(const char *text, pm_raw_layout *out) {
  *out = (pm_raw_layout){0};
  if (!read_extents(&text, &out->shape) || *text++ != ':' || !read_type(&text, out)) return false;
  if (*text == '+' && ++text && !read_count(&text, &out->skip)) return false;
  return *text == 0;
}

static bool wrong_size(const char *path, const pm_raw_layout *layout, size_t len, pm_buf *error) {
  pm_buf text = {0};
  pm_put_extents(&text, layout->shape.rank, layout->shape.extents);
  pm_failf(error, "'%s' has %zu bytes, but %s elements of %s behind %lld bytes are %lld", path, len,
           text.data, pm_get_scalar_info(layout->shape.scalar)->name, (long long)layout->skip,
           (long long)(pm_array_bytes(&layout->shape) + layout->skip));
  pm_buf_free(&text);
  return false;
}

bool pm_raw_read(const char *path, const pm_raw_layout *layout, pm_array *out, pm_buf *error) {
  size_t len = 0;
  int64_t bytes = pm_array_bytes(&layout->shape);
  *out = layout->shape;
  if (bytes < 0) return pm_failf(error, "'%s': the size that --raw gives does not fit 62 bits", path);
  char *data = pm_read_samples(path, &len, error);
  if (!data) return false;
  bool ok = len == (uint64_t)bytes + (uint64_t)layout->skip || wrong_size(path, layout, len, error);
  ok = ok && pm_array_allocate(out, error);
  if (ok) memcpy(out->data, data + layout->skip, (size_t)bytes);
  if (ok && layout->big_endian) pm_swap_bytes(out);
  free(data);
  return ok;
}
