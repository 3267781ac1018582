/* pm-run: compiles a pipeline in memory and runs it on pictures; checks it against the reference interpreter
 * and measures it. */
#include "dialects/stage/interpreter/interp.h"
#include "dialects/machine/machine.h"
#include "tools/lib/images/callable.h"
#include "tools/lib/images/compare.h"
#include "tools/lib/driver/cache.h"
#include "tools/lib/driver/interface.h"
#include "tools/lib/measuring/groups.h"
#include "tools/lib/message.h"
#include "tools/lib/driver/process.h"
#include "tools/lib/driver/run_options.h"
#include "tools/lib/driver/tuned.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TOOL "pm-run"

enum { MOST_CHECKED = 128 }; /* of a size that is chosen for the interpreter */

/* One run: the program as it was read, its arguments, and the compiled functions. */
typedef struct run_state {
  const pm_run_options *options;
  pm_remark_list *remarks; /* the driver's */
  pm_module *module;
  pm_cache cache;      /* not open, where nothing is to be kept */
  pm_buf version;      /* of this process, before the target has loaded what it needs */
  pm_buf hash;         /* of the program */
  bool interface_only; /* the module is what an earlier run has kept of it */
  pm_op *callable;     /* what is called: a stage.pipeline or a loop.func */
  stage_signature sig;
  pm_arguments args;
  pm_feed_list feeds;
  pm_iteration it, reference; /* of the compiled function and of the interpreter */
  pm_progress progress;
  size_t call;          /* the number of the current one, from 1 */
  pm_variant *variants; /* the first is the program as it was called */
  size_t n_variants;
  pm_profile profile;  /* of --profile */
  char *entry;         /* what the target calls the function */
  double begin, clock; /* when the program was begun to be read, in processor seconds and by the clock: later
                        * by what the arguments took */
} run_state;

static int fail(pm_buf *error) {
  pm_print_error(TOOL, error);
  return PM_EXIT_INPUT;
}

static bool is_strict(const run_state *s) {
  return strcmp(pm_fp_of(s->callable), "strict") == 0;
}

/* --- compiling --- */

static int dump_source(const char *path, const pm_buf *source) {
  pm_buf error = {0};
  return pm_write_bytes(path, source, &error) ? PM_EXIT_OK : fail(&error);
}

static bool same_text(const char *a, const char *b) {
  return a == b || (a && b && strcmp(a, b) == 0);
}

static bool have_same_compiler(const pm_variant *a, const pm_variant *b) {
  return same_text(a->cc, b->cc) && same_text(a->cflags, b->cflags) && same_text(a->cpu, b->cpu) &&
         same_text(a->features, b->features);
}

/* An earlier variant of the same text, rules and compiler, emitted since files may include others; NULL when
 * there is none. */
static pm_variant *find_same(const run_state *s, const pm_variant *variant) {
  for (pm_variant *v = s->variants; v < s->variants + s->n_variants && v != variant; v++)
    if (!v->given && !v->same && v->target == variant->target && same_text(v->source, variant->source) &&
        same_text(v->fp, variant->fp) && have_same_compiler(v, variant))
      return v;
  return NULL;
}

/* `file` is where the user has the text, or NULL. */
static pm_build_options build_options(const run_state *s, const pm_driver_options *driver, const char *fp,
                                      const char *file) {
  return (pm_build_options){.base = "pipeline",
                            .compiler = driver->cc,
                            .flags = driver->cflags,
                            .cpu = driver->cpu,
                            .features = driver->features,
                            .fp = fp,
                            .source_file = file,
                            .threads = s->options->call.threads,
                            .owns_process = true,
                            .kept_by = s->options->keep ? TOOL : NULL};
}

static double all_seconds(void) {
  return pm_processor_seconds() + pm_children_seconds();
}

/* To where the program can be called, of which `building` is the last part. */
static void put_times(const run_state *s, const char *what, double building) {
  fputs("from the program's text to code that can be called, in seconds of the processor\n", stderr);
  pm_put_time(what, building);
  pm_put_time("total", all_seconds() - s->begin);
  pm_put_time("by the clock", pm_clock_seconds() - s->clock);
}

/* Compiles the text, which is that of out->source, and opens what came of it. */
static int build(run_state *s, const pm_driver_options *driver, const pm_build_options *options,
                 const pm_target_output *text, pm_variant *out, pm_buf *file) {
  double begin = all_seconds();
  out->target = driver->target;
  out->fp = options->fp;
  out->cc = driver->cc;
  out->cflags = driver->cflags;
  out->cpu = driver->cpu;
  out->features = driver->features;
  out->same = find_same(s, out);
  if (out->same) out->build_seconds = out->same->build_seconds;
  if (out->same) return PM_EXIT_OK;
  int code = pm_tool_compile(driver->target, text, options, TOOL, file);
  if (code == PM_EXIT_OK)
    out->native = pm_tool_load(&s->sig, driver->target, file, text->entry.data, options, TOOL, &code);
  out->build_seconds = all_seconds() - begin;
  if (driver->timing) put_times(s, "building", out->build_seconds);
  return code;
}

