/* TIFF and BigTIFF by libtiff: strips and tiles, interleaved and separate planes, all compressions of the
 * library.
 *
 * Samples are unsigned of 1 to 16, 32 and 64 bits, signed of 8 to 64, floats of 16 to 64. Those of other
 * widths than a type's are stretched to 8 or 16 bits; white-is-zero is turned round, palettes become RGB u8,
 * JPEG's YCbCr becomes RGB. Gray pages of one size are channels of one picture; smaller copies of a page are
 * left out. Pictures are turned so that the top row is first. */
#include "tools/lib/images/codec_library.h"
#include "tools/lib/images/image_format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tiffio.h>

#define FUNCTIONS(F)                                                                                         \
  F(TIFFOpenOptionsAlloc)                                                                                    \
  F(TIFFOpenOptionsFree)                                                                                     \
  F(TIFFOpenOptionsSetErrorHandlerExtR)                                                                      \
  F(TIFFOpenOptionsSetWarningHandlerExtR)                                                                    \
  F(TIFFOpenOptionsSetMaxSingleMemAlloc)                                                                     \
  F(TIFFClientOpenExt)                                                                                       \
  F(TIFFClose)                                                                                               \
  F(TIFFGetField)                                                                                            \
  F(TIFFGetFieldDefaulted)                                                                                   \
  F(TIFFSetField)                                                                                            \
  F(TIFFIsTiled)                                                                                             \
  F(TIFFSetDirectory)                                                                                        \
  F(TIFFReadDirectory)                                                                                       \
  F(TIFFScanlineSize64)                                                                                      \
  F(TIFFTileRowSize64)                                                                                       \
  F(TIFFComputeStrip)                                                                                        \
  F(TIFFComputeTile)                                                                                         \
  F(TIFFReadEncodedStrip)                                                                                    \
  F(TIFFReadEncodedTile)                                                                                     \
  F(TIFFWriteEncodedStrip)

typedef struct tiff_calls {
  FUNCTIONS(PM_CODEC_POINTER)
} tiff_calls;

/* One page of samples as the file has them. */
typedef struct tiff_page {
  uint32_t rows, columns, chunk_rows, chunk_columns; /* a chunk is a strip or a tile */
  uint16_t bits, channels, sample_format, photometric, planes, compression, orientation;
  bool tiled;
  pm_scalar scalar;
} tiff_page;

typedef struct tiff_job {
  tiff_calls lib;
  TIFF *tiff;
  pm_bytes in;   /* of a reader */
  pm_buf *bytes; /* of a writer: the file begins at `base` */
  size_t base;
  uint64_t at;   /* the place in the file */
  bool decoding; /* a warning is an error: the samples are damaged */
  pm_buf why;    /* the library's first error */
  pm_buf *error;
} tiff_job;

/* --- the file in memory --- */

static uint64_t file_size(thandle_t handle) {
  tiff_job *job = handle;
  return job->bytes ? job->bytes->len - job->base : job->in.len;
}

static tmsize_t on_read(thandle_t handle, void *out, tmsize_t n) {
  tiff_job *job = handle;
  const unsigned char *data = job->bytes ? (unsigned char *)job->bytes->data + job->base : job->in.data;
  uint64_t size = file_size(job), left = job->at < size ? size - job->at : 0;
  if ((uint64_t)n > left) n = (tmsize_t)left;
  if (n > 0) memcpy(out, data + job->at, (size_t)n);
  job->at += (uint64_t)n;
  return n;
}

static tmsize_t on_write(thandle_t handle, void *data, tmsize_t n) {
  tiff_job *job = handle;
  if (!job->bytes) return -1;
  pm_put_at(job->bytes, job->base + (size_t)job->at, data, (size_t)n);
  job->at += (uint64_t)n;
  return n;
}

static toff_t on_seek(thandle_t handle, toff_t offset, int whence) {
  tiff_job *job = handle;
  uint64_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? job->at : file_size(job);
  return job->at = from + offset;
}

static int on_close(thandle_t handle) {
  (void)handle;
  return 0;
}

/* --- errors --- */

