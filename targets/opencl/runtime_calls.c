/* --- arrays --- */

/* The bytes of an array with these extents: less than 2^63. */
static size_t pm_cl_bytes(size_t element, int n, const int64_t *extents) {
  size_t bytes = element;
  for (int i = 0; i < n; i++) bytes *= extents[i] > 0 ? (size_t)extents[i] : 0;
  return bytes;
}

/* An array of the caller, of the host or of the device; NULL after a failure. */
static pm_cl_array *pm_cl_add(pm_cl_call *c, pm_cl_use use, void *host, size_t bytes) {
  pm_cl_array *array = malloc(sizeof *array);
  if (!array) {
    pm_cl_fail(c, PM_CL_NO_MEMORY);
    return NULL;
  }
  *array = (pm_cl_array){.next = c->arrays, .use = use, .bytes = bytes};
  if (c->on_device)
    array->given = host;
  else
    array->host = host;
  return c->arrays = array;
}

/* Gives back what the queues of the device keep, once they are done with it; false: they keep nothing. Under
 * the lock. */
static int pm_cl_empty(const pm_cl_device *of) {
  int any = 0;
  for (pm_cl_device *d = pm_cl.devices; d; d = d->next) {
    if (d->id != of->id || !d->kept) continue;
    pm_cl.call.clFinish(d->queue);
    pm_cl_free_kept(d);
    any = 1;
  }
  return any;
}

/* New memory; what is kept goes back if there is no other. NULL: the call fails. Under the lock. */
static cl_mem pm_cl_allocate(pm_cl_call *c, size_t bytes, cl_mem_flags flags, void *host) {
  cl_context context = c->device->context;
  size_t room = bytes ? bytes : 1;
  cl_int code;
  cl_mem memory = pm_cl.call.clCreateBuffer(context, flags, room, host, &code);
  if (code != CL_SUCCESS && pm_cl_empty(c->device))
    memory = pm_cl.call.clCreateBuffer(context, flags, room, host, &code);
  if (code == CL_SUCCESS) return memory;
  pm_cl_say(c, PM_CL_NO_MEMORY, "OpenCL cannot allocate %zu bytes: %s (%d)", bytes, pm_cl_error_name(code),
            code);
  return NULL;
}

/* Gives back the largest kept memory that is too small: the new one takes its place, so that growing arrays
 * leave none behind. */
static void pm_cl_free_smaller(pm_cl_device *d, size_t bytes) {
  pm_cl_block **found = NULL;
  for (pm_cl_block **at = &d->kept; *at; at = &(*at)->next)
    if ((*at)->bytes < bytes && (!found || (*at)->bytes > (*found)->bytes)) found = at;
  if (!found) return;
  pm_cl_block *block = *found;
  *found = block->next;
  pm_cl_free_block(block);
}

/* Kept memory of at most twice the size, or new memory. */
static pm_cl_block *pm_cl_take(pm_cl_call *c, size_t bytes, cl_mem_flags flags, void *host) {
  pm_cl_device *d = c->device;
  for (pm_cl_block **at = &d->kept; *at && !host; at = &(*at)->next) {
    pm_cl_block *block = *at;
    if (block->bytes < bytes || block->bytes / 2 > bytes) continue;
    *at = block->next;
    return block;
  }
  if (!host) pm_cl_free_smaller(d, bytes);
  pm_cl_block *block = malloc(sizeof *block);
  if (!block) {
    pm_cl_fail(c, PM_CL_NO_MEMORY);
    return NULL;
  }
  *block = (pm_cl_block){.memory = pm_cl_allocate(c, bytes, flags, host), .bytes = bytes};
  if (!c->status) return block;
  free(block);
  return NULL;
}

/* Arrays of the caller are the device's own where both have the same memory, and vectors may be in it. */
static int pm_cl_is_shared(const pm_cl_device *d, const pm_cl_array *a) {
  return d->unified && a->host && a->bytes && (uintptr_t)a->host % pm_cl_align == 0;
}

static cl_mem pm_cl_memory(const pm_cl_array *a) {
  return a->given ? a->given : a->block->memory;
}

