/* The interpreter of the loop dialect: what programs compute, and each of its traps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dialects/dialects.h"
#include "dialects/loop/interpreter/interp.h"
#include "dialects/loop/loop.h"
#include "ir/text.h"

static void collect(void *user, pm_context *ctx, const pm_diag *diag) {
  (void)ctx;
  pm_buf_printf(user, "%s\n", diag->message);
}

/* The text between the declarations of an input @a and an output @b, four i32 each, and the end of the
 * function. */
static char *program(const char *body) {
  pm_buf text = {0};
  pm_buf_printf(&text,
                "loop.func @f {\n"
                "  %%n = loop.param @n : index\n"
                "  %%c0 = arith.constant 0 : index\n"
                "  %%c1 = arith.constant 1 : index\n"
                "  %%c4 = arith.constant 4 : index\n"
                "  %%one = arith.constant 1 : i32\n"
                "  %%a = buf.input @a(%%n) : memref<?xi32>\n"
                "  %%b = buf.output @b() : memref<4xi32>\n"
                "%s}\n",
                body);
  return pm_buf_take(&text);
}

typedef struct outcome {
  bool ok;
  pm_buf messages;
  int32_t b[4];
} outcome;

/* Runs the program on a = {1, 2, 3, 4} with extent n; the messages are the caller's to free. */
static outcome run(const char *body, int64_t n, int64_t max_steps) {
  outcome result = {0};
  pm_context *ctx = pm_context_new();
  pm_register_all_dialects(ctx);
  pm_set_diag_handler(ctx, collect, &result.messages);
  char *text = program(body);
  pm_module *module = pm_parse_module(ctx, "test", text, strlen(text), true);
  assert_non_null(module);
  int32_t a[4] = {1, 2, 3, 4};
  pm_lane param = {.i = n};
  pm_array input = {PM_I32, 1, {4}, a}, output = {PM_I32, 1, {4}, result.b};
  pm_call call = {&param, 1, &input, 1, &output, 1};
  loop_interp_options options = {.max_steps = max_steps};
  pm_op *func = pm_module_body(module)->first;
  result.ok = loop_interpret(func, &call, &options);
  pm_module_free(module);
  free(text);
  pm_context_free(ctx);
  return result;
}

typedef struct value_row {
  const char *name, *body;
  int32_t expected[4];
} value_row;