static int on_error(TIFF *tiff, void *data, const char *module, const char *format, va_list args) {
  tiff_job *job = data;
  (void)tiff, (void)module;
  if (job->why.len) return 1;
  pm_buf_vprintf(&job->why, format, args);
  for (size_t i = 0; i < job->why.len; i++)
    if (job->why.data[i] == '\n') job->why.data[i] = ' ';
  return 1;
}

/* A damaged stream of JPEG or a fax is a warning of libtiff; "Old-style LZW codes" are none. */
static int on_warning(TIFF *tiff, void *data, const char *module, const char *format, va_list args) {
  const tiff_job *job = data;
  if (!job->decoding || strncmp(format, "Old-style", 9) == 0) return 1;
  return on_error(tiff, data, module, format, args);
}

static bool library_failed(tiff_job *job) {
  return pm_failf(job->error, "%s", job->why.len ? job->why.data : "libtiff cannot, and gives no reason");
}

static bool open_job(tiff_job *job, const char *mode) {
  static const char *const names[] = {FUNCTIONS(PM_CODEC_NAME)};
  if (!pm_open_codec_library(PM_TIFF_LIBRARY, names, PM_COUNT(names), &job->lib, job->error)) return false;
  TIFFOpenOptions *options = job->lib.TIFFOpenOptionsAlloc();
  if (!options) pm_out_of_memory();
  job->lib.TIFFOpenOptionsSetErrorHandlerExtR(options, on_error, job);
  job->lib.TIFFOpenOptionsSetWarningHandlerExtR(options, on_warning, job);
  if (!job->bytes) job->lib.TIFFOpenOptionsSetMaxSingleMemAlloc(options, (tmsize_t)pm_most_of(&job->in));
  job->tiff = job->lib.TIFFClientOpenExt("TIFF", mode, job, on_read, on_write, on_seek, on_close, file_size,
                                         NULL, NULL, options);
  job->lib.TIFFOpenOptionsFree(options);
  return job->tiff || library_failed(job);
}

static void close_job(tiff_job *job) {
  if (job->tiff) job->lib.TIFFClose(job->tiff);
  pm_buf_free(&job->why);
}

/* --- what a page has --- */

static const struct {
  pm_scalar scalar;
  uint16_t bits, format;
} types[] = {
    {PM_U8, 8, SAMPLEFORMAT_UINT},     {PM_U16, 16, SAMPLEFORMAT_UINT},   {PM_U32, 32, SAMPLEFORMAT_UINT},
    {PM_U64, 64, SAMPLEFORMAT_UINT},   {PM_I8, 8, SAMPLEFORMAT_INT},      {PM_I16, 16, SAMPLEFORMAT_INT},
    {PM_I32, 32, SAMPLEFORMAT_INT},    {PM_I64, 64, SAMPLEFORMAT_INT},    {PM_F16, 16, SAMPLEFORMAT_IEEEFP},
    {PM_F32, 32, SAMPLEFORMAT_IEEEFP}, {PM_F64, 64, SAMPLEFORMAT_IEEEFP}, {PM_INDEX, 64, SAMPLEFORMAT_INT}};

static bool find_scalar(tiff_page *page, pm_buf *error) {
  uint16_t format = page->sample_format == SAMPLEFORMAT_VOID ? SAMPLEFORMAT_UINT : page->sample_format;
  uint16_t bits = page->bits;
  if (format == SAMPLEFORMAT_UINT && bits >= 1 && bits < 16) bits = bits <= 8 ? 8 : 16;
  for (size_t i = 0; i < PM_COUNT(types); i++)
    if (types[i].bits == bits && types[i].format == format) {
      page->scalar = types[i].scalar;
      return true;
    }
  static const char *const kinds[] = {"unsigned numbers", "signed numbers", "floats"};
  return pm_failf(error, "its samples are %s of %u bits; convert it to 8, 16 or 32 bits",
                  format >= 1 && format <= 3 ? kinds[format - 1] : "complex numbers", page->bits);
}

static bool is_unsigned(const tiff_page *page) {
  return !pm_get_scalar_info(page->scalar)->is_float && !pm_get_scalar_info(page->scalar)->is_signed;
}

