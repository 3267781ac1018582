#include "dialects/isl/budget.h"

#include "ir/fault.h"

#include <gmp.h>
#include <pthread.h>

/* Memory for numbers is counted where GMP takes it. Its functions are those of the process, once there was a
 * budget; what they count for is of the thread. */
static void *(*take_memory)(size_t size);
static void *(*change_memory)(void *at, size_t before, size_t size);

typedef struct budget {
  isl_ctx *isl; /* NULL: there is none */
  unsigned long operations, numbers_left;
  bool bounds; /* isl's functions fail when nothing is left */
  bool quota, spent;
} budget;
static _Thread_local budget current, around; /* `around`: the quota that a budget stands in */

static void count_number(void) {
  if (!current.isl || !current.numbers_left || --current.numbers_left) return;
  if (current.bounds) isl_ctx_abort(current.isl);
}

static void *take_counted(size_t size) {
  count_number();
  return take_memory(size);
}

static void *change_counted(void *at, size_t before, size_t size) {
  count_number();
  return change_memory(at, before, size);
}

static void count_numbers(void) {
  void (*release)(void *at, size_t size);
  mp_get_memory_functions(&take_memory, &change_memory, &release);
  mp_set_memory_functions(take_counted, change_counted, release);
}

void isl_count_numbers(void) {
  static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER; /* helgrind knows no order by pthread_once */
  static bool counts;
  (void)pthread_mutex_lock(&first);
  if (!counts) count_numbers();
  counts = true;
  (void)pthread_mutex_unlock(&first);
}

/* A fault ends what had them. */
static void forget(void *none) {
  (void)none;
  current = around = (budget){0};
}

static void watch_for_faults(void) {
  static _Thread_local pm_cleanup forgetting;
  pm_cleanup_remove(&forgetting);
  if (current.isl) pm_cleanup_add(&forgetting, forget, NULL);
}

static void begin(isl_ctx *isl, unsigned long operations, bool quota) {
  isl_ctx_reset_error(isl);
  isl_ctx_reset_operations(isl);
  current = (budget){.isl = isl, .operations = operations, .numbers_left = operations, .quota = quota};
  watch_for_faults();
}

/* From here on isl's functions fail when nothing is left. */
static void bound(void) {
  isl_ctx_set_max_operations(current.isl, current.operations);
  current.bounds = true;
  if (!current.numbers_left) isl_ctx_abort(current.isl);
}

/* From here on they do not; false when they failed, and that is forgotten. */
static bool release(void) {
  isl_ctx *isl = current.isl;
  bool spent = isl_budget_is_spent(isl);
  current.bounds = false;
  isl_ctx_resume(isl);
  isl_ctx_set_max_operations(isl, 0);
  if (spent) isl_ctx_reset_error(isl);
  return !spent;
}

static void end(isl_ctx *isl) {
  isl_ctx_reset_operations(isl);
  current = (budget){0};
}

void isl_budget_begin(isl_ctx *isl, unsigned long operations) {
  around = current.quota ? current : (budget){0};
  begin(isl, operations, false);
  bound();
}

bool isl_budget_is_spent(isl_ctx *isl) {
  isl_val *probe = isl_val_one(isl); /* the last error may be another that followed */
  isl_val_free(probe);
  return !probe;
}

bool isl_budget_end(isl_ctx *isl) {
  bool spent = !release();
  end(isl);
  current = around;
  around = (budget){0};
  watch_for_faults();
  return spent;
}

void isl_quota_open(isl_ctx *isl, unsigned long operations) {
  begin(isl, operations, true);
}

static bool has_quota(const isl_ctx *isl) {
  return current.isl == isl && current.quota;
}

void isl_ask(isl_ctx *isl) {
  if (has_quota(isl)) bound();
}

bool isl_answered(isl_ctx *isl) {
  if (!has_quota(isl) || release()) return true;
  current.spent = true;
  return false;
}

bool isl_quota_is_spent(isl_ctx *isl) {
  return has_quota(isl) && current.spent;
}

bool isl_quota_close(isl_ctx *isl) {
  bool spent = isl_quota_is_spent(isl);
  end(isl);
  watch_for_faults();
  return spent;
}
