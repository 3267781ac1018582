/* Programs of pm.h: each has a heap with its context and module, which a fault throws away as a whole; what
 * the caller gave is outside, so that it can be read anew. */
#include "dialects/machine/machine.h"
#include "pm/compile.h"
#include "pm/function.h"
#include "pm/interface.h"
#include "pm/kept.h"
#include "pm/make.h"
#include "pm/messages.h"
#include "pm/pipeline_text.h"
#include "targets/lib/cc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_THREADS = 4096 };

typedef struct given {
  char *name, *text;
  size_t len;
  pm_options options;
} given;

struct pm_program {
  pm_arena *kept; /* what it was given */
  given given;
  char *error, *reproducer; /* of the last call, or NULL: the process's memory */
  char fault[480];          /* in place of `error`, where there was no memory */
  /* All else is in the heap. */
  pm_heap *heap;
  pm_context *ctx;
  pm_module *module;
  bool interface_only; /* the module is what an earlier process has kept of it */
  pm_buf hash;         /* of the whole program, where programs are kept */
  pm_choices choices;
  pm_frontend_values values;
  pm_estimate_list estimates;
};

/* A call, and what comes of it. */
typedef struct job {
  pm_program *program;
  pm_status status;
  char *text;            /* that was emitted: the process's memory */
  pm_function *function; /* that is made */
  stage_signature sig;
  pm_extents extents;
  const abi_region *region;
  bool is_kept;       /* what is loaded was: no word is said where that fails */
  bool is_warned;     /* of the cache */
  const pm_buf *file; /* that is loaded */
  const char *entry;  /* its function */
} job;

const char *pm_status_name(pm_status status) {
  static const char *const names[] = {"ok", "diagnosed", "refused", "out of memory", "bug"};
  return (size_t)status < PM_COUNT(names) ? names[status] : "unknown status";
}

static pm_heap *new_heap(const pm_program *p) {
  return pm_heap_new(p->given.options.memory, p->given.options.exact_memory);
}

/* --- what a program is given --- */

static char *keep(pm_arena *arena, const char *text) {
  return text ? pm_arena_strndup(arena, text, strlen(text)) : NULL;
}

/* NULL of NULL, which has_all will find, here and below. */
static const char **keep_all(pm_arena *arena, const char *const *texts, size_t n) {
  if (!texts) return NULL;
  const char **kept = pm_arena_alloc(arena, n * sizeof *kept);
  for (size_t i = 0; i < n; i++) kept[i] = keep(arena, texts[i]);
  return kept;
}

static const pm_named_option *keep_named(pm_arena *arena, const pm_named_option *options, size_t n) {
  if (!options) return NULL;
  pm_named_option *kept = pm_arena_alloc(arena, n * sizeof *kept);
  for (size_t i = 0; i < n; i++)
    kept[i] = (pm_named_option){keep(arena, options[i].name), keep(arena, options[i].text)};
  return kept;
}

static void keep_options(pm_arena *arena, pm_options *o) {
  const char **words[] = {&o->language, &o->target,   &o->fp,       &o->machine, &o->vector, &o->passes,
                          &o->schedule, &o->parallel, &o->compiler, &o->flags,   &o->cpu,    &o->features};
  for (size_t i = 0; i < PM_COUNT(words); i++) *words[i] = keep(arena, *words[i]);
  o->language_options = keep_named(arena, o->language_options, o->n_language_options);
  o->estimates = keep_all(arena, o->estimates, o->n_estimates);
  o->settings = keep_all(arena, o->settings, o->n_settings);
}

static void keep_given(void *user) {
  pm_program *p = user;
  p->kept = pm_arena_new();
  p->given.name = keep(p->kept, p->given.name);
  if (p->given.text) p->given.text = pm_arena_strndup(p->kept, p->given.text, p->given.len);
  keep_options(p->kept, &p->given.options);
}

/* --- messages --- */

