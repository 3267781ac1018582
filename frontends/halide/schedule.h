/* Schedules: the loops that directives make of each definition, and where Funcs are computed. Directives are
 * checked where they stand; what they ask becomes poly.demand ops (dialects/poly/poly.def). Private to this
 * frontend. */
#ifndef PM_FRONTENDS_HALIDE_SCHEDULE_H
#define PM_FRONTENDS_HALIDE_SCHEDULE_H

#include "frontends/halide/interp.h"
#include "frontends/halide/lower.h"

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
  H_VEC(h_loop) loops;
  bool is_factored; /* rfactor would have made other loops of it */
};

typedef enum h_level_kind { H_NOWHERE, H_INLINE, H_ROOT, H_AT } h_level_kind;

typedef struct h_level {
  h_level_kind kind;
  h_symbol *func; /* of H_AT: at its loop `var` */
  const h_var *var;
  pm_loc loc;
} h_level;

struct h_schedule {
  h_level compute, store, with;
  const h_level *compute_from, *store_from; /* LoopLevels that say it in their place: they may change later */
  bool has_loops;                           /* some directive is of the loops */
  const char *memory; /* "MemoryType::GPUShared"; NULL: nothing is said, or the target has no groups */
  pm_loc memory_loc, groups_loc; /* of the last directive that is of blocks or threads */
  struct h_nest pure;
  H_VEC(struct h_nest) updates;
};

/* A Func that directives made of another, or of a buffer, for those who read it. */
struct h_copy {
  h_symbol *of;
  bool is_clone;             /* it computes the same; else it is a copy of the values */
  H_VEC(h_symbol *) readers; /* none: all */
  bool is_again;             /* no stage: the readers compute it at their own points */
  pm_loc loc;
};

/* A directive as a member of a Func or of a stage of one; `found` says whether it is one. */
hv h_direct(const h_call *call, bool *found);
/* The nearest name of a directive, or NULL. */
const char *h_nearest_directive(pm_string name);
/* Of the loops that are fused with loop number `at` the innermost one: their iterations are its. */
int h_innermost_fused(const struct h_nest *nest, int at);
/* "y (parallel), x": from the outside. */
void h_put_loops(pm_buf *out, const struct h_nest *nest);
/* copies.c: f.clone_in(g), f.in(g), f.in(); the Func, the same for the same readers. */
hv h_make_copy(const h_call *call, bool is_clone);

/* Funcs, and what is known of them, while they become demands. */
typedef struct h_placing {
  pm_context *ctx;
  h_program *program;
  pm_op *pipeline;
  pm_map *funcs; /* pm_string -> stage.func */
} h_placing;
/* Makes stages of the copies, which their readers read then; those that are computed again stay none. False
 * after diagnostics. */
bool h_place_copies(h_placing *l);
/* The reader is one of those that compute the Func again. */
bool h_computes_again(const h_program *p, const h_symbol *s, const h_symbol *reader);

/* lower_schedule.c: where a Func is computed; never NULL. */
const h_level *h_compute_level(const h_symbol *s);
/* The Func in whose loops this one is computed, or that it is computed with; NULL: none. */
h_symbol *h_func_around(const h_symbol *s);
/* It may be computed where it is read. */
bool h_may_be_inlined(const h_symbol *s);
pm_string h_stage_of(const h_symbol *s);
/* The number of the loop in the nest of the Func's first definition, of those that are fused the innermost;
 * -1: none. */
int h_loop_of(const h_symbol *s, const h_var *var);

/* blocks.c: groups of work-items. The number of the innermost loop of blocks of the Func; -1: it has none. */
int h_innermost_block(const h_symbol *s);
/* It is computed by an item for itself, in loops of threads. */
bool h_is_of_item(const h_symbol *s);
/* It is, and can be: it is inlined. */
bool h_is_inlined_by_items(const h_symbol *s);
/* Points of the dimension that a block has; INT32_MAX: all, 0: not known. */
int64_t h_points_in_block(const h_symbol *s, unsigned dim);
/* The items of a group of the Func, the last is of its first dimension: the number of sizes, 0: they are not
 * said, or not known. */
enum { H_MAX_ITEM_DIMS = 3 };
unsigned h_items_of(const h_symbol *s, int64_t *sizes);
/* The loops of the Func can be those of groups, and it is placed where groups can compute it; false after
 * diagnostics. What cannot be followed is a remark. */
bool h_check_blocks(const h_placing *l, const h_symbol *s);

/* What the schedules of the Funcs ask, as demands in the pipeline; false after diagnostics. */
bool h_lower_schedules(h_program *p, pm_op *pipeline);

#endif
