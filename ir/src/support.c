#include "ir/fault.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

pm_str pm_str_of(const char *text) {
  return (pm_str){text, strlen(text)};
}

bool pm_str_eq(pm_str a, pm_str b) {
  return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

bool pm_str_is(pm_str a, const char *b) {
  for (size_t i = 0; i < a.len; i++)
    if (!b[i] || a.ptr[i] != b[i]) return false;
  return !b[a.len];
}

void *pm_xmalloc(size_t bytes) {
  void *p = malloc(bytes ? bytes : 1);
  if (!p) pm_out_of_memory();
  return p;
}

void *pm_xcalloc(size_t count, size_t bytes) {
  void *p = calloc(count ? count : 1, bytes ? bytes : 1);
  if (!p) pm_out_of_memory();
  return p;
}

void *pm_xrealloc(void *p, size_t bytes) {
  void *q = realloc(p, bytes ? bytes : 1);
  if (!q) pm_out_of_memory();
  return q;
}

char *pm_xstrndup(const char *text, size_t len) {
  char *copy = pm_xmalloc(len + 1);
  if (len) memcpy(copy, text, len);
  copy[len] = 0;
  return copy;
}

char *pm_xstrdup(const char *text) {
  return pm_xstrndup(text, strlen(text));
}

/* --- arena --- */

typedef struct arena_chunk {
  struct arena_chunk *next;
  size_t bytes;
  _Alignas(16) char data[];
} arena_chunk;

struct pm_arena {
  arena_chunk *chunks;
  char *at, *end;
  size_t total;
};

enum { FIRST_CHUNK = 4096, LARGEST_CHUNK = 1 << 20 };

pm_arena *pm_arena_new(void) {
  return pm_xcalloc(1, sizeof(pm_arena));
}

static void free_chunks(pm_arena *arena) {
  for (arena_chunk *chunk = arena->chunks, *next; chunk; chunk = next) {
    next = chunk->next;
    free(chunk);
  }
  *arena = (pm_arena){0};
}

void pm_arena_free(pm_arena *arena) {
  if (!arena) return;
  free_chunks(arena);
  free(arena);
}

void pm_arena_reset(pm_arena *arena) {
  free_chunks(arena);
}

static void add_chunk(pm_arena *arena, size_t at_least) {
  size_t bytes = arena->total ? arena->total : FIRST_CHUNK;
  if (bytes > LARGEST_CHUNK) bytes = LARGEST_CHUNK;
  if (bytes < at_least) bytes = at_least;
  arena_chunk *chunk = pm_xcalloc(1, sizeof *chunk + bytes);
  chunk->next = arena->chunks;
  chunk->bytes = bytes;
  arena->chunks = chunk;
  arena->at = chunk->data;
  arena->end = chunk->data + bytes;
  arena->total += bytes + sizeof *chunk;
}

void *pm_arena_alloc(pm_arena *arena, size_t bytes) {
  size_t rounded = bytes ? (bytes + 7) & ~(size_t)7 : 8;
  if ((size_t)(arena->end - arena->at) < rounded) add_chunk(arena, rounded);
  void *p = arena->at;
  arena->at += rounded;
  return p;
}

char *pm_arena_strndup(pm_arena *arena, const char *text, size_t len) {
  char *copy = pm_arena_alloc(arena, len + 1);
  if (len) memcpy(copy, text, len);
  return copy;
}

char *pm_arena_printf(pm_arena *arena, const char *fmt, ...) {
  pm_buf text = {0};
  va_list args;
  va_start(args, fmt);
  pm_buf_vprintf(&text, fmt, args);
  va_end(args);
  char *kept = pm_arena_strndup(arena, text.data, text.len);
  pm_buf_free(&text);
  return kept;
}

void *pm_arena_memdup(pm_arena *arena, const void *data, size_t bytes) {
  void *copy = pm_arena_alloc(arena, bytes);
  if (bytes) memcpy(copy, data, bytes);
  return copy;
}

size_t pm_arena_bytes(const pm_arena *arena) {
  return arena->total;
}

void *pm_vec_grow(void *data, size_t *cap, size_t item_bytes) {
  *cap = *cap ? *cap * 2 : 8;
  if (*cap > SIZE_MAX / item_bytes) pm_out_of_memory();
  return pm_xrealloc(data, *cap * item_bytes);
}

/* --- text buffer --- */

static void reserve(pm_buf *buf, size_t more) {
  size_t need = buf->len + more + 1;
  if (need <= buf->cap) return;
  size_t cap = buf->cap ? buf->cap * 2 : 64;
  while (cap < need) cap *= 2;
  buf->data = pm_xrealloc(buf->data, cap);
  buf->cap = cap;
}

void pm_buf_putc(pm_buf *buf, char c) {
  reserve(buf, 1);
  buf->data[buf->len++] = c;
  buf->data[buf->len] = 0;
}

void pm_buf_put(pm_buf *buf, const char *text, size_t len) {
  reserve(buf, len);
  if (len) memcpy(buf->data + buf->len, text, len);
  buf->len += len;
  buf->data[buf->len] = 0;
}

void pm_buf_puts(pm_buf *buf, const char *text) {
  pm_buf_put(buf, text, strlen(text));
}

/* The format has no conversions but %s. */
static bool has_only_words(const char *fmt) {
  for (const char *at = strchr(fmt, '%'); at; at = strchr(at + 1, '%'))
    if (at[1] != 's') return false;
  return true;
}

static void put_words(pm_buf *buf, const char *fmt, va_list args) {
  for (const char *at; (at = strchr(fmt, '%')); fmt = at + 2) {
    pm_buf_put(buf, fmt, (size_t)(at - fmt));
    pm_buf_puts(buf, va_arg(args, const char *));
  }
  pm_buf_puts(buf, fmt);
}

void pm_buf_vprintf(pm_buf *buf, const char *fmt, va_list args) {
  enum { USUAL = 64 };
  if (has_only_words(fmt)) {
    put_words(buf, fmt, args);
    return;
  }
  va_list again;
  va_copy(again, args);
  reserve(buf, USUAL);
  int n = vsnprintf(buf->data + buf->len, USUAL, fmt, args);
  if (n >= USUAL) {
    reserve(buf, (size_t)n);
    vsnprintf(buf->data + buf->len, (size_t)n + 1, fmt, again);
  }
  va_end(again);
  if (n >= 0) buf->len += (size_t)n;
}

void pm_buf_printf(pm_buf *buf, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  pm_buf_vprintf(buf, fmt, args);
  va_end(args);
}

bool pm_failf(pm_buf *error, const char *fmt, ...) {
  pm_buf text = {0};
  va_list args;
  va_start(args, fmt);
  pm_buf_vprintf(&text, fmt, args);
  va_end(args);
  pm_buf_free(error);
  *error = text;
  return false;
}

static bool reads_back(const char *text, double value, bool single_precision) {
  return single_precision ? strtof(text, NULL) == (float)value : strtod(text, NULL) == value;
}

void pm_buf_put_double(pm_buf *buf, double value, bool single_precision) {
  char text[40];
  int most = single_precision ? 9 : 17, exponent;
  bool power = fabs(frexp(value, &exponent)) == 0.5;
  snprintf(text, sizeof text, "%.*g", most - 2, value);
  /* What many digits do not say fewer do not, but for powers of two, which lie nearer to the number below. */
  bool many = !power && !reads_back(text, value, single_precision);
  for (int digits = many ? most - 1 : 6; digits <= most; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, value);
    if (reads_back(text, value, single_precision)) break;
  }
  pm_buf_puts(buf, text);
  if (!strpbrk(text, ".en")) pm_buf_puts(buf, ".0");
}

