#include "tools/lib/check_target/program.h"

#include <stdlib.h>

char *pm_check_next_symbol(const pm_check_programs *programs) {
  pm_buf symbol = {0};
  pm_buf_printf(&symbol, "f%zu", programs->len);
  return pm_buf_take(&symbol);
}

pm_check_program *pm_check_add(pm_check_programs *programs, const char *subject, pm_buf *name, pm_buf *text) {
  pm_check_program made = {.subject = subject,
                           .name = pm_buf_take(name),
                           .symbol = pm_check_next_symbol(programs),
                           .text = pm_buf_take(text)};
  PM_VEC_PUSH(*programs, made);
  return &PM_VEC_LAST(*programs);
}

void pm_check_programs_free(pm_check_programs *programs) {
  for (size_t i = 0; i < programs->len; i++) {
    free(programs->data[i].name);
    free(programs->data[i].symbol);
    free(programs->data[i].text);
  }
  PM_VEC_FREE(*programs);
}
