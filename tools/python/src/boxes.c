/* Boxes of the outputs: what they need, and how they are computed from windows of the inputs. */
#include "tools/python/src/function.h"

#include <stdlib.h>
#include <string.h>

/* Of a call for boxes: the whole arrays' sizes, the windows, and the boxes. */
typedef struct boxes {
  pm_call whole, windows;
  int64_t *box;
  bool *given;                /* which outputs have one */
  bool *sliced;               /* whose is of slices, which count from the end below 0 */
  PyObject *shapes, *origins; /* borrowed, or NULL */
} boxes;

static bool begin(boxes *b, PyObject *self) {
  pm_function_object *f = (pm_function_object *)self;
  memset(b, 0, sizeof *b);
  if (!f->function && !pm_function_build(f)) return false;
  const pm_function *function = pm_function_with_boxes(f);
  if (!function || !pm_call_begin(&b->whole, f, function)) return false;
  if (!pm_call_begin(&b->windows, f, function)) {
    pm_call_end(&b->whole);
    return false;
  }
  b->box = calloc(pm_function_box(function) + 1, sizeof *b->box);
  b->given = calloc(f->n_arrays + 1, sizeof *b->given);
  b->sliced = calloc(f->n_arrays + 1, sizeof *b->sliced);
  if (!b->box || !b->given || !b->sliced) PyErr_NoMemory();
  return true;
}

static void end(boxes *b) {
  free(b->box);
  free(b->given);
  free(b->sliced);
  pm_call_end(&b->windows);
  pm_call_end(&b->whole);
}

static const pm_parameter *array_of(const boxes *b, size_t array) {
  return &b->whole.f->parameters[b->whole.f->n_scalars + array];
}

/* --- boxes --- */

static bool get_integer(PyObject *sequence, Py_ssize_t at, int64_t *number) {
  PyObject *item = PySequence_GetItem(sequence, at), *index = item ? PyNumber_Index(item) : NULL;
  if (index) *number = PyLong_AsLongLong(index);
  Py_XDECREF(index);
  Py_XDECREF(item);
  return !PyErr_Occurred();
}

static bool is_slice(PyObject *object) {
  return PyObject_TypeCheck(object, &PySlice_Type);
}

/* Each is a pair, or each a slice. */
static bool is_box(PyObject *box, int32_t n, bool slices) {
  bool is = PySequence_Check(box) && PySequence_Size(box) == n;
  for (int32_t d = 0; is && d < n; d++) {
    PyObject *one = PySequence_GetItem(box, d);
    is = one && (slices ? is_slice(one) : PySequence_Check(one) && PySequence_Size(one) == 2);
    Py_XDECREF(one);
  }
  PyErr_Clear();
  return is;
}

static bool get_pair(PyObject *pair, int64_t *lo, int64_t *hi) {
  return get_integer(pair, 0, lo) && get_integer(pair, 1, hi);
}

/* An end that is not given is PY_SSIZE_T_MAX. */
static bool get_slice(PyObject *slice, int64_t *lo, int64_t *hi) {
  Py_ssize_t start, stop, step;
  if (PySlice_Unpack(slice, &start, &stop, &step) != 0) return false;
  *lo = start;
  *hi = stop;
  return step == 1;
}

static bool refuse_box(const boxes *b, size_t array, PyObject *box) {
  (void)pm_refuse(b->whole.f, "no_box", "OnO", (PyObject *)b->whole.f, (Py_ssize_t)array, box);
  return false;
}

/* ((0, 2), (3, 9)) or numpy.s_[0:2, 3:9]. */
static bool set_box(boxes *b, size_t array, PyObject *box) {
  int64_t *ends = b->box + pm_function_box_place(b->whole.function, array);
  int32_t n = array_of(b, array)->dimensions;
  bool alone = n == 1 && is_slice(box), ok = true;
  b->sliced[array] = alone || is_box(box, n, true);
  if (!b->sliced[array] && !is_box(box, n, false)) return refuse_box(b, array, box);
  b->given[array] = true;
  for (int32_t d = 0; ok && d < n; d++) {
    PyObject *one = alone ? Py_NewRef(box) : PySequence_GetItem(box, d);
    ok = one && (b->sliced[array] ? get_slice : get_pair)(one, &ends[2 * d], &ends[2 * d + 1]);
    Py_XDECREF(one);
  }
  return ok || (!PyErr_Occurred() && refuse_box(b, array, box));
}

