/* Loading of plugins, see ir/plugin.h. */
#ifndef PM_TOOLS_DRIVER_LOAD_PLUGIN_H
#define PM_TOOLS_DRIVER_LOAD_PLUGIN_H

#include "ir/plugin.h"

/* Loads the shared object at `path` (with a '/' or not) and registers what it brings. False with the reason
 * in `error`. The object stays loaded: descriptors in it may be used as long as the process lives. */
bool pm_load_plugin(pm_context *ctx, const char *path, pm_buf *error) PM_MUST_USE;

#endif
