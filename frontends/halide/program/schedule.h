/* Schedules: the loops that directives make of each definition, and where Funcs are computed. */
#ifndef PM_FRONTENDS_HALIDE_SCHEDULE_H
#define PM_FRONTENDS_HALIDE_SCHEDULE_H

#include "frontends/halide/program/program.h"

/* Blocks and threads: where the target has groups of work-items. */
typedef enum h_loop_kind { H_SERIAL, H_PARALLEL, H_VECTOR, H_UNROLLED, H_BLOCK, H_THREAD } h_loop_kind;

typedef struct h_loop {
  const h_var *var;
  unsigned dim; /* of the Func; of an RVar the number of Vars and then its own */
  int64_t step; /* how many points of the dimension are in one iteration; 0: not known */
  h_loop_kind kind;
  bool is_fused; /* with the loop outside of it */
} h_loop;

/* Of one definition, the innermost first. */
struct h_nest {
  CX_VEC(h_loop) loops;
  bool is_factored; /* rfactor would have made other loops of it */
};

typedef enum h_level_kind { H_NOWHERE, H_INLINE, H_ROOT, H_AT } h_level_kind;

typedef struct h_level {
  h_level_kind kind;
  h_symbol *func; /* of H_AT: at its loop `var` */
  const h_var *var;
  pm_loc loc;
} h_level;

/* Var::outermost(): a variable of this name. */
#define H_OUTERMOST "__outermost"
bool h_is_outermost(const h_var *var);

struct h_schedule {
  h_level compute, store, with;
  const h_level *compute_from, *store_from; /* LoopLevels that say it in their place: they may change later */
  bool has_loops;                           /* some directive is of the loops */
  bool is_begun;                            /* the Func is defined, and has loops */
  const char *memory; /* "MemoryType::GPUShared"; NULL: nothing is said, or the target has no groups */
  pm_loc memory_loc, groups_loc; /* of the last directive that is of blocks or threads */
  struct h_nest pure;
  CX_VEC(struct h_nest) updates;
};

/* A Func that directives made of another, or of a buffer, for those who read it. */
struct h_copy {
  h_symbol *of;
  bool is_clone;              /* it computes the same; else it is a copy of the values */
  CX_VEC(h_symbol *) readers; /* none: all */
  bool is_again;              /* no stage: the readers compute it at their own points */
  pm_loc loc;
};

/* Of the loops that are fused with loop number `at` the innermost one: their iterations are its. */
int h_innermost_fused(const struct h_nest *nest, int at);
/* "y (parallel), x": from the outside. */
void h_put_loops(pm_buf *out, const struct h_nest *nest);
bool h_has_reader(const struct h_copy *copy, const h_symbol *reader);
/* Iterations of the RVar write different elements, whatever the other RVars are. */
bool h_writes_apart(const h_symbol *s, const h_definition *d, const h_var *var);
/* The word that made the copy: "clone_in". */
const char *h_word_of(const struct h_copy *copy);

#endif
