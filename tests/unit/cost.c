/* The cost functions, on groups whose numbers can be followed by hand. */
#include "dialects/poly/cost.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <math.h>

static const poly_machine machine = {
    .cores = 4, .vector_bytes = 16, .l1_bytes = 24000, .l2_bytes = 240000, .l3_bytes = 0};
static const bool both[] = {true, true};
static const double unit[] = {1, 1};
static const double none[] = {0, 0};
static const double picture[] = {1000, 2000};
static const int64_t zero[] = {0, 0};

static poly_stage_shape shape_of(double bytes) {
  return (poly_stage_shape){bytes, bytes * 1000 * 2000, both, picture, unit, none};
}

static void assert_near(double got, double want) {
  if (!(fabs(got - want) <= 1e-9 * fabs(want))) fail_msg("%.17g, expected %.17g", got, want);
}

/* A stage of 4 bytes and one of 2, which is read two rows up and one down: 24000 / 6 / 256 = 15.6 rows. */
static void jb_of_two_stages(void **state) {
  (void)state;
  poly_stage_shape input = shape_of(1), first = shape_of(4), second = shape_of(2);
  const int64_t lo[] = {-2, 0}, hi[] = {1, 0};
  poly_cost_member members[] = {{&first, lo, hi, false}, {&second, zero, zero, true}};
  const poly_stage_shape *live_ins[] = {&input};
  poly_cost_group group = {2, 0, members, 2, live_ins, 1};
  int64_t sizes[2];
  double cost = poly_cost_jb(&group, &machine, sizes);
  assert_int_equal(sizes[0], 15);
  assert_int_equal(sizes[1], 256);
  double tile = 15 * 256 * 6, overlap = 3 * 256 * 4, live = (1 + 2) * 2e6;
  double n_tiles = ceil(12e6 / tile);
  assert_near(cost, live / tile - 100 * fmod(n_tiles + 3, 4) / 4 + 46875 * overlap / tile);
}

/* More is computed twice than once in 24000 bytes: tiles are for the second cache. */
static void jb_takes_the_second_cache(void **state) {
  (void)state;
  poly_stage_shape first = shape_of(4), second = shape_of(2);
  const int64_t lo[] = {-20, 0}, hi[] = {20, 0};
  poly_cost_member members[] = {{&first, lo, hi, false}, {&second, zero, zero, true}};
  poly_cost_group group = {2, 0, members, 2, NULL, 0};
  int64_t sizes[2];
  poly_cost_jb(&group, &machine, sizes);
  assert_int_equal(sizes[0], 156);
  assert_int_equal(sizes[1], 256);
}

/* What is left after 4 cores have their part: 100 x 20 x 4 bytes / 4, in rows of 20. */
static void jb_leaves_work_for_all_cores(void **state) {
  (void)state;
  static const double small[] = {100, 20};
  poly_stage_shape only = {4, 8000, both, small, unit, none};
  poly_cost_member members[] = {{&only, zero, zero, true}};
  poly_cost_group group = {2, 0, members, 1, NULL, 0};
  int64_t sizes[2];
  assert_true(poly_cost_jb(&group, &machine, sizes) == 2147483647.0);
  assert_int_equal(sizes[0], 25);
  assert_int_equal(sizes[1], 20);
}

/* Three dimensions with reuse 4 : 1 between the outer ones: 24000 / 4 / 256 = 23.4 = 9.68 x 2.42. */
static void jb_shares_by_reuse(void **state) {
  (void)state;
  static const bool all[] = {true, true, true};
  static const double cube[] = {500, 500, 500}, ones[] = {1, 1, 1}, reuse[] = {4, 1, 9};
  static const int64_t zeros[] = {0, 0, 0};
  poly_stage_shape only = {4, 5e8, all, cube, ones, reuse};
  poly_cost_member members[] = {{&only, zeros, zeros, true}};
  poly_cost_group group = {3, 0, members, 1, NULL, 0};
  int64_t sizes[3];
  poly_cost_jb(&group, &machine, sizes);
  assert_int_equal(sizes[0], 9);
  assert_int_equal(sizes[1], 2);
  assert_int_equal(sizes[2], 256);
  group.first = 1;
  poly_cost_jb(&group, &machine, sizes);
  assert_int_equal(sizes[0], 1);
  assert_int_equal(sizes[1], 23);
}

/* A stage of half the extents, whose points are two apart, and one that lacks the outer dimension, so that
 * each of the 1000 / 20 rows of tiles computes it again. */
static void jb_counts_scale_and_what_is_lacking(void **state) {
  (void)state;
  static const double half[] = {500, 1000}, two[] = {2, 2}, line[] = {1, 2000};
  static const bool inner[] = {false, true};
  poly_stage_shape coarse = {8, 8 * 5e5, both, half, two, none};
  poly_stage_shape row = {1, 2000, inner, line, unit, none};
  poly_stage_shape last = shape_of(1);
  poly_cost_member members[] = {
      {&coarse, zero, zero, false}, {&row, zero, zero, false}, {&last, zero, zero, true}};
  poly_cost_group group = {2, 0, members, 3, NULL, 0};
  int64_t sizes[2];
  double cost = poly_cost_jb(&group, &machine, sizes);
  assert_int_equal(sizes[0], 23);
  assert_int_equal(sizes[1], 256);
  double tile = 23 * 256 * (8 / 4.0) + 256 + 23 * 256, overlap = 256 * (1 - 23 / 1000.0);
  double n_tiles = ceil((8 * 5e5 + 2000 + 2e6) / tile);
  double rows = 250 * 4.5,
         columns = sqrt((1000 * 1000.0 + 2 * 2000 * 2000.0) / 3 - pow(5000 / 3.0, 2)) * 10 / 3;
  assert_near(cost,
              2e6 / tile - 100 * fmod(n_tiles + 3, 4) / 4 + 46875 * overlap / tile + 1.5 * (rows + columns));
}

static void the_host_is_a_machine(void **state) {
  (void)state;
  poly_machine host = poly_host_machine();
  assert_true(host.cores >= 1);
  assert_true(host.vector_bytes >= 16 && host.vector_bytes <= 64);
  assert_true(host.l1_bytes > 0 && host.l1_bytes <= host.l2_bytes);
  assert_true(host.l3_bytes >= 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(jb_of_two_stages),
      cmocka_unit_test(jb_takes_the_second_cache),
      cmocka_unit_test(jb_leaves_work_for_all_cores),
      cmocka_unit_test(jb_shares_by_reuse),
      cmocka_unit_test(jb_counts_scale_and_what_is_lacking),
      cmocka_unit_test(the_host_is_a_machine),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
