#include "dialects/stage/forms.h"

#include "dialects/stage/boundary.h"

static pm_attr boundary_of(const pm_op *op) {
  return pm_is(op, &stage_read)       ? pm_attr_at(op, stage_read_boundary)
         : pm_is(op, &stage_input)    ? pm_attr_at(op, stage_input_boundary)
         : pm_is(op, &stage_constant) ? pm_attr_at(op, stage_constant_boundary)
                                      : NULL;
}

static bool has_mode(const pm_op *op) {
  pm_attr attr = boundary_of(op);
  stage_boundary boundary = {0};
  if (!attr) return false;
  unsigned rank = attr->cls == PM_ATTR_ARRAY ? attr->len : 1;
  bool read = stage_boundary_of_attr(attr, rank, &boundary);
  for (unsigned d = 0; read && d < rank; d++)
    if (boundary.modes[d] != STAGE_NONE) return true;
  return false;
}

const pm_form stage_stages_form = {"stages", "pipelines are stages: no loops have been made of them", NULL,
                                   NULL, NULL};
const pm_form stage_no_modes_form = {"no-modes", "no read has a boundary mode", has_mode,
                                     "has a boundary mode", NULL};
