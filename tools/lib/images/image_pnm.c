#include "tools/lib/images/image_format.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_space(int c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

static void skip_space_and_comments(pm_bytes *in) {
  while (in->pos < in->len) {
    if (is_space(in->data[in->pos]))
      in->pos++;
    else if (in->data[in->pos] == '#')
      while (in->pos < in->len && in->data[in->pos] != '\n') in->pos++;
    else
      return;
  }
}

/* A decimal number up to `max`. */
static bool read_number(pm_bytes *in, int64_t max, const char *what, int64_t *value, pm_buf *error) {
  skip_space_and_comments(in);
  size_t begin = in->pos;
  *value = 0;
  while (in->pos < in->len && in->data[in->pos] >= '0' && in->data[in->pos] <= '9' && *value <= max)
    *value = *value * 10 + (in->data[in->pos++] - '0');
  if (in->pos == in->len && begin == in->pos)
    return pm_failf(error, "truncated: the file ends before its %s", what);
  if (begin == in->pos) return pm_failf(error, "its %s is not a number", what);
  if (*value > max) return pm_failf(error, "its %s is above %lld", what, (long long)max);
  return true;
}

static bool read_size(pm_bytes *in, int64_t *width, int64_t *height, pm_buf *error) {
  if (!read_number(in, INT32_MAX, "width", width, error)) return false;
  if (!read_number(in, INT32_MAX, "height", height, error)) return false;
  return (*width > 0 && *height > 0) || pm_failf(error, "its size is 0");
}

static bool skip_one_space(pm_bytes *in, pm_buf *error) {
  if (in->pos >= in->len) return pm_failf(error, "truncated: the file ends after its header");
  if (!is_space(in->data[in->pos++])) return pm_failf(error, "its header does not end in white space");
  return true;
}

static void put_sample(pm_array *out, int64_t i, int64_t value, int64_t max) {
  if (out->scalar == PM_U8)
    ((uint8_t *)out->data)[i] = (uint8_t)(max == 255 ? value : (value * 255 + max / 2) / max);
  else
    ((uint16_t *)out->data)[i] = (uint16_t)(max == 65535 ? value : (value * 65535 + max / 2) / max);
}

static bool read_text_samples(pm_bytes *in, int64_t max, pm_array *out, pm_buf *error) {
  int64_t n = pm_array_count(out);
  if (n < 0 || (uint64_t)n > pm_bytes_left(in))
    return pm_failf(error, "truncated: fewer samples than its size says");
  if (!pm_array_allocate(out, error)) return false;
  for (int64_t i = 0; i < n; i++) {
    int64_t value;
    if (!read_number(in, max, "next sample", &value, error)) return false;
    put_sample(out, i, value, max);
  }
  return true;
}

static bool read_raw_samples(pm_bytes *in, int64_t max, pm_array *out, pm_buf *error) {
  if (!skip_one_space(in, error) || !pm_has_bytes(in, out, error)) return false;
  if (!pm_array_allocate(out, error)) return false;
  int64_t n = pm_array_count(out);
  const unsigned char *p = in->data + in->pos;
  for (int64_t i = 0; i < n; i++) {
    int64_t value = out->scalar == PM_U8 ? p[i] : p[2 * i] << 8 | p[2 * i + 1];
    if (value > max)
      return pm_failf(error, "a sample is %lld, above the maximum %lld", (long long)value, (long long)max);
    put_sample(out, i, value, max);
  }
  return true;
}

static bool pnm_read(pm_bytes in, pm_array *out, pm_buf *error) {
  int kind = in.data[1] - '0';
  bool colour = kind == 3 || kind == 6, raw = kind >= 5;
  int64_t width, height, max;
  in.pos = 2;
  if (!read_size(&in, &width, &height, error)) return false;
  if (!read_number(&in, 65535, "maximum", &max, error)) return false;
  if (max < 1) return pm_failf(error, "its maximum is 0");
  *out = (pm_array){.scalar = max < 256 ? PM_U8 : PM_U16,
                    .rank = colour ? 3 : 2,
                    .extents = {height, width, colour ? 3 : 0}};
  bool ok = raw ? read_raw_samples(&in, max, out, error) : read_text_samples(&in, max, out, error);
  if (!ok) pm_array_release(out);
  return ok;
}

