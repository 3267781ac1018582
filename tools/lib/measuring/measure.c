#include "tools/lib/measuring/groups.h"

#include "tools/lib/images/compare.h"
#include "tools/lib/message.h"
#include "tools/lib/driver/process.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef PM_VEC(double) sample_list;

/* A variant's rounds, in seconds. */
typedef struct round_list {
  sample_list wall, processor;
} round_list;

static int compare_doubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double pm_median(double *samples, size_t n) {
  qsort(samples, n, sizeof *samples, compare_doubles);
  return n % 2 ? samples[n / 2] : (samples[n / 2 - 1] + samples[n / 2]) / 2;
}

static void summarize(round_list *rounds, pm_times *times) {
  times->n = rounds->wall.len;
  times->median = pm_median(rounds->wall.data, rounds->wall.len);
  times->min = rounds->wall.data[0];
  times->processor = pm_median(rounds->processor.data, rounds->processor.len);
}

/* --- measuring --- */

int pm_timed_round(pm_bench *b, const pm_variant *v, pm_iteration *it, size_t repeat, double *seconds) {
  double begin = pm_clock_seconds();
  int code = 0;
  pm_iteration_restart(it);
  for (size_t i = 0; !code && i < repeat; i++) {
    if (i) pm_iteration_advance(it);
    code = pm_native_call_there(v->native, &it->call);
  }
  if (!code) code = pm_native_wait(v->native);
  *seconds = pm_clock_seconds() - begin;
  if (code) b->failed = v;
  return code;
}

static int first_calls(pm_bench *b) {
  int code = 0;
  for (size_t i = 0; !code && i < b->n_variants; i++) {
    pm_variant *v = &b->variants[i];
    if (!v->same && v->times.first <= 0) code = pm_timed_round(b, v, b->it, 1, &v->times.first);
  }
  return code;
}

/* A call that is not counted comes first where another variant was called before: what that left in the
 * caches, and of memory to the allocator, is not this one's time. */
static int round_of(pm_bench *b, const pm_variant *v, round_list *rounds) {
  double seconds;
  int code = b->n_variants > 1 ? pm_timed_round(b, v, b->it, 1, &seconds) : 0;
  if (code) return code;
  double begin = pm_processor_seconds();
  code = pm_timed_round(b, v, b->it, b->repeat, &seconds);
  PM_VEC_PUSH(rounds->wall, seconds);
  PM_VEC_PUSH(rounds->processor, pm_processor_seconds() - begin);
  return code;
}

size_t pm_kth_of_round(size_t k, size_t n, size_t round) {
  if (round / n % 2) k = n - 1 - k;
  size_t first = k % 2 ? (k + 1) / 2 : n - k / 2;
  return (first + round) % n;
}

static int one_round(pm_bench *b, size_t round, round_list *rounds) {
  for (size_t k = 0; k < b->n_variants; k++) {
    size_t i = pm_kth_of_round(k, b->n_variants, round);
    int code = b->variants[i].same ? 0 : round_of(b, &b->variants[i], &rounds[i]);
    if (code) return code;
  }
  return 0;
}

/* The part of the rounds that is done: of their number, or of the time that they may take. */
static double part_done(size_t done, size_t rounds, double begin, double end) {
  return rounds ? (double)done / (double)rounds : fmin(1, (pm_clock_seconds() - begin) / (end - begin));
}

static int all_rounds(pm_bench *b, round_list *all, size_t rounds, double seconds, pm_progress *progress) {
  enum { MIN_ROUNDS = 3, MAX_ROUNDS = 10000 };
  double begin = pm_clock_seconds(), end = begin + seconds * (double)b->n_variants;
  size_t at_least = rounds ? rounds : MIN_ROUNDS, at_most = rounds ? rounds : MAX_ROUNDS;
  int code = first_calls(b);
  for (size_t i = 0; !code && i < at_most && (i < at_least || pm_clock_seconds() < end); i++) {
    pm_progress_update(progress, part_done(i, rounds, begin, end), "measuring, round %zu", i + 1);
    code = one_round(b, i, all);
  }
  return code;
}

int pm_measure(pm_bench *bench, size_t rounds, double seconds, pm_progress *progress) {
  round_list *all = pm_xcalloc(bench->n_variants, sizeof *all);
  int code = all_rounds(bench, all, rounds, seconds, progress);
  for (size_t i = 0; i < bench->n_variants; i++) {
    pm_variant *v = &bench->variants[i];
    if (!code && !v->same) summarize(&all[i], &v->times);
    if (!code && v->same) v->times = v->same->times;
    PM_VEC_FREE(all[i].wall);
    PM_VEC_FREE(all[i].processor);
  }
  free(all);
  return code;
}

/* What a variant leaves out is not to have the values of another. */
static void spoil(pm_array *arrays, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (arrays[i].data) memset(arrays[i].data, 0xa5, (size_t)pm_array_bytes(&arrays[i]));
}

