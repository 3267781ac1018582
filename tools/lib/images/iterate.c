#include "tools/lib/images/iterate.h"

#include "tools/lib/images/callable.h"
#include "tools/lib/message.h"

#include <stdlib.h>
#include <string.h>

/* --- which output feeds which input --- */

typedef struct resolver {
  const stage_signature *sig;
  const pm_arguments *args;
  pm_array *outputs; /* types and extents, no data */
  pm_feed_list *feeds;
  pm_buf *error;
} resolver;

static const char *output_name(const resolver *r, size_t i) {
  return r->sig->outputs.data[i].name->text;
}

static const char *input_name(const resolver *r, size_t i) {
  return r->sig->inputs.data[i].name->text;
}

static bool may_feed(const resolver *r, pm_feed feed) {
  const pm_array *output = &r->outputs[feed.output], *input = &r->args->inputs[feed.input];
  return output->scalar == input->scalar && pm_same_shape(output, input);
}

static void put_array(pm_buf *out, const char *name, const pm_array *array) {
  pm_buf_printf(out, "@%s is %s of ", name, pm_get_scalar_info(array->scalar)->name);
  pm_put_size(out, array->rank, array->extents);
}

static bool differ(const resolver *r, pm_feed feed) {
  pm_buf text = {0};
  put_array(&text, output_name(r, feed.output), &r->outputs[feed.output]);
  pm_buf_puts(&text, ", but ");
  put_array(&text, input_name(r, feed.input), &r->args->inputs[feed.input]);
  pm_failf(r->error, "--feed %s=%s: %s", output_name(r, feed.output), input_name(r, feed.input), text.data);
  pm_buf_free(&text);
  return false;
}

static bool add_feed(const resolver *r, pm_feed feed) {
  for (size_t i = 0; i < r->feeds->len; i++)
    if (r->feeds->data[i].input == feed.input)
      return pm_failf(r->error, "--feed %s=%s: @%s is fed by @%s already", output_name(r, feed.output),
                      input_name(r, feed.input), input_name(r, feed.input),
                      output_name(r, r->feeds->data[i].output));
  if (!may_feed(r, feed)) return differ(r, feed);
  PM_VEC_PUSH(*r->feeds, feed);
  return true;
}

static bool add_given(const resolver *r, const pm_named *given) {
  pm_feed feed;
  return pm_find_arg("--feed", given->name, "output", r->sig->outputs.data, r->sig->outputs.len, &feed.output,
                     r->error) &&
         pm_find_arg("--feed", given->value, "input", r->sig->inputs.data, r->sig->inputs.len, &feed.input,
                     r->error) &&
         add_feed(r, feed);
}

static bool several(const resolver *r, const pm_feed_list *possible) {
  pm_buf text = {0};
  for (size_t i = 0; i < possible->len; i++)
    pm_buf_printf(&text, "%s--feed %s=%s", i ? " or " : "", output_name(r, possible->data[i].output),
                  input_name(r, possible->data[i].input));
  pm_failf(r->error, "--repeat: say what the next call reads: %s", text.data);
  pm_buf_free(&text);
  return false;
}

static bool none(const resolver *r) {
  pm_buf text = {0};
  for (size_t i = 0; i < r->sig->outputs.len; i++) {
    put_array(&text, output_name(r, i), &r->outputs[i]);
    pm_buf_puts(&text, ", ");
  }
  for (size_t i = 0; i < r->sig->inputs.len; i++) {
    pm_buf_puts(&text, i ? ", " : "but ");
    put_array(&text, input_name(r, i), &r->args->inputs[i]);
  }
  pm_failf(r->error, "--repeat: no output can be the next call's input: %s%s", text.data,
           r->sig->inputs.len ? "" : "but there is no input");
  pm_buf_free(&text);
  return false;
}

static bool add_only(const resolver *r) {
  pm_feed_list possible = {0};
  for (size_t o = 0; o < r->sig->outputs.len; o++)
    for (size_t i = 0; i < r->sig->inputs.len; i++)
      if (may_feed(r, (pm_feed){o, i})) PM_VEC_PUSH(possible, ((pm_feed){o, i}));
  bool ok = possible.len == 1   ? add_feed(r, possible.data[0])
            : possible.len == 0 ? none(r)
                                : several(r, &possible);
  PM_VEC_FREE(possible);
  return ok;
}

static bool resolve(const resolver *r, const pm_named_list *given) {
  for (size_t i = 0; i < given->len; i++)
    if (!add_given(r, &given->data[i])) return false;
  return given->len > 0 || add_only(r);
}

bool pm_resolve_feeds(pm_op *callable, const pm_named_list *given, const stage_signature *sig,
                      const pm_arguments *args, pm_feed_list *out, pm_buf *error) {
  resolver r = {.sig = sig, .args = args, .feeds = out, .error = error};
  r.outputs = pm_xcalloc(sig->outputs.len + 1, sizeof *r.outputs);
  pm_array *inputs = pm_xcalloc(sig->inputs.len + 1, sizeof *inputs);
  bool ok = pm_callable_shapes(callable, sig, &args->params, inputs, r.outputs, error) && resolve(&r, given);
  free(inputs);
  free(r.outputs);
  return ok;
}

/* --- the calls --- */

static bool allocate_spare(pm_iteration *it, const pm_feed *feed, pm_buf *error) {
  pm_array *spare = &it->spare[feed->output];
  if (spare->data) return true;
  *spare = it->outputs[feed->output];
  return pm_array_allocate(spare, error);
}

bool pm_iteration_init(pm_iteration *it, pm_op *callable, const stage_signature *sig,
                       const pm_arguments *args, const pm_feed_list *feeds, pm_buf *error) {
  *it = (pm_iteration){.args = args, .feeds = feeds, .n_outputs = sig->outputs.len};
  if (!pm_new_outputs(callable, sig, &args->params, &it->outputs, error)) return false;
  it->spare = pm_xcalloc(it->n_outputs + 1, sizeof *it->spare);
  it->inputs = pm_xcalloc(args->n_inputs + 1, sizeof *it->inputs);
  it->call = (pm_call){.params = args->params.lanes,
                       .n_params = args->params.n,
                       .inputs = it->inputs,
                       .n_inputs = args->n_inputs,
                       .outputs = it->outputs,
                       .n_outputs = it->n_outputs};
  pm_iteration_restart(it);
  for (size_t i = 0; i < feeds->len; i++)
    if (!allocate_spare(it, &feeds->data[i], error)) {
      pm_iteration_free(it);
      return false;
    }
  return true;
}

void pm_iteration_free(pm_iteration *it) {
  pm_arrays_free(it->outputs, it->n_outputs);
  pm_arrays_free(it->spare, it->n_outputs);
  free(it->inputs);
  *it = (pm_iteration){0};
}

void pm_iteration_restart(pm_iteration *it) {
  if (it->args->n_inputs) memcpy(it->inputs, it->args->inputs, it->args->n_inputs * sizeof *it->inputs);
}

/* An output may feed several inputs; its arrays change places once. */
void pm_iteration_advance(pm_iteration *it) {
  for (size_t i = 0; i < it->feeds->len; i++) {
    const pm_feed *feed = &it->feeds->data[i];
    it->inputs[feed->input].data = it->outputs[feed->output].data;
  }
  for (size_t o = 0; o < it->n_outputs; o++) {
    if (!it->spare[o].data) continue;
    pm_array other = it->spare[o];
    it->spare[o] = it->outputs[o];
    it->outputs[o] = other;
  }
}
