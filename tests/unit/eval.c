/* The meaning of the scalar ops, row by row: docs/design.md, "What a program means". */
#include "dialects/arith/arith.h"
#include "dialects/arith/eval.h"
#include "dialects/dialects.h"
#include "dialects/math/math.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

typedef struct fixture {
  pm_context *ctx;
  pm_module *module;
  pm_builder builder;
} fixture;

static int set_up(void **state) {
  static fixture f;
  f.ctx = pm_context_new();
  pm_register_all_dialects(f.ctx);
  f.module = pm_module_new(f.ctx, PM_NO_LOC);
  f.builder = pm_builder_at_end(f.module, pm_module_body(f.module), PM_NO_LOC);
  *state = &f;
  return 0;
}

static int tear_down(void **state) {
  fixture *f = *state;
  pm_module_free(f->module);
  pm_context_free(f->ctx);
  return 0;
}

/* A value of the type that is no constant: operands of the ops under test. */
static pm_value *opaque(fixture *f, pm_scalar scalar) {
  return arith_build_int(&f->builder, pm_get_scalar(f->ctx, scalar), 0);
}

static pm_lane of_int(int64_t i) {
  return (pm_lane){.i = i};
}
static pm_lane of_float(float x) {
  return (pm_lane){.f = x};
}
static pm_lane of_double(double x) {
  return (pm_lane){.d = x};
}

static pm_lane eval_op(pm_value *result, pm_lane a, pm_lane b) {
  const pm_lane *args[] = {&a, &b};
  pm_lane out = {.i = 0};
  assert_true(pm_eval_lanes(pm_def(result), args, &out, 1));
  return out;
}

static pm_lane eval_binary(fixture *f, const pm_op_desc *desc, pm_scalar scalar, pm_lane a, pm_lane b) {
  pm_value *x = opaque(f, scalar);
  return eval_op(pm_build_binary(&f->builder, desc, x, x), a, b);
}

static pm_lane eval_fma(fixture *f, pm_scalar scalar, pm_lane a, pm_lane b, pm_lane c) {
  pm_value *x = opaque(f, scalar), *operands[] = {x, x, x};
  const pm_lane *args[] = {&a, &b, &c};
  pm_lane out = {.i = 0};
  assert_true(pm_eval_lanes(pm_build(&f->builder, &math_fma, operands, 3, &x->type, 1, NULL), args, &out, 1));
  return out;
}

/* The products are no numbers of the type; of the 16-bit formats, the sums lie so near the middle between two
 * numbers that rounding to a float first would decide wrongly. */
static void fma_rounds_once(void **state) {
  fixture *f = *state;
  pm_lane wide = of_float(1 + 0x1p-12f), minus = of_float(-1 - 0x1p-11f);
  assert_true(eval_fma(f, PM_F32, wide, wide, minus).f == 0x1p-24f);
  pm_lane wider = of_double(1 + 0x1p-27);
  assert_true(eval_fma(f, PM_F64, wider, wider, of_double(-1 - 0x1p-26)).d == 0x1p-54);
  pm_lane above = of_float((1 + 0x1p-10f) * 0x1p-6f), below = of_float((1 - 0x1p-10f) * 0x1p-5f);
  assert_true(eval_fma(f, PM_F16, above, below, of_float(1 + 0x1p-10f)).f == 1 + 0x1p-10f);
  above = of_float((1 + 0x1p-7f) * 0x1p-12f), below = of_float((1 - 0x1p-7f) * 0x1p-12f);
  assert_true(eval_fma(f, PM_BF16, above, below, of_float(1 + 0x1p-7f)).f == 1 + 0x1p-7f);
  above = of_float((1 + 0x1p-7f) * 0x1p-4f), below = of_float((1 - 0x1p-7f) * 0x1p-4f);
  assert_true(eval_fma(f, PM_BF16, above, below, of_float(1 + 0x1p-7f)).f == 1 + 0x1p-7f);
}

typedef struct int_row {
  const pm_op_desc *desc;
  pm_scalar scalar;
  int64_t a, b, expected;
} int_row;

