/* The process that makes what pm_make_apart asks for, and how it is asked. */
#include "ir/fault.h"
#include "ir/text.h"
#include "pm/compile.h"
#include "pm/make.h"
#include "targets/lib/host.h"
#include "targets/lib/work_dir.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- what goes to the child, and comes back: a head and texts --- */

enum { TARGET, EXTENSION, COMPILER, FLAGS, CPU, FEATURES, FP, MODULE, REQUEST_TEXTS };

/* Both processes are of one build. */
typedef struct request_head {
  size_t memory;
  bool exact_memory;
  int threads;
} request_head;

typedef struct answer_head {
  bool is_ready, emitted;
  pm_outcome outcome;
} answer_head;

static void put_text(pm_buf *out, const char *text, size_t len) {
  bool there = text != NULL;
  pm_buf_put(out, (const char *)&there, sizeof there);
  pm_buf_put(out, (const char *)&len, sizeof len);
  pm_buf_put(out, text, len);
}

typedef struct reader {
  const char *at;
  size_t left;
} reader;

static bool take(reader *from, void *to, size_t len) {
  if (from->left < len) return false;
  memcpy(to, from->at, len);
  from->at += len;
  from->left -= len;
  return true;
}

/* `text` gets no data where there was NULL. */
static bool take_text(reader *from, pm_buf *text) {
  bool there;
  size_t len;
  if (!take(from, &there, sizeof there) || !take(from, &len, sizeof len) || from->left < len) return false;
  if (there) pm_buf_put(text, from->at, len);
  from->at += len;
  from->left -= len;
  return true;
}

/* --- in the child --- */

typedef struct child {
  const char *folder;
  pm_buf answer;
} child;

/* What cannot be said in an answer; the other process reads it. */
static void tell(const char *text) {
  (void)fprintf(stderr, "%s\n", text);
}

static char *file_of(const char *folder, const char *extension) {
  pm_buf path = {0};
  pm_buf_printf(&path, "%s/pipeline.%s", folder, extension);
  return pm_buf_take(&path);
}

static void note_diagnostic(void *user, pm_context *ctx, const pm_diag *diag) {
  pm_buf *error = user;
  (void)ctx;
  if (diag->severity == PM_ERROR && !error->len) pm_buf_puts(error, diag->message);
}

static void put_answer(const pm_made *made, pm_buf *answer) {
  answer_head head;
  memset(&head, 0, sizeof head);
  head.is_ready = made->is_ready;
  head.emitted = made->emitted;
  head.outcome = made->outcome;
  pm_buf_put(answer, (const char *)&head, sizeof head);
  for (size_t i = 0; i < PM_MADE_TEXTS; i++) put_text(answer, made->texts[i].data, made->texts[i].len);
}

static void make_answer(const request_head *head, const pm_buf *texts, pm_buf *answer) {
  pm_context *ctx = pm_library_context();
  pm_made made = {0};
  pm_make_request request = {.target = pm_find_target(ctx, texts[TARGET].data),
                             .extension = texts[EXTENSION].data,
                             .options = {.base = "pipeline",
                                         .compiler = texts[COMPILER].data,
                                         .flags = texts[FLAGS].data,
                                         .cpu = texts[CPU].data,
                                         .features = texts[FEATURES].data,
                                         .fp = texts[FP].data,
                                         .threads = head->threads}};
  pm_set_diag_handler(ctx, note_diagnostic, &made.texts[PM_MADE_ERROR]);
  if (request.target && request.target->enter_child) request.target->enter_child();
  request.module = pm_parse_module(ctx, "pipeline", texts[MODULE].data, texts[MODULE].len, false);
  if (request.target && request.module) pm_make(&request, &made);
  put_answer(&made, answer);
}

static void do_work(void *user) {
  child *c = user;
  char *path = file_of(c->folder, "request");
  pm_buf texts[REQUEST_TEXTS] = {{0}};
  request_head head;
  size_t len = 0;
  char *bytes = pm_read_file(path, PM_MAX_TEXT, &len);
  reader from = {bytes, len};
  bool ok = bytes && take(&from, &head, sizeof head);
  for (size_t i = 0; i < REQUEST_TEXTS; i++) ok = ok && take_text(&from, &texts[i]);
  if (ok) make_answer(&head, texts, &c->answer);
  if (!ok) tell("there is nothing to do: this program is for the library alone");
}

static void end_by_fault(const pm_fault *fault) {
  tell(fault->message);
  _exit(fault->kind == PM_FAULT_MEMORY ? PM_CHILD_WITHOUT_MEMORY : PM_CHILD_BUG);
}

/* The limit is read first, with memory of the process. */
static pm_heap *heap_of(const char *folder) {
  request_head head = {0};
  char *path = file_of(folder, "request");
  FILE *file = fopen(path, "rbe");
  if (file) {
    if (fread(&head, sizeof head, 1, file) != 1) head = (request_head){0};
    fclose(file);
  }
  free(path);
  pm_heap *heap = pm_heap_new(head.memory, head.exact_memory);
  if (!heap) pm_out_of_memory();
  return heap;
}