/* --- what earlier runs have kept --- */

/* The program is all that is wanted, not what is known on the way to it. */
static bool may_be_kept(const pm_run_options *o, const pm_driver_options *driver) {
  return !o->no_cache && !o->region.boxes.len && !o->bench && !o->keep && !o->dump_source &&
         !driver->dump_ir && !driver->reproducer && !pm_wants_remarks(driver->ctx) &&
         driver->target->put_versions;
}

static void put_key(const run_state *s, pm_module *module, const char *pipeline,
                    const pm_driver_options *driver, const pm_build_options *options, pm_buf *key) {
  pm_buf_put(key, s->version.data, s->version.len);
  const char *words[] = {options->fp, options->compiler, options->flags, options->cpu, options->features};
  for (size_t i = 0; i < PM_COUNT(words); i++) pm_buf_printf(key, "%s\n", words[i] ? words[i] : "");
  driver->target->put_versions(options, key);
  pm_driver_put_inputs(pipeline, driver->target, driver, key);
  pm_buf_put(key, s->hash.data, s->hash.len);
  pm_put_interface(module, key);
}

/* False: nothing is kept that can be opened. */
static bool open_kept(run_state *s, const pm_buf *key, const pm_driver_options *driver,
                      const pm_build_options *options, pm_variant *out) {
  pm_cached kept;
  pm_report report = {0};
  pm_outcome outcome;
  double begin = all_seconds();
  if (!pm_cache_find(&s->cache, key, &kept)) return false;
  out->native =
      pm_native_new(&s->sig, NULL, driver->target, &kept.file, kept.entry.data, options, &outcome, &report);
  if (out->native && !s->entry) s->entry = pm_xstrdup(kept.entry.data);
  pm_buf_free(&report.log);
  pm_buf_free(&report.error);
  pm_cached_free(&kept);
  if (out->native && driver->timing)
    put_times(s, s->interface_only ? "opening what is kept, without reading" : "opening what is kept",
              all_seconds() - begin);
  return out->native != NULL;
}

/* --- from the program to a function --- */

/* Lowers the module and builds it; `made` gets what the target compiled. */
static int lower_and_build(run_state *s, pm_module *module, const char *pipeline,
                           const pm_driver_options *driver, const pm_build_options *options, const char *dump,
                           pm_variant *out, pm_cached *made) {
  static const char header[] = "pipeline.h";
  pm_target_output emitted;
  double begin = pm_processor_seconds();
  if (!pm_driver_emit(module, pipeline, driver->target, header, driver, &emitted)) return PM_EXIT_INPUT;
  out->lower_seconds = pm_processor_seconds() - begin;
  pm_buf single = {0};
  pm_put_single_file(&single, &emitted, header);
  int code = dump ? dump_source(dump, &single) : PM_EXIT_OK;
  out->source = pm_buf_take(&single);
  if (!s->entry) s->entry = pm_xstrdup(emitted.entry.data);
  pm_buf_puts(&made->entry, emitted.entry.data);
  if (code == PM_EXIT_OK) code = build(s, driver, options, &emitted, out, &made->file);
  pm_target_output_free(&emitted);
  return code;
}

/* The program that the hash is of, and not what somebody has written there since. */
static bool is_same_program(const run_state *s, pm_module *module) {
  pm_buf hash = {0}, error = {0};
  pm_put_program_hash(module, &hash);
  bool same = hash.len == s->hash.len && memcmp(hash.data, s->hash.data, hash.len) == 0;
  pm_buf_free(&hash);
  if (!same) pm_failf(&error, "'%s' has changed while it was run", s->options->driver.program);
  if (!same) fail(&error);
  return same;
}

/* The whole program, where only its interface was known, as that is now; NULL after messages. */
static pm_module *read_whole(const run_state *s, const char *fp) {
  pm_driver_options driver = s->options->driver;
  pm_module *module = pm_driver_read(&driver);
  stage_signature sig;
  if (!module) return NULL;
  if (!is_same_program(s, module)) {
    pm_module_free(module);
    return NULL;
  }
  stage_signature_get(pm_driver_pipeline(module, &driver), &sig);
  pm_set_called_estimates(&sig, &s->args.params);
  stage_signature_free(&sig);
  pm_set_fp(module, fp);
  return module;
}

