/* What an op is: made from the rows of a dialect's .def file by declare_ops.h and define_ops.h.
 *
 * Rows (see docs/add-an-op.md):
 *   DIALECT (name)                                        first: of the dialect name
 *   OP      (op, traits, "meaning")                       begins
 *   ARG     (op, name, constraint, "…")                   one operand
 *   ARGS    (op, name, constraint, "…")                   any number of operands; at most one such row an op
 *   RES     (op, name, constraint, "…")    RESS           one result, any number of results
 *   ATTR    (op, name, constraint, "…")    OPT_ATTR       an attribute that must / may be there
 *   REGION  (op, name, kind, "…")          OPT_REGION     a region
 *   HOOK    (op, fold | verify | print | parse | range | interpret | writes)
 *                                                         a function <dialect>_<op>_<hook>
 *   INTERFACE(op, loop_like)                              a table of functions <dialect>_<op>_<interface>
 *   COST    (op, cost)                                    what the op costs, where no kernels compute it
 *   LANES   (op, cost)                                    computed lane by lane by the kernels that
 *                                                         <dialect>_<op>_kernel gives; what a lane costs
 *   FLOAT_LANES(op, cost, float, double)                  the same of floats, with that function: expressions
 *                                                         of lanes a, b, c
 *   INT_LANES(op, cost, any, u64)                         the same of integers: of any type but u64, and u64
 *   RULE    (op, name, "law")                             a rewrite rule <dialect>_<op>_<name>
 *   INLINE_FORM(op, kind, "spelling", value)              how it is written inside the op that uses it, of
 *                                                         those with that value of its attribute
 *   INLINE_OPERANDS(op, n)                                inside it are ops of its first n operands
 *   END     (op)
 *
 * Types and attributes, whose text is `!complex.number<f32>` and `#complex.polar<1.5, f32>`:
 *   TYPE    (type, "meaning")                             begins: the kind <dialect>_<type>_type
 *   ATTRIBUTE(attr, "meaning")                            begins: the kind <dialect>_<attr>_attr
 *   PARAM   (type or attr, name, constraint, "…")         a parameter, constrained as an attribute
 *   TYPE_HOOK(type, verify)                               a function <dialect>_<type>_verify
 *   END_TYPE(type)  END_ATTRIBUTE(attr)
 *
 * From the rows come, for dialect `arith`: the descriptor arith_addi (a pm_op_desc), indices of operands,
 * results, attributes and regions (arith_addi_lhs …), and the prototypes of hooks and rules.
 */
#ifndef PM_IR_OP_DESC_H
#define PM_IR_OP_DESC_H

#include "ir/attributes.h"

struct pm_op_state;
struct pm_parser;
struct pm_printer;
struct pm_value;
struct pm_rewriter;
struct pm_builder;
struct pm_interpreter;

/* Traits. */
enum {
  PM_PURE = 1 << 0,              /* no effect but its results: may be removed, moved, merged */
  PM_COMMUTES = 1 << 1,          /* the first two operands may be swapped */
  PM_SAME_TYPE = 1 << 2,         /* all operands and results have one type; the short form prints it once */
  PM_TERMINATOR = 1 << 3,        /* last in its region, and nowhere else */
  PM_SYMBOL = 1 << 4,            /* its attribute "sym" names it in its region */
  PM_CONSTANT = 1 << 5,          /* its attribute "value" is its result */
  PM_ISOLATED = 1 << 6,          /* its regions see no values of the outside */
  PM_READS = 1 << 7,             /* reads memory */
  PM_WRITES = 1 << 8,            /* writes memory */
  PM_ALLOCATES = 1 << 9,         /* its result is new memory: may be removed when unused */
  PM_SAME_OPERANDS = 1 << 10,    /* all operands have one type */
  PM_UNREGISTERED = 1 << 12,     /* of a dialect that the context lacks: it may do anything, to any memory */
  PM_RECURSIVE_EFFECTS = 1 << 11 /* its effects are those of the ops inside, and it has no others */
};

/* Constraints on the types of operands and results. */
typedef enum pm_type_constraint {
  T_ANY,
  T_INT_LIKE,   /* integer or index, scalar or vector */
  T_FLOAT_LIKE, /* float, scalar or vector */
  T_NUM_LIKE,   /* either */
  T_BOOL_LIKE,  /* i1, scalar or vector */
  T_INDEX,      /* index */
  T_AFFINE,     /* scalar integer or index: what an affine expression may read */
  T_SCALAR,     /* any scalar */
  T_VECTOR,     /* any vector */
  T_MEMREF,
  T_VALUE,   /* anything but memory */
  T_ELEMENT, /* what memory has: a scalar, or a type of a dialect */
  T_CUSTOM   /* a type of a dialect; the verify hook looks at the kind */
} pm_type_constraint;

/* Constraints on attributes. */
typedef enum pm_attr_constraint {
  A_ANY,
  A_UNIT,
  A_INT,
  A_BOOL,
  A_FLOAT,
  A_NUMBER,
  A_STRING,
  A_SYMBOL,
  A_TYPE,
  A_ARRAY,
  A_INTS,
  A_DICT,
  A_MAP,
  A_DENSE,
  A_CUSTOM /* any custom one; the verify hook looks at the kind */
} pm_attr_constraint;

typedef enum pm_region_kind { R_SEQUENCE, R_GRAPH } pm_region_kind;

