/* Image files: what is written reads back, what is broken is refused with one message. */
#include "tools/lib/images/convert.h"
#include "tools/lib/images/image_format.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static pm_array make_array(pm_scalar scalar, unsigned rank, int64_t a, int64_t b, int64_t c) {
  pm_array array = {.scalar = scalar, .rank = rank, .extents = {a, b, c}};
  pm_buf error = {0};
  assert_true(pm_array_allocate(&array, &error));
  unsigned char *bytes = array.data;
  for (int64_t i = 0; i < pm_array_bytes(&array); i++) bytes[i] = (unsigned char)(i * 37 + i / 256);
  return array;
}

static const pm_picture_limit default_limit = {0};

static void assert_same_arrays(const pm_array *a, const pm_array *b) {
  assert_int_equal(a->scalar, b->scalar);
  assert_int_equal(a->rank, b->rank);
  for (unsigned i = 0; i < a->rank; i++) assert_int_equal(a->extents[i], b->extents[i]);
  assert_memory_equal(a->data, b->data, (size_t)pm_array_bytes(a));
}

static const struct {
  const pm_image_format *format;
  pm_scalar scalar;
  unsigned rank;
  int64_t extents[3];
} round_trips[] = {
    {&pm_format_png, PM_U8, 2, {3, 5, 0}},   {&pm_format_png, PM_U8, 3, {3, 5, 3}},
    {&pm_format_png, PM_U8, 3, {7, 2, 4}},   {&pm_format_png, PM_U16, 2, {1, 1, 0}},
    {&pm_format_png, PM_U16, 3, {4, 4, 3}},  {&pm_format_png, PM_U16, 3, {4, 9, 2}},
    {&pm_format_pnm, PM_U8, 2, {3, 5, 0}},   {&pm_format_pnm, PM_U8, 3, {2, 5, 3}},
    {&pm_format_pnm, PM_U16, 2, {3, 5, 0}},  {&pm_format_pnm, PM_U16, 3, {1, 1, 3}},
    {&pm_format_pfm, PM_F32, 2, {3, 5, 0}},  {&pm_format_pfm, PM_F32, 3, {2, 5, 3}},
    {&pm_format_tiff, PM_U8, 2, {3, 5, 0}},  {&pm_format_tiff, PM_U16, 3, {300, 257, 3}},
    {&pm_format_tiff, PM_F64, 3, {2, 5, 7}}, {&pm_format_tiff, PM_I64, 2, {3, 1, 0}},
    {&pm_format_tiff, PM_F16, 3, {2, 3, 2}}, {&pm_format_tiff, PM_I8, 2, {1, 9, 0}},
    {&pm_format_exr, PM_F32, 2, {3, 5, 0}},  {&pm_format_exr, PM_F16, 3, {40, 3, 4}},
    {&pm_format_exr, PM_U32, 3, {2, 3, 6}},  {&pm_format_npy, PM_F64, 3, {2, 5, 3}},
    {&pm_format_npy, PM_I64, 1, {17, 0, 0}}, {&pm_format_npy, PM_U8, 2, {0, 4, 0}},
    {&pm_format_npy, PM_I16, 0, {0, 0, 0}},
};

static void written_files_read_back(void **state) {
  (void)state;
  for (size_t i = 0; i < PM_COUNT(round_trips); i++) {
    const int64_t *e = round_trips[i].extents;
    pm_array in = make_array(round_trips[i].scalar, round_trips[i].rank, e[0], e[1], e[2]), out;
    pm_buf bytes = {0}, error = {0};
    const pm_image_format *format;
    assert_true(pm_image_encode(round_trips[i].format, "x", &in, &bytes, &error));
    assert_true(pm_image_decode("x", bytes.data, bytes.len, default_limit, &out, &format, &error));
    assert_ptr_equal(format, round_trips[i].format);
    assert_same_arrays(&in, &out);
    pm_array_release(&in);
    pm_array_release(&out);
    pm_buf_free(&bytes);
  }
}

/* Of a TIFF the place of the next page, which there is none of, ends the file. */
static void assert_whole(const pm_array *in, const pm_array *out, size_t missing) {
  assert_same_arrays(in, out);
  assert_true(missing <= 4);
}

