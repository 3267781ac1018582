/* PolyMage programs: what expressions mean, and what is said about wrong programs. */
#include "dialects/dialects.h"
#include "dialects/stage/interpreter/interp.h"
#include "dialects/stage/stage.h"
#include "frontends/polymage/polymage.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct fixture {
  pm_context *ctx;
  pm_module *module; /* or NULL */
  pm_buf log;        /* a line `line:col: message` for each diagnostic */
} fixture;

static void remember(void *user, pm_context *ctx, const pm_diag *diag) {
  (void)ctx;
  fixture *f = user;
  pm_buf_printf(&f->log, "%u:%u: %s\n", (unsigned)diag->loc.line, (unsigned)diag->loc.col, diag->message);
}

static void begin(fixture *f, const char *text, const polymage_options *options) {
  *f = (fixture){.ctx = pm_context_new()};
  pm_register_all_dialects(f->ctx);
  pm_set_diag_handler(f->ctx, remember, f);
  size_t len = strlen(text);
  char *exact = malloc(len + 1);
  assert_non_null(exact);
  memcpy(exact, text, len);
  f->module = polymage_read(f->ctx, "test.py", exact, len, options);
  free(exact);
}

static void end(fixture *f) {
  if (f->module) pm_module_free(f->module);
  pm_context_free(f->ctx);
  pm_buf_free(&f->log);
}

/* --- values --- */

static const char value_program[] = "i = Parameter(Int, \"i\")\n"
                                    "u = Parameter(UInt, \"u\")\n"
                                    "l = Parameter(Long, \"l\")\n"
                                    "f = Parameter(Float, \"f\")\n"
                                    "d = Parameter(Double, \"d\")\n"
                                    "bytes = Image(UChar, \"bytes\", [8])\n"
                                    "shorts = Image(Short, \"shorts\", [2])\n"
                                    "x = Variable(Int, \"x\")\n"
                                    "out = Function(([x], [Interval(3, 3)]), %s, \"out\")\n"
                                    "out.defn = %s\n";

typedef struct value_row {
  const char *type, *expression;
  double expected;
} value_row;

/* Where x = 3, i = -7, u = 3000000000, l = -5000000000, f = 2.5, d = 0.1,
 * bytes = 0 10 200 255 7 3 2 1, shorts = -7 1000. */
