/* The host code around a Halide program, run while it is compiled: values, scopes, and the functions that
 * Halide's headers bring. Private to this frontend. */
#ifndef PM_FRONTENDS_HALIDE_INTERP_H
#define PM_FRONTENDS_HALIDE_INTERP_H

#include "frontends/halide/dsl.h"
#include "frontends/halide/halide.h"
#include "frontends/cxx/syntax/syntax.h"

enum {
  H_MAX_STEPS = 20000000,
  H_MAX_CALLS = 200,
  H_MAX_NESTING = 4000,
  H_MAX_ITEMS = 100000,
  H_MAX_TEXT = 1 << 16, /* characters of a string that the program makes */
  H_MAX_FAILURES = 1000,
  H_MAX_BYTES = 1 << 30
};

typedef enum hv_kind {
  HV_POISON,   /* of what was reported; nothing more is said about it */
  HV_VOID,     /* what has no value */
  HV_INT,      /* i, of the type `scalar`; true and false are of PM_I1 */
  HV_FLOAT,    /* f, PM_F32 or PM_F64 */
  HV_STRING,   /* text */
  HV_TYPE,     /* scalar: a Halide::Type; number: HV_NO_BITS or 0 */
  HV_EXPR,     /* expr; NULL: an Expr that is not defined */
  HV_VAR,      /* var, also of an RDom */
  HV_RDOM,     /* rdom; NULL: one that is not defined */
  HV_FUNC,     /* symbol: a Func */
  HV_BUFFER,   /* symbol: an Input<Buffer>, ImageParam or Buffer */
  HV_PARAM,    /* symbol: an Input of a scalar, a Param */
  HV_REF,      /* ref: f(x, y) */
  HV_TUPLE,    /* list, of EXPRs */
  HV_LIST,     /* list: a vector, an array, what stands in braces, a pair */
  HV_MAP,      /* list, of LISTs of two, in the order of the keys' insertion */
  HV_OBJECT,   /* object */
  HV_FUNCTION, /* function: of the program, or a lambda */
  HV_CLASS,    /* node: a class of the program, as a name */
  HV_DIM,      /* symbol, number: in.dim(number) */
  HV_STAGE,    /* symbol, number: f.update(number) */
  HV_WORD,     /* text: an enumerator of Halide's, TailStrategy::RoundUp */
  HV_TARGET,
  HV_LEVEL,   /* level: a LoopLevel */
  HV_IGNORED, /* of what has no meaning here: tags of traces */
  HV_POINTER, /* cell: an address; NULL: nullptr */
  HV_ITERATOR /* list, number: of an item of it, or of its end */
} hv_kind;

enum { HV_NO_BITS = 1 }; /* the number of a TYPE that is none: Int(0) */

typedef struct hv_cell hv_cell;
typedef struct hv_list hv_list;
typedef struct hv_object hv_object;
typedef struct hv_function hv_function;
typedef struct hv_scope hv_scope;

/* f(args), which is read or defined. */
typedef struct hv_ref {
  h_symbol *symbol;
  pm_loc loc;
  unsigned n_args, element; /* element: of `f(x)[element]` */
  bool has_element;
  bool is_host;    /* an element of a Buffer that the program makes, at numbers of the host code */
  int placeholder; /* where `_` stands among the args, -1: nowhere */
  hx *args[HX_MAX_DIMS];
} hv_ref;

typedef struct hv {
  hv_kind kind;
  uint8_t scalar; /* pm_scalar */
  uint32_t number;
  union {
    int64_t i;
    double f;
    pm_string text;
    hx *expr;
    const h_var *var;
    h_rdom *rdom;
    h_symbol *symbol;
    hv_ref *ref;
    hv_list *list;
    hv_object *object;
    hv_function *function;
    const cx_node *node;
    hv_cell *cell;
    struct h_level *level;
  };
} hv;

/* Where a value is kept. */
struct hv_cell {
  hv value;
  const cx_node *type; /* that the values assigned are converted to; NULL: whatever the first was */
  bool is_const;
};

struct h_port;

struct hv_list {
  const cx_node *of;         /* the type of the items of a vector, of the values of a map; or NULL */
  const struct h_port *port; /* of an array of inputs or outputs; or NULL */
  H_VEC(hv_cell *) items;
};

typedef struct hv_binding {
  pm_string name;
  hv_cell *cell;
  pm_loc loc; /* where it is declared, of variables */
} hv_binding;

struct hv_scope {
  hv_scope *outer;
  hv_object *object; /* whose members these are, or NULL */
  H_VEC(hv_binding) names;
  pm_map *cells; /* name -> cell, of the globals, which may be many; else NULL */
};

struct hv_object {
  const cx_node *node; /* its class */
  hv_scope *members;
  bool is_generator;
};

struct hv_function {
  const cx_node *node; /* FUNCTION or LAMBDA */
  hv_scope *scope;     /* around it */
};

typedef struct h_const_use {
  const char *name, *text; /* --const NAME=TEXT */
  bool used;
} h_const_use;

