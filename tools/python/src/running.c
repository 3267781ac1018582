/* How calls run: the number of their threads, their memory for intermediates, and what their threads do. */
#include "tools/python/src/function.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* --- threads --- */

enum { MOST_THREADS = 1 << 20 };

static _Atomic int limit; /* of pm.threads, for all calls of the process; 0: none */

/* 0 of None; -1 of what is no number of threads, without an exception. */
static int threads_of(PyObject *value) {
  if (value == Py_None) return 0;
  PyObject *index = PyBool_Check(value) ? NULL : PyNumber_Index(value);
  int beyond = 0;
  long n = index ? PyLong_AsLongAndOverflow(index, &beyond) : -1;
  Py_XDECREF(index);
  PyErr_Clear();
  if (beyond) return beyond > 0 ? MOST_THREADS : -1;
  return n < 1 ? -1 : n < MOST_THREADS ? (int)n : MOST_THREADS;
}

/* Raises what the function of pm.refusals makes of the value, which may be NULL. */
static PyObject *refuse(const char *refusal, PyObject *value) {
  PyObject *refusals = PyImport_ImportModule("pm.refusals");
  PyObject *word = refusals ? PyObject_GetAttrString(refusals, refusal) : NULL;
  PyObject *error = word ? PyObject_CallFunctionObjArgs(word, value, NULL) : NULL;
  if (error) PyErr_SetObject((PyObject *)Py_TYPE(error), error);
  Py_XDECREF(error);
  Py_XDECREF(word);
  Py_XDECREF(refusals);
  return NULL;
}

static PyObject *limit_threads(PyObject *module, PyObject *value) {
  (void)module;
  int n = threads_of(value);
  if (n < 0) return refuse("wrong_threads", value);
  int before = atomic_exchange(&limit, n);
  return before ? PyLong_FromLong(before) : Py_NewRef(Py_None);
}

/* The lower of two, of which 0 is none. */
static int lower(int a, int b) {
  return !a || (b && b < a) ? b : a;
}

/* --- workspaces --- */

typedef struct workspace_object {
  PyObject_HEAD pm_workspace *it;
} workspace_object;

static pm_workspace *workspace_of(PyObject *self) {
  return ((workspace_object *)self)->it;
}