/* Of what colours the samples are; JPEG's are made RGB. */
static bool check_colours(tiff_job *job, const tiff_page *page) {
  switch (page->photometric) {
  case PHOTOMETRIC_MINISBLACK:
  case PHOTOMETRIC_RGB:
  case PHOTOMETRIC_CFA:
  case 34892: /* linear raw, of DNG */
    return true;
  case PHOTOMETRIC_MINISWHITE:
    return is_unsigned(page) || pm_failf(job->error, "its white is 0, but its samples are no unsigned "
                                                     "numbers; convert it to a file whose black is 0");
  case PHOTOMETRIC_PALETTE:
    return (page->bits <= 8 && page->channels == 1 && is_unsigned(page)) ||
           pm_failf(job->error, "its palette is not for one channel of up to 8 bits; " PM_TO_RGB);
  case PHOTOMETRIC_YCBCR:
    if (page->compression == COMPRESSION_JPEG && page->planes == PLANARCONFIG_CONTIG &&
        job->lib.TIFFSetField(job->tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB))
      return true;
    return pm_failf(job->error, "its colours are YCbCr; " PM_TO_RGB);
  case PHOTOMETRIC_SEPARATED:
    return pm_failf(job->error, "its colours are inks (CMYK); " PM_TO_RGB);
  default:
    return pm_failf(job->error, "its colours are of kind %u (PhotometricInterpretation); " PM_TO_RGB,
                    page->photometric);
  }
}

static bool read_page_header(tiff_job *job, tiff_page *page) {
  tiff_calls *lib = &job->lib;
  TIFF *t = job->tiff;
  uint32_t depth = 1;
  *page = (tiff_page){.photometric = PHOTOMETRIC_MINISBLACK, .tiled = lib->TIFFIsTiled(t)};
  if (!lib->TIFFGetField(t, TIFFTAG_IMAGELENGTH, &page->rows) ||
      !lib->TIFFGetField(t, TIFFTAG_IMAGEWIDTH, &page->columns) || !page->rows || !page->columns)
    return pm_failf(job->error, "it has no size");
  if (page->rows > INT32_MAX || page->columns > INT32_MAX)
    return pm_failf(job->error, "its size is above 2^31 - 1 rows or columns");
  lib->TIFFGetFieldDefaulted(t, TIFFTAG_BITSPERSAMPLE, &page->bits);
  lib->TIFFGetFieldDefaulted(t, TIFFTAG_SAMPLESPERPIXEL, &page->channels);
  lib->TIFFGetFieldDefaulted(t, TIFFTAG_SAMPLEFORMAT, &page->sample_format);
  lib->TIFFGetFieldDefaulted(t, TIFFTAG_PLANARCONFIG, &page->planes);
  lib->TIFFGetFieldDefaulted(t, TIFFTAG_COMPRESSION, &page->compression);
  lib->TIFFGetFieldDefaulted(t, TIFFTAG_ORIENTATION, &page->orientation);
  lib->TIFFGetFieldDefaulted(t, TIFFTAG_IMAGEDEPTH, &depth);
  lib->TIFFGetField(t, TIFFTAG_PHOTOMETRIC, &page->photometric);
  if (depth != 1) return pm_failf(job->error, "it has a depth of %u; convert it to pages", depth);
  if (!page->channels) return pm_failf(job->error, "it has no channels");
  if (page->tiled) {
    lib->TIFFGetField(t, TIFFTAG_TILELENGTH, &page->chunk_rows);
    lib->TIFFGetField(t, TIFFTAG_TILEWIDTH, &page->chunk_columns);
  } else {
    lib->TIFFGetFieldDefaulted(t, TIFFTAG_ROWSPERSTRIP, &page->chunk_rows);
    page->chunk_columns = page->columns;
    if (page->chunk_rows > page->rows) page->chunk_rows = page->rows;
  }
  if (!page->chunk_rows || !page->chunk_columns)
    return pm_failf(job->error, "its strips or tiles have no size");
  return find_scalar(page, job->error) && check_colours(job, page);
}

