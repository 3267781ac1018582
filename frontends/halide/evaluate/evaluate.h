/* Halide's part of the C++ around its programs: values of its classes and what they do. frontends/cxx runs
 * the rest. Private to this frontend. */
#ifndef PM_FRONTENDS_HALIDE_EVALUATE_H
#define PM_FRONTENDS_HALIDE_EVALUATE_H

#include "frontends/cxx/library.h"
#include "frontends/cxx/values/values.h"
#include "frontends/halide/halide.h"
#include "frontends/halide/program/program.h"

/* --- values --- */

typedef enum hv_kind {
  HV_TYPE = CV_LIBRARY, /* scalar: a Halide::Type; number: HV_NO_BITS or 0 */
  HV_EXPR,              /* h_expr_of; NULL: an Expr that is not defined */
  HV_VAR,               /* h_var_of, also of an RDom */
  HV_RDOM,              /* h_rdom_of; NULL: one that is not defined */
  HV_FUNC,              /* h_symbol_of: a Func */
  HV_BUFFER,            /* h_symbol_of: an Input<Buffer>, ImageParam or Buffer */
  HV_PARAM,             /* h_symbol_of: an Input of a scalar, a Param */
  HV_REF,               /* h_ref_of: f(x, y) */
  HV_TUPLE,             /* list, of EXPRs */
  HV_DIM,               /* h_symbol_of, number: in.dim(number) */
  HV_STAGE,             /* h_symbol_of, number: f.update(number) */
  HV_WORD,              /* text: an enumerator of Halide's, TailStrategy::RoundUp */
  HV_TARGET,
  HV_LEVEL,    /* h_level_of: a LoopLevel */
  HV_PIPELINE, /* list, of Funcs */
  HV_END
} hv_kind;

enum { HV_NO_BITS = 1 }; /* the number of a TYPE that is none: Int(0) */

/* f(args), which is read or defined. */
typedef struct h_ref {
  h_symbol *symbol;
  pm_loc loc;
  unsigned n_args, element; /* element: of `f(x)[element]` */
  bool has_element;
  bool is_host;    /* an element of a Buffer that the program makes, at numbers of the host code */
  int placeholder; /* where `_` stands among the args, -1: nowhere */
  hx *args[HX_MAX_DIMS];
} h_ref;

static inline hx *h_expr_of(cv v) {
  return v.own;
}
static inline const h_var *h_var_of(cv v) {
  return v.own;
}
static inline h_rdom *h_rdom_of(cv v) {
  return v.own;
}
static inline h_symbol *h_symbol_of(cv v) {
  return v.own;
}
static inline h_ref *h_ref_of(cv v) {
  return v.own;
}
static inline struct h_level *h_level_of(cv v) {
  return v.own;
}

cv hv_expr(hx *e);
/* Poison where there is none. */
cv hv_expr_or_poison(hx *e);
cv hv_type(pm_scalar type);
cv hv_var(const h_var *var);
cv hv_rdom(h_rdom *rdom);
cv hv_symbol(h_symbol *s);
cv hv_ref(h_ref *ref);
cv hv_level(struct h_level *level);

/* --- the evaluation --- */

typedef struct h_const_use {
  const char *name, *text; /* --const NAME=TEXT */
  pm_loc loc;              /* of the alias that says it; none: the command line does */
  bool used;
} h_const_use;

typedef struct h_generator {
  pm_string name;
  const cx_node *type;   /* closed: the class, with the arguments of a template */
  const cx_node *values; /* of an alias: those of its GeneratorParams; or NULL */
  pm_string stub;        /* the class of its stub, with its namespaces */
} h_generator;

/* Halide's part of the state. */
typedef struct h_state {
  h_program program;
  const halide_options *options;
  h_const_use *consts;
  size_t n_consts;
  const cx_node *generator; /* registered last: its class, as a closed TYPE */
  pm_string generator_name;
  bool has_autoscheduler;         /* the program is asked to say no schedule */
  CX_VEC(h_generator) generators; /* all that are registered */
} h_state;

static inline h_state *h_state_of(const cx_interp *in) {
  return in->user;
}
static inline h_program *h_program_of(const cx_interp *in) {
  return &h_state_of(in)->program;
}

/* library.c: what Halide brings. */
extern const cx_library halide_library;
/* With an empty program; the file is at `path`. */
void h_begin(cx_interp *in, h_state *state, pm_context *ctx, const halide_options *options, const char *path);
void h_end(cx_interp *in);

/* --- convert.c --- */
/* The value as an Expr; NULL after a diagnostic. */
hx *h_to_expr(cx_interp *in, pm_loc loc, cv v);
/* As Halide takes operands of type int beside an Expr: in the type of the other. */
bool h_to_exprs(cx_interp *in, pm_loc loc, cv a, cv b, hx **left, hx **right);
bool h_to_type(cx_interp *in, pm_loc loc, cv v, pm_scalar *out);
/* An Expr that may be undefined. */
cv h_to_expr_value(cx_interp *in, pm_loc loc, cv v);
cv h_to_tuple(cx_interp *in, pm_loc loc, cv v);
cv h_to_var(cx_interp *in, pm_loc loc, cv v);
/* Hooks of the library. */
bool h_convert(cx_interp *in, pm_loc loc, const cx_node *type, cv v, cv *out);
bool h_suits(const cx_node *type, cv v, unsigned *how);
bool h_constant(cv v, cv *number);

/* --- construct.c: hooks of the library --- */
bool h_is_type(pm_string name);
/* The TYPE is of tags of traces. */
bool h_is_tag(const cx_node *type);
bool h_construct(const cx_making *m, cv *out);