char *pm_buf_take(pm_buf *buf) {
  reserve(buf, 0);
  buf->data[buf->len] = 0;
  char *text = buf->data;
  *buf = (pm_buf){0};
  return text;
}

void pm_buf_free(pm_buf *buf) {
  free(buf->data);
  *buf = (pm_buf){0};
}

/* --- pointer map: open addressing, linear probing, deletion by re-insertion of the cluster --- */

typedef struct map_slot {
  const void *key;
  void *value;
} map_slot;

struct pm_map {
  map_slot *slots;
  size_t cap, len;
};

pm_map *pm_map_new(void) {
  return pm_xcalloc(1, sizeof(pm_map));
}

void pm_map_free(pm_map *map) {
  if (!map) return;
  free(map->slots);
  free(map);
}

void pm_map_clear(pm_map *map) {
  free(map->slots);
  *map = (pm_map){0};
}

/* Keys near to each other in memory, which are used together, are near in the table. */
static size_t slot_of(const pm_map *map, const void *key) {
  uint64_t address = (uintptr_t)key;
  uint64_t page = ((address >> 12) * UINT64_C(0x9E3779B97F4A7C15)) >> 32;
  return (size_t)((page << 8) + (page >> 24) + (address >> 4 & 255)) & (map->cap - 1);
}

