/* The memory of isl's numbers. */
#ifndef PM_DIALECTS_ISL_NUMBER_POOL_H
#define PM_DIALECTS_ISL_NUMBER_POOL_H

/* From now on GMP has its small numbers (up to 16 bytes: half of all that compiling allocates) from a list of
 * unused blocks, which only grows and is the process's. For programs that use isl in one thread; before the
 * first context is made. */
void pm_pool_numbers(void);

#endif
