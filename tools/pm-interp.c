/* pm-interp: runs the first stage.pipeline of a text by the reference interpreter; with --pass-pipeline, runs
 * the result of those passes too (stages again, or loops step by step) and compares every bit of the outputs.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dialects/dialects.h"
#include "dialects/loop/interp.h"
#include "dialects/loop/loop.h"
#include "dialects/stage/graph.h"
#include "dialects/stage/interp.h"
#include "ir/text.h"
#include "passes/passes.h"
#include "tools/lib/image.h"
#include "tools/lib/message.h"

#define TOOL "pm-interp"

/* `name=value` of the command line; both parts borrowed from it. */
typedef struct binding {
  pm_str name;
  const char *value;
} binding;
typedef PM_VEC(binding) bindings;

typedef struct options {
  const char *file;
  const char *pipeline; /* NULL: none */
  const char *compare;  /* NULL or a file */
  bindings params, inputs, outputs;
  int64_t max_steps;
} options;

/* Arguments of one call. */
typedef struct arguments {
  PM_VEC(pm_lane) params;
  PM_VEC(int64_t) sizes; /* the integer value of each param, 0 for others */
  PM_VEC(pm_array) inputs, outputs;
} arguments;

static const char usage_text[] =
    "usage: pm-interp FILE.pmir [options]\n"
    "  --param NAME=VALUE         value of a parameter; all must be given\n"
    "  --in NAME=FILE             an input array (.npy, .png, .pnm); synthetic values when not given\n"
    "  --out NAME=FILE.npy        writes an output\n"
    "  --pass-pipeline=TEXT       runs the passes and compares what their result computes, bit by bit\n"
    "  --compare=FILE.pmir        runs that text too and compares what it computes, bit by bit\n"
    "  --max-steps=N              gives up on loops after N ops (default: no limit)\n";

static bool parse_binding(const char *text, bindings *list) {
  const char *equals = strchr(text, '=');
  if (!equals || equals == text || !equals[1]) return false;
  PM_VEC_PUSH(*list, ((binding){{text, (size_t)(equals - text)}, equals + 1}));
  return true;
}

/* The text after `--name=`, or NULL when the argument is another. */
static const char *value_of(const char *arg, const char *prefix) {
  size_t len = strlen(prefix);
  return strncmp(arg, prefix, len) == 0 ? arg + len : NULL;
}

static bool parse_count(const char *text, int64_t *value) {
  char *end;
  errno = 0;
  *value = strtoll(text, &end, 10);
  return errno == 0 && end != text && *end == 0 && *value >= 0;
}

/* The list that an option with a following `name=value` fills, or NULL. */
static bindings *list_of(options *o, const char *arg) {
  if (strcmp(arg, "--param") == 0) return &o->params;
  if (strcmp(arg, "--in") == 0) return &o->inputs;
  if (strcmp(arg, "--out") == 0) return &o->outputs;
  return NULL;
}

static bool parse_options(int argc, char **argv, options *o) {
  for (int i = 1; i < argc; i++) {
    const char *arg = argv[i], *value;
    bindings *list = list_of(o, arg);
    if (list) {
      if (++i == argc || !parse_binding(argv[i], list)) return false;
    } else if ((value = value_of(arg, "--pass-pipeline="))) {
      o->pipeline = value;
    } else if ((value = value_of(arg, "--compare="))) {
      o->compare = value;
    } else if ((value = value_of(arg, "--max-steps="))) {
      if (!parse_count(value, &o->max_steps)) return false;
    } else if (arg[0] == '-' && arg[1]) {
      return false;
    } else if (o->file) {
      return false;
    } else {
      o->file = arg;
    }
  }
  return o->file != NULL;
}

static void free_options(options *o) {
  PM_VEC_FREE(o->params);
  PM_VEC_FREE(o->inputs);
  PM_VEC_FREE(o->outputs);
}

static const binding *find_binding(const bindings *list, pm_string name) {
  for (size_t i = 0; i < list->len; i++)
    if (pm_str_is(list->data[i].name, name->text)) return &list->data[i];
  return NULL;
}

/* Every binding must name one of the arguments. */
static bool check_bindings(const bindings *list, const stage_arg *args, size_t n, const char *what,
                           pm_buf *error) {
  for (size_t i = 0; i < list->len; i++) {
    bool found = false;
    for (size_t k = 0; k < n; k++) found = found || pm_str_is(list->data[i].name, args[k].name->text);
    if (!found)
      return pm_failf(error, "the pipeline has no %s '%.*s'", what, (int)list->data[i].name.len,
                      list->data[i].name.ptr);
  }
  return true;
}

