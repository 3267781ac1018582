#include "tools/lib/bind.h"

#include "tools/lib/matrix_text.h"
#include "tools/lib/message.h"

#include <stdlib.h>
#include <string.h>

/* --- names --- */

const char *pm_named_file(const pm_named_list *list, pm_string name) {
  for (size_t i = 0; i < list->len; i++)
    if (strcmp(list->data[i].name, name->text) == 0) return list->data[i].value;
  return NULL;
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

/* --- one picture --- */

/* An input's picture on its way: each step replaces `array`. */
typedef struct picture {
  const stage_arg *arg;
  const char *path;
  pm_array array;
  pm_buf *error;
} picture;

static bool replace(picture *p, bool made, pm_array *next) {
  if (!made) return false;
  pm_array_release(&p->array);
  p->array = *next;
  return true;
}

static int64_t channels_of(const pm_array *a) {
  return a->rank == 3 ? a->extents[2] : 1;
}

static bool extent_is(const stage_arg *arg, unsigned dim, int64_t value) {
  int64_t extent;
  return pm_constant_extent(arg->op, dim, &extent) && extent == value;
}

static bool wrong_channels(picture *p) {
  pm_buf text = {0};
  int64_t channels = channels_of(&p->array);
  pm_put_domain_extents(&text, p->arg->op);
  pm_failf(p->error, "'%s' has %lld %s, but @%s is %s%s", p->path, (long long)channels,
           channels == 1 ? "channel (gray)" : "channels", p->arg->name->text, text.data,
           p->arg->n_dims == 2 ? "; convert it to gray first, or give --gray" : "");
  pm_buf_free(&text);
  return false;
}

/* Gray for rank 2: `gray` says that colour may be turned to it. */
static bool fit_gray(picture *p, bool gray) {
  pm_array next;
  if (p->array.rank == 2) return true;
  if (!gray || p->array.extents[2] < 3) return wrong_channels(p);
  return replace(p, pm_to_gray(&p->array, &next, p->error), &next);
}

/* Rank 3, planar or interleaved; a gray picture has one channel. */
static bool fit_colour(picture *p) {
  int64_t channels = channels_of(&p->array);
  if (p->array.rank == 2) {
    p->array.rank = 3;
    p->array.extents[2] = 1;
  }
  pm_array next;
  if (extent_is(p->arg, 0, channels)) return replace(p, pm_to_planar(&p->array, &next, p->error), &next);
  return extent_is(p->arg, 2, channels) || wrong_channels(p);
}

static bool fit_layout(picture *p, bool gray) {
  if (p->arg->n_dims == 2) return fit_gray(p, gray);
  if (p->arg->n_dims == 3) return fit_colour(p);
  return pm_failf(p->error, "'%s' is a picture, but @%s has %u dimensions; give a .npy", p->path,
                  p->arg->name->text, p->arg->n_dims);
}

static bool pad_picture(picture *p, const pm_bind_options *options) {
  pm_array next;
  if (options->pad_width == 0) return true;
  unsigned first = p->array.rank == 3 && !extent_is(p->arg, 2, p->array.extents[2]) ? 1 : 0;
  return replace(p, pm_pad(&p->array, first, options->pad_width, options->pad, &next, p->error), &next);
}

static bool fit_type(picture *p) {
  pm_scalar to = (pm_scalar)p->arg->type->scalar;
  pm_array next;
  if (p->array.scalar == to) return true;
  if (!pm_can_convert(p->array.scalar, to))
    return pm_failf(p->error, "'%s' has %s elements, which do not convert to the %s of @%s", p->path,
                    pm_get_scalar_info(p->array.scalar)->name, pm_get_scalar_info(to)->name,
                    p->arg->name->text);
  pm_buf why = {0};
  bool ok = pm_convert(&p->array, to, &next, &why);
  if (!ok) pm_failf(p->error, "'%s' has %s; @%s is of that type", p->path, why.data, p->arg->name->text);
  pm_buf_free(&why);
  return replace(p, ok, &next);
}

static bool check_npy(picture *p) {
  pm_scalar to = (pm_scalar)p->arg->type->scalar;
  if (p->array.scalar == to || (to == PM_INDEX && p->array.scalar == PM_I64)) return true;
  return pm_failf(p->error, "'%s' has %s elements, but those of @%s are %s", p->path,
                  pm_get_scalar_info(p->array.scalar)->name, p->arg->name->text,
                  pm_get_scalar_info(to)->name);
}

static bool is_matrix_text(const char *path) {
  pm_image_format format = pm_image_format_of(path);
  return format == PM_IMAGE_TXT || format == PM_IMAGE_CSV;
}

static bool read_picture(picture *p, const pm_bind_options *options) {
  pm_image_format format;
  if (is_matrix_text(p->path))
    return pm_matrix_text_read(p->path, (pm_scalar)p->arg->type->scalar, p->arg->n_dims, &p->array, p->error);
  if (!pm_image_read(p->path, &p->array, &format, p->error)) {
    p->array.data = NULL;
    return false;
  }
  if (format == PM_IMAGE_NPY) return check_npy(p);
  return fit_layout(p, options->gray) && pad_picture(p, options) && fit_type(p);
}

/* --- all arguments --- */

static bool read_inputs(const stage_signature *sig, const pm_bind_options *options, pm_array *inputs,
                        pm_buf *error) {
  for (size_t i = 0; i < sig->inputs.len; i++) {
    picture p = {.arg = &sig->inputs.data[i], .error = error};
    p.path = pm_named_file(&options->inputs, p.arg->name);
    if (!p.path)
      return pm_failf(error, "input @%s has no file; give --in %s=FILE", p.arg->name->text,
                      p.arg->name->text);
    bool ok = read_picture(&p, options);
    inputs[i] = p.array;
    if (!ok) return false;
  }
  return true;
}

static bool solve_sizes(pm_op *pipeline, const stage_signature *sig, const pm_bind_options *options,
                        const pm_array *inputs, pm_params *params, pm_buf *error) {
  pm_sized_input *sized = pm_xcalloc(sig->inputs.len + 1, sizeof *sized);
  for (size_t i = 0; i < sig->inputs.len; i++)
    sized[i] = (pm_sized_input){pm_named_file(&options->inputs, sig->inputs.data[i].name), inputs[i].rank,
                                inputs[i].extents};
  bool ok = pm_solve_sizes(pipeline, sig, &options->params, sized, params, error);
  free(sized);
  return ok;
}

bool pm_output_shape(pm_op *pipeline, const stage_arg *output, const pm_params *params, pm_array *out,
                     pm_buf *error) {
  *out = (pm_array){.scalar = (pm_scalar)output->type->scalar, .rank = output->n_dims};
  if (output->n_dims > PM_MAX_RANK)
    return pm_failf(error, "output @%s has %u dimensions, but %d are possible", output->name->text,
                    output->n_dims, PM_MAX_RANK);
  return stage_box_at(pipeline, output->op, params->values, out->extents, NULL) ||
         pm_failf(error, "output @%s has no size that can be allocated", output->name->text);
}

static bool new_output(pm_op *pipeline, const stage_arg *arg, const pm_params *params, pm_array *out,
                       pm_buf *error) {
  pm_buf why = {0};
  if (!pm_output_shape(pipeline, arg, params, out, error)) return false;
  if (pm_array_allocate(out, &why)) return true;
  pm_failf(error, "output @%s: %s", arg->name->text, why.data);
  pm_buf_free(&why);
  return false;
}

bool pm_new_outputs(pm_op *pipeline, const stage_signature *sig, const pm_params *params, pm_array **out,
                    pm_buf *error) {
  pm_array *arrays = pm_xcalloc(sig->outputs.len + 1, sizeof *arrays);
  for (size_t i = 0; i < sig->outputs.len; i++) {
    if (new_output(pipeline, &sig->outputs.data[i], params, &arrays[i], error)) continue;
    pm_arrays_free(arrays, sig->outputs.len);
    return false;
  }
  *out = arrays;
  return true;
}

void pm_arrays_free(pm_array *arrays, size_t n) {
  for (size_t i = 0; arrays && i < n; i++) pm_array_release(&arrays[i]);
  free(arrays);
}

bool pm_bind(pm_op *pipeline, const stage_signature *sig, const pm_bind_options *options, pm_arguments *out,
             pm_buf *error) {
  *out = (pm_arguments){.n_inputs = sig->inputs.len};
  out->inputs = pm_xcalloc(sig->inputs.len + 1, sizeof *out->inputs);
  bool ok = read_inputs(sig, options, out->inputs, error) &&
            solve_sizes(pipeline, sig, options, out->inputs, &out->params, error);
  if (!ok) pm_arguments_free(out);
  return ok;
}

void pm_arguments_free(pm_arguments *args) {
  pm_arrays_free(args->inputs, args->n_inputs);
  pm_params_free(&args->params);
  *args = (pm_arguments){0};
}
