#include "tools/lib/tuning/knobs.h"

#include "pm/pipeline_text.h"

#include <stdlib.h>
#include <string.h>

typedef enum knob_kind { WORDS, NUMBERS, SIZES } knob_kind;
typedef enum knob_place { ANYWHERE, GIVEN } knob_place;

typedef struct knob_row {
  knob_kind kind;
  knob_place where;
  const char *name, *setting, *values, *doc;
} knob_row;

static const knob_row rows[PM_N_KNOBS] = {
#define KNOB(id, kind, where, setting, values, doc) {kind, where, #id, setting, values, doc},
#include "tools/lib/tuning/knobs.def"
#undef KNOB
};

void pm_list_knobs(pm_buf *out) {
  for (unsigned i = 0; i < PM_N_KNOBS; i++)
    pm_buf_printf(out, "%s  %s  %s\n    %s\n", rows[i].name, rows[i].setting, rows[i].values, rows[i].doc);
}

/* --- values --- */

/* Those of a list, without the separator. */
static void split(const char *list, char separator, pm_settings *out) {
  const char separators[] = {separator, 0};
  for (const char *at = list; *at;) {
    size_t len = strcspn(at, separators);
    PM_VEC_PUSH(*out, pm_xstrndup(at, len));
    at += len + (at[len] != 0);
  }
}

/* The grid of the extents, whose two lists are `lists`. */
static void put_grid(const pm_settings *lists, pm_knob_values *out) {
  pm_settings outer = {0}, inner = {0};
  split(lists->data[0], ',', &outer);
  split(lists->data[1], ',', &inner);
  for (size_t i = 0; i < outer.len; i++)
    for (size_t k = 0; k < inner.len; k++) {
      pm_buf text = {0};
      pm_buf_printf(&text, "%sx%s", outer.data[i], inner.data[k]);
      PM_VEC_PUSH(out->texts, pm_buf_take(&text));
    }
  out->columns = (unsigned)inner.len;
  pm_settings_free(&outer);
  pm_settings_free(&inner);
}

static void read_values(const knob_row *row, pm_knob_values *out) {
  pm_settings words = {0};
  split(row->values, row->kind == SIZES ? ';' : ' ', &words);
  out->columns = 1;
  if (row->kind == SIZES) put_grid(&words, out);
  for (size_t i = 0; i < words.len && row->kind != SIZES; i++)
    PM_VEC_PUSH(out->texts, pm_xstrdup(words.data[i]));
  pm_settings_free(&words);
}

/* The pipeline has the pass of the setting and, with GIVEN, its first option. */
static bool has(const char *pipeline, const char *setting, knob_place where) {
  size_t n = strcspn(setting, "{"), m = strcspn(setting + n + 1, "=");
  char *pass = pm_xstrndup(setting, n), *option = pm_xstrndup(setting + n + 1, m);
  char *value = pm_pipeline_get(pipeline, pass, option);
  bool found = where == GIVEN ? value != NULL : pm_pipeline_has(pipeline, pass);
  free(pass);
  free(option);
  free(value);
  return found;
}

static bool is_in(const knob_row *row, const char *pipeline) {
  pm_settings settings = {0};
  bool all = true;
  split(row->setting, ';', &settings);
  for (size_t i = 0; i < settings.len; i++) all = all && has(pipeline, settings.data[i], row->where);
  pm_settings_free(&settings);
  return all;
}

void pm_knobs_open(pm_knobs *knobs, const char *pipeline) {
  *knobs = (pm_knobs){0};
  for (unsigned i = 0; i < PM_N_KNOBS; i++)
    if (is_in(&rows[i], pipeline)) read_values(&rows[i], &knobs->of[i]);
}

void pm_knobs_close(pm_knobs *knobs) {
  for (unsigned i = 0; i < PM_N_KNOBS; i++) {
    for (size_t k = 0; k < knobs->of[i].texts.len; k++) free(knobs->of[i].texts.data[k]);
    PM_VEC_FREE(knobs->of[i].texts);
  }
}

