/* Tells debuggers of code that has been loaded, by the interface that GDB documents ("JIT Compilation
 * Interface") and that LLDB has, too. */
#ifndef PM_TARGETS_LIB_DEBUGGERS_H
#define PM_TARGETS_LIB_DEBUGGERS_H

#include <stddef.h>

/* Copies the object file, whose sections have the addresses where they are. What is returned is for
 * pm_debug_remove. Both may be called by several threads. */
void *pm_debug_add(const char *object, size_t len);
void pm_debug_remove(void *added);

#endif
