#include "tools/lib/images/bind.h"

#include "tools/lib/images/callable.h"
#include "tools/lib/message.h"

#include <stdlib.h>
#include <string.h>

/* --- names --- */

const pm_named *pm_named_entry(const pm_named_list *list, pm_string name) {
  for (size_t i = 0; i < list->len; i++)
    if (strcmp(list->data[i].name, name->text) == 0) return &list->data[i];
  return NULL;
}

const char *pm_named_file(const pm_named_list *list, pm_string name) {
  const pm_named *entry = pm_named_entry(list, name);
  return entry ? entry->value : NULL;
}

static unsigned count_names(const char *names) {
  unsigned n = 1;
  for (; *names; names++) n += *names == ',';
  return n;
}

void pm_split_channels(pm_named_list *list) {
  pm_named_list split = {0};
  for (size_t i = 0; i < list->len; i++) {
    const pm_named *entry = &list->data[i];
    unsigned n = entry->name ? count_names(entry->name) : 1;
    char *rest = (char *)entry->name;
    for (unsigned c = 0; c < n; c++)
      PM_VEC_PUSH(split, ((pm_named){strsep(&rest, ","), entry->value, c, n > 1 ? n : 0}));
  }
  PM_VEC_FREE(*list);
  *list = split;
}

static bool unknown_name(const char *flag, const char *name, const char *kind, const stage_arg *args,
                         size_t n, pm_buf *error) {
  pm_buf names = {0};
  for (size_t i = 0; i < n; i++) pm_buf_printf(&names, "%s@%s", i ? ", " : "", args[i].name->text);
  pm_failf(error, "%s %s: there is no %s @%s, but %s", flag, name, kind, name,
           n ? names.data : "none at all");
  pm_buf_free(&names);
  return false;
}

bool pm_find_arg(const char *flag, const char *name, const char *kind, const stage_arg *args, size_t n,
                 size_t *position, pm_buf *error) {
  for (*position = 0; *position < n; ++*position)
    if (strcmp(args[*position].name->text, name) == 0) return true;
  return unknown_name(flag, name, kind, args, n, error);
}

bool pm_resolve_names(pm_named_list *list, const char *flag, const char *kind, const stage_arg *args,
                      size_t n, pm_buf *error) {
  for (size_t i = 0; i < list->len; i++) {
    pm_named *entry = &list->data[i];
    size_t position;
    if (!entry->name && n != 1)
      return pm_failf(error, "%s %s: say which of %zu it is, as %s NAME=%s", flag, entry->value, n, flag,
                      entry->value);
    if (!entry->name) entry->name = args[0].name->text;
    if (!pm_find_arg(flag, entry->name, kind, args, n, &position, error)) return false;
    for (size_t k = 0; k < i; k++)
      if (strcmp(list->data[k].name, entry->name) == 0)
        return pm_failf(error, "%s %s is given twice", flag, entry->name);
  }
  return true;
}

/* --- all arguments --- */

static bool read_input(const stage_arg *arg, const pm_bind_options *options, pm_array *out, pm_buf *error) {
  const pm_named *file = pm_named_entry(&options->inputs, arg->name);
  const char *raw = pm_named_file(&options->raws, arg->name);
  pm_raw_layout layout;
  if (!file && options->random) return true;
  if (!file)
    return pm_failf(error, "input @%s has no file; give --in %s=FILE", arg->name->text, arg->name->text);
  if (raw && !pm_raw_layout_parse(raw, &layout))
    return pm_failf(error, "--raw %s=%s is not like 1968x2592:u16, u16be, or u16+512", arg->name->text, raw);
  return pm_read_input(file, arg, raw ? &layout : NULL, &options->picture, out, error);
}

static bool read_inputs(const stage_signature *sig, const pm_bind_options *options, pm_array *inputs,
                        pm_buf *error) {
  for (size_t i = 0; i < sig->inputs.len; i++)
    if (!read_input(&sig->inputs.data[i], options, &inputs[i], error)) return false;
  return true;
}

