/* Values of a pipeline's scalars, from --param and from the sizes of the input files.
 *
 * The extents of an input are functions of the integer params (its domain is an isl set); setting them equal
 * to the sizes of the files, for all inputs together, leaves one solution, none, or several.
 *
 * Integer params that are in no input's domain are those of outputs, as a rule: each gets the greatest value
 * that the context allows with those before it and some values of those behind it, or else its estimate. */
#ifndef PM_TOOLS_IMAGES_SIZES_H
#define PM_TOOLS_IMAGES_SIZES_H

#include "dialects/stage/analyses/graph.h"
#include "tools/lib/images/array.h"

/* --param NAME=VALUE, --in NAME=FILE, --out NAME=FILE; name NULL when only the right side was given. */
typedef struct pm_named {
  const char *name, *value;
  unsigned channel,
      channels; /* NAME is number `channel` of the `channels` that share FILE; 0 channels: it has its own */
} pm_named;
typedef PM_VEC(pm_named) pm_named_list;

/* What is known of an input: the array that was read and the file's name. */
typedef struct pm_sized_input {
  const char *path;
  unsigned rank;
  const int64_t *extents; /* NULL: nothing is known */
} pm_sized_input;

/* How integer params are chosen that nothing determines: each is its estimate where that is at most `most`,
 * else `usual` and its number, or the next value below that is allowed, or the least one. Floats are 0.5. */
typedef struct pm_size_choice {
  int64_t usual, most;
  const int64_t *wanted; /* NULL, or one for each param in place of both */
} pm_size_choice;

typedef struct pm_params {
  pm_lane *lanes;  /* in the form of their types, for calls */
  int64_t *values; /* integer params, 0 for others: for stage_box_at */
  size_t n;
} pm_params;

/* inputs: one for each of sig->inputs. `choice` NULL: what nothing determines is an error. False with a
 * message that names what does not fit, or which --param is missing. */
bool pm_solve_sizes(pm_op *callable, const stage_signature *sig, const pm_named_list *given,
                    const pm_sized_input *inputs, const pm_size_choice *choice, pm_params *out,
                    pm_buf *error) PM_MUST_USE;
void pm_params_free(pm_params *params);
/* `R=35,C=767,alpha=0.75` */
void pm_put_params(pm_buf *out, const stage_signature *sig, const pm_params *params);
/* Any value will do for the param: no value and no set has it. Of a pipeline without bodies, which may be
 * what is known of another one, that is not said. */
bool pm_is_unused(pm_op *pipeline, const stage_arg *param);

/* `no points for R = 4; it has some with R >= 7`: of an output without points for these params. */
void pm_put_no_points(pm_buf *out, pm_op *pipeline, const stage_signature *sig, const stage_arg *output,
                      const pm_params *params);

/* The extent of a dimension of a domain when it is the same number for all params. */
bool pm_constant_extent(pm_op *input_or_func, unsigned dim, int64_t *extent);
/* The extents of two dimensions are the same number for all params for which both domains have points. */
bool pm_same_extents(pm_op *a, unsigned dim_a, pm_op *b, unsigned dim_b);
/* "R + 2 rows by C + 2 columns" for rank 2, else "3 x R x C". */
void pm_put_domain_extents(pm_buf *out, pm_op *input_or_func);
/* "480 rows by 640 columns" for rank 2, else "3 x 480 x 640". */
void pm_put_size(pm_buf *out, unsigned rank, const int64_t *extents);

#endif
