/* A shared object with a function of the ABI (docs/design.md), in this process. */
#ifndef PM_TARGETS_LIB_LIBRARY_H
#define PM_TARGETS_LIB_LIBRARY_H

#include "targets/target.h"

/* Opens the file and finds `entry` and, where they are, entry_scratch_bytes, entry_strerror and OpenMP, which
 * gets that many threads (0: as it decides). False with a line in `error` that begins with `called`, what
 * messages call the file. */
bool pm_open_library(const char *path, const char *called, const char *entry, int threads, pm_loaded *loaded,
                     pm_buf *error) PM_MUST_USE;
void pm_close_library(const pm_loaded *loaded);

#endif
