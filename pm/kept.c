#define _GNU_SOURCE /* dladdr */
#include "pm/kept.h"

#include "pm/cache.h"
#include "pm/hash.h"
#include "pm/interface.h"
#include "targets/lib/host.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* --- the key --- */

/* The shared object or program that this is part of. */
static void put_library(pm_buf *key) {
  static const char here = 0;
  Dl_info where;
  if (dladdr(&here, &where) && where.dli_fname) pm_put_file_version(key, where.dli_fname);
}

static void put_words(pm_buf *key, const char *const *words, size_t n) {
  for (size_t i = 0; i < n; i++) pm_buf_printf(key, "%s\n", words[i] ? words[i] : "");
}

/* In a context of its own: compiling tells what is wrong. */
void pm_kept_put_key(const pm_buf *hash, const pm_choices *choices, const pm_build_options *options,
                     const char *extension, pm_buf *key) {
  pm_context *ctx = pm_library_context();
  pm_set_diag_handler(ctx, pm_drop_diag, NULL);
  const char *words[] = {extension,    options->compiler, options->flags,
                         options->cpu, options->features, options->fp};
  pm_buf error = {0};
  char *passes = choices->target->put_versions ? pm_passes_text(ctx, choices, &error) : NULL;
  if (passes) {
    pm_buf_printf(key, "function\n%d\n", choices->regions);
    put_library(key);
    put_words(key, words, PM_COUNT(words));
    choices->target->put_versions(options, key);
    pm_put_inputs(ctx, choices, passes, key);
    pm_buf_put(key, hash->data, hash->len);
  }
  free(passes);
  pm_buf_free(&error);
  pm_context_free(ctx);
}

/* --- the file: numbers of the region ahead of what the target has made --- */

static void put_number(pm_buf *out, int64_t number) {
  pm_buf_put(out, (const char *)&number, sizeof number);
}

static void put_region(pm_buf *out, const pm_kept *made) {
  const abi_region *r = made->region;
  put_number(out, *made->has_region);
  put_number(out, *made->has_region ? (int64_t)r->bounds.len : 0);
  put_number(out, *made->has_region ? (int64_t)r->boxes.len : 0);
  for (size_t i = 0; *made->has_region && i < r->bounds.len; i++) {
    put_number(out, r->bounds.data[i].type);
    put_number(out, r->bounds.data[i].place);
  }
  for (size_t i = 0; *made->has_region && i < r->boxes.len; i++) {
    put_number(out, r->boxes.data[i]);
    put_number(out, r->firsts.data[i]);
  }
}

typedef struct reader {
  const pm_buf *from;
  size_t at;
} reader;

static int64_t get_number(reader *r) {
  int64_t number = 0;
  if (r->from->len - r->at < sizeof number) return 0;
  memcpy(&number, r->from->data + r->at, sizeof number);
  r->at += sizeof number;
  return number;
}

/* The file has a checksum: what is read is what was written. */
static void get_region(reader *r, const pm_kept *out) {
  *out->has_region = get_number(r);
  int64_t n_bounds = get_number(r), n_boxes = get_number(r);
  for (int64_t i = 0; i < n_bounds; i++) {
    int64_t type = get_number(r), place = get_number(r);
    PM_VEC_PUSH(out->region->bounds, ((abi_bound){(pm_scalar)type, (int)place}));
  }
  for (int64_t i = 0; i < n_boxes; i++) {
    PM_VEC_PUSH(out->region->boxes, (int32_t)get_number(r));
    PM_VEC_PUSH(out->region->firsts, (int32_t)get_number(r));
  }
}

/* --- the cache --- */

static void warn(pm_context *ctx, pm_buf *warning) {
  if (warning->len && ctx) (void)pm_warning(ctx, PM_NO_LOC, "%s", warning->data);
  pm_buf_free(warning);
}

