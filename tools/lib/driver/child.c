#include "tools/lib/driver/child.h"

#include "tools/lib/driver/hooks.h"
#include "tools/lib/driver/process.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Handlers of signals are told nothing else. */
static volatile sig_atomic_t stop;

static const int stops[] = {SIGINT, SIGTERM, SIGHUP};

static void ask_to_stop(int number) {
  stop = number;
}

static void set_handler(void (*handler)(int)) {
  struct sigaction action = {.sa_handler = handler};
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < PM_COUNT(stops); i++) sigaction(stops[i], &action, NULL);
}

void pm_catch_stops(void) {
  set_handler(ask_to_stop);
}

int pm_stop_asked(void) {
  return stop;
}

/* --- in the child --- */

/* Its group has the programs that it runs; it ends by itself where the caller cannot end it. */
PM_NORETURN static void be_child(pm_child_work *work, void *user, double seconds, int answers, int log) {
  pm_buf answer = {0};
  setpgid(0, 0);
  set_handler(SIG_DFL);
  alarm((unsigned)fmin(2 * seconds + 10, 1e6));
  dup2(log, STDERR_FILENO);
  dup2(log, STDOUT_FILENO);
  work(user, &answer);
  fflush(NULL);
  _exit(pm_write_fd(answers, answer.data, answer.len) ? 0 : 1);
}

/* --- in the caller --- */

/* False at the end. */
static bool read_some(int from, pm_buf *out) {
  char data[1 << 16];
  ssize_t n = read(from, data, sizeof data);
  if (n > 0) pm_buf_put(out, data, (size_t)n);
  return n > 0 || (n < 0 && errno == EINTR);
}

/* The answer, until it ends; what else ended the wait. */
static pm_child_end wait_for_answer(int answers, double end, pm_buf *answer) {
  for (;;) {
    double left = end - pm_clock_seconds();
    if (stop) return PM_CHILD_STOPPED;
    if (left <= 0) return PM_CHILD_LATE;
    struct pollfd from = {.fd = answers, .events = POLLIN};
    int ready = poll(&from, 1, (int)fmin(1e3 * left + 1, 1000));
    if (ready > 0 && !read_some(answers, answer)) return PM_CHILD_DONE;
  }
}

/* With the programs that it runs, which get a second to clean up. */
static void stop_child(pid_t child, int *status) {
  double end = pm_clock_seconds() + 1;
  kill(-child, SIGTERM);
  while (waitpid(child, status, WNOHANG) == 0) {
    if (pm_clock_seconds() > end) kill(-child, SIGKILL);
    poll(NULL, 0, 5);
  }
}

static void read_log(FILE *log, pm_buf *out) {
  if (fseek(log, 0, SEEK_SET) != 0) return;
  while (read_some(fileno(log), out)) continue;
}

/* Both ends are for us and the child, not for programs that it runs. */
static bool open_pipe(int ends[2]) {
  if (pipe(ends) != 0) return false;
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  fcntl(ends[1], F_SETFD, FD_CLOEXEC);
  return true;
}

static void attend(pm_child *child, pm_child_result *result) {
  result->end = wait_for_answer(child->answers, child->end, &result->answer);
  if (result->end == PM_CHILD_DONE)
    while (waitpid(child->process, &result->status, 0) < 0 && errno == EINTR) continue;
  else
    stop_child(child->process, &result->status);
  bool good = WIFEXITED(result->status) && WEXITSTATUS(result->status) == 0 && result->answer.len;
  if (result->end == PM_CHILD_DONE && !good) result->end = PM_CHILD_CRASHED;
}

static void start(pm_child *child, pm_child_work *work, void *user, double seconds) {
  int ends[2];
  if (!open_pipe(ends)) return;
  fflush(NULL);
  pid_t process = fork();
  if (process == 0) be_child(work, user, seconds, ends[1], fileno(child->log));
  close(ends[1]);
  if (process < 0) {
    close(ends[0]);
    return;
  }
  setpgid(process, process);
  child->process = process;
  child->answers = ends[0];
  child->end = pm_clock_seconds() + seconds;
}

pm_child pm_begin_child(const char *tool, pm_child_work *work, void *user, double seconds) {
  pm_child child = {.tool = tool, .log = tmpfile()};
  if (child.log) start(&child, work, user, seconds);
  return child;
}

pm_child_result pm_end_child(pm_child *child) {
  pm_child_result result = {.end = PM_CHILD_FAILED};
  if (child->process) {
    attend(child, &result);
    read_log(child->log, &result.log);
    close(child->answers);
  } else {
    pm_buf_printf(&result.log, "%s: error: cannot make a process: %s\n", child->tool, strerror(errno));
  }
  if (child->log) fclose(child->log);
  *child = (pm_child){0};
  return result;
}

void pm_cancel_child(pm_child *child) {
  child->end = 0;
  pm_child_result result = pm_end_child(child);
  pm_child_result_free(&result);
}

pm_child_result pm_run_child(const char *tool, pm_child_work *work, void *user, double seconds) {
  pm_child child = pm_begin_child(tool, work, user, seconds);
  return pm_end_child(&child);
}

void pm_child_result_free(pm_child_result *result) {
  pm_buf_free(&result->answer);
  pm_buf_free(&result->log);
}
