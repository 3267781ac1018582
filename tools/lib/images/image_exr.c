/* OpenEXR by OpenEXRCore, the C library of OpenEXR: scan lines and tiles of one part, f16, f32 and u32.
 *
 * The channels R, G, B and A, or Y and A, stand in that order; those of other names in the order of the file,
 * which is by name. f16 and f32 together are read as f32. Of several levels the first is read. The library
 * has no DWA. */
#include "tools/lib/images/codec_library.h"
#include "tools/lib/images/image_format.h"

#include <openexr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS(F)                                                                                         \
  F(exr_get_default_error_message)                                                                           \
  F(exr_start_read)                                                                                          \
  F(exr_start_write)                                                                                         \
  F(exr_finish)                                                                                              \
  F(exr_get_count)                                                                                           \
  F(exr_get_storage)                                                                                         \
  F(exr_get_channels)                                                                                        \
  F(exr_get_data_window)                                                                                     \
  F(exr_get_tile_descriptor)                                                                                 \
  F(exr_get_scanlines_per_chunk)                                                                             \
  F(exr_read_scanline_chunk_info)                                                                            \
  F(exr_read_tile_chunk_info)                                                                                \
  F(exr_decoding_initialize)                                                                                 \
  F(exr_decoding_choose_default_routines)                                                                    \
  F(exr_decoding_update)                                                                                     \
  F(exr_decoding_run)                                                                                        \
  F(exr_decoding_destroy)                                                                                    \
  F(exr_add_part)                                                                                            \
  F(exr_add_channel)                                                                                         \
  F(exr_initialize_required_attr_simple)                                                                     \
  F(exr_write_header)                                                                                        \
  F(exr_write_scanline_chunk_info)                                                                           \
  F(exr_encoding_initialize)                                                                                 \
  F(exr_encoding_choose_default_routines)                                                                    \
  F(exr_encoding_update)                                                                                     \
  F(exr_encoding_run)                                                                                        \
  F(exr_encoding_destroy)

typedef struct exr_calls {
  FUNCTIONS(PM_CODEC_POINTER)
} exr_calls;

typedef struct exr_job {
  exr_calls lib;
  exr_context_t file;
  pm_bytes in;   /* of a reader */
  pm_buf *bytes; /* of a writer: the file begins at `base` */
  size_t base;
  pm_array array;
  const exr_attr_chlist_t *channels;
  pm_buf *error;
} exr_job;

/* --- the library's way to the job, to memory and to messages --- */

static int64_t on_read(exr_const_context_t file, void *data, void *out, uint64_t n, uint64_t at,
                       exr_stream_error_func_ptr_t fail) {
  const exr_job *job = data;
  (void)file, (void)fail;
  uint64_t left = at < job->in.len ? job->in.len - at : 0;
  if (n > left) n = left;
  if (n > 0) memcpy(out, job->in.data + at, (size_t)n);
  return (int64_t)n;
}

static int64_t on_size(exr_const_context_t file, void *data) {
  (void)file;
  return (int64_t)((const exr_job *)data)->in.len;
}

static int64_t on_write(exr_const_context_t file, void *data, const void *from, uint64_t n, uint64_t at,
                        exr_stream_error_func_ptr_t fail) {
  exr_job *job = data;
  (void)file, (void)fail;
  pm_put_at(job->bytes, job->base + (size_t)at, from, (size_t)n);
  return (int64_t)n;
}

/* The library's messages come without our data; its codes are enough, and this keeps it from printing. */
static void on_error(exr_const_context_t file, exr_result_t code, const char *text) {
  (void)file, (void)code, (void)text;
}

/* Damaged pieces may be unpacked to fewer bytes than the library then reads, so its memory is zero before. */
static void *allocate_zeros(size_t n) {
  return calloc(n ? n : 1, 1);
}

static bool failed(exr_job *job, exr_result_t code) {
  if (code == EXR_ERR_SUCCESS) return false;
  if (code == EXR_ERR_FEATURE_NOT_IMPLEMENTED)
    pm_failf(job->error, "its compression is DWA, which the C library lacks; convert it to ZIP or PIZ");
  else
    pm_failf(job->error, "%s", job->lib.exr_get_default_error_message(code));
  return true;
}

static bool open_library(exr_job *job) {
  static const char *const names[] = {FUNCTIONS(PM_CODEC_NAME)};
  return pm_open_codec_library(PM_OPENEXR_LIBRARY, names, PM_COUNT(names), &job->lib, job->error);
}

/* --- channels --- */

