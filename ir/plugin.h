/* Plugins: shared objects that bring dialects and passes to a tool at run time (`pm-opt --load-plugin=x.so`).
 * A plugin exports one object:
 *
 *   const pm_plugin pm_plugin_info = {PM_PLUGIN_ABI, "mine", register_mine};
 */
#ifndef PM_IR_PLUGIN_H
#define PM_IR_PLUGIN_H

#include "ir/context.h"

/* Grows whenever a struct of a public header changes: a plugin of another number is refused. */
#define PM_PLUGIN_ABI 3u
#define PM_PLUGIN_SYMBOL "pm_plugin_info"

typedef struct pm_plugin {
  uint32_t abi;
  const char *name;
  void (*register_in)(pm_context *ctx); /* registers dialects and passes; called once a context */
} pm_plugin;

extern const pm_plugin pm_plugin_info;

#endif
