#include "tools/lib/driver/dumps.h"

#include "ir/diag.h"
#include "ir/text.h"
#include "tools/lib/diff.h"
#include "tools/lib/page/dump_page.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct pm_dumps {
  const char *folder;
  pm_buf *diffs;
  pm_buf before; /* the text of the module before the run */
  pm_print_options print;
  FILE *index;
};

/* --- files --- */

static bool cannot(const pm_pass_run *run, const char *what, const char *path) {
  return pm_error(pm_module_context(run->module), PM_NO_LOC, "cannot %s '%s': %s", what, path,
                  strerror(errno));
}

static bool make_folders(const pm_pass_run *run, const char *path) {
  char *part = pm_xstrdup(path);
  bool ok = *path;
  errno = ENOENT;
  for (char *c = part + 1; ok && c[-1]; c++) {
    char held = *c;
    if (held && held != '/') continue;
    *c = 0;
    ok = mkdir(part, 0777) == 0 || errno == EEXIST;
    *c = held;
  }
  free(part);
  return ok || cannot(run, "make directory", path);
}

static char *path_in(const pm_dumps *d, const char *name) {
  pm_buf path = {0};
  pm_buf_printf(&path, "%s/%s", d->folder, name);
  return pm_buf_take(&path);
}

static bool write_ir(const pm_dumps *d, const pm_pass_run *run, const char *name, const pm_buf *text) {
  char *path = path_in(d, name);
  bool ok = pm_write_file(path, text->data, text->len) || cannot(run, "write", path);
  free(path);
  return ok;
}

/* --- index.html --- */

static bool append(pm_dumps *d, const pm_buf *text) {
  return fwrite(text->data, 1, text->len, d->index) == text->len && fflush(d->index) == 0;
}

static bool begin_index(pm_dumps *d, const pm_pass_run *run) {
  char *path = path_in(d, "index.html");
  pm_buf head = {0};
  d->index = fopen(path, "w");
  pm_put_dump_head(&head);
  bool ok = (d->index && append(d, &head)) || cannot(run, "write", path);
  pm_buf_free(&head);
  free(path);
  return ok;
}

/* `text` is NULL after a failure, which leaves no file. */
static bool add_row(pm_dumps *d, const pm_pass_run *run, const char *name, const pm_buf *text) {
  pm_buf row = {0};
  pm_str before = {d->before.data, d->before.len}, after = text ? (pm_str){text->data, text->len} : before;
  pm_put_dump_row(&row, run, text ? name : NULL, run->pass ? before : after, after);
  bool ok = append(d, &row) || cannot(run, "write", "index.html");
  pm_buf_free(&row);
  return ok;
}

static bool write_files(pm_dumps *d, const pm_pass_run *run, const pm_buf *text) {
  pm_buf name = {0};
  pm_buf_printf(&name, "%03" PRId64 "-%s.pmir", run->number, run->pass ? run->pass->name : "input");
  bool ok = run->pass || (make_folders(run, d->folder) && begin_index(d, run));
  ok = ok && (!text || write_ir(d, run, name.data, text)) && add_row(d, run, name.data, text);
  pm_buf_free(&name);
  return ok;
}

/* --- diffs --- */

static void put_line(void *user, char kind, pm_str line) {
  pm_buf *out = user;
  if (kind != '@') pm_buf_putc(out, kind);
  pm_buf_put(out, line.ptr, line.len);
  pm_buf_putc(out, '\n');
}

static void put_diff(pm_dumps *d, const pm_pass_run *run, const pm_buf *text) {
  if (!run->pass || run->result != PM_CHANGED) return;
  pm_format(d->diffs, "// IR changed by '%s' on %pO\n", run->pass->name, (const void *)run->root);
  pm_diff((pm_str){d->before.data, d->before.len}, (pm_str){text->data, text->len}, put_line, d->diffs);
}

/* --- runs --- */

static bool note_run(void *user, const pm_pass_run *run) {
  pm_dumps *d = user;
  pm_buf text = {0};
  bool failed = run->result == PM_FAILED;
  if (!failed) pm_print_module(&text, run->module, d->print);
  if (d->diffs && !failed) put_diff(d, run, &text);
  bool ok = !d->folder || write_files(d, run, failed ? NULL : &text);
  pm_buf_free(&d->before);
  d->before = text;
  return ok;
}

pm_dumps *pm_dumps_new(const char *folder, pm_buf *diffs, pm_run_config *config) {
  if (!folder && !diffs) return NULL;
  pm_dumps *d = pm_xcalloc(1, sizeof *d);
  d->folder = folder;
  d->diffs = diffs;
  d->print = config->print;
  config->after_run = note_run;
  config->after_run_user = d;
  return d;
}

void pm_dumps_free(pm_dumps *d) {
  pm_buf end = {0};
  if (!d) return;
  pm_put_dump_end(&end);
  if (d->index) fwrite(end.data, 1, end.len, d->index);
  if (d->index) fclose(d->index);
  pm_buf_free(&end);
  pm_buf_free(&d->before);
  free(d);
}
