/* Schedules as demands: what directives ask becomes poly.demand ops (dialects/poly/poly.def). */
#ifndef PM_FRONTENDS_HALIDE_PLACING_H
#define PM_FRONTENDS_HALIDE_PLACING_H

#include "frontends/halide/program/schedule.h"
#include "ir/ir.h"

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