/* Ends that slices count from the end, when the size is known. */
static void place_slices(const boxes *b, size_t array) {
  int64_t *ends = b->box + pm_function_box_place(b->whole.function, array);
  for (int32_t d = 0; d < array_of(b, array)->dimensions; d++) {
    int64_t extent = pm_call_extent(&b->whole, array, d);
    if (ends[2 * d] < 0) ends[2 * d] += extent;
    if (ends[2 * d + 1] < 0) ends[2 * d + 1] += extent;
    if (ends[2 * d + 1] == PY_SSIZE_T_MAX) ends[2 * d + 1] = extent;
  }
}

static PyObject *box_of(int32_t n, const int64_t *lo, const int64_t *hi, ptrdiff_t step) {
  PyObject *box = PyTuple_New(n);
  for (int32_t d = 0; box && d < n; d++) {
    PyObject *pair = Py_BuildValue("(LL)", (long long)lo[d * step], (long long)hi[d * step]);
    if (!pair || PyTuple_SetItem(box, d, pair) != 0) Py_CLEAR(box);
  }
  return box;
}

/* Elements of one tuple have one box, which one of them may be given. */
static bool has_box(const boxes *b, size_t array) {
  int place = pm_function_box_place(b->whole.function, array);
  for (size_t i = b->whole.f->n_inputs; i < b->whole.f->n_arrays; i++)
    if (b->given[i] && pm_function_box_place(b->whole.function, i) == place) return true;
  return false;
}

/* A box is inside of its output. */
static bool check_box(const boxes *b, size_t array) {
  const int64_t *box = b->box + pm_function_box_place(b->whole.function, array);
  int64_t none[8] = {0}, extents[8];
  int32_t n = array_of(b, array)->dimensions;
  bool ok = has_box(b, array);
  for (int32_t d = 0; d < n; d++) {
    extents[d] = pm_call_extent(&b->whole, array, d);
    ok = ok && box[2 * d] >= 0 && box[2 * d] <= box[2 * d + 1] && box[2 * d + 1] <= extents[d];
  }
  if (ok) return true;
  PyObject *given = has_box(b, array) ? box_of(n, box, box + 1, 2) : Py_NewRef(Py_None);
  PyObject *all = box_of(n, none, extents, 1);
  if (given && all)
    (void)pm_refuse(b->whole.f, "wrong_box", "OnOO", (PyObject *)b->whole.f, (Py_ssize_t)array, given, all);
  Py_XDECREF(given);
  Py_XDECREF(all);
  return false;
}

/* --- arguments --- */

static bool set_input(boxes *b, size_t array, PyObject *value, bool windows) {
  if (!windows) return pm_call_set_shape(&b->whole, array, value);
  return pm_call_set_array(&b->windows, array, value);
}

/* Names that no parameter has. False: it is none of these. */
static bool take_special(boxes *b, PyObject *name, PyObject *value) {
  PyObject **at = NULL;
  if (PyUnicode_CompareWithASCIIString(name, "shape") == 0) at = &b->shapes;
  if (PyUnicode_CompareWithASCIIString(name, "origin") == 0) at = &b->origins;
  if (PyUnicode_CompareWithASCIIString(name, "out") == 0) at = &b->windows.out;
  if (at) *at = value == Py_None ? NULL : value;
  return at;
}

static bool take(boxes *b, PyObject *name, PyObject *value, bool windows) {
  Py_ssize_t at = pm_call_find(&b->whole, name);
  size_t n = b->whole.f->n_scalars;
  int way = at < 0 && windows ? pm_call_take_way(&b->whole, name, value) : 0;
  if (way) return way > 0;
  if (at < 0) return (windows && take_special(b, name, value)) || pm_call_unknown_name(&b->whole, name);
  if ((size_t)at < n) return pm_call_set_scalar(&b->whole, (size_t)at, value);
  if ((size_t)at < n + b->whole.f->n_inputs) return set_input(b, (size_t)at - n, value, windows);
  return set_box(b, (size_t)at - n, value);
}

