#include "tools/lib/driver/hooks.h"

#include <stdio.h>

int pm_finish_hook(pm_outcome outcome, pm_report *report, const char *tool) {
  static const int codes[] = {
      [PM_OUTCOME_OK] = PM_EXIT_OK, [PM_OUTCOME_REFUSED] = PM_EXIT_INPUT, [PM_OUTCOME_BUG] = PM_EXIT_BUG};
  if (report->log.len) fputs(report->log.data, stderr);
  if (report->error.len) pm_print_error(tool, &report->error);
  pm_buf_free(&report->log);
  return codes[outcome];
}

int pm_tool_compile(const pm_target *target, const pm_target_output *text, const pm_build_options *options,
                    const char *tool, pm_buf *file) {
  pm_report report = {0};
  pm_outcome outcome = target->compile(text, target->opens, options, file, &report);
  return pm_finish_hook(outcome, &report, tool);
}

pm_native *pm_tool_load(const stage_signature *sig, const pm_target *target, const pm_buf *file,
                        const char *entry, const pm_build_options *options, const char *tool, int *code) {
  pm_report report = {0};
  pm_outcome outcome;
  pm_native *native = pm_native_new(sig, NULL, target, file, entry, options, &outcome, &report);
  *code = pm_finish_hook(outcome, &report, tool);
  return native;
}

pm_native *pm_tool_open(const stage_signature *sig, const char *path, const char *entry, int threads,
                        const char *tool, int *code) {
  pm_report report = {0};
  pm_outcome outcome;
  pm_native *native = pm_native_open(sig, path, entry, threads, &outcome, &report);
  *code = pm_finish_hook(outcome, &report, tool);
  return native;
}
