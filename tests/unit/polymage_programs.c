/* Whole PolyMage programs: what they compute, by the reference interpreter. */
#include "dialects/dialects.h"
#include "dialects/stage/analyses/graph.h"
#include "dialects/stage/interpreter/interp.h"
#include "frontends/polymage/polymage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PRELUDE                                                                                              \
  "B = Image(UChar, 'B', [8])\nx, y, v = Variable(Int, 'x'), Variable(Int, 'y'), Variable(Int, 'v')\n"       \
  "eight, four = Interval(0, 7), Interval(0, 3)\n"

typedef struct program_row {
  const char *what, *program, *expected; /* the outputs' elements; a line for each output */
} program_row;

/* B is 0 10 200 255 7 3 2 1. */
static const program_row rows[] = {
    {"a histogram",
     "h = Reduction(redDom = ([x], [eight]), varDom = ([v], [four]), Int)\nh.defn = Reduce(h(B(x) % 4), 1, "
     "Sum)\n",
     "2 1 2 3\n"},
    {"an accumulator",
     "h = m.Accumulator(m.Int, 'h')\nh.variableDomain = ([v], [four])\nh.reductionDomain = ([x], [eight])\n"
     "h.default = 100\nh.definition = m.Accumulate(h(B(x) % 4), x, m.Op.Sum)\n"
     "h.definition = m.Accumulate(h(x / 2), 1, m.Op.Sum)\n",
     "104 109 109 114\n"},
    {"positions of the domains",
     "h = Reduction(([v], [four]), ([x], [eight]), Int, 'h')\nh.defn = [Reduce(h(Min(x, 3)), B(x), "
     "Op.Sum)]\n",
     "0 10 200 268\n"},
    {"each operation",
     "def r(op, start, type = Int):\n"
     "    h = Reduction(([v], [Interval(0, 0)]), ([x], [Interval(2, 5)]), type)\n"
     "    h.default = start\n    h.defn = Reduce(h(0), B(x), op)\n    return h\n"
     "def all(): return [r(Sum, 1), r(Prod, 2), r(Op.Mul, 1, UChar), r(Min, 99), r(Op.Max, -1), r(And, 255), "
     "r(Op.Or, 0), r(Sum, 0.5, Double), r(Min, 1000, Float)]\n",
     "466\n2142000\n152\n3\n255\n0\n255\n465.5\n3\n"},
    {"an update has a condition",
     "h = Reduction(([v], [four]), ([x], [eight]), Int)\n"
     "h.defn = Case(Condition(x, '>=', 4) & Condition(B(x), '!=', 2), Reduce(h(x - 4), B(x), Sum))\n",
     "7 3 0 1\n"},
    {"cases are before the updates",
     "h = Reduction(([v], [four]), ([x], [four]), Short)\nh.default = 0\n"
     "h.defn = [Case(v > 1, 10 * v), Reduce(h(3 - x), x, Max), Reduce(h(x), h(x) + 0.5, Sum)]\n",
     "6 4 40 60\n"},
    {"a later update sees the earlier one, and what it did itself",
     "h = Reduction(([v], [four]), ([x], [four]), Int)\n"
     "h.defn = [Reduce(h(x), 1, Sum), Reduce(h(x), h(Max(x - 1, 0)), Sum)]\n",
     "2 3 4 5\n"},
    {"stencils in updates",
     "h = Reduction(([v], [Interval(0, 1)]), ([x], [Interval(1, 6)]), Int)\n"
     "h.defn = Reduce(h(x % 2), Stencil(B, 1, [1, 0, 1]), Sum)\n",
     "527 416\n"},
    {"a scan",
     "s = Function(([x], [eight]), Int)\ns.defn = [Case(x < 1, B(x)), Case(x >= 1, s(x - 1) + B(x))]\n",
     "0 10 210 465 472 475 477 478\n"},
    {"a summed-area table",
     "s = Function(([x, y], [Interval(0, 2), Interval(0, 2)]), Int)\n"
     "s.defn = [Case((x > 0) & (y > 0), s(x - 1, y) + s(x, y - 1) - s(x - 1, y - 1) + 1),\n"
     "    Case((x == 0) & (y > 0), s(x, y - 1) + 1), Case((x > 0) & (y == 0), s(x - 1, y) + 1),\n"
     "    Case((x == 0) & (y == 0), 1)]\n",
     "1 2 3 2 4 6 3 6 9\n"},
    {"time iteration by a dimension",
     "s = Function(([v, x], [Interval(0, 2), four]), Int)\n"
     "s.defn = [Case(v == 0, B(x)), Case((v > 0) & (x > 0), s(v - 1, x - 1) + 1)]\n",
     "0 10 200 255 0 1 11 201 0 1 2 12\n"},
    {"a time stencil keeps the ghosts",
     "t = TStencil(([x], [eight]), Int, 't', 2)\nt.defn = Stencil(B, 1, [1, 1, 1])\n",
     "0 675 1137 1192 739 283 19 1\n"},
    {"a time stencil inside its input",
     "t = TStencil(([x], [Interval(1, 3)]), UShort, 't', 2)\nt.defn = [Stencil(B(x), 1, [1, 1, 1])]\n",
     "675 1137 934\n"},
    {"a time stencil with a condition, in an expression",
     "t = TStencil(([x], [eight]), Int, 3, 't')\n"
     "t.defn = Case((x >= 2) & (x <= 4), B(x) - Stencil(B, [x], [1, 1], [1]) / 2)\n",
     "0 10 17 -38 -22 3 2 1\n"},
    {"one step", "t = TStencil(([x], [eight]), Int, 't', 1)\nt.defn = Stencil(B, 1, [1, -1])\n",
     "-10 -190 -55 248 4 1 1 1\n"},
    {"stages of several ranks, and several outputs",
     "a = Function(([x], [four]), Short)\na.defn = B(x) - 8\n"
     "b = Function(([y, x], [Interval(0, 1), four]), Double)\nb.defn = a(x) * 0.1 + y\n"
     "c = Function(([x], [four]), ULong)\nc.defn = b(1, x) + b(0, 3 - x) + a(0)\n",
     "16 12 12 16\n"},
    {"parity",
     "e = Function(([x], [eight]), Int)\n"
     "e.defn = [Case(Condition(x % 2, '==', 0), B(x / 2)), Case(Condition(x % 2, '==', 1), -B((x - 1) / "
     "2))]\n",
     "0 0 10 -10 200 -200 255 -255\n"},
    {"conditions of values",
     "f = Function(([x], [eight]), Int)\n"
     "f.defn = [Case((B(x) > 100) | Condition(B(x), '!=', 2) & (x > 5), 1),\n"
     "          Case((B(x) <= 100) & ((x <= 5) | (B(x) == 2)) , Select(x < 2, Select(x == 0, 5, 6), 7))]\n",
     "5 6 1 1 7 7 7 1\n"},
    {"clamped indices",
     "f = Function(([x], [eight]), UChar)\n"
     "f.defn = B(Max(Min(x + 3, 7), 0)) - B(Select(Condition(x, '<', 4), 3 - x, x - 4)) + B(Abs(x - 3))\n",
     "255 7 3 2 11 191 56 9\n"},
    {"steps of intervals",
     "f = Function(([x], [Interval(1, 7, 3)]), Int)\nf.defn = B(x)\ng = Function(([x], [four]), Int)\n"
     "g.defn = Case(x > 0, f(3 * x - 2))\n",
     "0 10 7 1\n"},
    {"a default of a function",
     "f = Function(([x], [four]), Float)\nf.default = 1.5\nf.defn = Case(x == 2, B(x))\n",
     "1.5 1.5 200 1.5\n"},
};

