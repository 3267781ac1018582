/* The text form and the verifier: printed text, diagnostics and their places, names of values. */
#include "dialects/arith/arith.h"
#include "dialects/dialects.h"
#include "dialects/loop/loop.h"
#include "ir/builtin.h"
#include "ir/text.h"
#include "ir/verify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct fixture {
  pm_context *ctx;
  pm_buf diags; /* "line:col text\n" each, notes left out */
} fixture;

static void record(void *user, pm_context *ctx, const pm_diag *diag) {
  (void)ctx;
  fixture *f = user;
  if (diag->severity != PM_ERROR) return;
  pm_buf_printf(&f->diags, "%u:%u %s\n", (unsigned)diag->loc.line, (unsigned)diag->loc.col, diag->message);
}

static int set_up(void **state) {
  fixture *f = calloc(1, sizeof *f);
  if (!f) return 1;
  f->ctx = pm_context_new();
  pm_register_all_dialects(f->ctx);
  pm_set_diag_handler(f->ctx, record, f);
  pm_set_max_errors(f->ctx, 0);
  *state = f;
  return 0;
}

static int tear_down(void **state) {
  fixture *f = *state;
  pm_context_free(f->ctx);
  pm_buf_free(&f->diags);
  free(f);
  return 0;
}

static pm_module *parse(fixture *f, const char *text, bool verify) {
  f->diags.len = 0;
  if (f->diags.data) f->diags.data[0] = 0;
  return pm_parse_module(f->ctx, "test", text, strlen(text), verify);
}

static const char *diags(const fixture *f) {
  return f->diags.data ? f->diags.data : "";
}

/* The caller frees it. */
static char *print(pm_module *module, bool generic, bool locs) {
  pm_buf out = {0};
  pm_print_module(&out, module, (pm_print_options){.generic = generic, .locs = locs});
  return pm_buf_take(&out);
}

static void expect_print(fixture *f, const char *text, bool generic, const char *expected) {
  pm_module *module = parse(f, text, true);
  assert_string_equal(diags(f), "");
  assert_non_null(module);
  char *printed = print(module, generic, false);
  assert_string_equal(printed, expected);
  free(printed);
  pm_module_free(module);
}

/* --- what is read and what is printed --- */

typedef struct text_row {
  const char *input;
  const char *custom;
  const char *generic;
} text_row;

static const text_row text_rows[] = {
    {"", "builtin.module {\n}\n", "\"builtin.module\"() ({\n}) : () -> ()\n"},
    {"builtin.module { }", "builtin.module {\n}\n", "\"builtin.module\"() ({\n}) : () -> ()\n"},
    {"builtin.module attributes {b = 2 : i8, a} {}", "builtin.module attributes {a, b = 2 : i8} {\n}\n",
     "\"builtin.module\"() {a, b = 2 : i8} ({\n}) : () -> ()\n"},
    {"%0 = arith.constant 1 : i32 // said\n%7 = arith.addi %0, %0 {x} : i32",
     "builtin.module {\n  %0 = arith.constant 1 : i32\n  %1 = arith.addi %0, %0 {x} : i32\n}\n",
     "\"builtin.module\"() ({\n"
     "  %0 = \"arith.constant\"() {value = 1 : i32} : () -> i32\n"
     "  %1 = \"arith.addi\"(%0, %0) {x} : (i32, i32) -> i32\n"
     "}) : () -> ()\n"},
    {"%a = \"arith.constant\"() {value = 1 : i32} : () -> (i32)\n%b = arith.cast %a : (i32) -> (f32)",
     "builtin.module {\n  %a = arith.constant 1 : i32\n  %b = arith.cast %a : (i32) -> f32\n}\n",
     "\"builtin.module\"() ({\n"
     "  %a = \"arith.constant\"() {value = 1 : i32} : () -> i32\n"
     "  %b = \"arith.cast\"(%a) : (i32) -> f32\n"
     "}) : () -> ()\n"},
    {"#one = 1 : i32\n%a = arith.constant #one\n%b = arith.addi %a, %a {l = [#one, {m = #one}]} : i32",
     "#one = 1 : i32\nbuiltin.module {\n  %a = arith.constant 1 : i32\n"
     "  %b = arith.addi %a, %a {l = [#one, {m = #one}]} : i32\n}\n",
     "#one = 1 : i32\n\"builtin.module\"() ({\n"
     "  %a = \"arith.constant\"() {value = #one} : () -> i32\n"
     "  %b = \"arith.addi\"(%a, %a) {l = [#one, {m = #one}]} : (i32, i32) -> i32\n"
     "}) : () -> ()\n"},
    {"#x = 1 : i8\n#y = #x\n#z = [#y]", "#x = 1 : i8\n#y = #x\n#z = [#x]\nbuiltin.module {\n}\n",
     "#x = 1 : i8\n#y = #x\n#z = [#x]\n\"builtin.module\"() ({\n}) : () -> ()\n"},
};