/* Of an input: what a dict has under its name; of the only one, the value itself. Borrowed, or NULL. */
static PyObject *of_input(const boxes *b, PyObject *values, size_t array) {
  if (!values) return NULL;
  if (PyDict_Check(values)) return PyDict_GetItem(values, b->whole.f->names[b->whole.f->n_scalars + array]);
  return b->whole.f->n_inputs == 1 ? values : NULL;
}

/* The keys of a dict are names of inputs; another value is for the only one. */
static bool check_names(const boxes *b, const char *word, PyObject *values) {
  PyObject *name, *value;
  Py_ssize_t at = 0;
  size_t n = b->whole.f->n_scalars;
  if (!values) return true;
  if (!PyDict_Check(values)) {
    if (b->whole.f->n_inputs == 1) return true;
    (void)pm_refuse(b->whole.f, "no_names", "OsO", (PyObject *)b->whole.f, word, values);
    return false;
  }
  while (PyDict_Next(values, &at, &name, &value)) {
    Py_ssize_t found = PyUnicode_Check(name) ? pm_call_find(&b->whole, name) : -1;
    if (found >= (Py_ssize_t)n && (size_t)found < n + b->whole.f->n_inputs) continue;
    (void)pm_refuse(b->whole.f, "no_such_input", "OsO", (PyObject *)b->whole.f, word, name);
    return false;
  }
  return true;
}

/* Of whole arrays. */
static bool take_shapes(boxes *b) {
  if (!check_names(b, "shape", b->shapes) || !check_names(b, "origin", b->origins)) return false;
  for (size_t i = 0; i < b->whole.f->n_inputs; i++) {
    PyObject *shape = of_input(b, b->shapes, i);
    if (shape && !pm_call_set_shape(&b->whole, i, shape)) return false;
    if (shape || !b->windows.begun[i] || of_input(b, b->origins, i)) continue;
    b->whole.arrays[i].buffer = b->windows.arrays[i].buffer;
    b->whole.sized[i] = true;
  }
  return true;
}

static bool take_all(boxes *b, PyObject *args, PyObject *kwargs, bool windows) {
  PyObject *name, *value;
  Py_ssize_t at = 0;
  if (PyErr_Occurred()) return false;
  if (PyTuple_Size(args) > 0) {
    PyErr_SetString(PyExc_TypeError, "boxes and windows are given by name");
    return false;
  }
  while (kwargs && PyDict_Next(kwargs, &at, &name, &value))
    if (!take(b, name, value, windows)) return false;
  /* What is needed depends on no float: those of a call for a box are to be given. */
  for (size_t i = 0; !windows && i < b->whole.f->n_scalars; i++)
    b->whole.known[i] |=
        b->whole.f->parameters[i].type >= PM_TYPE_F16 && b->whole.f->parameters[i].type <= PM_TYPE_F64;
  if (!take_shapes(b) || !pm_call_solve(&b->whole)) return false;
  for (size_t i = b->whole.f->n_inputs; i < b->whole.f->n_arrays; i++)
    if (b->sliced[i]) place_slices(b, i);
  for (size_t i = b->whole.f->n_inputs; i < b->whole.f->n_arrays; i++)
    if (!check_box(b, i)) return false;
  return true;
}

/* --- what a box needs --- */

static bool get_needs(const boxes *b, size_t array, int64_t *lo, int64_t *hi) {
  int code = pm_function_needs(b->whole.function, b->whole.scalars, b->box, array, lo, hi);
  if (code)
    (void)pm_refuse(b->whole.f, "failed", "Ois", (PyObject *)b->whole.f, code,
                    pm_function_region_strerror(b->whole.function, code));
  return !code;
}

