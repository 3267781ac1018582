#include "tools/lib/images/picture.h"

#include "tools/lib/images/image_format.h"
#include "tools/lib/images/matrix_text.h"
#include "tools/lib/message.h"
#include "tools/lib/images/sizes.h"

#include <string.h>

/* An input's picture on its way: each step replaces `array`. */
typedef struct picture {
  const char *path;
  const pm_named *file;
  const stage_arg *arg;
  const pm_picture_options *options;
  pm_array array;
  bool planar; /* [channels][rows][columns] by now */
  pm_buf *error;
} picture;

static bool replace(picture *p, bool made, pm_array *next) {
  if (!made) return false;
  pm_array_release(&p->array);
  p->array = *next;
  return true;
}

static int64_t channels_of(const pm_array *a) {
  return a->rank == 3 ? a->extents[2] : 1;
}

static pm_scalar input_scalar(const picture *p) {
  return (pm_scalar)p->arg->type->scalar;
}

/* --- channels --- */

static bool extent_is(const stage_arg *arg, unsigned dim, int64_t value) {
  int64_t extent;
  return pm_constant_extent(arg->op, dim, &extent) && extent == value;
}

/* Of rank 3: planes, of any number of channels. */
static bool has_no_constant_extent(const stage_arg *arg) {
  int64_t extent;
  for (unsigned d = 0; d < arg->n_dims; d++)
    if (pm_constant_extent(arg->op, d, &extent)) return false;
  return true;
}

static bool takes_channels(const picture *p, int64_t channels) {
  const stage_arg *arg = p->arg;
  if (p->file->channels) return channels == p->file->channels;
  if (arg->n_dims == 2) return channels == 1;
  if (has_no_constant_extent(arg)) return true;
  return extent_is(arg, 0, channels) || extent_is(arg, 2, channels);
}

/* What makes such a picture fit, behind "; ", or NULL. */
static const char *help_of(const picture *p, int64_t channels) {
  bool colours = channels <= 4;
  if (takes_channels(p, 1) && channels > 1) return colours ? "give --gray" : "convert it to one channel";
  if (takes_channels(p, 3)) return colours ? "give --rgb" : "convert it to three channels";
  if (takes_channels(p, 4)) return colours ? "give --rgba" : "convert it to four channels";
  return NULL;
}

static bool wrong_channels(const picture *p) {
  pm_buf text = {0};
  int64_t channels = channels_of(&p->array);
  const char *help = help_of(p, channels);
  if (p->file->channels)
    pm_buf_printf(&text, "one of %u", p->file->channels);
  else
    pm_put_domain_extents(&text, p->arg->op);
  pm_failf(p->error, "'%s' has %lld %s, but @%s is %s%s%s", p->path, (long long)channels,
           channels == 1 ? "channel (gray)" : "channels", p->arg->name->text, text.data, help ? "; " : "",
           help ? help : "");
  pm_buf_free(&text);
  return false;
}

/* Colours of gray, and alpha as `wanted` channels have it. */
static bool change_channels(picture *p, int64_t wanted) {
  pm_array next = p->array;
  int64_t from = channels_of(&p->array), colours = from < 3 ? 1 : 3;
  size_t bytes = pm_scalar_bytes(next.scalar);
  next.rank = 3;
  next.extents[2] = wanted;
  if (!pm_array_allocate(&next, p->error)) return false;
  for (int64_t i = 0; i < next.extents[0] * next.extents[1]; i++) {
    const char *in = (const char *)p->array.data + (size_t)(i * from) * bytes;
    char *out = (char *)next.data + (size_t)(i * wanted) * bytes;
    for (int64_t c = 0; c < 3; c++)
      memcpy(out + (size_t)c * bytes, in + (size_t)(colours == 3 ? c : 0) * bytes, bytes);
    if (wanted < 4) continue;
    if (from > colours)
      memcpy(out + 3 * bytes, in + (size_t)colours * bytes, bytes);
    else
      pm_put_opaque(next.scalar, out + 3 * bytes);
  }
  return replace(p, true, &next);
}

