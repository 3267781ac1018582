#include "pm/hash.h"

void pm_put_hash(pm_buf *out, XXH128_hash_t hash) {
  pm_buf_printf(out, "%016llx%016llx", (unsigned long long)hash.high64, (unsigned long long)hash.low64);
}
