/* What the emitted functions call of OpenCL 1.2: a device, its arrays, launches. The library is opened when
 * the first call needs it. One device serves all calls of a file that name no queue; calls may come from
 * several threads. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>

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
  F(clRetainCommandQueue)                                                                                    \
  F(clGetCommandQueueInfo)                                                                                   \
  F(clRetainContext)                                                                                         \
  F(clCreateProgramWithSource)                                                                               \
  F(clCreateProgramWithBinary)                                                                               \
  F(clGetProgramInfo)                                                                                        \
  F(clBuildProgram)                                                                                          \
  F(clGetProgramBuildInfo)                                                                                   \
  F(clReleaseProgram)                                                                                        \
  F(clCreateKernel)                                                                                          \
  F(clReleaseKernel)                                                                                         \
  F(clSetKernelArg)                                                                                          \
  F(clCreateBuffer)                                                                                          \
  F(clReleaseMemObject)                                                                                      \
  F(clGetMemObjectInfo)                                                                                      \
  F(clEnqueueWriteBuffer)                                                                                    \
  F(clEnqueueReadBuffer)                                                                                     \
  F(clEnqueueMapBuffer)                                                                                      \
  F(clEnqueueUnmapMemObject)                                                                                 \
  F(clEnqueueNDRangeKernel)                                                                                  \
  F(clGetEventProfilingInfo)                                                                                 \
  F(clReleaseEvent)                                                                                          \
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

/* A launch whose times are not known yet. */
typedef struct pm_cl_event {
  cl_event event;
  size_t kernel;
} pm_cl_event;

enum { PM_CL_ROOM = sizeof pm_cl_kernels / sizeof *pm_cl_kernels + 1, PM_CL_MOST_EVENTS = 1024 };
static const size_t pm_cl_n_kernels = PM_CL_ROOM - 1;

/* The program as it is built for small calls, or for all, once a launch needs it. */
typedef struct pm_cl_build {
  cl_program program; /* NULL: it is not built */
  cl_kernel kernels[PM_CL_ROOM];
} pm_cl_build;

/* A queue, and what is made for launches in it. */
typedef struct pm_cl_device {
  struct pm_cl_device *next;
  cl_device_id id;
  cl_context context;
  cl_command_queue queue;
  pm_cl_build builds[2]; /* the second is that for small calls */
  pm_cl_block *kept;
  pm_cl_event events[PM_CL_MOST_EVENTS];
  size_t n_events;
  unsigned calls; /* that are running */
  int failed;     /* one did: the device is closed when nobody has it any more */
  int given;      /* the queue is a caller's */
  int lent;       /* callers have the queue: it stays until it is released */
  size_t arrays;  /* that callers have: likewise */
  cl_bool unified, profiles;
  cl_bool narrow; /* places of 32 bits are faster than those of 64: so on GPUs, not on processors */
  /* PoCL 3.1 computes wrong values behind some barriers in loops when it optimizes, and in some loops over
   * arrays that are said to be apart. */
  cl_bool unsure;
  cl_ulong local_bytes; /* of a group */
  char name[600];       /* of platform and device */
} pm_cl_device;

static struct {
  pthread_mutex_t lock;
  pm_cl_library call;
  void *library;
  pm_cl_device *devices;
  int profile;
  pm_kernel_times times[PM_CL_ROOM];
} pm_cl = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Around the first calls of OpenCL, of all programs of a process: loaders of OpenCL are not ready for threads
 * then. Programs that are linked together share it, and who loads several gives them one. */
#ifdef __GNUC__
#define PM_CL_SHARED __attribute__((weak))
#else
#define PM_CL_SHARED static
#endif
PM_CL_SHARED pthread_mutex_t pm_opencl_own_lock = PTHREAD_MUTEX_INITIALIZER;
PM_CL_SHARED pthread_mutex_t *pm_opencl_lock = &pm_opencl_own_lock;

static _Thread_local char pm_cl_message[1 << 14]; /* of the last failure of this thread */

typedef enum pm_cl_use { PM_CL_INPUT, PM_CL_OUTPUT, PM_CL_TEMPORARY } pm_cl_use;

/* An array of a call. */
typedef struct pm_cl_array {
  struct pm_cl_array *next;
  pm_cl_use use;
  void *host; /* NULL for a temporary, and where `given` is not */
  cl_mem given;
  size_t bytes;
  pm_cl_block *block; /* NULL: not yet, or never */
} pm_cl_array;