static const int_row int_rows[] = {
    {&arith_addi, PM_I8, 127, 1, -128},
    {&arith_addi, PM_U8, 255, 1, 0},
    {&arith_addi, PM_I32, INT32_MAX, 1, INT32_MIN},
    {&arith_addi, PM_I64, INT64_MAX, 1, INT64_MIN},
    {&arith_addi, PM_I1, 1, 1, 0},
    {&arith_subi, PM_U16, 0, 1, 65535},
    {&arith_subi, PM_INDEX, 3, 5, -2},
    {&arith_muli, PM_I16, 300, 300, 90000 - 65536},
    {&arith_addsat, PM_INDEX, INT64_MAX - 1, 1, INT64_MAX},
    {&arith_addsat, PM_INDEX, INT64_MAX, 1, INT64_MAX},
    {&arith_addsat, PM_INDEX, INT64_MIN, -1, INT64_MIN},
    {&arith_mulsat, PM_INDEX, -3, 5, -15},
    {&arith_mulsat, PM_INDEX, INT64_C(1) << 32, INT64_C(1) << 31, INT64_MAX},
    {&arith_mulsat, PM_INDEX, INT64_MIN, -1, INT64_MAX},
    {&arith_mulsat, PM_INDEX, INT64_MAX, -2, INT64_MIN},
    {&arith_muli, PM_U32, 65536, 65536, 0},
    {&arith_muli, PM_I32, INT32_MIN, -1, INT32_MIN},
    {&arith_divi, PM_I32, 7, 2, 3},
    {&arith_divi, PM_I32, -7, 2, -4},
    {&arith_divi, PM_I32, 7, -2, -3},
    {&arith_divi, PM_I32, -7, -2, 4},
    {&arith_divi, PM_I32, 7, 0, 0},
    {&arith_divi, PM_I32, INT32_MIN, -1, INT32_MIN},
    {&arith_divi, PM_I64, INT64_MIN, -1, INT64_MIN},
    {&arith_divi, PM_U64, -1, 2, INT64_MAX},
    {&arith_remi, PM_I32, 7, 2, 1},
    {&arith_remi, PM_I32, -7, 2, 1},
    {&arith_remi, PM_I32, 7, -2, 1},
    {&arith_remi, PM_I32, -7, -2, 1},
    {&arith_remi, PM_I32, -7, 0, 0},
    {&arith_remi, PM_I64, -1, INT64_MIN, INT64_MAX},
    {&arith_remi, PM_U64, -1, 10, 5},
    {&arith_trunc_div, PM_I32, -7, 2, -3},
    {&arith_trunc_div, PM_I8, -128, -1, -128},
    {&arith_trunc_div, PM_I8, 5, 0, 0},
    {&arith_trunc_rem, PM_I32, -7, 2, -1},
    {&arith_trunc_rem, PM_I32, 7, -2, 1},
    {&arith_trunc_rem, PM_I64, INT64_MIN, -1, 0},
    {&arith_trunc_rem, PM_I64, 5, 0, 0},
    {&arith_mini, PM_I8, -1, 1, -1},
    {&arith_mini, PM_U64, -1, 1, 1},
    {&arith_maxi, PM_U64, -1, 1, -1},
    {&arith_maxi, PM_I64, -1, 1, 1},
    {&arith_andi, PM_I8, -2, 127, 126},
    {&arith_ori, PM_I8, -128, 1, -127},
    {&arith_xori, PM_U8, 255, 15, 240},
    {&arith_shli, PM_I32, 1, 31, INT32_MIN},
    {&arith_shli, PM_I32, 1, 32, 0},
    {&arith_shli, PM_I32, 1, -1, 0},
    {&arith_shli, PM_U64, 1, 63, INT64_MIN},
    {&arith_shli, PM_I8, 1, 7, -128},
    {&arith_shri, PM_I8, -128, 3, -16},
    {&arith_shri, PM_I8, -128, 8, -1},
    {&arith_shri, PM_I8, -128, -1, -1},
    {&arith_shri, PM_I64, -5, 1, -3},
    {&arith_shri, PM_I64, INT64_MIN, 64, -1},
    {&arith_shri, PM_U8, 255, 4, 15},
    {&arith_shri, PM_U8, 255, 8, 0},
    {&arith_shri, PM_U64, -1, 63, 1},
};

static void test_ints(void **state) {
  for (size_t i = 0; i < PM_COUNT(int_rows); i++) {
    const int_row *r = &int_rows[i];
    int64_t got = eval_binary(*state, r->desc, r->scalar, of_int(r->a), of_int(r->b)).i;
    if (got != r->expected) fail_msg("%s row %zu: %lld", r->desc->name, i, (long long)got);
  }
}