static void printed_text(void **state) {
  for (size_t i = 0; i < PM_COUNT(text_rows); i++) {
    const text_row *row = &text_rows[i];
    expect_print(*state, row->input, false, row->custom);
    expect_print(*state, row->input, true, row->generic);
    expect_print(*state, row->custom, false, row->custom);
    expect_print(*state, row->generic, true, row->generic);
    expect_print(*state, row->generic, false, row->custom);
  }
}

static const char loops[] =
    "builtin.module {\n"
    "  loop.func @f {\n"
    "    %n = loop.param @n : i32\n"
    "    %c = arith.constant 0 : index\n"
    "    %r, %r_0 = loop.for %i = %c to %c step 1 carry(%p = %n, %q = %n) : (i32, i32) {\n"
    "      %1 = arith.addi %p, %q : i32\n"
    "      loop.yield %1, %p : i32, i32\n"
    "    }\n"
    "    %0 = arith.addi %r, %r_0 : i32\n"
    "  }\n"
    "}\n";

static const char packed[] =
    "builtin.module {\n"
    "  loop.func @f {\n"
    "    %n = loop.param @n : i32\n"
    "    %c = arith.constant 0 : index\n"
    "    %r:2 = loop.for %i = %c to %c step 1 carry(%p = %n, %q = %n) : (i32, i32) {\n"
    "      %1 = arith.addi %p, %q : i32\n"
    "      loop.yield %1, %p : i32, i32\n"
    "    }\n"
    "    %0 = arith.addi %r#0, %r#1 : i32\n"
    "  }\n"
    "}\n";

static const char numbered[] =
    "builtin.module {\n"
    "  loop.func @f {\n"
    "    %n = loop.param @n : i32\n"
    "    %c = arith.constant 0 : index\n"
    "    %5:2 = loop.for %i = %c to %c step 1 carry(%p = %n, %q = %n) : (i32, i32) {\n"
    "      %0 = arith.addi %p, %q : i32\n"
    "      loop.yield %0, %p : i32, i32\n"
    "    }\n"
    "    %s = arith.addi %5, %5#1 : i32\n"
    "  }\n"
    "}\n";

static const char counted[] =
    "builtin.module {\n"
    "  loop.func @f {\n"
    "    %n = loop.param @n : i32\n"
    "    %c = arith.constant 0 : index\n"
    "    %0, %1 = loop.for %i = %c to %c step 1 carry(%p = %n, %q = %n) : (i32, i32) {\n"
    "      %2 = arith.addi %p, %q : i32\n"
    "      loop.yield %2, %p : i32, i32\n"
    "    }\n"
    "    %s = arith.addi %0, %1 : i32\n"
    "  }\n"
    "}\n";

/* Results keep the names that they have together or one by one. Numbers inside nested regions follow those of
 * the regions around them. */
static void several_results(void **state) {
  expect_print(*state, loops, false, loops);
  expect_print(*state, packed, false, packed);
  expect_print(*state, numbered, false, counted);
  expect_print(*state, counted, false, counted);
}

