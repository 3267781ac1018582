/* The type pm._pm.Function: what a program is made of, and what has been made of it so far. */
#include "tools/python/src/function.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static pm_function_object *object_of(PyObject *self) {
  return (pm_function_object *)self;
}

PyObject *pm_refuse(pm_function_object *f, const char *refusal, const char *format, ...) {
  va_list given;
  va_start(given, format);
  PyObject *args = Py_VaBuildValue(format, given);
  va_end(given);
  PyObject *word = args ? PyObject_GetAttrString(f->refusals, refusal) : NULL;
  PyObject *error = word ? PyObject_CallObject(word, args) : NULL;
  if (error) PyErr_SetObject((PyObject *)Py_TYPE(error), error);
  Py_XDECREF(error);
  Py_XDECREF(word);
  Py_XDECREF(args);
  return NULL;
}

/* --- options, which are a dict --- */

/* Texts are those of the objects, which outlive the library's copy of them. False with an exception. */
static bool get_word(PyObject *options, const char *name, const char **word) {
  PyObject *value = PyDict_GetItemString(options, name);
  if (!value || value == Py_None) return true;
  *word = PyUnicode_AsUTF8AndSize(value, NULL);
  return *word;
}

static bool get_words(PyObject *options, pm_options *o) {
  const struct {
    const char *name, **word;
  } words[] = {{"language", &o->language}, {"target", &o->target},     {"fp", &o->fp},
               {"machine", &o->machine},   {"vector", &o->vector},     {"passes", &o->passes},
               {"schedule", &o->schedule}, {"parallel", &o->parallel}, {"compiler", &o->compiler},
               {"flags", &o->flags},       {"cpu", &o->cpu},           {"features", &o->features}};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (!get_word(options, words[i].name, words[i].word)) return false;
  PyObject *cache = PyDict_GetItemString(options, "cache");
  o->cache = cache && PyObject_IsTrue(cache);
  o->in_process = 1;
  return !PyErr_Occurred();
}

/* A tuple of texts, to be freed; NULL with an exception. */
static const char **get_list(PyObject *options, const char *name, size_t *n) {
  PyObject *list = PyDict_GetItemString(options, name);
  if (list && !PyTuple_Check(list)) return PyErr_Format(PyExc_TypeError, "%s is no tuple", name), NULL;
  *n = list ? (size_t)PyTuple_Size(list) : 0;
  const char **texts = calloc(*n + 1, sizeof *texts);
  if (!texts) return PyErr_NoMemory(), NULL;
  for (size_t i = 0; i < *n; i++)
    if (!(texts[i] = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(list, (Py_ssize_t)i), NULL)))
      return free(texts), NULL;
  return texts;
}

/* Options of the language are names and texts in turn. */
static pm_source *new_source(const char *name, const char *text, size_t len, PyObject *options) {
  pm_options o = {0};
  size_t n_given = 0;
  pm_source *source = NULL;
  if (!get_words(options, &o)) return NULL;
  const char **estimates = get_list(options, "estimates", &o.n_estimates);
  const char **settings = estimates ? get_list(options, "settings", &o.n_settings) : NULL;
  const char **given = settings ? get_list(options, "language_options", &n_given) : NULL;
  pm_named_option *named = given ? calloc(n_given / 2 + 1, sizeof *named) : NULL;
  if (given && !named) PyErr_NoMemory();
  for (size_t i = 0; named && i < n_given / 2; i++)
    named[i] = (pm_named_option){given[2 * i], given[2 * i + 1]};
  if (named) {
    o.estimates = estimates;
    o.settings = settings;
    o.language_options = named;
    o.n_language_options = n_given / 2;
    source = pm_source_new(name, text, len, &o);
    if (!source) PyErr_NoMemory();
  }
  free(named);
  free(given);
  free(settings);
  free(estimates);
  return source;
}

/* --- its life --- */

static int init(PyObject *self, PyObject *args, PyObject *kwargs) {
  pm_function_object *f = object_of(self);
  static char *words[] = {"name", "text", "options", NULL};
  const char *name, *text;
  Py_ssize_t len;
  PyObject *options;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "ss#O!", words, &name, &text, &len, &PyDict_Type, &options))
    return -1;
  if (f->source) {
    PyErr_SetString(PyExc_TypeError, "a function is made once");
    return -1;
  }
  f->refusals = PyImport_ImportModule("pm.refusals");
  PyObject *threads = PyDict_GetItemString(options, "threads");
  if (threads) f->threads = (int)PyLong_AsLong(threads);
  if (f->refusals && !PyErr_Occurred()) f->source = new_source(name, text, (size_t)len, options);
  return f->source ? 0 : -1;
}

