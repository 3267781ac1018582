/* Programs that are made by calls, of Halide: values, messages and the end (pm/session.h). */
#include "pm/session.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

typedef struct said {
  int n;
  char text[400];
  unsigned line;
} said;

static void note(void *user, const pm_message *message) {
  said *s = user;
  s->n++;
  s->line = message->line;
  snprintf(s->text, sizeof s->text, "%s", message->text);
}

static const pm_place here = {.line = 7, .column = 3};

static pm_session *opened(said *s) {
  pm_session *session;
  assert_int_equal(pm_session_open("halide", &(pm_options){.handler = note, .user = s}, &session), PM_OK);
  return session;
}

static pm_host_value number(int64_t i) {
  return (pm_host_value){.kind = PM_HOST_INT, .i = i};
}

static pm_host_value text(const char *t) {
  return (pm_host_value){.kind = PM_HOST_TEXT, .text = t, .len = strlen(t)};
}

static pm_status call_of(pm_session *s, const pm_host_value *callee, const pm_host_value *args, size_t n,
                         pm_host_value *result) {
  pm_host_argument given[4] = {0};
  for (size_t i = 0; i < n; i++) given[i].value = args[i];
  return pm_session_call(s, here, callee, given, n, result);
}

static pm_host_value called(pm_session *s, const char *name, const pm_host_value *args, size_t n) {
  pm_host_value callee, result;
  assert_int_equal(pm_session_find(s, here, name, &callee), PM_OK);
  assert_int_equal(call_of(s, &callee, args, n, &result), PM_OK);
  return result;
}

static pm_status method(pm_session *s, pm_host_value self, const char *name, const pm_host_value *args,
                        size_t n, pm_host_value *result) {
  const pm_host_value parts[] = {self, text(name)};
  return call_of(s, &(pm_host_value){.kind = PM_HOST_TUPLE, .items = parts, .len = 2}, args, n, result);
}

static pm_host_value applied(pm_session *s, const char *word, pm_host_value a, pm_host_value b) {
  const pm_host_value both[] = {a, b};
  pm_host_value result;
  assert_int_equal(pm_session_apply(s, here, word, both, 2, &result), PM_OK);
  return result;
}

/* f(x) = 2 x, and what it is called. */
static pm_host_value doubled(pm_session *s, pm_host_value x) {
  const pm_host_value name = text("f");
  pm_host_value f = called(s, "Func", &name, 1), at;
  assert_int_equal(call_of(s, &f, &x, 1, &at), PM_OK);
  pm_host_value none = applied(s, "=", at, applied(s, "*", x, number(2)));
  assert_int_equal(none.kind, PM_HOST_NONE);
  return f;
}

static void test_program(void **state) {
  (void)state;
  said all = {0};
  pm_session *s = opened(&all);
  const pm_host_value name = text("x");
  pm_host_value x = called(s, "Var", &name, 1), f = doubled(s, x), result, type;
  assert_int_equal(method(s, f, "dimensions", NULL, 0, &result), PM_OK);
  assert_int_equal(result.kind, PM_HOST_INT);
  assert_int_equal(result.i, 1);
  assert_int_equal(pm_session_apply(s, here, "type", &f, 1, &type), PM_OK);
  assert_string_equal(type.text, "int32");
  assert_int_equal(method(s, f, "compute_root", NULL, 0, &result), PM_OK);
  const pm_host_value side[] = {number(5), number(4)};
  const pm_host_value sides[] = {{.kind = PM_HOST_LIST, .items = side, .len = 2}};
  applied(s, "box", f, (pm_host_value){.kind = PM_HOST_LIST, .items = sides, .len = 1});
  char *pmir;
  assert_int_equal(pm_session_finish(s, here, &f, NULL, &pmir), PM_OK);
  assert_non_null(strstr(pmir, "stage.pipeline @f"));
  assert_non_null(strstr(pmir, "5 <= x <= 8"));
  assert_int_equal(all.n, 0);
  pm_text_free(pmir);
  assert_int_equal(pm_session_find(s, here, "Func", &result), PM_OK); /* it has ended */
  pm_session_free(s);
}

/* A call that is refused leaves the session as it was, and the same mistake is told of again. */
static void test_mistakes(void **state) {
  (void)state;
  said all = {0};
  pm_session *s = opened(&all);
  const pm_host_value name = text("x");
  pm_host_value x = called(s, "Var", &name, 1), f = doubled(s, x), result;
  for (int i = 1; i <= 2; i++) {
    assert_int_equal(method(s, f, "compute_rot", NULL, 0, &result), PM_DIAGNOSED);
    assert_int_equal(all.n, i);
    assert_string_equal(all.text, "a Func has no member 'compute_rot'");
    assert_int_equal(all.line, 7);
  }
  assert_int_equal(pm_session_find(s, here, "nothing", &result), PM_DIAGNOSED);
  assert_string_equal(all.text, "'nothing' is no name of Halide's that is known here");
  assert_int_equal(pm_session_apply(s, here, "@", &x, 1, &result), PM_DIAGNOSED);
  assert_string_equal(all.text, "there is no '@' of 1 operands");
  assert_int_equal(call_of(s, &x, NULL, 0, &result), PM_DIAGNOSED);
  assert_string_equal(all.text, "this is a Var, a function or a Func should be called");
  assert_int_equal(call_of(s, &(pm_host_value){.kind = PM_HOST_ITEM, .i = 1000}, NULL, 0, &result),
                   PM_DIAGNOSED);
  const pm_host_value both[] = {x, number(1)};
  assert_int_equal(pm_session_apply(s, here, "=", both, 2, &result), PM_DIAGNOSED);
  assert_string_equal(all.text, "this is a Var, a call of a Func should be defined");
  assert_int_equal(pm_session_apply(s, here, "box", both, 2, &result), PM_DIAGNOSED);
  pm_host_argument named = {.keyword = "name", .value = name};
  pm_host_value func;
  assert_int_equal(pm_session_find(s, here, "Func", &func), PM_OK);
  assert_int_equal(pm_session_call(s, here, &func, &named, 1, &result), PM_DIAGNOSED);
  assert_string_equal(all.text, "arguments have no names here, 'name' has");
  assert_int_equal(pm_session_set(s, here, &f, "defn", &x), PM_DIAGNOSED);
  char *pmir;
  assert_int_equal(pm_session_finish(s, here, &x, NULL, &pmir), PM_DIAGNOSED);
  assert_string_equal(all.text, "this is a Var, a Func should be computed");
  assert_null(pmir);
  pm_session_free(s);
}

/* An input is read before its first point: outputs begin where they are said to. */
static void test_inputs(void **state) {
  (void)state;
  said all = {0};
  pm_session *s = opened(&all);
  const pm_host_value name = text("x"), bits = number(8);
  pm_host_value x = called(s, "Var", &name, 1), type = called(s, "UInt", &bits, 1);
  const pm_host_value of[] = {type, number(1), text("in")};
  pm_host_value in = called(s, "ImageParam", of, 3), f = called(s, "Func", NULL, 0), read, at,
                before = applied(s, "-", x, number(1));
  assert_int_equal(call_of(s, &in, &before, 1, &read), PM_OK);
  assert_int_equal(call_of(s, &f, &x, 1, &at), PM_OK);
  applied(s, "=", at, read);
  char *pmir;
  assert_int_equal(pm_session_finish(s, here, &f, NULL, &pmir), PM_DIAGNOSED);
  assert_non_null(strstr(all.text, "in is read outside of it"));
  pm_session_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_program), cmocka_unit_test(test_mistakes),
                                     cmocka_unit_test(test_inputs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
