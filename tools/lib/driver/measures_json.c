#include "tools/lib/driver/measures_json.h"

#include <jansson.h>
#include <stdlib.h>

static json_t *add_pass(json_t *passes, const pm_pass_measures *m) {
  json_t *object = json_object();
  json_object_set_new(object, "pass", json_string(m->pass->name));
  json_object_set_new(object, "on", json_string(m->on));
  json_object_set_new(object, "runs", json_integer(m->runs));
  json_array_append_new(passes, object);
  return object;
}

static void add_times(void *user, const pm_pass_measures *m) {
  json_t *object = add_pass(user, m);
  json_object_set_new(object, "seconds", json_real(m->seconds));
  json_object_set_new(object, "analyses", json_real(m->analysis_seconds));
  json_object_set_new(object, "verifier", json_real(m->verify_seconds));
}

static void add_counts(void *user, const pm_pass_measures *m) {
  json_t *object = add_pass(user, m), *counts = json_object();
  for (size_t i = 0; i < m->n_counts; i++)
    json_object_set_new(counts, m->counts[i].name, json_integer(m->counts[i].value));
  json_object_set_new(object, "changed", json_integer(m->changes));
  json_object_set_new(object, "counts", counts);
}

/* Takes the value. */
static void put_object(const char *key, json_t *value, pm_buf *out) {
  json_t *object = json_object();
  json_object_set_new(object, key, value);
  char *text = json_dumps(object, JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(6));
  json_decref(object);
  if (!text) pm_out_of_memory();
  pm_buf_printf(out, "%s\n", text);
  free(text);
}

void pm_put_timing_json(const pm_pass_manager *pm, pm_buf *out) {
  json_t *timing = json_object(), *passes = json_array();
  pm_each_measured(pm, add_times, passes);
  json_object_set_new(timing, "total", json_real(pm_measured_seconds(pm)));
  json_object_set_new(timing, "passes", passes);
  put_object("timing", timing, out);
}

void pm_put_statistics_json(const pm_pass_manager *pm, pm_buf *out) {
  json_t *passes = json_array();
  pm_each_measured(pm, add_counts, passes);
  put_object("statistics", passes, out);
}
