/* The knobs and the search of pm-tune, without programs. */
#include "tools/lib/tuning/search.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char whole[] = "stage.pipeline(group,tile,map-groups{grid=1},mark-prefetch)";

static pm_candidate with(pm_knob_id knob, unsigned choice) {
  pm_candidate c = {{0}};
  c.choice[knob] = (uint16_t)choice;
  return c;
}

/* --- knobs --- */

static void knobs_are_those_of_the_pipeline(void **state) {
  pm_knobs knobs;
  (void)state;
  pm_knobs_open(&knobs, whole);
  assert_int_equal(knobs.of[PM_KNOB_strategy].texts.len, 4);
  assert_int_equal(knobs.of[PM_KNOB_grid].texts.len, 3);
  assert_int_equal(knobs.of[PM_KNOB_items].texts.len, 0);
  assert_int_equal(knobs.of[PM_KNOB_stack].texts.len, 0);
  assert_int_equal(knobs.of[PM_KNOB_tile].texts.len, 64);
  pm_knobs_close(&knobs);
  pm_knobs_open(&knobs, "stage.pipeline(tile)");
  assert_int_equal(knobs.of[PM_KNOB_steps].texts.len, 5);
  assert_int_equal(knobs.of[PM_KNOB_tile].texts.len, 0);
  pm_knobs_close(&knobs);
}

static void a_value_may_be_in_several_settings(void **state) {
  pm_knobs knobs;
  pm_settings settings = {0};
  (void)state;
  pm_knobs_open(&knobs, whole);
  pm_candidate c = with(PM_KNOB_tile, 1);
  pm_settings_of(&knobs, &c, &settings);
  char *text = pm_settings_text(&settings);
  assert_string_equal(text, "tile{sizes=2x16 own=false} group{tile=2x16}");
  free(text);
  pm_settings_free(&settings);
  pm_knobs_close(&knobs);
}

/* Moves of one knob. */
static size_t count_moves(const pm_knobs *knobs, pm_candidate from, pm_knob_id knob) {
  pm_candidates moves = {0};
  size_t n = 0;
  pm_put_moves(knobs, &from, &moves);
  for (size_t i = 0; i < moves.len; i++) n += moves.data[i].choice[knob] != from.choice[knob];
  PM_VEC_FREE(moves);
  return n;
}

/* From a size in the corner of the grid there are two neighbours and the pipeline's own. */
static void numbers_move_to_neighbours(void **state) {
  pm_knobs knobs;
  (void)state;
  pm_knobs_open(&knobs, whole);
  assert_int_equal(count_moves(&knobs, with(PM_KNOB_tile, 0), PM_KNOB_tile), 64);
  assert_int_equal(count_moves(&knobs, with(PM_KNOB_tile, 1), PM_KNOB_tile), 3);
  assert_int_equal(count_moves(&knobs, with(PM_KNOB_tile, 12), PM_KNOB_tile), 5);
  assert_int_equal(count_moves(&knobs, with(PM_KNOB_prefetch, 2), PM_KNOB_prefetch), 3);
  assert_int_equal(count_moves(&knobs, with(PM_KNOB_strategy, 2), PM_KNOB_strategy), 4);
  pm_knobs_close(&knobs);
}

/* --- the search --- */

/* A world in which the best tile is number `goal` and the prediction is off by some. Tiles and prefetching
 * count; other knobs make no other program. */
typedef struct world {
  unsigned goal, off, built;
  pm_candidates measured;
  double best;
  size_t ends_after; /* trials; 0: never */
} world;

static double apart(unsigned a, unsigned b) {
  return fabs((double)(a / 8) - (double)(b / 8)) + fabs((double)(a % 8) - (double)(b % 8));
}

static double cost(const pm_candidate *c, unsigned goal) {
  unsigned tile = c->choice[PM_KNOB_tile];
  double others = c->choice[PM_KNOB_prefetch] == 3 ? -0.05 : 0;
  return (tile ? 0.5 + 0.1 * apart(tile - 1, goal) : 1) + others;
}

static void predict(void *user, const pm_candidate *candidates, size_t n, double *seconds) {
  const world *w = user;
  for (size_t i = 0; i < n; i++) seconds[i] = cost(&candidates[i], w->goal + w->off);
}

static bool is_new(const world *w, const pm_candidate *c) {
  for (size_t i = 0; i < w->measured.len; i++)
    if (w->measured.data[i].choice[PM_KNOB_tile] == c->choice[PM_KNOB_tile] &&
        w->measured.data[i].choice[PM_KNOB_prefetch] == c->choice[PM_KNOB_prefetch])
      return false;
  return true;
}

static bool measure(void *user, const pm_candidate *candidate, double *ratio, bool *built) {
  world *w = user;
  if (w->ends_after && w->measured.len == w->ends_after) return false;
  *ratio = cost(candidate, w->goal);
  *built = is_new(w, candidate);
  w->built += *built;
  PM_VEC_PUSH(w->measured, *candidate);
  w->best = fmin(w->best, *ratio);
  return true;
}

static void run(world *w, unsigned builds) {
  pm_knobs knobs;
  pm_knobs_open(&knobs, whole);
  w->best = 1;
  pm_search search = {.knobs = &knobs, .builds = builds, .predict = predict, .measure = measure, .user = w};
  pm_search_run(&search);
  pm_knobs_close(&knobs);
}

static void the_best_is_found_though_the_prediction_is_off(void **state) {
  world w = {.goal = 19, .off = 10};
  (void)state;
  run(&w, 40);
  assert_int_equal(w.built, 40);
  assert_true(w.best < 0.46);
  PM_VEC_FREE(w.measured);
}

/* No candidate is tried twice, and the same search tries the same; an end asked for is an end. */
static void searches_are_alike(void **state) {
  world a = {.goal = 30, .off = 1}, b = {.goal = 30, .off = 1, .ends_after = 17};
  (void)state;
  run(&a, 30);
  run(&b, 30);
  assert_int_equal(b.measured.len, 17);
  assert_memory_equal(a.measured.data, b.measured.data, 17 * sizeof(pm_candidate));
  for (size_t i = 0; i < a.measured.len; i++)
    for (size_t k = 0; k < i; k++) assert_false(pm_same_candidate(&a.measured.data[i], &a.measured.data[k]));
  PM_VEC_FREE(a.measured);
  PM_VEC_FREE(b.measured);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(knobs_are_those_of_the_pipeline),
      cmocka_unit_test(a_value_may_be_in_several_settings),
      cmocka_unit_test(numbers_move_to_neighbours),
      cmocka_unit_test(the_best_is_found_though_the_prediction_is_off),
      cmocka_unit_test(searches_are_alike),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
