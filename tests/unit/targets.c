/* Targets of a context, the check of ops by class and of memory, and the skeleton `null`. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "dialects/arith/arith.h"
#include "dialects/dialects.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/loop.h"
#include "dialects/loop/vec.h"
#include "ir/builtin.h"
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

/* With the targets of the tree; what goes wrong is told to `messages`. */
static pm_context *new_context(pm_buf *messages) {
  pm_context *ctx = pm_context_new();
  pm_register_all_dialects(ctx);
  pm_register_all_targets(ctx);
  pm_set_diag_handler(ctx, collect, messages);
  return ctx;
}

/* By the target of that name, or, when that is NULL, by `own`. The result is the caller's: free_emission. */
static emission emit_by(const char *name, const pm_target *own, const char *text) {
  emission result = {0};
  pm_context *ctx = new_context(&result.messages);
  pm_module *module = pm_parse_module(ctx, "test", text, strlen(text), true);
  if (!module) fail_msg("%s", result.messages.data);
  result.ok = pm_emit(name ? pm_find_target(ctx, name) : own, module, "test.h", &result.out);
  pm_module_free(module);
  pm_context_free(ctx);
  return result;
}

static emission emit(const char *name, const char *text) {
  return emit_by(name, NULL, text);
}

static void free_emission(emission *result) {
  pm_buf_free(&result->messages);
  pm_target_output_free(&result->out);
}

static void finds_targets(void **state) {
  pm_buf messages = {0};
  pm_context *ctx = new_context(&messages);
  (void)state;
  assert_string_equal(pm_target_at(ctx, 0)->name, "c");
  assert_null(pm_find_target(ctx, "fortran"));
  for (size_t i = 0; i < pm_target_count(ctx); i++)
    assert_ptr_equal(pm_find_target(ctx, pm_target_at(ctx, i)->name), pm_target_at(ctx, i));
  pm_context_free(ctx);
}

/* --- a small target of the test --- */

static bool emit_nothing(pm_module *module, const char *header_name, pm_target_output *out) {
  (void)module;
  (void)header_name;
  pm_buf_puts(&out->source, "nothing");
  return true;
}

static const pm_target_form small_forms[] = {
    {&builtin_module, PM_FORM_SCALAR}, {&loop_func, PM_FORM_SCALAR},  {&loop_param, PM_FORM_SCALAR},
    {&buf_alloc, PM_FORM_SCALAR},      {&arith_addi, PM_FORM_SCALAR}, {&arith_addi, PM_FORM_VECTOR},
    {&arith_cmp, PM_FORM_MASK},        {&vec_splat, PM_FORM_ANY},     {NULL, 0}};
static const pm_target_file small_files[] = {{"small", PM_FILE_SOURCE, false}, {NULL, PM_FILE_SOURCE, false}};
static const pm_target_file compiled_files[] = {
    {"small", PM_FILE_SOURCE, false}, {"o", PM_FILE_COMPILED, false}, {NULL, PM_FILE_SOURCE, false}};
static const pm_target small = {.name = "small",
                                .doc = "of the test",
                                .schedule = "",
                                .lower = "",
                                .has = PM_TARGET_STACK,
                                .forms = small_forms,
                                .files = small_files,
                                .emit = emit_nothing};

/* What is refused at registration leaves the context as it was. */
static void registers_targets(void **state) {
  pm_buf messages = {0};
  pm_context *ctx = new_context(&messages);
  size_t before = pm_target_count(ctx);
  pm_target other = small;
  (void)state;
  assert_true(pm_register_target(ctx, &small));
  assert_ptr_equal(pm_find_target(ctx, "small"), &small);
  assert_int_equal(pm_target_find_file(&small, "small")->kind, PM_FILE_SOURCE);
  assert_null(pm_target_find_file(&small, "so"));
  assert_false(pm_register_target(ctx, &other));
  other.name = "other";
  other.files = compiled_files;
  assert_false(pm_register_target(ctx, &other));
  assert_int_equal(pm_target_count(ctx), before + 1);
  assert_string_equal(messages.data,
                      "there is a target 'small' already\n"
                      "the target 'other' has files .o, but should have a hook to compile them\n");
  pm_buf_free(&messages);
  pm_context_free(ctx);
}

typedef struct form_row {
  const char *body, *message; /* NULL: taken */
} form_row;

/* In a function with an i32 %x, an i1 %b and vectors of 4 of them, %v and %m. */
static const form_row form_rows[] = {
    {"%y = arith.addi %x, %x : i32\n", NULL},
    {"%y = arith.addi %v, %v : vector<4xi32>\n", NULL},
    {"%y = arith.addi %m, %m : vector<4xi1>\n",
     "'arith.addi' is an op that the target 'small' has no form of for masks (vectors of i1)\n"},
    {"%y = arith.cmp lt, %v, %v : vector<4xi32>\n", NULL},
    {"%y = arith.cmp lt, %x, %x : i32\n",
     "'arith.cmp' is an op that the target 'small' has no form of for scalars\n"},
    {"%y = arith.subi %x, %x : i32\n", "'arith.subi' is not an op that the target 'small' knows\n"},
    {"%y = buf.alloc() : memref<4xi32, stack>\n", NULL},
    {"%y = buf.alloc() : memref<4xi32, heap>\n",
     "'buf.alloc' is memory in the space 'heap', which the target 'small' lacks\n"},
};

