/* Boxes of the outputs by pm.h (docs/regions.md): each equals the whole, from windows that end where
 * pm_function_needs says, in one thread and in several. */
#include "pm/pm.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Columns, then rows of them; both are outputs. The parity of a coordinate decides on a value. */
static const char text[] = "R = Parameter(Int, \"R\")\n"
                           "C = Parameter(Int, \"C\")\n"
                           "img = Image(Short, \"img\", [R + 2, C + 2])\n"
                           "x = Variable(Int, \"x\")\n"
                           "y = Variable(Int, \"y\")\n"
                           "rows = Interval(Int, 0, R + 1)\n"
                           "inner = Interval(Int, 1, R)\n"
                           "cols = Interval(Int, 1, C)\n"
                           "down = Function(([x, y], [rows, cols]), Int, \"down\")\n"
                           "down.defn = [img(x, y - 1) + img(x, y) * 2 + img(x, y + 1) + x % 2]\n"
                           "both = Function(([x, y], [inner, cols]), Int, \"both\")\n"
                           "both.defn = [down(x - 1, y) + down(x, y) * 3 + down(x + 1, y)]\n"
                           "pipeline = buildPipeline([both, down], pipe_name = \"both\")\n";

enum { R = 5, C = 7, ROWS = R + 2, COLUMNS = C + 2, IMG = 0, BOTH = 1, DOWN = 2 };
static const pm_argument sizes[] = {{R}, {C}};

static int16_t picture[ROWS][COLUMNS];
static int32_t whole[2][ROWS][COLUMNS];

static pm_buffer dense(void *host, int32_t type) {
  return (pm_buffer){host, type, 2, {{0, ROWS, COLUMNS}, {0, COLUMNS, 1}}};
}

static pm_function *compile(const pm_options *options) {
  pm_program *program;
  pm_function *f;
  assert_int_equal(pm_program_read("both.py", text, sizeof text - 1, options, &program), PM_OK);
  assert_int_equal(pm_program_compile(program, &f), PM_OK);
  pm_program_free(program);
  return f;
}

static void compute_whole(const pm_function *f) {
  for (int i = 0; i < ROWS; i++)
    for (int k = 0; k < COLUMNS; k++) picture[i][k] = (int16_t)((31 * i * i + 17 * k + i * k) % 1009);
  pm_buffer img = dense(picture, PM_TYPE_I16), both = dense(whole[0], PM_TYPE_I32),
            down = dense(whole[1], PM_TYPE_I32);
  assert_int_equal(pm_function_call(f, sizes, 2, (const pm_buffer *[]){&img, &both, &down}, 3), 0);
}

/* A window of its own memory with the elements lo to hi - 1; less by one at a side of `cut`, 0 to 3. */
static pm_buffer window_of(const int64_t *lo, const int64_t *hi, int cut) {
  int64_t first[2] = {lo[0] + (cut == 0), lo[1] + (cut == 2)};
  int64_t n[2] = {hi[0] - (cut == 1) - first[0], hi[1] - (cut == 3) - first[1]};
  int16_t *host = malloc((size_t)(n[0] * n[1]) * sizeof *host + 1);
  if (!host) abort();
  for (int64_t i = 0; i < n[0]; i++)
    for (int64_t k = 0; k < n[1]; k++) host[i * n[1] + k] = picture[first[0] + i][first[1] + k];
  return (pm_buffer){host, PM_TYPE_I16, 2, {{first[0], n[0], n[1]}, {first[1], n[1], 1}}};
}

typedef int32_t outputs[2][ROWS][COLUMNS];

static int compute(const pm_function *f, const int64_t *box, int cut, outputs out) {
  int64_t lo[2], hi[2];
  pm_buffer both = dense(out[0], PM_TYPE_I32), down = dense(out[1], PM_TYPE_I32);
  int wrong = pm_function_needs(f, sizes, box, IMG, lo, hi);
  if (wrong) return wrong;
  pm_buffer img = window_of(lo, hi, cut);
  int code = pm_function_region(f, sizes, 2, box, (const pm_buffer *[]){&img, &both, &down}, 3);
  free(img.host);
  return code;
}

