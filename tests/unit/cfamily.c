/* What languages like C share, with one that is not C: other reserved words, types and literals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "dialects/dialects.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/loop.h"
#include "ir/pass.h"
#include "ir/text.h"
#include "passes/passes.h"
#include "targets/cfamily/cfamily.h"

/* --- a language for kernels --- */

static const char *const reserved[] = {"kernel", "global", "int", "sin", NULL};
static const char *const variants[] = {"2", "4", NULL};
static const char *const starts[] = {"get_", NULL};
static const char *const ends[] = {"_t", NULL};
static const char *const library[] = {"main", NULL};
static const c_words words = {reserved, variants, starts, ends, library};
static const c_words no_words = {NULL, NULL, NULL, NULL, NULL};

static const char *const types[PM_N_SCALARS] = {
    [PM_I1] = "bool",  [PM_I8] = "char",   [PM_U8] = "uchar",  [PM_I32] = "int",    [PM_U32] = "uint",
    [PM_I64] = "long", [PM_U64] = "ulong", [PM_F32] = "float", [PM_INDEX] = "long",
};
static const char *const least[PM_N_SCALARS] = {
    [PM_I32] = "INT_MIN", [PM_I64] = "LONG_MIN", [PM_U8] = "0", [PM_INDEX] = "LONG_MIN"};
static const char *const greatest[PM_N_SCALARS] = {[PM_I32] = "INT_MAX", [PM_U8] = "UCHAR_MAX"};

static void emit_barrier(c_emitter *e, const pm_op *op) {
  c_line(e, "barrier(%u);", op->n_operands);
}

static void unroll(c_emitter *e, const pm_op *loop) {
  if (pm_attr_at(loop, loop_for_simd)) c_line(e, "#pragma unroll");
}

static const c_statement_row statements[] = {{&loop_require, emit_barrier}, {NULL, NULL}};

static const c_language kernels = {
    .words = &words,
    .types = types,
    .least = least,
    .greatest = greatest,
    .long_number = "%L",
    .unsigned_long_number = "%UL",
    .from_single = "",
    .function = "inline",
    .constant = "const",
    .single_math = false,
    .statements = statements,
    .before_loop = unroll,
};

/* --- names --- */

typedef struct name_row {
  const char *hint, *name, *function;
} name_row;

static void names_are_not_taken(void **state) {
  (void)state;
  static const name_row rows[] = {
      {"x", "x", "x"},
      {"kernel", "kernel_", "kernel_"},
      {"kernel4", "kernel4_", "kernel4_"},
      {"kernels", "kernels", "kernels"},
      {"get_id", "v_get_id", "v_get_id"},
      {"a b", "a_b", "a_b"},
      {"4th", "v4th", "v4th"},
      {"", "v", "v"},
      {"size_t", "size_t_", "size_t_"},
      {"main", "main", "main_"},
      {"while", "while", "while"},
  };
  pm_context *ctx = pm_context_new();
  c_names names;
  c_names_init(&names, ctx, &words);
  for (size_t i = 0; i < PM_COUNT(rows); i++) {
    assert_string_equal(c_identifier(&names, pm_str_of(rows[i].hint)), rows[i].name);
    assert_string_equal(c_function_identifier(&names, pm_str_of(rows[i].hint)), rows[i].function);
  }
  c_names_free(&names);
  pm_context_free(ctx);
}

static void a_language_may_reserve_nothing(void **state) {
  (void)state;
  pm_context *ctx = pm_context_new();
  c_names names;
  c_names_init(&names, ctx, &no_words);
  assert_string_equal(c_identifier(&names, PM_STR("kernel")), "kernel");
  assert_string_equal(c_function_identifier(&names, PM_STR("main")), "main");
  c_names_free(&names);
  pm_context_free(ctx);
}

static void names_end_with_their_scope(void **state) {
  (void)state;
  pm_context *ctx = pm_context_new();
  c_names names;
  c_names_init(&names, ctx, &words);
  assert_string_equal(c_new_name(&names, PM_STR("x")), "x");
  size_t scope = c_open_scope(&names);
  assert_string_equal(c_new_name(&names, PM_STR("x")), "x_1");
  assert_string_equal(c_new_name(&names, PM_STR("y")), "y");
  c_close_scope(&names, scope);
  assert_string_equal(c_new_name(&names, PM_STR("y")), "y");
  c_names_free(&names);
  pm_context_free(ctx);
}

/* --- text --- */

