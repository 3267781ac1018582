/* Who gives memory back, and what may fail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dialects/dialects.h"
#include "dialects/loop/analyses/frames.h"
#include "dialects/loop/loop.h"
#include "ir/text.h"

typedef struct row {
  const char *body;
  size_t own;        /* allocations that the function gives back */
  size_t in_threads; /* that iterations of its first loop.parallel give back */
  size_t of_threads; /* that its threads have once */
  bool fails, itself;
} row;

#define HEAP(name) "%" name " = buf.alloc() : memref<8xf32, heap>\n"
#define STACK(name) "%" name " = buf.alloc() : memref<8xf32, stack>\n"
#define THREAD(name) "%" name " = buf.alloc() : memref<8xf32, thread>\n"
#define CHECK "loop.require %ok code 3\n"
#define FOR "loop.for %i = %c0 to %n step 1 {\n"
#define PARALLEL "loop.parallel %p = %c0 to %n step 1 {\n"
#define INNER "loop.parallel %q = %c0 to %n step 1 {\n"

static const row rows[] = {
    {"", 0, 0, 0, false, false},
    {STACK("a"), 0, 0, 0, false, false},
    {HEAP("a") FOR HEAP("b") STACK("c") "}\n", 2, 0, 0, false, false},
    {HEAP("a") CHECK FOR HEAP("b") "}\n", 2, 0, 0, true, true},
    {HEAP("a") PARALLEL HEAP("b") FOR HEAP("c") CHECK "}\n}\n", 1, 2, 0, true, false},
    {PARALLEL THREAD("a") CHECK HEAP("b") THREAD("c") "}\n", 0, 1, 2, true, false},
    /* a loop.parallel in another one runs on one thread */
    {PARALLEL INNER THREAD("a") CHECK HEAP("b") "}\n}\n", 0, 2, 0, true, false},
    {"loop.call @quiet()\n", 0, 0, 0, false, false},
    {FOR "loop.call @hungry()\n}\n", 0, 0, 0, true, true},
    {PARALLEL "loop.call @hungry()\n}\n", 0, 0, 0, true, false},
};

static const char callees[] = "loop.func private @quiet {\n" STACK(
    "a") "}\n"
         "loop.func private @hungry {\nloop.call @eats()\n}\n"
         "loop.func private @eats {\n%ok = arith.constant true : i1\n" HEAP("a") CHECK "}\n";

static pm_walk stop_at_parallel(void *user, pm_op *op) {
  const pm_op **found = user;
  if (pm_is(op, &loop_parallel)) *found = op;
  return *found ? PM_WALK_STOP : PM_WALK_ON;
}

static void check(pm_context *ctx, const row *r) {
  pm_buf text = {0};
  pm_buf_printf(&text,
                "loop.func @f {\n%%n = loop.param @n : index\n%%c0 = arith.constant 0 : index\n"
                "%%ok = arith.constant true : i1\n%s}\n%s",
                r->body, callees);
  pm_module *module = pm_parse_module(ctx, "test", text.data, text.len, true);
  assert_non_null(module);
  pm_op *func = pm_module_body(module)->first;
  const pm_region *body = pm_region_at(func, loop_func_body);
  const pm_op *parallel = NULL;
  loop_allocs own = {0}, in_threads = {0}, of_threads = {0};
  (void)pm_walk_pre(func, stop_at_parallel, &parallel);
  loop_list_frame_allocs(body, &own);
  if (parallel) {
    loop_list_frame_allocs(pm_region_at(parallel, loop_parallel_body), &in_threads);
    loop_list_thread_allocs(parallel, &of_threads);
  }
  if (own.len != r->own || in_threads.len != r->in_threads || of_threads.len != r->of_threads)
    fail_msg("%s: %zu of the function, %zu of iterations, %zu of threads", r->body, own.len, in_threads.len,
             of_threads.len);
  if (loop_may_fail(func) != r->fails || loop_frame_may_fail(body) != r->itself)
    fail_msg("%s: %s, %s", r->body, loop_may_fail(func) ? "fails" : "does not fail",
             loop_frame_may_fail(body) ? "itself" : "not itself");
  PM_VEC_FREE(own);
  PM_VEC_FREE(in_threads);
  PM_VEC_FREE(of_threads);
  pm_module_free(module);
  pm_buf_free(&text);
}

static void frames_own_what_they_allocate(void **state) {
  (void)state;
  pm_context *ctx = pm_context_new();
  pm_register_all_dialects(ctx);
  for (size_t i = 0; i < PM_COUNT(rows); i++) check(ctx, &rows[i]);
  pm_context_free(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(frames_own_what_they_allocate)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
