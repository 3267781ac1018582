/* A program in C++: its evaluation from beginning to end, and its files. */
#ifndef PM_FRONTENDS_CXX_PROGRAM_H
#define PM_FRONTENDS_CXX_PROGRAM_H

#include "frontends/cxx/library.h"

/* With an arena of its own; the library and its `user` are borrowed. The file at `path`, the program's, is
 * not included again. */
void cx_begin(cx_interp *in, pm_context *ctx, const cx_library *library, void *user, const char *path);
void cx_end(cx_interp *in);
/* Runs the text and what it includes, as if it stood at the top level. Stops after a diagnostic where it
 * cannot be parsed. */
void cx_run_text(cx_interp *in, uint16_t file, const char *path, pm_str text);
/* Runs the file at the path (taken), a program of its own, once; false: there is none. The files of its
 * folder may be included. */
bool cx_include(cx_interp *in, char *path);

#endif