static const char *const program = "loop.func @f {\n"
                                   "  %n = loop.param @int : index\n"
                                   "  %k = loop.param @k : i64\n"
                                   "  %r = loop.param @r : i32\n"
                                   "  %a = buf.input @global(%n, %n) : memref<?x?xf32>\n"
                                   "  %o = buf.output @o(%n) : memref<?xu8>\n"
                                   "  %c0 = arith.constant 0 : index\n"
                                   "  %big = arith.constant 5000000000 : i64\n"
                                   "  %low = arith.constant -2147483648 : i32\n"
                                   "  %positive = arith.cmp gt, %r, %low : i32\n"
                                   "  loop.require %positive, \"r is not the least\"\n"
                                   "  loop.for %i = %c0 to %n step 2 simd {\n"
                                   "    %sum = arith.addi %k, %big : i64\n"
                                   "    %v = buf.load %a[%i floordiv 2, 3] : memref<?x?xf32>\n"
                                   "    %s = math.sqrt %v : f32\n"
                                   "    %h = arith.constant 0.5 : f32\n"
                                   "    %p = arith.mulf %s, %h : f32\n"
                                   "    %q = arith.addf %p, %v : f32\n"
                                   "    %b = arith.sat_cast %q : (f32) -> u8\n"
                                   "    %w = arith.cast %sum : (i64) -> u8\n"
                                   "    %x = arith.maxi %b, %w : u8\n"
                                   "    buf.store %x, %o[%i] : memref<?xu8>\n"
                                   "  }\n"
                                   "}\n";

static const char *const expected_body =
    "barrier(1);\n"
    "/* test:12 */\n"
    "#pragma unroll\n"
    "for (long i = 0; i < int_; i += 2) {\n"
    "  const float v = global_[(i >> 1) * int_ + 3];\n"
    "  /* test:22 */\n"
    "  o[i] = pm_max_u8(pm_sat_f32_u8(sqrt(v) * 0.5f + v), (uchar)(long)((ulong)k + 5000000000L));\n"
    "}\n";

static const char *const expected_helpers = "/* a if it is larger, else b */\n"
                                            "inline uchar pm_max_u8(uchar a, uchar b)\n"
                                            "{\n"
                                            "  return a > b ? a : b;\n"
                                            "}\n"
                                            "\n"
                                            "/* x brought into the range of the result; 0 for NaN */\n"
                                            "inline uchar pm_sat_f32_u8(float x)\n"
                                            "{\n"
                                            "  if (!(x > 0)) return x != x ? 0 : 0;\n"
                                            "  return x >= 0x1p8f ? UCHAR_MAX : (uchar)x;\n"
                                            "}\n"
                                            "\n";

static pm_module *lowered(pm_context *ctx) {
  pm_module *module = pm_parse_module(ctx, "test", program, strlen(program), true);
  assert_non_null(module);
  pm_pass_manager *manager = pm_pass_manager_new(ctx);
  pm_run_config config = pm_default_run_config();
  bool parsed = pm_parse_pipeline(manager, "test", "lower-memref");
  assert_true(parsed);
  bool ran = pm_run_passes(manager, module, &config);
  assert_true(ran);
  pm_pass_manager_free(manager);
  return module;
}

static void name_arguments(c_emitter *e, const pm_region *body) {
  PM_FOR_OPS(op, body)
  if (pm_is(op, &loop_param) || pm_is(op, &buf_input) || pm_is(op, &buf_output))
    c_var_of(e, pm_res(op, 0))->name =
        c_new_name(&e->names, (pm_str){pm_attr_at(op, 0)->s->text, pm_attr_at(op, 0)->s->len});
}

static void text_is_in_the_language(void **state) {
  (void)state;
  pm_buf body = {0}, helpers = {0};
  pm_context *ctx = pm_context_new();
  pm_register_all_dialects(ctx);
  pm_register_all_passes(ctx);
  pm_module *module = lowered(ctx);
  const pm_op *func = pm_module_body(module)->first;
  c_emitter e;
  c_emitter_init(&e, ctx, &kernels, NULL);
  c_begin_function(&e, func);
  name_arguments(&e, pm_region_at(func, loop_func_body));
  e.out = &body;
  c_region(&e, pm_region_at(func, loop_func_body));
  e.out = &helpers;
  c_emit_helpers(&e);
  c_end_function(&e);
  assert_string_equal(body.data, expected_body);
  assert_string_equal(helpers.data, expected_helpers);
  assert_true(e.uses_math);
  c_emitter_free(&e);
  pm_buf_free(&body);
  pm_buf_free(&helpers);
  pm_module_free(module);
  pm_context_free(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_are_not_taken),
      cmocka_unit_test(a_language_may_reserve_nothing),
      cmocka_unit_test(names_end_with_their_scope),
      cmocka_unit_test(text_is_in_the_language),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
