#define _GNU_SOURCE /* dladdr */
#include "pm/kept.h"

#include "pm/cache.h"
#include "pm/hash.h"
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

static void put_hash_of(pm_module *module, pm_buf *key) {
  pm_buf text = {0};
  pm_print_module(&text, module, (pm_print_options){.locs = true});
  pm_put_hash(key, XXH3_128bits(text.data, text.len));
  pm_buf_free(&text);
}

void pm_kept_put_key(pm_module *module, const pm_choices *choices, const pm_build_options *options,
                     const char *extension, pm_buf *key) {
  const char *words[] = {extension,    options->compiler, options->flags,
                         options->cpu, options->features, options->fp};
  pm_buf error = {0};
  if (!choices->target->put_versions) return;
  char *passes = pm_passes_text(pm_module_context(module), choices, &error);
  if (passes) {
    pm_buf_printf(key, "function\n%d\n", choices->regions);
    put_library(key);
    for (size_t i = 0; i < PM_COUNT(words); i++) pm_buf_printf(key, "%s\n", words[i] ? words[i] : "");
    choices->target->put_versions(options, key);
    pm_put_inputs(pm_module_context(module), choices, passes, key);
    put_hash_of(module, key);
  }
  free(passes);
  pm_buf_free(&error);
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
  if (warning->len) (void)pm_warning(ctx, PM_NO_LOC, "%s", warning->data);
  pm_buf_free(warning);
}

bool pm_kept_find(pm_context *ctx, const pm_buf *key, const pm_kept *out) {
  pm_cache cache;
  pm_cached kept = {0};
  pm_buf limit = {0}, folder = {0};
  pm_cache_open(&cache, &limit, &folder);
  bool found = pm_cache_find(&cache, key, &kept);
  pm_cache_close(&cache);
  warn(ctx, &limit);
  warn(ctx, &folder);
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
  pm_cache cache;
  pm_cached kept = {0};
  pm_buf limit = {0}, folder = {0};
  put_region(&kept.file, made);
  pm_buf_put(&kept.file, made->file->data, made->file->len);
  pm_buf_put(&kept.entry, made->entry->data, made->entry->len);
  pm_cache_open(&cache, &limit, &folder);
  pm_cache_keep(&cache, key, &kept);
  pm_cache_close(&cache);
  pm_buf_free(&limit);
  pm_buf_free(&folder);
  pm_cached_free(&kept);
}
