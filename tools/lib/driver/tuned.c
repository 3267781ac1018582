#include "tools/lib/driver/tuned.h"

#include "dialects/stage/stage.h"
#include "ir/text.h"
#include "targets/lib/host.h"
#include "pm/hash.h"
#include "tools/lib/driver/hooks.h"
#include "pm/pipeline_text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void set_text(json_t *object, const char *key, const char *text) {
  json_object_set_new(object, key, json_string(text));
}

/* --- the key --- */

/* 32 hexadecimal digits: to be freed. */
static char *hash_of(const pm_buf *text) {
  pm_buf out = {0};
  pm_put_hash(&out, XXH3_128bits(text->data, text->len));
  return pm_buf_take(&out);
}

/* Of what is computed: estimates and places do not count. */
static char *hash_of_program(pm_module *module) {
  pm_module *copy = pm_module_clone(module);
  pm_buf text = {0};
  PM_FOR_OPS(pipeline, pm_module_body(copy)) {
    if (!pm_is(pipeline, &stage_pipeline)) continue;
    PM_FOR_OPS(op, pm_region_at(pipeline, stage_pipeline_body))
    if (pm_is(op, &stage_param)) pm_set_attr(op, stage_param_estimate, NULL);
  }
  pm_print_module(&text, copy, (pm_print_options){0});
  char *hash = hash_of(&text);
  pm_buf_free(&text);
  pm_module_free(copy);
  return hash;
}

static char *hash_of_text(const char *text) {
  pm_buf copy = {0};
  pm_buf_puts(&copy, text);
  char *hash = hash_of(&copy);
  pm_buf_free(&copy);
  return hash;
}

/* The options of the compiler as they were given. */
static char *compiler_of(const pm_driver_options *o) {
  const char *const names[] = {"cc", "cflags", "cpu", "features"};
  const char *const values[] = {o->cc, o->cflags, o->cpu, o->features};
  pm_buf out = {0};
  for (size_t i = 0; i < PM_COUNT(names); i++)
    if (values[i]) pm_buf_printf(&out, "%s--%s=%s", out.len ? " " : "", names[i], values[i]);
  return pm_buf_take(&out);
}

/* The value of the first line that tells a name or, without one, all that is told of the processor. */
static void put_processor_name(pm_buf *out) {
  pm_buf lines = {0};
  pm_put_processor(&lines);
  const char *name = lines.data ? strstr(lines.data, "model name") : NULL,
             *colon = name ? strchr(name, ':') : NULL;
  if (colon)
    pm_buf_put(out, colon + 2, strcspn(colon + 2, "\n"));
  else
    for (size_t i = 0; i + 1 < lines.len; i++) pm_buf_putc(out, lines.data[i] == '\n' ? ';' : lines.data[i]);
  pm_buf_free(&lines);
}

static void put_processor(pm_buf *out) {
  put_processor_name(out);
  pm_buf_printf(out, ", %ld of them", sysconf(_SC_NPROCESSORS_ONLN));
}

static void set_hash(json_t *object, const char *key, char *hash) {
  set_text(object, key, hash);
  free(hash);
}

static json_t *sizes_of(pm_op *pipeline, const pm_params *params) {
  json_t *sizes = json_object();
  stage_signature sig;
  stage_signature_get(pipeline, &sig);
  for (size_t i = 0; i < sig.params.len; i++) {
    const stage_arg *param = &sig.params.data[i];
    if (!pm_is_int(param->type)) continue;
    bool known = params || pm_attr_at(param->op, stage_param_estimate);
    json_int_t value = params ? params->values[i] : known ? pm_int_at(param->op, stage_param_estimate) : 0;
    json_object_set_new(sizes, param->name->text, known ? json_integer(value) : json_null());
  }
  stage_signature_free(&sig);
  return sizes;
}

bool pm_tuned_device(const pm_target *target, const pm_driver_options *o, pm_buf *device) {
  pm_build_options options = {
      .base = "device", .compiler = o->cc, .flags = o->cflags, .fp = "contract", .owns_process = true};
  pm_report report = {0};
  if (target->put_device)
    return pm_finish_hook(target->put_device(&options, device, &report), &report, o->tool) == PM_EXIT_OK;
  put_processor(device);
  return true;
}

