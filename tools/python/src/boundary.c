/* pm._pm.boundary(function): the function as it is, but exceptions of the package leave it without the frames
 * inside, so that a traceback ends at the user's line. Functions in C have no frames. */
#include "tools/python/src/module.h"

typedef struct boundary_object {
  PyObject_HEAD PyObject *function, *method; /* types.MethodType */
} boundary_object;

static int is_ours(PyObject *type) {
  PyObject *errors = PyImport_ImportModule("pm.errors");
  PyObject *ours = errors ? PyObject_GetAttrString(errors, "Error") : NULL;
  int is = ours ? PyErr_GivenExceptionMatches(type, ours) : 0;
  Py_XDECREF(ours);
  Py_XDECREF(errors);
  PyErr_Clear();
  return is;
}

/* The context is what was caught on the way, inside. */
static void cut_traceback(void) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  if (is_ours(type)) {
    PyErr_NormalizeException(&type, &value, &traceback);
    PyException_SetContext(value, NULL);
    PyObject_SetAttrString(value, "__traceback__", Py_None);
    Py_CLEAR(traceback);
  }
  PyErr_Restore(type, value, traceback);
}

static PyObject *boundary_call(PyObject *self, PyObject *args, PyObject *named) {
  PyObject *result = PyObject_Call(((boundary_object *)self)->function, args, named);
  if (!result) cut_traceback();
  return result;
}

static PyObject *boundary_get(PyObject *self, PyObject *object, PyObject *type) {
  (void)type;
  if (!object) return Py_NewRef(self);
  return PyObject_CallFunctionObjArgs(((boundary_object *)self)->method, self, object, NULL);
}

/* Names, texts and what else functions have. */
static PyObject *boundary_getattr(PyObject *self, PyObject *name) {
  PyObject *found = PyObject_GenericGetAttr(self, name);
  if (found || !PyErr_ExceptionMatches(PyExc_AttributeError)) return found;
  PyErr_Clear();
  return PyObject_GetAttr(((boundary_object *)self)->function, name);
}

/* The function's, for help() too, which asks no other attribute. */
static PyObject *boundary_doc(PyObject *self, void *closure) {
  (void)closure;
  return PyObject_GetAttrString(((boundary_object *)self)->function, "__doc__");
}

static PyObject *boundary_new(PyTypeObject *type, PyObject *args, PyObject *named) {
  static char *keywords[] = {"function", NULL};
  PyObject *function;
  if (!PyArg_ParseTupleAndKeywords(args, named, "O", keywords, &function)) return NULL;
  boundary_object *self = (boundary_object *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
  PyObject *types = self ? PyImport_ImportModule("types") : NULL;
  if (types) self->method = PyObject_GetAttrString(types, "MethodType");
  if (self) self->function = Py_NewRef(function);
  Py_XDECREF(types);
  if (self && !self->method) Py_CLEAR(self);
  return (PyObject *)self;
}

static int boundary_traverse(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(((boundary_object *)self)->function);
  return 0;
}

static int boundary_clear(PyObject *self) {
  Py_CLEAR(((boundary_object *)self)->function);
  Py_CLEAR(((boundary_object *)self)->method);
  return 0;
}

static void boundary_dealloc(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  boundary_clear(self);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

int pm_add_boundary_type(PyObject *module) {
  static PyGetSetDef attributes[] = {{"__doc__", boundary_doc, NULL, NULL, NULL},
                                     {NULL, NULL, NULL, NULL, NULL}};
  static PyType_Slot slots[] = {{Py_tp_new, boundary_new},
                                {Py_tp_dealloc, boundary_dealloc},
                                {Py_tp_traverse, boundary_traverse},
                                {Py_tp_clear, boundary_clear},
                                {Py_tp_call, boundary_call},
                                {Py_tp_descr_get, boundary_get},
                                {Py_tp_getattro, boundary_getattr},
                                {Py_tp_getset, attributes},
                                {0, NULL}};
  static PyType_Spec spec = {"pm._pm.boundary", sizeof(boundary_object), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};
  PyObject *type = PyType_FromSpec(&spec);
  int code = type ? PyModule_AddType(module, (PyTypeObject *)type) : -1;
  Py_XDECREF(type);
  return code;
}