static void on_diagnostic(void *user, pm_context *ctx, const pm_diag *diag) {
  const pm_program *p = user;
  pm_tell_diagnostic(&p->given.options, ctx, diag);
}

/* An error about the options. */
static bool refuse(pm_program *p, pm_buf *error) {
  pm_error(p->ctx, PM_NO_LOC, "%s", error->data);
  pm_buf_free(error);
  return false;
}

static void forget_errors(pm_program *p) {
  free(p->error);
  free(p->reproducer);
  p->error = p->reproducer = NULL;
  p->fault[0] = 0;
}

/* --- reading --- */

static bool has_texts(const char *list, const char *const *texts, size_t n, pm_buf *error) {
  if (n && !texts) return pm_failf(error, "'%s' is NULL, but has %zu elements", list, n);
  for (size_t i = 0; i < n; i++)
    if (!texts[i]) return pm_failf(error, "element %zu of '%s' is NULL", i, list);
  return true;
}

static bool has_named(const char *list, const pm_named_option *options, size_t n, pm_buf *error) {
  if (n && !options) return pm_failf(error, "'%s' is NULL, but has %zu elements", list, n);
  for (size_t i = 0; i < n; i++)
    if (!options[i].name || !options[i].text)
      return pm_failf(error, "element %zu of '%s' has no name or no text: it is NULL", i, list);
  return true;
}

/* No pointer is NULL that should be something. */
static bool has_all(const given *g, pm_buf *error) {
  const pm_options *o = &g->options;
  if (!g->name) return pm_failf(error, "the name of the program is NULL");
  if (!g->text) return pm_failf(error, "the text of the program is NULL");
  return has_named("language_options", o->language_options, o->n_language_options, error) &&
         has_texts("estimates", o->estimates, o->n_estimates, error) &&
         has_texts("settings", o->settings, o->n_settings, error);
}

static bool is_word_of(const char *word, const char *words) {
  size_t n = word ? strlen(word) : 0;
  for (const char *at = words; word && *at;) {
    size_t len = strcspn(at, "|");
    if (len == n && memcmp(at, word, n) == 0) return true;
    at += len + (at[len] == '|');
  }
  return !word;
}

static const pm_target *first_that_opens(const pm_context *ctx) {
  for (size_t i = 0; i < pm_target_count(ctx); i++)
    if (pm_target_at(ctx, i)->opens) return pm_target_at(ctx, i);
  return NULL;
}

static bool choose_words(pm_program *p, pm_buf *error) {
  const pm_options *o = &p->given.options;
  pm_machine unused = {0};
  if (!is_word_of(o->fp, "strict|contract|fast"))
    return pm_failf(error, "fp is '%s', it should be strict, contract or fast", o->fp);
  if (!is_word_of(o->parallel, PM_PARALLEL))
    return pm_failf(error, "parallel is '%s', it should be %s", o->parallel, PM_PARALLEL);
  if (o->vector && !pm_machine_set_vector(&unused, o->vector))
    return pm_failf(error, "there are no vectors '%s'", o->vector);
  if (o->threads < 0 || o->threads > MOST_THREADS)
    return pm_failf(error, "threads is %d, it should be 0 or as many as %d", o->threads, MOST_THREADS);
  for (size_t i = 0; i < o->n_settings; i++)
    if (!pm_pipeline_is_setting(o->settings[i]))
      return pm_failf(error, "the setting '%s' is not PASS{OPTION=VALUE}", o->settings[i]);
  for (size_t i = 0; i < o->n_estimates; i++)
    if (!pm_is_estimate(o->estimates[i]))
      return pm_failf(error, "the estimate '%s' is not NAME=INTEGER", o->estimates[i]);
  return true;
}

static bool choose_target(pm_program *p, pm_buf *error) {
  const char *name = p->given.options.target;
  const pm_target *target = name ? pm_find_target(p->ctx, name) : first_that_opens(p->ctx);
  p->choices.target = target;
  return target || pm_failf(error, "there is no target '%s'", name ? name : "");
}

