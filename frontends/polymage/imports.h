/* The files of a program. A module is a file when it lies in the program's folder or below; every other one
 * only is a prefix of the language's names. */
#ifndef PM_FRONTENDS_POLYMAGE_IMPORTS_H
#define PM_FRONTENDS_POLYMAGE_IMPORTS_H

#include "frontends/polymage/interp.h"

/* The program's own file, whose names are the globals. */
void py_begin_files(py_interp *py, const char *file);
void py_free_files(py_interp *py);
/* Names that are there before the first line of a file. */
void py_define_outside_names(py_interp *py, py_env *env);

/* `import a`, `from a import b` */
void py_run_import(py_interp *py, py_env *env, const py_node *n);
void py_run_from(py_interp *py, py_env *env, const py_node *n);
/* The module of that name after its statements were run, NULL when it is no file, or after a diagnostic. */
py_file *py_import(py_interp *py, pm_loc loc, const char *module);
/* What `file.name` is. */
py_value py_file_name(py_interp *py, pm_loc loc, const py_file *file, pm_string name);

#endif
