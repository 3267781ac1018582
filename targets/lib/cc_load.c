/* The emitted C, or the user's, as functions of this process: a shared object of the system's C compiler. */
#include "targets/lib/cc.h"
#include "targets/lib/host.h"
#include "targets/lib/library.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static pm_outcome open_user_program(const char *path, const char *entry, const pm_build_options *options,
                                    pm_loaded *loaded, pm_report *report) {
  pm_buf called = {0};
  pm_buf_printf(&called, "'%s'", options->source_file);
  bool ok = pm_open_library(path, called.data, entry, options->threads, loaded, &report->error);
  pm_buf_free(&called);
  return ok ? PM_OUTCOME_OK : PM_OUTCOME_REFUSED;
}

/* A library that cannot be loaded is a matter of the system; one without its function is our mistake. */
static pm_outcome open_own_program(const char *path, const char *entry, const pm_build_options *options,
                                   pm_loaded *loaded, pm_report *report) {
  if (pm_open_library(path, "what the C compiler made", entry, options->threads, loaded, &report->error))
    return PM_OUTCOME_OK;
  if (!loaded->handle) return PM_OUTCOME_REFUSED;
  if (options->flags) {
    pm_buf_puts(&report->error, ": do the --cflags hide it?");
    return PM_OUTCOME_REFUSED;
  }
  pm_buf_puts(&report->error, ": this is a bug");
  return PM_OUTCOME_BUG;
}

/* Of its own file, which is gone when it is open. */
pm_outcome pm_cc_open(const pm_buf *file, const char *entry, const pm_build_options *options,
                      pm_loaded *loaded, pm_report *report) {
  pm_work_dir dir;
  *loaded = (pm_loaded){0};
  if (!pm_work_dir_init(&dir, options->owns_process, &report->error)) return PM_OUTCOME_REFUSED;
  char *path = pm_work_dir_file(&dir, options->base, "so");
  pm_outcome outcome = PM_OUTCOME_REFUSED;
  if (pm_write_file(path, file->data, file->len))
    outcome =
        (options->source_file ? open_user_program : open_own_program)(path, entry, options, loaded, report);
  else
    pm_buf_printf(&report->error, "cannot write '%s': %s", path, strerror(errno));
  free(path);
  pm_work_dir_free(&dir, NULL);
  return outcome;
}

void pm_cc_close(const pm_loaded *loaded) {
  pm_close_library(loaded);
}

/* The compiler as a file, without asking it; where it looks for headers and libraries; its -march=native. */
void pm_cc_put_versions(const pm_build_options *options, pm_buf *out) {
  static const char *const places[] = {"CPATH", "C_INCLUDE_PATH", "LIBRARY_PATH", "GCC_EXEC_PREFIX",
                                       "COMPILER_PATH"};
  const char *command = options->compiler ? options->compiler : "cc";
  pm_buf program = {0};
  pm_buf_put(&program, command, strcspn(command, " \t"));
  pm_put_program(out, program.data ? program.data : "");
  pm_buf_free(&program);
  for (size_t i = 0; i < PM_COUNT(places); i++) {
    const char *value = getenv(places[i]);
    pm_buf_printf(out, "%s=%s\n", places[i], value ? value : "");
  }
  pm_put_processor(out);
}
