#include "pm/session.h"

#include "ir/fault.h"
#include "ir/text.h"
#include "pm/compile.h"
#include "pm/messages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pm_session {
  pm_options options; /* the handler and numbers; texts are read when it opens */
  pm_heap *heap;      /* all below is in it */
  pm_context *ctx;    /* NULL: the session has ended */
  const pm_frontend *frontend;
  pm_frontend_values values;
  void *own; /* the frontend's */
  pm_status ended;
  char error[480];
};

/* A call, for the boundary. */
typedef struct job {
  pm_session *s;
  const char *language;
  pm_loc loc;
  const char *name, *text;
  size_t n;
  const pm_host_value *first, *second;
  const pm_host_argument *args;
  pm_host_value *result;
  unsigned file;
  char *pmir;
  bool ok;
} job;

static void at_fault(void *user, const pm_fault *fault) {
  pm_session *s = ((job *)user)->s;
  (void)snprintf(s->error, sizeof s->error, "%s", fault->message);
}

static pm_status end(pm_session *s, pm_status status) {
  s->ctx = NULL;
  s->own = NULL;
  pm_heap_free(s->heap);
  s->heap = NULL;
  return s->ended = status;
}

static pm_status run(job *j, void (*body)(void *job)) {
  pm_session *s = j->s;
  pm_fault fault;
  if (!s->heap) return s->ended;
  if (pm_protect(s->heap, body, at_fault, j, &fault)) return j->ok ? PM_OK : PM_DIAGNOSED;
  return end(s, fault.kind == PM_FAULT_MEMORY ? PM_NO_MEMORY : PM_BUG);
}

static pm_loc loc_of(pm_place place) {
  enum { MOST = UINT16_MAX };
  return (pm_loc){.file = (uint16_t)(place.file <= MOST ? place.file : 0),
                  .line = place.line,
                  .col = (uint16_t)(place.column <= MOST ? place.column : 0)};
}

/* --- the beginning and the end --- */

static void on_diagnostic(void *user, pm_context *ctx, const pm_diag *diag) {
  const pm_session *s = user;
  pm_tell_diagnostic(&s->options, ctx, diag);
}

static bool choose_language(job *j, pm_buf *error) {
  pm_session *s = j->s;
  s->frontend = pm_find_frontend(s->ctx, j->language);
  if (!s->frontend) return pm_failf(error, "there is no language '%s'", j->language);
  if (!s->frontend->session) return pm_failf(error, "programs in '%s' are not made by calls", j->language);
  for (size_t i = 0; i < s->options.n_language_options; i++)
    PM_VEC_PUSH(s->values.given, ((pm_given_option){s->options.language_options[i].name,
                                                    s->options.language_options[i].text}));
  return pm_frontend_values_read(&s->values, s->frontend, error);
}

static void open_job(void *user) {
  job *j = user;
  pm_session *s = j->s;
  pm_buf error = {0};
  s->ctx = pm_library_context();
  pm_set_diag_handler(s->ctx, on_diagnostic, s);
  pm_enable_remarks(s->ctx, s->options.remarks);
  pm_set_max_errors(s->ctx, 0);
  j->ok = choose_language(j, &error);
  if (j->ok)
    s->own = s->frontend->session->open(s->ctx, &(pm_frontend_input){.file = j->language,
                                                                     .text = "",
                                                                     .fp = s->options.fp,
                                                                     .values = s->values.values.data,
                                                                     .n_values = s->values.values.len});
  else
    pm_error(s->ctx, PM_NO_LOC, "%s", error.data);
  pm_buf_free(&error);
}

static void close_job(void *user) {
  job *j = user;
  pm_session *s = j->s;
  if (s->own) s->frontend->session->close(s->own);
  pm_frontend_values_free(&s->values);
  pm_context_free(s->ctx);
}

/* What the session has is given back piece by piece, so that tools see what is lost. */
static pm_status finish_all(pm_session *s, pm_status status) {
  if (s->heap && s->ctx) (void)run(&(job){.s = s}, close_job);
  return end(s, status);
}

