/* Runs the emitted function `harris` of PROGRAM with arrays of the host, of its device, and in a queue of the
 * caller, then again with each call of OpenCL failing in turn: there must be an error, the next call must be
 * right, and harris_release() must leave no object of OpenCL. The argument is an empty folder for kernels:
 * what is kept there is used, and what is damaged or refused is made again. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int calls, live, failing = -1;
static cl_int code;

static const char *only; /* the function that fails, instead of call number `failing` */

static const char *failed; /* the function that did */
static int finished;       /* calls of clFinish */

static int fails(const char *name) {
  int now = only ? !strcmp(only, name) : calls++ == failing;
  if (now) failed = name;
  finished += !strcmp(name, "clFinish");
  return now;
}

/* A call that makes an object, and the one that releases it. */
#define OBJECT(type, make, release, parameters, arguments)                                                   \
  static __typeof__(&make) real_##make;                                                                      \
  static __typeof__(&release) real_##release;                                                                \
  static type counted_##make parameters {                                                                    \
    if (fails(#make)) {                                                                                      \
      *error = code;                                                                                         \
      return NULL;                                                                                           \
    }                                                                                                        \
    type made = real_##make arguments;                                                                       \
    live += made != NULL;                                                                                    \
    return made;                                                                                             \
  }                                                                                                          \
  static cl_int counted_##release(type object) {                                                             \
    live--;                                                                                                  \
    return real_##release(object);                                                                           \
  }

#define CALL(name, parameters, arguments)                                                                    \
  static __typeof__(&name) real_##name;                                                                      \
  static cl_int counted_##name parameters {                                                                  \
    return fails(#name) ? code : real_##name arguments;                                                      \
  }

/* One that makes another reference. */
#define RETAIN(type, name)                                                                                   \
  static __typeof__(&name) real_##name;                                                                      \
  static cl_int counted_##name(type object) {                                                                \
    cl_int done = fails(#name) ? code : real_##name(object);                                                 \
    live += done == CL_SUCCESS;                                                                              \
    return done;                                                                                             \
  }

typedef void notify(const char *, const void *, size_t, void *);
typedef void notify_program(cl_program, void *);

OBJECT(cl_context, clCreateContext, clReleaseContext,
       (const cl_context_properties *p, cl_uint n, const cl_device_id *d, notify *f, void *user,
        cl_int *error),
       (p, n, d, f, user, error))
OBJECT(cl_command_queue, clCreateCommandQueue, clReleaseCommandQueue,
       (cl_context c, cl_device_id d, cl_command_queue_properties p, cl_int *error), (c, d, p, error))
OBJECT(cl_program, clCreateProgramWithSource, clReleaseProgram,
       (cl_context c, cl_uint n, const char **text, const size_t *len, cl_int *error),
       (c, n, text, len, error))
OBJECT(cl_kernel, clCreateKernel, clReleaseKernel, (cl_program p, const char *name, cl_int *error),
       (p, name, error))
OBJECT(cl_mem, clCreateBuffer, clReleaseMemObject,
       (cl_context c, cl_mem_flags flags, size_t bytes, void *host, cl_int *error),
       (c, flags, bytes, host, error))
CALL(clBuildProgram,
     (cl_program p, cl_uint n, const cl_device_id *d, const char *options, notify_program *f, void *user),
     (p, n, d, options, f, user))
CALL(clSetKernelArg, (cl_kernel k, cl_uint i, size_t bytes, const void *value), (k, i, bytes, value))
CALL(clEnqueueWriteBuffer,
     (cl_command_queue q, cl_mem m, cl_bool b, size_t at, size_t bytes, const void *from, cl_uint n,
      const cl_event *w, cl_event *e),
     (q, m, b, at, bytes, from, n, w, e))
CALL(clEnqueueReadBuffer,
     (cl_command_queue q, cl_mem m, cl_bool b, size_t at, size_t bytes, void *to, cl_uint n,
      const cl_event *w, cl_event *e),
     (q, m, b, at, bytes, to, n, w, e))
