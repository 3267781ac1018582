/* Nests of loops that combine elements of a row, again and again, with what they read. */
#ifndef PM_PASSES_LOOP_ACCUMULATE_IN_REGISTERS_NEST_H
#define PM_PASSES_LOOP_ACCUMULATE_IN_REGISTERS_NEST_H

#include "ir/ir.h"

/* An element of the row, which the vector loop loads, combines and stores. */
typedef struct accumulator {
  pm_op *load, *store; /* of one place */
} accumulator;

/* The loops around a vector loop, outermost first: some whose iterations have elements of their own, then
 * those of the reduction, whose iterations all have the same ones. Each has the next one in its body, behind
 * pure ops and loads, and no bound depends on another loop of the nest. */
typedef struct reduction_nest {
  pm_op *row; /* the vector loop */
  PM_VEC(pm_op *) loops;
  unsigned n_free; /* of the loops: those ahead of the reduction */
  PM_VEC(accumulator) accumulators;
  unsigned lanes; /* of a vector; all values of the row have as many */
} reduction_nest;

/* The nest around the vector loop, for vectors of so many bytes, which the caller frees. False: there is
 * none; `*obstacle` says why when the loop is of a reduction, else it is NULL. */
bool nest_find(pm_op *row, int64_t vector_bytes, reduction_nest *nest, const char **obstacle);
void nest_free(reduction_nest *nest);

/* The loop has the value of its counter in what the value is computed from, inside the nest. */
bool nest_depends(const reduction_nest *nest, const pm_value *value, const pm_op *loop);
/* The same of an operand of the op. */
bool nest_changes_with(const reduction_nest *nest, const pm_op *op, const pm_op *loop);
/* The op of the row is the load, or the store, of that accumulator; NULL: of none. */
const accumulator *nest_accumulator_of(const reduction_nest *nest, const pm_op *op);
/* The op of the row has a vector of its own: a load along the row, or what is computed from one. */
bool nest_is_vector(const reduction_nest *nest, const pm_value *value);

#endif
