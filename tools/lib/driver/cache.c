#include "tools/lib/driver/cache.h"

#include "targets/lib/host.h"
#include "tools/lib/driver/hash.h"
#include "tools/lib/driver/message.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { NAME_LENGTH = 32, USUAL_MEGABYTES = 512, MEGABYTE = 1000000 };

/* --- the folder --- */

/* The environment's folder, to be freed; NULL: none is wanted, or there is no home. */
static char *folder_name(void) {
  const char *own = getenv("PM_CACHE_DIR"), *all = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  pm_buf path = {0};
  if (own)
    pm_buf_puts(&path, own);
  else if (all && *all == '/')
    pm_buf_printf(&path, "%s/pm", all);
  else if (home && *home)
    pm_buf_printf(&path, "%s/.cache/pm", home);
  if (path.len) return pm_buf_take(&path);
  pm_buf_free(&path);
  return NULL;
}

/* With the folders above it; false with errno set. */
static bool make_folder(const char *path) {
  char *copy = pm_xstrdup(path);
  bool ok = true;
  for (char *at = strchr(copy + 1, '/'); at && ok; at = strchr(at + 1, '/')) {
    *at = '\0';
    ok = mkdir(copy, 0700) == 0 || errno == EEXIST;
    *at = '/';
  }
  free(copy);
  return ok && (mkdir(path, 0700) == 0 || errno == EEXIST);
}

/* What is in it runs in this process: nobody else may put something there. */
static bool is_private(const char *path) {
  struct stat s;
  return stat(path, &s) == 0 && S_ISDIR(s.st_mode) && s.st_uid == geteuid() &&
         !(s.st_mode & (S_IWGRP | S_IWOTH));
}

static int64_t limit_of(const char *tool) {
  const char *text = getenv("PM_CACHE_MB");
  char *end = NULL;
  errno = 0;
  long long megabytes = text && *text ? strtoll(text, &end, 10) : USUAL_MEGABYTES;
  bool ok = !end || (*end == '\0' && !errno && megabytes >= 0 && megabytes <= INT64_MAX / MEGABYTE);
  if (ok) return megabytes * MEGABYTE;
  pm_buf warning = {0};
  pm_buf_printf(&warning, "PM_CACHE_MB is '%s', but should be a number of megabytes; it counts as %d", text,
                USUAL_MEGABYTES);
  pm_print_warning(tool, &warning);
  return (int64_t)USUAL_MEGABYTES * MEGABYTE;
}

pm_cache pm_cache_open(const char *tool) {
  pm_cache cache = {folder_name(), 0};
  if (!cache.folder) return cache;
  cache.limit = limit_of(tool);
  bool made = make_folder(cache.folder);
  if (made && is_private(cache.folder)) return cache;
  pm_buf warning = {0};
  pm_buf_printf(&warning, "compiled programs are not kept in '%s': %s", cache.folder,
                made ? "it should be a folder of yours that nobody else can write to" : strerror(errno));
  pm_print_warning(tool, &warning);
  pm_cache_close(&cache);
  return cache;
}

void pm_cache_close(pm_cache *cache) {
  free(cache->folder);
  cache->folder = NULL;
}

/* --- one file --- */

/* A file is this, the name of the entry, the program, and the hash of all before. */
typedef struct file_head {
  char magic[8];
  uint64_t entry_length, length;
} file_head;

static const char magic[8] = "pmcache1";

/* By the hash of the key: to be freed. */
static char *path_of(const pm_cache *cache, const pm_buf *key) {
  pm_buf path = {0};
  pm_buf_printf(&path, "%s/", cache->folder);
  pm_put_hash(&path, XXH3_128bits(key->data, key->len));
  return pm_buf_take(&path);
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
  if (!cache->folder) return false;
  char *path = path_of(cache, key);
  size_t len;
  char *text = pm_read_file(path, PM_MAX_TEXT, &len);
  bool found = text && read_file(text, len, out);
  if (found) utimensat(AT_FDCWD, path, NULL, 0);
  if (text && !found) unlink(path);
  free(text);
  free(path);
  return found;
}

void pm_cached_free(pm_cached *cached) {
  pm_buf_free(&cached->file);
  pm_buf_free(&cached->entry);
}

/* --- what is too much --- */

typedef struct kept_file {
  char *name;
  int64_t bytes;
  struct timespec used;
} kept_file;

typedef PM_VEC(kept_file) kept_files;

/* Leftovers of processes that were killed are those of other names. */
static bool is_ours(const char *name) {
  return strlen(name) == NAME_LENGTH && strspn(name, "0123456789abcdef") == NAME_LENGTH;
}

static void look_at(int folder, const char *name, time_t now, kept_files *all) {
  enum { OLD_SECONDS = 3600 };
  struct stat s;
  if (*name == '.' && (!name[1] || (name[1] == '.' && !name[2]))) return;
  if (fstatat(folder, name, &s, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(s.st_mode)) return;
  if (is_ours(name))
    PM_VEC_PUSH(*all, ((kept_file){pm_xstrdup(name), (int64_t)s.st_size, s.st_mtim}));
  else if (s.st_mtim.tv_sec < now - OLD_SECONDS)
    unlinkat(folder, name, 0);
}

static int by_use(const void *a, const void *b) {
  const struct timespec *x = &((const kept_file *)a)->used, *y = &((const kept_file *)b)->used;
  if (x->tv_sec != y->tv_sec) return x->tv_sec < y->tv_sec ? -1 : 1;
  return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

/* Down to four fifths of the limit, so that not every new file is one too many. */
static void remove_oldest(int folder, const kept_files *all, int64_t total, int64_t limit) {
  for (size_t i = 0; i < all->len && total > limit / 5 * 4; i++) {
    unlinkat(folder, all->data[i].name, 0);
    total -= all->data[i].bytes;
  }
}

static void trim(const pm_cache *cache) {
  DIR *folder = opendir(cache->folder);
  kept_files all = {0};
  int64_t total = 0;
  time_t now = time(NULL);
  if (!folder) return;
  for (struct dirent *entry; (entry = readdir(folder));) look_at(dirfd(folder), entry->d_name, now, &all);
  for (size_t i = 0; i < all.len; i++) total += all.data[i].bytes;
  if (all.len) qsort(all.data, all.len, sizeof *all.data, by_use);
  if (total > cache->limit) remove_oldest(dirfd(folder), &all, total, cache->limit);
  closedir(folder);
  for (size_t i = 0; i < all.len; i++) free(all.data[i].name);
  PM_VEC_FREE(all);
}

void pm_cache_keep(const pm_cache *cache, const pm_buf *key, const pm_cached *made) {
  if (!cache->folder) return;
  char *path = path_of(cache, key);
  pm_buf file = {0};
  put_file(&file, made);
  if (file.len <= (size_t)cache->limit && pm_write_file(path, file.data, file.len)) trim(cache);
  pm_buf_free(&file);
  free(path);
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
