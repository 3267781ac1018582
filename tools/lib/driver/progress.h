/* One line about long work. On a terminal it is drawn over itself and erased at the end; elsewhere each is a
 * line of its own, at times that double, so that a log has few of them. */
#ifndef PM_TOOLS_DRIVER_PROGRESS_H
#define PM_TOOLS_DRIVER_PROGRESS_H

#include "ir/support.h"

typedef enum pm_progress_mode {
  PM_PROGRESS_AUTO, /* when stderr is a terminal, from the second second on */
  PM_PROGRESS_ALWAYS,
  PM_PROGRESS_NEVER
} pm_progress_mode;

typedef struct pm_progress {
  const char *tool;
  bool on, terminal, drawn;
  double begin, next; /* seconds: when the work began, when the next line is due */
} pm_progress;

pm_progress pm_progress_begin(const char *tool, pm_progress_mode mode);
/* `done` is the part of the work that is done, 0..1, from which the time that is left is guessed. Cheap when
 * no line is due. */
void pm_progress_update(pm_progress *progress, double done, const char *fmt, ...) PM_PRINTF(3, 4);
/* Takes the line away: call it before anything else is printed. */
void pm_progress_end(pm_progress *progress);

#endif
