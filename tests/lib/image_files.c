/* image-files: what tests of file formats do with many files in one process.
 *
 *   image-files copy IN OUT [IN OUT]…      reads each IN and writes it as OUT; errors go to stdout
 *   image-files damage N FILE…             reads N spoilt and N shortened versions of each FILE
 *
 * Spoilt bytes are drawn by a fixed rule. A damaged file may be read, or be refused with its name and a
 * reason; the program ends by a signal when one takes longer than SECONDS. */
#include "tools/lib/images/image.h"
#include "tools/lib/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SECONDS = 20 };

static bool copy(const char *from, const char *to) {
  pm_array array;
  pm_buf error = {0};
  bool ok = pm_image_read(from, (pm_picture_limit){0, "--picture-limit"}, &array, NULL, &error);
  if (ok) {
    ok = pm_image_write(to, &array, &error);
    pm_array_release(&array);
  }
  if (!ok) printf("%s\n", error.data);
  pm_buf_free(&error);
  return ok;
}

static uint64_t next_number(uint64_t *state) {
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return *state >> 33;
}

typedef struct counts {
  size_t read, refused;
} counts;

/* In memory of its own of that size, so that a sanitizer sees what is read behind the end. */
static bool try_bytes(const char *name, const char *bytes, size_t len, counts *c) {
  pm_array array;
  pm_buf error = {0};
  char *copy = malloc(len ? len : 1);
  memcpy(copy, bytes, len);
  alarm(SECONDS);
  bool read = pm_image_decode(name, copy, len, (pm_picture_limit){8000000, NULL}, &array, NULL, &error);
  bool explained = read || (strstr(error.data, name) && !strchr(error.data, '\n'));
  if (read) pm_array_release(&array);
  if (!explained) printf("%s: no good message: %s\n", name, error.data);
  *(read ? &c->read : &c->refused) += 1;
  pm_buf_free(&error);
  free(copy);
  return explained;
}

/* The first bytes, which have the directory or header, are spoilt as often as the others. */
static void spoil(char *bytes, size_t len, uint64_t *state) {
  size_t n = 1 + next_number(state) % 3;
  for (size_t i = 0; i < n; i++) {
    size_t within = next_number(state) % 2 && len > 256 ? 256 : len;
    size_t at = next_number(state) % 3 ? next_number(state) % within : len - 1 - next_number(state) % within;
    bytes[at] =
        next_number(state) % 2 ? (char)next_number(state) : (char)(bytes[at] ^ 1 << next_number(state) % 8);
  }
}

static bool damage(const char *path, size_t n, counts *c) {
  size_t len;
  pm_buf error = {0};
  char *bytes = pm_read_samples(path, &len, &error);
  uint64_t state = 1;
  bool ok = bytes && len > 0;
  if (!ok) pm_print_error("image-files", &error);
  for (size_t i = 0; ok && i < n; i++) {
    char *spoilt = malloc(len);
    memcpy(spoilt, bytes, len);
    spoil(spoilt, len, &state);
    ok = try_bytes(path, spoilt, len, c) &&
         try_bytes(path, bytes, n < len ? next_number(&state) % len : i % len, c);
    free(spoilt);
  }
  free(bytes);
  return ok;
}

int main(int argc, char **argv) {
  bool ok = true;
  counts c = {0};
  if (argc > 2 && strcmp(argv[1], "copy") == 0) {
    for (int i = 2; i + 1 < argc; i += 2) ok &= copy(argv[i], argv[i + 1]);
    return ok ? PM_EXIT_OK : PM_EXIT_INPUT;
  }
  if (argc < 4 || strcmp(argv[1], "damage") != 0) return PM_EXIT_USAGE;
  for (int i = 3; i < argc && ok; i++) ok = damage(argv[i], strtoul(argv[2], NULL, 10), &c);
  printf("%zu read, %zu refused\n", c.read, c.refused);
  return ok ? PM_EXIT_OK : PM_EXIT_INPUT;
}