/* --- operators.c: hooks of the library --- */
bool h_unary(cx_interp *in, pm_loc loc, cx_op op, cv a, cv *out);
bool h_binary(cx_interp *in, pm_loc loc, cx_op op, cv a, cv b, cv *out);

/* --- funcs.c --- */
cv h_call_symbol(cx_interp *in, pm_loc loc, h_symbol *symbol, const cv *args, const pm_loc *locs,
                 unsigned n_args);
/* f(args) = value, or with an operator. */
bool h_define(cx_interp *in, pm_loc loc, h_ref *ref, cx_op op, cv value);
/* A Func with that one definition. */
cv h_new_func(cx_interp *in, pm_loc loc, const char *name, const h_var *const *vars, unsigned n_vars,
              hx *const *values, unsigned n_values);
/* The value of f(args); false after a diagnostic. */
hx *h_read(cx_interp *in, pm_loc loc, const h_ref *ref, unsigned element);
bool h_check_ready(cx_interp *in, pm_loc loc, const h_symbol *symbol);
/* _0, _1 … */
const h_var *h_implicit_var(h_program *p, unsigned i);
/* _0, _1 …: its number. */
bool h_is_implicit(pm_string var, unsigned *number);

/* --- outputs.c --- */
/* The Func is an output of the program. */
void h_add_output(cx_interp *in, h_symbol *s);
/* output = f: the Func becomes the output, or the output a copy of it. False: that is nothing of outputs. */
bool h_assign_output(cx_interp *in, pm_loc loc, cx_cell *cell, cv value, cv *result);

/* --- tables.c --- */
/* Buffer<T>(extents…): an array whose values the program gives. */
cv h_new_table(const cx_making *m);
/* The number at a place, and another one there; poison after a diagnostic. */
cv h_table_value(cx_interp *in, const h_ref *ref);
cv h_set_table_value(cx_interp *in, pm_loc loc, const h_ref *ref, cx_op op, cv value);
/* b.fill(value), b.set_min(numbers…), b.translate(dimension, by), b.translate({numbers…}) */
cv h_fill_table(const cx_call *call);
cv h_set_table_mins(const cx_call *call);
cv h_translate_table(const cx_call *call);

/* --- random.c --- */
/* random_float() and its like, before a definition says of which points. */
cv h_random(const cx_call *call);
/* One definition more: its random numbers become functions of the Vars and RVars. */
void h_lower_random(cx_interp *in, const h_symbol *s, h_definition *d);

/* --- functions.c, methods.c: tables of the library --- */
/* Each value of the narrow type is one of the wide one. */
bool h_can_represent(pm_scalar wide, pm_scalar narrow);
extern const cx_row h_functions[];
cx_handler h_other_function(const cx_interp *in, pm_string name);
const cx_row *h_methods(unsigned kind);
/* types.c: those of Types. */
extern const cx_row h_type_rows[];
cv h_vector_size(const cx_call *call);

/* --- schedule.c, copies.c: directives --- */
/* A LoopLevel: of a Func and a loop of it, or of nothing said. */
cv h_new_level(cx_interp *in, pm_loc loc, const cv *args, unsigned n_args);
cv h_root_level(cx_interp *in);
cv h_set_level(const cx_call *call);
/* The Func is defined: what was said of it before holds. */
void h_begin_loops(cx_interp *in, h_symbol *s);
/* The directive of that name, where the value is of a Func; NULL: there is none. */
cx_handler h_directive(const cx_call *call);
/* The nearest name of a directive, or NULL. */
const char *h_nearest_directive(unsigned kind, pm_string name);
/* f.clone_in(g), f.in(g), f.in(); the Func, the same for the same readers. */
cv h_make_copy(const cx_call *call, bool is_clone);

/* --- reductions.c, boundaries.c --- */
cv h_reduce(const cx_call *call);
cv h_add_boundary(const cx_call *call);

/* --- generators.c --- */
/* Runs the generator of the program, if it has one. */
void h_run_generator(cx_interp *in, pm_loc loc);
/* HALIDE_REGISTER_GENERATOR and its like: a hook of the library. */
void h_run_macro(cx_interp *in, const cx_node *n);
/* create<T>(). */
cv h_create_generator(cx_interp *in, pm_loc loc, const cx_node *type);
cv h_apply_generator(const cx_call *call);
/* name::generate(this, {inputs…}), name::apply: of the stub of a generator that is registered under the name;
 * NULL: there is none. */
/* `name::Inputs`, `name::GeneratorParams`, `name::Outputs` of stubs. */
bool h_is_stub_type(pm_string name);
bool h_make_stub_value(const cx_making *m, cv *out);
cx_handler h_stub(const cx_interp *in, pm_string name);

/* --- ports.c --- */
/* What --const NAME=… says; NULL: nothing. It counts as used. */
const char *h_given_constant(cx_interp *in, const char *name);
/* As --const NAME=TEXT does, which comes first. */
void h_add_constant(cx_interp *in, pm_loc loc, const char *name, const char *text);
/* add_input<…>("name", …), add_output<…>("name", …): one more port of the generator, in configure(). */
cv h_add_port(const cx_call *call);
/* param.set(value), of a GeneratorParam of a generator that another makes. */
cv h_set_param(const cx_call *call);
/* Input<…>, Output<…>, GeneratorParam<…>, ImageParam, Param: what a declaration of that type makes. */
bool h_is_port(pm_string name);
/* The list is an array of outputs. */
bool h_is_port_of_outputs(const cx_list *list);
cv h_new_port(const cx_making *m);
/* Hooks of the library: one more item of an array of ports, and where ports are declared. */
cv h_new_port_item(cx_interp *in, const cx_list *list);
bool h_may_declare(cx_interp *in, const cx_node *type, const cx_node *declarator);

#endif
