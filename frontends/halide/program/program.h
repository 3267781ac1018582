/* What a Halide program is about: typed expressions, Funcs with their definitions, buffers and parameters.
 * Everything lives in the arena of the program. Private to this frontend. */
#ifndef PM_FRONTENDS_HALIDE_PROGRAM_H
#define PM_FRONTENDS_HALIDE_PROGRAM_H

#include "dialects/arith/call.h"
#include "frontends/cxx/values/values.h"
#include "ir/attributes.h"
#include "ir/diag.h"
#include "ir/ir.h"

enum { HX_MAX_DIMS = PM_MAX_RANK, HX_MAX_ELEMENTS = 16, HX_MAX_DEPTH = 3000 };

/* --- expressions --- */

typedef enum hx_op {
  HX_INT,    /* i, wrapped to its type */
  HX_FLOAT,  /* f */
  HX_VAR,    /* var: a Var, i32 */
  HX_RVAR,   /* var: one of an RDom, i32 */
  HX_PARAM,  /* symbol: a scalar of the call */
  HX_CALL,   /* symbol: a Func or buffer, at args; element of its tuple */
  HX_UNDEF,  /* no value: what is written with it stays as it is */
  HX_RANDOM, /* of a definition to come: a float or uint32 of args, u32, and of the points of the definition
              */
  HX_ADD,    /* args of one type, which is that of the result; here and below */
  HX_SUB,
  HX_MUL,
  HX_DIV, /* Euclidean for integers, by zero 0 */
  HX_MOD,
  HX_TRUNC_DIV,
  HX_TRUNC_MOD,
  HX_MIN,
  HX_MAX,
  HX_BIT_AND,
  HX_BIT_OR,
  HX_BIT_XOR,
  HX_SHL, /* the amount is unsigned */
  HX_SHR,
  HX_EQ, /* args of one type, the result is a bool */
  HX_NE,
  HX_LT,
  HX_LE,
  HX_GT,
  HX_GE,
  HX_NOT,    /* of a bool */
  HX_SELECT, /* condition, two values of one type */
  HX_CAST,   /* as in C: integers wrap */
  HX_SAT_CAST,
  HX_BITCAST, /* the same bits */
  HX_SQRT,    /* functions of floats */
  HX_EXP,
  HX_LOG,
  HX_SIN,
  HX_COS,
  HX_TAN,
  HX_ASIN,
  HX_ACOS,
  HX_ATAN,
  HX_SINH,
  HX_COSH,
  HX_TANH,
  HX_ASINH,
  HX_ACOSH,
  HX_ATANH,
  HX_ATAN2, /* y, x */
  HX_POW,
  HX_FLOOR,
  HX_CEIL,
  HX_TRUNC,
  HX_RINT, /* to the nearest, halves to the even one */
  HX_ABS
} hx_op;

typedef struct hx hx;
typedef struct h_symbol h_symbol;

/* A name for coordinates. Vars of one name are one Var. */
typedef struct h_rdom h_rdom;
typedef struct h_var {
  pm_string name;
  h_rdom *rdom; /* NULL: a Var */
  unsigned dim; /* of the rdom */
} h_var;

struct hx {
  hx_op op;
  uint8_t type; /* pm_scalar: i1 is Halide's bool */
  /* An integer made of coordinates, integer parameters and constants alone: it is computed in 64 bits, as
   * indices are. Where it would not fit 32, Halide leaves the result open. */
  bool is_coordinate;
  bool is_of_params; /* and without coordinates */
  bool is_clamp;     /* a MAX of a MIN: calls for which the bounds are in the wrong order are refused */
  uint8_t element;
  uint8_t n_args;
  uint32_t stamp; /* of the last walk that came here */
  uint32_t depth; /* of the tree below */
  pm_loc loc;
  union {
    int64_t i;
    double f;
    const h_var *var;
    h_symbol *symbol;
  };
  hx **args;
  /* lowering: what it became in the body of that stamp, and as a part of an index */
  struct pm_value *value, *index_value;
  uint32_t index_stamp;
};

struct h_rdom {
  pm_string name;
  pm_loc loc;
  unsigned n_dims;
  h_var vars[HX_MAX_DIMS];
  hx *min[HX_MAX_DIMS], *extent[HX_MAX_DIMS];
  CX_VEC(hx *) predicates;
};

