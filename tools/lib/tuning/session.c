#include "tools/lib/tuning/session.h"

#include "pm/hash.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct state_row {
  const char *word;
  bool is_build;
} state_row;

static const state_row states[] = {
#define PM_TRIAL(id, is_build) {#id, is_build},
    PM_TRIALS(PM_TRIAL)
#undef PM_TRIAL
};

bool pm_is_build(pm_trial_state state) {
  return states[state].is_build;
}

const char *pm_trial_word(pm_trial_state state) {
  return states[state].word;
}

static void free_trial(pm_tuning_trial *t) {
  pm_settings_free(&t->settings);
  free(t->text);
  pm_trial_free(&t->trial);
}

void pm_tuning_free(pm_tuning *s) {
  for (size_t i = 0; i < s->trials.len; i++) free_trial(&s->trials.data[i]);
  PM_VEC_FREE(s->trials);
  pm_tuned_key_free(&s->key);
  free(s->version);
}

const pm_tuning_trial *pm_tuning_find(const pm_tuning *s, const char *text) {
  for (size_t i = 0; i < s->trials.len; i++)
    if (strcmp(s->trials.data[i].text, text) == 0) return &s->trials.data[i];
  return NULL;
}

const pm_tuning_trial *pm_tuning_add(pm_tuning *s, pm_settings *settings, pm_trial *trial) {
  pm_tuning_trial added = {.settings = *settings, .text = pm_settings_text(settings), .trial = *trial};
  *settings = (pm_settings){0};
  *trial = (pm_trial){0};
  PM_VEC_PUSH(s->trials, added);
  return &PM_VEC_LAST(s->trials);
}

void pm_tuning_forget_late(pm_tuning *s, double limit) {
  size_t n = 0;
  for (size_t i = 0; i < s->trials.len; i++) {
    pm_tuning_trial *t = &s->trials.data[i];
    if (t->trial.state == PM_TRIAL_late && t->trial.seconds < limit)
      free_trial(t);
    else
      s->trials.data[n++] = *t;
  }
  s->trials.len = n;
}

unsigned pm_tuning_builds(const pm_tuning *s) {
  unsigned n = 0;
  for (size_t i = 0; i < s->trials.len; i++) n += pm_is_build(s->trials.data[i].trial.state);
  return n;
}

unsigned pm_tuning_count(const pm_tuning *s, pm_trial_state state) {
  unsigned n = 0;
  for (size_t i = 0; i < s->trials.len; i++) n += s->trials.data[i].trial.state == state;
  return n;
}

/* --- writing --- */

static json_t *texts_of(const pm_settings *settings) {
  json_t *list = json_array();
  for (size_t i = 0; settings && i < settings->len; i++)
    json_array_append_new(list, json_string(settings->data[i]));
  return list;
}

static json_t *digest_text(XXH128_hash_t digest) {
  pm_buf text = {0};
  pm_put_hash(&text, digest);
  json_t *string = json_string(text.data);
  pm_buf_free(&text);
  return string;
}

static json_t *trial_object(const pm_tuning_trial *t) {
  json_t *object = json_object();
  json_object_set_new(object, "settings", texts_of(&t->settings));
  json_object_set_new(object, "state", json_string(pm_trial_word(t->trial.state)));
  json_object_set_new(object, "ratio", json_real(t->trial.ratio));
  json_object_set_new(object, "seconds", json_real(t->trial.seconds));
  json_object_set_new(object, "digest", digest_text(t->trial.digest));
  if (t->trial.state != PM_TRIAL_wrong) return object;
  json_object_set_new(object, "differing", json_integer(t->trial.differing));
  json_object_set_new(object, "strict", json_boolean(t->trial.strict));
  return object;
}

static json_t *entry_of(const pm_tuning *s) {
  const pm_tuning_trial *best = s->best ? pm_tuning_find(s, s->best) : NULL;
  json_t *entry = json_object(), *trials = json_array();
  pm_tuned_set_key(entry, &s->key);
  json_object_set_new(entry, "version", json_string(s->version));
  json_object_set_new(entry, "settings", texts_of(best ? &best->settings : NULL));
  json_object_set_new(entry, "ratio", json_real(s->ratio));
  json_object_set_new(entry, "seconds", json_real(s->best_seconds));
  json_object_set_new(entry, "default_seconds", json_real(s->usual_seconds));
  json_object_set_new(entry, "final", json_boolean(s->final));
  json_object_set_new(entry, "tuning_seconds", json_real(s->seconds));
  for (size_t i = 0; i < s->trials.len; i++) json_array_append_new(trials, trial_object(&s->trials.data[i]));
  json_object_set_new(entry, "trials", trials);
  return entry;
}

