/* A kit for frontends: what making stages takes in any language. It knows no language: a frontend shows its
 * expressions, one node at a time, and gets sets, affine maps and names. The ops are made by the builders of
 * dialects/stage/stage.h. docs/add-a-frontend.md builds a frontend with it.
 *
 * In the order of use:
 *   names       kit_names_*, kit_identifier
 *   parameters  kit_init, kit_add_param
 *   the context kit_require_extent, kit_require, kit_end_context
 *   domains     kit_name_dims, kit_begin_set, kit_put_extent, kit_put_interval, kit_end_set,
 *               kit_find_points, kit_check_interval
 *   cases       kit_case_set and its guards, kit_is_disjoint, kit_check_disjoint
 *   reads       kit_plan_indices
 *   small sizes kit_narrow_boundaries, kit_narrow_reads
 */
#ifndef PM_FRONTENDS_KIT_H
#define PM_FRONTENDS_KIT_H

#include "dialects/arith/call.h"
#include "dialects/isl/isl_dialect.h"
#include "dialects/stage/stage.h"

enum { KIT_MAX_DIMS = PM_MAX_RANK };

struct stage_access;
struct stage_graph;
struct stage_values;

/* --- expressions --- */

typedef enum kit_kind {
  KIT_OTHER, /* `why` says what it is: "a value of a stage" */
  KIT_INT,   /* value */
  KIT_NAME,  /* name: an integer parameter or a dimension, as sets have it */
  KIT_ADD,   /* of args, and so on */
  KIT_SUB,
  KIT_NEG,
  KIT_MUL,
  KIT_DIV, /* rounds down */
  KIT_MOD, /* by the size of the divisor; not negative */
  KIT_MIN, /* in bounds of intervals and in conditions alone */
  KIT_MAX,
  KIT_EQ, /* conditions */
  KIT_NE,
  KIT_LT,
  KIT_LE,
  KIT_GT,
  KIT_GE,
  KIT_AND,
  KIT_OR
} kit_kind;

typedef struct kit_node {
  kit_kind kind;
  pm_loc loc;
  int64_t value;
  const char *name; /* interned: one name is one pointer */
  const char *why;
  const void *args[2];
} kit_node;

/* How expressions of a language look: `show` says what the node `expr` is; its arguments are shown later. */
typedef struct kit_exprs {
  kit_node (*show)(const void *user, const void *expr);
  const void *user;
} kit_exprs;

/* The integer that the expression is, without names; false when it is none. */
bool kit_constant(const kit_exprs *x, const void *expr, int64_t *value);

/* What kept an expression from being affine. */
typedef struct kit_refusal {
  pm_loc loc;
  const char *why;
} kit_refusal;

/* The expression or condition in isl's notation; false, with the reason, when it is not affine or too long,
 * and `out` then ends anywhere. */
bool kit_put_affine(const kit_exprs *x, const void *expr, pm_buf *out, kit_refusal *refusal);
bool kit_put_condition(const kit_exprs *x, const void *condition, pm_buf *out, kit_refusal *refusal);

/* --- names --- */

/* The text as a name that isl and C accept. */
pm_string kit_identifier(pm_context *ctx, const char *text);
/* Why that is not the text: "is a word of C or isl"; NULL when it is. */
const char *kit_why_renamed(const char *text);

typedef struct kit_names {
  pm_context *ctx;
  pm_map *taken, *next;
} kit_names;

void kit_names_init(kit_names *names, pm_context *ctx);
void kit_names_free(kit_names *names);
/* kit_identifier of `wanted`, with _1, _2 … behind it when it is taken. */
pm_string kit_names_find(kit_names *names, const char *wanted);
void kit_names_take(kit_names *names, pm_string name);

/* --- the pipeline at work --- */

typedef struct kit {
  pm_context *ctx;
  pm_attr context;           /* isl.set of parameters, or NULL: what holds of them */
  struct stage_facts *facts; /* of a context, `facts_of`; NULL: not asked for */
  pm_attr facts_of;
  PM_VEC(pm_string) params;    /* of any type */
  pm_buf param_tuple;          /* "[R, C] -> " of the integer ones, or empty */
  pm_map *case_sets;           /* text of a domain and conditions -> the set's attribute */
  pm_map *with_points;         /* attributes of sets that have points, not for small sizes only */
  pm_map *extents;             /* conditions that are in `conditions` */
  struct stage_values *values; /* of the verified pipeline, NULL: not asked for */
  pm_buf conditions;
} kit;

void kit_init(kit *k, pm_context *ctx);
void kit_free(kit *k);

/* Before all sets. The name must be unique and an identifier. */
void kit_add_param(kit *k, pm_string name, pm_type type);

/* The extent of an array, which a call may give only when it is at least 1. False after a diagnostic: it is
 * a smaller constant, or `what` ("the extent of an image") is not affine in the parameters. */
