#include "tools/lib/driver/pipelines.h"

#include <string.h>

typedef struct named_pipeline {
  const char *row; /* the name in its row; a word of C has a '_' behind it there */
  const char *text, *doc;
} named_pipeline;

static const named_pipeline pipelines[] = {
#define PIPELINE(name, text, doc) {#name, text, doc},
#include "tools/pipelines.def"
#undef PIPELINE
};

static pm_str name_of(const named_pipeline *pipeline) {
  size_t len = strlen(pipeline->row);
  return (pm_str){pipeline->row, pipeline->row[len - 1] == '_' ? len - 1 : len};
}

const char *pm_named_pipeline(const char *name) {
  for (size_t i = 0; i < PM_COUNT(pipelines); i++)
    if (pm_str_is(name_of(&pipelines[i]), name)) return pipelines[i].text;
  return NULL;
}

void pm_list_pipelines(pm_buf *out) {
  for (size_t i = 0; i < PM_COUNT(pipelines); i++) {
    pm_str name = name_of(&pipelines[i]);
    pm_buf_printf(out, "%.*s: %s\n  %s\n", (int)name.len, name.ptr, pipelines[i].doc, pipelines[i].text);
  }
}
