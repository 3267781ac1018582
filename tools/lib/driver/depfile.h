/* A rule of make that names the files that a compilation has read, for build systems. */
#ifndef PM_TOOLS_DRIVER_DEPFILE_H
#define PM_TOOLS_DRIVER_DEPFILE_H

#include "tools/lib/driver/driver.h"

/* The rule of `output`, after the program was read: its files, and those that the options name but plugins.
 */
void pm_put_depfile(pm_buf *out, const char *output, const pm_driver_options *options);

#endif
