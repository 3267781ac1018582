/* The loop dialect: see loop.def for its ops. */
#ifndef PM_DIALECTS_LOOP_H
#define PM_DIALECTS_LOOP_H

#include "dialects/loop/limits.h"

#define PM_DIALECT loop
#define PM_DIALECT_DEF "dialects/loop/loop.def"
#include "ir/declare_ops.h"
#undef PM_DIALECT
#undef PM_DIALECT_DEF

#include "ir/builder.h"

/* `fp` is "strict", "contract", "fast" or NULL. The body is empty. */
pm_op *loop_build_func(pm_builder *b, pm_string name, const char *fp);
/* The value has the name of the parameter. */
pm_value *loop_build_param(pm_builder *b, pm_string name, pm_type type);
/* The same by a name that nothing beside it has: `wanted`, or that and a number. */
pm_value *loop_build_own_param(pm_builder *b, const char *wanted, pm_type type);
/* The call fails, saying `message`, unless the condition holds. */
pm_op *loop_build_require(pm_builder *b, pm_value *condition, const char *message);

/* What a call gives that fails. From LOOP_FIRST_REQUIRE on: the requires of the function, in order. Codes
 * from 8 to 11 are those of pm/pm.h alone, which checks arguments before it calls. */
typedef enum loop_code {
  LOOP_NULL_POINTER = 1,
  LOOP_BAD_ARGUMENT = 2,
  LOOP_OUT_OF_MEMORY = 3,
  LOOP_TOO_LARGE = 4,
  LOOP_BAD_BUFFER = 5,
  LOOP_SMALL_WINDOW = 6, /* of regions alone, as the next one */
  LOOP_BAD_BOX = 7,
  LOOP_FIRST_REQUIRE = 16
} loop_code;
/* In place of the number of an array: NAME_needs_at gives how many points of stages are computed, or 0,
 * unless lower-poly{points=true} has made it. */
enum { LOOP_POINTS = -1 };
/* What the code means; NULL when it has no meaning of its own. */
const char *loop_code_text(int64_t code);
/* A call of the function may give the code, which has a meaning of its own. */
bool loop_may_give(const pm_op *func, int64_t code);
/* Ends the frame with the code unless the condition holds. */
pm_op *loop_build_check(pm_builder *b, pm_value *condition, loop_code code);
/* How many threads a loop.parallel runs on. */
pm_value *loop_build_threads(pm_builder *b);
/* The number of the thread that runs the iteration. */
pm_value *loop_build_thread(pm_builder *b);
pm_op *loop_build_yield(pm_builder *b, pm_value *const *values, unsigned n);

/* What a loop.for is besides its bounds. */
typedef struct loop_spec {
  int64_t step; /* and */
  bool simd;    /* unless `like` is given: a loop.for whose attributes the new one has */
  const pm_op *like;
  pm_string counter; /* the name of its value, or NULL */
  pm_value *const *inits;
  unsigned n_inits;
} loop_spec;

/* Loops whose body has its arguments, the counter and then what is carried, and no op: a loop.for with inits
 * wants a loop.yield at its end. */
pm_op *loop_build_for(pm_builder *b, pm_value *lb, pm_value *ub, const loop_spec *spec);
/* The same loop.for that carries `values` behind what the old one carries: it has the body, whose loop.yield
 * is to be made anew; the old one stays for its results to be replaced, with an empty body. */
pm_op *loop_carry(pm_builder *b, pm_op *old, pm_value *const *values, unsigned n);
pm_op *loop_build_parallel(pm_builder *b, pm_value *lb, pm_value *ub, int64_t step, pm_string counter);
/* At the end of the body of a loop. */
pm_builder loop_inside(pm_op *loop);
/* A loop.if without results, whose regions are not begun. */
pm_op *loop_build_if(pm_builder *b, pm_value *condition);
/* The same with results, which both regions are to yield. */
pm_op *loop_build_if_of(pm_builder *b, pm_value *condition, const pm_type *results, unsigned n);

#endif
