/* The reference interpreter on stages that read themselves, against plain loops. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/stage_pipelines.h"

/* f(0, x) = in(0, x), then f(0, y) = f(0, y - distance) + in(0, y). */
static void check_prefix_sum(int distance, const char *text) {
  enum { N = 1000 };
  static int32_t in[N], out[N], expected[N];
  fill(in, N, 1000);
  for (int j = 0; j < N; j++) expected[j] = in[j] + (j < distance ? 0 : expected[j - distance]);
  run_2d(text, PM_I32, in, 1, N, array1(PM_I32, N, out));
  assert_memory_equal(out, expected, sizeof out);
}

#define PREFIX_SUM(distance)                                                                                 \
  PIPELINE_2D("i32", "i32", "[j] : 0 <= j < C", "",                                                          \
              CASE("%y", "[j] : " distance " <= j < C",                                                      \
                   "      %p = stage.read @in[0, %y] : i32\n"                                                \
                   "      %q = stage.read @f[%y - " distance "] : i32\n"                                     \
                   "      %s = arith.addi %p, %q : i32\n"                                                    \
                   "      stage.yield %s : i32\n") CASE("%y", "[j] : 0 <= j < C and j < " distance,          \
                                                        "      %p = stage.read @in[0, %y] : i32\n"           \
                                                        "      stage.yield %p : i32\n"))

static void test_prefix_sums(void **state) {
  (void)state;
  check_prefix_sum(1, PREFIX_SUM("1"));
  check_prefix_sum(2, PREFIX_SUM("2"));
  check_prefix_sum(7, PREFIX_SUM("7"));
  check_prefix_sum(300, PREFIX_SUM("300"));
}

/* With a border of zeros by default. */
static void test_summed_area_table(void **state) {
  (void)state;
  enum { N = 1000 };
  static const char text[] = PIPELINE_2D("i32", "i32", "[i, j] : -1 <= i < R and -1 <= j < C", "",
                                         CASE("%x, %y", IMAGE,
                                              "      %p = stage.read @in[%x, %y] : i32\n"
                                              "      %a = stage.read @f[%x - 1, %y] : i32\n"
                                              "      %b = stage.read @f[%x, %y - 1] : i32\n"
                                              "      %c = stage.read @f[%x - 1, %y - 1] : i32\n"
                                              "      %0 = arith.addi %a, %b : i32\n"
                                              "      %1 = arith.subi %0, %c : i32\n"
                                              "      %2 = arith.addi %p, %1 : i32\n"
                                              "      stage.yield %2 : i32\n"));
  int32_t *in = calloc(N * N, sizeof *in), *out = calloc((N + 1) * (N + 1), sizeof *out);
  fill(in, N * N, 1000);
  run_2d(text, PM_I32, in, N, N, array2(PM_I32, N + 1, N + 1, out));
  int32_t *above = calloc(N + 1, sizeof *above);
  for (int i = 0; i <= N; i++)
    for (int j = 0, row = 0; j <= N; j++) {
      if (i && j) row += in[(i - 1) * N + j - 1];
      above[j] += row;
      if (out[i * (N + 1) + j] != above[j]) fail_msg("at %d, %d", i, j);
    }
  free(above);
  free(in);
  free(out);
}

/* Over time, with fixed ends; the rows are evaluated as a whole. */
static void test_time_iteration(void **state) {
  (void)state;
  static const char text[] = PIPELINE_2D("i32", "i32", "[i, j] : 0 <= i < R and 0 <= j < C", "default 1 ",
                                         CASE("%x, %y", "[i, j] : i = 0 and 0 <= j < C and R >= 1",
                                              "      %p = stage.read @in[0, %y] : i32\n"
                                              "      stage.yield %p : i32\n")
                                             CASE("%t, %y", "[i, j] : 1 <= i < R and 1 <= j < C - 1",
                                                  "      %a = stage.read @f[%t - 1, %y - 1] : i32\n"
                                                  "      %b = stage.read @f[%t - 1, %y + 1] : i32\n"
                                                  "      %s = arith.addi %a, %b : i32\n"
                                                  "      stage.yield %s : i32\n"));
  static int32_t in[ROWS * COLS], out[ROWS][COLS], expected[ROWS][COLS];
  fill(in, ROWS * COLS, 1000);
  for (int t = 0; t < ROWS; t++)
    for (int j = 0; j < COLS; j++)
      expected[t][j] = t == 0                    ? in[j]
                       : j == 0 || j == COLS - 1 ? 1
                                                 : sum_of(expected[t - 1][j - 1], expected[t - 1][j + 1]);
  run_2d(text, PM_I32, in, ROWS, COLS, array2(PM_I32, ROWS, COLS, out));
  assert_memory_equal(out, expected, sizeof out);
}

