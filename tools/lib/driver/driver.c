#include "tools/lib/driver/driver.h"

#include "dialects/dialects.h"
#include "dialects/machine/machine.h"
#include "dialects/stage/stage.h"
#include "frontends/halide/schedule_file.h"
#include "ir/text.h"
#include "passes/passes.h"
#include "tools/lib/driver/numbers.h"
#include "tools/lib/driver/pipeline_text.h"
#include "tools/lib/driver/pipelines.h"
#include "tools/lib/driver/process.h"

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
  pm_context *ctx = pm_context_new();
  pm_register_all_dialects(ctx);
  pm_register_all_passes(ctx);
  pm_register_all_targets(ctx);
  pm_register_all_frontends(ctx);
  pm_register_all_pipelines(ctx);
  return ctx;
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

/* --- reading --- */

const pm_frontend *pm_driver_frontend(const pm_driver_options *options) {
  return options->from ? options->from : pm_frontend_of_file(options->ctx, options->program);
}

/* Fails, naming the language that it is for, when an option is given that the frontend does not have. */
static bool has_own_options(const pm_driver_options *options, const pm_frontend *frontend) {
  const char *foreign = pm_frontend_foreign_option(&options->frontend, frontend);
  const pm_frontend *owner = NULL;
  pm_buf error = {0};
  for (size_t i = 0; foreign && !owner; i++)
    if (pm_find_frontend_option(pm_frontend_at(options->ctx, i), foreign))
      owner = pm_frontend_at(options->ctx, i);
  if (!owner) return true;
  pm_failf(&error, "%s%s is for %s programs; '%s' is %s", pm_option_dashes(foreign), foreign, owner->language,
           options->program, frontend->language);
  return fail(options, &error);
}

/* NULL after a message. */
static pm_module *with_estimates(pm_module *module, const pm_driver_options *options) {
  pm_buf error = {0};
  if (!module || pm_set_estimates(module, &options->estimates, &error)) return module;
  fail(options, &error);
  pm_module_free(module);
  return NULL;
}

/* Schedules may be of groups of work-items. */
static bool has_groups(const pm_driver_options *options) {
  return options->target && (options->target->has & PM_TARGET_GROUPS);
}

/* NULL after diagnostics. */
static pm_module *with_schedule(pm_module *module, const pm_driver_options *options) {
  bool ok = true;
  if (!options->schedule || strcmp(options->schedule, "none") == 0) return module;
  PM_FOR_OPS(op, pm_module_body(module))
  if (pm_is(op, &stage_pipeline))
    ok = ok && halide_apply_schedule(op, options->schedule, has_groups(options));
  if (ok) return module;
  pm_module_free(module);
  return NULL;
}

static pm_module *read_text(const char *text, size_t len, const pm_frontend *frontend,
                            const pm_driver_options *options) {
  pm_frontend_input input = {.file = options->program,
                             .text = text,
                             .len = len,
                             .fp = options->fp,
                             .has_groups = has_groups(options),
                             .no_schedule = options->schedule && strcmp(options->schedule, "none") == 0,
                             .values = options->frontend.values.data,
                             .n_values = options->frontend.values.len};
  pm_module *module = has_own_options(options, frontend) ? frontend->read(options->ctx, &input) : NULL;
  if (module && options->fp) pm_driver_set_fp(module, options->fp);
  return module ? with_estimates(with_schedule(module, options), options) : NULL;
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
  pm_op *found = NULL;
  unsigned n = 0;
  PM_FOR_OPS(op, pm_module_body(module)) {
    if (!pm_is(op, &stage_pipeline)) continue;
    found = op;
    n++;
  }
  if (n == 1) return found;
  pm_buf error = {0};
  pm_failf(&error, "'%s' has %u pipelines (stage.pipeline), but this needs exactly one", options->program, n);
  fail(options, &error);
  return NULL;
}

const char *pm_driver_fp(const pm_op *pipeline) {
  pm_string fp = pm_sym_at(pipeline, stage_pipeline_fp);
  return fp ? fp->text : "contract";
}

void pm_driver_set_fp(pm_module *module, const char *fp) {
  pm_context *ctx = pm_module_context(module);
  PM_FOR_OPS(op, pm_module_body(module))
  if (pm_is(op, &stage_pipeline)) pm_set_attr(op, stage_pipeline_fp, pm_get_string_attr(ctx, pm_str_of(fp)));
}

