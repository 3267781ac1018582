/* What memory of the device gives that PROGRAM, a file of the target opencl, takes: prints as JSON which
 * device that is, its memory, and the least seconds of copying BYTES bytes (the argument), by a kernel and by
 * clEnqueueCopyBuffer. */
#include PROGRAM

#include <stdio.h>

#define MUST(call)                                                                                           \
  do {                                                                                                       \
    cl_int returned = call;                                                                                  \
    if (returned != CL_SUCCESS) return fprintf(stderr, "copy: %s: error %d\n", #call, returned), 1;          \
  } while (0)

enum { WARM_UP = 2, ROUNDS = 20 };

static const char *source =
    "__kernel void copy(__global const float4 *restrict from, __global float4 *restrict to) {"
    "  to[get_global_id(0)] = from[get_global_id(0)]; }";

static double seconds_of(cl_event event) {
  cl_ulong begin = 0, end = 0;
  clWaitForEvents(1, &event);
  clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof begin, &begin, NULL);
  clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
  clReleaseEvent(event);
  return 1e-9 * (double)(end - begin);
}

static void put_text(cl_device_id device, const char *key, cl_device_info info) {
  char text[512] = "";
  clGetDeviceInfo(device, info, sizeof text, text, NULL);
  printf("\"%s\": \"", key);
  for (const char *at = text; *at; at++) printf(*at == '"' || *at == '\\' ? "\\%c" : "%c", *at);
  printf("\", ");
}

static void put_device(cl_device_id device) {
  cl_device_type type = 0;
  cl_ulong memory = 0, most = 0;
  clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL);
  clGetDeviceInfo(device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof memory, &memory, NULL);
  clGetDeviceInfo(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most, &most, NULL);
  printf("{");
  put_text(device, "device", CL_DEVICE_NAME);
  put_text(device, "driver", CL_DRIVER_VERSION);
  printf("\"gpu\": %s, \"memory\": %llu, \"most\": %llu, ", type & CL_DEVICE_TYPE_GPU ? "true" : "false",
         (unsigned long long)memory, (unsigned long long)most);
}

static int measure(cl_context context, cl_device_id device, cl_command_queue queue, size_t bytes) {
  cl_int code;
  cl_event event;
  double by_kernel = 1e30, by_call = 1e30;
  const size_t items = bytes / 16;
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
  MUST(code);
  MUST(clBuildProgram(program, 1, &device, "", NULL, NULL));
  cl_kernel kernel = clCreateKernel(program, "copy", &code);
  cl_mem from = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &code);
  MUST(code);
  cl_mem to = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &code);
  MUST(code);
  MUST(clEnqueueFillBuffer(queue, from, &(float){1}, sizeof(float), 0, bytes, 0, NULL, NULL));
  MUST(clSetKernelArg(kernel, 0, sizeof from, &from));
  MUST(clSetKernelArg(kernel, 1, sizeof to, &to));
  for (int i = 0; i < WARM_UP + ROUNDS; i++) {
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &(const size_t){64}, 0, NULL, &event));
    double one = seconds_of(event);
    MUST(clEnqueueCopyBuffer(queue, from, to, 0, 0, bytes, 0, NULL, &event));
    double other = seconds_of(event);
    if (i >= WARM_UP && one < by_kernel) by_kernel = one;
    if (i >= WARM_UP && other < by_call) by_call = other;
  }
  printf("\"bytes\": %zu, \"kernel_s\": %.9f, \"call_s\": %.9f}\n", bytes, by_kernel, by_call);
  return 0;
}

int main(int argc, char **argv) {
  cl_int code;
  cl_device_id device;
  cl_context context;
  size_t bytes = argc == 2 ? strtoull(argv[1], NULL, 10) / 1024 * 1024 : 0;
  cl_command_queue own = twice_device_queue();
  if (!own) return fprintf(stderr, "copy: %s\n", twice_strerror(7)), 1;
  if (!bytes) return fprintf(stderr, "usage: copy BYTES, at least 1024\n"), 1;
  MUST(clGetCommandQueueInfo(own, CL_QUEUE_DEVICE, sizeof device, &device, NULL));
  MUST(clGetCommandQueueInfo(own, CL_QUEUE_CONTEXT, sizeof context, &context, NULL));
  cl_command_queue queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &code);
  MUST(code);
  put_device(device);
  return measure(context, device, queue, bytes);
}
