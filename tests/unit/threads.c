/* Threads with a context each know nothing of each other. What they share is set up once, whoever comes
 * first: each round is a process of its own. */
#include "dialects/dialects.h"
#include "dialects/isl/budget.h"
#include "ir/fault.h"
#include "ir/diag.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* A process in which threads hang is stopped after some seconds. */
enum { THREADS = 8, ROUNDS = 400, MORE_ROUNDS = 2000, SECONDS = 20 };

static pthread_barrier_t all_there;

/* Numbers with more than 64 bits, which GMP takes memory for. */
static bool count_far(isl_ctx *isl) {
  isl_val *v = isl_val_int_from_si(isl, 3);
  for (int i = 0; i < 8; i++) v = isl_val_mul(v, isl_val_copy(v));
  isl_set *set = isl_set_read_from_str(isl, "[n] -> { [x, y] : 0 <= x < n and 3y <= 2x and 0 <= 7y }");
  bool ok = isl_val_is_pos(v) == isl_bool_true && isl_set_is_empty(set) == isl_bool_false;
  isl_val_free(v);
  isl_set_free(set);
  return ok;
}

/* NULL: all is well. */
static void *use_budgets(void *unused) {
  (void)unused;
  pm_context *ctx = pm_context_new();
  pm_register_all_dialects(ctx);
  isl_ctx *isl = pm_isl_ctx(ctx);
  (void)pthread_barrier_wait(&all_there);
  isl_budget_begin(isl, 1000000);
  bool ok = count_far(isl);
  ok = !isl_budget_end(isl) && ok;
  isl_quota_open(isl, 1);
  isl_ask(isl);
  bool counted = !count_far(isl);
  ok = !isl_answered(isl) && counted && ok;
  ok = isl_quota_close(isl) && count_far(isl) && ok;
  pm_context_free(ctx);
  return ok ? NULL : ctx;
}

static int run_threads(void) {
  pthread_t threads[THREADS];
  int failed = 0;
  void *result;
  (void)alarm(SECONDS);
  if (pthread_barrier_init(&all_there, NULL, THREADS)) return 1;
  for (int i = 0; i < THREADS; i++)
    if (pthread_create(&threads[i], NULL, use_budgets, NULL)) return 1;
  for (int i = 0; i < THREADS; i++) failed |= pthread_join(threads[i], &result) || result;
  return failed;
}

/* A quota that is spent, or a budget. */
static void fault_in_quota(void *isl) {
  isl_quota_open(isl, 1);
  isl_ask(isl);
  (void)count_far(isl);
  (void)isl_answered(isl);
  assert_true(isl_quota_is_spent(isl));
  pm_out_of_memory();
}

static void fault_in_budget(void *isl) {
  isl_quota_open(isl, 1000000);
  isl_budget_begin(isl, 1000000);
  pm_out_of_memory();
}

/* What follows in the thread has none. */
static void faults_end_budgets(void **state) {
  (void)state;
  void (*const bodies[])(void *) = {fault_in_quota, fault_in_budget};
  for (size_t i = 0; i < PM_COUNT(bodies); i++) {
    pm_context *ctx = pm_context_new();
    pm_fault fault;
    pm_register_all_dialects(ctx);
    isl_ctx *isl = pm_isl_ctx(ctx);
    assert_false(pm_protect(NULL, bodies[i], NULL, isl, &fault));
    assert_false(isl_quota_is_spent(isl));
    isl_budget_begin(isl, 1000000); /* around it is nothing */
    assert_false(isl_budget_end(isl));
    isl_ctx_reset_error(isl);
    isl_ask(isl);
    assert_true(count_far(isl));
    pm_context_free(ctx);
  }
}

static void budgets_are_of_threads(void **state) {
  (void)state;
  const char *all = getenv("PM_TEST_LONG");
  int rounds = all && strcmp(all, "1") == 0 ? MORE_ROUNDS : ROUNDS;
  for (int round = 0; round < rounds; round++) {
    int status = 0;
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child) _exit(run_threads());
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(faults_end_budgets),
                                     cmocka_unit_test(budgets_are_of_threads)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
