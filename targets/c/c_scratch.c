/* name_scratch_bytes: the memory that a call takes, from the scalar arguments.
 *
 * Constant sizes: what is alive at the same time counts together (the allocations of a region and the largest
 * of the regions below), once, or once a thread below a loop that runs on several. Sizes that are computed:
 * their sum. */
#include <stdlib.h>

#include "dialects/loop/buf.h"
#include "dialects/loop/loop.h"
#include "targets/c/c_emit.h"

typedef struct scratch_bytes {
  int64_t once, each_thread;
} scratch_bytes;

static int64_t sum(int64_t a, int64_t b) {
  int64_t out;
  return arith_checked_add(a, b, &out) ? out : INT64_MAX;
}

static int64_t largest(int64_t a, int64_t b) {
  return a > b ? a : b;
}

static bool in_threads(const pm_op *op) {
  return pm_parent_of(op, &loop_parallel) != NULL;
}

static scratch_bytes constant_bytes(const pm_region *region) {
  scratch_bytes own = {0, 0}, below = {0, 0};
  PM_FOR_OPS(op, region) {
    if (pm_is(op, &buf_alloc) && !op->n_operands) {
      int64_t bytes = c_constant_alloc_bytes(op);
      if (in_threads(op))
        own.each_thread = sum(own.each_thread, bytes);
      else
        own.once = sum(own.once, bytes);
    }
    for (unsigned i = 0; i < op->n_regions; i++) {
      scratch_bytes inner = constant_bytes(pm_region_at(op, i));
      below.once = largest(below.once, inner.once);
      below.each_thread = largest(below.each_thread, inner.each_thread);
    }
  }
  return (scratch_bytes){sum(own.once, below.once), sum(own.each_thread, below.each_thread)};
}

/* --- sizes that are computed --- */

typedef PM_VEC(const pm_op *) op_list;

typedef struct size_search {
  pm_map *needed; /* ops that the sizes depend on */
  op_list allocs; /* those that can be computed */
  bool partial;   /* there are others */
} size_search;

static bool depends_on_arguments(const pm_value *v) {
  op_list work = {0};
  pm_map *seen = pm_map_new();
  const pm_op *def = pm_def(v);
  bool ok = def != NULL;
  if (ok) PM_VEC_PUSH(work, def);
  while (ok && work.len) {
    const pm_op *op = PM_VEC_POP(work);
    ok = pm_is(op, &loop_param) || pm_has_trait(op, PM_PURE);
    for (unsigned i = 0; ok && i < op->n_operands; i++) {
      def = pm_def(pm_arg(op, i));
      ok = def != NULL;
      if (!ok || pm_map_has(seen, def)) continue;
      pm_map_set(seen, def, NULL);
      PM_VEC_PUSH(work, def);
    }
  }
  pm_map_free(seen);
  PM_VEC_FREE(work);
  return ok;
}

static void add_needed(size_search *s, const pm_value *v) {
  op_list work = {0};
  PM_VEC_PUSH(work, pm_def(v));
  while (work.len) {
    const pm_op *op = PM_VEC_POP(work);
    if (pm_map_has(s->needed, op)) continue;
    pm_map_set(s->needed, op, NULL);
    for (unsigned i = 0; i < op->n_operands; i++) PM_VEC_PUSH(work, pm_def(pm_arg(op, i)));
  }
  PM_VEC_FREE(work);
}

static pm_walk find_alloc(void *user, pm_op *op) {
  size_search *s = user;
  if (!pm_is(op, &buf_alloc) || !op->n_operands) return PM_WALK_ON;
  for (unsigned i = 0; i < op->n_operands; i++)
    if (!depends_on_arguments(pm_arg(op, i))) {
      s->partial = true;
      return PM_WALK_ON;
    }
  for (unsigned i = 0; i < op->n_operands; i++) add_needed(s, pm_arg(op, i));
  PM_VEC_PUSH(s->allocs, op);
  return PM_WALK_ON;
}

static size_search find_sizes(const pm_op *func) {
  size_search s = {.needed = pm_map_new()};
  (void)pm_walk_pre((pm_op *)func, find_alloc, &s);
  return s;
}

static void free_search(size_search *s) {
  pm_map_free(s->needed);
  PM_VEC_FREE(s->allocs);
}

bool c_scratch_is_partial(c_emitter *e, const pm_op *func) {
  (void)e;
  size_search s = find_sizes(func);
  bool partial = s.partial;
  free_search(&s);
  return partial;
}

/* --- the function --- */

typedef struct needed_walk {
  c_emitter *e;
  const size_search *search;
} needed_walk;

static pm_walk emit_needed(void *user, pm_op *op) {
  needed_walk *w = user;
  if (pm_has_trait(op, PM_PURE) && pm_map_has(w->search->needed, op)) c_statement(w->e, op);
  return PM_WALK_ON;
}

static void discard_unused(c_emitter *e, const pm_op *func, const size_search *s) {
  PM_FOR_OPS(op, pm_region_at(func, loop_func_body))
  if (pm_is(op, &loop_param) && !pm_map_has(s->needed, op))
    c_line(e, "(void)%s;", c_var_of(e, pm_res(op, 0))->name);
}

static void add_bytes(c_emitter *e, const pm_op *alloc) {
  bool threads = in_threads(alloc);
  c_program *p = c_program_of(e);
  c_begin(e);
  c_put(e, "pm_bytes = pm_total(pm_bytes, %s", threads ? "pm_size(" : "");
  c_alloc_bytes(e, alloc);
  c_put(e, threads ? ", pm_threads()));" : ");");
  c_end(e);
  p->uses_threads = p->uses_threads || threads;
  p->uses_size = p->uses_total = true;
}

static void put_constant_part(c_emitter *e, const pm_op *func) {
  scratch_bytes bytes = constant_bytes(pm_region_at(func, loop_func_body));
  c_program *p = c_program_of(e);
  if (bytes.each_thread) {
    c_line(e, "int64_t pm_bytes = pm_total(INT64_C(%lld), pm_size(INT64_C(%lld), pm_threads()));",
           (long long)bytes.once, (long long)bytes.each_thread);
    p->uses_threads = p->uses_size = p->uses_total = true;
  } else
    c_line(e, "int64_t pm_bytes = INT64_C(%lld);", (long long)bytes.once);
}

void c_scratch_bytes(c_emitter *e, const pm_op *func) {
  size_search search = find_sizes(func);
  needed_walk walk = {e, &search};
  size_t scope = c_open_scope(&e->names);
  c_begin(e);
  c_put(e, "int64_t %s_scratch_bytes", c_func_name(e, func));
  c_parameters(e, func, C_SCALARS_ONLY);
  c_end(e);
  c_line(e, "{");
  e->indent++;
  discard_unused(e, func, &search);
  PM_FOR_OPS(op, pm_region_at(func, loop_func_body))(void) pm_walk_pre(op, emit_needed, &walk);
  put_constant_part(e, func);
  for (size_t i = 0; i < search.allocs.len; i++) add_bytes(e, search.allocs.data[i]);
  c_line(e, "return pm_bytes;");
  e->indent--;
  c_line(e, "}");
  c_close_scope(&e->names, scope);
  free_search(&search);
}