/* --- types and attributes --- */

typedef struct piece_row {
  const char *input;
  const char *expected; /* NULL: refused */
} piece_row;

static const piece_row type_rows[] = {
    {"i1", "i1"},
    {"bf16", "bf16"},
    {"index", "index"},
    {"vector<8xf32>", "vector<8xf32>"},
    {"memref<f32>", "memref<f32>"},
    {"memref<0x4xu8>", "memref<0x4xu8>"},
    {"memref<?x64xf32, heap>", "memref<?x64xf32, heap>"},
    {"memref<9223372036854775807xi8>", "memref<9223372036854775807xi8>"},
    {"memref<9223372036854775808xi8>", NULL},
    {"memref<-1xi8>", NULL},
    {"memref<4 x i8>", NULL},
    {"memref<4xi8", NULL},
    {"vector<0xf32>", NULL},
    {"(f32, i32)", NULL}, /* of no value */
    {"vector<?xf32>", NULL},
    {"vector<2x2xf32>", NULL},
    {"i32 i32", NULL},
    {"i7", NULL},
    {"", NULL},
};

static const piece_row attr_rows[] = {
    {"unit", "unit"},
    {"true", "true"},
    {"0 : i1", "false"},
    {"3", "3 : i64"},
    {"-128 : i8", "-128 : i8"},
    {"-129 : i8", NULL},
    {"255 : u8", "255 : u8"},
    {"-1 : u8", NULL},
    {"18446744073709551615 : u64", "18446744073709551615 : u64"},
    {"18446744073709551616 : u64", NULL},
    {"9223372036854775808", NULL},
    {"-9223372036854775808", "-9223372036854775808 : i64"},
    {"0x1F : i32", "31 : i32"},
    {"000000000000000000000000000000000000012 : i32", "12 : i32"},
    {"1.5", "1.5 : f64"},
    {"-1.5e-3 : f32", "-0.0015 : f32"},
    {"1 : f32", "1.0 : f32"},
    {"-0.0 : f32", "-0.0 : f32"},
    {"1e400", NULL},
    {"1.5 : i32", NULL},
    {"1 : memref<i8>", NULL},
    {"0x7FC00000 : f32", "0x7FC00000 : f32"},
    {"0xFF800000 : f32", "0xFF800000 : f32"},
    {"0x7FF0000000000000 : f64", "0x7FF0000000000000 : f64"},
    {"\"a\\\"b\\\\c\\0A\\n\"", "\"a\\\"b\\\\c\\0A\\0A\""},
    {"\"open", NULL},
    {"@f", "@f"},
    {"@\"two words\"", "@\"two words\""},
    {"[1 : i8, \"x\", [], @s]", "[1 : i8, \"x\", [], @s]"},
    {"[1, ]", NULL},
    {"{z = 1 : i8, \"a b\", c = {}}", "{\"a b\", c = {}, z = 1 : i8}"},
    {"{a, a}", NULL},
    {"dense<3xu8: [3, 1, 2]>", "dense<3xu8: [3, 1, 2]>"},
    {"dense<2x1xi1:[[true],[0]]>", "dense<2x1xi1: [[true], [false]]>"},
    {"dense<f32: 1>", "dense<f32: 1.0>"},
    {"dense<3xbf16: [1.001, 0x7FC00000, -0.0]>", "dense<3xbf16: [1.0, 0x7FC00000, -0.0]>"},
    {"dense<2xf16: [65520, 65519]>", "dense<2xf16: [0x7F800000, 65504.0]>"},
    {"dense<2xu64: [18446744073709551615, 0x10]>", "dense<2xu64: [18446744073709551615, 16]>"},
    {"[dense<1xi8: [1]>, 2]", "[dense<1xi8: [1]>, 2 : i64]"},
    {"dense<1xi8: [128]>", NULL},
    {"dense<1xi8: [1.0]>", NULL},
    {"dense<1xi1: [2]>", NULL},
    {"dense<2xi8: [1]>", NULL},
    {"dense<2xi8: [1, 2, 3]>", NULL},
    {"dense<2x2xi8: [1, 2, 3, 4]>", NULL},
    {"dense<2xi8: [[1, 2]]>", NULL},
    {"dense<2xi8: [1, 2], 3>", NULL},
    {"dense<0xi8: []>", NULL},
    {"dense<?xi8: [1]>", NULL},
    {"dense<1048577xi8: [1]>", NULL},
    {"dense<2097152x2097152x2097152xi8: [1]>", NULL},
    {"dense<i8>", NULL},
    {"dense", NULL},
    {"vector<4xi8>", "vector<4xi8>"},
    {"(f32, i8, index)", "(f32, i8, index)"},
    {"[(u8,u8), f32]", "[(u8, u8), f32]"},
    {"(f32)", NULL},
    {"()", NULL},
    {"(f32, (i8, i8))", NULL},
    {"(f32, vector<4xi8>)", NULL},
    {"(f32, i8", NULL},
    {"affine_map<() -> ()>", "affine_map<() -> ()>"},
    {"affine_map<(i, j)[n] -> (2 * i - j, (i + n) floordiv 4, -j mod 3, n ceildiv 2)>",
     "affine_map<(d0, d1)[s0] -> (d0 * 2 - d1, (d0 + s0) floordiv 4, d1 * -1 mod 3, s0 ceildiv 2)>"},
    {"affine_map<(i) -> (i - 9223372036854775808)>", "affine_map<(d0) -> (d0 + -9223372036854775808)>"},
    {"affine_map<(i) -> (i + 9223372036854775808)>", NULL},
    {"affine_map<(i, i) -> (i)>", NULL},
    {"affine_map<(i) -> (k)>", NULL},
    {"affine_map<(i, j) -> (i * j)>", NULL},
    {"affine_map<(i) -> (i floordiv 0)>", NULL},
    {"affine_map<(i) -> (i mod i)>", NULL},
    {"#isl.set<\"{ [i] : 0 <= i < 3 }\">", "#isl.set<\"{ [i] : 0 <= i < 3 }\">"},
    {"#isl.set<\"{ [i] : \">", NULL},
    {"#isl.sett<\"{ }\">", NULL},
    {"#nothing", NULL},
    {"%x", NULL},
    {"$", NULL},
};

