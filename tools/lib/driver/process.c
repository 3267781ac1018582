#include "tools/lib/driver/process.h"

#include "ir/diag.h"
#include "ir/fault.h"
#include "ir/text.h"
#include "tools/lib/message.h"

#include <argp.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { HANDLER_STACK = 1 << 16 };

/* The one piece of mutable state that a process has of ours: a handler of signals is told nothing else. */
static struct {
  pm_context *volatile running; /* whose crash hook is to be called, or NULL */
  _Alignas(16) char stack[HANDLER_STACK];
} guard;

typedef struct fatal_signal {
  int number;
  const char *line;
} fatal_signal;

static const fatal_signal fatal_signals[] = {{SIGSEGV, "internal error: segmentation fault\n"},
                                             {SIGBUS, "internal error: bus error\n"},
                                             {SIGFPE, "internal error: arithmetic exception\n"},
                                             {SIGILL, "internal error: illegal instruction\n"},
                                             {SIGABRT, "internal error: aborted\n"}};

/* Only what is safe in a handler of signals. A second crash, in here, is the end. */
static void on_fatal_signal(int number) {
  for (size_t i = 0; i < PM_COUNT(fatal_signals); i++)
    if (fatal_signals[i].number == number &&
        write(STDERR_FILENO, fatal_signals[i].line, strlen(fatal_signals[i].line)) < 0)
      break;
  pm_context *ctx = guard.running;
  guard.running = NULL;
  if (ctx) pm_run_crash_hook(ctx);
  _exit(PM_EXIT_BUG);
}

static bool is_handled(int number) {
  struct sigaction now;
  return sigaction(number, NULL, &now) != 0 || (now.sa_flags & SA_SIGINFO) || now.sa_handler != SIG_DFL;
}

static void catch_fatal_signals(void) {
  struct sigaction action = {.sa_handler = on_fatal_signal, .sa_flags = (int)(SA_ONSTACK | SA_RESETHAND)};
  sigemptyset(&action.sa_mask);
  if (!is_handled(SIGSEGV))
    sigaltstack(&(stack_t){.ss_sp = guard.stack, .ss_size = sizeof guard.stack}, NULL);
  for (size_t i = 0; i < PM_COUNT(fatal_signals); i++)
    if (!is_handled(fatal_signals[i].number)) sigaction(fatal_signals[i].number, &action, NULL);
}

static void dump_op(const pm_op *op) {
  pm_buf text = {0};
  pm_print_op(&text, op, (pm_print_options){.generic = true});
  if (text.len) fwrite(text.data, 1, text.len, stderr);
  if (text.len && text.data[text.len - 1] != '\n') fputc('\n', stderr);
  pm_buf_free(&text);
}

/* Without an op there is no context at hand: what handles fatal signals has one. */
static void on_fault(const pm_fault *fault) {
  if (fault->kind == PM_FAULT_MEMORY) {
    fputs("pm: error: out of memory\n", stderr);
    exit(PM_EXIT_BUG);
  }
  fprintf(stderr, "internal error: %s\n", fault->message);
  if (!fault->op) abort();
  pm_run_crash_hook(pm_op_context(fault->op));
  fprintf(stderr, "at op %" PRIu32 " (--stop-at-op):\n", fault->op->serial);
  dump_op(fault->op);
  exit(PM_EXIT_BUG);
}

/* --- the time of a pass --- */

/* Only what is safe in a handler of signals. */
static void on_timeout(int number) {
  static const char line[] = "error: a pass takes longer than --pass-timeout says\n";
  (void)number;
  if (write(STDERR_FILENO, line, sizeof line - 1) < 0) _exit(PM_EXIT_BUG);
  pm_context *ctx = guard.running;
  guard.running = NULL;
  if (ctx) pm_run_crash_hook(ctx);
  _exit(PM_EXIT_BUG);
}

/* What the process computes from now on, or nothing any more. */
static void set_timer(void *user, bool begins) {
  const double *seconds = user;
  struct itimerval timer = {.it_value = {.tv_sec = 0}};
  if (begins) timer.it_value.tv_sec = (time_t)*seconds;
  if (begins) timer.it_value.tv_usec = (suseconds_t)(1e6 * (*seconds - (double)timer.it_value.tv_sec));
  setitimer(ITIMER_PROF, &timer, NULL);
}

void pm_limit_passes(pm_run_config *config, const double *seconds) {
  struct sigaction action = {.sa_handler = on_timeout, .sa_flags = (int)SA_ONSTACK};
  if (*seconds <= 0) return;
  sigemptyset(&action.sa_mask);
  sigaction(SIGPROF, &action, NULL);
  config->watch = set_timer;
  config->watch_user = (void *)(uintptr_t)seconds;
}

bool pm_read_timeout(const char *text, double *seconds) {
  char *end;
  *seconds = strtod(text, &end);
  return end != text && !*end && *seconds >= 1e-3 && *seconds <= 1e6;
}

void pm_tool_begin(void) {
  pm_set_fault_handler(on_fault);
  argp_err_exit_status = PM_EXIT_USAGE;
  argp_program_version = "pm " PM_VERSION;
  signal(SIGXFSZ, SIG_IGN);
  setenv("KMP_BLOCKTIME", "1", 0);
  catch_fatal_signals();
}

double pm_processor_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double pm_clock_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double seconds_of(struct timeval time) {
  return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

double pm_children_seconds(void) {
  struct rusage usage;
  getrusage(RUSAGE_CHILDREN, &usage);
  return seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
}

char *pm_temporary_path(const char *fmt, ...) {
  const char *directory = getenv("TMPDIR");
  pm_buf path = {0};
  va_list args;
  pm_buf_printf(&path, "%s/", directory && *directory ? directory : "/tmp");
  va_start(args, fmt);
  pm_vformat(&path, fmt, args);
  va_end(args);
  return pm_buf_take(&path);
}

/* What is wanted of a run that may crash. */
static pm_run_config guarded(const char *path, pm_context *ctx, const pm_run_config *config) {
  pm_run_config wanted = *config;
  wanted.crash_reproducer = path;
  guard.running = ctx;
  return wanted;
}

bool pm_run_guarded(const char *tool, pm_pass_manager *passes, pm_module *module,
                    const pm_run_config *config) {
  char *path = pm_temporary_path("%s-crash-%ld.pmir", tool, (long)getpid());
  pm_run_config wanted = guarded(path, pm_module_context(module), config);
  bool ok = pm_run_passes(passes, module, &wanted);
  guard.running = NULL;
  free(path);
  return ok;
}

bool pm_run_text_guarded(const char *tool, pm_module *module, const char *text, const pm_choices *choices,
                         const pm_run_config *config) {
  char *path = pm_temporary_path("%s-crash-%ld.pmir", tool, (long)getpid());
  pm_run_config wanted = guarded(path, pm_module_context(module), config);
  bool ok = pm_run_text(module, text, choices, &wanted);
  guard.running = NULL;
  free(path);
  return ok;
}
