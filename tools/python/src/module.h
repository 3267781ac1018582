/* What the parts of the extension share. */
#ifndef PM_PYTHON_MODULE_H
#define PM_PYTHON_MODULE_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000
#include <Python.h>

#include "pm/pm.h"

/* (kind, file or None, line, column, source line or None, text, pass or None) */
PyObject *pm_python_message(const pm_message *message);
/* Adds their types to the module; -1 with an exception. */
int pm_python_add_sessions(PyObject *module);
int pm_python_add_boundary(PyObject *module);

#endif
