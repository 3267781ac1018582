#include "tools/lib/driver/cache.h"

#include "targets/lib/cache_folder.h"
#include "targets/lib/host.h"
#include "tools/lib/driver/hash.h"
#include "tools/lib/message.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- the folder --- */

static int64_t limit_of(const char *tool) {
  const char *wrong;
  long long limit = pm_folder_limit(&wrong);
  if (!wrong) return limit;
  pm_buf warning = {0};
  pm_buf_printf(&warning, "PM_CACHE_MB is '%s', but should be a number of megabytes; it counts as %d", wrong,
                PM_FOLDER_MEGABYTES);
  pm_print_warning(tool, &warning);
  return limit;
}

/* The open folder, or -1 and a warning. */
static int open_folder(const char *path, const char *tool) {
  const char *fault;
  int folder = pm_folder_open(AT_FDCWD, path, &fault);
  if (folder >= 0) return folder;
  pm_buf warning = {0};
  pm_buf_printf(&warning, "compiled programs are not kept in '%s': %s", path,
                fault ? fault : strerror(errno));
  pm_print_warning(tool, &warning);
  return -1;
}

pm_cache pm_cache_open(const char *tool) {
  pm_cache cache = {0};
  char *path = pm_folder_path();
  if (!path) return cache;
  cache.limit = limit_of(tool);
  cache.folder = open_folder(path, tool);
  cache.is_open = cache.folder >= 0;
  free(path);
  return cache;
}

void pm_cache_close(pm_cache *cache) {
  if (cache->is_open) close(cache->folder);
  cache->is_open = false;
}

/* --- one file --- */

/* A file is this, the name of the entry, the program, and the hash of all before. */
typedef struct file_head {
  char magic[8];
  uint64_t entry_length, length;
} file_head;

static const char magic[8] = "pmcache1";

/* By the hash of the key: to be freed. */
static char *name_of(const pm_buf *key) {
  pm_buf name = {0};
  pm_buf_puts(&name, "pm-");
  pm_put_hash(&name, XXH3_128bits(key->data, key->len));
  return pm_buf_take(&name);
}

static void put_file(pm_buf *out, const pm_cached *made) {
  file_head head = {.entry_length = made->entry.len, .length = made->file.len};
  memcpy(head.magic, magic, sizeof magic);
  pm_buf_put(out, (const char *)&head, sizeof head);
  pm_buf_put(out, made->entry.data, made->entry.len);
  pm_buf_put(out, made->file.data, made->file.len);
  XXH128_hash_t hash = XXH3_128bits(out->data, out->len);
  pm_buf_put(out, (const char *)&hash, sizeof hash);
}

/* False: it is none of ours, or not as it was written. */
static bool read_file(const char *text, size_t len, pm_cached *out) {
  file_head head;
  XXH128_hash_t hash;
  if (len < sizeof head + sizeof hash) return false;
  memcpy(&head, text, sizeof head);
  size_t rest = len - sizeof head - sizeof hash;
  if (memcmp(head.magic, magic, sizeof magic) != 0 || head.entry_length > rest ||
      head.length != rest - head.entry_length)
    return false;
  memcpy(&hash, text + len - sizeof hash, sizeof hash);
  if (!XXH128_isEqual(hash, XXH3_128bits(text, len - sizeof hash))) return false;
  pm_buf_put(&out->entry, text + sizeof head, head.entry_length);
  pm_buf_put(&out->file, text + sizeof head + head.entry_length, head.length);
  return true;
}

bool pm_cache_find(const pm_cache *cache, const pm_buf *key, pm_cached *out) {
  *out = (pm_cached){0};
  if (!cache->is_open) return false;
  char *name = name_of(key);
  size_t len = 0;
  char *text = pm_folder_read(cache->folder, name, &len);
  bool found = text && read_file(text, len, out);
  free(text);
  free(name);
  return found;
}

void pm_cached_free(pm_cached *cached) {
  pm_buf_free(&cached->file);
  pm_buf_free(&cached->entry);
}

void pm_cache_keep(const pm_cache *cache, const pm_buf *key, const pm_cached *made) {
  if (!cache->is_open) return;
  char *name = name_of(key);
  pm_buf file = {0};
  put_file(&file, made);
  pm_folder_keep(cache->folder, name, file.data, file.len, cache->limit);
  pm_buf_free(&file);
  free(name);
}

/* --- the process --- */

static int by_name(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The system maps them in any order, each in several parts. */
void pm_put_process_version(pm_buf *out) {
  FILE *maps = fopen("/proc/self/maps", "r");
  PM_VEC(char *) paths = {0};
  char *line = NULL;
  size_t room = 0;
  while (maps && getline(&line, &room, maps) > 0) {
    char *path = strchr(line, '/');
    if (path) path[strcspn(path, "\n")] = '\0';
    if (path) PM_VEC_PUSH(paths, pm_xstrdup(path));
  }
  if (paths.len) qsort(paths.data, paths.len, sizeof *paths.data, by_name);
  for (size_t i = 0; i < paths.len; i++)
    if (i == 0 || strcmp(paths.data[i], paths.data[i - 1]) != 0) pm_put_file_version(out, paths.data[i]);
  for (size_t i = 0; i < paths.len; i++) free(paths.data[i]);
  PM_VEC_FREE(paths);
  free(line);
  if (maps) fclose(maps);
}
