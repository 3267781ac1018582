/* name_scratch_bytes: the memory that a call takes, from the scalar arguments. */
#include "dialects/loop/buf.h"
#include "dialects/loop/loop.h"
#include "dialects/loop/scratch.h"
#include "targets/c/c_emit.h"

typedef struct needed_walk {
  c_emitter *e;
  const loop_scratch *scratch;
} needed_walk;

static pm_walk emit_needed(void *user, pm_op *op) {
  needed_walk *w = user;
  if (pm_has_trait(op, PM_PURE) && pm_map_has(w->scratch->needed, op)) c_statement(w->e, op);
  return PM_WALK_ON;
}

static void discard_unused(c_emitter *e, const pm_op *func, const loop_scratch *s) {
  PM_FOR_OPS(op, pm_region_at(func, loop_func_body))
  if (pm_is(op, &loop_param) && !pm_map_has(s->needed, op))
    c_line(e, "(void)%s;", c_var_of(e, pm_res(op, 0))->name);
}

static void add_bytes(c_emitter *e, const pm_op *alloc) {
  bool threads = loop_is_in_threads(alloc);
  c_program *p = c_program_of(e);
  c_begin(e);
  c_put(e, "pm_bytes = pm_total(pm_bytes, %s", threads ? "pm_size(" : "");
  c_alloc_bytes(e, alloc);
  c_put(e, threads ? ", pm_threads()));" : ");");
  c_end(e);
  p->uses_threads = p->uses_threads || threads;
  p->uses_size = p->uses_total = true;
}

static void put_constant_part(c_emitter *e, const loop_scratch *bytes) {
  c_program *p = c_program_of(e);
  if (bytes->each_thread) {
    c_line(e, "int64_t pm_bytes = pm_total(INT64_C(%lld), pm_size(INT64_C(%lld), pm_threads()));",
           (long long)bytes->once, (long long)bytes->each_thread);
    p->uses_threads = p->uses_size = p->uses_total = true;
  } else
    c_line(e, "int64_t pm_bytes = INT64_C(%lld);", (long long)bytes->once);
}

void c_scratch_bytes(c_emitter *e, const pm_op *func) {
  loop_scratch scratch = loop_find_scratch(func);
  needed_walk walk = {e, &scratch};
  size_t scope = c_open_scope(&e->names);
  c_begin(e);
  c_put(e, "int64_t %s_scratch_bytes", c_func_name(e, func));
  c_parameters(e, func, C_SCALARS_ONLY);
  c_end(e);
  c_line(e, "{");
  e->indent++;
  discard_unused(e, func, &scratch);
  PM_FOR_OPS(op, pm_region_at(func, loop_func_body))(void) pm_walk_pre(op, emit_needed, &walk);
  put_constant_part(e, &scratch);
  for (size_t i = 0; i < scratch.allocs.len; i++) add_bytes(e, scratch.allocs.data[i]);
  c_line(e, "return pm_bytes;");
  e->indent--;
  c_line(e, "}");
  c_close_scope(&e->names, scope);
  loop_scratch_free(&scratch);
}