/* Whose answer is gone with the heap. */
static void write_answer(void *user) {
  child *c = user;
  do_work(c);
  char *path = file_of(c->folder, "answer");
  if (!c->answer.len) _exit(PM_CHILD_BUG);
  if (pm_write_file(path, c->answer.data, c->answer.len)) _exit(EXIT_SUCCESS);
  (void)fprintf(stderr, "cannot write '%s': %s\n", path, strerror(errno));
  _exit(EXIT_FAILURE);
}

int pm_child_main(int argc, char **argv) {
  pm_fault fault;
  child c = {.folder = argc == 2 ? argv[1] : ""};
  (void)signal(SIGCHLD, SIG_DFL); /* the process that runs this may ignore it */
  pm_set_fault_handler(end_by_fault);
  if (!pm_protect(heap_of(c.folder), write_answer, NULL, &c, &fault)) end_by_fault(&fault);
  return PM_CHILD_BUG;
}

/* --- in the process that asks --- */

static void put_request(const pm_make_request *r, pm_buf *out) {
  const pm_build_options *o = &r->options;
  const char *texts[MODULE] = {r->target->name, r->extension, o->compiler, o->flags,
                               o->cpu,          o->features,  o->fp};
  request_head head;
  pm_buf module = {0};
  memset(&head, 0, sizeof head);
  head.memory = r->memory;
  head.exact_memory = r->exact_memory;
  head.threads = o->threads;
  pm_buf_put(out, (const char *)&head, sizeof head);
  for (size_t i = 0; i < MODULE; i++) put_text(out, texts[i], texts[i] ? strlen(texts[i]) : 0);
  pm_print_module(&module, r->module, (pm_print_options){.locs = o->flags != NULL});
  put_text(out, module.data, module.len);
  pm_buf_free(&module);
}

static bool write_request(const pm_make_request *r, const pm_work_dir *dir, pm_buf *error) {
  char *path = pm_work_dir_file(dir, "pipeline", "request");
  pm_buf request = {0};
  put_request(r, &request);
  bool ok = pm_write_file(path, request.data, request.len) ||
            pm_failf(error, "cannot write '%s': %s", path, strerror(errno));
  pm_buf_free(&request);
  free(path);
  return ok;
}

/* False: it is not whole. */
static bool read_answer(const pm_work_dir *dir, pm_made *made) {
  char *path = pm_work_dir_file(dir, "pipeline", "answer");
  answer_head head;
  size_t len = 0;
  char *bytes = pm_read_file(path, PM_MAX_TEXT, &len);
  reader from = {bytes, len};
  bool ok = bytes && take(&from, &head, sizeof head);
  if (ok) made->is_ready = head.is_ready, made->emitted = head.emitted, made->outcome = head.outcome;
  for (size_t i = 0; i < PM_MADE_TEXTS; i++) ok = ok && take_text(&from, &made->texts[i]);
  free(bytes);
  free(path);
  return ok;
}

/* It runs out of memory by its own word, by that of the system's libraries, or because the system has chosen
 * whom to end. 127: the dynamic linker does not start it. */
static pm_status status_of(int status, const char *said) {
  if (status == PM_CHILD_WITHOUT_MEMORY || status == 128 + SIGKILL || pm_tells_of_memory(said))
    return PM_NO_MEMORY;
  return status == EXIT_FAILURE || status == 127 ? PM_REFUSED : PM_BUG;
}

static pm_status ended_early(int status, const char *log, pm_buf *error) {
  size_t len = 0;
  char *said = pm_read_file(log, PM_MAX_TEXT, &len);
  pm_failf(error, "a child process has ended early%s%.*s", said && *said ? ": " : "",
           said ? (int)strcspn(said, "\n") : 0, said ? said : "");
  pm_status result = status_of(status, said ? said : "");
  free(said);
  return result;
}

/* Where this process ignores SIGCHLD there is no status: the answer says enough. */
static pm_status run_child(const pm_work_dir *dir, const char *program, pm_made *made, pm_buf *error) {
  char *log = pm_work_dir_file(dir, "pipeline", "log");
  int status = 0;
  int why = pm_spawn(dir, (char *const[]){(char *)program, dir->path, NULL}, log, &status);
  bool ended = !why || why == ECHILD || status == 127;
  pm_status result = PM_REFUSED;
  if (ended && status == 0 && read_answer(dir, made))
    result = PM_OK;
  else if (ended && why != ECHILD)
    result = ended_early(status, log, error);
  else
    pm_failf(error, "cannot run '%s': %s", program, strerror(why));
  free(log);
  return result;
}

pm_status pm_make_apart(const pm_make_request *request, pm_made *made, pm_buf *error) {
  pm_work_dir dir;
  if (!pm_work_dir_init(&dir, false, error)) return PM_REFUSED;
  char *program = pm_beside_library("pm/pm-child", "pm-child");
  pm_status status = write_request(request, &dir, error) ? run_child(&dir, program, made, error) : PM_REFUSED;
  free(program);
  pm_work_dir_free(&dir, NULL);
  return status;
}