typedef struct pm_cl_call {
  int on_device;          /* arrays of the caller are the device's, and nothing is waited for */
  cl_command_queue queue; /* NULL: the file's own */
  int status;
  int is_small;         /* the sizes are */
  pm_cl_device *device; /* NULL: not yet */
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
               {CL_INVALID_CONTEXT, "CL_INVALID_CONTEXT"},
               {CL_INVALID_MEM_OBJECT, "CL_INVALID_MEM_OBJECT"},
               {CL_INVALID_KERNEL_NAME, "CL_INVALID_KERNEL_NAME"},
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
  return "an error without a name";
}

/* The call fails, with what the text says; the first failure counts. */
static void pm_cl_say(pm_cl_call *c, int status, const char *format, ...) {
  if (c->status) return;
  va_list args;
  va_start(args, format);
  vsnprintf(pm_cl_message, sizeof pm_cl_message, format, args);
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
static int pm_cl_choose(pm_cl_call *c, pm_cl_device *d) {
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
    d->id = found[chosen].device;
  return !c->status;
}

/* What is known of the device before anything is made for it. */
static void pm_cl_ask(pm_cl_device *d) {
  cl_platform_id platform = NULL;
  cl_device_type type = 0;
  size_t len;
  pm_cl.call.clGetDeviceInfo(d->id, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
  pm_cl.call.clGetDeviceInfo(d->id, CL_DEVICE_TYPE, sizeof type, &type, NULL);
  pm_cl.call.clGetDeviceInfo(d->id, CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof d->unified, &d->unified, NULL);
  pm_cl.call.clGetDeviceInfo(d->id, CL_DEVICE_LOCAL_MEM_SIZE, sizeof d->local_bytes, &d->local_bytes, NULL);
  d->local_bytes -= d->local_bytes / 16; /* for what the implementation adds */
  pm_cl.call.clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof d->name / 2, d->name, NULL);
  len = strlen(d->name);
  pm_cl.call.clGetDeviceInfo(d->id, CL_DEVICE_NAME, sizeof d->name - len, d->name + len, NULL);
  d->narrow = (type & CL_DEVICE_TYPE_GPU) != 0;
  d->unsure = type & CL_DEVICE_TYPE_CPU && strstr(d->name, "Portable Computing Language");
}

/* --- programs --- */

/* What the device's compiler says, as much as fits. */
static void pm_cl_say_log(pm_cl_call *c, const pm_cl_device *d, const pm_cl_build *b, const char *options) {
  size_t len = 0;
  pm_cl.call.clGetProgramBuildInfo(b->program, d->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &len);
  char *log = calloc(len + 1, 1);
  if (log) pm_cl.call.clGetProgramBuildInfo(b->program, d->id, CL_PROGRAM_BUILD_LOG, len, log, NULL);
  pm_cl_say(c, PM_CL_FAILED, "OpenCL cannot build the kernels with '%s':\n%s", options, log ? log : "");
  free(log);
}

static void pm_cl_build_source(pm_cl_call *c, const pm_cl_device *d, pm_cl_build *b, const char *options) {
  cl_int code;
  b->program = pm_cl.call.clCreateProgramWithSource(d->context, sizeof pm_cl_source / sizeof *pm_cl_source,
                                                    (const char **)pm_cl_source, NULL, &code);
  pm_cl_check(c, code, "take the program");
  if (c->status) return;
  code = pm_cl.call.clBuildProgram(b->program, 1, &d->id, options, NULL, NULL);
  if (code == CL_BUILD_PROGRAM_FAILURE)
    pm_cl_say_log(c, d, b, options);
  else
    pm_cl_check(c, code, "build the kernels");
}

/* All that the built program depends on. */
static void pm_cl_put_key(pm_cl_data *key, const pm_cl_device *d, const char *options) {
  char text[256];
  static const cl_device_info infos[] = {CL_DEVICE_VENDOR, CL_DEVICE_VERSION, CL_DRIVER_VERSION};
  pm_cl_put(key, d->name, strlen(d->name) + 1);
  for (size_t i = 0; i < sizeof infos / sizeof *infos; i++) {
    text[0] = '\0';
    pm_cl.call.clGetDeviceInfo(d->id, infos[i], sizeof text, text, NULL);
    pm_cl_put(key, text, strlen(text) + 1);
  }
  pm_cl_put(key, options, strlen(options) + 1);
  for (size_t i = 0; i < sizeof pm_cl_source / sizeof *pm_cl_source; i++)
    pm_cl_put(key, pm_cl_source[i], strlen(pm_cl_source[i]));
}

/* A program of which this is the binary, built; false: it is refused, and there is none. */
static int pm_cl_load(const pm_cl_device *d, pm_cl_build *b, const pm_cl_data *binary, const char *options) {
  cl_int code, taken = CL_SUCCESS;
  const unsigned char *bytes = (const unsigned char *)binary->bytes;
  b->program = pm_cl.call.clCreateProgramWithBinary(d->context, 1, &d->id, &binary->n, &bytes, &taken, &code);
  if (code == CL_SUCCESS && taken == CL_SUCCESS &&
      pm_cl.call.clBuildProgram(b->program, 1, &d->id, options, NULL, NULL) == CL_SUCCESS)
    return 1;
  if (code == CL_SUCCESS) pm_cl.call.clReleaseProgram(b->program);
  b->program = NULL;
  return 0;
}

/* The binary of the program for its only device; empty: it has none. */
static void pm_cl_get_binary(const pm_cl_build *b, pm_cl_data *binary) {
  size_t n = 0;
  if (pm_cl.call.clGetProgramInfo(b->program, CL_PROGRAM_BINARY_SIZES, sizeof n, &n, NULL) != CL_SUCCESS ||
      !n || !pm_cl_reserve(binary, n))
    return;
  unsigned char *bytes = (unsigned char *)binary->bytes;
  if (pm_cl.call.clGetProgramInfo(b->program, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL) == CL_SUCCESS)
    binary->n = n;
}

static void pm_cl_make_kernels(pm_cl_call *c, pm_cl_build *b) {
  cl_int code = CL_SUCCESS;
  for (size_t i = 0; i < pm_cl_n_kernels && !c->status; i++) {
    b->kernels[i] = pm_cl.call.clCreateKernel(b->program, pm_cl_kernels[i], &code);
    pm_cl_check(c, code, pm_cl_kernels[i]);
  }
}

/* From what an earlier process has kept, or from the source, which is then kept. */
static void pm_cl_find_program(pm_cl_call *c, const pm_cl_device *d, pm_cl_build *b) {
  pm_cl_data key = {0}, binary = {0};
  char options[256];
  int folder = pm_cl_cache_folder();
  snprintf(options, sizeof options, "%s -DPM_LOCAL_BYTES=%llu%s%s%s", pm_cl_options,
           (unsigned long long)d->local_bytes, b == &d->builds[1] ? " -DPM_SMALL" : "",
           d->unsure ? " -DPM_UNSURE" : "", d->unsure && pm_cl_waits ? " -cl-opt-disable" : "");
  if (folder >= 0) pm_cl_put_key(&key, d, options);
  if (folder < 0 || !pm_cl_cache_find(folder, &key, &binary) || !pm_cl_load(d, b, &binary, options)) {
    pm_cl_build_source(c, d, b, options);
    binary.n = 0;
    if (folder >= 0 && !c->status) pm_cl_get_binary(b, &binary);
    if (binary.n) pm_cl_cache_keep(folder, &key, &binary);
  }
  if (folder >= 0) close(folder);
  free(key.bytes);
  free(binary.bytes);
}

static void pm_cl_give_up(pm_cl_build *b) {
  for (size_t i = 0; i < pm_cl_n_kernels; i++)
    if (b->kernels[i]) pm_cl.call.clReleaseKernel(b->kernels[i]);
  if (b->program) pm_cl.call.clReleaseProgram(b->program);
  memset(b, 0, sizeof *b);
}

/* The build, or NULL after a failure. Under the lock. */
static pm_cl_build *pm_cl_take_build(pm_cl_call *c, pm_cl_device *d, int small) {
  pm_cl_build *b = &d->builds[small];
  if (b->program) return b;
  pm_cl_find_program(c, d, b);
  if (!c->status) pm_cl_make_kernels(c, b);
  if (!c->status) return b;
  pm_cl_give_up(b);
  return NULL;
}

/* --- devices --- */

static void pm_cl_free_block(pm_cl_block *block) {
  pm_cl.call.clReleaseMemObject(block->memory);
  free(block);
}

static void pm_cl_free_kept(pm_cl_device *d) {
  while (d->kept) {
    pm_cl_block *block = d->kept;
    d->kept = block->next;
    pm_cl_free_block(block);
  }
}

/* Takes it from the list, and gives up all that it has. Under the lock, while no call has it. */
static void pm_cl_close(pm_cl_device *d) {
  pm_cl_device **at = &pm_cl.devices;
  while (*at && *at != d) at = &(*at)->next;
  if (*at) *at = d->next;
  if (d->queue) pm_cl.call.clFinish(d->queue);
  for (size_t i = 0; i < d->n_events; i++) pm_cl.call.clReleaseEvent(d->events[i].event);
  pm_cl_free_kept(d);
  for (int i = 0; i < 2; i++) pm_cl_give_up(&d->builds[i]);
  if (d->queue) pm_cl.call.clReleaseCommandQueue(d->queue);
  if (d->context) pm_cl.call.clReleaseContext(d->context);
  free(d);
}

/* In order; one that notes times where that is wanted and possible. */
static void pm_cl_make_queue(pm_cl_call *c, pm_cl_device *d) {
  cl_int code = CL_SUCCESS;
  d->profiles = CL_FALSE;
  d->queue = NULL;
  if (pm_cl.profile)
    d->queue = pm_cl.call.clCreateCommandQueue(d->context, d->id, CL_QUEUE_PROFILING_ENABLE, &code);
  d->profiles = d->queue != NULL && code == CL_SUCCESS;
  if (!d->profiles) d->queue = pm_cl.call.clCreateCommandQueue(d->context, d->id, 0, &code);
  pm_cl_check(c, code, "make a queue");
}

static void pm_cl_open_own(pm_cl_call *c, pm_cl_device *d) {
  cl_int code = CL_SUCCESS;
  if (!pm_cl_choose(c, d)) return;
  pm_cl_ask(d);
  d->context = pm_cl.call.clCreateContext(NULL, 1, &d->id, NULL, NULL, &code);
  pm_cl_check(c, code, "make a context");
  if (!c->status) pm_cl_make_queue(c, d);
}

static void pm_cl_ask_queue(pm_cl_call *c, cl_command_queue_info what, size_t bytes, void *to) {
  if (!c->status)
    pm_cl_check(c, pm_cl.call.clGetCommandQueueInfo(c->queue, what, bytes, to, NULL), "ask about the queue");
}

/* The caller's queue, with its device and context. */
static void pm_cl_adopt(pm_cl_call *c, pm_cl_device *d) {
  cl_context context = NULL;
  cl_command_queue_properties properties = 0;
  d->given = 1;
  pm_cl_ask_queue(c, CL_QUEUE_CONTEXT, sizeof context, &context);
  pm_cl_ask_queue(c, CL_QUEUE_DEVICE, sizeof d->id, &d->id);
  pm_cl_ask_queue(c, CL_QUEUE_PROPERTIES, sizeof properties, &properties);
  if (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
    pm_cl_say(c, PM_CL_FAILED, "the queue runs commands in any order, but the launches need their own order");
  if (!c->status) pm_cl_check(c, pm_cl.call.clRetainContext(context), "share the context");
  if (c->status) return;
  d->context = context;
  pm_cl_check(c, pm_cl.call.clRetainCommandQueue(c->queue), "share the queue");
  if (c->status) return;
  d->queue = c->queue;
  d->profiles = (properties & CL_QUEUE_PROFILING_ENABLE) != 0;
  pm_cl_ask(d);
}

static pm_cl_device *pm_cl_find(const pm_cl_call *c) {
  pm_cl_device *d = pm_cl.devices;
  while (d && (c->queue ? d->queue != c->queue : d->given)) d = d->next;
  return d;
}

/* NULL when the call fails. */
static pm_cl_device *pm_cl_open_alone(pm_cl_call *c) {
  if (!pm_cl_open_library(c)) return NULL;
  pm_cl_device *d = calloc(1, sizeof *d);
  if (!d) {
    pm_cl_say(c, PM_CL_NO_MEMORY, "there is no memory");
    return NULL;
  }
  if (c->queue)
    pm_cl_adopt(c, d);
  else
    pm_cl_open_own(c, d);
  if (c->status) {
    pm_cl_close(d);
    return NULL;
  }
  d->next = pm_cl.devices;
  return pm_cl.devices = d;
}

static pm_cl_device *pm_cl_open(pm_cl_call *c) {
  pthread_mutex_lock(pm_opencl_lock);
  pm_cl_device *d = pm_cl_open_alone(c);
  pthread_mutex_unlock(pm_opencl_lock);
  return d;
}

/* The call has the device; false when it fails. Under the lock. */
static int pm_cl_begin(pm_cl_call *c) {
  if (c->status || c->device) return !c->status;
  pm_cl_device *d = pm_cl_find(c);
  if (!d) d = pm_cl_open(c);
  if (d) d->calls++;
  c->device = d;
  return d != NULL;
}

/* After a failure nothing is trusted, unless callers have it. Under the lock. */
static void pm_cl_close_failed(pm_cl_device *d) {
  if (d->failed && !d->calls && !d->lent && !d->arrays) pm_cl_close(d);
}

static void pm_cl_leave(pm_cl_call *c) {
  pm_cl_device *d = c->device;
  if (!d) return;
  d->calls--;
  d->failed |= c->status == PM_CL_FAILED || c->status == PM_CL_NO_MEMORY;
  pm_cl_close_failed(d);
}