static void expect_piece(const piece_row *row, const char *what, bool ok, const char *printed) {
  if (ok != (row->expected != NULL)) fail_msg("%s '%s' is %s", what, row->input, ok ? "accepted" : "refused");
  if (ok) assert_string_equal(printed, row->expected);
}

static void type_text(void **state) {
  fixture *f = *state;
  for (size_t i = 0; i < PM_COUNT(type_rows); i++) {
    pm_buf out = {0};
    pm_type type = pm_parse_type_text(f->ctx, pm_str_of(type_rows[i].input));
    if (type) pm_print_type(&out, type);
    expect_piece(&type_rows[i], "type", type != NULL, out.data);
    pm_buf_free(&out);
  }
}

static void attr_text(void **state) {
  fixture *f = *state;
  for (size_t i = 0; i < PM_COUNT(attr_rows); i++) {
    pm_buf out = {0};
    pm_attr attr = pm_parse_attr_text(f->ctx, pm_str_of(attr_rows[i].input));
    if (attr) pm_print_attr(&out, attr);
    expect_piece(&attr_rows[i], "attribute", attr != NULL, out.data);
    if (attr) assert_ptr_equal(pm_parse_attr_text(f->ctx, pm_str_of(out.data)), attr);
    pm_buf_free(&out);
  }
}

/* --- diagnostics --- */

typedef struct error_row {
  const char *input;
  const char *expected;
} error_row;

