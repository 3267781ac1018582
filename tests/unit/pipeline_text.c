/* Edits of pipeline texts. */
#include "pm/pipeline_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct {
  const char *text, *pass, *option, *value, *expected;
} sets[] = {
    {"a,tile,b", "tile", "sizes", "8x8", "a,tile{sizes=8x8},b"},
    {"a(tile{sizes=1x2 x=\"} y\"}),b", "tile", "sizes", "3", "a(tile{x=\"} y\" sizes=3}),b"},
    {"a(tile { on })", "tile", "on", "false", "a(tile{on=false})"},
    {"tiles,my-tile,tile", "tile", "k", "v", "tiles,my-tile,tile{k=v}"},
    {"x{tile=3},y", "tile", "k", "v", "x{tile=3},y"},
    {"", "tile", "k", "v", ""},
};

static void options_are_set(void **state) {
  (void)state;
  for (size_t i = 0; i < PM_COUNT(sets); i++) {
    char *got = pm_pipeline_set(sets[i].text, sets[i].pass, sets[i].option, sets[i].value);
    assert_string_equal(got, sets[i].expected);
    free(got);
  }
}

static const struct {
  const char *text, *pass, *option, *expected; /* NULL: not given */
} gets[] = {
    {"a,tile{sizes=8x8},b", "tile", "sizes", "8x8"},
    {"s(group{ x=1  machine=\"a \\\"b\\\".json\" }),b", "group", "machine", "a \"b\".json"},
    {"group{x=1},group{machine=host}", "group", "machine", "host"},
    {"group{machines=3 machine},regroup{machine=x},group", "group", "machine", NULL},
    {"", "group", "machine", NULL},
};

static void options_are_read(void **state) {
  (void)state;
  for (size_t i = 0; i < PM_COUNT(gets); i++) {
    char *got = pm_pipeline_get(gets[i].text, gets[i].pass, gets[i].option);
    if (gets[i].expected)
      assert_string_equal(got, gets[i].expected);
    else
      assert_null(got);
    free(got);
  }
}

static const struct {
  const char *text, *setting, *expected; /* NULL: no such pass */
} merges[] = {
    {"a,tile,b", "tile{x=1 y=\"2 }\"}", "a,tile{x=1 y=\"2 }\"},b"},
    {"s(tile{x=3 z=4}),tile", "tile{ x=1 }", "s(tile{z=4 x=1}),tile{x=1}"},
    {"tiles", "tile{x=1}", NULL},
};

static void settings_are_merged(void **state) {
  (void)state;
  for (size_t i = 0; i < PM_COUNT(merges); i++) {
    char *got = pm_pipeline_merge(merges[i].text, merges[i].setting);
    if (merges[i].expected)
      assert_string_equal(got, merges[i].expected);
    else
      assert_null(got);
    free(got);
  }
}

static void settings_have_a_form(void **state) {
  static const char *const wrong[] = {"",         "tile",     "tile{}",      "tile{x}",    "tile{=1}",
                                      "tile{x=}", "tile{x=1", "tile{x=1},a", " tile{x=1}", "{x=1}"};
  (void)state;
  for (size_t i = 0; i < PM_COUNT(wrong); i++) assert_false(pm_pipeline_is_setting(wrong[i]));
  for (size_t i = 0; i < PM_COUNT(merges); i++) assert_true(pm_pipeline_is_setting(merges[i].setting));
}

static const struct {
  const char *text, *expected;
} drops[] = {
    {"a,x,b", "a,b"}, {"s(x,a),x{k=1}", "s(a)"}, {"s(a,x),b", "s(a),b"}, {"x", ""}, {"xx,x-x", "xx,x-x"}};

static void passes_are_dropped(void **state) {
  (void)state;
  for (size_t i = 0; i < PM_COUNT(drops); i++) {
    char *got = pm_pipeline_drop(drops[i].text, "x");
    assert_string_equal(got, drops[i].expected);
    free(got);
  }
}

static const struct {
  const char *text, *expected;
} untils[] = {{"a,x{k=\"(\"},b", "a,x{k=\"(\"}"},
              {"s(a,t(x,b),c),d", "s(a,t(x))"},
              {"s(a),b", "s(a),b"},
              {"s(a),x,x", "s(a),x"}};

static void passes_are_cut_off(void **state) {
  (void)state;
  for (size_t i = 0; i < PM_COUNT(untils); i++) {
    char *got = pm_pipeline_until(untils[i].text, "x");
    assert_string_equal(got, untils[i].expected);
    free(got);
  }
}

static void a_pass_is_taken_out(void **state) {
  (void)state;
  char *got = pm_pipeline_item("s(a,x{y=\"}\" z=1},x),b", "x");
  assert_string_equal(got, "x{y=\"}\" z=1}");
  free(got);
  assert_null(pm_pipeline_item("s(xx)", "x"));
}

static void passes_are_found_by_whole_name(void **state) {
  (void)state;
  assert_true(pm_pipeline_has("s(a,group{tile=3}),b", "group"));
  assert_false(pm_pipeline_has("s(a,group{tile=3}),b", "tile"));
  assert_false(pm_pipeline_has("s(regroup)", "group"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(options_are_set),     cmocka_unit_test(options_are_read),
      cmocka_unit_test(settings_are_merged), cmocka_unit_test(settings_have_a_form),
      cmocka_unit_test(passes_are_dropped),  cmocka_unit_test(passes_are_cut_off),
      cmocka_unit_test(a_pass_is_taken_out), cmocka_unit_test(passes_are_found_by_whole_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