CALL(clEnqueueNDRangeKernel,
     (cl_command_queue q, cl_kernel k, cl_uint n, const size_t *first, const size_t *global,
      const size_t *local, cl_uint waits, const cl_event *w, cl_event *e),
     (q, k, n, first, global, local, waits, w, e))
CALL(clFinish, (cl_command_queue q), (q))
CALL(clFlush, (cl_command_queue q), (q))
CALL(clGetCommandQueueInfo, (cl_command_queue q, cl_command_queue_info i, size_t n, void *to, size_t *all),
     (q, i, n, to, all))
CALL(clGetMemObjectInfo, (cl_mem m, cl_mem_info i, size_t n, void *to, size_t *all), (m, i, n, to, all))
CALL(clGetProgramInfo, (cl_program p, cl_program_info i, size_t n, void *to, size_t *all), (p, i, n, to, all))
CALL(clGetEventProfilingInfo, (cl_event e, cl_profiling_info i, size_t n, void *to, size_t *all),
     (e, i, n, to, all))
RETAIN(cl_command_queue, clRetainCommandQueue)
RETAIN(cl_context, clRetainContext)

static int binaries; /* programs that were made of one */
static __typeof__(&clCreateProgramWithBinary) real_clCreateProgramWithBinary;
static cl_program counted_clCreateProgramWithBinary(cl_context c, cl_uint n, const cl_device_id *d,
                                                    const size_t *len, const unsigned char **bytes,
                                                    cl_int *taken, cl_int *error) {
  if (fails("clCreateProgramWithBinary")) {
    *error = code;
    return NULL;
  }
  cl_program made = real_clCreateProgramWithBinary(c, n, d, len, bytes, taken, error);
  live += made != NULL;
  binaries += made != NULL;
  return made;
}

static const void *shared; /* where an output that is mapped should have its values already */
static __typeof__(&clEnqueueMapBuffer) real_clEnqueueMapBuffer;
static void *counted_clEnqueueMapBuffer(cl_command_queue q, cl_mem m, cl_bool b, cl_map_flags flags,
                                        size_t at, size_t bytes, cl_uint n, const cl_event *w, cl_event *e,
                                        cl_int *error);

#define COUNTED(ROW)                                                                                         \
  ROW(clCreateContext)                                                                                       \
  ROW(clReleaseContext)                                                                                      \
  ROW(clCreateCommandQueue)                                                                                  \
  ROW(clReleaseCommandQueue)                                                                                 \
  ROW(clCreateProgramWithSource)                                                                             \
  ROW(clReleaseProgram)                                                                                      \
  ROW(clCreateKernel)                                                                                        \
  ROW(clReleaseKernel)                                                                                       \
  ROW(clCreateBuffer)                                                                                        \
  ROW(clReleaseMemObject)                                                                                    \
  ROW(clBuildProgram)                                                                                        \
  ROW(clSetKernelArg)                                                                                        \
  ROW(clEnqueueWriteBuffer)                                                                                  \
  ROW(clEnqueueReadBuffer)                                                                                   \
  ROW(clEnqueueNDRangeKernel)                                                                                \
  ROW(clFinish)                                                                                              \
  ROW(clFlush)                                                                                               \
  ROW(clGetCommandQueueInfo)                                                                                 \
  ROW(clGetMemObjectInfo)                                                                                    \
  ROW(clGetProgramInfo)                                                                                      \
  ROW(clGetEventProfilingInfo)                                                                               \
  ROW(clRetainCommandQueue)                                                                                  \
  ROW(clRetainContext)                                                                                       \
  ROW(clCreateProgramWithBinary)                                                                             \
  ROW(clEnqueueMapBuffer)

