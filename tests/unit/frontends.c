/* The table of frontends, and a frontend that is made with the kit: that of the example plugin. */
#include "tests/plugin/frontend.c"

#include "dialects/dialects.h"
#include "frontends/frontend.h"
#include "ir/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void remember(void *user, pm_context *ctx, const pm_diag *diag) {
  (void)ctx;
  pm_buf_printf(user, "%u:%u: %s\n", (unsigned)diag->loc.line, (unsigned)diag->loc.col, diag->message);
}

static pm_context *new_context(pm_buf *log) {
  pm_context *ctx = pm_context_new();
  *log = (pm_buf){0};
  pm_buf_puts(log, "");
  pm_set_diag_handler(ctx, remember, log);
  pm_register_all_dialects(ctx);
  pm_register_all_frontends(ctx);
  return ctx;
}

static void files_have_frontends(void **state) {
  (void)state;
  pm_buf log;
  pm_context *ctx = new_context(&log);
  assert_null(pm_frontend_of_file(ctx, "a.rows"));
  register_rows(ctx);
  assert_ptr_equal(pm_frontend_of_file(ctx, "a.rows"), &rows_frontend);
  assert_string_equal(pm_frontend_of_file(ctx, "dir.rows/a.b.py")->name, "polymage");
  assert_string_equal(pm_frontend_of_file(ctx, "x.pm")->name, "polymage");
  assert_string_equal(pm_frontend_of_file(ctx, "x.pmir")->name, "pmir");
  assert_null(pm_frontend_of_file(ctx, "rows"));
  assert_ptr_equal(pm_find_frontend(ctx, "rows"), &rows_frontend);
  assert_null(pm_find_frontend(ctx, "row"));
  assert_non_null(pm_find_frontend_option(&rows_frontend, "name"));
  assert_null(pm_find_frontend_option(&rows_frontend, "const"));
  assert_string_equal(log.data, "");
  register_rows(ctx);
  assert_string_equal(log.data, "0:0: there is a frontend 'rows' already\n");
  pm_buf_free(&log);
  pm_context_free(ctx);
}

static void the_kit_makes_stages(void **state) {
  (void)state;
  static const struct {
    const char *text, *log, *printed; /* printed NULL: refused */
  } rows[] = {
      {"input img n\n"
       "stage for 0 n-2 = img+0 img+1\n"
       "\n"
       "stage by 0 3 = for+0\n"
       "output by\n",
       "4:1: the index leaves the domain for some small sizes; the pipeline takes only those with n >= 5\n",
       NULL},
      {"input img n\nstage by 1 n-2 = img-1 img+1\noutput by\n", "",
       "builtin.module {\n"
       "  stage.pipeline @two_words context #isl.set<\"[n] -> {  : n >= 1 }\"> {\n"
       "    %n = stage.param @n : i32\n"
       "    stage.input @img : f32 on #isl.set<\"[n] -> { [i] : 0 <= i < n }\">\n"
       "    stage.func @by : f32 on #isl.set<\"[n] -> { [x] : 1 <= x <= n + (-2) }\"> {\n"
       "      stage.case(%x) on #isl.set<\"[n] -> { [x] : 1 <= x <= n + (-2) }\"> {\n"
       "        %0 = stage.read @img[%x - 1] : f32\n"
       "        %1 = stage.read @img[%x + 1] : f32\n"
       "        %2 = arith.addf %0, %1 : f32\n"
       "        stage.yield %2 : f32\n"
       "      }\n"
       "    }\n"
       "    stage.output @by\n"
       "  }\n"
       "}\n"},
      {"input img n\nstage by 1 m-2 = img+0\n", "", NULL},
      {"input img n\nstage by 1 n-2 =\n", "2:1: a stage should have terms behind '='\n", NULL},
      {"inputs img n\n",
       "1:1: this is no line of a program: input, stage or output, and what belongs to it\n", NULL},
  };
  for (size_t i = 0; i < PM_COUNT(rows); i++) {
    pm_buf log, got = {0};
    pm_context *ctx = new_context(&log);
    pm_frontend_value value = {.option = &options[0], .text = "two words"};
    pm_frontend_input input = {
        .file = "t.rows", .text = rows[i].text, .len = strlen(rows[i].text), .values = &value, .n_values = 1};
    pm_module *module = read_rows(ctx, &input);
    if (*rows[i].log || rows[i].printed) assert_string_equal(log.data, rows[i].log);
    if (module) pm_print_module(&got, module, (pm_print_options){0});
    if (rows[i].printed) assert_string_equal(got.data, rows[i].printed);
    if (!module) assert_true(log.len > 0);
    if (module) pm_module_free(module);
    pm_buf_free(&got);
    pm_buf_free(&log);
    pm_context_free(ctx);
  }
}

