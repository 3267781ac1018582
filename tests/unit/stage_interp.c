/* The reference interpreter against plain loops, and its diagnostics. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/stage_pipelines.h"

/* --- values --- */

static const char blur[] =
    "stage.pipeline @p context #isl.set<\"[R, C] -> { : R >= 0 and C >= 0 }\"> {\n"
    "  %R = stage.param @R : i32\n"
    "  %C = stage.param @C : i32\n"
    "  stage.input @img : f32 on #isl.set<\"[R, C] -> { [i, j] : 0 <= i < R and 0 <= j < C }\">\n"
    "  stage.func @bx : f32 on #isl.set<\"[R, C] -> { [i, j] : 0 <= i < R and 0 <= j < C }\"> default 9.0 {\n"
    "    stage.case(%x, %y) on #isl.set<\"[R, C] -> { [i, j] : 0 <= i < R and 1 <= j < C - 1 }\"> {\n"
    "      %0 = stage.read @img[%x, %y - 1] : f32\n"
    "      %1 = stage.read @img[%x, %y + 1] : f32\n"
    "      %2 = arith.addf %0, %1 : f32\n"
    "      stage.yield %2 : f32\n"
    "    }\n"
    "  }\n"
    "  stage.func @by : f32 on #isl.set<\"[R, C] -> { [i, j] : 1 <= i < R - 1 and 0 <= j < C }\"> {\n"
    "    stage.case(%x, %y) on #isl.set<\"[R, C] -> { [i, j] : 1 <= i < R - 1 and 0 <= j < C }\"> {\n"
    "      %0 = stage.read @bx[%x - 1, -%y + %C - 1] : f32\n"
    "      %1 = stage.read @bx[%x + 1, %y] : f32\n"
    "      %2 = arith.subf %0, %1 : f32\n"
    "      stage.yield %2 : f32\n"
    "    }\n"
    "  }\n"
    "  stage.output @by\n"
    "}\n";

static float blurred_row(const float *img, int64_t cols, int64_t i, int64_t j) {
  return j < 1 || j >= cols - 1 ? 9.0f : img[i * cols + j - 1] + img[i * cols + j + 1];
}

static void check_blur(int64_t rows, int64_t cols) {
  fixture f = parse(blur);
  int64_t out_rows = rows > 2 ? rows - 2 : 0;
  if (cols == 0) out_rows = 0;
  float *img = calloc((size_t)(rows * cols + 1), sizeof *img),
        *out = calloc((size_t)(rows * cols + 1), sizeof *out);
  for (int64_t k = 0; k < rows * cols; k++) img[k] = (float)(k * 7 % 31);
  pm_array in = array2(PM_F32, rows && cols ? rows : 0, rows && cols ? cols : 0, img);
  if (!run_simple(&f, rows, cols, 2, &in, array2(PM_F32, out_rows, out_rows ? cols : 0, out)))
    fail_msg("%lldx%lld: %s", (long long)rows, (long long)cols, f.log.data);
  for (int64_t i = 0; i < out_rows; i++)
    for (int64_t j = 0; j < cols; j++)
      assert_true(out[i * cols + j] ==
                  blurred_row(img, cols, i, cols - 1 - j) - blurred_row(img, cols, i + 2, j));
  free(img);
  free(out);
  finish(&f);
}

static void test_boxes(void **state) {
  (void)state;
  static const int64_t sizes[] = {0, 1, 2, 3, 5, 47, 48, 49, 255, 256, 257, 258, 600};
  for (size_t i = 0; i < PM_COUNT(sizes); i++) {
    check_blur(sizes[i], 5);
    check_blur(4, sizes[i]);
  }
}

