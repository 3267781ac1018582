/* Sets as diagnostics say them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "dialects/dialects.h"
#include "dialects/isl/conditions.h"
#include "ir/ir.h"

#include <isl/set.h>

static const struct {
  const char *set, *names, *text; /* names: one character each */
} rows[] = {
    {"[R, C] -> { : R > 0 and C >= 3 }", "", "R > 0 and C >= 3"},
    {"[R] -> { : }", "", "anything"},
    {"[R] -> { : R > 0 and R < 0 }", "", "nothing"},
    {"[C] -> { [x, y] : 4 <= y <= C - 5 }", "xy", "4 <= y <= C - 5"},
    {"[R] -> { [x] : x <= 2R - 2 }", "x", "x <= 2*R - 2"},
    {"[R] -> { [a] : a <= R + 7 }", "x", "x <= R + 7"},
    {"[R, C] -> { [a] : R - 3 <= a < R + 2C }", "x", "R - 3 <= x < R + 2*C"},
    {"[R] -> { s[a, b = 0] : a = R - 1 }", "xy", "x = R - 1 and y = 0"},
    {"[n] -> { : n <= 3 or n >= 12 }", "", "anything, but not 4 <= n <= 11"},
    {"[n] -> { : 0 < n <= 63 or n >= 128 }", "", "n > 0, but not 64 <= n <= 127"},
    {"[n] -> { : n = 1 or n = 3 or n >= 7 }", "", "n > 0, but not n = 2 and not 4 <= n <= 6"},
    {"[m, n] -> { : n > 0 and m > 0 and (n <= 63 or n >= 128) and (m <= 9 or m >= 20) }", "",
     "m > 0 and n > 0, but not 10 <= m <= 19 and not 64 <= n <= 127"},
    {"[n, m] -> { : n > 0 and m > 0 and (n >= 5 or m >= 7) }", "",
     "n > 0 and m > 0, but not (n <= 4 and m <= 6)"},
    {"[R, C] -> { : R >= 5 and (C >= 4 or C = R) }", "", "R >= 5 and C >= 4"},
    {"[R, C] -> { : C >= 4 or C = R }", "", "C >= 4 or C = R"},
    {"[n] -> { : n >= 5 or (n mod 2 = 0 and n >= 0) }", "", "n >= 0, but not ((n + 1) mod 2 = 0 and n <= 4)"},
    {"[n] -> { : (exists k : n = 8k) or (exists k : n = 8k + 1) }", "", "8*floor(n/8) >= n - 1"},
    {"[R] -> { : R mod 2 = 0 and R >= 5 }", "", "R mod 2 = 0 and R >= 5"},
    {"[n_1] -> { : n_1 <= -3 }", "", "n_1 <= -3"},
};

static void check(pm_context *ctx, const char *set_text, const char *names, const char *text) {
  isl_set *set = isl_set_read_from_str(pm_isl_ctx(ctx), set_text);
  pm_string list[8];
  pm_buf out = {0};
  assert_non_null(set);
  for (unsigned i = 0; names[i]; i++) list[i] = pm_get_string(ctx, (pm_str){&names[i], 1});
  isl_put_conditions(&out, set, list);
  assert_string_equal(out.data, text);
  pm_buf_free(&out);
  isl_set_free(set);
}

static void says_conditions(void **state) {
  (void)state;
  pm_context *ctx = pm_context_new();
  pm_register_all_dialects(ctx);
  for (size_t i = 0; i < PM_COUNT(rows); i++) check(ctx, rows[i].set, rows[i].names, rows[i].text);
  pm_context_free(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(says_conditions)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
