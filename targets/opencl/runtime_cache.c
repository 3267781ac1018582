/* Built programs that are kept on disk, each in a file found by a hash of all that it depends on. A file
 * appears by a rename, and has its whole key and a checksum, so there are no locks: what is half written,
 * damaged, another program's or not to be had is not there. What cannot be kept is not kept, without a word.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Bytes that grow. */
typedef struct pm_cl_data {
  char *bytes;
  size_t n, room;
  int lost; /* there was no memory */
} pm_cl_data;

static int pm_cl_reserve(pm_cl_data *data, size_t n) {
  size_t room = data->n + n;
  if (data->lost || room < n) return 0;
  if (room <= data->room) return 1;
  if (room < 2 * data->room) room = 2 * data->room;
  char *bytes = realloc(data->bytes, room);
  if (!bytes) data->lost = 1;
  if (!bytes) return 0;
  data->bytes = bytes;
  data->room = room;
  return 1;
}

static void pm_cl_put(pm_cl_data *data, const void *bytes, size_t n) {
  if (!n || !pm_cl_reserve(data, n)) return;
  memcpy(data->bytes + data->n, bytes, n);
  data->n += n;
}

/* FNV-1a. A file that another key has found by it is told by its key. */
static uint64_t pm_cl_hash(const char *bytes, size_t n) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < n; i++) hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
  return hash;
}

/* --- the folder --- */

/* The folder "opencl" in $PM_CACHE_DIR, else in $XDG_CACHE_HOME/pm, else in ~/.cache/pm: to be freed. NULL:
 * nothing is kept, since PM_CACHE_DIR is empty, or there is no home. */
static char *pm_cl_folder_name(void) {
  const char *own = getenv("PM_CACHE_DIR"), *all = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  const char *parts[2] = {"", ""};
  if (own)
    parts[0] = own;
  else if (all && *all == '/')
    parts[0] = all, parts[1] = "/pm";
  else if (home)
    parts[0] = home, parts[1] = "/.cache/pm";
  size_t room = strlen(parts[0]) + sizeof "/.cache/pm/opencl";
  char *name = *parts[0] ? malloc(room) : NULL;
  if (name) snprintf(name, room, "%s%s/opencl", parts[0], parts[1]);
  return name;
}

/* What is in it runs in this process, so nobody else may put something there. */
static int pm_cl_is_private(const char *path) {
  struct stat s;
  return stat(path, &s) == 0 && S_ISDIR(s.st_mode) && s.st_uid == geteuid() &&
         !(s.st_mode & (S_IWGRP | S_IWOTH));
}

/* The folder, made with those above it: to be freed; NULL: nothing is kept. */
static char *pm_cl_cache_folder(void) {
  char *name = pm_cl_folder_name();
  for (char *at = name ? strchr(name + 1, '/') : NULL; at; at = strchr(at + 1, '/')) {
    *at = '\0';
    (void)mkdir(name, 0700);
    *at = '/';
  }
  if (name) (void)mkdir(name, 0700);
  if (name && pm_cl_is_private(name)) return name;
  free(name);
  return NULL;
}

/* --- files --- */

/* A file is this, the key, the binary, and the hash of all before. */
typedef struct pm_cl_file_head {
  char magic[8];
  uint64_t key, binary;
} pm_cl_file_head;

static const char pm_cl_magic[8] = "pmcl0001";

static void pm_cl_file_name(const char *folder, const pm_cl_data *key, char *path, size_t room) {
  snprintf(path, room, "%s/%016llx", folder, (unsigned long long)pm_cl_hash(key->bytes, key->n));
}

static void pm_cl_read_file(const char *path, pm_cl_data *out) {
  struct stat s;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t n = 1;
  if (file < 0) return;
  if (fstat(file, &s) == 0 && S_ISREG(s.st_mode) && pm_cl_reserve(out, (size_t)s.st_size + 1))
    while (out->n < out->room && (n = read(file, out->bytes + out->n, out->room - out->n)) > 0)
      out->n += (size_t)n;
  if (n < 0) out->n = 0;
  close(file);
}