/* The same, unless an earlier run has kept what comes of it. */
static int find_or_build(run_state *s, pm_module *module, const char *pipeline,
                         const pm_driver_options *driver, const pm_build_options *options, pm_variant *out) {
  pm_cached made = {0};
  pm_buf key = {0};
  int code = PM_EXIT_OK;
  if (s->cache.is_open) put_key(s, module, pipeline, driver, options, &key);
  if (!s->cache.is_open || !open_kept(s, &key, driver, options, out)) {
    pm_module *whole = s->interface_only ? read_whole(s, options->fp) : module;
    code = whole ? lower_and_build(s, whole, pipeline, driver, options, NULL, out, &made) : PM_EXIT_INPUT;
    if (code == PM_EXIT_OK) pm_cache_keep(&s->cache, &key, &made);
    if (whole && whole != module) pm_module_free(whole);
  }
  pm_cached_free(&made);
  pm_buf_free(&key);
  return code;
}

/* A copy of the program, under these rules for floats; `dump` may be NULL. */
static int compile(run_state *s, const pm_driver_options *driver, const char *fp, const char *dump,
                   pm_variant *out) {
  pm_build_options options = build_options(s, driver, fp, NULL);
  pm_cached made = {0};
  int code;
  char *pipeline = pm_driver_pipeline_text(driver->target, driver);
  if (!pipeline) return PM_EXIT_INPUT;
  pm_module *copy = pm_module_clone(s->module);
  pm_set_fp(copy, fp);
  if (may_be_kept(s->options, driver))
    code = find_or_build(s, copy, pipeline, driver, &options, out);
  else
    code = lower_and_build(s, copy, pipeline, driver, &options, dump, out, &made);
  pm_cached_free(&made);
  pm_module_free(copy);
  free(pipeline);
  return code;
}

static int compile_file(run_state *s, const char *path, const pm_driver_options *driver, pm_variant *out) {
  pm_target_output text = {0};
  pm_buf error = {0};
  size_t len = 0;
  out->source = pm_read_file(path, PM_MAX_TEXT, &len);
  if (!out->source) {
    pm_failf(&error, "cannot open '%s': %s", path, strerror(errno));
    return fail(&error);
  }
  pm_buf_put(&text.source, out->source, len);
  pm_buf_puts(&text.entry, s->entry);
  pm_build_options options = build_options(s, driver, pm_fp_of(s->callable), path);
  pm_buf file = {0};
  int code = build(s, driver, &options, &text, out, &file);
  pm_buf_free(&file);
  pm_target_output_free(&text);
  return code;
}

/* After the program itself, whose function's name is known. */
static int compile_variant(run_state *s, const pm_run_variant *how, pm_variant *out) {
  int code = PM_EXIT_OK;
  out->text = how->text;
  out->given = how->kind != PM_AGAINST_OPTIONS;
  switch (how->kind) {
  case PM_AGAINST_OPTIONS:
    return compile(s, &how->driver, pm_fp_of(s->callable), NULL, out);
  case PM_AGAINST_SOURCE:
    return compile_file(s, how->text, &how->driver, out);
  case PM_AGAINST_LIBRARY:
    out->native = pm_tool_open(&s->sig, how->text, s->entry, s->options->call.threads, TOOL, &code);
  }
  return code;
}

/* Remarks are those of the program itself: those of the others are not asked for. */
static int compile_variants(run_state *s) {
  const pm_run_options *o = s->options;
  const char *fp = pm_fp_of(s->callable);
  if (o->bench) pm_keep_remarks(o->driver.ctx, s->remarks);
  int code = compile(s, &o->driver, fp, o->dump_source, &s->variants[0]);
  pm_say_costliest(o->driver.ctx, s->remarks);
  pm_enable_remarks(o->driver.ctx, false);
  for (size_t i = 0; i < o->against.len && code == PM_EXIT_OK; i++)
    code = compile_variant(s, &o->against.data[i], &s->variants[i + 1]);
  return code;
}

/* --- groups by themselves --- */

/* The program with one more parameter. */
static bool extend_program(run_state *s, pm_profile *p, pm_buf *error) {
  p->module = pm_module_clone(s->module);
  pm_op *pipeline = pm_driver_pipeline(p->module, &s->options->driver);
  if (!pm_profile_extend(pipeline, error)) return false;
  stage_signature_get(pipeline, &p->sig);
  return true;
}

static pm_driver_options with_setting(const pm_driver_options *given, const char *setting) {
  pm_driver_options driver = *given;
  memset(&driver.settings, 0, sizeof driver.settings);
  for (size_t i = 0; i < given->settings.len; i++) PM_VEC_PUSH(driver.settings, given->settings.data[i]);
  PM_VEC_PUSH(driver.settings, setting);
  return driver;
}

/* It is a run with a signature of its own. */
static int compile_profile(run_state *s) {
  const pm_run_options *o = s->options;
  pm_profile *p = &s->profile;
  pm_buf error = {0};
  const char *machine = pm_driver_machine(o->driver.target, &o->driver);
  if (!extend_program(s, p, &error)) return fail(&error);
  if (!pm_machine_named(o->driver.ctx, machine ? machine : "host", &p->machine)) return PM_EXIT_INPUT;
  pm_driver_options driver = with_setting(&o->driver, pm_profile_setting());
  run_state extended = *s;
  pm_variant made = {0};
  extended.module = p->module;
  extended.sig = p->sig;
  extended.n_variants = 0;
  pm_keep_remarks(o->driver.ctx, &p->remarks);
  int code = compile(&extended, &driver, pm_fp_of(s->callable), NULL, &made);
  pm_keep_remarks(o->driver.ctx, s->remarks);
  pm_enable_remarks(o->driver.ctx, false);
  p->native = made.native;
  pm_profile_find_groups(p);
  free(made.source);
  PM_VEC_FREE(driver.settings);
  return code;
}