typedef enum pm_row_kind { PM_ROW_END, PM_ROW_ARG, PM_ROW_RES, PM_ROW_ATTR, PM_ROW_REGION } pm_row_kind;
typedef struct pm_row {
  pm_row_kind kind;
  const char *name;
  int constraint; /* pm_type_constraint, pm_attr_constraint or pm_region_kind */
  bool variadic;  /* ARGS, RESS */
  bool optional;  /* OPT_ATTR, OPT_REGION */
  const char *doc;
} pm_row;

/* The rows of a kind that takes any list: of types and attributes that --allow-unregistered keeps. */
extern const pm_row pm_any_params[];

typedef struct pm_fold_result {
  pm_attr attr;           /* a constant, or */
  struct pm_value *value; /* an existing value */
} pm_fold_result;

typedef union pm_lane { /* see ir/lanes.h */
  int64_t i;
  float f;  /* f16, bf16, f32 */
  double d; /* f64 */
} pm_lane;
typedef void (*pm_kernel)(const pm_lane *const *args, pm_lane *out, size_t n);
/* The kernel for a first operand of the scalar type, or NULL. `op` may be NULL for ops of one type. */
typedef pm_kernel (*pm_kernel_hook)(const pm_op *op, pm_scalar scalar);

/* What one lane costs; a machine says in what. */
typedef enum pm_cost {
  PM_COST_UNKNOWN,
  PM_COST_OP,               /* one operation */
  PM_COST_DIVISION,         /* a quotient or a root */
  PM_COST_INTEGER_DIVISION, /* the same, and a few operations when the divisor is a constant */
  PM_COST_CALL              /* a function of the C library */
} pm_cost;

/* What integers a value may be, as dialects/arith/range.h computes with them. */
typedef struct pm_range {
  bool known;
  int64_t lo, hi;
} pm_range;

/* The interface of ops whose region runs any number of times. */
typedef struct pm_loop_like {
  unsigned n_bounds; /* its first operands, which alone decide how often the region runs */
  bool counts;       /* two bounds: the region's first argument goes up from the first to below the second */
  /* Builds, where the builder is, that the region runs at least once: an i1. NULL: it always does. */
  struct pm_value *(*runs)(struct pm_builder *b, const pm_op *op);
  /* Its iterations are a launch or run in threads: what they read from outside is handed over. NULL: never.
   */
  bool (*hands_over)(const pm_op *op);
} pm_loop_like;

typedef bool (*pm_rule_fn)(struct pm_rewriter *rw, pm_op *op);
typedef struct pm_rule {
  const char *name;
  const char *law;
  pm_rule_fn apply; /* true when it changed something; test first, change last */
} pm_rule;

/* How an op is written inside the text of the one that uses it: ir/text.h. Those further down bind tighter;
 * PRODUCT and QUOTIENT are alike in that. */
typedef enum pm_inline_kind {
  PM_INLINE_NONE,
  PM_INLINE_OR,         /* `a or b`, of i1 */
  PM_INLINE_AND,        /* `a and b`, of i1 */
  PM_INLINE_COMPARISON, /* `a < b`, of index: an i1 */
  PM_INLINE_SUM,        /* `a + b`, of index, as those below */
  PM_INLINE_PRODUCT,    /* `a * b` */
  PM_INLINE_QUOTIENT,   /* `a mod 4`, by a number from 1 on */
  PM_INLINE_CALL,       /* `max(a, b)` */
  PM_INLINE_CAST,       /* `index(%x: i32)` of a value */
  PM_INLINE_NUMBER      /* `4`: the attribute */
} pm_inline_kind;

typedef struct pm_inline_form {
  pm_inline_kind kind;
  const char *spelling;
  const char *value; /* of the op's one attribute, a string; NULL: it has none, or is a NUMBER */
} pm_inline_form;

enum { PM_ALL_OPERANDS = UINT16_MAX };

struct pm_op_desc {
  const char *name; /* "arith.addi" */
  const char *doc;
  uint32_t traits;
  const pm_row *args, *results, *attrs, *regions; /* each ends with PM_ROW_END */
  uint16_t n_args, n_results, n_attrs, n_regions; /* rows, variadic ones counted once */
  int16_t variadic_arg, variadic_result;          /* row or -1 */
  const pm_rule *rules;                           /* ends with a NULL name */
  const pm_inline_form *inline_forms;             /* ends with PM_INLINE_NONE */
  uint16_t inline_operands; /* how many are printed with pm_p_inline, the first ones, in order */
  pm_cost cost;
  pm_kernel_hook kernel; /* NULL: not computed lane by lane */
  /* operands[i] is the constant value of operand i or NULL; true when *out was set (one result only).
   * NULL: constants are folded when there is a kernel */
  bool (*fold)(pm_op *op, const pm_attr *operands, pm_fold_result *out);
  bool (*verify)(const pm_op *op);
  void (*print)(struct pm_printer *p, const pm_op *op); /* what follows the op's name */
  bool (*parse)(struct pm_parser *p, struct pm_op_state *state);
  /* What its one result, an integer, is before it wraps, for operands of these ranges, one each. */
  pm_range (*range)(const pm_op *op, const pm_range *operands);
  /* Runs it, as ir/interpret.h says; false after a diagnostic. NULL: it is run lane by lane if it has a
   * kernel, and as a terminator does nothing. */
  bool (*interpret)(struct pm_interpreter *in, const pm_op *op);
  /* It writes the memory of that operand. NULL: with PM_WRITES that of each. */
  bool (*writes)(const pm_op *op, unsigned operand);
  const pm_loop_like *loop_like; /* or NULL */
};

#endif
