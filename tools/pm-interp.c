/* pm-interp: runs the stage.pipeline of a text, or its loop.func, by the reference interpreter of that level,
 * and the loops that a schedule tree means.
 * With --pass-pipeline it also runs the result of those passes, with --compare what another text has (stages,
 * or loops step by step), and compares every bit of the outputs. With --check-each-pass it compares what each
 * pass of them leaves, and runs each alone on the text of what the one before left. */
#include "dialects/dialects.h"
#include "dialects/poly/tree.h"
#include "dialects/stage/stage.h"
#include "ir/text.h"
#include "passes/passes.h"
#include "tools/lib/driver/driver.h"
#include "tools/lib/driver/option_docs.h"
#include "tools/lib/driver/process.h"
#include "tools/lib/images/compare.h"
#include "tools/lib/images/image.h"
#include "tools/lib/semantics/call.h"
#include "tools/lib/semantics/program.h"
#include "tools/lib/semantics/states.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOOL "pm-interp"

enum { USUAL_SIZE = 32, MOST_SIZE = 64 }; /* where none is given */

typedef struct options {
  pm_program program;
  const char *compare; /* NULL or a file */
  bool check_each;
  pm_named_list params, inputs, outputs;
} options;

/* --- options --- */

enum { OPT_PARAM = 0x100, OPT_IN, OPT_OUT, OPT_COMPARE, OPT_CHECK_EACH };

static const struct argp_option option_rows[] = {
    {"param", OPT_PARAM, "NAME=VALUE", 0, "a scalar; all must be given, or none, and small sizes are chosen",
     0},
    {"in", OPT_IN, "NAME=FILE.npy", 0, "an input, of its type and size (default: synthetic values)", 0},
    {"out", OPT_OUT, "NAME=FILE.npy", 0, "where an output goes", 0},
    {"check-each-pass", OPT_CHECK_EACH, NULL, 0,
     "compare after each pass, also with what it makes of text, and what a schedule is lowered to", 0},
    {"compare", OPT_COMPARE, "FILE.pmir", 0,
     "run the program of this text too, and compare; passes run on it", 0},
    {0}};