/* A stage of one case over a set, which writes 1000 x + y + 1, with a default of -1. */
static void check_set(const char *set, bool (*holds)(int64_t, int64_t)) {
  enum { N = 70 };
  static int32_t out[N * N];
  pm_buf text = {0};
  pm_buf_printf(
      &text,
      "stage.pipeline @p {\n  %%N = stage.param @N : i32\n"
      "  stage.func @f : i32 on #isl.set<\"[N] -> { [x, y] : 0 <= x < N and 0 <= y < N }\"> default -1 {\n"
      "    stage.case(%%x, %%y) on #isl.set<\"[N] -> { [x, y] : 0 <= x < N and 0 <= y < N and (%s) }\"> {\n"
      "      %%k = arith.constant 1000 : i32\n      %%1 = arith.constant 1 : i32\n"
      "      %%a = arith.cast %%x : (index) -> i32\n      %%b = arith.cast %%y : (index) -> i32\n"
      "      %%c = arith.muli %%a, %%k : i32\n      %%d = arith.addi %%c, %%b : i32\n"
      "      %%e = arith.addi %%d, %%1 : i32\n      stage.yield %%e : i32\n    }\n  }\n"
      "  stage.output @f\n}\n",
      set);
  fixture f = parse(text.data);
  if (!run_simple(&f, N, 0, 1, NULL, array2(PM_I32, N, N, out))) fail_msg("%s: %s", set, f.log.data);
  for (int64_t x = 0; x < N; x++)
    for (int64_t y = 0; y < N; y++) {
      int32_t expected = holds(x, y) ? (int32_t)(1000 * x + y + 1) : -1;
      if (out[x * N + y] != expected)
        fail_msg("%s at %lld, %lld: %d", set, (long long)x, (long long)y, out[x * N + y]);
    }
  finish(&f);
  pm_buf_free(&text);
}

static bool odd_row(int64_t x, int64_t y) {
  return x % 2 == 1 && y >= 0;
}
static bool diagonal(int64_t x, int64_t y) {
  return x == y;
}
static bool stripes(int64_t x, int64_t y) {
  return (2 * x + 3 * y) % 7 <= 2;
}
static bool steep(int64_t x, int64_t y) {
  return 3 * x == 2 * y + 5;
}
static bool halves(int64_t x, int64_t y) {
  return x / 2 + y / 3 <= 20;
}
static bool nothing(int64_t x, int64_t y) {
  return x < 0 && y < 0;
}

static void test_sets(void **state) {
  (void)state;
  check_set("x >= 0", all_points);
  check_set("y mod 2 = 0", even_column);
  check_set("x mod 2 = 1", odd_row);
  check_set("(x + y) mod 2 = 0", checkers);
  check_set("x = y", diagonal);
  check_set("y <= x", triangle);
  check_set("x < y or x > y", off_diagonal);
  check_set("(2x + 3y) mod 7 <= 2", stripes);
  check_set("x < 2 or y < 2 or x >= N - 3 or y >= N - 4", frame);
  check_set("3x = 2y + 5", steep);
  check_set("floor(x/2) + floor(y/3) <= 20", halves);
  check_set("exists e : y = 2e", even_column);
  check_set("x < 0", nothing);
}

static const char indices[] = "stage.pipeline @p {\n"
                              "  %N = stage.param @N : i32\n"
                              "  stage.input @in : u8 on #isl.set<\"[N] -> { [i] : 0 <= i < N }\">\n"
                              "  stage.func @up : i32 on #isl.set<\"[N] -> { [i] : 0 <= i < 2N }\"> {\n"
                              "    stage.case(%x) on #isl.set<\"[N] -> { [i] : 0 <= i < 2N }\"> {\n"
                              "      %a = stage.read @in[%x floordiv 2] : u8\n"
                              "      %b = stage.read @in[(%x * 3) mod 5] : u8\n"
                              "      %i = arith.cast %b : (u8) -> i32\n"
                              "      %c = stage.read @in[%i] : u8\n"
                              "      %d0 = arith.addi %a, %c : u8\n"
                              "      %n = stage.read @in[(%x - 9) floordiv 4 + 3] : u8\n"
                              "      %m = stage.read @in[(-%x - 5) mod 8] : u8\n"
                              "      %nm = arith.xori %n, %m : u8\n"
                              "      %d = arith.addi %d0, %nm : u8\n"
                              "      %e = arith.cast %d : (u8) -> i32\n"
                              "      stage.yield %e : i32\n"
                              "    }\n"
                              "  }\n"
                              "  stage.output @up\n"
                              "}\n";

