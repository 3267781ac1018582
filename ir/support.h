/* Small tools shared by every layer: arenas, growing arrays, string buffers, hash tables.
 *
 * Lifetimes: an arena frees everything it handed out at once. A `PM_VEC` and a `pm_buf` own heap memory and
 * are freed by hand. None of these functions returns NULL: out of memory is a fault (ir/fault.h).
 */
#ifndef PM_IR_SUPPORT_H
#define PM_IR_SUPPORT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PM_MUST_USE __attribute__((warn_unused_result))
#define PM_MAYBE_UNUSED __attribute__((unused))
#define PM_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define PM_NORETURN __attribute__((noreturn))
#define PM_COUNT(a) (sizeof(a) / sizeof(*(a)))
#define PM_STRINGIFY_(a) #a
/* The text of what a macro stands for, as a string. */
#define PM_STRINGIFY(a) PM_STRINGIFY_(a)

/* A borrowed, not necessarily terminated piece of text. */
typedef struct pm_str {
  const char *ptr;
  size_t len;
} pm_str;

#ifdef __cplusplus
#define PM_STR(literal) (pm_str{"" literal, sizeof(literal) - 1})
#else
#define PM_STR(literal) ((pm_str){"" literal, sizeof(literal) - 1})
#endif
pm_str pm_str_of(const char *text);
bool pm_str_eq(pm_str a, pm_str b);
bool pm_str_is(pm_str a, const char *b);

/* Raises the fault PM_FAULT_MEMORY. */
PM_NORETURN void pm_out_of_memory(void);
void *pm_xmalloc(size_t bytes);
void *pm_xcalloc(size_t count, size_t bytes);
void *pm_xrealloc(void *p, size_t bytes);
char *pm_xstrdup(const char *text);
char *pm_xstrndup(const char *text, size_t len);

/* --- 64-bit arithmetic of indices: sums and products wrap; divisors are > 0, quotients round down (up),
 * remainders are in 0 .. divisor - 1 --- */
static inline int64_t pm_wrap_add(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a + (uint64_t)b);
}
static inline int64_t pm_wrap_mul(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a * (uint64_t)b);
}
static inline int64_t pm_floor_div(int64_t a, int64_t b) {
  return a / b - (a % b < 0);
}
static inline int64_t pm_ceil_div(int64_t a, int64_t b) {
  return a / b + (a % b > 0);
}
static inline int64_t pm_floor_mod(int64_t a, int64_t b) {
  return a % b + (a % b < 0 ? b : 0);
}

