/* Where the statements of a schedule tree access arrays, in the values of the loops around them. */
#ifndef PM_PASSES_MARK_PREFETCH_ROWS_H
#define PM_PASSES_MARK_PREFETCH_ROWS_H

#include "dialects/poly/trips.h"

enum { NO_LOOP = -1 };

/* A loop around a statement. */
typedef struct row_loop {
  const pm_op *band;
  unsigned member;
  uint32_t symbol; /* dimension of expressions that is its value */
  int64_t stride;  /* from one value to the next, as far as this statement goes */
  int64_t trips;   /* of a loop between `around` and `vector`; 0: not known */
} row_loop;

/* Its iterations that one vector loop computes at once. */
int64_t row_jammed_rows(const row_loop *loop);

/* A statement at a leaf of the tree. */
typedef struct row_statement {
  const poly_occurrence *at;
  const stage_statement *statement;
  row_loop *loops;        /* at->depth of them, the outermost first */
  int vector;             /* the vector loop, or NO_LOOP */
  bool located;           /* the rest is known */
  int around;             /* the serial loop that goes from row to row of the vector loop, or NO_LOOP */
  pm_affine_expr *values; /* of the loops, over the coordinates (poly_values_at) */
  pm_affine_expr *coords; /* over the values of loops; NULL: no such expression is found */
  int along;              /* the coordinate that the vector loop counts; NO_LOOP: none */
  int64_t step;           /* of that, from a point of the vector loop to the next */
  size_t first, end;      /* its accesses */
} row_statement;

/* An access of an array: memory of the caller, or that all threads see. */
typedef struct row_access {
  const row_statement *by;
  const stage_node *stage;     /* whose values are in the array */
  const pm_op *array;          /* an input, or the first poly.alloc of those that are one array */
  const poly_memory *memory;   /* NULL: an input */
  const pm_affine_expr *index; /* by dimension, over the coordinates; params are symbols */
  const pm_affine_expr *place; /* the same over the values of loops; NULL: no such expressions are found */
  pm_affine_map row;           /* `place` but for the last dimension; NULL: not known */
  bool writes;
  size_t before;      /* the access of the same array before it, counted from 1; 0: none */
  size_t same_before; /* the one before it whose row is an equal expression, of whatever array */
} row_access;

/* The dimension of expressions that a loop is. Loops over planes between a vector loop and the one that goes
 * from row to row are one dimension if they are alike, and so are the vector loops. */
typedef struct row_symbol {
  const pm_op *band; /* of the loop, or of the one that goes from row to row around it */
  unsigned member;
  int64_t plane; /* which loop over planes, and how many of them; -1: the vector loop; 0: the loop itself */
} row_symbol;

typedef PM_VEC(row_statement *) row_leaves;

typedef struct row_analysis {
  pm_context *ctx;
  pm_arena *arena;
  const stage_statements *statements;
  PM_VEC(row_symbol) symbols;
  PM_VEC(row_statement *) leaves;
  PM_VEC(row_access) accesses;
  pm_map *last;        /* array, or row -> its last access, counted from 1 */
  pm_map *inside;      /* band -> row_leaves below it */
  int64_t most_planes; /* a loop of at most so many iterations goes over planes */
} row_analysis;

/* Adds all that occurs, with memory of the arena. Statements that access arrays are located. */
void row_analyse(row_analysis *rows, const poly_occurrences *all);
/* Finds the loops and the coordinates of a statement, if that is not done. */
void row_locate(row_analysis *rows, row_statement *s);
/* Points of the vector loop in one of the loops outside, at most; 0: not known. */
int64_t row_points(const row_statement *s);
/* The statements below the band of the loop, in their order. */
const row_leaves *row_leaves_in(const row_analysis *rows, const row_loop *loop);
/* The last access of the array (a pm_op), or with the row (a pm_affine_map), counted from 1; 0: none. */
size_t row_last_access(const row_analysis *rows, const void *array_or_row);
/* `n` expressions as one that is unique. */
pm_affine_map row_unique(const row_analysis *rows, const pm_affine_expr *place, unsigned n);
void row_analysis_free(row_analysis *rows);

/* --- expressions --- */
bool row_mentions(pm_affine_expr expr, uint32_t dim);
/* What the dimension is multiplied by; false: the expression is not linear. */
bool row_find_factor(pm_affine_expr expr, uint32_t dim, int64_t *factor);
/* After so many steps the expression is a number more, wherever that is; 0: not within `most` of them. */
int64_t row_period(pm_affine_expr expr, uint32_t dim, int64_t step, int64_t most);
/* The least common multiple; 0: one of them is, or it is more than `most`. */
int64_t row_joint_period(int64_t a, int64_t b, int64_t most);
/* With `more` added to the dimension. */
pm_affine_expr row_ahead(pm_affine_expr expr, uint32_t dim, int64_t more);
/* The expressions differ by a number. */
bool row_find_distance(pm_affine_expr from, pm_affine_expr to, int64_t *distance);

#endif