/* Indices that are divided, wrapped and loaded. */
static void test_indices(void **state) {
  (void)state;
  enum { N = 200 };
  uint8_t in[N];
  int32_t out[2 * N];
  for (int i = 0; i < N; i++) in[i] = (uint8_t)((i * 37 + 11) % N);
  fixture f = parse(indices);
  pm_array input = array1(PM_U8, N, in);
  assert_true(run_simple(&f, N, 0, 1, &input, array1(PM_I32, 2 * N, out)));
  for (int x = 0; x < 2 * N; x++) {
    int negative = in[(x + 3) / 4] ^ in[(800 - x - 5) % 8];
    assert_int_equal(out[x], (uint8_t)(in[x / 2] + in[in[x * 3 % 5]] + negative));
  }
  in[3] = N;
  assert_false(run_simple(&f, N, 0, 1, &input, array1(PM_I32, 2 * N, out)));
  assert_logged(&f, "9: in(200) is read by up(1), but the domain of in is (0..199)");
  finish(&f);
}

#define GUARDED(first, second)                                                                               \
  "stage.pipeline @p {\n"                                                                                    \
  "  %N = stage.param @N : i32\n"                                                                            \
  "  stage.input @in : i32 on #isl.set<\"[N] -> { [i] : 0 <= i < N }\">\n"                                   \
  "  stage.func @f : i32 on #isl.set<\"[N] -> { [i] : 0 <= i < N }\"> default 7 {\n"                         \
  "    stage.case(%x) on #isl.set<\"[N] -> { [i] : 0 <= i < N }\"> {\n"                                      \
  "      %a = stage.read @in[%x] : i32\n"                                                                    \
  "      %k = arith.constant 100 : i32\n"                                                                    \
  "      %g = arith.cmp " first ", %a, %k : i32\n"                                                           \
  "      stage.guard %g : (i1) -> ()\n"                                                                      \
  "      %b = stage.read @in[%a] : i32\n"                                                                    \
  "      stage.yield %b : i32\n"                                                                             \
  "    }\n"                                                                                                  \
  "    stage.case(%x) on #isl.set<\"[N] -> { [i] : 0 <= i < N }\"> {\n"                                      \
  "      %a = stage.read @in[%x] : i32\n"                                                                    \
  "      %k = arith.constant 200 : i32\n"                                                                    \
  "      %g = arith.cmp " second ", %a, %k : i32\n"                                                          \
  "      stage.guard %g : (i1) -> ()\n"                                                                      \
  "      %b = arith.muli %a, %a : i32\n"                                                                     \
  "      stage.yield %b : i32\n"                                                                             \
  "    }\n"                                                                                                  \
  "  }\n"                                                                                                    \
  "  stage.output @f\n"                                                                                      \
  "}\n"

static void test_guards(void **state) {
  (void)state;
  enum { N = 300 };
  int32_t in[N], out[N];
  for (int i = 0; i < N; i++) in[i] = i * 71 % 500;
  pm_array input = array1(PM_I32, N, in);
  fixture f = parse(GUARDED("lt", "gt"));
  if (!run_simple(&f, N, 0, 1, &input, array1(PM_I32, N, out))) fail_msg("%s", f.log.data);
  for (int i = 0; i < N; i++)
    assert_int_equal(out[i], in[i] < 100 ? in[in[i]] : in[i] > 200 ? in[i] * in[i] : 7);
  finish(&f);
  f = parse(GUARDED("lt", "ne"));
  assert_false(run_simple(&f, N, 0, 1, &input, array1(PM_I32, N, out)));
  assert_logged(&f, "13: the case applies to f(0), where another case applies too");
  assert_logged(&f, "5: the other case is here");
  finish(&f);
}