/* The greatest common divisor, >= 0; 0 of two zeros. The sign of the numbers does not count. */
static inline int64_t pm_gcd(int64_t a, int64_t b) {
  while (b) {
    int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a < 0 ? -a : a;
}

/* --- arena: bump allocation, 8-byte aligned, zeroed --- */
typedef struct pm_arena pm_arena;
pm_arena *pm_arena_new(void);
void pm_arena_free(pm_arena *arena);
void pm_arena_reset(pm_arena *arena);
void *pm_arena_alloc(pm_arena *arena, size_t bytes);
char *pm_arena_strndup(pm_arena *arena, const char *text, size_t len);
char *pm_arena_printf(pm_arena *arena, const char *fmt, ...) PM_PRINTF(2, 3);
void *pm_arena_memdup(pm_arena *arena, const void *data, size_t bytes);
/* Bytes taken from the system so far. */
size_t pm_arena_bytes(const pm_arena *arena);

/* --- growing array: PM_VEC(int) v = {0}; PM_VEC_PUSH(v, 3); v.data[0]; PM_VEC_FREE(v); --- */
#define PM_VEC(T)                                                                                            \
  struct {                                                                                                   \
    T *data;                                                                                                 \
    size_t len, cap;                                                                                         \
  }
/* C++ does not convert void * by itself. */
#ifdef __cplusplus
#define PM_SAME_TYPE_AS(pointer) (decltype(pointer))
#else
#define PM_SAME_TYPE_AS(pointer)
#endif
#define PM_VEC_PUSH(v, item)                                                                                 \
  do {                                                                                                       \
    if ((v).len == (v).cap)                                                                                  \
      (v).data = PM_SAME_TYPE_AS((v).data) pm_vec_grow((v).data, &(v).cap, sizeof(*(v).data));               \
    (v).data[(v).len++] = (item);                                                                            \
  } while (0)
#define PM_VEC_POP(v) ((v).data[--(v).len])
#define PM_VEC_LAST(v) ((v).data[(v).len - 1])
#define PM_VEC_FREE(v)                                                                                       \
  do {                                                                                                       \
    free((v).data);                                                                                          \
    (v).data = NULL;                                                                                         \
    (v).len = (v).cap = 0;                                                                                   \
  } while (0)
void *pm_vec_grow(void *data, size_t *cap, size_t item_bytes);

/* --- text buffer: always NUL-terminated once something was put --- */
typedef struct pm_buf {
  char *data;
  size_t len, cap;
} pm_buf;
void pm_buf_putc(pm_buf *buf, char c);
void pm_buf_puts(pm_buf *buf, const char *text);
void pm_buf_put(pm_buf *buf, const char *text, size_t len);
void pm_buf_printf(pm_buf *buf, const char *fmt, ...) PM_PRINTF(2, 3);
void pm_buf_vprintf(pm_buf *buf, const char *fmt, va_list args);
/* Replaces the text of `error` by the message; always false. For functions that may fail for the user's
 * reasons: what they put there is one line without an end. */
bool pm_failf(pm_buf *error, const char *fmt, ...) PM_PRINTF(2, 3);
/* Writes a double so that reading it gives the same value; always with a '.' or an exponent. Not for nan/inf.
 */
void pm_buf_put_double(pm_buf *buf, double value, bool single_precision);
/* The text, owned by the caller (free); the buffer becomes empty. Never NULL. */
char *pm_buf_take(pm_buf *buf);
void pm_buf_free(pm_buf *buf);

/* --- pointer map: keys are compared by address --- */
typedef struct pm_map pm_map;
pm_map *pm_map_new(void);
void pm_map_free(pm_map *map);
void pm_map_clear(pm_map *map);
/* NULL when absent. */
void *pm_map_get(const pm_map *map, const void *key);
bool pm_map_has(const pm_map *map, const void *key);
/* Sets or replaces; a NULL value is a value. */
void pm_map_set(pm_map *map, const void *key, void *value);
void pm_map_remove(pm_map *map, const void *key);
size_t pm_map_size(const pm_map *map);

uint64_t pm_hash_bytes(const void *data, size_t bytes, uint64_t seed);
/* Edit distance (Levenshtein), at most `limit`+1; takes time in proportion to the length and the limit. */
unsigned pm_edit_distance(pm_str a, pm_str b, unsigned limit);

/* --- files --- */
/* Bytes that a program, a compiler's messages or another text may have. */
#define PM_MAX_TEXT ((size_t)1 << 28)
/* The whole file, NUL-terminated, to be freed; NULL with errno set, to EFBIG when it has more than `most`
 * bytes, as a device that never ends has. "-" is standard input. */
char *pm_read_file(const char *path, size_t most, size_t *len);
/* All of the bytes to an open descriptor; false with errno set. A limit of the sizes of files is an error,
 * too, EFBIG, and no signal. Handlers and forked children may call it. */
bool pm_write_fd(int fd, const char *data, size_t len);
/* Writes all or nothing: a temporary beside `path`, then a rename; what is no regular file is written in
 * place. False with errno set. "-" is standard output. Allocates nothing: handlers of fatal signals may call
 * it. */
bool pm_write_file(const char *path, const char *data, size_t len) PM_MUST_USE;
typedef struct pm_file {
  const char *path, *data;
  size_t len;
} pm_file;
/* The same for files that belong together: no regular one is replaced before there is room for all. False
 * with errno set and the number of the one that failed. */
bool pm_write_files(const pm_file *files, size_t n, size_t *failed) PM_MUST_USE;
/* The same for one file whose bytes come piece by piece. */
typedef struct pm_writer {
  const char *path;
  char *temporary; /* NULL: it is written in place */
  int fd, error;   /* errno of what has failed first, 0: nothing has */
} pm_writer;
/* False with errno set, and then there is nothing to close. The path is borrowed. */
bool pm_writer_open(pm_writer *writer, const char *path) PM_MUST_USE;
/* Nothing more is written after a failure. Takes a pm_writer *. */
void pm_writer_put(void *writer, const char *data, size_t len);
/* False with errno set when any of it has failed: then no regular file has changed. */
bool pm_writer_close(pm_writer *writer) PM_MUST_USE;
/* The absolute path without links of what is there, to be freed; NULL with errno set. */
char *pm_real_path(const char *path);
/* Whether a file may be made or written at `path`, as far as that can be known before; else errno is set. */
bool pm_can_write(const char *path) PM_MUST_USE;

#endif