static void silent(void *user, pm_context *ctx, const pm_diag *diag) {
  (void)ctx;
  pm_buf_printf(user, "%u:%u: %s\n", (unsigned)diag->loc.line, (unsigned)diag->loc.col, diag->message);
}

static void put_elements(pm_buf *out, const pm_array *a) {
  int64_t n = pm_array_count(a);
  pm_lane *lanes = pm_xcalloc((size_t)n + 1, sizeof(*lanes));
  arith_load_lanes(a->scalar, a->data, 1, lanes, (size_t)n);
  for (int64_t i = 0; i < n; i++) {
    pm_buf_puts(out, i > 0 ? " " : "");
    if (a->scalar == PM_F32 || a->scalar == PM_F64)
      pm_buf_printf(out, "%.7g", a->scalar == PM_F32 ? (double)lanes[i].f : lanes[i].d);
    else
      pm_buf_printf(out, "%lld", (long long)lanes[i].i);
  }
  pm_buf_putc(out, '\n');
  free(lanes);
}

static void make_outputs(pm_op *pipeline, const stage_signature *sig, pm_array *outputs) {
  for (size_t i = 0; i < sig->outputs.len; i++) {
    const stage_arg *arg = &sig->outputs.data[i];
    outputs[i] = (pm_array){.scalar = arg->type->scalar, .rank = arg->n_dims};
    assert_true(stage_box_at(pipeline, arg->op, NULL, outputs[i].extents, NULL));
    outputs[i].data = pm_xcalloc((size_t)pm_array_count(&outputs[i]) + 1, sizeof(double));
  }
}

