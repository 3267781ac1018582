/* When a line about long work is due: times are moved, so that no test waits. */
#include "tools/lib/driver/progress.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* As if so many seconds more had passed since the beginning. */
static void pass(pm_progress *p, double seconds) {
  p->begin -= seconds;
  p->next -= seconds;
}

/* Work that ends within a second is not mentioned, unless that is asked for. */
static void short_work_is_silent(void **state) {
  (void)state;
  pm_progress p = pm_progress_begin("test", PM_PROGRESS_AUTO);
  assert_true(p.next == p.begin + 1);
  p = pm_progress_begin("test", PM_PROGRESS_ALWAYS);
  assert_true(p.next == p.begin);
  p = pm_progress_begin("test", PM_PROGRESS_NEVER);
  assert_false(p.on);
}

/* In a log the time to the next line is a second, then what the work has taken. */
static void lines_of_a_log_become_rare(void **state) {
  (void)state;
  pm_progress p = pm_progress_begin("test", PM_PROGRESS_ALWAYS);
  p.terminal = false;
  for (double passed = 100; passed < 1e6; passed *= 10) {
    pass(&p, passed);
    double begin = p.begin;
    pm_progress_update(&p, 0, "step");
    assert_true(p.next - begin >= 2 * passed);
    assert_false(p.drawn);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(short_work_is_silent),
                                     cmocka_unit_test(lines_of_a_log_become_rare)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