/* Every proper beginning of a file is an error, unless it has all values, and none crashes. */
static void truncated_files_are_errors(void **state) {
  (void)state;
  for (size_t i = 0; i < PM_COUNT(round_trips); i++) {
    const int64_t *e = round_trips[i].extents;
    pm_array in = make_array(round_trips[i].scalar, round_trips[i].rank, e[0], e[1], e[2]), out;
    pm_buf bytes = {0}, error = {0};
    assert_true(pm_image_encode(round_trips[i].format, "x", &in, &bytes, &error));
    for (size_t len = 0; len < bytes.len; len += 1 + bytes.len / 2000) {
      char *copy = malloc(len + 1);
      memcpy(copy, bytes.data, len);
      if (pm_image_decode("x", copy, len, default_limit, &out, NULL, &error)) {
        assert_whole(&in, &out, bytes.len - len);
        pm_array_release(&out);
      } else {
        assert_non_null(strstr(error.data, "'x'"));
      }
      free(copy);
    }
    pm_array_release(&in);
    pm_buf_free(&bytes);
    pm_buf_free(&error);
  }
}

static const struct {
  const char *text;
  const char *message; /* a part of it */
} bad_files[] = {
    {"", "'x' is empty"},
    {"GIF89a", "none of PNG"},
    {"P5\n0 4\n255\n", "size is 0"},
    {"P5\n4 4\n65536\n", "maximum is above 65535"},
    {"P5\n4 4\n0\n", "maximum is 0"},
    {"P5\n99999999999 4\n255\n", "width is above"},
    {"P5\n2147483647 2147483647\n255\nx", "truncated"},
    {"P6\n2147483647 2147483647\n65535\nx", "does not fit 62 bits"},
    {"P2\n2 1\n255\n7 300", "above 255"},
    {"P2\n2 1\n255\n7 x", "not a number"},
    {"P5\n1 1\n10\n\x20", "above the maximum 10"},
    {"Pf\n1 1\n0\nabcd", "scale"},
    {"Pf\n1 1\nx\nabcd", "scale"},
    {"Pf\n1 1\nnan\nabcd", "scale is 'nan'"},
    {"Pf\n1 1\n-inf\nabcd", "scale is '-inf'"},
    {"Pf\n1 1\n1e999\nabcd", "scale is '1e999'"},
};

static void bad_files_are_named(void **state) {
  (void)state;
  for (size_t i = 0; i < PM_COUNT(bad_files); i++) {
    pm_array out;
    pm_buf error = {0};
    assert_false(pm_image_decode("x", bad_files[i].text, strlen(bad_files[i].text), default_limit, &out, NULL,
                                 &error));
    if (!strstr(error.data, bad_files[i].message)) fail_msg("row %zu: %s", i, error.data);
    pm_buf_free(&error);
  }
}

static const struct {
  const char *header;
  const char *message;
} bad_npy[] = {
    {"{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1,), }", "neither True nor False"},
    {"{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }", "none of"},
    {"{'descr': '<f16', 'fortran_order': False, 'shape': (1,), }", "not a plain number"},
    {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", "records"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", "no number"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1), }",
     "more than 16"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999, 99999999999999), }", "62 bits"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000,), }", "truncated"},
    {"{'descr': '<f8', 'fortran_order': False}", "lacks"},
    {"{'shape': (1,), 'shape': (1,), 'shape': (1,)}", "has shape twice"},
    {"{'descr': '<f8', 'descr': '<f8', 'shape': (1,)}", "has descr twice"},
    {"{'descr': '<f8', 'fortran", "malformed"},
    {"[]", "not a dictionary"},
};

