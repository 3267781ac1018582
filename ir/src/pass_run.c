/* Running a pipeline: which ops each pass runs on, and what happens around every run. */
#include "ir/src/context_private.h"
#include "ir/src/pass_private.h"
#include "ir/text.h"
#include "ir/verify.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef PM_VEC(pm_op *) op_list;

typedef struct runner {
  pm_pass_manager *pm;
  pm_module *module;
  const pm_run_config *config;
  int64_t n_runs;         /* numbers the runs, from 1 */
  const pm_pass_item *at; /* the pass that is running */
  double seconds;         /* of the last run */
  pm_buf reproducer;      /* the text of the file that a failure or crash leaves, when one is wanted */
  pm_buf before;          /* the text of the op before the pass, when the pass's word is checked */
} runner;

pm_run_config pm_default_run_config(void) {
#ifdef PM_DEBUG
  const bool check_kept = true;
#else
  const bool check_kept = false;
#endif
  return (pm_run_config){.verify_each = true,
                         .warn_idle = true,
                         .bisect_limit = -1,
                         .check_kept = check_kept,
                         .print = PM_PRINT_READABLE};
}

/* --- which ops --- */

typedef struct op_search {
  pm_op *from;
  const pm_op_desc *desc;
  op_list *found;
} op_search;

static pm_walk add_if_wanted(void *user, pm_op *op) {
  op_search *search = user;
  if (op == search->from || op->desc != search->desc) return PM_WALK_ON;
  PM_VEC_PUSH(*search->found, op);
  return PM_WALK_SKIP;
}

/* Replaces the ops by those of kind `desc` below them, outermost ones only; of their own kind they stay. */
static void go_down(op_list *ops, const pm_op_desc *from, const pm_op_desc *desc) {
  if (desc == from) return;
  op_list below = {0};
  for (size_t i = 0; i < ops->len; i++) {
    op_search search = {ops->data[i], desc, &below};
    pm_walk_pre(ops->data[i], add_if_wanted, &search);
  }
  PM_VEC_FREE(*ops);
  *ops = below;
}

static void find_roots(const runner *r, const pm_pipeline *pipeline, op_list *ops) {
  if (!pipeline->parent) {
    PM_VEC_PUSH(*ops, pm_module_op(r->module));
    return;
  }
  find_roots(r, pipeline->parent, ops);
  go_down(ops, pipeline->parent->root, pipeline->root);
}

/* --- printing --- */

static bool is_listed(const char *list, const char *name) {
  size_t n = strlen(name);
  while (list && *list) {
    size_t word = strcspn(list, ",");
    if (word == n && memcmp(list, name, n) == 0) return true;
    list += word + (list[word] == ',');
  }
  return false;
}

static void print_ir_as(pm_buf *out, pm_op *op, pm_print_options options) {
  if (op == pm_module_op(pm_module_of(op)))
    pm_print_module(out, pm_module_of(op), options);
  else
    pm_print_op(out, op, options);
  if (out->len && out->data[out->len - 1] != '\n') pm_buf_putc(out, '\n');
}

static void print_ir(pm_buf *out, pm_op *op) {
  print_ir_as(out, op, (pm_print_options){0});
}

static void report_ir(const runner *r, pm_op *op) {
  print_ir_as(r->config->report, op, r->config->print);
}

static void print_with_banner(const runner *r, const char *when, const pm_pass_item *item, pm_op *root) {
  pm_format(r->config->report, "// IR %s '%s' on %pO\n", when, item->desc->name, (const void *)root);
  report_ir(r, root);
}

static void print_before(const runner *r, const pm_pass_item *item, pm_op *root) {
  if (!r->config->report) return;
  if (r->config->print_before_all || is_listed(r->config->print_before, item->desc->name))
    print_with_banner(r, "before", item, root);
}

static void print_after(const runner *r, const pm_pass_item *item, pm_op *root, pm_result result) {
  if (!r->config->report) return;
  bool changed = r->config->print_changed && result == PM_CHANGED;
  if (changed || r->config->print_after_all || is_listed(r->config->print_after, item->desc->name))
    print_with_banner(r, "after", item, root);
}

