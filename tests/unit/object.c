/* Object files of the system's C compiler, loaded without a linker: code and data of all kinds, what is
 * refused, and files that are damaged at each place. */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "targets/lib/object.h"

/* Freed by the caller. */
static pm_buf compile(const char *text) {
  char folder[] = P_tmpdir "/pm-unit-XXXXXX";
  pm_buf command = {0}, source = {0}, made = {0}, file = {0};
  assert_non_null(mkdtemp(folder));
  pm_buf_printf(&source, "%s/f.c", folder);
  pm_buf_printf(&made, "%s/f.o", folder);
  pm_buf_printf(&command, "cc -c -O1 -fPIC -o %s %s", made.data, source.data);
  assert_true(pm_write_file(source.data, text, strlen(text)));
  assert_int_equal(system(command.data), 0);
  file.data = pm_read_file(made.data, (size_t)1 << 20, &file.len);
  assert_non_null(file.data);
  (void)unlink(source.data);
  (void)unlink(made.data);
  (void)rmdir(folder);
  pm_buf_free(&command);
  pm_buf_free(&source);
  pm_buf_free(&made);
  return file;
}

static pm_outcome open_file(const pm_buf *file, pm_loaded *loaded, pm_report *report) {
  return pm_object_open(file, "f", &(pm_build_options){0}, loaded, report);
}

static void skip_elsewhere(void) {
#if !defined(__x86_64__) && !defined(__aarch64__)
  skip();
#endif
}

/* Opens the text's function `f`, which is of the caller's type. */
static pm_loaded open_text(const char *text) {
  pm_loaded loaded;
  pm_report report = {0};
  pm_buf file = compile(text);
  pm_outcome outcome = open_file(&file, &loaded, &report);
  if (outcome != PM_OUTCOME_OK) print_error("%s\n", report.error.data);
  assert_int_equal(outcome, PM_OUTCOME_OK);
  pm_buf_free(&file);
  return loaded;
}

static void refused(const char *text, const char *why) {
  pm_loaded loaded;
  pm_report report = {0};
  pm_buf file = compile(text);
  assert_int_equal(open_file(&file, &loaded, &report), PM_OUTCOME_REFUSED);
  assert_non_null(strstr(report.error.data, why));
  pm_buf_free(&report.error);
  pm_buf_free(&file);
}

static void code_and_data_are_in_place(void **state) {
  (void)state;
  skip_elsewhere();
  pm_loaded loaded = open_text("#include <math.h>\n#include <string.h>\n"
                               "static const double table[5] = {1, 2, 3, 4, 5};\n"
                               "static double twice(double x) { return 2 * x; }\n"
                               "static double half(double x) { return x / 2; }\n"
                               "static double (*const functions[])(double) = {sqrt, twice, half};\n"
                               "static double room[1000], last = 100;\n"
                               "double shared = 7;\n"
                               "int f_extent(void) { return 0; }\n"
                               "double f(int i, int j) {\n"
                               "  memmove(room + j, table, sizeof table);\n"
                               "  last += 1;\n"
                               "  return functions[i](room[j + 3]) + last + shared;\n"
                               "}\n");
  double (*f)(int, int) = NULL;
  memcpy(&f, &loaded.entry, sizeof f);
  assert_true(f(0, 9) == 2 + 101 + 7);
  assert_true(f(1, 700) == 8 + 102 + 7);
  assert_true(f(2, 0) == 2 + 103 + 7);
  assert_non_null(loaded.extent);
  assert_null(loaded.region);
  pm_object_close(&loaded);
}

static void copies_have_their_own_data(void **state) {
  static const char text[] = "static int n; int f(void) { return ++n; }";
  (void)state;
  skip_elsewhere();
  pm_loaded first = open_text(text), second = open_text(text);
  int (*f)(void) = NULL, (*g)(void) = NULL;
  memcpy(&f, &first.entry, sizeof f);
  memcpy(&g, &second.entry, sizeof g);
  assert_int_equal(f() + f(), 3);
  assert_int_equal(g(), 1);
  pm_object_close(&first);
  assert_int_equal(g(), 2);
  pm_object_close(&second);
}

static void destructors_run_once(void **state) {
  (void)state;
  skip_elsewhere();
  int ended = 0;
  pm_loaded loaded = open_text("static int *where;\n"
                               "__attribute__((destructor)) static void end(void) { ++*where; }\n"
                               "void f(int *p) { where = p; }\n");
  void (*f)(int *) = NULL;
  memcpy(&f, &loaded.entry, sizeof f);
  f(&ended);
  pm_object_close(&loaded);
  assert_int_equal(ended, 1);
}

static void some_are_refused(void **state) {
  (void)state;
  skip_elsewhere();
  refused("__attribute__((constructor)) void f(void) {}", "constructors");
  refused("__thread int n; int f(void) { return ++n; }", "memory of threads");
  refused("int unheard_of(void); int f(void) { return unheard_of(); }", "'unheard_of', which no library has");
  refused("int g(void) { return 1; }", "no function 'f'");
}

static void other_processors_are_refused(void **state) {
  (void)state;
  skip_elsewhere();
  pm_loaded loaded;
  pm_report report = {0};
  pm_buf file = compile("int f(void) { return 1; }");
  Elf64_Ehdr head;
  memcpy(&head, file.data, sizeof head);
  head.e_machine = EM_RISCV;
  memcpy(file.data, &head, sizeof head);
  assert_int_equal(open_file(&file, &loaded, &report), PM_OUTCOME_REFUSED);
  assert_non_null(strstr(report.error.data, "x86-64 and AArch64"));
  pm_buf_free(&report.error);
  pm_buf_free(&file);
}

/* It is opened or not, but nothing outside of it is read or written. */
static void try_file(const pm_buf *file) {
  pm_loaded loaded;
  pm_report report = {0};
  if (open_file(file, &loaded, &report) == PM_OUTCOME_OK)
    pm_object_close(&loaded);
  else
    assert_true(report.error.len > 0);
  pm_buf_free(&report.error);
}

static void damaged_files_do_no_harm(void **state) {
  static const unsigned char others[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
  (void)state;
  skip_elsewhere();
  pm_buf file = compile("#include <math.h>\nstatic const double t[3] = {1, 2, 3}; double room[8];\n"
                        "double f(int i) { room[i] = sqrt(t[i]); return room[i]; }\n");
  for (size_t len = 0; len < file.len; len++) {
    pm_buf part = {0};
    pm_buf_put(&part, file.data, len);
    try_file(&part);
    pm_buf_free(&part);
  }
  for (size_t i = 0; i < file.len; i++)
    for (size_t j = 0; j < PM_COUNT(others); j++) {
      pm_buf changed = {0};
      pm_buf_put(&changed, file.data, file.len);
      changed.data[i] = (char)others[j];
      try_file(&changed);
      pm_buf_free(&changed);
    }
  pm_buf_free(&file);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(code_and_data_are_in_place),   cmocka_unit_test(copies_have_their_own_data),
      cmocka_unit_test(destructors_run_once),         cmocka_unit_test(some_are_refused),
      cmocka_unit_test(other_processors_are_refused), cmocka_unit_test(damaged_files_do_no_harm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
