#include "tools/lib/images/array.h"

#include "tools/lib/message.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GRAY_CHUNK = 512 };

int64_t pm_memory_limit(void) {
  int64_t pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
  return pages > 0 && bytes > 0 ? pages * bytes : (int64_t)1 << 34;
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

bool pm_same_shape(const pm_array *a, const pm_array *b) {
  return a->rank == b->rank && memcmp(a->extents, b->extents, a->rank * sizeof *a->extents) == 0;
}

int64_t pm_array_position(const pm_array *array, const int64_t *index) {
  int64_t position = 0;
  for (unsigned d = 0; d < array->rank; d++) position = position * array->extents[d] + index[d];
  return position;
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

static double gray_of(pm_scalar scalar, pm_lane r, pm_lane g, pm_lane b) {
  switch (scalar) {
  case PM_F64:
    return .299 * r.d + .587 * g.d + .114 * b.d;
  case PM_U64:
    return .299 * (double)(uint64_t)r.i + .587 * (double)(uint64_t)g.i + .114 * (double)(uint64_t)b.i;
  case PM_U8:
  case PM_U16:
    return (double)(.299f * (float)r.i + .587f * (float)g.i + .114f * (float)b.i);
  default:
    break;
  }
  if (pm_get_scalar_info(scalar)->is_float) return (double)(.299f * r.f + .587f * g.f + .114f * b.f);
  return .299 * (double)r.i + .587 * (double)g.i + .114 * (double)b.i;
}

/* Of an integer type; what is above 64 bits becomes the greatest number. */
static int64_t nearest_integer(pm_scalar scalar, double value) {
  if (scalar == PM_U64 && value >= 0x1p63) return value >= 0x1p64 ? -1 : (int64_t)(uint64_t)value;
  return value >= 0x1p63 ? INT64_MAX : (int64_t)llrint(value);
}

static pm_lane lane_of(pm_scalar scalar, double value) {
  if (scalar == PM_F64) return (pm_lane){.d = value};
  if (pm_get_scalar_info(scalar)->is_float) return (pm_lane){.f = (float)value};
  return (pm_lane){.i = nearest_integer(scalar, value)};
}

/* `n` pixels from `at` on, no more than GRAY_CHUNK. */
static void gray_pixels(const pm_array *in, pm_array *out, int64_t at, size_t n) {
  pm_lane lanes[3][GRAY_CHUNK];
  size_t bytes = pm_scalar_bytes(in->scalar);
  int64_t channels = in->extents[2];
  for (int64_t c = 0; c < 3; c++)
    arith_load_lanes(in->scalar, (const char *)in->data + (size_t)(at * channels + c) * bytes, channels,
                     lanes[c], n);
  for (size_t i = 0; i < n; i++)
    lanes[0][i] = lane_of(in->scalar, gray_of(in->scalar, lanes[0][i], lanes[1][i], lanes[2][i]));
  arith_store_lanes(in->scalar, lanes[0], (char *)out->data + (size_t)at * bytes, 1, n);
}

bool pm_to_gray(const pm_array *in, pm_array *out, pm_buf *error) {
  *out = (pm_array){.scalar = in->scalar, .rank = 2, .extents = {in->extents[0], in->extents[1]}};
  if (!pm_array_allocate(out, error)) return false;
  int64_t count = in->extents[0] * in->extents[1];
  for (int64_t at = 0; at < count; at += GRAY_CHUNK)
    gray_pixels(in, out, at, (size_t)(count - at < GRAY_CHUNK ? count - at : GRAY_CHUNK));
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
  const pm_scalar_info *info = pm_get_scalar_info(scalar);
  pm_lane lane = {.i = info->bits == 64 ? (info->is_signed ? INT64_MAX : -1)
                                        : (INT64_C(1) << (info->bits - info->is_signed)) - 1};
  if (scalar == PM_F64)
    lane.d = 1;
  else if (info->is_float)
    lane.f = 1;
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
