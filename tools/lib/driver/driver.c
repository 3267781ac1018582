#include "tools/lib/driver/driver.h"

#include "dialects/dialects.h"
#include "dialects/stage/stage.h"
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
  for (size_t i = 0; i < options->owned.len; i++) free(options->owned.data[i]);
  PM_VEC_FREE(options->owned);
  PM_VEC_FREE(options->consts);
  PM_VEC_FREE(options->ranges);
  PM_VEC_FREE(options->live_outs);
  PM_VEC_FREE(options->settings);
}

pm_context *pm_driver_context(void) {
  pm_pool_numbers();
  pm_context *ctx = pm_context_new();
  pm_register_all_dialects(ctx);
  pm_register_all_passes(ctx);
  pm_register_all_targets(ctx);
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

static const char *language_of(const pm_driver_options *options) {
  if (options->from) return options->from;
  const char *dot = strrchr(options->program, '.');
  if (dot && (strcmp(dot, ".py") == 0 || strcmp(dot, ".pm") == 0)) return "polymage";
  return dot && strcmp(dot, ".pmir") == 0 ? "pmir" : NULL;
}

static pm_module *read_polymage(pm_context *ctx, const char *text, size_t len,
                                const pm_driver_options *options) {
  polymage_options p = {.pipeline_name = options->name,
                        .live_outs = options->live_outs.data,
                        .n_live_outs = options->live_outs.len,
                        .consts = options->consts.data,
                        .n_consts = options->consts.len,
                        .ranges = options->ranges.data,
                        .n_ranges = options->ranges.len,
                        .fp = options->fp};
  return polymage_read(ctx, options->program, text, len, &p);
}

static void set_fp(pm_module *module, const char *fp) {
  pm_context *ctx = pm_module_context(module);
  PM_FOR_OPS(op, pm_module_body(module))
  if (pm_is(op, &stage_pipeline)) pm_set_attr(op, stage_pipeline_fp, pm_get_string_attr(ctx, pm_str_of(fp)));
}

static bool only_for_polymage(const pm_driver_options *options) {
  pm_buf error = {0};
  if (options->consts.len) pm_failf(&error, "--const is for PolyMage programs; '%s' is IR", options->program);
  if (options->ranges.len) pm_failf(&error, "--range is for PolyMage programs; '%s' is IR", options->program);
  if (options->name) pm_failf(&error, "--name is for PolyMage programs; '%s' is IR", options->program);
  if (options->live_outs.len)
    pm_failf(&error, "--live-out is for PolyMage programs; '%s' is IR", options->program);
  return error.data && !fail(options, &error);
}

static pm_module *read_text(pm_context *ctx, const char *language, const char *text, size_t len,
                            const pm_driver_options *options) {
  pm_module *module = NULL;
  if (strcmp(language, "polymage") == 0)
    module = read_polymage(ctx, text, len, options);
  else if (!only_for_polymage(options))
    module = pm_parse_module(ctx, options->program, text, len, true);
  if (module && options->fp) set_fp(module, options->fp);
  return module;
}

static pm_module *read_program(pm_context *ctx, const pm_driver_options *options) {
  const char *language = language_of(options);
  pm_buf error = {0};
  size_t len = 0;
  char *text = pm_read_file(options->program, &len);
  if (!text)
    pm_failf(&error, "cannot open '%s': %s", options->program, strerror(errno));
  else if (!language)
    pm_failf(&error, "the name of '%s' does not tell its language (.py, .pm or .pmir); give --from",
             options->program);
  pm_module *module = NULL;
  if (error.data)
    fail(options, &error);
  else
    module = read_text(ctx, language, text, len, options);
  free(text);
  return module;
}

pm_module *pm_driver_read(pm_context *ctx, pm_driver_options *options) {
  double begin = pm_processor_seconds();
  pm_module *module = read_program(ctx, options);
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

static bool apply_settings(char **text, const pm_driver_options *o, pm_buf *error) {
  for (size_t i = 0; i < o->settings.len; i++) {
    char *merged = pm_pipeline_merge(*text, o->settings.data[i]);
    if (!merged) return pm_failf(error, "--set %s: the pipeline has no such pass", o->settings.data[i]);
    replace_text(text, merged);
  }
  return true;
}

static bool apply_options(char **text, const pm_driver_options *o, pm_buf *error) {
  if (o->strategy && !set_option(text, "--strategy", "group", "strategy", o->strategy, error)) return false;
  if (o->tile && !set_tile(text, o->tile, error)) return false;
  if (o->inline_stages && !set_inline(text, o->inline_stages, error)) return false;
  if (o->inner && !set_inner(text, o->inner, o->tile != NULL, error)) return false;
  return apply_settings(text, o, error);
}

static const char *text_of(const char *name_or_text) {
  const char *named = pm_named_pipeline(name_or_text);
  return named ? named : name_or_text;
}

const char *pm_driver_lower_text(const pm_target *target) {
  return text_of(target->lower);
}

/* The pipeline of the target, with its machine in it. */
static char *whole_pipeline(const pm_target *target) {
  pm_buf whole = {0};
  const char *schedule = text_of(target->schedule), *lower = text_of(target->lower);
  pm_buf_printf(&whole, "%s%s%s", schedule, *schedule && *lower ? "," : "", lower);
  char *text = pm_buf_take(&whole);
  if (target->machine && pm_pipeline_has(text, "group"))
    replace_text(&text, pm_pipeline_set(text, "group", "machine", target->machine));
  return text;
}

char *pm_driver_pipeline_text(const pm_target *target, const pm_driver_options *options) {
  char *text = options->pass_pipeline ? pm_xstrdup(text_of(options->pass_pipeline)) : whole_pipeline(target);
  pm_buf error = {0};
  if (apply_options(&text, options, &error)) return text;
  fail(options, &error);
  free(text);
  return NULL;
}

/* --- running --- */

bool pm_driver_run(pm_module *module, const char *text, const pm_driver_options *options) {
  pm_pass_manager *manager = pm_pass_manager_new(pm_module_context(module));
  pm_buf report = {0};
  pm_run_config config = pm_default_run_config();
  config.timing = options->timing;
  config.reproducer = options->reproducer;
  config.dump_dir = options->dump_ir;
  config.report = &report;
  bool ok = pm_parse_pipeline(manager, "--pass-pipeline", text) &&
            pm_run_guarded(options->tool, manager, module, &config);
  if (report.len) fputs(report.data, stderr);
  pm_buf_free(&report);
  pm_pass_manager_free(manager);
  return ok;
}

static bool emit(pm_module *module, const char *text, const pm_target *target, const char *header_name,
                 const pm_driver_options *options, pm_target_output *out, double *passes) {
  double begin = pm_processor_seconds();
  if (!pm_driver_run(module, text, options)) return false;
  *passes = pm_processor_seconds() - begin;
  return pm_emit(target, module, header_name, out);
}

static void put_time(const char *what, double seconds) {
  fprintf(stderr, "%11.6f  %s\n", seconds, what);
}

static void put_times(double reading, double passes, double emitting) {
  fputs("from the program's text to the target's, in seconds of the processor\n", stderr);
  put_time("reading", reading);
  put_time("passes", passes);
  put_time("emitting", emitting);
  put_time("total", reading + passes + emitting);
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
  pm_buf_put(out, c->header.data, c->header.len);
  pm_buf_put(out, c->source.data + after, c->source.len - after);
  pm_buf_free(&include);
}
