#include "tools/lib/measure.h"

#include <stdlib.h>

typedef PM_VEC(double) sample_list;

static int compare_doubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void summarize(sample_list *samples, pm_times *times) {
  qsort(samples->data, samples->len, sizeof *samples->data, compare_doubles);
  times->n = samples->len;
  times->min = samples->data[0];
  size_t middle = samples->len / 2;
  times->median =
      samples->len % 2 ? samples->data[middle] : (samples->data[middle - 1] + samples->data[middle]) / 2;
}

static int timed_call(pm_native *native, const pm_call *call, double *seconds) {
  double begin = pm_clock_seconds();
  int code = pm_native_call(native, call);
  *seconds = pm_clock_seconds() - begin;
  return code;
}

static int first_calls(pm_native *const *natives, size_t n, const pm_call *call, pm_times *times) {
  for (size_t i = 0; i < n; i++) {
    int code = times[i].first > 0 ? 0 : timed_call(natives[i], call, &times[i].first);
    if (code) return code;
  }
  return 0;
}

static int one_round(pm_native *const *natives, size_t n, const pm_call *call, sample_list *samples) {
  for (size_t i = 0; i < n; i++) {
    double seconds;
    int code = timed_call(natives[i], call, &seconds);
    if (code) return code;
    PM_VEC_PUSH(samples[i], seconds);
  }
  return 0;
}

int pm_measure(pm_native *const *natives, size_t n, const pm_call *call, size_t rounds, pm_times *times) {
  enum { MIN_ROUNDS = 3, MAX_ROUNDS = 10000 };
  sample_list *samples = pm_xcalloc(n, sizeof *samples);
  int code = first_calls(natives, n, call, times);
  double end = pm_clock_seconds() + (double)n;
  size_t at_least = rounds ? rounds : MIN_ROUNDS, at_most = rounds ? rounds : MAX_ROUNDS;
  for (size_t i = 0; !code && i < at_most && (i < at_least || pm_clock_seconds() < end); i++)
    code = one_round(natives, n, call, samples);
  for (size_t i = 0; i < n; i++) {
    if (!code) summarize(&samples[i], &times[i]);
    PM_VEC_FREE(samples[i]);
  }
  free(samples);
  return code;
}

double pm_compulsory_bytes(const pm_arguments *args) {
  double bytes = 0;
  for (size_t i = 0; i < args->n_inputs; i++) bytes += (double)pm_array_bytes(&args->inputs[i]);
  for (size_t i = 0; i < args->n_outputs; i++) bytes += (double)pm_array_bytes(&args->outputs[i]);
  return bytes;
}

static bool is_output(pm_op *pipeline, pm_string name) {
  PM_FOR_OPS(op, pm_region_at(pipeline, stage_pipeline_body))
  if (pm_is(op, &stage_output) && pm_sym_at(op, stage_output_stage) == name) return true;
  return false;
}

static double func_bytes(pm_op *pipeline, pm_op *func, const pm_params *params) {
  isl_set *domain = isl_peek_set(pm_attr_at(func, stage_func_domain));
  unsigned rank = (unsigned)isl_set_dim(domain, isl_dim_set);
  int64_t *extents = pm_xcalloc(rank + 1, sizeof *extents);
  bool ok = stage_box_at(pipeline, func, params->values, extents, NULL);
  double bytes = (double)pm_element_bytes(stage_type_of(func));
  for (unsigned d = 0; d < rank; d++) bytes *= (double)extents[d];
  free(extents);
  return ok ? bytes : -1;
}

double pm_intermediate_bytes(pm_op *pipeline, const pm_params *params) {
  double total = 0;
  PM_FOR_OPS(op, pm_region_at(pipeline, stage_pipeline_body)) {
    if (!pm_is(op, &stage_func) || is_output(pipeline, pm_sym_at(op, stage_func_sym))) continue;
    double bytes = func_bytes(pipeline, op, params);
    if (bytes < 0) return -1;
    total += bytes;
  }
  return total;
}
