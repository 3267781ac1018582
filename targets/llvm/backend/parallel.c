/* Loops on several threads: the iterations are a function of their own, which each thread runs, and which
 * gets the values from outside in a struct. Threads are those of targets/lib/pool.c, or of the OpenMP of gcc,
 * whose functions LLVM's offers, too. */
#include "targets/llvm/backend/emit.h"

#include "dialects/loop/analyses/frames.h"
#include "dialects/loop/analyses/loops.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/loop.h"

#include <stdlib.h>
#include <string.h>

/* --- threads --- */

/* `int name(void)`, in 64 bits. */
static LLVMValueRef call_number(ll_emitter *e, const char *name) {
  LLVMValueRef function = ll_external(e, name, LLVMFunctionType(e->i32, NULL, 0, false));
  return LLVMBuildSExt(e->builder, ll_call(e, function, NULL, 0), e->i64, "");
}

void ll_emit_thread(ll_emitter *e, const pm_op *op) {
  LLVMValueRef thread = !e->pool         ? call_number(e, "omp_get_thread_num")
                        : e->body.thread ? e->body.thread
                                         : ll_i64(e, 0);
  ll_set(e, pm_res(op, 0), thread);
}

void ll_emit_threads(ll_emitter *e, const pm_op *op) {
  ll_set(e, pm_res(op, 0), call_number(e, e->pool ? "pm_get_threads" : "omp_get_max_threads"));
}

/* --- what is known inside --- */

typedef struct capture {
  ll_emitter *e;
  PM_VEC(const pm_value *) values; /* in the order of the struct */
  PM_VEC(LLVMTypeRef) types;
  pm_map *seen;
} capture;

/* Constants need no place in the struct. */
static pm_walk add_operands(void *user, pm_op *op) {
  capture *c = user;
  for (unsigned i = 0; i < op->n_operands; i++) {
    const pm_value *v = pm_arg(op, i);
    if (pm_map_has(c->seen, v) || !pm_map_has(c->e->body.values, v)) continue;
    pm_map_set(c->seen, v, NULL);
    if (!LLVMIsConstant(ll_value(c->e, v))) PM_VEC_PUSH(c->values, v);
  }
  return PM_WALK_ON;
}

/* The struct begins with the bounds and the address of the status. */
enum { LB, UB, STATUS, FIRST_VALUE };

static LLVMTypeRef capture_values(capture *c, const pm_op *op) {
  ll_emitter *e = c->e;
  c->seen = pm_map_new();
  (void)pm_walk_pre((pm_op *)op, add_operands, c);
  PM_VEC_PUSH(c->types, e->i64);
  PM_VEC_PUSH(c->types, e->i64);
  PM_VEC_PUSH(c->types, e->pointer);
  for (size_t i = 0; i < c->values.len; i++)
    PM_VEC_PUSH(c->types, LLVMTypeOf(ll_value(e, c->values.data[i])));
  return LLVMStructTypeInContext(e->ctx, c->types.data, (unsigned)c->types.len, false);
}

static void free_capture(capture *c) {
  pm_map_free(c->seen);
  PM_VEC_FREE(c->values);
  PM_VEC_FREE(c->types);
}

static void store_field(ll_emitter *e, LLVMTypeRef type, LLVMValueRef given, unsigned i, LLVMValueRef value) {
  LLVMBuildStore(e->builder, value, LLVMBuildStructGEP2(e->builder, type, given, i, ""));
}

static LLVMValueRef load_field(ll_emitter *e, const capture *c, LLVMTypeRef type, unsigned i) {
  LLVMValueRef given = LLVMGetParam(e->body.function, 0);
  return LLVMBuildLoad2(e->builder, c->types.data[i], LLVMBuildStructGEP2(e->builder, type, given, i, ""),
                        "");
}

/* --- shares --- */