/* An array of the device that a caller gives is large enough. */
static int pm_cl_check_given(pm_cl_call *c, const pm_cl_array *a) {
  size_t bytes = 0;
  pm_cl_check(c, pm_cl.call.clGetMemObjectInfo(a->given, CL_MEM_SIZE, sizeof bytes, &bytes, NULL),
              "ask an array for its size");
  if (bytes < a->bytes)
    pm_cl_say(c, PM_CL_FAILED, "an array on the device has %zu bytes, but should have %zu", bytes, a->bytes);
  return !c->status;
}

/* Gives the array its memory, and an input its values. Under the lock. */
static int pm_cl_bring(pm_cl_call *c, pm_cl_array *a) {
  if (a->block) return 1;
  if (a->given) return pm_cl_check_given(c, a);
  cl_mem_flags flags = a->use == PM_CL_INPUT ? CL_MEM_READ_ONLY : CL_MEM_READ_WRITE;
  int shared = pm_cl_is_shared(c->device, a);
  a->block = pm_cl_take(c, a->bytes, shared ? flags | CL_MEM_USE_HOST_PTR : CL_MEM_READ_WRITE,
                        shared ? a->host : NULL);
  if (a->block && a->use == PM_CL_INPUT && !shared && a->bytes)
    pm_cl_check(c,
                pm_cl.call.clEnqueueWriteBuffer(c->device->queue, a->block->memory, CL_FALSE, 0, a->bytes,
                                                a->host, 0, NULL, NULL),
                "send an input");
  return a->block && !c->status;
}

static inline __attribute__((unused)) pm_cl_array *pm_cl_temporary(pm_cl_call *c, int64_t bytes) {
  pm_cl_array *array = pm_cl_add(c, PM_CL_TEMPORARY, NULL, (size_t)bytes);
  pthread_mutex_lock(&pm_cl.lock);
  int found = array && pm_cl_begin(c) && pm_cl_bring(c, array);
  pthread_mutex_unlock(&pm_cl.lock);
  return found ? array : NULL;
}

/* What calls behind this one need again is kept. Under the lock. */
static void pm_cl_give(pm_cl_device *d, pm_cl_array *a) {
  if (!a->block) return;
  if (pm_cl_is_shared(d, a)) {
    pm_cl_free_block(a->block);
  } else {
    a->block->next = d->kept;
    d->kept = a->block;
  }
  a->block = NULL;
}

/* Launches before have the memory until they end: the queue keeps their order. */
static inline __attribute__((unused)) void pm_cl_drop(pm_cl_call *c, pm_cl_array *array) {
  pthread_mutex_lock(&pm_cl.lock);
  if (array) pm_cl_give(c->device, array);
  pthread_mutex_unlock(&pm_cl.lock);
}

/* --- times --- */

/* Seconds from one of OpenCL's points of time to another one; false: the queue does not know. */
static int pm_cl_between(cl_event event, cl_profiling_info from, cl_profiling_info to, double *sum) {
  cl_ulong begin = 0, end = 0;
  if (pm_cl.call.clGetEventProfilingInfo(event, from, sizeof begin, &begin, NULL) != CL_SUCCESS ||
      pm_cl.call.clGetEventProfilingInfo(event, to, sizeof end, &end, NULL) != CL_SUCCESS)
    return 0;
  *sum += end > begin ? 1e-9 * (double)(end - begin) : 0;
  return 1;
}

/* Waits for the launches, and adds up their times. Under the lock. */
static void pm_cl_collect(pm_cl_device *d) {
  if (d->n_events) pm_cl.call.clFinish(d->queue);
  for (size_t i = 0; i < d->n_events; i++) {
    cl_event event = d->events[i].event;
    pm_kernel_times *t = &pm_cl.times[d->events[i].kernel];
    if (pm_cl_between(event, CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END, &t->seconds) &&
        pm_cl_between(event, CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT, &t->queued_seconds) &&
        pm_cl_between(event, CL_PROFILING_COMMAND_SUBMIT, CL_PROFILING_COMMAND_START, &t->waiting_seconds))
      t->launches++;
    else
      d->profiles = CL_FALSE;
    pm_cl.call.clReleaseEvent(event);
  }
  d->n_events = 0;
}

