/* Statements: variables, loops, conditions, memory.
 *
 * Memory that must be freed belongs to a frame: its pointers are declared at the frame's beginning, an error
 * jumps to the frame's label, and what follows the label frees them. An iteration of a loop that runs on
 * several threads is a frame of its own, since no jump may leave it; it reports an error in `status`, which
 * is looked at after the loop. */
#include <stdlib.h>
#include <string.h>

#include "dialects/arith/arith.h"
#include "dialects/loop/access.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/loop.h"
#include "dialects/loop/vec.h"
#include "targets/c/c_emit.h"

static bool is_space(const pm_op *alloc, pm_space space) {
  return pm_res(alloc, 0)->type->space == space;
}

bool c_is_outer_parallel(const pm_op *op) {
  return pm_is(op, &loop_parallel) && !pm_parent_of(op, &loop_parallel);
}

static bool is_per_thread(const pm_op *alloc) {
  return is_space(alloc, PM_SPACE_THREAD) && c_is_outer_parallel(pm_parent(alloc));
}

bool c_is_stack(const pm_op *alloc) {
  return is_space(alloc, PM_SPACE_STACK);
}

bool c_is_heap(const pm_op *alloc) {
  return !c_is_stack(alloc) && !is_per_thread(alloc);
}

/* --- names and comments --- */

const char *c_name_value(c_emitter *e, const pm_value *value, const char *fallback) {
  pm_str hint = value->name ? (pm_str){value->name->text, value->name->len} : pm_str_of(fallback);
  c_var *var = c_var_of(e, value);
  var->name = c_new_name(&e->names, hint);
  return var->name;
}

void c_comment_text(c_emitter *e, const char *text) {
  for (; *text; text++)
    c_put(e, "%c", text[0] == '*' && text[1] == '/' ? '#' : (unsigned char)*text < 0x20 ? ' ' : *text);
}

/* The line of the source that the op comes from, unless the text before it names it already. */
static void comment_location(c_emitter *e, const pm_op *op) {
  if (!op->loc.file || (op->loc.file == e->last_loc.file && op->loc.line == e->last_loc.line)) return;
  const char *name = pm_source_name(e->ctx, op->loc.file);
  const char *slash = name ? strrchr(name, '/') : NULL;
  e->last_loc = op->loc;
  if (!name) return;
  c_begin(e);
  c_put(e, "/* ");
  c_comment_text(e, slash ? slash + 1 : name);
  c_put(e, ":%u */\n", op->loc.line);
}

/* --- frames --- */

void c_fail_as(c_emitter *e, const char *code) {
  if (!e->frame.parallel) {
    c_put(e, e->frame.cleans ? "{ status = %s; goto done; }" : "return %s;", code);
    return;
  }
  c_put(e, "{\n");
  e->indent++;
  c_line(e, "#pragma omp atomic write");
  c_line(e, "status = %s;", code);
  c_line(e, "goto next%u;", e->frame.label);
  e->indent--;
  c_begin(e);
  c_put(e, "}");
}

void c_fail(c_emitter *e, int code) {
  pm_buf text = {0};
  pm_buf_printf(&text, "%d", code);
  c_fail_as(e, text.data);
  pm_buf_free(&text);
}

typedef PM_VEC(const pm_op *) op_list;

/* Allocations below the region that belong to its frame, in order. */
static void collect_heap(const pm_region *region, op_list *list) {
  PM_FOR_OPS(op, region) {
    if (pm_is(op, &buf_alloc) && c_is_heap(op)) PM_VEC_PUSH(*list, op);
    if (c_is_outer_parallel(op)) continue;
    for (unsigned i = 0; i < op->n_regions; i++) collect_heap(pm_region_at(op, i), list);
  }
}

static pm_str array_name(const pm_value *buffer) {
  pm_string stage = pm_sym_at(pm_def(buffer), buf_alloc_stage), name = buffer->name;
  if (name) return (pm_str){name->text, name->len};
  return stage ? (pm_str){stage->text, stage->len} : PM_STR("tmp");
}

/* Several arrays share the memory. */
static bool is_shared(const pm_op *alloc) {
  return alloc->n_results > 1;
}

static pm_str memory_hint(const pm_op *alloc) {
  return is_shared(alloc) ? PM_STR("pool") : array_name(pm_res(alloc, 0));
}

