#include "tools/lib/images/array.h"

#include "tools/lib/message.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int64_t pm_memory_limit(void) {
  int64_t pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
  return pages > 0 && bytes > 0 ? pages * bytes : (int64_t)1 << 34;
}

int64_t pm_array_bytes(const pm_array *array) {
  int64_t count = pm_array_count(array), each = (int64_t)pm_scalar_bytes(array->scalar);
  if (count < 0 || count > ((int64_t)1 << 62) / each) return -1;
  return count * each;
}

void pm_put_extents(pm_buf *out, unsigned rank, const int64_t *extents) {
  if (rank == 0) pm_buf_puts(out, "a single value");
  for (unsigned i = 0; i < rank; i++) pm_buf_printf(out, "%s%lld", i ? " x " : "", (long long)extents[i]);
}

static bool too_big(const pm_array *array, int64_t bytes, pm_buf *error) {
  pm_buf text = {0};
  pm_put_extents(&text, array->rank, array->extents);
  pm_buf_printf(&text, " elements of %s need ", pm_get_scalar_info(array->scalar)->name);
  if (bytes < 0)
    pm_buf_puts(&text, "more than 2^62 bytes");
  else
    pm_put_bytes(&text, (double)bytes);
  pm_buf_puts(&text, ", but this machine has ");
  pm_put_bytes(&text, (double)pm_memory_limit());
  pm_buf_puts(&text, " of memory");
  pm_failf(error, "%s", text.data);
  pm_buf_free(&text);
  return false;
}

static bool negative(const pm_array *array, pm_buf *error) {
  pm_buf text = {0};
  pm_put_extents(&text, array->rank, array->extents);
  pm_failf(error, "an array would have %s elements, but no extent should be negative", text.data);
  pm_buf_free(&text);
  return false;
}

bool pm_array_allocate(pm_array *array, pm_buf *error) {
  int64_t bytes = pm_array_bytes(array);
  array->data = NULL;
  for (unsigned i = 0; i < array->rank; i++)
    if (array->extents[i] < 0) return negative(array, error);
  if (bytes < 0 || bytes > pm_memory_limit()) return too_big(array, bytes, error);
  array->data = calloc((size_t)bytes + 64, 1);
  return array->data || too_big(array, bytes, error);
}

void pm_array_release(pm_array *array) {
  free(array->data);
  array->data = NULL;
}

/* Moves `outer` x `inner` blocks of `bytes`: the block at (o, i) of `in` goes to (i, o) of `out`. */
static void transpose_blocks(const char *in, char *out, int64_t outer, int64_t inner, size_t bytes) {
  for (int64_t o = 0; o < outer; o++)
    for (int64_t i = 0; i < inner; i++)
      memcpy(out + (size_t)(i * outer + o) * bytes, in + (size_t)(o * inner + i) * bytes, bytes);
}

bool pm_to_planar(const pm_array *in, pm_array *out, pm_buf *error) {
  *out = (pm_array){
      .scalar = in->scalar, .rank = 3, .extents = {in->extents[2], in->extents[0], in->extents[1]}};
  if (!pm_array_allocate(out, error)) return false;
  transpose_blocks(in->data, out->data, in->extents[0] * in->extents[1], in->extents[2],
                   pm_scalar_bytes(in->scalar));
  return true;
}

bool pm_to_interleaved(const pm_array *in, pm_array *out, pm_buf *error) {
  *out = (pm_array){
      .scalar = in->scalar, .rank = 3, .extents = {in->extents[1], in->extents[2], in->extents[0]}};
  if (!pm_array_allocate(out, error)) return false;
  transpose_blocks(in->data, out->data, in->extents[0], in->extents[1] * in->extents[2],
                   pm_scalar_bytes(in->scalar));
  return true;
}

static float sample_as_float(const pm_array *in, int64_t i) {
  switch (in->scalar) {
  case PM_U8:
    return ((const uint8_t *)in->data)[i];
  case PM_U16:
    return ((const uint16_t *)in->data)[i];
  default:
    return ((const float *)in->data)[i];
  }
}

static void put_float_sample(pm_array *out, int64_t i, float value) {
  switch (out->scalar) {
  case PM_U8:
    ((uint8_t *)out->data)[i] = (uint8_t)lrintf(value);
    break;
  case PM_U16:
    ((uint16_t *)out->data)[i] = (uint16_t)lrintf(value);
    break;
  default:
    ((float *)out->data)[i] = value;
  }
}

bool pm_to_gray(const pm_array *in, pm_array *out, pm_buf *error) {
  *out = (pm_array){.scalar = in->scalar, .rank = 2, .extents = {in->extents[0], in->extents[1]}};
  if (!pm_array_allocate(out, error)) return false;
  int64_t n = in->extents[0] * in->extents[1], channels = in->extents[2];
  for (int64_t i = 0; i < n; i++) {
    float r = sample_as_float(in, i * channels), g = sample_as_float(in, i * channels + 1),
          b = sample_as_float(in, i * channels + 2);
    put_float_sample(out, i, .299f * r + .587f * g + .114f * b);
  }
  return true;
}