static LLVMValueRef n_iterations(ll_emitter *e, const ll_loop *all) {
  LLVMBuilderRef b = e->builder;
  LLVMValueRef length = LLVMBuildSub(b, all->ub, all->lb, "");
  LLVMValueRef up = LLVMBuildAdd(b, length, ll_i64(e, all->step - 1), "");
  return LLVMBuildUDiv(b, up, ll_i64(e, all->step), "");
}

/* Iterations of the loop, by their numbers. */
static ll_loop part_of(ll_emitter *e, const ll_loop *all, LLVMValueRef first, LLVMValueRef end) {
  LLVMBuilderRef b = e->builder;
  LLVMValueRef step = ll_i64(e, all->step);
  return (ll_loop){LLVMBuildAdd(b, all->lb, LLVMBuildMul(b, first, step, ""), ""),
                   LLVMBuildAdd(b, all->lb, LLVMBuildMul(b, end, step, ""), ""), all->step};
}

/* The share of a thread: of n iterations, n / threads and one of the rest, in order, as gcc does it. */
static ll_loop static_share(ll_emitter *e, const ll_loop *all) {
  LLVMBuilderRef b = e->builder;
  LLVMValueRef thread = call_number(e, "omp_get_thread_num"), threads = call_number(e, "omp_get_num_threads"),
               n = n_iterations(e, all);
  LLVMValueRef share = LLVMBuildUDiv(b, n, threads, ""), rest = LLVMBuildURem(b, n, threads, "");
  LLVMValueRef one_more = LLVMBuildICmp(b, LLVMIntULT, thread, rest, "");
  LLVMValueRef before = LLVMBuildSelect(b, one_more, thread, rest, "");
  LLVMValueRef first = LLVMBuildAdd(b, LLVMBuildMul(b, share, thread, ""), before, "");
  LLVMValueRef count = LLVMBuildAdd(b, share, LLVMBuildZExt(b, one_more, e->i64, ""), "");
  return part_of(e, all, first, LLVMBuildAdd(b, first, count, ""));
}

/* One after the other, when a thread is free: the runtime says from where to where. */
static void emit_dynamic(ll_emitter *e, const pm_op *op, const ll_loop *all) {
  LLVMTypeRef start_types[] = {e->i64, e->i64, e->i64, e->i64, e->pointer, e->pointer};
  LLVMValueRef lb = ll_alloca(e, e->i64, 0, "lb"), ub = ll_alloca(e, e->i64, 0, "ub");
  LLVMValueRef start =
      ll_external(e, "GOMP_loop_nonmonotonic_dynamic_start", LLVMFunctionType(e->i8, start_types, 6, false));
  LLVMValueRef next = ll_external(e, "GOMP_loop_nonmonotonic_dynamic_next",
                                  LLVMFunctionType(e->i8, start_types + 4, 2, false));
  LLVMValueRef end = ll_external(e, "GOMP_loop_end_nowait", LLVMFunctionType(e->nothing, NULL, 0, false));
  LLVMValueRef args[] = {all->lb, all->ub, ll_i64(e, all->step), ll_i64(e, 1), lb, ub};
  LLVMBasicBlockRef some = ll_new_block(e, "some"), none = ll_new_block(e, "none");
  LLVMValueRef first = ll_call(e, start, args, 6);
  LLVMBuildCondBr(e->builder, LLVMBuildICmp(e->builder, LLVMIntNE, first, ll_int(e->i8, 0), ""), some, none);
  ll_begin_block(e, some);
  const ll_loop share = {LLVMBuildLoad2(e->builder, e->i64, lb, ""),
                         LLVMBuildLoad2(e->builder, e->i64, ub, ""), all->step};
  ll_emit_loop(e, op, &share);
  LLVMValueRef more = ll_call(e, next, args + 4, 2);
  LLVMBuildCondBr(e->builder, LLVMBuildICmp(e->builder, LLVMIntNE, more, ll_int(e->i8, 0), ""), some, none);
  ll_begin_block(e, none);
  (void)ll_call(e, end, NULL, 0);
}

