/* What the plan of a group costs, with tiles that are given or the best: from plans to cost functions, and
 * what remarks say of it. */
#ifndef PM_DIALECTS_POLY_COST_PRICING_H
#define PM_DIALECTS_POLY_COST_PRICING_H

#include "dialects/poly/cost/cost.h"
#include "dialects/poly/indices.h"
#include "dialects/poly/tiling/plan.h"

/* A group as a cost function is told of it; the memory is that of the group before. */
typedef struct poly_description {
  PM_VEC(poly_cost_member) members;
  PM_VEC(const poly_stage_shape *) live_ins;
  poly_indices reads; /* of all members, one after the other */
} poly_description;

typedef struct poly_pricing {
  poly_plans *plans;
  const poly_cost_function *function;
  pm_machine machine;
  int64_t most_rows;              /* of a step that a tile may be computed in; 0: it may not */
  const poly_stage_shape **shape; /* by node index */
  poly_indices *producers;        /* by node index: what the stage reads, once each */
  poly_description described;     /* the group that was priced last */
  poly_cost price;                /* of it */
  poly_prediction *parts;         /* by member, producers first, of a group that is settled */
  uint64_t *listed;               /* by node index: the number of the price that listed it last */
  unsigned *number;               /* by node index: in that price, among members and live-ins */
  uint64_t prices;
  double fresh; /* ns for the first touch of memory, of the groups that were explained */
} poly_pricing;

/* False after a diagnostic that names the cost functions there are, or of the machine; else to be closed. */
bool poly_pricing_open(poly_pricing *p, poly_plans *plans, const char *function, int64_t most_rows);
void poly_pricing_close(poly_pricing *p);

/* Prices a plan with halos, in p->price, with the sizes from dimension `first` on that are given (of all
 * dimensions) or, when `given` is NULL, with the best. */
void poly_price(poly_pricing *p, const poly_plan *plan, unsigned first, const int64_t *given);
/* The same, and says in p->parts what each member takes. */
void poly_price_parts(poly_pricing *p, const poly_plan *plan, unsigned first, const int64_t *given);
/* Gives the plan the sizes and steps of the price. A tile that has all of a dimension at the estimates has
 * all of it for other parameters too, where a member lacks the dimension and would be computed again by each
 * tile, and no memory grows with it. */
void poly_take_price(const poly_pricing *p, poly_plan *plan);

/* --- remarks --- */
/* `, in tiles of 32x256 in steps of 1`; nothing without sizes. */
void poly_put_tiles(const poly_plan *plan, pm_buf *out);
void poly_explain_group(pm_pass *pass, poly_pricing *p, const poly_plan *plan);
/* What the members take of the time, which is noted at the stages, and what tiles compute again of them. */
void poly_explain_members(pm_pass *pass, const poly_pricing *p, const poly_plan *plan);
/* What the plan that was priced last would cost in place of another that is taken. */
void poly_put_alternative(const poly_pricing *p, double taken, pm_buf *out);
/* For what sizes of the picture, and for what machine, and all groups together. */
void poly_explain_sum(pm_pass *pass, const poly_pricing *p, size_t n_stages, size_t n_groups, double cost);

#endif