/* The values of a round that begins with what the host has. */
static int run_for_values(pm_bench *b, const pm_variant *v, pm_iteration *it) {
  double seconds;
  pm_native_forget(v->native);
  int code = pm_timed_round(b, v, it, b->repeat, &seconds);
  if (!code) code = pm_native_fetch(v->native, it->outputs, it->n_outputs);
  if (code) b->failed = v;
  return code;
}

int pm_compare_variants(pm_bench *b) {
  int code = run_for_values(b, &b->variants[0], b->kept);
  for (size_t i = 1; !code && i < b->n_variants; i++) {
    pm_variant *v = &b->variants[i];
    if (v->same) v->differing = v->same->differing;
    if (v->same) continue;
    spoil(b->it->outputs, b->it->n_outputs);
    spoil(b->it->spare, b->it->n_outputs);
    code = run_for_values(b, v, b->it);
    for (size_t o = 0; !code && o < b->it->n_outputs; o++)
      v->differing += pm_compare(&b->it->outputs[o], &b->kept->outputs[o], b->exact, b->tolerance).count;
  }
  return code;
}

double pm_compulsory_bytes(const pm_call *call) {
  double bytes = 0;
  for (size_t i = 0; i < call->n_inputs; i++) bytes += (double)pm_array_bytes(&call->inputs[i]);
  for (size_t i = 0; i < call->n_outputs; i++) bytes += (double)pm_array_bytes(&call->outputs[i]);
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

/* --- the prediction --- */

double pm_group_seconds(const pm_kept_remark *remark) {
  double stages, time = 0, pages = 0;
  if (!remark || strcmp(remark->pass, "group") != 0 || !pm_number_in(remark, "stages", &stages)) return 0;
  pm_number_in(remark, "time", &time);
  pm_number_in(remark, "pages", &pages);
  return (time - pages) * 1e-9;
}

/* What the pass says once of a pipeline. */
static bool is_sum_of_groups(const pm_kept_remark *remark) {
  double n;
  return strcmp(remark->pass, "group") == 0 && pm_number_in(remark, "groups", &n);
}

/* Which of several versions runs is not known. */
double pm_predicted_seconds(const pm_bench *b) {
  double seconds = 0;
  unsigned versions = 0;
  for (size_t i = 0; i < b->remarks->all.len; i++) {
    seconds += pm_group_seconds(&b->remarks->all.data[i]);
    versions += is_sum_of_groups(&b->remarks->all.data[i]);
  }
  return versions > 1 ? 0 : seconds;
}

double pm_last_prediction(const pm_remark_list *remarks) {
  double seconds = 0, last = 0;
  for (size_t i = 0; i < remarks->all.len; i++) {
    seconds += pm_group_seconds(&remarks->all.data[i]);
    if (!is_sum_of_groups(&remarks->all.data[i])) continue;
    last = seconds;
    seconds = 0;
  }
  return last;
}

/* --- printing --- */

void pm_put_bench_row(const char *name, const char *text) {
  printf("bench: %-14s %s\n", name, text);
}

static void put_milliseconds(const char *name, double seconds) {
  char text[64];
  snprintf(text, sizeof text, "%.3f ms", 1e3 * seconds);
  pm_put_bench_row(name, text);
}

/* With the target that a variant is of, where it is not the program's. */
static void put_steady(const char *name, const pm_bench *b, const pm_variant *v) {
  const pm_times *times = &v->times;
  pm_buf text = {0};
  pm_buf_printf(&text, "%.3f ms min, %.3f ms median of %zu ", 1e3 * times->min, 1e3 * times->median,
                times->n);
  if (b->repeat > 1)
    pm_buf_printf(&text, "times %zu calls", b->repeat);
  else
    pm_buf_puts(&text, "calls");
  if (v->target && v->target != b->variants[0].target)
    pm_buf_printf(&text, ", by the target %s", v->target->name);
  pm_put_bench_row(name, text.data);
  pm_buf_free(&text);
}

static int by_seconds(const void *a, const void *b) {
  double x = pm_group_seconds(*(const pm_kept_remark *const *)a),
         y = pm_group_seconds(*(const pm_kept_remark *const *)b);
  return (x < y) - (x > y);
}

static void put_group(const pm_kept_remark *group) {
  pm_buf name = {0}, text = {0};
  double stages = 0;
  pm_str last = pm_first_name(group->message);
  pm_number_in(group, "stages", &stages);
  pm_buf_printf(&name, "  %.*s", (int)last.len, last.ptr);
  pm_buf_printf(&text, "%.3f ms predicted, %.0f stage%s", 1e3 * pm_group_seconds(group), stages,
                stages > 1 ? "s" : "");
  pm_put_bench_row(name.data, text.data);
  pm_buf_free(&name);
  pm_buf_free(&text);
}

/* By the last stage of each, where there are several. */
static void put_groups(const pm_remark_list *remarks) {
  enum { MOST_GROUPS = 5 };
  PM_VEC(const pm_kept_remark *) groups = {0};
  for (size_t i = 0; i < remarks->all.len; i++)
    if (pm_group_seconds(&remarks->all.data[i]) > 0) PM_VEC_PUSH(groups, &remarks->all.data[i]);
  if (groups.len > 1) {
    qsort(groups.data, groups.len, sizeof *groups.data, by_seconds);
    for (size_t i = 0; i < groups.len && i < MOST_GROUPS; i++) put_group(groups.data[i]);
  }
  PM_VEC_FREE(groups);
}

/* Those of the machine that it is predicted for; 0: not known. */
static double predicted_cores(const pm_remark_list *remarks) {
  double cores = 0;
  for (size_t i = 0; i < remarks->all.len; i++)
    if (strcmp(remarks->all.data[i].pass, "group") == 0) pm_number_in(&remarks->all.data[i], "cores", &cores);
  return cores;
}

/* Beside what is predicted, in the order of the program. */
static void put_profile(const pm_profile *profile) {
  for (size_t i = 0; i < profile->groups.len; i++) {
    const pm_group_sample *g = &profile->groups.data[i];
    pm_buf name = {0}, text = {0};
    pm_buf_printf(&name, "  @%s", g->name);
    pm_buf_printf(&text, "%.3f ms, %.3f ms predicted, %.0f stage%s", 1e3 * g->seconds,
                  1e3 * g->predicted_seconds, g->stages, g->stages == 1 ? "" : "s");
    pm_put_bench_row(name.data, text.data);
    pm_buf_free(&name);
    pm_buf_free(&text);
  }
  put_milliseconds("  the rest", profile->rest);
}

static void put_prediction(const pm_bench *b) {
  char text[96];
  double seconds = pm_predicted_seconds(b), measured = b->variants[0].times.min / (double)b->repeat;
  double cores = predicted_cores(b->remarks);
  if (seconds <= 0) return;
  snprintf(text, sizeof text, "%.3f ms a call on %.0f core%s; measured (min) are %.2f times that",
           1e3 * seconds, cores, cores > 1 ? "s" : "", measured / seconds);
  pm_put_bench_row("predicted", text);
  if (!b->profile) put_groups(b->remarks);
}

static void put_traffic(const pm_bench *b) {
  double bytes = (double)b->repeat * pm_compulsory_bytes(&b->it->call);
  pm_buf text = {0};
  pm_buf_printf(&text, "%.2f GB/s of ",
                b->variants[0].times.min > 0 ? bytes / b->variants[0].times.min * 1e-9 : 0.0);
  pm_put_bytes(&text, bytes);
  pm_buf_puts(&text, " that must be read and written");
  pm_put_bench_row("traffic", text.data);
  pm_buf_free(&text);
}

static void put_memory(const pm_bench *b) {
  pm_buf text = {0};
  pm_put_bytes(&text, (double)pm_native_scratch_bytes(b->variants[0].native, &b->it->call));
  pm_buf_puts(&text, " of scratch");
  if (pm_is(b->callable, &stage_pipeline)) {
    pm_buf_puts(&text, "; ");
    pm_put_bytes(&text, pm_intermediate_bytes(b->callable, &b->it->args->params));
    pm_buf_puts(&text, " if every stage had a whole array");
  }
  pm_put_bench_row("memory", text.data);
  pm_buf_free(&text);
}

static void put_differences(const pm_bench *b, const pm_variant *v) {
  pm_buf text = {0};
  int64_t total = 0;
  for (size_t o = 0; o < b->it->n_outputs; o++) total += pm_array_count(&b->it->outputs[o]);
  if (v->differing)
    pm_buf_printf(&text, "%lld of %lld values differ", (long long)v->differing, (long long)total);
  else
    pm_buf_puts(&text, "the same");
  pm_put_bench_row("values", text.data);
  pm_buf_free(&text);
}

static void put_variant(const pm_bench *b, const pm_variant *v) {
  char text[160];
  const pm_times *own = &b->variants[0].times;
  if (v->same) {
    snprintf(text, sizeof text, "the same text as %s", v->same->text ? v->same->text : "without options");
    pm_put_bench_row(v->text, text);
    return;
  }
  put_steady(v->text, b, v);
  snprintf(text, sizeof text, "%.2f times as fast as %s (min), %.2f (median)", v->times.min / own->min,
           strcmp(v->text, "naive") == 0 ? "naive" : "that", v->times.median / own->median);
  pm_put_bench_row("ratio", text);
  put_differences(b, v);
}

void pm_print_bench(const pm_bench *b) {
  char text[64];
  const pm_variant *own = &b->variants[0];
  put_milliseconds("compile", b->read_seconds + own->lower_seconds);
  put_milliseconds("build", own->build_seconds);
  put_milliseconds("first call", own->times.first);
  put_steady("steady", b, own);
  pm_print_kernels(b);
  put_prediction(b);
  if (b->profile) put_profile(b->profile);
  put_traffic(b);
  put_memory(b);
  snprintf(text, sizeof text, "%d", pm_native_threads(own->native));
  pm_put_bench_row("threads", text);
  for (size_t i = 1; i < b->n_variants; i++) put_variant(b, &b->variants[i]);
  fflush(stdout);
}
