/* The cheapest partition of a graph of stages into groups, by dynamic programming.
 *
 * The recurrence is that of DP-fusion (Jangda and Bondhugula, TOPLAS 42(3), 2020, section 3), turned round:
 * consumers first, and one group is open at a time. A state is the set of stages whose groups are closed,
 * together with the open group; it is continued by adding a stage whose readers are all in a group, or by
 * closing the group. So the groups can be run one after the other by construction, and the least cost is that
 * of all partitions into connected groups. A chain of n stages has n (n + 1) / 2 states.
 *
 * Groups of more than `limit` stages are found incrementally (section 6 of the paper): each round takes the
 * groups of the one before for single stages.
 *
 * At the end groups that are not connected but read the same are joined two by two, those first that gain
 * most, as long as that costs less.
 */
#ifndef PM_DIALECTS_POLY_COST_PARTITION_H
#define PM_DIALECTS_POLY_COST_PARTITION_H

#include "dialects/poly/indices.h"

typedef struct poly_partition_problem {
  unsigned n;                  /* stages, numbered producers first */
  const poly_indices *readers; /* of each stage, without repetition; each has a greater number */
  const poly_indices
      *related;   /* of each stage, those that read what it reads; both name each other; or NULL */
  unsigned limit; /* stages of a group in one round, at least 1 */
  /* States of one round. A round that would take more starts again with as many, shared among the sizes of
   * closed sets: of each size the cheapest sets are continued. It takes as many more as there are stages. */
  uint64_t budget;
  /* False when the stages (ascending) may not be a group; then no superset may be one that only adds stages
   * which none of them is read by. HUGE_VAL: not as it is, but with more stages perhaps. A stage alone is
   * always a group, of finite cost. */
  bool (*judge)(void *user, const unsigned *stages, size_t n, double *cost);
  void *user;
} poly_partition_problem;

typedef struct poly_partition {
  PM_VEC(poly_indices) groups; /* producers first; stages ascending */
  double cost;
  uint64_t states; /* that were explored */
  uint64_t judged; /* groups, in all rounds */
  unsigned rounds;
  bool exhausted; /* the budget of a round: the cost may not be least */
} poly_partition;

/* Deterministic; to be freed. */
void poly_partition_find(const poly_partition_problem *problem, poly_partition *out);
void poly_partition_free(poly_partition *partition);

#endif
