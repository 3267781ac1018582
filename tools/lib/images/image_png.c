#include "tools/lib/images/image_format.h"

#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

/* What a libpng call needs to report to: libpng leaves through longjmp to the frame that called setjmp, so
 * all state that must be released lives here. */
typedef struct png_job {
  png_structp png;
  png_infop info;
  pm_bytes in;
  pm_buf *bytes;
  pm_array *array;
  pm_buf *error;
} png_job;

static void on_error(png_structp png, png_const_charp message) {
  png_job *job = png_get_error_ptr(png);
  pm_failf(job->error, "%s", message);
  png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp message) {
  (void)png;
  (void)message;
}

static void on_read(png_structp png, png_bytep out, size_t n) {
  png_job *job = png_get_io_ptr(png);
  if (n > pm_bytes_left(&job->in)) png_error(png, "truncated: the file ends inside the picture");
  memcpy(out, job->in.data + job->in.pos, n);
  job->in.pos += n;
}

static void on_write(png_structp png, png_bytep data, size_t n) {
  png_job *job = png_get_io_ptr(png);
  pm_buf_put(job->bytes, (const char *)data, n);
}

static void on_flush(png_structp png) {
  (void)png;
}

/* Deflate packs at most 1032 to 1: a header that promises more than that from this file is not worth an
 * allocation. */
static void check_plausible(png_job *job) {
  uint64_t raw = (uint64_t)png_get_rowbytes(job->png, job->info) * png_get_image_height(job->png, job->info);
  if (raw / 1040 > job->in.len)
    png_error(job->png, "truncated: the file is too short for the size in its header");
}

static void read_shape(png_job *job) {
  pm_array *out = job->array;
  png_set_expand(job->png);
  if (png_get_bit_depth(job->png, job->info) == 16) png_set_swap(job->png);
  png_set_interlace_handling(job->png);
  png_read_update_info(job->png, job->info);
  unsigned channels = png_get_channels(job->png, job->info);
  *out = (pm_array){.scalar = png_get_bit_depth(job->png, job->info) == 16 ? PM_U16 : PM_U8,
                    .rank = channels == 1 ? 2 : 3,
                    .extents = {png_get_image_height(job->png, job->info),
                                png_get_image_width(job->png, job->info), channels}};
}

static void read_rows(png_job *job) {
  size_t row_bytes = png_get_rowbytes(job->png, job->info);
  int passes =
      png_get_interlace_type(job->png, job->info) == PNG_INTERLACE_NONE ? 1 : PNG_INTERLACE_ADAM7_PASSES;
  for (int pass = 0; pass < passes; pass++)
    for (int64_t y = 0; y < job->array->extents[0]; y++)
      png_read_row(job->png, (png_bytep)job->array->data + (size_t)y * row_bytes, NULL);
  png_read_end(job->png, NULL);
}

static bool read_guarded(png_job *job) {
  if (setjmp(png_jmpbuf(job->png))) return false;
  png_set_read_fn(job->png, job, on_read);
  png_set_user_limits(job->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_read_info(job->png, job->info);
  check_plausible(job);
  read_shape(job);
  if (!pm_may_take(&job->in, pm_array_bytes(job->array), job->error) ||
      !pm_array_allocate(job->array, job->error))
    return false;
  read_rows(job);
  return true;
}

static bool png_read(pm_bytes in, pm_array *out, pm_buf *error) {
  png_job job = {.in = in, .array = out, .error = error};
  job.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &job, on_error, on_warning);
  if (!job.png) pm_out_of_memory();
  job.info = png_create_info_struct(job.png);
  if (!job.info) pm_out_of_memory();
  out->data = NULL;
  bool ok = read_guarded(&job);
  png_destroy_read_struct(&job.png, &job.info, NULL);
  if (!ok) pm_array_release(out);
  return ok;
}

static bool write_guarded(png_job *job) {
  static const int colour_types[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                                     PNG_COLOR_TYPE_RGB_ALPHA};
  const pm_array *a = job->array;
  int64_t channels = pm_channels(a);
  size_t row_bytes = (size_t)(a->extents[1] * channels) * pm_scalar_bytes(a->scalar);
  if (setjmp(png_jmpbuf(job->png))) return false;
  png_set_write_fn(job->png, job, on_write, on_flush);
  png_set_user_limits(job->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_set_compression_level(job->png, 3);
  png_set_IHDR(job->png, job->info, (png_uint_32)a->extents[1], (png_uint_32)a->extents[0],
               a->scalar == PM_U16 ? 16 : 8, colour_types[channels - 1], PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(job->png, job->info);
  if (a->scalar == PM_U16) png_set_swap(job->png);
  for (int64_t y = 0; y < a->extents[0]; y++)
    png_write_row(job->png, (png_const_bytep)a->data + (size_t)y * row_bytes);
  png_write_end(job->png, NULL);
  return true;
}

static bool check_writable(const pm_array *a, pm_buf *error) {
  if (a->scalar != PM_U8 && a->scalar != PM_U16)
    return pm_failf(error, "a PNG holds u8 or u16, not %s; a .tif holds it",
                    pm_get_scalar_info(a->scalar)->name);
  if (pm_channels(a) < 1 || pm_channels(a) > 4)
    return pm_failf(error, "a PNG holds 1 to 4 channels, not %lld; a .tif holds any number",
                    (long long)pm_channels(a));
  if (a->extents[0] < 1 || a->extents[1] < 1) return pm_failf(error, "a PNG cannot be empty; a .npy can");
  if (a->extents[0] > INT32_MAX || a->extents[1] > INT32_MAX)
    return pm_failf(error, "a PNG has at most 2^31 - 1 rows and columns");
  return true;
}

static bool png_write(const pm_array *array, pm_buf *bytes, pm_buf *error) {
  if (!check_writable(array, error)) return false;
  pm_array copy = *array;
  png_job job = {.bytes = bytes, .array = &copy, .error = error};
  job.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &job, on_error, on_warning);
  if (!job.png) pm_out_of_memory();
  job.info = png_create_info_struct(job.png);
  if (!job.info) pm_out_of_memory();
  bool ok = write_guarded(&job);
  png_destroy_write_struct(&job.png, &job.info);
  return ok;
}

const pm_image_format pm_format_png = {.name = "PNG",
                                       .content = PM_IMAGE_SAMPLES,
                                       .ends = {".png"},
                                       .magics = {PM_MAGIC("\x89PNG\r\n\x1a\n")},
                                       .read = png_read,
                                       .write = png_write};