/* The place of a channel in the picture: R, G, B, A and Y, A before the order of the file. */
static int64_t place_of(const exr_job *job, int channel) {
  static const char *const orders[] = {"Y", "YA", "RGB", "RGBA"};
  const exr_attr_chlist_t *list = job->channels;
  for (size_t o = 0; o < PM_COUNT(orders); o++) {
    int known = 0;
    if (strlen(orders[o]) != (size_t)list->num_channels) continue;
    for (int c = 0; c < list->num_channels; c++)
      known += strlen(list->entries[c].name.str) == 1 && strchr(orders[o], *list->entries[c].name.str);
    if (known == list->num_channels) return strchr(orders[o], *list->entries[channel].name.str) - orders[o];
  }
  return channel;
}

static bool find_scalar(exr_job *job) {
  const exr_attr_chlist_t *list = job->channels;
  unsigned kinds = 0;
  for (int c = 0; c < list->num_channels; c++) {
    if (list->entries[c].x_sampling != 1 || list->entries[c].y_sampling != 1)
      return pm_failf(job->error, "its channel '%s' has fewer samples than the picture; convert it to RGB",
                      list->entries[c].name.str);
    kinds |= 1u << list->entries[c].pixel_type;
  }
  if (kinds & 1u << EXR_PIXEL_UINT && kinds != 1u << EXR_PIXEL_UINT)
    return pm_failf(job->error, "it has integers and floats; convert it to a file of one type");
  job->array.scalar = kinds == 1u << EXR_PIXEL_UINT   ? PM_U32
                      : kinds == 1u << EXR_PIXEL_HALF ? PM_F16
                                                      : PM_F32;
  return true;
}

static exr_pixel_type_t pixel_type(pm_scalar scalar) {
  return scalar == PM_U32 ? EXR_PIXEL_UINT : scalar == PM_F16 ? EXR_PIXEL_HALF : EXR_PIXEL_FLOAT;
}

/* Where the channel's samples of the chunk at row y and column x are in the array. */
static void set_channel(exr_job *job, exr_coding_channel_info_t *info, int channel, int64_t y, int64_t x) {
  const pm_array *a = &job->array;
  size_t bytes = pm_scalar_bytes(a->scalar), pixel = bytes * (size_t)pm_channels(a);
  info->user_bytes_per_element = (int16_t)bytes;
  info->user_data_type = (uint16_t)pixel_type(a->scalar);
  info->user_pixel_stride = (int32_t)pixel;
  info->user_line_stride = (int32_t)(pixel * (size_t)a->extents[1]);
  info->decode_to_ptr =
      (uint8_t *)a->data + (size_t)(y * a->extents[1] + x) * pixel + (size_t)place_of(job, channel) * bytes;
}

/* --- reading --- */

static bool read_header(exr_job *job) {
  int parts = 0;
  exr_attr_box2i_t box;
  if (failed(job, job->lib.exr_get_count(job->file, &parts))) return false;
  if (parts != 1) return pm_failf(job->error, "it has %d parts; convert it to a file a part", parts);
  if (failed(job, job->lib.exr_get_channels(job->file, 0, &job->channels)) ||
      failed(job, job->lib.exr_get_data_window(job->file, 0, &box)))
    return false;
  int64_t channels = job->channels->num_channels;
  job->array.rank = channels > 1 ? 3 : 2;
  job->array.extents[0] = (int64_t)box.max.y - box.min.y + 1;
  job->array.extents[1] = (int64_t)box.max.x - box.min.x + 1;
  job->array.extents[2] = channels;
  if (channels < 1 || job->array.extents[0] < 1 || job->array.extents[1] < 1)
    return pm_failf(job->error, "it has no size or no channels");
  if (!find_scalar(job)) return false;
  return job->array.extents[1] <= INT32_MAX / 4 / channels ||
         pm_failf(job->error, "its rows are above 2^31 bytes");
}

typedef struct exr_reader {
  exr_decode_pipeline_t pipeline;
  bool begun;
} exr_reader;