/* --- symbols --- */

typedef enum h_symbol_kind { H_FUNC, H_BUFFER, H_PARAM } h_symbol_kind;

/* How a Func reads a buffer outside of it. */
typedef enum h_boundary { H_NONE, H_CLAMP, H_REPEAT, H_MIRROR, H_MIRROR101, H_CONSTANT } h_boundary;

/* One definition: f(args) = values. */
typedef struct h_definition {
  pm_loc loc;
  hx *args[HX_MAX_DIMS]; /* of the pure one Vars */
  hx *values[HX_MAX_ELEMENTS];
  h_rdom *rdom; /* that its RVars are of, or NULL */
} h_definition;

/* Numbers of a Buffer<T> that the program makes, x fastest. */
typedef struct h_table {
  int64_t min[HX_MAX_DIMS], extents[HX_MAX_DIMS];
  bool is_read; /* by a Func: the mins stay as they are */
  size_t n;
  pm_number *numbers;
} h_table;

struct h_symbol {
  h_symbol_kind kind;
  pm_string name; /* as given; final when it is lowered */
  pm_loc loc;
  bool is_named; /* the program gave the name */
  bool is_input,
      is_output; /* Input<…>, Output<…>: those of a generator that another makes are none of the call */
  bool has_types, has_rank; /* of ports: types, n_dims were given */
  bool is_declared;         /* both */
  bool is_extent;           /* of a buffer: 1 or more */
  unsigned n_dims, n_elements;
  uint8_t types[HX_MAX_ELEMENTS]; /* pm_scalar */

  /* H_FUNC */
  bool is_defined;
  bool is_wrong; /* a definition was refused: that it is missing is no news */
  h_symbol
      *user;  /* the first other Func whose definition reads it, or NULL: since then it has no more updates */
  pm_loc use; /* that read */
  h_definition pure;
  CX_VEC(h_definition) updates;
  h_boundary boundary[HX_MAX_DIMS]; /* of its only read, which is of a buffer, when has_boundary */
  bool has_boundary;
  hx *exterior; /* the constant of H_CONSTANT */

  struct h_schedule *schedule; /* what directives said; NULL: none did */
  struct h_copy *copy;         /* what clone_in or in made it of; NULL: the program defines it */

  h_table *table; /* of an H_BUFFER that is no input; or NULL */

  /* H_BUFFER and outputs: dimension d has mins 0 (a buffer's), extents that are parameters of the call */
  h_symbol *extents[HX_MAX_DIMS];
  hx *bound_min[HX_MAX_DIMS], *bound[HX_MAX_DIMS]; /* set_bounds, bound: the min and the extent, or NULL */

  /* H_PARAM, and estimates of extents */
  bool has_estimate, has_low, has_high;
  int64_t estimate;
  double low, high; /* what is outside counts as the nearest: --range */
  double initial;   /* what the program says it is: of Params */
  bool is_index;    /* of 32 bits and unsigned, or of 64: a part of indices. Calls where no int holds it are
                       refused */

  /* lowering */
  bool needed;
  const h_symbol *reader;      /* of a boundary condition: the Func that reads it */
  bool has_readers;            /* others do, too: it is a stage of its own, else a mode of the reads */
  bool is_inlined;             /* its readers compute it: it is no stage */
  bool is_apart;               /* an output that is a copy of the Func, which has more points */
  pm_string whole_name;        /* of that Func */
  int64_t origin[HX_MAX_DIMS]; /* of an output, and of a buffer that is an input: its first point */
  struct pm_value *value;      /* of a parameter */
};

