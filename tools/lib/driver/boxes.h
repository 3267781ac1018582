/* --region=OUT=0:512,100:300 and --needs: a box of the outputs in place of the whole ones. */
#ifndef PM_TOOLS_DRIVER_BOXES_H
#define PM_TOOLS_DRIVER_BOXES_H

#include "tools/lib/driver/driver.h"
#include "tools/lib/images/bind.h"

/* The boxes of a command line, of all outputs. */
typedef struct pm_boxes {
  pm_named_list boxes; /* value: "0:512,100:300", a half-open interval for each dimension */
  pm_op *pipeline;     /* of the module, once it is taken */
  pm_module *whole;    /* with the pipeline that it stands for */
  pm_attr context;     /* what should hold of params and bounds, from pm_boxes_check on */
  PM_VEC(char *) owned;
} pm_boxes;

/* The pipeline that computes the boxes takes the place of `pipeline` in its module. Its inputs are whole
 * arrays, its outputs have the extents of the boxes; the bounds are added to `params`, whose texts live as
 * long as the region. False after a diagnostic or with a message. Of several outputs
 * some boxes may be empty. */
bool pm_boxes_take(pm_boxes *boxes, pm_op *pipeline, pm_named_list *params, pm_buf *error) PM_MUST_USE;
/* Once the params are known: false with a message where a box is not inside of its output. To be called
 * before the pipeline is compiled. */
bool pm_boxes_check(pm_boxes *boxes, const pm_params *params, pm_buf *error) PM_MUST_USE;
/* Prints what the boxes need of each input, as `img: 0:514 x 99:303`. False after a diagnostic. */
bool pm_boxes_print_needs(const pm_boxes *boxes, const stage_signature *sig, const pm_params *params,
                          const pm_driver_options *options) PM_MUST_USE;
void pm_boxes_free(pm_boxes *boxes);

#endif
