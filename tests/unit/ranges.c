/* Ranges against the ops themselves: on all pairs of small numbers, what an op gives lies in the range that
 * is said of it; and ranges of loops, sums and types. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "dialects/arith/arith.h"
#include "dialects/dialects.h"
#include "dialects/loop/analyses/ranges.h"
#include "dialects/loop/loop.h"
#include "ir/lanes.h"
#include "ir/text.h"

enum { LEAST = -9, GREATEST = 9 };

typedef struct op_row {
  const pm_op_desc *desc;
  int64_t tight; /* pairs of ranges of which the op is known to say something, at least */
} op_row;

static const op_row ops[] = {
    {&arith_addi, 1000}, {&arith_subi, 1000},     {&arith_muli, 1000},     {&arith_divi, 100},
    {&arith_remi, 100},  {&arith_trunc_div, 100}, {&arith_trunc_rem, 100}, {&arith_mini, 1000},
    {&arith_maxi, 1000}, {&arith_andi, 1000},     {&arith_ori, 100},       {&arith_xori, 100},
    {&arith_shli, 100},  {&arith_shri, 100},
};

static int64_t eval(const pm_op *op, int64_t a, int64_t b) {
  pm_lane x = {.i = a}, y = {.i = b}, out = {.i = 0};
  const pm_lane *args[] = {&x, &y};
  assert_true(pm_eval_lanes(op, args, &out, 1));
  return out.i;
}

/* False when nothing is known. */
static bool check_pair(const pm_op *op, arith_range a, arith_range b) {
  const arith_range operands[] = {a, b};
  arith_range r = arith_range_of_op(op, operands);
  if (!r.known) return false;
  for (int64_t x = a.lo; x <= a.hi; x++)
    for (int64_t y = b.lo; y <= b.hi; y++) {
      int64_t v = eval(op, x, y);
      if (v < r.lo || v > r.hi)
        fail_msg("%s of %lld and %lld is %lld, outside %lld to %lld", op->desc->name, (long long)x,
                 (long long)y, (long long)v, (long long)r.lo, (long long)r.hi);
    }
  return true;
}

static pm_op *build_op(pm_module *module, const pm_op_desc *desc) {
  pm_builder b = pm_builder_at_end(module, pm_module_body(module), PM_NO_LOC);
  pm_type type = pm_get_scalar(pm_module_context(module), PM_I64);
  pm_attr attrs[loop_param_N_ATTRS] = {NULL};
  attrs[loop_param_sym] = pm_get_symbol(type->ctx, pm_get_cstring(type->ctx, "x"));
  pm_value *x = pm_res(pm_build(&b, &loop_param, NULL, 0, &type, 1, attrs), 0);
  return pm_def(pm_build_binary(&b, desc, x, x));
}

static void ops_stay_in_their_ranges(void **state) {
  (void)state;
  pm_context *ctx = pm_context_new();
  pm_register_all_dialects(ctx);
  pm_module *module = pm_module_new(ctx, PM_NO_LOC);
  for (size_t i = 0; i < PM_COUNT(ops); i++) {
    const pm_op *op = build_op(module, ops[i].desc);
    int64_t known = 0;
    for (int64_t a = LEAST; a <= GREATEST; a += 2)
      for (int64_t m = a; m <= GREATEST; m += 3)
        for (int64_t b = LEAST; b <= GREATEST; b++)
          for (int64_t n = b; n <= GREATEST; n += 2)
            known += check_pair(op, (arith_range){true, a, m}, (arith_range){true, b, n});
    if (known < ops[i].tight) fail_msg("%s says little: %lld", ops[i].desc->name, (long long)known);
  }
  pm_module_free(module);
  pm_context_free(ctx);
}

