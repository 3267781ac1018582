/* Loading of plugins, see tools/plugin.h. */
#ifndef PM_TOOLS_DRIVER_LOAD_PLUGIN_H
#define PM_TOOLS_DRIVER_LOAD_PLUGIN_H

#include "tools/plugin.h"

/* Loads the shared object at `path` (with a '/' or not) and registers what it brings, unless the context has
 * it. False with the reason in `error`, and diagnostics before it when something is taken. The object stays
 * loaded: descriptors in it may be used as long as the process lives. */
bool pm_load_plugin(pm_context *ctx, const char *path, pm_buf *error) PM_MUST_USE;
/* Loads what the options --load-plugin of a command line name, before the rest of it is read: it may name
 * what plugins bring. */
bool pm_load_plugins_of(pm_context *ctx, int argc, char **argv, pm_buf *error) PM_MUST_USE;

#endif
