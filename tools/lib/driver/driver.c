#include "tools/lib/driver/driver.h"

#include "dialects/machine/machine.h"
#include "pm/compile.h"
#include "dialects/isl/number_pool.h"
#include "tools/lib/driver/dumps.h"
#include "tools/lib/driver/process.h"
#include "tools/lib/images/callable.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void pm_driver_options_free(pm_driver_options *options) {
  if (options->loading) options->loading->load(true);
  pm_say_costliest(options->ctx, &options->remarks);
  pm_remark_list_free(&options->remarks);
  for (size_t i = 0; i < options->owned.len; i++) free(options->owned.data[i]);
  PM_VEC_FREE(options->owned);
  PM_VEC_FREE(options->versions);
  PM_VEC_FREE(options->settings);
  PM_VEC_FREE(options->tuned_settings);
  PM_VEC_FREE(options->estimates);
  pm_frontend_values_free(&options->frontend);
  if (options->ctx) pm_frontend_argps_free(options->frontends, pm_frontend_count(options->ctx));
  free(options->children);
  pm_context_free(options->ctx);
}

pm_context *pm_driver_context(void) {
  pm_pool_numbers();
  return pm_library_context();
}

static pm_choices choices_of(const pm_driver_options *options, const pm_target *target) {
  return (pm_choices){.target = target,
                      .pass_pipeline = options->pass_pipeline,
                      .fp = options->fp,
                      .machine = options->machine,
                      .vector = options->vector,
                      .strategy = options->strategy,
                      .tile = options->tile,
                      .inner = options->inner,
                      .inline_stages = options->inline_stages,
                      .schedule = options->schedule,
                      .cpu = options->cpu,
                      .triple = options->triple,
                      .parallel = options->parallel,
                      .values = &options->frontend,
                      .estimates = &options->estimates,
                      .versions = options->versions.data,
                      .tuned = options->tuned_settings.data,
                      .settings = options->settings.data,
                      .n_versions = options->versions.len,
                      .n_tuned = options->tuned_settings.len,
                      .n_settings = options->settings.len,
                      .regions = options->regions};
}

char *pm_driver_target_names(const pm_context *ctx) {
  pm_buf names = {0};
  for (size_t i = 0; i < pm_target_count(ctx); i++)
    pm_buf_printf(&names, "%s%s", i ? ", " : "", pm_target_at(ctx, i)->name);
  return pm_buf_take(&names);
}

static bool fail(const pm_driver_options *options, pm_buf *error) {
  pm_print_error(options->tool, error);
  return false;
}

/* What failed with diagnostics has left none. */
static void say_error(const pm_driver_options *options, pm_buf *error) {
  if (error->len) pm_print_error(options->tool, error);
}

/* --- reading --- */

const pm_frontend *pm_driver_frontend(const pm_driver_options *options) {
  if (options->from) return options->from;
  if (strcmp(options->program, "-") == 0) return pm_find_frontend(options->ctx, "pmir");
  return pm_frontend_of_file(options->ctx, options->program);
}

/* ".py, .pm or .pmir", of all frontends. */
static void put_extensions(pm_buf *out, const pm_context *ctx) {
  PM_VEC(const char *) all = {0};
  for (size_t i = 0; i < pm_frontend_count(ctx); i++)
    for (const char *const *e = pm_frontend_at(ctx, i)->extensions; *e; e++) PM_VEC_PUSH(all, *e);
  for (size_t i = 0; i < all.len; i++)
    pm_buf_printf(out, "%s.%s", i == 0 ? "" : i + 1 < all.len ? ", " : " or ", all.data[i]);
  PM_VEC_FREE(all);
}

static bool unknown_language(const pm_driver_options *options) {
  pm_buf error = {0}, known = {0};
  put_extensions(&known, options->ctx);
  pm_failf(&error, "the name of '%s' does not tell its language (%s); give --from", options->program,
           known.data);
  pm_buf_free(&known);
  return fail(options, &error);
}

static bool cannot_open(const pm_driver_options *options) {
  pm_buf error = {0};
  pm_failf(&error, "cannot open '%s': %s", options->program, strerror(errno));
  return fail(options, &error);
}

static pm_module *read_text(const char *text, size_t len, const pm_frontend *frontend,
                            const pm_driver_options *options) {
  pm_choices choices = choices_of(options, options->target);
  pm_buf error = {0};
  pm_module *module = pm_read_program(options->ctx, frontend, options->program, text, len, &choices, &error);
  say_error(options, &error);
  return module;
}

