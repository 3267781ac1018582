#include "tools/lib/driver/depfile.h"

#include "tools/lib/driver/tuned.h"

#include <stdlib.h>
#include <sys/stat.h>

/* As make and ninja read it. */
static void put_path(pm_buf *out, const char *path) {
  for (; *path; path++) {
    if (*path == ' ' || *path == '#' || *path == '\\') pm_buf_puts(out, "\\");
    if (*path == '$') pm_buf_puts(out, "$");
    pm_buf_put(out, path, 1);
  }
}

/* Words that may name something else are left out when there is no such file. */
static void put_file(pm_buf *out, const char *path) {
  struct stat status;
  if (!path || stat(path, &status) != 0 || !S_ISREG(status.st_mode)) return;
  pm_buf_puts(out, " \\\n  ");
  put_path(out, path);
}

static void put_tuned(pm_buf *out, const pm_driver_options *options) {
  char *own = pm_tuned_path(options->program);
  put_file(out, *options->tuned ? options->tuned : own);
  free(own);
}

void pm_put_depfile(pm_buf *out, const char *output, const pm_driver_options *options) {
  const pm_context *ctx = options->ctx;
  put_path(out, output);
  pm_buf_puts(out, ":");
  for (uint16_t i = 0; i < pm_source_count(ctx); i++) put_file(out, pm_source_name(ctx, i));
  if (options->tuned) put_tuned(out, options);
  pm_buf_puts(out, "\n");
}