static const error_row error_rows[] = {
    {"%a = arith.adi %x, %x : i32", "1:6 unknown op 'arith.adi'; did you mean 'arith.addi'?\n"},
    {"%a = arth.addi %x, %x : i32", "1:6 unknown dialect 'arth' of 'arth.addi'; did you mean 'arith'?\n"},
    {"\"zzzzz.addi\"() : () -> ()", "1:1 unknown dialect 'zzzzz' of 'zzzzz.addi'; pm-opt "
                                    "--allow-unregistered keeps such ops in the generic form\n"},
    {"foo", "1:1 found 'foo', but expected an op\n"},
    {"%length = arith.constant 1 : i32\n%b = arith.addi %length, %lenght : i32",
     "2:26 use of undefined value '%lenght'; did you mean '%length'?\n"},
    {"%a = arith.constant 1 : i32\n%a = arith.constant 2 : i32", "2:1 '%a' is defined twice\n"},
    {"%a = arith.constant 1 : i32\n%b = arith.addf %a, %a : f32",
     "2:17 '%a' has type i32, but is used with type f32\n"},
    {"%b = arith.addf %a, %a : f32\n%a = arith.constant 1 : i32",
     "1:21 '%a' has type i32, but is used with type f32\n1:17 '%a' has type i32, but is used with type "
     "f32\n"},
    {"%a = arith.constant 1 : i32\n%b = arith.addi %a, %a#1 : i32",
     "2:21 '%a' has 1 result, but #1 is used\n"},
    {"%a:2 = arith.constant 1 : i32\n%b = arith.addi %a#1, %a : i32",
     "1:1 'arith.constant' has 1 result here, but 2 are named\n"},
    {"%a = arith.constant 300 : i8\n%b = arith.addi %a, %a : i32", "1:21 300 does not fit in i8\n"},
    {"loop.func @f {\n  %a = arith.constant\n  %b = arith.nop\n}\n%c = foo.bar",
     "3:3 found '%b', but expected an attribute\n3:8 unknown op 'arith.nop'\n5:6 unknown dialect 'foo' of "
     "'foo.bar'; pm-opt --allow-unregistered keeps such ops in the generic form\n"},
    {"loop.func @f {", "1:15 found the end of the text, but expected '}'\n"},
    {"loop.func {\n  %a = arith.nop\n}\n%c = foo.bar",
     "1:11 found '{', but expected a symbol such as @name\n4:6 unknown dialect 'foo' of 'foo.bar'; pm-opt "
     "--allow-unregistered keeps such ops in the generic form\n"},
    {"}", "1:1 a '}' that closes nothing\n"},
    {"\"loop.yield\"() {a, a} : () -> ()", "1:16 a name is twice in the dictionary\n"},
    {"\"arith.constant\"() {value = \"x} : () -> i32", "1:29 the string does not end on its line\n"},
    {"%a = arith.constant \x01", "1:21 a character that no token begins with\n"},
    {"#a = 1\n#a = 2", "2:1 the alias '#a' is defined twice\n"},
    {"%v = arith.constant 1 : i32\nloop.func @f {\n  %w = arith.addi %v, %v : i32\n}",
     "3:19 use of undefined value '%v'\n3:23 use of undefined value '%v'\n"},
    {"%a = arith.constant 1 : i32\n%b = arith.addi %a, %a : (f32, i32) -> i32",
     "2:17 '%a' has type i32, but is used with type f32\n"},
    {"%a = arith.constant 1 : i32\n%b = arith.addi %a, %a : (i32) -> i32",
     "2:24 1 operand types, but 'arith.addi' has 2 operands here\n"},
    {"loop.if %a {\n}\n%a = arith.constant 1 : i32", "1:9 '%a' has type i32, but is used with type i1\n"},
};

static void parse_errors(void **state) {
  fixture *f = *state;
  for (size_t i = 0; i < PM_COUNT(error_rows); i++) {
    assert_null(parse(f, error_rows[i].input, true));
    assert_string_equal(diags(f), error_rows[i].expected);
  }
}