static map_slot *find_slot(const pm_map *map, const void *key) {
  size_t i = slot_of(map, key);
  while (map->slots[i].key && map->slots[i].key != key) i = (i + 1) & (map->cap - 1);
  return &map->slots[i];
}

static void grow_map(pm_map *map) {
  map_slot *old = map->slots;
  size_t old_cap = map->cap;
  map->cap = old_cap ? old_cap * 2 : 16;
  map->slots = pm_xcalloc(map->cap, sizeof *map->slots);
  for (size_t i = 0; i < old_cap; i++)
    if (old[i].key) *find_slot(map, old[i].key) = old[i];
  free(old);
}

void *pm_map_get(const pm_map *map, const void *key) {
  return map->len ? find_slot(map, key)->value : NULL;
}

bool pm_map_has(const pm_map *map, const void *key) {
  return map->len && find_slot(map, key)->key;
}

void pm_map_set(pm_map *map, const void *key, void *value) {
  if (2 * (map->len + 1) > map->cap) grow_map(map);
  map_slot *slot = find_slot(map, key);
  if (!slot->key) map->len++;
  *slot = (map_slot){key, value};
}

void pm_map_remove(pm_map *map, const void *key) {
  if (!pm_map_has(map, key)) return;
  size_t i = (size_t)(find_slot(map, key) - map->slots);
  map->slots[i] = (map_slot){NULL, NULL};
  map->len--;
  for (i = (i + 1) & (map->cap - 1); map->slots[i].key; i = (i + 1) & (map->cap - 1)) {
    map_slot moved = map->slots[i];
    map->slots[i] = (map_slot){NULL, NULL};
    *find_slot(map, moved.key) = moved;
  }
}

size_t pm_map_size(const pm_map *map) {
  return map->len;
}

/* --- hashing and distance --- */

uint64_t pm_hash_bytes(const void *data, size_t bytes, uint64_t seed) {
  return XXH3_64bits_withSeed(data, bytes, seed);
}

static unsigned min3(unsigned a, unsigned b, unsigned c) {
  unsigned m = a < b ? a : b;
  return m < c ? m : c;
}

/* Row i of the table of distances, in place: entry j is that of the first i of `a` and the first j of `b`.
 * Only what lies within `limit` of the diagonal can count; the entries beside that stay above the limit. The
 * row's least entry. */
static unsigned next_row(unsigned *row, pm_str a, pm_str b, size_t i, unsigned limit) {
  size_t from = i > limit ? i - limit : 1, to = i + limit < b.len ? i + limit : b.len;
  unsigned diagonal = row[from - 1], least = limit + 1;
  row[from - 1] = from == 1 && i <= limit ? (unsigned)i : limit + 1;
  if (row[from - 1] < least) least = row[from - 1];
  for (size_t j = from; j <= to; j++) {
    unsigned above = row[j];
    row[j] = min3(above + 1, row[j - 1] + 1, diagonal + (a.ptr[i - 1] != b.ptr[j - 1]));
    if (row[j] < least) least = row[j];
    diagonal = above;
  }
  return least;
}

unsigned pm_edit_distance(pm_str a, pm_str b, unsigned limit) {
  size_t gap = a.len > b.len ? a.len - b.len : b.len - a.len;
  if (gap > limit) return limit + 1;
  unsigned *row = pm_xmalloc((b.len + 1) * sizeof *row);
  for (size_t j = 0; j <= b.len; j++) row[j] = j <= limit ? (unsigned)j : limit + 1;
  unsigned least = 0;
  for (size_t i = 1; i <= a.len && least <= limit; i++) least = next_row(row, a, b, i, limit);
  unsigned distance = least <= limit ? row[b.len] : limit + 1;
  free(row);
  return distance <= limit ? distance : limit + 1;
}

/* --- files --- */