static void bad_npy_headers_are_named(void **state) {
  (void)state;
  for (size_t i = 0; i < PM_COUNT(bad_npy); i++) {
    pm_array out;
    pm_buf file = {0}, error = {0};
    size_t n = strlen(bad_npy[i].header);
    pm_buf_put(&file, "\x93NUMPY\x01\x00", 8);
    pm_buf_put(&file, (const char[]){(char)n, 0}, 2);
    pm_buf_put(&file, bad_npy[i].header, n);
    pm_buf_put(&file, "abcd", 4);
    assert_false(pm_image_decode("x", file.data, file.len, default_limit, &out, NULL, &error));
    if (!strstr(error.data, bad_npy[i].message)) fail_msg("row %zu: %s", i, error.data);
    pm_buf_free(&file);
    pm_buf_free(&error);
  }
}

static void npy_of_any_order_is_read_exactly(void **state) {
  (void)state;
  static const char header[] = "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }";
  static const int16_t want[] = {1, 2, 3, 256, 257, 258};
  pm_array out;
  pm_buf file = {0}, error = {0};
  pm_buf_put(&file, "\x93NUMPY\x01\x00", 8);
  pm_buf_put(&file, (const char[]){(char)(sizeof header - 1), 0}, 2);
  pm_buf_puts(&file, header);
  pm_buf_put(&file, "\0\1\1\0\0\2\1\1\0\3\1\2", 12);
  assert_true(pm_image_decode("x", file.data, file.len, default_limit, &out, NULL, &error));
  assert_int_equal(out.scalar, PM_I16);
  assert_memory_equal(out.data, want, sizeof want);
  pm_array_release(&out);
  pm_buf_free(&file);
}

static pm_lane lane_of(pm_scalar scalar, double value) {
  pm_lane lane = {0};
  if (scalar == PM_F64)
    lane.d = value;
  else if (scalar == PM_F32)
    lane.f = (float)value;
  else
    lane.i = (int64_t)value;
  return lane;
}

static void exact_conversions_change_no_number(void **state) {
  (void)state;
  static const struct {
    pm_scalar from, to;
    double value;
    const char *message; /* NULL: it is held */
  } rows[] = {{PM_F64, PM_F32, 0.5, NULL},
              {PM_F64, PM_F32, 0.1, "the value 0.10000000000000001 at [0, 0], which f32 does not hold"},
              {PM_F64, PM_F32, INFINITY, NULL},
              {PM_F64, PM_F32, NAN, NULL},
              {PM_F32, PM_F64, 0.25, NULL},
              {PM_I64, PM_I32, -5, NULL},
              {PM_I64, PM_U8, -1, "the value -1 at [0, 0], which u8 does not hold"},
              {PM_I64, PM_I32, 2147483648.0, "the value 2147483648 at [0, 0], which i32 does not hold"},
              {PM_I32, PM_F32, 16777216, NULL},
              {PM_I32, PM_F32, 16777217, "the value 16777217 at [0, 0], which f32 does not hold"},
              {PM_F64, PM_I16, -7, NULL},
              {PM_F64, PM_I16, 1.5, "the value 1.5 at [0, 0], which i16 does not hold"},
              {PM_F64, PM_I64, 0x1p63, "the value 9.2233720368547758e+18 at [0, 0], which i64 does not hold"},
              {PM_U8, PM_I1, 1, NULL},
              {PM_U8, PM_I1, 2, "the value 2 at [0, 0], which i1 does not hold"}};
  for (size_t i = 0; i < PM_COUNT(rows); i++) {
    pm_array in = make_array(rows[i].from, 2, 1, 1, 0), out;
    pm_buf error = {0};
    pm_lane lane = lane_of(rows[i].from, rows[i].value);
    arith_store_lanes(rows[i].from, &lane, in.data, 1, 1);
    bool ok = pm_convert_exact(&in, rows[i].to, &out, &error);
    if (ok != !rows[i].message) fail_msg("row %zu: %s", i, ok ? "is held" : error.data);
    if (ok) {
      pm_array expected = out;
      pm_lane want = lane_of(rows[i].to, rows[i].value);
      pm_lane bytes[2] = {{.i = 0}, {.i = 0}};
      arith_store_lanes(rows[i].to, &want, bytes, 1, 1);
      expected.data = bytes;
      assert_same_arrays(&out, &expected);
      pm_array_release(&out);
    } else {
      assert_string_equal(error.data, rows[i].message);
    }
    pm_buf_free(&error);
    pm_array_release(&in);
  }
}

