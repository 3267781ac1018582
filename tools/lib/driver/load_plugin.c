#include "tools/lib/driver/load_plugin.h"

#include "ir/diag.h"
#include "tools/lib/message.h"

#include <dlfcn.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

/* Whether the plugin was compiled with the structs and rows that this tool has. */
static bool fits(const pm_plugin *plugin, const char *path, pm_buf *error) {
  if (plugin->abi != PM_PLUGIN_ABI)
    return pm_failf(error, "plugin '%s' was built for ABI %u, but this is %u", path, plugin->abi,
                    PM_PLUGIN_ABI);
  if (plugin->layout() != pm_plugin_layout())
    return pm_failf(error,
                    "plugin '%s' was built with other headers or rows of dialects than this; it should "
                    "be recompiled",
                    path);
  return true;
}

static bool register_plugin(pm_context *ctx, const pm_plugin *plugin, const char *path, pm_buf *error) {
  unsigned errors = pm_error_count(ctx);
  plugin->register_in(ctx);
  pm_note_plugin(ctx, path);
  if (pm_error_count(ctx) == errors) return true;
  return pm_failf(error, "plugin '%s' (%s) has parts that cannot be registered", path, plugin->name);
}

/* An object that is refused is closed; one that registered something stays. */
static bool load(pm_context *ctx, const char *path, pm_buf *error) {
  void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!object) return pm_failf(error, "cannot load plugin: %s", dlerror());
  const pm_plugin *plugin = dlsym(object, PM_PLUGIN_SYMBOL);
  if (!plugin) pm_failf(error, "'%s' is no plugin: it does not export %s", path, PM_PLUGIN_SYMBOL);
  if (plugin && fits(plugin, path, error)) return register_plugin(ctx, plugin, path, error);
  dlclose(object);
  return false;
}

bool pm_load_plugin(pm_context *ctx, const char *path, pm_buf *error) {
  char *whole = realpath(path, NULL);
  if (!whole) return pm_failf(error, "cannot load plugin: '%s': %s", path, strerror(errno));
  bool ok = pm_has_plugin(ctx, whole) || load(ctx, whole, error);
  free(whole);
  return ok;
}

bool pm_load_plugins_of(pm_context *ctx, int argc, char **argv, pm_buf *error) {
  static const struct option options[] = {{"load-plugin", required_argument, NULL, 'p'}, {0}};
  bool ok = true;
  optind = 0;
  opterr = 0;
  for (int key = 0; ok && key != -1;) {
    key = getopt_long(argc, argv, "-:", options, NULL);
    if (key == 'p') ok = pm_load_plugin(ctx, optarg, error);
  }
  return ok;
}