/* The first channel of gray with alpha. */
static bool drop_gray_alpha(picture *p) {
  pm_array next = p->array;
  size_t bytes = pm_scalar_bytes(next.scalar);
  next.rank = 2;
  if (!pm_array_allocate(&next, p->error)) return false;
  for (int64_t i = 0; i < pm_array_count(&next); i++)
    memcpy((char *)next.data + (size_t)i * bytes, (const char *)p->array.data + (size_t)(2 * i) * bytes,
           bytes);
  return replace(p, true, &next);
}

static bool to_gray(picture *p) {
  pm_array next;
  if (channels_of(&p->array) == 2) return drop_gray_alpha(p);
  return replace(p, pm_to_gray(&p->array, &next, p->error), &next);
}

/* More channels than colours and alpha are not mixed. */
static bool has_colours(const picture *p) {
  return channels_of(&p->array) <= 4;
}

static bool fit_channels(picture *p) {
  static const int64_t wanted[] = {
      [PM_CHANNELS_KEEP] = 0, [PM_CHANNELS_GRAY] = 1, [PM_CHANNELS_RGB] = 3, [PM_CHANNELS_RGBA] = 4};
  int64_t channels = wanted[p->options->channels];
  if (takes_channels(p, channels_of(&p->array))) return true;
  if (!channels || !takes_channels(p, channels) || !has_colours(p)) return wrong_channels(p);
  return channels == 1 ? to_gray(p) : change_channels(p, channels);
}

/* Channels 0 and 2 change places. */
static bool turn_colours(picture *p) {
  if (p->options->bgr && p->array.rank == 3 && p->array.extents[2] >= 3) pm_swap_red_blue(&p->array);
  return true;
}

/* An input that has one channel of the file gets it as a gray picture. */
static bool take_channel(picture *p) {
  pm_array next = p->array;
  size_t bytes = pm_scalar_bytes(next.scalar), channels = p->file->channels;
  if (!channels) return true;
  next.rank = 2;
  if (!pm_array_allocate(&next, p->error)) return false;
  const char *in = (const char *)p->array.data + p->file->channel * bytes;
  for (size_t i = 0; i < (size_t)pm_array_count(&next); i++)
    memcpy((char *)next.data + i * bytes, in + i * channels * bytes, bytes);
  return replace(p, true, &next);
}

/* --- layout, ring, type --- */

static bool fit_layout(picture *p) {
  pm_array next;
  int64_t channels = channels_of(&p->array);
  if (p->arg->n_dims == 2) {
    p->array.rank = 2;
    return true;
  }
  if (extent_is(p->arg, 0, channels) && extent_is(p->arg, 2, channels))
    return pm_failf(
        p->error, "'%s' fits @%s as [channels][rows][columns] and as [rows][columns][channels]; give a .npy",
        p->path, p->arg->name->text);
  p->array.rank = 3;
  p->array.extents[2] = channels;
  p->planar = extent_is(p->arg, 0, channels) || has_no_constant_extent(p->arg);
  return !p->planar || replace(p, pm_to_planar(&p->array, &next, p->error), &next);
}

static bool pad_picture(picture *p) {
  pm_array next;
  const pm_picture_options *o = p->options;
  if (o->pad_width == 0) return true;
  return replace(p, pm_pad(&p->array, p->planar ? 1 : 0, o->pad_width, o->pad, &next, p->error), &next);
}

static bool converts_by(const picture *p, pm_scale_in_kind kind) {
  return pm_can_convert(p->array.scalar, input_scalar(p), &(pm_scale_in){kind, 1});
}

