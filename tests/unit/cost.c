/* The cost functions, on groups whose numbers can be followed by hand. */
#include "dialects/poly/cost/cost.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <math.h>

static const pm_machine machine = {
    .cores = 4, .vector_bytes = 16, .l1_bytes = 24000, .l2_bytes = 240000, .l3_bytes = 0};
static const bool both[] = {true, true};
static const double unit[] = {1, 1};
static const double none[] = {0, 0, 0};
static const double picture[] = {1000, 2000};
static const int64_t zero[] = {0, 0};

static poly_stage_shape shape_of(double bytes) {
  return (poly_stage_shape){.bytes = bytes,
                            .whole = bytes * 1000 * 2000,
                            .has = both,
                            .extent = picture,
                            .stride = unit,
                            .reuse = none,
                            .spread = none,
                            .row = -1,
                            .turns = -1};
}

/* The cost; the sizes go to the array. */
static double jb(const poly_cost_group *group, int64_t *sizes) {
  poly_cost price = {.sizes = sizes};
  poly_cost_jb(group, &machine, &price);
  assert_ptr_equal(price.sizes, sizes);
  return price.cost;
}

static void assert_near(double got, double want) {
  if (!(fabs(got - want) <= 1e-9 * fabs(want))) fail_msg("%.17g, expected %.17g", got, want);
}

/* A stage of 4 bytes and one of 2, which is read two rows up and one down: 24000 / 6 / 256 = 15.6 rows. */
static void jb_of_two_stages(void **state) {
  (void)state;
  poly_stage_shape input = shape_of(1), first = shape_of(4), second = shape_of(2);
  const int64_t lo[] = {-2, 0}, hi[] = {1, 0};
  poly_cost_member members[] = {{&first, lo, hi, false, -1, NULL, 0},
                                {&second, zero, zero, true, -1, NULL, 0}};
  const poly_stage_shape *live_ins[] = {&input};
  poly_cost_group group = {
      .n_dims = 2, .members = members, .n_members = 2, .live_ins = live_ins, .n_live_ins = 1};
  int64_t sizes[2];
  double cost = jb(&group, sizes);
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
  poly_cost_member members[] = {{&first, lo, hi, false, -1, NULL, 0},
                                {&second, zero, zero, true, -1, NULL, 0}};
  poly_cost_group group = {
      .n_dims = 2, .members = members, .n_members = 2, .live_ins = NULL, .n_live_ins = 0};
  int64_t sizes[2];
  jb(&group, sizes);
  assert_int_equal(sizes[0], 156);
  assert_int_equal(sizes[1], 256);
}

/* What is left after 4 cores have their part: 100 x 20 x 4 bytes / 4, in rows of 20. */
static void jb_leaves_work_for_all_cores(void **state) {
  (void)state;
  static const double small[] = {100, 20};
  poly_stage_shape only = shape_of(4);
  only.whole = 8000;
  only.extent = small;
  poly_cost_member members[] = {{&only, zero, zero, true, -1, NULL, 0}};
  poly_cost_group group = {
      .n_dims = 2, .members = members, .n_members = 1, .live_ins = NULL, .n_live_ins = 0};
  int64_t sizes[2];
  assert_true(jb(&group, sizes) == 2147483647.0);
  assert_int_equal(sizes[0], 25);
  assert_int_equal(sizes[1], 20);
}

/* Three dimensions with reuse 4 : 1 between the outer ones: 24000 / 4 / 256 = 23.4 = 9.68 x 2.42. */
static void jb_shares_by_reuse(void **state) {
  (void)state;
  static const bool all[] = {true, true, true};
  static const double cube[] = {500, 500, 500}, ones[] = {1, 1, 1}, reuse[] = {4, 1, 9};
  static const int64_t zeros[] = {0, 0, 0};
  poly_stage_shape only = shape_of(4);
  only.whole = 5e8;
  only.has = all;
  only.extent = cube;
  only.stride = ones;
  only.reuse = reuse;
  poly_cost_member members[] = {{&only, zeros, zeros, true, -1, NULL, 0}};
  poly_cost_group group = {
      .n_dims = 3, .members = members, .n_members = 1, .live_ins = NULL, .n_live_ins = 0};
  int64_t sizes[3];
  jb(&group, sizes);
  assert_int_equal(sizes[0], 9);
  assert_int_equal(sizes[1], 2);
  assert_int_equal(sizes[2], 256);
  group.first = 1;
  jb(&group, sizes);
  assert_int_equal(sizes[0], 1);
  assert_int_equal(sizes[1], 23);
}

