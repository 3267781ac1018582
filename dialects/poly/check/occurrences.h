/* What a schedule tree runs and where: the stages and updates at its leaves, the loops around each of them,
 * and the memories in scope there. Found from the tree alone: who proves something of the tree starts here,
 * and trusts no pass that made or that lowers it. */
#ifndef PM_DIALECTS_POLY_CHECK_OCCURRENCES_H
#define PM_DIALECTS_POLY_CHECK_OCCURRENCES_H

#include "dialects/poly/poly.h"
#include "dialects/stage/analyses/graph.h"
#include "dialects/stage/analyses/statements.h"

/* The iterations of all but serial loops may run in any order. */
typedef enum poly_loop_kind {
  POLY_LOOP_SERIAL,
  POLY_LOOP_JAMMED,
  POLY_LOOP_VECTOR,
  POLY_LOOP_PARALLEL
} poly_loop_kind;

/* The way from the root through sequences and sets. */
typedef struct poly_place {
  const struct poly_place *parent; /* NULL: there is none outside */
  const pm_op *sequence;
  unsigned position, level;
  unsigned depth; /* loops outside the sequence */
} poly_place;

/* A poly.alloc: one memory for each iteration of the first `depth` loops around it. A whole array, which has
 * no box, is one memory for all of them; what an iteration writes is not relied on in others all the same. */
typedef struct poly_memory {
  pm_op *alloc;
  size_t number; /* among the memories of the tree */
  size_t node;   /* in whose scope it is, by number in the order of the tree */
  unsigned depth;
  bool whole, folded;
  const poly_place *outside; /* where the allocation is */
} poly_memory;

/* A band on one stage, inside of others: the stage's instances -> the members, loops from `depth` on. */
typedef struct poly_stage_band {
  const struct poly_stage_band *outer;
  const pm_op *band;
  unsigned depth;
  isl_map *members;
} poly_stage_band;

/* Iterations of the loops around an extension, those that some instance reaches. */
typedef struct poly_iterations poly_iterations;

/* A stage, one of its updates, or another statement of it at a leaf of the tree; or what an expansion
 * computes of a stage, by its statements together. Instances of statements other than updates count as those
 * of their stage: they have its tuple in all maps. */
typedef struct poly_occurrence {
  const stage_node *node;
  const stage_update_info *update;  /* NULL: no update */
  const stage_statement *statement; /* NULL: an update, or all of the stage that reaches this place */
  bool atomic;                      /* an update that does to a cell what it does in one step */
  bool complete; /* it has all instances of the stage or statement, brought by the domain */
  /* Of an expansion that lacks statements of the stage: these, and the same with all points of the stage. */
  const stage_statement *const *lacking;
  size_t n_lacking;
  const struct poly_occurrence *whole;
  /* Of a statement below an expansion: what that computes of the stage, with all its statements. */
  const struct poly_occurrence *together;
  bool *computed; /* by number of the stage's read: all that it goes to is known to be computed before */
  bool follows;   /* an update: all earlier ones are known to end before, in its memory */
  unsigned depth;
  const poly_loop_kind *loops;       /* `depth` of them */
  isl_map *brought;                  /* iterations of the loops around what brought it -> instances */
  const poly_iterations *restricted; /* those of these iterations that there are; NULL: all */
  const poly_iterations *within;     /* of all extensions around: `restricted` is among them */
  const poly_stage_band *bands;      /* since it was brought, the innermost */
  bool in_domain;                    /* all instances are known to be points of the stage's domain */
  isl_map **executed;                /* by number of loops: what poly_executed_in found */
  const poly_place *place;
  const poly_memory *writes;       /* NULL: none in scope */
  const poly_memory *const *reads; /* by number of the stage's read */
} poly_occurrence;
typedef PM_VEC(poly_occurrence *) poly_occurrence_list;

typedef struct poly_occurrences {
  const stage_graph *graph;
  const stage_statements *statements;
  pm_arena *arena;
  poly_occurrence_list all;       /* at leaves */
  poly_occurrence_list providers; /* what expansions compute: not at leaves */
  poly_occurrence_list *stages;   /* by node index: what computes points of the stage, expansions as one */
  poly_occurrence_list *stores;   /* by node index: what stores them, at leaves; updates aside */
  poly_occurrence_list *updates;  /* by node index */
  poly_occurrence_list **update;  /* those of one update, by node index and its number */
  PM_VEC(poly_memory *) memories; /* in the order of the tree */
  PM_VEC(isl_map *) members;      /* of all bands, and */
  PM_VEC(isl_set *) iterations;   /* of all extensions: owned */
} poly_occurrences;

