/* Calls: arguments to scalars and buffers, scalars from the sizes of arrays, outputs. */
#include "tools/python/src/function.h"

#include <stdlib.h>
#include <string.h>

/* --- the frame --- */

bool pm_call_begin(pm_call *c, pm_function_object *f, const pm_function *function) {
  size_t bytes = f->n_arrays * (sizeof *c->arrays + 2) + f->n_scalars * (sizeof *c->scalars + 1);
  c->block = bytes > sizeof c->room ? malloc(bytes) : NULL;
  if (bytes > sizeof c->room && !c->block) return PyErr_NoMemory(), false;
  c->f = f;
  c->function = function;
  c->out = NULL;
  c->threads = 0;
  c->workspace = NULL;
  c->handler = NULL;
  c->arrays = c->block ? c->block : (void *)c->room;
  c->scalars = (pm_argument *)(c->arrays + f->n_arrays);
  c->known = (bool *)(c->scalars + f->n_scalars);
  c->begun = c->known + f->n_scalars;
  c->sized = c->begun + f->n_arrays;
  memset(c->scalars, 0, f->n_scalars * sizeof *c->scalars);
  memset(c->known, 0, f->n_scalars + 2 * f->n_arrays);
  return true;
}

void pm_call_end(pm_call *c) {
  for (size_t i = 0; i < c->f->n_arrays; i++)
    if (c->begun[i]) pm_array_end(&c->arrays[i]);
  free(c->block);
}

/* --- arguments --- */

Py_ssize_t pm_call_find(const pm_call *c, PyObject *name) {
  size_t n = c->f->n_scalars + c->f->n_arrays;
  for (size_t i = 0; i < n; i++)
    if (c->f->names[i] == name) return (Py_ssize_t)i;
  for (size_t i = 0; i < n; i++)
    if (PyUnicode_Compare(c->f->names[i], name) == 0) return (Py_ssize_t)i;
  return -1;
}

bool pm_call_unknown_name(const pm_call *c, PyObject *name) {
  (void)pm_refuse(c->f, "unknown_name", "OO", (PyObject *)c->f, name);
  return false;
}

static bool is_float(int32_t type) {
  return type >= PM_TYPE_F16 && type <= PM_TYPE_F64;
}

static bool fits(int32_t type, long long value) {
  int bits = (int)(8 * pm_type_bytes(type));
  bool is_unsigned = type >= PM_TYPE_U8 && type <= PM_TYPE_U64;
  if (type == PM_TYPE_I1) return value == 0 || value == 1;
  if (bits == 64) return !is_unsigned || value >= 0;
  long long high = (1ll << (is_unsigned ? bits : bits - 1)) - 1;
  return value <= high && value >= (is_unsigned ? 0 : -high - 1);
}

static bool refuse_scalar(const pm_call *c, size_t scalar, PyObject *value) {
  PyErr_Clear();
  (void)pm_refuse(c->f, "wrong_scalar", "OnO", (PyObject *)c->f, (Py_ssize_t)scalar, value);
  return false;
}

bool pm_call_set_scalar(pm_call *c, size_t scalar, PyObject *value) {
  int32_t type = c->f->parameters[scalar].type;
  c->known[scalar] = true;
  if (is_float(type)) {
    c->scalars[scalar].f = PyFloat_AsDouble(value);
    return c->scalars[scalar].f != -1 || !PyErr_Occurred() || refuse_scalar(c, scalar, value);
  }
  PyObject *index = PyNumber_Index(value);
  long long number = index ? PyLong_AsLongLong(index) : 0;
  Py_XDECREF(index);
  if (PyErr_Occurred() || !fits(type, number)) return refuse_scalar(c, scalar, value);
  c->scalars[scalar].i = number;
  return true;
}