static void refuses_what_it_has_no_form_for(void **state) {
  (void)state;
  for (size_t i = 0; i < PM_COUNT(form_rows); i++) {
    pm_buf text = {0};
    pm_buf_printf(&text,
                  "loop.func @f {\n%%x = loop.param @x : i32\n%%b = loop.param @b : i1\n"
                  "%%v = vec.splat %%x : (i32) -> vector<4xi32>\n"
                  "%%m = vec.splat %%b : (i1) -> vector<4xi1>\n%s}\n",
                  form_rows[i].body);
    emission result = emit_by(NULL, &small, text.data);
    assert_int_equal(result.ok, !form_rows[i].message);
    assert_int_equal(result.out.source.len > 0, result.ok);
    assert_string_equal(result.messages.data ? result.messages.data : "",
                        form_rows[i].message ? form_rows[i].message : "");
    free_emission(&result);
    pm_buf_free(&text);
  }
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
  static const char *const names[] = {"c", "null"};
  (void)state;
  for (size_t i = 0; i < PM_COUNT(names); i++) {
    emission result = emit(names[i], "stage.pipeline @p {\n}\n");
    char expected[128];
    snprintf(expected, sizeof expected, "'stage.pipeline' @p is not an op that the target '%s' knows\n",
             names[i]);
    assert_false(result.ok);
    assert_string_equal(result.messages.data, expected);
    assert_int_equal(result.out.source.len, 0);
    free_emission(&result);
  }
}

/* What lower-abi has not been at. */
static void refuses_what_has_no_abi(void **state) {
  static const struct {
    const char *op, *message;
  } rows[] = {{"loop.require %c, \"said\"\n",
               "'loop.require' has no code, or no size in bytes, but the target 'c' wants the form 'abi'\n"},
              {"%t = buf.alloc(%n) : memref<?xf32, heap>\n",
               "'buf.alloc' has no code, or no size in bytes, but the target 'c' wants the form 'abi'\n"}};
  (void)state;
  for (size_t i = 0; i < PM_COUNT(rows); i++) {
    pm_buf text = {0};
    pm_buf_printf(&text, "loop.func @f {\n%%n = loop.param @n : index\n%%c = arith.constant true\n%s}\n",
                  rows[i].op);
    emission result = emit("c", text.data);
    assert_false(result.ok);
    assert_string_equal(result.messages.data, rows[i].message);
    free_emission(&result);
    pm_buf_free(&text);
  }
}

/* What lay-out-items and place-barriers have not been at. */
static void refuses_kernels_without_groups_and_barriers(void **state) {
  static const struct {
    const char *group, *between, *message;
  } rows[] = {{"", "", "'loop.call' is launched in groups whose work-items are not known"},
              {"group [8]", "", "'loop.call' launches a kernel that lacks a barrier between its work-items"},
              {"group [8]", "loop.barrier\n", NULL},
              {"group [1, 1]", "", NULL},
              {"group [8] {\n}\nloop.barrier\nloop.parallel %h = %c to %n step 1 group [8]", "loop.barrier\n",
               "'loop.barrier' is on the host, where there are no work-items"}};
  (void)state;
  for (size_t i = 0; i < PM_COUNT(rows); i++) {
    pm_buf text = {0};
    pm_buf_printf(
        &text,
        "loop.func @f {\n%%n = loop.param @n : index\n%%c = arith.constant 0 : index\n"
        "%%o = buf.output @o(%%n) : memref<?xindex>\n"
        "loop.parallel %%g = %%c to %%n step 1 %s {\nloop.call @k(%%n, %%o) : index, memref<?xindex>\n}\n}\n"
        "loop.func private @k {\n%%n = loop.param @n : index\n%%c = arith.constant 0 : index\n"
        "%%o = buf.argument @o(%%n) : memref<?xindex>\nbuf.store %%n, %%o[%%c] : memref<?xindex>\n%s"
        "loop.parallel %%x = %%c to %%n step 1 items {\nbuf.store %%x, %%o[%%x] : memref<?xindex>\n}\n}\n",
        rows[i].group, rows[i].between);
    emission result = emit("opencl", text.data);
    assert_int_equal(result.ok, rows[i].message == NULL);
    if (rows[i].message) assert_non_null(strstr(result.messages.data, rows[i].message));
    free_emission(&result);
    pm_buf_free(&text);
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
      cmocka_unit_test(registers_targets),
      cmocka_unit_test(refuses_what_it_has_no_form_for),
      cmocka_unit_test(null_prints_a_line_an_op),
      cmocka_unit_test(refuses_ops_of_other_dialects),
      cmocka_unit_test(refuses_what_has_no_abi),
      cmocka_unit_test(refuses_kernels_without_groups_and_barriers),
      cmocka_unit_test(refuses_equal_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
