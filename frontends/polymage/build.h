/* The function that makes the stages, what the program sets up before it, and buildPipeline. */
#ifndef PM_FRONTENDS_POLYMAGE_BUILD_H
#define PM_FRONTENDS_POLYMAGE_BUILD_H

#include "frontends/polymage/interp.h"

/* Calls the function that builds the pipeline, after the set-up; what it returns. */
py_value build_by_function(py_interp *py, const py_node *program);

/* The module of what was built, of which these stages leave it; without any, those that nothing reads. NULL
 * after diagnostics. */
pm_module *polymage_finish(py_interp *py, pm_loc loc, py_value outputs);
/* buildPipeline, and a row without a name. */
extern const py_builtin build_functions[];

#endif
