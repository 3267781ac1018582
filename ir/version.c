#include "ir/version.h"

const char *pm_version(void) {
  return PM_VERSION;
}