static const value_row value_rows[] = {
    {"Int", "i", -7},
    {"Int", "x", 3},
    {"UInt", "u", 3000000000.0},
    {"Long", "l", -5000000000.0},
    {"Float", "f", 2.5},
    {"Double", "d", 0.1},
    {"UChar", "bytes(x)", 255},
    {"Short", "shorts(0)", -7},

    {"Int", "bytes(2) + bytes(3)", 455},
    {"UChar", "bytes(2) + bytes(3)", 199},
    {"Char", "bytes(2)", -56},
    {"Short", "shorts(1) * 100", -31072},
    {"Int", "bytes(0) - bytes(1)", -10},
    {"Int", "shorts(0) / 2", -3},
    {"Int", "i / 2", -3},
    {"Int", "i % 2", -1},
    {"Int", "(x - 8) / 2", -2},
    {"Int", "(x - 8) // 2", -3},
    {"Int", "x / 0", 0},
    {"Long", "u + i", 2999999993.0},
    {"Long", "i / u", 1},
    {"Long", "l + u", -2000000000.0},
    {"Long", "-u", 1294967296.0},
    {"Int", "-bytes(2)", -200},
    {"Long", "2147483647 + i", 2147483640.0},
    {"Long", "i - 2147483647 - 10", 2147483632.0},
    {"Long", "2147483648 + i", 2147483641.0},

    {"Float", "0.1", 0.1f},
    {"Double", "0.1", 0.1},
    {"Double", "f + 0.1", 2.5f + 0.1f},
    {"Double", "d + 0.1", 0.1 + 0.1},
    {"Double", "i + 0.1", -7 + 0.1},
    {"Float", "i + 0.5", -6.5},
    {"Int", "i + 0.5", -6},
    {"Int", "2.9", 2},
    {"Float", "3", 3},
    {"Double", "f * d", 0.25},
    {"Float", "i * f", -17.5},
    {"Float", "i / f", -7.0f / 2.5f},
    {"Float", "x * 1.5", 4.5},
    {"Float", "-f", -2.5},
    {"Float", "f // 2", 1},
    {"Double", "l * 1.0", -5000000000.0},

    {"Float", "Min(f, 3)", 2.5},
    {"Float", "Max(f, 3)", 3},
    {"Int", "Min(bytes(2), i)", -7},
    {"Int", "Max(bytes(2), i, 300)", 300},
    {"Long", "Min(u, i)", 3000000000.0},
    {"Int", "Min(3, 4) + Max(3, 4)", 7},
    {"Int", "Abs(i)", 7},
    {"Long", "Abs(u)", 3000000000.0},
    {"Float", "Abs(f - 5)", 2.5},
    {"Float", "Pow(f, 2)", 6.25},
    {"Float", "Powf(2, 3)", 8},
    {"Float", "Sqrt(16)", 4},
    {"Float", "Sqrtf(d * 40)", 2},
    {"Double", "Exp(0) + Log(1) + Sin(0) + Cos(0)", 2},
    {"Int", "Cast(UChar, i)", 249},
    {"Int", "Cast(Int, f) * 2", 4},
    {"Double", "Cast(Double, 0.1)", 0.1},
    {"Float", "Select(Condition(i, '<', 0), bytes(2), f)", 200},
    {"Float", "Select(Condition(i, '>', 0), bytes(2), f)", 2.5},
    {"Int", "Select(Condition(x % 2, '==', 1) | Condition(f, '>', 100), 1, 2)", 1},
    {"Int", "Select(Condition(x, '!=', 3) & Condition(f, '>', 1), 1, 2)", 2},
    {"Int", "Select(Condition(i, '<', u), 1, 2)", 2},
    {"Int", "Select(x > 2, 1, 2) + Select(x <= 2, 10, 20)", 21},

    {"Int", "bytes((x - 8) / 2 + 4)", 10},
    {"Int", "bytes((0 - x) % 4)", 10},
    {"Int", "bytes(x / -2 + 2)", 0},
    {"Int", "bytes(bytes(4) / 2)", 255},
    {"Int", "bytes((i + bytes(5)) / 2 + 3)", 10},
    {"Int", "bytes(shorts(0) * x / 10 + 3)", 0},
    {"Int", "bytes(shorts(0) * x % 6)", 255},
    {"Int", "bytes(Min(Max(i, 0), 7) + 1)", 10},
    {"Int", "bytes(Cast(Int, f))", 200},
    {"Int", "bytes(bytes(bytes(7) + 5))", 200},
    {"Int", "bytes(2 * x - 5)", 10},

    {"Int", "Stencil(bytes, 1, [1, 2, 1])", 717},
    {"Float", "Stencil(bytes(x), 0.5, [1, 0, -1])", 96.5},
    {"Int", "Stencil(bytes(x), 1, [1, 1], [0])", 262},
    {"Int", "Stencil(bytes, [x - 1], [1, 1], [1])", 210},
    {"Int", "Stencil(bytes, factor = 2, kernel = [1, 1])", 524},
    {"Int", "Stencil(bytes, i, [0, x, 0])", -5355},
    {"Int", "Stencil(bytes, 1, [0, 0, 0])", 0},

    {"Int", "x + 7 / 2", 6},
    {"Int", "x + -7 / 2", -1},
    {"Float", "f * (1 / 3)", 0},
    {"Int", "x + (2 ** 10 >> 3) % 100 // 3", 12},
};

typedef struct arguments {
  pm_lane params[5];
  uint8_t bytes[8];
  int16_t shorts[2];
} arguments;

/* The one element of the output, as a double. */
static double element(const pm_array *out) {
  pm_lane lane;
  arith_load_lanes(out->scalar, out->data, 1, &lane, 1);
  if (out->scalar == PM_F32) return lane.f;
  return out->scalar == PM_F64 ? lane.d : (double)lane.i;
}