/* The chunk whose first sample is at (y, x) of the array. */
static bool read_chunk(exr_job *job, exr_reader *r, const exr_chunk_info_t *chunk, int64_t y, int64_t x) {
  exr_calls *lib = &job->lib;
  exr_result_t code = r->begun ? lib->exr_decoding_update(job->file, 0, chunk, &r->pipeline)
                               : lib->exr_decoding_initialize(job->file, 0, chunk, &r->pipeline);
  bool first = !r->begun;
  r->begun = true;
  if (failed(job, code)) return false;
  if (y + chunk->height > job->array.extents[0] || x + chunk->width > job->array.extents[1])
    return pm_failf(job->error, "a piece of it lies outside of the picture");
  for (int c = 0; c < r->pipeline.channel_count; c++) set_channel(job, &r->pipeline.channels[c], c, y, x);
  if (first && failed(job, lib->exr_decoding_choose_default_routines(job->file, 0, &r->pipeline)))
    return false;
  return !failed(job, lib->exr_decoding_run(job->file, 0, &r->pipeline));
}

static bool read_lines(exr_job *job, exr_reader *r) {
  exr_attr_box2i_t box;
  int32_t lines = 0;
  if (failed(job, job->lib.exr_get_data_window(job->file, 0, &box)) ||
      failed(job, job->lib.exr_get_scanlines_per_chunk(job->file, 0, &lines)))
    return false;
  if (lines < 1) return pm_failf(job->error, "its pieces have no rows");
  for (int64_t y = 0; y < job->array.extents[0]; y += lines) {
    exr_chunk_info_t chunk;
    if (failed(job, job->lib.exr_read_scanline_chunk_info(job->file, 0, (int)(y + box.min.y), &chunk)) ||
        !read_chunk(job, r, &chunk, y, 0))
      return false;
  }
  return true;
}

static bool read_tiles(exr_job *job, exr_reader *r) {
  uint32_t columns = 0, rows = 0;
  exr_tile_level_mode_t levels;
  exr_tile_round_mode_t rounding;
  if (failed(job, job->lib.exr_get_tile_descriptor(job->file, 0, &columns, &rows, &levels, &rounding)))
    return false;
  if (!rows || !columns) return pm_failf(job->error, "its tiles have no size");
  for (int64_t y = 0; y * rows < job->array.extents[0]; y++)
    for (int64_t x = 0; x * columns < job->array.extents[1]; x++) {
      exr_chunk_info_t chunk;
      if (failed(job, job->lib.exr_read_tile_chunk_info(job->file, 0, (int)x, (int)y, 0, 0, &chunk)) ||
          !read_chunk(job, r, &chunk, y * rows, x * columns))
        return false;
    }
  return true;
}

static bool read_pixels(exr_job *job) {
  exr_reader reader = {.pipeline = EXR_DECODE_PIPELINE_INITIALIZER};
  exr_storage_t storage;
  if (failed(job, job->lib.exr_get_storage(job->file, 0, &storage))) return false;
  if (storage != EXR_STORAGE_SCANLINE && storage != EXR_STORAGE_TILED)
    return pm_failf(job->error, "it has several samples a pixel (deep data); convert it to a flat picture");
  bool ok = storage == EXR_STORAGE_TILED ? read_tiles(job, &reader) : read_lines(job, &reader);
  if (reader.begun) job->lib.exr_decoding_destroy(job->file, &reader.pipeline);
  return ok;
}

/* A side is no longer than what the picture may take, which bounds the tables that the library makes for it.
 */
static bool open_reader(exr_job *job) {
  exr_context_initializer_t options = EXR_DEFAULT_CONTEXT_INITIALIZER;
  int64_t most = pm_most_of(&job->in);
  options.error_handler_fn = on_error;
  options.user_data = job;
  options.alloc_fn = allocate_zeros;
  options.free_fn = free;
  options.read_fn = on_read;
  options.size_fn = on_size;
  options.max_image_width = options.max_image_height = (int)(most > INT32_MAX ? INT32_MAX : most);
  return !failed(job, job->lib.exr_start_read(&job->file, "EXR", &options));
}

static bool exr_read(pm_bytes in, pm_array *out, pm_buf *error) {
  exr_job job = {.in = in, .error = error};
  bool opened = open_library(&job);
  bool ok = opened && open_reader(&job) && read_header(&job) &&
            pm_may_take(&in, pm_array_bytes(&job.array), error) && pm_array_allocate(&job.array, error) &&
            read_pixels(&job);
  if (opened) job.lib.exr_finish(&job.file);
  if (!ok) pm_array_release(&job.array);
  *out = job.array;
  return ok;
}

/* --- writing --- */

