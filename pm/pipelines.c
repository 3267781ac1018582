#include "pm/pipelines.h"

static const pm_named_pipeline pipelines[] = {
#define PIPELINE(name, doc, steps) {name, PM_STEPS(steps), doc},
#include "pm/pipelines.def"
#undef PIPELINE
};

void pm_register_all_pipelines(pm_context *ctx) {
  for (size_t i = 0; i < PM_COUNT(pipelines); i++) pm_register_pipeline(ctx, &pipelines[i]);
}

void pm_list_pipelines(const pm_context *ctx, pm_buf *out) {
  for (size_t i = 0; i < pm_pipeline_count(ctx); i++) {
    const pm_named_pipeline *pipeline = pm_pipeline_at(ctx, i);
    pm_buf_printf(out, "%s: %s\n  %s\n", pipeline->name, pipeline->doc, pipeline->text);
  }
}