#define TRIANGLE(index)                                                                                      \
  "stage.pipeline @p {\n"                                                                                    \
  "  %N = stage.param @N : i32\n"                                                                            \
  "  stage.func @t : i32 on #isl.set<\"[N] -> { [i, j] : 0 <= i < N and 0 <= j <= i }\"> {\n"                \
  "    stage.case(%x, %y) on #isl.set<\"[N] -> { [i, j] : 0 <= i < N and 0 <= j <= i }\"> {\n"               \
  "      %a = arith.addi %x, %y : index\n"                                                                   \
  "      %b = arith.cast %a : (index) -> i32\n"                                                              \
  "      stage.yield %b : i32\n"                                                                             \
  "    }\n"                                                                                                  \
  "  }\n"                                                                                                    \
  "  stage.func @f : i32 on #isl.set<\"[N] -> { [i, j] : 0 <= i < N and 0 <= j < N }\"> {\n"                 \
  "    stage.case(%x, %y) on #isl.set<\"[N] -> { [i, j] : 0 <= i < N and 0 <= j <= i }\"> {\n"               \
  "      %a = stage.read @t[" index "] : i32\n"                                                              \
  "      stage.yield %a : i32\n"                                                                             \
  "    }\n"                                                                                                  \
  "  }\n"                                                                                                    \
  "  stage.output @f\n"                                                                                      \
  "}\n"

/* A domain that is no box: its box is stored, but only its points may be read. */
static void test_triangle(void **state) {
  (void)state;
  enum { N = 120 };
  static int32_t out[N * N];
  fixture f = parse(TRIANGLE("%x, %x - %y"));
  assert_true(run_simple(&f, N, 0, 1, NULL, array2(PM_I32, N, N, out)));
  for (int x = 0; x < N; x++)
    for (int y = 0; y < N; y++) assert_int_equal(out[x * N + y], y <= x ? 2 * x - y : 0);
  finish(&f);
  f = parse(TRIANGLE("%x, %x"));
  assert_true(run_simple(&f, N, 0, 1, NULL, array2(PM_I32, N, N, out)));
  finish(&f);
  f = parse(TRIANGLE("%y, %x"));
  assert_false(run_simple(&f, N, 0, 1, NULL, array2(PM_I32, N, N, out)));
  assert_logged(&f, "t(0, 1) is read by f(1, 0), but the domain of t is a part of (0..119, 0..119)");
  finish(&f);
}

static void count_stage(void *user, pm_op *func, const pm_array *values) {
  int64_t *sum = user;
  (void)func;
  *sum += pm_array_count(values);
}

/* No dimensions, scalar params of both sorts, and the callback that sees each stage. */
static void test_points_and_watching(void **state) {
  (void)state;
  static const char text[] = "stage.pipeline @p {\n"
                             "  %n = stage.param @n : u8\n"
                             "  %w = stage.param @w : f64\n"
                             "  stage.func @f : f64 on #isl.set<\"{ [] }\"> {\n"
                             "    stage.case() on #isl.set<\"{ [] }\"> {\n"
                             "      %a = arith.cast %n : (u8) -> f64\n"
                             "      %b = arith.mulf %a, %w : f64\n"
                             "      stage.yield %b : f64\n"
                             "    }\n"
                             "  }\n"
                             "  stage.func @g : f64 on #isl.set<\"{ [i] : -3 <= i <= 3 }\"> {\n"
                             "    stage.case(%i) on #isl.set<\"{ [i] : -2 <= i <= 3 }\"> {\n"
                             "      %a = stage.read @f[] : f64\n"
                             "      stage.yield %a : f64\n"
                             "    }\n"
                             "  }\n"
                             "  stage.output @g\n"
                             "}\n";
  fixture f = parse(text);
  double out[7] = {9, 9, 9, 9, 9, 9, 9};
  pm_lane params[] = {{.i = 200}, {.d = 0.25}};
  pm_array output = array1(PM_F64, 7, out);
  pm_call call = {params, 2, NULL, 0, &output, 1};
  int64_t cells = 0;
  assert_true(stage_interpret_watched(pm_module_body(f.module)->first, &call, count_stage, &cells));
  assert_int_equal(cells, 8);
  assert_true(out[0] == 0.0 && out[1] == 50.0 && out[6] == 50.0);
  finish(&f);
}

