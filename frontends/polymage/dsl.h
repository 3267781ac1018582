/* PolyMage's objects: parameters, variables, images, stages, and the expressions and conditions over them. */
#ifndef PM_FRONTENDS_POLYMAGE_DSL_H
#define PM_FRONTENDS_POLYMAGE_DSL_H

#include "frontends/polymage/value.h"
#include "ir/attributes.h"

enum { DSL_MAX_ELEMENTS = 16 }; /* of a tuple */

typedef enum dsl_symbol_kind { DSL_PARAMETER, DSL_VARIABLE, DSL_IMAGE, DSL_FUNCTION } dsl_symbol_kind;

typedef enum dsl_op {
  DSL_INT,    /* i */
  DSL_REAL,   /* f */
  DSL_SYMBOL, /* a parameter or variable */
  DSL_READ,   /* symbol(args) */
  DSL_ADD,
  DSL_SUB,
  DSL_MUL,
  DSL_DIV,
  DSL_FLOOR_DIV,
  DSL_MOD,
  DSL_NEG,
  DSL_MIN,
  DSL_MAX,
  DSL_POW,
  DSL_EXP,
  DSL_LOG,
  DSL_SIN,
  DSL_COS,
  DSL_SQRT,
  DSL_ABS,
  DSL_CAST,    /* to `type` */
  DSL_SELECT,  /* condition, a, b */
  DSL_STENCIL, /* see dsl_stencil */
  DSL_ELEMENT, /* number i of a read of a stage of tuples */
  DSL_TUPLE,   /* the values of a case or update, one for each element */
  DSL_RANDOM,  /* 0 <= value < 1, by the point and by i */
  DSL_BIT_AND, /* of bits; `power` for a mask of the lowest bits: the number after it */
  DSL_BIT_OR,
  DSL_BIT_XOR,
  DSL_BIT_NOT,
  DSL_SHL, /* `power` for a known amount: 2^amount */
  DSL_SHR,
  DSL_EQ, /* conditions */
  DSL_NE,
  DSL_LT,
  DSL_LE,
  DSL_GT,
  DSL_GE,
  DSL_AND,
  DSL_OR
} dsl_op;

static inline bool dsl_is_cond(dsl_op op) {
  return op >= DSL_EQ;
}

/* Points by variables: of a stage, or those that a reduction goes through. */
typedef struct dsl_domain {
  unsigned n_dims;
  dsl_symbol **variables;
  dsl_interval **intervals;
} dsl_domain;

/* factor * sum of weights[k] * symbol(args + offset k); offset k counts through the extents from -origin. */
typedef struct dsl_stencil {
  unsigned rank; /* of the kernel: it lies on the last `rank` indices */
  const int64_t *extents, *origin;
  dsl_expr *const *weights;
  dsl_expr *factor;   /* or NULL */
  bool implicit;      /* the args are the consumer's variables */
  dsl_expr *expanded; /* for the points `expanded_for` */
  const dsl_domain *expanded_for;
} dsl_stencil;

/* Immutable but for the marks that walks leave. Nodes are shared: an expression is a DAG. */
struct dsl_expr {
  dsl_op op;
  uint32_t n_args;
  uint32_t depth; /* of the tree below, 1 for a leaf */
  pm_loc loc;
  dsl_expr **args;
  union {
    int64_t i;
    double f;
    dsl_symbol *symbol;
    pm_scalar type;
    dsl_stencil *stencil;
    dsl_expr *power; /* or NULL: by it the bits are those of an affine expression */
  };
  uint32_t visited;        /* the last walk that saw it */
  struct emitted *emitted; /* what emit.c made of it */
};

struct dsl_symbol {
  dsl_symbol_kind kind;
  pm_loc loc;
  pm_string given; /* in the program, NULL as long as none is known */
  bool explicit_name;
  pm_string name;         /* final: unique and an identifier of isl and C */
  bool has_estimate;      /* PARAMETER */
  int64_t estimate;       /* what it usually is */
  pm_scalar type;         /* of a stage of tuples, of the first element */
  const pm_scalar *elems; /* FUNCTION: of each element of its tuples */
  unsigned n_elems;       /* 0: single values */
  unsigned n_dims;        /* IMAGE, FUNCTION */
  bool has_domain;
  dsl_expr **extents;                 /* IMAGE */
  pm_attr values;                     /* IMAGE: of a table its numbers, else NULL */
  const struct polymage_range *range; /* IMAGE: declared by the caller, or NULL */
  py_value
      boundary; /* IMAGE, FUNCTION: of reads, a word, a number, or a sequence of these; or POISON: none */
  /* FUNCTION */
  dsl_domain domain;
  bool is_reduction;
  dsl_domain reduction; /* what the updates go through */
  PM_VEC(dsl_case *) cases;
  PM_VEC(dsl_case *) updates;
  py_value default_value; /* a number, or POISON: 0 */
  int64_t time_steps;     /* of a TStencil, else 0 */
  /* One step of a TStencil: what its definition reads as time_input is the stage before. */
  dsl_symbol *time_input, *time_before;
  bool is_last_step;
  uint32_t backward; /* dimensions, a bit each, in which it stands for another stage at negated points */
  bool broken;       /* an error in it was reported */
  const py_unknown *unknown; /* why its definition is not known, or NULL */
  bool needed;               /* FUNCTION, table: by a live-out */
  unsigned n_readers;
  unsigned index; /* order of declaration */
};

/* A parameter or variable: a value without indices. */
static inline bool dsl_is_scalar(const dsl_symbol *symbol) {
  return symbol->kind == DSL_PARAMETER || symbol->kind == DSL_VARIABLE;
}

