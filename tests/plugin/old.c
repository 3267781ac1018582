/* A plugin of another time: its number is not ours. */
#include "tools/plugin.h"

const pm_plugin pm_plugin_info = {0, "old", NULL, NULL};
