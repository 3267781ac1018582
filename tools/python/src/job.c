#include "tools/python/src/job.h"

#include "targets/lib/work_dir.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* --- sources --- */

struct pm_source {
  int users; /* under the lock of all */
  char *name, *text;
  size_t len;
  pm_options options;
  char **kept; /* every text of the options */
  size_t n_kept;
};

static pthread_mutex_t users_lock = PTHREAD_MUTEX_INITIALIZER;

/* How many there are now. */
static int add_users(int *users, int n) {
  pthread_mutex_lock(&users_lock);
  int left = *users += n;
  pthread_mutex_unlock(&users_lock);
  return left;
}

static char *copy_text(const char *text, size_t len) {
  char *copy = malloc(len + 1);
  if (!copy) return NULL;
  memcpy(copy, text, len);
  copy[len] = 0;
  return copy;
}

/* False: there is no memory. */
static bool keep(pm_source *s, const char **text) {
  if (!*text) return true;
  char *copy = copy_text(*text, strlen(*text));
  *text = copy;
  if (copy) s->kept[s->n_kept++] = copy;
  return copy;
}

static bool keep_list(pm_source *s, const char *const **list, size_t n) {
  const char **copy = calloc(n + 1, sizeof *copy);
  if (!copy) return false;
  s->kept[s->n_kept++] = (char *)copy;
  bool ok = true;
  for (size_t i = 0; ok && i < n; i++) {
    copy[i] = (*list)[i];
    ok = keep(s, &copy[i]);
  }
  *list = copy;
  return ok;
}

static bool keep_named(pm_source *s, const pm_named_option **list, size_t n) {
  pm_named_option *copy = calloc(n + 1, sizeof *copy);
  if (!copy) return false;
  s->kept[s->n_kept++] = (char *)copy;
  bool ok = true;
  for (size_t i = 0; ok && i < n; i++) {
    copy[i] = (*list)[i];
    ok = keep(s, &copy[i].name) && keep(s, &copy[i].text);
  }
  *list = copy;
  return ok;
}

static bool keep_options(pm_source *s) {
  pm_options *o = &s->options;
  const char **words[] = {&o->language, &o->target,   &o->fp,       &o->machine, &o->vector, &o->passes,
                          &o->schedule, &o->parallel, &o->compiler, &o->flags,   &o->cpu,    &o->features};
  enum { WORDS = sizeof words / sizeof *words };
  s->kept = calloc(WORDS + 3 + o->n_estimates + o->n_settings + 2 * o->n_language_options, sizeof *s->kept);
  bool ok = s->kept;
  for (size_t i = 0; ok && i < WORDS; i++) ok = keep(s, words[i]);
  return ok && keep_list(s, &o->estimates, o->n_estimates) && keep_list(s, &o->settings, o->n_settings) &&
         keep_named(s, &o->language_options, o->n_language_options);
}

pm_source *pm_source_new(const char *name, const char *text, size_t len, const pm_options *options) {
  pm_source *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->users = 1;
  s->len = len;
  s->options = *options;
  s->name = copy_text(name, strlen(name));
  s->text = copy_text(text, len);
  if (s->name && s->text && keep_options(s)) return s;
  pm_source_free(s);
  return NULL;
}

void pm_source_free(pm_source *s) {
  if (!s || add_users(&s->users, -1)) return;
  for (size_t i = 0; i < s->n_kept; i++) free(s->kept[i]);
  free(s->kept);
  free(s->name);
  free(s->text);
  free(s);
}

/* --- jobs --- */

struct pm_job {
  int users; /* the owner, and the thread that works on it; under the lock of all */
  pm_source *source;
  pm_job_kind kind;
  pthread_mutex_t lock;
  pthread_cond_t done;
  enum { NOT_BEGUN, RUNNING, DONE } state;
  pid_t process; /* that runs it: a forked child has no such thread */
  pm_processes running;
  pm_done result;
};

pm_job *pm_job_new(pm_source *source, pm_job_kind kind) {
  pthread_condattr_t by;
  pm_job *j = calloc(1, sizeof *j);
  if (!j) return NULL;
  j->users = 1;
  j->source = source;
  (void)add_users(&source->users, 1);
  j->kind = kind;
  pthread_mutex_init(&j->lock, NULL);
  pthread_mutex_init(&j->running.lock, NULL);
  pthread_condattr_init(&by);
  pthread_condattr_setclock(&by, CLOCK_MONOTONIC);
  pthread_cond_init(&j->done, &by);
  pthread_condattr_destroy(&by);
  return j;
}

void pm_job_share(pm_job *j) {
  (void)add_users(&j->users, 1);
}

