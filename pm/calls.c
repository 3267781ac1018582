/* How calls of functions run: with memory of their caller for intermediates, with fewer threads, and with who
 * is told what threads do. */
#include "pm/function.h"

#include "dialects/machine/machine.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

/* --- workspaces --- */

struct pm_workspace {
  void *memory;
  size_t bytes;
  atomic_bool in_use;
};

pm_workspace *pm_workspace_new(void) {
  return calloc(1, sizeof(pm_workspace));
}

size_t pm_workspace_bytes(const pm_workspace *w) {
  return w ? w->bytes : 0;
}

static void drop_memory(pm_workspace *w) {
  free(w->memory);
  w->memory = NULL;
  w->bytes = 0;
}

int pm_workspace_release(pm_workspace *w) {
  if (!w) return 1;
  if (atomic_exchange(&w->in_use, true)) return 0;
  drop_memory(w);
  atomic_store(&w->in_use, false);
  return 1;
}

void pm_workspace_free(pm_workspace *w) {
  if (w) drop_memory(w);
  free(w);
}

/* As programs take theirs: large blocks are of huge pages, where the system has them on request. */
static void *new_memory(size_t bytes) {
  const size_t line = PM_LINE_BYTES, page = (size_t)1 << 21;
  if (bytes < 2 * page) return aligned_alloc(line, (bytes + line - 1) / line * line);
  size_t whole = (bytes + page - 1) / page * page;
  void *memory = aligned_alloc(page, whole);
#ifdef MADV_HUGEPAGE
  if (memory) (void)madvise(memory, whole, MADV_HUGEPAGE);
#endif
  return memory;
}

/* False: there is no memory. What is in it is not kept. */
static bool enlarge(pm_workspace *w, int64_t bytes) {
  if (bytes <= (int64_t)w->bytes) return true;
  drop_memory(w);
  if (bytes > PTRDIFF_MAX / 2) return false;
  w->memory = new_memory((size_t)bytes);
  if (w->memory) w->bytes = (size_t)bytes;
  return w->memory;
}

/* --- a call --- */

static int run(const pm_running *call) {
  return call->region ? pm_native_region_at(call->f->native, call->values)
                      : pm_native_call_at(call->f->native, call->values);
}

static int run_in(const pm_running *call, pm_workspace *w) {
  const pm_native *native = call->f->native;
  int64_t bytes = call->region ? pm_native_region_bytes_at(native, call->values)
                               : pm_native_scratch_bytes_at(native, call->values);
  if (!enlarge(w, bytes)) return PM_CALL_NO_MEMORY;
  return call->region ? pm_native_region_in(native, call->values, w->memory, (int64_t)w->bytes)
                      : pm_native_call_in(native, call->values, w->memory, (int64_t)w->bytes);
}

/* A function without intermediates in memory has no use for it. */
static int run_with_workspace(const pm_running *call, pm_workspace *w) {
  if (!w) return run(call);
  if (atomic_exchange(&w->in_use, true)) return PM_CALL_WORKSPACE_IN_USE;
  int code = pm_native_has_workspace(call->f->native, call->region) ? run_in(call, w) : run(call);
  atomic_store(&w->in_use, false);
  return code;
}

static void tell(void *user, const pm_loop_event *e) {
  const pm_call_options *o = user;
  o->handler(o->user, &(pm_event){.stages = e->stages,
                                  .loop = e->loop,
                                  .iterations = e->iterations,
                                  .first = e->first,
                                  .end = e->end,
                                  .begin_time = e->begun_at,
                                  .end_time = e->done_at,
                                  .whole = e->whole});
}

int pm_run_call(const pm_running *call, const pm_call_options *o) {
  if (o->threads < 0) return PM_CALL_BAD_THREADS;
  if (o->handler && call->f->on_openmp) return PM_CALL_NO_EVENTS;
  if (!o->threads && !o->handler) return run_with_workspace(call, o->workspace);
  pm_native_way way = {.threads = o->threads, .tell = o->handler ? tell : NULL, .user = (void *)o};
  pm_native_begin(call->f->native, &way);
  int code = run_with_workspace(call, o->workspace);
  pm_native_end(call->f->native, &way);
  return code;
}

void pm_function_release(const pm_function *f) {
  if (f) pm_native_release(f->native);
}