/* --- updates --- */

static void test_histogram(void **state) {
  (void)state;
  static uint8_t in[ROWS * COLS];
  static const char text[] = PIPELINE_2D("u8", "i32", "[v] : 0 <= v < 256", "default 3 ",
                                         UPDATE("%x, %y", IMAGE,
                                                "      %p = stage.read @in[%x, %y] : u8\n"
                                                "      %v = arith.cast %p : (u8) -> index\n"
                                                "      %one = arith.constant 1 : i32\n"
                                                "      stage.combine sum, %one into [%v] : i32\n"));
  int32_t out[256], expected[256], values[ROWS * COLS];
  fill(values, ROWS * COLS, 256);
  for (int v = 0; v < 256; v++) expected[v] = 3;
  for (int k = 0; k < ROWS * COLS; k++) expected[in[k] = (uint8_t)values[k]]++;
  run_2d(text, PM_U8, in, ROWS, COLS, array1(PM_I32, 256, out));
  assert_memory_equal(out, expected, sizeof out);
  for (int v = 0; v < 256; v++) expected[v] = 3;
  run_2d(text, PM_U8, in, 0, 0, array1(PM_I32, 256, out));
  assert_memory_equal(out, expected, sizeof out);
}

/* Pairs of neighbours whose first is at least 10, by their values over 4. */
static void test_guarded_histogram(void **state) {
  (void)state;
  static const char text[] =
      PIPELINE_2D("i32", "i64", "[a, b] : 0 <= a < 16 and 0 <= b < 16", "",
                  UPDATE("%x, %y", "[i, j] : 0 <= i < R and 1 <= j < C",
                         "      %p = stage.read @in[%x, %y] : i32\n"
                         "      %q = stage.read @in[%x, %y - 1] : i32\n"
                         "      %ten = arith.constant 10 : i32\n"
                         "      %g = arith.cmp ge, %p, %ten : i32\n"
                         "      stage.guard %g : i1\n"
                         "      %w = arith.cast %y : (index) -> i64\n"
                         "      stage.combine sum, %w into [%p floordiv 4, %q floordiv 4] : i64\n"));
  static int32_t in[ROWS * COLS];
  int64_t out[16][16], expected[16][16] = {{0}};
  fill(in, ROWS * COLS, 64);
  for (int i = 0; i < ROWS; i++)
    for (int j = 1; j < COLS; j++)
      if (in[i * COLS + j] >= 10) expected[in[i * COLS + j] / 4][in[i * COLS + j - 1] / 4] += j;
  run_2d(text, PM_I32, in, ROWS, COLS, array2(PM_I64, 16, 16, out));
  assert_memory_equal(out, expected, sizeof out);
}

/* One update of the columns, with values of a case before. */
static void check_reduction(const char *kind, int32_t (*combine)(int32_t, int32_t)) {
  static int32_t in[ROWS * COLS];
  int32_t out[COLS];
  pm_buf text = {0};
  fill(in, ROWS * COLS, 100000);
  pm_buf_printf(
      &text,
      "stage.pipeline @p {\n  %%R = stage.param @R : i32\n  %%C = stage.param @C : i32\n"
      "  stage.input @in : i32 on #isl.set<\"[R, C] -> { [i, j] : 0 <= i < R and 0 <= j < C }\">\n"
      "  stage.func @f : i32 on #isl.set<\"[C] -> { [j] : 0 <= j < C }\"> {\n"
      "    stage.case(%%y) on #isl.set<\"[C] -> { [j] : 0 <= j < C }\"> {\n"
      "      %%p = stage.read @in[0, %%y] : i32\n      stage.yield %%p : i32\n    }\n"
      "    stage.update(%%x, %%y) on #isl.set<\"[R, C] -> { [i, j] : 1 <= i < R and 0 <= j < C }\"> {\n"
      "      %%p = stage.read @in[%%x, %%y] : i32\n"
      "      stage.combine %s, %%p into [%%y] : i32\n    }\n"
      "  }\n  stage.output @f\n}\n",
      kind);
  run_2d(text.data, PM_I32, in, ROWS, COLS, array1(PM_I32, COLS, out));
  for (int j = 0; j < COLS; j++) {
    int32_t expected = in[j];
    for (int i = 1; i < ROWS; i++) expected = combine(expected, in[i * COLS + j]);
    assert_int_equal(out[j], expected);
  }
  pm_buf_free(&text);
}