static void *counted_dlsym(void *library, const char *name) {
  void *real = dlsym(library, name);
#define ROW(function)                                                                                        \
  if (!strcmp(name, #function)) {                                                                            \
    *(void **)&real_##function = real;                                                                       \
    __typeof__(&function) counted = counted_##function;                                                      \
    return *(void **)&counted;                                                                               \
  }
  COUNTED(ROW)
  return real;
}

#define dlsym counted_dlsym
#include PROGRAM
#undef dlsym

enum { R = 37, C = 41, BYTES = (R + 2) * (C + 2) * sizeof(float) };
static float img[R + 2][C + 2], expected[R + 2][C + 2], result[R + 2][C + 2];

static int expect(const char *what, int have, int want) {
  if (have != want)
    printf("%s, call %d, %s: %d, expected %d\n", what, failing, failed ? failed : "", have, want);
  return have != want;
}

static int in_place; /* outputs that had their values before they were mapped */

static void *counted_clEnqueueMapBuffer(cl_command_queue q, cl_mem m, cl_bool b, cl_map_flags flags,
                                        size_t at, size_t bytes, cl_uint n, const cl_event *w, cl_event *e,
                                        cl_int *error) {
  if (fails("clEnqueueMapBuffer")) {
    *error = code;
    return NULL;
  }
  real_clFinish(q);
  in_place += shared && !memcmp(shared, expected, BYTES);
  return real_clEnqueueMapBuffer(q, m, b, flags, at, bytes, n, w, e, error);
}

/* --- ways to call it --- */

static int on_host(void) {
  return harris(R, C, &img[0][0], &result[0][0]);
}

static cl_command_queue given; /* NULL: the file's own */
static cl_mem given_in, given_out;

/* In the queue of the caller, with its arrays. */
static int in_queue(void) {
  int status = harris_device(given, R, C, given_in, given_out);
  if (status) return status;
  return real_clEnqueueReadBuffer(given, given_out, CL_TRUE, 0, BYTES, result, 0, NULL, NULL);
}

/* With arrays of the file's own queue. What gives no array has failed with the code 7. */
static int on_device(void) {
  cl_mem in = harris_device_array(BYTES), out = in ? harris_device_array(BYTES) : NULL;
  int status = in && out ? harris_device_write(in, img, BYTES) : 7;
  if (!status) status = harris_device(NULL, R, C, in, out);
  if (!status) status = harris_device_read(out, result, BYTES);
  int waited = harris_device_wait();
  harris_device_free(in);
  harris_device_free(out);
  return status ? status : waited;
}

static int run_well(const char *what, int (*run)(void)) {
  memset(result, 0xa5, sizeof result);
  int bad = expect(what, run(), 0);
  return bad | expect(what, memcmp(result, expected, sizeof result) != 0, 0);
}

/* --- failures --- */

/* What is kept on disk is not needed, and an array is freed in any case. */
static int is_needed(const char *name) {
  static const char *const others[] = {"clCreateProgramWithBinary", "clGetProgramInfo", "clGetMemObjectInfo"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (!strcmp(name, others[i])) return 0;
  return !*getenv("PM_CACHE_DIR") || strcmp(name, "clBuildProgram") != 0;
}

static int fail_call(int number, int (*run)(void)) {
  calls = 0;
  failing = number;
  int status = run();
  int bad = status || is_needed(failed) ? expect("an error", status == 3 || status == 7, 1) : 0;
  if (code == CL_OUT_OF_HOST_MEMORY) bad |= expect("no memory", status, 3);
  bad |= expect("a message", strlen(harris_strerror(status)) > 7, 1);
  failing = -1;
  return bad | run_well("afterwards", run);
}

/* Each call fails in turn, of a later run, or of the first one of all, which opens the device. */
static int fail_each(cl_int with, int first_run, int (*run)(void)) {
  enum { OPENING = 20 };
  code = with;
  if (first_run) harris_release();
  calls = 0;
  int bad = run_well("counting", run), n = first_run ? OPENING : calls;
  for (int i = 0; i < n && !bad; i++) {
    if (first_run) harris_release();
    bad |= fail_call(i, run);
  }
  return bad;
}

/* A launch that a device refuses: what was to be launched is said. */
static int refuse_launch(cl_int with, const char *name) {
  code = with;
  only = "clEnqueueNDRangeKernel";
  int bad = expect("a refused launch", on_host(), 7);
  only = NULL;
  bad |= expect(name, strstr(harris_strerror(7), name) && strstr(harris_strerror(7), " in groups of "), 1);
  return bad | run_well("afterwards", on_host);
}

/* One call fails while another one has the device: what that leaves is not trusted. */
static int fail_beside(void) {
  pm_cl_call other = {0};
  harris_release();
  pm_cl_begin(&other);
  code = CL_OUT_OF_RESOURCES;
  only = "clEnqueueNDRangeKernel";
  int bad = expect("beside another call", on_host(), 7);
  only = NULL;
  bad |= expect("the other call has the device", other.device == pm_cl.devices, 1);
  pm_cl_leave(&other);
  return bad | expect("closed behind it", pm_cl.devices != NULL, 0) | run_well("afterwards", on_host);
}

static void *refuse_there(void *bad) {
  *(int *)bad = refuse_launch(CL_INVALID_WORK_GROUP_SIZE, "CL_INVALID_WORK_GROUP_SIZE (-54)");
  return NULL;
}

/* A thread has the message of its own failure. */
static int refuse_in_two_threads(void) {
  static const char text[] = "CL_DEVICE_NOT_AVAILABLE (-2)";
  pthread_t thread;
  int there = 1, bad = refuse_launch(CL_DEVICE_NOT_AVAILABLE, text);
  bad |= expect("a thread", pthread_create(&thread, NULL, refuse_there, &there), 0);
  if (bad) return bad;
  pthread_join(thread, NULL);
  return there | expect(text, strstr(harris_strerror(7), text) != NULL, 1);
}

/* --- a queue of the caller --- */

static int make_given(void) {
  pm_cl_call call = {0};
  cl_device_id id;
  cl_int error;
  cl_command_queue own = harris_device_queue();
  if (expect("the file's queue", own != NULL, 1)) return 1;
  real_clGetCommandQueueInfo(own, CL_QUEUE_DEVICE, sizeof id, &id, NULL);
  cl_context context = real_clCreateContext(NULL, 1, &id, NULL, NULL, &error);
  given = real_clCreateCommandQueue(context, id, 0, &error);
  given_in = real_clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, BYTES, img, &error);
  given_out = real_clCreateBuffer(context, CL_MEM_READ_WRITE, BYTES, NULL, &error);
  real_clReleaseContext(context);
  return expect("a queue", call.status || !given || !given_in || !given_out, 0);
}

static int try_given(void) {
  int bad = make_given();
  if (bad) return bad;
  bad |= run_well("in a queue", in_queue) | fail_each(CL_OUT_OF_RESOURCES, 1, in_queue);
  bad |= expect("an array that is too small", harris_device(given, R + 1, C, given_in, given_out), 7);
  bad |= expect("its message", strstr(harris_strerror(7), "but should have") != NULL, 1);
  bad |= expect("no array", harris_device(given, R, C, NULL, given_out), 1);
  bad |= expect("a wrong argument", harris_device(given, -9, C, given_in, given_out), 16);
  harris_release();
  real_clReleaseMemObject(given_in);
  real_clReleaseMemObject(given_out);
  real_clReleaseCommandQueue(given);
  return bad;
}

/* --- the caller's memory --- */

/* At an address of any alignment: where device and host have the same memory nothing is copied. */
static int try_shared(void) {
  static char memory[BYTES + 4096];
  int bad = 0, maps = 0;
  for (size_t shift = 0; shift <= 132; shift += 44, maps++) {
    char *at = memory + (4096 - (size_t)memory % 4096) % 4096 + shift;
    shared = at;
    bad |= expect("at this address", harris(R, C, &img[0][0], (float *)(void *)at), 0);
    bad |= expect("values", memcmp(at, expected, BYTES), 0);
  }
  shared = NULL;
  return bad | expect("outputs in place", in_place, maps);
}

/* --- times --- */

static int try_times(const char *what, int (*run)(void)) {
  pm_kernel_times times;
  int bad = expect(what, harris_profile(1), 0), n = 0;
  for (int i = 0; i < 3; i++) bad |= run_well(what, run);
  for (; harris_kernel_times(n, &times); n++) {
    bad |= expect(times.name, (int)times.launches, 3) | expect("bytes", times.bytes >= 3 * BYTES, 1);
    bad |= expect("seconds", times.seconds > 0 && times.seconds < 60, 1);
  }
  return bad | expect("kernels", n > 0, 1) | expect("the end", harris_profile(0), 0);
}

/* --- what is kept on disk --- */

static int run_anew(const char *what, int from_binary) {
  harris_release();
  binaries = 0;
  return run_well(what, on_host) | expect(what, binaries, from_binary);
}

static int refuse_binary(const char *function) {
  harris_release();
  code = CL_OUT_OF_RESOURCES;
  only = function;
  int bad = run_well("refused", on_host);
  only = NULL;
  return bad;
}

static void damage(const char *file, long cut) {
  struct stat s;
  if (stat(file, &s) == 0 && truncate(file, cut < 0 ? s.st_size + cut : cut) != 0) perror(file);
}

static int try_cache(const char *folder) {
  char kept[4096], file[5000];
  snprintf(kept, sizeof kept, "%s/opencl", folder);
  DIR *files = opendir(kept);
  for (struct dirent *entry; files && (entry = readdir(files));)
    if (*entry->d_name != '.') snprintf(file, sizeof file, "%s/%s", kept, entry->d_name);
  int bad = expect("a folder", files != NULL, 1) || closedir(files) || run_anew("kept", 1);
  for (int i = 0; i < 3 && !bad; i++) {
    damage(file, (const long[]){0, 100, -1}[i]);
    bad |= run_anew("damaged", 0) | run_anew("kept again", 1);
  }
  bad = bad || refuse_binary("clCreateProgramWithBinary") || refuse_binary("clGetProgramInfo");
  setenv("PM_CACHE_DIR", file, 1);
  return bad || run_anew("no folder", 0);
}

static int fail_from_source(void) {
  setenv("PM_CACHE_DIR", "", 1);
  return expect("first", harris(R, C, &img[0][0], &expected[0][0]), 0) ||
         fail_each(CL_OUT_OF_HOST_MEMORY, 1, on_host);
}

static int fail_from_binary(const char *folder) {
  setenv("PM_CACHE_DIR", folder, 1);
  return run_anew("the first", 0) || fail_each(CL_OUT_OF_HOST_MEMORY, 0, on_host) ||
         fail_each(CL_OUT_OF_RESOURCES, 0, on_host) || fail_each(CL_OUT_OF_RESOURCES, 1, on_device) ||
         fail_each(CL_OUT_OF_RESOURCES, 0, on_device);
}

/* The queue is exchanged when what it has is done. */
static int time_behind_launches(void) {
  cl_mem in = harris_device_array(BYTES), out = harris_device_array(BYTES);
  int bad = expect("launches", harris_device(NULL, R, C, in, out), 0);
  harris_device_free(in);
  harris_device_free(out);
  finished = 0;
  bad |= expect("times behind them", harris_profile(1), 0) | expect("waited for", finished, 1);
  return bad | expect("the end", harris_profile(0), 0);
}

static int try_all_times(void) {
  if (time_behind_launches() || try_times("by events", on_host) || try_times("on the device", on_device))
    return 1;
  only = "clGetEventProfilingInfo";
  int bad = expect("no times", harris_profile(1) | on_host() | harris_profile(1), 0);
  bad = bad || try_times("by the clock", on_host);
  only = NULL;
  return bad;
}

int main(int argc, char **argv) {
  for (int i = 0; i < R + 2; i++)
    for (int j = 0; j < C + 2; j++) img[i][j] = (float)((i * 37 + j * 11) % 256) / 255;
  int bad = expect("arguments", argc, 2) || fail_from_source() || fail_from_binary(argv[1]) ||
            refuse_in_two_threads() || fail_beside() || try_given() || try_shared() || try_all_times() ||
            try_cache(argv[1]);
  harris_release();
  return bad || expect("objects left", live, 0);
}
