/* The cheapest partition: against the enumeration of all partitions, and its number of states. */
#include "dialects/poly/cost/partition.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

enum { MOST = 8 };

/* A graph and random costs of its groups, integers, so that sums are exact. */
typedef struct world {
  unsigned n;
  poly_indices readers[64];
  bool edge[64][64]; /* producer, reader */
  uint64_t salt;
  unsigned illegal, infinite; /* of 16 pairs of stages cannot be in one group; of 16 groups cost HUGE_VAL */
  bool alone_is_dear;
} world;

static void add_edge(world *w, unsigned producer, unsigned reader) {
  if (w->edge[producer][reader]) return;
  w->edge[producer][reader] = true;
  PM_VEC_PUSH(w->readers[producer], reader);
}

static void free_world(world *w) {
  for (unsigned i = 0; i < w->n; i++) PM_VEC_FREE(w->readers[i]);
}

static uint64_t hash_of(const world *w, uint64_t kind, uint64_t key) {
  return pm_hash_bytes((uint64_t[]){kind, key}, 2 * sizeof key, w->salt);
}

/* Of one edge: what no superset can repair. */
static bool may_be_together(const world *w, unsigned a, unsigned b) {
  return hash_of(w, 1, (uint64_t)a * 64 + b) % 16 >= w->illegal;
}

static bool judge(void *user, const unsigned *stages, size_t n, double *cost) {
  const world *w = user;
  uint64_t mask = 0;
  for (size_t i = 0; i < n; i++) {
    if (i) assert_true(stages[i - 1] < stages[i]);
    mask |= UINT64_C(1) << stages[i];
    for (size_t k = 0; k < i; k++)
      if (w->edge[stages[k]][stages[i]] && !may_be_together(w, stages[k], stages[i])) return false;
  }
  bool infinite = n > 1 && hash_of(w, 2, mask) % 16 < w->infinite;
  double alone = w->alone_is_dear ? 5000 : 0;
  *cost = infinite ? HUGE_VAL : (double)(hash_of(w, 3, mask) % 1000) + (n == 1 ? alone : 0);
  return true;
}

/* --- all partitions --- */

static bool connected(const world *w, const unsigned *stages, size_t n) {
  uint64_t reached = UINT64_C(1) << stages[0];
  for (size_t round = 0; round < n; round++)
    for (size_t i = 0; i < n; i++)
      for (size_t k = 0; k < n; k++)
        if (reached >> stages[i] & 1 && (w->edge[stages[i]][stages[k]] || w->edge[stages[k]][stages[i]]))
          reached |= UINT64_C(1) << stages[k];
  for (size_t i = 0; i < n; i++)
    if (!(reached >> stages[i] & 1)) return false;
  return true;
}

static bool free_of_cycles(const world *w, const unsigned *group, unsigned n_groups) {
  bool before[MOST][MOST] = {{false}};
  for (unsigned a = 0; a < w->n; a++)
    for (unsigned b = 0; b < w->n; b++)
      if (w->edge[a][b] && group[a] != group[b]) before[group[a]][group[b]] = true;
  for (unsigned k = 0; k < n_groups; k++)
    for (unsigned i = 0; i < n_groups; i++)
      for (unsigned j = 0; j < n_groups; j++) before[i][j] = before[i][j] || (before[i][k] && before[k][j]);
  for (unsigned i = 0; i < n_groups; i++)
    if (before[i][i]) return false;
  return true;
}

/* HUGE_VAL when it is not allowed. */
static double cost_of(world *w, const unsigned *group, unsigned n_groups) {
  double sum = 0;
  for (unsigned g = 0; g < n_groups; g++) {
    unsigned stages[MOST];
    size_t n = 0;
    double cost = 0;
    for (unsigned i = 0; i < w->n; i++)
      if (group[i] == g) stages[n++] = i;
    if (!connected(w, stages, n) || !judge(w, stages, n, &cost)) return HUGE_VAL;
    sum += cost;
  }
  return free_of_cycles(w, group, n_groups) ? sum : HUGE_VAL;
}

/* The next partition as a restricted growth string; false after the last. */
static bool next_partition(unsigned *group, unsigned n) {
  for (unsigned i = n; i-- > 1;) {
    unsigned most = 0;
    for (unsigned k = 0; k < i; k++)
      if (group[k] > most) most = group[k];
    if (group[i] <= most) {
      group[i]++;
      for (unsigned k = i + 1; k < n; k++) group[k] = 0;
      return true;
    }
  }
  return false;
}