static const error_row verify_rows[] = {
    {"%a = arith.constant 1.0 : f32\n%b = arith.addi %a, %a : f32",
     "2:6 'arith.addi' operand #0 'lhs' has type f32, but should be an integer or index (or a vector of "
     "these)\n"
     "2:6 'arith.addi' operand #1 'rhs' has type f32, but should be an integer or index (or a vector of "
     "these)\n"
     "2:6 'arith.addi' result #0 'sum' has type f32, but should be an integer or index (or a vector of "
     "these)\n"},
    {"%a = arith.constant 1 : i32\n%b = arith.addi %a, %a, %a : i32",
     "2:6 'arith.addi' has 3 operands, but should have 2\n"},
    {"\"loop.for\"() {step = 1 : index} ({\n}) : () -> ()",
     "1:1 'loop.for' has 0 operands, but should have at least 2\n"},
    {"%a = arith.constant 1 : i32\n%b = arith.constant 1 : i8\n%c = arith.addi %a, %b : (i32, i8) -> i32",
     "3:6 'arith.addi' operand #1 has type i8, but should have type i32 as the first one\n"},
    {"%a = arith.constant 1 : i32\n%c = arith.addi %a, %a : (i32, i32) -> i8",
     "2:6 'arith.addi' result #0 has type i8, but should have type i32 as the operands\n"},
    {"%a = arith.constant 1 : i32\n%b = arith.constant 1 : i8\n%c = \"arith.cmp\"(%a, %b) {predicate = "
     "\"lt\"} : (i32, i8) -> i1",
     "3:6 'arith.cmp' operand #1 has type i8, but should have type i32 as the first one\n"},
    {"\"loop.func\"() {sym = \"f\"} ({\n}) : () -> ()",
     "1:1 'loop.func' attribute 'sym' is \"f\", but should be a symbol\n"},
    {"\"loop.func\"() ({\n}) : () -> ()",
     "1:1 'loop.func' has no attribute 'sym', but should have a symbol there\n"},
    {"\"loop.func\"() {sym = @f} : () -> ()",
     "1:1 'loop.func' @f has no region 'body', but should have one\n"},
    {"\"loop.func\"() {sym = @f} ({\n}, {\n}) : () -> ()",
     "1:1 'loop.func' @f has 2 regions, but should have 1\n"},
    {"loop.func @f {\n}\nloop.func @f {\n}", "3:1 'loop.func' @f has the name of another op of its region\n"},
    {"loop.func @f {\n  loop.yield\n  %a = arith.constant 1 : i32\n}",
     "2:3 'loop.yield' should be the last op of its region\n"},
    {"loop.func @f {\n  %b = arith.addi %a, %a : i32\n  %a = arith.constant 1 : i32\n}",
     "2:8 'arith.addi' operand #0 '%a' is used before its definition\n"
     "2:8 'arith.addi' operand #1 '%a' is used before its definition\n"},
    {"loop.func @f {\n  %b = arith.negf %b : f32\n}",
     "2:8 'arith.negf' operand #0 '%b' is the op's own result\n"},
};

static bool same_but_symbols(const char *has, const char *should) {
  while (*should) {
    if (*has == *should) {
      has++;
      should++;
    } else if (strncmp(should, " @f", 3) == 0) {
      should += 3;
    } else {
      return false;
    }
  }
  return !*has;
}

static void verify_errors(void **state) {
  fixture *f = *state;
  for (size_t i = 0; i < PM_COUNT(verify_rows); i++) {
    assert_null(parse(f, verify_rows[i].input, true));
    if (!same_but_symbols(diags(f), verify_rows[i].expected))
      assert_string_equal(diags(f), verify_rows[i].expected);
    pm_module *module = parse(f, verify_rows[i].input, false);
    assert_non_null(module);
    pm_module_free(module);
  }
}

/* --- bounds --- */