/* --- one call --- */

static int call_error(run_state *s, const pm_variant *v, int code) {
  const char *why = pm_native_strerror(v->native, code);
  pm_buf error = {0};
  pm_failf(&error, "@%s%s%s returned %d%s%s", s->sig.name->text, v->text ? " of " : "",
           v->text ? v->text : "", code, why ? ": " : "", why ? why : "");
  return fail(&error);
}

/* Where one call follows another, arrays stay on the target's device, if it has one. */
static int call_native(run_state *s) {
  pm_native *native = s->variants[0].native;
  double begin = pm_clock_seconds();
  int code = s->options->repeat > 1 ? pm_native_call_there(native, &s->it.call)
                                    : pm_native_call(native, &s->it.call);
  if (!code && s->options->repeat > 1) code = pm_native_wait(native);
  if (s->call == 1) s->variants[0].times.first = pm_clock_seconds() - begin;
  return code ? call_error(s, &s->variants[0], code) : PM_EXIT_OK;
}

/* --- checking --- */

static bool is_allowed(const run_state *s, const pm_array *array, const pm_difference *d) {
  return (double)d->count <= s->options->tolerance * (double)pm_array_count(array);
}

/* Of one output: where more differs than may, or the last call was made, it is told. */
static bool compare_output(run_state *s, size_t i, double *share) {
  const pm_array *want = &s->reference.outputs[i];
  pm_difference d = pm_compare(&s->it.outputs[i], want, is_strict(s), s->options->epsilon);
  bool allowed = is_allowed(s, want, &d);
  if (d.count) *share = fmax(*share, (double)d.count / (double)pm_array_count(want));
  if (allowed && s->call < s->options->repeat) return true;
  pm_buf calls = {0}, line = {0};
  if (s->options->repeat > 1) pm_buf_printf(&calls, " after call %zu of %zu", s->call, s->options->repeat);
  pm_put_comparison(&line, s->sig.outputs.data[i].name->text, want, calls.data ? calls.data : "", allowed,
                    &d);
  pm_progress_end(&s->progress);
  fputs(line.data, stdout);
  pm_buf_free(&calls);
  pm_buf_free(&line);
  return allowed;
}

/* --- what differs under strict rules --- */

static void put_strict_difference(const stage_arg *output, const pm_array *array, const pm_difference *d) {
  printf(
      "check: with --fp=strict %lld of %lld elements of @%s differ, first: %s, but the interpreter has %s\n",
      (long long)d->count, (long long)pm_array_count(array), output->name->text, d->got, d->want);
}

/* The share, upwards to one digit. */
static double round_up(double share) {
  double digit = pow(10, floor(log10(share)));
  return fmin(1, ceil(share / digit) * digit);
}

static void put_strict_equal(const run_state *s, double share) {
  printf(
      "check: with --fp=strict all elements are equal, so the program is compiled correctly; --fp=%s rounds "
      "otherwise, which may take a value to the other side of an integer or a condition; --tolerance=%g "
      "lets it pass\n",
      pm_fp_of(s->callable), round_up(share));
}

/* Calls it with what the interpreter has read. */
static int compare_strict(run_state *s, const pm_variant *strict, pm_array *outputs, double share) {
  pm_call call = s->reference.call;
  call.outputs = outputs;
  int returned = pm_native_call(strict->native, &call);
  if (returned) return call_error(s, strict, returned);
  bool equal = true;
  for (size_t i = 0; i < s->sig.outputs.len; i++) {
    pm_difference d = pm_compare(&outputs[i], &s->reference.outputs[i], true, 0);
    if (d.count) put_strict_difference(&s->sig.outputs.data[i], &outputs[i], &d);
    equal = equal && !d.count;
  }
  if (equal) put_strict_equal(s, share);
  return PM_EXIT_INPUT;
}

/* The same program under strict rules, where the interpreter's bits are to come out: what differs there is
 * wrong. */
static int try_strict(run_state *s, double share) {
  pm_driver_options driver = s->options->driver;
  pm_variant strict = {0};
  pm_array *outputs;
  pm_buf error = {0};
  driver.timing = false;
  driver.dump_ir = driver.reproducer = NULL;
  if (!pm_new_outputs(s->callable, &s->sig, &s->args.params, &outputs, &error)) return fail(&error);
  int code = compile(s, &driver, "strict", NULL, &strict);
  if (code == PM_EXIT_OK) code = compare_strict(s, &strict, outputs, share);
  pm_native_free(strict.native);
  free(strict.source);
  pm_arrays_free(outputs, s->sig.outputs.len);
  return code;
}

