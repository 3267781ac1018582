/* The greedy rewriter: what it visits, that it ends, and what it reports. */
#include "dialects/arith/arith.h"
#include "dialects/dialects.h"
#include "dialects/math/math.h"
#include "ir/diag.h"
#include "ir/rewrite.h"
#include "ir/text.h"
#include "ir/verify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* --- rules --- */

static bool sub_to_add_of_abs(pm_rewriter *rw, pm_op *op) {
  if (!pm_is(op, &arith_subf)) return false;
  pm_builder *b = pm_rw_builder(rw);
  pm_value *magnitude = pm_build_unary(b, &math_abs, pm_arg(op, arith_subf_rhs));
  pm_rw_replace_one(rw, op, pm_build_binary(b, &arith_addf, pm_arg(op, arith_subf_lhs), magnitude));
  return true;
}

static bool merge_double_abs(pm_rewriter *rw, pm_op *op) {
  pm_op *inner = pm_is(op, &math_abs) ? pm_def(pm_arg(op, 0)) : NULL;
  if (!pm_is(inner, &math_abs)) return false;
  pm_rw_replace_one(rw, op, pm_res(inner, 0));
  return true;
}

static bool swap_forever(pm_rewriter *rw, pm_op *op) {
  if (!pm_is(op, &arith_addf)) return false;
  pm_value *l = pm_arg(op, 0), *r = pm_arg(op, 1);
  pm_rw_set_operand(rw, op, 0, r);
  pm_rw_set_operand(rw, op, 1, l);
  return true;
}

/* Erases the op that follows: a neighbour that the rewriter holds on to. */
static bool erase_next_abs(pm_rewriter *rw, pm_op *op) {
  if (!pm_is(op, &arith_addf) || !pm_is(op->next, &math_abs) || !pm_unused(pm_res(op->next, 0))) return false;
  pm_rw_erase(rw, op->next);
  return true;
}

static const pm_rule sub_rule = {"sub", "subf(x, y) => addf(x, abs(y))", sub_to_add_of_abs};
static const pm_rule double_rule = {"double", "abs(abs(x)) => abs(x)", merge_double_abs};
static const pm_rule swap_rule = {"swap", "addf(x, y) => addf(y, x)", swap_forever};
static const pm_rule erase_rule = {"erase", "nothing", erase_next_abs};

/* --- harness --- */

typedef struct fixture {
  pm_context *ctx;
  pm_module *module;
  pm_greedy_result result;
  pm_buf text, trace, errors;
} fixture;

static void record(void *user, const pm_op *op, const char *law) {
  pm_format(user, "%s: %s\n", op->desc->name, law);
}

static void remember(void *user, pm_context *ctx, const pm_diag *diag) {
  (void)ctx;
  pm_buf_printf(user, "%s\n", diag->message);
}

/* Runs the rules (and folds) on a function with parameters %x, %y : f32 and `body`. */
static void rewrite(fixture *f, const char *body, const pm_rule *const *rules, unsigned max_rewrites) {
  pm_buf text = {0};
  *f = (fixture){.ctx = pm_context_new()};
  pm_register_all_dialects(f->ctx);
  pm_set_diag_handler(f->ctx, remember, &f->errors);
  pm_buf_printf(
      &text,
      "loop.func @f {\n%%x = loop.param @x : f32\n%%y = loop.param @y : f32\n%%n = loop.param @n : index\n"
      "%%b = buf.output @b(%%n) : memref<?xf32>\n%s}\n",
      body);
  f->module = pm_parse_module(f->ctx, "test", text.data, text.len, true);
  assert_non_null(f->module);
  f->result = pm_greedy(pm_module_op(f->module), &(pm_greedy_config){.materialize = arith_materialize,
                                                                     .fold = true,
                                                                     .extra = rules,
                                                                     .max_rewrites = max_rewrites,
                                                                     .trace = record,
                                                                     .trace_user = &f->trace});
  assert_true(pm_verify_module(f->module));
  pm_print_module(&f->text, f->module, (pm_print_options){0});
  pm_buf_free(&text);
}