static void deep_nesting(void **state) {
  fixture *f = *state;
  pm_buf ops = {0}, attr = {0}, map = {0};
  pm_buf_puts(&map, "affine_map<(i) -> (");
  for (int i = 0; i < 100000; i++) {
    pm_buf_puts(&ops, "builtin.module {\n");
    pm_buf_puts(&attr, "[");
    pm_buf_puts(&map, "(");
  }
  assert_null(parse(f, ops.data, true));
  assert_non_null(strstr(diags(f), "513:1"));
  assert_non_null(strstr(diags(f), "nesting deeper than 512 levels"));
  assert_null(strstr(diags(f), "end of the text"));
  assert_null(pm_parse_attr_text(f->ctx, pm_str_of(attr.data)));
  assert_null(pm_parse_attr_text(f->ctx, pm_str_of(map.data)));
  pm_buf_free(&ops);
  pm_buf_free(&attr);
  pm_buf_free(&map);
}

static void long_affine_expression(void **state) {
  fixture *f = *state;
  pm_buf text = {0};
  pm_buf_puts(&text, "affine_map<(i) -> (i");
  for (int i = 0; i < 100000; i++) pm_buf_puts(&text, " * 2 + i");
  pm_buf_puts(&text, ")>");
  assert_null(pm_parse_attr_text(f->ctx, pm_str_of(text.data)));
  assert_non_null(strstr(diags(f), "operators"));
  pm_buf_free(&text);
}

static void too_many_operands(void **state) {
  fixture *f = *state;
  pm_buf text = {0};
  pm_buf_puts(&text, "%a = arith.constant 1 : i32\nloop.yield %a");
  for (int i = 0; i < 70000; i++) pm_buf_puts(&text, ", %a");
  pm_buf_puts(&text, " : i32");
  for (int i = 0; i < 70000; i++) pm_buf_puts(&text, ", i32");
  assert_null(parse(f, text.data, true));
  assert_string_equal(diags(f), "2:1 more than 65535 operands, results or regions\n");
  pm_buf_free(&text);
}

/* --- places and names --- */

static void locations(void **state) {
  fixture *f = *state;
  pm_module *module =
      parse(f, "\n  %a, %b = \"loop.if\"() : () -> (i32, i32) loc(\"p.py\":3:4)\n%c = arith.constant 1 : i32",
            false);
  assert_non_null(module);
  const pm_op *first = pm_module_body(module)->first;
  assert_int_equal(first->loc.line, 3);
  assert_string_equal(pm_source_name(f->ctx, first->loc.file), "p.py");
  assert_int_equal(first->next->loc.line, 3);
  assert_int_equal(first->next->loc.col, 6);
  assert_string_equal(pm_source_name(f->ctx, first->next->loc.file), "test");
  char *once = print(module, true, true);
  pm_module *again = parse(f, once, false);
  assert_non_null(again);
  char *twice = print(again, true, true);
  assert_string_equal(once, twice);
  assert_non_null(strstr(once, "loc(\"p.py\":3:4)"));
  free(once);
  free(twice);
  pm_module_free(module);
  pm_module_free(again);
}

/* Names that a program gave, and what they print as. */
static const piece_row name_rows[] = {
    {"x", "%x"},  {"x", "%x_0"}, {"x", "%x_1"},       {"x_0", "%x_0_0"},
    {"12", "%0"}, {"", "%1"},    {"a b-c", "%a_b_c"}, {"1a", "%1a"},
};

static void given_names(void **state) {
  fixture *f = *state;
  pm_module *module = pm_module_new(f->ctx, PM_NO_LOC);
  pm_builder b = pm_builder_at_end(module, pm_module_body(module), PM_NO_LOC);
  for (size_t i = 0; i < PM_COUNT(name_rows); i++) {
    pm_value *value = arith_build_index(&b, (int64_t)i);
    value->name = pm_get_cstring(f->ctx, name_rows[i].input);
  }
  size_t i = 0;
  PM_FOR_OPS(op, pm_module_body(module)) {
    pm_buf out = {0};
    pm_print_value(&out, pm_res(op, 0));
    assert_string_equal(out.data, name_rows[i++].expected);
    pm_buf_free(&out);
  }
  char *printed = print(module, false, false);
  expect_print(f, printed, false, printed);
  free(printed);
  pm_module_free(module);
}

