#define _GNU_SOURCE /* dladdr1 */
#include "targets/lib/host.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- files of the library --- */

/* The shared object that this is part of, or the program, to which it is linked then; to be freed. */
static char *own_path(void) {
  static const char here = 0;
  char program[4096];
  Dl_info symbol;
  struct link_map *object = NULL;
  if (dladdr1(&here, &symbol, (void **)&object, RTLD_DL_LINKMAP) && object->l_name[0])
    return pm_xstrdup(object->l_name);
  ssize_t len = readlink("/proc/self/exe", program, sizeof program - 1);
  program[len > 0 ? len : 0] = '\0';
  return pm_xstrdup(program);
}

char *pm_beside_library(const char *installed, const char *file) {
  const char *const files[] = {installed, file};
  char *own = own_path();
  const char *slash = strrchr(own, '/');
  pm_buf path = {0};
  for (size_t i = 0; i < PM_COUNT(files) && (i == 0 || access(path.data, R_OK) != 0); i++) {
    path.len = 0;
    pm_buf_printf(&path, "%.*s%s", slash ? (int)(slash + 1 - own) : 0, own, files[i]);
  }
  free(own);
  return pm_buf_take(&path);
}

/* --- memory --- */

/* The last of the words is what the library of C says where an exception for want of memory meets it. */
bool pm_tells_of_memory(const char *said) {
  static const char *const words[] = {"annot allocate memory", "bad_alloc",
                                      "must be installed for unwinding"};
  for (size_t i = 0; i < PM_COUNT(words); i++)
    if (strstr(said, words[i])) return true;
  return strstr(said, "failed to map segment") && !strstr(said, "ot permitted");
}

/* --- versions --- */

void pm_put_file_version(pm_buf *out, const char *path) {
  struct stat s;
  pm_buf_puts(out, path);
  if (stat(path, &s) == 0)
    pm_buf_printf(out, " %lld %lld.%09ld", (long long)s.st_size, (long long)s.st_mtim.tv_sec,
                  (long)s.st_mtim.tv_nsec);
  pm_buf_puts(out, "\n");
}

void pm_put_program(pm_buf *out, const char *name) {
  const char *path = strchr(name, '/') ? NULL : getenv("PATH");
  pm_buf file = {0};
  for (const char *at = path; at && *at;) {
    size_t len = strcspn(at, ":");
    file.len = 0;
    pm_buf_put(&file, at, len);
    pm_buf_printf(&file, "/%s", name);
    if (access(file.data, X_OK) == 0) break;
    file.len = 0;
    at += len + (at[len] == ':');
  }
  pm_put_file_version(out, file.len ? file.data : name);
  pm_buf_free(&file);
}

/* Lines of the first processor that say what it is; all are alike. */
static bool tells(const char *line) {
  static const char *const names[] = {"model name", "flags", "Features", "CPU implementer", "CPU part"};
  for (size_t i = 0; i < PM_COUNT(names); i++)
    if (strncmp(line, names[i], strlen(names[i])) == 0) return true;
  return false;
}

void pm_put_processor(pm_buf *out) {
  FILE *file = fopen("/proc/cpuinfo", "re");
  char *line = NULL;
  size_t room = 0;
  while (file && getline(&line, &room, file) > 1)
    if (tells(line)) pm_buf_puts(out, line);
  free(line);
  if (file) fclose(file);
}