static void finish(fixture *f) {
  pm_buf_free(&f->text);
  pm_buf_free(&f->trace);
  pm_buf_free(&f->errors);
  pm_module_free(f->module);
  pm_context_free(f->ctx);
}

static void assert_contains(const char *text, const char *part) {
  if (!text || !strstr(text, part)) fail_msg("'%s' is not in '%s'", part, text ? text : "(nothing)");
}

/* --- tests --- */

static void new_ops_are_visited(void **state) {
  (void)state;
  static const pm_rule *const rules[] = {&sub_rule, &double_rule, NULL};
  fixture f;
  rewrite(&f,
          "%0 = math.abs %y : f32\n%1 = arith.subf %x, %0 : f32\n"
          "buf.store %1, %b[0] : memref<?xf32>\n",
          rules, 0);
  assert_contains(f.text.data,
                  "%0 = math.abs %y : f32\n    %1 = arith.addf %x, %0 : f32\n    buf.store %1, %b[0]");
  assert_true(f.result.converged && f.result.changed);
  assert_int_equal(f.result.applied, 2);
  assert_string_equal(f.trace.data,
                      "arith.subf: subf(x, y) => addf(x, abs(y))\nmath.abs: abs(abs(x)) => abs(x)\n");
  finish(&f);
}

static void rules_without_end_are_stopped(void **state) {
  (void)state;
  static const pm_rule *const rules[] = {&swap_rule, NULL};
  fixture f;
  rewrite(&f, "%0 = arith.addf %x, %y : f32\nbuf.store %0, %b[0] : memref<?xf32>\n", rules, 7);
  assert_false(f.result.converged);
  assert_int_equal(f.result.applied, 7);
  assert_contains(f.errors.data,
                  "is rewritten without end: 7 times, at last by the rule 'swap', addf(x, y) => addf(y, x)");
  finish(&f);
}

static void neighbours_may_be_erased(void **state) {
  (void)state;
  static const pm_rule *const rules[] = {&erase_rule, NULL};
  fixture f;
  rewrite(&f,
          "%0 = arith.addf %x, %y : f32\n%1 = math.abs %x : f32\n%2 = math.abs %y : f32\n"
          "buf.store %0, %b[0] : memref<?xf32>\n",
          rules, 0);
  assert_true(f.result.converged);
  assert_null(strstr(f.text.data, "abs"));
  finish(&f);
}

static void chains_of_dead_ops_go(void **state) {
  (void)state;
  pm_buf body = {0};
  fixture f;
  pm_buf_puts(&body, "%v0 = arith.addf %x, %y : f32\n");
  for (int i = 0; i < 1000; i++) pm_buf_printf(&body, "%%v%d = math.abs %%v%d : f32\n", i + 1, i);
  rewrite(&f, body.data, NULL, 0);
  assert_int_equal(f.result.erased, 1001);
  assert_null(strstr(f.text.data, "arith"));
  pm_buf_free(&body);
  finish(&f);
}

static void constants_are_folded_once(void **state) {
  (void)state;
  fixture f;
  rewrite(&f,
          "%0 = arith.constant 1.5 : f32\n%1 = arith.addf %0, %0 : f32\n%2 = arith.mulf %1, %1 : f32\n"
          "buf.store %2, %b[0] : memref<?xf32>\n",
          NULL, 0);
  assert_int_equal(f.result.folded, 2);
  assert_contains(f.text.data, "arith.constant 9.0 : f32\n    buf.store %0");
  assert_string_equal(f.trace.data, "arith.addf: fold\narith.mulf: fold\n");
  finish(&f);
}

static void nothing_to_do_says_unchanged(void **state) {
  (void)state;
  fixture f;
  rewrite(&f, "%0 = arith.addf %x, %y : f32\nbuf.store %0, %b[0] : memref<?xf32>\n", NULL, 0);
  assert_true(f.result.converged);
  assert_false(f.result.changed);
  finish(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(new_ops_are_visited),       cmocka_unit_test(rules_without_end_are_stopped),
      cmocka_unit_test(neighbours_may_be_erased),  cmocka_unit_test(chains_of_dead_ops_go),
      cmocka_unit_test(constants_are_folded_once), cmocka_unit_test(nothing_to_do_says_unchanged),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