typedef struct h_generator {
  pm_string name;
  const cx_node *type; /* a NAME */
} h_generator;

struct h_nest;
struct h_schedule;

typedef struct h_interp {
  pm_context *ctx;
  pm_arena *arena;
  h_program program;
  const halide_options *options;
  hv_scope *globals, *scope;
  H_VEC(const cx_node *) classes;
  H_VEC(const cx_node *) refused; /* declarations that were not understood */
  H_VEC(pm_string) included;
  pm_map *namespaces; /* of the files that were read */
  h_const_use *consts;
  size_t n_consts;
  hv result; /* of the return at work */
  unsigned depth, nesting;
  uint64_t steps;
  unsigned failures;
  size_t text_bytes;        /* of strings that the program has made */
  bool stopped;             /* a limit was reached */
  const cx_node *generator; /* registered last: its class, as a NAME with the arguments of a template */
  pm_string generator_name;
  H_VEC(h_generator) generators; /* all that are registered */
} h_interp;

/* A call of what Halide or C++ brings. */
typedef struct h_call {
  h_interp *in;
  pm_loc loc;
  pm_string name;
  hv self; /* of a method */
  hv *args;
  const pm_loc *locs; /* of the arguments */
  unsigned n_args;
  const cx_node *at; /* has the template arguments in its items; may be NULL */
} h_call;

/* --- value.c --- */
/* Namespaces that names are written without. */
extern const char *const h_namespaces[];
/* With its arena and an empty program; the options are borrowed. */
void h_interp_init(h_interp *in, pm_context *ctx, const halide_options *options);
void h_interp_free(h_interp *in);
extern const hv hv_poison, hv_void;
hv hv_int(pm_scalar type, int64_t i); /* wraps */
hv hv_bool(bool b);
hv hv_float(pm_scalar type, double f);
hv hv_text(pm_context *ctx, const char *text, size_t len);
hv hv_expr(hx *e);
hv hv_symbol(h_symbol *s);
hv hv_new_list(h_interp *in, hv_kind kind);
void hv_append(h_interp *in, hv list, hv value);
hv_cell *hv_new_cell(h_interp *in, hv value);
/* The value of the key; NULL: there is none. */
hv_cell *h_map_find(h_interp *in, pm_loc loc, hv map, hv key);
/* Lists and structs are values: what is assigned is a copy. */
hv hv_copy(h_interp *in, hv v);
/* "an integer", "a Func": for messages. */
const char *hv_describe(hv v);
bool hv_is_number(hv v);
/* The number without its fraction; false where it does not fit 64 bits. */
bool hv_as_int(hv number, int64_t *out);
/* So many edits may lie between a name and what was meant. */
unsigned h_max_edits(pm_string name);
hv_cell *hv_find(const hv_scope *scope, pm_string name);
void hv_bind(h_interp *in, hv_scope *scope, pm_string name, hv_cell *cell, pm_loc loc);
hv_cell *hv_declare(h_interp *in, hv_scope *scope, pm_string name, hv value);
hv_scope *hv_push_scope(h_interp *in, hv_scope *outer);
/* Reports, and gives poison. */
hv h_fail(h_interp *in, pm_loc loc, const char *fmt, ...) PM_PRINTF(3, 4);

/* --- convert.c --- */
/* The value as an Expr; NULL after a diagnostic. */
hx *h_to_expr(h_interp *in, pm_loc loc, hv v);
/* As Halide takes operands of type int beside an Expr: in the type of the other. */
bool h_to_exprs(h_interp *in, pm_loc loc, hv a, hv b, hx **left, hx **right);
bool h_to_int(h_interp *in, pm_loc loc, hv v, int64_t *out, const char *what);
bool h_to_bool(h_interp *in, pm_loc loc, hv v, bool *out);
bool h_to_type(h_interp *in, pm_loc loc, hv v, pm_scalar *out);
/* The scalar type that a name of C++ is; false for other names. */
bool h_scalar_of_name(pm_string name, pm_scalar *out);
/* The scalar type of a TYPE node, through aliases; false for others. */
bool h_scalar_of(h_interp *in, const cx_node *type, pm_scalar *out);
/* The TYPE that an alias of the program stands for, else the node itself. */
const cx_node *h_resolve(h_interp *in, const cx_node *type);
/* The value as one of the type (NULL, auto: as it is). */
hv h_convert(h_interp *in, pm_loc loc, const cx_node *type, hv v);
/* What `T name(args)` and `T(args)` make; `hint` is the name of the variable, or NULL. */
hv h_construct(h_interp *in, pm_loc loc, const cx_node *type, hv *args, const pm_loc *locs, unsigned n_args,
               bool is_braced, pm_string hint);

/* --- host.c --- */
hv h_unary(h_interp *in, pm_loc loc, cx_op op, hv a);
hv h_binary(h_interp *in, pm_loc loc, cx_op op, hv a, hv b);

/* --- funcs.c --- */
hv h_call_symbol(h_interp *in, pm_loc loc, h_symbol *symbol, const hv *args, const pm_loc *locs,
                 unsigned n_args);