static double pm_cl_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static cl_int pm_cl_launch_now(pm_cl_device *d, cl_kernel kernel, cl_uint n_dims, const size_t *global,
                               const size_t *local, cl_event *event) {
  return pm_cl.call.clEnqueueNDRangeKernel(d->queue, kernel, n_dims, NULL, global, local, 0, NULL, event);
}

/* On a queue that notes no times: alone, by the clock of the host. */
static cl_int pm_cl_run_by_clock(pm_cl_device *d, cl_kernel kernel, size_t number, cl_uint n_dims,
                                 const size_t *global, const size_t *local) {
  pm_cl.call.clFinish(d->queue);
  double begin = pm_cl_clock();
  cl_int code = pm_cl_launch_now(d, kernel, n_dims, global, local, NULL);
  if (code == CL_SUCCESS) code = pm_cl.call.clFinish(d->queue);
  pm_cl.times[number].seconds += pm_cl_clock() - begin;
  pm_cl.times[number].launches++;
  return code;
}

static cl_int pm_cl_run(pm_cl_device *d, cl_kernel kernel, size_t number, cl_uint n_dims,
                        const size_t *global, const size_t *local) {
  if (!pm_cl.profile) return pm_cl_launch_now(d, kernel, n_dims, global, local, NULL);
  if (d->n_events == PM_CL_MOST_EVENTS) pm_cl_collect(d);
  if (!d->profiles) return pm_cl_run_by_clock(d, kernel, number, n_dims, global, local);
  cl_event event = NULL;
  cl_int code = pm_cl_launch_now(d, kernel, n_dims, global, local, &event);
  if (code == CL_SUCCESS) d->events[d->n_events++] = (pm_cl_event){event, number};
  return code;
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

static cl_int pm_cl_set_array(cl_kernel kernel, cl_uint i, cl_mem memory) {
  return pm_cl.call.clSetKernelArg(kernel, i, sizeof memory, &memory);
}

static void pm_cl_set_arguments(pm_cl_call *c, cl_kernel kernel, cl_uint n, const pm_cl_argument *arguments) {
  for (cl_uint i = 0; i < n && !c->status; i++) {
    const pm_cl_argument *a = &arguments[i];
    if (a->array && !pm_cl_bring(c, a->array)) return;
    pm_cl_check(c,
                a->array ? pm_cl_set_array(kernel, i, pm_cl_memory(a->array))
                         : pm_cl.call.clSetKernelArg(kernel, i, a->bytes, a->value),
                "give an argument");
  }
}

/* An implementation says why by a code only, so the message has what it may have been. */
static void pm_cl_check_launch(pm_cl_call *c, cl_int code, size_t number, const size_t *local) {
  char what[256];
  snprintf(what, sizeof what, "run %s in groups of %zu x %zu x %zu items", pm_cl_kernels[number], local[0],
           local[1], local[2]);
  pm_cl_check(c, code, what);
}

/* The device is better off with places of 32 bits, and no array has more cells than these can count. */
static int pm_cl_is_small(const pm_cl_call *c, cl_uint n, const pm_cl_argument *arguments) {
  int small = c->device->narrow && c->is_small;
  for (cl_uint i = 0; i < n && small; i++)
    small = !arguments[i].array || arguments[i].array->bytes / arguments[i].bytes <= PM_CL_SMALL_CELLS;
  return small;
}

static void pm_cl_enqueue(pm_cl_call *c, size_t number, cl_uint n_dims, const pm_cl_range *ranges, cl_uint n,
                          const pm_cl_argument *arguments, size_t spill) {
  pm_cl_device *d = c->device;
  size_t global[3] = {1, 1, 1}, local[3] = {1, 1, 1};
  size_t groups = pm_cl_count(n_dims, ranges, global, local);
  pm_cl_array memory = {.bytes = groups * spill, .use = PM_CL_TEMPORARY};
  int spills = spill > d->local_bytes;
  pm_cl_build *build = groups ? pm_cl_take_build(c, d, pm_cl_is_small(c, n, arguments)) : NULL;
  if (!build) return;
  cl_kernel kernel = build->kernels[number];
  pm_cl_set_arguments(c, kernel, n, arguments);
  if (spills && !c->status) pm_cl_bring(c, &memory);
  if (spill && !c->status)
    pm_cl_check(c,
                spills ? pm_cl_set_array(kernel, n, memory.block->memory)
                       : pm_cl.call.clSetKernelArg(kernel, n, sizeof(cl_mem), NULL),
                "give an argument");
  if (!c->status) pm_cl_check_launch(c, pm_cl_run(d, kernel, number, n_dims, global, local), number, local);
  for (cl_uint i = 0; i < n && pm_cl.profile && !c->status; i++)
    if (arguments[i].array) pm_cl.times[number].bytes += (int64_t)arguments[i].array->bytes;
  pm_cl_give(d, &memory);
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
  cl_command_queue queue = c->device->queue;
  if (a->use != PM_CL_OUTPUT || !a->block || !a->bytes || c->status) return;
  if (pm_cl_is_shared(c->device, a)) {
    void *mapped = pm_cl.call.clEnqueueMapBuffer(queue, a->block->memory, CL_TRUE, CL_MAP_READ, 0, a->bytes,
                                                 0, NULL, NULL, &code);
    if (code == CL_SUCCESS)
      code = pm_cl.call.clEnqueueUnmapMemObject(queue, a->block->memory, mapped, 0, NULL, NULL);
  } else {
    code =
        pm_cl.call.clEnqueueReadBuffer(queue, a->block->memory, CL_TRUE, 0, a->bytes, a->host, 0, NULL, NULL);
  }
  pm_cl_check(c, code, "read an output");
}

/* Brings the outputs and waits for all launches; where arrays are the device's, it only sees to it that they
 * begin. */
static void pm_cl_finish(pm_cl_call *c) {
  for (pm_cl_array *a = c->arrays; a; a = a->next) pm_cl_read(c, a);
  cl_int code = c->on_device ? pm_cl.call.clFlush(c->device->queue) : pm_cl.call.clFinish(c->device->queue);
  pm_cl_check(c, code, "finish");
}

/* Gives up what the call has; its status. */
static int pm_cl_end(pm_cl_call *c) {
  if (c->device) pm_cl_finish(c);
  pthread_mutex_lock(&pm_cl.lock);
  while (c->arrays) {
    pm_cl_array *a = c->arrays;
    c->arrays = a->next;
    pm_cl_give(c->device, a);
    free(a);
  }
  pm_cl_leave(c);
  pthread_mutex_unlock(&pm_cl.lock);
  return c->status;
}

/* All devices that no call has. */
static void pm_cl_release(void) {
  pthread_mutex_lock(&pm_cl.lock);
  for (pm_cl_device *d = pm_cl.devices, *next; d; d = next) {
    next = d->next;
    if (!d->calls) pm_cl_close(d);
  }
  pthread_mutex_unlock(&pm_cl.lock);
}

/* --- for callers whose arrays stay on the device --- */

/* The file's own device; NULL: the call fails. pm_cl_return has to follow. */
static pm_cl_device *pm_cl_lend(pm_cl_call *c) {
  pthread_mutex_lock(&pm_cl.lock);
  (void)pm_cl_begin(c);
  pthread_mutex_unlock(&pm_cl.lock);
  return c->device;
}

/* The status of the call, whose only command of OpenCL gave this code. */
static int pm_cl_return(pm_cl_call *c, cl_int code, const char *what) {
  pm_cl_check(c, code, what);
  pthread_mutex_lock(&pm_cl.lock);
  pm_cl_leave(c);
  pthread_mutex_unlock(&pm_cl.lock);
  return c->status;
}

static cl_command_queue pm_cl_queue(void) {
  pm_cl_call c = {0};
  cl_command_queue queue = NULL;
  pthread_mutex_lock(&pm_cl.lock);
  if (pm_cl_begin(&c)) {
    queue = c.device->queue;
    c.device->lent = 1;
  }
  pm_cl_leave(&c);
  pthread_mutex_unlock(&pm_cl.lock);
  return queue;
}

static cl_mem pm_cl_new_array(size_t bytes) {
  pm_cl_call c = {0};
  cl_mem memory = NULL;
  pthread_mutex_lock(&pm_cl.lock);
  if (pm_cl_begin(&c)) {
    memory = pm_cl_allocate(&c, bytes, CL_MEM_READ_WRITE, NULL);
    c.device->arrays += !c.status;
  }
  pm_cl_leave(&c);
  pthread_mutex_unlock(&pm_cl.lock);
  return memory;
}

/* Into the array, or out of it where `to` is not NULL, behind what is in the queue; it has been done when
 * this returns. */
static int pm_cl_move(cl_mem memory, const void *from, void *to, size_t bytes) {
  pm_cl_call c = {0};
  cl_int code = CL_SUCCESS;
  const pm_cl_device *d = pm_cl_lend(&c);
  if (d && bytes)
    code = to ? pm_cl.call.clEnqueueReadBuffer(d->queue, memory, CL_TRUE, 0, bytes, to, 0, NULL, NULL)
              : pm_cl.call.clEnqueueWriteBuffer(d->queue, memory, CL_TRUE, 0, bytes, from, 0, NULL, NULL);
  return pm_cl_return(&c, code, to ? "read an array" : "write an array");
}

static int pm_cl_wait(void) {
  pm_cl_call c = {0};
  const pm_cl_device *d = pm_cl_lend(&c);
  return pm_cl_return(&c, d ? pm_cl.call.clFinish(d->queue) : CL_SUCCESS, "finish");
}

/* One of a device that was released counts no more. */
static void pm_cl_free_array(cl_mem memory) {
  pm_cl_call own = {0};
  cl_context context = NULL;
  pthread_mutex_lock(&pm_cl.lock);
  pm_cl_device *d = pm_cl_find(&own);
  if (memory && pm_cl.library) {
    pm_cl.call.clGetMemObjectInfo(memory, CL_MEM_CONTEXT, sizeof context, &context, NULL);
    if (d && d->arrays && d->context == context) d->arrays--;
    pm_cl.call.clReleaseMemObject(memory);
    if (d) pm_cl_close_failed(d);
  }
  pthread_mutex_unlock(&pm_cl.lock);
}

/* --- profiles --- */

/* The file's own queue, which no call has, becomes one that notes times, or one that does not. */
static void pm_cl_exchange_queue(pm_cl_call *c) {
  pm_cl_device *d = pm_cl_find(c);
  if (!d) return;
  if (d->calls || d->lent || d->arrays) {
    pm_cl_say(c, PM_CL_FAILED,
              "the queue cannot be exchanged for one that times kernels: a call or a caller has it");
    return;
  }
  pm_cl_check(c, pm_cl.call.clFinish(d->queue), "finish");
  if (!c->status) {
    pm_cl.call.clReleaseCommandQueue(d->queue);
    pm_cl_make_queue(c, d);
  }
  if (c->status) pm_cl_close(d);
}

static int pm_cl_profile(int on) {
  pm_cl_call c = {0};
  pthread_mutex_lock(&pm_cl.lock);
  int changed = !on != !pm_cl.profile, was = pm_cl.profile;
  pm_cl.profile = on != 0;
  for (pm_cl_device *d = pm_cl.devices; d; d = d->next) pm_cl_collect(d);
  if (changed) pm_cl_exchange_queue(&c);
  if (c.status)
    pm_cl.profile = was;
  else
    memset(pm_cl.times, 0, sizeof pm_cl.times);
  pthread_mutex_unlock(&pm_cl.lock);
  return c.status;
}

static int pm_cl_times_of(int number, pm_kernel_times *out) {
  int there = number >= 0 && (size_t)number < pm_cl_n_kernels;
  if (!there) return 0;
  pthread_mutex_lock(&pm_cl.lock);
  for (pm_cl_device *d = pm_cl.devices; d; d = d->next) pm_cl_collect(d);
  *out = pm_cl.times[number];
  out->name = pm_cl_kernels[number];
  pthread_mutex_unlock(&pm_cl.lock);
  return 1;
}
