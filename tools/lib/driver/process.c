#include "tools/lib/driver/process.h"

#include "tools/lib/message.h"

#include <argp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
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

void pm_tool_begin(void) {
  argp_err_exit_status = PM_EXIT_USAGE;
  argp_program_version = "pm " PM_VERSION;
  signal(SIGXFSZ, SIG_IGN);
  catch_fatal_signals();
}

double pm_processor_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
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

static char *crash_path(const char *tool) {
  const char *directory = getenv("TMPDIR");
  pm_buf path = {0};
  pm_buf_printf(&path, "%s/%s-crash-%ld.pmir", directory && *directory ? directory : "/tmp", tool,
                (long)getpid());
  return pm_buf_take(&path);
}

bool pm_run_guarded(const char *tool, pm_pass_manager *passes, pm_module *module,
                    const pm_run_config *config) {
  pm_run_config guarded = *config;
  char *path = crash_path(tool);
  guarded.crash_reproducer = path;
  guard.running = pm_module_context(module);
  bool ok = pm_run_passes(passes, module, &guarded);
  guard.running = NULL;
  free(path);
  return ok;
}