/* The variable of the block of memory: of the only array itself, or of what several share. */
static c_var *memory_of(c_emitter *e, const pm_op *alloc) {
  return is_shared(alloc) ? c_pool_of(e, alloc) : c_var_of(e, pm_res(alloc, 0));
}

static const char *element_type(const pm_value *buffer) {
  return c_type_name(pm_elem_type(buffer->type));
}

static bool is_loaded(c_emitter *e, const pm_value *buffer) {
  loop_access access;
  PM_FOR_USES(use, buffer)
  if (loop_find_access(use->owner, &access) && access.reads && c_plan_of(e, use->owner)->live) return true;
  return false;
}

static bool is_accessed(c_emitter *e, const pm_value *buffer) {
  loop_access access;
  PM_FOR_USES(use, buffer)
  if (loop_find_access(use->owner, &access) && c_plan_of(e, use->owner)->live) return true;
  return false;
}

/* `float *restrict img` or `void *pool`, giving it a name. */
static void declare_memory(c_emitter *e, const pm_op *alloc) {
  const char *name = memory_of(e, alloc)->name = c_new_name(&e->names, memory_hint(alloc));
  if (is_shared(alloc))
    c_put(e, "void *%s", name);
  else
    c_put(e, "%s *restrict %s", element_type(pm_res(alloc, 0)), name);
}

static void declare_strides(c_emitter *e, const pm_op *alloc) {
  for (unsigned i = 0; i < alloc->n_results; i++)
    c_declare_strides(e, pm_res(alloc, i), &alloc->operands[buf_first_extent(alloc, i)]);
}

/* The arrays that share the memory. Only one at a time is used, so none of them is `restrict`. */
static void declare_arrays(c_emitter *e, const pm_op *alloc) {
  for (unsigned i = 0; is_shared(alloc) && i < alloc->n_results; i++) {
    const pm_value *buffer = pm_res(alloc, i);
    const char *name = c_var_of(e, buffer)->name = c_new_name(&e->names, array_name(buffer));
    c_line(e, "%s *const %s = %s;", element_type(buffer), name, c_pool_of(e, alloc)->name);
    if (!is_accessed(e, buffer)) c_line(e, "(void)%s;", name);
  }
  declare_strides(e, alloc);
}

void c_frame_begin(c_emitter *e) {
  op_list list = {0};
  collect_heap(e->frame.region, &list);
  e->frame.cleans = list.len > 0 || c_calls_failing(e->frame.region);
  for (size_t i = 0; i < list.len; i++) {
    c_begin(e);
    declare_memory(e, list.data[i]);
    c_put(e, " = NULL;");
    c_end(e);
  }
  PM_VEC_FREE(list);
}

void c_frame_end(c_emitter *e) {
  op_list list = {0};
  collect_heap(e->frame.region, &list);
  if (e->frame.cleans) {
    const char *empty = list.len ? "" : ";";
    e->indent--;
    if (e->frame.label)
      c_line(e, "next%u:%s", e->frame.label, empty);
    else
      c_line(e, "done:%s", empty);
    e->indent++;
  }
  for (size_t i = list.len; i-- > 0;) c_line(e, "free(%s);", memory_of(e, list.data[i])->name);
  PM_VEC_FREE(list);
}

/* --- memory --- */

static void check_status(c_emitter *e, const char *condition, int code) {
  c_begin(e);
  c_put(e, "if (%s) ", condition);
  c_fail(e, code);
  c_end(e);
}

static void put_condition(pm_buf *out, const char *fmt, const char *name) {
  out->len = 0;
  pm_buf_printf(out, fmt, name);
}

static void alloc_dynamic(c_emitter *e, const pm_op *alloc, const char *name) {
  pm_buf hint = {0}, condition = {0};
  pm_buf_printf(&hint, "%s_bytes", name);
  const char *bytes = c_new_name(&e->names, (pm_str){hint.data, hint.len});
  c_begin(e);
  c_put(e, "const int64_t %s = ", bytes);
  c_alloc_bytes(e, alloc);
  c_put(e, ";");
  c_end(e);
  put_condition(&condition, "%s == INT64_MAX", bytes);
  check_status(e, condition.data, C_TOO_LARGE);
  c_line(e, "%s = pm_alloc(%s);", name, bytes);
  pm_buf_free(&hint);
  pm_buf_free(&condition);
}

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
  c_put(e, "INT64_C(%lld)", (long long)c_constant_alloc_bytes(alloc));
}

