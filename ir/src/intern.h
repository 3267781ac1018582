/* Open-addressing table of pointers with cached hashes, for interning: the caller compares. */
#ifndef PM_IR_SRC_INTERN_H
#define PM_IR_SRC_INTERN_H

#include "ir/support.h"

typedef struct pm_intern_slot {
  const void *item;
  uint32_t hash;
} pm_intern_slot;
typedef struct pm_intern {
  pm_intern_slot *slots;
  size_t cap, len;
} pm_intern;

typedef bool (*pm_intern_equal)(const void *item, const void *key);
/* The item equal to `key`, or NULL. */
const void *pm_intern_find(const pm_intern *table, uint32_t hash, pm_intern_equal equal, const void *key);
/* Adds an item that is not there. */
void pm_intern_add(pm_intern *table, uint32_t hash, const void *item);
void pm_intern_free(pm_intern *table);

#endif