/* The first op of that kind at the top of the module, or NULL. */
static pm_op *first_op(pm_module *module, const pm_op_desc *desc) {
  PM_FOR_OPS(op, pm_module_body(module)) if (pm_is(op, desc)) return op;
  return NULL;
}

static bool parse_param(const stage_arg *arg, const char *text, pm_lane *lane, int64_t *size, pm_buf *error) {
  char *end;
  *size = 0;
  errno = 0;
  if (pm_is_float(arg->type)) {
    double value = strtod(text, &end);
    if (arg->type->scalar == PM_F64)
      lane->d = value;
    else
      lane->f = (float)value;
  } else {
    lane->i = *size = strtoll(text, &end, 10);
  }
  if (end == text || *end || errno)
    return pm_failf(error, "--param %s=%s: not a number", arg->name->text, text);
  return true;
}

static bool bind_params(const options *o, const stage_signature *sig, arguments *args, pm_buf *error) {
  for (size_t i = 0; i < sig->params.len; i++) {
    const stage_arg *arg = &sig->params.data[i];
    const binding *b = find_binding(&o->params, arg->name);
    pm_lane lane = {0};
    int64_t size;
    if (!b)
      return pm_failf(error, "no value for the parameter '%s'; give --param %s=…", arg->name->text,
                      arg->name->text);
    if (!parse_param(arg, b->value, &lane, &size, error)) return false;
    PM_VEC_PUSH(args->params, lane);
    PM_VEC_PUSH(args->sizes, size);
  }
  return true;
}

/* An array of the shape that the argument has for the call's sizes, zeroed; false after a diagnostic or a
 * message. */
static bool new_array(pm_op *pipeline, const stage_arg *arg, const arguments *args, pm_array *array,
                      pm_buf *error) {
  *array = (pm_array){.scalar = arg->type->scalar, .rank = arg->n_dims};
  return stage_box_at(pipeline, arg->op, args->sizes.data, array->extents, NULL) &&
         pm_array_allocate(array, error);
}

/* A number in 0..255 that looks random, the same on every machine. */
static int64_t noise(uint64_t argument, uint64_t position) {
  uint64_t key[2] = {argument, position};
  return (int64_t)(pm_hash_bytes(key, sizeof key, 0) & 255);
}

static void fill_synthetic(pm_array *array, uint64_t argument) {
  int64_t n = pm_array_count(array);
  size_t bytes = pm_scalar_bytes(array->scalar);
  for (int64_t i = 0; i < n; i++) {
    int64_t value = noise(argument, (uint64_t)i);
    pm_lane lane = {0};
    if (array->scalar == PM_F64)
      lane.d = (double)value / 255;
    else if (pm_get_scalar_info(array->scalar)->is_float)
      lane.f = (float)value / 255.0f;
    else
      lane.i = array->scalar == PM_I1 ? value & 1 : array->scalar == PM_I8 ? value - 128 : value;
    arith_store_lanes(array->scalar, &lane, (char *)array->data + (size_t)i * bytes, 1, 1);
  }
}

static bool same_shape(const pm_array *a, const pm_array *b) {
  if (a->rank != b->rank) return false;
  for (unsigned d = 0; d < a->rank; d++)
    if (a->extents[d] != b->extents[d]) return false;
  return true;
}

/* Replaces the contents of `array` by those of a file of the same type and shape. */
static bool fill_from_file(pm_array *array, const char *path, pm_buf *error) {
  pm_array file = {0};
  if (!pm_image_read(path, &file, NULL, error)) return false;
  bool fits = file.scalar == array->scalar && same_shape(&file, array);
  if (fits) {
    pm_array_release(array);
    *array = file;
    return true;
  }
  pm_failf(error, "%s: has type %s and size ", path, pm_get_scalar_info(file.scalar)->name);
  pm_put_extents(error, file.rank, file.extents);
  pm_buf_printf(error, ", expected %s and ", pm_get_scalar_info(array->scalar)->name);
  pm_put_extents(error, array->rank, array->extents);
  pm_array_release(&file);
  return false;
}

