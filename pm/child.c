#include "pm/child.h"

#include "targets/target.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ENDED_WELL = 0, ENDED_BY_FAULT = PM_CHILD_WITHOUT_MEMORY + 1 };

/* --- in the child --- */

typedef struct work {
  void (*body)(void *user, pm_buf *answer);
  void *user;
  int answers;
} work;

static void do_work(void *user) {
  const work *w = user;
  pm_buf answer = {0};
  w->body(w->user, &answer);
  _exit(pm_write_fd(w->answers, answer.data, answer.len) ? ENDED_WELL : ENDED_BY_FAULT);
}

/* What is outside of the work is the other process's. */
static void end_by_fault(void *user, const pm_fault *fault) {
  (void)user;
  (void)pm_write_fd(STDERR_FILENO, fault->message, strlen(fault->message));
  _exit(fault->kind == PM_FAULT_MEMORY ? PM_CHILD_WITHOUT_MEMORY : ENDED_BY_FAULT);
}

static PM_NORETURN void be_child(pm_heap *heap, work *w, int said) {
  pm_fault fault;
  (void)dup2(said, STDERR_FILENO);
  for (int number = 1; number < NSIG; number++)
    if (number == SIGABRT || number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL)
      (void)signal(number, SIG_DFL);
  (void)!pm_protect(heap, do_work, end_by_fault, w, &fault);
  _exit(ENDED_BY_FAULT);
}

/* --- in the parent --- */

/* Both ends of two pipes: answers, and what is said on standard error. */
typedef struct child {
  pid_t pid; /* 0: not there */
  int ends[2][2];
} child;

static void close_end(int *fd) {
  if (*fd >= 0) (void)close(*fd);
  *fd = -1;
}

static void close_ends(child *c) {
  for (int i = 0; i < 4; i++) close_end(&c->ends[i / 2][i % 2]);
}

static pid_t wait_for(pid_t pid, int *status) {
  pid_t done;
  do done = waitpid(pid, status, 0);
  while (done < 0 && errno == EINTR);
  return done;
}

static void end_child(void *user) {
  child *c = user;
  int status;
  close_ends(c);
  if (!c->pid) return;
  (void)kill(c->pid, SIGKILL);
  (void)wait_for(c->pid, &status);
}

/* False at the end. */
static bool read_some(int fd, pm_buf *to) {
  char part[1 << 16];
  ssize_t n = read(fd, part, sizeof part);
  if (n < 0 && errno == EINTR) return true;
  if (n > 0) pm_buf_put(to, part, (size_t)n);
  return n > 0;
}

static void read_all(child *c, pm_buf *answer, pm_buf *said) {
  pm_buf *into[2] = {answer, said};
  while (c->ends[0][0] >= 0 || c->ends[1][0] >= 0) {
    struct pollfd open[2] = {{c->ends[0][0], POLLIN, 0}, {c->ends[1][0], POLLIN, 0}};
    if (poll(open, 2, -1) < 0) continue;
    for (int i = 0; i < 2; i++)
      if (open[i].revents && !read_some(open[i].fd, into[i])) close_end(&c->ends[i][0]);
  }
}

/* By its own word, by that of the system's libraries, or because the system has chosen whom to end. The last
 * of the words is what the library of C says where an exception for want of memory meets it. */
static bool ran_out_of_memory(int status, const pm_buf *said) {
  static const char *const words[] = {"annot allocate memory", "bad_alloc",
                                      "must be installed for unwinding"};
  for (size_t i = 0; i < PM_COUNT(words); i++)
    if (said->len && strstr(said->data, words[i])) return true;
  return WIFEXITED(status) ? WEXITSTATUS(status) == PM_CHILD_WITHOUT_MEMORY : WTERMSIG(status) == SIGKILL;
}

static pm_child_end finish(child *c, const pm_buf *said, pm_buf *error) {
  int status = 0;
  pid_t done = wait_for(c->pid, &status);
  c->pid = 0;
  /* Where the process ignores SIGCHLD there is no status: what the answer is without says the rest. */
  if (done < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == ENDED_WELL)) return PM_CHILD_DONE;
  pm_failf(error, "a child process has ended early%s%.*s", said->len ? ": " : "",
           said->len ? (int)strcspn(said->data, "\n") : 0, said->len ? said->data : "");
  if (ran_out_of_memory(status, said)) return PM_CHILD_NO_MEMORY;
  return done > 0 && WIFEXITED(status) && WEXITSTATUS(status) == EXIT_FAILURE ? PM_CHILD_REFUSED
                                                                              : PM_CHILD_CRASHED;
}

static pm_child_end refuse(child *c, pm_buf *error) {
  int why = errno;
  close_ends(c);
  pm_failf(error, "cannot start a child process: %s", strerror(why));
  return why == ENOMEM ? PM_CHILD_NO_MEMORY : PM_CHILD_REFUSED;
}

pm_child_end pm_in_child(pm_heap *heap, void (*body)(void *user, pm_buf *answer), void *user, pm_buf *answer,
                         pm_buf *error) {
  child c = {.ends = {{-1, -1}, {-1, -1}}};
  pm_cleanup ending;
  pm_buf said = {0};
  if (pipe(c.ends[0]) != 0 || pipe(c.ends[1]) != 0) return refuse(&c, error);
  c.pid = fork();
  if (c.pid == 0) be_child(heap, &(work){body, user, c.ends[0][1]}, c.ends[1][1]);
  if (c.pid < 0) return c.pid = 0, refuse(&c, error);
  pm_cleanup_add(&ending, end_child, &c);
  close_end(&c.ends[0][1]);
  close_end(&c.ends[1][1]);
  read_all(&c, answer, &said);
  pm_child_end end = finish(&c, &said, error);
  pm_cleanup_remove(&ending);
  close_ends(&c);
  pm_buf_free(&said);
  return end;
}