static void emit_heap(c_emitter *e, const pm_op *alloc) {
  const char *name = memory_of(e, alloc)->name;
  pm_buf condition = {0};
  e->uses_alloc = true;
  if (alloc->n_operands)
    alloc_dynamic(e, alloc, name);
  else {
    c_begin(e);
    c_put(e, "%s = pm_alloc(", name);
    put_constant_bytes(e, alloc);
    c_put(e, ");");
    c_end(e);
  }
  put_condition(&condition, "%s == NULL", name);
  check_status(e, condition.data, C_OUT_OF_MEMORY);
  pm_buf_free(&condition);
  declare_arrays(e, alloc);
}

/* `float tmp[34 * 258]` */
static void put_constant_array(c_emitter *e, const pm_value *buffer, const char *name) {
  int64_t bytes = 0;
  c_put(e, "%s %s[", element_type(buffer), name);
  if (c_constant_bytes(buffer->type, &bytes) && bytes)
    put_constant_count(e, buffer->type);
  else
    c_put(e, "1");
  c_put(e, "]");
}

static void emit_stack_array(c_emitter *e, const pm_value *buffer) {
  const char *name = c_var_of(e, buffer)->name = c_new_name(&e->names, array_name(buffer));
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
    const char *name = c_var_of(e, buffer)->name = c_new_name(&e->names, array_name(buffer));
    c_line(e, "%s *const %s = %s.a%u;", element_type(buffer), name, pool, i);
    if (!is_accessed(e, buffer)) c_line(e, "(void)%s;", name);
  }
}

static void emit_stack(c_emitter *e, const pm_op *alloc) {
  if (is_shared(alloc))
    emit_stack_pool(e, alloc);
  else
    emit_stack_array(e, pm_res(alloc, 0));
  declare_strides(e, alloc);
}

static void emit_alloc(c_emitter *e, const pm_op *alloc) {
  if (is_per_thread(alloc)) return;
  comment_location(e, alloc);
  if (c_is_heap(alloc))
    emit_heap(e, alloc);
  else
    emit_stack(e, alloc);
}

/* What the region itself allocated, unless the frame does it. */
static void free_region(c_emitter *e, const pm_region *region) {
  if (region == e->frame.region) return;
  for (const pm_op *op = region->last; op; op = op->prev) {
    if (!pm_is(op, &buf_alloc) || !c_is_heap(op)) continue;
    const char *name = memory_of(e, op)->name;
    c_line(e, "free(%s);", name);
    c_line(e, "%s = NULL;", name);
  }
}

static void emit_store(c_emitter *e, const pm_op *op) {
  comment_location(e, op);
  c_begin(e);
  c_element(e, pm_arg(op, buf_store_buffer), pm_attr_at(op, buf_store_map)->map,
            &op->operands[buf_store_indices]);
  c_put(e, " = ");
  c_expr(e, pm_arg(op, buf_store_value), C_ANY);
  c_put(e, ";");
  c_end(e);
}

static void emit_prefetch(c_emitter *e, const pm_op *op) {
  const pm_value *buffer = pm_arg(op, buf_prefetch_buffer);
  comment_location(e, op);
  c_begin(e);
  c_put(e, "%s(%s, (uint64_t)(", c_use_prefetch(e, pm_attr_at(op, buf_prefetch_write)),
        c_var_of(e, buffer)->name);
  c_flat_index(e, buffer, pm_attr_at(op, buf_prefetch_map)->map, &op->operands[buf_prefetch_indices]);
  c_put(e, ") * sizeof(%s));", c_type_name(pm_elem_type(buffer->type)));
  c_end(e);
}

static void emit_vector_store(c_emitter *e, const pm_op *op) {
  comment_location(e, op);
  c_begin(e);
  c_vector_store(e, op);
  c_put(e, ";");
  c_end(e);
}

/* --- carried values --- */

/* The variable does not change while the values of a yield are assigned. */
static bool is_stable(c_emitter *e, const pm_value *v) {
  return pm_constant_value(v) || (!v->is_arg && c_var_of(e, v)->name);
}

/* Values of a yield into the variables of the results; all are computed before any is assigned that the
 * region can read, which is so in loops only. */
