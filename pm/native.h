/* Calls of a program that a target has loaded into this process, by libffi. */
#ifndef PM_PM_NATIVE_H
#define PM_PM_NATIVE_H

#include "dialects/arith/call.h"
#include "dialects/stage/analyses/graph.h"
#include "targets/abi/abi.h"
#include "targets/target.h"

typedef struct pm_native pm_native;
/* A file that the target has compiled for this process, ready to call; NULL with the outcome and a report.
 * `region` says how its functions for boxes are called; NULL: it has none. */
pm_native *pm_native_new(const stage_signature *sig, const abi_region *region, const pm_target *target,
                         const pm_buf *file, const char *entry, const pm_build_options *options,
                         pm_outcome *outcome, pm_report *report);
/* The same of a shared object in which `entry` is a function of that signature. */
pm_native *pm_native_open(const stage_signature *sig, const char *path, const char *entry, int threads,
                          pm_outcome *outcome, pm_report *report);
void pm_native_free(pm_native *native);
/* 0, or the code that the function returned: its text is pm_native_strerror. */
int pm_native_call(pm_native *native, const pm_call *call);
/* The same with the addresses of all arguments, those of arrays being addresses of pointers. Several threads
 * may do so at a time. */
int pm_native_call_at(const pm_native *native, void **values);
/* How calls of one thread run, from pm_native_begin to pm_native_end. */
typedef struct pm_native_way {
  int threads;        /* that loops have at most; 0: all */
  pm_loop_tell *tell; /* what a pool's threads do of loops, by each of them; NULL: nobody is told */
  void *user;
  int before; /* pm_native_begin's, as what follows */
  void *room[PM_CALLER_BYTES / sizeof(void *)];
} pm_native_way;
void pm_native_begin(const pm_native *native, pm_native_way *way);
void pm_native_end(const pm_native *native, pm_native_way *way);
/* The same calls with memory for intermediates, of the bytes that pm_native_scratch_bytes_at or
 * pm_native_region_bytes_at gives; there is room for two more ahead of the addresses. Without intermediates
 * in memory (has_workspace) there are no such functions. */
int pm_native_call_in(const pm_native *native, void **values, void *memory, int64_t bytes);
int pm_native_region_in(const pm_native *native, void **values, void *memory, int64_t bytes);
int64_t pm_native_region_bytes_at(const pm_native *native, void **values);
bool pm_native_has_workspace(const pm_native *native, bool of_region);
/* Gives back the memory that calls have left for later ones; others may run. */
void pm_native_release(const pm_native *native);
/* An extent of an array, for the scalars at these addresses, which have room for two more behind them. The
 * program must have a function that gives it. */
int64_t pm_native_extent_at(const pm_native *native, void **values, int32_t array, int32_t dimension);
/* Bytes that a call takes for these scalars; 0 when the target does not say. */
int64_t pm_native_scratch_bytes_at(const pm_native *native, void **values);
bool pm_native_has_extents(const pm_native *native);
/* The same of the function that computes boxes: addresses of scalars, bounds, the strides of each array but
 * the last, and arrays. */
int pm_native_region_at(const pm_native *native, void **values);
/* The first index that the boxes need, or the one behind the last; there is room for three more behind the
 * addresses of scalars and bounds. */
int64_t pm_native_needs_at(const pm_native *native, void **values, int32_t array, int32_t dimension,
                           int32_t end);
/* The same with arrays that stay on the target's device between such calls, if it has one: each is sent when
 * a call has it for the first time, known by where it is on the host, and pm_native_wait waits for the calls.
 */
int pm_native_call_there(pm_native *native, const pm_call *call);
int pm_native_wait(pm_native *native);
/* Brings what is on the device of these arrays to the host. */
int pm_native_fetch(pm_native *native, const pm_array *arrays, size_t n);
/* Nothing is on the device any more. */
void pm_native_forget(pm_native *native);
bool pm_native_has_device(const pm_native *native);
/* Begins or ends to time the kernels of the device, on which nothing is afterwards. */
int pm_native_profile(pm_native *native, bool on);
/* While they are timed: from zero again. */
int pm_native_reset_times(pm_native *native);
/* Of a kernel by its number, since then; false: it has not so many. */
bool pm_native_kernel_times(pm_native *native, int number, pm_kernel_times *times);
/* NULL when the program has no texts. */
const char *pm_native_strerror(const pm_native *native, int code);
const char *pm_native_region_strerror(const pm_native *native, int code);
/* 0 when the target does not say. */
int64_t pm_native_scratch_bytes(pm_native *native, const pm_call *call);
/* The threads that a call uses at most. */
int pm_native_threads(const pm_native *native);

#endif