static char *read_stream(FILE *file, size_t most, size_t *len) {
  pm_buf buf = {0};
  char block[1 << 16];
  size_t n;
  while (buf.len <= most && (n = fread(block, 1, sizeof block, file)) > 0) pm_buf_put(&buf, block, n);
  bool failed = ferror(file) != 0, large = buf.len > most;
  if (failed || large) {
    int error = failed ? errno : EFBIG;
    pm_buf_free(&buf);
    errno = error;
    return NULL;
  }
  *len = buf.len;
  return pm_buf_take(&buf);
}

static void close_file(void *file) {
  (void)fclose(file);
}

char *pm_read_file(const char *path, size_t most, size_t *len) {
  if (strcmp(path, "-") == 0) return read_stream(stdin, most, len);
  FILE *file = fopen(path, "rbe");
  if (!file && errno == ENOMEM) pm_out_of_memory();
  if (!file) return NULL;
  pm_cleanup closing;
  pm_cleanup_add(&closing, close_file, file);
  char *text = read_stream(file, most, len);
  pm_cleanup_remove(&closing);
  int error = errno;
  fclose(file);
  errno = error;
  return text;
}

char *pm_real_path(const char *path) {
  char room[PATH_MAX];
  const char *found = realpath(path, room);
  if (!found && errno == ENOMEM) pm_out_of_memory();
  return found ? pm_xstrdup(found) : NULL;
}

static bool write_all(int fd, const char *data, size_t len) {
  while (len) {
    ssize_t n = write(fd, data, len);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    data += n;
    len -= (size_t)n;
  }
  return true;
}

static bool is_pending(int number) {
  sigset_t pending;
  sigpending(&pending);
  return sigismember(&pending, number) == 1;
}

/* A write beyond the limit of files sends its thread a signal, which by default ends the process. Here it
 * waits, and is taken; one that waited before is not ours. */
bool pm_write_fd(int fd, const char *data, size_t len) {
  sigset_t too_large, before;
  sigemptyset(&too_large);
  sigaddset(&too_large, SIGXFSZ);
  bool others = is_pending(SIGXFSZ);
  pthread_sigmask(SIG_BLOCK, &too_large, &before);
  bool ok = write_all(fd, data, len);
  int error = errno;
  if (!ok && error == EFBIG && !others) (void)sigtimedwait(&too_large, NULL, &(struct timespec){0, 0});
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  errno = error;
  return ok;
}

/* Devices and pipes cannot be replaced by a rename: they are written in place. */
static bool write_in_place(const char *path, const char *data, size_t len) {
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  bool ok = pm_write_fd(fd, data, len);
  int error = errno;
  if (close(fd) != 0 && ok) return false;
  if (!ok) errno = error;
  return ok;
}

/* Writes and closes what make_temporary has opened; gone when that fails. */
static bool fill(const char *temporary, int fd, const char *data, size_t len) {
  bool ok = pm_write_fd(fd, data, len);
  int error = errno;
  if (close(fd) != 0 && ok) ok = false, error = errno;
  if (!ok) unlink(temporary);
  errno = error;
  return ok;
}

static bool is_replaced(const char *path) {
  struct stat info;
  return strcmp(path, "-") != 0 && (stat(path, &info) != 0 || S_ISREG(info.st_mode));
}

/* Opens a new file, whose name gets another end in place of n characters. It has the rights that the umask
 * leaves, which mkstemp ignores, and only a change of it would tell. */
static int make_temporary(char *temporary, char *end, size_t n) {
  enum { TRIES = 1000, LETTERS = 26 };
  int fd = -1;
  errno = EEXIST;
  for (unsigned i = 0; fd < 0 && errno == EEXIST && i < TRIES; i++) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t number = (uint64_t)now.tv_nsec * 1000003 + (uint64_t)getpid() * 7919 + i;
    for (size_t k = 0; k < n; k++, number /= LETTERS) end[k] = (char)('a' + number % LETTERS);
    fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  }
  return fd;
}

/* A file beside `path`, whose name is left in `temporary`. */
static int open_beside(const char *path, char temporary[PATH_MAX]) {
  static const char end[] = ".XXXXXX";
  size_t n = strlen(path);
  if (n + sizeof end > PATH_MAX) {
    errno = ENAMETOOLONG;
    return -1;
  }
  memcpy(temporary, path, n);
  memcpy(temporary + n, end, sizeof end);
  return make_temporary(temporary, temporary + n + 1, sizeof end - 2);
}

