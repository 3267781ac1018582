#include "ir/registry.h"

#include "ir/diag.h"
#include "ir/src/context_private.h"

#include <string.h>

bool pm_register_entry(pm_context *ctx, const pm_registry_kind *kind, const char *name, const void *entry) {
  if (pm_find_entry(ctx, kind, name))
    return pm_error(ctx, PM_NO_LOC, "there is a %s '%s' already", kind->noun, name);
  PM_VEC_PUSH(ctx->entries, ((pm_registry_entry){kind, name, entry}));
  return true;
}

const void *pm_find_entry(const pm_context *ctx, const pm_registry_kind *kind, const char *name) {
  for (size_t i = 0; i < ctx->entries.len; i++) {
    const pm_registry_entry *e = &ctx->entries.data[i];
    if (e->kind == kind && !strcmp(e->name, name)) return e->entry;
  }
  return NULL;
}

size_t pm_entry_count(const pm_context *ctx, const pm_registry_kind *kind) {
  size_t n = 0;
  for (size_t i = 0; i < ctx->entries.len; i++) n += ctx->entries.data[i].kind == kind;
  return n;
}

const void *pm_entry_at(const pm_context *ctx, const pm_registry_kind *kind, size_t number) {
  for (size_t i = 0; i < ctx->entries.len; i++)
    if (ctx->entries.data[i].kind == kind && number-- == 0) return ctx->entries.data[i].entry;
  return NULL;
}