bool kit_require_extent(kit *k, const kit_exprs *x, const void *extent, const char *what);
/* A condition of the parameters that holds in every call. False after a diagnostic: it is not affine in them;
 * `what` is "the constraint". */
bool kit_require(kit *k, const kit_exprs *x, const void *condition, const char *what);
/* k->context from the extents so far; false after a diagnostic at `loc`. */
bool kit_end_context(kit *k, pm_loc loc);

/* --- domains --- */

/* The names of a set's dimensions. */
typedef struct kit_dims {
  unsigned n;
  pm_string names[KIT_MAX_DIMS];
} kit_dims;

/* `wanted`, where names that are equal, or those of parameters, get numbers. */
kit_dims kit_name_dims(const kit *k, const pm_string *wanted, unsigned n);
/* i, j, k …: of arrays without variables. */
kit_dims kit_array_dims(const kit *k, unsigned n);

/* Begins "[R] -> { [x, y] : " in `text`. Then come conditions with " and " between them, then kit_end_set. */
void kit_begin_set(const kit *k, pm_buf *text, const kit_dims *dims);
/* 0 <= dim < extent; false after a diagnostic. */
bool kit_put_extent(kit *k, pm_buf *text, pm_string dim, const kit_exprs *x, const void *extent);
/* lower <= dim <= upper, in steps of `step` from lower; false after a diagnostic. */
bool kit_put_interval(kit *k, pm_buf *text, pm_string dim, const kit_exprs *x, const void *lower,
                      const void *upper, int64_t step);
/* Ends the text, frees it, and makes it an attribute; NULL after a diagnostic, or when not `ok`. */
pm_attr kit_end_set(kit *k, pm_loc loc, pm_buf *text, bool ok);

/* For what sizes of the context a set has points. */
typedef enum kit_points { KIT_POINTS, KIT_SMALL_POINTS, KIT_NO_POINTS } kit_points;
/* KIT_SMALL_POINTS: only when a parameter is small, of those that may be as large as one likes. */
kit_points kit_find_points(kit *k, pm_attr set);
/* An error where an interval has no points, a warning where it has them for small sizes only: its bounds are
 * in the wrong order then, or wrong. */
bool kit_check_interval(kit *k, pm_loc loc, pm_string dim, const kit_exprs *x, const void *lower,
                        const void *upper);

/* --- cases --- */

typedef PM_VEC(const void *) kit_guards;

/* The part of the domain where the affine conjuncts of the condition (NULL: none) hold; the others are
 * appended to `guards`: they are tested at each point. All are where the part is too hard to find for isl.
 * NULL after a diagnostic. */
pm_attr kit_case_set(kit *k, const kit_exprs *x, pm_attr domain, pm_loc loc, const void *condition,
                     kit_guards *guards);

typedef struct kit_case {
  pm_attr set; /* NULL: guards cut it, nothing is known */
  pm_loc loc;
} kit_case;

/* No point of the context is in both. */
bool kit_is_disjoint(const kit *k, const kit_case *a, const kit_case *b);
/* For cases of `stage` that are not disjoint, `b` the later one: true when they overlap for small sizes only,
 * which leave the context with a warning; else an error names a point in both. */
bool kit_check_disjoint(kit *k, pm_string stage, const kit_case *a, const kit_case *b);

/* --- reads --- */

/* The indices of a read: an affine map of operands, each a name or an expression that is computed. */
typedef struct kit_index {
  pm_affine_map map;
  const void **operands;
  unsigned n_operands;
} kit_index;

/* At most KIT_MAX_DIMS indices. The list of operands is the arena's. */
kit_index kit_plan_indices(const kit *k, const kit_exprs *x, const void *const *indices, unsigned n,
                           pm_arena *arena);

/* --- sizes at which a program is wrong --- */

/* `wrong` (borrowed) is where the program is wrong, `what` says how. When that is so only for small sizes,
 * they leave the context, with a warning at `loc`, and the result is true. */
bool kit_narrow(kit *k, pm_loc loc, const char *what, isl_set *wrong);
/* The affine read leaves what it reads, and not for small sizes only. */
bool kit_leaves_domain(kit *k, const struct stage_access *access);
/* The graph of the pipeline, which verifies; NULL after a diagnostic. The caller frees it. Values of stages
 * are found once for all graphs: a stage that changes is told with kit_forget before. */
struct stage_graph *kit_graph(kit *k, pm_op *pipeline);
/* Before the first graph: domains that are not known yet have coordinates of at most this many bits. */
void kit_assume_coordinates(kit *k, pm_op *pipeline, unsigned bits);
void kit_forget(kit *k, const pm_op *func);
/* Every read with a boundary whose stage or input has no points at some sizes. Both set the pipeline's
 * context. */
void kit_narrow_boundaries(kit *k, pm_op *pipeline);
/* Every affine read that leaves what it reads. The pipeline must verify. */
void kit_narrow_reads(kit *k, pm_op *pipeline);

#endif