bool pm_tuning_write(const pm_tuning *s, pm_buf *error) {
  json_t *entry = entry_of(s);
  bool ok = pm_tuned_write(s->path, entry, &s->key, error);
  json_decref(entry);
  return ok;
}

/* --- reading --- */

static bool read_state(const char *word, pm_trial_state *state) {
  for (size_t i = 0; i < PM_COUNT(states); i++) {
    if (strcmp(word, states[i].word) != 0) continue;
    *state = (pm_trial_state)i;
    return true;
  }
  return false;
}

static bool read_digest(const char *text, XXH128_hash_t *digest) {
  unsigned long long high, low;
  int end = 0;
  if (sscanf(text, "%16llx%16llx%n", &high, &low, &end) != 2 || text[end]) return false;
  *digest = (XXH128_hash_t){.low64 = low, .high64 = high};
  return true;
}

static bool read_settings(const json_t *list, pm_settings *settings) {
  size_t i;
  json_t *setting;
  json_array_foreach(list, i, setting) {
    if (!json_is_string(setting)) return false;
    PM_VEC_PUSH(*settings, pm_xstrdup(json_string_value(setting)));
  }
  return settings->len > 0;
}

/* Adds the trial; false when something of it is missing or wrong. */
static bool read_trial(pm_tuning *s, json_t *object) {
  pm_settings settings = {0};
  pm_trial trial = {0};
  const char *state, *digest;
  json_t *list;
  json_int_t differing = 0;
  int strict = 0;
  if (json_unpack(object, "{s:o,s:s,s:F,s:F,s:s,s?I,s?b}", "settings", &list, "state", &state, "ratio",
                  &trial.ratio, "seconds", &trial.seconds, "digest", &digest, "differing", &differing,
                  "strict", &strict) != 0)
    return false;
  trial.differing = differing;
  trial.strict = strict;
  bool ok =
      read_state(state, &trial.state) && read_digest(digest, &trial.digest) && read_settings(list, &settings);
  if (ok) pm_tuning_add(s, &settings, &trial);
  pm_settings_free(&settings);
  return ok;
}

static bool read_all_trials(pm_tuning *s, json_t *trials) {
  size_t i;
  json_t *trial;
  json_array_foreach(trials, i, trial) {
    if (!read_trial(s, trial)) return false;
  }
  return true;
}

/* The result is that of the trials, whose text it has to be. */
static bool read_result(pm_tuning *s, json_t *entry) {
  pm_settings settings = {0};
  int final;
  if (json_unpack(entry, "{s:F,s:F,s:F,s:F,s:b}", "ratio", &s->ratio, "seconds", &s->best_seconds,
                  "default_seconds", &s->usual_seconds, "tuning_seconds", &s->seconds, "final", &final) != 0)
    return false;
  s->final = final;
  if (!read_settings(json_object_get(entry, "settings"), &settings)) return settings.len == 0;
  char *text = pm_settings_text(&settings);
  const pm_tuning_trial *best = pm_tuning_find(s, text);
  s->best = best ? best->text : NULL;
  free(text);
  pm_settings_free(&settings);
  return best != NULL;
}

static bool read_entry(pm_tuning *s, json_t *entry, size_t *forgotten) {
  const char *version = json_string_value(json_object_get(entry, "version"));
  json_t *trials = json_object_get(entry, "trials");
  if (!version || !json_is_array(trials)) return false;
  if (strcmp(version, s->version) == 0) return read_all_trials(s, trials) && read_result(s, entry);
  *forgotten = json_array_size(trials);
  return true;
}

bool pm_tuning_read(pm_tuning *s, size_t *forgotten, pm_buf *error) {
  size_t i;
  json_t *entry;
  bool ok = true;
  *forgotten = 0;
  if (access(s->path, F_OK) != 0) return true;
  json_t *entries = pm_tuned_read(s->path, error);
  if (!entries) return false;
  json_array_foreach(entries, i, entry) {
    if (pm_tuned_is_of(entry, &s->key)) ok = read_entry(s, entry, forgotten);
  }
  json_decref(entries);
  return ok || pm_failf(error, "the trials in '%s' are damaged: remove it, or name another", s->path);
}