/* A thumbnail, a level of a pyramid or a mask. */
static bool is_reduced(tiff_job *job) {
  uint32_t kind = 0;
  job->lib.TIFFGetFieldDefaulted(job->tiff, TIFFTAG_SUBFILETYPE, &kind);
  return kind & (FILETYPE_REDUCEDIMAGE | FILETYPE_MASK);
}

/* --- from samples to elements --- */

/* Where the samples of a page go: element (y, x) of channel 0 is at (y * columns + x) * step + first. */
typedef struct tiff_target {
  char *data;
  int64_t columns, step, first;
} tiff_target;

static void copy_samples(const unsigned char *in, char *out, int64_t n, int64_t channels, int64_t step,
                         size_t bytes) {
  if (channels == step) {
    memcpy(out, in, (size_t)(n * channels) * bytes);
    return;
  }
  for (int64_t i = 0; i < n; i++)
    memcpy(out + (size_t)(i * step) * bytes, in + (size_t)(i * channels) * bytes, (size_t)channels * bytes);
}

/* Samples of `bits` that follow each other without gaps, the high bit first. */
static void unpack_samples(const unsigned char *in, char *out, int64_t n, int64_t channels, int64_t step,
                           unsigned bits) {
  unsigned held = 0;
  uint32_t buffer = 0;
  for (int64_t i = 0; i < n * channels; i++) {
    for (; held < bits; held += 8) buffer = buffer << 8 | *in++;
    held -= bits;
    unsigned value = buffer >> held & ((1u << bits) - 1);
    int64_t to = i / channels * step + i % channels;
    if (bits < 8)
      ((uint8_t *)out)[to] = (uint8_t)value;
    else
      ((uint16_t *)out)[to] = (uint16_t)value;
  }
}

static void put_row(const tiff_page *page, const unsigned char *in, const tiff_target *to, int64_t y,
                    int64_t x, int64_t n, int64_t channel) {
  size_t bytes = pm_scalar_bytes(page->scalar);
  int64_t channels = page->planes == PLANARCONFIG_SEPARATE ? 1 : page->channels;
  char *out = to->data + (size_t)((y * to->columns + x) * to->step + to->first + channel) * bytes;
  if (page->bits == 8 * bytes)
    copy_samples(in, out, n, channels, to->step, bytes);
  else
    unpack_samples(in, out, n, channels, to->step, page->bits);
}

static int64_t at_most(int64_t a, int64_t b) {
  return a < b ? a : b;
}

/* The strip or tile at (y, x) of a plane. */
static bool read_chunk(tiff_job *job, const tiff_page *page, pm_array *buffer, const tiff_target *to,
                       int64_t y, int64_t x, uint16_t plane) {
  tiff_calls *lib = &job->lib;
  int64_t rows = at_most(page->chunk_rows, page->rows - y), row_bytes = buffer->extents[1];
  int64_t want = (page->tiled ? page->chunk_rows : rows) * row_bytes, got;
  if (page->tiled)
    got = lib->TIFFReadEncodedTile(
        job->tiff, lib->TIFFComputeTile(job->tiff, (uint32_t)x, (uint32_t)y, 0, plane), buffer->data, want);
  else
    got = lib->TIFFReadEncodedStrip(job->tiff, lib->TIFFComputeStrip(job->tiff, (uint32_t)y, plane),
                                    buffer->data, want);
  if (got != want || job->why.len) return library_failed(job);
  for (int64_t r = 0; r < rows; r++)
    put_row(page, (const unsigned char *)buffer->data + (size_t)(r * row_bytes), to, y + r, x,
            at_most(page->chunk_columns, page->columns - x), plane);
  return true;
}

static bool read_chunks(tiff_job *job, const tiff_page *page, pm_array *buffer, const tiff_target *to) {
  uint16_t planes = page->planes == PLANARCONFIG_SEPARATE ? page->channels : 1;
  for (uint16_t plane = 0; plane < planes; plane++)
    for (int64_t y = 0; y < page->rows; y += page->chunk_rows)
      for (int64_t x = 0; x < page->columns; x += page->chunk_columns)
        if (!read_chunk(job, page, buffer, to, y, x, plane)) return false;
  return true;
}

