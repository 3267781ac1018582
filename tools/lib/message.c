#include "tools/lib/message.h"

#include <stdio.h>
#include <stdlib.h>

void pm_print_error(const char *tool, pm_buf *error) {
  fprintf(stderr, "%s: error: %s\n", tool, error->data ? error->data : "unknown");
  pm_buf_free(error);
}

void pm_print_warning(const char *tool, pm_buf *warning) {
  fprintf(stderr, "%s: warning: %s\n", tool, warning->data ? warning->data : "unknown");
  pm_buf_free(warning);
}

void pm_put_bytes(pm_buf *out, double bytes) {
  static const char *const units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
  if (bytes < 1000) {
    pm_buf_printf(out, "%.0f bytes", bytes);
    return;
  }
  size_t unit = 0;
  bytes /= 1000;
  while (bytes >= 1000 && unit + 1 < PM_COUNT(units)) {
    bytes /= 1000;
    unit++;
  }
  pm_buf_printf(out, "%.3g %s", bytes, units[unit]);
}