/* A stage of half the extents, whose points are two apart, and one that lacks the outer dimension, so that
 * each of the 1000 / 20 rows of tiles computes it again. */
static void jb_counts_scale_and_what_is_lacking(void **state) {
  (void)state;
  static const double half[] = {500, 1000}, two[] = {2, 2}, line[] = {1, 2000};
  static const bool inner[] = {false, true};
  poly_stage_shape coarse = shape_of(8);
  coarse.whole = 8 * 5e5;
  coarse.extent = half;
  coarse.stride = two;
  poly_stage_shape row = shape_of(1);
  row.whole = 2000;
  row.has = inner;
  row.extent = line;
  poly_stage_shape last = shape_of(1);
  poly_cost_member members[] = {{&coarse, zero, zero, false, -1, NULL, 0},
                                {&row, zero, zero, false, -1, NULL, 0},
                                {&last, zero, zero, true, -1, NULL, 0}};
  poly_cost_group group = {
      .n_dims = 2, .members = members, .n_members = 3, .live_ins = NULL, .n_live_ins = 0};
  int64_t sizes[2];
  double cost = jb(&group, sizes);
  assert_int_equal(sizes[0], 23);
  assert_int_equal(sizes[1], 256);
  double tile = 23 * 256 * (8 / 4.0) + 256 + 23 * 256, overlap = 256 * (1 - 23 / 1000.0);
  double n_tiles = ceil((8 * 5e5 + 2000 + 2e6) / tile);
  double rows = 250 * 4.5,
         columns = sqrt((1000 * 1000.0 + 2 * 2000 * 2000.0) / 3 - pow(5000 / 3.0, 2)) * 10 / 3;
  assert_near(cost,
              2e6 / tile - 100 * fmod(n_tiles + 3, 4) / 4 + 46875 * overlap / tile + 1.5 * (rows + columns));
}

/* --- roofline --- */

static const stage_work some_work = {.ops = 8, .op_bytes = 32, .loads = 9, .load_bytes = 36, .points = 2e6};

static pm_machine usual(void) {
  pm_machine m = pm_host_machine();
  m.cores = 4;
  m.vector_bytes = 32;
  m.l1_bytes = 32768;
  m.l2_bytes = 1048576;
  m.l3_bytes = 0;
  return m;
}

typedef struct stencil_chain {
  poly_stage_shape input, shape;
  const poly_stage_shape *live_ins[1];
  int64_t halo_lo[8][2], halo_hi[8][2];
  unsigned reads[8][1];
  poly_cost_member members[8];
  poly_cost_group group;
} stencil_chain;

/* n stages, each of which reads `reach` points around in the one before; the last leaves. */
static void chain_of(stencil_chain *c, unsigned n, int64_t reach) {
  *c = (stencil_chain){.input = shape_of(4), .shape = shape_of(4)};
  c->shape.work = some_work;
  c->input.is_external = true;
  c->live_ins[0] = &c->input;
  for (unsigned i = 0; i < n; i++) {
    for (unsigned d = 0; d < 2; d++) {
      c->halo_lo[i][d] = -reach * (n - 1 - i);
      c->halo_hi[i][d] = reach * (n - 1 - i);
    }
    c->reads[i][0] = i ? i - 1 : n;
    c->members[i] =
        (poly_cost_member){&c->shape, c->halo_lo[i], c->halo_hi[i], i + 1 == n, -1, c->reads[i], 1};
  }
  c->group = (poly_cost_group){
      .n_dims = 2, .members = c->members, .n_members = n, .live_ins = c->live_ins, .n_live_ins = 1};
}

static poly_cost roofline(const poly_cost_group *group, const pm_machine *m) {
  static int64_t sizes[2];
  poly_cost price = {.sizes = sizes};
  poly_cost_roofline(group, m, &price);
  assert_true(price.cost > 0 && price.cost == price.predicted.time);
  assert_true(price.predicted.recomputation >= 1);
  assert_true(sizes[0] >= 1 && sizes[0] <= 1000 && sizes[1] >= 1 && sizes[1] <= 2000);
  return price;
}

