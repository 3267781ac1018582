/* Funcs to stages. A buffer (x, y, c) of Halide is the row-major array [c][y][x]: dimensions are in the
 * reverse order. */
#ifndef PM_FRONTENDS_HALIDE_LOWER_H
#define PM_FRONTENDS_HALIDE_LOWER_H

#include "frontends/halide/program/program.h"
#include "frontends/halide/halide.h"
#include "frontends/kit/kit.h"
#include "ir/builder.h"

typedef struct h_lowering {
  pm_context *ctx;
  h_program *program;
  const halide_options *options;
  pm_module *module;
  pm_op *pipeline;
  pm_builder builder; /* at the body at work */
  kit kit;
  bool failed;
  bool exact_is_costly; /* exact domains took too much work before */
  /* the body at work: its Vars and RVars in the order of its dimensions */
  const h_var *vars[KIT_MAX_DIMS];
  kit_dims dims;
  pm_region *body;
  uint32_t stamp;
  const h_symbol *self; /* whose body it is */
} h_lowering;

/* How the kit sees expressions. */
kit_exprs h_lower_exprs(const h_lowering *l);
/* Those that are bounds, in which min and max may stand. */
kit_exprs h_lower_bounds(const h_lowering *l);

/* values.c: the value of an expression in the body at work. One of coordinates is of type index. */
pm_value *h_lower_value(h_lowering *l, hx *e);
/* The same in the type of the expression. */
pm_value *h_lower_typed(h_lowering *l, hx *e);
/* The map of indices and what it is a map of; false after a diagnostic. `operands` is the caller's, of as
 * many as `map->n_dims`. */
typedef PM_VEC(pm_value *) h_operands;
bool h_lower_indices(h_lowering *l, hx *const *args, unsigned n_args, pm_affine_map *map,
                     h_operands *operands);
/* A boundary condition of a buffer that one Func reads, and no directive is of: the mode of its reads. */
bool h_is_mode(const h_symbol *s);
pm_type h_lower_type(const h_lowering *l, const h_symbol *s);

/* inline.c: Funcs that become a part of their readers. False after a diagnostic. Those that compute
 * coordinates, in indices: *changed when there are some. */
bool h_inline_coordinates(h_program *p, bool *changed);
/* Those that are marked (is_inlined); boundary conditions become modes of the reads. */
bool h_inline_marked(h_program *p);
/* Nothing says that the Func is stored, and its readers can compute it. */
bool h_is_inlinable(const h_program *p, const h_symbol *s);

/* undef.c: what is undefined stays as it is, after which no expression is but those of boundaries. False
 * after a diagnostic. */
bool h_settle_undef(h_program *p);

/* floats.c: what of parameters becomes a float that becomes an index, and whether coordinates do. */
typedef PM_VEC(hx *) h_exprs;
void h_find_floats(h_program *p, h_exprs *params, bool *has_coordinates);

/* domains.c: the points of each Func that the outputs need, from the last to the first. The Funcs have no
 * bounds before. False after a diagnostic. Sets *again when an output has to be computed apart from a Func
 * that is read by others, or written outside of the output (is_apart), or when a Func is better a part of its
 * readers (is_inlined). */
bool h_lower_domains(h_lowering *l, bool *again);

/* lower.c: a verified module, or NULL after diagnostics. */
pm_module *lower_halide(h_program *program, const halide_options *options, pm_loc loc, const char *name);

#endif
