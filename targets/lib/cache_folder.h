/* The folder in which processes keep what they made for later ones: pm-run, and the C that the target opencl
 * emits, which has this text in it. So all is static, and needs POSIX alone.
 *
 * Entries are named pm- and hexadecimal digits, and have six characters more behind a dot while they are
 * written. They are regular files of this user. Whatever else is in the folder is not counted, read, replaced
 * or removed. All is done in a folder that was opened once: its path may lead elsewhere afterwards. */
#ifndef PM_TARGETS_LIB_CACHE_FOLDER_H
#define PM_TARGETS_LIB_CACHE_FOLDER_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
  PM_FOLDER_MEGABYTES = 512,
  PM_FOLDER_PATH = 4096,
  PM_FOLDER_LINKS = 40,
  PM_FOLDER_NAME = 64,
  PM_FOLDER_TRIES = 100,
  PM_FOLDER_MOST_BYTES = 1 << 28, /* of an entry */
  PM_FOLDER_OLD_SECONDS = 3600
};

/* A folder that is gone through has not to be readable, and a link is opened itself; glibc has this name of
 * O_PATH for all programs. Elsewhere no links are gone through. */
#ifdef __O_PATH
#define PM_FOLDER_ABOVE (__O_PATH | O_CLOEXEC | O_NOFOLLOW)
#elif defined O_PATH
#define PM_FOLDER_ABOVE (O_PATH | O_CLOEXEC | O_NOFOLLOW)
#else
#define PM_FOLDER_ABOVE (O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
#endif
#define PM_FOLDER_ITSELF (O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)

/* --- the environment --- */

/* $PM_CACHE_DIR, else $XDG_CACHE_HOME/pm, else ~/.cache/pm: to be freed. NULL: nothing is kept, since
 * PM_CACHE_DIR is empty, or there is no home. */
static char *pm_folder_path(void) {
  const char *own = getenv("PM_CACHE_DIR"), *all = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  const char *parts[2] = {"", ""};
  if (own)
    parts[0] = own;
  else if (all && *all == '/')
    parts[0] = all, parts[1] = "/pm";
  else if (home)
    parts[0] = home, parts[1] = "/.cache/pm";
  size_t room = strlen(parts[0]) + strlen(parts[1]) + 1;
  char *path = *parts[0] ? malloc(room) : NULL;
  if (path) snprintf(path, room, "%s%s", parts[0], parts[1]);
  return path;
}

/* The bytes that all entries may have: $PM_CACHE_MB megabytes, 512 where that is not set, or `wrong`. */
static long long pm_folder_limit(const char **wrong) {
  const char *text = getenv("PM_CACHE_MB");
  char *end = NULL;
  long long megabytes = text && *text ? strtoll(text, &end, 10) : PM_FOLDER_MEGABYTES;
  *wrong = (end && *end) || megabytes < 0 || megabytes > INT64_MAX / 1000000 ? text : NULL;
  return (*wrong ? PM_FOLDER_MEGABYTES : megabytes) * 1000000;
}

/* --- opening --- */

/* What is of this name itself, a link too. */
static int pm_folder_look(int folder, const char *name, struct stat *s) {
  return fstatat(folder, name, s, AT_SYMLINK_NOFOLLOW) == 0;
}

/* On the way to a folder. */
typedef struct pm_folder_walk {
  int at, links;             /* the folder that was come to, through so many links */
  char rest[PM_FOLDER_PATH]; /* of the path, from there */
} pm_folder_walk;

/* Takes the folder `to`; false: it is none. */
static int pm_folder_go(pm_folder_walk *w, int to) {
  if (to < 0) return 0;
  close(w->at);
  w->at = to;
  return 1;
}

/* Goes on with a path, and the rest of another one behind it. */
static int pm_folder_lead(pm_folder_walk *w, const char *path, const char *behind) {
  char rest[PM_FOLDER_PATH];
  int n = snprintf(rest, sizeof rest, "%s/%s", path, behind);
  if (n < 0 || n >= (int)sizeof rest) {
    errno = ENAMETOOLONG;
    return 0;
  }
  memcpy(w->rest, rest, (size_t)n + 1);
  return *rest != '/' || pm_folder_go(w, open("/", PM_FOLDER_ABOVE));
}