static void free_result(pm_done *r) {
  for (size_t i = 0; i < r->n_notes; i++) {
    free(r->notes[i].file);
    free(r->notes[i].source);
    free(r->notes[i].text);
    free(r->notes[i].pass);
  }
  free(r->notes);
  free(r->error);
  free(r->reproducer);
  pm_text_free(r->text);
  pm_function_free(r->function);
}

void pm_job_free(pm_job *j) {
  if (!j || add_users(&j->users, -1)) return;
  free_result(&j->result);
  pm_source_free(j->source);
  pthread_cond_destroy(&j->done);
  pthread_mutex_destroy(&j->running.lock);
  pthread_mutex_destroy(&j->lock);
  free(j);
}

static char *copy_or_null(const char *text) {
  return text ? copy_text(text, strlen(text)) : NULL;
}

/* Without memory for it a message is lost; the status is not. */
static void note(void *user, const pm_message *m) {
  pm_done *r = user;
  char *text = copy_or_null(m->text);
  pm_noted *notes = text ? realloc(r->notes, (r->n_notes + 1) * sizeof *notes) : NULL;
  if (notes)
    r->notes = notes;
  else
    free(text);
  if (!notes) return;
  notes[r->n_notes++] = (pm_noted){.kind = m->kind,
                                   .line = m->line,
                                   .column = m->column,
                                   .file = copy_or_null(m->file),
                                   .source = copy_or_null(m->source),
                                   .text = text,
                                   .pass = copy_or_null(m->pass)};
}

static void run(pm_job *j) {
  pm_done *r = &j->result;
  pm_program *program;
  pm_options options = j->source->options;
  options.handler = note;
  options.user = r;
  options.regions = j->kind == PM_JOB_REGIONS;
  options.remarks = j->kind == PM_JOB_TEXT;
  r->status = pm_program_read(j->source->name, j->source->text, j->source->len, &options, &program);
  if (r->status == PM_OK)
    r->status = j->kind == PM_JOB_TEXT ? pm_program_emit(program, &r->text)
                                       : pm_program_compile(program, &r->function);
  r->error = copy_or_null(pm_program_error(program));
  r->reproducer = program ? copy_or_null(pm_program_reproducer(program)) : NULL;
  pm_program_free(program);
}

static void *work(void *user) {
  pm_job *j = user;
  pm_processes_watch(&j->running);
  run(j);
  pthread_mutex_lock(&j->lock);
  j->state = DONE;
  pthread_cond_broadcast(&j->done);
  pthread_mutex_unlock(&j->lock);
  pm_job_free(j);
  return NULL;
}

/* Under the lock. A system that gives no thread is a result, too. */
static void begin(pm_job *j) {
  enum { STACK = 64 << 20 };
  pthread_t thread;
  pthread_attr_t how;
  pthread_attr_init(&how);
  pthread_attr_setstacksize(&how, STACK);
  pthread_attr_setdetachstate(&how, PTHREAD_CREATE_DETACHED);
  (void)add_users(&j->users, 1);
  j->state = RUNNING;
  j->process = getpid();
  j->running.group = 0;
  if (pthread_create(&thread, &how, work, j)) {
    (void)add_users(&j->users, -1);
    j->state = DONE;
    j->result.status = PM_REFUSED;
    j->result.error = copy_or_null("the system gives no thread to compile in");
  }
  pthread_attr_destroy(&how);
}

/* The owner, the thread that works on it, and the caller have it. */
bool pm_job_interrupt(pm_job *j) {
  return add_users(&j->users, 0) <= 3 && pm_processes_end(&j->running);
}

static struct timespec time_in(unsigned milliseconds) {
  struct timespec at = {0};
  (void)clock_gettime(CLOCK_MONOTONIC, &at);
  at.tv_sec += milliseconds / 1000;
  at.tv_nsec += (long)(milliseconds % 1000) * 1000000;
  if (at.tv_nsec >= 1000000000) at.tv_sec++, at.tv_nsec -= 1000000000;
  return at;
}

const pm_done *pm_job_wait(pm_job *j, unsigned milliseconds) {
  struct timespec end = time_in(milliseconds);
  pthread_mutex_lock(&j->lock);
  bool lost = j->state == RUNNING && j->process != getpid();
  if (j->state == NOT_BEGUN || lost) begin(j);
  for (int late = 0; j->state == RUNNING && !late;) late = pthread_cond_timedwait(&j->done, &j->lock, &end);
  bool done = j->state == DONE;
  pthread_mutex_unlock(&j->lock);
  return done ? &j->result : NULL;
}
