/* JPEG by libjpeg-turbo: gray and colour of 8 bits, baseline and progressive. Pictures are turned upright as
 * their EXIF says. Whatever the library warns of (missing or spoilt data) is an error. */
#include "tools/lib/images/codec_library.h"
#include "tools/lib/images/image_format.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

#define FUNCTIONS(F)                                                                                         \
  F(jpeg_std_error)                                                                                          \
  F(jpeg_CreateDecompress)                                                                                   \
  F(jpeg_mem_src)                                                                                            \
  F(jpeg_save_markers)                                                                                       \
  F(jpeg_read_header)                                                                                        \
  F(jpeg_start_decompress)                                                                                   \
  F(jpeg_read_scanlines)                                                                                     \
  F(jpeg_finish_decompress)                                                                                  \
  F(jpeg_destroy_decompress)                                                                                 \
  F(jpeg_CreateCompress)                                                                                     \
  F(jpeg_mem_dest)                                                                                           \
  F(jpeg_set_defaults)                                                                                       \
  F(jpeg_set_quality)                                                                                        \
  F(jpeg_start_compress)                                                                                     \
  F(jpeg_write_scanlines)                                                                                    \
  F(jpeg_finish_compress)                                                                                    \
  F(jpeg_destroy_compress)

typedef struct jpeg_calls {
  FUNCTIONS(PM_CODEC_POINTER)
} jpeg_calls;

enum { EXIF_MARKER = JPEG_APP0 + 1, MOST_SCANS = 100, MOST_EXTENT = 65500, QUALITY = 95 };

/* libjpeg leaves through longjmp to the frame that called setjmp, so all state that must be released lives
 * here. The library finds it by the struct of errors, which is first. */
typedef struct jpeg_job {
  struct jpeg_error_mgr errors;
  jmp_buf leave;
  jpeg_calls lib;
  struct jpeg_progress_mgr progress;
  struct jpeg_decompress_struct reader;
  struct jpeg_compress_struct writer;
  pm_bytes in;
  pm_array array;
  unsigned orientation;
  unsigned char *written; /* the library's */
  unsigned long n_written;
  pm_buf *error;
} jpeg_job;

/* --- errors --- */

static void on_error(j_common_ptr jpeg) {
  jpeg_job *job = (jpeg_job *)jpeg->err;
  char text[JMSG_LENGTH_MAX];
  job->errors.format_message(jpeg, text);
  pm_failf(job->error, "%s", text);
  longjmp(job->leave, 1);
}

/* Level -1 is a warning, others are traces. */
static void on_message(j_common_ptr jpeg, int level) {
  if (level < 0) on_error(jpeg);
}

/* Each scan of a small file may go over the whole picture. */
static void on_progress(j_common_ptr jpeg) {
  jpeg_job *job = (jpeg_job *)jpeg->err;
  if (!jpeg->is_decompressor || job->reader.input_scan_number <= MOST_SCANS) return;
  pm_failf(job->error, "it has more than %d scans", MOST_SCANS);
  longjmp(job->leave, 1);
}

static bool open_job(jpeg_job *job) {
  static const char *const names[] = {FUNCTIONS(PM_CODEC_NAME)};
  if (!pm_open_codec_library(PM_JPEG_LIBRARY, names, PM_COUNT(names), &job->lib, job->error)) return false;
  job->reader.err = job->writer.err = job->lib.jpeg_std_error(&job->errors);
  job->errors.error_exit = on_error;
  job->errors.emit_message = on_message;
  job->progress.progress_monitor = on_progress;
  return true;
}

/* --- the orientation that EXIF gives --- */

/* The number of n bytes at `at`; 0 behind the end. */
static uint32_t number_at(const unsigned char *data, size_t len, size_t at, size_t n, bool big_endian) {
  uint32_t value = 0;
  if (at > len || n > len - at) return 0;
  for (size_t i = 0; i < n; i++) value = value << 8 | data[at + (big_endian ? i : n - 1 - i)];
  return value;
}

/* `data`: the TIFF inside of EXIF, whose first directory has the tag. 1 where there is none. */
static unsigned orientation_of_tiff(const unsigned char *data, size_t len) {
  enum { ORIENTATION = 0x112, ENTRY_BYTES = 12 };
  bool big_endian = len > 0 && data[0] == 'M';
  size_t at = number_at(data, len, 4, 4, big_endian);
  uint32_t n = number_at(data, len, at, 2, big_endian);
  for (at += 2; n > 0; n--, at += ENTRY_BYTES)
    if (number_at(data, len, at, 2, big_endian) == ORIENTATION)
      return number_at(data, len, at + 8, 2, big_endian);
  return 1;
}

static unsigned orientation_of(const struct jpeg_decompress_struct *reader) {
  static const char name[6] = "Exif\0";
  for (jpeg_saved_marker_ptr m = reader->marker_list; m; m = m->next)
    if (m->marker == EXIF_MARKER && m->data_length > sizeof name && memcmp(m->data, name, sizeof name) == 0)
      return orientation_of_tiff(m->data + sizeof name, m->data_length - sizeof name);
  return 1;
}

/* --- reading --- */

static bool check_colours(jpeg_job *job) {
  struct jpeg_decompress_struct *r = &job->reader;
  bool gray = r->jpeg_color_space == JCS_GRAYSCALE;
  r->out_color_space = gray ? JCS_GRAYSCALE : JCS_RGB;
  if (gray || r->jpeg_color_space == JCS_YCbCr || r->jpeg_color_space == JCS_RGB) return true;
  if (r->jpeg_color_space == JCS_CMYK || r->jpeg_color_space == JCS_YCCK)
    return pm_failf(job->error, "its colours are inks (CMYK); " PM_TO_RGB);
  return pm_failf(job->error, "its %d channels are of an unknown kind; " PM_TO_RGB, r->num_components);
}

