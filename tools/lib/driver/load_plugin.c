#include "tools/lib/driver/load_plugin.h"

#include "ir/diag.h"
#include "tools/lib/driver/message.h"

#include <dlfcn.h>
#include <string.h>

static void *open_object(const char *path) {
  pm_buf here = {0};
  pm_buf_printf(&here, "%s%s", strchr(path, '/') ? "" : "./", path);
  void *object = dlopen(here.data, RTLD_NOW | RTLD_LOCAL);
  pm_buf_free(&here);
  return object;
}

bool pm_load_plugin(pm_context *ctx, const char *path, pm_buf *error) {
  void *object = open_object(path);
  if (!object) return pm_failf(error, "cannot load plugin: %s", dlerror());
  const pm_plugin *plugin = dlsym(object, PM_PLUGIN_SYMBOL);
  if (!plugin) {
    dlclose(object);
    return pm_failf(error, "'%s' is no plugin: it does not export %s", path, PM_PLUGIN_SYMBOL);
  }
  if (plugin->abi != PM_PLUGIN_ABI) {
    unsigned abi = plugin->abi;
    dlclose(object);
    return pm_failf(error, "plugin '%s' was built for ABI %u, but this is %u", path, abi, PM_PLUGIN_ABI);
  }
  unsigned before = pm_error_count(ctx);
  plugin->register_in(ctx);
  return pm_error_count(ctx) == before || pm_failf(error, "plugin '%s' cannot be registered", path);
}