static bool solve_sizes(pm_op *callable, const stage_signature *sig, const pm_bind_options *options,
                        const pm_array *inputs, pm_params *params, pm_buf *error) {
  pm_sized_input *sized = pm_xcalloc(sig->inputs.len + 1, sizeof *sized);
  for (size_t i = 0; i < sig->inputs.len; i++)
    if (inputs[i].data)
      sized[i] = (pm_sized_input){pm_named_file(&options->inputs, sig->inputs.data[i].name), inputs[i].rank,
                                  inputs[i].extents};
  bool ok = pm_solve_sizes(callable, sig, &options->params, sized, options->random ? &options->choice : NULL,
                           params, error);
  free(sized);
  return ok;
}

static bool allocate_output(const stage_arg *arg, pm_array *out, pm_buf *error) {
  pm_buf why = {0};
  if (pm_array_allocate(out, &why)) return true;
  pm_failf(error, "output @%s: %s", arg->name->text, why.data);
  pm_buf_free(&why);
  return false;
}

bool pm_new_outputs(pm_op *callable, const stage_signature *sig, const pm_params *params, pm_array **out,
                    pm_buf *error) {
  pm_array *arrays = pm_xcalloc(sig->outputs.len + 1, sizeof *arrays),
           *inputs = pm_xcalloc(sig->inputs.len + 1, sizeof *inputs);
  bool ok = pm_callable_shapes(callable, sig, params, inputs, arrays, error);
  for (size_t i = 0; ok && i < sig->outputs.len; i++)
    ok = allocate_output(&sig->outputs.data[i], &arrays[i], error);
  free(inputs);
  if (!ok) pm_arrays_free(arrays, sig->outputs.len);
  *out = ok ? arrays : NULL;
  return ok;
}

void pm_arrays_free(pm_array *arrays, size_t n) {
  for (size_t i = 0; arrays && i < n; i++) pm_array_release(&arrays[i]);
  free(arrays);
}

/* The array of a file has the shape that the params give; others get random numbers. */
static bool complete_input(const stage_arg *arg, const pm_bind_options *options, size_t number,
                           const pm_array *shape, pm_array *input, pm_buf *error) {
  pm_buf text = {0};
  if (!input->data) {
    *input = *shape;
    if (!pm_array_allocate(input, error)) return false;
    pm_fill_random(input, options->seed, number);
    return true;
  }
  if (pm_same_shape(input, shape)) return true;
  pm_put_size(&text, input->rank, input->extents);
  pm_buf_printf(&text, ", but @%s is ", arg->name->text);
  pm_put_size(&text, shape->rank, shape->extents);
  pm_failf(error, "'%s' is %s", pm_named_file(&options->inputs, arg->name), text.data);
  pm_buf_free(&text);
  return false;
}

static bool complete_inputs(pm_op *callable, const stage_signature *sig, const pm_bind_options *options,
                            pm_arguments *args, pm_buf *error) {
  pm_array *inputs = pm_xcalloc(sig->inputs.len + 1, sizeof *inputs),
           *outputs = pm_xcalloc(sig->outputs.len + 1, sizeof *outputs);
  bool ok = pm_callable_shapes(callable, sig, &args->params, inputs, outputs, error);
  for (size_t i = 0; ok && i < sig->inputs.len; i++)
    ok = complete_input(&sig->inputs.data[i], options, i, &inputs[i], &args->inputs[i], error);
  free(inputs);
  free(outputs);
  return ok;
}

/* The sizes of a pipeline are those of its files. */
static bool has_files_alone(pm_op *callable, const pm_bind_options *options) {
  return pm_is(callable, &stage_pipeline) && !options->random;
}

bool pm_bind(pm_op *callable, const stage_signature *sig, const pm_bind_options *options, pm_arguments *out,
             pm_buf *error) {
  *out = (pm_arguments){.n_inputs = sig->inputs.len};
  out->inputs = pm_xcalloc(sig->inputs.len + 1, sizeof *out->inputs);
  bool ok = read_inputs(sig, options, out->inputs, error) &&
            solve_sizes(callable, sig, options, out->inputs, &out->params, error) &&
            (has_files_alone(callable, options) || complete_inputs(callable, sig, options, out, error));
  if (!ok) pm_arguments_free(out);
  return ok;
}

void pm_arguments_free(pm_arguments *args) {
  pm_arrays_free(args->inputs, args->n_inputs);
  pm_params_free(&args->params);
  *args = (pm_arguments){0};
}