static const value_row values[] = {
    {"each cell by a parallel loop",
     "loop.parallel %i = %c0 to %c4 step 1 {\n"
     "  %v = buf.load %a[%i] : memref<?xi32>\n"
     "  %w = arith.addi %v, %one : i32\n"
     "  buf.store %w, %b[%i] : memref<4xi32>\n"
     "}\n",
     {2, 3, 4, 5}},
    {"two calls of one function, each with arrays of its own",
     "%t = buf.alloc(%n) : memref<?xi32, heap>\n"
     "%u = buf.alloc(%n) : memref<?xi32, heap>\n"
     "loop.call @add(%n, %one, %a, %t) : index, i32, memref<?xi32>, memref<?xi32, heap>\n"
     "%c10 = arith.constant 10 : i32\n"
     "loop.call @add(%n, %c10, %a, %u) : index, i32, memref<?xi32>, memref<?xi32, heap>\n"
     "loop.parallel %i = %c0 to %c4 step 1 {\n"
     "  loop.call @join(%i, %n, %t, %u, %b) : index, index, memref<?xi32, heap>, memref<?xi32, heap>, "
     "memref<4xi32>\n"
     "}\n"
     "}\n"
     "loop.func private @add {\n"
     "%n = loop.param @n : index\n"
     "%x = loop.param @x : i32\n"
     "%c0 = arith.constant 0 : index\n"
     "%from = buf.argument @from(%n) {read} : memref<?xi32>\n"
     "%to = buf.argument @to(%n) : memref<?xi32, heap>\n"
     "loop.for %i = %c0 to %n step 1 {\n"
     "  %v = buf.load %from[%i] : memref<?xi32>\n"
     "  %w = arith.addi %v, %x : i32\n"
     "  buf.store %w, %to[%i] : memref<?xi32, heap>\n"
     "}\n"
     "}\n"
     "loop.func private @join {\n"
     "%i = loop.param @i : index\n"
     "%n = loop.param @n : index\n"
     "%x = buf.argument @x(%n) {read} : memref<?xi32, heap>\n"
     "%y = buf.argument @y(%n) {read} : memref<?xi32, heap>\n"
     "%to = buf.argument @to() : memref<4xi32>\n"
     "%v = buf.load %x[%i] : memref<?xi32, heap>\n"
     "%w = buf.load %y[3 - %i] : memref<?xi32, heap>\n"
     "%u = arith.muli %v, %w : i32\n"
     "buf.store %u, %to[%i] : memref<4xi32>\n",
     {2 * 14, 3 * 13, 4 * 12, 5 * 11}},
    {"rows that are apart",
     "%c3 = arith.constant 3 : index\n"
     "%t = buf.alloc(%c3) : memref<2x2xi32, strided<[?, 1]>, heap>\n"
     "%s = buf.alloc() {align = 32} : memref<2x4xi32, strided<[8, 1]>, stack>\n"
     "loop.for %i = %c0 to %c4 step 1 {\n"
     "  %v = buf.load %a[%i] : memref<?xi32>\n"
     "  buf.store %v, %t[%i floordiv 2, %i mod 2] : memref<2x2xi32, strided<[?, 1]>, heap>\n"
     "}\n"
     "%v = vec.load %a[0] : memref<?xi32>, vector<4xi32>\n"
     "vec.store %v, %s[1, 0] {align = 32} : memref<2x4xi32, strided<[8, 1]>, stack>, vector<4xi32>\n"
     "loop.call @turn(%c3, %t, %b) : index, memref<2x2xi32, strided<[?, 1]>, heap>, memref<4xi32>\n"
     "}\n"
     "loop.func private @turn {\n"
     "%s = loop.param @s : index\n"
     "%c0 = arith.constant 0 : index\n"
     "%c4 = arith.constant 4 : index\n"
     "%t = buf.argument @t(%s) {read} : memref<2x2xi32, strided<[?, 1]>, heap>\n"
     "%to = buf.argument @to() : memref<4xi32>\n"
     "loop.for %i = %c0 to %c4 step 1 {\n"
     "  %v = buf.load %t[%i mod 2, %i floordiv 2] : memref<2x2xi32, strided<[?, 1]>, heap>\n"
     "  buf.store %v, %to[%i] : memref<4xi32>\n"
     "}\n",
     {1, 3, 2, 4}},
    {"an affine index with floordiv and mod",
     "loop.for %i = %c0 to %c4 step 1 {\n"
     "  %v = buf.load %a[(%i floordiv 2) * 2 + (%i + 1) mod 2] : memref<?xi32>\n"
     "  buf.store %v, %b[-%i + 3] : memref<4xi32>\n"
     "}\n",
     {3, 4, 1, 2}},
    {"carried values that change places",
     "%z = arith.constant 0 : i32\n"
     "%p, %q = loop.for %i = %c0 to %c4 step 1 carry(%x = %z, %y = %one) : (i32, i32) {\n"
     "  %s = arith.addi %x, %y : i32\n"
     "  loop.yield %y, %s : i32, i32\n"
     "}\n"
     "buf.store %p, %b[0] : memref<4xi32>\n"
     "buf.store %q, %b[1] : memref<4xi32>\n",
     {3, 5, 0, 0}},
    {"a condition with results",
     "%c2 = arith.constant 2 : index\n"
     "loop.for %i = %c0 to %c4 step 1 {\n"
     "  %c = arith.cmp lt, %i, %c2 : index\n"
     "  %r = loop.if %c : (i32) {\n"
     "    loop.yield %one : i32\n"
     "  } else {\n"
     "    %v = buf.load %a[%i] : memref<?xi32>\n"
     "    loop.yield %v : i32\n"
     "  }\n"
     "  buf.store %r, %b[%i] : memref<4xi32>\n"
     "}\n",
     {1, 1, 3, 4}},
    {"thread memory written before it is read in each iteration",
     "loop.parallel %i = %c0 to %c4 step 1 {\n"
     "  %t = buf.alloc() : memref<1xi32, thread>\n"
     "  %v = buf.load %a[%i] : memref<?xi32>\n"
     "  buf.store %v, %t[0] : memref<1xi32, thread>\n"
     "  %w = buf.load %t[0] : memref<1xi32, thread>\n"
     "  buf.store %w, %b[%i] : memref<4xi32>\n"
     "}\n",
     {1, 2, 3, 4}},
    {"iterations of two parallel loops, one after the other, on the same cells",
     "%t = buf.alloc(%n) : memref<?xi32, heap>\n"
     "loop.parallel %i = %c0 to %c4 step 1 {\n"
     "  buf.store %one, %t[%i] : memref<?xi32, heap>\n"
     "}\n"
     "loop.parallel %i = %c0 to %c4 step 1 {\n"
     "  %v = buf.load %t[-%i + 3] : memref<?xi32, heap>\n"
     "  buf.store %v, %b[%i] : memref<4xi32>\n"
     "}\n",
     {1, 1, 1, 1}},
    {"arrays that share memory, one after the other, in each iteration",
     "loop.parallel %i = %c0 to %c4 step 1 {\n"
     "  %s, %t = buf.alloc() : memref<1xi32, thread>, memref<2xu8, thread>\n"
     "  %v = buf.load %a[%i] : memref<?xi32>\n"
     "  buf.store %v, %s[0] : memref<1xi32, thread>\n"
     "  %w = buf.load %s[0] : memref<1xi32, thread>\n"
     "  %x = arith.cast %w : (i32) -> u8\n"
     "  buf.store %x, %t[1] : memref<2xu8, thread>\n"
     "  %y = buf.load %t[1] : memref<2xu8, thread>\n"
     "  %z = arith.cast %y : (u8) -> i32\n"
     "  buf.store %z, %b[%i] : memref<4xi32>\n"
     "}\n",
     {1, 2, 3, 4}},
    {"a loop without iterations, and one whose step goes past the bound",
     "%c3 = arith.constant 3 : index\n"
     "loop.for %i = %c4 to %c0 step 1 {\n"
     "  buf.store %one, %b[%i] : memref<4xi32>\n"
     "}\n"
     "loop.for %i = %c0 to %c3 step 2 {\n"
     "  buf.store %one, %b[%i] : memref<4xi32>\n"
     "}\n",
     {1, 0, 1, 0}},
};