static LLVMValueRef load_number(ll_emitter *e, LLVMValueRef numbers, int64_t i) {
  LLVMValueRef at = ll_i64(e, i);
  return LLVMBuildLoad2(e->builder, e->i64, LLVMBuildInBoundsGEP2(e->builder, e->i64, numbers, &at, 1, ""),
                        "");
}

/* Parts, until pm_next has none. */
static void emit_parts(ll_emitter *e, const pm_op *op, const ll_loop *all) {
  LLVMValueRef range = ll_alloca(e, LLVMArrayType2(e->i64, 2), 0, "range"), args[] = {e->body.loop, range};
  LLVMBasicBlockRef next = ll_new_block(e, "next"), some = ll_new_block(e, "some"),
                    none = ll_new_block(e, "none");
  LLVMBuildBr(e->builder, next);
  ll_begin_block(e, next);
  LLVMValueRef more = ll_call(e, LLVMGetNamedFunction(e->module, "pm_next"), args, 2);
  LLVMBuildCondBr(e->builder, more, some, none);
  ll_begin_block(e, some);
  const ll_loop part = part_of(e, all, load_number(e, range, 0), load_number(e, range, 1));
  ll_emit_loop(e, op, &part);
  LLVMBuildBr(e->builder, next);
  ll_begin_block(e, none);
}

static bool is_dynamic(const pm_op *op) {
  pm_string schedule = pm_sym_at(op, loop_parallel_schedule);
  return schedule && !strcmp(schedule->text, "dynamic");
}

static void emit_share(ll_emitter *e, const pm_op *op, const ll_loop *all) {
  if (e->pool) {
    emit_parts(e, op, all);
    return;
  }
  if (is_dynamic(op)) {
    emit_dynamic(e, op, all);
    return;
  }
  const ll_loop share = static_share(e, all);
  ll_emit_loop(e, op, &share);
}

/* --- the function of a thread --- */

static LLVMValueRef add_function(ll_emitter *e) {
  pm_buf name = {0};
  pm_buf_printf(&name, "%s.loop%u", e->name, e->outlined++);
  LLVMTypeRef types[] = {e->pointer, e->i64, e->pointer};
  LLVMValueRef function =
      LLVMAddFunction(e->module, name.data, LLVMFunctionType(e->nothing, types, e->pool ? 3 : 1, false));
  pm_buf_free(&name);
  LLVMSetLinkage(function, LLVMInternalLinkage);
  ll_mark_function(e, function);
  LLVMAddAttributeAtIndex(function, 1, ll_attribute(e, "noalias", 0));
  return function;
}

typedef struct constant_walk {
  ll_emitter *e;
  const ll_body *outer;
} constant_walk;

/* Values from outside that LLVM knows as constants are the same here. */
static pm_walk set_constants(void *user, pm_op *op) {
  const constant_walk *w = user;
  for (unsigned i = 0; i < op->n_operands; i++) {
    LLVMValueRef value = pm_map_get(w->outer->values, pm_arg(op, i));
    if (value && LLVMIsConstant(value)) ll_set(w->e, pm_arg(op, i), value);
  }
  return PM_WALK_ON;
}

static LLVMValueRef emit_thread_function(ll_emitter *e, const pm_op *op, const capture *c, LLVMTypeRef type) {
  const ll_body outer = e->body;
  LLVMBasicBlockRef here = LLVMGetInsertBlock(e->builder);
  ll_begin_body(e, add_function(e));
  if (e->pool) {
    e->body.thread = LLVMGetParam(e->body.function, 1);
    e->body.loop = LLVMGetParam(e->body.function, 2);
  }
  LLVMBasicBlockRef first = LLVMGetInsertBlock(e->builder);
  const ll_loop all = {load_field(e, c, type, LB), load_field(e, c, type, UB),
                       pm_int_at(op, loop_parallel_step)};
  e->body.frame.status = load_field(e, c, type, STATUS);
  for (size_t i = 0; i < c->values.len; i++)
    ll_set(e, c->values.data[i], load_field(e, c, type, FIRST_VALUE + (unsigned)i));
  (void)pm_walk_pre((pm_op *)op, set_constants, &(constant_walk){e, &outer});
  ll_alloc_thread_memory(e, op);
  emit_share(e, op, &all);
  ll_free_thread_memory(e, op);
  LLVMBuildRetVoid(e->builder);
  LLVMValueRef function = e->body.function;
  ll_end_body(e, first);
  e->body = outer;
  ll_begin_block(e, here);
  ll_debug_op(e, op);
  return function;
}