static void choose_lists(pm_program *p) {
  const pm_options *o = &p->given.options;
  for (size_t i = 0; i < o->n_estimates; i++) PM_VEC_PUSH(p->estimates, o->estimates[i]);
  for (size_t i = 0; i < o->n_language_options; i++)
    PM_VEC_PUSH(p->values.given,
                ((pm_given_option){o->language_options[i].name, o->language_options[i].text}));
  p->choices.values = &p->values;
  p->choices.estimates = &p->estimates;
  p->choices.settings = o->settings;
  p->choices.n_settings = o->n_settings;
}

/* libgomp ends the process when the system gives it no thread; the pool does with those that there are. */
static void choose_parallel(pm_program *p) {
  if (!p->choices.parallel && p->choices.target->parallel) p->choices.parallel = "pool";
}

static bool choose(pm_program *p, pm_buf *error) {
  const pm_options *o = &p->given.options;
  if (!has_all(&p->given, error)) return false;
  p->choices = (pm_choices){.pass_pipeline = o->passes,
                            .fp = o->fp,
                            .machine = o->machine,
                            .vector = o->vector,
                            .schedule = o->schedule,
                            .cpu = o->cpu,
                            .parallel = o->parallel,
                            .regions = o->regions};
  choose_lists(p);
  if (!choose_target(p, error) || !choose_words(p, error)) return false;
  choose_parallel(p);
  return true;
}

static const pm_frontend *choose_frontend(pm_program *p, pm_buf *error) {
  const char *language = p->given.options.language;
  const pm_frontend *frontend =
      language ? pm_find_frontend(p->ctx, language) : pm_frontend_of_file(p->ctx, p->given.name);
  if (!frontend && language) pm_failf(error, "there is no language '%s'", language);
  if (!frontend && !language)
    pm_failf(error, "the name '%s' does not tell the language of the program", p->given.name);
  return frontend;
}

/* Remarks of reading are wanted each time, and a schedule stands in another file. */
static void put_text_key(const pm_program *p, const pm_frontend *frontend, pm_buf *key) {
  const pm_options *o = &p->given.options;
  if (o->cache && !o->remarks && !o->schedule)
    pm_kept_put_text_key(p->given.name, p->given.text, p->given.len, frontend->name, &p->choices, key);
}

static pm_module *read_whole(pm_program *p, const pm_frontend *frontend, pm_buf *error) {
  const given *g = &p->given;
  return pm_frontend_values_read(&p->values, frontend, error)
             ? pm_read_program(p->ctx, frontend, g->name, g->text, g->len, &p->choices, error)
             : NULL;
}

/* Its interface is enough to find what an earlier process has compiled. */
static void read_or_find(pm_program *p, const pm_frontend *frontend, bool whole, pm_buf *error) {
  pm_buf key = {0};
  put_text_key(p, frontend, &key);
  p->module = key.len && !whole ? pm_kept_find_interface(p->ctx, &key, &p->hash) : NULL;
  p->interface_only = p->module != NULL;
  if (!p->module) p->module = read_whole(p, frontend, error);
  if (p->module && !p->interface_only && p->given.options.cache) pm_put_program_hash(p->module, &p->hash);
  if (p->module && !p->interface_only && key.len) pm_kept_keep_interface(&key, p->module, &p->hash);
  pm_buf_free(&key);
}

static bool read_program(pm_program *p, bool whole) {
  pm_buf error = {0};
  const pm_frontend *frontend = choose(p, &error) ? choose_frontend(p, &error) : NULL;
  if (frontend) read_or_find(p, frontend, whole, &error);
  if (error.len) (void)refuse(p, &error);
  return p->module;
}

/* Nothing of it is left in the heap. */
static void close_context(pm_program *p) {
  if (p->module) pm_module_free(p->module);
  pm_frontend_values_free(&p->values);
  PM_VEC_FREE(p->estimates);
  pm_buf_free(&p->hash);
  pm_context_free(p->ctx);
  p->ctx = NULL;
  p->module = NULL;
}