static bool write_beside(const char *path, const char *data, size_t len, char temporary[PATH_MAX]) {
  int fd = open_beside(path, temporary);
  return fd >= 0 && fill(temporary, fd, data, len);
}

static bool put_in_place(const char *temporary, const char *path) {
  if (rename(temporary, path) == 0) return true;
  int error = errno;
  unlink(temporary);
  errno = error;
  return false;
}

static bool write_through(const char *path, const char *data, size_t len) {
  if (strcmp(path, "-") == 0) return fflush(stdout) == 0 && pm_write_fd(STDOUT_FILENO, data, len);
  return write_in_place(path, data, len);
}

bool pm_write_file(const char *path, const char *data, size_t len) {
  char temporary[PATH_MAX];
  if (!is_replaced(path)) return write_through(path, data, len);
  return write_beside(path, data, len, temporary) && put_in_place(temporary, path);
}

/* Everything that needs room is done before the first name changes. */
static bool write_temporaries(const pm_file *files, size_t n, char (*temporaries)[PATH_MAX], size_t *at) {
  for (*at = 0; *at < n; ++*at) {
    const pm_file *file = &files[*at];
    temporaries[*at][0] = 0;
    bool ok = is_replaced(file->path) ? write_beside(file->path, file->data, file->len, temporaries[*at])
                                      : write_through(file->path, file->data, file->len);
    if (!ok) return false;
  }
  return true;
}

static bool put_all_in_place(const pm_file *files, size_t n, char (*temporaries)[PATH_MAX], size_t *at) {
  for (*at = 0; *at < n; ++*at)
    if (temporaries[*at][0] && !put_in_place(temporaries[*at], files[*at].path)) return false;
  return true;
}

bool pm_write_files(const pm_file *files, size_t n, size_t *failed) {
  char(*temporaries)[PATH_MAX] = pm_xcalloc(n + 1, sizeof *temporaries);
  bool written = write_temporaries(files, n, temporaries, failed);
  bool ok = written && put_all_in_place(files, n, temporaries, failed);
  int error = errno;
  for (size_t i = written ? *failed + 1 : 0; !ok && i < (written ? n : *failed); i++)
    if (temporaries[i][0]) unlink(temporaries[i]);
  free(temporaries);
  errno = error;
  return ok;
}

static int open_through(const char *path) {
  if (strcmp(path, "-") != 0) return open(path, O_WRONLY | O_CLOEXEC);
  return fflush(stdout) == 0 ? STDOUT_FILENO : -1;
}

bool pm_writer_open(pm_writer *writer, const char *path) {
  *writer = (pm_writer){.path = path};
  if (is_replaced(path)) writer->temporary = pm_xcalloc(1, PATH_MAX);
  writer->fd = writer->temporary ? open_beside(path, writer->temporary) : open_through(path);
  if (writer->fd >= 0) return true;
  int error = errno;
  free(writer->temporary);
  errno = error;
  return false;
}

void pm_writer_put(void *writer, const char *data, size_t len) {
  pm_writer *w = writer;
  if (!w->error && !pm_write_fd(w->fd, data, len)) w->error = errno;
}

bool pm_writer_close(pm_writer *writer) {
  if (writer->fd != STDOUT_FILENO && close(writer->fd) != 0 && !writer->error) writer->error = errno;
  if (writer->temporary && !writer->error && !put_in_place(writer->temporary, writer->path))
    writer->error = errno;
  else if (writer->temporary && writer->error)
    unlink(writer->temporary);
  free(writer->temporary);
  errno = writer->error;
  return !writer->error;
}

bool pm_can_write(const char *path) {
  struct stat info;
  if (strcmp(path, "-") == 0) return true;
  if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
    errno = EISDIR;
    return false;
  }
  if (!is_replaced(path)) return access(path, W_OK) == 0;
  const char *slash = strrchr(path, '/');
  size_t n = slash ? (size_t)(slash - path) + 1 : 0;
  char *folder = slash ? pm_xstrndup(path, n) : pm_xstrdup(".");
  bool ok = access(folder, W_OK | X_OK) == 0;
  int error = errno;
  free(folder);
  errno = error;
  return ok;
}
