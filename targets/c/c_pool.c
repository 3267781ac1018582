/* Loops on the threads of targets/lib/pool.c, whose text the program has: the iterations are a function of
 * their own, ahead of the one with the loop, and what they use from outside is in a struct.
 *
 *   struct pm_f_loop1 {                     static void pm_f_loop1(void *data, int64_t thread, pm_loop *loop)
 *     int64_t begin;                        {
 *     const float *img;                       struct pm_f_loop1 *const given = data;
 *     float *out;                             const float *restrict const img = given->img;
 *   };                                        …
 *                                             while (pm_next(loop, range)) { … }
 */
#include <stdlib.h>
#include <string.h>

#include "dialects/loop/analyses/frames.h"
#include "dialects/loop/analyses/loops.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/loop.h"
#include "targets/c/c_emit.h"

extern const char c_pool[]; /* targets/lib/pool.c */

void c_emit_pool(c_emitter *e) {
  c_put(e, "%s\n", c_pool);
}

/* --- what iterations use from outside --- */

typedef struct capture {
  c_emitter *e;
  const pm_op *loop;
  pm_map *seen;
  PM_VEC(const pm_value *) values; /* those that have a variable ahead of the loop */
  bool uses_thread;
} capture;

static void add_value(capture *c, const pm_value *v) {
  if (pm_map_has(c->seen, v) || !c_var_of(c->e, v)->name) return;
  pm_map_set(c->seen, v, NULL);
  PM_VEC_PUSH(c->values, v);
}

/* Variables inside have no name yet. */
static pm_walk add_operands(void *user, pm_op *op) {
  capture *c = user;
  if (op == c->loop) return PM_WALK_ON;
  if (!c_plan_of(c->e, op)->live || c_compares_with_itself(op)) return PM_WALK_SKIP;
  c->uses_thread |= pm_is(op, &loop_thread);
  for (unsigned i = 0; i < op->n_operands; i++) add_value(c, pm_arg(op, i));
  return PM_WALK_ON;
}

static bool is_read_only(const pm_value *array) {
  return abi_is_read(pm_def(array)) || pm_is(pm_def(array), &buf_constant);
}

/* Arrays that share memory are not alone at their places. */
static bool is_restrict(const pm_value *array) {
  return !pm_is(pm_def(array), &buf_workspace) && pm_def(array)->n_results == 1;
}

/* `const float *restrict const ` for a variable, or `const float *` for a field. */
static void put_type(c_emitter *e, const pm_value *v, bool field) {
  if (!pm_is_memref(v->type)) {
    c_put(e, "%s%s ", field ? "" : "const ", c_value_type(e, v));
    return;
  }
  const char *element =
      pm_is(pm_def(v), &buf_workspace) ? "unsigned char" : c_type_name(e, pm_elem_type(v->type));
  c_put(e, "%s%s *%s", is_read_only(v) ? "const " : "", element,
        field            ? ""
        : is_restrict(v) ? "restrict const "
                         : "const ");
}

/* --- the struct, and the function --- */

static void put_fields(c_emitter *e, const capture *c, const char *name, bool fails) {
  c_line(e, "struct %s {", name);
  e->indent++;
  c_line(e, "int64_t begin;");
  if (fails) c_line(e, "_Atomic int status;");
  for (size_t i = 0; i < c->values.len; i++) {
    c_begin(e);
    put_type(e, c->values.data[i], true);
    c_put(e, "v%zu;", i);
    c_end(e);
  }
  e->indent--;
  c_line(e, "};");
  c_put(e, "\n");
}

static void put_variables(c_emitter *e, const capture *c, const char *given) {
  for (size_t i = 0; i < c->values.len; i++) {
    c_begin(e);
    put_type(e, c->values.data[i], false);
    c_put(e, "%s = %s->v%zu;", c_var_of(e, c->values.data[i])->name, given, i);
    c_end(e);
  }
}

static const char *new_name(c_emitter *e, const char *hint) {
  return c_new_name(&e->names, pm_str_of(hint));
}

static void put_place(c_emitter *e, const char *name, const char *given, const char *range, int i,
                      long long step) {
  c_begin(e);
  c_put(e, "const int64_t %s = %s->begin + %s[%d]", name, given, range, i);
  if (step != 1) c_put(e, " * %lld", step);
  c_put(e, ";");
  c_end(e);
}

static void put_parts(c_emitter *e, const capture *c, const char *given, const char *loop) {
  const char *range = new_name(e, "range"), *first = new_name(e, "first"), *end = new_name(e, "end");
  long long step = pm_int_at(c->loop, loop_parallel_step);
  c_line(e, "int64_t %s[2];", range);
  c_line(e, "while (pm_next(%s, %s)) {", loop, range);
  e->indent++;
  put_place(e, first, given, range, 0, step);
  put_place(e, end, given, range, 1, step);
  c_iterations(e, c->loop, first, end);
  c_close_block(e);
}