static void bounds_that_leave_64_bits_are_unknown(void **state) {
  (void)state;
  const arith_range top = {true, INT64_MAX, INT64_MAX}, bottom = {true, INT64_MIN, INT64_MIN},
                    one = {true, 1, 1}, nothing = arith_unknown_range();
  assert_false(arith_range_add(top, one).known);
  assert_false(arith_range_sub(bottom, one).known);
  assert_false(arith_range_sub(one, bottom).known);
  assert_false(arith_range_mul(top, (arith_range){true, 2, 2}).known);
  assert_false(arith_range_mul(bottom, (arith_range){true, -1, -1}).known);
  assert_false(arith_range_add(nothing, one).known);
  assert_false(arith_range_div(nothing, one, true).known);
  arith_range remainder = arith_range_rem(nothing, (arith_range){true, 8, 8}, true);
  assert_true(remainder.known && remainder.lo == 0 && remainder.hi == 7);
}

static void types_hold_what_they_hold(void **state) {
  (void)state;
  assert_true(arith_range_fits((arith_range){true, 0, 255}, PM_U8));
  assert_false(arith_range_fits((arith_range){true, -1, 255}, PM_U8));
  assert_false(arith_range_fits((arith_range){true, 0, 256}, PM_U8));
  assert_true(arith_range_fits((arith_range){true, -128, 127}, PM_I8));
  assert_true(arith_range_fits((arith_range){true, INT64_MIN, INT64_MAX}, PM_I64));
  assert_true(arith_range_fits((arith_range){true, 0, INT64_MAX}, PM_U64));
  assert_false(arith_range_fits((arith_range){true, -1, 0}, PM_U64));
  assert_false(arith_range_fits(arith_unknown_range(), PM_I64));
  assert_false(arith_range_fits((arith_range){true, 0, 0}, PM_F32));
}

/* --- functions --- */

static const char *const function = "loop.func @f {\n"
                                    "  %R = loop.param @R : i32\n"
                                    "  %u = loop.param @u : u64\n"
                                    "  %n = arith.cast %R : (i32) -> index\n"
                                    "  %c0 = arith.constant 0 : index\n"
                                    "  %c3 = arith.constant 3 : index\n"
                                    "  %out = buf.output @out(%n) : memref<?xindex>\n"
                                    "  loop.for %i = %c3 to %n step 1 {\n"
                                    "    %exact = arith.muli %i, %n : index\n"
                                    "    %wraps = arith.muli %exact, %n : index\n"
                                    "    %half = arith.divi %i, %c3 : index\n"
                                    "    buf.store %wraps, %out[%i mod 8 + 1] : memref<?xindex>\n"
                                    "  }\n"
                                    "}\n";

typedef struct search {
  const char *name;
  const pm_value *found;
} search;

static pm_walk look_for(void *user, pm_op *op) {
  search *s = user;
  for (unsigned i = 0; i < op->n_results; i++)
    if (pm_res(op, i)->name && !strcmp(pm_res(op, i)->name->text, s->name)) s->found = pm_res(op, i);
  return s->found ? PM_WALK_STOP : PM_WALK_ON;
}

static const pm_value *value_called(pm_module *module, const char *name) {
  search s = {name, NULL};
  (void)pm_walk_pre(pm_module_op(module), look_for, &s);
  assert_non_null(s.found);
  return s.found;
}

static void assert_range(const loop_ranges *r, const pm_value *v, int64_t lo, int64_t hi, bool exact) {
  arith_range range = loop_range_of(r, v);
  assert_true(range.known);
  assert_true(range.lo == lo && range.hi == hi);
  assert_int_equal(loop_is_exact(r, v), exact);
}