static bool verifies_silently(pm_op *op) {
  pm_context *ctx = pm_op_context(op);
  pm_diag_scope scope = pm_begin_diag_scope(ctx, pm_drop_diag, NULL);
  bool ok = pm_verify(op);
  pm_end_diag_scope(ctx, scope);
  return ok;
}

/* The whole module, since what is wrong may be around the root; custom forms need one that verifies. */
static void print_failed(const runner *r, const pm_pass_item *item, const pm_op *root) {
  pm_op *module = pm_module_op(r->module);
  if (!r->config->report || !r->config->print_on_failure) return;
  pm_format(r->config->report, "// IR after '%s' failed on %pO\n", item->desc->name, (const void *)root);
  if (verifies_silently(module))
    report_ir(r, module);
  else
    print_ir_as(r->config->report, module, (pm_print_options){.generic = true});
}

/* --- files --- */

/* The IR as it is now, and the pipeline from `first` on (NULL: all of it). */
static void prepare_reproducer(runner *r, const pm_pass_item *first) {
  pm_buf text = {0};
  pm_buf_puts(&text, "// configuration: ");
  pm_print_context_options(r->pm->ctx, &text);
  pm_buf_puts(&text, "--pass-pipeline='");
  pm_print_pipeline_from(r->pm, first, &text);
  pm_buf_puts(&text, "'\n");
  print_ir(&text, pm_module_op(r->module));
  pm_buf_free(&r->reproducer);
  r->reproducer = text;
}

static void say(const char *text, size_t len) {
  while (len) {
    ssize_t n = write(STDERR_FILENO, text, len);
    if (n <= 0) return;
    text += n;
    len -= (size_t)n;
  }
}

static void say_words(const char *a, const char *b, const char *c) {
  say(a, strlen(a));
  say(b, strlen(b));
  say(c, strlen(c));
}

/* printf is not safe in a handler of signals. */
static void say_number(int64_t number) {
  char text[24], *at = text + sizeof text;
  *--at = 0;
  do *--at = (char)('0' + number % 10);
  while ((number /= 10) > 0);
  say_words(at, "", "");
}

/* The crash hook: only what is safe in a handler of signals. */
static void save_what_is_left(void *user) {
  const runner *r = user;
  const pm_run_config *config = r->config;
  const char *path = config->reproducer ? config->reproducer : config->crash_reproducer;
  if (config->crashed) {
    if (r->at)
      config->crashed(config->crashed_user, r->at->desc->name, r->reproducer.data, r->reproducer.len);
    return;
  }
  if (config->report && config->report->len) say(config->report->data, config->report->len);
  if (!r->at) return;
  say_words("while running pass '", r->at->desc->name, "' (run ");
  say_number(r->n_runs);
  say_words(")\n", "", "");
  if (!path || !r->reproducer.len) return;
  if (pm_write_file(path, r->reproducer.data, r->reproducer.len))
    say_words("reproducer: pm-opt --run-reproducer ", path, "\n");
  else
    say_words("cannot write '", path, "'\n");
}

static void reproduce_failure(const runner *r) {
  const char *path = r->config->reproducer;
  if (!path) return;
  if (pm_write_file(path, r->reproducer.data, r->reproducer.len))
    pm_note(r->pm->ctx, PM_NO_LOC, "reproducer: pm-opt --run-reproducer %s", path);
  else
    pm_note(r->pm->ctx, PM_NO_LOC, "cannot write '%s': %s", path, strerror(errno));
}

/* --- one run --- */

static bool is_past_bisect_limit(const runner *r, const pm_pass_item *item, const pm_op *root) {
  int64_t limit = r->config->bisect_limit;
  if (limit < 0) return false;
  bool past = r->n_runs > limit;
  if (r->config->report)
    pm_format(r->config->report, "bisect: %s pass (%" PRId64 ") %s on %pO\n",
              past ? "not running" : "running", r->n_runs, item->desc->name, (const void *)root);
  return past;
}