/* --- the loop --- */

/* Their names, for who is told of the loop. */
static LLVMValueRef stages_of(ll_emitter *e, const pm_op *op) {
  pm_buf names = {0};
  loop_put_stages((pm_op *)op, &names);
  LLVMValueRef text = LLVMBuildGlobalStringPtr(e->builder, names.data ? names.data : "", "stages");
  pm_buf_free(&names);
  return text;
}

static void start_threads(ll_emitter *e, const pm_op *op, LLVMValueRef function, LLVMValueRef given) {
  const ll_loop all = {ll_arg(e, op, loop_parallel_lb), ll_arg(e, op, loop_parallel_ub),
                       pm_int_at(op, loop_parallel_step)};
  if (e->pool) {
    LLVMValueRef args[] = {function, given, n_iterations(e, &all), ll_int(e->i32, is_dynamic(op)),
                           stages_of(e, op)};
    (void)ll_call(e, LLVMGetNamedFunction(e->module, "pm_parallel"), args, 5);
    return;
  }
  LLVMTypeRef types[] = {e->pointer, e->pointer, e->i32, e->i32};
  LLVMValueRef args[] = {function, given, ll_int(e->i32, 0), ll_int(e->i32, 0)};
  (void)ll_call(e, ll_external(e, "GOMP_parallel", LLVMFunctionType(e->nothing, types, 4, false)), args, 4);
}

/* A code that an iteration left ends the frame. */
static void check_status(ll_emitter *e) {
  LLVMValueRef code = LLVMBuildLoad2(e->builder, e->i32, e->body.frame.status, "");
  ll_check(e, LLVMBuildICmp(e->builder, LLVMIntEQ, code, ll_int(e->i32, 0), ""), code);
}

static void emit_threads(ll_emitter *e, const pm_op *op) {
  capture c = {.e = e};
  bool fails = loop_frame_may_fail(pm_region_at(op, loop_parallel_body));
  LLVMTypeRef type = capture_values(&c, op);
  LLVMValueRef given = ll_alloca(e, type, 0, "given");
  LLVMBasicBlockRef some = ll_new_block(e, "some"), none = ll_new_block(e, "none");
  LLVMValueRef lb = ll_arg(e, op, loop_parallel_lb), ub = ll_arg(e, op, loop_parallel_ub);
  LLVMBuildCondBr(e->builder, LLVMBuildICmp(e->builder, LLVMIntSLT, lb, ub, ""), some, none);
  ll_begin_block(e, some);
  store_field(e, type, given, LB, lb);
  store_field(e, type, given, UB, ub);
  store_field(e, type, given, STATUS, fails ? e->body.frame.status : LLVMConstNull(e->pointer));
  for (size_t i = 0; i < c.values.len; i++)
    store_field(e, type, given, FIRST_VALUE + (unsigned)i, ll_value(e, c.values.data[i]));
  start_threads(e, op, emit_thread_function(e, op, &c, type), given);
  if (fails) check_status(e);
  LLVMBuildBr(e->builder, none);
  ll_begin_block(e, none);
  free_capture(&c);
}

void ll_emit_parallel(ll_emitter *e, const pm_op *op) {
  if (loop_runs_on_threads(op)) {
    emit_threads(e, op);
    return;
  }
  const ll_loop bounds = {ll_arg(e, op, loop_parallel_lb), ll_arg(e, op, loop_parallel_ub),
                          pm_int_at(op, loop_parallel_step)};
  ll_emit_loop(e, op, &bounds);
}
