/* What callers are told of extents is what programs themselves give. */
#include "pm/function.h"
#include "pm/pm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* rows R + 2 and 2C - 1, a quotient, a constant, and none */
static const char text[] =
    "R, C = Parameter(Int, 'R'), Parameter(Int, 'C')\n"
    "img = Image(Float, 'img', [R + 2, 2 * C - 1])\n"
    "few = Image(Float, 'few', [5])\n"
    "x, y = Variable(Int, 'x'), Variable(Int, 'y')\n"
    "out = Function(([x, y], [Interval(Int, 1, R / 2), Interval(Int, 1, C)]), Float, 'out')\n"
    "out.defn = [img(x, y) + few(0)]\n";

static pm_function *compile(void) {
  pm_options options = {.target = "c", .flags = "-O0", .passes = "naive"};
  pm_program *program;
  pm_function *function;
  assert_int_equal(pm_program_read("out.py", text, strlen(text), &options, &program), PM_OK);
  assert_int_equal(pm_program_compile(program, &function), PM_OK);
  pm_program_free(program);
  return function;
}

static int64_t by_program(const pm_function *f, const pm_argument *scalars, size_t array, size_t dimension) {
  pm_scalar_cell cells[8];
  void *values[8];
  assert_true(pm_set_scalars(f, scalars, cells, values));
  return pm_native_extent_at(f->native, values, (int32_t)array, (int32_t)dimension);
}

static void test_extents(void **state) {
  static const struct {
    size_t array, dimension;
    const char *text;
    int64_t sum[3]; /* all 0: none */
  } rows[] = {{0, 0, "R + 2", {1, 0, 2}},
              {0, 1, "2C - 1", {0, 2, -1}},
              {1, 0, "5", {0, 0, 5}},
              {2, 0, "floor((R)/2)", {0}},
              {2, 1, "C", {0, 1, 0}}};
  pm_function *f = compile();
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const int64_t *sum = pm_function_extent_sum(f, rows[i].array, rows[i].dimension);
    assert_string_equal(pm_function_extent_text(f, rows[i].array, rows[i].dimension), rows[i].text);
    if (rows[i].array == 2 && rows[i].dimension == 0)
      assert_null(sum);
    else
      assert_memory_equal(sum, rows[i].sum, sizeof rows[i].sum);
    for (int64_t r = 2; r < 9; r++)
      for (int64_t c = 1; c < 9; c += 3) {
        const pm_argument scalars[] = {{.i = r}, {.i = c}};
        assert_int_equal(pm_function_extent(f, scalars, rows[i].array, rows[i].dimension),
                         by_program(f, scalars, rows[i].array, rows[i].dimension));
      }
  }
  assert_null(pm_function_extent_text(f, 3, 0));
  assert_null(pm_function_extent_sum(f, 0, 2));
  assert_int_equal(pm_function_extent(f, (pm_argument[2]){{0}}, 0, 2), -1);
  assert_int_equal(pm_function_scratch_bytes(f, (pm_argument[]){{.i = 4}, {.i = 4}}), 0);
  pm_function_free(f);
  (void)state;
}

static void test_sums(void **state) {
  const int64_t sum[] = {1, INT64_MAX, -2};
  int64_t value;
  (void)state;
  assert_true(pm_sum_at(sum, 2, (pm_argument[]){{.i = 5}, {.i = 0}}, &value));
  assert_int_equal(value, 3);
  assert_false(pm_sum_at(sum, 2, (pm_argument[]){{.i = 5}, {.i = 2}}, &value));
  assert_false(pm_sum_at(sum, 2, (pm_argument[]){{.i = 3}, {.i = 1}}, &value));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_extents), cmocka_unit_test(test_sums)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