static bool refuse_array(pm_call *c, size_t array, pm_array_fault fault) {
  static const char *const refusals[] = {
      [PM_ARRAY_NO_ARRAY] = "no_array",   [PM_ARRAY_DEVICE] = "on_device",
      [PM_ARRAY_TYPE] = "wrong_type",     [PM_ARRAY_RANK] = "wrong_rank",
      [PM_ARRAY_READ_ONLY] = "read_only", [PM_ARRAY_STRIDES] = "odd_strides"};
  if (fault == PM_ARRAY_RAISED) return false;
  if (fault == PM_ARRAY_MEMORY) return PyErr_NoMemory(), false;
  (void)pm_refuse(c->f, refusals[fault], "OnO", (PyObject *)c->f, (Py_ssize_t)array, c->arrays[array].object);
  return false;
}

bool pm_call_set_array(pm_call *c, size_t array, PyObject *object) {
  const pm_parameter *p = &c->f->parameters[c->f->n_scalars + array];
  c->begun[array] = c->sized[array] = true;
  pm_array_fault fault = pm_array_begin(&c->arrays[array], object, p, p->kind == PM_OUTPUT);
  return fault == PM_ARRAY_OK || refuse_array(c, array, fault);
}

/* Inputs: scalars have names. */
static bool take_positional(pm_call *c, PyObject *args) {
  Py_ssize_t n = PyTuple_Size(args), at = 0;
  for (size_t i = 0; at < n && i < c->f->n_inputs; i++, at++)
    if (!pm_call_set_array(c, i, PyTuple_GetItem(args, at))) return false;
  if (at == n) return true;
  (void)pm_refuse(c->f, "too_many", "On", (PyObject *)c->f, n);
  return false;
}

static bool take_named(pm_call *c, PyObject *name, PyObject *value) {
  Py_ssize_t at = pm_call_find(c, name);
  bool is_output = at >= (Py_ssize_t)(c->f->n_scalars + c->f->n_inputs);
  if ((at < 0 || is_output) && PyUnicode_CompareWithASCIIString(name, "out") == 0) {
    c->out = value == Py_None ? NULL : value;
    return true;
  }
  int way = at < 0 || is_output ? pm_call_take_way(c, name, value) : 0;
  if (way) return way > 0;
  if (at < 0 || is_output) return pm_call_unknown_name(c, name);
  if ((size_t)at < c->f->n_scalars) return pm_call_set_scalar(c, (size_t)at, value);
  if (!c->begun[(size_t)at - c->f->n_scalars])
    return pm_call_set_array(c, (size_t)at - c->f->n_scalars, value);
  (void)pm_refuse(c->f, "given_twice", "OO", (PyObject *)c->f, name);
  return false;
}

static bool take_arguments(pm_call *c, PyObject *args, PyObject *kwargs) {
  PyObject *name, *value;
  Py_ssize_t at = 0;
  if (!take_positional(c, args)) return false;
  while (kwargs && PyDict_Next(kwargs, &at, &name, &value))
    if (!take_named(c, name, value)) return false;
  for (size_t i = 0; i < c->f->n_inputs; i++)
    if (!c->begun[i]) {
      (void)pm_refuse(c->f, "missing", "On", (PyObject *)c->f, (Py_ssize_t)i);
      return false;
    }
  return true;
}

/* --- sizes --- */

static bool add_product(int64_t *total, int64_t a, int64_t b) {
  int64_t product;
  return !__builtin_mul_overflow(a, b, &product) && !__builtin_add_overflow(*total, product, total);
}

int64_t pm_call_extent(const pm_call *c, size_t array, int32_t dimension) {
  const int64_t *sum = pm_function_extent_sum(c->function, array, (size_t)dimension);
  int64_t total = sum ? sum[c->f->n_scalars] : 0;
  bool ok = sum;
  for (size_t i = 0; ok && i < c->f->n_scalars; i++)
    ok = !sum[i] || add_product(&total, sum[i], c->scalars[i].i);
  return ok ? total : pm_function_extent(c->function, c->scalars, array, (size_t)dimension);
}