/* Unless that has been done. `whole`: an interface is not enough. */
static bool open_context(pm_program *p, bool whole) {
  if (p->module && (!whole || !p->interface_only)) return true;
  if (p->module) close_context(p);
  p->ctx = pm_library_context();
  pm_set_diag_handler(p->ctx, on_diagnostic, p);
  pm_enable_remarks(p->ctx, p->given.options.remarks);
  if (read_program(p, whole)) return true;
  close_context(p);
  return false;
}

static void read_job(void *user) {
  job *j = user;
  j->status = open_context(j->program, false) ? PM_OK : PM_DIAGNOSED;
}

/* --- from the program to text --- */

static void on_crash(void *user, const char *pass, const char *reproducer, size_t len) {
  pm_program *p = user;
  size_t used = strlen(p->fault);
  (void)snprintf(p->fault + used, sizeof p->fault - used, ", in pass '%s'", pass);
  p->reproducer = malloc(len + 1);
  if (!p->reproducer) return;
  memcpy(p->reproducer, reproducer, len);
  p->reproducer[len] = 0;
}

/* The passes, and whether the target can write what comes of them. */
static bool lower(pm_program *p, pm_module *module) {
  pm_buf error = {0};
  pm_run_config config = pm_default_run_config();
  config.crashed = on_crash;
  config.crashed_user = p;
  char *text = pm_passes_text(p->ctx, &p->choices, &error);
  char *whole = text ? pm_whole_text(p->choices.target, text) : NULL;
  if (error.len) (void)refuse(p, &error);
  bool ok = whole && pm_run_text(module, whole, &p->choices, &config) &&
            pm_target_check(p->choices.target, pm_module_op(module));
  free(text);
  free(whole);
  return ok;
}

/* --- from loops to what the target makes --- */

/* What a target makes of the lowered module, and the functions for boxes that it has. */
typedef struct making {
  pm_program *program;
  const char *extension; /* of a file that is compiled; NULL: only the source is wanted */
  pm_made made;
  bool has_region;
  abi_region region;
} making;

static pm_build_options build_options(const pm_program *p) {
  const pm_options *o = &p->given.options;
  return (pm_build_options){.base = "pipeline",
                            .compiler = o->compiler,
                            .flags = o->flags,
                            .cpu = o->cpu,
                            .features = o->features,
                            .fp = pm_strictest_fp(p->module),
                            .threads = o->threads};
}

static void free_making(making *m) {
  pm_made_free(&m->made);
  PM_VEC_FREE(m->region.bounds);
  PM_VEC_FREE(m->region.boxes);
  PM_VEC_FREE(m->region.firsts);
}

static char *copy_outside(const pm_buf *text) {
  pm_heap *left = pm_heap_leave();
  char *copy = malloc(text->len + 1);
  pm_heap_return(left);
  if (!copy) pm_out_of_memory();
  if (text->len) memcpy(copy, text->data, text->len);
  copy[text->len] = 0;
  return copy;
}

/* What a program printed: each line is a note. */
static void tell_lines(const pm_program *p, pm_buf *text) {
  char *rest = NULL;
  if (!text->len) return;
  for (char *line = strtok_r(text->data, "\r\n", &rest); line; line = strtok_r(NULL, "\r\n", &rest))
    pm_tell(&p->given.options, &(pm_message){.kind = PM_MESSAGE_NOTE, .text = line});
}

/* The line becomes the program's; where it is not the fault of the library alone, the handler gets it, and
 * what a program printed behind it. */
static pm_status fail(pm_program *p, pm_status status, pm_buf *error, pm_buf *log) {
  bool told = error->len && (status == PM_REFUSED || log->len);
  if (error->len) p->error = copy_outside(error);
  if (told) pm_tell(&p->given.options, &(pm_message){.kind = PM_MESSAGE_ERROR, .text = error->data});
  if (told) tell_lines(p, log);
  pm_buf_free(error);
  return status;
}