static bool bind_inputs(const options *o, pm_op *pipeline, const stage_signature *sig, arguments *args,
                        pm_buf *error) {
  for (size_t i = 0; i < sig->inputs.len; i++) {
    pm_array array;
    if (!new_array(pipeline, &sig->inputs.data[i], args, &array, error)) return false;
    PM_VEC_PUSH(args->inputs, array);
    const binding *b = find_binding(&o->inputs, sig->inputs.data[i].name);
    if (!b)
      fill_synthetic(&PM_VEC_LAST(args->inputs), i);
    else if (!fill_from_file(&PM_VEC_LAST(args->inputs), b->value, error))
      return false;
  }
  return true;
}

static bool bind_outputs(pm_op *pipeline, const stage_signature *sig, arguments *args, pm_buf *error) {
  for (size_t i = 0; i < sig->outputs.len; i++) {
    pm_array array;
    if (!new_array(pipeline, &sig->outputs.data[i], args, &array, error)) return false;
    PM_VEC_PUSH(args->outputs, array);
  }
  return true;
}

static bool bind_arguments(const options *o, pm_op *pipeline, const stage_signature *sig, arguments *args,
                           pm_buf *error) {
  return check_bindings(&o->params, sig->params.data, sig->params.len, "parameter", error) &&
         check_bindings(&o->inputs, sig->inputs.data, sig->inputs.len, "input", error) &&
         check_bindings(&o->outputs, sig->outputs.data, sig->outputs.len, "output", error) &&
         bind_params(o, sig, args, error) && bind_inputs(o, pipeline, sig, args, error) &&
         bind_outputs(pipeline, sig, args, error);
}

static void free_arguments(arguments *args) {
  for (size_t i = 0; i < args->inputs.len; i++) pm_array_release(&args->inputs.data[i]);
  for (size_t i = 0; i < args->outputs.len; i++) pm_array_release(&args->outputs.data[i]);
  PM_VEC_FREE(args->params);
  PM_VEC_FREE(args->sizes);
  PM_VEC_FREE(args->inputs);
  PM_VEC_FREE(args->outputs);
}

static pm_call call_of(const arguments *args, const pm_array *outputs) {
  return (pm_call){args->params.data, args->params.len, args->inputs.data,
                   args->inputs.len,  outputs,          args->outputs.len};
}

/* Says where two arrays of one shape differ first. */
static bool report_difference(const stage_arg *arg, const pm_array *want, const pm_array *got, int64_t at,
                              pm_buf *error) {
  int64_t indices[PM_MAX_RANK], rest = at;
  for (unsigned d = want->rank; d-- > 0; rest /= want->extents[d]) indices[d] = rest % want->extents[d];
  size_t bytes = pm_scalar_bytes(want->scalar);
  pm_lane a, b;
  arith_load_lanes(want->scalar, (char *)want->data + (size_t)at * bytes, 1, &a, 1);
  arith_load_lanes(got->scalar, (char *)got->data + (size_t)at * bytes, 1, &b, 1);
  pm_failf(error, "'%s' differs first at [", arg->name->text);
  for (unsigned d = 0; d < want->rank; d++)
    pm_buf_printf(error, d ? ", %lld" : "%lld", (long long)indices[d]);
  pm_format(error, "]: has %pA, expected %pA", (const void *)arith_attr_of_lane(arg->type, b),
            (const void *)arith_attr_of_lane(arg->type, a));
  return false;
}

static bool compare_array(const stage_arg *arg, const pm_array *want, const pm_array *got, pm_buf *error) {
  size_t bytes = pm_scalar_bytes(want->scalar);
  int64_t n = pm_array_count(want);
  for (int64_t i = 0; i < n; i++)
    if (memcmp((char *)want->data + (size_t)i * bytes, (char *)got->data + (size_t)i * bytes, bytes) != 0)
      return report_difference(arg, want, got, i, error);
  return true;
}

/* Runs the module's pipeline, or the function that it was lowered to. */
static bool run_module(const options *o, pm_module *module, const pm_call *call, pm_buf *error) {
  pm_op *op = first_op(module, &stage_pipeline);
  if (op) return stage_interpret(op, call);
  op = first_op(module, &loop_func);
  if (!op) return pm_failf(error, "after the passes there is neither a stage.pipeline nor a loop.func");
  return loop_interpret(op, call, &(loop_interp_options){.max_steps = o->max_steps});
}