static void forget_built(pm_function_object *f) {
  for (size_t i = 0; f->names && i < f->n_scalars + f->n_arrays; i++) Py_XDECREF(f->names[i]);
  free(f->names);
  free(f->parameters);
  Py_XDECREF(f->result);
}

static void dealloc(PyObject *self) {
  pm_function_object *f = object_of(self);
  PyTypeObject *type = Py_TYPE(self);
  forget_built(f);
  for (size_t i = 0; i <= PM_JOB_TEXT; i++) pm_job_free(f->jobs[i]);
  pm_source_free(f->source);
  Py_XDECREF(f->refusals);
  Py_XDECREF(f->empty);
  Py_XDECREF(f->types);
  freefunc free_object = (freefunc)PyType_GetSlot(type, Py_tp_free);
  free_object(self);
  Py_DECREF(type);
}

/* --- jobs --- */

/* Of a program that is not UTF-8, too. */
static PyObject *text_of(const char *text) {
  return text ? PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace") : Py_NewRef(Py_None);
}

static PyObject *note_of(const pm_noted *n) {
  static const char *const kinds[] = {"error", "warning", "remark", "note"};
  return Py_BuildValue("(sNIINNN)", kinds[n->kind], text_of(n->file), n->line, n->column, text_of(n->source),
                       text_of(n->text), text_of(n->pass));
}

static PyObject *notes_of(const pm_done *r) {
  PyObject *notes = PyList_New(0);
  for (size_t i = 0; notes && i < r->n_notes; i++) {
    PyObject *note = note_of(&r->notes[i]);
    if (!note || PyList_Append(notes, note) != 0) Py_CLEAR(notes);
    Py_XDECREF(note);
  }
  return notes;
}

/* What did not work for want of something may work another time. */
static void refuse_job(pm_function_object *f, pm_job_kind kind, const pm_done *r) {
  PyObject *notes = notes_of(r);
  if (notes)
    (void)pm_refuse(f, "not_made", "sOzz", pm_status_name(r->status), notes, r->error, r->reproducer);
  Py_XDECREF(notes);
  if (r->status != PM_REFUSED && r->status != PM_NO_MEMORY) return;
  pm_job_free(f->jobs[kind]);
  f->jobs[kind] = NULL;
}

/* A compiler that runs is ended, and what it leaves is removed; the next call begins anew. Else the job goes
 * on. */
static void interrupt_job(pm_function_object *f, pm_job_kind kind, pm_job *job) {
  enum { PATIENCE = 500 }; /* milliseconds */
  if (!pm_job_interrupt(job)) return;
  pm_job_free(f->jobs[kind]);
  f->jobs[kind] = NULL;
  Py_BEGIN_ALLOW_THREADS;
  (void)pm_job_wait(job, PATIENCE);
  Py_END_ALLOW_THREADS;
}

/* The result, when it is there, or NULL with an exception. */
static const pm_done *do_job(pm_function_object *f, pm_job_kind kind) {
  enum { PATIENCE = 50 }; /* milliseconds between looks at signals */
  const pm_done *r = NULL;
  if (!f->source) return PyErr_SetString(PyExc_RuntimeError, "the function has no program"), NULL;
  if (!f->jobs[kind] && !(f->jobs[kind] = pm_job_new(f->source, kind))) return PyErr_NoMemory(), NULL;
  pm_job *job = f->jobs[kind];
  pm_job_share(job);
  while (!r) {
    Py_BEGIN_ALLOW_THREADS;
    r = pm_job_wait(job, PATIENCE);
    Py_END_ALLOW_THREADS;
    if (!r && PyErr_CheckSignals() != 0) {
      interrupt_job(f, kind, job);
      break;
    }
  }
  if (r && r->status != PM_OK) refuse_job(f, kind, r);
  bool ok = r && r->status == PM_OK;
  pm_job_free(job);
  return ok ? r : NULL;
}

/* --- what calls need --- */

