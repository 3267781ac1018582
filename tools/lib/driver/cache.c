#include "tools/lib/driver/cache.h"

#include "targets/lib/host.h"
#include "tools/lib/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void pm_tool_cache_open(pm_cache *cache, const char *tool) {
  pm_buf warnings[2] = {{0}};
  pm_cache_open(cache, &warnings[0], &warnings[1]);
  for (size_t i = 0; i < PM_COUNT(warnings); i++)
    if (warnings[i].len) pm_print_warning(tool, &warnings[i]);
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
