/* What the parts of lower-poly share: buffers.c has the memory of stages, statements.c their bodies, loops.c
 * loops with what their marks say; from_tree.c reads loops off the tree, from_ast.c takes those that isl
 * generates; fits.c proves that what they compute fits 64 bits; needs.c makes the function that gives the
 * boxes of the arrays of a region. */
#ifndef PM_PASSES_LOWER_POLY_LOWERING_H
#define PM_PASSES_LOWER_POLY_LOWERING_H

#include "dialects/arith/arith.h"
#include "dialects/isl/affine_pool.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/loop.h"
#include "dialects/poly/lower/cuts.h"
#include "dialects/poly/lower/full_tiles.h"
#include "dialects/poly/lower/isl_tree.h"
#include "dialects/poly/lower/scan.h"
#include "dialects/poly/tree.h"
#include "dialects/stage/analyses/graph.h"
#include "passes/options.h"

#include <isl/ast_build.h>

/* Where the values of a stage or input are: buffers whose cells [0, …] are the point `origin`, one for each
 * element of its tuples. Where a dimension is folded, the cell of a point is its coordinate modulo that. */
typedef struct lower_buffer {
  pm_value **memrefs;
  pm_affine_expr *origin; /* over the pool */
  pm_attr fold;           /* integers, 0 where nothing is folded; or NULL */
  pm_attr order;          /* of the caller's array: see stage.output; or NULL */
  pm_attr stage;          /* itself, where it has the cells in turn with others; or NULL */
} lower_buffer;

/* Of the box of a stage's domain. */
typedef struct lower_box {
  pm_value **extents;
  pm_affine_expr *lower; /* over the pool */
} lower_box;

/* The first point of a scratchpad, at one place in the AST. */
typedef struct placed_alloc {
  pm_op *alloc;
  unsigned n;
  isl_ast_expr **origin;
} placed_alloc;

/* An expression over the pool that the program computes. */
typedef struct lower_noted_expr {
  pm_affine_expr expr;
  pm_loc loc;
} lower_noted_expr;

typedef struct lowering {
  pm_pass *pass;
  pm_context *ctx;
  const stage_graph *graph;
  const stage_statements *statements;
  poly_sites sites;
  pm_map *atomic; /* names of statements below a mark "atomic" -> themselves */
  pm_arena *arena;
  pm_op *func;
  ast_env env;
  affine_pool pool;
  lower_buffer *buffers; /* by node index */
  PM_VEC(placed_alloc) placed;
  PM_VEC(isl_ast_expr *) conditions; /* of calls that isl makes at too many points */
  pm_map *scratch;                   /* poly.alloc -> the memrefs that were last made for it */
  pm_map *marks;                     /* vector loop -> poly_loop_marks */
  pm_map *param_values;              /* the name of a stage.param -> the same value in the function */
  pm_map *open; /* poly.alloc -> the lower_box of its stage, of which it has a part whole */
  PM_VEC(isl_id *) iterators;
  pm_affine_expr *params;                /* over the pool, in the order of the context */
  pm_affine_expr *part_params;           /* the same of those that the part has, in its order */
  pm_affine_expr loops[POLY_SCAN_DEPTH]; /* over the pool: those around, of a poly_scan */
  PM_VEC(pm_value *) noted_values;       /* what must fit 64 bits, besides the bounds of loops */
  PM_VEC(lower_noted_expr) noted_exprs;
  unsigned long operations; /* of isl, for a part */
  pm_op *isolated;          /* a loop over tiles, before anything in it is made but memory; or NULL */
  const poly_cuts *full;    /* of the tile that is made as a full one; or NULL */
  size_t loops_met;         /* of isl's */
  pm_value *until;          /* the parts that a call computes, where it may leave out some; or NULL */
  const pm_op *unplaced;    /* a poly.alloc whose box has no place in the loops of isl; NULL: none */
  bool failed;
} lowering;

/* --- numbers that fit --- */
/* A condition or an extent that was built; coordinates of instances and origins, over the pool. */
void lower_note_value(lowering *l, pm_value *value);
void lower_note_exprs(lowering *l, const pm_affine_expr *exprs, unsigned n, pm_loc loc);
/* Whether these and the bounds of all loops fit 64 bits; false after a diagnostic. */
bool lower_check_fits(lowering *l);

/* --- buffers --- */
/* The arguments of the call, what it requires of them, and whole arrays, at the beginning of the function;
 * `failed` says whether there was a diagnostic. */
void lower_arrays(lowering *l, pm_builder *b, pm_op *schedule);
/* The scalars of the call alone, derived ones computed. */
void lower_params(lowering *l, pm_builder *b);
/* The value of an expression of the parameters, which is taken; NULL, and `failed`, after a diagnostic. */
pm_value *lower_param_value(lowering *l, pm_builder *b, isl_ast_build *build, __isl_take isl_pw_aff *pa);
/* Where the values of the stage of an allocation are. */
lower_buffer *lower_buffer_of(lowering *l, const pm_op *alloc);
/* From here on, its values are in a scratchpad; its first point is over the pool. */
void lower_scratchpad(lowering *l, pm_builder b, pm_op *alloc, pm_affine_expr *origin);

/* --- needs --- */
/* Ahead of the pipeline, which is one of a region, the function that gives what boxes need of each array, as
 * `func`. False after a diagnostic. */
bool lower_build_needs(lowering *l) PM_MUST_USE;

/* --- statements --- */
/* The body of a statement at one of its instances, whose coordinates are over the pool. */
void lower_instance(lowering *l, pm_builder b, const stage_statement *statement, pm_affine_expr *coords);

/* --- loops --- */
bool lower_is_vector(const pm_op *loop);
/* The marks of the vector loop around the region; NULL: there is none. */
const poly_loop_marks *lower_vector_marks(const lowering *l, const pm_region *region);
/* A loop that its marks are said of. */
pm_op *lower_build_loop(const lowering *l, pm_builder *b, pm_value *lb, pm_value *ub, int64_t step,
                        pm_string counter, const poly_loop_marks *marks);
/* Fences behind the loops that store results past the caches. */
void lower_fences(lowering *l);
/* Those of a part of the tree. */
void lower_from_tree(lowering *l, pm_builder b, const poly_scan *loops);
/* The AST that isl makes of a schedule, which is taken; NULL when its operations are spent, with an
 * allocation in `unplaced`, or after a diagnostic, for which `place` is. `wide` as poly_to_isl_schedule says.
 */
__isl_give isl_ast_node *lower_generate_ast(lowering *l, const pm_op *place, __isl_take isl_schedule *tree,
                                            bool wide);
/* The loops of that, which is taken. */
void lower_from_ast(lowering *l, pm_builder b, __isl_take isl_ast_node *loops);
void lower_node(lowering *l, pm_builder b, isl_ast_node *node, const poly_loop_marks *marks);
/* The statement of a call, and the marks below a mark. */
const stage_statement *lower_called_statement(const lowering *l, isl_ast_expr *call);
poly_loop_marks lower_marks_at(const lowering *l, isl_ast_node *mark, const poly_loop_marks *marks);

/* --- full tiles of isl's loops --- */
/* Two versions of what is in a loop over tiles (borrowed): false, and nothing is made, when no loop inside is
 * cut by borders alone. */
bool lower_full_tiles(lowering *l, pm_builder b, pm_op *tile, isl_ast_node *body,
                      const poly_loop_marks *marks);
/* The bound of the loop that was met last, of a full tile; NULL: it is as isl says. */
pm_value *lower_full_bound(lowering *l, pm_builder *b, bool upper);

#endif
