/* Register blocking. A step of the reduction, for J rows of R vectors, loads R vectors that the rows share, J
 * numbers that the vectors share, and J * R vectors of no other use; it computes J * R times. So both numbers
 * should be large, while the sums and what they share fit the registers (Lam, Rothberg, Wolf, "The cache
 * performance and optimizations of blocked algorithms", ASPLOS 1991; Callahan, Carr, Kennedy, "Improving
 * register allocation for subscripted variables", PLDI 1990). */
#include "passes/loop/accumulate-in-registers/plan.h"

#include "dialects/loop/analyses/loops.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/loop.h"

#include <stdlib.h>

enum {
  CHAIN_OPS = 8, /* that a core could do while it waits for one addition */
  LOOP_OPS = 2,  /* of a loop itself */
  LOAD_OPS = 2,  /* of a vector, which another step finds in another line of a cache */
  MOST_OPS = 600 /* of a step */
};

/* What a step of the reduction needs, each number of which is for one element of a row. */
typedef struct step_work {
  int64_t shared_vectors; /* loads along the row that are the same in all rows */
  int64_t vectors;        /* other loads along the row */
  int64_t shared_scalars; /* numbers for all elements of the row, the same in all rows */
  int64_t scalars;        /* others */
  int64_t ops, accumulators;
} step_work;

/* The op gives the same in all iterations of the loop. */
static bool is_shared(const reduction_nest *nest, const pm_op *op, const pm_op *loop) {
  return !loop || !nest_changes_with(nest, op, loop);
}

static void add_scalars(const reduction_nest *nest, const pm_op *op, const pm_op *jammed, step_work *w) {
  for (unsigned i = 0; i < op->n_operands; i++) {
    const pm_value *v = pm_arg(op, i);
    if (pm_is_memref(v->type) || pm_is_index(v->type) || nest_is_vector(nest, v) || pm_constant_value(v))
      continue;
    bool shared = !jammed || !nest_depends(nest, v, jammed);
    *(shared ? &w->shared_scalars : &w->scalars) += 1;
  }
}

/* A load of a number is one with making a vector of it. */
static step_work work_of(const reduction_nest *nest, const pm_op *jammed) {
  step_work w = {.accumulators = (int64_t)nest->accumulators.len};
  PM_FOR_OPS(op, pm_region_at(nest->row, loop_for_body)) {
    if (nest_accumulator_of(nest, op) || op->n_results != 1 || !nest_is_vector(nest, pm_res(op, 0))) continue;
    if (pm_has_trait(op, PM_READS))
      *(is_shared(nest, op, jammed) ? &w.shared_vectors : &w.vectors) += 1;
    else
      w.ops++;
    add_scalars(nest, op, jammed, &w);
  }
  const pm_op *innermost = nest->loops.data[nest->loops.len - 1];
  PM_FOR_OPS(op, pm_region_at(innermost, loop_for_body))
  if (op != nest->row && !pm_is(op, &buf_load))
    *(is_shared(nest, op, jammed) ? &w.shared_scalars : &w.scalars) += 1;
  return w;
}

/* What rows share is held while all of them use it: in a step row by row all vectors, and the numbers of one
 * row; vector by vector the other way round. */
static int64_t held_by_row(const step_work *w, int64_t vectors) {
  return vectors * w->shared_vectors + w->scalars;
}

static int64_t held_by_vector(const step_work *w, int64_t rows) {
  return rows * w->scalars + w->shared_vectors;
}

static bool goes_by_row(const step_work *w, int64_t rows, int64_t vectors) {
  return held_by_row(w, vectors) < held_by_vector(w, rows);
}

/* Registers that hold vectors through a step, with one for what is computed. */
static int64_t registers_of(const step_work *w, int64_t rows, int64_t vectors) {
  int64_t held = goes_by_row(w, rows, vectors) ? held_by_row(w, vectors) : held_by_vector(w, rows);
  return w->accumulators * rows * vectors + held + w->shared_scalars + (w->vectors > 0) + 1;
}

