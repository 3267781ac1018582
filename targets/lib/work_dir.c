#include "targets/lib/work_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Strict C11 has none of their types, so that they are not in the header. */
struct pm_signals {
  sigset_t blocked;
  struct sigaction child; /* what SIGCHLD did: one that is ignored would not come */
};

static sigset_t ending_signals(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGHUP);
  sigaddset(&set, SIGQUIT);
  sigaddset(&set, SIGPIPE);
  return set;
}

static void hold_signals(pm_work_dir *dir) {
  struct sigaction usual = {.sa_handler = SIG_DFL};
  sigset_t held = ending_signals();
  if (!dir->holds_signals) {
    pthread_sigmask(SIG_SETMASK, NULL, &dir->before->blocked);
    return;
  }
  sigaddset(&held, SIGCHLD);
  sigaction(SIGCHLD, &usual, &dir->before->child);
  sigprocmask(SIG_BLOCK, &held, &dir->before->blocked);
}

static void release_signals(const pm_work_dir *dir) {
  if (!dir->holds_signals) return;
  sigaction(SIGCHLD, &dir->before->child, NULL);
  sigprocmask(SIG_SETMASK, &dir->before->blocked, NULL);
}

/* --- the directory --- */

static void remove_entry(DIR *files, const char *name);

static void remove_files(DIR *files) {
  rewinddir(files);
  for (struct dirent *entry; (entry = readdir(files));)
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
      remove_entry(files, entry->d_name);
}

/* A program that a signal has ended leaves folders, too. */
static void remove_entry(DIR *files, const char *name) {
  if (unlinkat(dirfd(files), name, 0) == 0) return;
  int fd = openat(dirfd(files), name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  DIR *inner = fd >= 0 ? fdopendir(fd) : NULL;
  if (inner) remove_files(inner);
  if (inner) closedir(inner);
  if (!inner && fd >= 0) close(fd);
  (void)unlinkat(dirfd(files), name, AT_REMOVEDIR);
}

static void remove_all(void *user) {
  const pm_work_dir *dir = user;
  remove_files(dir->files);
  rmdir(dir->path);
  closedir(dir->files);
  release_signals(dir);
}

/* Made and open, or neither. */
static bool make_directory(pm_work_dir *dir, char *path) {
  dir->path = mkdtemp(path);
  dir->files = dir->path ? opendir(path) : NULL;
  if (dir->path && !dir->files) rmdir(path);
  return dir->files;
}

bool pm_work_dir_init(pm_work_dir *dir, bool holds_signals, pm_buf *error) {
  const char *base = getenv("TMPDIR");
  if (!base || !*base) base = "/tmp";
  char *whole = pm_real_path(base);
  pm_buf path = {0};
  pm_buf_printf(&path, "%s/pm-XXXXXX", whole ? whole : base);
  free(whole);
  *dir = (pm_work_dir){.holds_signals = holds_signals, .before = pm_xcalloc(1, sizeof *dir->before)};
  hold_signals(dir);
  if (make_directory(dir, path.data)) {
    pm_cleanup_add(&dir->cleanup, remove_all, dir);
    return true;
  }
  int why = errno;
  release_signals(dir);
  free(dir->before);
  if (why == ENOMEM) pm_out_of_memory();
  pm_buf_printf(error, "cannot make a directory '%s': %s", path.data, strerror(why));
  pm_buf_free(&path);
  return false;
}

void pm_work_dir_free(pm_work_dir *dir, const char *kept_by) {
  pm_cleanup_remove(&dir->cleanup);
  if (kept_by) {
    fprintf(stderr, "%s: kept '%s'\n", kept_by, dir->path);
    closedir(dir->files);
    release_signals(dir);
  } else {
    remove_all(dir);
  }
  free(dir->before);
  free(dir->path);
}

char *pm_work_dir_file(const pm_work_dir *dir, const char *base, const char *extension) {
  pm_buf path = {0};
  pm_buf_printf(&path, "%s/%s.%s", dir->path, base, extension);
  return pm_buf_take(&path);
}

bool pm_work_dir_interrupted(const pm_work_dir *dir) {
  sigset_t ending = ending_signals(), pending;
  if (!dir->holds_signals) return false;
  sigpending(&pending);
  for (int number = 1; number < NSIG; number++)
    if (sigismember(&ending, number) == 1 && sigismember(&pending, number) == 1) return true;
  return false;
}

/* --- other programs --- */

/* Our environment, but files of a while go to the folder: a program that a signal ends does not remove them.
 * `place` is borrowed. */
static char **environment(const char *place) {
  static const char name[] = "TMPDIR=";
  size_t n = 0, kept = 0;
  while (environ && environ[n]) n++;
  char **all = pm_xcalloc(n + 2, sizeof *all);
  for (size_t i = 0; i < n; i++)
    if (strncmp(environ[i], name, sizeof name - 1) != 0) all[kept++] = environ[i];
  all[kept] = (char *)place;
  return all;
}

static _Thread_local pm_processes *watched;

void pm_processes_watch(pm_processes *of_thread) {
  watched = of_thread;
}

bool pm_processes_end(pm_processes *of_thread) {
  pthread_mutex_lock(&of_thread->lock);
  bool any = of_thread->group != 0;
  of_thread->ended |= any;
  if (any) kill(-of_thread->group, SIGKILL);
  pthread_mutex_unlock(&of_thread->lock);
  return any;
}

/* Whether it may go on. */
static bool note_group(pid_t group) {
  pthread_mutex_lock(&watched->lock);
  watched->group = group;
  bool ended = watched->ended;
  if (ended && group) kill(-group, SIGKILL);
  pthread_mutex_unlock(&watched->lock);
  return !ended;
}

/* The signals that a program may get stay as they were for it. */
static int spawn(const pm_work_dir *dir, char *const *argv, char *const *env, const char *log, pid_t *pid) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | (watched ? POSIX_SPAWN_SETPGROUP : 0));
  posix_spawnattr_setsigmask(&attributes, &dir->before->blocked);
  int error = posix_spawnp(pid, argv[0], &actions, &attributes, argv, env);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

