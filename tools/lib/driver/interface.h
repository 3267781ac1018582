/* Interfaces (pm/interface.h) that pm-run keeps, so that a later run of the same files binds its arguments
 * without reading the program. */
#ifndef PM_TOOLS_DRIVER_INTERFACE_H
#define PM_TOOLS_DRIVER_INTERFACE_H

#include "pm/interface.h"
#include "tools/lib/driver/cache.h"
#include "tools/lib/driver/driver.h"

/* Appends what decides how the program of the options is read, but for its files and the process that reads
 * them; nothing where an interface cannot be kept. */
void pm_interface_put_key(const pm_driver_options *options, pm_buf *key);
/* The interface of the program as a module of its own, if an earlier run kept it and the files are the same;
 * `hash` gets that of the whole program. NULL: it is to be read. */
pm_module *pm_interface_find(const pm_cache *cache, const pm_buf *key, pm_context *ctx, pm_buf *hash);
/* Keeps that of a module which was just read, where it is enough and uses all params. */
void pm_interface_keep(const pm_cache *cache, const pm_buf *key, pm_module *module, const pm_buf *hash);

#endif
