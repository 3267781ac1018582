/* The cache of compiled programs as tools have it. */
#ifndef PM_TOOLS_DRIVER_CACHE_H
#define PM_TOOLS_DRIVER_CACHE_H

#include "pm/cache.h"

/* Opens it, and prints warnings as those of `tool`. */
void pm_tool_cache_open(pm_cache *cache, const char *tool);

/* Appends what this process is made of: its program, libraries and plugins. */
void pm_put_process_version(pm_buf *out);

#endif
