#include "tools/lib/driver/boxes.h"

#include "dialects/loop/interpreter/interp.h"
#include "dialects/loop/loop.h"
#include "dialects/stage/stage.h"
#include "ir/pass.h"
#include "tools/lib/images/callable.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the boxes --- */

/* "0:512" up to a comma or the end. */
static bool read_interval(const char **at, int64_t *lo, int64_t *hi) {
  char *end;
  errno = 0;
  *lo = strtoll(*at, &end, 10);
  if (end == *at || *end != ':') return false;
  *at = end + 1;
  *hi = strtoll(*at, &end, 10);
  if (end == *at || errno || (*end && *end != ',')) return false;
  *at = *end ? end + 1 : end;
  return true;
}

static char *keep_text(pm_boxes *r, pm_buf *text) {
  char *kept = pm_buf_take(text);
  PM_VEC_PUSH(r->owned, kept);
  return kept;
}

/* The value is what the schedule is made for, too. */
static void add_param(pm_boxes *r, pm_named_list *params, const stage_arg *param, int64_t value) {
  pm_buf text = {0};
  pm_buf_printf(&text, "%lld", (long long)value);
  PM_VEC_PUSH(*params, ((pm_named){.name = param->name->text, .value = keep_text(r, &text)}));
  pm_type type = pm_get_scalar(pm_op_context(param->op), PM_I64);
  pm_set_attr(param->op, stage_param_estimate, pm_get_int(type, value));
}

/* How many planes the dimension of the output is of; 0: it is none of planes. */
static int64_t count_planes(const stage_arg *output, unsigned d) {
  isl_set *domain = isl_peek_set(stage_domain_of(output->op));
  int64_t n = 0;
  return stage_is_of_planes(domain, d) && pm_constant_extent(output->op, d, &n) ? n : 0;
}

/* Whether an output may have such indices; `only`: there is no other output. */
static bool is_interval(const char *box, int64_t lo, int64_t hi, bool only, pm_buf *error) {
  if (lo < 0)
    return pm_failf(error, "--region '%s': %" PRId64 ":%" PRId64 " begins before index 0", box, lo, hi);
  if (hi < lo)
    return pm_failf(error, "--region '%s': %" PRId64 ":%" PRId64 " ends before it begins", box, lo, hi);
  if (hi > INT32_MAX)
    return pm_failf(error, "--region '%s': %" PRId64 ":%" PRId64 " ends behind 2^31, where no box ends", box,
                    lo, hi);
  return lo < hi || !only ||
         pm_failf(error, "--region '%s': %" PRId64 ":%" PRId64 " is empty, and there is no other output", box,
                  lo, hi);
}

/* Elements of one tuple have one box. */
static size_t count_boxes(const stage_signature *sig) {
  size_t n = 0;
  for (size_t i = 0; i < sig->outputs.len; i++) n += !sig->outputs.data[i].element;
  return n;
}

/* It has bounds of its own, in place of those of an output ahead. */
static bool has_own_box(const pm_boxes *r, const stage_arg *output) {
  pm_string name = pm_sym_at(output->op, stage_func_sym);
  return stage_box_of(r->pipeline, name) == name;
}

