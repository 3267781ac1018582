#include "tools/lib/images/callable.h"
#include "tools/lib/measuring/groups.h"

#include <jansson.h>
#include <stdlib.h>

static void set_number(json_t *object, const char *key, double value) {
  json_object_set_new(object, key, json_real(value));
}

static void set_count(json_t *object, const char *key, int64_t value) {
  json_object_set_new(object, key, json_integer(value));
}

static json_t *kernels_of(const pm_variant *v) {
  json_t *kernels = json_array();
  for (size_t i = 0; i < v->kernels.len; i++) {
    const pm_kernel_sample *k = &v->kernels.data[i];
    json_t *object = json_object();
    json_object_set_new(object, "name", json_string(k->name));
    set_number(object, "launches", k->launches);
    set_number(object, "bytes", k->bytes);
    set_number(object, "s", k->seconds);
    set_number(object, "queued_s", k->queued_seconds);
    set_number(object, "waiting_s", k->waiting_seconds);
    json_array_append_new(kernels, object);
  }
  return kernels;
}

static json_t *groups_of(const pm_profile *profile) {
  json_t *groups = json_array();
  for (size_t i = 0; i < profile->groups.len; i++) {
    const pm_group_sample *g = &profile->groups.data[i];
    json_t *object = json_object();
    json_object_set_new(object, "group", json_string(g->name));
    set_count(object, "stages", (int64_t)g->stages);
    set_number(object, "s", g->seconds);
    set_number(object, "predicted_s", g->predicted_seconds);
    set_number(object, "bytes", g->bytes);
    set_number(object, "operations", g->operations);
    json_array_append_new(groups, object);
  }
  return groups;
}

/* Rates of it are what rooflines are drawn of. */
static json_t *machine_of(const pm_profile *profile) {
  pm_buf text = {0};
  pm_put_machine(&profile->machine, &text);
  json_t *machine = json_loads(text.data, 0, NULL);
  pm_buf_free(&text);
  if (!machine) pm_out_of_memory();
  return machine;
}

static void set_profile(json_t *object, const pm_profile *profile) {
  json_object_set_new(object, "machine", machine_of(profile));
  json_object_set_new(object, "groups", groups_of(profile));
  set_number(object, "rest_s", profile->rest);
}

static json_t *variant_object(const pm_bench *b, const pm_variant *v) {
  json_t *object = json_object();
  pm_native *native = v->same ? v->same->native : v->native;
  json_object_set_new(object, "variant", json_string(v->text ? v->text : ""));
  json_object_set_new(object, "same", json_boolean(v->same));
  set_number(object, "compile_s", v->given ? 0 : b->read_seconds + v->lower_seconds);
  set_number(object, "cc_s", v->build_seconds);
  set_number(object, "first_s", v->times.first);
  set_number(object, "min_s", v->times.min);
  set_number(object, "median_s", v->times.median);
  set_number(object, "processor_s", v->times.processor);
  if (v->kernels.len) set_number(object, "kernels_s", pm_kernel_seconds(v));
  if (v->kernels.len) json_object_set_new(object, "kernels", kernels_of(v));
  set_count(object, "rounds", (int64_t)v->times.n);
  set_count(object, "scratch_bytes", pm_native_scratch_bytes(native, &b->it->call));
  set_count(object, "differing", v->differing);
  return object;
}

static int64_t count_values(const pm_iteration *it) {
  int64_t count = 0;
  for (size_t o = 0; o < it->n_outputs; o++) count += pm_array_count(&it->outputs[o]);
  return count;
}

/* Their names. */
static json_t *outputs_of(pm_op *pipeline) {
  json_t *names = json_array();
  stage_signature sig;
  pm_callable_signature(pipeline, &sig);
  for (size_t i = 0; i < sig.outputs.len; i++)
    json_array_append_new(names, json_string(sig.outputs.data[i].name->text));
  stage_signature_free(&sig);
  return names;
}

/* The integer parameters of the calls, those found from the inputs among them. */
static json_t *params_of(const pm_bench *b) {
  json_t *params = json_object();
  stage_signature sig;
  pm_callable_signature(b->callable, &sig);
  for (size_t i = 0; i < sig.params.len; i++)
    if (!pm_is_float(sig.params.data[i].type))
      set_count(params, sig.params.data[i].name->text, b->it->args->params.values[i]);
  stage_signature_free(&sig);
  return params;
}

void pm_put_bench_json(const pm_bench *b, pm_buf *out) {
  json_t *object = json_object(), *variants = json_array();
  set_count(object, "threads", pm_native_threads(b->variants[0].native));
  set_count(object, "calls", (int64_t)b->repeat);
  json_object_set_new(object, "params", params_of(b));
  json_object_set_new(object, "outputs", outputs_of(b->callable));
  set_count(object, "values", count_values(b->it));
  set_number(object, "predicted_s", pm_predicted_seconds(b));
  set_number(object, "compulsory_bytes", pm_compulsory_bytes(&b->it->call));
  if (pm_is(b->callable, &stage_pipeline))
    set_number(object, "whole_bytes", pm_intermediate_bytes(b->callable, &b->it->args->params));
  if (b->profile) set_profile(object, b->profile);
  for (size_t i = 0; i < b->n_variants; i++)
    json_array_append_new(variants, variant_object(b, &b->variants[i]));
  json_object_set_new(object, "variants", variants);
  char *text = json_dumps(object, JSON_PRESERVE_ORDER | JSON_INDENT(2));
  json_decref(object);
  if (!text) pm_out_of_memory();
  pm_buf_printf(out, "%s\n", text);
  free(text);
}