/* The scalars that are known, as a dict. */
PyObject *pm_call_values(const pm_call *c) {
  PyObject *values = PyDict_New();
  for (size_t i = 0; values && i < c->f->n_scalars; i++) {
    if (!c->known[i] || is_float(c->f->parameters[i].type)) continue;
    PyObject *number = PyLong_FromLongLong(c->scalars[i].i);
    if (!number || PyDict_SetItem(values, c->f->names[i], number) != 0) Py_CLEAR(values);
    Py_XDECREF(number);
  }
  return values;
}

PyObject *pm_shape_of(const pm_buffer *b) {
  PyObject *shape = PyTuple_New(b->dimensions);
  for (int32_t d = 0; shape && d < b->dimensions; d++) {
    PyObject *extent = PyLong_FromLongLong(b->dim[d].extent);
    if (!extent || PyTuple_SetItem(shape, d, extent) != 0) Py_CLEAR(shape);
  }
  return shape;
}

/* The array is not of the size that the scalars give. */
static bool refuse_size(const pm_call *c, const char *refusal, size_t array) {
  PyObject *shape = pm_shape_of(&c->arrays[array].buffer), *values = shape ? pm_call_values(c) : NULL;
  if (values) (void)pm_refuse(c->f, refusal, "OnOO", (PyObject *)c->f, (Py_ssize_t)array, shape, values);
  Py_XDECREF(values);
  Py_XDECREF(shape);
  return false;
}

/* The one scalar of the sum that is not known; -1: there is none; -2: there are several. */
static Py_ssize_t only_unknown(const pm_call *c, const int64_t *sum) {
  Py_ssize_t found = -1;
  for (size_t i = 0; i < c->f->n_scalars; i++)
    if (sum[i] && !c->known[i]) found = found == -1 ? (Py_ssize_t)i : -2;
  return found;
}

/* False: no integer of its type gives that extent. */
static bool solve_for(pm_call *c, const int64_t *sum, size_t scalar, int64_t extent) {
  int64_t known = sum[c->f->n_scalars], rest;
  for (size_t i = 0; i < c->f->n_scalars; i++)
    if (sum[i] && i != scalar && !add_product(&known, sum[i], c->scalars[i].i)) return false;
  if (__builtin_sub_overflow(extent, known, &rest)) return false;
  if (sum[scalar] == -1 && rest == INT64_MIN) return false;
  c->scalars[scalar].i = rest / sum[scalar];
  c->known[scalar] = true;
  return rest % sum[scalar] == 0 && fits(c->f->parameters[scalar].type, c->scalars[scalar].i);
}

/* Whether anything was solved; -1 with an exception. */
static int solve_array(pm_call *c, size_t array) {
  int any = 0;
  for (int32_t d = 0; d < c->arrays[array].buffer.dimensions; d++) {
    const int64_t *sum = pm_function_extent_sum(c->function, array, (size_t)d);
    Py_ssize_t scalar = sum ? only_unknown(c, sum) : -1;
    if (scalar < 0) continue;
    if (!solve_for(c, sum, (size_t)scalar, c->arrays[array].buffer.dim[d].extent)) {
      c->known[scalar] = false;
      return refuse_size(c, "wrong_shape", array) ? 0 : -1;
    }
    any = 1;
  }
  return any;
}

static bool solve_all(pm_call *c) {
  for (bool any = true; any;) {
    any = false;
    for (size_t i = 0; i < c->f->n_arrays; i++) {
      int solved = c->sized[i] ? solve_array(c, i) : 0;
      if (solved < 0) return false;
      any |= solved > 0;
    }
  }
  return true;
}

static bool check_size(const pm_call *c, size_t array) {
  const pm_buffer *b = &c->arrays[array].buffer;
  for (int32_t d = 0; d < b->dimensions; d++)
    if (pm_call_extent(c, array, d) != b->dim[d].extent) return refuse_size(c, "wrong_shape", array);
  return true;
}

bool pm_call_solve(pm_call *c) {
  if (!solve_all(c)) return false;
  for (size_t i = 0; i < c->f->n_scalars; i++)
    if (!c->known[i]) {
      (void)pm_refuse(c->f, "undetermined", "On", (PyObject *)c->f, (Py_ssize_t)i);
      return false;
    }
  for (size_t i = 0; i < c->f->n_arrays; i++)
    if (c->sized[i] && !check_size(c, i)) return false;
  return true;
}