/* NAN after a diagnostic. */
static double interpret(fixture *f, pm_scalar type) {
  arguments a = {{{.i = -7}, {.i = 3000000000}, {.i = -5000000000}, {.f = 2.5f}, {.d = 0.1}},
                 {0, 10, 200, 255, 7, 3, 2, 1},
                 {-7, 1000}};
  pm_array inputs[] = {{.scalar = PM_U8, .rank = 1, .extents = {8}, .data = a.bytes},
                       {.scalar = PM_I16, .rank = 1, .extents = {2}, .data = a.shorts}};
  uint64_t cell = 0;
  pm_array out = {.scalar = type, .rank = 1, .extents = {1}, .data = &cell};
  pm_call call = {a.params, 5, inputs, 2, &out, 1};
  return stage_interpret(pm_module_body(f->module)->first, &call) ? element(&out) : NAN;
}

static pm_scalar scalar_of(const char *name) {
  static const struct {
    const char *name;
    pm_scalar scalar;
  } types[] = {{"Int", PM_I32},  {"UInt", PM_U32}, {"Long", PM_I64},  {"Short", PM_I16},
               {"UChar", PM_U8}, {"Char", PM_I8},  {"Float", PM_F32}, {"Double", PM_F64}};
  for (size_t i = 0; i < PM_COUNT(types); i++)
    if (strcmp(types[i].name, name) == 0) return types[i].scalar;
  fail_msg("no type %s", name);
  return PM_I32;
}

static void expressions_mean_what_the_table_says(void **state) {
  (void)state;
  unsigned wrong = 0;
  for (size_t i = 0; i < PM_COUNT(value_rows); i++) {
    const value_row *row = &value_rows[i];
    pm_buf text = {0};
    pm_buf_printf(&text, value_program, row->type, row->expression);
    fixture f;
    begin(&f, text.data, NULL);
    double got = f.module ? interpret(&f, scalar_of(row->type)) : NAN;
    wrong += got != row->expected;
    if (got != row->expected)
      print_error("%s of type %s is %.17g, expected %.17g\n%s", row->expression, row->type, got,
                  row->expected, f.log.data ? f.log.data : "");
    end(&f);
    pm_buf_free(&text);
  }
  assert_int_equal(wrong, 0);
}

/* --- Python --- */

/* Each holds at compile time. */
static const char *const assertions[] = {
    "7 / 2 == 3 and -7 / 2 == -4 and 7 // -2 == -4 and 7.0 / 2 == 3.5",
    "-7 % 3 == 2 and 7 % -3 == -2 and 5.5 % 2 == 1.5",
    "255 // 0.1 == 2549.0 and -5.5 // 2 == -3.0 and 5.5 // -2 == -3.0 and -5.5 % -2 == -1.5",
    "(-9223372036854775807 - 1) >> 63 == -1 and (-9223372036854775807 - 1) >> 62 == -2",
    "2 ** 10 == 1024 and 2 ** 0 == 1 and 2 ** -1 == 0.5 and 2 ** 0.5 > 1.41 and -2 ** 2 == -4",
    "1 << 4 == 16 and -9 >> 1 == -5 and -1 >> 100 == -1 and 6 & 3 == 2 and (6 | 1) == 7 and ~0 == -1",
    "9223372036854775807 - 1 == 9223372036854775806 and -9223372036854775807 - 1 < 0",
    "0x1F == 31 and 0b101 == 5 and 0o17 == 15 and 1e3 == 1000 and .5 == 0.5 and 5L == 5",
    "1 < 2 <= 2 != 3 and not 1 < 1 and 1 == True and 0 == False",
    "'a' + \"b\" == 'ab' and 'a' * 3 == 'aaa' and 'a' 'b' == 'ab' and 'abc'[1] == 'b' and 'b' in 'abc'",
    "'%d_%s' % (3, 'x') == '3_x' and '%d' % 7 == '7' and str(1.5) == '1.5' and str(None is None) == 'True'",
    "[1, 2] + [3] == [1, 2, 3] and (1,) + (2, 3) == (1, 2, 3) and [0] * 2 == [0, 0] and [1] != [2]",
    "[1, 2, 3][-1] == 3 and (1, (2, 3))[1][0] == 2 and len([]) == 0 and len({1: 2}) == 1",
    "{1: 2, 'a': 3}['a'] == 3 and 1 in {1: 2} and 3 not in [1, 2] and {(1, 2): 3}[1, 2] == 3",
    "range(3)[1] == 1 and list(range(5, 0, -2)) == [5, 3, 1] and len(range(10 ** 12)) == 10 ** 12",
    "[i * j for i in range(3) for j in [1, 2] if i != j] == [0, 0, 2, 2]",
    "[a - b for a, b in [(3, 1), (5, 2)]] == [2, 3] and [k for k in {7: 1, 5: 2}] == [7, 5]",
    "(lambda a, b=2: a * b)(3) == 6 and (lambda: 1)() == 1",
    "max(1, 2) == 2 and min([3, 1]) == 1 and abs(-2) == 2 and float(1) == 1.0",
    "int(2.7) == 2 and int('12') == 12",
    "sum([1, 2]) == 3 and list(zip([1, 2], [3, 4]))[1] == (2, 4) and enumerate(['a'])[0] == (0, 'a')",
    "(1 if True else 1 / 0) == 1 and (True or 1 / 0) and not (False and 1 / 0) and (None or 3) == 3",
    "None is None and 3 is not None and not None",
    "[x for x in 'ab'] == ['a', 'b'] and tuple([1]) == (1,) and dict() == dict() or True",
    "{1: 'a'}.keys() == [1] and {1: 'a'}.values() == ['a'] and {1: 'a'}.items() == [(1, 'a')]",
};

