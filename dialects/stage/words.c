#include "dialects/stage/words.h"

#include "dialects/stage/stage.h"

static void put_clamp(pm_buf *out, const char *low, const char *high) {
  pm_buf_printf(out, "Min(Max(index, %s), %s)", low, high);
}

static void put_boundary(pm_buf *out, const char *stage) {
  pm_buf_printf(out, "a boundary mode of %s, such as boundary=\"clamp\",", stage);
}

static const stage_words polymage_words = {put_clamp, put_boundary};

typedef struct stage_data {
  const stage_words *words;
} stage_data;

void *stage_new_data(pm_context *ctx) {
  (void)ctx;
  stage_data *data = pm_xcalloc(1, sizeof *data);
  data->words = &polymage_words;
  return data;
}

static stage_data *data_of(pm_context *ctx) {
  return pm_dialect_data(ctx, &stage_dialect);
}

void stage_set_words(pm_context *ctx, const stage_words *words) {
  data_of(ctx)->words = words;
}

const stage_words *stage_words_of(pm_context *ctx) {
  return data_of(ctx)->words;
}