/* --- the pipeline text --- */

static void replace_text(char **text, char *by) {
  free(*text);
  *text = by;
}

/* Sets an option of a pass that must be there. */
static bool set_option(char **text, const char *flag, const char *pass, const char *option, const char *value,
                       pm_buf *error) {
  if (!pm_pipeline_has(*text, pass)) return pm_failf(error, "%s: the pipeline has no pass '%s'", flag, pass);
  replace_text(text, pm_pipeline_set(*text, pass, option, value));
  return true;
}

/* The tile sizes also judge the overlap of a group, and are those of groups that say others. */
static bool set_tile(char **text, const char *sizes, pm_buf *error) {
  bool none = strcmp(sizes, "none") == 0;
  if (!set_option(text, "--tile", "tile", "sizes", none ? "" : sizes, error)) return false;
  replace_text(text, pm_pipeline_set(*text, "tile", "own", "false"));
  if (!none && pm_pipeline_has(*text, "group"))
    replace_text(text, pm_pipeline_set(*text, "group", "tile", sizes));
  return true;
}

/* Those of groups that say others, too. */
static bool set_inner(char **text, const char *sizes, bool has_tile, pm_buf *error) {
  if (!set_option(text, "--inner", "tile", "inner", strcmp(sizes, "none") == 0 ? "" : sizes, error))
    return false;
  if (!has_tile) replace_text(text, pm_pipeline_set(*text, "tile", "own", "tile"));
  return true;
}

static bool set_inline(char **text, const char *on, pm_buf *error) {
  bool has = pm_pipeline_has(*text, "inline-stages");
  if (strcmp(on, "0") == 0) {
    if (has) replace_text(text, pm_pipeline_drop(*text, "inline-stages"));
    return true;
  }
  return has || pm_failf(error, "--inline=1: the pipeline has no pass 'inline-stages'");
}

static bool apply_settings(char **text, const char *flag, const char *const *settings, size_t n,
                           pm_buf *error) {
  for (size_t i = 0; i < n; i++) {
    char *merged = pm_pipeline_merge(*text, settings[i]);
    if (!merged) return pm_failf(error, "%s %s: the pipeline has no such pass", flag, settings[i]);
    replace_text(text, merged);
  }
  return true;
}

/* The pass that makes the versions goes ahead of all. */
static bool add_versions(char **text, const pm_driver_options *o, pm_buf *error) {
  pm_buf whole = {0};
  if (!pm_pipeline_has(*text, "dispatch-versions"))
    return pm_failf(error, "--version-for: the pipeline has no pass 'dispatch-versions'");
  pm_buf_puts(&whole, "version-sizes{sizes=\"");
  for (size_t i = 0; i < o->versions.len; i++)
    pm_buf_printf(&whole, "%s%s", i ? ";" : "", o->versions.data[i]);
  pm_buf_printf(&whole, "\"},%s", *text);
  replace_text(text, pm_buf_take(&whole));
  return true;
}

/* The pass that makes them goes ahead of all: versions are of boxes, too. */
static bool add_regions(char **text, pm_buf *error) {
  pm_buf whole = {0};
  if (!pm_pipeline_has(*text, "lower-poly"))
    return pm_failf(error, "--regions: the pipeline has no pass 'lower-poly'");
  pm_buf_printf(&whole, "region-entries,%s", *text);
  replace_text(text, pm_buf_take(&whole));
  return true;
}

static bool apply_options(char **text, const pm_driver_options *o, pm_buf *error) {
  if (!apply_settings(text, "--tuned", o->tuned_settings.data, o->tuned_settings.len, error)) return false;
  if (o->versions.len && !add_versions(text, o, error)) return false;
  if (o->regions && !add_regions(text, error)) return false;
  if (o->strategy && !set_option(text, "--strategy", "group", "strategy", o->strategy, error)) return false;
  if (o->tile && !set_tile(text, o->tile, error)) return false;
  if (o->inline_stages && !set_inline(text, o->inline_stages, error)) return false;
  if (o->inner && !set_inner(text, o->inner, o->tile != NULL, error)) return false;
  return apply_settings(text, "--set", o->settings.data, o->settings.len, error);
}

/* The text with passes in place of the names of pipelines: to be freed; NULL after a message. */
static char *expand_pipeline(pm_context *ctx, const char *where, const char *text) {
  pm_pass_manager *manager = pm_pass_manager_new(ctx);
  pm_buf expanded = {0};
  bool ok = pm_parse_pipeline(manager, where, text);
  if (ok) pm_print_given_pipeline(manager, &expanded);
  pm_pass_manager_free(manager);
  return ok ? pm_buf_take(&expanded) : NULL;
}