/* --- the interpreter --- */

typedef struct watched_stages {
  run_state *s;
  size_t done, total;
} watched_stages;

static void watch_stage(void *user, pm_op *func, const pm_array *values) {
  watched_stages *stages = user;
  run_state *s = stages->s;
  (void)func;
  (void)values;
  stages->done++;
  double part = (double)stages->done / (double)stages->total;
  pm_progress_update(&s->progress, ((double)(s->call - 1) + part) / (double)s->options->repeat,
                     "checking call %zu of %zu, stage %zu of %zu", s->call, s->options->repeat, stages->done,
                     stages->total);
}

static size_t count_stages(pm_op *pipeline) {
  size_t n = 0;
  if (!pm_is(pipeline, &stage_pipeline)) return n;
  PM_FOR_OPS(op, pm_region_at(pipeline, stage_pipeline_body)) n += pm_is(op, &stage_func);
  return n;
}

static bool interpret(run_state *s) {
  watched_stages stages = {s, 0, count_stages(s->callable)};
  if (!pm_is(s->callable, &stage_pipeline))
    return pm_callable_interpret(s->callable, &s->reference.call, NULL);
  return stage_interpret_watched(s->callable, &s->reference.call, watch_stage, &stages);
}

static int check(run_state *s) {
  if (!interpret(s)) return PM_EXIT_INPUT;
  bool equal = true;
  double share = 0;
  for (size_t i = 0; i < s->sig.outputs.len; i++) equal &= compare_output(s, i, &share);
  if (equal) return PM_EXIT_OK;
  return is_strict(s) ? PM_EXIT_INPUT : try_strict(s, share);
}

/* --- outputs --- */

/* Where an output of this call goes, with those that share its file: NULL when nowhere, else to be freed. */
static char *output_path(const run_state *s, size_t i) {
  const pm_named *entry = pm_named_entry(&s->options->outputs, s->sig.outputs.data[i].name);
  const char *path = entry && entry->channel == 0 ? entry->value : NULL;
  if (path && s->options->numbered && pm_is_step_path(path)) return pm_step_path(path, s->call);
  return path && s->call == s->options->repeat ? pm_xstrdup(path) : NULL;
}

/* The outputs of an entry r,g,b=FILE stand behind each other in the list. */
static bool encode_shared(const run_state *s, const pm_named *first, const char *path, pm_buf *file,
                          pm_buf *error) {
  const stage_arg **args = pm_xcalloc(first->channels, sizeof *args);
  const pm_array **planes = pm_xcalloc(first->channels, sizeof *planes);
  pm_array joined;
  for (size_t o = 0; o < s->sig.outputs.len; o++)
    for (unsigned c = 0; c < first->channels; c++) {
      if (strcmp(first[c].name, s->sig.outputs.data[o].name->text) != 0) continue;
      args[c] = &s->sig.outputs.data[o];
      planes[c] = &s->it.outputs[o];
    }
  bool ok = pm_join_channels(args, planes, first->channels, &joined, error);
  if (ok) {
    ok = pm_encode_output(path, args[0], &joined, &s->options->output, file, error);
    pm_array_release(&joined);
  }
  free(args);
  free(planes);
  return ok;
}

static bool encode_output(const run_state *s, size_t i, const char *path, pm_buf *file, pm_buf *error) {
  const stage_arg *arg = &s->sig.outputs.data[i];
  const pm_named *entry = pm_named_entry(&s->options->outputs, arg->name);
  if (entry->channels) return encode_shared(s, entry, path, file, error);
  return pm_encode_output(path, arg, &s->it.outputs[i], &s->options->output, file, error);
}

static bool encode_outputs(run_state *s, char *const *paths, pm_buf *files, pm_buf *error) {
  for (size_t i = 0; i < s->sig.outputs.len; i++)
    if (paths[i] && !encode_output(s, i, paths[i], &files[i], error)) return false;
  return true;
}

/* The outputs of this call are on the host, if anybody wants them. */
static int fetch_outputs(run_state *s) {
  bool wanted = s->options->check || s->options->numbered || s->call == s->options->repeat;
  int code = wanted ? pm_native_fetch(s->variants[0].native, s->it.outputs, s->it.n_outputs) : 0;
  return code ? call_error(s, &s->variants[0], code) : PM_EXIT_OK;
}

/* No file of a call is touched before all its outputs are encoded and there is room for all. */
static int write_outputs(run_state *s) {
  pm_buf error = {0};
  pm_buf *files = pm_xcalloc(s->sig.outputs.len + 1, sizeof *files);
  char **paths = pm_xcalloc(s->sig.outputs.len + 1, sizeof *paths);
  for (size_t i = 0; i < s->sig.outputs.len; i++) paths[i] = output_path(s, i);
  bool ok =
      encode_outputs(s, paths, files, &error) && pm_write_all_bytes(paths, files, s->sig.outputs.len, &error);
  for (size_t i = 0; i < s->sig.outputs.len; i++) {
    pm_buf_free(&files[i]);
    free(paths[i]);
  }
  free(files);
  free(paths);
  return ok ? PM_EXIT_OK : fail(&error);
}

