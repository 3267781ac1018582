/* What the emitted functions call of OpenCL 1.2: a device, its arrays, launches. The library is opened when
 * the first call needs it. One device serves all calls of a process; calls may come from several threads. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PM_CL_NO_MEMORY = 3, PM_CL_NO_DEVICE = 6, PM_CL_FAILED = 7, PM_CL_MOST_DEVICES = 64 };

#define PM_CL_FUNCTIONS(F)                                                                                   \
  F(clGetPlatformIDs)                                                                                        \
  F(clGetPlatformInfo)                                                                                       \
  F(clGetDeviceIDs)                                                                                          \
  F(clGetDeviceInfo)                                                                                         \
  F(clCreateContext)                                                                                         \
  F(clReleaseContext)                                                                                        \
  F(clCreateCommandQueue)                                                                                    \
  F(clReleaseCommandQueue)                                                                                   \
  F(clCreateProgramWithSource)                                                                               \
  F(clBuildProgram)                                                                                          \
  F(clGetProgramBuildInfo)                                                                                   \
  F(clReleaseProgram)                                                                                        \
  F(clCreateKernel)                                                                                          \
  F(clReleaseKernel)                                                                                         \
  F(clSetKernelArg)                                                                                          \
  F(clCreateBuffer)                                                                                          \
  F(clReleaseMemObject)                                                                                      \
  F(clEnqueueWriteBuffer)                                                                                    \
  F(clEnqueueReadBuffer)                                                                                     \
  F(clEnqueueMapBuffer)                                                                                      \
  F(clEnqueueUnmapMemObject)                                                                                 \
  F(clEnqueueNDRangeKernel)                                                                                  \
  F(clFlush)                                                                                                 \
  F(clFinish)

typedef struct pm_cl_library {
#define PM_CL_MEMBER(name) __typeof__(name) *name;
  PM_CL_FUNCTIONS(PM_CL_MEMBER)
#undef PM_CL_MEMBER
} pm_cl_library;

/* Memory of the device; one that is kept waits for the next call. */
typedef struct pm_cl_block {
  struct pm_cl_block *next;
  cl_mem memory;
  size_t bytes;
} pm_cl_block;

/* The program as it is built for small calls, or for all, once a launch needs it. */
typedef struct pm_cl_build {
  cl_program program;
  cl_kernel *kernels;
} pm_cl_build;

static struct {
  pthread_mutex_t lock;
  pm_cl_library call;
  void *library;
  cl_device_id device;
  cl_context context;
  cl_command_queue queue;
  pm_cl_build builds[2]; /* the second is that for small calls */
  pm_cl_block *kept;
  unsigned calls; /* that are running */
  cl_bool unified;
  cl_bool narrow; /* places of 32 bits are faster than those of 64: so on GPUs, not on processors */
  cl_bool unsure; /* of barriers in loops: PoCL 3.1 computes wrong values behind some when it optimizes */
  cl_ulong local_bytes; /* of a group */
  char message[1 << 14];
} pm_cl = {.lock = PTHREAD_MUTEX_INITIALIZER};

typedef enum pm_cl_use { PM_CL_INPUT, PM_CL_OUTPUT, PM_CL_TEMPORARY } pm_cl_use;

/* An array of a call. */
typedef struct pm_cl_array {
  struct pm_cl_array *next;
  pm_cl_use use;
  void *host; /* NULL for a temporary */
  size_t bytes;
  pm_cl_block *block; /* NULL: not yet */
} pm_cl_array;

typedef struct pm_cl_call {
  int status;
  int open;     /* the device is */
  int is_small; /* the sizes are */
  pm_cl_array *arrays;
} pm_cl_call;

/* An argument of a kernel: an array with elements of `bytes`, or `bytes` at `value`. */
typedef struct pm_cl_argument {
  const void *value;
  size_t bytes;
  pm_cl_array *array;
} pm_cl_argument;

/* Along a dimension of a launch: a group for each of first, first + step, … below end, of so many items. */
typedef struct pm_cl_range {
  int64_t first, end, step;
  size_t items;
} pm_cl_range;

/* --- failures --- */

