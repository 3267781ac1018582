/* The computer and the files of it that are not the program's. */
#ifndef PM_TARGETS_LIB_HOST_H
#define PM_TARGETS_LIB_HOST_H

#include "ir/support.h"

/* A file that belongs to the library, to be freed: where it is installed, relative to the library, or else
 * beside it, as builds have it. Programs that carry the library are looked beside themselves. */
char *pm_beside_library(const char *installed, const char *file);

/* Whether a message of the system's libraries, as of the dynamic linker, is that memory runs out. */
bool pm_tells_of_memory(const char *said);

/* --- what compiled code depends on besides its text, as lines that change when that does --- */

/* The file: its path, size and the time of its last change; its path alone when it cannot be asked. */
void pm_put_file_version(pm_buf *out, const char *path);
/* The same of a program, found on PATH unless its name has a slash. */
void pm_put_program(pm_buf *out, const char *name);
/* The name and the features of this computer's processor, as the system tells them. */
void pm_put_processor(pm_buf *out);

#endif
