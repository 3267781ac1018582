/* What the library can do here. */
#include "tools/python/src/function.h"

#include "pm/compile.h"

static PyObject *target_of(const pm_target *t) {
  bool is_there = !t->is_there || t->is_there();
  return Py_BuildValue("{sssssOsOsOsO}", "name", t->name, "doc", t->doc, "opens",
                       t->opens ? Py_True : Py_False, "in_process", t->in_process ? Py_True : Py_False,
                       "is_there", is_there ? Py_True : Py_False, "parallel",
                       t->parallel ? Py_True : Py_False);
}

static PyObject *targets(PyObject *module, PyObject *none) {
  (void)module, (void)none;
  pm_context *ctx = pm_library_context();
  PyObject *all = PyList_New(0);
  for (size_t i = 0; all && i < pm_target_count(ctx); i++) {
    PyObject *one = target_of(pm_target_at(ctx, i));
    if (!one || PyList_Append(all, one) != 0) Py_CLEAR(all);
    Py_XDECREF(one);
  }
  pm_context_free(ctx);
  return all;
}

static PyMethodDef functions[] = {
    {"targets", targets, METH_NOARGS, "What programs can be compiled to: a dict of each target."},
    {NULL, NULL, 0, NULL}};

int pm_add_library_functions(PyObject *module) {
  return PyModule_AddFunctions(module, functions);
}
