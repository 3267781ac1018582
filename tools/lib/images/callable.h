/* What tools call: a stage.pipeline, or a loop.func for callers outside. Both take scalars, then inputs, then
 * outputs, and the interpreter of their dialect runs them. */
#ifndef PM_TOOLS_IMAGES_CALLABLE_H
#define PM_TOOLS_IMAGES_CALLABLE_H

#include "dialects/loop/interpreter/interp.h"
#include "tools/lib/images/sizes.h"

/* The one of the module: its stage.pipeline, or where there is none the loop.func. One that describes another
 * or is a version of it counts where no other is there. NULL with an error, which calls the module `file`. */
pm_op *pm_only_callable(pm_module *module, const char *file, pm_buf *error);
/* The first of them, and how many there are; NULL: none. */
pm_op *pm_first_callable(pm_module *module, unsigned *n);
/* It has no result, and its arrays are of numbers; false with an error. */
bool pm_is_called_with_arrays(pm_op *callable, pm_buf *error) PM_MUST_USE;
/* The params, inputs and outputs; to be freed. The op of an argument declares it: a stage.param, stage.input
 * or stage.func, a loop.param, buf.input or buf.output. That of a result is the loop.func. */
void pm_callable_signature(pm_op *callable, stage_signature *sig);
pm_string pm_callable_name(const pm_op *callable);
/* The value that the op of an integer param estimates; false: it has none. */
bool pm_param_estimate(const pm_op *param, int64_t *value);
/* The points of an array, as a set over the params. Extents of a loop.func that are not affine in the params
 * are params of their own, `NAME_extent_D`. */
pm_attr pm_array_domain(const pm_op *array);

/* Types, ranks and extents of the arrays that a call with these params passes, without data. False with an
 * error, or after a diagnostic. */
bool pm_callable_shapes(pm_op *callable, const stage_signature *sig, const pm_params *params,
                        pm_array *inputs, pm_array *outputs, pm_buf *error) PM_MUST_USE;
/* The same of one output of a pipeline. */
bool pm_output_shape(pm_op *pipeline, const stage_arg *output, const pm_params *params, pm_array *out,
                     pm_buf *error) PM_MUST_USE;
/* Interprets it. `options` are for a loop.func, or NULL. False after a diagnostic. */
bool pm_callable_interpret(pm_op *callable, const pm_call *call,
                           const loop_interp_options *options) PM_MUST_USE;

/* Fills the array with numbers that look random, 0..255 or that over 255 for floats: the same for the same
 * seed and number of the argument, on every machine. */
void pm_fill_random(pm_array *array, uint64_t seed, uint64_t argument);

#endif
