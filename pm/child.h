/* Work in a child process, for what a fault cannot end in ours: foreign code that ends its process when
 * memory runs out. */
#ifndef PM_PM_CHILD_H
#define PM_PM_CHILD_H

#include "ir/fault.h"

typedef enum pm_child_end {
  PM_CHILD_DONE,
  PM_CHILD_REFUSED,   /* there is no child, by the system's limits, or it exits with EXIT_FAILURE */
  PM_CHILD_NO_MEMORY, /* it ran out of memory */
  PM_CHILD_CRASHED    /* it ended in another way, or by a fault */
} pm_child_end;

/* Forks, and runs body(user, answer) in the child with the heap in use, whose answer is appended to ours. Its
 * standard error is read too, and is the line in `error` when it does not end well. Other threads of this
 * process are not there in the child, so `body` may take no lock that one of them may hold, but those of the
 * C library. */
pm_child_end pm_in_child(pm_heap *heap, void (*body)(void *user, pm_buf *answer), void *user, pm_buf *answer,
                         pm_buf *error);

#endif