static const char any_stage[] =
    "x_ = Variable()\nf_ = Function(([x_], [Interval(0, 3)]), Int)\nf_.defn = x_\n";

static void python_holds(void **state) {
  (void)state;
  unsigned wrong = 0;
  for (size_t i = 0; i < PM_COUNT(assertions); i++) {
    pm_buf text = {0};
    pm_buf_printf(&text, "%sassert %s\n", any_stage, assertions[i]);
    fixture f;
    begin(&f, text.data, NULL);
    wrong += !f.module;
    if (!f.module) print_error("%s: %s", assertions[i], f.log.data);
    end(&f);
    pm_buf_free(&text);
  }
  assert_int_equal(wrong, 0);
}

/* --- messages --- */

typedef struct message_row {
  const char *program;
  const char *expected; /* the whole log */
} message_row;

#define PRELUDE                                                                                              \
  "R = Parameter(Int, 'R')\nI = Image(Float, 'I', [R])\nx, y = Variable(), Variable()\nr = Interval(0, R - " \
  "1)\n"

static const message_row message_rows[] = {
    {"", "0:0: the program defines no stage, it should, at top level or in one function\n"},
    {"a = = 1\nb = 2 3\n",
     "1:5: '=' is here, an expression should be\n2:7: an integer is here, the end of the line should be\n"},
    {"if 1\n  a = )\nb = 1\n", "2:7: ')' closes nothing, '(' should be before it\n1:5: the end of the "
                               "line is here, ':' should be\n"},
    {"a = (1,\nb = 2\nc = ]\n",
     "3:5: ']' closes nothing, '[' should be before it\n1:5: '(' is never closed, ')' should follow\n"},
    {"a = [1 * (2 + 3\n]\nb = 1 2\n", "1:10: '(' is never closed, ')' should follow\n3:7: an integer is "
                                      "here, the end of the line should be\n"},
    {"  a = 1\n",
     "1:3: the line is indented, but nothing before it opens a block: it should begin further left\n"},
    {"if 1:\na = 1\n", "2:1: a name is here, an indented block should be\n"},
    {"if 1:\n    a = 1\n  b = 1\n",
     "3:3: the indentation of 2 columns is that of no block around it, which should have 0\n"},
    {"a = 'x\nb = $\n", "1:5: the string is not closed, its quote should end it\n2:5: '$' is not part of the "
                        "language, it should be only in strings and comments\n"},
    {"a = 99999999999999999999\n",
     "1:5: '99999999999999999999' is too large, an integer should fit 64 bits\n"},
    {"a = 1x\n", "1:5: '1x' is not a number, and a name should not begin with a digit\n"},
    {"class A: pass\n", "1:1: 'class' is not supported, functions and dictionaries are\n"},
    {"a = [1, 2][0:1]\n", "1:13: a slice is not supported, a list comprehension over range() is\n"},
    {"a = f'{b}'\n", "1:5: a formatted string is not supported, strings are joined by '+' and str()\n"},
    {"f(1) = 2\n", "1:1: a call cannot be assigned to, f.defn = … should define a stage\n"},

    {"a = b\nc = b\nd = a + 1\n",
     "1:5: 'b' is not defined, an assignment or --const b=<value> should define it\n"},
    {"height = 1\na = heigth\n", "2:5: 'heigth' is not defined, 'height' is the nearest name\n"},
    {"a = Intervall(0, 1)\n", "1:5: 'Intervall' is not defined, 'Interval' is the nearest name\n"},
    {"a = dsl.Functoin(Int)\n", "1:5: 'dsl' is not defined, a def or an import should define it\n"},
    {"import dsl\na = dsl.Functoin(Int)\n", "2:9: 'Functoin' is not part of the language, 'Function' is\n"},
    {"a = 1 / 0\nb = 'a' + 1\n", "1:7: the divisor is 0, it should not be\n2:9: the integer 1 is added to "
                                 "the string 'a', str() should make it a string\n"},
    {"a = 2 ** 64\n", "1:7: the result of this does not fit 64 bits, integers should be smaller\n"},
    {"for i in range(3):\n  a = [1][i + 1]\n", "2:7: the index is 1, it should be 0: there is one item\n"},
    {"a = {1: 2}[3]\n", "1:5: the dictionary has no key 3, an assignment should set it\n"},
    {"def f(n): return f(n)\nf(1)\n",
     "1:18: functions call each other more than 200 deep, the recursion should end\n"},
#ifndef PM_DEBUG /* seconds with sanitizers */
    {"while True: pass\n", "1:13: the program is still running after 20000000 steps, it should end\n"},
#endif
    {"a, b = [1], [1]\nfor i in range(60):\n  a, b = [a, a], [b, b]\nassert a == a\nc = a == b\n",
     "5:7: the program is still running after 20000000 steps, it should end\n"},
    {"a = (1, 1)\nfor i in range(60): a = (a, a)\nb = {}[a]\n",
     "3:5: the program is still running after 20000000 steps, it should end\n"},
    {"a, b = [1], [1]\na.append(a)\nb.append(b)\nc = a == b\nd = a in [b]\n",
     "4:7: this looks into lists that are nested more than 64 deep, they should be flatter\n"
     "5:7: this looks into lists that are nested more than 64 deep, they should be flatter\n"},
    {"a = (1,)\nfor i in range(100000): a = (a,)\nd = {}\nd[a] = 1\n",
     "4:1: this looks into lists that are nested more than 64 deep, they should be flatter\n"},
    {"s, t = 'a' * 9000000, 'a' * 9000000\nfor i in range(1000000): a = s == t\n",
     "2:32: the program is still running after 20000000 steps, it should end\n"},
    {"def f(a, b): return a\nf(1)\nf(1, c=2)\nf(1, 2, 3)\n",
     "2:1: the function f is given nothing for 'b', it should be called as f(a, b)\n3:6: the function f has "
     "no parameter 'c', it should be called as f(a, b)\n"
     "4:9: the function f is given 3 arguments, it should be called as f(a, b)\n"},
    {"assert 1 > 2, 'no'\n", "1:1: the assertion does not hold, it should: no\n"},
    {"a, b = 1, 2, 3\n", "1:1: 3 values are assigned to 2 names, there should be as many\n"},
    {"def f(app_data):\n  L = app_data['L'] + 1\n  return L\n",
     "2:21: 'app_data[\"L\"]' has no value, --const app_data.L=<value> should give it\n"},
    {"def f(): pass\ndef g(): pass\n",
     "2:1: the functions f and g could both build the pipeline, --function=f should say which\n"},

    {PRELUDE "f = Function(([x], [r]), Float)\n",
     "5:5: the stage f has no definition, defn should give it\n"},
    {PRELUDE "f = Function(Float, 'f')\nf.defn = 1\n",
     "5:5: the stage f has no domain, varDom or variableDomain should give it\n"},
    {PRELUDE "f = Function(([x], [r]), Float)\nf.defn = I(x, x)\n",
     "6:10: the image I is read with 2 indices, it should be with 1, one a dimension\n"},
    {PRELUDE "f = Function(([x], [r]), Float)\nf.defn = I(y)\n",
     "6:12: the variable y is not one of the stage f, whose domain should contain it\n"},
    {PRELUDE "f = Function(([x], [r]), Float)\nf.defn = I(x * 0.5)\n",
     "6:14: an index has type Float, it should be an integer, Cast(Int, …) makes one\n"},
    {PRELUDE "f = Function(([x], [r]), Float)\nf.defn = I(x) % 2\n",
     "6:15: '%' has an operand that is not an integer, both should be integers, Cast(Int, …) makes one\n"},
    {PRELUDE "f = Function(([x], [r]), Float)\nf.defn = I + 1\n",
     "6:12: an operand of '+' is the image I without indices, they should follow in parentheses: I(…)\n"},
    {PRELUDE "f = Function(([x], [Interval(0, R * R)]), Float)\nf.defn = 1\n",
     "5:35: the upper bound of an interval has a product of two expressions, it should be affine in integer "
     "parameters, as 2 * R + C - 1 is\n"},
    {PRELUDE "f = Function(([x], [Interval(0, x)]), Float)\nf.defn = 1\n",
     "5:33: the upper bound of an interval has the variable x, it should be affine in integer parameters, as "
     "2 * R + C - 1 is\n"},
    {PRELUDE "f = Function(([x, y], [r]), Float)\n",
     "5:14: the domain has 2 variables and 1 interval, there should be as many\n"},
    {PRELUDE "f = Function(([x], [r]), Float)\n"
             "f.defn = [Case(Condition(x, '<=', 3), 1),\n  Case(Condition(x, '>=', 3), 2)]\n",
     "7:3: the case overlaps an earlier one of f at x = 3 for R = 4, cases should exclude each other\n"
     "6:11: the earlier case is here\n"},
    {PRELUDE "f = Function(([x], [r]), Float)\nf.defn = Stencil(I, 1, [[1, 2], [3]])\n",
     "6:24: the rows of the kernel differ in length, they should be equally long\n"},
    {PRELUDE "f = Function(([x], [r]), Float)\nf.defn = Stencil(I, 1, [[1, 2], [3, 4]])\n",
     "6:10: the kernel has 2 dimensions, it should have at most 1 as the domain it goes over\n"},
    {PRELUDE "a = Condition(x, '=', 1)\nb = x ** 2\nif x > 1: pass\n",
     "5:18: the relation is the string '=', it should be one of '==' '!=' '<' '<=' '>' '>='\n"
     "6:7: '**' is applied to the variable x, Pow(base, exponent) should be written\n"
     "7:6: a condition is tested while the program is read: Case(condition, value) or Select(condition, a, "
     "b) should test it\n"},
    {PRELUDE "f = Function(([x], [r]), Int)\nf.defn = Reduce(f(x), 1, Sum)\nf.redDom = ([y], [r])\n",
     "6:3: a stage that is no reduction is updated, Reduction or Accumulator should make it\n"
     "7:3: a stage that is no reduction gets a reduction domain, Reduction or Accumulator should make it\n"},
    {PRELUDE
     "h, k = Accumulator(([x], [r]), Int), Accumulator(([x], [r]), Int)\nh.defn = Reduce(k(x), 1, Sum)\n",
     "6:10: the update goes to another stage, it should go to the one that it defines\n"},
    {PRELUDE "h = Reduction(([x], [r]), Int)\nh.defn = Reduce(h(x), 1, Sum)\n",
     "5:5: the reduction h has no domain to go through, redDom or reductionDomain should give it\n"},
    {PRELUDE "h = Reduction(([x], [r]), ([y], [r]), Int)\nh.defn = Reduce(h(x), I(y), Sum)\n",
     "6:19: the variable x is not one of the updates of h, whose reduction domain should contain it\n"},
    {PRELUDE "h = Reduction(([x], [r]), ([y], [r]), Float)\nh.defn = Reduce(h(y), I(y), Or)\n",
     "6:10: the operation 'or' is one of integers, the type of h should be one: Int, UChar …\n"},
    {PRELUDE "h = Reduction(([x], [r]), ([y], [r]), Float)\nh.defn = Reduce(h, 1, Sum)\n"
             "h.defn = Reduce(h(y), 1, Sqrt)\nh.default = I\nh.defn = Sum(1)\n",
     "6:17: Reduce goes to the stage h, it should go to a point of a reduction: Reduce(h(x), value, Sum)\n"
     "7:26: the operation is the function Sqrt, it should be one of Sum Prod Mul Min Max And Or "
     "ArgMin ArgMax\n"
     "8:3: the default is the image I, it should be a number\n"
     "9:10: Sum is called, it should be the operation of Reduce(h(x), value, Sum)\n"},
    {PRELUDE "t = TStencil(([x], [r]), Float)\nu = TStencil(([x], [r]), Float, R)\n"
             "v = TStencil(([x], [r]), Float, 0)\n",
     "5:5: a TStencil has no number of steps, it should be TStencil(([variables], [intervals]), type, "
     "\"name\", steps)\n"
     "6:33: the number of steps is the parameter R, --const R=<integer> should give it\n"
     "7:33: the number of steps is the integer 0, it should be an integer of 1 to 10000\n"},
    {PRELUDE "t = TStencil(([x], [r]), Float, 2)\nt.defn = I(x)\n",
     "5:5: the definition of the TStencil t has no Stencil, it should have one on what the steps start "
     "with\n"},
    {PRELUDE "t = TStencil(([x, y], [r, r]), Float, 2)\nt.defn = Stencil(I(x), 1, [1, 1, 1])\n",
     "5:5: the TStencil t has 2 dimensions, I, which it starts with, has 1; they should be as many\n"},
    {PRELUDE "t = TStencil(([x], [r]), Float, 2)\n"
             "t.defn = Case(Condition(I(x), '>', 1), Stencil(I(x), 1, [1, 1, 1]))\n",
     "6:10: the condition of a TStencil is not affine, it should be\n"},
    {"J = Image(Float, [0])\n" PRELUDE "f = Function(([x], [r]), Float)\nf.defn = I(x)\n",
     "1:18: the extent of an image is 0, it should be at least 1\n"},
    {PRELUDE "f = Function(([x], [r]), Float)\nf.name = 'g'\nI.defn = 1\n",
     "6:3: the stage f has no attribute 'name', it should be 'defn', 'default', 'boundary', 'varDom' or "
     "'redDom', "
     "or a long name of these\n"
     "7:3: the attribute 'defn' of the image I is set, it should be that of a stage\n"},
};

