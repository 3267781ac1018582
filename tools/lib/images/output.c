#include "tools/lib/images/output.h"

#include "tools/lib/images/image_format.h"
#include "tools/lib/images/sizes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <isl/set.h>

enum { CHUNK = 1024 };

/* n elements from `at` on as doubles. */
static void load_doubles(const pm_array *a, int64_t at, double *out, size_t n) {
  pm_lane lanes[CHUNK];
  const pm_scalar_info *info = pm_get_scalar_info(a->scalar);
  arith_load_lanes(a->scalar, (const char *)a->data + (size_t)at * pm_scalar_bytes(a->scalar), 1, lanes, n);
  for (size_t i = 0; i < n; i++)
    out[i] = a->scalar == PM_F64   ? lanes[i].d
             : info->is_float      ? (double)lanes[i].f
             : a->scalar == PM_U64 ? (double)(uint64_t)lanes[i].i
                                   : (double)lanes[i].i;
}

static void finite_range(const pm_array *a, double *low, double *high) {
  double values[CHUNK];
  int64_t count = pm_array_count(a);
  *low = INFINITY;
  *high = -INFINITY;
  for (int64_t at = 0; at < count; at += CHUNK) {
    size_t n = (size_t)(count - at < CHUNK ? count - at : CHUNK);
    load_doubles(a, at, values, n);
    for (size_t i = 0; i < n; i++) {
      if (!isfinite(values[i])) continue;
      *low = fmin(*low, values[i]);
      *high = fmax(*high, values[i]);
    }
  }
}

static int64_t to_sample(double value, int64_t most) {
  if (!(value > 0)) return 0;
  return value >= (double)most ? most : (int64_t)lrint(value);
}

static int64_t greatest_sample(pm_scalar scalar) {
  return scalar == PM_U8 ? 255 : 65535;
}

/* What is white. */
static double greatest_value(pm_scalar scalar) {
  return scalar == PM_U8 || scalar == PM_U16 ? (double)greatest_sample(scalar) : 1;
}

/* (value - offset) * factor in the samples of `out`, which is not allocated. */
static bool scale_to_samples(const pm_array *in, double offset, double factor, pm_array *out, pm_buf *error) {
  double values[CHUNK];
  pm_lane lanes[CHUNK];
  int64_t count = pm_array_count(in);
  if (!pm_array_allocate(out, error)) return false;
  for (int64_t at = 0; at < count; at += CHUNK) {
    size_t n = (size_t)(count - at < CHUNK ? count - at : CHUNK);
    load_doubles(in, at, values, n);
    for (size_t i = 0; i < n; i++)
      lanes[i].i = to_sample((values[i] - offset) * factor, greatest_sample(out->scalar));
    arith_store_lanes(out->scalar, lanes, (char *)out->data + (size_t)at * pm_scalar_bytes(out->scalar), 1,
                      n);
  }
  return true;
}

static bool make_samples(const pm_array *in, const pm_output_options *options, pm_array *out, pm_buf *error) {
  double low = 0, high = options->scale == PM_SCALE_WHITE ? options->white : greatest_value(in->scalar);
  *out = *in;
  out->scalar = options->depth == 16 ? PM_U16 : PM_U8;
  if (options->scale == PM_SCALE_NONE) return scale_to_samples(in, 0, 1, out, error);
  if (options->scale == PM_SCALE_AUTO) finite_range(in, &low, &high);
  double most = (double)greatest_sample(out->scalar);
  return scale_to_samples(in, low, high > low ? most / (high - low) : 0, out, error);
}

static bool holds_samples(const pm_array *in, const pm_output_options *options) {
  bool plain = options->scale == PM_SCALE_UNIT || options->scale == PM_SCALE_NONE;
  return plain &&
         ((in->scalar == PM_U8 && options->depth != 16) || (in->scalar == PM_U16 && options->depth != 8));
}

