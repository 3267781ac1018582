/* The extension pm._pm: the library as objects of Python. Limited API of 3.11: one binary for all later ones.
 */
#include "tools/python/src/module.h"

#include "ir/version.h"

static int fill(PyObject *module) {
  return PyModule_AddStringConstant(module, "version", pm_version());
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, fill},
                                   {Py_mod_exec, pm_add_function_type},
                                   {Py_mod_exec, pm_add_library_functions},
                                   {Py_mod_exec, pm_add_boundary_type},
                                   {Py_mod_exec, pm_add_session_types},
                                   {Py_mod_exec, pm_add_running},
#ifdef Py_mod_gil
                                   {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
                                   {0, NULL}};

static PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "pm._pm", .m_doc = "The compiler.",
                                 .m_slots = slots};

PyMODINIT_FUNC PyInit__pm(void) {
  return PyModuleDef_Init(&definition);
}