static void corrupt_png_is_one_message(void **state) {
  (void)state;
  pm_array in = make_array(PM_U8, 2, 40, 50, 0), out;
  pm_buf bytes = {0}, error = {0};
  assert_true(pm_image_encode(&pm_format_png, "x", &in, &bytes, &error));
  bytes.data[bytes.len / 2] ^= 0x55;
  assert_false(pm_image_decode("x", bytes.data, bytes.len, default_limit, &out, NULL, &error));
  assert_null(strchr(error.data, '\n'));
  pm_array_release(&in);
  pm_buf_free(&bytes);
  pm_buf_free(&error);
}

/* Every proper beginning, and a file with other bytes in its middle. */
static void damaged_jpeg_is_one_message(void **state) {
  (void)state;
  pm_array in = make_array(PM_U8, 3, 40, 50, 3), out;
  pm_buf bytes = {0}, error = {0};
  assert_true(pm_image_encode(&pm_format_jpeg, "x", &in, &bytes, &error));
  for (size_t len = bytes.len - 1; len > 3; len -= len > 40 ? 37 : 1) {
    assert_false(pm_image_decode("x", bytes.data, len, default_limit, &out, NULL, &error));
    assert_non_null(strstr(error.data, "cannot read 'x': "));
  }
  assert_true(pm_image_decode("x", bytes.data, bytes.len, default_limit, &out, NULL, &error));
  pm_array_release(&out);
  memcpy(bytes.data + bytes.len / 2, "\xff\xd9", 2);
  assert_false(pm_image_decode("x", bytes.data, bytes.len, default_limit, &out, NULL, &error));
  assert_null(strchr(error.data, '\n'));
  pm_array_release(&in);
  pm_buf_free(&bytes);
  pm_buf_free(&error);
}

/* 300 MB of zeros are a PNG of 1.3 MB. */
static void small_png_may_not_take_all_memory(void **state) {
  (void)state;
  pm_array in = {.scalar = PM_U8, .rank = 2, .extents = {300 << 10, 1 << 10}}, out;
  pm_buf bytes = {0}, error = {0};
  assert_true(pm_array_allocate(&in, &error));
  assert_true(pm_image_encode(&pm_format_png, "x", &in, &bytes, &error));
  pm_picture_limit option = {0, "--raise"}, raised = {320 * 1000000, NULL};
  assert_false(pm_image_decode("x", bytes.data, bytes.len, option, &out, NULL, &error));
  assert_non_null(strstr(error.data, "its header asks for"));
  assert_non_null(strstr(error.data, "; give --raise=315"));
  assert_true(pm_image_decode("x", bytes.data, bytes.len, raised, &out, NULL, &error));
  pm_array_release(&out);
  pm_array_release(&in);
  pm_buf_free(&bytes);
  pm_buf_free(&error);
}

static void text_pnm_with_comments_is_scaled(void **state) {
  (void)state;
  static const char text[] = "P3 # colour\n1 2 # size\n3\n0 1 2  3 3 0";
  pm_array out;
  pm_buf error = {0};
  assert_true(pm_image_decode("x", text, sizeof text - 1, default_limit, &out, NULL, &error));
  assert_memory_equal(out.data, ((const uint8_t[]){0, 85, 170, 255, 255, 0}), 6);
  pm_array_release(&out);
}

static void big_endian_pfm_is_read_bottom_up(void **state) {
  (void)state;
  static const char text[] = "Pf\n1 2\n1.0\n\x3f\x80\x00\x00\x40\x00\x00\x00";
  pm_array out;
  pm_buf error = {0};
  assert_true(pm_image_decode("x", text, sizeof text - 1, default_limit, &out, NULL, &error));
  assert_true(((float *)out.data)[0] == 2.0f && ((float *)out.data)[1] == 1.0f);
  pm_array_release(&out);
}

