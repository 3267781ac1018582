/* How calls by pm.h run: with fewer threads, with memory of their caller, and with who is told what their
 * threads do. Values are always the same. */
#include "pm/pm.h"

#include <malloc.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#if defined __SANITIZE_ADDRESS__
#define SANITIZED 1
#elif defined __has_feature
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif

/* A loop for each stage, and a whole array between them. */
static const char text[] = "R = Parameter(Int, \"R\")\n"
                           "C = Parameter(Int, \"C\")\n"
                           "img = Image(Int, \"img\", [R + 2, C])\n"
                           "x = Variable(Int, \"x\")\n"
                           "y = Variable(Int, \"y\")\n"
                           "cols = Interval(Int, 0, C - 1)\n"
                           "twice = Function(([x, y], [Interval(Int, 0, R + 1), cols]), Int, \"twice\")\n"
                           "twice.defn = [img(x, y) * 2]\n"
                           "rows = Function(([x, y], [Interval(Int, 1, R), cols]), Int, \"rows\")\n"
                           "rows.defn = [twice(x - 1, y) + twice(x + 1, y)]\n";

enum { R = 600, C = 500, THREADS = 3 };
static const pm_argument sizes[] = {{R}, {C}};
static int32_t img[R + 2][C], out[R][C];
static const pm_buffer in_buffer = {img, PM_TYPE_I32, 2, {{0, R + 2, C}, {0, C, 1}}},
                       out_buffer = {out, PM_TYPE_I32, 2, {{0, R, C}, {0, C, 1}}};
static const pm_buffer *const arrays[] = {&in_buffer, &out_buffer};

static const char *const settings[] = {"group{strategy=none}", "inline-stages{max-ops=1}"};
static const pm_options by_c = {
    .flags = "-O0", .threads = THREADS, .regions = 1, .settings = settings, .n_settings = 2};

static pm_function *compile(const pm_options *options) {
  pm_program *program;
  pm_function *f;
  assert_int_equal(pm_program_read("rows.py", text, sizeof text - 1, options, &program), PM_OK);
  if (pm_program_compile(program, &f)) print_error("%s\n", pm_program_error(program));
  assert_non_null(f);
  pm_program_free(program);
  return f;
}

static void fill(void) {
  for (int i = 0; i < R + 2; i++)
    for (int k = 0; k < C; k++) img[i][k] = (31 * i * i + 17 * k + i * k) % 1009;
}

static void assert_calls(const pm_function *f, const pm_call_options *options) {
  memset(out, 0xFF, sizeof out);
  assert_int_equal(pm_function_call_with(f, options, sizes, 2, arrays, 2), 0);
  for (int i = 0; i < R; i++)
    for (int k = 0; k < C; k++)
      if (out[i][k] != 2 * img[i][k] + 2 * img[i + 2][k]) fail_msg("element %d, %d is wrong", i, k);
}

static int region(const pm_function *f, const pm_call_options *options, const int64_t *box) {
  return pm_function_region_with(f, options, sizes, 2, box, arrays, 2);
}

/* One of an image that has others around. */
static void assert_computes_box(const pm_function *f, const pm_call_options *options) {
  const int64_t box[] = {100, 400, 7, 490};
  memset(out, 0xFF, sizeof out);
  assert_int_equal(region(f, options, box), 0);
  for (int i = 0; i < R; i++)
    for (int k = 0; k < C; k++) {
      bool inside = 100 <= i && i < 400 && 7 <= k && k < 490;
      if (out[i][k] != (inside ? 2 * img[i][k] + 2 * img[i + 2][k] : -1))
        fail_msg("element %d, %d is wrong", i, k);
    }
}

/* --- threads and events --- */

enum { LOOPS = 8 };

typedef struct told {
  pthread_mutex_t lock;
  int64_t done[LOOPS], iterations[LOOPS];
  const char *stages[LOOPS];
  int64_t last_end;
  int n_loops, n_threads, most;
  pthread_t threads[THREADS];
} told;

static bool is_new(const told *t) {
  for (int i = 0; i < t->n_threads; i++)
    if (pthread_equal(t->threads[i], pthread_self())) return false;
  return true;
}

