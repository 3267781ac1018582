#include "tools/lib/images/convert.h"

#include "tools/lib/message.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1024 };

static bool is_float(pm_scalar s) {
  return pm_get_scalar_info(s)->is_float;
}

static const char *name_of(pm_scalar s) {
  return pm_get_scalar_info(s)->name;
}

/* Of an integer type; i64's for u64. */
static int64_t greatest(pm_scalar scalar) {
  const pm_scalar_info *info = pm_get_scalar_info(scalar);
  return info->bits == 64 ? INT64_MAX : (INT64_C(1) << (info->bits - info->is_signed)) - 1;
}

static bool is_in_range(pm_scalar scalar, int64_t value) {
  int64_t most = greatest(scalar);
  return value <= most && value >= (pm_get_scalar_info(scalar)->is_signed ? -most - 1 : 0);
}

static void load(const pm_array *in, int64_t at, pm_lane *lanes, size_t n) {
  arith_load_lanes(in->scalar, (const char *)in->data + (size_t)at * pm_scalar_bytes(in->scalar), 1, lanes,
                   n);
}

static void store(const pm_array *out, int64_t at, const pm_lane *lanes, size_t n) {
  arith_store_lanes(out->scalar, lanes, (char *)out->data + (size_t)at * pm_scalar_bytes(out->scalar), 1, n);
}

/* --- pictures --- */

bool pm_can_convert(pm_scalar from, pm_scalar to, const pm_scale_in *scale) {
  bool samples = from == PM_U8 || from == PM_U16;
  bool scaled = scale->kind == PM_SCALE_IN_UNIT || scale->kind == PM_SCALE_IN_FULL;
  if (from == to) return true;
  if (is_float(to)) return (to == PM_F32 || to == PM_F64) && (is_float(from) || samples || !scaled);
  if (from == PM_I1 || to == PM_I1) return false;
  bool full = scale->kind == PM_SCALE_IN_FULL, narrow = pm_get_scalar_info(to)->bits <= 32;
  return is_float(from) ? full && narrow : !full || (samples && narrow);
}

/* The sample that becomes 1 in a float input. */
static double white_of(pm_scalar from, const pm_scale_in *scale) {
  if (scale->kind == PM_SCALE_IN_NONE) return 1;
  return scale->kind == PM_SCALE_IN_WHITE ? scale->white : (double)greatest(from);
}

/* Of an integer type. */
static double double_of(pm_scalar from, pm_lane in) {
  return from == PM_U64 ? (double)(uint64_t)in.i : (double)in.i;
}

static float float_of_integer(pm_scalar from, pm_lane in) {
  return from == PM_U64 ? (float)(uint64_t)in.i : (float)in.i;
}

static double float_of(pm_scalar scalar, pm_lane lane) {
  return scalar == PM_F64 ? lane.d : (double)lane.f;
}

/* Of 0..1 the part of 0..most; 0 for NaN. */
static int64_t part_of(double value, int64_t most) {
  if (!(value > 0)) return 0;
  return value >= 1 ? most : (int64_t)rint(value * (double)most);
}

/* One element; its number if the type is an integer's. */
static pm_lane convert_lane(pm_scalar from, pm_scalar to, pm_lane in, const pm_scale_in *scale) {
  pm_lane out = in;
  if (is_float(from)) {
    double value = float_of(from, in);
    if (to == PM_F64)
      out.d = value;
    else if (to == PM_F32)
      out.f = (float)value;
    else
      out.i = part_of(value, greatest(to));
  } else if (to == PM_F64)
    out.d = double_of(from, in) / white_of(from, scale);
  else if (to == PM_F32)
    out.f = float_of_integer(from, in) / (float)white_of(from, scale);
  else if (scale->kind == PM_SCALE_IN_FULL)
    out.i = (in.i * greatest(to) + greatest(from) / 2) / greatest(from);
  return out;
}

static bool copy_array(const pm_array *in, pm_array *out) {
  memcpy(out->data, in->data, (size_t)pm_array_bytes(in));
  return true;
}

static bool does_not_fit(pm_scalar from, pm_scalar to, pm_lane lane, pm_buf *error) {
  if (from == PM_U64)
    return pm_failf(error, "the value %llu, which %s does not hold", (unsigned long long)lane.i, name_of(to));
  return pm_failf(error, "the value %lld, which %s does not hold", (long long)lane.i, name_of(to));
}