static int32_t product_of(int32_t a, int32_t b) {
  return (int32_t)((uint32_t)a * (uint32_t)b);
}
static int32_t min_of(int32_t a, int32_t b) {
  return a < b ? a : b;
}
static int32_t max_of(int32_t a, int32_t b) {
  return a > b ? a : b;
}
static int32_t and_of(int32_t a, int32_t b) {
  return a & b;
}
static int32_t or_of(int32_t a, int32_t b) {
  return a | b;
}

static void test_kinds(void **state) {
  (void)state;
  check_reduction("sum", sum_of);
  check_reduction("product", product_of);
  check_reduction("min", min_of);
  check_reduction("max", max_of);
  check_reduction("and", and_of);
  check_reduction("or", or_of);
}

/* Sums that round differently in any other order, and wrap in bytes. */
static void test_narrow_and_float(void **state) {
  (void)state;
  static float in[ROWS * COLS];
  static int32_t values[ROWS * COLS];
  fill(values, ROWS * COLS, 1 << 20);
  for (int k = 0; k < ROWS * COLS; k++) in[k] = (float)values[k] * 0.37f - 9000.0f;
  float out[1], expected[1] = {0.5f};
  for (int k = 0; k < ROWS * COLS; k++) expected[0] += in[k];
  run_2d(PIPELINE_2D("f32", "f32", "[]", "default 0.5 ",
                     UPDATE("%x, %y", IMAGE,
                            "      %p = stage.read @in[%x, %y] : f32\n"
                            "      stage.combine sum, %p into [] : f32\n")),
         PM_F32, in, ROWS, COLS, (pm_array){.scalar = PM_F32, .rank = 0, .data = out});
  assert_memory_equal(out, expected, sizeof out);
  uint8_t bytes[COLS], sums[COLS] = {0};
  for (int k = 0; k < ROWS * COLS; k++) sums[k % COLS] = (uint8_t)(sums[k % COLS] + values[k]);
  run_2d(PIPELINE_2D("i32", "u8", "[j] : 0 <= j < C", "",
                     UPDATE("%x, %y", IMAGE,
                            "      %p = stage.read @in[%x, %y] : i32\n"
                            "      %q = arith.cast %p : (i32) -> u8\n"
                            "      stage.combine sum, %q into [%y] : u8\n")),
         PM_I32, values, ROWS, COLS, array1(PM_U8, COLS, bytes));
  assert_memory_equal(bytes, sums, sizeof sums);
}

/* A later update sees what an earlier one left, also at points that it changed itself; one is empty. */
static void test_updates_in_order(void **state) {
  (void)state;
  enum { N = 40 };
  static const char text[] = PIPELINE_2D(
      "i32", "i32", "[j] : 0 <= j < C", "",
      CASE("%y", "[j] : 0 <= j < C",
           "      %p = stage.read @in[0, %y] : i32\n"
           "      stage.yield %p : i32\n") UPDATE("%y", "[j] : 0 <= j < C - 1",
                                                  "      %p = stage.read @f[%y] : i32\n"
                                                  "      stage.combine sum, %p into [%y + 1] : i32\n")
          UPDATE("%y", "[j] : 0 <= j < C and C < 0",
                 "      %p = arith.constant 5 : i32\n"
                 "      stage.combine sum, %p into [0] : i32\n")
              UPDATE("%y", "[j] : 0 <= j < C",
                     "      %k = arith.constant 3 : i32\n"
                     "      stage.combine product, %k into [-%y + %C - 1] : i32\n")
                  UPDATE("%y", "[j] : 0 <= j < C",
                         "      %p = stage.read @f[(%y + 1) mod 40] : i32\n"
                         "      stage.combine max, %p into [%y] : i32\n"));
  int32_t in[N], out[N], expected[N];
  fill(in, N, 1000);
  memcpy(expected, in, sizeof in);
  for (int j = 0; j < N - 1; j++) expected[j + 1] += expected[j];
  for (int j = 0; j < N; j++) expected[j] *= 3;
  for (int j = 0; j < N; j++) expected[j] = max_of(expected[j], expected[(j + 1) % N]);
  run_2d(text, PM_I32, in, 1, N, array1(PM_I32, N, out));
  assert_memory_equal(out, expected, sizeof out);
}