/* --- all calls --- */

static void advance(run_state *s) {
  if (s->call == 1) return;
  pm_iteration_advance(&s->it);
  if (s->options->check) pm_iteration_advance(&s->reference);
}

/* The interpreter goes along call by call, so that the first difference is found where it arises. */
static int run_calls(run_state *s) {
  const pm_run_options *o = s->options;
  int code = PM_EXIT_OK;
  s->progress = pm_progress_begin(TOOL, o->call.progress);
  for (s->call = 1; code == PM_EXIT_OK; s->call++) {
    advance(s);
    pm_progress_update(&s->progress, (double)(s->call - 1) / (double)o->repeat, "call %zu of %zu", s->call,
                       o->repeat);
    code = call_native(s);
    if (code == PM_EXIT_OK) code = fetch_outputs(s);
    if (code == PM_EXIT_OK && o->check) code = check(s);
    if (code == PM_EXIT_OK) code = write_outputs(s);
    if (s->call == o->repeat) break;
  }
  pm_progress_end(&s->progress);
  pm_native_forget(s->variants[0].native);
  return code;
}

static int measure(run_state *s, pm_bench *b) {
  const pm_run_options *o = s->options;
  s->progress = pm_progress_begin(TOOL, o->call.progress);
  int code = pm_measure(b, o->bench_rounds, o->bench_seconds, &s->progress);
  pm_progress_end(&s->progress);
  if (!code) code = pm_measure_kernels(b);
  if (!code && b->profile)
    code = pm_profile_measure(&s->profile, &s->it.call, o->bench_rounds, o->bench_seconds);
  if (!code && b->n_variants > 1) code = pm_compare_variants(b);
  return code;
}

static int write_bench(const run_state *s, const pm_bench *b) {
  pm_buf text = {0}, error = {0};
  pm_put_bench_json(b, &text);
  bool ok = pm_write_bytes(s->options->bench_json, &text, &error);
  pm_buf_free(&text);
  return ok ? PM_EXIT_OK : fail(&error);
}

/* Under strict rules ways to optimize compute the same bits; what the user compares with should compute the
 * same in any case. */
static int judge_variant(const pm_bench *b, const pm_variant *v) {
  pm_buf error = {0};
  if (!v->differing || !(b->exact || v->given)) return PM_EXIT_OK;
  pm_failf(&error, "%lld values of %s differ%s", (long long)v->differing, v->text,
           v->given ? "" : " under --fp=strict: this is a bug");
  fail(&error);
  return v->given ? PM_EXIT_INPUT : PM_EXIT_BUG;
}

static int judge(const pm_bench *b) {
  int code = PM_EXIT_OK;
  for (size_t i = 1; i < b->n_variants && code == PM_EXIT_OK; i++) code = judge_variant(b, &b->variants[i]);
  return code;
}

static int bench(run_state *s) {
  pm_buf error = {0};
  pm_iteration kept;
  if (!pm_iteration_init(&kept, s->callable, &s->sig, &s->args, &s->feeds, &error)) return fail(&error);
  pm_bench b = {.callable = s->callable,
                .variants = s->variants,
                .n_variants = s->n_variants,
                .it = &s->it,
                .kept = &kept,
                .repeat = s->options->repeat,
                .remarks = s->remarks,
                .profile = s->options->profile ? &s->profile : NULL,
                .read_seconds = s->options->driver.read_seconds,
                .exact = is_strict(s),
                .tolerance = 1e-5};
  int called = measure(s, &b), code = called ? call_error(s, b.failed, called) : PM_EXIT_OK;
  if (!called) pm_print_bench(&b);
  if (!called && s->options->bench_json) code = write_bench(s, &b);
  if (code == PM_EXIT_OK) code = judge(&b);
  pm_iteration_free(&kept);
  return code;
}

/* --- the whole --- */

/* What cannot be written is told before the program is compiled. */
static bool check_out_names(const pm_run_options *o, pm_buf *error) {
  if (!pm_check_output(o->dump_source, error) || !pm_check_output(o->bench_json, error)) return false;
  for (size_t i = 0; i < o->outputs.len; i++) {
    const char *path = o->outputs.data[i].value;
    if (!pm_image_format_to(path, error)) return false;
    if (!pm_check_output(path, error)) return false;
  }
  return true;
}

/* Those of --against, before the C compiler has worked for long. */
static bool check_files(const pm_run_options *o, pm_buf *error) {
  for (size_t i = 0; i < o->against.len; i++)
    if (o->against.data[i].kind != PM_AGAINST_OPTIONS && access(o->against.data[i].text, R_OK) != 0)
      return pm_failf(error, "cannot open '%s': %s", o->against.data[i].text, strerror(errno));
  return true;
}