/* Into a text of its own; variables have the names that they have outside. */
static void put_function(c_emitter *e, const capture *c, const char *name, bool fails) {
  loop_allocs list = {0};
  size_t scope = c_open_scope(&e->names);
  const char *data = new_name(e, "data"), *thread = new_name(e, "thread"), *loop = new_name(e, "loop"),
             *given = new_name(e, "given");
  loop_list_thread_allocs(c->loop, &list);
  put_fields(e, c, name, fails);
  c_line(e, "static void %s(void *%s, int64_t %s, pm_loop *%s)", name, data, thread, loop);
  c_line(e, "{");
  e->indent++;
  c_put_fp_pragma(e, pm_parent_of(c->loop, &loop_func));
  c_line(e, "struct %s *const %s = %s;", name, given, data);
  if (!c->uses_thread) c_line(e, "(void)%s;", thread);
  put_variables(e, c, given);
  c_program_of(e)->given = given;
  c_program_of(e)->thread = thread;
  c_declare_thread_memory(e, &list);
  put_parts(e, c, given, loop);
  c_free_thread_memory(e, &list);
  c_program_of(e)->given = c_program_of(e)->thread = NULL;
  c_close_block(e);
  c_put(e, "\n");
  c_close_scope(&e->names, scope);
  PM_VEC_FREE(list);
}

/* --- the call --- */

static void put_given(c_emitter *e, const capture *c, const char *name, const char *given, bool fails) {
  c_begin(e);
  c_put(e, "struct %s %s = {", name, given);
  c_expr(e, pm_arg(c->loop, loop_parallel_lb), C_TERNARY);
  if (fails) c_put(e, ", 0");
  for (size_t i = 0; i < c->values.len; i++) c_put(e, ", %s", c_var_of(e, c->values.data[i])->name);
  c_put(e, "};");
  c_end(e);
}

/* The names of its stages, in a string for each line. */
static void put_stages(c_emitter *e, const pm_op *loop, const char *stages) {
  pm_buf names = {0};
  loop_put_stages((pm_op *)loop, &names);
  c_line(e, "static const char %s[] =", stages);
  for (char *at = names.data ? names.data : (char[]){""}, *rest; at; at = rest) {
    enum { STRING = 90 };
    rest = strlen(at) > STRING ? strchr(at + STRING, ' ') : NULL;
    if (rest) *rest++ = 0;
    c_begin(e);
    c_put(e, "    \"");
    c_string_text(e, at);
    c_put(e, rest ? " \"\n" : "\";\n");
  }
  pm_buf_free(&names);
}

static void put_call(c_emitter *e, const capture *c, const char *name, const char *given, const char *stages,
                     const char *end) {
  long long step = pm_int_at(c->loop, loop_parallel_step);
  c_begin(e);
  c_put(e, "pm_parallel(%s, &%s, %s", name, given, step == 1 ? "" : "(");
  if (end)
    c_put(e, "%s", end);
  else
    c_expr(e, pm_arg(c->loop, loop_parallel_ub), C_SUM);
  c_put(e, " - %s.begin", given);
  if (step != 1) c_put(e, " + %lld) / %lld", step - 1, step);
  c_put(e, ", %d, %s);", c_is_dynamic(c->loop), stages);
  c_end(e);
}

bool c_pool_loop(c_emitter *e, const pm_op *op, const char *end) {
  capture c = {.e = e, .loop = op, .seen = pm_map_new()};
  bool fails = loop_frame_may_fail(pm_region_at(op, loop_parallel_body));
  pm_buf name = {0}, *out = e->out;
  unsigned indent = e->indent;
  pm_buf_printf(&name, "pm_%s_loop%u", abi_func_name(e, pm_parent_of(op, &loop_func)),
                ++c_program_of(e)->outlined);
  (void)pm_walk_pre((pm_op *)op, add_operands, &c);
  e->out = &c_program_of(e)->functions;
  e->indent = 0;
  put_function(e, &c, name.data, fails);
  e->out = out;
  e->indent = indent;
  c_line(e, "{");
  e->indent++;
  size_t scope = c_open_scope(&e->names);
  const char *given = new_name(e, "given"), *stages = new_name(e, "stages");
  put_stages(e, op, stages);
  put_given(e, &c, name.data, given, fails);
  put_call(e, &c, name.data, given, stages, end);
  if (fails) c_line(e, "status = %s.status;", given);
  c_close_scope(&e->names, scope);
  c_close_block(e);
  pm_buf_free(&name);
  pm_map_free(c.seen);
  PM_VEC_FREE(c.values);
  return fails;
}
