/* Work in a process of its own, which may crash or never end. The child has a copy of all that the caller
 * has; only its answer comes back. */
#ifndef PM_TOOLS_DRIVER_CHILD_H
#define PM_TOOLS_DRIVER_CHILD_H

#include "ir/support.h"

#include <stdio.h>
#include <sys/types.h>

typedef enum pm_child_end {
  PM_CHILD_DONE,    /* the answer is there */
  PM_CHILD_CRASHED, /* a signal, or an exit without an answer */
  PM_CHILD_LATE,    /* it took longer than it may */
  PM_CHILD_STOPPED, /* pm_stop_asked */
  PM_CHILD_FAILED   /* the system makes no process: the log is the message */
} pm_child_end;

typedef struct pm_child_result {
  pm_child_end end;
  int status; /* of PM_CHILD_CRASHED, as waitpid has it */
  pm_buf answer;
  pm_buf log; /* what it printed on stderr */
} pm_child_result;

/* Appends the answer. */
typedef void pm_child_work(void *user, pm_buf *answer);

/* A child that runs. */
typedef struct pm_child {
  const char *tool;
  pid_t process; /* 0: there is none */
  int answers;
  FILE *log; /* NULL: there is none */
  double end;
} pm_child;

/* `work` in a child, for at most `seconds`. `tool` stands before the message when there can be none. */
pm_child pm_begin_child(const char *tool, pm_child_work *work, void *user, double seconds);
/* Waits for it. One that is late, or goes on when a stop is asked, is ended with the programs that it runs.
 */
pm_child_result pm_end_child(pm_child *child);
/* Ends it now, with the programs that it runs. */
void pm_cancel_child(pm_child *child);
/* Begins one and waits for it. */
pm_child_result pm_run_child(const char *tool, pm_child_work *work, void *user, double seconds);
void pm_child_result_free(pm_child_result *result);

/* From now on SIGINT, SIGTERM and SIGHUP ask to stop and end nothing. */
void pm_catch_stops(void);
/* The signal that asked, or 0. */
int pm_stop_asked(void);

#endif
