/* pm._pm.Function: a program that is called. Calls are in call.c, boxes in boxes.c. */
#ifndef PM_PYTHON_FUNCTION_H
#define PM_PYTHON_FUNCTION_H

#include "tools/python/src/arrays.h"
#include "tools/python/src/job.h"
#include "tools/python/src/module.h"

typedef struct pm_function_object {
  PyObject_HEAD PyObject *refusals; /* pm.refusals, which words errors */
  pm_source *source;
  pm_job *jobs[PM_JOB_TEXT + 1]; /* NULL: not begun */
  /* NULL until it is built; then these are what calls need of it. */
  const pm_function *function;
  size_t n_scalars, n_inputs, n_arrays;
  pm_parameter *parameters;
  PyObject **names; /* of these */
  PyObject *result; /* the class of several outputs, or None */
  int threads;      /* of its calls at most, or 0 */
  /* NULL until a result is made: numpy.empty, and a tuple of the types that it takes. */
  PyObject *empty, *types;
} pm_function_object;

/* Builds it unless that is done; false with an exception. */
bool pm_function_build(pm_function_object *f);
/* The same of the function that computes boxes; NULL with an exception. */
const pm_function *pm_function_with_boxes(pm_function_object *f);
/* That function where it has been made, else NULL. */
const pm_function *pm_function_made_with_boxes(const pm_function_object *f);
/* Raises what the function of pm.refusals makes of the arguments, which are as for PyObject_CallMethod.
 * Returns NULL. */
PyObject *pm_refuse(pm_function_object *f, const char *refusal, const char *format, ...);

/* --- call.c: arguments and sizes --- */

/* What a call is given. */
typedef struct pm_call {
  pm_function_object *f;
  const pm_function *function;
  pm_argument *scalars;
  bool *known; /* which scalars have a value */
  pm_given_array *arrays;
  bool *begun;   /* which arrays are in use */
  bool *sized;   /* which arrays are of known extents, buffer.dim[].extent */
  PyObject *out; /* borrowed, or NULL */
  int threads;   /* 0: it does not say */
  pm_workspace *workspace;
  pm_event_handler handler;
  void *user;
  void *block; /* what is too much for the room */
  _Alignas(16) char room[4096];
} pm_call;

bool pm_call_begin(pm_call *c, pm_function_object *f, const pm_function *function);
void pm_call_end(pm_call *c);
/* The number of the parameter of that name, or -1. */
Py_ssize_t pm_call_find(const pm_call *c, PyObject *name);
bool pm_call_set_scalar(pm_call *c, size_t scalar, PyObject *value);
bool pm_call_set_array(pm_call *c, size_t array, PyObject *object);
/* The size of an array that is not given. */
bool pm_call_set_shape(pm_call *c, size_t array, PyObject *shape);
bool pm_call_unknown_name(const pm_call *c, PyObject *name);
/* Scalars that are not known, from the extents of arrays that are. */
bool pm_call_solve(pm_call *c);
/* An extent for the scalars. */
int64_t pm_call_extent(const pm_call *c, size_t array, int32_t dimension);
/* The objects of out=, as arrays behind the inputs. */
bool pm_call_take_out(pm_call *c);
/* Makes those of an output which is not given, of the extents in buffer.dim. A new reference. */
PyObject *pm_call_make(pm_call *c, size_t array);
/* No output has bytes of another array. */
bool pm_call_check_meetings(const pm_call *c);
/* What the call gives: `made`, a new reference to each output that was made, or out=. Takes the references.
 */
PyObject *pm_call_result(pm_call *c, PyObject **made, int code, const char *text);
/* Integers that are known, as a dict; extents as a tuple. */
PyObject *pm_call_values(const pm_call *c);
PyObject *pm_shape_of(const pm_buffer *b);

/* Slots and methods. */
PyObject *pm_function_call_slot(PyObject *self, PyObject *args, PyObject *kwargs);
PyObject *pm_function_shapes(PyObject *self, PyObject *args, PyObject *kwargs);
PyObject *pm_function_sizes(PyObject *self, PyObject *args, PyObject *kwargs);
PyObject *pm_function_memory(PyObject *self, PyObject *args, PyObject *kwargs);

/* Arguments, the call, and its result. */
PyObject *pm_call_run(pm_call *c, PyObject *args, PyObject *kwargs);

/* --- running.c --- */
/* threads= and workspace=: 1; 0 of other names; -1 with an exception. */
int pm_call_take_way(pm_call *c, PyObject *name, PyObject *value);
/* What the library is told of it, in that room, or NULL. */
const pm_call_options *pm_call_way(const pm_call *c, pm_call_options *room);
PyObject *pm_function_trace(PyObject *self, PyObject *args, PyObject *kwargs);
PyObject *pm_function_release_method(PyObject *self, PyObject *none);

/* --- boxes.c --- */
PyObject *pm_function_needs_method(PyObject *self, PyObject *args, PyObject *kwargs);
PyObject *pm_function_points(PyObject *self, PyObject *args, PyObject *kwargs);
PyObject *pm_function_region_memory(PyObject *self, PyObject *args, PyObject *kwargs);
PyObject *pm_function_region_method(PyObject *self, PyObject *args, PyObject *kwargs);

#endif
