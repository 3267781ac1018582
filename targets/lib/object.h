/* An object file as functions of this process: the work of a linker, for ELF of x86-64 and AArch64 as LLVM
 * writes it. What it calls is of the C library, of OpenMP's, or of the pool of this library (pool.c).
 * Constructors and memory of threads are refused. */
#ifndef PM_TARGETS_LIB_OBJECT_H
#define PM_TARGETS_LIB_OBJECT_H

#include "targets/target.h"

/* Hooks of a target. `file` need not live on. With flags, debuggers are told of the object's lines. */
pm_outcome pm_object_open(const pm_buf *file, const char *entry, const pm_build_options *options,
                          pm_loaded *loaded, pm_report *report);
/* Calls the destructors of the program, which give back what calls have kept. */
void pm_object_close(const pm_loaded *loaded);

#endif