static void test_floats(void **state) {
  fixture *f = *state;
  float third = 1.0f / 3.0f;
  assert_true(eval_binary(f, &arith_addf, PM_F32, of_float(third), of_float(1.0f)).f == third + 1.0f);
  assert_true(eval_binary(f, &arith_mulf, PM_F64, of_double(0.1), of_double(3)).d == 0.1 * 3);
  assert_true(isinf(eval_binary(f, &arith_divf, PM_F32, of_float(1), of_float(0)).f));
  assert_true(eval_binary(f, &arith_minf, PM_F32, of_float(NAN), of_float(2)).f == 2);
  assert_true(isnan(eval_binary(f, &arith_minf, PM_F32, of_float(2), of_float(NAN)).f));
  assert_true(isnan(eval_binary(f, &arith_maxf, PM_F64, of_double(2), of_double(NAN)).d));
  pm_value *x = opaque(f, PM_F32);
  assert_true(signbit(eval_op(pm_build_unary(&f->builder, &arith_negf, x), of_float(0), of_float(0)).f) != 0);
  assert_true(eval_op(pm_build_unary(&f->builder, &math_sqrt, x), of_float(2), of_float(0)).f == sqrtf(2.0f));
  assert_true(eval_op(pm_build_unary(&f->builder, &math_round, x), of_float(-2.5f), of_float(0)).f == -3.0f);
  assert_true(eval_binary(f, &math_pow, PM_F64, of_double(2), of_double(0.5)).d == pow(2, 0.5));
}

static float eval_float(fixture *f, const pm_op_desc *desc, float x) {
  return eval_op(pm_build_unary(&f->builder, desc, opaque(f, PM_F32)), of_float(x), of_float(0)).f;
}

static double eval_double(fixture *f, const pm_op_desc *desc, double x) {
  return eval_op(pm_build_unary(&f->builder, desc, opaque(f, PM_F64)), of_double(x), of_double(0)).d;
}

static void functions_are_those_of_c(void **state) {
  static const struct {
    const pm_op_desc *desc;
    float (*single)(float);
    double (*whole)(double);
    double x;
  } rows[] = {
      {&math_asin, asinf, asin, 0.3},    {&math_acos, acosf, acos, -0.7},  {&math_atan, atanf, atan, 5},
      {&math_sinh, sinhf, sinh, -2.5},   {&math_cosh, coshf, cosh, 1.25},  {&math_tanh, tanhf, tanh, 0.6},
      {&math_asinh, asinhf, asinh, -30}, {&math_acosh, acoshf, acosh, 17}, {&math_atanh, atanhf, atanh, 0.9}};
  fixture *f = *state;
  for (size_t i = 0; i < PM_COUNT(rows); i++) {
    assert_true(eval_float(f, rows[i].desc, (float)rows[i].x) == rows[i].single((float)rows[i].x));
    assert_true(eval_double(f, rows[i].desc, rows[i].x) == rows[i].whole(rows[i].x));
  }
  assert_true(eval_binary(f, &math_atan2, PM_F32, of_float(1), of_float(-2)).f == atan2f(1, -2));
  assert_true(eval_binary(f, &math_atan2, PM_F64, of_double(-1), of_double(0)).d == atan2(-1, 0));
}

static void numbers_are_rounded(void **state) {
  static const struct {
    const pm_op_desc *desc;
    double x, rounded;
  } rows[] = {{&math_trunc, 2.75, 2},   {&math_trunc, -2.75, -2}, {&math_trunc, -0.5, -0.0},
              {&math_rint, 2.5, 2},     {&math_rint, 3.5, 4},     {&math_rint, -1.5, -2},
              {&math_rint, -0.5, -0.0}, {&math_rint, 2.625, 3},   {&math_rint, 1e30f, 1e30f}};
  fixture *f = *state;
  for (size_t i = 0; i < PM_COUNT(rows); i++) {
    float single = eval_float(f, rows[i].desc, (float)rows[i].x);
    double whole = eval_double(f, rows[i].desc, rows[i].x);
    assert_true(single == (float)rows[i].rounded && !signbit(single) == !signbit(rows[i].rounded));
    assert_true(whole == rows[i].rounded && !signbit(whole) == !signbit(rows[i].rounded));
  }
  assert_true(
      eval_op(pm_build_unary(&f->builder, &math_rint, opaque(f, PM_F16)), of_float(2.5f), of_float(0)).f ==
      2);
}

