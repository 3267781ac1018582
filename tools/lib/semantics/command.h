/* A command of the user's, which says something of IR. */
#ifndef PM_TOOLS_SEMANTICS_COMMAND_H
#define PM_TOOLS_SEMANTICS_COMMAND_H

#include "ir/ir.h"

/* Runs `sh -c COMMAND` with a file of the module's text as $1 and what it prints on stderr. Its exit status;
 * -1: it was ended by a signal, or cannot be run. `tool` begins the file's name. A signal that ends the tool
 * meanwhile does so when the command has ended and the file is gone. */
int pm_run_on_ir(const char *tool, const char *command, pm_module *module);

#endif
