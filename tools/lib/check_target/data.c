#include "tools/lib/check_target/data.h"

#include <math.h>

pm_lane pm_check_sample(pm_scalar scalar, uint64_t i) {
  static const double floats[PM_CHECK_SAMPLES] = {
      0,     -0.0,  1,      -1,     0.5,  -2.5, 3.75, 127.9,    255.5,     256,    -129,  1e-30,
      1e30f, -1e9f, 65536., -0.25f, 99.5, 1e10, NAN,  INFINITY, -INFINITY, 1e-40f, 3e38f, 2};
  /* clang-format off */
  static const uint64_t ints[PM_CHECK_SAMPLES] = {
      0, 1, 2, 3, 7, 8, 31, 64, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, INT64_MAX,
      (uint64_t)INT64_MIN, UINT64_MAX, 0xfffa, 100, 32, 33};
  /* clang-format on */
  i %= PM_CHECK_SAMPLES;
  if (scalar == PM_F64) return (pm_lane){.d = floats[i]};
  if (pm_get_scalar_info(scalar)->is_float) return (pm_lane){.f = (float)floats[i]};
  return (pm_lane){.i = (int64_t)ints[i]};
}

static pm_lane tame_sample(pm_scalar scalar, uint64_t i) {
  double value = (double)(i * 37 % 100) + 0.25;
  if (scalar == PM_F64) return (pm_lane){.d = value};
  return (pm_lane){.f = (float)value};
}

/* The second input goes on by one more each time the first begins anew: so they have each pair. */
void pm_check_fill(const pm_array *array, size_t input, pm_check_data data) {
  size_t bytes = pm_scalar_bytes(array->scalar);
  bool is_tame = data == PM_DATA_TAME && pm_get_scalar_info(array->scalar)->is_float;
  for (uint64_t i = 0; data != PM_DATA_PLAIN && i < (uint64_t)pm_array_count(array); i++) {
    uint64_t number = input == 1 ? i + i / PM_CHECK_SAMPLES : i;
    pm_lane lane = is_tame ? tame_sample(array->scalar, number) : pm_check_sample(array->scalar, number);
    if (array->scalar == PM_I1) lane.i &= 1;
    arith_store_lanes(array->scalar, &lane, (char *)array->data + i * bytes, 1, 1);
  }
}