bool pm_same_candidate(const pm_candidate *a, const pm_candidate *b) {
  return memcmp(a, b, sizeof *a) == 0;
}

/* --- settings --- */

/* The setting with the value in place of each %. */
static char *fill_in(const char *setting, const char *value) {
  pm_buf out = {0};
  for (; *setting; setting++)
    if (*setting == '%')
      pm_buf_puts(&out, value);
    else
      pm_buf_putc(&out, *setting);
  return pm_buf_take(&out);
}

void pm_settings_of(const pm_knobs *knobs, const pm_candidate *candidate, pm_settings *out) {
  for (unsigned i = 0; i < PM_N_KNOBS; i++) {
    if (!candidate->choice[i]) continue;
    char *all = fill_in(rows[i].setting, knobs->of[i].texts.data[candidate->choice[i] - 1]);
    split(all, ';', out);
    free(all);
  }
}

void pm_settings_free(pm_settings *settings) {
  for (size_t i = 0; i < settings->len; i++) free(settings->data[i]);
  PM_VEC_FREE(*settings);
}

char *pm_settings_text(const pm_settings *settings) {
  pm_buf out = {0};
  for (size_t i = 0; i < settings->len; i++) pm_buf_printf(&out, "%s%s", i ? " " : "", settings->data[i]);
  return pm_buf_take(&out);
}

/* --- moves --- */

/* Numbers that are next to each other; sizes of which one is next, and the others are equal. */
static bool are_near(const pm_knob_values *values, unsigned a, unsigned b) {
  unsigned columns = values->columns;
  unsigned i = a / columns, k = a % columns, m = b / columns, n = b % columns;
  unsigned apart = (i > m ? i - m : m - i) + (k > n ? k - n : n - k);
  return apart == 1;
}

static bool is_move(unsigned knob, const pm_knob_values *values, unsigned from, unsigned to) {
  if (from == to) return false;
  return !from || !to || rows[knob].kind == WORDS || are_near(values, from - 1, to - 1);
}

void pm_put_moves(const pm_knobs *knobs, const pm_candidate *from, pm_candidates *out) {
  for (unsigned i = 0; i < PM_N_KNOBS; i++)
    for (unsigned k = 0; k <= knobs->of[i].texts.len; k++) {
      pm_candidate next = *from;
      next.choice[i] = (uint16_t)k;
      if (is_move(i, &knobs->of[i], from->choice[i], k)) PM_VEC_PUSH(*out, next);
    }
}

void pm_put_tilings(const pm_knobs *knobs, unsigned nth, pm_candidates *out) {
  const pm_knob_values *strategies = &knobs->of[PM_KNOB_strategy], *sizes = &knobs->of[PM_KNOB_tile];
  for (unsigned s = 0; s < strategies->texts.len; s++)
    for (unsigned k = 0; k < sizes->texts.len; k++) {
      pm_candidate next = {{0}};
      next.choice[PM_KNOB_strategy] = (uint16_t)(s + 1);
      next.choice[PM_KNOB_tile] = (uint16_t)(k + 1);
      if (k / sizes->columns % nth == 0 && k % sizes->columns % nth == 0) PM_VEC_PUSH(*out, next);
    }
}

/* Sebastiano Vigna's SplitMix64. */
static uint64_t next_random(uint64_t *state) {
  uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

pm_candidate pm_draw_candidate(const pm_knobs *knobs, const pm_candidate *from, unsigned n, uint64_t *state) {
  pm_candidate next = *from;
  for (unsigned tries = 0; n && tries < 1000; tries++) {
    unsigned i = (unsigned)(next_random(state) % PM_N_KNOBS);
    size_t values = knobs->of[i].texts.len;
    if (!values) continue;
    next.choice[i] = (uint16_t)(next_random(state) % (values + 1));
    n--;
  }
  return next;
}
