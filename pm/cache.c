#include "pm/cache.h"

#include "ir/fault.h"
#include "pm/hash.h"
#include "targets/lib/cache_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- the folder --- */

static int64_t limit_of(pm_buf *warning) {
  const char *wrong;
  long long limit = pm_folder_limit(&wrong);
  if (wrong)
    pm_buf_printf(warning, "PM_CACHE_MB is '%s', but should be a number of megabytes; it counts as %d", wrong,
                  PM_FOLDER_MEGABYTES);
  return limit;
}

static void close_folder(void *user) {
  pm_cache *cache = user;
  if (cache->is_open) close(cache->folder);
  cache->is_open = false;
}

/* The text of a path is the process's: what is opened is closed after a fault, too. */
void pm_cache_open(pm_cache *cache, pm_buf *limit_warning, pm_buf *folder_warning) {
  const char *fault;
  *cache = (pm_cache){0};
  pm_heap *left = pm_heap_leave();
  char *own = pm_folder_path();
  cache->folder = own ? pm_folder_open(AT_FDCWD, own, &fault) : -1;
  int error = errno;
  cache->is_open = cache->folder >= 0;
  pm_heap_return(left);
  pm_cleanup_add(&cache->closing, close_folder, cache);
  if (!own) return;
  cache->limit = limit_of(limit_warning);
  if (!cache->is_open)
    pm_buf_printf(folder_warning, "compiled programs are not kept in '%s': %s", own,
                  fault ? fault : strerror(error));
  left = pm_heap_leave();
  free(own);
  pm_heap_return(left);
}

void pm_cache_close(pm_cache *cache) {
  pm_cleanup_remove(&cache->closing);
  close_folder(cache);
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

static void free_text(void *text) {
  pm_heap *left = pm_heap_leave();
  free(text);
  pm_heap_return(left);
}

bool pm_cache_find(const pm_cache *cache, const pm_buf *key, pm_cached *out) {
  *out = (pm_cached){0};
  if (!cache->is_open) return false;
  char *name = name_of(key);
  size_t len = 0;
  pm_heap *left = pm_heap_leave(); /* a fault would leave the file open */
  char *text = pm_folder_read(cache->folder, name, &len);
  pm_heap_return(left);
  pm_cleanup freeing;
  pm_cleanup_add(&freeing, free_text, text);
  bool found = text && read_file(text, len, out);
  pm_cleanup_remove(&freeing);
  free_text(text);
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
  pm_heap *left = pm_heap_leave();
  pm_folder_keep(cache->folder, name, file.data, file.len, cache->limit);
  pm_heap_return(left);
  pm_buf_free(&file);
  free(name);
}