static void planar_and_interleaved_are_inverse(void **state) {
  (void)state;
  pm_array in = make_array(PM_U16, 3, 3, 5, 3), planar, back;
  pm_buf error = {0};
  assert_true(pm_to_planar(&in, &planar, &error));
  assert_int_equal(planar.extents[0], 3);
  assert_int_equal(planar.extents[1], 3);
  assert_int_equal(planar.extents[2], 5);
  assert_int_equal(((uint16_t *)planar.data)[15], ((uint16_t *)in.data)[1]);
  assert_true(pm_to_interleaved(&planar, &back, &error));
  assert_same_arrays(&in, &back);
  pm_array_release(&in);
  pm_array_release(&planar);
  pm_array_release(&back);
}

static void pads_are_as_named(void **state) {
  (void)state;
  static const struct {
    pm_pad_mode mode;
    uint8_t row[7];
  } rows[] = {{PM_PAD_ZERO, {0, 0, 1, 2, 3, 0, 0}},
              {PM_PAD_EDGE, {1, 1, 1, 2, 3, 3, 3}},
              {PM_PAD_MIRROR, {2, 1, 1, 2, 3, 3, 2}}};
  for (size_t i = 0; i < PM_COUNT(rows); i++) {
    pm_array in = make_array(PM_U8, 2, 1, 3, 0), out;
    pm_buf error = {0};
    memcpy(in.data, ((const uint8_t[]){1, 2, 3}), 3);
    assert_true(pm_pad(&in, 0, 2, rows[i].mode, &out, &error));
    assert_int_equal(out.extents[0], 5);
    assert_int_equal(out.extents[1], 7);
    assert_memory_equal((uint8_t *)out.data + 14, rows[i].row, 7);
    pm_array_release(&in);
    pm_array_release(&out);
  }
}

static void conversions_keep_or_scale(void **state) {
  (void)state;
  const pm_scale_in unit = {0};
  pm_array in = make_array(PM_U8, 2, 1, 2, 0), out;
  pm_buf error = {0};
  memcpy(in.data, ((const uint8_t[]){255, 51}), 2);
  assert_true(pm_convert(&in, PM_F32, &unit, &out, &error));
  assert_true(((float *)out.data)[0] == 1.0f && ((float *)out.data)[1] == 51 / 255.0f);
  pm_array_release(&out);
  assert_true(pm_convert(&in, PM_I32, &unit, &out, &error));
  assert_true(((int32_t *)out.data)[0] == 255);
  pm_array_release(&out);
  assert_false(pm_convert(&in, PM_I8, &unit, &out, &error));
  assert_string_equal(error.data, "the value 255, which i8 does not hold");
  pm_buf_free(&error);
  pm_array_release(&in);
  assert_true(pm_can_convert(PM_U16, PM_I16, &unit));
  assert_false(pm_can_convert(PM_U8, PM_I1, &unit));
  assert_false(pm_can_convert(PM_F32, PM_U8, &unit));
  assert_true(pm_can_convert(PM_F64, PM_F32, &unit));
  assert_true(pm_can_convert(PM_U8, PM_I16, &unit));
}

static void floats_become_the_range_of_integers(void **state) {
  (void)state;
  static const double from[] = {-1, 0, 0.25, 1, 9};
  static const int16_t want[] = {0, 0, 8192, 32767, 32767};
  const pm_scale_in full = {PM_SCALE_IN_FULL, 1};
  pm_array in = make_array(PM_F64, 2, 1, 5, 0), out;
  pm_buf error = {0};
  memcpy(in.data, from, sizeof from);
  assert_true(pm_convert(&in, PM_I16, &full, &out, &error));
  assert_memory_equal(out.data, want, sizeof want);
  pm_array_release(&out);
  pm_array_release(&in);
}

/* All are 1 or the greatest number, so the weights of gray must add up to it. */
static void gray_of_white_is_white(void **state) {
  (void)state;
  static const pm_scalar scalars[] = {PM_U8, PM_U16, PM_U32, PM_I8, PM_I16, PM_I32, PM_F16, PM_F32};
  for (size_t i = 0; i < PM_COUNT(scalars); i++) {
    pm_array in = make_array(scalars[i], 3, 1, 1, 4), out;
    pm_buf error = {0};
    size_t bytes = pm_scalar_bytes(scalars[i]);
    unsigned char white[8];
    pm_put_opaque(scalars[i], white);
    for (size_t c = 0; c < 3; c++) memcpy((char *)in.data + c * bytes, white, bytes);
    assert_true(pm_to_gray(&in, &out, &error));
    assert_memory_equal(out.data, white, bytes);
    pm_array_release(&out);
    pm_array_release(&in);
  }
}

