/* Tables of named entries in a context: kinds are apart, names are unique in a kind, order is kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ir/diag.h"
#include "ir/registry.h"

static const pm_registry_kind fruit = {"fruit"}, tree = {"tree"};
static const int apple = 1, pear = 2, apple_tree = 3;

static void collect(void *user, pm_context *ctx, const pm_diag *diag) {
  (void)ctx;
  pm_buf_printf(user, "%s\n", diag->message);
}

static void finds_what_was_registered(void **state) {
  pm_context *ctx = pm_context_new();
  (void)state;
  assert_null(pm_find_entry(ctx, &fruit, "apple"));
  assert_true(pm_register_entry(ctx, &fruit, "apple", &apple));
  assert_true(pm_register_entry(ctx, &tree, "apple", &apple_tree));
  assert_true(pm_register_entry(ctx, &fruit, "pear", &pear));
  assert_ptr_equal(pm_find_entry(ctx, &fruit, "apple"), &apple);
  assert_ptr_equal(pm_find_entry(ctx, &tree, "apple"), &apple_tree);
  assert_null(pm_find_entry(ctx, &tree, "pear"));
  assert_int_equal(pm_entry_count(ctx, &fruit), 2);
  assert_ptr_equal(pm_entry_at(ctx, &fruit, 0), &apple);
  assert_ptr_equal(pm_entry_at(ctx, &fruit, 1), &pear);
  assert_int_equal(pm_entry_count(ctx, &tree), 1);
  assert_null(pm_entry_at(ctx, &tree, 1));
  pm_context_free(ctx);
}

static void refuses_a_name_that_is_taken(void **state) {
  pm_buf messages = {0};
  pm_context *ctx = pm_context_new();
  (void)state;
  pm_set_diag_handler(ctx, collect, &messages);
  assert_true(pm_register_entry(ctx, &fruit, "apple", &apple));
  assert_false(pm_register_entry(ctx, &fruit, "apple", &pear));
  assert_string_equal(messages.data, "there is a fruit 'apple' already\n");
  assert_int_equal(pm_entry_count(ctx, &fruit), 1);
  assert_ptr_equal(pm_find_entry(ctx, &fruit, "apple"), &apple);
  pm_context_free(ctx);
  pm_buf_free(&messages);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(finds_what_was_registered),
      cmocka_unit_test(refuses_a_name_that_is_taken),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
