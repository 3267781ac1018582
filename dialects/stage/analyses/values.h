/* What the values of a case's or an update's body may be: sets of integers, by instance, from the ops that
 * compute them. See docs/updates.md, "Bounds of computed indices". */
#ifndef PM_DIALECTS_STAGE_ANALYSES_VALUES_H
#define PM_DIALECTS_STAGE_ANALYSES_VALUES_H

#include "dialects/isl/isl_dialect.h"
#include "dialects/stage/analyses/facts.h"
#include "dialects/stage/stage.h"
#include "ir/pass.h"

/* What is known of the values of one pipeline, found when it is asked for. What changes meanwhile is told
 * with stage_values_forget. */
typedef struct stage_values stage_values;

stage_values *stage_values_new(pm_op *pipeline);
void stage_values_free(stage_values *values);
/* As an analysis: one for all passes up to the first that changes a stage. */
extern const pm_analysis_desc stage_values_analysis;
#define STAGE_VALUES(pass) ((stage_values *)pm_pass_analysis(pass, &stage_values_analysis))

/* Before anything is asked: elements of the stage.input are taken to be numbers from `low` to `high`, and
 * those of its boundary. */
void stage_values_assume(stage_values *values, const pm_op *input, double low, double high);

/* Before anything is asked: coordinates have at most this many bits, fewer than STAGE_COORDINATE_BITS. For
 * domains that are still to be found: check-bounds holds what is found against all coordinates. */
void stage_values_assume_coordinates(stage_values *values, unsigned bits);

/* What the integer params may be, by their types alone: those of 64 bits too, when `wide`. The caller's. */
__isl_give isl_set *stage_types_of_params(const pm_op *pipeline, bool wide);
/* Whether the op is a stage.param of 64 bits. */
bool stage_is_wide_param(const pm_op *op);

/* What the integer params may be, by their types, when no domain is larger than stage_box_at allows;
 * borrowed. */
stage_facts *stage_values_params(stage_values *values);

/* The instances of the body that there may be under the conditions that stage_value_relation names; borrowed.
 */
isl_set *stage_values_instances(stage_values *values, const pm_op *body);

typedef struct stage_value_bounds {
  /* Instances of the body, in its set and the context -> what the value may be there, one dimension without a
   * name; never less than what it can be. A side without bounds has no constraint. The caller's. */
  isl_map *relation;
  bool exact; /* the relation is a function: the value is known at each instance */
  /* The result of an op that may be any number of its type, when that leaves the relation without a lower or
   * an upper bound; else NULL. */
  const pm_value *unbounded;
} stage_value_bounds;

/* `value` is of an integer type or index, and is used in `body`, a stage.case or stage.update: an argument of
 * it, the result of an op in it, or a stage.param. Parameters are taken to be numbers of their types, and
 * coordinates to have STAGE_COORDINATE_BITS or fewer assumed ones, also those of domains, as stage_box_at
 * checks; sums that may wrap under these conditions are of any value of their type. */
stage_value_bounds stage_value_relation(stage_values *values, pm_value *value, const pm_op *body);

/* The same of `n` values together, as indices: a dimension each; *exact: all are known. The caller's. */
__isl_give isl_map *stage_tuple_relation(stage_values *values, pm_value *const *tuple, unsigned n,
                                         const pm_op *body, bool *exact);

/* A key for isl_keep: equal where `what` and `which` are, and the `n` values are computed the same way in
 * bodies with the same instances, in any stage. NULL: they depend on values of a stage that have no bounds.
 */
pm_string stage_key_of_tuple(stage_values *values, const char *what, const void *which,
                             pm_value *const *tuple, unsigned n, const pm_op *body);
/* The same of the operands of an op from number `first` on. */
pm_string stage_key_of_operands(stage_values *values, const char *what, const void *which, const pm_op *op,
                                unsigned first, const pm_op *body);

/* Bounds of the value at every instance there may be (stage_values_instances), found without isl from the
 * types of params, the size of coordinates and constants; not the closest. False when that gives none. */
bool stage_value_span(stage_values *values, pm_value *value, const pm_op *body, int64_t *low, int64_t *high);

/* The func is about to go, or has changed in what ops its bodies have, not in what they compute: what is
 * known of them is dropped. What was found of others by reading it still holds. */
void stage_values_forget(stage_values *values, const pm_op *func);

#endif
