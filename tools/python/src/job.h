/* What the library does for a function of Python: in a thread of its own, so that whoever waits for it can be
 * interrupted, and with a stack that deep programs fit. Nothing here calls Python. */
#ifndef PM_PYTHON_JOB_H
#define PM_PYTHON_JOB_H

#include "pm/pm.h"

#include <stdbool.h>

/* The text of a program and its options; several jobs have one. */
typedef struct pm_source pm_source;
/* All is copied. NULL: there is no memory. */
pm_source *pm_source_new(const char *name, const char *text, size_t len, const pm_options *options);
void pm_source_free(pm_source *source); /* once for each that has it; NULL is allowed */

typedef enum pm_job_kind { PM_JOB_CALLS, PM_JOB_REGIONS, PM_JOB_TEXT } pm_job_kind;

/* A message that the library gave. */
typedef struct pm_noted {
  pm_message_kind kind;
  unsigned line, column;
  char *file, *source, *text, *pass; /* all but the text may be NULL */
} pm_noted;

/* What has come of a job. */
typedef struct pm_done {
  pm_status status;
  pm_function *function; /* of PM_JOB_CALLS and PM_JOB_REGIONS */
  char *text;            /* of PM_JOB_TEXT */
  char *error;           /* pm_program_error */
  char *reproducer;      /* may be NULL */
  pm_noted *notes;
  size_t n_notes;
} pm_done;

typedef struct pm_job pm_job;
/* NULL: there is no memory. */
pm_job *pm_job_new(pm_source *source, pm_job_kind kind);
/* One more has it, and frees it. */
void pm_job_share(pm_job *job);
/* A thread that still works on it keeps it until then. */
void pm_job_free(pm_job *job); /* NULL is allowed */
/* Ends the program that the job runs, a compiler, when the caller is the only one that waits for it. True: it
 * did, and the job is of no use but for what it still frees. */
bool pm_job_interrupt(pm_job *job);
/* Begins the job unless that is done, and waits for so many milliseconds. NULL: it goes on. Several threads
 * may wait for one. */
const pm_done *pm_job_wait(pm_job *job, unsigned milliseconds);

#endif