/* An extent as its text and its sum, or None: a factor of each scalar and a constant. */
static PyObject *extent_of(const pm_function *function, size_t array, size_t dimension, size_t n_scalars) {
  const int64_t *sum = pm_function_extent_sum(function, array, dimension);
  PyObject *numbers = sum ? PyTuple_New((Py_ssize_t)n_scalars + 1) : Py_NewRef(Py_None);
  for (size_t i = 0; sum && numbers && i <= n_scalars; i++) {
    PyObject *number = PyLong_FromLongLong(sum[i]);
    if (!number || PyTuple_SetItem(numbers, (Py_ssize_t)i, number) != 0) Py_CLEAR(numbers);
  }
  return numbers ? Py_BuildValue("(sN)", pm_function_extent_text(function, array, dimension), numbers) : NULL;
}

static PyObject *parameter_of(const pm_function *function, size_t i, const pm_parameter *p,
                              size_t n_scalars) {
  static const char *const kinds[] = {"scalar", "input", "output"};
  PyObject *extents = PyTuple_New(p->dimensions);
  for (int32_t d = 0; extents && d < p->dimensions; d++) {
    PyObject *extent = extent_of(function, i - n_scalars, (size_t)d, n_scalars);
    if (!extent || PyTuple_SetItem(extents, d, extent) != 0) Py_CLEAR(extents);
  }
  return extents ? Py_BuildValue("(sssN)", kinds[p->kind], p->name, pm_type_name(p->type), extents) : NULL;
}

/* All parameters as (kind, name, type, extents). */
static PyObject *describe(const pm_function *function, const pm_parameter *parameters, size_t n,
                          size_t n_scalars) {
  PyObject *all = PyTuple_New((Py_ssize_t)n);
  for (size_t i = 0; all && i < n; i++) {
    PyObject *one = parameter_of(function, i, &parameters[i], n_scalars);
    if (!one || PyTuple_SetItem(all, (Py_ssize_t)i, one) != 0) Py_CLEAR(all);
  }
  return all;
}

/* What Python makes of the parameters: the class of several outputs. */
static bool prepare(PyObject *self, pm_function_object *into, size_t n) {
  PyObject *all = describe(into->function, into->parameters, n, into->n_scalars);
  const char *name = pm_function_name(into->function);
  into->result = all ? PyObject_CallMethod(self, "_describe", "sN", name, all) : NULL;
  return into->result;
}

static bool describe_built(PyObject *self, pm_function_object *into) {
  size_t n = pm_function_parameters(into->function);
  into->parameters = calloc(n + 1, sizeof *into->parameters);
  into->names = calloc(n + 1, sizeof *into->names);
  if (!into->parameters || !into->names) return PyErr_NoMemory(), false;
  for (size_t i = 0; i < n; i++) {
    (void)pm_function_parameter(into->function, i, &into->parameters[i]);
    into->n_scalars += into->parameters[i].kind == PM_SCALAR;
    into->n_inputs += into->parameters[i].kind == PM_INPUT;
    into->n_arrays += into->parameters[i].kind != PM_SCALAR;
    if (!(into->names[i] = PyUnicode_InternFromString(into->parameters[i].name))) return false;
  }
  return prepare(self, into, n);
}

/* Calls see all of it or nothing: another thread may describe it, too, while this one runs Python. */
bool pm_function_build(pm_function_object *f) {
  const pm_done *r = do_job(f, PM_JOB_CALLS);
  if (!r || f->function) return r;
  pm_function_object made = {.function = r->function};
  bool ok = describe_built((PyObject *)f, &made);
  if (!ok || f->function) {
    forget_built(&made);
    return ok;
  }
  f->n_scalars = made.n_scalars;
  f->n_inputs = made.n_inputs;
  f->n_arrays = made.n_arrays;
  f->parameters = made.parameters;
  f->names = made.names;
  f->result = made.result;
  f->function = made.function;
  return true;
}

const pm_function *pm_function_with_boxes(pm_function_object *f) {
  const pm_done *r = do_job(f, PM_JOB_REGIONS);
  if (!r) return NULL;
  if (pm_function_box(r->function)) return r->function;
  (void)pm_refuse(f, "no_boxes", "O", (PyObject *)f);
  return NULL;
}

const pm_function *pm_function_made_with_boxes(const pm_function_object *f) {
  const pm_done *r = f->jobs[PM_JOB_REGIONS] ? pm_job_wait(f->jobs[PM_JOB_REGIONS], 0) : NULL;
  return r ? r->function : NULL;
}

/* --- methods --- */

