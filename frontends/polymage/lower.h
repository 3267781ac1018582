/* PolyMage's objects to the stage dialect. */
#ifndef PM_FRONTENDS_POLYMAGE_LOWER_H
#define PM_FRONTENDS_POLYMAGE_LOWER_H

#include "dialects/isl/isl_dialect.h"
#include "frontends/polymage/dsl.h"
#include "frontends/polymage/polymage.h"
#include "ir/builder.h"

enum { LOWER_MAX_DIMS = 8 };

typedef struct lowering {
  pm_context *ctx;
  dsl_program *program;
  const polymage_options *options;
  pm_module *module;
  pm_builder builder; /* inside the pipeline */
  pm_buf param_tuple; /* "[R, C] -> ", or empty */
  pm_attr context;    /* or NULL */
  pm_map *params;     /* dsl_symbol -> pm_value */
  pm_map *case_sets;  /* text of a case's set -> simplified attribute */
  bool failed;

  /* the stage at work */
  const dsl_symbol *stage;
  const dsl_domain *domain;       /* of the body at work: the stage's, or that of its updates */
  pm_string dims[LOWER_MAX_DIMS]; /* its dimensions' names */
  uint32_t case_stamp;            /* of the body at work; emitted values carry it */
  pm_region *case_body;
} lowering;

/* Final names for every symbol. */
void lower_names(dsl_program *program);
/* A name that isl and C accept. */
pm_string lower_identifier(pm_context *ctx, const char *text);

/* --- sets.c; attributes are NULL after a diagnostic --- */
void lower_param_tuple(lowering *l);
pm_attr lower_image_domain(lowering *l, const dsl_symbol *image);
/* The domain becomes that of the body at work; sets l->dims too. */
pm_attr lower_domain(lowering *l, pm_loc loc, const dsl_domain *domain);
/* The points of an image or stage in the dimensions of the body at work. */
pm_attr lower_shape(lowering *l, const dsl_symbol *shape);
/* What holds of the parameters: every extent is at least 1. NULL when that says nothing. */
pm_attr lower_context(lowering *l);
/* `wrong` (borrowed) is where the program is wrong, `what` says how. When that is so only for small sizes,
 * they leave the context, with a warning at `loc`, and the result is true. */
bool lower_narrow(lowering *l, pm_loc loc, const char *what, isl_set *wrong);
/* The same for every affine read that leaves what it reads. */
void lower_narrow_reads(lowering *l, pm_op *pipeline);
/* The same for every read with a boundary whose stage or image has no points. */
void lower_narrow_boundaries(lowering *l, pm_op *pipeline);
typedef PM_VEC(dsl_expr *) lower_guards;
/* The part of the domain where the affine conjuncts of the condition hold; the others are appended to
 * `guards`. */
pm_attr lower_case_set(lowering *l, pm_attr domain, const dsl_case *branch, lower_guards *guards);
/* No point is in both. Either set may be NULL. */
bool lower_is_disjoint(lowering *l, pm_attr set_a, pm_attr set_b);
/* For cases that are not disjoint: true when they overlap for small sizes only, else an error names a point
 * in both. */
bool lower_check_disjoint(lowering *l, const dsl_case *a, pm_attr set_a, const dsl_case *b, pm_attr set_b);

/* --- values.c --- */
/* The value of an expression inside the case at work, of the type given; NULL after a diagnostic. */
pm_value *lower_value(lowering *l, dsl_expr *e, pm_type type);
/* The i1 of a condition. */
pm_value *lower_condition(lowering *l, dsl_expr *e);

/* A number of the program as one of the scalar type. */
pm_attr lower_number(py_value v, pm_type type);
/* The boundary of a symbol as an attribute of the stage dialect, or NULL. */
pm_attr lower_boundary(lowering *l, const dsl_symbol *symbol);
/* What an element read counts as: itself, or the nearest end of the range declared for its image, in which
 * the numbers of its boundary count too. */
pm_value *lower_in_range(lowering *l, const dsl_symbol *read, pm_value *element);

typedef PM_VEC(pm_value *) lower_values;
/* The indices of a read, its value left alone; false after a diagnostic. `operands` is the caller's. */
bool lower_indices(lowering *l, dsl_expr *read, pm_affine_map *map, lower_values *operands);

/* --- stages.c --- */
/* A verified module, or NULL after diagnostics. The symbols have their final names; the stages marked
 * `needed` are emitted; `live_outs` in their order, at least one. */
pm_module *lower_program(dsl_program *program, const polymage_options *options, pm_loc loc,
                         const dsl_symbols *live_outs);

#endif
