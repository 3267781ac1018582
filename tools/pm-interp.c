/* pm-interp: runs the stage.pipeline of a text, or its loop.func, by the reference interpreter of that level.
 * With --pass-pipeline it also runs the result of those passes, with --compare what another text has (stages,
 * or loops step by step), and compares every bit of the outputs. With --check-each-pass it compares what each
 * pass of them leaves, and runs each alone on the text of what the one before left. */
#include "dialects/dialects.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/call.h"
#include "dialects/loop/interpreter/interp.h"
#include "dialects/loop/loop.h"
#include "dialects/machine/machine.h"
#include "dialects/poly/tree.h"
#include "dialects/stage/interpreter/interp.h"
#include "dialects/stage/stage.h"
#include "ir/text.h"
#include "passes/passes.h"
#include "tools/lib/driver/driver.h"
#include "tools/lib/driver/option_docs.h"
#include "tools/lib/driver/process.h"
#include "tools/lib/images/bind.h"
#include "tools/lib/images/compare.h"
#include "tools/lib/images/image.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOOL "pm-interp"

typedef struct options {
  pm_context *ctx;
  const char *program;
  const char *pipeline; /* NULL: none */
  const char *compare;  /* NULL or a file */
  bool check_each;
  const char *machine; /* NULL: not given */
  int64_t size;        /* 0: not given */
  pm_named_list params, inputs, outputs;
} options;

/* --- options --- */

enum {
  OPT_PARAM = 0x100,
  OPT_IN,
  OPT_OUT,
  OPT_PASS_PIPELINE,
  OPT_COMPARE,
  OPT_CHECK_EACH,
  OPT_MACHINE,
  OPT_SIZE
};

static const struct argp_option option_rows[] = {
    {"param", OPT_PARAM, "NAME=VALUE", 0, "a scalar, all must be given", 0},
    {"in", OPT_IN, "NAME=FILE.npy", 0, "an input, of its type and size (default: synthetic values)", 0},
    {"out", OPT_OUT, "NAME=FILE.npy", 0, "where an output goes", 0},
    {"pass-pipeline", OPT_PASS_PIPELINE, "TEXT", 0, "run these passes, then the result, and compare", 0},
    {"machine", OPT_MACHINE, "NAME|FILE", 0, "the machine that passes decide for (default: host)", 0},
    {"size", OPT_SIZE, "N", 0, "what integer parameters without an estimate usually are there", 0},
    {"check-each-pass", OPT_CHECK_EACH, NULL, 0,
     "compare after each pass, also with what it makes of text, and what a schedule is lowered to", 0},
    {"compare", OPT_COMPARE, "FILE.pmir", 0,
     "run the program of this text too, and compare; passes run on it", 0},
    {0}};

/* NAME=VALUE, split in place. */
static void add_named(pm_named_list *list, char *arg, struct argp_state *state) {
  char *equals = strchr(arg, '=');
  if (!equals || equals == arg || !equals[1]) argp_error(state, "'%s' is not NAME=VALUE", arg);
  *equals = 0;
  PM_VEC_PUSH(*list, ((pm_named){.name = arg, .value = equals + 1}));
}