static void names_are_legal_and_unique(void **state) {
  (void)state;
  pm_buf log;
  pm_context *ctx = new_context(&log);
  kit_names names;
  kit_names_init(&names, ctx);
  static const struct {
    const char *wanted, *found;
  } rows[] = {{"f", "f"},      {"f", "f_1"},   {"f", "f_2"}, {"a b", "a_b"},
              {"for", "for_"}, {"2x", "s_2x"}, {"", "s_"}};
  for (size_t i = 0; i < PM_COUNT(rows); i++) {
    pm_string name = kit_names_find(&names, rows[i].wanted);
    assert_string_equal(name->text, rows[i].found);
    kit_names_take(&names, name);
  }
  kit_names_free(&names);
  pm_buf_free(&log);
  pm_context_free(ctx);
}

/* Nodes of the kit itself as a language. */
static kit_node leaf(kit_kind kind, int64_t value, const char *name) {
  return (kit_node){.kind = kind, .value = value, .name = name};
}

static void conditions_are_cut_into_sets_and_guards(void **state) {
  (void)state;
  pm_buf log;
  pm_context *ctx = new_context(&log);
  kit k;
  kit_init(&k, ctx);
  const char *x_name = pm_get_cstring(ctx, "x")->text;
  kit_node x = leaf(KIT_NAME, 0, x_name), two = leaf(KIT_INT, 2, NULL), minus = leaf(KIT_INT, -3, NULL);
  kit_node value = {.kind = KIT_OTHER, .why = "a value"};
  kit_node half = {.kind = KIT_DIV, .args = {&x, &two}}, rest = {.kind = KIT_MOD, .args = {&x, &minus}};
  kit_node low = {.kind = KIT_GE, .args = {&half, &two}}, odd = {.kind = KIT_EQ, .args = {&rest, &two}};
  kit_node bright = {.kind = KIT_GT, .args = {&value, &two}};
  kit_node both = {.kind = KIT_AND, .args = {&low, &bright}}, all = {.kind = KIT_AND, .args = {&both, &odd}};
  pm_attr domain = pm_get_custom(ctx, &isl_set_kind, PM_NO_LOC, pm_str_of("{ [x] : 0 <= x < 12 }"));
  kit_guards guards = {0};
  pm_attr set = kit_case_set(&k, &exprs, domain, PM_NO_LOC, &all, &guards);
  pm_attr want =
      pm_get_custom(ctx, &isl_set_kind, PM_NO_LOC, pm_str_of("{ [x] : x = 5 or x = 8 or x = 11 }"));
  assert_true(isl_set_is_equal(isl_peek_set(set), isl_peek_set(want)) == isl_bool_true);
  assert_int_equal(guards.len, 1);
  assert_ptr_equal(guards.data[0], &bright);
  kit_case a = {set, PM_NO_LOC}, b = {domain, PM_NO_LOC}, unknown = {NULL, PM_NO_LOC};
  assert_false(kit_is_disjoint(&k, &a, &b));
  assert_true(kit_is_disjoint(&k, &a, &unknown));
  assert_false(kit_check_disjoint(&k, pm_get_cstring(ctx, "f"), &a, &b));
  assert_non_null(strstr(log.data, "the case overlaps an earlier one of f at x = "));
  PM_VEC_FREE(guards);
  kit_free(&k);
  pm_buf_free(&log);
  pm_context_free(ctx);
}

static void computed_indices_are_operands(void **state) {
  (void)state;
  pm_buf log;
  pm_context *ctx = new_context(&log);
  pm_arena *arena = pm_arena_new();
  kit k;
  kit_init(&k, ctx);
  const char *x_name = pm_get_cstring(ctx, "x")->text;
  kit_node x = leaf(KIT_NAME, 0, x_name), again = x, two = leaf(KIT_INT, 2, NULL);
  kit_node value = {.kind = KIT_OTHER, .why = "a value"};
  kit_node scaled = {.kind = KIT_MUL, .args = {&two, &value}}, sum = {.kind = KIT_ADD, .args = {&scaled, &x}};
  kit_node square = {.kind = KIT_MUL, .args = {&x, &again}};
  const void *indices[] = {&sum, &again, &square};
  kit_index index = kit_plan_indices(&k, &exprs, indices, 3, arena);
  pm_buf text = {0};
  pm_print_attr(&text, pm_get_map_attr(index.map));
  assert_string_equal(text.data, "affine_map<(d0, d1, d2) -> (d0 * 2 + d1, d1, d2)>");
  assert_int_equal(index.n_operands, 3);
  assert_ptr_equal(index.operands[0], &value);
  assert_ptr_equal(index.operands[1], &x);
  assert_ptr_equal(index.operands[2], &square);
  pm_buf_free(&text);
  kit_free(&k);
  pm_arena_free(arena);
  pm_buf_free(&log);
  pm_context_free(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(files_have_frontends),
      cmocka_unit_test(the_kit_makes_stages),
      cmocka_unit_test(names_are_legal_and_unique),
      cmocka_unit_test(conditions_are_cut_into_sets_and_guards),
      cmocka_unit_test(computed_indices_are_operands),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
