/* The memory that a call takes for intermediates, as far as it is known before the call. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "dialects/dialects.h"
#include "dialects/loop/analyses/scratch.h"
#include "ir/text.h"

typedef struct row {
  const char *body;
  int64_t once, each_thread;
  size_t allocs, needed;
  bool partial;
} row;

#define ALLOC(name, type) "%" name " = buf.alloc() : memref<" type ">\n"

static const row rows[] = {
    {"", 0, 0, 0, 0, false},
    {ALLOC("a", "8xf32, heap") ALLOC("b", "3xu8, heap"), 35, 0, 0, 0, false},
    /* of two regions the larger one, besides what is around them */
    {ALLOC("a", "1xu8, heap") "loop.for %i = %c0 to %n step 1 {\n" ALLOC(
         "b", "100xu8, stack") "}\n"
                               "loop.for %i = %c0 to %n step 1 {\n" ALLOC("c", "70xu8, heap") "}\n",
     101, 0, 0, 0, false},
    {"loop.parallel %i = %c0 to %n step 1 {\n" ALLOC("b", "16xf64, thread") ALLOC("c", "4xu8, heap") "}\n", 0,
     132, 0, 0, false},
    /* arrays that share memory take that of the largest */
    {"%a, %b = buf.alloc() : memref<8xf32, heap>, memref<64xu8, heap>\n", 64, 0, 0, 0, false},
    {ALLOC("a", "9223372036854775807xf32, heap") ALLOC("b", "1xu8, heap"), INT64_MAX, 0, 0, 0, false},
    /* %n, and the sum with its operands */
    {"%a = buf.alloc(%n) bytes %n : memref<?xf32, heap>\n", 0, 0, 1, 1, false},
    {"%m = arith.addi %n, %n : index\n%a = buf.alloc(%m) bytes %m : memref<?xf32, heap>\n", 0, 0, 1, 2,
     false},
    {"loop.for %i = %c0 to %n step 1 {\n%a = buf.alloc(%i) bytes %i : memref<?xf32, heap>\n}\n", 0, 0, 0, 0,
     true},
};

static void check(pm_context *ctx, const row *r) {
  pm_buf text = {0};
  pm_buf_printf(&text, "loop.func @f {\n%%n = loop.param @n : index\n%%c0 = arith.constant 0 : index\n%s}\n",
                r->body);
  pm_module *module = pm_parse_module(ctx, "test", text.data, text.len, true);
  assert_non_null(module);
  loop_scratch s = loop_find_scratch(pm_module_body(module)->first);
  if (s.once != r->once || s.each_thread != r->each_thread || s.allocs.len != r->allocs ||
      pm_map_size(s.needed) != r->needed || s.partial != r->partial)
    fail_msg("%s: %lld once, %lld a thread, %zu computed from %zu ops%s", r->body, (long long)s.once,
             (long long)s.each_thread, s.allocs.len, (size_t)pm_map_size(s.needed),
             s.partial ? ", partial" : "");
  loop_scratch_free(&s);
  pm_module_free(module);
  pm_buf_free(&text);
}

static void counts_what_is_alive_together(void **state) {
  (void)state;
  pm_context *ctx = pm_context_new();
  pm_register_all_dialects(ctx);
  for (size_t i = 0; i < PM_COUNT(rows); i++) check(ctx, &rows[i]);
  pm_context_free(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(counts_what_is_alive_together)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
