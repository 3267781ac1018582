/* The table of frontends. */
#include "frontends/frontend.h"

#include "ir/diag.h"

#include <string.h>

#define FRONTEND(name) extern const pm_frontend name##_frontend;
#include "frontends/frontends.def"
#undef FRONTEND

static const pm_frontend *const frontends[] = {
#define FRONTEND(name) &name##_frontend,
#include "frontends/frontends.def"
#undef FRONTEND
};

static const pm_registry_kind kind = {"frontend"};

static bool has_extension(const pm_frontend *frontend, const char *extension) {
  for (const char *const *known = frontend->extensions; *known; known++)
    if (strcmp(*known, extension) == 0) return true;
  return false;
}

static const pm_frontend *find_by_extension(const pm_context *ctx, const char *extension) {
  for (size_t i = 0; i < pm_frontend_count(ctx); i++)
    if (has_extension(pm_frontend_at(ctx, i), extension)) return pm_frontend_at(ctx, i);
  return NULL;
}

bool pm_register_frontend(pm_context *ctx, const pm_frontend *frontend) {
  for (const char *const *extension = frontend->extensions; *extension; extension++) {
    const pm_frontend *known = find_by_extension(ctx, *extension);
    if (known && strcmp(known->name, frontend->name) != 0)
      return pm_error(ctx, PM_NO_LOC, "the frontend '%s' reads files .%s, which '%s' reads already",
                      frontend->name, *extension, known->name);
  }
  return pm_register_entry(ctx, &kind, frontend->name, frontend);
}

void pm_register_all_frontends(pm_context *ctx) {
  for (size_t i = 0; i < PM_COUNT(frontends); i++) pm_register_frontend(ctx, frontends[i]);
}

size_t pm_frontend_count(const pm_context *ctx) {
  return pm_entry_count(ctx, &kind);
}

const pm_frontend *pm_frontend_at(const pm_context *ctx, size_t i) {
  return pm_entry_at(ctx, &kind, i);
}

const pm_frontend *pm_find_frontend(const pm_context *ctx, const char *name) {
  return pm_find_entry(ctx, &kind, name);
}

const pm_frontend *pm_frontend_of_file(const pm_context *ctx, const char *file) {
  const char *dot = strrchr(file, '.');
  return dot ? find_by_extension(ctx, dot + 1) : NULL;
}

const pm_frontend_option *pm_find_frontend_option(const pm_frontend *frontend, const char *name) {
  for (const pm_frontend_option *option = frontend->options; option && option->name; option++)
    if (strcmp(option->name, name) == 0) return option;
  return NULL;
}