/* --- outputs --- */

/* The object of an output: of several, out= is a sequence. Borrowed. */
static PyObject *out_at(const pm_call *c, size_t output) {
  return c->f->n_arrays - c->f->n_inputs == 1 ? c->out : PyTuple_GetItem(c->out, (Py_ssize_t)output);
}

bool pm_call_take_out(pm_call *c) {
  size_t n = c->f->n_arrays - c->f->n_inputs;
  if (!c->out) return true;
  if (n != 1 && (!PyTuple_Check(c->out) || PyTuple_Size(c->out) != (Py_ssize_t)n)) {
    (void)pm_refuse(c->f, "wrong_out", "OO", (PyObject *)c->f, c->out);
    return false;
  }
  for (size_t i = 0; i < n; i++)
    if (!pm_call_set_array(c, c->f->n_inputs + i, out_at(c, i))) return false;
  return true;
}

/* What numpy.empty takes, which is found once. */
static bool find_types(pm_function_object *f, PyObject *numpy) {
  size_t n = f->n_arrays - f->n_inputs;
  PyObject *types = PyTuple_New((Py_ssize_t)n);
  for (size_t i = 0; types && i < n; i++) {
    const char *name = pm_type_name(f->parameters[f->n_scalars + f->n_inputs + i].type);
    PyObject *type = PyObject_CallMethod(numpy, "dtype", "s", name);
    if (!type || PyTuple_SetItem(types, (Py_ssize_t)i, type) != 0) Py_CLEAR(types);
  }
  if (f->types) /* of another thread */
    Py_XDECREF(types);
  else
    f->types = types;
  return f->types;
}

static bool import_numpy(pm_function_object *f) {
  if (f->empty && f->types) return true;
  PyObject *numpy = PyImport_ImportModule("numpy");
  if (numpy && !f->types) (void)find_types(f, numpy);
  PyObject *empty = numpy ? PyObject_GetAttrString(numpy, "empty") : NULL;
  if (f->empty)
    Py_XDECREF(empty);
  else
    f->empty = empty;
  Py_XDECREF(numpy);
  return f->empty && f->types;
}

PyObject *pm_call_make(pm_call *c, size_t array) {
  if (!import_numpy(c->f)) return NULL;
  PyObject *type = PyTuple_GetItem(c->f->types, (Py_ssize_t)(array - c->f->n_inputs)), *made = NULL;
  PyObject *shape = pm_shape_of(&c->arrays[array].buffer);
  if (shape) made = PyObject_CallFunctionObjArgs(c->f->empty, shape, type, NULL);
  Py_XDECREF(shape);
  if (made && !pm_call_set_array(c, array, made)) Py_CLEAR(made);
  return made;
}

static bool size_output(pm_call *c, size_t array) {
  const pm_parameter *p = &c->f->parameters[c->f->n_scalars + array];
  pm_buffer *b = &c->arrays[array].buffer;
  b->dimensions = p->dimensions;
  for (int32_t d = 0; d < p->dimensions; d++) {
    b->dim[d].extent = pm_call_extent(c, array, d);
    if (b->dim[d].extent < 0) {
      for (d++; d < p->dimensions; d++) b->dim[d].extent = pm_call_extent(c, array, d);
      return refuse_size(c, "too_small", array);
    }
  }
  return true;
}

static bool make_outputs(pm_call *c, PyObject **made) {
  for (size_t i = c->f->n_inputs; i < c->f->n_arrays; i++) {
    if (c->begun[i]) continue;
    if (!size_output(c, i) || !(made[i - c->f->n_inputs] = pm_call_make(c, i))) return false;
  }
  return true;
}