pm_status pm_session_open(const char *language, const pm_options *options, pm_session **session) {
  pm_session *s = *session = calloc(1, sizeof *s);
  if (!s) return PM_NO_MEMORY;
  if (options) s->options = *options;
  s->heap = pm_heap_new(s->options.memory, s->options.exact_memory);
  if (!s->heap) return end(s, PM_NO_MEMORY);
  pm_status status = run(&(job){.s = s, .language = language}, open_job);
  return status == PM_DIAGNOSED ? finish_all(s, status) : status;
}

void pm_session_free(pm_session *s) {
  if (!s) return;
  (void)finish_all(s, PM_OK);
  free(s);
}

const char *pm_session_error(const pm_session *s) {
  return s ? s->error : "out of memory";
}

/* --- statements --- */

static void file_job(void *user) {
  job *j = user;
  j->file = pm_add_source(j->s->ctx, j->name, j->text, j->n);
  j->ok = true;
}

pm_status pm_session_file(pm_session *s, const char *name, const char *text, size_t len, unsigned *file) {
  job j = {.s = s, .name = name, .text = text, .n = len};
  pm_status status = run(&j, file_job);
  *file = j.file;
  return status;
}

static void find_job(void *user) {
  job *j = user;
  j->ok = j->s->frontend->session->find(j->s->own, j->loc, j->name, j->result);
}

pm_status pm_session_find(pm_session *s, pm_place place, const char *name, pm_host_value *result) {
  return run(&(job){.s = s, .loc = loc_of(place), .name = name, .result = result}, find_job);
}

static void call_job(void *user) {
  job *j = user;
  j->ok = j->s->frontend->session->call(j->s->own, j->loc, j->first, j->args, j->n, j->result);
}

pm_status pm_session_call(pm_session *s, pm_place place, const pm_host_value *callee,
                          const pm_host_argument *args, size_t n, pm_host_value *result) {
  return run(&(job){.s = s, .loc = loc_of(place), .first = callee, .args = args, .n = n, .result = result},
             call_job);
}

static void apply_job(void *user) {
  job *j = user;
  j->ok = j->s->frontend->session->apply(j->s->own, j->loc, j->name, j->first, j->n, j->result);
}

pm_status pm_session_apply(pm_session *s, pm_place place, const char *operation,
                           const pm_host_value *operands, size_t n, pm_host_value *result) {
  return run(
      &(job){.s = s, .loc = loc_of(place), .name = operation, .first = operands, .n = n, .result = result},
      apply_job);
}

static void set_job(void *user) {
  job *j = user;
  j->ok = j->s->frontend->session->set(j->s->own, j->loc, j->first, j->name, j->second);
}

pm_status pm_session_set(pm_session *s, pm_place place, const pm_host_value *object, const char *name,
                         const pm_host_value *value) {
  return run(&(job){.s = s, .loc = loc_of(place), .first = object, .name = name, .second = value}, set_job);
}

static void name_job(void *user) {
  job *j = user;
  j->s->frontend->session->name(j->s->own, j->first, j->name);
  j->ok = true;
}

pm_status pm_session_name(pm_session *s, const pm_host_value *item, const char *name) {
  return run(&(job){.s = s, .first = item, .name = name}, name_job);
}

static void finish_job(void *user) {
  job *j = user;
  pm_module *module = j->s->frontend->session->finish(j->s->own, j->loc, j->first, j->name);
  pm_buf text = {0};
  if (!module) return;
  pm_print_module(&text, module, (pm_print_options){.locs = true});
  pm_module_free(module);
  pm_heap *left = pm_heap_leave();
  j->pmir = malloc(text.len + 1);
  pm_heap_return(left);
  if (!j->pmir) pm_out_of_memory();
  memcpy(j->pmir, text.data, text.len);
  j->pmir[text.len] = 0;
  pm_buf_free(&text);
  j->ok = true;
}

pm_status pm_session_finish(pm_session *s, pm_place place, const pm_host_value *outputs, const char *name,
                            char **pmir) {
  job j = {.s = s, .loc = loc_of(place), .first = outputs, .name = name};
  pm_status status = run(&j, finish_job);
  *pmir = j.pmir;
  return finish_all(s, status);
}
