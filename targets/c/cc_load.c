/* The emitted C, or the user's, as functions of this process: a shared object of the system's C compiler. */
#include "targets/c/cc.h"
#include "targets/lib/library.h"

#include <stdlib.h>

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
  pm_buf_puts(&report->error, ": this is a bug");
  return PM_OUTCOME_BUG;
}

pm_outcome c_load(const pm_target_output *c, const pm_build_options *options, pm_loaded *loaded,
                  pm_report *report) {
  pm_work_dir dir;
  char *path = NULL;
  *loaded = (pm_loaded){0};
  if (!pm_work_dir_init(&dir, &report->error)) return PM_OUTCOME_REFUSED;
  pm_outcome outcome = pm_compile_c(&dir, c, "so", options, &path, report);
  if (outcome == PM_OUTCOME_OK)
    outcome = (options->source_file ? open_user_program : open_own_program)(path, c->entry.data, options,
                                                                            loaded, report);
  free(path);
  pm_work_dir_free(&dir, options->kept_by);
  return outcome;
}

void c_unload(const pm_loaded *loaded) {
  pm_close_library(loaded);
}