/* `n` times `open`, 1, `n` times `close`: what the program says about it. */
static char *messages_of_nested(const char *open, const char *close, unsigned n) {
  pm_buf program = {0};
  fixture f;
  pm_buf_puts(&program, "a = ");
  for (unsigned i = 0; i < n; i++) pm_buf_puts(&program, open);
  pm_buf_puts(&program, "1");
  for (unsigned i = 0; i < n; i++) pm_buf_puts(&program, close);
  pm_buf_puts(&program, "\n");
  begin(&f, program.data, NULL);
  char *log = pm_xstrdup(f.log.data ? f.log.data : "");
  end(&f);
  pm_buf_free(&program);
  return log;
}

/* What is not too deep has another mistake only: it is no pipeline. */
static void brackets_and_signs_nest_200_deep(void **state) {
  static const char *const pairs[][2] = {{"[", "]"}, {"(", ")"}, {"-", ""}, {"2 ** ", ""}, {"lambda: ", ""}};
  (void)state;
  for (size_t i = 0; i < PM_COUNT(pairs); i++) {
    char *deep = messages_of_nested(pairs[i][0], pairs[i][1], 200);
    char *deeper = messages_of_nested(pairs[i][0], pairs[i][1], 201);
    assert_null(strstr(deep, "nested"));
    assert_non_null(strstr(deeper, "this is nested more than 200 deep, parts of it should get names"));
    free(deep);
    free(deeper);
  }
}