static PyObject *all_needs(const boxes *b) {
  PyObject *needs = PyDict_New();
  for (size_t i = 0; needs && i < b->whole.f->n_inputs; i++) {
    int64_t lo[8], hi[8];
    PyObject *box = get_needs(b, i, lo, hi) ? box_of(array_of(b, i)->dimensions, lo, hi, 1) : NULL;
    if (!box || PyDict_SetItem(needs, b->whole.f->names[b->whole.f->n_scalars + i], box) != 0)
      Py_CLEAR(needs);
    Py_XDECREF(box);
  }
  return needs;
}

/* A number of the library, or a code, negated. */
static PyObject *number_of(const boxes *b, int64_t number) {
  if (number >= 0) return PyLong_FromLongLong(number);
  (void)pm_refuse(b->whole.f, "failed", "Ois", (PyObject *)b->whole.f, (int)-number,
                  pm_function_region_strerror(b->whole.function, (int)-number));
  return NULL;
}

static PyObject *region_bytes(const boxes *b) {
  return number_of(b, pm_function_region_bytes(b->whole.function, b->whole.scalars, b->box));
}

static PyObject *region_points(const boxes *b) {
  return number_of(b, pm_function_region_points(b->whole.function, b->whole.scalars, b->box));
}

/* What `make` makes of boxes, and of the sizes of whole arrays. */
static PyObject *with_boxes(PyObject *self, PyObject *args, PyObject *kwargs,
                            PyObject *(*make)(const boxes *b)) {
  boxes b;
  if (!begin(&b, self)) return NULL;
  PyObject *made = take_all(&b, args, kwargs, false) ? make(&b) : NULL;
  end(&b);
  return made;
}

PyObject *pm_function_needs_method(PyObject *self, PyObject *args, PyObject *kwargs) {
  return with_boxes(self, args, kwargs, all_needs);
}

PyObject *pm_function_points(PyObject *self, PyObject *args, PyObject *kwargs) {
  return with_boxes(self, args, kwargs, region_points);
}

PyObject *pm_function_region_memory(PyObject *self, PyObject *args, PyObject *kwargs) {
  return with_boxes(self, args, kwargs, region_bytes);
}

/* --- windows --- */

/* `refusal` takes where the window is, and another box. */
static bool refuse_window(const boxes *b, size_t array, const char *refusal, const int64_t *lo,
                          const int64_t *hi) {
  const pm_buffer *w = &b->windows.arrays[array].buffer;
  int64_t begins[8], ends[8];
  for (int32_t d = 0; d < w->dimensions; d++) {
    begins[d] = w->dim[d].min;
    ends[d] = begins[d] + w->dim[d].extent;
  }
  PyObject *has = box_of(w->dimensions, begins, ends, 1), *needed = box_of(w->dimensions, lo, hi, 1);
  if (has && needed)
    (void)pm_refuse(b->whole.f, refusal, "OnOO", (PyObject *)b->whole.f, (Py_ssize_t)array, has, needed);
  Py_XDECREF(has);
  Py_XDECREF(needed);
  return false;
}

/* Where the window begins. An input without an origin is whole. */
static bool set_origin(boxes *b, size_t array) {
  PyObject *origin = of_input(b, b->origins, array);
  pm_buffer *w = &b->windows.arrays[array].buffer;
  if (!origin) return true;
  if (!PySequence_Check(origin) || PySequence_Size(origin) != w->dimensions) {
    PyErr_Clear();
    (void)pm_refuse(b->whole.f, "no_origin", "OnO", (PyObject *)b->whole.f, (Py_ssize_t)array, origin);
    return false;
  }
  for (int32_t d = 0; d < w->dimensions; d++)
    if (!get_integer(origin, d, &w->dim[d].min)) return false;
  return true;
}

/* A window is inside of the whole array. */
static bool check_origin(const boxes *b, size_t array) {
  const pm_buffer *w = &b->windows.arrays[array].buffer;
  int64_t none[8] = {0}, extents[8];
  bool inside = true;
  for (int32_t d = 0; d < w->dimensions; d++) {
    extents[d] = pm_call_extent(&b->whole, array, d);
    inside &= w->dim[d].min >= 0 && w->dim[d].extent <= extents[d] - w->dim[d].min;
  }
  return inside || refuse_window(b, array, "window_outside", none, extents);
}