static PyObject *build(PyObject *self, PyObject *none) {
  (void)none;
  return pm_function_build(object_of(self)) ? Py_NewRef(self) : NULL;
}

static PyObject *emit(PyObject *self, PyObject *none) {
  (void)none;
  const pm_done *r = do_job(object_of(self), PM_JOB_TEXT);
  return r ? Py_BuildValue("(sN)", r->text, notes_of(r)) : NULL;
}

static PyObject *warnings(PyObject *self, PyObject *none) {
  (void)none;
  const pm_done *r = do_job(object_of(self), PM_JOB_CALLS);
  return r ? notes_of(r) : NULL;
}

static PyObject *is_built(PyObject *self, void *none) {
  (void)none;
  return PyBool_FromLong(object_of(self)->function != NULL);
}

static PyMethodDef methods[] = {
    {"build", build, METH_NOARGS, "build($self, /)\n--\n\nCompiles it, unless that is done, and returns it."},
    {"release", pm_function_release_method, METH_NOARGS,
     "release($self, /)\n--\n\nGives back the memory that calls have left for the next ones."},
    {"_trace", (PyCFunction)(void (*)(void))pm_function_trace, METH_VARARGS | METH_KEYWORDS,
     "A call: its result, what its threads did, when it began and ended, and in which thread."},
    {"_emit", emit, METH_NOARGS, "What the target makes of it, and the messages."},
    {"_messages", warnings, METH_NOARGS, "The messages of compiling it."},
    {"shapes", (PyCFunction)(void (*)(void))pm_function_shapes, METH_VARARGS | METH_KEYWORDS,
     "Shapes of the outputs, by name, for shapes of inputs and sizes: f.shapes(img=(480, 640))."},
    {"sizes", (PyCFunction)(void (*)(void))pm_function_sizes, METH_VARARGS | METH_KEYWORDS,
     "The integer scalars, by name, that shapes of inputs and other sizes give: f.sizes(img=(480, 640))."},
    {"scratch_bytes", (PyCFunction)(void (*)(void))pm_function_memory, METH_VARARGS | METH_KEYWORDS,
     "Bytes of memory that a call takes for intermediates, at most: f.scratch_bytes(img=(480, 640))."},
    {"region_bytes", (PyCFunction)(void (*)(void))pm_function_region_memory, METH_VARARGS | METH_KEYWORDS,
     "Bytes of memory that a call of region takes for intermediates, at most:\n"
     "f.region_bytes(blur=((0, 64), (0, 64)), img=(480, 640))."},
    {"region_points", (PyCFunction)(void (*)(void))pm_function_points, METH_VARARGS | METH_KEYWORDS,
     "Points of all stages that a call of region computes, of a pipeline with\n"
     "settings=['lower-poly{points=true}']: f.region_points(blur=((0, 64), (0, 64)), img=(480, 640))."},
    {"needs", (PyCFunction)(void (*)(void))pm_function_needs_method, METH_VARARGS | METH_KEYWORDS,
     "The boxes of the inputs that boxes of the outputs need: f.needs(blur=((0, 512), (0, 512)), img=(R, "
     "C))."},
    {"region", (PyCFunction)(void (*)(void))pm_function_region_method, METH_VARARGS | METH_KEYWORDS,
     "Boxes of the outputs, from windows of the inputs:\n"
     "f.region(blur=((0, 512), (0, 512)), img=window, origin={'img': (0, 0)}, shape={'img': (R, C)})."},
    {NULL, NULL, 0, NULL}};

static PyGetSetDef fields[] = {{"is_built", is_built, NULL, "Whether it has been compiled.", NULL},
                               {NULL, NULL, NULL, NULL, NULL}};

int pm_add_function_type(PyObject *module) {
  static PyType_Slot slots[] = {{Py_tp_init, init},
                                {Py_tp_dealloc, dealloc},
                                {Py_tp_call, pm_function_call_slot},
                                {Py_tp_methods, methods},
                                {Py_tp_getset, fields},
                                {Py_tp_doc, "A program that is called."},
                                {0, NULL}};
  static PyType_Spec spec = {.name = "pm._pm.Function",
                             .basicsize = sizeof(pm_function_object),
                             .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                             .slots = slots};
  PyObject *type = PyType_FromModuleAndSpec(module, &spec, NULL);
  int failed = type ? PyModule_AddObjectRef(module, "Function", type) : -1;
  Py_XDECREF(type);
  return failed;
}
