/* The table of targets, the check of ops, and the skeleton `null`. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "dialects/dialects.h"
#include "ir/text.h"
#include "targets/target.h"

static void collect(void *user, pm_context *ctx, const pm_diag *diag) {
  (void)ctx;
  pm_buf_printf(user, "%s\n", diag->message);
}

typedef struct emission {
  bool ok;
  pm_buf messages;
  pm_target_output out;
} emission;

/* The result is the caller's: free_emission. */
static emission emit(const char *target, const char *text) {
  emission result = {0};
  pm_context *ctx = pm_context_new();
  pm_register_all_dialects(ctx);
  pm_set_diag_handler(ctx, collect, &result.messages);
  pm_module *module = pm_parse_module(ctx, "test", text, strlen(text), true);
  assert_non_null(module);
  result.ok = pm_emit(pm_find_target(target), module, "test.h", &result.out);
  pm_module_free(module);
  pm_context_free(ctx);
  return result;
}

static void free_emission(emission *result) {
  pm_buf_free(&result->messages);
  pm_target_output_free(&result->out);
}

static void finds_targets(void **state) {
  (void)state;
  assert_ptr_equal(pm_find_target("c"), &c_target);
  assert_null(pm_find_target("fortran"));
  for (size_t i = 0; i < pm_target_count(); i++)
    assert_ptr_equal(pm_find_target(pm_target_at(i)->name), pm_target_at(i));
}

static void null_prints_a_line_an_op(void **state) {
  (void)state;
  emission result = emit("null", "loop.func @f {\n"
                                 "  %c0 = arith.constant 0 : index\n"
                                 "  loop.for %i = %c0 to %c0 step 1 {\n"
                                 "    %j = arith.addi %i, %i : index\n"
                                 "  }\n"
                                 "}\n");
  assert_true(result.ok);
  assert_string_equal(result.out.source.data, "builtin.module\n"
                                              "  loop.func\n"
                                              "    arith.constant\n"
                                              "    loop.for\n"
                                              "      arith.addi\n");
  assert_int_equal(result.out.header.len, 0);
  free_emission(&result);
}

static void refuses_ops_of_other_dialects(void **state) {
  (void)state;
  for (size_t i = 0; i < pm_target_count(); i++) {
    const char *name = pm_target_at(i)->name;
    emission result = emit(name, "stage.pipeline @p {\n}\n");
    char expected[128];
    snprintf(expected, sizeof expected, "'stage.pipeline' @p is not an op that the target '%s' knows\n",
             name);
    assert_false(result.ok);
    assert_string_equal(result.messages.data, expected);
    assert_int_equal(result.out.source.len, 0);
    free_emission(&result);
  }
}

/* Two functions whose names differ only in what C does not take. */
static void refuses_equal_names(void **state) {
  (void)state;
  emission result = emit("c", "loop.func @\"a b\" {\n}\nloop.func @a_b {\n}\n");
  assert_false(result.ok);
  assert_non_null(strstr(result.messages.data, "has the name a_b in C, which another function has"));
  free_emission(&result);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(finds_targets),
      cmocka_unit_test(null_prints_a_line_an_op),
      cmocka_unit_test(refuses_ops_of_other_dialects),
      cmocka_unit_test(refuses_equal_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
