/* Tables of named entries that a context keeps for the layers above the core: targets, frontends, named
 * pipelines. The core knows no kind of entry; a kind is a static object, and its address tells kinds apart.
 * Entries are static structs of the program or of a plugin, and are only borrowed. */
#ifndef PM_IR_REGISTRY_H
#define PM_IR_REGISTRY_H

#include "ir/context.h"

typedef struct pm_registry_kind {
  const char *noun; /* for diagnostics: "target" */
} pm_registry_kind;

/* Adds an entry under a name of its kind; both must live as long as the context. False after a diagnostic,
 * with nothing changed, when the kind has an entry of that name. */
bool pm_register_entry(pm_context *ctx, const pm_registry_kind *kind, const char *name,
                       const void *entry) PM_MUST_USE;
/* NULL when the kind has no entry of that name. */
const void *pm_find_entry(const pm_context *ctx, const pm_registry_kind *kind, const char *name);
/* Entries of a kind, in the order in which they were registered. */
size_t pm_entry_count(const pm_context *ctx, const pm_registry_kind *kind);
const void *pm_entry_at(const pm_context *ctx, const pm_registry_kind *kind, size_t i);

#endif