/* The pass's own word, corrected: an error without a failure is one, and a failure without an error gets one.
 */
static pm_result call_pass(runner *r, pm_pass *p) {
  pm_context *ctx = r->pm->ctx;
  unsigned errors = pm_error_count(ctx);
  double start = pm_seconds();
  ctx->pass_root = p->root;
  ctx->rewrites.pass = p->item->desc->name;
  if (r->config->watch) r->config->watch(r->config->watch_user, true);
  pm_result result = p->item->desc->run(p);
  if (r->config->watch) r->config->watch(r->config->watch_user, false);
  ctx->pass_root = NULL;
  ctx->rewrites.pass = NULL;
  r->seconds = pm_seconds() - start;
  p->item->run_seconds += r->seconds;
  p->item->runs++;
  p->item->changes += result == PM_CHANGED;
  if (result == PM_FAILED && pm_error_count(ctx) == errors)
    pm_error(ctx, p->root->loc, "pass '%s' failed on %pO", p->item->desc->name, (const void *)p->root);
  return pm_error_count(ctx) == errors ? result : PM_FAILED;
}

static bool verify_after(runner *r, pm_pass *p) {
  if (!r->config->verify_each) return true;
  double start = pm_seconds();
  bool ok = pm_verify(p->root);
  p->item->verify_seconds += pm_seconds() - start;
  if (ok) return true;
  return pm_error(r->pm->ctx, p->root->loc, "%pO does not verify after pass '%s'", (const void *)p->root,
                  p->item->desc->name);
}

static void remember_before(runner *r, const pm_pass_item *item, pm_op *root) {
  r->at = item;
  if (r->config->reproducer) prepare_reproducer(r, item);
  r->before.len = 0;
  if (r->config->check_kept) print_ir(&r->before, root);
}

/* With check_kept: a pass that says unchanged left the text of its root as it was. */
static void check_unchanged(const runner *r, const pm_pass *p, pm_result result) {
  if (!r->config->check_kept || result != PM_UNCHANGED) return;
  pm_buf after = {0};
  print_ir(&after, p->root);
  bool same = after.len == r->before.len && memcmp(after.data, r->before.data, after.len) == 0;
  pm_buf_free(&after);
  if (!same) pm_panic(p->root, "pass '%s' says that it changed nothing, but it did", p->item->desc->name);
}

/* `item` and `root` are NULL for the input. */
static bool tell_run(const runner *r, const pm_pass_item *item, pm_op *root, pm_result result) {
  if (!r->config->after_run) return true;
  pm_pass_run run = {.number = r->n_runs, .module = r->module, .root = root, .result = result};
  if (item) run.pass = item->desc, run.seconds = r->seconds;
  return r->config->after_run(r->config->after_run_user, &run);
}

static bool run_on(runner *r, pm_pass_item *item, pm_op *root) {
  r->n_runs++;
  if (is_past_bisect_limit(r, item, root)) return true;
  pm_pass p = {r->pm, item, root};
  if (!pm_check_wanted(r->pm, item, root)) return false;
  print_before(r, item, root);
  remember_before(r, item, root);
  pm_analyses_before_pass(r->pm, root);
  pm_result result = call_pass(r, &p);
  pm_arena_reset(r->pm->arena);
  if (result == PM_FAILED || !verify_after(r, &p)) {
    print_failed(r, item, root);
    reproduce_failure(r);
    (void)tell_run(r, item, root, PM_FAILED);
    return false;
  }
  check_unchanged(r, &p, result);
  if (r->config->check_kept) pm_check_given(item, root);
  pm_analyses_after_pass(&p, result, r->config->check_kept);
  print_after(r, item, root, result);
  return tell_run(r, item, root, result);
}

static bool tell_after(const runner *r, const pm_pipeline *in, const pm_pass_item *item) {
  pm_buf alone = {0};
  if (!r->config->after_pass) return true;
  pm_print_one_pass(in, item, &alone);
  bool ok = r->config->after_pass(r->config->after_user, r->module, item->desc, alone.data);
  pm_buf_free(&alone);
  return ok;
}

