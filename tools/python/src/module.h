/* What the parts of the extension share. */
#ifndef PM_PYTHON_MODULE_H
#define PM_PYTHON_MODULE_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000
#include <Python.h>

#endif
