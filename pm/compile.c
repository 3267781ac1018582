#include "pm/compile.h"

#include "dialects/dialects.h"
#include "dialects/loop/loop.h"
#include "dialects/machine/machine.h"
#include "dialects/stage/stage.h"
#include "frontends/halide/schedule_file.h"
#include "passes/passes.h"
#include "pm/pipeline_text.h"
#include "pm/pipelines.h"

#include <stdlib.h>
#include <string.h>

pm_context *pm_library_context(void) {
  pm_context *ctx = pm_context_new();
  pm_register_all_dialects(ctx);
  pm_register_all_passes(ctx);
  pm_register_all_targets(ctx);
  pm_register_all_frontends(ctx);
  pm_register_all_pipelines(ctx);
  return ctx;
}

/* --- reading --- */

/* Fails, naming the language that it is for, when an option is given that the frontend does not have. */
static bool has_own_options(const pm_context *ctx, const pm_frontend *frontend, const char *file,
                            const pm_choices *choices, pm_buf *error) {
  const char *foreign = choices->values ? pm_frontend_foreign_option(choices->values, frontend) : NULL;
  const pm_frontend *owner = NULL;
  for (size_t i = 0; foreign && !owner && i < pm_frontend_count(ctx); i++)
    if (pm_find_frontend_option(pm_frontend_at(ctx, i), foreign)) owner = pm_frontend_at(ctx, i);
  if (!foreign) return true;
  if (!owner) return pm_failf(error, "no language has an option '%s'", foreign);
  return pm_failf(error, "%s%s is for %s programs; '%s' is %s", pm_option_dashes(foreign), foreign,
                  owner->language, file, frontend->language);
}

/* NULL with an error. */
static pm_module *with_estimates(pm_module *module, const pm_choices *choices, pm_buf *error) {
  if (!module || !choices->estimates || pm_set_estimates(module, choices->estimates, error)) return module;
  pm_module_free(module);
  return NULL;
}

/* Schedules may be of groups of work-items. */
static bool has_groups(const pm_choices *choices) {
  return choices->target && (choices->target->has & PM_TARGET_GROUPS);
}

static bool has_no_schedule(const pm_choices *choices) {
  return choices->schedule && strcmp(choices->schedule, "none") == 0;
}

/* NULL after diagnostics. */
static pm_module *with_schedule(pm_module *module, const pm_choices *choices) {
  bool ok = true;
  if (!choices->schedule || has_no_schedule(choices)) return module;
  PM_FOR_OPS(op, pm_module_body(module))
  if (pm_is(op, &stage_pipeline))
    ok = ok && halide_apply_schedule(op, choices->schedule, has_groups(choices));
  if (ok) return module;
  pm_module_free(module);
  return NULL;
}

pm_module *pm_read_program(pm_context *ctx, const pm_frontend *frontend, const char *file, const char *text,
                           size_t len, const pm_choices *choices, pm_buf *error) {
  pm_frontend_input input = {.file = file,
                             .text = text,
                             .len = len,
                             .fp = choices->fp,
                             .has_groups = has_groups(choices),
                             .no_schedule = has_no_schedule(choices),
                             .values = choices->values ? choices->values->values.data : NULL,
                             .n_values = choices->values ? choices->values->values.len : 0};
  bool ok = has_own_options(ctx, frontend, file, choices, error);
  pm_module *module = ok ? frontend->read(ctx, &input) : NULL;
  if (module && choices->fp) pm_set_fp(module, choices->fp);
  return module ? with_estimates(with_schedule(module, choices), choices, error) : NULL;
}

pm_op *pm_only_pipeline(pm_module *module, const char *file, pm_buf *error) {
  pm_op *found = NULL;
  unsigned n = 0;
  PM_FOR_OPS(op, pm_module_body(module)) {
    if (!pm_is(op, &stage_pipeline)) continue;
    found = op;
    n++;
  }
  if (n == 1) return found;
  pm_failf(error, "'%s' has %u pipelines (stage.pipeline), but this needs exactly one", file, n);
  return NULL;
}

const char *pm_fp_of(const pm_op *callable) {
  pm_string fp = pm_sym_at(callable, pm_is(callable, &stage_pipeline) ? stage_pipeline_fp : loop_func_fp);
  return fp ? fp->text : "contract";
}

