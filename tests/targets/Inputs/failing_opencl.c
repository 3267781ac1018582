/* Runs the emitted function `harris` of PROGRAM, then again with each call of OpenCL failing in turn: there
 * must be an error, the next call must be right, and harris_release() must leave no object of OpenCL. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int calls, live, failing = -1;
static cl_int code;

static int fails(void) {
  return calls++ == failing;
}

/* A call that makes an object, and the one that releases it. */
#define OBJECT(type, make, release, parameters, arguments)                                                   \
  static __typeof__(&make) real_##make;                                                                      \
  static __typeof__(&release) real_##release;                                                                \
  static type counted_##make parameters {                                                                    \
    if (fails()) {                                                                                           \
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
    return fails() ? code : real_##name arguments;                                                           \
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
  ROW(clFinish)

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

enum { R = 37, C = 41 };
static float img[R + 2][C + 2], expected[R + 2][C + 2], result[R + 2][C + 2];

static int expect(const char *what, int have, int want) {
  if (have != want) printf("%s, call %d: %d, expected %d\n", what, failing, have, want);
  return have != want;
}

static int run_well(const char *what) {
  memset(result, 0xa5, sizeof result);
  int bad = expect(what, harris(R, C, &img[0][0], &result[0][0]), 0);
  return bad | expect(what, memcmp(result, expected, sizeof result) != 0, 0);
}

/* Each call fails in turn, those of the first run of all and those of a later run. */
static int fail_each(cl_int with, int first_run) {
  int bad = 0, n;
  code = with;
  if (first_run) harris_release();
  calls = 0;
  bad |= run_well("counting");
  n = calls;
  for (int i = 0; i < n && !bad; i++) {
    if (first_run) harris_release();
    calls = 0;
    failing = i;
    int status = harris(R, C, &img[0][0], &result[0][0]);
    bad |= expect("an error", status, status == 7 && code == CL_OUT_OF_RESOURCES ? 7 : 3);
    bad |= expect("a message", strlen(harris_strerror(status)) > 10, 1);
    failing = -1;
    bad |= run_well("afterwards");
  }
  return bad;
}

int main(void) {
  for (int i = 0; i < R + 2; i++)
    for (int j = 0; j < C + 2; j++) img[i][j] = (float)((i * 37 + j * 11) % 256) / 255;
  int bad = expect("first", harris(R, C, &img[0][0], &expected[0][0]), 0);
  bad |= fail_each(CL_OUT_OF_HOST_MEMORY, 1) | fail_each(CL_OUT_OF_HOST_MEMORY, 0) |
         fail_each(CL_OUT_OF_RESOURCES, 0);
  harris_release();
  return bad | expect("objects left", live, 0);
}
