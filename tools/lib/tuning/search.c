#include "tools/lib/tuning/search.h"

#include <math.h>
#include <stdlib.h>

/* A candidate that waits, with its prediction and its place among those predicted alike. */
typedef struct waiting {
  pm_candidate candidate;
  double predicted;
  size_t number;
} waiting;
typedef PM_VEC(waiting) waiting_list;

typedef struct search_state {
  const pm_search *search;
  pm_candidates tried;
  pm_candidate best;
  double best_ratio, best_predicted;
  unsigned built;
  uint64_t random;
  bool ended;
} search_state;

static bool is_among(const pm_candidates *list, const pm_candidate *candidate) {
  for (size_t i = 0; i < list->len; i++)
    if (pm_same_candidate(&list->data[i], candidate)) return true;
  return false;
}

/* --- predictions --- */

static int by_prediction(const void *a, const void *b) {
  const waiting *x = a, *y = b;
  if (x->predicted != y->predicted) return x->predicted < y->predicted ? -1 : 1;
  return (x->number > y->number) - (x->number < y->number);
}

/* Those that were not tried, once each. */
static void keep_new(const search_state *s, pm_candidates *list) {
  pm_candidates fresh = {0};
  for (size_t i = 0; i < list->len; i++)
    if (!is_among(&s->tried, &list->data[i]) && !is_among(&fresh, &list->data[i]))
      PM_VEC_PUSH(fresh, list->data[i]);
  PM_VEC_FREE(*list);
  list->data = fresh.data;
  list->len = fresh.len;
  list->cap = fresh.cap;
}

/* The list, which is taken, with the shortest prediction first. */
static waiting_list rank(search_state *s, pm_candidates *list) {
  waiting_list out = {0};
  keep_new(s, list);
  double *seconds = pm_xcalloc(list->len + 1, sizeof *seconds);
  if (list->len) s->search->predict(s->search->user, list->data, list->len, seconds);
  for (size_t i = 0; i < list->len; i++) PM_VEC_PUSH(out, ((waiting){list->data[i], seconds[i], i}));
  if (out.len) qsort(out.data, out.len, sizeof *out.data, by_prediction);
  free(seconds);
  PM_VEC_FREE(*list);
  return out;
}

/* --- trials --- */

/* What is better by that much is better. */
static const double least_gain = 0.99;

/* Whether it is the new best. */
static bool try_one(search_state *s, const waiting *w) {
  double ratio = HUGE_VAL;
  bool built = false;
  if (s->ended || is_among(&s->tried, &w->candidate)) return false;
  PM_VEC_PUSH(s->tried, w->candidate);
  s->ended = !s->search->measure(s->search->user, &w->candidate, w->predicted, &ratio, &built);
  s->built += built;
  s->ended = s->ended || s->built >= s->search->builds;
  if (!(ratio < least_gain * s->best_ratio)) return false;
  s->best = w->candidate;
  s->best_ratio = ratio;
  s->best_predicted = w->predicted;
  return true;
}

/* Until so many builds were made of the list. */
static void try_first(search_state *s, const waiting_list *list, unsigned builds) {
  unsigned end = s->built + builds;
  for (size_t i = 0; i < list->len && s->built < end && !s->ended; i++)
    if (isfinite(list->data[i].predicted)) try_one(s, &list->data[i]);
}

/* --- the parts of the search --- */

/* What differs from the default in one knob, tiles with strategies, and some by lot. */
static void try_broadly(search_state *s) {
  enum { DRAWN = 24, KNOBS_AT_ONCE = 4, NTH_TILING = 2 };
  pm_candidates pool = {0}, drawn = {0};
  pm_put_moves(s->search->knobs, &s->best, &pool);
  pm_put_tilings(s->search->knobs, NTH_TILING, &pool);
  for (unsigned i = 0; i < DRAWN; i++)
    PM_VEC_PUSH(drawn, pm_draw_candidate(s->search->knobs, &s->best, KNOBS_AT_ONCE, &s->random));
  waiting_list ranked = rank(s, &pool), random = rank(s, &drawn);
  try_first(s, &ranked, s->search->builds / 3);
  try_first(s, &random, s->search->builds / 8);
  PM_VEC_FREE(ranked);
  PM_VEC_FREE(random);
}

/* Moves that are predicted to take more than twice what the best does are left out. */
static bool is_hopeful(const search_state *s, const waiting *w) {
  return isfinite(w->predicted) && !(s->best_predicted > 0 && w->predicted > 2 * s->best_predicted);
}

/* One knob after the other, until none makes it better. */
static void climb(search_state *s) {
  for (bool better = true; better && !s->ended;) {
    pm_candidates moves = {0};
    pm_put_moves(s->search->knobs, &s->best, &moves);
    waiting_list ranked = rank(s, &moves);
    better = false;
    for (size_t i = 0; i < ranked.len && !better && !s->ended; i++)
      better = is_hopeful(s, &ranked.data[i]) && try_one(s, &ranked.data[i]);
    PM_VEC_FREE(ranked);
  }
}

/* Some that differ from the best in two knobs; whether there were any, and one of them is the new best. */
static bool jump(search_state *s, bool *any) {
  enum { DRAWN = 16 };
  pm_candidates drawn = {0};
  bool better = false;
  for (unsigned i = 0; i < DRAWN; i++)
    PM_VEC_PUSH(drawn, pm_draw_candidate(s->search->knobs, &s->best, 2, &s->random));
  waiting_list ranked = rank(s, &drawn);
  *any = ranked.len > 0;
  for (size_t i = 0; i < ranked.len && !better && !s->ended; i++)
    better = is_hopeful(s, &ranked.data[i]) && try_one(s, &ranked.data[i]);
  PM_VEC_FREE(ranked);
  return better;
}

static double predict_one(const pm_search *search, const pm_candidate *candidate) {
  double seconds = 0;
  search->predict(search->user, candidate, 1, &seconds);
  return seconds;
}

void pm_search_run(const pm_search *search) {
  enum { IDLE_ROUNDS = 8 };
  search_state s = {.search = search, .best_ratio = 1, .random = 1, .ended = !search->builds};
  PM_VEC_PUSH(s.tried, s.best);
  s.best_predicted = predict_one(search, &s.best);
  if (!s.ended) try_broadly(&s);
  bool any = true;
  for (unsigned idle = 0; any && idle < IDLE_ROUNDS && !s.ended; idle++) {
    unsigned before = s.built;
    climb(&s);
    if (!s.ended) jump(&s, &any);
    if (s.built > before) idle = 0;
  }
  PM_VEC_FREE(s.tried);
}