static void wrong_programs_are_refused(void **state) {
  (void)state;
  unsigned wrong = 0;
  for (size_t i = 0; i < PM_COUNT(message_rows); i++) {
    fixture f;
    begin(&f, message_rows[i].program, NULL);
    const char *log = f.log.data ? f.log.data : "";
    bool right = !f.module && strcmp(log, message_rows[i].expected) == 0;
    wrong += !right;
    if (!right)
      print_error("%s\nhas the messages\n%s\nexpected\n%s\n", message_rows[i].program, log,
                  message_rows[i].expected);
    end(&f);
  }
  assert_int_equal(wrong, 0);
}

/* --- options --- */

static pm_op *pipeline_of(fixture *f) {
  return pm_module_body(f->module)->first;
}

static void options_are_followed(void **state) {
  (void)state;
  static const char program[] =
      "x = Variable()\nstages = [Function(([x], [Interval(0, L)]), Int) for i in range(L)]\n"
      "for s in stages: s.defn = x\n";
  const polymage_const consts[] = {{.name = "L", .value = 4}};
  const char *const live_outs[] = {"stages_2", "stages_0"};
  polymage_options options = {.pipeline_name = "my pipe",
                              .live_outs = live_outs,
                              .n_live_outs = 2,
                              .consts = consts,
                              .n_consts = 1,
                              .fp = "strict"};
  fixture f;
  begin(&f, program, &options);
  assert_non_null(f.module);
  pm_op *pipeline = pipeline_of(&f);
  assert_string_equal(pm_sym_at(pipeline, stage_pipeline_sym)->text, "my_pipe");
  assert_string_equal(pm_sym_at(pipeline, stage_pipeline_fp)->text, "strict");
  unsigned n_funcs = 0, n_outputs = 0;
  PM_FOR_OPS(op, pm_region_at(pipeline, stage_pipeline_body)) {
    n_funcs += pm_is(op, &stage_func);
    if (!pm_is(op, &stage_output)) continue;
    assert_string_equal(pm_sym_at(op, stage_output_stage)->text, live_outs[n_outputs++]);
  }
  assert_int_equal(n_funcs, 2);
  assert_int_equal(n_outputs, 2);
  end(&f);
  const char *const wrong[] = {"stage_1", "q"};
  options.live_outs = wrong;
  begin(&f, program, &options);
  assert_null(f.module);
  assert_string_equal(f.log.data,
                      "0:0: --live-out stage_1: no stage is named 'stage_1', 'stages_1' is the nearest name\n"
                      "0:0: --live-out q: no stage is named 'q', it should be a stage of the program\n");
  end(&f);
}

