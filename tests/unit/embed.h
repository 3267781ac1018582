/* What the tests of pm.h as a host has it share: a program of one stage, and what is left of a test. */
#ifndef PM_TESTS_UNIT_EMBED_H
#define PM_TESTS_UNIT_EMBED_H

#include "pm/pm.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#if defined __SANITIZE_ADDRESS__
#define SANITIZED 1
#elif defined __has_feature
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif

/* --- a program and its values --- */

static const char blur[] = "R = Parameter(Int, \"R\")\n"
                           "C = Parameter(Int, \"C\")\n"
                           "img = Image(Float, \"img\", [R, C + 2])\n"
                           "x = Variable(Int, \"x\")\n"
                           "y = Variable(Int, \"y\")\n"
                           "rows = Interval(Int, 0, R - 1)\n"
                           "cols = Interval(Int, 1, C)\n"
                           "sum3 = Function(([x, y], [rows, cols]), Float, \"sum3\")\n"
                           "sum3.defn = [img(x, y - 1) + img(x, y) + img(x, y + 1)]\n";

static const pm_options quick = {.flags = "-O0"};

static inline pm_status read_blur(const pm_options *options, pm_program **program) {
  return pm_program_read("blur.py", blur, sizeof blur - 1, options, program);
}

enum { ROWS = 3, COLUMNS = 5 };

static inline void fill(float in[ROWS][COLUMNS + 2]) {
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLUMNS + 2; j++) in[i][j] = (float)(10 * i + j);
}

static inline void assert_blurs(const pm_function *f) {
  float in[ROWS][COLUMNS + 2], out[ROWS][COLUMNS];
  fill(in);
  const pm_buffer img = {in, PM_TYPE_F32, 2, {{0, ROWS, COLUMNS + 2}, {0, COLUMNS + 2, 1}}};
  const pm_buffer sum = {out, PM_TYPE_F32, 2, {{0, ROWS, COLUMNS}, {0, COLUMNS, 1}}};
  const pm_buffer *arrays[] = {&img, &sum};
  assert_int_equal(pm_function_call(f, (pm_argument[]){{ROWS}, {COLUMNS}}, 2, arrays, 2), 0);
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLUMNS; j++) assert_true(out[i][j] == in[i][j] + in[i][j + 1] + in[i][j + 2]);
}

/* The five calls; the status of the first that fails. */
static inline pm_status compile_blur(const pm_options *options, pm_function **f) {
  pm_program *program;
  *f = NULL;
  pm_status status = read_blur(options, &program);
  if (status == PM_OK) status = pm_program_compile(program, f);
  pm_program_free(program);
  return status;
}

static inline void assert_works(const pm_options *options) {
  pm_function *f;
  assert_int_equal(compile_blur(options, &f), PM_OK);
  assert_blurs(f);
  pm_function_free(f);
}

static inline bool is_long(void) {
  const char *all = getenv("PM_TEST_LONG");
  return all && strcmp(all, "1") == 0;
}

/* LLVM in a child, and here. */
static const pm_options apart = {.target = "llvm"}, inside = {.target = "llvm", .in_process = 1};

static inline void *compile_often(void *user) {
  for (int i = 0; i < 5; i++) assert_works(user);
  return NULL;
}

/* Pages of this process, of all memory or of what is resident. */
static inline long pages(int field) {
  long all = 0, resident = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  assert_non_null(file);
  assert_int_equal(fscanf(file, "%ld %ld", &all, &resident), 2);
  fclose(file);
  return field ? resident : all;
}

static inline size_t bytes_now(int field) {
  return (size_t)pages(field) * (size_t)sysconf(_SC_PAGESIZE);
}

/* --- what is left behind --- */

static inline int entries(const char *path) {
  int n = 0;
  DIR *files = opendir(path);
  assert_non_null(files);
  while (readdir(files)) n++;
  closedir(files);
  return n;
}

static char scratch[] = "/tmp/pm-embed-XXXXXX";
static int open_files;

static inline int begin(void **state) {
  (void)state;
  if (!mkdtemp(scratch)) return -1;
  setenv("TMPDIR", scratch, 1);
  open_files = entries("/proc/self/fd");
  return 0;
}

static inline int end(void **state) {
  (void)state;
  return rmdir(scratch);
}

static inline void nothing_is_left(void **state) {
  (void)state;
  assert_int_equal(entries(scratch), 2);
  assert_int_equal(entries("/proc/self/fd"), open_files);
}

#endif