static void too_much_memory_is_a_message(void **state) {
  (void)state;
  pm_array array = {.scalar = PM_F64, .rank = 2, .extents = {1000000000000, 1000000}};
  pm_buf error = {0};
  assert_false(pm_array_allocate(&array, &error));
  assert_non_null(strstr(error.data, "of memory"));
  array.extents[1] = 1000000000000;
  assert_false(pm_array_allocate(&array, &error));
  pm_buf_free(&error);
}

static const struct {
  const pm_image_format *format;
  pm_scalar scalar;
  unsigned rank;
  int64_t extents[3];
  const char *message;
} refused[] = {
    {&pm_format_png, PM_F32, 2, {1, 1, 0}, "not f32"},
    {&pm_format_png, PM_U8, 3, {2, 2, 5}, "1 to 4 channels"},
    {&pm_format_png, PM_U8, 2, {0, 4, 0}, "empty"},
    {&pm_format_pnm, PM_I32, 2, {1, 1, 0}, "not i32"},
    {&pm_format_tiff, PM_I1, 2, {1, 1, 0}, "does not hold i1"},
    {&pm_format_tiff, PM_U8, 1, {4, 0, 0}, "not 1 dimensions"},
    {&pm_format_tiff, PM_U8, 3, {1, 1, 70000}, "at most 65535 channels"},
    {&pm_format_exr, PM_F64, 2, {1, 1, 0}, "not f64; a .tif"},
    {&pm_format_jpeg, PM_U8, 3, {1, 1, 2}, "not 2; a .tif"},
    {&pm_format_jpeg, PM_U8, 2, {1, 70000, 0}, "at most 65500"},
    {&pm_format_jpeg, PM_F32, 2, {1, 1, 0}, "not f32; a .tif"},
    {&pm_format_pnm, PM_U8, 3, {1, 1, 4}, "1 or 3"},
    {&pm_format_pfm, PM_U8, 2, {1, 1, 0}, "not u8"},
};

static void what_a_format_cannot_hold_is_refused(void **state) {
  (void)state;
  for (size_t i = 0; i < PM_COUNT(refused); i++) {
    const int64_t *e = refused[i].extents;
    pm_array in = make_array(refused[i].scalar, refused[i].rank, e[0], e[1], e[2]);
    pm_buf bytes = {0}, error = {0};
    assert_false(pm_image_encode(refused[i].format, "x", &in, &bytes, &error));
    if (!strstr(error.data, refused[i].message)) fail_msg("row %zu: %s", i, error.data);
    pm_array_release(&in);
    pm_buf_free(&bytes);
    pm_buf_free(&error);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(written_files_read_back),
      cmocka_unit_test(truncated_files_are_errors),
      cmocka_unit_test(bad_files_are_named),
      cmocka_unit_test(bad_npy_headers_are_named),
      cmocka_unit_test(npy_of_any_order_is_read_exactly),
      cmocka_unit_test(exact_conversions_change_no_number),
      cmocka_unit_test(corrupt_png_is_one_message),
      cmocka_unit_test(damaged_jpeg_is_one_message),
      cmocka_unit_test(small_png_may_not_take_all_memory),
      cmocka_unit_test(text_pnm_with_comments_is_scaled),
      cmocka_unit_test(big_endian_pfm_is_read_bottom_up),
      cmocka_unit_test(planar_and_interleaved_are_inverse),
      cmocka_unit_test(pads_are_as_named),
      cmocka_unit_test(conversions_keep_or_scale),
      cmocka_unit_test(floats_become_the_range_of_integers),
      cmocka_unit_test(gray_of_white_is_white),
      cmocka_unit_test(too_much_memory_is_a_message),
      cmocka_unit_test(what_a_format_cannot_hold_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