/* The picture of the array in samples that PNG, PNM and JPEG hold; `*made` when it is a new array. */
static bool to_samples(const stage_arg *arg, const pm_array *in, const pm_output_options *options,
                       pm_array *out, bool *made, pm_buf *error) {
  const pm_scalar_info *info = pm_get_scalar_info(in->scalar);
  *made = false;
  *out = *in;
  if (holds_samples(in, options)) return true;
  bool is_sample = in->scalar == PM_U8 || in->scalar == PM_U16;
  if (!info->is_float && !is_sample && options->scale == PM_SCALE_UNIT)
    return pm_failf(error, "@%s is %s; give --scale-out=none or auto for a picture, or write a .tif or .npy",
                    arg->name->text, info->name);
  *made = make_samples(in, options, out, error);
  return *made;
}

/* Colours, and alpha. */
static bool may_be_colours(int64_t extent) {
  return 1 <= extent && extent <= 4;
}

typedef enum layout { INTERLEAVED, PLANES, UNKNOWN } layout;

/* The extent is that of the planes of an input. */
static bool is_of_planes(const stage_arg *arg, unsigned d) {
  PM_FOR_OPS(op, arg->op->region)
  if (pm_is(op, &stage_input) && isl_set_dim(isl_peek_set(stage_domain_of(op)), isl_dim_set) == 3 &&
      pm_same_extents(op, 0, arg->op, d))
    return true;
  return false;
}

/* None of the extents is a constant. More channels than the picture has rows or columns are none. */
static layout layout_of_params(const stage_arg *arg, const int64_t *e) {
  bool last = !is_of_planes(arg, 0) && is_of_planes(arg, 2);
  int64_t channels = last ? e[2] : e[0];
  if (channels > e[1] || channels > (last ? e[0] : e[2])) return UNKNOWN;
  return last ? INTERLEAVED : PLANES;
}

/* Colours are found by their number, constants first. More channels are where the one constant is; without
 * one, they are the planes that the pictures of inputs become. */
static layout layout_of(const stage_arg *arg, const pm_array *a) {
  const int64_t *e = a->extents;
  int64_t first, last;
  if (a->rank != 3 || arg->n_dims != 3) return INTERLEAVED;
  bool has_first = pm_constant_extent(arg->op, 0, &first), has_last = pm_constant_extent(arg->op, 2, &last);
  if (has_first && first != 2 && may_be_colours(first)) return PLANES;
  if (has_last && may_be_colours(last)) return INTERLEAVED;
  if (!has_first && may_be_colours(e[0])) return PLANES;
  if (may_be_colours(e[2])) return INTERLEAVED;
  if (has_first != has_last) return has_first ? PLANES : INTERLEAVED;
  return has_first ? UNKNOWN : layout_of_params(arg, e);
}

static bool unknown_layout(const stage_arg *arg, const pm_array *a, pm_buf *error) {
  const int64_t *e = a->extents;
  return pm_failf(
      error,
      "@%s is %lld x %lld x %lld, of which the first or the last may be channels; write a .npy, or "
      "let the program have a constant extent for the channels alone",
      arg->name->text, (long long)e[0], (long long)e[1], (long long)e[2]);
}

/* A new array [rows][columns][channels], or [rows][columns] for one channel. */
static bool interleave(const stage_arg *arg, const pm_array *in, pm_array *out, pm_buf *error) {
  layout layout = layout_of(arg, in);
  if (layout == UNKNOWN) return unknown_layout(arg, in, error);
  if (layout == PLANES) {
    if (!pm_to_interleaved(in, out, error)) return false;
    if (in->extents[0] == 1) out->rank = 2;
    return true;
  }
  *out = *in;
  if (!pm_array_allocate(out, error)) return false;
  memcpy(out->data, in->data, (size_t)pm_array_bytes(in));
  return true;
}

