#include "tools/lib/semantics/states.h"

#include "ir/diag.h"
#include "ir/text.h"
#include "pm/compile.h"
#include "tools/lib/driver/process.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- states --- */

static void add_state(pm_states *s, const pm_pass_desc *pass, const char *alone, pm_module *module) {
  pm_buf options = {0};
  pm_buf_puts(&options, "");
  pm_print_context_options(s->ctx, &options);
  pm_state state = {.pass = pass,
                    .alone = alone ? pm_xstrdup(alone) : NULL,
                    .options = options.data,
                    .module = pm_module_clone(module)};
  PM_VEC_PUSH(s->all, state);
}

pm_states *pm_states_new(pm_module *module) {
  pm_states *s = pm_xcalloc(1, sizeof *s);
  s->ctx = pm_module_context(module);
  add_state(s, NULL, NULL, module);
  return s;
}

static void free_state(pm_state *state) {
  free(state->alone);
  free(state->options);
  pm_module_free(state->module);
  if (state->lowered) pm_module_free(state->lowered);
}

void pm_states_free(pm_states *s) {
  for (size_t i = 0; i < s->all.len; i++) free_state(&s->all.data[i]);
  PM_VEC_FREE(s->all);
  free(s);
}

bool pm_states_keep(void *user, pm_module *module, const pm_pass_desc *pass, const char *alone) {
  add_state(user, pass, alone, module);
  return true;
}

/* --- passes on copies --- */

static bool run_quietly(pm_module *module, const char *pipeline) {
  pm_context *ctx = pm_module_context(module);
  pm_run_config config = pm_default_run_config();
  config.warn_idle = false;
  pm_diag_scope outer = pm_begin_diag_scope(ctx, pm_drop_diag, NULL);
  pm_pass_manager *manager = pm_pass_manager_new(ctx);
  bool ok = pm_parse_pipeline(manager, "states", pipeline) && pm_run_passes(manager, module, &config);
  pm_pass_manager_free(manager);
  pm_end_diag_scope(ctx, outer);
  return ok;
}

char *pm_passes_to_loops(pm_module *module) {
  return pm_rest_of_passes(module, "align-scale,storage,expand-statements,parallelize,lower-poly");
}

static bool lower(pm_module *module) {
  char *passes = pm_passes_to_loops(module);
  bool ok = passes && run_quietly(module, passes);
  free(passes);
  return ok;
}

pm_module *pm_lowered_state(pm_state *state) {
  if (state->is_lowered) return state->lowered;
  state->is_lowered = true;
  state->lowered = pm_module_clone(state->module);
  if (lower(state->lowered)) return state->lowered;
  pm_module_free(state->lowered);
  return state->lowered = NULL;
}

/* --- the bad pass --- */

pm_culprit pm_find_bad_state(pm_states *s, const pm_judge *judge, size_t last) {
  pm_culprit c = {0, last};
  for (size_t step = 0; c.good + 1 < c.bad;) {
    size_t middle = (c.good + c.bad) / 2 + step;
    if (middle >= c.bad) break; /* all behind the middle are skipped */
    pm_verdict v = judge->judge(judge->user, &s->all.data[middle]);
    if (v == PM_BAD) c.bad = middle;
    if (v == PM_GOOD) c.good = middle;
    step = v == PM_SKIPPED ? step + 1 : 0;
  }
  return c;
}

/* --- the bad rewrite --- */

typedef struct rewriting {
  pm_states *states;
  const pm_judge *judge;
  const pm_state *before, *bad;
  pm_rewrite_count done;
} rewriting;

/* The pass alone, of whose rewrites those beyond the limit are left out. */
static pm_verdict judge_limited(rewriting *r, int64_t limit) {
  pm_state state = {.pass = r->bad->pass, .module = pm_module_clone(r->before->module)};
  pm_begin_rewrites(r->states->ctx, limit);
  bool ok = run_quietly(state.module, r->bad->alone);
  r->done = pm_rewrites_done(r->states->ctx);
  pm_begin_rewrites(r->states->ctx, 0);
  pm_verdict v = ok ? r->judge->judge(r->judge->user, &state) : PM_SKIPPED;
  free_state(&state);
  return v;
}

/* The first bad rewrite; done 0: the pass has none that can be left out, or all of them are good. */
static pm_rewrite_count find_bad_rewrite(rewriting *r, int64_t *all) {
  pm_rewrite_count none = {0}, bad;
  int64_t low = 0;
  if (judge_limited(r, 0) != PM_BAD || !r->done.done) return none;
  bad = r->done;
  *all = bad.done;
  if (judge_limited(r, -1) != PM_GOOD) return none;
  while (low + 1 < bad.done) {
    int64_t middle = low + (bad.done - low) / 2;
    pm_verdict v = judge_limited(r, middle);
    if (v == PM_SKIPPED) return none;
    if (v == PM_BAD)
      bad = r->done;
    else
      low = middle;
  }
  return bad;
}

void pm_note_bad_rewrite(pm_states *s, const pm_judge *judge, pm_culprit c) {
  rewriting r = {.states = s, .judge = judge, .before = &s->all.data[c.bad - 1], .bad = &s->all.data[c.bad]};
  int64_t all;
  if (c.good + 1 < c.bad) return;
  pm_rewrite_count bad = find_bad_rewrite(&r, &all);
  if (bad.done)
    pm_note(s->ctx, bad.loc, "of the pass's %lld rewrites it is number %lld (--rewrite-limit), of '%s': %s",
            (long long)all, (long long)bad.done, bad.on->name, bad.what);
}

/* --- what is said --- */

void pm_put_culprit(pm_buf *out, const pm_states *s, pm_culprit c) {
  pm_buf_printf(out, "%s '%s'", c.bad - c.good > 1 ? "this pass or one right before it," : "the pass",
                s->all.data[c.bad].pass->name);
}

void pm_write_culprit(const pm_states *s, pm_culprit c, const char *path, const char *tool,
                      const char *options) {
  pm_buf text = {0};
  char *made = path ? NULL : pm_temporary_path("%s-wrong-%ld.pmir", tool, (long)getpid());
  if (!path) path = made;
  pm_buf_printf(&text, "// configuration: %s--pass-pipeline='", s->all.data[c.good].options);
  for (size_t i = c.good + 1; i <= c.bad; i++)
    pm_buf_printf(&text, "%s%s", i > c.good + 1 ? "," : "", s->all.data[i].alone);
  pm_buf_puts(&text, "'\n");
  pm_print_module(&text, s->all.data[c.good].module, (pm_print_options){0});
  if (pm_write_file(path, text.data, text.len))
    pm_note(s->ctx, PM_NO_LOC, "reproducer: pm-opt --run-reproducer %s%s", path, options);
  else
    pm_note(s->ctx, PM_NO_LOC, "cannot write '%s': %s", path, strerror(errno));
  pm_buf_free(&text);
  free(made);
}
