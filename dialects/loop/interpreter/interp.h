/* The interpreter of the loop dialect, step by step. It traps, with a diagnostic at the op and the indices:
 * accesses out of bounds, reads of unwritten cells, writes to inputs, and races: two iterations of one
 * loop.parallel, or loop.for with simd or jam, where one writes a cell that the other reads or writes; a
 * failing loop.require. What a function with a result gives is its only output, an array of rank 0. */
#ifndef PM_DIALECTS_LOOP_INTERPRETER_INTERP_H
#define PM_DIALECTS_LOOP_INTERPRETER_INTERP_H

#include "dialects/arith/call.h"

typedef struct loop_interp_options {
  int64_t max_steps;    /* 0: no limit; else an error after this many ops and iterations */
  const void *watched;  /* NULL, or an element of an output's array … */
  const pm_op **writer; /* … which this op has stored last */
  bool *outside;        /* NULL, or set where an access out of bounds is the error */
} loop_interp_options;
bool loop_interpret(pm_op *func, const pm_call *call, const loop_interp_options *options) PM_MUST_USE;

/* Sets the types, ranks and extents of the arrays that a call with these parameters passes; as many as the
 * function has buf.input and buf.output ops, and its result. False after a diagnostic. */
bool loop_find_shapes(pm_op *func, const pm_lane *params, size_t n_params, pm_array *inputs,
                      pm_array *outputs) PM_MUST_USE;

#endif