static error_t parse_option(int key, char *arg, struct argp_state *state) {
  options *o = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &o->program;
    break;
  case OPT_PARAM:
    pm_add_named(&o->params, arg, state);
    break;
  case OPT_IN:
    pm_add_named(&o->inputs, arg, state);
    break;
  case OPT_OUT:
    pm_add_named(&o->outputs, arg, state);
    break;
  case OPT_CHECK_EACH:
    o->check_each = true;
    break;
  case OPT_COMPARE:
    o->compare = arg;
    break;
  case ARGP_KEY_END:
    if (o->check_each && !o->program.pipeline) argp_error(state, "--check-each-pass needs a --pass-pipeline");
    break;
  default:
    return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

static const struct argp_child children[] = {{&pm_program_argp, 0, NULL, 0}, {0}};
static const struct argp interp_argp = {
    .options = option_rows,
    .parser = parse_option,
    .args_doc = "PROGRAM.pmir",
    .doc =
        "Run a stage.pipeline or a loop.func by the reference interpreter, and compare it with what passes "
        "make of it.",
    .children = children};

static void free_options(options *o) {
  PM_VEC_FREE(o->params);
  PM_VEC_FREE(o->inputs);
  PM_VEC_FREE(o->outputs);
}

/* --- arguments of the call --- */

/* Replaces the contents of `array` by those of a file of the same type and shape. */
static bool fill_from_file(pm_array *array, const char *path, pm_buf *error) {
  pm_array file = {0};
  if (!pm_image_read(path, (pm_picture_limit){0}, &file, NULL, error)) return false;
  if (file.scalar == array->scalar && pm_same_shape(&file, array)) {
    pm_array_release(array);
    *array = file;
    return true;
  }
  pm_failf(error, "'%s' has type %s and size ", path, pm_get_scalar_info(file.scalar)->name);
  pm_put_extents(error, file.rank, file.extents);
  pm_buf_printf(error, ", but should have type %s and size ", pm_get_scalar_info(array->scalar)->name);
  pm_put_extents(error, array->rank, array->extents);
  pm_buf_puts(error, "; pm-run converts pictures");
  pm_array_release(&file);
  return false;
}

static bool fill_from_files(const options *o, const pm_trial *t, pm_buf *error) {
  for (size_t i = 0; i < t->sig.inputs.len; i++) {
    const char *file = pm_named_file(&o->inputs, t->sig.inputs.data[i].name);
    if (file && !fill_from_file(&t->inputs[i], file, error)) return false;
  }
  return true;
}

static bool check_names(options *o, const stage_signature *sig, pm_buf *error) {
  return pm_resolve_names(&o->inputs, "--in", "input", sig->inputs.data, sig->inputs.len, error) &&
         pm_resolve_names(&o->outputs, "--out", "output", sig->outputs.data, sig->outputs.len, error);
}

/* --- running and comparing --- */

static bool run_passes(pm_module *module, const char *pipeline, const pm_run_config *config) {
  pm_pass_manager *manager = pm_pass_manager_new(pm_module_context(module));
  bool ok = pm_parse_pipeline(manager, "--pass-pipeline", pipeline) &&
            pm_run_guarded(TOOL, manager, module, config);
  pm_pass_manager_free(manager);
  return ok;
}

static bool compare_outputs(const stage_signature *sig, const pm_array *want, const pm_array *got,
                            pm_buf *error) {
  for (size_t i = 0; i < sig->outputs.len; i++) {
    pm_difference d = pm_compare(&got[i], &want[i], true, 0);
    if (!d.count) continue;
    pm_put_comparison(error, sig->outputs.data[i].name->text, &want[i], "", false, &d);
    error->data[--error->len] = 0;
    return false;
  }
  return true;
}

static bool run_and_compare_op(pm_op *op, const pm_trial *t, pm_array *outputs, pm_buf *error) {
  return pm_trial_run_again(t, op, outputs, NULL) && compare_outputs(&t->sig, t->outputs, outputs, error);
}

static pm_run_config quiet_config(void) {
  pm_run_config config = pm_default_run_config();
  config.warn_idle = false;
  return config;
}

/* What the module's schedule tree does, if it has one: the loops of a copy. */
static bool run_tree(pm_module *module, const pm_trial *t, pm_array *outputs, pm_buf *error) {
  unsigned n;
  pm_op *pipeline = pm_first_callable(module, &n);
  pm_run_config config = quiet_config();
  if (!pm_is(pipeline, &stage_pipeline) || !poly_find_schedule(pipeline)) return true;
  char *passes = pm_passes_to_loops(module);
  pm_module *copy = pm_module_clone(module);
  bool ok = passes && run_passes(copy, passes, &config) &&
            run_and_compare_op(pm_first_callable(copy, &n), t, outputs, error);
  pm_module_free(copy);
  free(passes);
  return ok;
}

/* Of a schedule both the stages and the tree. */
static bool run_and_compare(pm_module *other, const pm_trial *t, pm_array *outputs, pm_buf *error) {
  unsigned n;
  pm_op *op = pm_first_callable(other, &n);
  if (!op) return pm_failf(error, "there is neither a stage.pipeline nor a loop.func to compare with");
  return run_and_compare_op(op, t, outputs, error) && run_tree(other, t, outputs, error);
}

/* --- each pass --- */

typedef struct chain {
  const pm_trial *trial;
  pm_array *outputs; /* for what is compared */
  pm_buf text;       /* of the module behind the last pass */
  pm_buf *error;
} chain;

static pm_buf text_of(pm_module *module) {
  pm_buf text = {0};
  pm_print_module(&text, module, (pm_print_options){0});
  return text;
}

static bool same_text(const pm_buf *a, const pm_buf *b) {
  return a->len == b->len && memcmp(a->data, b->data, a->len) == 0;
}

/* The module of the text; NULL after a diagnostic. */
static pm_module *parse_again(pm_context *ctx, const pm_buf *text, const char *pass) {
  pm_buf name = {0};
  pm_buf_printf(&name, "behind %s", pass);
  pm_module *module = pm_parse_module(ctx, name.data, text->data, text->len, true);
  pm_buf_free(&name);
  return module;
}

/* The pass on the text from before it leaves `want`. */
static bool check_alone(const chain *c, pm_context *ctx, const pm_pass_desc *pass, const char *alone,
                        const pm_buf *want) {
  pm_run_config config = quiet_config();
  pm_module *module = parse_again(ctx, &c->text, "the pass before");
  bool ok = module && run_passes(module, alone, &config);
  pm_buf text = {0};
  if (ok) text = text_of(module);
  bool same = ok && same_text(&text, want);
  if (ok && !same) pm_failf(c->error, "'%s' alone leaves another text than in the pipeline", pass->name);
  pm_buf_free(&text);
  if (module) pm_module_free(module);
  return same;
}

/* The text of a module that the pass changed is printed the same again, and computes the same. */
static bool check_text(const chain *c, pm_context *ctx, const pm_pass_desc *pass, const pm_buf *text) {
  pm_module *module = parse_again(ctx, text, pass->name);
  pm_buf again = {0};
  if (!module) return false;
  again = text_of(module);
  bool ok = same_text(&again, text) ||
            pm_failf(c->error, "what '%s' leaves is printed differently again", pass->name);
  pm_buf_free(&again);
  ok = ok && run_and_compare(module, c->trial, c->outputs, c->error);
  pm_module_free(module);
  return ok;
}

/* Says behind which pass the error was; diagnostics say that in the name of the text. */
static void tell_pass(chain *c, const pm_pass_desc *pass) {
  pm_buf told = {0};
  if (!c->error->len) return;
  pm_buf_printf(&told, "behind %s: %s", pass->name, c->error->data);
  pm_buf_free(c->error);
  *c->error = told;
}

static bool check_pass(void *user, pm_module *module, const pm_pass_desc *pass, const char *alone) {
  chain *c = user;
  pm_context *ctx = pm_module_context(module);
  pm_buf text = text_of(module);
  bool ok = check_alone(c, ctx, pass, alone, &text) &&
            (same_text(&text, &c->text) || check_text(c, ctx, pass, &text));
  if (!ok) tell_pass(c, pass);
  pm_buf_free(&c->text);
  c->text = text;
  return ok;
}

/* --- comparing --- */

/* The passes on a copy of the module, or the text of --compare, and what that computes. */
static bool run_and_check(const options *o, pm_module *other, const pm_trial *t, pm_array *outputs,
                          pm_buf *error) {
  chain c = {.trial = t, .outputs = outputs, .error = error};
  pm_run_config config = pm_default_run_config();
  config.check_kept = true;
  if (o->check_each) {
    config.after_pass = check_pass;
    config.after_user = &c;
    c.text = text_of(other);
  }
  bool ok = (!o->program.pipeline || run_passes(other, o->program.pipeline, &config)) &&
            run_and_compare(other, t, outputs, error);
  pm_buf_free(&c.text);
  return ok;
}

static bool compare_other(const options *o, pm_module *module, const pm_trial *t, pm_buf *error) {
  pm_program compared = o->program;
  compared.file = o->compare;
  pm_module *other = o->compare ? pm_read_ir(&compared, error) : pm_module_clone(module);
  if (!other) return false;
  pm_array *outputs = NULL;
  bool same = pm_trial_new_outputs(t, &outputs, error) && run_and_check(o, other, t, outputs, error);
  pm_arrays_free(outputs, t->sig.outputs.len);
  pm_module_free(other);
  return same;
}

static bool write_outputs(const options *o, const pm_trial *t, pm_buf *error) {
  for (size_t i = 0; i < t->sig.outputs.len; i++) {
    const char *file = pm_named_file(&o->outputs, t->sig.outputs.data[i].name);
    if (file && !pm_image_write(file, &t->outputs[i], error)) return false;
  }
  return true;
}

/* The module's own schedule tree against its stages. */
static bool check_tree(pm_module *module, const pm_trial *t, pm_buf *error) {
  pm_array *outputs = NULL;
  bool ok = pm_trial_new_outputs(t, &outputs, error) && run_tree(module, t, outputs, error);
  pm_arrays_free(outputs, t->sig.outputs.len);
  return ok;
}

/* What was chosen, and what was compared. */
static void say(const options *o, const pm_trial *t, bool compared) {
  pm_buf text = {0};
  pm_difference none = {0};
  pm_put_params(&text, &t->sig, &t->params);
  if (!o->params.len && t->sig.params.len) printf("random: inputs of seed 0, with %s\n", text.data);
  pm_buf_free(&text);
  for (size_t i = 0; compared && i < t->sig.outputs.len; i++)
    pm_put_comparison(&text, t->sig.outputs.data[i].name->text, &t->outputs[i], "", false, &none);
  if (text.len) fputs(text.data, stdout);
  pm_buf_free(&text);
}

/* Where outputs are compared, an element that nobody writes is the same in all. */
static bool run_first(const pm_trial *t, pm_op *op, bool compares) {
  return compares ? pm_trial_run_again(t, op, t->outputs, NULL) : pm_trial_run(t, op, t->outputs, NULL);
}

/* Errors are diagnostics of the context, or one line in `error`. */
static bool interpret(options *o, pm_module *module, pm_buf *error) {
  static const pm_size_choice choice = {.usual = USUAL_SIZE, .most = MOST_SIZE};
  unsigned n;
  pm_op *op = pm_first_callable(module, &n);
  if (!op) return pm_failf(error, "'%s' has neither a stage.pipeline nor a loop.func", o->program.file);
  if (n > 1)
    fprintf(stderr, "%s: @%s is run, the first of %u in '%s'\n", TOOL, pm_callable_name(op)->text, n,
            o->program.file);
  bool compares = o->program.pipeline || o->compare,
       has_tree = pm_is(op, &stage_pipeline) && poly_find_schedule(op);
  pm_trial t;
  bool ok = pm_trial_begin(&t, op, &o->params, o->params.len ? NULL : &choice, error) &&
            check_names(o, &t.sig, error) && fill_from_files(o, &t, error) && run_first(&t, op, compares) &&
            check_tree(module, &t, error) && (!compares || compare_other(o, module, &t, error)) &&
            write_outputs(o, &t, error);
  if (ok) say(o, &t, compares || has_tree);
  pm_trial_end(&t);
  return ok;
}

int main(int argc, char **argv) {
  options o = {0};
  pm_buf error = {0};
  pm_tool_begin();
  o.program.ctx = pm_driver_context_of(TOOL, argc, argv);
  pm_argp_parse(TOOL, &interp_argp, argc, argv, 0, &o);
  pm_module *module = pm_read_ir(&o.program, &error);
  bool ok = module && interpret(&o, module, &error);
  if (error.len) pm_print_error(TOOL, &error);
  pm_buf_free(&error);
  if (module) pm_module_free(module);
  pm_context_free(o.program.ctx);
  free_options(&o);
  return ok ? PM_EXIT_OK : PM_EXIT_INPUT;
}