static PyObject *workspace_new(PyTypeObject *type, PyObject *args, PyObject *named) {
  static char *none[] = {NULL};
  if (!PyArg_ParseTupleAndKeywords(args, named, "", none)) return NULL;
  workspace_object *self = (workspace_object *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
  if (self && !(self->it = pm_workspace_new())) {
    Py_DECREF(self);
    return PyErr_NoMemory();
  }
  return (PyObject *)self;
}

static void workspace_dealloc(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  pm_workspace_free(workspace_of(self));
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

static PyObject *workspace_release(PyObject *self, PyObject *none) {
  (void)none;
  return pm_workspace_release(workspace_of(self)) ? Py_NewRef(Py_None) : refuse("held_workspace", NULL);
}

static PyObject *workspace_enter(PyObject *self, PyObject *none) {
  (void)none;
  return Py_NewRef(self);
}

static PyObject *workspace_exit(PyObject *self, PyObject *args) {
  (void)args;
  return workspace_release(self, NULL);
}

static PyObject *workspace_bytes(PyObject *self, void *none) {
  (void)none;
  return PyLong_FromSize_t(pm_workspace_bytes(workspace_of(self)));
}

static PyMethodDef workspace_methods[] = {
    {"release", workspace_release, METH_NOARGS,
     "release($self, /)\n--\n\nGives its memory back. The next call takes some anew."},
    {"__enter__", workspace_enter, METH_NOARGS, "__enter__($self, /)\n--\n\nIt itself."},
    {"__exit__", workspace_exit, METH_VARARGS, "__exit__($self, /, *error)\n--\n\nGives its memory back."},
    {NULL, NULL, 0, NULL}};

static PyGetSetDef workspace_fields[] = {
    {"bytes", workspace_bytes, NULL, "How large its memory is now.", NULL}, {NULL, NULL, NULL, NULL, NULL}};

/* There are no types below it. */
static bool is_workspace(PyObject *value) {
  return PyType_GetSlot(Py_TYPE(value), Py_tp_dealloc) == (void *)workspace_dealloc;
}

static int add_workspace_type(PyObject *module) {
  static PyType_Slot slots[] = {{Py_tp_new, workspace_new},
                                {Py_tp_dealloc, workspace_dealloc},
                                {Py_tp_methods, workspace_methods},
                                {Py_tp_getset, workspace_fields},
                                {Py_tp_doc,
                                 "Workspace()\n--\n\nMemory for the intermediates of calls, one at a "
                                 "time: f(photo, workspace=w). It grows as calls need it."},
                                {0, NULL}};
  static PyType_Spec spec = {.name = "pm.Workspace",
                             .basicsize = sizeof(workspace_object),
                             .flags = Py_TPFLAGS_DEFAULT,
                             .slots = slots};
  PyObject *type = PyType_FromModuleAndSpec(module, &spec, NULL);
  int failed = type ? PyModule_AddObjectRef(module, "Workspace", type) : -1;
  Py_XDECREF(type);
  return failed;
}

/* --- what a call is given --- */

int pm_call_take_way(pm_call *c, PyObject *name, PyObject *value) {
  if (PyUnicode_CompareWithASCIIString(name, "threads") == 0) {
    c->threads = threads_of(value);
    return c->threads >= 0 ? 1 : ((void)refuse("wrong_threads", value), -1);
  }
  if (PyUnicode_CompareWithASCIIString(name, "workspace") != 0) return 0;
  if (value != Py_None && !is_workspace(value)) return (void)refuse("no_workspace", value), -1;
  c->workspace = value == Py_None ? NULL : workspace_of(value);
  return 1;
}

const pm_call_options *pm_call_way(const pm_call *c, pm_call_options *room) {
  int threads = c->threads;
  if (!threads) threads = lower(c->f->threads, atomic_load_explicit(&limit, memory_order_relaxed));
  if (!threads && !c->workspace && !c->handler) return NULL;
  *room = (pm_call_options){
      .threads = threads, .workspace = c->workspace, .handler = c->handler, .user = c->user};
  return room;
}

/* --- what threads do --- */

typedef struct noted_event {
  pm_event event;
  long thread; /* as the system calls it */
} noted_event;

typedef struct trace {
  pthread_mutex_t lock;
  noted_event *events;
  size_t n, room;
  bool lost; /* there was no memory for one */
} trace;

static void note(void *user, const pm_event *event) {
  trace *t = user;
  pthread_mutex_lock(&t->lock);
  if (t->n == t->room) {
    size_t room = 2 * t->room + 64;
    noted_event *events = realloc(t->events, room * sizeof *events);
    t->lost |= !events;
    if (events) t->events = events;
    if (events) t->room = room;
  }
  if (t->n < t->room) t->events[t->n++] = (noted_event){*event, syscall(SYS_gettid)};
  pthread_mutex_unlock(&t->lock);
}

static PyObject *event_of(const noted_event *n) {
  const pm_event *e = &n->event;
  return Py_BuildValue("(sLLLLLLOl)", e->stages, (long long)e->loop, (long long)e->iterations,
                       (long long)e->first, (long long)e->end, (long long)e->begin_time,
                       (long long)e->end_time, e->whole ? Py_True : Py_False, n->thread);
}

static PyObject *events_of(const trace *t) {
  PyObject *events = PyList_New(0);
  if (t->lost) Py_CLEAR(events);
  if (t->lost) PyErr_NoMemory();
  for (size_t i = 0; events && i < t->n; i++) {
    PyObject *event = event_of(&t->events[i]);
    if (!event || PyList_Append(events, event) != 0) Py_CLEAR(events);
    Py_XDECREF(event);
  }
  return events;
}

static long long now(void) {
  struct timespec at = {0};
  (void)clock_gettime(CLOCK_MONOTONIC, &at);
  return (long long)at.tv_sec * 1000000000 + at.tv_nsec;
}

PyObject *pm_function_trace(PyObject *self, PyObject *args, PyObject *kwargs) {
  pm_function_object *f = (pm_function_object *)self;
  pm_call c;
  if (!f->function && !pm_function_build(f)) return NULL;
  if (!pm_call_begin(&c, f, f->function)) return NULL;
  trace t = {.lock = PTHREAD_MUTEX_INITIALIZER};
  c.handler = note;
  c.user = &t;
  long long begin = now();
  PyObject *result = pm_call_run(&c, args, kwargs), *events = result ? events_of(&t) : NULL;
  long long end = now();
  pm_call_end(&c);
  free(t.events);
  pthread_mutex_destroy(&t.lock);
  if (!events) Py_CLEAR(result);
  return result ? Py_BuildValue("(NNLLl)", result, events, begin, end, (long)syscall(SYS_gettid)) : NULL;
}

PyObject *pm_function_release_method(PyObject *self, PyObject *none) {
  pm_function_object *f = (pm_function_object *)self;
  (void)none;
  pm_function_release(f->function);
  pm_function_release(pm_function_made_with_boxes(f));
  return Py_NewRef(Py_None);
}

/* --- in the module --- */

static PyMethodDef functions[] = {
    {"limit_threads", limit_threads, METH_O,
     "From now on calls have at most so many threads, or all if it is None; what was before."},
    {NULL, NULL, 0, NULL}};

int pm_add_running(PyObject *module) {
  return PyModule_AddFunctions(module, functions) ? -1 : add_workspace_type(module);
}