/* The pipeline of the target: to be freed; NULL after a message. */
static char *whole_pipeline(pm_context *ctx, const pm_target *target) {
  pm_buf whole = {0};
  pm_buf_printf(&whole, "%s%s%s", target->schedule, *target->schedule && *target->lower ? "," : "",
                target->lower);
  char *text = expand_pipeline(ctx, target->name, whole.data);
  pm_buf_free(&whole);
  return text;
}

char *pm_driver_pipeline_text(const pm_target *target, const pm_driver_options *options) {
  char *text = options->pass_pipeline
                   ? expand_pipeline(options->ctx, "--pass-pipeline", options->pass_pipeline)
                   : whole_pipeline(options->ctx, target);
  pm_buf error = {0};
  bool ok = !text || apply_options(&text, options, &error);
  if (ok) return text;
  fail(options, &error);
  free(text);
  return NULL;
}

/* --- running --- */

const char *pm_driver_machine(const pm_target *target, const pm_driver_options *options) {
  return options->machine ? options->machine : target ? target->machine : NULL;
}

static const char *vector_set(const pm_driver_options *options) {
  return options->vector ? options->vector : pm_vector_set_of(options->triple, options->cpu);
}

/* Of the machine what it is, not what it is called. */
void pm_driver_put_inputs(const char *text, const pm_target *target, const pm_driver_options *options,
                          pm_buf *out) {
  const char *name = pm_driver_machine(target, options);
  pm_machine machine = {0};
  if (!pm_machine_named(options->ctx, name ? name : "host", &machine)) machine.cores = -1;
  if (vector_set(options)) (void)pm_machine_set_vector(&machine, vector_set(options));
  pm_buf_printf(out, "%s\n%s\n%s\n%s\n", target->name, text, target->finish ? target->finish : "",
                options->parallel ? options->parallel : "");
  pm_buf_put(out, (const char *)&machine, sizeof machine);
}

bool pm_driver_run(pm_module *module, const char *text, const pm_target *target,
                   const pm_driver_options *options) {
  unsigned errors = pm_error_count(options->ctx);
  pm_set_machine(module, pm_driver_machine(target, options), 0);
  if (vector_set(options)) pm_set_vector(module, vector_set(options));
  pm_set_usual_estimates(module, pm_usual_size(pm_module_op(module)));
  if (!pm_set_parallel(target, module, options->parallel) || pm_error_count(options->ctx) > errors)
    return false;
  pm_pass_manager *manager = pm_pass_manager_new(pm_module_context(module));
  pm_buf report = {0};
  pm_run_config config = pm_default_run_config();
  config.timing = options->timing;
  config.reproducer = options->reproducer;
  config.dump_dir = options->dump_ir;
  config.warn_idle = options->pass_pipeline != NULL;
  config.report = &report;
  bool ok = pm_parse_pipeline(manager, "--pass-pipeline", text) &&
            pm_run_guarded(options->tool, manager, module, &config);
  if (report.len) fputs(report.data, stderr);
  pm_buf_free(&report);
  pm_pass_manager_free(manager);
  return ok;
}

/* The pipeline, with what the target wants behind it. */
static bool run_for(pm_module *module, const char *text, const pm_target *target,
                    const pm_driver_options *options) {
  pm_buf whole = {0};
  pm_buf_puts(&whole, text);
  if (target->finish) pm_buf_printf(&whole, "%s%s", *text ? "," : "", target->finish);
  bool ok = pm_driver_run(module, whole.len ? whole.data : "", target, options);
  pm_buf_free(&whole);
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

void pm_put_single_file(pm_buf *out, const pm_target_output *c, const char *header_name) {
  pm_buf include = {0};
  pm_buf_printf(&include, "#include \"%s\"\n", header_name);
  const char *at = c->source.data ? strstr(c->source.data, include.data) : NULL;
  size_t before = at ? (size_t)(at - c->source.data) : 0, after = at ? before + include.len : 0;
  pm_buf_put(out, c->source.data, before);
  if (at) pm_buf_put(out, c->header.data, c->header.len);
  pm_buf_put(out, c->source.data + after, c->source.len - after);
  pm_buf_free(&include);
}
