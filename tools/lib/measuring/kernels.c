/* Kernels on a device: how long each takes in a call, as the device notes it. */
#include "tools/lib/measuring/measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 20 };

/* What the rounds have said of a kernel. */
typedef struct kernel_rounds {
  pm_kernel_times last;
  double seconds[ROUNDS], queued[ROUNDS], waiting[ROUNDS];
} kernel_rounds;

typedef PM_VEC(kernel_rounds) rounds_list;

static void note_round(pm_native *native, size_t round, rounds_list *all) {
  pm_kernel_times times;
  for (int i = 0; pm_native_kernel_times(native, i, &times); i++) {
    if ((size_t)i == all->len) PM_VEC_PUSH(*all, (kernel_rounds){0});
    kernel_rounds *kernel = &all->data[i];
    kernel->last = times;
    kernel->seconds[round] = times.seconds;
    kernel->queued[round] = times.queued_seconds;
    kernel->waiting[round] = times.waiting_seconds;
  }
}

static void summarize(pm_variant *v, const rounds_list *all, double calls) {
  for (size_t i = 0; i < all->len; i++) {
    kernel_rounds *k = &all->data[i];
    if (!k->last.launches) continue;
    PM_VEC_PUSH(v->kernels, ((pm_kernel_sample){.name = k->last.name,
                                                .launches = (double)k->last.launches / calls,
                                                .bytes = (double)k->last.bytes / calls,
                                                .seconds = pm_median(k->seconds, ROUNDS) / calls,
                                                .queued_seconds = pm_median(k->queued, ROUNDS) / calls,
                                                .waiting_seconds = pm_median(k->waiting, ROUNDS) / calls}));
  }
}

/* Each round begins anew, behind one that sends the arrays. */
static int run_rounds(pm_bench *b, pm_variant *v, rounds_list *all) {
  double seconds;
  int code = pm_native_profile(v->native, true);
  if (!code) code = pm_timed_round(b, v, b->it, 1, &seconds);
  for (size_t i = 0; i < ROUNDS && !code; i++) {
    code = pm_native_reset_times(v->native);
    if (!code) code = pm_timed_round(b, v, b->it, b->repeat, &seconds);
    if (!code) note_round(v->native, i, all);
  }
  return code ? code : pm_native_profile(v->native, false);
}

int pm_measure_kernels(pm_bench *b) {
  int code = 0;
  for (size_t i = 0; i < b->n_variants && !code; i++) {
    pm_variant *v = &b->variants[i];
    rounds_list all = {0};
    if (v->same || !pm_native_has_device(v->native)) continue;
    code = run_rounds(b, v, &all);
    if (code) b->failed = v;
    if (!code) summarize(v, &all, (double)b->repeat);
    PM_VEC_FREE(all);
  }
  return code;
}

double pm_kernel_seconds(const pm_variant *variant) {
  double sum = 0;
  for (size_t i = 0; i < variant->kernels.len; i++) sum += variant->kernels.data[i].seconds;
  return sum;
}

/* --- printing --- */

static int by_seconds(const void *a, const void *b) {
  double x = ((const pm_kernel_sample *)a)->seconds, y = ((const pm_kernel_sample *)b)->seconds;
  return (x < y) - (x > y);
}

static void put_kernel(const pm_kernel_sample *k) {
  pm_buf name = {0}, text = {0};
  pm_buf_printf(&name, "  %s", k->name);
  pm_buf_printf(&text, "%.3f ms, ", 1e3 * k->seconds);
  if (k->launches > 1) pm_buf_printf(&text, "%.0f launches, ", k->launches);
  pm_buf_printf(&text, "%.3f ms until it began; arrays of ", 1e3 * (k->queued_seconds + k->waiting_seconds));
  pm_put_bytes(&text, k->bytes);
  pm_put_bench_row(name.data, text.data);
  pm_buf_free(&name);
  pm_buf_free(&text);
}

void pm_print_kernels(const pm_bench *b) {
  enum { MOST_KERNELS = 5 };
  const pm_variant *own = &b->variants[0];
  char text[128];
  double seconds = pm_kernel_seconds(own), bytes = pm_compulsory_bytes(&b->it->call);
  if (!own->kernels.len) return;
  snprintf(text, sizeof text, "%.3f ms a call on the device, median of %d; %.2f GB/s", 1e3 * seconds, ROUNDS,
           seconds > 0 ? 1e-9 * bytes / seconds : 0.0);
  pm_put_bench_row("kernels", text);
  if (own->kernels.len == 1) return;
  pm_kernel_sample *sorted = pm_xcalloc(own->kernels.len, sizeof *sorted);
  memcpy(sorted, own->kernels.data, own->kernels.len * sizeof *sorted);
  qsort(sorted, own->kernels.len, sizeof *sorted, by_seconds);
  for (size_t i = 0; i < own->kernels.len && i < MOST_KERNELS; i++) put_kernel(&sorted[i]);
  free(sorted);
}