static bool read_guarded(jpeg_job *job) {
  struct jpeg_decompress_struct *r = &job->reader;
  if (setjmp(job->leave)) return false;
  job->lib.jpeg_CreateDecompress(r, JPEG_LIB_VERSION, sizeof *r);
  r->progress = &job->progress;
  job->lib.jpeg_mem_src(r, job->in.data, job->in.len);
  job->lib.jpeg_save_markers(r, EXIF_MARKER, 0xffff);
  job->lib.jpeg_read_header(r, TRUE);
  job->orientation = orientation_of(r);
  if (!check_colours(job)) return false;
  unsigned channels = r->out_color_space == JCS_GRAYSCALE ? 1 : 3;
  job->array = (pm_array){
      .scalar = PM_U8, .rank = channels == 1 ? 2 : 3, .extents = {r->image_height, r->image_width, channels}};
  if (!pm_may_take(&job->in, pm_array_bytes(&job->array), job->error) ||
      !pm_array_allocate(&job->array, job->error))
    return false;
  job->lib.jpeg_start_decompress(r);
  while (r->output_scanline < r->output_height) {
    JSAMPROW row = (JSAMPROW)job->array.data + (size_t)r->output_scanline * r->output_width * channels;
    job->lib.jpeg_read_scanlines(r, &row, 1);
  }
  job->lib.jpeg_finish_decompress(r);
  return true;
}

static bool turn_upright(jpeg_job *job, pm_array *out) {
  if (job->orientation != 1) return pm_turn_upright(&job->array, job->orientation, out, job->error);
  *out = job->array;
  job->array.data = NULL;
  return true;
}

static bool jpeg_read(pm_bytes in, pm_array *out, pm_buf *error) {
  jpeg_job *job = pm_xcalloc(1, sizeof *job);
  job->in = in;
  job->error = error;
  bool opened = open_job(job);
  bool ok = opened && read_guarded(job) && turn_upright(job, out);
  if (opened) job->lib.jpeg_destroy_decompress(&job->reader);
  pm_array_release(&job->array);
  free(job);
  return ok;
}

/* --- writing --- */

static bool check_writable(const pm_array *a, pm_buf *error) {
  int64_t channels = pm_channels(a);
  if (a->scalar == PM_U16)
    return pm_failf(error, "a JPEG holds u8, not u16; give --depth=8, or write a .png or .tif");
  if (a->scalar != PM_U8)
    return pm_failf(error, "a JPEG holds u8, not %s; a .tif holds it", pm_get_scalar_info(a->scalar)->name);
  if (channels != 1 && channels != 3)
    return pm_failf(error, "a JPEG holds 1 or 3 channels, not %lld; a .tif holds any number",
                    (long long)channels);
  if (pm_array_count(a) == 0) return pm_failf(error, "a JPEG cannot be empty; a .npy can");
  return (a->extents[0] <= MOST_EXTENT && a->extents[1] <= MOST_EXTENT) ||
         pm_failf(error, "a JPEG has at most %d rows and columns; a .png or .tif has more", MOST_EXTENT);
}

/* Colours in full resolution. */
static bool write_guarded(jpeg_job *job) {
  struct jpeg_compress_struct *w = &job->writer;
  int channels = (int)pm_channels(&job->array);
  if (setjmp(job->leave)) return false;
  job->lib.jpeg_CreateCompress(w, JPEG_LIB_VERSION, sizeof *w);
  job->lib.jpeg_mem_dest(w, &job->written, &job->n_written);
  w->image_height = (JDIMENSION)job->array.extents[0];
  w->image_width = (JDIMENSION)job->array.extents[1];
  w->input_components = channels;
  w->in_color_space = channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  job->lib.jpeg_set_defaults(w);
  job->lib.jpeg_set_quality(w, QUALITY, TRUE);
  for (int c = 0; c < channels; c++) w->comp_info[c].h_samp_factor = w->comp_info[c].v_samp_factor = 1;
  job->lib.jpeg_start_compress(w, TRUE);
  while (w->next_scanline < w->image_height) {
    JSAMPROW row = (JSAMPROW)job->array.data + (size_t)w->next_scanline * w->image_width * (size_t)channels;
    job->lib.jpeg_write_scanlines(w, &row, 1);
  }
  job->lib.jpeg_finish_compress(w);
  return true;
}

static bool jpeg_write(const pm_array *array, pm_buf *bytes, pm_buf *error) {
  if (!check_writable(array, error)) return false;
  jpeg_job *job = pm_xcalloc(1, sizeof *job);
  job->array = *array;
  job->error = error;
  bool opened = open_job(job);
  bool ok = opened && write_guarded(job);
  if (opened) job->lib.jpeg_destroy_compress(&job->writer);
  if (ok) pm_buf_put(bytes, (const char *)job->written, job->n_written);
  if (ok) free(job->written); /* in between the pointer may be to memory that the library has freed */
  free(job);
  return ok;
}

const pm_image_format pm_format_jpeg = {.name = "JPEG",
                                        .content = PM_IMAGE_SAMPLES,
                                        .ends = {".jpg", ".jpeg"},
                                        .magics = {PM_MAGIC("\xff\xd8\xff")},
                                        .read = jpeg_read,
                                        .write = jpeg_write};