/* Foreign code that would end this process when memory runs out, or for some of the processors that users
 * name; what a C compiler does is in another process anyway. */
static bool is_apart(const pm_program *p) {
  const pm_options *o = &p->given.options;
  return p->choices.target->in_process && (!o->in_process || o->cpu || o->features);
}

static pm_status status_of(making *m) {
  static const pm_status statuses[] = {
      [PM_OUTCOME_OK] = PM_OK, [PM_OUTCOME_REFUSED] = PM_REFUSED, [PM_OUTCOME_BUG] = PM_BUG};
  pm_program *p = m->program;
  pm_buf *texts = m->made.texts;
  bool wrong = m->made.is_ready && !m->made.emitted;
  if (wrong && texts[PM_MADE_ERROR].len) (void)refuse(p, &texts[PM_MADE_ERROR]);
  if (wrong) return PM_DIAGNOSED;
  return fail(p, statuses[m->made.outcome], &texts[PM_MADE_ERROR], &texts[PM_MADE_LOG]);
}

static pm_status make(making *m, pm_module *module) {
  pm_program *p = m->program;
  pm_buf error = {0};
  pm_make_request request = {.module = module,
                             .target = p->choices.target,
                             .extension = m->extension,
                             .options = build_options(p),
                             .memory = p->given.options.memory,
                             .exact_memory = p->given.options.exact_memory};
  pm_status status =
      is_apart(p) ? pm_make_apart(&request, &m->made, &error) : (pm_make(&request, &m->made), PM_OK);
  return status == PM_OK ? status_of(m) : fail(p, status, &error, &(pm_buf){0});
}

/* The program's own module stays as it was read. */
static pm_status make_texts(making *m) {
  pm_program *p = m->program;
  pm_status status = PM_DIAGNOSED;
  pm_module *module = pm_module_clone(p->module);
  if (lower(p, module)) {
    m->has_region = p->given.options.regions && abi_region_of(module, &m->region);
    status = make(m, module);
  }
  pm_module_free(module);
  return status;
}

static void emit_job(void *user) {
  job *j = user;
  making m = {.program = j->program};
  j->status = open_context(j->program, true) ? make_texts(&m) : PM_DIAGNOSED;
  if (j->status == PM_OK) j->text = copy_outside(&m.made.texts[PM_MADE_SOURCE]);
  free_making(&m);
}

/* --- to a function --- */

static bool can_be_given_buffers(const pm_function *f) {
  for (size_t i = 0; i < f->n_arrays; i++)
    if (f->parameters[f->n_scalars + i].dimensions > 8) return false;
  return !f->n_arrays || pm_native_has_extents(f->native);
}

static void load_job(void *user) {
  /* What is made apart is a shared object. */
  static const pm_target shared = {.name = "shared", .open = pm_cc_open, .close = pm_cc_close};
  static const pm_status statuses[] = {
      [PM_OUTCOME_OK] = PM_OK, [PM_OUTCOME_REFUSED] = PM_REFUSED, [PM_OUTCOME_BUG] = PM_BUG};
  job *j = user;
  pm_program *p = j->program;
  pm_function *f = j->function;
  pm_build_options options = build_options(p);
  pm_report report = {0};
  pm_outcome outcome;
  pm_function_describe(f, &j->sig, &j->extents, j->region);
  f->on_openmp = p->choices.parallel && strcmp(p->choices.parallel, "openmp") == 0;
  f->native = pm_native_new(&j->sig, j->region, is_apart(p) ? &shared : p->choices.target, j->file, j->entry,
                            &options, &outcome, &report);
  if (f->native && !can_be_given_buffers(f)) {
    pm_buf_printf(&report.error, "the extents of the arrays of @%s are not known ahead of a call", f->name);
    outcome = PM_OUTCOME_REFUSED;
  }
  j->status = j->is_kept ? statuses[outcome] : fail(p, statuses[outcome], &report.error, &report.log);
  pm_buf_free(&report.error);
  pm_buf_free(&report.log);
}

