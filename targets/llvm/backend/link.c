/* Shared objects and archives of an object file, by the system's binutils. */
#include "targets/llvm/backend/backend.h"
#include "targets/lib/work_dir.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool ll_is_linked(const char *extension) {
  return strcmp(extension, "so") == 0 || strcmp(extension, "a") == 0;
}

/* Libraries by their own names: those without versions are of development packages. */
static int link_shared(const pm_work_dir *dir, const char *object, const char *made, const char *log,
                       int *status) {
  char *const argv[] = {"ld",
                        "-shared",
                        "-z",
                        "noexecstack",
                        "-o",
                        (char *)made,
                        (char *)object,
                        "--as-needed",
                        "-l:libm.so.6",
                        "-l:libmvec.so.1",
                        "-l:libgomp.so.1",
                        "-l:libpthread.so.0",
                        "-l:libc.so.6",
                        NULL};
  return pm_spawn(dir, argv, log, status);
}

static int archive(const pm_work_dir *dir, const char *object, const char *made, const char *log,
                   int *status) {
  char *const argv[] = {"ar", "rcsD", (char *)made, (char *)object, NULL};
  return pm_spawn(dir, argv, log, status);
}

static bool read_made(const char *path, pm_buf *file, pm_buf *error) {
  size_t len = 0;
  char *bytes = pm_read_file(path, PM_MAX_TEXT, &len);
  if (!bytes) {
    pm_buf_printf(error, "cannot open '%s': %s", path, strerror(errno));
    return false;
  }
  *file = (pm_buf){.data = bytes, .len = len};
  return true;
}

static void put_log(const char *path, pm_buf *log) {
  size_t len;
  char *text = pm_read_file(path, PM_MAX_TEXT, &len);
  if (text) pm_buf_puts(log, text);
  free(text);
}

static bool run(const pm_work_dir *dir, const char *object, const char *made, const char *log, bool shared,
                pm_report *report) {
  int status = 0, why = (shared ? link_shared : archive)(dir, object, made, log, &status);
  const char *program = shared ? "ld" : "ar";
  if (!why && !status) return true;
  if (pm_work_dir_interrupted(dir)) return false;
  put_log(log, &report->log);
  if (why)
    pm_buf_printf(&report->error, "cannot run '%s', of binutils: %s", program, strerror(why));
  else
    pm_buf_printf(&report->error, "'%s', of binutils, fails for the program's object file", program);
  return false;
}

bool ll_link(const pm_buf *object, const char *extension, const pm_build_options *options, pm_buf *file,
             pm_report *report) {
  pm_work_dir dir;
  bool shared = strcmp(extension, "so") == 0;
  if (shared && options->triple) {
    pm_buf_printf(&report->error, "a shared object is linked for this computer: --triple is for .o and .a");
    return false;
  }
  if (!pm_work_dir_init(&dir, options->owns_process, &report->error)) return false;
  char *in = pm_work_dir_file(&dir, options->base, "o"),
       *made = pm_work_dir_file(&dir, options->base, extension),
       *log = pm_work_dir_file(&dir, options->base, "log");
  bool ok = pm_write_file(in, object->data, object->len);
  if (!ok) pm_buf_printf(&report->error, "cannot write '%s': %s", in, strerror(errno));
  ok = ok && run(&dir, in, made, log, shared, report) && read_made(made, file, &report->error);
  free(in);
  free(made);
  free(log);
  pm_work_dir_free(&dir, NULL);
  return ok;
}