static void computes_values(void **state) {
  (void)state;
  for (size_t i = 0; i < PM_COUNT(values); i++) {
    outcome result = run(values[i].body, 4, 0);
    if (!result.ok) fail_msg("%s: %s", values[i].name, result.messages.data);
    for (int k = 0; k < 4; k++)
      if (result.b[k] != values[i].expected[k])
        fail_msg("%s: cell %d is %d, expected %d", values[i].name, k, (int)result.b[k],
                 (int)values[i].expected[k]);
    pm_buf_free(&result.messages);
  }
}

typedef struct trap_row {
  const char *name, *body, *message;
} trap_row;

static const trap_row traps[] = {
    {"an array of other extents than the function takes",
     "loop.call @g(%c1, %a) : index, memref<?xi32>\n"
     "}\n"
     "loop.func private @g {\n"
     "%n = loop.param @n : index\n"
     "%x = buf.argument @x(%n) {read} : memref<?xi32>\n",
     "'buf.argument' @x has extent 1 in dimension 0, but the call gives %a with 4"},
    {"a write of two iterations, in what they call",
     "loop.parallel %i = %c0 to %c4 step 1 {\n"
     "  loop.call @g(%b) : memref<4xi32>\n"
     "}\n"
     "}\n"
     "loop.func private @g {\n"
     "%x = buf.argument @x() : memref<4xi32>\n"
     "%one = arith.constant 1 : i32\n"
     "buf.store %one, %x[2] : memref<4xi32>\n",
     "writes %b[2], which another iteration of the parallel loop wrote"},
    {"rows that overlap", "%t = buf.alloc(%c4, %c1) : memref<2x?xi32, strided<[?, 1]>, heap>\n",
     "'buf.alloc' has strides that let elements overlap"},
    {"rows that are further apart than the function takes",
     "%c8 = arith.constant 8 : index\n"
     "%t = buf.alloc(%c8) : memref<2x2xi32, strided<[?, 1]>, heap>\n"
     "loop.call @g(%c4, %t) : index, memref<2x2xi32, strided<[?, 1]>, heap>\n"
     "}\n"
     "loop.func private @g {\n"
     "%n = loop.param @n : index\n"
     "%x = buf.argument @x(%n) {read} : memref<2x2xi32, strided<[?, 1]>, heap>\n",
     "'buf.argument' @x has stride 4 in dimension 0, but the call gives %t with 8"},
    {"a row that is less aligned than it says",
     "%v = vec.load %a[0] : memref<?xi32>, vector<4xi32>\n"
     "%s = buf.alloc() {align = 32} : memref<2x4xi32, strided<[6, 1]>, stack>\n"
     "vec.store %v, %s[1, 0] {align = 16} : memref<2x4xi32, strided<[6, 1]>, stack>, vector<4xi32>\n",
     "writes %s[1, 0], whose address is not a multiple of 16 bytes"},
    {"a read above the bounds",
     "loop.for %i = %c0 to %c4 step 1 {\n"
     "  %v = buf.load %a[%i + 1] : memref<?xi32>\n"
     "  buf.store %v, %b[%i] : memref<4xi32>\n"
     "}\n",
     "'buf.load' reads %a[4], but its extents are 4\nin the iteration %i = 3\n"},
    {"a read below the bounds", "%v = buf.load %a[-1] : memref<?xi32>\nbuf.store %v, %b[0] : memref<4xi32>\n",
     "reads %a[-1]"},
    {"a write outside the bounds", "buf.store %one, %b[4] : memref<4xi32>\n",
     "writes %b[4], but its extents are 4"},
    {"a read of an output that was not written",
     "%v = buf.load %b[2] : memref<4xi32>\nbuf.store %v, %b[0] : memref<4xi32>\n",
     "reads %b[2], which was not written"},
    {"thread memory does not keep values from one iteration to the next",
     "loop.parallel %i = %c0 to %c4 step 1 {\n"
     "  %t = buf.alloc() : memref<1xi32, thread>\n"
     "  %first = arith.cmp eq, %i, %c0 : index\n"
     "  loop.if %first {\n"
     "    buf.store %one, %t[0] : memref<1xi32, thread>\n"
     "  }\n"
     "  %v = buf.load %t[0] : memref<1xi32, thread>\n"
     "  buf.store %v, %b[%i] : memref<4xi32>\n"
     "}\n",
     "reads %t[0], which was not written\nin the iteration %i = 1\n"},
    {"memory that another array has by now",
     "%s, %t = buf.alloc(%n, %n) : memref<?xi32, heap>, memref<?xi32, heap>\n"
     "buf.store %one, %s[0] : memref<?xi32, heap>\n"
     "buf.store %one, %t[3] : memref<?xi32, heap>\n"
     "%v = buf.load %s[0] : memref<?xi32, heap>\n"
     "buf.store %v, %b[0] : memref<4xi32>\n",
     "'buf.load' reads %s[0], whose memory %t has overwritten"},
    {"a cell that another stage has by now",
     "%s = buf.alloc(%n) : memref<?xi32, heap>\n"
     "buf.store %one, %s[0] {stage = @p} : memref<?xi32, heap>\n"
     "buf.store %one, %s[1] {stage = @q} : memref<?xi32, heap>\n"
     "%v = buf.load %s[0] {stage = @p} : memref<?xi32, heap>\n"
     "buf.store %one, %s[0] {stage = @q} : memref<?xi32, heap>\n"
     "%w = buf.load %s[0] {stage = @p} : memref<?xi32, heap>\n"
     "buf.store %w, %b[0] : memref<4xi32>\n",
     "'buf.load' reads %s[0] for the value of @p, but it holds the value of @q"},
    {"memory that came back holds nothing",
     "%s, %t = buf.alloc(%n, %n) : memref<?xi32, heap>, memref<?xi32, heap>\n"
     "buf.store %one, %s[0] : memref<?xi32, heap>\n"
     "buf.store %one, %t[3] : memref<?xi32, heap>\n"
     "buf.store %one, %s[1] : memref<?xi32, heap>\n"
     "%v = buf.load %s[0] : memref<?xi32, heap>\n"
     "buf.store %v, %b[0] : memref<4xi32>\n",
     "'buf.load' reads %s[0], which was not written"},
    {"iterations that use shared memory for different arrays",
     "%s, %t = buf.alloc(%n, %n) : memref<?xi32, heap>, memref<?xi32, heap>\n"
     "loop.parallel %i = %c0 to %c4 step 1 {\n"
     "  buf.store %one, %s[%i] : memref<?xi32, heap>\n"
     "  buf.store %one, %t[%i] : memref<?xi32, heap>\n"
     "  %v = buf.load %t[%i] : memref<?xi32, heap>\n"
     "  buf.store %v, %b[%i] : memref<4xi32>\n"
     "}\n",
     "writes %s[1], which another iteration of the parallel loop uses for another array"},
    {"two iterations write one cell",
     "loop.parallel %i = %c0 to %c4 step 1 {\n"
     "  buf.store %one, %b[0] : memref<4xi32>\n"
     "}\n",
     "writes %b[0], which another iteration of the parallel loop wrote"},
    {"an iteration reads what another one wrote",
     "buf.store %one, %b[0] : memref<4xi32>\n"
     "loop.parallel %i = %c1 to %c4 step 1 {\n"
     "  %v = buf.load %b[%i - 1] : memref<4xi32>\n"
     "  buf.store %v, %b[%i] : memref<4xi32>\n"
     "}\n",
     "reads %b[1], which another iteration of the parallel loop wrote"},
    {"an iteration writes what another one read, though it read the cell itself too",
     "buf.store %one, %b[3] : memref<4xi32>\n"
     "loop.parallel %i = %c0 to %c4 step 1 {\n"
     "  %v = buf.load %b[3] : memref<4xi32>\n"
     "  buf.store %v, %b[%i] : memref<4xi32>\n"
     "}\n",
     "writes %b[3], which another iteration of the parallel loop read"},
    {"iterations of an inner parallel loop",
     "loop.parallel %i = %c0 to %c1 step 1 {\n"
     "  loop.parallel %j = %c0 to %c4 step 1 {\n"
     "    buf.store %one, %b[%i] : memref<4xi32>\n"
     "  }\n"
     "}\n",
     "writes %b[0], which another iteration of the parallel loop wrote"},
    {"a condition on the arguments that does not hold",
     "%c = arith.cmp lt, %n, %c4 : index\nloop.require %c, \"n < 4\"\n",
     "does not hold for this call: n < 4"},
};

