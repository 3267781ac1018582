#include "tools/lib/semantics/command.h"

#include "ir/text.h"
#include "tools/lib/driver/process.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* Signals that wait while the command has the file. */
typedef struct held_signals {
  sigset_t set, before;
  struct sigaction child_before; /* of SIGCHLD: one that is ignored would not come */
  int stop;                      /* the one that ends the tool when the file is gone, or 0 */
} held_signals;

static void hold_signals(held_signals *held) {
  struct sigaction usual = {.sa_handler = SIG_DFL};
  sigemptyset(&held->set);
  sigaddset(&held->set, SIGINT);
  sigaddset(&held->set, SIGTERM);
  sigaddset(&held->set, SIGHUP);
  sigaddset(&held->set, SIGCHLD);
  held->stop = 0;
  sigaction(SIGCHLD, &usual, &held->child_before);
  sigprocmask(SIG_BLOCK, &held->set, &held->before);
}

static void release_signals(const held_signals *held) {
  sigaction(SIGCHLD, &held->child_before, NULL);
  sigprocmask(SIG_SETMASK, &held->before, NULL);
  if (held->stop) raise(held->stop);
}

/* A signal that stops the tool stops the command first. */
static bool wait_for(pid_t child, held_signals *held, int *status) {
  pid_t ended;
  while ((ended = waitpid(child, status, WNOHANG)) == 0) {
    int number = sigwaitinfo(&held->set, NULL);
    if (number <= 0 || number == SIGCHLD) continue;
    held->stop = number;
    kill(child, number);
  }
  return ended == child;
}

static int run(const char *tool, const char *command, const char *path, held_signals *held) {
  int status = 0;
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    sigprocmask(SIG_SETMASK, &held->before, NULL);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    execl("/bin/sh", "sh", "-c", command, tool, path, (char *)NULL);
    _exit(127);
  }
  bool ended = child > 0 && wait_for(child, held, &status);
  return ended && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int pm_run_on_ir(const char *tool, const char *command, pm_module *module) {
  held_signals held;
  hold_signals(&held);
  char *path = pm_temporary_path("%s-XXXXXX", tool);
  int file = mkstemp(path), status = -1;
  pm_buf text = {0};
  pm_print_module(&text, module, (pm_print_options){0});
  if (file >= 0) {
    close(file);
    if (pm_write_file(path, text.data, text.len)) status = run(tool, command, path, &held);
    unlink(path);
  }
  pm_buf_free(&text);
  free(path);
  release_signals(&held);
  return status;
}