static double chain_time(unsigned n, int64_t reach, const pm_machine *m) {
  stencil_chain c;
  chain_of(&c, n, reach);
  return roofline(&c.group, m).cost;
}

/* The price of a stage by itself in the middle of a pipeline, where it writes memory of the call. */
static void roofline_likes_small_halos_together(void **state) {
  (void)state;
  pm_machine m = usual();
  double alone = chain_time(1, 1, &m);
  assert_true(chain_time(2, 1, &m) < 2 * alone);
  assert_true(chain_time(4, 1, &m) < 4 * alone);
}

static void roofline_sees_recomputation(void **state) {
  (void)state;
  pm_machine m = usual();
  double before = 0;
  for (int64_t reach = 0; reach <= 256; reach = reach ? 4 * reach : 1) {
    double time = chain_time(6, reach, &m);
    assert_true(time >= before);
    before = time;
  }
  assert_true(chain_time(6, 256, &m) > 6 * chain_time(1, 0, &m));
}

static void roofline_knows_what_is_faster(void **state) {
  (void)state;
  pm_machine m = usual(), other = m;
  double time = chain_time(3, 2, &m);
  other.cores = 1;
  assert_true(chain_time(3, 2, &other) > 2 * time);
  other = m;
  other.vector_mops *= 2;
  assert_true(chain_time(3, 2, &other) < time);
  other = m;
  other.shared_mbytes *= 4;
  other.dram_mbytes *= 4;
  assert_true(chain_time(3, 2, &other) <= time);
  other = m;
  other.l2_bytes = 65536;
  assert_true(chain_time(3, 2, &other) >= time);
}

static void roofline_prices_work(void **state) {
  (void)state;
  pm_machine m = usual();
  stencil_chain c;
  chain_of(&c, 2, 1);
  double time = roofline(&c.group, &m).cost;
  c.shape.work.calls = 1;
  double with_call = roofline(&c.group, &m).cost;
  assert_true(with_call > 2 * time);
  c.shape.work.calls = 0;
  c.shape.work.gathers = 4;
  double with_gathers = roofline(&c.group, &m).cost;
  assert_true(with_gathers > time && with_gathers < with_call);
}

/* There is a tile for about each core at least. */
static void roofline_leaves_work_for_all_cores(void **state) {
  (void)state;
  pm_machine m = usual();
  stencil_chain c;
  chain_of(&c, 3, 1);
  assert_true(roofline(&c.group, &m).predicted.tasks >= 4);
  m.cores = 64;
  assert_true(roofline(&c.group, &m).predicted.tasks >= 60);
}

/* With steps of one row a tile of any height has only rows in the cache, so that high tiles cost nothing. */
static void roofline_takes_steps(void **state) {
  (void)state;
  pm_machine m = usual();
  m.vector_mops *= 8;
  m.l2_bytes = 65536;
  stencil_chain c;
  chain_of(&c, 6, 1);
  poly_cost whole = roofline(&c.group, &m);
  assert_int_equal(whole.inner, 0);
  c.group.most_rows = 1;
  poly_cost stepped = roofline(&c.group, &m);
  assert_true(stepped.cost < whole.cost);
  assert_int_equal(stepped.inner, 1);
}

/* The stages of a group share its time, and what no stage has for itself is left. */
static void roofline_has_parts(void **state) {
  (void)state;
  pm_machine m = usual();
  stencil_chain c;
  chain_of(&c, 5, 2);
  for (int most_rows = 0; most_rows < 2; most_rows++) {
    c.group.most_rows = most_rows;
    poly_prediction parts[5] = {{0}}, sum = {0};
    int64_t sizes[2];
    poly_cost price = {.sizes = sizes, .parts = parts};
    poly_cost_roofline(&c.group, &m, &price);
    for (unsigned i = 0; i < 5; i++) {
      sum.time += parts[i].time;
      sum.compute += parts[i].compute;
      sum.bytes += parts[i].bytes;
      sum.least += parts[i].least;
      assert_true(parts[i].tasks == price.predicted.tasks);
      assert_true(i == 0 || parts[i].recomputation <= parts[i - 1].recomputation);
    }
    assert_true(parts[0].recomputation > 1 && parts[4].recomputation == 1);
    assert_true(parts[0].bytes > 0 && parts[2].bytes == 0 && parts[4].bytes > parts[0].bytes);
    assert_true(fabs(sum.compute - price.predicted.compute) < 1e-6 * sum.compute);
    assert_true(fabs(sum.bytes - price.predicted.bytes) < 1e-6 * sum.bytes);
    assert_true(fabs(sum.least - price.predicted.least) < 1e-6 * sum.least);
    assert_true(sum.time < price.predicted.time && sum.time > 0.8 * price.predicted.time);
    assert_true(price.cost == roofline(&c.group, &m).cost);
  }
}