/* Bytes of a row of a chunk must hold its samples: the library computes them from tags of its own. */
static bool read_page(tiff_job *job, const tiff_page *page, const tiff_target *to) {
  uint64_t row = page->tiled ? job->lib.TIFFTileRowSize64(job->tiff) : job->lib.TIFFScanlineSize64(job->tiff);
  uint64_t channels = page->planes == PLANARCONFIG_SEPARATE ? 1 : page->channels;
  if (job->why.len || row < (page->chunk_columns * channels * page->bits + 7) / 8 ||
      row > INT64_MAX / INT32_MAX)
    return pm_failf(job->error, "the size of its strips or tiles does not fit its samples");
  pm_array buffer = {.scalar = PM_U8, .rank = 2, .extents = {page->chunk_rows, (int64_t)row}};
  if (!pm_may_take(&job->in, pm_array_bytes(&buffer), job->error) || !pm_array_allocate(&buffer, job->error))
    return false;
  job->decoding = true;
  bool ok = read_chunks(job, page, &buffer, to);
  job->decoding = false;
  pm_array_release(&buffer);
  return ok;
}

/* --- pages --- */

static bool same_page(const tiff_page *a, const tiff_page *b) {
  return a->rows == b->rows && a->columns == b->columns && a->bits == b->bits && a->scalar == b->scalar &&
         a->photometric == b->photometric && a->orientation == b->orientation;
}

/* The first page, or the one behind the last, that is not reduced. False without a message if there is none.
 */
static bool next_page(tiff_job *job, bool first) {
  bool found = first ? job->lib.TIFFSetDirectory(job->tiff, 0) : job->lib.TIFFReadDirectory(job->tiff);
  while (found && is_reduced(job)) found = job->lib.TIFFReadDirectory(job->tiff);
  return found && !job->why.len;
}

/* The picture is the first page and those like it, which are gray. libtiff compares each page with those
 * before, so their number is bounded. */
static bool count_pages(tiff_job *job, tiff_page *first, int64_t *n) {
  enum { MOST = 20000 };
  tiff_page page;
  if (!next_page(job, true))
    return job->why.len ? library_failed(job) : pm_failf(job->error, "it has only small copies of a picture");
  if (!read_page_header(job, first)) return false;
  for (*n = 1; next_page(job, false);) {
    if (++*n > MOST) return pm_failf(job->error, "it has more than %d pages; " PM_TO_PAGES, MOST);
    if (!read_page_header(job, &page)) return false;
    if (!same_page(first, &page))
      return pm_failf(job->error, "page %lld differs from the first in size or type; " PM_TO_PAGES,
                      (long long)*n);
    if (page.channels > 1 || page.photometric == PHOTOMETRIC_PALETTE)
      return pm_failf(job->error, "it has several pages in colour; " PM_TO_PAGES);
  }
  if (*n > 1 && first->channels > 1)
    return pm_failf(job->error, "it has several pages in colour; " PM_TO_PAGES);
  return !job->why.len || library_failed(job);
}

static bool read_pages(tiff_job *job, const tiff_page *first, int64_t n, pm_array *out) {
  tiff_target to = {.data = out->data, .columns = first->columns, .step = n > 1 ? n : first->channels};
  for (; to.first < n; to.first++) {
    tiff_page page;
    if (!next_page(job, to.first == 0)) return library_failed(job);
    if (!read_page_header(job, &page) || !read_page(job, &page, &to)) return false;
  }
  return true;
}

/* --- what the samples mean --- */

static void stretch(const tiff_page *page, pm_array *a) {
  unsigned most = (1u << page->bits) - 1;
  int64_t n = pm_array_count(a);
  for (int64_t i = 0; i < n; i++)
    if (a->scalar == PM_U8)
      ((uint8_t *)a->data)[i] = (uint8_t)((((uint8_t *)a->data)[i] * 255u + most / 2) / most);
    else
      ((uint16_t *)a->data)[i] = (uint16_t)((((uint16_t *)a->data)[i] * 65535u + most / 2) / most);
}

/* Of unsigned elements. */
static void turn_white_to_black(pm_array *a) {
  unsigned char *data = a->data;
  for (int64_t i = 0, n = pm_array_bytes(a); i < n; i++) data[i] = (unsigned char)~data[i];
}

