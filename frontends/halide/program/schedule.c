/* What is asked of schedules. */
#include "frontends/halide/program/schedule.h"

#include <string.h>

int h_innermost_fused(const struct h_nest *nest, int at) {
  while (at > 0 && nest->loops.data[at - 1].is_fused) at--;
  return at;
}

void h_put_loops(pm_buf *out, const struct h_nest *nest) {
  static const char *const kinds[] = {[H_SERIAL] = "",          [H_PARALLEL] = " (parallel)",
                                      [H_VECTOR] = " (vector)", [H_UNROLLED] = " (unrolled)",
                                      [H_BLOCK] = " (blocks)",  [H_THREAD] = " (threads)"};
  if (nest->loops.len == 0) pm_buf_puts(out, "none");
  for (uint32_t i = nest->loops.len; i > 0; i--) {
    const h_loop *loop = &nest->loops.data[i - 1];
    pm_buf_printf(out, "%s%s%s", loop->var->name->text, kinds[loop->kind], i > 1 ? ", " : "");
  }
}

bool h_is_outermost(const h_var *var) {
  return strcmp(var->name->text, H_OUTERMOST) == 0;
}

bool h_has_reader(const struct h_copy *copy, const h_symbol *reader) {
  for (uint32_t i = 0; i < copy->readers.len; i++)
    if (copy->readers.data[i] == reader) return true;
  return false;
}

const char *h_word_of(const struct h_copy *copy) {
  return copy->is_clone ? "clone_in" : "in";
}
