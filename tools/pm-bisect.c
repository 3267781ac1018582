/* pm-bisect: which pass of a pipeline makes a program wrong, and which rewrite of the pass, by halving.
 * Whether a program is wrong says a command; without one, the interpreters say it (pm-opt
 * --verify-semantics). */
#include "dialects/dialects.h"
#include "pm/pipelines.h"
#include "tools/lib/driver/driver.h"
#include "tools/lib/driver/option_docs.h"
#include "tools/lib/driver/process.h"
#include "tools/lib/message.h"
#include "tools/lib/semantics/command.h"
#include "tools/lib/semantics/program.h"
#include "tools/lib/semantics/verify.h"

#include <argp.h>
#include <stdio.h>
#include <string.h>

#define TOOL "pm-bisect"

typedef struct options {
  pm_program program;
  const char *test, *reproducer;
  pm_named_list params;
} options;

/* --- options --- */

enum { KEY_TEST = 256, KEY_PARAM, KEY_REPRODUCER };

static const struct argp_option option_rows[] = {
    {"test", KEY_TEST, "COMMAND", 0,
     "run for each IR that is tried, with its file as $1: exit status 0 says good, 125 cannot tell, others "
     "bad",
     0},
    {"param", KEY_PARAM, "NAME=VALUE", 0,
     "without --test: a scalar of the call (default: sizes at borders of tiles)", 0},
    {"reproducer", KEY_REPRODUCER, "FILE", 0, "where the IR before the bad pass goes, with that pass", 0},
    {0}};

static error_t parse_option(int key, char *arg, struct argp_state *state) {
  options *o = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &o->program;
    break;
  case KEY_TEST:
    o->test = arg;
    break;
  case KEY_PARAM:
    pm_add_named(&o->params, arg, state);
    break;
  case KEY_REPRODUCER:
    o->reproducer = arg;
    break;
  case ARGP_KEY_END:
    if (o->test && o->params.len)
      argp_error(state, "--param is for the interpreters, --test takes their place");
    break;
  default:
    return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

static const struct argp_child children[] = {{&pm_program_argp, 0, NULL, 0}, {0}};
static const struct argp bisect_argp = {
    .options = option_rows,
    .parser = parse_option,
    .args_doc = "PROGRAM.pmir",
    .doc = "Find the pass of a pipeline, and its rewrite, that makes a program wrong.\v"
           "Exit status: 0 when nothing is wrong, 1 when a pass is, or the input.",
    .children = children};

/* --- the command --- */

static pm_verdict judge_by_command(void *user, pm_state *state) {
  const options *o = user;
  int status = pm_run_on_ir(TOOL, o->test, state->module);
  return status == 0 ? PM_GOOD : status == 125 ? PM_SKIPPED : PM_BAD;
}

static bool bisect_by_command(options *o, pm_states *states) {
  const pm_judge judge = {judge_by_command, o};
  size_t last = states->all.len - 1;
  pm_verdict first = judge.judge(judge.user, &states->all.data[0]);
  if (first != PM_GOOD)
    return pm_error(o->program.ctx, PM_NO_LOC,
                    "the test says that '%s' is %s before any pass, it should be good", o->program.file,
                    first == PM_BAD ? "bad" : "untestable");
  while (last > 0 && judge.judge(judge.user, &states->all.data[last]) == PM_SKIPPED) last--;
  if (last == 0 || judge.judge(judge.user, &states->all.data[last]) == PM_GOOD) return true;
  pm_culprit culprit = pm_find_bad_state(states, &judge, last);
  pm_buf text = {0};
  pm_put_culprit(&text, states, culprit);
  pm_error(o->program.ctx, PM_NO_LOC, "%s is the first behind which the test is bad: number %zu of %zu",
           text.data, culprit.bad, states->all.len - 1);
  pm_buf_free(&text);
  pm_note_bad_rewrite(states, &judge, culprit);
  pm_write_culprit(states, culprit, o->reproducer, TOOL, "");
  return false;
}

/* --- the whole --- */

static bool judge_states(options *o, pm_states *states) {
  if (o->test) return bisect_by_command(o, states);
  const pm_verify_options verify = {
      .tool = TOOL, .reproducer = o->reproducer, .params = &o->params, .most_ops = PM_VERIFY_OPS};
  pm_verified count;
  return pm_verify_states(states, &verify, &count);
}

static bool run_passes(const options *o, pm_module *module, pm_states *states) {
  pm_run_config config = pm_default_run_config();
  config.after_pass = pm_states_keep;
  config.after_user = states;
  pm_pass_manager *manager = pm_pass_manager_new(o->program.ctx);
  bool ok =
      pm_parse_pipeline(manager, "--pass-pipeline", o->program.pipeline ? o->program.pipeline : "default") &&
      pm_run_guarded(TOOL, manager, module, &config);
  pm_pass_manager_free(manager);
  return ok;
}

static bool bisect(options *o, pm_module *module) {
  pm_states *states = pm_states_new(module);
  bool ok = run_passes(o, module, states) && judge_states(o, states);
  if (ok) printf("%s: nothing is wrong behind any of %zu passes\n", TOOL, states->all.len - 1);
  pm_states_free(states);
  return ok;
}

int main(int argc, char **argv) {
  options o = {0};
  pm_tool_begin();
  o.program.ctx = pm_driver_context_of(TOOL, argc, argv);
  pm_argp_parse(TOOL, &bisect_argp, argc, argv, 0, &o);
  pm_buf error = {0};
  pm_module *module = pm_read_ir(&o.program, &error);
  bool ok = module && bisect(&o, module);
  if (error.len) pm_print_error(TOOL, &error);
  pm_buf_free(&error);
  if (module) pm_module_free(module);
  pm_context_free(o.program.ctx);
  PM_VEC_FREE(o.params);
  return ok ? PM_EXIT_OK : PM_EXIT_INPUT;
}