bool pm_call_check_meetings(const pm_call *c) {
  for (size_t i = c->f->n_inputs; i < c->f->n_arrays; i++)
    for (size_t k = 0; k < i; k++) {
      if (!pm_arrays_meet(&c->arrays[i], &c->arrays[k])) continue;
      PyObject *error =
          PyObject_CallMethod(c->f->refusals, "overlap", "OnOnO", (PyObject *)c->f, (Py_ssize_t)i,
                              c->arrays[i].object, (Py_ssize_t)k, c->arrays[k].object);
      if (error && error != Py_None) PyErr_SetObject((PyObject *)Py_TYPE(error), error);
      bool apart = error == Py_None;
      Py_XDECREF(error);
      if (!apart) return false;
    }
  return true;
}

PyObject *pm_call_result(pm_call *c, PyObject **made, int code, const char *text) {
  size_t n = c->f->n_arrays - c->f->n_inputs;
  PyObject *result = NULL;
  if (code)
    (void)pm_refuse(c->f, "failed", "Ois", (PyObject *)c->f, code, text);
  else if (c->out)
    result = Py_NewRef(c->out);
  else if (n == 1)
    result = Py_NewRef(made[0]);
  else if ((result = PyTuple_New((Py_ssize_t)n)) != NULL)
    for (size_t i = 0; i < n; i++) (void)PyTuple_SetItem(result, (Py_ssize_t)i, Py_NewRef(made[i]));
  if (result && !c->out && n != 1) {
    PyObject *named = PyObject_CallObject(c->f->result, result);
    Py_DECREF(result);
    result = named;
  }
  return result;
}

/* --- a call --- */

static int call_now(const pm_call *c) {
  pm_call_options room;
  const pm_buffer *few[16];
  const pm_buffer **buffers = few;
  if (c->f->n_arrays > 16 && !(buffers = malloc(c->f->n_arrays * sizeof *buffers))) return 3;
  for (size_t i = 0; i < c->f->n_arrays; i++) buffers[i] = &c->arrays[i].buffer;
  int code = pm_function_call_with(c->function, pm_call_way(c, &room), c->scalars, c->f->n_scalars, buffers,
                                   c->f->n_arrays);
  if (buffers != few) free(buffers);
  return code;
}

PyObject *pm_call_run(pm_call *c, PyObject *args, PyObject *kwargs) {
  PyObject *few[8] = {NULL}, **made = few, *result = NULL;
  size_t n = c->f->n_arrays - c->f->n_inputs;
  if (!take_arguments(c, args, kwargs) || !pm_call_take_out(c) || !pm_call_solve(c)) return NULL;
  if (n > 8 && !(made = calloc(n, sizeof *made))) return PyErr_NoMemory();
  if (make_outputs(c, made) && (!c->out || pm_call_check_meetings(c))) {
    int code;
    Py_BEGIN_ALLOW_THREADS;
    code = call_now(c);
    Py_END_ALLOW_THREADS;
    result = pm_call_result(c, made, code, pm_function_strerror(c->function, code));
  }
  for (size_t i = 0; i < n; i++) Py_XDECREF(made[i]);
  if (made != few) free(made);
  return result;
}

PyObject *pm_function_call_slot(PyObject *self, PyObject *args, PyObject *kwargs) {
  pm_function_object *f = (pm_function_object *)self;
  pm_call c;
  if (!f->function && !pm_function_build(f)) return NULL;
  if (!pm_call_begin(&c, f, f->function)) return NULL;
  PyObject *result = pm_call_run(&c, args, kwargs);
  pm_call_end(&c);
  return result;
}

/* --- sizes without a call --- */

static bool is_of_length(PyObject *value, int32_t n) {
  bool is = value && PySequence_Check(value) && PySequence_Size(value) == n;
  PyErr_Clear();
  return is;
}

/* The extents are what the sequence has. */
static bool take_extents(pm_buffer *b, PyObject *shape) {
  for (int32_t d = 0; d < b->dimensions; d++) {
    PyObject *item = PySequence_GetItem(shape, d), *index = item ? PyNumber_Index(item) : NULL;
    b->dim[d].extent = index ? PyLong_AsLongLong(index) : -1;
    Py_XDECREF(index);
    Py_XDECREF(item);
    if (PyErr_Occurred()) return false;
  }
  return true;
}