static void note(void *user, const pm_event *e) {
  told *t = user;
  if (pthread_mutex_lock(&t->lock) || e->loop < 0 || e->loop >= LOOPS || e->begin_time > e->end_time) abort();
  if (e->whole) {
    if (e->loop != t->n_loops++) abort();
    t->iterations[e->loop] = e->iterations;
    t->stages[e->loop] = e->stages;
    if (t->most < t->n_threads) t->most = t->n_threads;
    t->n_threads = 0;
  } else {
    t->done[e->loop] += e->end - e->first;
    if (is_new(t) && t->n_threads < THREADS) t->threads[t->n_threads++] = pthread_self();
  }
  if (pthread_mutex_unlock(&t->lock)) abort();
}

static void assert_told(const told *t, int threads) {
  static const char *const names[] = {"twice", "rows"};
  assert_int_equal(t->n_loops, 2);
  for (int i = 0; i < 2; i++) {
    assert_true(t->iterations[i] > 1);
    assert_int_equal(t->done[i], t->iterations[i]);
    assert_string_equal(t->stages[i], names[i]);
  }
  assert_true(t->most >= 1 && t->most <= threads);
}

static int most_threads(const pm_function *f, int threads) {
  told t = {.lock = PTHREAD_MUTEX_INITIALIZER};
  assert_calls(f, &(pm_call_options){.threads = threads, .handler = note, .user = &t});
  assert_told(&t, threads > 0 && threads < THREADS ? threads : THREADS);
  told b = {.lock = PTHREAD_MUTEX_INITIALIZER};
  assert_computes_box(f, &(pm_call_options){.threads = threads, .handler = note, .user = &b});
  assert_told(&b, threads > 0 && threads < THREADS ? threads : THREADS);
  return t.most;
}

/* A second thread may find all done, but not in each of so many calls. */
static bool comes_to(const pm_function *f, int threads, int wanted) {
  for (int i = 0; i < 5000; i++)
    if (most_threads(f, threads) >= wanted) return true;
  return false;
}

static void check_threads(const pm_options *options) {
  pm_function *f = compile(options);
  assert_int_equal(most_threads(f, 1), 1);
  assert_true(comes_to(f, 2, 2));
  assert_true(comes_to(f, 0, 2));
  for (int i = 0; i < 10; i++) assert_int_equal(most_threads(f, 1), 1); /* though there are more now */
  (void)most_threads(f, 1000);
  assert_calls(f, NULL);
  pm_function_free(f);
}

static void calls_have_their_threads(void **state) {
  (void)state;
  check_threads(&by_c);
#ifdef PM_WITH_LLVM
  pm_options inside = by_c;
  inside.target = "llvm";
  inside.flags = NULL;
  check_threads(&inside); /* a shared object */
  inside.in_process = 1;
  check_threads(&inside);
#endif
}

/* --- memory --- */

static void check_workspace(const pm_options *options) {
  pm_function *f = compile(options);
  pm_workspace *w = pm_workspace_new();
  const pm_call_options in = {.workspace = w}, alone = {.workspace = w, .threads = 1};
  assert_non_null(w);
  assert_computes_box(f, &in);
  size_t few = pm_workspace_bytes(w);
  assert_true(few > 0);
  assert_calls(f, &in);
  assert_int_equal(pm_workspace_bytes(w), pm_function_scratch_bytes(f, sizes));
  assert_true(pm_workspace_bytes(w) > few);
  assert_calls(f, &alone);
  assert_computes_box(f, &alone);
  assert_true(pm_workspace_release(w));
  assert_int_equal(pm_workspace_bytes(w), 0);
  assert_calls(f, &in);
  pm_workspace_free(w);
  pm_function_free(f);
}

static void calls_have_their_memory(void **state) {
  (void)state;
  check_workspace(&by_c);
#ifdef PM_WITH_LLVM
  pm_options inside = by_c;
  inside.target = "llvm";
  inside.flags = NULL;
  inside.in_process = 1;
  check_workspace(&inside);
#endif
}

#ifndef SANITIZED
static size_t bytes_in_use(void) {
  const struct mallinfo2 all = mallinfo2();
  return all.uordblks + all.hblkhd;
}

/* Whether an array as large as the one between the stages is kept. */
static bool has_more(size_t before) {
  return bytes_in_use() > before + sizeof out / 2;
}

