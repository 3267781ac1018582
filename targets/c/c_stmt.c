/* The statements that only C has: memory, loops on several threads, checks.
 *
 * Pointers to the memory of a frame (dialects/loop/analyses/frames.h) are declared at its beginning, an error
 * jumps to its label, and what follows the label frees them. An iteration on one of several threads reports
 * an error in `status`, which is looked at after the loop. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dialects/arith/arith.h"
#include "dialects/loop/access.h"
#include "dialects/loop/analyses/frames.h"
#include "dialects/loop/analyses/scratch.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/loop.h"
#include "dialects/loop/vec.h"
#include "targets/c/c_emit.h"

/* --- frames --- */

void c_fail(c_emitter *e, const char *code) {
  if (!c_program_of(e)->frame.parallel) {
    c_put(e, c_program_of(e)->frame.cleans ? "{ status = %s; goto done; }" : "return %s;", code);
    return;
  }
  c_put(e, "{\n");
  e->indent++;
  if (c_program_of(e)->given) {
    c_line(e, "%s->status = %s;", c_program_of(e)->given, code);
  } else {
    c_line(e, "#pragma omp atomic write");
    c_line(e, "status = %s;", code);
  }
  c_line(e, "goto next%u;", c_program_of(e)->frame.label);
  e->indent--;
  c_begin(e);
  c_put(e, "}");
}

static pm_walk stop_at_failing_threads(void *user, pm_op *op) {
  (void)user;
  bool fails = loop_runs_on_threads(op) && loop_frame_may_fail(pm_region_at(op, loop_parallel_body));
  return fails ? PM_WALK_STOP : PM_WALK_ON;
}

bool c_needs_status(const pm_op *func) {
  loop_allocs list = {0};
  loop_list_frame_allocs(pm_region_at(func, loop_func_body), &list);
  bool cleans = list.len > 0;
  PM_VEC_FREE(list);
  return cleans || !pm_walk_pre((pm_op *)func, stop_at_failing_threads, NULL);
}

/* Several arrays share the memory. */
static bool is_shared(const pm_op *alloc) {
  return alloc->n_results > 1;
}

static pm_str memory_hint(const pm_op *alloc) {
  return is_shared(alloc) ? PM_STR("pool") : c_array_name(pm_res(alloc, 0));
}

/* The variable of the block of memory: of the only array itself, or of what several share. */
static c_var *memory_of(c_emitter *e, const pm_op *alloc) {
  return is_shared(alloc) ? c_pool_of(e, alloc) : c_var_of(e, pm_res(alloc, 0));
}

static const char *element_type(const c_emitter *e, const pm_value *buffer) {
  return c_type_name(e, pm_elem_type(buffer->type));
}

static bool is_loaded(c_emitter *e, const pm_value *buffer) {
  loop_access access;
  PM_FOR_USES(use, buffer)
  if (loop_find_access(pm_user(use), &access) && access.reads && c_plan_of(e, pm_user(use))->live)
    return true;
  return false;
}

static bool is_accessed(c_emitter *e, const pm_value *buffer) {
  loop_access access;
  PM_FOR_USES(use, buffer)
  if (loop_find_access(pm_user(use), &access) && c_plan_of(e, pm_user(use))->live) return true;
  return false;
}

/* `float *restrict img` or `void *pool`, giving it a name; with `last` behind the star. */
static void declare_memory(c_emitter *e, const pm_op *alloc, const char *last) {
  const char *name = memory_of(e, alloc)->name = c_new_name(&e->names, memory_hint(alloc));
  if (is_shared(alloc))
    c_put(e, "void *%s%s", last, name);
  else
    c_put(e, "%s *restrict %s%s", element_type(e, pm_res(alloc, 0)), last, name);
}

/* The arrays that share the memory. Only one at a time is used, so none of them is `restrict`. */
static void declare_arrays(c_emitter *e, const pm_op *alloc) {
  for (unsigned i = 0; is_shared(alloc) && i < alloc->n_results; i++) {
    const pm_value *buffer = pm_res(alloc, i);
    const char *name = c_var_of(e, buffer)->name = c_new_name(&e->names, c_array_name(buffer));
    c_line(e, "%s *const %s = %s;", element_type(e, buffer), name, c_pool_of(e, alloc)->name);
    if (!is_accessed(e, buffer)) c_line(e, "(void)%s;", name);
  }
}