static void traps_name_the_place(void **state) {
  (void)state;
  for (size_t i = 0; i < PM_COUNT(traps); i++) {
    outcome result = run(traps[i].body, 4, 0);
    if (result.ok) fail_msg("%s: no trap", traps[i].name);
    if (!result.messages.data || !strstr(result.messages.data, traps[i].message))
      fail_msg("%s: %s", traps[i].name, result.messages.data ? result.messages.data : "no message");
    pm_buf_free(&result.messages);
  }
}

static void refuses_other_extents(void **state) {
  (void)state;
  outcome result = run("", 5, 0);
  assert_false(result.ok);
  assert_non_null(
      strstr(result.messages.data, "has extent 5 in dimension 0, but the array given for it has 4"));
  pm_buf_free(&result.messages);
}

static void stops_after_max_steps(void **state) {
  (void)state;
  const char *body = "loop.for %i = %c0 to %n step 1 {\n"
                     "  buf.store %one, %b[0] : memref<4xi32>\n"
                     "}\n";
  outcome result = run(body, 4, 6);
  assert_false(result.ok);
  assert_non_null(strstr(result.messages.data, "stopped after 6 steps"));
  pm_buf_free(&result.messages);
}

static void refuses_a_call_of_another_shape(void **state) {
  (void)state;
  pm_buf messages = {0};
  pm_context *ctx = pm_context_new();
  pm_register_all_dialects(ctx);
  pm_set_diag_handler(ctx, collect, &messages);
  char *text = program("");
  pm_module *module = pm_parse_module(ctx, "test", text, strlen(text), true);
  assert_non_null(module);
  pm_lane param = {.i = 4};
  pm_call call = {.params = &param, .n_params = 1};
  assert_false(loop_interpret(pm_module_body(module)->first, &call, NULL));
  assert_non_null(strstr(messages.data, "has 1 inputs, but the call gives 0"));
  pm_module_free(module);
  free(text);
  pm_buf_free(&messages);
  pm_context_free(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(computes_values),
      cmocka_unit_test(traps_name_the_place),
      cmocka_unit_test(refuses_other_extents),
      cmocka_unit_test(stops_after_max_steps),
      cmocka_unit_test(refuses_a_call_of_another_shape),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