/* The module of a file; NULL after a message. */
static pm_module *read_module(pm_context *ctx, const char *file, pm_buf *error) {
  size_t len;
  char *text = pm_read_file(file, &len);
  if (!text) {
    pm_failf(error, "cannot open '%s': %s", file, strerror(errno));
    return NULL;
  }
  pm_module *module = pm_parse_module(ctx, file, text, len, true);
  free(text);
  return module;
}

static bool run_pipeline(const options *o, pm_module *module) {
  pm_context *ctx = pm_module_context(module);
  pm_pass_manager *manager = pm_pass_manager_new(ctx);
  pm_run_config config = pm_default_run_config();
  config.check_kept = true;
  bool ok =
      pm_parse_pipeline(manager, "--pass-pipeline", o->pipeline) && pm_run_passes(manager, module, &config);
  pm_pass_manager_free(manager);
  return ok;
}

/* What is compared with `original`: the text of --compare or else a copy, after the passes; NULL after an
 * error. */
static pm_module *new_other(const options *o, pm_module *original, pm_buf *error) {
  pm_module *other =
      o->compare ? read_module(pm_module_context(original), o->compare, error) : pm_module_clone(original);
  if (!other || !o->pipeline || run_pipeline(o, other)) return other;
  pm_module_free(other);
  return NULL;
}

/* Runs the transformed module into fresh arrays filled with a pattern, so that a cell nobody writes shows. */
static bool run_and_compare(const options *o, pm_module *module, const stage_signature *sig,
                            const arguments *args, pm_buf *error) {
  PM_VEC(pm_array) outputs = {0};
  bool ok = true;
  for (size_t i = 0; ok && i < args->outputs.len; i++) {
    pm_array array = args->outputs.data[i];
    ok = pm_array_allocate(&array, error);
    if (!ok) break;
    memset(array.data, 0x5a, (size_t)pm_array_bytes(&array));
    PM_VEC_PUSH(outputs, array);
  }
  pm_call call = call_of(args, outputs.data);
  ok = ok && run_module(o, module, &call, error);
  for (size_t i = 0; ok && i < outputs.len; i++)
    ok = compare_array(&sig->outputs.data[i], &args->outputs.data[i], &outputs.data[i], error);
  for (size_t i = 0; i < outputs.len; i++) pm_array_release(&outputs.data[i]);
  PM_VEC_FREE(outputs);
  return ok;
}

static bool write_outputs(const options *o, const stage_signature *sig, const arguments *args,
                          pm_buf *error) {
  for (size_t i = 0; i < sig->outputs.len; i++) {
    const binding *b = find_binding(&o->outputs, sig->outputs.data[i].name);
    if (b && !pm_image_write(b->value, &args->outputs.data[i], error)) return false;
  }
  return true;
}

/* Errors are diagnostics of the context, or one line in `error`. */
static bool interpret(const options *o, pm_module *module, pm_buf *error) {
  pm_op *pipeline = first_op(module, &stage_pipeline);
  if (!pipeline) return pm_failf(error, "%s: there is no stage.pipeline", o->file);
  stage_signature sig = {0};
  arguments args = {0};
  stage_signature_get(pipeline, &sig);
  bool ok = bind_arguments(o, pipeline, &sig, &args, error);
  if (ok) {
    pm_call call = call_of(&args, args.outputs.data);
    ok = stage_interpret(pipeline, &call);
  }
  if (ok && (o->pipeline || o->compare)) {
    pm_module *other = new_other(o, module, error);
    ok = other && run_and_compare(o, other, &sig, &args, error);
    if (other) pm_module_free(other);
  }
  ok = ok && write_outputs(o, &sig, &args, error);
  free_arguments(&args);
  stage_signature_free(&sig);
  return ok;
}

int main(int argc, char **argv) {
  options o = {0};
  if (!parse_options(argc, argv, &o)) {
    fputs(usage_text, stderr);
    free_options(&o);
    return PM_EXIT_USAGE;
  }
  pm_context *ctx = pm_context_new();
  pm_register_all_dialects(ctx);
  pm_register_all_passes(ctx);
  pm_buf error = {0};
  pm_module *module = read_module(ctx, o.file, &error);
  bool ok = module && interpret(&o, module, &error);
  if (error.len) pm_print_error(TOOL, &error);
  if (module) pm_module_free(module);
  pm_context_free(ctx);
  free_options(&o);
  return ok ? PM_EXIT_OK : PM_EXIT_INPUT;
}
