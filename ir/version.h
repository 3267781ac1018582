/* What this library is. */
#ifndef PM_IR_VERSION_H
#define PM_IR_VERSION_H

/* Of the ABI of libpm.so: that of its SONAME, libpm.so.0. */
#define PM_ABI 0

/* As "0.1.0"; static. */
const char *pm_version(void);

#endif
