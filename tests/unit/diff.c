/* Differences of texts: applied to the first, they give the second. */
#include "tools/lib/diff.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void put_unified(void *user, char kind, pm_str line) {
  if (kind != '@') pm_buf_putc(user, kind);
  pm_buf_put(user, line.ptr, line.len);
  pm_buf_putc(user, '\n');
}

static const struct {
  const char *before, *after, *expected;
} rows[] = {
    {"", "", ""},
    {"a\nb\n", "a\nb\n", ""},
    {"", "a\n", "@@ -0,0 +1,1 @@\n+a\n"},
    {"a\n", "", "@@ -1,1 +0,0 @@\n-a\n"},
    {"a\nb\nc\n", "a\nx\nc", "@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n"},
    {"1\n2\n3\n4\n5\n6\n", "1\n2\n3\n4\n5\n6\n7\n", "@@ -4,3 +4,4 @@\n 4\n 5\n 6\n+7\n"},
    {"a\n1\n2\n3\n4\n5\n6\nb\n", "1\n2\n3\n4\n5\n6\n", "@@ -1,8 +1,6 @@\n-a\n 1\n 2\n 3\n 4\n 5\n 6\n-b\n"},
    {"a\n1\n2\n3\n4\n5\n6\n7\nb\n", "1\n2\n3\n4\n5\n6\n7\n",
     "@@ -1,4 +1,3 @@\n-a\n 1\n 2\n 3\n@@ -6,4 +5,3 @@\n 5\n 6\n 7\n-b\n"},
};

static void hunks_are_unified(void **state) {
  (void)state;
  for (size_t i = 0; i < PM_COUNT(rows); i++) {
    pm_buf got = {0};
    pm_diff(pm_str_of(rows[i].before), pm_str_of(rows[i].after), put_unified, &got);
    assert_string_equal(got.data ? got.data : "", rows[i].expected);
    pm_buf_free(&got);
  }
}

/* Makes the second text of the first: what is between hunks is copied. */
typedef struct patch {
  pm_str before;
  size_t at, line, changed;
  pm_buf after;
} patch;

static void copy_line(patch *p) {
  const char *end = memchr(p->before.ptr + p->at, '\n', p->before.len - p->at);
  size_t n = (size_t)(end + 1 - p->before.ptr) - p->at;
  pm_buf_put(&p->after, p->before.ptr + p->at, n);
  p->at += n;
  p->line++;
}

static void apply(void *user, char kind, pm_str line) {
  patch *p = user;
  size_t from = 0, n = 0;
  p->changed += kind == '-' || kind == '+';
  if (kind == '@') assert_int_equal(sscanf(line.ptr, "@@ -%zu,%zu", &from, &n), 2);
  while (kind == '@' && p->line + (n > 0) < from) copy_line(p);
  if (kind == '+') put_unified(&p->after, '@', line);
  if (kind != ' ' && kind != '-') return;
  assert_memory_equal(p->before.ptr + p->at, line.ptr, line.len);
  if (kind == ' ') put_unified(&p->after, '@', line);
  p->at += line.len + 1;
  p->line++;
}

static void put_random(pm_buf *out, unsigned words) {
  pm_buf_printf(out, "%u\n", (unsigned)rand() % words);
}

/* Texts of `n` lines, of which one in `every` differs. */
static void check_random(unsigned n, unsigned words, unsigned every) {
  pm_buf a = {0}, b = {0};
  pm_buf_puts(&a, "");
  pm_buf_puts(&b, "");
  for (unsigned i = 0; i < n; i++) {
    size_t from = a.len;
    unsigned kind = (unsigned)rand() % every ? 3 : (unsigned)rand() % 3;
    put_random(&a, words);
    if (kind == 3) pm_buf_put(&b, a.data + from, a.len - from);
    if (kind == 1) put_random(&b, words);
    if (kind == 2) a.data[a.len = from] = 0;
  }
  patch p = {.before = {a.data, a.len}};
  pm_diff(p.before, (pm_str){b.data, b.len}, apply, &p);
  while (p.at < p.before.len) copy_line(&p);
  assert_string_equal(p.after.data ? p.after.data : "", b.data);
  assert_true(p.changed <= 2 * n);
  pm_buf_free(&a);
  pm_buf_free(&b);
  pm_buf_free(&p.after);
}

static void differences_give_the_second_text(void **state) {
  (void)state;
  srand(7);
  for (unsigned i = 0; i < 300; i++) check_random(i % 60, 1 + i % 7 * 5, 1 + i % 5);
  check_random(5000, 1000000, 50);
  check_random(3000, 2, 1);
  check_random(3000, 1000000, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hunks_are_unified),
      cmocka_unit_test(differences_give_the_second_text),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
