/* Files of samples without a header, as cameras leave them. */
#ifndef PM_TOOLS_IMAGES_RAW_H
#define PM_TOOLS_IMAGES_RAW_H

#include "tools/lib/images/array.h"

typedef struct pm_raw_layout {
  pm_array shape; /* type, rank 1 to PM_MAX_RANK and extents; no data */
  bool big_endian;
  int64_t skip; /* bytes before the first sample */
} pm_raw_layout;

/* ROWSxCOLUMNS:TYPE as in 1968x2592:u16, the type followed by `be` when the high byte comes first, all
 * followed by `+SKIP` when the file has a header of that many bytes. False when it is not of that form. */
bool pm_raw_layout_parse(const char *text, pm_raw_layout *out);
/* False with a message: the file cannot be read, or has not exactly the bytes of the layout. */
bool pm_raw_read(const char *path, const pm_raw_layout *layout, pm_array *out, pm_buf *error) PM_MUST_USE;

#endif