static bool run_pass(runner *r, const pm_pipeline *in, pm_pass_item *item) {
  op_list roots = {0};
  find_roots(r, in, &roots);
  go_down(&roots, in->root, item->anchor);
  bool ok = true;
  for (size_t i = 0; ok && i < roots.len; i++) ok = run_on(r, item, roots.data[i]);
  PM_VEC_FREE(roots);
  return ok && tell_after(r, in, item);
}

static bool run_pipeline(runner *r, const pm_pipeline *pipeline) {
  for (size_t i = 0; i < pipeline->entries.len; i++) {
    pm_pipeline_entry entry = pipeline->entries.data[i];
    bool ok = entry.pass ? run_pass(r, pipeline, entry.pass) : run_pipeline(r, entry.nested);
    if (!ok) return false;
  }
  return true;
}

static void see_passes(const pm_pipeline *pipeline,
                       void (*see)(void *user, const pm_pass_desc *pass, const char *alone), void *user) {
  for (size_t i = 0; i < pipeline->entries.len; i++) {
    pm_pipeline_entry entry = pipeline->entries.data[i];
    pm_buf alone = {0};
    if (entry.nested) see_passes(entry.nested, see, user);
    if (!entry.pass) continue;
    pm_print_one_pass(pipeline, entry.pass, &alone);
    see(user, entry.pass->desc, alone.data);
    pm_buf_free(&alone);
  }
}

void pm_each_pass(const pm_pass_manager *pm,
                  void (*see)(void *user, const pm_pass_desc *pass, const char *alone), void *user) {
  see_passes(pm->top, see, user);
}

/* --- the whole --- */

static bool check_names(pm_context *ctx, const char *what, const char *list) {
  while (list && *list) {
    size_t n = strcspn(list, ",");
    if (!pm_find_pass(ctx, (pm_str){list, n})) {
      pm_nearest best = pm_nearest_to((pm_str){list, n});
      for (size_t i = 0; i < pm_pass_count(ctx); i++) pm_nearest_add(&best, pm_pass_at(ctx, i)->name);
      return pm_error(ctx, PM_NO_LOC, "%s: unknown pass '%.*s'%s%s%s", what, (int)n, list,
                      best.name ? "; did you mean '" : "", best.name ? best.name : "", best.name ? "'?" : "");
    }
    list += n + (list[n] == ',');
  }
  return true;
}

static bool prepare(runner *r) {
  const pm_run_config *config = r->config;
  if (!check_names(r->pm->ctx, "--print-before", config->print_before)) return false;
  if (!check_names(r->pm->ctx, "--print-after", config->print_after)) return false;
  return tell_run(r, NULL, NULL, PM_UNCHANGED);
}

bool pm_run_passes(pm_pass_manager *pm, pm_module *module, const pm_run_config *config) {
  runner r = {.pm = pm, .module = module, .config = config};
  pm_diag_state *diag = &pm->ctx->diag;
  void (*outer_hook)(void *) = diag->crash_hook;
  void *outer_user = diag->crash_user;
  pm_set_crash_hook(pm->ctx, save_what_is_left, &r);
  double start = pm_seconds();
  bool may_crash = config->crash_reproducer || config->crashed;
  if (may_crash && !config->reproducer && pm->top->entries.len) prepare_reproducer(&r, NULL);
  bool ok = prepare(&r) && run_pipeline(&r, pm->top);
  if (ok && config->warn_idle && config->bisect_limit < 0) pm_warn_idle(pm);
  if (config->report && config->timing) pm_print_timing(pm, pm_seconds() - start, config->report);
  pm->seconds += pm_seconds() - start;
  if (config->report && config->statistics) pm_print_statistics(pm, config->report);
  pm_drop_analyses(pm);
  pm_set_crash_hook(pm->ctx, outer_hook, outer_user);
  pm_buf_free(&r.reproducer);
  pm_buf_free(&r.before);
  return ok;
}