static bool cannot_convert(const picture *p) {
  const char *help = "give a .npy of that type";
  if (converts_by(p, PM_SCALE_IN_NONE))
    help = "give --scale-in=none or the greatest sample";
  else if (converts_by(p, PM_SCALE_IN_FULL))
    help = "give --scale-in=full, for which 0..1 is the whole range";
  return pm_failf(p->error, "'%s' has %s elements, which do not convert to the %s of @%s; %s", p->path,
                  pm_get_scalar_info(p->array.scalar)->name, pm_get_scalar_info(input_scalar(p))->name,
                  p->arg->name->text, help);
}

static bool fit_type(picture *p) {
  pm_array next;
  pm_buf why = {0};
  if (p->array.scalar == input_scalar(p)) return true;
  if (!pm_can_convert(p->array.scalar, input_scalar(p), &p->options->scale)) return cannot_convert(p);
  bool ok = pm_convert(&p->array, input_scalar(p), &p->options->scale, &next, &why);
  if (!ok)
    pm_failf(p->error, "'%s' has %s; @%s is of that type%s", p->path, why.data, p->arg->name->text,
             converts_by(p, PM_SCALE_IN_FULL) ? "; --scale-in=full scales the samples to it" : "");
  pm_buf_free(&why);
  return replace(p, ok, &next);
}

static bool fit_picture(picture *p) {
  if (p->arg->n_dims != 2 && p->arg->n_dims != 3)
    return pm_failf(p->error, "'%s' is a picture, but @%s has %u dimensions; give a .npy", p->path,
                    p->arg->name->text, p->arg->n_dims);
  if (p->file->channels && p->arg->n_dims != 2)
    return pm_failf(p->error, "'%s' gives @%s one channel, but that has %u dimensions", p->path,
                    p->arg->name->text, p->arg->n_dims);
  return fit_channels(p) && turn_colours(p) && take_channel(p) && fit_layout(p) && pad_picture(p) &&
         fit_type(p);
}

/* --- numbers --- */

static bool numbers_have_no_channels(const picture *p) {
  return pm_failf(p->error, "'%s' has numbers; only the channels of a picture go to several inputs", p->path);
}

/* The same numbers in the input's type. */
static bool fit_numbers(picture *p) {
  pm_array next;
  pm_buf why = {0};
  if (p->file->channels) return numbers_have_no_channels(p);
  if (p->array.scalar == input_scalar(p)) return true;
  bool ok = pm_convert_exact(&p->array, input_scalar(p), &next, &why);
  if (!ok) pm_failf(p->error, "'%s' has %s; @%s is of that type", p->path, why.data, p->arg->name->text);
  pm_buf_free(&why);
  return replace(p, ok, &next);
}

static bool is_matrix_text(const char *path) {
  const pm_image_format *format = pm_image_format_of(path);
  return format && format->content == PM_IMAGE_TEXT;
}

static bool read_file(picture *p) {
  const pm_image_format *format;
  if (is_matrix_text(p->path) && p->file->channels) return numbers_have_no_channels(p);
  if (is_matrix_text(p->path))
    return pm_matrix_text_read(p->path, input_scalar(p), p->arg->n_dims, &p->array, p->error);
  pm_picture_limit limit = {p->options->limit_mb * 1000000, "--picture-limit"};
  if (!pm_image_read(p->path, limit, &p->array, &format, p->error)) return false;
  return format->content == PM_IMAGE_NUMBERS ? fit_numbers(p) : fit_picture(p);
}

static bool read_raw(picture *p, const pm_raw_layout *layout) {
  if (!pm_raw_read(p->path, layout, &p->array, p->error)) return false;
  bool picture = p->array.rank == 2 || p->array.rank == 3;
  return picture ? fit_picture(p) : fit_numbers(p);
}

bool pm_read_input(const pm_named *file, const stage_arg *arg, const pm_raw_layout *raw,
                   const pm_picture_options *options, pm_array *out, pm_buf *error) {
  picture p = {.path = file->value, .file = file, .arg = arg, .options = options, .error = error};
  bool ok = raw ? read_raw(&p, raw) : read_file(&p);
  if (!ok) pm_array_release(&p.array);
  *out = p.array;
  return ok;
}
