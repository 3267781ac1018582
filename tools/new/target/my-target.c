/* The target my-target: functions of C for one thread, which can be called in the process of pm-run.
 *
 * What to change: `forms` is the table of the ops that it can write, `emit` writes them, `compile` and `open`
 * make a function of the text. Here `emit` is that of the target c, so that all works from the first day. */
#include <pm/tools/plugin.h>

#include <pm/ir/builtin.h>
#include <pm/targets/lib/cc.h>

#include <string.h>

/* --- text --- */

static bool emit(pm_module *module, const char *header_name, pm_target_output *out) {
  pm_buf_puts(&out->source, "/* by my-target */\n");
  return pm_find_target(pm_module_context(module), "c")->emit(module, header_name, out);
}

/* --- functions of this process --- */

/* Without the user's flags, those of a target for one thread. */
static pm_outcome compile(const pm_target_output *text, const char *extension, const pm_build_options *given,
                          pm_buf *file, pm_report *report) {
  pm_build_options options = *given;
  if (!options.flags) options.flags = "-O2";
  return pm_cc_compile(text, extension, &options, file, report);
}

/* --- the row --- */

/* Ops without a row are errors at their place in the program, before anything is written. The table of C
 * without vectors: */
static const pm_target_form forms[] = {{&builtin_module, PM_FORM_SCALAR},
                                       {&loop_func, PM_FORM_SCALAR},
                                       {&loop_param, PM_FORM_SCALAR},
                                       {&loop_require, PM_FORM_SCALAR},
                                       {&loop_for, PM_FORM_SCALAR},
                                       {&loop_parallel, PM_FORM_SCALAR},
                                       {&loop_if, PM_FORM_SCALAR},
                                       {&loop_yield, PM_FORM_SCALAR},
                                       {&buf_input, PM_FORM_SCALAR},
                                       {&buf_output, PM_FORM_SCALAR},
                                       {&buf_alloc, PM_FORM_SCALAR},
                                       {&buf_constant, PM_FORM_SCALAR},
                                       {&buf_store, PM_FORM_SCALAR},
                                       {&buf_prefetch, PM_FORM_SCALAR},
                                       {&buf_fence, PM_FORM_SCALAR},
#define FORM(op, writer) {&op, PM_FORM_SCALAR},
#define FUNCTION(op, helper) {&op, PM_FORM_SCALAR},
#define CALL(op) {&op, PM_FORM_SCALAR},
#include <pm/targets/cfamily/forms.def>
                                       {NULL, 0}};

static const pm_target_file files[] = {{"my_target", PM_FILE_SOURCE, true}, {NULL, PM_FILE_SOURCE, false}};

/* `schedule` and `lower` are its pipeline, `finish` what `emit` cannot do without. */
static const pm_target target = {
    .name = "my-target",
    .doc = "C for one thread",
    .schedule = "schedule",
    .lower = "lower-poly,dispatch-versions,canonicalize,cse,licm,dce",
    .finish = "lower-memref,lower-abi",
    .has = PM_TARGET_HEAP | PM_TARGET_STACK | PM_TARGET_THREAD_MEMORY,
    .forms = forms,
    .files = files,
    .emit = emit,
    .compile = compile,
    .opens = "so",
    .open = pm_cc_open,
    .close = pm_cc_close,
};

static void register_all(pm_context *ctx) {
  bool ok = pm_register_target(ctx, &target);
  (void)ok; /* the tool ends after a diagnostic */
}

PM_PLUGIN("my-target", register_all)
