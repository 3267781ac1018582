/* Evaluation of the Python subset. An error is reported where it happens; its result is POISON, which is
 * passed on in silence, so that later statements that do not depend on it are still looked at. */
#ifndef PM_FRONTENDS_POLYMAGE_INTERP_H
#define PM_FRONTENDS_POLYMAGE_INTERP_H

#include "frontends/polymage/dsl.h"
#include "frontends/polymage/polymage.h"

struct py_env {
  py_dict vars;
  py_env *parent; /* NULL for the top level */
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

struct py_interp {
  pm_context *ctx;
  pm_arena *arena;
  const polymage_options *options;
  dsl_program *dsl;
  py_env *globals;
  unsigned depth, call_depth;
  uint64_t steps;
  PM_VEC(py_file *) files; /* the program's own comes first */
  py_pipeline pipeline;
  const py_unknown *last_unknown;
  bool failed;
  bool built;       /* buildPipeline was called: nothing more is evaluated */
  bool rest_noted;  /* what follows was said to be left out */
  bool in_setup;    /* what fails is not known, and no error */
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
/* The statements of a file. */
void py_run(py_interp *py, py_env *env, const py_node *program);
py_value py_eval(py_interp *py, py_env *env, const py_node *n);
py_value py_call_value(py_interp *py, py_value callee, const py_call *call);
/* Runs a function's body; `args` has one value a parameter. */
py_value py_call_function(py_interp *py, pm_loc loc, const py_function *function, const py_value *args);
/* The value of a --const; false when there is none of that name. */
bool py_find_const(const py_interp *py, const char *name, py_value *value);
/* `count` more steps of work: false when there were too many, or when the values take too much memory. */
bool py_steps(py_interp *py, pm_loc loc, size_t count);
static inline bool py_step(py_interp *py, pm_loc loc) {
  return py_steps(py, loc, 1);
}
/* After a look into values: false when there was too much to look at, or the program took too many steps. */
bool py_looked(py_interp *py, pm_loc loc, const py_look *look);
/* Truth of a value; POISON stays POISON, and so does what has no truth value, after an error. */
py_value py_truth(py_interp *py, pm_loc loc, py_value v);
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
