#include "tools/lib/tuning/search.h"

#include <math.h>
#include <stdlib.h>

/* A candidate that waits. */
typedef struct waiting {
  pm_candidate candidate;
  double predicted;
  bool dull;     /* its knob has only made the same text until now */
  unsigned turn; /* of the moves of its knob */
  size_t number; /* in the list that it is from */
} waiting;
typedef PM_VEC(waiting) waiting_list;

typedef struct search_state {
  const pm_search *search;
  pm_candidates tried;
  pm_candidate best;
  double best_ratio, best_predicted, default_predicted;
  unsigned built;
  unsigned vain[PM_N_KNOBS], built_by[PM_N_KNOBS]; /* moves of the knob that needed no build, and that did */
  uint64_t random;
  bool ended;
} search_state;

static bool is_among(const pm_candidates *list, const pm_candidate *candidate) {
  for (size_t i = 0; i < list->len; i++)
    if (pm_same_candidate(&list->data[i], candidate)) return true;
  return false;
}

/* --- lists --- */

/* The first knob that differs; PM_N_KNOBS: none. */
static unsigned moved_knob(const pm_candidate *a, const pm_candidate *b) {
  unsigned i = 0;
  while (i < PM_N_KNOBS && a->choice[i] == b->choice[i]) i++;
  return i;
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

/* What nothing is known of counts as the best. */
static double known_prediction(const search_state *s, double predicted) {
  return predicted > 0 ? predicted : s->best_predicted;
}

/* The list, which is taken, with predictions. */
static waiting_list wait_for(search_state *s, pm_candidates *list) {
  waiting_list out = {0};
  keep_new(s, list);
  double *seconds = pm_xcalloc(list->len + 1, sizeof *seconds);
  if (list->len) s->search->predict(s->search->user, list->data, list->len, seconds);
  for (size_t i = 0; i < list->len; i++)
    PM_VEC_PUSH(
        out,
        ((waiting){.candidate = list->data[i], .predicted = known_prediction(s, seconds[i]), .number = i}));
  free(seconds);
  PM_VEC_FREE(*list);
  return out;
}

static int by_prediction(const void *a, const void *b) {
  const waiting *x = a, *y = b;
  if (x->predicted != y->predicted) return x->predicted < y->predicted ? -1 : 1;
  return (x->number > y->number) - (x->number < y->number);
}

static int by_turn(const void *a, const void *b) {
  const waiting *x = a, *y = b;
  if (x->dull != y->dull) return x->dull ? 1 : -1;
  if (x->turn != y->turn) return x->turn < y->turn ? -1 : 1;
  return by_prediction(a, b);
}

static void sort(waiting_list *list, int (*order)(const void *, const void *)) {
  if (list->len) qsort(list->data, list->len, sizeof *list->data, order);
}

/* Moves from the best: the likeliest of each knob, then the second of each, and so on; knobs that made no
 * difference come last. */
static void order_moves(const search_state *s, waiting_list *list) {
  unsigned turns[PM_N_KNOBS + 1] = {0};
  sort(list, by_prediction);
  for (size_t i = 0; i < list->len; i++) {
    unsigned knob = moved_knob(&list->data[i].candidate, &s->best);
    list->data[i].turn = turns[knob]++;
    list->data[i].dull = knob < PM_N_KNOBS && s->vain[knob] && !s->built_by[knob];
  }
  sort(list, by_turn);
}

/* --- trials --- */

/* What is better by that much is better. */
static const double least_gain = 0.99;

/* Whether it is the new best. */
static bool try_one(search_state *s, const waiting *w) {
  double ratio = HUGE_VAL;
  bool built = false;
  if (s->ended || !isfinite(w->predicted) || is_among(&s->tried, &w->candidate)) return false;
  PM_VEC_PUSH(s->tried, w->candidate);
  s->ended = !s->search->measure(s->search->user, &w->candidate, &ratio, &built);
  unsigned knob = moved_knob(&w->candidate, &s->best);
  *(built ? &s->built_by[knob] : &s->vain[knob]) += 1;
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
  for (size_t i = 0; i < list->len && s->built < end && !s->ended; i++) try_one(s, &list->data[i]);
}

/* --- the parts of the search --- */

/* Without those that the model does not tell from the default. */
static void keep_foreseen(const search_state *s, waiting_list *list) {
  size_t n = 0;
  for (size_t i = 0; i < list->len; i++)
    if (list->data[i].predicted != s->default_predicted) list->data[n++] = list->data[i];
  list->len = n;
}

/* What the model likes best, of what differs from the default in one knob and of tiles with strategies. */
static void try_foreseen(search_state *s) {
  enum { NTH_TILING = 2 };
  pm_candidates pool = {0};
  pm_put_moves(s->search->knobs, &s->best, &pool);
  pm_put_tilings(s->search->knobs, NTH_TILING, &pool);
  waiting_list list = wait_for(s, &pool);
  keep_foreseen(s, &list);
  sort(&list, by_prediction);
  try_first(s, &list, s->search->builds / 3);
  PM_VEC_FREE(list);
}

static waiting_list draw(search_state *s, unsigned n, unsigned knobs) {
  pm_candidates drawn = {0};
  for (unsigned i = 0; i < n; i++)
    PM_VEC_PUSH(drawn, pm_draw_candidate(s->search->knobs, &s->best, knobs, &s->random));
  waiting_list list = wait_for(s, &drawn);
  sort(&list, by_prediction);
  return list;
}

static void try_drawn(search_state *s) {
  enum { DRAWN = 24, KNOBS_AT_ONCE = 4 };
  waiting_list list = draw(s, DRAWN, KNOBS_AT_ONCE);
  try_first(s, &list, s->search->builds / 8);
  PM_VEC_FREE(list);
}

/* Those that are not predicted to take more than twice what the best does, up to the first that is better. */
static bool find_better(search_state *s, const waiting_list *list) {
  bool better = false;
  for (size_t i = 0; i < list->len && !better && !s->ended; i++) {
    bool hopeful = !(s->best_predicted > 0 && list->data[i].predicted > 2 * s->best_predicted);
    better = hopeful && try_one(s, &list->data[i]);
  }
  return better;
}

/* One knob after the other, until none makes it better. */
static void climb(search_state *s) {
  for (bool better = true; better && !s->ended;) {
    pm_candidates moves = {0};
    pm_put_moves(s->search->knobs, &s->best, &moves);
    waiting_list list = wait_for(s, &moves);
    order_moves(s, &list);
    better = find_better(s, &list);
    PM_VEC_FREE(list);
  }
}

/* Some that differ from the best in two knobs; false: there are none. */
static bool jump(search_state *s) {
  enum { DRAWN = 16 };
  waiting_list list = draw(s, DRAWN, 2);
  bool any = list.len > 0;
  find_better(s, &list);
  PM_VEC_FREE(list);
  return any;
}

/* Until the builds are made, or some rounds in turn made none. */
static void climb_and_jump(search_state *s) {
  enum { IDLE_ROUNDS = 8 };
  for (unsigned idle = 0; idle < IDLE_ROUNDS && !s->ended; idle++) {
    unsigned before = s->built;
    climb(s);
    if (!s->ended && !jump(s)) return;
    if (s->built > before) idle = 0;
  }
}

void pm_search_run(const pm_search *search) {
  search_state s = {.search = search, .best_ratio = 1, .random = 1, .ended = !search->builds};
  PM_VEC_PUSH(s.tried, s.best);
  if (!s.ended) search->predict(search->user, &s.best, 1, &s.default_predicted);
  s.best_predicted = s.default_predicted;
  if (!s.ended) try_foreseen(&s);
  if (!s.ended) try_drawn(&s);
  climb_and_jump(&s);
  PM_VEC_FREE(s.tried);
}
