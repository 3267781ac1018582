#include "targets/lib/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
  FILE *file = fopen("/proc/cpuinfo", "r");
  char *line = NULL;
  size_t room = 0;
  while (file && getline(&line, &room, file) > 1)
    if (tells(line)) pm_buf_puts(out, line);
  free(line);
  if (file) fclose(file);
}