static void functions_have_ranges(void **state) {
  (void)state;
  pm_context *ctx = pm_context_new();
  pm_register_all_dialects(ctx);
  pm_module *module = pm_parse_module(ctx, "test", function, strlen(function), true);
  assert_non_null(module);
  loop_ranges *r = loop_find_ranges(pm_module_body(module)->first, NULL, 0);
  assert_range(r, value_called(module, "n"), INT32_MIN, INT32_MAX, true);
  assert_false(loop_range_of(r, value_called(module, "u")).known);
  const pm_op *loop = pm_parent(pm_def(value_called(module, "exact")));
  const pm_value *counter = pm_region_at(loop, loop_for_body)->args[0];
  assert_range(r, counter, 3, INT32_MAX - 1, false);
  assert_range(r, value_called(module, "exact"), (int64_t)INT32_MIN * (INT32_MAX - 1),
               (int64_t)INT32_MAX * (INT32_MAX - 1), true);
  assert_range(r, value_called(module, "wraps"), INT64_MIN, INT64_MAX, false);
  assert_range(r, value_called(module, "half"), 1, (INT32_MAX - 1) / 3, true);
  const pm_op *store = pm_region_at(loop, loop_for_body)->last;
  arith_range cell = loop_affine_range(r, pm_attr_at(store, 0)->map->results[0], &pm_operands(store)[2], 1);
  assert_true(cell.known && cell.lo == 1 && cell.hi == 8);
  loop_ranges_free(r);
  pm_module_free(module);
  pm_context_free(ctx);
}

/* @g is called by @f in a loop, and by @h, which @f calls. */
static const char calls[] = "loop.func @f {\n"
                            "  %u = loop.param @u : u64\n"
                            "  %c3 = arith.constant 3 : index\n"
                            "  %c9 = arith.constant 9 : index\n"
                            "  %t = arith.constant true : i1\n"
                            "  loop.for %i = %c3 to %c9 step 1 {\n"
                            "    loop.call @g(%i, %u, %t) : index, u64, i1\n"
                            "  }\n"
                            "  loop.call @h(%c9) : index\n"
                            "}\n"
                            "loop.func private @h {\n"
                            "  %n = loop.param @n : index\n"
                            "  %u0 = arith.constant 0 : u64\n"
                            "  %t0 = arith.constant true : i1\n"
                            "  %m = arith.addi %n, %n : index\n"
                            "  loop.call @g(%m, %u0, %t0) : index, u64, i1\n"
                            "}\n"
                            "loop.func private @g {\n"
                            "  %p = loop.param @p : index\n"
                            "  %q = loop.param @q : u64\n"
                            "  %b = loop.param @b : i1\n"
                            "  %twice = arith.addi %p, %p : index\n"
                            "}\n";

static void arguments_are_what_calls_give(void **state) {
  (void)state;
  pm_context *ctx = pm_context_new();
  pm_register_all_dialects(ctx);
  pm_module *module = pm_parse_module(ctx, "test", calls, strlen(calls), true);
  assert_non_null(module);
  const pm_op *g = pm_module_body(module)->last, *h = pm_prev(g);
  loop_ranges *alone = loop_find_ranges(g, NULL, 0), *called = loop_find_called_ranges(g, NULL, 0);
  assert_range(alone, value_called(module, "p"), INT64_MIN, INT64_MAX, false);
  assert_range(called, value_called(module, "p"), 3, 18, false);
  assert_range(called, value_called(module, "twice"), 6, 36, true);
  assert_false(loop_range_of(called, value_called(module, "q")).known);
  assert_range(called, value_called(module, "b"), 1, 1, false);
  loop_ranges_free(alone);
  loop_ranges_free(called);
  const loop_known_range known = {value_called(module, "n"), {true, 1, 2}};
  called = loop_find_called_ranges(h, &known, 1);
  assert_range(called, value_called(module, "m"), 2, 4, true);
  loop_ranges_free(called);
  called = loop_find_called_ranges(g, &known, 1);
  assert_range(called, value_called(module, "p"), 2, 8, false);
  loop_ranges_free(called);
  pm_module_free(module);
  pm_context_free(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ops_stay_in_their_ranges),
      cmocka_unit_test(bounds_that_leave_64_bits_are_unknown),
      cmocka_unit_test(types_hold_what_they_hold),
      cmocka_unit_test(functions_have_ranges),
      cmocka_unit_test(arguments_are_what_calls_give),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
