/* A directory for the files that go to other programs and come from them. It is removed also when a fault
 * ends what has it.
 *
 * In a process of a tool, the signals that people and shells end programs with (SIGINT, SIGTERM, SIGHUP,
 * SIGQUIT, SIGPIPE) wait while there is one: the program that runs gets them at once, this process when the
 * directory is gone. So nothing is left behind, and no handler is needed. In a process of somebody else,
 * which may have threads and handlers, signals are left alone. */
#ifndef PM_TARGETS_LIB_WORK_DIR_H
#define PM_TARGETS_LIB_WORK_DIR_H

#include "ir/fault.h"

#include <dirent.h>
#include <pthread.h>
#include <sys/types.h>

typedef struct pm_work_dir {
  char *path;
  DIR *files; /* open: to list them then takes no memory */
  bool holds_signals;
  pm_cleanup cleanup;
  struct pm_signals *before; /* what was done with signals before */
} pm_work_dir;

/* A directory that only we may enter, under $TMPDIR or /tmp, whose path is absolute; false with a line in
 * `error`. It must not move, and is the last cleanup when it is freed. With `holds_signals` there is one at a
 * time in a process, and no other thread. */
bool pm_work_dir_init(pm_work_dir *dir, bool holds_signals, pm_buf *error) PM_MUST_USE;
/* Removes it with the files in it, unless `kept_by` names a tool: then a line on stderr says where it is.
 * Does not return when a signal waits that ends the process. */
void pm_work_dir_free(pm_work_dir *dir, const char *kept_by);
/* dir/base.extension, to be freed. */
char *pm_work_dir_file(const pm_work_dir *dir, const char *base, const char *extension);

/* Runs a program found on PATH, with what it prints in the file `log`, and waits. It reads nothing, and has
 * the directory as TMPDIR. An errno when it cannot be run, else 0 and its exit status in `status`, or 128 +
 * the number of the signal that ended it. With 127, which shells and the dynamic linker say, it is ENOENT. */
int pm_spawn(const pm_work_dir *dir, char *const *argv, const char *log, int *status);
/* What a thread runs, for another thread that may end it. At first it is zero, and its lock initialized. */
typedef struct pm_processes {
  pthread_mutex_t lock;
  pid_t group; /* of the program that runs now, or 0 */
  bool ended;
} pm_processes;
#define PM_PROCESSES_INIT                                                                                    \
  { .lock = PTHREAD_MUTEX_INITIALIZER }
/* The programs that this thread runs from now on, and what they run, are process groups of their own, which
 * are noted there; NULL: no longer. */
void pm_processes_watch(pm_processes *of_thread);
/* Ends the program that runs; later ones do not begin then, but are ECANCELED. Returns whether there was one.
 */
bool pm_processes_end(pm_processes *of_thread);

/* Whether a signal waits that may end the process: what failed then needs no message. */
bool pm_work_dir_interrupted(const pm_work_dir *dir);

#endif