/* The bounds of one output, which are the params from *bound on. */
static bool add_bounds(pm_boxes *r, const stage_signature *sig, const stage_arg *output, size_t *bound,
                       pm_named_list *params, pm_buf *error) {
  const pm_named *box = pm_named_entry(&r->boxes, output->name);
  if (!box) return pm_failf(error, "--region: output '%s' has no box", output->name->text);
  const char *at = box->value;
  for (unsigned d = 0; d < output->n_dims; d++) {
    int64_t lo, hi;
    if (!read_interval(&at, &lo, &hi))
      return pm_failf(
          error, "--region '%s': it should be as 0:512 for each of the %u dimensions of '%s', with commas",
          box->value, output->n_dims, output->name->text);
    if (!is_interval(box->value, lo, hi, count_boxes(sig) == 1, error)) return false;
    int64_t planes = count_planes(output, stage_dim_of(output->order, d));
    if (planes && (lo != 0 || hi != planes))
      return pm_failf(
          error, "--region '%s': the planes of '%s' are computed together, so dimension %u should be 0:%lld",
          box->value, output->name->text, d, (long long)planes);
    if (planes || !has_own_box(r, output)) continue;
    add_param(r, params, &sig->params.data[(*bound)++], lo);
    add_param(r, params, &sig->params.data[(*bound)++], hi);
  }
  return !*at || pm_failf(error, "--region '%s': '%s' has only %u dimension%s", box->value,
                          output->name->text, output->n_dims, output->n_dims == 1 ? "" : "s");
}

static bool add_all_bounds(pm_boxes *r, const stage_signature *sig, pm_named_list *params, pm_buf *error) {
  size_t bound = sig->params.len;
  for (size_t i = 0; i < sig->outputs.len; i++)
    for (unsigned d = 0; !sig->outputs.data[i].element && d < sig->outputs.data[i].n_dims; d++)
      bound -= count_planes(&sig->outputs.data[i], stage_dim_of(sig->outputs.data[i].order, d)) ||
                       !has_own_box(r, &sig->outputs.data[i])
                   ? 0
                   : 2;
  for (size_t i = 0; i < sig->outputs.len; i++)
    if (!sig->outputs.data[i].element && !add_bounds(r, sig, &sig->outputs.data[i], &bound, params, error))
      return false;
  return true;
}

/* --- the pipeline --- */

static pm_op *only_pipeline(pm_module *module) {
  PM_FOR_OPS(op, pm_module_body(module))
  if (pm_is(op, &stage_pipeline)) return op;
  return NULL;
}

static pm_op *region_of(const pm_op *pipeline) {
  PM_FOR_OPS(op, pipeline->region)
  if (pm_is(op, &stage_pipeline) &&
      pm_sym_at(op, stage_pipeline_region) == pm_sym_at(pipeline, stage_pipeline_sym))
    return op;
  return NULL;
}

static bool run_passes(pm_module *module, const char *text) {
  pm_pass_manager *manager = pm_pass_manager_new(pm_module_context(module));
  pm_run_config config = pm_default_run_config();
  bool ok = pm_parse_pipeline(manager, "--region", text) && pm_run_passes(manager, module, &config);
  pm_pass_manager_free(manager);
  return ok;
}

/* Those of all outputs are alike, so that the bounds of one may be those of others. */
static bool have_one_box(const pm_boxes *r) {
  for (size_t i = 1; i < r->boxes.len; i++)
    if (strcmp(r->boxes.data[i].value, r->boxes.data[0].value) != 0) return false;
  return true;
}

bool pm_boxes_take(pm_boxes *r, pm_op *pipeline, pm_named_list *params, pm_buf *error) {
  stage_signature sig;
  r->whole = pm_module_clone(pm_module_of(pipeline));
  if (!run_passes(pm_module_of(pipeline), have_one_box(r) ? "region-entries" : "region-entries{share=false}"))
    return false;
  r->pipeline = region_of(pipeline);
  r->context = pm_attr_at(r->pipeline, stage_pipeline_context);
  pm_set_attr(r->pipeline, stage_pipeline_context, pm_attr_at(pipeline, stage_pipeline_context));
  pm_op_erase(pipeline);
  stage_signature_get(r->pipeline, &sig);
  bool ok = pm_resolve_names(&r->boxes, "--region", "output", sig.outputs.data, sig.outputs.len, error) &&
            add_all_bounds(r, &sig, params, error);
  stage_signature_free(&sig);
  pm_set_attr(r->pipeline, stage_pipeline_region, NULL);
  return ok;
}

/* --- once sizes are known --- */

