#include "tools/lib/driver/interface.h"

#include "ir/text.h"
#include "pm/hash.h"
#include "tools/lib/images/sizes.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* --- files --- */

static bool is_file(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

/* Appends `<hash> <path>` of a file as it is now; false when it cannot be read, or not twice. */
static bool put_file(const char *path, pm_buf *out) {
  size_t len;
  if (!is_file(path)) return false;
  char *text = pm_read_file(path, PM_MAX_TEXT, &len);
  if (!text) return false;
  pm_put_hash(out, XXH3_128bits(text, len));
  pm_buf_printf(out, " %s\n", path);
  free(text);
  return true;
}

/* Appends a line for each file that was read; false when one has another text by now. */
static bool put_files(const pm_context *ctx, pm_buf *out) {
  bool same = true;
  for (uint16_t i = 1; i <= pm_source_count(ctx) && same; i++) {
    pm_str text = pm_source_text(ctx, i);
    const char *path = pm_source_name(ctx, i);
    pm_buf now = {0}, then = {0};
    if (!text.ptr) continue;
    pm_put_hash(&then, XXH3_128bits(text.ptr, text.len));
    same = !strchr(path, '\n') && put_file(path, &now) && strncmp(now.data, then.data, then.len) == 0;
    if (same) pm_buf_put(out, now.data, now.len);
    pm_buf_free(&now);
    pm_buf_free(&then);
  }
  return same;
}

/* Reads the lines of paths and files, up to an empty one, behind which *text is then; false when one has
 * changed. */
static bool have_same_files(const char **text) {
  bool same = true, is_there = false;
  while (pm_take_absent(text, &is_there)) continue;
  if (is_there) return false;
  while (same && **text && **text != '\n') {
    const char *line = *text, *end = strchr(line, '\n'), *space = strchr(line, ' ');
    if (!end || !space || space > end) return false;
    char *path = pm_xstrndup(space + 1, (size_t)(end - space - 1));
    pm_buf now = {0};
    same =
        put_file(path, &now) && now.len == (size_t)(end + 1 - line) && memcmp(now.data, line, now.len) == 0;
    pm_buf_free(&now);
    free(path);
    *text = end + 1;
  }
  *text += **text == '\n';
  return same;
}

/* --- what is kept --- */

/* A schedule stands in a file that is no source, and what is no file can be read once. */
static bool may_be_kept(const pm_driver_options *options) {
  return !options->schedule && !options->tuned && is_file(options->program);
}

void pm_interface_put_key(const pm_driver_options *options, pm_buf *key) {
  const pm_frontend *frontend = pm_driver_frontend(options);
  bool has_groups = options->target && (options->target->has & PM_TARGET_GROUPS);
  if (!may_be_kept(options) || !frontend) return;
  pm_buf_printf(key, "interface\n%s\n%s\n%s\n%d\n", options->program, frontend->name,
                options->fp ? options->fp : "", has_groups);
  for (size_t i = 0; i < options->frontend.given.len; i++) {
    const pm_given_option *given = &options->frontend.given.data[i];
    pm_buf_printf(key, "%s=%s\n", given->name, given->text ? given->text : "");
  }
  for (size_t i = 0; i < options->estimates.len; i++) pm_buf_printf(key, "%s\n", options->estimates.data[i]);
}

pm_module *pm_interface_find(const pm_cache *cache, const pm_buf *key, pm_context *ctx, pm_buf *hash) {
  pm_cached kept;
  pm_module *module = NULL;
  if (!key->len || !pm_cache_find(cache, key, &kept)) return NULL;
  const char *text = kept.file.data ? kept.file.data : "";
  if (have_same_files(&text)) module = pm_parse_module(ctx, "interface", text, strlen(text), false);
  if (module) pm_buf_put(hash, kept.entry.data, kept.entry.len);
  pm_cached_free(&kept);
  return module;
}

/* They need no value. */
static bool has_unused_params(pm_module *module) {
  bool has = false;
  PM_FOR_OPS(op, pm_module_body(module)) {
    stage_signature sig;
    if (!pm_is(op, &stage_pipeline)) continue;
    stage_signature_get(op, &sig);
    for (size_t i = 0; i < sig.params.len; i++) has = has || pm_is_unused(op, &sig.params.data[i]);
    stage_signature_free(&sig);
  }
  return has;
}

void pm_interface_keep(const pm_cache *cache, const pm_buf *key, pm_module *module, const pm_buf *hash) {
  const pm_context *ctx = pm_module_context(module);
  pm_cached made = {0};
  if (!key->len || !pm_interface_is_enough(module) || has_unused_params(module)) return;
  if (pm_put_absent(ctx, &made.file) && put_files(ctx, &made.file)) {
    pm_buf_puts(&made.file, "\n");
    pm_put_interface(module, &made.file);
    pm_buf_put(&made.entry, hash->data, hash->len);
    pm_cache_keep(cache, key, &made);
  }
  pm_cached_free(&made);
}
