/* The order in which variants of a program are called. */
#include "tools/lib/measuring/measure.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { MOST = 9 };

static void each_follows_each_as_often(void **state) {
  (void)state;
  for (size_t n = 1; n <= MOST; n++) {
    size_t after[MOST][MOST] = {{0}};
    for (size_t round = 0; round < 2 * n; round++) {
      bool called[MOST] = {false};
      for (size_t k = 0; k < n; k++) {
        size_t i = pm_kth_of_round(k, n, round);
        assert_in_range(i, 0, n - 1);
        assert_false(called[i]);
        called[i] = true;
        if (k) after[i][pm_kth_of_round(k - 1, n, round)]++;
      }
    }
    for (size_t i = 0; i < n; i++)
      for (size_t other = 0; other < n; other++) assert_int_equal(after[i][other], i == other ? 0 : 2);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(each_follows_each_as_often)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