static void kept_memory_is_given_back(void **state) {
  (void)state;
  pm_function *f = compile(&by_c);
  const size_t before = bytes_in_use();
  assert_calls(f, NULL);
  assert_true(has_more(before));
  assert_computes_box(f, NULL);
  pm_function_release(f);
  assert_false(has_more(before));
  assert_calls(f, NULL);
  assert_true(has_more(before));
  pm_function_release(f);
  pm_workspace *w = pm_workspace_new();
  assert_calls(f, &(pm_call_options){.workspace = w});
  assert_true(has_more(before));
  pm_workspace_free(w);
  assert_false(has_more(before));
  pm_function_free(f);
}
#endif

/* --- what is refused --- */

static pthread_barrier_t begun, may_end;

static void wait_once(void *user, const pm_event *e) {
  if (!e->whole || e->loop != 0) return;
  (void)user;
  (void)pthread_barrier_wait(&begun);
  (void)pthread_barrier_wait(&may_end);
}

typedef struct slow_call {
  pm_function *f;
  pm_workspace *w;
} slow_call;

static void *call_slowly(void *user) {
  const slow_call *s = user;
  assert_calls(s->f, &(pm_call_options){.workspace = s->w, .handler = wait_once});
  return NULL;
}

static void a_workspace_is_of_one_call(void **state) {
  (void)state;
  pthread_t other;
  slow_call s = {compile(&by_c), pm_workspace_new()};
  const pm_call_options options = {.workspace = s.w};
  const int64_t box[] = {0, 10, 0, 10};
  assert_int_equal(pthread_barrier_init(&begun, NULL, 2), 0);
  assert_int_equal(pthread_barrier_init(&may_end, NULL, 2), 0);
  assert_int_equal(pthread_create(&other, NULL, call_slowly, &s), 0);
  (void)pthread_barrier_wait(&begun);
  static int32_t more[R][C];
  const pm_buffer more_buffer = {more, PM_TYPE_I32, 2, {{0, R, C}, {0, C, 1}}};
  const pm_buffer *const others[] = {&in_buffer, &more_buffer};
  int code = pm_function_call_with(s.f, &options, sizes, 2, others, 2);
  assert_int_equal(code, PM_CALL_WORKSPACE_IN_USE);
  assert_non_null(strstr(pm_function_strerror(s.f, code), "in use by another call"));
  assert_int_equal(pm_function_region_with(s.f, &options, sizes, 2, box, others, 2),
                   PM_CALL_WORKSPACE_IN_USE);
  assert_false(pm_workspace_release(s.w));
  assert_int_equal(pm_function_call(s.f, sizes, 2, others, 2), 0);
  (void)pthread_barrier_wait(&may_end);
  assert_int_equal(pthread_join(other, NULL), 0);
  assert_calls(s.f, &options);
  assert_true(pm_workspace_release(s.w));
  pm_workspace_free(s.w);
  pm_function_free(s.f);
}

static void wrong_options_are_codes(void **state) {
  (void)state;
  pm_options options = by_c;
  pm_function *f = compile(&options);
  const pm_call_options few = {.threads = -1}, told_of = {.handler = note}, one = {.threads = 1};
  assert_int_equal(pm_function_call_with(f, &few, sizes, 2, arrays, 2), PM_CALL_BAD_THREADS);
  assert_int_equal(pm_function_call_with(NULL, &one, sizes, 2, arrays, 2), PM_CALL_NULL);
  pm_function_free(f);
  options.parallel = "openmp";
  options.flags = "-O0 -fopenmp";
  f = compile(&options);
  assert_int_equal(pm_function_call_with(f, &told_of, sizes, 2, arrays, 2), PM_CALL_NO_EVENTS);
  assert_calls(f, &one);
  pm_workspace *w = pm_workspace_new();
  assert_calls(f, &(pm_call_options){.threads = 2, .workspace = w});
  assert_int_equal(pm_workspace_bytes(w), pm_function_scratch_bytes(f, sizes));
  pm_workspace_free(w);
  pm_function_free(f);
  assert_int_equal(pm_workspace_bytes(NULL), 0);
  assert_true(pm_workspace_release(NULL));
  pm_workspace_free(NULL);
  pm_function_release(NULL);
}

int main(void) {
  fill();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(calls_have_their_threads), cmocka_unit_test(calls_have_their_memory),
#ifndef SANITIZED
      cmocka_unit_test(kept_memory_is_given_back),
#endif
      cmocka_unit_test(a_workspace_is_of_one_call), cmocka_unit_test(wrong_options_are_codes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