/* Opens what is of this name, and makes a folder where nothing is. */
static int pm_folder_enter(int above, const char *name, int flags) {
  int found = openat(above, name, flags);
  if (found >= 0 || errno != ENOENT || (mkdirat(above, name, 0700) != 0 && errno != EEXIST)) return found;
  return openat(above, name, flags);
}

static int pm_folder_others_write(const struct stat *s) {
  return (s->st_mode & (S_IWGRP | S_IWOTH)) != 0;
}

/* The link is root's, the user's, or of whom the folder belongs to, where nobody else can write to that (root
 * has another number in a namespace of users): others' may be a trap. */
static int pm_folder_is_trusted(int folder, const struct stat *link) {
  struct stat s;
  if (link->st_uid == 0 || link->st_uid == geteuid()) return 1;
  return fstat(folder, &s) == 0 && s.st_uid == link->st_uid && !pm_folder_others_write(&s);
}

/* Goes on where a link leads to. */
static int pm_folder_follow(pm_folder_walk *w, int link, const struct stat *s, const char *behind,
                            const char **fault) {
  char path[PM_FOLDER_PATH];
  if (!pm_folder_is_trusted(w->at, s)) {
    *fault = "a folder above it is a link of another user";
    return 0;
  }
  ssize_t n = readlinkat(link, "", path, sizeof path - 1);
  if (n < 0) return 0;
  path[n] = '\0';
  if (++w->links <= PM_FOLDER_LINKS) return pm_folder_lead(w, path, behind);
  errno = ELOOP;
  return 0;
}

/* Goes into a folder that is above the rest. One that is mounted when it is gone into wants to be asked for
 * as a folder. */
static int pm_folder_step(pm_folder_walk *w, const char *name, const char *behind, const char **fault) {
  struct stat s;
  int to = pm_folder_enter(w->at, name, PM_FOLDER_ABOVE | O_DIRECTORY);
  if (to < 0 && errno == ENOTDIR) to = openat(w->at, name, PM_FOLDER_ABOVE);
  if (to < 0) return 0;
  if (fstat(to, &s) != 0 || !S_ISLNK(s.st_mode)) {
    memmove(w->rest, behind, strlen(behind) + 1);
    return pm_folder_go(w, to);
  }
  int followed = pm_folder_follow(w, to, &s, behind, fault), error = errno;
  close(to);
  errno = error;
  return followed;
}

/* What is in it may run in this process: nobody else may put something there. */
static int pm_folder_is_private(int folder) {
  struct stat s;
  return fstat(folder, &s) == 0 && s.st_uid == geteuid() && !pm_folder_others_write(&s);
}

/* The end of the path, which is no link. */
static int pm_folder_arrive(int above, const char *name, const char **fault) {
  struct stat s;
  int folder = pm_folder_enter(above, name, PM_FOLDER_ITSELF), error = errno;
  if (folder >= 0 && pm_folder_is_private(folder)) return folder;
  if (folder >= 0)
    *fault = "it should be a folder of yours that nobody else can write to";
  else if (pm_folder_look(above, name, &s) && S_ISLNK(s.st_mode))
    *fault = "it is a link";
  if (folder >= 0) close(folder);
  errno = error;
  return -1;
}

/* Name for name; what a name is followed by decides whether it is the last one. */
static int pm_folder_walk_on(pm_folder_walk *w, const char **fault) {
  for (;;) {
    char *name = w->rest + strspn(w->rest, "/"), *end = name + strcspn(name, "/");
    char *behind = end + strspn(end, "/");
    if (*end) *end = '\0';
    if (!*behind) return pm_folder_arrive(w->at, *name ? name : ".", fault);
    if (!pm_folder_step(w, name, behind, fault)) return -1;
  }
}

