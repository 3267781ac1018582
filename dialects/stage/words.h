/* What a program's language calls what a message advises. The frontend sets it; else it is PolyMage's. */
#ifndef PM_DIALECTS_STAGE_WORDS_H
#define PM_DIALECTS_STAGE_WORDS_H

#include "ir/context.h"

typedef struct stage_words {
  /* `Min(Max(index, 0), R - 1)` */
  void (*put_clamp)(pm_buf *out, const char *low, const char *high);
  /* `a boundary mode of img, such as boundary="clamp",` as what gives all points outside a value */
  void (*put_boundary)(pm_buf *out, const char *stage);
} stage_words;

void *stage_new_data(pm_context *ctx); /* of the dialect; from malloc */
/* Of all pipelines of the context from now on; borrowed. */
void stage_set_words(pm_context *ctx, const stage_words *words);
const stage_words *stage_words_of(pm_context *ctx);

#endif