/* 63 tiles along the dimension that threads share, each of which reads four rows more than it has. */
static void roofline_reads_around_tiles(void **state) {
  (void)state;
  pm_machine m = usual();
  const int64_t tile[] = {16, 2000};
  const double rows[] = {4, 0}, columns[] = {0, 4};
  stencil_chain c;
  chain_of(&c, 1, 0);
  c.group.given = tile;
  poly_prediction before = roofline(&c.group, &m).predicted;
  c.shape.spread = columns;
  assert_near(roofline(&c.group, &m).predicted.bytes, before.bytes);
  c.shape.spread = rows;
  poly_prediction after = roofline(&c.group, &m).predicted;
  assert_near(after.bytes - before.bytes, c.input.whole * 4 * 63 / 1000);
  assert_true(after.traffic > before.traffic);
}

/* Rows of 16 along the first dimension, of which tiles have one point: a tile has a line for each of its
 * points. */
static void roofline_comes_back_to_lines(void **state) {
  (void)state;
  pm_machine m = usual();
  const double extent[] = {16, 2000};
  const int64_t low[] = {1, 20}, high[] = {1, 2000};
  stencil_chain c;
  chain_of(&c, 1, 0);
  c.group.first = c.group.outer = 1;
  c.shape.extent = extent;
  c.shape.whole = 4 * 16 * 2000;
  c.shape.row = 1;
  c.group.given = high;
  double along_rows = roofline(&c.group, &m).predicted.traffic;
  c.shape.row = 0;
  assert_true(roofline(&c.group, &m).predicted.traffic > along_rows);
  c.group.given = low;
  double few = roofline(&c.group, &m).predicted.traffic;
  c.shape.row = 1;
  assert_near(roofline(&c.group, &m).predicted.traffic, few);
}

/* A histogram: a whole stage has a time, too. */
static void roofline_of_updates(void **state) {
  (void)state;
  pm_machine m = usual();
  poly_stage_shape input = shape_of(1), bins = {.bytes = 4, .whole = 1024, .cells = 1};
  const poly_stage_shape *live_ins[] = {&input};
  unsigned reads[] = {1};
  bins.update =
      (stage_work){.ops = 1, .op_bytes = 4, .loads = 1, .load_bytes = 1, .gathers = 2, .points = 2e6};
  poly_cost_member members[] = {{&bins, zero, zero, true, -1, reads, 1}};
  poly_cost_group group = {
      .is_whole = true, .members = members, .n_members = 1, .live_ins = live_ins, .n_live_ins = 1};
  double time = roofline(&group, &m).cost;
  bins.update.points *= 2;
  assert_true(roofline(&group, &m).cost > 1.9 * time);
  bins.cells = 256;
  m.cores = 2;
  assert_true(roofline(&group, &m).cost < 1.1 * time);
}

static void the_host_is_a_machine(void **state) {
  (void)state;
  pm_machine host = pm_host_machine();
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
      cmocka_unit_test(roofline_likes_small_halos_together),
      cmocka_unit_test(roofline_sees_recomputation),
      cmocka_unit_test(roofline_knows_what_is_faster),
      cmocka_unit_test(roofline_prices_work),
      cmocka_unit_test(roofline_leaves_work_for_all_cores),
      cmocka_unit_test(roofline_takes_steps),
      cmocka_unit_test(roofline_has_parts),
      cmocka_unit_test(roofline_reads_around_tiles),
      cmocka_unit_test(roofline_comes_back_to_lines),
      cmocka_unit_test(roofline_of_updates),
      cmocka_unit_test(the_host_is_a_machine),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
