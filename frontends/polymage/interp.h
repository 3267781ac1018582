/* Evaluation of the Python subset. An error is reported where it happens; its result is POISON, which is
 * passed on in silence, so that later statements that do not depend on it are still looked at. */
#ifndef PM_FRONTENDS_POLYMAGE_INTERP_H
#define PM_FRONTENDS_POLYMAGE_INTERP_H

#include "frontends/polymage/dsl.h"
#include "frontends/polymage/polymage.h"

struct py_env {
  py_dict vars;
  py_dict missing; /* names that were imported, each with its module, which is no file of the program */
  py_env *parent;  /* NULL for the top level */
};

/* A file of the program, by its path below the program's folder. */
struct py_file {
  pm_string path;
  py_env env;
  bool running; /* its statements have not all been run: it is not imported yet */
};

/* What buildPipeline was given. */
typedef struct py_pipeline {
  pm_loc loc;
  py_value outputs;
  const char *name; /* or NULL */
} py_pipeline;

/* What became of a --const. */
typedef struct py_const_use {
  bool asked;             /* for the value of that name */
  bool used;              /* as a name of the program */
  bool set, is_parameter; /* by the program before it was used */
} py_const_use;

struct py_interp {
  pm_context *ctx;
  pm_arena *arena;
  const polymage_options *options;
  py_const_use *const_uses; /* of each --const */
  dsl_program *dsl;
  py_env *globals;
  unsigned depth, call_depth;
  uint64_t steps;
  PM_VEC(py_file *) files; /* the program's own comes first */
  py_pipeline pipeline;
  const py_unknown *last_unknown;
  /* Constants that the pipeline depends on, and all that were asked for in vain: one error names them. */
  PM_VEC(const py_constant *) missing;
  PM_VEC(const py_constant *) asked;
  bool failed;
  bool built;       /* buildPipeline was called: nothing more is evaluated */
  bool rest_noted;  /* what follows was said to be left out */
  bool in_setup;    /* what fails is not known, and no error */
  unsigned probing; /* statements that an error leaves out are run for the constants that they ask for */
  uint64_t probed;  /* steps of that */
  bool stopped;     /* built, or a limit was hit: nothing more is evaluated */
  bool skipped;     /* in the running function: a statement was left out because of an error */
  bool lost;        /* somewhere: lists and dictionaries may lack items, and that is not reported */
  pm_map *reported; /* places that have an error already, so that a loop reports once */
};

typedef struct py_arg {
  pm_string keyword; /* or NULL */
  pm_loc loc;
  py_value value;
} py_arg;

struct py_call {
  pm_loc loc;
  const char *name; /* of a builtin, for messages */
  const py_arg *args;
  unsigned n_args;
};

/* Reports unless the place has an error already, or a limit was hit. Returns POISON. */
py_value py_fail(py_interp *py, pm_loc loc, const char *fmt, ...) PM_PRINTF(3, 4);
/* A warning, once a place, outside of the set-up. */
void py_warn(py_interp *py, pm_loc loc, const char *fmt, ...) PM_PRINTF(3, 4);
/* A text in the arena. */
const char *py_format(const py_interp *py, const char *fmt, ...) PM_PRINTF(2, 3);
/* "the integer 3", "the string 'abc'", "the image img": for messages. Lives in the arena. */
const char *py_describe(const py_interp *py, py_value v);
/* Of a DEF or LAMBDA: "the function f", or `f(a, b)`. Lives in the arena. */
const char *py_function_text(const py_interp *py, const py_node *function, bool called);
/* Where a loop over points is meant. */
extern const char py_no_loop[];
/* Behind a number of things: "s", or nothing behind 1. */
static inline const char *py_plural(size_t n) {
  return n == 1 ? "" : "s";
}
/* The statements of a file. */
void py_run(py_interp *py, py_env *env, const py_node *program);
py_value py_eval(py_interp *py, py_env *env, const py_node *n);
py_value py_call_value(py_interp *py, py_value callee, const py_call *call);
/* Runs a function's body; `args` has one value a parameter. */
py_value py_call_function(py_interp *py, pm_loc loc, const py_function *function, const py_value *args);
/* The value of a --const, for which the program asks; false when there is none of that name. */
bool py_find_const(const py_interp *py, const char *name, py_value *value);
/* Of number `i`; the program has not asked for it. */
py_value py_const_value(const py_interp *py, size_t i);
/* The program uses the name, or sets it at its top level. */
void py_note_use(const py_interp *py, const char *name);
void py_note_assignment(const py_interp *py, const char *name, py_value value);
/* A warning for each --const that has no effect; `file` has no line. */
void py_warn_unused_consts(const py_interp *py, pm_loc file);
/* `count` more steps of work: false when there were too many, or when the values take too much memory. */
bool py_steps(py_interp *py, pm_loc loc, size_t count);
static inline bool py_step(py_interp *py, pm_loc loc) {
  return py_steps(py, loc, 1);
}
/* After a look into values: false when there was too much to look at, or the program took too many steps. */
bool py_looked(py_interp *py, pm_loc loc, const py_look *look);
/* Truth of a value; POISON stays POISON, and so does what has no truth value, after an error that says what
 * should be written instead. */
py_value py_truth(py_interp *py, pm_loc loc, py_value v, const char *instead);
py_value py_binary(py_interp *py, pm_loc loc, py_tok op, py_value a, py_value b);
py_value py_compare(py_interp *py, pm_loc loc, py_tok op, py_value a, py_value b);
py_value py_index(py_interp *py, pm_loc loc, py_value base, py_value key);
bool py_set_item(py_interp *py, pm_loc loc, py_value base, py_value key, py_value value);
/* The items that a `for` goes through, as a list or tuple, except for a RANGE, which stays. */
py_value py_iterable(py_interp *py, pm_loc loc, py_value v);
size_t py_iterable_len(py_value v);
py_value py_iterable_at(py_value v, size_t i);
/* base.name as a method of a list, dictionary or string; POISON without a message when there is none. */
py_value py_find_method(py_interp *py, py_value base, pm_string name);
py_value py_call_method(py_interp *py, const py_method *method, const py_call *call);
/* Python's own functions. */
/* pi; PY_POISON for other names. */
py_value py_find_constant(pm_str name);
const py_builtin *py_find_builtin(pm_str name);
const char *py_nearest_builtin(pm_str name, unsigned *distance);

#endif