/* Appends what the pipeline computes. */
static bool compute(pm_op *pipeline, pm_buf *out) {
  uint8_t bytes[8] = {0, 10, 200, 255, 7, 3, 2, 1};
  pm_array input = {.scalar = PM_U8, .rank = 1, .extents = {8}, .data = bytes};
  stage_signature sig;
  stage_signature_get(pipeline, &sig);
  pm_array *outputs = pm_xcalloc(sig.outputs.len, sizeof(*outputs));
  make_outputs(pipeline, &sig, outputs);
  pm_call call = {NULL, 0, &input, 1, outputs, sig.outputs.len};
  bool ok = stage_interpret(pipeline, &call);
  for (size_t i = 0; i < sig.outputs.len; i++) {
    if (ok) put_elements(out, &outputs[i]);
    free(outputs[i].data);
  }
  free(outputs);
  stage_signature_free(&sig);
  return ok;
}

/* What the program computes, or the diagnostics. */
static void run_program(const char *program, pm_buf *out) {
  pm_buf text = {0};
  pm_context *ctx = pm_context_new();
  pm_register_all_dialects(ctx);
  pm_set_diag_handler(ctx, silent, out);
  pm_buf_puts(&text, "import m\n");
  bool builder = strstr(program, "def all()") != NULL;
  pm_buf_printf(&text, "%s%s%s", PRELUDE, program, builder ? "stages = all()\n" : "");
  pm_module *module = polymage_read(ctx, "test.py", text.data, text.len, NULL);
  if (module) compute(pm_module_body(module)->first, out);
  if (module) pm_module_free(module);
  pm_context_free(ctx);
  pm_buf_free(&text);
}

static void programs_compute_what_the_table_says(void **state) {
  (void)state;
  unsigned wrong = 0;
  for (size_t i = 0; i < PM_COUNT(rows); i++) {
    pm_buf got = {0};
    run_program(rows[i].program, &got);
    const char *text = got.data ? got.data : "";
    bool right = strcmp(text, rows[i].expected) == 0;
    wrong += !right;
    if (!right)
      print_error("%s: %s\ngives\n%sexpected\n%s\n", rows[i].what, rows[i].program, text, rows[i].expected);
    pm_buf_free(&got);
  }
  assert_int_equal(wrong, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(programs_compute_what_the_table_says),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
