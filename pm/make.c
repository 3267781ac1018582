#include "pm/make.h"

#include "pm/compile.h"

static void compile_output(const pm_make_request *r, pm_made *made, const pm_target_output *out) {
  pm_report report = {0};
  made->outcome = r->target->compile(out, r->extension, &r->options, &made->texts[PM_MADE_FILE], &report);
  pm_buf_put(&made->texts[PM_MADE_ENTRY], out->entry.data, out->entry.len);
  made->texts[PM_MADE_ERROR] = report.error;
  made->texts[PM_MADE_LOG] = report.log;
}

void pm_make(const pm_make_request *r, pm_made *made) {
  pm_target_output out = {0};
  made->outcome = PM_OUTCOME_REFUSED;
  if (r->target->is_ready && !r->target->is_ready(&made->texts[PM_MADE_ERROR])) return;
  made->is_ready = true;
  made->outcome = PM_OUTCOME_OK;
  made->emitted = r->target->emit(r->module, "pipeline.h", &out);
  if (made->emitted && r->extension) compile_output(r, made, &out);
  if (made->emitted && !r->extension) pm_put_single_file(&made->texts[PM_MADE_SOURCE], &out, "pipeline.h");
  pm_target_output_free(&out);
}

void pm_made_free(pm_made *made) {
  for (size_t i = 0; i < PM_MADE_TEXTS; i++) pm_buf_free(&made->texts[i]);
}