/* Whether `out` has that box of the whole, and -1 elsewhere. */
static bool is_box(const int64_t *box, outputs out) {
  for (int o = 0; o < 2; o++, box += 4)
    for (int i = 0; i < ROWS; i++)
      for (int k = 0; k < COLUMNS; k++) {
        bool inside = box[0] <= i && i < box[1] && box[2] <= k && k < box[3];
        if (out[o][i][k] != (inside ? whole[o][i][k] : -1)) return false;
      }
  return true;
}

/* Its boxes are as many as there are, from `first` on at steps. */
typedef struct part {
  const pm_function *f;
  int first, step, wrong;
} part;

static void *compute_boxes(void *user) {
  part *p = user;
  int number = 0;
  outputs out;
  for (int x = 0; x < R; x++)
    for (int to = x + 1; to <= R; to++)
      for (int y = 0; y < C; y++) {
        if (number++ % p->step != p->first) continue;
        /* Another box of the second output. */
        int64_t box[8] = {x, to, y, C, ROWS - to, ROWS - x, 0, y + 1};
        if (number % 5 == 0) box[4 * (number % 2)] = box[4 * (number % 2) + 1]; /* one is empty */
        memset(out, -1, sizeof out);
        if (compute(p->f, box, -1, out) != 0 || !is_box(box, out)) p->wrong++;
      }
  return NULL;
}

static void boxes_equal_the_whole(const pm_options *options) {
  pm_function *f = compile(options);
  pthread_t threads[4];
  part parts[4];
  assert_int_equal(pm_function_box(f), 8);
  compute_whole(f);
  for (int i = 0; i < 4; i++) {
    parts[i] = (part){f, i, 4, 0};
    assert_int_equal(pthread_create(&threads[i], NULL, compute_boxes, &parts[i]), 0);
  }
  for (int i = 0; i < 4; i++) {
    assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(parts[i].wrong, 0);
  }
  pm_function_free(f);
}

static void boxes_of_c(void **state) {
  (void)state;
  boxes_equal_the_whole(&(pm_options){.regions = 1, .flags = "-O1"});
}

#ifdef PM_WITH_LLVM
static void boxes_of_llvm(void **state) {
  (void)state;
  boxes_equal_the_whole(&(pm_options){.regions = 1, .target = "llvm"});
  boxes_equal_the_whole(&(pm_options){.regions = 1, .target = "llvm", .in_process = 1});
}
#endif

static void wrong_boxes_and_windows_are_codes(void **state) {
  (void)state;
  static const struct {
    int64_t box[8];
    int code;
    const char *why;
  } rows[] = {
      {{0, 5, 0, 7, 0, 7, 0, 7}, 0, "no error"},
      {{3, 3, 1, 1, 2, 2, 4, 4}, 0, "no error"}, /* nothing is done */
      {{3, 3, 1, 5, 2, 2, 0, 7}, 0, "no error"},
      {{3, 3, 1, 5, 2, 4, 4, 5}, 0, "no error"}, /* one box of two is empty */
      {{3, 4, 1, 5, 6, 6, 0, 7}, 0, "no error"},
      {{3, 3, 1, 8, 2, 4, 4, 5}, 7, "dimension 1 of the box of 'both' is 1:8, but should be in 0:7"},
      {{-1, 3, 0, 1, 0, 1, 0, 1}, 7, "dimension 0 of the box of 'both' is -1:3, but should be in 0:5"},
      {{4, 3, 0, 1, 0, 1, 0, 1}, 7, "dimension 0 of the box of 'both' is 4:3, but should be in 0:5"},
      {{0, 3, 0, 1, 0, 8, 0, 1}, 7, "dimension 0 of the box of 'down' is 0:8, but should be in 0:7"},
      {{0, INT64_C(0x100000003), 0, 1, 0, 1, 0, 1},
       7,
       "dimension 0 of the box of 'both' is 0:4294967299, but should be in 0:5"}};
  pm_function *f = compile(&(pm_options){.regions = 1, .flags = "-O1"});
  outputs out, untouched;
  memset(untouched, -1, sizeof untouched);
  compute_whole(f);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    pm_buffer img = dense(picture, PM_TYPE_I16), both = dense(out[0], PM_TYPE_I32),
              down = dense(out[1], PM_TYPE_I32);
    memset(out, -1, sizeof out);
    int code = pm_function_region(f, sizes, 2, rows[i].box, (const pm_buffer *[]){&img, &both, &down}, 3);
    if (code != rows[i].code) fail_msg("row %zu: %d", i, code);
    char why[200];
    pm_function_explain(f, sizes, 2, rows[i].box, (const pm_buffer *[]){&img, &both, &down}, 3, code, why,
                        sizeof why);
    assert_string_equal(why, rows[i].why);
    if (code) assert_memory_equal(out, untouched, sizeof out);
    if (!code) assert_true(is_box(rows[i].box, out));
  }
  for (int cut = 0; cut < 4; cut++) {
    memset(out, -1, sizeof out);
    assert_int_equal(compute(f, rows[0].box, cut, out), 6);
    assert_memory_equal(out, untouched, sizeof out);
  }
  int64_t lo[2], hi[2];
  assert_int_equal(pm_function_needs(f, sizes, rows[2].box, IMG, lo, hi), 0);
  for (int d = 0; d < 2; d++) assert_true(lo[d] == 0 && hi[d] == 0);
  assert_string_equal(pm_function_region_strerror(f, 6), "an array lacks elements that the boxes need");
  assert_string_equal(pm_function_region_strerror(f, 0), "no error");
  pm_function_free(f);
}