static bool check_writable(const pm_array *a, pm_buf *error) {
  int64_t channels = pm_channels(a);
  if (a->scalar != PM_F16 && a->scalar != PM_F32 && a->scalar != PM_U32)
    return pm_failf(error, "an EXR holds f16, f32 and u32, not %s; a .tif holds it",
                    pm_get_scalar_info(a->scalar)->name);
  if (channels < 1 || channels > 1000)
    return pm_failf(error, "an EXR of ours has 1 to 1000 channels, not %lld", (long long)channels);
  if (pm_array_count(a) == 0) return pm_failf(error, "an EXR cannot be empty; a .npy can");
  return (a->extents[0] <= INT32_MAX && a->extents[1] <= INT32_MAX / 4 / channels) ||
         pm_failf(error, "an EXR has rows of less than 2^31 bytes");
}

static bool add_channels(exr_job *job, int part) {
  static const char *const orders[] = {"Y", "YA", "RGB", "RGBA"};
  int64_t channels = pm_channels(&job->array);
  for (int64_t c = 0; c < channels; c++) {
    char name[16];
    if (channels <= 4)
      snprintf(name, sizeof name, "%c", orders[channels - 1][c]);
    else
      snprintf(name, sizeof name, "c%03d", (int)c);
    if (failed(job, job->lib.exr_add_channel(job->file, part, name, pixel_type(job->array.scalar),
                                             EXR_PERCEPTUALLY_LOGARITHMIC, 1, 1)))
      return false;
  }
  return !failed(job, job->lib.exr_get_channels(job->file, part, &job->channels));
}

static bool write_header(exr_job *job) {
  int part = 0;
  const int64_t *e = job->array.extents;
  return !failed(job, job->lib.exr_add_part(job->file, "picture", EXR_STORAGE_SCANLINE, &part)) &&
         !failed(job, job->lib.exr_initialize_required_attr_simple(job->file, part, (int32_t)e[1],
                                                                   (int32_t)e[0], EXR_COMPRESSION_ZIP)) &&
         add_channels(job, part) && !failed(job, job->lib.exr_write_header(job->file));
}

typedef struct exr_writer {
  exr_encode_pipeline_t pipeline;
  bool begun;
} exr_writer;

static bool write_chunk(exr_job *job, exr_writer *w, int64_t y) {
  exr_calls *lib = &job->lib;
  exr_chunk_info_t chunk;
  if (failed(job, lib->exr_write_scanline_chunk_info(job->file, 0, (int)y, &chunk))) return false;
  bool first = !w->begun;
  exr_result_t code = w->begun ? lib->exr_encoding_update(job->file, 0, &chunk, &w->pipeline)
                               : lib->exr_encoding_initialize(job->file, 0, &chunk, &w->pipeline);
  w->begun = true;
  if (failed(job, code)) return false;
  for (int c = 0; c < w->pipeline.channel_count; c++) set_channel(job, &w->pipeline.channels[c], c, y, 0);
  if (first && failed(job, lib->exr_encoding_choose_default_routines(job->file, 0, &w->pipeline)))
    return false;
  return !failed(job, lib->exr_encoding_run(job->file, 0, &w->pipeline));
}

static bool write_pixels(exr_job *job) {
  exr_writer writer = {.pipeline = EXR_ENCODE_PIPELINE_INITIALIZER};
  int32_t lines = 0;
  bool ok = !failed(job, job->lib.exr_get_scanlines_per_chunk(job->file, 0, &lines));
  for (int64_t y = 0; ok && y < job->array.extents[0]; y += lines) ok = write_chunk(job, &writer, y);
  if (writer.begun) job->lib.exr_encoding_destroy(job->file, &writer.pipeline);
  return ok;
}

static bool open_writer(exr_job *job) {
  exr_context_initializer_t options = EXR_DEFAULT_CONTEXT_INITIALIZER;
  options.error_handler_fn = on_error;
  options.user_data = job;
  options.write_fn = on_write;
  return !failed(job, job->lib.exr_start_write(&job->file, "EXR", EXR_WRITE_FILE_DIRECTLY, &options));
}

static bool exr_write(const pm_array *array, pm_buf *bytes, pm_buf *error) {
  exr_job job = {.bytes = bytes, .base = bytes->len, .array = *array, .error = error};
  if (!check_writable(array, error) || !open_library(&job)) return false;
  bool ok = open_writer(&job) && write_header(&job) && write_pixels(&job);
  if (!ok) {
    job.lib.exr_finish(&job.file);
    return false;
  }
  return !failed(&job, job.lib.exr_finish(&job.file));
}

const pm_image_format pm_format_exr = {.name = "OpenEXR",
                                       .content = PM_IMAGE_FLOATS,
                                       .ends = {".exr"},
                                       .magics = {PM_MAGIC("\x76\x2f\x31\x01")},
                                       .read = exr_read,
                                       .write = exr_write};