static bool check_window(boxes *b, size_t array) {
  int64_t lo[8], hi[8];
  if (!b->windows.begun[array]) {
    (void)pm_refuse(b->whole.f, "missing", "On", (PyObject *)b->whole.f, (Py_ssize_t)array);
    return false;
  }
  if (!set_origin(b, array) || !check_origin(b, array) || !get_needs(b, array, lo, hi)) return false;
  const pm_buffer *w = &b->windows.arrays[array].buffer;
  for (int32_t d = 0; d < w->dimensions; d++)
    if (lo[d] == hi[d]) return true;
  for (int32_t d = 0; d < w->dimensions; d++)
    if (w->dim[d].min > lo[d] || w->dim[d].min + w->dim[d].extent < hi[d])
      return refuse_window(b, array, "small_window", lo, hi);
  return true;
}

/* An output has the box alone. */
static bool begin_output(boxes *b, size_t array, PyObject **made) {
  const int64_t *box = b->box + pm_function_box_place(b->whole.function, array);
  pm_buffer *w = &b->windows.arrays[array].buffer;
  int32_t n = array_of(b, array)->dimensions;
  bool fits = true;
  if (!b->windows.begun[array]) {
    w->dimensions = n;
    for (int32_t d = 0; d < n; d++) w->dim[d].extent = box[2 * d + 1] - box[2 * d];
    *made = pm_call_make(&b->windows, array);
    if (!*made) return false;
  }
  for (int32_t d = 0; d < n; d++) {
    fits &= w->dim[d].extent == box[2 * d + 1] - box[2 * d];
    w->dim[d].min = box[2 * d];
  }
  if (fits) return true;
  PyObject *given = box_of(n, box, box + 1, 2), *shape = pm_shape_of(w);
  if (given && shape)
    (void)pm_refuse(b->whole.f, "wrong_out_box", "OnOO", (PyObject *)b->whole.f, (Py_ssize_t)array, shape,
                    given);
  Py_XDECREF(given);
  Py_XDECREF(shape);
  return false;
}

static bool begin_all(boxes *b, PyObject **made) {
  for (size_t i = 0; i < b->whole.f->n_inputs; i++)
    if (!check_window(b, i)) return false;
  if (!pm_call_take_out(&b->windows)) return false;
  for (size_t i = b->whole.f->n_inputs; i < b->whole.f->n_arrays; i++)
    if (!begin_output(b, i, &made[i - b->whole.f->n_inputs])) return false;
  return !b->windows.out || pm_call_check_meetings(&b->windows);
}

static PyObject *compute(boxes *b, PyObject **made, const pm_buffer **buffers) {
  const pm_call *w = &b->whole;
  pm_call_options room;
  const pm_call_options *way = pm_call_way(w, &room);
  int code;
  for (size_t i = 0; i < w->f->n_arrays; i++) buffers[i] = &b->windows.arrays[i].buffer;
  Py_BEGIN_ALLOW_THREADS;
  code =
      pm_function_region_with(w->function, way, w->scalars, w->f->n_scalars, b->box, buffers, w->f->n_arrays);
  Py_END_ALLOW_THREADS;
  return pm_call_result(&b->windows, made, code, pm_function_region_strerror(w->function, code));
}

static PyObject *region(boxes *b) {
  size_t n = b->whole.f->n_arrays;
  PyObject **made = calloc(n + 1, sizeof *made), *result = NULL;
  const pm_buffer **buffers = calloc(n + 1, sizeof *buffers);
  if (!made || !buffers)
    PyErr_NoMemory();
  else if (begin_all(b, made))
    result = compute(b, made, buffers);
  for (size_t i = 0; made && i < n; i++) Py_XDECREF(made[i]);
  free(made);
  free(buffers);
  return result;
}

PyObject *pm_function_region_method(PyObject *self, PyObject *args, PyObject *kwargs) {
  boxes b;
  if (!begin(&b, self)) return NULL;
  PyObject *result = take_all(&b, args, kwargs, true) ? region(&b) : NULL;
  end(&b);
  return result;
}