static pm_status without_memory(pm_program *p) {
  (void)snprintf(p->fault, sizeof p->fault, "out of memory");
  return PM_NO_MEMORY;
}

/* In a heap of its own, inside the call that has the program's. A fault leaves the program as it was. */
static void load(job *j) {
  pm_fault fault;
  pm_heap *left = pm_heap_leave();
  pm_function *f = j->function = calloc(1, sizeof *j->function);
  if (f) f->heap = new_heap(j->program);
  j->status = without_memory(j->program);
  if (f && f->heap && !pm_protect(f->heap, load_job, NULL, j, &fault)) {
    (void)snprintf(j->program->fault, sizeof j->program->fault, "%s", fault.message);
    j->status = fault.kind == PM_FAULT_MEMORY ? PM_NO_MEMORY : PM_BUG;
    *f = (pm_function){.heap = f->heap};
  }
  if (j->status == PM_OK) {
    j->program->fault[0] = 0;
  } else {
    pm_function_free(f);
    j->function = NULL;
  }
  pm_heap_return(left);
}

/* The one pipeline, or NULL after an error. */
static pm_op *callable_pipeline(pm_program *p) {
  pm_buf error = {0};
  pm_op *pipeline = pm_only_pipeline(p->module, p->given.name, &error);
  if (pipeline && !p->choices.target->opens)
    pm_failf(&error, "the target '%s' makes no functions of this process", p->choices.target->name);
  if (error.len) return refuse(p, &error), NULL;
  return pipeline;
}

static pm_kept kept_of(making *m) {
  return (pm_kept){&m->made.texts[PM_MADE_FILE], &m->made.texts[PM_MADE_ENTRY], &m->has_region, &m->region};
}

static void load_made(job *j, making *m) {
  j->file = &m->made.texts[PM_MADE_FILE];
  j->entry = m->made.texts[PM_MADE_ENTRY].data;
  j->region = m->has_region ? &m->region : NULL;
  load(j);
}

/* False: nothing is kept that can be opened. */
static bool load_kept(job *j, making *m, const pm_buf *key) {
  pm_kept kept = kept_of(m);
  if (!key->len) return false;
  bool found = pm_kept_find(j->is_warned ? NULL : j->program->ctx, key, &kept);
  j->is_warned = true;
  if (!found) return false;
  j->is_kept = true;
  load_made(j, m);
  j->is_kept = false;
  if (j->status == PM_OK) return true;
  free_making(m);
  *m = (making){.program = m->program, .extension = m->extension};
  forget_errors(j->program);
  return false;
}

static void make_and_load(job *j, making *m, const pm_buf *key) {
  pm_kept made = kept_of(m);
  j->status = make_texts(m);
  if (j->status != PM_OK) return;
  load_made(j, m);
  if (key->len && j->status == PM_OK) pm_kept_keep(key, &made);
}

/* False: nothing is kept, and no more than the interface is there to make it of. */
static bool find_or_make(job *j, pm_op *pipeline) {
  pm_program *p = j->program;
  making m = {.program = p, .extension = is_apart(p) ? "so" : p->choices.target->opens};
  pm_buf key = {0};
  stage_signature_get(pipeline, &j->sig);
  j->extents = pm_extents_of(&j->sig);
  if (p->given.options.cache) {
    pm_build_options options = build_options(p);
    pm_kept_put_key(&p->hash, &p->choices, &options, m.extension, &key);
  }
  bool found = load_kept(j, &m, &key);
  if (!found && !p->interface_only) make_and_load(j, &m, &key);
  pm_buf_free(&key);
  pm_extents_free(&j->extents);
  stage_signature_free(&j->sig);
  free_making(&m);
  return found || !p->interface_only;
}

