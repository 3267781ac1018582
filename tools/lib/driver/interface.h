/* What callers see of a program, and a hash of the rest: kept by pm-run, so that a later run of the same
 * files binds its arguments and finds what was compiled without reading the program, which takes most of the
 * time then. It is kept in the cache of compiled programs. */
#ifndef PM_TOOLS_DRIVER_INTERFACE_H
#define PM_TOOLS_DRIVER_INTERFACE_H

#include "tools/lib/driver/cache.h"
#include "tools/lib/driver/driver.h"

/* Appends the module's pipelines with their params, inputs and outputs, but without what computes these. */
void pm_put_interface(pm_module *module, pm_buf *out);
/* Appends a hash of the whole program, with its places. */
void pm_put_program_hash(pm_module *module, pm_buf *out);

/* Appends what decides how the program of the options is read, but for its files and the process that reads
 * them; nothing where an interface cannot be kept. */
void pm_interface_put_key(const pm_driver_options *options, pm_buf *key);
/* The interface of the program as a module of its own, if an earlier run kept it and the files are the same;
 * `hash` gets that of the whole program. NULL: it is to be read. */
pm_module *pm_interface_find(const pm_cache *cache, const pm_buf *key, pm_context *ctx, pm_buf *hash);
/* Keeps that of a module which was just read, unless there was a warning, which each run is to give, or the
 * rest of the program decides what callers see: an output is a tuple, or nothing uses a param. */
void pm_interface_keep(const pm_cache *cache, const pm_buf *key, pm_module *module, const pm_buf *hash);

#endif