const char *pm_strictest_fp(pm_module *module) {
  static const char *const order[] = {"strict", "contract", "fast"};
  size_t strictest = PM_COUNT(order);
  PM_FOR_OPS(op, pm_module_body(module)) {
    bool computes = pm_is(op, &stage_pipeline) || (pm_is(op, &loop_func) && !pm_attr_at(op, loop_func_of));
    if (!computes) continue;
    for (size_t i = 0; i < strictest; i++)
      if (strcmp(pm_fp_of(op), order[i]) == 0) strictest = i;
  }
  return order[strictest == PM_COUNT(order) ? 1 : strictest];
}

void pm_set_fp(pm_module *module, const char *fp) {
  pm_attr attr = pm_get_string_attr(pm_module_context(module), pm_str_of(fp));
  PM_FOR_OPS(op, pm_module_body(module)) {
    if (pm_is(op, &stage_pipeline)) pm_set_attr(op, stage_pipeline_fp, attr);
    if (pm_is(op, &loop_func)) pm_set_attr(op, loop_func_fp, attr);
  }
}

/* --- passes --- */

static void replace_text(char **text, char *by) {
  free(*text);
  *text = by;
}

/* Options of a pass by themselves, so that a message shows these and not the whole text. */
static bool are_options(pm_context *ctx, const char *flag, const char *setting) {
  pm_pass_manager *manager = pm_pass_manager_new(ctx);
  bool ok = pm_parse_pipeline(manager, flag, setting);
  pm_pass_manager_free(manager);
  return ok;
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

static bool apply_settings(pm_context *ctx, char **text, const char *flag, const char *const *settings,
                           size_t n, pm_buf *error) {
  for (size_t i = 0; i < n; i++) {
    char *merged = pm_pipeline_merge(*text, settings[i]);
    if (!merged) return pm_failf(error, "%s %s: the pipeline has no such pass", flag, settings[i]);
    if (!are_options(ctx, flag, settings[i])) return free(merged), false;
    replace_text(text, merged);
  }
  return true;
}

/* The pass that makes the versions goes ahead of all. */
static bool add_versions(char **text, const pm_choices *o, pm_buf *error) {
  pm_buf whole = {0};
  if (!pm_pipeline_has(*text, "dispatch-versions"))
    return pm_failf(error, "--version-for: the pipeline has no pass 'dispatch-versions'");
  pm_buf_puts(&whole, "version-sizes{sizes=\"");
  for (size_t i = 0; i < o->n_versions; i++) pm_buf_printf(&whole, "%s%s", i ? ";" : "", o->versions[i]);
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

static bool apply_options(pm_context *ctx, char **text, const pm_choices *o, pm_buf *error) {
  if (!apply_settings(ctx, text, "--tuned", o->tuned, o->n_tuned, error)) return false;
  if (o->n_versions && !add_versions(text, o, error)) return false;
  if (o->regions && !add_regions(text, error)) return false;
  if (o->strategy && !set_option(text, "--strategy", "group", "strategy", o->strategy, error)) return false;
  if (o->tile && !set_tile(text, o->tile, error)) return false;
  if (o->inline_stages && !set_inline(text, o->inline_stages, error)) return false;
  if (o->inner && !set_inner(text, o->inner, o->tile != NULL, error)) return false;
  return apply_settings(ctx, text, "--set", o->settings, o->n_settings, error);
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

char *pm_passes_text(pm_context *ctx, const pm_choices *choices, pm_buf *error) {
  char *text = choices->pass_pipeline ? expand_pipeline(ctx, "--pass-pipeline", choices->pass_pipeline)
                                      : whole_pipeline(ctx, choices->target);
  if (!text || apply_options(ctx, &text, choices, error)) return text;
  free(text);
  return NULL;
}

char *pm_whole_text(const pm_target *target, const char *text) {
  pm_buf whole = {0};
  pm_buf_puts(&whole, text);
  if (target->finish) pm_buf_printf(&whole, "%s%s", *text ? "," : "", target->finish);
  return pm_buf_take(&whole);
}

void pm_put_inputs(pm_context *ctx, const pm_choices *choices, const char *text, pm_buf *out) {
  const pm_target *target = choices->target;
  const char *name = pm_chosen_machine(choices), *vectors = pm_chosen_vectors(choices);
  pm_machine machine = {0};
  if (!pm_machine_named(ctx, name ? name : "host", &machine)) machine.cores = -1;
  if (vectors) (void)pm_machine_set_vector(&machine, vectors);
  pm_buf_printf(out, "%s\n%s\n%s\n%s\n", target->name, text, target->finish ? target->finish : "",
                choices->parallel ? choices->parallel : "");
  pm_buf_put(out, (const char *)&machine, sizeof machine);
}

/* --- the rest of them --- */

/* The passes of a text, and how many of them the module has been through. */
typedef struct pass_texts {
  pm_op *module;
  PM_VEC(char *) alone;
  PM_VEC(const pm_form *) given; /* by those */
  size_t done;
} pass_texts;

static bool is_given(const pass_texts *p, const pm_form *form) {
  for (size_t i = 0; i < p->given.len; i++)
    if (p->given.data[i] == form) return true;
  return false;
}

static void add_pass(void *user, const pm_pass_desc *pass, const char *alone) {
  pass_texts *p = user;
  PM_VEC_PUSH(p->alone, pm_xstrdup(alone));
  for (const pm_form *const *form = pass->gives; form && *form; form++) {
    if (is_given(p, *form)) continue;
    PM_VEC_PUSH(p->given, *form);
    if (pm_shows_form(p->module, *form)) p->done = p->alone.len - 1;
  }
}

char *pm_rest_of_passes(pm_module *module, const char *text) {
  pass_texts p = {.module = pm_module_op(module)};
  pm_pass_manager *manager = pm_pass_manager_new(pm_module_context(module));
  pm_buf rest = {0};
  bool ok = pm_parse_pipeline(manager, "--pass-pipeline", text);
  if (ok) pm_each_pass(manager, add_pass, &p);
  for (size_t i = p.done; i < p.alone.len; i++)
    pm_buf_printf(&rest, "%s%s", i > p.done ? "," : "", p.alone.data[i]);
  for (size_t i = 0; i < p.alone.len; i++) free(p.alone.data[i]);
  PM_VEC_FREE(p.alone);
  PM_VEC_FREE(p.given);
  pm_pass_manager_free(manager);
  if (!ok || p.done) return ok ? pm_buf_take(&rest) : NULL;
  pm_buf_free(&rest);
  return pm_xstrdup(text);
}

/* --- running --- */

const char *pm_chosen_machine(const pm_choices *choices) {
  bool exact;
  if (choices->machine) return choices->machine;
  if (choices->target && choices->target->machine) return choices->target->machine;
  return pm_machine_of_processor(choices->triple, choices->cpu, &exact);
}

/* A machine that a processor is of has its vectors. A triple alone is a generic processor, of this computer
 * too. */
const char *pm_chosen_vectors(const pm_choices *choices) {
  bool exact, has_machine = choices->machine || (choices->target && choices->target->machine);
  if (choices->vector) return choices->vector;
  if (has_machine && choices->cpu) return pm_machine_of_processor(choices->triple, choices->cpu, &exact);
  bool own = pm_is_own_processor(choices->triple, NULL), generic = choices->triple && !choices->cpu;
  return own && generic && !has_machine ? pm_generic_machine(choices->triple) : NULL;
}

/* Where the machine is not that of the processor. */
static void say_machine(pm_module *module, const pm_choices *choices) {
  bool exact;
  pm_context *ctx = pm_module_context(module);
  const char *machine = pm_machine_of_processor(choices->triple, choices->cpu, &exact);
  if (exact || choices->machine || (choices->target && choices->target->machine)) return;
  pm_remark(
      ctx, pm_module_op(module)->loc, PM_REMARK_ANALYSIS, "machine", NULL, 0,
      "groups and tiles are for the machine %s: %s%s has no description of its own; --machine takes one",
      machine, choices->cpu ? "the processor " : "", choices->cpu ? choices->cpu : choices->triple);
}

bool pm_prepare_module(pm_module *module, const pm_choices *choices) {
  pm_context *ctx = pm_module_context(module);
  unsigned errors = pm_error_count(ctx);
  pm_set_machine(module, pm_chosen_machine(choices), 0);
  if (pm_chosen_vectors(choices)) pm_set_vector(module, pm_chosen_vectors(choices));
  say_machine(module, choices);
  pm_set_usual_estimates(module, pm_usual_size(pm_module_op(module)));
  return pm_set_parallel(choices->target, module, choices->parallel) && pm_error_count(ctx) == errors;
}

bool pm_run_text(pm_module *module, const char *text, const pm_choices *choices,
                 const pm_run_config *config) {
  if (!pm_prepare_module(module, choices)) return false;
  char *rest = choices->pass_pipeline ? pm_xstrdup(text) : pm_rest_of_passes(module, text);
  pm_pass_manager *manager = pm_pass_manager_new(pm_module_context(module));
  bool ok =
      rest && pm_parse_pipeline(manager, "--pass-pipeline", rest) && pm_run_passes(manager, module, config);
  pm_pass_manager_free(manager);
  free(rest);
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