static bool is_inside(const pm_boxes *r, pm_op *pipeline, const stage_arg *output, const pm_params *params,
                      pm_buf *error) {
  const char *box = pm_named_entry(&r->boxes, output->name)->value, *at = box;
  pm_array shape;
  if (!pm_output_shape(pipeline, output, params, &shape, error)) return false;
  for (unsigned d = 0; d < output->n_dims; d++) {
    int64_t lo, hi;
    if (read_interval(&at, &lo, &hi) && hi <= shape.extents[d]) continue;
    return pm_failf(error, "--region '%s': dimension %u of '%s' has the indices 0:%" PRId64, box, d,
                    output->name->text, shape.extents[d]);
  }
  return true;
}

bool pm_boxes_check(pm_boxes *r, const pm_params *params, pm_buf *error) {
  stage_signature sig;
  pm_op *pipeline = only_pipeline(r->whole);
  bool ok = true;
  stage_signature_get(pipeline, &sig);
  for (size_t i = 0; ok && i < sig.outputs.len; i++)
    if (!sig.outputs.data[i].element) ok = is_inside(r, pipeline, &sig.outputs.data[i], params, error);
  stage_signature_free(&sig);
  pm_set_attr(r->pipeline, stage_pipeline_context, r->context);
  return ok;
}

/* --- what they need --- */

static bool give_number(pm_op *func, const pm_params *params, size_t array, unsigned d, int end,
                        int64_t *out) {
  size_t n = params->n + 3;
  pm_lane *lanes = pm_xcalloc(n, sizeof *lanes);
  pm_array result = {0};
  memcpy(lanes, params->lanes, params->n * sizeof *lanes);
  lanes[n - 3].i = (int64_t)array;
  lanes[n - 2].i = d;
  lanes[n - 1].i = end;
  bool ok = loop_find_shapes(func, lanes, n, NULL, &result);
  pm_lane value = {0};
  result.data = &value;
  pm_call call = {.params = lanes, .n_params = n, .outputs = &result, .n_outputs = 1};
  ok = ok && loop_interpret(func, &call, &(loop_interp_options){0});
  *out = value.i;
  free(lanes);
  return ok;
}

static bool print_array(pm_op *func, const stage_arg *input, size_t array, const pm_params *params) {
  printf("%s:", input->name->text);
  for (unsigned d = 0; d < input->n_dims; d++) {
    int64_t ends[2];
    for (int end = 0; end < 2; end++)
      if (!give_number(func, params, array, d, end, &ends[end])) return false;
    printf("%s %" PRId64 ":%" PRId64, d ? "," : "", ends[0], ends[1]);
  }
  putchar('\n');
  return true;
}

static pm_op *needs_of(pm_module *module) {
  PM_FOR_OPS(op, pm_module_body(module))
  if (pm_is(op, &loop_func) && pm_attr_at(op, loop_func_of)) return op;
  return NULL;
}

bool pm_boxes_print_needs(const pm_boxes *r, const stage_signature *sig, const pm_params *params,
                          const pm_driver_options *options) {
  pm_module *copy = pm_module_clone(pm_module_of(r->pipeline));
  pm_op *pipeline = pm_driver_pipeline(copy, options);
  pm_set_attr(pipeline, stage_pipeline_region, pm_attr_at(pipeline, stage_pipeline_sym));
  bool ok = pm_driver_run(copy, "schedule,lower-poly", NULL, options);
  pm_op *func = ok ? needs_of(copy) : NULL;
  for (size_t i = 0; ok && i < sig->inputs.len; i++) ok = print_array(func, &sig->inputs.data[i], i, params);
  pm_module_free(copy);
  return ok;
}

void pm_boxes_free(pm_boxes *r) {
  if (r->whole) pm_module_free(r->whole);
  for (size_t i = 0; i < r->owned.len; i++) free(r->owned.data[i]);
  PM_VEC_FREE(r->owned);
  PM_VEC_FREE(r->boxes);
}