/* Rows that grow, and two cases that take turns. */
static void test_triangle_of_pascal(void **state) {
  (void)state;
  enum { N = 120 };
  static const char text[] = PIPELINE_2D(
      "i32", "u32", "[i, j] : 0 <= i < R and 0 <= j <= i", "default 1 ",
      CASE("%x, %y", "[i, j] : 0 <= i < R and 0 < j < i and j mod 2 = 0",
           "      %a = stage.read @f[%x - 1, %y - 1] : u32\n"
           "      %b = stage.read @f[%x - 1, %y] : u32\n"
           "      %s = arith.addi %a, %b : u32\n"
           "      stage.yield %s : u32\n") CASE("%x, %y", "[i, j] : 0 <= i < R and 0 < j < i and j mod 2 = 1",
                                                "      %a = stage.read @f[%x - 1, %x - %y] : u32\n"
                                                "      %b = stage.read @f[%x - 1, %y] : u32\n"
                                                "      %s = arith.addi %a, %b : u32\n"
                                                "      stage.yield %s : u32\n"));
  static uint32_t out[N][N], expected[N][N];
  static int32_t in[N * N];
  for (int i = 0; i < N; i++)
    for (int j = 0; j <= i; j++)
      expected[i][j] = j == 0 || j == i ? 1 : expected[i - 1][j - 1] + expected[i - 1][j];
  run_2d(text, PM_I32, in, N, N, array2(PM_U32, N, N, out));
  for (int i = 0; i < N; i++) assert_memory_equal(out[i], expected[i], (size_t)(i + 1) * sizeof out[i][0]);
}

/* Computed indices, guards that drop points, and two guarded cases over one set: 1 + f(y - 1 - p mod 8) for p
 * < 600, 2 f(y - 1) for p >= 800, and the default 0 between. */
static void test_guarded_recurrence(void **state) {
  (void)state;
  enum { N = 1000 };
  static const char text[] =
      PIPELINE_2D("i32", "i32", "[j] : -8 <= j < C", "",
                  CASE("%y", "[j] : 0 <= j < C",
                       "      %p = stage.read @in[0, %y] : i32\n"
                       "      %k = arith.constant 600 : i32\n"
                       "      %g = arith.cmp lt, %p, %k : i32\n"
                       "      stage.guard %g : i1\n"
                       "      %a = stage.read @f[%y - 1 - %p mod 8] : i32\n"
                       "      %1 = arith.constant 1 : i32\n"
                       "      %s = arith.addi %a, %1 : i32\n"
                       "      stage.yield %s : i32\n") CASE("%y", "[j] : 0 <= j < C",
                                                            "      %p = stage.read @in[0, %y] : i32\n"
                                                            "      %k = arith.constant 800 : i32\n"
                                                            "      %g = arith.cmp ge, %p, %k : i32\n"
                                                            "      stage.guard %g : i1\n"
                                                            "      %a = stage.read @f[%y - 1] : i32\n"
                                                            "      %s = arith.addi %a, %a : i32\n"
                                                            "      stage.yield %s : i32\n"));
  static int32_t in[N], out[N + 8], all[N + 8], *expected = all + 8;
  fill(in, N, 1000);
  for (int j = 0; j < N; j++)
    expected[j] = in[j] < 600    ? expected[j - 1 - in[j] % 8] + 1
                  : in[j] >= 800 ? sum_of(expected[j - 1], expected[j - 1])
                                 : 0;
  run_2d(text, PM_I32, in, 1, N, array1(PM_I32, N + 8, out));
  assert_memory_equal(out, all, sizeof out);
}

