/* What a run measured: the timing tree and the statistics. */
#include "ir/src/pass_private.h"

#include <inttypes.h>

typedef struct timing_table {
  double total;
  pm_buf *out;
} timing_table;

static void put_row(const timing_table *t, double seconds, unsigned indent, const char *name) {
  double percent = t->total > 0 ? 100 * seconds / t->total : 0;
  pm_buf_printf(t->out, "  %9.6f (%5.1f%%)  %*s%s", seconds, percent, (int)indent, "", name);
}

static double seconds_of_pass(const pm_pass_item *item) {
  return item->run_seconds + item->verify_seconds;
}

static double seconds_of_pipeline(const pm_pipeline *pipeline) {
  double sum = 0;
  for (size_t i = 0; i < pipeline->entries.len; i++) {
    pm_pipeline_entry entry = pipeline->entries.data[i];
    sum += entry.pass ? seconds_of_pass(entry.pass) : seconds_of_pipeline(entry.nested);
  }
  return sum;
}

static void put_pass(const timing_table *t, const pm_pass_item *item, unsigned indent) {
  put_row(t, seconds_of_pass(item), indent, item->desc->name);
  if (item->runs != 1) pm_buf_printf(t->out, " (%u runs)", item->runs);
  pm_buf_putc(t->out, '\n');
  if (item->analysis_seconds > 0) {
    put_row(t, item->analysis_seconds, indent + 2, "analyses\n");
  }
  if (item->verify_seconds > 0) {
    put_row(t, item->verify_seconds, indent + 2, "verifier\n");
  }
}

static void put_pipeline(const timing_table *t, const pm_pipeline *pipeline, unsigned indent) {
  for (size_t i = 0; i < pipeline->entries.len; i++) {
    pm_pipeline_entry entry = pipeline->entries.data[i];
    if (entry.pass) {
      put_pass(t, entry.pass, indent);
      continue;
    }
    put_row(t, seconds_of_pipeline(entry.nested), indent, entry.nested->root->name);
    pm_buf_putc(t->out, '\n');
    put_pipeline(t, entry.nested, indent + 2);
  }
}

void pm_print_timing(const pm_pass_manager *pm, double total, pm_buf *out) {
  timing_table t = {total, out};
  double rest = total - seconds_of_pipeline(pm->top);
  pm_buf_puts(out, "time of passes, in seconds of the processor\n");
  put_pipeline(&t, pm->top, 0);
  put_row(&t, rest > 0 ? rest : 0, 0, "rest\n");
  put_row(&t, total, 0, "total\n");
}

static void put_stats(const pm_pipeline *pipeline, pm_buf *out) {
  for (size_t i = 0; i < pipeline->entries.len; i++) {
    pm_pipeline_entry entry = pipeline->entries.data[i];
    if (entry.nested) {
      put_stats(entry.nested, out);
      continue;
    }
    const pm_pass_item *item = entry.pass;
    pm_buf_printf(out, "%s: %u runs, %u changed something\n", item->desc->name, item->runs, item->changes);
    for (size_t s = 0; s < item->stats.len; s++)
      pm_buf_printf(out, "  %10" PRId64 "  %s\n", item->stats.data[s].value, item->stats.data[s].name);
  }
}

void pm_print_statistics(const pm_pass_manager *pm, pm_buf *out) {
  pm_buf_puts(out, "statistics of passes\n");
  put_stats(pm->top, out);
}

static void see_measured(const pm_pipeline *pipeline,
                         void (*see)(void *user, const pm_pass_measures *measures), void *user) {
  for (size_t i = 0; i < pipeline->entries.len; i++) {
    pm_pipeline_entry entry = pipeline->entries.data[i];
    if (entry.nested) {
      see_measured(entry.nested, see, user);
      continue;
    }
    const pm_pass_item *item = entry.pass;
    const pm_pass_measures measures = {.pass = item->desc,
                                       .on = item->anchor->name,
                                       .runs = item->runs,
                                       .changes = item->changes,
                                       .seconds = item->run_seconds,
                                       .analysis_seconds = item->analysis_seconds,
                                       .verify_seconds = item->verify_seconds,
                                       .counts = item->stats.data,
                                       .n_counts = item->stats.len};
    see(user, &measures);
  }
}

void pm_each_measured(const pm_pass_manager *pm, void (*see)(void *user, const pm_pass_measures *measures),
                      void *user) {
  see_measured(pm->top, see, user);
}

double pm_measured_seconds(const pm_pass_manager *pm) {
  return pm->seconds;
}