void c_frame_begin(c_emitter *e) {
  loop_allocs list = {0};
  loop_list_frame_allocs(c_program_of(e)->frame.region, &list);
  c_program_of(e)->frame.cleans =
      list.len > 0 || (c_program_of(e)->frame.parallel && loop_frame_may_fail(c_program_of(e)->frame.region));
  for (size_t i = 0; i < list.len; i++) {
    c_begin(e);
    if (pm_is(list.data[i], &buf_workspace))
      c_declare_block(e);
    else
      declare_memory(e, list.data[i], "");
    c_put(e, " = NULL;");
    c_end(e);
  }
  PM_VEC_FREE(list);
}

void c_frame_end(c_emitter *e) {
  loop_allocs list = {0};
  loop_list_frame_allocs(c_program_of(e)->frame.region, &list);
  if (c_program_of(e)->frame.cleans) {
    const char *empty = list.len ? "" : ";";
    e->indent--;
    if (c_program_of(e)->frame.label)
      c_line(e, "next%u:%s", c_program_of(e)->frame.label, empty);
    else
      c_line(e, "done:%s", empty);
    e->indent++;
  }
  for (size_t i = list.len; i-- > 0;)
    if (pm_is(list.data[i], &buf_workspace))
      c_keep_block(e, list.data[i]);
    else
      c_line(e, "free(%s);", memory_of(e, list.data[i])->name);
  PM_VEC_FREE(list);
}

/* --- memory --- */

static void put_constant_count(c_emitter *e, pm_type type) {
  bool any = false;
  if (type->strides) {
    c_put(e, "%lld * %lld", (long long)type->dims[0], (long long)type->strides[0]);
    return;
  }
  for (unsigned k = 0; k < type->rank; k++) {
    c_put(e, "%s%lld", any ? " * " : "", (long long)(type->dims[k] < 0 ? 0 : type->dims[k]));
    any = true;
  }
  if (!any) c_put(e, "1");
}

static void put_constant_bytes(c_emitter *e, const pm_op *alloc) {
  c_put(e, "INT64_C(%lld)", (long long)loop_constant_alloc_bytes(alloc));
}

static void emit_heap(c_emitter *e, const pm_op *alloc) {
  const pm_value *bytes = buf_alloc_bytes(alloc);
  c_program_of(e)->uses_alloc = true;
  c_begin(e);
  c_put(e, "%s = pm_alloc(", memory_of(e, alloc)->name);
  if (bytes)
    c_expr(e, bytes, C_TERNARY);
  else
    put_constant_bytes(e, alloc);
  c_put(e, ");");
  c_end(e);
  declare_arrays(e, alloc);
}

/* `float tmp[34 * 258]` */
static void put_constant_array(c_emitter *e, const pm_value *buffer, const char *name) {
  int64_t bytes = 0;
  c_put(e, "%s %s[", element_type(e, buffer), name);
  if (loop_constant_bytes(buffer->type, &bytes) && bytes)
    put_constant_count(e, buffer->type);
  else
    c_put(e, "1");
  c_put(e, "]");
}

static void emit_stack_array(c_emitter *e, const pm_value *buffer) {
  const char *name = c_var_of(e, buffer)->name = c_new_name(&e->names, c_array_name(buffer));
  c_begin(e);
  c_put(e, "_Alignas(64) ");
  put_constant_array(e, buffer, name);
  c_put(e, ";");
  c_end(e);
  if (!is_loaded(e, buffer)) c_line(e, "(void)%s;", name);
}

/* A union: the arrays may be of different types. */
static void emit_stack_pool(c_emitter *e, const pm_op *alloc) {
  const char *pool = c_pool_of(e, alloc)->name = c_new_name(&e->names, memory_hint(alloc));
  c_line(e, "_Alignas(64) union {");
  e->indent++;
  for (unsigned i = 0; i < alloc->n_results; i++) {
    pm_buf member = {0};
    pm_buf_printf(&member, "a%u", i);
    c_begin(e);
    put_constant_array(e, pm_res(alloc, i), member.data);
    c_put(e, ";");
    c_end(e);
    pm_buf_free(&member);
  }
  e->indent--;
  c_line(e, "} %s;", pool);
  for (unsigned i = 0; i < alloc->n_results; i++) {
    const pm_value *buffer = pm_res(alloc, i);
    const char *name = c_var_of(e, buffer)->name = c_new_name(&e->names, c_array_name(buffer));
    c_line(e, "%s *const %s = %s.a%u;", element_type(e, buffer), name, pool, i);
    if (!is_accessed(e, buffer)) c_line(e, "(void)%s;", name);
  }
}