static const char *pm_cl_error_name(cl_int code) {
  static const struct {
    cl_int code;
    const char *name;
  } names[] = {{CL_DEVICE_NOT_FOUND, "CL_DEVICE_NOT_FOUND"},
               {CL_DEVICE_NOT_AVAILABLE, "CL_DEVICE_NOT_AVAILABLE"},
               {CL_COMPILER_NOT_AVAILABLE, "CL_COMPILER_NOT_AVAILABLE"},
               {CL_MEM_OBJECT_ALLOCATION_FAILURE, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
               {CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES"},
               {CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY"},
               {CL_BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE"},
               {CL_INVALID_BUFFER_SIZE, "CL_INVALID_BUFFER_SIZE"},
               {CL_INVALID_KERNEL_ARGS, "CL_INVALID_KERNEL_ARGS"},
               {CL_INVALID_WORK_GROUP_SIZE, "CL_INVALID_WORK_GROUP_SIZE"},
               {CL_INVALID_WORK_ITEM_SIZE, "CL_INVALID_WORK_ITEM_SIZE"},
               {CL_INVALID_COMMAND_QUEUE, "CL_INVALID_COMMAND_QUEUE"},
               {-1001, "CL_PLATFORM_NOT_FOUND_KHR"}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (names[i].code == code) return names[i].name;
  return "an OpenCL error";
}

/* The call fails, with what the text says; the first failure counts. Under the lock. */
static void pm_cl_say(pm_cl_call *c, int status, const char *format, ...) {
  if (c->status) return;
  va_list args;
  va_start(args, format);
  vsnprintf(pm_cl.message, sizeof pm_cl.message, format, args);
  va_end(args);
  c->status = status;
}

static void pm_cl_check(pm_cl_call *c, cl_int code, const char *what) {
  int memory = code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_HOST_MEMORY;
  if (code != CL_SUCCESS)
    pm_cl_say(c, memory ? PM_CL_NO_MEMORY : PM_CL_FAILED, "OpenCL cannot %s: %s (%d)", what,
              pm_cl_error_name(code), code);
}

/* For the requirements of a call. */
static void pm_cl_fail(pm_cl_call *c, int status) {
  if (!c->status) c->status = status;
}

/* --- the device --- */

static int pm_cl_open_library(pm_cl_call *c) {
  if (pm_cl.library) return 1;
  void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    pm_cl_say(c, PM_CL_NO_DEVICE, "there is no OpenCL: %s", dlerror());
    return 0;
  }
#define PM_CL_FIND(name)                                                                                     \
  *(void **)&pm_cl.call.name = dlsym(library, #name);                                                        \
  if (!pm_cl.call.name) pm_cl_say(c, PM_CL_NO_DEVICE, "libOpenCL.so.1 has no " #name);
  PM_CL_FUNCTIONS(PM_CL_FIND)
#undef PM_CL_FIND
  if (c->status)
    dlclose(library);
  else
    pm_cl.library = library;
  return !c->status;
}

typedef struct pm_cl_found {
  cl_device_id device;
  cl_device_type type;
  char name[600]; /* of platform and device */
} pm_cl_found;

static unsigned pm_cl_list_devices(pm_cl_found *found) {
  cl_platform_id platforms[16];
  cl_uint n_platforms = 0;
  unsigned n = 0;
  if (pm_cl.call.clGetPlatformIDs(16, platforms, &n_platforms) != CL_SUCCESS) n_platforms = 0;
  for (cl_uint p = 0; p < n_platforms && p < 16; p++) {
    cl_device_id devices[16];
    cl_uint n_devices = 0;
    char platform[256] = "", device[256] = "";
    if (pm_cl.call.clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 16, devices, &n_devices) != CL_SUCCESS)
      continue;
    pm_cl.call.clGetPlatformInfo(platforms[p], CL_PLATFORM_NAME, sizeof platform - 1, platform, NULL);
    for (cl_uint d = 0; d < n_devices && d < 16 && n < PM_CL_MOST_DEVICES; d++) {
      cl_device_type type = 0;
      pm_cl.call.clGetDeviceInfo(devices[d], CL_DEVICE_NAME, sizeof device - 1, device, NULL);
      pm_cl.call.clGetDeviceInfo(devices[d], CL_DEVICE_TYPE, sizeof type, &type, NULL);
      found[n].device = devices[d];
      found[n].type = type;
      snprintf(found[n++].name, sizeof found->name, "%s: %s", platform, device);
    }
  }
  return n;
}

/* The device that PM_OPENCL_DEVICE names, by its number or by a part of the names of platform and device; a
 * GPU if there is one, else the first. */
static int pm_cl_choose(pm_cl_call *c) {
  static pm_cl_found found[PM_CL_MOST_DEVICES];
  const char *wanted = getenv("PM_OPENCL_DEVICE");
  unsigned n = pm_cl_list_devices(found), chosen = n;
  char *end = NULL;
  unsigned long number = wanted && *wanted ? strtoul(wanted, &end, 10) : 0;
  if (wanted && *wanted && !*end && number < n) chosen = (unsigned)number;
  for (unsigned i = n; i-- > 0 && wanted && *wanted && *end;)
    if (strstr(found[i].name, wanted)) chosen = i;
  if (!wanted || !*wanted) {
    chosen = 0;
    for (unsigned i = n; i-- > 0;)
      if (found[i].type & CL_DEVICE_TYPE_GPU) chosen = i;
  }
  if (n == 0)
    pm_cl_say(c, PM_CL_NO_DEVICE, "OpenCL has no device: no platform is installed, or none works");
  else if (chosen >= n)
    pm_cl_say(c, PM_CL_NO_DEVICE, "OpenCL has no device '%s'; the first of %u is '%s'", wanted, n,
              found[0].name);
  else
    pm_cl.device = found[chosen].device;
  pm_cl.narrow = !c->status && found[chosen].type & CL_DEVICE_TYPE_GPU;
  pm_cl.unsure = !c->status && found[chosen].type & CL_DEVICE_TYPE_CPU &&
                 strstr(found[chosen].name, "Portable Computing Language");
  return !c->status;
}

/* What the device's compiler says, as much as fits. */
static void pm_cl_say_log(pm_cl_call *c, cl_program program, const char *options) {
  size_t len = 0;
  pm_cl.call.clGetProgramBuildInfo(program, pm_cl.device, CL_PROGRAM_BUILD_LOG, 0, NULL, &len);
  char *log = calloc(len + 1, 1);
  if (log) pm_cl.call.clGetProgramBuildInfo(program, pm_cl.device, CL_PROGRAM_BUILD_LOG, len, log, NULL);
  pm_cl_say(c, PM_CL_FAILED, "OpenCL cannot build the kernels with '%s':\n%s", options, log ? log : "");
  free(log);
}

static void pm_cl_compile(pm_cl_call *c, pm_cl_build *b) {
  cl_int code;
  b->program = pm_cl.call.clCreateProgramWithSource(pm_cl.context, sizeof pm_cl_source / sizeof *pm_cl_source,
                                                    (const char **)pm_cl_source, NULL, &code);
  pm_cl_check(c, code, "take the program");
  if (c->status) return;
  char options[256];
  snprintf(options, sizeof options, "%s -DPM_LOCAL_BYTES=%llu%s%s", pm_cl_options,
           (unsigned long long)pm_cl.local_bytes, b == &pm_cl.builds[1] ? " -DPM_SMALL" : "",
           pm_cl.unsure && pm_cl_waits ? " -cl-opt-disable" : "");
  code = pm_cl.call.clBuildProgram(b->program, 1, &pm_cl.device, options, NULL, NULL);
  if (code == CL_BUILD_PROGRAM_FAILURE)
    pm_cl_say_log(c, b->program, options);
  else
    pm_cl_check(c, code, "build the kernels");
}

static void pm_cl_make_kernels(pm_cl_call *c, pm_cl_build *b) {
  const size_t n = sizeof pm_cl_kernels / sizeof *pm_cl_kernels;
  cl_int code = CL_SUCCESS;
  b->kernels = calloc(n, sizeof *b->kernels);
  if (!b->kernels) pm_cl_say(c, PM_CL_NO_MEMORY, "there is no memory");
  for (size_t i = 0; i < n && !c->status; i++) {
    b->kernels[i] = pm_cl.call.clCreateKernel(b->program, pm_cl_kernels[i], &code);
    pm_cl_check(c, code, pm_cl_kernels[i]);
  }
}

static void pm_cl_give_up(pm_cl_build *b) {
  const size_t n = sizeof pm_cl_kernels / sizeof *pm_cl_kernels;
  for (size_t i = 0; i < n && b->kernels; i++)
    if (b->kernels[i]) pm_cl.call.clReleaseKernel(b->kernels[i]);
  free(b->kernels);
  if (b->program) pm_cl.call.clReleaseProgram(b->program);
  *b = (pm_cl_build){0};
}

/* The build, or NULL after a failure. Under the lock. */
static pm_cl_build *pm_cl_take_build(pm_cl_call *c, int small) {
  pm_cl_build *b = &pm_cl.builds[small];
  if (b->kernels) return b;
  pm_cl_compile(c, b);
  if (!c->status) pm_cl_make_kernels(c, b);
  if (!c->status) return b;
  pm_cl_give_up(b);
  return NULL;
}

static void pm_cl_free_kept(void) {
  while (pm_cl.kept) {
    pm_cl_block *block = pm_cl.kept;
    pm_cl.kept = block->next;
    pm_cl.call.clReleaseMemObject(block->memory);
    free(block);
  }
}

/* All but the library. Under the lock, while no call runs. */
static void pm_cl_close(void) {
  if (!pm_cl.library) return;
  if (pm_cl.queue) pm_cl.call.clFinish(pm_cl.queue);
  pm_cl_free_kept();
  for (int i = 0; i < 2; i++) pm_cl_give_up(&pm_cl.builds[i]);
  if (pm_cl.queue) pm_cl.call.clReleaseCommandQueue(pm_cl.queue);
  if (pm_cl.context) pm_cl.call.clReleaseContext(pm_cl.context);
  pm_cl.queue = NULL;
  pm_cl.context = NULL;
}

static void pm_cl_open_device(pm_cl_call *c) {
  cl_int code = CL_SUCCESS;
  if (!pm_cl_open_library(c) || !pm_cl_choose(c)) return;
  pm_cl.call.clGetDeviceInfo(pm_cl.device, CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof pm_cl.unified,
                             &pm_cl.unified, NULL);
  pm_cl.call.clGetDeviceInfo(pm_cl.device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof pm_cl.local_bytes,
                             &pm_cl.local_bytes, NULL);
  pm_cl.local_bytes -= pm_cl.local_bytes / 16; /* for what the implementation adds */
  pm_cl.context = pm_cl.call.clCreateContext(NULL, 1, &pm_cl.device, NULL, NULL, &code);
  pm_cl_check(c, code, "make a context");
  if (!c->status) pm_cl.queue = pm_cl.call.clCreateCommandQueue(pm_cl.context, pm_cl.device, 0, &code);
  pm_cl_check(c, code, "make a queue");
}

/* The call has the device; false when it fails. Under the lock. */
static int pm_cl_begin(pm_cl_call *c) {
  if (c->status || c->open) return !c->status;
  if (!pm_cl.queue) {
    pm_cl_open_device(c);
    if (c->status && !pm_cl.calls) pm_cl_close();
  }
  if (!c->status) {
    c->open = 1;
    pm_cl.calls++;
  }
  return !c->status;
}

/* --- arrays --- */

/* The bytes of an array with these extents: less than 2^63. */
static size_t pm_cl_bytes(size_t element, int n, const int64_t *extents) {
  size_t bytes = element;
  for (int i = 0; i < n; i++) bytes *= extents[i] > 0 ? (size_t)extents[i] : 0;
  return bytes;
}

/* NULL after a failure. */
static pm_cl_array *pm_cl_add(pm_cl_call *c, pm_cl_use use, void *host, size_t bytes) {
  pm_cl_array *array = malloc(sizeof *array);
  if (!array) {
    pm_cl_fail(c, PM_CL_NO_MEMORY);
    return NULL;
  }
  *array = (pm_cl_array){.next = c->arrays, .use = use, .host = host, .bytes = bytes};
  return c->arrays = array;
}

/* Kept memory of at most twice the size, or new memory. */
static pm_cl_block *pm_cl_take(pm_cl_call *c, size_t bytes, cl_mem_flags flags, void *host) {
  cl_int code;
  for (pm_cl_block **at = &pm_cl.kept; *at && !host; at = &(*at)->next) {
    pm_cl_block *block = *at;
    if (block->bytes < bytes || block->bytes / 2 > bytes) continue;
    *at = block->next;
    return block;
  }
  pm_cl_block *block = malloc(sizeof *block);
  if (!block) {
    pm_cl_fail(c, PM_CL_NO_MEMORY);
    return NULL;
  }
  *block = (pm_cl_block){.bytes = bytes};
  block->memory = pm_cl.call.clCreateBuffer(pm_cl.context, flags, bytes ? bytes : 1, host, &code);
  if (code != CL_SUCCESS && pm_cl.kept) {
    pm_cl_free_kept();
    block->memory = pm_cl.call.clCreateBuffer(pm_cl.context, flags, bytes ? bytes : 1, host, &code);
  }
  if (code == CL_SUCCESS) return block;
  pm_cl_say(c, PM_CL_NO_MEMORY, "OpenCL cannot allocate %zu bytes: %s (%d)", bytes, pm_cl_error_name(code),
            code);
  free(block);
  return NULL;
}

/* Arrays of the caller are the device's own where both have the same memory. */
static int pm_cl_is_shared(const pm_cl_array *a) {
  return pm_cl.unified && a->host && a->bytes;
}

/* Gives the array its memory, and an input its values. Under the lock. */
static int pm_cl_bring(pm_cl_call *c, pm_cl_array *a) {
  if (a->block) return 1;
  cl_mem_flags flags = a->use == PM_CL_INPUT ? CL_MEM_READ_ONLY : CL_MEM_READ_WRITE;
  int shared = pm_cl_is_shared(a);
  a->block = pm_cl_take(c, a->bytes, shared ? flags | CL_MEM_USE_HOST_PTR : CL_MEM_READ_WRITE,
                        shared ? a->host : NULL);
  if (a->block && a->use == PM_CL_INPUT && !shared && a->bytes)
    pm_cl_check(c,
                pm_cl.call.clEnqueueWriteBuffer(pm_cl.queue, a->block->memory, CL_FALSE, 0, a->bytes, a->host,
                                                0, NULL, NULL),
                "send an input");
  return a->block && !c->status;
}

static inline pm_cl_array *pm_cl_temporary(pm_cl_call *c, int64_t bytes) {
  pm_cl_array *array = pm_cl_add(c, PM_CL_TEMPORARY, NULL, (size_t)bytes);
  pthread_mutex_lock(&pm_cl.lock);
  int found = array && pm_cl_begin(c) && pm_cl_bring(c, array);
  pthread_mutex_unlock(&pm_cl.lock);
  return found ? array : NULL;
}

/* What calls behind this one need again is kept. Under the lock. */
static void pm_cl_give(pm_cl_array *a) {
  if (!a->block) return;
  if (pm_cl_is_shared(a)) {
    pm_cl.call.clReleaseMemObject(a->block->memory);
    free(a->block);
  } else {
    a->block->next = pm_cl.kept;
    pm_cl.kept = a->block;
  }
  a->block = NULL;
}

/* Launches before have the memory until they end: the queue keeps their order. */
static inline void pm_cl_drop(pm_cl_array *array) {
  pthread_mutex_lock(&pm_cl.lock);
  if (array) pm_cl_give(array);
  pthread_mutex_unlock(&pm_cl.lock);
}

/* --- launches --- */

/* Groups and items along each dimension; the number of groups. */
static size_t pm_cl_count(cl_uint n_dims, const pm_cl_range *ranges, size_t *global, size_t *local) {
  size_t all = 1;
  for (cl_uint d = 0; d < n_dims; d++) {
    const pm_cl_range *r = &ranges[d];
    size_t groups = r->end > r->first ? ((size_t)r->end - (size_t)r->first - 1) / (size_t)r->step + 1 : 0;
    local[d] = r->items;
    global[d] = groups * r->items;
    all *= groups;
  }
  return all;
}

static void pm_cl_set_arguments(pm_cl_call *c, cl_kernel kernel, cl_uint n, const pm_cl_argument *arguments) {
  for (cl_uint i = 0; i < n && !c->status; i++) {
    const pm_cl_argument *a = &arguments[i];
    if (a->array && !pm_cl_bring(c, a->array)) return;
    pm_cl_check(c,
                pm_cl.call.clSetKernelArg(kernel, i, a->array ? sizeof(cl_mem) : a->bytes,
                                          a->array ? (const void *)&a->array->block->memory : a->value),
                "give an argument");
  }
}

/* The device is better off with places of 32 bits, and no array has more cells than these can count. */
static int pm_cl_is_small(const pm_cl_call *c, cl_uint n, const pm_cl_argument *arguments) {
  int small = pm_cl.narrow && c->is_small;
  for (cl_uint i = 0; i < n && small; i++)
    small = !arguments[i].array || arguments[i].array->bytes / arguments[i].bytes <= PM_CL_SMALL_CELLS;
  return small;
}

static void pm_cl_enqueue(pm_cl_call *c, size_t number, cl_uint n_dims, const pm_cl_range *ranges, cl_uint n,
                          const pm_cl_argument *arguments, size_t spill) {
  size_t global[3], local[3], groups = pm_cl_count(n_dims, ranges, global, local);
  pm_cl_array memory = {.bytes = groups * spill, .use = PM_CL_TEMPORARY};
  int spills = spill > pm_cl.local_bytes;
  pm_cl_build *build = groups ? pm_cl_take_build(c, pm_cl_is_small(c, n, arguments)) : NULL;
  if (!build) return;
  cl_kernel kernel = build->kernels[number];
  pm_cl_set_arguments(c, kernel, n, arguments);
  if (spills && !pm_cl_bring(c, &memory)) return;
  if (spill && !c->status)
    pm_cl_check(c,
                pm_cl.call.clSetKernelArg(kernel, n, sizeof(cl_mem), spills ? &memory.block->memory : NULL),
                "give an argument");
  if (!c->status)
    pm_cl_check(
        c, pm_cl.call.clEnqueueNDRangeKernel(pm_cl.queue, kernel, n_dims, NULL, global, local, 0, NULL, NULL),
        pm_cl_kernels[number]);
  pm_cl_give(&memory);
}

/* Dimensions begin with the innermost. Where the device has less local memory than `spill` bytes, each group
 * has as many of its global memory, which are one more argument. */
static void pm_cl_launch(pm_cl_call *c, size_t number, cl_uint n_dims, const pm_cl_range *ranges, cl_uint n,
                         const pm_cl_argument *arguments, size_t spill) {
  pthread_mutex_lock(&pm_cl.lock);
  if (pm_cl_begin(c)) pm_cl_enqueue(c, number, n_dims, ranges, n, arguments, spill);
  pthread_mutex_unlock(&pm_cl.lock);
}

/* --- the end of a call --- */

/* An output that no launch has had keeps what the caller had there. */
static void pm_cl_read(pm_cl_call *c, const pm_cl_array *a) {
  cl_int code = CL_SUCCESS;
  if (a->use != PM_CL_OUTPUT || !a->block || !a->bytes || c->status) return;
  if (pm_cl_is_shared(a)) {
    void *mapped = pm_cl.call.clEnqueueMapBuffer(pm_cl.queue, a->block->memory, CL_TRUE, CL_MAP_READ, 0,
                                                 a->bytes, 0, NULL, NULL, &code);
    if (code == CL_SUCCESS)
      code = pm_cl.call.clEnqueueUnmapMemObject(pm_cl.queue, a->block->memory, mapped, 0, NULL, NULL);
  } else {
    code = pm_cl.call.clEnqueueReadBuffer(pm_cl.queue, a->block->memory, CL_TRUE, 0, a->bytes, a->host, 0,
                                          NULL, NULL);
  }
  pthread_mutex_lock(&pm_cl.lock);
  pm_cl_check(c, code, "read an output");
  pthread_mutex_unlock(&pm_cl.lock);
}

/* Waits for all launches, brings the outputs and gives up what the call has; its status. */
static int pm_cl_end(pm_cl_call *c) {
  for (pm_cl_array *a = c->arrays; a && c->open; a = a->next) pm_cl_read(c, a);
  if (c->open) {
    cl_int code = pm_cl.call.clFinish(pm_cl.queue);
    pthread_mutex_lock(&pm_cl.lock);
    pm_cl_check(c, code, "finish");
    pthread_mutex_unlock(&pm_cl.lock);
  }
  pthread_mutex_lock(&pm_cl.lock);
  while (c->arrays) {
    pm_cl_array *a = c->arrays;
    c->arrays = a->next;
    pm_cl_give(a);
    free(a);
  }
  if (c->open) pm_cl.calls--;
  if ((c->status == PM_CL_FAILED || c->status == PM_CL_NO_MEMORY) && !pm_cl.calls) pm_cl_close();
  pthread_mutex_unlock(&pm_cl.lock);
  return c->status;
}

static void pm_cl_release(void) {
  pthread_mutex_lock(&pm_cl.lock);
  if (!pm_cl.calls) pm_cl_close();
  pthread_mutex_unlock(&pm_cl.lock);
}
