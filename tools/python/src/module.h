/* What the parts of the extension share. */
#ifndef PM_PYTHON_MODULE_H
#define PM_PYTHON_MODULE_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000
#include <Python.h>

/* Each adds what its file has to the module; -1 with an exception. */
int pm_add_boundary_type(PyObject *module);
int pm_add_function_type(PyObject *module);
int pm_add_library_functions(PyObject *module);
int pm_add_session_types(PyObject *module);
int pm_add_running(PyObject *module);

#endif
