/* Characters of UTF-8. */
#ifndef PM_TOOLS_UTF8_H
#define PM_TOOLS_UTF8_H

#include "ir/support.h"

/* The length of the character of UTF-8 that the text begins with, 0 when it begins with none: a stray or
 * missing continuation, an overlong form, a surrogate, above U+10FFFF. RFC 3629, section 4. The text is not
 * empty. */
size_t pm_utf8_length(pm_str text);

#endif
