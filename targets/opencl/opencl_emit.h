/* Private to the OpenCL target.
 *
 *   opencl.c    the target, checks, the frame of the file
 *   launches.c  which function is which kernel, and how it is launched
 *   kernels.c   the kernels, in OpenCL C 1.2
 *   host.c      the functions that launch them, in C
 *   runtime.c   what these call: text of the file, not part of the compiler; failures, programs, devices
 *   runtime_calls.c  the same, behind it: arrays, launches, the end of a call
 *   runtime_cache.c  the same: programs that are kept on disk, in the folder of targets/lib/cache_folder.h
 */
#ifndef PM_TARGETS_OPENCL_EMIT_H
#define PM_TARGETS_OPENCL_EMIT_H

#include "targets/abi/abi.h"

enum { OPENCL_DIMS = 3, OPENCL_MOST_LANES = 16, OPENCL_VECTOR_BYTES = 128 };

/* A nest of parallel loops around a call of a kernel: a group for each iteration. */
typedef struct opencl_launch {
  pm_op *nest[OPENCL_DIMS]; /* from the outside; the innermost is dimension 0 */
  unsigned n_dims;
  pm_op *call, *kernel;
  unsigned number; /* of the kernel */
  int64_t
      spill; /* the bytes of local memory that a group wants, where not every device has that many; else 0 */
  unsigned items[OPENCL_DIMS]; /* of a group */
} opencl_launch;

/* One emission. */
typedef struct opencl_program {
  abi_program abi;
  PM_VEC(opencl_launch) launches; /* one of each kernel, in the order of the module */
  PM_VEC(loop_known_range) sizes; /* scalars of callers that become indices, in small calls */
  pm_map *arrays;                 /* pm_value -> the name of the array of the device */
  bool strict, fast;              /* floating point: of some kernel, of all */
  bool waits;                     /* items of a group do for each other, in the text of the kernels */
} opencl_program;

/* Fills the launches. False after a diagnostic: the module is not as outline-kernels leaves it. */
bool opencl_find_launches(opencl_program *program, pm_module *module);
/* That of the outermost loop, or NULL. */
const opencl_launch *opencl_launch_at(const opencl_program *program, const pm_op *loop);
/* The loop whose counter the argument of the kernel is, as a number of the nest; -1: it is given. */
int opencl_counter_of(const opencl_launch *launch, unsigned argument);
/* The work-items of a group. */
unsigned opencl_group_items(const opencl_launch *launch);
/* The local memory that a buf.alloc takes. */
int64_t opencl_local_bytes(const pm_op *alloc);

/* Text of headers: the type of the times of a kernel. */
extern const char opencl_times_type[];
/* The text of all kernels. Says whether items wait. */
void opencl_put_kernels(opencl_program *program, pm_module *module, pm_buf *out);
/* The name of a kernel in OpenCL C. It is the context's. */
const char *opencl_kernel_name(const opencl_launch *launch);

/* C, whose statements call the runtime. */
c_language opencl_host_language(void);
/* The prototypes of what stands beside it, for the header. */
void opencl_declare_device(c_emitter *e, const pm_op *func);
/* A function for callers, and what explains its codes. */
void opencl_host_func(c_emitter *e, const pm_op *func);

#endif