/* A signal that ends us ends the program, too, and is left to wait. */
static pid_t wait_with_signals(pid_t pid, int *status) {
  sigset_t waiting = ending_signals();
  sigaddset(&waiting, SIGCHLD);
  int ending = 0;
  pid_t done;
  while ((done = waitpid(pid, status, WNOHANG)) == 0) {
    int number = sigwaitinfo(&waiting, NULL);
    if (number <= 0 || number == SIGCHLD) continue;
    kill(pid, number);
    ending = number;
  }
  if (ending) raise(ending);
  return done;
}

static pid_t wait_alone(pid_t pid, int *status) {
  pid_t done;
  do done = waitpid(pid, status, 0);
  while (done < 0 && errno == EINTR);
  return done;
}

/* Its number is nobody else's while it is noted. */
static pid_t wait_watched(pid_t pid, int *status) {
  siginfo_t info;
  int failed;
  (void)note_group(pid);
  do failed = waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
  while (failed && errno == EINTR);
  (void)note_group(0);
  return wait_alone(pid, status);
}

static int wait_for(const pm_work_dir *dir, pid_t pid, int *exit_status) {
  int status = 0;
  pid_t done = (dir->holds_signals ? wait_with_signals : watched ? wait_watched : wait_alone)(pid, &status);
  if (done < 0) return errno;
  *exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return WIFEXITED(status) && WEXITSTATUS(status) == 127 ? ENOENT : 0;
}

int pm_spawn(const pm_work_dir *dir, char *const *argv, const char *log, int *status) {
  pid_t pid;
  if (!argv[0]) return ENOENT;
  if (watched && !note_group(0)) return ECANCELED;
  pm_buf place = {0};
  pm_buf_printf(&place, "TMPDIR=%s", dir->path);
  char **env = environment(place.data);
  int error = spawn(dir, argv, env, log, &pid);
  free(env);
  pm_buf_free(&place);
  if (error == ENOMEM) pm_out_of_memory();
  return error ? error : wait_for(dir, pid, status);
}