/* Without a context nobody is warned. */
static bool find(pm_context *ctx, const pm_buf *key, pm_cached *kept) {
  pm_cache cache;
  pm_buf limit = {0}, folder = {0};
  pm_cache_open(&cache, &limit, &folder);
  bool found = pm_cache_find(&cache, key, kept);
  pm_cache_close(&cache);
  warn(ctx, &limit);
  warn(ctx, &folder);
  return found;
}

static void keep(const pm_buf *key, const pm_cached *made) {
  pm_cache cache;
  pm_buf limit = {0}, folder = {0};
  pm_cache_open(&cache, &limit, &folder);
  pm_cache_keep(&cache, key, made);
  pm_cache_close(&cache);
  pm_buf_free(&limit);
  pm_buf_free(&folder);
}

bool pm_kept_find(pm_context *ctx, const pm_buf *key, const pm_kept *out) {
  pm_cached kept = {0};
  bool found = find(ctx, key, &kept);
  if (found) {
    reader r = {&kept.file, 0};
    get_region(&r, out);
    pm_buf_put(out->file, kept.file.data + r.at, kept.file.len - r.at);
    pm_buf_put(out->entry, kept.entry.data, kept.entry.len);
  }
  pm_cached_free(&kept);
  return found;
}

void pm_kept_keep(const pm_buf *key, const pm_kept *made) {
  pm_cached kept = {0};
  put_region(&kept.file, made);
  pm_buf_put(&kept.file, made->file->data, made->file->len);
  pm_buf_put(&kept.entry, made->entry->data, made->entry->len);
  keep(key, &kept);
  pm_cached_free(&kept);
}

/* --- interfaces --- */

void pm_kept_put_text_key(const char *name, const char *text, size_t len, const char *language,
                          const pm_choices *choices, pm_buf *key) {
  const char *slash = strrchr(name, '/');
  char *folder = slash ? pm_xstrndup(name, (size_t)(slash - name + 1)) : pm_xstrdup("."),
       *place = pm_real_path(folder);
  const char *words[] = {name, place, language, choices->fp};
  pm_buf_printf(key, "interface\n%d\n", (choices->target->has & PM_TARGET_GROUPS) != 0);
  put_library(key);
  put_words(key, words, PM_COUNT(words));
  for (size_t i = 0; i < choices->values->given.len; i++)
    pm_buf_printf(key, "%s=%s\n", choices->values->given.data[i].name, choices->values->given.data[i].text);
  put_words(key, choices->estimates->data, choices->estimates->len);
  pm_put_hash(key, XXH3_128bits(text, len));
  free(place);
  free(folder);
}

/* The module behind the paths that should be absent; NULL: one is not. */
static pm_module *parse_interface(pm_context *ctx, const pm_cached *kept) {
  const char *text = kept->file.data ? kept->file.data : "";
  bool is_there = false;
  while (pm_take_absent(&text, &is_there)) continue;
  return is_there ? NULL : pm_parse_module(ctx, "interface", text, strlen(text), false);
}

pm_module *pm_kept_find_interface(pm_context *ctx, const pm_buf *key, pm_buf *hash) {
  pm_cached kept = {0};
  pm_module *module = NULL;
  if (find(NULL, key, &kept)) {
    module = parse_interface(ctx, &kept);
    if (module) pm_buf_put(hash, kept.entry.data, kept.entry.len);
  }
  pm_cached_free(&kept);
  return module;
}

void pm_kept_keep_interface(const pm_buf *key, pm_module *module, const pm_buf *hash) {
  pm_cached made = {0};
  if (pm_source_count(pm_module_context(module)) > 1 || !pm_interface_is_enough(module)) return;
  bool ok = pm_put_absent(pm_module_context(module), &made.file);
  pm_put_interface(module, &made.file);
  pm_buf_put(&made.entry, hash->data, hash->len);
  if (ok) keep(key, &made);
  pm_cached_free(&made);
}