/* 1 + 2^-11 is halfway between two f16: to even; 1 + 2^-8 likewise in bf16. */
static void test_halves(void **state) {
  fixture *f = *state;
  assert_true(eval_binary(f, &arith_addf, PM_F16, of_float(1), of_float(0x1p-11f)).f == 1.0f);
  assert_true(eval_binary(f, &arith_addf, PM_F16, of_float(1), of_float(0x1.8p-11f)).f == 1.0f + 0x1p-10f);
  assert_true(eval_binary(f, &arith_addf, PM_BF16, of_float(1), of_float(0x1p-8f)).f == 1.0f);
  assert_true(isinf(eval_binary(f, &arith_addf, PM_F16, of_float(65504), of_float(16)).f));
  assert_true(eval_binary(f, &arith_addf, PM_F16, of_float(65504), of_float(15)).f == 65504.0f);
  assert_true(eval_binary(f, &arith_mulf, PM_F16, of_float(0x1p-14f), of_float(0x1p-10f)).f == 0x1p-24f);
}

static pm_lane eval_cast(fixture *f, const pm_op_desc *desc, pm_scalar from, pm_scalar to, pm_lane lane) {
  pm_value *x = opaque(f, from);
  pm_type type = pm_get_scalar(f->ctx, to);
  return eval_op(pm_res(pm_build(&f->builder, desc, &x, 1, &type, 1, NULL), 0), lane, lane);
}

typedef struct cast_row {
  pm_scalar from, to;
  double value; /* integers too, all exact here */
  int64_t cast, saturated;
} cast_row;

static const int64_t UNSPECIFIED = 0x5a5a;

static const cast_row cast_rows[] = {
    {PM_I32, PM_U8, 300, 44, 255},
    {PM_I32, PM_U8, -1, 255, 0},
    {PM_I32, PM_I8, 200, -56, 127},
    {PM_I32, PM_I1, 2, 1, 1},
    {PM_I32, PM_U64, -1, -1, 0},
    {PM_F32, PM_I32, 2.75, 2, 2},
    {PM_F32, PM_I32, -2.75, -2, -2},
    {PM_F32, PM_U8, -0.5, 0, 0},
    {PM_F32, PM_U8, 255.5, 255, 255},
    {PM_F32, PM_U8, 256, UNSPECIFIED, 255},
    {PM_F32, PM_I32, 0x1p31, UNSPECIFIED, INT32_MAX},
    {PM_F64, PM_I64, 0x1p63, UNSPECIFIED, INT64_MAX},
    {PM_F64, PM_I64, -0x1p63, INT64_MIN, INT64_MIN},
    {PM_F64, PM_U64, 0x1p63, INT64_MIN, INT64_MIN},
    {PM_F64, PM_U64, 0x1p64, UNSPECIFIED, -1},
    {PM_F64, PM_I1, 0.25, 1, 0},
    {PM_F32, PM_I16, NAN, UNSPECIFIED, 0},
    {PM_F64, PM_U32, 4294967295.5, 4294967295, 4294967295},
};

static void test_casts(void **state) {
  for (size_t i = 0; i < PM_COUNT(cast_rows); i++) {
    const cast_row *r = &cast_rows[i];
    pm_lane in = r->from == PM_F32   ? of_float((float)r->value)
                 : r->from == PM_F64 ? of_double(r->value)
                                     : of_int((int64_t)r->value);
    int64_t cast = eval_cast(*state, &arith_cast, r->from, r->to, in).i;
    int64_t saturated = eval_cast(*state, &arith_sat_cast, r->from, r->to, in).i;
    if (r->cast != UNSPECIFIED && cast != r->cast) fail_msg("cast row %zu: %lld", i, (long long)cast);
    if (saturated != r->saturated) fail_msg("sat_cast row %zu: %lld", i, (long long)saturated);
  }
}

static void test_casts_to_float(void **state) {
  fixture *f = *state;
  assert_true(eval_cast(f, &arith_cast, PM_U64, PM_F32, of_int(-1)).f == 0x1p64f);
  assert_true(eval_cast(f, &arith_cast, PM_I64, PM_F64, of_int(-3)).d == -3.0);
  assert_true(eval_cast(f, &arith_cast, PM_I32, PM_F32, of_int(16777217)).f == 16777216.0f);
  assert_true(eval_cast(f, &arith_cast, PM_F64, PM_F32, of_double(0.1)).f == 0.1f);
  assert_true(eval_cast(f, &arith_cast, PM_I32, PM_F16, of_int(2049)).f == 2048.0f);
  assert_true(isinf(eval_cast(f, &arith_cast, PM_I32, PM_F16, of_int(65520)).f));
}