static bool pnm_write(const pm_array *a, pm_buf *bytes, pm_buf *error) {
  if (a->scalar != PM_U8 && a->scalar != PM_U16)
    return pm_failf(error, "a PNM holds u8 or u16, not %s; a .tif holds it",
                    pm_get_scalar_info(a->scalar)->name);
  if (pm_channels(a) != 1 && pm_channels(a) != 3)
    return pm_failf(error, "a PNM holds 1 or 3 channels; a .tif holds any number");
  if (pm_array_count(a) == 0) return pm_failf(error, "a PNM cannot be empty; a .npy can");
  pm_buf_printf(bytes, "P%d\n%lld %lld\n%d\n", pm_channels(a) == 3 ? 6 : 5, (long long)a->extents[1],
                (long long)a->extents[0], a->scalar == PM_U8 ? 255 : 65535);
  int64_t n = pm_array_count(a);
  if (a->scalar == PM_U8) {
    pm_buf_put(bytes, a->data, (size_t)n);
    return true;
  }
  for (int64_t i = 0; i < n; i++) {
    uint16_t v = ((const uint16_t *)a->data)[i];
    pm_buf_put(bytes, (const char[]){(char)(v >> 8), (char)(v & 255)}, 2);
  }
  return true;
}

/* The scale line of a PFM: its sign is the byte order. */
static bool read_scale(pm_bytes *in, bool *little, pm_buf *error) {
  skip_space_and_comments(in);
  char text[32] = "";
  for (size_t i = 0; i + 1 < sizeof text && in->pos < in->len && !is_space(in->data[in->pos]); i++)
    text[i] = (char)in->data[in->pos++];
  char *end;
  double scale = strtod(text, &end);
  if (end == text || *end || scale == 0 || !isfinite(scale))
    return pm_failf(error, "its scale is '%s', not a finite number other than 0", text);
  *little = scale < 0;
  return skip_one_space(in, error);
}

static float load_float(const unsigned char *p, bool little) {
  uint32_t bits = little ? (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24
                         : (uint32_t)p[3] | (uint32_t)p[2] << 8 | (uint32_t)p[1] << 16 | (uint32_t)p[0] << 24;
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* The bottom row comes first. */
static bool pfm_read(pm_bytes in, pm_array *out, pm_buf *error) {
  bool colour = in.data[1] == 'F', little = false;
  int64_t width, height;
  in.pos = 2;
  if (!read_size(&in, &width, &height, error) || !read_scale(&in, &little, error)) return false;
  *out = (pm_array){.scalar = PM_F32, .rank = colour ? 3 : 2, .extents = {height, width, colour ? 3 : 0}};
  if (!pm_has_bytes(&in, out, error) || !pm_array_allocate(out, error)) return false;
  int64_t row = width * (colour ? 3 : 1);
  for (int64_t y = 0; y < height; y++)
    for (int64_t x = 0; x < row; x++)
      ((float *)out->data)[(height - 1 - y) * row + x] =
          load_float(in.data + in.pos + 4 * (size_t)(y * row + x), little);
  return true;
}

static bool pfm_write(const pm_array *a, pm_buf *bytes, pm_buf *error) {
  if (a->scalar != PM_F32)
    return pm_failf(error, "a PFM holds f32, not %s; a .tif or .npy holds any type",
                    pm_get_scalar_info(a->scalar)->name);
  if (pm_channels(a) != 1 && pm_channels(a) != 3)
    return pm_failf(error, "a PFM holds 1 or 3 channels; a .tif holds any number");
  if (pm_array_count(a) == 0) return pm_failf(error, "a PFM cannot be empty; a .npy can");
  pm_buf_printf(bytes, "P%c\n%lld %lld\n-1.0\n", pm_channels(a) == 3 ? 'F' : 'f', (long long)a->extents[1],
                (long long)a->extents[0]);
  size_t row = (size_t)(a->extents[1] * pm_channels(a)) * sizeof(float);
  for (int64_t y = a->extents[0] - 1; y >= 0; y--)
    pm_buf_put(bytes, (const char *)a->data + (size_t)y * row, row);
  return true;
}

const pm_image_format pm_format_pnm = {
    .name = "PNM (P2, P3, P5, P6)",
    .content = PM_IMAGE_SAMPLES,
    .ends = {".pgm", ".ppm", ".pnm"},
    .magics = {PM_MAGIC("P2"), PM_MAGIC("P3"), PM_MAGIC("P5"), PM_MAGIC("P6")},
    .read = pnm_read,
    .write = pnm_write};
const pm_image_format pm_format_pfm = {.name = "PFM",
                                       .content = PM_IMAGE_FLOATS,
                                       .ends = {".pfm"},
                                       .magics = {PM_MAGIC("PF"), PM_MAGIC("Pf")},
                                       .read = pfm_read,
                                       .write = pfm_write};
