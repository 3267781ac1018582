/* A tool's options in other forms than --help: a manual page, and completions of shells. */
#ifndef PM_TOOLS_DRIVER_OPTION_DOCS_H
#define PM_TOOLS_DRIVER_OPTION_DOCS_H

#include <argp.h>

/* argp_parse for main: with the one argument --help-as=man, bash, zsh or fish it prints that form of the
 * tool's tables and exits. */
void pm_argp_parse(const char *tool, const struct argp *argp, int argc, char **argv, unsigned flags,
                   void *input);

#endif