static void assign_results(c_emitter *e, const pm_op *yield, const pm_op *op) {
  unsigned n = yield->n_operands;
  const char **next = pm_arena_alloc(e->arena, (n + 1) * sizeof(*next));
  for (unsigned i = 0; i < n; i++) {
    const pm_value *v = pm_arg(yield, i);
    if (n == 1 || pm_is(op, &loop_if) || is_stable(e, v) ||
        c_var_of(e, v)->name == c_var_of(e, pm_res(op, i))->name)
      continue;
    next[i] = c_new_name(&e->names, PM_STR("next"));
    c_begin(e);
    c_put(e, "const %s %s = ", c_value_type(e, pm_res(op, i)), next[i]);
    c_expr_as(e, v, pm_res(op, i));
    c_put(e, ";");
    c_end(e);
  }
  for (unsigned i = 0; i < n; i++) {
    if (c_var_of(e, pm_arg(yield, i))->name == c_var_of(e, pm_res(op, i))->name) continue;
    c_begin(e);
    c_put(e, "%s = ", c_var_of(e, pm_res(op, i))->name);
    if (next[i])
      c_put(e, "%s", next[i]);
    else
      c_expr_as(e, pm_arg(yield, i), pm_res(op, i));
    c_put(e, ";");
    c_end(e);
  }
}

static void emit_yield(c_emitter *e, const pm_op *yield) {
  if (yield->n_operands) assign_results(e, yield, pm_parent(yield));
}

/* A variable nobody reads would be warned about. */
static void use_results(c_emitter *e, const pm_op *op) {
  for (unsigned i = 0; i < op->n_results; i++)
    if (!c_is_used(e, pm_res(op, i))) c_line(e, "(void)%s;", c_var_of(e, pm_res(op, i))->name);
}

/* --- loops --- */

static bool is_simple(c_emitter *e, const pm_value *v) {
  const pm_op *def = pm_def(v);
  if (pm_constant_value(v) || c_var_of(e, v)->name) return true;
  if (!pm_is(def, &arith_addi) && !pm_is(def, &arith_subi)) return false;
  for (unsigned i = 0; i < 2; i++)
    if (!pm_constant_value(pm_arg(def, i)) && !c_var_of(e, pm_arg(def, i))->name) return false;
  return loop_is_exact(e->ranges, v);
}

static const char *counter_hint(const pm_op *op) {
  static const char *const usual[] = {"i", "j", "k", "l", "m"};
  const pm_value *counter = pm_region_at(op, 0)->args[0];
  unsigned depth = 0;
  if (counter->name) return counter->name->text;
  for (const pm_op *up = pm_parent(op); up; up = pm_parent(up))
    depth += pm_is(up, &loop_for) || pm_is(up, &loop_parallel);
  return usual[depth < PM_COUNT(usual) ? depth : PM_COUNT(usual) - 1];
}

/* A variable for an upper bound that is more than a name: it is computed once. NULL when none is needed. */
static const char *declare_bound(c_emitter *e, const pm_op *loop) {
  const pm_value *ub = pm_arg(loop, 1);
  if (is_simple(e, ub)) return NULL;
  pm_buf hint = {0};
  pm_buf_printf(&hint, "%s_end", counter_hint(loop));
  const char *name = c_new_name(&e->names, (pm_str){hint.data, hint.len});
  pm_buf_free(&hint);
  c_begin(e);
  c_put(e, "const int64_t %s = ", name);
  c_expr(e, ub, C_ANY);
  c_put(e, ";");
  c_end(e);
  return name;
}

/* `for (…) {` where `end` is the variable of the bound or NULL; the counter's scope is the caller's. */
static void open_loop(c_emitter *e, const pm_op *op, const char *end, int64_t step) {
  const char *counter = c_name_value(e, pm_region_at(op, 0)->args[0], counter_hint(op));
  c_begin(e);
  c_put(e, "for (int64_t %s = ", counter);
  c_expr(e, pm_arg(op, 0), C_TERNARY);
  c_put(e, "; %s < ", counter);
  if (end)
    c_put(e, "%s", end);
  else
    c_expr(e, pm_arg(op, 1), C_SUM);
  if (step == 1)
    c_put(e, "; %s++) {", counter);
  else
    c_put(e, "; %s += %lld) {", counter, (long long)step);
  c_end(e);
  e->indent++;
}

static void close_block(c_emitter *e) {
  e->indent--;
  c_line(e, "}");
}

static pm_walk stop_at_jump(void *user, pm_op *op) {
  (void)user;
  bool jumps = (pm_is(op, &buf_alloc) && c_is_heap(op)) || pm_is(op, &loop_call);
  return jumps || c_is_outer_parallel(op) ? PM_WALK_STOP : PM_WALK_ON;
}