/* Entries have 16 bits; old files have 8 in them. */
static bool apply_palette(tiff_job *job, const uint16_t *const map[3], unsigned bits, pm_array *a) {
  pm_array colours = {.scalar = PM_U8, .rank = 3, .extents = {a->extents[0], a->extents[1], 3}};
  unsigned shift = 0;
  for (size_t i = 0; i < (size_t)3 << bits; i++)
    if (map[i >> bits][i & ((1u << bits) - 1)] > 255) shift = 8;
  if (!pm_array_allocate(&colours, job->error)) return false;
  for (int64_t i = 0; i < pm_array_count(&colours); i++)
    ((uint8_t *)colours.data)[i] = (uint8_t)(map[i % 3][((uint8_t *)a->data)[i / 3]] >> shift);
  pm_array_release(a);
  *a = colours;
  return true;
}

static bool find_colours(tiff_job *job, const tiff_page *page, pm_array *a) {
  uint16_t *map[3];
  if (page->photometric == PHOTOMETRIC_PALETTE) {
    if (!job->lib.TIFFGetField(job->tiff, TIFFTAG_COLORMAP, &map[0], &map[1], &map[2]))
      return pm_failf(job->error, "it has no palette");
    return apply_palette(job, (const uint16_t *const[]){map[0], map[1], map[2]}, page->bits, a);
  }
  if (page->bits != 8 * pm_scalar_bytes(page->scalar)) stretch(page, a);
  if (page->photometric == PHOTOMETRIC_MINISWHITE) turn_white_to_black(a);
  return true;
}

static bool turn_upright(const tiff_page *page, pm_array *a, pm_buf *error) {
  pm_array upright;
  if (page->orientation == ORIENTATION_TOPLEFT) return true;
  if (!pm_turn_upright(a, page->orientation, &upright, error)) return false;
  pm_array_release(a);
  *a = upright;
  return true;
}

static bool read_picture(tiff_job *job, pm_array *out) {
  tiff_page first;
  int64_t pages = 0;
  if (!count_pages(job, &first, &pages)) return false;
  int64_t channels = pages > 1 ? pages : first.channels;
  *out = (pm_array){
      .scalar = first.scalar, .rank = channels > 1 ? 3 : 2, .extents = {first.rows, first.columns, channels}};
  pm_array whole = *out;
  if (first.photometric == PHOTOMETRIC_PALETTE) whole.rank = 3, whole.extents[2] = 3;
  return pm_may_take(&job->in, pm_array_bytes(&whole), job->error) && pm_array_allocate(out, job->error) &&
         read_pages(job, &first, pages, out) && find_colours(job, &first, out) &&
         turn_upright(&first, out, job->error);
}

static bool tiff_read(pm_bytes in, pm_array *out, pm_buf *error) {
  tiff_job job = {.in = in, .error = error};
  *out = (pm_array){0};
  bool ok = open_job(&job, "r") && read_picture(&job, out);
  close_job(&job);
  if (!ok) pm_array_release(out);
  return ok;
}

/* --- writing --- */

/* The row of `types` for the array's elements. */
static bool find_type(const pm_array *a, size_t *row, pm_buf *error) {
  for (*row = 0; *row < PM_COUNT(types); ++*row)
    if (types[*row].scalar == a->scalar) return true;
  return pm_failf(error, "a TIFF does not hold %s; give --scale-out=none or write a .npy",
                  pm_get_scalar_info(a->scalar)->name);
}

static bool check_writable(const pm_array *a, pm_buf *error) {
  int64_t channels = pm_channels(a);
  if (a->rank != 2 && a->rank != 3)
    return pm_failf(error, "a TIFF has rows, columns and channels, not %u dimensions; a .npy has any",
                    a->rank);
  if (pm_array_count(a) == 0) return pm_failf(error, "a TIFF cannot be empty; a .npy can");
  if (channels > UINT16_MAX)
    return pm_failf(error, "a TIFF has at most 65535 channels, not %lld; a .npy has any number",
                    (long long)channels);
  return (a->extents[0] <= INT32_MAX && a->extents[1] <= INT32_MAX) ||
         pm_failf(error, "a TIFF has at most 2^31 - 1 rows and columns");
}