static void emit_stack(c_emitter *e, const pm_op *alloc) {
  if (is_shared(alloc))
    emit_stack_pool(e, alloc);
  else
    emit_stack_array(e, pm_res(alloc, 0));
}

static void emit_place(c_emitter *e, const pm_op *alloc) {
  c_begin(e);
  declare_memory(e, alloc, "const ");
  c_put(e, " = pm_place(%s, ", c_var_of(e, buf_alloc_workspace(alloc))->name);
  c_expr(e, buf_alloc_offset(alloc), C_TERNARY);
  c_put(e, ");");
  c_end(e);
  declare_arrays(e, alloc);
  if (!is_shared(alloc) && !is_accessed(e, pm_res(alloc, 0)))
    c_line(e, "(void)%s;", memory_of(e, alloc)->name);
}

static void emit_alloc(c_emitter *e, const pm_op *alloc) {
  loop_owner owner = loop_owner_of(alloc);
  if (owner == LOOP_OWNER_THREAD) return;
  c_comment_location(e, alloc);
  if (buf_alloc_workspace(alloc))
    emit_place(e, alloc);
  else if (owner == LOOP_OWNER_FRAME)
    emit_heap(e, alloc);
  else
    emit_stack(e, alloc);
}

void c_free_region(c_emitter *e, const pm_region *region) {
  if (region == c_program_of(e)->frame.region) return;
  for (const pm_op *op = region->last; op; op = pm_prev(op)) {
    if (!pm_is(op, &buf_alloc) || loop_owner_of(op) != LOOP_OWNER_FRAME) continue;
    const char *name = memory_of(e, op)->name;
    c_line(e, "free(%s);", name);
    c_line(e, "%s = NULL;", name);
  }
}

/* `for (int32_t now = __atomic_load_n(&a[i], …), v = …; v < now && !__atomic_compare_exchange_n(&a[i], &now,
 * v, …););`: compilers have no function for the lesser of two. */
static void put_extremum(c_emitter *e, const pm_op *op, const loop_access *access, char less) {
  size_t scope = c_open_scope(&e->names);
  const char *now = c_new_name(&e->names, PM_STR("now")), *with = c_new_name(&e->names, PM_STR("with"));
  c_put(e, "for (%s %s = __atomic_load_n(&", c_type_name(e, pm_arg(op, buf_atomic_value)->type), now);
  c_element(e, access);
  c_put(e, ", __ATOMIC_RELAXED), %s = ", with);
  c_expr(e, pm_arg(op, buf_atomic_value), C_TERNARY);
  c_put(e, "; %s %c %s && !__atomic_compare_exchange_n(&", with, less, now);
  c_element(e, access);
  c_put(e, ", &%s, %s, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED);) { }", now, with);
  c_close_scope(&e->names, scope);
}

/* `__atomic_fetch_add(&hist[v], 1, __ATOMIC_RELAXED);`, a function of gcc and clang. */
static void emit_atomic(c_emitter *e, const pm_op *op) {
  const pm_op_desc *join = buf_atomic_join(op);
  loop_access access;
  if (!loop_find_access(op, &access)) pm_panic(op, "is no access");
  c_comment_location(e, op);
  c_begin(e);
  if (join == &arith_mini || join == &arith_maxi) {
    put_extremum(e, op, &access, join == &arith_mini ? '<' : '>');
  } else {
    c_put(e, "__atomic_fetch_%s(&", join == &arith_addi ? "add" : join == &arith_andi ? "and" : "or");
    c_element(e, &access);
    c_put(e, ", ");
    c_expr(e, pm_arg(op, buf_atomic_value), C_TERNARY);
    c_put(e, ", __ATOMIC_RELAXED);");
  }
  c_end(e);
}