static pm_module *read_program(const pm_driver_options *options) {
  const pm_frontend *frontend = pm_driver_frontend(options);
  size_t len = 0;
  char *text = pm_read_file(options->program, PM_MAX_TEXT, &len);
  bool ok = text ? frontend || unknown_language(options) : cannot_open(options);
  pm_module *module = ok ? read_text(text, len, frontend, options) : NULL;
  free(text);
  return module;
}

void pm_driver_load(pm_driver_options *options, const pm_target *target) {
  if (!target->load) return;
  options->loading = target;
  target->load(false);
}

pm_module *pm_driver_read(pm_driver_options *options) {
  double begin = pm_processor_seconds();
  pm_module *module = read_program(options);
  options->read_seconds = pm_processor_seconds() - begin;
  return module;
}

pm_op *pm_driver_pipeline(pm_module *module, const pm_driver_options *options) {
  pm_buf error = {0};
  pm_op *pipeline = pm_only_pipeline(module, options->program, &error);
  say_error(options, &error);
  return pipeline;
}

pm_op *pm_driver_callable(pm_module *module, const pm_driver_options *options) {
  pm_buf error = {0};
  pm_op *callable = pm_only_callable(module, options->program, &error);
  if (callable && !pm_is_called_with_arrays(callable, &error)) callable = NULL;
  say_error(options, &error);
  return callable;
}

char *pm_driver_pipeline_text(const pm_target *target, const pm_driver_options *options) {
  pm_choices choices = choices_of(options, target);
  pm_buf error = {0};
  char *text = pm_passes_text(options->ctx, &choices, &error);
  say_error(options, &error);
  return text;
}

/* --- running --- */

const char *pm_driver_machine(const pm_target *target, const pm_driver_options *options) {
  pm_choices choices = choices_of(options, target);
  return pm_chosen_machine(&choices);
}

void pm_driver_put_inputs(const char *text, const pm_target *target, const pm_driver_options *options,
                          pm_buf *out) {
  pm_choices choices = choices_of(options, target);
  pm_put_inputs(options->ctx, &choices, text, out);
}

bool pm_driver_run(pm_module *module, const char *text, const pm_target *target,
                   const pm_driver_options *options) {
  pm_choices choices = choices_of(options, target);
  pm_buf report = {0};
  pm_run_config config = pm_default_run_config();
  config.timing = options->timing;
  config.reproducer = options->reproducer;
  config.warn_idle = options->pass_pipeline != NULL;
  config.report = &report;
  pm_dumps *dumps = pm_dumps_new(options->dump_ir, NULL, &config);
  pm_limit_passes(&config, &options->pass_timeout);
  bool ok = pm_run_text_guarded(options->tool, module, text, &choices, &config);
  pm_dumps_free(dumps);
  if (report.len) fputs(report.data, stderr);
  pm_buf_free(&report);
  return ok;
}

/* The pipeline, with what the target wants behind it. */
static bool run_for(pm_module *module, const char *text, const pm_target *target,
                    const pm_driver_options *options) {
  char *whole = pm_whole_text(target, text);
  bool ok = pm_driver_run(module, whole, target, options);
  free(whole);
  return ok;
}

static bool emit(pm_module *module, const char *text, const pm_target *target, const char *header_name,
                 const pm_driver_options *options, pm_target_output *out, double *passes) {
  double begin = pm_processor_seconds();
  if (!run_for(module, text, target, options)) return false;
  *passes = pm_processor_seconds() - begin;
  return pm_emit(target, module, header_name, out);
}

void pm_put_time(const char *what, double seconds) {
  fprintf(stderr, "%11.6f  %s\n", seconds, what);
}

static void put_times(double reading, double passes, double emitting) {
  fputs("from the program's text to the target's, in seconds of the processor\n", stderr);
  pm_put_time("reading", reading);
  pm_put_time("passes", passes);
  pm_put_time("emitting", emitting);
  pm_put_time("total", reading + passes + emitting);
}

bool pm_driver_emit(pm_module *module, const char *text, const pm_target *target, const char *header_name,
                    const pm_driver_options *options, pm_target_output *out) {
  double begin = pm_processor_seconds(), passes = 0;
  *out = (pm_target_output){0};
  bool ok = emit(module, text, target, header_name, options, out, &passes);
  if (!ok) pm_target_output_free(out);
  if (ok && options->timing)
    put_times(options->read_seconds, passes, pm_processor_seconds() - begin - passes);
  return ok;
}