/* No carried values, and nothing inside that jumps or starts threads. */
static bool may_be_simd(const pm_op *op) {
  return pm_attr_at(op, loop_for_simd) && !op->n_results && pm_walk_pre((pm_op *)op, stop_at_jump, NULL);
}

static void declare_carried(c_emitter *e, const pm_op *op) {
  const pm_region *body = pm_region_at(op, loop_for_body);
  for (unsigned i = 0; i < op->n_results; i++) {
    const pm_value *result = pm_res(op, i), *arg = body->args[i + 1];
    const char *name = c_name_value(e, result->name ? result : arg, "acc");
    c_var_of(e, result)->name = c_var_of(e, arg)->name = name;
    c_begin(e);
    c_put(e, "%s %s = ", c_value_type(e, result), name);
    c_expr_as(e, pm_arg(op, loop_for_inits + i), result);
    c_put(e, ";");
    c_end(e);
  }
}

static void emit_pragma(c_emitter *e, const pm_op *op) {
  pm_attr width = pm_attr_at(op, loop_for_width);
  if (width)
    c_line(e, "#pragma omp simd simdlen(%lld)", (long long)width->i);
  else
    c_line(e, "#pragma omp simd");
}

static void emit_sequential(c_emitter *e, const pm_op *op, int64_t step, bool simd) {
  const char *end = declare_bound(e, op);
  size_t scope = c_open_scope(&e->names);
  if (simd) emit_pragma(e, op);
  open_loop(e, op, end, step);
  c_region(e, pm_region_at(op, 0));
  close_block(e);
  c_close_scope(&e->names, scope);
}

static void emit_for(c_emitter *e, const pm_op *op) {
  comment_location(e, op);
  declare_carried(e, op);
  emit_sequential(e, op, pm_int_at(op, loop_for_step), may_be_simd(op));
  use_results(e, op);
}

/* --- loops on several threads --- */

static const char *schedule_of(const pm_op *op) {
  pm_string deal = pm_sym_at(op, loop_parallel_deal);
  return deal ? deal->text : "static";
}

static void collect_per_thread(const pm_region *body, op_list *list) {
  PM_FOR_OPS(op, body)
  if (pm_is(op, &buf_alloc) && is_per_thread(op)) PM_VEC_PUSH(*list, op);
}

/* `a == NULL || b == NULL` */
static void put_any_null(c_emitter *e, const op_list *list) {
  for (size_t i = 0; i < list->len; i++)
    c_put(e, "%s%s == NULL", i ? " || " : "", memory_of(e, list->data[i])->name);
}

static void declare_per_thread(c_emitter *e, const op_list *list) {
  e->uses_alloc = true;
  for (size_t i = 0; i < list->len; i++) {
    c_begin(e);
    declare_memory(e, list->data[i]);
    c_put(e, " = pm_alloc(");
    put_constant_bytes(e, list->data[i]);
    c_put(e, ");");
    c_end(e);
    declare_arrays(e, list->data[i]);
  }
  c_begin(e);
  c_put(e, "if (");
  put_any_null(e, list);
  c_put(e, ") {");
  c_end(e);
  e->indent++;
  c_line(e, "#pragma omp atomic write");
  c_line(e, "status = %d;", C_OUT_OF_MEMORY);
  close_block(e);
}

static void skip_without_memory(c_emitter *e, const op_list *list) {
  if (!list->len) return;
  c_begin(e);
  c_put(e, "if (");
  put_any_null(e, list);
  c_put(e, ") continue;");
  c_end(e);
}

/* The loop itself: its iterations are frames. True when one may fail. */
static bool emit_iterations(c_emitter *e, const pm_op *op, const char *end, const op_list *per_thread) {
  c_frame outer = e->frame;
  size_t scope = c_open_scope(&e->names);
  e->frame = (c_frame){.region = pm_region_at(op, 0), .label = ++e->labels, .parallel = true};
  open_loop(e, op, end, pm_int_at(op, loop_parallel_step));
  skip_without_memory(e, per_thread);
  c_frame_begin(e);
  bool cleans = e->frame.cleans;
  c_region(e, pm_region_at(op, 0));
  c_frame_end(e);
  close_block(e);
  c_close_scope(&e->names, scope);
  e->frame = outer;
  return cleans;
}

