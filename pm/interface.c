#include "pm/interface.h"

#include "dialects/stage/analyses/graph.h"
#include "ir/text.h"
#include "pm/hash.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void empty(pm_region *region) {
  while (region->present && region->last) pm_op_erase(region->last);
}

static bool is_output(pm_op *pipeline, pm_string name) {
  PM_FOR_OPS(op, pm_region_at(pipeline, stage_pipeline_body))
  if (pm_is(op, &stage_output) && pm_sym_at(op, stage_output_stage) == name) return true;
  return false;
}

/* Bodies refer to other stages, so that all of them go before any stage does. */
static void keep_interface(pm_op *pipeline) {
  pm_region *body = pm_region_at(pipeline, stage_pipeline_body);
  PM_FOR_OPS(op, body)
  if (pm_is(op, &stage_func)) empty(pm_region_at(op, stage_func_cases));
  for (pm_op *op = body->first, *next; op; op = next) {
    next = op->next;
    bool seen = pm_is(op, &stage_param) || pm_is(op, &stage_input) || pm_is(op, &stage_output) ||
                (pm_is(op, &stage_func) && is_output(pipeline, pm_sym_at(op, stage_func_sym)));
    if (!seen) pm_op_erase(op);
  }
}

/* With its places, which messages tell. */
void pm_put_interface(pm_module *module, pm_buf *out) {
  pm_module *copy = pm_module_clone(module);
  PM_FOR_OPS(op, pm_module_body(copy))
  if (pm_is(op, &stage_pipeline)) keep_interface(op);
  pm_print_module(out, copy, (pm_print_options){.locs = true});
  pm_module_free(copy);
}

void pm_put_program_hash(pm_module *module, pm_buf *out) {
  pm_buf text = {0};
  pm_print_module(&text, module, (pm_print_options){.locs = true});
  pm_put_hash(out, XXH3_128bits(text.data, text.len));
  pm_buf_free(&text);
}

bool pm_put_absent(const pm_context *ctx, pm_buf *out) {
  for (size_t i = 0; i < pm_absent_count(ctx); i++) {
    if (strchr(pm_absent_at(ctx, i), '\n')) return false;
    pm_buf_printf(out, "- %s\n", pm_absent_at(ctx, i));
  }
  return true;
}

bool pm_take_absent(const char **text, bool *is_there) {
  const char *end = strchr(*text, '\n');
  if ((*text)[0] != '-' || (*text)[1] != ' ' || !end) return false;
  char *path = pm_xstrndup(*text + 2, (size_t)(end - *text - 2));
  *is_there = access(path, F_OK) == 0;
  free(path);
  *text = end + 1;
  return !*is_there;
}

/* Names of a tuple's arrays are made different from those of all stages. */
static bool has_tuples(pm_op *pipeline) {
  stage_signature sig;
  bool has = false;
  stage_signature_get(pipeline, &sig);
  for (size_t i = 0; i < sig.outputs.len; i++)
    has = has || pm_tuple_len(pm_attr_at(sig.outputs.data[i].op, stage_func_type)->t) > 1;
  stage_signature_free(&sig);
  return has;
}

bool pm_interface_is_enough(pm_module *module) {
  bool enough = !pm_warning_count(pm_module_context(module));
  PM_FOR_OPS(op, pm_module_body(module))
  if (pm_is(op, &stage_pipeline)) enough = enough && !has_tuples(op);
  return enough;
}