/* The binary in such a file, into `binary`; false: it is none of this key. */
static int pm_cl_open_file(const pm_cl_data *file, const pm_cl_data *key, pm_cl_data *binary) {
  pm_cl_file_head head;
  uint64_t hash;
  if (file->n < sizeof head + key->n + sizeof hash) return 0;
  const char *at = file->bytes + sizeof head, *end = file->bytes + file->n - sizeof hash;
  memcpy(&head, file->bytes, sizeof head);
  memcpy(&hash, end, sizeof hash);
  if (memcmp(head.magic, pm_cl_magic, sizeof head.magic) || head.key != key->n ||
      memcmp(at, key->bytes, key->n) || head.binary != (uint64_t)(end - at) - head.key ||
      hash != pm_cl_hash(file->bytes, file->n - sizeof hash))
    return 0;
  pm_cl_put(binary, at + key->n, (size_t)head.binary);
  return binary->n > 0;
}

/* What was kept for the key; false: nothing. */
static int pm_cl_cache_find(const char *folder, const pm_cl_data *key, pm_cl_data *binary) {
  char path[4096];
  pm_cl_data file = {0};
  if (key->lost) return 0;
  pm_cl_file_name(folder, key, path, sizeof path);
  pm_cl_read_file(path, &file);
  int found = pm_cl_open_file(&file, key, binary);
  if (found) (void)utimensat(AT_FDCWD, path, NULL, 0);
  free(file.bytes);
  return found;
}

static int pm_cl_write_all(int file, const pm_cl_data *data) {
  ssize_t n = 0;
  for (size_t at = 0; at < data->n; at += (size_t)n)
    if ((n = write(file, data->bytes + at, data->n - at)) <= 0) return 0;
  return 1;
}

/* --- what is too much --- */

static long long pm_cl_cache_limit(void) {
  const char *text = getenv("PM_CACHE_MB");
  char *end = NULL;
  long long megabytes = text ? strtoll(text, &end, 10) : -1;
  return 1000000 * (text && *text && !*end && megabytes >= 0 && megabytes < 1000000 ? megabytes : 512);
}

/* The sum of all files, and the one that was used least lately, if it is not `but`. */
static long long pm_cl_look(DIR *folder, const char *but, char *oldest, size_t room) {
  struct timespec least = {0};
  long long sum = 0;
  *oldest = '\0';
  rewinddir(folder);
  for (struct dirent *entry; (entry = readdir(folder));) {
    struct stat s;
    if (fstatat(dirfd(folder), entry->d_name, &s, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(s.st_mode)) continue;
    sum += s.st_size;
    if (!strcmp(entry->d_name, but)) continue;
    if (*oldest && (s.st_mtim.tv_sec > least.tv_sec ||
                    (s.st_mtim.tv_sec == least.tv_sec && s.st_mtim.tv_nsec >= least.tv_nsec)))
      continue;
    least = s.st_mtim;
    snprintf(oldest, room, "%s", entry->d_name);
  }
  return sum;
}

/* Removes what was used least lately, down to the limit; what killed processes have left is among it. */
static void pm_cl_trim(const char *folder, const char *but) {
  char oldest[256];
  DIR *files = opendir(folder);
  if (!files) return;
  while (pm_cl_look(files, but, oldest, sizeof oldest) > pm_cl_cache_limit() && *oldest)
    if (unlinkat(dirfd(files), oldest, 0) != 0) break;
  closedir(files);
}

/* Keeps it in the place of what was there. */
static void pm_cl_cache_keep(const char *folder, const pm_cl_data *key, const pm_cl_data *binary) {
  char path[4096], made[4096 + 8];
  pm_cl_file_head head = {.key = key->n, .binary = binary->n};
  pm_cl_data file = {0};
  memcpy(head.magic, pm_cl_magic, sizeof head.magic);
  pm_cl_file_name(folder, key, path, sizeof path);
  snprintf(made, sizeof made, "%s.XXXXXX", path);
  pm_cl_put(&file, &head, sizeof head);
  pm_cl_put(&file, key->bytes, key->n);
  pm_cl_put(&file, binary->bytes, binary->n);
  uint64_t hash = pm_cl_hash(file.bytes, file.n);
  pm_cl_put(&file, &hash, sizeof hash);
  int out = key->lost || file.lost || (long long)file.n > pm_cl_cache_limit() ? -1 : mkstemp(made);
  if (out >= 0) {
    int written = pm_cl_write_all(out, &file);
    if (close(out) != 0 || !written || rename(made, path) != 0) (void)unlink(made);
    pm_cl_trim(folder, strrchr(path, '/') + 1);
  }
  free(file.bytes);
}