static void emit_with_thread_memory(c_emitter *e, const pm_op *op, const char *end,
                                    const op_list *per_thread) {
  size_t scope = c_open_scope(&e->names);
  c_line(e, "#pragma omp parallel");
  c_line(e, "{");
  e->indent++;
  declare_per_thread(e, per_thread);
  c_line(e, "#pragma omp for schedule(%s)", schedule_of(op));
  (void)emit_iterations(e, op, end, per_thread);
  for (size_t i = per_thread->len; i-- > 0;) c_line(e, "free(%s);", memory_of(e, per_thread->data[i])->name);
  close_block(e);
  c_close_scope(&e->names, scope);
}

static void emit_threads(c_emitter *e, const pm_op *op) {
  op_list per_thread = {0};
  const char *end = declare_bound(e, op);
  bool fails = true;
  collect_per_thread(pm_region_at(op, 0), &per_thread);
  if (per_thread.len)
    emit_with_thread_memory(e, op, end, &per_thread);
  else {
    c_line(e, "#pragma omp parallel for schedule(%s)", schedule_of(op));
    fails = emit_iterations(e, op, end, &per_thread);
  }
  if (fails) c_line(e, "if (status != 0) %s;", e->frame.cleans ? "goto done" : "return status");
  PM_VEC_FREE(per_thread);
}

static void emit_parallel(c_emitter *e, const pm_op *op) {
  comment_location(e, op);
  if (c_is_outer_parallel(op))
    emit_threads(e, op);
  else
    emit_sequential(e, op, pm_int_at(op, loop_parallel_step), false);
}

/* --- the rest --- */

static void emit_if(c_emitter *e, const pm_op *op) {
  const pm_region *other = pm_region_at(op, loop_if_else);
  comment_location(e, op);
  for (unsigned i = 0; i < op->n_results; i++)
    c_line(e, "%s %s;", c_value_type(e, pm_res(op, i)), c_name_value(e, pm_res(op, i), "chosen"));
  c_begin(e);
  c_put(e, "if (");
  c_expr(e, pm_arg(op, loop_if_condition), C_ANY);
  c_put(e, ") {");
  c_end(e);
  e->indent++;
  c_region(e, pm_region_at(op, loop_if_then));
  if (other->present && other->first) {
    e->indent--;
    c_line(e, "} else {");
    e->indent++;
    c_region(e, other);
  }
  close_block(e);
  use_results(e, op);
}

static unsigned require_number(const pm_op *op) {
  unsigned n = 0;
  for (const pm_op *before = op->prev; before; before = before->prev) n += pm_is(before, &loop_require);
  return n;
}

static void emit_require(c_emitter *e, const pm_op *op) {
  c_begin(e);
  c_put(e, "if (!");
  c_expr(e, pm_arg(op, loop_require_condition), C_PRIMARY);
  c_put(e, ") ");
  c_fail(e, (int)(C_FIRST_REQUIRE + require_number(op)));
  c_end(e);
}

static void emit_named_array(c_emitter *e, const pm_op *op) {
  if (op->n_operands) {
    c_begin(e);
    c_put(e, "if (");
    c_byte_count(e, pm_res(op, 0)->type, op->operands);
    c_put(e, " == INT64_MAX) ");
    c_fail(e, C_TOO_LARGE);
    c_end(e);
  }
  c_declare_strides(e, pm_res(op, 0), op->operands);
}

/* No warning about an array that only calls use, or nothing. */
static void emit_argument(c_emitter *e, const pm_op *op) {
  if (!is_accessed(e, pm_res(op, 0))) c_line(e, "(void)%s;", c_var_of(e, pm_res(op, 0))->name);
  c_declare_strides(e, pm_res(op, 0), op->operands);
}

/* A conversion between integers that the initialization of a variable makes without a cast. */
static bool initializes_by_itself(const pm_op *op) {
  if (!pm_is(op, &arith_cast) || pm_constant_value(pm_arg(op, 0)) || c_is_vector_op(op)) return false;
  return pm_is_int_or_index(pm_arg(op, 0)->type) && !pm_is_bool(pm_res(op, 0)->type);
}

/* The array's name in the IR; that in C may have a number behind it. */
static pm_str array_hint(const pm_value *buffer) {
  const pm_op *def = pm_def(buffer);
  if (pm_is(def, &buf_alloc)) return array_name(buffer);
  pm_string sym = pm_sym_at(def, pm_is(def, &buf_input) ? (unsigned)buf_input_sym : (unsigned)buf_output_sym);
  return (pm_str){sym->text, sym->len};
}

