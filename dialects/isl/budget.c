#include "dialects/isl/budget.h"

#include <gmp.h>

/* Memory for numbers is counted where GMP takes it. Its functions are those of the process, once there was a
 * budget; what they count for is of the thread. */
static void *(*take_memory)(size_t size);
static void *(*change_memory)(void *at, size_t before, size_t size);
static _Thread_local isl_ctx *counted;
static _Thread_local unsigned long numbers_left;

static void count_number(void) {
  if (counted && numbers_left && --numbers_left == 0) isl_ctx_abort(counted);
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
  if (take_memory) return;
  mp_get_memory_functions(&take_memory, &change_memory, &release);
  mp_set_memory_functions(take_counted, change_counted, release);
}

void isl_budget_begin(isl_ctx *isl, unsigned long operations) {
  count_numbers();
  isl_ctx_reset_error(isl);
  isl_ctx_reset_operations(isl);
  isl_ctx_set_max_operations(isl, operations);
  counted = isl;
  numbers_left = operations;
}

bool isl_budget_is_spent(isl_ctx *isl) {
  isl_val *probe = isl_val_one(isl); /* the last error may be another that followed */
  isl_val_free(probe);
  return !probe;
}

bool isl_budget_end(isl_ctx *isl) {
  bool spent = isl_budget_is_spent(isl);
  counted = NULL;
  isl_ctx_resume(isl);
  isl_ctx_set_max_operations(isl, 0);
  isl_ctx_reset_operations(isl);
  if (spent) isl_ctx_reset_error(isl);
  return spent;
}