/* The folder at a path from the folder `from`, which is made, with those above it, where it is not there. -1:
 * `fault` says why, or errno, where that is NULL. It is the user's, nobody else can write to it, and neither
 * it nor a link on the way there is what another user has put in its place. */
static int pm_folder_open(int from, const char *path, const char **fault) {
  pm_folder_walk w = {.at = *path == '/' ? open("/", PM_FOLDER_ABOVE) : openat(from, ".", PM_FOLDER_ABOVE)};
  *fault = NULL;
  if (w.at < 0) return -1;
  if (!*path) errno = ENOENT;
  int folder = *path && pm_folder_lead(&w, path, "") ? pm_folder_walk_on(&w, fault) : -1, error = errno;
  close(w.at);
  errno = error;
  return folder;
}

/* --- one entry --- */

static const char pm_folder_letters[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/* How a name goes on behind what entries like `entry` are named; NULL: it is none of theirs. */
static const char *pm_folder_behind(const char *name, const char *entry) {
  size_t start = strlen("pm-"), digits = strlen(entry) - start;
  if (strncmp(name, "pm-", start) != 0 || strspn(name + start, "0123456789abcdef") != digits) return NULL;
  return name + start + digits;
}

/* One that is not written to its end, behind the name of the entry. */
static int pm_folder_is_unfinished(const char *behind) {
  return *behind == '.' && strspn(behind + 1, pm_folder_letters) == 6 && !behind[7];
}

static int pm_folder_is_ours(const struct stat *s) {
  return S_ISREG(s->st_mode) && s->st_uid == geteuid();
}

/* Nobody else can have written to it, not by another name of it either. */
static int pm_folder_is_safe(const struct stat *s) {
  return pm_folder_is_ours(s) && !pm_folder_others_write(s) && s->st_nlink == 1;
}

/* As many bytes as there are, up to n. */
static size_t pm_folder_get(int file, char *bytes, size_t n) {
  size_t at = 0;
  while (at < n) {
    ssize_t more = read(file, bytes + at, n - at);
    if (more == 0 || (more < 0 && errno != EINTR)) break;
    at += more > 0 ? (size_t)more : 0;
  }
  return at;
}

/* The bytes of an entry, to be freed, which counts as used now; NULL: there is none. */
static char *pm_folder_read(int folder, const char *name, size_t *n) {
  struct stat s;
  char *bytes = NULL;
  if (!pm_folder_look(folder, name, &s) || !pm_folder_is_safe(&s)) return NULL;
  int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (file < 0) return NULL;
  if (fstat(file, &s) == 0 && pm_folder_is_safe(&s) && s.st_size <= PM_FOLDER_MOST_BYTES)
    bytes = malloc((size_t)s.st_size + 1);
  if (bytes) *n = pm_folder_get(file, bytes, (size_t)s.st_size);
  if (bytes) (void)futimens(file, NULL);
  close(file);
  return bytes;
}

static int pm_folder_put(int file, const char *bytes, size_t n) {
  for (size_t at = 0; at < n;) {
    ssize_t more = write(file, bytes + at, n - at);
    if (more < 0 && errno != EINTR) return 0;
    at += more > 0 ? (size_t)more : 0;
  }
  return 1;
}

/* A new file for an entry that is not written yet, and its name. */
static int pm_folder_begin(int folder, const char *entry, char made[PM_FOLDER_NAME]) {
  struct timespec now = {0};
  (void)clock_gettime(CLOCK_REALTIME, &now);
  uint64_t lot = ((uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec) * 1000003 + (uint64_t)getpid();
  for (int i = 0; i < PM_FOLDER_TRIES; i++, lot++) {
    int n = snprintf(made, PM_FOLDER_NAME, "%s.", entry);
    uint64_t left = lot;
    for (int k = 0; k < 6; k++, left /= sizeof pm_folder_letters - 1)
      made[n + k] = pm_folder_letters[left % (sizeof pm_folder_letters - 1)];
    made[n + 6] = '\0';
    int file = openat(folder, made, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file >= 0 || errno != EEXIST) return file;
  }
  return -1;
}

/* Puts an entry in the place of what was there, all of it or nothing. */
static int pm_folder_write(int folder, const char *name, const char *bytes, size_t n) {
  char made[PM_FOLDER_NAME];
  struct stat s;
  if (pm_folder_look(folder, name, &s) && !pm_folder_is_ours(&s)) return 0;
  int file = pm_folder_begin(folder, name, made);
  if (file < 0) return 0;
  int written = pm_folder_put(file, bytes, n);
  if (close(file) == 0 && written && renameat(folder, made, folder, name) == 0) return 1;
  (void)unlinkat(folder, made, 0);
  return 0;
}

/* --- what is too much --- */

typedef struct pm_folder_entry {
  char name[PM_FOLDER_NAME];
  long long bytes;
  struct timespec used;
} pm_folder_entry;

typedef struct pm_folder_list {
  pm_folder_entry *entries;
  size_t n, room;
  long long bytes; /* of all */
} pm_folder_list;

/* Without memory the list has not all, and not too much is removed. */
static void pm_folder_add(pm_folder_list *list, const char *name, const struct stat *s) {
  size_t room = list->n < list->room ? list->room : 2 * list->room + 16;
  pm_folder_entry *entries =
      room == list->room ? list->entries : realloc(list->entries, room * sizeof *entries);
  if (!entries) return;
  list->entries = entries;
  list->room = room;
  pm_folder_entry *e = &entries[list->n++];
  memcpy(e->name, name, strlen(name) + 1);
  e->bytes = s->st_size;
  e->used = s->st_mtim;
  list->bytes = e->bytes < INT64_MAX - list->bytes ? list->bytes + e->bytes : INT64_MAX;
}

/* Lists entries, and removes what processes have left that were killed while they wrote one. */
static void pm_folder_sort_out(int folder, const char *name, const char *entry, pm_folder_list *list) {
  struct stat s;
  const char *behind = pm_folder_behind(name, entry);
  if (!behind || !pm_folder_look(folder, name, &s) || !pm_folder_is_ours(&s)) return;
  if (!*behind) pm_folder_add(list, name, &s);
  if (pm_folder_is_unfinished(behind) && s.st_mtim.tv_sec < time(NULL) - PM_FOLDER_OLD_SECONDS)
    (void)unlinkat(folder, name, 0);
}

static int pm_folder_by_use(const void *a, const void *b) {
  const struct timespec *x = &((const pm_folder_entry *)a)->used, *y = &((const pm_folder_entry *)b)->used;
  if (x->tv_sec != y->tv_sec) return x->tv_sec < y->tv_sec ? -1 : 1;
  return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

/* Removes those that were used least lately, but not `but`, down to four fifths of the limit, so that not
 * every new entry is one too many. */
static void pm_folder_remove(int folder, pm_folder_list *list, const char *but, long long limit) {
  if (list->bytes <= limit) return;
  qsort(list->entries, list->n, sizeof *list->entries, pm_folder_by_use);
  for (size_t i = 0; i < list->n && list->bytes > limit / 5 * 4; i++) {
    if (strcmp(list->entries[i].name, but) == 0) continue;
    (void)unlinkat(folder, list->entries[i].name, 0);
    list->bytes -= list->entries[i].bytes;
  }
}

static void pm_folder_trim(int folder, const char *entry, long long limit) {
  int again = openat(folder, ".", PM_FOLDER_ITSELF);
  DIR *files = again < 0 ? NULL : fdopendir(again);
  pm_folder_list list = {0};
  if (!files && again >= 0) close(again);
  if (!files) return;
  for (struct dirent *file; (file = readdir(files));) pm_folder_sort_out(folder, file->d_name, entry, &list);
  pm_folder_remove(folder, &list, entry, limit);
  closedir(files);
  free(list.entries);
}

/* Keeps an entry, and removes others where there are more bytes than the limit. */
static void pm_folder_keep(int folder, const char *name, const char *bytes, size_t n, long long limit) {
  if (n <= (unsigned long long)limit && pm_folder_write(folder, name, bytes, n))
    pm_folder_trim(folder, name, limit);
}

#endif
