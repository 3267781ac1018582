/* What compiled code depends on besides its text, as lines that change when that does. */
#ifndef PM_TARGETS_LIB_HOST_H
#define PM_TARGETS_LIB_HOST_H

#include "ir/support.h"

/* The file: its path, size and the time of its last change; its path alone when it cannot be asked. */
void pm_put_file_version(pm_buf *out, const char *path);
/* The same of a program, found on PATH unless its name has a slash. */
void pm_put_program(pm_buf *out, const char *name);
/* The name and the features of this computer's processor, as the system tells them. */
void pm_put_processor(pm_buf *out);

#endif