/* The array whose extent the operand is, and in which of its operands. */
static const pm_value *array_of_extent(const pm_op *user, unsigned *operand) {
  unsigned i = 0;
  while (i + 1 < user->n_results && *operand >= buf_open_sizes(pm_res(user, i)->type))
    *operand -= buf_open_sizes(pm_res(user, i++)->type);
  return pm_res(user, i);
}

/* A name by what the value is used for: an extent of an array, a bound of a loop. */
static void put_use_hint(const pm_op *user, unsigned operand, pm_buf *out) {
  if (pm_is(user, &buf_input) || pm_is(user, &buf_output) || pm_is(user, &buf_alloc)) {
    pm_str array = array_hint(array_of_extent(user, &operand));
    pm_buf_printf(out, "%.*s_n%u", (int)array.len, array.ptr, operand);
  } else if ((pm_is(user, &loop_for) || pm_is(user, &loop_parallel)) && operand < 2)
    pm_buf_printf(out, "%s_%s", counter_hint(user), operand ? "end" : "begin");
}

/* `R64` of a parameter R made 64 bits wide, `img_v` of an element, or what the use says. */
static void put_hint(c_emitter *e, const pm_op *op, pm_buf *out) {
  const pm_value *v = pm_res(op, 0);
  loop_access access;
  if (v->name) {
    pm_buf_puts(out, v->name->text);
  } else if (loop_find_access(op, &access)) {
    pm_str array = array_hint(access.buffer);
    pm_buf_printf(out, "%.*s_v", (int)array.len, array.ptr);
  } else if (pm_is(op, &arith_cast) && pm_is(pm_def(pm_arg(op, 0)), &loop_param)) {
    unsigned bits = pm_get_scalar_info((pm_scalar)v->type->scalar)->bits;
    pm_buf_printf(out, "%s%u", c_var_of(e, pm_arg(op, 0))->name, bits);
  }
  PM_FOR_USES(use, v)
  if (!out->len) put_use_hint(use->owner, pm_operand_number(use), out);
  if (!out->len) pm_buf_puts(out, "t");
}

static void emit_variable(c_emitter *e, const pm_op *op) {
  const pm_value *v = pm_res(op, 0);
  pm_buf hint = {0};
  put_hint(e, op, &hint);
  const char *name = c_new_name(&e->names, (pm_str){hint.data, hint.len});
  pm_buf_free(&hint);
  c_begin(e);
  c_put(e, "const %s %s = ", c_value_type(e, v), name);
  if (initializes_by_itself(op))
    c_expr(e, pm_arg(op, 0), C_ANY);
  else
    c_op_expr(e, op, C_ANY);
  c_put(e, ";");
  c_end(e);
  c_var_of(e, v)->name = name;
}

typedef void (*emit_fn)(c_emitter *e, const pm_op *op);

static void emit_nothing(c_emitter *e, const pm_op *op) {
  (void)e;
  (void)op;
}

static const struct statement {
  const pm_op_desc *desc;
  emit_fn emit;
} statements[] = {
    {&loop_param, emit_nothing},
    {&loop_require, emit_require},
    {&loop_call, c_emit_call},
    {&loop_for, emit_for},
    {&loop_parallel, emit_parallel},
    {&loop_if, emit_if},
    {&loop_yield, emit_yield},
    {&buf_input, emit_named_array},
    {&buf_output, emit_named_array},
    {&buf_argument, emit_argument},
    {&buf_alloc, emit_alloc},
    {&buf_store, emit_store},
    {&buf_prefetch, emit_prefetch},
    {&vec_store, emit_vector_store},
    {&vec_maskedstore, emit_vector_store},
    {&vec_scatter, emit_vector_store},
    {&vec_maskedscatter, emit_vector_store},
};

void c_statement(c_emitter *e, const pm_op *op) {
  if (!c_is_statement(e, op)) return;
  for (size_t i = 0; i < PM_COUNT(statements); i++)
    if (statements[i].desc == op->desc) {
      statements[i].emit(e, op);
      return;
    }
  emit_variable(e, op);
}

void c_region(c_emitter *e, const pm_region *region) {
  size_t scope = c_open_scope(&e->names);
  PM_FOR_OPS(op, region) c_statement(e, op);
  free_region(e, region);
  c_close_scope(&e->names, scope);
}