/* Of an array that is given in place of its shape, the shape counts. */
bool pm_call_set_shape(pm_call *c, size_t array, PyObject *given) {
  const pm_parameter *p = &c->f->parameters[c->f->n_scalars + array];
  PyObject *of_array = PyObject_HasAttrString(given, "shape") ? PyObject_GetAttrString(given, "shape") : NULL;
  PyObject *shape = is_of_length(of_array, p->dimensions) ? of_array : given;
  c->arrays[array].buffer.dimensions = p->dimensions;
  c->sized[array] = true;
  bool ok = is_of_length(shape, p->dimensions) && take_extents(&c->arrays[array].buffer, shape);
  if (!ok) {
    PyErr_Clear();
    (void)pm_refuse(c->f, "no_shape", "OnO", (PyObject *)c->f, (Py_ssize_t)array, given);
  }
  Py_XDECREF(of_array);
  return ok;
}

/* Shapes of arrays and numbers, by name. */
static bool take_sizes(pm_call *c, PyObject *args, PyObject *kwargs) {
  PyObject *name, *value;
  Py_ssize_t at = 0;
  if (PyTuple_Size(args) > 0) {
    PyErr_SetString(PyExc_TypeError, "shapes and sizes are given by name: img=(480, 640)");
    return false;
  }
  while (kwargs && PyDict_Next(kwargs, &at, &name, &value)) {
    Py_ssize_t i = pm_call_find(c, name);
    size_t n = c->f->n_scalars;
    if (i < 0) return pm_call_unknown_name(c, name);
    if (!((size_t)i < n ? pm_call_set_scalar(c, (size_t)i, value)
                        : pm_call_set_shape(c, (size_t)i - n, value)))
      return false;
  }
  /* Sizes alone are asked for: what no size depends on needs no value. */
  for (size_t i = 0; i < c->f->n_scalars; i++) c->known[i] |= is_float(c->f->parameters[i].type);
  return pm_call_solve(c);
}

static PyObject *make_shapes(pm_call *c) {
  PyObject *shapes = PyDict_New();
  for (size_t i = c->f->n_inputs; shapes && i < c->f->n_arrays; i++) {
    PyObject *shape = size_output(c, i) ? pm_shape_of(&c->arrays[i].buffer) : NULL;
    if (!shape || PyDict_SetItem(shapes, c->f->names[c->f->n_scalars + i], shape) != 0) Py_CLEAR(shapes);
    Py_XDECREF(shape);
  }
  return shapes;
}

/* Builds the function, takes the sizes, and gives what `make` makes of them. */
static PyObject *with_sizes(PyObject *self, PyObject *args, PyObject *kwargs, PyObject *(*make)(pm_call *c)) {
  pm_function_object *f = (pm_function_object *)self;
  pm_call c;
  if (!f->function && !pm_function_build(f)) return NULL;
  if (!pm_call_begin(&c, f, f->function)) return NULL;
  PyObject *result = take_sizes(&c, args, kwargs) ? make(&c) : NULL;
  pm_call_end(&c);
  return result;
}

PyObject *pm_function_shapes(PyObject *self, PyObject *args, PyObject *kwargs) {
  return with_sizes(self, args, kwargs, make_shapes);
}

static PyObject *make_sizes(pm_call *c) {
  return pm_call_values(c);
}

PyObject *pm_function_sizes(PyObject *self, PyObject *args, PyObject *kwargs) {
  return with_sizes(self, args, kwargs, make_sizes);
}

static PyObject *make_memory(pm_call *c) {
  int64_t bytes = pm_function_scratch_bytes(c->function, c->scalars);
  return bytes < 0 ? PyErr_NoMemory() : PyLong_FromLongLong(bytes);
}

PyObject *pm_function_memory(PyObject *self, PyObject *args, PyObject *kwargs) {
  return with_sizes(self, args, kwargs, make_memory);
}