static bool convert_all(const pm_array *in, const pm_scale_in *scale, pm_array *out, pm_buf *error) {
  pm_lane lanes[CHUNK];
  int64_t count = pm_array_count(in);
  for (int64_t at = 0; at < count; at += CHUNK) {
    size_t n = (size_t)(count - at < CHUNK ? count - at : CHUNK);
    load(in, at, lanes, n);
    for (size_t i = 0; i < n; i++) {
      bool huge = in->scalar == PM_U64 && lanes[i].i < 0;
      lanes[i] = convert_lane(in->scalar, out->scalar, lanes[i], scale);
      if (!is_float(out->scalar) && (huge || !is_in_range(out->scalar, lanes[i].i)))
        return does_not_fit(in->scalar, out->scalar, lanes[i], error);
    }
    store(out, at, lanes, n);
  }
  return true;
}

bool pm_convert(const pm_array *in, pm_scalar to, const pm_scale_in *scale, pm_array *out, pm_buf *error) {
  *out = *in;
  out->scalar = to;
  if (!pm_array_allocate(out, error)) return false;
  if (in->scalar == to ? copy_array(in, out) : convert_all(in, scale, out, error)) return true;
  pm_array_release(out);
  return false;
}

/* --- exactly --- */

static bool integer_of_double(double value, int64_t *out) {
  if (!(value >= -0x1p63 && value < 0x1p63) || value != floor(value)) return false;
  *out = (int64_t)value;
  return true;
}

static bool exact_float(double value, pm_scalar to, pm_lane *out) {
  if (to == PM_F64)
    out->d = value;
  else
    out->f = (float)value;
  return isnan(value) || float_of(to, *out) == value;
}

static bool exact_lane(pm_scalar from, pm_scalar to, pm_lane in, pm_lane *out) {
  int64_t integer = in.i, back;
  if (is_float(from)) {
    if (is_float(to)) return exact_float(float_of(from, in), to, out);
    if (!integer_of_double(float_of(from, in), &integer)) return false;
  } else if (from == PM_U64 && integer < 0) {
    return false;
  }
  if (is_float(to))
    return exact_float((double)integer, to, out) && integer_of_double((double)integer, &back) &&
           back == integer;
  out->i = integer;
  return is_in_range(to, integer);
}

static bool not_held(const pm_array *in, int64_t at, pm_lane lane, pm_scalar to, pm_buf *error) {
  pm_buf text = {0};
  int64_t index[PM_MAX_RANK];
  if (is_float(in->scalar))
    pm_buf_printf(&text, "%.*g", in->scalar == PM_F64 ? 17 : 9, float_of(in->scalar, lane));
  else if (in->scalar == PM_U64)
    pm_buf_printf(&text, "%llu", (unsigned long long)lane.i);
  else
    pm_buf_printf(&text, "%lld", (long long)lane.i);
  for (unsigned d = in->rank; d-- > 0; at /= in->extents[d]) index[d] = at % in->extents[d];
  for (unsigned d = 0; d < in->rank; d++)
    pm_buf_printf(&text, "%s%lld", d ? ", " : " at [", (long long)index[d]);
  pm_failf(error, "the value %s%s, which %s does not hold", text.data, in->rank ? "]" : "", name_of(to));
  pm_buf_free(&text);
  return false;
}

static bool convert_each(const pm_array *in, pm_array *out, pm_buf *error) {
  pm_lane lanes[CHUNK];
  int64_t count = pm_array_count(in);
  for (int64_t at = 0; at < count; at += CHUNK) {
    size_t n = (size_t)(count - at < CHUNK ? count - at : CHUNK);
    load(in, at, lanes, n);
    for (size_t i = 0; i < n; i++) {
      pm_lane from = lanes[i];
      if (!exact_lane(in->scalar, out->scalar, from, &lanes[i]))
        return not_held(in, at + (int64_t)i, from, out->scalar, error);
    }
    store(out, at, lanes, n);
  }
  return true;
}

static bool has_half(pm_scalar a) {
  return is_float(a) && a != PM_F32 && a != PM_F64;
}

bool pm_convert_exact(const pm_array *in, pm_scalar to, pm_array *out, pm_buf *error) {
  *out = *in;
  out->scalar = to;
  if (in->scalar != to && (has_half(in->scalar) || has_half(to)))
    return pm_failf(error, "%s elements, not %s", name_of(in->scalar), name_of(to));
  if (!pm_array_allocate(out, error)) return false;
  if (in->scalar == to ? copy_array(in, out) : convert_each(in, out, error)) return true;
  pm_array_release(out);
  return false;
}

void pm_swap_bytes(pm_array *array) {
  size_t step = pm_scalar_bytes(array->scalar), bytes = (size_t)pm_array_bytes(array);
  unsigned char *data = array->data;
  for (size_t at = 0; at < bytes; at += step)
    for (size_t i = 0; i < step / 2; i++) {
      unsigned char byte = data[at + i];
      data[at + i] = data[at + step - 1 - i];
      data[at + step - 1 - i] = byte;
    }
}
