/* What the checks of a pipeline share. */
#ifndef PM_DIALECTS_STAGE_VERIFY_PARTS_H
#define PM_DIALECTS_STAGE_VERIFY_PARTS_H

#include "dialects/stage/analyses/facts.h"
#include "dialects/stage/stage.h"

typedef struct stage_verifier {
  const pm_op *pipeline;
  pm_context *ctx;
  isl_set *context; /* borrowed, or NULL */
  stage_facts *facts;
  pm_map *symbols;   /* pm_string -> op */
  pm_map *good_sets; /* attributes whose params are known and whose object is a set */
  pm_map *boxes;     /* attributes of domains that are known as boxes */
  PM_VEC(const pm_op *) funcs;
} stage_verifier;

/* --- sets --- */

/* The parameters of a set are integer params of the pipeline. An attribute of another kind fails silently:
 * the op's own hook reports it. */
bool verify_params_of_set(stage_verifier *v, const pm_op *op, pm_attr attr);
/* A copy without tuple name, within what the context says of its params. */
__isl_give isl_set *verify_in_context(const stage_verifier *v, __isl_keep isl_set *set);
/* The part of the set that there may be, by all of the context and by the types of params; perhaps one point
 * alone. It is asked for where something is wrong without that, which is rare. */
__isl_give isl_set *verify_possible(const stage_verifier *v, __isl_take isl_set *set);
/* " at (1, 2) when R = 3" of a point of the set, which is not empty. */
void verify_put_sample(pm_buf *out, __isl_take isl_set *set);
/* The set, which the op has as its `what`, has finitely many points for each value of the parameters. */
bool verify_bounded(stage_verifier *v, const pm_op *op, pm_attr attr, const char *what);

/* --- what is known of attributes in the context of the pipeline; `b` may be NULL --- */

isl_fact verify_fact_of(const stage_verifier *v, const char *what, pm_attr a, pm_attr b);
bool verify_is_known(const stage_verifier *v, isl_fact fact);
void verify_note(const stage_verifier *v, isl_fact fact);

/* --- parts of the check: false after a diagnostic --- */

/* Cases are inside the domain of their func, and those without a guard have no points in common. */
bool verify_cases(stage_verifier *v, const pm_op *func);

#endif