/* Which loops count as parallel and vector loops: those that are marked, or all that may get a mark. */
typedef enum poly_marks { POLY_MARKED, POLY_COINCIDENT } poly_marks;

/* Fills `out`, which is to be freed, with structures from the arena. False after a diagnostic, where the tree
 * says what poly_check_alloc or poly_check_instances does not accept, or an expansion gives other instances
 * than its statements have, or does not run them all, once and in their order. */
bool poly_find_occurrences(pm_arena *arena, const stage_statements *statements, pm_op *schedule,
                           poly_marks marks, poly_occurrences *out);
void poly_free_occurrences(poly_occurrences *all);

/* --- of an occurrence --- */
/* The name and the number of dimensions of its instances: those of the statement. */
const char *poly_occurrence_name(const poly_occurrence *o);
unsigned poly_occurrence_dims(const poly_occurrence *o);
/* The points that it may compute: of its statement or update, or of the stage's domain; the caller's. */
__isl_give isl_set *poly_occurrence_points(const poly_occurrence *o);
/* Both may store to one cell at one point of the stage. */
bool poly_may_store_same(const poly_occurrence *a, const poly_occurrence *b);
/* What `o` computes of its stage, with the statements that it lacks as an expansion, where all points of
 * these are computed elsewhere before `then`, in that memory; else `o` itself. */
const poly_occurrence *poly_completed(const poly_occurrences *all, const poly_occurrence *o,
                                      const poly_occurrence *then, const poly_memory *m);
/* The read stands in what occurs here. */
bool poly_makes(const poly_occurrence *o, const stage_access *access);
/* Iterations of the first n loops around, or of all -> instances; the caller's. */
__isl_give isl_map *poly_executed_in(const poly_occurrence *o, unsigned n);
__isl_give isl_map *poly_executed(const poly_occurrence *o);
/* The same and more, but none more in the iterations that `other` has; with fewer constraints. */
__isl_give isl_map *poly_roughly_executed_in(const poly_occurrence *o, unsigned n,
                                             const poly_occurrence *other);
/* Iterations -> the points that one of its reads goes to; the caller's. */
__isl_give isl_map *poly_points_read(const poly_occurrence *o, const stage_access *access);
/* { [t] -> [t'] : t' are the first n loops of t }; the caller's. */
__isl_give isl_map *poly_first_loops(const poly_occurrence *o, unsigned n);
/* The band whose members are loops from `depth` on, if they are serial; else NULL. */
const poly_stage_band *poly_serial_band_at(const poly_occurrence *o, unsigned depth);
/* The band that loop number `loop` is a member of; NULL when that is around what brought the instances. */
const poly_stage_band *poly_band_over(const poly_occurrence *o, unsigned loop);

/* --- of memories; NULL stands for one memory for all, ahead of the pass storage --- */
/* The number of loops whose iterations have memories of their own. */
unsigned poly_private_depth(const poly_memory *m);
/* The whole arrays of a stage are one, wherever they are allocated. */
bool poly_may_share(const poly_memory *a, const poly_memory *b);

/* --- the order of two occurrences --- */
/* Where the ways to two leaves part: the number of loops around both, and whether the first leaf comes before
 * the other in each iteration of them. */
typedef struct poly_meeting {
  unsigned depth;
  bool before;
} poly_meeting;
poly_meeting poly_meeting_of(const poly_occurrence *first, const poly_occurrence *then);
/* All of `first` is done when `then` begins. */
bool poly_is_all_before(const poly_occurrence *first, const poly_occurrence *then);
/* { [t] -> [t'] : the first `from` loops agree, and `a` at t is not sure to run before `b` at t' } */
__isl_give isl_map *poly_not_before(const poly_occurrence *a, const poly_occurrence *b, unsigned from);
/* Takes from `missing` (taken: iterations of `then` -> points) what `first` computed before, in memory seen
 * by both. */
__isl_give isl_map *poly_subtract_earlier(__isl_take isl_map *missing, const poly_occurrence *first,
                                          const poly_occurrence *then, const poly_memory *m);

#endif