static void emit_prefetch(c_emitter *e, const pm_op *op) {
  const pm_value *buffer = pm_arg(op, buf_prefetch_buffer);
  loop_access access;
  if (!loop_find_place(op, &access)) pm_panic(op, "is no access");
  c_comment_location(e, op);
  c_begin(e);
  c_put(e, "%s(%s, (uint64_t)(", c_use_prefetch(e, pm_attr_at(op, buf_prefetch_write)),
        c_var_of(e, buffer)->name);
  c_flat_index(e, &access);
  c_put(e, ") * sizeof(%s));", c_type_name(e, pm_elem_type(buffer->type)));
  c_end(e);
}

static void emit_fence(c_emitter *e, const pm_op *op) {
  (void)op;
  c_line(e, "%s();", c_use_streaming(e, true));
}

static void put_address(c_emitter *e, const pm_op *op) {
  loop_access access;
  if (!loop_find_access(op, &access)) pm_panic(op, "is no access");
  c_put(e, "&");
  c_element(e, &access);
}

/* The addresses are those of the first iteration, where there is one. */
void c_streaming(c_emitter *e, const pm_op *loop, const loop_streaming *copy) {
  const pm_value *counter = pm_region_at(loop, loop_for_body)->args[0];
  c_begin(e);
  c_put(e, "if (");
  c_expr(e, pm_arg(loop, loop_for_lb), C_SUM);
  c_put(e, " < ");
  c_expr(e, pm_arg(loop, loop_for_ub), C_SUM);
  c_put(e, ") {");
  c_end(e);
  e->indent++;
  size_t scope = c_open_scope(&e->names);
  const char *name = c_name_value(e, counter, "k");
  c_var_of(e, counter)->name = name;
  c_begin(e);
  c_put(e, "const %s %s = ", c_value_type(e, counter), name);
  c_expr_as(e, pm_arg(loop, loop_for_lb), counter);
  c_put(e, ";");
  c_end(e);
  c_begin(e);
  c_put(e, "%s(", c_use_streaming(e, false));
  put_address(e, copy->store);
  c_put(e, ", ");
  put_address(e, copy->load);
  c_put(e, ", (uint64_t)(");
  c_expr(e, pm_arg(loop, loop_for_ub), C_SUM);
  c_put(e, " - %s) * sizeof(%s));", name, c_type_name(e, pm_res(copy->load, 0)->type));
  c_end(e);
  c_close_block(e);
  c_close_scope(&e->names, scope);
}

static void emit_vector_store(c_emitter *e, const pm_op *op) {
  c_comment_location(e, op);
  c_begin(e);
  c_vector_access(e, op);
  c_put(e, ";");
  c_end(e);
}

static pm_walk stop_at_jump(void *user, pm_op *op) {
  (void)user;
  bool shares = pm_is(op, &buf_alloc) && (loop_owner_of(op) == LOOP_OWNER_FRAME || buf_alloc_workspace(op));
  bool jumps = shares || pm_is(op, &loop_call) || pm_is(op, &loop_require);
  return jumps || loop_runs_on_threads(op) ? PM_WALK_STOP : PM_WALK_ON;
}

/* Vector loops have no carried values, and nothing inside that jumps or starts threads, nor memory that
 * iterations would share. */
void c_before_loop(c_emitter *e, const pm_op *op) {
  bool simd = pm_is(op, &loop_for) && pm_attr_at(op, loop_for_simd) && !op->n_results;
  if (!simd || !pm_walk_pre((pm_op *)op, stop_at_jump, NULL)) return;
  pm_attr width = pm_attr_at(op, loop_for_width);
  if (width)
    c_line(e, "#pragma omp simd simdlen(%lld)", (long long)width->i);
  else
    c_line(e, "#pragma omp simd");
}

/* --- loops on several threads --- */

static const char *schedule_of(const pm_op *op) {
  pm_string schedule = pm_sym_at(op, loop_parallel_schedule);
  return schedule ? schedule->text : "static";
}

bool c_is_dynamic(const pm_op *loop) {
  return !strcmp(schedule_of(loop), "dynamic");
}