static void compile_job(void *user) {
  job *j = user;
  pm_program *p = j->program;
  bool done = false;
  for (int whole = 0; whole < 2 && !done; whole++) {
    pm_op *pipeline = open_context(p, whole) ? callable_pipeline(p) : NULL;
    j->status = PM_DIAGNOSED;
    done = !pipeline || find_or_make(j, pipeline);
  }
}

/* --- calls --- */

static void at_fault(void *user, const pm_fault *fault) {
  pm_program *p = ((job *)user)->program;
  (void)snprintf(p->fault, sizeof p->fault, "%s", fault->message);
  if (fault->kind == PM_FAULT_BUG && p->ctx) pm_run_crash_hook(p->ctx);
}

static void forget_heap(pm_program *p) {
  pm_heap_free(p->heap);
  p->heap = NULL;
  p->ctx = NULL;
  p->module = NULL;
  p->values = (pm_frontend_values){0};
  p->estimates = (pm_estimate_list){0};
  p->hash = (pm_buf){0};
}

static pm_status run(job *j, void (*body)(void *user)) {
  pm_program *p = j->program;
  pm_fault fault;
  forget_errors(p);
  if (!p->heap) p->heap = new_heap(p);
  if (!p->heap) return without_memory(p);
  if (pm_protect(p->heap, body, at_fault, j, &fault)) return j->status;
  forget_heap(p);
  return fault.kind == PM_FAULT_MEMORY ? PM_NO_MEMORY : PM_BUG;
}

/* An argument without which there is no program to speak of. */
static pm_status is_null(const pm_options *options, const char *text) {
  if (options) pm_tell(options, &(pm_message){.kind = PM_MESSAGE_ERROR, .text = text});
  return PM_DIAGNOSED;
}

pm_status pm_program_read(const char *name, const char *text, size_t len, const pm_options *options,
                          pm_program **program) {
  if (!program) return is_null(options, "'program' is NULL: there is no place for the program");
  pm_program *p = *program = calloc(1, sizeof *p);
  pm_fault fault;
  if (!p) return PM_NO_MEMORY;
  p->given = (given){(char *)name, (char *)text, len, options ? *options : (pm_options){0}};
  if (!pm_protect(NULL, keep_given, NULL, p, &fault)) {
    pm_program_free(p);
    *program = NULL;
    return PM_NO_MEMORY;
  }
  return run(&(job){.program = p}, read_job);
}

pm_status pm_program_compile(pm_program *program, pm_function **function) {
  job j = {.program = program};
  if (function) *function = NULL;
  if (!program) return PM_NO_MEMORY;
  if (!function) return is_null(&program->given.options, "'function' is NULL: there is no place for one");
  pm_status status = run(&j, compile_job);
  *function = j.function;
  return status;
}

pm_status pm_program_emit(pm_program *program, char **text) {
  job j = {.program = program};
  if (text) *text = NULL;
  if (!program) return PM_NO_MEMORY;
  if (!text) return is_null(&program->given.options, "'text' is NULL: there is no place for the text");
  pm_status status = run(&j, emit_job);
  *text = j.text;
  return status;
}

void pm_text_free(char *text) {
  free(text);
}

const char *pm_program_error(const pm_program *program) {
  if (!program) return "out of memory";
  return program->error ? program->error : program->fault;
}

const char *pm_program_reproducer(const pm_program *program) {
  return program ? program->reproducer : NULL;
}

size_t pm_program_bytes(const pm_program *program) {
  return program && program->heap ? pm_heap_bytes(program->heap) : 0;
}

static void close_job(void *user) {
  job *j = user;
  if (j->program->ctx) close_context(j->program);
}

void pm_program_free(pm_program *program) {
  if (!program) return;
  if (program->heap) (void)run(&(job){.program = program}, close_job);
  forget_errors(program);
  pm_heap_free(program->heap);
  pm_arena_free(program->kept);
  free(program);
}