static void wrong_arguments_are_codes(void **state) {
  (void)state;
  static const int64_t box[8] = {0, 5, 0, 7, 0, 7, 0, 7};
  pm_function *f = compile(&(pm_options){.regions = 1, .flags = "-O1"});
  int64_t lo[2], hi[2];
  outputs out;
  pm_buffer img = dense(picture, PM_TYPE_I16), both = dense(out[0], PM_TYPE_I32),
            down = dense(out[1], PM_TYPE_I32), none = dense(NULL, PM_TYPE_I32);
  const pm_buffer *arrays[] = {&img, &both, &down};
  img.dim[1].extent--;
  char why[200];
  assert_int_equal(pm_function_region(f, sizes, 2, box, arrays, 3), 6);
  pm_function_explain(f, sizes, 2, box, arrays, 3, 6, why, sizeof why);
  assert_string_equal(why, "dimension 1 of array 'img' has the indices 0:8, but should have 0:9");
  img.dim[1].extent++;
  img.dim[0].min = INT64_MIN + 2;
  assert_int_equal(pm_function_region(f, sizes, 2, box, arrays, 3), 6);
  img.dim[0].min = 0;
  assert_int_equal(pm_function_region(f, sizes, 1, box, arrays, 3), 8);
  assert_int_equal(pm_function_region(f, sizes, 2, box, arrays, 2), 8);
  assert_int_equal(pm_function_region(f, sizes, 2, NULL, arrays, 3), 10);
  assert_int_equal(pm_function_region(f, sizes, 2, box, (const pm_buffer *[]){&img, &both, NULL}, 3), 1);
  assert_int_equal(pm_function_region(f, sizes, 2, box, (const pm_buffer *[]){&img, &both, &none}, 3), 1);
  assert_int_equal(pm_function_region(f, sizes, 2, box, (const pm_buffer *[]){&both, &img, &down}, 3), 5);
  assert_int_equal(pm_function_region_bytes(f, sizes, NULL), -10);
  assert_true(pm_function_region_bytes(f, sizes, box) >= 0);
  assert_int_equal(pm_function_needs(f, sizes, box, 3, lo, hi), 8);
  assert_int_equal(pm_function_needs(f, sizes, box, DOWN, lo, hi), 0);
  assert_int_equal(lo[0], 0);
  assert_int_equal(hi[1], 7);
  pm_function_free(f);
}

static void a_function_may_have_none(void **state) {
  (void)state;
  static const int64_t box[8] = {0};
  int64_t lo[2], hi[2];
  pm_function *f = compile(&(pm_options){.flags = "-O1"});
  assert_int_equal(pm_function_box(f), 0);
  assert_int_equal(pm_function_needs(f, sizes, box, IMG, lo, hi), 11);
  assert_int_equal(pm_function_region(f, sizes, 2, box, (const pm_buffer *[]){NULL}, 3), 11);
  assert_string_equal(pm_function_region_strerror(f, 11), "the function computes no boxes");
  pm_function_free(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(boxes_of_c),
#ifdef PM_WITH_LLVM
      cmocka_unit_test(boxes_of_llvm),
#endif
      cmocka_unit_test(wrong_boxes_and_windows_are_codes),
      cmocka_unit_test(wrong_arguments_are_codes),
      cmocka_unit_test(a_function_may_have_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
