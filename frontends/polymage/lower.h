/* PolyMage's objects to the stage dialect. */
#ifndef PM_FRONTENDS_POLYMAGE_LOWER_H
#define PM_FRONTENDS_POLYMAGE_LOWER_H

#include "frontends/kit/kit.h"
#include "frontends/polymage/dsl.h"
#include "frontends/polymage/polymage.h"
#include "ir/builder.h"

/* How the kit looks at expressions: with or without the variables of the body at work. */
typedef struct lower_view {
  const struct lowering *l;
  bool has_variables;
} lower_view;

typedef struct lowering {
  pm_context *ctx;
  dsl_program *program;
  const polymage_options *options;
  pm_module *module;
  pm_builder builder; /* inside the pipeline */
  kit kit;
  lower_view bounds, body;
  pm_map *params; /* dsl_symbol -> pm_value */
  pm_map *cases;  /* pm_op of a stage.case -> dsl_case */
  bool failed;

  /* the stage at work */
  const dsl_symbol *stage;
  const dsl_domain *domain; /* of the body at work: the stage's, or that of its updates */
  kit_dims dims;            /* its dimensions' names */
  uint32_t case_stamp;      /* of the body at work; emitted values carry it */
  pm_region *case_body;
} lowering;

/* No two parameters, images and stages were given one name; false after diagnostics. */
bool lower_check_names(const dsl_program *program);
bool lower_same_place(pm_loc a, pm_loc b);
/* Final names for every symbol. */
void lower_names(dsl_program *program);
/* Warns of the parameters, images and live-outs that are not named as the program names them. */
void lower_warn_names(const dsl_program *program, const dsl_symbols *live_outs);

/* --- sets.c; attributes are NULL after a diagnostic --- */
/* Expressions of parameters, and those of the body at work. */
kit_exprs lower_bounds(const lowering *l);
kit_exprs lower_body(const lowering *l);
/* Tells the kit of the parameters, and of the extents of images. */
void lower_context(lowering *l);
pm_attr lower_image_domain(lowering *l, const dsl_symbol *image);
/* The domain becomes that of the body at work; sets l->dims too. */
pm_attr lower_domain(lowering *l, pm_loc loc, const dsl_domain *domain);
/* The domain, which is `set`, has points for some sizes; false after a diagnostic. */
bool lower_check_points(lowering *l, pm_loc loc, const dsl_domain *domain, pm_attr set);
/* The points of an image or stage in the dimensions of the body at work. */
pm_attr lower_shape(lowering *l, const dsl_symbol *shape);

/* --- values.c --- */
/* The value of an expression inside the case at work, of the type given; NULL after a diagnostic. */
pm_value *lower_value(lowering *l, dsl_expr *e, pm_type type);
/* The i1 of a condition. */
pm_value *lower_condition(lowering *l, dsl_expr *e);

/* Of a stage or image: a scalar or a tuple. */
pm_type lower_type(const lowering *l, const dsl_symbol *symbol);
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

/* --- choices.c --- */
/* Splits cases at choices with affine conditions, where an arm reads outside of a domain. False after a
 * diagnostic. */
bool lower_choices(lowering *l, pm_op *pipeline);

/* --- stages.c --- */
/* The case on a part of its set, at the end of the stage; NULL after a diagnostic. */
pm_op *lower_part_of_case(lowering *l, pm_op *func, pm_attr part, const dsl_case *branch);
/* A verified module, or NULL after diagnostics. The symbols have their final names; the stages marked
 * `needed` are emitted; `live_outs` in their order, at least one. */
pm_module *lower_program(dsl_program *program, const polymage_options *options, pm_loc loc,
                         const dsl_symbols *live_outs);

#endif
