/* Hashes as text. */
#ifndef PM_PM_HASH_H
#define PM_PM_HASH_H

#include "ir/support.h"

#include <xxhash.h>

/* Appends 32 hexadecimal digits. */
void pm_put_hash(pm_buf *out, XXH128_hash_t hash);

#endif