static int64_t ops_of_step(const step_work *w, int64_t rows, int64_t vectors) {
  int64_t ops = LOOP_OPS + w->shared_scalars + rows * w->scalars + LOAD_OPS * vectors * w->shared_vectors +
                rows * vectors * (LOAD_OPS * w->vectors + w->ops);
  int64_t chain = CHAIN_OPS * (w->ops ? 1 : 0);
  return ops > chain ? ops : chain;
}

/* Of a loop, at most; without a bound what is usual on the machine. */
static int64_t usual_trips(const pm_op *loop, const pm_machine *machine) {
  int64_t most;
  return loop_find_most_trips(loop, &most) ? most : machine->size;
}

/* Operations for a step of the whole row in so many rows: whole strips, and strips of half as many vectors
 * and so on once each. */
static int64_t ops_of_rows(const step_work *w, int64_t rows, int64_t vectors, int64_t row_vectors) {
  int64_t ops = 0;
  for (; vectors; row_vectors %= vectors, vectors /= 2)
    ops += row_vectors / vectors * ops_of_step(w, rows, vectors);
  return ops;
}

static int64_t ops_of_plan(const step_work *w, const accumulate_plan *p, int64_t all_rows,
                           int64_t row_vectors) {
  int64_t ops = 0;
  for (int64_t rows = p->rows; rows; all_rows %= rows, rows /= 2)
    ops += all_rows / rows * ops_of_rows(w, rows, p->vectors, row_vectors);
  return ops;
}

/* The strips go around loops that would read the same again. */
static unsigned strip_place(const reduction_nest *nest, unsigned jammed) {
  unsigned at = nest->n_free;
  for (unsigned i = nest->n_free; i-- > jammed;)
    if (work_of(nest, nest->loops.data[i]).shared_vectors) at = i;
  return at;
}

/* What is asked for, and the best so far, with its operations for a row. */
typedef struct search {
  const reduction_nest *nest;
  const pm_machine *machine;
  accumulate_limits limits;
  accumulate_plan best;
  double least;
} search;

static bool fits(const search *s, const step_work *w, int64_t rows, int64_t vectors) {
  bool one = rows == 1 && vectors == 1;
  return (one || registers_of(w, rows, vectors) <= s->machine->vector_registers) &&
         ops_of_step(w, rows, vectors) <= MOST_OPS;
}

/* Blocks of rows of the loop; of one row, where it is one of the reduction. */
static void try_loop(search *s, unsigned jammed) {
  const pm_op *loop = jammed < s->nest->n_free ? s->nest->loops.data[jammed] : NULL;
  step_work w = work_of(s->nest, loop);
  int64_t row_vectors = usual_trips(s->nest->row, s->machine) / s->nest->lanes;
  int64_t rows = loop ? usual_trips(loop, s->machine) : 1, most = loop ? s->limits.rows : 1;
  for (unsigned j = loop ? 2 : 1; j <= rows && j <= most; j++)
    for (unsigned r = 1; r <= s->limits.vectors && r <= row_vectors && fits(s, &w, j, r); r++) {
      accumulate_plan p = {.vectors = r, .rows = j, .jammed = jammed, .by_row = goes_by_row(&w, j, r)};
      double ops = (double)ops_of_plan(&w, &p, rows, row_vectors) / (double)rows;
      if (s->best.vectors && ops >= s->least) continue;
      s->least = ops;
      s->best = p;
    }
}

accumulate_plan accumulate_plan_of(const reduction_nest *nest, const pm_machine *machine,
                                   accumulate_limits limits) {
  search s = {.nest = nest, .machine = machine, .limits = limits};
  try_loop(&s, nest->n_free);
  for (unsigned i = 0; i < nest->n_free; i++)
    if (work_of(nest, nest->loops.data[i]).shared_vectors) try_loop(&s, i);
  s.best.strip = strip_place(nest, s.best.jammed);
  return s.best;
}