/* f = f(x - a, y - b) + 3 f(x - c, y - d) + x + 7 y on the set, 1 elsewhere, in unsigned arithmetic. */
static void check_recurrence(const char *set, bool (*holds)(int64_t, int64_t), const int *d) {
  enum { N = 70, PAD = 64, SIZE = N + 2 * PAD };
  static uint32_t out[SIZE][SIZE], expected[SIZE][SIZE];
  pm_buf text = {0};
  pm_buf_printf(
      &text,
      "stage.pipeline @p {\n  %%N = stage.param @N : i32\n"
      "  stage.func @f : u32 on #isl.set<\"[N] -> { [x, y] : -64 <= x, y < N + 64 }\"> default 1 {\n"
      "    stage.case(%%x, %%y) on #isl.set<\"[N] -> { [x, y] : 0 <= x < N and 0 <= y < N and (%s) }\"> {\n"
      "      %%a = stage.read @f[%%x - %d, %%y + %d] : u32\n      %%b = stage.read @f[%%x - %d, %%y + %d] : "
      "u32\n"
      "      %%3 = arith.constant 3 : u32\n      %%7 = arith.constant 7 : u32\n"
      "      %%i = arith.cast %%x : (index) -> u32\n      %%j = arith.cast %%y : (index) -> u32\n"
      "      %%c = arith.muli %%b, %%3 : u32\n      %%d = arith.muli %%j, %%7 : u32\n"
      "      %%e = arith.addi %%a, %%c : u32\n      %%f = arith.addi %%d, %%i : u32\n"
      "      %%g = arith.addi %%e, %%f : u32\n      stage.yield %%g : u32\n    }\n  }\n  stage.output "
      "@f\n}\n",
      set, d[0], -d[1], d[2], -d[3]);
  fixture f = parse(text.data);
  if (!run_simple(&f, N, 0, 1, NULL, array2(PM_U32, SIZE, SIZE, out))) fail_msg("%s: %s", set, f.log.data);
  for (int x = 0; x < SIZE; x++)
    for (int y = 0; y < SIZE; y++) {
      int64_t i = x - PAD, j = y - PAD;
      bool inside = i >= 0 && i < N && j >= 0 && j < N && holds(i, j);
      expected[x][y] =
          inside ? expected[x - d[0]][y - d[1]] + 3 * expected[x - d[2]][y - d[3]] + (uint32_t)(i + 7 * j)
                 : 1;
      if (out[x][y] != expected[x][y])
        fail_msg("%s, %d %d %d %d at %d, %d", set, d[0], d[1], d[2], d[3], (int)i, (int)j);
    }
  finish(&f);
  pm_buf_free(&text);
}

/* Distances that are and are not carried by the rows, over sets of all shapes. */
static void test_recurrences(void **state) {
  (void)state;
  static const int distances[][4] = {{0, 1, 0, 2},  {1, 0, 1, -1}, {0, 1, 1, -5},  {2, 3, 0, 9},
                                     {0, 50, 1, 0}, {1, 60, 0, 3}, {3, -60, 2, 60}};
  for (size_t i = 0; i < PM_COUNT(distances); i++) {
    check_recurrence("x >= 0", all_points, distances[i]);
    check_recurrence("y mod 2 = 0", even_column, distances[i]);
    check_recurrence("(x + y) mod 2 = 0", checkers, distances[i]);
    check_recurrence("y <= x", triangle, distances[i]);
    check_recurrence("x < y or x > y", off_diagonal, distances[i]);
    check_recurrence("x < 2 or y < 2 or x >= N - 3 or y >= N - 4", frame, distances[i]);
    check_recurrence("(x mod 3 = 0 and y mod 2 = 0) or (y mod 5 = 1 and x < 60) or y > 50", two_parities,
                     distances[i]);
  }
}

/* Stages that are freed after their last reader: a recurrence, and one whose updates read another stage and
 * itself. */