static double least_of_all(world *w) {
  unsigned group[MOST] = {0};
  double least = HUGE_VAL;
  do {
    unsigned n_groups = 0;
    for (unsigned i = 0; i < w->n; i++)
      if (group[i] + 1 > n_groups) n_groups = group[i] + 1;
    double cost = cost_of(w, group, n_groups);
    if (cost < least) least = cost;
  } while (next_partition(group, w->n));
  return least;
}

/* --- what the search finds --- */

static poly_partition find(world *w, unsigned limit, uint64_t budget) {
  poly_partition_problem problem = {
      .n = w->n, .readers = w->readers, .limit = limit, .budget = budget, .judge = judge, .user = w};
  poly_partition found;
  poly_partition_find(&problem, &found);
  return found;
}

/* Each stage is in one group, each group legal and connected, producers first; the cost is the sum. */
static void check_sound(world *w, const poly_partition *found) {
  int number[64];
  double sum = 0;
  for (unsigned i = 0; i < w->n; i++) number[i] = -1;
  for (size_t g = 0; g < found->groups.len; g++) {
    const poly_indices *group = &found->groups.data[g];
    double cost;
    for (size_t i = 0; i < group->len; i++) {
      assert_int_equal(number[group->data[i]], -1);
      number[group->data[i]] = (int)g;
    }
    assert_true(connected(w, group->data, group->len));
    assert_true(judge(w, group->data, group->len, &cost));
    sum += cost;
  }
  assert_true(sum == found->cost);
  for (unsigned i = 0; i < w->n; i++) {
    assert_true(number[i] >= 0);
    for (unsigned k = 0; k < w->n; k++)
      if (w->edge[i][k]) assert_true(number[i] <= number[k]);
  }
}

static void make_random(world *w, unsigned n, unsigned density, uint64_t seed) {
  *w = (world){.n = n, .salt = seed, .illegal = (unsigned)(seed % 3) * 2, .infinite = (unsigned)(seed % 5)};
  w->alone_is_dear = seed % 2;
  for (unsigned a = 0; a < n; a++)
    for (unsigned b = a + 1; b < n; b++)
      if (hash_of(w, 4, a * 64 + b) % 16 < density) add_edge(w, a, b);
}

static void the_least_of_all_partitions(void **state) {
  (void)state;
  static const struct {
    unsigned n, density, graphs;
  } rows[] = {{1, 0, 1},  {2, 16, 4}, {3, 8, 40}, {4, 8, 80}, {5, 6, 80},
              {6, 5, 60}, {6, 9, 40}, {7, 4, 20}, {7, 7, 10}};
  for (size_t r = 0; r < PM_COUNT(rows); r++)
    for (uint64_t seed = 0; seed < rows[r].graphs; seed++) {
      world w;
      make_random(&w, rows[r].n, rows[r].density, seed);
      poly_partition found = find(&w, 32, UINT64_MAX);
      check_sound(&w, &found);
      double least = least_of_all(&w);
      if (found.cost != least)
        fail_msg("%u stages, seed %u: cost %g, least %g", w.n, (unsigned)seed, found.cost, least);
      assert_false(found.exhausted);
      poly_partition_free(&found);
      free_world(&w);
    }
}

/* Two producers that two stages read: of the two pairs of one producer and one reader that have no stage in
 * common each would come before the other, were both groups, which is cheapest. */
static bool judge_crossing(void *user, const unsigned *stages, size_t n, double *cost) {
  (void)user;
  bool crossing = n == 2 && stages[0] + stages[1] == 3;
  *cost = crossing ? 0 : n == 1 ? 10 : 100;
  return true;
}

/* --- groups that read the same --- */

/* 10 for a group, 100 more where stages 0 and 3 share one. */
static bool judge_related(void *user, const unsigned *stages, size_t n, double *cost) {
  bool has[4] = {false};
  for (size_t i = 0; i < n; i++) has[stages[i]] = true;
  *cost = has[0] && has[3] ? 110 : 10;
  ++*(unsigned *)user;
  return !(has[1] && n > 1);
}

/* Stage 1 reads stage 0, and may be with no other; 2 and 3 read what 0 reads, and 3 reads 1, too. */
static void related_groups_are_joined(void **state) {
  (void)state;
  world w = {.n = 4};
  add_edge(&w, 0, 1);
  add_edge(&w, 1, 3);
  poly_indices related[4] = {{0}};
  for (unsigned i = 0; i < 4; i++)
    for (unsigned k = 0; k < 4; k++)
      if (i != k && i != 1 && k != 1) PM_VEC_PUSH(related[i], k);
  unsigned judged = 0;
  poly_partition_problem problem = {.n = 4,
                                    .readers = w.readers,
                                    .related = related,
                                    .limit = 4,
                                    .budget = 1000,
                                    .judge = judge_related,
                                    .user = &judged};
  poly_partition found;
  poly_partition_find(&problem, &found);
  assert_true(found.cost == 30);
  assert_int_equal(found.groups.len, 3);
  assert_int_equal(found.groups.data[0].len, 2);
  assert_int_equal(found.groups.data[0].data[1], 2);
  assert_int_equal(found.groups.data[1].data[0], 1);
  assert_int_equal(found.judged, judged);
  poly_partition_free(&found);
  problem.limit = 1;
  poly_partition_find(&problem, &found);
  assert_int_equal(found.groups.len, 4);
  poly_partition_free(&found);
  for (unsigned i = 0; i < 4; i++) PM_VEC_FREE(related[i]);
  free_world(&w);
}