typedef struct h_program {
  pm_context *ctx;
  bool has_groups;  /* the target computes tiles by groups of work-items */
  bool has_origins; /* where its outputs begin is given: inputs should have all that they need then */
  bool is_schedule; /* its Funcs are the stages of a program, and it says how they are computed */
  pm_arena *arena;
  CX_VEC(h_symbol *) inputs;  /* buffers and parameters in the order of the declarations */
  CX_VEC(h_symbol *) outputs; /* Funcs */
  CX_VEC(h_symbol *) funcs;
  CX_VEC(h_symbol *) copies;       /* of them those that clone_in and in made */
  CX_VEC(h_symbol *) tables;       /* Buffers whose numbers the program gives */
  CX_VEC(const hx *) clamps;       /* those that are needed, whose bounds are of parameters */
  CX_VEC(const hx *) requirements; /* of calls: add_requirement */
  CX_VEC(h_symbol *) pending;      /* Funcs that are needed, while that is found out */
  pm_map *vars;                    /* pm_string -> h_var */
  cx_reports *reports;             /* ended where an expression is nested more than HX_MAX_DEPTH deep */
  unsigned next_name;
  bool has_undef;                   /* an undef was made */
  int64_t n_randoms, n_definitions; /* so far: random numbers depend on both, as Halide counts them */
  uint32_t next_stamp;              /* of the last walk over expressions */
} h_program;

h_symbol *h_new_symbol(h_program *p, h_symbol_kind kind, pm_loc loc, const char *name);
/* A name that the program does not use: "f0", "f1", … */
pm_string h_unique_name(h_program *p, const char *stem);
const h_var *h_get_var(h_program *p, pm_string name);
/* The extent of dimension `d` of a buffer or an output as an expression: a parameter of the call. */
hx *h_extent(h_program *p, pm_loc loc, h_symbol *symbol, unsigned d);
/* Where dimension `d` of a buffer, or of an output whose first point is given, begins. */
static inline int64_t h_min(const h_symbol *s, unsigned d) {
  return s->table ? s->table->min[d] : s->origin[d];
}

/* --- making expressions: types by Halide's rules; NULL after a diagnostic. Arguments may be NULL after one,
 * too ---
 */

hx *hx_int(h_program *p, pm_loc loc, pm_scalar type, int64_t value);
hx *hx_float(h_program *p, pm_loc loc, pm_scalar type, double value);
hx *hx_var(h_program *p, pm_loc loc, const h_var *var);
hx *hx_param(h_program *p, pm_loc loc, h_symbol *symbol);
hx *hx_call(h_program *p, pm_loc loc, h_symbol *symbol, hx *const *args, unsigned n_args, unsigned element);
/* A node as it is, of the type given. */
hx *hx_node(h_program *p, pm_loc loc, hx_op op, pm_scalar type, hx *const *args, unsigned n_args);
hx *hx_node2(h_program *p, pm_loc loc, hx_op op, hx *a, hx *b);
hx *hx_undef(h_program *p, pm_loc loc, pm_scalar type);
/* What was built as a clamp, which may be a number now. */
void hx_mark_clamp(hx *e);
/* The same of other args, of which there are as many. */
hx *hx_with_args(h_program *p, const hx *e, hx *const *args);
/* The common type of both, as match_types of Halide finds it. */
void hx_match(h_program *p, hx **a, hx **b);
hx *hx_cast(h_program *p, pm_loc loc, pm_scalar type, hx *e);
/* + - * / % min max, comparisons, && || ! on operands of any types. */
hx *hx_binary(h_program *p, pm_loc loc, hx_op op, hx *a, hx *b);
hx *hx_bitwise(h_program *p, pm_loc loc, hx_op op, hx *a, hx *b);
/* Makes `a` as wide as the integer `b` where it is narrower. */
void hx_widen(h_program *p, hx **a, const hx *b);
hx *hx_shift(h_program *p, pm_loc loc, hx_op op, hx *a, hx *b);
hx *hx_not(h_program *p, pm_loc loc, hx *a);
hx *hx_negate(h_program *p, pm_loc loc, hx *a);
hx *hx_select(h_program *p, pm_loc loc, hx *condition, hx *a, hx *b);
hx *hx_least(h_program *p, pm_loc loc, pm_scalar type);
hx *hx_greatest(h_program *p, pm_loc loc, pm_scalar type);

/* The integer parameter that an int is, or is cast from without another value; NULL: none. */
h_symbol *hx_param_of(const hx *e);
bool hx_is_int(const hx *e,
               int64_t *value);         /* a constant of a signed integer type, as Halide's as_const_int */
bool hx_same(const hx *a, const hx *b); /* the same value, by how it is made */

/* What it may be, whatever the parameters and values are. */
typedef struct hx_range {
  double low, high;
} hx_range;
hx_range hx_range_of(const hx *e);

/* "uint8" */
const char *hx_type_name(pm_scalar type);

#endif