static bool encode_picture(const pm_image_format *format, const char *path, const stage_arg *arg,
                           const pm_array *a, bool bgr, pm_buf *bytes, pm_buf *error) {
  pm_array picture;
  if (a->rank != 2 && a->rank != 3)
    return pm_failf(error, "cannot write '%s': @%s has rank %u, which is no picture; write a .npy", path,
                    arg->name->text, a->rank);
  pm_buf why = {0};
  if (!interleave(arg, a, &picture, &why)) {
    pm_failf(error, "cannot write '%s': %s", path, why.data);
    pm_buf_free(&why);
    return false;
  }
  if (bgr && picture.rank == 3 && picture.extents[2] >= 3) pm_swap_red_blue(&picture);
  bool ok = pm_image_encode(format, path, &picture, bytes, error);
  pm_array_release(&picture);
  return ok;
}

bool pm_encode_output(const char *path, const stage_arg *arg, const pm_array *array,
                      const pm_output_options *options, pm_buf *bytes, pm_buf *error) {
  const pm_image_format *format = pm_image_format_to(path, error);
  if (!format) return false;
  bool numbers = format->content == PM_IMAGE_NUMBERS || format->content == PM_IMAGE_TEXT;
  bool exact = format->content == PM_IMAGE_FLOATS || (format->content == PM_IMAGE_VALUES && !options->asked);
  if (numbers) return pm_image_encode(format, path, array, bytes, error);
  if (exact) return encode_picture(format, path, arg, array, options->bgr, bytes, error);
  pm_array samples;
  bool made;
  if (!to_samples(arg, array, options, &samples, &made, error)) return false;
  bool ok = encode_picture(format, path, arg, &samples, options->bgr, bytes, error);
  if (made) pm_array_release(&samples);
  return ok;
}

/* --- one file of several outputs --- */

static bool same_picture(const stage_arg *const *args, const pm_array *first, const pm_array *a, size_t i,
                         pm_buf *error) {
  if (a->rank != 2)
    return pm_failf(error, "@%s has %u dimensions, but a channel of a picture has 2", args[i]->name->text,
                    a->rank);
  return (a->scalar == first->scalar && a->extents[0] == first->extents[0] &&
          a->extents[1] == first->extents[1]) ||
         pm_failf(error, "@%s and @%s, which share a file, differ in type or size", args[0]->name->text,
                  args[i]->name->text);
}

bool pm_join_channels(const stage_arg *const *args, const pm_array *const *planes, size_t n, pm_array *out,
                      pm_buf *error) {
  for (size_t i = 0; i < n; i++)
    if (!same_picture(args, planes[0], planes[i], i, error)) return false;
  *out = *planes[0];
  out->rank = 3;
  out->extents[2] = (int64_t)n;
  if (!pm_array_allocate(out, error)) return false;
  size_t bytes = pm_scalar_bytes(out->scalar), count = (size_t)pm_array_count(planes[0]);
  for (size_t c = 0; c < n; c++)
    for (size_t i = 0; i < count; i++)
      memcpy((char *)out->data + (i * n + c) * bytes, (const char *)planes[c]->data + i * bytes, bytes);
  return true;
}

/* --- one file a call --- */

/* The `%d` of a name, with its length and the least number of digits; NULL without one. */
static const char *find_number(const char *path, size_t *len, int *digits) {
  for (const char *at = strchr(path, '%'); at; at = strchr(at + 1, '%')) {
    size_t n = strspn(at + 1, "0123456789");
    if (n > 2 || at[n + 1] != 'd') continue;
    *len = n + 2;
    *digits = atoi(at + 1);
    return at;
  }
  return NULL;
}

bool pm_is_step_path(const char *path) {
  size_t len;
  int digits;
  return find_number(path, &len, &digits) != NULL;
}

char *pm_step_path(const char *path, size_t call) {
  size_t len = 0;
  int digits = 0;
  const char *at = find_number(path, &len, &digits);
  pm_buf out = {0};
  pm_buf_put(&out, path, (size_t)(at - path));
  pm_buf_printf(&out, "%0*zu", digits, call);
  pm_buf_puts(&out, at + len);
  return pm_buf_take(&out);
}
