/* Stages of an evaluation have numbers as names, `stage.N`, until all of them are there. */
#include "dialects/stage/stage.h"
#include "frontends/pixel/pixel.h"

#include <stdlib.h>
#include <string.h>

uint32_t px_stage_number(pm_string own) {
  return (uint32_t)strtoul(own->text + strlen("stage."), NULL, 10);
}

bool px_is_output(const pm_region *pipeline, uint32_t number) {
  PM_FOR_OPS(op, pipeline)
  if (pm_is(op, &stage_output) && px_stage_number(pm_sym_at(op, stage_output_stage)) == number) return true;
  return false;
}

static pm_walk rename_read(void *user, pm_op *op) {
  pm_string *const *names = user;
  if (pm_is(op, &stage_read))
    pm_set_attr(op, stage_read_stage,
                pm_get_symbol(pm_op_context(op), (*names)[px_stage_number(pm_sym_at(op, stage_read_stage))]));
  return PM_WALK_ON;
}

void px_rename_stages(pm_op *pipeline, pm_string *names) {
  pm_walk_pre(pipeline, rename_read, &names);
  PM_FOR_OPS(op, pm_region_at(pipeline, stage_pipeline_body)) {
    if (!stage_is_array(op) && !pm_is(op, &stage_output)) continue;
    int slot = pm_is(op, &stage_func)    ? stage_func_sym
               : pm_is(op, &stage_input) ? stage_input_sym
                                         : stage_output_stage;
    pm_set_attr(op, slot, pm_get_symbol(pm_op_context(op), names[px_stage_number(pm_sym_at(op, slot))]));
  }
}
