/* Memory that the emitted function `harris` of PROGRAM, which has stages in between, keeps on the device. */
#include <dlfcn.h>
#include <stdio.h>

#include PROGRAM

enum { R = 60, C = 41, BYTES = (R + 2) * (C + 2) * sizeof(float) };
static float img[R + 2][C + 2], result[R + 2][C + 2];

static int expect(const char *what, long have, long want) {
  if (have != want) printf("%s: %ld, expected %ld\n", what, have, want);
  return have != want;
}

/* --- a device that is full --- */

static __typeof__(&clCreateBuffer) create;
static __typeof__(&clFinish) finish;
static int refusals, finished;

static cl_mem create_or_refuse(cl_context context, cl_mem_flags flags, size_t bytes, void *host,
                               cl_int *code) {
  if (!refusals) return create(context, flags, bytes, host, code);
  refusals--;
  *code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
  return NULL;
}

static cl_int count_finish(cl_command_queue queue) {
  finished++;
  return finish(queue);
}

static void watch(void) {
  create = pm_cl.call.clCreateBuffer;
  finish = pm_cl.call.clFinish;
  pm_cl.call.clCreateBuffer = create_or_refuse;
  pm_cl.call.clFinish = count_finish;
}

/* The next array finds no memory before what is kept has gone back. */
static void fill(void) {
  refusals = 1;
  finished = 0;
}

/* --- what is kept --- */

static int kept(const pm_cl_device *d) {
  int n = 0;
  for (const pm_cl_block *block = d ? d->kept : NULL; block; block = block->next) n++;
  return n;
}

static int run(int rows) {
  return harris(rows, C, &img[0][0], &result[0][0]);
}

/* As many as one call leaves. */
static int try_growing(void) {
  int few = kept(pm_cl.devices), bad = expect("memory is kept", few > 0, 1);
  for (int rows = 20; rows <= R && !bad; rows++) bad = expect("a call", run(rows), 0);
  return bad || expect("kept after growing calls", kept(pm_cl.devices), few);
}

static int try_array(void) {
  int bad = expect("memory is kept", kept(pm_cl.devices) > 0, 1);
  fill();
  cl_mem array = harris_device_array(BYTES);
  bad |= expect("an array of a full device", array != NULL, 1);
  bad |= expect("it was waited for", finished, 1) || expect("kept", kept(pm_cl.devices), 0);
  harris_device_free(array);
  return bad;
}

/* Another queue of the device takes what the file's own one keeps. */
static int try_queues(void) {
  pm_cl_device *own = pm_cl.devices;
  cl_int code;
  cl_context context = pm_cl.call.clCreateContext(NULL, 1, &own->id, NULL, NULL, &code);
  cl_command_queue queue = pm_cl.call.clCreateCommandQueue(context, own->id, 0, &code);
  cl_mem in = create(context, CL_MEM_READ_WRITE, BYTES, NULL, &code);
  cl_mem out = create(context, CL_MEM_READ_WRITE, BYTES, NULL, &code);
  int bad = expect("a call", run(R), 0) | expect("it keeps memory", kept(own) > 0, 1);
  fill();
  bad |= expect("a queue of a full device", harris_device(queue, R, C, in, out), 0);
  bad |= expect("kept by the other queue", kept(own), 0);
  pm_cl.call.clReleaseMemObject(in);
  pm_cl.call.clReleaseMemObject(out);
  pm_cl.call.clReleaseCommandQueue(queue);
  pm_cl.call.clReleaseContext(context);
  return bad;
}

int main(void) {
  int bad = expect("the first call", run(19), 0);
  if (bad) return bad;
  watch();
  bad = try_growing() || try_array() || try_queues();
  harris_release();
  return bad;
}