/* f = 31 f + 71 x + y + 1 at each point of the set: tells the order in which they come. */
static void check_order(const char *set, bool (*holds)(int64_t, int64_t)) {
  enum { N = 70 };
  pm_buf text = {0};
  pm_buf_printf(
      &text,
      "stage.pipeline @p {\n  %%N = stage.param @N : i32\n"
      "  stage.func @f : i64 on #isl.set<\"{ [] }\"> {\n"
      "    stage.update(%%x, %%y) on #isl.set<\"[N] -> { [x, y] : 0 <= x < N and 0 <= y < N and (%s) }\"> {\n"
      "      %%k = arith.constant 30 : i64\n      %%n = arith.constant 71 : index\n"
      "      %%1 = arith.constant 1 : index\n"
      "      %%a = arith.muli %%x, %%n : index\n      %%b = arith.addi %%a, %%y : index\n"
      "      %%c = arith.addi %%b, %%1 : index\n      %%d = arith.cast %%c : (index) -> i64\n"
      "      %%f = stage.read @f[] : i64\n      %%g = arith.muli %%f, %%k : i64\n"
      "      %%h = arith.addi %%g, %%d : i64\n"
      "      stage.combine sum, %%h into [] : i64\n    }\n  }\n  stage.output @f\n}\n",
      set);
  fixture f = parse(text.data);
  uint64_t out[1], expected = 0;
  if (!run_simple(&f, N, 0, 1, NULL, (pm_array){.scalar = PM_I64, .rank = 0, .data = out}))
    fail_msg("%s: %s", set, f.log.data);
  for (int64_t x = 0; x < N; x++)
    for (int64_t y = 0; y < N; y++)
      if (holds(x, y)) expected = expected * 31 + (uint64_t)(71 * x + y + 1);
  if (out[0] != expected) fail_msg("%s", set);
  finish(&f);
  pm_buf_free(&text);
}

static void test_order(void **state) {
  (void)state;
  check_order("x >= 0", all_points);
  check_order("(x + y) mod 2 = 0", checkers);
  check_order("x = y", diagonal);
  check_order("y <= x", triangle);
  check_order("x < y or x > y", off_diagonal);
  check_order("(2x + 3y) mod 7 <= 2", stripes);
  check_order("x < 2 or y < 2 or x >= N - 3 or y >= N - 4", frame);
  check_order("(x mod 3 = 0 and y mod 2 = 0) or (y mod 5 = 1 and x < 60) or y > 50", two_parities);
  check_order("x < 0", nothing);
}

#define SPREAD(index)                                                                                        \
  PIPELINE_2D("i32", "i32", "[v] : 0 <= v < C", "",                                                          \
              UPDATE("%x, %y", IMAGE,                                                                        \
                     "      %p = stage.read @in[%x, %y] : i32\n"                                             \
                     "      stage.combine sum, %p into [" index "] : i32\n"))