struct dsl_interval {
  pm_loc loc;
  dsl_expr *lower, *upper; /* both inside */
  int64_t step;
};

/* A case, or an update when it has a target. */
struct dsl_case {
  pm_loc loc;
  dsl_expr *condition; /* or NULL: everywhere */
  dsl_expr *value;
  dsl_expr *target; /* the point that is updated, as a read */
  /* Of each element the word of stage.combine, n_combine of them; one is for all, and then may be "argmin" or
   * "argmax" of the tuple as a whole. */
  const char *const *combine;
  unsigned n_combine;
};

typedef struct dsl_program {
  pm_context *ctx;
  pm_arena *arena;
  PM_VEC(dsl_symbol *) symbols;   /* in the order of declaration, variables too */
  uint32_t walk;                  /* number of the last walk over expressions */
  uint32_t n_random;              /* calls of RandomFloat */
  uint32_t n_selects;             /* calls of Select */
  PM_VEC(dsl_expr *) constraints; /* conditions of parameters that hold in every call */
} dsl_program;

void dsl_program_free(dsl_program *program);

/* "a stage", "an image"… */
const char *dsl_describe(const dsl_symbol *symbol);
/* "the stage f"; "a stage" when it has no name. */
void dsl_put_symbol(pm_buf *out, const dsl_symbol *symbol);
/* "Float" */
const char *dsl_type_name(pm_scalar type);

dsl_symbol *dsl_new_symbol(dsl_program *program, dsl_symbol_kind kind, pm_loc loc);
dsl_expr *dsl_new(dsl_program *program, dsl_op op, pm_loc loc, dsl_expr *const *args, unsigned n_args);
dsl_expr *dsl_new_int(dsl_program *program, pm_loc loc, int64_t value);
dsl_expr *dsl_new_real(dsl_program *program, pm_loc loc, double value);
/* The parameter or variable itself. */
dsl_expr *dsl_new_use(dsl_program *program, pm_loc loc, dsl_symbol *symbol);
dsl_expr *dsl_new_read(dsl_program *program, pm_loc loc, dsl_symbol *symbol, dsl_expr *const *args,
                       unsigned n_args);
/* What a stencil stands for at the points of a domain; NULL after a diagnostic. Made once a domain. */
dsl_expr *dsl_expand_stencil(dsl_program *program, dsl_expr *stencil, const dsl_domain *at);
/* Of the caller. */
static inline bool dsl_is_input(const dsl_symbol *symbol) {
  return symbol->kind == DSL_IMAGE && !symbol->values;
}
/* What a stage reads where its definition reads `symbol`. */
static inline dsl_symbol *dsl_read_by(const dsl_symbol *stage, dsl_symbol *symbol) {
  return stage->time_input == symbol ? stage->time_before : symbol;
}
/* The stages between the input of a TStencil and itself; false after a diagnostic. */
bool dsl_make_time_steps(dsl_program *program);
/* Stages that read themselves at later points become others that go the other way; false after a diagnostic.
 */
bool dsl_turn_recurrences(dsl_program *program);
/* What stands for an expression, or NULL: itself. */
typedef dsl_expr *(*dsl_replacement)(const void *user, dsl_expr *e);
/* The expression with the parts replaced, in what replaces them too; shared parts stay shared. */
dsl_expr *dsl_substitute(dsl_program *program, dsl_expr *e, dsl_replacement replace, const void *user);
/* Appends the symbols that the stage's definition reads, each once; false after a diagnostic. */
typedef PM_VEC(dsl_symbol *) dsl_symbols;
bool dsl_collect_reads(dsl_program *program, dsl_symbol *stage, dsl_symbols *out);

/* Names unnamed symbols inside `value` after what they are assigned to; the number of values looked at. */
size_t dsl_name_value(pm_context *ctx, py_value value, const char *name);

/* --- inside the interpreter --- */
/* The builtin of that name, or NULL. */
const py_builtin *dsl_find_builtin(pm_str name);
/* Type names and such: POISON when there is none. */
py_value dsl_find_constant(pm_str name);
/* What other languages call `name`, as it is written here; NULL when it is no word of theirs. */
const char *dsl_synonym(pm_str name);
/* The name nearest to `name`, or NULL. */
const char *dsl_nearest(pm_str name, unsigned *distance);
/* a op b with at least one DSL operand. */
py_value dsl_binary(py_interp *py, pm_loc loc, py_tok op, py_value a, py_value b);
py_value dsl_compare(py_interp *py, pm_loc loc, py_tok op, py_value a, py_value b);
py_value dsl_negate(py_interp *py, pm_loc loc, py_value a);
py_value dsl_invert(py_interp *py, pm_loc loc, py_value a);
/* argmin, argmax: of tuples as a whole. */
bool dsl_is_whole_combination(const char *word);
/* f(indices) */
py_value dsl_read(py_interp *py, const py_call *call, dsl_symbol *symbol);
/* symbol.name = value; false after a diagnostic */
bool dsl_set_attribute(py_interp *py, pm_loc loc, py_value object, pm_string name, py_value value);
py_value dsl_get_attribute(py_interp *py, pm_loc loc, py_value object, pm_string name);
/* Adds a case, an update or a list of them to a stage; false after a diagnostic. */
bool dsl_define(py_interp *py, pm_loc loc, dsl_symbol *stage, py_value value);
bool dsl_is_operand(py_value v);
/* A stage of tuples is read there, without an element of it. */
bool dsl_is_tuple_read(py_value v);
/* Of such a read, element number `key`, and all elements as a tuple. */
py_value dsl_element(py_interp *py, pm_loc loc, py_value read, py_value key);
py_value dsl_elements(py_interp *py, pm_loc loc, py_value read);

#endif