void pm_tuned_key_make(pm_tuned_key *key, pm_module *module, pm_op *pipeline, const pm_params *params,
                       const char *text, const pm_target *target, const pm_driver_options *options,
                       const char *device, int threads) {
  const char *machine = pm_driver_machine(target, options);
  char *compiler = compiler_of(options);
  pm_buf decided = {0};
  pm_buf_printf(&decided, "%s%s%s", text, machine ? " for " : "", machine ? machine : "");
  if (options->parallel) pm_buf_printf(&decided, " on %s", options->parallel);
  *key = (pm_tuned_key){json_object(), sizes_of(pipeline, params), threads};
  set_hash(key->words, "program", hash_of_program(module));
  set_hash(key->words, "pipeline", hash_of_text(decided.data));
  pm_buf_free(&decided);
  set_text(key->words, "target", target->name);
  set_text(key->words, "compiler", compiler);
  set_text(key->words, "device", device);
  free(compiler);
}

void pm_tuned_key_free(pm_tuned_key *key) {
  json_decref(key->words);
  json_decref(key->sizes);
}

void pm_tuned_set_key(json_t *entry, const pm_tuned_key *key) {
  json_object_update(entry, key->words);
  json_object_set(entry, "sizes", key->sizes);
  json_object_set_new(entry, "threads", json_integer(key->threads));
}

/* What must agree, what tells most first. */
static const char *const words[] = {"program", "target", "compiler", "device", "pipeline"};

/* How many agree, from the first on. */
static size_t agreement(const json_t *entry, const pm_tuned_key *key) {
  size_t n = 0;
  while (n < PM_COUNT(words) &&
         json_equal(json_object_get(entry, words[n]), json_object_get(key->words, words[n])))
    n++;
  return n;
}

static bool have_same_threads(const json_t *entry, const pm_tuned_key *key) {
  return entry && json_integer_value(json_object_get(entry, "threads")) == key->threads;
}

bool pm_tuned_is_of(const json_t *entry, const pm_tuned_key *key) {
  return agreement(entry, key) == PM_COUNT(words) &&
         json_equal(json_object_get(entry, "sizes"), key->sizes) && have_same_threads(entry, key);
}

/* --- files --- */

char *pm_tuned_path(const char *program) {
  const char *slash = strrchr(program, '/'), *dot = strrchr(slash ? slash : program, '.');
  pm_buf out = {0};
  pm_buf_put(&out, program, dot ? (size_t)(dot - program) : strlen(program));
  pm_buf_puts(&out, ".tuned.json");
  return pm_buf_take(&out);
}

/* Of a file as a whole: what --tuned reads of it is there. */
static bool is_entry(const json_t *entry) {
  const json_t *settings = json_object_get(entry, "settings");
  size_t i;
  json_t *setting;
  if (!json_is_object(json_object_get(entry, "sizes")) ||
      !json_is_integer(json_object_get(entry, "threads")) || !json_is_array(settings) ||
      !json_is_number(json_object_get(entry, "ratio")))
    return false;
  json_array_foreach(settings, i, setting) {
    if (!json_is_string(setting) || !pm_pipeline_is_setting(json_string_value(setting))) return false;
  }
  return true;
}

static bool are_entries(const json_t *root) {
  const json_t *entries = json_object_get(root, "entries");
  size_t i;
  json_t *entry;
  if (!json_is_array(entries) || json_integer_value(json_object_get(root, "pm-tune")) != 1) return false;
  json_array_foreach(entries, i, entry) {
    if (!is_entry(entry)) return false;
  }
  return true;
}

json_t *pm_tuned_read(const char *path, pm_buf *error) {
  size_t len;
  json_error_t why;
  char *text = pm_read_file(path, PM_MAX_TEXT, &len);
  if (!text) {
    pm_failf(error, "cannot open '%s': %s", path, strerror(errno));
    return NULL;
  }
  json_t *root = json_loadb(text, len, 0, &why);
  free(text);
  if (root && are_entries(root)) {
    json_t *entries = json_incref(json_object_get(root, "entries"));
    json_decref(root);
    return entries;
  }
  if (root)
    pm_failf(error, "'%s' is JSON, but no file of pm-tune: remove it, or name another", path);
  else
    pm_failf(error, "'%s' is no file of pm-tune: line %d: %s; remove it, or name another", path, why.line,
             why.text);
  json_decref(root);
  return NULL;
}