void c_declare_thread_memory(c_emitter *e, const loop_allocs *list) {
  c_program_of(e)->uses_alloc |= list->len > 0;
  for (size_t i = 0; i < list->len; i++) {
    c_begin(e);
    declare_memory(e, list->data[i], "");
    c_put(e, " = pm_alloc(");
    put_constant_bytes(e, list->data[i]);
    c_put(e, ");");
    c_end(e);
    declare_arrays(e, list->data[i]);
  }
}

void c_free_thread_memory(c_emitter *e, const loop_allocs *list) {
  for (size_t i = list->len; i-- > 0;) c_line(e, "free(%s);", memory_of(e, list->data[i])->name);
}

bool c_iterations(c_emitter *e, const pm_op *op, const char *begin, const char *end) {
  c_frame outer = c_program_of(e)->frame;
  size_t scope = c_open_scope(&e->names);
  c_program_of(e)->frame =
      (c_frame){.region = pm_region_at(op, 0), .label = ++c_program_of(e)->labels, .parallel = true};
  c_open_loop(e, op, begin, end);
  c_frame_begin(e);
  bool cleans = c_program_of(e)->frame.cleans;
  c_region(e, pm_region_at(op, 0));
  c_frame_end(e);
  c_close_block(e);
  c_close_scope(&e->names, scope);
  c_program_of(e)->frame = outer;
  return cleans;
}

static bool emit_with_thread_memory(c_emitter *e, const pm_op *op, const char *end,
                                    const loop_allocs *per_thread) {
  size_t scope = c_open_scope(&e->names);
  c_line(e, "#pragma omp parallel");
  c_line(e, "{");
  e->indent++;
  c_declare_thread_memory(e, per_thread);
  c_line(e, "#pragma omp for schedule(%s)", schedule_of(op));
  bool fails = c_iterations(e, op, NULL, end);
  c_free_thread_memory(e, per_thread);
  c_close_block(e);
  c_close_scope(&e->names, scope);
  return fails;
}

static void emit_threads(c_emitter *e, const pm_op *op) {
  loop_allocs per_thread = {0};
  const char *end = c_declare_bound(e, op);
  loop_list_thread_allocs(op, &per_thread);
  bool fails;
  if (c_program_of(e)->pool) {
    fails = c_pool_loop(e, op, end);
  } else if (per_thread.len) {
    fails = emit_with_thread_memory(e, op, end, &per_thread);
  } else {
    c_line(e, "#pragma omp parallel for schedule(%s)", schedule_of(op));
    fails = c_iterations(e, op, NULL, end);
  }
  if (fails) c_line(e, "if (status != 0) %s;", c_program_of(e)->frame.cleans ? "goto done" : "return status");
  PM_VEC_FREE(per_thread);
}

static void emit_parallel(c_emitter *e, const pm_op *op) {
  c_comment_location(e, op);
  if (loop_runs_on_threads(op))
    emit_threads(e, op);
  else
    c_sequential(e, op);
}

/* --- checks --- */

static void emit_require(c_emitter *e, const pm_op *op) {
  char code[24];
  snprintf(code, sizeof code, "%lld", (long long)pm_int_at(op, loop_require_code));
  c_begin(e);
  c_put(e, "if (");
  c_negation(e, pm_arg(op, loop_require_condition), C_ANY);
  c_put(e, ") ");
  c_fail(e, code);
  c_end(e);
}

/* No warning about an array that only calls use, or nothing. */
static void emit_argument(c_emitter *e, const pm_op *op) {
  if (!is_accessed(e, pm_res(op, 0))) c_line(e, "(void)%s;", c_var_of(e, pm_res(op, 0))->name);
}

typedef void (*emit_fn)(c_emitter *e, const pm_op *op);

const c_statement_row c_statements_of_c[] = {
    {&loop_require, emit_require},
    {&loop_call, c_emit_call},
    {&loop_parallel, emit_parallel},
    {&buf_argument, emit_argument},
    {&buf_alloc, emit_alloc},
    {&buf_workspace, c_emit_workspace},
    {&buf_atomic, emit_atomic},
    {&buf_prefetch, emit_prefetch},
    {&buf_fence, emit_fence},
    {&vec_store, emit_vector_store},
    {&vec_maskedstore, emit_vector_store},
    {&vec_scatter, emit_vector_store},
    {&vec_maskedscatter, emit_vector_store},
    {NULL, NULL},
};