static error_t parse_option(int key, char *arg, struct argp_state *state) {
  options *o = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = o->ctx;
    break;
  case OPT_PARAM:
    add_named(&o->params, arg, state);
    break;
  case OPT_IN:
    add_named(&o->inputs, arg, state);
    break;
  case OPT_OUT:
    add_named(&o->outputs, arg, state);
    break;
  case OPT_PASS_PIPELINE:
    o->pipeline = arg;
    break;
  case OPT_MACHINE:
    o->machine = arg;
    break;
  case OPT_SIZE:
    o->size = strtoll(arg, NULL, 10);
    if (o->size < 1 || o->size > 1000000000) argp_error(state, "--size '%s' is not 1..1000000000", arg);
    break;
  case OPT_CHECK_EACH:
    o->check_each = true;
    break;
  case OPT_COMPARE:
    o->compare = arg;
    break;
  case ARGP_KEY_ARG:
    if (o->program) argp_error(state, "more than one program: '%s' and '%s'", o->program, arg);
    o->program = arg;
    break;
  case ARGP_KEY_END:
    if (!o->program) argp_error(state, "no program is given");
    if (o->check_each && !o->pipeline) argp_error(state, "--check-each-pass needs a --pass-pipeline");
    break;
  default:
    return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

static const struct argp_child children[] = {{&pm_plugin_argp, 0, NULL, 0}, {0}};
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

/* Something in 0..255 that looks random, the same on every machine; floats are divided by 255. */
static pm_lane synthetic(pm_scalar scalar, uint64_t argument, uint64_t position) {
  uint64_t key[2] = {argument, position};
  int64_t value = (int64_t)(pm_hash_bytes(key, sizeof key, 0) & 255);
  if (scalar == PM_F64) return (pm_lane){.d = (double)value / 255};
  if (pm_get_scalar_info(scalar)->is_float) return (pm_lane){.f = (float)value / 255.0f};
  if (scalar == PM_I1) return (pm_lane){.i = value & 1};
  return (pm_lane){.i = scalar == PM_I8 ? value - 128 : value};
}

static void fill_synthetic(pm_array *array, uint64_t argument) {
  int64_t n = pm_array_count(array);
  size_t bytes = pm_scalar_bytes(array->scalar);
  for (int64_t i = 0; i < n; i++) {
    pm_lane lane = synthetic(array->scalar, argument, (uint64_t)i);
    arith_store_lanes(array->scalar, &lane, (char *)array->data + (size_t)i * bytes, 1, 1);
  }
}

static bool same_shape(const pm_array *a, const pm_array *b) {
  return a->rank == b->rank && memcmp(a->extents, b->extents, a->rank * sizeof *a->extents) == 0;
}

/* Replaces the contents of `array` by those of a file of the same type and shape. */
static bool fill_from_file(pm_array *array, const char *path, pm_buf *error) {
  pm_array file = {0};
  if (!pm_image_read(path, (pm_picture_limit){0}, &file, NULL, error)) return false;
  if (file.scalar == array->scalar && same_shape(&file, array)) {
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

/* What is run: a stage.pipeline or a loop.func, and its arguments. */
typedef struct program {
  pm_op *op;
  stage_signature sig;
  pm_params params;
  pm_array *inputs, *outputs;
} program;

static void release_arrays(pm_array *arrays, size_t n) {
  for (size_t i = 0; arrays && i < n; i++) pm_array_release(&arrays[i]);
  free(arrays);
}

static void free_program(program *p) {
  release_arrays(p->inputs, p->sig.inputs.len);
  release_arrays(p->outputs, p->sig.outputs.len);
  pm_params_free(&p->params);
  stage_signature_free(&p->sig);
}

static stage_arg loop_arg(pm_op *op, unsigned sym) {
  pm_type type = pm_res(op, 0)->type;
  pm_type scalar = pm_get_scalar(pm_op_context(op), (pm_scalar)type->scalar);
  return (stage_arg){op, pm_sym_at(op, sym), scalar, 0, type->rank, NULL};
}

static void get_loop_signature(pm_op *func, stage_signature *sig) {
  *sig = (stage_signature){.name = pm_sym_at(func, loop_func_sym)};
  PM_FOR_OPS(op, pm_region_at(func, loop_func_body)) {
    if (pm_is(op, &loop_param)) PM_VEC_PUSH(sig->params, loop_arg(op, loop_param_sym));
    if (pm_is(op, &buf_input)) PM_VEC_PUSH(sig->inputs, loop_arg(op, buf_input_sym));
    if (pm_is(op, &buf_output)) PM_VEC_PUSH(sig->outputs, loop_arg(op, buf_output_sym));
  }
  if (loop_result_of(func)) {
    stage_arg result = {func, sig->name, loop_result_of(func), 0, 0, NULL};
    PM_VEC_PUSH(sig->outputs, result);
  }
}

static bool find_stage_shapes(program *p, pm_buf *error) {
  for (size_t i = 0; i < p->sig.inputs.len; i++) {
    const stage_arg *arg = &p->sig.inputs.data[i];
    p->inputs[i] = (pm_array){.scalar = (pm_scalar)arg->type->scalar, .rank = arg->n_dims};
    if (!stage_box_at(p->op, arg->op, p->params.values, p->inputs[i].extents, NULL)) return false;
  }
  for (size_t i = 0; i < p->sig.outputs.len; i++)
    if (!pm_output_shape(p->op, &p->sig.outputs.data[i], &p->params, &p->outputs[i], error)) return false;
  return true;
}

static bool find_shapes(program *p, pm_buf *error) {
  if (pm_is(p->op, &stage_pipeline)) return find_stage_shapes(p, error);
  return loop_find_shapes(p->op, p->params.lanes, p->params.n, p->inputs, p->outputs);
}

static bool fill_inputs(const options *o, program *p, pm_buf *error) {
  for (size_t i = 0; i < p->sig.inputs.len; i++) {
    const char *file = pm_named_file(&o->inputs, p->sig.inputs.data[i].name);
    if (!pm_array_allocate(&p->inputs[i], error)) return false;
    if (file && !fill_from_file(&p->inputs[i], file, error)) return false;
    if (!file) fill_synthetic(&p->inputs[i], i);
  }
  return true;
}

/* Zeroed arrays of the program's outputs, in `out`, which is zeroed before. */
static bool allocate_outputs(const program *p, pm_array *out, pm_buf *error) {
  for (size_t i = 0; i < p->sig.outputs.len; i++) {
    out[i] = p->outputs[i];
    out[i].data = NULL;
    if (!pm_array_allocate(&out[i], error)) return false;
  }
  return true;
}

static bool check_names(options *o, const stage_signature *sig, pm_buf *error) {
  return pm_resolve_names(&o->inputs, "--in", "input", sig->inputs.data, sig->inputs.len, error) &&
         pm_resolve_names(&o->outputs, "--out", "output", sig->outputs.data, sig->outputs.len, error);
}

/* The sizes come from --param alone: the solver is told of no inputs. */
static bool find_params(const options *o, program *p, pm_buf *error) {
  stage_signature without_inputs = p->sig;
  without_inputs.inputs.len = 0;
  return pm_solve_sizes(p->op, &without_inputs, &o->params, NULL, &p->params, error);
}

/* Of a program that has its op; to be freed in any case. */
static bool make_arguments(options *o, program *p, pm_buf *error) {
  if (pm_is(p->op, &stage_pipeline))
    stage_signature_get(p->op, &p->sig);
  else
    get_loop_signature(p->op, &p->sig);
  p->inputs = pm_xcalloc(p->sig.inputs.len + 1, sizeof *p->inputs);
  p->outputs = pm_xcalloc(p->sig.outputs.len + 1, sizeof *p->outputs);
  return check_names(o, &p->sig, error) && find_params(o, p, error) && find_shapes(p, error) &&
         fill_inputs(o, p, error) && allocate_outputs(p, p->outputs, error);
}

/* --- running and comparing --- */

/* The first op of that kind at the top of the module that can be run from outside, or NULL. */
static pm_op *first_op(pm_module *module, const pm_op_desc *desc) {
  PM_FOR_OPS(op, pm_module_body(module))
  if (pm_is(op, desc) && !(desc == &loop_func && loop_is_private(op))) return op;
  return NULL;
}

/* The module of a file; NULL after a message. */
static pm_module *read_module(pm_context *ctx, const char *file, pm_buf *error) {
  size_t len;
  char *text = pm_read_file(file, PM_MAX_TEXT, &len);
  if (!text) {
    pm_failf(error, "cannot open '%s': %s", file, strerror(errno));
    return NULL;
  }
  pm_module *module = pm_parse_module(ctx, file, text, len, true);
  free(text);
  return module;
}

static bool run_passes(pm_module *module, const char *pipeline, const pm_run_config *config) {
  pm_pass_manager *manager = pm_pass_manager_new(pm_module_context(module));
  bool ok = pm_parse_pipeline(manager, "--pass-pipeline", pipeline) &&
            pm_run_guarded(TOOL, manager, module, config);
  pm_pass_manager_free(manager);
  return ok;
}

/* The module's pipeline, or the function that it was lowered to; NULL when there is neither. */
static pm_op *op_to_run(pm_module *module) {
  pm_op *pipeline = first_op(module, &stage_pipeline);
  return pipeline ? pipeline : first_op(module, &loop_func);
}

static bool run_op(pm_op *op, const program *p, const pm_array *outputs) {
  pm_call call = {.params = p->params.lanes,
                  .n_params = p->params.n,
                  .inputs = p->inputs,
                  .n_inputs = p->sig.inputs.len,
                  .outputs = outputs,
                  .n_outputs = p->sig.outputs.len};
  if (pm_is(op, &stage_pipeline)) return stage_interpret(op, &call);
  return loop_interpret(op, &call, &(loop_interp_options){0});
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

/* The outputs start as a pattern, so that a cell which nobody writes shows. */
static bool run_and_compare(pm_module *other, const program *p, pm_array *outputs, pm_buf *error) {
  pm_op *op = op_to_run(other);
  if (!op) return pm_failf(error, "there is neither a stage.pipeline nor a loop.func to compare with");
  for (size_t i = 0; i < p->sig.outputs.len; i++)
    memset(outputs[i].data, 0x5a, (size_t)pm_array_bytes(&outputs[i]));
  return run_op(op, p, outputs) && compare_outputs(&p->sig, p->outputs, outputs, error);
}

/* --- each pass --- */

typedef struct chain {
  const program *p;
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

static pm_run_config quiet_config(void) {
  pm_run_config config = pm_default_run_config();
  config.warn_idle = false;
  return config;
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

/* A schedule, as it is: what lowering needs and has been done changes nothing. */
static bool check_lowered(const chain *c, pm_module *module) {
  pm_op *pipeline = first_op(module, &stage_pipeline);
  pm_run_config config = quiet_config();
  if (!pipeline || !poly_find_schedule(pipeline)) return true;
  return run_passes(module, "storage,expand-statements,parallelize,lower-poly", &config) &&
         run_and_compare(module, c->p, c->outputs, c->error);
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
  ok = ok && run_and_compare(module, c->p, c->outputs, c->error) && check_lowered(c, module);
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
static bool run_and_check(const options *o, pm_module *other, const program *p, pm_array *outputs,
                          pm_buf *error) {
  chain c = {.p = p, .outputs = outputs, .error = error};
  pm_run_config config = pm_default_run_config();
  config.check_kept = true;
  if (o->check_each) {
    config.after_pass = check_pass;
    config.after_user = &c;
    c.text = text_of(other);
  }
  bool ok =
      (!o->pipeline || run_passes(other, o->pipeline, &config)) && run_and_compare(other, p, outputs, error);
  pm_buf_free(&c.text);
  return ok;
}

static bool compare_other(const options *o, pm_module *module, const program *p, pm_buf *error) {
  pm_module *other =
      o->compare ? read_module(pm_module_context(module), o->compare, error) : pm_module_clone(module);
  if (!other) return false;
  pm_set_machine(other, o->machine, o->size);
  pm_array *outputs = pm_xcalloc(p->sig.outputs.len + 1, sizeof *outputs);
  bool same = allocate_outputs(p, outputs, error) && run_and_check(o, other, p, outputs, error);
  release_arrays(outputs, p->sig.outputs.len);
  pm_module_free(other);
  return same;
}

static bool write_outputs(const options *o, const program *p, pm_buf *error) {
  for (size_t i = 0; i < p->sig.outputs.len; i++) {
    const char *file = pm_named_file(&o->outputs, p->sig.outputs.data[i].name);
    if (file && !pm_image_write(file, &p->outputs[i], error)) return false;
  }
  return true;
}

/* Errors are diagnostics of the context, or one line in `error`. */
static bool interpret(options *o, pm_module *module, pm_buf *error) {
  program p = {.op = op_to_run(module)};
  if (!p.op) return pm_failf(error, "'%s' has neither a stage.pipeline nor a loop.func", o->program);
  bool compares = o->pipeline || o->compare;
  bool ok = make_arguments(o, &p, error) && run_op(p.op, &p, p.outputs) &&
            (!compares || compare_other(o, module, &p, error)) && write_outputs(o, &p, error);
  free_program(&p);
  return ok;
}

int main(int argc, char **argv) {
  options o = {0};
  pm_buf error = {0};
  pm_tool_begin();
  o.ctx = pm_driver_context_of(TOOL, argc, argv);
  pm_argp_parse(TOOL, &interp_argp, argc, argv, 0, &o);
  pm_module *module = read_module(o.ctx, o.program, &error);
  bool ok = module && interpret(&o, module, &error);
  if (error.len) pm_print_error(TOOL, &error);
  pm_buf_free(&error);
  if (module) pm_module_free(module);
  pm_context_free(o.ctx);
  free_options(&o);
  return ok ? PM_EXIT_OK : PM_EXIT_INPUT;
}