static void test_bitcasts(void **state) {
  static const struct {
    pm_scalar from, to;
    int64_t in, out;
  } ints[] = {{PM_U8, PM_I8, 200, -56},
              {PM_I16, PM_U16, -1, 65535},
              {PM_I32, PM_U32, -1, UINT32_MAX},
              {PM_U32, PM_I32, 0x80000000, INT32_MIN},
              {PM_U64, PM_INDEX, -1, -1}};
  static const struct {
    pm_scalar integer, real;
    int64_t bits;
    double value;
  } floats[] = {{PM_I32, PM_F32, 0x3f800000, 1},
                {PM_U32, PM_F32, 0xc0000000, -2},
                {PM_I32, PM_F32, INT32_MIN, -0.0},
                {PM_I32, PM_F32, 1, 0x1p-149},
                {PM_I64, PM_F64, 0x3fe0000000000000, 0.5},
                {PM_U64, PM_F64, INT64_MIN, -0.0},
                {PM_INDEX, PM_F64, -INT64_C(0x10000000000000), -HUGE_VAL},
                {PM_I16, PM_F16, 0x3c00, 1},
                {PM_U16, PM_F16, 0xfc00, -HUGE_VAL},
                {PM_I16, PM_BF16, -16384, -2}};
  fixture *f = *state;
  for (size_t i = 0; i < PM_COUNT(ints); i++)
    assert_int_equal(eval_cast(f, &arith_bitcast, ints[i].from, ints[i].to, of_int(ints[i].in)).i,
                     ints[i].out);
  for (size_t i = 0; i < PM_COUNT(floats); i++) {
    bool whole = floats[i].real == PM_F64;
    pm_lane value = eval_cast(f, &arith_bitcast, floats[i].integer, floats[i].real, of_int(floats[i].bits));
    double number = whole ? value.d : (double)value.f;
    assert_true(number == floats[i].value && !signbit(number) == !signbit(floats[i].value));
    assert_int_equal(eval_cast(f, &arith_bitcast, floats[i].real, floats[i].integer, value).i,
                     floats[i].bits);
  }
  assert_true(eval_cast(f, &arith_bitcast, PM_F16, PM_BF16, of_float(1)).f == 0x1p-7f);
  assert_true(isnan(eval_cast(f, &arith_bitcast, PM_I32, PM_F32, of_int(-1)).f));
}

static void test_cmp(void **state) {
  static const struct {
    arith_pred pred;
    pm_scalar scalar;
    double a, b;
    int expected;
  } rows[] = {{ARITH_LT, PM_I64, -1, 1, 1},  {ARITH_LT, PM_U64, -1, 1, 0},  {ARITH_EQ, PM_F64, NAN, NAN, 0},
              {ARITH_NE, PM_F64, NAN, 1, 1}, {ARITH_GE, PM_F64, NAN, 1, 0}, {ARITH_LE, PM_F64, -0.0, 0.0, 1},
              {ARITH_GT, PM_I8, 2, 1, 1}};
  fixture *f = *state;
  for (size_t i = 0; i < PM_COUNT(rows); i++) {
    pm_value *x = opaque(f, rows[i].scalar);
    bool real = rows[i].scalar == PM_F64;
    pm_lane a = real ? of_double(rows[i].a) : of_int((int64_t)rows[i].a);
    pm_lane b = real ? of_double(rows[i].b) : of_int((int64_t)rows[i].b);
    assert_int_equal(eval_op(arith_build_cmp(&f->builder, rows[i].pred, x, x), a, b).i, rows[i].expected);
  }
}

static void test_memory(void **state) {
  (void)state;
  int16_t cells[5] = {-1, 2, -3, 4, -5}, back[5] = {0};
  pm_lane lanes[5];
  arith_load_lanes(PM_I16, cells, 2, lanes, 3);
  assert_int_equal(lanes[1].i, -3);
  arith_load_lanes(PM_U16, cells, 1, lanes, 5);
  assert_int_equal(lanes[0].i, 65535);
  arith_store_lanes(PM_I16, lanes, back, 1, 5);
  assert_memory_equal(cells, back, sizeof cells);
  for (uint32_t bits = 0; bits < 65536; bits++) {
    uint16_t cell = (uint16_t)bits, same = 0;
    arith_load_lanes(PM_F16, &cell, 1, lanes, 1);
    if (isnan(lanes[0].f)) continue;
    arith_store_lanes(PM_F16, lanes, &same, 1, 1);
    assert_int_equal(cell, same);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(fma_rounds_once, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_ints, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_floats, set_up, tear_down),
      cmocka_unit_test_setup_teardown(functions_are_those_of_c, set_up, tear_down),
      cmocka_unit_test_setup_teardown(numbers_are_rounded, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_halves, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_casts, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_casts_to_float, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_bitcasts, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_cmp, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_memory, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