static void test_targets_outside(void **state) {
  (void)state;
  int32_t in[6] = {0, 1, 2, 0, 3, -1}, out[3];
  fail_2d(SPREAD("%p"), in, 2, 3, array1(PM_I32, 3, out),
          "8: f(3) is changed by the update of f at (1, 1), but the domain of f is (0..2)");
  fail_2d(SPREAD("%x * 2 + %y"), in, 2, 3, array1(PM_I32, 3, out),
          "8: f(3) is changed by the update of f at (1, 1)");
  fail_2d(PIPELINE_2D("i32", "i32", "[v] : 0 <= v < C and C < 0", "",
                      UPDATE("%x, %y", IMAGE,
                             "      %p = stage.read @in[%x, %y] : i32\n"
                             "      stage.combine sum, %p into [0] : i32\n")),
          in, 2, 3, array1(PM_I32, 0, NULL),
          "f(0) is changed by the update of f at (0, 0), but the domain of f is empty");
  fail_2d(PIPELINE_2D("i32", "i32", "[v] : 0 <= v < C", "",
                      UPDATE("%x, %y", IMAGE,
                             "      %p = stage.read @f[%y - 1] : i32\n"
                             "      stage.combine sum, %p into [0] : i32\n")),
          in, 2, 3, array1(PM_I32, 3, out),
          "7: f(-1) is read by the update of f at (0, 0), but the domain of f is (0..2)");
}

/* --- calls that do not fit --- */

static void test_calls(void **state) {
  (void)state;
  float cells[64] = {0};
  fixture f = parse(blur);
  pm_array in = array2(PM_F32, 4, 5, cells), small = array2(PM_F32, 4, 4, cells),
           ints = array2(PM_I32, 4, 5, cells);
  assert_false(run_simple(&f, 4, 5, 1, &in, array2(PM_F32, 2, 5, cells + 32)));
  assert_logged(&f, "@p is called with 1 params; it has 2");
  assert_false(run_simple(&f, 4, 5, 2, NULL, array2(PM_F32, 2, 5, cells + 32)));
  assert_logged(&f, "@p is called with 0 inputs; it has 1");
  assert_false(run_simple(&f, 4, 5, 2, &small, array2(PM_F32, 2, 5, cells + 32)));
  assert_logged(&f, "@img is given as 4x4xf32; it should be 4x5xf32");
  assert_false(run_simple(&f, 4, 5, 2, &ints, array2(PM_F32, 4, 5, cells + 32)));
  assert_logged(&f, "@img is given as 4x5xi32; it should be 4x5xf32");
  assert_logged(&f, "@by is asked for as 4x5xf32; it should be 2x5xf32");
  assert_false(run_simple(&f, 4, 5, 2, &in, array2(PM_F32, 2, 5, NULL)));
  assert_logged(&f, "is asked for without memory");
  assert_false(run_simple(&f, -4, 5, 2, &in, array2(PM_F32, 2, 5, cells + 32)));
  assert_logged(&f, "@p is called with R = -4, C = 5; its context is #isl.set<");
  finish(&f);
}

/* With the address sanitizer malloc shall return NULL, as without. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
  return "allocator_may_return_null=1";
}

static void test_no_memory(void **state) {
  (void)state;
  static const char text[] = "stage.pipeline @p {\n"
                             "  %N = stage.param @N : i64\n"
                             "  stage.func @f : i64 on #isl.set<\"[N] -> { [i] : 0 <= i < N }\"> {}\n"
                             "  stage.func @g : i64 on #isl.set<\"{ [i] : 0 <= i < 1 }\"> {}\n"
                             "  stage.output @g\n"
                             "}\n";
  int64_t out[1];
  fixture f = parse(text);
  assert_false(run_simple(&f, INT64_C(1) << 57, 0, 1, NULL, array1(PM_I64, 1, out)));
  assert_logged(&f, "3: 'stage.func' @f needs 1152921504606846976 bytes");
  finish(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_boxes),
      cmocka_unit_test(test_sets),
      cmocka_unit_test(test_indices),
      cmocka_unit_test(test_guards),
      cmocka_unit_test(test_triangle),
      cmocka_unit_test(test_points_and_watching),
      cmocka_unit_test(test_calls),
      cmocka_unit_test(test_no_memory),
      cmocka_unit_test(test_histogram),
      cmocka_unit_test(test_guarded_histogram),
      cmocka_unit_test(test_kinds),
      cmocka_unit_test(test_narrow_and_float),
      cmocka_unit_test(test_updates_in_order),
      cmocka_unit_test(test_order),
      cmocka_unit_test(test_targets_outside),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