/* f(args) = value, or with an operator. */
bool h_define(h_interp *in, pm_loc loc, hv_ref *ref, cx_op op, hv value);
/* A Func with that one definition. */
hv h_new_func(h_interp *in, pm_loc loc, const char *name, const h_var *const *vars, unsigned n_vars,
              hx *const *values, unsigned n_values);
/* The value of f(args); false after a diagnostic. */
hx *h_read(h_interp *in, pm_loc loc, const hv_ref *ref, unsigned element);
bool h_check_ready(h_interp *in, pm_loc loc, const h_symbol *symbol);
/* _0, _1 … */
const h_var *h_implicit_var(h_program *p, unsigned i);

/* --- tables.c --- */
/* Buffer<T>(extents…): an array whose values the program gives. */
hv h_new_table(h_interp *in, pm_loc loc, const cx_node *type, const hv *args, const pm_loc *locs,
               unsigned n_args, pm_string hint);
/* The number at a place, and another one there; poison after a diagnostic. */
hv h_table_value(h_interp *in, const hv_ref *ref);
hv h_set_table_value(h_interp *in, pm_loc loc, const hv_ref *ref, cx_op op, hv value);
/* b.fill(value) */
hv h_fill_table(const h_call *call);

/* --- iterators.c --- */
/* v.begin(), v.end(), v.insert(at, …) */
hv h_list_iterator(const h_call *call);
hv h_list_insert(const h_call *call);
/* The items from one iterator to another as a new list. */
hv h_copy_range(h_interp *in, pm_loc loc, hv first, hv last);
hv h_distance(const h_call *call);
hv h_find(const h_call *call);
hv h_reverse(const h_call *call);

/* --- random.c --- */
/* random_float() and its like, before a definition says of which points. */
hv h_random(const h_call *call);
/* One definition more: its random numbers become functions of the Vars and RVars. */
void h_lower_random(h_interp *in, const h_symbol *s, h_definition *d);

/* --- library.c, methods.c --- */
/* A function of Halide's or C++'s by its name; `found` says whether there is one. */
hv h_call_library(const h_call *call, bool *found);
hv h_call_method(const h_call *call, bool *found);
/* A nearest name among those of the library and the scope, or NULL. */
const char *h_nearest_function(h_interp *in, pm_string name);
const char *h_nearest_method(hv self, pm_string name);
/* A name of Halide's that is no function: TailStrategy::RoundUp, Target::HVX. */
bool h_find_word(h_interp *in, pm_string name, hv *out);

/* --- schedule.c --- */
/* A LoopLevel: of a Func and a loop of it, or of nothing said. */
hv h_new_level(h_interp *in, pm_loc loc, const hv *args, unsigned n_args);
hv h_root_level(h_interp *in);
hv h_set_level(const h_call *call);

/* --- reductions.c, boundaries.c --- */
hv h_reduce(const h_call *call);
hv h_add_boundary(const h_call *call);

/* --- interp.c --- */
/* One step more; false when the program runs too long or has too much, which is reported once. */
bool h_may_go_on(h_interp *in, pm_loc loc);
hv h_eval(h_interp *in, const cx_node *n);
hv h_call_function(h_interp *in, pm_loc loc, const hv_function *function, hv_object *self, hv *args,
                   hv_cell *const *cells, const pm_loc *locs, unsigned n_args);
/* Calls what can be called: a function of the program, a Func. */
hv h_call_value(h_interp *in, pm_loc loc, hv callee, hv *args, const pm_loc *locs, unsigned n_args);
void h_run(h_interp *in, const cx_node *block);
/* `type` has the arguments of a template in its items; it may be NULL. */
hv h_new_object(h_interp *in, pm_loc loc, const cx_node *class_node, const cx_node *type, hv *args,
                const pm_loc *locs, unsigned n_args, bool is_braced);
/* The function of that name in a class or its bases, NULL: none. */
const cx_node *h_find_method(h_interp *in, const cx_node *class_node, pm_string name);
hv h_call_member(h_interp *in, pm_loc loc, hv_object *object, const char *name);
const cx_node *h_find_class(h_interp *in, pm_string name);
bool h_is_generator(h_interp *in, const cx_node *class_node);

/* --- generators.c --- */
/* Runs the generator of the program, if it has one. */
void h_run_generator(h_interp *in, pm_loc loc);
/* create<T>(). */
hv h_create_generator(h_interp *in, pm_loc loc, const cx_node *type);
hv h_apply_generator(const h_call *call);
/* name::generate(this, {inputs…}), name::apply: of the stub of a generator that is registered under the name.
 */
hv h_call_stub(const h_call *call, bool *found);
/* Input<…>, Output<…>, GeneratorParam<…>, ImageParam, Param: what a declaration of that type makes. */
bool h_is_port(pm_string name);
hv h_new_port(h_interp *in, pm_loc loc, const cx_node *type, hv *args, const pm_loc *locs, unsigned n_args,
              pm_string hint);
/* One more item of an array of ports. */
hv h_new_port_item(h_interp *in, const hv_list *list);

#endif