/* --- size --- */

static unsigned count_stages(fixture *f) {
  unsigned n = 0;
  PM_FOR_OPS(op, pm_region_at(pipeline_of(f), stage_pipeline_body)) n += pm_is(op, &stage_func);
  return n;
}

static void large_programs_are_read(void **state) {
  (void)state;
  fixture f;
  begin(&f,
        "R = Parameter(Int)\nimg = Image(Float, [R])\nx = Variable()\nr = Interval(0, R - 1)\nlast = img\n"
        "for i in range(10000):\n"
        "    f = Function(([x], [r]), Float)\n"
        "    f.defn = last(x) * 0.5 + 1\n"
        "    last = f\n",
        NULL);
  assert_non_null(f.module);
  assert_int_equal(count_stages(&f), 10000);
  end(&f);
}

/* Depth in the text, in the program's loops, and shared parts that would be 2^64 terms when written out. */
static void deep_expressions_are_read(void **state) {
  (void)state;
  pm_buf text = {0};
  pm_buf_puts(&text, "R = Parameter(Int)\nimg = Image(Float, [R])\nx = Variable()\n"
                     "f = Function(([x], [Interval(0, R - 1)]), Float)\na = img(x)\nb = img(x)\n"
                     "for i in range(20000): a = Max(a + img(x), a)\n"
                     "for i in range(64): b = b + b\n"
                     "i = x\nfor k in range(3000): i = i + 1 - 1\n"
                     "f.defn = a + b + img(i)");
  for (int i = 0; i < 5000; i++) pm_buf_puts(&text, " + img(x)");
  pm_buf_putc(&text, '\n');
  fixture f;
  begin(&f, text.data, NULL);
  if (!f.module) fail_msg("%s", f.log.data);
  end(&f);
  pm_buf_free(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(expressions_mean_what_the_table_says),
      cmocka_unit_test(python_holds),
      cmocka_unit_test(wrong_programs_are_refused),
      cmocka_unit_test(brackets_and_signs_nest_200_deep),
      cmocka_unit_test(options_are_followed),
      cmocka_unit_test(large_programs_are_read),
      cmocka_unit_test(deep_expressions_are_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