static void crossing_groups_are_no_cycle(void **state) {
  (void)state;
  world w = {.n = 4};
  for (unsigned producer = 0; producer < 2; producer++)
    for (unsigned reader = 2; reader < 4; reader++) add_edge(&w, producer, reader);
  poly_partition_problem problem = {
      .n = 4, .readers = w.readers, .limit = 4, .budget = 1000, .judge = judge_crossing, .user = &w};
  poly_partition found;
  poly_partition_find(&problem, &found);
  assert_true(found.cost == 20);
  assert_int_equal(found.groups.len, 3);
  poly_partition_free(&found);
  free_world(&w);
}

/* --- states --- */

static void make_chain(world *w, unsigned n) {
  *w = (world){.n = n, .salt = n};
  for (unsigned i = 0; i + 1 < n; i++) add_edge(w, i, i + 1);
}

static void chains_have_quadratically_many_states(void **state) {
  (void)state;
  for (unsigned n = 1; n <= 64; n += 7) {
    world w;
    make_chain(&w, n);
    poly_partition found = find(&w, n, UINT64_MAX);
    check_sound(&w, &found);
    assert_int_equal(found.states, n * (n + 1) / 2);
    assert_int_equal(found.rounds, 1);
    poly_partition_free(&found);
    free_world(&w);
  }
}

/* The first round of n stages has groups of at most `limit`: n * limit - limit * (limit - 1) / 2 states. */
static void limits_bound_the_states(void **state) {
  (void)state;
  world w;
  make_chain(&w, 60);
  w.alone_is_dear = true;
  poly_partition found = find(&w, 4, UINT64_MAX);
  check_sound(&w, &found);
  assert_true(found.rounds > 1);
  assert_true(found.states >= 60 * 4 - 6 && found.states < 2 * (60 * 4 - 6));
  poly_partition once = find(&w, 60, UINT64_MAX);
  assert_true(once.cost <= found.cost);
  poly_partition_free(&once);
  poly_partition_free(&found);
  free_world(&w);
}

/* Whatever is left of the budget, the groups are sound, and no worse than all stages alone. */
static void budgets_are_kept(void **state) {
  (void)state;
  for (uint64_t budget = 1; budget < 400; budget += budget < 30 ? 1 : 37)
    for (uint64_t seed = 0; seed < 4; seed++) {
      world w;
      make_random(&w, 24, 3, seed);
      poly_partition found = find(&w, 8, budget), again = find(&w, 8, budget);
      check_sound(&w, &found);
      assert_true(found.exhausted);
      assert_true(found.states <= (2 * budget + w.n) * found.rounds);
      assert_true(again.cost == found.cost && again.states == found.states);
      double alone = 0;
      for (unsigned i = 0; i < w.n; i++) {
        double cost;
        judge(&w, &i, 1, &cost);
        alone += cost;
      }
      assert_true(found.cost <= alone);
      poly_partition_free(&again);
      poly_partition_free(&found);
      free_world(&w);
    }
}

static void exact_budgets_are_enough(void **state) {
  (void)state;
  world w;
  make_chain(&w, 10);
  poly_partition enough = find(&w, 10, 55), less = find(&w, 10, 53);
  assert_false(enough.exhausted);
  assert_true(less.exhausted);
  check_sound(&w, &less);
  poly_partition_free(&enough);
  poly_partition_free(&less);
  free_world(&w);
}

static void nothing_has_no_groups(void **state) {
  (void)state;
  world w = {0};
  poly_partition found = find(&w, 4, 100);
  assert_int_equal(found.groups.len, 0);
  assert_true(found.cost == 0);
  poly_partition_free(&found);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_least_of_all_partitions), cmocka_unit_test(crossing_groups_are_no_cycle),
      cmocka_unit_test(related_groups_are_joined),   cmocka_unit_test(chains_have_quadratically_many_states),
      cmocka_unit_test(limits_bound_the_states),     cmocka_unit_test(budgets_are_kept),
      cmocka_unit_test(exact_budgets_are_enough),    cmocka_unit_test(nothing_has_no_groups),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