/* Two and four channels are gray and colours with alpha; other channels behind the colours have no meaning.
 */
static void set_channels(tiff_job *job, uint16_t channels) {
  uint16_t colours = channels == 3 || channels == 4 ? 3 : 1, extra = (uint16_t)(channels - colours);
  uint16_t *kinds = pm_xcalloc((size_t)extra + 1, sizeof *kinds);
  for (uint16_t i = 0; i < extra; i++)
    kinds[i] = channels == 2 || channels == 4 ? EXTRASAMPLE_UNASSALPHA : EXTRASAMPLE_UNSPECIFIED;
  job->lib.TIFFSetField(job->tiff, TIFFTAG_SAMPLESPERPIXEL, channels);
  job->lib.TIFFSetField(job->tiff, TIFFTAG_PHOTOMETRIC,
                        colours == 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK);
  if (extra) job->lib.TIFFSetField(job->tiff, TIFFTAG_EXTRASAMPLES, extra, kinds);
  free(kinds);
}

/* Not compressed, in strips of about 256 kB: other programs can map such a file or read parts of it. */
static bool write_strips(tiff_job *job, const pm_array *a, size_t type) {
  enum { STRIP_BYTES = 1 << 18 };
  size_t row = (size_t)(a->extents[1] * pm_channels(a)) * pm_scalar_bytes(a->scalar);
  uint32_t rows = row >= STRIP_BYTES ? 1 : (uint32_t)(STRIP_BYTES / row), strip = 0;
  tiff_calls *lib = &job->lib;
  lib->TIFFSetField(job->tiff, TIFFTAG_IMAGELENGTH, (uint32_t)a->extents[0]);
  lib->TIFFSetField(job->tiff, TIFFTAG_IMAGEWIDTH, (uint32_t)a->extents[1]);
  lib->TIFFSetField(job->tiff, TIFFTAG_BITSPERSAMPLE, types[type].bits);
  lib->TIFFSetField(job->tiff, TIFFTAG_SAMPLEFORMAT, types[type].format);
  set_channels(job, (uint16_t)pm_channels(a));
  lib->TIFFSetField(job->tiff, TIFFTAG_COMPRESSION, COMPRESSION_NONE);
  lib->TIFFSetField(job->tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
  lib->TIFFSetField(job->tiff, TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT);
  lib->TIFFSetField(job->tiff, TIFFTAG_ROWSPERSTRIP, rows);
  for (int64_t y = 0; y < a->extents[0]; y += rows, strip++) {
    tmsize_t n = (tmsize_t)(row * (size_t)at_most(rows, a->extents[0] - y));
    if (lib->TIFFWriteEncodedStrip(job->tiff, strip, (char *)a->data + (size_t)y * row, n) != n)
      return library_failed(job);
  }
  return true;
}

/* Offsets have 32 bits, and 64 in a BigTIFF, which fewer programs read. */
static bool tiff_write(const pm_array *array, pm_buf *bytes, pm_buf *error) {
  tiff_job job = {.bytes = bytes, .base = bytes->len, .error = error};
  const int64_t headers = 1 << 26;
  size_t type;
  if (!check_writable(array, error) || !find_type(array, &type, error)) return false;
  bool big = pm_array_bytes(array) > UINT32_MAX - headers;
  bool ok = open_job(&job, big ? "w8" : "w") && write_strips(&job, array, type);
  TIFF *tiff = job.tiff;
  job.tiff = NULL;
  if (tiff) job.lib.TIFFClose(tiff); /* writes the directory */
  ok = ok && (!job.why.len || library_failed(&job));
  close_job(&job);
  return ok;
}

const pm_image_format pm_format_tiff = {
    .name = "TIFF",
    .content = PM_IMAGE_VALUES,
    .ends = {".tif", ".tiff"},
    .magics = {PM_MAGIC("II*\0"), PM_MAGIC("MM\0*"), PM_MAGIC("II+\0"), PM_MAGIC("MM\0+")},
    .read = tiff_read,
    .write = tiff_write};
