/* The stage dialect: see stage.def for its ops. */
#ifndef PM_DIALECTS_STAGE_H
#define PM_DIALECTS_STAGE_H

#define PM_DIALECT stage
#define PM_DIALECT_DEF "dialects/stage/stage.def"
#include "ir/declare_ops.h"
#undef PM_DIALECT
#undef PM_DIALECT_DEF

#include "ir/builder.h"

typedef enum stage_combine_op {
  STAGE_SUM,
  STAGE_PRODUCT,
  STAGE_MIN,
  STAGE_MAX,
  STAGE_AND,
  STAGE_OR,
  STAGE_ASSIGN,
  STAGE_ARGMIN, /* of the first element: the tuple stays whose is less, of equal ones whose next is less … */
  STAGE_ARGMAX, /* greater, of equal ones whose next is less … */
  STAGE_WITH    /* of the others: they stay with it */
} stage_combine_op;
/* How many values a stage.combine has, one for each element of the func; they are the first operands, and the
 * dimensions of the map follow. */
unsigned stage_combine_len(const pm_op *combine);
/* What a stage.combine does with element number `i`; false when its attribute is no such word. */
bool stage_combine_op_of(const pm_op *combine, unsigned i, stage_combine_op *out);
/* The op of arith that combines two values of the type of element number `i`: `new = op(cell, value)`; NULL:
 * `new = value`, of a choice where that is better. */
const pm_op_desc *stage_combine_desc(const pm_op *combine, unsigned i);
/* A tuple stays or goes as a whole, argmin or argmax. */
bool stage_combine_is_choice(const pm_op *combine);
/* Of a choice: i1, whether the tuple of `values` is better than that of `cells`. */
pm_value *stage_build_better(pm_builder *b, const pm_op *combine, pm_value *const *values,
                             pm_value *const *cells);
/* The number of element number `i` that changes no value it is combined with, op(identity, v) = v. */
pm_attr stage_combine_identity(const pm_op *combine, unsigned i);
/* The contributions to one cell may be combined in any order and grouping: the op says so (`associative`), or
 * each of its elements is no assignment and is an integer, or the pipeline's fp is fast, or it is a min or
 * max of floats, or in a choice, and fp is not strict (they depend on the order only where there are NaNs or
 * zeros of both signs). Whether the body reads the stage itself is another matter. */
bool stage_combine_any_order(const pm_op *combine);

/* Some element is assigned, so that its contributions have an order, and none is without effect. */
bool stage_combine_assigns(const pm_op *combine);
/* The body of a case or update has a stage.guard. */
bool stage_has_guard(const pm_op *case_or_update);

/* What a processor may do to a cell in one step, whatever others do to it: a sum, minimum … of integers of 32
 * bits. */
bool stage_combine_is_atomic(const pm_op *combine);

/* Of a stage.read or stage.combine: the map to the point, and the operand that is its dimension 0. */
pm_affine_map stage_index_map(const pm_op *read_or_combine);
unsigned stage_index_operand(const pm_op *read_or_combine);

/* --- builders: attributes that are NULL are left out --- */
/* `NAME_end`, with underscores behind it until no op beside the array has that name. */
pm_string stage_unused_name(const pm_op *array, const char *end);
/* The map of a read at the point itself. */
pm_affine_map stage_own_point(pm_context *ctx, unsigned n_dims);
/* `context` is an isl.set of parameters; `fp` is "strict", "contract", "fast" or NULL. */
pm_op *stage_build_pipeline(pm_builder *b, pm_string name, pm_attr context, const char *fp);
/* The parameter's value, which has its name. */
pm_value *stage_build_param(pm_builder *b, pm_string name, pm_type type);
/* `domain` is an isl.set, `boundary` as in docs/boundaries.md. */
pm_op *stage_build_input(pm_builder *b, pm_string name, pm_type type, pm_attr domain, pm_attr boundary);
pm_op *stage_build_func(pm_builder *b, pm_string name, pm_type type, pm_attr domain, pm_attr fallback);
/* `values` are dense numbers. */
pm_op *stage_build_constant(pm_builder *b, pm_string name, pm_attr values, pm_attr boundary);
/* At the end of the func; `set` is an isl.set. The body has no arguments yet. */
pm_op *stage_build_case(pm_op *func, pm_loc loc, pm_attr set);
pm_op *stage_build_update(pm_op *func, pm_loc loc, pm_attr set);
/* Adds an argument for each dimension of the point, of type index, to the body of a case or update, which is
 * the result. `names` has as many. */
pm_region *stage_begin_body(pm_op *case_or_update, const pm_string *names, unsigned n_dims);
/* What is in `stage` at the point that `map` makes of the operands; `type` is that of the stage. Of a tuple
 * the first element, the others are results of the same op. */
pm_value *stage_build_read(pm_builder *b, pm_string stage, pm_type type, pm_affine_map map,
                           pm_value *const *operands, pm_attr boundary);
void stage_build_guard(pm_builder *b, pm_value *condition);
void stage_build_yield(pm_builder *b, pm_value *const *values, unsigned n);
/* `args` are the value and then the dimensions of the map; `how` is "sum", "assign" … */
pm_op *stage_build_combine(pm_builder *b, const char *how, pm_affine_map map, pm_value *const *args,
                           unsigned n_args);
pm_op *stage_build_output(pm_builder *b, pm_string stage);

/* A stage.func, stage.input or stage.constant: what has values at points. */
bool stage_is_array(const pm_op *op);
/* Of such an op its name, the isl.set of its points, and the type of its values: a scalar or a tuple of
 * these. */
pm_string stage_name_of(const pm_op *array);
pm_attr stage_domain_of(const pm_op *array);
pm_type stage_type_of(const pm_op *array);
/* The box of a stage.constant; the number that a read of it gives, or NULL when its point is not known or
 * outside. */
pm_attr stage_constant_domain(const pm_op *constant);
pm_attr stage_constant_read(const pm_op *constant, const pm_op *read);
/* The value of element number `i` of a func where no case applies. */
pm_attr stage_default_at(const pm_op *func, unsigned i);

#endif
