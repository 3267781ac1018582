/* The poly dialect: see poly.def for its ops. */
#ifndef PM_DIALECTS_POLY_H
#define PM_DIALECTS_POLY_H

#define PM_DIALECT poly
#define PM_DIALECT_DEF "dialects/poly/poly.def"
#include "ir/declare_ops.h"
#undef PM_DIALECT
#undef PM_DIALECT_DEF

#include "ir/builder.h"

/* #poly.space<"heap">: a memory space, or "output", the caller's array. */
extern const pm_attr_kind poly_space_kind;
pm_attr poly_space_attr(pm_context *ctx, pm_space space);

/* --- poly.demand: `how` is "together" or "inline"; tile and inner may be NULL --- */
pm_op *poly_add_demand(pm_builder *b, const char *how, const pm_string *stages, size_t n, const int64_t *tile,
                       size_t n_tile, const int64_t *inner, size_t n_inner);
/* One that the readers compute the stage again. */
pm_op *poly_add_demand_again(pm_builder *b, pm_string stage, const pm_string *readers, size_t n);
/* The user says where some stage is computed. */
bool poly_has_demands(const pm_op *pipeline);
/* The demand that says where the stage is computed, or NULL. */
pm_op *poly_find_demand(const pm_op *pipeline, pm_string stage);
/* A demand that stages are inlined; NULL is none. */
bool poly_demand_is_inline(const pm_op *op);
/* One that they are computed again by their readers. */
bool poly_demand_is_again(const pm_op *op);
bool poly_demand_has_reader(const pm_op *demand, pm_string reader);
/* The stage is computed elsewhere, or gone; so is the demand when it was its last. */
void poly_drop_from_demand(pm_op *demand, pm_string stage);
/* The stage is gone: no demand is of it. Where it computed others again, the n stages that it became a part
 * of do so. */
void poly_forget_stage(pm_op *pipeline, pm_string stage, const pm_string *into, size_t n);

#endif
