/* The numbers of hints of loops; the marks of schedule trees that become hints have the same limits. */
#ifndef PM_DIALECTS_LOOP_LIMITS_H
#define PM_DIALECTS_LOOP_LIMITS_H

#define LOOP_MOST_UNROLL 256    /* iterations in one */
#define LOOP_MOST_PREFETCH 1000 /* cache lines at a time */

#define LOOP_LIMIT_TEXT_OF(number) #number
#define LOOP_LIMIT_TEXT(number) LOOP_LIMIT_TEXT_OF(number) /* for docs */

#endif