/* Those of the file, none when it is not there yet; NULL with a message. */
static json_t *entries_to_keep(const char *path, pm_buf *error) {
  return access(path, F_OK) == 0 ? pm_tuned_read(path, error) : json_array();
}

static void replace_entry(json_t *entries, json_t *entry, const pm_tuned_key *key) {
  size_t i;
  json_t *other;
  json_array_foreach(entries, i, other) {
    if (!pm_tuned_is_of(other, key)) continue;
    json_array_set(entries, i, entry);
    return;
  }
  json_array_append(entries, entry);
}

bool pm_tuned_write(const char *path, json_t *entry, const pm_tuned_key *key, pm_buf *error) {
  json_t *entries = entries_to_keep(path, error), *root = json_object();
  bool ok = entries != NULL;
  if (ok) {
    replace_entry(entries, entry, key);
    json_object_set_new(root, "pm-tune", json_integer(1));
    json_object_set(root, "entries", entries);
    char *text = json_dumps(root, JSON_PRESERVE_ORDER | JSON_INDENT(1) | JSON_REAL_PRECISION(6));
    if (!text) pm_out_of_memory();
    ok = pm_write_file(path, text, strlen(text)) ||
         pm_failf(error, "cannot write '%s': %s", path, strerror(errno));
    free(text);
  }
  json_decref(entries);
  json_decref(root);
  return ok;
}

/* --- --tuned --- */

enum { OPT_TUNED = 0x500 };

static const struct argp_option tuned_rows[] = {{"tuned", OPT_TUNED, "FILE", OPTION_ARG_OPTIONAL,
                                                 "take the options that pm-tune has found (default: "
                                                 "PROGRAM.tuned.json, without the end of the program's name)",
                                                 2},
                                                {0}};

static error_t parse_tuned_option(int key, char *arg, struct argp_state *state) {
  pm_driver_options *o = state->input;
  if (key != OPT_TUNED) return ARGP_ERR_UNKNOWN;
  o->tuned = arg ? arg : "";
  return 0;
}

const struct argp pm_tuned_argp = {tuned_rows, parse_tuned_option, 0, 0, 0, 0, 0};

/* How far the sizes are from those of an entry, in doublings of all together; HUGE_VAL: more than one of a
 * size. Sizes that are not known do not count. */
static double distance(const json_t *entry, const pm_tuned_key *key) {
  const json_t *tuned = json_object_get(entry, "sizes");
  const char *name;
  json_t *size;
  double sum = 0;
  json_object_foreach(key->sizes, name, size) {
    double own = fmax(1, json_number_value(size)),
           other = fmax(1, json_number_value(json_object_get(tuned, name)));
    double far = json_is_null(size) ? 0 : fabs(log2(own / other));
    if (far > 1) return HUGE_VAL;
    sum += far;
  }
  return sum;
}

static bool have_other_threads(const json_t *entry, const pm_tuned_key *key) {
  int threads = (int)json_integer_value(json_object_get(entry, "threads"));
  return key->threads && threads && key->threads != threads;
}

static void explain_word(const json_t *entry, const pm_tuned_key *key, const char *word, pm_buf *why) {
  const char *is = json_string_value(json_object_get(entry, word));
  bool is_hash = strcmp(word, "program") == 0 || strcmp(word, "pipeline") == 0;
  if (is_hash || !is)
    pm_failf(why, "it is for another %s", word);
  else
    pm_failf(why, "it is for the %s '%s', this is '%s'", word, is,
             json_string_value(json_object_get(key->words, word)));
}

static void explain_sizes(const json_t *entry, const pm_tuned_key *key, pm_buf *why) {
  char *tuned = json_dumps(json_object_get(entry, "sizes"), 0), *own = json_dumps(key->sizes, 0);
  pm_failf(why, "it is for sizes %s, one of which is not within half and double of %s", tuned, own);
  free(tuned);
  free(own);
}

/* Why an entry does not fit of which so many words agree. */
static void explain(const json_t *entry, const pm_tuned_key *key, size_t agreed, pm_buf *why) {
  if (agreed < PM_COUNT(words))
    explain_word(entry, key, words[agreed], why);
  else if (have_other_threads(entry, key))
    pm_failf(why, "it is for %d threads, not for %d",
             (int)json_integer_value(json_object_get(entry, "threads")), key->threads);
  else
    explain_sizes(entry, key, why);
}

/* The nearest, of several one for the same threads; NULL with the reason why the one that agrees most does
 * not fit. */
