/* Text inside HTML: entities, and what is no UTF-8. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tools/lib/page/markup.h"

#define BAD "\xef\xbf\xbd"

typedef struct row {
  const char *text, *expected;
} row;

static const row markup_rows[] = {
    {"plain", "plain"},
    {"<a href=\"x\">'&'</a>", "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;"},
    {"tab\tline\n", "tab\tline\n"},
    {"\x01\x1b[0m\r\x7f", BAD BAD "[0m" BAD BAD},
    {"\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80", "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80"},
    {"\xc0\xbc", BAD BAD},
    {"\xe0\x80\xbc", BAD BAD BAD},
    {"\xed\xa0\x80", BAD BAD BAD},
    {"\xf4\x90\x80\x80", BAD BAD BAD BAD},
    {"\xf8\x88\x80\x80\x80", BAD BAD BAD BAD BAD},
    {"\xc3", BAD},
    {"\xe2\x82", BAD BAD},
    {"\xe2\x82<", BAD BAD "&lt;"},
    {"\xf0\x9f\x98", BAD BAD BAD},
    {"\x80\xbf", BAD BAD},
};

static const row dot_rows[] = {
    {"plain", "plain"},
    {"\\", "\\\\"},
    {"a\\\"b\\N", "a\\\\&quot;b\\\\N"},
    {"", ""},
};

static void compare(const char *expected, pm_buf *out) {
  assert_string_equal(expected, out->data ? out->data : "");
  pm_buf_free(out);
}

static void test_markup(void **state) {
  (void)state;
  for (size_t i = 0; i < PM_COUNT(markup_rows); i++) {
    pm_buf out = {0};
    pm_puts_markup(&out, markup_rows[i].text);
    compare(markup_rows[i].expected, &out);
  }
}

static void test_zero_byte(void **state) {
  (void)state;
  pm_buf out = {0};
  pm_put_markup(&out, (pm_str){"a\0b\xc3\xa4", 4});
  compare("a" BAD "b" BAD, &out);
}

static void test_dot_string(void **state) {
  (void)state;
  for (size_t i = 0; i < PM_COUNT(dot_rows); i++) {
    pm_buf out = {0};
    pm_puts_dot_string(&out, dot_rows[i].text);
    compare(dot_rows[i].expected, &out);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_markup), cmocka_unit_test(test_zero_byte),
                                     cmocka_unit_test(test_dot_string)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