/* The interpreter takes long at large sizes. */
static pm_size_choice choice_of(const run_state *s) {
  if (s->options->check) return (pm_size_choice){.usual = MOST_CHECKED / 2, .most = MOST_CHECKED};
  return (pm_size_choice){.usual = pm_usual_size(pm_module_op(s->module)), .most = INT64_MAX};
}

static void say_random(const run_state *s) {
  const pm_bind_options *bind = &s->options->call.bind;
  pm_buf text = {0};
  if (!bind->random) return;
  pm_put_params(&text, &s->sig, &s->args.params);
  printf("random: inputs of seed %llu%s%s\n", (unsigned long long)bind->seed, text.len ? ", with " : "",
         text.len ? text.data : "");
  pm_buf_free(&text);
}

static bool bind(run_state *s, pm_run_options *o, pm_buf *error) {
  const stage_signature *sig = &s->sig;
  o->call.bind.choice = choice_of(s);
  pm_split_channels(&o->call.bind.inputs);
  pm_split_channels(&o->outputs);
  return pm_resolve_names(&o->call.bind.inputs, "--in", "input", sig->inputs.data, sig->inputs.len, error) &&
         pm_resolve_names(&o->outputs, "--out", "output", sig->outputs.data, sig->outputs.len, error) &&
         pm_resolve_names(&o->call.bind.raws, "--raw", "input", sig->inputs.data, sig->inputs.len, error) &&
         check_out_names(o, error) && check_files(o, error) &&
         pm_bind(s->callable, sig, &o->call.bind, &s->args, error);
}

static bool take_sizes(const run_state *s, pm_run_options *o, pm_buf *error) {
  return !o->region.boxes.len || pm_boxes_check(&o->region, &s->args.params, error);
}

/* What the calls read and write. */
static bool prepare(run_state *s, pm_buf *error) {
  const pm_run_options *o = s->options;
  if ((o->repeat > 1 || o->feeds.len > 0) &&
      !pm_resolve_feeds(s->callable, &o->feeds, &s->sig, &s->args, &s->feeds, error))
    return false;
  if (!pm_iteration_init(&s->it, s->callable, &s->sig, &s->args, &s->feeds, error)) return false;
  return !o->check || pm_iteration_init(&s->reference, s->callable, &s->sig, &s->args, &s->feeds, error);
}

/* Unless these are boxes. */
static void warn_of_empty_outputs(const run_state *s) {
  for (size_t i = 0; !s->options->region.boxes.len && i < s->sig.outputs.len; i++) {
    const stage_arg *output = &s->sig.outputs.data[i];
    pm_buf text = {0};
    if (pm_array_count(&s->it.outputs[i])) continue;
    pm_buf_printf(&text, "output @%s has ", output->name->text);
    pm_put_no_points(&text, s->callable, &s->sig, output, &s->args.params);
    pm_print_warning(TOOL, &text);
  }
}

/* Those of the program and of its variants, which may be from different files. */
static bool take_tuned(run_state *s, pm_run_options *o) {
  const pm_params *params = &s->args.params;
  bool ok = pm_take_tuned(&o->driver, o->driver.target, s->module, params, o->call.threads);
  for (size_t i = 0; i < o->against.len && ok; i++) {
    pm_driver_options *variant = &o->against.data[i].driver;
    ok = pm_take_tuned(variant, variant->target, s->module, params, o->call.threads);
  }
  return ok;
}

static int run_bound(run_state *s, pm_run_options *o) {
  say_random(s);
  warn_of_empty_outputs(s);
  if (!o->driver.versions.len && !o->call.bind.random)
    pm_warn_of_estimates(TOOL, &s->sig, &s->args.params, &o->driver.estimates);
  pm_set_called_estimates(&s->sig, &s->args.params);
  if (!take_tuned(s, o)) return PM_EXIT_INPUT;
  int code = compile_variants(s);
  if (code == PM_EXIT_OK && o->profile) code = compile_profile(s);
  if (code == PM_EXIT_OK) code = run_calls(s);
  if (code == PM_EXIT_OK && o->bench) code = bench(s);
  return code;
}

static void free_variants(run_state *s) {
  for (size_t i = 0; i < s->n_variants; i++) {
    pm_native_free(s->variants[i].native);
    free(s->variants[i].source);
    PM_VEC_FREE(s->variants[i].kernels);
  }
  free(s->variants);
}