/* An op alone names the values around it as the whole module does; a detached one has names too. */
static void single_ops(void **state) {
  fixture *f = *state;
  pm_module *module = parse(f, loops, true);
  pm_op *func = pm_module_body(module)->first;
  pm_op *loop = pm_region_at(func, 0)->first->next->next;
  pm_op *add = pm_region_at(loop, 0)->first;
  pm_buf out = {0};
  pm_print_op(&out, add, (pm_print_options){0});
  assert_string_equal(out.data, "%1 = arith.addi %p, %q : i32");
  out.len = 0;
  pm_print_value(&out, pm_region_at(loop, 0)->args[1]);
  assert_string_equal(out.data, "%p");
  pm_op *copy = pm_clone(module, loop, NULL);
  out.len = 0;
  pm_print_op(&out, copy, (pm_print_options){0});
  assert_non_null(strstr(out.data, "loop.yield %0, %p : i32, i32"));
  pm_op_erase(copy);
  pm_buf_free(&out);
  pm_module_free(module);
}

/* --- uses before definitions in a graph region --- */

static const char graph[] = "builtin.module {\n"
                            "  %b = arith.addi %a, %late : i32\n"
                            "  loop.if %cond {\n"
                            "    %in = arith.addi %late, %b : i32\n"
                            "    %in_0 = arith.addi %in, %a : i32\n"
                            "  }\n"
                            "  %cond = arith.cmp lt, %a, %late : i32\n"
                            "  %a = arith.constant 1 : i32\n"
                            "  %late = arith.addi %a, %a : i32\n"
                            "}\n";

static void forward_references(void **state) {
  expect_print(*state, graph, false, graph);
}

/* --- what only a program can get wrong --- */

static void broken_use_list(void **state) {
  fixture *f = *state;
  pm_module *module = parse(f, "%a = arith.constant 1 : i32\n%b = arith.addi %a, %a : i32", true);
  pm_value *a = pm_res(pm_module_body(module)->first, 0);
  pm_use *first = pm_uses(a);
  a->use_list ^= (uintptr_t)first ^ first->next;
  assert_false(pm_verify_module(module));
  assert_non_null(strstr(diags(f), "is not among the uses of its value"));
  a->use_list ^= (uintptr_t)first ^ first->next;
  assert_true(pm_verify_module(module));
  pm_module_free(module);
}

static void detached_definition(void **state) {
  fixture *f = *state;
  pm_module *module = parse(f, "%a = arith.constant 1 : i32\n%b = arith.addi %a, %a : i32", true);
  pm_detach(pm_module_body(module)->first);
  assert_false(pm_verify_module(module));
  assert_non_null(strstr(diags(f), "which is not in the module"));
  pm_module_free(module);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(printed_text, set_up, tear_down),
      cmocka_unit_test_setup_teardown(several_results, set_up, tear_down),
      cmocka_unit_test_setup_teardown(type_text, set_up, tear_down),
      cmocka_unit_test_setup_teardown(attr_text, set_up, tear_down),
      cmocka_unit_test_setup_teardown(parse_errors, set_up, tear_down),
      cmocka_unit_test_setup_teardown(verify_errors, set_up, tear_down),
      cmocka_unit_test_setup_teardown(deep_nesting, set_up, tear_down),
      cmocka_unit_test_setup_teardown(long_affine_expression, set_up, tear_down),
      cmocka_unit_test_setup_teardown(too_many_operands, set_up, tear_down),
      cmocka_unit_test_setup_teardown(locations, set_up, tear_down),
      cmocka_unit_test_setup_teardown(given_names, set_up, tear_down),
      cmocka_unit_test_setup_teardown(single_ops, set_up, tear_down),
      cmocka_unit_test_setup_teardown(forward_references, set_up, tear_down),
      cmocka_unit_test_setup_teardown(broken_use_list, set_up, tear_down),
      cmocka_unit_test_setup_teardown(detached_definition, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
