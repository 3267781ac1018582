#include "dialects/poly/forms.h"

#include "dialects/poly/tree.h"
#include "dialects/stage/stage.h"

static bool has_no_schedule(const pm_op *op) {
  return pm_is(op, &stage_pipeline) && !poly_find_schedule(op);
}

static bool has_whole_stages(const pm_op *op) {
  return pm_is(op, &poly_schedule) && !pm_attr_at(op, poly_schedule_expanded);
}

static bool is_schedule(const pm_op *op) {
  return pm_is(op, &poly_schedule);
}

static bool is_expanded(const pm_op *op) {
  return pm_is(op, &poly_schedule) && pm_attr_at(op, poly_schedule_expanded);
}

const pm_form poly_scheduled_form = {"scheduled", "a tree orders the stages", has_no_schedule,
                                     "has no poly.schedule", is_schedule};
const pm_form poly_grouped_form = {"grouped", "stages that are computed together are one group", NULL, NULL,
                                   NULL};
const pm_form poly_tiled_form = {"tiled", "groups have their tiles", NULL, NULL, NULL};
const pm_form poly_stored_form = {"stored", "stages have their memory", NULL, NULL, NULL};
const pm_form poly_expanded_form = {"expanded", "the tree orders statements, not stages", has_whole_stages,
                                    "has stages that are not expanded into statements", is_expanded};
const pm_form poly_restructured_form = {
    "restructured", "loops are interchanged, skewed and cut, where that makes loops without dependences",
    NULL, NULL, NULL};
const pm_form poly_vectors_form = {"vectors", "innermost loops of vectors or work-items are marked", NULL,
                                   NULL, NULL};
const pm_form poly_parallel_form = {"parallel", "loops of threads or of groups of work-items are marked",
                                    NULL, NULL, NULL};