static void test_intermediates(void **state) {
  (void)state;
  enum { N = 60 };
  static const char text[] =
      "stage.pipeline @p {\n  %N = stage.param @N : i32\n"
      "  stage.func @sum : i32 on #isl.set<\"[N] -> { [i] : 0 <= i < N }\"> {\n"
      "    stage.update(%i) on #isl.set<\"[N] -> { [i] : 0 <= i < N }\"> {\n"
      "      %a = stage.read @count[%i] : i32\n      stage.combine sum, %a into [0] : i32\n    }\n"
      "    stage.update(%i) on #isl.set<\"[N] -> { [i] : 1 <= i < N }\"> {\n"
      "      %a = stage.read @count[%i] : i32\n      %b = stage.read @sum[%i - 1] : i32\n"
      "      %c = arith.subi %b, %a : i32\n      stage.combine sum, %c into [%i] : i32\n    }\n  }\n"
      "  stage.func @out : i32 on #isl.set<\"[N] -> { [i] : 0 <= i < N }\"> {\n"
      "    stage.case(%i) on #isl.set<\"[N] -> { [i] : 0 <= i < N }\"> {\n"
      "      %a = stage.read @sum[%i] : i32\n      stage.yield %a : i32\n    }\n  }\n"
      "  stage.func @count : i32 on #isl.set<\"[N] -> { [i] : 0 <= i < N }\"> default 4 {\n"
      "    stage.case(%i) on #isl.set<\"[N] -> { [i] : 1 <= i < N }\"> {\n"
      "      %a = stage.read @count[%i - 1] : i32\n      %1 = arith.constant 1 : i32\n"
      "      %b = arith.addi %a, %1 : i32\n      stage.yield %b : i32\n    }\n  }\n"
      "  stage.output @out\n}\n";
  int32_t out[N], expected = 0;
  fixture f = parse(text);
  if (!run_simple(&f, N, 0, 1, NULL, array1(PM_I32, N, out))) fail_msg("%s", f.log.data);
  for (int i = 0; i < N; i++) expected += i + 4;
  for (int i = 0; i < N; i++) {
    if (i) expected -= i + 4;
    assert_int_equal(out[i], expected);
  }
  finish(&f);
}

#define SELF_READ(set, index)                                                                                \
  PIPELINE_2D("i32", "i32", "[i, j] : 0 <= i < R and 0 <= j < C", "default 5 ",                              \
              CASE("%x, %y", set,                                                                            \
                   "      %a = stage.read @f[" index "] : i32\n"                                             \
                   "      %1 = arith.constant 1 : i32\n"                                                     \
                   "      %s = arith.addi %a, %1 : i32\n"                                                    \
                   "      stage.yield %s : i32\n"))

/* Points that are not earlier: fine when they hold the default. */
static void test_later_reads(void **state) {
  (void)state;
  static int32_t in[ROWS * COLS], out[ROWS * COLS];
  pm_array array = array2(PM_I32, ROWS, COLS, out);
  fail_2d(SELF_READ(IMAGE, "%x, %y"), in, ROWS, COLS, array,
          "7: f(0, 0) is read by f(0, 0), but it should read earlier points, or ones that no "
          "case computes");
  fail_2d(SELF_READ("[i, j] : 0 <= i < R and 0 <= j < C - 1", "%x, (%y * 2 + 3) mod 300"), in, ROWS, COLS,
          array, "f(0, 3) is read by f(0, 0)");
  fail_2d(SELF_READ("[i, j] : 1 <= i < R and 0 <= j < C", "%x - 1, 0 - %y + 20"), in, ROWS, COLS, array,
          "f(0, -1) is read by f(1, 21), but the domain of f is");
  run_2d(SELF_READ("[i, j] : 0 <= i < R - 1 and 0 <= j < C", "%R - 1, %y"), PM_I32, in, ROWS, COLS, array);
  for (int k = 0; k < ROWS * COLS; k++) assert_int_equal(out[k], k < (ROWS - 1) * COLS ? 6 : 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_prefix_sums),        cmocka_unit_test(test_summed_area_table),
      cmocka_unit_test(test_time_iteration),     cmocka_unit_test(test_triangle_of_pascal),
      cmocka_unit_test(test_guarded_recurrence), cmocka_unit_test(test_recurrences),
      cmocka_unit_test(test_intermediates),      cmocka_unit_test(test_later_reads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