static json_t *find_entry(json_t *entries, const pm_tuned_key *key, pm_buf *why) {
  json_t *best = NULL, *entry;
  double least = HUGE_VAL;
  size_t i, most = 0;
  pm_failf(why, "it has no entries");
  json_array_foreach(entries, i, entry) {
    size_t agreed = agreement(entry, key);
    bool may = agreed == PM_COUNT(words) && !have_other_threads(entry, key);
    double far = may ? distance(entry, key) : HUGE_VAL;
    bool fitter = have_same_threads(entry, key) && !have_same_threads(best, key);
    if (far < least || (far == least && isfinite(far) && fitter)) best = entry;
    least = fmin(least, far);
    if (!best && agreed >= most) explain(entry, key, most = agreed, why);
  }
  return best;
}

static void take_sizes(pm_op *pipeline, const json_t *sizes) {
  PM_FOR_OPS(op, pm_region_at(pipeline, stage_pipeline_body)) {
    if (!pm_is(op, &stage_param) || pm_attr_at(op, stage_param_estimate)) continue;
    const json_t *size = json_object_get(sizes, pm_sym_at(op, stage_param_sym)->text);
    if (json_is_integer(size))
      pm_set_attr(op, stage_param_estimate,
                  pm_get_int(pm_get_scalar(pm_op_context(op), PM_I64), json_integer_value(size)));
  }
}

static void take_entry(pm_driver_options *o, pm_op *pipeline, const json_t *entry, const char *path) {
  const json_t *settings = json_object_get(entry, "settings");
  pm_buf line = {0};
  size_t i;
  json_t *setting;
  json_array_foreach(settings, i, setting) {
    char *text = pm_xstrdup(json_string_value(setting));
    PM_VEC_PUSH(o->owned, text);
    PM_VEC_PUSH(o->tuned_settings, text);
    pm_buf_printf(&line, " --set='%s'", text);
  }
  take_sizes(pipeline, json_object_get(entry, "sizes"));
  double ratio = json_number_value(json_object_get(entry, "ratio"));
  pm_remark(o->ctx, pipeline->loc, PM_REMARK_PASSED, "tuned", (pm_remark_arg[]){{"ratio", ratio}}, 1,
            "%s: %s%s, measured as %.2f times the time without", path,
            line.len ? "as with" : "the default is the best", line.len ? line.data : "", ratio);
  pm_buf_free(&line);
}

static void warn_unfit(pm_driver_options *o, const char *path, const pm_buf *why) {
  pm_buf warning = {0};
  pm_buf_printf(&warning, "'%s' is not used: %s", path, why->data);
  pm_print_warning(o->tool, &warning);
}

static bool take_from(pm_driver_options *o, pm_op *pipeline, const char *path, const pm_tuned_key *key) {
  pm_buf text = {0};
  json_t *entries = pm_tuned_read(path, &text);
  if (!entries) {
    pm_print_error(o->tool, &text);
    return false;
  }
  const json_t *entry = find_entry(entries, key, &text);
  if (entry)
    take_entry(o, pipeline, entry, path);
  else
    warn_unfit(o, path, &text);
  pm_buf_free(&text);
  json_decref(entries);
  return true;
}

/* With the text of the pipeline without what is tuned. */
static bool take(pm_driver_options *o, const pm_target *target, pm_module *module, pm_op *pipeline,
                 const pm_params *params, const char *text, int threads) {
  pm_buf device = {0};
  pm_tuned_key key;
  if (!pm_tuned_device(target, o, &device)) return false;
  char *path = *o->tuned ? pm_xstrdup(o->tuned) : pm_tuned_path(o->program);
  pm_tuned_key_make(&key, module, pipeline, params, text, target, o, device.data, threads);
  bool ok = take_from(o, pipeline, path, &key);
  pm_tuned_key_free(&key);
  pm_buf_free(&device);
  free(path);
  return ok;
}

bool pm_take_tuned(pm_driver_options *o, const pm_target *target, pm_module *module, const pm_params *params,
                   int threads) {
  if (!o->tuned) return true;
  pm_op *pipeline = pm_driver_pipeline(module, o);
  char *text = pipeline ? pm_driver_pipeline_text(target, o) : NULL;
  bool ok = text && take(o, target, module, pipeline, params, text, threads);
  free(text);
  return ok;
}