/* The element of the stored rows and columns that is at (y, x) of the upright picture. */
static int64_t upright_source(unsigned orientation, int64_t rows, int64_t columns, int64_t y, int64_t x) {
  bool sides = orientation >= 5;
  bool from_below = sides ? orientation == 6 || orientation == 7 : orientation == 3 || orientation == 4;
  bool from_right = sides ? orientation == 7 || orientation == 8 : orientation == 2 || orientation == 3;
  int64_t row = sides ? x : y, column = sides ? y : x;
  return (from_below ? rows - 1 - row : row) * columns + (from_right ? columns - 1 - column : column);
}

bool pm_turn_upright(const pm_array *in, unsigned orientation, pm_array *out, pm_buf *error) {
  int64_t rows = in->extents[0], columns = in->extents[1];
  size_t cell = pm_scalar_bytes(in->scalar) * (size_t)(in->rank == 3 ? in->extents[2] : 1);
  *out = *in;
  if (orientation > 8) orientation = 1;
  if (orientation >= 5) out->extents[0] = columns, out->extents[1] = rows;
  if (!pm_array_allocate(out, error)) return false;
  for (int64_t y = 0, at = 0; y < out->extents[0]; y++)
    for (int64_t x = 0; x < out->extents[1]; x++, at++)
      memcpy((char *)out->data + (size_t)at * cell,
             (const char *)in->data + (size_t)upright_source(orientation, rows, columns, y, x) * cell, cell);
  return true;
}

void pm_swap_red_blue(pm_array *array) {
  size_t bytes = pm_scalar_bytes(array->scalar), step = (size_t)array->extents[2] * bytes;
  char *at = array->data, red[8];
  for (int64_t i = 0; i < array->extents[0] * array->extents[1]; i++, at += step) {
    memcpy(red, at, bytes);
    memcpy(at, at + 2 * bytes, bytes);
    memcpy(at + 2 * bytes, red, bytes);
  }
}

void pm_put_opaque(pm_scalar scalar, void *out) {
  pm_lane lane = {.i = scalar == PM_U8 ? 255 : 65535};
  if (scalar == PM_F32) lane.f = 1;
  arith_store_lanes(scalar, &lane, out, 1, 1);
}

/* The element of 0..n-1 that index i stands for, or -1 for zero. */
static int64_t pad_source(int64_t i, int64_t n, pm_pad_mode mode) {
  if (i >= 0 && i < n) return i;
  if (mode == PM_PAD_ZERO) return -1;
  if (mode == PM_PAD_EDGE) return i < 0 ? 0 : n - 1;
  int64_t period = 2 * n, at = (i % period + period) % period;
  return at < n ? at : period - 1 - at;
}

/* Copies one row of `n` blocks of `bytes` into a row with a ring of `width` blocks on both sides. */
static void pad_row(const char *in, char *out, int64_t n, int64_t width, pm_pad_mode mode, size_t bytes) {
  for (int64_t i = -width; i < n + width; i++) {
    int64_t from = pad_source(i, n, mode);
    if (from >= 0) memcpy(out + (size_t)(i + width) * bytes, in + (size_t)from * bytes, bytes);
  }
}

static int64_t product(const int64_t *extents, unsigned from, unsigned to) {
  int64_t n = 1;
  for (unsigned i = from; i < to; i++) n *= extents[i];
  return n;
}

bool pm_pad(const pm_array *in, unsigned first_dim, int64_t width, pm_pad_mode mode, pm_array *out,
            pm_buf *error) {
  *out = *in;
  if (width < 0 || width > INT32_MAX)
    return pm_failf(error, "a ring of %lld elements is too wide", (long long)width);
  for (unsigned d = first_dim; d < first_dim + 2; d++) out->extents[d] += 2 * width;
  if (!pm_array_allocate(out, error)) return false;
  int64_t planes = product(in->extents, 0, first_dim), rows = in->extents[first_dim];
  int64_t cols = in->extents[first_dim + 1];
  if (rows == 0 || cols == 0) return true;
  size_t cell = (size_t)product(in->extents, first_dim + 2, in->rank) * pm_scalar_bytes(in->scalar);
  for (int64_t p = 0; p < planes; p++)
    for (int64_t r = -width; r < rows + width; r++) {
      int64_t from = pad_source(r, rows, mode), to = p * (rows + 2 * width) + r + width;
      if (from < 0) continue;
      pad_row((const char *)in->data + (size_t)((p * rows + from) * cols) * cell,
              (char *)out->data + (size_t)(to * (cols + 2 * width)) * cell, cols, width, mode, cell);
    }
  return true;
}