/* The sizes are those of the inputs, or of --param alone. */
static int print_needs(run_state *s, pm_run_options *o) {
  pm_buf error = {0};
  bool given = o->call.bind.inputs.len > 0;
  stage_signature scalars = s->sig;
  memset(&scalars.inputs, 0, sizeof scalars.inputs);
  bool ok = given ? bind(s, o, &error)
                  : pm_solve_sizes(s->callable, &scalars, &o->call.bind.params, NULL, NULL, &s->args.params,
                                   &error);
  ok = ok && pm_boxes_check(&o->region, &s->args.params, &error);
  if (!ok) return fail(&error);
  return pm_boxes_print_needs(&o->region, &s->sig, &s->args.params, &o->driver) ? PM_EXIT_OK : PM_EXIT_INPUT;
}

static int run_pipeline(run_state *s, pm_run_options *options) {
  pm_buf error = {0};
  s->n_variants = 1 + options->against.len;
  s->variants = pm_xcalloc(s->n_variants, sizeof *s->variants);
  pm_callable_signature(s->callable, &s->sig);
  double begin = all_seconds(), clock = pm_clock_seconds();
  bool bound =
      !options->needs && bind(s, options, &error) && take_sizes(s, options, &error) && prepare(s, &error);
  s->begin += all_seconds() - begin;
  s->clock += pm_clock_seconds() - clock;
  int code = options->needs ? print_needs(s, options) : bound ? run_bound(s, options) : fail(&error);
  free_variants(s);
  pm_profile_free(&s->profile);
  free(s->entry);
  pm_iteration_free(&s->reference);
  pm_iteration_free(&s->it);
  PM_VEC_FREE(s->feeds);
  pm_arguments_free(&s->args);
  stage_signature_free(&s->sig);
  return code;
}

/* What this run needs of the program: all of it, or its interface, where an earlier run has kept that and may
 * have kept what was compiled. */
static void read_program(run_state *s, pm_run_options *o) {
  bool any = s->cache.is_open && !o->check && !o->against.len;
  pm_buf key = {0};
  if (s->cache.is_open) pm_interface_put_key(&o->driver, &key);
  if (key.len) pm_buf_put(&key, s->version.data, s->version.len);
  s->module = any ? pm_interface_find(&s->cache, &key, o->driver.ctx, &s->hash) : NULL;
  s->interface_only = s->module != NULL;
  if (!s->module) s->module = pm_driver_read(&o->driver);
  s->callable = s->module ? pm_driver_callable(s->module, &o->driver) : NULL;
  if (s->callable && !pm_is(s->callable, &stage_pipeline)) pm_cache_close(&s->cache);
  if (s->callable && !s->interface_only && s->cache.is_open) {
    pm_put_program_hash(s->module, &s->hash);
    pm_interface_keep(&s->cache, &key, s->module, &s->hash);
  }
  pm_buf_free(&key);
}

/* Options about stages are refused of what has none any more. */
static bool has_stages(const run_state *s, const pm_run_options *o) {
  const char *option = o->region.boxes.len       ? "--region"
                       : o->profile              ? "--profile"
                       : o->driver.versions.len  ? "--version-for"
                       : o->driver.tuned         ? "--tuned"
                       : o->driver.estimates.len ? "--estimate"
                                                 : NULL;
  pm_buf error = {0};
  if (!option || pm_is(s->callable, &stage_pipeline)) return true;
  pm_failf(&error, "%s is about stages, but @%s is a loop.func", option, pm_callable_name(s->callable)->text);
  return fail(&error) == PM_EXIT_OK;
}

/* The boxes of --region take the place of the whole outputs. */
static bool take_region(run_state *s, pm_run_options *o) {
  pm_buf error = {0};
  if (!o->region.boxes.len) return true;
  bool ok = pm_boxes_take(&o->region, s->callable, &o->call.bind.params, &error);
  s->callable = ok ? o->region.pipeline : NULL;
  if (!ok && error.len) fail(&error);
  return ok;
}

static int run(pm_run_options *options) {
  run_state s = {.options = options, .remarks = &options->driver.remarks};
  int code = PM_EXIT_INPUT;
  s.begin = all_seconds();
  s.clock = pm_clock_seconds();
  if (may_be_kept(options, &options->driver)) pm_tool_cache_open(&s.cache, TOOL);
  if (s.cache.is_open) pm_put_process_version(&s.version);
  pm_driver_load(&options->driver, options->driver.target);
  read_program(&s, options);
  if (s.callable && has_stages(&s, options) && take_region(&s, options)) code = run_pipeline(&s, options);
  if (s.module) pm_module_free(s.module);
  pm_buf_free(&s.hash);
  pm_buf_free(&s.version);
  pm_cache_close(&s.cache);
  return code;
}

/* What was printed must have arrived. */
static int finish_output(int code) {
  pm_buf error = {0};
  if (fflush(stdout) == 0 && !ferror(stdout)) return code;
  pm_failf(&error, "cannot write to standard output: %s", strerror(errno));
  return fail(&error);
}

int main(int argc, char **argv) {
  pm_run_options options = {.driver.tool = TOOL};
  pm_tool_begin();
  pm_run_options_parse(&options, argc, argv);
  int code = finish_output(run(&options));
  pm_run_options_free(&options);
  return code;
}
